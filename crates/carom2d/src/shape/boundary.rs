//! The rim of a convex shape as lines and arcs: what part of it lies in a half-plane, exactly, and which
//! way its faces look.
//!
//! A *boundary* is a closed loop of pieces, counter-clockwise, in f64, relative to the centre of mass of
//! the body. Clipping it by a half-plane keeps the pieces on the inner side and closes the gap with a
//! straight *cut*. As long as the shape is convex the result is again such a loop, so clips can follow
//! each other. Areas are integrals along the loop (Green's theorem): a line from `a` to `b` counts as the
//! triangle with the origin,
//!
//! ```text
//! A = d / 2    F = d (a + b) / 6    S = d (a.a + a.b + b.b) / 12    with d = a x b,
//! ```
//!
//! for the area `A`, its first moment `F` and its polar second moment `S`, and an arc over the angle `t` as
//! its chord and the circular segment beyond it,
//!
//! ```text
//! A = r^2 (t - sin t) / 2    F = 2/3 (r sin(t / 2))^3 along its middle    S = r^4 t / 4 - triangle
//! ```
//!
//! about the centre of the circle. Ellipses are polygons with 64 corners and the area of the ellipse.

use super::Geometry;
use super::double::Double2;
use crate::math::{Rot, Vec2};
use carom_core::math::{atan2_64, max64, min64, sin_cos64};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Corners that stand for an ellipse.
const ELLIPSE_CORNERS: usize = 64;
/// Into how many faces a line is divided, where speeds differ along it.
const LINE_FACES: usize = 4;
/// The widest angle of a face on an arc.
const ARC_FACE: f64 = PI / 8.0;

/// Everything with `normal . x <= offset`; the normal has unit length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfPlane {
    pub(crate) normal: Double2,
    pub(crate) offset: f64,
}

impl HalfPlane {
    /// The same half-plane as seen from another origin.
    pub(crate) fn seen_from(&self, origin: Vec2) -> HalfPlane {
        HalfPlane { offset: self.offset - self.normal.dot(Double2::from(origin)), ..*self }
    }
}

/// What a line is part of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// The surface of the shape.
    Skin,
    /// A cut through it.
    Cut,
}

#[derive(Clone, Copy, Debug)]
enum Piece {
    Line(Double2, Double2, Side),
    /// From one angle to a larger one, at most a full turn; always skin.
    Arc {
        center: Double2,
        radius: f64,
        from: f64,
        to: f64,
    },
}

/// The integrals A, F and S of the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AreaMoments {
    pub(crate) area: f64,
    pub(crate) first: Double2,
    pub(crate) second: f64,
}

/// The rim of a convex shape, relative to its body's centre of mass.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    pieces: Vec<Piece>,
}

impl Boundary {
    /// The boundary of a shape without parts, on a body with this rotation and centre of mass. Segments
    /// have two sides and no area.
    pub(crate) fn of(geometry: &Geometry, rotation: Rot, local_center: Vec2) -> Boundary {
        let place = |local: Vec2| {
            let arm = Double2::from(local) - Double2::from(local_center);
            let (c, s) = (f64::from(rotation.c), f64::from(rotation.s));
            Double2::new(c * arm.x - s * arm.y, s * arm.x + c * arm.y)
        };
        let placed = |points: &[Vec2]| points.iter().map(|&point| place(point)).collect::<Vec<Double2>>();
        match geometry {
            Geometry::Circle(circle) => {
                let center = place(circle.center);
                let arc = Piece::Arc { center, radius: f64::from(circle.radius), from: -PI, to: PI };
                Boundary { pieces: vec![arc] }
            }
            Geometry::Capsule(capsule) => Boundary::around(&placed(&[capsule.a, capsule.b]), capsule.radius),
            Geometry::Segment(segment) => Boundary::around(&placed(&[segment.a, segment.b]), 0.0),
            Geometry::Polygon(polygon) => Boundary::around(&placed(polygon.vertices()), polygon.radius()),
            Geometry::Ellipse(ellipse) => {
                // Grown so that the area is that of the ellipse: a polygon inside has too little.
                let step = TAU / ELLIPSE_CORNERS as f64;
                let growth = (step / sin_cos64(step).0).sqrt();
                let corner = |i: usize| {
                    let (sin, cos) = sin_cos64(step * i as f64);
                    let (x, y) =
                        (growth * cos * f64::from(ellipse.half_axes.x), growth * sin * f64::from(ellipse.half_axes.y));
                    let turn = ellipse.rotation;
                    let (c, s) = (f64::from(turn.c), f64::from(turn.s));
                    let local = Double2::new(c * x - s * y, s * x + c * y);
                    let (c, s) = (f64::from(rotation.c), f64::from(rotation.s));
                    place(ellipse.center) + Double2::new(c * local.x - s * local.y, s * local.x + c * local.y)
                };
                Boundary::around(&(0..ELLIPSE_CORNERS).map(corner).collect::<Vec<Double2>>(), 0.0)
            }
            Geometry::Part(part) => {
                let mut boundary = Boundary::around(&placed(part.vertices()), 0.0);
                for (edge, piece) in boundary.pieces.iter_mut().enumerate() {
                    if let Piece::Line(_, _, side) = piece
                        && !part.is_solid(edge)
                    {
                        *side = Side::Cut;
                    }
                }
                boundary
            }
            // These are asked for by their parts.
            Geometry::Chain(_) | Geometry::Concave(_) => Boundary { pieces: Vec::new() },
        }
    }

