//! Draws the items of a list as triangles.

use super::circle::{Circles, corners};
use super::clip::{Point, clip, clip_line};
use super::dash::Pattern;
use super::figure::Figure;
use super::ink::Ink;
use super::rim::Rim;
use super::screen::Screen;
use super::stamp::{LARGEST, Stamps};
use super::triangles::Triangles;
use carom_core::math::{atan2_64, max, min, sin_cos64};
use carom_render::{Ball, Item, Rgba, Stroke, Style};
use carom2d::math::{Vec2, max2, min2, vec2};
use std::f32::consts::{FRAC_PI_8, PI};

/// Discs of a smaller radius, in pixels, are not seen to be round; nor are ends of lines.
const ROUND_DISC: f32 = 0.75;
const ROUND_END: f32 = 1.25;

/// What is wider, in pixels, covers any screen.
const WIDEST: f32 = 4096.0;

/// Balls that reach farther, in pixels, are all around: nothing of them would be seen as a ball.
const FARTHEST: f32 = 1.0e6;

/// Draws, with memory that is used again and again.
#[derive(Debug)]
pub(super) struct Pen {
    pub(super) triangles: Triangles,
    circles: Circles,
    rim: Rim,
    corners: Vec<Vec2>,
    path: Vec<Vec2>,
    piece: Vec<Vec2>,
    far: Vec<Point>,
    spare: Vec<Point>,
}

