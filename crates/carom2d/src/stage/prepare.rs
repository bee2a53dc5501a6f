//! Builds the constraint blocks: masses, softness and cached impulses of all active contacts.
//!
//! For one contact point with anchors `r_a`, `r_b` from the centres of mass and unit vector `u`
//! (normal `n` or tangent `t = (n.y, -n.x)`):
//!
//! ```text
//! velocity        J v = u . (v_b + w_b x r_b - v_a - w_a x r_a)
//! response        K   = u . (M_a^-1 + M_b^-1) u + I_a^-1 (r_a x u)^2 + I_b^-1 (r_b x u)^2
//! impulse P u on b, -P u on a, changes J v by K P
//! ```
//!
//! Constraints that found no colour are sorted into levels instead: each comes one level after the
//! last one that shares a body with it. A level shares no body either, and going through the levels
//! gives the same result as solving one after the other.

use super::StepContext;
use super::foresee::BOUNCY;
use super::integrate::prepare_bodies;
use super::recover::{is_deep, take_over, was_driven};
use super::restitution::{found_late, passes_of, slowest_rebound};
use super::solve::{LEAST_BLOCKS, LEAST_FILLED};
use super::turn::list_turning;
use crate::body::{BodyKind, BodyState, LockedAxes, NONE};
use crate::collide::{LINEAR_SLOP, SPECULATIVE_DISTANCE};
use crate::contact::{Contact, ContactPoint, Impact, Overlap, SOLVED_BYTES};
use crate::math::{Vec2, max, min};
use crate::solver::{
    BlockExtras, BodyMass, Common, Constraints, ContactBlock, InverseMasses, Mobility, Roster, Solver, Traits,
    Velocities,
};
use crate::world::World;
use carom_core::{BitSet, HOLE, OVERFLOW, PoolSlot};
use carom_threads::Parts;
use carom_wide::{
    LANES, Lanes, Lanes2, Places, Rows, Task, Wide, each_part, gather_quad, is_sparse, part_bits, prefetch_at,
};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

#[allow(unsafe_code)]
pub(crate) fn prepare_constraints(world: &mut World, context: &StepContext) {
    let mut constraints = std::mem::take(&mut world.constraints);
    constraints.warmth = if world.last_h > context.h { context.h / world.last_h } else { 1.0 };
    constraints.growth = if world.last_h > 0.0 { max(context.h / world.last_h, 1.0) } else { 1.0 };
    let overlaps = count_overlaps(world, context.dt, &constraints.pushes.moved, &mut constraints.crowding);
    constraints.groups.form(world, context, &constraints.crowding);
    constraints.recoveries.clear();
    let awake = world.sets.awake();
    let bodies = Roster::all(if constraints.groups.has_all() { &[] } else { &awake.sims });
    let is_movable = |place: usize| awake.states[place].flags & BodyState::MOVABLE != 0;
    prepare_bodies(bodies, is_movable, context, &mut constraints.masses, &mut constraints.drives);
    list_blocks(world, &mut constraints);
    if !world.burdens.is_empty() {
        let first = constraints.passed_blocks();
        world.burdens.find_blocks(&constraints, first);
    }
    let filled = fill_all(world, context, &mut constraints);
    if overlaps || !constraints.crowded.is_empty() {
        share_push_out(world, context, &mut constraints);
    }
    constraints.blows.clear();
    if filled.rebounds {
        constraints.blows.list(&constraints.colors, &constraints.extras);
    }
    constraints.turning.clear();
    if filled.turns {
        list_turning(&mut constraints.turning, &constraints.blocks, &constraints.extras);
    }
    if world.def.solver != Solver::Direct {
        let states = Rows::of(&mut world.sets.awake_mut().states);
        for color in &constraints.colors {
            let blocks = &constraints.blocks[color.clone()];
            context.crew.for_ranges(blocks.len(), context.crew.grain(blocks.len(), LEAST_BLOCKS), |range| {
                // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
                let states = unsafe { states.share() };
                context.width.run(MarkLoaded { blocks: &blocks[range], states });
            });
        }
    }
    for &index in &constraints.crowded {
        for point in &mut world.contacts[index].manifold.points {
            (point.normal_impulse, point.tangent_impulse) = (0.0, 0.0);
            (point.total_impulse, point.total_tangent) = (0.0, 0.0);
        }
    }
    world.constraints = constraints;
    super::joints::prepare_joints(world, context);
    world.constraints.begun = 0;
    (world.last_h, world.last_substeps) = (context.h, context.substeps);
}

