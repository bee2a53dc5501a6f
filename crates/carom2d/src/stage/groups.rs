//! Small islands are solved apart from the rest, group by group.
//!
//! Nothing passes from island to island within a step. So instead of taking every sub-step through all contacts of the
//! world, which are too many for any cache when there are thousands, the step takes some islands at a time through all
//! of it: their blocks are filled, the sub-steps done, and the impulses stored, before the next group starts in the
//! same memory. Threads take whole groups, and need not wait for each other at every colour.
//!
//! Contacts have the colours that they have in the whole world, so the result is the same to the bit, whichever islands share
//! a group.
//!
//! What is left to the stages before are islands that are too large for a group (there, threads share each colour),
//! those with joints, those that touch a moving kinematic body, whose places in each sub-step are one for all, those
//! with bodies to be moved apart (`recover.rs`), those with contacts that are solved exactly (`burdens.rs`), and those of
//! contacts that found no colour.

use super::StepContext;
use super::contacts::Narrow;
use super::integrate::prepare_bodies;
use super::prepare::MarkLoaded;
use super::store_impulses::{Stored, store_blocks};
use super::turn::{Turning, list_turning};
use crate::body::{BodyState, NONE};
use crate::contact::{Contact, contact_of, side_of};
use crate::impact::queue::RestitutionQueue;
use crate::joint::JointKind;
use crate::prepare::fill::{Filling, Unchanging};
use crate::prepare::layout::list_color;
use crate::solver::{Batch, BlockExtras, BodyList, BodyMass, Constraints, ContactBlock, DriveBlock, Solver};
use crate::step::soft_substeps;
use crate::world::WorldState;
use carom_core::{HOLE, OVERFLOW, PoolSlot};
use carom_threads::Parts;
use carom_wide::Rows;
use std::ops::Range;

/// How many bodies and contacts make a group: their blocks take about a fifth of a megabyte. Builds with checks make small
/// groups, so that there are some in every test.
const GROUP: usize = if cfg!(debug_assertions) || cfg!(test) { 40 } else { 2000 };
/// Groups for each thread, below which it is not worth while to have any.
const LEAST_GROUPS: usize = 2;

/// In the place of a group: none yet, and none at all.
const OPEN: u32 = NONE - 1;
const APART: u32 = NONE;

/// What groups were formed from. As long as it is the same, they are; that islands come apart does not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Origin {
    contacts: u64,
    joints: u64,
    bodies: u64,
    burdens: u64,
    solver: Solver,
    least: usize,
}

/// Which islands are solved together in this step.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// None if it is to be formed again in any case.
    origin: Option<Origin>,
    groups: Vec<Group>,
    /// Places in the awake set, group by group, and the states of these bodies when the step began.
    bodies: Vec<u32>,
    states: Vec<BodyState>,
    /// The contacts, group by group, in the order of their colours; at the end those that are in none.
    contacts: Vec<u32>,
    colors: Vec<u8>,
    /// Where the last ones begin.
    others: usize,
    /// Some bodies are in no group.
    some_apart: bool,
    /// The group of each awake body, and its index in the batch.
    of_body: Vec<u32>,
    batch_indices: Vec<u32>,
    /// The group of each island, and of each coloured contact.
    of_island: Vec<u32>,
    of_contact: Vec<u32>,
    /// Memory of the sorting: how many bodies each group has, and where its next contact goes.
    counts: Vec<u32>,
    next: Vec<usize>,
    scratches: Vec<BatchScratch>,
    /// No body is in a group.
    #[cfg(test)]
    pub(crate) off: bool,
}

/// Some islands.
#[derive(Clone, Debug)]
struct Group {
    bodies: Range<usize>,
    contacts: Range<usize>,
}

/// Memory in which one thread solves group after group.
#[derive(Debug, Default)]
struct BatchScratch {
    masses: Vec<BodyMass>,
    drives: Vec<DriveBlock>,
    blocks: Vec<ContactBlock>,
    extras: Vec<BlockExtras>,
    colors: Vec<Range<usize>>,
    turning: Vec<Turning>,
    rebounds: RestitutionQueue,
    notes: Stored,
}

