//! F_a = m_a g, U = -sum m_a g . x_a

use super::{DerivativeBlock, Force};
use crate::model::State;
use glam::DVec2;

/// The same acceleration for every particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformGravity {
    /// In m/s².
    pub acceleration: DVec2,
}

impl Force for UniformGravity {
    fn add_force(&self, masses: &[f64], _: &State, out: &mut [DVec2]) {
        for (force, &mass) in out.iter_mut().zip(masses) {
            *force += mass * self.acceleration;
        }
    }

    fn potential(&self, masses: &[f64], positions: &[DVec2]) -> f64 {
        masses.iter().zip(positions).map(|(mass, x)| -mass * self.acceleration.dot(*x)).sum()
    }

    fn add_derivatives(&self, _: &[f64], _: &State, _: &mut dyn FnMut(DerivativeBlock)) {}
}
