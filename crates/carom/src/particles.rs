//! Particle scenes: reading their files, and running them without a window.

use crate::csv::Table;
use crate::failure::Failure;
use crate::progress::Progress;
use carom_particles::{
    CollisionHandling, MAX_SCENE_BYTES, ParticleSystem, Scene, short_number, write_csv_header, write_csv_rows,
    write_frame,
};
use carom_render::Format;
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
fn has_ending(path: &Path, ending: &str) -> bool {
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

/// How a particle scene is to be run.
pub(crate) struct RunOptions<'a> {
    pub(crate) path: &'a Path,
    /// None for the scene's own length.
    pub(crate) steps: Option<u32>,
    /// In place of the time the scene has.
    pub(crate) seconds: Option<f64>,
    pub(crate) every: NonZeroU32,
    pub(crate) out: Option<&'a Path>,
    /// Whether to print the hash of the final state.
    pub(crate) hash: bool,
}

pub(crate) fn run(options: &RunOptions<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut scene = load(options.path)?;
    scene.duration = options.seconds.unwrap_or(scene.duration);
    let steps = options.steps.map_or_else(|| scene.steps(), u64::from);
    let mut record = Record::open(options, out)?;
    let start = Energies::of(&scene.system);
    let tally = simulate(&mut scene, steps, u64::from(options.every.get()), &mut record)?;

    let written = record.close()?;
    let mut stderr = io::stderr();
    let report: &mut dyn Write = if options.out == Some(Path::new("-")) { &mut stderr } else { out };
    if options.out.is_none() {
        summarize(report, options.path, &scene, start, &tally)?;
    } else if let Some(path) = written {
        writeln!(report, "wrote {}", path.display())?;
    }
    if options.hash {
        writeln!(report, "hash {:#018x}", scene.system.state_hash())?;
    }
    Ok(())
}

/// What is kept of a run.
enum Record<'o> {
    Nothing,
    Csv(Table<'o>),
    /// The frames of the binary format.
    Frames(Table<'o>),
}

impl<'o> Record<'o> {
    fn open(options: &RunOptions<'_>, out: &'o mut dyn Write) -> Result<Record<'o>, Failure> {
        let Some(path) = options.out else { return Ok(Record::Nothing) };
        if path == Path::new("-") || has_ending(path, "csv") {
            return Ok(Record::Csv(Table::open(path, out)?));
        }
        if has_ending(path, "bin") {
            if options.every.get() != 1 {
                return Err(Failure::Usage("--every is for CSV; a .bin file has every step".to_owned()));
            }
            return Ok(Record::Frames(Table::open(path, out)?));
        }
        let why = match Format::of(path) {
            Some(_) => "pictures and movies of particle scenes are not there yet".to_owned(),
            None => format!("cannot tell what to write to {}", path.display()),
        };
        Err(Failure::Usage(format!(
            "{why}\n--out takes a file that ends in .csv or .bin for these, or - for CSV on standard output"
        )))
    }

    /// Writes the present state if it is one of those that are kept.
    fn keep(&mut self, system: &ParticleSystem, step: u64, is_sampled: bool) -> Result<(), Failure> {
        match self {
            Record::Csv(table) if is_sampled => table.write(|mut out| write_csv_rows(system, step, &mut out)),
            Record::Nothing | Record::Csv(_) => Ok(()),
            Record::Frames(table) => table.write(|mut out| write_frame(system, &mut out)),
        }
    }

    /// Makes sure that everything has arrived, and gives back the name of the file.
    fn close(self) -> Result<Option<PathBuf>, Failure> {
        match self {
            Record::Nothing => Ok(None),
            Record::Csv(table) | Record::Frames(table) => table.close(),
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
fn simulate(scene: &mut Scene, steps: u64, every: u64, record: &mut Record<'_>) -> Result<Tally, Failure> {
    let mut progress = Progress::new(u32::try_from(steps).unwrap_or(u32::MAX));
    let mut tally = Tally::default();
    if let Record::Csv(table) = record {
        table.write(|mut out| write_csv_header(&mut out))?;
    }
    record.keep(&scene.system, 0, true)?;
    for step in 1..=steps {
        let start = Instant::now();
        scene.system.step(scene.dt);
        tally.wall += start.elapsed();
        tally.contacts += scene.system.contacts().len() as u64;
        tally.unconverged += u64::from(!scene.system.has_converged());
        record.keep(&scene.system, step, step.is_multiple_of(every) || step == steps)?;
        progress.at(u32::try_from(step).unwrap_or(u32::MAX));
    }
    Ok(tally)
}

/// Energies at one moment, in J.
struct Energies {
    kinetic: f64,
    potential: f64,
}

impl Energies {
    fn of(system: &ParticleSystem) -> Energies {
        Energies { kinetic: system.kinetic_energy(), potential: system.potential_energy() }
    }
}

/// How the run went, in a few lines.
fn summarize(out: &mut dyn Write, path: &Path, scene: &Scene, start: Energies, tally: &Tally) -> io::Result<()> {
    let system = &scene.system;
    let steps = system.step_count();
    let end = Energies::of(system);
    let change = |a: f64, b: f64| format!("{} J, {} J at the start", short_number(b), short_number(a));
    writeln!(out, "{}: {}", path.display(), one_line(&scene.description))?;
    writeln!(out, "  steps                 {steps} ({} s simulated)", short_number(steps as f64 * scene.dt))?;
    writeln!(out, "  particles             {}", system.particle_count())?;
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
    writeln!(out, "  kinetic energy        {}", change(start.kinetic, end.kinetic))?;
    writeln!(out, "  potential energy      {}", change(start.potential, end.potential))?;
    writeln!(out, "  total energy          {}", change(start.kinetic + start.potential, end.kinetic + end.potential))?;
    if tally.unconverged > 0 {
        writeln!(out, "  not converged         {} steps", tally.unconverged)?;
    }
    if !system.is_finite() {
        writeln!(out, "  not finite            some positions or velocities are no numbers any more")?;
    }
    if steps > 0 {
        writeln!(out, "  wall time             {:.3} ms per step", 1e3 * tally.wall.as_secs_f64() / steps as f64)?;
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
