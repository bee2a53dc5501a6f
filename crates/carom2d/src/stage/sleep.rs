//! Islands whose bodies have all rested long enough fall asleep.

use super::StepContext;
use super::finalize::sleep_delay;
use crate::body::NONE;
use crate::contact::{contact_of, side_of};
use crate::sets::AWAKE;
use crate::world::World;

pub(crate) fn put_islands_to_sleep(world: &mut World, context: &StepContext) {
    if !world.def.sleeping {
        return;
    }
    let delay = sleep_delay(&world.def, context);
    keep_awake_on_moving_kinematics(world);
    if world.finished.tired.is_empty() {
        return;
    }

    // In the order of their lowest tired body: independent of where the bodies happen to sit in the awake set.
    let mut tired = std::mem::take(&mut world.finished.tired);
    // Something may have kept them awake since.
    tired.retain(|&body| world.sim(body).sleep_time_s >= delay);
    tired.sort_unstable();
    world.islands.start_round(&tired);
    let searches_all = world.step_count().is_multiple_of(STEPS_PER_SEARCH);
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
        let World { islands, bodies, sets, .. } = world;
        let is_tired = |node: u32| {
            let body = &bodies[node];
            sets.sets[body.set as usize].sims[body.index as usize].sleep_time_s >= delay
        };
        let searches = islands.may_be_split(island) && (searches_all || islands.nodes(island).len() <= SMALL_ISLAND);
        let may_sleep = islands.is_whole(island) || searches && islands.all_connected(body, is_tired);
        if may_sleep {
            let bodies = world.island_bodies(body);
            world.put_to_sleep(&bodies);
        }
    }
    world.finished.tired = tired;
}

/// An island that is partly restless is searched for parts that are not: in each step if it has no more bodies than
/// this, in one step out of a few otherwise. A heap in motion may consist of thousands of bodies, most of them tired,
/// and it loses contacts all the time.
const SMALL_ISLAND: usize = 256;
const STEPS_PER_SEARCH: u64 = 8;

/// What lies on a moving platform does not sleep, even if the platform is slow.
fn keep_awake_on_moving_kinematics(world: &mut World) {
    for place in 0..world.finished.movers.len() {
        let mover = world.finished.movers[place];
        if !world.is_awake(mover) {
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
