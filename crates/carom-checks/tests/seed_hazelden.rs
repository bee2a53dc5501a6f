//! What the rigid-body report delivers: true circles, editable shapes, corner hits, momentum and
//! restitution, friction after the contact impulse, resting stacks, hulls.
#![allow(clippy::disallowed_methods)]

use carom_checks::validation::{DT, add, add_floor, add_moving, plain_world, steps, tilted_world};
use carom_core::Rng;
use carom_scenes::{BuildOptions, file, find};
use carom2d::prelude::*;
use carom2d::shape::{Polygon, convex_hull};

fn weightless() -> World {
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).unwrap();
    world
}

fn only_shape(world: &World, body: BodyId) -> ShapeId {
    world.body(body).shapes().next().unwrap()
}

fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, expected {expected} +- {tolerance}");
}

// ---- bodies -------------------------------------------------------------------------------------

/// A circle is a circle: it rolls on a plane at constant speed without facet bumps.
#[test]
fn disc_rolls_at_constant_speed_and_height() {
    let mut world = plain_world();
    add_floor(&mut world, 0.6, 0.0);
    let body = add_moving(&mut world, vec2(-50.0, 0.5), vec2(3.0, 0.0), ShapeDef::circle(0.5));
    world.body_mut(body).set_angular_velocity(-6.0).unwrap();
    steps(&mut world, 120);
    let speed = f64::from(world.body(body).velocity().x);
    let (mut low, mut high, mut change) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
    for _ in 0..600 {
        world.step(DT);
        let state = world.body(body);
        let height = f64::from(state.position().y);
        low = low.min(height);
        high = high.max(height);
        change = change.max((f64::from(state.velocity().x) / speed - 1.0).abs());
    }
    println!(
        "height varies by {:e} m, speed by {change:e}, slip {}",
        high - low,
        world.body(body).velocity().x + 0.5 * world.body(body).angular_velocity()
    );
    assert!(high - low < 1.0e-6, "height varies by {:e} m", high - low);
    assert!(change < 1.0e-5, "speed varies by {change:e}");
}

/// A fixed body keeps every bit through 10,000 steps of gravity and impacts.
#[test]
fn fixed_body_is_bit_identical_after_ten_thousand_steps() {
    let mut world = plain_world();
    let fixed = BodyDef { position: vec2(0.1, -0.37), angle: 0.3, ..BodyDef::fixed() };
    let fixed = world.add_body(fixed).unwrap();
    world.add_shape(fixed, ShapeDef { restitution: 0.9, ..ShapeDef::rectangle(8.0, 0.7) }).unwrap();
    let balls: Vec<BodyId> = (0..8)
        .map(|i| add(&mut world, vec2(i as f32 - 4.0, 5.0), ShapeDef { restitution: 0.9, ..ShapeDef::circle(0.3) }))
        .collect();
    let before = world.state_hash_of(&[fixed]).unwrap();
    let mut hits = 0;
    for step in 0..10_000 {
        if step % 400 == 0 {
            for (i, &ball) in balls.iter().enumerate() {
                let mut body = world.body_mut(ball);
                body.set_position(vec2(i as f32 - 4.0, 5.0)).unwrap();
                body.set_velocity(vec2(0.0, -15.0)).unwrap();
            }
        }
        world.step(DT);
        hits += world.events().contact_begin.len();
    }
    assert!(hits > 100, "only {hits} impacts");
    assert_eq!(world.state_hash_of(&[fixed]).unwrap(), before);
}

