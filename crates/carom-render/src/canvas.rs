//! The back end that makes pixels: a draw list, antialiased, by tiny-skia.

use crate::ball::Ball;
use crate::color::Rgba;
use crate::font::Font;
use crate::geometry::{clip, clip_line, inset};
use crate::list::{DrawList, Item, Stroke, Style};
use crate::view::{Size, View};
use carom_core::math::sin_cos;
use carom2d::math::{Vec2, left_perp, vec2};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Shader, StrokeDash,
    Transform,
};

/// A finished picture.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'c> {
    /// Its size.
    pub size: Size,
    /// Red, green, blue and 255 of each pixel, row by row from the top left.
    pub rgba: &'c [u8],
}

/// Something to draw on.
pub struct Canvas {
    size: Size,
    pixels: Pixmap,
    font: Font,
    /// Memory of paths and corners, used again and again.
    spare: PathBuilder,
    corners: Vec<Vec2>,
    clipped: Vec<Vec2>,
}

impl Canvas {
    /// A blank canvas.
    pub fn new(size: Size) -> Canvas {
        Canvas {
            size,
            pixels: Pixmap::new(size.width(), size.height()).expect("a Size is neither empty nor huge"),
            font: Font::new(),
            spare: PathBuilder::new(),
            corners: Vec::new(),
            clipped: Vec::new(),
        }
    }