impl Pen {
    pub(super) fn new(stamps: Stamps) -> Pen {
        Pen {
            triangles: Triangles::new(stamps),
            circles: Circles::new(),
            rim: Rim::default(),
            corners: Vec::new(),
            path: Vec::new(),
            piece: Vec::new(),
            far: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Draws an item; nothing if it is text.
    pub(super) fn item(&mut self, item: Item<'_>, screen: &Screen) {
        match item {
            Item::Polygon { points, style } => {
                self.corners.clear();
                self.corners.extend(points.iter().map(|&point| screen.point(point)));
                self.polygon(style, screen);
            }
            Item::Circle { center, radius, style } => {
                self.circle(screen.point(center), screen.length(radius), style, screen);
            }
            Item::Capsule { a, b, radius, style } => {
                self.capsule(screen.point(a), screen.point(b), screen.length(radius), style, screen);
            }
            Item::Line { a, b, stroke } => self.line(screen.point(a), screen.point(b), stroke, screen),
            Item::Point { at, radius, color } => {
                self.circle(screen.point(at), radius * screen.unit, Style::filled(color), screen);
            }
            Item::Ball(ball) => self.ball(ball, screen),
            Item::Text { .. } => {}
        }
    }

    /// Fills all that is seen.
    pub(super) fn background(&mut self, color: Rgba, screen: &Screen) {
        self.triangles.hard_box(screen.low, screen.high, Ink::of(Rgba { a: 255, ..color }));
    }

    // ---- items: is it seen, is it small, must it be cut? ----------------------------------------

    /// The convex polygon in `corners`.
    fn polygon(&mut self, style: Style, screen: &Screen) {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for &corner in &self.corners {
            if !corner.is_finite() {
                return;
            }
            (low, high) = (min2(low, corner), max2(high, corner));
        }
        if !screen.sees(low, high) {
            return;
        }
        if !screen.is_near(low, high) {
            self.far.clear();
            self.far.extend(self.corners.iter().map(|corner| [f64::from(corner.x), f64::from(corner.y)]));
            self.clip_far(style, screen);
        }
        self.near_polygon(style, screen.unit);
    }

    /// The convex polygon in `corners`, none of them far away.
    fn near_polygon(&mut self, style: Style, unit: f32) {
        if let Some(rectangle) = Figure::rectangle(&self.corners) {
            return self.figure(rectangle, style, unit);
        }
        let Some(measure) = self.rim.set_polygon(self.corners.iter().copied()) else { return };
        if measure.perimeter < 8.0 * ROUND_DISC {
            let spot = Figure::spot(self.rim.corners()[0].at, measure.area);
            return self.figure(spot, style, unit);
        }
        let width = style.outline.map_or(0.0, |stroke| stroke.width * unit);
        let thickness = self.rim.thickness(measure, 2.0 * width + 3.0);
        self.figure(Figure::of_rim(&self.rim, thickness), style, unit);
    }

    fn circle(&mut self, center: Vec2, radius: f32, style: Style, screen: &Screen) {
        let reach = Vec2::splat(radius);
        if !(radius > 0.0 && screen.sees(center - reach, center + reach)) {
            return;
        }
        if radius <= LARGEST {
            self.figure(Figure::Disc { center, radius }, style, screen.unit);
        } else if screen.is_near(center - reach, center + reach) {
            self.rim.set_circle(self.circles.of_radius(radius), center, radius);
            self.figure(Figure::Convex { thickness: 2.0 * radius }, style, screen.unit);
        } else if center.is_finite() && radius.is_finite() {
            far_circle(center, radius, screen, &mut self.far);
            self.clip_far(style, screen);
            self.near_polygon(style, screen.unit);
        }
    }

    fn ball(&mut self, ball: &Ball, screen: &Screen) {
        let center = screen.point(ball.center);
        let axes = ball.axes.map(|axis| {
            let axis = vec2(axis.x, -axis.y);
            vec2(screen.length(axis.x), screen.length(axis.y))
        });
        let reach = vec2(axes[0].x.abs() + axes[1].x.abs(), axes[0].y.abs() + axes[1].y.abs());
        let radius = min(axes[0].length(), axes[1].length());
        if radius > 0.0 && reach.max_element() < FARTHEST && screen.sees(center - reach, center + reach) {
            let circle = self.circles.of_radius(min(axes[0].length(), WIDEST));
            self.triangles.ball(center, axes, radius, &circle.directions, &ball.shade);
        }
    }

    fn capsule(&mut self, a: Vec2, b: Vec2, radius: f32, style: Style, screen: &Screen) {
        let reach = Vec2::splat(radius);
        let (low, high) = (min2(a, b) - reach, max2(a, b) + reach);
        if !(radius > 0.0 && a.is_finite() && b.is_finite() && radius.is_finite() && screen.sees(low, high)) {
            return;
        }
        if !screen.is_near(low, high) {
            self.rim.set_capsule(self.circles.of_radius(radius), a, b, radius);
            self.corners.clear();
            self.corners.extend(self.rim.corners().iter().map(|corner| corner.at));
            self.polygon(style, screen);
        } else if radius <= LARGEST {
            self.figure(Figure::Capsule { a, b, radius }, style, screen.unit);
        } else {
            self.rim.set_capsule(self.circles.of_radius(radius), a, b, radius);
            self.figure(Figure::Convex { thickness: 2.0 * radius }, style, screen.unit);
        }
    }

    fn line(&mut self, a: Vec2, b: Vec2, stroke: Stroke, screen: &Screen) {
        let width = stroke.width * screen.unit;
        if !(width > 0.0 && width.is_finite()) {
            return;
        }
        let (low, high) = screen.grown(min(width, WIDEST) + 2.0);
        let Some(part) = clip_line(a, b, low, high) else { return };
        if stroke.dashed {
            self.path.clear();
            self.path.extend([part.a, part.b]);
            self.dashes(width, stroke.color, part.skipped);
        } else {
            self.capsule(part.a, part.b, 0.5 * width, Style::filled(stroke.color), screen);
        }
    }

    // ---- figures --------------------------------------------------------------------------------

    /// A figure with its inside and edge.
    fn figure(&mut self, figure: Figure, style: Style, unit: f32) {
        match (style.fill, style.outline) {
            // Painting the inside over the edge's colour takes the fewest triangles.
            (Some(fill), Some(Stroke { color, width, dashed: false })) if fill.a == 255 && color.a == 255 => {
                self.fill(figure, 0.0, Ink::of(color));
                self.fill(figure, max(width * unit, 0.0), Ink::of(fill));
            }
            (fill, outline) => {
                if let Some(fill) = fill {
                    self.fill(figure, 0.0, Ink::of(fill));
                }
                if let Some(outline) = outline {
                    self.outline(figure, outline, unit);
                }
            }
        }
    }

    /// What is deeper within a figure than `depth`.
    fn fill(&mut self, figure: Figure, depth: f32, ink: Ink) {
        let left = figure.thickness() - 2.0 * depth;
        if left <= 0.0 || left.is_nan() {
            return;
        }
        match figure {
            Figure::Rectangle { center, along, size } => {
                self.triangles.rectangle(center, along, size - Vec2::splat(2.0 * depth), ink);
            }
            Figure::Disc { center, radius } if radius - depth > ROUND_DISC => {
                self.triangles.disc(center, radius - depth, ink);
            }
            Figure::Disc { center, radius } => {
                let side = PI.sqrt() * (radius - depth);
                self.triangles.rectangle(center, Vec2::X, Vec2::splat(side), ink);
            }
            Figure::Capsule { a, b, radius } if radius - depth > ROUND_END => {
                self.triangles.capsule(a, b, radius - depth, ink);
            }
            Figure::Capsule { a, b, radius } => {
                // Half a circle has the area of a box of this length.
                let width = 2.0 * (radius - depth);
                let out = (b - a).normalize_or(Vec2::X) * (FRAC_PI_8 * width);
                self.triangles.line(a - out, b + out, width, ink);
            }
            // With less than that, ramps from both sides would meet in the middle.
            Figure::Round { center, .. } if left > 2.0 => self.triangles.fan(self.rim.corners(), center, depth, ink),
            Figure::Round { .. } | Figure::Convex { .. } => self.triangles.convex(self.rim.corners(), depth, left, ink),
        }
    }

    /// The edge of a figure, alone.
    fn outline(&mut self, figure: Figure, stroke: Stroke, unit: f32) {
        let (width, thickness) = (stroke.width * unit, figure.thickness());
        if width <= 0.0 || width.is_nan() {
            return;
        }
        if thickness <= 2.0 * width {
            return self.fill(figure, 0.0, Ink::of(stroke.color));
        }
        match figure {
            Figure::Rectangle { center, along, size } => self.rim.set_rectangle(center, along, size),
            Figure::Disc { center, radius } => {
                self.rim.set_circle(self.circles.of_radius(radius), center, radius);
            }
            Figure::Capsule { a, b, radius } => {
                self.rim.set_capsule(self.circles.of_radius(radius), a, b, radius);
            }
            Figure::Round { .. } | Figure::Convex { .. } => {}
        }
        if stroke.dashed {
            self.path.clear();
            self.path.extend(self.rim.corners().iter().map(|corner| corner.inset(0.5 * width)));
            self.path.extend(self.path.first().copied());
            self.dashes(width, stroke.color, 0.0);
        } else {
            self.triangles.outline(self.rim.corners(), width, thickness, Ink::of(stroke.color));
        }
    }

    /// Dashes along `path`, of which some length came before.
    fn dashes(&mut self, width: f32, color: Rgba, skipped: f64) {
        // Dashes that come this close, in pixels, are a grey line.
        const DENSE: f32 = 2.0;
        let width = min(width, WIDEST);
        let pattern = Pattern::of_width(width);
        let (triangles, ink) = (&mut self.triangles, Ink::of(color));
        if pattern.period() < DENSE {
            triangles.strip(&self.path, width, ink.covering(pattern.dash / pattern.period()));
            return;
        }
        pattern.cut(&self.path, skipped, &mut self.piece, |piece| match *piece {
            [a, b] => triangles.line(a, b, width, ink),
            _ => triangles.strip(piece, width, ink),
        });
    }

    // ---- what is far away -----------------------------------------------------------------------

    /// Takes `far`, cut to a little more than what is seen, as `corners`: the new edges and their outline
    /// lie outside.
    fn clip_far(&mut self, style: Style, screen: &Screen) {
        let width = style.outline.map_or(0.0, |stroke| stroke.width * screen.unit);
        let (low, high) = screen.grown(64.0 + min(max(width, 0.0), WIDEST));
        clip(&mut self.far, &mut self.spare, low, high);
        self.corners.clear();
        self.corners.extend(self.far.iter().map(|point| vec2(point[0] as f32, point[1] as f32)));
    }
}

/// A circle of which not everything is near, as a polygon that is round where it is seen.
fn far_circle(center: Vec2, radius: f32, screen: &Screen, out: &mut Vec<Point>) {
    const MOST: f64 = 512.0;
    let (x, y, radius) = (f64::from(center.x), f64::from(center.y), f64::from(radius));
    out.clear();
    let mut arc = |from: f64, to: f64, pieces: usize| {
        for k in 0..=pieces {
            let (sin, cos) = sin_cos64(from + (to - from) * (k as f64 / pieces as f64));
            out.push([x + radius * cos, y + radius * sin]);
        }
    };
    let (low, high) = screen.grown(128.0);
    if center.cmpge(low).all() && center.cmple(high).all() {
        let pieces = f64::from(corners(radius as f32)).clamp(64.0, MOST);
        arc(0.0, std::f64::consts::TAU * (1.0 - 1.0 / pieces), pieces as usize - 1);
        return;
    }
    // From outside, what is seen lies within half a turn: a slice from the centre on covers it.
    let (dx, dy) = (f64::from(0.5 * (low.x + high.x)) - x, f64::from(0.5 * (low.y + high.y)) - y);
    let (mut right, mut left) = (0.0_f64, 0.0_f64);
    for (px, py) in [(low.x, low.y), (high.x, low.y), (high.x, high.y), (low.x, high.y)] {
        let (ex, ey) = (f64::from(px) - x, f64::from(py) - y);
        let angle = atan2_64(dx * ey - dy * ex, dx * ex + dy * ey);
        right = if angle < right { angle } else { right };
        left = if angle > left { angle } else { left };
    }
    let middle = atan2_64(dy, dx);
    let share = (left - right) / std::f64::consts::TAU;
    let pieces = (f64::from(corners(radius as f32)) * share).ceil().clamp(1.0, MOST);
    arc(middle + right, middle + left, pieces as usize);
    out.push([x, y]);
}
