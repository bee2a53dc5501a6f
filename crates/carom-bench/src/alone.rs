//! carom's scenes by themselves.

use crate::cli::{BenchError, Plan};
use crate::measure::{Clock, Timed, time_steps};
use carom_peers::Work;
use carom_scenes::{BuildOptions, Scene};
use serde::Serialize;
use std::io::Write;

/// A scene as JSON tells it.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    threads: usize,
    steps: u32,
    carom_ms: f64,
    carom: Work,
}

#[derive(Serialize)]
struct Report {
    clock: Clock,
    repeats: u32,
    scenes: Vec<Line>,
}

/// The most threads that carom can use.
pub(crate) const MOST_THREADS: usize = 64;

/// One repeat of a scene in carom. `threads` is at most [`MOST_THREADS`].
pub(crate) fn repeat(scene: &'static Scene, steps: u32, threads: usize, clock: Clock) -> Result<Timed, BenchError> {
    debug_assert!(threads <= MOST_THREADS);
    let mut run = scene.build(&BuildOptions { threads: Some(threads as u32), ..BuildOptions::default() })?;
    let ms = time_steps(clock, steps, || run.step());
    Ok(Timed { ms, work: Work::of(&run.world) })
}

/// Times every scene and prints a line for each as soon as it is known, or all of them as JSON.
pub(crate) fn execute(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    let mut lines = Vec::new();
    if !plan.json {
        writeln!(
            out,
            "{:<14} {:>7} {:>6} {:>10} {:>7} {:>7} {:>9} {:>9} {:>10} {:>8}",
            "scene", "threads", "steps", "ms/step", "bodies", "awake", "contacts", "touching", "deepest m", "m/s"
        )?;
    }
    for &scene in &plan.scenes {
        for &threads in &plan.threads {
            let steps = plan.steps.unwrap_or(scene.steps);
            let mut best = repeat(scene, steps, threads, plan.clock)?;
            for _ in 1..plan.repeats {
                best = best.or_faster(repeat(scene, steps, threads, plan.clock)?);
            }
            let Timed { ms, work } = best;
            if !plan.json {
                writeln!(
                    out,
                    "{:<14} {threads:>7} {steps:>6} {ms:>10.4} {:>7} {:>7} {:>9} {:>9} {:>10.4} {:>8.2}",
                    scene.name, work.bodies, work.awake, work.contacts, work.touching, work.deepest_m, work.fastest_m_s
                )?;
                out.flush()?;
            }
            lines.push(Line { name: scene.name, threads, steps, carom_ms: ms, carom: work });
        }
    }
    if plan.json {
        plan.print(out, &Report { clock: plan.clock, repeats: plan.repeats, scenes: lines })?;
    }
    Ok(())
}
