//! A heavy block flies into a wall of sleeping boxes, without gravity.

use super::quiet;
use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, at_most, find_body, near, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "smash",
    summary: "a heavy block flies into 9600 sleeping boxes",
    group: Group::Benchmark,
    steps: 300,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(50.0, 0.0), half_height: 40.0 },
    known_gap: None,
    world: || WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() },
    build,
};

const SPACING: f32 = 0.4;
const SPEED: f32 = 40.0;

#[derive(Clone, Debug)]
struct Smash {
    projectile: BodyId,
    momentum: [f64; 2],
    energy: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let body = BodyDef { velocity: vec2(SPEED, 0.0), ..dynamic_at(vec2(-20.0, 0.0)) };
    let shape = ShapeDef { density: 8.0, ..quiet(ShapeDef::rectangle(8.0, 8.0)) };
    let projectile = setup.add_colored(body, shape, Color::RED)?;
    for column in 0..120u8 {
        for row in 0..80u8 {
            let position = vec2(SPACING * f32::from(column) + 30.0, SPACING * (f32::from(row) - 40.0));
            let body = BodyDef { awake: false, ..dynamic_at(position) };
            setup.add(body, quiet(ShapeDef::rectangle(SPACING, SPACING)))?;
        }
    }
    let (momentum, energy) = (measure::momentum(setup.world), measure::kinetic_energy(setup.world));
    Ok(Box::new(Smash { projectile, momentum, energy }))
}

impl Script for Smash {
    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        // Nothing from outside acts here. Only boxes that come to rest may take momentum with them.
        let momentum = measure::momentum(world);
        let tolerance = 1.0e-3 * self.momentum[0];
        near("the momentum along x in N s", momentum[0], self.momentum[0], tolerance)?;
        near("the momentum along y in N s", momentum[1], self.momentum[1], tolerance)
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        at_most("the kinetic energy in J", measure::kinetic_energy(world), self.energy)?;
        let speed = find_body(world, self.projectile)?.velocity().x;
        require(speed < 0.75 * SPEED, || format!("the projectile still flies at {speed} m/s"))
    }
}
