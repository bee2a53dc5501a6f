//! F_j = w, F_i = -w with w = kvc/l² (kbs R u - dv), R a quarter turn; no potential
//!
//! Kx = -kvc/l³ (kbs R (1 - 3 u uᵀ) + 2 dv uᵀ), Kv = kvc/l² 1
//!
//! Symbols: kbs the speed that is aimed at (after Biot and Savart), kvc how hard it is enforced.

use super::{DerivativeBlock, Force, Pair};
use crate::mat2::Mat2;
use crate::model::State;
use glam::DVec2;

/// Makes particle j circle particle i, as if carried round by a vortex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vortex {
    /// Indices: the centre i, and j which circles it.
    pub particles: [usize; 2],
    /// Speed aimed at, in m/s: `kbs` of scene files.
    pub speed: f64,
    /// Strength in N s m: `kvc` of scene files.
    pub strength: f64,
}

impl Force for Vortex {
    fn add_force(&self, _: &[f64], state: &State, out: &mut [DVec2]) {
        let pair = Pair::new(self.particles, state);
        let Pair { l, u, dv, .. } = pair;
        let w = self.strength / (l * l) * (self.speed * (Mat2::QUARTER_TURN * u) - dv);
        pair.add_force(-w, out);
    }

    fn potential(&self, _: &[f64], _: &[DVec2]) -> f64 {
        0.0
    }

    fn add_derivatives(&self, _: &[f64], state: &State, add: &mut dyn FnMut(DerivativeBlock)) {
        let pair = Pair::new(self.particles, state);
        let Pair { l, u, dv, .. } = pair;
        let turning = Mat2::QUARTER_TURN * (Mat2::IDENTITY - Mat2::outer(u, u) * 3.0) * self.speed;
        let kx = (turning + Mat2::outer(dv, u) * 2.0) * (-self.strength / (l * l * l));
        pair.add_derivatives(kx, Mat2::IDENTITY * (self.strength / (l * l)), add);
    }
}
