//! How deep shapes overlap in each engine while a scene goes on, not only where it ends.

use crate::cli::{BenchError, Plan};
use crate::recording::Recording;
use carom_core::math::max64;
use carom_peers::{Box2d, CaromPeer, Peer, Rapier, Work};
use carom_scenes::Scene;
use serde::Serialize;
use std::io::Write;

/// Every so many steps it is looked at.
const EVERY: u32 = 10;

/// What was seen in the second half of a scene.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Overlaps {
    /// The deepest overlap in metres, on average over the looks, and of all looks.
    deepest_mean_m: f64,
    deepest_most_m: f64,
    /// The mean overlap of all points that do overlap, on average over the looks.
    mean_m: f64,
    /// Pairs of shapes with contact points, on average.
    touching: f64,
}

/// A scene as JSON tells it.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    threads: usize,
    steps: u32,
    carom: Overlaps,
    box2d: Overlaps,
    rapier: Overlaps,
}

#[derive(Serialize)]
struct Report {
    overlaps: Vec<Line>,
}

/// Looks at every scene in every engine and prints lines as soon as they are known, or all of them as JSON.
pub(crate) fn execute(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    if !plan.json {
        writeln!(
            out,
            "{:<14} {:<7} {:>7} {:>9} {:>15} {:>15} {:>12}",
            "scene", "engine", "threads", "touching", "deepest, mean m", "deepest, most m", "all, mean m"
        )?;
    }
    let mut lines = Vec::new();
    for &scene in &plan.scenes {
        for &threads in &plan.threads {
            let line = look_at(scene, threads, plan)?;
            if !plan.json {
                for (engine, seen) in [("carom", line.carom), ("box2d", line.box2d), ("rapier", line.rapier)] {
                    writeln!(
                        out,
                        "{:<14} {engine:<7} {threads:>7} {:>9.0} {:>15.4} {:>15.4} {:>12.5}",
                        line.name, seen.touching, seen.deepest_mean_m, seen.deepest_most_m, seen.mean_m
                    )?;
                }
                out.flush()?;
            }
            lines.push(line);
        }
    }
    if plan.json {
        plan.print(out, &Report { overlaps: lines })?;
    }
    Ok(())
}

fn look_at(scene: &'static Scene, threads: usize, plan: &Plan) -> Result<Line, BenchError> {
    let steps = plan.steps.unwrap_or(scene.steps);
    let recording = Recording::of(scene, steps)?;
    let def = carom2d::WorldDef { threads: threads as u32, ..recording.world };
    Ok(Line {
        name: scene.name,
        threads,
        steps,
        carom: overlaps(&recording, &mut CaromPeer::new(def)?, steps)?,
        box2d: overlaps(&recording, &mut Box2d::new(&recording.settings(threads)), steps)?,
        rapier: overlaps(&recording, &mut Rapier::new(&recording.settings(threads), recording.shapes())?, steps)?,
    })
}

fn overlaps(recording: &Recording, peer: &mut dyn Peer, steps: u32) -> Result<Overlaps, BenchError> {
    recording.build(peer)?;
    let (mut seen, mut looks) = (Overlaps::default(), 0.0);
    for step in 0..steps {
        recording.step(peer, step as usize)?;
        if step < steps / 2 || !(steps - 1 - step).is_multiple_of(EVERY) {
            continue;
        }
        let Work { deepest_m, mean_overlap_m, touching, .. } = peer.work();
        looks += 1.0;
        seen.deepest_mean_m += f64::from(deepest_m);
        seen.deepest_most_m = max64(seen.deepest_most_m, f64::from(deepest_m));
        seen.mean_m += f64::from(mean_overlap_m);
        seen.touching += touching as f64;
    }
    Ok(Overlaps {
        deepest_mean_m: seen.deepest_mean_m / looks,
        deepest_most_m: seen.deepest_most_m,
        mean_m: seen.mean_m / looks,
        touching: seen.touching / looks,
    })
}
