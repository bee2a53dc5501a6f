//! `carom fosssim`: the command line of the original FOSSSim, so that scripts written for it can drive carom.
//!
//! Flags, defaults, names of files and exit codes are the original's: 1 for bad usage and unreadable files, 0 for a
//! trajectory that was graded, whatever the verdict. What differs on purpose: pictures are drawn without a display, too,
//! where the original writes transparent ones; an error in a `halfplane` ends with 1 like every other, not with 0; files are
//! written before the window opens, which then shows the scene in its own time, whatever `maxsimfreq` says.

use crate::failure::Failure;
use crate::particles::{load, step_count};
use crate::view::trajectory_of;
use carom_particles::{Frame, FrameReader, Scene, StepReport, TrajectoryError, compare_with, write_frame};
use carom_render::{
    Canvas, Decor, DrawList, Look, Marks, Poses, Rgba, Size, Theme, View, WholeFile, draw_run, encode_png, write_svg,
};
use carom_scenes::{ParticleRun, Run};
use carom_viewer::Start;
use clap::builder::TypedValueParser;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The scene, an XML file
    #[arg(short, long, value_name = "FILE")]
    scene: PathBuf,

    /// Begin paused; for the window
    #[arg(short, long, value_name = "0|1", action = clap::ArgAction::Set, default_value = "1", value_parser = zero_or_one())]
    paused: bool,

    /// 1: show the scene in a window; 0: run it without one
    #[arg(short, long, value_name = "0|1", action = clap::ArgAction::Set, default_value = "1", value_parser = zero_or_one())]
    display: bool,

    /// Write a picture of each step into the folder pngs, which must exist: frame00001.png shows the start
    #[arg(short, long, value_name = "0|1", action = clap::ArgAction::Set, default_value = "0", value_parser = zero_or_one())]
    generate: bool,

    /// Write the trajectory to this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "inputfile")]
    outputfile: Option<PathBuf>,

    /// Grade the trajectory in this file, and write the residuals to residual.txt
    #[arg(short, long, value_name = "FILE")]
    inputfile: Option<PathBuf>,

    /// Write an SVG picture of each step into this folder, which must exist
    #[arg(short, long, value_name = "DIR")]
    moviedir: Option<PathBuf>,
}

fn zero_or_one() -> impl TypedValueParser<Value = bool> {
    clap::builder::PossibleValuesParser::new(["0", "1"]).map(|value| value == "1")
}

/// The exit code of everything that goes wrong.
pub(crate) const FAILED: u8 = 1;

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut scene = load(&args.scene).map_err(|failure| match failure {
        Failure::SceneFile(error) => Failure::Usage(format!("ERROR IN XMLSCENEPARSER: {error}")),
        failure => failure,
    })?;
    // The original lets numbers go where they go.
    scene.system.set_freezing(false);
    let steps = step_count(&scene).map_err(|why| Failure::Usage(format!("{}: {why}", args.scene.display())))?;
    introduce(args, &scene, out)?;
    let run = ParticleRun::new(args.scene.display().to_string(), scene.description.clone(), scene);
    match &args.inputfile {
        Some(input) => grade(args, run.clone(), input, steps, out)?,
        // A window makes the steps itself, as it shows them.
        None if args.display && !args.writes_something() => {}
        None => simulate(args, run.clone(), steps, out)?,
    }
    if args.display { show(args, run) } else { Ok(()) }
}

impl Args {
    fn writes_something(&self) -> bool {
        self.outputfile.is_some() || self.generate || self.moviedir.is_some()
    }
}

/// What the original says before it begins.
fn introduce(args: &Args, scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "carom {}, as FOSSSim", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "Build type: {}", if cfg!(debug_assertions) { "Debug" } else { "Release" })?;
    writeln!(out, "Vectorization: Disabled")?;
    writeln!(out, "Scene: {}", args.scene.display())?;
    writeln!(out, "Integrator: {}", scene.integrator().title())?;
    writeln!(out, "Collision Handling: {}", scene.system.collisions().original_title())?;
    writeln!(out, "Description: {}", scene.description)
}

/// Grades a trajectory, and draws it with what is wrong with it. The verdict is in the text, not in the exit code.
fn grade(args: &Args, mut run: ParticleRun, input: &Path, steps: u64, out: &mut dyn Write) -> Result<(), Failure> {
    let open =
        || File::open(input).map(BufReader::new).map_err(|error| Failure::Read { path: input.to_owned(), error });
    let file = open()?;
    let mut pictures = Pictures::new(args, &run)?;
    if pictures.are_wanted() {
        let start = first_frame(&run.scene, open()?).map_err(|error| Failure::of_trajectory(input, error))?;
        run.start_from(&start);
    }
    let scene = run.scene.clone();
    let mut bar = Bar::new(steps, !args.display);
    let mut drawn = Ok(());
    let mut draw = |frame: &Frame, step: &StepReport| -> Result<(), Failure> {
        bar.at(step.step, out)?;
        if pictures.are_wanted() {
            pictures.before_step(&run, step.step)?;
            run.follow(frame);
            pictures.marks = Marks::of(&run, step);
            pictures.after_step(&run, step.step)?;
        }
        Ok(())
    };
    let report = compare_with(&scene, file, |frame, step| {
        if drawn.is_ok() {
            drawn = draw(frame, step);
        }
    });
    let report = report.map_err(|error| Failure::of_trajectory(input, error))?;
    drawn?;
    bar.finish(out)?;
    let path = PathBuf::from("residual.txt");
    write_file(&path, |file| report.write_residuals(file))?;
    Ok(writeln!(out, "{report}")?)
}

