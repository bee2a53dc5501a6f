//! B: what joints hold.

use super::problem::{Player, Problem, energy, joint_gap, top_speed};
use super::{Family, Holds, Measure, Outcome, Standing, larger, log_range, one_of, whole};
use carom_core::Rng;
use carom_core::math::{cos64, max, sin_cos, sin_cos64, sin64};
use carom_peers::{Peer, Unsupported};
use carom_scenes::{BuildOptions, find, measure};
use carom2d::prelude::*;
use std::f32::consts::{PI, TAU};

const OWN: &[Player] = &[Player::Carom];
const BOTH: &[Player] = &[Player::Carom, Player::Direct];

/// The families.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "B1",
        title: "chains",
        instances: 72,
        standing: Standing::NotAsked,
        measures: &[
            Measure::gate("energy gained (of m g L of all)", 5.0e-3),
            Measure::gate("a and b exchanged, apart within 1 s (of the length)", 0.01),
        ],
        own: BOTH,
        peers: true,
        play: play_chain,
    },
    Family {
        name: "B2",
        title: "loops",
        instances: 72,
        standing: Standing::NotAsked,
        measures: &[
            Measure::gate("top speed (of sqrt(2 g H))", 3.0),
            Measure::new("pins open, 4 sub-steps or more (of a bar)", 0.01, 1.0e-4),
            Measure::new("pins open, 1 or 2 sub-steps (of a bar)", 0.05, 1.0e-4),
        ],
        own: BOTH,
        peers: true,
        play: play_loop,
    },
    Family {
        name: "B3",
        title: "loads",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[
            Measure::gate("pins open, load of 1 to 100 planks (m)", 0.02),
            Measure::goal("pins open, load of 100 to 1000 planks (m)", 0.02),
        ],
        own: OWN,
        peers: true,
        play: play_load,
    },
    Family {
        name: "B4",
        title: "swings",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[
            Measure::gate("energy gained (of m g L of all)", 5.0e-3),
            Measure {
                gate: None,
                goal: Some(0.01),
                holds: Holds::MedianBesideBox2d,
                name: "energy lost in 60 s (of m g L of all)",
            },
            Measure {
                gate: None,
                goal: None,
                holds: Holds::MedianBesideBox2d,
                name: "double pendulum, off after 2 s (m)",
            },
        ],
        own: BOTH,
        peers: true,
        play: play_swing,
    },
    Family {
        name: "B5",
        title: "gears, motors, limits",
        instances: 24,
        standing: Standing::NotAsked,
        measures: &[
            Measure::gate("gear off in 1000 turns (rad)", 0.01),
            Measure::gate("pins of ragdolls open (m)", 0.01),
            Measure::new("limits exceeded (degrees)", 2.0, 0.5),
        ],
        own: OWN,
        peers: false,
        play: play_driven,
    },
];

/// Shapes that meet nothing.
fn ghost(shape: ShapeDef) -> ShapeDef {
    ShapeDef { filter: Filter { mask: 0, ..Filter::default() }, ..shape }
}

/// Which body of a pin is a and which is b.
#[derive(Clone, Copy, Debug)]
enum Order {
    NearFirst,
    FarFirst,
    Mixed(u32),
}

/// Discs on arms, each pinned to the centre of the one before and the first one to the ground, in a straight line.
struct Chain {
    count: usize,
    radius: f32,
    arm: f32,
    angle: f32,
    hertz: u32,
    substeps: u32,
}

impl Chain {
    fn problem(&self, order: Order) -> Problem {
        let mut problem = Problem::default();
        problem.set_rate(self.hertz, self.substeps);
        let (sin, cos) = sin_cos(self.angle);
        let arm = self.arm * vec2(cos, sin);
        let mut near = problem.add(BodyDef::fixed(), &[]);
        for i in 0..self.count {
            let far = problem.add_at((i + 1) as f32 * arm, ghost(ShapeDef::circle(self.radius)));
            let near_first = match order {
                Order::NearFirst => true,
                Order::FarFirst => false,
                Order::Mixed(bits) => bits >> i & 1 == 0,
            };
            if near_first {
                problem.pin_local(near, far, Vec2::ZERO, -arm);
            } else {
                problem.pin_local(far, near, -arm, Vec2::ZERO);
            }
            near = far;
        }
        problem
    }
}