/// What there is among the contacts of some blocks.
#[derive(Clone, Copy, Default)]
pub(super) struct Filled {
    /// Some may rebound.
    pub(super) rebounds: bool,
    /// The normals of some turn.
    pub(super) turns: bool,
}

/// Fills all blocks.
fn fill_all(world: &mut World, context: &StepContext, constraints: &mut Constraints) -> Filled {
    let Constraints { masses, blocks, extras, warmth, growth, .. } = constraints;
    let mut contacts = std::mem::take(&mut world.contacts);
    let (rebounds, turns) = (AtomicBool::new(false), AtomicBool::new(false));
    let parts = Parts::of(contacts.slots_mut());
    let filling = Filling { world, context, contacts: &parts, masses, seats: None, warmth: *warmth, growth: *growth };
    let grain = context.crew.grain(blocks.len(), LEAST_FILLED);
    context.crew.for_zipped(blocks, extras, grain, |_, blocks, extras| {
        let filled = filling.fill(blocks, extras);
        rebounds.fetch_or(filled.rebounds, Ordering::Relaxed);
        turns.fetch_or(filled.turns, Ordering::Relaxed);
    });
    world.contacts = contacts;
    Filled { rebounds: rebounds.into_inner(), turns: turns.into_inner() }
}

/// Says which contacts go into which lanes of which blocks. Those that are solved exactly come last, in blocks of their own.
fn list_blocks(world: &World, constraints: &mut Constraints) {
    constraints.colors.clear();
    constraints.crowded.clear();
    let Constraints { groups, extras, colors, .. } = constraints;
    let mut used = 0;
    let burdens = &world.burdens;
    let mut exact: Vec<Vec<u32>> = Vec::new();
    let mut list = |contacts: &[u32], used: &mut usize| {
        if burdens.is_empty() {
            return list_color(extras, colors, used, contacts);
        }
        let (chosen, passed): (Vec<u32>, Vec<u32>) = contacts.iter().partition(|&&index| burdens.has(index));
        list_color(extras, colors, used, &passed);
        exact.extend((!chosen.is_empty()).then_some(chosen));
    };
    for (color, contacts) in world.colors.colors() {
        if color == OVERFLOW {
            let live = contacts.iter().filter(|&&index| index != HOLE);
            let (crowded, kept): (Vec<u32>, Vec<u32>) =
                live.partition(|&&index| is_crowded(world, &world.contacts[index]));
            constraints.crowded = crowded;
            for level in levels(world, &kept) {
                list(&level, &mut used);
            }
        } else if groups.is_empty() {
            list(contacts, &mut used);
        }
    }
    for contacts in groups.others() {
        list(contacts, &mut used);
    }
    constraints.passed = constraints.colors.len();
    for contacts in exact {
        list_color(&mut constraints.extras, &mut constraints.colors, &mut used, &contacts);
    }
    constraints.extras.truncate(used);
    constraints.blocks.resize(used, ContactBlock::EMPTY);
}

/// Adds the blocks of contacts that share no movable body.
pub(super) fn list_color(
    extras: &mut Vec<BlockExtras>,
    colors: &mut Vec<Range<usize>>,
    used: &mut usize,
    contacts: &[u32],
) {
    let first = *used;
    for lanes in contacts.chunks(LANES) {
        if *used == extras.len() {
            extras.push(BlockExtras::EMPTY);
        }
        let extras = &mut extras[*used];
        extras.contact[..lanes.len()].copy_from_slice(lanes);
        extras.contact[lanes.len()..].fill(NONE);
        *used += 1;
    }
    colors.push(first..*used);
}