/// Infinity, which makes a body fixed, is still infinity when the world was written to a file and read again.
#[test]
fn infinite_mass_survives_a_file() {
    let mut run = find("stack").unwrap().build(&BuildOptions::default()).unwrap();
    let def = BodyDef { position: vec2(50.0, 0.0), mass: Some(f32::INFINITY), ..BodyDef::dynamic() };
    let heavy = run.world.add_body(def).unwrap();
    run.world.add_shape(heavy, ShapeDef::circle(0.5)).unwrap();
    let again = file::read("again.json", file::write(&run).as_bytes()).unwrap();
    let read = again.world.bodies().last().unwrap();
    assert_eq!(again.world.body(read).position(), vec2(50.0, 0.0));
    assert!(run.world.body(heavy).mass().is_infinite() && again.world.body(read).mass().is_infinite());
    assert_eq!(again.world.body(read).kind(), run.world.body(heavy).kind());
}

/// Density times area is the mass; centre and inertia of a triangle and of an L made of two
/// rectangles follow the closed forms.
#[test]
fn mass_properties_match_closed_forms() {
    let mut world = plain_world();
    // Right triangle with legs 3 and 2: area 3, centroid a third along each leg, I = m (b^2 + h^2) / 18.
    let triangle = add(
        &mut world,
        Vec2::ZERO,
        ShapeDef { density: 2.0, ..ShapeDef::convex(&[vec2(0.0, 0.0), vec2(3.0, 0.0), vec2(0.0, 2.0)]) },
    );
    let body = world.body(triangle);
    assert_near(body.mass().into(), 6.0, 1.0e-6, "mass");
    assert_near(body.local_center().x.into(), 1.0, 1.0e-6, "centre x");
    assert_near(body.local_center().y.into(), 2.0 / 3.0, 1.0e-6, "centre y");
    assert_near(body.inertia().into(), 6.0 * 13.0 / 18.0, 4.0e-6, "inertia");
    // An L: 1 x 3 upright and 2 x 1 to its right.
    let l = add(&mut world, Vec2::ZERO, ShapeDef { position: vec2(0.5, 1.5), ..ShapeDef::rectangle(1.0, 3.0) });
    world.add_shape(l, ShapeDef { position: vec2(2.0, 0.5), ..ShapeDef::rectangle(2.0, 1.0) }).unwrap();
    let body = world.body(l);
    let (cx, cy) = ((3.0 * 0.5 + 2.0 * 2.0) / 5.0, (3.0 * 1.5 + 2.0 * 0.5) / 5.0);
    let part = |m: f64, w: f64, h: f64, x: f64, y: f64| {
        m * (w * w + h * h) / 12.0 + m * ((x - cx) * (x - cx) + (y - cy) * (y - cy))
    };
    let inertia = part(3.0, 1.0, 3.0, 0.5, 1.5) + part(2.0, 2.0, 1.0, 2.0, 0.5);
    assert_near(body.mass().into(), 5.0, 1.0e-6, "mass of the L");
    assert_near(body.local_center().x.into(), cx, 1.0e-6, "centre of the L");
    assert_near(body.local_center().y.into(), cy, 1.0e-6, "centre of the L");
    assert_near(body.inertia().into(), inertia, 7.0e-6, "inertia of the L");
}

fn world_vertices(world: &World, body: BodyId) -> Vec<Vec2> {
    let body = world.body(body);
    let Geometry::Polygon(polygon) = world.shape(body.shapes().next().unwrap()).geometry() else { panic!("a polygon") };
    polygon.vertices().iter().map(|&vertex| body.world_point(vertex)).collect()
}

/// A vertex added to a turned and moving polygon leaves the others where they are in the world, and
/// the material points of the body keep their velocities.
#[test]
fn added_vertex_leaves_the_others_in_place() {
    let mut world = weightless();
    let corners = [vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(0.0, 1.0)];
    let body = BodyDef {
        position: vec2(3.0, -2.0),
        angle: 1.1,
        velocity: vec2(1.0, 2.0),
        angular_velocity: 3.0,
        ..BodyDef::dynamic()
    };
    let body = world.add_body(body).unwrap();
    let shape = world.add_shape(body, ShapeDef::convex(&corners)).unwrap();
    steps(&mut world, 17);
    let before = world_vertices(&world, body);
    let probe = world.body(body).world_point(vec2(2.0, 0.0));
    let (velocity, center) = (world.body(body).velocity_at(probe), world.body(body).center());
    let more: Vec<Vec2> = corners.iter().copied().chain([vec2(1.8, 1.3)]).collect();
    world.shape_mut(shape).set_geometry(Geometry::Polygon(Polygon::convex(&more).unwrap())).unwrap();
    let after = world_vertices(&world, body);
    assert_eq!(after.len(), 4);
    for vertex in before {
        assert!(after.iter().any(|other| (*other - vertex).length() < 2.0e-6), "{vertex} has moved: {after:?}");
    }
    assert!((world.body(body).center() - center).length() > 0.1, "the centre of mass did not follow");
    assert!((world.body(body).velocity_at(probe) - velocity).length() < 1.0e-5);
}

