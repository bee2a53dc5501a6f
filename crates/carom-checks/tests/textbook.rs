//! The textbook solver meets the figures of its textbook, with each way of position correction: bounces, tilted boxes,
//! stacks, sliding, impacts. Each as a family of random instances beside the one that is printed there.
#![allow(clippy::disallowed_methods)]

use carom_core::Rng;
use carom2d::prelude::*;

const DT: f32 = 1.0 / 60.0;
const CORRECTIONS: [Correction; 3] = [Correction::Bias, Correction::Split, Correction::FirstImpact];

fn world(correction: Correction) -> World {
    World::new(WorldDef {
        solver: Solver::Sequential(Sequential { correction, ..Sequential::default() }),
        friction_mix: Mix::Product,
        restitution_mix: Mix::GeometricMean,
        sleeping: false,
        ..WorldDef::default()
    })
}

/// A floor whose top is at y = 0.
fn add_floor(world: &mut World, friction: f32, restitution: f32) {
    let body = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(body, ShapeDef { friction, restitution, ..ShapeDef::rectangle(100.0, 2.0) }).unwrap();
}

fn add(world: &mut World, body: BodyDef, shape: ShapeDef) -> BodyId {
    let id = world.add_body(body).unwrap();
    world.add_shape(id, shape).unwrap();
    id
}

fn at(x: f32, y: f32) -> BodyDef {
    BodyDef { position: vec2(x, y), ..BodyDef::dynamic() }
}

/// How high a shape of half the height `half` rises over the floor at its first apexes, after a drop.
fn apexes(correction: Correction, (half, drop, e, dt): (f32, f32, f32, f32), ball: bool, count: usize) -> Vec<f64> {
    let mut world = world(correction);
    add_floor(&mut world, 0.5, e);
    let shape = if ball { ShapeDef::circle(half) } else { ShapeDef::rectangle(2.0 * half, 2.0 * half) };
    let body = add(&mut world, at(0.0, half + drop), ShapeDef { restitution: e, ..shape });
    let mut found = Vec::new();
    let mut before = (0.0, 0.0);
    for _ in 0..20_000 {
        world.step(dt);
        let state = world.body(body);
        let now = (f64::from(state.position().y - half), f64::from(state.velocity().y));
        if before.1 > 0.0 && now.1 <= 0.0 {
            found.push(before.0 + before.1 * before.1 / 20.0);
        }
        before = now;
        if found.len() == count {
            break;
        }
    }
    found
}

/// e = 1 comes back to 1 m ten times, e = 0.5 to 0.25 m.
#[test]
fn bounces_reach_their_height() {
    for correction in CORRECTIONS {
        for ball in [false, true] {
            let elastic = apexes(correction, (0.5, 1.0, 1.0, DT), ball, 10);
            assert!(
                elastic.len() == 10 && elastic.iter().all(|h| (h - 1.0).abs() < 1.0e-3),
                "{correction:?} {elastic:?}"
            );
            let lossy = apexes(correction, (0.5, 1.0, 0.5, DT), ball, 1);
            assert!((lossy[0] - 0.25).abs() < 1.0e-3, "{correction:?} {lossy:?}");
            let dull = apexes(correction, (0.5, 1.0, 0.0, DT), ball, 1);
            assert!(dull.iter().all(|h| *h < 2.0e-3), "{correction:?} {dull:?}");
        }
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            let ball = seed % 2 == 0;
            let (half, drop, dt) = (0.5 * rng.range(0.1, 3.0), rng.range(0.5, 5.0), 1.0 / rng.range(30.0, 240.0));
            let heights = apexes(correction, (half, drop, 1.0, dt), ball, 10);
            let worst = heights.iter().map(|h| (h / f64::from(drop) - 1.0).abs()).fold(0.0, f64::max);
            assert!(heights.len() == 10 && worst < 1.0e-3, "{correction:?} seed {seed}: {heights:?} of {drop}");
            let e = rng.range(0.3, 0.95);
            let height = apexes(correction, (half, drop, e, dt), ball, 1)[0] / f64::from(drop * e * e);
            assert!(
                (height - 1.0).abs() < 2.0e-3,
                "{correction:?} seed {seed}, e = {e}: {height} of what it should be"
            );
        }
    }
}

