//! Snapshots: a world that is restored goes on to the last bit as the one that was saved, whatever is in it and wherever
//! it is restored; bytes that are no snapshot change nothing.

mod random;

use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::{ContactPointView, SnapshotError, SoftBodyDef};
use random::{DT, act, other_world, random_world};

/// All that a caller sees of a world.
fn sight(world: &World) -> impl PartialEq + std::fmt::Debug + use<> {
    let contacts: Vec<_> = world
        .contacts()
        .map(|contact| {
            let points: Vec<ContactPointView> = contact.points().collect();
            let seen = (contact.id(), contact.is_touching(), contact.color(), contact.normal());
            (seen, contact.material(), points)
        })
        .collect();
    let joints: Vec<_> = world.joints().map(|id| (*world.joint(id).def(), world.joint(id).force())).collect();
    let bodies: Vec<_> = world
        .bodies()
        .map(|id| {
            let body = world.body(id);
            let seen = (body.def(), body.is_awake(), body.is_frozen(), body.interpolated_pose(), body.force());
            let lists =
                (body.shapes().collect::<Vec<_>>(), body.contacts().map(|contact| contact.id()).collect::<Vec<_>>());
            (id, seen, lists, world.island_of(id))
        })
        .collect();
    let shapes: Vec<_> = world.shapes().map(|id| (id, world.shape(id).def(), world.fat_aabb(id))).collect();
    (contacts, joints, bodies, shapes, (world.step_count(), world.island_count(), world.sleeping_island_count()))
}

/// Steps on, and returns hash and events of every step.
fn course(world: &mut World, seed: u64, steps: std::ops::Range<u32>) -> Vec<(u64, String)> {
    steps
        .map(|step| {
            act(world, seed, step);
            world.step(DT);
            (world.state_hash(), format!("{:?}", world.events()))
        })
        .collect()
}

#[test]
fn restored_worlds_go_on_to_the_last_bit() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng);
        let start = rng.below(150);
        course(&mut world, seed, 0..start);
        // In the midst of things: what was done since the last step counts.
        act(&mut world, seed, 10_000);
        let mut bytes = Vec::new();
        world.save(&mut bytes);
        let seen = sight(&world);
        let end = start + 120;
        let expected = course(&mut world, seed, start..end);
        for round in 0..2 {
            world.restore(&bytes).unwrap();
            world.validate();
            assert!(sight(&world) == seen, "seed {seed}, round {round}: another world");
            let mut again = Vec::new();
            world.save(&mut again);
            assert!(again == bytes, "seed {seed}, round {round}: other bytes");
            let steps = course(&mut world, seed, start..end);
            for (step, (now, then)) in steps.iter().zip(&expected).enumerate() {
                assert_eq!(now, then, "seed {seed}, round {round}, {step} steps after {start}");
            }
        }
        let mut other = other_world(seed);
        other.restore(&bytes).unwrap();
        other.validate();
        assert!(sight(&other) == seen, "seed {seed}: another world elsewhere");
        assert!(course(&mut other, seed, start..end) == expected, "seed {seed}: another course elsewhere");
        other.validate();
    }
}