/// A shape changed between steps counts in the next: mass, inertia, box and contacts.
#[test]
fn edited_shape_counts_in_the_next_step() {
    let mut world = plain_world();
    add_floor(&mut world, 0.6, 0.0);
    let body = add(&mut world, vec2(0.0, 0.5), ShapeDef::circle(0.5));
    let neighbour = add(&mut world, vec2(3.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 60);
    let shape = only_shape(&world, body);
    assert_eq!(world.body(body).contacts().filter(|contact| contact.is_touching()).count(), 1);
    world.shape_mut(shape).set_geometry(Geometry::circle(2.0).unwrap()).unwrap();
    let state = world.body(body);
    assert_near(state.mass().into(), 4.0 * std::f64::consts::PI, 1.0e-4, "mass");
    assert_near(state.inertia().into(), 8.0 * std::f64::consts::PI, 1.0e-4, "inertia");
    let aabb = world.shape(shape).aabb();
    assert!((aabb.max.x - aabb.min.x - 4.0).abs() < 1.0e-5);
    world.step(DT);
    world.validate();
    let partners: Vec<BodyId> = world
        .body(body)
        .contacts()
        .filter(|contact| contact.points().any(|point| point.separation < 0.0))
        .map(|contact| if contact.shape_a() == shape { contact.shape_b() } else { contact.shape_a() })
        .map(|other| world.shape(other).body())
        .collect();
    assert_eq!(partners.len(), 1, "reaches into the floor, not yet to x = 2.5");
    steps(&mut world, 240);
    assert_near(world.body(body).position().y.into(), 2.0, 0.01, "height of the larger disc");
    // And small again, beside a neighbour that is not touched any more.
    world.shape_mut(shape).set_geometry(Geometry::circle(0.25).unwrap()).unwrap();
    steps(&mut world, 240);
    assert_near(world.body(body).position().y.into(), 0.25, 0.01, "height of the smaller disc");
    assert!(world.body(neighbour).position().is_finite());
    world.validate();
}

/// Vertices given clockwise and anticlockwise make the same simulation, to the bit.
#[test]
fn winding_of_the_input_does_not_matter() {
    let run = |reverse: bool| {
        let mut world = plain_world();
        add_floor(&mut world, 0.6, 0.2);
        let mut rng = Rng::new(7);
        for i in 0..12 {
            let sides = 3 + i % 5;
            let mut points: Vec<Vec2> = (0..sides)
                .map(|k| {
                    let angle = k as f32 / sides as f32 * std::f32::consts::TAU;
                    rng.range(0.4, 0.6) * vec2(angle.cos(), angle.sin())
                })
                .collect();
            if reverse {
                points.reverse();
            }
            add(&mut world, vec2((i % 3) as f32, 1.0 + 1.2 * (i / 3) as f32), ShapeDef::convex(&points));
        }
        steps(&mut world, 240);
        world.state_hash()
    };
    assert_eq!(run(false), run(true));
}

// ---- collisions ---------------------------------------------------------------------------------

/// A ball flying into a corner comes back along its path: both components reverse, and it stays in.
#[test]
fn corner_hit_reverses_both_components() {
    for offset in [0.0, 1.0e-3, 0.3] {
        let mut world = weightless();
        let frictionless = |w, h| ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::rectangle(w, h) };
        let right = world.add_body(BodyDef { position: vec2(5.5, 0.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(right, frictionless(1.0, 14.0)).unwrap();
        let top = world.add_body(BodyDef { position: vec2(0.0, 5.5), ..BodyDef::fixed() }).unwrap();
        world.add_shape(top, frictionless(14.0, 1.0)).unwrap();
        let disc = ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::circle(0.5) };
        let ball = add_moving(&mut world, vec2(1.0, 1.0 + offset), vec2(4.0, 4.0), disc);
        let mut reach = Vec2::ZERO;
        for _ in 0..120 {
            world.step(DT);
            reach = carom2d::math::max2(reach, world.body(ball).position());
        }
        let velocity = world.body(ball).velocity();
        assert!((velocity + vec2(4.0, 4.0)).length() < 1.0e-4, "offset {offset}: {velocity}");
        println!("offset {offset}: reached {reach}");
        // The walls begin at 5 m, and the ball has half a metre: it stays inside whole, at every step.
        assert!(reach.x < 4.5 + 1.0e-5 && reach.y < 4.5 + 1.0e-5, "offset {offset}: reached {reach}");
    }
}

/// The bounding box of an attached shape contains it, at any pose.
#[test]
fn bounding_box_contains_the_shape() {
    let mut rng = Rng::new(12);
    let mut world = weightless();
    for _ in 0..300 {
        let shape = match rng.below(3) {
            0 => ShapeDef::circle(rng.range(0.1, 2.0)),
            1 => ShapeDef::capsule(
                vec2(rng.range(-2.0, 0.0), rng.range(-1.0, 1.0)),
                vec2(rng.range(0.1, 2.0), rng.range(-1.0, 1.0)),
                rng.range(0.05, 0.5),
            ),
            _ => ShapeDef { rounding: 0.1, ..ShapeDef::rectangle(rng.range(0.1, 3.0), rng.range(0.1, 3.0)) },
        };
        let body = BodyDef {
            position: vec2(rng.range(-50.0, 50.0), rng.range(-50.0, 50.0)),
            angle: rng.range(-4.0, 4.0),
            ..BodyDef::dynamic()
        };
        let body = world.add_body(body).unwrap();
        let id = world.add_shape(body, shape).unwrap();
        let aabb = world.shape(id).aabb();
        let center = aabb.center();
        for _ in 0..300 {
            let point = center + vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0));
            if world.shape(id).contains(point) {
                assert!(aabb.grown(1.0e-5).contains_point(point), "{point} lies in the shape, but not in {aabb:?}");
            }
        }
        assert!(world.fat_aabb(id).unwrap().contains(&aabb));
    }
}

