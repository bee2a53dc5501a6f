//! `carom run`: a scene without a window.

use crate::csv::{self, Table};
use crate::failure::Failure;
use crate::particles::{self, RunOptions, Source, has_ending};
use crate::picture::{PictureArgs, describe};
use crate::progress::Progress;
use crate::report;
use crate::save::Save;
use crate::solid;
use carom_render::Film;
use carom_scenes::{About, BuildOptions, Entry, Run, SceneWorld, find_entry, is_scene_file, measure, open};
use carom2d::math::{Vec2, vec2};
use carom2d::{BroadPhaseKind, QuadtreeDef, Sequential, Solver, WorldDef};
use clap::ValueEnum;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of a built-in scene (`carom scenes` lists them), or a scene file that ends in .json, with particles
    /// in .xml, in space in .scene
    scene: String,

    /// How many steps to make; 0 looks at the start only [default: the scene's own length]
    #[arg(long, value_name = "N")]
    steps: Option<u32>,

    /// How many seconds to simulate, instead of --steps
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "steps", allow_hyphen_values = true)]
    seconds: Option<f64>,

    /// Write to FILE, which ends in .png, .gif, .mp4, .csv or .json, or to a folder DIR/; particle scenes to
    /// .bin instead of .json
    ///
    /// PNG: a picture of the end. GIF, MP4 (H.264): a movie of seconds times --fps frames, from the start
    /// on; it is as long as the run and ends one frame before its end. DIR/: the same frames as
    /// frame00001.png, frame00002.png, ...
    ///
    /// CSV: a row per body and sampled step, with the columns step, time (s), body (its index), x, y (m),
    /// angle (rad), vx, vy (m/s) and omega (rad/s). `-` is CSV on standard output; everything else that
    /// is to be printed goes to standard error then.
    ///
    /// JSON, or XML for a particle scene: a scene file of the end, which can be run, viewed and edited like any other.
    ///
    /// The CSV of a particle scene has the columns step, particle (its index), x, y (m), vx and vy (m/s); BIN
    /// is FOSSSim's own format of all steps with their collisions, for `carom compare`.
    ///
    /// The CSV of a scene in space has the columns time (s), body (spheres in the order of the file), px, py, pz (m),
    /// vx, vy, vz (m/s), the quaternion qw, qx, qy, qz, and wx, wy, wz (rad/s).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// CSV: sample every K-th step; the first and the last are always there
    #[arg(long, value_name = "K", default_value = "1")]
    every: NonZeroU32,

    /// Length of a step in seconds, for scenes in space [default: 1/600]
    #[arg(long, value_name = "S", value_parser = step_length, allow_hyphen_values = true)]
    dt: Option<f64>,

    #[command(flatten)]
    space: solid::SpaceArgs,

    #[command(flatten)]
    picture: PictureArgs,

    /// Print the hash of the final state: the same on every machine
    #[arg(long)]
    hash: bool,

    /// Print how the time was spent, stage by stage
    ///
    /// Where a quadtree finds pairs, also how many shapes each quad holds at the end, level by level.
    #[arg(long)]
    profile: bool,

    /// How constraints are solved [default: the scene's own]
    #[arg(long, value_name = "KIND")]
    solver: Option<SolverKind>,

    /// How many threads share the work of rigid bodies, in the plane or in space, 1 to 64; the result is the same
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: Option<u32>,

    /// Which broad phase finds pairs of shapes; the result is the same [default: the scene's own]
    #[arg(long, value_name = "KIND")]
    broad_phase: Option<BroadPhase>,

    /// Gravity in m/s^2, such as 0,-9.81 [default: the scene's own]
    #[arg(long, value_name = "X,Y", value_parser = vector, allow_hyphen_values = true)]
    gravity: Option<Vec2>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SolverKind {
    /// Soft sub-steps, one constraint after the other
    SoftStep,
    /// All constraints at once, exactly
    Direct,
    /// Sequential impulses, as textbooks have them
    Sequential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BroadPhase {
    /// A bounding-volume tree
    Tree,
    /// A quadtree over the scene's view
    Quadtree,
}

impl Args {
    /// Is this how the scene is meant to be run, so that its promise counts?
    fn is_as_intended(&self) -> bool {
        self.steps.is_none() && self.seconds.is_none() && self.gravity.is_none() && self.solver.is_none()
    }

    /// What a scene in space can make use of. The other options are refused.
    fn for_solids(&self) -> Result<solid::RunOptions<'_>, Failure> {
        let given = [
            ("--solver", self.solver.is_some()),
            ("--broad-phase", self.broad_phase.is_some()),
            ("--gravity", self.gravity.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|&(_, given)| given) {
            return Err(Failure::Usage(format!("{name} is for scenes in the plane, not for scenes in space")));
        }
        Ok(solid::RunOptions {
            steps: self.steps,
            seconds: self.seconds,
            dt: self.dt,
            threads: self.threads,
            space: self.space,
            every: self.every,
            out: self.out.as_deref(),
            picture: &self.picture,
            hash: self.hash,
            profile: self.profile,
        })
    }

    /// `--dt`, `--integrator` and `--spin-frame` belong to scenes in space: others have what they were made for.
    fn refuse_dt(&self) -> Result<(), Failure> {
        match self.dt {
            Some(_) => Err(Failure::Usage("--dt is for scenes in space, which end in .scene".to_owned())),
            None => self.space.refuse(),
        }
    }

    /// What a particle scene can make use of. The other options are refused.
    fn for_particles<'a>(&'a self, source: Source<'a>) -> Result<RunOptions<'a>, Failure> {
        self.refuse_dt()?;
        let given = [
            ("--profile", self.profile),
            ("--solver", self.solver.is_some()),
            ("--threads", self.threads.is_some()),
            ("--broad-phase", self.broad_phase.is_some()),
            ("--gravity", self.gravity.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|&(_, given)| given) {
            return Err(Failure::Usage(format!("{name} is for scenes of rigid bodies, not for particle scenes")));
        }
        Ok(RunOptions {
            source,
            steps: self.steps,
            seconds: self.seconds,
            every: self.every,
            out: self.out.as_deref(),
            picture: &self.picture,
            hash: self.hash,
        })
    }

    /// How many steps to make, and how many seconds a movie of them lasts.
    fn length(&self, about: &About) -> (u32, f64) {
        length(self.steps, self.seconds, about)
    }

    /// The settings to use instead of a scene's own. `quadtree` is the one that suits it.
    fn settings(&self, quadtree: QuadtreeDef) -> BuildOptions {
        BuildOptions {
            broad_phase: self.broad_phase.map(|kind| match kind {
                BroadPhase::Tree => BroadPhaseKind::Tree,
                BroadPhase::Quadtree => BroadPhaseKind::Quadtree(quadtree),
            }),
            gravity: self.gravity,
            solver: self.solver.map(|kind| match kind {
                SolverKind::SoftStep => Solver::SoftStep,
                SolverKind::Direct => Solver::Direct,
                SolverKind::Sequential => Solver::Sequential(Sequential::default()),
            }),
            threads: self.threads,
            ..BuildOptions::default()
        }
    }
}

/// How many steps to make, and how many seconds a movie of them lasts.
pub(crate) fn length(steps: Option<u32>, seconds: Option<f64>, about: &About) -> (u32, f64) {
    match seconds {
        // The last step may go beyond the end; one that only rounding asks for is not made.
        Some(seconds) => ((seconds / about.seconds(1) - 1.0e-6).ceil() as u32, seconds),
        None => {
            let steps = steps.unwrap_or(about.steps);
            (steps, about.seconds(steps))
        }
    }
}

/// Reads a length of time.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let valid = text.parse::<f64>().ok().filter(|seconds| (0.0..=1.0e6).contains(seconds));
    valid.ok_or_else(|| "expected a number of seconds from 0 to 1000000".to_owned())
}

/// Reads the length of a step.
fn step_length(text: &str) -> Result<f64, String> {
    let valid = text.parse::<f64>().ok().filter(|dt| (1.0e-9..=1.0).contains(dt));
    valid.ok_or_else(|| "expected a number of seconds from 1e-9 to 1".to_owned())
}

/// Reads two numbers with a comma between them.
fn vector(text: &str) -> Result<Vec2, String> {
    let expected = || "expected two numbers with a comma between them, such as 0,-9.81".to_owned();
    let (x, y) = text.split_once(',').ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<f32>().ok().filter(|x| x.is_finite()).ok_or_else(expected);
    Ok(vec2(number(x)?, number(y)?))
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let path = Path::new(&args.scene);
    if particles::is_scene_file(path) {
        return particles::run(&args.for_particles(Source::File(path))?, out);
    }
    let mut run = if is_scene_file(path) {
        match open(path)? {
            Run::Solid(run) => return solid::run(*run, &args.for_solids()?, out),
            run => from_file(args, path, run)?,
        }
    } else {
        match find_entry(&args.scene).map_err(|error| unknown_scene(error.into(), path))? {
            Entry::Rigid(scene) => scene.build(&args.settings(scene.quadtree()))?,
            Entry::Particles(scene) => return particles::run(&args.for_particles(Source::BuiltIn(scene))?, out),
            Entry::Solid(scene) => return solid::run(scene.build(), &args.for_solids()?, out),
        }
    };
    args.refuse_dt()?;
    let (steps, seconds) = args.length(run.about());
    // Where the result goes is settled first: nobody should wait for a run that cannot be kept.
    let mut record = Record::open(args, seconds, out)?;
    run.world.set_profiling(args.profile);
    let wall = simulate(&mut run, steps, args.every, &mut record)?;

    let note = record.close(&run)?;
    let report = &mut *report::place(args.out.as_deref(), out);
    if args.out.is_none() {
        summarize(report, args, &run, wall)?;
    } else if let Some(note) = note {
        writeln!(report, "wrote {note}")?;
    }
    if args.profile {
        let times: Vec<(&str, f64)> = run.world.stage_times().map(|(stage, time)| (stage.name(), time)).collect();
        report::stages(report, &times, steps)?;
        if matches!(run.world.def().broad_phase, BroadPhaseKind::Quadtree(_)) {
            report::quads(report, &run.world.broad_phase().boxes())?;
        }
    }
    if args.hash {
        writeln!(report, "hash {:#018x}", run.world.state_hash())?;
    }
    Ok(())
}

/// A scene of rigid bodies from a file, with the settings that are asked for.
fn from_file(args: &Args, path: &Path, run: Run) -> Result<SceneWorld, Failure> {
    let Run::Rigid(mut run) = run else {
        return Err(Failure::Usage(format!("{} holds no rigid bodies", path.display())));
    };
    let own = *run.world.def();
    let quadtree = match own.broad_phase {
        BroadPhaseKind::Quadtree(def) => def,
        BroadPhaseKind::Tree => run.about().camera.quadtree(),
    };
    let options = args.settings(quadtree);
    run.world.set_def(WorldDef {
        gravity: options.gravity.unwrap_or(own.gravity),
        solver: options.solver.unwrap_or(own.solver),
        broad_phase: options.broad_phase.unwrap_or(own.broad_phase),
        threads: options.threads.unwrap_or(own.threads),
        ..own
    })?;
    Ok(*run)
}

/// Why there is no such scene: a file is known by its ending.
fn unknown_scene(failure: Failure, path: &Path) -> Failure {
    if path.components().count() > 1 || path.exists() {
        let name = path.display();
        return Failure::Usage(format!("cannot tell what {name} holds\nscene files end in .json, .xml or .scene"));
    }
    failure
}

/// Makes the steps, writes them down, and returns the time the steps alone took.
fn simulate(run: &mut SceneWorld, steps: u32, every: NonZeroU32, record: &mut Record<'_>) -> Result<Duration, Failure> {
    let mut progress = Progress::new(steps);
    let mut wall = Duration::ZERO;
    if let Record::Table(table) = record {
        table.write(|out| csv::header(out).and_then(|()| csv::rows(out, run)))?;
    }
    for step in 1..=steps {
        if let Record::Film(film, _) = record {
            film.before_step(&*run)?;
        }
        let start = Instant::now();
        run.step();
        wall += start.elapsed();
        match record {
            Record::Nothing | Record::Scene(_) => {}
            Record::Table(table) if step % every == 0 || step == steps => table.write(|out| csv::rows(out, run))?,
            Record::Table(_) => {}
            Record::Film(film, _) => film.after_step(&*run)?,
        }
        progress.at(step);
    }
    Ok(wall)
}

/// What is kept of a run.
// There is one of it.
#[allow(clippy::large_enum_variant)]
enum Record<'o> {
    Nothing,
    Table(Table<'o>),
    Film(Film, PathBuf),
    Scene(Save),
}

impl<'o> Record<'o> {
    fn open(args: &Args, seconds: f64, out: &'o mut dyn Write) -> Result<Record<'o>, Failure> {
        let Some(path) = &args.out else {
            args.picture.refuse("a run without --out")?;
            return Ok(Record::Nothing);
        };
        if csv::is_meant(path) {
            args.picture.refuse("CSV")?;
            return Ok(Record::Table(Table::open(path, out)?));
        }
        if has_ending(path, "json") && !path.is_dir() {
            args.picture.refuse("JSON")?;
            if args.every.get() != 1 {
                return Err(Failure::Usage("--every is for CSV; a .json file has the end of the run".to_owned()));
            }
            return Ok(Record::Scene(Save::open(path)?));
        }
        Ok(Record::Film(args.picture.open(path, seconds, args.every)?, path.clone()))
    }

    /// Makes sure that everything has arrived, and says in words what was written.
    fn close(self, run: &SceneWorld) -> Result<Option<String>, Failure> {
        Ok(match self {
            Record::Nothing => None,
            Record::Table(table) => table.close()?.map(|path| path.display().to_string()),
            Record::Film(film, path) => Some(describe(film, run, &path)?),
            Record::Scene(save) => Some(save.close(run)?),
        })
    }
}

/// How the run went, in a few lines.
fn summarize(out: &mut dyn Write, args: &Args, run: &SceneWorld, wall: Duration) -> io::Result<()> {
    let (about, world, steps) = (run.about(), &run.world, run.step_index());
    writeln!(out, "{}: {}", about.name, about.summary)?;
    writeln!(out, "  steps                 {steps} ({:.2} s simulated)", about.seconds(steps))?;
    writeln!(out, "  bodies                {} ({} awake)", world.body_count(), world.awake_body_count())?;
    writeln!(out, "  contacts              {} touching", measure::touching_contacts(world))?;
    writeln!(out, "  deepest penetration   {:.2} mm", 1e3 * measure::deepest_penetration(world))?;
    writeln!(out, "  kinetic energy        {:.4} J", measure::kinetic_energy(world))?;
    report::wall_time(out, wall, u64::from(steps))?;
    if args.is_as_intended() {
        let (built_in, kept) = (run.built_in(), run.check());
        // That a file keeps what it promises is not worth a line.
        if built_in.is_some() || kept.is_err() {
            report::promise(out, kept, built_in.and_then(|scene| scene.known_gap))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times() {
        assert_eq!(seconds("2.5"), Ok(2.5));
        for bad in ["", "-1", "nan", "inf", "1e7", "two"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_steps() {
        assert_eq!(step_length("0.002"), Ok(0.002));
        for bad in ["", "0", "-0.1", "nan", "inf", "1.5", "1/600"] {
            assert!(step_length(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_vectors() {
        assert_eq!(vector("0,-9.81"), Ok(vec2(0.0, -9.81)));
        assert_eq!(vector(" -1e1 , 2 "), Ok(vec2(-10.0, 2.0)));
        for bad in ["", ",", "1", "1,", "1,2,3", "a,b", "nan,0", "0,inf", "1e99,0"] {
            assert!(vector(bad).is_err(), "{bad}");
        }
    }
}
