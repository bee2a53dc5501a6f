//! Which moments of a run become frames, and the way of a frame from world to file.

use crate::canvas::Canvas;
use crate::error::RenderError;
use crate::list::DrawList;
use crate::marks::Marks;
use crate::orbit::Orbit;
use crate::output::{Format, Sink};
use crate::particles::draw_particles;
use crate::poses::{Places, Poses};
use crate::run::draw_run;
use crate::scene::{Look, draw};
use crate::solid::draw_solid;
use crate::subject::Subject;
use crate::view::{Size, View};
use carom_particles::StepReport;
use carom_scenes::ParticleRun;
use std::path::Path;

/// What a movie looks like and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Size of the pictures.
    pub size: Size,
    /// How scenes are drawn.
    pub look: Look,
    /// Frames per second of simulated time; 0 takes the format's own.
    pub fps: u32,
    /// Length in seconds of simulated time.
    pub seconds: f64,
}

/// Draws a run of any kind as it is now.
pub fn snapshot<'r>(run: impl Into<Subject<'r>>, size: Size, look: &Look) -> Canvas {
    let run = run.into();
    snapshot_through(run, &View::of_run(run, size), size, look)
}

/// Draws a run of any kind as it is now, through a view that fits the size.
pub fn snapshot_through<'r>(run: impl Into<Subject<'r>>, view: &View, size: Size, look: &Look) -> Canvas {
    let mut canvas = Canvas::new(size);
    let mut list = DrawList::default();
    draw_run(&mut list, run, view, look, Poses::Now);
    canvas.draw(&list, view);
    canvas
}

/// A movie in the making.
///
/// It has `seconds * fps` frames, rounded, and at least one. The first shows the start, and each stands
/// for the time until the next, so the movie is as long as the run and ends one frame before its last
/// state. A frame that falls between two steps shows bodies and particles in between.
///
/// Call [`Film::before_step`] and [`Film::after_step`] around every step, then [`Film::finish`]. A film
/// in the format of a single picture keeps the last state only.
#[derive(Debug)]
pub struct Film {
    format: Format,
    look: Look,
    fps: u32,
    /// How many frames there will be.
    frames: u32,
    /// How many there are.
    made: u32,
    /// The step at which the first is taken.
    origin: Option<u32>,
    view: Option<View>,
    /// From where a scene in space is seen, if not from where it says.
    orbit: Option<Orbit>,
    before: Places,
    marks: Vec<(u32, Marks)>,
    list: DrawList,
    canvas: Canvas,
    sink: Box<dyn Sink>,
}

/// The longest movie, in frames: four hours and a half at 60 per second.
const MOST_FRAMES: f64 = 1.0e6;

impl Film {
    /// Creates the file or folder for a movie, or a picture, and checks that the format can hold it.
    pub fn create(path: &Path, format: Format, settings: &Settings) -> Result<Film, RenderError> {
        Film::new(format, settings, |fps| format.create(path, settings.size, fps))
    }

    /// A movie or picture that is kept in memory until [`Film::finish_in_memory`]; a folder of frames cannot
    /// be.
    pub fn in_memory(format: Format, settings: &Settings) -> Result<Film, RenderError> {
        Film::new(format, settings, |fps| format.in_memory(settings.size, fps))
    }

    fn new(
        format: Format,
        settings: &Settings,
        open: impl FnOnce(u32) -> Result<Box<dyn Sink>, RenderError>,
    ) -> Result<Film, RenderError> {
        let fps = if settings.fps == 0 { format.default_fps() } else { settings.fps };
        format.check(settings.size, fps)?;
        let frames = if format == Format::Png { 1.0 } else { (settings.seconds * f64::from(fps)).round() };
        if frames > MOST_FRAMES {
            return Err(RenderError::Length(format!(
                "a movie of {} s would have {frames} frames; at most {MOST_FRAMES} are made",
                settings.seconds
            )));
        }
        Ok(Film {
            format,
            look: settings.look,
            fps,
            frames: (frames as u32).max(1),
            made: 0,
            origin: None,
            view: None,
            orbit: None,
            before: Places::default(),
            marks: Vec::new(),
            list: DrawList::default(),
            canvas: Canvas::new(settings.size),
            sink: open(fps)?,
        })
    }

