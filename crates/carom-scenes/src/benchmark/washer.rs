//! Boxes in a turning drum.

use super::quiet;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::Rot;
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "washer",
    summary: "8100 boxes tumble in a turning drum with four paddles",
    group: Group::Benchmark,
    steps: 500,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 10.0), half_height: 20.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Radii of the paddles' inner ends, of the drum's inside and of its outside.
const PADDLE: f32 = 14.0;
const INSIDE: f32 = 16.0;
const OUTSIDE: f32 = 18.0;
const SEGMENTS: u8 = 36;

#[derive(Clone, Debug)]
struct Washer {
    drum: BodyId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // An empty body that other engines hang the drum on; it is here for equal counts.
    setup.world.add_body(BodyDef::fixed())?;

    let drum = setup.world.add_body(BodyDef {
        position: vec2(0.0, 10.0),
        velocity: vec2(0.001, -0.002),
        angular_velocity: 25.0 * PI / 180.0,
        ..BodyDef::kinematic()
    })?;
    let step = PI / 18.0;
    let (turn, overlap) = (Rot::from_angle(step), Rot::from_angle(0.1 * step));
    let mut from = Vec2::X;
    for segment in 0..SEGMENTS {
        let to = if segment + 1 == SEGMENTS { Vec2::X } else { turn.rotate(from) };
        // The quads of the wall reach into each other, so that nothing slips between them.
        let (a, b) = (overlap.inv_rotate(from), overlap.rotate(to));
        let wall = ShapeDef::convex(&[INSIDE * a, OUTSIDE * a, INSIDE * b, OUTSIDE * b]);
        setup.world.add_shape(drum, quiet(wall))?;
        if segment % 9 == 0 {
            let paddle = ShapeDef::convex(&[PADDLE * from, INSIDE * from, PADDLE * to, INSIDE * to]);
            setup.world.add_shape(drum, quiet(paddle))?;
        }
        from = to;
    }

    for row in 0..90u8 {
        for column in 0..90u8 {
            let position = vec2(0.21 * f32::from(column) - 9.9, 0.21 * f32::from(row) - 9.9 + 10.0);
            // Unlike in the other scenes, these report their hits.
            setup.add(dynamic_at(position), ShapeDef::rectangle(0.2, 0.2))?;
        }
    }
    Ok(Box::new(Washer { drum }))
}

impl Script for Washer {
    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        let center = find_body(world, self.drum)?.position();
        for id in measure::dynamic_bodies(world) {
            let distance = (world.body(id).position() - center).length();
            require(distance < INSIDE, || format!("{id:?} left the drum: it is {distance} m from the axis"))?;
        }
        Ok(())
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        at_most("the deepest overlap in m", measure::deepest_penetration(world), 0.1)
    }
}
