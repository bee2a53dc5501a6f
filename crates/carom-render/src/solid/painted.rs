//! Pictures on surfaces, and surfaces that look round by the normals of their corners: cut into cells of one colour each.

use super::light::{base, gloss};
use super::{Picture, middle, unit};
use crate::ball::Shade;
use crate::color::Rgba;
use crate::geometry::inset;
use crate::list::{DrawList, Style};
use crate::poses::Placed;
use carom_core::math::{max, max64, sin_cos64};
use carom2d::math::Vec2;
use carom3d::math::DVec3;
use carom3d::{SphereView, Texture, TriangleView};
use std::f64::consts::TAU;

/// Cells are about so wide, in pixels.
const CELL: f32 = 3.5;
/// A triangle is halved no more often than this: into 16384 cells.
const MOST_HALVINGS: u32 = 14;
/// Halves of a triangle whose colours differ by less than this are not cut further once it is this often cut.
const ALIKE: f32 = 0.012;
const ENOUGH: u32 = 5;

/// A triangle as it is painted.
struct Paint<'a> {
    triangle: &'a TriangleView,
    texture: Option<&'a Texture>,
    base: [f32; 3],
    /// The front, or the back as seen from there.
    sign: f64,
    /// Width of a cell on the texture per pixel of the screen; found for the whole triangle.
    span: f64,
}

impl Picture<'_> {
    /// Whether a triangle needs cells: it has a picture, or normals that differ.
    pub(super) fn is_painted(&self, triangle: &TriangleView) -> bool {
        let [a, b, c] = triangle.vertices.map(|vertex| vertex.normal);
        let surface = self.scene.surfaces.get(triangle.vertices[0].surface);
        surface.is_some_and(|surface| surface.picture.is_some()) || a.dot(b) < 0.9999 || a.dot(c) < 0.9999
    }

    /// Draws a piece of a triangle, seen from its front, cell by cell.
    pub(super) fn painted_piece(&self, list: &mut DrawList, triangle: &TriangleView, corners: &[DVec3], sign: f64) {
        let surface = triangle.vertices[0].surface;
        let look = self.scene.surfaces.get(surface);
        let texture = look.and_then(|surface| surface.picture.as_deref());
        let paint =
            Paint { triangle, texture, base: base(look, surface), sign, span: self.texture_span(triangle, corners) };
        for i in 1..corners.len().saturating_sub(1) {
            self.cells(list, &paint, [corners[0], corners[i], corners[i + 1]], 0);
        }
    }

    /// How much of the picture a cell covers, as a share of its side.
    fn texture_span(&self, triangle: &TriangleView, corners: &[DVec3]) -> f64 {
        let [a, b, c] = triangle.vertices;
        let [u, v] = [0, 1].map(|i| {
            let at = |vertex: &carom3d::Vertex| vertex.texture_coordinates[i];
            max64((at(&b) - at(&a)).abs(), (at(&c) - at(&a)).abs())
        });
        let size = max64((b.position - a.position).length(), (c.position - a.position).length());
        let away = max64((middle(corners) - self.eye.at).length(), self.eye.near);
        let pixels = size * self.eye.scale / (away * f64::from(self.view.pixel()));
        f64::from(CELL) * max64(u, v) / max64(pixels, 1.0)
    }

    fn cells(&self, list: &mut DrawList, paint: &Paint<'_>, corners: [DVec3; 3], halvings: u32) {
        let mut shape = self.eye.polygon(&corners);
        if shape.len() < 3 || !self.is_in_view(&shape) {
            return;
        }
        let center = middle(&corners);
        let color = paint.color(self, center);
        let widest =
            shape.iter().enumerate().fold(0.0, |most, (i, p)| max(most, (*p - shape[(i + 1) % shape.len()]).length()));
        let is_small = widest < 1.6 * CELL * self.view.pixel() || halvings >= MOST_HALVINGS;
        let is_plain = || {
            corners.iter().all(|&corner| {
                let other = paint.color(self, 0.9 * corner + 0.1 * center);
                (0..3).all(|i| (other[i] - color[i]).abs() < ALIKE)
            })
        };
        if is_small || (halvings >= ENOUGH && is_plain()) {
            inset(&mut shape, -0.45 * self.view.pixel());
            list.polygon(shape, Style::filled(opaque(color)));
            return;
        }
        let [a, b, c] = corners;
        let lengths = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
        // The longest side is halved, and comes first.
        let [a, b, c] = if lengths[0] >= lengths[1] && lengths[0] >= lengths[2] {
            [a, b, c]
        } else if lengths[1] >= lengths[2] {
            [b, c, a]
        } else {
            [c, a, b]
        };
        let half = 0.5 * (a + b);
        self.cells(list, paint, [a, half, c], halvings + 1);
        self.cells(list, paint, [half, b, c], halvings + 1);
    }

    fn is_in_view(&self, shape: &[Vec2]) -> bool {
        let visible = self.view.visible();
        let (low, high) = shape.iter().fold((shape[0], shape[0]), |(low, high), p| (low.min(*p), high.max(*p)));
        high.x >= visible.min.x && high.y >= visible.min.y && low.x <= visible.max.x && low.y <= visible.max.y
    }

    /// The light that falls on what faces a direction, wherever it is: walls of two triangles shall look like one.
    pub(super) fn evenly_lit(&self, facing: DVec3) -> [f32; 3] {
        let (towards, light) = self.light.middle;
        let lit = max((facing.dot(towards) as f32 + 0.25) / 1.25, 0.0);
        std::array::from_fn(|i| self.light.ambient[i] + light[i] * lit)
    }

    /// The colour of something at a place that faces a direction, by the light that falls there.
    pub(super) fn lit_at(&self, place: DVec3, normal: DVec3, color: [f32; 3], gloss: [f32; 3]) -> Rgba {
        let (towards, light) = self.light.at(place);
        // In axes of which the third is towards the eye, and the first towards the light as far as it is not.
        let to_eye = unit(self.eye.at - place);
        let aside = unit(towards - to_eye * towards.dot(to_eye));
        let local = |v: DVec3| [v.dot(aside) as f32, v.dot(to_eye.cross(aside)) as f32, v.dot(to_eye) as f32];
        let shade = Shade {
            base: color,
            ambient: self.light.ambient,
            towards_light: local(towards),
            light,
            gloss,
            sharpness: 4,
        };
        shade.of(color, local(normal))
    }

    // ---- balls ----------------------------------------------------------------------------------

    /// Whether a ball is more than a circle of one colour: it has a picture, or it is no ball but an ellipsoid.
    pub(super) fn is_globe(&self, index: usize) -> bool {
        let Some(view) = self.scene.spheres.get(index) else { return false };
        is_ellipsoid(view) || self.picture_of(view).is_some()
    }

    fn picture_of(&self, view: &SphereView) -> Option<&Texture> {
        self.scene.surfaces.get(view.surface)?.picture.as_deref()
    }

    /// A ball or an ellipsoid in patches between meridians and parallels: u goes around y from -z by -x, v from pole to pole.
    pub(super) fn globe(&self, list: &mut DrawList, index: usize) {
        let view = &self.scene.spheres[index];
        let Placed { position, orientation } = self.places[index];
        let scale = if is_ellipsoid(view) { view.scale } else { DVec3::ONE };
        let radius = if is_ellipsoid(view) { view.radius } else { self.radius(index) };
        let away = max64((position - self.eye.at).length(), self.eye.near);
        let pixels = radius * scale.abs().max_element() * self.eye.scale / (away * f64::from(self.view.pixel()));
        // The cast keeps to whole numbers that there are.
        let around = (1.3 * pixels).clamp(12.0, 144.0) as usize / 2 * 2;
        let look = self.scene.surfaces.get(view.surface);
        let (texture, base, gloss) = (self.picture_of(view), base(look, view.surface), gloss(look, 0.6));
        let direction = |i: usize, j: usize| {
            let (sin, cos) = sin_cos64(TAU * i as f64 / around as f64);
            let (high, level) = sin_cos64(0.5 * TAU * (j as f64 / (around / 2) as f64 - 0.5));
            DVec3::new(-sin * level, high, -cos * level)
        };
        let point = |d: DVec3| position + orientation.rotate(d * scale * radius);
        let normal = |d: DVec3| unit(orientation.rotate(d / scale));
        // Those that the edge goes through first: the others are before them.
        let mut patches: Vec<(bool, usize, usize)> = Vec::new();
        for (i, j) in (0..around).flat_map(|i| (0..around / 2).map(move |j| (i, j))) {
            let seen = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| {
                let d = direction(i, j);
                (self.eye.at - point(d)).dot(normal(d)) > 0.0
            });
            if seen.contains(&true) {
                patches.push((!seen.contains(&false), i, j));
            }
        }
        patches.sort_unstable();
        for (_, i, j) in patches {
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| direction(i, j));
            let mut shape = self.eye.polygon(&corners.map(point));
            if shape.len() < 3 {
                continue;
            }
            let d = unit(middle(&corners));
            let color = texture.map_or(base, |texture| {
                let (u, v) = ((i as f64 + 0.5) / around as f64, (j as f64 + 0.5) / (around / 2) as f64);
                times(base, texture.sample(u, v, 1.0 / around as f64))
            });
            inset(&mut shape, -0.35 * self.view.pixel());
            list.polygon(shape, Style::filled(self.lit_at(point(d), normal(d), color, gloss)));
        }
    }
}

