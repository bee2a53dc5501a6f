//! Thirty dominoes, and a ball that tips the first.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "dominoes",
    summary: "a ball tips the first of thirty dominoes, and all of them fall",
    group: Group::Stacks,
    steps: 480,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(8.6, 3.0), half_height: 6.2 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const SPACING: f32 = 0.6;
const WIDTH: f32 = 0.15;
const HEIGHT: f32 = 1.2;

#[derive(Clone, Debug)]
struct Dominoes {
    dominoes: Vec<BodyId>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 80.0, 1.0)?;
    let mut dominoes = Vec::new();
    for i in 0..30u8 {
        let position = vec2(SPACING * f32::from(i), 0.5 * HEIGHT);
        let shape = ShapeDef::rectangle(WIDTH, HEIGHT);
        dominoes.push(setup.add_colored(dynamic_at(position), shape, Color::nth(i.into()))?);
    }
    let ball = BodyDef { velocity: vec2(2.0, 0.0), ..dynamic_at(vec2(-0.8, 1.1)) };
    setup.add_colored(ball, ShapeDef { density: 2.0, ..ShapeDef::circle(0.2) }, Color::STONE)?;
    Ok(Box::new(Dominoes { dominoes }))
}

impl Script for Dominoes {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (i, &domino) in self.dominoes.iter().enumerate() {
            // Past 0.12 rad a domino cannot come back; where they end up leaning it is more than 0.5.
            let angle = find_body(world, domino)?.angle();
            require(angle < -0.5, || format!("domino {i} still stands at {angle} rad"))?;
        }
        Ok(())
    }
}
