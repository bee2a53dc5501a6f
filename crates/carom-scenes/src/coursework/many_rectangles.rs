//! As many rectangles as p2 can hold, drifting, turning and colliding.

use super::crowd::{self, Limits};
use super::{CAMERA, DT};
use crate::scene::{Group, Scene};
use crate::script::Script;
use crate::setup::{Setup, dynamic_at, weightless};
use carom_core::Rng;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "many_rectangles",
    summary: "256 rectangles drift, turn and collide with restitution 0.8",
    group: Group::Coursework,
    steps: 1000,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const SURFACE: Material = Material { friction: 0.2, restitution: 0.8, rolling_resistance: 0.0, surface_speed: 0.0 };
/// Half of the shortest side.
const LEAST_HALF: f64 = 0.05;
const LIMITS: Limits = Limits { gain: 1.0e-6, energy: 0.5, depth: 0.05 * LEAST_HALF };

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    crowd::build(setup, SURFACE, LIMITS, Rng::new(12), |place, rng| {
        let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        let body = BodyDef {
            velocity,
            angle: rng.range(-1.5, 1.5),
            angular_velocity: rng.range(-2.0, 2.0),
            ..dynamic_at(place + vec2(rng.range(-0.2, 0.2), 0.0))
        };
        (body, ShapeDef::rectangle(rng.range(0.1, 0.35), rng.range(0.1, 0.2)))
    })
}
