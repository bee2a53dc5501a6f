//! A: what stands.
//!
//! A structure *stands* as long as every stone rests where it was put: its centre has moved by less than half a
//! stone's smallest side against each of the stones below it that carried it at the start, and its turn against them
//! is below 45 degrees. Sinking as a whole is no fall; a stone that has left its place is one. Stones of arches and
//! cards are held against where they began.

use super::problem::{Player, Problem};
use super::{Family, Measure, Outcome, Standing, larger, log_range, one_of, whole};
use carom_core::Rng;
use carom_core::math::{cos64, min, sin_cos64};
use carom_peers::{Peer, Unsupported};
use carom2d::prelude::*;

const OWN: &[Player] = &[Player::Carom];
const BOTH: &[Player] = &[Player::Carom, Player::Direct];
const RMS: Measure = Measure::new("rms speed of the last 5 s (m/s)", 1.0e-3, 1.0e-5);
const SHIFT: Measure = Measure::goal("top moved sideways (m)", 5.0e-3);
const SINK: Measure = Measure::goal("sink (of the height)", 1.0e-3);

/// The families.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "A1",
        title: "towers",
        instances: 24,
        standing: Standing::WherePeersStand,
        measures: &[RMS, SHIFT, SINK],
        own: OWN,
        peers: true,
        play: |rng, player| stand(&draw_tower(rng), player),
    },
    Family {
        name: "A2",
        title: "mixed towers",
        instances: 24,
        standing: Standing::WherePeersStand,
        measures: &[RMS, SHIFT, SINK],
        own: OWN,
        peers: true,
        play: |rng, player| stand(&draw_mixed_tower(rng), player),
    },
    Family {
        name: "A3",
        title: "walls",
        instances: 8,
        standing: Standing::Always,
        measures: &[
            Measure::new("rms speed after 10 s (m/s)", 1.0e-3, 1.0e-5),
            Measure::new("spread (m)", 0.021, 2.0e-3),
            Measure::gate("asleep after (s)", 3.0),
        ],
        own: OWN,
        peers: true,
        play: play_wall,
    },
    Family {
        name: "A4",
        title: "arches",
        instances: 12,
        standing: Standing::NotAsked,
        measures: &[
            Measure::new("thickness from which it stands (of the radius)", 0.12, 1.02 * 0.1075),
            Measure::gate("thickness over theory, Direct, off (relative)", 0.02),
            Measure::goal("thickness over theory, other solvers, off (relative)", 0.02),
        ],
        own: BOTH,
        peers: true,
        play: play_arch,
    },
    Family {
        name: "A5",
        title: "card houses",
        instances: 10,
        standing: Standing::Always,
        measures: &[Measure { gate: None, ..RMS }],
        own: BOTH,
        peers: true,
        play: |rng, player| stand(&draw_card_house(rng), player),
    },
    Family {
        name: "A6",
        title: "shapes",
        instances: 24,
        standing: Standing::WherePeersStand,
        measures: &[Measure { gate: None, ..RMS }, SHIFT, SINK],
        own: OWN,
        peers: true,
        play: |rng, player| stand(&draw_shapes(rng), player),
    },
    Family {
        name: "A7",
        title: "coarse and fine steps",
        instances: 24,
        standing: Standing::WherePeersStandOnly,
        measures: &[Measure { gate: None, ..RMS }, SHIFT, SINK],
        own: OWN,
        peers: true,
        play: play_coarse,
    },
    Family {
        name: "A8",
        title: "settings",
        instances: 24,
        standing: Standing::WherePeersStand,
        measures: &[RMS, SHIFT, SINK],
        own: BOTH,
        peers: true,
        play: |rng, player| stand(&draw_setting(rng), player),
    },
];

