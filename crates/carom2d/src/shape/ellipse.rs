//! The ellipse, and how far it is from other things.
//!
//! Everything follows from the support function. An ellipse with half axes a and b along its
//! own axes reaches, along a unit vector `d` with the components `(dx, dy)` on them,
//!
//! ```text
//! h(d) = sqrt(a^2 dx^2 + b^2 dy^2)      at the point      s(d) = (a^2 dx, b^2 dy) / h(d)
//! ```
//!
//! from its centre. Two ellipses with centres `D` apart have the gap `f(d) = d . D - h1(d) -
//! h2(d)` along `d`. Its maximum is their distance when they are apart, and minus the shortest
//! way out when they overlap, also when one lies in the other. At the maximum the derivative
//! along the circle of directions vanishes: with `t` across `d`,
//!
//! ```text
//! f'(d) = t . (D - s1(d) - s2(d))
//! ```
//!
//! A point or a disc is an ellipse whose `h` is constant, which serves corners and circles.
//! The search brackets maxima by sampled normals of the ellipses, which lie densely where `h`
//! changes fast, and closes in on the zero of `f'` by false position. Things apart have only one
//! maximum; of things that overlap deeply the search may miss one that is better by a percent or
//! two. In f64, so that an ellipse with equal axes is a circle to the last bit of f32, or nearly.

use super::cast::{RayHit, ray_circle};
use super::double::Double2;
use super::{MAX_POLYGON_VERTICES, valid_extent, valid_point};
use crate::error::{DefError, finite};
use crate::math::{Aabb, Pose, Rot, Vec2, min, unit_and_length, vec2};

/// A filled ellipse.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ellipse {
    /// The centre, in metres, in the body's frame.
    pub center: Vec2,
    /// Half the width and half the height along its own axes, in metres: 1e-5 to 1e6 each.
    pub half_axes: Vec2,
    /// How its own axes are turned against the body's.
    pub rotation: Rot,
}

impl Ellipse {
    /// An ellipse from its centre, its half axes and the angle of the first one, in radians.
    pub fn new(center: Vec2, half_axes: Vec2, angle: f32) -> Result<Ellipse, DefError> {
        finite("Ellipse.angle", angle)?;
        let ellipse = Ellipse { center, half_axes, rotation: Rot::from_angle(angle) };
        ellipse.validate()?;
        Ok(ellipse)
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        valid_point("Ellipse.center", self.center)?;
        valid_extent("Ellipse.half_axes.x", self.half_axes.x)?;
        valid_extent("Ellipse.half_axes.y", self.half_axes.y)?;
        let Rot { c, s } = self.rotation;
        if !(0.999..=1.001).contains(&(c * c + s * s)) {
            return Err(DefError::field("Ellipse.rotation", self.rotation, "the cosine and sine of an angle"));
        }
        Ok(())
    }

    pub(super) fn transformed(&self, pose: Pose) -> Ellipse {
        let rotation = pose.q.compose(self.rotation).normalized();
        Ellipse { center: pose.point(self.center), half_axes: self.half_axes, rotation }
    }

    #[inline]
    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        let center = pose.point(self.center);
        let axes = pose.q.compose(self.rotation);
        let reach = |c: f32, s: f32| {
            let (x, y) = (self.half_axes.x * c, self.half_axes.y * s);
            (x * x + y * y).sqrt()
        };
        let half = vec2(reach(axes.c, axes.s), reach(axes.s, axes.c));
        Aabb::new(center - half, center + half)
    }

    pub(super) fn contains(&self, point: Vec2) -> bool {
        self.scaled(point - self.center).length_squared() <= 1.0
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        if self.contains(origin) {
            return Some(RayHit::inside(origin));
        }
        // Where the ellipse is a unit circle the fraction is the same.
        let from = self.scaled(origin - self.center);
        let hit = ray_circle(Vec2::ZERO, 1.0, from, self.scaled(translation), max_fraction)?;
        let local = vec2(hit.normal.x * self.half_axes.x, hit.normal.y * self.half_axes.y);
        let across = vec2(hit.normal.x * self.half_axes.y, hit.normal.y * self.half_axes.x);
        let (normal, _) = unit_and_length(self.rotation.rotate(across));
        Some(RayHit { fraction: hit.fraction, point: self.center + self.rotation.rotate(local), normal })
    }

    pub(super) fn closest_point(&self, point: Vec2) -> Vec2 {
        if self.contains(point) {
            return point;
        }
        let gap = Figure::of_ellipse(self).gap(&Figure::of_disc(point, 0.0));
        point - gap.normal * gap.separation
    }

    /// Corners of a polygon inside, counter-clockwise.
    pub(super) fn corners(&self) -> [Vec2; MAX_POLYGON_VERTICES] {
        std::array::from_fn(|i| {
            let turn = Rot::from_angle(2.0 * std::f32::consts::PI * i as f32 / MAX_POLYGON_VERTICES as f32);
            self.center + self.rotation.rotate(self.half_axes * turn.x_axis())
        })
    }

    pub(super) fn inner_extent(&self) -> f32 {
        min(self.half_axes.x, self.half_axes.y)
    }

    /// The smallest radius of curvature, at the ends of the longer axis.
    pub(super) fn rounding(&self) -> f32 {
        let (a, b) = (self.half_axes.x, self.half_axes.y);
        if a > b { b * (b / a) } else { a * (a / b) }
    }

    /// The radius of curvature where the outward normal is the unit vector `normal`: `a^2 b^2 / h^3`.
    pub(crate) fn radius_of_curvature(&self, normal: Vec2) -> f32 {
        let (a, b) = (self.half_axes.x, self.half_axes.y);
        let reach = (self.half_axes * self.rotation.inv_rotate(normal)).length();
        (a / reach) * (b / reach) * (a / reach) * b
    }

    /// In a frame where the ellipse is the unit circle.
    fn scaled(&self, v: Vec2) -> Vec2 {
        let local = self.rotation.inv_rotate(v);
        vec2(local.x / self.half_axes.x, local.y / self.half_axes.y)
    }
}