/// B1: a chain of 1 to 12 discs let go from any angle, 60 Hz with 1 to 8 sub-steps, 20 s: how much energy it gains, and
/// whether it matters which body of a pin is a.
fn play_chain(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let chain = Chain {
        count: whole(rng, 1, 12) as usize,
        radius: log_range(rng, 0.02, 0.5),
        arm: log_range(rng, 0.1, 2.0),
        angle: rng.range(-PI, PI),
        hertz: 60,
        substeps: one_of(rng, &[1, 2, 4, 8]),
    };
    let bits = rng.next_u32();
    let order = one_of(rng, &[Order::NearFirst, Order::FarFirst, Order::Mixed(bits)]);
    let exchanged = match order {
        Order::NearFirst => Order::FarFirst,
        Order::FarFirst => Order::NearFirst,
        Order::Mixed(bits) => Order::Mixed(!bits),
    };
    let problem = chain.problem(order);
    let mut peer = problem.start(player)?;
    let mut other = chain.problem(exchanged).start(player)?;
    let bodies: Vec<usize> = (1..=chain.count).collect();
    let start = energy(peer.as_ref(), &bodies, 10.0);
    let lever = |&body: &usize| f64::from(peer.mass(body).0) * 10.0 * body as f64 * f64::from(chain.arm);
    let scale: f64 = bodies.iter().map(lever).sum();
    let length = chain.count as f64 * f64::from(chain.arm);
    let (mut gain, mut apart) = (0.0, 0.0);
    for step in 0..20 * 60 {
        peer.step(problem.settings.dt);
        gain = larger(gain, (energy(peer.as_ref(), &bodies, 10.0) - start) / scale);
        if step < 60 {
            other.step(problem.settings.dt);
            for &body in &bodies {
                let distance = peer.motion(body).center.distance(other.motion(body).center);
                apart = larger(apart, f64::from(distance) / length);
            }
        }
    }
    let Chain { count, radius, arm, angle, substeps, .. } = chain;
    let note = format!(
        "{count} discs of {radius:.3} m on {arm:.3} m from {:.0} degrees, {substeps} sub-steps, {order:?}",
        angle.to_degrees()
    );
    Ok(Outcome { values: vec![Some(gain), Some(apart)], stands: true, note })
}

/// Bars with pins that close loops.
struct Mechanism {
    problem: Problem,
    /// Length of a bar: what gaps are measured by.
    bar: f32,
    /// How far anything can fall.
    fall: f32,
    /// Seconds after which pins must be closed: those of a bridge that is laid straight begin open.
    settled_s: u32,
    note: String,
}

/// Adds a bar from one point to another.
fn add_bar(problem: &mut Problem, from: Vec2, to: Vec2, thickness: f32) -> usize {
    let way = to - from;
    let angle = carom_core::math::atan2(way.y, way.x);
    let body = BodyDef { position: 0.5 * (from + to), angle, ..BodyDef::dynamic() };
    problem.add(body, &[ghost(ShapeDef::rectangle(way.length(), thickness))])
}

/// B2: a bridge, four-bar, truss or slider-crank, at 60 or 120 Hz with 1 to 8 sub-steps, 10 s: how fast anything gets
/// against the speed of a fall from the top to the bottom, and how far pins open.
fn play_loop(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let mut mechanism = match rng.below(5) {
        0 | 1 => draw_bridge(rng),
        2 => draw_four_bar(rng),
        3 => draw_truss(rng),
        _ => draw_slider_crank(rng),
    };
    let (hertz, substeps) = (one_of(rng, &[60, 120]), one_of(rng, &[1, 2, 4, 8]));
    mechanism.problem.set_rate(hertz, substeps);
    let Mechanism { problem, bar, fall, settled_s, note } = mechanism;
    let mut peer = problem.start(player)?;
    let bodies: Vec<usize> =
        (0..problem.bodies.len()).filter(|&i| problem.bodies[i].0.kind == BodyKind::Dynamic).collect();
    let (mut speed, mut gap) = (0.0, 0.0);
    for step in 0..10 * hertz {
        peer.step(problem.settings.dt);
        speed = larger(speed, top_speed(peer.as_ref(), &bodies));
        if step >= settled_s * hertz {
            let gaps = problem.joints.iter().map(|joint| joint_gap(peer.as_ref(), joint));
            gap = gaps.fold(gap, larger);
        }
    }
    let (speed, gap) = (speed / (20.0 * f64::from(fall)).sqrt(), gap / f64::from(bar));
    let (fine, coarse) = if substeps >= 4 { (Some(gap), None) } else { (None, Some(gap)) };
    let note = format!("{note}, {hertz} Hz with {substeps} sub-steps");
    Ok(Outcome { values: vec![Some(speed), fine, coarse], stands: true, note })
}

