//! A quadtree over a fixed region.
//!
//! A box lives in the smallest quad that contains it whole; a box that no child contains stays in
//! the parent, and one that sticks out of the region stays in the root. So a box is stored exactly
//! once, and a query must look at the boxes of every quad on its way down, not only at the leaves:
//! a pair of boxes in a quad and its ancestor would be lost otherwise.
//!
//! A search for pairs goes through the tree once. On its way down it carries along the boxes of all quads above that
//! reach into the quad at hand: a box that lies on the line between two halves of the world is compared with quads, not with
//! every other box, and is down to a few neighbours by the time it comes to a leaf.
//!
//! Beside each box stands the one that it had when pairs were last looked for, as in the default tree (`packed.rs`): whose boxes
//! overlapped then know each other, and only those are told that overlap now and did not before. Whether two boxes overlap is
//! asked without branches, since for neighbours the answer cannot be predicted.

use super::{BroadBox, BroadFilter, BroadVisitor, QuadtreeDef};
use crate::math::{Aabb, Vec2, vec2};
use std::ops::Range;

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Quad {
    bounds: Aabb,
    depth: u32,
    parent: u32,
    /// Lower left, lower right, upper left, upper right; all four or none.
    children: Option<[u32; 4]>,
    /// The boxes in this quad itself.
    entries: Vec<Entry>,
    /// Boxes in this quad and below.
    total: u32,
    /// Marked boxes in this quad and below; counted when a search starts.
    marked: u32,
}

impl Quad {
    fn new(bounds: Aabb) -> Quad {
        Quad { bounds, depth: 0, parent: NONE, children: None, entries: Vec::new(), total: 0, marked: 0 }
    }
}

/// A box, with what a search needs to know of it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    aabb: Aabb,
    /// Its box when pairs were last looked for.
    known: Aabb,
    key: u32,
    /// It looks for partners in the search under way; set when that begins.
    marked: bool,
}

/// Overlaps nothing.
const NOWHERE: Aabb = Aabb::new(Vec2::INFINITY, Vec2::NEG_INFINITY);
/// What fills memory before it is written.
const NO_ENTRY: Entry = Entry { aabb: NOWHERE, known: NOWHERE, key: NONE, marked: false };

/// What [`Aabb::overlaps`] says, without branches.
#[inline]
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    #[cfg(test)]
    tests::COMPARISONS.set(tests::COMPARISONS.get() + 1);
    (a.min.x <= b.max.x) & (b.min.x <= a.max.x) & (a.min.y <= b.max.y) & (b.min.y <= a.max.y)
}

#[derive(Clone, Copy, Debug)]
struct Item {
    shape: u32,
    filter: BroadFilter,
    /// The quad and the place in it; `NONE` for a free key.
    quad: u32,
    place: u32,
    /// It looks for partners in the next search.
    marked: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Quadtree {
    def: QuadtreeDef,
    quads: Vec<Quad>,
    free_quads: Vec<[u32; 4]>,
    items: Vec<Item>,
    free_items: Vec<u32>,
    /// Keys of the shapes that look for partners in the next search.
    marked: Vec<u32>,
    /// What the search under way is divided into.
    pieces: Vec<Piece>,
}

/// A part of a search.
#[derive(Clone, Copy, Debug)]
struct Piece {
    quad: u32,
    /// With the quads below it; else they are pieces of their own.
    whole: bool,
}

/// Quads down to this depth are pieces of a search: at most 1 + 4 + 16 + 64 of them.
const PIECE_DEPTH: u32 = 3;

impl Quadtree {
    pub(super) fn new(def: QuadtreeDef) -> Quadtree {
        let bounds = Aabb::new(def.center - def.half_extents, def.center + def.half_extents);
        Quadtree {
            def,
            quads: vec![Quad::new(bounds)],
            free_quads: Vec::new(),
            items: Vec::new(),
            free_items: Vec::new(),
            marked: Vec::new(),
            pieces: Vec::new(),
        }
    }

    pub(super) fn insert(&mut self, shape: u32, aabb: &Aabb, filter: BroadFilter) -> u32 {
        let item = Item { shape, filter, quad: NONE, place: 0, marked: false };
        let key = match self.free_items.pop() {
            Some(key) => {
                self.items[key as usize] = item;
                key
            }
            None => {
                self.items.push(item);
                self.items.len() as u32 - 1
            }
        };
        self.place(Entry { aabb: *aabb, known: NOWHERE, key, marked: false }, ROOT);
        key
    }

