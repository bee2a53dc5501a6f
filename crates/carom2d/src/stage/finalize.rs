//! New poses: the changes of the step go into the bodies, boxes follow, forces are cleared.
//!
//! A body whose numbers left the range of `f32` is put aside here, at its last good pose.

use super::StepContext;
use crate::body::{BodyKind, BodyState};
use crate::math::{Rot, Vec2, max};
use crate::shape::MAX_COORDINATE;
use crate::world::World;

pub(crate) fn finalize_bodies(world: &mut World, context: &StepContext) {
    let mut broken: Vec<u32> = Vec::new();
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
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;

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
    broken.sort_unstable();
    for body in broken {
        freeze(world, body);
    }
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
