//! F_a = -b v_a, Kv = b 1; no potential

use super::{DerivativeBlock, Force};
use crate::mat2::Mat2;
use crate::model::State;
use glam::DVec2;

/// Linear drag on every particle, whatever its mass and radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// b in N s/m.
    pub coefficient: f64,
}

impl Force for Drag {
    fn add_force(&self, _: &[f64], state: &State, out: &mut [DVec2]) {
        for (force, &v) in out.iter_mut().zip(&state.velocities) {
            *force -= self.coefficient * v;
        }
    }

    fn potential(&self, _: &[f64], _: &[DVec2]) -> f64 {
        0.0
    }

    fn add_derivatives(&self, _: &[f64], state: &State, add: &mut dyn FnMut(DerivativeBlock)) {
        for particle in 0..state.positions.len() {
            let kv = Mat2::IDENTITY * self.coefficient;
            add(DerivativeBlock { row: particle, column: particle, kx: Mat2::ZERO, kv });
        }
    }
}
