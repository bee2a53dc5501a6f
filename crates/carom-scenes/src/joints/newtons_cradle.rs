//! Five balls on rods that pass an impact on.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, near, require};
use crate::setup::{FRICTIONLESS_ELASTIC, Setup, dynamic_at, with_surface};
use carom_core::math::sin_cos;
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "newtons_cradle",
    summary: "the first of five balls strikes the row, and only the last swings away",
    group: Group::Joints,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, -1.9), half_height: 3.2 },
    known_gap: None,
    world: || WorldDef { sleeping: false, substeps: 8, ..WorldDef::default() },
    build,
};

const RADIUS: f32 = 0.4;
const LENGTH: f32 = 3.0;
const START: f32 = -0.8;

#[derive(Clone, Debug)]
struct Cradle {
    balls: Vec<BodyId>,
    /// All energy at the start, in J.
    energy: f64,
    /// Largest angles from the vertical of the first, the middle and the last ball in the last swing.
    swings: [f32; 3],
    steps: u32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let beam = setup.block(vec2(0.0, 0.1), 5.2, 0.2)?;
    let mut balls = Vec::new();
    for i in 0..5u8 {
        let x = 2.0 * RADIUS * (f32::from(i) - 2.0);
        let (sine, cosine) = sin_cos(if i == 0 { START } else { 0.0 });
        let position = vec2(x, 0.0) + LENGTH * vec2(sine, -cosine);
        let ball = with_surface(ShapeDef::circle(RADIUS), FRICTIONLESS_ELASTIC);
        let ball = setup.add_colored(dynamic_at(position), ball, Color::nth(usize::from(i)))?;
        let def = JointDef { frame_a: Pose::at(vec2(x, -0.1)), ..JointDef::rod(beam, ball, LENGTH) };
        setup.world.add_joint(def)?;
        balls.push(ball);
    }
    let energy = measure::potential_energy(setup.world);
    Ok(Box::new(Cradle { balls, energy, swings: [0.0; 3], steps: 0 }))
}

impl Cradle {
    /// How far a ball is from below its hook, in radians.
    fn angle(&self, world: &World, ball: usize) -> f32 {
        let x = 2.0 * RADIUS * (ball as f32 - 2.0);
        world.get_body(self.balls[ball]).map_or(0.0, |body| ((body.position().x - x) / LENGTH).abs())
    }
}

impl Script for Cradle {
    fn after_step(&mut self, world: &World) {
        self.steps += 1;
        // Two swings before the end.
        if self.steps > SCENE.steps - 420 {
            for (swing, ball) in [0, 2, 4].into_iter().enumerate() {
                self.swings[swing] = max(self.angle(world, ball), self.swings[swing]);
            }
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        for &ball in &self.balls {
            find_body(world, ball)?;
        }
        let energy = measure::kinetic_energy(world) + measure::potential_energy(world);
        let lowest = -5.0 * f64::from(LENGTH) * 10.0 * f64::from(std::f32::consts::PI * RADIUS * RADIUS);
        near("the energy over that at the start", (energy - lowest) / (self.energy - lowest), 1.0, 0.1)?;
        let [first, middle, last] = self.swings;
        require(first > 0.5 && last > 0.5 && middle < 0.25, || {
            format!("the first, middle and last ball swung by {first}, {middle} and {last} rad")
        })
    }
}
