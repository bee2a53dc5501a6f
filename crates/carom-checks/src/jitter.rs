//! What each measure against jitter is worth: heaps with all of them, and with one after the other left out.
//! `docs/jitter.md` is made of this.

use crate::validation::{DT, add_floor, deepest_overlap, larger};
use carom_core::Rng;
use carom2d::Measure;
use carom2d::prelude::*;
use std::fmt::Write;

/// Something that should come to rest: its name, what it is, how to build it.
pub struct Heap {
    /// One word.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Fills an empty world, with one of several instances.
    pub build: fn(&mut World, u64),
    /// How many instances there are.
    pub instances: u64,
}

/// All of them.
pub const HEAPS: [Heap; 5] = [
    Heap { name: "stack", summary: "ten boxes on each other", build: stack, instances: 1 },
    Heap { name: "tower", summary: "forty boxes on each other", build: tower, instances: 1 },
    Heap { name: "wall", summary: "twelve courses of bricks, eight in each", build: wall, instances: 1 },
    Heap { name: "discs", summary: "twenty discs that fell into a bin, five times", build: discs, instances: 5 },
    Heap {
        name: "stones",
        summary: "thirty random polygons that fell into a bin, five times",
        build: stones,
        instances: 5,
    },
];

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Without {
    /// Nothing.
    Nothing,
    /// One of the measures, and the initial loads, which would hide most of what it is worth.
    One(Measure),
    /// All sub-steps but one, and the initial loads.
    SubSteps,
    /// Everything of this list but the sub-steps.
    All,
}

/// How still a heap lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Root of the mean square by which velocities change from step to step, over the last two seconds of ten, in m/s.
    pub jitter: f64,
    /// Deepest overlap at the end, in metres.
    pub overlap: f64,
    /// By how much the centre of all bodies sank in the last eight seconds, in metres.
    pub sunk: f64,
}

const SETTLED: usize = 120;
const WATCHED: usize = 480;
const STEPS: usize = 600;

/// Runs all instances of a heap for ten seconds, without sleep, which would hide what there is to see.
pub fn run(heap: &Heap, without: Without) -> Outcome {
    let mut all = Outcome { jitter: 0.0, overlap: 0.0, sunk: 0.0 };
    for instance in 0..heap.instances {
        let Outcome { jitter, overlap, sunk } = run_instance(heap, without, instance);
        all.jitter += jitter * jitter / heap.instances as f64;
        all.overlap = larger(all.overlap, overlap);
        all.sunk = larger(all.sunk, sunk);
    }
    Outcome { jitter: all.jitter.sqrt(), ..all }
}

fn run_instance(heap: &Heap, without: Without, instance: u64) -> Outcome {
    let mut def = WorldDef { sleeping: false, ..WorldDef::default() };
    if without == Without::SubSteps {
        def.substeps = 1;
    }
    let mut world = World::new(def);
    match without {
        Without::One(measure) => [measure, Measure::InitialLoads].into_iter().for_each(|m| world.leave_out(m)),
        Without::All => Measure::ALL.into_iter().for_each(|measure| world.leave_out(measure)),
        Without::SubSteps => world.leave_out(Measure::InitialLoads),
        Without::Nothing => {}
    }
    (heap.build)(&mut world, instance);
    let moving: Vec<BodyId> = world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic).collect();
    let height = |world: &World| {
        moving.iter().map(|&id| f64::from(world.body(id).center().y)).sum::<f64>() / moving.len() as f64
    };
    let (mut squares, mut start) = (0.0, 0.0);
    let mut before: Vec<Vec2> = vec![Vec2::ZERO; moving.len()];
    for step in 0..STEPS {
        for (velocity, &id) in before.iter_mut().zip(&moving) {
            *velocity = world.body(id).velocity();
        }
        world.step(DT);
        if step + 1 == SETTLED {
            start = height(&world);
        }
        if step >= WATCHED {
            let change = |(&id, &velocity): (&BodyId, &Vec2)| (world.body(id).velocity() - velocity).length_squared();
            squares += moving.iter().zip(&before).map(|pair| f64::from(change(pair))).sum::<f64>();
        }
    }
    let samples = (STEPS - WATCHED) * moving.len();
    Outcome {
        jitter: (squares / samples as f64).sqrt(),
        overlap: deepest_overlap(&world),
        sunk: larger(start - height(&world), 0.0),
    }
}

/// Every row of the table, with its name.
pub fn rows() -> Vec<(&'static str, Without)> {
    let name = |measure| match measure {
        Measure::WarmStarting => "warm starting",
        Measure::Softness => "softness (a fifth of an overlap per sub-step instead)",
        Measure::Relaxing => "relaxing (what pushes apart stays as speed)",
        Measure::KeptFrames => "kept frames",
        Measure::ScatteredOrder => "scattered order of contacts",
        Measure::SpeculativeMargin => "speculative margin",
        Measure::TwoPoints => "two points per contact",
        Measure::InitialLoads => "initial loads",
    };
    let mut rows = vec![("nothing", Without::Nothing)];
    // Those that begin with their loads would hide what the others are worth.
    let (first, others): (Vec<Measure>, Vec<Measure>) =
        Measure::ALL.into_iter().partition(|&measure| measure == Measure::InitialLoads);
    rows.extend(first.into_iter().chain(others).map(|measure| (name(measure), Without::One(measure))));
    rows.extend([("sub-steps (one instead of four)", Without::SubSteps), ("all but sub-steps", Without::All)]);
    rows
}

