//! Snapshots: a world that is restored goes on to the last bit as the one that was saved, whatever is in it and wherever
//! it is restored; bytes that are no snapshot change nothing.

use carom_core::Rng;
use carom3d::prelude::*;
use carom3d::{Integrator, SnapshotError};

const DT: f64 = 1.0 / 60.0;

fn random_material(rng: &mut Rng) -> Material {
    Material { friction: rng.f64(), restitution: rng.f64(), rolling_resistance: 0.02 * rng.f64() }
}

/// Balls, boxes and capsules between planes and triangles, some on springs, some moved by hand.
fn random_world(seed: u64, threads: u32) -> World {
    let mut rng = Rng::new(seed);
    let integrator = [
        Integrator::RungeKutta4,
        Integrator::RungeKutta4,
        Integrator::VelocityVerlet,
        Integrator::SymplecticEuler,
        Integrator::ImplicitEuler,
    ][rng.below(5) as usize];
    let contact_modulus = if rng.below(4) == 0 { 6.6e9 } else { f64::INFINITY };
    let def = WorldDef { threads, integrator, contact_modulus, sleep_delay_s: 0.2, ..WorldDef::default() };
    let mut world = World::new(def);
    let mut floor = BodyDef::plane(DVec3::Y);
    floor.material = random_material(&mut rng);
    let mut last = world.add_body(floor).unwrap();
    for _ in 0..rng.below(6) {
        let mut corner = || dvec3(8.0 * rng.f64() - 4.0, 3.0 * rng.f64() - 0.5, 8.0 * rng.f64() - 4.0);
        let (a, b, c) = (corner(), corner(), corner());
        world.add_body(BodyDef::triangle(a, b, c)).ok();
    }
    // One world has enough for a crowd, and for threads.
    let count = if seed == 3 { 560 } else { [20, 60][rng.below(2) as usize] };
    let side = 2.0 + f64::from(count).sqrt() * 0.1;
    for i in 0..count {
        let position = dvec3(side * rng.f64(), 0.3 + 1.5 * side * rng.f64(), side * rng.f64());
        let shape = match rng.below(if count > 500 { 40 } else { 6 }) {
            0 => BodyDef::cuboid(dvec3(0.2, 0.3, 0.1)),
            1 => BodyDef::capsule(0.2, 0.1),
            2 => BodyDef { kind: BodyKind::Kinematic, ..BodyDef::sphere(0.3) },
            _ => BodyDef::sphere(0.1 + 0.1 * rng.f64()),
        };
        let velocity = dvec3(rng.f64() - 0.5, 0.0, rng.f64() - 0.5);
        let material = random_material(&mut rng);
        let body = world.add_body(BodyDef { position, velocity, material, ..shape }).unwrap();
        if i % 9 == 8 {
            let spring =
                SpringDef { rest_length: 0.5, stiffness: 40.0, damping: rng.f64(), ..SpringDef::between(last, body) };
            world.add_spring(spring).unwrap();
        }
        last = body;
    }
    world
}

/// Does something to a world that depends on the step and what is there alone.
fn act(world: &mut World, seed: u64, step: u32) {
    let mut rng = Rng::new(seed ^ u64::from(step) << 20);
    let bodies: Vec<BodyId> = world.bodies().collect();
    let body = bodies[rng.below(bodies.len() as u32) as usize];
    let somewhere = dvec3(rng.f64(), 1.0 + rng.f64(), rng.f64());
    match rng.below(12) {
        0 => drop(world.body_mut(body).apply_impulse(somewhere)),
        1 => drop(world.body_mut(body).apply_force_at(somewhere * 5.0, somewhere)),
        2 => drop(world.body_mut(body).set_position(somewhere * 2.0)),
        3 if bodies.len() > 10 => drop(world.remove_body(body)),
        4 => drop(world.add_body(BodyDef { position: somewhere * 2.0, ..BodyDef::sphere(0.2) })),
        5 => drop(world.add_spring(SpringDef::between(body, bodies[rng.below(bodies.len() as u32) as usize]))),
        6 => {
            let first = world.springs().next();
            first.into_iter().for_each(|spring| world.remove_spring(spring).unwrap());
        }
        7 => drop(world.body_mut(body).set_mass(0.5 + rng.f64())),
        8 => drop(world.body_mut(body).set_velocity(somewhere)),
        // One that leaves the range of numbers.
        9 if rng.below(10) == 0 => drop(world.body_mut(body).set_velocity(DVec3::X * 1.0e9)),
        _ => {}
    }
}