/// How many deep overlaps each awake body has that count (`recover.rs` says which). False if there are none at all, and then the
/// counts are not there.
fn count_overlaps(world: &mut World, dt: f32, moved_here: &BitSet, counts: &mut Vec<u16>) -> bool {
    counts.clear();
    let mut any = false;
    let deep = std::mem::take(&mut world.deep_contacts);
    for &index in &deep {
        let contact = &world.contacts[index];
        let driven = match contact.overlap {
            Overlap::Driven => true,
            Overlap::New => was_driven(world, contact, moved_here),
            Overlap::Put => false,
        };
        if driven && world.def.solver == Solver::SoftStep || !is_deep(world, contact, dt) {
            continue;
        }
        if !any {
            any = true;
            counts.resize(world.sets.awake().sims.len(), 0);
        }
        for body in [contact.body_a, contact.body_b] {
            if let Some(count) = counts.get_mut(world.awake_index(body) as usize) {
                // More than this are not solved at once: see `is_crowded`.
                *count = (*count + 1).min(CROWD as u16);
            }
        }
        world.contacts[index].overlap = Overlap::Put;
    }
    world.deep_contacts = deep;
    any
}

/// How many coloured constraints a body must have before it counts as crowded.
const CROWD: u32 = 32;

/// True for a contact that adds nothing but work: dozens of others already push each of its bodies,
/// and its shapes overlap so deeply that they cannot have come to lie like this. A thousand discs at
/// one point make half a million contacts; a twentieth of them drives the discs apart as well.
fn is_crowded(world: &World, contact: &Contact) -> bool {
    let busy = |body: u32| world.colors.mask(body).count_ones() >= CROWD;
    if !busy(contact.body_a) || !busy(contact.body_b) {
        return false;
    }
    let size = |shape: u32| world.shapes[shape].geometry.inner_extent();
    let deep = -0.5 * min(size(contact.shape_a), size(contact.shape_b));
    let manifold = &contact.manifold;
    manifold.points[..manifold.count as usize].iter().all(|point| point.separation < deep)
}

/// Leaves what overlaps deeply to `recover.rs`, and so all contacts of such bodies. The other solvers go on pushing;
/// there, bodies in a heap of overlaps share the push between them, or it would add up.
fn share_push_out(world: &World, context: &StepContext, constraints: &mut Constraints) {
    let Constraints { blocks, extras, recoveries, crowding, .. } = constraints;
    for (index, (block, extras)) in blocks.iter_mut().zip(extras).enumerate() {
        for lane in block.lanes() {
            let overlaps = block.bodies(lane).map(|body| crowding.get(body as usize).copied().unwrap_or(0));
            let most = overlaps[0].max(overlaps[1]);
            if most > 0 && world.def.solver == Solver::SoftStep {
                take_over(block, extras, lane);
                recoveries.push((index, lane));
            } else if most > 3 {
                block.vary(extras);
                extras.varied.push_out.0[lane] = -context.push_out_speed * (3.5 / f32::from(most));
            }
        }
    }
}

/// Sorts contacts into levels that share no movable body, keeping the order along every body.
fn levels(world: &World, contacts: &[u32]) -> Vec<Vec<u32>> {
    let mut levels: Vec<Vec<u32>> = Vec::new();
    // The first free level of each awake body.
    let mut free = vec![0_usize; world.sets.awake().sims.len()];
    for &index in contacts {
        let contact = &world.contacts[index];
        let movable = |body: u32| {
            let place = world.awake_index(body);
            (place != NONE && world.bodies[body].kind == BodyKind::Dynamic).then_some(place as usize)
        };
        let ends = [movable(contact.body_a), movable(contact.body_b)];
        let level = ends.iter().flatten().map(|&end| free[end]).max().unwrap_or(0);
        for end in ends.into_iter().flatten() {
            free[end] = level + 1;
        }
        if level == levels.len() {
            levels.push(Vec::new());
        }
        levels[level].push(index);
    }
    levels
}

/// What is left of `K` at a point where nothing can move along the normal or tangent, by rounding.
fn negligible_response(world: &World, contact: &Contact, point: &ContactPoint) -> f32 {
    let a = free_response(world, contact.body_a, point.anchor_a);
    1.0e-6 * (a + free_response(world, contact.body_b, point.anchor_b))
}

