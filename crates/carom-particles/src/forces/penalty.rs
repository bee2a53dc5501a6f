//! F on the particle = k (|n| - D) n/|n| where |n| < D, with D = sum of the radii + thickness
//!
//! n is the shortest vector from the particle to the other object (see `collide::proximity`). The other object takes
//! the opposite force, an edge shared between its ends as (1 - alpha) and alpha, a half-plane not at all. Its
//! derivative is taken as zero by the implicit integrators, as the original does, and it counts as no energy.
//!
//! Half-planes keep their signed n: a centre behind the surface is pushed further in.

use crate::collide::{BroadPhase, Grid, Pairs, Proximity, sweep};
use crate::model::Model;
use glam::DVec2;

/// Spring-like repulsion between everything that comes close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// k in N/m. Raising it keeps things further apart and asks for shorter steps. Default in scene files: 100.
    pub stiffness: f64,
    /// Distance in m between surfaces at which it sets in. Default in scene files: 0.01.
    pub thickness: f64,
}

impl Default for Penalty {
    fn default() -> Self {
        Penalty { stiffness: 100.0, thickness: 0.01 }
    }
}

/// Below this distance there is no direction to push in.
const MIN_DISTANCE: f64 = 1e-10;

impl Penalty {
    pub(crate) fn add_force(
        &self,
        model: &Model,
        positions: &[DVec2],
        broad_phase: BroadPhase,
        grid: &mut Grid,
        out: &mut [DVec2],
    ) {
        let mut push = Push { penalty: self, model, positions, out };
        sweep(broad_phase, model, positions, self.thickness, grid, &mut push);
    }
}

struct Push<'a> {
    penalty: &'a Penalty,
    model: &'a Model,
    positions: &'a [DVec2],
    out: &'a mut [DVec2],
}

impl Push<'_> {
    /// k (|n| - D) n/|n|: along -n, since |n| < D.
    #[inline]
    fn force(&self, near: &Proximity) -> Option<DVec2> {
        let length = near.n.length();
        let [r_i, r_j] = near.radii;
        // One radius after the other, as the original does, for the sake of the last bit.
        let gap = length - r_i - r_j - self.penalty.thickness;
        (gap < 0.0 && length >= MIN_DISTANCE).then(|| self.penalty.stiffness * gap * (near.n * (1.0 / length)))
    }
}

impl Pairs for Push<'_> {
    #[inline]
    fn particles(&mut self, i: usize, j: usize) {
        if let Some(q) = self.force(&Proximity::particles(self.model, self.positions, i, j)) {
            self.out[i] += q;
            self.out[j] -= q;
        }
    }

    #[inline]
    fn particle_edge(&mut self, i: usize, edge: usize) {
        let near = Proximity::particle_edge(self.model, self.positions, i, edge);
        if let Some(q) = self.force(&near) {
            let [a, b] = self.model.edges[edge].ends;
            self.out[i] += q;
            self.out[a] -= (1.0 - near.alpha) * q;
            self.out[b] -= near.alpha * q;
        }
    }

    #[inline]
    fn particle_half_plane(&mut self, i: usize, half_plane: usize) {
        let near = Proximity::particle_half_plane_direct(self.model, self.positions, i, half_plane);
        if let Some(q) = self.force(&near) {
            self.out[i] += q;
        }
    }
}
