//! Graph colouring: constraints in batches that share no moving body.

use std::num::NonZeroU8;

/// The number of colours.
pub const COLOR_COUNT: usize = 64;
/// The colour number of the overflow list, whose constraints may share bodies: their order matters.
pub const OVERFLOW: u8 = COLOR_COUNT as u8;

/// Constraints between two moving bodies use the colours below this; the others are left to constraints against
/// fixed things.
const TWO_BODY_COLORS: u32 = 56;
const NONE: u32 = u32::MAX;
/// Stands in the overflow list where a constraint was removed.
pub const HOLE: u32 = u32::MAX;

/// Where a constraint is: its colour and its place in the colour's list.
///
/// An `Option` of it is no larger. It has no spare bit patterns beyond that, so a struct with one among its fields
/// is itself told to be there by another field: for a record of several cache lines it matters by which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// One more than the colour.
    color: NonZeroU8,
    index: u32,
}

impl Slot {
    fn new(color: u8, index: u32) -> Slot {
        Slot { color: NonZeroU8::MIN.saturating_add(color), index }
    }

    /// Below [`COLOR_COUNT`], or [`OVERFLOW`].
    #[inline]
    pub fn color(self) -> u8 {
        self.color.get() - 1
    }

    /// The place in the list of [`ColorGraph::colors`].
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }
}

#[derive(Clone, Debug, Default)]
struct ColorList {
    constraints: Vec<u32>,
    /// The moving bodies of each constraint, `NONE` for a fixed side.
    bodies: Vec<[u32; 2]>,
}

/// Assigns constraints to colours so that no two of one colour share a moving body. A colour's constraints can then
/// be solved in any order, in parallel or several to a vector register.
///
/// Each body has a mask of the colours it takes part in; the first colour free in both masks is a bit scan away.
/// Pairs of moving bodies fill up from colour 0; constraints against something fixed fill down from colour 63, so
/// that in ascending order they are solved last and have the last word against penetration of the ground.
#[derive(Clone, Debug)]
pub struct ColorGraph {
    /// The colours, and the overflow list at the end.
    lists: Vec<ColorList>,
    /// Per body, bit `c` is set if the body has a constraint of colour `c`.
    masks: Vec<u64>,
    constraint_count: usize,
    /// Removed places in the overflow list.
    holes: usize,
    changes: u64,
}

impl Default for ColorGraph {
    fn default() -> Self {
        Self::new()
    }
}

impl ColorGraph {
    /// No constraints.
    pub fn new() -> Self {
        Self {
            lists: vec![ColorList::default(); COLOR_COUNT + 1],
            masks: Vec::new(),
            constraint_count: 0,
            holes: 0,
            changes: 0,
        }
    }

    /// Adds a constraint between the moving bodies `a` and `b`; `None` stands for something fixed or kinematic.
    pub fn add(&mut self, constraint: u32, a: Option<u32>, b: Option<u32>) -> Slot {
        let color = self.choose(a, b);
        self.list(constraint, color, a, b)
    }

    /// Gives a constraint between two moving bodies its colour. It must be [listed](ColorGraph::list) there before anything
    /// else is done than choosing and listing: the order of choosing decides about colours, that of listing about where a
    /// colour's constraints lie, which is worth to be that of memory.
    pub fn choose(&mut self, a: Option<u32>, b: Option<u32>) -> u8 {
        let bodies = [a.unwrap_or(NONE), b.unwrap_or(NONE)];
        let taken = self.mask_or_zero(bodies[0]) | self.mask_or_zero(bodies[1]);
        let color = if a.is_some() && b.is_some() {
            let free = !taken & ((1 << TWO_BODY_COLORS) - 1);
            if free == 0 { OVERFLOW } else { free.trailing_zeros() as u8 }
        } else {
            // Colour 0 stays with the pairs: it is their fullest batch.
            let free = !taken & !1;
            if free == 0 { OVERFLOW } else { 63 - free.leading_zeros() as u8 }
        };
        if color != OVERFLOW {
            for body in bodies.into_iter().filter(|&body| body != NONE) {
                if body as usize >= self.masks.len() {
                    self.masks.resize(body as usize + 1, 0);
                }
                self.masks[body as usize] |= 1 << color;
            }
        }
        color
    }

    /// Lists a constraint in the colour that was chosen for it.
    pub fn list(&mut self, constraint: u32, color: u8, a: Option<u32>, b: Option<u32>) -> Slot {
        let list = &mut self.lists[usize::from(color)];
        let index = list.constraints.len() as u32;
        list.constraints.push(constraint);
        list.bodies.push([a.unwrap_or(NONE), b.unwrap_or(NONE)]);
        self.constraint_count += 1;
        self.changes += 1;
        Slot::new(color, index)
    }

