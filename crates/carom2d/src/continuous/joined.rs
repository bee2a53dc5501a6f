//! What is joined to bodies that were moved back goes back with them.

use super::paths::{sweep_of, turn_of};
use crate::body::BodyKind;
use crate::joint::JointKind;
use crate::math::min;
use crate::shape::Sweep;
use crate::stage::finalize::FastBody;
use crate::world::WorldState;

/// A body that waits where it met something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) body: u32,
    /// How much of its way it went.
    pub(crate) fraction: f32,
}

/// Puts a body where its way ends.
pub(crate) fn put(world: &mut WorldState, body: u32, way: &Sweep) {
    let sim = world.sim_mut(body);
    sim.center = way.center + way.translation;
    sim.rotation = way.rotation_at(1.0).normalized();
    move_boxes(world, body);
}

/// Tells the broad phase where the shapes of a body are now.
fn move_boxes(world: &mut WorldState, body: u32) {
    let pose = world.sim(body).pose();
    for slot in 0..world.bodies[body].shapes.len() {
        let shape = world.bodies[body].shapes[slot];
        world.refresh_proxy(shape, pose, false);
    }
}

/// Most bodies that are held back together. The rest of a longer chain is left to its joints.
const MAX_JOINED: usize = 64;

/// Puts what is joined to bodies that wait back to the moment at which the first of them began to.
pub(crate) fn hold_back_what_is_joined(world: &mut WorldState, fast: &mut [FastBody], held: &[Held]) {
    let mut seen: Vec<u32> = Vec::new();
    for first in held {
        if !world.bodies[first.body].jointed || seen.contains(&first.body) {
            continue;
        }
        let group = joined_bodies(world, first.body);
        let fraction_of = |body: u32| held.iter().find(|held| held.body == body).map_or(1.0, |held| held.fraction);
        let fraction = group.iter().fold(1.0, |least, &body| min(least, fraction_of(body)));
        for &body in &group {
            let place = fast.binary_search_by_key(&body, |fast| fast.body);
            let turn = place.map_or_else(|_| turn_of(world, body, 0.0), |place| fast[place].turn(world));
            let way = sweep_of(world, body, turn);
            // Some have been put back before, by less or as much.
            let (own, more) = (fraction_of(body), fraction < fraction_of(body));
            if more {
                let share = fraction / own;
                let way = Sweep { translation: way.translation * share, turn: way.turn * share, ..way };
                put(world, body, &way);
                if let Ok(place) = place {
                    fast[place].turn = Some(way.turn);
                }
            }
        }
        if fraction < 1.0 {
            let root = held.iter().find(|held| held.fraction == fraction && group.contains(&held.body));
            close_pins(world, &group, root.map_or(first.body, |held| held.body));
        }
        seen.extend(group);
    }
}

/// Closes the pins of bodies that went back to one moment, from the body on that met something.
///
/// On the way from one pose to the next the centre of a body is taken to move along a line, and its pin moves along a curve
/// that is `r t^2 / 8` away from that of the other body, at most, for an arm `r` and a turn `t`: 12 mm for a hand that swings
/// at 40 rad/s. What hangs on something fixed is left as it is.
fn close_pins(world: &mut WorldState, group: &[u32], root: u32) {
    let is_held = |&joint: &u32, body: u32| {
        let other = world.joined_body(joint, body);
        world.joints[joint].is_on() && world.bodies[other].kind != BodyKind::Dynamic
    };
    if group.iter().any(|&body| world.bodies[body].joints.iter().any(|joint| is_held(joint, body))) {
        return;
    }
    let mut placed = vec![root];
    let mut next = 0;
    while let Some(&body) = placed.get(next) {
        next += 1;
        for slot in 0..world.bodies[body].joints.len() {
            let joint = world.bodies[body].joints[slot];
            let def = &world.joints[joint].def;
            let other = world.joined_body(joint, body);
            let holds = world.joints[joint].is_on() && matches!(def.kind, JointKind::Revolute(_));
            if !holds || placed.contains(&other) || !group.contains(&other) {
                continue;
            }
            let [own, others] =
                if def.body_a.index() == body { [def.frame_a, def.frame_b] } else { [def.frame_b, def.frame_a] };
            let open = world.sim(body).pose().point(own.p) - world.sim(other).pose().point(others.p);
            world.sim_mut(other).center += open;
            move_boxes(world, other);
            placed.push(other);
        }
    }
}

/// A body and what joints hold to it, directly or not, as far as they go through bodies that can move.
fn joined_bodies(world: &WorldState, body: u32) -> Vec<u32> {
    let mut group = vec![body];
    let mut next = 0;
    while next < group.len() && group.len() < MAX_JOINED {
        let body = group[next];
        next += 1;
        for &joint in &world.bodies[body].joints {
            let other = world.joined_body(joint, body);
            let moves = world.bodies[other].kind == BodyKind::Dynamic && world.is_awake(other);
            let joint = &world.joints[joint];
            if moves && joint.is_on() && holds_together(&joint.def.kind) && !group.contains(&other) {
                group.push(other);
            }
        }
    }
    group
}

/// True for joints that would be pulled apart. Drives and the pointer give way, and so do the others by their
/// springs, but nothing is lost where they did not have to.
fn holds_together(kind: &JointKind) -> bool {
    !matches!(kind, JointKind::Motor(_) | JointKind::Mouse(_) | JointKind::Pulley(_) | JointKind::Gear(_))
}
