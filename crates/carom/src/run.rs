//! `carom run`: a scene without a window.

use crate::csv;
use crate::failure::Failure;
use carom_scenes::{BuildOptions, SceneWorld, find, measure};
use carom2d::math::{Vec2, vec2};
use carom2d::{BroadPhaseKind, Stage};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of a built-in scene; `carom scenes` lists them
    scene: String,

    /// How many steps to make; 0 looks at the start only [default: the scene's own length]
    #[arg(long, value_name = "N")]
    steps: Option<u32>,

    /// Write a row per body and sampled step to FILE, which ends in .csv; `-` is standard output
    ///
    /// The columns are step, time (s), body (its index), x, y (m), angle (rad), vx, vy (m/s) and omega
    /// (rad/s). With `-`, everything else that is to be printed goes to standard error.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Sample every K-th step; the first and the last are always there
    #[arg(long, value_name = "K", default_value = "1")]
    every: NonZeroU32,

    /// Print the hash of the final state: the same on every machine
    #[arg(long)]
    hash: bool,

    /// Print how the time was spent, stage by stage
    #[arg(long)]
    profile: bool,

    /// Which broad phase finds pairs of shapes; the result is the same [default: the scene's own]
    #[arg(long, value_name = "KIND")]
    broad_phase: Option<BroadPhase>,

    /// Gravity in m/s^2, such as 0,-9.81 [default: the scene's own]
    #[arg(long, value_name = "X,Y", value_parser = vector, allow_hyphen_values = true)]
    gravity: Option<Vec2>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BroadPhase {
    /// A bounding-volume tree
    Tree,
    /// A quadtree over the scene's view
    Quadtree,
}

impl Args {
    /// A plain run of a scene.
    pub(crate) fn of_scene(name: &str) -> Args {
        Args {
            scene: name.to_owned(),
            steps: None,
            out: None,
            every: NonZeroU32::MIN,
            hash: false,
            profile: false,
            broad_phase: None,
            gravity: None,
        }
    }

    /// Is this how the scene is meant to be run, so that its promise counts?
    fn is_as_intended(&self) -> bool {
        self.steps.is_none() && self.gravity.is_none()
    }
}

/// Reads two numbers with a comma between them.
fn vector(text: &str) -> Result<Vec2, String> {
    let expected = || "expected two numbers with a comma between them, such as 0,-9.81".to_owned();
    let (x, y) = text.split_once(',').ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<f32>().ok().filter(|x| x.is_finite()).ok_or_else(expected);
    Ok(vec2(number(x)?, number(y)?))
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let scene = find(&args.scene)?;
    let options = BuildOptions {
        broad_phase: args.broad_phase.map(|kind| match kind {
            BroadPhase::Tree => BroadPhaseKind::Tree,
            BroadPhase::Quadtree => BroadPhaseKind::Quadtree(scene.quadtree()),
        }),
        gravity: args.gravity,
        ..BuildOptions::default()
    };
    // Where the table goes is settled first: nobody should wait for a run that cannot be kept.
    let mut table = match &args.out {
        Some(path) => Some(Table::open(path, out)?),
        None => None,
    };
    let mut run = scene.build(&options)?;
    run.world.set_profiling(args.profile);
    let steps = args.steps.unwrap_or(scene.steps);
    let wall = simulate(&mut run, steps, args.every, table.as_mut())?;

    let path = table.map(Table::close).transpose()?.flatten();
    let mut stderr = io::stderr();
    let report: &mut dyn Write = if args.out.as_deref() == Some(Path::new("-")) { &mut stderr } else { out };
    if args.out.is_none() {
        summarize(report, args, &run, wall)?;
    } else if let Some(path) = path {
        writeln!(report, "wrote {}", path.display())?;
    }
    if args.profile {
        profile(report, &run, steps)?;
    }
    if args.hash {
        writeln!(report, "hash {:#018x}", run.world.state_hash())?;
    }
    Ok(())
}

/// Makes the steps, writes the samples, and returns the time the steps alone took.
fn simulate(
    run: &mut SceneWorld,
    steps: u32,
    every: NonZeroU32,
    mut table: Option<&mut Table<'_>>,
) -> Result<Duration, Failure> {
    let mut progress = Progress::new(steps);
    let mut wall = Duration::ZERO;
    if let Some(table) = table.as_mut() {
        table.write(|out| csv::header(out).and_then(|()| csv::rows(out, run)))?;
    }
    for step in 1..=steps {
        let start = Instant::now();
        run.step();
        wall += start.elapsed();
        if let Some(table) = table.as_mut()
            && (step % every == 0 || step == steps)
        {
            table.write(|out| csv::rows(out, run))?;
        }
        progress.at(step);
    }
    Ok(wall)
}