/// What a body with locked axes would contribute to `K` if it were free. Beside it, a `K` of rounding
/// errors is none: the body cannot move along that direction. Zero for bodies without locks, whose `K`
/// is never in doubt.
fn free_response(world: &World, body: u32, r: Vec2) -> f32 {
    let record = &world.bodies[body];
    if record.kind != BodyKind::Dynamic || record.locked == LockedAxes::default() {
        return 0.0;
    }
    inverse(record.mass) + inverse(record.inertia) * r.length_squared()
}

/// The effective mass; zero where nothing can move.
fn inverse(k: f32) -> f32 {
    if k > 0.0 { 1.0 / k } else { 0.0 }
}

/// Fills blocks with what their contacts are now.
pub(super) struct Filling<'a> {
    /// Without its contacts.
    pub(super) world: &'a World,
    pub(super) context: &'a StepContext<'a>,
    /// All contacts; those of the blocks are changed by nobody meanwhile.
    pub(super) contacts: &'a Parts<'a, PoolSlot<Contact>>,
    /// Of the bodies that the blocks are about.
    pub(super) masses: &'a [BodyMass],
    /// The place of each awake body among them; none where it is the same.
    pub(super) seats: Option<&'a [u32]>,
    pub(super) warmth: f32,
    pub(super) growth: f32,
}

/// What does not rebound touches from this distance in metres on. A box that lands flat would else be stopped on one side and
/// not on the other, as rounding has it.
const TOUCH: f32 = 0.02 * LINEAR_SLOP;

