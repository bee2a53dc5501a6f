//! What there is to say of a particle scene.

use crate::app::App;
use carom_scenes::ParticleRun;
use eframe::egui::{Grid, Ui};

impl App {
    /// A table of the system.
    pub(crate) fn show_system(&mut self, ui: &mut Ui) {
        if self.session.run().as_solid().is_some() {
            self.show_space(ui);
            return;
        }
        let carom_scenes::Run::Particles(run) = self.session.run() else { return };
        super::heading(ui, "Particle system");
        table(ui, run);
        ui.add_space(6.0);
        ui.weak("Click a particle to see everything about it; the console sets it too: set particle.0.velocity 1, 2");
    }
}

fn table(ui: &mut Ui, run: &ParticleRun) {
    let (scene, system) = (&run.scene, &run.scene.system);
    Grid::new("system").num_columns(2).striped(true).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        };
        row("particles", system.particle_count().to_string());
        row("edges", system.edges().len().to_string());
        row("half-planes", system.half_planes().len().to_string());
        row("integrator", format!("{:?}", system.integrator()));
        row("step", format!("{} s", scene.dt));
        row("length", format!("{} s", scene.duration));
        row("contacts", run.contacts().len().to_string());
        row("kinetic energy", format!("{:.6} J", system.kinetic_energy()));
        row("potential energy", format!("{:.6} J", system.potential_energy()));
    });
}
