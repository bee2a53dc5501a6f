//! Narrow phase: where the shapes of every awake contact touch.
//!
//! Contacts whose fat boxes came apart are destroyed here. What begins or ceases to be active is
//! noted, sorted by shapes, and left to the next stages.

use super::StepContext;
use crate::attach::Shape;
use crate::body::{BodySim, BodyState};
use crate::collide::{Manifold, SPECULATIVE_DISTANCE, collide};
use crate::contact::{Contact, ContactManifold, ContactPoint};
use crate::world::World;

pub(crate) fn update_contacts(world: &mut World, _: &StepContext) {
    let mut apart = std::mem::take(&mut world.constraints.apart);
    let mut changed = std::mem::take(&mut world.constraints.changed);
    apart.clear();
    changed.clear();

    for place in 0..world.awake_contacts.len() {
        let index = world.awake_contacts[place];
        let contact = &world.contacts[index];
        let (a, b) = (&world.shapes[contact.shape_a], &world.shapes[contact.shape_b]);
        if !a.fat_aabb.overlaps(&b.fat_aabb) {
            apart.push((contact.order(), index));
            continue;
        }
        let (sim_a, sim_b) = (world.sim(contact.body_a), world.sim(contact.body_b));
        let mut manifold = touch(contact, a, b, sim_a, sim_b);
        let state_a = world.state(contact.body_a).unwrap_or(&BodyState::REST);
        let state_b = world.state(contact.body_b).unwrap_or(&BodyState::REST);
        for point in &mut manifold.points[..manifold.count as usize] {
            let velocity = state_b.velocity_at(point.anchor_b) - state_a.velocity_at(point.anchor_a);
            point.approach_velocity = velocity.dot(manifold.normal);
        }
        let contact = &mut world.contacts[index];
        contact.manifold = manifold;
        let active = manifold.count > 0;
        if active != contact.active {
            changed.push((contact.order(), index));
        }
    }

    apart.sort_unstable();
    changed.sort_unstable();
    for &(_, index) in &apart {
        world.destroy_contact(index, false);
    }
    for place in 0..world.awake_contacts.len() {
        let index = world.awake_contacts[place];
        world.update_boxes(index);
    }
    world.constraints.apart = apart;
    world.constraints.changed = changed;
}

/// The new manifold of a contact, with the impulses of points that were there before.
fn touch(contact: &Contact, a: &Shape, b: &Shape, sim_a: &BodySim, sim_b: &BodySim) -> ContactManifold {
    let b_in_a = sim_a.pose().inv_mul(sim_b.pose());
    let old = &contact.manifold;
    let found: Manifold = collide(&a.geometry, &b.geometry, b_in_a, SPECULATIVE_DISTANCE, old.reference);
    let mut new = ContactManifold {
        normal: sim_a.rotation.rotate(found.normal),
        count: found.count,
        reference: found.reference,
        rolling_impulse: if found.count > 0 { old.rolling_impulse } else { 0.0 },
        ..ContactManifold::default()
    };
    let between = sim_a.center - sim_b.center;
    for (point, local) in new.points.iter_mut().zip(&found.points[..found.count as usize]) {
        let anchor_a = sim_a.rotation.rotate(local.point - sim_a.local_center);
        *point = ContactPoint {
            anchor_a,
            anchor_b: anchor_a + between,
            separation: local.separation,
            id: local.id,
            ..ContactPoint::default()
        };
        if let Some(known) = old.points[..old.count as usize].iter().find(|known| known.id == local.id) {
            point.normal_impulse = known.normal_impulse;
            point.tangent_impulse = known.tangent_impulse;
            point.total_impulse = known.total_impulse;
        }
    }
    new
}
