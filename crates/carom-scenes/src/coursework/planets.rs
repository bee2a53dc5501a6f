//! Planets around a sun: a = mu / r^2, and v = sqrt(mu / r) on a circle.
//!
//! The engine that p2 is part of has G = 1000, M = 1000 and lengths in pixels of 1 cm, so mu = G M = 10^6 px^3/s^2 = 1 m^3/s^2.

use super::{CAMERA, DT, MIDDLE};
use crate::color::Color;
use crate::companions::SceneField;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body};
use crate::setup::{Setup, dynamic_at, fixed_at, weightless};
use carom_core::math::max;
use carom2d::PointGravity;
use carom2d::math::{Rot, left_perp};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "planets",
    summary: "256 planets circle a sun; the innermost goes around ten times",
    group: Group::Coursework,
    // Ten times 2 pi s.
    steps: 3142,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world,
    build: |setup| build(setup, 256, 0.03),
};

pub(crate) const LARGE_SCENE: Scene = Scene {
    name: "ten_thousand_planets",
    summary: "10,000 planets circle a sun in a quadtree; the innermost goes around once",
    steps: 315,
    build: |setup| build(setup, 10_000, 0.006),
    ..SCENE
};

const MU: f32 = 1.0;
/// Radii of the innermost and the outermost circle, in metres.
const NEAR: f32 = 1.0;
const FAR: f32 = 3.4;
/// From one planet to the next, in radians: the golden angle, which fills a disc evenly.
const TURN: f32 = 2.399_963_2;

fn world() -> WorldDef {
    WorldDef { broad_phase: BroadPhaseKind::Quadtree(CAMERA.quadtree()), ..weightless() }
}

#[derive(Clone, Debug)]
struct Planets {
    /// Each planet and the radius of its circle.
    circles: Vec<(BodyId, f32)>,
    /// Largest distance from a circle so far, as a share of its radius.
    drift: f32,
}

fn build(setup: &mut Setup, count: u16, size: f32) -> Result<Box<dyn Script>, DefError> {
    // Planets pass through each other, as in p2.
    let alone = Filter { mask: 0, ..Filter::default() };
    setup.add_colored(fixed_at(MIDDLE), ShapeDef { filter: alone, ..ShapeDef::circle(0.4) }, Color::YELLOW)?;
    let mut circles = Vec::new();
    for i in 0..count {
        // Areas, not radii, are spread evenly.
        let share = f32::from(i) / f32::from(count - 1);
        let radius = (NEAR * NEAR + share * (FAR * FAR - NEAR * NEAR)).sqrt();
        let direction = Rot::from_angle(f32::from(i) * TURN).rotate(Vec2::X);
        let body = BodyDef {
            velocity: (MU / radius).sqrt() * left_perp(direction),
            mass: Some(1.0),
            ..dynamic_at(MIDDLE + radius * direction)
        };
        let shape = ShapeDef { filter: alone, ..ShapeDef::circle(size) };
        circles.push((setup.add_colored(body, shape, Color::nth(i.into()))?, radius));
    }
    let sun = PointGravity { center: MIDDLE, strength: MU, softening: 0.0 };
    setup.companions.fields.push(SceneField::PointGravity(sun));
    Ok(Box::new(Planets { circles, drift: 0.0 }))
}

impl Script for Planets {
    fn after_step(&mut self, world: &World) {
        for &(id, radius) in &self.circles {
            if let Some(body) = world.get_body(id) {
                let away = (body.position() - MIDDLE).length();
                self.drift = max((away / radius - 1.0).abs(), self.drift);
            }
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let sky = Aabb::new(MIDDLE - Vec2::splat(1.01 * FAR), MIDDLE + Vec2::splat(1.01 * FAR));
        for &(id, _) in &self.circles {
            let place = find_body(world, id)?.position();
            crate::script::require(sky.contains_point(place), || format!("{id:?} left its circle for {place}"))?;
        }
        at_most("the largest distance from a circle, as a share of its radius", self.drift, 0.01)
    }
}
