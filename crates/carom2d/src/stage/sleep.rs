//! Islands whose bodies have all rested long enough fall asleep.
//!
//! What wakes a body, and with it all of its island (`wake` in `sets.rs`):
//!
//! | what happens | where |
//! |---|---|
//! | a contact with an awake body becomes active | `stage/islands.rs` |
//! | the body is moved, pushed, or woken by the caller | `body_ref.rs` |
//! | a body that it touches, or is joined to, is removed, put elsewhere or changes its kind (`wake_touching`, `wake_joined`) | `body_ref.rs`, `world/bodies.rs`, `joint/link.rs` |
//! | a wall beside it moves or changes (`wake_near`) | `body_ref.rs`, `world/bodies.rs` |
//! | its shapes, or its joints, change (`wake_to_change`) | `world/shapes.rs`, `joint_ref.rs` |
//! | gravity, sleeping or a fluid change (`wake_all_that`, `wake_in_fluid`) | `world.rs`, `fluid.rs` |

use super::StepContext;
use super::finalize::{Finished, sleep_delay};
use crate::body::NONE;
use crate::contact::{contact_of, side_of};
use crate::sets::AWAKE;
use crate::world::WorldState;

pub(crate) fn put_islands_to_sleep(world: &mut WorldState, finished: &mut Finished, context: &StepContext) {
    if !world.def.sleeping {
        return;
    }
    let delay = sleep_delay(&world.def, context);
    let Finished { movers, sleep_candidates, .. } = finished;
    keep_awake_on_moving_kinematics(world, movers);
    if sleep_candidates.is_empty() {
        return;
    }

    // In the order of their lowest sleep candidate: independent of where the bodies happen to be in the awake set.
    // Something may have kept them awake since.
    sleep_candidates.retain(|&body| world.sim(body).sleep_time_s >= delay);
    sleep_candidates.sort_unstable();
    world.islands.start_round(sleep_candidates);
    let searches_all = world.step_count.is_multiple_of(STEPS_PER_SEARCH);
    for &body in &*sleep_candidates {
        // It may have gone to sleep with an earlier one.
        if world.bodies[body].set != AWAKE {
            continue;
        }
        let Some(island) = world.islands.island_of(body) else {
            // Kinematic bodies are on their own.
            world.put_to_sleep(&[body]);
            continue;
        };
        let WorldState { islands, bodies, sets, .. } = world;
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
}

/// An island that is partly restless is searched for parts that are not: in each step if it has no more bodies than
/// this, in one step out of a few otherwise. A heap in motion may consist of thousands of bodies, most of them slow,
/// and it loses contacts all the time.
const SMALL_ISLAND: usize = 256;
const STEPS_PER_SEARCH: u64 = 8;

/// What lies on a moving platform does not sleep, even if the platform is slow.
fn keep_awake_on_moving_kinematics(world: &mut WorldState, movers: &[u32]) {
    for &mover in movers {
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
            let joint = world.bodies[mover].joints[slot];
            let other = world.joined_body(joint, mover);
            if world.joints[joint].is_on() && world.is_awake(other) {
                world.sim_mut(other).sleep_time_s = 0.0;
            }
        }
    }
}
