//! `carom compare`: grading a trajectory of a particle scene, step by step.

use crate::failure::{Failure, shown};
use crate::particles::{Source, step_count};
use crate::picture::{PictureArgs, describe};
use crate::progress::Progress;
use carom_particles::{Frame, FrameReader, Report, StepReport, TrajectoryError, compare_with};
use carom_render::{Film, Format, RenderError, WholeFile};
use carom_scenes::ParticleRun;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The particle scene that the trajectory belongs to: a file that ends in .xml, or a built-in one
    scene: String,

    /// The trajectory, as `carom run SCENE --out FILE.bin` and FOSSSim write it
    #[arg(value_name = "FILE.bin")]
    file: PathBuf,

    /// Draw the trajectory with what is wrong with it: to FILE, which ends in .png, .gif or .mp4, or to a
    /// folder DIR/
    ///
    /// A ring of twice its radius marks each particle that is off. Lines from a particle's centre show n of
    /// collisions: green where one was missed, red where one is superfluous, red beside green where one is
    /// wrong. PNG: the first step with something wrong, or else the end. Movies: marks stay for half a
    /// second.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// PNG: show this step; 0 is the start [default: the first with something wrong]
    #[arg(long, value_name = "N", value_parser = step, allow_negative_numbers = true)]
    step: Option<u64>,

    /// Write the four residuals to a file as the original does: whether each passes, and its value
    #[arg(long, value_name = "FILE")]
    residuals: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureArgs,
}

fn step(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected the number of a step, from 0, the start".to_owned())
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(source) = Source::find(&args.scene)? else {
        return Err(Failure::Usage(format!(
            "{} is no particle scene\n`carom compare` takes one, built in or a file that ends in .xml, then a trajectory",
            args.scene
        )));
    };
    let run = source.load()?;
    let steps = step_count(&run.scene).map_err(|why| Failure::Usage(format!("{}: {why}", args.scene)))?;
    let file = File::open(&args.file).map_err(|error| Failure::Read { path: args.file.clone(), error })?;
    // Where results go is settled first: a result that cannot be kept need not be waited for.
    let residuals = args.residuals.as_deref().map(Residuals::create).transpose()?;
    let scene = run.scene.clone();
    let mut pictures = Pictures::open(args, run, steps)?;

    let mut progress = Progress::new(u32::try_from(steps).unwrap_or(u32::MAX));
    let report = pictures.start(&args.file).and_then(|()| {
        compare_with(&scene, BufReader::new(file), |frame, step| {
            pictures.show(frame, step);
            progress.at(u32::try_from(step.step).unwrap_or(u32::MAX));
        })
    });
    drop(progress);
    let report = match report {
        Ok(report) => report,
        Err(error) => return Err(Failure::of_trajectory(&args.file, error)),
    };
    if let Some(note) = pictures.close()? {
        writeln!(out, "wrote {note}")?;
    }
    if let Some(residuals) = residuals {
        residuals.write(&report)?;
    }
    if report.has_trailing_bytes {
        writeln!(io::stderr(), "note: {} goes on after the scene's last step", shown(&args.file)).ok();
    }
    // The verdict is in the exit code too, and stays there when the report is not read to its end.
    match writeln!(out, "{report}").and_then(|()| out.flush()).map_err(Failure::from) {
        Ok(()) | Err(Failure::ReaderGone) if report.passed() => Ok(()),
        Ok(()) | Err(Failure::ReaderGone) => Err(Failure::NotPassed),
        Err(failure) => Err(failure),
    }
}

/// The file with the four residuals.
struct Residuals {
    path: PathBuf,
    file: WholeFile,
}

impl Residuals {
    fn create(path: &Path) -> Result<Residuals, Failure> {
        let file = WholeFile::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Residuals { path: path.to_owned(), file })
    }

    fn write(mut self, report: &Report) -> Result<(), Failure> {
        let written = report.write_residuals(&mut self.file).and_then(|()| self.file.finish());
        written.map_err(|error| Failure::Write { path: self.path, error })
    }
}