/// The file or the stream that the samples go to.
struct Table<'o> {
    /// None for standard output.
    path: Option<PathBuf>,
    writer: BufWriter<Box<dyn Write + 'o>>,
}

impl<'o> Table<'o> {
    fn open(path: &Path, out: &'o mut dyn Write) -> Result<Table<'o>, Failure> {
        if path == Path::new("-") {
            return Ok(Table { path: None, writer: BufWriter::new(Box::new(out)) });
        }
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) {
            return Err(Failure::Ending(path.to_owned()));
        }
        let file = File::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Table { path: Some(path.to_owned()), writer: BufWriter::new(Box::new(file)) })
    }

    fn write(&mut self, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        work(&mut self.writer).map_err(|error| match &self.path {
            Some(path) => Failure::Write { path: path.clone(), error },
            None => Failure::from(error),
        })
    }

    /// Makes sure that everything has arrived, and gives back the name of the file.
    fn close(mut self) -> Result<Option<PathBuf>, Failure> {
        self.write(|out| out.flush())?;
        Ok(self.path)
    }
}

/// A bar on standard error, for runs of more than a second that somebody watches.
struct Progress {
    steps: u32,
    start: Instant,
    bar: Option<ProgressBar>,
    watched: bool,
}

impl Progress {
    fn new(steps: u32) -> Progress {
        Progress { steps, start: Instant::now(), bar: None, watched: io::stderr().is_terminal() }
    }

    fn at(&mut self, step: u32) {
        if self.bar.is_none() && self.watched && self.start.elapsed() > Duration::from_secs(1) {
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
            let bar = ProgressBar::new(self.steps.into());
            self.bar = Some(style.map_or(bar.clone(), |style| bar.with_style(style)));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(step.into());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How the run went, in a few lines.
fn summarize(out: &mut dyn Write, args: &Args, run: &SceneWorld, wall: Duration) -> io::Result<()> {
    let (scene, world, steps) = (run.scene(), &run.world, run.step_index());
    writeln!(out, "{}: {}", scene.name, scene.summary)?;
    writeln!(out, "  steps                 {steps} ({:.2} s simulated)", scene.seconds(steps))?;
    writeln!(out, "  bodies                {} ({} awake)", world.body_count(), world.awake_body_count())?;
    writeln!(out, "  contacts              {} touching", measure::touching_contacts(world))?;
    writeln!(out, "  deepest penetration   {:.2} mm", 1e3 * measure::deepest_penetration(world))?;
    writeln!(out, "  kinetic energy        {:.4} J", measure::kinetic_energy(world))?;
    if steps > 0 {
        writeln!(out, "  wall time             {:.3} ms per step", 1e3 * wall.as_secs_f64() / f64::from(steps))?;
    }
    if args.is_as_intended() {
        match (run.check(), scene.known_gap) {
            (Ok(()), _) => writeln!(out, "  ended as it should    yes")?,
            (Err(unmet), None) => writeln!(out, "  ended as it should    no: {unmet}")?,
            (Err(unmet), Some(gap)) => writeln!(out, "  ended as it should    no: {unmet} (known: {gap})")?,
        }
    }
    Ok(())
}

/// A table of stage times.
fn profile(out: &mut dyn Write, run: &SceneWorld, steps: u32) -> io::Result<()> {
    let times: Vec<(Stage, f64)> = run.world.stage_times().collect();
    let total: f64 = times.iter().map(|(_, seconds)| seconds).sum();
    let per_step = |seconds: f64| if steps > 0 { 1e3 * seconds / f64::from(steps) } else { 0.0 };
    let share = |seconds: f64| if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
    writeln!(out, "{:20} {:>10} {:>7}", "stage", "ms/step", "share")?;
    for (stage, seconds) in times {
        writeln!(out, "{:20} {:10.4} {:6.1}%", stage.name(), per_step(seconds), share(seconds))?;
    }
    writeln!(out, "{:20} {:10.4} {:6.1}%", "total", per_step(total), share(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_vectors() {
        assert_eq!(vector("0,-9.81"), Ok(vec2(0.0, -9.81)));
        assert_eq!(vector(" -1e1 , 2 "), Ok(vec2(-10.0, 2.0)));
        for bad in ["", ",", "1", "1,", "1,2,3", "a,b", "nan,0", "0,inf", "1e99,0"] {
            assert!(vector(bad).is_err(), "{bad}");
        }
    }
}
