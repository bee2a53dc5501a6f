//! Questions to the world, against the answer of trying every shape, with both broad phases.

use carom_checks::validation::DT;
use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::shape::{geometry_cast, overlap};

const QUADTREE: QuadtreeDef =
    QuadtreeDef { center: Vec2::ZERO, half_extents: Vec2::splat(8.0), capacity: 3, max_depth: 6 };

/// A world of some 120 shapes of all sorts, some compound, some sensors, some fixed, some disabled,
/// some of other categories, after a few steps so that they have moved inside their fat boxes.
fn random_world(seed: u64, broad_phase: BroadPhaseKind) -> World {
    let mut world = World::new(WorldDef { broad_phase, gravity: vec2(0.0, -3.0), ..WorldDef::default() });
    let mut rng = Rng::new(seed);
    for i in 0..90 {
        let kind = [BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic][i % 4];
        let body = BodyDef {
            kind,
            position: vec2(rng.range(-10.0, 10.0), rng.range(-10.0, 10.0)),
            angle: rng.range(-3.0, 3.0),
            velocity: vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)),
            enabled: i % 15 != 7,
            ..BodyDef::dynamic()
        };
        let body = world.add_body(body).unwrap();
        for part in 0..1 + usize::from(i % 3 == 0) {
            let shape = match rng.below(8) {
                0 => ShapeDef::circle(rng.range(0.1, 0.8)),
                1 => ShapeDef::capsule(vec2(-rng.range(0.1, 0.9), 0.0), vec2(0.3, 0.2), rng.range(0.05, 0.4)),
                5 => ShapeDef::ellipse(rng.range(0.1, 0.8), rng.range(0.1, 0.8)),
                6 => ShapeDef::chain(&[vec2(0.9, 0.1), vec2(0.2, rng.range(-0.3, 0.3)), vec2(-0.7, 0.0)]),
                7 => ShapeDef::concave(&[
                    vec2(-0.5, -0.5),
                    vec2(rng.range(0.3, 1.0), -0.4),
                    vec2(-0.2, -0.2),
                    vec2(-0.3, rng.range(0.3, 1.0)),
                ]),
                2 => ShapeDef::segment(vec2(-rng.range(0.2, 1.0), 0.1), vec2(0.5, rng.range(-0.5, 0.5))),
                3 => ShapeDef { rounding: 0.1, ..ShapeDef::rectangle(rng.range(0.2, 1.5), rng.range(0.2, 1.5)) },
                _ => ShapeDef::convex(&[
                    vec2(-0.5, -0.3),
                    vec2(rng.range(0.3, 1.0), -0.2),
                    vec2(0.0, rng.range(0.3, 1.0)),
                ]),
            };
            world
                .add_shape(
                    body,
                    ShapeDef {
                        position: vec2(0.6 * part as f32, 0.0),
                        sensor: i % 10 == 3,
                        filter: Filter { category: 1 << (i % 3), ..Filter::ALL },
                        ..shape
                    },
                )
                .unwrap();
        }
    }
    for _ in 0..7 {
        world.step(DT);
    }
    world
}

/// The kinds of filters that questions are asked with.
fn filters() -> [QueryFilter<'static>; 4] {
    let all = QueryFilter::default();
    let category = |mask| QueryFilter { filter: Filter { category: u64::MAX, mask, group: 0 }, ..all };
    [all, QueryFilter { sensors: true, ..all }, category(0b010), QueryFilter { sensors: true, ..category(0b101) }]
}

/// The shapes that a question with this filter may find, with their outlines and poses, by index.
fn visible(world: &World, filter: QueryFilter) -> Vec<(ShapeId, Geometry, Pose)> {
    world
        .shapes()
        .map(|id| (id, world.shape(id)))
        .filter(|(_, shape)| world.body(shape.body()).is_enabled())
        .filter(|(_, shape)| {
            (filter.sensors || !shape.is_sensor()) && filter.filter.mask & shape.filter().category != 0
        })
        .map(|(id, shape)| (id, shape.geometry().clone(), world.body(shape.body()).pose()))
        .collect()
}

/// Runs a check on several random worlds with both broad phases, some 100 draws each.
fn on_random_worlds(check: impl Fn(&World, &mut Rng, QueryFilter)) {
    for seed in 1..=4 {
        for broad_phase in [BroadPhaseKind::Tree, BroadPhaseKind::Quadtree(QUADTREE)] {
            let world = random_world(seed, broad_phase);
            let mut rng = Rng::new(100 + seed);
            for draw in 0..120 {
                check(&world, &mut rng, filters()[draw % 4]);
            }
        }
    }
}

fn point(rng: &mut Rng, reach: f32) -> Vec2 {
    vec2(rng.range(-reach, reach), rng.range(-reach, reach))
}

