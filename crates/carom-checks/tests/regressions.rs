//! One test per bug that was found, with its symptom on top.

use carom_checks::validation::{DT, add, add_floor, add_moving, plain_world, steps};
use carom2d::prelude::*;

fn weightless() -> World {
    World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() })
}

/// A cart that may move along x only was shot away by kilometres: the rounding of a turned floor's
/// normal left it a response of 1e-15 along that normal, and so an almost infinite mass.
#[test]
fn locked_cart_on_a_turned_floor_stays() {
    for angle in [std::f32::consts::FRAC_PI_2, std::f32::consts::PI, -std::f32::consts::FRAC_PI_2] {
        let mut world = plain_world();
        let floor = world.add_body(BodyDef { position: vec2(0.0, -1.0), angle, ..BodyDef::fixed() }).unwrap();
        world.add_shape(floor, ShapeDef { friction: 0.0, ..ShapeDef::rectangle(2.0, 2.0) }).unwrap();
        let locked = LockedAxes { y: true, rotation: true, ..LockedAxes::default() };
        let cart = BodyDef { position: vec2(0.0, 0.499), velocity: vec2(0.5, 0.0), locked, ..BodyDef::dynamic() };
        let cart = world.add_body(cart).unwrap();
        world.add_shape(cart, ShapeDef { friction: 0.0, ..ShapeDef::rectangle(0.5, 1.0) }).unwrap();
        steps(&mut world, 30);
        let state = world.body(cart);
        assert!((state.velocity().x - 0.5).abs() < 1.0e-4, "{angle}: {}", state.velocity());
        assert!((state.position().x - 0.25).abs() < 1.0e-3, "{angle}: {}", state.position());
    }
}

/// One tiny step between ordinary ones multiplied the impulses kept for the next step.
#[test]
fn a_tiny_step_in_between_does_no_harm() {
    for odd in [1.0e-6, 1.0e-4, 1.0 / 240.0] {
        let mut world = plain_world();
        add_floor(&mut world, 0.6, 0.0);
        let boxes: Vec<BodyId> =
            (0..6).map(|i| add(&mut world, vec2(0.0, 2.0 + 1.2 * i as f32), ShapeDef::rectangle(1.0, 1.0))).collect();
        let mut fastest: f32 = 0.0;
        for step in 0..120 {
            world.step(if step % 10 == 9 { odd } else { DT });
            for &id in &boxes {
                fastest = carom_core::math::max(fastest, world.body(id).velocity().length());
            }
        }
        assert!(fastest < 12.0, "odd step {odd}: {fastest} m/s");
    }
}

/// A kinematic body with a shape off its origin flew away: its centre of mass was taken for its axis.
#[test]
fn kinematic_body_turns_about_its_origin() {
    let mut world = weightless();
    let door = world.add_body(BodyDef { angular_velocity: 1.0, ..BodyDef::kinematic() }).unwrap();
    world.add_shape(door, ShapeDef { position: vec2(2.0, 0.0), ..ShapeDef::rectangle(1.0, 1.0) }).unwrap();
    steps(&mut world, 600);
    assert!(world.body(door).position().length() < 1.0e-3, "{}", world.body(door).position());
}

