//! What a body costs in worlds of more and more bodies, and in a crowd at one point; what a quadtree saves.

use crate::cli::{BenchError, Plan};
use crate::measure::{Clock, time_steps};
use carom_core::Rng;
use carom_core::math::{max64, min64};
use carom2d::prelude::*;
use serde::Serialize;
use std::io::Write;

/// A world as JSON tells it.
#[derive(Serialize)]
struct Line {
    /// Boxes; the ground is not counted.
    bodies: usize,
    awake: usize,
    contacts: usize,
    /// Milliseconds per step.
    ms: f64,
    /// Microseconds per step and box.
    us_per_body: f64,
}

#[derive(Serialize)]
struct Report {
    clock: Clock,
    repeats: u32,
    worlds: Vec<Line>,
    crowd: Crowd,
    quadtree: QuadtreeCost,
}

/// Moving discs in a quadtree, nearly all of which leave their fat boxes in every step.
#[derive(Serialize)]
struct QuadtreeCost {
    bodies: usize,
    /// Milliseconds of a step for finding pairs.
    pairs_ms: f64,
    /// Milliseconds of a step for all that follows the solver, in which boxes are moved in the tree.
    finalize_ms: f64,
    /// Milliseconds for comparing each fat box with each other one.
    brute_force_ms: f64,
    /// Pairs of fat boxes that overlap at the end.
    overlaps: usize,
}

/// Discs put at one point, over the first two seconds.
#[derive(Serialize)]
struct Crowd {
    bodies: usize,
    /// Milliseconds of a step: of all of them on average, and of the slowest.
    mean_ms: f64,
    worst_ms: f64,
}

const DT: f32 = 1.0 / 60.0;
/// How many boxes are awake in a world, and how many asleep in another.
const AWAKE: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
const ASLEEP: usize = 50_000;
/// So many steps are timed together.
const RUN: u32 = 100;
/// After this many steps everything must be asleep: ten seconds.
const PATIENCE: u32 = 600;
/// Boxes at the base of a pyramid, and the room it has.
const BASE: u16 = 10;
const SPACING: f32 = 11.0;

/// Pyramids as in the scene `many_pyramids`, in as many floors as columns, until there are `count` boxes. Of
/// the last pyramid only the lower rows may be there.
fn pyramids(count: usize, sleeping: bool) -> Result<World, DefError> {
    let mut world = World::new(WorldDef { sleeping, ..WorldDef::default() });
    let ground = world.add_body(BodyDef::fixed())?;
    let per_pyramid = usize::from(BASE * (BASE + 1) / 2);
    let columns = (1..).find(|side: &u16| usize::from(*side).pow(2) * per_pyramid >= count).unwrap_or(u16::MAX);
    let brick = ShapeDef { contact_events: false, ..ShapeDef::rectangle(1.0, 1.0) };
    let mut left = count;
    'all: for floor in 0..columns {
        let y = SPACING * f32::from(floor);
        let ends = [0.0, SPACING * f32::from(columns)].map(|x| vec2(x, y));
        world.add_shape(ground, ShapeDef { contact_events: false, ..ShapeDef::segment(ends[0], ends[1]) })?;
        for column in 0..columns {
            for row in 0..BASE {
                for place in 0..BASE - row {
                    if left == 0 {
                        break 'all;
                    }
                    left -= 1;
                    let x = SPACING * f32::from(column) + 1.0 + 0.5 * f32::from(row) + f32::from(place);
                    let position = vec2(x, y + 0.5 + f32::from(row));
                    let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() })?;
                    world.add_shape(body, brick.clone())?;
                }
            }
        }
    }
    Ok(world)
}

fn line(bodies: usize, mut world: World, plan: &Plan) -> Line {
    // As many steps as take a second or so, few enough for the largest world and enough for the smallest. They are timed
    // in runs of a hundred: of a small world those are over before something else wants the machine.
    let steps = (500_000 / bodies.max(1)).clamp(10, 20_000) as u32;
    let (runs, steps) = (steps.div_ceil(RUN) * plan.repeats, steps.min(RUN) + 1);
    // The world that goes on is the same world at rest: no run does more than another.
    let run = |_| time_steps(plan.clock, steps, || world.step(DT));
    let ms = (0..runs).map(run).fold(f64::INFINITY, min64);
    let us_per_body = ms * 1.0e3 / bodies.max(1) as f64;
    Line { bodies, awake: world.awake_body_count(), contacts: world.contact_count(), ms, us_per_body }
}

/// Times a thousand discs at one point, half a million pairs, while they leave each other.
fn crowd(plan: &Plan) -> Result<Crowd, DefError> {
    const STEPS: u32 = 120;
    let mut crowd = Crowd { bodies: 1_000, mean_ms: f64::INFINITY, worst_ms: f64::INFINITY };
    for _ in 0..plan.repeats {
        let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
        for _ in 0..crowd.bodies {
            let body = world.add_body(BodyDef::dynamic())?;
            world.add_shape(body, ShapeDef::circle(0.1))?;
        }
        let times: Vec<f64> = (0..STEPS).map(|_| plan.clock.time(|| world.step(DT))).collect();
        let worst = times.iter().copied().fold(0.0, max64);
        crowd.mean_ms = min64(crowd.mean_ms, times.iter().sum::<f64>() / f64::from(STEPS));
        crowd.worst_ms = min64(crowd.worst_ms, worst);
    }
    Ok(crowd)
}