    pub(super) fn remove(&mut self, key: u32) {
        let quad = self.items[key as usize].quad;
        self.take_out(key);
        self.count_down(quad, NONE);
        self.merge_above(quad);
        self.free_items.push(key);
    }

    pub(super) fn set_bounds(&mut self, key: u32, aabb: &Aabb) {
        let Item { quad, place, .. } = self.items[key as usize];
        let here = &mut self.quads[quad as usize];
        here.entries[place as usize].aabb = *aabb;
        // Most moves stay within the quad and above the size that a child would take.
        if quad != ROOT && here.bounds.contains(aabb) && self.child_around(quad, aabb).is_none() {
            return;
        }
        let entry = self.take_out(key);
        let mut up = quad;
        while up != ROOT && !self.quads[up as usize].bounds.contains(aabb) {
            up = self.quads[up as usize].parent;
        }
        // The counts from there on up stay as they are.
        self.count_down(quad, up);
        self.quads[up as usize].total -= 1;
        self.place(entry, up);
        self.merge_above(quad);
    }

    pub(super) fn set_filter(&mut self, key: u32, filter: BroadFilter) {
        self.items[key as usize].filter = filter;
    }

    /// The entry of an item.
    fn entry(&mut self, key: u32) -> &mut Entry {
        let Item { quad, place, .. } = self.items[key as usize];
        &mut self.quads[quad as usize].entries[place as usize]
    }

    pub(super) fn forget(&mut self, key: u32) {
        self.entry(key).known = NOWHERE;
    }

    pub(super) fn forget_all(&mut self) {
        for entry in self.quads.iter_mut().flat_map(|quad| &mut quad.entries) {
            entry.known = NOWHERE;
        }
    }

    #[inline]
    pub(super) fn mark(&mut self, key: u32) {
        let item = &mut self.items[key as usize];
        if !item.marked {
            item.marked = true;
            self.marked.push(key);
        }
    }

    /// Are so many boxes marked that one pass over all of them is faster than looking each up?
    fn most_are_marked(&self) -> bool {
        4 * self.marked.len() > self.len()
    }

    /// Counts the marked boxes of all quads, and divides the search into pieces. Returns how many.
    pub(super) fn start_search(&mut self) -> usize {
        if self.most_are_marked() {
            for quad in &mut self.quads {
                // As if all were: nearly everywhere there is something to find.
                quad.marked = quad.total;
                for entry in &mut quad.entries {
                    entry.marked = self.items[entry.key as usize].marked;
                }
            }
        } else {
            for i in 0..self.marked.len() {
                let key = self.marked[i];
                self.entry(key).marked = true;
                let mut up = self.items[key as usize].quad;
                while up != NONE {
                    self.quads[up as usize].marked += 1;
                    up = self.quads[up as usize].parent;
                }
            }
        }
        self.pieces.clear();
        if !self.marked.is_empty() {
            self.divide(ROOT);
        }
        self.pieces.len()
    }

    fn divide(&mut self, quad: u32) {
        let Quad { depth, children, .. } = self.quads[quad as usize];
        match children {
            Some(children) if depth < PIECE_DEPTH => {
                self.pieces.push(Piece { quad, whole: false });
                children.into_iter().for_each(|child| self.divide(child));
            }
            _ => self.pieces.push(Piece { quad, whole: true }),
        }
    }

    /// Tells of all pairs of boxes that overlap and did not when pairs were last looked for, of which one is marked, in some
    /// pieces of the tree: once of each pair, in the quad of the deeper one.
    pub(super) fn search(&self, pieces: Range<usize>, tell: &mut impl FnMut(u32, u32)) {
        let mut above = Vec::new();
        for &Piece { quad, whole } in &self.pieces[pieces] {
            above.clear();
            self.collect_above(quad, &mut above);
            self.search_quad(quad, whole, &mut above, 0, tell);
        }
    }

