//! What the quadtree engine is judged by: three kinds of bodies, separate events for boxes and
//! shapes, an exact quadtree, exchanges of velocity, explosions, many circles.

use carom_checks::validation::seeds::energy_rise_of_many_circles;
use carom_checks::validation::{DT, add, add_floor, add_moving, plain_world, steps};
use carom_core::Rng;
use carom_scenes::{BuildOptions, SceneWorld, find, measure};
use carom2d::math::{cross, left_perp, right_perp};
use carom2d::prelude::*;
use glam::{Mat3, vec3};
use std::collections::BTreeSet;

fn scene(name: &str) -> SceneWorld {
    find(name).unwrap().build(&BuildOptions::default()).unwrap()
}

/// Runs a scene to its end and holds it to what it promises.
fn keeps_its_promise(name: &str) -> SceneWorld {
    let mut run = scene(name);
    for _ in 0..run.about().steps {
        run.step();
    }
    run.check().unwrap_or_else(|unmet| panic!("{name}: {unmet}"));
    run
}

fn weightless(broad_phase: BroadPhaseKind) -> World {
    World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, broad_phase, ..WorldDef::default() })
}

fn elastic(shape: ShapeDef) -> ShapeDef {
    ShapeDef { friction: 0.0, restitution: 1.0, ..shape }
}

// ---- vectors ------------------------------------------------------------------------------------

/// The operations on vectors, in all four quadrants, against what defines them.
#[test]
fn vectors_in_all_quadrants() {
    let mut rng = Rng::new(22);
    for case in 0..400 {
        let sign = |bit: u32| if case >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let a = vec2(sign(0) * rng.range(0.1, 5.0), sign(1) * rng.range(0.1, 5.0));
        let b = vec2(sign(2) * rng.range(0.1, 5.0), sign(3) * rng.range(0.1, 5.0));
        let close = |x: f32, y: f32| (x - y).abs() < 1.0e-4 * (1.0 + a.length() * b.length());
        assert_eq!((a + b, a - b), (vec2(a.x + b.x, a.y + b.y), vec2(a.x - b.x, a.y - b.y)));
        assert_eq!((a * 2.0, a / 2.0), (vec2(2.0 * a.x, 2.0 * a.y), vec2(a.x / 2.0, a.y / 2.0)));
        // Lagrange's identity binds dot and cross product to the lengths.
        let (dot, crossed) = (a.dot(b), cross(a, b));
        assert!(close((dot * dot + crossed * crossed).sqrt(), a.length() * b.length()), "{a} {b}");
        assert_eq!((a.lerp(b, 0.0), a.lerp(b, 1.0)), (a, b), "from the first to the second");
        // The angle between two vectors turns one into the direction of the other.
        let turn = Rot::from_angle(carom2d::math::atan2(crossed, dot));
        let turned = turn.rotate(a) / a.length() - b / b.length();
        assert!(turned.length() < 1.0e-5, "{a} {b}: {turned}");
        for (normal, side) in [(left_perp(a), 1.0), (right_perp(a), -1.0)] {
            assert!(normal.dot(a).abs() < 1.0e-5 && close(side * cross(a, normal), a.length_squared()));
        }
        // Projection keeps the part along an axis and its sign; reflection changes the sign of the part along a normal.
        let axis = b / b.length();
        let along = axis * a.dot(axis);
        assert!((a - along).dot(axis).abs() < 1.0e-5 * (1.0 + a.length()));
        let reflected = a - 2.0 * along;
        assert!(close(reflected.dot(axis), -a.dot(axis)) && close(reflected.length(), a.length()));
    }
}

