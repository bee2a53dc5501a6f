//! C: what strikes.

use super::problem::{Player, Problem, energy};
use super::{Family, Measure, Outcome, Standing, larger, log_range, one_of, whole};
use carom_core::Rng;
use carom_core::math::{max, sin_cos, sin_cos64};
use carom_peers::{Peer, Unsupported};
use carom2d::prelude::*;
use std::f32::consts::TAU;

const OWN: &[Player] = &[Player::Carom];

/// How far the rebound of a lossy hit may be off, as a share of the approach.
const REBOUND_GATE: f64 = 0.01;

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
        name: "C2",
        title: "lossy hits",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[
            Measure::gate("largest gain of energy in 100 hits (relative)", 1.0e-4),
            Measure::gate("rebound at the point, largest error in 100 hits (of the approach)", REBOUND_GATE),
        ],
        own: OWN,
        peers: true,
        play: play_lossy_hits,
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
    Family {
        name: "C4",
        title: "corners on a plane",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[
            Measure::new("velocity after the hit, median error of 20 (of the impact)", 2.0e-3, 1.0e-4),
            Measure::goal("velocity after the hit, largest error of 20 (of the impact)", 2.0e-3),
        ],
        own: OWN,
        peers: true,
        play: play_corners,
    },
    Family {
        name: "C5",
        title: "rows, cradles, billiards",
        instances: 32,
        standing: Standing::NotAsked,
        measures: &[
            Measure::new("cradle, energy lost in 60 s (share)", 0.2, 0.05),
            Measure::new("Galperin's billiard, final speed missing (share)", 0.05, 1.0e-3),
            Measure::new("free row, speed missing from the last disc (share)", 0.05, 1.0e-3),
        ],
        own: OWN,
        peers: true,
        play: play_row,
    },
    Family {
        name: "C6",
        title: "rooms",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[Measure::new("way lost in 10 s (share)", 0.05, 5.0e-3)],
        own: OWN,
        peers: true,
        play: play_room,
    },
    Family {
        name: "C7",
        title: "sequential solver",
        instances: 32,
        standing: Standing::NotAsked,
        measures: &[Measure::gate("error (of what is tolerated)", 1.0)],
        own: OWN,
        peers: false,
        play: play_sequential,
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

/// What a pair of bodies does in a step, and the rebound that the change of their velocities tells of.
#[derive(Clone, Copy)]
struct Velocities {
    linear: [glam::DVec2; 2],
    angular: [f64; 2],
}

impl Velocities {
    fn of(peer: &dyn Peer) -> Velocities {
        let motions = [0, 1].map(|body| peer.motion(body));
        Velocities {
            linear: motions.map(|motion| motion.velocity.as_dvec2()),
            angular: motions.map(|motion| f64::from(motion.angular_velocity)),
        }
    }

    fn change(&self, after: &Velocities) -> f64 {
        let linear = (0..2).map(|i| (after.linear[i] - self.linear[i]).length());
        let angular = (0..2).map(|i| (after.angular[i] - self.angular[i]).abs());
        linear.chain(angular).fold(0.0, larger)
    }
}

/// By how much the rebound of a hit misses e times the approach, as a share of the approach; none where the approach
/// is slower than 0.5 m/s.
///
/// The velocities alone tell it. The impulse P on the first body is its change of momentum. Without friction P lies
/// along the normal n, and the arm of body i about its centre is r_i x n = I_i dw_i / P_i: the speed of its points on
/// the line of action along n is `v_i . n + w_i (r_i x n)`, whichever of them is the contact. Of two discs the arms
/// have no part in it, and their spin tells the tangential part of P, which turns P away from n: `I_a dw_a = R_a (n x
/// P)`.
fn rebound_error(peer: &dyn Peer, before: &Velocities, after: &Velocities, e: f64, radius: Option<f64>) -> Option<f64> {
    let (masses, inertias): (Vec<f64>, Vec<f64>) =
        [0, 1].map(|body| peer.mass(body)).map(|(m, i)| (f64::from(m), f64::from(i))).into_iter().unzip();
    let impulse = masses[0] * (after.linear[0] - before.linear[0]);
    let strength = impulse.length();
    let along = impulse / strength;
    let turning = |i: usize| inertias[i] * (after.angular[i] - before.angular[i]);
    let (normal, arms) = match radius {
        Some(radius) => {
            let sine = (turning(0) / (radius * strength)).clamp(-1.0, 1.0);
            let cosine = (1.0 - sine * sine).sqrt();
            // n x (-P) / P = sine, where n points from the first disc to the second, against P.
            let n = glam::dvec2(along.x * cosine - along.y * sine, along.x * sine + along.y * cosine);
            (n, [0.0; 2])
        }
        None => (along, [turning(0) / strength, -turning(1) / strength]),
    };
    let speed = |v: &Velocities| {
        let point = |i: usize| v.linear[i].dot(normal) + v.angular[i] * arms[i];
        point(1) - point(0)
    };
    let (approach, rebound) = (speed(before), -speed(after));
    (approach.abs() > 0.5).then(|| (rebound / approach - e).abs())
}

/// What two bodies do in each step that changes their velocities, step by step.
struct Hits {
    changes: Vec<(Velocities, Velocities)>,
    /// The gain of energy from the start to the end, relative.
    gain: f64,
    peer: Box<dyn Peer>,
}

impl Hits {
    /// Plays `steps` steps, each of them in `parts`.
    fn play(problem: &Problem, player: Player, steps: u32, parts: u32) -> Result<Hits, Unsupported> {
        let mut peer = problem.start(player)?;
        let start = energy(peer.as_ref(), &[0, 1], 0.0);
        let mut changes = Vec::new();
        for _ in 0..steps * parts {
            let before = Velocities::of(peer.as_ref());
            peer.step(problem.settings.dt / parts as f32);
            let after = Velocities::of(peer.as_ref());
            if before.change(&after) > 1.0e-3 {
                changes.push((before, after));
            }
        }
        let gain = energy(peer.as_ref(), &[0, 1], 0.0) / start - 1.0;
        Ok(Hits { changes, gain, peer })
    }

    /// The largest of the rebound errors; none where every approach is slow.
    fn error(&self, e: f64, radius: Option<f64>) -> Option<f64> {
        let error = |(before, after): &_| rebound_error(self.peer.as_ref(), before, after, e, radius);
        self.changes.iter().filter_map(error).reduce(larger)
    }
}

/// Steps that hold several impacts are taken apart into this many, and those into as many again.
const PARTS: u32 = 64;

/// The rebound error of a hit that lasts for one step.
///
/// Of polygons one corner often meets the other body a few milliseconds after another one has, and turns away what the first
/// hit did: e applies to each of the two impulses, not to their sum. So where the sum is off by more than the gate, the hit is
/// played again in shorter steps, and if these find more impacts, it is they that are judged.
fn single_error(
    problem: &Problem,
    (player, steps): (Player, u32),
    hits: &Hits,
    (e, radius): (f64, Option<f64>),
) -> Result<Option<f64>, Unsupported> {
    let (mut error, mut count) = (hits.error(e, radius), hits.changes.len());
    for parts in [PARTS, PARTS * PARTS] {
        if error.is_none_or(|error| error <= REBOUND_GATE) {
            break;
        }
        let finer = Hits::play(problem, player, steps, parts)?;
        if finer.changes.len() > count {
            (error, count) = (finer.error(e, radius), finer.changes.len());
        }
    }
    Ok(error)
}

/// C2: 100 hits with e = 0 to 0.95: of any shapes without friction, or of any two shapes, or two discs, with friction
/// up to 1. Whether any gains energy, and whether those that last for one step rebound as e says.
fn play_lossy_hits(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let rough = rng.below(2) == 0;
    let forms = if rough { [Form::Disc, Form::Any, Form::Box] } else { [Form::Box, Form::Polygon, Form::Capsule] };
    let form = one_of(rng, &forms);
    let (mut gain, mut error, mut count, mut judged) = (0.0, None, 0, 0);
    for _ in 0..200 {
        let (mut problem, steps) = draw_encounter(rng, form);
        let (e, friction) = (rng.range(0.0, 0.95), if rough { rng.range(0.0, 1.0) } else { 0.0 });
        if count == 100 {
            break;
        }
        for (_, shapes) in &mut problem.bodies {
            shapes.iter_mut().for_each(|shape| (shape.restitution, shape.friction) = (e, friction));
        }
        let hits = Hits::play(&problem, player, steps, 1)?;
        count += u32::from(!hits.changes.is_empty());
        gain = larger(gain, hits.gain);
        let radius = (form == Form::Disc).then(|| f64::from(disc_radius(&problem)));
        if hits.changes.len() == 1
            && (!rough || radius.is_some())
            && let Some(off) = single_error(&problem, (player, steps), &hits, (f64::from(e), radius))?
        {
            judged += 1;
            error = Some(error.map_or(off, |error| larger(error, off)));
        }
    }
    let friction = if rough { "with" } else { "without" };
    let note = format!("{count} hits of the form {form:?} {friction} friction, {judged} of one step");
    Ok(Outcome { values: vec![Some(gain), error], stands: true, note })
}

/// Radius of the first body, a disc.
fn disc_radius(problem: &Problem) -> f32 {
    match problem.bodies[0].1[0].build() {
        Ok(Geometry::Circle(circle)) => circle.radius,
        _ => 0.0,
    }
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

/// C4: 20 rods and boxes, without friction, that fall on a corner with e = 0 or 1: the velocities two steps after the
/// hit against rigid-body theory.
fn play_corners(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (e, rod) = (one_of(rng, &[0.0, 1.0]), rng.below(2) == 0);
    let mut errors = Vec::new();
    while errors.len() < 20 {
        let width = rng.range(0.5, 2.0);
        let height = if rod { 0.05 } else { width * rng.range(0.3, 1.0) };
        let (angle, fall) = (rng.range(0.15, 1.4), rng.range(0.3, 3.0));
        let drop = Drop {
            half: 0.5 * glam::dvec2(f64::from(width), f64::from(height)),
            angle: f64::from(angle),
            fall: f64::from(fall),
            e,
        };
        let Some((steps, velocity, spin)) = drop.theory() else { continue };
        let mut problem = Problem::default();
        let slippery = |shape: ShapeDef| ShapeDef { friction: 0.0, restitution: e as f32, ..shape };
        problem.add(
            BodyDef { position: vec2(0.0, -5.0), ..BodyDef::fixed() },
            &[slippery(ShapeDef::rectangle(100.0, 10.0))],
        );
        let position = vec2(0.0, (drop.reach() + drop.fall) as f32);
        let body = problem
            .add(BodyDef { position, angle, ..BodyDef::dynamic() }, &[slippery(ShapeDef::rectangle(width, height))]);
        let mut peer = problem.start(player)?;
        (0..steps).for_each(|_| peer.step(problem.settings.dt));
        let motion = peer.motion(body);
        let impact = (20.0 * drop.fall).sqrt();
        let linear = (f64::from(motion.velocity.y) - velocity).abs();
        let angular = (f64::from(motion.angular_velocity) - spin).abs() * drop.half.length();
        errors.push(larger(linear, angular) / impact);
    }
    errors.sort_by(f64::total_cmp);
    let note = format!("20 {} with e = {e}", if rod { "rods" } else { "boxes" });
    Ok(Outcome { values: vec![Some(errors[10]), Some(errors[19])], stands: true, note })
}

/// A box without spin above a plane, turned by an angle.
struct Drop {
    half: glam::DVec2,
    angle: f64,
    /// Height of the lowest corner.
    fall: f64,
    e: f64,
}

impl Drop {
    /// The corners about the centre at an angle.
    fn corners(&self, angle: f64) -> [glam::DVec2; 4] {
        let (sin, cos) = sin_cos64(angle);
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| {
            let (x, y) = (x * self.half.x, y * self.half.y);
            glam::dvec2(cos * x - sin * y, sin * x + cos * y)
        })
    }

    /// How far the lowest corner is below the centre.
    fn reach(&self) -> f64 {
        -self.corners(self.angle).iter().map(|corner| corner.y).fold(f64::INFINITY, carom_core::math::min64)
    }

    /// After how many steps velocities are compared, the vertical velocity and the angular velocity there. None if
    /// another corner has met the plane by then.
    ///
    /// A falling body of mass 1 with the corner r gets the impulse `P = (1 + e) v / (1 + r_x^2 / I)`. It flies on if e
    /// is 1; if e is 0 the corner stays on the plane as long as it presses: `y = -r_y`, `I a'' = r_x N`, `y'' = N - g`.
    fn theory(&self) -> Option<(u32, f64, f64)> {
        let inertia = self.half.length_squared() / 3.0;
        let lowest = (0..4).min_by(|&i, &j| self.corners(self.angle)[i].y.total_cmp(&self.corners(self.angle)[j].y))?;
        let time = (2.0 * self.fall / 10.0).sqrt();
        let steps = (time * 60.0).ceil() as u32 + 2;
        let r = self.corners(self.angle)[lowest];
        let impulse = (1.0 + self.e) * 10.0 * time / (1.0 + r.x * r.x / inertia);
        let (mut y, mut v) = (self.reach(), impulse - 10.0 * time);
        let (mut angle, mut spin) = (self.angle, r.x * impulse / inertia);
        let h = (f64::from(steps) / 60.0 - time) / 4000.0;
        let mut pressed = self.e == 0.0;
        for _ in 0..4000 {
            let r = self.corners(angle)[lowest];
            let turn = r.x * (r.y * spin * spin + 10.0) / (inertia + r.x * r.x);
            let force = inertia * turn / if r.x == 0.0 { f64::INFINITY } else { r.x };
            pressed &= force >= 0.0;
            let (turn, lift) = if pressed { (turn, force - 10.0) } else { (0.0, -10.0) };
            (v, spin) = (v + h * lift, spin + h * turn);
            (y, angle) = (y + h * v, angle + h * spin);
            let meets = |i: usize| y + self.corners(angle)[i].y < if i == lowest { -1.0e-3 } else { 0.0 };
            if (0..4).any(meets) {
                return None;
            }
        }
        Some((steps, v, spin))
    }
}

/// A disc without friction, fully elastic, of a mass.
fn hard_disc(radius: f32, mass: f32) -> ShapeDef {
    let density = mass / (std::f32::consts::PI * radius * radius);
    ShapeDef { density, friction: 0.0, restitution: 1.0, ..ShapeDef::circle(radius) }
}

/// C5: a hanging cradle, a free row, or Galperin's billiard.
fn play_row(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    match rng.below(4) {
        0 => play_cradle(rng, player),
        1 => play_free_row(rng, player),
        2 => play_billiard(rng, player, 100.0),
        _ => play_billiard(rng, player, 1.0e4),
    }
}

/// 2 to 10 balls on strings of 2 m, one at the end raised: the energy that is left after a minute.
fn play_cradle(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (count, radius, raised) = (whole(rng, 2, 10), rng.range(0.1, 0.3), rng.range(0.2, 0.8));
    let gap = one_of(rng, &[0.0, 1.0e-3]);
    let mut problem = Problem::default();
    let ceiling = problem.add(BodyDef::fixed(), &[]);
    let (sin, cos) = sin_cos(raised);
    for i in 0..count {
        let pivot = vec2(i as f32 * (2.0 * radius + gap), 0.0);
        let string = if i == 0 { vec2(-2.0 * sin, -2.0 * cos) } else { vec2(0.0, -2.0) };
        let ball = problem.add_at(pivot + string, hard_disc(radius, 1.0));
        problem.pin_local(ceiling, ball, pivot, -string);
    }
    let mut peer = problem.start(player)?;
    let bodies: Vec<usize> = (1..=count as usize).collect();
    let rest = -20.0 * f64::from(count);
    let start = energy(peer.as_ref(), &bodies, 10.0) - rest;
    (0..3600).for_each(|_| peer.step(problem.settings.dt));
    let lost = (1.0 - (energy(peer.as_ref(), &bodies, 10.0) - rest) / start).abs();
    let note = format!("cradle of {count} balls of {radius:.2} m, {:.0} mm apart, from {raised:.2} rad", gap * 1.0e3);
    Ok(Outcome { values: vec![Some(lost), None, None], stands: true, note })
}

/// A row of 2 to 10 discs at rest, that touch or nearly do, and one that strikes it: the last one takes its speed.
fn play_free_row(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (count, radius) = (whole(rng, 2, 10), rng.range(0.1, 0.5));
    let (gap, speed) = (one_of(rng, &[0.0, 1.0e-3, 0.05]), log_range(rng, 1.0, 50.0));
    let mut problem = Problem::default();
    problem.settings.world.gravity = Vec2::ZERO;
    let start = BodyDef { position: vec2(-4.0 * radius, 0.0), velocity: vec2(speed, 0.0), ..BodyDef::dynamic() };
    problem.add(start, &[hard_disc(radius, 1.0)]);
    let mut last = 0;
    for i in 0..count {
        last = problem.add_at(vec2(i as f32 * (2.0 * radius + gap), 0.0), hard_disc(radius, 1.0));
    }
    let mut peer = problem.start(player)?;
    (0..180).for_each(|_| peer.step(problem.settings.dt));
    let missing = 1.0 - f64::from(peer.motion(last).velocity.x / speed);
    let note = format!("row of {count} discs of {radius:.2} m, {:.0} mm apart, struck at {speed:.1} m/s", gap * 1.0e3);
    Ok(Outcome { values: vec![None, None, Some(missing.abs())], stands: true, note })
}

/// Galperin's billiard: a heavy disc drives a light one against a wall until it is driven back itself; its speed then,
/// against exact impacts.
fn play_billiard(rng: &mut Rng, player: Player, ratio: f32) -> Result<Outcome, Unsupported> {
    let (radius, place, gap) = (rng.range(0.2, 0.5), rng.range(0.5, 2.0), rng.range(0.5, 2.0));
    let mut problem = Problem::default();
    problem.settings.world.gravity = Vec2::ZERO;
    let wall = ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::rectangle(4.0, 4.0) };
    problem.add(BodyDef { position: vec2(-2.0, 0.0), ..BodyDef::fixed() }, &[wall]);
    problem.add_at(vec2(radius + place, 0.0), hard_disc(radius, 1.0));
    let position = vec2(3.0 * radius + place + gap, 0.0);
    let heavy =
        problem.add(BodyDef { position, velocity: vec2(-1.0, 0.0), ..BodyDef::dynamic() }, &[hard_disc(radius, ratio)]);
    let mut peer = problem.start(player)?;
    (0..900).for_each(|_| peer.step(problem.settings.dt));
    let (hits, exact) = exact_billiard(f64::from(ratio));
    let missing = (1.0 - f64::from(peer.motion(heavy).velocity.x) / exact).abs();
    let note = format!("billiard {ratio}:1, {hits} hits, from {place:.2} and {gap:.2} m");
    Ok(Outcome { values: vec![None, Some(missing), None], stands: true, note })
}

