//! A quadtree over a fixed region.
//!
//! A box lives in the smallest quad that contains it whole; a box that no child contains stays in
//! the parent, and one that sticks out of the region stays in the root. So a box is stored exactly
//! once, and a query must look at the boxes of every quad on its way down, not only at the leaves:
//! a pair of boxes in a quad and its ancestor would be lost otherwise.

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
    /// Keys of the boxes in this quad itself.
    items: Vec<u32>,
    /// Boxes in this quad and below.
    total: u32,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    aabb: Aabb,
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
}

impl Quadtree {
    pub(super) fn new(def: QuadtreeDef) -> Quadtree {
        let bounds = Aabb::new(def.center - def.half_extents, def.center + def.half_extents);
        let root = Quad { bounds, depth: 0, parent: NONE, children: None, items: Vec::new(), total: 0 };
        Quadtree {
            def,
            quads: vec![root],
            free_quads: Vec::new(),
            items: Vec::new(),
            free_items: Vec::new(),
            marked: Vec::new(),
        }
    }

    pub(super) fn insert(&mut self, shape: u32, aabb: &Aabb, filter: BroadFilter) -> u32 {
        let item = Item { aabb: *aabb, shape, filter, quad: NONE, place: 0, marked: false };
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
        self.place(key, ROOT);
        key
    }

    pub(super) fn remove(&mut self, key: u32) {
        self.unplace(key);
        self.free_items.push(key);
    }

    pub(super) fn set_bounds(&mut self, key: u32, aabb: &Aabb) {
        self.items[key as usize].aabb = *aabb;
        let quad = self.items[key as usize].quad;
        // Most moves stay within the quad and below the size that a child would take.
        let stays =
            quad != ROOT && self.quads[quad as usize].bounds.contains(aabb) && self.child_around(quad, aabb).is_none();
        if !stays {
            self.unplace(key);
            self.place(key, ROOT);
        }
    }

    pub(super) fn set_filter(&mut self, key: u32, filter: BroadFilter) {
        self.items[key as usize].filter = filter;
    }

    pub(super) fn mark(&mut self, key: u32) {
        let item = &mut self.items[key as usize];
        if !item.marked {
            item.marked = true;
            self.marked.push(key);
        }
    }

    pub(super) fn marked_count(&self) -> usize {
        self.marked.len()
    }

    /// Tells of all whose boxes overlap those of some marked shapes. Of two that are both marked, the lower one
    /// tells.
    pub(super) fn search(&self, pieces: Range<usize>, tell: &mut impl FnMut(u32, u32)) {
        for &key in &self.marked[pieces] {
            let Item { aabb, shape, filter, .. } = self.items[key as usize];
            self.visit(&aabb, filter.mask, &mut |other| {
                let left_to_other = other.marked && other.shape <= shape;
                if !left_to_other {
                    tell(shape, other.shape);
                }
                true
            });
        }
    }

    pub(super) fn settle(&mut self) {
        for &key in &self.marked {
            self.items[key as usize].marked = false;
        }
        self.marked.clear();
    }

    /// The child of a split quad that contains the box whole.
    fn child_around(&self, quad: u32, aabb: &Aabb) -> Option<u32> {
        let children = self.quads[quad as usize].children?;
        children.into_iter().find(|&child| self.quads[child as usize].bounds.contains(aabb))
    }

    /// Puts a box into the deepest existing quad that contains it, and splits that quad if it is
    /// full.
    fn place(&mut self, key: u32, from: u32) {
        let aabb = self.items[key as usize].aabb;
        let mut quad = from;
        loop {
            self.quads[quad as usize].total += 1;
            match self.child_around(quad, &aabb) {
                Some(child) => quad = child,
                None => break,
            }
        }
        self.push(key, quad);
        let full = self.quads[quad as usize].items.len() > self.def.capacity as usize;
        if full && self.quads[quad as usize].children.is_none() && self.quads[quad as usize].depth < self.def.max_depth
        {
            self.split(quad);
        }
    }

    fn push(&mut self, key: u32, quad: u32) {
        let items = &mut self.quads[quad as usize].items;
        self.items[key as usize].quad = quad;
        self.items[key as usize].place = items.len() as u32;
        items.push(key);
    }

    fn unplace(&mut self, key: u32) {
        let Item { quad, place, .. } = self.items[key as usize];
        let items = &mut self.quads[quad as usize].items;
        items.swap_remove(place as usize);
        if let Some(&filler) = items.get(place as usize) {
            self.items[filler as usize].place = place;
        }
        self.items[key as usize].quad = NONE;
        let mut up = quad;
        while up != NONE {
            self.quads[up as usize].total -= 1;
            up = self.quads[up as usize].parent;
        }
        self.merge_above(quad);
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
                self.quads.push(Quad { bounds, depth: 0, parent: NONE, children: None, items: Vec::new(), total: 0 });
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
        let items = std::mem::take(&mut self.quads[quad as usize].items);
        for key in items {
            match self.child_around(quad, &self.items[key as usize].aabb) {
                Some(child) => self.place(key, child),
                None => self.push(key, quad),
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
                    for key in std::mem::take(&mut self.quads[child as usize].items) {
                        self.push(key, quad);
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
            for &key in &quad.items {
                let item = &self.items[key as usize];
                if item.filter.category & mask != 0 && item.aabb.overlaps(aabb) && !visit(item) {
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
            for &key in &quad.items {
                let item = &self.items[key as usize];
                if visitor.descend(&item.aabb) && !visitor.shape(item.shape) {
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
            boxes.push(BroadBox { aabb: quad.bounds, depth: quad.depth, count: quad.items.len() as u32 });
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
            let mut total = quad.items.len() as u32;
            for (place, &key) in quad.items.iter().enumerate() {
                let item = &self.items[key as usize];
                assert!(!std::mem::replace(&mut seen[key as usize], true), "box {key} is stored twice");
                assert_eq!((item.quad, item.place as usize), (index, place), "box {key} is elsewhere");
                assert!(index == ROOT || quad.bounds.contains(&item.aabb), "box {key} sticks out of its quad");
                assert!(self.child_around(index, &item.aabb).is_none(), "box {key} belongs into a child");
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
