//! Rays, points, boxes and overlaps, against brute force; frames of any length.

use carom_core::Rng;
use carom_core::math::{max64 as max, min64 as min};
use carom3d::math::Aabb;
use carom3d::prelude::*;

/// Bodies of all shapes around the origin.
fn mixed(seed: u64) -> (World, Vec<BodyId>) {
    let mut rng = Rng::new(seed);
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
    let mut ids = Vec::new();
    for i in 0..40 {
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let (place, turn, size) = (random() * 12.0, random() * 6.0, random().abs() + DVec3::splat(0.1));
        let def = match i % 4 {
            0 => BodyDef::sphere(size.x),
            1 => BodyDef::cuboid(size),
            2 => BodyDef::capsule(size.x, size.y),
            _ => BodyDef::triangle(DVec3::ZERO, random() * 4.0, random() * 4.0),
        };
        let kind = if i % 8 < 4 { def.kind } else { BodyKind::Fixed };
        let def = BodyDef { kind, position: place, orientation: Quat::from_rotation_vector(turn), ..def };
        ids.push(world.add_body(def).unwrap());
    }
    (world, ids)
}

/// The distance of a point from a body, by definition.
fn distance(world: &World, id: BodyId, point: DVec3) -> f64 {
    let body = world.body(id);
    let local = body.local_point(point);
    match body.shape() {
        Shape::Sphere { radius } => max(local.length() - radius, 0.0),
        Shape::Cuboid { half_extents } => (local.abs() - half_extents).max(DVec3::ZERO).length(),
        Shape::Capsule { half_length, radius } => {
            let along = max(-half_length, min(local.y, half_length));
            max((local - DVec3::Y * along).length() - radius, 0.0)
        }
        Shape::Plane { normal } => (point - body.position()).dot(normal).abs(),
        Shape::Triangle { .. } => f64::NAN,
    }
}

#[test]
fn points_and_nearest_points_agree_with_distances() {
    for seed in 0..20 {
        let (world, ids) = mixed(seed);
        let mut rng = Rng::new(100 + seed);
        for _ in 0..50 {
            let point = dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 12.0;
            let inside = world.bodies_at(point).unwrap();
            let nearest = world.closest_point(point, 100.0).unwrap().unwrap();
            for &id in &ids {
                let expected = distance(&world, id, point);
                if expected.is_nan() {
                    continue;
                }
                assert_eq!(inside.contains(&id), expected == 0.0, "{:?}", world.body(id).shape());
                assert!(nearest.distance <= expected + 1.0e-12, "{nearest:?}, but {expected} to {id:?}");
            }
            let found = distance(&world, nearest.body, point);
            assert!(found.is_nan() || (found - nearest.distance).abs() < 1.0e-9);
            assert!(((nearest.point - point).length() - nearest.distance).abs() < 1.0e-9);
        }
        assert_eq!(world.closest_point(dvec3(1.0e3, 0.0, 0.0), 10.0).unwrap(), None);
    }
}

#[test]
fn rays_stop_at_surfaces() {
    let mut met = 0;
    for seed in 0..20 {
        let (world, ids) = mixed(seed);
        let mut rng = Rng::new(200 + seed);
        for _ in 0..50 {
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let origin = random() * 20.0;
            let translation = random() * 10.0 - origin * 2.0;
            let hits = world.ray_all(origin, translation).unwrap();
            assert_eq!(world.ray_closest(origin, translation).unwrap(), hits.first().copied());
            for hit in &hits {
                met += 1;
                let off = distance(&world, hit.body, hit.point);
                assert!(off.is_nan() || off < 1.0e-9, "{hit:?} is {off} m off");
                assert!(hit.normal.dot(translation) <= 0.0, "{hit:?}");
                assert!(hit.fraction == 0.0 || (hit.normal.length() - 1.0).abs() < 1.0e-9);
            }
            // March along the ray: what is entered is on the list.
            for &id in &ids {
                let enters =
                    (0..400).any(|i| distance(&world, id, origin + translation * (f64::from(i) / 400.0)) == 0.0);
                assert!(!enters || hits.iter().any(|hit| hit.body == id), "a ray missed {:?}", world.body(id).shape());
            }
        }
    }
    assert!(met > 150, "only {met} hits");
}

