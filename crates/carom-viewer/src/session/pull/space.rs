//! The pull on a body in space.

use super::{Hold, MOST_ACCELERATION, Spring, TURN_LOSS};
use carom3d::math::DVec3;
use carom3d::{BodyId, BodyKind, World};

/// How quickly the held point follows, in Hz.
const HERTZ: f64 = 5.0;

impl Hold<BodyId, DVec3> {
    /// Pulls with the force of a damped spring for one step of `dt` seconds.
    pub(super) fn pull(&self, world: &mut World, dt: f64) {
        let gravity = world.def().gravity;
        let Some(mut body) = world.get_body_mut(self.body) else { return };
        let state = body.get();
        if state.kind() != BodyKind::Dynamic || state.is_frozen() || dt <= 0.0 {
            return;
        }
        let (mass, spin) = (state.mass(), state.spin());
        let point = state.world_point(self.local);
        // A push off the centre moves the held point by more than 1/m: by at most so much for a body of any shape.
        let arm = point - state.position();
        let yielding = 1.0 / mass + arm.length_squared() / state.inertia().min_element();
        let spring = Spring::new(HERTZ, dt);
        let wrong = state.velocity_at(point) + (point - self.target) * spring.rate;
        // Gravity is about to act for the same step: the hand carries the body's weight.
        let force = wrong * (-spring.mended / (yielding * dt)) - gravity * mass;
        let force = force.clamp_length_max(MOST_ACCELERATION * mass);
        // These fail only for numbers that are not finite; then the hand does nothing.
        body.apply_force_at(force, point).ok();
        body.apply_torque(spin * -TURN_LOSS).ok();
    }
}
