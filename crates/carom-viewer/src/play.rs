//! Falling Bricks as a game of its own: the whole screen, gravity in the user's hand.

use crate::app::App;
use crate::dial::{arrow, gravity_dial};
use crate::icon::{self, Icon, Look};
use carom2d::math::{Vec2, vec2};
use eframe::egui::{self, Align2, Area, Id, Order, Ui};

/// The four sides a device can stand on: a name, where its button is, and which way gravity points then.
const SIDES: [(&str, Align2, [f32; 2]); 4] = [
    ("down", Align2::CENTER_BOTTOM, [0.0, -1.0]),
    ("right", Align2::RIGHT_CENTER, [1.0, 0.0]),
    ("up", Align2::CENTER_TOP, [0.0, 1.0]),
    ("left", Align2::LEFT_CENTER, [-1.0, 0.0]),
];

/// Gravity on earth, in m/s^2.
pub(crate) const EARTH: f32 = 9.81;

impl App {
    /// The controls of the game, over the picture.
    pub(crate) fn show_play(&mut self, ui: &mut Ui) {
        let Some((rect, _)) = self.stage.last() else { return };
        let gravity = self.gravity();
        let margin = 10.0;
        for (name, align, direction) in SIDES {
            let place = align.pos_in_rect(&rect.shrink(margin));
            let towards = vec2(direction[0], direction[1]);
            Area::new(Id::unique(("side", name))).order(Order::Foreground).pivot(align).fixed_pos(place).show(
                ui.ctx(),
                |ui| {
                    let (spot, response) = ui.allocate_exact_size(egui::vec2(46.0, 46.0), egui::Sense::click());
                    response
                        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("gravity {name}")));
                    let visuals = ui.style().interact(&response);
                    let now = gravity.normalize_or_zero().dot(towards) > 0.9;
                    let fill = if now { ui.visuals().selection.bg_fill } else { visuals.bg_fill };
                    ui.painter().circle(spot.center(), 22.0, fill.gamma_multiply(0.85), visuals.bg_stroke);
                    let reach = egui::vec2(towards.x, -towards.y) * 11.0;
                    arrow(ui.painter(), spot.center() - reach, spot.center() + reach, visuals.text_color());
                    if response.clicked() {
                        self.set_gravity(towards * EARTH);
                    }
                },
            );
        }
        self.show_play_corner(ui, rect.shrink(margin), gravity);
    }

    fn show_play_corner(&mut self, ui: &mut Ui, rect: egui::Rect, gravity: Vec2) {
        let corner = |name: &str, align: Align2| {
            Area::new(Id::unique(("play", name.to_owned())))
                .order(Order::Foreground)
                .pivot(align)
                .fixed_pos(align.pos_in_rect(&rect))
        };
        corner("dial", Align2::RIGHT_TOP).show(ui.ctx(), |ui| {
            if let Some(gravity) = gravity_dial(ui, gravity, 76.0) {
                self.set_gravity(gravity);
            }
        });
        corner("menu", Align2::LEFT_TOP).show(ui.ctx(), |ui| {
            ui.horizontal(|ui| {
                let big = |ui: &mut Ui, icon: Icon, name: &str| icon::button(ui, icon, name, 44.0, Look::default());
                if big(ui, Icon::Menu, "Viewer").on_hover_text("To the viewer (Esc)").clicked() {
                    self.set_play(false);
                }
                if big(ui, Icon::Restart, "Restart").on_hover_text("Start again (R)").clicked() {
                    self.restart();
                }
                if big(ui, Icon::Flip, "Flip").on_hover_text("Turn it over (F)").clicked() {
                    self.flip_gravity();
                }
            });
        });
    }
}
