//! Problems that other engines were measured by, with what was published about them.
//!
//! The lattice of 6 x 6 x 6 spheres and the floor of bouncing balls are from the benchmark of SimBenchmark (Leggedrobotics,
//! 2018); that a coarse step should agree with a fine one is from Erez, Tassa and Todorov, Simulation tools for model-based
//! robotics, 2015; bounces, angles of friction and overlaps are from Boeing and Bräunl, Evaluation of real-time physics
//! simulation systems, 2007.

#![allow(clippy::disallowed_methods, reason = "tests may use the platform's functions")]

use carom_core::Rng;
use carom3d::prelude::*;

const G: f64 = 9.81;

fn energy(world: &World) -> f64 {
    world.kinetic_energy() + world.potential_energy()
}

/// 216 spheres of 10 kg that fall on a plane from a lattice, a little out of line.
fn lattice(material: Material) -> (World, Vec<BodyId>) {
    let mut rng = Rng::new(666);
    let gravity = dvec3(0.0, -G, 0.0);
    let mut world = World::new(WorldDef { gravity, sleeping: false, ..WorldDef::default() });
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    let mut ids = Vec::new();
    for i in 0..216 {
        let cell = dvec3(f64::from(i % 6), f64::from(i / 36), f64::from(i / 6 % 6));
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 0.002;
        let position = cell * 0.21 + dvec3(0.0, 1.101, 0.0) + random();
        ids.push(world.add_body(BodyDef { position, mass: 10.0, material, ..BodyDef::sphere(0.1) }).unwrap());
    }
    (world, ids)
}

/// Over ten seconds and tens of thousands of impacts nothing is lost but what little a ball has that comes to rest on
/// another for a moment.
#[test]
fn an_elastic_lattice_keeps_its_energy() {
    let (mut world, _) = lattice(Material::default());
    let start = energy(&world);
    let (mut impacts, mut highest) = (0, start);
    for _ in 0..600 {
        world.step(1.0 / 60.0);
        impacts += world.events().impacts.len();
        highest = highest.max(energy(&world));
    }
    let (lost, gained) = (1.0 - energy(&world) / start, highest / start - 1.0);
    println!("{impacts} impacts; lost {lost:e}, gained at most {gained:e}");
    assert!(impacts > 5_000, "only {impacts} impacts");
    assert!(gained < 1.0e-9, "gained {gained:e}");
    assert!(lost < 1.0e-4, "lost {lost:e}");
}

/// The mean square of overlaps, as published for a step of 1e-4 s: ODE 1.5e-6, MuJoCo 1.1e-2. Here at 1/240 s.
#[test]
fn an_inelastic_lattice_comes_to_rest_without_overlaps() {
    let (mut world, ids) = lattice(Material { friction: 0.5, restitution: 0.0, rolling_resistance: 0.0 });
    let start = energy(&world);
    let (mut last, mut rise) = (start, 0.0_f64);
    let (mut sum, mut count) = (0.0, 0);
    for _ in 0..1200 {
        world.step(1.0 / 240.0);
        let now = energy(&world);
        rise = rise.max((now - last) / start);
        last = now;
        for (i, &a) in ids.iter().enumerate() {
            let p = world.body(a).position();
            let mut add = |overlap: f64| {
                if overlap > 0.0 {
                    sum += overlap * overlap;
                    count += 1;
                }
            };
            add(0.1 - p.y);
            ids[..i].iter().for_each(|&b| add(0.2 - (world.body(b).position() - p).length()));
        }
    }
    let mean_square = sum / f64::from(count.max(1));
    println!("mean squared overlap {mean_square:e} m^2 over {count}; energy rose by {rise:e} in a step at most");
    // Undoing an overlap lifts what lies above.
    assert!(rise < 3.0e-3, "{rise:e}");
    assert!(mean_square < 1.5e-6, "{mean_square:e}");
}

#[test]
fn bouncing_balls_keep_their_energy() {
    let mut world = World::new(WorldDef { gravity: dvec3(0.0, -G, 0.0), sleeping: false, ..WorldDef::default() });
    world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
    for i in 0..49 {
        let position = dvec3(f64::from(i % 7), 5.0, f64::from(i / 7));
        world.add_body(BodyDef { position, ..BodyDef::sphere(0.2) }).unwrap();
    }
    let start = energy(&world);
    for _ in 0..1200 {
        world.step(1.0 / 60.0);
        assert!((energy(&world) / start - 1.0).abs() < 1.0e-10, "{} of {start}", energy(&world));
    }
}

/// A thrown ball, box and capsule bounce along a floor: coarse steps end where fine ones do.
#[test]
fn coarse_steps_agree_with_fine_ones() {
    let material = Material { friction: 0.4, restitution: 0.7, rolling_resistance: 0.0 };
    let fly = |def: BodyDef, steps: u32| {
        let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
        world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
        let def = BodyDef {
            position: dvec3(0.0, 2.0, 0.0),
            velocity: dvec3(2.0, 0.0, 0.5),
            angular_velocity: dvec3(1.0, 2.0, 3.0),
            material,
            ..def
        };
        let id = world.add_body(def).unwrap();
        (0..steps).for_each(|_| world.step(1.0 / f64::from(steps)));
        world.body(id).position()
    };
    for (def, limit) in [
        (BodyDef::sphere(0.2), 1.0e-9),
        (BodyDef::cuboid(dvec3(0.2, 0.3, 0.1)), 1.0e-4),
        (BodyDef::capsule(0.3, 0.1), 1.0e-4),
    ] {
        let (coarse, fine) = (fly(def, 60), fly(def, 6000));
        let off = (coarse - fine).length();
        println!("{:?}: {off:e} m", def.shape);
        assert!(off < limit, "{:?}: {coarse} and {fine}", def.shape);
    }
}
