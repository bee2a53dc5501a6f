//! Four head-on impacts: equal and unequal masses, elastic or not.

use super::{CAMERA, DT, pixel};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, find_body, near};
use crate::setup::{Setup, dynamic_at, weightless};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "p2_restitution",
    summary: "four head-on impacts at 4 m/s: masses 1 to 1 and 1 to 0.5, restitution 1 and 0.33",
    group: Group::Quadtree,
    steps: 75,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const SPEED: f32 = 4.0;
/// Height on the screen in pixels, mass of the second disc in kg, restitution.
const ROWS: [(f32, f32, f32); 4] = [(90.0, 1.0, 1.0), (270.0, 1.0, 0.33), (450.0, 0.5, 1.0), (630.0, 0.5, 0.33)];

#[derive(Clone, Debug)]
struct Restitution {
    pairs: Vec<[BodyId; 2]>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let mut pairs = Vec::new();
    for (i, (y, mass, restitution)) in ROWS.into_iter().enumerate() {
        let mut disc = |x: f32, mass: f32, speed: f32| {
            let body = BodyDef { mass: Some(mass), velocity: vec2(speed, 0.0), ..dynamic_at(pixel(x, y)) };
            let shape = ShapeDef { friction: 0.0, restitution, ..ShapeDef::circle(0.5) };
            setup.add_colored(body, shape, Color::nth(i))
        };
        pairs.push([disc(320.0, 1.0, SPEED)?, disc(640.0, mass, 0.0)?]);
    }
    Ok(Box::new(Restitution { pairs }))
}

impl Script for Restitution {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (&[first, second], (_, mass, restitution)) in self.pairs.iter().zip(ROWS) {
            // Momentum is kept, and the speed of approach comes back times the restitution.
            let (mass, restitution, speed) = (f64::from(mass), f64::from(restitution), f64::from(SPEED));
            let after_second = (1.0 + restitution) * speed / (1.0 + mass);
            let after_first = after_second - restitution * speed;
            for (name, id, expected) in [("first", first, after_first), ("second", second, after_second)] {
                let what =
                    format!("the speed in m/s of the {name} disc for masses 1 to {mass}, restitution {restitution}");
                near(&what, find_body(world, id)?.velocity().x, expected, 1.0e-4)?;
            }
        }
        Ok(())
    }
}
