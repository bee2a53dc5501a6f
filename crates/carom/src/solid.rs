//! Scenes in space, built in and from files: running them without a window, and checking files.

use crate::csv::{self, Table};
use crate::failure::Failure;
use crate::picture::{PictureArgs, describe};
use crate::progress::Progress;
use crate::report::{self, Energies};
use carom_particles::short_number;
use carom_render::Film;
use carom_scenes::{Run, SolidRun};
use carom3d::{Integrator, SpinFrame, World, WorldDef, write_csv_header, write_csv_rows};
use clap::ValueEnum;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What only scenes in space have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct SpaceArgs {
    /// How states follow from forces, for scenes in space [default: rk4]
    #[arg(long, value_name = "KIND")]
    pub(crate) integrator: Option<IntegratorName>,

    /// Whether the angular velocities of a scene in space are meant about the axes of each body or of the world
    /// [default: world]
    #[arg(long, value_name = "FRAME")]
    pub(crate) spin_frame: Option<SpinFrameName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntegratorName {
    /// Explicit Euler, order 1: springs gain energy
    Euler,
    /// Symplectic Euler, order 1
    Symplectic,
    /// Velocity Verlet, order 2
    Verlet,
    /// Runge-Kutta, order 4
    Rk4,
    /// Backward Euler, order 1: springs lose energy, and none is too stiff
    Implicit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpinFrameName {
    /// Those of each body, as it is oriented at the start
    Body,
    /// Those of the world
    World,
}

impl SpaceArgs {
    /// The first option that was given, if any: scenes of other kinds refuse it.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let integrator = self.integrator.map(|_| "--integrator");
        integrator.or(self.spin_frame.map(|_| "--spin-frame"))
    }

    /// Refuses the options for a scene that is not in space.
    pub(crate) fn refuse(&self) -> Result<(), Failure> {
        match self.given() {
            Some(name) => Err(Failure::Usage(format!("{name} is for scenes in space"))),
            None => Ok(()),
        }
    }

    /// A run at its start with what is asked for.
    pub(crate) fn applied_to(&self, mut run: SolidRun) -> Result<SolidRun, Failure> {
        if let Some(name) = self.integrator {
            let integrator = match name {
                IntegratorName::Euler => Integrator::ExplicitEuler,
                IntegratorName::Symplectic => Integrator::SymplecticEuler,
                IntegratorName::Verlet => Integrator::VelocityVerlet,
                IntegratorName::Rk4 => Integrator::RungeKutta4,
                IntegratorName::Implicit => Integrator::ImplicitEuler,
            };
            let def = WorldDef { integrator, ..*run.scene.world.def() };
            run.scene.world.set_def(def).map_err(|error| Failure::Usage(error.to_string()))?;
        }
        Ok(match self.spin_frame {
            Some(SpinFrameName::Body) => run.with_spin_frame(SpinFrame::Body),
            Some(SpinFrameName::World) => run.with_spin_frame(SpinFrame::World),
            None => run,
        })
    }
}

/// How a scene in space is to be run.
pub(crate) struct RunOptions<'a> {
    /// None for the scene's own length.
    pub(crate) steps: Option<u32>,
    /// In place of the time the scene has.
    pub(crate) seconds: Option<f64>,
    /// In place of the step the scene has.
    pub(crate) dt: Option<f64>,
    /// How many threads share the work. Changes no result.
    pub(crate) threads: Option<u32>,
    pub(crate) space: SpaceArgs,
    pub(crate) every: NonZeroU32,
    pub(crate) out: Option<&'a Path>,
    pub(crate) picture: &'a PictureArgs,
    /// Whether to print the hash of the final state.
    pub(crate) hash: bool,
    /// Whether to print how the time was spent.
    pub(crate) profile: bool,
}

impl RunOptions<'_> {
    /// Is this how the scene is meant to be run, so that its promise counts?
    fn is_as_intended(&self) -> bool {
        self.steps.is_none() && self.seconds.is_none() && self.dt.is_none() && self.space.given().is_none()
    }

    /// A run with the settings that are asked for.
    fn applied_to(&self, mut run: SolidRun) -> Result<SolidRun, Failure> {
        if let Some(threads) = self.threads {
            let def = WorldDef { threads, ..*run.scene.world.def() };
            run.scene.world.set_def(def).map_err(|error| Failure::Usage(error.to_string()))?;
        }
        run.scene.world.set_profiling(self.profile);
        let run = self.space.applied_to(run)?;
        Ok(match self.dt {
            Some(dt) => run.with_dt(dt),
            None => run,
        })
    }
}