    /// The boxes of the quads above that reach into a quad.
    fn collect_above(&self, quad: u32, above: &mut Vec<Entry>) {
        let bounds = self.quads[quad as usize].bounds;
        let mut up = self.quads[quad as usize].parent;
        while up != NONE {
            above.extend(self.quads[up as usize].entries.iter().filter(|entry| entry.aabb.overlaps(&bounds)));
            up = self.quads[up as usize].parent;
        }
    }

    /// Searches a quad, and the quads below it if all of it is wanted. `above[start..]` are the boxes of the quads above that
    /// reach into it; what is added to them is taken away again.
    fn search_quad(
        &self,
        quad: u32,
        whole: bool,
        above: &mut Vec<Entry>,
        start: usize,
        tell: &mut impl FnMut(u32, u32),
    ) {
        let here = &self.quads[quad as usize];
        for (i, entry) in here.entries.iter().enumerate() {
            for others in [&here.entries[i + 1..], &above[start..]] {
                for other in others {
                    if (entry.marked | other.marked) & overlap(&entry.aabb, &other.aabb) {
                        self.meet(entry, other, tell);
                    }
                }
            }
        }
        let Some(children) = here.children.filter(|_| whole) else { return };
        let end = above.len();
        for child in children {
            let Quad { bounds, total, marked, .. } = &self.quads[child as usize];
            if *total == 0 {
                continue;
            }
            // Where nothing below is marked, only marked boxes from above have something to find.
            let all = *marked > 0;
            // Each is written, and stays unless the next one is written over it.
            let mut length = end;
            above.resize(end + (end - start) + here.entries.len(), NO_ENTRY);
            for i in start..end {
                let entry = above[i];
                above[length] = entry;
                length += usize::from((all | entry.marked) & overlap(&entry.aabb, bounds));
            }
            for entry in &here.entries {
                above[length] = *entry;
                length += usize::from((all | entry.marked) & overlap(&entry.aabb, bounds));
            }
            above.truncate(length);
            if *marked > 0 || above.len() > end {
                self.search_quad(child, true, above, end, tell);
            }
            above.truncate(end);
        }
    }

    /// Tells of a pair unless it is known, or its filters forbid it.
    #[inline]
    fn meet(&self, entry: &Entry, other: &Entry, tell: &mut impl FnMut(u32, u32)) {
        if !overlap(&entry.known, &other.known) {
            let (a, b) = (&self.items[entry.key as usize], &self.items[other.key as usize]);
            if a.filter.meets(&b.filter) {
                tell(a.shape, b.shape);
            }
        }
    }

    /// Ends a search: what overlaps now is known.
    pub(super) fn settle(&mut self) {
        if self.most_are_marked() {
            for quad in &mut self.quads {
                quad.marked = 0;
                for entry in &mut quad.entries {
                    entry.known = if entry.marked { entry.aabb } else { entry.known };
                    entry.marked = false;
                }
            }
        } else {
            for i in 0..self.marked.len() {
                let entry = self.entry(self.marked[i]);
                entry.known = entry.aabb;
                entry.marked = false;
                let mut up = self.items[self.marked[i] as usize].quad;
                while up != NONE && self.quads[up as usize].marked > 0 {
                    self.quads[up as usize].marked = 0;
                    up = self.quads[up as usize].parent;
                }
            }
        }
        for &key in &self.marked {
            self.items[key as usize].marked = false;
        }
        self.marked.clear();
    }

    /// The child of a split quad that contains the box whole.
    fn child_around(&self, quad: u32, aabb: &Aabb) -> Option<u32> {
        let children = self.quads[quad as usize].children?;
        // All four meet at the upper right corner of the first.
        let middle = self.quads[children[0] as usize].bounds.max;
        let right = usize::from(aabb.max.x > middle.x);
        let upper = usize::from(aabb.max.y > middle.y);
        let child = children[right + 2 * upper];
        self.quads[child as usize].bounds.contains(aabb).then_some(child)
    }

    /// Puts a box into the deepest existing quad that contains it, from a quad that does or from the root, and splits that
    /// quad if it is full.
    fn place(&mut self, entry: Entry, from: u32) {
        let mut quad = from;
        loop {
            self.quads[quad as usize].total += 1;
            match self.child_around(quad, &entry.aabb) {
                Some(child) => quad = child,
                None => break,
            }
        }
        self.push(entry, quad);
        let Quad { children, depth, ref entries, .. } = self.quads[quad as usize];
        if entries.len() > self.def.capacity as usize && children.is_none() && depth < self.def.max_depth {
            self.split(quad);
        }
    }