/// Something that should stand.
struct Structure {
    problem: Problem,
    /// All stones, from the lowest; the last one is the top.
    stones: Vec<usize>,
    /// Which stone rests on which.
    rests_on: Vec<(usize, usize)>,
    /// Stones that are held against where they began. The lowest stone of a tower may wander, but not turn.
    held: Vec<usize>,
    /// The smallest side of a stone.
    side: f32,
    height: f32,
    seconds: u32,
    note: String,
}

impl Structure {
    /// Does every stone rest where it was put?
    fn stands(&self, peer: &dyn Peer) -> bool {
        let upright = |&stone: &usize| is_upright(self.problem.pose(stone).q.inv_mul(peer.pose(stone).q));
        let place = |&stone: &usize| peer.pose(stone).p.distance(self.problem.pose(stone).p) < 0.5 * self.side;
        self.stones.iter().take(1).chain(&self.held).all(upright)
            && self.held.iter().all(place)
            && self.rests_on.iter().all(|&(upper, lower)| self.is_in_place(peer, upper, lower))
    }

    fn is_in_place(&self, peer: &dyn Peer, upper: usize, lower: usize) -> bool {
        let now = |body: usize| peer.pose(body);
        let start = |body: usize| self.problem.pose(body);
        let moved = (now(upper).p - now(lower).p) - (start(upper).p - start(lower).p);
        let turn = |pose: &dyn Fn(usize) -> Pose| pose(lower).inv_mul(pose(upper)).q;
        moved.length() < 0.5 * self.side && is_upright(turn(&start).inv_mul(turn(&now)))
    }
}

/// Turned by less than 45 degrees.
fn is_upright(turn: Rot) -> bool {
    turn.c > std::f32::consts::FRAC_1_SQRT_2
}

/// Plays a structure: whether it stands, how fast it moves at the end, how far its top has moved and sunk.
fn stand(structure: &Structure, player: Player) -> Result<Outcome, Unsupported> {
    let mut peer = structure.problem.start(player)?;
    let last = structure.seconds - 5;
    let ended = run_until_fallen(structure, peer.as_mut(), last);
    let Err(fell_s) = ended else {
        let top = *structure.stones.last().expect("a structure has stones");
        let moved = peer.pose(top).p - structure.problem.pose(top).p;
        let sink = f64::from(-moved.y / structure.height);
        let values = vec![ended.ok(), Some(f64::from(moved.x.abs())), Some(sink)];
        return Ok(Outcome { values, stands: true, note: structure.note.clone() });
    };
    let note = format!("{}, fell after {fell_s:.0} s", structure.note);
    Ok(Outcome { values: vec![Some(f64::INFINITY); 3], stands: false, note })
}

/// The rms speed from `from_s` seconds on, or after how many seconds the structure has fallen.
fn run_until_fallen(structure: &Structure, peer: &mut dyn Peer, from_s: u32) -> Result<f64, f64> {
    let dt = structure.problem.settings.dt;
    let rate = (1.0 / dt).round() as u32;
    let mut squares = MeanSquare::default();
    for step in 1..=structure.seconds * rate {
        peer.step(dt);
        if step % rate == 0 && !structure.stands(peer) {
            return Err(f64::from(step / rate));
        }
        if step > from_s * rate {
            structure.stones.iter().for_each(|&stone| squares.add(peer.motion(stone).velocity));
        }
    }
    Ok(squares.root())
}

/// Root of the mean square of speeds.
#[derive(Default)]
struct MeanSquare {
    sum: f64,
    count: u32,
}

impl MeanSquare {
    fn add(&mut self, velocity: Vec2) {
        self.sum += velocity.as_dvec2().length_squared();
        self.count += 1;
    }

    fn root(&self) -> f64 {
        (self.sum / f64::from(self.count.max(1))).sqrt()
    }
}

