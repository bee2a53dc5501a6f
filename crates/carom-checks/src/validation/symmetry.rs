//! Problem 29, as far as it has numbers, and the checks of section H: what may change nothing, or little, and how
//! errors shrink with the step.

use super::*;
use carom_core::Rng;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = symmetries();
    checks.extend(convergence());
    checks
}

/// What is done to a pile before it falls.
#[derive(Clone, Copy)]
struct Setting {
    /// Added to every x, in metres.
    shift: f32,
    /// 1, or -1 to exchange left and right.
    side: f32,
    density: f32,
}

const PLAIN: Setting = Setting { shift: 0.0, side: 1.0, density: 1.0 };
/// Of the piles.
const SEEDS: std::ops::Range<u64> = 29..60;

/// Fifty boxes, ten abreast, fall upon each other, none square above another; where their centres are after 5 s, and
/// the velocities that they have then, both seen as in the plain setting.
fn pile(seed: u64, setting: Setting) -> Vec<(Vec2, Vec2)> {
    let mut world = plain_world();
    let ground = BodyDef { position: vec2(setting.shift, -1.0), ..BodyDef::fixed() };
    let ground = world.add_body(ground).expect("ground");
    world.add_shape(ground, ShapeDef::rectangle(100.0, 2.0)).expect("ground");
    // In units of 2^-10 m, so that a shift of 2^10 m rounds no place.
    let mut rng = Rng::new(seed);
    let mut grid = |low: u32, high: u32| (low + rng.below(high - low)) as f32 / 1024.0;
    let boxes: Vec<(Vec2, Vec2)> = (0..50)
        .map(|i| {
            let place = vec2((i % 10) as f32 - 4.5 + grid(0, 100), 0.5 + 1.0625 * (i / 10) as f32);
            (place, vec2(grid(800, 900), grid(900, 1000)))
        })
        .collect();
    let mut ids = Vec::new();
    for (place, size) in boxes {
        let position = vec2(setting.side * place.x + setting.shift, place.y);
        let shape = ShapeDef { density: setting.density, ..ShapeDef::rectangle(size.x, size.y) };
        ids.push(add(&mut world, position, shape));
    }
    steps(&mut world, 300);
    let back = |v: Vec2| vec2(setting.side * v.x, v.y);
    let read = |id: BodyId| {
        let body = world.body(id);
        (back(body.center() - vec2(setting.shift, 0.0)), back(body.velocity()))
    };
    ids.into_iter().map(read).collect()
}

/// Problem 29h: a pile that is made heavier, moved or mirrored falls the same way. The worst of 31 piles counts.
fn symmetries() -> Vec<Check> {
    let plain: Vec<_> = SEEDS.map(|seed| pile(seed, PLAIN)).collect();
    let apart = |setting: Setting| {
        let farthest = |(seed, plain): (u64, &Vec<(Vec2, Vec2)>)| {
            let ways = pile(seed, setting).into_iter().zip(plain).map(|(a, b)| f64::from(a.0.distance(b.0)));
            ways.fold(0.0, larger)
        };
        SEEDS.zip(&plain).map(farthest).fold(0.0, larger)
    };
    let heavy: Vec<_> = SEEDS.map(|seed| pile(seed, Setting { density: 1024.0, ..PLAIN })).collect();
    let (moved, mirrored) = (Setting { shift: 1024.0, ..PLAIN }, Setting { side: -1.0, ..PLAIN });
    vec![
        Check::holds("29 31 piles of 1024 times the mass, the same bits", heavy == plain),
        Check::new("29 31 piles moved by 1024 m, apart after 5 s, the worst (m)", apart(moved), 5.0e-3),
        Check::new("29 31 piles mirrored, apart after 5 s, the worst (m)", apart(mirrored), 0.06),
    ]
}

/// Section H: halving the step takes away at least as much of an error as an order of 0.9 says: all but 2^-0.9 of it.
/// An error that is below its goal with the full step has little left to shrink: it is taken as the goal.
fn convergence() -> Vec<Check> {
    let gate = 0.536;
    let ratio = |error: fn(u32) -> f64| error(2) / error(1);
    let from_goal = |error: fn(u32) -> f64, goal: f64| error(2) / larger(error(1), goal);
    vec![
        Check::new("half step, error of free fall left (relative)", from_goal(fall_error, 1.0e-4), gate),
        Check::new("half step, error of the first rebound left (relative)", from_goal(rebound_error, 1.0e-3), gate),
        Check::new("half step, error of a pendulum's period left (relative)", from_goal(period_error, 1.0e-5), gate),
        Check::new(
            "half step, error of the stopping distance left (relative)",
            from_goal(stopping_error, 1.0e-4),
            gate,
        ),
        Check::new("half step, energy loss of a pendulum from 90 deg left (relative)", ratio(pendulum_loss), gate),
    ]
}

fn run_for(world: &mut World, seconds: u32, rate: u32) {
    for _ in 0..60 * rate * seconds {
        world.step(DT / rate as f32);
    }
}

/// Problem 1 with `rate` times as many steps: the error of the height in metres.
fn fall_error(rate: u32) -> f64 {
    let mut world = plain_world();
    let body = add(&mut world, Vec2::ZERO, ShapeDef::circle(0.5));
    run_for(&mut world, 1, rate);
    (f64::from(world.body(body).position().y) + 5.0).abs()
}

/// Problem 15 with `rate` times as many steps: the error of the first rebound with e = 0.75, of the height.
fn rebound_error(rate: u32) -> f64 {
    let apex = impact::rebounds_at(rate, 0.75, 5.0, 1)[0];
    (apex / 5.0 - 0.75 * 0.75).abs()
}

/// Problem 6 with `rate` times as many steps: the relative error of the period from 90 degrees.
fn period_error(rate: u32) -> f64 {
    let mut world = plain_world();
    let (bob, _) = joints::add_pendulum(&mut world, 90.0);
    let mut samples = Vec::new();
    for _ in 0..60 * rate * 15 {
        world.step(DT / rate as f32);
        samples.push(f64::from(world.body(bob).position().x));
    }
    let times = joints::crossings(&samples);
    ((times[10] - times[0]) / 5.0 / f64::from(rate) / 2.346705 - 1.0).abs()
}

/// Problem 12 with `rate` times as many steps.
fn stopping_error(rate: u32) -> f64 {
    let mut world = plain_world();
    add_floor(&mut world, 0.5, 0.0);
    let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 0.5) };
    let body = add_moving(&mut world, vec2(0.0, 0.25), vec2(5.0, 0.0), shape);
    run_for(&mut world, 2, rate);
    (f64::from(world.body(body).position().x) / 2.5 - 1.0).abs()
}

/// Problem 6 with `rate` times as many steps: the energy that is lost in a minute, of `m g L`.
fn pendulum_loss(rate: u32) -> f64 {
    let mut world = plain_world();
    let (bob, _) = joints::add_pendulum(&mut world, 90.0);
    let scale = 10.0 * f64::from(world.body(bob).mass());
    let start = joints::energy(&world);
    run_for(&mut world, 60, rate);
    (start - joints::energy(&world)) / scale
}
