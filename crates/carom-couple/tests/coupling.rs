//! Particles and rigid bodies push each other: momentum, floating and sinking, and the same bits again.

use carom_core::Rng;
use carom_couple::{Coupled, Coupling};
use carom_particles::forces::{Drag, Penalty, UniformGravity};
use carom_particles::{CollisionHandling, ParticleDef, ParticleSystem};
use carom2d::prelude::*;
use glam::{DVec2, dvec2};

const DT: f32 = 1.0 / 60.0;

/// Linear momentum along x and y, and angular momentum about the origin, of all that moves.
fn momentum(world: &World, system: &ParticleSystem) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut add = |mass: f64, at: DVec2, velocity: DVec2| {
        sum[0] += mass * velocity.x;
        sum[1] += mass * velocity.y;
        sum[2] += mass * at.perp_dot(velocity);
    };
    for (i, &mass) in system.masses().iter().enumerate() {
        add(mass, system.positions()[i], system.velocities()[i]);
    }
    let mut spin = 0.0;
    for id in world.bodies() {
        let body = world.body(id);
        if body.kind() == BodyKind::Dynamic {
            add(body.mass().into(), body.center().as_dvec2(), body.velocity().as_dvec2());
            spin += f64::from(body.inertia()) * f64::from(body.angular_velocity());
        }
    }
    sum[2] += spin;
    sum
}

#[test]
fn momentum_is_conserved() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() });
    let mut rng = Rng::new(7);
    let shapes = [
        ShapeDef::rectangle(1.2, 0.8),
        ShapeDef::circle(0.5),
        ShapeDef::capsule(vec2(-0.5, 0.0), vec2(0.5, 0.0), 0.25),
        ShapeDef::concave(&[vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(1.0, 1.0), vec2(0.7, 0.3), vec2(0.0, 0.3)]),
        ShapeDef::ellipse(0.7, 0.4),
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let body = BodyDef {
            position: vec2(2.5 * i as f32 - 5.0, 0.3 * i as f32),
            angular_velocity: 1.0 - 0.5 * i as f32,
            velocity: vec2(0.5 - 0.2 * i as f32, 0.1),
            ..BodyDef::dynamic()
        };
        let body = world.add_body(body).unwrap();
        // They pass each other: what counts is what particles do.
        world.add_shape(body, ShapeDef { filter: Filter { group: -1, ..Filter::ALL }, ..shape }).unwrap();
    }
    let mut system = ParticleSystem::new();
    for _ in 0..300 {
        let def = ParticleDef {
            mass: 0.02,
            position: dvec2(rng.range(-7.0, 7.0).into(), rng.range(-3.0, 4.0).into()),
            velocity: dvec2(rng.range(-3.0, 3.0).into(), rng.range(-3.0, 3.0).into()),
            radius: 0.06,
            ..ParticleDef::default()
        };
        system.add_particle(def).unwrap();
    }
    let mut coupled = Coupled::new(system, Coupling { stiffness: 500.0, damping: 0.2, ..Coupling::default() }).unwrap();
    let before = momentum(&world, &coupled.system);
    let speeds: Vec<Vec2> = world.bodies().map(|id| world.body(id).velocity()).collect();
    for _ in 0..120 {
        coupled.step(&mut world, DT);
        world.step(DT);
    }
    let after = momentum(&world, &coupled.system);
    let moved =
        world.bodies().zip(&speeds).filter(|(id, v)| (world.body(*id).velocity() - **v).length() > 0.05).count();
    assert_eq!(moved, 5, "every body was pushed");
    // Bodies are kept in single precision: 120 steps of five bodies, each rounded to 1e-7 of about 1 N s; the angular
    // momentum has arms of up to 10 m, and positions that are rounded, too.
    println!("{before:?} {after:?}");
    for (i, tolerance) in [(0, 2.0e-5), (1, 2.0e-5), (2, 2.0e-4)] {
        assert!((after[i] - before[i]).abs() < tolerance, "{i}: {} became {}", before[i], after[i]);
    }
}

