//! As many rectangles as p2 can hold, drifting, turning and colliding.

use super::{CAMERA, DT, SCREEN};
use crate::color::Color;
use crate::measure;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most};
use crate::setup::{Setup, dynamic_at, weightless, with_surface};
use carom_core::Rng;
use carom_core::math::max64;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "p2_many_rectangles",
    summary: "256 rectangles drift, turn and collide with restitution 0.8",
    group: Group::Quadtree,
    steps: 1000,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const SURFACE: Material = Material { friction: 0.2, restitution: 0.8, rolling_resistance: 0.0, surface_speed: 0.0 };
/// Half of the shortest side.
const LEAST_HALF: f64 = 0.05;

#[derive(Clone, Debug)]
struct ManyRectangles {
    /// Kinetic energy at the start and after the last step, and the largest gain in one step, in J.
    start: f64,
    energy: f64,
    gain: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(SCREEN, 1.0, SURFACE)?;
    let mut rng = Rng::new(12);
    for row in 0..16u8 {
        for column in 0..16u8 {
            let place = vec2(0.4 + 0.8 * f32::from(column), 0.225 + 0.45 * f32::from(row));
            let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let body = BodyDef {
                velocity,
                angle: rng.range(-1.5, 1.5),
                angular_velocity: rng.range(-2.0, 2.0),
                mass: Some(1.0),
                ..dynamic_at(place + vec2(rng.range(-0.2, 0.2), 0.0))
            };
            let shape = ShapeDef::rectangle(rng.range(0.1, 0.35), rng.range(0.1, 0.2));
            setup.add_colored(body, with_surface(shape, SURFACE), Color::nth((row + column).into()))?;
        }
    }
    let energy = measure::kinetic_energy(setup.world);
    Ok(Box::new(ManyRectangles { start: energy, energy, gain: 0.0 }))
}

impl Script for ManyRectangles {
    fn after_step(&mut self, world: &World) {
        let energy = measure::kinetic_energy(world);
        self.gain = max64(energy - self.energy, self.gain);
        self.energy = energy;
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        at_most("the largest gain of energy in one step, as a share", self.gain / self.start, 1.0e-6)?;
        at_most("the energy at the end, as a share", self.energy / self.start, 0.5)?;
        at_most("the deepest overlap in m", measure::deepest_penetration(world), 0.05 * LEAST_HALF)
    }
}
