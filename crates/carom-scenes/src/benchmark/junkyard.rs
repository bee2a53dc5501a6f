//! A blade pushes debris to and fro.

use super::{attach_box, quiet, trough};
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, all_inside, at_most, drive_to};
use crate::setup::{Setup, dynamic_at};
use carom_core::math::{sin, sin_cos};
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "junkyard",
    summary: "a blade sweeps through 8000 pieces of debris",
    group: Group::Benchmark,
    steps: 800,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 25.0), half_height: 46.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const RADIUS: f32 = 0.25;

#[derive(Clone, Debug)]
struct Junkyard {
    pusher: BodyId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let yard = setup.world.add_body(BodyDef::fixed())?;
    trough(setup.world, yard, 80, 50)?;

    let mut points = [Vec2::ZERO; 5];
    for (k, point) in points.iter_mut().enumerate() {
        let (sine, cosine) = sin_cos(k as f32 * PI * (5.0_f32.sqrt() - 1.0));
        *point = RADIUS * vec2(cosine, sine);
    }
    let debris = quiet(ShapeDef::convex(&points));
    let mut side = -0.1;
    for column in 0..200u8 {
        for row in 0..40u8 {
            let position = vec2(0.75 * f32::from(column) - 75.0 + side, f32::from(row) + 15.0);
            setup.add(dynamic_at(position), debris.clone())?;
            side = -side;
        }
    }

    let pusher = setup.world.add_body(BodyDef::kinematic())?;
    attach_box(setup.world, pusher, vec2(0.0, 4.0), vec2(2.0, 4.0))?;
    Ok(Box::new(Junkyard { pusher }))
}

impl Script for Junkyard {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        let time = step as f32 / 60.0;
        drive_to(world, self.pusher, vec2(60.0 * sin(0.2 * time), 0.0), SCENE.dt);
    }

    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        all_inside(world, Aabb::new(vec2(-79.5, 0.5), vec2(79.5, 60.0)))
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        at_most("the deepest overlap in m", measure::deepest_penetration(world), 0.25)
    }
}
