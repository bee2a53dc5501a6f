//! Shapes of the plane and the questions one can ask of them, without a world.
//!
//! A [`Geometry`] is one shape in the coordinates of the body that carries it. Most are a
//! *core* (a point, a segment or a convex polygon) grown by a *radius*: a circle is a grown
//! point, a capsule a grown segment. That one idea serves distances ([`distance`]), casts
//! ([`cast()`]) and contacts ([`crate::collide`]). An ellipse goes by its support function
//! instead, and chains and concave polygons consist of convex [parts](Part).
//!
//! | file           | holds                                                        |
//! |----------------|--------------------------------------------------------------|
//! | `circle.rs`    | [`Circle`]                                                   |
//! | `ellipse.rs`   | [`Ellipse`], and how far it is from other things             |
//! | `capsule.rs`   | [`Capsule`]                                                  |
//! | `segment.rs`   | [`Segment`]                                                  |
//! | `polygon.rs`   | [`Polygon`], also the rounded ones                           |
//! | `chain.rs`     | [`Chain`]                                                    |
//! | `concave.rs`   | [`Concave`]: what it must be like, and its parts             |
//! | `decompose.rs` | cutting a polygon into convex pieces                         |
//! | `part.rs`      | [`Part`] of the last two                                     |
//! | `hull.rs`      | [`convex_hull`]                                              |
//! | `mass.rs`      | [`MassData`] and the integrals behind it                     |
//! | `boundary.rs`  | the rim of a shape as lines and arcs, to clip and to press on    |
//! | `distance.rs`  | [`Proxy`], [`distance`], [`overlap`]                         |
//! | `cast.rs`      | [`RayHit`], [`CastHit`], [`cast()`], [`geometry_cast`]       |
//! | `sweep.rs`     | [`Sweep`], [`time_of_impact`], for shapes that turn, too     |
//!
//! Each shape's file has the same functions in the same order. A new shape is one more file,
//! one more variant of [`Geometry`] and one more arm in each `match` below; as long as it is
//! a core and a radius, `distance.rs` and `cast.rs` stay as they are.
//!
//! Lengths are in metres, angles in radians, densities in kg/m^2.

pub(crate) mod boundary;
mod capsule;
mod cast;
mod chain;
mod circle;
mod concave;
mod decompose;
mod distance;
pub(crate) mod double;
mod ellipse;
mod hull;
mod mass;
mod part;
mod polygon;
mod rim;
mod segment;
mod sweep;

pub use capsule::Capsule;
pub use cast::{CastHit, RayHit, cast, geometry_cast};
pub use chain::{Chain, ChainEnds};
pub use circle::Circle;
pub use concave::Concave;
pub use distance::{Proxy, Separation, distance, geometry_distance, overlap};
pub use ellipse::Ellipse;
pub(crate) use ellipse::{Figure, Gap};
pub use hull::convex_hull;
pub use mass::MassData;
pub use part::Part;
pub use polygon::{MAX_POLYGON_VERTICES, Polygon};
pub use rim::{Rim, RimSeparation};
pub use segment::Segment;
pub use sweep::{Meeting, Sweep, time_of_impact};

use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, clamp, max};
use mass::Moments;
use std::sync::Arc;

/// The largest size of a shape, in metres.
pub const MAX_EXTENT: f32 = 1.0e6;
/// The smallest size of a shape, in metres: radius, width, height or length.
pub const MIN_EXTENT: f32 = 1.0e-5;
/// The largest coordinate of a shape in its body's frame, in metres.
pub const MAX_COORDINATE: f32 = 1.0e7;

/// A shape in the coordinates of its body.
///
/// A clone is cheap: what can be large is shared.
// A polygon is far larger than the rest, and is the common case: a box for it would put the
// vertices of every shape of a stack behind one more pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A disc.
    Circle(Circle),
    /// Everything within a radius of a segment.
    Capsule(Capsule),
    /// A line segment without thickness. It has two sides and no mass.
    Segment(Segment),
    /// A convex polygon, with rounded corners if it has a radius.
    Polygon(Polygon),
    /// An ellipse.
    Ellipse(Ellipse),
    /// A line of segments, solid from one side. It has no mass.
    Chain(Arc<Chain>),
    /// A polygon of any form, with or without holes.
    Concave(Arc<Concave>),
    /// A convex part of one of the last two, as collisions see it.
    Part(Arc<Part>),
}

