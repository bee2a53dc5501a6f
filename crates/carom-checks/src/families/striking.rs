//! C: what strikes.

use super::problem::{Player, Problem, energy};
use super::{Family, Measure, Outcome, Standing, larger, one_of, whole};
use carom_core::Rng;
use carom_core::math::{max, sin_cos};
use carom_peers::Unsupported;
use carom2d::prelude::*;
use std::f32::consts::TAU;

const OWN: &[Player] = &[Player::Carom];

/// The families.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "C1",
        title: "two polygons",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[
            Measure::new("largest gain of energy in 100 hits (relative)", 1.0e-4, 1.0e-5),
            Measure::gate("hits that change it by more than 1e-3 (share)", 0.01),
            Measure::goal("largest loss of energy in 100 hits (relative)", 1.0e-5),
        ],
        own: OWN,
        peers: true,
        play: play_hits,
    },
    Family {
        name: "C3",
        title: "gases",
        instances: 9,
        standing: Standing::NotAsked,
        measures: &[
            Measure::new("energy off in 60 s (relative)", 0.02, 1.0e-3),
            Measure::new("largest rise of energy in a step (relative)", 1.0e-3, 1.0e-3),
        ],
        own: OWN,
        peers: true,
        play: play_gas,
    },
];

/// Kinds of shapes that are thrown at each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Box,
    Polygon,
    Capsule,
    Ellipse,
    Disc,
    Any,
}

/// A shape that reaches at most `size` from its middle, without friction and fully elastic.
fn draw_shape(rng: &mut Rng, form: Form, size: f32) -> ShapeDef {
    let shape = match form {
        Form::Any => {
            let form = one_of(rng, &[Form::Box, Form::Polygon, Form::Capsule, Form::Disc]);
            return draw_shape(rng, form, size);
        }
        Form::Disc => ShapeDef::circle(size),
        Form::Box => {
            let (sin, cos) = sin_cos(rng.range(0.15, 0.785));
            ShapeDef::rectangle(2.0 * size * cos, 2.0 * size * sin)
        }
        Form::Capsule => {
            let half = size * rng.range(0.2, 0.8);
            ShapeDef::capsule(vec2(-half, 0.0), vec2(half, 0.0), size - half)
        }
        Form::Ellipse => ShapeDef::ellipse(size, size * rng.range(0.3, 1.0)),
        Form::Polygon => {
            let corners = whole(rng, 3, 8);
            let mut corner = |i: u32| {
                let (sin, cos) = sin_cos((i as f32 + rng.range(-0.3, 0.3)) * TAU / corners as f32);
                size * vec2(cos, sin)
            };
            ShapeDef::convex(&(0..corners).map(&mut corner).collect::<Vec<_>>())
        }
    };
    ShapeDef { friction: 0.0, restitution: 1.0, ..shape }
}

/// A direction.
fn draw_direction(rng: &mut Rng) -> Vec2 {
    let (sin, cos) = sin_cos(rng.range(0.0, TAU));
    vec2(cos, sin)
}

/// A body that turns, at a place.
fn draw_body(rng: &mut Rng, position: Vec2, velocity: Vec2) -> BodyDef {
    BodyDef {
        position,
        velocity,
        angle: rng.range(0.0, TAU),
        angular_velocity: rng.range(-5.0, 5.0),
        ..BodyDef::dynamic()
    }
}

/// Two bodies in free space, the second on its way to the first, and when they have passed each other.
fn draw_encounter(rng: &mut Rng, form: Form) -> (Problem, u32) {
    let mut problem = Problem::default();
    problem.settings.world.gravity = Vec2::ZERO;
    let sizes = [rng.range(0.2, 1.0), rng.range(0.2, 1.0)];
    let shapes = sizes.map(|size| draw_shape(rng, form, size));
    let reach = sizes[0] + sizes[1];
    let (toward, speed) = (draw_direction(rng), rng.range(2.0, 10.0));
    let distance = reach + rng.range(0.2, 1.0);
    let aside: Vec2 = toward.perp() * (0.6 * reach * rng.range(-1.0, 1.0));
    let drift = rng.range(0.0, 2.0) * draw_direction(rng);
    let still = draw_body(rng, Vec2::ZERO, drift);
    let coming = draw_body(rng, aside - toward * distance, drift + toward * speed);
    problem.add(still, &shapes[..1]);
    problem.add(coming, &shapes[1..]);
    (problem, (60.0 * (distance + reach) / speed) as u32 + 30)
}

