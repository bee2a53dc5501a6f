//! Normals of discs that move along fixed ones turn within the step.
//!
//! A disc that rolls or slides at a speed `v` around another one, their centres `r` apart, needs a force that turns with it.
//! With one normal for the whole step it would run along a tangent, and at the next step along another one, turned by
//! `v dt / r`: over each edge of this polygon it hops, at `v^2 dt / r` against the pull `g cos a` of gravity. From half of
//! the speed on at which a disc leaves the curve, each hop is longer than a step: no load, no friction, and then an impact.
//!
//! So the normal is renewed in each sub-step, from where the centres will be in its middle: there the error is of second
//! order. The hop of a sub-step, at `v^2 h / r`, is undone by gravity within the same sub-step for as long as the disc
//! stays on the curve at all.

use super::StepContext;
use crate::body::{BodyState, NONE};
use crate::math::{Vec2, cross, cross_sv, right_perp};
use crate::solver::{Batch, BlockExtras, ContactBlock, Movers, at, response};
use carom_wide::LANES;

/// A contact whose normal turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turning {
    block: u32,
    lane: u32,
    /// From the centre of mass of a to that of b, at the start of the step.
    between: Vec2,
    /// From the centres of mass to those of the discs, likewise.
    offsets: [Vec2; 2],
}

/// Lists the contacts of some blocks whose normals turn.
pub(crate) fn list_turning(turning: &mut Vec<Turning>, blocks: &[ContactBlock], extras: &[BlockExtras]) {
    turning.clear();
    for (index, (block, extras)) in (0..).zip(blocks.iter().zip(extras)) {
        for lane in block.lanes().filter(|lane| extras.turning >> lane & 1 != 0 && !block.traits.locked) {
            let (normal, point) = (at(&block.normal, lane), &block.points[0]);
            let (anchor_a, anchor_b) = (at(&point.anchor_a, lane), at(&point.anchor_b, lane));
            let offset_a = anchor_a - normal * extras.rounding_a.0[lane];
            let offset_b = anchor_b + normal * extras.rounding_b.0[lane];
            // The anchors are halfway between the surfaces.
            let gap = point.base_separation.0[lane] + (offset_b - offset_a).dot(normal);
            let offsets = [offset_a - normal * (0.5 * gap), offset_b + normal * (0.5 * gap)];
            turning.push(Turning { block: index, lane: lane as u32, between: anchor_a - anchor_b, offsets });
        }
    }
}

/// Gives contacts the normals of a sub-step. If bodies carry the impulses of the last one (`stage/warm_start.rs`), these turn
/// as well.
pub(crate) fn turn_normals(batch: &mut Batch<'_>, context: &StepContext) {
    let Batch { turning, blocks, extras, drives, states, substep, .. } = batch;
    let again = *substep > 0 && context.method.soft;
    for contact in *turning {
        let (block, extras) = (&mut blocks[contact.block as usize], &extras[contact.block as usize]);
        let lane = contact.lane as usize;
        let places = block.bodies(lane);
        let state = |place: u32| if place == NONE { BodyState::REST } else { states[place as usize] };
        let [a, b] = places.map(state);
        let Some(normal) = contact.normal(&a, &b, context.h) else { continue };
        let before = pushes(block, lane);
        contact.renew(block, extras, lane, normal);
        if again {
            let after = pushes(block, lane);
            let inverse = block.inv_masses(extras, lane);
            for side in 0..2 {
                let ((impulse, turn), (old_impulse, old_turn)) = (after[side], before[side]);
                let (inv_mass, inv_inertia) = inverse[side];
                if places[side] != NONE && (inv_mass != Vec2::ZERO || inv_inertia != 0.0) {
                    let (drive, at) = (&mut drives[places[side] as usize / LANES], places[side] as usize % LANES);
                    let change = inv_mass * (impulse - old_impulse);
                    drive.carried.x.0[at] += change.x;
                    drive.carried.y.0[at] += change.y;
                    drive.carried_spin.0[at] += inv_inertia * (turn - old_turn);
                }
            }
        }
    }
}

/// The impulses and angular impulses of a contact on both bodies.
fn pushes(block: &ContactBlock, lane: usize) -> [(Vec2, f32); 2] {
    let (normal, point) = (at(&block.normal, lane), &block.points[0]);
    let impulse = normal * point.normal_impulse.0[lane] + right_perp(normal) * point.tangent_impulse.0[lane];
    let (arm_a, arm_b) = (at(&point.anchor_a, lane), at(&point.anchor_b, lane));
    [(-impulse, -cross(arm_a, impulse)), (impulse, cross(arm_b, impulse))]
}

impl Turning {
    /// The direction between the discs in the middle of the sub-step that begins.
    fn normal(&self, a: &BodyState, b: &BodyState, h: f32) -> Option<Vec2> {
        let middle = |state: &BodyState, offset: Vec2| {
            let offset = state.delta_rotation.rotate(offset);
            let velocity = state.velocity + cross_sv(state.angular_velocity, offset);
            state.delta_position + offset + velocity * (0.5 * h)
        };
        let between = self.between + middle(b, self.offsets[1]) - middle(a, self.offsets[0]);
        let length = between.length();
        (length > 0.0 && length.is_finite()).then(|| between / length)
    }

    /// Gives the contact another normal.
    fn renew(&self, block: &mut ContactBlock, extras: &BlockExtras, lane: usize, normal: Vec2) {
        let [(inv_mass_a, inv_inertia_a), (inv_mass_b, inv_inertia_b)] = block.inv_masses(extras, lane);
        let movers = Movers::of((inv_mass_a, inv_inertia_a), (inv_mass_b, inv_inertia_b));
        let radii = [extras.rounding_a.0[lane], extras.rounding_b.0[lane]];
        let arms = (self.offsets[0] + normal * radii[0], self.offsets[1] - normal * radii[1]);
        let inverse = |k: f32| if k > 0.0 { 1.0 / k } else { 0.0 };
        let point = &mut block.points[0];
        let k = response(movers, normal, arms, arms);
        point.softening.0[lane] *= point.normal_mass.0[lane] * k;
        point.normal_mass.0[lane] = inverse(k);
        point.tangent_mass.0[lane] = inverse(response(movers, right_perp(normal), arms, arms));
        point.base_separation.0[lane] = self.between.dot(normal) - radii[0] - radii[1];
        (point.anchor_a.x.0[lane], point.anchor_a.y.0[lane]) = (arms.0.x, arms.0.y);
        (point.anchor_b.x.0[lane], point.anchor_b.y.0[lane]) = (arms.1.x, arms.1.y);
        (block.normal.x.0[lane], block.normal.y.0[lane]) = (normal.x, normal.y);
    }
}