/// Matrices of three rows, which are those of glam, against what defines them.
#[test]
fn matrices_of_three_rows() {
    let mut rng = Rng::new(33);
    let near = |a: Mat3, b: Mat3| a.abs_diff_eq(b, 2.0e-4);
    for _ in 0..400 {
        let mut vector = || vec3(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0), rng.range(-2.0, 2.0));
        let (a, b, v) =
            (Mat3::from_cols(vector(), vector(), vector()), Mat3::from_cols(vector(), vector(), vector()), vector());
        // The determinant is the triple product of the columns, and that of a product the product of both.
        let determinant = a.x_axis.dot(a.y_axis.cross(a.z_axis));
        assert!((a.determinant() - determinant).abs() < 1.0e-4);
        assert!(((a * b).determinant() - determinant * b.determinant()).abs() < 2.0e-3);
        assert!(((a * b) * v - a * (b * v)).length() < 1.0e-4);
        assert!(near((a * b).transpose(), b.transpose() * a.transpose()));
        assert!(near(a + b - b, a) && near((a * 3.0) * (1.0 / 3.0), a));
        if determinant.abs() > 0.5 {
            assert!(near(a * a.inverse(), Mat3::IDENTITY) && near(a.inverse() * a, Mat3::IDENTITY), "{a}");
        }
    }
}

// ---- bodies and forces --------------------------------------------------------------------------

/// Gravity, forces and impulses move dynamic bodies only; kinematic ones keep their velocity, fixed
/// ones every bit of their place.
#[test]
fn only_dynamic_bodies_obey_forces() {
    let mut world = plain_world();
    let disc = || ShapeDef::circle(0.5);
    let dynamic = add(&mut world, vec2(0.0, 0.0), disc());
    let kinematic = world
        .add_body(BodyDef { position: vec2(3.0, 0.0), velocity: vec2(0.0, -1.0), ..BodyDef::kinematic() })
        .unwrap();
    let fixed = world.add_body(BodyDef { position: vec2(6.1, 0.3), angle: 0.7, ..BodyDef::fixed() }).unwrap();
    for id in [kinematic, fixed] {
        world.add_shape(id, disc()).unwrap();
    }
    let before = world.state_hash_of(&[fixed]).unwrap();
    for _ in 0..60 {
        for id in [dynamic, kinematic, fixed] {
            let mut body = world.body_mut(id);
            body.apply_force(vec2(3.0, 0.0)).unwrap();
            body.apply_torque(2.0).unwrap();
            body.apply_impulse(vec2(0.01, 0.0)).unwrap();
        }
        world.body_mut(fixed).set_velocity(vec2(1.0, 1.0)).unwrap();
        world.step(DT);
    }
    assert_eq!(world.state_hash_of(&[fixed]).unwrap(), before);
    assert_eq!(world.body(fixed).velocity(), Vec2::ZERO);
    assert_eq!(world.body(kinematic).velocity(), vec2(0.0, -1.0));
    assert!((world.body(kinematic).position() - vec2(3.0, -1.0)).length() < 1.0e-5);
    let (body, mass) = (world.body(dynamic), world.body(dynamic).mass());
    assert!((body.velocity().y + 10.0).abs() < 1.0e-4);
    assert!((body.velocity().x - (3.0 + 0.6) / mass).abs() < 1.0e-4, "{}", body.velocity());
    assert!(body.angular_velocity() > 1.0);
}

/// Gravity counts for a body as often as its scale says.
#[test]
fn gravity_is_scaled_per_body() {
    let mut world = plain_world();
    for (i, gravity_scale) in [1.0, 0.0, 0.5, -2.0].into_iter().enumerate() {
        let def = BodyDef { position: vec2(5.0 * i as f32, 0.0), gravity_scale, ..BodyDef::dynamic() };
        let body = world.add_body(def).unwrap();
        world.add_shape(body, ShapeDef::circle(0.5)).unwrap();
    }
    steps(&mut world, 60);
    for (id, expected) in world.bodies().zip([-10.0, 0.0, -5.0, 20.0]) {
        assert!((world.body(id).velocity().y - expected).abs() < 1.0e-4, "{}", world.body(id).velocity());
    }
}

/// The scene of the three discs: one falls and is kicked, one commutes, one stays.
#[test]
fn three_kinds_under_forces_behave_as_the_scene_says() {
    keeps_its_promise("forces");
}

