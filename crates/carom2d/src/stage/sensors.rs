//! Sensors: which shapes overlap a sensor at the end of the step, and which passed through one within it.
//!
//! Overlap is exact, without any margin; boxes and shapes are looked at in their final poses. Pairs are looked for
//! where bodies are at the start of a step, so a shape that left its fat box since may be in a sensor that it has no
//! contact with: it looks for such sensors here, and only a pair that overlaps gets a contact now.
//!
//! A fast body may be before a sensor at one step and behind it at the next. The paths of the bodies that continuous
//! collision looks after are swept as a whole, up to where it put them back. A pair that overlaps on the way, and
//! neither at the start nor at the end of the step, begins and ends in it. What is found does not depend on which of
//! the two is the sensor, nor on which of them is fast.

use super::StepContext;
use super::continuous::LEAST_FAST;
use super::finalize::FastBody;
use super::pairs::may_meet;
use crate::attach::Shape;
use crate::body::{BodyKind, NONE};
use crate::broad::Kinds;
use crate::continuous::mover::Mover;
use crate::continuous::paths::{Other, moves_far, path_box, sweep_of};
use crate::hooks::allow_pair;
use crate::math::{Aabb, Vec2};
use crate::shape::{Sweep, overlap};
use crate::world::WorldState;
use carom_core::Bvh;
use std::ops::Range;

/// Memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sensing {
    /// What there is to report, by the order of contacts: a contact, or `NONE` for a pair that crossed.
    changed: Vec<(u64, u32)>,
    apart: Vec<(u64, u32)>,
    /// Pairs that overlap without having a contact.
    arrivals: Vec<u64>,
    /// Paths of sensors that are fast themselves: the broad phase knows only where they ended.
    paths: Bvh<Aabb>,
    /// What each run of fast bodies crossed.
    looks: Vec<Look>,
}

/// What a run of fast bodies crossed.
#[derive(Clone, Debug, Default)]
struct Look {
    targets: Vec<u32>,
    crossed: Vec<u64>,
}

pub(crate) fn update_sensors(world: &mut WorldState, fast: &[FastBody], sensing: &mut Sensing, context: &StepContext) {
    if world.sensors.is_empty() {
        return;
    }
    sensing.changed.clear();
    sensing.apart.clear();
    find_crossings(world, fast, context, sensing);
    update_known(world, sensing);
    add_arrivals(world, context, sensing);
    sensing.apart.sort_unstable();
    sensing.changed.sort_unstable();
    for &(order, index) in &sensing.changed {
        if index == NONE {
            world.report_crossing((order >> 32) as u32, order as u32);
            continue;
        }
        world.update_boxes(index);
        let touching = world.contacts[index].active;
        world.set_touching(index, touching);
    }
    for &(_, index) in &sensing.apart {
        world.destroy_contact(index, false);
    }
    debug_assert!(world.awake_sensors.iter().all(|index| {
        let contact = &world.contacts[index];
        let fixed = |body: u32| world.bodies[body].kind == BodyKind::Fixed;
        contact.sensor && !(fixed(contact.body_a) && fixed(contact.body_b))
    }));
}

/// Looks at the pairs that have a contact.
fn update_known(world: &mut WorldState, sensing: &mut Sensing) {
    for index in world.awake_sensors.iter() {
        let contact = &world.contacts[index];
        let (a, b) = (&world.shapes[contact.shape_a], &world.shapes[contact.shape_b]);
        if !a.fat_aabb.overlaps(&b.fat_aabb) {
            sensing.apart.push((contact.order(), index));
            continue;
        }
        let touching = overlap_now(world, contact.shape_a, contact.shape_b);
        if touching != contact.touching || a.aabb_events || b.aabb_events {
            sensing.changed.push((contact.order(), index));
            world.contacts[index].active = touching;
        }
    }
}

/// True when two shapes overlap where they are now.
fn overlap_now(world: &WorldState, a: u32, b: u32) -> bool {
    let (shape_a, shape_b) = (&world.shapes[a], &world.shapes[b]);
    let pose = |shape: &Shape| world.sim(shape.body).pose();
    world.tight_aabb(a).overlaps(&world.tight_aabb(b))
        && overlap(&shape_a.geometry, pose(shape_a), &shape_b.geometry, pose(shape_b))
}

/// Makes contacts for pairs that overlap and have none: one of the shapes left its fat box in this step.
fn add_arrivals(world: &mut WorldState, context: &StepContext, sensing: &mut Sensing) {
    let arrivals = &mut sensing.arrivals;
    arrivals.clear();
    // From the side of which there are fewer.
    if world.sensors.len() < world.moved.len() {
        world.sensors.iter().for_each(|sensor| find_arrivals(world, sensor, arrivals));
    } else {
        world.moved.iter().for_each(|&shape| find_arrivals(world, shape, arrivals));
    }
    arrivals.sort_unstable();
    arrivals.dedup();
    for &order in &*arrivals {
        let (a, b) = ((order >> 32) as u32, order as u32);
        if may_begin(world, context, a, b) {
            world.create_contact(a, b);
            let index = world.pairs.get(a, b).expect("a contact that was just made");
            world.contacts[index].active = overlap_now(world, a, b);
            sensing.changed.push((order, index));
        }
    }
}

