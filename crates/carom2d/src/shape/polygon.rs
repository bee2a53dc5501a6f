//! The convex polygon, sharp or with rounded corners.

use super::cast::{RayHit, ray_circle, ray_edge};
use super::mass::Moments;
use super::{MAX_EXTENT, MIN_EXTENT, closest_on_segment, convex_hull, valid_extent, valid_point};
use crate::error::{DefError, finite};
use crate::math::{Aabb, Pose, Vec2, cross, max, max2, min2, right_perp, sin_cos, unit_and_length, vec2};

/// The most vertices a polygon can have.
pub const MAX_POLYGON_VERTICES: usize = 16;

/// A convex polygon, counter-clockwise, grown by a radius (0 for sharp corners).
///
/// The fields are private because they depend on each other: strictly convex, in order,
/// each normal perpendicular to its edge. Fixed arrays keep a polygon free of the heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polygon {
    vertices: [Vec2; MAX_POLYGON_VERTICES],
    /// `normals[i]` is the outward unit normal of the edge from vertex `i` to vertex `i + 1`.
    normals: [Vec2; MAX_POLYGON_VERTICES],
    /// Of the grown shape.
    centroid: Vec2,
    radius: f32,
    count: u8,
}

impl Polygon {
    /// A rectangle about the body's origin; full `width` and `height` in metres.
    pub fn rectangle(width: f32, height: f32) -> Result<Polygon, DefError> {
        valid_extent("Polygon.width", width)?;
        valid_extent("Polygon.height", height)?;
        let (x, y) = (0.5 * width, 0.5 * height);
        let mut polygon = Polygon::from_vertices(&[vec2(-x, -y), vec2(x, -y), vec2(x, y), vec2(-x, y)], Vec2::ZERO);
        // Exact where a square root would leave a rounding.
        polygon.normals[..4].copy_from_slice(&[Vec2::NEG_Y, Vec2::X, Vec2::Y, Vec2::NEG_X]);
        Ok(polygon)
    }

    /// A rectangle about `center`, turned by `angle` radians; full `width` and `height` in
    /// metres.
    pub fn rectangle_at(width: f32, height: f32, center: Vec2, angle: f32) -> Result<Polygon, DefError> {
        valid_point("Polygon.center", center)?;
        finite("Polygon.angle", angle)?;
        let polygon = Polygon::rectangle(width, height)?.transformed(Pose::new(center, angle));
        // Far from the origin the corners of a small rectangle round to the same point.
        polygon.validate()?;
        Ok(polygon)
    }

    /// The convex hull of a set of points: any order, any winding, duplicates allowed.
    ///
    /// Points that stick out of the line between their neighbours by less than 1e-5 of the
    /// hull's size are dropped (see [`convex_hull`]). Refused are sets without area and sets
    /// whose hull has more than [`MAX_POLYGON_VERTICES`] vertices.
    pub fn convex(points: &[Vec2]) -> Result<Polygon, DefError> {
        for &point in points {
            valid_point("Polygon.points", point)?;
        }
        let hull = convex_hull(points);
        if hull.len() < 3 {
            return Err(DefError::field("Polygon.points", points, "at least three distinct points, not all on a line"));
        }
        if hull.len() > MAX_POLYGON_VERTICES {
            return Err(DefError::field(
                "Polygon.points",
                format_args!("a set of points with {} hull vertices", hull.len()),
                "points whose convex hull has at most 16 vertices",
            ));
        }
        let centroid = Moments::of_polygon(&hull, 0.0).centroid();
        let polygon = Polygon::from_vertices(&hull, centroid);
        polygon.validate()?;
        Ok(polygon)
    }

    /// A regular polygon about the body's origin with its first vertex on the positive x
    /// axis. `sides` is 3 to 16; `circumradius`, from the centre to a vertex, is in metres.
    pub fn regular(sides: usize, circumradius: f32) -> Result<Polygon, DefError> {
        if !(3..=MAX_POLYGON_VERTICES).contains(&sides) {
            return Err(DefError::field("Polygon.sides", sides, "3 to 16"));
        }
        valid_extent("Polygon.circumradius", circumradius)?;
        let mut vertices = [Vec2::ZERO; MAX_POLYGON_VERTICES];
        for i in 0..sides {
            let (s, c) = sin_cos(std::f32::consts::TAU * (i as f32) / (sides as f32));
            vertices[i] = circumradius * vec2(c, s);
        }
        let polygon = Polygon::from_vertices(&vertices[..sides], Vec2::ZERO);
        polygon.validate()?;
        Ok(polygon)
    }