/// C1: 100 hits of two boxes, polygons, capsules, ellipses or any two of them, fully elastic: by how much each changes
/// the energy of both.
fn play_hits(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let form = one_of(rng, &[Form::Box, Form::Box, Form::Polygon, Form::Capsule, Form::Ellipse, Form::Any]);
    let (mut gain, mut loss, mut off, mut hits) = (0.0, 0.0, 0, 0);
    // Who is aimed to one side may miss.
    for _ in 0..200 {
        let (problem, steps) = draw_encounter(rng, form);
        if hits == 100 {
            break;
        }
        let mut peer = problem.start(player)?;
        let (before, was) = (energy(peer.as_ref(), &[0, 1], 0.0), peer.motion(0));
        (0..steps).for_each(|_| peer.step(problem.settings.dt));
        let is = peer.motion(0);
        let pushed = (is.velocity - was.velocity).length();
        let turned = (is.angular_velocity - was.angular_velocity).abs();
        if max(pushed, turned) < 1.0e-3 {
            continue;
        }
        let change = energy(peer.as_ref(), &[0, 1], 0.0) / before - 1.0;
        hits += 1;
        off += u32::from(change.is_nan() || change.abs() > 1.0e-3);
        gain = larger(gain, change);
        loss = larger(loss, -change);
    }
    let share = f64::from(off) / f64::from(hits.max(1));
    let note = format!("{hits} hits of the form {form:?}");
    Ok(Outcome { values: vec![Some(gain), Some(share), Some(loss)], stands: true, note })
}

/// Four walls around a square room of this half side about the origin.
fn add_room(problem: &mut Problem, half: f32) {
    for (side, upright) in
        [(vec2(1.0, 0.0), true), (vec2(-1.0, 0.0), true), (vec2(0.0, 1.0), false), (vec2(0.0, -1.0), false)]
    {
        let long = 2.0 * half + 8.0;
        let (width, height) = if upright { (4.0, long) } else { (long, 4.0) };
        let shape = ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::rectangle(width, height) };
        problem.add(BodyDef { position: (half + 2.0) * side, ..BodyDef::fixed() }, &[shape]);
    }
}

/// C3: 100 boxes, capsules or all kinds in a room of 20 m for a minute, fully elastic: how much the energy is off at
/// any time, and the most that it rises in a step.
fn play_gas(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let form = one_of(rng, &[Form::Box, Form::Capsule, Form::Any]);
    let mut problem = Problem::default();
    problem.settings.world.gravity = Vec2::ZERO;
    add_room(&mut problem, 10.0);
    let bodies: Vec<usize> = (0..100)
        .map(|i| {
            let place = vec2((i % 10) as f32 * 1.9 - 8.55, (i / 10) as f32 * 1.9 - 8.55);
            let size = rng.range(0.2, 0.5);
            let shape = draw_shape(rng, form, size);
            let velocity = rng.range(0.0, 7.0) * draw_direction(rng);
            let body = draw_body(rng, place, velocity);
            problem.add(body, &[shape])
        })
        .collect();
    let mut peer = problem.start(player)?;
    let start = energy(peer.as_ref(), &bodies, 0.0);
    let (mut last, mut off, mut rise) = (start, 0.0, 0.0);
    for _ in 0..3600 {
        peer.step(problem.settings.dt);
        let now = energy(peer.as_ref(), &bodies, 0.0);
        off = larger(off, (now / start - 1.0).abs());
        rise = larger(rise, (now - last) / start);
        last = now;
    }
    let note = format!("100 of the form {form:?}, energy {:.4} of the first", last / start);
    Ok(Outcome { values: vec![Some(off), Some(rise)], stands: true, note })
}
