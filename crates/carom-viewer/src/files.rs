//! Loading, saving, pictures and movies.
//!
//! Dialogs and the browser answer when they like: what they bring lies in a tray until the next frame.

use crate::app::App;
use crate::session::{PastRecording, Replay};
use crate::settings::picture_theme;
use carom_particles::Grader;
use carom_render::{
    Canvas, Decor, DrawList, Film, Format, Look, Orbit, Poses, Rgba, Settings, Size, View, draw_run, encode_png,
    write_svg,
};
use carom_scenes::Run;
use eframe::egui;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use web_time::Instant;

/// How long the movie of the last seconds is.
const MOVIE_S: f64 = 5.0;
/// The picture that FOSSSim writes.
const SVG: &str = "output.svg";
/// How long a frame may be busy with a movie.
const FILM_BUDGET: Duration = Duration::from_millis(22);

/// What came from outside.
enum Arrived {
    /// A scene file or a trajectory.
    Scene { name: String, bytes: Vec<u8> },
    /// A scene that names other files, which are beside it.
    #[cfg(not(target_arch = "wasm32"))]
    Path(std::path::PathBuf),
    /// Something to tell.
    Note(String),
}

type Tray = Arc<Mutex<Vec<Arrived>>>;

/// Loading and saving under way.
#[derive(Default)]
pub(crate) struct Files {
    tray: Tray,
    movie: Option<Movie>,
    /// A recording of the past in the making, and its name.
    recording: Option<(PastRecording, String)>,
    /// Where pictures go that nobody is asked about; empty for the present folder.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) folder: std::path::PathBuf,
}

/// A movie in the making.
struct Movie {
    film: Film,
    replay: Replay,
    /// For marking what is wrong with a trajectory.
    grader: Option<Grader>,
    name: String,
}

impl Files {
    /// Is a movie or a recording being made?
    pub(crate) fn is_busy(&self) -> bool {
        self.movie.is_some() || self.recording.is_some()
    }

    /// Asks the user for a scene file.
    pub(crate) fn ask_for_scene(&self, ctx: &egui::Context) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Open a scene or a trajectory")
            .add_filter("scenes", &["json", "xml", "scene"])
            .add_filter("trajectories", &["bin"])
            .add_filter("recordings", &[carom_scenes::RECORDING_ENDING])
            .add_filter("all files", &["*"])
            .pick_file();
        let (tray, ctx) = (self.tray.clone(), ctx.clone());
        spawn(async move {
            if let Some(file) = dialog.await {
                #[cfg(not(target_arch = "wasm32"))]
                if names_others(file.path()) {
                    put(&tray, &ctx, Arrived::Path(file.path().to_owned()));
                    return;
                }
                let bytes = file.read().await;
                put(&tray, &ctx, Arrived::Scene { name: file.file_name(), bytes });
            }
        });
    }

    /// Gives bytes to the user as a file.
    fn save(&self, ctx: &egui::Context, name: &str, bytes: Vec<u8>) {
        save_bytes(&self.tray, ctx, name, bytes);
    }

    /// Keeps a picture without asking, under a name that nothing has yet. Says where.
    #[cfg(not(target_arch = "wasm32"))]
    fn keep(&self, _ctx: &egui::Context, name: &str, bytes: Vec<u8>) -> Result<String, String> {
        const MOST: u32 = 1000;
        let names = (1..MOST).map(|i| if i == 1 { format!("{name}.png") } else { format!("{name}-{i}.png") });
        for path in names.map(|name| self.folder.join(name)) {
            if path.exists() {
                continue;
            }
            let written = carom_render::WholeFile::create(&path).and_then(|mut file| {
                std::io::Write::write_all(&mut file, &bytes)?;
                // Fails if it is there by now, whoever was faster.
                file.finish_new()
            });
            match written {
                Ok(()) => return Ok(format!("saved {}", path.display())),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot save {}: {error}", path.display())),
            }
        }
        Err(format!("there are too many pictures called {name}"))
    }

    /// Lets the browser keep a picture.
    #[cfg(target_arch = "wasm32")]
    fn keep(&self, ctx: &egui::Context, name: &str, bytes: Vec<u8>) -> Result<String, String> {
        let name = format!("{name}.png");
        self.save(ctx, &name, bytes);
        Ok(format!("{name} is a download"))
    }

    /// Goes on with a movie or a recording. Tells what happened.
    pub(crate) fn go_on(&mut self, ctx: &egui::Context, messages: &mut Vec<(f64, String)>) {
        self.go_on_recording(ctx, messages);
        let Some(mut movie) = self.movie.take() else { return };
        let start = Instant::now();
        while !movie.replay.is_over() && start.elapsed() < FILM_BUDGET {
            if let Err(error) = movie.step() {
                messages.push((f64::NAN, error));
                return;
            }
        }
        if !movie.replay.is_over() {
            let percent = (100.0 * movie.replay.progress()).round();
            messages.retain(|(_, message)| !message.starts_with("Filming"));
            messages.push((f64::NAN, format!("Filming: {percent} %")));
            self.movie = Some(movie);
            return;
        }
        messages.retain(|(_, message)| !message.starts_with("Filming"));
        match movie.film.finish_in_memory(movie.replay.run()) {
            Ok(bytes) => self.save(ctx, &movie.name, bytes),
            Err(error) => messages.push((f64::NAN, error.to_string())),
        }
    }
}

