//! The loads of what has just been built.
//!
//! Contacts begin each step with the impulses of the last one, and are springs that carry a load once they have given way.
//! An assembly that was put together between two steps has neither. Its loads are handed on by one body in a pass, and it
//! sinks until the springs carry it: a column by a little, but an arch bends, and one of 35 stones sank by 0.3 m and fell.
//!
//! So islands all of whose contacts are new, between surfaces at rest against each other, are asked whether they stand. If they
//! do, contacts begin with the impulses that hold them, and with the springs pressed as these loads would have them: they stay
//! where they were built. Where less is carried later, less stays pressed, so nothing is lifted by a load that is gone.
//!
//! Upright stacks hand their loads straight down (`statics.rs`). Others are asked by the method of the direct solver
//! (`direct.rs`), which finds the impulses that hold them against the forces of one sub-step. (Passes would need about as many
//! as the fourth power of the bodies in a row that can bend.) Where statics leaves loads open, as it does an arch's thrust, the
//! compliance of that method decides: it is a share of `K`, and so is that of the contacts. What has no inclined contact and is
//! no upright stack is left alone: while its loads are handed on it sinks as a whole, where with inclined contacts it spreads.
//!
//! Contacts that are not pressed keep their frames while only their softness moves them (`contacts.rs`), by their depth. These
//! have none, so in columns, which would buckle, what they keep is decided here, by the depth that their loads would give them.

use super::StepContext;
use super::burdens::Burdens;
use super::color::Joiner;
use super::contacts::{NewPoint, is_within_give};
use super::statics::Stack;
use crate::ablation::Measure;
use crate::body::{BodyKind, NONE};
use crate::contact::{Contact, ContactManifold, contact_of, side_of};
use crate::math::{Vec2, cross, max, min};
use crate::sets::SolverSet;
use crate::solver::system::{Resting, System};
use crate::solver::{BlockExtras, ContactBlock, Movers, response};
use crate::world::WorldState;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// What contacts carried when they were built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preloads {
    /// By contact, for as many as there are. Of those that sleep it is not looked at.
    pub(crate) carried: Vec<Carried>,
    /// The contacts of columns that are awake, with the frames that they keep.
    pub(crate) framed: Vec<Framed>,
    /// Some contact may carry something.
    pub(crate) any: bool,
    /// One over the length of the last step in seconds.
    inv_time: f32,
    /// Of each island, how many of its contacts between two dynamic bodies are new.
    joined: Vec<u32>,
    /// The contacts of islands that have no others, with their islands.
    members: Vec<(u32, u32)>,
    contacts: Vec<u32>,
    stack: Stack,
}

/// Islands with more contacts between two bodies are left to passes: a bound on what a first step may cost, not measured.
const MOST_CONTACTS: usize = 256;
/// So many steps go by until it is noticed that no contact carries anything any more.
const STEPS_PER_LOOK: u64 = 256;
/// What falls by less than this share of gravity stands: above what the direct solver leaves over, chosen and not derived.
const STANDS: f32 = 0.01;
/// Contacts within 15 degrees of gravity, or of what is across it, are not inclined: the sine of twice that angle. Chosen
/// between stacks that lean a little and the joints of arches, some of which are at 45 degrees in any arch.
const INCLINED: f32 = 0.5;

