//! Contact manifolds: where and along which normal two shapes touch.
//!
//! [`collide`] answers for every ordered pair of shapes, in the frame of the first, where f32
//! is finest. There are four ways through it:
//!
//! - an ellipse against anything has one point, along the direction in which the gap is largest
//!   (`ellipse.rs`);
//! - so has a circle, found from the feature nearest to its centre (`circle.rs`);
//! - everything else has edges. A capsule or a segment is a polygon with two vertices
//!   (`capsule.rs`), and one routine serves all pairs of polygons (`polygon.rs`);
//! - parts of chains and concave polygons have edges that count and others that do not, and
//!   corners that can be touched from some sides only (`smooth.rs`).
//!
//! | A \ B   | circle     | ellipse    | capsule   | segment   | polygon   | part     |
//! |---------|------------|------------|-----------|-----------|-----------|----------|
//! | circle  | `circle`   | `ellipse`  | mirrored  | mirrored  | mirrored  | mirrored |
//! | ellipse | mirrored   | `ellipse`  | mirrored  | mirrored  | mirrored  | mirrored |
//! | capsule | `circle`   | `ellipse`  | `polygon` | `polygon` | `polygon` | `smooth` |
//! | segment | `circle`   | `ellipse`  | `polygon` | `polygon` | `polygon` | `smooth` |
//! | polygon | `circle`   | `ellipse`  | `polygon` | `polygon` | `polygon` | `smooth` |
//! | part    | `circle`   | `ellipse`  | `smooth`  | `smooth`  | `smooth`  | `smooth` |
//!
//! A whole chain or concave polygon is as deep in another shape as its deepest part; a world
//! has a contact for each part instead.
//!
//! Nothing here allocates, and nothing remembers: what must be the same from step to step
//! (feature ids, the reference edge) is returned and fed back in.

mod capsule;
mod circle;
mod discs;
mod edges;
mod ellipse;
mod form;
#[cfg(test)]
mod lanes_test;
mod lease;
mod polygon;
mod smooth;
mod wide;

use crate::math::{Pose, Vec2, min};
use crate::shape::{Figure, Geometry};
pub(crate) use discs::DiscsSideBySide;
pub(crate) use edges::{FoundEdges, SearchSideBySide};
pub(crate) use form::{Form, Pairing};
pub(crate) use lease::{ApartFor, Lease};
use polygon::{Axis, Outline};
pub(crate) use wide::{EdgesSideBySide, LaneContact, LanePoses};

/// The length in metres below which two positions count as the same; other tolerances are
/// multiples of it.
pub const LINEAR_SLOP: f32 = 0.005;
/// Contacts this far apart, in metres, get a point before they touch, so that the solver can
/// stop a body at the surface instead of behind it.
pub const SPECULATIVE_DISTANCE: f32 = 4.0 * LINEAR_SLOP;
/// Where one end of an edge is within the margin, the other one is a point of the contact up to this many margins. A box that
/// comes down nearly flat lands on both corners within a step; with a point at one of them only it would be stopped there, turn
/// about it, and go into what it lands on with the other. A point that is too far away to be reached changes nothing.
pub const FAR_END: f32 = 8.0;

/// One point of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// Midway between the two surfaces, in metres, in the frame of A.
    pub point: Vec2,
    /// The gap along the normal, in metres; negative when the shapes overlap.
    pub separation: f32,
    /// The features in contact: a vertex of A in the low byte, a vertex of B in the high one.
    /// The same contact has the same number from step to step, whichever shape carries the
    /// reference edge. The number of a circle is always 0.
    pub id: u16,
}

/// Where two shapes touch: up to two points with a common normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// The unit normal from A to B, in the frame of A; zero without points.
    pub normal: Vec2,
    /// The points; the first `count` count.
    pub points: [ManifoldPoint; 2],
    /// The number of points, 0 to 2.
    pub count: u8,
    /// The edge whose normal this is. Feed it back in as the hint of the next step.
    pub reference: Reference,
}

/// Which shape's edge carries the normal of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// Neither, as with circles, or not known.
    #[default]
    None,
    /// This edge of A.
    A(u8),
    /// This edge of B.
    B(u8),
}

/// Which edge of two overlapping shapes carries the normal, where several would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EdgeRule {
    /// The one used before while it is about as good as the best: for solvers that must not change their minds.
    Steady,
    /// The one used before until another is better by a margin: see `choose_weighed` in `polygon.rs`.
    Weighed {
        /// `eta`.
        weight: f32,
        /// `kappa`, a share of a length here.
        handicap: f32,
    },
}

impl Manifold {
    /// The points that count.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// A manifold with a single point.
    fn single(normal: Vec2, point: Vec2, separation: f32, id: u16, reference: Reference) -> Manifold {
        let point = ManifoldPoint { point, separation, id };
        Manifold { normal, points: [point, ManifoldPoint::default()], count: 1, reference }
    }

    /// A manifold without an edge, computed for (b, a) in the frame of b, as one for (a, b)
    /// in the frame of a.
    fn mirrored(mut self, b_in_a: Pose) -> Manifold {
        if self.count > 0 {
            self.normal = -b_in_a.q.rotate(self.normal);
            self.points[0].point = b_in_a.point(self.points[0].point);
        }
        self
    }
}