/// A tower of boxes of given densities, each moved sideways by up to `offset`.
fn tower(rng: &mut Rng, side: f32, offset: f32, densities: &[f32], note: String) -> Structure {
    let mut problem = Problem::default();
    problem.add_floor(40.0 * side, 0.6);
    let stones: Vec<usize> = densities
        .iter()
        .enumerate()
        .map(|(i, &density)| {
            let position = vec2(rng.range(-offset, offset), side * (i as f32 + 0.5));
            problem.add_at(position, ShapeDef { density, ..ShapeDef::rectangle(side, side) })
        })
        .collect();
    Structure {
        problem,
        rests_on: stones.windows(2).map(|pair| (pair[1], pair[0])).collect(),
        held: Vec::new(),
        stones,
        side,
        height: side * densities.len() as f32,
        seconds: 60,
        note,
    }
}

/// A1: 5 to 40 boxes with sides of 0.05 to 5 m, each moved sideways by up to 0.1, 1 or 10 mm, at most 2 % of the side.
fn draw_tower(rng: &mut Rng) -> Structure {
    let count = whole(rng, 5, 40) as usize;
    let side = log_range(rng, 0.05, 5.0);
    let offset = min(one_of(rng, &[1.0e-4, 1.0e-3, 1.0e-2]), 0.02 * side);
    let note = format!("{count} boxes of {side:.3} m, up to {:.2} mm off", offset * 1.0e3);
    tower(rng, side, offset, &vec![1.0; count], note)
}

/// A2: 10 boxes with sides of 0.2 to 2 m whose densities alternate by 2 to 10, or the top one is 2 to 100 times as
/// dense. Moved sideways by up to 1 mm.
fn draw_mixed_tower(rng: &mut Rng) -> Structure {
    let side = log_range(rng, 0.2, 2.0);
    let (densities, note) = draw_densities(rng, 10);
    tower(rng, side, 1.0e-3, &densities, format!("{note}, boxes of {side:.3} m"))
}

fn draw_densities(rng: &mut Rng, count: usize) -> (Vec<f32>, String) {
    let mut densities = vec![1.0; count];
    if rng.below(2) == 0 {
        let (ratio, heavy) = (log_range(rng, 2.0, 10.0), rng.below(2) as usize);
        densities.iter_mut().skip(heavy).step_by(2).for_each(|density| *density = ratio);
        (densities, format!("{count} boxes alternating 1:{ratio:.1}, the {} below", ["heavy", "light"][heavy]))
    } else {
        let ratio = log_range(rng, 2.0, 100.0);
        densities[count - 1] = ratio;
        (densities, format!("{count} boxes, the top one {ratio:.1} times as dense"))
    }
}

/// A wall in running bond: courses of flush bricks 1 x 0.5, every other course with half a brick at each end.
fn wall(courses: usize, bricks: usize) -> Structure {
    let mut problem = Problem::default();
    problem.add_floor(bricks as f32 + 40.0, 0.6);
    let left = -0.5 * bricks as f32;
    let mut rows: Vec<Vec<(usize, f32, f32)>> = Vec::new();
    for course in 0..courses {
        // Edges of the bricks, in half bricks from the left.
        let inner = (0..=2 * bricks).filter(|edge| edge % 2 == course % 2 || *edge == 0 || *edge == 2 * bricks);
        let edges: Vec<f32> = inner.map(|edge| left + 0.5 * edge as f32).collect();
        let y = 0.5 * course as f32 + 0.25;
        let row = edges.windows(2).map(|ends| {
            let body = problem.add_at(vec2(0.5 * (ends[0] + ends[1]), y), ShapeDef::rectangle(ends[1] - ends[0], 0.5));
            (body, ends[0], ends[1])
        });
        rows.push(row.collect());
    }
    let mut rests_on = Vec::new();
    for pair in rows.windows(2) {
        for &(upper, left, right) in &pair[1] {
            let carries = |&&(_, l, r): &&(usize, f32, f32)| l < right && r > left;
            rests_on.extend(pair[0].iter().filter(carries).map(|&(lower, _, _)| (upper, lower)));
        }
    }
    Structure {
        problem,
        stones: rows.iter().flatten().map(|&(body, _, _)| body).collect(),
        rests_on,
        held: Vec::new(),
        side: 0.5,
        height: 0.5 * courses as f32,
        seconds: 60,
        note: format!("{courses} courses of {bricks} bricks"),
    }
}

