//! The seven scenes of the `.scene` format, held against exact solutions and converged references.
#![allow(clippy::disallowed_methods, reason = "tests may use the platform's functions")]

mod shared;

use carom3d::math::{DVec3, Quat, dvec3};
use carom3d::{BodyId, Integrator, Scene, SceneOptions, SpinFrame, WorldDef};
use shared::{Row, load, reference};

const STEPS_PER_SECOND: f64 = 600.0;

fn energy(scene: &Scene) -> f64 {
    scene.world.kinetic_energy() + scene.world.potential_energy()
}

/// Steps a scene and calls `check` with every row of a reference up to a time when the scene is there.
fn follow(scene: &mut Scene, rows: &[Row], until_s: f64, mut check: impl FnMut(&Scene, BodyId, &Row)) {
    let bodies: Vec<BodyId> = scene.bodies().collect();
    let mut compared = 0;
    for row in rows.iter().filter(|row| row.time_s <= until_s) {
        let step = (row.time_s * STEPS_PER_SECOND).round() as u64;
        while scene.world.step_count() < step {
            scene.step();
        }
        check(scene, bodies[row.body], row);
        compared += 1;
    }
    assert!(compared > 100, "only {compared} rows");
}

/// The largest distance from a reference up to a time.
fn worst_distance(scene: &mut Scene, rows: &[Row], until_s: f64) -> f64 {
    let mut worst = 0.0_f64;
    follow(scene, rows, until_s, |scene, body, row| {
        worst = worst.max((scene.world.body(body).position() - row.position).length());
    });
    worst
}

/// Times of impacts between two spheres with their numbers, and how many there were with anything else.
fn impacts(scene: &mut Scene, seconds: f64) -> (Vec<(f64, usize, usize)>, usize) {
    let bodies: Vec<BodyId> = scene.bodies().collect();
    let number = |id: BodyId| bodies.iter().position(|&body| body == id);
    let (mut pairs, mut walls) = (Vec::new(), 0);
    for _ in 0..(seconds * STEPS_PER_SECOND).round() as u64 {
        scene.step();
        for impact in &scene.world.events().impacts {
            match (number(impact.body_a), number(impact.body_b)) {
                (Some(a), Some(b)) => pairs.push((impact.time_s, a, b)),
                _ => walls += 1,
            }
        }
    }
    (pairs, walls)
}

fn assert_first_pairs(found: &[(f64, usize, usize)], expected: &[(f64, usize, usize)]) {
    for (&(time_s, a, b), &(found_s, found_a, found_b)) in expected.iter().zip(found) {
        assert_eq!((found_a, found_b), (a, b), "at {found_s}");
        assert!((found_s - time_s).abs() < 1.0e-6, "spheres {a} and {b} met at {found_s}, not at {time_s}");
    }
    assert!(found.len() >= expected.len());
}

fn assert_no_spin(scene: &Scene) {
    for body in scene.bodies() {
        assert_eq!(scene.world.body(body).angular_velocity(), DVec3::ZERO);
    }
}

#[test]
fn collision() {
    let Some(mut scene) = load("collision", SceneOptions::default()) else { return };
    let worst = worst_distance(&mut scene.clone(), &reference("collision.exact"), 20.0);
    assert!(worst < 1.0e-7, "{worst} m from the exact solution");

    let mut inside = scene.clone();
    for _ in 0..20 * 600 {
        inside.step();
        assert!((energy(&inside) - 61.5).abs() < 1.0e-9 * 61.5, "energy {}", energy(&inside));
        for body in inside.bodies() {
            let p = inside.world.body(body).position();
            assert!(p.x.abs() < 7.0 + 1.0e-9 && p.z.abs() < 7.0 + 1.0e-9 && (p.y - 6.0).abs() < 7.0 + 1.0e-9, "{p}");
        }
    }
    assert_no_spin(&inside);

    let (pairs, walls) = impacts(&mut scene, 20.0);
    let second = pairs.iter().position(|&(_, a, b)| (a, b) == (1, 3)).unwrap();
    let third = pairs.iter().position(|&(_, a, b)| (a, b) == (2, 3)).unwrap();
    assert_first_pairs(
        &[pairs[0], pairs[second], pairs[third]],
        &[(1.434373, 2, 4), (5.443010, 1, 3), (18.340688, 2, 3)],
    );
    assert_eq!((walls, pairs.len()), (52, 5));
}

