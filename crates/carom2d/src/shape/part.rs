//! The convex part: a link of a chain or a piece of a concave polygon, which knows what lies
//! beside it.
//!
//! Seen alone, a piece has edges that the whole has not, where the decomposition cut it, and
//! the end of a link looks like a spike to trip over. So a part remembers which of its edges
//! belong to the outline (*solid*), and for each corner the outline's normals before and
//! after it: nothing can touch the corner along a direction that is not between them. With
//! that each contact is found by one part alone, the one that the whole would have shown.

use super::cast::{RayHit, ray_edge};
use super::double::Double2;
use super::mass::Moments;
use super::{Polygon, Segment};
use crate::math::{Aabb, Pose, Vec2, cross, right_perp, unit_and_length};

/// How far a direction may lie outside of a corner's normals, as the sine of the angle:
/// rounding must not open a crack between neighbours.
const CORNER_TOLERANCE: f32 = 2.0e-3;

/// A convex part of a [`Chain`](super::Chain) or of a [`Concave`](super::Concave) polygon.
///
/// Parts are made by these two and cannot be made otherwise, because they must fit together.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    core: Core,
    /// `normals[i]` belongs to the edge from vertex `i` to the next.
    normals: Box<[Vec2]>,
    /// Bit `i` is set when edge `i` belongs to the outline of the whole.
    solid: u32,
    corners: Box<[Corner]>,
}

// Parts are shared by pointer, so the room that a link wastes is no concern but for memory, and
// chains have few links beside what a world has bodies.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
enum Core {
    /// Solid from the right, running from the first point to the second.
    Link([Vec2; 2]),
    Piece(Polygon),
}

/// What the outline does at a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    /// Outward unit normals of the outline's edges that end and begin here.
    pub(super) before: Vec2,
    pub(super) after: Vec2,
}

impl Corner {
    /// True when something can touch the corner along `outward`, a unit vector.
    fn admits(&self, outward: Vec2) -> bool {
        let Corner { before, after } = *self;
        if cross(before, after) > CORNER_TOLERANCE {
            return cross(before, outward) >= -CORNER_TOLERANCE
                && cross(outward, after) >= -CORNER_TOLERANCE
                && outward.dot(before + after) > 0.0;
        }
        // Straight on, or a corner that looks inwards: there are only the edges to touch.
        let along = |normal: Vec2| cross(normal, outward).abs() <= CORNER_TOLERANCE && normal.dot(outward) > 0.0;
        along(before) || along(after)
    }
}

impl Part {
    /// The link from `a` to `b` between links with these front normals.
    pub(super) fn link(segment: Segment, normal_before: Vec2, normal_after: Vec2) -> Part {
        let front = front_of(&segment);
        let corners = [Corner { before: normal_before, after: front }, Corner { before: front, after: normal_after }];
        Part {
            core: Core::Link([segment.a, segment.b]),
            normals: Box::new([front, -front]),
            solid: 1,
            corners: Box::new(corners),
        }
    }

    /// A piece of a polygon: which of its edges are the whole's, and the whole's corners at
    /// its vertices.
    pub(super) fn piece(polygon: Polygon, solid: u32, corners: Vec<Corner>) -> Part {
        let normals = polygon.normals().into();
        Part { core: Core::Piece(polygon), normals, solid, corners: corners.into_boxed_slice() }
    }

    /// The corners of the part, counter-clockwise, in metres; the two ends of a link.
    pub fn vertices(&self) -> &[Vec2] {
        match &self.core {
            Core::Link(ends) => ends,
            Core::Piece(polygon) => polygon.vertices(),
        }
    }

    /// The unit normals: number `i` belongs to the edge from vertex `i` to the next. A link has
    /// two, its solid front and its back.
    pub fn normals(&self) -> &[Vec2] {
        &self.normals
    }

    /// Does an edge belong to the outline of the whole? The others are cuts inside it, and the
    /// back of a link.
    pub fn is_solid(&self, edge: usize) -> bool {
        self.solid >> edge & 1 != 0
    }

    /// The polygon, or nothing for a link.
    pub fn polygon(&self) -> Option<&Polygon> {
        match &self.core {
            Core::Link(_) => None,
            Core::Piece(polygon) => Some(polygon),
        }
    }