/// A platform that moves up carries what lies on it, and pushes it sideways; nothing pushes back.
#[test]
fn kinematic_bodies_push_dynamic_ones() {
    let mut world = plain_world();
    add_floor(&mut world, 0.5, 0.0);
    let lift = BodyDef { position: vec2(0.0, 0.25), velocity: vec2(0.0, 1.0), ..BodyDef::kinematic() };
    let lift = world.add_body(lift).unwrap();
    world.add_shape(lift, ShapeDef::rectangle(2.0, 0.5)).unwrap();
    let rider = add(&mut world, vec2(0.0, 1.0), ShapeDef::rectangle(1.0, 1.0));
    let ram = BodyDef { position: vec2(10.0, 0.5), velocity: vec2(2.0, 0.0), ..BodyDef::kinematic() };
    let ram = world.add_body(ram).unwrap();
    world.add_shape(ram, ShapeDef::rectangle(0.5, 1.0)).unwrap();
    let pushed = add(&mut world, vec2(11.0, 0.5), ShapeDef::circle(0.5));
    steps(&mut world, 120);
    assert!((world.body(rider).position().y - 3.0).abs() < 0.01, "{}", world.body(rider).position());
    assert!((world.body(rider).velocity().y - 1.0).abs() < 1.0e-3);
    assert!(world.body(pushed).position().x > 14.74, "{}", world.body(pushed).position());
    assert_eq!((world.body(lift).velocity(), world.body(ram).velocity()), (vec2(0.0, 1.0), vec2(2.0, 0.0)));
}

/// A circle rests on a rectangle, and bounces off one that is turned by 45 degrees sideways.
#[test]
fn circles_collide_with_rectangles() {
    let mut world = plain_world();
    add_floor(&mut world, 0.5, 0.0);
    let resting = add(&mut world, vec2(0.0, 2.0), ShapeDef::circle(0.5));
    steps(&mut world, 180);
    assert!((world.body(resting).position().y - 0.5).abs() < 0.005);

    let mut world = weightless(BroadPhaseKind::Tree);
    let roof = world.add_body(BodyDef { angle: std::f32::consts::FRAC_PI_4, ..BodyDef::fixed() }).unwrap();
    world.add_shape(roof, elastic(ShapeDef::rectangle(4.0, 4.0))).unwrap();
    let ball = add_moving(&mut world, vec2(1.5, 6.0), vec2(0.0, -5.0), elastic(ShapeDef::circle(0.25)));
    steps(&mut world, 90);
    let velocity = world.body(ball).velocity();
    assert!((velocity - vec2(5.0, 0.0)).length() < 0.01, "{velocity}");
}

// ---- events -------------------------------------------------------------------------------------

/// Past the corner only the boxes meet, straight through also the discs: one begin and one end each.
#[test]
fn boxes_and_shapes_report_separately_and_once() {
    keeps_its_promise("aabbs");
}

/// Box events of solid shapes: they begin before contact and end after it.
#[test]
fn box_events_enclose_contact_events() {
    let mut world = weightless(BroadPhaseKind::Tree);
    let disc = || elastic(ShapeDef { aabb_events: true, ..ShapeDef::circle(0.5) });
    add_moving(&mut world, vec2(-3.0, 0.6), vec2(3.0, 0.0), disc());
    add_moving(&mut world, vec2(3.0, -0.2), vec2(-3.0, 0.0), disc());
    let mut order = Vec::new();
    for _ in 0..180 {
        world.step(DT);
        let events = world.events();
        order.extend(events.aabb_begin.iter().map(|_| "box begin"));
        order.extend(events.contact_begin.iter().map(|_| "contact begin"));
        order.extend(events.contact_end.iter().map(|_| "contact end"));
        order.extend(events.aabb_end.iter().map(|_| "box end"));
    }
    assert_eq!(order, ["box begin", "contact begin", "contact end", "box end"]);
}

/// A thrown square hits a fixed one, lands and rests; a kinematic sensor passes through all of them
/// and reports each of them once.
#[test]
fn thrown_square_lands_and_a_sensor_passes_through() {
    let run = keeps_its_promise("collisions");
    assert_eq!(run.world.awake_body_count(), 1, "only the sensor still moves");
}

