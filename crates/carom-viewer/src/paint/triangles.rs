//! Triangles with soft edges.

use super::ink::Ink;
use super::rim::{Corner, miter};
use super::stamp::{LARGEST, Stamps, Stripe, uv};
use carom_core::math::min;
use carom_render::Shade;
use carom2d::math::{Vec2, left_perp, vec2};
use eframe::egui::epaint::{Mesh, Vertex};
use eframe::egui::{Color32, TextureId, pos2};

/// A mesh in the making. It takes pixels and holds egui's points.
#[derive(Debug)]
pub(super) struct Triangles {
    mesh: Mesh,
    stamps: Stamps,
    points_per_pixel: f32,
}

impl Triangles {
    pub(super) fn new(stamps: Stamps) -> Triangles {
        Triangles { mesh: Mesh::default(), stamps, points_per_pixel: 1.0 }
    }

    /// Starts a mesh in the memory of an old one.
    pub(super) fn begin(&mut self, mesh: Mesh, texture: TextureId, pixels_per_point: f32) {
        self.mesh = Mesh { texture_id: texture, ..mesh };
        self.mesh.vertices.clear();
        self.mesh.indices.clear();
        self.points_per_pixel = 1.0 / pixels_per_point;
    }

    /// Is there nothing in it?
    pub(super) fn is_empty(&self) -> bool {
        self.mesh.indices.is_empty()
    }

    /// Hands out the mesh, and goes on with an empty one in the memory of an old one.
    pub(super) fn replace(&mut self, mesh: Mesh) -> Mesh {
        let done = std::mem::take(&mut self.mesh);
        self.begin(mesh, done.texture_id, 1.0 / self.points_per_pixel);
        done
    }

    // ---- stamps ---------------------------------------------------------------------------------

    /// A box of at most the largest size, with its first side along `along`.
    pub(super) fn rectangle(&mut self, center: Vec2, along: Vec2, size: Vec2, ink: Ink) {
        let (x, y) = (self.stamps.stripe(size.x), self.stamps.stripe(size.y));
        let color = ink.covering(x.share * y.share).color();
        let (right, up) = (along * x.half, left_perp(along) * y.half);
        self.stamp([
            (center - right - up, vec2(x.low, y.low), color),
            (center + right - up, vec2(x.high, y.low), color),
            (center + right + up, vec2(x.high, y.high), color),
            (center - right + up, vec2(x.low, y.high), color),
        ]);
    }