/// A body with locked rotation and a spin in its definition kept turning, and so did a spinning
/// kinematic body made dynamic.
#[test]
fn locked_rotation_holds_from_the_start() {
    let mut world = weightless();
    let locked = LockedAxes { rotation: true, ..LockedAxes::default() };
    let a = world.add_body(BodyDef { angular_velocity: 1.0, locked, ..BodyDef::dynamic() }).unwrap();
    world.add_shape(a, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    let b = world.add_body(BodyDef { angular_velocity: 1.0, locked, ..BodyDef::kinematic() }).unwrap();
    world.add_shape(b, ShapeDef { position: vec2(5.0, 0.0), ..ShapeDef::rectangle(1.0, 1.0) }).unwrap();
    world.body_mut(b).set_kind(BodyKind::Dynamic);
    steps(&mut world, 60);
    assert_eq!((world.body(a).angle(), world.body(b).angle()), (0.0, 0.0));
}

/// Friction of 1e20 on both sides overflowed to infinity and froze the body; it is refused now.
#[test]
fn absurd_friction_is_refused() {
    let mut world = plain_world();
    let body = world.add_body(BodyDef::dynamic()).unwrap();
    let error = world.add_shape(body, ShapeDef { friction: 1.0e20, ..ShapeDef::circle(1.0) }).unwrap_err();
    assert!(error.to_string().contains("friction"), "{error}");
}

/// A shape added to a sleeping body did nothing until something else woke it.
#[test]
fn adding_a_shape_wakes_a_sleeper() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let body = add(&mut world, vec2(0.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 120);
    assert!(world.body(body).is_sleeping());
    world.add_shape(body, ShapeDef { position: vec2(3.0, 0.0), ..ShapeDef::rectangle(3.0, 0.5) }).unwrap();
    steps(&mut world, 60);
    assert!(world.body(body).angle() < -0.01, "the overhang does not tip: {}", world.body(body).angle());
}

/// Circles at one point scattered differently when something unrelated was added before them.
#[test]
fn coincident_circles_ignore_what_is_elsewhere() {
    let run = |strangers: usize| {
        let mut world = weightless();
        for i in 0..strangers {
            add(&mut world, vec2(1000.0 + 3.0 * i as f32, 0.0), ShapeDef::rectangle(1.0, 1.0));
        }
        let heap: Vec<BodyId> = (0..60).map(|_| add(&mut world, Vec2::ZERO, ShapeDef::circle(0.2))).collect();
        steps(&mut world, 60);
        world.state_hash_of(&heap).unwrap()
    };
    assert_eq!(run(0), run(7));
}

/// What lay on a slow conveyor belt fell asleep and was left behind.
#[test]
fn slow_conveyor_keeps_its_load_awake() {
    let mut world = World::new(WorldDef::default());
    let belt = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(belt, ShapeDef { surface_speed: 0.04, ..ShapeDef::rectangle(100.0, 2.0) }).unwrap();
    let load = add(&mut world, vec2(0.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 600);
    let x = world.body(load).position().x;
    assert!((x - 0.4).abs() < 0.01, "{x} m in 10 s at 0.04 m/s");
}

/// The rolling resistance of a small wheel on a large one acted with the arm of the large one.
#[test]
fn rolling_resistance_uses_the_own_radius() {
    let mut world = carom_checks::validation::tilted_world(0.2);
    let drum = world.add_body(BodyDef { position: vec2(0.0, -1000.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(drum, ShapeDef { friction: 1.0, ..ShapeDef::circle(1000.0) }).unwrap();
    let marble = ShapeDef { friction: 1.0, rolling_resistance: 0.05, ..ShapeDef::circle(0.1) };
    let marble = add(&mut world, vec2(0.0, 0.1), marble);
    steps(&mut world, 60);
    // Slope 0.2 against a resistance of 0.05: it must roll.
    assert!(world.body(marble).velocity().x > 0.5, "{}", world.body(marble).velocity());
}

/// Forces applied before a body was disabled acted when it was enabled much later.
#[test]
fn disabling_forgets_forces() {
    let mut world = weightless();
    let body = add(&mut world, Vec2::ZERO, ShapeDef::rectangle(1.0, 1.0));
    world.body_mut(body).apply_force(vec2(60.0, 0.0)).unwrap();
    world.body_mut(body).set_enabled(false);
    steps(&mut world, 10);
    world.body_mut(body).set_enabled(true);
    steps(&mut world, 1);
    assert_eq!(world.body(body).velocity(), Vec2::ZERO);
}

/// A body with mass set by hand and weightless shapes could not turn.
#[test]
fn mass_by_hand_spreads_over_weightless_shapes() {
    let mut world = weightless();
    let body = world.add_body(BodyDef { mass: Some(6.0), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(body, ShapeDef { density: 0.0, ..ShapeDef::rectangle(1.0, 1.0) }).unwrap();
    assert!((world.body(body).inertia() - 1.0).abs() < 1.0e-5, "m (w^2 + h^2) / 12 is 1");
}

/// A heap of bouncing boxes shook for ever, because rebounds were made from impulses that the solver
/// had only guessed.
#[test]
fn bouncing_boxes_come_to_rest() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.5);
    for (x, y) in [(-3.0, 3.0), (3.0, 3.0)] {
        let wall = world.add_body(BodyDef { position: vec2(x, y), ..BodyDef::fixed() }).unwrap();
        world.add_shape(wall, ShapeDef::rectangle(0.5, 6.0)).unwrap();
    }
    for i in 0..16 {
        let position = vec2(-1.5 + (i % 4) as f32, 1.0 + 1.5 * (i / 4) as f32);
        let shape = ShapeDef { restitution: 0.5, ..ShapeDef::rectangle(0.8, 0.6) };
        add_moving(&mut world, position, vec2(0.3 * (i % 3) as f32, 0.0), shape);
    }
    steps(&mut world, 900);
    assert_eq!(world.awake_body_count(), 0, "still moving after 15 s");
}

/// A joint that was removed while its bodies slept came back among the constraints, because waking the first
/// body woke the second, which still had it on its list; the next step or removal panicked.
#[test]
fn a_joint_removed_from_sleepers_is_gone() {
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).unwrap();
    let bodies: Vec<BodyId> =
        (0..3).map(|i| add(&mut world, vec2(2.0 * i as f32, 0.0), ShapeDef::rectangle(1.0, 1.0))).collect();
    let pin = |a: usize, b: usize| JointDef::revolute(bodies[a], bodies[b]);
    let first = world.add_joint(JointDef::weld(bodies[0], bodies[1]).at(&world, Vec2::ZERO).unwrap()).unwrap();
    world.add_joint(pin(1, 2).at(&world, vec2(3.0, 0.0)).unwrap()).unwrap();
    world.body_mut(bodies[0]).sleep();
    assert_eq!(world.awake_body_count(), 0);
    world.remove_joint(first).unwrap();
    world.validate();
    // Bodies that go take their joints with them.
    world.body_mut(bodies[1]).sleep();
    world.remove_body(bodies[1]).unwrap();
    world.validate();
    steps(&mut world, 2);
}

/// Circles put at one point flew apart at 7 m/s: pushes along a row add up, and were taken back only where the
/// overlap was deeper than 5 cm, which for small bodies is never.
#[test]
fn heaps_come_apart_without_speed() {
    for (radius, count) in [(0.1, 300), (0.02, 150), (0.5, 100)] {
        let mut world = weightless();
        let heap: Vec<BodyId> = (0..count).map(|_| add(&mut world, Vec2::ZERO, ShapeDef::circle(radius))).collect();
        let places = |world: &World| heap.iter().map(|&id| world.body(id).position()).collect::<Vec<_>>();
        let (mut before, mut speed, mut shift) = (places(&world), 0.0, 0.0);
        // Large heaps have a longer way to go.
        for _ in 0..(240.0 * radius) as usize + 150 {
            world.step(DT);
            let after = places(&world);
            for ((&id, p), q) in heap.iter().zip(&before).zip(&after) {
                speed = carom_core::math::max(speed, world.body(id).velocity().length());
                shift = carom_core::math::max(shift, p.distance(*q));
            }
            before = after;
        }
        assert!(speed < 2.0, "radius {radius}: {speed} m/s");
        // The fastest push, and what speed there is.
        assert!(shift < 4.5 * DT, "radius {radius}: moved by {shift} m in a step, at {} m/s", shift / DT);
        let overlap = carom_scenes::measure::deepest_penetration(&world);
        assert!(overlap < 0.1 * radius, "radius {radius}: {overlap} m of overlap are left");
    }
}

/// A thousand bodies at one point made half a million contacts, and a step took most of a second. Pairs that
/// wait are not forgotten: what was put there comes apart all the same.
#[test]
fn crowds_make_few_contacts() {
    let mut world = weightless();
    for _ in 0..400 {
        add(&mut world, Vec2::ZERO, ShapeDef::rectangle(0.2, 0.2));
    }
    for _ in 0..150 {
        world.step(DT);
        assert!(world.contact_count() < 100 * 400, "{} contacts", world.contact_count());
        world.validate();
    }
    let overlap = carom_scenes::measure::deepest_penetration(&world);
    assert!(overlap < 0.02, "{overlap} m of overlap are left");
}

/// A body that continuous collision put back to where it met a wall was left behind by what it was joined to.
#[test]
fn what_is_joined_waits_together() {
    for phase in 0..16 {
        let mut world = weightless();
        let wall = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(wall, ShapeDef::rectangle(0.02, 10.0)).unwrap();
        let start = -1.0 - 60.0 * DT * phase as f32 / 16.0;
        let [front, back] =
            [0.0, -0.5].map(|x| add_moving(&mut world, vec2(start + x, 0.0), vec2(60.0, 0.0), ShapeDef::circle(0.05)));
        let def = JointDef::weld(front, back).at(&world, vec2(start - 0.25, 0.0)).unwrap();
        let joint = world.add_joint(def).unwrap();
        let mut gap: f32 = 0.0;
        for _ in 0..20 {
            world.step(DT);
            gap = carom_core::math::max(gap, world.joint(joint).offset().length());
        }
        assert!(world.body(front).position().x < 0.0, "phase {phase}: it went through");
        // The other pushes on at 60 m/s: a joint is stiff, not rigid. It was half a metre.
        assert!(gap < 0.05, "phase {phase}: the joint came apart by {gap} m");
    }
}

/// Ellipses that rock on a smooth floor doubled their energy in twenty seconds, whatever the sub-steps: their lever arms
/// were those of the beginning of each step, and a rim rolls on while the step lasts.
#[test]
fn rocking_ellipses_gain_no_energy() {
    for (half_axes, tilt) in [((0.6, 0.4), 1.2), ((0.3, 0.2), 0.5), ((0.6, 0.1), 1.0), ((0.5, 0.5), 0.3)] {
        for substeps in [4, 16] {
            let mut world = World::new(WorldDef { sleeping: false, substeps, ..WorldDef::default() });
            add_floor(&mut world, 0.0, 0.0);
            let (wide, high) = half_axes;
            let (s, c) = carom2d::math::sin_cos(tilt);
            let height = (wide * wide * s * s + high * high * c * c).sqrt();
            let def = BodyDef { position: vec2(0.0, height), angle: tilt, ..BodyDef::dynamic() };
            let body = world.add_body(def).expect("body");
            world.add_shape(body, ShapeDef { friction: 0.0, ..ShapeDef::ellipse(wide, high) }).expect("shape");
            // Over the height at rest.
            let energy = |world: &World| {
                let body = world.body(body);
                let spin = body.inertia() * body.angular_velocity() * body.angular_velocity() / body.mass();
                let least = if wide < high { wide } else { high };
                10.0 * (body.position().y - least) + 0.5 * (body.velocity().length_squared() + spin)
            };
            let before = energy(&world);
            let mut most = before;
            for _ in 0..1200 {
                world.step(DT);
                most = carom2d::math::max(most, energy(&world));
            }
            // Floors give way by a millimetre.
            assert!(most < 1.01 * before + 0.02, "{half_axes:?}, {substeps} sub-steps: {before} to {most} J/kg");
        }
    }
}

/// A box under load lost its support for a step, now and then, and the pyramid above it a centimetre per second: where
/// surfaces overlapped by half a millimetre to the last digit, they seemed about to collide and a moment later not to
/// have done so, as at a seam.
#[test]
fn what_rests_is_no_ghost() {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    let floor = world.add_body(BodyDef { position: vec2(150.0, -1.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(floor, ShapeDef::rectangle(400.0, 2.0)).unwrap();
    let mut boxes = Vec::new();
    for start in [60.0, 100.0, 150.0, 200.0] {
        for row in 0..10_u8 {
            for place in 0..10 - row {
                let x = start + f32::from(place) + 0.5 * f32::from(row);
                boxes.push(add(&mut world, vec2(x, f32::from(row) + 0.5), ShapeDef::rectangle(1.0, 1.0)));
            }
        }
    }
    steps(&mut world, 300);
    for step in 300..1500 {
        steps(&mut world, 1);
        let fastest = boxes.iter().map(|&id| world.body(id).velocity().length()).fold(0.0, carom_core::math::max);
        assert!(fastest < 1.0e-3, "step {step}: {fastest} m/s");
    }
}

/// A body that is put back to where it met a ceiling has the speed that it had there: it rose, so it was faster. But nothing
/// may be faster than the world allows, and it was, by what gravity takes in a sub-step.
#[test]
fn what_waits_is_no_faster_than_it_may_be() {
    for solver in [Solver::SoftStep, Solver::Direct, Solver::Sequential(Sequential::default())] {
        for place in 0..40_u8 {
            let def = WorldDef { solver, max_speed: 50.0, gravity: vec2(0.0, -10.0), ..WorldDef::default() };
            let mut world = World::new(def);
            let ceiling = world.add_body(BodyDef::fixed()).unwrap();
            world.add_shape(ceiling, ShapeDef::segment(vec2(-5.0, 0.0), vec2(5.0, 0.0))).unwrap();
            let ball = BodyDef {
                position: vec2(0.0, -0.12 - 0.01 * f32::from(place)),
                velocity: vec2(0.0, 60.0),
                ..BodyDef::dynamic()
            };
            let ball = world.add_body(ball).unwrap();
            world.add_shape(ball, ShapeDef::circle(0.1)).unwrap();
            for step in 0..10 {
                world.step(1.0 / 60.0);
                let speed = world.body(ball).velocity().length();
                assert!(speed <= 50.0, "{solver:?}, place {place}, step {step}: {speed} m/s");
            }
        }
    }
}

/// A thin capsule that is thrown at the end of a wall, turning, goes into it over some steps and was pushed down through the
/// floor by it. Whatever its spin and its way, it stays above.
#[test]
fn a_thin_capsule_is_not_pushed_through_the_floor() {
    let mut rng = carom_core::Rng::new(41);
    for launch in 0..500 {
        let mut world = World::new(WorldDef::default());
        let ground = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(ground, ShapeDef::segment(vec2(-300.0, 0.0), vec2(300.0, 0.0))).unwrap();
        let wall = world.add_body(BodyDef { position: vec2(6.0, 2.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(wall, ShapeDef::rectangle(rng.range(0.05, 4.0), 4.0 - rng.range(0.0, 1.5))).unwrap();
        let half = rng.range(0.1, 1.0);
        let radius = rng.range(0.01, 0.05);
        let position = vec2(0.0, half + radius + rng.range(0.01, 2.0));
        let direction = rng.range(-0.3, 0.1);
        let capsule = BodyDef {
            position,
            angle: rng.range(-3.1, 3.1),
            velocity: 100.0 * vec2(carom_core::math::cos(direction), carom_core::math::sin(direction)),
            angular_velocity: rng.range(-20.0, 20.0),
            ..BodyDef::dynamic()
        };
        let capsule = world.add_body(capsule).unwrap();
        world.add_shape(capsule, ShapeDef::capsule(vec2(-half, 0.0), vec2(half, 0.0), radius)).unwrap();
        for step in 0..120 {
            world.step(1.0 / 60.0);
            let body = world.body(capsule);
            // Below the floor with the centre is through it.
            let place = body.center();
            assert!(place.y > 0.0 || place.x.abs() > 300.0, "launch {launch}, step {step}: at {place:?}");
        }
    }
}

/// A rod of a hundred kilometres that turned beside a moving chain ended the program in debug builds: the search for a
/// meeting gave up, and what it answers then was taken for a meeting that a quicker look had missed.
#[test]
fn rods_of_kilometres_turn_beside_a_chain() {
    let points = [
        (2.548217, -0.82275987),
        (2.6485133, -1.398199),
        (3.0678864, -1.8047895),
        (3.6461535, -1.8872321),
        (4.162442, -1.614037),
        (4.419553, -1.0895531),
        (4.3192806, -0.5141095),
        (3.8999252, -0.10750127),
        (3.3216617, -0.02503407),
        (2.8053615, -0.29820698),
    ];
    let shard =
        [(8.3320675, 5.87084), (8.553474, 5.9200563), (8.619097, 6.010371), (8.5975, 6.2361517), (8.447313, 6.0661902)];
    for length in [1.0e2, 1.0e3, 1.0e4, 100_000.086] {
        let mut world = World::new(WorldDef::default());
        let def = BodyDef { kind: BodyKind::Kinematic, angle: 2.554458, ..BodyDef::fixed() };
        let chain = world.add_body(def).unwrap();
        world.add_shape(chain, ShapeDef::chain(&points.map(|(x, y)| vec2(x, y)))).unwrap();
        let rod = BodyDef {
            position: vec2(-16.792805, -3.177104),
            angular_velocity: -2.2580924,
            angular_damping: 8.71994,
            ..BodyDef::dynamic()
        };
        let rod = world.add_body(rod).unwrap();
        world.add_shape(rod, ShapeDef::concave(&shard.map(|(x, y)| vec2(x, y)))).unwrap();
        world.add_shape(rod, ShapeDef::segment(vec2(-0.48933718, length), vec2(0.47743124, 3.6945672))).unwrap();
        for _ in 0..100 {
            world.step(1.0 / 60.0);
        }
        assert!(world.body(rod).position().is_finite() && !world.body(rod).is_frozen(), "of {length} m");
    }
}
