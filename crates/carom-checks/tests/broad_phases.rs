//! Broad phases: the world's pairs are exactly those whose fat boxes overlap and which may meet, step
//! after step, while shapes come, go, move and change.

use carom_checks::validation::DT;
use carom_core::Rng;
use carom2d::prelude::*;
use std::collections::BTreeSet;

type Pairs = BTreeSet<(ShapeId, ShapeId)>;

/// All pairs that should have a contact, by trying each against each.
fn brute_force(world: &World) -> Pairs {
    let shapes: Vec<(ShapeId, Aabb)> = world.shapes().filter_map(|id| Some((id, world.fat_aabb(id)?))).collect();
    let mut pairs = Pairs::new();
    for (i, (a, box_a)) in shapes.iter().enumerate() {
        for (b, box_b) in &shapes[i + 1..] {
            if box_a.overlaps(box_b) && may_meet(world, *a, *b) {
                pairs.insert((*a, *b));
            }
        }
    }
    pairs
}

/// The rules in words: not of one body; filters agree; a sensor meets all but the fixed with the
/// fixed; solid shapes meet if one of the bodies is dynamic.
fn may_meet(world: &World, a: ShapeId, b: ShapeId) -> bool {
    let (a, b) = (world.shape(a), world.shape(b));
    if a.body() == b.body() {
        return false;
    }
    let (fa, fb) = (a.filter(), b.filter());
    let filters = if fa.group != 0 && fa.group == fb.group {
        fa.group > 0
    } else {
        fa.category & fb.mask != 0 && fb.category & fa.mask != 0
    };
    let kinds = [world.body(a.body()).kind(), world.body(b.body()).kind()];
    let movers =
        if a.is_sensor() || b.is_sensor() { kinds != [BodyKind::Fixed; 2] } else { kinds.contains(&BodyKind::Dynamic) };
    filters && movers
}

fn contacts(world: &World) -> Pairs {
    let pairs: Vec<_> = world.contacts().map(|contact| (contact.shape_a(), contact.shape_b())).collect();
    let set: Pairs = pairs.iter().copied().collect();
    assert_eq!(set.len(), pairs.len(), "a pair has two contacts");
    assert!(set.iter().all(|(a, b)| a < b));
    set
}

fn random_shape(rng: &mut Rng) -> ShapeDef {
    let shape = match rng.below(4) {
        0 => ShapeDef::circle(rng.range(0.1, 0.5)),
        1 => ShapeDef::capsule(vec2(-0.3, 0.0), vec2(0.3, 0.1), rng.range(0.05, 0.2)),
        2 => ShapeDef::rectangle(rng.range(0.1, 3.0), rng.range(0.1, 0.5)),
        _ => ShapeDef::segment(vec2(-0.5, 0.0), vec2(0.5, 0.2)),
    };
    let group = [0, 0, 0, 0, 1, -1][rng.below(6) as usize];
    let filter = Filter { category: 1 << rng.below(3), mask: [u64::MAX, 0b011, 0b110][rng.below(3) as usize], group };
    ShapeDef { sensor: rng.below(5) == 0, filter, ..shape }
}

fn add_random(world: &mut World, rng: &mut Rng) {
    let kind = [BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Kinematic, BodyKind::Fixed][rng.below(4) as usize];
    let body = BodyDef {
        kind,
        position: vec2(rng.range(-6.0, 6.0), rng.range(-6.0, 6.0)),
        angle: rng.range(-3.0, 3.0),
        velocity: vec2(rng.range(-4.0, 4.0), rng.range(-4.0, 4.0)),
        ..BodyDef::dynamic()
    };
    let body = world.add_body(body).unwrap();
    for _ in 0..1 + rng.below(3) / 2 {
        world.add_shape(body, random_shape(rng)).unwrap();
    }
}

