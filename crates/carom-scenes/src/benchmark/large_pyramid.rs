//! One pyramid of 5050 boxes.

use crate::scene::{Camera, Group, Scene};
use crate::script::Script;
use crate::setup::Setup;
use crate::stacks::pyramid::{Standing, pile};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "large_pyramid",
    summary: "a pyramid of 5050 boxes, a hundred at the base",
    group: Group::Benchmark,
    steps: 500,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 48.0), half_height: 54.0 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let boxes = pile(setup, 100)?;
    // It stands: no box leaves its place by half a box. It sways long before it comes to rest.
    Ok(Box::new(Standing { boxes, limit: Vec2::splat(0.5), speed: f64::INFINITY }))
}
