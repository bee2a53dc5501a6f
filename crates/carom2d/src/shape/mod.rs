//! Shapes of the plane and the questions one can ask of them, without a world.
//!
//! A [`Geometry`] is one convex shape in the coordinates of the body that carries it. All of
//! them are a *core* (a point, a segment or a convex polygon) grown by a *radius*: a circle
//! is a grown point, a capsule a grown segment. That one idea serves distances
//! ([`distance`]), casts ([`cast()`]) and contacts ([`crate::collide`]).
//!
//! | file          | holds                                                        |
//! |---------------|--------------------------------------------------------------|
//! | `circle.rs`   | [`Circle`]                                                   |
//! | `capsule.rs`  | [`Capsule`]                                                  |
//! | `segment.rs`  | [`Segment`]                                                  |
//! | `polygon.rs`  | [`Polygon`], also the rounded ones                           |
//! | `hull.rs`     | [`convex_hull`]                                              |
//! | `mass.rs`     | [`MassData`] and the integrals behind it                     |
//! | `distance.rs` | [`Proxy`], [`distance`], [`overlap`]                         |
//! | `cast.rs`     | [`RayHit`], [`CastHit`], [`cast()`]                          |
//! | `sweep.rs`    | [`Sweep`], [`time_of_impact`], for shapes that turn, too     |
//!
//! Each shape's file has the same functions in the same order. A new shape is one more file,
//! one more variant of [`Geometry`] and one more arm in each `match` below; as long as it is
//! a core and a radius, `distance.rs` and `cast.rs` stay as they are.
//!
//! Lengths are in metres, angles in radians, densities in kg/m^2.

mod capsule;
mod cast;
mod circle;
mod distance;
mod double;
mod hull;
mod mass;
mod polygon;
mod segment;
mod sweep;

pub use capsule::Capsule;
pub use cast::{CastHit, RayHit, cast};
pub use circle::Circle;
pub use distance::{Proxy, Separation, distance, geometry_distance, overlap};
pub use hull::convex_hull;
pub use mass::MassData;
pub use polygon::{MAX_POLYGON_VERTICES, Polygon};
pub use segment::Segment;
pub use sweep::{Meeting, Sweep, time_of_impact};

use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, clamp};
use mass::Moments;

/// The largest size of a shape, in metres.
pub const MAX_EXTENT: f32 = 1.0e6;
/// The smallest size of a shape, in metres: radius, width, height or length.
pub const MIN_EXTENT: f32 = 1.0e-5;
/// The largest coordinate of a shape in its body's frame, in metres.
pub const MAX_COORDINATE: f32 = 1.0e7;

/// A convex shape in the coordinates of its body.
// A polygon is far larger than the rest, and is the common case: a box for it would put the
// vertices of every shape of a stack behind one more pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Geometry {
    /// A disc.
    Circle(Circle),
    /// Everything within a radius of a segment.
    Capsule(Capsule),
    /// A line segment without thickness. It has two sides and no mass.
    Segment(Segment),
    /// A convex polygon, with rounded corners if it has a radius.
    Polygon(Polygon),
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

    /// The convex hull of a set of points, in any order.
    pub fn convex(points: &[Vec2]) -> Result<Geometry, DefError> {
        Ok(Geometry::Polygon(Polygon::convex(points)?))
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
        }
    }

    /// The same shape moved by `pose`.
    pub fn transformed(&self, pose: Pose) -> Geometry {
        match self {
            Geometry::Circle(circle) => Geometry::Circle(circle.transformed(pose)),
            Geometry::Capsule(capsule) => Geometry::Capsule(capsule.transformed(pose)),
            Geometry::Segment(segment) => Geometry::Segment(segment.transformed(pose)),
            Geometry::Polygon(polygon) => Geometry::Polygon(polygon.transformed(pose)),
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
        }
    }

    /// True when a point lies in the shape, boundary included. Never true of a segment, which
    /// has no inside.
    pub fn contains(&self, point: Vec2) -> bool {
        match self {
            Geometry::Circle(circle) => circle.contains(point),
            Geometry::Capsule(capsule) => capsule.contains(point),
            Geometry::Segment(_) => false,
            Geometry::Polygon(polygon) => polygon.contains(point),
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
        }
    }

    /// The point of the shape nearest to `point`: `point` itself when it lies inside.
    pub fn closest_point(&self, point: Vec2) -> Vec2 {
        match self {
            Geometry::Circle(circle) => circle.closest_point(point),
            Geometry::Capsule(capsule) => capsule.closest_point(point),
            Geometry::Segment(segment) => segment.closest_point(point),
            Geometry::Polygon(polygon) => polygon.closest_point(point),
        }
    }

    /// The core points and the radius, as [`distance`] and [`cast()`] take them.
    pub fn proxy(&self) -> Proxy {
        match self {
            Geometry::Circle(circle) => Proxy::new(&[circle.center], circle.radius),
            Geometry::Capsule(capsule) => Proxy::new(&[capsule.a, capsule.b], capsule.radius),
            Geometry::Segment(segment) => Proxy::new(&[segment.a, segment.b], 0.0),
            Geometry::Polygon(polygon) => Proxy::new(polygon.vertices(), polygon.radius()),
        }
    }

    /// The largest distance from `center` to a point of the shape, in metres: how far the
    /// shape reaches when its body turns about `center`.
    pub fn extent(&self, center: Vec2) -> f32 {
        let (points, radius): (&[Vec2], f32) = match self {
            Geometry::Circle(circle) => (&[circle.center], circle.radius),
            Geometry::Capsule(capsule) => (&[capsule.a, capsule.b], capsule.radius),
            Geometry::Segment(segment) => (&[segment.a, segment.b], 0.0),
            Geometry::Polygon(polygon) => (polygon.vertices(), polygon.radius()),
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
    /// less than this in a step cannot pass through a wall unseen. Zero for a segment.
    pub fn inner_extent(&self) -> f32 {
        match self {
            Geometry::Circle(circle) => circle.radius,
            Geometry::Capsule(capsule) => capsule.radius,
            Geometry::Segment(_) => 0.0,
            Geometry::Polygon(polygon) => polygon.inner_extent(),
        }
    }

    /// The radius around the core, in metres: of a circle, a capsule or the corners of a
    /// polygon. Zero for sharp polygons and segments.
    #[inline]
    pub fn rounding(&self) -> f32 {
        match self {
            Geometry::Circle(circle) => circle.radius,
            Geometry::Capsule(capsule) => capsule.radius,
            Geometry::Segment(_) => 0.0,
            Geometry::Polygon(polygon) => polygon.radius(),
        }
    }

    fn moments(&self) -> Moments {
        match self {
            Geometry::Circle(circle) => Moments::of_circle(circle.center, circle.radius),
            Geometry::Capsule(capsule) => Moments::of_capsule(capsule.a, capsule.b, capsule.radius),
            Geometry::Segment(segment) => Moments::massless(0.5 * (segment.a + segment.b)),
            Geometry::Polygon(polygon) => Moments::of_polygon(polygon.vertices(), polygon.radius()),
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
