//! Pairs of bodies that meet head-on at 4 m/s, without friction.

use super::pixel;
use crate::color::Color;
use crate::script::{Script, Unmet, find_body, near};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

const SPEED: f32 = 4.0;
/// Heights of the rows on the screen, in pixels.
const HEIGHTS: [f32; 4] = [90.0, 270.0, 450.0, 630.0];

#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Disc,
    Square,
}

/// A body of 1 kg meets one of `mass` kg that is at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact {
    pub(super) form: Form,
    pub(super) mass: f32,
    pub(super) restitution: f32,
}

#[derive(Clone, Debug)]
struct HeadOn {
    impacts: Vec<(Impact, [BodyId; 2])>,
}

/// Sets up an impact in each row.
pub(super) fn build(setup: &mut Setup, impacts: [Impact; 4]) -> Result<Box<dyn Script>, DefError> {
    let mut pairs = Vec::new();
    for (i, (y, impact)) in HEIGHTS.into_iter().zip(impacts).enumerate() {
        let mut body = |x: f32, mass: f32, speed: f32| {
            let body = BodyDef { mass: Some(mass), velocity: vec2(speed, 0.0), ..dynamic_at(pixel(x, y)) };
            let outline = match impact.form {
                Form::Disc => ShapeDef::circle(0.5),
                Form::Square => ShapeDef::rectangle(1.0, 1.0),
            };
            let shape = ShapeDef { friction: 0.0, restitution: impact.restitution, ..outline };
            setup.add_colored(body, shape, Color::nth(i))
        };
        pairs.push((impact, [body(320.0, 1.0, SPEED)?, body(640.0, impact.mass, 0.0)?]));
    }
    Ok(Box::new(HeadOn { impacts: pairs }))
}

impl Script for HeadOn {
    /// Momentum is kept and the bodies part at e times the speed of approach v: masses 1 and m leave with
    /// v (1 - e m) / (1 + m) and v (1 + e) / (1 + m).
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for &(Impact { form, mass, restitution }, [first, second]) in &self.impacts {
            let (mass, restitution, speed) = (f64::from(mass), f64::from(restitution), f64::from(SPEED));
            let after_second = (1.0 + restitution) * speed / (1.0 + mass);
            let after_first = after_second - restitution * speed;
            for (name, id, expected) in [("first", first, after_first), ("second", second, after_second)] {
                let form = match form {
                    Form::Disc => "disc",
                    Form::Square => "square",
                };
                let what =
                    format!("the speed in m/s of the {name} {form} for masses 1 to {mass}, restitution {restitution}");
                let body = find_body(world, id)?;
                near(&what, body.velocity().x, expected, 1.0e-4)?;
                near("the spin in rad/s of what met head-on", body.angular_velocity(), 0.0, 1.0e-4)?;
            }
        }
        Ok(())
    }
}
