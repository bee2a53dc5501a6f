//! A bounding-volume tree packed into arrays: eight boxes to a node, and no pointers.
//!
//! Boxes are kept in the order in which a Hilbert curve passes their centres. Eight neighbours on the
//! curve make a leaf, eight leaves a node of the next level, and so on: the children of node `i` of a
//! level are the nodes `8 i` to `8 i + 7` of the level below. So one comparison of eight lanes decides
//! about eight children, moving a box is a store, and bringing the levels up to date is a pass over
//! arrays.
//!
//! The order goes stale as boxes move: leaves grow. When they have grown by a quarter, or many boxes
//! came and went, [`Packed::tidy`] sorts again, which takes about as long as two passes of searching.
//!
//! # New neighbours
//!
//! Beside each box stands the one that its item had when pairs were last looked for. Items whose boxes
//! overlapped then know each other already, so only those are told that overlap now and did not before:
//! most pairs of a heap are dismissed eight at a time, without a look at the items.

mod boxes;
mod curve;
mod search;

use super::{BroadBox, BroadFilter, BroadVisitor};
use crate::math::Aabb;
use boxes::{Boxes, NOWHERE};
use curve::Curve;
pub(super) use search::Tells;

/// Boxes per node.
const WIDTH: usize = 8;

/// A bit for each of them.
const ALL: u32 = (1 << WIDTH) - 1;

const NONE: u32 = u32::MAX;

/// How much larger than after the last sorting leaves may be, on average.
const MAX_GROWTH: f32 = 1.25;

/// What is known of the items of a leaf beside their boxes.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// Keys and users of the items; `NONE` in a gap.
    keys: [u32; WIDTH],
    users: [u32; WIDTH],
    filters: [BroadFilter; WIDTH],
}

impl Leaf {
    const EMPTY: Leaf = Leaf { keys: [NONE; WIDTH], users: [NONE; WIDTH], filters: [BroadFilter::NOTHING; WIDTH] };
}

/// The tree. Items are named by keys that they keep for life.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    /// Level 0 has the boxes of the items. Lane `j` of node `i` of the next level is the box around node
    /// `8 i + j` of the one below. The last level has one node.
    levels: Vec<Vec<Boxes>>,
    /// Parallel to level 0: the items, where they were when pairs were last looked for, and a bit for each
    /// that has to look for new ones.
    leaves: Vec<Leaf>,
    known: Vec<Boxes>,
    moved: Vec<u8>,
    moved_count: usize,
    /// The place of each key: eight times the leaf, plus the lane. `NONE` for a free key.
    places: Vec<u32>,
    free_keys: Vec<u32>,
    /// All filters together, and how many items there are.
    filter: BroadFilter,
    len: usize,
    /// One beyond the last place in use.
    end: usize,
    /// Items that came or went since the last sorting, and what the leaves cost now and then.
    loose: usize,
    cost: f32,
    sorted_cost: f32,
    /// Leaves whose boxes changed but not yet those above them, and how many did since the cost was made up.
    stale: Vec<u32>,
    changed: usize,
    /// Memory of the last sorting.
    order: Vec<u64>,
    spare_leaves: Vec<Leaf>,
    spare_boxes: Vec<Boxes>,
    spare_known: Vec<Boxes>,
    spare_moved: Vec<u8>,
}

#[inline]
fn split(place: u32) -> (usize, usize) {
    (place as usize / WIDTH, place as usize % WIDTH)
}

/// The positions of the bits that are set, from the lowest on.
#[inline]
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(lane)
    })
}

impl Packed {
    /// Adds an item and returns its key. It has no neighbours that it knows.
    pub(super) fn insert(&mut self, user: u32, aabb: &Aabb, filter: BroadFilter) -> u32 {
        let key = self.free_keys.pop().unwrap_or_else(|| {
            self.places.push(NONE);
            self.places.len() as u32 - 1
        });
        let place = self.end as u32;
        let (leaf, lane) = split(place);
        if lane == 0 {
            self.add_leaf();
        }
        self.end += 1;
        self.len += 1;
        self.loose += 1;
        self.places[key as usize] = place;
        self.leaves[leaf].keys[lane] = key;
        self.leaves[leaf].users[lane] = user;
        self.levels[0][leaf].set(lane, aabb);
        self.refit_above(leaf);
        self.set_filter(key, filter);
        // Many are added before the first step, and a query may come before it: keep the order good, by
        // sorting again whenever the tree has doubled.
        if self.loose > 64 + self.len / 2 {
            self.sort();
        }
        key
    }

