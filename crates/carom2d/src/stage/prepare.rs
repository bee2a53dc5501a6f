//! Builds the constraint blocks: masses, softness and cached impulses of all active contacts.
//!
//! For one contact point with anchors `r_a`, `r_b` from the centres of mass and unit vector `u`
//! (normal `n` or tangent `t = (n.y, -n.x)`):
//!
//! ```text
//! velocity        J v = u . (v_b + w_b x r_b - v_a - w_a x r_a)
//! effective mass  K   = u . (M_a^-1 + M_b^-1) u + I_a^-1 (r_a x u)^2 + I_b^-1 (r_b x u)^2
//! impulse P u on b, -P u on a, changes J v by K P
//! ```

use super::StepContext;
use crate::body::{BodySim, BodyState, NONE};
use crate::contact::Contact;
use crate::math::{Vec2, cross, right_perp};
use crate::solver::{ContactBlock, Rebound};
use crate::world::World;
use carom_core::OVERFLOW;
use carom_wide::LANES;

pub(crate) fn prepare_constraints(world: &mut World, context: &StepContext) {
    let mut constraints = std::mem::take(&mut world.constraints);
    constraints.blocks.clear();
    constraints.colors.clear();
    constraints.rebounds.clear();
    for (color, contacts) in world.colors.colors() {
        // Constraints that found no colour may share bodies: one per block, so that they are
        // solved one after the other.
        let per_block = if color == OVERFLOW { 1 } else { LANES };
        let first = constraints.blocks.len();
        for lanes in contacts.chunks(per_block) {
            let mut block = ContactBlock::empty();
            for (lane, &index) in lanes.iter().enumerate() {
                let contact = &world.contacts[index];
                block.contact[lane] = index;
                let rebound = fill_lane(world, context, &mut block, lane, contact);
                if let Some(mut rebound) = rebound {
                    rebound.block = constraints.blocks.len() as u32;
                    constraints.rebounds.push(rebound);
                }
            }
            constraints.blocks.push(block);
        }
        constraints.colors.push(first..constraints.blocks.len());
    }
    let states = &mut world.sets.awake_mut().states;
    for block in &constraints.blocks {
        for &body in block.body_a.iter().chain(&block.body_b) {
            if body != NONE {
                states[body as usize].flags |= BodyState::CONSTRAINED;
            }
        }
    }
    world.constraints = constraints;
}

/// The inverse of `K` along `u`; zero where nothing can move.
fn effective_mass(a: &BodySim, b: &BodySim, r_a: Vec2, r_b: Vec2, u: Vec2) -> f32 {
    let (rn_a, rn_b) = (cross(r_a, u), cross(r_b, u));
    let inv_mass = a.inv_mass + b.inv_mass;
    let k = inv_mass.x * u.x * u.x
        + inv_mass.y * u.y * u.y
        + a.inv_inertia * rn_a * rn_a
        + b.inv_inertia * rn_b * rn_b;
    if k > 0.0 { 1.0 / k } else { 0.0 }
}

fn fill_lane(
    world: &World,
    context: &StepContext,
    block: &mut ContactBlock,
    lane: usize,
    contact: &Contact,
) -> Option<Rebound> {
    let (a, b) = (world.sim(contact.body_a), world.sim(contact.body_b));
    block.body_a[lane] = world.awake_index(contact.body_a);
    block.body_b[lane] = world.awake_index(contact.body_b);
    let manifold = &contact.manifold;
    let normal = manifold.normal;
    let tangent = right_perp(normal);
    let softness = if a.inv_mass == Vec2::ZERO || b.inv_mass == Vec2::ZERO {
        context.fixed_softness
    } else {
        context.contact_softness
    };

    block.normal.x.0[lane] = normal.x;
    block.normal.y.0[lane] = normal.y;
    block.inv_mass_a.x.0[lane] = a.inv_mass.x;
    block.inv_mass_a.y.0[lane] = a.inv_mass.y;
    block.inv_mass_b.x.0[lane] = b.inv_mass.x;
    block.inv_mass_b.y.0[lane] = b.inv_mass.y;
    block.inv_inertia_a.0[lane] = a.inv_inertia;
    block.inv_inertia_b.0[lane] = b.inv_inertia;
    block.friction.0[lane] = contact.material.friction;
    block.surface_speed.0[lane] = contact.material.surface_speed;
    block.rolling_resistance.0[lane] = contact.material.rolling_resistance;
    let k_rolling = a.inv_inertia + b.inv_inertia;
    block.rolling_mass.0[lane] = if k_rolling > 0.0 { 1.0 / k_rolling } else { 0.0 };
    block.rolling_impulse.0[lane] = manifold.rolling_impulse;
    block.bias_rate.0[lane] = softness.bias_rate;
    block.mass_scale.0[lane] = softness.mass_scale;
    block.impulse_scale.0[lane] = softness.impulse_scale;

    for (point, from) in block.points.iter_mut().zip(&manifold.points[..manifold.count as usize]) {
        let (r_a, r_b) = (from.anchor_a, from.anchor_b);
        point.anchor_a.x.0[lane] = r_a.x;
        point.anchor_a.y.0[lane] = r_a.y;
        point.anchor_b.x.0[lane] = r_b.x;
        point.anchor_b.y.0[lane] = r_b.y;
        point.base_separation.0[lane] = from.separation - (r_b - r_a).dot(normal);
        point.normal_mass.0[lane] = effective_mass(a, b, r_a, r_b, normal);
        point.tangent_mass.0[lane] = effective_mass(a, b, r_a, r_b, tangent);
        point.normal_impulse.0[lane] = from.normal_impulse;
        point.tangent_impulse.0[lane] = from.tangent_impulse;
    }

    if contact.material.restitution <= 0.0 {
        return None;
    }
    let acceleration = |sim: &BodySim| {
        // Only what is free to follow forces is accelerated by them.
        let fraction = |inv_mass: f32| if inv_mass > 0.0 { 1.0 } else { 0.0 };
        let gravity = context.gravity * sim.gravity_scale;
        Vec2::new(
            gravity.x * fraction(sim.inv_mass.x) + sim.force.x * sim.inv_mass.x,
            gravity.y * fraction(sim.inv_mass.y) + sim.force.y * sim.inv_mass.y,
        )
    };
    let k12 = if manifold.count == 2 {
        let [p, q] = &manifold.points;
        let inv_mass = a.inv_mass + b.inv_mass;
        inv_mass.x * normal.x * normal.x
            + inv_mass.y * normal.y * normal.y
            + a.inv_inertia * cross(p.anchor_a, normal) * cross(q.anchor_a, normal)
            + b.inv_inertia * cross(p.anchor_b, normal) * cross(q.anchor_b, normal)
    } else {
        0.0
    };
    Some(Rebound {
        block: 0,
        lane: lane as u32,
        restitution: contact.material.restitution,
        acceleration: (acceleration(b) - acceleration(a)).dot(normal),
        k12,
        count: u32::from(manifold.count),
    })
}
