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
/// The slope of a bridge at its ends, in radians. Pins do not give way, so what hangs does so because it is longer than the
/// way across: by a sixth of the square of this, 0.2 %, for a sag of a quarter of it times the length, 0.4 m.
const SLOPE: f32 = 0.11;

#[derive(Clone, Debug)]
struct Bridge {
    ball: BodyId,
    /// Half the way across, in metres.
    half: f32,
    /// Widest gap of a pin so far, in metres.
    gap: f32,
    /// How deep the ball pressed the bridge, in metres.
    sag: f32,
}

/// Places and angles of the planks as they hang, and half the way across.
fn planks() -> (Vec<(Vec2, f32)>, f32) {
    let mut end = Vec2::ZERO;
    let mut planks = Vec::new();
    for i in 0..PLANKS {
        let angle = SLOPE * ((2.0 * f32::from(i) + 1.0) / f32::from(PLANKS) - 1.0);
        let along = Rot::from_angle(angle).x_axis() * LENGTH;
        planks.push((end + along * 0.5, angle));
        end += along;
    }
    let half = 0.5 * end.x;
    (planks.into_iter().map(|(place, angle)| (place - vec2(half, 0.08), angle)).collect(), half)
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let (planks, half) = planks();
    let left = setup.block(vec2(-half - 3.0, -2.5), 6.0, 5.0)?;
    let right = setup.block(vec2(half + 3.0, -2.5), 6.0, 5.0)?;
    setup.block(vec2(half + 2.45, 0.75), 0.5, 1.5)?;

    let mut before = left;
    for (i, (place, angle)) in planks.into_iter().enumerate() {
        let plank = ShapeDef { density: 2.0, ..ShapeDef::rectangle(LENGTH, 0.16) };
        let color = if i % 2 == 0 { Color::ORANGE } else { Color::YELLOW };
        let body = BodyDef { angle, linear_damping: 0.2, angular_damping: 0.2, ..dynamic_at(place) };
        let plank = setup.add_colored(body, plank, color)?;
        setup.pin(before, plank, place - Rot::from_angle(angle).x_axis() * (0.5 * LENGTH))?;
        before = plank;
    }
    setup.pin(before, right, vec2(half, -0.08))?;

    let body = BodyDef { velocity: vec2(6.5, 0.0), angular_velocity: -13.0, ..dynamic_at(vec2(-half - 1.8, 0.5)) };
    let ball = ShapeDef { density: 2.3, rolling_resistance: 0.01, ..ShapeDef::circle(0.5) };
    let ball = setup.add_colored(body, ball, Color::RED)?;
    Ok(Box::new(Bridge { ball, half, gap: 0.0, sag: 0.0 }))
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
        require(ball.x > self.half && ball.y > 0.4, || format!("the ball did not get across: it is at {ball}"))?;
        require(self.sag > 0.3, || format!("the bridge sagged by {} m only", self.sag))?;
        at_most("the widest gap of a pin in m", self.gap, 0.05)
    }
}
