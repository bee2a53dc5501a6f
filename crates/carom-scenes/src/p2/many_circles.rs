//! As many discs as p2 can hold, drifting and colliding.

use super::{CAMERA, DT, SCREEN};
use crate::color::Color;
use crate::measure;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most};
use crate::setup::{FRICTIONLESS_ELASTIC, Setup, dynamic_at, weightless, with_surface};
use carom_core::Rng;
use carom_core::math::max64;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "p2_many_circles",
    summary: "256 elastic discs drift and collide without gaining energy",
    group: Group::Quadtree,
    steps: 1000,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const RADIUS: f32 = 0.1;

#[derive(Clone, Debug)]
struct ManyCircles {
    /// Kinetic energy at the start and after the last step, and the largest gain in one step, in J.
    start: f64,
    energy: f64,
    gain: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(SCREEN, 1.0, FRICTIONLESS_ELASTIC)?;
    let mut rng = Rng::new(9);
    for row in 0..16u8 {
        for column in 0..16u8 {
            let place = vec2(0.4 + 0.8 * f32::from(column), 0.225 + 0.45 * f32::from(row));
            let position = place + vec2(rng.range(-0.25, 0.25), rng.range(-0.1, 0.1));
            let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let body = BodyDef { velocity, mass: Some(1.0), ..dynamic_at(position) };
            let shape = with_surface(ShapeDef::circle(RADIUS), FRICTIONLESS_ELASTIC);
            setup.add_colored(body, shape, Color::nth((row + column).into()))?;
        }
    }
    let energy = measure::kinetic_energy(setup.world);
    Ok(Box::new(ManyCircles { start: energy, energy, gain: 0.0 }))
}

impl Script for ManyCircles {
    fn after_step(&mut self, world: &World) {
        let energy = measure::kinetic_energy(world);
        self.gain = max64(energy - self.energy, self.gain);
        self.energy = energy;
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        at_most("the largest gain of energy in one step, as a part of all", self.gain / self.start, 1.0e-5)?;
        at_most("the energy in the end, as a part of that at the start", self.energy / self.start, 1.0 + 1.0e-4)?;
        at_most("the deepest overlap in radii", measure::deepest_penetration(world) / RADIUS, 0.05)
    }
}
