//! Impulses go back to the contacts, for the next step's warm start and for whoever reads them;
//! what began or ceased to touch, and what hit hard, is reported.

use super::StepContext;
use super::solve::LEAST_FILLED;
use crate::contact::{Contact, SOLVED_BYTES};
use crate::events::HitEvent;
use crate::math::Vec2;
use crate::solver::{BlockExtras, ContactBlock};
use crate::world::World;
use carom_core::PoolSlot;
use carom_threads::Parts;
use carom_wide::prefetch_at;

pub(crate) fn store_impulses(world: &mut World, context: &StepContext) {
    super::joints::store_joint_impulses(world, context);
    let blocks = std::mem::take(&mut world.constraints.blocks);
    let extras = std::mem::take(&mut world.constraints.extras);
    let mut changed = std::mem::take(&mut world.constraints.changed);
    let mut hits = std::mem::take(&mut world.constraints.hits);
    changed.clear();
    hits.clear();
    let mut notes = std::mem::take(&mut world.constraints.stored);
    let mut groups = std::mem::take(&mut world.constraints.groups);
    store_all(world, context, (&blocks, &extras), &mut notes);
    for notes in notes.iter_mut().chain(groups.notes_mut()) {
        changed.append(&mut notes.changed);
        for body in notes.belts.drain(..) {
            world.sim_mut(body).sleep_time_s = 0.0;
        }
        for index in notes.struck.drain(..) {
            hits.extend(hardest_hit(world, index).map(|hit| (world.contacts[index].order(), hit)));
        }
    }
    world.constraints.stored = notes;
    world.constraints.groups = groups;
    for &index in &world.constraints.crowded {
        let contact = &world.contacts[index];
        if !contact.touching {
            changed.push((contact.order(), index));
        }
    }
    changed.sort_unstable();
    for &(_, index) in &changed {
        let touching = !world.contacts[index].touching;
        world.set_touching(index, touching);
    }
    // No two contacts have the same order.
    hits.sort_unstable_by_key(|&(order, _)| order);
    let reported = world.log.contact_hit.len();
    for &(_, hit) in &hits {
        // Parts of one shape hit together: that is one hit, at the fastest of them.
        let same = |other: &&mut HitEvent| (other.shape_a, other.shape_b) == (hit.shape_a, hit.shape_b);
        let has_parts = |id: crate::ShapeId| !world.shapes[id.index()].parts.is_empty();
        let known = if has_parts(hit.shape_a) || has_parts(hit.shape_b) {
            world.log.contact_hit[reported..].iter_mut().find(same)
        } else {
            None
        };
        match known {
            Some(known) => {
                let impulse = known.impulse + hit.impulse;
                if hit.approach_speed > known.approach_speed {
                    *known = hit;
                }
                known.impulse = impulse;
            }
            None => world.log.contact_hit.push(hit),
        }
    }
    world.constraints.blocks = blocks;
    world.constraints.extras = extras;
    world.constraints.changed = changed;
    world.constraints.hits = hits;
}

/// What is noted of contacts while impulses are stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    /// Those that begin or cease to touch, with their order.
    changed: Vec<(u64, u32)>,
    /// Those that were struck fast.
    struck: Vec<u32>,
    /// Bodies on belts, and the belts: they stay awake, however slow they are.
    belts: Vec<u32>,
}

/// Writes the impulses of all blocks to their contacts.
fn store_all(
    world: &mut World,
    context: &StepContext,
    (blocks, extras): (&[ContactBlock], &[BlockExtras]),
    notes: &mut Vec<Stored>,
) {
    let hit_speed = world.def.hit_speed;
    let contacts = Parts::of(world.contacts.slots_mut());
    let grain = context.crew.grain(blocks.len(), LEAST_FILLED);
    context.crew.for_lists(notes, blocks.len(), grain, |range, notes| {
        store_blocks(&contacts, (&blocks[range.clone()], &extras[range]), hit_speed, notes);
    });
}

/// Writes the impulses of some blocks, whose contacts are in no others.
#[allow(unsafe_code)]
pub(super) fn store_blocks(
    contacts: &Parts<'_, PoolSlot<Contact>>,
    (blocks, extras): (&[ContactBlock], &[BlockExtras]),
    hit_speed: f32,
    notes: &mut Stored,
) {
    for (place, (block, lanes)) in blocks.iter().zip(extras).enumerate() {
        // As in `prepare.rs`.
        for &contact in extras.get(place + 1).iter().flat_map(|next| &next.contact) {
            prefetch_at(contacts.pointer(contact as usize), SOLVED_BYTES);
        }
        for lane in block.lanes() {
            let index = lanes.contact[lane];
            // SAFETY: every contact is in one lane of one block.
            let contact = unsafe { contacts.item(index as usize) }.value_mut();
            store(contact, index, (block, lanes), lane, hit_speed, notes);
        }
    }
}

/// Writes the impulses of one contact.
fn store(
    contact: &mut Contact,
    index: u32,
    (block, extras): (&ContactBlock, &BlockExtras),
    lane: usize,
    hit_speed: f32,
    notes: &mut Stored,
) {
    let count = contact.manifold.count as usize;
    let (mut touching, mut struck) = (false, false);
    for (point, from) in contact.manifold.points[..count].iter_mut().zip(&block.points) {
        point.normal_impulse = from.normal_impulse.0[lane];
        point.tangent_impulse = from.tangent_impulse.0[lane];
        point.total_impulse = from.total_impulse.0[lane];
        point.total_tangent = from.total_tangent.0[lane];
        touching |= point.total_impulse > 0.0 || point.separation <= 0.0;
        struck |= -point.approach_velocity > hit_speed;
    }
    contact.manifold.rolling_impulse = extras.rolling_impulse.0[lane];
    if touching != contact.touching {
        notes.changed.push((contact.order(), index));
    }
    if struck {
        notes.struck.push(index);
    }
    if touching && contact.material.surface_speed != 0.0 {
        notes.belts.extend([contact.body_a, contact.body_b]);
    }
}

/// The hit event of a contact, if one of its points was struck fast enough.
fn hardest_hit(world: &World, index: u32) -> Option<HitEvent> {
    let contact = &world.contacts[index];
    let manifold = &contact.manifold;
    let points = &manifold.points[..manifold.count as usize];
    let fastest = points
        .iter()
        .filter(|point| point.total_impulse > 0.0 && -point.approach_velocity > world.def.hit_speed)
        .min_by(|p, q| p.approach_velocity.total_cmp(&q.approach_velocity))?;
    let (a, b) = (&world.shapes[contact.shape_a], &world.shapes[contact.shape_b]);
    if !(a.contact_events && b.contact_events) {
        return None;
    }
    let center: Vec2 = world.sim(contact.body_a).center;
    let (id_a, id_b) = (world.owner_id(contact.shape_a), world.owner_id(contact.shape_b));
    // Parts may have been added in another order than their shapes.
    let (shape_a, shape_b, normal) =
        if id_a.index() <= id_b.index() { (id_a, id_b, manifold.normal) } else { (id_b, id_a, -manifold.normal) };
    Some(HitEvent {
        shape_a,
        shape_b,
        point: center + fastest.anchor_a,
        normal,
        approach_speed: -fastest.approach_velocity,
        impulse: points.iter().map(|point| point.total_impulse).sum(),
    })
}
