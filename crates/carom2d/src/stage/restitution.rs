//! Impacts rebound.
//!
//! A pair of bouncy surfaces that meets within this sub-step, approaching at `u < 0`, leaves at
//! `-e u`. The impulse `P = -(1 + e) u / K` is applied at once, pair after pair, and then again for
//! pairs that the impulses have thrown together, until nothing approaches: an impulse travels through
//! a row of touching balls as it does in a cradle. No such impulse adds energy: the normal one changes
//! it by `P u (1 - e) / 2 <= 0`, friction takes some more. What is left after the last pass is
//! stopped by the solver.
//!
//! Two refinements keep bounces accurate to second order in the sub-step `h`:
//!
//! - Time of impact. The surfaces meet at `t = -s / u`, inside the sub-step, or in the past if the
//!   contact was found late. Positions are integrated with the new velocity over all of `h`, so the
//!   share before `t` is taken back: `x -= t * dv`.
//! - Speed of impact. The velocity in hand is that of the end of the sub-step, forces included; at
//!   `t` it was `u + a (t - h)`.
//!
//! A body at rest meets the floor at the speed that gravity gave it since the last sub-step. That
//! is no impact: approach speeds below `2 |a| h` are left to the solver, and so are
//!
//! - those that the load of a resting contact alone would stop twice over, `2 K P_n`;
//! - those that would end in a hop too short to be seen: with `T` the step or two sub-steps, whichever is longer,
//!   `e u < (1 - e) g T / 2` is a flight of less than `(1 - e) T`;
//! - those slower than the share `1 - e` of what the contact has stopped in this step already, if `e > 0`. In a dense
//!   heap in motion, neighbours press bodies together again and again within a step, and surfaces of low restitution are
//!   still in the same impact then. Elastic ones may meet as often as they like.
//!
//! A body pinned to something fixed can only swing about the pin, which takes a part of every impulse. Were such bodies to
//! rebound as if they were free, the pin would afterwards take away the velocity that it does not allow, in a cradle the
//! share `r^2 / L^2` of the energy at each impact. So such a body has the inverse mass `1 / (I + m p^2)`, about the pivot
//! `p`.
//!
//! No body spins faster than `SpeedLimits` allows. What a hit would have a body spin faster, e^2 of that energy becomes flight
//! of both away from each other: in a gas light rods reach that speed, and would be a leak. Angular momentum is not kept then.
//!
//! The solver stops what it takes to overlap at the end of the sub-step, by a straight path or by arms of another moment. What
//! does not meet by its true path is therefore taken to be farther away by as much as the solver is off.
//!
//! Nearly all contacts that could rebound do not, in a given sub-step. `find_impacts` selects those that may, a whole block
//! at a time; only these are examined one by one. Contacts of one colour share no body, so it does not matter that all of
//! a block are selected before the first of them rebounds.

use super::StepContext;
use crate::body::BodyState;
use crate::collide::LINEAR_SLOP;
use crate::impact::candidates::find_impacts;
use crate::impact::end::{End, Hinges, write_ends};
use crate::impact::flight::{Anchored, Flight, Meeting, TOGETHER};
use crate::impact::landed::{turn_arms, turn_arms_back};
use crate::impact::queue::{Candidate, LEAST_PASSES, MOST_PASSES, RestitutionQueue, passes_of};
use crate::math::{Vec2, clamp, max, right_perp};
use crate::solver::{Batch, BlockExtras, ContactBlock, DriveBlock, Movers, at, response};
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Places, Rows, Task, is_sparse};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Blocks per thread, at least: in most passes most of them have nothing to do.
const LEAST_CANDIDATES: usize = 48;

/// Points of fast impacts that were found late: the overlap is no deeper than the approach explains. They are set right
/// like a rebound, with a restitution of zero if need be.
#[inline(always)]
pub(crate) fn found_late<L: Lanes>(separation: L, approach_velocity: L, dt: f32) -> L::Mask {
    let path = approach_velocity * L::splat(dt);
    let overlaps = L::splat(0.0).greater(separation);
    let is_fast = L::splat(-LINEAR_SLOP).greater(path);
    L::both(overlaps, L::both(separation.at_least(path), is_fast))
}

