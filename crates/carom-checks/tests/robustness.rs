//! Nothing that a program hands over makes the engine panic, and nothing bad that happens to one
//! body reaches another: bad numbers, stale handles, degenerate shapes, random operations.

use carom_checks::validation::{DT, add, add_floor, add_moving, steps};
use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::shape::Polygon;
use carom2d::{ContactEvent, ContactView, Events, Hooks, Outline, Pair, PairView, Response, SensorEvent};
use std::collections::BTreeMap;

/// A small heap, a body far from it that is tampered with and may not meet it, and that body's shape.
fn subject() -> (World, Vec<BodyId>, BodyId, ShapeId) {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    add_floor(&mut world, 0.6, 0.0);
    let floor = world.shapes().next().unwrap();
    world.shape_mut(floor).set_filter(Filter { category: 0b11, ..Filter::ALL });
    let brick = ShapeDef { filter: Filter { category: 2, mask: 2, group: 0 }, ..ShapeDef::rectangle(1.0, 1.0) };
    let heap = (0..6).map(|i| add(&mut world, vec2(0.3 * i as f32, 0.6 + 1.1 * i as f32), brick.clone())).collect();
    let body = add_moving(&mut world, vec2(100.0, 5.0), vec2(1.0, 0.0), ShapeDef::rectangle(1.0, 0.5));
    let shape = world.body(body).shapes().next().unwrap();
    steps(&mut world, 20);
    (world, heap, body, shape)
}

// ---- bad numbers --------------------------------------------------------------------------------

/// Which numbers besides NaN and minus infinity must be refused.
#[derive(Clone, Copy, PartialEq)]
enum Refuses {
    /// Infinity only.
    Infinite,
    /// Infinity and everything below zero.
    Negative,
    /// Everything below zero, but infinity has a meaning.
    NegativeOnly,
}
use Refuses::*;

type Attempt = fn(&mut World, BodyId, ShapeId, f32) -> Result<(), DefError>;

/// Every field of the body and shape definitions and every setter that takes numbers: a word that the
/// error must contain, what must be refused, and how to hand the number over.
const BODY_AND_SHAPE: &[(&str, Refuses, Attempt)] = &[
    ("position", Infinite, |w, _, _, x| {
        w.add_body(BodyDef { position: vec2(x, 50.0), ..BodyDef::dynamic() }).map(drop)
    }),
    ("position", Infinite, |w, _, _, x| w.add_body(BodyDef { position: vec2(50.0, x), ..BodyDef::fixed() }).map(drop)),
    ("angle", Infinite, |w, _, _, x| w.add_body(BodyDef { angle: x, ..far() }).map(drop)),
    ("velocity", Infinite, |w, _, _, x| w.add_body(BodyDef { velocity: vec2(0.0, x), ..far() }).map(drop)),
    ("angular_velocity", Infinite, |w, _, _, x| w.add_body(BodyDef { angular_velocity: x, ..far() }).map(drop)),
    ("mass", NegativeOnly, |w, _, _, x| w.add_body(BodyDef { mass: Some(x), ..far() }).map(drop)),
    ("inertia", NegativeOnly, |w, _, _, x| w.add_body(BodyDef { inertia: Some(x), ..far() }).map(drop)),
    ("linear_damping", Negative, |w, _, _, x| w.add_body(BodyDef { linear_damping: x, ..far() }).map(drop)),
    ("angular_damping", Negative, |w, _, _, x| w.add_body(BodyDef { angular_damping: x, ..far() }).map(drop)),
    ("gravity_scale", Infinite, |w, _, _, x| w.add_body(BodyDef { gravity_scale: x, ..far() }).map(drop)),
    ("sleep_speed", Negative, |w, _, _, x| w.add_body(BodyDef { sleep_speed: x, ..far() }).map(drop)),
    ("width", Negative, |w, b, _, x| w.add_shape(b, ShapeDef::rectangle(x, 1.0)).map(drop)),
    ("height", Negative, |w, b, _, x| w.add_shape(b, ShapeDef::rectangle(1.0, x)).map(drop)),
    ("radius", Negative, |w, b, _, x| w.add_shape(b, ShapeDef::circle(x)).map(drop)),
    ("Capsule", Infinite, |w, b, _, x| w.add_shape(b, ShapeDef::capsule(vec2(x, 0.0), vec2(0.3, 0.2), 0.1)).map(drop)),
    ("radius", Negative, |w, b, _, x| w.add_shape(b, ShapeDef::capsule(Vec2::ZERO, Vec2::X, x)).map(drop)),
    ("Segment", Infinite, |w, b, _, x| w.add_shape(b, ShapeDef::segment(Vec2::ZERO, vec2(x, 0.1))).map(drop)),
    ("Polygon", Infinite, |w, b, _, x| {
        w.add_shape(b, ShapeDef::convex(&[Vec2::ZERO, Vec2::X, vec2(0.2, x)])).map(drop)
    }),
    ("rounding", Negative, |w, b, _, x| {
        w.add_shape(b, ShapeDef { rounding: x, ..ShapeDef::rectangle(1.0, 1.0) }).map(drop)
    }),
    ("position", Infinite, |w, b, _, x| {
        w.add_shape(b, ShapeDef { position: vec2(x, 0.0), ..ShapeDef::circle(1.0) }).map(drop)
    }),
    ("angle", Infinite, |w, b, _, x| w.add_shape(b, ShapeDef { angle: x, ..ShapeDef::circle(1.0) }).map(drop)),
    ("density", Negative, |w, b, _, x| w.add_shape(b, ShapeDef { density: x, ..ShapeDef::circle(1.0) }).map(drop)),
    ("friction", Negative, |w, b, _, x| w.add_shape(b, ShapeDef { friction: x, ..ShapeDef::circle(1.0) }).map(drop)),
    ("restitution", Negative, |w, b, _, x| {
        w.add_shape(b, ShapeDef { restitution: x, ..ShapeDef::circle(1.0) }).map(drop)
    }),
    ("rolling_resistance", Negative, |w, b, _, x| {
        w.add_shape(b, ShapeDef { rolling_resistance: x, ..ShapeDef::circle(1.0) }).map(drop)
    }),
    ("surface_speed", Infinite, |w, b, _, x| {
        w.add_shape(b, ShapeDef { surface_speed: x, ..ShapeDef::circle(1.0) }).map(drop)
    }),
    ("position", Infinite, |w, b, _, x| w.body_mut(b).set_position(vec2(x, 1.0))),
    ("angle", Infinite, |w, b, _, x| w.body_mut(b).set_angle(x)),
    ("pose", Infinite, |w, b, _, x| w.body_mut(b).set_pose(Pose { p: vec2(100.0, x), q: Rot::IDENTITY })),
    ("pose", Negative, |w, b, _, x| w.body_mut(b).set_pose(Pose { p: vec2(100.0, 2.0), q: Rot { c: x, s: 2.0 } })),
    ("velocity", Infinite, |w, b, _, x| w.body_mut(b).set_velocity(vec2(x, 0.0))),
    ("angular velocity", Infinite, |w, b, _, x| w.body_mut(b).set_angular_velocity(x)),
    ("target", Infinite, |w, b, _, x| w.body_mut(b).move_to(Pose { p: vec2(x, 2.0), q: Rot::IDENTITY }, DT)),
    ("dt", Negative, |w, b, _, x| w.body_mut(b).move_to(Pose { p: vec2(99.0, 5.0), q: Rot::IDENTITY }, x)),
    ("force", Infinite, |w, b, _, x| w.body_mut(b).apply_force(vec2(x, 0.0))),
    ("force", Infinite, |w, b, _, x| w.body_mut(b).apply_force_at(vec2(0.0, x), vec2(100.0, 6.0))),
    ("point", Infinite, |w, b, _, x| w.body_mut(b).apply_force_at(vec2(1.0, 2.0), vec2(x, 6.0))),
    ("torque", Infinite, |w, b, _, x| w.body_mut(b).apply_torque(x)),
    ("impulse", Infinite, |w, b, _, x| w.body_mut(b).apply_impulse(vec2(x, x))),
    ("impulse", Infinite, |w, b, _, x| w.body_mut(b).apply_impulse_at(vec2(x, 0.0), vec2(100.0, 6.0))),
    ("point", Infinite, |w, b, _, x| w.body_mut(b).apply_impulse_at(vec2(1.0, 2.0), vec2(100.0, x))),
    ("angular impulse", Infinite, |w, b, _, x| w.body_mut(b).apply_angular_impulse(x)),
    ("mass", NegativeOnly, |w, b, _, x| w.body_mut(b).set_mass(Some(x))),
    ("inertia", NegativeOnly, |w, b, _, x| w.body_mut(b).set_inertia(Some(x))),
    ("linear damping", Negative, |w, b, _, x| w.body_mut(b).set_linear_damping(x)),
    ("angular damping", Negative, |w, b, _, x| w.body_mut(b).set_angular_damping(x)),
    ("gravity scale", Infinite, |w, b, _, x| w.body_mut(b).set_gravity_scale(x)),
    ("sleep speed", Negative, |w, b, _, x| w.body_mut(b).set_sleep_speed(x)),
    ("density", Negative, |w, _, s, x| w.shape_mut(s).set_density(x)),
    ("friction", Negative, |w, _, s, x| w.shape_mut(s).set_material(Material { friction: x, ..Material::default() })),
    ("restitution", Negative, |w, _, s, x| {
        w.shape_mut(s).set_material(Material { restitution: x, ..Material::default() })
    }),
    ("rolling_resistance", Negative, |w, _, s, x| {
        w.shape_mut(s).set_material(Material { rolling_resistance: x, ..Material::default() })
    }),
    ("surface_speed", Infinite, |w, _, s, x| {
        w.shape_mut(s).set_material(Material { surface_speed: x, ..Material::default() })
    }),
    ("radius", Negative, |w, _, s, x| w.shape_mut(s).replace(ShapeDef::circle(x))),
    ("radius", Negative, |w, _, s, x| {
        w.shape_mut(s).set_geometry(Geometry::Circle(carom2d::shape::Circle { center: Vec2::ZERO, radius: x }))
    }),
];

