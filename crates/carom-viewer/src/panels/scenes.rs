//! The list of scenes.

use crate::app::App;
use carom_scenes::{Entry, entries};
use eframe::egui::{self, RichText, ScrollArea, TextEdit, Ui};

impl App {
    pub(crate) fn show_scenes(&mut self, ui: &mut Ui) {
        ui.add_space(4.0);
        let search = TextEdit::singleline(&mut self.search).hint_text("Search scenes").desired_width(f32::INFINITY);
        let response = ui.add(search);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "search scenes"));
        let found: Vec<Entry> = entries().filter(|entry| matches(*entry, &self.search)).collect();
        // Enter opens the only one left, or the first.
        if response.lost_focus()
            && ui.input(|input| input.key_pressed(egui::Key::Enter))
            && let Some(entry) = found.first()
        {
            self.open(entry.name());
        }
        ui.add_space(2.0);
        if found.is_empty() {
            ui.weak("No scene has this in its name or line.");
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let mut group = None;
            for entry in found {
                if group != Some(entry.group()) {
                    group = Some(entry.group());
                    super::heading(ui, &title(entry.group().name()));
                }
                self.show_entry(ui, entry);
            }
        });
    }

    fn show_entry(&mut self, ui: &mut Ui, entry: Entry) {
        let here = self.scene_name() == entry.name();
        let name = RichText::new(title(entry.name())).strong();
        let response = ui.add(egui::Button::selectable(here, name).min_size(egui::vec2(ui.available_width(), 0.0)));
        let color = ui.visuals().widgets.hovered.fg_stroke.color.gamma_multiply(0.72);
        let summary = RichText::new(entry.summary()).size(11.5).color(color);
        let margin = egui::Margin { left: 9, right: 2, top: 0, bottom: 4 };
        egui::Frame::new().inner_margin(margin).show(ui, |ui| ui.add(egui::Label::new(summary).wrap()));
        if response.on_hover_text(entry.summary()).clicked() {
            self.open(entry.name());
        }
    }
}

/// A name with spaces and a capital.
fn title(name: &str) -> String {
    let mut text = name.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Does a scene have all the words in its name, its line or its group?
fn matches(entry: Entry, search: &str) -> bool {
    let text = format!("{} {} {}", title(entry.name()), entry.summary(), entry.group().name()).to_lowercase();
    search.to_lowercase().replace('_', " ").split_whitespace().all(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_scenes::find_entry;

    #[test]
    fn finds_by_any_words() {
        let bricks = find_entry("falling_bricks").unwrap();
        for search in ["", "falling", "BRICKS", "bricks fall", "falling_bricks", "gravity", "basics brick"] {
            assert!(matches(bricks, search), "{search}");
        }
        assert!(!matches(bricks, "washer"));
        assert_eq!(title("many_pyramids"), "Many pyramids");
        assert_eq!(title(""), "");
    }
}
