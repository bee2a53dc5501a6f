//! Two circles and two rectangles meet, with and without loss.

use super::head_on::{self, Form, Impact};
use super::{CAMERA, DT};
use crate::scene::{Group, Scene};
use crate::script::Script;
use crate::setup::{Setup, weightless};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "bounces",
    summary: "two circles and two squares meet at 4 m/s, with restitution 1 and 0.8",
    group: Group::Coursework,
    steps: 75,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let impact = |form, restitution| Impact { form, mass: 1.0, restitution };
    head_on::build(
        setup,
        [impact(Form::Disc, 1.0), impact(Form::Disc, 0.8), impact(Form::Square, 1.0), impact(Form::Square, 0.8)],
    )
}
