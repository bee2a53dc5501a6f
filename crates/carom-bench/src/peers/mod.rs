//! carom beside other engines, in one process, by turns.

mod expected;
pub(crate) mod overlaps;

use crate::alone;
use crate::cli::{BenchError, Plan};
use crate::measure::{Clock, Timed, time_steps};
use crate::recording::Recording;
use carom_peers::{Box2d, Peer, Rapier, Unsupported, Work};
use carom_scenes::Scene;
use serde::Serialize;
use std::io::Write;

/// A scene as JSON tells it: milliseconds per step, and carom's over those of the others.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    threads: usize,
    steps: u32,
    carom_ms: f64,
    box2d_ms: f64,
    rapier_ms: f64,
    ratio_box2d: f64,
    ratio_rapier: f64,
    carom: Work,
    box2d: Work,
    rapier: Work,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    clock: Clock,
    repeats: u32,
    build: String,
    scenes: Vec<Line>,
}

/// Times every scene in every engine and prints lines as soon as they are known, or all of them as JSON.
pub(crate) fn execute(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    if !plan.json {
        writeln!(out, "{}", build())?;
        writeln!(
            out,
            "{:<14} {:<7} {:>7} {:>10} {:>7} {:>7} {:>7} {:>9} {:>9} {:>10} {:>8}",
            "scene",
            "engine",
            "threads",
            "ms/step",
            "ratio",
            "bodies",
            "awake",
            "contacts",
            "touching",
            "deepest m",
            "m/s"
        )?;
    }
    let mut lines = Vec::new();
    for &scene in &plan.scenes {
        for &threads in &plan.threads {
            let line = compare(scene, threads, plan)?;
            if !plan.json {
                print(&line, out)?;
            }
            lines.push(line);
        }
    }
    if plan.json {
        let report = Report { clock: plan.clock, repeats: plan.repeats, build: build(), scenes: lines };
        plan.print(out, &report)?;
    } else {
        writeln!(
            out,
            "carom's time over theirs, geometric mean: Box2D {:.3}, Rapier {:.3} (below 1: carom is faster)",
            geometric_mean(&lines, |line| line.ratio_box2d),
            geometric_mean(&lines, |line| line.ratio_rapier)
        )?;
    }
    Ok(())
}

/// The mean of ratios, in which half as fast and twice as fast cancel.
#[allow(clippy::disallowed_methods)] // Only printed: it need not be the same bits everywhere.
fn geometric_mean(lines: &[Line], ratio: fn(&Line) -> f64) -> f64 {
    let logarithms = lines.iter().map(|line| ratio(line).ln()).sum::<f64>();
    (logarithms / lines.len().max(1) as f64).exp()
}

/// What the engines were compiled for.
fn build() -> String {
    let target = if cfg!(target_feature = "avx512f") {
        "with AVX-512"
    } else if cfg!(target_feature = "avx2") {
        "with AVX2"
    } else {
        "for any machine of this kind"
    };
    let compiler = option_env!("CC").unwrap_or("cc");
    let flags = option_env!("CFLAGS").unwrap_or("its default flags");
    format!("carom and Rapier are compiled {target}, Box2D with AVX2 by {compiler} {flags}")
}

/// All repeats of a scene: in each of them every engine has its turn.
fn compare(scene: &'static Scene, threads: usize, plan: &Plan) -> Result<Line, BenchError> {
    let steps = plan.steps.unwrap_or(scene.steps);
    let recording = Recording::of(scene, steps)?;
    let turn = || -> Result<[Timed; 3], BenchError> {
        Ok([
            alone::repeat(scene, steps, threads, plan.clock)?,
            repeat(&recording, &mut Box2d::new(&recording.settings(threads)), steps, plan.clock)?,
            repeat(&recording, &mut Rapier::new(&recording.settings(threads), recording.shapes())?, steps, plan.clock)?,
        ])
    };
    let mut best = turn()?;
    for _ in 1..plan.repeats {
        for (best, other) in best.iter_mut().zip(turn()?) {
            *best = best.or_faster(other);
        }
    }
    let [carom, box2d, rapier] = best;
    let warnings = if steps == scene.steps { expected::differences(scene.name, &box2d.work) } else { Vec::new() };
    Ok(Line {
        name: scene.name,
        threads,
        steps,
        carom_ms: carom.ms,
        box2d_ms: box2d.ms,
        rapier_ms: rapier.ms,
        ratio_box2d: carom.ms / box2d.ms,
        ratio_rapier: carom.ms / rapier.ms,
        carom: carom.work,
        box2d: box2d.work,
        rapier: rapier.work,
        warnings,
    })
}

/// One repeat of a scene in another engine.
fn repeat(recording: &Recording, peer: &mut dyn Peer, steps: u32, clock: Clock) -> Result<Timed, Unsupported> {
    recording.build(peer)?;
    let (mut number, mut result) = (0, Ok(()));
    let ms = time_steps(clock, steps, || {
        if result.is_ok() {
            result = recording.step(peer, number);
        }
        number += 1;
    });
    result?;
    Ok(Timed { ms, work: peer.work() })
}

fn print(line: &Line, out: &mut dyn Write) -> Result<(), BenchError> {
    let rows = [
        ("carom", line.carom_ms, None, line.carom),
        ("box2d", line.box2d_ms, Some(line.ratio_box2d), line.box2d),
        ("rapier", line.rapier_ms, Some(line.ratio_rapier), line.rapier),
    ];
    for (engine, ms, ratio, work) in rows {
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.3}"));
        writeln!(
            out,
            "{:<14} {engine:<7} {:>7} {ms:>10.4} {ratio:>7} {:>7} {:>7} {:>9} {:>9} {:>10.4} {:>8.2}",
            line.name,
            line.threads,
            work.bodies,
            work.awake,
            work.contacts,
            work.touching,
            work.deepest_m,
            work.fastest_m_s
        )?;
    }
    for warning in &line.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    out.flush()?;
    Ok(())
}
