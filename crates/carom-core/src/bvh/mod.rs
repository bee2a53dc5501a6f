//! A dynamic tree of bounding volumes.

mod keep;
mod place;
mod stack;
#[cfg(test)]
mod tests;

use stack::Stack;
use std::ops::{Add, Sub};

const NONE: u32 = u32::MAX;
/// The `height` of a node that is not in use.
const FREE: u32 = u32::MAX;

/// A bounding volume, as the tree sees it.
///
/// The union must contain both, exactly: `a.union(b).contains(a)`. Bounds must be finite.
pub trait Bounds: Copy {
    /// A size that tells how likely a query is to hit: perimeter or surface area.
    type Cost: Copy + PartialOrd + Add<Output = Self::Cost> + Sub<Output = Self::Cost>;

    /// The smallest bounds around both.
    fn union(&self, other: &Self) -> Self;
    /// Whether the two have a point in common; touching counts.
    fn overlaps(&self, other: &Self) -> bool;
    /// Whether `other` lies inside, borders included.
    fn contains(&self, other: &Self) -> bool;
    /// The cost of visiting these bounds.
    fn cost(&self) -> Self::Cost;
}

/// What decides where a [walk](Bvh::walk) goes: a ray that gets shorter, a closest-point search, a box.
pub trait Visitor<B> {
    /// Whether to look inside. Asked for inner nodes with the OR of the categories below, and for leaves.
    fn descend(&mut self, bounds: &B, category: u64) -> bool;
    /// A leaf for which `descend` said yes. `false` ends the walk.
    fn leaf(&mut self, user: u32, bounds: &B) -> bool;
}

/// A node, for drawing the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeView<B> {
    /// What the node covers.
    pub bounds: B,
    /// 0 at the root.
    pub depth: u32,
    /// The user value if it is a leaf.
    pub leaf: Option<u32>,
}

#[derive(Clone, Debug)]
struct Node<B> {
    bounds: B,
    /// Of a leaf its own, of an inner node the OR of both children.
    category: u64,
    /// `NONE` at the root; in a free node the next free one.
    parent: u32,
    /// In a leaf, `NONE` and the user value.
    children: [u32; 2],
    /// 0 in a leaf, `FREE` if not in use.
    height: u32,
}

impl<B> Node<B> {
    #[inline]
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// A binary tree of bounds that changes as things move.
///
/// A new leaf goes down the side where it makes the tree's total cost grow least, and on the way back up small
/// rotations are made where they lower the cost (or the height, at equal cost). Leaves keep their key (the proxy)
/// for life; the shape of the tree, and so the order of visits, depends only on the order of the calls.
#[derive(Clone, Debug)]
pub struct Bvh<B: Bounds> {
    nodes: Vec<Node<B>>,
    root: u32,
    first_free: u32,
    leaf_count: usize,
}

impl<B: Bounds> Default for Bvh<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Bounds> Bvh<B> {
    /// An empty tree.
    pub const fn new() -> Self {
        Self { nodes: Vec::new(), root: NONE, first_free: NONE, leaf_count: 0 }
    }

    /// Adds a leaf and returns its proxy key.
    pub fn insert(&mut self, bounds: B, category: u64, user: u32) -> u32 {
        let leaf = self.take_node(Node { bounds, category, parent: NONE, children: [NONE, user], height: 0 });
        self.attach(leaf);
        self.leaf_count += 1;
        leaf
    }

    /// Removes a leaf.
    pub fn remove(&mut self, proxy: u32) {
        self.check_proxy(proxy);
        self.detach(proxy);
        self.free_node(proxy);
        self.leaf_count -= 1;
    }

    /// Removes all leaves and keeps the memory. All keys become stale.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.root = NONE;
        self.first_free = NONE;
        self.leaf_count = 0;
    }

    /// Moves a leaf: takes it out and puts it in where it now belongs, under the same key.
    pub fn set_bounds(&mut self, proxy: u32, bounds: B) {
        self.check_proxy(proxy);
        self.detach(proxy);
        self.nodes[proxy as usize].bounds = bounds;
        self.attach(proxy);
    }

    /// Gives a leaf new bounds and grows the nodes above until they contain them. Much cheaper than
    /// [`set_bounds`](Self::set_bounds), but after large moves the tree gets loose.
    pub fn enlarge(&mut self, proxy: u32, bounds: B) {
        self.check_proxy(proxy);
        let leaf = &mut self.nodes[proxy as usize];
        leaf.bounds = bounds;
        let mut index = leaf.parent;
        while index != NONE {
            let node = &mut self.nodes[index as usize];
            if node.bounds.contains(&bounds) {
                break;
            }
            node.bounds = node.bounds.union(&bounds);
            index = node.parent;
        }
    }

