//! Impulses go back to the contacts, for the next step's warm start and for the caller;
//! what began or ceased to touch, and what hit hard, is reported.

use super::StepContext;
use super::groups::Groups;
use super::solve::LEAST_FILLED;
use crate::body::NONE;
use crate::contact::{Contact, ContactPoint, SOLVED_BYTES};
use crate::events::HitEvent;
use crate::math::Vec2;
use crate::solver::{BlockExtras, Constraints, ContactBlock};
use crate::world::WorldState;
use carom_core::PoolSlot;
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Task, each_part, gather_quad, prefetch_at, scatter_quad};

/// Memory of this stage.
#[derive(Debug, Default)]
pub(crate) struct Storing {
    notes: Vec<Stored>,
    /// Contacts that begin or stop touching, with their order.
    changed: Vec<(u64, u32)>,
    /// Contacts with hit events, with their order.
    hits: Vec<(u64, HitEvent)>,
}

pub(crate) fn store_impulses(
    world: &mut WorldState,
    constraints: &Constraints,
    groups: &mut Groups,
    memory: &mut Storing,
    context: &StepContext,
) {
    let Storing { notes, changed, hits } = memory;
    changed.clear();
    hits.clear();
    store_all(world, context, (&constraints.blocks, &constraints.extras), notes);
    for notes in notes.iter_mut().chain(groups.notes_mut()) {
        changed.append(&mut notes.changed);
        for body in notes.belts.drain(..) {
            world.sim_mut(body).sleep_time_s = 0.0;
        }
        for index in notes.hit.drain(..) {
            hits.extend(hardest_hit(world, index).map(|hit| (world.contacts[index].order(), hit)));
        }
    }
    for &index in &constraints.crowded {
        let contact = &world.contacts[index];
        if !contact.touching {
            changed.push((contact.order(), index));
        }
    }
    changed.sort_unstable();
    for &(_, index) in &*changed {
        let touching = !world.contacts[index].touching;
        world.set_touching(index, touching);
    }
    // No two contacts have the same order.
    hits.sort_unstable_by_key(|&(order, _)| order);
    let reported = world.log.contact_hit.len();
    for &(_, hit) in &*hits {
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
}

/// What is noted of contacts while impulses are stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    /// Those that begin or stop touching, with their order.
    changed: Vec<(u64, u32)>,
    /// Those that approached fast enough for a hit event.
    hit: Vec<u32>,
    /// Bodies on belts, and the belts: they stay awake, however slow they are.
    belts: Vec<u32>,
}

/// Writes the impulses of all blocks to their contacts.
#[allow(unsafe_code)]
fn store_all(
    world: &mut WorldState,
    context: &StepContext,
    (blocks, extras): (&[ContactBlock], &[BlockExtras]),
    notes: &mut Vec<Stored>,
) {
    let hit_speed = world.def.hit_speed;
    let contacts = Parts::of(world.contacts.slots_mut());
    let grain = context.crew.grain(blocks.len(), LEAST_FILLED);
    context.crew.for_lists(notes, blocks.len(), grain, |range, notes| {
        // SAFETY: the ranges are disjoint, and every contact is in one lane of one block.
        unsafe { store_blocks(&contacts, (&blocks[range.clone()], &extras[range]), context, hit_speed, notes) };
    });
}

/// Writes the impulses of some blocks to their contacts.
///
/// # Safety
/// No contact may be in two lanes of the blocks, and no other thread may hold a reference to one of these contacts.
#[allow(unsafe_code)]
pub(super) unsafe fn store_blocks(
    contacts: &Parts<'_, PoolSlot<Contact>>,
    (blocks, extras): (&[ContactBlock], &[BlockExtras]),
    context: &StepContext,
    hit_speed: f32,
    notes: &mut Stored,
) {
    let mut nowhere = [[ContactPoint::NONE; 2]; LANES];
    for (place, (block, lanes)) in blocks.iter().zip(extras).enumerate() {
        // As in `prepare.rs`.
        let next = extras.get(place + 1).map_or([NONE; LANES], |next| next.contact);
        let mut to: [*mut ContactPoint; LANES] = nowhere.each_mut().map(|points| points.as_mut_ptr());
        for lane in block.lanes() {
            if next[lane] != NONE {
                prefetch_at(contacts.pointer(next[lane] as usize), SOLVED_BYTES);
            }
            // SAFETY: the caller promises that nothing else refers to it.
            let contact = unsafe { contacts.item(lanes.contact[lane] as usize) }.value_mut();
            to[lane] = contact.manifold.points.as_mut_ptr();
        }
        let pushed = context.width.run(Store { block, to: &to, hit_speed });
        for lane in block.lanes() {
            let index = lanes.contact[lane];
            // SAFETY: as above.
            let contact = unsafe { contacts.item(index as usize) }.value_mut();
            note(contact, index, (block, lanes), lane, &pushed, notes);
        }
    }
}

