//! Platforms that let pass what comes from below, and hold what comes from above.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, require};
use crate::setup::{Setup, dynamic_at, fixed_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "one_way_platforms",
    summary: "crates thrown from the floor pass through platforms from below and come to lie on them",
    group: Group::Basics,
    steps: 360,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 4.6), half_height: 5.4 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Heights of the platforms' upper sides, in metres.
const LEVELS: [f32; 3] = [2.4, 4.8, 7.2];
const WIDTHS: [f32; 3] = [17.0, 14.0, 11.0];
const THICKNESS: f32 = 0.25;
const CRATE: f32 = 0.8;
/// How far above its platform a crate gets, in metres.
const CLEARANCE: f32 = 1.3;

#[derive(Clone, Debug)]
struct OneWayPlatforms {
    /// Each with the level that it is thrown to.
    crates: Vec<(BodyId, usize)>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 40.0, 1.0)?;
    for (level, width) in LEVELS.into_iter().zip(WIDTHS) {
        let platform = ShapeDef { one_way: Some(vec2(0.0, 1.0)), ..ShapeDef::rectangle(width, THICKNESS) };
        setup.add_colored(fixed_at(vec2(0.0, level - 0.5 * THICKNESS)), platform, Color::BRASS)?;
    }
    let mut crates = Vec::new();
    let gravity = -setup.world.gravity().y;
    for i in 0..9u8 {
        // One for each level, three times, in an order that keeps neighbours apart on their way.
        let level = usize::from(i) % 3;
        let rise = LEVELS[level] + CLEARANCE;
        let position = vec2(1.2 * (f32::from(i) - 4.0), 0.5 * CRATE + 0.01);
        let body = BodyDef {
            velocity: vec2(0.0, (2.0 * gravity * rise).sqrt()),
            angular_velocity: 0.4 * (f32::from(i) - 4.0),
            ..dynamic_at(position)
        };
        let shape = ShapeDef::rectangle(CRATE, CRATE);
        crates.push((setup.add_colored(body, shape, Color::nth(level + 2))?, level));
    }
    // A ball that falls stays on the highest.
    let ball = ShapeDef { rolling_resistance: 0.02, ..ShapeDef::circle(0.4) };
    crates.push((setup.add_colored(dynamic_at(vec2(-4.8, 9.4)), ball, Color::RED)?, LEVELS.len() - 1));
    Ok(Box::new(OneWayPlatforms { crates }))
}

impl Script for OneWayPlatforms {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (i, &(id, level)) in self.crates.iter().enumerate() {
            let body = find_body(world, id)?;
            let height = body.position().y - LEVELS[level];
            // Flat, on its side or on another crate, but not through the platform and not below it.
            require((0.49 * CRATE..2.0 * CRATE).contains(&height), || {
                format!("body {i} is {height} m above its platform, at {}", body.position())
            })?;
            require(body.velocity().length() < 0.05, || format!("body {i} still moves"))?;
        }
        Ok(())
    }
}
