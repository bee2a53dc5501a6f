//! D: what slides, rolls and is moved.

use super::problem::{Player, Problem};
use super::{Family, Measure, Outcome, Standing, larger, log_range, one_of, whole};
use carom_core::Rng;
use carom_core::math::{atan2_64, cos64, sin_cos, sin_cos64, sin64};
use carom_peers::{Peer, Unsupported};
use carom2d::collide::{Reference, collide};
use carom2d::prelude::*;
use std::f64::consts::TAU;

const OWN: &[Player] = &[Player::Carom];

/// The families.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "D1",
        title: "toppling",
        instances: 16,
        standing: Standing::NotAsked,
        measures: &[Measure::new("angle at which it topples, off theory (relative)", 5.0e-3, 1.0e-3)],
        own: OWN,
        peers: true,
        play: play_topple,
    },
    Family {
        name: "D2",
        title: "stopping",
        instances: 32,
        standing: Standing::NotAsked,
        measures: &[Measure::new("stopping distance, off theory (relative)", 0.02, 1.0e-3)],
        own: OWN,
        peers: true,
        play: play_stop,
    },
    Family {
        name: "D3",
        title: "shaken plates",
        instances: 32,
        standing: Standing::NotAsked,
        measures: &[Measure::gate("gap under the box (m)", 6.0e-4)],
        own: OWN,
        peers: true,
        play: play_shaken,
    },
    Family {
        name: "D4",
        title: "leaving a curve",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[Measure::new("speed sideways after leaving, off theory (relative)", 0.01, 1.0e-3)],
        own: OWN,
        peers: true,
        play: play_curve,
    },
    Family {
        name: "D5",
        title: "overlaps while moving",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[Measure::new("deepest overlap at any step (m)", 0.02, 5.0e-3)],
        own: OWN,
        peers: true,
        play: play_overlaps,
    },
    Family {
        name: "D6",
        title: "falling bricks turned",
        instances: 16,
        standing: Standing::NotAsked,
        measures: &[
            Measure::new("asleep after a turn (s)", 5.0, 3.0),
            Measure::goal("deepest overlap at any step (m)", 0.02),
        ],
        own: OWN,
        peers: true,
        play: play_bricks,
    },
];

/// D1: at which tilt of gravity a box of 0.2 to 2 m, 1 to 5 times as high as wide, topples within 10 s, by bisection;
/// statics says that the tangent is width over height. Friction 2.
fn play_topple(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (width, times) = (log_range(rng, 0.2, 2.0), rng.range(1.0, 5.0));
    let theory = atan2_64(1.0, f64::from(times));
    let (mut stays, mut topples) = (0.9, 1.1);
    for _ in 0..10 {
        let middle = 0.5 * (stays + topples);
        if does_topple(width, times, middle * theory, player)? { topples = middle } else { stays = middle }
    }
    let note = format!("box of {width:.2} x {:.2} m topples at {topples:.4} of theory", width * times);
    Ok(Outcome { values: vec![Some((topples - 1.0).abs())], stands: true, note })
}

