//! Jellies that fall, jostle each other and a stone, and are squeezed by a press.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, drive_to, find_body, near, require};
use crate::setup::{Setup, dynamic_at, kinematic_at};
use carom2d::math::max;
use carom2d::prelude::*;
use carom2d::{SoftBody, SoftBodyDef};

pub(crate) const SCENE: Scene = Scene {
    name: "jelly_bodies",
    summary: "jellies fall, jostle and are squeezed by a press: each keeps its area and finds its form again",
    group: Group::Soft,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 2.9), half_height: 4.1 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Lower side of the press when it is open and when it is closed, and when it does so, in seconds.
const OPEN: f32 = 4.6;
const CLOSED: f32 = 1.15;
const CLOSING: f32 = 3.0;
const OPENING: f32 = 6.0;
const STROKE: f32 = 2.0;
const PRESS_X: f32 = 4.0;
const PRESS_HEIGHT: f32 = 0.6;

#[derive(Clone, Debug)]
struct JellyBodies {
    jellies: Vec<SoftBody>,
    press: BodyId,
    stone: BodyId,
    /// Largest part of an area that was missing or too much after any step.
    worst: f32,
    /// How flat the jelly under the press has been: its least height, in metres.
    flattest: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 24.0, 1.0)?;
    setup.block(vec2(-7.4, 2.0), 0.4, 4.0)?;
    setup.block(vec2(1.6, 0.5), 0.4, 1.0)?;
    setup.block(vec2(6.4, 0.5), 0.4, 1.0)?;

    let jellies = vec![
        setup.soft_body(&SoftBodyDef::disc(vec2(PRESS_X, 2.2), 1.1, 28), Color::GREEN)?,
        setup.soft_body(&SoftBodyDef::block(vec2(-5.6, 1.6), 2.2, 2.2, 0.25), Color::VIOLET)?,
        setup.soft_body(&SoftBodyDef::disc(vec2(-2.2, 2.0), 1.2, 28), Color::RED)?,
        setup.soft_body(
            &SoftBodyDef { velocity: vec2(1.0, 0.0), ..SoftBodyDef::disc(vec2(-4.2, 4.6), 0.8, 22) },
            Color::YELLOW,
        )?,
    ];

    let stone = ShapeDef { density: 2.0, rolling_resistance: 0.02, ..ShapeDef::rectangle(0.9, 0.7) };
    let stone = setup.add_colored(dynamic_at(vec2(-2.0, 6.0)), stone, Color::STONE)?;
    let plate = ShapeDef::rectangle(3.6, PRESS_HEIGHT);
    let press = setup.add(kinematic_at(vec2(PRESS_X, OPEN + 0.5 * PRESS_HEIGHT)), plate)?;
    Ok(Box::new(JellyBodies { jellies, press, stone, worst: 0.0, flattest: f32::INFINITY }))
}

/// Where the lower side of the press is at a time in seconds: smoothly down, and up again.
fn press_height(time: f32) -> f32 {
    let way = |start: f32| {
        let share = ((time - start) / STROKE).clamp(0.0, 1.0);
        share * share * (3.0 - 2.0 * share)
    };
    OPEN + (CLOSED - OPEN) * (way(CLOSING) - way(OPENING))
}

impl Script for JellyBodies {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        let height = press_height((step + 1) as f32 * SCENE.dt);
        drive_to(world, self.press, vec2(PRESS_X, height + 0.5 * PRESS_HEIGHT), SCENE.dt);
    }

    fn after_step(&mut self, world: &World) {
        for jelly in &self.jellies {
            if let Ok(area) = jelly.area(world) {
                self.worst = max((area / jelly.rest_area() - 1.0).abs(), self.worst);
            }
        }
        if let Some(Ok(rim)) = self.jellies.first().map(|jelly| jelly.rim(world)) {
            let size = 2.0 * Aabb::around(&rim).half_extents();
            self.flattest = carom2d::math::min(size.y, self.flattest);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        at_most("the largest part of an area that was lost or gained", self.worst, 0.05)?;
        require(self.flattest < 0.6 * 2.2, || format!("the press left the jelly {} m high", self.flattest))?;
        let stone = find_body(world, self.stone)?.position();
        require(stone.y > 0.0, || format!("the stone is at {stone}"))?;
        let Some(Ok(rim)) = self.jellies.first().map(|jelly| jelly.rim(world)) else {
            return Err(Unmet { reason: "the jelly under the press is gone".to_owned() });
        };
        // Its own weight leaves it a little wider than high.
        let size = 2.0 * Aabb::around(&rim).half_extents();
        near("how high the jelly is for its width after the press", size.y / size.x, 0.9, 0.1)
    }
}