/// A bridge of 3 to 40 planks between pins at a distance of 0.9 to 1 times its length: laid straight with its pins
/// open by the difference, or hanging in an arc with its pins closed.
fn draw_bridge(rng: &mut Rng) -> Mechanism {
    let (count, slack) = (whole(rng, 3, 40), rng.range(0.9, 1.0));
    let plank = log_range(rng, 0.2, 2.0);
    let straight = rng.below(2) == 0;
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let length = plank * count as f32;
    let turn = arc_turn(count, f64::from(slack));
    let mut end = Vec2::ZERO;
    let mut before = ground;
    for i in 0..count {
        let middle = 0.5 * (f64::from(count) - 1.0);
        let direction = if straight { 0.0 } else { (f64::from(i) - middle) * turn };
        let way = plank * vec2(cos64(direction) as f32, sin64(direction) as f32);
        let from = if straight { vec2((i as f32 + 0.5) * slack * plank - 0.5 * plank, 0.0) } else { end };
        let body = add_bar(&mut problem, from, from + way, 0.1 * plank);
        let at_ground = if before == ground { Vec2::ZERO } else { vec2(0.5 * plank, 0.0) };
        problem.pin_local(before, body, at_ground, vec2(-0.5 * plank, 0.0));
        (before, end) = (body, from + way);
    }
    problem.pin_local(before, ground, vec2(0.5 * plank, 0.0), vec2(slack * length, 0.0));
    let sag = length * (1.0 - slack * slack).sqrt();
    let form = if straight { "laid straight" } else { "hanging" };
    Mechanism {
        problem,
        bar: plank,
        fall: max(sag, plank),
        settled_s: u32::from(straight),
        note: format!("bridge of {count} planks of {plank:.2} m, slack {slack:.4}, {form}"),
    }
}

/// By how much each of `count` equal chords turns against the one before if the distance between the ends is `slack`
/// times their length: sin(n d / 2) / sin(d / 2) = n slack, by bisection.
fn arc_turn(count: u32, slack: f64) -> f64 {
    let n = f64::from(count);
    let (mut low, mut high) = (0.0, std::f64::consts::TAU / n);
    for _ in 0..60 {
        let d = 0.5 * (low + high);
        if sin64(0.5 * n * d) > n * slack * sin64(0.5 * d) { low = d } else { high = d }
    }
    low
}

/// Crank, coupler and rocker on two pins: of any lengths, or a parallelogram, which passes a change point as it falls.
fn draw_four_bar(rng: &mut Rng) -> Mechanism {
    let size = log_range(rng, 0.3, 3.0);
    let parallelogram = rng.below(2) == 0;
    let (crank, angle) = (rng.range(0.3, 1.5), rng.range(0.1 * PI, 0.9 * PI));
    let (rocker, other) = (rng.range(0.3, 1.5), rng.range(0.1 * PI, 0.9 * PI));
    let (rocker, other) = if parallelogram { (crank, angle) } else { (rocker, other) };
    let point = |length: f32, angle: f32| {
        let (sin, cos) = sin_cos(angle);
        size * length * vec2(cos, sin)
    };
    let (p0, p3) = (Vec2::ZERO, vec2(size, 0.0));
    let (p1, mut p2) = (point(crank, angle), p3 + point(rocker, other));
    if p1.distance(p2) < 0.2 * size {
        p2.x += 0.5 * size;
    }
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let bars = [(p0, p1), (p1, p2), (p2, p3)].map(|(a, b)| add_bar(&mut problem, a, b, 0.05 * size));
    problem.pin(ground, bars[0], p0);
    problem.pin(bars[0], bars[1], p1);
    problem.pin(bars[1], bars[2], p2);
    problem.pin(bars[2], ground, p3);
    let lengths = [p0.distance(p1), p1.distance(p2), p2.distance(p3)];
    Mechanism {
        problem,
        bar: lengths.into_iter().fold(f32::INFINITY, carom_core::math::min),
        fall: max(p1.y, p2.y) + max(lengths[0], lengths[2]),
        settled_s: 0,
        note: if parallelogram {
            format!("parallelogram of {:.2} m by {size:.2} m from {:.0} degrees", lengths[0], angle.to_degrees())
        } else {
            format!("four-bar of {:.2}, {:.2}, {:.2} m on {size:.2} m", lengths[0], lengths[1], lengths[2])
        },
    }
}