/// A3: 5 to 40 courses of 5 to 40 bricks for a minute: how fast bricks move after 10 s, by how much the widest course
/// has grown, and when all are asleep in a second run with sleeping.
fn play_wall(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (courses, bricks) = (whole(rng, 5, 40) as usize, whole(rng, 5, 40) as usize);
    let mut structure = wall(courses, bricks);
    let mut peer = structure.problem.start(player)?;
    let ended = run_until_fallen(&structure, peer.as_mut(), 10);
    let spread = spread(&structure, peer.as_ref());
    drop(peer);

    structure.problem.settings.world.sleeping = true;
    let mut peer = structure.problem.start(player)?;
    let asleep = asleep_after(&structure, peer.as_mut(), 10);
    let fell = ended.err();
    let note = fell.map_or(structure.note.clone(), |time| format!("{}, fell after {time:.0} s", structure.note));
    let rms = ended.unwrap_or(f64::INFINITY);
    let spread = if fell.is_some() { f64::INFINITY } else { spread };
    Ok(Outcome { values: vec![Some(rms), Some(spread), Some(asleep)], stands: fell.is_none(), note })
}

/// By how much the course that has grown most is wider than at the start: from its first brick to its last.
fn spread(structure: &Structure, peer: &dyn Peer) -> f64 {
    let mut most = 0.0;
    let courses = structure.stones.chunk_by(|&a, &b| structure.problem.pose(a).p.y == structure.problem.pose(b).p.y);
    for course in courses {
        let (Some(&first), Some(&last)) = (course.first(), course.last()) else { continue };
        let now = f64::from(peer.pose(last).p.x - peer.pose(first).p.x);
        let before = f64::from(structure.problem.pose(last).p.x - structure.problem.pose(first).p.x);
        most = larger(most, now - before);
    }
    most
}

/// After how many seconds all stones sleep; infinite if not within `limit_s`.
fn asleep_after(structure: &Structure, peer: &mut dyn Peer, limit_s: u32) -> f64 {
    let dt = structure.problem.settings.dt;
    let rate = (1.0 / dt).round() as u32;
    for step in 1..=limit_s * rate {
        peer.step(dt);
        if structure.stones.iter().all(|&stone| peer.is_sleeping(stone)) {
            return f64::from(step) / f64::from(rate);
        }
    }
    f64::INFINITY
}

/// A7: towers, mixed towers and walls, up to 20 high, at 30, 60 and 120 Hz with 1, 2, 4 and 8 sub-steps.
fn play_coarse(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let (hertz, substeps) = (one_of(rng, &[30, 60, 120]), one_of(rng, &[1, 2, 4, 8]));
    let mut structure = match rng.below(3) {
        0 => {
            let count = one_of(rng, &[10, 20]);
            let side = log_range(rng, 0.2, 2.0);
            tower(rng, side, 1.0e-3, &vec![1.0; count], format!("{count} boxes of {side:.3} m"))
        }
        1 => draw_mixed_tower(rng),
        _ => wall(20, whole(rng, 5, 10) as usize),
    };
    structure.problem.set_rate(hertz, substeps);
    structure.note += &format!(", {hertz} Hz with {substeps} sub-steps");
    stand(&structure, player)
}

