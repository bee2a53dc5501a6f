//! A grid of discs that is blown apart.

use super::{CAMERA, DT, MIDDLE, SCREEN};
use crate::color::Color;
use crate::measure;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most, require};
use crate::setup::{Places, Setup, dynamic_at, weightless};
use carom_core::math::{max, max64};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "p2_explosion",
    summary: "a hundred discs are blown apart from their middle and bounce off the walls",
    group: Group::Quadtree,
    steps: 300,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const RADIUS: f32 = 0.1;
const SPACING: f32 = 0.4;
/// Step at which it happens.
const BLAST: u32 = 25;
/// Impulse per distance from the middle, in N s / m. On discs of 1 kg.
const STRENGTH: f32 = 10.0;
/// Steps after the blast until the outermost disc meets a wall.
const FREE_STEPS: u32 = 3;

#[derive(Clone, Debug)]
struct Explosion {
    discs: Places,
    /// Number of the step under way.
    step: u32,
    /// Largest distance in metres from where a disc belongs while all fly freely.
    misplaced: f32,
    /// Kinetic energy after the last step, and the largest gain in one step since the blast, in J.
    energy: f64,
    gain: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // Thick walls: a fast disc gets half a metre deep within one step.
    setup.room(SCREEN, 4.0, Material { friction: 0.2, restitution: 0.5, ..Material::default() })?;
    let mut discs = Places::default();
    for row in 0..10u8 {
        for column in 0..10u8 {
            let offset = SPACING * vec2(f32::from(column) - 4.5, f32::from(row) - 4.5);
            let body = BodyDef { mass: Some(1.0), ..dynamic_at(MIDDLE + offset) };
            let shape = ShapeDef { friction: 0.2, restitution: 0.5, ..ShapeDef::circle(RADIUS) };
            let id = setup.add_colored(body, shape, Color::nth((row + column).into()))?;
            discs.remember(id, MIDDLE + offset);
        }
    }
    Ok(Box::new(Explosion { discs, step: 0, misplaced: 0.0, energy: f64::INFINITY, gain: 0.0 }))
}

impl Script for Explosion {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        self.step = step;
        if step == BLAST {
            for (id, _) in self.discs.iter() {
                if let Some(mut body) = world.get_body_mut(id) {
                    let impulse = STRENGTH * (body.get().position() - MIDDLE);
                    body.apply_impulse(impulse).ok();
                }
            }
        }
    }

    fn after_step(&mut self, world: &World) {
        if (BLAST..BLAST + FREE_STEPS).contains(&self.step) {
            // The farther out, the faster: the grid grows without changing its form.
            let time = (self.step + 1 - BLAST) as f32 * DT;
            for (id, start) in self.discs.iter() {
                if let Some(body) = world.get_body(id) {
                    let place = MIDDLE + (start - MIDDLE) * (1.0 + STRENGTH * time);
                    self.misplaced = max((body.position() - place).length(), self.misplaced);
                }
            }
        }
        if self.step >= BLAST {
            let energy = measure::kinetic_energy(world);
            self.gain = max64(energy - self.energy, self.gain);
            self.energy = energy;
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        require(self.step > BLAST, || "the blast did not happen".to_owned())?;
        at_most("the largest distance in m from the law of the blast", self.misplaced, 1.0e-4)?;
        at_most("the largest gain of energy in one step in J", self.gain, 1.0e-3)
    }
}
