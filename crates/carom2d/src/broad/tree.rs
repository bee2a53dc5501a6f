//! The default broad phase: three bounding-volume trees, one for each kind of body. So fixed shapes are
//! never compared with each other and their tree never changes, and what constraints cannot move, fixed
//! and kinematic, is found without looking at the rest.

use super::{BroadBox, BroadVisitor, Kinds};
use crate::body::BodyKind;
use crate::math::Aabb;
use carom_core::{Bvh, Visitor};

/// Bits of a key that say which tree it belongs to; the others are the tree's own key.
const TREE_BITS: u32 = 2;

#[derive(Clone, Debug)]
pub(super) struct Trees {
    /// In the order of searching: dynamic, kinematic, fixed.
    trees: [Bvh<Aabb>; 3],
}

fn place(kind: BodyKind) -> u32 {
    match kind {
        BodyKind::Dynamic => 0,
        BodyKind::Kinematic => 1,
        BodyKind::Fixed => 2,
    }
}

impl Trees {
    pub(super) fn new() -> Trees {
        Trees { trees: [Bvh::new(), Bvh::new(), Bvh::new()] }
    }

    fn tree(&mut self, proxy: u32) -> &mut Bvh<Aabb> {
        &mut self.trees[(proxy & ((1 << TREE_BITS) - 1)) as usize]
    }

    pub(super) fn insert(&mut self, shape: u32, aabb: &Aabb, category: u64, kind: BodyKind) -> u32 {
        let place = place(kind);
        self.tree(place).insert(*aabb, category, shape) << TREE_BITS | place
    }

    pub(super) fn remove(&mut self, proxy: u32) {
        self.tree(proxy).remove(proxy >> TREE_BITS);
    }

    pub(super) fn set_bounds(&mut self, proxy: u32, aabb: &Aabb) {
        self.tree(proxy).set_bounds(proxy >> TREE_BITS, *aabb);
    }

    pub(super) fn set_category(&mut self, proxy: u32, category: u64) {
        self.tree(proxy).set_category(proxy >> TREE_BITS, category);
    }

    pub(super) fn query(&self, aabb: &Aabb, mask: u64, kinds: Kinds, visit: &mut impl FnMut(u32) -> bool) {
        let places = match kinds {
            Kinds::All => 0..3,
            Kinds::Dynamic => 0..1,
            Kinds::Moving => 0..2,
            Kinds::Immovable => 1..3,
        };
        let mut stopped = false;
        for tree in &self.trees[places] {
            tree.query(aabb, mask, &mut |shape| {
                stopped = !visit(shape);
                !stopped
            });
            if stopped {
                break;
            }
        }
    }

    pub(super) fn walk(&self, visitor: &mut impl BroadVisitor) {
        let mut walker = Walker { visitor, stopped: false };
        for tree in &self.trees {
            if !walker.stopped {
                tree.walk(&mut walker);
            }
        }
    }

    pub(super) fn boxes(&self) -> Vec<BroadBox> {
        let nodes = self.trees.iter().flat_map(Bvh::nodes);
        nodes
            .map(|node| BroadBox { aabb: node.bounds, depth: node.depth, count: u32::from(node.leaf.is_some()) })
            .collect()
    }

    pub(super) fn len(&self) -> usize {
        self.trees.iter().map(Bvh::len).sum()
    }

    pub(super) fn validate(&self) {
        self.trees.iter().for_each(Bvh::validate);
    }
}

struct Walker<'a, V> {
    visitor: &'a mut V,
    stopped: bool,
}

impl<V: BroadVisitor> Visitor<Aabb> for Walker<'_, V> {
    fn descend(&mut self, bounds: &Aabb, _: u64) -> bool {
        self.visitor.descend(bounds)
    }

    fn leaf(&mut self, shape: u32, _: &Aabb) -> bool {
        self.stopped = !self.visitor.shape(shape);
        !self.stopped
    }
}