/// A basin 4 m wide, half full of particles, and where their surface is.
fn pool(count: usize) -> (World, Coupled) {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef::fixed()).unwrap();
    for (x, y, width, height) in [(0.0, -0.5, 6.0, 1.0), (-2.5, 2.0, 1.0, 6.0), (2.5, 2.0, 1.0, 6.0)] {
        world.add_shape(wall, ShapeDef { position: vec2(x, y), ..ShapeDef::rectangle(width, height) }).unwrap();
    }
    let mut system = ParticleSystem::new();
    let mut rng = Rng::new(3);
    const SPACING: f64 = 0.11;
    let columns = (3.9 / SPACING) as usize;
    for i in 0..count {
        let (column, row) = (i % columns, i / columns);
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 * SPACING };
        let position = dvec2(-1.92 + SPACING * column as f64 + shift, 0.06 + 0.9 * SPACING * row as f64);
        // Different sizes, or they would set like a crystal.
        let radius = 0.05 * f64::from(rng.range(0.85, 1.15));
        let mass = radius * radius * std::f64::consts::PI;
        system.add_particle(ParticleDef { mass, position, radius, ..ParticleDef::default() }).unwrap();
    }
    system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -10.0) }).unwrap();
    system.add_drag(Drag { coefficient: 0.01 }).unwrap();
    system.set_collisions(CollisionHandling::Penalty(Penalty { stiffness: 600.0, thickness: 0.005 }));
    let coupling = Coupling { stiffness: 600.0, damping: 0.3, ..Coupling::default() };
    (world, Coupled::new(system, coupling).unwrap())
}

/// The height below which nine of ten particles lie.
fn surface(coupled: &Coupled) -> f64 {
    let mut heights: Vec<f64> = coupled.system.positions().iter().map(|p| p.y).collect();
    heights.sort_by(f64::total_cmp);
    heights[heights.len() * 9 / 10]
}

