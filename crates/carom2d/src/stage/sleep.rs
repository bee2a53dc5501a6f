//! Islands whose bodies have all rested long enough fall asleep.

use super::StepContext;
use crate::body::{BodyState, NONE};
use crate::contact::{contact_of, side_of};
use crate::sets::AWAKE;
use crate::world::World;

pub(crate) fn put_islands_to_sleep(world: &mut World, context: &StepContext) {
    if !world.def.sleeping {
        return;
    }
    let delay = world.def.sleep_delay_s + 0.5 * context.dt;
    keep_awake_on_moving_kinematics(world);

    // Islands with a tired body, in the order of their lowest tired body: independent of where the
    // bodies happen to sit in the awake set.
    let mut tired = std::mem::take(&mut world.constraints.tired);
    let mut restless = std::mem::take(&mut world.constraints.restless);
    tired.clear();
    restless.clear();
    tired.extend(world.sets.awake().sims.iter().filter(|sim| sim.sleep_time_s >= delay).map(|sim| sim.body));
    tired.sort_unstable();
    for &body in &tired {
        // It may have gone to sleep with an earlier one.
        if world.bodies[body].set != AWAKE {
            continue;
        }
        let Some(island) = world.islands.island_of(body) else {
            // Kinematic bodies are on their own.
            world.put_to_sleep(&[body]);
            continue;
        };
        if restless.get(island as usize) == Some(&true) {
            continue;
        }
        world.split_island(body);
        let all_tired = |&node: &u32| world.sim(node).sleep_time_s >= delay;
        if world.islands.island_of(body).is_some_and(|island| world.islands.nodes(island).iter().all(all_tired)) {
            let bodies = world.island_bodies(body);
            world.put_to_sleep(&bodies);
        } else if let Some(island) = world.islands.island_of(body) {
            // The island of this body may be a smaller one now.
            if restless.len() <= island as usize {
                restless.resize(island as usize + 1, false);
            }
            restless[island as usize] = true;
        }
    }
    world.constraints.tired = tired;
    world.constraints.restless = restless;
}

/// What lies on a moving platform does not sleep, even if the platform is slow.
fn keep_awake_on_moving_kinematics(world: &mut World) {
    for index in 0..world.sets.awake().sims.len() {
        let awake = world.sets.awake();
        let (mover, state) = (awake.sims[index].body, &awake.states[index]);
        let moves = state.velocity != crate::math::Vec2::ZERO || state.angular_velocity != 0.0;
        if state.flags & BodyState::MOVABLE != 0 || !moves {
            continue;
        }
        world.sim_mut(mover).sleep_time_s = 0.0;
        let mut key = world.bodies[mover].contact_head;
        while key != NONE {
            let contact = &world.contacts[contact_of(key)];
            key = contact.edges[side_of(key)].next;
            let other = contact.other_body(mover);
            if contact.touching && !contact.sensor && world.is_awake(other) {
                world.sim_mut(other).sleep_time_s = 0.0;
            }
        }
        for slot in 0..world.bodies[mover].joints.len() {
            let other = world.joined_body(world.bodies[mover].joints[slot], mover);
            if world.is_awake(other) {
                world.sim_mut(other).sleep_time_s = 0.0;
            }
        }
    }
}
