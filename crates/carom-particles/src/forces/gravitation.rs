//! F_i = G m_i m_j / l² u, F_j = -F_i, U = -G m_i m_j / l
//!
//! Kx = G m_i m_j / l³ (1 - 3 u uᵀ)

use super::{DerivativeBlock, Force, Pair};
use crate::mat2::Mat2;
use crate::model::State;
use glam::DVec2;

/// Newton's attraction between two particles. Not softened: where they coincide it is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravitation {
    /// Indices of the particles that attract each other.
    pub particles: [usize; 2],
    /// G in N m²/kg².
    pub constant: f64,
}

impl Gravitation {
    fn strength(&self, masses: &[f64]) -> f64 {
        let [i, j] = self.particles;
        self.constant * masses[i] * masses[j]
    }
}

impl Force for Gravitation {
    fn add_force(&self, masses: &[f64], state: &State, out: &mut [DVec2]) {
        let pair = Pair::new(self.particles, state);
        pair.add_force(self.strength(masses) / (pair.l * pair.l) * pair.u, out);
    }

    fn potential(&self, masses: &[f64], positions: &[DVec2]) -> f64 {
        let [i, j] = self.particles;
        -self.strength(masses) / (positions[j] - positions[i]).length()
    }

    fn add_derivatives(&self, masses: &[f64], state: &State, add: &mut dyn FnMut(DerivativeBlock)) {
        let pair = Pair::new(self.particles, state);
        let Pair { l, u, .. } = pair;
        let shape = Mat2::IDENTITY - Mat2::outer(u, u) * 3.0;
        pair.add_derivatives(shape * (self.strength(masses) / (l * l * l)), Mat2::ZERO, add);
    }
}
