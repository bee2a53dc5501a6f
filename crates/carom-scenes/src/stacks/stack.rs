//! Ten boxes on top of each other.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, require};
use crate::setup::{Places, Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "stack",
    summary: "a tower of ten boxes stands still and falls asleep",
    group: Group::Stacks,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 5.0), half_height: 6.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

#[derive(Clone, Debug)]
struct Stack {
    boxes: Places,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 40.0, 1.0)?;
    let mut boxes = Places::default();
    for i in 0..10u8 {
        let position = vec2(0.0, 0.5 + f32::from(i));
        let id = setup.add_colored(dynamic_at(position), ShapeDef::rectangle(1.0, 1.0), Color::nth(i.into()))?;
        boxes.remember(id, position);
    }
    Ok(Box::new(Stack { boxes }))
}

impl Script for Stack {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let shift = self.boxes.largest_shift(world);
        at_most("the sideways drift in m", shift.x, 0.02)?;
        at_most("the sink of the tower in m", shift.y, 0.035)?;
        require(world.awake_body_count() == 0, || "the tower does not sleep".to_owned())
    }
}