/// Discs that drift through a quadtree: the least time of a step, beside that of comparing all pairs.
fn quadtree(plan: &Plan) -> Result<QuadtreeCost, DefError> {
    const BODIES: u16 = 10_000;
    const STEPS: u32 = 60;
    // Up to 0.33 m in a step, where the margin of a fat box is at most 0.05 m.
    const SPEED: f32 = 20.0;
    let mut cost = QuadtreeCost {
        bodies: BODIES.into(),
        pairs_ms: f64::INFINITY,
        finalize_ms: f64::INFINITY,
        brute_force_ms: f64::INFINITY,
        overlaps: 0,
    };
    let broad_phase = BroadPhaseKind::Quadtree(QuadtreeDef::default());
    let def = WorldDef { gravity: Vec2::ZERO, sleeping: false, broad_phase, ..WorldDef::default() };
    for repeat in 0..plan.repeats {
        let mut rng = Rng::new(repeat.into());
        let mut world = World::new(def);
        for _ in 0..BODIES {
            let mut place = || vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let (position, velocity) = (60.0 * place(), SPEED * place());
            let body = world.add_body(BodyDef { position, velocity, ..BodyDef::kinematic() })?;
            world.add_shape(body, ShapeDef { sensor: true, ..ShapeDef::circle(0.25) })?;
        }
        world.set_profiling(true);
        let spent = |world: &World, name: &str| {
            1.0e3 * world.stage_times().filter(|(stage, _)| stage.name() == name).map(|(_, s)| s).sum::<f64>()
        };
        for _ in 0..STEPS {
            let before = (spent(&world, "pairs"), spent(&world, "finalize"));
            world.step(DT);
            cost.pairs_ms = min64(cost.pairs_ms, spent(&world, "pairs") - before.0);
            cost.finalize_ms = min64(cost.finalize_ms, spent(&world, "finalize") - before.1);
        }
        let boxes: Vec<Aabb> = world.shapes().filter_map(|shape| world.fat_aabb(shape)).collect();
        let (overlaps, brute_force_ms) = brute_force(&boxes);
        cost.overlaps = overlaps;
        cost.brute_force_ms = min64(cost.brute_force_ms, brute_force_ms);
    }
    Ok(cost)
}

/// How many pairs of boxes overlap, by trying each with each other one, and how many milliseconds that takes: the sum of
/// the least times of slices that are over before something else wants the machine.
fn brute_force(boxes: &[Aabb]) -> (usize, f64) {
    const ROWS: usize = 100;
    const TRIES: u32 = 10;
    let boxes = std::hint::black_box(boxes);
    let later = |i: usize| boxes[i + 1..].iter().filter(|other| boxes[i].overlaps(other)).count();
    let (mut overlaps, mut ms) = (0, 0.0);
    for start in (0..boxes.len()).step_by(ROWS) {
        let rows = start..boxes.len().min(start + ROWS);
        let (mut found, mut least) = (0, f64::INFINITY);
        for _ in 0..TRIES {
            let start = std::time::Instant::now();
            found = rows.clone().map(later).sum();
            least = min64(least, 1.0e3 * start.elapsed().as_secs_f64());
        }
        overlaps += found;
        ms += least;
    }
    (overlaps, ms)
}

fn print_quadtree(cost: &QuadtreeCost, out: &mut dyn Write) -> Result<(), BenchError> {
    let QuadtreeCost { bodies, pairs_ms, finalize_ms, brute_force_ms, overlaps } = cost;
    writeln!(
        out,
        "{bodies} moving discs in a quadtree: pairs {pairs_ms:.3} ms (and {finalize_ms:.3} ms for moving them), all pairs by \
         brute force {brute_force_ms:.1} ms ({overlaps} overlap): {:.0} times as long",
        brute_force_ms / pairs_ms
    )?;
    Ok(())
}

/// Times the quadtree alone.
pub(crate) fn execute_quadtree(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    let quadtree = quadtree(plan)?;
    if plan.json { plan.print(out, &quadtree) } else { print_quadtree(&quadtree, out) }
}

/// Times a world of every size, one that sleeps, and a crowd.
pub(crate) fn execute(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    if !plan.json {
        writeln!(out, "{:>8} {:>8} {:>9} {:>12} {:>12}", "bodies", "awake", "contacts", "us/step", "us/step/body")?;
    }
    let mut lines = Vec::new();
    for (count, asleep) in AWAKE.into_iter().map(|count| (count, false)).chain([(ASLEEP, true)]) {
        let mut world = pyramids(count, asleep)?;
        if asleep {
            let rested = (0..PATIENCE).any(|_| {
                world.step(DT);
                world.awake_body_count() == 0
            });
            if !rested {
                return Err(BenchError::Usage(format!("{} boxes do not fall asleep", world.awake_body_count())));
            }
        }
        let line = line(count, world, plan);
        if !plan.json {
            writeln!(
                out,
                "{:>8} {:>8} {:>9} {:>12.3} {:>12.4}",
                line.bodies,
                line.awake,
                line.contacts,
                line.ms * 1.0e3,
                line.us_per_body
            )?;
            out.flush()?;
        }
        lines.push(line);
    }
    let crowd = crowd(plan)?;
    let quadtree = quadtree(plan)?;
    if plan.json {
        plan.print(out, &Report { clock: plan.clock, repeats: plan.repeats, worlds: lines, crowd, quadtree })?;
    } else {
        let Crowd { bodies, mean_ms, worst_ms } = crowd;
        writeln!(out, "{bodies} discs at one point: {worst_ms:.1} ms for the slowest step, {mean_ms:.1} on average")?;
        print_quadtree(&quadtree, out)?;
    }
    Ok(())
}
