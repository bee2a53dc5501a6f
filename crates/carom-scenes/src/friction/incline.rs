//! Five boxes on a slope: friction decides which of them slide.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, near};
use crate::setup::Setup;
use carom2d::math::Rot;
use carom2d::prelude::*;
use std::f32::consts::FRAC_PI_6;

pub(crate) const SCENE: Scene = Scene {
    name: "incline",
    summary: "five boxes on a slope of 30 degrees: those with friction above 0.577 stay",
    group: Group::Friction,
    steps: 180,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(-6.0, -3.0), half_height: 12.0 },
    known_gap: None,
    // The slope has friction 1, so each box brings the friction of its own contact.
    world: || WorldDef { friction_mix: Mix::Product, sleeping: false, ..WorldDef::default() },
    build,
};

/// Friction of the boxes, from the lowest on the slope to the highest, so that none slides into
/// another.
const FRICTION: [f32; 5] = [0.1, 0.3, 0.5, 0.65, 0.9];
const GRAVITY: f64 = 10.0;

#[derive(Clone, Debug)]
struct Incline {
    boxes: Vec<(BodyId, f32, Vec2)>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let slope = Rot::from_angle(FRAC_PI_6);
    let body = BodyDef { angle: FRAC_PI_6, ..BodyDef::fixed() };
    setup.add(body, ShapeDef { friction: 1.0, position: vec2(0.0, -0.5), ..ShapeDef::rectangle(60.0, 1.0) })?;
    let mut boxes = Vec::new();
    for (i, friction) in FRICTION.into_iter().enumerate() {
        let position = slope.rotate(vec2(2.5 * i as f32, 0.5));
        let body = BodyDef { position, angle: FRAC_PI_6, ..BodyDef::dynamic() };
        let shape = ShapeDef { friction, ..ShapeDef::rectangle(1.0, 1.0) };
        boxes.push((setup.add_colored(body, shape, Color::nth(i))?, friction, position));
    }
    Ok(Box::new(Incline { boxes }))
}

impl Script for Incline {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let (sine, cosine) = (0.5, 0.75_f64.sqrt());
        let time = SCENE.seconds(SCENE.steps);
        for &(id, friction, start) in &self.boxes {
            let body = find_body(world, id)?;
            // Where the pull beats friction the box speeds up by the difference; else it must not creep.
            let acceleration = GRAVITY * (sine - f64::from(friction) * cosine);
            if acceleration > 0.0 {
                let what = format!("the speed in m/s of the box with friction {friction}");
                near(&what, body.velocity().length(), acceleration * time, 0.01 * acceleration * time)?;
            } else {
                let what = format!("the creep in m of the box with friction {friction}");
                at_most(&what, (body.position() - start).length(), 0.01)?;
            }
        }
        Ok(())
    }
}
