//! Boxes in a square drum that a motor turns.

use super::{attach_box, quiet};
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, at_most, find_body, near, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "tumbler",
    summary: "a motor turns a heavy square drum with 2025 boxes in it",
    group: Group::Benchmark,
    steps: 750,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 10.0), half_height: 15.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Of the drum, in rad/s.
const SPEED: f32 = 25.0 * PI / 180.0;
/// Half the width of its inside.
const INSIDE: f32 = 9.5;

#[derive(Clone, Debug)]
struct Tumbler {
    drum: BodyId,
    axle: JointId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let frame = setup.frame()?;
    let drum = setup.world.add_body(dynamic_at(vec2(0.0, 10.0)))?;
    let walls = [
        (vec2(10.0, 0.0), vec2(1.0, 20.0)),
        (vec2(-10.0, 0.0), vec2(1.0, 20.0)),
        (vec2(0.0, 10.0), vec2(20.0, 1.0)),
        (vec2(0.0, -10.0), vec2(20.0, 1.0)),
    ];
    for (position, size) in walls {
        let wall = ShapeDef { position, density: 50.0, ..quiet(ShapeDef::rectangle(size.x, size.y)) };
        setup.world.add_shape(drum, wall)?;
    }
    let motor = Some(Motor::new(SPEED, 1.0e8));
    let axle = setup.pin_with(frame, drum, vec2(0.0, 10.0), Revolute { motor, ..Revolute::default() })?;

    for row in 0..45u8 {
        for column in 0..45u8 {
            let body =
                setup.world.add_body(dynamic_at(vec2(0.4 * f32::from(column) - 9.0, 0.4 * f32::from(row) + 1.0)))?;
            attach_box(setup.world, body, Vec2::ZERO, Vec2::splat(0.125))?;
        }
    }
    Ok(Box::new(Tumbler { drum, axle }))
}

impl Script for Tumbler {
    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        let drum = find_body(world, self.drum)?;
        for id in measure::dynamic_bodies(world).filter(|&id| id != self.drum) {
            let place = drum.local_point(world.body(id).center());
            let inside = place.x.abs() < INSIDE && place.y.abs() < INSIDE;
            require(inside, || format!("{id:?} left the drum: it is at {place} in it"))?;
        }
        Ok(())
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let axle = world.get_joint(self.axle).ok_or_else(|| Unmet { reason: "the drum is no longer held".into() })?;
        let turned = SPEED * SCENE.steps as f32 * SCENE.dt;
        near("the angle of the drum in rad", axle.angle(), turned.into(), 0.02)?;
        at_most("the deepest overlap in m", measure::deepest_penetration(world), 0.1)
    }
}
