//! Filters, visits and casts of turning shapes in random worlds, against trying every shape. The plain questions are
//! held to brute force with both broad phases in `carom-checks/tests/queries.rs`.

use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::shape::{Circle, Polygon, Sweep, geometry_distance, overlap};

fn spot(rng: &mut Rng, reach: f32) -> Vec2 {
    vec2(rng.range(-reach, reach), rng.range(-reach, reach))
}

fn random_shape(rng: &mut Rng) -> ShapeDef {
    match rng.below(6) {
        0 => ShapeDef::circle(rng.range(0.1, 0.8)),
        1 => ShapeDef::capsule(vec2(-0.4, 0.0), vec2(0.3, 0.2), rng.range(0.05, 0.4)),
        2 => ShapeDef::ellipse(rng.range(0.1, 0.8), rng.range(0.1, 0.8)),
        3 => ShapeDef::concave(&[vec2(-0.5, -0.5), vec2(0.7, -0.4), vec2(-0.2, -0.2), vec2(-0.3, 0.8)]),
        4 => ShapeDef::segment(vec2(-0.6, 0.1), vec2(0.5, rng.range(-0.5, 0.5))),
        _ => ShapeDef::rectangle(rng.range(0.2, 1.5), rng.range(0.2, 1.5)),
    }
}

/// Sixty bodies with one shape or two.
fn random_world(seed: u64) -> World {
    let mut rng = Rng::new(seed);
    let mut world = World::new(WorldDef::default());
    for number in 0..60 {
        let def = BodyDef { position: spot(&mut rng, 10.0), angle: rng.range(-3.0, 3.0), ..BodyDef::fixed() };
        let body = world.add_body(def).unwrap();
        for part in 0..1 + number % 2 {
            let def = ShapeDef { position: vec2(0.6 * part as f32, 0.0), user_data: number, ..random_shape(&mut rng) };
            world.add_shape(body, def).unwrap();
        }
    }
    world
}

fn on_random_worlds(check: impl Fn(&World, &mut Rng)) {
    for seed in 1..=6 {
        let world = random_world(seed);
        let mut rng = Rng::new(1000 + seed);
        for _ in 0..80 {
            check(&world, &mut rng);
        }
    }
}

/// A random part of what there is.
fn some<T>(all: impl Iterator<Item = T>, rng: &mut Rng) -> Vec<T> {
    all.filter(|_| rng.below(4) == 0).collect()
}

#[test]
fn excluded_and_refused_shapes_are_as_if_absent() {
    on_random_worlds(|world, rng| {
        let (bodies, shapes) = (some(world.bodies(), rng), some(world.shapes(), rng));
        let divisor = 2 + rng.below(3) as u64;
        let refuses = |shape: ShapeRef<'_>| !shape.user_data().is_multiple_of(divisor);
        let all = QueryFilter::default();
        let filter = QueryFilter { exclude_bodies: &bodies, exclude_shapes: &shapes, predicate: Some(&refuses), ..all };
        let is_left = |id: &ShapeId| {
            !shapes.contains(id) && !bodies.contains(&world.shape(*id).body()) && refuses(world.shape(*id))
        };
        let (origin, way) = (spot(rng, 12.0), spot(rng, 15.0));
        let mut left = world.ray_all(origin, way, all).unwrap();
        left.retain(|hit| is_left(&hit.shape));
        assert_eq!(world.ray_all(origin, way, filter).unwrap(), left);
        assert_eq!(world.ray_closest(origin, way, filter).unwrap(), left.first().copied());
        assert_eq!(world.ray_any(origin, way, filter).unwrap(), !left.is_empty());

        let region = Aabb::new(origin, origin + vec2(4.0, 3.0));
        let mut left = world.shapes_in_aabb(region, all).unwrap();
        left.retain(is_left);
        assert_eq!(world.shapes_in_aabb(region, filter).unwrap(), left);

        let disc = Geometry::from(Circle::new(Vec2::ZERO, 0.3).unwrap());
        let mut left = world.cast_shape_all(&disc, Pose::new(origin, 0.0), way, all).unwrap();
        left.retain(|hit| is_left(&hit.shape));
        assert_eq!(world.cast_shape_all(&disc, Pose::new(origin, 0.0), way, filter).unwrap(), left);
        assert_eq!(world.cast_shape(&disc, Pose::new(origin, 0.0), way, filter).unwrap(), left.first().copied());
        if let Some(found) = world.closest_point(origin, 20.0, filter).unwrap() {
            assert!(is_left(&found.shape));
        }
    });
}

