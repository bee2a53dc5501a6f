//! Hostile snapshots: whole, with the right checksum, and not written by a world.

use super::KIND;
use crate::prelude::*;
use carom_core::{Rng, SnapshotError, SnapshotKind};

const DT: f64 = 1.0 / 60.0;

/// A little of everything, at rest and in motion.
fn world() -> World {
    let mut world = World::new(WorldDef { sleep_delay_s: 0.1, ..WorldDef::default() });
    let material = Material { friction: 0.4, restitution: 0.3, rolling_resistance: 0.01 };
    let floor = world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    let [a, b, c] = [dvec3(-4.0, 0.0, -4.0), dvec3(-2.0, 1.0, -4.0), dvec3(-3.0, 0.5, 4.0)];
    world.add_body(BodyDef { material, ..BodyDef::triangle(a, b, c) }).unwrap();
    let lift =
        BodyDef { kind: BodyKind::Kinematic, position: dvec3(2.0, 0.2, 0.0), ..BodyDef::cuboid(DVec3::splat(0.3)) };
    let lift = world.add_body(BodyDef { velocity: DVec3::Y * 0.2, ..lift }).unwrap();
    let mut last = floor;
    for i in 0..18_u32 {
        let position = dvec3(-3.0 + 0.45 * f64::from(i % 9), 0.3 + 0.5 * f64::from(i / 9), 0.1 * f64::from(i % 2));
        let shape = match i % 3 {
            0 => BodyDef::sphere(0.2),
            1 => BodyDef::cuboid(dvec3(0.2, 0.15, 0.1)),
            _ => BodyDef::capsule(0.1, 0.1),
        };
        let body = world.add_body(BodyDef { position, material, ..shape }).unwrap();
        if i % 6 == 5 {
            let spring = SpringDef { rest_length: 0.4, damping: 1.0, ..SpringDef::between(last, body) };
            world.add_spring(spring).unwrap();
        }
        last = body;
    }
    world.add_spring(SpringDef { rest_length: 0.5, ..SpringDef::between(lift, last) }).unwrap();
    (0..60).for_each(|_| world.step(DT));
    let gone: Vec<BodyId> = world.bodies().skip(7).take(2).collect();
    gone.into_iter().for_each(|body| world.remove_body(body).unwrap());
    world.body_mut(last).apply_force(DVec3::X).unwrap();
    world
}

/// Whatever the bytes say, nothing panics: neither reading them, nor the world that they describe if they are let through.
#[test]
fn hostile_snapshots_are_refused_or_harmless() {
    let original = world();
    let mut bytes = Vec::new();
    original.save(&mut bytes);
    let mut rng = Rng::new(8);
    let (mut accepted, mut refused) = (0, 0);
    let mut target = original.clone();
    let hash = target.state_hash();
    for _ in 0..8000 {
        let mut hostile = bytes.clone();
        for _ in 0..1 + rng.below(3) {
            let place = SnapshotKind::HEADER + rng.below((hostile.len() - SnapshotKind::HEADER) as u32) as usize;
            match rng.below(6) {
                0 => hostile[place] = rng.next_u32() as u8,
                1 => hostile[place] = [0, 1, 2, 0x7f, 0x80, 0xff][rng.below(6) as usize],
                2 => hostile[place] = hostile[place].wrapping_add(1),
                3 => drop(hostile.remove(place)),
                4 => hostile.insert(place, rng.next_u32() as u8),
                _ => hostile[place] ^= 1 << rng.below(8),
            }
        }
        KIND.seal(&mut hostile);
        match target.restore(&hostile) {
            Ok(()) => {
                accepted += 1;
                target.validate();
                (0..3).for_each(|_| target.step(DT));
                target.save(&mut hostile);
                let bodies: Vec<BodyId> = target.bodies().collect();
                if accepted % 16 == 0 {
                    bodies.into_iter().for_each(|body| target.remove_body(body).unwrap());
                }
                target.restore(&bytes).unwrap();
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, SnapshotError::Corrupt(_)), "{error}");
            }
        }
        assert_eq!(target.state_hash(), hash);
    }
    assert!(accepted > 500 && refused > 500, "{accepted} accepted, {refused} refused");
    let mut again = Vec::new();
    target.save(&mut again);
    assert_eq!(again, bytes);
}
