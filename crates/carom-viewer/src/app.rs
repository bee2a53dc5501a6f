//! The app: what is open, and one frame of it from top to bottom.

use crate::comparison::Comparison;
use crate::console::Console;
use crate::files::Files;
use crate::play::EARTH;
use crate::session::{Command, Session};
use crate::settings::{Panel, Settings};
use crate::stage::Stage;
use crate::tool::Tool;
use carom_particles::Trajectory;
use carom_render::Overlay;
use carom_scenes::{ParticleRun, Run, find_entry};
use carom2d::BodyId;
use carom2d::math::{Vec2, vec2};
use eframe::egui::{self, Key, Modifiers, Ui};
use std::fmt::Write as _;
use std::path::Path;

/// How much memory the past of a run may take.
const MEMORY: usize = if cfg!(target_arch = "wasm32") { 96 << 20 } else { 384 << 20 };

/// Narrower windows than this are laid out for phones, in points.
const PHONE: f32 = 640.0;

/// How long a message stays, in seconds.
const MESSAGE_S: f64 = 6.0;

/// What a trajectory is told where it has nothing to be compared with.
const NO_PARTICLES: &str = "a trajectory is compared with a particle scene; open its scene first";

/// What to open.
#[derive(Debug)]
pub struct Start {
    /// The run to show.
    pub run: Run,
    /// A trajectory of the run, which must be one of particles, and its name: it is shown, and graded.
    pub trajectory: Option<(String, Trajectory)>,
    /// Falling Bricks without anything around it.
    pub play: bool,
    /// Light or dark, if it matters.
    pub dark: Option<bool>,
    /// What the user should be told first.
    pub message: Option<String>,
    /// Wait for the user to start it.
    pub paused: bool,
}

impl Start {
    /// A built-in scene.
    pub fn scene(name: &str) -> Result<Start, String> {
        let entry = find_entry(name).map_err(|error| error.to_string())?;
        let run = entry.build().map_err(|error| error.to_string())?;
        Ok(Start { run, trajectory: None, play: false, dark: None, message: None, paused: false })
    }
}

/// The viewer.
pub struct App {
    pub(crate) session: Session,
    pub(crate) stage: Stage,
    pub(crate) selected: Option<BodyId>,
    pub(crate) settings: Settings,
    pub(crate) console: Console,
    pub(crate) console_line: String,
    pub(crate) files: Files,
    /// What is wrong with the trajectory that is shown, if one is.
    pub(crate) comparison: Option<Comparison>,
    pub(crate) search: String,
    pub(crate) help: bool,
    /// Is the window narrow?
    pub(crate) phone: bool,
    /// On a narrow window panels are opened for the moment only.
    pub(crate) sheet: Option<Sheet>,
    /// For what goes on outside of frames.
    pub(crate) ctx: egui::Context,
    play: bool,
    messages: Vec<(f64, String)>,
    frame: u64,
    pub(crate) plots: crate::panels::Plots,
}

/// What covers part of a narrow window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sheet {
    Scenes,
    Panel(Panel),
}

impl App {
    /// The app in a new window or page.
    pub fn new(cc: &eframe::CreationContext<'_>, start: Start) -> App {
        let mut settings = Settings::load(cc.storage);
        settings.dark = start.dark.or(settings.dark);
        App::with_settings(&cc.egui_ctx, start, settings)
    }

    pub(crate) fn with_settings(ctx: &egui::Context, start: Start, settings: Settings) -> App {
        settings.apply_theme(ctx);
        crate::panels::style(ctx);
        let mut app = App {
            session: Session::new(start.run, MEMORY),
            stage: Stage::new(ctx),
            selected: None,
            settings,
            console: Console::default(),
            console_line: String::new(),
            files: Files::default(),
            comparison: None,
            search: String::new(),
            help: false,
            phone: false,
            sheet: None,
            ctx: ctx.clone(),
            play: start.play,
            messages: Vec::new(),
            frame: 0,
            plots: crate::panels::Plots::default(),
        };
        if let Some(message) = start.message {
            app.tell(message);
        }
        if let Some((name, trajectory)) = start.trajectory {
            match app.session.start().as_particles().cloned() {
                Some(run) => app.compare(run, name, trajectory),
                None => app.tell(NO_PARTICLES),
            }
        }
        if start.paused {
            app.session.set_paused(true);
        }
        app
    }

