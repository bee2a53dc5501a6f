//! Two circles and two rectangles meet, with and without loss.

use super::{CAMERA, DT, pixel};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, find_body, near};
use crate::setup::{Setup, dynamic_at, weightless};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "p2_bounces",
    summary: "two circles and two squares meet at 4 m/s, with restitution 1 and 0.8",
    group: Group::Quadtree,
    steps: 75,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const SPEED: f32 = 4.0;
/// Height on the screen in pixels, restitution, and whether circles or squares meet.
const ROWS: [(f32, f32, bool); 4] = [(90.0, 1.0, true), (270.0, 0.8, true), (450.0, 1.0, false), (630.0, 0.8, false)];

#[derive(Clone, Debug)]
struct Bounces {
    pairs: Vec<[BodyId; 2]>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let mut pairs = Vec::new();
    for (i, (y, restitution, round)) in ROWS.into_iter().enumerate() {
        let mut body = |x: f32, speed: f32| {
            let body = BodyDef { mass: Some(1.0), velocity: vec2(speed, 0.0), ..dynamic_at(pixel(x, y)) };
            let outline = if round { ShapeDef::circle(0.5) } else { ShapeDef::rectangle(1.0, 1.0) };
            setup.add_colored(body, ShapeDef { friction: 0.0, restitution, ..outline }, Color::nth(i))
        };
        pairs.push([body(320.0, SPEED)?, body(640.0, 0.0)?]);
    }
    Ok(Box::new(Bounces { pairs }))
}

impl Script for Bounces {
    /// Of equal masses the second one leaves with (1 + e) v / 2, the first one keeps (1 - e) v / 2.
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (&[first, second], (_, restitution, round)) in self.pairs.iter().zip(ROWS) {
            let (restitution, speed) = (f64::from(restitution), f64::from(SPEED));
            let after = [0.5 * (1.0 - restitution) * speed, 0.5 * (1.0 + restitution) * speed];
            for (id, expected) in [first, second].into_iter().zip(after) {
                let form = if round { "circles" } else { "squares" };
                let what = format!("the speed in m/s after the impact of {form} at restitution {restitution}");
                let body = find_body(world, id)?;
                near(&what, body.velocity().x, expected, 1.0e-4)?;
                near("the spin in rad/s of what met head-on", body.angular_velocity(), 0.0, 1.0e-4)?;
            }
        }
        Ok(())
    }
}