    /// The polygon that has these corners, normals, centroid and radius, to the bit: what
    /// [`Polygon::vertices`], [`Polygon::normals`], [`Polygon::centroid`] and [`Polygon::radius`] gave.
    ///
    /// Turning a polygon rounds its normals other than making it from turned corners does, so the corners
    /// alone do not bring back every polygon. They must be convex and counter-clockwise, with each normal
    /// across the edge from its corner to the next.
    pub fn from_parts(vertices: &[Vec2], normals: &[Vec2], centroid: Vec2, radius: f32) -> Result<Polygon, DefError> {
        let count = vertices.len();
        if !(3..=MAX_POLYGON_VERTICES).contains(&count) {
            return Err(DefError::field("Polygon.points", vertices, "3 to 16 points"));
        }
        for &vertex in vertices {
            valid_point("Polygon.points", vertex)?;
        }
        let mut polygon = Polygon { radius, ..Polygon::from_vertices(vertices, centroid) };
        polygon.validate_radius()?;
        // Corners far from the origin were rounded more than normals and centroid.
        let aabb = Aabb::around(vertices);
        let farthest = max(max(aabb.max.x, -aabb.min.x), max(aabb.max.y, -aabb.min.y));
        let grain = 8.0 * f32::EPSILON * farthest;
        if !aabb.grown(radius + grain).contains_point(centroid) {
            return Err(DefError::field("Polygon.centroid", centroid, "a point in the polygon"));
        }
        let fits = |i: usize| {
            let (normal, edge) = (normals[i], vertices[(i + 1) % count] - vertices[i]);
            (normal.length_squared() - 1.0).abs() <= 1.0e-3 && normal.dot(edge).abs() <= 1.0e-3 * edge.length() + grain
        };
        if normals.len() != count || !(0..count).all(fits) {
            let expected = "for each corner the unit normal of the edge to the next";
            return Err(DefError::field("Polygon.normals", normals, expected));
        }
        polygon.normals[..count].copy_from_slice(normals);
        polygon.validate()?;
        Ok(polygon)
    }

    /// The polygon with its corners rounded, grown by `radius` metres on every side: the
    /// Minkowski sum with a disc. Replaces a radius given earlier; 0 makes it sharp.
    pub fn with_radius(mut self, radius: f32) -> Result<Polygon, DefError> {
        self.radius = radius;
        self.validate_radius()?;
        // The rim is thicker at sharp corners, so the centroid moves.
        self.centroid = Moments::of_polygon(self.vertices(), radius).centroid();
        Ok(self)
    }

    /// The corners, counter-clockwise, in metres; of a rounded polygon the centres of the arcs.
    #[inline]
    pub fn vertices(&self) -> &[Vec2] {
        &self.vertices[..self.count as usize]
    }

    /// The outward unit normals: number `i` belongs to the edge from vertex `i` to the next.
    #[inline]
    pub fn normals(&self) -> &[Vec2] {
        &self.normals[..self.count as usize]
    }

    /// The radius of the corners, in metres; 0 when they are sharp.
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The centre of area, the rounded rim included.
    #[inline]
    pub fn centroid(&self) -> Vec2 {
        self.centroid
    }

    /// The vertices must be strictly convex and counter-clockwise.
    pub(super) fn from_vertices(points: &[Vec2], centroid: Vec2) -> Polygon {
        let count = points.len();
        let mut polygon = Polygon {
            vertices: [Vec2::ZERO; MAX_POLYGON_VERTICES],
            normals: [Vec2::ZERO; MAX_POLYGON_VERTICES],
            centroid,
            radius: 0.0,
            count: count as u8,
        };
        polygon.vertices[..count].copy_from_slice(points);
        for i in 0..count {
            let next = if i + 1 < count { i + 1 } else { 0 };
            let (direction, _) = unit_and_length(points[next] - points[i]);
            polygon.normals[i] = right_perp(direction);
        }
        polygon
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        let vertices = self.vertices();
        let count = vertices.len();
        for &vertex in vertices {
            valid_point("Polygon.points", vertex)?;
        }
        let aabb = Aabb::around(vertices);
        let size = aabb.max - aabb.min;
        if max(size.x, size.y) > MAX_EXTENT {
            return Err(DefError::field("Polygon.points", vertices, "points within 1e6 m of each other"));
        }
        for i in 0..count {
            let (here, next, after) = (vertices[i], vertices[(i + 1) % count], vertices[(i + 2) % count]);
            // The thickness across this edge, and a left turn at its end.
            let mut thickness = 0.0;
            for &vertex in vertices {
                thickness = max(thickness, (here - vertex).dot(self.normals[i]));
            }
            // A rectangle of the smallest allowed size has rounded a little by now.
            if thickness < 0.99 * MIN_EXTENT || cross(next - here, after - next) <= 0.0 {
                return Err(DefError::field(
                    "Polygon.points",
                    vertices,
                    "a convex polygon at least 1e-5 m thick after rounding to f32",
                ));
            }
        }
        self.validate_radius()
    }

