//! `carom run`: a scene without a window.

use crate::csv;
use crate::failure::{Failure, shown};
use crate::particles::{self, RunOptions, Source};
use crate::picture::PictureArgs;
use crate::report;
use crate::save::Save;
use crate::simulate::{Steps, Wanted, simulate};
use crate::solid;
use carom_render::Subject;
use carom_scenes::{About, BuildOptions, Entry, Run, SceneWorld, find_entry, is_scene_file, measure, open};
use carom2d::math::{Vec2, vec2};
use carom2d::{BroadPhaseKind, QuadtreeDef, Sequential, Solver, WorldDef};
use clap::ValueEnum;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of a built-in scene (`carom scenes` lists them), or a scene file that ends in .json, with particles
    /// in .xml, in space in .scene
    scene: String,

    /// How many steps to make; 0 looks at the start only [default: the scene's own length]
    #[arg(long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
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
    #[arg(long, value_name = "K", default_value = "1", value_parser = interval, allow_negative_numbers = true)]
    every: NonZeroU32,

    /// Length of a step in seconds, 1e-9 to 1 [default: the scene's own; 1/600 in a .scene file]
    #[arg(long, value_name = "S", value_parser = step_length, allow_hyphen_values = true, help_heading = solid::SPACE)]
    dt: Option<f64>,

    #[command(flatten)]
    space: solid::SpaceArgs,

    /// Print the hash of the final state: the same on every machine
    #[arg(long)]
    hash: bool,

    /// Print how the time was spent, stage by stage
    ///
    /// Where a quadtree finds pairs, also how many shapes each quad holds at the end, level by level.
    #[arg(long)]
    profile: bool,

    /// How constraints are solved [default: the scene's own]
    #[arg(long, value_name = "KIND", help_heading = PLANE)]
    solver: Option<SolverKind>,

    /// How many threads share the work of rigid bodies, in the plane or in space, 1 to 64; the result is the same
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), allow_negative_numbers = true)]
    threads: Option<u32>,

    /// Which broad phase finds pairs of shapes; the result is the same [default: the scene's own]
    #[arg(long, value_name = "KIND", help_heading = PLANE)]
    broad_phase: Option<BroadPhase>,

    /// Gravity in m/s^2, such as 0,-9.81, at most 1e6 either way [default: the scene's own]
    #[arg(long, value_name = "X,Y", value_parser = gravity, allow_hyphen_values = true, help_heading = PLANE)]
    gravity: Option<Vec2>,

    // The last, since its heading would hold for all that follows.
    #[command(flatten)]
    picture: PictureArgs,
}

/// Heading of what only rigid bodies in the plane have.
const PLANE: &str = "Bodies in the plane";

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

    /// What is asked of a run of any kind besides its steps.
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            every: self.every,
            out: self.out.as_deref(),
            picture: &self.picture,
            hash: self.hash,
            profile: self.profile,
        }
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
            wanted: self.wanted(),
        })
    }

    /// `--dt`, `--integrator` and `--spin-frame` belong to scenes in space: others have what they were made for.
    fn refuse_dt(&self) -> Result<(), Failure> {
        match self.dt {
            Some(_) => Err(Failure::Usage(
                "--dt is for scenes in space; bodies in the plane and particles keep the step of their scene"
                    .to_owned(),
            )),
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
        Ok(RunOptions { source, steps: self.steps, seconds: self.seconds, wanted: self.wanted() })
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

/// Reads how many steps to make.
fn steps(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u32::MAX))
}

/// Reads how many steps are from one sample to the next.
fn interval(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| format!("expected a whole number from 1 to {}", u32::MAX))
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

/// The strongest gravity along an axis, in m/s^2: it brings bodies to the fastest that `WorldDef::max_speed` may allow, 1e6
/// m/s, within a second. Beyond it there is nothing to see.
const STRONGEST_GRAVITY: f32 = 1.0e6;

/// Reads two numbers with a comma between them.
fn gravity(text: &str) -> Result<Vec2, String> {
    let expected = || "expected two numbers with a comma between them, such as 0,-9.81".to_owned();
    let (x, y) = text.split_once(',').ok_or_else(expected)?;
    let number = |text: &str| {
        let number = text.trim().parse::<f32>().ok().filter(|x| !x.is_nan()).ok_or_else(expected)?;
        if number.abs() <= STRONGEST_GRAVITY {
            Ok(number)
        } else {
            Err("expected at most 1e6 m/s^2 along an axis".to_owned())
        }
    };
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
    run.world.set_profiling(args.profile);
    simulate(&mut run, (u64::from(steps), seconds), &args.wanted(), out, |report, run, tally| {
        summarize(report, args, run, tally.wall)
    })
}