/// A sensor neither pushes nor is pushed: what passes through it keeps its velocity to the bit.
#[test]
fn sensors_push_nothing() {
    let run = |with_sensor: bool| {
        let mut world = weightless(BroadPhaseKind::Tree);
        let body = add_moving(&mut world, vec2(-2.0, 0.1), vec2(2.0, 0.3), ShapeDef::rectangle(0.5, 0.5));
        if with_sensor {
            add(&mut world, Vec2::ZERO, ShapeDef { sensor: true, ..ShapeDef::circle(1.0) });
        }
        let mut events = (0, 0, 0);
        for _ in 0..120 {
            world.step(DT);
            events.0 += world.events().sensor_begin.len();
            events.1 += world.events().sensor_end.len();
            events.2 += world.events().contact_begin.len();
        }
        (world.state_hash_of(&[body]).unwrap(), events)
    };
    let (with, without) = (run(true), run(false));
    assert_eq!(with.0, without.0);
    assert_eq!((with.1, without.1), ((1, 1, 0), (0, 0, 0)));
}

/// Ten sensors, circles and rectangles, at up to 4 m/s between the edges of the screen: what their events say touches is what
/// does, after every step.
#[test]
fn moving_sensors_report_what_they_meet() {
    let mut begun = 0;
    for seed in 1..=6 {
        let mut rng = Rng::new(seed);
        let mut world = weightless(BroadPhaseKind::Tree);
        for i in 0..10 {
            let outline = match i % 2 {
                0 => ShapeDef::circle(rng.range(0.2, 0.8)),
                _ => ShapeDef::rectangle(rng.range(0.3, 1.5), rng.range(0.3, 1.5)),
            };
            let position = vec2(rng.range(1.0, 11.8), rng.range(1.0, 6.2));
            let velocity = vec2(rng.range(-4.0, 4.0), rng.range(-4.0, 4.0));
            let body = BodyDef { position, velocity, angle: rng.range(-3.0, 3.0), ..BodyDef::kinematic() };
            let body = world.add_body(body).unwrap();
            world.add_shape(body, ShapeDef { sensor: true, ..outline }).unwrap();
        }
        let shapes: Vec<ShapeId> = world.shapes().collect();
        let mut touching = BTreeSet::new();
        for step in 0..600 {
            for id in world.bodies().collect::<Vec<_>>() {
                let (p, v) = (world.body(id).position(), world.body(id).velocity());
                let back =
                    |p: f32, v: f32, far: f32| if p < 0.5 && v < 0.0 || p > far - 0.5 && v > 0.0 { -v } else { v };
                world.body_mut(id).set_velocity(vec2(back(p.x, v.x, 12.8), back(p.y, v.y, 7.2))).unwrap();
            }
            world.step(0.02);
            for event in &world.events().sensor_begin {
                begun += 1;
                assert!(touching.insert((event.sensor, event.visitor)), "seed {seed}, step {step}: it begins twice");
            }
            for event in &world.events().sensor_end {
                assert!(touching.remove(&(event.sensor, event.visitor)), "seed {seed}, step {step}: it never began");
            }
            let mut expected = BTreeSet::new();
            for (i, &a) in shapes.iter().enumerate() {
                let touches = |b: &&ShapeId| world.shape_distance(a, **b).unwrap() == 0.0;
                // Each reports the other one.
                expected.extend(shapes[i + 1..].iter().filter(touches).flat_map(|&b| [(a, b), (b, a)]));
            }
            assert_eq!(touching, expected, "seed {seed}, step {step}");
        }
    }
    assert!(begun > 200, "only {begun} meetings");
}

// ---- quadtree -----------------------------------------------------------------------------------

/// The quadtree's own scene checks pairs, places and depth after every step.
#[test]
fn quadtree_scene_keeps_its_promise() {
    keeps_its_promise("quadtree");
}