impl Files {
    fn go_on_recording(&mut self, ctx: &egui::Context, messages: &mut Vec<(f64, String)>) {
        let Some((mut recording, name)) = self.recording.take() else { return };
        let start = Instant::now();
        while !recording.is_over() && start.elapsed() < FILM_BUDGET {
            recording.step();
        }
        messages.retain(|(_, message)| !message.starts_with("Recording"));
        if !recording.is_over() {
            let percent = (100.0 * recording.progress()).round();
            messages.push((f64::NAN, format!("Recording: {percent} %")));
            self.recording = Some((recording, name));
            return;
        }
        match recording.finish() {
            Ok(bytes) => self.save(ctx, &name, bytes),
            Err(error) => messages.push((f64::NAN, error)),
        }
    }
}

impl Movie {
    fn step(&mut self) -> Result<(), String> {
        self.film.before_step(self.replay.run()).map_err(|error| error.to_string())?;
        self.replay.step();
        if let (Some(grader), Run::Particles(run)) = (&mut self.grader, self.replay.run())
            && let Some(report) = run.trajectory().and_then(|all| all.grade(grader, u64::from(run.step_index())))
        {
            self.film.mark(run, &report);
        }
        self.film.after_step(self.replay.run()).map_err(|error| error.to_string())
    }
}

impl App {
    /// Takes what came from dialogs and what was dropped on the window.
    pub(crate) fn take_files(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input_mut(|input| std::mem::take(&mut input.raw.dropped_files));
        if let Some(file) = dropped.into_iter().next() {
            read_dropped(&self.files.tray, ctx, file);
        }
        let arrived = self.files.tray.lock().map(|mut tray| std::mem::take(&mut *tray)).unwrap_or_default();
        for item in arrived {
            match item {
                Arrived::Scene { name, bytes } => self.load_bytes(&name, &bytes),
                #[cfg(not(target_arch = "wasm32"))]
                Arrived::Path(path) => self.load_path(&path),
                Arrived::Note(note) => self.tell(note),
            }
        }
    }

    /// Saves the present state as a scene.
    pub(crate) fn save_scene(&mut self) {
        if let Some(run) = self.session.run().as_particles() {
            match run.scene.to_xml() {
                Ok(text) => self.files.save(&self.ctx, &format!("{}.xml", run.about().name), text.into_bytes()),
                Err(error) => self.tell(error.to_string()),
            }
            return;
        }
        let Some(run) = self.session.run().as_rigid() else {
            self.tell("scenes in space cannot be saved");
            return;
        };
        let text = carom_scenes::file::write(run);
        let name = format!("{}.json", run.about().name);
        if run.companions.particles.is_some() {
            self.tell("saved are the bodies as they are; the particles among them are not part of a file");
        } else if run.is_scripted() {
            self.tell("saved are the bodies as they are; what the scene does by itself is not part of a file");
        }
        self.files.save(&self.ctx, &name, text.into_bytes());
    }

    /// Saves a picture of what is to be seen, where the user likes.
    pub(crate) fn save_picture(&mut self, ctx: &egui::Context) {
        let name = format!("{}.png", self.session.run().about().name);
        match self.picture(ctx) {
            Ok(bytes) => self.files.save(ctx, &name, bytes),
            Err(error) => self.tell(error),
        }
    }

    /// Saves a picture at once: in the folder that the program runs in, beside those that are there; in a browser as a
    /// download.
    pub(crate) fn take_screenshot(&mut self, ctx: &egui::Context) {
        let name = format!("{}-{}", self.session.run().about().name, self.session.step_index());
        let kept = self.picture(ctx).and_then(|bytes| self.files.keep(ctx, &name, bytes));
        match kept {
            Ok(note) => self.tell(note),
            Err(error) => self.tell(error),
        }
    }

