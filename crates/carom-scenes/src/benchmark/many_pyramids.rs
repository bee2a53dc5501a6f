//! Four hundred small pyramids on twenty floors.

use super::quiet;
use crate::scene::{Camera, Group, Scene};
use crate::script::Script;
use crate::setup::{Places, Setup, dynamic_at};
use crate::stacks::pyramid::Standing;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "many_pyramids",
    summary: "400 pyramids of 55 boxes on twenty floors",
    group: Group::Benchmark,
    steps: 200,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 110.0), half_height: 115.0 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

const FLOORS: u8 = 20;
const COLUMNS: u8 = 20;
const BASE: u8 = 10;
const SPACING: f32 = 11.0;
const HALF_WIDTH: f32 = 110.0;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let ground = setup.world.add_body(BodyDef::fixed())?;
    for floor in 0..FLOORS {
        let y = SPACING * f32::from(floor);
        setup.world.add_shape(ground, quiet(ShapeDef::segment(vec2(-HALF_WIDTH, y), vec2(HALF_WIDTH, y))))?;
    }
    let mut boxes = Places::default();
    for floor in 0..FLOORS {
        for column in 0..COLUMNS {
            let center = SPACING * f32::from(column) - HALF_WIDTH + 1.0;
            for i in 0..BASE {
                for j in i..BASE {
                    let x = 0.5 * f32::from(i + 1) + f32::from(j - i) + center - 0.5;
                    let position = vec2(x, f32::from(i) + 0.5 + SPACING * f32::from(floor));
                    let id = setup.add(dynamic_at(position), quiet(ShapeDef::rectangle(1.0, 1.0)))?;
                    boxes.remember(id, position);
                }
            }
        }
    }
    Ok(Box::new(Standing { boxes, limit: Vec2::splat(0.02), speed: 0.01 }))
}
