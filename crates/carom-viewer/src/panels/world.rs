//! The settings of the world.

use crate::app::App;
use crate::dial::gravity_dial;
use crate::session::Command;
use carom_scenes::SceneWorld;
use carom2d::math::Vec2;
use carom2d::{BroadPhaseKind, Continuous, Correction, Mix, QuadtreeDef, Sequential, Solver, World, WorldDef};
use eframe::egui::{self, ComboBox, DragValue, Grid, Slider, Ui};

const MIXES: [(Mix, &str); 5] = [
    (Mix::GeometricMean, "geometric mean"),
    (Mix::Product, "product"),
    (Mix::Mean, "mean"),
    (Mix::Min, "smaller"),
    (Mix::Max, "larger"),
];

impl App {
    pub(crate) fn show_world(&mut self, ui: &mut Ui) {
        let Some(run) = self.session.run().as_rigid() else {
            self.show_system(ui);
            return;
        };
        let before = *run.world.def();
        let mut def = before;
        super::heading(ui, "Gravity");
        show_gravity(ui, &mut def.gravity);
        super::heading(ui, "Solver");
        show_solver(ui, &mut def);
        super::heading(ui, "Surfaces");
        show_surfaces(ui, &mut def);
        super::heading(ui, "Broad phase");
        show_broad_phase(ui, &mut def, run);
        super::heading(ui, "Sleep");
        ui.checkbox(&mut def.sleeping, "Bodies at rest fall asleep");
        ui.add_enabled(def.sleeping, Slider::new(&mut def.sleep_delay_s, 0.0..=5.0).text("s of rest"));
        super::heading(ui, "New bodies");
        let new = &mut self.settings.new_bodies;
        ui.checkbox(&mut new.fixed, "do not move");
        ui.add(Slider::new(&mut new.density, 0.01..=100.0).logarithmic(true).text("density, kg/m²"));
        ui.add(Slider::new(&mut new.friction, 0.0..=2.0).text("friction"));
        ui.add(Slider::new(&mut new.restitution, 0.0..=1.0).text("restitution"));
        super::heading(ui, "Counts");
        self.show_counts(ui);
        if def != before {
            let change = if def.gravity == before.gravity {
                Command::World(Box::new(def))
            } else {
                Command::Gravity(def.gravity)
            };
            self.command(change);
        }
    }

    fn show_counts(&self, ui: &mut Ui) {
        let Some(run) = self.session.run().as_rigid() else { return };
        let world = &run.world;
        let (keyframes, bytes) = self.session.kept();
        let (first, last) = self.session.range();
        Grid::new("counts").num_columns(2).striped(true).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            };
            row("bodies", format!("{} ({} awake)", world.body_count(), world.awake_body_count()));
            row("shapes", world.shape_count().to_string());
            row("contacts", world.contact_count().to_string());
            row("islands", format!("{} ({} asleep)", world.island_count(), world.sleeping_island_count()));
            row("graph colours", world.color_count().to_string());
            for (depth, level) in quad_levels(world).iter().enumerate() {
                row(
                    &format!("quads of level {depth}"),
                    format!("{} with {} shapes, at most {}", level.quads, level.shapes, level.most),
                );
            }
            row("state hash", format!("{:016x}", world.state_hash()));
            row("timeline", format!("{} steps, {keyframes} keyframes, {} MB", last - first, bytes >> 20));
        });
    }
}

/// What the quads of one level hold themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuadLevel {
    pub(crate) quads: u32,
    pub(crate) shapes: u32,
    pub(crate) most: u32,
}

/// The levels of the quadtree from the root down; none where another broad phase finds pairs.
pub(crate) fn quad_levels(world: &World) -> Vec<QuadLevel> {
    let mut levels = Vec::new();
    if matches!(world.def().broad_phase, BroadPhaseKind::Quadtree(_)) {
        for quad in world.broad_phase().boxes() {
            let depth = quad.depth as usize;
            if levels.len() <= depth {
                levels.resize(depth + 1, QuadLevel::default());
            }
            let level = &mut levels[depth];
            *level = QuadLevel {
                quads: level.quads + 1,
                shapes: level.shapes + quad.count,
                most: level.most.max(quad.count),
            };
        }
    }
    levels
}

fn show_gravity(ui: &mut Ui, gravity: &mut Vec2) {
    ui.horizontal(|ui| {
        if let Some(new) = gravity_dial(ui, *gravity, 84.0) {
            *gravity = new;
        }
        ui.vertical(|ui| {
            for (value, name) in [(&mut gravity.x, "x"), (&mut gravity.y, "y")] {
                ui.add(
                    DragValue::new(value)
                        .speed(0.05)
                        .range(-1000.0..=1000.0)
                        .prefix(format!("{name} "))
                        .suffix(" m/s²"),
                );
            }
            ui.horizontal(|ui| {
                for (name, x, y) in [("Earth", 0.0, -9.81), ("Moon", 0.0, -1.62), ("None", 0.0, 0.0)] {
                    if ui.small_button(name).clicked() {
                        *gravity = Vec2::new(x, y);
                    }
                }
            });
        });
    });
}

