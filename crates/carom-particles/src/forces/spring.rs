//! F_i = k (l - l0) u + b (u . dv) u, F_j = -F_i, U = k (l - l0)² / 2
//!
//! Kx = k (u uᵀ + (l - l0)/l (1 - u uᵀ)) + b/l ((u . dv) 1 + u dvᵀ)(1 - u uᵀ), Kv = b u uᵀ
//!
//! Symbols: u direction from i to j, l distance, dv = v_j - v_i.

use super::{DerivativeBlock, Force, Pair};
use crate::mat2::Mat2;
use crate::model::State;
use glam::DVec2;

/// A spring between two particles, with damping of the motion along it.
///
/// Where the two coincide there is no direction to push in, and the force is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Indices of the particles it joins.
    pub particles: [usize; 2],
    /// Stiffness k in N/m.
    pub stiffness: f64,
    /// Rest length l0 in m.
    pub rest_length: f64,
    /// Damping b in N s/m. Zero for none.
    pub damping: f64,
}

impl Force for Spring {
    fn add_force(&self, _: &[f64], state: &State, out: &mut [DVec2]) {
        let pair = Pair::new(self.particles, state);
        let Pair { l, u, dv, .. } = pair;
        pair.add_force(self.stiffness * (l - self.rest_length) * u, out);
        pair.add_force(self.damping * u.dot(dv) * u, out);
    }

    fn potential(&self, _: &[f64], positions: &[DVec2]) -> f64 {
        let [i, j] = self.particles;
        let stretch = (positions[j] - positions[i]).length() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }

    fn add_derivatives(&self, _: &[f64], state: &State, add: &mut dyn FnMut(DerivativeBlock)) {
        let pair = Pair::new(self.particles, state);
        let Pair { l, u, dv, .. } = pair;
        let along = Mat2::outer(u, u);
        let across = Mat2::IDENTITY - along;
        let elastic = (along + across * ((l - self.rest_length) / l)) * self.stiffness;
        let damped = (Mat2::IDENTITY * u.dot(dv) + Mat2::outer(u, dv)) * across * (self.damping / l);
        pair.add_derivatives(elastic + damped, along * self.damping, add);
    }
}