#[test]
fn collision_with_other_integrators() {
    // Without forces all integrators are exact.
    for integrator in Integrator::ALL {
        let Some(mut scene) = load("collision", SceneOptions::default()) else { return };
        scene.world.set_def(WorldDef { integrator, ..*scene.world.def() }).unwrap();
        let worst = worst_distance(&mut scene, &reference("collision.exact"), 15.0);
        assert!(worst < 1.0e-7, "{}: {worst} m from the exact solution", integrator.name());
    }
}

#[test]
fn collision_stress() {
    let Some(mut scene) = load("collision_stress", SceneOptions::default()) else { return };
    let worst = worst_distance(&mut scene.clone(), &reference("collision_stress.exact"), 2.0);
    assert!(worst < 1.0e-6, "{worst} m from the exact solution");

    let mut inside = scene.clone();
    for _ in 0..10 * 600 {
        inside.step();
        assert!((energy(&inside) - 24449.0).abs() < 1.0e-9 * 24449.0, "energy {}", energy(&inside));
        for body in inside.bodies() {
            let p = inside.world.body(body).position();
            let center = dvec3(0.0, 12.0, 0.0);
            assert!((p - center).abs().max_element() < 15.0 + 1.0e-9, "{p} is outside");
        }
    }
    assert_no_spin(&inside);

    let (pairs, walls) = impacts(&mut scene, 10.0);
    assert_first_pairs(&pairs, &[(0.020431, 8, 12), (0.030813, 0, 3), (0.072351, 8, 16), (0.096757, 0, 1)]);
    // The exact counts are 71 and 498, but after 4 s rounding decides who meets whom.
    assert!(pairs.len().abs_diff(71) <= 20 && walls.abs_diff(498) <= 40, "{} pairs, {walls} walls", pairs.len());
}

#[test]
fn damping_test() {
    let Some(mut scene) = load("damping_test", SceneOptions::default()) else { return };
    let worst = worst_distance(&mut scene.clone(), &reference("damping_test.exact"), 20.0);
    assert!(worst < 2.0e-4, "{worst} m from the exact solution");

    let ball = scene.bodies().next().unwrap();
    let (mut bounces, mut rest_s) = (Vec::new(), None);
    for _ in 0..14 * 600 {
        let before = scene.world.body(ball).velocity();
        scene.step();
        for impact in &scene.world.events().impacts {
            bounces.push(impact.time_s);
        }
        let body = scene.world.body(ball);
        assert!(body.position().y > -1.0 - 1.0e-9, "sank to {}", body.position().y);
        if scene.world.events().impacts.len() == 1 && bounces.len() < 10 {
            assert!((body.velocity().x / before.x - 0.8).abs() < 1.0e-12, "the whole velocity is damped");
        }
        if rest_s.is_none() && body.velocity() == DVec3::ZERO {
            rest_s = Some(scene.world.time_s());
        }
    }
    let flight = 2.0 * 0.8 * (2.0_f64 * 9.0 / 9.8).sqrt();
    let mut expected = (2.0_f64 * 9.0 / 9.8).sqrt();
    for (number, &time_s) in bounces.iter().enumerate() {
        assert!((time_s - expected).abs() < 1.0e-6, "bounce {number} at {time_s}, not at {expected}");
        expected += flight * 0.8_f64.powi(number as i32);
    }
    assert!(bounces.len() >= 25, "only {} bounces", bounces.len());
    let rest_s = rest_s.expect("the ball comes to rest");
    assert!((rest_s - 12.1974).abs() < 0.02, "at rest after {rest_s} s");
    let body = scene.world.body(ball);
    assert!((body.position() - dvec3(19.3918, -1.0, -50.0)).length() < 2.0e-4, "rests at {}", body.position());
    assert!(body.is_sleeping());
}