/// A truss of 2 to 6 triangles on the ground at both ends, or held by a wall at one.
fn draw_truss(rng: &mut Rng) -> Mechanism {
    let (panels, bar) = (whole(rng, 2, 6) as usize, log_range(rng, 0.3, 3.0));
    let cantilever = rng.below(2) == 0;
    let height = bar * rng.range(0.5, 1.0);
    let lower: Vec<Vec2> = (0..=panels).map(|k| vec2(k as f32 * bar, 0.0)).collect();
    let upper: Vec<Vec2> = (0..panels).map(|k| vec2((k as f32 + 0.5) * bar, height)).collect();
    let mut sticks: Vec<(Vec2, Vec2)> = lower.windows(2).map(|pair| (pair[0], pair[1])).collect();
    sticks.extend(upper.windows(2).map(|pair| (pair[0], pair[1])));
    for (k, &top) in upper.iter().enumerate() {
        sticks.extend([(lower[k], top), (top, lower[k + 1])]);
    }
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let bodies: Vec<usize> = sticks.iter().map(|&(a, b)| add_bar(&mut problem, a, b, 0.05 * bar)).collect();
    let held = if cantilever { [lower[0], upper[0]] } else { [lower[0], lower[panels]] };
    for &node in lower.iter().chain(&upper) {
        let ends = |&i: &usize| sticks[i].0 == node || sticks[i].1 == node;
        let mut here: Vec<usize> = (0..sticks.len()).filter(ends).map(|i| bodies[i]).collect();
        if held.contains(&node) {
            here.push(ground);
        }
        here.windows(2).for_each(|pair| problem.pin(pair[0], pair[1], node));
    }
    let kind = if cantilever { "cantilever" } else { "bridge" };
    Mechanism {
        problem,
        bar: 0.5 * bar,
        fall: bar,
        settled_s: 0,
        note: format!("truss of {panels} triangles of {bar:.2} m by {height:.2} m as a {kind}"),
    }
}

/// Crank, rod and a block on a slide.
fn draw_slider_crank(rng: &mut Rng) -> Mechanism {
    let crank = log_range(rng, 0.2, 2.0);
    let rod = crank * rng.range(1.2, 3.0);
    let angle = rng.range(0.0, TAU);
    let (sin, cos) = sin_cos(angle);
    let knee = crank * vec2(cos, sin);
    let block = vec2(knee.x + (rod * rod - knee.y * knee.y).sqrt(), 0.0);
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let bars = [(Vec2::ZERO, knee), (knee, block)].map(|(a, b)| add_bar(&mut problem, a, b, 0.1 * crank));
    let slider = problem.add_at(block, ghost(ShapeDef::rectangle(0.4 * crank, 0.2 * crank)));
    problem.pin(ground, bars[0], Vec2::ZERO);
    problem.pin(bars[0], bars[1], knee);
    problem.pin(bars[1], slider, block);
    problem.join(ground, slider, Pose::at(block), JointKind::Prismatic(Prismatic::default()));
    Mechanism {
        problem,
        bar: crank,
        fall: 2.0 * crank,
        settled_s: 0,
        note: format!("slider-crank of {crank:.2} and {rod:.2} m from {:.0} degrees", angle.to_degrees()),
    }
}