/// Number of impacts of Galperin's billiard with a heavy disc of this mass that comes at -1 m/s, and its final speed.
fn exact_billiard(mass: f64) -> (u32, f64) {
    let (mut light, mut heavy, mut hits) = (0.0, -1.0, 0);
    while heavy < light || light < 0.0 {
        if heavy < light {
            let mean = (mass * heavy + light) / (mass + 1.0);
            (light, heavy) = (2.0 * mean - light, 2.0 * mean - heavy);
        } else {
            light = -light;
        }
        hits += 1;
    }
    (hits, heavy)
}

/// C6: a disc at 5 to 200 m/s between two walls, fully elastic: how much of the way that it should have made in 10 s is
/// missing.
fn play_room(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (speed, radius, free) = (log_range(rng, 5.0, 200.0), rng.range(0.05, 0.3), rng.range(4.0, 10.0));
    let mut problem = Problem::default();
    problem.settings.world.gravity = Vec2::ZERO;
    let wall = ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::rectangle(4.0, 4.0) };
    let out = 0.5 * free + radius + 2.0;
    for x in [-out, out] {
        problem.add(BodyDef { position: vec2(x, 0.0), ..BodyDef::fixed() }, std::slice::from_ref(&wall));
    }
    let disc = BodyDef { velocity: vec2(speed, 0.0), ..BodyDef::dynamic() };
    let disc = problem.add(disc, &[hard_disc(radius, 1.0)]);
    let mut peer = problem.start(player)?;
    let (mut bounces, mut right) = (0, true);
    for _ in 0..600 {
        peer.step(problem.settings.dt);
        let now = peer.motion(disc).velocity.x > 0.0;
        bounces += u32::from(now != right);
        right = now;
    }
    // The way unfolded: each bounce adds a room's length to that of the start, the last part counts from its wall.
    let x = f64::from(peer.motion(disc).center.x) * if right { 1.0 } else { -1.0 };
    let way = f64::from(bounces) * f64::from(free) + x;
    let lost = 1.0 - way / (10.0 * f64::from(speed));
    let note = format!("disc of {radius:.2} m at {speed:.1} m/s in {free:.2} m, {bounces} bounces");
    Ok(Outcome { values: vec![Some(lost.abs())], stands: true, note })
}

