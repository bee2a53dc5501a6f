//! The game of pool over the picture: how it stands, and what to do next.

use crate::app::App;
use crate::session::{Command, PoolMove};
use carom_scenes::PoolGame;
use eframe::egui::{Align2, Area, Frame, Id, Order, Rect, Ui};

impl App {
    /// A box with the score, if this is a game of pool.
    pub(super) fn show_pool(&mut self, ui: &mut Ui, rect: Rect) {
        let Some(run) = self.session.run().as_solid() else { return };
        let Some(game) = PoolGame::of(run) else { return };
        let (potted, is_white_potted) = (game.potted(&run.scene), game.is_cue_ball_potted(&run.scene));
        let hint = match (game.is_at_rest(&run.scene), is_white_potted, potted) {
            (false, ..) => "The balls roll.",
            (true, true, _) => "The white ball is in a pocket: put it back.",
            (true, false, 15) => "All are in: rack again.",
            (true, false, _) => "Drag back from the white ball to aim, let go to strike.",
        };
        let place = Area::new(Id::unique("pool")).order(Order::Middle).pivot(Align2::CENTER_TOP);
        place.fixed_pos(rect.center_top()).show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.strong(format!("{potted} of 15 potted"));
                    if ui.button("Rack").on_hover_text("All balls to their places, the white one at rest").clicked() {
                        self.command(Command::Pool(PoolMove::Rack));
                    }
                    if is_white_potted && ui.button("Put back").clicked() {
                        self.command(Command::Pool(PoolMove::PutBack));
                    }
                });
                ui.label(hint);
            });
        });
    }
}