/// Boxes dropped at any angle below 45 degrees come to lie flat.
#[test]
fn tilted_boxes_come_to_lie_flat() {
    for correction in CORRECTIONS {
        for seed in 0..25 {
            let mut rng = Rng::new(seed);
            // The first is the textbook's.
            let (size, angle, dt) = match seed {
                0 => (1.0, 20.0_f32.to_radians(), DT),
                _ => (rng.range(0.1, 3.0), rng.range(-44.0, 44.0_f32).to_radians(), 1.0 / rng.range(50.0, 120.0)),
            };
            let mut world = world(correction);
            add_floor(&mut world, 0.5, 0.0);
            let reach = 0.5 * size * (angle.sin().abs() + angle.cos());
            let def = BodyDef { angle, ..at(0.0, reach + 0.2) };
            let body = add(&mut world, def, ShapeDef { friction: 0.5, ..ShapeDef::rectangle(size, size) });
            for _ in 0..(8.0 / dt) as usize {
                world.step(dt);
            }
            let turns = f64::from(world.body(body).angle().to_degrees()) / 90.0;
            let tilt = 90.0 * (turns - turns.round()).abs();
            let height = world.body(body).position().y - 0.5 * size;
            assert!(tilt < 0.1 && height.abs() < 2.0e-4, "{correction:?} seed {seed}: {tilt} degrees, {height} m");
        }
    }
}

/// Stacks of boxes, a little off each other, neither sink nor lean, from the first step on.
#[test]
fn stacks_stand_still() {
    for correction in CORRECTIONS {
        for seed in 0..25 {
            let mut rng = Rng::new(seed);
            // The first is the textbook's.
            let (count, size, dt, off) = match seed {
                0 => (5, 1.0, DT, 0.0),
                _ => (2 + rng.below(7), rng.range(0.1, 3.0), 1.0 / rng.range(50.0, 120.0), 0.01),
            };
            let mut world = world(correction);
            add_floor(&mut world, 0.7, 0.0);
            let shape = ShapeDef { friction: 0.7, ..ShapeDef::rectangle(size, size) };
            let boxes: Vec<(BodyId, Vec2)> = (0..count)
                .map(|i| {
                    let def = at(off * size * rng.range(-1.0, 1.0), size * (i as f32 + 0.5));
                    (add(&mut world, def, shape.clone()), def.position)
                })
                .collect();
            for step in 1..=(10.0 / dt) as usize {
                world.step(dt);
                for &(body, start) in &boxes {
                    let drift = world.body(body).position().distance(start);
                    let tilt = world.body(body).angle().to_degrees();
                    let case = || format!("{correction:?} seed {seed}, {count} of {size} m, step {step}");
                    assert!(drift < 1.0e-3, "{}: drifts {drift} m", case());
                    assert!(tilt.abs() < 0.1, "{}: tilts {tilt} degrees", case());
                }
            }
        }
    }
}

/// 5 m/s against friction 0.5 x 0.5 stops after 2 s and 5 m; a slope holds a box if and only if it is flat enough.
#[test]
fn friction_stops_and_holds() {
    for correction in CORRECTIONS {
        let mut flat = world(correction);
        add_floor(&mut flat, 0.5, 0.0);
        let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 1.0) };
        let body = add(&mut flat, BodyDef { velocity: vec2(5.0, 0.0), ..at(0.0, 0.5) }, shape.clone());
        let mut moving = 0;
        for step in 1..=180 {
            flat.step(DT);
            if flat.body(body).velocity().x > 1.0e-3 {
                moving = step;
            }
        }
        let (time, way) = ((moving + 1) as f32 / 60.0, flat.body(body).position().x);
        assert!((time - 2.0).abs() <= 0.02 && (way - 5.0).abs() <= 0.05, "{correction:?}: {time} s, {way} m");
        for factor in [0.98, 1.02_f32] {
            let slope = (0.25 * factor).atan();
            let mut world = world(correction);
            world.set_gravity(10.0 * vec2(slope.sin(), -slope.cos())).unwrap();
            add_floor(&mut world, 0.5, 0.0);
            let body = add(&mut world, at(0.0, 0.5), shape.clone());
            for _ in 0..180 {
                world.step(DT);
            }
            let way = world.body(body).position().x;
            assert_eq!(way > 0.1, factor > 1.0, "{correction:?} at {factor} of the angle of friction: {way} m");
        }
    }
}

/// Boxes that slide on a slope, alone or with a load that sticks to them, go `v t + a t^2 / 2`, and those that stop on
/// flat ground `v^2 / (2 mu g)`.
#[test]
fn sliding_boxes_go_their_way() {
    for correction in CORRECTIONS {
        for seed in 0..25 {
            let mut rng = Rng::new(seed);
            let (speed, friction, dt) = (rng.range(1.0, 8.0), rng.range(0.1, 0.6), 1.0 / rng.range(50.0, 120.0));
            let slope = if seed % 2 == 0 { 0.0 } else { (1.5 * friction).atan() };
            let mut world = world(correction);
            world.set_gravity(10.0 * vec2(slope.sin(), -slope.cos())).unwrap();
            add_floor(&mut world, 1.0, 0.0);
            let velocity = vec2(speed, 0.0);
            let shape = ShapeDef { friction, ..ShapeDef::rectangle(1.0, 0.5) };
            let body = add(&mut world, BodyDef { velocity, ..at(-40.0, 0.25) }, shape);
            let load = (seed % 4 >= 2).then(|| {
                let shape = ShapeDef { friction: 4.0 / friction, ..ShapeDef::rectangle(0.5, 0.2) };
                add(&mut world, BodyDef { velocity, ..at(-40.0, 0.6) }, shape)
            });
            let acceleration = 10.0 * (slope.sin() - friction * slope.cos());
            let stop = if acceleration < 0.0 { -speed / acceleration } else { f32::INFINITY };
            for step in 1..=(2.0 / dt) as usize {
                world.step(dt);
                let t = stop.min(step as f32 * dt);
                let expected = speed * t + 0.5 * acceleration * t * t;
                let way = world.body(body).position().x + 40.0;
                // Where it stops within a step, up to what it goes in half of that is missing.
                let tolerance = 1.0e-3 * expected + acceleration.abs() * dt * dt;
                assert!((way - expected).abs() < tolerance, "{correction:?} seed {seed}: {way} m, not {expected}");
                let apart = load.map_or(0.0, |load| world.body(load).position().x + 40.0 - way);
                assert!(apart.abs() < 1.0e-3, "{correction:?} seed {seed}: the load is {apart} m off");
            }
        }
    }
}