/// 256 moving circles in a tree of capacity 2 and five levels: the pairs are those that trying each
/// against each finds, every circle is stored once, and the circles that touch are reported.
#[test]
fn quadtree_finds_exactly_the_pairs_of_brute_force() {
    const MAX_DEPTH: u32 = 5;
    let quadtree =
        QuadtreeDef { center: vec2(6.4, 3.6), half_extents: vec2(6.4, 3.6), capacity: 2, max_depth: MAX_DEPTH };
    let mut world = weightless(BroadPhaseKind::Quadtree(quadtree));
    let mut rng = Rng::new(5);
    let mut shapes = Vec::new();
    for _ in 0..256 {
        let position = vec2(rng.range(0.0, 12.8), rng.range(0.0, 7.2));
        let velocity = vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0));
        let body = world.add_body(BodyDef { position, velocity, ..BodyDef::kinematic() }).unwrap();
        shapes.push(world.add_shape(body, ShapeDef { sensor: true, ..ShapeDef::circle(0.1) }).unwrap());
    }
    let overlapping = |world: &World| -> BTreeSet<(ShapeId, ShapeId)> {
        let boxes: Vec<Aabb> = shapes.iter().map(|&shape| world.fat_aabb(shape).unwrap()).collect();
        let mut pairs = BTreeSet::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(&boxes[j]) {
                    pairs.insert((shapes[i], shapes[j]));
                }
            }
        }
        pairs
    };
    let (mut deepest, mut most) = (0, 0);
    for step in 0..300 {
        let before = overlapping(&world);
        world.step(0.02);
        let after = overlapping(&world);
        // Pairs are looked for before the step and dropped after it; those that touch by then are found at its end.
        let close = |&(a, b): &(ShapeId, ShapeId)| world.shape_distance(a, b).unwrap() == 0.0;
        let expected: BTreeSet<_> = after.into_iter().filter(|pair| before.contains(pair) || close(pair)).collect();
        let found: BTreeSet<_> = world.contacts().map(|contact| (contact.shape_a(), contact.shape_b())).collect();
        assert_eq!(found, expected, "step {step}");
        let touching = world.contacts().filter(|contact| contact.is_touching()).count();
        assert_eq!(touching, expected.iter().filter(|pair| close(pair)).count(), "step {step}");
        let boxes = world.broad_phase().boxes();
        assert_eq!(boxes.iter().map(|quad| quad.count).sum::<u32>(), 256, "step {step}");
        assert!(boxes.iter().all(|quad| quad.depth <= MAX_DEPTH), "step {step}");
        deepest = deepest.max(world.broad_phase().depth());
        most = most.max(found.len());
    }
    assert_eq!(deepest, MAX_DEPTH, "the tree never got as deep as it may");
    assert!(most > 50, "hardly any pairs: {most}");
}

// ---- exchanges of velocity ----------------------------------------------------------------------

/// Three discs in a row between walls: 8 J stay 8 J, and the walls reverse.
#[test]
fn row_of_discs_exchanges_velocities_exactly() {
    keeps_its_promise("pendulum");
}

/// The four rows of masses and restitutions, against the table of the assignment.
#[test]
fn head_on_impacts_match_the_table() {
    let table = [
        (1.0, 1.0, 0.0, 4.0),
        (1.0, 0.33, 1.34, 2.66),
        (0.5, 1.0, 1.333333, 5.333333),
        (0.5, 0.33, 2.226667, 3.546667),
    ];
    for (mass, restitution, first, second) in table {
        let mut world = weightless(BroadPhaseKind::Tree);
        let disc = || ShapeDef { friction: 0.0, restitution, ..ShapeDef::circle(0.5) };
        let a = add_moving(&mut world, vec2(-2.0, 0.0), vec2(4.0, 0.0), disc());
        let b = add(&mut world, vec2(1.0, 0.0), disc());
        world.body_mut(a).set_mass(Some(1.0)).unwrap();
        world.body_mut(b).set_mass(Some(mass)).unwrap();
        for _ in 0..75 {
            world.step(0.02);
        }
        let found = (world.body(a).velocity().x, world.body(b).velocity().x);
        assert!(
            (found.0 - first).abs() < 1.0e-4 && (found.1 - second).abs() < 1.0e-4,
            "{mass} {restitution}: {found:?}"
        );
    }
    keeps_its_promise("restitution");
}

// ---- explosion and many circles -----------------------------------------------------------------