fn far() -> BodyDef {
    BodyDef { position: vec2(50.0, 50.0), ..BodyDef::dynamic() }
}

/// Settings of the world and questions to it.
const WORLD: &[(&str, Refuses, Attempt)] = &[
    ("gravity", Infinite, |w, _, _, x| w.set_gravity(vec2(x, 0.0))),
    ("gravity", Infinite, |w, _, _, x| w.set_def(WorldDef { gravity: vec2(0.0, x), ..*w.def() })),
    ("restitution_speed", Negative, |w, _, _, x| w.set_def(WorldDef { restitution_speed: x, ..*w.def() })),
    ("hit_speed", Negative, |w, _, _, x| w.set_def(WorldDef { hit_speed: x, ..*w.def() })),
    ("contact_hertz", Negative, |w, _, _, x| w.set_def(WorldDef { contact_hertz: x, ..*w.def() })),
    ("contact_damping", Negative, |w, _, _, x| w.set_def(WorldDef { contact_damping: x, ..*w.def() })),
    ("push_out_speed", Negative, |w, _, _, x| w.set_def(WorldDef { push_out_speed: x, ..*w.def() })),
    ("max_speed", Negative, |w, _, _, x| w.set_def(WorldDef { max_speed: x, ..*w.def() })),
    ("sleep_delay_s", Negative, |w, _, _, x| w.set_def(WorldDef { sleep_delay_s: x, ..*w.def() })),
    ("fixed_step_s", Negative, |w, _, _, x| w.set_def(WorldDef { fixed_step_s: x, ..*w.def() })),
    ("QuadtreeDef.center", Infinite, |w, _, _, x| {
        let quadtree = QuadtreeDef { center: vec2(x, 0.0), ..QuadtreeDef::default() };
        w.set_def(WorldDef { broad_phase: BroadPhaseKind::Quadtree(quadtree), ..*w.def() })
    }),
    ("QuadtreeDef.half_extents", Negative, |w, _, _, x| {
        let quadtree = QuadtreeDef { half_extents: vec2(1.0, x), ..QuadtreeDef::default() };
        w.set_def(WorldDef { broad_phase: BroadPhaseKind::Quadtree(quadtree), ..*w.def() })
    }),
    ("frame time", Negative, |w, _, _, x| w.advance(x).map(drop)),
    ("origin", Infinite, |w, _, _, x| w.ray_closest(vec2(x, 0.0), Vec2::X, QueryFilter::default()).map(drop)),
    ("translation", Infinite, |w, _, _, x| w.ray_all(Vec2::ZERO, vec2(x, 0.0), QueryFilter::default()).map(drop)),
    ("translation", Infinite, |w, _, _, x| w.ray_any(Vec2::ZERO, vec2(x, x), QueryFilter::default()).map(drop)),
    ("point", Infinite, |w, _, _, x| w.shapes_at(vec2(x, 0.0), QueryFilter::default()).map(drop)),
    ("aabb", Infinite, |w, _, _, x| {
        w.shapes_in_aabb(Aabb { min: vec2(x, -1.0), max: vec2(x, 1.0) }, QueryFilter::default()).map(drop)
    }),
    ("pose", Infinite, |w, _, _, x| {
        let pose = Pose { p: vec2(x, 0.0), q: Rot::IDENTITY };
        w.shapes_overlapping(&Geometry::circle(1.0)?, pose, QueryFilter::default()).map(drop)
    }),
    ("translation", Infinite, |w, _, _, x| {
        let pose = Pose { p: Vec2::ZERO, q: Rot::IDENTITY };
        w.cast_shape(&Geometry::circle(1.0)?, pose, vec2(0.0, x), QueryFilter::default()).map(drop)
    }),
    ("point", Infinite, |w, _, _, x| w.closest_point(vec2(x, 0.0), 1.0, QueryFilter::default()).map(drop)),
    ("max_distance", Infinite, |w, _, _, x| w.closest_point(Vec2::ZERO, x, QueryFilter::default()).map(drop)),
];