impl Filling<'_> {
    /// Fills a run of blocks.
    pub(super) fn fill(&self, blocks: &mut [ContactBlock], extras: &mut [BlockExtras]) -> Filled {
        let mut filled = Filled::default();
        for index in 0..blocks.len() {
            // Contacts of a colour lie all over the pool. Fetching those of the next block while this one is filled, one for
            // each, hides most of the time that it takes.
            let next = extras.get(index + 1).map_or([NONE; LANES], |next| next.contact);
            self.fill_block(&mut blocks[index], &mut extras[index], &next);
            filled.rebounds |= extras[index].rebounding != 0;
            filled.turns |= extras[index].turning != 0;
        }
        filled
    }

    #[allow(unsafe_code)]
    fn contact(&self, index: u32) -> &Contact {
        // SAFETY: nobody changes it.
        unsafe { self.contacts.look(index as usize) }.value()
    }

    /// The place of a body among those that the blocks are about.
    #[inline]
    fn seat(&self, body: u32) -> u32 {
        let place = self.world.awake_index(body);
        self.seats.map_or(place, |seats| seats.get(place as usize).copied().unwrap_or(NONE))
    }

    fn fill_block(&self, block: &mut ContactBlock, extras: &mut BlockExtras, next: &[u32; LANES]) {
        (extras.rebounding, extras.bent, extras.rebound_passes, extras.turning) = (0, 0, 0, 0);
        extras.impacts = 0;
        extras.clear();
        (block.bodies_a, block.bodies_b) = (Places::NOWHERE, Places::NOWHERE);
        let had_two_points = std::mem::take(&mut block.traits).two_points;
        block.count = extras.contact.iter().take_while(|&&index| index != NONE).count() as u16;
        let mut points = Points { points: [[&ContactPoint::NONE; LANES]; 2], present: [0; 2], softening: Wide::ZERO };
        for lane in block.lanes() {
            if next[lane] != NONE {
                prefetch_at(self.contacts.pointer(next[lane] as usize), SOLVED_BYTES);
            }
            self.fill_lane((&mut *block, &mut *extras), &mut points, lane);
        }
        block.traits = Traits { varied: block.traits.varied, ..extras.traits };
        if had_two_points && !block.traits.two_points {
            block.points[1] = ContactBlock::EMPTY.points[1];
        }
        if block.traits.locked {
            for lane in block.lanes() {
                let contact = self.contact(extras.contact[lane]);
                extras.inv_mass_y_a.0[lane] = self.world.sim(contact.body_a).inv_mass.y;
                extras.inv_mass_y_b.0[lane] = self.world.sim(contact.body_b).inv_mass.y;
            }
        }
        let (warmth, dt) = (self.warmth, self.context.dt);
        let loads = Loads {
            slow_squared: self.context.slow_load_squared,
            per_substep: 1.0 / self.world.last_substeps.max(1) as f32,
        };
        extras.rebounding |= self.context.width.run(Weigh { block, extras, points: &points, loads, warmth, dt });
        if self.growth > 1.0 {
            self.grow_steady(block, &points);
        }
        if !self.world.preloads.is_empty() {
            let World { preloads, burdens, .. } = self.world;
            preloads.press(block, extras, |index| self.contact(index), burdens, self.context.h);
        }
        let mut rebounding = extras.rebounding;
        while rebounding != 0 {
            let lane = rebounding.trailing_zeros() as usize;
            rebounding &= rebounding - 1;
            let contact = self.contact(extras.contact[lane]);
            let restitution = contact.material.restitution;
            (extras.restitution.0[lane], extras.reference[lane]) = (restitution, contact.manifold.reference);
            // What does not rebound was found late, which is rare.
            let is_next = contact.impact == Impact::HandedOn && restitution == 0.0;
            let bent = restitution >= BOUNCY || restitution == 0.0 && !is_next || contact.impact == Impact::Foreseen;
            if bent {
                self.fill_lead(extras, lane, contact);
            }
            extras.bent |= u16::from(bent) << lane;
            extras.impacts |= u16::from(contact.is_impact()) << lane;
            // What does not rebound, and would not overlap visibly, is left to the solver.
            let unseen = match contact.impact {
                Impact::Near if restitution == 0.0 => 0.1 * LINEAR_SLOP,
                Impact::HandedOn if restitution == 0.0 => SPECULATIVE_DISTANCE,
                _ => 0.0,
            };
            let slowest = slowest_rebound(restitution, self.context);
            extras.slowest_rebound.0[lane] = max(slowest, unseen / self.context.dt);
            extras.rebound_passes = extras.rebound_passes.max(passes_of(block, extras, lane));
        }
    }

    /// How far the bodies of a contact move and turn until the moment that its points belong to.
    fn fill_lead(&self, extras: &mut BlockExtras, lane: usize, contact: &Contact) {
        let time = if contact.is_foreseen() { contact.lead_s } else { 0.0 };
        let motion = |body: u32| {
            let motion = self.world.motions.get(body).filter(|_| time > 0.0);
            motion.map_or((Vec2::ZERO, 0.0), |motion| (motion.velocity * time, motion.angular_velocity * time))
        };
        let ((way_a, turn_a), (way_b, turn_b)) = (motion(contact.body_a), motion(contact.body_b));
        (extras.lead.x.0[lane], extras.lead.y.0[lane]) = (way_b.x - way_a.x, way_b.y - way_a.y);
        (extras.lead_turns[0].0[lane], extras.lead_turns[1].0[lane]) = (turn_a, turn_b);
    }

    /// Steady loads grow with the sub-step. Of one that varied in the last step, as in a stack that still shakes, what is sure
    /// grows: its mean, less what the last impulse is off it. If none of it did, a stack would fall a little in each long
    /// step, and go on shaking. Impacts must not grow: that in the last of two or more sub-steps is twice the mean or more.
    fn grow_steady(&self, block: &mut ContactBlock, points: &Points<'_>) {
        let count = self.world.last_substeps as f32;
        for lane in block.lanes() {
            for (to, from) in block.points.iter_mut().zip(&points.points) {
                let from = from[lane];
                let (last, mean) = (from.normal_impulse, from.total_impulse / count);
                let sure = mean - (last - mean).abs();
                if last > 0.0 && self.growth * sure > last {
                    let factor = self.growth * sure / last;
                    to.normal_impulse.0[lane] *= factor;
                    to.tangent_impulse.0[lane] *= factor;
                }
            }
        }
    }

    /// True when a contact that does not rebound will be struck within the step. Bodies with joints are stopped by the solver,
    /// together with what hangs on them.
    #[inline]
    fn is_struck(&self, contact: &Contact) -> bool {
        let is_free = |body: u32| self.world.bodies[body].joints.is_empty();
        contact.is_impact() && is_free(contact.body_a) && is_free(contact.body_b)
    }

    /// All of a lane but for its points, which are only listed.
    fn fill_lane<'s>(
        &'s self,
        (block, extras): (&mut ContactBlock, &mut BlockExtras),
        points: &mut Points<'s>,
        lane: usize,
    ) {
        let Filling { world, context, warmth, .. } = *self;
        let contact = self.contact(extras.contact[lane]);
        let traits = &mut extras.traits;
        let mut end = |body: u32, places: &mut Places| {
            let seat = self.seat(body);
            let mass = match self.masses.get(seat as usize) {
                Some(mass) => {
                    places.set(lane, seat, mass.mobility != Mobility::None);
                    *mass
                }
                // Fixed, or asleep beside a moving platform.
                None => BodyMass::of(world.sim(body), world.bodies[body].kind == BodyKind::Dynamic),
            };
            traits.locked |= mass.mobility == Mobility::Some;
            mass
        };
        let a = end(contact.body_a, &mut block.bodies_a);
        let b = end(contact.body_b, &mut block.bodies_b);
        let manifold = &contact.manifold;
        block.normal.x.0[lane] = manifold.normal.x;
        block.normal.y.0[lane] = manifold.normal.y;
        let material = &contact.material;
        if contact.rounded {
            let [rounding_a, rounding_b] = contact.roundings;
            traits.rounded = true;
            extras.rounding_a.0[lane] = rounding_a;
            extras.rounding_b.0[lane] = rounding_b;
            extras.turning |= u16::from(contact.impact == Impact::Turning) << lane;
        }
        if material.surface_speed != 0.0 {
            traits.belt = true;
            extras.surface_speed.0[lane] = material.surface_speed;
        }
        if material.rolling_resistance != 0.0 {
            traits.rolling = true;
            extras.rolling_resistance.0[lane] = material.rolling_resistance;
            extras.rolling_mass.0[lane] = inverse(a.inv_inertia + b.inv_inertia);
            extras.rolling_impulse.0[lane] = contact.rolling_impulse * warmth;
        }
        let softness = context.softness(a.inv_mass.x + a.inv_mass.y, b.inv_mass.x + b.inv_mass.y);
        extras.rebounding |= u16::from(material.restitution > 0.0 || self.is_struck(contact)) << lane;
        points.softening.0[lane] = softness.softening;
        traits.two_points |= manifold.count > 1;
        for (i, point) in manifold.points[..manifold.count as usize].iter().enumerate() {
            points.points[i][lane] = point;
            points.present[i] |= 1 << lane;
            if traits.locked {
                extras.negligible[i].0[lane] = negligible_response(world, contact, point);
            }
        }
        let common = Common {
            inv_mass_a: a.inv_mass.x,
            inv_inertia_a: a.inv_inertia,
            inv_mass_b: b.inv_mass.x,
            inv_inertia_b: b.inv_inertia,
            friction: material.friction,
            bias_rate: softness.bias_rate,
            mass_scale: softness.mass_scale,
            push_out: -context.push_out_speed,
            touch: if material.restitution > 0.0 { 0.0 } else { TOUCH },
        };
        block.set_common(extras, lane, common);
    }
}

