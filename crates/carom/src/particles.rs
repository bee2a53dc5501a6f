//! Particle scenes, built in and from files: finding them, and running them without a window.

use crate::failure::{Failure, shown};
use crate::picture::PictureArgs;
use crate::report::{self, Energies};
use crate::save::Save;
use crate::simulate::{Steps, Tally, Wanted, simulate};
use carom_particles::{
    CollisionHandling, MAX_SCENE_BYTES, ParticleSystem, Scene, short_number, write_csv_header, write_csv_rows,
    write_frame,
};
use carom_render::Subject;
use carom_scenes::{Entry, ParticleRun, ParticleScene, find_entry};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Does the name ask for a file with a particle scene?
pub(crate) fn is_scene_file(path: &Path) -> bool {
    has_ending(path, "xml")
}

/// Does the file's name end in a dot and this?
pub(crate) fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// Reads a scene, and never more of a file than a scene may have.
pub(crate) fn load(path: &Path) -> Result<Scene, Failure> {
    let mut text = Vec::new();
    // One byte more than allowed tells that there is more.
    File::open(path)
        .and_then(|file| file.take(MAX_SCENE_BYTES as u64 + 1).read_to_end(&mut text))
        .map_err(|error| Failure::Read { path: path.to_owned(), error })?;
    Ok(Scene::from_xml(&shown(path), &text)?)
}

/// Which particle scene is meant.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    File(&'a Path),
    BuiltIn(&'static ParticleScene),
}

impl<'a> Source<'a> {
    /// The file or the built-in scene of this name; none if it names a scene of another kind.
    pub(crate) fn find(name: &'a str) -> Result<Option<Source<'a>>, Failure> {
        if is_scene_file(Path::new(name)) {
            return Ok(Some(Source::File(Path::new(name))));
        }
        if carom_scenes::is_scene_file(name) {
            return Ok(None);
        }
        Ok(match find_entry(name)? {
            Entry::Particles(scene) => Some(Source::BuiltIn(scene)),
            Entry::Rigid(_) | Entry::Solid(_) => None,
        })
    }

    /// The scene at its start.
    pub(crate) fn load(self) -> Result<ParticleRun, Failure> {
        match self {
            Source::BuiltIn(scene) => Ok(scene.build()),
            Source::File(path) => {
                let scene = load(path)?;
                let summary = one_line(&scene.description);
                Ok(ParticleRun::new(shown(path), summary, scene))
            }
        }
    }
}

/// How a particle scene is to be run.
pub(crate) struct RunOptions<'a> {
    pub(crate) source: Source<'a>,
    /// None for the scene's own length.
    pub(crate) steps: Option<u32>,
    /// In place of the time the scene has.
    pub(crate) seconds: Option<f64>,
    pub(crate) wanted: Wanted<'a>,
}

impl RunOptions<'_> {
    /// Is this how the scene is meant to be run, so that its promise counts?
    fn is_as_intended(&self) -> bool {
        self.steps.is_none() && self.seconds.is_none()
    }
}

/// More steps are not made unless `--steps` asks for them: a file with a slip in its numbers would run for
/// ever.
const MOST_STEPS: u64 = 100_000_000;

/// How many steps a scene has, if that is a number of steps to be made.
pub(crate) fn step_count(scene: &Scene) -> Result<u64, String> {
    let steps = scene.steps();
    if steps <= MOST_STEPS {
        return Ok(steps);
    }
    let (count, dt) = (short_number(scene.duration / scene.dt), short_number(scene.dt));
    Err(format!("{count} steps of {dt} s are too many: at most {MOST_STEPS} are made"))
}

