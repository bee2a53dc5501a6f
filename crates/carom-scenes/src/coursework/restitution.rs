//! Four head-on impacts: equal and unequal masses, elastic or not.

use super::head_on::{self, Form, Impact};
use super::{CAMERA, DT};
use crate::scene::{Group, Scene};
use crate::script::Script;
use crate::setup::{Setup, weightless};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "restitution",
    summary: "four head-on impacts at 4 m/s: masses 1 to 1 and 1 to 0.5, restitution 1 and 0.33",
    group: Group::Coursework,
    steps: 75,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let impact = |mass, restitution| Impact { form: Form::Disc, mass, restitution };
    head_on::build(setup, [impact(1.0, 1.0), impact(1.0, 0.33), impact(0.5, 1.0), impact(0.5, 0.33)])
}
