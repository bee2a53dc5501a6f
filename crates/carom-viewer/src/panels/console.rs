//! The console: what can be typed, what came of it, and what is watched.

use crate::app::App;
use crate::console::{Action, Tone};
use crate::icon::{self, Icon, Look};
use crate::session::Command;
use eframe::egui::{self, Key, RichText, ScrollArea, TextEdit, Ui};

impl App {
    pub(crate) fn show_console(&mut self, ui: &mut Ui) {
        self.show_watches(ui);
        // The line to type in stays at the bottom.
        let height = (ui.available_height() - 46.0).max(40.0);
        ScrollArea::vertical().max_height(height).auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
            if self.console.lines().len() == 0 {
                ui.weak("Read and set anything while it runs. Try:");
                for example in [
                    "list body.4",
                    "get body.4.velocity",
                    "set world.gravity 0, -1.6",
                    "watch world.energy.kinetic",
                    "help",
                ] {
                    if ui.link(RichText::new(example).monospace()).clicked() {
                        self.execute(example);
                    }
                }
            }
            for line in self.console.lines() {
                let color = match line.tone {
                    Tone::Typed => ui.visuals().weak_text_color(),
                    Tone::Answer => ui.visuals().text_color(),
                    Tone::Error => ui.visuals().error_fg_color,
                };
                let text = RichText::new(&line.text).monospace().color(color);
                ui.add(egui::Label::new(text).wrap().selectable(true));
            }
        });
        self.show_input(ui);
    }

    fn show_watches(&mut self, ui: &mut Ui) {
        let watched = self.console.watched(self.session.run());
        if watched.is_empty() {
            return;
        }
        egui::Grid::new("watches").num_columns(3).striped(true).show(ui, |ui| {
            for (path, value) in watched {
                ui.monospace(&path);
                match value {
                    Ok(value) => ui.monospace(value.to_string()),
                    Err(error) => ui.colored_label(ui.visuals().error_fg_color, error.to_string()),
                };
                if icon::button(ui, Icon::Close, "Watch no longer", 20.0, Look::default()).clicked() {
                    self.console.unwatch(Some(&path)).ok();
                }
                ui.end_row();
            }
        });
        ui.separator();
    }

    fn show_input(&mut self, ui: &mut Ui) {
        let id = egui::Id::unique("console input");
        let focused = ui.memory(|memory| memory.has_focus(id));
        let mut cursor_to_end = false;
        if focused {
            cursor_to_end = self.console_keys(ui);
        }
        let input = TextEdit::singleline(&mut self.console_line)
            .id(id)
            .font(egui::TextStyle::Monospace)
            .hint_text("get, set, watch, help …")
            .lock_focus(true)
            .desired_width(f32::INFINITY);
        let output = input.show(ui);
        output.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "console input"));
        if cursor_to_end {
            let mut state = output.state;
            let end = egui::text::CCursor::new(self.console_line.chars().count());
            state.cursor.set_char_range(Some(egui::text::CCursorRange::one(end)));
            state.store(ui.ctx(), id);
        }
        if output.response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            let line = std::mem::take(&mut self.console_line);
            self.execute(&line);
            output.response.request_focus();
        }
    }

    /// History and completion. Says whether the line was replaced.
    fn console_keys(&mut self, ui: &Ui) -> bool {
        let pressed = |key| ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
        if pressed(Key::ArrowUp) {
            if let Some(line) = self.console.older(&self.console_line) {
                self.console_line = line.to_owned();
            }
            return true;
        }
        if pressed(Key::ArrowDown) {
            if let Some(line) = self.console.newer() {
                self.console_line = line.to_owned();
            }
            return true;
        }
        if pressed(Key::Tab) {
            let end = self.console_line.chars().count();
            let completion = self.console.complete(&self.console_line, end, self.session.run());
            if completion.candidates.len() > 1 && completion.line == self.console_line {
                self.console.print(Tone::Answer, completion.candidates.join("  "));
            }
            self.console_line = completion.line;
            return true;
        }
        false
    }

    /// Carries out a typed line.
    pub(crate) fn execute(&mut self, line: &str) {
        match self.console.execute(line, self.session.run()) {
            Action::None => {}
            Action::Edit(edit) => {
                let outcome = self.session.command(Command::Edit(edit)).map(|created| created.note);
                self.console.answer(outcome);
            }
            Action::Scene(name) => self.open(&name),
            Action::Pause(paused) => self.session.set_paused(paused),
            Action::Step(count) => self.session.make_steps(count),
            Action::Restart => self.restart(),
        }
    }
}
