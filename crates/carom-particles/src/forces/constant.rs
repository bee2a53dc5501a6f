//! F_a = f, U = -sum f . x_a

use super::{DerivativeBlock, Force};
use crate::model::State;
use glam::DVec2;

/// The same force on every particle, whatever its mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantForce {
    /// In N.
    pub force: DVec2,
}

impl Force for ConstantForce {
    fn add_force(&self, _: &[f64], _: &State, out: &mut [DVec2]) {
        out.iter_mut().for_each(|force| *force += self.force);
    }

    fn potential(&self, _: &[f64], positions: &[DVec2]) -> f64 {
        positions.iter().map(|x| -self.force.dot(*x)).sum()
    }

    fn add_derivatives(&self, _: &[f64], _: &State, _: &mut dyn FnMut(DerivativeBlock)) {}
}
