//! The capsule: a segment and a radius.

use super::cast::{RayHit, ray_circle, ray_edge};
use super::{MIN_EXTENT, closest_on_segment, valid_extent, valid_point};
use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, max2, min2, right_perp, unit_and_length};

/// Everything within a radius of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Capsule {
    /// The centre of one end, in metres, in the body's frame.
    pub a: Vec2,
    /// The centre of the other end, in metres: 1e-5 to 1e6 from `a`.
    pub b: Vec2,
    /// The radius, in metres: 1e-5 to 1e6.
    pub radius: f32,
}

impl Capsule {
    /// A capsule from the centres of its ends and its radius.
    pub fn new(a: Vec2, b: Vec2, radius: f32) -> Result<Capsule, DefError> {
        let capsule = Capsule { a, b, radius };
        capsule.validate()?;
        Ok(capsule)
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        valid_point("Capsule.a", self.a)?;
        valid_point("Capsule.b", self.b)?;
        valid_extent("Capsule.radius", self.radius)?;
        let length = (self.b - self.a).length();
        if length < MIN_EXTENT {
            return Err(DefError::field(
                "Capsule.b",
                self.b,
                "a point at least 1e-5 m away from Capsule.a; a capsule without length is a circle",
            ));
        }
        valid_extent("Capsule.length", length)
    }

    pub(super) fn transformed(&self, pose: Pose) -> Capsule {
        Capsule { a: pose.point(self.a), b: pose.point(self.b), radius: self.radius }
    }

    #[inline]
    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        let (a, b) = (pose.point(self.a), pose.point(self.b));
        Aabb::new(min2(a, b), max2(a, b)).grown(self.radius)
    }

    pub(super) fn contains(&self, point: Vec2) -> bool {
        (point - closest_on_segment(self.a, self.b, point)).length_squared() <= self.radius * self.radius
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        if self.contains(origin) {
            return Some(RayHit::inside(origin));
        }
        // The boundary is part of two straight sides and two circles, so the first of the
        // four hits is the answer.
        let (Capsule { a, b, radius }, (direction, _)) = (*self, unit_and_length(self.b - self.a));
        let normal = right_perp(direction);
        let offset = normal * radius;
        RayHit::first([
            ray_edge(a + offset, b + offset, normal, origin, translation, max_fraction),
            ray_edge(a - offset, b - offset, -normal, origin, translation, max_fraction),
            ray_circle(a, radius, origin, translation, max_fraction),
            ray_circle(b, radius, origin, translation, max_fraction),
        ])
    }

    pub(super) fn closest_point(&self, point: Vec2) -> Vec2 {
        let core = closest_on_segment(self.a, self.b, point);
        let (direction, distance) = unit_and_length(point - core);
        if distance <= self.radius { point } else { core + direction * self.radius }
    }
}