/// Contacts that have just got colours may carry loads from the beginning.
pub(crate) fn preload(world: &mut WorldState, joiners: &[Joiner], system: &mut System, context: &StepContext) {
    if world.left_out.contains(Measure::InitialLoads) {
        world.preloads = Preloads::default();
        return;
    }
    if joiners.is_empty() && world.preloads.is_empty() {
        return;
    }
    if world.step_count.is_multiple_of(STEPS_PER_LOOK) {
        world.preloads.any = !world.preloads.carried.iter().all(Carried::is_nothing);
    }
    let mut preloads = std::mem::take(&mut world.preloads);
    // Of the step before, or nothing has been carried yet.
    preloads.inv_time = 1.0 / max(world.last_h * world.last_substeps as f32, f32::MIN_POSITIVE);
    if context.keeps_frames {
        preloads.keep_frames(world, context);
    }
    preloads.find_islands(world, joiners);
    let members = std::mem::take(&mut preloads.members);
    for contacts in members.chunk_by(|(a, _), (b, _)| a == b) {
        let island = contacts[0].0;
        if !begins_at_rest(world, context, island) {
            continue;
        }
        preloads.contacts.clear();
        preloads.contacts.extend(contacts.iter().map(|&(_, index)| index));
        if preloads.stack.find(world, context, island, &preloads.contacts) {
            let forces = preloads.stack.forces();
            let found = forces.map(|(index, point, force)| (index, point, [force * context.h, 0.0])).collect();
            preloads.load(world, context, found);
            preloads.frame_columns(world);
        } else if contacts.len() <= MOST_CONTACTS
            && is_inclined(world, context, &preloads.contacts)
            // None where nothing stands: what falls has not been there before.
            && let Some(found) = find_loads(world, system, context, &preloads.contacts)
        {
            preloads.load(world, context, found);
        }
    }
    preloads.members = members;
    world.preloads = preloads;
}

/// The impulses that hold an island against the forces of a sub-step, if there are any.
fn find_loads(
    world: &WorldState,
    system: &mut System,
    context: &StepContext,
    contacts: &[u32],
) -> Option<Vec<(u32, u8, [f32; 2])>> {
    let SolverSet { sims, states } = world.sets.awake();
    let resting = Resting { contacts: &world.contacts, sims, states, places: &world.sets.places };
    system.find_loads(&resting, context, contacts, STANDS * context.fall)
}

/// The forces at the points of a contact for which it does not give way, in N, and the features that make them. Blocks are filled
/// side by side, and each contact is in one lane of one of them, so no other thread changes it.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    pub(crate) ids: AtomicU32,
    pub(crate) forces: [AtomicU32; 2],
    /// It has carried this for no step yet.
    pub(crate) is_new: AtomicBool,
    /// It is part of a column, and keeps its frame; and it is listed for that.
    pub(crate) is_column: bool,
    pub(crate) is_framed: bool,
}

impl Clone for Carried {
    fn clone(&self) -> Carried {
        Carried {
            ids: AtomicU32::new(self.ids.load(Relaxed)),
            forces: self.forces().map(|force| AtomicU32::new(force.to_bits())),
            is_new: AtomicBool::new(self.is_new.load(Relaxed)),
            is_column: self.is_column,
            is_framed: self.is_framed,
        }
    }
}

/// The features of both points as one number.
fn features(manifold: &ContactManifold) -> u32 {
    u32::from(manifold.ids[0]) | u32::from(manifold.ids[1]) << 16
}

impl Carried {
    #[inline]
    fn forces(&self) -> [f32; 2] {
        [f32::from_bits(self.forces[0].load(Relaxed)), f32::from_bits(self.forces[1].load(Relaxed))]
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.forces() == [0.0; 2]
    }

    fn set(&self, ids: u32, forces: [f32; 2]) {
        self.ids.store(ids, Relaxed);
        (0..2).for_each(|i| self.forces[i].store(forces[i].to_bits(), Relaxed));
    }

    /// What it carries now, if that is something: what is carried no longer will not be carried again.
    #[inline]
    fn keep_up(&self, manifold: &ContactManifold, inv_time: f32) -> Option<[f32; 2]> {
        let mut forces = self.forces();
        if forces == [0.0; 2] {
            return None;
        }
        if self.is_new.load(Relaxed) {
            self.is_new.store(false, Relaxed);
            return Some(forces);
        }
        let (before, ids) = (self.ids.load(Relaxed), features(manifold));
        if before != ids {
            let at = |id: u16| {
                if id == before as u16 {
                    forces[0]
                } else if u32::from(id) == before >> 16 {
                    forces[1]
                } else {
                    0.0
                }
            };
            forces = manifold.ids.map(at);
        }
        for i in 0..2 {
            let now = if i < usize::from(manifold.count) { manifold.points[i].total_impulse * inv_time } else { 0.0 };
            forces[i] = min(forces[i], now);
        }
        self.set(ids, forces);
        Some(forces)
    }
}