    /// A disc of at most the largest radius.
    pub(super) fn disc(&mut self, center: Vec2, radius: f32, ink: Ink) {
        let (disc, color) = (self.stamps.disc(radius), ink.color());
        let corner = |x: f32, y: f32| {
            let corner = vec2(x, y);
            (center + corner * disc.half, disc.middle + corner * disc.reach, color)
        };
        self.stamp([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
    }

    /// What is within a radius, at most the largest, of a segment: two half discs, and between them what is
    /// across the middle of a disc.
    pub(super) fn capsule(&mut self, a: Vec2, b: Vec2, radius: f32, ink: Ink) {
        let (disc, color) = (self.stamps.disc(radius), ink.color());
        let along = (b - a).normalize_or(Vec2::X);
        let (out, side) = (along * disc.half, left_perp(along) * disc.half);
        let first = self.next_index();
        for (at, x) in [(a - out, -disc.reach), (a, 0.0), (b, 0.0), (b + out, disc.reach)] {
            self.vertex(at - side, disc.middle + vec2(x, -disc.reach), color);
            self.vertex(at + side, disc.middle + vec2(x, disc.reach), color);
        }
        for row in (first..first + 6).step_by(2) {
            self.quad([row, row + 1, row + 3, row + 2]);
        }
    }

    /// A line that ends square at `a` and `b`.
    pub(super) fn line(&mut self, a: Vec2, b: Vec2, width: f32, ink: Ink) {
        let length = (b - a).length();
        if length <= LARGEST && width <= LARGEST {
            let along = (b - a).normalize_or(Vec2::X);
            self.rectangle(0.5 * (a + b), along, vec2(length, width), ink);
        } else {
            self.strip(&[a, b], width, ink);
        }
    }

    /// A line through at least two points. Its ends are hard.
    pub(super) fn strip(&mut self, path: &[Vec2], width: f32, ink: Ink) {
        let stripe = self.stamps.stripe(width);
        let color = ink.covering(stripe.share).color();
        let first = self.next_index();
        let direction = |from: Vec2, to: Vec2| left_perp((to - from).normalize_or(Vec2::X));
        let mut before = None;
        for (i, &at) in path.iter().enumerate() {
            let after = path.get(i + 1).map(|&next| direction(at, next));
            let side = match (before, after) {
                (Some(before), Some(after)) => miter(before, after),
                (side, None) | (None, side) => side.unwrap_or(Vec2::Y),
            };
            self.across(at + side * stripe.half, at - side * stripe.half, stripe, color);
            before = after;
        }
        for row in (first..self.next_index().saturating_sub(2)).step_by(2) {
            self.quad([row, row + 1, row + 3, row + 2]);
        }
    }

    /// The outline of a convex shape, within its edge. The shape is thicker than two outlines.
    pub(super) fn outline(&mut self, rim: &[Corner], width: f32, thickness: f32, ink: Ink) {
        let mut stripe = self.stamps.stripe(width);
        let color = ink.covering(stripe.share).color();
        let outer = 0.5 * width - stripe.half;
        let mut inner = 0.5 * width + stripe.half;
        // Beyond the middle of the shape there is no place for the ramp.
        if inner > 0.5 * thickness {
            stripe.high = stripe.low + (stripe.high - stripe.low) * (0.5 * thickness - outer) / (inner - outer);
            inner = 0.5 * thickness;
        }
        let first = self.next_index();
        for corner in rim {
            self.across(corner.inset(outer), corner.inset(inner), stripe, color);
        }
        let count = rim.len() as u32;
        for i in 0..count {
            let (row, next) = (first + 2 * i, first + 2 * ((i + 1) % count));
            self.quad([row, row + 1, next + 1, next]);
        }
    }

    /// A convex shape about as wide as it is long, of at most the largest radius: a triangle to each edge,
    /// with a ramp from the edge towards the middle.
    pub(super) fn fan(&mut self, rim: &[Corner], center: Vec2, depth: f32, ink: Ink) {
        let (color, ramp) = (ink.color(), self.stamps.ramp());
        let (first, count) = (self.next_index(), rim.len() as u32);
        for (i, corner) in rim.iter().enumerate() {
            let next = rim.get(i + 1).unwrap_or(&rim[0]);
            let normal = left_perp((next.at - corner.at).normalize_or_zero());
            let height = (center - corner.at).dot(normal).abs();
            self.vertex(corner.inset(depth - 0.5), ramp, color);
            self.vertex(center, ramp + vec2(min(height - depth + 0.5, LARGEST), 0.0), color);
        }
        for i in 0..count {
            self.triangle(first + 2 * i, first + 2 * ((i + 1) % count), first + 2 * i + 1);
        }
    }

    // ---- without stamps -------------------------------------------------------------------------

    /// A box along the axes with hard edges.
    pub(super) fn hard_box(&mut self, low: Vec2, high: Vec2, ink: Ink) {
        let (white, color) = (self.stamps.white(), ink.color());
        let corners = [low, vec2(high.x, low.y), high, vec2(low.x, high.y)];
        self.stamp(corners.map(|corner| (corner, white, color)));
    }

    /// A convex shape of any size, whose edges have moved inwards by `depth` and are still `thickness`
    /// apart: a belt that fades out, and what is inside it.
    pub(super) fn convex(&mut self, rim: &[Corner], depth: f32, thickness: f32, ink: Ink) {
        // Something thinner than a pixel covers at most so much of one.
        let share = min(thickness, 1.0);
        let white = self.stamps.white();
        let (outer, count) = (self.next_index(), rim.len() as u32);
        for corner in rim {
            self.vertex(corner.inset(depth - 0.5), white, Color32::TRANSPARENT);
        }
        let color = ink.covering(share).color();
        for corner in rim {
            self.vertex(corner.inset(depth - 0.5 + share), white, color);
        }
        let inner = outer + count;
        for i in 0..count {
            let next = (i + 1) % count;
            self.quad([outer + i, outer + next, inner + next, inner + i]);
        }
        self.inside(inner, count);
    }

    /// Within a ring, from one side to the other: there and back between its two halves. A fan would make
    /// slivers, which are slow to draw.
    fn inside(&mut self, first: u32, count: u32) {
        let (mut low, mut high) = (first, first + count - 1);
        while low + 1 < high {
            self.triangle(low, low + 1, high);
            low += 1;
            if low + 1 < high {
                self.triangle(low, high - 1, high);
                high -= 1;
            }
        }
    }

    /// A lit ball: rings of corners, each in the colour of its place, and a belt that fades out. `radius` is the
    /// smaller of its two, in pixels.
    pub(super) fn ball(&mut self, center: Vec2, axes: [Vec2; 2], radius: f32, directions: &[Vec2], shade: &Shade) {
        // More rings where there are more pixels to colour; the outer ones lie closer, where colours change faster.
        const RINGS: [f32; 8] = [0.22, 0.42, 0.6, 0.74, 0.85, 0.93, 0.975, 1.0];
        let step = if radius < 6.0 {
            4
        } else if radius < 24.0 {
            2
        } else {
            1
        };
        let white = self.stamps.white();
        let place = |at: Vec2| center + axes[0] * at.x + axes[1] * at.y;
        let soft = min(0.5 / radius, 1.0);
        let (middle, count) = (self.next_index(), directions.len() as u32);
        self.vertex(center, white, Ink::of(shade.at(Vec2::ZERO)).color());
        let mut inner = None;
        for ring in RINGS.into_iter().skip(step - 1).step_by(step) {
            let first = self.next_index();
            // Half of the soft edge lies inside.
            let out = ring * (1.0 - soft);
            for &direction in directions {
                self.vertex(place(direction * out), white, Ink::of(shade.at(direction * ring)).color());
            }
            self.belt(inner, middle, first, count);
            inner = Some(first);
        }
        let first = self.next_index();
        for &direction in directions {
            self.vertex(place(direction * (1.0 + soft)), white, Color32::TRANSPARENT);
        }
        self.belt(inner, middle, first, count);
    }

    /// Between two rings of corners, or between one and a point in its middle.
    fn belt(&mut self, inner: Option<u32>, middle: u32, outer: u32, count: u32) {
        for i in 0..count {
            let next = (i + 1) % count;
            match inner {
                Some(inner) => self.quad([inner + i, inner + next, outer + next, outer + i]),
                None => self.triangle(middle, outer + i, outer + next),
            }
        }
    }

    // ---- vertices and indices -------------------------------------------------------------------

    fn next_index(&self) -> u32 {
        self.mesh.vertices.len() as u32
    }

    fn vertex(&mut self, at: Vec2, texel: Vec2, color: Color32) {
        let scale = self.points_per_pixel;
        self.mesh.vertices.push(Vertex { pos: pos2(at.x * scale, at.y * scale), uv: uv(texel), color });
    }

    /// The two sides of a stripe.
    fn across(&mut self, low: Vec2, high: Vec2, stripe: Stripe, color: Color32) {
        let y = self.stamps.white().y;
        self.vertex(low, vec2(stripe.low, y), color);
        self.vertex(high, vec2(stripe.high, y), color);
    }

    /// Four corners: where, what of the texture, and the colour.
    fn stamp(&mut self, corners: [(Vec2, Vec2, Color32); 4]) {
        let (first, scale) = (self.next_index(), self.points_per_pixel);
        let vertex = |(at, texel, color): (Vec2, Vec2, Color32)| Vertex {
            pos: pos2(at.x * scale, at.y * scale),
            uv: uv(texel),
            color,
        };
        self.mesh.vertices.extend_from_slice(&corners.map(vertex));
        self.quad([first, first + 1, first + 2, first + 3]);
    }

    fn triangle(&mut self, a: u32, b: u32, c: u32) {
        self.mesh.indices.extend_from_slice(&[a, b, c]);
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.mesh.indices.extend_from_slice(&[a, b, c, a, c, d]);
    }
}
