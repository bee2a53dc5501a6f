//! The soft pull of a hand on a body.

use carom2d::math::{Vec2, cross};
use carom2d::{BodyId, BodyKind, World};

/// A body held at a point and pulled to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    pub(crate) body: BodyId,
    /// Where it is held, in its own coordinates.
    pub(crate) local: Vec2,
    /// Where the hand is, in the world.
    pub(crate) target: Vec2,
}

/// How quickly the held point follows, in Hz.
const HERTZ: f32 = 6.0;
/// No swinging about the hand, hardly a lag.
const DAMPING_RATIO: f32 = 0.9;
/// The strongest pull, in weights of the body under ordinary gravity.
const MOST_WEIGHTS: f32 = 250.0;
/// The share of its turning that a held body loses, per second.
const TURN_LOSS: f32 = 3.0;

impl Pull {
    /// Pulls with the force of a damped spring for one step of `dt` seconds.
    ///
    /// The impulse is that of an implicit step of the spring: it is stable for any mass and any step.
    /// With r from the centre of mass to the held point, the point's velocity answers to an impulse P by
    /// K P, K = (1/m) I + (1/J) [ry^2, -rx ry; -rx ry, rx^2].
    pub(crate) fn apply(&self, world: &mut World, dt: f32) {
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
        let omega = 2.0 * std::f32::consts::PI * HERTZ;
        let a1 = 2.0 * DAMPING_RATIO + dt * omega;
        let a2 = dt * omega * a1;
        let (bias_rate, mass_scale) = (omega / a1, a2 / (1.0 + a2));
        // Gravity is about to act for the same step: the hand carries the body's weight.
        let falling = gravity * (state.gravity_scale() * dt);
        let wrong = state.velocity_at(point) + falling + (point - self.target) * bias_rate;
        let goal = wrong * -mass_scale;
        let mut impulse = Vec2::new(yy * goal.x - xy * goal.y, xx * goal.y - xy * goal.x) / determinant;
        let most = MOST_WEIGHTS * 10.0 * state.mass() * dt;
        let length = impulse.length();
        if length > most {
            impulse *= most / length;
        }
        let spin = state.angular_velocity();
        let torque = -TURN_LOSS * state.inertia() * spin;
        debug_assert!(cross(r, impulse).is_finite());
        // These fail only for numbers that are not finite; then the hand does nothing.
        body.apply_force_at(impulse / dt, point).ok();
        body.apply_torque(torque).ok();
    }
}
