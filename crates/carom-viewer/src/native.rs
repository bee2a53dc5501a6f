//! The window.

use crate::app::{App, Start};
use eframe::egui;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A picture of the window to take, after which it closes.
#[derive(Clone, Debug)]
pub struct Screenshot {
    /// Where to write the PNG.
    pub path: PathBuf,
    /// After how many seconds of simulated time.
    pub after: f64,
}

/// Why the window could not be shown.
#[derive(Debug)]
pub enum ViewError {
    /// There is no screen to show it on.
    NoDisplay,
    /// The system refused.
    Window(String),
    /// The picture of the window could not be written.
    Screenshot {
        /// Where.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewError::NoDisplay => write!(
                f,
                "there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set; \
                 make a picture instead, with carom run SCENE --out FILE.png"
            ),
            ViewError::Window(reason) => write!(f, "the window cannot be opened: {reason}"),
            ViewError::Screenshot { path, reason } => write!(f, "cannot write {}: {reason}", path.display()),
        }
    }
}

impl std::error::Error for ViewError {}

/// Is there a screen to open a window on?
pub fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Opens the viewer and returns when it is closed.
pub fn open_window(start: Start, screenshot: Option<Screenshot>) -> Result<(), ViewError> {
    if !has_display() {
        return Err(ViewError::NoDisplay);
    }
    let viewport = egui::ViewportBuilder::default()
        .with_title("carom")
        .with_app_id("carom")
        .with_inner_size([1280.0, 760.0])
        .with_min_inner_size([320.0, 360.0])
        .with_drag_and_drop(true);
    // Scripts want the same picture every time: nothing is remembered for them.
    let options = eframe::NativeOptions { viewport, persist_window: screenshot.is_none(), ..Default::default() };
    let outcome = Arc::new(Mutex::new(None));
    let shared = outcome.clone();
    let result = eframe::run_native(
        "carom",
        options,
        Box::new(move |cc| {
            Ok(match screenshot {
                None => Box::new(App::new(cc, start)) as Box<dyn eframe::App>,
                Some(screenshot) => Box::new(Photographed::new(cc, start, screenshot, shared)),
            })
        }),
    );
    result.map_err(|error| ViewError::Window(error.to_string()))?;
    let outcome = outcome.lock().map_or(None, |mut outcome| outcome.take());
    outcome.unwrap_or(Ok(()))
}

type Outcome = Arc<Mutex<Option<Result<(), ViewError>>>>;

/// The app until its picture is taken.
struct Photographed {
    app: App,
    path: PathBuf,
    outcome: Outcome,
    asked: bool,
}

impl Photographed {
    fn new(cc: &eframe::CreationContext<'_>, start: Start, screenshot: Screenshot, outcome: Outcome) -> Photographed {
        let mut settings = crate::settings::Settings { hint_seen: true, ..Default::default() };
        settings.dark = Some(start.dark.unwrap_or(false));
        let mut app = App::with_settings(&cc.egui_ctx, start, settings);
        app.go_to(screenshot.after);
        Photographed { app, path: screenshot.path, outcome, asked: false }
    }
}

impl eframe::App for Photographed {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.app.frame(ui);
        ui.ctx().request_repaint();
        if self.asked {
            if self.outcome.lock().is_ok_and(|outcome| outcome.is_some()) {
                ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
            }
        } else if self.app.is_settled() {
            self.asked = true;
            let (outcome, path) = (self.outcome.clone(), self.path.clone());
            ui.ctx().request_screenshot(move |image| {
                let result = write_png(&image, &path).map_err(|reason| ViewError::Screenshot { path, reason });
                if let Ok(mut outcome) = outcome.lock() {
                    *outcome = Some(result);
                }
            });
        }
    }
}

fn write_png(image: &egui::ColorImage, path: &std::path::Path) -> Result<(), String> {
    let [width, height] = image.size.map(|side| side as u32);
    let size = carom_render::Size::new(width, height).map_err(|error| error.to_string())?;
    let rgba: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
    let mut bytes = Vec::new();
    let picture = carom_render::Picture { size, rgba: &rgba };
    carom_render::encode_png(&mut bytes, picture, false).map_err(|error| error.to_string())?;
    carom_render::write_whole(path, &bytes).map_err(|error| error.to_string())
}