impl Groups {
    /// Sorts awake bodies and their contacts into groups, if there are enough of them. `crowding` says which bodies are
    /// to be moved apart, if any.
    pub(crate) fn form(&mut self, world: &WorldState, context: &StepContext, crowding: &[u16]) {
        let least = LEAST_GROUPS * context.crew.threads();
        let origin = Origin {
            contacts: world.colors.changes(),
            joints: world.joint_colors.changes(),
            bodies: world.sets.changes,
            burdens: world.burdens.changes(),
            solver: world.def.solver,
            least,
        };
        let calm = crowding.is_empty();
        if !calm || self.origin != Some(origin) {
            self.origin = calm.then_some(origin);
            self.groups.clear();
            self.contacts.clear();
            self.colors.clear();
            self.others = 0;
            #[cfg(test)]
            if self.off {
                return;
            }
            // What is left out for a measurement is left out of the stages only.
            if !world.left_out.is_empty() || !context.method.soft || world.colors.constraint_count() < least * GROUP / 2
            {
                return;
            }
            self.sort_islands(world, crowding);
            self.sort_bodies(world);
            if self.groups.len() < least {
                self.groups.clear();
                return;
            }
            self.sort_contacts(world);
        }
        if !self.groups.is_empty() {
            let states = &world.sets.awake().states;
            self.states.clear();
            self.states.extend(self.bodies.iter().map(|&place| states[place as usize]));
        }
    }

    /// True when there are no groups.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// True when all bodies are in groups.
    pub(crate) fn has_all(&self) -> bool {
        !self.groups.is_empty() && !self.some_apart
    }

    /// The contacts that are in no group, colour by colour.
    pub(crate) fn others(&self) -> impl Iterator<Item = &[u32]> {
        runs(&self.contacts[self.others..], &self.colors[self.others..])
    }

    /// What was noted while impulses were stored.
    pub(crate) fn notes_mut(&mut self) -> impl Iterator<Item = &mut Stored> {
        self.scratches.iter_mut().map(|scratch| &mut scratch.notes)
    }

    /// Says which islands are in no group whatever their size.
    fn sort_islands(&mut self, world: &WorldState, crowding: &[u16]) {
        let of_island = &mut self.of_island;
        of_island.clear();
        of_island.resize(world.islands.key_count(), OPEN);
        let mut leave_out = |body: u32| {
            if let Some(island) = world.islands.island_of(body) {
                of_island[island as usize] = APART;
            }
        };
        for (_, _, ends) in world.joint_colors.constraints() {
            ends.iter().flatten().for_each(|&body| leave_out(body));
        }
        for &index in world.burdens.chosen() {
            leave_out(world.contacts[index].body_a);
            leave_out(world.contacts[index].body_b);
        }
        for &gear in &world.gears {
            if let JointKind::Gear(gear) = world.joints[gear].def.kind {
                for tied in [gear.joint_a, gear.joint_b].map(|id| &world.joints[id.index()].def) {
                    leave_out(tied.body_a.index());
                    leave_out(tied.body_b.index());
                }
            }
        }
        for (color, contacts, ends) in world.colors.constraints() {
            if color == OVERFLOW {
                let live = contacts.iter().zip(ends).filter(|(index, _)| **index != HOLE);
                live.flat_map(|(_, ends)| ends).for_each(|&body| leave_out(body));
            }
        }
        let awake = world.sets.awake();
        for (sim, &overlaps) in awake.sims.iter().zip(crowding) {
            if overlaps > 0 {
                leave_out(sim.body);
            }
        }
        for (sim, state) in awake.sims.iter().zip(&awake.states) {
            if state.flags & BodyState::MOVABLE == 0 {
                touched_by(world, sim.body).for_each(&mut leave_out);
            }
        }
    }