#[test]
fn newtons_cradle() {
    let Some(mut scene) = load("newtons_cradle", SceneOptions::default()) else { return };
    let rows = reference("newtons_cradle.exact");
    let bodies: Vec<BodyId> = scene.bodies().collect();
    let start: Vec<DVec3> = bodies.iter().map(|&body| scene.world.body(body).position()).collect();

    let mut first_impact = None;
    let mut last_energy = energy(&scene);
    let (mut left_peak, mut right_peak) = ((0.0, DVec3::ZERO), (0.0, DVec3::NEG_INFINITY));
    for _ in 0..20 * 600 {
        scene.step();
        first_impact = first_impact.or(scene.world.events().impacts.first().copied());
        assert!(energy(&scene) <= last_energy + 1.0e-11, "energy rose to {}", energy(&scene));
        last_energy = energy(&scene);
        let time_s = scene.world.time_s();
        let (right, left) = (scene.world.body(bodies[0]).position(), scene.world.body(bodies[4]).position());
        if time_s < 3.0 && left.x < left_peak.1.x {
            left_peak = (time_s, left);
        }
        if (3.0..5.0).contains(&time_s) && right.x > right_peak.1.x {
            right_peak = (time_s, right);
        }
        for middle in 1..4 {
            let moved = (scene.world.body(bodies[middle]).position() - start[middle]).length();
            assert!(moved < 2.0e-3, "ball {middle} moved {moved} m by {time_s} s");
        }
    }
    let impact = first_impact.unwrap();
    assert!((impact.time_s - 1.033584).abs() < 1.0e-5, "first impact at {}", impact.time_s);
    assert!((impact.approach_speed - 4.126).abs() < 1.0e-3, "at {} m/s", impact.approach_speed);
    assert!(
        (left_peak.0 - 2.07).abs() < 0.02 && (left_peak.1 - dvec3(-6.486, 0.865, 0.0)).length() < 5.0e-3,
        "{left_peak:?}"
    );
    assert!((right_peak.0 - 4.14).abs() < 0.02 && (right_peak.1.x - 6.480).abs() < 3.0e-3, "{right_peak:?}");

    let Some(mut scene) = load("newtons_cradle", SceneOptions::default()) else { return };
    let worst = worst_distance(&mut scene.clone(), &rows, 20.0);
    assert!(worst < 5.0e-3, "{worst} m from the reference");
    // Energy against the reference, from the same zero.
    let offset = energy(&scene) - rows[0].total_energy.unwrap();
    follow(&mut scene, &rows, 20.0, |scene, _, row| {
        let difference = energy(scene) - offset - row.total_energy.unwrap();
        assert!(difference.abs() < 2.0e-3, "energy off by {difference} J at {}", row.time_s);
    });
}

#[test]
fn rotation_test() {
    for (frame, name) in [(SpinFrame::World, "worldframe"), (SpinFrame::Body, "bodyframe")] {
        let options = SceneOptions { spin_frame: frame, ..SceneOptions::default() };
        let Some(mut scene) = load("rotation_test", options) else { return };
        let start: Vec<DVec3> = scene.bodies().map(|body| scene.world.body(body).position()).collect();
        let rows = reference(&format!("rotation_test.exact_{name}"));
        follow(&mut scene, &rows, 20.0, |scene, body, row| {
            let body = scene.world.body(body);
            assert_eq!(body.position(), start[row.body]);
            assert!((body.orientation().length() - 1.0).abs() < 1.0e-12);
            let difference = distance(body.orientation(), row.orientation.unwrap());
            assert!(difference < 1.0e-9, "{name}: orientation off by {difference} at {}", row.time_s);
            let spin = (body.angular_velocity() - row.angular_velocity.unwrap()).length();
            assert!(spin < 1.0e-9, "{name}: angular velocity off by {spin}");
        });
    }
}

/// The distance of two orientations; a quaternion and its negative are the same.
fn distance(a: Quat, b: Quat) -> f64 {
    let apart = |sign: f64| (a.w - sign * b.w).abs() + (a.vector() - sign * b.vector()).length();
    apart(1.0).min(apart(-1.0))
}

