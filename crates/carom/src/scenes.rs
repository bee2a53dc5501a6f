//! `carom scenes`: what there is to run.

use crate::failure::Failure;
use carom_scenes::{BuildOptions, Scene, all};
use serde::Serialize;
use std::io::Write;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print a JSON array of objects with name, summary, group, steps, dt and bodies
    #[arg(long)]
    json: bool,
}

/// A scene as JSON tells it.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    group: &'static str,
    /// Default length of a run.
    steps: u32,
    /// Length of a step in seconds.
    dt: f64,
    /// How many bodies there are at the start.
    bodies: usize,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if args.json {
        let entries = all().iter().map(entry).collect::<Result<Vec<Entry>, Failure>>()?;
        let text = serde_json::to_string_pretty(&entries).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        let width = all().iter().map(|scene| scene.name.len()).max().unwrap_or(0);
        for scene in all() {
            writeln!(out, "{:width$}  {}", scene.name, scene.summary)?;
        }
    }
    Ok(())
}

fn entry(scene: &'static Scene) -> Result<Entry, Failure> {
    let bodies = scene.build(&BuildOptions::default())?.world.body_count();
    let Scene { name, summary, steps, .. } = *scene;
    Ok(Entry { name, summary, group: scene.group.name(), steps, dt: scene.seconds(1), bodies })
}
