//! What the quadtree engine is judged by: three kinds of bodies, separate events for boxes and
//! shapes, an exact quadtree, exchanges of velocity, explosions, many circles.

use carom_checks::validation::seeds::energy_rise_of_many_circles;
use carom_checks::validation::{DT, add, add_floor, add_moving, plain_world, steps};
use carom_core::Rng;
use carom_scenes::{BuildOptions, SceneWorld, find};
use carom2d::prelude::*;
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
    keeps_its_promise("p2_forces");
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
    keeps_its_promise("p2_aabbs");
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
    let run = keeps_its_promise("p2_collisions");
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

// ---- quadtree -----------------------------------------------------------------------------------

/// The quadtree's own scene checks pairs, places and depth after every step.
#[test]
fn quadtree_scene_keeps_its_promise() {
    keeps_its_promise("p2_quadtree");
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
    keeps_its_promise("p2_pendulum");
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
    keeps_its_promise("p2_restitution");
}

// ---- explosion and many circles -----------------------------------------------------------------

/// A world put back to a copy of its start is that start, and goes the same way again.
#[test]
fn explosion_resets_exactly() {
    let start = scene("p2_explosion");
    let mut run = start.clone();
    let mut course = Vec::new();
    for _ in 0..200 {
        run.step();
        course.push(run.world.state_hash());
    }
    assert_ne!(run.world.state_hash(), start.world.state_hash());
    run = start.clone();
    assert_eq!(run.world.state_hash(), start.world.state_hash());
    for hash in course {
        run.step();
        assert_eq!(run.world.state_hash(), hash);
    }
    keeps_its_promise("p2_explosion");
}

/// The scene of 256 elastic discs.
#[test]
fn many_elastic_circles_keep_their_energy() {
    keeps_its_promise("p2_many_circles");
}

/// Bouncing circles never gain energy.
#[test]
fn many_circles_never_gain_energy() {
    for (seed, restitution, friction) in [(1, 1.0, 0.0), (2, 0.8, 0.0), (3, 0.5, 0.3)] {
        let rise = energy_rise_of_many_circles(seed, restitution, friction);
        assert!(rise <= 1.0e-6, "e={restitution} mu={friction}: the energy rose by {rise:e} of the initial");
    }
}

/// Planets around a sun that pulls with G M m / r^2, started at the speed of a circle: ten revolutions
/// later they are as far away as before, to 1 %.
///
/// A force that is applied lasts for the whole step, so it is taken from where the planet is halfway
/// through: with that a step is a leapfrog step. Taken from its start it would add energy in each.
#[test]
fn planets_stay_on_their_circles() {
    const STRENGTH: f32 = 100.0;
    const STEP_S: f32 = 0.02;
    let mut world = weightless(BroadPhaseKind::Tree);
    let mut planets = Vec::new();
    for i in 0..16 {
        let radius = 5.0 + 0.5 * i as f32;
        let speed = (STRENGTH / radius).sqrt();
        let shape = ShapeDef { filter: Filter { mask: 0, ..Filter::default() }, ..ShapeDef::circle(0.1) };
        let id = add_moving(&mut world, vec2(radius, 0.0), vec2(0.0, speed), shape);
        let steps = (10.0 * std::f32::consts::TAU * radius / speed / STEP_S) as u32;
        planets.push((id, radius, steps));
    }
    let last = planets.iter().map(|planet| planet.2).max().unwrap();
    let mut worst = 0.0_f32;
    for step in 0..last {
        for &(id, ..) in &planets {
            let body = world.body(id);
            let (place, mass) = (body.position() + 0.5 * STEP_S * body.velocity(), body.mass());
            let pull = -STRENGTH * mass * place / (place.length() * place.length_squared());
            world.body_mut(id).apply_force(pull).unwrap();
        }
        world.step(STEP_S);
        for &(id, radius, steps) in &planets {
            let drift = (world.body(id).position().length() / radius - 1.0).abs();
            worst = if step < steps && drift > worst { drift } else { worst };
        }
    }
    println!("radius drifted by {worst:e}");
    assert!(worst < 0.01, "radius drifted by {worst:e}");
}

/// Circles that do not bounce at all gain next to nothing.
#[test]
fn many_dead_circles_hardly_gain_energy() {
    for friction in [0.0, 0.5] {
        let rise = energy_rise_of_many_circles(4, 0.0, friction);
        assert!(rise <= 2.0e-4, "mu={friction}: the energy rose by {rise:e} of the initial");
    }
}
