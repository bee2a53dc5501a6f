//! The pull on a body in the plane.

use super::{Hold, MOST_ACCELERATION, Spring, TURN_LOSS};
use carom2d::math::Vec2;
use carom2d::{BodyId, BodyKind, World};

/// How quickly the held point follows, in Hz.
const HERTZ: f64 = 6.0;

impl Hold<BodyId, Vec2> {
    /// Pulls with the force of a damped spring for one step of `dt` seconds.
    ///
    /// With r from the centre of mass to the held point, the point's velocity answers to an impulse P by
    /// K P, K = (1/m) I + (1/J) [ry^2, -rx ry; -rx ry, rx^2].
    pub(super) fn pull(&self, world: &mut World, dt: f32) {
        let gravity = world.gravity();
        let Some(mut body) = world.get_body_mut(self.body) else { return };
        let state = body.get();
        if state.kind() != BodyKind::Dynamic || !state.is_enabled() || state.is_frozen() {
            return;
        }
        let point = state.world_point(self.local);
        let r = point - state.center();
        let inverse = |x: f32| if x > 0.0 && x.is_finite() { 1.0 / x } else { 0.0 };
        let (m, j) = (inverse(state.mass()), inverse(state.inertia()));
        let (xx, xy, yy) = (m + j * r.y * r.y, -j * r.x * r.y, m + j * r.x * r.x);
        let determinant = xx * yy - xy * xy;
        if m == 0.0 || determinant <= 0.0 {
            return;
        }
        let spring = Spring::new(HERTZ, f64::from(dt));
        // Gravity is about to act for the same step: the hand carries the body's weight.
        let falling = gravity * (state.gravity_scale() * dt);
        let wrong = state.velocity_at(point) + falling + (point - self.target) * spring.rate as f32;
        let goal = wrong * -spring.mended as f32;
        let impulse = Vec2::new(yy * goal.x - xy * goal.y, xx * goal.y - xy * goal.x) / determinant;
        let force = (impulse / dt).clamp_length_max(MOST_ACCELERATION as f32 * state.mass());
        let torque = -TURN_LOSS as f32 * state.inertia() * state.angular_velocity();
        // These fail only for numbers that are not finite; then the hand does nothing.
        body.apply_force_at(force, point).ok();
        body.apply_torque(torque).ok();
    }
}