    /// A picture of what is to be seen, as PNG.
    fn picture(&self, ctx: &egui::Context) -> Result<Vec<u8>, String> {
        let (run, size) = (self.session.run(), self.picture_size());
        let own = View::of_run(run, size);
        let view = View { orbit: self.orbit().or(own.orbit), ..own };
        let mut list = DrawList::default();
        draw_run(&mut list, run, &view, &self.look(ctx), Poses::Now);
        let background = list.background().unwrap_or(Rgba::WHITE);
        for (marks, opacity) in self.comparison.iter().flat_map(|comparison| comparison.marks(false)) {
            marks.draw(&mut list, &view, background, opacity);
        }
        let mut canvas = Canvas::new(size);
        canvas.draw(&list, &view);
        let mut bytes = Vec::new();
        encode_png(&mut bytes, canvas.picture(), false).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Writes what is to be seen to `output.svg` in the current folder, as FOSSSim does.
    pub(crate) fn save_svg(&mut self) {
        let Some((rect, view)) = self.stage.last() else { return };
        let side = |x: f32| (x as u32).clamp(Size::MIN, Size::MAX);
        let size = Size::new(side(rect.width()), side(rect.height())).unwrap_or(Size::HD);
        let mut list = DrawList::default();
        let look = Look { decor: Decor::None, ..self.look(&self.ctx) };
        draw_run(&mut list, self.session.run(), &view, &look, Poses::Now);
        let mut bytes = Vec::new();
        match write_svg(&mut bytes, &list, &view, size) {
            Ok(()) => keep_svg(&self.files.tray, &self.ctx, &bytes),
            Err(error) => self.tell(error.to_string()),
        }
    }

    /// Makes a movie of the last seconds, then asks where to put it.
    pub(crate) fn save_movie(&mut self, ctx: &egui::Context, format: Format) {
        let dt = self.session.run().about().dt;
        let steps = if dt > 0.0 { (MOVIE_S / dt).ceil() as u32 } else { 0 };
        let replay = self.session.replay_of_last(steps);
        if replay.is_over() {
            self.tell("nothing has happened yet that could be filmed");
            return;
        }
        let (ending, size) = match format {
            Format::Gif => ("gif", Size::new(640, 360).unwrap_or(Size::HD)),
            _ => ("mp4", Size::HD),
        };
        let seconds = f64::from(replay.steps()) * dt;
        let settings =
            Settings { size, look: self.look(ctx), fps: if format == Format::Gif { 25 } else { 60 }, seconds };
        let name = format!("{}.{ending}", self.session.run().about().name);
        match Film::in_memory(format, &settings) {
            Ok(mut film) => {
                film.look_from(self.orbit());
                self.session.set_paused(true);
                let grader = self.comparison.as_ref().map(|comparison| Grader::new(&comparison.scene().scene));
                self.files.movie = Some(Movie { film, replay, grader, name });
            }
            Err(error) => self.tell(error.to_string()),
        }
    }

    /// Records what happened so far, then asks where to put it.
    pub(crate) fn save_recording(&mut self) {
        let name = format!("{}.{}", self.session.run().about().name, carom_scenes::RECORDING_ENDING);
        match self.session.record_past() {
            Ok(recording) => {
                self.session.set_paused(true);
                self.files.recording = Some((recording, name));
            }
            Err(error) => self.tell(error),
        }
    }

    /// Writes a recording of what led to a panic beside the pictures, or else where temporary files are. Says what happened.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn report_crash(&self) -> Option<String> {
        let bytes = self.session.crash_report()?;
        let about = self.session.start().about();
        let name = format!("carom-crash-{}-{}.{}", about.name, std::process::id(), carom_scenes::RECORDING_ENDING);
        let places = [self.files.folder.join(&name), std::env::temp_dir().join(&name)];
        let mut reasons = String::new();
        for path in &places {
            match carom_render::write_whole(path, &bytes) {
                Ok(()) => {
                    let path = path.display();
                    return Some(format!(
                        "what led to this is in {path}: please send it with a report of the defect; carom replay {path} plays it"
                    ));
                }
                Err(error) => reasons = format!("{reasons}cannot write {}: {error}\n", path.display()),
            }
        }
        Some(reasons)
    }

    /// From where a scene in space is seen now.
    fn orbit(&self) -> Option<Orbit> {
        self.stage.last().and_then(|(_, view)| view.orbit)
    }

    fn look(&self, ctx: &egui::Context) -> Look {
        Look { theme: picture_theme(ctx), overlays: self.settings.overlay_set(), decor: Decor::Full }
    }

    fn picture_size(&self) -> Size {
        let Some((rect, _)) = self.stage.last() else { return Size::HD };
        let side = |x: f32| ((2.0 * x) as u32).clamp(Size::MIN, 3840);
        Size::new(side(rect.width()), side(rect.height())).unwrap_or(Size::HD)
    }
}

fn put(tray: &Tray, ctx: &egui::Context, item: Arrived) {
    if let Ok(mut tray) = tray.lock() {
        tray.push(item);
    }
    ctx.request_repaint();
}