/// The points of the contacts of a block.
struct Points<'a> {
    /// Those that are not there are [`ContactPoint::NONE`].
    points: [[&'a ContactPoint; LANES]; 2],
    /// Those that are there, one bit per lane.
    present: [u16; 2],
    /// Of the [softness](crate::solver::Softness) of each contact.
    softening: Wide,
}

/// What is known of the loads of the last step.
#[derive(Clone, Copy)]
struct Loads {
    /// See `StepContext`. Zero without gravity, where nothing sways.
    slow_squared: f32,
    /// The share of an impulse that goes to each of the last step's sub-steps.
    per_substep: f32,
}

/// Takes the points over into a block and computes masses, and what follows from them. Says which contacts were found so
/// late that they are to be set right like a rebound, one bit per lane.
struct Weigh<'a> {
    block: &'a mut ContactBlock,
    extras: &'a mut BlockExtras,
    points: &'a Points<'a>,
    loads: Loads,
    warmth: f32,
    dt: f32,
}

impl Task for Weigh<'_> {
    type Output = u16;

    #[inline(always)]
    fn run<L: Lanes>(self) -> u16 {
        let Weigh { block, extras, points, loads, warmth, dt } = self;
        let mut late = 0;
        for first in each_part::<L>(block.count as usize) {
            for i in 0..if block.traits.two_points { 2 } else { 1 } {
                late |= (take_points::<L>(block, points, i, first, (warmth, dt)) as u16) << first;
            }
            weigh_part::<L>(block, extras, points, first);
            if block.traits.two_points && loads.slow_squared > 0.0 {
                delay_part::<L>(block, extras, points, loads, first);
            }
        }
        late
    }
}