    fn validate_radius(&self) -> Result<(), DefError> {
        if !(0.0..=MAX_EXTENT).contains(&self.radius) {
            return Err(DefError::field("Polygon.radius", self.radius, "0 to 1e6 m"));
        }
        Ok(())
    }

    pub(super) fn transformed(&self, pose: Pose) -> Polygon {
        let mut moved = *self;
        for i in 0..self.count as usize {
            moved.vertices[i] = pose.point(self.vertices[i]);
            moved.normals[i] = pose.q.rotate(self.normals[i]);
        }
        moved.centroid = pose.point(self.centroid);
        moved
    }

    #[inline]
    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        let first = pose.point(self.vertices[0]);
        let mut aabb = Aabb::new(first, first);
        for &vertex in &self.vertices()[1..] {
            let point = pose.point(vertex);
            aabb.min = min2(aabb.min, point);
            aabb.max = max2(aabb.max, point);
        }
        aabb.grown(self.radius)
    }

    pub(super) fn contains(&self, point: Vec2) -> bool {
        self.core_contains(point)
            || self.radius > 0.0 && (point - self.closest_on_rim(point)).length_squared() <= self.radius * self.radius
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        if self.contains(origin) {
            return Some(RayHit::inside(origin));
        }
        if self.radius > 0.0 {
            return self.ray_rounded(origin, translation, max_fraction);
        }
        // Cyrus and Beck: the ray is in the polygon from the last half-plane it enters to the
        // first it leaves.
        let mut enter = 0.0;
        let mut leave = max_fraction;
        let mut entered = None;
        for (&vertex, &normal) in self.vertices().iter().zip(self.normals()) {
            let numerator = normal.dot(vertex - origin);
            let denominator = normal.dot(translation);
            if denominator == 0.0 {
                if numerator < 0.0 {
                    return None;
                }
            } else {
                let fraction = numerator / denominator;
                if denominator < 0.0 {
                    if fraction >= enter {
                        enter = fraction;
                        entered = Some(normal);
                    }
                } else if fraction < leave {
                    leave = fraction;
                }
            }
            if enter > leave {
                return None;
            }
        }
        entered.map(|normal| RayHit { fraction: enter, point: origin + translation * enter, normal })
    }

    /// The boundary is part of the pushed-out edges and the corner circles: the first hit
    /// with any of them is the answer.
    fn ray_rounded(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        let vertices = self.vertices();
        let count = vertices.len();
        RayHit::first((0..count).flat_map(|i| {
            let (a, b, normal) = (vertices[i], vertices[(i + 1) % count], self.normals[i]);
            let offset = normal * self.radius;
            [
                ray_edge(a + offset, b + offset, normal, origin, translation, max_fraction),
                ray_circle(a, self.radius, origin, translation, max_fraction),
            ]
        }))
    }

    pub(super) fn closest_point(&self, point: Vec2) -> Vec2 {
        if self.core_contains(point) {
            return point;
        }
        let core = self.closest_on_rim(point);
        let (direction, distance) = unit_and_length(point - core);
        if distance <= self.radius { point } else { core + direction * self.radius }
    }

    pub(super) fn inner_extent(&self) -> f32 {
        let mut smallest = f32::MAX;
        for (&vertex, &normal) in self.vertices().iter().zip(self.normals()) {
            let distance = normal.dot(vertex - self.centroid);
            if distance < smallest {
                smallest = distance;
            }
        }
        // The centroid of the rounded shape always lies in the core, but for rounding.
        max(smallest, 0.0) + self.radius
    }

    fn core_contains(&self, point: Vec2) -> bool {
        self.vertices().iter().zip(self.normals()).all(|(&vertex, &normal)| normal.dot(point - vertex) <= 0.0)
    }

    /// The point on the edges of the core nearest to `point`.
    fn closest_on_rim(&self, point: Vec2) -> Vec2 {
        let vertices = self.vertices();
        let mut nearest = vertices[0];
        let mut nearest_squared = f32::MAX;
        let mut previous = vertices[vertices.len() - 1];
        for &vertex in vertices {
            let candidate = closest_on_segment(previous, vertex, point);
            let squared = (candidate - point).length_squared();
            if squared < nearest_squared {
                nearest = candidate;
                nearest_squared = squared;
            }
            previous = vertex;
        }
        nearest
    }
}
