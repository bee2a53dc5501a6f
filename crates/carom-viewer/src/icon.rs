//! Signs on buttons. They are drawn: fonts differ in which signs they have.

use eframe::egui::{self, Color32, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, vec2};

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    Menu,
    Close,
    Previous,
    Next,
    Restart,
    StepBack,
    StepForward,
    Play,
    Pause,
    End,
    Undo,
    Redo,
    Sun,
    Moon,
    Flip,
    Hand,
    Circle,
    Box,
    Polygon,
    Cross,
    Burst,
}

/// How a button with a sign looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Look {
    /// It is the chosen one of several, or switched on.
    pub(crate) chosen: bool,
    /// It cannot be used now.
    pub(crate) disabled: bool,
    /// No background until the pointer is over it.
    pub(crate) bare: bool,
}

/// A square button with a sign; `name` is for those who cannot see it.
pub(crate) fn button(ui: &mut Ui, icon: Icon, name: &str, side: f32, look: Look) -> Response {
    let sense = if look.disabled { Sense::hover() } else { Sense::click() };
    let (rect, response) = ui.allocate_exact_size(vec2(side, side), sense);
    response.widget_info(|| WidgetInfo::selected(Role::Button, !look.disabled, look.chosen, name));
    let visuals = ui.style().interact_selectable(&response, look.chosen);
    let fill =
        if look.bare && !look.chosen && !response.hovered() { Color32::TRANSPARENT } else { visuals.weak_bg_fill };
    let mut color = visuals.fg_stroke.color;
    if look.disabled {
        color = color.gamma_multiply(0.35);
    }
    ui.painter().rect_filled(rect, visuals.corner_radius, fill);
    if response.has_focus() {
        ui.painter().rect_stroke(rect, visuals.corner_radius, ui.visuals().selection.stroke, egui::StrokeKind::Inside);
    }
    draw(ui.painter(), rect, icon, color);
    response
}