// ---- in a window --------------------------------------------------------------------------------

#[cfg(not(target_arch = "wasm32"))]
fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(move || pollster::block_on(task));
}

/// May a file name others, such as textures?
#[cfg(not(target_arch = "wasm32"))]
fn names_others(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("scene"))
}

#[cfg(not(target_arch = "wasm32"))]
fn save_bytes(tray: &Tray, ctx: &egui::Context, name: &str, bytes: Vec<u8>) {
    let dialog = rfd::AsyncFileDialog::new().set_title("Save").set_file_name(name).save_file();
    let (tray, ctx) = (tray.clone(), ctx.clone());
    spawn(async move {
        let note = match dialog.await {
            None => "nothing was saved".to_owned(),
            Some(file) => match carom_render::write_whole(file.path(), &bytes) {
                Ok(()) => format!("saved {}", file.path().display()),
                Err(error) => format!("cannot save {}: {error}", file.path().display()),
            },
        };
        put(&tray, &ctx, Arrived::Note(note));
    });
}

#[cfg(not(target_arch = "wasm32"))]
fn keep_svg(tray: &Tray, ctx: &egui::Context, bytes: &[u8]) {
    let note = match carom_render::write_whole(std::path::Path::new(SVG), bytes) {
        Ok(()) => format!("saved {SVG}"),
        Err(error) => format!("cannot save {SVG}: {error}"),
    };
    put(tray, ctx, Arrived::Note(note));
}

#[cfg(not(target_arch = "wasm32"))]
fn read_dropped(tray: &Tray, ctx: &egui::Context, file: egui::DroppedFileHandle) {
    if names_others(file.path()) {
        put(tray, ctx, Arrived::Path(file.path().to_owned()));
        return;
    }
    let name = file.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let item = match file.bytes() {
        Ok(bytes) => Arrived::Scene { name, bytes },
        Err(error) => Arrived::Note(format!("cannot read {name}: {error}")),
    };
    put(tray, ctx, item);
}

// ---- in a page ----------------------------------------------------------------------------------

#[cfg(target_arch = "wasm32")]
fn spawn(task: impl Future<Output = ()> + 'static) {
    wasm_bindgen_futures::spawn_local(task);
}

#[cfg(target_arch = "wasm32")]
fn save_bytes(tray: &Tray, ctx: &egui::Context, name: &str, bytes: Vec<u8>) {
    let note = match crate::web::download(name, &bytes) {
        Ok(()) => format!("saved {name}"),
        Err(reason) => format!("cannot save {name}: {reason}"),
    };
    put(tray, ctx, Arrived::Note(note));
}

#[cfg(target_arch = "wasm32")]
fn keep_svg(tray: &Tray, ctx: &egui::Context, bytes: &[u8]) {
    save_bytes(tray, ctx, SVG, bytes.to_vec());
}

#[cfg(target_arch = "wasm32")]
fn read_dropped(tray: &Tray, ctx: &egui::Context, file: egui::DroppedFileHandle) {
    let (tray, ctx) = (tray.clone(), ctx.clone());
    let name = file.path().to_string_lossy().into_owned();
    spawn(async move {
        let item = match file.bytes_async().await {
            Ok(bytes) => Arrived::Scene { name, bytes },
            Err(error) => Arrived::Note(format!("cannot read {name}: {error}")),
        };
        put(&tray, &ctx, item);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use carom_scenes::find_entry;

    #[test]
    fn a_movie_shows_the_last_seconds_and_nothing_else() {
        let mut session = Session::new(find_entry("falling_bricks").unwrap().build().unwrap(), 1 << 24);
        for _ in 0..200 {
            session.single_step();
        }
        let hash = session.run().state_hash();
        let replay = session.replay_of_last(60);
        assert_eq!((replay.run().step_index(), replay.steps()), (140, 60));
        let size = Size::new(64, 48).unwrap();
        let settings = Settings { size, look: Look::default(), fps: 25, seconds: 1.0 };
        let film = Film::in_memory(Format::Gif, &settings).unwrap();
        let mut movie = Movie { film, replay, grader: None, name: "movie.gif".to_owned() };
        while !movie.replay.is_over() {
            movie.step().unwrap();
        }
        assert_eq!(movie.replay.run().state_hash(), hash, "the movie ends where the session is");
        let bytes = movie.film.finish_in_memory(movie.replay.run()).unwrap();
        assert!(bytes.starts_with(b"GIF89a"));
        // Each frame begins with a block that says how long it is shown.
        let frames = bytes.windows(3).filter(|window| *window == [0x21, 0xF9, 0x04]).count();
        assert_eq!(frames, 25);
        assert!(session.replay_of_last(0).is_over(), "nothing to film");
    }
}
