//! A pool of particles in which a light crate floats and a heavy one sinks.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom_core::Rng;
use carom_couple::{Coupled, Coupling};
use carom_particles::forces::{Drag, Penalty, UniformGravity};
use carom_particles::{CollisionHandling, ParticleDef, ParticleSystem};
use carom2d::prelude::*;
use glam::dvec2;

pub(crate) const SCENE: Scene = Scene {
    name: "particle_pool",
    summary: "a pool of 1100 particles sloshes to rest: light crates float on it and a heavy one sinks",
    group: Group::Fluids,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 1.7), half_height: 2.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Inside of the basin.
const BASIN: Aabb = Aabb { min: Vec2::new(-3.6, 0.0), max: Vec2::new(3.6, 8.0) };
const SPACING: f64 = 0.105;
const RADIUS: f64 = 0.05;
const COLUMNS: usize = 66;
/// How high the particles are stacked at the left wall and at the right one.
const LEFT_ROWS: usize = 25;
const RIGHT_ROWS: usize = 9;

#[derive(Clone, Debug)]
struct ParticlePool {
    light: Vec<BodyId>,
    heavy: BodyId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(BASIN, 1.0, Material { friction: 0.3, ..Material::default() })?;
    let mut falling = |x: f32, y: f32, density: f32, size: f32, color: Color| {
        let shape = ShapeDef { density, friction: 0.3, ..ShapeDef::rectangle(size, size) };
        setup.add_colored(dynamic_at(vec2(x, y)), shape, color)
    };
    let light = vec![falling(-0.2, 3.0, 0.2, 0.7, Color::ORANGE)?, falling(2.5, 3.4, 0.2, 0.9, Color::YELLOW)?];
    let heavy = falling(1.2, 3.0, 6.0, 0.6, Color::RED)?;

    let system = water().map_err(|error| DefError::Field {
        field: "ParticleSystem",
        value: error.to_string(),
        expected: "valid particles",
    })?;
    let coupling = Coupling { stiffness: STIFFNESS, damping: 0.3, ..Coupling::default() };
    setup.companions.particles = Coupled::new(system, coupling).ok().map(Box::new);
    Ok(Box::new(ParticlePool { light, heavy }))
}

const STIFFNESS: f64 = 900.0;

/// A slope of particles, high at the left wall. They differ in size, or they would set like a crystal.
fn water() -> Result<ParticleSystem, carom_particles::DefError> {
    let mut system = ParticleSystem::new();
    let mut rng = Rng::new(11);
    for column in 0..COLUMNS {
        for row in 0..LEFT_ROWS - (LEFT_ROWS - RIGHT_ROWS) * column / COLUMNS {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let x = f64::from(BASIN.min.x) + SPACING * (column as f64 + 0.55 + shift);
            let y = SPACING * (0.87 * row as f64 + 0.55);
            let radius = RADIUS * f64::from(rng.range(0.85, 1.15));
            // As dense as a disc of its size: the pool as a whole is less so, by the gaps.
            let mass = std::f64::consts::PI * radius * radius;
            system.add_particle(ParticleDef { mass, position: dvec2(x, y), radius, ..ParticleDef::default() })?;
        }
    }
    system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -10.0) })?;
    system.add_drag(Drag { coefficient: 0.006 })?;
    system.set_collisions(CollisionHandling::Penalty(Penalty { stiffness: STIFFNESS, thickness: 0.005 }));
    Ok(system)
}

impl Script for ParticlePool {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        // Eleven hundred discs of this size fill the basin to about 1.3 m.
        for &id in &self.light {
            let height = find_body(world, id)?.position().y;
            require(height > 1.0, || format!("a light crate is at {height} m, below the surface"))?;
        }
        let depth = find_body(world, self.heavy)?.position().y;
        require(depth < 0.6, || format!("the heavy crate is at {depth} m, and not on the ground"))
    }
}