    /// Gives each awake body a group, and each of them a place in it.
    fn sort_bodies(&mut self, world: &WorldState) {
        let awake = world.sets.awake();
        self.of_body.clear();
        self.batch_indices.clear();
        self.some_apart = false;
        let counts = &mut self.counts;
        counts.clear();
        let mut load = GROUP;
        for sim in &awake.sims {
            let group = match world.islands.island_of(sim.body) {
                None => APART,
                Some(island) => {
                    let group = &mut self.of_island[island as usize];
                    if *group == OPEN {
                        let size = world.islands.nodes(island).len() + world.islands.edge_count(island);
                        *group = if size > GROUP {
                            APART
                        } else {
                            if load + size > GROUP {
                                (load, _) = (0, counts.push(0));
                            }
                            load += size;
                            counts.len() as u32 - 1
                        };
                    }
                    *group
                }
            };
            self.of_body.push(group);
            let batch_index = match counts.get_mut(group as usize) {
                Some(count) => {
                    *count += 1;
                    *count - 1
                }
                None => {
                    self.some_apart = true;
                    NONE
                }
            };
            self.batch_indices.push(batch_index);
        }
        let mut first = 0;
        self.groups.extend(counts.iter().map(|&count| {
            let bodies = first..first + count as usize;
            first = bodies.end;
            Group { bodies, contacts: 0..0 }
        }));
        self.bodies.clear();
        self.bodies.resize(first, NONE);
        for (place, (&group, &batch_index)) in self.of_body.iter().zip(&self.batch_indices).enumerate() {
            if let Some(group) = self.groups.get(group as usize) {
                self.bodies[group.bodies.start + batch_index as usize] = place as u32;
            }
        }
    }

    /// Sorts the contacts by group, keeping the order of the colours. Those that found none are in no list.
    fn sort_contacts(&mut self, world: &WorldState) {
        let others = self.groups.len();
        let colors = || world.colors.constraints().filter(|(color, ..)| *color != OVERFLOW);
        self.of_contact.clear();
        let places = &mut self.next;
        places.clear();
        places.resize(others + 1, 0);
        for (_, _, ends) in colors() {
            self.of_contact.extend(ends.iter().map(|&[a, b]| {
                let body = if a == NONE { b } else { a };
                let place = world.sets.places.get(body as usize).copied().unwrap_or(NONE);
                let group = self.of_body.get(place as usize).copied().unwrap_or(APART);
                let group = if group == APART { others as u32 } else { group };
                places[group as usize] += 1;
                group
            }));
        }
        let mut first = 0;
        for (index, place) in places.iter_mut().enumerate() {
            let count = std::mem::replace(place, first);
            if let Some(group) = self.groups.get_mut(index) {
                group.contacts = first..first + count;
            }
            first += count;
        }
        self.others = places[others];
        self.contacts.resize(first, NONE);
        self.colors.resize(first, 0);
        let mut of_contact = self.of_contact.iter();
        for (color, contacts, _) in colors() {
            for (&contact, &group) in contacts.iter().zip(&mut of_contact) {
                let place = &mut places[group as usize];
                (self.contacts[*place], self.colors[*place]) = (contact, color);
                *place += 1;
            }
        }
    }
}

/// The bodies that a body touches.
fn touched_by(world: &WorldState, body: u32) -> impl Iterator<Item = u32> {
    let mut next = world.bodies[body].contact_head;
    std::iter::from_fn(move || {
        while next != NONE {
            let contact = &world.contacts[contact_of(next)];
            next = contact.edges[side_of(next)].next;
            if contact.active {
                return Some(contact.other_body(body));
            }
        }
        None
    })
}

/// The contacts of each colour.
fn runs<'a>(contacts: &'a [u32], colors: &'a [u8]) -> impl Iterator<Item = &'a [u32]> {
    let mut first = 0;
    colors.chunk_by(|a, b| a == b).map(move |run| {
        let range = first..first + run.len();
        first = range.end;
        &contacts[range]
    })
}

/// Takes every group through all sub-steps, and stores what came out.
pub(crate) fn solve_groups(
    world: &mut WorldState,
    groups: &mut Groups,
    constraints: &Constraints,
    narrow: &Narrow,
    context: &StepContext,
) {
    if groups.is_empty() {
        return;
    }
    let mut contacts = std::mem::take(&mut world.contacts);
    let mut awake_states = std::mem::take(&mut world.sets.awake_mut().states);
    let input = Input { world, narrow, warmth: constraints.warmth, growth: constraints.growth };
    solve_all(groups, &input, contacts.slots_mut(), &mut awake_states, context);
    world.sets.awake_mut().states = awake_states;
    world.contacts = contacts;
}

