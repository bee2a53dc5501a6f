//! The bar at the top: which scene, what is shown, which panels are open.

use crate::app::{App, Sheet};
use crate::icon::{self, Icon, Look};
use carom_render::Overlay;
use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{Align, Layout, PopupCloseBehavior, RichText, Ui};

/// What an overlay shows, for people.
fn words(overlay: Overlay) -> (&'static str, &'static str) {
    match overlay {
        Overlay::Contacts => ("Contacts", "points where shapes touch"),
        Overlay::Normals => ("Normals", "the direction in which each contact pushes"),
        Overlay::Impulses => ("Impulses", "how hard each contact pushes"),
        Overlay::Aabbs => ("Bounding boxes", "the box around each shape"),
        Overlay::Tree => ("Tree or quadtree", "the boxes of the broad phase"),
        Overlay::Islands => ("Islands", "bodies that touch share a colour"),
        Overlay::Colors => ("Graph colours", "contacts that are solved together share a colour"),
        Overlay::Sleep => ("Sleep", "orange is awake, blue asleep"),
        Overlay::Velocity => ("Velocity", "how far each body comes in 0.15 s"),
        Overlay::Centers => ("Centres of mass", "where each body balances"),
        Overlay::Ids => ("Numbers", "the index of each body"),
        Overlay::Joints => ("Joints", "where joints hold, their limits and their forces"),
        Overlay::Collisions => ("Collisions", "bodies that touch turn red, the more so the harder they are pushed"),
    }
}

impl App {
    pub(crate) fn show_top(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            self.show_scene_switch(ui);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if self.phone {
                    self.show_phone_menu(ui);
                    self.show_overlay_menu(ui);
                } else {
                    self.show_switches(ui);
                }
            });
        });
    }

    fn show_scene_switch(&mut self, ui: &mut Ui) {
        let open = if self.phone { self.sheet == Some(Sheet::Scenes) } else { self.settings.scenes };
        if ui.selectable_label(open, "Scenes").on_hover_text("The list of scenes").clicked() {
            if self.phone {
                self.sheet = if open { None } else { Some(Sheet::Scenes) };
            } else {
                self.settings.scenes = !open;
            }
        }
        let small = |ui: &mut Ui, icon: Icon, name: &str| icon::button(ui, icon, name, 26.0, Look::default());
        if !self.phone
            && small(ui, Icon::Previous, "Previous scene").on_hover_text("Previous scene (Page Up)").clicked()
        {
            self.open_neighbour(false);
        }
        if small(ui, Icon::Next, "Next scene").on_hover_text("Next scene (N)").clicked() {
            self.open_neighbour(true);
        }
        if !self.phone {
            let about = self.session.run().about();
            ui.label(RichText::new(about.name.as_ref()).strong()).on_hover_text(about.summary.as_ref());
        }
    }

    /// From right to left.
    fn show_switches(&mut self, ui: &mut Ui) {
        if ui.selectable_label(self.help, "?").on_hover_text("Keys and help (F1)").clicked() {
            self.help = !self.help;
        }
        self.show_theme_switch(ui);
        ui.separator();
        for panel in self.panels().rev() {
            if ui.selectable_label(self.panel_is_open(panel), panel.name()).clicked() {
                self.toggle_panel(panel);
            }
        }
        ui.separator();
        ui.menu_button("File", |ui| self.show_file_menu(ui));
        self.show_overlay_menu(ui);
        let (undo, redo) = self.session.undo_labels();
        let (undo, redo) = (undo.map(str::to_owned), redo.map(str::to_owned));
        let button = |ui: &mut Ui, icon: Icon, name: &str, label: &Option<String>| {
            let hover = match label {
                Some(label) => format!("{name}: {label}"),
                None => format!("Nothing to {}", name.to_lowercase()),
            };
            let look = Look { disabled: label.is_none(), ..Look::default() };
            icon::button(ui, icon, name, 26.0, look).on_hover_text(hover).clicked()
        };
        if button(ui, Icon::Redo, "Redo", &redo) {
            self.redo();
        }
        if button(ui, Icon::Undo, "Undo", &undo) {
            self.undo();
        }
    }

    fn show_theme_switch(&mut self, ui: &mut Ui) {
        let dark = ui.visuals().dark_mode;
        let (sign, name) = if dark { (Icon::Sun, "Light") } else { (Icon::Moon, "Dark") };
        if icon::button(ui, sign, name, 26.0, Look::default()).on_hover_text(name).clicked() {
            self.settings.dark = Some(!dark);
            self.settings.apply_theme(ui.ctx());
        }
    }

    fn show_phone_menu(&mut self, ui: &mut Ui) {
        ui.menu_button("More", |ui| {
            for panel in self.panels() {
                if ui.button(panel.name()).clicked() {
                    self.toggle_panel(panel);
                }
            }
            ui.separator();
            if ui.button("Undo").clicked() {
                self.undo();
            }
            if ui.button("Redo").clicked() {
                self.redo();
            }
            ui.separator();
            self.show_file_menu(ui);
            ui.separator();
            self.show_theme_switch(ui);
            if ui.button("Help").clicked() {
                self.help = true;
            }
        });
    }

    fn show_overlay_menu(&mut self, ui: &mut Ui) {
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        MenuButton::new("Show").config(config).ui(ui, |ui| {
            for overlay in Overlay::ALL {
                if !self.has_overlay(overlay) {
                    continue;
                }
                let (name, what) = words(overlay);
                let mut on = self.settings.shows(overlay);
                if ui.checkbox(&mut on, name).on_hover_text(what).changed() {
                    self.settings.show(overlay, on);
                }
            }
            if self.session.run().as_solid().is_none() {
                ui.separator();
            }
            // Particle scenes look as their files say, and have none.
            if self.session.run().as_particles().is_none() {
                ui.checkbox(&mut self.settings.grid, "Grid");
            }
            if ui.button("Fit the scene (A)").clicked() {
                self.stage.eye.fit();
            }
            if let Some(body) = self.selected
                && ui.button("Follow the selected body").clicked()
            {
                self.stage.eye.follow = Some(body);
            }
        });
    }

    fn show_file_menu(&mut self, ui: &mut Ui) {
        if ui
            .button("Open a scene, a trajectory or a recording…")
            .on_hover_text("Or drop a file on the window (Ctrl+O)")
            .clicked()
        {
            self.files.ask_for_scene(ui.ctx());
        }
        if self.session.run().as_solid().is_none()
            && ui.button("Save this state…").on_hover_text("As a scene: .json, or .xml of particles (Ctrl+S)").clicked()
        {
            self.save_scene();
        }
        if self.session.run().as_rigid().is_some()
            && ui.button("Save a recording…").on_hover_text("All that happened so far, to the bit: .rec").clicked()
        {
            self.save_recording();
        }
        ui.separator();
        if ui.button("Picture (PNG)…").clicked() {
            self.save_picture(ui.ctx());
        }
        if ui.button("Movie of the last 5 s (GIF)…").clicked() {
            self.save_movie(ui.ctx(), carom_render::Format::Gif);
        }
        if cfg!(not(target_arch = "wasm32")) && ui.button("Movie of the last 5 s (MP4)…").clicked() {
            self.save_movie(ui.ctx(), carom_render::Format::Mp4);
        }
        ui.separator();
        if ui.button("Play Falling Bricks").clicked() {
            self.set_play(true);
        }
    }
}