/// How fast two bodies fly apart after a central hit at 5 m/s; momentum is kept on the way.
fn speed_apart(shape: &ShapeDef, restitution: f32, density: f32) -> f64 {
    let mut world = weightless();
    let shape = ShapeDef { restitution, ..shape.clone() };
    let a = add_moving(&mut world, vec2(-2.0, 0.0), vec2(4.0, 0.0), shape.clone());
    let b = add_moving(&mut world, vec2(2.0, 0.0), vec2(-1.0, 0.0), ShapeDef { density, ..shape });
    let momentum = |world: &World| -> f64 {
        [a, b].iter().map(|&id| f64::from(world.body(id).mass()) * f64::from(world.body(id).velocity().x)).sum()
    };
    let before = momentum(&world);
    steps(&mut world, 90);
    assert_near(momentum(&world), before, 1.0e-5 * (1.0 + before.abs()), "momentum");
    f64::from(world.body(b).velocity().x - world.body(a).velocity().x)
}

/// Central hits keep momentum, and the speed of separation is e times that of approach.
#[test]
fn separation_speed_is_restitution_times_approach() {
    let (disc, square) = (ShapeDef::circle(0.5), ShapeDef::rectangle(1.0, 1.0));
    for density in [1.0, 5.0] {
        for e in [0.0, 0.3, 0.7, 1.0] {
            let expected = 5.0 * f64::from(e);
            assert_near(speed_apart(&disc, e, density), expected, 5.0e-5, &format!("discs, e={e}, density {density}"));
            let tolerance = if e == 0.0 { 0.01 } else { 5.0e-5 };
            assert_near(speed_apart(&square, e, density), expected, tolerance, &format!("boxes, e={e}"));
        }
    }
}