fn first_frame(scene: &Scene, file: BufReader<File>) -> Result<Frame, TrajectoryError> {
    let mut frame = Frame::default();
    FrameReader::new(scene, file).read(&mut frame)?;
    Ok(frame)
}

/// Makes all steps and writes what was asked for.
fn simulate(args: &Args, mut run: ParticleRun, steps: u64, out: &mut dyn Write) -> Result<(), Failure> {
    let mut trajectory = args.outputfile.as_deref().map(Trajectory::create).transpose()?;
    let mut pictures = Pictures::new(args, &run)?;
    let mut bar = Bar::new(steps, !args.display);
    if let Some(trajectory) = &mut trajectory {
        trajectory.write(&run)?;
    }
    for step in 1..=steps {
        pictures.before_step(&run, step)?;
        run.step();
        if let Some(trajectory) = &mut trajectory {
            trajectory.write(&run)?;
        }
        pictures.after_step(&run, step)?;
        bar.at(step, out)?;
    }
    bar.finish(out)?;
    trajectory.map_or(Ok(()), Trajectory::finish)
}

fn show(args: &Args, run: ParticleRun) -> Result<(), Failure> {
    let name = args.scene.display().to_string();
    let run = Run::Particles(Box::new(run));
    let trajectory = args.inputfile.as_deref().map(|path| trajectory_of(&name, &run, path)).transpose()?;
    let start = Start { run, trajectory, play: false, dark: None, message: None, paused: args.paused };
    Ok(carom_viewer::open_window(start, None)?)
}

/// Writes a file whole or not at all.
fn write_file(path: &Path, work: impl FnOnce(&mut WholeFile) -> io::Result<()>) -> Result<(), Failure> {
    let mut file = WholeFile::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
    work(&mut file).and_then(|()| file.finish()).map_err(|error| Failure::Write { path: path.to_owned(), error })
}

/// The file with the frames of a run.
struct Trajectory {
    path: PathBuf,
    file: WholeFile,
}

impl Trajectory {
    fn create(path: &Path) -> Result<Trajectory, Failure> {
        let file = WholeFile::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Trajectory { path: path.to_owned(), file })
    }

    fn write(&mut self, run: &ParticleRun) -> Result<(), Failure> {
        let written = write_frame(&run.scene.system, &mut self.file);
        written.map_err(|error| Failure::Write { path: self.path.clone(), error })
    }

    fn finish(self) -> Result<(), Failure> {
        self.file.finish().map_err(|error| Failure::Write { path: self.path, error })
    }
}

/// The pictures of a run: PNG shows the state before each step, SVG the one after it, both as the original does.
struct Pictures<'a> {
    png: bool,
    svg: Option<&'a Path>,
    size: Size,
    view: View,
    list: DrawList,
    canvas: Canvas,
    /// What is wrong with the step that is shown, of a trajectory that is graded.
    marks: Marks,
}

const FOLDER: &str = "pngs";
/// The original's window.
const SIDE: u32 = 512;

impl<'a> Pictures<'a> {
    fn new(args: &'a Args, run: &ParticleRun) -> Result<Pictures<'a>, Failure> {
        let svg = args.moviedir.as_deref();
        for folder in args.generate.then_some(Path::new(FOLDER)).into_iter().chain(svg) {
            if !folder.is_dir() {
                return Err(Failure::Usage(format!("there is no folder {}\ncreate it first", folder.display())));
            }
        }
        let size = Size::new(SIDE, SIDE)?;
        let view = View::of_run(run, size);
        Ok(Pictures {
            png: args.generate,
            svg,
            size,
            view,
            list: DrawList::default(),
            canvas: Canvas::new(size),
            marks: Marks::default(),
        })
    }

    fn are_wanted(&self) -> bool {
        self.png || self.svg.is_some()
    }

    fn draw(&mut self, run: &ParticleRun, decor: Decor) {
        let look = Look { theme: Theme::Light, decor, ..Look::default() };
        draw_run(&mut self.list, run, &self.view, &look, Poses::Now);
        let background = self.list.background().unwrap_or(Rgba::WHITE);
        self.marks.draw(&mut self.list, &self.view, background, 1.0);
    }

    fn before_step(&mut self, run: &ParticleRun, step: u64) -> Result<(), Failure> {
        if !self.png {
            return Ok(());
        }
        self.draw(run, Decor::Full);
        self.canvas.draw(&self.list, &self.view);
        let path = Path::new(FOLDER).join(format!("frame{step:05}.png"));
        write_file(&path, |file| encode_png(file, self.canvas.picture(), true))
    }

    fn after_step(&mut self, run: &ParticleRun, step: u64) -> Result<(), Failure> {
        let Some(folder) = self.svg else { return Ok(()) };
        self.draw(run, Decor::None);
        let path = folder.join(format!("frame{step:020}.svg"));
        write_file(&path, |file| write_svg(file, &self.list, &self.view, self.size))
    }
}

/// Fifty dashes, one for each fiftieth of a run without a window.
struct Bar {
    steps: u64,
    printed: u64,
    shown: bool,
}

const DASHES: u64 = 50;

impl Bar {
    fn new(steps: u64, shown: bool) -> Bar {
        Bar { steps, printed: 0, shown }
    }

    fn at(&mut self, step: u64, out: &mut dyn Write) -> io::Result<()> {
        // Steps are below 1e8, so the product fits.
        while self.shown && self.printed * self.steps < step * DASHES && self.printed < DASHES {
            write!(out, "-")?;
            out.flush()?;
            self.printed += 1;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.shown {
            return Ok(());
        }
        writeln!(out, "{}", "-".repeat((DASHES - self.printed) as usize))
    }
}
