//! What there is to say of a scene in space, and its settings.

use crate::app::App;
use crate::console::Edit;
use crate::property::spin_frame_name;
use crate::session::Command;
use carom_scenes::Run;
use carom3d::{Integrator, SpinFrame};
use eframe::egui::{ComboBox, DragValue, Grid, Ui};

impl App {
    /// A table of the world, after what can be set.
    pub(super) fn show_space(&mut self, ui: &mut Ui) {
        self.show_space_settings(ui);
        let Some(run) = self.session.run().as_solid() else { return };
        let (scene, world) = (&run.scene, &run.scene.world);
        super::heading(ui, "Scene in space");
        Grid::new("space").num_columns(2).striped(true).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            };
            row("bodies", format!("{} ({} awake)", world.body_count(), world.awake_count()));
            row("spheres", scene.spheres.len().to_string());
            row("triangles", scene.triangles.len().to_string());
            row("planes", scene.planes.len().to_string());
            row("springs", world.spring_count().to_string());
            row("step", format!("{:.6} s", run.about().dt));
            row("contacts", world.contact_count().to_string());
            row("kinetic energy", format!("{:.6} J", world.kinetic_energy()));
            row("potential energy", format!("{:.6} J", world.potential_energy()));
            row("state hash", format!("{:016x}", world.state_hash()));
        });
        ui.add_space(6.0);
        ui.weak("Drag a ball to pull and throw it, click it to see everything about it. Drag elsewhere to go around, with the right button to move the view.");
    }

    fn show_space_settings(&mut self, ui: &mut Ui) {
        let Some(run) = self.session.run().as_solid() else { return };
        let (mut def, frame) = (*run.scene.world.def(), run.spin_frame());
        let before = def;
        let mut new_frame = frame;
        super::heading(ui, "Gravity");
        ui.horizontal(|ui| {
            for part in [&mut def.gravity.x, &mut def.gravity.y, &mut def.gravity.z] {
                ui.add(DragValue::new(part).speed(0.05).range(-1000.0..=1000.0));
            }
            ui.label("m/s²");
        });
        super::heading(ui, "Motion");
        ComboBox::new("integrator", "integrator").selected_text(def.integrator.name()).show_ui(ui, |ui| {
            for choice in Integrator::ALL {
                ui.selectable_value(&mut def.integrator, choice, choice.name());
            }
        });
        let words = |frame: SpinFrame| format!("axes of the {}", spin_frame_name(frame));
        ComboBox::new("spin frame", "spin of the scene").selected_text(words(frame)).show_ui(ui, |ui| {
            for choice in [SpinFrame::World, SpinFrame::Body] {
                ui.selectable_value(&mut new_frame, choice, words(choice));
            }
        });
        if def.gravity != before.gravity {
            let [x, y, z] = def.gravity.to_array();
            self.set_by_path("world.gravity", format!("{x}, {y}, {z}"));
        }
        if def.integrator != before.integrator {
            self.set_by_path("world.integrator", def.integrator.short_name().to_owned());
        }
        if new_frame != frame {
            self.restart_with_spin(new_frame);
        }
    }

    fn set_by_path(&mut self, path: &str, value: String) {
        self.command(Command::Edit(Edit::Set { path: path.to_owned(), value }));
    }

    /// Starts the scene again with its angular velocities meant about other axes.
    pub(crate) fn restart_with_spin(&mut self, frame: SpinFrame) {
        if let Run::Solid(run) = self.session.start() {
            let run = Run::Solid(Box::new((**run).clone().with_spin_frame(frame)));
            self.open_run(run);
        }
    }
}
