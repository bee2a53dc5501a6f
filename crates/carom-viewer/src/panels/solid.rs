//! What there is to say of a scene in space.

use carom_scenes::SolidRun;
use eframe::egui::{Grid, Ui};

/// A table of the world.
pub(super) fn show_space(ui: &mut Ui, run: &SolidRun) {
    let (scene, world) = (&run.scene, &run.scene.world);
    super::heading(ui, "Scene in space");
    Grid::new("space").num_columns(2).striped(true).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        };
        let gravity = world.def().gravity;
        row("bodies", format!("{} ({} awake)", world.body_count(), world.awake_count()));
        row("spheres", scene.spheres.len().to_string());
        row("triangles", scene.triangles.len().to_string());
        row("planes", scene.planes.len().to_string());
        row("springs", world.spring_count().to_string());
        row("integrator", format!("{:?}", world.def().integrator));
        row("gravity", format!("{}, {}, {} m/s²", gravity.x, gravity.y, gravity.z));
        row("step", format!("{:.6} s", run.about().dt));
        row("contacts", world.contact_count().to_string());
        row("kinetic energy", format!("{:.6} J", world.kinetic_energy()));
        row("potential energy", format!("{:.6} J", world.potential_energy()));
        row("state hash", format!("{:016x}", world.state_hash()));
    });
    ui.add_space(6.0);
    ui.weak("Drag the picture to go around, with the right button to move it. Single balls are read in the console, for example: get body.0.position");
}