    // ---- what can be asked of it from outside ---------------------------------------------------

    /// Opens a built-in scene. Says so if there is none of that name.
    pub fn open(&mut self, name: &str) {
        match Start::scene(name) {
            Ok(start) => self.open_run(start.run),
            Err(error) => self.tell(error),
        }
    }

    /// Opens a scene file that was read already, or compares a trajectory, which ends in .bin, with the scene that
    /// is open.
    pub fn load_bytes(&mut self, name: &str, bytes: &[u8]) {
        if Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bin")) {
            self.load_trajectory(name, bytes);
            return;
        }
        match carom_scenes::open_bytes(name, bytes) {
            Ok(run) => self.open_run(run),
            Err(error) => self.tell(error.to_string()),
        }
    }

    /// Opens a scene file with the files that it names.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn load_path(&mut self, path: &Path) {
        match carom_scenes::open(path) {
            Ok(run) => self.open_run(run),
            Err(error) => self.tell(error.to_string()),
        }
    }

    /// Tells what a scene's file names that is not there, or that is not known.
    fn tell_notes(&mut self) {
        let Some(run) = self.session.run().as_solid() else { return };
        let notes = &run.scene.notes;
        let more = if notes.len() > 1 { format!(" (and {} more notes)", notes.len() - 1) } else { String::new() };
        if let Some(first) = notes.first() {
            let message = format!("{}:{first}{more}", run.about().name);
            self.tell(message);
        }
    }

    fn load_trajectory(&mut self, name: &str, bytes: &[u8]) {
        let compared = self.comparison.as_ref().map(|comparison| comparison.scene());
        let Some(run) = compared.or_else(|| self.session.start().as_particles()).cloned() else {
            self.tell(format!("{name}: {NO_PARTICLES}"));
            return;
        };
        match Trajectory::read(&run.scene, bytes) {
            Ok(trajectory) => self.compare(run, name.to_owned(), trajectory),
            Err(error) => self.tell(format!("{name}: {error}; is it a trajectory of this scene, and all of it?")),
        }
    }

    /// The name of the scene that is open.
    pub fn scene_name(&self) -> &str {
        &self.session.run().about().name
    }

    /// The simulated time so far, in seconds.
    pub fn time(&self) -> f64 {
        self.session.run().time()
    }

    /// Goes to the first step that is not before this time, in seconds, as fast as this machine can, and stops.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn go_to(&mut self, seconds: f64) {
        let dt = self.session.run().about().dt;
        // A step that should fall on that time does so in spite of rounding.
        let steps = if dt > 0.0 { (seconds / dt - 1.0e-6).ceil() } else { 0.0 };
        self.session.make_steps((steps as u32).saturating_sub(self.session.step_index()));
    }

    /// Has everything been done that was begun?
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn is_settled(&self) -> bool {
        !self.session.is_seeking() && self.comparison.as_ref().is_none_or(Comparison::is_over)
    }

    /// Gravity as a device held in a hand feels it, in m/s^2, x to the right and y up on the screen.
    pub fn set_tilt(&mut self, gravity: Option<Vec2>) {
        if let Some(gravity) = gravity.filter(|gravity| gravity.is_finite())
            && gravity != self.gravity()
        {
            // Without effect on scenes that have no gravity of this kind.
            self.session.command_silently(Command::Gravity(gravity)).ok();
        }
    }

    /// Shows Falling Bricks alone, or goes back to the viewer.
    pub fn set_play(&mut self, play: bool) {
        self.play = play;
        self.stage.choose(Tool::Hand);
        self.stage.eye.fit();
        self.selected = None;
        if play {
            if self.scene_name() != "falling_bricks" {
                self.open("falling_bricks");
            }
            self.session.set_paused(false);
        }
    }

    /// Is Falling Bricks shown alone?
    pub fn is_playing(&self) -> bool {
        self.play
    }

    /// What there is to see, as JSON, for tests of the page.
    pub fn state(&self) -> String {
        let mut text = String::new();
        let (run, gravity) = (self.session.run(), self.gravity());
        let (first, last) = self.session.range();
        // Writing to a string cannot fail.
        write!(
            text,
            r#"{{"scene":{:?},"step":{},"time":{},"paused":{},"frame":{},"play":{},"range":[{first},{last}],"gravity":[{},{}],"bodies":["#,
            run.about().name,
            run.step_index(),
            run.time(),
            self.session.is_paused(),
            self.frame,
            self.play,
            gravity.x,
            gravity.y
        )
        .ok();
        if let Run::Rigid(run) = run {
            for (i, id) in run.world.bodies().enumerate() {
                let body = run.world.body(id);
                let (position, velocity) = (body.position(), body.velocity());
                write!(
                    text,
                    r#"{}{{"id":{},"kind":"{:?}","x":{},"y":{},"angle":{},"vx":{},"vy":{},"awake":{}}}"#,
                    if i > 0 { "," } else { "" },
                    id.index(),
                    body.kind(),
                    position.x,
                    position.y,
                    body.angle(),
                    velocity.x,
                    velocity.y,
                    body.is_awake()
                )
                .ok();
            }
        }
        text.push(']');
        if let Some((rect, view)) = self.stage.last() {
            let center = view.camera.center;
            write!(
                text,
                r#","view":{{"left":{},"top":{},"width":{},"height":{},"center":[{},{}],"pixels_per_metre":{}}}"#,
                rect.left(),
                rect.top(),
                rect.width(),
                rect.height(),
                center.x,
                center.y,
                1.0 / view.pixel()
            )
            .ok();
        }
        text.push('}');
        text
    }

    // ---- what the panels ask of it --------------------------------------------------------------

    /// Shows a run from its start.
    pub(crate) fn open_run(&mut self, run: Run) {
        let (paused, speed) = (false, self.session.speed());
        self.session = Session::new(run, MEMORY);
        self.close_comparison();
        self.session.set_paused(paused);
        self.session.set_speed(speed);
        self.selected = None;
        self.stage.draft = crate::tool::Draft::None;
        self.stage.picked = None;
        self.stage.cue = None;
        self.stage.eye.fit();
        self.sheet = None;
        self.tell_notes();
        if self.play && self.scene_name() != "falling_bricks" {
            self.play = false;
        }
    }

    /// Shows a trajectory of a scene, which is at its start, and what is wrong with it.
    fn compare(&mut self, scene: ParticleRun, name: String, trajectory: Trajectory) {
        let comparison = Comparison::new(name, scene, trajectory);
        self.open_run(Run::Particles(Box::new(comparison.run())));
        self.comparison = Some(comparison);
        self.settings.panel = Some(Panel::Comparison);
    }

    /// Forgets what was compared.
    fn close_comparison(&mut self) {
        self.comparison = None;
        self.settings.panel = self.settings.panel.filter(|panel| *panel != Panel::Comparison);
    }

    /// The scene before or after this one in the list.
    pub(crate) fn open_neighbour(&mut self, forward: bool) {
        let names: Vec<&str> = carom_scenes::entries().map(|entry| entry.name()).collect();
        let here = names.iter().position(|name| *name == self.scene_name());
        let count = names.len().max(1);
        let next = match here {
            Some(i) if forward => (i + 1) % count,
            Some(i) => (i + count - 1) % count,
            None => 0,
        };
        if let Some(name) = names.get(next) {
            self.open(name);
        }
    }

    pub(crate) fn restart(&mut self) {
        self.session.restart();
        self.selected = None;
    }

    /// Shows a message for a while.
    pub(crate) fn tell(&mut self, message: impl Into<String>) {
        let message = message.into();
        self.messages.retain(|(_, known)| *known != message);
        self.messages.push((f64::NAN, message));
    }

    /// Carries out a change and tells why if it cannot be done.
    pub(crate) fn command(&mut self, command: Command) {
        if let Err(error) = self.session.command(command) {
            self.tell(error);
        }
    }

    pub(crate) fn gravity(&self) -> Vec2 {
        self.session.run().as_rigid().map_or(Vec2::ZERO, |run| run.world.gravity())
    }

    pub(crate) fn set_gravity(&mut self, gravity: Vec2) {
        if self.session.run().as_rigid().is_some() && gravity != self.gravity() {
            self.command(Command::Gravity(gravity));
        }
    }

    /// Turns the world over.
    pub(crate) fn flip_gravity(&mut self) {
        self.set_gravity(-self.gravity());
    }

    pub(crate) fn undo(&mut self) {
        match self.session.undo() {
            Some(label) => self.tell(format!("undone: {label}")),
            None => self.tell("nothing to undo"),
        }
    }

    pub(crate) fn redo(&mut self) {
        match self.session.redo() {
            Some(label) => self.tell(format!("done again: {label}")),
            None => self.tell("nothing to do again"),
        }
    }

    pub(crate) fn delete_selected(&mut self) {
        if let Some(body) = self.selected.take() {
            self.command(Command::Delete(body));
        }
    }

    // ---- one frame ------------------------------------------------------------------------------

    /// One frame.
    pub(crate) fn frame(&mut self, ui: &mut Ui) {
        self.frame += 1;
        let seconds = f64::from(ui.input(|input| input.unstable_dt));
        self.phone = ui.max_rect().width() < PHONE;
        self.keys(ui.ctx());
        self.take_files(ui.ctx());
        self.session.advance(seconds);
        self.forget_what_is_gone();
        if let Some(comparison) = &mut self.comparison {
            comparison.go_on(self.session.step_index());
        }
        if !self.play {
            self.show_panels(ui);
        }
        egui::CentralPanel::no_frame().show(ui, |ui| {
            let time_passes = !self.session.is_paused();
            let marks = self.comparison.as_ref().map(|comparison| comparison.marks(time_passes)).unwrap_or_default();
            let happened = self.stage.show(ui, &mut self.session, &mut self.selected, &self.settings, &marks);
            self.settings.hint_seen |= happened.touched;
            for note in happened.notes {
                self.tell(note);
            }
            if happened.clicked_body && !self.play && !self.phone {
                self.settings.panel = Some(Panel::Body);
            }
            if self.play {
                self.show_play(ui);
            } else {
                self.show_floating(ui);
            }
            self.show_messages(ui);
        });
        self.show_help(ui.ctx());
        self.files.go_on(ui.ctx(), &mut self.messages);
        let is_grading = self.comparison.as_ref().is_some_and(|comparison| !comparison.is_over());
        if !self.session.is_paused() || self.session.is_seeking() || self.files.is_busy() || is_grading {
            ui.ctx().request_repaint();
        }
    }

    fn forget_what_is_gone(&mut self) {
        let alive = |id: BodyId| self.session.run().as_rigid().is_some_and(|run| run.world.contains_body(id));
        self.selected = self.selected.filter(|id| alive(*id));
        self.stage.picked = self.stage.picked.filter(|picked| picked.path(self.session.run()).is_some());
    }

    fn show_messages(&mut self, ui: &Ui) {
        let now = ui.input(|input| input.time);
        for (since, _) in &mut self.messages {
            if since.is_nan() {
                *since = now;
            }
        }
        self.messages.retain(|(since, _)| now - since < MESSAGE_S);
        let Some((rect, _)) = self.stage.last() else { return };
        if self.messages.is_empty() {
            return;
        }
        let place = rect.center_bottom() - egui::vec2(0.0, 14.0);
        egui::Area::new(egui::Id::unique("messages"))
            .order(egui::Order::Tooltip)
            .pivot(egui::Align2::CENTER_BOTTOM)
            .fixed_pos(place)
            .show(ui.ctx(), |ui| {
                ui.set_max_width(rect.width() * 0.85);
                for (_, message) in &self.messages {
                    egui::Frame::popup(ui.style()).show(ui, |ui| ui.label(message));
                }
            });
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(300));
    }

    // ---- keys -----------------------------------------------------------------------------------

    fn keys(&mut self, ctx: &egui::Context) {
        if ctx.egui_wants_keyboard_input() {
            return;
        }
        let pressed = |modifiers: Modifiers, key: Key| ctx.input_mut(|input| input.consume_key(modifiers, key));
        let plain = |key: Key| pressed(Modifiers::NONE, key);
        // Longer combinations first: a shorter one would take them.
        if pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || pressed(Modifiers::COMMAND, Key::Y) {
            self.redo();
        }
        if pressed(Modifiers::COMMAND, Key::Z) {
            self.undo();
        }
        if pressed(Modifiers::COMMAND, Key::S) {
            self.save_scene();
        }
        if pressed(Modifiers::COMMAND, Key::O) {
            self.files.ask_for_scene(ctx);
        }
        if plain(Key::F12) {
            self.take_screenshot(ctx);
        }
        match self.session.run() {
            Run::Rigid(_) => self.gravity_keys(&plain),
            Run::Solid(_) => self.space_keys(ctx, &plain),
            Run::Particles(_) => self.fosssim_keys(ctx, &plain),
        }
        if plain(Key::Space) {
            self.session.set_paused(!self.session.is_paused());
        }
        if plain(Key::Period) {
            self.session.single_step();
        }
        if plain(Key::Comma) {
            self.session.seek(self.session.step_index().saturating_sub(1));
        }
        if plain(Key::R) {
            self.restart();
        }
        if plain(Key::Escape) {
            self.escape();
        }
        if plain(Key::F1) || plain(Key::Questionmark) || pressed(Modifiers::SHIFT, Key::Slash) {
            self.help = !self.help;
        }
        if !self.play {
            self.viewer_keys(&plain);
        }
    }

    fn gravity_keys(&mut self, plain: &dyn Fn(Key) -> bool) {
        let strength = match self.gravity().length() {
            length if length > 0.1 => length,
            _ => EARTH,
        };
        let ways = [
            (Key::ArrowDown, 0.0, -1.0),
            (Key::ArrowUp, 0.0, 1.0),
            (Key::ArrowLeft, -1.0, 0.0),
            (Key::ArrowRight, 1.0, 0.0),
        ];
        for (key, x, y) in ways {
            if plain(key) {
                self.set_gravity(vec2(x, y) * strength);
            }
        }
        if plain(Key::F) {
            self.flip_gravity();
        }
        if plain(Key::Num0) {
            self.set_gravity(Vec2::ZERO);
        }
    }

    /// Keys of scenes in space: the camera, and as the scenes' own program had it, F for a picture, arrows for the speed.
    fn space_keys(&mut self, ctx: &egui::Context, plain: &dyn Fn(Key) -> bool) {
        if plain(Key::F) {
            self.take_screenshot(ctx);
        }
        for (key, factor) in [(Key::ArrowUp, 2.0), (Key::ArrowDown, 0.5)] {
            if plain(key) {
                self.session.set_speed(self.session.speed() * factor);
            }
        }
        if plain(Key::V) {
            self.stage.eye.first_person = !self.stage.eye.first_person;
        }
        if !self.stage.eye.first_person {
            return;
        }
        let (way, seconds) = ctx.input(|input| {
            let held = |key: Key| f64::from(u8::from(input.key_down(key)));
            let along = |ahead: Key, back: Key| held(ahead) - held(back);
            let way = [along(Key::W, Key::S), along(Key::D, Key::A), along(Key::E, Key::Q)];
            (way, f64::from(input.stable_dt.min(0.1)))
        });
        if way != [0.0; 3] {
            self.stage.eye.walk(way, seconds);
            ctx.request_repaint();
        }
        // In the first person A is a way to go.
        plain(Key::A);
    }

    fn viewer_keys(&mut self, plain: &dyn Fn(Key) -> bool) {
        if self.session.run().as_rigid().is_some() {
            self.tool_keys(plain);
        }
        self.overlay_keys(plain);
        if plain(Key::Home) || plain(Key::A) {
            self.stage.eye.fit();
        }
        if plain(Key::PageDown) || plain(Key::N) {
            self.open_neighbour(true);
        }
        if plain(Key::PageUp) {
            self.open_neighbour(false);
        }
        for (key, factor) in [(Key::OpenBracket, 0.5), (Key::CloseBracket, 2.0)] {
            if plain(key) {
                self.session.set_speed(self.session.speed() * factor);
            }
        }
    }

    /// Tools and what else only rigid bodies of the plane have.
    fn tool_keys(&mut self, plain: &dyn Fn(Key) -> bool) {
        let tools = [
            (Key::H, Tool::Hand),
            (Key::C, Tool::Circle),
            (Key::B, Tool::Box),
            (Key::P, Tool::Polygon),
            (Key::X, Tool::Erase),
        ];
        for (key, tool) in tools {
            if plain(key) {
                self.stage.choose(tool);
            }
        }
        if plain(Key::Enter) {
            let mut happened = crate::stage::Happened::default();
            self.stage.finish(&mut self.session, &self.settings, &mut happened);
        }
        if plain(Key::E) && self.session.run().as_rigid().is_some() {
            self.command(Command::Explode(self.session.run().about().camera.center));
        }
        if plain(Key::Delete) || plain(Key::Backspace) {
            self.delete_selected();
        }
    }

    /// The keys 1 to 9, for the overlays that there are here.
    fn overlay_keys(&mut self, plain: &dyn Fn(Key) -> bool) {
        let keys = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9];
        for (key, overlay) in keys.into_iter().zip(Overlay::ALL) {
            if self.has_overlay(overlay) && plain(key) {
                self.settings.show(overlay, !self.settings.shows(overlay));
            }
        }
    }

    /// Does an overlay show anything of the scene? Particles have some of them, scenes in space none.
    pub(crate) fn has_overlay(&self, overlay: Overlay) -> bool {
        match self.session.run() {
            Run::Rigid(_) => true,
            Run::Particles(_) => overlay.is_for_particles(),
            Run::Solid(_) => false,
        }
    }

    /// Leaves whatever is nearest to be left.
    fn escape(&mut self) {
        if self.help {
            self.help = false;
        } else if self.sheet.is_some() {
            self.sheet = None;
        } else if self.play {
            self.set_play(false);
        } else if self.stage.draft != crate::tool::Draft::None {
            self.stage.draft = crate::tool::Draft::None;
        } else if self.stage.tool != Tool::Hand {
            self.stage.choose(Tool::Hand);
        } else {
            self.selected = None;
            self.stage.picked = None;
        }
    }
}

impl eframe::App for App {
    #[cfg(not(target_arch = "wasm32"))]
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.frame(ui))) {
            if let Some(report) = self.report_crash() {
                eprintln!("{report}");
            }
            resume_unwind(panic);
        }
    }

    #[cfg(target_arch = "wasm32")]
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.frame(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.settings.save(storage);
    }

    #[cfg(target_arch = "wasm32")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }
}