/// A scene of rigid bodies from a file, with the settings that are asked for.
fn from_file(args: &Args, path: &Path, run: Run) -> Result<SceneWorld, Failure> {
    let Run::Rigid(mut run) = run else {
        return Err(Failure::Usage(format!("{} holds no rigid bodies", shown(path))));
    };
    let own = *run.world.def();
    let quadtree = match own.broad_phase {
        BroadPhaseKind::Quadtree(def) => def,
        BroadPhaseKind::Tree => run.about().camera.quadtree(),
    };
    let options = args.settings(quadtree);
    if run.last_step().is_some() && (options.gravity.is_some() || options.solver.is_some()) {
        return Err(Failure::Usage(
            "a recording has its own gravity and solver: leave out --gravity and --solver".to_owned(),
        ));
    }
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
        let name = shown(path);
        return Failure::Usage(format!(
            "cannot tell what {name} holds\nscene files end in .json, .xml or .scene, recordings in .rec"
        ));
    }
    failure
}

impl Steps for SceneWorld {
    const SCENE_FILE: Option<&'static str> = Some("json");
    const FRAMES_FILE: Option<&'static str> = None;
    const ENDINGS: &'static str = ".png, .gif, .mp4, .csv or .json";

    fn step(&mut self) {
        SceneWorld::step(self);
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Rigid(self)
    }

    fn check_picture(_picture: &PictureArgs) -> Result<(), Failure> {
        Ok(())
    }

    fn write_header(&self, out: &mut dyn Write) -> io::Result<()> {
        csv::header(out)
    }

    fn write_rows(&self, _step: u64, out: &mut dyn Write) -> io::Result<()> {
        csv::rows(out, self)
    }

    fn save(&self, save: Save) -> Result<String, Failure> {
        save.close(self)
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn write_profile(&self, out: &mut dyn Write, steps: u64) -> io::Result<()> {
        let times: Vec<(&str, f64)> = self.world.stage_times().map(|(stage, time)| (stage.name(), time)).collect();
        report::stages(out, &times, steps)?;
        match self.world.def().broad_phase {
            BroadPhaseKind::Quadtree(_) => report::quads(out, &self.world.broad_phase().boxes()),
            BroadPhaseKind::Tree => Ok(()),
        }
    }
}

/// How the run went, in a few lines.
fn summarize(out: &mut dyn Write, args: &Args, run: &SceneWorld, wall: Duration) -> io::Result<()> {
    let (about, world, steps) = (run.about(), &run.world, run.step_index());
    report::heading(out, about, u64::from(steps), &format!("{:.2}", about.seconds(steps)))?;
    writeln!(out, "  bodies                {} ({} awake)", world.body_count(), world.awake_body_count())?;
    writeln!(out, "  contacts              {} touching", measure::touching_contacts(world))?;
    // Adding zero turns a negative zero into a plain one.
    writeln!(out, "  deepest penetration   {:.2} mm", 1e3 * measure::deepest_penetration(world) + 0.0)?;
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
    fn reads_lengths_of_steps() {
        assert_eq!(step_length("0.002"), Ok(0.002));
        for bad in ["", "0", "-0.1", "nan", "inf", "1.5", "1/600"] {
            assert!(step_length(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_numbers_of_steps() {
        assert_eq!((steps("0"), steps("4294967295")), (Ok(0), Ok(u32::MAX)));
        assert_eq!(interval("7").map(NonZeroU32::get), Ok(7));
        for bad in ["", "-1", "1.5", "4294967296", "ten"] {
            assert_eq!(steps(bad), Err("expected a whole number from 0 to 4294967295".to_owned()), "{bad}");
            assert!(interval(bad).is_err(), "{bad}");
        }
        assert!(interval("0").is_err());
    }

    #[test]
    fn reads_gravity() {
        assert_eq!(gravity("0,-9.81"), Ok(vec2(0.0, -9.81)));
        assert_eq!(gravity(" -1e1 , 2 "), Ok(vec2(-10.0, 2.0)));
        assert_eq!(gravity("1e6,-1e6"), Ok(vec2(1.0e6, -1.0e6)));
        for bad in ["", ",", "1", "1,", "1,2,3", "a,b", "nan,0"] {
            assert!(gravity(bad).is_err_and(|why| why.contains("0,-9.81")), "{bad}");
        }
        for strong in ["0,inf", "1e99,0", "0,-1e30", "1.1e6,0"] {
            assert!(gravity(strong).is_err_and(|why| why.contains("1e6")), "{strong}");
        }
    }
}
