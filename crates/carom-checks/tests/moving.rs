//! What is carried along by bodies that the caller moves, and what slides and rolls along curves.

use carom_core::Rng;
use carom_core::math::{sin_cos, sin64};
use carom2d::prelude::*;

const DT: f32 = 1.0 / 60.0;

/// A plate of 6 m whose top is at y = 0, and a box of 1 m on it.
fn loaded_plate(solver: Solver) -> (World, BodyId, BodyId) {
    let def = WorldDef { gravity: vec2(0.0, -10.0), sleeping: false, solver, ..WorldDef::default() };
    let mut world = World::new(def);
    let plate = world.add_body(BodyDef { position: vec2(0.0, -0.5), ..BodyDef::kinematic() }).unwrap();
    world.add_shape(plate, ShapeDef::rectangle(6.0, 1.0)).unwrap();
    let load = world.add_body(BodyDef { position: vec2(0.0, 0.5), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(load, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    (world, plate, load)
}

/// How far the box is above the plate.
fn gap(world: &World, plate: BodyId, load: BodyId) -> f32 {
    world.body(load).position().y - world.body(plate).position().y - 1.0
}

/// A plate that moves up and down with accelerations below that of gravity keeps its load, and arrives where it is sent. It
/// threw the load up by 7 mm, since its velocity jumped at each step.
#[test]
fn a_shaken_plate_keeps_its_load() {
    for solver in [Solver::SoftStep, Solver::Direct] {
        let mut rng = Rng::new(17);
        for _ in 0..24 {
            let (share, hertz) = (rng.range(0.8, 0.99), rng.range(0.5, 5.0));
            let omega = std::f64::consts::TAU * f64::from(hertz);
            let amplitude = 10.0 * f64::from(share) / (omega * omega);
            let place = |step: u32| -amplitude * sin64(omega * f64::from(step) * f64::from(DT));
            let (mut world, plate, load) = loaded_plate(solver);
            let speed = |step: u32| ((place(step + 1) - place(step)) / f64::from(DT)) as f32;
            world.body_mut(load).set_velocity(vec2(0.0, speed(0))).unwrap();
            for step in 0..300 {
                world.body_mut(plate).set_velocity(vec2(0.0, speed(step))).unwrap();
                world.step(DT);
                assert_eq!(world.body(plate).velocity(), vec2(0.0, speed(step)));
                let off = f64::from(world.body(plate).position().y) + 0.5 - place(step + 1);
                assert!(off.abs() < 1.0e-5, "{share} g at {hertz} Hz: {off} m off");
                let gap = gap(&world, plate, load);
                assert!(gap <= 6.0e-4, "{solver:?}, {share} g at {hertz} Hz, step {step}: {gap} m");
            }
        }
    }
}

/// A plate that has its velocity from one step to the next gives it to its load, and no more; one that stops lets the load
/// go on at what it had.
#[test]
fn sudden_starts_and_stops_are_what_they_are() {
    for solver in [Solver::SoftStep, Solver::Direct] {
        let (mut world, plate, load) = loaded_plate(solver);
        (0..10).for_each(|_| world.step(DT));
        world.body_mut(plate).set_velocity(vec2(0.0, 2.0)).unwrap();
        for step in 0..30 {
            world.step(DT);
            let (speed, gap) = (world.body(load).velocity().y, gap(&world, plate, load));
            assert!((speed - 2.0).abs() < 0.01 && gap < 1.0e-4, "{solver:?}, step {step}: {speed} m/s, {gap} m");
        }
        let start = world.body(load).position().y;
        world.body_mut(plate).set_velocity(Vec2::ZERO).unwrap();
        let mut highest = 0.0;
        for _ in 0..24 {
            world.step(DT);
            let height = world.body(load).position().y - start;
            highest = if height > highest { height } else { highest };
        }
        // v^2 / 2g
        assert!((highest / 0.2 - 1.0).abs() < 0.02, "{solver:?}: {highest} m");
    }
}

/// A turntable that speeds up and slows down smoothly turns by what it is told.
#[test]
fn turntables_turn_as_far_as_they_are_told() {
    let mut world = World::new(WorldDef::default());
    let table = world.add_body(BodyDef::kinematic()).unwrap();
    world.add_shape(table, ShapeDef::circle(1.0)).unwrap();
    let mut angle = 0.0;
    for step in 0..120 {
        let spin = 2.0 * sin64(0.05 * f64::from(step)) as f32;
        world.body_mut(table).set_angular_velocity(spin).unwrap();
        angle += spin * DT;
        world.step(DT);
        assert!((Rot::from_angle(angle).inv_mul(world.body(table).rotation()).angle()).abs() < 1.0e-4);
        assert_eq!(world.body(table).angular_velocity(), spin);
    }
}

/// A disc that slides off a fixed one from near its top leaves where cos a is two thirds of that of the start, and then
/// moves sideways at v cos a. One that rolls has a third of its energy in its spin, and leaves at four sevenths. With one
/// normal for each step, discs hopped before they left, and came off up to 6 % too fast.
#[test]
fn discs_leave_a_curve_where_theory_says() {
    let mut rng = Rng::new(4);
    for run in 0..24 {
        let (big, small, start) = (rng.range(1.0, 5.0), rng.range(0.1, 0.5), rng.range(0.1, 0.3));
        let rolls = run % 2 == 1;
        // A grip that never slips before it leaves takes all friction there is.
        let friction = if rolls { 1000.0 } else { 0.0 };
        let mut world = World::new(WorldDef { gravity: vec2(0.0, -10.0), ..WorldDef::default() });
        let ground = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(ground, ShapeDef { friction, ..ShapeDef::circle(big) }).unwrap();
        let (sin, cos) = sin_cos(start);
        let disc = BodyDef { position: (big + small) * vec2(sin, cos), ..BodyDef::dynamic() };
        let disc = world.add_body(disc).unwrap();
        world.add_shape(disc, ShapeDef { friction, ..ShapeDef::circle(small) }).unwrap();
        while world.body(disc).position().length() < big + 2.0 * small {
            world.step(DT);
        }
        // Sliding: v^2 = 2 g r (cos s - cos a) = g r cos a. Rolling: 3/2 of the energy is that of the way, so that
        // v^2 = 4/3 g r (cos s - cos a).
        let leaving = cos * if rolls { 4.0 / 7.0 } else { 2.0 / 3.0 };
        let expected = (10.0 * (big + small) * leaving).sqrt() * leaving;
        let speed = world.body(disc).velocity().x;
        let off = speed / expected - 1.0;
        assert!(off.abs() < 0.01, "{small} m on {big} m from {start}, rolls {rolls}: {off}");
    }
}