/// What groups are solved from.
struct Input<'a> {
    /// Without its contacts and states.
    world: &'a WorldState,
    narrow: &'a Narrow,
    /// As in [`Constraints`].
    warmth: f32,
    growth: f32,
}

#[allow(unsafe_code)]
fn solve_all(
    groups: &mut Groups,
    input: &Input<'_>,
    contacts: &mut [PoolSlot<Contact>],
    awake_states: &mut [BodyState],
    context: &StepContext,
) {
    let Groups { groups, bodies, states, contacts: lists, colors, batch_indices, scratches, .. } = groups;
    let (states, awake_states, contacts) = (Parts::of(states), Parts::of(awake_states), Parts::of(contacts));
    let (groups, bodies, lists, colors, batch_indices) = (&*groups, &*bodies, &*lists, &*colors, &*batch_indices);
    let alone = context.alone();
    context.crew.for_lists(scratches, groups.len(), context.crew.grain(groups.len(), 1), |range, scratch| {
        for group in &groups[range] {
            // SAFETY: every body is in one group at most.
            let states = unsafe { states.piece(group.bodies.clone()) };
            let bodies = &bodies[group.bodies.clone()];
            let lists = runs(&lists[group.contacts.clone()], &colors[group.contacts.clone()]);
            // SAFETY: every contact is in one group at most.
            unsafe { scratch.solve(input, &alone, (bodies, batch_indices), states, lists, &contacts) };
            for (&place, state) in bodies.iter().zip(states) {
                // SAFETY: as above.
                *unsafe { awake_states.item(place as usize) } = *state;
            }
        }
    });
}

