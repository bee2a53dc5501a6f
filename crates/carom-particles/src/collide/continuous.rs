//! The continuous handler: impulses at the times of impact.
//!
//! During the step every particle follows a straight path from where it was to where the integrator took it. Impacts
//! are found on these paths and answered in order of time, for each particle its first; an impulse bends the rest of
//! the path. Bent paths are then looked at again, until nothing more is met. What still collides after many rounds is
//! held where it touched for the rest of the step, so that it does not pass.
//!
//! Nothing passes through what does not move. Two moving particles may rarely end a step overlapping, when one was
//! answered for a later impact before the other was sent its way; they are parted at the start of the next step.

use super::broad::{BroadPhase, Grid, Pairs, sweep_paths};
use super::impact::{Impact, half_plane_impact, particle_edge_impact, particle_impact};
use super::response::{push_off_half_plane, push_particle_edge, push_particles};
use super::{Contact, ContactKind, ContinuousCollisions};
use crate::model::{Model, State};
use glam::DVec2;

/// Rounds of impulses before what is left is held.
const MAX_ROUNDS: usize = 100;
/// Rounds of holding; each holds particles that moved before.
const MAX_HOLD_ROUNDS: usize = 100;

/// Things without thickness touch at this distance in m, since with none there is no direction to push in.
const MIN_REACH: f64 = 1e-9;

/// The path of each particle: position(t) = origin + t motion for t from `since` to 1.
#[derive(Clone, Debug, Default)]
struct Paths {
    origins: Vec<DVec2>,
    motions: Vec<DVec2>,
    since: Vec<f64>,
}

impl Paths {
    fn at(&self, i: usize, time: f64) -> DVec2 {
        self.origins[i] + time * self.motions[i]
    }

    /// From a time to the end of the step.
    fn rest(&self, i: usize, time: f64) -> [DVec2; 2] {
        [self.at(i, time), self.at(i, 1.0)]
    }

    /// The motions changed at a time: the path before it stays.
    fn bend(&mut self, i: usize, time: f64, motion: DVec2) {
        self.origins[i] = self.at(i, time) - time * motion;
        self.motions[i] = motion;
        self.since[i] = time;
    }
}

pub(crate) fn resolve_continuous(
    settings: &ContinuousCollisions,
    model: &Model,
    start: &[DVec2],
    state: &mut State,
    broad_phase: BroadPhase,
    grid: &mut Grid,
    contacts: &mut Vec<Contact>,
) {
    let motions = state.positions.iter().zip(start).map(|(end, start)| *end - *start).collect();
    let mut paths = Paths { origins: start.to_vec(), motions, since: vec![0.0; start.len()] };
    let mut is_bent = vec![false; start.len()];
    let mut touched = vec![true; start.len()];
    for round in 0..MAX_ROUNDS + MAX_HOLD_ROUNDS {
        let mut found = find(model, &paths, &touched, broad_phase, grid);
        if found.is_empty() {
            break;
        }
        // Earliest first; at the same time, in the order of the sweep, which the stable sort keeps.
        found.sort_by(|a, b| a.time.total_cmp(&b.time));
        touched.fill(false);
        for contact in found {
            let Some((impact, particles)) = impact(model, &paths, contact.kind, contact.particle, contact.other) else {
                continue;
            };
            // A path that an earlier impact has bent may meet something else first: the next round will see.
            if particles.iter().any(|&i| touched[i]) {
                continue;
            }
            let before = particles.map(|i| paths.motions[i]);
            let contact = Contact { n: impact.n, time: impact.time, ..contact };
            answer(model, &contact, impact.alpha, settings.restitution, &mut paths.motions);
            let mut after = particles.map(|i| paths.motions[i]);
            if round < MAX_ROUNDS {
                answer_if_approaching(model, &contact, impact.alpha, settings.restitution, &mut state.velocities);
                contacts.push(contact);
            } else {
                after = [DVec2::ZERO; 3];
            }
            for (&i, before) in particles.iter().zip(before) {
                paths.motions[i] = before;
            }
            for (slot, &i) in particles.iter().enumerate() {
                let is_first = !particles[..slot].contains(&i);
                if is_first && !model.is_fixed(i) && before[slot] != after[slot] {
                    paths.bend(i, impact.time, after[slot]);
                    (is_bent[i], touched[i]) = (true, true);
                }
            }
        }
    }
    for i in 0..start.len() {
        if is_bent[i] {
            state.positions[i] = paths.at(i, 1.0);
        }
    }
}