/// Writes the impulses of a block to the points of its contacts.
struct Store<'a> {
    block: &'a ContactBlock,
    /// The first of the two points of each contact; of unused ones for other lanes.
    to: &'a [*mut ContactPoint; LANES],
    hit_speed: f32,
}

/// What became of the points of a block, one bit per lane, whether they are there or not.
#[derive(Clone, Copy, Default)]
struct Pushed {
    /// They overlapped or were pushed.
    touching: [u32; 2],
    /// They approached fast enough for a hit event.
    hit: [u32; 2],
}

impl Task for Store<'_> {
    type Output = Pushed;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn run<L: Lanes>(self) -> Pushed {
        let Store { block, to, hit_speed } = self;
        let mut pushed = Pushed::default();
        for first in each_part::<L>(block.count as usize) {
            for i in 0..if block.traits.two_points { 2 } else { 1 } {
                let from = &block.points[i];
                let total = L::load(&from.total_impulse, first);
                let columns = [
                    L::load(&from.normal_impulse, first),
                    L::load(&from.tangent_impulse, first),
                    total,
                    L::load(&from.total_tangent, first),
                ];
                // SAFETY: all are points of different contacts, or unused.
                let [separation, approach, ..] = unsafe {
                    let known = gather_quad::<4, L, ContactPoint>(|lane| &*to[first + lane].add(i));
                    scatter_quad::<6, L, ContactPoint>(columns, |lane| to[first + lane].add(i));
                    known
                };
                let zero = L::splat(0.0);
                pushed.touching[i] |= (L::bits(total.greater(zero)) | L::bits(zero.at_least(separation))) << first;
                pushed.hit[i] |= L::bits(L::splat(-hit_speed).greater(approach)) << first;
            }
        }
        pushed
    }
}

/// Notes what is to be done about a contact whose impulses are written.
fn note(
    contact: &mut Contact,
    index: u32,
    (block, extras): (&ContactBlock, &BlockExtras),
    lane: usize,
    pushed: &Pushed,
    notes: &mut Stored,
) {
    let any = |lanes: &[u32; 2]| {
        let points = lanes[..usize::from(contact.manifold.count)].iter().fold(0, |all, bits| all | bits);
        points >> lane & 1 != 0
    };
    let (touching, hit) = (any(&pushed.touching), any(&pushed.hit));
    if block.traits.rolling {
        contact.rolling_impulse = extras.rolling_impulse.0[lane];
    }
    if touching != contact.touching {
        if contact.contact_events {
            notes.changed.push((contact.order(), index));
        } else {
            contact.touching = touching;
        }
    }
    if hit && contact.contact_events {
        notes.hit.push(index);
    }
    if touching && contact.material.surface_speed != 0.0 {
        notes.belts.extend([contact.body_a, contact.body_b]);
    }
}

/// The hit event of a contact, if one of its points approached fast enough.
fn hardest_hit(world: &WorldState, index: u32) -> Option<HitEvent> {
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

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    /// A box falls on the floor and is thrown up again. Whether contact events are enabled or not, the contact touches and
    /// stops touching in the same steps.
    #[test]
    fn touches_without_events_are_known() {
        let [subscribed, unsubscribed] = [true, false].map(|contact_events| {
            let mut world = World::new(WorldDef::default());
            let floor = world.add_body(BodyDef::fixed()).unwrap();
            world.add_shape(floor, ShapeDef { contact_events, ..ShapeDef::rectangle(10.0, 1.0) }).unwrap();
            let position = vec2(0.0, 1.3);
            let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef { contact_events, ..ShapeDef::rectangle(1.0, 1.0) }).unwrap();
            let mut told = 0;
            let touching: Vec<bool> = (0..90)
                .map(|step| {
                    if step == 60 {
                        world.body_mut(body).set_velocity(vec2(0.0, 3.0)).unwrap();
                    }
                    world.step(1.0 / 60.0);
                    told += world.events().contact_begin.len() + world.events().contact_end.len();
                    world.contacts().any(|contact| contact.is_touching())
                })
                .collect();
            (touching, told)
        });
        assert_eq!(subscribed.0, unsubscribed.0);
        assert!(subscribed.0[59] && !subscribed.0[70], "{:?}", subscribed.0);
        assert_eq!((subscribed.1, unsubscribed.1), (2, 0));
    }
}