#[test]
fn spring_rotation() {
    let Some(scene) = load("spring_rotation", SceneOptions::default()) else { return };
    let rows = reference("spring_rotation.exact");
    let offset = energy(&scene) - rows[0].total_energy.unwrap();
    follow(&mut scene.clone(), &rows, 20.0, |scene, body, row| {
        let off = energy(scene) - offset - row.total_energy.unwrap();
        let body = scene.world.body(body);
        let moved = (body.position() - row.position).length();
        assert!(moved < 1.0e-7, "{moved} m from the reference at {}", row.time_s);
        assert!(distance(body.orientation(), row.orientation.unwrap()) < 1.0e-7);
        assert!((body.orientation().length() - 1.0).abs() < 1.0e-12);
        assert!((body.velocity() - row.velocity).length() < 1.0e-6);
        assert!((body.angular_velocity() - row.angular_velocity.unwrap()).length() < 1.0e-6);
        assert!(off.abs() < 1.0e-9, "energy off by {off} J");
    });

    let mut scene = scene;
    let ball = scene.bodies().next().unwrap();
    let mut crossings = Vec::new();
    let (mut far, mut high, mut spin, mut before) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0);
    for _ in 0..20 * 600 {
        scene.step();
        let state = scene.world.body(ball).state();
        if before * state.position.x < 0.0 {
            crossings.push(scene.world.time_s());
        }
        before = state.position.x;
        (far, high) = (far.max(state.position.x.abs()), high.max(state.position.y));
        spin = spin.max(state.angular_velocity.length());
        assert!(state.angular_velocity.truncate().length() < 1.0e-12, "turns about z only");
    }
    for (found, expected) in crossings.iter().zip([2.034, 4.079, 6.108, 8.149]) {
        assert!((found - expected).abs() < 3.0e-3, "crossed at {found}, not at {expected}");
    }
    assert!((far - 0.632).abs() < 1.0e-3 && (high - 0.0512).abs() < 1.0e-4 && (spin - 0.521).abs() < 1.0e-3);
}

#[test]
fn spring_rotation_with_other_integrators() {
    // Orders 2 and 1: at 1/600 s, and with steps ten times shorter a hundredth and a tenth of the error.
    for (integrator, coarse, fine) in
        [(Integrator::VelocityVerlet, 2.0e-3, 2.0e-5), (Integrator::SymplecticEuler, 1.0e-2, 1.0e-3)]
    {
        for (per_second, limit) in [(600, coarse), (6000, fine)] {
            let Some(mut scene) = load("spring_rotation", SceneOptions::default()) else { return };
            scene.world.set_def(WorldDef { integrator, ..*scene.world.def() }).unwrap();
            let ball = scene.bodies().next().unwrap();
            for _ in 0..2 * per_second {
                scene.world.step(1.0 / f64::from(per_second));
            }
            let exact = reference("spring_rotation.exact").into_iter().find(|row| row.time_s == 2.0).unwrap();
            let off = (scene.world.body(ball).position() - exact.position).length();
            assert!(off < limit, "{} at {per_second}/s: {off}", integrator.name());
        }
    }
}

#[test]
fn pool() {
    let Some(mut scene) = load("pool", SceneOptions::default()) else { return };
    let start: Vec<(BodyId, DVec3)> = scene.bodies().map(|body| (body, scene.world.body(body).position())).collect();
    assert_eq!(start.len(), 16);
    for _ in 0..10 * 600 {
        scene.step();
        for &(body, position) in &start {
            let moved = (scene.world.body(body).position() - position).length();
            assert!(moved < 1.0e-4, "{body:?} moved {moved} m by {} s", scene.world.time_s());
        }
        if scene.world.time_s() > 1.0 {
            assert_eq!(scene.world.awake_count(), 0, "all sleep");
        }
    }
    assert_eq!(scene.notes.len(), 15, "a texture for each numbered ball");
}

/// The break: what the cue ball brings is what the others carry away, and no ball leaves the table upwards.
#[test]
fn pool_break() {
    let Some(mut scene) = load("pool", SceneOptions::default()) else { return };
    let bodies: Vec<BodyId> = scene.bodies().collect();
    let cue = bodies[15];
    scene.world.body_mut(cue).set_velocity(dvec3(0.0, 0.0, 4.0)).unwrap();
    let before = energy(&scene);
    let mut moving = 0;
    for _ in 0..400 {
        scene.step();
        let gain = energy(&scene) - before;
        assert!(gain < 1.0e-9, "gained {gain} J by {} s", scene.world.time_s());
        moving = bodies.iter().filter(|&&body| scene.world.body(body).velocity().length() > 0.1).count();
    }
    assert!(moving >= 10, "only {moving} balls move");
    let momentum = scene.world.momentum();
    assert!((momentum.z - 4.0).abs() < 0.05 && momentum.x.abs() < 0.05, "momentum {momentum}");
    for &body in &bodies {
        let y = scene.world.body(body).position().y;
        assert!(y.abs() < 2.0e-3, "a ball at height {y}");
    }
}
