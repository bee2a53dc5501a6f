//! The inspector of particles and of bodies in space: what the console knows of them, to read and to change.

use crate::app::App;
use crate::console::Edit;
use crate::property::{self, Value};
use crate::session::Command;
use eframe::egui::{DragValue, Grid, Ui};

impl App {
    /// Everything about what was clicked. False if nothing is.
    pub(super) fn show_picked(&mut self, ui: &mut Ui) -> bool {
        let run = self.session.run();
        let Some(path) = self.stage.picked.and_then(|picked| picked.path(run)) else { return false };
        let Ok(rows) = property::list(run, &path) else { return false };
        super::heading(ui, &title(&path));
        let mut edits = Vec::new();
        Grid::new("picked").num_columns(2).striped(true).show(ui, |ui| {
            for (name, value) in rows {
                let full = format!("{path}.{name}");
                let Ok(description) = property::describe(run, &full) else { continue };
                ui.label(&name).on_hover_text(description.about);
                let text = if description.expected.is_some() { changed(ui, &value) } else { None };
                if description.expected.is_none() {
                    ui.monospace(value.to_string());
                }
                edits.extend(text.map(|value| Edit::Set { path: full, value }));
                ui.end_row();
            }
        });
        if ui.button("Let go of it").on_hover_text("Nothing is selected then (Esc)").clicked() {
            self.stage.picked = None;
        }
        for edit in edits {
            self.command(Command::Edit(edit));
        }
        true
    }
}

/// "Body 3" for `body.3`.
fn title(path: &str) -> String {
    let (kind, index) = path.split_once('.').unwrap_or((path, ""));
    format!("{}{} {index}", kind[..1].to_uppercase(), &kind[1..])
}

/// Widgets for a value. The new value as a text if the user changed it.
fn changed(ui: &mut Ui, value: &Value) -> Option<String> {
    let mut numbers: Vec<f64> = match value {
        Value::Number(number) => vec![*number],
        Value::Vector(x, y) => vec![*x, *y],
        Value::List(items) => {
            let number = |item: &Value| if let Value::Number(number) = item { Some(*number) } else { None };
            items.iter().map(number).collect::<Option<_>>()?
        }
        Value::Flag(flag) => {
            let mut flag = *flag;
            return ui.checkbox(&mut flag, "").changed().then(|| flag.to_string());
        }
        other => {
            ui.monospace(other.to_string());
            return None;
        }
    };
    let mut is_changed = false;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for number in &mut numbers {
            let speed = 0.01 * number.abs().max(0.1);
            is_changed |= ui.add(DragValue::new(number).speed(speed).max_decimals(4)).changed();
        }
    });
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    is_changed.then(|| texts.join(", "))
}
