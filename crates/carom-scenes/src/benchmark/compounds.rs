//! Bodies of two triangles each, poured into a trough.

use super::{quiet, trough};
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, all_inside, at_most};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "compounds",
    summary: "3000 bodies of two triangles each fall into a trough",
    group: Group::Benchmark,
    steps: 500,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 60.0), half_height: 70.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

#[derive(Clone, Debug)]
struct Compounds;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let ground = setup.world.add_body(BodyDef::fixed())?;
    trough(setup.world, ground, 40, 100)?;
    setup.world.add_shape(ground, quiet(ShapeDef::segment(vec2(-800.0, -80.0), vec2(800.0, -80.0))))?;

    let triangle = |points: [Vec2; 3]| ShapeDef { friction: 0.5, ..quiet(ShapeDef::convex(&points)) };
    let left = triangle([vec2(-1.0, 0.0), vec2(0.5, 1.0), vec2(0.0, 2.0)]);
    let right = triangle([vec2(1.0, 0.0), vec2(-0.5, 1.0), vec2(0.0, 2.0)]);
    let mut side = 0.25;
    for column in 0..20u8 {
        for row in 0..150u8 {
            let position = vec2(2.0 * f32::from(column) - 19.0 + side, 2.25 * f32::from(row) + 0.575 + 5.0);
            let body = setup.add(dynamic_at(position), left.clone())?;
            setup.world.add_shape(body, right.clone())?;
            side = -side;
        }
    }
    Ok(Box::new(Compounds))
}

impl Script for Compounds {
    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        all_inside(world, Aabb::new(vec2(-39.5, 0.5), vec2(39.5, 400.0)))
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        // The last ones are still arriving, at 80 m/s and so more than a metre per step. What lies in
        // the trough hardly overlaps.
        let deep =
            world.contacts().flat_map(|contact| contact.points()).filter(|point| point.separation < -0.1).count();
        let share = deep as f64 / measure::touching_contacts(world) as f64;
        at_most("the share of contacts that overlap by more than 0.1 m", share, 0.02)
    }
}