/// The slowest approach from which surfaces of this restitution rebound.
pub(crate) fn slowest_rebound(restitution: f32, context: &StepContext) -> f32 {
    // What does not rebound was found late, at any speed.
    // What gravity takes in half the longest flight that cannot be seen.
    let unseen = max(context.fall, 0.5 * context.gravity.length() * context.dt);
    let hop = if restitution > 0.0 { unseen * (1.0 - restitution) / restitution } else { 0.0 };
    max(hop, context.restitution_speed)
}

pub(crate) fn apply_restitution(batch: &mut Batch<'_>, context: &StepContext) {
    let Batch { bodies, states, drives, blocks, extras, rebounds, coupled, substep, .. } = batch;
    // Gears pass impulses on. Groups contain no joints.
    let hinges = coupled.as_ref().filter(|coupled| coupled.joints.gears.is_empty()).map(|coupled| Hinges {
        bodies: coupled.bodies,
        joints: coupled.joint_pool,
        sims: bodies.awake,
    });
    turn_arms_back(&mut rebounds.landings, blocks);
    rebound(rebounds, blocks, extras, drives, states, hinges, context);
    let carried = (*substep > 0 && context.method.soft).then_some(&mut **drives);
    turn_arms(&mut rebounds.landings, blocks, extras, states, carried, context.h);
}

/// Has the relax pass go by where corners that have landed are now.
pub(crate) fn follow_landings(batch: &mut Batch<'_>) {
    let Batch { states, blocks, extras, rebounds, .. } = batch;
    turn_arms(&mut rebounds.landings, blocks, extras, states, None, 0.0);
}

/// Applies restitution to the candidates, colour by colour, until nothing approaches.
#[allow(unsafe_code)]
fn rebound(
    queue: &mut RestitutionQueue,
    blocks: &mut [ContactBlock],
    extras: &[BlockExtras],
    drives: &[DriveBlock],
    states: &mut [BodyState],
    hinges: Option<Hinges<'_>>,
    context: &StepContext,
) {
    if queue.candidates.is_empty() {
        return;
    }
    let crew = context.crew;
    queue.start(states.len());
    let RestitutionQueue { candidates, colors, impacted, time, .. } = queue;
    let (rows, parts) = (Rows::of(states), Parts::of(blocks));
    for pass in 0..MOST_PASSES {
        let any = AtomicBool::new(false);
        for color in colors.iter() {
            *time += 1;
            let time = *time;
            let candidates = &mut candidates[color.clone()];
            let grain = crew.grain(candidates.len(), LEAST_CANDIDATES);
            crew.for_chunks(candidates, grain, |_, candidates| {
                // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
                let states = unsafe { rows.share() };
                let (blocks, impacted) = (&parts, &*impacted);
                let input = ReboundInput { drives, extras, hinges, context };
                if context.width.run(ReboundTask { input, pass, time, candidates, blocks, impacted, states }) {
                    any.store(true, Ordering::Relaxed);
                }
            });
        }
        if !any.into_inner() {
            break;
        }
    }
}

/// Data that no pass changes.
#[derive(Clone, Copy)]
struct ReboundInput<'a> {
    drives: &'a [DriveBlock],
    extras: &'a [BlockExtras],
    hinges: Option<Hinges<'a>>,
    context: &'a StepContext<'a>,
}

/// One pass over some blocks of one colour. True if any contact rebounded.
struct ReboundTask<'a> {
    input: ReboundInput<'a>,
    /// The number of the pass, and the count of colours so far ([`RestitutionQueue`]).
    pass: u32,
    time: u32,
    candidates: &'a mut [Candidate],
    blocks: &'a Parts<'a, ContactBlock>,
    impacted: &'a [AtomicU32],
    states: Rows<'a, BodyState>,
}

