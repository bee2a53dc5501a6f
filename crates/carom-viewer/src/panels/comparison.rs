//! What is wrong with the trajectory that is shown.

use crate::app::App;
use crate::comparison::Comparison;
use carom_particles::{CollisionError, MAX_ACCUMULATED, MAX_SINGLE, StepReport, short_number};
use carom_scenes::Run;
use eframe::egui::{self, Color32, Grid, RichText, ScrollArea, Ui};

/// How many of a step's errors are told in words.
const MOST_ERRORS: usize = 12;

/// What the user asked for.
enum Wish {
    /// To see a step.
    Step(u64),
    /// To see the scene itself again.
    Close,
}

impl App {
    pub(crate) fn show_comparison(&mut self, ui: &mut Ui) {
        let Some(comparison) = &self.comparison else { return };
        match show(ui, comparison) {
            Some(Wish::Step(step)) => self.session.seek(u32::try_from(step).unwrap_or(u32::MAX)),
            Some(Wish::Close) => {
                let scene = comparison.scene().clone();
                self.open_run(Run::Particles(Box::new(scene)));
            }
            None => {}
        }
    }
}

fn show(ui: &mut Ui, comparison: &Comparison) -> Option<Wish> {
    let mut wish = None;
    ui.horizontal(|ui| {
        ui.add(egui::Label::new(RichText::new(comparison.name()).strong()).truncate());
    });
    show_verdict(ui, comparison);
    if comparison.report().has_trailing_bytes {
        ui.weak("The file goes on after the scene's last step.");
    }
    show_residuals(ui, comparison);
    show_step(ui, comparison.shown());
    if let Some(step) = show_bad_steps(ui, comparison) {
        wish = Some(Wish::Step(step));
    }
    ui.add_space(6.0);
    if ui.button("Close the comparison").on_hover_text("Show the scene itself again").clicked() {
        wish = Some(Wish::Close);
    }
    wish
}

fn show_verdict(ui: &mut Ui, comparison: &Comparison) {
    let (report, steps) = (comparison.report(), comparison.steps());
    let passed = report.passed();
    let verdict = match (comparison.is_over(), passed) {
        (true, true) => "Passed".to_owned(),
        (true, false) => "Failed".to_owned(),
        (false, true) => format!("Nothing wrong up to step {} of {steps}", report.steps),
        (false, false) => format!("Failed; graded up to step {} of {steps}", report.steps),
    };
    ui.label(RichText::new(verdict).strong().size(17.0).color(color(ui, passed)));
    let [missed, superfluous, wrong] = report.collision_error_counts();
    if missed + superfluous + wrong > 0 {
        ui.label(format!("Collisions: {missed} missed, {superfluous} superfluous, {wrong} with a wrong normal"));
    } else {
        ui.label("All collisions are right.");
    }
}

/// Green or red, to be read on the window's background.
fn color(ui: &Ui, passed: bool) -> Color32 {
    match (passed, ui.visuals().dark_mode) {
        (true, true) => Color32::from_rgb(70, 235, 110),
        (true, false) => Color32::from_rgb(0, 125, 40),
        (false, true) => Color32::from_rgb(255, 105, 110),
        (false, false) => Color32::from_rgb(205, 0, 30),
    }
}

fn show_residuals(ui: &mut Ui, comparison: &Comparison) {
    super::heading(ui, "Residuals");
    let (all, shown) = (comparison.report().residuals.lines(), comparison.shown().residuals.lines());
    let rows = [
        ("sum |Δx|", MAX_ACCUMULATED),
        ("sum |Δv|", MAX_ACCUMULATED),
        ("max |Δx|", MAX_SINGLE),
        ("max |Δv|", MAX_SINGLE),
    ];
    Grid::new("residuals").num_columns(4).striped(true).show(ui, |ui| {
        for title in ["", "this step", "all steps", "less than"] {
            ui.weak(title);
        }
        ui.end_row();
        for ((name, limit), (all, shown)) in rows.into_iter().zip(all.into_iter().zip(shown)) {
            ui.label(name);
            for (_, value, passed) in [shown, all] {
                let text = RichText::new(short_number(value)).monospace();
                ui.label(if passed { text } else { text.color(color(ui, false)) });
            }
            ui.weak(short_number(limit));
            ui.end_row();
        }
    });
}

fn show_step(ui: &mut Ui, step: &StepReport) {
    super::heading(ui, &format!("Step {}", step.step));
    if step.is_clean() {
        ui.weak(if step.step == 0 { "The start: it is taken as it is." } else { "Nothing is wrong with it." });
    }
    for error in step.collision_errors.iter().take(MOST_ERRORS) {
        let is_missed = matches!(error, CollisionError::Missed(_));
        ui.add(egui::Label::new(RichText::new(error.to_string()).color(color(ui, is_missed))).wrap());
    }
    if step.collision_errors.len() > MOST_ERRORS {
        ui.weak(format!("and {} more", step.collision_errors.len() - MOST_ERRORS));
    }
    let marked = &step.marked_particles;
    if !marked.is_empty() {
        let names: Vec<String> = marked.iter().take(MOST_ERRORS).map(usize::to_string).collect();
        let more = if marked.len() > MOST_ERRORS { ", ..." } else { "" };
        let text = format!("Particles that are off: {}{more}", names.join(", "));
        ui.add(egui::Label::new(RichText::new(text).color(color(ui, false))).wrap());
    }
}

/// The steps with differences, to choose from.
fn show_bad_steps(ui: &mut Ui, comparison: &Comparison) -> Option<u64> {
    let bad = &comparison.report().bad_steps;
    super::heading(ui, &format!("Steps with differences: {}", bad.len()));
    let shown = comparison.shown().step;
    let mut chosen = None;
    let height = ui.spacing().interact_size.y;
    ScrollArea::vertical().id_salt("bad steps").max_height(240.0).auto_shrink([false, true]).show_rows(
        ui,
        height,
        bad.len(),
        |ui, rows| {
            for step in &bad[rows] {
                if ui.selectable_label(step.step == shown, in_short(step)).clicked() {
                    chosen = Some(step.step);
                }
            }
        },
    );
    chosen
}

fn in_short(step: &StepReport) -> String {
    let count =
        |wanted: fn(&CollisionError) -> bool| step.collision_errors.iter().filter(|error| wanted(error)).count();
    let counts = [
        (count(|error| matches!(error, CollisionError::Missed(_))), "missed"),
        (count(|error| matches!(error, CollisionError::Superfluous(_))), "superfluous"),
        (count(|error| matches!(error, CollisionError::WrongNormal { .. })), "wrong"),
        (step.marked_particles.len(), "off"),
    ];
    let words: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    format!("step {}: {}", step.step, words.join(", "))
}
