//! The shortest vector n from a particle to another object, and the distance at which they touch.
//!
//! particle  n = x_j - x_i
//! edge      n = a + alpha e - x, e = b - a, alpha = (x - a).e / e.e held to [0, 1]
//! half-plane  n = ((p - x).h / h.h) h: signed, so that behind the surface it points out of the solid

use crate::model::{HalfPlane, Model};
use glam::DVec2;

/// How near a particle is to another object.
pub(crate) struct Proximity {
    /// Shortest vector from the particle to the other object.
    pub(crate) n: DVec2,
    /// Radii of the two; none for a half-plane.
    pub(crate) radii: [f64; 2],
    /// For an edge, where on it the nearest point is: 0 at its first end, 1 at its second.
    pub(crate) alpha: f64,
}

impl Proximity {
    #[inline]
    pub(crate) fn particles(model: &Model, positions: &[DVec2], i: usize, j: usize) -> Proximity {
        Proximity { n: positions[j] - positions[i], radii: [model.radii[i], model.radii[j]], alpha: 0.0 }
    }

    #[inline]
    pub(crate) fn particle_edge(model: &Model, positions: &[DVec2], i: usize, edge: usize) -> Proximity {
        let edge = &model.edges[edge];
        let [a, b] = edge.ends.map(|end| positions[end]);
        let x = positions[i];
        let e = b - a;
        let alpha = hold_to_unit((x - a).dot(e) / e.dot(e));
        Proximity { n: a + alpha * e - x, radii: [model.radii[i], edge.radius], alpha }
    }

    /// n with the normal brought to length 1 first, as the simple handler does. The other order of operations, which
    /// the penalty force uses, differs in the last bit; collisions of the original are only met with its own.
    #[inline]
    pub(crate) fn particle_half_plane(model: &Model, positions: &[DVec2], i: usize, half_plane: usize) -> Proximity {
        let HalfPlane { point, normal } = model.half_planes[half_plane];
        let u = normal * (1.0 / normal.length());
        Proximity { n: (point - positions[i]).dot(u) * u, radii: [model.radii[i], 0.0], alpha: 0.0 }
    }

    /// n by the formula as it stands, as the penalty force does.
    #[inline]
    pub(crate) fn particle_half_plane_direct(
        model: &Model,
        positions: &[DVec2],
        i: usize,
        half_plane: usize,
    ) -> Proximity {
        let HalfPlane { point, normal: h } = model.half_planes[half_plane];
        let n = (point - positions[i]).dot(h) / h.dot(h) * h;
        Proximity { n, radii: [model.radii[i], 0.0], alpha: 0.0 }
    }

    #[inline]
    pub(crate) fn overlaps(&self) -> bool {
        self.n.length() < self.radii[0] + self.radii[1]
    }
}

/// Holds a number to [0, 1]; NaN, from an edge without length, counts as 0.
#[inline]
pub(crate) fn hold_to_unit(alpha: f64) -> f64 {
    if alpha > 1.0 {
        1.0
    } else if alpha > 0.0 {
        alpha
    } else {
        0.0
    }
}
