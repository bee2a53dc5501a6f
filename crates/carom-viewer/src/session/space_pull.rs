//! The soft pull of a hand on a body in space.

use carom3d::math::DVec3;
use carom3d::{BodyId, BodyKind, World};

/// A body held at a point and pulled to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpacePull {
    pub(crate) body: BodyId,
    /// Where it is held, in its own coordinates.
    pub(crate) local: DVec3,
    /// Where the hand is, in the world.
    pub(crate) target: DVec3,
}

/// How quickly the held point follows, in Hz.
const HERTZ: f64 = 5.0;
/// No swinging about the hand, hardly a lag.
const DAMPING_RATIO: f64 = 0.9;
/// The strongest pull, in weights of the body under ordinary gravity.
const MOST_WEIGHTS: f64 = 250.0;
/// The share of its turning that a held body loses, per second.
const TURN_LOSS: f64 = 3.0;

impl SpacePull {
    /// Pulls with the force of a damped spring for one step of `dt` seconds.
    ///
    /// The force is that of an implicit step of the spring on the mass of the body: it is stable for any step. That a
    /// body held off its centre also turns makes it softer, never stiffer.
    pub(crate) fn apply(&self, world: &mut World, dt: f64) {
        let gravity = world.def().gravity;
        let Some(mut body) = world.get_body_mut(self.body) else { return };
        let state = body.get();
        if state.kind() != BodyKind::Dynamic || state.is_frozen() || dt <= 0.0 {
            return;
        }
        let (mass, spin) = (state.mass(), state.spin());
        let point = state.world_point(self.local);
        let omega = std::f64::consts::TAU * HERTZ;
        let a1 = 2.0 * DAMPING_RATIO + dt * omega;
        let a2 = dt * omega * a1;
        let (bias_rate, mass_scale) = (omega / a1, a2 / (1.0 + a2));
        // A push off the centre moves the held point by more than 1/m: by at most so much for a body of any shape.
        let arm = point - state.position();
        let moments = state.inertia();
        let least = moments.x.min(moments.y).min(moments.z);
        let yielding = 1.0 / mass + arm.length_squared() / least;
        // Gravity is about to act for the same step: the hand carries the body's weight.
        let wrong = state.velocity_at(point) + (point - self.target) * bias_rate;
        let mut force = wrong * (-mass_scale / (yielding * dt)) - gravity * mass;
        let most = MOST_WEIGHTS * 10.0 * mass;
        let strength = force.length();
        if strength > most {
            force *= most / strength;
        }
        // These fail only for numbers that are not finite; then the hand does nothing.
        body.apply_force_at(force, point).ok();
        body.apply_torque(spin * -TURN_LOSS).ok();
    }
}
