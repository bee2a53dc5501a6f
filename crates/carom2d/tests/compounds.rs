//! Chains, concave polygons and ellipses in a world: one shape to the caller, whatever it is made of.

use carom_core::Rng;
use carom2d::math::sin_cos;
use carom2d::prelude::*;
use carom2d::shape::{Chain, ChainEnds, Ellipse};
use std::f32::consts::TAU;

const DT: f32 = 1.0 / 60.0;

fn world() -> World {
    World::new(WorldDef { sleeping: false, ..WorldDef::default() })
}

fn add(world: &mut World, position: Vec2, shape: ShapeDef) -> (BodyId, ShapeId) {
    let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
    let shape = world.add_shape(body, shape).unwrap();
    (body, shape)
}

fn fixed(world: &mut World, shape: ShapeDef) -> ShapeId {
    let body = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(body, shape).unwrap()
}

/// A floor at y = 0 in many links, from right to left.
fn floor(links: usize, step: f32) -> Vec<Vec2> {
    (0..=links).rev().map(|i| vec2(step * i as f32, 0.0)).collect()
}

/// An outline like a valley, or hills, over a base.
fn terrain(count: usize, height: impl Fn(f32) -> f32) -> Vec<Vec2> {
    let mut points: Vec<Vec2> = (0..=count).rev().map(|i| i as f32 * 0.5).map(|x| vec2(x, height(x))).collect();
    points.extend([vec2(0.0, -3.0), vec2(0.5 * count as f32, -3.0)]);
    points
}

/// Slides a shape over the ground at 10 m/s; how far it left the ground's surface at y = 0, and how much
/// its speed changed.
fn slide(ground: ShapeDef, shape: ShapeDef) -> (f32, f32) {
    let mut world = world();
    fixed(&mut world, ShapeDef { friction: 0.0, ..ground });
    let (body, _) = add(&mut world, vec2(2.0, 0.25), ShapeDef { friction: 0.0, ..shape });
    world.body_mut(body).set_velocity(vec2(10.0, 0.0)).unwrap();
    let mut hop: f32 = 0.0;
    while world.body(body).position().x < 95.0 && world.step_count() < 1000 {
        world.step(DT);
        world.validate();
        hop = carom2d::math::max(hop, (world.body(body).position().y - 0.25).abs());
    }
    (hop, (world.body(body).velocity().x / 10.0 - 1.0).abs())
}

/// Nothing trips over the joints of a flat chain, or over the cuts of a concave polygon.
#[test]
fn flat_ground_in_many_parts_is_flat() {
    let chain = ShapeDef::chain(&floor(200, 0.5));
    // Hardly flat: corners that are dropped would make it one piece.
    let concave = ShapeDef::concave(&terrain(200, |x| if (x * 2.0) as i32 % 2 == 0 { 0.0 } else { -1.5e-5 }));
    let deep =
        ShapeDef::with_holes(&terrain(200, |_| 0.0), &[vec![vec2(50.0, -1.0), vec2(51.0, -1.0), vec2(50.5, -2.0)]]);
    for (ground_name, ground) in [("chain", chain), ("concave", concave), ("holes", deep)] {
        for (name, shape) in [
            ("disc", ShapeDef::circle(0.25)),
            ("ellipse", ShapeDef::ellipse(0.25, 0.25)),
            ("capsule", ShapeDef::capsule(vec2(-0.25, 0.0), vec2(0.25, 0.0), 0.25)),
            ("box", ShapeDef::rectangle(0.5, 0.5)),
            (
                "L",
                ShapeDef::concave(&[
                    vec2(-0.25, -0.25),
                    vec2(0.25, -0.25),
                    vec2(0.25, -0.15),
                    vec2(-0.1, -0.15),
                    vec2(-0.1, 0.25),
                    vec2(-0.25, 0.25),
                ]),
            ),
        ] {
            let (hop, slowed) = slide(ground.clone(), shape);
            assert!(hop <= 1.0e-3 && slowed <= 1.0e-3, "{name} on {ground_name}: {hop} m, {slowed}");
        }
    }
}

