//! Looking for the neighbours of one box, and for the new ones of all that moved.

use super::boxes::NOWHERE;
use super::{ALL, BroadVisitor, Packed, WIDTH, lanes};
use crate::math::Aabb;
use std::ops::Range;

/// Which of two items that both moved tells of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::broad) enum Tells {
    /// The one that searches: the other one's tree does not.
    Searcher,
    /// The one that is found, when its tree searches.
    Found,
    /// The one that comes first; both are in the same tree.
    First,
}

impl Packed {
    /// Tells of new neighbours that marked items of some leaves have in a tree, which may be this one, as
    /// pairs of users: all whose boxes overlap now, did not when pairs were last looked for, and whose
    /// filters agree.
    pub(in crate::broad) fn search(
        &self,
        range: Range<usize>,
        other: &Packed,
        tells: Tells,
        tell: &mut impl FnMut(u32, u32),
    ) {
        if self.moved_count == 0 || other.len == 0 || !self.filter.meets(&other.filter) {
            return;
        }
        let (own_boxes, other_boxes) = (&self.levels[0][..], &other.levels[0][..]);
        for leaf in range {
            let moved = u32::from(self.moved[leaf]);
            if moved == 0 {
                continue;
            }
            let (boxes, known, items) = (&own_boxes[leaf], &self.known[leaf], &self.leaves[leaf]);
            let around = lanes(moved).fold(NOWHERE, |all, lane| all.union(&boxes.get(lane)));
            other.near_leaves(&around, &mut |target, bounds| {
                let found = u32::from(other.moved[target]);
                // Where everything moved, which is nothing rare, the first of two leaves tells of all pairs.
                if found == ALL && (tells == Tells::Found || tells == Tells::First && target < leaf) {
                    return;
                }
                let (others, other_known) = (&other_boxes[target], &other.known[target]);
                for lane in lanes(moved & boxes.overlapping(bounds)) {
                    let left_to_other = match tells {
                        Tells::Searcher => 0,
                        Tells::Found => found,
                        Tells::First if target > leaf => 0,
                        Tells::First if target < leaf => found,
                        // Those before it, and itself.
                        Tells::First => found & ((2 << lane) - 1),
                    };
                    let now = others.overlapping(&boxes.get(lane)) & !left_to_other;
                    if now == 0 {
                        continue;
                    }
                    let before = other_known.overlapping(&known.get(lane));
                    for other_lane in lanes(now & !before) {
                        let other_items = &other.leaves[target];
                        if items.filters[lane].meets(&other_items.filters[other_lane]) {
                            tell(items.users[lane], other_items.users[other_lane]);
                        }
                    }
                }
            });
        }
    }

    /// Ends a search: what overlaps now is known.
    pub(in crate::broad) fn settle(&mut self) {
        if self.moved_count == 0 {
            return;
        }
        for (leaf, moved) in self.moved.iter_mut().enumerate().filter(|(_, moved)| **moved != 0) {
            for lane in lanes(u32::from(*moved)) {
                self.known[leaf].set(lane, &self.levels[0][leaf].get(lane));
            }
            *moved = 0;
        }
        self.moved_count = 0;
    }

    /// Visits the leaves that a box overlaps, with their bounds.
    #[inline]
    fn near_leaves(&self, aabb: &Aabb, visit: &mut impl FnMut(usize, &Aabb)) {
        match self.levels.len() {
            0 => {}
            1 => visit(0, &self.levels[0][0].bounds()),
            count => self.near_leaves_below(count - 1, 0, aabb, visit),
        }
    }

    fn near_leaves_below(&self, level: usize, node: usize, aabb: &Aabb, visit: &mut impl FnMut(usize, &Aabb)) {
        let boxes = &self.levels[level][node];
        for lane in lanes(boxes.overlapping(aabb)) {
            let child = node * WIDTH + lane;
            if level == 1 {
                visit(child, &boxes.get(lane));
            } else {
                self.near_leaves_below(level - 1, child, aabb, visit);
            }
        }
    }

    /// Visits the users of all items that overlap a box and have a category bit in `mask`. False from
    /// `visit` ends the search, and is returned.
    pub(in crate::broad) fn query(&self, aabb: &Aabb, mask: u64, visit: &mut impl FnMut(u32) -> bool) -> bool {
        let mut goes_on = true;
        if self.filter.category & mask != 0 {
            self.near_leaves(aabb, &mut |leaf, _| {
                if !goes_on {
                    return;
                }
                for lane in lanes(self.levels[0][leaf].overlapping(aabb)) {
                    let items = &self.leaves[leaf];
                    if items.filters[lane].category & mask != 0 && !visit(items.users[lane]) {
                        goes_on = false;
                        return;
                    }
                }
            });
        }
        goes_on
    }

    /// Walks through all boxes that the visitor does not refuse. False when it ended the walk.
    pub(in crate::broad) fn walk(&self, visitor: &mut impl BroadVisitor) -> bool {
        self.levels.is_empty() || self.walk_below(self.levels.len() - 1, 0, visitor)
    }

    fn walk_below(&self, level: usize, node: usize, visitor: &mut impl BroadVisitor) -> bool {
        for lane in 0..WIDTH {
            let aabb = self.levels[level][node].get(lane);
            let is_there = aabb.min.x <= aabb.max.x;
            if !is_there || !visitor.descend(&aabb) {
                continue;
            }
            let goes_on = if level == 0 {
                visitor.shape(self.leaves[node].users[lane])
            } else {
                self.walk_below(level - 1, node * WIDTH + lane, visitor)
            };
            if !goes_on {
                return false;
            }
        }
        true
    }
}