fn does_topple(width: f32, times: f32, tilt: f64, player: Player) -> Result<bool, Unsupported> {
    let height = width * times;
    let mut problem = Problem::default();
    let (sin, cos) = sin_cos64(tilt);
    problem.settings.world.gravity = vec2((10.0 * sin) as f32, (-10.0 * cos) as f32);
    problem.add_floor(50.0 * width, 2.0);
    let shape = ShapeDef { friction: 2.0, ..ShapeDef::rectangle(width, height) };
    let body = problem.add_at(vec2(0.0, 0.5 * height), shape);
    let mut peer = problem.start(player)?;
    for _ in 0..600 {
        peer.step(problem.settings.dt);
        if peer.pose(body).q.c < 0.94 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// D2: a box at 0.5 to 10 m/s on friction of 0.1 to 1 slides v^2 / (2 mu g).
fn play_stop(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (speed, friction) = (log_range(rng, 0.5, 10.0), rng.range(0.1, 1.0));
    let mut problem = Problem::default();
    problem.add_floor(200.0, friction);
    let shape = ShapeDef { friction, ..ShapeDef::rectangle(1.0, 0.5) };
    let start = BodyDef { position: vec2(0.0, 0.25), velocity: vec2(speed, 0.0), ..BodyDef::dynamic() };
    let body = problem.add(start, &[shape]);
    let mut peer = problem.start(player)?;
    (0..720).for_each(|_| peer.step(problem.settings.dt));
    let (speed, friction) = (f64::from(speed), f64::from(friction));
    let way = speed * speed / (20.0 * friction);
    let off = (f64::from(peer.motion(body).center.x) / way - 1.0).abs();
    let note = format!("{speed:.2} m/s on friction {friction:.2}");
    Ok(Outcome { values: vec![Some(off)], stands: true, note })
}

/// D3: a plate that moves up and down with a largest acceleration of 0.5 to 0.99 g, 0.5 to 5 times a second, for 10 s:
/// the box on it must not leave it.
fn play_shaken(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (share, hertz) = (rng.range(0.5, 0.99), log_range(rng, 0.5, 5.0));
    let omega = TAU * f64::from(hertz);
    let amplitude = 10.0 * f64::from(share) / (omega * omega);
    let mut problem = Problem::default();
    let dt = problem.settings.dt;
    // From the middle, downwards: y = -A sin(omega t), which starts without a jerk of the acceleration.
    let place = |step: u32| -amplitude * sin64(omega * f64::from(step) * f64::from(dt));
    let plate = BodyDef { position: vec2(0.0, -0.5), ..BodyDef::kinematic() };
    let plate = problem.add(plate, &[ShapeDef::rectangle(6.0, 1.0)]);
    let load =
        problem.add(BodyDef { position: vec2(0.0, 0.5), ..BodyDef::dynamic() }, &[ShapeDef::rectangle(1.0, 1.0)]);
    // The load begins with the plate's speed.
    problem.bodies[load].0.velocity = vec2(0.0, (place(1) / f64::from(dt)) as f32);
    let mut peer = problem.start(player)?;
    let mut gap = 0.0;
    for step in 0..600 {
        let speed = (place(step + 1) - place(step)) / f64::from(dt);
        peer.set_velocity(plate, vec2(0.0, speed as f32), 0.0);
        peer.step(dt);
        let bottom =
            f64::from(peer.pose(load).p.y) - 0.5 * f64::from(peer.pose(load).q.c.abs() + peer.pose(load).q.s.abs());
        gap = larger(gap, bottom - (f64::from(peer.pose(plate).p.y) + 0.5));
    }
    let note = format!("{share:.3} g at {hertz:.2} Hz, amplitude {:.1} mm", amplitude * 1.0e3);
    Ok(Outcome { values: vec![Some(gap)], stands: true, note })
}

/// D4: a disc slides or rolls off a fixed one, from rest a little beside its top: its speed sideways, which stays as it
/// is after it has left, against theory.
fn play_curve(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (big, small, start) = (rng.range(1.0, 5.0), rng.range(0.1, 0.5), rng.range(0.1, 0.3));
    let friction = one_of(rng, &[0.0, 2.0]);
    let mut problem = Problem::default();
    let smooth = |radius: f32| ShapeDef { friction, ..ShapeDef::circle(radius) };
    problem.add(BodyDef::fixed(), &[smooth(big)]);
    let (sin, cos) = sin_cos(start);
    let disc = problem.add_at((big + small) * vec2(sin, cos), smooth(small));
    let mut peer = problem.start(player)?;
    let far = big + 2.0 * small;
    for _ in 0..1200 {
        peer.step(problem.settings.dt);
        let center = peer.motion(disc).center;
        if center.y < 0.3 * big && center.x > 0.0 && center.length() > far || center.y < -big {
            break;
        }
    }
    let exact = curve_reference(f64::from(big + small), f64::from(start), f64::from(friction));
    let off = (f64::from(peer.motion(disc).velocity.x) / exact - 1.0).abs();
    let kind = if friction > 0.0 { "rolls" } else { "slides" };
    let note = format!("disc of {small:.2} m {kind} off one of {big:.2} m from {start:.2} rad");
    Ok(Outcome { values: vec![Some(off)], stands: true, note })
}

/// Horizontal speed of a disc of mass 1 when it leaves a fixed one. Its centre moves on a circle of radius `rho`, at
/// the angle a from the top, with the surface speed s = r w beside it:
///
/// ```text
/// N = g cos a - rho a'^2,  rho a'' = g sin a - F,  s' = 2 F,  |F| <= mu N
/// ```
///
/// It rolls as long as rho a' = s, which takes F = g sin a / 3.
fn curve_reference(rho: f64, start: f64, friction: f64) -> f64 {
    let h = 1.0e-5;
    let (mut angle, mut speed, mut surface) = (start, 0.0, 0.0);
    loop {
        let normal = 10.0 * cos64(angle) - speed * speed / rho;
        if normal <= 0.0 {
            return speed * cos64(angle);
        }
        let pull = 10.0 * sin64(angle);
        let slips = speed - surface > 1.0e-9 || pull / 3.0 > friction * normal;
        let force = if slips { friction * normal } else { pull / 3.0 };
        speed += h * (pull - force);
        surface += 2.0 * h * force;
        angle += h * speed / rho;
    }
}

/// The deepest overlap of any two bodies where they are now, by carom's narrow phase, whichever engine moves them.
/// Bodies have one shape each.
fn deepest_overlap(problem: &Problem, geometries: &[Geometry], peer: &dyn Peer) -> f64 {
    let poses: Vec<Pose> = (0..problem.bodies.len()).map(|body| peer.pose(body)).collect();
    let mut deepest = 0.0;
    for b in 0..poses.len() {
        for a in 0..b {
            if problem.bodies[a].0.kind != BodyKind::Dynamic && problem.bodies[b].0.kind != BodyKind::Dynamic {
                continue;
            }
            let manifold =
                collide(&geometries[a], &geometries[b], poses[a].inv_mul(poses[b]), 0.0, Reference::default());
            for point in manifold.points() {
                deepest = larger(deepest, f64::from(-point.separation));
            }
        }
    }
    deepest
}

fn geometries(problem: &Problem) -> Vec<Geometry> {
    problem.bodies.iter().map(|(_, shapes)| shapes[0].build().expect("a valid shape")).collect()
}

/// D5: 1 to 8 boxes and bricks, turned, fall from up to 10 m onto a floor and each other: the deepest overlap in 6 s.
fn play_overlaps(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let count = whole(rng, 1, 8);
    let mut problem = Problem::default();
    problem.add_floor(60.0, 0.6);
    let mut placed: Vec<(Vec2, f32)> = Vec::new();
    while placed.len() < count as usize {
        let size = vec2(rng.range(0.4, 2.5), rng.range(0.4, 2.0));
        let (position, reach) = (vec2(rng.range(-4.0, 4.0), rng.range(2.0, 10.0)), 0.5 * size.length());
        let angle = rng.range(-0.7, 0.7);
        if placed.iter().all(|&(other, far)| position.distance(other) > reach + far) {
            placed.push((position, reach));
            problem.add(BodyDef { position, angle, ..BodyDef::dynamic() }, &[ShapeDef::rectangle(size.x, size.y)]);
        }
    }
    let shapes = geometries(&problem);
    let mut peer = problem.start(player)?;
    let (mut deepest, mut above) = (0.0, 0);
    for _ in 0..360 {
        peer.step(problem.settings.dt);
        let now = deepest_overlap(&problem, &shapes, peer.as_ref());
        above += u32::from(now > 0.02);
        deepest = larger(deepest, now);
    }
    let note = format!("{count} bricks, {above} steps above 20 mm");
    Ok(Outcome { values: vec![Some(deepest)], stands: true, note })
}

/// D6: six bricks in a room of 10 m; gravity turns up to six times, each time to another of the four sides, 10 s
/// apart: how long they take to fall asleep after each.
fn play_bricks(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let mut problem = Problem::default();
    problem.settings.world.sleeping = true;
    for (place, width, height) in [
        (vec2(0.0, -5.5), 12.0, 1.0),
        (vec2(0.0, 5.5), 12.0, 1.0),
        (vec2(-5.5, 0.0), 1.0, 12.0),
        (vec2(5.5, 0.0), 1.0, 12.0),
    ] {
        let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(width, height) };
        problem.add(BodyDef { position: place, ..BodyDef::fixed() }, &[shape]);
    }
    let bricks: Vec<usize> = (0..6)
        .map(|i| {
            let position = vec2((i % 3) as f32 * 3.2 - 3.2, (i / 3) as f32 * 3.2 - 0.5);
            let size = vec2(rng.range(0.8, 2.6), rng.range(0.6, 1.6));
            let body = BodyDef { position, angle: rng.range(-0.6, 0.6), ..BodyDef::dynamic() };
            problem.add(body, &[ShapeDef { friction: 0.5, ..ShapeDef::rectangle(size.x, size.y) }])
        })
        .collect();
    let shapes = geometries(&problem);
    let mut peer = problem.start(player)?;
    let (mut side, mut slowest, mut deepest) = (0, 0.0, 0.0);
    let mut sides = Vec::new();
    for turn in 0..=whole(rng, 1, 6) {
        if turn > 0 {
            side = (side + whole(rng, 1, 3)) % 4;
            let gravity = [vec2(0.0, -10.0), vec2(10.0, 0.0), vec2(0.0, 10.0), vec2(-10.0, 0.0)][side as usize];
            peer.set_gravity(gravity);
        }
        let mut asleep = f64::INFINITY;
        for step in 1..=900 {
            peer.step(problem.settings.dt);
            deepest = larger(deepest, deepest_overlap(&problem, &shapes, peer.as_ref()));
            if bricks.iter().all(|&brick| peer.is_sleeping(brick)) {
                asleep = f64::from(step) / 60.0;
                break;
            }
        }
        sides.push(format!("{} {asleep:.1} s", ["down", "right", "up", "left"][side as usize]));
        slowest = larger(slowest, asleep);
    }
    Ok(Outcome { values: vec![Some(slowest), Some(deepest)], stands: true, note: sides.join(", ") })
}
