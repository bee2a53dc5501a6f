//! Impulses along the contact normal u = n/|n|, times (1 + restitution)/2.
//!
//! Two particles, with q = (1 + r) (v_j - v_i).u:
//!   v_i += q / (1 + m_i/m_j) u,  v_j -= q / (m_j/m_i + 1) u
//! Particle 1 and an edge from 2 to 3 met at alpha, with v_e = (1-alpha) v_2 + alpha v_3, q = (1 + r) (v_e - v_1).u:
//!   v_1 += q / (1 + (1-alpha)² m_1/m_2 + alpha² m_1/m_3) u
//!   v_2 -= (1-alpha) q / (m_2/m_1 + (1-alpha)² + alpha² m_2/m_3) u
//!   v_3 -= alpha q / (m_3/m_1 + (1-alpha)² m_3/m_2 + alpha²) u
//! A half-plane: v -= (1 + r) (v.u) u
//!
//! Written so that the infinite mass of a fixed particle gives the right limit for every other particle; the fixed
//! particle itself is left alone.

use crate::model::Model;
use glam::DVec2;

/// n with length 1. Multiplied by the reciprocal, as the original does: whether two particles that were just stopped
/// against each other still approach is a matter of the last bit.
fn direction(n: DVec2) -> DVec2 {
    n * (1.0 / n.length())
}

/// The changes of velocity on both sides: of particle i, and of j or of the ends of the edge.
pub(crate) fn push_particles(model: &Model, velocities: &mut [DVec2], i: usize, j: usize, n: DVec2, restitution: f64) {
    let u = direction(n);
    let (m_i, m_j) = (model.impact_mass(i), model.impact_mass(j));
    let c = (1.0 + restitution) / 2.0;
    let q = 2.0 * c * (velocities[j] - velocities[i]).dot(u);
    if !model.is_fixed(i) {
        velocities[i] += q / (1.0 + m_i / m_j) * u;
    }
    if !model.is_fixed(j) {
        velocities[j] -= q / (m_j / m_i + 1.0) * u;
    }
}

/// See the file's header.
pub(crate) fn push_particle_edge(
    model: &Model,
    velocities: &mut [DVec2],
    i: usize,
    [a, b]: [usize; 2],
    alpha: f64,
    n: DVec2,
    restitution: f64,
) {
    let u = direction(n);
    let [m_1, m_2, m_3] = [i, a, b].map(|particle| model.impact_mass(particle));
    let beta = 1.0 - alpha;
    let v_e = beta * velocities[a] + alpha * velocities[b];
    let c = (1.0 + restitution) / 2.0;
    let q = 2.0 * c * (v_e - velocities[i]).dot(u);
    if !model.is_fixed(i) {
        velocities[i] += q / (1.0 + beta * beta * m_1 / m_2 + alpha * alpha * m_1 / m_3) * u;
    }
    // An end without a share is left out: against two fixed particles its quotient would be 0/0.
    if !model.is_fixed(a) && beta != 0.0 {
        velocities[a] -= beta * q / (m_2 / m_1 + beta * beta + alpha * alpha * m_2 / m_3) * u;
    }
    if !model.is_fixed(b) && alpha != 0.0 {
        velocities[b] -= alpha * q / (m_3 / m_1 + beta * beta * m_3 / m_2 + alpha * alpha) * u;
    }
}

/// See the file's header.
pub(crate) fn push_off_half_plane(velocity: &mut DVec2, n: DVec2, restitution: f64) {
    let u = direction(n);
    let c = (1.0 + restitution) / 2.0;
    *velocity -= 2.0 * c * velocity.dot(u) * u;
}
