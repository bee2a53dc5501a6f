//! The segment: a wall without thickness.

use super::cast::{RayHit, ray_edge};
use super::{MIN_EXTENT, closest_on_segment, valid_extent, valid_point};
use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, max2, min2, right_perp, unit_and_length};

/// A line segment without thickness, solid from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment {
    /// One end, in metres, in the body's frame.
    pub a: Vec2,
    /// The other end, in metres: 1e-5 to 1e6 from `a`.
    pub b: Vec2,
}

impl Segment {
    /// A segment from its ends.
    pub fn new(a: Vec2, b: Vec2) -> Result<Segment, DefError> {
        let segment = Segment { a, b };
        segment.validate()?;
        Ok(segment)
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        valid_point("Segment.a", self.a)?;
        valid_point("Segment.b", self.b)?;
        let length = (self.b - self.a).length();
        if length < MIN_EXTENT {
            return Err(DefError::field("Segment.b", self.b, "a point at least 1e-5 m away from Segment.a"));
        }
        valid_extent("Segment.length", length)
    }

    pub(super) fn transformed(&self, pose: Pose) -> Segment {
        Segment { a: pose.point(self.a), b: pose.point(self.b) }
    }

    #[inline]
    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        let (a, b) = (pose.point(self.a), pose.point(self.b));
        Aabb::new(min2(a, b), max2(a, b))
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        let (direction, _) = unit_and_length(self.b - self.a);
        let normal = right_perp(direction);
        // Whichever side faces the ray.
        let normal = if normal.dot(translation) > 0.0 { -normal } else { normal };
        ray_edge(self.a, self.b, normal, origin, translation, max_fraction)
    }

    pub(super) fn closest_point(&self, point: Vec2) -> Vec2 {
        closest_on_segment(self.a, self.b, point)
    }
}