impl Geometry {
    /// A circle about the body's origin; `radius` in metres.
    pub fn circle(radius: f32) -> Result<Geometry, DefError> {
        Ok(Geometry::Circle(Circle::new(Vec2::ZERO, radius)?))
    }

    /// A rectangle about the body's origin; full `width` and `height` in metres.
    pub fn rectangle(width: f32, height: f32) -> Result<Geometry, DefError> {
        Ok(Geometry::Polygon(Polygon::rectangle(width, height)?))
    }

    /// Everything within `radius` of the segment from `a` to `b`.
    pub fn capsule(a: Vec2, b: Vec2, radius: f32) -> Result<Geometry, DefError> {
        Ok(Geometry::Capsule(Capsule::new(a, b, radius)?))
    }

    /// The segment from `a` to `b`.
    pub fn segment(a: Vec2, b: Vec2) -> Result<Geometry, DefError> {
        Ok(Geometry::Segment(Segment::new(a, b)?))
    }

    /// The convex hull of a set of points, in any order. With more than
    /// [`MAX_POLYGON_VERTICES`] corners it is kept in pieces, as [`Geometry::Concave`].
    pub fn convex(points: &[Vec2]) -> Result<Geometry, DefError> {
        if points.len() > MAX_POLYGON_VERTICES {
            for &point in points {
                valid_point("Polygon.points", point)?;
            }
            let hull = convex_hull(points);
            if hull.len() > MAX_POLYGON_VERTICES {
                return Geometry::concave(&hull);
            }
        }
        Ok(Geometry::Polygon(Polygon::convex(points)?))
    }

    /// An ellipse about the body's origin; half its width and half its height in metres.
    pub fn ellipse(half_width: f32, half_height: f32) -> Result<Geometry, DefError> {
        Ok(Geometry::Ellipse(Ellipse::new(Vec2::ZERO, Vec2::new(half_width, half_height), 0.0)?))
    }

    /// A chain through some points, solid from the right of the way it runs.
    pub fn chain(points: &[Vec2], ends: ChainEnds) -> Result<Geometry, DefError> {
        Ok(Geometry::Chain(Arc::new(Chain::new(points, ends)?)))
    }

    /// A polygon of any form, clockwise or counter-clockwise.
    pub fn concave(points: &[Vec2]) -> Result<Geometry, DefError> {
        Geometry::with_holes(points, &[])
    }

    /// A polygon of any form with holes in it.
    pub fn with_holes(points: &[Vec2], holes: &[Vec<Vec2>]) -> Result<Geometry, DefError> {
        Ok(Geometry::Concave(Arc::new(Concave::new(points, holes)?)))
    }

    /// Does it consist of parts?
    #[inline]
    pub fn is_compound(&self) -> bool {
        matches!(self, Geometry::Chain(_) | Geometry::Concave(_))
    }

    /// The parts of a chain or a concave polygon; empty for others.
    pub fn parts(&self) -> &[Arc<Part>] {
        match self {
            Geometry::Chain(chain) => chain.parts(),
            Geometry::Concave(concave) => concave.parts(),
            _ => &[],
        }
    }

    /// Calls `action` with each part, or with the geometry itself if it has none.
    pub(crate) fn each_part(&self, action: &mut dyn FnMut(&Geometry)) {
        if !self.is_compound() {
            return action(self);
        }
        for part in self.parts() {
            action(&Geometry::Part(part.clone()));
        }
    }

    /// The convex hull of a set of points, grown by `radius`: its corners become arcs.
    pub fn rounded(points: &[Vec2], radius: f32) -> Result<Geometry, DefError> {
        Ok(Geometry::Polygon(Polygon::convex(points)?.with_radius(radius)?))
    }