/// B3: a box of 1 to 1000 planks' mass upon the middle of a bridge of 20 planks, for 20 s: how far pins are open in the
/// last 10 s. Infinite if the box falls through.
fn play_load(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    const PLANKS: u32 = 20;
    let (times, slack) = (log_range(rng, 1.0, 1000.0), rng.range(0.95, 0.99));
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let turn = arc_turn(PLANKS, f64::from(slack));
    let (mut before, mut end, mut lowest) = (ground, Vec2::ZERO, 0.0);
    for i in 0..PLANKS {
        let (sin, cos) = sin_cos64((f64::from(i) - 0.5 * f64::from(PLANKS - 1)) * turn);
        let way = vec2(cos as f32, sin as f32);
        let body =
            BodyDef { position: end + 0.5 * way, angle: carom_core::math::atan2(way.y, way.x), ..BodyDef::dynamic() };
        let plank = problem.add(body, &[ShapeDef::rectangle(1.0, 0.2)]);
        problem.pin(before, plank, end);
        (before, end) = (plank, end + way);
        lowest = carom_core::math::min(lowest, end.y);
    }
    problem.pin(before, ground, end);
    // A plank has a mass of 0.2 kg, the box an area of 2.25 m2.
    let shape = ShapeDef { density: 0.2 * times / 2.25, ..ShapeDef::rectangle(1.5, 1.5) };
    let load = problem.add_at(vec2(0.5 * end.x, lowest + 1.0), shape);
    let mut peer = problem.start(player)?;
    let mut gap = 0.0;
    for step in 0..1200 {
        peer.step(problem.settings.dt);
        if step >= 600 {
            gap = problem.joints.iter().map(|joint| joint_gap(peer.as_ref(), joint)).fold(gap, larger);
        }
    }
    let planks = (1..=PLANKS as usize).map(|plank| peer.motion(plank).center.y);
    let lowest = planks.fold(f32::INFINITY, carom_core::math::min);
    let fell = peer.motion(load).center.y < lowest;
    let gap = if fell { f64::INFINITY } else { gap };
    let (light, heavy) = if times <= 100.0 { (Some(gap), None) } else { (None, Some(gap)) };
    let fell = if fell { ", fell through" } else { "" };
    let note = format!("load of {times:.1} planks, slack {slack:.4}{fell}");
    Ok(Outcome { values: vec![light, heavy], stands: true, note })
}

/// B4: a double or triple pendulum of discs of 0.05 m on arms of 1 m from any angles: its energy over a minute, and
/// where the double one is after 2 s against an accurate reference.
fn play_swing(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let count = whole(rng, 2, 3) as usize;
    let angles: Vec<f64> = (0..count).map(|_| f64::from(rng.range(-PI, PI))).collect();
    let mut problem = Problem::default();
    let (mut near, mut place) = (problem.add(BodyDef::fixed(), &[]), Vec2::ZERO);
    for &angle in &angles {
        // From the downward vertical.
        let (sin, cos) = sin_cos64(angle);
        let arm = vec2(sin as f32, -cos as f32);
        let far = problem.add_at(place + arm, ghost(ShapeDef::circle(0.05)));
        problem.pin_local(near, far, Vec2::ZERO, -arm);
        (near, place) = (far, place + arm);
    }
    let mut peer = problem.start(player)?;
    let bodies: Vec<usize> = (1..=count).collect();
    let scale: f64 = bodies.iter().map(|&body| f64::from(peer.mass(body).0) * 10.0 * body as f64).sum();
    let start = energy(peer.as_ref(), &bodies, 10.0);
    let (mut gain, mut off) = (0.0, None);
    for step in 1..=3600 {
        peer.step(problem.settings.dt);
        gain = larger(gain, (energy(peer.as_ref(), &bodies, 10.0) - start) / scale);
        if step == 120 && count == 2 {
            let exact = swing_reference(&angles, 2.0);
            off = Some(peer.motion(near).center.as_dvec2().distance(exact));
        }
    }
    let loss = (start - energy(peer.as_ref(), &bodies, 10.0)) / scale;
    let degrees: Vec<String> = angles.iter().map(|angle| format!("{:.0}", angle.to_degrees())).collect();
    let note = format!("pendulum of {count} from {} degrees", degrees.join(", "));
    Ok(Outcome { values: vec![Some(gain), Some(loss), off], stands: true, note })
}