impl Task for ReboundTask<'_> {
    type Output = bool;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn run<L: Lanes>(self) -> bool {
        let ReboundTask { input, pass, time, candidates, blocks, impacted, mut states } = self;
        let ReboundInput { extras, context, .. } = input;
        let mut any = false;
        for candidate in candidates {
            if pass >= candidate.passes {
                continue;
            }
            let extras = &extras[candidate.block as usize];
            // SAFETY: each chunk of candidates belongs to one thread, and no block is listed twice.
            let block = unsafe { blocks.item(candidate.block as usize) };
            // Empty lanes name some other body: at worst the block is examined once too often.
            let since = |body: &u32| impacted[*body as usize].load(Ordering::Relaxed) >= candidate.time;
            let is_impacted = |places: &Places| places.all()[..block.count as usize].iter().any(since);
            if candidate.time > 0 && !is_impacted(&block.bodies_a) && !is_impacted(&block.bodies_b) {
                continue;
            }
            let last_look = std::mem::replace(&mut candidate.time, time);
            let mut impacts = if is_sparse::<L>(block.count as usize) {
                find_impacts::<L::Narrow>(block, extras, &states, context)
            } else {
                find_impacts::<L>(block, extras, &states, context)
            };
            while impacts != 0 {
                let lane = impacts.trailing_zeros() as usize;
                impacts &= impacts - 1;
                // A second look may move the point away once more: contacts in the same block, which are others with
                // other numbers of threads, must not be the reason for it.
                let is_new = |places: &Places| {
                    places.get(lane).is_some_and(|body| impacted[body as usize].load(Ordering::Relaxed) >= last_look)
                };
                if last_look > 0 && !is_new(&block.bodies_a) && !is_new(&block.bodies_b)
                    || pass >= LEAST_PASSES && pass >= passes_of(block, extras, lane)
                    || !rebound_contact(&input, block, extras, lane, &mut states)
                {
                    continue;
                }
                any = true;
                for places in [&block.bodies_a, &block.bodies_b] {
                    if let Some(body) = places.get(lane).filter(|_| places.is_writable(lane)) {
                        impacted[body as usize].store(time, Ordering::Relaxed);
                    }
                }
            }
        }
        any
    }
}

/// A point that is about to rebound.
#[derive(Clone, Copy, Default)]
struct Impact {
    /// Time of impact from the start of the sub-step, and the approach velocity then.
    t: f32,
    u: f32,
    /// From the centres of mass to the point, at that time: one point of space, seen from both.
    arms: (Vec2, Vec2),
    /// How much a unit impulse changes the velocity, and the impulse.
    response: f32,
    impulse: f32,
}

/// The bodies of a contact, as its impacts find and leave them.
struct Impacting {
    lane: usize,
    normal: Vec2,
    a: End,
    b: End,
    movers: Movers,
    /// Changes of velocity by forces and gravity in this sub-step.
    kick_a: Vec2,
    kick_b: Vec2,
}

/// Applies restitution to a contact. True if it rebounded.
fn rebound_contact(
    input: &ReboundInput<'_>,
    block: &mut ContactBlock,
    extras: &BlockExtras,
    lane: usize,
    states: &mut Rows<'_, BodyState>,
) -> bool {
    let mut pair = Impacting::read(input, block, extras, lane, states);
    let restitution = extras.restitution.0[lane];
    let mut impacts = pair.find(input.context, block, extras);
    drop_later(&mut impacts);
    let coupling = match &impacts {
        [Some(first), Some(second)] => pair.coupling(pair.normal, first.arms, second.arms),
        _ => 0.0,
    };
    rebound_impulses(&mut impacts, restitution, coupling);
    let rebounded = pair.push_apart(&impacts, block);
    if let Some(last) = impacts.iter().flatten().last().filter(|_| rebounded) {
        let limit = input.context.max_angular_speed;
        let surplus = pair.a.cut_spin(limit) + pair.b.cut_spin(limit);
        if surplus > 0.0 {
            fly_apart(&mut pair.a, &mut pair.b, pair.normal, restitution * restitution * surplus, last.t);
        }
    }
    pair.rub(&impacts, block, extras);
    if rebounded {
        write_ends([&pair.a, &pair.b], states, block.bodies(lane));
    }
    rebounded
}