/// Steps on, and returns hash and events of every step.
fn course(world: &mut World, seed: u64, steps: std::ops::Range<u32>) -> Vec<(u64, String)> {
    steps
        .map(|step| {
            act(world, seed, step);
            if seed.is_multiple_of(3) {
                world.advance(0.7 * DT).unwrap();
            } else {
                world.step(DT);
            }
            (world.state_hash(), format!("{:?}", world.events()))
        })
        .collect()
}

#[test]
fn restored_worlds_go_on_to_the_last_bit() {
    for seed in 0..12 {
        let mut world = random_world(seed, 1);
        let start = Rng::new(seed).below(60);
        course(&mut world, seed, 0..start);
        // In the midst of things: what was done since the last step counts.
        act(&mut world, seed, 10_000);
        let mut bytes = Vec::new();
        world.save(&mut bytes);
        let end = start + 40;
        let expected = course(&mut world, seed, start..end);
        for round in 0..2 {
            world.restore(&bytes).unwrap();
            world.validate();
            let mut again = Vec::new();
            world.save(&mut again);
            assert!(again == bytes, "seed {seed}, round {round}: other bytes");
            let steps = course(&mut world, seed, start..end);
            for (step, (now, then)) in steps.iter().zip(&expected).enumerate() {
                assert_eq!(now, then, "seed {seed}, round {round}, {step} steps after {start}");
            }
        }
        // Another world, with other things in it, on more threads.
        let mut other = random_world(seed + 1000, 3);
        (0..20).for_each(|_| other.step(DT));
        other.restore(&bytes).unwrap();
        other.validate();
        assert_eq!(other.def().threads, 3);
        assert!(course(&mut other, seed, start..end) == expected, "seed {seed}: another course elsewhere");
        other.validate();
    }
}

/// Bytes that were damaged, cut off, added to, or foreign are refused with the reason, and change nothing.
#[test]
fn damage_is_refused() {
    let mut rng = Rng::new(77);
    let mut world = random_world(77, 1);
    course(&mut world, 77, 0..30);
    let (mut bytes, mut after) = (Vec::new(), Vec::new());
    world.save(&mut bytes);
    let refused = |world: &mut World, wrong: &[u8]| world.restore(wrong).expect_err("no snapshot");
    for round in 0..2000 {
        let mut wrong = bytes.clone();
        let place = rng.below(wrong.len() as u32) as usize;
        match round % 3 {
            0 => wrong[place] ^= 1 << rng.below(8),
            1 => wrong.truncate(place),
            _ => wrong.insert(place, 0),
        }
        refused(&mut world, &wrong);
    }
    let length = bytes.len() as u64;
    assert_eq!(refused(&mut world, b""), SnapshotError::Foreign);
    assert_eq!(refused(&mut world, b"carom2d\x1b and so on"), SnapshotError::Foreign);
    let short = SnapshotError::Length { found: length - 1, expected: length };
    assert_eq!(refused(&mut world, &bytes[..bytes.len() - 1]), short);
    let mut wrong = bytes.clone();
    wrong[8] += 1;
    assert!(matches!(refused(&mut world, &wrong), SnapshotError::Version { .. }));
    world.save(&mut after);
    assert!(after == bytes);
}

/// Handles of what was removed after the snapshot come back to life, and those of what came after it name nothing.
#[test]
fn handles_are_those_of_the_snapshot() {
    let mut world = random_world(4, 1);
    let before: Vec<BodyId> = world.bodies().collect();
    let mut bytes = Vec::new();
    world.save(&mut bytes);
    before.iter().take(9).for_each(|&body| world.remove_body(body).unwrap());
    let later = world.add_body(BodyDef::sphere(1.0)).unwrap();
    world.step(DT);
    world.restore(&bytes).unwrap();
    assert!(world.bodies().eq(before) && !world.contains_body(later) && world.events().is_empty());
}