    /// What has been drawn.
    pub fn picture(&self) -> Picture<'_> {
        Picture { size: self.size, rgba: self.pixels.data() }
    }

    /// Draws a list that was made for this view.
    pub fn draw(&mut self, list: &DrawList, view: &View) {
        if let Some(background) = list.background() {
            let Rgba { r, g, b, .. } = background;
            let opaque = PremultipliedColorU8::from_rgba(r, g, b, 255).expect("opaque colours are valid");
            self.pixels.pixels_mut().fill(opaque);
        }
        for item in list.items() {
            self.item(item, view);
        }
    }

    fn item(&mut self, item: Item<'_>, view: &View) {
        match item {
            Item::Polygon { points, style } => {
                self.corners.clear();
                self.corners.extend(points.iter().map(|&point| view.to_pixels(point)));
                self.convex(style);
            }
            Item::Circle { center, radius, style } => {
                self.round(view.to_pixels(center), view.to_pixels(center), radius / view.pixel(), style);
            }
            Item::Capsule { a, b, radius, style } => {
                self.round(view.to_pixels(a), view.to_pixels(b), radius / view.pixel(), style);
            }
            Item::Line { a, b, stroke } => self.line(view.to_pixels(a), view.to_pixels(b), stroke),
            Item::Point { at, radius, color } => {
                self.round(view.to_pixels(at), view.to_pixels(at), radius, Style::filled(color));
            }
            Item::Ball(ball) => self.ball(ball, view),
            Item::Text { at, anchor, text, size, color, halo } => {
                self.text(view.to_pixels(at), anchor, text, size, color, halo);
            }
        }
    }

    // ---- shapes ---------------------------------------------------------------------------------

    /// The convex polygon in `corners`, in pixels.
    fn convex(&mut self, style: Style) {
        if !self.corners.iter().all(|corner| corner.is_finite()) {
            return;
        }
        match (style.fill, style.outline) {
            // Painting the inside over the edge's colour is much faster than stroking a line.
            (Some(fill), Some(Stroke { color, width, dashed: false })) if fill.a == 255 && color.a == 255 => {
                self.fill_corners(color);
                if inset(&mut self.corners, width) {
                    self.fill_corners(fill);
                }
            }
            (fill, outline) => {
                if let Some(fill) = fill {
                    self.fill_corners(fill);
                }
                if let Some(outline) = outline
                    && inset(&mut self.corners, 0.5 * outline.width)
                {
                    self.clip_corners(outline.width);
                    let path = closed(self.take_spare(), &self.clipped);
                    self.stroke(path, outline);
                }
            }
        }
    }

    fn fill_corners(&mut self, color: Rgba) {
        self.clip_corners(0.0);
        let path = closed(self.take_spare(), &self.clipped);
        self.fill(path, color);
    }

    /// Cuts `corners` to a little more than the picture: what is far outside is beyond the numbers of the
    /// rasteriser.
    fn clip_corners(&mut self, width: f32) {
        const FAR: f32 = 64.0;
        let margin = FAR + width;
        let high = vec2(self.size.width() as f32 + margin, self.size.height() as f32 + margin);
        clip(&self.corners, vec2(-margin, -margin), high, &mut self.clipped);
    }

    /// Everything within a radius of the segment from `a` to `b`, which may be one point.
    fn round(&mut self, a: Vec2, b: Vec2, radius: f32, style: Style) {
        const LARGE: f32 = 2000.0;
        if !(a.is_finite() && b.is_finite() && radius.is_finite()) {
            return;
        }
        // What reaches far out of the picture is cut as a polygon.
        let reach = carom_core::math::max(a.abs().max_element(), b.abs().max_element()) + radius;
        if reach > 2.0 * LARGE + self.size.width().max(self.size.height()) as f32 {
            stadium(a, b, radius, &mut self.corners);
            self.convex(style);
            return;
        }
        match (style.fill, style.outline) {
            (Some(fill), Some(Stroke { color, width, dashed: false })) if fill.a == 255 && color.a == 255 => {
                let path = round_path(self.take_spare(), a, b, radius);
                self.fill(path, color);
                if radius > width {
                    let path = round_path(self.take_spare(), a, b, radius - width);
                    self.fill(path, fill);
                }
            }
            (fill, outline) => {
                if let Some(fill) = fill {
                    let path = round_path(self.take_spare(), a, b, radius);
                    self.fill(path, fill);
                }
                if let Some(outline) = outline
                    && radius > 0.5 * outline.width
                {
                    let path = round_path(self.take_spare(), a, b, radius - 0.5 * outline.width);
                    self.stroke(path, outline);
                }
            }
        }
    }

    /// A lit ball, pixel by pixel.
    fn ball(&mut self, ball: &Ball, view: &View) {
        let center = view.to_pixels(ball.center);
        let [a, b] = ball.axes.map(|axis| vec2(axis.x, -axis.y) / view.pixel());
        // Half the width and height of the ellipse, and a pixel more.
        let reach = vec2((a.x * a.x + b.x * b.x).sqrt(), (a.y * a.y + b.y * b.y).sqrt()) + Vec2::splat(1.0);
        let area = a.x * b.y - a.y * b.x;
        if !(center.is_finite() && reach.is_finite() && area.abs() > 1.0e-6) {
            return;
        }
        let (width, height) = (self.size.width() as usize, self.size.height() as usize);
        // The casts keep to what there is.
        let (left, right) =
            ((center.x - reach.x) as usize, ((center.x + reach.x) as usize).saturating_add(1).min(width));
        let (top, low) = ((center.y - reach.y) as usize, ((center.y + reach.y) as usize).saturating_add(1).min(height));
        let pixels = self.pixels.data_mut();
        for y in top..low {
            for x in left..right {
                let d = vec2(x as f32 + 0.5, y as f32 + 0.5) - center;
                // In axes of the ellipse, where it is a circle of radius 1.
                let at = vec2(d.x * b.y - d.y * b.x, a.x * d.y - a.y * d.x) / area;
                let cover = coverage(at, d);
                if cover > 0.0 {
                    let Rgba { r, g, b, .. } = ball.shade.at(at);
                    let pixel = &mut pixels[4 * (y * width + x)..][..4];
                    for (under, over) in pixel.iter_mut().zip([r, g, b]) {
                        let mixed = f32::from(*under) + cover * (f32::from(over) - f32::from(*under));
                        *under = (mixed + 0.5) as u8;
                    }
                }
            }
        }
    }

    fn line(&mut self, a: Vec2, b: Vec2, stroke: Stroke) {
        let high = vec2(self.size.width() as f32, self.size.height() as f32);
        let Some((a, b)) = clip_line(a, b, Vec2::splat(-64.0), high + Vec2::splat(64.0)) else { return };
        let mut builder = self.take_spare();
        builder.move_to(a.x, a.y);
        builder.line_to(b.x, b.y);
        self.stroke(builder.finish(), stroke);
    }

    fn text(&mut self, at: Vec2, anchor: Vec2, text: &str, size: f32, color: Rgba, halo: Rgba) {
        if !at.is_finite() || text.is_empty() {
            return;
        }
        let x = at.x - anchor.x * self.font.width(text, size);
        let y = at.y + anchor.y * self.font.capital_height(size);
        // Baselines between two rows of pixels blur all horizontal strokes.
        let mut letters = Letters(self.take_spare());
        self.font.outline(text, size, x.round(), y.round(), &mut letters);
        let path = letters.0.finish();
        if let Some(rim) = path.clone() {
            let stroke = tiny_skia::Stroke { width: 0.3 * size, line_join: LineJoin::Round, ..Default::default() };
            self.pixels.stroke_path(&rim, &paint(halo), &stroke, Transform::identity(), None);
        }
        self.fill(path, color);
    }

    // ---- paths ----------------------------------------------------------------------------------

    fn take_spare(&mut self) -> PathBuilder {
        std::mem::take(&mut self.spare)
    }

    fn fill(&mut self, path: Option<Path>, color: Rgba) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(color), FillRule::Winding, Transform::identity(), None);
            self.spare = path.clear();
        }
    }

    fn stroke(&mut self, path: Option<Path>, stroke: Stroke) {
        if let Some(path) = path {
            let Stroke { color, width, dashed } = stroke;
            let dash = if dashed { StrokeDash::new(vec![3.5 * width, 2.5 * width], 0.0) } else { None };
            let line_cap = if dashed { LineCap::Butt } else { LineCap::Round };
            let stroke = tiny_skia::Stroke { width, line_cap, dash, ..Default::default() };
            self.pixels.stroke_path(&path, &paint(color), &stroke, Transform::identity(), None);
            self.spare = path.clear();
        }
    }
}