/// Draws a sign in the middle of a rectangle, half as wide as it.
fn draw(painter: &Painter, rect: Rect, icon: Icon, color: Color32) {
    let unit = 0.025 * rect.width().min(rect.height());
    let at = |x: f32, y: f32| rect.center() + vec2(x, y) * unit;
    let line = Stroke::new((2.2 * unit).max(1.4), color);
    let bar = |from: Pos2, to: Pos2| {
        painter.line_segment([from, to], line);
    };
    let triangle = |a: Pos2, b: Pos2, c: Pos2| {
        painter.add(Shape::convex_polygon(vec![a, b, c], color, Stroke::NONE));
    };
    match icon {
        Icon::Menu => {
            for y in [-6.0, 0.0, 6.0] {
                bar(at(-9.0, y), at(9.0, y));
            }
        }
        Icon::Close | Icon::Cross => {
            bar(at(-7.0, -7.0), at(7.0, 7.0));
            bar(at(7.0, -7.0), at(-7.0, 7.0));
        }
        Icon::Previous => triangle(at(5.0, -7.0), at(5.0, 7.0), at(-6.0, 0.0)),
        Icon::Next => triangle(at(-5.0, -7.0), at(6.0, 0.0), at(-5.0, 7.0)),
        Icon::Play => triangle(at(-7.0, -10.0), at(10.0, 0.0), at(-7.0, 10.0)),
        Icon::Pause => {
            for x in [-5.0, 5.0] {
                painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(5.0, 18.0) * unit), 1.0, color);
            }
        }
        Icon::StepForward => {
            triangle(at(-8.0, -8.0), at(4.0, 0.0), at(-8.0, 8.0));
            painter.rect_filled(Rect::from_center_size(at(7.0, 0.0), vec2(3.5, 16.0) * unit), 0.5, color);
        }
        Icon::StepBack => {
            triangle(at(8.0, -8.0), at(8.0, 8.0), at(-4.0, 0.0));
            painter.rect_filled(Rect::from_center_size(at(-7.0, 0.0), vec2(3.5, 16.0) * unit), 0.5, color);
        }
        Icon::End => {
            triangle(at(-9.0, -7.0), at(0.0, 0.0), at(-9.0, 7.0));
            triangle(at(0.0, -7.0), at(9.0, 0.0), at(0.0, 7.0));
        }
        Icon::Restart => {
            arc(painter, at(0.0, 1.0), 8.0 * unit, -1.2, 3.9, line);
            triangle(at(1.0, -12.0), at(1.0, -2.0), at(-6.5, -7.0));
        }
        Icon::Undo => curved_arrow(painter, &at, unit, line, 1.0),
        Icon::Redo => curved_arrow(painter, &at, unit, line, -1.0),
        Icon::Sun => {
            painter.circle_filled(at(0.0, 0.0), 4.5 * unit, color);
            for k in 0..8 {
                let (s, c) = (std::f32::consts::FRAC_PI_4 * k as f32).sin_cos();
                bar(at(7.0 * c, 7.0 * s), at(10.0 * c, 10.0 * s));
            }
        }
        Icon::Burst => {
            for k in 0..8 {
                let (s, c) = (std::f32::consts::FRAC_PI_4 * k as f32).sin_cos();
                let end = if k % 2 == 0 { 10.0 } else { 7.0 };
                bar(at(2.5 * c, 2.5 * s), at(end * c, end * s));
            }
        }
        Icon::Moon => {
            // The part of a disc that another disc does not cover.
            let outer = (0..=24).map(|k| angle_at(at(0.0, 0.0), 9.0 * unit, 0.9 + k as f32 / 24.0 * 4.5));
            let inner = (0..=24).map(|k| angle_at(at(3.6, -2.9), 7.0 * unit, 5.0 - k as f32 / 24.0 * 3.8));
            let points: Vec<Pos2> = outer.chain(inner).collect();
            painter.add(Shape::closed_line(points, line));
        }
        Icon::Flip => {
            bar(at(-4.0, 8.0), at(-4.0, -4.0));
            triangle(at(-8.5, -3.0), at(0.5, -3.0), at(-4.0, -10.0));
            bar(at(4.0, -8.0), at(4.0, 4.0));
            triangle(at(8.5, 3.0), at(-0.5, 3.0), at(4.0, 10.0));
        }
        Icon::Hand => {
            let points = [(-5.5, -10.0), (-5.5, 7.0), (-1.5, 3.5), (1.5, 10.0), (5.0, 8.5), (2.0, 2.0), (7.0, 2.0)];
            painter.add(Shape::closed_line(points.map(|(x, y)| at(x, y)).to_vec(), line));
        }
        Icon::Circle => {
            painter.circle_stroke(at(0.0, 0.0), 9.0 * unit, line);
        }
        Icon::Box => {
            let rect = Rect::from_center_size(at(0.0, 0.0), vec2(19.0, 15.0) * unit);
            painter.rect_stroke(rect, 1.0, line, egui::StrokeKind::Middle);
        }
        Icon::Polygon => {
            let corners = [(-2.0, -10.0), (9.0, -3.0), (6.0, 9.0), (-8.0, 8.0), (-10.0, -2.0)].map(|(x, y)| at(x, y));
            for corner in corners {
                painter.circle_filled(corner, 2.4 * unit, color);
            }
            painter.add(Shape::closed_line(corners.to_vec(), Stroke::new(0.7 * line.width, color)));
        }
    }
}

fn angle_at(center: Pos2, radius: f32, angle: f32) -> Pos2 {
    let (s, c) = angle.sin_cos();
    center + vec2(c, s) * radius
}

fn arc(painter: &Painter, center: Pos2, radius: f32, from: f32, sweep: f32, stroke: Stroke) {
    let points = (0..=20).map(|k| angle_at(center, radius, from + sweep * k as f32 / 20.0)).collect();
    painter.add(Shape::line(points, stroke));
}

/// An arrow that turns back, to the left or, mirrored, to the right.
fn curved_arrow(painter: &Painter, at: &dyn Fn(f32, f32) -> Pos2, unit: f32, stroke: Stroke, side: f32) {
    let shaft = [(-5.0, -4.0), (3.0, -4.0), (7.0, -2.0), (8.5, 2.0), (7.0, 6.0), (3.0, 8.0), (-3.0, 8.0)];
    painter.add(Shape::line(shaft.map(|(x, y)| at(side * x, y)).to_vec(), stroke));
    let head = vec![at(side * -10.0, -4.0), at(side * -4.0, -9.5), at(side * -4.0, 1.5)];
    painter.add(Shape::convex_polygon(head, stroke.color, Stroke::NONE));
    debug_assert!(unit > 0.0);
}
