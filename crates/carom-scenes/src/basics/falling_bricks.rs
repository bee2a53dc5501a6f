//! Six bricks in a box whose floor is wherever gravity points.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "falling_bricks",
    summary: "six bricks fall in a box and come to rest; turn gravity and they fall again",
    group: Group::Basics,
    steps: 300,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::ZERO, half_height: 5.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Inside of the box.
const ROOM: Aabb = Aabb { min: Vec2::splat(-5.0), max: Vec2::splat(5.0) };
const WALL_THICKNESS: f32 = 0.2;

/// Position, width, height and starting angle of the bricks.
const BRICKS: [(Vec2, f32, f32, f32); 6] = [
    (Vec2::new(-3.2, 3.4), 1.0, 1.0, 0.2),
    (Vec2::new(-1.0, 2.6), 2.0, 0.8, -0.35),
    (Vec2::new(1.6, 3.7), 1.2, 1.6, 0.5),
    (Vec2::new(3.4, 2.0), 0.8, 2.2, -0.1),
    (Vec2::new(-2.4, 0.2), 2.6, 0.6, 0.15),
    (Vec2::new(0.8, 0.4), 1.4, 1.1, -0.6),
];

#[derive(Clone, Debug)]
struct FallingBricks {
    bricks: Vec<BodyId>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(ROOM, WALL_THICKNESS, Material { friction: 0.5, ..Material::default() })?;
    let mut bricks = Vec::new();
    for (i, (position, width, height, angle)) in BRICKS.into_iter().enumerate() {
        let body = BodyDef { angle, ..dynamic_at(position) };
        let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(width, height) };
        bricks.push(setup.add_colored(body, shape, Color::nth(i))?);
    }
    Ok(Box::new(FallingBricks { bricks }))
}

impl Script for FallingBricks {
    /// At rest, inside, hardly overlapping: whatever the direction of gravity.
    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, ROOM)?;
        at_most("the deepest overlap", measure::deepest_penetration(world), 0.02)?;
        at_most("the speed of the fastest brick", measure::top_speed(world), 1.0e-3)?;
        for &brick in &self.bricks {
            require(find_body(world, brick)?.is_sleeping(), || format!("{brick:?} does not rest"))?;
        }
        Ok(())
    }
}
