//! New poses: the changes of the step go into the bodies, boxes follow, forces are cleared.
//!
//! A body whose numbers left the range of `f32` is put aside here, at its last good pose.

use super::StepContext;
use crate::body::{BodyKind, BodySim, BodyState};
use crate::collide::SPECULATIVE_DISTANCE;
use crate::math::{Rot, Vec2, max};
use crate::shape::MAX_COORDINATE;
use crate::solver::FastBody;
use crate::world::{Continuous, World};
use std::f32::consts::TAU;

pub(crate) fn finalize_bodies(world: &mut World, context: &StepContext) {
    let mut broken: Vec<u32> = Vec::new();
    let mut fast = std::mem::take(&mut world.constraints.fast);
    fast.clear();
    for index in 0..world.sets.awake().sims.len() {
        let awake = world.sets.awake_mut();
        let (sim, state) = (&mut awake.sims[index], &mut awake.states[index]);
        let body = sim.body;
        let center = sim.center + state.delta_position;
        let in_range = center.x.abs() <= 2.0 * MAX_COORDINATE && center.y.abs() <= 2.0 * MAX_COORDINATE;
        if state.flags & BodyState::BROKEN != 0 || !state.is_finite() || !in_range {
            broken.push(body);
            continue;
        }
        sim.center_before = sim.center;
        sim.rotation_before = sim.rotation;
        sim.center = center;
        sim.rotation = state.delta_rotation.compose(sim.rotation).normalized();

        let record = &world.bodies[body];
        // At rest means slow, and also that the step did not move it: a body that is pushed out of
        // something has no speed but is not at rest.
        let reach = (1.0 - state.delta_rotation.c.abs()).abs() + state.delta_rotation.s.abs();
        let shift = state.delta_position.length() + reach * sim.extent;
        let speed = max(state.velocity.length() + state.angular_velocity.abs() * sim.extent, 0.5 * shift / context.dt);
        if !record.can_sleep || speed > record.sleep_speed {
            sim.sleep_time_s = 0.0;
        } else {
            sim.sleep_time_s += context.dt;
        }
        let motion = max(speed * context.dt, shift);
        if motion > max(FAST * sim.thickness, 0.5 * SPECULATIVE_DISTANCE) && world.def.continuous == Continuous::On {
            fast.push(FastBody {
                body,
                turn: whole_turn(sim.rotation_before.inv_mul(sim.rotation), state.angular_velocity * context.dt),
                acceleration: free_acceleration(sim, state, context),
            });
        }
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;
        let moved = record.kind == BodyKind::Dynamic
            || state.delta_position != Vec2::ZERO
            || state.delta_rotation != Rot::IDENTITY;
        state.delta_position = Vec2::ZERO;
        state.delta_rotation = Rot::IDENTITY;
        state.flags &= BodyState::MOVABLE;
        if moved {
            let pose = sim.pose();
            for slot in 0..world.bodies[body].shapes.len() {
                let shape = world.bodies[body].shapes[slot];
                world.refresh_proxy(shape, pose, false);
            }
        }
    }
    world.constraints.fast = fast;
    broken.sort_unstable();
    for body in broken {
        freeze(world, body);
    }
}

/// A body is fast when it moves by more than this fraction of its thickness in a step. What moves less
/// ends up so that the shortest way out of a wall is the way it came.
pub(crate) const FAST: f32 = 0.5;

/// The angle of a rotation of about `expected` radians, full turns counted.
pub(crate) fn whole_turn(rotation: Rot, expected: f32) -> f32 {
    let angle = if rotation == Rot::IDENTITY { 0.0 } else { rotation.angle() };
    // Below half a turn there is nothing to doubt, and a blow may have changed the spin.
    if expected.abs() <= 3.0 { angle } else { angle + TAU * ((expected - angle) / TAU).round() }
}

/// The acceleration of a body that flew freely through the whole step, known by where it came to; zero
/// for others.
fn free_acceleration(sim: &BodySim, state: &BodyState, context: &StepContext) -> Vec2 {
    let acceleration = sim.acceleration(context.gravity);
    let flown = state.velocity * context.dt - acceleration * (0.5 * context.dt * context.dt);
    let moved = state.delta_position;
    if (moved - flown).length() <= 1.0e-3 * moved.length() { acceleration } else { Vec2::ZERO }
}

/// Puts a body aside at its last good pose: it takes no part until it is enabled again.
fn freeze(world: &mut World, body: u32) {
    if let Some(state) = world.state_mut(body) {
        *state = BodyState { flags: state.flags, ..BodyState::REST };
    }
    let sim = world.sim_mut(body);
    sim.force = Vec2::ZERO;
    sim.torque = 0.0;
    world.change_enabled(body, false);
    world.bodies[body].frozen = true;
    world.log.body_frozen.push(world.bodies.id_at(body).expect("a frozen body exists"));
}
