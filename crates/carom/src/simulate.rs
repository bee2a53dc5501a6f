//! Making the steps of a run without a window, and keeping what is asked for: the same for all kinds of scenes.

use crate::csv::{self, Table};
use crate::failure::{Failure, shown};
use crate::particles::has_ending;
use crate::picture::{PictureArgs, describe};
use crate::progress::Progress;
use crate::report;
use crate::save::Save;
use carom_render::{Film, Subject};
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run of one kind of scene.
pub(crate) trait Steps {
    /// Ending of the scene files that its end is written to, if it is.
    const SCENE_FILE: Option<&'static str>;
    /// Ending of the files that have every step with its contacts, if there are such.
    const FRAMES_FILE: Option<&'static str>;
    /// The endings of files that `--out` takes, in words.
    const ENDINGS: &'static str;

    fn step(&mut self);
    /// What pictures are drawn of.
    fn subject(&self) -> Subject<'_>;
    /// Fails if a picture is asked for that cannot be made of it.
    fn check_picture(picture: &PictureArgs) -> Result<(), Failure>;
    /// The first line of a table.
    fn write_header(&self, out: &mut dyn Write) -> io::Result<()>;
    /// The rows of a table for the present state.
    fn write_rows(&self, step: u64, out: &mut dyn Write) -> io::Result<()>;
    /// The present state with its contacts, for kinds that have a [`Steps::FRAMES_FILE`].
    fn write_frame(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Writes its end as a scene file, and says in words what was written: for kinds that have a [`Steps::SCENE_FILE`].
    fn save(&self, _save: Save) -> Result<String, Failure> {
        Err(Failure::Usage("scenes of this kind are not written as files".to_owned()))
    }
    /// Counts what happened in the last step.
    fn count(&self, _tally: &mut Tally) {}
    fn state_hash(&self) -> u64;
    /// How the time of so many steps was spent, for kinds that measure it.
    fn write_profile(&self, _out: &mut dyn Write, _steps: u64) -> io::Result<()> {
        Ok(())
    }
}

/// What is asked of a run besides its steps.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) every: NonZeroU32,
    pub(crate) out: Option<&'a Path>,
    pub(crate) picture: &'a PictureArgs,
    /// Whether to print the hash of the final state.
    pub(crate) hash: bool,
    /// Whether to print how the time was spent.
    pub(crate) profile: bool,
}

/// What is counted along the way.
#[derive(Default)]
pub(crate) struct Tally {
    /// Impacts or contacts of all steps, where the kind of scene counts them.
    pub(crate) contacts: u64,
    /// Steps in which Newton's method did not get as near as it should.
    pub(crate) unconverged: u64,
    /// The time that the steps alone took.
    pub(crate) wall: Duration,
}

/// Makes the steps, keeps and says what is asked for. `summarize` says in a few lines how the run went, where it is not
/// written to a file.
pub(crate) fn simulate<R: Steps>(
    run: &mut R,
    (steps, seconds): (u64, f64),
    wanted: &Wanted<'_>,
    out: &mut dyn Write,
    summarize: impl FnOnce(&mut dyn Write, &R, &Tally) -> io::Result<()>,
) -> Result<(), Failure> {
    // Where the result goes is settled before the steps are made: a run that cannot be kept need not be waited for.
    let mut record = Record::open::<R>(wanted, seconds, out)?;
    let tally = make_steps(run, steps, wanted.every, &mut record)?;
    let note = record.close(run)?;
    let report = &mut *report::place(wanted.out, out);
    if wanted.out.is_none() {
        summarize(report, run, &tally)?;
    } else if let Some(note) = note {
        writeln!(report, "wrote {note}")?;
    }
    if wanted.profile {
        run.write_profile(report, steps)?;
    }
    if wanted.hash {
        writeln!(report, "hash {:#018x}", run.state_hash())?;
    }
    Ok(())
}

/// Makes the steps and writes them down.
fn make_steps<R: Steps>(run: &mut R, steps: u64, every: NonZeroU32, record: &mut Record<'_>) -> Result<Tally, Failure> {
    let shown_step = |step: u64| u32::try_from(step).unwrap_or(u32::MAX);
    let mut progress = Progress::new(shown_step(steps));
    let mut tally = Tally::default();
    if let Record::Table(table) = record {
        table.write(|out| run.write_header(out).and_then(|()| run.write_rows(0, out)))?;
    }
    if let Record::Frames(table) = record {
        table.write(|out| run.write_frame(out))?;
    }
    for step in 1..=steps {
        if let Record::Film(film, _) = record {
            film.before_step(run.subject())?;
        }
        let start = Instant::now();
        run.step();
        tally.wall += start.elapsed();
        run.count(&mut tally);
        match record {
            Record::Table(table) if step.is_multiple_of(u64::from(every.get())) || step == steps => {
                table.write(|out| run.write_rows(step, out))?;
            }
            Record::Frames(table) => table.write(|out| run.write_frame(out))?,
            Record::Film(film, _) => film.after_step(run.subject())?,
            Record::Nothing | Record::Scene(_) | Record::Table(_) => {}
        }
        progress.at(shown_step(step));
    }
    Ok(tally)
}

/// What is kept of a run.
// There is one of it.
#[allow(clippy::large_enum_variant)]
enum Record<'o> {
    Nothing,
    Table(Table<'o>),
    /// Every step with its contacts.
    Frames(Table<'o>),
    Film(Film, PathBuf),
    /// The end of the run as a scene file.
    Scene(Save),
}

impl<'o> Record<'o> {
    fn open<R: Steps>(wanted: &Wanted<'_>, seconds: f64, out: &'o mut dyn Write) -> Result<Record<'o>, Failure> {
        let Wanted { every, picture, .. } = *wanted;
        let Some(path) = wanted.out else {
            picture.refuse("a run without --out")?;
            return Ok(Record::Nothing);
        };
        if csv::is_meant(path) {
            picture.refuse("CSV")?;
            return Ok(Record::Table(Table::open(path, out)?));
        }
        let is_file = |ending: &&str| has_ending(path, ending) && !path.is_dir();
        let refuse = |ending: &str, instead: &str, holds: &str| {
            picture.refuse(instead)?;
            if every.get() == 1 {
                return Ok(());
            }
            Err(Failure::Usage(format!("--every is for CSV; a .{ending} file has {holds}")))
        };
        if let Some(ending) = R::FRAMES_FILE.filter(is_file) {
            refuse(ending, &format!("a .{ending} file"), "every step")?;
            return Ok(Record::Frames(Table::open(path, out)?));
        }
        if let Some(ending) = R::SCENE_FILE.filter(is_file) {
            refuse(ending, &ending.to_ascii_uppercase(), "the end of the run")?;
            return Ok(Record::Scene(Save::open(path)?));
        }
        R::check_picture(picture)?;
        match picture.open(path, seconds, every) {
            Err(Failure::Ending(path)) => Err(Failure::Usage(format!(
                "cannot tell what to write to {}\n--out takes a file that ends in {}, a folder DIR/, or \
                 - for CSV on standard output",
                shown(path),
                R::ENDINGS
            ))),
            film => Ok(Record::Film(film?, path.to_owned())),
        }
    }

    /// Makes sure that everything has arrived, and says in words what was written.
    fn close<R: Steps>(self, run: &R) -> Result<Option<String>, Failure> {
        match self {
            Record::Nothing => Ok(None),
            Record::Table(table) | Record::Frames(table) => Ok(table.close()?.map(|path| shown(&path))),
            Record::Film(film, path) => describe(film, run.subject(), &path).map(Some),
            Record::Scene(save) => run.save(save).map(Some),
        }
    }
}
