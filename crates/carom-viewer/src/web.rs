//! The page: the app on a canvas, and what JavaScript may ask of it.
//!
//! `web/app/shell.js` is the other side. Nothing here panics or throws for what it is given: a scene that does
//! not exist is told in the picture, and calls to an app that has ended do nothing.

use crate::app::{App, Start};
use carom2d::math::vec2;
use eframe::egui;
use eframe::{WebOptions, WebRunner};
use std::cell::{OnceCell, RefMut};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

/// The scene shown when none is named.
const FIRST: &str = "falling_bricks";

/// The app as the page sees it.
#[wasm_bindgen]
pub struct WebApp {
    runner: WebRunner,
    /// Asked for a new frame after each change from outside, which egui would not notice.
    context: Rc<OnceCell<egui::Context>>,
}

#[wasm_bindgen]
impl WebApp {
    /// An app that has not started. From now on faults are written to the console and kept for [`failure`](Self::failure).
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)] // JavaScript knows constructors only
    pub fn new() -> WebApp {
        WebApp { runner: WebRunner::new(), context: Rc::default() }
    }

    /// Starts on a canvas with the scene of this name; an empty name stands for the first.
    /// With `play` it is Falling Bricks and nothing around it.
    pub async fn start(&self, canvas: HtmlCanvasElement, scene: String, play: bool) -> Result<(), JsValue> {
        let context = Rc::clone(&self.context);
        let create = move |cc: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> {
            context.set(cc.egui_ctx.clone()).ok();
            let start = first(&scene, play)?;
            Ok(Box::new(App::new(cc, start)) as Box<dyn eframe::App>)
        };
        self.runner.start(canvas, WebOptions::default(), Box::new(create)).await
    }

    /// Opens the scene of this name.
    pub fn open(&self, name: &str) {
        self.change(|app| app.open(name));
    }

    /// The name of the scene that is open; empty before the start and after the end.
    pub fn scene(&self) -> String {
        self.app().map_or(String::new(), |app| app.scene_name().to_owned())
    }

    /// Opens a scene file.
    pub fn load(&self, name: &str, bytes: &[u8]) {
        self.change(|app| app.load_bytes(name, bytes));
    }

    /// Gravity as the device feels it, in m/s^2, x to the right and y up on the canvas.
    pub fn tilt(&self, x: f32, y: f32) {
        self.change(|app| app.set_tilt(Some(vec2(x, y))));
    }

    /// Shows Falling Bricks alone, or goes back to the viewer.
    pub fn play(&self, play: bool) {
        self.change(|app| app.set_play(play));
    }

    /// Is Falling Bricks shown alone?
    pub fn is_playing(&self) -> bool {
        self.app().is_some_and(|app| app.is_playing())
    }

    /// What there is to see, as JSON; `null` before the start and after the end.
    pub fn state(&self) -> String {
        self.app().map_or("null".to_owned(), |app| app.state())
    }

    /// Why the app has ended by itself, if it has.
    pub fn failure(&self) -> Option<String> {
        self.runner.panic_summary().map(|summary| summary.message())
    }

    /// Ends the app and lets go of the canvas.
    pub fn destroy(&self) {
        self.runner.destroy();
    }
}

impl WebApp {
    fn app(&self) -> Option<RefMut<'_, App>> {
        self.runner.app_mut::<App>()
    }

    fn change(&self, change: impl FnOnce(&mut App)) {
        let Some(mut app) = self.app() else { return };
        change(&mut app);
        // The request reaches the runner, which must be free again by then.
        drop(app);
        if let Some(context) = self.context.get() {
            context.request_repaint();
        }
    }
}

/// What to open first: the scene asked for, or else the usual one with a word about why.
fn first(scene: &str, play: bool) -> Result<Start, String> {
    let name = if play || scene.is_empty() { FIRST } else { scene };
    let start = match Start::scene(name) {
        Ok(start) => start,
        Err(error) => Start { message: Some(error), ..Start::scene(FIRST)? },
    };
    Ok(Start { play, ..start })
}

/// How long the browser may take to fetch what it was given, in milliseconds.
const FETCHED_MS: i32 = 60_000;

/// Lets the browser save a file, as a link to it would.
pub(crate) fn download(name: &str, bytes: &[u8]) -> Result<(), String> {
    offer(name, bytes).map_err(|error| format!("{error:?}"))
}

fn offer(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let window = web_sys::window().ok_or("there is no window")?;
    let document = window.document().ok_or("there is no document")?;
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let options = BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    let url = Url::create_object_url_with_blob(&Blob::new_with_u8_array_sequence_and_options(&parts, &options)?)?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into().map_err(|_| "links are no links")?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The memory is freed later: the browser may not have begun to read.
    let free = Closure::once_into_js(move || {
        Url::revoke_object_url(&url).ok();
    });
    window.set_timeout_with_callback_and_timeout_and_arguments_0(free.unchecked_ref(), FETCHED_MS)?;
    Ok(())
}