impl Impacting {
    fn read(
        &ReboundInput { drives, hinges, .. }: &ReboundInput<'_>,
        block: &ContactBlock,
        extras: &BlockExtras,
        lane: usize,
        states: &Rows<'_, BodyState>,
    ) -> Impacting {
        let [index_a, index_b] = block.bodies(lane);
        let [inverse_a, inverse_b] = block.inv_masses(extras, lane);
        let mut a = End::read(states, index_a, inverse_a);
        let mut b = End::read(states, index_b, inverse_b);
        a.hang(index_a, hinges);
        b.hang(index_b, hinges);
        let movers = Movers::of((a.inv_mass, a.inv_inertia), (b.inv_mass, b.inv_inertia));
        let kick = |index: u32| {
            let drive = drives.get(index as usize / LANES);
            drive.map_or(Vec2::ZERO, |drive| at(&drive.kick, index as usize % LANES))
        };
        let normal = at(&block.normal, lane);
        Impacting { lane, normal, a, b, movers, kick_a: kick(index_a), kick_b: kick(index_b) }
    }

    /// How much an impulse of one at the first arms changes the velocity at the second ones, along an axis.
    fn coupling(&self, axis: Vec2, first: (Vec2, Vec2), second: (Vec2, Vec2)) -> f32 {
        let lever_arms = |arms: (Vec2, Vec2)| (arms.0 - self.a.pivot, arms.1 - self.b.pivot);
        response(self.movers, axis, lever_arms(first), lever_arms(second))
    }

    /// Which points meet within the sub-step, when, and how fast. A point that stays away is moved away in its block, so
    /// that the solver does not stop it.
    fn find(&self, context: &StepContext, block: &mut ContactBlock, extras: &BlockExtras) -> [Option<Impact>; 2] {
        let Impacting { lane, normal, .. } = *self;
        let kick = (self.kick_b - self.kick_a).dot(normal);
        // A number of each lane is a cache line of its own: what is zero, or not asked for, is not read.
        let traits = block.traits;
        let bent = extras.bent >> lane & 1 != 0;
        let [turn_a, turn_b] = &extras.lead_turns;
        let flight = Flight {
            a: &self.a,
            b: &self.b,
            normal,
            roundings: if traits.rounded { [extras.rounding_a.0[lane], extras.rounding_b.0[lane]] } else { [0.0; 2] },
            reference: extras.reference[lane],
            lead: if bent { at(&extras.lead, lane) } else { Vec2::ZERO },
            lead_turns: if bent { [turn_a.0[lane], turn_b.0[lane]] } else { [0.0; 2] },
            acceleration: kick * context.inv_h,
            h: context.h,
        };
        let anchored = |i: usize| {
            let point = &block.points[i];
            let anchors = (at(&point.anchor_a, lane), at(&point.anchor_b, lane));
            (point.normal_mass.0[lane] > 0.0)
                .then(|| Anchored { anchors, base_separation: point.base_separation.0[lane] })
        };
        let points = [anchored(0), if traits.two_points { anchored(1) } else { None }];
        // A contact is found at most one step late.
        let earliest = -context.dt;
        let meetings = if bent {
            flight.meetings(points, earliest)
        } else {
            points.map(|point| point.map(|point| flight.meeting_straight(point, earliest)))
        };
        let mut impacts = [None; 2];
        for (i, meeting) in meetings.into_iter().enumerate() {
            match meeting {
                None => {}
                Some(Ok(meeting)) => impacts[i] = self.impact(context, block, extras, i, meeting),
                // If it turns away before it meets, nothing is to stop it. (A second look adds nothing.)
                Some(Err(farther)) => block.points[i].base_separation.0[lane] += farther,
            }
        }
        impacts
    }