    /// Rebuilds the tree over its leaves, which keep their keys: for when most of them have moved.
    ///
    /// `bounds` tells what a leaf covers now, by its user value, and `place` where on a line that stands for: leaves that
    /// are near each other should have places near each other, as along a curve that fills space. Leaves with the same
    /// high bits in their place come under one node.
    pub fn rebuild(&mut self, bounds: impl Fn(u32) -> B, place: impl Fn(&B) -> u64) {
        let mut leaves = Vec::with_capacity(self.leaf_count);
        let mut free = Vec::with_capacity(self.nodes.len() - self.leaf_count);
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            if node.height == 0 {
                node.bounds = bounds(node.children[1]);
                leaves.push((place(&node.bounds), index as u32));
            } else {
                free.push(index as u32);
            }
        }
        // Inner nodes are taken from the lowest index on: parents then come right before their children.
        free.reverse();
        leaves.sort_unstable();
        self.root = if leaves.is_empty() { NONE } else { self.build(&leaves, NONE, &mut free) };
        self.first_free = NONE;
        for index in free {
            self.free_node(index);
        }
    }

    /// Builds a tree over some leaves with their places, in order, from free nodes. Returns its root.
    fn build(&mut self, leaves: &[(u64, u32)], parent: u32, free: &mut Vec<u32>) -> u32 {
        let (first, last) = (leaves[0], leaves[leaves.len() - 1]);
        if leaves.len() == 1 {
            self.nodes[first.1 as usize].parent = parent;
            return first.1;
        }
        let middle = match (first.0 ^ last.0).checked_ilog2() {
            // Where the highest bit in which they differ is set. It is clear in the first and set in the last.
            Some(bit) => leaves.partition_point(|(place, _)| place >> bit & 1 == 0),
            None => leaves.len() / 2,
        };
        // A binary tree has one inner node less than leaves.
        let index = free.pop().expect("a node for each pair of parts");
        let left = self.build(&leaves[..middle], index, free);
        let right = self.build(&leaves[middle..], index, free);
        self.nodes[index as usize].parent = parent;
        self.nodes[index as usize].children = [left, right];
        self.refit(index);
        index
    }

    /// Changes the category bits of a leaf.
    pub fn set_category(&mut self, proxy: u32, category: u64) {
        self.check_proxy(proxy);
        self.nodes[proxy as usize].category = category;
        let mut index = self.nodes[proxy as usize].parent;
        while index != NONE {
            let [left, right] = self.nodes[index as usize].children;
            let category = self.nodes[left as usize].category | self.nodes[right as usize].category;
            let node = &mut self.nodes[index as usize];
            node.category = category;
            index = node.parent;
        }
    }

    /// The bounds of a leaf.
    #[inline]
    pub fn bounds(&self, proxy: u32) -> B {
        self.check_proxy(proxy);
        self.nodes[proxy as usize].bounds
    }

    /// The category bits of a leaf.
    #[inline]
    pub fn category(&self, proxy: u32) -> u64 {
        self.check_proxy(proxy);
        self.nodes[proxy as usize].category
    }

    /// The user value of a leaf.
    #[inline]
    pub fn user(&self, proxy: u32) -> u32 {
        self.check_proxy(proxy);
        self.nodes[proxy as usize].children[1]
    }

    /// Visits the user value of each leaf that overlaps `bounds` and has a category bit in `mask`; `visit` returns
    /// `false` to stop.
    pub fn query(&self, bounds: &B, mask: u64, visit: &mut impl FnMut(u32) -> bool) {
        struct Overlap<'a, B, F> {
            bounds: &'a B,
            mask: u64,
            visit: &'a mut F,
        }

        impl<B: Bounds, F: FnMut(u32) -> bool> Visitor<B> for Overlap<'_, B, F> {
            #[inline]
            fn descend(&mut self, bounds: &B, category: u64) -> bool {
                category & self.mask != 0 && self.bounds.overlaps(bounds)
            }

            #[inline]
            fn leaf(&mut self, user: u32, _bounds: &B) -> bool {
                (self.visit)(user)
            }
        }

        self.walk(&mut Overlap { bounds, mask, visit });
    }

    /// Visits the tree from the root, left before right, as far as the visitor wants.
    #[inline]
    pub fn walk(&self, visitor: &mut impl Visitor<B>) {
        let mut stack = Stack::new();
        stack.push(self.root);
        while let Some(index) = stack.pop() {
            // Only the root of an empty tree is missing.
            let Some(node) = self.nodes.get(index as usize) else { return };
            if !visitor.descend(&node.bounds, node.category) {
                continue;
            }
            if node.is_leaf() {
                if !visitor.leaf(node.children[1], &node.bounds) {
                    return;
                }
            } else {
                stack.push(node.children[1]);
                stack.push(node.children[0]);
            }
        }
    }

    /// The number of leaves.
    #[inline]
    pub fn len(&self) -> usize {
        self.leaf_count
    }

    /// Whether there are no leaves.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.leaf_count == 0
    }

    /// The longest way from the root to a leaf; 0 if there is at most one leaf.
    pub fn height(&self) -> u32 {
        self.nodes.get(self.root as usize).map_or(0, |root| root.height)
    }

    /// The total cost of the inner nodes, `None` if there are none. The lower, the better the tree.
    pub fn inner_cost(&self) -> Option<B::Cost> {
        let inner = self.nodes.iter().filter(|node| node.height != FREE && !node.is_leaf());
        inner.map(|node| node.bounds.cost()).reduce(|sum, cost| sum + cost)
    }

    /// All nodes, parents before their children.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView<B>> {
        let mut stack: Vec<(u32, u32)> = Vec::new();
        if self.root != NONE {
            stack.push((self.root, 0));
        }
        std::iter::from_fn(move || {
            let (index, depth) = stack.pop()?;
            let node = &self.nodes[index as usize];
            if node.is_leaf() {
                return Some(NodeView { bounds: node.bounds, depth, leaf: Some(node.children[1]) });
            }
            stack.push((node.children[1], depth + 1));
            stack.push((node.children[0], depth + 1));
            Some(NodeView { bounds: node.bounds, depth, leaf: None })
        })
    }

    /// The user value of a leaf; none if there is no leaf of that key.
    pub fn leaf(&self, proxy: u32) -> Option<u32> {
        self.nodes.get(proxy as usize).filter(|node| node.height == 0).map(|node| node.children[1])
    }

    #[inline]
    #[track_caller]
    fn check_proxy(&self, proxy: u32) {
        assert!(self.nodes[proxy as usize].height == 0, "node {proxy} of the tree is not a proxy");
    }

    fn take_node(&mut self, node: Node<B>) -> u32 {
        let index = self.first_free;
        if index == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        self.first_free = self.nodes[index as usize].parent;
        self.nodes[index as usize] = node;
        index
    }

    fn free_node(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        node.height = FREE;
        node.parent = self.first_free;
        self.first_free = index;
    }

    /// Checks the whole tree. Panics with what is wrong. For tests: it visits everything.
    pub fn validate(&self) {
        let mut free_count = 0;
        let mut free = self.first_free;
        while free != NONE {
            assert!(self.nodes[free as usize].height == FREE, "node {free} is in use and in the free list");
            free_count += 1;
            free = self.nodes[free as usize].parent;
        }
        let mut stack = Vec::new();
        if self.root != NONE {
            let parent = self.nodes[self.root as usize].parent;
            assert!(parent == NONE, "the root has a parent: {parent}");
            stack.push(self.root);
        }
        let (mut node_count, mut leaf_count) = (0, 0);
        while let Some(index) = stack.pop() {
            node_count += 1;
            let node = &self.nodes[index as usize];
            if node.is_leaf() {
                assert!(node.height == 0, "leaf {index} has height {}", node.height);
                leaf_count += 1;
                continue;
            }
            let mut height = 0;
            let mut category = 0;
            for child in node.children {
                let below = &self.nodes[child as usize];
                assert!(below.parent == index, "node {child} is below {index}, says {}", below.parent);
                assert!(node.bounds.contains(&below.bounds), "node {index} does not contain its child {child}");
                height = height.max(below.height + 1);
                category |= below.category;
                stack.push(child);
            }
            assert!(node.height == height, "node {index} has height {height}, says {}", node.height);
            assert!(node.category == category, "node {index} has category {category:#x}, says {:#x}", node.category);
        }
        assert!(leaf_count == self.leaf_count, "{leaf_count} leaves, counted {}", self.leaf_count);
        let total = node_count + free_count;
        assert!(total == self.nodes.len(), "{total} nodes found of {}", self.nodes.len());
    }
}