/// A8: towers and mixed towers of 5 to 20 boxes with sides of 0.05 to 5 m, with sleeping on or off, and with a top box
/// that may sleep or not.
fn draw_setting(rng: &mut Rng) -> Structure {
    let (count, side) = (whole(rng, 5, 20) as usize, log_range(rng, 0.05, 5.0));
    let (densities, kind) =
        if rng.below(2) == 0 { (vec![1.0; count], format!("{count} boxes")) } else { draw_densities(rng, 10) };
    let offset = min(1.0e-3, 0.02 * side);
    let (sleeping, restless) = (rng.below(2) == 0, rng.below(2) == 0);
    let may = |on: bool| if on { "on" } else { "off" };
    let note = format!("{kind}, of {side:.3} m, sleeping {}, of the top one {}", may(sleeping), may(!restless));
    let mut structure = tower(rng, side, offset, &densities, note);
    structure.problem.settings.world.sleeping = sleeping;
    let top = *structure.stones.last().expect("a tower has boxes");
    structure.problem.bodies[top].0.can_sleep = !restless;
    structure
}

/// A4: how thin a semicircle of 9 to 35 stones about a mean radius of 5 m may be, by bisection, against statics.
fn play_arch(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    let count = whole(rng, 9, 35) as usize;
    let theory = least_thickness(count);
    // Thinner than the first no arch of stones stands; thicker than the second no engine here needs.
    let (mut falls, mut stands) = (0.08, 0.2);
    if !arch_stands(count, stands, player)? {
        stands = f64::INFINITY;
    }
    while stands.is_finite() && stands - falls > 5.0e-4 {
        let middle = 0.5 * (falls + stands);
        if arch_stands(count, middle, player)? { stands = middle } else { falls = middle }
    }
    let off = Some((stands / theory - 1.0).abs());
    let (direct, other) = if player == Player::Direct { (off, None) } else { (None, off) };
    let note = format!("{count} stones, which should stand from {theory:.4}");
    Ok(Outcome { values: vec![Some(stands), direct, other], stands: true, note })
}

/// Corners of the stones of an arch of mean radius 5 m, from the right springing to the left: inside and outside of
/// each joint.
fn arch_joints(count: usize, thickness: f64) -> Vec<[glam::DVec2; 2]> {
    let joint = |k: usize| {
        let (sin, cos) = sin_cos64(std::f64::consts::PI * k as f64 / count as f64);
        [-0.5, 0.5].map(|side| 5.0 * (1.0 + side * thickness) * glam::dvec2(cos, sin))
    };
    (0..=count).map(joint).collect()
}

/// Does an arch of a thickness, as a share of its radius, stand for 20 s?
fn arch_stands(count: usize, thickness: f64, player: Player) -> Result<bool, Unsupported> {
    let mut problem = Problem::default();
    problem.add_floor(40.0, 5.0);
    let joints = arch_joints(count, thickness);
    let mut stones = Vec::new();
    for pair in joints.windows(2) {
        let corners = [pair[0][0], pair[0][1], pair[1][1], pair[1][0]].map(|corner| corner.as_vec2());
        let middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
        let shape = ShapeDef { friction: 5.0, ..ShapeDef::convex(&corners.map(|corner| corner - middle)) };
        stones.push(problem.add_at(middle, shape));
    }
    let side = 5.0 * thickness as f32;
    let (rests_on, held) = (Vec::new(), stones.clone());
    let structure = Structure { problem, stones, rests_on, held, side, height: 5.0, seconds: 20, note: String::new() };
    let mut peer = structure.problem.start(player)?;
    Ok(run_until_fallen(&structure, peer.as_mut(), 20).is_ok())
}

/// The least thickness, as a share of the radius, at which statics without sliding lets an arch of stones stand: from
/// there on a line of thrust lies within all joints.
fn least_thickness(count: usize) -> f64 {
    let (mut falls, mut stands) = (0.02, 0.3);
    while stands - falls > 1.0e-6 {
        let middle = 0.5 * (falls + stands);
        if has_thrust_line(&arch_joints(count, middle)) { stands = middle } else { falls = middle }
    }
    stands
}

