//! Energy, momentum, contacts and stage times over time, as curves and as a table.

use crate::app::App;
use crate::session::{Sample, Samples};
use carom_scenes::Run;
use carom2d::Stage;
use eframe::egui::{self, Color32, Grid, Ui};
use egui_plot::{Line, Plot, PlotPoints, VLine};

/// Most points in a curve.
const POINTS: usize = 400;

/// What the plots show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plots {
    /// How many seconds back.
    window: f64,
}

impl Default for Plots {
    fn default() -> Plots {
        Plots { window: 10.0 }
    }
}

/// A curve: its name, its colour and what it shows.
type Curve<'a> = (&'a str, Color32, Box<dyn Fn(&Sample) -> f64 + 'a>);

const RED: Color32 = Color32::from_rgb(217, 72, 65);
const BLUE: Color32 = Color32::from_rgb(66, 125, 196);
const GREEN: Color32 = Color32::from_rgb(84, 160, 92);
const ORANGE: Color32 = Color32::from_rgb(240, 140, 46);
const VIOLET: Color32 = Color32::from_rgb(142, 94, 178);
const GREY: Color32 = Color32::from_rgb(128, 134, 142);

/// Stages of the step in groups that can be told apart: a name, a colour, and the stages from .. to.
const STAGE_GROUPS: [(&str, Color32, std::ops::Range<usize>); 5] = [
    ("pairs", BLUE, 0..1),
    ("contacts", ORANGE, 1..2),
    ("islands, colours", VIOLET, 2..4),
    ("solver", RED, 4..12),
    ("the rest", GREY, 12..Stage::ALL.len()),
];

impl App {
    pub(crate) fn show_plots(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.label("Last");
            for window in [5.0, 10.0, 30.0, 120.0] {
                ui.selectable_value(&mut self.plots.window, window, format!("{window} s"));
            }
        });
        let now = self.session.run().time();
        let samples = thinned(self.session.samples(), now - self.plots.window, self.session.step_index());
        let curves = |name: &'static str, unit: &'static str, ui: &mut Ui, curves: Vec<Curve<'_>>| {
            super::heading(ui, &format!("{name}, {unit}"));
            show_legend(ui, &curves);
            plot(ui, name, now, &samples, curves);
        };
        curves(
            "Energy",
            "J",
            ui,
            vec![
                ("kinetic", RED, Box::new(|s| s.kinetic)),
                ("potential", BLUE, Box::new(|s| s.potential)),
                ("total", GREEN, Box::new(|s| s.kinetic + s.potential)),
            ],
        );
        curves(
            "Momentum",
            "N s, kg m²/s",
            ui,
            vec![
                ("along x", RED, Box::new(|s| s.momentum[0])),
                ("along y", BLUE, Box::new(|s| s.momentum[1])),
                ("angular", GREEN, Box::new(|s| s.spin)),
            ],
        );
        curves(
            "Counts",
            "bodies, contacts",
            ui,
            vec![
                ("contacts", ORANGE, Box::new(|s| f64::from(s.contacts))),
                ("awake", VIOLET, Box::new(|s| f64::from(s.awake))),
            ],
        );
        let mut times: Vec<Curve<'_>> = vec![("step", GREEN, Box::new(|s| f64::from(s.step_ms)))];
        if matches!(self.session.run(), Run::Rigid(_)) {
            for (name, color, stages) in STAGE_GROUPS {
                times.push((
                    name,
                    color,
                    Box::new(move |s| s.stage_ms[stages.clone()].iter().copied().map(f64::from).sum()),
                ));
            }
        }
        curves("Times", "ms per step", ui, times);
        self.show_table(ui);
    }

    fn show_table(&self, ui: &mut Ui) {
        super::heading(ui, "Now");
        let Some(sample) = self.session.samples().at(self.session.step_index()) else { return };
        Grid::new("samples").num_columns(2).striped(true).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            };
            row("time", format!("{:.3} s", sample.time));
            row("step", sample.step.to_string());
            row("kinetic energy", format!("{:.6} J", sample.kinetic));
            row("potential energy", format!("{:.6} J", sample.potential));
            row("total energy", format!("{:.6} J", sample.kinetic + sample.potential));
            row("momentum", format!("{:.4}, {:.4} N s", sample.momentum[0], sample.momentum[1]));
            row("angular momentum", format!("{:.4} kg m²/s", sample.spin));
            row("contacts", sample.contacts.to_string());
            row("awake", sample.awake.to_string());
            row("step takes", format!("{:.3} ms", sample.step_ms));
            if let Run::Rigid(run) = self.session.run() {
                for ((stage, _), ms) in run.world.stage_times().zip(sample.stage_ms) {
                    row(Stage::name(stage), format!("{ms:.3} ms"));
                }
            }
        });
    }
}

/// The samples from `from` on, at most [`POINTS`] of them, the last always.
fn thinned(samples: &Samples, from: f64, last: u32) -> Vec<Sample> {
    let wanted: Vec<&Sample> = samples.iter().filter(|s| s.time >= from && s.step <= last).collect();
    let every = wanted.len().div_ceil(POINTS).max(1);
    let end = wanted.len().saturating_sub(1);
    wanted.iter().enumerate().filter(|(i, _)| i % every == 0 || *i == end).map(|(_, s)| **s).collect()
}

/// The names of the curves, above the plot: in it they would hide what is there.
fn show_legend(ui: &mut Ui, curves: &[Curve<'_>]) {
    ui.horizontal_wrapped(|ui| {
        for (name, color, _) in curves {
            ui.spacing_mut().item_spacing.x = 4.0;
            let (spot, _) = ui.allocate_exact_size(egui::vec2(10.0, 12.0), egui::Sense::hover());
            ui.painter().circle_filled(spot.center(), 4.0, *color);
            ui.label(egui::RichText::new(*name).small());
            ui.add_space(6.0);
        }
    });
}

fn plot(ui: &mut Ui, name: &str, now: f64, samples: &[Sample], curves: Vec<Curve<'_>>) {
    Plot::new(name)
        .height(118.0)
        .grid_spacing(egui::Rangef::new(6.0, 90.0))
        .allow_scroll(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_boxed_zoom(false)
        .y_axis_min_width(36.0)
        .show(ui, |plot| {
            for (name, color, value) in &curves {
                let points: Vec<[f64; 2]> =
                    samples.iter().map(|s| [s.time, value(s)]).filter(|p| p[1].is_finite()).collect();
                plot.line(Line::new(*name, PlotPoints::from(points)).color(*color).width(1.6));
            }
            plot.vline(VLine::new("now", now).color(egui::Color32::from_gray(128)).width(1.0).allow_hover(false));
        });
}