/// NaN, infinities and, where they make no sense, negative numbers are refused with an error that
/// names the field, and the world is as it was: it also goes on as if nothing had been asked.
#[test]
fn bad_numbers_are_refused_and_change_nothing() {
    let (clean, ..) = subject();
    let mut expected = clean.clone();
    steps(&mut expected, 5);
    for (row, &(word, refuses, attempt)) in BODY_AND_SHAPE.iter().chain(WORLD).enumerate() {
        let mut bad = vec![f32::NAN, f32::NEG_INFINITY];
        if refuses != NegativeOnly {
            bad.push(f32::INFINITY);
        }
        if refuses != Infinite {
            bad.extend([-1.0, -1.0e-3, -1.0e30]);
        }
        for value in bad {
            let (mut world, _, body, shape) = subject();
            let counts = (world.body_count(), world.shape_count(), world.contact_count());
            let error = match attempt(&mut world, body, shape, value) {
                Err(error) => error.to_string(),
                Ok(()) => panic!("row {row}: {word} took {value}"),
            };
            let low = |text: &str| text.to_lowercase();
            assert!(low(&error).contains(&low(word)), "row {row}: {error:?} does not name {word:?}");
            assert_eq!(world.state_hash(), clean.state_hash(), "row {row}: {word} = {value} changed the state");
            assert_eq!((world.body_count(), world.shape_count(), world.contact_count()), counts, "{word} = {value}");
            assert_eq!(world.def(), clean.def(), "{word} = {value}");
            steps(&mut world, 5);
            assert_eq!(world.state_hash(), expected.state_hash(), "row {row}: {word} = {value} changed the course");
        }
    }
}

/// Whole numbers of the definitions out of range.
#[test]
fn bad_counts_are_refused() {
    let def = WorldDef::default();
    let quadtree = |quadtree| WorldDef { broad_phase: BroadPhaseKind::Quadtree(quadtree), ..def };
    for (word, bad) in [
        ("substeps", WorldDef { substeps: 0, ..def }),
        ("substeps", WorldDef { substeps: 65, ..def }),
        ("max_catch_up", WorldDef { max_catch_up: 0, ..def }),
        ("capacity", quadtree(QuadtreeDef { capacity: 0, ..QuadtreeDef::default() })),
        ("max_depth", quadtree(QuadtreeDef { max_depth: 25, ..QuadtreeDef::default() })),
    ] {
        assert!(World::try_new(bad).unwrap_err().to_string().contains(word), "{word}");
    }
}

/// 1e30 and 1e-30 are refused, or taken without a panic; whatever becomes of that body, the heap far
/// away keeps its bits and every number stays finite.
#[test]
fn huge_and_tiny_numbers_stay_with_their_body() {
    let (mut clean, heap, ..) = subject();
    steps(&mut clean, 30);
    let expected = clean.state_hash_of(&heap).unwrap();
    let mut taken = 0;
    for (row, &(word, _, attempt)) in BODY_AND_SHAPE.iter().enumerate() {
        for value in [1.0e30, -1.0e30, f32::MAX, 1.0e-30, f32::MIN_POSITIVE / 4.0] {
            let (mut world, heap, body, shape) = subject();
            let before = world.state_hash();
            match attempt(&mut world, body, shape, value) {
                Ok(()) => taken += 1,
                Err(_) => assert_eq!(world.state_hash(), before, "row {row}: {word} = {value}"),
            }
            steps(&mut world, 30);
            world.validate();
            assert_eq!(world.state_hash_of(&heap).unwrap(), expected, "row {row}: {word} = {value} reached the heap");
            assert_finite(&world, &format!("row {row}: {word} = {value}"));
        }
    }
    assert!(taken > 50, "only {taken} of the numbers were taken");
    for (row, &(word, _, attempt)) in WORLD.iter().enumerate() {
        for value in [1.0e30, -1.0e30, f32::MAX, 1.0e-30] {
            let (mut world, _, body, shape) = subject();
            let _ = attempt(&mut world, body, shape, value);
            steps(&mut world, 30);
            world.validate();
            assert_finite(&world, &format!("row {row}: {word} = {value}"));
        }
    }
}

fn assert_finite(world: &World, what: &str) {
    for id in world.bodies() {
        let body = world.body(id);
        let finite = body.pose().is_finite() && body.velocity().is_finite() && body.angular_velocity().is_finite();
        assert!(finite, "{what}: {id:?} at {:?}, {}", body.pose(), body.velocity());
    }
}

/// A step of NaN, zero or negative length makes no time pass; an endless one is cut.
#[test]
fn bad_steps_make_no_time_pass() {
    let (mut world, ..) = subject();
    let before = (world.state_hash(), world.step_count());
    for dt in [f32::NAN, 0.0, -1.0, f32::NEG_INFINITY] {
        world.step(dt);
        assert_eq!((world.state_hash(), world.step_count()), before, "{dt}");
    }
    for dt in [f32::INFINITY, 1.0e30, 1.0e-30, f32::MIN_POSITIVE / 2.0] {
        world.step(dt);
        assert_finite(&world, "endless step");
        world.validate();
    }
}

