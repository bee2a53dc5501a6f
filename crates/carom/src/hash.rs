//! `carom hash`: the golden hashes.

use crate::failure::Failure;
use crate::progress::Progress;
use carom_scenes::{Entry, entries, find_entry};
use serde::Serialize;
use std::io::Write;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of a built-in scene
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    scene: Option<String>,

    /// Every built-in scene
    #[arg(long)]
    all: bool,

    /// Print a JSON array of objects with name, engine, steps and hash
    #[arg(long)]
    json: bool,
}

/// A hash as JSON has it: in hexadecimal, since JSON's numbers end at 2^53.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    engine: &'static str,
    steps: u32,
    hash: String,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let scenes: Vec<Entry> = match &args.scene {
        Some(name) => vec![find_entry(name)?],
        None => entries().collect(),
    };
    let width = scenes.iter().map(|scene| scene.name().len()).max().unwrap_or(0);
    let mut progress = Progress::of_groups(u32::try_from(scenes.len()).unwrap_or(u32::MAX));
    let mut lines = Vec::new();
    for (done, scene) in (0..).zip(&scenes) {
        progress.at_group(done, scene.name());
        let golden = scene.golden()?;
        if args.json {
            let hash = format!("{:#018x}", golden.hash);
            lines.push(Line { name: golden.name, engine: golden.engine, steps: golden.steps, hash });
        } else {
            writeln!(out, "{:width$} {:>4} {:#018x}", golden.name, golden.steps, golden.hash)?;
        }
    }
    if args.json {
        let text = serde_json::to_string_pretty(&lines).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
    }
    Ok(())
}
