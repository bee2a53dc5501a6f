//! Three discs in a row that hand their velocity on.

use super::{CAMERA, DT, SCREEN, pixel};
use crate::color::Color;
use crate::measure;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, at_most, require};
use crate::setup::{FRICTIONLESS_ELASTIC, Setup, dynamic_at, weightless, with_surface};
use carom_core::math::max64;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "pendulum",
    summary: "three discs in a row pass 4 m/s from one to the next and back from the walls",
    group: Group::Coursework,
    steps: 1000,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const SPEED: f64 = 4.0;
/// Half of 1 kg times the square of 4 m/s.
const ENERGY: f64 = 8.0;

#[derive(Clone, Debug)]
struct Pendulum {
    discs: Vec<BodyId>,
    /// Largest deviations seen: of the energy in J, of the momentum in N s, of the speed of the one
    /// that moves in m/s.
    energy_error: f64,
    momentum_error: f64,
    speed_error: f64,
    /// How often each disc got the velocity.
    turns: [u32; 3],
    moving: usize,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(SCREEN, 1.0, FRICTIONLESS_ELASTIC)?;
    let mut discs = Vec::new();
    for (i, x) in [440.0, 640.0, 840.0].into_iter().enumerate() {
        let velocity = if i == 0 { vec2(4.0, 0.0) } else { Vec2::ZERO };
        let body = BodyDef { velocity, mass: Some(1.0), ..dynamic_at(pixel(x, 360.0)) };
        let shape = with_surface(ShapeDef::circle(0.5), FRICTIONLESS_ELASTIC);
        discs.push(setup.add_colored(body, shape, Color::nth(i))?);
    }
    let turns = [1, 0, 0];
    Ok(Box::new(Pendulum { discs, energy_error: 0.0, momentum_error: 0.0, speed_error: 0.0, turns, moving: 0 }))
}

impl Script for Pendulum {
    fn after_step(&mut self, world: &World) {
        let [x, y] = measure::momentum(world);
        self.energy_error = max64((measure::kinetic_energy(world) - ENERGY).abs(), self.energy_error);
        self.momentum_error = max64(max64((x.abs() - SPEED).abs(), y.abs()), self.momentum_error);
        let speed = |&id: &BodyId| world.get_body(id).map_or(0.0, |body| f64::from(body.velocity().length()));
        let speeds: Vec<f64> = self.discs.iter().map(speed).collect();
        let fastest = (0..3).fold(0, |best, i| if speeds[i] > speeds[best] { i } else { best });
        self.speed_error = max64((speeds[fastest] - SPEED).abs(), self.speed_error);
        if fastest != self.moving {
            self.moving = fastest;
            self.turns[fastest] += 1;
        }
    }

    fn check(&self, _: &World) -> Result<(), Unmet> {
        at_most("the deviation of the energy from 8 J", self.energy_error, 1.0e-6 * ENERGY)?;
        at_most("the deviation of the momentum from 4 N s either way", self.momentum_error, 1.0e-6 * SPEED)?;
        at_most("the deviation of the moving disc from 4 m/s", self.speed_error, 1.0e-6 * SPEED)?;
        require(self.turns.iter().all(|&turns| turns >= 3), || {
            format!("the discs moved {:?} times, expected at least 3 each", self.turns)
        })
    }
}