fn add_box(world: &mut World, x: f32, y: f32, density: f32) -> BodyId {
    let body = world.add_body(BodyDef { position: vec2(x, y), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(body, ShapeDef { density, ..ShapeDef::rectangle(0.7, 0.7) }).unwrap();
    body
}

#[test]
fn light_boxes_float_and_heavy_ones_sink() {
    let (mut world, mut coupled) = pool(600);
    let light = add_box(&mut world, -0.9, 2.6, 0.25);
    let heavy = add_box(&mut world, 0.9, 2.6, 6.0);
    for _ in 0..600 {
        coupled.step(&mut world, DT);
        world.step(DT);
    }
    world.validate();
    let surface = surface(&coupled);
    let inside = |p: &&DVec2| p.x.abs() < 2.0 && p.y > -0.05;
    assert_eq!(coupled.system.positions().iter().filter(inside).count(), 600, "none left the basin");
    let (light, heavy) = (world.body(light), world.body(heavy));
    // It may float on edge.
    let bottom = world.shape(light.shapes().next().unwrap()).aabb().min.y;
    println!("surface {surface}, light at {}, heavy at {}", light.position(), heavy.position());
    assert!(f64::from(light.position().y) > surface - 0.1, "the light box floats: {} at {surface}", light.position());
    assert!(f64::from(bottom) < surface, "it dips in: {bottom}");
    assert!(heavy.position().y < 0.6, "the heavy box lies on the ground: {}", heavy.position());
    assert!(light.velocity().length() < 0.1 && heavy.velocity().length() < 0.1);
}

#[test]
fn the_same_again() {
    let run = || {
        let (mut world, mut coupled) = pool(200);
        add_box(&mut world, 0.2, 2.0, 1.0);
        let mut copy = None;
        for step in 0..60 {
            if step == 30 {
                copy = Some((world.clone(), coupled.clone()));
            }
            coupled.step(&mut world, DT);
            world.step(DT);
        }
        let (mut other_world, mut other) = copy.unwrap();
        for _ in 30..60 {
            other.step(&mut other_world, DT);
            other_world.step(DT);
        }
        let hashes = |world: &World, coupled: &Coupled| (world.state_hash(), coupled.system.state_hash());
        assert_eq!(hashes(&world, &coupled), hashes(&other_world, &other), "a clone goes on like the original");
        hashes(&world, &coupled)
    };
    assert_eq!(run(), run());
}

#[test]
fn bad_numbers_are_refused_and_nothing_panics() {
    let with = |stiffness, damping, substeps| Coupling { stiffness, damping, substeps, ..Coupling::default() };
    for (coupling, field) in [
        (with(0.0, 1.0, 1), "stiffness"),
        (with(f64::NAN, 1.0, 1), "stiffness"),
        (with(1.0, -1.0, 1), "damping"),
        (with(1.0, f64::INFINITY, 1), "damping"),
        (with(1.0, 1.0, 0), "substeps"),
        (with(1.0, 1.0, 1001), "substeps"),
    ] {
        let error = Coupled::new(ParticleSystem::new(), coupling).unwrap_err();
        assert!(error.to_string().contains(field), "{error}");
    }
    // Particles that are nowhere, everywhere, without size or mass, on top of each other and inside a body.
    let mut world = World::new(WorldDef::default());
    let body = add_box(&mut world, 0.0, 0.0, 1.0);
    let mut system = ParticleSystem::new();
    for (x, mass, radius) in
        [(0.0, 1.0, 0.1), (0.0, 1.0, 0.1), (1.0e300, 1.0, 1.0), (0.1, 0.0, 0.1), (0.2, -1.0, 0.1), (0.0, 1.0, -1.0)]
    {
        system.add_particle(ParticleDef { mass, position: dvec2(x, 0.0), radius, ..ParticleDef::default() }).unwrap();
    }
    let mut coupled = Coupled::new(system, Coupling::default()).unwrap();
    let mut positions = coupled.system.positions().to_vec();
    positions[1] = DVec2::NAN;
    let velocities = coupled.system.velocities().to_vec();
    coupled.system.set_state(&positions, &velocities);
    for dt in [DT, f32::NAN, -1.0, 0.0, f32::INFINITY, DT] {
        coupled.step(&mut world, dt);
        world.step(dt);
    }
    world.validate();
    assert!(world.body(body).position().is_finite());
    // No particles: nothing to do.
    let mut none = Coupled::new(ParticleSystem::new(), Coupling::default()).unwrap();
    none.step(&mut world, DT);
}

#[test]
fn sensors_filters_and_disabled_bodies_are_passed() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let shape = ShapeDef::rectangle(1.0, 1.0);
    let others = Filter { category: 2, ..Filter::ALL };
    for (x, shape, enabled) in [
        (0.0, ShapeDef { sensor: true, ..shape.clone() }, true),
        (3.0, ShapeDef { filter: others, ..shape.clone() }, true),
        (6.0, shape, false),
    ] {
        let body = world.add_body(BodyDef { position: vec2(x, 0.0), enabled, ..BodyDef::fixed() }).unwrap();
        world.add_shape(body, shape).unwrap();
    }
    let mut system = ParticleSystem::new();
    for x in [0.0, 3.0, 6.0] {
        let def = ParticleDef { position: dvec2(x, 2.0), velocity: dvec2(0.0, -4.0), ..ParticleDef::default() };
        system.add_particle(def).unwrap();
    }
    let filter = Filter { mask: 1, ..Filter::ALL };
    let mut coupled = Coupled::new(system, Coupling { filter, ..Coupling::default() }).unwrap();
    for _ in 0..60 {
        coupled.step(&mut world, DT);
        world.step(DT);
    }
    for velocity in coupled.system.velocities() {
        assert_eq!(*velocity, dvec2(0.0, -4.0));
    }
}
