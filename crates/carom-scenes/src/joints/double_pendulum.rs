//! Six double pendulums that start almost alike.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, near, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::{max, min};
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "double_pendulum",
    summary: "six double pendulums start a thousandth of a radian apart and soon go their own ways",
    group: Group::Joints,
    steps: 1200,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 0.0), half_height: 4.4 },
    known_gap: None,
    world: || WorldDef { sleeping: false, substeps: 8, ..WorldDef::default() },
    build,
};

const LENGTH: f32 = 1.9;

#[derive(Clone, Debug)]
struct DoublePendulum {
    tips: Vec<BodyId>,
    /// All energy at the start, in J, and what it takes to swing that high from rest.
    energy: f64,
    depth: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let frame = setup.frame()?;
    let mut tips = Vec::new();
    for i in 0..6u8 {
        let angle = 0.55 * PI + 0.001 * f32::from(i);
        let turn = Rot::from_angle(angle);
        let mut arm = |center: Vec2| {
            let half = vec2(0.5 * LENGTH, 0.0);
            let shape = super::ghost(ShapeDef::capsule(-half, half, 0.09));
            let body = BodyDef { angle, ..dynamic_at(center) };
            setup.add_colored(body, shape, Color::nth(usize::from(i)))
        };
        let along = turn.x_axis() * LENGTH;
        let (upper, lower) = (arm(0.5 * along)?, arm(1.5 * along)?);
        setup.pin(frame, upper, Vec2::ZERO)?;
        setup.pin(upper, lower, along)?;
        tips.push(lower);
    }
    let energy = measure::potential_energy(setup.world);
    let mass: f64 = measure::dynamic_bodies(setup.world).map(|id| f64::from(setup.world.body(id).mass())).sum();
    // Hanging down, the centres of the arms are half an arm and one and a half arms below the hook.
    let depth = energy + 10.0 * mass * f64::from(LENGTH);
    Ok(Box::new(DoublePendulum { tips, energy, depth }))
}

impl Script for DoublePendulum {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let energy = measure::kinetic_energy(world) + measure::potential_energy(world);
        near("the change of energy, in parts of all there is", (energy - self.energy) / self.depth, 0.0, 0.1)?;
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for &tip in &self.tips {
            let tip = find_body(world, tip)?.world_point(vec2(0.5 * LENGTH, 0.0));
            low = vec2(min(tip.x, low.x), min(tip.y, low.y));
            high = vec2(max(tip.x, high.x), max(tip.y, high.y));
        }
        let spread = (high - low).length();
        require(spread > 1.0, || format!("the tips are still within {spread} m of each other"))
    }
}
