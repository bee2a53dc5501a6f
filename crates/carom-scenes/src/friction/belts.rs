//! Belts that carry boxes along, up a slope and into a bin.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, require};
use crate::setup::{Setup, dynamic_at, fixed_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "belts",
    summary: "belts pull boxes out of a chute one by one, carry them up a slope and drop them into a bin",
    group: Group::Friction,
    steps: 1200,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 2.4), half_height: 5.4 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const BELT_SPEED: f32 = 1.5;
const BOX: f32 = 0.6;
const BOXES: u8 = 10;
/// Where the slope begins and ends.
const FOOT: Vec2 = Vec2::new(-2.5, 0.0);
const TOP: Vec2 = Vec2::new(3.0, 2.6);
/// Where the bin is: its inner walls and its floor.
const BIN: Aabb = Aabb { min: Vec2::new(5.2, 0.0), max: Vec2::new(8.6, 2.4) };

#[derive(Clone, Debug)]
struct Belts {
    boxes: Vec<BodyId>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // A belt is a capsule: rounded at its ends, as over rollers.
    let mut belt = |from: Vec2, to: Vec2, speed: f32| {
        let radius = 0.25;
        let below = radius * carom2d::math::right_perp((to - from).normalize());
        let shape =
            ShapeDef { surface_speed: speed, friction: 1.0, ..ShapeDef::capsule(from + below, to + below, radius) };
        setup.add_colored(fixed_at(Vec2::ZERO), shape, Color::BRASS)
    };
    belt(vec2(-9.3, 0.0), FOOT, BELT_SPEED)?;
    belt(FOOT, TOP, BELT_SPEED)?;
    belt(TOP, vec2(4.8, TOP.y), BELT_SPEED)?;
    setup.block(vec2(0.0, -0.9), 40.0, 0.4)?;

    // The chute leaves room for one box above the belt, and not for two.
    let slippery = |shape: ShapeDef| ShapeDef { friction: 0.1, ..shape };
    setup.add(fixed_at(vec2(-9.2, 3.6)), slippery(ShapeDef::rectangle(0.2, 7.2)))?;
    setup.add(fixed_at(vec2(-8.3, 4.05)), slippery(ShapeDef::rectangle(0.2, 6.3)))?;
    setup.block(vec2(BIN.min.x - 0.1, 0.7), 0.2, 2.8)?;
    setup.block(vec2(BIN.max.x + 0.1, 1.2), 0.2, 3.8)?;
    setup.block(vec2(BIN.center().x, -0.35), BIN.max.x - BIN.min.x + 0.4, 0.7)?;

    let mut boxes = Vec::new();
    for i in 0..BOXES {
        let position = vec2(-8.75, 0.5 * BOX + 0.01 + (BOX + 0.01) * f32::from(i));
        let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(BOX, BOX) };
        boxes.push(setup.add_colored(dynamic_at(position), shape, Color::nth(i.into()))?);
    }
    Ok(Box::new(Belts { boxes }))
}

impl Script for Belts {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (i, &id) in self.boxes.iter().enumerate() {
            let position = find_body(world, id)?.position();
            let inside = position.x > BIN.min.x && position.x < BIN.max.x && position.y > BIN.min.y;
            require(inside, || format!("box {i} is not in the bin: it is at {position}"))?;
        }
        Ok(())
    }
}