/// A body driven out of the range of numbers is frozen and reported, or stays finite; bodies that do
/// not touch it keep their bits, bodies that do stay finite.
#[test]
fn body_out_of_range_is_put_aside() {
    let (mut clean, heap, ..) = subject();
    steps(&mut clean, 60);
    let expected = clean.state_hash_of(&heap).unwrap();
    type Torture = fn(&mut World, BodyId);
    let tortures: [(&str, Torture); 6] = [
        ("force on a tiny mass", |w, b| {
            w.body_mut(b).set_mass(Some(1.0e-12)).unwrap();
            w.body_mut(b).apply_force(vec2(1.0e38, -1.0e38)).unwrap();
        }),
        ("forces that overflow", |w, b| {
            w.body_mut(b).apply_force(vec2(3.0e38, 0.0)).unwrap();
            w.body_mut(b).apply_force(vec2(3.0e38, 0.0)).unwrap();
            w.body_mut(b).apply_force(vec2(-3.0e38, 0.0)).unwrap();
        }),
        ("torque on a tiny inertia", |w, b| {
            w.body_mut(b).set_inertia(Some(1.0e-12)).unwrap();
            w.body_mut(b).apply_torque(1.0e38).unwrap();
        }),
        ("opposing impulses", |w, b| {
            let _ = w.body_mut(b).apply_impulse(vec2(3.0e38, 0.0));
            let _ = w.body_mut(b).apply_impulse(vec2(-3.0e38, 3.0e38));
            let _ = w.body_mut(b).apply_impulse_at(vec2(3.0e38, 0.0), vec2(0.0, 1.0e7));
        }),
        ("spin", |w, b| w.body_mut(b).set_angular_velocity(1.0e6).unwrap()),
        ("gravity scale", |w, b| w.body_mut(b).set_gravity_scale(3.0e38).unwrap()),
    ];
    for (name, torture) in tortures {
        let (mut world, heap, body, _) = subject();
        // A companion that touches the victim.
        let companion = add(&mut world, vec2(100.3, 5.4), ShapeDef::rectangle(0.5, 0.5));
        let mut reported = 0;
        for step in 0..60 {
            if step % 20 == 0 && !world.body(body).is_frozen() {
                torture(&mut world, body);
            }
            world.step(DT);
            reported += world.events().body_frozen.iter().filter(|&&id| id == body).count();
            assert_finite(&world, name);
            world.validate();
        }
        assert_eq!(world.state_hash_of(&heap).unwrap(), expected, "{name} reached the heap");
        assert_eq!(reported, usize::from(world.body(body).is_frozen()), "{name}: frozen once, reported once");
        assert!(world.body(companion).position().is_finite(), "{name}");
        // A frozen body can be brought back.
        world.body_mut(body).set_enabled(true);
        world.body_mut(body).set_velocity(Vec2::ZERO).unwrap();
        world.step(DT);
        world.validate();
    }
}

/// Kinematic bodies at the fastest spin and speed that are allowed, with what they touch: nothing that is reported is out
/// of the range of numbers. Faster ones are refused.
#[test]
fn the_fastest_kinematic_bodies_leave_everything_finite() {
    let mut rng = Rng::new(12);
    for round in 0..20 {
        let (spin, speed) = if round % 2 == 0 { (1.0e6, 0.0) } else { (0.0, 1.0e6) };
        let mut world = World::new(WorldDef::default());
        let angle = rng.range(-3.0, 3.0);
        let velocity = speed * Rot::from_angle(angle).x_axis();
        let driver =
            world.add_body(BodyDef { angle, velocity, angular_velocity: spin, ..BodyDef::kinematic() }).unwrap();
        world.add_shape(driver, ShapeDef::circle(20.0)).unwrap();
        for i in 0..8 {
            let place = 20.4 * Rot::from_angle(0.785 * i as f32).x_axis();
            add(&mut world, place, ShapeDef { friction: rng.range(0.0, 5.0), ..ShapeDef::rectangle(1.0, 1.0) });
        }
        for _ in 0..30 {
            world.step(DT);
            assert_finite(&world, "beside a fast kinematic body");
            for hit in &world.events().contact_hit {
                let numbers = [hit.approach_speed, hit.impulse, hit.point.x, hit.point.y];
                assert!(numbers.iter().all(|number| number.is_finite()), "{hit:?}");
            }
            world.validate();
        }
        let mut driver = world.body_mut(driver);
        for wrong in [1.1e6, -3.0e38, f32::NAN, f32::INFINITY] {
            assert!(driver.set_angular_velocity(wrong).is_err() && driver.set_velocity(vec2(0.0, wrong)).is_err());
            let def = BodyDef { angular_velocity: wrong, ..BodyDef::kinematic() };
            assert!(World::new(WorldDef::default()).add_body(def).is_err());
        }
        assert!(driver.move_to(Pose::at(vec2(9.0e6, 0.0)), 1.0e-3).is_err());
    }
}

/// A pose whose rotation is none is refused by queries, and by nothing answered with NaN.
#[test]
fn queries_refuse_rotations_that_are_none() {
    let (world, ..) = subject();
    let shape = Geometry::rectangle(1.0, 1.0).unwrap();
    for (c, s) in [(0.0, 0.0), (1.0e20, 0.0), (f32::NAN, 1.0), (1.0, 1.0)] {
        let pose = Pose { p: Vec2::ZERO, q: Rot { c, s } };
        assert!(world.cast_shape(&shape, pose, Vec2::X, QueryFilter::default()).is_err(), "{c} {s}");
        assert!(world.shapes_overlapping(&shape, pose, QueryFilter::default()).is_err(), "{c} {s}");
    }
}

// ---- handles ------------------------------------------------------------------------------------

/// Handles of removed things are refused everywhere, twice removed or not, and never reach what took
/// their place.
#[test]
fn stale_handles_are_refused() {
    let (mut world, _, body, shape) = subject();
    let contact = world.contacts().next().unwrap().id();
    world.remove_shape(shape).unwrap();
    assert!(world.remove_shape(shape).is_err());
    world.remove_body(body).unwrap();
    assert!(world.remove_body(body).unwrap_err().to_string().contains("BodyId"));
    // The places are taken again by others.
    let next = add(&mut world, vec2(100.0, 5.0), ShapeDef::circle(0.5));
    assert_ne!(next, body);
    assert!(world.get_body(body).is_none() && world.get_body_mut(body).is_none() && !world.contains_body(body));
    assert!(world.get_shape(shape).is_none() && world.get_shape_mut(shape).is_none() && !world.contains_shape(shape));
    assert!(world.add_shape(body, ShapeDef::circle(1.0)).is_err());
    assert!(world.state_hash_of(&[next, body]).is_err());
    assert!(world.fat_aabb(shape).is_none() && world.island_of(body).is_none());
    let live = world.body(next).shapes().next().unwrap();
    assert!(world.shape_distance(live, shape).is_err() && world.shape_distance(shape, live).is_err());
    let all: Vec<BodyId> = world.bodies().collect();
    for id in all {
        world.remove_body(id).unwrap();
        assert!(world.remove_body(id).is_err());
    }
    assert!(world.get_contact(contact).is_none());
    assert_eq!((world.body_count(), world.shape_count(), world.contact_count()), (0, 0, 0));
    steps(&mut world, 3);
    world.validate();
}

/// Bodies removed while the events of a step are looked through, also twice, also in the middle of a
/// heap.
#[test]
fn bodies_may_be_removed_in_the_event_loop() {
    let mut world = World::new(WorldDef::default());
    let floor = add_floor(&mut world, 0.6, 0.0);
    let mut rng = Rng::new(8);
    let mut removed = 0;
    for step in 0..400 {
        if step % 4 == 0 {
            add(&mut world, vec2(rng.range(-2.0, 2.0), 6.0), ShapeDef::rectangle(rng.range(0.3, 0.8), 0.5));
        }
        world.step(DT);
        let events = world.events().clone();
        for event in events.contact_begin.iter().chain(&events.contact_end) {
            for shape in [event.shape_a, event.shape_b] {
                let Some(body) = world.get_shape(shape).map(|shape| shape.body()) else { continue };
                if body != floor && rng.below(6) == 0 {
                    world.remove_body(body).unwrap();
                    assert!(world.remove_body(body).is_err() && world.remove_shape(shape).is_err());
                    removed += 1;
                }
            }
        }
        world.validate();
    }
    assert!(removed > 20, "only {removed} removed");
}

