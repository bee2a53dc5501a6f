//! The simple handler: one sweep over all pairs as the integrator left them, each answered when it is found.
//!
//! A pair collides where |n| < sum of the radii and (v - v_other) . n > 0, both strictly. Velocities change at once,
//! so that each pair sees what the pairs before it did; positions never change. Each pair is looked at once.
//!
//! Half-planes keep their signed n: a centre behind the surface is a collision when it moves out, not when it moves
//! deeper. That is the original's behaviour, and agreement with it is the point of this handler.

use super::broad::{BroadPhase, Grid, Pairs, sweep};
use super::proximity::Proximity;
use super::response::{push_off_half_plane, push_particle_edge, push_particles};
use super::{Contact, ContactKind, FixedAtHalfPlane, SimpleCollisions};
use crate::model::{Model, State};
use glam::DVec2;

pub(crate) fn resolve_simple(
    settings: &SimpleCollisions,
    model: &Model,
    state: &mut State,
    broad_phase: BroadPhase,
    grid: &mut Grid,
    contacts: &mut Vec<Contact>,
) {
    let State { positions, velocities } = state;
    let mut respond = Respond { settings, model, positions, velocities, contacts };
    sweep(broad_phase, model, positions, 0.0, grid, &mut respond);
}

struct Respond<'a> {
    settings: &'a SimpleCollisions,
    model: &'a Model,
    positions: &'a [DVec2],
    velocities: &'a mut [DVec2],
    contacts: &'a mut Vec<Contact>,
}

impl Respond<'_> {
    fn record(&mut self, kind: ContactKind, particle: usize, other: usize, n: DVec2) {
        self.contacts.push(Contact { kind, particle, other, n, time: 0.0 });
    }
}

impl Pairs for Respond<'_> {
    #[inline]
    fn particles(&mut self, i: usize, j: usize) {
        let near = Proximity::particles(self.model, self.positions, i, j);
        if near.overlaps() && (self.velocities[i] - self.velocities[j]).dot(near.n) > 0.0 {
            self.record(ContactKind::Particle, i, j, near.n);
            push_particles(self.model, self.velocities, i, j, near.n, self.settings.restitution);
        }
    }

    #[inline]
    fn particle_edge(&mut self, i: usize, edge: usize) {
        let near = Proximity::particle_edge(self.model, self.positions, i, edge);
        if !near.overlaps() {
            return;
        }
        let ends = self.model.edges[edge].ends;
        let [v_a, v_b] = ends.map(|end| self.velocities[end]);
        if (self.velocities[i] - (v_a + near.alpha * (v_b - v_a))).dot(near.n) > 0.0 {
            self.record(ContactKind::Edge, i, edge, near.n);
            let restitution = self.settings.restitution;
            push_particle_edge(self.model, self.velocities, i, ends, near.alpha, near.n, restitution);
        }
    }

    #[inline]
    fn particle_half_plane(&mut self, i: usize, half_plane: usize) {
        let near = Proximity::particle_half_plane(self.model, self.positions, i, half_plane);
        if near.overlaps() && self.velocities[i].dot(near.n) > 0.0 {
            self.record(ContactKind::HalfPlane, i, half_plane, near.n);
            if !self.model.is_fixed(i) || self.settings.fixed_at_half_plane == FixedAtHalfPlane::Reflect {
                push_off_half_plane(&mut self.velocities[i], near.n, self.settings.restitution);
            }
        }
    }
}