#[test]
fn triangles_and_planes_are_met_from_both_sides() {
    let mut world = World::new(WorldDef::default());
    let floor = world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
    let corners = [dvec3(-1.0, 2.0, -1.0), dvec3(1.0, 2.0, -1.0), dvec3(0.0, 2.0, 1.0)];
    let roof = world.add_body(BodyDef::triangle(corners[0], corners[1], corners[2])).unwrap();
    let down = world.ray_all(dvec3(0.0, 4.0, 0.0), dvec3(0.0, -8.0, 0.0)).unwrap();
    let found: Vec<_> = down.iter().map(|hit| (hit.body, hit.fraction, hit.normal)).collect();
    assert_eq!(found, [(roof, 0.25, DVec3::Y), (floor, 0.5, DVec3::Y)]);
    let up = world.ray_closest(dvec3(0.0, -1.0, 0.0), dvec3(0.0, 9.0, 0.0)).unwrap().unwrap();
    assert_eq!((up.body, up.normal), (floor, -DVec3::Y));
    assert_eq!(world.ray_closest(dvec3(3.0, 4.0, 0.0), dvec3(0.0, -1.0, 0.0)).unwrap(), None, "too short");
    assert_eq!(world.ray_closest(dvec3(0.0, 1.0, 0.0), DVec3::X).unwrap(), None, "along the floor");
}

#[test]
fn overlaps_are_seen() {
    let mut world = World::new(WorldDef::default());
    let floor = world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
    let ball = world.add_body(BodyDef { position: dvec3(0.0, 3.0, 0.0), ..BodyDef::sphere(1.0) }).unwrap();
    let block = world.add_body(BodyDef { position: dvec3(5.0, 3.0, 0.0), ..BodyDef::cuboid(DVec3::ONE) }).unwrap();
    let ask = |shape: Shape, x: f64, y: f64| world.bodies_overlapping(shape, dvec3(x, y, 0.0), Quat::IDENTITY).unwrap();
    let probe = Shape::Sphere { radius: 0.5 };
    assert_eq!(ask(probe, 1.4, 3.0), [ball]);
    assert_eq!(ask(probe, 1.6, 3.0), []);
    assert_eq!(ask(probe, 0.0, 0.4), [floor]);
    assert_eq!(ask(Shape::Cuboid { half_extents: dvec3(2.0, 0.1, 0.1) }, 2.5, 3.0), [ball, block]);
    assert!(world.bodies_overlapping(Shape::Plane { normal: DVec3::Y }, DVec3::ZERO, Quat::IDENTITY).is_err());
    let in_box =
        |x: f64| world.bodies_in_aabb(Aabb { min: dvec3(x, 2.9, -1.0), max: dvec3(x + 0.5, 3.1, 1.0) }).unwrap();
    assert_eq!((in_box(0.5), in_box(2.0), in_box(3.8)), (vec![ball], vec![], vec![block]));
}

#[test]
fn frames_of_any_length_make_the_same_steps() {
    let build = || {
        let mut world = World::new(WorldDef::default());
        world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
        let def = BodyDef {
            position: dvec3(0.0, 2.0, 0.0),
            angular_velocity: dvec3(1.0, 2.0, 3.0),
            ..BodyDef::cuboid(DVec3::ONE * 0.3)
        };
        let id = world.add_body(def).unwrap();
        (world, id)
    };
    let (mut smooth, _) = build();
    let (mut rough, _) = build();
    let mut impacts = [0, 0];
    for _ in 0..240 {
        smooth.advance(1.0 / 240.0).unwrap();
        impacts[0] += smooth.events().impacts.len();
    }
    for _ in 0..20 {
        let done = rough.advance(1.0 / 20.0).unwrap();
        assert_eq!((done.steps, done.dropped_s), (3, 0.0));
        impacts[1] += rough.events().impacts.len();
    }
    assert_eq!(smooth.step_count(), 60);
    assert_eq!(smooth.state_hash(), rough.state_hash());
    assert_eq!(impacts[0], impacts[1], "events of all steps are told");
    assert_eq!(rough.advance(10.0).unwrap().steps, 8, "no more than it may catch up");

    let (mut world, body) = build();
    world.step(1.0 / 60.0);
    world.advance(1.0 / 60.0).unwrap();
    let at_step = world.body(body).position();
    world.advance(0.5 / 60.0).unwrap();
    let before = world.body(body).interpolated_pose().0;
    world.advance(0.5 / 60.0).unwrap();
    let after = world.body(body).position();
    assert!(before.y < world.body(body).interpolated_pose().0.y + 1.0 && after.y < at_step.y);
    let (between, turned) = world.body(body).interpolated_pose();
    assert!((between - at_step).length() < 1.0e-12, "at the start of the next step the last one is shown");
    assert!((turned.length() - 1.0).abs() < 1.0e-12);
    world.body_mut(body).set_position(dvec3(9.0, 9.0, 9.0)).unwrap();
    assert_eq!(
        world.body(body).interpolated_pose().0,
        dvec3(9.0, 9.0, 9.0),
        "nothing is drawn half way to a new place"
    );
}