    /// Checks every number: finite, sizes from [`MIN_EXTENT`] to [`MAX_EXTENT`], coordinates
    /// up to [`MAX_COORDINATE`]. Everything else in this module and in [`crate::collide`]
    /// takes a geometry that passes.
    pub fn validate(&self) -> Result<(), DefError> {
        match self {
            Geometry::Circle(circle) => circle.validate(),
            Geometry::Capsule(capsule) => capsule.validate(),
            Geometry::Segment(segment) => segment.validate(),
            Geometry::Polygon(polygon) => polygon.validate(),
            Geometry::Ellipse(ellipse) => ellipse.validate(),
            Geometry::Chain(chain) => chain.validate(),
            Geometry::Concave(concave) => concave.validate(),
            // Parts come from wholes that passed.
            Geometry::Part(_) => Ok(()),
        }
    }

    /// The same shape moved by `pose`.
    pub fn transformed(&self, pose: Pose) -> Geometry {
        match self {
            Geometry::Circle(circle) => Geometry::Circle(circle.transformed(pose)),
            Geometry::Capsule(capsule) => Geometry::Capsule(capsule.transformed(pose)),
            Geometry::Segment(segment) => Geometry::Segment(segment.transformed(pose)),
            Geometry::Polygon(polygon) => Geometry::Polygon(polygon.transformed(pose)),
            Geometry::Ellipse(ellipse) => Geometry::Ellipse(ellipse.transformed(pose)),
            Geometry::Chain(chain) => Geometry::Chain(Arc::new(chain.transformed(pose))),
            Geometry::Concave(concave) => Geometry::Concave(Arc::new(concave.transformed(pose))),
            Geometry::Part(part) => Geometry::Part(Arc::new(part.transformed(pose))),
        }
    }

    /// The area in m^2; zero for a segment.
    pub fn area(&self) -> f32 {
        self.moments().area()
    }

    /// Mass, centre of mass and moment of inertia for a density in kg/m^2. Exact but for the
    /// last rounding, also for rounded polygons. A segment has no mass.
    pub fn mass(&self, density: f32) -> MassData {
        self.moments().mass(density)
    }

    /// The centre of area; the midpoint of a segment.
    pub fn centroid(&self) -> Vec2 {
        match self {
            Geometry::Circle(circle) => circle.center,
            Geometry::Capsule(capsule) => 0.5 * (capsule.a + capsule.b),
            Geometry::Segment(segment) => 0.5 * (segment.a + segment.b),
            Geometry::Polygon(polygon) => polygon.centroid(),
            Geometry::Ellipse(ellipse) => ellipse.center,
            Geometry::Chain(chain) => Aabb::around(chain.points()).center(),
            Geometry::Concave(concave) => concave.centroid(),
            Geometry::Part(part) => part.centroid(),
        }
    }

    /// The smallest axis-aligned box around the shape at `pose`.
    #[inline]
    pub fn aabb(&self, pose: Pose) -> Aabb {
        match self {
            Geometry::Circle(circle) => circle.aabb(pose),
            Geometry::Capsule(capsule) => capsule.aabb(pose),
            Geometry::Segment(segment) => segment.aabb(pose),
            Geometry::Polygon(polygon) => polygon.aabb(pose),
            Geometry::Ellipse(ellipse) => ellipse.aabb(pose),
            Geometry::Chain(chain) => chain.aabb(pose),
            Geometry::Concave(concave) => concave.aabb(pose),
            Geometry::Part(part) => part.aabb(pose),
        }
    }

    /// True when a point lies in the shape, boundary included. Never true of a segment, which
    /// has no inside.
    pub fn contains(&self, point: Vec2) -> bool {
        match self {
            Geometry::Circle(circle) => circle.contains(point),
            Geometry::Capsule(capsule) => capsule.contains(point),
            Geometry::Segment(_) | Geometry::Chain(_) => false,
            Geometry::Polygon(polygon) => polygon.contains(point),
            Geometry::Ellipse(ellipse) => ellipse.contains(point),
            Geometry::Concave(concave) => concave.contains(point),
            Geometry::Part(part) => part.contains(point),
        }
    }