    fn push(&mut self, entry: Entry, quad: u32) {
        let entries = &mut self.quads[quad as usize].entries;
        let item = &mut self.items[entry.key as usize];
        (item.quad, item.place) = (quad, entries.len() as u32);
        entries.push(entry);
    }

    /// Takes a box out of its quad, and leaves the counts to the caller.
    fn take_out(&mut self, key: u32) -> Entry {
        let Item { quad, place, .. } = self.items[key as usize];
        let entries = &mut self.quads[quad as usize].entries;
        let entry = entries.swap_remove(place as usize);
        if let Some(filler) = entries.get(place as usize) {
            self.items[filler.key as usize].place = place;
        }
        self.items[key as usize].quad = NONE;
        entry
    }

    /// One box less in a quad and those above it, up to another one, which is left out.
    fn count_down(&mut self, quad: u32, end: u32) {
        let mut up = quad;
        while up != end {
            self.quads[up as usize].total -= 1;
            up = self.quads[up as usize].parent;
        }
    }

    /// Splits a quad and hands down the boxes that fit into its children.
    fn split(&mut self, quad: u32) {
        let Quad { bounds, depth, .. } = self.quads[quad as usize];
        let middle = bounds.center();
        let corner = |low: Vec2, high: Vec2| Aabb::new(low, high);
        let parts = [
            corner(bounds.min, middle),
            corner(vec2(middle.x, bounds.min.y), vec2(bounds.max.x, middle.y)),
            corner(vec2(bounds.min.x, middle.y), vec2(middle.x, bounds.max.y)),
            corner(middle, bounds.max),
        ];
        let children = self.free_quads.pop().unwrap_or_else(|| {
            let first = self.quads.len() as u32;
            for _ in 0..4 {
                self.quads.push(Quad::new(bounds));
            }
            [first, first + 1, first + 2, first + 3]
        });
        for (child, bounds) in children.into_iter().zip(parts) {
            let child = &mut self.quads[child as usize];
            child.bounds = bounds;
            child.depth = depth + 1;
            child.parent = quad;
        }
        self.quads[quad as usize].children = Some(children);
        let entries = std::mem::take(&mut self.quads[quad as usize].entries);
        for entry in entries {
            match self.child_around(quad, &entry.aabb) {
                Some(child) => self.place(entry, child),
                None => self.push(entry, quad),
            }
        }
    }

    /// Folds children back into their parent while the two levels together hold little.
    fn merge_above(&mut self, quad: u32) {
        let mut quad = quad;
        while quad != NONE {
            if let Some(children) = self.quads[quad as usize].children {
                // Half the capacity, so that a box going in and out does not split and merge a quad
                // at each step.
                let flat = children.iter().all(|&child| self.quads[child as usize].children.is_none());
                if !flat || self.quads[quad as usize].total > self.def.capacity / 2 {
                    return;
                }
                self.quads[quad as usize].children = None;
                for child in children {
                    for entry in std::mem::take(&mut self.quads[child as usize].entries) {
                        self.push(entry, quad);
                    }
                    let child = &mut self.quads[child as usize];
                    child.total = 0;
                    child.parent = NONE;
                }
                self.free_quads.push(children);
            }
            quad = self.quads[quad as usize].parent;
        }
    }

    pub(super) fn query(&self, aabb: &Aabb, mask: u64, visit: &mut impl FnMut(u32) -> bool) {
        self.visit(aabb, mask, &mut |item| visit(item.shape));
    }

    /// Visits the items that overlap a box and have a category bit in `mask`, until `visit` returns false.
    fn visit(&self, aabb: &Aabb, mask: u64, visit: &mut impl FnMut(&Item) -> bool) {
        let mut stack = vec![ROOT];
        while let Some(quad) = stack.pop() {
            let quad = &self.quads[quad as usize];
            for entry in quad.entries.iter().filter(|entry| entry.aabb.overlaps(aabb)) {
                let item = &self.items[entry.key as usize];
                if item.filter.category & mask != 0 && !visit(item) {
                    return;
                }
            }
            for &child in quad.children.iter().flatten() {
                let child_quad = &self.quads[child as usize];
                if child_quad.total > 0 && child_quad.bounds.overlaps(aabb) {
                    stack.push(child);
                }
            }
        }
    }