    /// A convex polygon, grown by a radius; two points are enough.
    fn around(points: &[Double2], radius: f32) -> Boundary {
        let (count, radius) = (points.len(), f64::from(radius));
        let outward = |i: usize| {
            let edge = points[(i + 1) % count] - points[i % count];
            let length = edge.length();
            if length > 0.0 { Double2::new(edge.y, -edge.x) / length } else { Double2::ZERO }
        };
        let mut pieces = Vec::with_capacity(2 * count);
        for i in 0..count {
            let (start, end) = (points[i], points[(i + 1) % count]);
            let normal = outward(i);
            pieces.push(Piece::Line(start + normal * radius, end + normal * radius, Side::Skin));
            if radius > 0.0 {
                let next = outward(i + 1);
                let from = atan2_64(normal.y, normal.x);
                let turn = atan2_64(normal.cross(next), normal.dot(next));
                // Half a turn, at the end of a capsule, may come out as -pi.
                let turn = if turn < -FRAC_PI_2 { turn + TAU } else { max64(turn, 0.0) };
                pieces.push(Piece::Arc { center: end, radius, from, to: from + turn });
            }
        }
        Boundary { pieces }
    }

    /// Keeps what lies in a half-plane.
    pub(crate) fn clip(&mut self, plane: &HalfPlane) {
        let mut kept: Vec<Piece> = Vec::with_capacity(self.pieces.len() + 2);
        for &piece in &self.pieces {
            match piece {
                Piece::Line(a, b, side) => kept.extend(clip_line(a, b, plane).map(|(a, b)| Piece::Line(a, b, side))),
                Piece::Arc { center, radius, from, to } => clip_arc(center, radius, from, to, plane, &mut kept),
            }
        }
        let count = kept.len();
        self.pieces.clear();
        for i in 0..count {
            self.pieces.push(kept[i]);
            let (end, start) = (kept[i].end(), kept[(i + 1) % count].start());
            if end != start {
                self.pieces.push(Piece::Line(end, start, Side::Cut));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The integrals over the area inside, about the centre of mass of the body.
    pub(crate) fn moments(&self) -> AreaMoments {
        let mut sum = AreaMoments { area: 0.0, first: Double2::ZERO, second: 0.0 };
        for piece in &self.pieces {
            sum.add(triangle(piece.start(), piece.end()));
            if let Piece::Arc { center, radius, from, to } = *piece {
                let (turn, middle) = (to - from, sin_cos64(0.5 * (from + to)));
                let half_chord = radius * sin_cos64(0.5 * turn).0;
                let area = 0.5 * radius * radius * (turn - sin_cos64(turn).0);
                let first = Double2::new(middle.1, middle.0) * (half_chord * half_chord * half_chord * (2.0 / 3.0));
                let inside = triangle(piece.start() - center, piece.end() - center).second;
                let second = 0.25 * radius * radius * radius * radius * turn - inside;
                sum.add(AreaMoments {
                    area,
                    first: center * area + first,
                    second: second + 2.0 * center.dot(first) + area * center.dot(center),
                });
            }
        }
        sum
    }

    /// Calls `visit` with the middle of each little face of the skin, and with its outward normal, which is as
    /// long as the face. Arcs are divided where they turn away from `direction`, so that the faces that look
    /// along it are together as wide as the shape, exactly.
    pub(crate) fn each_face(&self, direction: Double2, visit: &mut dyn FnMut(Double2, Double2)) {
        let outward = |edge: Double2| Double2::new(edge.y, -edge.x);
        for piece in &self.pieces {
            match *piece {
                Piece::Line(_, _, Side::Cut) => {}
                Piece::Line(a, b, Side::Skin) => {
                    let edge = (b - a) / LINE_FACES as f64;
                    for i in 0..LINE_FACES {
                        visit(a + edge * (i as f64 + 0.5), outward(edge));
                    }
                }
                Piece::Arc { center, radius, from, to } => {
                    let point = |angle: f64| on_circle(center, radius, angle);
                    let mut visit_part = |from: f64, to: f64| {
                        let count = ((to - from) / ARC_FACE).ceil();
                        let mut angle = from;
                        for i in 1..=count as usize {
                            let next = from + (to - from) * (i as f64 / count);
                            visit(point(0.5 * (angle + next)), outward(point(next) - point(angle)));
                            angle = next;
                        }
                    };
                    // The horizons as seen along the direction; a full turn has two, or three if it begins at one.
                    let mut start = from;
                    let horizon = atan2_64(direction.y, direction.x) + FRAC_PI_2;
                    let first = ((from - horizon) / PI).floor() as i64 + 1;
                    for k in first..first + 3 {
                        let angle = horizon + PI * k as f64;
                        if angle > start && angle < to {
                            visit_part(start, angle);
                            start = angle;
                        }
                    }
                    visit_part(start, to);
                }
            }
        }
    }
}

impl Piece {
    fn start(&self) -> Double2 {
        match *self {
            Piece::Line(a, _, _) => a,
            Piece::Arc { center, radius, from, .. } => on_circle(center, radius, from),
        }
    }

    fn end(&self) -> Double2 {
        match *self {
            Piece::Line(_, b, _) => b,
            Piece::Arc { center, radius, to, .. } => on_circle(center, radius, to),
        }
    }
}

impl AreaMoments {
    fn add(&mut self, other: AreaMoments) {
        self.area += other.area;
        self.first += other.first;
        self.second += other.second;
    }
}

fn on_circle(center: Double2, radius: f64, angle: f64) -> Double2 {
    let (sin, cos) = sin_cos64(angle);
    center + Double2::new(radius * cos, radius * sin)
}

fn triangle(a: Double2, b: Double2) -> AreaMoments {
    let d = a.cross(b);
    AreaMoments { area: 0.5 * d, first: (a + b) * (d / 6.0), second: d * (a.dot(a) + a.dot(b) + b.dot(b)) / 12.0 }
}

fn clip_line(a: Double2, b: Double2, plane: &HalfPlane) -> Option<(Double2, Double2)> {
    let (out_a, out_b) = (plane.normal.dot(a) - plane.offset, plane.normal.dot(b) - plane.offset);
    let crossing = || a + (b - a) * (out_a / (out_a - out_b));
    match (out_a <= 0.0, out_b <= 0.0) {
        (true, true) => Some((a, b)),
        (true, false) => Some((a, crossing())),
        (false, true) => Some((crossing(), b)),
        (false, false) => None,
    }
}

/// A point of the arc is inside where `cos(angle - that of the normal) <= k`.
fn clip_arc(center: Double2, radius: f64, from: f64, to: f64, plane: &HalfPlane, kept: &mut Vec<Piece>) {
    let k = (plane.offset - plane.normal.dot(center)) / radius;
    if k >= 1.0 {
        kept.push(Piece::Arc { center, radius, from, to });
    } else if k > -1.0 {
        let half = atan2_64((1.0 - k * k).sqrt(), k);
        let facing = atan2_64(plane.normal.y, plane.normal.x);
        // The inside from the far end of what is cut off round to its near end, and a turn later again.
        let enter = facing + half;
        let first = ((from - enter) / TAU).floor();
        for turn in 0..2 {
            let begin = enter + TAU * (first + f64::from(turn));
            let (start, end) = (max64(begin, from), min64(begin + TAU - 2.0 * half, to));
            if start < end {
                kept.push(Piece::Arc { center, radius, from: start, to: end });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;
    use crate::shape::Polygon;
    use carom_core::Rng;

    fn shapes() -> Vec<Geometry> {
        let hull = [vec2(0.0, 0.0), vec2(2.0, -0.3), vec2(2.4, 0.9), vec2(0.7, 1.6)];
        vec![
            Geometry::circle(0.7).unwrap(),
            Geometry::capsule(vec2(-0.4, 0.1), vec2(0.8, 0.5), 0.3).unwrap(),
            Geometry::convex(&hull).unwrap(),
            Geometry::rounded(&hull, 0.25).unwrap(),
            Geometry::Polygon(Polygon::regular(7, 0.9).unwrap()),
        ]
    }

    #[test]
    fn whole_shapes_have_their_mass() {
        for geometry in shapes() {
            let mass = geometry.mass(1.0);
            let moments = Boundary::of(&geometry, Rot::from_angle(0.8), mass.center).moments();
            assert!((moments.area / f64::from(mass.mass) - 1.0).abs() < 1.0e-6, "{geometry:?}");
            assert!(moments.first.length() < 1.0e-6, "{geometry:?}");
            assert!((moments.second / f64::from(mass.inertia) - 1.0).abs() < 1.0e-5, "{geometry:?}");
        }
        // An ellipse is one but for its second moment, which 64 corners make a little larger.
        let ellipse = Geometry::ellipse(1.3, 0.4).unwrap();
        let (mass, moments) = (ellipse.mass(1.0), Boundary::of(&ellipse, Rot::IDENTITY, Vec2::ZERO).moments());
        assert!((moments.area / f64::from(mass.mass) - 1.0).abs() < 1.0e-6);
        assert!((moments.second / f64::from(mass.inertia) - 1.0).abs() < 1.0e-4);
    }

    #[test]
    fn what_is_cut_off_and_what_is_left_are_the_whole() {
        let mut rng = Rng::new(7);
        for geometry in shapes() {
            for _ in 0..200 {
                let angle = f64::from(rng.range(-4.0, 4.0));
                let (sin, cos) = sin_cos64(angle);
                let plane = HalfPlane { normal: Double2::new(cos, sin), offset: f64::from(rng.range(-2.0, 2.0)) };
                let other = HalfPlane { normal: plane.normal * -1.0, offset: -plane.offset };
                let whole = Boundary::of(&geometry, Rot::from_angle(rng.range(-3.0, 3.0)), vec2(0.3, 0.2));
                let (mut inside, mut outside) = (whole.clone(), whole.clone());
                inside.clip(&plane);
                outside.clip(&other);
                let (all, a, b) = (whole.moments(), inside.moments(), outside.moments());
                assert!(a.area > -1.0e-12 && b.area > -1.0e-12);
                assert!((a.area + b.area - all.area).abs() < 1.0e-9, "{geometry:?}, {plane:?}");
                assert!((a.first + b.first - all.first).length() < 1.0e-9, "{geometry:?}, {plane:?}");
                assert!((a.second + b.second - all.second).abs() < 1.0e-9, "{geometry:?}, {plane:?}");
            }
        }
    }

    #[test]
    fn faces_that_look_along_a_direction_are_as_wide_as_the_shape() {
        let circle = Boundary::of(&Geometry::circle(0.5).unwrap(), Rot::IDENTITY, Vec2::ZERO);
        let capsule = Geometry::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.0), 0.25).unwrap();
        let capsule = Boundary::of(&capsule, Rot::IDENTITY, Vec2::ZERO);
        for i in 0..100 {
            let (sin, cos) = sin_cos64(0.1 * f64::from(i) - 5.0);
            let direction = Double2::new(cos, sin);
            let width = |boundary: &Boundary| {
                let mut width = 0.0;
                boundary.each_face(direction, &mut |_, normal| width += max64(normal.dot(direction), 0.0));
                width
            };
            assert!((width(&circle) - 1.0).abs() < 1.0e-9);
            assert!((width(&capsule) - (0.5 + 2.0 * sin.abs())).abs() < 1.0e-9);
        }
    }
}