#[test]
fn visits_show_what_lists_hold() {
    on_random_worlds(|world, rng| {
        let (origin, way, all) = (spot(rng, 12.0), spot(rng, 15.0), QueryFilter::default());
        let expected = world.ray_all(origin, way, all).unwrap();
        let mut shown = Vec::new();
        let visit = |hit: CastResult| {
            shown.push(hit);
            Visit::Continue
        };
        world.visit_ray(origin, way, all, visit).unwrap();
        shown.sort_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.shape.cmp(&b.shape)));
        assert_eq!(shown, expected);

        // Each one asked for must be nearer than the last, so the last is the nearest.
        let mut last: Option<CastResult> = None;
        let visit = |hit: CastResult| {
            assert!(last.is_none_or(|last| hit.fraction <= last.fraction));
            last = Some(hit);
            Visit::Nearer
        };
        world.visit_ray(origin, way, all, visit).unwrap();
        assert_eq!(last.map(|hit| hit.fraction), expected.first().map(|hit| hit.fraction));

        let mut asked = 0;
        let stop = |_| {
            asked += 1;
            Visit::Stop
        };
        world.visit_ray(origin, way, all, stop).unwrap();
        assert_eq!(asked, usize::from(!expected.is_empty()));

        let region = Aabb::new(origin, origin + vec2(4.0, 3.0));
        let mut shown = Vec::new();
        let visit = |shape| {
            shown.push(shape);
            Visit::Continue
        };
        world.visit_aabb(region, all, visit).unwrap();
        shown.sort_unstable();
        assert_eq!(shown, world.shapes_in_aabb(region, all).unwrap());
    });
}

#[test]
fn one_shape_and_one_body_answer_like_the_world() {
    on_random_worlds(|world, rng| {
        let (origin, way) = (spot(rng, 12.0), spot(rng, 15.0));
        let hits = world.ray_all(origin, way, QueryFilter::default()).unwrap();
        for id in world.shapes() {
            let expected = hits.iter().find(|hit| hit.shape == id).copied();
            assert_eq!(world.shape(id).ray(origin, way).unwrap(), expected);
        }
    });
    let world = random_world(7);
    for body in world.bodies().map(|id| world.body(id)) {
        let around = body.aabb().expect("every body has a shape");
        for shape in body.shapes() {
            assert_eq!(around.union(&world.shape(shape).aabb()), around);
        }
    }
    let mut empty = World::new(WorldDef::default());
    let bare = empty.add_body(BodyDef::fixed()).unwrap();
    assert_eq!(empty.body(bare).aabb(), None);
    let first = world.shapes().next().expect("the world has shapes");
    assert!(world.shape(first).ray(vec2(f32::NAN, 0.0), Vec2::X).is_err());
}

/// The way of a shape is free until the fraction that a cast answers, and closed there.
#[test]
fn turning_casts_end_where_sampling_finds_the_first_overlap() {
    on_random_worlds(|world, rng| {
        let geometry = match rng.below(3) {
            0 => Geometry::from(Polygon::rectangle(rng.range(0.5, 3.0), rng.range(0.1, 0.4)).unwrap()),
            1 => Geometry::capsule(vec2(-0.7, 0.1), vec2(0.8, 0.0), 0.1).unwrap(),
            _ => {
                let number = rng.below(60) as usize;
                world.shape(world.shapes().nth(number).unwrap()).geometry().clone()
            }
        };
        let start = Pose::new(spot(rng, 10.0), rng.range(-3.0, 3.0));
        let turning = Sweep { turn: rng.range(-5.0, 5.0), ..Sweep::along(start, spot(rng, 3.0)) };
        let sweep = Sweep { local_center: spot(rng, 0.5), ..turning };
        let overlaps = |fraction: f32| {
            let pose = sweep.pose_at(fraction);
            let shape_overlaps = |id: ShapeId| {
                let shape = world.shape(id);
                overlap(shape.geometry(), world.body(shape.body()).pose(), &geometry, pose)
            };
            let near = world.shapes_in_aabb(geometry.aabb(pose), QueryFilter::default()).unwrap();
            near.into_iter().any(shape_overlaps)
        };
        const SAMPLES: usize = 400;
        let first = (0..=SAMPLES).map(|i| i as f32 / SAMPLES as f32).find(|&fraction| overlaps(fraction));
        let hit = world.cast_sweep(&geometry, &sweep, QueryFilter::default()).unwrap();
        match (hit, first) {
            (None, None) => {}
            (None, Some(first)) => panic!("an overlap at {first} was not found, {geometry:?} along {sweep:?}"),
            (Some(hit), first) => {
                assert!(hit.fraction <= first.unwrap_or(1.0), "found {} after {first:?}", hit.fraction);
                let shape = world.shape(hit.shape);
                let pose = world.body(shape.body()).pose();
                let gap = geometry_distance(shape.geometry(), pose, &geometry, sweep.pose_at(hit.fraction)).distance;
                assert!(hit.fraction == 0.0 || (0.0..1.0e-3).contains(&gap), "met at a distance of {gap}");
            }
        }
    });
}

