//! Bouncy bricks come to rest, too, also when they lie on each other.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "rubber_stack",
    summary: "rubber bricks bounce on a plank and on each other, and come to rest",
    group: Group::Stacks,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 2.0), half_height: 4.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Position, width and height.
const BRICKS: [(Vec2, f32, f32); 4] = [
    (Vec2::new(0.0, 0.3), 2.6, 0.6),
    (Vec2::new(-0.75, 1.12), 1.0, 1.0),
    (Vec2::new(0.79, 1.02), 2.0, 0.8),
    (Vec2::new(0.2, 3.0), 0.5, 0.5),
];

#[derive(Clone, Debug)]
struct RubberStack;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 20.0, 1.0)?;
    for (i, (position, width, height)) in BRICKS.into_iter().enumerate() {
        let shape = ShapeDef { restitution: 0.5, ..ShapeDef::rectangle(width, height) };
        setup.add_colored(dynamic_at(position), shape, Color::nth(i))?;
    }
    Ok(Box::new(RubberStack))
}

impl Script for RubberStack {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        require(world.awake_body_count() == 0, || format!("{} bricks do not rest", world.awake_body_count()))
    }
}