impl BatchScratch {
    /// Takes a group through all sub-steps.
    ///
    /// # Safety
    /// No other thread may hold a reference to a contact in `lists`.
    #[allow(unsafe_code)]
    unsafe fn solve<'c>(
        &mut self,
        input: &Input<'_>,
        context: &StepContext,
        (places, batch_indices): (&[u32], &[u32]),
        states: &mut [BodyState],
        lists: impl Iterator<Item = &'c [u32]>,
        contacts: &Parts<'_, PoolSlot<Contact>>,
    ) {
        let BatchScratch { masses, drives, blocks, extras, colors, turning, rebounds, notes } = self;
        let Input { world, narrow, warmth, growth } = *input;
        let bodies = BodyList { awake: &world.sets.awake().sims, places: Some(places) };
        prepare_bodies(bodies, |_| true, context, masses, drives);

        let mut used = 0;
        colors.clear();
        for contacts in lists {
            list_color(extras, colors, &mut used, contacts, narrow.impacts.expected());
        }
        if blocks.len() < used {
            blocks.resize(used, ContactBlock::EMPTY);
        }
        let (blocks, extras) = (&mut blocks[..used], &mut extras[..used]);
        // SAFETY: contacts of this group are in no other group, and are written by `store_blocks` alone, below.
        let unchanging = unsafe { Unchanging::of(contacts) };
        let filling = Filling {
            world,
            motions: &narrow.motions,
            context,
            contacts: unchanging,
            masses,
            batch_indices: Some(batch_indices),
            warmth,
            growth,
        };
        rebounds.clear();
        let filled = filling.fill(blocks, extras);
        if filled.rebounds {
            rebounds.list(colors, extras);
        }
        turning.clear();
        if filled.turns {
            list_turning(turning, blocks, extras);
        }
        context.width.run(MarkLoaded { blocks, states: Rows::of(states) });

        let passed = colors.len();
        let mut batch = Batch {
            bodies,
            masses,
            states,
            drives,
            blocks: &mut *blocks,
            extras: &mut *extras,
            colors,
            passed,
            turning,
            rebounds,
            coupled: None,
            substep: 0,
        };
        soft_substeps(&mut batch, context, &mut |_| {});
        // SAFETY: every contact is in one lane of one block of one group; `filling` was used for the last time above.
        unsafe { store_blocks(contacts, (blocks, extras), context, world.def.hit_speed, notes) };
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    fn add(world: &mut World, kind: BodyKind, x: f32, y: f32, shape: ShapeDef) -> BodyId {
        let body = world.add_body(BodyDef { kind, position: vec2(x, y), ..BodyDef::default() }).unwrap();
        world.add_shape(body, shape).unwrap();
        body
    }

    /// Heaps of all that groups take and leave: boxes, balls that bounce, boxes put into each other, two that are joined, some
    /// on a platform that moves, some that begin with their loads, and one that carries a heavy one.
    fn heaps(threads: u32) -> World {
        let mut world = World::new(WorldDef { threads, ..WorldDef::default() });
        add(&mut world, BodyKind::Fixed, 0.0, -0.5, ShapeDef::rectangle(400.0, 1.0));
        let brick = ShapeDef::rectangle(0.8, 0.4);
        for heap in 0..16_u8 {
            let x = -80.0 + 10.0 * f32::from(heap);
            for row in 0..4_u8 {
                for column in 0..4 - row {
                    let (x, y) = (x + f32::from(column) + 0.5 * f32::from(row), 0.5 + 0.5 * f32::from(row));
                    let shape = match heap % 4 {
                        0 => ShapeDef { restitution: 0.5, ..ShapeDef::circle(0.3) },
                        _ => brick.clone(),
                    };
                    add(&mut world, BodyKind::Dynamic, x, y, shape);
                }
            }
        }
        for (x, y) in [(90.0, 0.4), (90.2, 0.5)] {
            add(&mut world, BodyKind::Dynamic, x, y, brick.clone());
        }
        let [a, b] = [(100.0, 1.0), (101.0, 1.0)].map(|(x, y)| add(&mut world, BodyKind::Dynamic, x, y, brick.clone()));
        world.add_joint(JointDef::rod(a, b, 1.0)).unwrap();
        let platform = add(&mut world, BodyKind::Kinematic, 120.0, 2.0, ShapeDef::rectangle(6.0, 0.5));
        world.body_mut(platform).set_velocity(vec2(0.5, 0.0)).unwrap();
        for y in [2.6, 3.2] {
            add(&mut world, BodyKind::Dynamic, 120.0, y, brick.clone());
        }
        // Two discs side by side and one on both, at rest: they have their loads from `preload.rs`.
        for (x, y) in [(139.7, 0.3), (140.3, 0.3), (140.0, 0.3 + 0.3 * 1.732_051)] {
            add(&mut world, BodyKind::Dynamic, x, y, ShapeDef::circle(0.3));
        }
        // A heavy box on a light one: `burdens.rs`.
        add(&mut world, BodyKind::Dynamic, 160.0, 0.2, brick.clone());
        add(&mut world, BodyKind::Dynamic, 160.1, 0.6, ShapeDef { density: 1.0e4, ..brick });
        world
    }

    /// What is solved in groups moves as it does with all others, to the bit, on any number of threads.
    #[test]
    fn groups_change_nothing() {
        let mut whole = heaps(1);
        whole.scratch.groups.off = true;
        let mut grouped = [1, 2, 3].map(heaps);
        let (mut in_groups, mut left_out, mut burdened) = (0, 0, 0);
        for step in 0..150 {
            whole.step(1.0 / 60.0);
            assert!(whole.scratch.groups.is_empty());
            assert!(!whole.state.preloads.is_empty(), "step {step}");
            burdened += usize::from(whole.state.burdens.chosen().len() == 2);
            for world in &mut grouped {
                world.step(1.0 / 60.0);
                assert_eq!(world.state_hash(), whole.state_hash(), "step {step}, {} threads", world.def().threads);
            }
            let groups = &grouped[1].scratch.groups;
            if !groups.is_empty() {
                in_groups += groups.bodies.len();
                left_out += usize::from(groups.some_apart);
                assert!(groups.groups.iter().all(|group| group.bodies.len() <= super::GROUP));
            }
        }
        assert!(in_groups > 1000 && left_out > 100, "{in_groups} bodies in groups, {left_out} steps with others");
        assert!(burdened > 20, "{burdened} steps with a light box under a heavy one");
    }
}