    /// A point that meets the other surface, if it does so fast enough to rebound.
    fn impact(
        &self,
        context: &StepContext,
        block: &ContactBlock,
        extras: &BlockExtras,
        i: usize,
        (t, velocity, arms): Meeting,
    ) -> Option<Impact> {
        let Impacting { lane, normal, .. } = *self;
        let (traits, point, restitution) = (block.traits, &block.points[i], extras.restitution.0[lane]);
        let kick = (self.kick_b - self.kick_a).dot(normal);
        let slowest = max(extras.slowest_rebound.0[lane], -2.0 * kick);
        let k = self.coupling(normal, arms, arms);
        let negligible = if traits.locked { extras.negligible[i].0[lane] } else { 0.0 };
        let k = if k > negligible { k } else { 0.0 };
        let last_impact = if traits.impacted { extras.impact_impulses[i].0[lane] } else { 0.0 };
        let is_impact = extras.impacts >> lane & 1 != 0;
        let goes_on = is_impact || restitution == 0.0;
        let stopped = if goes_on { 0.0 } else { (1.0 - restitution) * point.total_impulse.0[lane] };
        let slowest = max(slowest, k * max(2.0 * max(point.normal_impulse.0[lane], last_impact), stopped));
        let (mut velocity, mut acceleration) = (velocity, kick * context.inv_h);
        if (self.a.pivot, self.b.pivot) != (Vec2::ZERO, Vec2::ZERO) {
            // Forces have pushed the bodies as if they were free.
            let held = (self.b.kicked(self.kick_b, arms.1, t) - self.a.kicked(self.kick_a, arms.0, t)).dot(normal);
            (velocity, acceleration) = (velocity + held - kick, held * context.inv_h);
        }
        let u = velocity + acceleration * (t - context.h);
        let rebounds = velocity < -slowest && u < -0.5 * slowest && u < 0.0 && k > 0.0;
        rebounds.then_some(Impact { t, u, arms, response: k, impulse: 0.0 })
    }

    /// Applies the normal impulses. True if there was one.
    fn push_apart(&mut self, impacts: &[Option<Impact>; 2], block: &mut ContactBlock) -> bool {
        let mut any = false;
        for (impact, point) in impacts.iter().zip(&mut block.points) {
            let Some(impact) = impact else { continue };
            if impact.impulse <= 0.0 {
                continue;
            }
            any = true;
            self.push(impact, self.normal * impact.impulse);
            point.total_impulse.0[self.lane] += impact.impulse;
        }
        any
    }

    /// Applies the friction of the impacts, bounded by their own normal impulses.
    fn rub(&mut self, impacts: &[Option<Impact>; 2], block: &mut ContactBlock, extras: &BlockExtras) {
        let lane = self.lane;
        let tangent = right_perp(self.normal);
        let friction = block.common(extras, lane).friction;
        let surface_speed = if block.traits.belt { extras.surface_speed.0[lane] } else { 0.0 };
        for (impact, point) in impacts.iter().zip(&mut block.points) {
            let Some(impact) = impact else { continue };
            let bound = friction * max(impact.impulse, 0.0);
            if bound > 0.0 && point.tangent_mass.0[lane] > 0.0 {
                let velocity = self.b.state.velocity_at(impact.arms.1) - self.a.state.velocity_at(impact.arms.0);
                let slip = velocity.dot(tangent) - surface_speed;
                let impulse = clamp(-slip / self.coupling(tangent, impact.arms, impact.arms), -bound, bound);
                self.push(impact, tangent * impulse);
                point.total_tangent.0[lane] += impulse;
            }
        }
    }

    /// Applies an impulse to b, and its opposite to a, where and when a point meets.
    fn push(&mut self, impact: &Impact, impulse: Vec2) {
        self.a.push(impact.arms.0, -impulse, impact.t);
        self.b.push(impact.arms.1, impulse, impact.t);
    }
}

