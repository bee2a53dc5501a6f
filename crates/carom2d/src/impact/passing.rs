//! Which contacts take part in an impact because one of their bodies is driven on by it.

use crate::body::{Body, BodyId, BodyKind, NONE};
use crate::collide::SPECULATIVE_DISTANCE;
use crate::contact::{Contact, Impact, contact_of, side_of};
use crate::math::{max, min};
use crate::stage::foresee::{BOUNCY, Impacts};
use crate::world::WorldState;
use carom_core::Pool;

/// The cosine from which on a neighbour is in the way of an impact: others take less than half of it.
const IN_THE_WAY: f32 = 0.5;
/// Impacts are passed on if the solver alone would let them show: if a body would go on by this many metres in a step.
const HARD: f32 = 4.0 * SPECULATIVE_DISTANCE;
/// A body that is so many times as heavy as the one that hits it passes nothing on.
const HEAVY: f32 = 10.0;

/// True when an impact, of bodies that would come `way` metres nearer in the step, is not left to the solver alone.
///
/// A body of mass `m` that falls onto one of mass `M`, which rests on the ground, keeps the share `m / (m + M)` of its speed
/// in each pass. So the way that it goes on is about `(1 + m / M) / 2` of that of a sub-step.
pub(crate) fn is_hard_impact(bodies: &Pool<Body, BodyId>, contact: &Contact, way: f32) -> bool {
    let is_dynamic = |body: u32| bodies[body].kind == BodyKind::Dynamic;
    if way > HARD || !(is_dynamic(contact.body_a) && is_dynamic(contact.body_b)) {
        return way > HARD;
    }
    let [a, b] = [contact.body_a, contact.body_b].map(|body| bodies[body].mass);
    way * 0.5 * (1.0 + max(a, b) / max(min(a, b), f32::MIN_POSITIVE)) > HARD
}

/// Marks the contacts that will pass an impact on.
///
/// A body that is hit without a rebound moves on with the body that hit it, into what it rests on: a brick that falls onto
/// another one would press it into the floor for a step. So the contacts of a body that is hit take part in the passes of
/// `restitution.rs`, which follow each other until nothing approaches.
pub(crate) fn pass_on_impacts(world: &mut WorldState, dt: f32, impacts: &mut Impacts) {
    let Impacts { impacted, reached, next, expected, .. } = impacts;
    reached.clear();
    next.clear();
    let WorldState { contacts, bodies, .. } = world;
    // A body that another one cannot move, or hardly, passes nothing on.
    let moves = |body: u32, by: u32| {
        let (record, other) = (&bodies[body], &bodies[by]);
        record.kind == BodyKind::Dynamic && (other.kind != BodyKind::Dynamic || record.mass < HEAVY * other.mass)
    };
    for contact in impacted.iter().map(|&index| &contacts[index]) {
        let points = &contact.manifold.points[..contact.manifold.count as usize];
        let way = points.iter().map(|point| -point.approach_velocity * dt).fold(0.0, max);
        if contact.material.restitution < BOUNCY && is_hard_impact(bodies, contact, way) {
            let [a, b] = [contact.body_a, contact.body_b];
            reached.extend(moves(a, b).then_some((a, -contact.manifold.normal)));
            reached.extend(moves(b, a).then_some((b, contact.manifold.normal)));
        }
    }
    // What a neighbour passes on itself is left to the solver: passed on from neighbour to neighbour, the impacts of a pile that
    // lands would be taken once more in a step of a microsecond, at 17 m/s.
    for &(body, direction) in &*reached {
        let mut edge = bodies[body].contact_head;
        while edge != NONE {
            let (index, side) = (contact_of(edge), side_of(edge));
            let contact = &contacts[index];
            edge = contact.edges[side].next;
            let away = if side == 0 { contact.manifold.normal } else { -contact.manifold.normal };
            let takes_part = !contact.is_impact() && contact.manifold.count > 0 && !contact.sensor;
            if takes_part && away.dot(direction) > IN_THE_WAY {
                next.push(index);
            }
        }
    }
    for &index in &*next {
        contacts[index].impact = Impact::PassedOn;
        expected.insert(index);
    }
}