    /// The first point of the shape on the way from `origin` to
    /// `origin + max_fraction * translation`, all in the shape's frame.
    ///
    /// An origin in the shape, boundary included, is a hit at fraction 0 with a zero normal.
    /// A segment is hit from both sides; a ray along it passes.
    pub fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        match self {
            Geometry::Circle(circle) => circle.ray(origin, translation, max_fraction),
            Geometry::Capsule(capsule) => capsule.ray(origin, translation, max_fraction),
            Geometry::Segment(segment) => segment.ray(origin, translation, max_fraction),
            Geometry::Polygon(polygon) => polygon.ray(origin, translation, max_fraction),
            Geometry::Ellipse(ellipse) => ellipse.ray(origin, translation, max_fraction),
            Geometry::Chain(chain) => chain.ray(origin, translation, max_fraction),
            Geometry::Concave(concave) => concave.ray(origin, translation, max_fraction),
            Geometry::Part(part) => part.ray(origin, translation, max_fraction),
        }
    }

    /// The point of the shape nearest to `point`: `point` itself when it lies inside.
    pub fn closest_point(&self, point: Vec2) -> Vec2 {
        match self {
            Geometry::Circle(circle) => circle.closest_point(point),
            Geometry::Capsule(capsule) => capsule.closest_point(point),
            Geometry::Segment(segment) => segment.closest_point(point),
            Geometry::Polygon(polygon) => polygon.closest_point(point),
            Geometry::Ellipse(ellipse) => ellipse.closest_point(point),
            Geometry::Part(part) => part.closest_point(point),
            Geometry::Chain(_) | Geometry::Concave(_) => closest_of_parts(self.parts(), point),
        }
    }

    /// The core points and the radius, as [`distance`] and [`cast()`] take them. None for an
    /// ellipse, which has no such core, and for what consists of parts.
    pub fn proxy(&self) -> Option<Proxy> {
        match self {
            Geometry::Circle(circle) => Some(Proxy::new(&[circle.center], circle.radius)),
            Geometry::Capsule(capsule) => Some(Proxy::new(&[capsule.a, capsule.b], capsule.radius)),
            Geometry::Segment(segment) => Some(Proxy::new(&[segment.a, segment.b], 0.0)),
            Geometry::Polygon(polygon) => Some(Proxy::new(polygon.vertices(), polygon.radius())),
            Geometry::Part(part) => Some(Proxy::new(part.vertices(), 0.0)),
            Geometry::Ellipse(_) | Geometry::Chain(_) | Geometry::Concave(_) => None,
        }
    }

    /// What is swept in place of the shape where it moves fast: its core and radius, or corners on the rim
    /// of an ellipse. None for what consists of parts, which are swept on their own.
    pub(crate) fn swept(&self) -> Option<Proxy> {
        match self {
            Geometry::Ellipse(ellipse) => Some(Proxy::new(&ellipse.corners(), 0.0)),
            _ => self.proxy(),
        }
    }

    /// The largest distance from `center` to a point of the shape, in metres: how far the
    /// shape reaches when its body turns about `center`. For an ellipse off `center` a little more.
    pub fn extent(&self, center: Vec2) -> f32 {
        let (points, radius): (&[Vec2], f32) = match self {
            Geometry::Circle(circle) => (&[circle.center], circle.radius),
            Geometry::Capsule(capsule) => (&[capsule.a, capsule.b], capsule.radius),
            Geometry::Segment(segment) => (&[segment.a, segment.b], 0.0),
            Geometry::Polygon(polygon) => (polygon.vertices(), polygon.radius()),
            Geometry::Ellipse(ellipse) => (&[ellipse.center], max(ellipse.half_axes.x, ellipse.half_axes.y)),
            Geometry::Chain(chain) => (chain.points(), 0.0),
            Geometry::Concave(concave) => (concave.outline(), 0.0),
            Geometry::Part(part) => (part.vertices(), 0.0),
        };
        let mut largest_squared = 0.0;
        for &point in points {
            let squared = (point - center).length_squared();
            if squared > largest_squared {
                largest_squared = squared;
            }
        }
        largest_squared.sqrt() + radius
    }

    /// The smallest distance from the centroid to the boundary, in metres: a body that moves
    /// less than this in a step cannot pass through a wall unseen. Zero for a segment and a chain,
    /// and for a concave polygon that does not contain its centroid.
    pub fn inner_extent(&self) -> f32 {
        match self {
            Geometry::Circle(circle) => circle.radius,
            Geometry::Capsule(capsule) => capsule.radius,
            Geometry::Segment(_) | Geometry::Chain(_) => 0.0,
            Geometry::Polygon(polygon) => polygon.inner_extent(),
            Geometry::Ellipse(ellipse) => ellipse.inner_extent(),
            Geometry::Concave(concave) => concave.inner_extent(),
            Geometry::Part(part) => part.inner_extent(),
        }
    }

    /// The radius around the core, in metres: of a circle, a capsule or the corners of a
    /// polygon; the smallest radius of curvature of an ellipse. Zero for what has sharp corners.
    #[inline]
    pub fn rounding(&self) -> f32 {
        match self {
            Geometry::Circle(circle) => circle.radius,
            Geometry::Capsule(capsule) => capsule.radius,
            Geometry::Polygon(polygon) => polygon.radius(),
            Geometry::Ellipse(ellipse) => ellipse.rounding(),
            Geometry::Segment(_) | Geometry::Chain(_) | Geometry::Concave(_) | Geometry::Part(_) => 0.0,
        }
    }

    fn moments(&self) -> Moments {
        match self {
            Geometry::Circle(circle) => Moments::of_circle(circle.center, circle.radius),
            Geometry::Capsule(capsule) => Moments::of_capsule(capsule.a, capsule.b, capsule.radius),
            Geometry::Segment(segment) => Moments::massless(0.5 * (segment.a + segment.b)),
            Geometry::Polygon(polygon) => Moments::of_polygon(polygon.vertices(), polygon.radius()),
            Geometry::Ellipse(ellipse) => Moments::of_ellipse(ellipse.center, ellipse.half_axes),
            Geometry::Chain(_) => Moments::massless(self.centroid()),
            Geometry::Concave(concave) => concave.moments(),
            Geometry::Part(part) => part.moments(),
        }
    }
}

