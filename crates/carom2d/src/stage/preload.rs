//! The loads of what has just been built.
//!
//! Contacts begin each step with the impulses of the last one, and are springs that carry a load once they have given way.
//! An assembly that was put together between two steps has neither. Its loads are handed on by one body in a pass, and it
//! sinks until the springs carry it: a column by a little, but an arch bends, and one of 35 stones sank by 0.3 m and fell.
//!
//! So islands all of whose contacts are new, between surfaces at rest against each other, are asked whether they stand: by
//! the method of the direct solver (`direct.rs`), which finds the impulses that hold them against the forces of one
//! sub-step. (Passes would need about as many as the fourth power of the bodies in a row that can bend.) If they do,
//! contacts begin with these impulses, and with the springs pressed as these loads would have them: they stay where they
//! were built. Where less is carried later, less stays pressed, so nothing is lifted by a load that is gone.
//!
//! Where statics leaves loads open, as it does an arch's thrust, the compliance of that method decides: it is a share of
//! `K`, and so is that of the contacts.
//!
//! Stacks whose contacts are all along gravity or across it are left alone: their loads go straight down, and while they
//! are handed on the stack sinks as a whole. Where contacts are inclined sinking is spreading.

use super::StepContext;
use super::burdens::Burdens;
use super::direct::load_exactly;
use crate::body::NONE;
use crate::contact::{Contact, contact_of, side_of};
use crate::math::{cross, max, min};
use crate::solver::{BlockExtras, ContactBlock, Solver};
use crate::world::World;

/// What contacts carried when they were built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preloads {
    /// The contacts that carry something still, and what, by contact.
    listed: Vec<u32>,
    carried: Vec<Carried>,
    /// Of each island, how many of its contacts between two dynamic bodies are new.
    joined: Vec<u32>,
    /// The contacts of islands that have no others, with their islands.
    members: Vec<(u32, u32)>,
    contacts: Vec<u32>,
}

/// Islands with more contacts between two bodies are left to passes: a bound on what a first step may cost, not measured.
const MOST_CONTACTS: usize = 256;
/// What falls by less than this share of gravity stands: above what the direct solver leaves over, chosen and not derived.
const STANDS: f32 = 0.01;
/// Contacts within 15 degrees of gravity, or of what is across it, are not inclined: the sine of twice that angle. Chosen
/// between stacks that lean a little and the joints of arches, some of which are at 45 degrees in any arch.
const INCLINED: f32 = 0.5;

pub(crate) fn preload(world: &mut World, context: &StepContext) {
    if world.def.solver != Solver::SoftStep || world.constraints.joiners.is_empty() && world.preloads.is_empty() {
        return;
    }
    let mut preloads = std::mem::take(&mut world.preloads);
    preloads.keep_up(world);
    preloads.find_islands(world);
    let members = std::mem::take(&mut preloads.members);
    for island in members.chunk_by(|(a, _), (b, _)| a == b) {
        preloads.contacts.clear();
        preloads.contacts.extend(island.iter().map(|&(_, index)| index));
        if is_inclined(world, context, &preloads.contacts) && begins_at_rest(world, context, island[0].0) {
            preloads.load(world, context);
        }
    }
    preloads.members = members;
    world.preloads = preloads;
}

/// The forces at the points of a contact for which it does not give way, in N, and the features that make them.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    ids: [u16; 2],
    forces: [f32; 2],
}

impl Carried {
    /// The force at a point with this id.
    fn at(&self, id: u16) -> f32 {
        (0..2).find(|&i| self.ids[i] == id && self.forces[i] > 0.0).map_or(0.0, |i| self.forces[i])
    }
}

impl Preloads {
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The contact is no more.
    pub(crate) fn forget(&mut self, index: u32) {
        if let Some(carried) = self.carried.get_mut(index as usize) {
            *carried = Carried::default();
        }
    }

    /// What is carried no longer will not be carried again.
    fn keep_up(&mut self, world: &World) {
        let Preloads { listed, carried, .. } = self;
        let time = world.last_h * world.last_substeps as f32;
        listed.retain(|&index| {
            let kept = &mut carried[index as usize];
            if kept.forces == [0.0; 2] {
                return false;
            }
            let contact = &world.contacts[index];
            if contact.active && contact.slot.is_none() {
                // It sleeps.
                return true;
            }
            let manifold = &contact.manifold;
            let mut now = Carried { ids: manifold.ids, forces: [0.0; 2] };
            for i in 0..usize::from(manifold.count) {
                now.forces[i] = min(kept.at(manifold.ids[i]), manifold.points[i].total_impulse / time);
            }
            *kept = now;
            now.forces != [0.0; 2]
        });
    }