/// Rays: the first, all and any agree with trying every shape, and the hits lie on the surfaces.
#[test]
fn rays_find_what_brute_force_finds() {
    on_random_worlds(|world, rng, filter| {
        let (origin, translation) = (point(rng, 12.0), point(rng, 15.0));
        let mut expected: Vec<(f32, ShapeId, Vec2)> = Vec::new();
        for (id, geometry, pose) in visible(world, filter) {
            if let Some(hit) = geometry.ray(pose.inv_point(origin), pose.q.inv_rotate(translation), 1.0) {
                expected.push((hit.fraction, id, pose.q.rotate(hit.normal)));
            }
        }
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let all = world.ray_all(origin, translation, filter).unwrap();
        let found: Vec<(f32, ShapeId, Vec2)> = all.iter().map(|hit| (hit.fraction, hit.shape, hit.normal)).collect();
        assert_eq!(found, expected);
        for hit in &all {
            assert!((hit.point - (origin + translation * hit.fraction)).length() < 1.0e-6);
            assert!(hit.normal == Vec2::ZERO || (hit.normal.length() - 1.0).abs() < 1.0e-4);
            assert!(hit.normal.dot(translation) <= 1.0e-4, "the normal points along the ray");
        }
        let closest = world.ray_closest(origin, translation, filter).unwrap();
        assert_eq!(closest, all.first().copied());
        assert_eq!(world.ray_any(origin, translation, filter).unwrap(), !all.is_empty());
    });
}

/// Points: the shapes that contain one.
#[test]
fn points_find_what_brute_force_finds() {
    on_random_worlds(|world, rng, filter| {
        // Half of the points in a shape, so that there is something to find.
        let shapes = visible(world, filter);
        let mut at = point(rng, 11.0);
        if rng.below(2) == 0 {
            let (_, geometry, pose) = &shapes[rng.below(shapes.len() as u32) as usize];
            at = pose.point(geometry.centroid());
        }
        let inside = shapes.iter().filter(|(_, geometry, pose)| geometry.contains(pose.inv_point(at)));
        let expected: Vec<ShapeId> = inside.map(|(id, ..)| *id).collect();
        assert_eq!(world.shapes_at(at, filter).unwrap(), expected);
        assert!(expected.iter().all(|&id| world.shape(id).contains(at)));
    });
}

/// Boxes: the shapes whose own boxes overlap one, without the broad phase's margin.
#[test]
fn boxes_find_what_brute_force_finds() {
    on_random_worlds(|world, rng, filter| {
        let corner = point(rng, 11.0);
        let region = Aabb::new(corner, corner + vec2(rng.range(0.0, 6.0), rng.range(0.0, 3.0)));
        let shapes = visible(world, filter);
        let meets = |geometry: &Geometry, pose: Pose| geometry.aabb(pose).overlaps(&region);
        let overlapping = shapes.iter().filter(|(_, geometry, pose)| match geometry.parts() {
            [] => meets(geometry, *pose),
            parts => parts.iter().any(|part| meets(&Geometry::Part(part.clone()), *pose)),
        });
        let expected: Vec<ShapeId> = overlapping.map(|(id, ..)| *id).collect();
        assert_eq!(world.shapes_in_aabb(region, filter).unwrap(), expected);
    });
}

fn probe(rng: &mut Rng) -> (Geometry, Pose) {
    let geometry = match rng.below(4) {
        0 => Geometry::circle(rng.range(0.05, 1.5)).unwrap(),
        1 => Geometry::capsule(vec2(-0.7, 0.0), vec2(0.6, 0.3), rng.range(0.05, 0.5)).unwrap(),
        2 => Geometry::segment(vec2(-1.0, 0.0), vec2(rng.range(0.1, 2.0), 0.0)).unwrap(),
        _ => ShapeDef::rectangle(rng.range(0.1, 3.0), rng.range(0.1, 1.0)).build().unwrap(),
    };
    (geometry, Pose::new(point(rng, 11.0), rng.range(-3.0, 3.0)))
}

/// Shapes: those that overlap another one.
#[test]
fn shapes_find_what_brute_force_finds() {
    on_random_worlds(|world, rng, filter| {
        let (geometry, pose) = probe(rng);
        let shapes = visible(world, filter);
        let overlapping = shapes.iter().filter(|(_, other, other_pose)| overlap(other, *other_pose, &geometry, pose));
        let expected: Vec<ShapeId> = overlapping.map(|(id, ..)| *id).collect();
        assert_eq!(world.shapes_overlapping(&geometry, pose, filter).unwrap(), expected);
    });
}