/// Takes one point of each contact over into a block. One bit per lane for those that were found late.
#[inline(always)]
fn take_points<L: Lanes>(
    block: &mut ContactBlock,
    points: &Points<'_>,
    i: usize,
    first: usize,
    (warmth, dt): (f32, f32),
) -> u32 {
    let point = &mut block.points[i];
    let [anchor_a_x, anchor_a_y, anchor_b_x, anchor_b_y] =
        gather_quad::<0, L, ContactPoint>(|lane| points.points[i][first + lane]);
    let [separation, approach, normal, tangent] =
        gather_quad::<4, L, ContactPoint>(|lane| points.points[i][first + lane]);
    Lanes2 { x: anchor_a_x, y: anchor_a_y }.store(&mut point.anchor_a, first);
    Lanes2 { x: anchor_b_x, y: anchor_b_y }.store(&mut point.anchor_b, first);
    (normal * L::splat(warmth)).store(&mut point.normal_impulse, first);
    (tangent * L::splat(warmth)).store(&mut point.tangent_impulse, first);
    separation.store(&mut point.base_separation, first);
    let zero = L::splat(0.0);
    zero.store(&mut point.total_impulse, first);
    zero.store(&mut point.total_tangent, first);
    L::bits(found_late(separation, approach, dt))
}

/// `K` of two points, as `response` in `solver/mod.rs`.
#[inline(always)]
fn wide_response<L: Lanes>(
    (inv_mass, inv_inertia_a, inv_inertia_b): (Lanes2<L>, L, L),
    u: Lanes2<L>,
    at: (Lanes2<L>, Lanes2<L>),
    seen: (Lanes2<L>, Lanes2<L>),
) -> L {
    inv_mass.x * u.x * u.x
        + inv_mass.y * u.y * u.y
        + inv_inertia_a * at.0.cross(u) * seen.0.cross(u)
        + inv_inertia_b * at.1.cross(u) * seen.1.cross(u)
}

/// Separation in metres of points that are not there: whatever the bodies do, they do not count as overlapping.
const NOWHERE_NEAR: f32 = 1.0e9;

/// The effective mass; zero where nothing can move.
#[inline(always)]
fn wide_inverse<L: Lanes>(k: L) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let some = k.greater(zero);
    L::select(some, L::select(some, k, one).recip(), zero)
}

/// From the centres of mass to a point.
#[inline(always)]
fn arms<L: Lanes>(block: &ContactBlock, point: usize, first: usize) -> (Lanes2<L>, Lanes2<L>) {
    let point = &block.points[point];
    (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first))
}

