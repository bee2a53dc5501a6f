//! Capsules and segments as polygons with two vertices.
//!
//! The two edges are the two sides. The Minkowski difference of two segments is a
//! parallelogram whose edges are theirs, so the search over edge normals in `polygon.rs` is
//! complete for these shapes, too.

use super::polygon::Outline;
use crate::math::{Vec2, right_perp, unit_and_length};
use crate::shape::Geometry;

/// The vertices and normals of a capsule's or a segment's core.
pub(super) struct TwoGon {
    vertices: [Vec2; 2],
    normals: [Vec2; 2],
    radius: f32,
}

impl TwoGon {
    #[inline]
    pub(super) fn new(geometry: &Geometry) -> TwoGon {
        let (a, b, radius) = match geometry {
            Geometry::Capsule(capsule) => (capsule.a, capsule.b, capsule.radius),
            Geometry::Segment(segment) => (segment.a, segment.b, 0.0),
            _ => unreachable!("only capsules and segments have two vertices"),
        };
        let (direction, _) = unit_and_length(b - a);
        let normal = right_perp(direction);
        TwoGon { vertices: [a, b], normals: [normal, -normal], radius }
    }

    #[inline]
    pub(super) fn outline(&self) -> Outline<'_> {
        Outline { vertices: &self.vertices, normals: &self.normals, radius: self.radius, part: None }
    }
}