/// A body disabled before its boxes were ever compared meets nobody while it is disabled.
#[test]
fn disabled_body_has_no_contacts() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let body = add(&mut world, vec2(0.0, 0.4), ShapeDef::rectangle(1.0, 1.0));
    world.body_mut(body).set_enabled(false);
    world.step(DT);
    assert_eq!(world.body(body).contacts().count(), 0);
    world.validate();
}

/// A body put to sleep by hand takes along what touches it, not what has been disabled or taken away.
#[test]
fn sleep_by_hand_leaves_disabled_and_distant_bodies_alone() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let [first, second, third] =
        [0.0, 0.99, 1.98].map(|x| add(&mut world, vec2(x, 0.5), ShapeDef::rectangle(1.0, 1.0)));
    steps(&mut world, 3);
    assert_eq!(world.island_of(first), world.island_of(third));
    world.body_mut(second).set_enabled(false);
    world.body_mut(first).sleep();
    world.validate();
    assert!(world.body(first).is_sleeping() && !world.body(second).is_enabled() && world.body(third).is_awake());
}

// ---- geometry -----------------------------------------------------------------------------------

/// Degenerate outlines are refused by name; odd but sound ones work.
#[test]
fn degenerate_geometry_is_refused() {
    let points = |list: &[(f32, f32)]| ShapeDef::convex(&list.iter().map(|&(x, y)| vec2(x, y)).collect::<Vec<_>>());
    let bad = [
        points(&[]),
        points(&[(0.0, 0.0)]),
        points(&[(0.0, 0.0), (1.0, 0.0)]),
        points(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (5.0, 0.0)]),
        points(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]),
        points(&[(1.0, 1.0); 8]),
        points(&[(0.0, 0.0), (1.0e-30, 0.0), (0.0, 1.0e-30)]),
        points(&[(0.0, 0.0), (1.0e30, 0.0), (0.0, 1.0e30)]),
        points(&[(0.0, 0.0), (1.0, 0.0), (0.0, f32::NAN)]),
        points(&[(0.0, 0.0), (1.0, 0.0), (0.0, f32::INFINITY)]),
        ShapeDef::rectangle(0.0, 1.0),
        ShapeDef::rectangle(-1.0, -1.0),
        ShapeDef::rectangle(1.0e-30, 1.0e-30),
        ShapeDef::rectangle(1.0e30, 1.0),
        ShapeDef::circle(0.0),
        ShapeDef::circle(-0.5),
        ShapeDef::circle(1.0e-30),
        ShapeDef::circle(1.0e30),
        ShapeDef::capsule(Vec2::ZERO, Vec2::X, 0.0),
        ShapeDef::capsule(Vec2::ZERO, Vec2::X, -1.0),
        ShapeDef::segment(Vec2::ONE, Vec2::ONE),
        ShapeDef::new(Outline::Circle(f32::NAN)),
        ShapeDef::ellipse(0.0, 1.0),
        ShapeDef::ellipse(1.0, -1.0),
        ShapeDef::ellipse(f32::NAN, 1.0),
        ShapeDef::ellipse(1.0, 1.0e30),
        ShapeDef::chain(&[]),
        ShapeDef::chain(&[Vec2::ZERO]),
        ShapeDef::chain(&[Vec2::ZERO, Vec2::ZERO]),
        ShapeDef::chain(&[Vec2::ZERO, vec2(f32::INFINITY, 0.0)]),
        ShapeDef::chain_loop(&[Vec2::ZERO, Vec2::X]),
        ShapeDef::concave(&[]),
        ShapeDef::concave(&[Vec2::ZERO, Vec2::X]),
        ShapeDef::concave(&[Vec2::ZERO, Vec2::X, vec2(2.0, 0.0)]),
        ShapeDef::concave(&[Vec2::ZERO, Vec2::ONE, Vec2::X, vec2(0.0, 0.6)]),
        ShapeDef::concave(&[Vec2::ZERO, Vec2::X, vec2(f32::NAN, 1.0)]),
        ShapeDef { position: vec2(9.9e6, 0.0), ..ShapeDef::concave(&[Vec2::ZERO, 0.1 * Vec2::X, 0.1 * Vec2::Y]) },
    ];
    for def in bad {
        let (mut world, _, body, _) = subject();
        let before = world.state_hash();
        let error = world.add_shape(body, def.clone()).expect_err(&format!("{def:?}"));
        assert!(!error.to_string().is_empty());
        assert_eq!((world.state_hash(), world.body(body).shapes().count()), (before, 1));
    }
    // Clockwise, crossed, with duplicates and points inside: the hull is what counts.
    let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    let odd = [
        points(&[square[3], square[2], square[1], square[0]]),
        points(&[square[0], square[2], square[1], square[3]]),
        points(&[square[0], square[0], square[1], square[2], square[2], square[3], (0.5, 0.5), (0.5, 0.0)]),
    ];
    for def in odd {
        let geometry = def.build().unwrap();
        assert!((geometry.area() - 1.0).abs() < 1.0e-6, "{def:?}");
        let Geometry::Polygon(polygon) = geometry else { panic!("a polygon") };
        assert_eq!(polygon.vertices().len(), 4, "{def:?}");
    }
    // The smallest and the largest that are allowed live through a simulation.
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    for (i, def) in [
        ShapeDef::circle(1.0e-5),
        ShapeDef::rectangle(1.0e-4, 1.0e-4),
        ShapeDef::rectangle(100.0, 1.0e-3),
        ShapeDef::capsule(Vec2::ZERO, vec2(1.0e-3, 0.0), 1.0e-4),
        ShapeDef::geometry(Polygon::regular(8, 30.0).unwrap().into()),
    ]
    .into_iter()
    .enumerate()
    {
        add(&mut world, vec2(0.0, 1.0 + 40.0 * i as f32), def);
    }
    steps(&mut world, 120);
    assert_finite(&world, "sizes");
    world.validate();
}

// ---- random operations --------------------------------------------------------------------------

/// What is known from events to touch, overlap or have overlapping boxes.
#[derive(Default)]
struct Ledger {
    contacts: BTreeMap<(ShapeId, ShapeId), i32>,
    sensors: BTreeMap<(ShapeId, ShapeId), i32>,
    boxes: BTreeMap<(ShapeId, ShapeId), i32>,
}