/// All impacts that involve a touched particle, in the order of the sweep.
fn find(model: &Model, paths: &Paths, touched: &[bool], broad_phase: BroadPhase, grid: &mut Grid) -> Vec<Contact> {
    let from: Vec<DVec2> = (0..touched.len()).map(|i| paths.at(i, paths.since[i])).collect();
    let to: Vec<DVec2> = (0..touched.len()).map(|i| paths.at(i, 1.0)).collect();
    let mut search = Search { model, paths, touched, found: Vec::new() };
    sweep_paths(broad_phase, model, &from, &to, MIN_REACH, grid, &mut search);
    search.found
}

struct Search<'a> {
    model: &'a Model,
    paths: &'a Paths,
    touched: &'a [bool],
    found: Vec<Contact>,
}

impl Search<'_> {
    fn look(&mut self, kind: ContactKind, particle: usize, other: usize) {
        if let Some((impact, _)) = impact(self.model, self.paths, kind, particle, other) {
            self.found.push(Contact { kind, particle, other, n: impact.n, time: impact.time });
        }
    }
}

impl Pairs for Search<'_> {
    fn particles(&mut self, i: usize, j: usize) {
        if self.touched[i] || self.touched[j] {
            self.look(ContactKind::Particle, i, j);
        }
    }

    fn particle_edge(&mut self, i: usize, edge: usize) {
        let [a, b] = self.model.edges[edge].ends;
        if self.touched[i] || self.touched[a] || self.touched[b] {
            self.look(ContactKind::Edge, i, edge);
        }
    }

    fn particle_half_plane(&mut self, i: usize, half_plane: usize) {
        if self.touched[i] {
            self.look(ContactKind::HalfPlane, i, half_plane);
        }
    }
}

/// The impact of a pair on the paths as they are now, and the particles that move with it (some named twice).
fn impact(model: &Model, paths: &Paths, kind: ContactKind, i: usize, other: usize) -> Option<(Impact, [usize; 3])> {
    let particles = match kind {
        ContactKind::Particle => [i, other, other],
        ContactKind::Edge => [i, model.edges[other].ends[0], model.edges[other].ends[1]],
        ContactKind::HalfPlane => [i, i, i],
    };
    let since = particles.iter().fold(0.0, |latest, &i| if paths.since[i] > latest { paths.since[i] } else { latest });
    let [x, a, b] = particles.map(|i| paths.rest(i, since));
    // What is not finite meets nothing.
    if [x, a, b].iter().flatten().any(|point| !point.is_finite()) {
        return None;
    }
    let reach = |radii: f64| if (0.0..MIN_REACH).contains(&radii) { MIN_REACH } else { radii };
    let impact = match kind {
        ContactKind::Particle => particle_impact(x, a, reach(model.radii[i] + model.radii[other])),
        ContactKind::Edge => particle_edge_impact(x, a, b, reach(model.radii[i] + model.edges[other].radius)),
        ContactKind::HalfPlane => {
            let half_plane = &model.half_planes[other];
            half_plane_impact(x, reach(model.radii[i]), half_plane.point, half_plane.normal)
        }
    }?;
    // Two fixed particles cannot do anything about it.
    let all_fixed = particles.iter().all(|&i| model.is_fixed(i));
    let is_push = impact.n.length() > 0.0;
    let time = since + impact.time * (1.0 - since);
    (is_push && !all_fixed).then_some((Impact { time, ..impact }, particles))
}

/// Applies the impulse of a contact to velocities, or to motions over the step: the formulas are linear in them.
fn answer(model: &Model, contact: &Contact, alpha: f64, restitution: f64, velocities: &mut [DVec2]) {
    let Contact { particle: i, other, n, .. } = *contact;
    match contact.kind {
        ContactKind::Particle => push_particles(model, velocities, i, other, n, restitution),
        ContactKind::Edge => {
            push_particle_edge(model, velocities, i, model.edges[other].ends, alpha, n, restitution);
        }
        ContactKind::HalfPlane => push_off_half_plane(&mut velocities[i], n, restitution),
    }
}

/// The velocities at the end of the step may differ from the motion over it, and may already part.
fn answer_if_approaching(model: &Model, contact: &Contact, alpha: f64, restitution: f64, velocities: &mut [DVec2]) {
    let Contact { particle: i, other, n, .. } = *contact;
    let approach = match contact.kind {
        ContactKind::Particle => velocities[i] - velocities[other],
        ContactKind::Edge => {
            let [v_a, v_b] = model.edges[other].ends.map(|end| velocities[end]);
            velocities[i] - (v_a + alpha * (v_b - v_a))
        }
        // Behind the surface n points out of the solid, and the way in is against it.
        ContactKind::HalfPlane if n.dot(model.half_planes[other].normal) > 0.0 => -velocities[i],
        ContactKind::HalfPlane => velocities[i],
    };
    if approach.dot(n) > 0.0 {
        answer(model, contact, alpha, restitution, velocities);
    }
}
