//! A bridge of planks, and a ball that rolls over it.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "bridge",
    summary: "thirty planks and their pins carry a ball of eleven times their weight across",
    group: Group::Joints,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, -0.8), half_height: 5.8 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const PLANKS: u8 = 30;
const LENGTH: f32 = 0.5;
/// Half the way across.
const HALF: f32 = 0.5 * LENGTH * PLANKS as f32;

#[derive(Clone, Debug)]
struct Bridge {
    ball: BodyId,
    /// Widest gap of a pin so far, in metres.
    gap: f32,
    /// How deep the ball pressed the bridge, in metres.
    sag: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let left = setup.block(vec2(-HALF - 3.0, -2.5), 6.0, 5.0)?;
    let right = setup.block(vec2(HALF + 3.0, -2.5), 6.0, 5.0)?;
    setup.block(vec2(HALF + 2.45, 0.75), 0.5, 1.5)?;

    let mut before = left;
    for i in 0..PLANKS {
        let x = -HALF + LENGTH * (f32::from(i) + 0.5);
        let plank = ShapeDef { density: 2.0, ..ShapeDef::rectangle(LENGTH, 0.16) };
        let color = if i % 2 == 0 { Color::ORANGE } else { Color::YELLOW };
        let body = BodyDef { linear_damping: 0.2, angular_damping: 0.2, ..dynamic_at(vec2(x, -0.08)) };
        let plank = setup.add_colored(body, plank, color)?;
        setup.pin(before, plank, vec2(x - 0.5 * LENGTH, -0.08))?;
        before = plank;
    }
    setup.pin(before, right, vec2(HALF, -0.08))?;

    let body = BodyDef { velocity: vec2(6.5, 0.0), angular_velocity: -13.0, ..dynamic_at(vec2(-HALF - 1.8, 0.5)) };
    let ball = ShapeDef { density: 2.3, rolling_resistance: 0.01, ..ShapeDef::circle(0.5) };
    let ball = setup.add_colored(body, ball, Color::RED)?;
    Ok(Box::new(Bridge { ball, gap: 0.0, sag: 0.0 }))
}

impl Script for Bridge {
    fn after_step(&mut self, world: &World) {
        self.gap = max(measure::widest_gap(world), self.gap);
        if let Some(ball) = world.get_body(self.ball) {
            self.sag = max(0.5 - ball.position().y, self.sag);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let ball = find_body(world, self.ball)?.position();
        require(ball.x > HALF && ball.y > 0.4, || format!("the ball did not get across: it is at {ball}"))?;
        require(self.sag > 0.3, || format!("the bridge sagged by {} m only", self.sag))?;
        at_most("the widest gap of a pin in m", self.gap, 0.05)
    }
}