/// Nothing moves until the explosion is set off. Then each disc of 1 kg gets 10 N s for each metre from the middle: the grid
/// grows without changing its form, x = c + (x0 - c)(1 + 10 t), until the outermost discs meet a wall.
#[test]
fn explosion_follows_its_law() {
    let middle = vec2(6.4, 3.6);
    let mut run = scene("explosion");
    let discs: Vec<(BodyId, Vec2)> =
        measure::dynamic_bodies(&run.world).map(|id| (id, run.world.body(id).position())).collect();
    assert_eq!(discs.len(), 100);
    let waiting = run.world.state_hash();
    for _ in 0..25 {
        run.step();
    }
    assert_eq!(run.world.state_hash(), waiting, "not a bit moves");
    run.explode(middle).unwrap();
    for step in 1..=3u8 {
        run.step();
        let growth = 1.0 + 10.0 * 0.02 * f32::from(step);
        for &(id, start) in &discs {
            let place = middle + (start - middle) * growth;
            let error = (run.world.body(id).position() - place).length();
            assert!(error < 1.0e-4, "step {step}: off by {error} m");
        }
    }
    for _ in 0..272 {
        run.step();
    }
    run.check().unwrap();
    assert!(run.explode(vec2(f32::NAN, 0.0)).is_err());
}

/// A world put back to a copy of its start is that start, and goes the same way again.
#[test]
fn explosion_resets_exactly() {
    let start = scene("explosion");
    let mut run = start.clone();
    run.explode(vec2(6.4, 3.6)).unwrap();
    let mut course = Vec::new();
    for _ in 0..200 {
        run.step();
        course.push(run.world.state_hash());
    }
    assert_ne!(run.world.state_hash(), start.world.state_hash());
    run = start.clone();
    assert_eq!(run.world.state_hash(), start.world.state_hash());
    run.explode(vec2(6.4, 3.6)).unwrap();
    for hash in course {
        run.step();
        assert_eq!(run.world.state_hash(), hash);
    }
    keeps_its_promise("explosion");
}

/// Two circles and two squares meet head-on at random speeds: e = 1 and 0.8 come out as (1 - e) v / 2 and (1 + e) v / 2.
#[test]
fn restitution_of_circles_and_squares() {
    let mut rng = Rng::new(8);
    for case in 0..40 {
        let (restitution, speed) = (if case % 2 == 0 { 1.0 } else { 0.8 }, rng.range(2.0, 8.0));
        let shape = || {
            let outline = if case % 4 < 2 { ShapeDef::circle(0.5) } else { ShapeDef::rectangle(1.0, 1.0) };
            ShapeDef { friction: 0.0, restitution, ..outline }
        };
        let mut world = weightless(BroadPhaseKind::Tree);
        let a = add_moving(&mut world, vec2(-rng.range(1.1, 2.0), 0.0), vec2(speed, 0.0), shape());
        let b = add(&mut world, vec2(1.0, 0.0), shape());
        for _ in 0..100 {
            world.step(0.02);
        }
        let found = (world.body(a).velocity().x, world.body(b).velocity().x);
        let expected = (0.5 * (1.0 - restitution) * speed, 0.5 * (1.0 + restitution) * speed);
        let error = carom_core::math::max((found.0 - expected.0).abs(), (found.1 - expected.1).abs());
        assert!(error < 1.0e-4, "case {case}, e={restitution}, v={speed}: {found:?} instead of {expected:?}");
    }
    keeps_its_promise("bounces");
}

/// The scene of 256 rectangles with restitution 0.8.
#[test]
fn many_rectangles_lose_energy_and_do_not_overlap() {
    let run = keeps_its_promise("many_rectangles");
    assert_eq!(measure::dynamic_bodies(&run.world).count(), 256);
}

