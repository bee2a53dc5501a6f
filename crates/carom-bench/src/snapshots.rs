//! What it costs to save a world and to restore it, by scene: halfway through its steps, into the same buffer and the same
//! world again and again, as rollback does.

use crate::cli::{BenchError, Plan};
use crate::measure::Clock;
use carom_core::math::min64;
use carom_scenes::{BuildOptions, Scene};
use serde::Serialize;
use std::io::Write;

/// So often is a world saved, and restored, each time that is measured.
const TIMES: u32 = 20;

/// A scene as JSON tells it.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    bodies: usize,
    contacts: usize,
    bytes: usize,
    bytes_per_body: f64,
    save_us_per_body: f64,
    restore_us_per_body: f64,
    /// Of the worlds's next step, for comparison.
    step_us_per_body: f64,
}

#[derive(Serialize)]
struct Report {
    clock: Clock,
    repeats: u32,
    snapshots: Vec<Line>,
}

fn measure(scene: &'static Scene, plan: &Plan) -> Result<Line, BenchError> {
    let mut run = scene.build(&BuildOptions::default())?;
    (0..plan.steps.unwrap_or(scene.steps) / 2).for_each(|_| run.step());
    let dt = run.dt();
    let world = &mut run.world;
    let bodies = world.body_count();
    let mut bytes = Vec::new();
    world.save(&mut bytes);
    let (mut save, mut restore, mut step) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let own = "a snapshot of this world";
    for _ in 0..plan.repeats {
        // The caches of the world that was stepped are what a game has when it saves.
        world.step(dt);
        let mut last = Vec::new();
        world.save(&mut last);
        save = min64(save, plan.clock.time(|| (0..TIMES).for_each(|_| world.save(&mut last))));
        restore = min64(restore, plan.clock.time(|| (0..TIMES).for_each(|_| world.restore(&bytes).expect(own))));
        step = min64(step, plan.clock.time(|| world.step(dt)));
        world.restore(&bytes).expect(own);
    }
    let per_body = |ms: f64| 1.0e3 * ms / bodies as f64;
    Ok(Line {
        name: scene.name,
        bodies,
        contacts: world.contact_count(),
        bytes: bytes.len(),
        bytes_per_body: bytes.len() as f64 / bodies as f64,
        save_us_per_body: per_body(save) / f64::from(TIMES),
        restore_us_per_body: per_body(restore) / f64::from(TIMES),
        step_us_per_body: per_body(step),
    })
}

/// Measures every scene and prints a line for each as soon as it is known, or all of them as JSON.
pub(crate) fn execute(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    let mut lines = Vec::new();
    if !plan.json {
        writeln!(
            out,
            "{:<16} {:>7} {:>9} {:>10} {:>10} {:>14} {:>17} {:>14}",
            "scene", "bodies", "contacts", "bytes", "bytes/body", "save us/body", "restore us/body", "step us/body"
        )?;
    }
    for &scene in &plan.scenes {
        let line = measure(scene, plan)?;
        if !plan.json {
            writeln!(
                out,
                "{:<16} {:>7} {:>9} {:>10} {:>10.1} {:>14.3} {:>17.3} {:>14.3}",
                line.name,
                line.bodies,
                line.contacts,
                line.bytes,
                line.bytes_per_body,
                line.save_us_per_body,
                line.restore_us_per_body,
                line.step_us_per_body
            )?;
            out.flush()?;
        }
        lines.push(line);
    }
    if plan.json {
        plan.print(out, &Report { clock: plan.clock, repeats: plan.repeats, snapshots: lines })?;
    }
    Ok(())
}