/// Says whether a file is a scene, and what is in it.
pub(crate) fn check(name: &str, run: &SolidRun, out: &mut dyn Write) -> Result<(), Failure> {
    let scene = &run.scene;
    writeln!(
        out,
        "{name}: valid (spheres {}, triangles {}, planes {}, springs {}, steps {} of {} s)",
        scene.spheres.len(),
        scene.triangles.len(),
        scene.planes.len(),
        scene.springs.len(),
        run.about().steps,
        short_number(scene.dt),
    )?;
    notes(run);
    Ok(())
}

/// Says on standard error what a run's file names that is not there.
pub(crate) fn tell_notes(run: &Run) {
    if let Run::Solid(run) = run {
        notes(run);
    }
}

fn notes(run: &SolidRun) {
    for note in &run.scene.notes {
        let own = if note.file.is_none() { format!("{}:", run.about().name) } else { String::new() };
        writeln!(io::stderr(), "note: {own}{note}").ok();
    }
}

pub(crate) fn run(run: SolidRun, options: &RunOptions<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    notes(&run);
    let mut run = options.applied_to(run)?;
    let (steps, seconds) = crate::run::length(options.steps, options.seconds, run.about());
    let mut record = Record::open(options, seconds, out)?;
    let start = energies(&run.scene.world);
    let tally = simulate(&mut run, steps, options.every, &mut record)?;

    let note = record.close(&run)?;
    let report = &mut *report::place(options.out, out);
    if options.out.is_none() {
        summarize(report, options, &run, start, &tally)?;
    } else if let Some(note) = note {
        writeln!(report, "wrote {note}")?;
    }
    if options.profile {
        let times: Vec<(&str, f64)> = run.scene.world.stage_times().map(|(stage, time)| (stage.name(), time)).collect();
        report::stages(report, &times, steps)?;
    }
    if options.hash {
        writeln!(report, "hash {:#018x}", run.scene.world.state_hash())?;
    }
    Ok(())
}

/// What is kept of a run.
// There is one of it.
#[allow(clippy::large_enum_variant)]
enum Record<'o> {
    Nothing,
    Csv(Table<'o>),
    Film(Film, PathBuf),
}

impl<'o> Record<'o> {
    fn open(options: &RunOptions<'_>, seconds: f64, out: &'o mut dyn Write) -> Result<Record<'o>, Failure> {
        let Some(path) = options.out else {
            options.picture.refuse("a run without --out")?;
            return Ok(Record::Nothing);
        };
        if csv::is_meant(path) {
            options.picture.refuse("CSV")?;
            return Ok(Record::Csv(Table::open(path, out)?));
        }
        options.picture.check_for_solids()?;
        match options.picture.open(path, seconds, options.every) {
            Err(Failure::Ending(path)) => Err(Failure::Usage(format!(
                "cannot tell what to write to {}\n--out takes a file that ends in .png, .gif, .mp4 or .csv, a folder \
                 DIR/, or - for CSV on standard output",
                path.display()
            ))),
            film => Ok(Record::Film(film?, path.to_owned())),
        }
    }

    /// What is to be done before a step.
    fn prepare(&mut self, run: &SolidRun) -> Result<(), Failure> {
        match self {
            Record::Film(film, _) => Ok(film.before_step(run)?),
            _ => Ok(()),
        }
    }

    /// Writes the present state if it is one of those that are kept.
    fn keep(&mut self, run: &SolidRun, is_sampled: bool) -> Result<(), Failure> {
        match self {
            Record::Csv(table) if is_sampled => {
                table.write(|mut out| write_csv_rows(&run.scene.world, run.scene.bodies(), &mut out))
            }
            Record::Nothing | Record::Csv(_) => Ok(()),
            Record::Film(film, _) => Ok(film.after_step(run)?),
        }
    }

    /// Makes sure that everything has arrived, and says in words what was written.
    fn close(self, run: &SolidRun) -> Result<Option<String>, Failure> {
        match self {
            Record::Nothing => Ok(None),
            Record::Csv(table) => Ok(table.close()?.map(|path| path.display().to_string())),
            Record::Film(film, path) => describe(film, run, &path).map(Some),
        }
    }
}