/// Equal boxes that meet head on with e = 1 exchange their velocities, three in a row pass it on, and off-centre hits
/// keep energy and both momenta.
#[test]
fn impacts_keep_what_they_must() {
    for correction in CORRECTIONS {
        let shape = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::rectangle(1.0, 1.0) };
        for others in [1, 2] {
            let mut world = world(correction);
            world.set_gravity(Vec2::ZERO).unwrap();
            let first = add(&mut world, BodyDef { velocity: vec2(3.0, 0.0), ..at(-3.0, 0.0) }, shape.clone());
            let rest: Vec<BodyId> =
                (0..others).map(|i| add(&mut world, at(1.5 * i as f32, 0.0), shape.clone())).collect();
            for _ in 0..90 {
                world.step(DT);
            }
            let speeds: Vec<f32> = [first].iter().chain(&rest).map(|&body| world.body(body).velocity().x).collect();
            let (last, slow) = speeds.split_last().unwrap();
            assert!((last - 3.0).abs() < 1.0e-4 && slow.iter().all(|v| v.abs() < 1.0e-4), "{correction:?}: {speeds:?}");
        }
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let mut world = world(correction);
            world.set_gravity(Vec2::ZERO).unwrap();
            let size = |rng: &mut Rng| (rng.range(0.3, 1.5), rng.range(0.3, 1.5));
            let bodies = [-1.0, 1.0].map(|side| {
                let (w, h) = size(&mut rng);
                let def = BodyDef {
                    velocity: vec2(-side * rng.range(1.0, 6.0), 0.0),
                    angle: rng.range(-3.0, 3.0),
                    ..at(2.0 * side, rng.range(-0.4, 0.4))
                };
                add(&mut world, def, ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::rectangle(w, h) })
            });
            let energy =
                |world: &World| bodies.iter().map(|&id| f64::from(world.body(id).kinetic_energy())).sum::<f64>();
            let momentum = |world: &World| {
                bodies.iter().map(|&id| world.body(id).mass() * world.body(id).velocity()).sum::<Vec2>()
            };
            let (before, push) = (energy(&world), momentum(&world));
            for _ in 0..60 {
                world.step(DT);
            }
            let (gain, change) =
                (energy(&world) / before - 1.0, (momentum(&world) - push).length() / push.length().max(1.0));
            // A bias adds speed that stays.
            let most = if correction == Correction::Bias { 1.0e-2 } else { 1.0e-3 };
            assert!(gain.abs() < most && change < 1.0e-5, "{correction:?} seed {seed}: {gain} {change}");
        }
    }
}

/// A brick at 50 m/s never passes a wall of 0.05 m, and comes back as fast as e says.
#[test]
fn fast_bricks_never_pass_thin_walls() {
    for correction in CORRECTIONS {
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let e = [0.0, 0.5, 1.0][seed as usize % 3];
            let mut world = world(correction);
            world.set_gravity(Vec2::ZERO).unwrap();
            add(
                &mut world,
                BodyDef::fixed(),
                ShapeDef { restitution: e, friction: 0.0, ..ShapeDef::rectangle(0.05, 20.0) },
            );
            let spin = if seed < 30 { 0.0 } else { rng.range(-30.0, 30.0) };
            let def = BodyDef { velocity: vec2(50.0, 0.0), angular_velocity: spin, ..at(-rng.range(3.0, 4.0), 0.0) };
            let shape = ShapeDef { restitution: e, friction: 0.0, ..ShapeDef::rectangle(0.4, 0.2) };
            let body = add(&mut world, def, shape);
            for _ in 0..40 {
                world.step(DT);
                assert!(world.body(body).position().x < 0.0, "{correction:?} seed {seed} is through");
            }
            let speed = world.body(body).velocity().x;
            assert!(spin != 0.0 || (speed + 50.0 * e).abs() < 0.5, "{correction:?} seed {seed}, e = {e}: {speed} m/s");
        }
    }
}
