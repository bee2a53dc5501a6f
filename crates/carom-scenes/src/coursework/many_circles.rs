//! As many discs as p2 can hold, drifting and colliding.

use super::crowd::{self, Limits};
use super::{CAMERA, DT};
use crate::scene::{Group, Scene};
use crate::script::Script;
use crate::setup::{FRICTIONLESS_ELASTIC, Setup, dynamic_at, weightless};
use carom_core::Rng;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "many_circles",
    summary: "256 elastic discs drift and collide without gaining energy",
    group: Group::Coursework,
    steps: 1000,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const RADIUS: f32 = 0.1;
/// Of elastic discs; the depth is a twentieth of a radius.
const LIMITS: Limits = Limits { gain: 1.0e-5, energy: 1.0 + 1.0e-4, depth: 0.05 * RADIUS as f64 };

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    crowd::build(setup, FRICTIONLESS_ELASTIC, LIMITS, Rng::new(9), |place, rng| {
        let position = place + vec2(rng.range(-0.25, 0.25), rng.range(-0.1, 0.1));
        let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        (BodyDef { velocity, ..dynamic_at(position) }, ShapeDef::circle(RADIUS))
    })
}