    /// Lets the contacts of a block carry their loads without giving way. A soft contact rests where
    /// `bias_rate s + softening P = 0`: with `s` moved by `softening P / bias_rate` that is where it was built.
    pub(super) fn press<'c>(
        &self,
        block: &mut ContactBlock,
        extras: &BlockExtras,
        contact: impl Fn(u32) -> &'c Contact,
        burdens: &Burdens,
        h: f32,
    ) {
        // What is solved exactly is no spring.
        for lane in block.lanes().filter(|&lane| !burdens.has(extras.contact[lane])) {
            let index = extras.contact[lane];
            let Some(carried) = self.carried.get(index as usize).filter(|carried| carried.forces != [0.0; 2]) else {
                continue;
            };
            let bias_rate = block.common(extras, lane).bias_rate;
            let manifold = &contact(index).manifold;
            for i in 0..usize::from(manifold.count) {
                let point = &mut block.points[i];
                let impulse = h * carried.at(manifold.ids[i]);
                point.base_separation.0[lane] -= point.softening.0[lane] * impulse / bias_rate;
            }
        }
    }

    /// Gives contacts the impulses that carry them, as if the last step had left them. None where nothing stands: what
    /// falls has not been there before.
    fn load(&mut self, world: &mut World, context: &StepContext) {
        let Some(found) = load_exactly(world, context, &self.contacts, STANDS * context.fall) else { return };
        self.carried.resize(world.contacts.slot_count().max(self.carried.len()), Carried::default());
        let Preloads { listed, carried, contacts, .. } = self;
        listed.extend(contacts.iter());
        // Those of a longer sub-step will be taken for more.
        let scale = max(world.last_h * context.inv_h, 1.0);
        for (index, point, [push, slide]) in found {
            let manifold = &mut world.contacts[index].manifold;
            carried[index as usize].ids = manifold.ids;
            carried[index as usize].forces[usize::from(point)] += push * context.inv_h;
            manifold.points[usize::from(point)].normal_impulse += push * scale;
            manifold.points[usize::from(point)].tangent_impulse += slide * scale;
        }
    }

    /// Lists the new contacts of islands that have no others between two of their bodies, nor joints.
    fn find_islands(&mut self, world: &World) {
        let joiners = &world.constraints.joiners;
        let Preloads { joined, members, .. } = self;
        joined.resize(world.islands.key_count().max(joined.len()), 0);
        for joiner in joiners.iter().filter(|joiner| joiner.island != NONE) {
            joined[joiner.island as usize] += u32::from(world.contacts[joiner.index].island_edge != NONE);
        }
        members.clear();
        for joiner in joiners.iter().filter(|joiner| joiner.island != NONE) {
            let count = joined[joiner.island as usize] as usize;
            if count > 0 && count <= MOST_CONTACTS && count == world.islands.edge_count(joiner.island) {
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
fn is_inclined(world: &World, context: &StepContext, contacts: &[u32]) -> bool {
    let down = context.gravity.normalize_or_zero();
    contacts.iter().any(|&index| {
        let normal = world.contacts[index].manifold.normal;
        2.0 * (normal.dot(down) * cross(normal, down)).abs() > INCLINED
    })
}

/// Are all contacts of an island new, and between surfaces that are at rest against each other?
fn begins_at_rest(world: &World, context: &StepContext, island: u32) -> bool {
    let begins = |contact: &Contact| {
        let points = &contact.manifold.points[..contact.manifold.count as usize];
        // What gravity alone gives within a sub-step is no approach.
        let rests = points.iter().all(|point| point.approach_velocity.abs() <= context.fall);
        rests && !contact.touching && !contact.is_foreseen()
    };
    let bodies = world.islands.nodes(island);
    bodies.iter().all(|&body| contacts_of(world, body).all(|contact| !contact.active || begins(contact)))
}

fn contacts_of(world: &World, body: u32) -> impl Iterator<Item = &Contact> {
    let mut next = world.bodies[body].contact_head;
    std::iter::from_fn(move || {
        let contact = (next != NONE).then(|| &world.contacts[contact_of(next)])?;
        next = contact.edges[side_of(next)].next;
        Some(contact)
    })
}
