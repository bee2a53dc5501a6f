use super::{Rot, Vec2};

/// A position and a rotation: where a body or a shape is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Pose {
    /// Position of the origin.
    pub p: Vec2,
    /// Rotation about the origin.
    pub q: Rot,
}

impl Pose {
    /// At the origin, not rotated.
    pub const IDENTITY: Pose = Pose { p: Vec2::ZERO, q: Rot::IDENTITY };

    /// A pose from a position and an angle in radians.
    #[inline]
    pub fn new(p: Vec2, angle: f32) -> Pose {
        Pose { p, q: Rot::from_angle(angle) }
    }

    /// A pose without rotation.
    #[inline]
    pub const fn at(p: Vec2) -> Pose {
        Pose { p, q: Rot::IDENTITY }
    }

    /// A local point in world coordinates.
    #[inline]
    pub fn point(self, local: Vec2) -> Vec2 {
        self.q.rotate(local) + self.p
    }

    /// A world point in local coordinates.
    #[inline]
    pub fn inv_point(self, world: Vec2) -> Vec2 {
        self.q.inv_rotate(world - self.p)
    }

    /// `child`, given in this pose's frame, in world coordinates.
    #[inline]
    pub fn compose(self, child: Pose) -> Pose {
        Pose { p: self.point(child.p), q: self.q.compose(child.q) }
    }

    /// `other`, given in world coordinates, in this pose's frame.
    #[inline]
    pub fn inv_mul(self, other: Pose) -> Pose {
        Pose { p: self.inv_point(other.p), q: self.q.inv_mul(other.q) }
    }

    /// The pose between this one, at 0, and another one, at 1: the position on a straight line, the rotation by its unit
    /// vector, which is exact enough for the turn of a step.
    #[inline]
    pub fn interpolated(self, to: Pose, alpha: f32) -> Pose {
        let from = self;
        let q = Rot { c: from.q.c + alpha * (to.q.c - from.q.c), s: from.q.s + alpha * (to.q.s - from.q.s) };
        // Half a turn within a step passes through zero, which has no direction.
        let q = if q.c.abs() + q.s.abs() > 1.0e-3 { q.normalized() } else { to.q };
        Pose { p: from.p + (to.p - from.p) * alpha, q }
    }

    /// True when every number is finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.p.is_finite() && self.q.is_finite()
    }
}