    /// Puts a constraint at the end of the list of a colour, as it was in another graph. None, and nothing changes, if one of
    /// its moving bodies has that colour already, or there is no such colour.
    pub fn place(&mut self, constraint: u32, color: u8, a: Option<u32>, b: Option<u32>) -> Option<Slot> {
        if color > OVERFLOW {
            return None;
        }
        if color != OVERFLOW {
            let bit = 1 << color;
            let bodies = [a, b].into_iter().flatten();
            if a == b || bodies.clone().any(|body| self.mask_or_zero(body) & bit != 0) {
                return None;
            }
            for body in bodies {
                if body as usize >= self.masks.len() {
                    self.masks.resize(body as usize + 1, 0);
                }
                self.masks[body as usize] |= bit;
            }
        }
        Some(self.list(constraint, color, a, b))
    }

    /// Counts on from another graph's [changes](ColorGraph::changes), so that whatever went by either of them is out of date.
    pub fn outdate(&mut self, other: &ColorGraph) {
        self.changes = self.changes.max(other.changes) + 1;
    }

    /// Removes the constraint at a slot and tells the caller each other constraint whose slot changed.
    ///
    /// In a colour the order is free, so the last one takes the place. The overflow list is solved in sequence, so it
    /// keeps its order: a [`HOLE`] is left, and when holes are in the majority the list closes up.
    pub fn remove(&mut self, slot: Slot, constraint_slots: &mut dyn FnMut(u32, Slot)) {
        let (color, index) = (slot.color(), slot.index());
        let list = &mut self.lists[usize::from(color)];
        let place = index as usize;
        assert!(place < list.constraints.len(), "no constraint in colour {color} at {index}");
        self.constraint_count -= 1;
        self.changes += 1;
        if color == OVERFLOW {
            list.constraints[place] = HOLE;
            self.holes += 1;
            if 2 * self.holes > list.constraints.len() {
                self.holes = 0;
                let mut kept = 0;
                for from in 0..list.constraints.len() {
                    let constraint = list.constraints[from];
                    if constraint != HOLE {
                        list.constraints[kept] = constraint;
                        list.bodies[kept] = list.bodies[from];
                        constraint_slots(constraint, Slot::new(color, kept as u32));
                        kept += 1;
                    }
                }
                list.constraints.truncate(kept);
                list.bodies.truncate(kept);
            }
        } else {
            list.constraints.swap_remove(place);
            let bodies = list.bodies.swap_remove(place);
            if let Some(&moved) = list.constraints.get(place) {
                constraint_slots(moved, slot);
            }
            for body in bodies.into_iter().filter(|&body| body != NONE) {
                self.masks[body as usize] &= !(1 << color);
            }
        }
    }

    /// The lists that are not empty in the order they are solved: overflow first, then the colours ascending. The
    /// overflow list may contain [`HOLE`]s.
    pub fn colors(&self) -> impl Iterator<Item = (u8, &[u32])> {
        self.constraints().map(|(color, constraints, _)| (color, constraints))
    }

    /// The same with the moving bodies of each constraint, `u32::MAX` for a fixed side.
    pub fn constraints(&self) -> impl Iterator<Item = (u8, &[u32], &[[u32; 2]])> {
        let list = |color: u8| {
            let ColorList { constraints, bodies } = &self.lists[usize::from(color)];
            (color, constraints.as_slice(), bodies.as_slice())
        };
        std::iter::once(OVERFLOW).chain(0..OVERFLOW).map(list).filter(|(_, constraints, _)| !constraints.is_empty())
    }

    /// The number of lists that are not empty, the overflow list included.
    pub fn active_color_count(&self) -> usize {
        self.colors().count()
    }

    /// The number of constraints.
    #[inline]
    pub fn constraint_count(&self) -> usize {
        self.constraint_count
    }

    /// How often anything has changed: as long as this is the same, all lists are.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The colours that a body takes part in, one bit each; overflow is not counted.
    #[inline]
    pub fn mask(&self, body: u32) -> u64 {
        self.mask_or_zero(body)
    }

    /// Removes every constraint and keeps the memory.
    pub fn clear(&mut self) {
        self.holes = 0;
        for list in &mut self.lists {
            list.constraints.clear();
            list.bodies.clear();
        }
        self.masks.fill(0);
        self.constraint_count = 0;
        self.changes += 1;
    }