/// C7: the textbook solver, with either correction, against the figures that are asked of it: ten bounces with e = 1 (1
/// % of the height), a rebound with e = 0.5 (2 % of the rebound), a tilted box that comes to lie flat (0.1 degrees, the
/// slop), a stack of five (1 mm, 0.1 degrees), a sliding box (1 % of way and time).
fn play_sequential(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let correction = one_of(rng, &[Correction::Split, Correction::Bias]);
    let mut problem = Problem::default();
    let settings = Sequential { correction, ..Sequential::default() };
    let world = &mut problem.settings.world;
    (world.solver, world.friction_mix) = (Solver::Sequential(settings), Mix::Product);
    world.restitution_mix = Mix::GeometricMean;
    let (error, note) = match rng.below(5) {
        0 => sequential_bounces(rng, &mut problem, player, 1.0)?,
        1 => sequential_bounces(rng, &mut problem, player, 0.5)?,
        2 => sequential_tilted(rng, &mut problem, player)?,
        3 => sequential_stack(rng, &mut problem, player)?,
        _ => sequential_slide(rng, &mut problem, player)?,
    };
    Ok(Outcome { values: vec![Some(error)], stands: true, note: format!("{note}, correction {correction:?}") })
}

/// Ground whose top is at y = 0, with a material.
fn add_ground(problem: &mut Problem, friction: f32, restitution: f32) {
    let shape = ShapeDef { friction, restitution, ..ShapeDef::rectangle(100.0, 2.0) };
    problem.add(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }, &[shape]);
}