impl std::fmt::Debug for Canvas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Canvas").field("size", &self.size).finish_non_exhaustive()
    }
}

/// How much of a pixel an ellipse covers that lies at `at` in its axes and at `d` from its centre.
fn coverage(at: Vec2, d: Vec2) -> f32 {
    let radius = at.length();
    // Along the ray from the centre, the edge is so many pixels further out.
    let beyond = if radius > 0.0 { d.length() * (1.0 / radius - 1.0) } else { 1.0 };
    (beyond + 0.5).clamp(0.0, 1.0)
}

fn paint(color: Rgba) -> Paint<'static> {
    let Rgba { r, g, b, a } = color;
    Paint { shader: Shader::SolidColor(Color::from_rgba8(r, g, b, a)), ..Paint::default() }
}

fn closed(mut builder: PathBuilder, corners: &[Vec2]) -> Option<Path> {
    let (first, rest) = corners.split_first()?;
    builder.move_to(first.x, first.y);
    for corner in rest {
        builder.line_to(corner.x, corner.y);
    }
    builder.close();
    builder.finish()
}

/// A circle, or a segment with half circles about its ends.
fn round_path(mut builder: PathBuilder, a: Vec2, b: Vec2, radius: f32) -> Option<Path> {
    if (b - a).length_squared() < 1.0e-6 {
        builder.push_circle(a.x, a.y, radius);
        return builder.finish();
    }
    // A quarter of a circle is a cubic whose handles have this length.
    const HANDLE: f32 = 0.552_284_8;
    let along = (b - a).normalize_or_zero() * radius;
    let side = left_perp(along);
    let quarter = |builder: &mut PathBuilder, center: Vec2, from: Vec2, to: Vec2| {
        let (c1, c2, end) = (center + from + to * HANDLE, center + to + from * HANDLE, center + to);
        builder.cubic_to(c1.x, c1.y, c2.x, c2.y, end.x, end.y);
    };
    let start = b - side;
    builder.move_to(start.x, start.y);
    quarter(&mut builder, b, -side, along);
    quarter(&mut builder, b, along, side);
    let turn = a + side;
    builder.line_to(turn.x, turn.y);
    quarter(&mut builder, a, side, -along);
    quarter(&mut builder, a, -along, -side);
    builder.close();
    builder.finish()
}

/// The outline of everything within `radius` of a segment, as a polygon of many corners.
fn stadium(a: Vec2, b: Vec2, radius: f32, corners: &mut Vec<Vec2>) {
    const PIECES: usize = 512;
    let along = (b - a).normalize_or(Vec2::X);
    corners.clear();
    for k in 0..PIECES {
        let (sin, cos) = sin_cos(std::f32::consts::TAU * k as f32 / PIECES as f32);
        let direction = vec2(cos, sin);
        corners.push(if direction.dot(along) > 0.0 { b } else { a } + direction * radius);
    }
}

/// Takes the outlines of letters into a path.
struct Letters(PathBuilder);