/// Finds the pairs of a shape, which is a sensor or moved, that overlap and have no contact.
fn find_arrivals(world: &WorldState, shape: u32, arrivals: &mut Vec<u64>) {
    // It may be gone, and another may have its place by now.
    let Some(record) = world.shapes.get_at(shape).filter(|record| record.proxy != NONE) else { return };
    let tight = world.tight_aabb(shape);
    world.broad.query(&tight, broad_mask(record), Kinds::All, &mut |other| {
        let target = &world.shapes[other];
        if (record.sensor || target.sensor) && (record.moved || target.moved) && may_meet(world, record, target) {
            let (a, b) = if shape < other { (shape, other) } else { (other, shape) };
            // Where neither is awake, the next search finds them and wakes them to have a look.
            let awake = world.is_awake(record.body) || world.is_awake(target.body);
            let aabb_events = record.aabb_events || target.aabb_events;
            if awake
                && !world.pairs.contains(a, b)
                && (overlap_now(world, a, b) || aabb_events && tight.overlaps(&world.tight_aabb(other)))
            {
                arrivals.push(u64::from(a) << 32 | u64::from(b));
            }
        }
        true
    });
}

/// The categories that a shape may meet, as far as the broad phase can tell.
fn broad_mask(shape: &Shape) -> u64 {
    if shape.filter.group == 0 { shape.filter.mask } else { u64::MAX }
}

/// False when a hook forbids that two shapes meet.
fn may_begin(world: &WorldState, context: &StepContext, a: u32, b: u32) -> bool {
    context.hooks.is_none_or(|hooks| allow_pair(world, hooks, a, b))
}

/// Finds the pairs that overlapped within the step, but neither at its start nor at its end.
fn find_crossings(world: &WorldState, fast: &[FastBody], context: &StepContext, sensing: &mut Sensing) {
    if fast.is_empty() {
        return;
    }
    let Sensing { paths, looks, changed, .. } = sensing;
    paths.clear();
    for fast in fast {
        for &shape in &world.bodies[fast.body].shapes {
            let record = &world.shapes[shape];
            if record.sensor && record.proxy != NONE {
                let sweep = sweep_of(world, fast.body, fast.turn(world));
                let path = path_box(world.tight_aabb(shape), world.sim(fast.body).extent, &sweep);
                paths.insert(path, record.broad_filter().category, shape);
            }
        }
    }
    let grain = context.crew.grain(fast.len(), LEAST_FAST);
    let paths = &*paths;
    context.crew.for_lists(looks, fast.len(), grain, |range, look| look_along(world, fast, range, paths, look));
    for look in looks {
        changed.extend(look.crossed.drain(..).map(|order| (order, NONE)));
    }
    changed.sort_unstable();
    changed.dedup();
    changed.retain(|&(order, _)| {
        let (a, b) = ((order >> 32) as u32, order as u32);
        world.pairs.contains(a, b) || may_begin(world, context, a, b)
    });
}

/// Looks for what a run of fast bodies crossed, as sensors or through sensors.
fn look_along(world: &WorldState, fast: &[FastBody], range: Range<usize>, paths: &Bvh<Aabb>, look: &mut Look) {
    let Look { targets, crossed } = look;
    let mut met = Other::NONE;
    for fast_body in &fast[range] {
        let body = fast_body.body;
        let sweep = sweep_of(world, body, fast_body.turn(world));
        if sweep.translation == Vec2::ZERO && sweep.turn == 0.0 {
            continue;
        }
        for &shape in &world.bodies[body].shapes {
            let record = &world.shapes[shape];
            // What has parts moves as its parts.
            if record.proxy == NONE {
                continue;
            }
            let path = path_box(world.tight_aabb(shape), world.sim(body).extent, &sweep);
            find_targets(world, record, &path, paths, targets);
            let mut mover = None;
            for &target in &*targets {
                let other = world.shapes[target].body;
                if met.body != other {
                    met = Other::new(world, fast, other);
                }
                let Some(mover) = mover.get_or_insert_with(|| Mover::new(record)) else { break };
                if moves_far(world, body, &sweep, &met)
                    && has_crossed(world, (shape, mover, &sweep), target, &met.sweep)
                {
                    crossed.push(u64::from(shape.min(target)) << 32 | u64::from(shape.max(target)));
                }
            }
        }
    }
}

/// The shapes that one may have crossed, in the order of their indices: sensors, or any if it is one itself.
fn find_targets(world: &WorldState, shape: &Shape, path: &Aabb, paths: &Bvh<Aabb>, targets: &mut Vec<u32>) {
    targets.clear();
    let mut look_at = |target: u32| {
        let other = &world.shapes[target];
        if (shape.sensor || other.sensor) && may_meet(world, shape, other) {
            targets.push(target);
        }
        true
    };
    world.broad.query(path, broad_mask(shape), Kinds::All, &mut look_at);
    paths.query(path, broad_mask(shape), &mut look_at);
    targets.sort_unstable();
    targets.dedup();
}

/// True when a moving shape overlapped another within the step only.
fn has_crossed(world: &WorldState, mover: (u32, &Mover, &Sweep), target: u32, target_sweep: &Sweep) -> bool {
    let (shape, mover, sweep) = mover;
    let (a, b) = if shape < target { (shape, target) } else { (target, shape) };
    if world.pairs.get(a, b).is_some_and(|contact| world.contacts[contact].touching) {
        return false;
    }
    let Some(outline) = world.shapes[target].geometry.swept() else { return false };
    mover.crosses(sweep, &outline, target_sweep) && !overlap_now(world, a, b)
}