/// What is counted along the way.
#[derive(Default)]
struct Tally {
    impacts: u64,
    wall: Duration,
}

/// Makes the steps and writes them down.
fn simulate(run: &mut SolidRun, steps: u32, every: NonZeroU32, record: &mut Record<'_>) -> Result<Tally, Failure> {
    let mut progress = Progress::new(steps);
    let mut tally = Tally::default();
    if let Record::Csv(table) = record {
        table.write(|mut out| write_csv_header(&mut out))?;
    }
    record.keep(run, true)?;
    for step in 1..=steps {
        record.prepare(run)?;
        let start = Instant::now();
        run.step();
        tally.wall += start.elapsed();
        tally.impacts += run.scene.world.events().impacts.len() as u64;
        record.keep(run, step % every == 0 || step == steps)?;
        progress.at(step);
    }
    Ok(tally)
}

fn energies(world: &World) -> Energies {
    Energies { kinetic: world.kinetic_energy(), potential: world.potential_energy() }
}

/// How the run went, in a few lines.
fn summarize(
    out: &mut dyn Write,
    options: &RunOptions<'_>,
    run: &SolidRun,
    start: Energies,
    tally: &Tally,
) -> io::Result<()> {
    let (about, world, steps) = (run.about(), &run.scene.world, run.step_index());
    writeln!(out, "{}: {}", about.name, about.summary)?;
    writeln!(out, "  steps                 {steps} ({:.2} s simulated)", about.seconds(steps))?;
    writeln!(out, "  bodies                {} ({} awake)", world.body_count(), world.awake_count())?;
    writeln!(out, "  springs               {}", world.spring_count())?;
    writeln!(out, "  impacts               {}", tally.impacts)?;
    energies(world).tell(out, start, |energy| format!("{energy:.6}"))?;
    report::wall_time(out, tally.wall, u64::from(steps))?;
    if options.is_as_intended() && run.built_in().is_some() {
        report::promise(out, run.check(), None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_scenes::{Entry, find_entry};

    #[test]
    fn what_is_asked_for_reaches_the_world() {
        let Ok(Entry::Solid(scene)) = find_entry("ball_pit") else { panic!("it is in space") };
        let picture = PictureArgs::default();
        let options = |threads, dt, space| RunOptions {
            steps: None,
            seconds: None,
            dt,
            threads,
            space,
            every: NonZeroU32::MIN,
            out: None,
            picture: &picture,
            hash: false,
            profile: false,
        };
        let own = scene.build();
        let same = options(None, None, SpaceArgs::default()).applied_to(scene.build()).unwrap();
        assert_eq!((same.scene.world.def(), same.about()), (own.scene.world.def(), own.about()));
        let other = options(Some(3), Some(0.001), SpaceArgs::default()).applied_to(scene.build()).unwrap();
        assert_eq!((other.scene.world.def().threads, other.about().dt), (3, 0.001));
        let space = SpaceArgs { integrator: Some(IntegratorName::Implicit), spin_frame: Some(SpinFrameName::Body) };
        let other = options(None, None, space).applied_to(scene.build()).unwrap();
        assert_eq!(other.scene.world.def().integrator, Integrator::ImplicitEuler);
        assert_eq!(other.spin_frame(), SpinFrame::Body);
        // The names of the command line are the engine's short ones.
        for name in IntegratorName::value_variants() {
            let text = name.to_possible_value().unwrap().get_name().to_owned();
            let space = SpaceArgs { integrator: Some(*name), spin_frame: None };
            let run = options(None, None, space).applied_to(scene.build()).unwrap();
            assert_eq!(Integrator::from_name(&text), Some(run.scene.world.def().integrator));
        }
        assert!(options(Some(65), None, SpaceArgs::default()).applied_to(scene.build()).is_err());
    }
}