/// Over gentle hills, down and up again, what slides keeps its energy.
#[test]
fn hills_of_a_chain_cost_no_energy() {
    let height = |x: f32| 0.5 * sin_cos(0.25 * x).0;
    let chain: Vec<Vec2> = (0..=1600).rev().map(|i| 0.0625 * i as f32).map(|x| vec2(x, height(x))).collect();
    for (name, shape) in [("disc", ShapeDef::circle(0.25)), ("ellipse", ShapeDef::ellipse(0.3, 0.2))] {
        let mut world = world();
        fixed(&mut world, ShapeDef { friction: 0.0, ..ShapeDef::chain(&chain) });
        let (body, _) = add(&mut world, vec2(2.0, height(2.0) + 0.3), ShapeDef { friction: 0.0, ..shape });
        world.body_mut(body).set_velocity(vec2(4.0, 0.0)).unwrap();
        for _ in 0..60 {
            world.step(DT);
        }
        let energy = |world: &World| {
            let body = world.body(body);
            let spin = body.inertia() * body.angular_velocity() * body.angular_velocity() / body.mass();
            10.0 * body.position().y + 0.5 * (body.velocity().length_squared() + spin)
        };
        let before = energy(&world);
        let mut hop: f32 = 0.0;
        while world.body(body).position().x < 95.0 && world.step_count() < 2400 {
            world.step(DT);
            let p = world.body(body).position();
            hop = carom2d::math::max(hop, p.y - height(p.x) - 0.3);
        }
        let lost = 1.0 - energy(&world) / before;
        assert!(world.body(body).position().x >= 95.0, "{name} stopped at {}", world.body(body).position());
        assert!(hop < 0.02 && lost > -0.001 && lost < 0.012, "{name}: hop {hop}, lost {lost}");
    }
}

#[test]
fn chains_are_open_from_behind() {
    let mut world = world();
    fixed(&mut world, ShapeDef::chain(&floor(20, 0.5)));
    let (below, _) = add(&mut world, vec2(5.0, -1.0), ShapeDef::rectangle(0.5, 0.5));
    world.body_mut(below).set_velocity(vec2(0.0, 12.0)).unwrap();
    let (above, _) = add(&mut world, vec2(3.0, 1.0), ShapeDef::circle(0.3));
    let mut highest: f32 = -1.0;
    for _ in 0..300 {
        world.step(DT);
        highest = carom2d::math::max(highest, world.body(below).position().y);
    }
    assert!(highest > 3.0, "it passes through from below, up to {highest}");
    assert!((world.body(below).position().y - 0.25).abs() < 0.01, "and lands on top");
    assert!((world.body(above).position().y - 0.3).abs() < 0.01);
    // Rays likewise.
    let hit = world.ray_closest(vec2(8.0, 2.0), vec2(0.0, -4.0), QueryFilter::default()).unwrap().unwrap();
    assert!((hit.fraction - 0.5).abs() < 1.0e-6 && hit.normal == Vec2::Y);
    assert_eq!(world.ray_closest(vec2(8.0, -2.0), vec2(0.0, 4.0), QueryFilter::default()).unwrap(), None);
}

/// A clockwise loop holds what is inside, whatever it is.
#[test]
fn a_loop_holds_what_is_inside() {
    let mut world = world();
    let rim: Vec<Vec2> = (0..360).map(|i| sin_cos(-TAU * i as f32 / 360.0)).map(|(s, c)| 10.0 * vec2(c, s)).collect();
    fixed(&mut world, ShapeDef::chain_loop(&rim));
    let mut rng = Rng::new(1);
    let mut bodies = Vec::new();
    for i in 0..120 {
        let shape = match i % 5 {
            0 => ShapeDef::capsule(vec2(-0.25, 0.0), vec2(0.25, 0.0), 0.25),
            1 => ShapeDef::circle(0.35),
            2 => ShapeDef::rectangle(0.7, 0.7),
            3 => ShapeDef::ellipse(0.5, 0.3),
            _ => ShapeDef::concave(&[vec2(-0.5, -0.5), vec2(0.5, -0.5), vec2(0.0, -0.2), vec2(0.0, 0.5)]),
        };
        let (body, _) = add(&mut world, vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0)), shape);
        bodies.push(body);
    }
    for step in 0..600 {
        let (s, c) = sin_cos(0.02 * step as f32);
        world.set_gravity(10.0 * vec2(s, c)).unwrap();
        world.step(DT);
        if step % 20 == 0 {
            world.validate();
        }
    }
    for body in bodies {
        let p = world.body(body).position();
        assert!(p.length() < 10.0, "{body:?} got out to {p}");
    }
}

