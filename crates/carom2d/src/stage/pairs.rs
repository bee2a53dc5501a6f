//! Broad phase: shapes whose fat box changed look for partners.
//!
//! Pairs are sorted before contacts are made, so the result is the same whichever broad phase found
//! them and in whatever order.

use super::StepContext;
use crate::attach::Shape;
use crate::body::{BodyKind, NONE};
use crate::hooks::allow_pair;
use crate::overcrowded::take_out_crammed;
use crate::world::WorldState;
use carom_wide::prefetch;
use std::ops::Range;

/// So many pairs before its turn, what a contact needs is fetched from memory.
const FETCH_AHEAD: usize = 4;
/// Fewer pieces of a search than this are not worth another thread.
const LEAST_PIECES: usize = 16;

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct PairSearch {
    found: Vec<u64>,
    /// What each thread found.
    lists: Vec<Vec<u64>>,
}

pub(crate) fn find_pairs(world: &mut WorldState, memory: &mut PairSearch, context: &StepContext) {
    if world.moved.is_empty() {
        return;
    }
    for &shape in &world.moved {
        // It may be gone, and another may have its place by now.
        let Some(record) = world.shapes.get_at_mut(shape).filter(|record| record.moved) else { continue };
        record.moved = false;
        record.paired = true;
        // It has none if its body was disabled since.
        if record.proxy != NONE {
            world.broad.mark(record.proxy);
        }
    }
    // Contacts just made may wake bodies that want pairs of their own: those come next step.
    world.moved.clear();

    let pieces = world.broad.start_search();
    let PairSearch { found, lists } = memory;
    lists.iter_mut().for_each(Vec::clear);
    let grain = context.crew.grain(pieces, LEAST_PIECES);
    context.crew.for_lists(lists, pieces, grain, |pieces, found| search(world, pieces, found));
    found.clear();
    for list in lists {
        if found.is_empty() {
            std::mem::swap(found, list);
        } else {
            found.append(list);
        }
    }
    world.broad.settle();
    // First: of a crowd, few pairs are left to sort.
    let waiting = take_out_crammed(world, found);
    found.sort_unstable();
    for (place, &pair) in found.iter().enumerate() {
        found.get(place + FETCH_AHEAD).inspect(|pair| fetch(world, ends(**pair)));
        let (a, b) = ends(pair);
        if context.hooks.is_none_or(|hooks| allow_pair(world, hooks, a, b)) {
            world.create_contact(a, b);
        } else {
            // To be asked again when one of them moves.
            world.broad.forget(world.shapes[a].proxy);
        }
    }
    for shape in waiting {
        world.mark_moved(shape);
    }
}

/// The shapes of a pair.
fn ends(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// Tells the machine that a contact of two shapes will be made soon.
fn fetch(world: &WorldState, (a, b): (u32, u32)) {
    world.pairs.home(a, b).inspect(|key| prefetch(*key));
    for shape in [a, b] {
        world.fetch_edges(world.bodies[world.shapes[shape].body].contact_head);
    }
}

/// Finds the pairs that want a contact and have none, in some pieces of a search.
fn search(world: &WorldState, pieces: Range<usize>, found: &mut Vec<u64>) {
    world.broad.search(pieces, &mut |shape, other| {
        let (a, b) = if shape < other { (shape, other) } else { (other, shape) };
        if may_meet(world, &world.shapes[a], &world.shapes[b]) && !world.pairs.contains(a, b) {
            found.push(u64::from(a) << 32 | u64::from(b));
        }
    });
}

/// True when two shapes may have a contact at all.
#[inline]
pub(crate) fn may_meet(world: &WorldState, a: &Shape, b: &Shape) -> bool {
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