/// Twenty rays from the lamp, wherever it is, end where the first shape is: no shape is met before, by trying all.
#[test]
fn twenty_rays_end_at_the_first_shape() {
    let mut run = scene("rays");
    let lamp = run.world.bodies().last().unwrap();
    for _ in 0..60 {
        for _ in 0..10 {
            run.step();
        }
        let rays = run.rays();
        assert_eq!(rays.len(), 20);
        for ray in rays {
            assert_eq!(ray.from, run.world.body(lamp).position());
            let all = run.world.ray_all(
                ray.from,
                16.0 / (ray.to - ray.from).length() * (ray.to - ray.from),
                QueryFilter::default(),
            );
            let others = all.unwrap().into_iter().filter(|hit| run.world.shape(hit.shape).body() != lamp);
            let nearest = others.map(|hit| (hit.point - ray.from).length()).fold(f32::INFINITY, carom_core::math::min);
            assert!(ray.hit.is_some() && (nearest - (ray.to - ray.from).length()).abs() < 1.0e-3, "{ray:?}: {nearest}");
        }
    }
    run.check().unwrap();
}

/// The scene of 256 elastic discs.
#[test]
fn many_elastic_circles_keep_their_energy() {
    keeps_its_promise("many_circles");
}

/// Bouncing circles never gain energy.
#[test]
fn many_circles_never_gain_energy() {
    for (seed, restitution, friction) in [(1, 1.0, 0.0), (2, 0.8, 0.0), (3, 0.5, 0.3)] {
        let rise = energy_rise_of_many_circles(seed, restitution, friction);
        assert!(rise <= 1.0e-6, "e={restitution} mu={friction}: the energy rose by {rise:e} of the initial");
    }
}

/// The largest distance of a planet from its circle in some steps, as a share of the radius; each planet counts for as many of
/// its own revolutions.
fn drift_of_planets(run: &mut SceneWorld, revolutions: f32, steps: u32, every: u32) -> f32 {
    let middle = vec2(6.4, 3.6);
    let planets: Vec<(BodyId, f32, u32)> = measure::dynamic_bodies(&run.world)
        .map(|id| {
            let body = run.world.body(id);
            let (radius, speed) = ((body.position() - middle).length(), body.velocity().length());
            (id, radius, (revolutions * std::f32::consts::TAU * radius / speed / 0.02) as u32)
        })
        .collect();
    let last = planets.iter().map(|planet| planet.2).max().unwrap().min(steps);
    let mut worst = 0.0_f32;
    for step in 0..last {
        run.step();
        for &(id, radius, steps) in planets.iter().filter(|_| step % every == 0) {
            let drift = ((run.world.body(id).position() - middle).length() / radius - 1.0).abs();
            worst = if step < steps && drift > worst { drift } else { worst };
        }
    }
    println!("{} planets: radius drifted by {worst:e} in {last} steps", planets.len());
    worst
}

/// The scene of 256 planets around a sun that pulls with G M m / r^2, started at the speed of a circle: after ten revolutions
/// of each they are as far away as before, to 1 %.
#[test]
fn planets_stay_on_their_circles() {
    let mut run = scene("planets");
    assert_eq!(measure::dynamic_bodies(&run.world).count(), 256);
    let worst = drift_of_planets(&mut run, 10.0, u32::MAX, 1);
    assert!(worst < 0.01, "radius drifted by {worst:e}");
}

/// The scene of 10,000 bodies, until the innermost has gone around ten times.
#[test]
fn ten_thousand_planets_stay_on_their_circles() {
    let mut run = scene("ten_thousand_planets");
    assert_eq!(measure::dynamic_bodies(&run.world).count(), 10_000);
    assert!(matches!(run.world.def().broad_phase, BroadPhaseKind::Quadtree(_)));
    let worst = drift_of_planets(&mut run, 10.0, 3142, 5);
    assert!(worst < 0.01, "radius drifted by {worst:e}");
    run.check().unwrap();
}

/// Circles that do not bounce at all gain next to nothing.
#[test]
fn many_dead_circles_hardly_gain_energy() {
    for friction in [0.0, 0.5] {
        let rise = energy_rise_of_many_circles(4, 0.0, friction);
        println!("mu={friction}: the energy rose by {rise:e} of the initial");
        assert!(rise <= 1.0e-4, "mu={friction}: the energy rose by {rise:e} of the initial");
    }
}