/// Between steps bodies and shapes are added, removed, moved and changed at random; after every step
/// the contacts are what brute force says. Pairs are looked for at the start of a step; at its end
/// some have come apart and new ones have come near, so the test looks before and after.
fn contacts_follow_brute_force(broad_phase: BroadPhaseKind, sleeping: bool) {
    for seed in 1..=3 {
        let def = WorldDef { broad_phase, sleeping, gravity: vec2(0.0, -2.0), ..WorldDef::default() };
        let mut world = World::new(def);
        let mut rng = Rng::new(seed);
        for _ in 0..60 {
            add_random(&mut world, &mut rng);
        }
        let mut most = 0;
        for step in 0..400 {
            for _ in 0..rng.below(4) {
                let bodies: Vec<BodyId> = world.bodies().collect();
                let body = bodies[rng.below(bodies.len() as u32) as usize];
                let shape = world.body(body).shapes().next();
                match (rng.below(8), shape) {
                    (0, _) if bodies.len() < 90 => add_random(&mut world, &mut rng),
                    (1, _) if bodies.len() > 30 => world.remove_body(body).unwrap(),
                    (2, _) => {
                        let place = vec2(rng.range(-6.0, 6.0), rng.range(-6.0, 6.0));
                        world.body_mut(body).set_position(place).unwrap();
                    }
                    (3, _) => world.body_mut(body).set_velocity(vec2(rng.range(-9.0, 9.0), 3.0)).unwrap(),
                    (4, Some(shape)) => world.shape_mut(shape).replace(random_shape(&mut rng)).unwrap(),
                    (5, Some(shape)) => world.remove_shape(shape).unwrap(),
                    (6, _) => drop(world.add_shape(body, random_shape(&mut rng)).unwrap()),
                    (7, _) => {
                        world.body_mut(body).set_kind([BodyKind::Dynamic, BodyKind::Fixed][rng.below(2) as usize])
                    }
                    _ => {}
                }
            }
            let before = brute_force(&world);
            world.step(DT);
            let after = brute_force(&world);
            let found = contacts(&world);
            // Whatever overlapped at the start has a contact, unless it has come apart.
            let both: Pairs = before.intersection(&after).copied().collect();
            assert!(both.is_subset(&found), "step {step}: missed {:?}", both.difference(&found).collect::<Vec<_>>());
            // And nothing else has one: what came apart in this very step may linger until the next, and what came into
            // a sensor has one already.
            let is_sensor = |id: ShapeId| world.shape(id).is_sensor();
            let arrived: Pairs = after.iter().copied().filter(|&(a, b)| is_sensor(a) || is_sensor(b)).collect();
            let invented: Vec<_> = found.difference(&before).filter(|pair| !arrived.contains(pair)).collect();
            assert!(invented.is_empty(), "step {step}: invented {invented:?}");
            let held: usize = world.broad_phase().boxes().iter().map(|quad| quad.count as usize).sum();
            assert_eq!(held, world.shape_count(), "step {step}");
            assert_eq!(world.broad_phase().shape_count(), world.shape_count(), "step {step}");
            most = most.max(found.len());
            if step % 20 == 0 {
                world.validate();
            }
        }
        assert!(most > 40, "hardly any pairs: {most}");
    }
}

/// The bounding-volume tree.
#[test]
fn tree_finds_exactly_the_pairs() {
    contacts_follow_brute_force(BroadPhaseKind::Tree, false);
}

/// The same while bodies fall asleep and wake.
#[test]
fn tree_finds_exactly_the_pairs_of_sleepers() {
    contacts_follow_brute_force(BroadPhaseKind::Tree, true);
}

/// A quadtree over the region, one that is too small for it, and one that may not split.
#[test]
fn quadtree_finds_exactly_the_pairs() {
    let base = QuadtreeDef { half_extents: Vec2::splat(9.0), capacity: 2, max_depth: 5, ..QuadtreeDef::default() };
    for def in [
        base,
        QuadtreeDef { half_extents: Vec2::splat(2.0), center: vec2(3.0, -1.0), capacity: 1, ..base },
        QuadtreeDef { max_depth: 0, ..base },
    ] {
        contacts_follow_brute_force(BroadPhaseKind::Quadtree(def), false);
        contacts_follow_brute_force(BroadPhaseKind::Quadtree(def), true);
    }
}

/// Fat boxes contain the shapes; around circles, whose own box does not turn, the room is small but for the path of the next
/// step, which the boxes of fast bodies enclose.
#[test]
fn fat_boxes_enclose_their_shapes_closely() {
    let mut world = World::new(WorldDef::default());
    let mut rng = Rng::new(9);
    for _ in 0..60 {
        add_random(&mut world, &mut rng);
    }
    for _ in 0..120 {
        world.step(DT);
        for id in world.shapes() {
            let (tight, fat) = (world.shape(id).aabb(), world.fat_aabb(id).unwrap());
            assert!(fat.contains(&tight), "{id:?}");
            if let Geometry::Circle(_) = world.shape(id).geometry() {
                let path = world.body(world.shape(id).body()).velocity() * DT;
                let room = tight.union(&Aabb::new(tight.min + path, tight.max + path)).grown(0.25);
                assert!(room.contains(&fat), "{id:?}: {fat:?} around {tight:?}");
            }
        }
    }
}

/// Shapes added to and removed from an empty world, in any order, leave nothing behind.
#[test]
fn broad_phase_is_empty_when_all_are_gone() {
    for broad_phase in [BroadPhaseKind::Tree, BroadPhaseKind::Quadtree(QuadtreeDef::default())] {
        let mut world = World::new(WorldDef { broad_phase, ..WorldDef::default() });
        let mut rng = Rng::new(11);
        for _ in 0..3 {
            for _ in 0..50 {
                add_random(&mut world, &mut rng);
            }
            for _ in 0..10 {
                world.step(DT);
            }
            while world.body_count() > 0 {
                let bodies: Vec<BodyId> = world.bodies().collect();
                world.remove_body(bodies[rng.below(bodies.len() as u32) as usize]).unwrap();
            }
            assert_eq!((world.broad_phase().shape_count(), world.contact_count(), world.shape_count()), (0, 0, 0));
            world.validate();
        }
    }
}