impl From<Circle> for Geometry {
    fn from(circle: Circle) -> Geometry {
        Geometry::Circle(circle)
    }
}

impl From<Capsule> for Geometry {
    fn from(capsule: Capsule) -> Geometry {
        Geometry::Capsule(capsule)
    }
}

impl From<Segment> for Geometry {
    fn from(segment: Segment) -> Geometry {
        Geometry::Segment(segment)
    }
}

impl From<Polygon> for Geometry {
    fn from(polygon: Polygon) -> Geometry {
        Geometry::Polygon(polygon)
    }
}

impl From<Ellipse> for Geometry {
    fn from(ellipse: Ellipse) -> Geometry {
        Geometry::Ellipse(ellipse)
    }
}

impl From<Chain> for Geometry {
    fn from(chain: Chain) -> Geometry {
        Geometry::Chain(Arc::new(chain))
    }
}

impl From<Concave> for Geometry {
    fn from(concave: Concave) -> Geometry {
        Geometry::Concave(Arc::new(concave))
    }
}

/// The nearest of the parts' nearest points.
fn closest_of_parts(parts: &[Arc<Part>], point: Vec2) -> Vec2 {
    let mut nearest = point;
    let mut nearest_squared = f32::MAX;
    for part in parts {
        let candidate = part.closest_point(point);
        let squared = (candidate - point).length_squared();
        if squared < nearest_squared {
            (nearest, nearest_squared) = (candidate, squared);
        }
    }
    nearest
}

/// The point of the segment from `a` to `b` nearest to `point`. A segment without length
/// answers with `a`.
#[inline]
fn closest_on_segment(a: Vec2, b: Vec2, point: Vec2) -> Vec2 {
    let edge = b - a;
    let length_squared = edge.length_squared();
    if length_squared > 0.0 { a + edge * clamp((point - a).dot(edge) / length_squared, 0.0, 1.0) } else { a }
}

/// Checks a point of a shape.
fn valid_point(field: &'static str, point: Vec2) -> Result<(), DefError> {
    // Negated so that a NaN fails.
    if !(point.x.abs() <= MAX_COORDINATE && point.y.abs() <= MAX_COORDINATE) {
        return Err(DefError::field(field, point, "finite coordinates between -1e7 and 1e7 m"));
    }
    Ok(())
}

/// Checks a size of a shape.
fn valid_extent(field: &'static str, extent: f32) -> Result<(), DefError> {
    if !(MIN_EXTENT..=MAX_EXTENT).contains(&extent) {
        return Err(DefError::field(field, extent, "a size between 1e-5 and 1e6 m"));
    }
    Ok(())
}
