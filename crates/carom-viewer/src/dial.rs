//! The arrow that shows gravity and turns it.

use carom2d::math::{Vec2, vec2};
use eframe::egui::{self, Color32, Pos2, Sense, Stroke, Ui};

/// Full length of the arrow, in m/s^2.
const FULL: f32 = 20.0;
/// Directions snap to the axes within this share of the length.
const SNAP: f32 = 0.09;

/// Shows a dial of some size. Returns the new gravity while it is dragged.
pub(crate) fn gravity_dial(ui: &mut Ui, gravity: Vec2, size: f32) -> Option<Vec2> {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(size, size), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "gravity"));
    let visuals = ui.style().interact(&response);
    let (center, radius) = (rect.center(), 0.5 * size - 2.0);
    let painter = ui.painter();
    painter.circle(center, radius, ui.visuals().extreme_bg_color.gamma_multiply(0.85), visuals.bg_stroke);
    for (x, y) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
        let direction = egui::vec2(x, y);
        let tick = Stroke::new(1.5, ui.visuals().weak_text_color());
        painter.line_segment([center + direction * (radius - 5.0), center + direction * (radius - 1.0)], tick);
    }
    let reach = radius - 6.0;
    // Lengths grow with the square root: the moon's gravity is to be seen, too.
    let strength = gravity.length();
    let share = (strength / FULL).sqrt().min(1.0);
    let tip = center + egui::vec2(gravity.x, -gravity.y) * (share * reach / strength.max(1.0e-6));
    arrow(painter, center, tip, ui.visuals().hyperlink_color);
    let new = response
        .interact_pointer_pos()
        .filter(|_| response.dragged() || response.clicked())
        .map(|at| (at - center) / reach)
        .map(|offset| snapped(offset * (offset.length() * FULL)));
    response.on_hover_text("Gravity: drag the arrow. Arrow keys turn it, 0 switches it off.");
    new
}

/// The gravity for a place on the dial: along an axis if nearly so, off in the very middle.
fn snapped(offset: egui::Vec2) -> Vec2 {
    let mut gravity = vec2(offset.x, -offset.y);
    let mut length = gravity.length();
    if length < 0.02 * FULL {
        return Vec2::ZERO;
    }
    if length > FULL {
        gravity *= FULL / length;
        length = FULL;
    }
    if gravity.x.abs() < SNAP * length {
        gravity.x = 0.0;
    }
    if gravity.y.abs() < SNAP * length {
        gravity.y = 0.0;
    }
    gravity
}

/// An arrow with a head that fits its length; a dot when it has none.
pub(crate) fn arrow(painter: &egui::Painter, from: Pos2, to: Pos2, color: Color32) {
    let along = to - from;
    let length = along.length();
    if length < 3.0 {
        painter.circle_filled(from, 4.0, color);
        return;
    }
    let unit = along / length;
    let head = (0.45 * length).clamp(6.0, 14.0).min(length);
    let neck = to - unit * head;
    painter.line_segment([from, neck], Stroke::new((0.3 * head).max(2.0), color));
    let side = unit.rot90() * (0.5 * head);
    painter.add(egui::Shape::convex_polygon(vec![to, neck + side, neck - side], color, Stroke::NONE));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dial_snaps_to_axes_and_to_nothing() {
        assert_eq!(snapped(egui::vec2(0.1, 10.0)), vec2(0.0, -10.0));
        assert_eq!(snapped(egui::vec2(10.0, -0.1)), vec2(10.0, 0.0));
        assert_eq!(snapped(egui::vec2(0.2, 0.2)), Vec2::ZERO);
        assert!((snapped(egui::vec2(300.0, 400.0)).length() - FULL).abs() < 1.0e-4);
        assert_eq!(snapped(egui::vec2(6.0, 8.0)), vec2(6.0, -8.0));
    }
}