#[test]
fn casts_without_turning_agree() {
    on_random_worlds(|world, rng| {
        let geometry = Geometry::from(Polygon::rectangle(rng.range(0.2, 1.0), rng.range(0.1, 0.4)).unwrap());
        let (pose, way) = (Pose::new(spot(rng, 10.0), rng.range(-3.0, 3.0)), spot(rng, 12.0));
        let straight = world.cast_shape(&geometry, pose, way, QueryFilter::default()).unwrap();
        let sweep = Sweep::along(pose, way);
        let swept = world.cast_sweep(&geometry, &sweep, QueryFilter::default()).unwrap();
        match (straight, swept) {
            (None, None) => {}
            // Both leave a gap that may be closed at a grazing angle.
            (Some(straight), Some(swept)) => assert!((straight.fraction - swept.fraction).abs() < 2.0e-2),
            (straight, swept) => {
                let hit = straight.or(swept).expect("one of them");
                let shape = world.shape(hit.shape);
                let at = world.body(shape.body()).pose();
                let gap = geometry_distance(shape.geometry(), at, &geometry, sweep.pose_at(hit.fraction)).distance;
                assert!(gap > 0.0 && gap < 1.0e-3, "only one of {straight:?} and {swept:?} meets");
            }
        }
    });
}

#[test]
fn bad_sweeps_are_refused() {
    let world = random_world(1);
    let disc = Geometry::from(Circle::new(Vec2::ZERO, 0.3).unwrap());
    let good = Sweep::along(Pose::IDENTITY, Vec2::X);
    for bad in [
        Sweep { turn: f32::NAN, ..good },
        Sweep { translation: vec2(f32::INFINITY, 0.0), ..good },
        Sweep { center: vec2(f32::NAN, 0.0), ..good },
        Sweep { local_center: vec2(0.0, f32::NAN), ..good },
    ] {
        assert!(world.cast_sweep(&disc, &bad, QueryFilter::default()).is_err(), "{bad:?}");
    }
}

/// Found by fuzzing: rays across 1e38 m answered with points and normals that are no numbers. They are refused; those of up to
/// 1e9 m have answers.
#[test]
fn the_longest_rays_have_finite_answers() {
    let mut world = World::new(WorldDef::default());
    let points = [vec2(-1.0, -0.5), vec2(1.0, -0.5), vec2(0.8, 0.7), vec2(0.0, 0.1), vec2(-1.0, 0.6)];
    let shapes = [
        ShapeDef::circle(0.3),
        ShapeDef::ellipse(1.0e-3, 2.0),
        ShapeDef::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.5), 0.1),
        ShapeDef::segment(vec2(-1.0, -1.0), vec2(1.0, 1.0)),
        ShapeDef::rectangle(1.0, 2.0),
        ShapeDef { rounding: 0.2, ..ShapeDef::rectangle(1.0, 1.0) },
        ShapeDef::concave(&points),
        ShapeDef::chain_loop(&points),
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let body = world.add_body(BodyDef { position: vec2(0.3 * i as f32, 0.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(body, shape).unwrap();
    }
    let mut rng = Rng::new(31);
    let mut hits = 0;
    for _ in 0..2000 {
        let reach = [1.0, 1.0e3, 1.0e6, 1.0e9][rng.below(4) as usize];
        let way = vec2(reach * rng.range(-1.0, 1.0), reach * rng.range(-1.0, 1.0));
        let aim = vec2(rng.range(-1.0, 3.0), rng.range(-1.0, 1.0));
        for origin in [aim - 0.5 * way, aim - 0.9 * way, aim] {
            for hit in world.ray_all(origin, way, QueryFilter::default()).unwrap() {
                assert!(hit.point.is_finite() && hit.normal.is_finite(), "{hit:?} from {origin} along {way}");
                assert!((0.0..=1.0).contains(&hit.fraction), "{hit:?}");
                hits += 1;
            }
        }
    }
    assert!(hits > 3000, "{hits} hits");
    for far in [1.1e9, 1.0e20, 3.0e38] {
        assert!(world.ray_all(vec2(0.0, far), vec2(1.0, 0.0), QueryFilter::default()).is_err());
        assert!(world.ray_closest(vec2(0.0, 9.0), vec2(far, -far), QueryFilter::default()).is_err());
    }
}
