//! Where a leaf goes, and keeping the tree shallow.

use super::{Bounds, Bvh, NONE, Node};
use std::ops::Sub;

/// How many levels two siblings may differ before they are rotated without regard to cost. Lower keeps hostile input
/// shallower (4000 boxes nested in each other: height about 34 at 10, 46 at 16, 61 at 28); higher lets one huge box
/// stay nearer to the root.
const MAX_IMBALANCE: u32 = 16;

impl<B: Bounds> Bvh<B> {
    /// Puts a leaf that has no place yet into the tree.
    pub(super) fn attach(&mut self, leaf: u32) {
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
    pub(super) fn detach(&mut self, leaf: u32) {
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
    pub(super) fn refit_upwards(&mut self, mut index: u32) {
        while index != NONE {
            self.refit(index);
            self.rotate(index);
            index = self.nodes[index as usize].parent;
        }
    }

    #[inline]
    pub(super) fn refit(&mut self, index: u32) {
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
