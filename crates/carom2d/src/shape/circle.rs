//! The circle: a point and a radius.

use super::cast::{RayHit, ray_circle};
use super::{valid_extent, valid_point};
use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, unit_and_length};

/// A disc.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Circle {
    /// The centre, in metres, in the body's frame.
    pub center: Vec2,
    /// The radius, in metres: 1e-5 to 1e6.
    pub radius: f32,
}

impl Circle {
    /// A circle from its centre and radius.
    pub fn new(center: Vec2, radius: f32) -> Result<Circle, DefError> {
        let circle = Circle { center, radius };
        circle.validate()?;
        Ok(circle)
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        valid_point("Circle.center", self.center)?;
        valid_extent("Circle.radius", self.radius)
    }

    pub(super) fn transformed(&self, pose: Pose) -> Circle {
        Circle { center: pose.point(self.center), radius: self.radius }
    }

    #[inline]
    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        let center = pose.point(self.center);
        Aabb::new(center, center).grown(self.radius)
    }

    pub(super) fn contains(&self, point: Vec2) -> bool {
        (point - self.center).length_squared() <= self.radius * self.radius
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        if self.contains(origin) {
            return Some(RayHit::inside(origin));
        }
        ray_circle(self.center, self.radius, origin, translation, max_fraction)
    }

    pub(super) fn closest_point(&self, point: Vec2) -> Vec2 {
        let (direction, distance) = unit_and_length(point - self.center);
        if distance <= self.radius { point } else { self.center + direction * self.radius }
    }
}