    /// True when the whole can be touched along `outward` (a unit vector) where this part is
    /// farthest in that direction.
    pub(crate) fn admits(&self, outward: Vec2) -> bool {
        let flat = |i: usize| {
            let normal = self.normals[i];
            cross(normal, outward).abs() <= CORNER_TOLERANCE && normal.dot(outward) > 0.0
        };
        if (0..self.normals.len()).any(|i| self.is_solid(i) && flat(i)) {
            return true;
        }
        let mut farthest = 0;
        let mut farthest_along = f32::MIN;
        for (i, vertex) in self.vertices().iter().enumerate() {
            let along = vertex.dot(outward);
            if along > farthest_along {
                (farthest, farthest_along) = (i, along);
            }
        }
        self.corners[farthest].admits(outward)
    }

    /// The same for a vertex known by its number.
    pub(crate) fn corner_admits(&self, vertex: usize, outward: Vec2) -> bool {
        self.corners[vertex].admits(outward)
    }

    /// The outline's normals before and after a vertex that sticks out, between which it can be
    /// touched.
    pub(crate) fn corner_normals(&self, vertex: usize) -> Option<(Vec2, Vec2)> {
        let Corner { before, after } = self.corners[vertex];
        (cross(before, after) > 0.0).then_some((before, after))
    }

    /// True for things that a link lets pass: those whose middle is behind it.
    pub(crate) fn lets_pass(&self, middle: Vec2) -> bool {
        match &self.core {
            Core::Link([a, _]) => self.normals[0].dot(middle - *a) < 0.0,
            Core::Piece(_) => false,
        }
    }

    /// True when a point is behind none of the cuts. Of the pieces around a point in a polygon one
    /// holds it, or two if it is on a cut; that one must find a way out for what is there.
    pub(crate) fn holds(&self, point: Vec2) -> bool {
        let behind = |i: usize| self.normals[i].dot(point - self.vertices()[i]) > 0.0;
        !(0..self.normals.len()).any(|i| !self.is_solid(i) && behind(i))
    }

    pub(super) fn transformed(&self, pose: Pose) -> Part {
        let core = match &self.core {
            Core::Link(ends) => Core::Link(ends.map(|end| pose.point(end))),
            Core::Piece(polygon) => Core::Piece(polygon.transformed(pose)),
        };
        let turn =
            |corner: &Corner| Corner { before: pose.q.rotate(corner.before), after: pose.q.rotate(corner.after) };
        Part {
            core,
            normals: self.normals.iter().map(|&normal| pose.q.rotate(normal)).collect(),
            solid: self.solid,
            corners: self.corners.iter().map(turn).collect(),
        }
    }

    #[inline]
    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        match &self.core {
            &Core::Link([a, b]) => Segment { a, b }.aabb(pose),
            Core::Piece(polygon) => polygon.aabb(pose),
        }
    }

    pub(super) fn contains(&self, point: Vec2) -> bool {
        match &self.core {
            Core::Link(_) => false,
            Core::Piece(polygon) => contains_exactly(polygon.vertices(), point),
        }
    }

    /// A link is met from its front only.
    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        match &self.core {
            &Core::Link([a, b]) => ray_edge(a, b, self.normals[0], origin, translation, max_fraction),
            Core::Piece(polygon) => polygon.ray(origin, translation, max_fraction),
        }
    }

    pub(super) fn closest_point(&self, point: Vec2) -> Vec2 {
        match &self.core {
            &Core::Link([a, b]) => Segment { a, b }.closest_point(point),
            Core::Piece(polygon) => polygon.closest_point(point),
        }
    }

    pub(super) fn inner_extent(&self) -> f32 {
        match &self.core {
            Core::Link(_) => 0.0,
            Core::Piece(polygon) => polygon.inner_extent(),
        }
    }

    pub(super) fn centroid(&self) -> Vec2 {
        match &self.core {
            &Core::Link([a, b]) => 0.5 * (a + b),
            Core::Piece(polygon) => polygon.centroid(),
        }
    }

    pub(super) fn moments(&self) -> Moments {
        match &self.core {
            Core::Link(_) => Moments::massless(self.centroid()),
            Core::Piece(polygon) => Moments::of_polygon(polygon.vertices(), 0.0),
        }
    }
}

/// The normal on the solid side of a link: on the right of its direction.
pub(super) fn front_of(segment: &Segment) -> Vec2 {
    right_perp(unit_and_length(segment.b - segment.a).0)
}

/// In f64, where a point at a cut is on one side or on the other, never beyond both.
fn contains_exactly(vertices: &[Vec2], point: Vec2) -> bool {
    let p = Double2::from(point);
    let count = vertices.len();
    (0..count).all(|i| {
        let (a, b) = (Double2::from(vertices[i]), Double2::from(vertices[(i + 1) % count]));
        (b - a).cross(p - a) >= 0.0
    })
}