/// Begin and end are told once for a pair of shapes, however many parts touch.
#[test]
fn events_tell_of_shapes_and_not_of_parts() {
    for shape in [ShapeDef::rectangle(1.6, 0.5), ShapeDef::circle(0.25), ShapeDef::ellipse(0.4, 0.25)] {
        let mut world = world();
        let ground = fixed(&mut world, ShapeDef { friction: 0.0, ..ShapeDef::chain(&floor(40, 0.5)) });
        let (body, slider) = add(&mut world, vec2(2.0, 1.0), ShapeDef { friction: 0.0, ..shape });
        world.body_mut(body).set_velocity(vec2(5.0, 0.0)).unwrap();
        let (mut begins, mut ends, mut hits) = (0, 0, 0);
        for _ in 0..160 {
            world.step(DT);
            world.validate();
            for event in &world.events().contact_begin {
                assert_eq!((event.shape_a, event.shape_b), (ground, slider));
                begins += 1;
            }
            ends += world.events().contact_end.len();
            hits += world.events().contact_hit.len();
            assert!(world.events().contact_hit.iter().all(|hit| hit.shape_a == ground && hit.normal.y > 0.9));
        }
        assert_eq!((begins, ends, hits), (1, 0, 1));
        assert_eq!(world.shape_count(), 2);
        assert_eq!(world.shapes().collect::<Vec<_>>(), vec![ground, slider]);
    }
}

#[test]
fn sensors_see_shapes_and_not_parts() {
    let mut world = world();
    let c = [
        vec2(-2.0, -2.0),
        vec2(2.0, -2.0),
        vec2(2.0, -1.0),
        vec2(-1.0, -1.0),
        vec2(-1.0, 1.0),
        vec2(2.0, 1.0),
        vec2(2.0, 2.0),
        vec2(-2.0, 2.0),
    ];
    let sensor = fixed(&mut world, ShapeDef { sensor: true, aabb_events: true, ..ShapeDef::concave(&c) });
    let (body, visitor) = add(&mut world, vec2(5.0, 0.0), ShapeDef::rectangle(0.5, 3.5));
    world.set_gravity(Vec2::ZERO).unwrap();
    world.body_mut(body).set_velocity(vec2(-6.0, 0.0)).unwrap();
    let (mut begins, mut ends, mut boxes) = (0, 0, 0);
    for _ in 0..120 {
        world.step(DT);
        begins += world.events().sensor_begin.len();
        ends += world.events().sensor_end.len();
        boxes += world.events().aabb_begin.len();
        let overlaps = world.shape(sensor).overlaps();
        assert!(overlaps.is_empty() || overlaps == [visitor]);
    }
    assert_eq!((begins, ends, boxes), (1, 1, 1));
}

/// Removing, disabling or replacing a shape with parts ends its contacts.
#[test]
fn what_has_begun_ends() {
    for change in 0..5 {
        let mut world = world();
        let ground = fixed(&mut world, ShapeDef::chain(&floor(40, 0.5)));
        let (body, _) = add(&mut world, vec2(5.0, 0.25), ShapeDef::rectangle(2.0, 0.5));
        for _ in 0..30 {
            world.step(DT);
        }
        let floor_body = world.shape(ground).body();
        match change {
            0 => world.remove_shape(ground).unwrap(),
            1 => world.remove_body(floor_body).unwrap(),
            2 => world.remove_body(body).unwrap(),
            3 => world.body_mut(floor_body).set_enabled(false),
            _ => world.shape_mut(ground).set_geometry(Geometry::circle(0.5).unwrap()).unwrap(),
        }
        world.validate();
        world.step(DT);
        assert_eq!(world.events().contact_end.len(), 1, "{change}");
        assert!(world.events().contact_begin.is_empty());
        world.validate();
        for _ in 0..30 {
            world.step(DT);
            assert!(world.events().contact_begin.is_empty() && world.events().contact_end.is_empty(), "{change}");
        }
    }
}

