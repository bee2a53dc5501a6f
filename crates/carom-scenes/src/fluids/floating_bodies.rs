//! Bodies of many densities fall into a pool of water.

use super::water::{pour, surface_at};
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, near, require};
use crate::setup::{Setup, dynamic_at};
use carom_particles::fluid::Fluid;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "floating_bodies",
    summary: "cork, wood, ice and a ball float in water of particles as deep as Archimedes says; stone sinks",
    group: Group::Fluids,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 1.6), half_height: 2.2 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const BASIN: Aabb = Aabb { min: Vec2::new(-3.2, 0.0), max: Vec2::new(3.2, 7.0) };
const SPACING: f64 = 0.07;
/// Wide and flat, so that they float upright: width, height, density over that of water.
const RAFTS: [(f32, f32, f32, Color); 3] =
    [(0.9, 0.5, 0.25, Color::YELLOW), (1.1, 0.6, 0.5, Color::ORANGE), (1.0, 0.6, 0.9, Color::BLUE)];

#[derive(Clone, Debug)]
struct FloatingBodies {
    /// Each with its height and density.
    rafts: Vec<(BodyId, f32, f32)>,
    ball: BodyId,
    stone: BodyId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(BASIN, 1.0, Material::default())?;
    let mut rafts = Vec::new();
    for (i, (width, height, density, color)) in RAFTS.into_iter().enumerate() {
        let shape = ShapeDef { density, ..ShapeDef::rectangle(width, height) };
        let at = vec2(-2.4 + 1.4 * i as f32, 2.1 + 0.3 * i as f32);
        rafts.push((setup.add_colored(dynamic_at(at), shape, color)?, height, density));
    }
    let ball = ShapeDef { density: 0.6, ..ShapeDef::circle(0.3) };
    let ball = setup.add_colored(dynamic_at(vec2(1.5, 2.6)), ball, Color::RED)?;
    let stone = ShapeDef { density: 2.5, ..ShapeDef::convex(&STONE) };
    let stone = setup.add(dynamic_at(vec2(2.5, 2.8)), stone)?;
    let water = Aabb { min: BASIN.min, max: vec2(BASIN.max.x, 1.61) };
    setup.companions.fluid = Some(pour(SPACING, 0.02, water)?);
    Ok(Box::new(FloatingBodies { rafts, ball, stone }))
}

const STONE: [Vec2; 6] = [
    Vec2::new(-0.3, -0.25),
    Vec2::new(0.28, -0.25),
    Vec2::new(0.36, 0.0),
    Vec2::new(0.18, 0.24),
    Vec2::new(-0.2, 0.26),
    Vec2::new(-0.36, 0.02),
];

impl Script for FloatingBodies {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let depth = find_body(world, self.stone)?.position().y;
        require(depth < 0.5, || format!("the stone is at {depth} m, and not on the ground"))
    }

    fn check_fluid(&self, world: &World, fluid: &Fluid) -> Result<(), Unmet> {
        for &(id, height, density) in &self.rafts {
            let raft = find_body(world, id)?;
            let level = surface_beside(world, fluid, raft.position());
            let submerged = (level - f64::from(raft.position().y)) / f64::from(height) + 0.5;
            // A tenth, and half a particle: the uppermost layer of water is pressed together, so that its surface lies
            // that much below where its mass would have it.
            let tolerance = 0.1 * f64::from(density) + 0.5 * SPACING / f64::from(height);
            near("the submerged part of a raft", submerged, density.into(), tolerance)?;
        }
        let ball = find_body(world, self.ball)?.position().y;
        require(ball > 1.4, || format!("the ball is at {ball} m, below the surface"))
    }
}

/// The mean height of the surface at places that are free: where a body floats there is no water to be seen.
fn surface_beside(world: &World, fluid: &Fluid, at: Vec2) -> f64 {
    let free = |x: &f32| {
        let column = Aabb { min: vec2(x - 0.1, at.y - 1.0), max: vec2(x + 0.1, at.y + 2.0) };
        world.shapes().all(|id| !world.shape(id).aabb().overlaps(&column))
    };
    let places = (0..60).map(|k| -3.0 + 0.1 * k as f32).filter(free);
    let (sum, count) = places.fold((0.0, 0), |(sum, n), x| (sum + surface_at(fluid, x.into()), n + 1));
    sum / f64::from(count)
}