fn sequential_bounces(
    rng: &mut Rng,
    problem: &mut Problem,
    player: Player,
    e: f64,
) -> Result<(f64, String), Unsupported> {
    let (height, side) = (rng.range(0.5, 2.0), rng.range(0.3, 1.0));
    add_ground(problem, 0.5, 1.0);
    // The mix is the geometric mean.
    let shape = ShapeDef { restitution: (e * e) as f32, ..ShapeDef::rectangle(side, side) };
    let body = problem.add_at(vec2(0.0, height + 0.5 * side), shape);
    let mut peer = problem.start(player)?;
    let (bounces, tolerance) = if e == 1.0 { (10, 0.01) } else { (1, 0.02) };
    let (mut worst, mut apexes) = (0.0, 0);
    let mut before = (f64::from(height), 0.0);
    for _ in 0..3000 {
        peer.step(problem.settings.dt);
        let motion = peer.motion(body);
        let now = (f64::from(motion.center.y - 0.5 * side), f64::from(motion.velocity.y));
        if before.1 > 0.0 && now.1 <= 0.0 {
            // The vertex of the parabola through the sample before.
            let apex = before.0 + before.1 * before.1 / 20.0;
            worst = larger(worst, (apex / (f64::from(height) * e * e) - 1.0).abs());
            apexes += 1;
        }
        if apexes == bounces {
            break;
        }
        before = now;
    }
    let error = if apexes == bounces { worst / tolerance } else { f64::INFINITY };
    Ok((error, format!("box of {side:.2} m from {height:.2} m with e = {e}")))
}