/// Bytes that were damaged, cut off, added to, or foreign are refused with the reason, and change nothing.
#[test]
fn damage_is_refused() {
    let mut rng = Rng::new(77);
    let mut world = random_world(&mut rng);
    course(&mut world, 77, 0..60);
    let (mut bytes, mut after) = (Vec::new(), Vec::new());
    world.save(&mut bytes);
    let refused = |world: &mut World, wrong: &[u8]| world.restore(wrong).expect_err("no snapshot");
    for round in 0..3000 {
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
    assert_eq!(refused(&mut world, b"PK\x03\x04 and so on, as other files begin"), SnapshotError::Foreign);
    let short = SnapshotError::Length { found: length - 1, expected: length };
    assert_eq!(refused(&mut world, &bytes[..bytes.len() - 1]), short);
    let mut wrong = bytes.clone();
    wrong[8] += 1;
    assert!(matches!(refused(&mut world, &wrong), SnapshotError::Version { found: 2, expected: 1 }));
    *wrong.last_mut().unwrap() ^= 1;
    wrong[8] -= 1;
    assert_eq!(refused(&mut world, &wrong), SnapshotError::Damaged);
    world.save(&mut after);
    assert!(after == bytes);
}

/// Handles of what was removed after the snapshot come back to life, those of what came after it do not name anything,
/// and what is asked of the world is answered as it was then.
#[test]
fn handles_queries_and_events_after_a_restore() {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    let floor = world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0)).unwrap();
    let boxes: Vec<BodyId> = (0..5)
        .map(|i| {
            let body = world.add_body(BodyDef { position: vec2(0.0, 1.0 + i as f32), ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
            body
        })
        .collect();
    (0..120).for_each(|_| world.step(DT));
    assert_eq!(world.awake_body_count(), 0);
    let mut bytes = Vec::new();
    world.save(&mut bytes);

    boxes[1..].iter().for_each(|&body| world.remove_body(body).unwrap());
    let later = world.add_body(BodyDef { position: vec2(5.0, 5.0), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(later, ShapeDef::circle(0.5)).unwrap();
    let last = world.add_body(BodyDef::dynamic()).unwrap();
    (0..30).for_each(|_| world.step(DT));
    world.restore(&bytes).unwrap();
    world.validate();
    assert!(boxes.iter().all(|&body| world.contains_body(body)));
    // The slot of one of the boxes was used again, at another generation.
    assert!(!world.contains_body(later) && !world.contains_body(last));
    assert!(world.events().is_empty() && world.sleeping_island_count() == 1);
    let ray = |world: &World, x: f32| {
        let hit = world.ray_closest(vec2(x, 20.0), vec2(0.0, -30.0), QueryFilter::default());
        hit.unwrap().expect("something below")
    };
    let down = ray(&world, 0.2);
    assert!((down.point.y - 5.5).abs() < 0.02, "{down:?}");
    let beside = ray(&world, 5.0);
    assert_eq!(beside.shape, floor);
    // The lowest box goes: all five wake, and the tower falls.
    world.remove_body(boxes[0]).unwrap();
    world.step(DT);
    assert_eq!((world.events().body_woke.len(), world.events().contact_end.len()), (5, 2));
    (0..120).for_each(|_| world.step(DT));
    world.validate();
    assert!((world.body(boxes[4]).position().y - 4.0).abs() < 0.02);
}

/// A soft body remembers beside the world what it carries: a clone of it belongs to the snapshot.
#[test]
fn soft_bodies_go_on_with_their_clones() {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0)).unwrap();
    let mut soft = world.add_soft_body(&SoftBodyDef::disc(vec2(0.0, 2.0), 1.0, 20)).unwrap();
    let weight = world.add_body(BodyDef { position: vec2(0.0, 4.0), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(weight, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    let go_on = |world: &mut World, soft: &mut carom2d::SoftBody| -> Vec<u64> {
        (0..100)
            .map(|_| {
                soft.hold(world, DT).unwrap();
                world.step(DT);
                world.state_hash()
            })
            .collect()
    };
    go_on(&mut world, &mut soft);
    let (mut bytes, kept) = (Vec::new(), soft.clone());
    world.save(&mut bytes);
    let expected = go_on(&mut world, &mut soft);
    world.restore(&bytes).unwrap();
    assert_eq!(go_on(&mut world, &mut kept.clone()), expected);
}

/// What overflows between two steps, and what is left of it after them, can be saved and restored as well.
#[test]
fn worlds_with_numbers_out_of_range_come_back() {
    let mut rng = Rng::new(5);
    let mut world = random_world(&mut rng);
    (0..30).for_each(|_| world.step(DT));
    for step in 0..40 {
        let bodies: Vec<BodyId> = world.bodies().collect();
        let mut body = world.body_mut(bodies[rng.below(bodies.len() as u32) as usize]);
        match step % 4 {
            0 => [3.0e38, 3.0e38, -3.0e38].into_iter().for_each(|x| body.apply_force(vec2(x, 0.0)).unwrap()),
            1 => {
                body.apply_impulse(vec2(1.0e36, -1.0e36)).ok();
            }
            2 => body.apply_torque(3.0e38).unwrap(),
            _ => body.set_gravity_scale(3.0e38).unwrap(),
        }
        let mut bytes = Vec::new();
        for _ in 0..2 {
            world.save(&mut bytes);
            let mut other = World::new(WorldDef::default());
            other.restore(&bytes).unwrap();
            other.step(DT);
            world.step(DT);
            assert_eq!(other.state_hash(), world.state_hash(), "step {step}");
            assert_eq!(other.events().body_frozen, world.events().body_frozen);
        }
    }
    assert!(world.bodies().any(|id| world.body(id).is_frozen()));
}

/// Found by fuzzing: a body of 1e12 kg whose shapes weigh 1e-38 had an infinite inertia, and its world's own snapshots were
/// refused.
#[test]
fn bodies_far_heavier_than_their_shapes_are_saved() {
    for density in [1.0e-38, 1.0e-30, 0.0, 1.0] {
        let mut world = World::new(WorldDef::default());
        let body = world.add_body(BodyDef { mass: Some(1.0e12), ..BodyDef::dynamic() }).unwrap();
        for shape in [ShapeDef::rectangle(1.0, 2.0), ShapeDef::circle(1.0e-4)] {
            if let Ok(shape) = world.add_shape(body, ShapeDef { density, ..shape }) {
                let mut bytes = Vec::new();
                world.save(&mut bytes);
                let mut copy = World::new(WorldDef::default());
                copy.restore(&bytes).unwrap();
                copy.step(1.0 / 60.0);
                assert!(copy.bodies().all(|id| copy.body(id).position().is_finite()), "{density}");
                world.remove_shape(shape).unwrap();
            }
        }
    }
}

/// Masses so small that their inverses leave the range of numbers were infinite inside, and the world's own snapshots were
/// refused. Densities, sizes and masses of the whole range, by the order of magnitude.
#[test]
fn bodies_of_any_mass_are_saved_and_stay_finite() {
    let mut rng = Rng::new(78);
    let magnitude = |rng: &mut Rng, low: f32, high: f32| -> f32 {
        let exponent = rng.range(low, high);
        format!("{}e{}", 1.0 + 9.0 * exponent.fract().abs(), exponent.floor()).parse().unwrap()
    };
    for round in 0..400 {
        let mut world = World::new(WorldDef::default());
        let ground = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0)).unwrap();
        for _ in 0..3 {
            let by_hand = |rng: &mut Rng| (rng.below(3) == 0).then(|| magnitude(rng, -11.9, 19.9));
            let position = vec2(rng.range(-3.0, 3.0), rng.range(0.5, 3.0));
            let (mass, inertia) = (by_hand(&mut rng), by_hand(&mut rng));
            let body = world.add_body(BodyDef { position, mass, inertia, ..BodyDef::dynamic() }).unwrap();
            for _ in 0..rng.below(3) {
                let density = if rng.below(6) == 0 { 0.0 } else { magnitude(&mut rng, -45.0, 8.9) };
                let (width, height) = (magnitude(&mut rng, -4.0, 1.0), magnitude(&mut rng, -4.0, 1.0));
                world.add_shape(body, ShapeDef { density, ..ShapeDef::rectangle(width, height) }).ok();
            }
        }
        for step in 0..20 {
            let mut bytes = Vec::new();
            world.save(&mut bytes);
            let mut copy = World::new(WorldDef::default());
            copy.restore(&bytes).unwrap_or_else(|error| panic!("round {round}, step {step}: {error}"));
            world.step(1.0 / 60.0);
            copy.step(1.0 / 60.0);
            assert_eq!(world.state_hash(), copy.state_hash(), "round {round}, step {step}");
            for id in world.bodies() {
                let body = world.body(id);
                let numbers =
                    [body.position().x, body.position().y, body.angle(), body.velocity().x, body.velocity().y];
                assert!(numbers.iter().all(|number| number.is_finite()), "round {round}, step {step}: {numbers:?}");
            }
        }
    }
}
