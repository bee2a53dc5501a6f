//! A grid of discs that the user blows apart: `E` in the viewer, or [`SceneWorld::explode`](crate::SceneWorld::explode).

use super::{CAMERA, DT, MIDDLE, SCREEN};
use crate::color::Color;
use crate::measure;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most};
use crate::setup::{Setup, dynamic_at, weightless};
use carom_core::math::max64;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "explosion",
    summary: "a hundred discs wait to be blown apart: press E, or choose the tool and click",
    group: Group::Coursework,
    steps: 300,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const RADIUS: f32 = 0.1;
const SPACING: f32 = 0.4;

#[derive(Clone, Debug)]
struct Explosion {
    /// Kinetic energy before and after the last step, and the largest gain in a step, in J. What the user does comes
    /// before a step and does not count.
    energy: f64,
    gain: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // Thick walls: a fast disc gets half a metre deep within one step.
    setup.room(SCREEN, 4.0, Material { friction: 0.2, restitution: 0.5, ..Material::default() })?;
    for row in 0..10u8 {
        for column in 0..10u8 {
            let offset = SPACING * vec2(f32::from(column) - 4.5, f32::from(row) - 4.5);
            let body = BodyDef { mass: Some(1.0), ..dynamic_at(MIDDLE + offset) };
            let shape = ShapeDef { friction: 0.2, restitution: 0.5, ..ShapeDef::circle(RADIUS) };
            setup.add_colored(body, shape, Color::nth((row + column).into()))?;
        }
    }
    Ok(Box::new(Explosion { energy: 0.0, gain: 0.0 }))
}

impl Script for Explosion {
    fn before_step(&mut self, world: &mut World, _: u32) {
        self.energy = measure::kinetic_energy(world);
    }

    fn after_step(&mut self, world: &World) {
        self.gain = max64(measure::kinetic_energy(world) - self.energy, self.gain);
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        at_most("the largest gain of energy in one step in J", self.gain, 1.0e-3)
    }
}
