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
use super::recover::{Recovery, is_deep, take_over};
use crate::body::{BodyKind, BodySim, LockedAxes, NONE};
use crate::collide::LINEAR_SLOP;
use crate::contact::{Contact, ContactPoint};
use crate::math::{Vec2, min, right_perp};
use crate::solver::{Constraints, ContactBlock, Movers, Rebound, Solver, mark_loaded, response};
use crate::world::World;
use carom_core::{HOLE, OVERFLOW};
use carom_wide::LANES;

pub(crate) fn prepare_constraints(world: &mut World, context: &StepContext) {
    let mut constraints = std::mem::take(&mut world.constraints);
    let crowding = count_overlaps(world, context.dt);
    constraints.blocks.clear();
    constraints.colors.clear();
    constraints.rebounds.clear();
    constraints.recoveries.clear();
    constraints.crowded.clear();
    for (color, contacts) in world.colors.colors() {
        if color == OVERFLOW {
            let live = contacts.iter().filter(|&&index| index != HOLE);
            let (crowded, kept): (Vec<u32>, Vec<u32>) =
                live.partition(|&&index| is_crowded(world, &world.contacts[index]));
            constraints.crowded = crowded;
            for level in levels(world, &kept) {
                add_color(world, context, &mut constraints, &level, &crowding);
            }
        } else {
            add_color(world, context, &mut constraints, contacts, &crowding);
        }
    }
    if world.def.solver != Solver::Direct {
        let states = &mut world.sets.awake_mut().states;
        for block in &constraints.blocks {
            mark_loaded(block, states, block.points[0].normal_impulse + block.points[1].normal_impulse);
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
    world.last_h = context.h;
}

/// How many deep overlaps each awake body has.
fn count_overlaps(world: &World, dt: f32) -> Vec<u16> {
    let mut counts = vec![0_u16; world.sets.awake().sims.len()];
    for &index in &world.awake_contacts {
        let contact = &world.contacts[index];
        if is_deep(world, contact, dt) {
            for body in [contact.body_a, contact.body_b] {
                if let Some(count) = counts.get_mut(world.awake_index(body) as usize) {
                    // More than this are not solved at once: see `is_crowded`.
                    *count = (*count + 1).min(CROWD as u16);
                }
            }
        }
    }
    counts
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

/// Adds the blocks of contacts that share no movable body.
fn add_color(world: &World, context: &StepContext, constraints: &mut Constraints, contacts: &[u32], crowding: &[u16]) {
    let first = constraints.blocks.len();
    for lanes in contacts.chunks(LANES) {
        let mut block = ContactBlock::empty();
        for (lane, &index) in lanes.iter().enumerate() {
            block.contact[lane] = index;
            if let Some(mut rebound) = fill_lane(world, context, &mut block, lane, &world.contacts[index]) {
                rebound.block = constraints.blocks.len() as u32;
                constraints.rebounds.push(rebound);
            }
            // Bodies in a heap of overlaps share the push between them, or it would add up.
            let overlaps = |body: u32| crowding.get(body as usize).copied().unwrap_or(0);
            let most = overlaps(block.body_a[lane]).max(overlaps(block.body_b[lane]));
            let share = if most > 3 { 3.5 / f32::from(most) } else { 1.0 };
            block.push_out.0[lane] = -context.push_out_speed * share;
            if most > 0 && world.def.solver == Solver::SoftStep {
                take_over(&mut block, lane);
                constraints.recoveries.push(Recovery { block: constraints.blocks.len() as u32, lane: lane as u32 });
            }
        }
        constraints.blocks.push(block);
    }
    constraints.colors.push(first..constraints.blocks.len());
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

fn fill_lane(
    world: &World,
    context: &StepContext,
    block: &mut ContactBlock,
    lane: usize,
    contact: &Contact,
) -> Option<Rebound> {
    // Cached impulses are those of a sub-step; in one of another length forces act for another time.
    // Never more than they were: they may be those of an impact.
    let warmth = if world.last_h > context.h { context.h / world.last_h } else { 1.0 };
    let (a, b) = (world.sim(contact.body_a), world.sim(contact.body_b));
    block.body_a[lane] = world.awake_index(contact.body_a);
    block.body_b[lane] = world.awake_index(contact.body_b);
    let movers = Movers::of((a.inv_mass, a.inv_inertia), (b.inv_mass, b.inv_inertia));
    let manifold = &contact.manifold;
    let normal = manifold.normal;
    let tangent = right_perp(normal);
    let softness = context.softness(a.inv_mass.x + a.inv_mass.y, b.inv_mass.x + b.inv_mass.y);

    block.normal.x.0[lane] = normal.x;
    block.normal.y.0[lane] = normal.y;
    block.inv_mass_a.x.0[lane] = a.inv_mass.x;
    block.inv_mass_a.y.0[lane] = a.inv_mass.y;
    block.inv_mass_b.x.0[lane] = b.inv_mass.x;
    block.inv_mass_b.y.0[lane] = b.inv_mass.y;
    block.inv_inertia_a.0[lane] = a.inv_inertia;
    block.inv_inertia_b.0[lane] = b.inv_inertia;
    let rounding_a = world.shapes[contact.shape_a].geometry.rounding();
    let rounding_b = world.shapes[contact.shape_b].geometry.rounding();
    block.rounding_a.0[lane] = rounding_a;
    block.rounding_b.0[lane] = rounding_b;
    block.friction.0[lane] = contact.material.friction;
    block.surface_speed.0[lane] = contact.material.surface_speed;
    block.rolling_resistance.0[lane] = contact.material.rolling_resistance;
    let k_rolling = a.inv_inertia + b.inv_inertia;
    block.rolling_mass.0[lane] = if k_rolling > 0.0 { 1.0 / k_rolling } else { 0.0 };
    block.rolling_impulse.0[lane] = manifold.rolling_impulse * warmth;
    block.bias_rate.0[lane] = softness.bias_rate;
    block.mass_scale.0[lane] = softness.mass_scale;
    block.softening.0[lane] = softness.impulse_scale / softness.mass_scale;

    for (point, from) in block.points.iter_mut().zip(&manifold.points[..manifold.count as usize]) {
        let (r_a, r_b) = (from.anchor_a, from.anchor_b);
        point.anchor_a.x.0[lane] = r_a.x;
        point.anchor_a.y.0[lane] = r_a.y;
        point.anchor_b.x.0[lane] = r_b.x;
        point.anchor_b.y.0[lane] = r_b.y;
        let core_a = r_a - normal * rounding_a;
        let core_b = r_b + normal * rounding_b;
        point.base_separation.0[lane] = from.separation - (core_b - core_a).dot(normal);
        let negligible =
            1.0e-6 * (free_response(world, contact.body_a, r_a) + free_response(world, contact.body_b, r_b));
        let [k, k_tangent] = [normal, tangent].map(|u| {
            let k = response(movers, u, (r_a, r_b), (r_a, r_b));
            if k > negligible { k } else { 0.0 }
        });
        point.normal_mass_inverse.0[lane] = k;
        point.normal_mass.0[lane] = inverse(k);
        point.tangent_mass.0[lane] = inverse(k_tangent);
        point.normal_impulse.0[lane] = from.normal_impulse * warmth;
        point.tangent_impulse.0[lane] = from.tangent_impulse * warmth;
    }

    if let [p, q] = &manifold.points[..manifold.count as usize] {
        block.coupling.0[lane] = response(movers, normal, (p.anchor_a, p.anchor_b), (q.anchor_a, q.anchor_b));
    }

    // A fast impact that was found late is set right like a rebound, with a restitution of zero: the
    // overlap is no deeper than the approach explains.
    let found_late = |point: &ContactPoint| {
        let path = point.approach_velocity * context.dt;
        point.separation < 0.0 && point.separation >= path && path < -LINEAR_SLOP
    };
    if contact.material.restitution <= 0.0 && !manifold.points[..manifold.count as usize].iter().any(found_late) {
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
    Some(Rebound {
        block: 0,
        lane: lane as u32,
        restitution: contact.material.restitution,
        acceleration: (acceleration(b) - acceleration(a)).dot(normal),
        reference: manifold.reference,
        count: u32::from(manifold.count),
    })
}
