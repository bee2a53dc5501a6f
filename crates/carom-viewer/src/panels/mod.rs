//! What stands around the picture, one file each.

mod body;
mod comparison;
mod console;
mod help;
mod particles;
mod picked;
mod plots;
mod pool;
mod scenes;
mod solid;
mod top;
mod transport;
mod world;
#[cfg(test)]
pub(crate) use world::quad_levels;

pub(crate) use plots::Plots;

use crate::app::{App, Sheet};
use crate::dial::gravity_dial;
use crate::icon::{self, Icon, Look};
use crate::settings::Panel;
use crate::tool::Tool;
use eframe::egui::{self, Align2, Area, Frame, Id, Order, Panel as Side, RichText, ScrollArea, Ui};

/// Room around things and sizes of letters that suit fingers and eyes.
pub(crate) fn style(ctx: &egui::Context) {
    ctx.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.button_padding = egui::vec2(8.0, 4.0);
        style.spacing.interact_size.y = 24.0;
        style.spacing.slider_width = 130.0;
        style.interaction.selectable_labels = false;
    });
}

impl App {
    /// Everything around the picture.
    pub(crate) fn show_panels(&mut self, ui: &mut Ui) {
        let frame = Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(8, 6));
        Side::top("top").frame(frame).resizable(false).show(ui, |ui| self.show_top(ui));
        Side::bottom("transport").frame(frame).resizable(false).show(ui, |ui| self.show_transport(ui));
        if self.phone {
            self.show_sheet(ui);
            return;
        }
        self.sheet = None;
        if self.settings.scenes {
            Side::left("scenes").default_size(230.0).size_range(170.0..=380.0).show(ui, |ui| self.show_scenes(ui));
        }
        if let Some(panel) = self.settings.panel {
            let side = Side::right("panel").default_size(310.0).size_range(250.0..=620.0);
            side.show(ui, |ui| self.show_panel(ui, panel));
        }
    }

    /// On a narrow window: what is open covers the lower part.
    fn show_sheet(&mut self, ui: &mut Ui) {
        let Some(sheet) = self.sheet else { return };
        let height = 0.46 * ui.max_rect().height();
        Side::bottom("sheet").exact_size(height).resizable(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                let title = match sheet {
                    Sheet::Scenes => "Scenes",
                    Sheet::Panel(panel) => panel.name(),
                };
                ui.strong(title);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if icon::button(ui, Icon::Close, "Close", 26.0, Look::default()).clicked() {
                        self.sheet = None;
                    }
                });
            });
            match sheet {
                Sheet::Scenes => self.show_scenes(ui),
                Sheet::Panel(panel) => self.show_panel(ui, panel),
            }
        });
    }

    fn show_panel(&mut self, ui: &mut Ui, panel: Panel) {
        if panel == Panel::Console {
            self.show_console(ui);
            return;
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match panel {
            Panel::Body => self.show_body(ui),
            Panel::World => self.show_world(ui),
            Panel::Plots => self.show_plots(ui),
            Panel::Comparison => self.show_comparison(ui),
            Panel::Console => {}
        });
    }

    /// The panels there are now.
    pub(crate) fn panels(&self) -> impl DoubleEndedIterator<Item = Panel> + use<> {
        Panel::ALL.into_iter().chain(self.comparison.as_ref().map(|_| Panel::Comparison))
    }

    /// Opens or closes a panel.
    pub(crate) fn toggle_panel(&mut self, panel: Panel) {
        if self.phone {
            let sheet = Some(Sheet::Panel(panel));
            self.sheet = if self.sheet == sheet { None } else { sheet };
        } else {
            self.settings.panel = if self.settings.panel == Some(panel) { None } else { Some(panel) };
        }
    }

    /// Is a panel open?
    pub(crate) fn panel_is_open(&self, panel: Panel) -> bool {
        if self.phone { self.sheet == Some(Sheet::Panel(panel)) } else { self.settings.panel == Some(panel) }
    }

    // ---- over the picture -----------------------------------------------------------------------

    /// Tools, gravity and the first hint, over the picture.
    pub(crate) fn show_floating(&mut self, ui: &mut Ui) {
        let Some((rect, _)) = self.stage.last() else { return };
        let inner = rect.shrink(8.0);
        if self.session.run().as_rigid().is_some() {
            let tools = Area::new(Id::unique("tools")).order(Order::Middle).fixed_pos(inner.left_top());
            tools.show(ui.ctx(), |ui| {
                Frame::popup(ui.style()).inner_margin(4).show(ui, |ui| self.show_tools(ui));
            });
            let dial = Area::new(Id::unique("dial")).order(Order::Middle).pivot(Align2::RIGHT_TOP);
            dial.fixed_pos(inner.right_top()).show(ui.ctx(), |ui| {
                if let Some(gravity) = gravity_dial(ui, self.gravity(), 68.0) {
                    self.set_gravity(gravity);
                }
            });
        }
        if self.session.run().as_solid().is_some() {
            self.show_cameras(ui, inner);
            self.show_pool(ui, inner);
        }
        if !self.settings.hint_seen && self.session.run().as_rigid().is_some() {
            let hint = Area::new(Id::unique("hint")).order(Order::Middle).interactable(false).pivot(Align2::CENTER_TOP);
            hint.fixed_pos(inner.center_top() + egui::vec2(0.0, 6.0)).show(ui.ctx(), |ui| {
                ui.set_max_width((inner.width() - 190.0).max(140.0));
                Frame::popup(ui.style()).show(ui, |ui| {
                    ui.label("Drag a brick and throw it. Drag the arrow to turn gravity. Click a brick to change it.");
                });
            });
        }
    }

    /// The two ways to look at a scene in space.
    fn show_cameras(&mut self, ui: &mut Ui, inner: egui::Rect) {
        let place = Area::new(Id::unique("cameras")).order(Order::Middle).fixed_pos(inner.left_top());
        place.show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).inner_margin(4).show(ui, |ui| {
                let eye = &mut self.stage.eye;
                ui.selectable_value(&mut eye.first_person, false, "Around")
                    .on_hover_text("Drag to go around the scene (V)");
                ui.selectable_value(&mut eye.first_person, true, "First person")
                    .on_hover_text("Drag to look around; W, A, S, D walk, Q and E go down and up (V)");
            });
        });
    }

    fn show_tools(&mut self, ui: &mut Ui) {
        ui.spacing_mut().item_spacing = egui::vec2(2.0, 2.0);
        for tool in Tool::ALL {
            let chosen = self.stage.tool == tool;
            let response =
                icon::button(ui, tool_icon(tool), tool.name(), 36.0, Look { chosen, bare: true, ..Look::default() });
            if response.clicked() {
                self.stage.choose(tool);
            }
            response.on_hover_text(tool.help());
        }
    }
}

fn tool_icon(tool: Tool) -> Icon {
    match tool {
        Tool::Hand => Icon::Hand,
        Tool::Circle => Icon::Circle,
        Tool::Box => Icon::Box,
        Tool::Polygon => Icon::Polygon,
        Tool::Erase => Icon::Cross,
        Tool::Explode => Icon::Burst,
    }
}

/// A heading with a little room above it.
pub(crate) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).strong().size(15.0));
}