/// The trajectory as it is drawn, if anybody asked for it.
struct Pictures {
    /// At the frame of the file that was read last.
    run: ParticleRun,
    film: Option<(Film, PathBuf)>,
    /// Which step a single picture shows: this one, or the first with something wrong.
    wanted: Wanted,
    /// What a single picture shows, once that is known.
    still: Option<(ParticleRun, StepReport)>,
    /// What went wrong with the film; nothing is drawn after that.
    error: Option<RenderError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Movie,
    FirstFault,
    Step(u64),
}

impl Pictures {
    fn open(args: &Args, run: ParticleRun, steps: u64) -> Result<Pictures, Failure> {
        let is_still = args.out.as_deref().and_then(Format::of) == Some(Format::Png);
        let wanted = match args.step {
            Some(_) if !is_still => {
                return Err(Failure::Usage("--step is for an --out that ends in .png".to_owned()));
            }
            Some(step) if step > steps => {
                return Err(Failure::Usage(format!("there is no step {step}; the scene has {steps}")));
            }
            Some(step) => Wanted::Step(step),
            None if is_still => Wanted::FirstFault,
            None => Wanted::Movie,
        };
        let film = match &args.out {
            None => {
                args.picture.refuse("a comparison without --out")?;
                None
            }
            Some(path) => {
                args.picture.check_for_particles()?;
                let film = args.picture.open(path, steps as f64 * run.scene.dt, NonZeroU32::MIN);
                let film = film.map_err(|failure| match failure {
                    Failure::Ending(path) => Failure::Usage(format!(
                        "cannot tell what to draw to {}\n--out takes a file that ends in .png, .gif or .mp4, or a \
                         folder DIR/",
                        shown(path)
                    )),
                    failure => failure,
                });
                Some((film?, path.clone()))
            }
        };
        Ok(Pictures { run, film, wanted, still: None, error: None })
    }

    /// Takes over the start of the trajectory.
    fn start(&mut self, file: &Path) -> Result<(), TrajectoryError> {
        if self.film.is_none() {
            return Ok(());
        }
        let file = File::open(file).map_err(|error| TrajectoryError::Io { frame: 0, error })?;
        let mut frame = Frame::default();
        FrameReader::new(&self.run.scene, BufReader::new(file)).read(&mut frame)?;
        self.run.start_from(&frame);
        self.hold(&StepReport::default());
        Ok(())
    }

    /// Takes over the next frame of the trajectory, with what is wrong with it.
    fn show(&mut self, frame: &Frame, report: &StepReport) {
        let Some((film, _)) = &mut self.film else { return };
        if self.wanted != Wanted::Movie {
            self.run.follow(frame);
            self.hold(report);
        } else if self.error.is_none() {
            let mut follow = || {
                film.before_step(&self.run)?;
                self.run.follow(frame);
                film.mark(&self.run, report);
                film.after_step(&self.run)
            };
            self.error = follow().err();
        }
    }

    /// Keeps the present state if it is what a single picture shows.
    fn hold(&mut self, report: &StepReport) {
        let is_wanted = match self.wanted {
            Wanted::Movie => false,
            Wanted::Step(step) => report.step == step,
            Wanted::FirstFault => !report.is_clean(),
        };
        if is_wanted && self.still.is_none() {
            self.still = Some((self.run.clone(), report.clone()));
        }
    }

    /// Finishes the picture or movie and says in words what was written.
    fn close(self) -> Result<Option<String>, Failure> {
        let Some((mut film, path)) = self.film else { return Ok(None) };
        if let Some(error) = self.error {
            return Err(error.into());
        }
        let Some((run, report)) = self.still else { return describe(film, &self.run, &path).map(Some) };
        film.mark(&run, &report);
        Ok(Some(format!("{}, step {}", describe(film, &run, &path)?, report.step)))
    }
}
