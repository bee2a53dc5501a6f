//! Forces change velocities; velocities change positions.
//!
//! Symplectic Euler: `v += h a`, then `x += h v`. Where nothing carries a body, the known error of
//! that rule, `h^2 a / 2` per sub-step, is taken back, so free flight follows the exact parabola.
//! A body under load keeps the plain rule: there the velocity is the constraint's answer, and a
//! correction would lift the body off what carries it.

use super::StepContext;
use crate::body::BodyState;
use crate::math::{Vec2, max};
use crate::world::World;

/// How many bodies a thread takes at a time.
const BODIES: usize = 256;

pub(crate) fn integrate_velocities(world: &mut World, context: &StepContext) {
    let h = context.h;
    let awake = world.sets.awake_mut();
    for (sim, state) in awake.sims.iter().zip(&mut awake.states) {
        if state.flags & BodyState::MOVABLE == 0 {
            continue;
        }
        let gravity = context.gravity * sim.gravity_scale;
        let acceleration = Vec2::new(
            if sim.inv_mass.x > 0.0 { gravity.x + sim.force.x * sim.inv_mass.x } else { 0.0 },
            if sim.inv_mass.y > 0.0 { gravity.y + sim.force.y * sim.inv_mass.y } else { 0.0 },
        );
        let kick = acceleration * h;
        let mut velocity = state.velocity * damped(h * sim.linear_damping) + kick;
        let mut angular_velocity =
            state.angular_velocity * damped(h * sim.angular_damping) + h * sim.inv_inertia * sim.torque;
        if sim.inv_mass.x == 0.0 {
            velocity.x = 0.0;
        }
        if sim.inv_mass.y == 0.0 {
            velocity.y = 0.0;
        }
        if sim.inv_inertia == 0.0 {
            angular_velocity = 0.0;
        }
        let speed = velocity.length();
        if speed > context.max_speed {
            // Scaled first: the square of a huge speed is infinite.
            velocity *= 1.0 / max(velocity.x.abs(), velocity.y.abs());
            velocity *= context.max_speed / velocity.length();
        }
        if angular_velocity.abs() > context.max_angular_speed {
            angular_velocity = context.max_angular_speed.copysign(angular_velocity);
        }
        if state.flags & BodyState::LOADED == 0 {
            state.delta_position -= kick * (0.5 * h);
        }
        state.flags &= !BodyState::LOADED;
        state.velocity = velocity;
        state.angular_velocity = angular_velocity;
        if !state.is_finite() {
            // Do not let it reach anything else; the end of the step reports it.
            *state = BodyState { flags: state.flags | BodyState::BROKEN, ..BodyState::REST };
        }
    }
}

/// What damping leaves of a velocity over a sub-step, for `x = h * damping`.
///
/// `1 - x` makes both ends exact: what rests keeps its full weight, since only the old velocity is damped,
/// and what falls reaches the speed at which damping and gravity balance. From one half on it goes over into
/// a curve that never reaches zero, so that any coefficient is stable.
#[inline]
fn damped(x: f32) -> f32 {
    if x <= 0.5 { 1.0 - x } else { 0.25 / x }
}

pub(crate) fn integrate_positions(world: &mut World, context: &StepContext) {
    let h = context.h;
    context.crew.for_chunks(&mut world.sets.awake_mut().states, BODIES, |_, states| {
        for state in states {
            state.delta_position += state.velocity * h;
            state.delta_rotation = state.delta_rotation.turned(state.angular_velocity * h);
        }
    });
}
