//! Colours: active contacts join the constraint graph, others leave it.
//!
//! Within a colour no two constraints share a movable body, so they can be solved side by side, in
//! SIMD lanes and on threads, with the same result as one after the other.
//!
//! Colours are solved one after the other, and a contact takes the first that is free. In a wall that is built row by row,
//! with contacts that join in the order of their shapes, every brick would have the contact at its left end in one colour
//! and that at its right end in the next. Each pass would serve all bricks from the same side first, and what it leaves
//! over would add up to a shake that never ends. So contacts join in a scattered order.

use super::StepContext;
use crate::body::BodyKind;
use crate::solver::Solver;
use crate::world::World;

pub(crate) fn color_constraints(world: &mut World, _: &StepContext) {
    let mut joining = std::mem::take(&mut world.constraints.joining);
    joining.clear();
    for place in 0..world.constraints.changed.len() {
        let (order, index) = world.constraints.changed[place];
        if world.contacts[index].active {
            joining.push((order, index));
        } else {
            world.remove_from_colors(index);
        }
    }
    world.color_scattered(&mut joining);
    world.constraints.joining = joining;
}

impl World {
    /// Gives contacts their colours, in an order that follows from theirs and from nothing else in the world: each is
    /// numbered within its island, and the numbers are mixed. What bounces comes first, in its own order: elastic
    /// heaps are less even if it is scattered. So does everything with the other solvers.
    pub(crate) fn color_scattered(&mut self, joining: &mut Vec<(u64, u32)>) {
        joining.sort_unstable();
        joining.dedup();
        joining.retain(|&(_, index)| self.wants_color(index));
        let mut chosen = std::mem::take(&mut self.constraints.chosen);
        let mut ranks = std::mem::take(&mut self.constraints.ranks);
        ranks.resize(self.islands.key_count().max(ranks.len()), 0);
        chosen.clear();
        let scatters = self.def.solver == Solver::SoftStep;
        for (place, &(_, index)) in (0..).zip(joining.iter()) {
            let rank = self.island_of_contact(index).map_or(0, |island| {
                ranks[island as usize] += 1;
                ranks[island as usize] - 1
            });
            let bounces = self.contacts[index].material.restitution > 0.0;
            let key = if bounces || !scatters { u64::from(rank) } else { 1 << 32 | u64::from(mixed(rank)) };
            chosen.push((key, place, 0));
        }
        for &(_, index) in joining.iter() {
            if let Some(island) = self.island_of_contact(index) {
                ranks[island as usize] = 0;
            }
        }
        chosen.sort_unstable();
        for (_, place, color) in &mut chosen {
            let (a, b) = self.movable_ends(&self.contacts[joining[*place as usize].1]);
            *color = self.colors.choose(a, b);
        }
        // Listed in their own order, contacts of a colour lie side by side as their bodies do.
        chosen.sort_unstable_by_key(|&(_, place, _)| place);
        for (&(_, _, color), &(_, index)) in chosen.iter().zip(joining.iter()) {
            let (a, b) = self.movable_ends(&self.contacts[index]);
            self.contacts[index].slot = Some(self.colors.list(index, color, a, b));
        }
        (self.constraints.chosen, self.constraints.ranks) = (chosen, ranks);
    }

    /// The island of the bodies that a contact may move.
    fn island_of_contact(&self, index: u32) -> Option<u32> {
        let contact = &self.contacts[index];
        let movable =
            [contact.body_a, contact.body_b].into_iter().find(|&body| self.bodies[body].kind == BodyKind::Dynamic);
        movable.and_then(|body| self.islands.island_of(body))
    }
}

/// Another number for each number, far from those of its neighbours (the finalizer of A. Appleby's MurmurHash3).
fn mixed(number: u32) -> u32 {
    let mixed = (number ^ number >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}
