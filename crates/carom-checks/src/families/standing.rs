//! A: what stands.
//!
//! A structure *stands* as long as every stone rests where it was put: its centre has moved by less than half a
//! stone's smallest side against each of the stones below it that carried it at the start, and its turn against them
//! is below 45 degrees. Sinking as a whole is no fall; a stone that has left its place is one.

use super::problem::{Player, Problem};
use super::{Family, Measure, Outcome, Standing, larger, log_range, one_of, whole};
use carom_core::Rng;
use carom_core::math::{max64, min};
use carom_peers::{Peer, Unsupported};
use carom2d::prelude::*;

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
        own: &[Player::Carom],
        peers: true,
        play: |rng, player| stand(&draw_tower(rng), player),
    },
    Family {
        name: "A2",
        title: "mixed towers",
        instances: 24,
        standing: Standing::WherePeersStand,
        measures: &[RMS, SHIFT, SINK],
        own: &[Player::Carom],
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
        own: &[Player::Carom],
        peers: true,
        play: play_wall,
    },
    Family {
        name: "A7",
        title: "coarse and fine steps",
        instances: 24,
        standing: Standing::WherePeersStandOnly,
        measures: &[Measure { gate: None, ..RMS }, SHIFT, SINK],
        own: &[Player::Carom],
        peers: true,
        play: play_coarse,
    },
];

/// Something that should stand.
struct Structure {
    problem: Problem,
    /// All stones, from the lowest; the last one is the top.
    stones: Vec<usize>,
    /// Which stone rests on which; the ground carries without being listed.
    rests_on: Vec<(usize, usize)>,
    /// The smallest side of a stone.
    side: f32,
    height: f32,
    seconds: u32,
    note: String,
}

impl Structure {
    /// Does every stone rest where it was put?
    fn stands(&self, peer: &dyn Peer) -> bool {
        let ground = self.stones.iter().take(1).map(|&stone| (stone, None));
        let pairs = self.rests_on.iter().map(|&(upper, lower)| (upper, Some(lower)));
        pairs.chain(ground).all(|(upper, lower)| self.is_in_place(peer, upper, lower))
    }

    fn is_in_place(&self, peer: &dyn Peer, upper: usize, lower: Option<usize>) -> bool {
        let now = |body: usize| peer.pose(body);
        let start = |body: usize| self.problem.pose(body);
        let (moved, turn) = match lower {
            Some(lower) => {
                let moved = (now(upper).p - now(lower).p) - (start(upper).p - start(lower).p);
                let turn = |pose: &dyn Fn(usize) -> Pose| pose(lower).inv_mul(pose(upper)).q;
                (moved, turn(&start).inv_mul(turn(&now)))
            }
            // Towers may wander; on the ground only the turn counts.
            None => (Vec2::ZERO, start(upper).q.inv_mul(now(upper).q)),
        };
        moved.length() < 0.5 * self.side && turn.c > std::f32::consts::FRAC_1_SQRT_2
    }
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
    let mut outcome = stand(&structure, player)?;
    outcome.values[2] = outcome.values[2].map(|sink| max64(sink, 0.0));
    Ok(outcome)
}
