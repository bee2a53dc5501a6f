//! Contact constraints side by side: one block holds one contact per lane.

use crate::body::{BodyState, NONE};
use crate::math::vec2;
use carom_wide::{LANES, Wide, Wide2};

/// One point of each of a block's contacts. Lanes without such a point have zero masses, so their
/// impulses stay zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockPoint {
    /// From the centres of mass to the point, at the start of the step.
    pub(crate) anchor_a: Wide2,
    pub(crate) anchor_b: Wide2,
    /// Separation at the start of the step, less what the cores' anchors contribute to it.
    pub(crate) base_separation: Wide,
    /// Effective masses along normal and tangent: the inverse of `K = J M^-1 J^T`.
    pub(crate) normal_mass: Wide,
    pub(crate) normal_mass_inverse: Wide,
    pub(crate) tangent_mass: Wide,
    /// Impulses of the sub-step.
    pub(crate) normal_impulse: Wide,
    pub(crate) tangent_impulse: Wide,
    /// Sums of the impulses over the step.
    pub(crate) total_impulse: Wide,
    pub(crate) total_tangent: Wide,
}

/// Up to [`LANES`] contacts of one colour.
#[derive(Clone, Debug)]
pub(crate) struct ContactBlock {
    /// Places of the bodies in the awake set; `NONE` where nothing moves.
    pub(crate) body_a: [u32; LANES],
    pub(crate) body_b: [u32; LANES],
    /// Contact indices; `NONE` in unused lanes.
    pub(crate) contact: [u32; LANES],
    pub(crate) normal: Wide2,
    pub(crate) inv_mass_a: Wide2,
    pub(crate) inv_mass_b: Wide2,
    pub(crate) inv_inertia_a: Wide,
    pub(crate) inv_inertia_b: Wide,
    /// Rounding radii of the shapes: how far the surfaces are from the cores that turn.
    pub(crate) rounding_a: Wide,
    pub(crate) rounding_b: Wide,
    pub(crate) friction: Wide,
    pub(crate) surface_speed: Wide,
    pub(crate) rolling_resistance: Wide,
    pub(crate) rolling_mass: Wide,
    pub(crate) rolling_impulse: Wide,
    pub(crate) bias_rate: Wide,
    pub(crate) mass_scale: Wide,
    /// Fastest push apart, as a negative number.
    pub(crate) push_out: Wide,
    /// `impulse_scale / mass_scale` of the softness.
    pub(crate) softening: Wide,
    /// What an impulse at one point does to the normal velocity at the other: `K12`.
    pub(crate) coupling: Wide,
    pub(crate) points: [BlockPoint; 2],
}

impl ContactBlock {
    pub(crate) fn empty() -> ContactBlock {
        ContactBlock {
            body_a: [NONE; LANES],
            body_b: [NONE; LANES],
            contact: [NONE; LANES],
            normal: Wide2::ZERO,
            inv_mass_a: Wide2::ZERO,
            inv_mass_b: Wide2::ZERO,
            inv_inertia_a: Wide::ZERO,
            inv_inertia_b: Wide::ZERO,
            rounding_a: Wide::ZERO,
            rounding_b: Wide::ZERO,
            friction: Wide::ZERO,
            surface_speed: Wide::ZERO,
            rolling_resistance: Wide::ZERO,
            rolling_mass: Wide::ZERO,
            rolling_impulse: Wide::ZERO,
            bias_rate: Wide::ZERO,
            mass_scale: Wide::ZERO,
            push_out: Wide::ZERO,
            softening: Wide::ZERO,
            coupling: Wide::ZERO,
            points: [BlockPoint::default(); 2],
        }
    }
}

/// The states of one side of a block, transposed: one lane per body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideState {
    pub(crate) velocity: Wide2,
    pub(crate) angular_velocity: Wide,
    pub(crate) delta_position: Wide2,
    pub(crate) delta_c: Wide,
    pub(crate) delta_s: Wide,
}

impl WideState {
    /// Velocity of the material points at the given arms.
    #[inline(always)]
    pub(crate) fn velocity_at(&self, arm: Wide2) -> Wide2 {
        Wide2 { x: self.velocity.x - self.angular_velocity * arm.y, y: self.velocity.y + self.angular_velocity * arm.x }
    }

    /// Applies an impulse at the given arms.
    #[inline(always)]
    pub(crate) fn push(&mut self, inv_mass: Wide2, inv_inertia: Wide, arm: Wide2, impulse: Wide2) {
        self.velocity = self.velocity + inv_mass.times(impulse);
        self.angular_velocity += inv_inertia * arm.cross(impulse);
    }

    /// The same with the opposite sign.
    #[inline(always)]
    pub(crate) fn pull(&mut self, inv_mass: Wide2, inv_inertia: Wide, arm: Wide2, impulse: Wide2) {
        self.velocity = self.velocity - inv_mass.times(impulse);
        self.angular_velocity -= inv_inertia * arm.cross(impulse);
    }
}

/// Reads the states of one side of a block.
#[inline(always)]
pub(crate) fn gather(states: &[BodyState], bodies: &[u32; LANES]) -> WideState {
    let mut out = WideState {
        velocity: Wide2::ZERO,
        angular_velocity: Wide::ZERO,
        delta_position: Wide2::ZERO,
        delta_c: Wide::ZERO,
        delta_s: Wide::ZERO,
    };
    for lane in 0..LANES {
        let state = if bodies[lane] == NONE { &BodyState::REST } else { &states[bodies[lane] as usize] };
        out.velocity.x.0[lane] = state.velocity.x;
        out.velocity.y.0[lane] = state.velocity.y;
        out.angular_velocity.0[lane] = state.angular_velocity;
        out.delta_position.x.0[lane] = state.delta_position.x;
        out.delta_position.y.0[lane] = state.delta_position.y;
        out.delta_c.0[lane] = state.delta_rotation.c;
        out.delta_s.0[lane] = state.delta_rotation.s;
    }
    out
}

/// Writes the velocities of one side of a block back, to movable bodies only.
#[inline(always)]
pub(crate) fn scatter(states: &mut [BodyState], bodies: &[u32; LANES], wide: &WideState) {
    for lane in 0..LANES {
        if bodies[lane] != NONE {
            let state = &mut states[bodies[lane] as usize];
            if state.flags & BodyState::MOVABLE != 0 {
                state.velocity = vec2(wide.velocity.x.0[lane], wide.velocity.y.0[lane]);
                state.angular_velocity = wide.angular_velocity.0[lane];
            }
        }
    }
}

/// Marks the bodies of contacts that carry a load: they do not fly freely in the next sub-step.
#[inline(always)]
pub(crate) fn mark_loaded(block: &ContactBlock, states: &mut [BodyState], load: Wide) {
    for lane in 0..LANES {
        if load.0[lane] > 0.0 {
            for body in [block.body_a[lane], block.body_b[lane]] {
                if body != NONE && states[body as usize].flags & BodyState::MOVABLE != 0 {
                    states[body as usize].flags |= BodyState::LOADED;
                }
            }
        }
    }
}