/// Casts: the first shape that a moving one meets.
#[test]
fn casts_find_what_brute_force_finds() {
    on_random_worlds(|world, rng, filter| {
        let (geometry, pose) = probe(rng);
        let translation = point(rng, 10.0);
        let mut first: Option<(f32, ShapeId)> = None;
        for (id, other, other_pose) in visible(world, filter) {
            let local = other_pose.q.inv_rotate(translation);
            let hit = geometry_cast(&other, &geometry, other_pose.inv_mul(pose), local, 1.0);
            if let Some(hit) = hit
                && first.is_none_or(|(fraction, _)| hit.fraction < fraction)
            {
                first = Some((hit.fraction, id));
            }
        }
        let found = world.cast_shape(&geometry, pose, translation, filter).unwrap();
        assert_eq!(found.map(|hit| (hit.fraction, hit.shape)), first);
        if let Some(hit) = found {
            // Where it stops, it touches: moved there, it is next to the shape it met.
            let there = Pose { p: pose.p + translation * hit.fraction, q: pose.q };
            let (_, other, other_pose) = visible(world, filter).into_iter().find(|(id, ..)| *id == hit.shape).unwrap();
            let distance = carom2d::shape::geometry_distance(&other, other_pose, &geometry, there).distance;
            assert!(distance < 0.01, "stopped {distance} m before the shape");
        }
    });
}

/// Closest points: the nearest shape within reach, and how near it is.
#[test]
fn closest_points_are_those_of_brute_force() {
    on_random_worlds(|world, rng, filter| {
        let (at, reach) = (point(rng, 14.0), rng.range(0.0, 4.0));
        let mut nearest: Option<(f32, ShapeId)> = None;
        for (id, geometry, pose) in visible(world, filter) {
            let closest = pose.point(geometry.closest_point(pose.inv_point(at)));
            let distance = (closest - at).length();
            if distance <= reach && nearest.is_none_or(|(best, _)| distance < best) {
                nearest = Some((distance, id));
            }
        }
        let found = world.closest_point(at, reach, filter).unwrap();
        assert_eq!(found.map(|found| found.shape), nearest.map(|(_, shape)| shape));
        if let (Some(found), Some((distance, _))) = (&found, nearest) {
            // Both round, in another order.
            assert!((found.distance - distance).abs() < 1.0e-6, "{} and {distance}", found.distance);
        }
        if let Some(found) = found {
            assert!(((found.point - at).length() - found.distance).abs() < 1.0e-5);
        }
    });
}

/// Sensors are found on request only, disabled bodies never, and groups do not hide from questions
/// without one.
#[test]
fn sensors_only_on_request_and_disabled_bodies_never() {
    let mut world = World::new(WorldDef::default());
    let mut put = |x: f32, def: BodyDef, shape: ShapeDef| {
        let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..def }).unwrap();
        world.add_shape(body, shape).unwrap()
    };
    let solid = put(0.0, BodyDef::fixed(), ShapeDef::circle(0.5));
    let sensor = put(2.0, BodyDef::fixed(), ShapeDef { sensor: true, ..ShapeDef::circle(0.5) });
    put(4.0, BodyDef { enabled: false, ..BodyDef::fixed() }, ShapeDef::circle(0.5));
    let grouped =
        put(6.0, BodyDef::fixed(), ShapeDef { filter: Filter { group: -1, ..Filter::ALL }, ..ShapeDef::circle(0.5) });
    let hidden =
        put(8.0, BodyDef::fixed(), ShapeDef { filter: Filter { mask: 0, ..Filter::ALL }, ..ShapeDef::circle(0.5) });
    let ask = |filter: QueryFilter| -> Vec<ShapeId> {
        world.ray_all(vec2(-5.0, 0.0), vec2(20.0, 0.0), filter).unwrap().iter().map(|hit| hit.shape).collect()
    };
    let all = QueryFilter::default();
    assert_eq!(ask(all), [solid, grouped]);
    assert_eq!(ask(QueryFilter { sensors: true, ..all }), [solid, sensor, grouped]);
    let region = Aabb::new(vec2(-1.0, -1.0), vec2(9.0, 1.0));
    assert_eq!(world.shapes_in_aabb(region, all).unwrap(), [solid, grouped]);
    assert!(world.shapes_at(vec2(2.0, 0.0), all).unwrap().is_empty());
    assert!(world.shapes_at(vec2(4.0, 0.0), QueryFilter { sensors: true, ..all }).unwrap().is_empty());
    // A shape that meets nothing is not met by questions either.
    assert!(world.shapes_at(vec2(8.0, 0.0), all).unwrap().is_empty(), "{hidden:?}");
}

/// An empty world answers, and so does one whose bodies are all gone.
#[test]
fn empty_worlds_answer() {
    for broad_phase in [BroadPhaseKind::Tree, BroadPhaseKind::Quadtree(QUADTREE)] {
        let mut world = random_world(1, broad_phase);
        let ids: Vec<BodyId> = world.bodies().collect();
        for id in ids {
            world.remove_body(id).unwrap();
        }
        for world in [world, World::new(WorldDef { broad_phase, ..WorldDef::default() })] {
            let all = QueryFilter { sensors: true, ..QueryFilter::default() };
            assert_eq!(world.ray_closest(Vec2::ZERO, Vec2::X, all).unwrap(), None);
            assert!(!world.ray_any(vec2(-20.0, -20.0), vec2(40.0, 40.0), all).unwrap());
            assert_eq!(world.closest_point(Vec2::ZERO, 1.0e6, all).unwrap(), None);
            assert!(world.shapes_at(Vec2::ZERO, all).unwrap().is_empty());
        }
    }
}