/// Is there a line of thrust within all joints?
///
/// By symmetry the thrust of the crown is horizontal: H at the height y0. With M = H y0, the crown's thrust and the
/// weight W of the stones from the crown to a joint turn these stones about a point p of the joint with the moment `H
/// p.y - M + W (p.x - x)`, where x is the place of their centre. What carries them at the joint acts between its
/// corners if that moment is not positive about the inner corner and not negative about the outer one. Both are
/// half-planes of (H, M): they have a point in common if and only if one of the crossings of their borders is in all.
fn has_thrust_line(joints: &[[glam::DVec2; 2]]) -> bool {
    let mut planes: Vec<[f64; 3]> = Vec::new();
    let (mut weight, mut lever) = (0.0, 0.0);
    let count = joints.len() - 1;
    // a H + b M <= c
    let mut joint = |[inner, outer]: [glam::DVec2; 2], weight: f64, lever: f64| {
        planes.push([inner.y, -1.0, lever - weight * inner.x]);
        planes.push([-outer.y, 1.0, weight * outer.x - lever]);
    };
    if count.is_multiple_of(2) {
        joint(joints[count / 2], 0.0, 0.0);
    }
    // From the crown down the right side. The middle stone of an odd number counts with half of it.
    for k in (0..count.div_ceil(2)).rev() {
        let (mut inner, mut outer) = (joints[k + 1][0], joints[k + 1][1]);
        if 2 * k + 1 == count {
            // The axis cuts the flat sides of the middle stone.
            (inner.x, outer.x) = (0.0, 0.0);
        }
        let corners = [joints[k][0], joints[k][1], outer, inner];
        let (area, first) = area_and_first_moment(&corners);
        (weight, lever) = (weight + area, lever + first);
        joint(joints[k], weight, lever);
    }
    let holds = |h: f64, m: f64| planes.iter().all(|[a, b, c]| a * h + b * m <= c + 1.0e-9 && h > 0.0);
    planes.iter().enumerate().any(|(i, p)| {
        planes[..i].iter().any(|q| {
            let det = p[0] * q[1] - p[1] * q[0];
            det != 0.0 && holds((p[2] * q[1] - p[1] * q[2]) / det, (p[0] * q[2] - p[2] * q[0]) / det)
        })
    })
}

/// Area of a polygon, and the integral of x over it.
fn area_and_first_moment(corners: &[glam::DVec2]) -> (f64, f64) {
    let (mut area, mut first) = (0.0, 0.0);
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let cross = a.perp_dot(b);
        (area, first) = (area + 0.5 * cross, first + cross * (a.x + b.x) / 6.0);
    }
    (area.abs(), first * area.signum())
}

/// A5: a house of 2 to 6 floors of cards 0.002 x 0.4 m that lean by 25 degrees, with friction 0.7, as Box2D's sample of
/// the name has them, each up to 0.1 mm off.
fn draw_card_house(rng: &mut Rng) -> Structure {
    let floors = whole(rng, 2, 6);
    let mut problem = Problem::default();
    problem.add_floor(40.0, 0.7);
    let lean = 25.0_f32.to_radians();
    let mut cards = Vec::new();
    for floor in 0..floors {
        let (left, middle) = (0.175 * floor as f32, 0.18 + 0.37 * floor as f32);
        let tents = floors - floor;
        for tent in 0..tents {
            let x = left + 0.35 * tent as f32;
            let mut card = |x: f32, y: f32, angle: f32| {
                let position = vec2(x + rng.range(-1.0e-4, 1.0e-4), y);
                let shape = ShapeDef { friction: 0.7, ..ShapeDef::rectangle(0.002, 0.4) };
                cards.push(problem.add(BodyDef { position, angle, ..BodyDef::dynamic() }, &[shape]));
            };
            card(x, middle, -lean);
            card(x + 0.175, middle, lean);
            if tent + 1 < tents {
                card(x + 0.25, middle + 0.185, 0.5 * std::f32::consts::PI);
            }
        }
    }
    Structure {
        problem,
        rests_on: Vec::new(),
        held: cards.clone(),
        stones: cards,
        side: 0.4,
        height: 0.37 * floors as f32,
        seconds: 60,
        note: format!("{floors} floors of cards"),
    }
}