/// An ellipse or a disc in f64, as the search sees it.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    center: Double2,
    /// Unit vector of the first axis.
    axis: Double2,
    half_x: f64,
    half_y: f64,
}

/// The gap between two figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    /// Unit vector from the first to the second.
    pub(crate) normal: Vec2,
    /// The gap along it, negative when they overlap.
    pub(crate) separation: f32,
    /// The point of the first figure farthest along the normal.
    pub(crate) point: Vec2,
}

/// Which directions count.
enum Bounds {
    /// All of them.
    None,
    /// From the start counter-clockwise to this one.
    Between(Double2),
}

/// Cosine of 30 degrees; parameters of the sampled normals are multiples of it.
const COS_30: f64 = 0.866_025_403_784_438_6;
const SAMPLES: [(f64, f64); 12] = [
    (0.0, 1.0),
    (-0.5, COS_30),
    (-COS_30, 0.5),
    (-1.0, 0.0),
    (-COS_30, -0.5),
    (-0.5, -COS_30),
    (0.0, -1.0),
    (0.5, -COS_30),
    (COS_30, -0.5),
    (1.0, 0.0),
    (COS_30, 0.5),
    (0.5, COS_30),
];

impl Figure {
    pub(crate) fn of_ellipse(ellipse: &Ellipse) -> Figure {
        let axis = Double2::new(f64::from(ellipse.rotation.c), f64::from(ellipse.rotation.s));
        Figure {
            center: Double2::from(ellipse.center),
            axis: axis / axis.length(),
            half_x: f64::from(ellipse.half_axes.x),
            half_y: f64::from(ellipse.half_axes.y),
        }
    }

    pub(crate) fn of_disc(center: Vec2, radius: f32) -> Figure {
        let radius = f64::from(radius);
        Figure { center: Double2::from(center), axis: Double2::new(1.0, 0.0), half_x: radius, half_y: radius }
    }

    /// The figure seen from a frame in which its own is at `pose`.
    pub(crate) fn at(&self, pose: Pose) -> Figure {
        let (c, s) = (f64::from(pose.q.c), f64::from(pose.q.s));
        let turn = |v: Double2| Double2::new(c * v.x - s * v.y, s * v.x + c * v.y);
        let axis = turn(self.axis);
        Figure { center: turn(self.center) + Double2::from(pose.p), axis: axis / axis.length(), ..*self }
    }

    pub(crate) fn center(&self) -> Vec2 {
        self.center.single()
    }

    /// How far it reaches from its centre along a unit vector, and where.
    fn reach(&self, direction: Double2) -> (f64, Double2) {
        let across = Double2::new(-self.axis.y, self.axis.x);
        let (x, y) = (direction.dot(self.axis), direction.dot(across));
        let (ax, by) = (self.half_x * x, self.half_y * y);
        let h = (ax * ax + by * by).sqrt();
        if h <= 0.0 {
            return (0.0, Double2::ZERO);
        }
        (h, self.axis * (self.half_x * (ax / h)) + across * (self.half_y * (by / h)))
    }

    /// The gap between a line through `point` with the unit normal `normal` and this figure on
    /// its front, and the point nearest to the line.
    pub(crate) fn gap_to_line(&self, point: Vec2, normal: Vec2) -> (f32, Vec2) {
        let direction = Double2::from(normal);
        let direction = direction / direction.length();
        let (h, s) = self.reach(direction);
        let gap = direction.dot(self.center - Double2::from(point)) - h;
        (gap as f32, (self.center - s).single())
    }

    /// The gap to another figure along the direction in which it is largest.
    pub(crate) fn gap(&self, other: &Figure) -> Gap {
        // Up in case nothing is better: of concentric circles all directions are the same.
        let up = Double2::new(0.0, 1.0);
        let direction = self.best_direction(other, up, Bounds::None);
        self.gap_along(other, direction.unwrap_or(up))
    }