impl Ledger {
    /// Books the events of a step: between begin and end a pair counts 1, otherwise 0.
    fn book(&mut self, events: &Events) {
        let contact = |event: &ContactEvent| (event.shape_a, event.shape_b);
        let sensor = |event: &SensorEvent| (event.sensor, event.visitor);
        let pairs = |list: &[ContactEvent]| list.iter().map(contact).collect::<Vec<_>>();
        book(&mut self.contacts, pairs(&events.contact_begin), pairs(&events.contact_end), "contact");
        book(&mut self.boxes, pairs(&events.aabb_begin), pairs(&events.aabb_end), "box");
        let pairs = |list: &[SensorEvent]| list.iter().map(sensor).collect::<Vec<_>>();
        book(&mut self.sensors, pairs(&events.sensor_begin), pairs(&events.sensor_end), "sensor");
    }

    /// What the events say is what the contacts say.
    fn compare(&self, world: &World) {
        let mut solid: Vec<_> = world
            .contacts()
            .filter(|contact| contact.is_touching() && !contact.is_sensor())
            .map(|contact| (contact.shape_a(), contact.shape_b()))
            .map(|(a, b)| if a < b { (a, b) } else { (b, a) })
            .collect();
        // Shapes with parts may have several contacts, of which events tell as of one.
        solid.sort_unstable();
        solid.dedup();
        assert!(self.contacts.keys().copied().eq(solid), "events and contacts disagree");
        let mut sensed = Vec::new();
        for contact in world.contacts().filter(|contact| contact.is_touching() && contact.is_sensor()) {
            let (a, b) = (contact.shape_a(), contact.shape_b());
            sensed.extend(world.shape(a).is_sensor().then_some((a, b)));
            sensed.extend(world.shape(b).is_sensor().then_some((b, a)));
        }
        sensed.sort_unstable();
        sensed.dedup();
        assert!(self.sensors.keys().copied().eq(sensed), "events and sensors disagree");
    }

    fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.sensors.is_empty() && self.boxes.is_empty()
    }
}

/// A pair may end and begin anew between two looks, but never begins or ends twice in a row.
fn book(
    ledger: &mut BTreeMap<(ShapeId, ShapeId), i32>,
    begins: Vec<(ShapeId, ShapeId)>,
    ends: Vec<(ShapeId, ShapeId)>,
    what: &str,
) {
    let mut touched: Vec<_> = begins.iter().chain(&ends).copied().collect();
    for pair in begins {
        *ledger.entry(pair).or_default() += 1;
    }
    for pair in ends {
        *ledger.entry(pair).or_default() -= 1;
    }
    touched.dedup();
    for pair in touched {
        match ledger.get(&pair) {
            Some(0) => drop(ledger.remove(&pair)),
            Some(1) | None => {}
            Some(count) => panic!("{what} of {pair:?} began {count} times more often than it ended"),
        }
    }
}

/// One random operation on a world. The draws do not depend on the world's inner order.
fn operate(world: &mut World, rng: &mut Rng, bodies: &mut Vec<BodyId>, shapes: &mut Vec<ShapeId>) {
    let spot = |rng: &mut Rng| vec2(rng.range(-6.0, 6.0), rng.range(-1.0, 8.0));
    let vector = |rng: &mut Rng, size: f32| vec2(rng.range(-size, size), rng.range(-size, size));
    let outline = |rng: &mut Rng| {
        let mut shape = match rng.below(9) {
            0 => ShapeDef::circle(rng.range(0.1, 0.7)),
            1 => ShapeDef::capsule(vec2(-rng.range(0.1, 0.5), 0.0), vec2(0.4, 0.1), rng.range(0.05, 0.3)),
            2 => ShapeDef::segment(vec2(-1.0, 0.0), vec2(rng.range(0.1, 1.0), 0.3)),
            3 => ShapeDef::ellipse(rng.range(0.1, 0.7), rng.range(0.1, 0.7)),
            4 => ShapeDef::chain(&[vec2(1.0, 0.0), vec2(0.3, rng.range(-0.3, 0.3)), vec2(-0.4, 0.1), vec2(-1.0, 0.0)]),
            5 => ShapeDef::chain_loop(&[vec2(0.0, 0.8), vec2(rng.range(0.2, 0.8), 0.0), vec2(-0.6, -0.2)]),
            6 => ShapeDef::with_holes(
                &[vec2(-0.7, -0.7), vec2(0.7, -0.7), vec2(-0.1, rng.range(-0.2, 0.2)), vec2(-0.6, 0.7)],
                &[vec![vec2(-0.5, -0.6), vec2(-0.2, -0.6), vec2(-0.4, -0.3)]],
            ),
            7 => ShapeDef { rounding: rng.range(0.0, 0.3), ..ShapeDef::convex(&[(); 7].map(|()| vector(rng, 0.6))) },
            _ => ShapeDef::rectangle(rng.range(0.2, 1.2), rng.range(0.2, 1.2)),
        };
        shape.sensor = rng.below(6) == 0;
        shape.aabb_events = rng.below(3) == 0;
        shape.one_way = (rng.below(8) == 0).then(|| vec2(rng.range(-0.5, 0.5), 1.0));
        shape.restitution = if rng.below(3) == 0 { rng.range(0.0, 1.0) } else { 0.0 };
        shape.position = if rng.below(3) == 0 { vector(rng, 0.5) } else { Vec2::ZERO };
        shape
    };
    let kind = |rng: &mut Rng| {
        [BodyKind::Dynamic, BodyKind::Kinematic, BodyKind::Fixed][[0, 0, 0, 0, 1, 2][rng.below(6) as usize]]
    };
    let body = if bodies.is_empty() { None } else { Some(bodies[rng.below(bodies.len() as u32) as usize]) };
    let shape = if shapes.is_empty() { None } else { Some(shapes[rng.below(shapes.len() as u32) as usize]) };
    match (rng.below(39), body, shape) {
        (0 | 1, ..) if bodies.len() < 60 => {
            let def = BodyDef {
                kind: kind(rng),
                position: spot(rng),
                angle: rng.range(-3.0, 3.0),
                velocity: vector(rng, 3.0),
                awake: rng.below(4) != 0,
                enabled: rng.below(10) != 0,
                can_sleep: rng.below(10) != 0,
                ..BodyDef::dynamic()
            };
            let id = world.add_body(def).unwrap();
            bodies.push(id);
            for _ in 0..1 + rng.below(2) {
                shapes.push(world.add_shape(id, outline(rng)).unwrap());
            }
        }
        (2, Some(body), _) => {
            shapes.retain(|&shape| world.shape(shape).body() != body);
            bodies.retain(|&other| other != body);
            world.remove_body(body).unwrap();
        }
        (3, Some(body), _) if shapes.len() < 100 => shapes.push(world.add_shape(body, outline(rng)).unwrap()),
        (4, _, Some(shape)) => {
            shapes.retain(|&other| other != shape);
            world.remove_shape(shape).unwrap();
        }
        (5, Some(body), _) => world.body_mut(body).set_kind(kind(rng)),
        (6, Some(body), _) => world.body_mut(body).set_enabled(rng.below(3) != 0),
        (7, Some(body), _) => world.body_mut(body).set_position(spot(rng)).unwrap(),
        (8, Some(body), _) => world.body_mut(body).set_angle(rng.range(-3.0, 3.0)).unwrap(),
        (9, Some(body), _) => world.body_mut(body).set_velocity(vector(rng, 6.0)).unwrap(),
        (10, Some(body), _) => world.body_mut(body).apply_impulse_at(vector(rng, 3.0), spot(rng)).unwrap(),
        (11, Some(body), _) => world.body_mut(body).apply_force(vector(rng, 50.0)).unwrap(),
        (12, _, Some(shape)) => {
            let filter = Filter {
                category: 1 << rng.below(3),
                mask: u64::from(1 + rng.below(7)),
                group: rng.below(5) as i32 - 2,
            };
            world.shape_mut(shape).set_filter(filter);
        }
        (13, _, Some(shape)) => world.shape_mut(shape).set_sensor(rng.below(3) == 0),
        (14, _, Some(shape)) => world.shape_mut(shape).replace(outline(rng)).unwrap(),
        (15, ..) => world.set_gravity(if rng.below(2) == 0 { vec2(0.0, -10.0) } else { vector(rng, 10.0) }).unwrap(),
        (16, Some(body), _) => match rng.below(3) {
            0 => world.body_mut(body).sleep(),
            1 => world.body_mut(body).wake(),
            _ => world.body_mut(body).set_can_sleep(rng.below(2) == 0),
        },
        (17, Some(body), _) => {
            let locked = LockedAxes { x: rng.below(5) == 0, y: rng.below(5) == 0, rotation: rng.below(3) == 0 };
            world.body_mut(body).set_locked(locked);
        }
        (18, Some(body), _) => {
            world.body_mut(body).set_mass([None, Some(rng.range(0.1, 10.0))][rng.below(2) as usize]).unwrap()
        }
        (19, _, Some(shape)) => {
            let material = Material { friction: rng.range(0.0, 1.0), ..Material::default() };
            world.shape_mut(shape).set_material(material).unwrap();
        }
        (20, Some(body), _) => world.body_mut(body).set_bullet(rng.below(2) == 0),
        (21, Some(body), _) => world.body_mut(body).set_velocity(vector(rng, 300.0)).unwrap(),
        (22, Some(body), _) => world.body_mut(body).set_angular_velocity(rng.range(-150.0, 150.0)).unwrap(),
        (23 | 24, ..) => world.step_with(DT, &Meddler(rng.next_u64())),
        (25..=27, Some(body), _) if world.joint_count() < 60 => {
            let other = bodies[rng.below(bodies.len() as u32) as usize];
            let def = JointDef {
                frame_a: Pose::new(vector(rng, 1.0), rng.range(-3.0, 3.0)),
                frame_b: Pose::new(vector(rng, 1.0), rng.range(-3.0, 3.0)),
                collide_connected: rng.below(2) == 0,
                break_force: if rng.below(4) == 0 { rng.range(1.0, 300.0) } else { f32::INFINITY },
                break_torque: if rng.below(4) == 0 { rng.range(1.0, 300.0) } else { f32::INFINITY },
                ..JointDef::new(body, other, joint_kind(rng))
            };
            // A body cannot be joined to itself.
            assert_eq!(world.add_joint(def).is_ok(), body != other);
        }
        (28, ..) => add_gear(world, rng),
        (29..=31, ..) => {
            let joints: Vec<JointId> = world.joints().collect();
            if !joints.is_empty() {
                let joint = joints[rng.below(joints.len() as u32) as usize];
                change_joint(world, rng, joint);
            }
        }
        _ => world.step(DT),
    }
}