/// A6: towers of 5 to 20 hexagons, octagons, lying capsules, rounded boxes or compounds, and pyramids of those that can
/// rest on two; stones of 0.2 to 2 m, each up to 1 mm off.
fn draw_shapes(rng: &mut Rng) -> Structure {
    let (side, high) = (log_range(rng, 0.2, 2.0), whole(rng, 5, 20) as usize);
    let (kind, shapes, wide) = draw_stone(rng, side);
    let pyramid = wide > 0.0 && rng.below(2) == 0;
    let offset = min(1.0e-3, 0.02 * side);
    let mut problem = Problem::default();
    problem.add_floor(40.0 * side + 2.0 * high as f32 * side, 0.6);
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for row in 0..high {
        let count = if pyramid { high - row } else { 1 };
        let place = |i: usize| vec2((i as f32 - 0.5 * (count as f32 - 1.0)) * wide, (row as f32 + 0.5) * side);
        let mut stone = |i: usize| {
            let position = place(i) + vec2(rng.range(-offset, offset), 0.0);
            problem.add(BodyDef { position, ..BodyDef::dynamic() }, &shapes)
        };
        rows.push((0..count).map(&mut stone).collect());
    }
    let mut rests_on = Vec::new();
    for pair in rows.windows(2) {
        for (i, &upper) in pair[1].iter().enumerate() {
            let carriers = if pyramid { i..=i + 1 } else { 0..=0 };
            rests_on.extend(carriers.map(|lower| (upper, pair[0][lower])));
        }
    }
    let form = if pyramid { "pyramid" } else { "tower" };
    Structure {
        problem,
        stones: rows.into_iter().flatten().collect(),
        rests_on,
        held: Vec::new(),
        side,
        height: side * high as f32,
        seconds: 60,
        note: format!("{form} of {kind}, {high} high, of {side:.3} m"),
    }
}

/// A stone of a height, and how far apart such stones lie in the rows of a pyramid; 0 if none can rest on two.
fn draw_stone(rng: &mut Rng, side: f32) -> (&'static str, Vec<ShapeDef>, f32) {
    let half = 0.5 * side;
    let regular = |corners: u32| {
        // With a flat side down.
        let reach = f64::from(half) / cos64(std::f64::consts::PI / f64::from(corners));
        let corner = |i: u32| {
            let (sin, cos) = sin_cos64(std::f64::consts::PI * (2.0 * f64::from(i) + 1.0) / f64::from(corners));
            // The first corner beside the downward direction.
            vec2((reach * sin) as f32, (-reach * cos) as f32)
        };
        ShapeDef::convex(&(0..corners).map(corner).collect::<Vec<_>>())
    };
    match rng.below(5) {
        0 => ("hexagons", vec![regular(6)], 0.0),
        1 => ("octagons", vec![regular(8)], 0.0),
        2 => {
            let capsule = ShapeDef::capsule(vec2(-side, 0.0), vec2(side, 0.0), half);
            ("lying capsules", vec![capsule], 3.05 * side)
        }
        3 => {
            let rounding = rng.range(0.05, 0.2) * side;
            let inner = side - 2.0 * rounding;
            ("rounded boxes", vec![ShapeDef { rounding, ..ShapeDef::rectangle(inner, inner) }], 1.05 * side)
        }
        _ => {
            // A board on two feet.
            let part = |x: f32, y: f32, width: f32, height: f32| ShapeDef {
                position: vec2(x, y) * side,
                ..ShapeDef::rectangle(width * side, height * side)
            };
            let parts = vec![part(0.0, 0.25, 2.0, 0.5), part(-0.75, -0.25, 0.5, 0.5), part(0.75, -0.25, 0.5, 0.5)];
            ("compounds", parts, 2.05 * side)
        }
    }
}
