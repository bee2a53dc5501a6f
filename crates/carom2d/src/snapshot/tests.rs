//! Hostile snapshots: whole, with the right checksum, and not written by a world.

use super::{HEADER, SnapshotError};
use crate::prelude::*;
use carom_core::Rng;

const DT: f32 = 1.0 / 60.0;

/// A little of everything, at rest and in motion.
fn world() -> World {
    let mut world = World::new(WorldDef { sleep_delay_s: 0.1, ..WorldDef::default() });
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    let points = [vec2(6.0, 0.0), vec2(2.0, 0.1), vec2(-2.0, 0.0), vec2(-6.0, 0.2)];
    world.add_shape(ground, ShapeDef::chain(&points)).unwrap();
    let lift = world.add_body(BodyDef { position: vec2(4.0, 2.0), ..BodyDef::kinematic() }).unwrap();
    world.add_shape(lift, ShapeDef { sensor: true, ..ShapeDef::rectangle(2.0, 0.3) }).unwrap();
    let star = [vec2(0.4, 0.0), vec2(0.1, 0.1), vec2(0.0, 0.4), vec2(-0.2, -0.2)];
    let mut last = ground;
    for i in 0..16 {
        let position = vec2(-4.0 + 0.6 * (i % 8) as f32, 0.5 + 0.9 * (i / 8) as f32);
        let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
        let shape = match i % 4 {
            0 => ShapeDef::circle(0.25),
            1 => ShapeDef::concave(&star),
            2 => ShapeDef::capsule(vec2(-0.2, 0.0), vec2(0.2, 0.0), 0.1),
            _ => ShapeDef { aabb_events: true, ..ShapeDef::rectangle(0.5, 0.4) },
        };
        world.add_shape(body, shape).unwrap();
        if i % 5 == 4 {
            let joint = JointDef::revolute(last, body).at(&world, position).unwrap();
            world.add_joint(joint).unwrap();
        }
        last = body;
    }
    let pins: Vec<JointId> = world.joints().collect();
    let ends = [pins[0], pins[1]].map(|joint| world.joint(joint).body_b());
    let gear = JointKind::Gear(Gear { joint_a: pins[0], joint_b: pins[1], ratio: 2.0 });
    world.add_joint(JointDef::new(ends[0], ends[1], gear)).unwrap();
    world.add_fluid(FluidDef { region: FluidRegion::Below(0.3), ..FluidDef::default() }).unwrap();
    for step in 0..60 {
        world.body_mut(lift).set_velocity(vec2(-0.02 * step as f32, 0.0)).unwrap();
        world.step(DT);
    }
    let gone: Vec<BodyId> = world.bodies().skip(7).take(2).collect();
    gone.into_iter().for_each(|body| world.remove_body(body).unwrap());
    world
}

/// Puts the right length and checksum into the header.
fn seal(bytes: &mut [u8]) {
    let (head, body) = bytes.split_at_mut(HEADER);
    head[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
    head[20..28].copy_from_slice(&super::checksum(body).to_le_bytes());
}

/// Changes some bytes, cuts some out, or doubles some.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = |bytes: &[u8], rng: &mut Rng| HEADER + rng.below((bytes.len() - HEADER) as u32) as usize;
    for _ in 0..1 + rng.below(3) {
        let place = at(bytes, rng);
        match rng.below(6) {
            0 => bytes[place] = rng.next_u32() as u8,
            1 => bytes[place] = [0, 1, 2, 0x7f, 0x80, 0xff][rng.below(6) as usize],
            2 => bytes[place] = bytes[place].wrapping_add(1),
            3 => drop(bytes.remove(place)),
            4 => bytes.insert(place, rng.next_u32() as u8),
            _ => bytes[place] ^= 1 << rng.below(8),
        }
    }
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
    for _ in 0..40_000 {
        let mut hostile = bytes.clone();
        mutate(&mut hostile, &mut rng);
        seal(&mut hostile);
        match target.restore(&hostile) {
            Ok(()) => {
                accepted += 1;
                if accepted % 8 == 0 {
                    (0..3).for_each(|_| target.step(DT));
                    target.save(&mut hostile);
                }
                let bodies: Vec<BodyId> = target.bodies().collect();
                if accepted % 16 == 0 {
                    bodies.into_iter().for_each(|body| target.remove_body(body).unwrap());
                }
                target.restore(&bytes).unwrap();
                target.validate();
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, SnapshotError::Corrupt(_)), "{error}");
            }
        }
        assert_eq!(target.state_hash(), hash);
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} accepted, {refused} refused");
    let mut again = Vec::new();
    target.save(&mut again);
    assert_eq!(again, bytes);
}
