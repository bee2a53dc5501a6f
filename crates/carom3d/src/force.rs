//! Forces that the user computes.

use crate::body::{BodyId, BodyState};
use crate::math::DVec3;
use std::fmt::Debug;

/// A force in N through a body's centre and a torque in N m about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// In N.
    pub force: DVec3,
    /// In N m.
    pub torque: DVec3,
}

/// A force on every dynamic body that depends on where it is and how it moves: wind, a whirl, a magnet.
///
/// It is asked at every stage of the integrator, so it must depend on its arguments alone.
///
/// ```
/// use carom3d::prelude::*;
/// use std::sync::Arc;
///
/// /// Air that moves along x.
/// #[derive(Debug)]
/// struct Wind { speed: f64 }
///
/// impl ForceField for Wind {
///     fn wrench(&self, _: BodyId, _: f64, state: &BodyState, _: f64) -> Wrench {
///         Wrench { force: (DVec3::X * self.speed - state.velocity) * 0.5, ..Wrench::default() }
///     }
/// }
///
/// let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
/// let ball = world.add_body(BodyDef::sphere(0.1))?;
/// world.add_force_field(Arc::new(Wind { speed: 3.0 }));
/// for _ in 0..600 {
///     world.step(1.0 / 60.0);
/// }
/// let expected = 3.0 * (1.0 - (-5.0_f64).exp());
/// assert!((world.body(ball).velocity().x - expected).abs() < 1.0e-6);
/// # Ok::<(), DefError>(())
/// ```
pub trait ForceField: Debug + Send + Sync {
    /// The force and torque on a body of `mass` kg at `time_s` of the world's clock.
    fn wrench(&self, body: BodyId, mass: f64, state: &BodyState, time_s: f64) -> Wrench;
}
