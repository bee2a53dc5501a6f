//! Arguments of `carom validate --families`, and what they ask for.

use super::{FAMILIES, Family, Report, json, run, select, text};
use std::fmt;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Which instances are drawn, and who plays them.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "families_args")]
pub struct Args {
    /// Draw problem families: many random instances of each problem, the worst counts
    ///
    /// WORDs are then names of families such as A1, their letters, or words of their titles such as towers.
    #[arg(long, conflicts_with = "markdown")]
    pub families: bool,
    /// Number from which instances are drawn; a fresh one unless given
    #[arg(long, value_name = "S", requires = "families")]
    pub seed: Option<u64>,
    /// How many instances of each family, instead of its own number
    #[arg(long, value_name = "N", requires = "families", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub instances: Option<u32>,
    /// Only the instance of this number, counted from 0; for repeating one that failed
    #[arg(long, value_name = "K", requires = "seed", conflicts_with = "instances")]
    pub only: Option<u32>,
    /// Play the same instances to Box2D and Rapier; needs a build with the feature `peers`
    #[arg(long, requires = "families")]
    pub peers: bool,
}

/// What was wrong.
#[derive(Debug)]
pub enum FamilyError {
    /// With the arguments.
    Usage(String),
    /// With the output.
    Io(std::io::Error),
}

impl fmt::Display for FamilyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FamilyError::Usage(message) => f.write_str(message),
            FamilyError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FamilyError {}

impl From<std::io::Error> for FamilyError {
    fn from(error: std::io::Error) -> FamilyError {
        FamilyError::Io(error)
    }
}

/// Plays the families that the words select and prints each as soon as it is done, or all as JSON. `at` is told how
/// many of how many families are done and which comes next. True if every gate holds.
pub fn execute(
    args: &Args,
    words: &[String],
    json_output: bool,
    out: &mut dyn Write,
    mut at: impl FnMut(usize, usize, &str),
) -> Result<bool, FamilyError> {
    if args.peers && !cfg!(feature = "peers") {
        return Err(FamilyError::Usage(
            "this build has no other engines in it, for --peers: \
             `cargo build --release -p carom --features peers`"
                .to_string(),
        ));
    }
    let families = select(words);
    if families.is_empty() {
        return Err(FamilyError::Usage(nothing_called(words)));
    }
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut reports = Vec::new();
    for (done, &family) in families.iter().enumerate() {
        at(done, families.len(), family.name);
        let report = play(family, seed, args, threads);
        if !json_output {
            writeln!(out, "{}", text(&report))?;
            out.flush()?;
        }
        reports.push(report);
    }
    let holding = reports.iter().filter(|report| report.holds()).count();
    if json_output {
        let text = serde_json::to_string_pretty(&json(&reports)).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        writeln!(out, "{} families: {holding} hold, {} fail; seed {seed}", reports.len(), reports.len() - holding)?;
    }
    Ok(holding == reports.len())
}

fn play(family: &'static Family, seed: u64, args: &Args, threads: usize) -> Report {
    match args.only {
        Some(instance) => run(family, seed, std::iter::once(instance), args.peers, threads),
        None => run(family, seed, 0..args.instances.unwrap_or(family.instances), args.peers, threads),
    }
}

fn nothing_called(words: &[String]) -> String {
    let families = FAMILIES.iter().copied().flatten();
    let names: Vec<String> = families.map(|family| format!("{} {}", family.name, family.title)).collect();
    format!("no family is called {}; there are {}", words.join(" or "), names.join(", "))
}

/// A seed that no earlier run had, short enough to type.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    carom_core::Rng::new(now ^ u64::from(std::process::id()) << 32).next_u64() % 1_000_000_000
}