/// Answers at random, but the same to the same question.
struct Meddler(u64);

impl Meddler {
    fn draw(&self, a: ShapeId, b: ShapeId) -> Rng {
        Rng::new(self.0 ^ (u64::from(a.index()) << 32 | u64::from(b.index())))
    }
}

impl Hooks for Meddler {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        if self.draw(pair.a.shape, pair.b.shape).below(4) == 0 { Pair::Ignore } else { Pair::Meet }
    }

    fn modify_contact(&self, contact: &mut ContactView) {
        let mut rng = self.draw(contact.a().shape, contact.b().shape);
        contact.friction = [0.0, 1.0, -1.0, f32::NAN, f32::INFINITY][rng.below(5) as usize];
        contact.restitution = [0.0, 1.0, 7.0, f32::NAN, contact.restitution][rng.below(5) as usize];
        contact.surface_speed = [0.0, 3.0, f32::NAN, contact.surface_speed][rng.below(4) as usize];
        contact.response = if rng.below(3) == 0 { Response::Pass } else { contact.response };
    }
}

/// Any kind of joint but a gear, in any dress.
fn joint_kind(rng: &mut Rng) -> JointKind {
    let coin = |rng: &mut Rng| rng.below(2) == 0;
    let vector = |rng: &mut Rng, size: f32| vec2(rng.range(-size, size), rng.range(-size, size));
    let strength = |rng: &mut Rng| [f32::INFINITY, 0.0, rng.range(1.0, 200.0)][rng.below(3) as usize];
    let spring = |rng: &mut Rng| coin(rng).then(|| Spring::new(rng.range(0.0, 40.0), rng.range(0.0, 2.0)));
    let motor = |rng: &mut Rng| coin(rng).then(|| Motor::new(rng.range(-5.0, 5.0), strength(rng)));
    let limits = |rng: &mut Rng| {
        let lower = rng.range(-2.0, 1.0);
        coin(rng).then(|| Limits::new(lower, lower + [0.0, 1.0][rng.below(2) as usize]))
    };
    let place = |rng: &mut Rng| rng.range(-1.0, 1.0);
    match rng.below(8) {
        0 => {
            let min = [0.0, rng.range(0.0, 2.0)][rng.below(2) as usize];
            let max = min + strength(rng);
            let spring = spring(rng).map(|spring| (spring, rng.range(0.0, 2.0)));
            JointKind::Distance(Distance { min, max, spring, motor: motor(rng) })
        }
        1 => JointKind::Revolute(Revolute {
            limits: limits(rng),
            motor: motor(rng),
            spring: spring(rng),
            target_angle: place(rng),
        }),
        2 => JointKind::Prismatic(Prismatic {
            limits: limits(rng),
            motor: motor(rng),
            spring: spring(rng),
            target: place(rng),
        }),
        3 => JointKind::Weld(Weld { linear: spring(rng), angular: spring(rng) }),
        4 => {
            JointKind::Wheel(Wheel { spring: spring(rng), target: place(rng), limits: limits(rng), motor: motor(rng) })
        }
        5 => JointKind::Motor(Drive {
            linear: spring(rng),
            max_force: strength(rng),
            velocity: vector(rng, 3.0),
            angular: spring(rng),
            max_torque: strength(rng),
            angular_velocity: place(rng),
        }),
        6 => JointKind::Mouse(Mouse { target: vector(rng, 8.0), max_force: strength(rng), ..Mouse::default() }),
        _ => JointKind::Pulley(Pulley {
            pulley_a: vector(rng, 8.0),
            pulley_b: vector(rng, 8.0),
            length: rng.range(0.1, 20.0),
            ratio: rng.range(0.2, 5.0),
        }),
    }
}