    pub(super) fn walk(&self, visitor: &mut impl BroadVisitor) {
        let mut stack = vec![ROOT];
        while let Some(quad) = stack.pop() {
            let quad = &self.quads[quad as usize];
            for entry in &quad.entries {
                if visitor.descend(&entry.aabb) && !visitor.shape(self.items[entry.key as usize].shape) {
                    return;
                }
            }
            for &child in quad.children.iter().flatten() {
                let child_quad = &self.quads[child as usize];
                if child_quad.total > 0 && visitor.descend(&child_quad.bounds) {
                    stack.push(child);
                }
            }
        }
    }

    pub(super) fn boxes(&self) -> Vec<BroadBox> {
        let mut boxes = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(quad) = stack.pop() {
            let quad = &self.quads[quad as usize];
            boxes.push(BroadBox { aabb: quad.bounds, depth: quad.depth, count: quad.entries.len() as u32 });
            stack.extend(quad.children.iter().flatten().rev());
        }
        boxes
    }

    pub(super) fn len(&self) -> usize {
        self.quads[ROOT as usize].total as usize
    }

    pub(super) fn validate(&self) {
        let mut seen = vec![false; self.items.len()];
        let mut stack = vec![ROOT];
        while let Some(index) = stack.pop() {
            let quad = &self.quads[index as usize];
            assert!(quad.depth <= self.def.max_depth, "quad {index} is too deep");
            let mut total = quad.entries.len() as u32;
            for (place, &Entry { aabb, key, .. }) in quad.entries.iter().enumerate() {
                let item = &self.items[key as usize];
                assert!(!std::mem::replace(&mut seen[key as usize], true), "box {key} is stored twice");
                assert_eq!((item.quad, item.place as usize), (index, place), "box {key} is elsewhere");
                assert!(index == ROOT || quad.bounds.contains(&aabb), "box {key} sticks out of its quad");
                assert!(self.child_around(index, &aabb).is_none(), "box {key} belongs into a child");
            }
            for &child in quad.children.iter().flatten() {
                assert_eq!(self.quads[child as usize].parent, index, "quad {child} has another parent");
                total += self.quads[child as usize].total;
                stack.push(child);
            }
            assert_eq!(total, quad.total, "quad {index} miscounts");
        }
        assert_eq!(seen.iter().filter(|&&seen| seen).count(), self.items.len() - self.free_items.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;
    use std::cell::Cell;
    use std::collections::{BTreeMap, BTreeSet};

    thread_local! {
        /// How many boxes searches of this thread have compared.
        pub(super) static COMPARISONS: Cell<u64> = const { Cell::new(0) };
    }

    /// By key: the shape, its box, and the box when pairs were last looked for.
    type Model = BTreeMap<u32, (u32, Aabb, Aabb, BroadFilter)>;

    fn random_box(rng: &mut Rng) -> Aabb {
        let size = if rng.below(20) == 0 { 12.0 } else { 1.0 };
        let corner = vec2(rng.range(-10.0, 10.0), rng.range(-10.0, 10.0));
        Aabb::new(corner, corner + vec2(rng.range(0.0, size), rng.range(0.0, size)))
    }

    fn random_filter(rng: &mut Rng) -> BroadFilter {
        BroadFilter { category: 1 << rng.below(3), mask: [u64::MAX, 0b011, 0b110][rng.below(3) as usize] }
    }

    /// Whether few boxes moved, or most, searches tell of the pairs that trying all finds: those that overlap now and did not
    /// when pairs were last looked for.
    #[test]
    fn searches_agree_with_brute_force() {
        let (mut few, mut most) = (0, 0);
        for seed in 1..=6 {
            let mut rng = Rng::new(seed);
            let (capacity, max_depth) = (1 + rng.below(6), rng.below(8));
            let half_extents = Vec2::splat(rng.range(3.0, 12.0));
            let mut tree = Quadtree::new(QuadtreeDef { half_extents, capacity, max_depth, ..QuadtreeDef::default() });
            let mut model = Model::new();
            let mut next_shape = 0;
            for round in 0..200 {
                let mut moved: BTreeSet<u32> = BTreeSet::new();
                // It grows, shrinks to nothing, and grows again.
                let target = [100, 200, 0, 80][round / 50];
                for _ in 0..10 {
                    let key = model.keys().copied().nth(rng.below(model.len().max(1) as u32) as usize);
                    match (rng.below(4), key) {
                        (0 | 1, _) if model.len() < target => {
                            let (aabb, filter) = (random_box(&mut rng), random_filter(&mut rng));
                            let key = tree.insert(next_shape, &aabb, filter);
                            assert!(model.insert(key, (next_shape, aabb, NOWHERE, filter)).is_none(), "a key in use");
                            next_shape += 1;
                            moved.insert(key);
                        }
                        (0..=2, Some(key)) if model.len() > target => {
                            tree.remove(key);
                            model.remove(&key);
                            moved.remove(&key);
                        }
                        (3, Some(key)) => {
                            tree.forget(key);
                            let filter = random_filter(&mut rng);
                            tree.set_filter(key, filter);
                            let item = model.get_mut(&key).unwrap();
                            (item.2, item.3) = (NOWHERE, filter);
                            moved.insert(key);
                        }
                        _ => {}
                    }
                }
                if rng.below(40) == 0 {
                    tree.forget_all();
                    model.values_mut().for_each(|item| item.2 = NOWHERE);
                }
                let share = [0.05, 0.9][rng.below(2) as usize];
                for (&key, (_, aabb, ..)) in &mut model {
                    if rng.range(0.0, 1.0) < share {
                        let step = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
                        *aabb = Aabb::new(aabb.min + step, aabb.max + step);
                        tree.set_bounds(key, aabb);
                        moved.insert(key);
                    }
                }
                moved.iter().for_each(|&key| tree.mark(key));
                (few, most) = if tree.most_are_marked() { (few, most + 1) } else { (few + 1, most) };
                let mut expected = Vec::new();
                for (key_a, (a, box_a, known_a, filter_a)) in &model {
                    for (key_b, (b, box_b, known_b, filter_b)) in model.range(key_a + 1..) {
                        let looks = moved.contains(key_a) || moved.contains(key_b);
                        let is_new = box_a.overlaps(box_b) && !known_a.overlaps(known_b);
                        if looks && is_new && filter_a.meets(filter_b) {
                            expected.push((*a.min(b), *a.max(b)));
                        }
                    }
                }
                expected.sort_unstable();
                let pieces = tree.start_search();
                let mut found = Vec::new();
                for piece in 0..pieces {
                    tree.search(piece..piece + 1, &mut |a, b| found.push((a.min(b), a.max(b))));
                }
                found.sort_unstable();
                assert_eq!(found, expected, "seed {seed}, round {round}");
                tree.settle();
                tree.validate();
                for key in moved {
                    let item = model.get_mut(&key).unwrap();
                    item.2 = item.1;
                }
            }
        }
        assert!(few > 200 && most > 200, "{few} searches for few, {most} for most");
    }

    /// Of 10,000 boxes that have all moved, as `carom bench --quadtree` has them, a search compares fewer than a fiftieth of all
    /// pairs.
    #[test]
    fn a_search_compares_few_pairs() {
        const BOXES: u64 = 10_000;
        let mut rng = Rng::new(50);
        let mut tree = Quadtree::new(QuadtreeDef::default());
        for shape in 0..BOXES as u32 {
            let corner = 60.0 * vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let key = tree.insert(shape, &Aabb::new(corner, corner + Vec2::splat(0.6)), BroadFilter::ALL);
            tree.mark(key);
        }
        let before = COMPARISONS.get();
        let pieces = tree.start_search();
        let mut found = 0;
        tree.search(0..pieces, &mut |_, _| found += 1);
        let compared = COMPARISONS.get() - before;
        let all = BOXES * (BOXES - 1) / 2;
        println!("{found} pairs found by {compared} comparisons, one in {} of all", all / compared);
        assert!(found > 3000 && 50 * compared < all, "{found} pairs found by {compared} comparisons of {all}");
    }
}
