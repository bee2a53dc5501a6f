//! Where the two frames of a joint are, in the middle of a step.

use super::row::Jacobian;
use crate::math::{Rot, Vec2};

/// The frames of a joint relative to their bodies' centres of mass, in world directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    /// From the centres of mass to the frames.
    pub(crate) r_a: Vec2,
    pub(crate) r_b: Vec2,
    /// From frame a to frame b.
    pub(crate) d: Vec2,
    /// Direction of frame a.
    pub(crate) q_a: Rot,
    /// Angle of frame b against frame a; only where the joint needs it.
    pub(crate) angle: f32,
    /// World position of frame b, for what is tied to the world; coarser far from the origin.
    pub(crate) p_b: Vec2,
}

impl Frames {
    /// The velocity of frame b along `u`, seen from a body a that carries `u` with it: the derivative of
    /// `u . d`.
    #[inline]
    pub(crate) fn along(&self, u: Vec2) -> [Jacobian; 2] {
        [Jacobian::point(-u, self.r_a + self.d), Jacobian::point(u, self.r_b)]
    }

    /// The derivative of the angle.
    pub(crate) const TURN: [Jacobian; 2] =
        [Jacobian { linear: Vec2::ZERO, angular: -1.0 }, Jacobian { linear: Vec2::ZERO, angular: 1.0 }];
}
