//! Broad phase: which shapes are near each other.
//!
//! Two structures do the same job. Both hold the same fat boxes and answer with exactly the boxes
//! that overlap, so the world does not depend on the choice.

mod packed;
mod quadtree;
mod tree;

use crate::body::BodyKind;
use crate::error::DefError;
use crate::math::{Aabb, Vec2};
use quadtree::Quadtree;
use std::ops::Range;
use tree::Trees;

/// Which broad phase a world uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BroadPhaseKind {
    /// A bounding-volume tree that follows the shapes wherever they go.
    #[default]
    Tree,
    /// A quadtree over a fixed region, for teaching and for evenly spread worlds.
    Quadtree(QuadtreeDef),
}

impl BroadPhaseKind {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        match self {
            BroadPhaseKind::Tree => Ok(()),
            BroadPhaseKind::Quadtree(def) => def.validate(),
        }
    }
}

/// Describes a quadtree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct QuadtreeDef {
    /// Middle of the region in metres. Default: the origin.
    pub center: Vec2,
    /// Half the width and height of the region in metres. Default 128 by 128. Shapes outside are
    /// allowed; they are kept in the root, so too small a region costs time but loses nothing.
    pub half_extents: Vec2,
    /// How many shapes a quad holds before it splits. Default 5. Fewer make deeper trees.
    pub capacity: u32,
    /// Depth of the deepest quads; the root has depth 0. Default 8, at most 24.
    pub max_depth: u32,
}

impl Default for QuadtreeDef {
    fn default() -> QuadtreeDef {
        QuadtreeDef { center: Vec2::ZERO, half_extents: Vec2::splat(128.0), capacity: 5, max_depth: 8 }
    }
}

impl QuadtreeDef {
    fn validate(&self) -> Result<(), DefError> {
        crate::body::position("QuadtreeDef.center", self.center)?;
        let half = self.half_extents;
        if !(half.is_finite() && half.x > 0.0 && half.y > 0.0 && half.x <= 1.0e7 && half.y <= 1.0e7) {
            return Err(DefError::field("QuadtreeDef.half_extents", half, "numbers above 0, at most 1e7 m"));
        }
        if self.capacity == 0 {
            return Err(DefError::field("QuadtreeDef.capacity", self.capacity, "a whole number of at least 1"));
        }
        if self.max_depth > 24 {
            return Err(DefError::field("QuadtreeDef.max_depth", self.max_depth, "a whole number of at most 24"));
        }
        Ok(())
    }
}

/// A box of the broad phase, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BroadBox {
    /// Where it is.
    pub aabb: Aabb,
    /// How deep in the structure; 0 is a root.
    pub depth: u32,
    /// How many shapes sit in this very box, without its children.
    pub count: u32,
}

/// The broad phase of a world.
#[derive(Clone, Debug)]
pub struct BroadPhase(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Tree(Box<Trees>),
    Quadtree(Quadtree),
}

/// The shapes that a query is about, by the kind of their bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    All,
    Dynamic,
    /// Kinematic and fixed: what no constraint moves.
    Immovable,
}

/// What a shape is and what it meets, as far as the broad phase can tell: see [`Filter`](crate::Filter).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BroadFilter {
    pub(crate) category: u64,
    pub(crate) mask: u64,
}

impl BroadFilter {
    pub(crate) const NOTHING: BroadFilter = BroadFilter { category: 0, mask: 0 };
    pub(crate) const ALL: BroadFilter = BroadFilter { category: u64::MAX, mask: u64::MAX };

    /// False when shapes with these filters, or any of several shapes with these filters together, never meet.
    #[inline]
    pub(crate) fn meets(&self, other: &BroadFilter) -> bool {
        self.mask & other.category != 0 && other.mask & self.category != 0
    }

    /// The filter of several shapes together.
    #[inline]
    pub(crate) fn or(&self, other: &BroadFilter) -> BroadFilter {
        BroadFilter { category: self.category | other.category, mask: self.mask | other.mask }
    }
}

/// Decides where a walk through the broad phase goes.
pub(crate) trait BroadVisitor {
    /// Go into this box?
    fn descend(&mut self, aabb: &Aabb) -> bool;
    /// Look at a shape whose box was not refused. False ends the walk.
    fn shape(&mut self, shape: u32) -> bool;
}

impl BroadPhase {
    pub(crate) fn new(kind: BroadPhaseKind) -> BroadPhase {
        BroadPhase(match kind {
            BroadPhaseKind::Tree => Kind::Tree(Box::default()),
            BroadPhaseKind::Quadtree(def) => Kind::Quadtree(Quadtree::new(def)),
        })
    }

    /// Adds a shape's box and returns its key.
    pub(crate) fn insert(&mut self, shape: u32, aabb: &Aabb, filter: BroadFilter, kind: BodyKind) -> u32 {
        match &mut self.0 {
            Kind::Tree(trees) => trees.insert(shape, aabb, filter, kind),
            Kind::Quadtree(quadtree) => quadtree.insert(shape, aabb, filter),
        }
    }

