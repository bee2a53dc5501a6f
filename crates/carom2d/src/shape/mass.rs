//! Mass, centre of mass and moment of inertia.
//!
//! Everything follows from three integrals over the shape, taken about a point of the shape:
//!
//! ```text
//! A = int dA        F = int p dA        S = int |p|^2 dA
//! mass = density A  center = F / A      inertia = density (S - |F|^2 / A)
//! ```
//!
//! A polygon is a sum of triangles with a corner at the reference point, `d = e1 x e2`:
//!
//! ```text
//! A = d / 2         F = A (e1 + e2) / 3      S = d (e1.e1 + e1.e2 + e2.e2) / 12
//! ```
//!
//! A rounded polygon adds a rectangle of thickness r along each edge and a circular sector
//! between the normals `n`, `m` of neighbouring edges. With theta the angle between them and
//! about the sector's tip:
//!
//! ```text
//! A = r^2 theta / 2     F = r^3 / 3 (m.y - n.y, n.x - m.x)     S = r^4 theta / 4
//! ```
//!
//! The sums run in f64 about the first vertex, so that a shape far from the origin of its
//! body loses nothing: f32 results are exact to the last rounding.

use super::double::Double2;
use crate::math::Vec2;
use carom_core::math::atan2_64;
use std::f64::consts::PI;

/// Mass, centre of mass and moment of inertia of a shape or a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct MassData {
    /// The mass, in kg.
    pub mass: f32,
    /// The centre of mass, in metres, in the body's frame.
    pub center: Vec2,
    /// The moment of inertia about the centre of mass, in kg m^2.
    pub inertia: f32,
}

impl MassData {
    /// The mass data of two parts taken as one rigid body. A part without mass counts for
    /// nothing, wherever it is, so a sum can start from the default.
    pub fn combine(&self, other: &MassData) -> MassData {
        if other.mass <= 0.0 {
            return *self;
        }
        if self.mass <= 0.0 {
            return *other;
        }
        // Two bodies about their common centre: I = I1 + I2 + m1 m2 / (m1 + m2) d^2.
        let (mass_a, mass_b) = (f64::from(self.mass), f64::from(other.mass));
        let mass = mass_a + mass_b;
        let center_a = Double2::from(self.center);
        let offset = Double2::from(other.center) - center_a;
        let inertia = f64::from(self.inertia) + f64::from(other.inertia) + mass_a * mass_b / mass * offset.dot(offset);
        MassData { mass: mass as f32, center: (center_a + offset * (mass_b / mass)).single(), inertia: inertia as f32 }
    }
}

/// The integrals A, F and S of the header about `reference`.
pub(super) struct Moments {
    reference: Double2,
    area: f64,
    first: Double2,
    second: f64,
}

impl Moments {
    pub(super) fn massless(reference: Vec2) -> Moments {
        Moments { reference: Double2::from(reference), area: 0.0, first: Double2::ZERO, second: 0.0 }
    }

    pub(super) fn of_circle(center: Vec2, radius: f32) -> Moments {
        let radius_squared = f64::from(radius) * f64::from(radius);
        let area = PI * radius_squared;
        Moments { area, second: 0.5 * area * radius_squared, ..Moments::massless(center) }
    }

    /// The polygon formulas hold for two vertices, too: a core without area, two rectangles
    /// and two half discs.
    pub(super) fn of_capsule(a: Vec2, b: Vec2, radius: f32) -> Moments {
        Moments::of_polygon(&[a, b], radius)
    }

    pub(super) fn of_polygon(vertices: &[Vec2], radius: f32) -> Moments {
        let mut sum = Moments::massless(vertices[0]);
        let count = vertices.len();
        let reference = sum.reference;
        let corner = |i: usize| Double2::from(vertices[i % count]) - reference;

        for i in 0..count {
            let (e1, e2) = (corner(i), corner(i + 1));
            let d = e1.cross(e2);
            sum.add(0.5 * d, (e1 + e2) * (d / 6.0), d * (e1.dot(e1) + e1.dot(e2) + e2.dot(e2)) / 12.0);
        }
        if radius > 0.0 {
            let r = f64::from(radius);
            for i in 0..count {
                let (start, end) = (corner(i), corner(i + 1));
                let edge = end - start;
                let length = edge.length();
                let normal = outward(edge);

                let area = length * r;
                let center = (start + end + normal * r) * 0.5;
                let second = area * ((length * length + r * r) / 12.0 + center.dot(center));
                sum.add(area, center * area, second);

                let next_normal = outward(corner(i + 2) - end);
                let theta = atan2_64(normal.cross(next_normal), normal.dot(next_normal));
                // Half a turn comes out as -pi when the cross product is -0.
                let theta = if theta < 0.0 { theta + 2.0 * PI } else { theta };
                let area = 0.5 * r * r * theta;
                let about_tip = Double2::new(next_normal.y - normal.y, normal.x - next_normal.x) * (r * r * r / 3.0);
                let second = area * end.dot(end) + 2.0 * end.dot(about_tip) + 0.5 * r * r * area;
                sum.add(area, end * area + about_tip, second);
            }
        }
        sum
    }

    /// The outline of a polygon, counter-clockwise, and its holes, clockwise, which count against it.
    pub(super) fn of_rings(rings: &[Vec<Vec2>]) -> Moments {
        let mut sum = Moments::massless(rings[0][0]);
        for ring in rings {
            let count = ring.len();
            for i in 0..count {
                let e1 = Double2::from(ring[i]) - sum.reference;
                let e2 = Double2::from(ring[(i + 1) % count]) - sum.reference;
                let d = e1.cross(e2);
                sum.add(0.5 * d, (e1 + e2) * (d / 6.0), d * (e1.dot(e1) + e1.dot(e2) + e2.dot(e2)) / 12.0);
            }
        }
        sum
    }

    /// `A = pi a b` and, about the centre, `S = A (a^2 + b^2) / 4`.
    pub(super) fn of_ellipse(center: Vec2, half_axes: Vec2) -> Moments {
        let (a, b) = (f64::from(half_axes.x), f64::from(half_axes.y));
        let area = PI * a * b;
        Moments { area, second: 0.25 * area * (a * a + b * b), ..Moments::massless(center) }
    }

    fn add(&mut self, area: f64, first: Double2, second: f64) {
        self.area += area;
        self.first += first;
        self.second += second;
    }

    /// The centroid relative to the reference point.
    fn offset(&self) -> Double2 {
        if self.area > 0.0 { self.first / self.area } else { Double2::ZERO }
    }

    pub(super) fn area(&self) -> f32 {
        self.area as f32
    }

    pub(super) fn centroid(&self) -> Vec2 {
        (self.reference + self.offset()).single()
    }

    pub(super) fn mass(&self, density: f32) -> MassData {
        let density = f64::from(density);
        let inertia = self.second - self.offset().dot(self.first);
        MassData { mass: (density * self.area) as f32, center: self.centroid(), inertia: (density * inertia) as f32 }
    }
}

/// The unit normal on the right of an edge.
fn outward(edge: Double2) -> Double2 {
    let length = edge.length();
    Double2::new(edge.y / length, -edge.x / length)
}
