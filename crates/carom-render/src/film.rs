//! Which moments of a run become frames, and the way of a frame from world to file.

use crate::canvas::Canvas;
use crate::error::RenderError;
use crate::list::DrawList;
use crate::output::{Format, Sink};
use crate::scene::{Look, Poses, draw};
use crate::view::{Size, View};
use carom_scenes::SceneWorld;
use carom2d::BodyId;
use carom2d::math::Pose;
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

/// Draws a scene as it is now.
pub fn snapshot(run: &SceneWorld, size: Size, look: &Look) -> Canvas {
    let mut canvas = Canvas::new(size);
    let view = View::of_scene(run, size);
    let mut list = DrawList::default();
    draw(&mut list, run, &view, look, Poses::Now);
    canvas.draw(&list, &view);
    canvas
}

/// A movie in the making.
///
/// It has `seconds * fps` frames, rounded, and at least one. The first shows the start, and each stands
/// for the time until the next, so the movie is as long as the run and ends one frame before its last
/// state. A frame that falls between two steps shows the bodies in between.
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
    view: Option<View>,
    before: Vec<(BodyId, Pose)>,
    list: DrawList,
    canvas: Canvas,
    sink: Box<dyn Sink>,
}

impl Film {
    /// Creates the file or folder for a movie, or a picture, and checks that the format can hold it.
    pub fn create(path: &Path, format: Format, settings: &Settings) -> Result<Film, RenderError> {
        let fps = if settings.fps == 0 { format.default_fps() } else { settings.fps };
        format.check(settings.size, fps)?;
        let sink = format.open(path, settings.size, fps)?;
        let frames = match format {
            Format::Png => 1,
            _ => ((settings.seconds * f64::from(fps)).round() as u32).max(1),
        };
        Ok(Film {
            format,
            look: settings.look,
            fps,
            frames,
            made: 0,
            view: None,
            before: Vec::new(),
            list: DrawList::default(),
            canvas: Canvas::new(settings.size),
            sink,
        })
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

    /// When the next frame is due, in steps from the start.
    fn due(&self, run: &SceneWorld) -> f64 {
        let steps = f64::from(self.made) / f64::from(self.fps) / run.about().seconds(1);
        // A frame that should fall on a step does so in spite of rounding.
        if (steps - steps.round()).abs() < 1.0e-6 { steps.round() } else { steps }
    }

    /// Takes the frame at the start, and remembers where bodies are if a frame falls between this step
    /// and the next.
    pub fn before_step(&mut self, run: &SceneWorld) -> Result<(), RenderError> {
        self.after_step(run)?;
        let step = f64::from(run.step_index());
        self.before.clear();
        if self.made < self.frames && self.format != Format::Png && self.due(run) < step + 1.0 {
            self.before.extend(run.world.bodies().map(|id| (id, run.world.body(id).pose())));
        }
        Ok(())
    }

    /// Takes the frames that are due.
    pub fn after_step(&mut self, run: &SceneWorld) -> Result<(), RenderError> {
        let step = f64::from(run.step_index());
        while self.format != Format::Png && self.made < self.frames && self.due(run) <= step {
            let alpha = (self.due(run) - (step - 1.0)) as f32;
            self.take(run, alpha)?;
        }
        Ok(())
    }

    /// Draws a frame; `alpha` is 0 before the last step and 1 after it.
    fn take(&mut self, run: &SceneWorld, alpha: f32) -> Result<(), RenderError> {
        // One view for the whole movie.
        let size = self.canvas.picture().size;
        let view = *self.view.get_or_insert_with(|| View::of_scene(run, size));
        let poses = if alpha < 1.0 { Poses::Between { before: &self.before, alpha } } else { Poses::Now };
        draw(&mut self.list, run, &view, &self.look, poses);
        self.canvas.draw(&self.list, &view);
        self.sink.frame(self.canvas.picture())?;
        self.made += 1;
        Ok(())
    }

    /// Writes what is left. Returns the number of frames.
    pub fn finish(mut self, run: &SceneWorld) -> Result<u32, RenderError> {
        self.after_step(run)?;
        // A run that ended early holds its last picture.
        while self.made < self.frames {
            self.take(run, 1.0)?;
        }
        self.sink.finish()?;
        Ok(self.made)
    }
}
