//! Lever arms of corners that have landed.
//!
//! A block has the arms of one moment for all sub-steps: those of the start of the step, or of the impact. A corner that has
//! stopped on a surface is no longer there a sub-step later if its body turns with it: at `w` rad/s, on an arm `r`, its
//! velocity along the normal changes by `w^2 r` per second, as a rule faster than gravity changes it. Held by old arms it
//! would be stopped once more where it leaves, or not be followed where it stays. So for contacts that take an impact without a
//! rebound, or did in one of the last steps, the solver gets the arms of the end of the sub-step: what it demands of velocities is
//! then true when they are compared. After positions have moved, the relax pass gets those of where the bodies are by then. The
//! search for impacts goes by the arms that the block had at first.

use crate::body::{BodyState, NONE};
use crate::collide::Reference;
use crate::math::{Rot, Vec2, cross, right_perp};
use crate::solver::{BlockExtras, ContactBlock, DriveBlock, Movers, at, response};
use carom_wide::LANES;

/// A contact that may land.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    block: u32,
    lane: u32,
    /// The anchors of both points and their base separations as they were at first.
    kept: Option<[(Vec2, Vec2, f32); 2]>,
    /// The angular impulses of the last sub-step on both bodies.
    turned_by: [f32; 2],
}

/// Lists the contacts of a block that may land: on an edge, without a rebound.
pub(crate) fn list_landings(landings: &mut Vec<Landing>, block: usize, extras: &BlockExtras) {
    let mut lanes = extras.rebounding & extras.bent;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        if extras.restitution.0[lane] == 0.0 && extras.reference[lane] != Reference::None {
            landings.push(Landing { block: block as u32, lane: lane as u32, kept: None, turned_by: [0.0; 2] });
        }
    }
}

/// Gives the blocks back the arms by which impacts are looked for.
pub(crate) fn turn_arms_back(landings: &mut [Landing], blocks: &mut [ContactBlock]) {
    for landing in landings {
        let (block, lane) = (&mut blocks[landing.block as usize], landing.lane as usize);
        landing.turned_by = angular_impulses(block, lane);
        let kept = landing.kept.get_or_insert_with(|| {
            [0, 1].map(|i| {
                let point = &block.points[i];
                (at(&point.anchor_a, lane), at(&point.anchor_b, lane), point.base_separation.0[lane])
            })
        });
        for (i, &(anchor_a, anchor_b, base)) in kept.iter().enumerate() {
            set_point(block, i, lane, (anchor_a, anchor_b), base);
        }
    }
}

/// Gives contacts that may land the arms that they will have after `h` seconds.
pub(crate) fn turn_arms(
    landings: &mut [Landing],
    blocks: &mut [ContactBlock],
    extras: &[BlockExtras],
    states: &[BodyState],
    mut carried: Option<&mut [DriveBlock]>,
    h: f32,
) {
    for landing in landings {
        let (block, extras) = (&mut blocks[landing.block as usize], &extras[landing.block as usize]);
        let lane = landing.lane as usize;
        // Of this contact alone: which others share its block depends on the number of threads.
        let is_locked = block.inv_masses(extras, lane).iter().any(|(inv_mass, _)| inv_mass.x != inv_mass.y);
        if is_locked {
            continue;
        }
        for (i, &(anchor_a, anchor_b, base)) in landing.kept.iter().flatten().enumerate() {
            set_point(block, i, lane, (anchor_a, anchor_b), base);
        }
        renew(block, extras, lane, states, h);
        if let Some(drives) = &mut carried {
            turn_carried(block, extras, lane, landing.turned_by, drives);
        }
    }
}

/// Bodies carry the impulses of the last sub-step into this one (`stage/warm_start.rs`): they act at the new arms.
fn turn_carried(block: &ContactBlock, extras: &BlockExtras, lane: usize, before: [f32; 2], drives: &mut [DriveBlock]) {
    let after = angular_impulses(block, lane);
    let inverse = block.inv_masses(extras, lane);
    for (side, place) in block.bodies(lane).into_iter().enumerate() {
        let (_, inv_inertia) = inverse[side];
        if place != NONE && inv_inertia != 0.0 {
            let spin = &mut drives[place as usize / LANES].carried_spin.0[place as usize % LANES];
            *spin += inv_inertia * (after[side] - before[side]);
        }
    }
}

