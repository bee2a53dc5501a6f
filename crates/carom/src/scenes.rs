//! `carom scenes`: what there is to run.

use crate::failure::Failure;
use carom_scenes::{Entry, Run, entries};
use serde::Serialize;
use std::io::Write;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print a JSON array of objects with name, summary, group, steps, dt and bodies
    ///
    /// Particles count as bodies.
    #[arg(long)]
    json: bool,
}

/// A scene as JSON tells it.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    summary: &'static str,
    group: &'static str,
    /// Default length of a run.
    steps: u32,
    /// Length of a step in seconds.
    dt: f64,
    /// How many bodies or particles there are at the start.
    bodies: usize,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if args.json {
        let lines = entries().map(line).collect::<Result<Vec<Line>, Failure>>()?;
        let text = serde_json::to_string_pretty(&lines).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        let width = entries().map(|entry| entry.name().len()).max().unwrap_or(0);
        let group_width = entries().map(|entry| entry.group().name().len()).max().unwrap_or(0);
        for entry in entries() {
            let (name, group, summary) = (entry.name(), entry.group().name(), entry.summary());
            writeln!(out, "{name:width$}  {group:group_width$}  {summary}")?;
        }
    }
    Ok(())
}

fn line(entry: Entry) -> Result<Line, Failure> {
    let run = entry.build()?;
    let bodies = match &run {
        Run::Rigid(run) => run.world.body_count(),
        Run::Particles(run) => run.scene.system.particle_count(),
        Run::Solid(run) => run.scene.world.body_count(),
    };
    let about = run.about();
    Ok(Line {
        name: entry.name(),
        summary: entry.summary(),
        group: entry.group().name(),
        steps: about.steps,
        dt: about.dt,
        bodies,
    })
}
