//! The default broad phase: two bounding-volume trees, one for what is fixed and one for the rest,
//! so that fixed shapes are never compared with each other and their tree never changes.

use super::{BroadBox, BroadVisitor};
use crate::math::Aabb;
use carom_core::{Bvh, Visitor};

/// Keys are those of the trees, doubled; odd ones belong to the fixed tree.
#[derive(Clone, Debug)]
pub(super) struct Trees {
    moving: Bvh<Aabb>,
    fixed: Bvh<Aabb>,
}

impl Trees {
    pub(super) fn new() -> Trees {
        Trees { moving: Bvh::new(), fixed: Bvh::new() }
    }

    fn tree(&mut self, proxy: u32) -> &mut Bvh<Aabb> {
        if proxy & 1 == 0 { &mut self.moving } else { &mut self.fixed }
    }

    pub(super) fn insert(&mut self, shape: u32, aabb: &Aabb, category: u64, fixed: bool) -> u32 {
        let tree = u32::from(fixed);
        self.tree(tree).insert(*aabb, category, shape) << 1 | tree
    }

    pub(super) fn remove(&mut self, proxy: u32) {
        self.tree(proxy).remove(proxy >> 1);
    }

    pub(super) fn set_bounds(&mut self, proxy: u32, aabb: &Aabb) {
        self.tree(proxy).set_bounds(proxy >> 1, *aabb);
    }

    pub(super) fn set_category(&mut self, proxy: u32, category: u64) {
        self.tree(proxy).set_category(proxy >> 1, category);
    }

    pub(super) fn query(&self, aabb: &Aabb, mask: u64, with_fixed: bool, visit: &mut impl FnMut(u32) -> bool) {
        let mut stopped = false;
        self.moving.query(aabb, mask, &mut |shape| {
            stopped = !visit(shape);
            !stopped
        });
        if with_fixed && !stopped {
            self.fixed.query(aabb, mask, visit);
        }
    }

    pub(super) fn walk(&self, visitor: &mut impl BroadVisitor) {
        let mut walker = Walker { visitor, stopped: false };
        self.moving.walk(&mut walker);
        if !walker.stopped {
            self.fixed.walk(&mut walker);
        }
    }

    pub(super) fn boxes(&self) -> Vec<BroadBox> {
        let nodes = self.moving.nodes().chain(self.fixed.nodes());
        nodes
            .map(|node| BroadBox { aabb: node.bounds, depth: node.depth, count: u32::from(node.leaf.is_some()) })
            .collect()
    }

    pub(super) fn len(&self) -> usize {
        self.moving.len() + self.fixed.len()
    }

    pub(super) fn validate(&self) {
        self.moving.validate();
        self.fixed.validate();
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