/// A contact and the frame that it keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framed {
    pub(crate) contact: u32,
    pub(crate) normal: Vec2,
    /// Of both bodies, by point.
    pub(crate) anchors: [[Vec2; 2]; 2],
    /// `K` of its first point, and whether one of the bodies cannot be moved: what it takes to know its softness.
    pub(crate) response: f32,
    pub(crate) on_wall: bool,
}

impl Framed {
    fn of(world: &WorldState, index: u32) -> Framed {
        let Contact { body_a, body_b, manifold, .. } = &world.contacts[index];
        let anchors = manifold.points.map(|point| [point.anchor_a, point.anchor_b]);
        let [a, b] = [*body_a, *body_b].map(|body| {
            let is_dynamic = world.bodies[body].kind == BodyKind::Dynamic;
            if is_dynamic { (world.sim(body).inv_mass, world.sim(body).inv_inertia) } else { (Vec2::ZERO, 0.0) }
        });
        let at = (anchors[0][0], anchors[0][1]);
        let response = response(Movers::of(a, b), manifold.normal, at, at);
        let on_wall = a.0 == Vec2::ZERO || b.0 == Vec2::ZERO;
        Framed { contact: index, normal: manifold.normal, anchors, response, on_wall }
    }

    /// How far it would give way under these forces.
    fn depth(&self, forces: [f32; 2], context: &StepContext) -> f32 {
        let softness = context.softness(1.0, if self.on_wall { 0.0 } else { 1.0 });
        softness.softening * self.response * context.h * max(forces[0], forces[1]) / softness.bias_rate
    }

    /// Gives a manifold its old frame again if it has hardly left it.
    fn keep(&mut self, manifold: &mut ContactManifold, carried: &Carried, context: &StepContext) {
        if manifold.count < 2 {
            return;
        }
        let points = manifold.points.map(|point| NewPoint {
            anchor_a: point.anchor_a,
            anchor_b: point.anchor_b,
            separation: point.separation,
            approach_velocity: point.approach_velocity,
        });
        let mut before = *manifold;
        before.normal = self.normal;
        for (point, [anchor_a, anchor_b]) in before.points.iter_mut().zip(self.anchors) {
            (point.anchor_a, point.anchor_b) = (anchor_a, anchor_b);
        }
        let pressed = self.depth(carried.forces(), context);
        let is_known = carried.ids.load(Relaxed) == features(manifold);
        if is_known && is_within_give(&before, manifold.normal, &points, pressed) {
            *manifold = before;
        } else {
            self.normal = manifold.normal;
            self.anchors = manifold.points.map(|point| [point.anchor_a, point.anchor_b]);
        }
    }
}

impl Preloads {
    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    /// The contact is no more.
    pub(crate) fn forget(&mut self, index: u32) {
        if let Some(carried) = self.carried.get_mut(index as usize) {
            *carried = Carried::default();
        }
    }

    /// A contact got a colour: it is new, or it wakes.
    pub(super) fn note(&mut self, world: &WorldState, index: u32) {
        let Some(carried) = self.carried.get_mut(index as usize) else { return };
        if carried.is_column && !carried.is_framed && !carried.is_nothing() {
            carried.is_framed = true;
            self.framed.push(Framed::of(world, index));
        }
    }

    /// Gives contacts their frames again, and leaves out those that carry nothing any more, or sleep.
    fn keep_frames(&mut self, world: &mut WorldState, context: &StepContext) {
        let Preloads { framed, carried, .. } = self;
        framed.retain_mut(|framed| {
            let carried = &mut carried[framed.contact as usize];
            let contact = world.contacts.get_at_mut(framed.contact);
            let contact =
                contact.filter(|contact| carried.is_column && contact.slot.is_some() && !carried.is_nothing());
            carried.is_framed = contact.is_some();
            contact.into_iter().for_each(|contact| framed.keep(&mut contact.manifold, carried, context));
            carried.is_framed
        });
    }