    /// The largest gap along a direction between `low` and `high` counter-clockwise of it, unit
    /// vectors up to half a turn apart: the normals on both sides of a corner. None when it is that
    /// along one of the two, so that the corner is not what is nearest.
    pub(crate) fn gap_between(&self, other: &Figure, low: Vec2, high: Vec2) -> Option<Gap> {
        let (low, high) = (Double2::from(low), Double2::from(high));
        let (low, high) = (low / low.length(), high / high.length());
        let direction = self.best_direction(other, low, Bounds::Between(high))?;
        Some(self.gap_along(other, direction))
    }

    fn gap_along(&self, other: &Figure, direction: Double2) -> Gap {
        let (h, s) = self.reach(direction);
        let separation = direction.dot(other.center - self.center) - h - other.reach(direction).0;
        Gap { normal: direction.single(), separation: separation as f32, point: (self.center + s).single() }
    }

    /// The direction of the largest gap, if it is not that of a bound. Angles count from `start`.
    fn best_direction(&self, other: &Figure, start: Double2, bounds: Bounds) -> Option<Double2> {
        let between = other.center - self.center;
        let slope = |d: Double2| {
            let across = Double2::new(-d.y, d.x);
            across.dot(between - self.reach(d).1 - other.reach(d).1)
        };
        let value = |d: Double2| d.dot(between) - self.reach(d).0 - other.reach(d).0;

        // Directions to look along, each with a number that grows with its angle.
        let mut directions = [(0.0_f64, start); 28];
        let mut count = 1;
        let mut add = |d: Double2| {
            let (x, y) = (start.dot(d), start.cross(d));
            directions[count] = (if y >= 0.0 { 1.0 - x } else { 3.0 + x }, d);
            count += 1;
        };
        let length = between.length();
        if length > 0.0 {
            add(between / length);
        }
        // To a disc all directions are the same; to two of them some are still needed.
        let round = |figure: &Figure| figure.half_x == figure.half_y;
        for (figure, needed) in [(self, !round(self)), (other, !round(other) || round(self))] {
            for &(c, s) in SAMPLES.iter().filter(|_| needed) {
                add(figure.normal_at(c, s));
            }
        }
        let last = match bounds {
            // All the way round, back to the start.
            Bounds::None => (4.0, start),
            Bounds::Between(high) => {
                let (x, y) = (start.dot(high), start.cross(high));
                // Half a turn may have rounded to a little more.
                (if y >= 0.0 { 1.0 - x } else { 2.0 }, high)
            }
        };
        let directions = &mut directions[..count];
        directions.sort_by(|a, b| a.0.total_cmp(&b.0));

        // A maximum is where the gap grows on one side and shrinks on the other.
        let mut best = (value(start), None);
        let end_value = value(last.1);
        if end_value > best.0 {
            best.0 = end_value;
        }
        let mut previous = (start, slope(start));
        let inner = directions[1..].iter().filter(|(angle, _)| *angle < last.0).map(|&(_, d)| d);
        for direction in inner.chain(std::iter::once(last.1)) {
            let here = (direction, slope(direction));
            if previous.1 >= 0.0 && here.1 <= 0.0 {
                let found = zero_between(previous, here, slope);
                let found_value = value(found);
                if found_value > best.0 {
                    best = (found_value, Some(found));
                }
            }
            previous = here;
        }
        best.1
    }

    /// The unit normal at the point with the parameter whose cosine and sine are given.
    fn normal_at(&self, c: f64, s: f64) -> Double2 {
        let across = Double2::new(-self.axis.y, self.axis.x);
        // A point has the normals of a circle.
        let (x, y) = if self.half_x > 0.0 { (c * self.half_y, s * self.half_x) } else { (c, s) };
        let normal = self.axis * x + across * y;
        normal / normal.length()
    }
}

/// The direction between two others, at most a quarter turn apart or so, where the slope
/// vanishes: false position, halving the weight of an end that stays (the Illinois rule).
fn zero_between(low: (Double2, f64), high: (Double2, f64), slope: impl Fn(Double2) -> f64) -> Double2 {
    let ((mut low, mut f_low), (mut high, mut f_high)) = (low, high);
    let mut kept = 0;
    let mut middle = low;
    for _ in 0..60 {
        if f_low - f_high <= 0.0 {
            break;
        }
        let mixed = low + (high - low) * (f_low / (f_low - f_high));
        let length = mixed.length();
        if length <= 0.0 {
            break;
        }
        middle = mixed / length;
        let f = slope(middle);
        if f == 0.0 || middle == low || middle == high {
            break;
        }
        if f > 0.0 {
            (low, f_low) = (middle, f);
            f_high *= if kept == 1 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            (high, f_high) = (middle, f);
            f_low *= if kept == -1 { 0.5 } else { 1.0 };
            kept = -1;
        }
    }
    middle
}