/// The contact of `a` and `b`, with b at the pose `b_in_a` in the frame of a.
///
/// Points more than `margin` metres apart are left out; without any the count is 0. Of two points on an edge the farther
/// one may be [`FAR_END`] times as far apart. `hint` is
/// the reference of the last manifold of this pair: where two edges would do about as well
/// the one used before stays, because a contact that changes its mind every step cannot come
/// to rest.
///
/// Shapes apart whose nearest features are two corners get the direction between the corners
/// as their normal; otherwise it is that of an edge: of the nearest one when they are apart,
/// of the shortest way out when they overlap. Both shapes must pass [`Geometry::validate`].
pub fn collide(a: &Geometry, b: &Geometry, b_in_a: Pose, margin: f32, hint: Reference) -> Manifold {
    search(a, b, b_in_a, margin, hint, EdgeRule::Steady).0
}

/// The same by any rule, and for how long the outcome of the search holds: see `lease.rs`.
pub(crate) fn search(
    a: &Geometry,
    b: &Geometry,
    b_in_a: Pose,
    margin: f32,
    hint: Reference,
    rule: EdgeRule,
) -> (Manifold, Lease) {
    use Geometry::{Capsule, Chain, Circle, Concave, Ellipse, Polygon, Segment};
    let manifold = match (a, b) {
        (Polygon(a), Polygon(b)) => {
            return polygon::outlines(&Outline::of_polygon(a), &Outline::of_polygon(b), b_in_a, margin, hint, rule);
        }
        (Polygon(a), Capsule(_) | Segment(_)) => {
            let b = capsule::TwoGon::new(b);
            return polygon::outlines(&Outline::of_polygon(a), &b.outline(), b_in_a, margin, hint, rule);
        }
        (Capsule(_) | Segment(_), Polygon(b)) => {
            let a = capsule::TwoGon::new(a);
            return polygon::outlines(&a.outline(), &Outline::of_polygon(b), b_in_a, margin, hint, rule);
        }
        (Capsule(_) | Segment(_), Capsule(_) | Segment(_)) => {
            let (a, b) = (capsule::TwoGon::new(a), capsule::TwoGon::new(b));
            return polygon::outlines(&a.outline(), &b.outline(), b_in_a, margin, hint, rule);
        }
        (Chain(_) | Concave(_), _) | (_, Chain(_) | Concave(_)) => deepest(a, b, b_in_a, margin),
        (_, Ellipse(ellipse)) => against_ellipse(a, &Figure::of_ellipse(ellipse).at(b_in_a), margin),
        (Ellipse(ellipse), _) => {
            let a_in_b = polygon::inverse(b_in_a);
            against_ellipse(b, &Figure::of_ellipse(ellipse).at(a_in_b), margin).mirrored(b_in_a)
        }
        (_, Circle(circle)) => {
            let center = b_in_a.point(circle.center);
            let manifold = circle::against(a, center, circle.radius, margin);
            if manifold.count == 0 {
                let gap = circle::gap(a, center, circle.radius + margin);
                return (manifold, Lease::apart(b_in_a, gap, circle.center.length(), center.length()));
            }
            manifold
        }
        (Circle(circle), _) => {
            let center = b_in_a.inv_point(circle.center);
            let manifold = circle::against(b, center, circle.radius, margin).mirrored(b_in_a);
            if manifold.count == 0 {
                let gap = circle::gap(b, center, circle.radius + margin);
                return (manifold, Lease::apart(b_in_a, gap, center.length(), circle.center.length()));
            }
            manifold
        }
        _ => return with_outline(a, |a| with_outline(b, |b| smooth::outlines(a, b, b_in_a, margin, hint, rule))),
    };
    (manifold, Lease::NONE)
}

/// Calls `action` with the outline of a geometry that has edges.
fn with_outline<T>(geometry: &Geometry, action: impl FnOnce(&Outline) -> T) -> T {
    match geometry {
        Geometry::Polygon(polygon) => action(&Outline::of_polygon(polygon)),
        Geometry::Part(part) => action(&Outline::of_part(part)),
        _ => action(&capsule::TwoGon::new(geometry).outline()),
    }
}

/// The contact of a geometry and an ellipse in its frame.
fn against_ellipse(a: &Geometry, ellipse: &Figure, margin: f32) -> Manifold {
    match a {
        Geometry::Circle(circle) => {
            ellipse::against_figure(&Figure::of_disc(circle.center, circle.radius), ellipse, margin)
        }
        Geometry::Ellipse(a) => ellipse::against_figure(&Figure::of_ellipse(a), ellipse, margin),
        _ => with_outline(a, |a| ellipse::against_outline(a, ellipse, margin)),
    }
}

/// Of the contacts of the parts of two geometries, the deepest.
fn deepest(a: &Geometry, b: &Geometry, b_in_a: Pose, margin: f32) -> Manifold {
    let depth = |manifold: &Manifold| manifold.points().iter().fold(f32::MAX, |d, point| min(d, point.separation));
    let mut found = Manifold::default();
    a.each_part(&mut |a| {
        b.each_part(&mut |b| {
            let manifold = collide(a, b, b_in_a, margin, Reference::None);
            if depth(&manifold) < depth(&found) {
                found = manifold;
            }
        });
    });
    found
}