    #[inline]
    fn mask_or_zero(&self, body: u32) -> u64 {
        self.masks.get(body as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::Rng;

    type Ends = (Option<u32>, Option<u32>);

    struct Model {
        graph: ColorGraph,
        placed: BTreeMap<u32, (Slot, Ends)>,
        /// The constraints in overflow, oldest first.
        overflow: Vec<u32>,
    }

    impl Model {
        fn new() -> Self {
            Self { graph: ColorGraph::new(), placed: BTreeMap::new(), overflow: Vec::new() }
        }

        fn add(&mut self, constraint: u32, ends: Ends) -> Slot {
            let slot = self.graph.add(constraint, ends.0, ends.1);
            assert!(self.placed.insert(constraint, (slot, ends)).is_none());
            if slot.color() == OVERFLOW {
                self.overflow.push(constraint);
            }
            slot
        }

        fn remove(&mut self, constraint: u32) {
            let (slot, _) = self.placed.remove(&constraint).unwrap();
            let placed = &mut self.placed;
            self.graph.remove(slot, &mut |moved, slot| placed.get_mut(&moved).unwrap().0 = slot);
            self.overflow.retain(|&other| other != constraint);
        }

        fn check(&self) {
            let mut seen = 0;
            let mut masks: BTreeMap<u32, u64> = BTreeMap::new();
            let mut order = Vec::new();
            for (color, constraints) in self.graph.colors() {
                order.push(color);
                assert!(!constraints.is_empty());
                let mut bodies = BTreeSet::new();
                for (index, constraint) in constraints.iter().enumerate().filter(|&(_, &constraint)| constraint != HOLE)
                {
                    let (slot, (a, b)) = self.placed[constraint];
                    assert_eq!(slot, Slot::new(color, index as u32));
                    seen += 1;
                    if color != OVERFLOW {
                        for body in [a, b].into_iter().flatten() {
                            assert!(bodies.insert(body), "colour {color} has body {body} twice");
                            *masks.entry(body).or_default() |= 1 << color;
                        }
                    } else {
                        let live: Vec<u32> =
                            constraints.iter().copied().filter(|&constraint| constraint != HOLE).collect();
                        assert_eq!(live, self.overflow, "overflow keeps its order");
                    }
                }
            }
            let mut sorted = order.clone();
            sorted.sort_unstable_by_key(|&color| (color != OVERFLOW, color));
            assert_eq!(order, sorted);
            assert_eq!(order.len(), self.graph.active_color_count());
            assert_eq!((seen, seen), (self.placed.len(), self.graph.constraint_count()));
            for body in 0..40 {
                assert_eq!(self.graph.mask(body), masks.get(&body).copied().unwrap_or(0));
            }
        }
    }

    #[test]
    fn no_colour_has_a_body_twice() {
        let mut rng = Rng::new(9);
        let mut model = Model::new();
        let mut overflowed = false;
        for constraint in 0..8000 {
            let grow = constraint % 4000 < 2500;
            if model.placed.is_empty() || rng.below(100) < if grow { 75 } else { 25 } {
                let a = rng.below(30);
                // A few bodies are popular, so that they run out of colours.
                let b = if rng.below(2) == 0 { (a + 1) % 4 } else { rng.below(30) };
                let ends = match rng.below(10) {
                    0 => (None, Some(a)),
                    1 => (Some(a), None),
                    _ if a == b => continue,
                    _ => (Some(a), Some(b)),
                };
                model.add(constraint, ends);
            } else {
                let nth = rng.below(model.placed.len() as u32) as usize;
                let victim = *model.placed.keys().nth(nth).unwrap();
                model.remove(victim);
            }
            overflowed |= model.overflow.len() > 3;
            if constraint % 20 == 0 {
                model.check();
            }
        }
        assert!(overflowed, "the test is to cover the overflow list");
        model.graph.clear();
        assert_eq!((model.graph.constraint_count(), model.graph.mask(0)), (0, 0));
    }

    #[test]
    fn pairs_fill_from_the_bottom_and_fixed_things_from_the_top() {
        let mut model = Model::new();
        assert_eq!(model.add(0, (Some(0), Some(1))).color(), 0);
        assert_eq!(model.add(1, (Some(1), Some(2))).color(), 1);
        assert_eq!(model.add(2, (Some(2), Some(3))), Slot::new(0, 1));
        assert_eq!(model.add(3, (Some(0), None)).color(), 63);
        assert_eq!(model.add(4, (None, Some(0))).color(), 62);
        model.remove(0);
        assert_eq!(model.placed[&2].0, Slot::new(0, 0));
        assert_eq!(model.add(5, (Some(0), Some(1))).color(), 0);
        model.check();
    }

    #[test]
    fn a_popular_body_overflows_in_order() {
        let mut model = Model::new();
        for constraint in 0..60 {
            let slot = model.add(constraint, (Some(0), Some(constraint + 1)));
            assert_eq!(slot.color(), if constraint < 56 { constraint as u8 } else { OVERFLOW });
        }
        model.remove(57);
        model.check();
        assert_eq!(model.graph.colors().next().unwrap(), (OVERFLOW, [56, HOLE, 58, 59].as_slice()));
        // The colours kept for fixed things are still free, and colour 0 is not used for them.
        for constraint in 100..109 {
            let slot = model.add(constraint, (Some(0), None));
            assert_eq!(slot.color(), if constraint < 108 { (163 - constraint) as u8 } else { OVERFLOW });
        }
    }
}
