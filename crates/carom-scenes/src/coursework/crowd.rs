//! A crowd of 16 by 16 bodies that drift and collide in a room, and the energy it must not gain.

use super::SCREEN;
use crate::color::Color;
use crate::measure;
use crate::script::{Script, Unmet, all_inside, at_most};
use crate::setup::{Setup, with_surface};
use carom_core::Rng;
use carom_core::math::max64;
use carom2d::prelude::*;

/// What a crowd has to keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest gain of kinetic energy in one step, as a fraction of the energy at the start.
    pub(super) gain: f64,
    /// Kinetic energy at the end, as a fraction of the energy at the start.
    pub(super) energy: f64,
    /// Penetration depth at the end, in m.
    pub(super) depth: f64,
}

#[derive(Clone, Debug)]
struct Crowd {
    limits: Limits,
    /// Kinetic energy at the start and after the last step, and the largest gain in one step, in J.
    start: f64,
    energy: f64,
    gain: f64,
}

/// Fills the screen with bodies of mass 1 kg. `member` makes one near its place in the grid.
pub(super) fn build(
    setup: &mut Setup,
    surface: Material,
    limits: Limits,
    mut rng: Rng,
    member: impl Fn(Vec2, &mut Rng) -> (BodyDef, ShapeDef),
) -> Result<Box<dyn Script>, DefError> {
    setup.room(SCREEN, 1.0, surface)?;
    for row in 0..16u8 {
        for column in 0..16u8 {
            let place = vec2(0.4 + 0.8 * f32::from(column), 0.225 + 0.45 * f32::from(row));
            let (body, shape) = member(place, &mut rng);
            let body = BodyDef { mass: Some(1.0), ..body };
            setup.add_colored(body, with_surface(shape, surface), Color::nth((row + column).into()))?;
        }
    }
    let energy = measure::kinetic_energy(setup.world);
    Ok(Box::new(Crowd { limits, start: energy, energy, gain: 0.0 }))
}

impl Script for Crowd {
    fn after_step(&mut self, world: &World) {
        let energy = measure::kinetic_energy(world);
        self.gain = max64(energy - self.energy, self.gain);
        self.energy = energy;
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        let Limits { gain, energy, depth } = self.limits;
        at_most("the largest gain of energy in one step, as a fraction", self.gain / self.start, gain)?;
        at_most("the energy at the end, as a fraction", self.energy / self.start, energy)?;
        at_most("the deepest overlap in m", measure::deepest_penetration(world), depth)
    }
}