fn sequential_tilted(rng: &mut Rng, problem: &mut Problem, player: Player) -> Result<(f64, String), Unsupported> {
    let angle = rng.range(10.0, 35.0).to_radians();
    add_ground(problem, 0.5, 0.0);
    let (sin, cos) = sin_cos(angle);
    let position = vec2(0.0, 0.5 * (sin + cos) + 0.2);
    let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 1.0) };
    let body = problem.add(BodyDef { position, angle, ..BodyDef::dynamic() }, &[shape]);
    problem.settings.world.sleeping = true;
    let mut peer = problem.start(player)?;
    (0..600).for_each(|_| peer.step(problem.settings.dt));
    let quarter = f64::from(peer.pose(body).q.angle()).to_degrees() / 90.0;
    let tilt = 90.0 * (quarter - quarter.round()).abs();
    let height = (f64::from(peer.motion(body).center.y) - 0.5).abs();
    let awake = if peer.is_sleeping(body) { 0.0 } else { f64::INFINITY };
    let error = larger(larger(tilt / 0.1, height / 0.01), awake);
    Ok((error, format!("box dropped at {:.0} degrees", angle.to_degrees())))
}

fn sequential_stack(rng: &mut Rng, problem: &mut Problem, player: Player) -> Result<(f64, String), Unsupported> {
    let side = rng.range(0.5, 2.0);
    add_ground(problem, 0.5, 0.0);
    let shape = || ShapeDef { friction: 0.5, ..ShapeDef::rectangle(side, side) };
    let boxes: Vec<usize> = (0..5).map(|i| problem.add_at(vec2(0.0, side * (i as f32 + 0.5)), shape())).collect();
    let mut peer = problem.start(player)?;
    (0..600).for_each(|_| peer.step(problem.settings.dt));
    let mut error = 0.0;
    for &body in &boxes {
        let pose = peer.pose(body);
        let drift = f64::from(pose.p.distance(problem.pose(body).p));
        let tilt = f64::from(pose.q.angle()).to_degrees().abs();
        error = larger(error, larger(drift / 1.0e-3, tilt / 0.1));
    }
    Ok((error, format!("stack of five of {side:.2} m")))
}

