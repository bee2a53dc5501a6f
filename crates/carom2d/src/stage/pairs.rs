//! Broad phase: shapes whose fat box changed look for partners.
//!
//! Pairs are sorted before contacts are made, so the result is the same whichever broad phase found
//! them and in whatever order.

use super::StepContext;
use crate::attach::Shape;
use crate::body::{BodyKind, NONE};
use crate::broad::Kinds;
use crate::hooks::allow_pair;
use crate::world::World;

pub(crate) fn find_pairs(world: &mut World, context: &StepContext) {
    let moved = std::mem::take(&mut world.moved);
    let mut found = std::mem::take(&mut world.constraints.found);
    found.clear();
    for &shape in &moved {
        let record = &world.shapes[shape];
        if record.proxy == NONE {
            // Its body was disabled since.
            continue;
        }
        let kind = world.bodies[record.body].kind;
        // A group overrides the mask, so members of one must look at everything.
        let mask = if record.filter.group == 0 { record.filter.mask } else { u64::MAX };
        let kinds = if kind == BodyKind::Fixed { Kinds::Moving } else { Kinds::All };
        world.broad.query(&record.fat_aabb, mask, kinds, &mut |other| {
            if other != shape && may_meet(world, record, &world.shapes[other]) && !world.pairs.contains(shape, other) {
                let (a, b) = if shape < other { (shape, other) } else { (other, shape) };
                found.push(u64::from(a) << 32 | u64::from(b));
            }
            true
        });
    }
    found.sort_unstable();
    found.dedup();
    for &pair in &found {
        let (a, b) = ((pair >> 32) as u32, pair as u32);
        if context.hooks.is_none_or(|hooks| allow_pair(world, hooks, a, b)) {
            world.create_contact(a, b);
        }
    }
    world.constraints.found = found;
    for &shape in &moved {
        let record = &mut world.shapes[shape];
        record.moved = false;
        record.paired = true;
    }
    // Contacts just made may have woken bodies that want pairs of their own: those come next step.
    let mut moved = moved;
    moved.clear();
    moved.append(&mut world.moved);
    world.moved = moved;
}

/// True when two shapes may have a contact at all.
pub(crate) fn may_meet(world: &World, a: &Shape, b: &Shape) -> bool {
    if a.body == b.body || !a.filter.allows(&b.filter) {
        return false;
    }
    let (kind_a, kind_b) = (world.bodies[a.body].kind, world.bodies[b.body].kind);
    if a.sensor || b.sensor {
        kind_a != BodyKind::Fixed || kind_b != BodyKind::Fixed
    } else {
        (kind_a == BodyKind::Dynamic || kind_b == BodyKind::Dynamic) && !world.joined(a.body, b.body)
    }
}