/// A concave body weighs what its outline encloses, hangs together and queries as one.
#[test]
fn concave_bodies_are_one_shape() {
    let mut world = world();
    fixed(&mut world, ShapeDef { position: vec2(0.0, -0.5), ..ShapeDef::rectangle(40.0, 1.0) });
    let u = [
        vec2(-1.0, 0.0),
        vec2(1.0, 0.0),
        vec2(1.0, 2.0),
        vec2(0.6, 2.0),
        vec2(0.6, 0.4),
        vec2(-0.6, 0.4),
        vec2(-0.6, 2.0),
        vec2(-1.0, 2.0),
    ];
    let (cup, shape) = add(&mut world, vec2(0.0, 0.05), ShapeDef::concave(&u));
    let (ball, _) = add(&mut world, vec2(0.1, 3.0), ShapeDef::circle(0.3));
    let area = 2.0 * 0.4 + 2.0 * 0.4 * 1.6;
    assert!((world.body(cup).mass() - area).abs() < 1.0e-5);
    for _ in 0..240 {
        world.step(DT);
    }
    let p = world.body(ball).position();
    assert!((p.y - 0.7).abs() < 0.02 && p.x.abs() < 0.35, "the ball lies in the cup: {p}");
    assert!(world.body(cup).position().length() < 0.06 && world.body(cup).angle().abs() < 0.01);
    let everything = QueryFilter::default();
    assert_eq!(world.shapes_at(world.body(cup).position() + vec2(0.8, 1.0), everything).unwrap(), vec![shape]);
    assert!(!world.shapes_at(vec2(0.0, 1.5), everything).unwrap().contains(&shape));
    let hits = world.ray_all(vec2(-3.0, 1.9), vec2(6.0, 0.0), everything).unwrap();
    assert_eq!(hits.iter().filter(|hit| hit.shape == shape).count(), 1);
    let closest = world.closest_point(vec2(0.0, 1.5), 5.0, everything).unwrap().unwrap();
    assert!(closest.distance > 0.3);
    assert!(world.shape_distance(shape, world.body(ball).shapes().next().unwrap()).unwrap() < 0.01);
}

/// An ellipse with equal axes rolls like a circle.
#[test]
fn an_ellipse_with_equal_axes_moves_like_a_circle() {
    let run = |shape: ShapeDef| {
        let mut world = world();
        let slope = BodyDef { angle: -0.2, position: vec2(0.0, -1.0), ..BodyDef::fixed() };
        let slope = world.add_body(slope).unwrap();
        world.add_shape(slope, ShapeDef::rectangle(60.0, 1.0)).unwrap();
        let (body, _) = add(&mut world, vec2(0.0, 0.2), shape);
        for _ in 0..180 {
            world.step(DT);
        }
        let body = world.body(body);
        (body.position(), body.velocity(), body.angular_velocity())
    };
    let (circle, ellipse) = (run(ShapeDef::circle(0.5)), run(ShapeDef::ellipse(0.5, 0.5)));
    assert!((circle.0 - ellipse.0).length() < 1.0e-4 * circle.0.length(), "{circle:?} {ellipse:?}");
    assert!((circle.1 - ellipse.1).length() < 1.0e-4 * circle.1.length(), "{circle:?} {ellipse:?}");
}