    /// Films a scene in space from elsewhere than it says. To be called before the first frame.
    pub fn look_from(&mut self, orbit: Option<Orbit>) {
        self.orbit = orbit;
    }

    /// How many frames the film will have.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Size of the pictures.
    pub fn size(&self) -> Size {
        self.canvas.picture().size
    }

    /// Frames per second.
    pub fn fps(&self) -> u32 {
        self.fps
    }

    /// When the next frame is due, in steps of the run.
    fn due(&self, run: Subject<'_>) -> f64 {
        let steps = f64::from(self.made) / f64::from(self.fps) / run.about().seconds(1);
        // A frame that should fall on a step does so in spite of rounding.
        let steps = if (steps - steps.round()).abs() < 1.0e-6 { steps.round() } else { steps };
        f64::from(self.origin.unwrap_or(0)) + steps
    }

    /// Takes the frame at the start, and remembers where everything is if a frame falls between this step
    /// and the next.
    pub fn before_step<'r>(&mut self, run: impl Into<Subject<'r>>) -> Result<(), RenderError> {
        let run = run.into();
        // A film may begin in the middle of a run.
        self.origin.get_or_insert(run.step_index());
        self.after_step(run)?;
        let step = f64::from(run.step_index());
        self.before.clear();
        if self.made < self.frames && self.format != Format::Png && self.due(run) < step + 1.0 {
            self.before.record(run);
        }
        Ok(())
    }

    /// Marks what is wrong with the last step of a particle scene, in the frames of the next half second. To
    /// be called before [`Film::after_step`].
    pub fn mark(&mut self, run: &ParticleRun, report: &StepReport) {
        let marks = Marks::of(run, report);
        if !marks.is_empty() {
            self.marks.push((run.step_index(), marks));
        }
    }

    /// Takes the frames that are due.
    pub fn after_step<'r>(&mut self, run: impl Into<Subject<'r>>) -> Result<(), RenderError> {
        let run = run.into();
        let step = f64::from(run.step_index());
        while self.format != Format::Png && self.made < self.frames && self.due(run) <= step {
            let alpha = (self.due(run) - (step - 1.0)) as f32;
            self.take(run, alpha)?;
        }
        Ok(())
    }

    /// Draws a frame; `alpha` is 0 before the last step and 1 after it.
    fn take(&mut self, run: Subject<'_>, alpha: f32) -> Result<(), RenderError> {
        // One view for the whole movie.
        let size = self.canvas.picture().size;
        let orbit = self.orbit;
        let view = *self.view.get_or_insert_with(|| {
            let own = View::of_run(run, size);
            View { orbit: own.orbit.map(|own| orbit.unwrap_or(own)), ..own }
        });
        let poses = if alpha < 1.0 { Poses::Between { before: &self.before, alpha } } else { Poses::Now };
        match run {
            Subject::Rigid(run) => draw(&mut self.list, run, &view, &self.look, poses),
            Subject::Solid(run) => draw_solid(&mut self.list, run, &view, &self.look, poses),
            Subject::Particles(run) => {
                let opacity = |step: u32| Marks::opacity(run.about().seconds(run.step_index().saturating_sub(step)));
                self.marks.retain(|&(step, _)| step == run.step_index() || opacity(step) > 0.0);
                let marks = self.marks.iter().map(|(step, marks)| (marks, opacity(*step)));
                draw_particles(&mut self.list, run, &view, &self.look, poses, marks);
            }
        }
        self.canvas.draw(&self.list, &view);
        self.sink.frame(self.canvas.picture())?;
        self.made += 1;
        Ok(())
    }

    /// Writes what is left. Returns the number of frames.
    pub fn finish<'r>(mut self, run: impl Into<Subject<'r>>) -> Result<u32, RenderError> {
        self.complete(run.into())?;
        self.sink.finish()?;
        Ok(self.made)
    }

    /// Writes what is left of a film [in memory](Film::in_memory), and returns the bytes of the file.
    pub fn finish_in_memory<'r>(mut self, run: impl Into<Subject<'r>>) -> Result<Vec<u8>, RenderError> {
        self.complete(run.into())?;
        self.sink.finish()
    }

    fn complete(&mut self, run: Subject<'_>) -> Result<(), RenderError> {
        self.after_step(run)?;
        // A run that ended early holds its last picture.
        while self.made < self.frames {
            self.take(run, 1.0)?;
        }
        Ok(())
    }
}