#[inline(always)]
fn weigh_part<L: Lanes>(block: &mut ContactBlock, extras: &BlockExtras, points: &Points<'_>, first: usize) {
    let zero = L::splat(0.0);
    let normal = Lanes2::<L>::load(&block.normal, first);
    let tangent = normal.right_perp();
    let [a, b] = InverseMasses::load(block, extras, &Common::<L>::load(block, extras, first), first);
    let movers = (a.mass + b.mass, a.inertia, b.inertia);
    if block.traits.two_points {
        let second = L::mask(part_bits::<L>(points.present[1], first));
        let k = wide_response(movers, normal, arms(block, 0, first), arms(block, 1, first));
        L::select(second, k, zero).store(&mut block.coupling, first);
    }
    for i in 0..if block.traits.two_points { 2 } else { 1 } {
        let (arm_a, arm_b) = arms::<L>(block, i, first);
        let (mut core_a, mut core_b) = (arm_a, arm_b);
        if block.traits.rounded {
            core_a = core_a - normal.scale(L::load(&extras.rounding_a, first));
            core_b = core_b + normal.scale(L::load(&extras.rounding_b, first));
        }
        let point = &mut block.points[i];
        let present = L::mask(part_bits::<L>(points.present[i], first));
        let separation = L::load(&point.base_separation, first) - (core_b - core_a).dot(normal);
        L::select(present, separation, L::splat(NOWHERE_NEAR)).store(&mut point.base_separation, first);
        let negligible = L::load(&extras.negligible[i], first);
        let k = wide_response(movers, normal, (arm_a, arm_b), (arm_a, arm_b));
        let k = L::select(L::both(present, k.greater(negligible)), k, zero);
        let k_tangent = wide_response(movers, tangent, (arm_a, arm_b), (arm_a, arm_b));
        let k_tangent = L::select(L::both(present, k_tangent.greater(negligible)), k_tangent, zero);
        wide_inverse(k).store(&mut point.normal_mass, first);
        wide_inverse(k_tangent).store(&mut point.tangent_mass, first);
        (L::load(&points.softening, first) * k).store(&mut point.softening, first);
    }
}

/// Damps the rocking of contacts that carry many bodies: see `SWAY_DAMPING`.
#[inline(always)]
fn delay_part<L: Lanes>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    points: &Points<'_>,
    loads: Loads,
    first: usize,
) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let slow_squared = L::splat(loads.slow_squared);
    let common = Common::<L>::load(block, extras, first);
    let light = common.inv_mass_a.min(common.inv_mass_b);
    let second = L::mask(part_bits::<L>(points.present[1], first));
    // The load as a speed: what it would give to the heavier body.
    let last =
        (L::load(&block.points[0].normal_impulse, first) + L::load(&block.points[1].normal_impulse, first)) * light;
    if L::bits(L::both(second, (last * last).greater(slow_squared))) == 0 {
        return;
    }
    let totals = [0, 1].map(|i| gather_quad::<6, L, ContactPoint>(|lane| points.points[i][first + lane])[2]);
    let mean = (totals[0] + totals[1]) * L::splat(loads.per_substep) * light;
    // What is sure of it, as in `grow_steady`: a landing is no column.
    let load = last.min(mean + mean - last).max(zero);
    let squared = load * load;
    let is_column = L::both(second, squared.greater(slow_squared));
    let share = slow_squared * L::select(is_column, squared, one).recip();
    L::select(is_column, L::splat(0.5) * (one - share), zero).store(&mut extras.delay, first);
    let has_column = L::bits(is_column) != 0;
    block.traits.column |= has_column;
    extras.traits.column |= has_column;
}

/// Marks the bodies of contacts that carried a load in the last step.
pub(super) struct MarkLoaded<'a> {
    pub(super) blocks: &'a [ContactBlock],
    pub(super) states: Rows<'a, BodyState>,
}

impl Task for MarkLoaded<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.blocks {
            if is_sparse::<L>(block.count as usize) {
                mark_block::<L::Narrow>(block, &mut self.states);
            } else {
                mark_block::<L>(block, &mut self.states);
            }
        }
    }
}

#[inline(always)]
fn mark_block<L: Lanes>(block: &ContactBlock, states: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.count as usize) {
        let [p, q] = &block.points;
        let load = L::load(&p.normal_impulse, first) + L::load(&q.normal_impulse, first);
        for places in [&block.bodies_a, &block.bodies_b] {
            let mut body = Velocities::<L>::read(states, places, first);
            body.mark_loaded(load);
            body.write(states, places, first);
        }
    }
}