impl Paint<'_> {
    /// The colour at a place of the triangle.
    fn color(&self, picture: &Picture<'_>, place: DVec3) -> [f32; 3] {
        let shares = self.shares(place - self.triangle.position);
        let blend = |of: &dyn Fn(&carom3d::Vertex) -> DVec3| {
            (0..3).fold(DVec3::ZERO, |sum, i| sum + of(&self.triangle.vertices[i]) * shares[i])
        };
        let normal = unit(blend(&|vertex| vertex.normal)) * self.sign;
        let uv = blend(&|vertex| DVec3::new(vertex.texture_coordinates[0], vertex.texture_coordinates[1], 0.0));
        let own = self.texture.map_or(self.base, |texture| times(self.base, texture.sample(uv.x, uv.y, self.span)));
        times(own, picture.evenly_lit(normal))
    }

    /// Barycentric coordinates: how much each corner counts at a place.
    fn shares(&self, place: DVec3) -> [f64; 3] {
        let [a, b, c] = self.triangle.vertices.map(|vertex| vertex.position);
        let (ab, ac, ap) = (b - a, c - a, place - a);
        let (d00, d01, d11) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
        let (d20, d21) = (ap.dot(ab), ap.dot(ac));
        let area = d00 * d11 - d01 * d01;
        if area.abs() < f64::MIN_POSITIVE {
            return [1.0, 0.0, 0.0];
        }
        let (v, w) = ((d11 * d20 - d01 * d21) / area, (d00 * d21 - d01 * d20) / area);
        [1.0 - v - w, v, w]
    }
}

fn is_ellipsoid(view: &SphereView) -> bool {
    let [x, y, z] = view.scale.abs().to_array();
    view.body.is_none() && (x != y || y != z)
}

fn times(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] * b[i])
}

fn opaque(color: [f32; 3]) -> Rgba {
    // The cast keeps to 0 and 255 by itself.
    let [r, g, b] = color.map(|part| (255.0 * part).round() as u8);
    Rgba::new(r, g, b)
}
