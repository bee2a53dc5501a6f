//! The default broad phase: three trees, one for each kind of body. So fixed shapes are never compared
//! with each other and their tree never changes, and what constraints cannot move, fixed and kinematic, is
//! found without looking at the rest.

use super::packed::{Packed, Tells};
use super::{BroadBox, BroadFilter, BroadVisitor, Kinds};
use crate::body::BodyKind;
use crate::math::Aabb;
use std::ops::Range;

/// Bits of a key that say which tree it belongs to; the others are the tree's own key.
const TREE_BITS: u32 = 2;
const FIXED: usize = 2;

#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    /// In the order of searching: dynamic, kinematic, fixed.
    trees: [Packed; 3],
}

fn place(kind: BodyKind) -> u32 {
    match kind {
        BodyKind::Dynamic => 0,
        BodyKind::Kinematic => 1,
        BodyKind::Fixed => FIXED as u32,
    }
}

impl Trees {
    #[inline]
    fn tree(&mut self, proxy: u32) -> &mut Packed {
        &mut self.trees[(proxy & ((1 << TREE_BITS) - 1)) as usize]
    }

    pub(super) fn insert(&mut self, shape: u32, aabb: &Aabb, filter: BroadFilter, kind: BodyKind) -> u32 {
        let place = place(kind);
        self.tree(place).insert(shape, aabb, filter) << TREE_BITS | place
    }

    pub(super) fn remove(&mut self, proxy: u32) {
        self.tree(proxy).remove(proxy >> TREE_BITS);
    }

    pub(super) fn set_bounds(&mut self, proxy: u32, aabb: &Aabb) {
        self.tree(proxy).set_bounds(proxy >> TREE_BITS, aabb);
    }

    #[inline]
    pub(super) fn store_bounds(&mut self, proxy: u32, aabb: &Aabb) {
        self.tree(proxy).store_bounds(proxy >> TREE_BITS, aabb);
    }

    pub(super) fn refit(&mut self) {
        self.trees.iter_mut().for_each(Packed::refit);
    }

    pub(super) fn set_filter(&mut self, proxy: u32, filter: BroadFilter) {
        self.tree(proxy).set_filter(proxy >> TREE_BITS, filter);
    }

    pub(super) fn forget(&mut self, proxy: u32) {
        self.tree(proxy).forget(proxy >> TREE_BITS);
    }

    pub(super) fn forget_all(&mut self) {
        self.trees.iter_mut().for_each(Packed::forget_all);
    }

    #[inline]
    pub(super) fn mark(&mut self, proxy: u32) {
        self.tree(proxy).mark(proxy >> TREE_BITS);
    }

    pub(super) fn tidy(&mut self) {
        self.trees.iter_mut().for_each(Packed::tidy);
    }

    /// How many pieces a search can be divided into.
    pub(super) fn piece_count(&self) -> usize {
        self.trees.iter().map(Packed::leaf_count).sum()
    }

    /// Tells of the new neighbours of marked shapes. Pieces are leaves, those of the first tree first.
    pub(super) fn search(&self, pieces: Range<usize>, tell: &mut impl FnMut(u32, u32)) {
        let mut first = 0;
        for (from, tree) in self.trees.iter().enumerate() {
            let leaves = tree.leaf_count();
            let piece = |piece: usize| piece.clamp(first, first + leaves) - first;
            let range = piece(pieces.start)..piece(pieces.end);
            for (to, other) in self.trees.iter().enumerate() {
                let tells = match from.cmp(&to) {
                    std::cmp::Ordering::Less => Tells::Searcher,
                    std::cmp::Ordering::Equal => Tells::First,
                    std::cmp::Ordering::Greater => Tells::Found,
                };
                // Nothing fixed meets anything fixed.
                if (from, to) != (FIXED, FIXED) {
                    tree.search(range.clone(), other, tells, tell);
                }
            }
            first += leaves;
        }
    }

    pub(super) fn settle(&mut self) {
        self.trees.iter_mut().for_each(Packed::settle);
    }

    pub(super) fn query(&self, aabb: &Aabb, mask: u64, kinds: Kinds, visit: &mut impl FnMut(u32) -> bool) {
        let places = match kinds {
            Kinds::All => 0..3,
            Kinds::Dynamic => 0..1,
            Kinds::Immovable => 1..3,
        };
        let _ = self.trees[places].iter().all(|tree| tree.query(aabb, mask, visit));
    }

    pub(super) fn walk(&self, visitor: &mut impl BroadVisitor) {
        let _ = self.trees.iter().all(|tree| tree.walk(visitor));
    }

    pub(super) fn boxes(&self) -> Vec<BroadBox> {
        self.trees.iter().flat_map(Packed::boxes).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.trees.iter().map(Packed::len).sum()
    }

    pub(super) fn validate(&self) {
        self.trees.iter().for_each(Packed::validate);
    }
}
