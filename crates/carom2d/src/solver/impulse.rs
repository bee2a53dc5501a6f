//! Impulses along one direction at the points of a contact, and the velocities that they change.

use super::{BlockPoint, InverseMasses, Velocities};
use carom_wide::{Lanes, Lanes2};

/// The lever arms of a direction at a point, about both centres of mass: `r_a x u` and `r_b x u`.
#[derive(Clone, Copy)]
pub(crate) struct LeverArms<L> {
    pub(crate) a: L,
    pub(crate) b: L,
}

impl<L: Lanes> LeverArms<L> {
    #[inline(always)]
    pub(crate) fn of(point: &BlockPoint, direction: Lanes2<L>, first: usize) -> LeverArms<L> {
        let (arm_a, arm_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
        LeverArms { a: arm_a.cross(direction), b: arm_b.cross(direction) }
    }

    /// The part of the point's relative velocity, b minus a, that comes from angular velocities.
    #[inline(always)]
    pub(crate) fn angular_velocity(&self, a: &Velocities<L>, b: &Velocities<L>) -> L {
        b.angular_velocity * self.b - a.angular_velocity * self.a
    }
}

/// Applies impulses along one direction, at one point or at two: their sum, and what they do to both spins.
#[inline(always)]
pub(crate) fn apply<L: Lanes, const POINTS: usize>(
    [a, b]: [&mut Velocities<L>; 2],
    [inverse_a, inverse_b]: &[InverseMasses<L>; 2],
    direction: Lanes2<L>,
    lever_arms: &[LeverArms<L>; 2],
    impulses: [L; 2],
) {
    let [p, q] = lever_arms;
    let (mut sum, mut turn_a, mut turn_b) = (impulses[0], p.a * impulses[0], p.b * impulses[0]);
    if POINTS == 2 {
        sum += impulses[1];
        turn_a += q.a * impulses[1];
        turn_b += q.b * impulses[1];
    }
    let push = direction.scale(sum);
    a.velocity = a.velocity - inverse_a.mass.times(push);
    b.velocity = b.velocity + inverse_b.mass.times(push);
    a.angular_velocity -= inverse_a.inertia * turn_a;
    b.angular_velocity += inverse_b.inertia * turn_b;
}
