//! The help page.

use crate::app::App;
use eframe::egui::{self, Grid, RichText, ScrollArea};

const KEYS: [(&str, &str); 28] = [
    ("Space", "pause and go on"),
    (". and ,", "one step forward, one step back"),
    ("[ and ]", "slower, faster; in space the arrows down and up, too"),
    ("R", "start again"),
    ("Arrow keys", "point gravity that way"),
    ("F", "turn gravity over"),
    ("0", "no gravity"),
    ("H, C, B, P, X", "hand, circle, box, polygon, erase"),
    ("Enter", "finish a polygon"),
    ("E", "let something explode in the middle of the scene; the tool does so where you click"),
    ("Delete", "delete the selected body"),
    ("Ctrl+Z, Ctrl+Y", "undo, redo"),
    ("A, Home", "show the whole scene"),
    ("N, Page Up", "next scene, previous scene"),
    (
        "1 to 9",
        "contacts, normals, impulses, boxes, tree, islands, colours, sleep, velocity; particles have 1, 2, 4, 9",
    ),
    ("Ctrl+S, Ctrl+O", "save the state, open a file"),
    ("Esc", "leave whatever is open"),
    ("F12", "a picture of the scene; in space F, too"),
    ("V", "in space: go around, or walk in the first person"),
    ("W, A, S, D, Q, E", "in the first person: ahead, left, back, right, down, up; drag to look around"),
    ("F1", "this page"),
    ("S, C, I, Q", "of a particle scene, as in FOSSSim: one step, show the whole scene, save output.svg, quit"),
    ("+ and -, arrow keys", "of a particle scene, as in FOSSSim: zoom, move the view"),
    ("Drag a body or particle", "pull it; let go to throw it; while paused, put it somewhere"),
    ("Drag elsewhere", "look around; two fingers or the right button always do"),
    ("Drag in space", "go around the scene; the right button or two fingers move it"),
    ("Wheel, pinch", "zoom at the pointer"),
    ("Double click", "follow a body; on empty space show the whole scene"),
];

impl App {
    pub(crate) fn show_help(&mut self, ctx: &egui::Context) {
        if !self.help {
            return;
        }
        let mut open = true;
        let screen = ctx.content_rect();
        egui::Window::new("Help")
            .open(&mut open)
            .collapsible(false)
            .resizable(false)
            .max_width((screen.width() - 40.0).min(560.0))
            .max_height((screen.height() - 90.0).min(620.0))
            .pivot(egui::Align2::CENTER_CENTER)
            .default_pos(screen.center())
            .show(ctx, |ui| {
                ScrollArea::vertical().show(ui, |ui| {
                    Grid::new("keys").num_columns(2).striped(true).spacing([14.0, 5.0]).show(ui, |ui| {
                        for (key, what) in KEYS {
                            ui.label(RichText::new(key).strong());
                            ui.add(egui::Label::new(what).wrap());
                            ui.end_row();
                        }
                    });
                    ui.add_space(6.0);
                    ui.label("Everything you do is kept with the time: drag the bar at the bottom to look back, and press play to see it happen again. Touch something in the past and a new future begins there.");
                    ui.label("Drop a .json, .xml or .scene file on the window to open it, or a .bin trajectory on a particle scene to compare it.");
                });
            });
        self.help = open;
    }
}