    /// Adds an empty leaf, with whatever nodes it needs above.
    fn add_leaf(&mut self) {
        self.leaves.push(Leaf::EMPTY);
        self.known.push(Boxes::NOWHERE);
        self.moved.push(0);
        let mut level = 0;
        loop {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(Boxes::NOWHERE);
            let count = self.levels[level].len();
            if count == 1 {
                break;
            }
            if level + 1 == self.levels.len() {
                // The only node there was gets one above it.
                let first = self.levels[level][0].bounds();
                let mut root = Boxes::NOWHERE;
                root.set(0, &first);
                self.levels.push(vec![root]);
                break;
            }
            // The last node above has room.
            if count.div_ceil(WIDTH) == self.levels[level + 1].len() {
                break;
            }
            level += 1;
        }
    }

    pub(super) fn remove(&mut self, key: u32) {
        let (leaf, lane) = split(self.places[key as usize]);
        self.leaves[leaf].keys[lane] = NONE;
        self.leaves[leaf].users[lane] = NONE;
        self.leaves[leaf].filters[lane] = BroadFilter::NOTHING;
        self.known[leaf].set(lane, &NOWHERE);
        self.levels[0][leaf].set(lane, &NOWHERE);
        let bit = 1 << lane;
        if self.moved[leaf] & bit != 0 {
            self.moved[leaf] &= !bit;
            self.moved_count -= 1;
        }
        self.refit_above(leaf);
        self.places[key as usize] = NONE;
        self.free_keys.push(key);
        self.len -= 1;
        self.loose += 1;
        if self.len == 0 {
            self.sort();
        }
    }

    /// Moves an item.
    pub(super) fn set_bounds(&mut self, key: u32, aabb: &Aabb) {
        let (leaf, lane) = split(self.places[key as usize]);
        self.levels[0][leaf].set(lane, aabb);
        self.refit_above(leaf);
        self.changed += 1;
    }

    /// Moves one of many items. Before anything is asked, [`Packed::refit`] has to follow.
    #[inline]
    pub(super) fn store_bounds(&mut self, key: u32, aabb: &Aabb) {
        let (leaf, lane) = split(self.places[key as usize]);
        self.levels[0][leaf].set(lane, aabb);
        if self.stale.last() != Some(&(leaf as u32)) {
            self.stale.push(leaf as u32);
        }
    }

    /// Brings the levels up to date after many items have moved.
    pub(super) fn refit(&mut self) {
        let mut stale = std::mem::take(&mut self.stale);
        self.changed += stale.len();
        // Where little moves in a step, the cost is recomputed from time to time.
        if 8 * self.changed > self.leaves.len() {
            self.refit_all();
        } else {
            for &leaf in &stale {
                self.refit_above(leaf as usize);
            }
        }
        stale.clear();
        self.stale = stale;
    }