/// A rolling ellipse keeps its energy and touches the floor all the way round: no facets.
#[test]
fn an_ellipse_rolls_smoothly() {
    let mut world = world();
    fixed(&mut world, ShapeDef { position: vec2(0.0, -0.5), ..ShapeDef::rectangle(400.0, 1.0) });
    let (body, shape) = add(&mut world, vec2(0.0, 0.5), ShapeDef { friction: 1.0, ..ShapeDef::ellipse(0.55, 0.5) });
    world.body_mut(body).set_velocity(vec2(3.0, 0.0)).unwrap();
    world.body_mut(body).set_angular_velocity(-3.0 / 0.52).unwrap();
    let energy = |world: &World| {
        let body = world.body(body);
        let v = body.velocity();
        body.mass() * (10.0 * body.position().y + 0.5 * v.length_squared())
            + 0.5 * body.inertia() * body.angular_velocity() * body.angular_velocity()
    };
    for _ in 0..60 {
        world.step(DT);
    }
    let before = energy(&world);
    let mut gap: f32 = 0.0;
    for _ in 0..300 {
        world.step(DT);
        gap = carom2d::math::max(gap, world.shape(shape).aabb().min.y.abs());
    }
    let lost = 1.0 - energy(&world) / before;
    assert!(gap < 2.0e-3, "{gap} m off the floor");
    assert!(lost.abs() < 0.02, "lost {lost}");
}

/// Chains laid end to end by ghosts are as smooth as one.
#[test]
fn ghosts_join_chains() {
    let mut world = world();
    let left: Vec<Vec2> = (0..=20).rev().map(|i| vec2(0.5 * i as f32, 0.0)).collect();
    let right: Vec<Vec2> = (20..=40).rev().map(|i| vec2(0.5 * i as f32, 0.0)).collect();
    for (points, before, after) in [(left, vec2(10.5, 0.0), vec2(-0.5, -0.5)), (right, vec2(20.5, 0.0), vec2(9.5, 0.0))]
    {
        let chain = Chain::new(&points, ChainEnds::Ghosts(before, after)).unwrap();
        fixed(&mut world, ShapeDef { friction: 0.0, ..ShapeDef::geometry(chain.into()) });
    }
    let (body, _) = add(&mut world, vec2(2.0, 0.25), ShapeDef { friction: 0.0, ..ShapeDef::rectangle(0.5, 0.5) });
    world.body_mut(body).set_velocity(vec2(10.0, 0.0)).unwrap();
    for _ in 0..90 {
        world.step(DT);
        assert!((world.body(body).position().y - 0.25).abs() < 1.0e-3);
    }
    assert!((world.body(body).velocity().x - 10.0).abs() < 0.01);
    assert!(Chain::new(&[vec2(0.0, 0.0)], ChainEnds::Open).is_err());
    assert!(Chain::new(&[vec2(0.0, 0.0), vec2(1.0, 0.0)], ChainEnds::Loop).is_err());
    assert!(Chain::new(&[vec2(0.0, 0.0), vec2(0.0, 0.0)], ChainEnds::Open).is_err());
    assert!(Chain::new(&[vec2(0.0, 0.0), vec2(f32::NAN, 0.0)], ChainEnds::Open).is_err());
}

/// Editing between steps: what was not touched stays where it is, and mass, box and contacts follow.
#[test]
fn shapes_can_be_edited_between_steps() {
    let mut world = world();
    world.set_gravity(Vec2::ZERO).unwrap();
    let body = BodyDef { angle: 0.7, velocity: vec2(1.0, 2.0), angular_velocity: 3.0, ..BodyDef::dynamic() };
    let body = world.add_body(body).unwrap();
    let corners = [vec2(-0.5, -0.4), vec2(0.6, -0.3), vec2(0.1, 0.5)];
    let shape = world.add_shape(body, ShapeDef::convex(&corners)).unwrap();
    let in_world = |world: &World| corners.map(|corner| world.body(body).world_point(corner));
    for _ in 0..17 {
        world.step(DT);
    }
    let (before, mass) = (in_world(&world), world.body(body).mass());
    world.shape_mut(shape).add_vertex(vec2(0.9, 0.8)).unwrap();
    for (p, q) in before.iter().zip(in_world(&world)) {
        assert!((*p - q).length() < 2.0e-6, "{p} moved to {q}");
    }
    assert!(world.body(body).mass() > mass + 0.1);
    // Then a concave polygon with the same corners and a notch, a ring, a circle of another size.
    let notched = [corners[0], vec2(0.0, -0.2), corners[1], vec2(0.9, 0.8), corners[2]];
    world.shape_mut(shape).set_geometry(Geometry::concave(&notched).unwrap()).unwrap();
    for (p, q) in before.iter().zip(in_world(&world)) {
        assert!((*p - q).length() < 4.0e-6, "{p} moved to {q}");
    }
    let expected = world.shape(shape).geometry().mass(1.0);
    assert!((world.body(body).mass() - expected.mass).abs() < 1.0e-6);
    assert!((world.body(body).inertia() - expected.inertia).abs() < 1.0e-6);
    let beside = world.body(body).center() + vec2(0.3, 0.0);
    let (wall, _) = add(&mut world, beside, ShapeDef::circle(0.2));
    world.step(DT);
    world.validate();
    assert!(world.body(body).contacts().any(|contact| contact.is_touching()), "it meets what was put into it");
    world.remove_body(wall).unwrap();
    assert!(
        world.shape_mut(shape).add_vertex(vec2(2.0, 0.0)).is_err() && world.shape_mut(shape).set_radius(1.0).is_err()
    );
    world.shape_mut(shape).set_geometry(Geometry::circle(0.5).unwrap()).unwrap();
    world.shape_mut(shape).set_radius(2.0).unwrap();
    assert!((world.body(body).mass() - 4.0 * std::f32::consts::PI).abs() < 1.0e-4);
    assert!(world.shape_mut(shape).set_radius(f32::NAN).is_err());
    world.step(DT);
    world.validate();
    assert!((world.fat_aabb(shape).unwrap().half_extents().x - 2.0).abs() < 0.2);
}