/// Turns `energy` into flight, by an impulse `P` along the normal through both centres, at time `t` of the sub-step: with the
/// inverse mass `w` of both against each other, and the velocity `v` of b against a, `P^2 w / 2 + P v` is the energy.
fn fly_apart(a: &mut End, b: &mut End, normal: Vec2, energy: f32, t: f32) {
    let center = (Vec2::ZERO, Vec2::ZERO);
    let w = response(Movers::of((a.inv_mass, 0.0), (b.inv_mass, 0.0)), normal, center, center);
    let v = (b.state.velocity - a.state.velocity).dot(normal);
    if w > 0.0 {
        let impulse = normal * (((v * v + 2.0 * w * energy).sqrt() - v) / w);
        a.push(a.pivot, -impulse, t);
        b.push(b.pivot, impulse, t);
    }
}

/// Of two points, leaves the one that meets first, unless both meet at the same time: whether the other one meets at all
/// is another question once the first has. The next pass asks it.
fn drop_later(impacts: &mut [Option<Impact>; 2]) {
    if let [Some(first), Some(second)] = impacts {
        // How far the later one is from the other surface at the time of the earlier.
        let left = if first.t <= second.t { (first.t - second.t) * second.u } else { (second.t - first.t) * first.u };
        if left > TOGETHER {
            impacts[usize::from(first.t <= second.t)] = None;
        }
    }
}

/// The impulses that send the impacting points away at `-e u`.
///
/// Two points of one contact are solved together, or a box that lands flat would start to spin:
/// `K P = -(1 + e) u` with the 2x2 matrix `K`. Where that would need a pull, the faster point
/// rebounds alone and the next pass examines the other.
fn rebound_impulses(impacts: &mut [Option<Impact>; 2], restitution: f32, k12: f32) {
    let gain = 1.0 + restitution;
    match impacts {
        [Some(first), Some(second)] => {
            let (k11, k22) = (first.response, second.response);
            let (d1, d2) = (-gain * first.u, -gain * second.u);
            let det = k11 * k22 - k12 * k12;
            if det > 1.0e-4 * k11 * k22 {
                let inv_det = 1.0 / det;
                first.impulse = (k22 * d1 - k12 * d2) * inv_det;
                second.impulse = (k11 * d2 - k12 * d1) * inv_det;
            }
            if !(first.impulse > 0.0 && second.impulse > 0.0) {
                let first_faster = first.u <= second.u;
                first.impulse = if first_faster { d1 / k11 } else { 0.0 };
                second.impulse = if first_faster { 0.0 } else { d2 / k22 };
            }
        }
        [Some(only), None] | [None, Some(only)] => only.impulse = -gain * only.u / only.response,
        [None, None] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(u: f32, response: f32) -> Option<Impact> {
        Some(Impact { u, response, ..Impact::default() })
    }

    /// Both points of a unit box landing flat get the same impulse, and together they stop or turn
    /// its fall: 2 P = (1 + e) m u.
    #[test]
    fn flat_landing_shares_the_impulse() {
        // Unit box, mass 1, inertia 1/6, points at x = -0.5 and 0.5: K = 1 + 6/4, K12 = 1 - 6/4.
        let mut impacts = [hit(-3.0, 2.5), hit(-3.0, 2.5)];
        rebound_impulses(&mut impacts, 0.5, -0.5);
        let [first, second] = impacts.map(|impact| impact.unwrap().impulse);
        assert_eq!(first, second);
        assert!((first + second - 1.5 * 3.0).abs() < 1.0e-5);
    }

    /// No impulse ever pulls.
    #[test]
    fn impulses_push() {
        for (u1, u2, k12) in [(-5.0, -0.1, 0.9), (-0.1, -5.0, 0.9), (-1.0, -1.0, 1.0), (-2.0, -1.0, -0.9)] {
            let mut impacts = [hit(u1, 1.0), hit(u2, 1.0)];
            rebound_impulses(&mut impacts, 1.0, k12);
            let impulses = impacts.map(|impact| impact.unwrap().impulse);
            assert!(impulses.iter().all(|&impulse| impulse >= 0.0) && impulses.iter().any(|&impulse| impulse > 0.0));
        }
    }
}
