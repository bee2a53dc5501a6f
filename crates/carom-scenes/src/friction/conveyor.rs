//! A belt that carries boxes, and boxes that need time to keep up with it.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, near};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "conveyor",
    summary: "boxes dropped on a belt slip until they move at its 2 m/s; later they queue at its end",
    group: Group::Friction,
    steps: 240,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 2.0), half_height: 6.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const BELT_SPEED: f32 = 2.0;

#[derive(Clone, Debug)]
struct Conveyor {
    boxes: Vec<BodyId>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let belt = ShapeDef { surface_speed: BELT_SPEED, ..ShapeDef::rectangle(40.0, 1.0) };
    setup.add_colored(BodyDef { position: vec2(0.0, -0.5), ..BodyDef::fixed() }, belt, Color::BRASS)?;
    // Who watches for longer should not look at an empty belt.
    setup.block(vec2(10.0, 0.6), 0.5, 1.2)?;
    let mut boxes = Vec::new();
    for i in 0..5u8 {
        let position = vec2(-8.0 + 2.0 * f32::from(i), 0.6 + 0.3 * f32::from(i));
        // The smoother a box, the longer it slips.
        let shape = ShapeDef { friction: 0.1 + 0.2 * f32::from(i), ..ShapeDef::rectangle(0.8, 0.8) };
        boxes.push(setup.add_colored(dynamic_at(position), shape, Color::nth(i.into()))?);
    }
    Ok(Box::new(Conveyor { boxes }))
}

impl Script for Conveyor {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (i, &id) in self.boxes.iter().enumerate() {
            near(&format!("the speed in m/s of box {i}"), find_body(world, id)?.velocity().x, BELT_SPEED.into(), 0.01)?;
        }
        Ok(())
    }
}