fn sequential_slide(rng: &mut Rng, problem: &mut Problem, player: Player) -> Result<(f64, String), Unsupported> {
    let (speed, friction) = (rng.range(2.0, 8.0), rng.range(0.4, 0.8));
    add_ground(problem, friction, 0.0);
    let shape = ShapeDef { friction, ..ShapeDef::rectangle(1.0, 0.5) };
    let start = BodyDef { position: vec2(0.0, 0.25), velocity: vec2(speed, 0.0), ..BodyDef::dynamic() };
    let body = problem.add(start, &[shape]);
    let slowing = 10.0 * f64::from(friction) * f64::from(friction);
    let (time, way) = (f64::from(speed) / slowing, f64::from(speed) * f64::from(speed) / (2.0 * slowing));
    let mut peer = problem.start(player)?;
    let mut stopped = f64::INFINITY;
    for step in 1..=(60.0 * time * 1.5) as u32 + 60 {
        peer.step(problem.settings.dt);
        if stopped.is_infinite() && peer.motion(body).velocity.x.abs() < 1.0e-3 {
            stopped = f64::from(step) / 60.0;
        }
    }
    let off = (f64::from(peer.motion(body).center.x) / way - 1.0).abs();
    // Time is counted in steps.
    let late = ((stopped - time).abs() - 1.0 / 60.0) / time;
    Ok((larger(off, late) / 0.01, format!("box sliding at {speed:.2} m/s with friction {:.3}", friction * friction)))
}