/// Where the last disc of a pendulum is after a time, by the classical fourth-order method in steps of 1e-4 s.
fn swing_reference(angles: &[f64], seconds: f64) -> glam::DVec2 {
    let (n, h) = (angles.len(), 1.0e-4);
    let mut state: Vec<f64> = angles.iter().copied().chain(std::iter::repeat_n(0.0, n)).collect();
    let step = |state: &[f64], slope: &[f64], h: f64| -> Vec<f64> {
        state.iter().zip(slope).map(|(value, slope)| value + h * slope).collect()
    };
    for _ in 0..(seconds / h).round() as u32 {
        let k1 = swing_slope(&state);
        let k2 = swing_slope(&step(&state, &k1, 0.5 * h));
        let k3 = swing_slope(&step(&state, &k2, 0.5 * h));
        let k4 = swing_slope(&step(&state, &k3, h));
        for i in 0..2 * n {
            state[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }
    state[..n].iter().fold(glam::DVec2::ZERO, |place, &angle| place + glam::dvec2(sin64(angle), -cos64(angle)))
}

/// Time derivatives of the angles and angular velocities of a pendulum of discs of 0.05 m on arms of 1 m, by Lagrange's
/// equations: with mu(j, k) the number of discs beyond both arms, and i = r^2 / 2 the inertia of a disc of mass 1,
///
/// ```text
/// sum over k of (mu(j, k) cos(a_j - a_k) + i [j = k]) a_k''
///     = - sum over k of mu(j, k) sin(a_j - a_k) a_k'^2 - mu(j, j) g sin a_j
/// ```
fn swing_slope(state: &[f64]) -> Vec<f64> {
    let n = state.len() / 2;
    let (angles, speeds) = state.split_at(n);
    let mut rows = vec![vec![0.0; n + 1]; n];
    for j in 0..n {
        for k in 0..n {
            let beyond = (n - j.max(k)) as f64;
            let (sin, cos) = sin_cos64(angles[j] - angles[k]);
            rows[j][k] = beyond * cos;
            rows[j][n] -= beyond * sin * speeds[k] * speeds[k];
        }
        rows[j][j] += 0.5 * 0.05 * 0.05;
        rows[j][n] -= (n - j) as f64 * 10.0 * sin64(angles[j]);
    }
    // Gauss' elimination; the matrix is positive definite and needs no pivots.
    for j in 0..n {
        for row in j + 1..n {
            let factor = rows[row][j] / rows[j][j];
            for column in j..=n {
                let above = rows[j][column];
                rows[row][column] -= factor * above;
            }
        }
    }
    let mut accelerations = vec![0.0; n];
    for j in (0..n).rev() {
        let known: f64 = (j + 1..n).map(|k| rows[j][k] * accelerations[k]).sum();
        accelerations[j] = (rows[j][n] - known) / rows[j][j];
    }
    speeds.iter().copied().chain(accelerations).collect()
}

/// B5: a gear over 1000 turns, a motor that drives an arm against a limit, or ragdolls that are thrown down the stairs.
fn play_driven(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    match rng.below(3) {
        0 => play_gear(rng, player),
        1 => play_limit(rng, player),
        _ => play_ragdolls(rng),
    }
}

/// Two wheels with a gear of a ratio of 0.1 to 10 between them; a motor turns the slower one, 1000 times, so
/// that the faster one makes less than half a turn in a step.
fn play_gear(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (ratio, speed) = (log_range(rng, 0.1, 10.0), rng.range(5.0, 15.0));
    let radii = [rng.range(0.2, 1.0), rng.range(0.2, 1.0)];
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let wheels = [0, 1].map(|i| {
        let place = vec2(3.0 * i as f32, 0.0);
        let wheel = problem.add_at(place, ghost(ShapeDef::circle(radii[i])));
        let motor = Motor::new(speed, f32::INFINITY);
        // The angle of the first is `ratio` times that of the second: the one that turns less is driven.
        let drive = (ratio < 1.0) == (i == 0);
        let pin = Revolute { motor: drive.then_some(motor), ..Revolute::default() };
        problem.join(ground, wheel, Pose::at(place), JointKind::Revolute(pin));
        wheel
    });
    let mut peer = problem.start_carom(player)?;
    let joints: Vec<JointId> = peer.world.joints().collect();
    let gear = Gear { joint_a: joints[0], joint_b: joints[1], ratio };
    let (a, b) = (peer.bodies[wheels[0]], peer.bodies[wheels[1]]);
    peer.world.add_joint(JointDef::new(a, b, JointKind::Gear(gear)))?;
    let mut turned = [0.0_f64; 2];
    let mut worst = 0.0;
    while carom_core::math::min64(turned[0].abs(), turned[1].abs()) < 1000.0 * std::f64::consts::TAU {
        let before = wheels.map(|wheel| peer.pose(wheel).q);
        peer.step(problem.settings.dt);
        for i in 0..2 {
            turned[i] += f64::from(before[i].inv_mul(peer.pose(wheels[i]).q).angle());
        }
        worst = larger(worst, (turned[0] + f64::from(ratio) * turned[1]).abs());
        if worst > 10.0 {
            break;
        }
    }
    let note = format!("gear of {ratio:.3} at {speed:.1} rad/s, discs of {:.2} and {:.2} m", radii[0], radii[1]);
    Ok(Outcome { values: vec![Some(worst), None, None], stands: true, note })
}

/// An arm of 1 m whose motor of 1 to 1000 N m drives it against a limit: by how much it is exceeded.
fn play_limit(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (speed, torque) = (log_range(rng, 0.5, 20.0), log_range(rng, 1.0, 1000.0));
    let upper = rng.range(0.2, 2.0);
    let mut problem = Problem::default();
    let ground = problem.add(BodyDef::fixed(), &[]);
    let arm = problem.add_at(vec2(0.5, 0.0), ghost(ShapeDef::rectangle(1.0, 0.2)));
    let pin = Revolute {
        limits: Some(Limits::new(-0.1, upper)),
        motor: Some(Motor::new(speed, torque)),
        ..Revolute::default()
    };
    problem.join(ground, arm, Pose::at(Vec2::ZERO), JointKind::Revolute(pin));
    let mut peer = problem.start_carom(player)?;
    let mut worst: f64 = 0.0;
    for _ in 0..600 {
        peer.step(problem.settings.dt);
        worst = larger(worst, f64::from(measure::worst_overturn(&peer.world)).to_degrees());
    }
    let note = format!("motor of {torque:.1} N m at {speed:.1} rad/s against a limit of {upper:.2}");
    Ok(Outcome { values: vec![None, None, Some(worst)], stands: true, note })
}

/// The scene `ragdolls`, everybody with a push and a spin of their own.
fn play_ragdolls(rng: &mut Rng) -> Result<Outcome, Unsupported> {
    const BONES: usize = 11;
    let scene = find("ragdolls").expect("a built-in scene");
    let mut run = scene.build(&BuildOptions::default())?;
    let bones: Vec<BodyId> = measure::dynamic_bodies(&run.world).collect();
    for person in bones.chunks(BONES) {
        let (push, spin) = (vec2(rng.range(-1.0, 5.0), rng.range(-2.0, 4.0)), rng.range(-5.0, 5.0));
        let middle = run.world.body(person[0]).center();
        for &bone in person {
            let velocity = push + spin * (run.world.body(bone).center() - middle).perp();
            let mut body = run.world.body_mut(bone);
            body.set_velocity(velocity)?;
            body.set_angular_velocity(spin)?;
        }
    }
    let (mut gap, mut beyond) = (0.0, 0.0);
    for _ in 0..600 {
        run.step();
        gap = larger(gap, f64::from(measure::widest_gap(&run.world)));
        beyond = larger(beyond, f64::from(measure::worst_overturn(&run.world)).to_degrees());
    }
    Ok(Outcome { values: vec![None, Some(gap), Some(beyond)], stands: true, note: "ragdolls".to_string() })
}
