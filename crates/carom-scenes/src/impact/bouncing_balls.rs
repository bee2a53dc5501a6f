//! Balls of different bounce, dropped from the same height.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, near};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "bouncing_balls",
    summary: "six balls fall 5 m and rebound to the square of their restitution",
    group: Group::Impact,
    steps: 180,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 3.0), half_height: 4.0 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

const RADIUS: f32 = 0.4;
const DROP: f32 = 5.0;
const RESTITUTION: [f32; 6] = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];

/// A ball and what it did so far.
#[derive(Clone, Debug)]
struct Ball {
    body: BodyId,
    restitution: f32,
    /// Has it moved up, and then down again?
    rose: bool,
    fell_again: bool,
    /// Height of the first rebound.
    apex: f32,
}

#[derive(Clone, Debug)]
struct BouncingBalls {
    balls: Vec<Ball>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 20.0, 1.0)?;
    let mut balls = Vec::new();
    for (i, restitution) in RESTITUTION.into_iter().enumerate() {
        let position = vec2(1.5 * i as f32 - 3.75, RADIUS + DROP);
        let shape = ShapeDef { restitution, ..ShapeDef::circle(RADIUS) };
        let body = setup.add_colored(dynamic_at(position), shape, Color::nth(i))?;
        balls.push(Ball { body, restitution, rose: false, fell_again: false, apex: 0.0 });
    }
    Ok(Box::new(BouncingBalls { balls }))
}

impl Script for BouncingBalls {
    fn after_step(&mut self, world: &World) {
        for ball in &mut self.balls {
            let Some(body) = world.get_body(ball.body) else { continue };
            let (height, speed) = (body.position().y - RADIUS, body.velocity().y);
            ball.rose |= speed > 0.0;
            ball.fell_again |= ball.rose && speed < 0.0;
            if ball.rose && !ball.fell_again {
                ball.apex = max(height, ball.apex);
            }
        }
    }

    fn check(&self, _: &World) -> Result<(), Unmet> {
        for ball in &self.balls {
            let what = format!("the first rebound, as a part of the drop, of restitution {}", ball.restitution);
            near(&what, ball.apex / DROP, f64::from(ball.restitution * ball.restitution), 0.01)?;
        }
        Ok(())
    }
}