pub(crate) fn run(options: &RunOptions<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut run = options.source.load()?;
    run.scene.duration = options.seconds.unwrap_or(run.scene.duration);
    let steps = match options.steps {
        Some(steps) => u64::from(steps),
        None => step_count(&run.scene)
            .map_err(|why| Failure::Usage(format!("{why}\nask for fewer with --steps or --seconds")))?,
    };
    let seconds = options.seconds.unwrap_or(steps as f64 * run.scene.dt);
    let start = energies(&run.scene.system);
    simulate(&mut run, (steps, seconds), &options.wanted, out, |report, run, tally| {
        summarize(report, options, run, start, tally)
    })?;
    match run.scene.system.frozen().len() {
        0 => Ok(()),
        count => Err(Failure::Frozen(count)),
    }
}

impl Steps for ParticleRun {
    const SCENE_FILE: Option<&'static str> = Some("xml");
    const FRAMES_FILE: Option<&'static str> = Some("bin");
    const ENDINGS: &'static str = ".png, .gif, .mp4, .csv, .bin or .xml";

    fn step(&mut self) {
        ParticleRun::step(self);
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Particles(self)
    }

    fn check_picture(picture: &PictureArgs) -> Result<(), Failure> {
        picture.check_for_particles()
    }

    fn write_header(&self, mut out: &mut dyn Write) -> io::Result<()> {
        write_csv_header(&mut out)
    }

    fn write_rows(&self, step: u64, mut out: &mut dyn Write) -> io::Result<()> {
        write_csv_rows(&self.scene.system, step, &mut out)
    }

    fn write_frame(&self, mut out: &mut dyn Write) -> io::Result<()> {
        write_frame(&self.scene.system, &mut out)
    }

    fn save(&self, save: Save) -> Result<String, Failure> {
        save.close_particles(self)
    }

    fn count(&self, tally: &mut Tally) {
        tally.contacts += self.scene.system.contacts().len() as u64;
        tally.unconverged += u64::from(!self.scene.system.has_converged());
    }

    fn state_hash(&self) -> u64 {
        self.scene.system.state_hash()
    }
}

fn energies(system: &ParticleSystem) -> Energies {
    Energies { kinetic: system.kinetic_energy(), potential: system.potential_energy() }
}

/// How the run went, in a few lines.
fn summarize(
    out: &mut dyn Write,
    options: &RunOptions<'_>,
    run: &ParticleRun,
    start: Energies,
    tally: &Tally,
) -> io::Result<()> {
    let (about, scene) = (run.about(), &run.scene);
    let system = &scene.system;
    let steps = system.step_count();
    report::heading(out, about, steps, &short_number(steps as f64 * scene.dt))?;
    writeln!(out, "  particles             {}", system.particle_count())?;
    writeln!(out, "  integrator            {}", scene.integrator().title())?;
    writeln!(out, "  collisions            {}", system.collisions().title())?;
    match system.collisions() {
        CollisionHandling::Simple(_) | CollisionHandling::Continuous(_) => {
            writeln!(
                out,
                "  contacts              {} in the last step, {} in all",
                system.contacts().len(),
                tally.contacts
            )?;
        }
        _ => {
            writeln!(out, "  contacts              not recorded by this way of handling collisions")?;
        }
    }
    energies(system).tell(out, start, short_number)?;
    if tally.unconverged > 0 {
        writeln!(out, "  not converged         {} steps", tally.unconverged)?;
    }
    if !system.frozen().is_empty() {
        writeln!(out, "  frozen                {} particles left the finite range", system.frozen().len())?;
    }
    report::wall_time(out, tally.wall, steps)?;
    if options.is_as_intended() && run.built_in().is_some() {
        report::promise(out, run.check(), None)?;
    }
    Ok(())
}

/// Text from a file, on one line and without what would upset a terminal.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_scene_files_by_their_ending() {
        for name in ["a.xml", "b/c.XML", "./x.y.xml"] {
            assert!(is_scene_file(Path::new(name)), "{name}");
        }
        for name in ["stack", "xml", ".xml", "a.xml.gz", "a.json", ""] {
            assert!(!is_scene_file(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn descriptions_fit_on_a_line() {
        assert_eq!(one_line(" two\r\n lines\t\u{1b}[31mred "), "two lines [31mred");
    }
}