    /// Lets the contacts of a block carry their loads without giving way. A soft contact rests where
    /// `bias_rate s + softening P = 0`: with `s` moved by `softening P / bias_rate` that is where it was built.
    pub(crate) fn press<'c>(
        &self,
        block: &mut ContactBlock,
        extras: &BlockExtras,
        contact: impl Fn(u32) -> &'c Contact,
        burdens: &Burdens,
        h: f32,
    ) {
        for lane in block.lanes() {
            let index = extras.contact[lane];
            let Some(carried) = self.carried.get(index as usize) else { continue };
            let Some(forces) = carried.keep_up(&contact(index).manifold, self.inv_time) else { continue };
            // What is solved exactly is no spring.
            if burdens.has(index) {
                continue;
            }
            let time = h / block.common(extras, lane).bias_rate;
            for (point, force) in block.points.iter_mut().zip(forces) {
                point.base_separation.0[lane] -= point.softening.0[lane] * force * time;
            }
        }
    }

    /// Gives contacts the impulses that carry them, as if the last step had left them: by contact and point, that along the
    /// normal and that along the tangent, one by one.
    fn load(&mut self, world: &mut WorldState, context: &StepContext, found: Vec<(u32, u8, [f32; 2])>) {
        self.carried.resize_with(world.contacts.slot_count().max(self.carried.len()), Carried::default);
        self.any = true;
        // Those of a longer sub-step will be taken for more.
        let scale = max(world.last_h * context.inv_h, 1.0);
        for &(index, point, [push, slide]) in &found {
            let manifold = &mut world.contacts[index].manifold;
            let carried = &mut self.carried[index as usize];
            let mut forces = carried.forces();
            forces[usize::from(point)] += push * context.inv_h;
            carried.set(features(manifold), forces);
            *carried.is_new.get_mut() = true;
            manifold.points[usize::from(point)].normal_impulse += push * scale;
            manifold.points[usize::from(point)].tangent_impulse += slide * scale;
        }
    }

    /// The columns of the stack keep their frames.
    fn frame_columns(&mut self, world: &WorldState) {
        for index in self.stack.columns() {
            let carried = &mut self.carried[index as usize];
            (carried.is_column, carried.is_framed) = (true, true);
            self.framed.push(Framed::of(world, index));
        }
    }

    /// Lists the new contacts of islands that have no others between two of their bodies, nor joints.
    fn find_islands(&mut self, world: &WorldState, joiners: &[Joiner]) {
        let Preloads { joined, members, .. } = self;
        joined.resize(world.islands.key_count().max(joined.len()), 0);
        for joiner in joiners.iter().filter(|joiner| joiner.island != NONE) {
            joined[joiner.island as usize] += u32::from(world.contacts[joiner.index].island_edge != NONE);
        }
        members.clear();
        for joiner in joiners.iter().filter(|joiner| joiner.island != NONE) {
            let count = joined[joiner.island as usize] as usize;
            if count > 0 && count == world.islands.edge_count(joiner.island) {
                members.push((joiner.island, joiner.index));
            }
        }
        for joiner in joiners.iter().filter(|joiner| joiner.island != NONE) {
            joined[joiner.island as usize] = 0;
        }
        // Keeps the order of the contacts within islands.
        members.sort_by_key(|&(island, _)| island);
    }
}

/// Is one of these contacts neither along gravity nor across it?
fn is_inclined(world: &WorldState, context: &StepContext, contacts: &[u32]) -> bool {
    let down = context.gravity.normalize_or_zero();
    contacts.iter().any(|&index| {
        let normal = world.contacts[index].manifold.normal;
        2.0 * (normal.dot(down) * cross(normal, down)).abs() > INCLINED
    })
}

/// Are all contacts of an island new, and between surfaces that are at rest against each other?
fn begins_at_rest(world: &WorldState, context: &StepContext, island: u32) -> bool {
    let begins = |contact: &Contact| {
        let points = &contact.manifold.points[..contact.manifold.count as usize];
        // What gravity alone gives within a sub-step is no approach.
        let rests = points.iter().all(|point| point.approach_velocity.abs() <= context.fall);
        rests && !contact.touching && !contact.is_foreseen()
    };
    let bodies = world.islands.nodes(island);
    bodies.iter().all(|&body| contacts_of(world, body).all(|contact| !contact.active || begins(contact)))
}

fn contacts_of(world: &WorldState, body: u32) -> impl Iterator<Item = &Contact> {
    let mut next = world.bodies[body].contact_head;
    std::iter::from_fn(move || {
        let contact = (next != NONE).then(|| &world.contacts[contact_of(next)])?;
        next = contact.edges[side_of(next)].next;
        Some(contact)
    })
}