fn show_solver(ui: &mut Ui, def: &mut WorldDef) {
    let sequential = match def.solver {
        Solver::Sequential(settings) => settings,
        Solver::SoftStep | Solver::Direct => Sequential::default(),
    };
    let choices = [
        (
            Solver::SoftStep,
            "Soft steps",
            "Sub-steps with soft constraints: fast, and good enough for almost everything",
        ),
        (
            Solver::Direct,
            "Direct",
            "All constraints at once: exact for chains and extreme mass ratios, and slow in heaps",
        ),
        (Solver::Sequential(sequential), "Sequential", "The textbook method, to compare with and to learn from"),
    ];
    ui.horizontal(|ui| {
        for (solver, name, about) in choices {
            ui.selectable_value(&mut def.solver, solver, name).on_hover_text(about);
        }
    });
    if let Solver::Sequential(settings) = &mut def.solver {
        show_sequential(ui, settings);
    } else {
        ui.add(Slider::new(&mut def.substeps, 1..=64).logarithmic(true).text("sub-steps"));
        ui.add(Slider::new(&mut def.contact_hertz, 1.0..=240.0).logarithmic(true).text("contact stiffness, Hz"));
        ui.add(Slider::new(&mut def.contact_damping, 0.1..=20.0).logarithmic(true).text("contact damping"));
        ui.add(Slider::new(&mut def.push_out_speed, 0.0..=20.0).text("push-out speed, m/s"));
    }
    ui.add(Slider::new(&mut def.max_speed, 1.0..=1000.0).logarithmic(true).text("speed limit, m/s"));
    let mut is_on = def.continuous == Continuous::On;
    if ui.checkbox(&mut is_on, "Fast bodies do not pass through walls").changed() {
        def.continuous = if is_on { Continuous::On } else { Continuous::Off };
    }
}

fn show_sequential(ui: &mut Ui, settings: &mut Sequential) {
    ui.add(Slider::new(&mut settings.iterations, 1..=1000).logarithmic(true).text("passes"));
    ui.add(Slider::new(&mut settings.slop, 0.0..=0.1).text("overlap left alone, m"));
    ui.add(Slider::new(&mut settings.push, 0.0..=1.0).text("overlap taken per step"));
    let corrections = [
        (Correction::Bias, "by a bias"),
        (Correction::Split, "by split impulses"),
        (Correction::FirstImpact, "at the first impact"),
    ];
    let text = corrections.iter().find(|(choice, _)| *choice == settings.correction).map_or("", |(_, name)| *name);
    ComboBox::new("correction", "overlap is undone").selected_text(text).show_ui(ui, |ui| {
        for (choice, text) in corrections {
            ui.selectable_value(&mut settings.correction, choice, text);
        }
    });
    ui.add(Slider::new(&mut settings.edge_weight, 0.0..=1.0).text("weight of the edge in use"))
        .on_hover_text("The edge of a contact stays until another one's overlap is below this share of its own");
    ui.add(Slider::new(&mut settings.edge_handicap, 0.0..=0.2).text("handicap of short edges"))
        .on_hover_text("What another edge must be better by: a share of half of what its shape measures across it");
}

fn show_surfaces(ui: &mut Ui, def: &mut WorldDef) {
    for (mix, name) in [(&mut def.friction_mix, "friction"), (&mut def.restitution_mix, "restitution")] {
        let text = MIXES.iter().find(|(choice, _)| choice == mix).map_or("", |(_, name)| *name);
        ComboBox::new(name, format!("of two {name}s")).selected_text(text).show_ui(ui, |ui| {
            for (choice, text) in MIXES {
                ui.selectable_value(mix, choice, text);
            }
        });
    }
    ui.add(Slider::new(&mut def.restitution_speed, 0.0..=5.0).text("least rebound speed, m/s"));
}

fn show_broad_phase(ui: &mut Ui, def: &mut WorldDef, run: &SceneWorld) {
    let camera = run.about().camera;
    let quadtree = run.built_in().map_or_else(
        || QuadtreeDef {
            center: camera.center,
            half_extents: Vec2::splat(4.0 * camera.half_height),
            ..QuadtreeDef::default()
        },
        |scene| scene.quadtree(),
    );
    let mut is_tree = matches!(def.broad_phase, BroadPhaseKind::Tree);
    let was_tree = is_tree;
    ui.horizontal(|ui| {
        ui.selectable_value(&mut is_tree, true, "Tree");
        ui.selectable_value(&mut is_tree, false, "Quadtree");
    });
    if is_tree != was_tree {
        def.broad_phase = if is_tree { BroadPhaseKind::Tree } else { BroadPhaseKind::Quadtree(quadtree) };
    }
    ui.add(egui::Label::new(egui::RichText::new("The result is the same, to the last bit.").small().weak()).wrap());
}
