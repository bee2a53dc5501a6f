//! A dynamic tree of bounding volumes.

use std::ops::{Add, Sub};

const NONE: u32 = u32::MAX;
/// The `height` of a node that is not in use.
const FREE: u32 = u32::MAX;
/// How many levels two siblings may differ before they are rotated without regard to cost. Lower keeps hostile input
/// shallower (4000 boxes nested in each other: height about 34 at 10, 46 at 16, 61 at 28); higher lets one huge box
/// stay nearer to the root.
const MAX_IMBALANCE: u32 = 16;

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

    /// Builds the tree anew over its leaves, which keep their keys: for when most of them have moved.
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

    /// Puts a leaf that has no place yet into the tree.
    fn attach(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.nodes[leaf as usize].parent = NONE;
            return;
        }
        let sibling = self.best_sibling(&self.nodes[leaf as usize].bounds);
        let above = self.nodes[sibling as usize].parent;
        // Bounds, category and height are filled in on the way up.
        let parent = self.take_node(Node {
            bounds: self.nodes[leaf as usize].bounds,
            category: 0,
            parent: above,
            children: [sibling, leaf],
            height: 1,
        });
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.replace_child(above, sibling, parent);
        self.refit_upwards(parent);
    }

    /// Takes a leaf out of the tree but keeps its node.
    fn detach(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node { parent: above, children: [left, right], .. } = self.nodes[parent as usize];
        let sibling = if left == leaf { right } else { left };
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free_node(parent);
        self.refit_upwards(above);
    }

    /// Puts `new` where `old` was under `above`, or makes it the root.
    fn replace_child(&mut self, above: u32, old: u32, new: u32) {
        if above == NONE {
            self.root = new;
        } else {
            let children = &mut self.nodes[above as usize].children;
            children[usize::from(children[0] != old)] = new;
        }
    }

    /// The node with which a new leaf is best paired: greedy descent.
    ///
    /// Pairing with a node costs the union of the two (a new inner node) and what all nodes above grow. Below an inner
    /// node no pairing can cost less than what that node grows plus the leaf's own cost; the descent follows the
    /// lower of these bounds and ends when it exceeds the best pairing seen. At equal cost it goes to the flatter
    /// side, which fills a heap of identical boxes evenly. Nodes too tall to be balanced by a leaf are passed by.
    fn best_sibling(&self, bounds: &B) -> u32 {
        let leaf_cost = bounds.cost();
        let root = &self.nodes[self.root as usize];
        let mut chosen = Candidate { index: self.root, union_cost: root.bounds.union(bounds).cost() };
        let mut inherited = zero_of(leaf_cost);
        let mut best: Option<(u32, B::Cost)> = None;
        loop {
            let node = &self.nodes[chosen.index as usize];
            let pairing = inherited + chosen.union_cost;
            if node.height <= MAX_IMBALANCE && best.is_none_or(|(_, cost)| pairing <= cost) {
                best = Some((chosen.index, pairing));
            }
            if node.is_leaf() {
                break;
            }
            inherited = inherited + (chosen.union_cost - node.bounds.cost());
            let [left, right] = node.children.map(|index| {
                let union_cost = self.nodes[index as usize].bounds.union(bounds).cost();
                Candidate { index, union_cost }
            });
            let least_below = |child: &Candidate<B::Cost>| {
                let node = &self.nodes[child.index as usize];
                let growth = child.union_cost - node.bounds.cost();
                (inherited + if node.is_leaf() { child.union_cost } else { growth + leaf_cost }, node.height)
            };
            let (least_left, height_left) = least_below(&left);
            let (least_right, height_right) = least_below(&right);
            let go_left = least_left < least_right || (least_left == least_right && height_left <= height_right);
            let (least, other);
            (chosen, other, least) = if go_left { (left, right, least_left) } else { (right, left, least_right) };

            // The side not taken can still be the best to pair with as a whole.
            let pairing = inherited + other.union_cost;
            let fits = self.nodes[other.index as usize].height <= MAX_IMBALANCE;
            if fits && best.is_none_or(|(_, cost)| pairing < cost) {
                best = Some((other.index, pairing));
            }
            if best.is_some_and(|(_, cost)| least > cost) {
                break;
            }
        }
        // A leaf can always be paired with, so the descent has found something.
        best.map_or(chosen.index, |(index, _)| index)
    }

    /// Recomputes the inner nodes from `index` to the root, and rotates where that helps.
    fn refit_upwards(&mut self, mut index: u32) {
        while index != NONE {
            self.refit(index);
            self.rotate(index);
            index = self.nodes[index as usize].parent;
        }
    }

    #[inline]
    fn refit(&mut self, index: u32) {
        let [left, right] = self.nodes[index as usize].children;
        let (left, right) = (&self.nodes[left as usize], &self.nodes[right as usize]);
        let bounds = left.bounds.union(&right.bounds);
        let category = left.category | right.category;
        let height = 1 + left.height.max(right.height);
        let node = &mut self.nodes[index as usize];
        node.bounds = bounds;
        node.category = category;
        node.height = height;
    }

    /// Swaps a child of `index` with a grandchild on the other side if that makes the tree better.
    ///
    /// With children `low` and `high`, and `high` the parent of `lifted` and `kept`, the swap gives
    /// (lifted, (low, kept)): only the bounds of `high` change, and the gain is what its cost falls.
    fn rotate(&mut self, index: u32) {
        let [left, right] = self.nodes[index as usize].children;
        let height_of = |index: u32| self.nodes[index as usize].height;
        let forced = height_of(left).abs_diff(height_of(right)) > MAX_IMBALANCE;

        let mut best = None;
        let mut best_gain = zero_of(self.nodes[index as usize].bounds.cost());
        let mut best_height = height_of(index);
        for (low, high) in [(left, right), (right, left)] {
            let [first, second] = self.nodes[high as usize].children;
            if self.nodes[high as usize].is_leaf() || (forced && height_of(high) < height_of(low)) {
                continue;
            }
            let high_cost = self.nodes[high as usize].bounds.cost();
            for (lifted, kept) in [(first, second), (second, first)] {
                let high_height = 1 + height_of(low).max(height_of(kept));
                let height = 1 + height_of(lifted).max(high_height);
                // A forced rotation lifts the taller grandchild, whatever it costs; others may not unbalance.
                if forced && height_of(lifted) < height_of(kept) {
                    continue;
                }
                let unbalances = height_of(low).abs_diff(height_of(kept)) > MAX_IMBALANCE
                    || height_of(lifted).abs_diff(high_height) > MAX_IMBALANCE;
                if unbalances && !forced {
                    continue;
                }
                let swapped = self.nodes[low as usize].bounds.union(&self.nodes[kept as usize].bounds);
                let gain = high_cost - swapped.cost();
                let better = gain > best_gain || (gain == best_gain && height < best_height);
                if better || (forced && best.is_none()) {
                    best = Some((low, high, lifted));
                    best_gain = gain;
                    best_height = height;
                }
            }
        }

        if let Some((low, high, lifted)) = best {
            self.replace_child(index, low, lifted);
            self.replace_child(high, lifted, low);
            self.nodes[lifted as usize].parent = index;
            self.nodes[low as usize].parent = high;
            self.refit(high);
            // The leaves below are the same, but refit the node itself: its height may have changed.
            self.refit(index);
        }
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

/// A node on the way of a descent, and what its bounds would cost with the new leaf inside.
#[derive(Clone, Copy)]
struct Candidate<C> {
    index: u32,
    union_cost: C,
}

/// The zero of a type that can only add and subtract.
#[inline]
#[allow(clippy::eq_op)]
fn zero_of<C: Copy + Sub<Output = C>>(cost: C) -> C {
    cost - cost
}

/// The nodes still to visit: on the machine stack as far as trees usually go, then on the heap.
struct Stack {
    near: [u32; 64],
    near_len: usize,
    far: Vec<u32>,
}

impl Stack {
    #[inline]
    fn new() -> Self {
        Self { near: [0; 64], near_len: 0, far: Vec::new() }
    }

    #[inline]
    fn push(&mut self, index: u32) {
        if self.near_len < self.near.len() {
            self.near[self.near_len] = index;
            self.near_len += 1;
        } else {
            self.far.push(index);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        // The far part is filled only while the near part is full, so it is on top.
        if let Some(index) = self.far.pop() {
            return Some(index);
        }
        self.near_len = self.near_len.checked_sub(1)?;
        Some(self.near[self.near_len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, math};

    /// Bounds of two axes, for the tests only.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Rect {
        min: [f32; 2],
        max: [f32; 2],
    }

    impl Bounds for Rect {
        type Cost = f32;

        fn union(&self, other: &Self) -> Self {
            Self {
                min: [math::min(self.min[0], other.min[0]), math::min(self.min[1], other.min[1])],
                max: [math::max(self.max[0], other.max[0]), math::max(self.max[1], other.max[1])],
            }
        }

        fn overlaps(&self, other: &Self) -> bool {
            (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
        }

        fn contains(&self, other: &Self) -> bool {
            (0..2).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
        }

        fn cost(&self) -> f32 {
            (self.max[0] - self.min[0]) + (self.max[1] - self.min[1])
        }
    }

    fn square(x: f32, y: f32, size: f32) -> Rect {
        Rect { min: [x, y], max: [x + size, y + size] }
    }

    fn random_square(rng: &mut Rng) -> Rect {
        let size = rng.range(0.1, 3.0);
        square(rng.range(0.0, 60.0), rng.range(0.0, 60.0), size)
    }

    fn found(tree: &Bvh<Rect>, bounds: &Rect, mask: u64) -> Vec<u32> {
        let mut users = Vec::new();
        tree.query(bounds, mask, &mut |user| {
            users.push(user);
            true
        });
        users.sort_unstable();
        users
    }

    #[test]
    fn queries_find_what_a_plain_search_finds() {
        let mut rng = Rng::new(10);
        let mut tree: Bvh<Rect> = Bvh::new();
        // (proxy, bounds, category, user)
        let mut model: Vec<(u32, Rect, u64, u32)> = Vec::new();
        for user in 0..8000 {
            let pick = rng.below(model.len().max(1) as u32) as usize;
            let grow = user % 4000 < 2000;
            match rng.below(100) {
                action if model.is_empty() || action < if grow { 40 } else { 10 } => {
                    let (bounds, category) = (random_square(&mut rng), 1 << rng.below(8));
                    model.push((tree.insert(bounds, category, user), bounds, category, user));
                }
                0..45 => tree.remove(model.swap_remove(pick).0),
                45..70 => {
                    model[pick].1 = random_square(&mut rng);
                    tree.set_bounds(model[pick].0, model[pick].1);
                }
                70..90 => {
                    let Rect { min, max } = model[pick].1;
                    let by = rng.range(0.0, 1.0);
                    model[pick].1 = Rect { min: [min[0] - by, min[1]], max: [max[0], max[1] + by] };
                    tree.enlarge(model[pick].0, model[pick].1);
                }
                _ => {
                    model[pick].2 = 1 << rng.below(8) | 1 << rng.below(8);
                    tree.set_category(model[pick].0, model[pick].2);
                }
            }
            assert_eq!(tree.len(), model.len());
            if user % 10 == 0 {
                tree.validate();
                for &(proxy, bounds, category, user) in &model {
                    assert_eq!((tree.bounds(proxy), tree.category(proxy), tree.user(proxy)), (bounds, category, user));
                }
                let area = square(rng.range(0.0, 50.0), rng.range(0.0, 50.0), 15.0);
                let mask = rng.next_u64() & 0xFF;
                let mut expected: Vec<u32> = model
                    .iter()
                    .filter(|leaf| leaf.1.overlaps(&area) && leaf.2 & mask != 0)
                    .map(|leaf| leaf.3)
                    .collect();
                expected.sort_unstable();
                assert_eq!(found(&tree, &area, mask), expected);
                assert_eq!(tree.nodes().filter(|node| node.leaf.is_some()).count(), model.len());
                assert_eq!(tree.nodes().map(|node| node.depth).max().unwrap_or(0), tree.height());
            }
        }
        for leaf in model.drain(..) {
            tree.remove(leaf.0);
        }
        tree.validate();
        assert!(tree.is_empty() && tree.height() == 0 && tree.nodes().count() == 0 && tree.inner_cost().is_none());
        assert!(found(&tree, &square(0.0, 0.0, 99.0), u64::MAX).is_empty());
    }

    #[test]
    fn identical_boxes_make_a_flat_tree() {
        let mut tree: Bvh<Rect> = Bvh::new();
        let proxies: Vec<u32> = (0..5000).map(|user| tree.insert(square(1.0, 1.0, 1.0), 1, user)).collect();
        tree.validate();
        assert!(tree.height() <= 20, "height {}", tree.height());
        // Take most of them away again, in an order that empties one side first, and move the others about.
        for &proxy in &proxies[..4000] {
            tree.remove(proxy);
        }
        for &proxy in &proxies[4000..] {
            tree.set_bounds(proxy, square(1.0, 1.0, 1.0));
        }
        tree.validate();
        assert!(tree.height() <= 20, "height {}", tree.height());
        assert_eq!(found(&tree, &square(1.5, 1.5, 0.1), 1), (4000..5000).collect::<Vec<_>>());
    }

    #[test]
    fn hostile_orders_stay_shallow() {
        // Sorted along a line; nested in each other, from inside out and from outside in; growing exponentially.
        type Place = fn(u32) -> Rect;
        let cases: [(&str, Place, u32); 5] = [
            ("line", |i| square(i as f32, 0.0, 1.5), 4000),
            ("points on a line", |i| square(i as f32, i as f32, 0.0), 4000),
            ("nested growing", |i| square(-(i as f32), -(i as f32), 2.0 * i as f32), 4000),
            ("nested shrinking", |i| square(i as f32 - 4000.0, i as f32 - 4000.0, 8000.0 - 2.0 * i as f32), 4000),
            ("exponential", |i| square(f32::from_bits((i / 20 + 27) << 23), 0.0, 1e-30), 4000),
        ];
        for (name, place, count) in cases {
            let mut tree: Bvh<Rect> = Bvh::new();
            for i in 0..count {
                tree.insert(place(i), 1, i);
            }
            tree.validate();
            println!("{name}: height {}", tree.height());
            assert!(tree.height() <= 48, "{name}: height {}", tree.height());
        }
    }

    #[test]
    fn random_boxes_make_a_good_tree() {
        let mut rng = Rng::new(11);
        let mut tree: Bvh<Rect> = Bvh::new();
        for user in 0..10_000 {
            tree.insert(square(rng.range(0.0, 300.0), rng.range(0.0, 300.0), 1.0), 1, user);
        }
        // Visits per query tell the quality: a perfect grid of 10,000 boxes needs about as many leaves as it hits,
        // and twice the height on the way.
        struct Count(Rect, u32, u32);
        impl Visitor<Rect> for Count {
            fn descend(&mut self, bounds: &Rect, _category: u64) -> bool {
                self.1 += 1;
                self.0.overlaps(bounds)
            }
            fn leaf(&mut self, _user: u32, _bounds: &Rect) -> bool {
                self.2 += 1;
                true
            }
        }
        let (mut visits, mut hits) = (0, 0);
        for _ in 0..1000 {
            let mut count = Count(square(rng.range(0.0, 300.0), rng.range(0.0, 300.0), 1.0), 0, 0);
            tree.walk(&mut count);
            visits += count.1;
            hits += count.2;
        }
        println!("visits {visits}, hits {hits}, height {}, cost {:?}", tree.height(), tree.inner_cost());
        assert!(visits < 60_000, "{visits} visits for {hits} hits");
        assert!(tree.height() <= 26, "height {}", tree.height());
    }

    #[test]
    fn a_visit_can_end_the_walk() {
        let mut tree: Bvh<Rect> = Bvh::new();
        for user in 0..100 {
            tree.insert(square(0.0, 0.0, 1.0), 1, user);
        }
        let mut visits = 0;
        tree.query(&square(0.0, 0.0, 1.0), 1, &mut |_| {
            visits += 1;
            visits < 5
        });
        assert_eq!(visits, 5);
        assert!(found(&tree, &square(0.0, 0.0, 1.0), 2).is_empty(), "no leaf has the category");
    }

    #[test]
    fn the_stack_spills_in_order() {
        let mut stack = Stack::new();
        (0..200).for_each(|index| stack.push(index));
        assert!((50..200).rev().all(|index| stack.pop() == Some(index)));
        (50..120).for_each(|index| stack.push(index));
        assert!((0..120).rev().all(|index| stack.pop() == Some(index)));
        assert_eq!(stack.pop(), None);
    }

    #[test]
    fn nodes_are_compact() {
        assert_eq!(size_of::<Node<Rect>>(), 40);
    }

    #[test]
    #[should_panic(expected = "is not a proxy")]
    fn a_removed_proxy_is_noticed() {
        let mut tree: Bvh<Rect> = Bvh::new();
        let proxy = tree.insert(square(0.0, 0.0, 1.0), 1, 0);
        tree.remove(proxy);
        tree.bounds(proxy);
    }

    #[test]
    fn a_rebuilt_tree_keeps_its_keys_and_finds_the_same() {
        let mut rng = Rng::new(21);
        let mut tree = Bvh::new();
        let mut proxies = Vec::new();
        for user in 0..200 {
            let at = [rng.range(0.0, 50.0), rng.range(0.0, 50.0)];
            proxies.push(tree.insert(Rect { min: at, max: at.map(|x| x + 1.0) }, 1 << (user % 3), user));
        }
        for user in (0..200).step_by(7) {
            tree.remove(proxies[user]);
        }
        let moved = |user: u32| {
            let at = [(user * 37 % 101) as f32, (user * 53 % 97) as f32];
            Rect { min: at, max: at.map(|x| x + 2.0) }
        };
        // Rows from left to right; several leaves have the same place.
        tree.rebuild(moved, |rect| (rect.min[1] / 10.0) as u64 * 64 + (rect.min[0] / 2.0) as u64);
        tree.validate();
        let asked = Rect { min: [20.0, 20.0], max: [60.0, 45.0] };
        let mut found = Vec::new();
        tree.query(&asked, 0b10, &mut |user| {
            found.push(user);
            true
        });
        found.sort_unstable();
        let expected: Vec<u32> =
            (0..200).filter(|user| user % 7 != 0 && user % 3 == 1 && moved(*user).overlaps(&asked)).collect();
        assert_eq!(found, expected);
        assert_eq!(tree.bounds(proxies[1]), moved(1));

        let mut empty: Bvh<Rect> = Bvh::new();
        empty.rebuild(moved, |_| 0);
        empty.validate();
    }
}