impl ttf_parser::OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_scenes::Camera;
    use carom2d::math::Aabb;

    fn pixel(canvas: &Canvas, x: usize, y: usize) -> [u8; 4] {
        let start = 4 * (y * canvas.size.width() as usize + x);
        canvas.picture().rgba[start..start + 4].try_into().unwrap()
    }

    fn drawn(add: impl Fn(&mut DrawList)) -> Canvas {
        let size = Size::new(100, 100).unwrap();
        let mut list = DrawList::default();
        list.begin(Rgba::WHITE);
        add(&mut list);
        let mut canvas = Canvas::new(size);
        canvas.draw(&list, &View::new(Camera { center: Vec2::ZERO, half_height: 50.0 }, size));
        canvas
    }

    const RED: Rgba = Rgba::new(200, 0, 0);
    const BOTH: Style =
        Style { fill: Some(RED), outline: Some(Stroke { color: Rgba::BLACK, width: 4.0, dashed: false }) };

    #[test]
    fn the_outline_lies_inside() {
        let half = Vec2::splat(20.0);
        for canvas in [
            drawn(|list| list.aabb(Aabb::new(-half, half), BOTH)),
            drawn(|list| list.circle(Vec2::ZERO, 20.0, BOTH)),
            drawn(|list| list.capsule(vec2(0.0, -5.0), vec2(0.0, 5.0), 20.0, BOTH)),
        ] {
            assert_eq!(pixel(&canvas, 50, 50), [200, 0, 0, 255]);
            assert_eq!(pixel(&canvas, 32, 50), [0, 0, 0, 255], "edge");
            assert_eq!(pixel(&canvas, 28, 50), [255, 255, 255, 255], "outside");
            assert_eq!(pixel(&canvas, 36, 50), [200, 0, 0, 255], "within the edge");
        }
    }

    #[test]
    fn what_is_larger_than_the_picture_fills_it() {
        let far = Vec2::splat(1.0e9);
        for canvas in [
            drawn(|list| list.aabb(Aabb::new(-far, far), BOTH)),
            drawn(|list| list.circle(vec2(0.0, -1.0e6), 1.0e6 + 200.0, BOTH)),
            drawn(|list| list.capsule(vec2(-1.0e7, 0.0), vec2(1.0e7, 0.0), 1.0e5, BOTH)),
        ] {
            for (x, y) in [(0, 0), (99, 0), (50, 50), (99, 99)] {
                assert_eq!(pixel(&canvas, x, y), [200, 0, 0, 255]);
            }
        }
        let line = drawn(|list| list.line(vec2(-1.0e8, 0.0), vec2(1.0e8, 0.0), Stroke::solid(RED, 4.0)));
        assert_eq!((pixel(&line, 0, 50), pixel(&line, 99, 50)), ([200, 0, 0, 255], [200, 0, 0, 255]));
    }

    #[test]
    fn numbers_that_are_none_draw_nothing() {
        for bad in [f32::NAN, f32::INFINITY] {
            let canvas = drawn(|list| {
                list.aabb(Aabb::new(Vec2::splat(bad), Vec2::splat(bad)), BOTH);
                list.circle(Vec2::ZERO, bad, BOTH);
                list.circle(Vec2::splat(bad), 1.0, BOTH);
                list.line(Vec2::ZERO, Vec2::splat(bad), Stroke::solid(RED, 1.0));
                list.point(Vec2::splat(bad), 3.0, RED);
                list.text(Vec2::splat(bad), Vec2::ZERO, "x", 12.0, RED, RED);
                list.polygon([], BOTH);
            });
            assert!(canvas.picture().rgba.iter().all(|&byte| byte == 255));
        }
    }

    #[test]
    fn a_shape_thinner_than_its_outline_is_all_outline() {
        let canvas = drawn(|list| list.aabb(Aabb::new(vec2(-20.0, -2.0), vec2(20.0, 2.0)), BOTH));
        assert_eq!(pixel(&canvas, 50, 50), [0, 0, 0, 255]);
    }

    #[test]
    fn text_leaves_marks_where_it_belongs() {
        let canvas = drawn(|list| list.text(Vec2::ZERO, vec2(0.5, 0.5), "HHH", 30.0, Rgba::BLACK, Rgba::WHITE));
        let dark = |x0: usize, x1: usize, y0: usize, y1: usize| {
            (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))).filter(|&(x, y)| pixel(&canvas, x, y)[0] < 128).count()
        };
        assert!(dark(20, 80, 38, 62) > 100);
        assert_eq!(dark(0, 100, 0, 35) + dark(0, 100, 65, 100), 0);
    }
}
