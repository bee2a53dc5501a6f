//! Where a step is cut for [`Correction::FirstImpact`]: when two bodies that are apart begin to touch.
//!
//! The textbook searches that moment by halving the step until nothing overlaps. Halving misses what passes
//! through, and never ends where bodies rest on each other. Here pairs that touch already are left out, and
//! the others advance by steps that cannot pass each other (`shape/sweep.rs`). The number of cuts is limited.

use crate::body::BodyKind;
use crate::broad::Kinds;
use crate::collide::LINEAR_SLOP;
use crate::hooks::Hooks;
use crate::math::{Aabb, Vec2, max, min};
use crate::shape::{Meeting, Sweep, time_of_impact};
use crate::stage::pairs::may_meet;
use crate::world::{World, WorldState};

/// Most parts that a step is cut into.
const MAX_PARTS: u32 = 16;
/// How near surfaces must come to touch.
const GAP: f32 = 0.1 * LINEAR_SLOP;

/// Makes a step in parts, each up to the next first impact.
pub(crate) fn step_in_parts(world: &mut World, dt: f32, hooks: Option<&dyn Hooks>) {
    // Forces act for the whole step, but each part ends with clearing them.
    let sims = &world.state.sets.awake().sims;
    let forces: Vec<(u32, Vec2, f32)> = sims.iter().map(|sim| (sim.body, sim.force, sim.torque)).collect();
    let mut left = dt;
    for part in 1..=MAX_PARTS {
        // A little beyond the moment of touching, so that the next part finds the contact.
        let until = first_impact(&world.state, left).map_or(left, |time| max(time, dt / 64.0) + dt / 256.0);
        let length = if part == MAX_PARTS || until > 0.95 * left { left } else { until };
        crate::step::step_once(world, length, hooks);
        left -= length;
        if left <= 1.0e-3 * dt {
            break;
        }
        for &(body, force, torque) in &forces {
            if world.state.bodies.get_at(body).is_some() && world.state.is_awake(body) {
                let sim = world.state.sim_mut(body);
                (sim.force, sim.torque) = (force, torque);
            }
        }
    }
}

/// The time until two bodies that are apart first touch, if that is within `dt`.
fn first_impact(world: &WorldState, dt: f32) -> Option<f32> {
    let mut first: Option<f32> = None;
    let mut near: Vec<u32> = Vec::new();
    for sim in &world.sets.awake().sims {
        let record = &world.bodies[sim.body];
        if record.kind != BodyKind::Dynamic {
            continue;
        }
        let sweep = sweep_ahead(world, sim.body, dt);
        for &shape in &record.shapes {
            let own = &world.shapes[shape];
            let Some(outline) = own.geometry.swept().filter(|_| !own.sensor) else { continue };
            let start = own.geometry.aabb(sim.pose());
            let end = Aabb::new(start.min + sweep.translation, start.max + sweep.translation);
            let path = start.union(&end).grown(min(2.0, sweep.turn.abs()) * sim.extent + GAP);
            near.clear();
            world.broad.query(&path, u64::MAX, Kinds::All, &mut |other| {
                near.push(other);
                true
            });
            near.sort_unstable();
            for &other in &near {
                let target = &world.shapes[other];
                let touches = || {
                    let pair = if shape < other { (shape, other) } else { (other, shape) };
                    world.pairs.get(pair.0, pair.1).is_some_and(|contact| world.contacts[contact].touching)
                };
                if target.sensor || !may_meet(world, own, target) || touches() {
                    continue;
                }
                let Some(target_outline) = target.geometry.swept() else { continue };
                let target_sweep = sweep_ahead(world, target.body, dt);
                let limit = first.map_or(1.0, |time| time / dt);
                if let Meeting::At(fraction) =
                    time_of_impact(&target_outline, &target_sweep, &outline, &sweep, GAP, limit)
                {
                    first = Some(fraction * dt);
                }
            }
        }
    }
    first
}

/// How a body will move if nothing stops it.
fn sweep_ahead(world: &WorldState, body: u32, dt: f32) -> Sweep {
    let sim = world.sim(body);
    let (mut translation, mut turn) = (Vec2::ZERO, 0.0);
    if let Some(state) = world.state(body) {
        let falls = world.bodies[body].kind == BodyKind::Dynamic;
        let acceleration =
            if falls { world.def.gravity * sim.gravity_scale + sim.force * sim.inv_mass } else { Vec2::ZERO };
        translation = (state.velocity + acceleration * dt) * dt;
        turn = state.angular_velocity * dt;
    }
    Sweep { center: sim.center, translation, rotation: sim.rotation, turn, local_center: sim.local_center }
}