/// Boxes that do not bounce stay together exactly.
#[test]
fn boxes_without_restitution_stay_together() {
    for density in [1.0, 5.0] {
        assert_near(speed_apart(&ShapeDef::rectangle(1.0, 1.0), 0.0, density), 0.0, 5.0e-5, "speed");
    }
}

/// A disc that sticks rolls down a slope with two thirds of g sin.
#[test]
fn disc_rolls_down_a_slope() {
    let angle = 0.35;
    let mut world = tilted_world(angle);
    add_floor(&mut world, 1.0, 0.0);
    let body = add(&mut world, vec2(0.0, 0.5), ShapeDef { friction: 1.0, ..ShapeDef::circle(0.5) });
    steps(&mut world, 30);
    let before = world.body(body).velocity().x;
    steps(&mut world, 120);
    let acceleration = f64::from(world.body(body).velocity().x - before) / 2.0;
    assert_near(acceleration, 2.0 / 3.0 * 10.0 * angle.sin(), 0.01, "acceleration");
}

/// A box rests on a gentle slope and slides beyond the angle of friction.
#[test]
fn box_rests_on_a_gentle_slope_and_slides_on_a_steep_one() {
    let way = |angle: f64| {
        let mut world = tilted_world(angle);
        add_floor(&mut world, 0.5, 0.0);
        let body = add(&mut world, vec2(0.0, 0.25), ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 0.5) });
        steps(&mut world, 30);
        let start = f64::from(world.body(body).position().x);
        steps(&mut world, 120);
        f64::from(world.body(body).position().x) - start
    };
    assert!(way(0.2).abs() < 1.0e-6);
    let steep: f64 = 0.7;
    let expected = 0.5 * 10.0 * (steep.sin() - 0.5 * steep.cos()) * (2.5 * 2.5 - 0.5 * 0.5);
    assert_near(way(steep), expected, 0.02 * expected, "way");
}