/// What lies on a polygon of many vertices meets the few pieces that are near, however many there are: the
/// tree over them makes the cost of a contact grow like the logarithm of their number.
#[test]
fn contacts_do_not_grow_with_the_number_of_vertices() {
    for count in [100, 1000, 10_000, 100_000] {
        let ring: Vec<Vec2> =
            (0..count).map(|i| sin_cos(TAU * i as f32 / count as f32)).map(|(s, c)| 50.0 * vec2(c, s)).collect();
        let start = std::time::Instant::now();
        let geometry = Geometry::concave(&ring).unwrap();
        let made = start.elapsed();
        let mut world = world();
        fixed(&mut world, ShapeDef::geometry(geometry.clone()));
        let (body, _) = add(&mut world, vec2(0.0, 50.5), ShapeDef { friction: 1.0, ..ShapeDef::rectangle(1.0, 1.0) });
        world.step(DT);
        let start = std::time::Instant::now();
        for _ in 0..200 {
            world.step(DT);
        }
        let step = start.elapsed() / 200;
        let contacts = world.contact_count();
        println!(
            "{count} vertices: {} pieces in {made:?}, {contacts} contacts, {step:?} a step",
            geometry.parts().len()
        );
        assert!(contacts <= 100, "{count} vertices: {contacts} contacts");
        assert!((world.body(body).position() - vec2(0.0, 50.5)).length() < 0.02, "{}", world.body(body).position());
    }
}

/// Ellipses fall onto anything and come to rest.
#[test]
fn ellipses_come_to_rest() {
    let mut world = World::new(WorldDef::default());
    fixed(&mut world, ShapeDef { position: vec2(0.0, -0.5), ..ShapeDef::rectangle(80.0, 1.0) });
    for i in 0..30 {
        let x = (i % 6) as f32 - 2.5;
        let y = 1.0 + (i / 6) as f32;
        let (body, _) = add(&mut world, vec2(x, y), ShapeDef::ellipse(0.45, 0.25));
        world.body_mut(body).set_angular_damping(4.0).unwrap();
    }
    let ellipse = Ellipse::new(vec2(0.0, 0.2), vec2(0.5, 0.1), 0.4).unwrap();
    add(&mut world, vec2(0.0, 8.0), ShapeDef::geometry(ellipse.into()));
    for step in 0..1800 {
        world.step(DT);
        if step % 100 == 0 {
            world.validate();
        }
    }
    for id in world.bodies() {
        let (body, v) = (world.body(id), world.body(id).velocity().length());
        assert!(v < 0.05, "{id:?} moves at {v} m/s and turns at {} at {}", body.angular_velocity(), body.position());
    }
    assert!(world.bodies().all(|id| world.body(id).position().y > -0.6), "fell through");
}
