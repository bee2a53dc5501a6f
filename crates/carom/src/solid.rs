//! Scenes in space, built in and from files: running them without a window, and checking files.

use crate::failure::Failure;
use crate::picture::PictureArgs;
use crate::report::{self, Energies};
use crate::simulate::{Steps, Tally, Wanted, simulate};
use carom_particles::short_number;
use carom_render::Subject;
use carom_scenes::{Run, SolidRun};
use carom3d::{Integrator, SpinFrame, World, WorldDef, write_csv_header, write_csv_rows};
use clap::ValueEnum;
use std::io::{self, Write};

/// Heading of what only scenes in space have.
pub(crate) const SPACE: &str = "Scenes in space";

/// What only scenes in space have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct SpaceArgs {
    /// How states follow from forces [default: rk4]
    #[arg(long, value_name = "KIND", help_heading = SPACE)]
    pub(crate) integrator: Option<IntegratorName>,

    /// Whether the angular velocities of the scene are meant about the axes of each body or of the world
    /// [default: world]
    #[arg(long, value_name = "FRAME", help_heading = SPACE)]
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
    pub(crate) wanted: Wanted<'a>,
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
        run.scene.world.set_profiling(self.wanted.profile);
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
    let start = energies(&run.scene.world);
    simulate(&mut run, (u64::from(steps), seconds), &options.wanted, out, |report, run, tally| {
        summarize(report, options, run, start, tally)
    })
}

impl Steps for SolidRun {
    const SCENE_FILE: Option<&'static str> = None;
    const FRAMES_FILE: Option<&'static str> = None;
    const ENDINGS: &'static str = ".png, .gif, .mp4 or .csv";

    fn step(&mut self) {
        SolidRun::step(self);
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Solid(self)
    }

    fn check_picture(picture: &PictureArgs) -> Result<(), Failure> {
        picture.check_for_solids()
    }

    fn write_header(&self, mut out: &mut dyn Write) -> io::Result<()> {
        write_csv_header(&mut out)
    }

    fn write_rows(&self, _step: u64, mut out: &mut dyn Write) -> io::Result<()> {
        write_csv_rows(&self.scene.world, self.scene.bodies(), &mut out)
    }

    fn count(&self, tally: &mut Tally) {
        tally.contacts += self.scene.world.events().impacts.len() as u64;
    }

    fn state_hash(&self) -> u64 {
        self.scene.world.state_hash()
    }

    fn write_profile(&self, out: &mut dyn Write, steps: u64) -> io::Result<()> {
        let times: Vec<(&str, f64)> =
            self.scene.world.stage_times().map(|(stage, time)| (stage.name(), time)).collect();
        report::stages(out, &times, steps)
    }
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
    report::heading(out, about, u64::from(steps), &format!("{:.2}", about.seconds(steps)))?;
    writeln!(out, "  bodies                {} ({} awake)", world.body_count(), world.awake_count())?;
    let frozen = run.scene.bodies().filter(|&id| world.get_body(id).is_some_and(|body| body.is_frozen())).count();
    if frozen > 0 {
        writeln!(out, "  frozen                {frozen} bodies, which left the range of numbers or hit without end")?;
    }
    writeln!(out, "  springs               {}", world.spring_count())?;
    writeln!(out, "  impacts               {}", tally.contacts)?;
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
    use std::num::NonZeroU32;

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
            wanted: Wanted { every: NonZeroU32::MIN, out: None, picture: &picture, hash: false, profile: false },
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
