//! The bar at the bottom: time.

use crate::app::App;
use crate::icon::{self, Icon, Look};
use crate::session::SPEEDS;
use eframe::egui::{self, RichText, Ui};

/// The speeds to choose from.
const CHOICES: [f64; 8] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

impl App {
    pub(crate) fn show_transport(&mut self, ui: &mut Ui) {
        if self.phone {
            self.show_timeline(ui);
            ui.horizontal(|ui| {
                self.show_buttons(ui);
                self.show_time(ui);
            });
        } else {
            ui.horizontal(|ui| {
                self.show_buttons(ui);
                self.show_time(ui);
                self.show_timeline(ui);
            });
        }
    }

    fn show_buttons(&mut self, ui: &mut Ui) {
        let button = |ui: &mut Ui, icon: Icon, name: &str, hover: &str| {
            icon::button(ui, icon, name, 34.0, Look::default()).on_hover_text(hover).clicked()
        };
        if button(ui, Icon::Restart, "Restart", "Start again (R)") {
            self.restart();
        }
        if button(ui, Icon::StepBack, "Step back", "One step back (,)") {
            self.session.seek(self.session.step_index().saturating_sub(1));
        }
        let paused = self.session.is_paused();
        let (sign, name) = if paused { (Icon::Play, "Play") } else { (Icon::Pause, "Pause") };
        if button(ui, sign, name, if paused { "Play (space)" } else { "Pause (space)" }) {
            self.session.set_paused(!paused);
        }
        if button(ui, Icon::StepForward, "Step", "One step forward (.)") {
            self.session.single_step();
        }
        let text = |speed: f64| if speed < 1.0 { format!("{speed}×") } else { format!("{speed:.0}×") };
        let mut speed = self.session.speed();
        let combo = egui::ComboBox::from_id_salt("speed").width(58.0).selected_text(text(speed));
        combo
            .show_ui(ui, |ui| {
                for choice in CHOICES.into_iter().filter(|choice| SPEEDS.contains(choice)) {
                    ui.selectable_value(&mut speed, choice, text(choice));
                }
            })
            .response
            .on_hover_text("How fast time passes ([ and ])");
        if speed != self.session.speed() {
            self.session.set_speed(speed);
        }
    }

    fn show_time(&mut self, ui: &mut Ui) {
        let time = self.session.run().time();
        let mut text = RichText::new(format!("{time:8.2} s")).monospace();
        let slow = !self.session.is_paused() && self.session.pace() < 0.9;
        if slow {
            text = text.color(ui.visuals().warn_fg_color);
        }
        let hover = if slow {
            format!("This machine manages {:.0} % of the speed", 100.0 * self.session.pace())
        } else {
            format!("Simulated time; step {}", self.session.step_index())
        };
        ui.label(text).on_hover_text(hover);
    }

    /// Where in the past we are. Dragging goes there.
    fn show_timeline(&mut self, ui: &mut Ui) {
        let (first, last) = self.session.range();
        let mut step = self.session.step_index();
        ui.horizontal(|ui| {
            let live = self.session.is_live();
            let room = if live { 0.0 } else { 44.0 };
            ui.spacing_mut().slider_width = (ui.available_width() - room - 4.0).max(60.0);
            let slider = egui::Slider::new(&mut step, first..=last.max(first + 1)).show_value(false);
            let response = ui.add(slider.trailing_fill(true));
            response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(self.session.step_index()), "timeline"));
            if response.changed() {
                self.session.seek(step);
            }
            response.on_hover_text("The past: drag to look back, play to go on from there");
            if !live
                && icon::button(ui, Icon::End, "To the end", 26.0, Look::default())
                    .on_hover_text("To the end")
                    .clicked()
            {
                self.session.seek(last);
            }
        });
    }
}