    pub(crate) fn remove(&mut self, proxy: u32) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.remove(proxy),
            Kind::Quadtree(quadtree) => quadtree.remove(proxy),
        }
    }

    /// Gives a shape a new box.
    pub(crate) fn set_bounds(&mut self, proxy: u32, aabb: &Aabb) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.set_bounds(proxy, aabb),
            Kind::Quadtree(quadtree) => quadtree.set_bounds(proxy, aabb),
        }
    }

    /// Gives one of many shapes a new box. Nothing may be asked until [`BroadPhase::refit`] was called.
    #[inline]
    pub(crate) fn store_bounds(&mut self, proxy: u32, aabb: &Aabb) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.store_bounds(proxy, aabb),
            Kind::Quadtree(quadtree) => quadtree.set_bounds(proxy, aabb),
        }
    }

    /// Follows the boxes that were stored.
    pub(crate) fn refit(&mut self) {
        if let Kind::Tree(trees) = &mut self.0 {
            trees.refit();
        }
    }

    pub(crate) fn set_filter(&mut self, proxy: u32, filter: BroadFilter) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.set_filter(proxy, filter),
            Kind::Quadtree(quadtree) => quadtree.set_filter(proxy, filter),
        }
    }

    /// Forgets which neighbours a shape has, so that searches tell of them again.
    pub(crate) fn forget(&mut self, proxy: u32) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.forget(proxy),
            Kind::Quadtree(quadtree) => quadtree.forget(proxy),
        }
    }

    /// Forgets the neighbours of all shapes.
    pub(crate) fn forget_all(&mut self) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.forget_all(),
            Kind::Quadtree(quadtree) => quadtree.forget_all(),
        }
    }

    /// Has a shape look for partners in the next search.
    #[inline]
    pub(crate) fn mark(&mut self, proxy: u32) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.mark(proxy),
            Kind::Quadtree(quadtree) => quadtree.mark(proxy),
        }
    }

    /// Prepares for a search, after which [`BroadPhase::settle`] is to be called. Returns how many pieces it
    /// can be divided into.
    pub(crate) fn start_search(&mut self) -> usize {
        match &mut self.0 {
            Kind::Tree(trees) => {
                trees.tidy();
                trees.piece_count()
            }
            Kind::Quadtree(quadtree) => quadtree.start_search(),
        }
    }

    /// Tells of the partners of marked shapes: of all pairs whose boxes overlap and whose filters agree, except
    /// perhaps such that overlapped in the last search and have not been [forgotten](BroadPhase::forget)
    /// since. Of each once, in any order. Pieces may be searched in any order, too, or at the same time.
    pub(crate) fn search(&self, pieces: Range<usize>, tell: &mut impl FnMut(u32, u32)) {
        match &self.0 {
            Kind::Tree(trees) => trees.search(pieces, tell),
            Kind::Quadtree(quadtree) => quadtree.search(pieces, tell),
        }
    }

    /// Ends a search: nothing is marked any more.
    pub(crate) fn settle(&mut self) {
        match &mut self.0 {
            Kind::Tree(trees) => trees.settle(),
            Kind::Quadtree(quadtree) => quadtree.settle(),
        }
    }

    /// Visits the shapes whose boxes overlap `aabb` and whose category meets `mask`, those of bodies of
    /// `kinds` and perhaps others. `visit` returns false to stop.
    pub(crate) fn query(&self, aabb: &Aabb, mask: u64, kinds: Kinds, visit: &mut impl FnMut(u32) -> bool) {
        match &self.0 {
            Kind::Tree(trees) => trees.query(aabb, mask, kinds, visit),
            Kind::Quadtree(quadtree) => quadtree.query(aabb, mask, visit),
        }
    }

    /// Walks through all boxes that the visitor does not refuse.
    pub(crate) fn walk(&self, visitor: &mut impl BroadVisitor) {
        match &self.0 {
            Kind::Tree(trees) => trees.walk(visitor),
            Kind::Quadtree(quadtree) => quadtree.walk(visitor),
        }
    }

    /// The boxes of the structure, roots first, for drawing and counting.
    pub fn boxes(&self) -> Vec<BroadBox> {
        match &self.0 {
            Kind::Tree(trees) => trees.boxes(),
            Kind::Quadtree(quadtree) => quadtree.boxes(),
        }
    }

    /// How many shapes it holds.
    pub fn shape_count(&self) -> usize {
        match &self.0 {
            Kind::Tree(trees) => trees.len(),
            Kind::Quadtree(quadtree) => quadtree.len(),
        }
    }

    /// Depth of the deepest box; 0 when there is at most a root.
    pub fn depth(&self) -> u32 {
        self.boxes().iter().map(|b| b.depth).max().unwrap_or(0)
    }

    pub(crate) fn validate(&self) {
        match &self.0 {
            Kind::Tree(trees) => trees.validate(),
            Kind::Quadtree(quadtree) => quadtree.validate(),
        }
    }
}
