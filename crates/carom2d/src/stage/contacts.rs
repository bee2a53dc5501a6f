//! Narrow phase: where the shapes of every awake contact touch.
//!
//! One-way shapes and hooks decide here which contacts act. Contacts whose fat boxes came apart are destroyed. What begins or ceases to be active is
//! noted, sorted by shapes, and left to the next stages.

use super::StepContext;
use crate::attach::Shape;
use crate::body::{BodyKind, BodySim, BodyState};
use crate::collide::{LINEAR_SLOP, Manifold, Reference, SPECULATIVE_DISTANCE, collide};
use crate::contact::{Contact, ContactManifold, ContactPoint};
use crate::math::{Pose, Rot, Vec2, min};
use crate::shape::Geometry;
use crate::world::World;

pub(crate) fn update_contacts(world: &mut World, context: &StepContext) {
    let mut apart = std::mem::take(&mut world.constraints.apart);
    let mut changed = std::mem::take(&mut world.constraints.changed);
    apart.clear();
    changed.clear();
    // Pairs whose bounding boxes somebody watches: few, as a rule none.
    let mut boxes: Vec<(u64, u32)> = Vec::new();
    // Contacts that one-way shapes or hooks have a say in, likewise.
    let mut asked: Vec<(u64, u32)> = Vec::new();

    for place in 0..world.awake_contacts.len() {
        let index = world.awake_contacts[place];
        let contact = &world.contacts[index];
        let (a, b) = (&world.shapes[contact.shape_a], &world.shapes[contact.shape_b]);
        if !a.fat_aabb.overlaps(&b.fat_aabb) {
            apart.push((contact.order(), index));
            continue;
        }
        let watched = a.aabb_events || b.aabb_events;
        let (sim_a, sim_b) = (world.sim(contact.body_a), world.sim(contact.body_b));
        let mut manifold = touch(contact, a, b, sim_a, sim_b);
        let state_a = world.state(contact.body_a).unwrap_or(&BodyState::REST);
        let state_b = world.state(contact.body_b).unwrap_or(&BodyState::REST);
        for point in &mut manifold.points[..manifold.count as usize] {
            let velocity = state_b.velocity_at(point.anchor_b) - state_a.velocity_at(point.anchor_a);
            point.approach_velocity = velocity.dot(manifold.normal);
        }
        let kinds = (world.bodies[contact.body_a].kind, world.bodies[contact.body_b].kind);
        if is_ghost(&manifold, (a, sim_a, state_a), (b, sim_b, state_b), kinds, context.dt) {
            manifold.count = 0;
        }
        let contact = &mut world.contacts[index];
        contact.manifold = manifold;
        let active = manifold.count > 0;
        if watched {
            boxes.push((contact.order(), index));
        }
        if contact.one_way || contact.modified || contact.passing || context.hooks.is_some() {
            asked.push((contact.order(), index));
        } else if active != contact.active {
            changed.push((contact.order(), index));
        }
    }
    asked.sort_unstable();
    for (order, index) in asked {
        world.ask_about_contact(context, index);
        let contact = &world.contacts[index];
        if (contact.manifold.count > 0) != contact.active {
            changed.push((order, index));
        }
    }

    apart.sort_unstable();
    changed.sort_unstable();
    for &(_, index) in &apart {
        world.destroy_contact(index, false);
    }
    boxes.sort_unstable();
    for (_, index) in boxes {
        world.update_boxes(index);
    }
    world.constraints.apart = apart;
    world.constraints.changed = changed;
}

/// Overlap in metres that counts as none.
const GRAZE: f32 = 0.1 * LINEAR_SLOP;

/// True when two shapes seem about to collide but will not.
///
/// A manifold is a plane, and holds for the whole step. Where a body slides over the seam between two
/// tiles, the next tile shows its side or its corner, and that plane says "wall" although the body
/// will pass above. So before a fast approach is believed, the shapes are looked at again where they
/// will be: if they hardly overlap there, there was no wall.
///
/// Only shallow contacts are doubted, and what moves is moved by at most half its size, so that nothing can
/// be behind the other shape by then.
fn is_ghost(
    manifold: &ContactManifold,
    (shape_a, sim_a, state_a): (&Shape, &BodySim, &BodyState),
    (shape_b, sim_b, state_b): (&Shape, &BodySim, &BodyState),
    kinds: (BodyKind, BodyKind),
    dt: f32,
) -> bool {
    let points = &manifold.points[..manifold.count as usize];
    let runs_into = |time: f32| points.iter().any(|point| point.separation + point.approach_velocity * time < -GRAZE);
    if runs_into(0.0) || !runs_into(dt) {
        return false;
    }
    let travel = (state_b.velocity - state_a.velocity).length()
        + state_a.angular_velocity.abs() * sim_a.extent
        + state_b.angular_velocity.abs() * sim_b.extent;
    // Against what cannot be moved, and may have no inside, the size of the other counts.
    let (inner_a, inner_b) = (shape_a.geometry.inner_extent(), shape_b.geometry.inner_extent());
    let size = match kinds {
        (BodyKind::Dynamic, BodyKind::Dynamic) => min(inner_a, inner_b),
        (BodyKind::Dynamic, _) => inner_a,
        _ => inner_b,
    };
    let time = min(dt, 0.5 * size / travel);
    if !runs_into(time) {
        return false;
    }
    let ahead = |sim: &BodySim, state: &BodyState| {
        let q = sim.rotation.turned(state.angular_velocity * time);
        Pose { p: sim.center + state.velocity * time - q.rotate(sim.local_center), q }
    };
    let b_in_a = ahead(sim_a, state_a).inv_mul(ahead(sim_b, state_b));
    let then = collide(&shape_a.geometry, &shape_b.geometry, b_in_a, 0.0, Reference::None);
    then.points().iter().all(|point| point.separation >= -GRAZE)
}

/// A direction for circles with the same centre, which have none of their own. Each pair gets another
/// one: a heap of them must spread over the plane, not along a line.
fn scattered_direction(contact: &Contact) -> Vec2 {
    // From the difference of the indices: bodies added elsewhere shift both.
    let apart = u64::from(contact.shape_b - contact.shape_a);
    let mixed = apart.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let angle = mixed as f32 * (2.0 * std::f32::consts::PI / (1 << 24) as f32);
    Rot::from_angle(angle).x_axis()
}

/// The new manifold of a contact, with the impulses of points that were there before.
fn touch(contact: &Contact, a: &Shape, b: &Shape, sim_a: &BodySim, sim_b: &BodySim) -> ContactManifold {
    let b_in_a = sim_a.pose().inv_mul(sim_b.pose());
    let old = &contact.manifold;
    let mut found: Manifold = collide(&a.geometry, &b.geometry, b_in_a, SPECULATIVE_DISTANCE, old.reference);
    if let (Geometry::Circle(circle_a), Geometry::Circle(circle_b)) = (&a.geometry, &b.geometry)
        && (b_in_a.point(circle_b.center) - circle_a.center).length() < 0.1 * LINEAR_SLOP
    {
        found.normal = scattered_direction(contact);
    }
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
            point.total_tangent = known.total_tangent;
        }
    }
    new
}