/// A plank leans against a wall: it stays with enough friction and slides down without.
#[test]
fn plank_leans_against_a_wall() {
    let lean = |friction: f32| {
        let mut world = plain_world();
        add_floor(&mut world, friction, 0.0);
        let wall = world.add_body(BodyDef { position: vec2(-0.5, 3.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(wall, ShapeDef { friction, ..ShapeDef::rectangle(1.0, 6.0) }).unwrap();
        // A capsule of 3 m at 60 degrees to the floor, touching both.
        let angle = 60.0_f32.to_radians();
        let (along, r) = (vec2(-angle.cos(), angle.sin()), 0.1);
        let foot = vec2(r + 3.0 * angle.cos(), r);
        let plank = ShapeDef { friction, ..ShapeDef::capsule(Vec2::ZERO, 3.0 * along, r) };
        let body = add(&mut world, foot, plank);
        steps(&mut world, 300);
        (world.body(body).position() - foot).length()
    };
    let stays = lean(0.6);
    println!("foot moved by {stays} m with friction, {} m without", lean(0.0));
    assert!(stays < 0.01, "moved by {stays} m");
    assert!(lean(0.0) > 0.5);
}

// ---- rest ---------------------------------------------------------------------------------------

/// Ten boxes on each other, and twenty circles in a box: still after 5 s, and asleep.
#[test]
fn stacks_of_boxes_and_heaps_of_circles_come_to_rest() {
    for (name, circles) in [("boxes", false), ("circles", true)] {
        let mut world = World::new(WorldDef::default());
        add_floor(&mut world, 0.6, 0.0);
        if circles {
            for x in [-1.5, 1.5] {
                let wall = world.add_body(BodyDef { position: vec2(x, 5.0), ..BodyDef::fixed() }).unwrap();
                world.add_shape(wall, ShapeDef::rectangle(0.5, 10.0)).unwrap();
            }
            for i in 0..20 {
                let x = 0.55 * (i % 4) as f32 - 0.9 + 0.05 * (i / 4) as f32;
                add(&mut world, vec2(x, 0.3 + 0.6 * (i / 4) as f32), ShapeDef::circle(0.25));
            }
        } else {
            for i in 0..10 {
                add(&mut world, vec2(0.0, 0.5 + i as f32), ShapeDef::rectangle(1.0, 1.0));
            }
        }
        steps(&mut world, 300);
        let fastest = world.bodies().map(|id| world.body(id).velocity().length()).fold(0.0, f32::max);
        println!("{name}: {} awake, top speed {fastest}", world.awake_body_count());
        assert!(fastest < 1.0e-3, "{name}: top speed {fastest}");
        assert_eq!(world.awake_body_count(), 0, "{name}");
    }
}

/// A heap of 24 things in a box, dropped; how many are awake and the highest total energy after 15 s
/// over that after 5 s.
fn heap_after_15_s(shape: &ShapeDef, restitution: f32) -> (usize, f64) {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, restitution);
    for x in [-2.6, 2.6] {
        let wall = world.add_body(BodyDef { position: vec2(x, 5.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(wall, ShapeDef::rectangle(1.0, 12.0)).unwrap();
    }
    let mut rng = Rng::new(24);
    for i in 0..24 {
        let position = vec2(-1.5 + (i % 4) as f32 + rng.range(-0.1, 0.1), 0.6 + 1.1 * (i / 4) as f32);
        add(&mut world, position, ShapeDef { restitution, ..shape.clone() });
    }
    let energy = |world: &World| -> f64 {
        let lifted = |id| f64::from(world.body(id).mass()) * 10.0 * f64::from(world.body(id).center().y);
        let moving = |id| f64::from(world.body(id).kinetic_energy());
        world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic).map(|id| lifted(id) + moving(id)).sum()
    };
    steps(&mut world, 300);
    let settled = energy(&world);
    let mut highest = settled;
    for _ in 0..600 {
        world.step(DT);
        highest = highest.max(energy(&world));
    }
    (world.awake_body_count(), highest / settled - 1.0)
}

/// Things that do not bounce come to rest in a heap.
#[test]
fn heap_without_restitution_comes_to_rest() {
    for shape in [ShapeDef::circle(0.45), ShapeDef::rectangle(0.8, 0.6)] {
        let (awake, rise) = heap_after_15_s(&shape, 0.0);
        assert_eq!(awake, 0);
        assert!(rise < 1.0e-4, "the energy rose by {rise:e}");
    }
}

/// Bouncy things come to rest in a heap, too, and never gain energy.
#[test]
fn heap_with_restitution_comes_to_rest() {
    for shape in [ShapeDef::circle(0.45), ShapeDef::rectangle(0.8, 0.6)] {
        for restitution in [0.2, 0.5] {
            let (awake, rise) = heap_after_15_s(&shape, restitution);
            println!("e={restitution}: {awake} awake, energy rose by {rise:e}");
            assert!(awake == 0 && rise < 1.0e-4, "e={restitution}: {awake} awake, energy rose by {rise:e}");
        }
    }
}

// ---- resistance of the air ----------------------------------------------------------------------

/// A ball with resistance proportional to its speed: v = v_end (1 - exp(-c t)) with v_end = g / c, which
/// it reaches and keeps.
#[test]
fn damped_fall_reaches_its_terminal_speed() {
    let c = 2.0;
    let mut world = plain_world();
    let body = world.add_body(BodyDef { linear_damping: c, ..BodyDef::dynamic() }).unwrap();
    world.add_shape(body, ShapeDef::circle(0.5)).unwrap();
    steps(&mut world, 60);
    let expected = 10.0 / f64::from(c) * (1.0 - (-f64::from(c)).exp());
    assert_near(-f64::from(world.body(body).velocity().y), expected, 0.01 * expected, "speed after 1 s");
    steps(&mut world, 600);
    assert_near(-f64::from(world.body(body).velocity().y), 10.0 / f64::from(c), 1.0e-4, "terminal speed");
}

// ---- hull ---------------------------------------------------------------------------------------

/// The hull of random points contains them all, is convex and uses only given points; degenerate
/// input is refused without a panic.
#[test]
fn hull_contains_its_points_and_is_convex() {
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let points: Vec<Vec2> =
            (0..3 + rng.below(20)).map(|_| vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0))).collect();
        let hull = convex_hull(&points);
        for i in 0..hull.len() {
            let (a, b, c) = (hull[i], hull[(i + 1) % hull.len()], hull[(i + 2) % hull.len()]);
            assert!((b - a).perp_dot(c - b) > 0.0, "not convex at {b}");
            assert!(points.contains(&a));
            for &point in &points {
                assert!((b - a).perp_dot(point - a) >= -1.0e-5, "{point} lies outside");
            }
        }
    }
    for bad in [
        vec![],
        vec![Vec2::ZERO],
        vec![Vec2::ZERO, Vec2::X],
        vec![Vec2::ZERO, Vec2::X, 2.0 * Vec2::X],
        vec![Vec2::X; 5],
    ] {
        assert!(ShapeDef::convex(&bad).build().is_err(), "{bad:?}");
    }
}

// ---- pins ---------------------------------------------------------------------------------------

/// A pendulum let go at 90 degrees keeps the period of the elliptic integral to 1e-4 over a minute, and its pin closed to
/// 1e-4 m, with the solver that worlds have by default.
#[test]
fn pendulum_at_ninety_degrees_keeps_period_and_pin() {
    let mut rng = Rng::new(90);
    for instance in 0..4 {
        let length = if instance == 0 { 1.0 } else { rng.range(0.5, 3.0) };
        let mut world = plain_world();
        let pivot = world.add_body(BodyDef::fixed()).unwrap();
        let bob = world.add_body(BodyDef { position: vec2(length, 0.0), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(bob, ShapeDef::circle(0.05)).unwrap();
        let frame_b = Pose::at(vec2(-length, 0.0));
        world.add_joint(JointDef { frame_b, ..JointDef::revolute(pivot, bob) }).unwrap();
        let (mut before, mut crossings, mut open) = (f64::from(length), Vec::new(), 0.0_f64);
        for step in 1..=3600 {
            world.step(DT);
            let now = f64::from(world.body(bob).position().x);
            if before * now < 0.0 {
                crossings.push((f64::from(step) - now / (now - before)) / 60.0);
            }
            before = now;
            open = open.max(world.body(bob).world_point(vec2(-length, 0.0)).length().into());
        }
        let swings = (crossings.len() - 1) / 2;
        let period = (crossings[2 * swings] - crossings[0]) / swings as f64;
        // 2 pi sqrt(I / (m g l)) times 2/pi K(sin 45 degrees), with the inertia of the disc about the pin.
        let length = f64::from(length);
        let inertia = length * length + 0.5 * 0.05 * 0.05;
        let exact = 2.0 * std::f64::consts::PI * (inertia / (10.0 * length)).sqrt() * 1.180_340_599;
        println!("{length} m: period {period}, {:.2e} off; pin open by {open:.2e} m", period / exact - 1.0);
        assert_near(period / exact, 1.0, 1.0e-4, "period over that of the elliptic integral");
        assert!(open < 1.0e-4, "the pin is open by {open} m");
    }
}