    fn refit_all(&mut self) {
        self.changed = 0;
        let mut cost = 0.0;
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            for (node, boxes) in below[level - 1].iter().enumerate() {
                let bounds = boxes.bounds();
                above[0][node / WIDTH].set(node % WIDTH, &bounds);
                if level == 1 && bounds.min.x <= bounds.max.x {
                    cost += bounds.half_perimeter();
                }
            }
        }
        self.cost = cost;
    }

    fn refit_above(&mut self, leaf: usize) {
        let mut node = leaf;
        for level in 1..self.levels.len() {
            let bounds = self.levels[level - 1][node].bounds();
            self.levels[level][node / WIDTH].set(node % WIDTH, &bounds);
            node /= WIDTH;
        }
    }

    pub(super) fn set_filter(&mut self, key: u32, filter: BroadFilter) {
        let (leaf, lane) = split(self.places[key as usize]);
        self.leaves[leaf].filters[lane] = filter;
        self.filter = self.filter.or(&filter);
    }

    /// Forgets what an item has for neighbours: all of them are told when it or they look the next time.
    pub(super) fn forget(&mut self, key: u32) {
        let (leaf, lane) = split(self.places[key as usize]);
        self.known[leaf].set(lane, &NOWHERE);
    }

    /// Forgets what all items have for neighbours.
    pub(super) fn forget_all(&mut self) {
        self.known.fill(Boxes::NOWHERE);
    }

    /// Has an item look for new neighbours in the next search.
    pub(super) fn mark(&mut self, key: u32) {
        let (leaf, lane) = split(self.places[key as usize]);
        let bit = 1 << lane;
        self.moved_count += usize::from(self.moved[leaf] & bit == 0);
        self.moved[leaf] |= bit;
    }

    /// Sorts again if that pays.
    pub(super) fn tidy(&mut self) {
        if self.loose > 32 + self.len / 8 || self.cost > MAX_GROWTH * self.sorted_cost {
            self.sort();
        }
    }

    /// Puts the items in the order of a Hilbert curve, without gaps.
    fn sort(&mut self) {
        let curve = Curve::around(self);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        for (leaf, boxes) in self.levels.first().into_iter().flatten().enumerate() {
            for lane in (0..WIDTH).filter(|&lane| self.leaves[leaf].keys[lane] != NONE) {
                let along = u64::from(curve.along(boxes.get(lane).center()));
                order.push(along << 32 | (leaf * WIDTH + lane) as u64);
            }
        }
        order.sort_unstable();

        let (mut leaves, mut boxes, mut known) = (
            std::mem::take(&mut self.spare_leaves),
            std::mem::take(&mut self.spare_boxes),
            std::mem::take(&mut self.spare_known),
        );
        leaves.clear();
        boxes.clear();
        known.clear();
        let mut moved = std::mem::take(&mut self.spare_moved);
        moved.clear();
        let mut filter = BroadFilter::NOTHING;
        for (leaf, items) in order.chunks(WIDTH).enumerate() {
            let (mut new_leaf, mut new_boxes, mut new_known) = (Leaf::EMPTY, Boxes::NOWHERE, Boxes::NOWHERE);
            let mut bits = 0;
            for (lane, &item) in items.iter().enumerate() {
                let (old_leaf, old_lane) = split(item as u32);
                let key = self.leaves[old_leaf].keys[old_lane];
                self.places[key as usize] = (leaf * WIDTH + lane) as u32;
                new_leaf.keys[lane] = key;
                new_leaf.users[lane] = self.leaves[old_leaf].users[old_lane];
                new_leaf.filters[lane] = self.leaves[old_leaf].filters[old_lane];
                filter = filter.or(&new_leaf.filters[lane]);
                new_boxes.set(lane, &self.levels[0][old_leaf].get(old_lane));
                new_known.set(lane, &self.known[old_leaf].get(old_lane));
                bits |= (self.moved[old_leaf] >> old_lane & 1) << lane;
            }
            leaves.push(new_leaf);
            boxes.push(new_boxes);
            known.push(new_known);
            moved.push(bits);
        }
        self.filter = filter;
        self.end = order.len();
        self.order = order;
        self.spare_moved = std::mem::replace(&mut self.moved, moved);
        self.spare_leaves = std::mem::replace(&mut self.leaves, leaves);
        self.spare_known = std::mem::replace(&mut self.known, known);
        if let Some(level) = self.levels.first_mut() {
            self.spare_boxes = std::mem::replace(level, boxes);
        }
        // The levels above have as many nodes as they need.
        let mut count = self.leaves.len();
        let mut level = 1;
        while count > 1 {
            count = count.div_ceil(WIDTH);
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].clear();
            self.levels[level].resize(count, Boxes::NOWHERE);
            level += 1;
        }
        self.levels.truncate(if self.leaves.is_empty() { 0 } else { level });
        self.refit_all();
        self.sorted_cost = self.cost;
        self.loose = 0;
    }

    /// How many leaves there are: what a search can be divided by.
    pub(super) fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// All boxes, from the root on, for drawing.
    pub(super) fn boxes(&self) -> Vec<BroadBox> {
        let mut boxes = Vec::new();
        let root = self.levels.last().map_or(NOWHERE, |level| level[0].bounds());
        if root.min.x <= root.max.x {
            boxes.push(BroadBox { aabb: root, depth: 0, count: 0 });
        }
        for (depth, (level, nodes)) in (1..).zip(self.levels.iter().enumerate().rev()) {
            let all = nodes.iter().flat_map(|node| (0..WIDTH).map(|lane| node.get(lane)));
            let present = all.filter(|aabb| aabb.min.x <= aabb.max.x);
            boxes.extend(present.map(|aabb| BroadBox { aabb, depth, count: u32::from(level == 0) }));
        }
        boxes
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Checks the whole tree. Panics with what is wrong. For tests: it visits everything.
    pub(super) fn validate(&self) {
        assert!(self.stale.is_empty(), "boxes moved without their levels");
        let mut count = 0;
        for (key, &place) in self.places.iter().enumerate().filter(|(_, place)| **place != NONE) {
            let (leaf, lane) = split(place);
            assert_eq!(self.leaves[leaf].keys[lane], key as u32, "the key at place {place}");
            let aabb = self.levels[0][leaf].get(lane);
            assert!(aabb.is_valid(), "box {aabb:?} at place {place}");
            let mut node = leaf;
            for (level, nodes) in self.levels.iter().enumerate().skip(1) {
                let above = nodes[node / WIDTH].get(node % WIDTH);
                assert!(above.contains(&aabb), "node {node} below level {level} sticks out");
                node /= WIDTH;
            }
            count += 1;
        }
        assert_eq!(count, self.len, "items");
        let held = self.leaves.iter().flat_map(|leaf| leaf.keys).filter(|&key| key != NONE).count();
        assert_eq!(held, self.len, "items in leaves");
        let marked: u32 = self.moved.iter().map(|bits| bits.count_ones()).sum();
        assert_eq!(marked as usize, self.moved_count, "marked items");
        let mut nodes = self.leaves.len();
        for (level, boxes) in self.levels.iter().enumerate() {
            assert_eq!(boxes.len(), nodes, "nodes of level {level}");
            nodes = nodes.div_ceil(WIDTH);
        }
        assert!(self.levels.last().is_none_or(|level| level.len() == 1), "a tree has one root");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Vec2, vec2};
    use carom_core::Rng;
    use std::collections::{BTreeMap, BTreeSet};

    /// What a tree should hold: by key, the user, its box, and the box when pairs were last looked for.
    type Model = BTreeMap<u32, (u32, Aabb, Aabb, BroadFilter)>;

    fn random_box(rng: &mut Rng) -> Aabb {
        let size = if rng.below(20) == 0 { 30.0 } else { 1.0 };
        let corner = vec2(rng.range(-20.0, 20.0), rng.range(-20.0, 20.0));
        Aabb::new(corner, corner + vec2(rng.range(0.0, size), rng.range(0.0, size)))
    }

    fn random_filter(rng: &mut Rng) -> BroadFilter {
        BroadFilter { category: 1 << rng.below(3), mask: [u64::MAX, 0b011, 0b110][rng.below(3) as usize] }
    }

    fn found(tree: &Packed, aabb: &Aabb, mask: u64) -> BTreeSet<u32> {
        let mut users = BTreeSet::new();
        tree.query(aabb, mask, &mut |user| {
            assert!(users.insert(user), "{user} is found twice");
            true
        });
        users
    }

    /// The pairs that a search tells of, in order, found in pieces of some leaves each.
    fn searched(tree: &Packed, other: &Packed, tells: Tells, piece: usize) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for start in (0..tree.leaf_count()).step_by(piece) {
            let range = start..(start + piece).min(tree.leaf_count());
            tree.search(range, other, tells, &mut |a, b| pairs.push(if a < b { (a, b) } else { (b, a) }));
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn searches_and_queries_agree_with_brute_force() {
        for seed in 1..=4 {
            let mut rng = Rng::new(seed);
            let mut tree = Packed::default();
            let mut model = Model::new();
            let mut marked: BTreeSet<u32> = BTreeSet::new();
            let mut next_user = 0;
            for round in 0..300 {
                // It grows, shrinks to nothing, and grows again.
                let target = [200, 400, 0, 50][round / 75];
                for _ in 0..20 {
                    let key = model.keys().copied().nth(rng.below(model.len().max(1) as u32) as usize);
                    match (rng.below(6), key) {
                        (0 | 1, _) if model.len() < target => {
                            let (aabb, filter) = (random_box(&mut rng), random_filter(&mut rng));
                            let key = tree.insert(next_user, &aabb, filter);
                            assert!(model.insert(key, (next_user, aabb, NOWHERE, filter)).is_none(), "a key in use");
                            tree.mark(key);
                            marked.insert(key);
                            next_user += 1;
                        }
                        (0..=2, Some(key)) if model.len() > target => {
                            tree.remove(key);
                            model.remove(&key);
                            marked.remove(&key);
                        }
                        (3, Some(key)) => {
                            let aabb = random_box(&mut rng);
                            tree.set_bounds(key, &aabb);
                            tree.mark(key);
                            marked.insert(key);
                            model.get_mut(&key).unwrap().1 = aabb;
                        }
                        (4, Some(key)) => {
                            tree.forget(key);
                            model.get_mut(&key).unwrap().2 = NOWHERE;
                            let filter = random_filter(&mut rng);
                            tree.set_filter(key, filter);
                            model.get_mut(&key).unwrap().3 = filter;
                            tree.mark(key);
                            marked.insert(key);
                        }
                        _ => {}
                    }
                }
                if rng.below(3) == 0 {
                    for (&key, (_, aabb, ..)) in &mut model {
                        if rng.below(3) == 0 {
                            *aabb = random_box(&mut rng);
                            tree.store_bounds(key, aabb);
                            tree.mark(key);
                            marked.insert(key);
                        }
                    }
                    tree.refit();
                }
                tree.validate();
                assert_eq!(tree.len(), model.len());
                assert_eq!(tree.boxes().iter().map(|part| part.count).sum::<u32>(), model.len() as u32);

                let (region, mask) = (random_box(&mut rng), 1 << rng.below(3));
                let expected =
                    model.values().filter(|(_, aabb, _, filter)| aabb.overlaps(&region) && filter.category & mask != 0);
                assert_eq!(found(&tree, &region, mask), expected.map(|item| item.0).collect::<BTreeSet<u32>>());

                tree.tidy();
                tree.validate();
                let mut expected = Vec::new();
                for (key_a, (a, box_a, known_a, filter_a)) in &model {
                    for (key_b, (b, box_b, known_b, filter_b)) in model.range(key_a + 1..) {
                        let looks = marked.contains(key_a) || marked.contains(key_b);
                        let is_new = box_a.overlaps(box_b) && !known_a.overlaps(known_b);
                        if looks && is_new && filter_a.meets(filter_b) {
                            expected.push((*a.min(b), *a.max(b)));
                        }
                    }
                }
                expected.sort_unstable();
                let piece = 1 + rng.below(9) as usize;
                assert_eq!(searched(&tree, &tree, Tells::First, piece), expected, "seed {seed}, round {round}");
                tree.settle();
                for key in std::mem::take(&mut marked) {
                    let item = model.get_mut(&key).unwrap();
                    item.2 = item.1;
                }
                assert!(searched(&tree, &tree, Tells::First, 1).is_empty(), "nothing is marked any more");
            }
        }
    }

    /// Two trees tell of each pair once, whichever of the two moved.
    #[test]
    fn two_trees_tell_of_each_pair_once() {
        let mut rng = Rng::new(5);
        let mut trees = [Packed::default(), Packed::default()];
        let mut boxes = Vec::new();
        for user in 0..300 {
            let aabb = random_box(&mut rng);
            let side = rng.below(2) as usize;
            let key = trees[side].insert(user, &aabb, BroadFilter::ALL);
            let moved = rng.below(2) == 0;
            if moved {
                trees[side].mark(key);
            }
            boxes.push((side, aabb, moved));
        }
        let mut pairs = searched(&trees[0], &trees[1], Tells::Searcher, 3);
        pairs.extend(searched(&trees[1], &trees[0], Tells::Found, 3));
        pairs.sort_unstable();
        let mut expected = Vec::new();
        for (a, (side_a, box_a, moved_a)) in boxes.iter().enumerate() {
            for (b, (side_b, box_b, moved_b)) in boxes.iter().enumerate().skip(a + 1) {
                if side_a != side_b && (*moved_a || *moved_b) && box_a.overlaps(box_b) {
                    expected.push((a as u32, b as u32));
                }
            }
        }
        assert_eq!(pairs, expected);
    }

    /// A curve passes each cell once, and goes from each to one beside it.
    #[test]
    fn the_curve_goes_from_neighbour_to_neighbour() {
        let curve = Curve { corner: Vec2::ZERO, cells_per_metre: (1 << (Curve::BITS - 5)) as f32 };
        let mut cells: Vec<(u32, i32, i32)> = Vec::new();
        for x in 0..32 {
            for y in 0..32 {
                cells.push((curve.along(vec2(x as f32 + 0.5, y as f32 + 0.5)), x, y));
            }
        }
        cells.sort_unstable();
        for pair in cells.windows(2) {
            let [(from, x, y), (to, next_x, next_y)] = [pair[0], pair[1]];
            assert_ne!(from, to);
            assert_eq!((x - next_x).abs() + (y - next_y).abs(), 1, "from ({x}, {y}) to ({next_x}, {next_y})");
        }
    }

    /// Where few things move at a time, the order is kept good all the same.
    #[test]
    fn slow_mixing_does_not_spoil_the_order() {
        let mut rng = Rng::new(11);
        let mut tree = Packed::default();
        let place = |rng: &mut Rng| {
            let center = vec2(rng.range(-50.0, 50.0), rng.range(-50.0, 50.0));
            Aabb::new(center, center).grown(0.2)
        };
        let keys: Vec<u32> = (0..2000).map(|user| tree.insert(user, &place(&mut rng), BroadFilter::ALL)).collect();
        tree.sort();
        let sorted = tree.cost;
        for _ in 0..1000 {
            for _ in 0..10 {
                let key = keys[rng.below(2000) as usize];
                tree.store_bounds(key, &place(&mut rng));
            }
            tree.refit();
            tree.tidy();
        }
        tree.refit_all();
        assert!(tree.cost < 4.0 * sorted, "leaves of {sorted} m grew to {} m", tree.cost);
    }

    /// One thing far away does not put all others into one cell of the curve.
    #[test]
    fn far_things_do_not_spoil_the_order() {
        let cost = |far: &[Vec2]| {
            let mut rng = Rng::new(9);
            let mut tree = Packed::default();
            for user in 0..1000 {
                let center = vec2(rng.range(-10.0, 10.0), rng.range(-10.0, 10.0));
                tree.insert(user, &Aabb::new(center, center).grown(0.1), BroadFilter::ALL);
            }
            tree.sort();
            let near = tree.cost;
            for (user, &center) in (1000..).zip(far) {
                tree.insert(user, &Aabb::new(center, center).grown(0.1), BroadFilter::ALL);
            }
            tree.sort();
            let leaves = tree.levels[0].iter().map(|boxes| boxes.bounds().half_perimeter());
            (near, leaves.filter(|&size| size < 1.0e3).sum::<f32>())
        };
        let (near, all) = cost(&[vec2(1.0e7, 0.0), vec2(0.0, -1.0e6), vec2(-3.0e4, 2.0e4)]);
        assert!(all < 1.2 * near, "leaves of {near} m grew to {all} m");
    }
}
