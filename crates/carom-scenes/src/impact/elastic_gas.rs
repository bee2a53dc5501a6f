//! A gas of discs that loses nothing in its collisions.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_inside, require};
use crate::setup::{FRICTIONLESS_ELASTIC, Setup, dynamic_at, weightless, with_surface};
use carom_core::Rng;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "elastic_gas",
    summary: "200 perfectly elastic discs fly about in a box and keep their energy",
    group: Group::Impact,
    steps: 1200,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::ZERO, half_height: 11.5 },
    known_gap: None,
    world: weightless,
    build,
};

const ROOM: Aabb = Aabb { min: Vec2::splat(-10.0), max: Vec2::splat(10.0) };
const RADIUS: f32 = 0.3;
const DISCS: u16 = 200;
/// No disc is faster than this at the start, in m/s.
const TOP_SPEED: f32 = 7.0;

#[derive(Clone, Debug)]
struct ElasticGas {
    energy: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(ROOM, 1.0, FRICTIONLESS_ELASTIC)?;
    let mut rng = Rng::new(18);
    for i in 0..DISCS {
        // Scattered about the places of a grid, near enough to them that none overlaps another.
        let place = vec2(1.3 * f32::from(i % 15) - 9.1, 1.3 * f32::from(i / 15) - 8.45);
        let position = place + vec2(rng.range(-0.3, 0.3), rng.range(-0.3, 0.3));
        let velocity = loop {
            let velocity = vec2(rng.range(-TOP_SPEED, TOP_SPEED), rng.range(-TOP_SPEED, TOP_SPEED));
            if velocity.length() <= TOP_SPEED {
                break velocity;
            }
        };
        let shape = with_surface(ShapeDef::circle(RADIUS), FRICTIONLESS_ELASTIC);
        setup.add_colored(BodyDef { velocity, ..dynamic_at(position) }, shape, Color::nth(i.into()))?;
    }
    Ok(Box::new(ElasticGas { energy: measure::kinetic_energy(setup.world) }))
}

impl Script for ElasticGas {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, ROOM)?;
        let kept = measure::kinetic_energy(world) / self.energy;
        require((0.95..=1.005).contains(&kept), || format!("{kept} of the energy is left, expected 0.95 to 1.005"))
    }
}
