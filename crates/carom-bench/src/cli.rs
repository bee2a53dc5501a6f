//! What `carom bench` can be asked.

use crate::alone::{self, MOST_THREADS};
use crate::corners;
use crate::growth;
use crate::measure::Clock;
use crate::snapshots;
use carom_peers::Unsupported;
use carom_scenes::{Group, Scene, UnknownScene, find, find_entry};
use carom2d::DefError;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Scenes to time; without any, the ten benchmark scenes
    #[arg(value_name = "SCENE")]
    scenes: Vec<String>,
    /// Run each scene this often, in a fresh world, and keep the fastest run
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Numbers of threads to try, separated by commas
    #[arg(long, value_name = "N", default_value = "1", value_delimiter = ',')]
    threads: Vec<usize>,
    /// Steps of each run, the first of which is not timed, instead of the scene's own number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    steps: Option<u32>,
    /// Which time counts
    #[arg(long, value_enum, default_value_t)]
    clock: Clock,
    /// Compare with Box2D and Rapier on the same scenes, by turns, in this process
    ///
    /// Beside the times stand the work that each did and the ratios of carom's time to theirs: below 1, carom
    /// is faster. Needs a build with the feature `peers`.
    #[arg(long, conflicts_with = "growth")]
    peers: bool,
    /// Instead of the time, compare how deep shapes overlap in carom, Box2D and Rapier
    ///
    /// Looked at every tenth step over the second half of each scene. Needs a build with the feature `peers`.
    #[arg(long, conflicts_with_all = ["growth", "peers", "repeats", "clock"])]
    overlaps: bool,
    /// Time worlds of 10 to 100,000 boxes, one that sleeps, a crowd at one point, and a quadtree of 10,000 moving discs beside
    /// trying all pairs, instead of scenes
    #[arg(long, conflicts_with_all = ["scenes", "steps"])]
    growth: bool,
    /// Time only the quadtree of --growth
    #[arg(long, conflicts_with_all = ["scenes", "steps", "threads", "growth", "peers", "overlaps"])]
    quadtree: bool,
    /// Time polygons of 4 to 1000 corners, by bisection and by trying all corners, instead of scenes
    #[arg(long, conflicts_with_all = ["scenes", "steps", "growth", "quadtree", "peers", "overlaps", "json"])]
    corners: bool,
    /// Instead of steps, measure what it takes to save and restore the world halfway through each scene
    #[arg(long, conflicts_with_all = ["growth", "quadtree", "peers", "overlaps", "corners", "threads"])]
    snapshots: bool,
    /// Print JSON
    ///
    /// Of scenes `{"scenes": [{"name", "threads", "steps", "carom_ms", "carom": {..}}]}`, milliseconds being
    /// those of one step; with --peers also box2d_ms, rapier_ms, ratio_box2d and ratio_rapier; with --growth
    /// `{"worlds": [{"bodies", "ms", "us_per_body", ..}], "crowd": {"bodies", "mean_ms", "worst_ms"},
    /// "quadtree": {"bodies", "pairs_ms", "brute_force_ms", ..}}`, of which --quadtree prints the last; with
    /// --overlaps `{"overlaps": [{"name", "carom": {"deepest_mean_m", ..}, "box2d", "rapier"}]}`; with
    /// --snapshots `{"snapshots": [{"name", "bodies", "bytes", "save_us_per_body", ..}]}`.
    #[arg(long)]
    json: bool,
}

/// The same, checked.
pub(crate) struct Plan {
    pub(crate) scenes: Vec<&'static Scene>,
    pub(crate) repeats: u32,
    pub(crate) threads: Vec<usize>,
    pub(crate) steps: Option<u32>,
    pub(crate) clock: Clock,
    pub(crate) json: bool,
}

impl Plan {
    pub(crate) fn print(&self, out: &mut dyn Write, report: &impl Serialize) -> Result<(), BenchError> {
        let text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
        writeln!(out, "{text}")?;
        Ok(())
    }
}