/// The angular impulses of a contact on both bodies.
fn angular_impulses(block: &ContactBlock, lane: usize) -> [f32; 2] {
    let (normal, mut sums) = (at(&block.normal, lane), [0.0; 2]);
    for point in &block.points[..if block.traits.two_points { 2 } else { 1 }] {
        let impulse = normal * point.normal_impulse.0[lane] + right_perp(normal) * point.tangent_impulse.0[lane];
        sums[0] -= cross(at(&point.anchor_a, lane), impulse);
        sums[1] += cross(at(&point.anchor_b, lane), impulse);
    }
    sums
}

fn set_point(block: &mut ContactBlock, i: usize, lane: usize, (anchor_a, anchor_b): (Vec2, Vec2), base: f32) {
    let point = &mut block.points[i];
    (point.anchor_a.x.0[lane], point.anchor_a.y.0[lane]) = (anchor_a.x, anchor_a.y);
    (point.anchor_b.x.0[lane], point.anchor_b.y.0[lane]) = (anchor_b.x, anchor_b.y);
    point.base_separation.0[lane] = base;
}

/// Moves the points of a contact to where they will be at the end of the sub-step. Their separations stay those of now.
fn renew(block: &mut ContactBlock, extras: &BlockExtras, lane: usize, states: &[BodyState], h: f32) {
    let state = |place: u32| if place == NONE { BodyState::REST } else { states[place as usize] };
    let [a, b] = block.bodies(lane).map(state);
    let normal = at(&block.normal, lane);
    let [round_a, round_b] =
        if block.traits.rounded { [extras.rounding_a.0[lane], extras.rounding_b.0[lane]] } else { [0.0; 2] };
    let (lead, [lead_a, lead_b]) = (at(&extras.lead, lane), extras.lead_turns.each_ref().map(|turn| turn.0[lane]));
    let (turn_a, turn_b) = (a.angular_velocity * h, b.angular_velocity * h);
    let [now_a, now_b, then_a, then_b] = Rot::turned_all(
        [a.delta_rotation, b.delta_rotation, a.delta_rotation, b.delta_rotation],
        [-lead_a, -lead_b, turn_a - lead_a, turn_b - lead_b],
    );
    let moved = b.delta_position - a.delta_position;
    let moved_then = moved + (b.velocity - a.velocity) * h;
    let ahead = |core: Vec2, turn: f32| Rot::IDENTITY.turned(turn).rotate(core) - core;
    let [inverse_a, inverse_b] = block.inv_masses(extras, lane);
    let movers = Movers::of(inverse_a, inverse_b);
    let inverse = |k: f32| if k > 0.0 { 1.0 / k } else { 0.0 };
    let mut arms = [(Vec2::ZERO, Vec2::ZERO); 2];
    for i in 0..if block.traits.two_points { 2 } else { 1 } {
        let point = &block.points[i];
        if point.normal_mass.0[lane] <= 0.0 {
            continue;
        }
        let (anchor_a, anchor_b) = (at(&point.anchor_a, lane), at(&point.anchor_b, lane));
        let (core_a, core_b) = (anchor_a - normal * round_a, anchor_b + normal * round_b);
        let led = ahead(core_b, lead_b) - ahead(core_a, lead_a);
        let gap = (now_b.rotate(core_b) - now_a.rotate(core_a) + led).dot(normal) + point.base_separation.0[lane];
        let arm_a = then_a.rotate(core_a) + normal * round_a;
        let arm_b = then_b.rotate(core_b) - normal * round_b;
        let between = anchor_a - anchor_b + moved_then - lead;
        arms[i] = match extras.reference[lane] {
            Reference::A(_) => (arm_b + between, arm_b),
            Reference::B(_) => (arm_a, arm_a - between),
            Reference::None => (arm_a, arm_b),
        };
        let turned = b.delta_rotation.rotate(arms[i].1 + normal * round_b)
            - a.delta_rotation.rotate(arms[i].0 - normal * round_a);
        set_point(block, i, lane, arms[i], gap - turned.dot(normal));
        let k = response(movers, normal, arms[i], arms[i]);
        let point = &mut block.points[i];
        point.softening.0[lane] *= point.normal_mass.0[lane] * k;
        point.normal_mass.0[lane] = inverse(k);
        point.tangent_mass.0[lane] = inverse(response(movers, right_perp(normal), arms[i], arms[i]));
    }
    if block.points.iter().all(|point| point.normal_mass.0[lane] > 0.0) {
        block.coupling.0[lane] = response(movers, normal, arms[0], arms[1]);
    }
}