/// `docs/jitter.md`.
pub fn page() -> String {
    let mut page = String::from(PREFACE);
    for heap in &HEAPS {
        let _ = writeln!(page, "\n**{}**: {}\n", heap.name, heap.summary);
        page.push_str("| left out | jitter (mm/s) | deepest overlap (mm) | sunk (mm) |\n|---|---|---|---|\n");
        for (name, without) in rows() {
            let Outcome { jitter, overlap, sunk } = run(heap, without);
            let _ =
                writeln!(page, "| {name} | {:.4} | {:.2} | {:.2} |", 1000.0 * jitter, 1000.0 * overlap, 1000.0 * sunk);
        }
    }
    page
}

const PREFACE: &str = "# Jitter

What each measure against jitter is worth to the default solver: heaps with all of them, then without the loads that what is built at rest begins with, which hide most of the rest, and then with one more left out at a time (`World::leave_out`). Jitter is the root of the mean square by which the velocities of all bodies change from one step to the next, over the last two of ten seconds, with sleep switched off, which would hide it; a disc that still rolls has speed but no jitter. Sunk is how much the centre of all bodies comes down after the second second: heaps that creep, spread or fall. Of several instances the table has the root mean square of the jitter, and the worst of the rest.

Restitution is 0 here; impacts too slow to rebound are told apart without a threshold (`stage/restitution.rs`).

This page is made by `cargo run --release -p carom-checks --example jitter > docs/jitter.md`. The numbers are the same on every machine.
";

fn add(world: &mut World, position: Vec2, angle: f32, shape: ShapeDef) {
    let body = world.add_body(BodyDef { position, angle, ..BodyDef::dynamic() }).expect("body");
    world.add_shape(body, ShapeDef { friction: 0.6, ..shape }).expect("shape");
}

fn stack(world: &mut World, _: u64) {
    boxes(world, 10);
}

fn tower(world: &mut World, _: u64) {
    boxes(world, 40);
}

fn boxes(world: &mut World, count: u8) {
    add_floor(world, 0.6, 0.0);
    for i in 0..count {
        add(world, vec2(0.0, f32::from(i) + 0.5), 0.0, ShapeDef::rectangle(1.0, 1.0));
    }
}

fn wall(world: &mut World, _: u64) {
    add_floor(world, 0.6, 0.0);
    for course in 0..12u8 {
        let y = 0.5 * f32::from(course) + 0.25;
        // Every other course begins and ends with half a brick.
        let shifted = course % 2 == 1;
        for brick in 0..if shifted { 7 } else { 8 } {
            let x = brick as f32 + if shifted { 0.5 } else { 0.0 };
            add(world, vec2(x, y), 0.0, ShapeDef::rectangle(1.0, 0.5));
        }
        if shifted {
            add(world, vec2(-0.25, y), 0.0, ShapeDef::rectangle(0.5, 0.5));
            add(world, vec2(7.25, y), 0.0, ShapeDef::rectangle(0.5, 0.5));
        }
    }
}

/// A floor and two walls.
fn bin(world: &mut World, width: f32) {
    add_floor(world, 0.6, 0.0);
    for side in [-1.0, 1.0] {
        let position = vec2(side * (0.5 * width + 0.5), 5.0);
        let wall = world.add_body(BodyDef { position, ..BodyDef::fixed() }).expect("wall");
        world.add_shape(wall, ShapeDef { friction: 0.6, ..ShapeDef::rectangle(1.0, 12.0) }).expect("wall");
    }
}

fn discs(world: &mut World, instance: u64) {
    bin(world, 4.0);
    let mut rng = Rng::new(instance);
    for i in 0..20 {
        let position = vec2(rng.range(-1.4, 1.4), 0.6 + 0.7 * i as f32);
        add(world, position, 0.0, ShapeDef::circle(rng.range(0.25, 0.5)));
    }
}

fn stones(world: &mut World, instance: u64) {
    bin(world, 5.0);
    let mut rng = Rng::new(instance);
    for i in 0..30 {
        let corner = |rng: &mut Rng| vec2(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5));
        let shape = loop {
            let corners: Vec<Vec2> = (0..8).map(|_| corner(&mut rng)).collect();
            let shape = ShapeDef::convex(&corners);
            if shape.build().is_ok_and(|geometry| geometry.area() > 0.2) {
                break shape;
            }
        };
        add(world, vec2(rng.range(-1.8, 1.8), 0.7 + 0.6 * i as f32), rng.range(-3.0, 3.0), shape);
    }
}