/// Why nothing was measured.
#[derive(Debug)]
#[non_exhaustive]
pub enum BenchError {
    /// There is no such scene.
    Scene(UnknownScene),
    /// What was asked for cannot be had, and what to do.
    Usage(String),
    /// A scene cannot be built.
    Build(DefError),
    /// A scene cannot be built in another engine.
    Peer(Unsupported),
    /// What was measured cannot be printed.
    Output(io::Error),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Scene(error) => write!(f, "{error}\n`carom scenes` lists all names"),
            BenchError::Usage(text) => f.write_str(text),
            BenchError::Build(error) => write!(f, "{error}"),
            BenchError::Peer(error) => write!(f, "{error}"),
            BenchError::Output(error) => write!(f, "writing the result failed: {error}"),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<io::Error> for BenchError {
    fn from(error: io::Error) -> BenchError {
        BenchError::Output(error)
    }
}

impl From<DefError> for BenchError {
    fn from(error: DefError) -> BenchError {
        BenchError::Build(error)
    }
}

impl From<Unsupported> for BenchError {
    fn from(error: Unsupported) -> BenchError {
        BenchError::Peer(error)
    }
}

/// Measures what is asked for and prints it.
pub fn execute(args: &Args, out: &mut dyn Write) -> Result<(), BenchError> {
    let plan = plan(args)?;
    if args.corners {
        corners::execute(&plan, out)
    } else if args.snapshots {
        snapshots::execute(&plan, out)
    } else if args.growth {
        growth::execute(&plan, out)
    } else if args.quadtree {
        growth::execute_quadtree(&plan, out)
    } else if args.overlaps {
        compare_overlaps(&plan, out)
    } else if args.peers {
        compare(&plan, out)
    } else {
        alone::execute(&plan, out)
    }
}

fn plan(args: &Args) -> Result<Plan, BenchError> {
    let scenes = if args.scenes.is_empty() {
        carom_scenes::all().iter().filter(|scene| scene.group == Group::Benchmark).collect()
    } else {
        args.scenes.iter().map(|name| scene(name)).collect::<Result<Vec<_>, BenchError>>()?
    };
    for &threads in &args.threads {
        if threads == 0 {
            return Err(BenchError::Usage("--threads 0: at least one thread is needed".into()));
        }
        if threads > MOST_THREADS {
            return Err(BenchError::Usage(format!("--threads {threads}: a world has at most {MOST_THREADS} threads")));
        }
        if threads > 1 && args.clock == Clock::Cpu {
            return Err(BenchError::Usage(format!(
                "--clock cpu with --threads {threads}: several threads compute as long as one\nuse --clock wall"
            )));
        }
    }
    if args.clock == Clock::Cpu && cfg!(not(unix)) {
        return Err(BenchError::Usage("--clock cpu: this system does not tell\nuse --clock wall".into()));
    }
    let Args { repeats, ref threads, steps, clock, json, .. } = *args;
    Ok(Plan { scenes, repeats, threads: threads.clone(), steps, clock, json })
}

fn scene(name: &str) -> Result<&'static Scene, BenchError> {
    let entry = find_entry(name).map_err(BenchError::Scene)?;
    find(entry.name()).map_err(|_| BenchError::Usage(format!("{name} is no scene of rigid bodies in the plane")))
}

#[cfg(feature = "peers")]
fn compare(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    crate::peers::execute(plan, out)
}

#[cfg(feature = "peers")]
fn compare_overlaps(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    crate::peers::overlaps::execute(plan, out)
}

#[cfg(not(feature = "peers"))]
fn compare(_plan: &Plan, _out: &mut dyn Write) -> Result<(), BenchError> {
    Err(without_peers("--peers"))
}

#[cfg(not(feature = "peers"))]
fn compare_overlaps(_plan: &Plan, _out: &mut dyn Write) -> Result<(), BenchError> {
    Err(without_peers("--overlaps"))
}

#[cfg(not(feature = "peers"))]
fn without_peers(asked: &str) -> BenchError {
    BenchError::Usage(format!(
        "{asked}: this carom was built without other engines\n\
         run `scripts/bench {asked}`, which builds all of them at their best, or build carom with\n\
         `cargo build --release -p carom --features peers`"
    ))
}
