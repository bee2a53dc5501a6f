//! The keys of FOSSSim, which work on particle scenes beside carom's own.

use crate::app::App;
use eframe::egui::{self, Key, ViewportCommand};

/// How much a key zooms, and how far it moves the view, in parts of its height.
const ZOOM: f32 = 0.1;
const PAN: f32 = 0.1;

impl App {
    /// S steps, C shows the whole scene, I saves a picture, Q quits, + and - zoom, arrows move the view. Space and
    /// Esc are carom's own.
    pub(crate) fn fosssim_keys(&mut self, ctx: &egui::Context, plain: &dyn Fn(Key) -> bool) {
        if self.session.run().as_particles().is_none() {
            return;
        }
        if plain(Key::S) {
            self.session.single_step();
        }
        if plain(Key::C) {
            self.stage.eye.fit();
        }
        if plain(Key::I) {
            self.save_svg();
        }
        if plain(Key::Q) {
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
        let Some((_, view)) = self.stage.last() else { return };
        for (key, factor) in [(Key::Plus, 1.0 + ZOOM), (Key::Equals, 1.0 + ZOOM), (Key::Minus, 1.0 / (1.0 + ZOOM))] {
            if plain(key) {
                self.stage.eye.zoom(view.camera.center, factor);
            }
        }
        let ways = [
            (Key::ArrowLeft, 1.0, 0.0),
            (Key::ArrowRight, -1.0, 0.0),
            (Key::ArrowUp, 0.0, 1.0),
            (Key::ArrowDown, 0.0, -1.0),
        ];
        for (key, x, y) in ways {
            if plain(key) {
                self.stage.eye.pan(&view, PAN * view.height * egui::vec2(x, y));
            }
        }
    }
}