/// Ties two pins or slides, if there are two that can be tied.
fn add_gear(world: &mut World, rng: &mut Rng) {
    let fit = |id: &JointId| matches!(world.joint(*id).kind(), JointKind::Revolute(_) | JointKind::Prismatic(_));
    let joints: Vec<JointId> = world.joints().filter(fit).collect();
    if joints.is_empty() {
        return;
    }
    let pick = |rng: &mut Rng| joints[rng.below(joints.len() as u32) as usize];
    let gear = Gear { joint_a: pick(rng), joint_b: pick(rng), ratio: rng.range(-2.0, -0.5) };
    let [a, b] = [gear.joint_a, gear.joint_b].map(|id| world.joint(id).body_b());
    assert_eq!(world.add_joint(JointDef::new(a, b, JointKind::Gear(gear))).is_ok(), a != b);
}

fn change_joint(world: &mut World, rng: &mut Rng, id: JointId) {
    let vector = |rng: &mut Rng, size: f32| vec2(rng.range(-size, size), rng.range(-size, size));
    match rng.below(11) {
        0 | 1 => world.remove_joint(id).unwrap(),
        // Refused where a gear has to do with the joint, and where there is no motor or target.
        2 => drop(world.joint_mut(id).set_kind(joint_kind(rng))),
        3 => drop(world.joint_mut(id).set_motor_speed(rng.range(-20.0, 20.0))),
        4 => drop(world.joint_mut(id).set_target(vector(rng, 8.0))),
        5 => world.joint_mut(id).set_break(rng.range(0.0, 100.0), rng.range(0.0, 100.0)).unwrap(),
        6 => {
            let frame = |rng: &mut Rng| Pose::new(vector(rng, 1.0), rng.range(-3.0, 3.0));
            world.joint_mut(id).set_frames(frame(rng), frame(rng)).unwrap();
        }
        7 => world.joint_mut(id).set_turns(rng.below(7) as i32 - 3).unwrap(),
        8 => world.joint_mut(id).set_collide_connected(rng.below(2) == 0),
        9 => world.joint_mut(id).set_stiffness(rng.range(1.0, 100.0), rng.range(0.0, 5.0)).unwrap(),
        _ => drop(world.joint_mut(id).set_motor_max_force(rng.range(0.0, 100.0))),
    }
}

/// Random operations on two worlds that differ in the broad phase only: the inner links hold, the
/// hashes agree, events book exactly, and when everything is gone everything has ended and nothing is left.
fn operate_at_random(seed: u64, operations: usize) {
    let quadtree = QuadtreeDef { half_extents: vec2(5.0, 5.0), capacity: 2, max_depth: 5, ..QuadtreeDef::default() };
    let kinds = [BroadPhaseKind::Tree, BroadPhaseKind::Quadtree(quadtree)];
    let mut runs = kinds.map(|broad_phase| {
        let mut world = World::new(WorldDef { broad_phase, ..WorldDef::default() });
        add_floor(&mut world, 0.6, 0.0);
        (world, Rng::new(seed), Vec::new(), Vec::new(), Ledger::default())
    });
    let (mut begun, mut crowd, mut broken, mut geared) = (0, 0, 0, 0);
    for op in 0..operations {
        for (world, rng, bodies, shapes, ledger) in &mut runs {
            let steps_before = world.step_count();
            operate(world, rng, bodies, shapes);
            if world.step_count() != steps_before {
                ledger.book(world.events());
                ledger.compare(world);
                begun += world.events().contact_begin.len();
                crowd = crowd.max(world.body_count());
                broken += world.events().joint_broke.len();
                geared += world.joints().filter(|&id| matches!(world.joint(id).kind(), JointKind::Gear(_))).count();
            }
            if op % 100 == 0 {
                world.validate();
                assert_finite(world, &format!("seed {seed}, op {op}"));
            }
        }
        let [(tree, ..), (quad, ..)] = &runs;
        assert_eq!(tree.state_hash(), quad.state_hash(), "seed {seed}, op {op}");
    }
    println!("seed {seed}: {} steps, {begun} contacts began, {crowd} bodies at most", runs[0].0.step_count());
    assert!(begun > 2000 && crowd > 20, "seed {seed}: only {begun} contacts, {crowd} bodies");
    assert!(broken > 20 && geared > 100, "seed {seed}: only {broken} joints broke, {geared} gears turned");
    for (world, _, bodies, _, ledger) in &mut runs {
        for &body in bodies.iter() {
            world.remove_body(body).unwrap();
        }
        world.step(DT);
        ledger.book(world.events());
        assert!(ledger.is_empty(), "seed {seed}: something never ended");
        world.validate();
        let floor = world.bodies().next().expect("the floor is left");
        world.remove_body(floor).unwrap();
        let left = [world.body_count(), world.shape_count(), world.contact_count(), world.joint_count()];
        assert_eq!(left, [0; 4], "seed {seed}: bodies, shapes, contacts and joints that are left");
        world.step(DT);
        world.validate();
    }
}

/// A hundred thousand of them.
#[test]
fn random_operations_keep_the_world_consistent() {
    for seed in 1..=5 {
        operate_at_random(seed, 20_000);
    }
}

/// A million of them, on other worlds.
#[test]
#[ignore = "takes minutes"]
fn a_million_random_operations_keep_the_world_consistent() {
    for seed in 101..=120 {
        operate_at_random(seed, 50_000);
    }
}

/// The same operations under the other solvers, which see the same nonsense: joints at odds with each other,
/// motors of infinite strength, bodies at one point.
#[test]
fn other_solvers_survive_random_operations() {
    let textbook = |correction| Solver::Sequential(Sequential { correction, ..Sequential::default() });
    let solvers = [Solver::Direct, textbook(Correction::Bias), textbook(Correction::FirstImpact)];
    for (seed, solver) in (21..).zip(solvers) {
        let mut world = World::new(WorldDef { solver, ..WorldDef::default() });
        add_floor(&mut world, 0.6, 0.0);
        let (mut rng, mut bodies, mut shapes) = (Rng::new(seed), Vec::new(), Vec::new());
        for op in 0..10_000 {
            operate(&mut world, &mut rng, &mut bodies, &mut shapes);
            if op % 100 == 0 {
                world.validate();
                assert_finite(&world, &format!("{solver:?}, op {op}"));
            }
        }
    }
}
