//! Balls that fall through air until it holds them.

use crate::color::Color;
use crate::companions::SceneField;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, near};
use crate::setup::{Setup, dynamic_at};
use carom2d::Wind;
use carom2d::prelude::*;
use std::f64::consts::{LN_2, PI};

pub(crate) const SCENE: Scene = Scene {
    name: "terminal_speed",
    summary: "three balls of different weight fall through air, each as fast as its weight can push the air aside",
    group: Group::Fluids,
    steps: 300,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 11.6), half_height: 12.8 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const AIR: Wind = Wind { velocity: Vec2::ZERO, density: 1.0, drag: 1.1 };
const RADIUS: f32 = 0.8;
/// Densities of the balls in kg/m².
const DENSITIES: [f32; 3] = [0.05, 0.2, 0.8];
const START: f32 = 22.6;

#[derive(Clone, Debug)]
struct TerminalSpeed {
    balls: Vec<BodyId>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 60.0, 1.0)?;
    setup.companions.fields.push(SceneField::Wind(AIR));
    let mut balls = Vec::new();
    for (i, density) in DENSITIES.into_iter().enumerate() {
        let shape = ShapeDef { density, ..ShapeDef::circle(RADIUS) };
        balls.push(setup.add_colored(dynamic_at(vec2(5.0 * (i as f32 - 1.0), START)), shape, Color::nth(i))?);
    }
    Ok(Box::new(TerminalSpeed { balls }))
}

impl Script for TerminalSpeed {
    /// Weight and drag are equal at v: m g = rho / 2 c w v². On the way there, a fall from rest takes it down by
    /// v²/g ln cosh(g t / v), which soon is v t - v²/g ln 2.
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let (g, radius) = (f64::from(world.gravity().length()), f64::from(RADIUS));
        let time = f64::from(SCENE.steps) * f64::from(SCENE.dt);
        for (&id, density) in self.balls.iter().zip(DENSITIES) {
            let ball = find_body(world, id)?;
            let weight = f64::from(density) * PI * radius * radius * g;
            let speed = (weight / (0.5 * f64::from(AIR.density * AIR.drag) * 2.0 * radius)).sqrt();
            near(&format!("the speed at a density of {density} in m/s"), -ball.velocity().y, speed, 1.0e-3 * speed)?;
            let fallen = speed * time - speed * speed / g * LN_2;
            near("the way down in m", START - ball.position().y, fallen, 0.01 * fallen)?;
        }
        Ok(())
    }
}
