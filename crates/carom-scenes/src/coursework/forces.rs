//! Three bodies under the same forces: dynamic, kinematic, fixed.

use super::{CAMERA, DT, SCREEN, heavy, pixel};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, all_inside, find_body, require, steer};
use crate::setup::{Setup, dynamic_at, fixed_at, kinematic_at};
use carom2d::math::{max, min};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "forces",
    summary: "a dynamic disc falls and is kicked up, a kinematic one commutes, a fixed one stays",
    group: Group::Coursework,
    steps: 500,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: heavy,
    build,
};

const RADIUS: f32 = 0.5;
/// Below this height the dynamic disc is kicked, and the kinematic one turns.
const LOW: f32 = 7.2 - 4.8;
/// Above this height the kinematic disc turns.
const HIGH: f32 = 7.2 - 2.4;
/// Upward, in N s, on 1 kg.
const KICK: Vec2 = Vec2::new(0.0, 3.0);
const FIXED_PLACE: Vec2 = pixel(960.0, 360.0);

#[derive(Clone, Debug)]
struct Forces {
    falling: BodyId,
    commuting: BodyId,
    fixed: BodyId,
    kicks: u32,
    /// Lowest and highest place of the kinematic disc.
    low: f32,
    high: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let disc = || ShapeDef::circle(RADIUS);
    let body = BodyDef { mass: Some(1.0), ..dynamic_at(pixel(320.0, 240.0)) };
    let falling = setup.add_colored(body, disc(), Color::RED)?;
    let body = BodyDef { velocity: vec2(0.0, 1.0), ..kinematic_at(pixel(640.0, 360.0)) };
    let commuting = setup.add(body, disc())?;
    let fixed = setup.add(fixed_at(FIXED_PLACE), disc())?;
    Ok(Box::new(Forces { falling, commuting, fixed, kicks: 0, low: f32::INFINITY, high: f32::NEG_INFINITY }))
}

/// Kicks whatever body it is; only a dynamic one moves.
fn kick(world: &mut World, id: BodyId) {
    if let Some(mut body) = world.get_body_mut(id) {
        body.apply_impulse(KICK).ok();
    }
}

impl Script for Forces {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, _: u32) {
        // One kick does not stop a fast fall; it is kicked until it rises.
        if world.get_body(self.falling).is_some_and(|b| b.position().y <= LOW && b.velocity().y < 0.0) {
            for id in [self.falling, self.commuting, self.fixed] {
                kick(world, id);
            }
            self.kicks += 1;
        }
        if let Some(height) = world.get_body(self.commuting).map(|body| body.position().y) {
            self.low = min(height, self.low);
            self.high = max(height, self.high);
            if height >= HIGH {
                steer(world, self.commuting, vec2(0.0, -1.0));
            } else if height <= LOW {
                steer(world, self.commuting, vec2(0.0, 1.0));
            }
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        require(self.kicks > 0, || "the falling disc was never kicked".to_owned())?;
        let body = find_body(world, self.commuting)?;
        let reach = 1.01 * DT;
        require(self.low >= LOW - reach && self.high <= HIGH + reach, || {
            format!("the kinematic disc went from {} to {} m", self.low, self.high)
        })?;
        require(self.low <= LOW && self.high >= HIGH, || "the kinematic disc did not turn at both ends".to_owned())?;
        require(body.velocity().abs() == vec2(0.0, 1.0), || "gravity or kicks moved the kinematic disc".to_owned())?;
        let place = find_body(world, self.fixed)?.position();
        require(place == FIXED_PLACE, || format!("the fixed disc moved to {place}"))
    }
}
