//! Twenty rays from a lamp, which a hand can drag.

use super::{CAMERA, DT, SCREEN, pixel};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{Ray, Script, Unmet, all_inside, at_most, find_body, require};
use crate::setup::{FRICTIONLESS_ELASTIC, Setup, dynamic_at, weightless, with_surface};
use carom2d::math::Rot;
use carom2d::prelude::*;
use std::f32::consts::TAU;

pub(crate) const SCENE: Scene = Scene {
    name: "rays",
    summary: "a lamp among drifting circles and squares casts twenty rays; drag it",
    group: Group::Coursework,
    steps: 600,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const RAYS: u8 = 20;
/// Longer than the screen's diagonal, in metres.
const LENGTH: f32 = 16.0;
/// The category of the lamp, which its own rays do not see.
const LAMP: u64 = 1 << 1;
/// Where the others start, in pixels, and the velocity of each in m/s.
const OTHERS: [(f32, f32, f32, f32); 8] = [
    (150.0, 150.0, 0.7, 0.3),
    (450.0, 120.0, -0.4, 0.6),
    (800.0, 160.0, 0.5, -0.5),
    (1120.0, 140.0, -0.6, -0.2),
    (180.0, 560.0, 0.3, 0.8),
    (480.0, 600.0, -0.8, 0.1),
    (820.0, 570.0, 0.2, 0.7),
    (1130.0, 590.0, -0.5, 0.4),
];

#[derive(Clone, Debug)]
struct Rays {
    lamp: BodyId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(SCREEN, 1.0, FRICTIONLESS_ELASTIC)?;
    for (i, (x, y, right, up)) in OTHERS.into_iter().enumerate() {
        let body = BodyDef { velocity: vec2(right, up), mass: Some(1.0), ..dynamic_at(pixel(x, y)) };
        let shape = if i % 2 == 0 { ShapeDef::circle(0.4) } else { ShapeDef::rectangle(0.7, 0.7) };
        setup.add_colored(body, with_surface(shape, FRICTIONLESS_ELASTIC), Color::nth(i))?;
    }
    let body = BodyDef { velocity: vec2(0.9, 0.4), mass: Some(1.0), ..dynamic_at(pixel(640.0, 360.0)) };
    let filter = Filter { category: LAMP, ..Filter::default() };
    let shape = ShapeDef { filter, ..with_surface(ShapeDef::circle(0.15), FRICTIONLESS_ELASTIC) };
    Ok(Box::new(Rays { lamp: setup.add_colored(body, shape, Color::YELLOW)? }))
}

fn cast(world: &World, from: Vec2, along: Vec2) -> Ray {
    let unlike_lamp =
        QueryFilter { filter: Filter { mask: !LAMP, ..QueryFilter::default().filter }, ..QueryFilter::default() };
    match world.ray_closest(from, along, unlike_lamp) {
        Ok(Some(hit)) => Ray { from, to: hit.point, hit: Some(hit.shape) },
        // A lamp that lost its numbers has no rays that could hit.
        Ok(None) | Err(_) => Ray { from, to: from + along, hit: None },
    }
}

impl Script for Rays {
    fn rays(&self, world: &World) -> Vec<Ray> {
        let Some(lamp) = world.get_body(self.lamp) else { return Vec::new() };
        let direction = |i: u8| Rot::from_angle(TAU * f32::from(i) / f32::from(RAYS)).rotate(vec2(LENGTH, 0.0));
        (0..RAYS).map(|i| cast(world, lamp.position(), direction(i))).collect()
    }

    /// The room is closed, so every ray ends on a shape, at most the screen's diagonal away.
    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, SCREEN)?;
        find_body(world, self.lamp)?;
        let rays = self.rays(world);
        require(rays.len() == usize::from(RAYS), || format!("there are {} rays", rays.len()))?;
        for Ray { from, to, hit } in rays {
            let shape = hit.and_then(|id| world.get_shape(id));
            let reached = shape.is_some_and(|shape| shape.aabb().grown(1.0e-3).contains_point(to));
            require(reached, || format!("the ray to {to} meets nothing there"))?;
            at_most("the length in m of a ray", (to - from).length(), 14.7)?;
        }
        Ok(())
    }
}
