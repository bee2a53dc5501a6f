//! Which contact goes into which lane of which block.
//!
//! Constraints that found no colour are sorted into levels instead: each comes one level after the
//! last one that shares a body with it. A level shares no body either, and going through the levels
//! gives the same result as solving one after the other.

use crate::body::{BodyKind, NONE};
use crate::contact::Contact;
use crate::math::min;
use crate::solver::{BlockExtras, Constraints, ContactBlock};
use crate::stage::groups::Groups;
use crate::world::WorldState;
use carom_core::{BitSet, HOLE, OVERFLOW};
use carom_wide::LANES;
use std::ops::Range;

/// Says which contacts go into which lanes of which blocks. Those that are solved exactly come last, in blocks of their own.
pub(crate) fn list_blocks(world: &WorldState, constraints: &mut Constraints, groups: &Groups, hit: &BitSet) {
    constraints.colors.clear();
    constraints.crowded.clear();
    let Constraints { extras, colors, .. } = constraints;
    let mut used = 0;
    let burdens = &world.burdens;
    let mut exact: Vec<Vec<u32>> = Vec::new();
    let mut list = |contacts: &[u32], used: &mut usize| {
        if burdens.is_empty() {
            return list_color(extras, colors, used, contacts, hit);
        }
        let (chosen, passed): (Vec<u32>, Vec<u32>) = contacts.iter().partition(|&&index| burdens.has(index));
        list_color(extras, colors, used, &passed, hit);
        exact.extend((!chosen.is_empty()).then_some(chosen));
    };
    for (color, contacts) in world.colors.colors() {
        if color == OVERFLOW {
            let live = contacts.iter().filter(|&&index| index != HOLE);
            let (crowded, kept): (Vec<u32>, Vec<u32>) =
                live.partition(|&&index| is_crowded(world, &world.contacts[index]));
            constraints.crowded = crowded;
            for level in levels(world, &kept) {
                list(&level, &mut used);
            }
        } else if groups.is_empty() {
            list(contacts, &mut used);
        }
    }
    for contacts in groups.others() {
        list(contacts, &mut used);
    }
    constraints.passed = constraints.colors.len();
    for contacts in exact {
        list_color(&mut constraints.extras, &mut constraints.colors, &mut used, &contacts, hit);
    }
    constraints.extras.truncate(used);
    constraints.blocks.resize(used, ContactBlock::EMPTY);
}

/// Adds the blocks of contacts that share no movable body. Which contact goes into which lane changes nothing but the time
/// that it takes: those that may rebound come first, since every pass of `restitution.rs` looks at all blocks that have one.
pub(crate) fn list_color(
    extras: &mut Vec<BlockExtras>,
    colors: &mut Vec<Range<usize>>,
    used: &mut usize,
    contacts: &[u32],
    hit: &BitSet,
) {
    let first = *used;
    *used += contacts.len().div_ceil(LANES);
    if extras.len() < *used {
        extras.resize(*used, BlockExtras::EMPTY);
    }
    colors.push(first..*used);
    let blocks = &mut extras[first..*used];
    if let Some(last) = blocks.last_mut() {
        last.contact.fill(NONE);
    }
    for (block, lanes) in blocks.iter_mut().zip(contacts.chunks(LANES)) {
        block.contact[..lanes.len()].copy_from_slice(lanes);
    }
    if hit.is_empty() {
        return;
    }
    let mut front = 0;
    for (place, &contact) in contacts.iter().enumerate() {
        if hit.contains(contact) {
            blocks[place / LANES].contact[place % LANES] = blocks[front / LANES].contact[front % LANES];
            blocks[front / LANES].contact[front % LANES] = contact;
            front += 1;
        }
    }
}

/// How many coloured constraints a body must have before it counts as crowded.
pub(crate) const CROWD: u32 = 32;

/// True for a contact that adds nothing but work: dozens of others already push each of its bodies,
/// and its shapes overlap so deeply that they cannot have come to lie like this. A thousand discs at
/// one point make half a million contacts; a twentieth of them drives the discs apart as well.
fn is_crowded(world: &WorldState, contact: &Contact) -> bool {
    let busy = |body: u32| world.colors.mask(body).count_ones() >= CROWD;
    if !busy(contact.body_a) || !busy(contact.body_b) {
        return false;
    }
    let size = |shape: u32| world.shapes[shape].geometry.inner_extent();
    let deep = -0.5 * min(size(contact.shape_a), size(contact.shape_b));
    let manifold = &contact.manifold;
    manifold.points[..manifold.count as usize].iter().all(|point| point.separation < deep)
}

/// Sorts contacts into levels that share no movable body, keeping the order along every body.
fn levels(world: &WorldState, contacts: &[u32]) -> Vec<Vec<u32>> {
    let mut levels: Vec<Vec<u32>> = Vec::new();
    // The first free level of each awake body.
    let mut free = vec![0_usize; world.sets.awake().sims.len()];
    for &index in contacts {
        let contact = &world.contacts[index];
        let movable = |body: u32| {
            let place = world.awake_index(body);
            (place != NONE && world.bodies[body].kind == BodyKind::Dynamic).then_some(place as usize)
        };
        let ends = [movable(contact.body_a), movable(contact.body_b)];
        let level = ends.iter().flatten().map(|&end| free[end]).max().unwrap_or(0);
        for end in ends.into_iter().flatten() {
            free[end] = level + 1;
        }
        if level == levels.len() {
            levels.push(Vec::new());
        }
        levels[level].push(index);
    }
    levels
}
