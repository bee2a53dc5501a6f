//! `carom validate`: the accuracy sheet, and problem families.

use crate::failure::Failure;
use crate::progress::Progress;
use carom_checks::families::cli::{self, FamilyError};
use carom_checks::peers::peers_of;
use carom_checks::sheet::{self, Section};
use carom_checks::validation::{Check, GROUPS};
use serde::Serialize;
use std::io::Write;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only groups of this name, problems of this number, or checks with this word in their name
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Print a JSON array of objects with id, group, expected, value, error, gate, goal, pass_gate and pass_goal
    ///
    /// Where they are known, also with the errors of other engines as box2d, rapier and chipmunk (null: it
    /// exploded), and with the reason for a missed gate as known_gap. With --families an object per family: name,
    /// title, seed, instances, passed, stood, worst, median, gate, goal, holds, measures (all that is measured; worst to
    /// goal are of the first), failures, and with --peers box2d and rapier with the same (null: fell or exploded).
    #[arg(long)]
    json: bool,
    /// Print a page in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    families: cli::Args,
}

/// A check as JSON tells it.
#[derive(Serialize)]
struct Line {
    id: String,
    group: &'static str,
    /// The known answer; null where the error is all there is to know.
    expected: Option<f64>,
    /// What was measured in its place, or else the error.
    value: f64,
    error: f64,
    gate: f64,
    goal: Option<f64>,
    pass_gate: bool,
    pass_goal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    box2d: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rapier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chipmunk: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known_gap: Option<&'static str>,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if args.families.families {
        return families(args, out);
    }
    let mut progress = Progress::of_groups(GROUPS.len() as u32);
    let sections = sheet::measure(&args.words, |group, name| progress.at_group(group as u32, name));
    drop(progress);
    if sections.is_empty() {
        let groups: Vec<&str> = GROUPS.iter().map(|&(name, _)| name).collect();
        return Err(Failure::Usage(format!(
            "nothing to measure is called {}\nname a group ({}), the number of a problem, or a word of its name",
            args.words.join(" or "),
            groups.join(", ")
        )));
    }
    if args.json {
        let text = serde_json::to_string_pretty(&lines(&sections)).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
    } else if args.markdown {
        write!(out, "{}", sheet::markdown(&sections))?;
    } else {
        write!(out, "{}", sheet::text(&sections))?;
    }
    let passed = sections.iter().flat_map(|section| &section.checks).all(Check::passes);
    if passed { Ok(()) } else { Err(Failure::NotPassed) }
}

fn families(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut progress = None;
    let at = |done: usize, count: usize, name: &str| {
        let bar = progress.get_or_insert_with(|| Progress::of_families(count as u32));
        bar.at_group(done as u32, name);
    };
    match cli::execute(&args.families, &args.words, args.json, out, at) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::NotPassed),
        Err(FamilyError::Usage(message)) => Err(Failure::Usage(message)),
        Err(FamilyError::Io(error)) => Err(error.into()),
    }
}

fn lines(sections: &[Section]) -> Vec<Line> {
    sections.iter().flat_map(|section| section.checks.iter().map(|check| line(section.group, check))).collect()
}

fn line(group: &'static str, check: &Check) -> Line {
    let peers = peers_of(&check.id);
    Line {
        id: check.id.clone(),
        group,
        expected: check.expected,
        value: check.measured.unwrap_or(check.value),
        error: check.value,
        gate: check.gate,
        goal: check.goal,
        pass_gate: check.passes(),
        pass_goal: check.reaches_goal(),
        box2d: peers.and_then(|peers| peers.box2d),
        rapier: peers.and_then(|peers| peers.rapier),
        chipmunk: peers.and_then(|peers| peers.chipmunk),
        known_gap: sheet::known_gap(check).map(|gap| gap.why),
    }
}
