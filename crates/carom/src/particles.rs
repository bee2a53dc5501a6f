//! Particle scenes, built in and from files: finding them, and running them without a window.

use crate::csv::{self, Table};
use crate::failure::Failure;
use crate::picture::{PictureArgs, describe};
use crate::progress::Progress;
use crate::report::{self, Energies};
use crate::save::Save;
use carom_particles::{
    CollisionHandling, MAX_SCENE_BYTES, ParticleSystem, Scene, short_number, write_csv_header, write_csv_rows,
    write_frame,
};
use carom_render::Film;
use carom_scenes::{Entry, ParticleRun, ParticleScene, find_entry};
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    Ok(Scene::from_xml(&path.display().to_string(), &text)?)
}

/// Which particle scene is meant.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    File(&'a Path),
    BuiltIn(&'static ParticleScene),
}

impl<'a> Source<'a> {
    /// The file or the built-in scene of this name; none if it names rigid bodies.
    pub(crate) fn find(name: &'a str) -> Result<Option<Source<'a>>, Failure> {
        if is_scene_file(Path::new(name)) {
            return Ok(Some(Source::File(Path::new(name))));
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
                Ok(ParticleRun::new(path.display().to_string(), summary, scene))
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
    pub(crate) every: NonZeroU32,
    pub(crate) out: Option<&'a Path>,
    pub(crate) picture: &'a PictureArgs,
    /// Whether to print the hash of the final state.
    pub(crate) hash: bool,
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
    let mut record = Record::open(options, seconds, out)?;
    let start = energies(&run.scene.system);
    let tally = simulate(&mut run, steps, u64::from(options.every.get()), &mut record)?;

    let note = record.close(&run)?;
    let report = &mut *report::place(options.out, out);
    if options.out.is_none() {
        summarize(report, options, &run, start, &tally)?;
    } else if let Some(note) = note {
        writeln!(report, "wrote {note}")?;
    }
    if options.hash {
        writeln!(report, "hash {:#018x}", run.scene.system.state_hash())?;
    }
    Ok(())
}

/// What is kept of a run.
// There is one of it.
#[allow(clippy::large_enum_variant)]
enum Record<'o> {
    Nothing,
    Csv(Table<'o>),
    /// The frames of the binary format.
    Frames(Table<'o>),
    Film(Film, PathBuf),
    /// The end of the run as a scene file.
    Scene(Save),
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
        if has_ending(path, "bin") && !path.is_dir() {
            options.picture.refuse("a .bin file")?;
            if options.every.get() != 1 {
                return Err(Failure::Usage("--every is for CSV; a .bin file has every step".to_owned()));
            }
            return Ok(Record::Frames(Table::open(path, out)?));
        }
        if has_ending(path, "xml") && !path.is_dir() {
            options.picture.refuse("XML")?;
            if options.every.get() != 1 {
                return Err(Failure::Usage("--every is for CSV; a .xml file has the end of the run".to_owned()));
            }
            return Ok(Record::Scene(Save::open(path)?));
        }
        options.picture.check_for_particles()?;
        match options.picture.open(path, seconds, options.every) {
            Err(Failure::Ending(path)) => Err(Failure::Usage(format!(
                "cannot tell what to write to {}\n--out takes a file that ends in .png, .gif, .mp4, .csv, .bin or .xml, a \
                 folder DIR/, or - for CSV on standard output",
                path.display()
            ))),
            film => Ok(Record::Film(film?, path.to_owned())),
        }
    }

    /// What is to be done before a step.
    fn prepare(&mut self, run: &ParticleRun) -> Result<(), Failure> {
        match self {
            Record::Film(film, _) => Ok(film.before_step(run)?),
            _ => Ok(()),
        }
    }

    /// Writes the present state if it is one of those that are kept.
    fn keep(&mut self, run: &ParticleRun, step: u64, is_sampled: bool) -> Result<(), Failure> {
        let system = &run.scene.system;
        match self {
            Record::Csv(table) if is_sampled => table.write(|mut out| write_csv_rows(system, step, &mut out)),
            Record::Nothing | Record::Csv(_) | Record::Scene(_) => Ok(()),
            Record::Frames(table) => table.write(|mut out| write_frame(system, &mut out)),
            Record::Film(film, _) => Ok(film.after_step(run)?),
        }
    }

    /// Makes sure that everything has arrived, and says in words what was written.
    fn close(self, run: &ParticleRun) -> Result<Option<String>, Failure> {
        match self {
            Record::Nothing => Ok(None),
            Record::Csv(table) | Record::Frames(table) => Ok(table.close()?.map(|path| path.display().to_string())),
            Record::Film(film, path) => describe(film, run, &path).map(Some),
            Record::Scene(save) => save.close_particles(run).map(Some),
        }
    }
}

/// What is counted along the way.
#[derive(Default)]
struct Tally {
    contacts: u64,
    /// Steps in which Newton's method did not get as near as it should.
    unconverged: u64,
    wall: Duration,
}

/// Makes the steps and writes them down.
fn simulate(run: &mut ParticleRun, steps: u64, every: u64, record: &mut Record<'_>) -> Result<Tally, Failure> {
    let mut progress = Progress::new(u32::try_from(steps).unwrap_or(u32::MAX));
    let mut tally = Tally::default();
    if let Record::Csv(table) = record {
        table.write(|mut out| write_csv_header(&mut out))?;
    }
    record.keep(run, 0, true)?;
    for step in 1..=steps {
        record.prepare(run)?;
        let start = Instant::now();
        run.step();
        tally.wall += start.elapsed();
        tally.contacts += run.scene.system.contacts().len() as u64;
        tally.unconverged += u64::from(!run.scene.system.has_converged());
        record.keep(run, step, step.is_multiple_of(every) || step == steps)?;
        progress.at(u32::try_from(step).unwrap_or(u32::MAX));
    }
    Ok(tally)
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
    writeln!(out, "{}: {}", about.name, about.summary)?;
    writeln!(out, "  steps                 {steps} ({} s simulated)", short_number(steps as f64 * scene.dt))?;
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
    if !system.is_finite() {
        writeln!(out, "  not finite            some positions or velocities are no numbers any more")?;
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
