//! Where the two frames of a joint are, in the middle of a step.
//!
//! A joint that is pulled apart by `d` must act on both bodies at one point, or it would put a torque `d x P` on the pair
//! as a whole. Which point between the frames is free, and matters: the torque of the arm `d` turns a body that the
//! joint itself does not hold against turning. A small disc that is pinned at its centre and has another pin on a long
//! arm is swung by it, pulls that pin apart, and gets the torque back several times as large. So the point is where
//! the torque turns the two bodies least. With `s` for the way from frame a (0) to frame b (1):
//!
//! ```text
//! a gets s d x P, b gets -(1 - s) d x P
//! g_a = I_a^-1 (m + k_b) / (m + k_a + k_b),  m = m_a^-1 + m_b^-1,  k = I^-1 r^2
//!       what is left of I_a^-1 where the joint holds a's arm (the Schur complement), likewise g_b
//! s^2 g_a + (1 - s)^2 g_b is least for s = g_b / (g_a + g_b)
//! ```

use super::row::{InverseMass, Jacobian};
use crate::math::{Rot, Vec2};

/// The frames of a joint relative to their bodies' centres of mass, in world directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    /// From the centres of mass to the frames.
    pub(crate) r_a: Vec2,
    pub(crate) r_b: Vec2,
    /// From frame a to frame b.
    pub(crate) d: Vec2,
    /// Where the joint acts between the two frames: 0 at a, 1 at b.
    pub(crate) share: f32,
    /// Direction of frame a.
    pub(crate) q_a: Rot,
    /// Angle of frame b against frame a; only where the joint needs it.
    pub(crate) angle: f32,
    /// World position of frame b, for what is tied to the world; coarser far from the origin.
    pub(crate) p_b: Vec2,
}

impl Frames {
    /// The velocity along `u` of frame b against frame a, at the point between them where the joint acts. It is the
    /// derivative of `u . d` for a `u` that turns with a and b, with a by the share.
    #[inline]
    pub(crate) fn along(&self, u: Vec2) -> [Jacobian; 2] {
        [Jacobian::point(-u, self.r_a + self.d * self.share), Jacobian::point(u, self.arm_b())]
    }

    /// From the centre of mass of b to the point where the joint acts.
    #[inline]
    pub(crate) fn arm_b(&self) -> Vec2 {
        self.r_b - (self.d - self.d * self.share)
    }

    /// The velocity of frame b along `n`, seen from a body a that carries `n` with it: the derivative of `n . d` where
    /// `d` may be long across `n`.
    #[inline]
    pub(crate) fn across(&self, n: Vec2) -> [Jacobian; 2] {
        [Jacobian::point(-n, self.r_a + self.d), Jacobian::point(n, self.r_b)]
    }

    /// The derivative of the angle.
    pub(crate) const TURN: [Jacobian; 2] =
        [Jacobian { linear: Vec2::ZERO, angular: -1.0 }, Jacobian { linear: Vec2::ZERO, angular: 1.0 }];
}

/// Where a joint with these arms acts between its frames. Bodies that cannot turn leave it to the other one.
#[inline]
pub(crate) fn share(r_a: Vec2, r_b: Vec2, a: &InverseMass, b: &InverseMass) -> f32 {
    let sum = a.linear + b.linear;
    let m = 0.5 * (sum.x + sum.y);
    let (k_a, k_b) = (a.angular * r_a.dot(r_a), b.angular * r_b.dot(r_b));
    let (g_a, g_b) = (a.angular * (m + k_b), b.angular * (m + k_a));
    if g_a + g_b > 0.0 { g_b / (g_a + g_b) } else { 0.5 }
}
