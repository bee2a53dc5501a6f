//! Colours: active contacts join the constraint graph, others leave it.
//!
//! Within a colour no two constraints share a movable body, so they can be solved side by side, in
//! SIMD lanes and on threads, with the same result as one after the other.
//!
//! Colours are solved one after the other, and a contact takes the first that is free. In a wall that is built row by row,
//! with contacts that join in the order of their shapes, every brick would have the contact at its left end in one colour
//! and that at its right end in the next. Each pass would serve all bricks from the same side first, and what it leaves
//! over would add up to a shake that never ends. So contacts join in a scattered order.

use super::burdens::is_unequal;
use crate::ablation::Measure;
use crate::body::NONE;
use crate::solver::Solver;
use crate::world::WorldState;

/// Gives colours to those of the changed contacts that have become active, and takes them from the others.
pub(crate) fn color_constraints(world: &mut WorldState, changed: &[(u64, u32)], coloring: &mut Coloring) {
    coloring.joining.clear();
    for &(order, index) in changed {
        if world.contacts[index].active {
            coloring.joining.push((order, index));
        } else {
            world.remove_from_colors(index);
        }
    }
    world.color_scattered(coloring);
}

/// Memory of colouring.
#[derive(Debug, Default)]
pub(crate) struct Coloring {
    /// Contacts that are about to get a colour, with their order.
    pub(crate) joining: Vec<(u64, u32)>,
    /// Those of them that get one, and the order in which they do: a key, and their place in the low 31 bits.
    pub(crate) joiners: Vec<Joiner>,
    keys: Vec<u64>,
    /// How many of them each island has.
    ranks: Vec<u32>,
}

/// A contact that is about to get a colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joiner {
    pub(crate) index: u32,
    /// The bodies that it may move, and their island; `NONE` if there is none.
    bodies: (Option<u32>, Option<u32>),
    pub(crate) island: u32,
    color: u8,
}

impl WorldState {
    /// Gives contacts their colours, in an order that follows from theirs and from nothing else in the world: each is
    /// numbered within its island, and the numbers are mixed. What bounces comes first, in its own order: elastic
    /// heaps are less even if it is scattered. So does everything with the other solvers.
    pub(crate) fn color_scattered(&mut self, coloring: &mut Coloring) {
        let Coloring { joining, joiners, keys, ranks } = coloring;
        joining.sort_unstable();
        joining.dedup();
        ranks.resize(self.islands.key_count().max(ranks.len()), 0);
        joiners.clear();
        keys.clear();
        let scatters = self.def.solver == Solver::SoftStep && !self.left_out.contains(Measure::ScatteredOrder);
        for &(_, index) in joining.iter() {
            let Some(joiner) = self.joiner(index) else { continue };
            let mut rank = 0;
            if let Some(next) = ranks.get_mut(joiner.island as usize) {
                rank = *next;
                *next += 1;
            }
            let bounces = self.contacts[index].material.restitution > 0.0;
            let key = if bounces || !scatters { u64::from(rank) } else { 1 << 32 | u64::from(mixed(rank)) };
            // There are fewer contacts than 2^31.
            keys.push(key << 31 | joiners.len() as u64);
            joiners.push(joiner);
        }
        keys.sort_unstable();
        for key in keys {
            let joiner = &mut joiners[(*key & (u64::MAX >> 33)) as usize];
            joiner.color = self.colors.choose(joiner.bodies.0, joiner.bodies.1);
        }
        // Listed in their own order, contacts of a colour lie side by side as their bodies do.
        let mut preloads = std::mem::take(&mut self.preloads);
        for joiner in joiners {
            let slot = self.colors.list(joiner.index, joiner.color, joiner.bodies.0, joiner.bodies.1);
            self.contacts[joiner.index].slot = Some(slot);
            if is_unequal(self, &self.contacts[joiner.index]) {
                self.burdens.note(joiner.index);
            }
            if !preloads.is_empty() {
                preloads.note(self, joiner.index);
            }
            if let Some(rank) = ranks.get_mut(joiner.island as usize) {
                *rank = 0;
            }
        }
        self.preloads = preloads;
    }

    /// An active contact without a colour, if one of its bodies can be moved.
    fn joiner(&self, index: u32) -> Option<Joiner> {
        let contact = &self.contacts[index];
        if contact.slot.is_some() || !contact.active || contact.sensor {
            return None;
        }
        let bodies = self.movable_ends(contact);
        let island = self.islands.island_of(bodies.0.or(bodies.1)?).unwrap_or(NONE);
        Some(Joiner { index, bodies, island, color: 0 })
    }
}

/// Another number for each number, far from those of its neighbours (the finalizer of A. Appleby's MurmurHash3).
fn mixed(number: u32) -> u32 {
    let mixed = (number ^ number >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}
