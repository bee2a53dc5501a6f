//! Generational slots: stable indices, handles that notice removal.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::Id;

/// A place in a pool, full or empty.
#[derive(Clone, Debug)]
#[repr(transparent)]
pub struct PoolSlot<T> {
    value: Option<T>,
}

impl<T> PoolSlot<T> {
    /// What is here. Panics if the slot is empty.
    #[inline]
    #[track_caller]
    pub fn value(&self) -> &T {
        self.value.as_ref().expect("a slot in use")
    }

    /// What is here. Panics if the slot is empty.
    #[inline]
    #[track_caller]
    pub fn value_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("a slot in use")
    }
}

/// Values in slots, reached by typed handle or by bare index.
///
/// Free slots are reused last freed first, so the same calls give the same handles. A slot's generations start at 1
/// and never repeat: one that has used up all of them stays empty for good. A handle from a pool of another owner
/// ([`new_origin`](crate::new_origin)) is as stale as that of a value that was removed; clones of a pool share handles.
#[derive(Clone, Debug)]
pub struct Pool<T, I: Id> {
    slots: Vec<PoolSlot<T>>,
    /// The generation of the value in each slot, or of the next one to come. Apart, so that slots are as large and as
    /// aligned as their values.
    generations: Vec<u32>,
    free: Vec<u32>,
    len: usize,
    /// The number of its owner, which its handles carry.
    origin: u32,
    marker: PhantomData<I>,
}

impl<T, I: Id> Default for Pool<T, I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, I: Id> Pool<T, I> {
    /// An empty pool that takes the handles of any other for its own.
    pub const fn new() -> Self {
        Self::of(0)
    }

    /// An empty pool of an owner, which has its number from [`new_origin`](crate::new_origin).
    pub const fn of(origin: u32) -> Self {
        Self { slots: Vec::new(), generations: Vec::new(), free: Vec::new(), len: 0, origin, marker: PhantomData }
    }

    /// The handle of a slot in one of its lives.
    #[inline]
    fn handle(&self, index: u32, generation: u32) -> I {
        I::new(index, generation, self.origin)
    }

    /// Whether the handle is one of this pool, of the life that its slot has now.
    #[inline]
    fn knows(&self, id: I) -> bool {
        let is_own = id.origin() == self.origin || id.origin() == 0 || self.origin == 0;
        is_own && self.generations.get(id.index() as usize) == Some(&id.generation())
    }

    /// Stores a value and returns its handle.
    pub fn insert(&mut self, value: T) -> I {
        self.insert_with(|_| value)
    }

    /// Stores the value that `make` builds from the handle it is going to have.
    pub fn insert_with(&mut self, make: impl FnOnce(I) -> T) -> I {
        // The slot is claimed after `make` returns, so that a panic there leaves the pool whole.
        let index = match self.free.last() {
            Some(&index) => index,
            None => u32::try_from(self.slots.len()).expect("a pool holds at most 2^32 slots"),
        };
        let generation = self.generations.get(index as usize).copied().unwrap_or(1);
        let id = self.handle(index, generation);
        let value = Some(make(id));
        if self.free.pop().is_some() {
            self.slots[index as usize].value = value;
        } else {
            self.slots.push(PoolSlot { value });
            self.generations.push(generation);
        }
        self.len += 1;
        id
    }

    /// Takes a value out; `None` if the handle is stale.
    pub fn remove(&mut self, id: I) -> Option<T> {
        if self.contains(id) { self.remove_at(id.index()) } else { None }
    }

    /// Takes out whatever is in the slot; `None` if it is empty.
    pub fn remove_at(&mut self, index: u32) -> Option<T> {
        let slot = self.slots.get_mut(index as usize)?;
        let value = slot.value.take()?;
        self.len -= 1;
        // A slot at the last generation is retired: reusing it would let an old handle match again.
        let generation = &mut self.generations[index as usize];
        if let Some(next) = generation.checked_add(1) {
            *generation = next;
            self.free.push(index);
        }
        Some(value)
    }

    /// The value of a handle, `None` if stale.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        if self.knows(id) { self.get_at(id.index()) } else { None }
    }

    /// The value of a handle, `None` if stale.
    #[inline]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        if self.knows(id) { self.get_at_mut(id.index()) } else { None }
    }

    /// Whether the handle's value is still here.
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        self.get(id).is_some()
    }

    /// The handle of the value in a slot, `None` if it is empty.
    #[inline]
    pub fn id_at(&self, index: u32) -> Option<I> {
        self.get_at(index).map(|_| self.handle(index, self.generations[index as usize]))
    }

    /// The value in a slot. Panics if it is empty.
    #[inline]
    #[track_caller]
    pub fn at(&self, index: u32) -> &T {
        match self.get_at(index) {
            Some(value) => value,
            None => empty_slot(index, self.slots.len()),
        }
    }

    /// The value in a slot. Panics if it is empty.
    #[inline]
    #[track_caller]
    pub fn at_mut(&mut self, index: u32) -> &mut T {
        let slot_count = self.slots.len();
        match self.get_at_mut(index) {
            Some(value) => value,
            None => empty_slot(index, slot_count),
        }
    }

    /// The value in a slot, `None` if it is empty.
    #[inline]
    pub fn get_at(&self, index: u32) -> Option<&T> {
        self.slots.get(index as usize)?.value.as_ref()
    }

    /// The value in a slot, `None` if it is empty.
    #[inline]
    pub fn get_at_mut(&mut self, index: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize)?.value.as_mut()
    }

    /// Where the value of a slot is, if there is one: for telling the machine that it will be read soon. Unlike the
    /// value it is had without reading the slot.
    #[inline]
    pub fn slot(&self, index: u32) -> Option<&PoolSlot<T>> {
        self.slots.get(index as usize)
    }

    /// All slots, by index: for threads that work on different values.
    pub fn slots_mut(&mut self) -> &mut [PoolSlot<T>] {
        &mut self.slots
    }

    /// Handles and values in order of index.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.slots.iter().zip(&self.generations).enumerate().filter_map(|(index, (slot, &generation))| {
            let value = slot.value.as_ref()?;
            Some((self.handle(index as u32, generation), value))
        })
    }

    /// Handles and values in order of index.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        let origin = self.origin;
        self.slots.iter_mut().zip(&self.generations).enumerate().filter_map(move |(index, (slot, &generation))| {
            let value = slot.value.as_mut()?;
            Some((I::new(index as u32, generation, origin), value))
        })
    }

    /// Handles in order of index.
    pub fn ids(&self) -> impl Iterator<Item = I> {
        self.iter().map(|(id, _)| id)
    }

    /// The number of values.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of slots, full or empty: every index in use is below it.
    #[inline]
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The generation of each slot, and the slots to be used again, the next one last: all there is to a pool beside its
    /// values. A slot that has neither a value nor a place among the free ones is out of generations.
    pub fn layout(&self) -> (&[u32], &[u32]) {
        (&self.generations, &self.free)
    }

    /// The number that handles of this pool have in common.
    #[inline]
    pub fn origin(&self) -> u32 {
        self.origin
    }

    /// Makes the pool what another one was, from its [layout](Pool::layout) and its values: `make` is called with each slot
    /// and what is in it now, and leaves there what belongs there. Free slots must be left empty.
    pub fn rebuild(&mut self, origin: u32, layout: (&[u32], &[u32]), mut make: impl FnMut(u32, &mut Option<T>)) {
        let (generations, free) = layout;
        self.origin = origin;
        self.generations.clear();
        self.generations.extend_from_slice(generations);
        self.free.clear();
        self.free.extend_from_slice(free);
        self.slots.resize_with(generations.len(), || PoolSlot { value: None });
        self.len = 0;
        for (index, slot) in (0..).zip(&mut self.slots) {
            make(index, &mut slot.value);
            self.len += usize::from(slot.value.is_some());
        }
    }

    /// Removes every value; all handles become stale, and the lowest of the slots emptied is the first to be reused.
    pub fn clear(&mut self) {
        for index in (0..self.slots.len() as u32).rev() {
            self.remove_at(index);
        }
    }
}

#[cold]
#[track_caller]
fn empty_slot(index: u32, slot_count: usize) -> ! {
    panic!("pool slot {index} is empty (of {slot_count} slots)")
}

impl<T, I: Id> Index<u32> for Pool<T, I> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: u32) -> &T {
        self.at(index)
    }
}

impl<T, I: Id> IndexMut<u32> for Pool<T, I> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: u32) -> &mut T {
        self.at_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    crate::define_id!(
        /// A number in the pool.
        struct NumberId;
    );

    #[test]
    fn behaves_like_a_list_of_options() {
        let mut rng = Rng::new(1);
        let mut pool: Pool<u32, NumberId> = Pool::new();
        let mut model: Vec<Option<(NumberId, u32)>> = Vec::new();
        let mut freed: Vec<u32> = Vec::new();
        let mut stale: Vec<NumberId> = Vec::new();
        for round in 0..20_000 {
            if rng.below(100) < if round % 4000 < 2000 { 60 } else { 40 } {
                let value = rng.next_u32();
                let id = pool.insert(value);
                let expected = freed.pop().unwrap_or(model.len() as u32);
                assert_eq!(id.index(), expected, "last freed is reused first");
                if expected as usize == model.len() {
                    model.push(None);
                }
                model[expected as usize] = Some((id, value));
            } else if !model.is_empty() {
                let index = rng.below(model.len() as u32);
                let expected = model[index as usize].take();
                let removed = match expected {
                    Some((id, _)) if rng.below(2) == 0 => pool.remove(id),
                    _ => pool.remove_at(index),
                };
                assert_eq!(removed, expected.map(|(_, value)| value));
                if let Some((id, _)) = expected {
                    freed.push(index);
                    stale.push(id);
                }
            }
            if let Some(&id) = stale.get(rng.below(stale.len().max(1) as u32) as usize) {
                assert!(!pool.contains(id) && pool.get_mut(id).is_none() && pool.remove(id).is_none());
            }
            if round % 500 == 0 {
                let live: Vec<(NumberId, u32)> = model.iter().flatten().copied().collect();
                assert_eq!(pool.iter().map(|(id, &value)| (id, value)).collect::<Vec<_>>(), live);
                assert_eq!(pool.iter_mut().map(|(id, value)| (id, *value)).collect::<Vec<_>>(), live);
                assert_eq!(pool.len(), live.len());
                assert_eq!(pool.slot_count(), model.len());
                for (index, slot) in model.iter().enumerate() {
                    assert_eq!(pool.id_at(index as u32), slot.map(|(id, _)| id));
                    assert_eq!(pool.get_at(index as u32).copied(), slot.map(|(_, value)| value));
                }
            }
        }
    }

    #[test]
    fn the_value_knows_its_handle_and_clearing_makes_handles_stale() {
        let mut pool: Pool<NumberId, NumberId> = Pool::new();
        let ids: Vec<NumberId> = (0..3).map(|_| pool.insert_with(|id| id)).collect();
        assert_eq!(pool[1], ids[1]);
        pool[1] = ids[0];
        assert_eq!(pool.at(1), pool.get(ids[0]).unwrap());
        pool.clear();
        assert!(pool.is_empty() && ids.iter().all(|&id| !pool.contains(id)));
        assert_eq!(pool.insert_with(|id| id), NumberId::new(0, 2, 0));
    }

    /// A handle of another owner is stale, one of a clone is not, and one without an owner is taken for an own one.
    #[test]
    fn handles_of_other_owners_are_stale() {
        let (mut pool, mut other) = (Pool::of(crate::new_origin()), Pool::of(crate::new_origin()));
        let (id, foreign): (NumberId, NumberId) = (pool.insert(1), other.insert(2));
        assert_eq!(id, foreign);
        assert!(pool.contains(id) && other.contains(foreign));
        assert!(!pool.contains(foreign) && pool.get(foreign).is_none() && pool.get_mut(foreign).is_none());
        assert_eq!(pool.remove(foreign), None);
        assert!(pool.ids().chain(pool.id_at(0)).all(|id| pool.contains(id) && !other.contains(id)));
        let clone = pool.clone();
        assert!(clone.contains(id) && clone.ids().all(|id| pool.contains(id)) && !clone.contains(foreign));
        assert_eq!(pool.remove(NumberId::from_bits(foreign.to_bits())), Some(1));
    }

    #[test]
    fn a_rebuilt_pool_goes_on_as_the_first_would() {
        let mut pool: Pool<u32, NumberId> = Pool::of(crate::new_origin());
        let ids: Vec<NumberId> = (0..6).map(|value| pool.insert(value)).collect();
        for place in [4, 1, 2] {
            pool.remove(ids[place]);
        }
        let mut other: Pool<u32, NumberId> = Pool::new();
        for value in 0..9 {
            other.insert(value);
        }
        other.rebuild(pool.origin(), pool.layout(), |index, value| *value = pool.get_at(index).copied());
        assert!(pool.iter().eq(other.iter()) && other.len() == 3 && other.contains(ids[0]) && !other.contains(ids[1]));
        for value in 10..15 {
            assert_eq!(pool.insert(value), other.insert(value));
        }
    }

    #[test]
    fn a_slot_out_of_generations_is_retired() {
        let mut pool: Pool<(), NumberId> = Pool::new();
        pool.insert(());
        pool.generations[0] = u32::MAX;
        assert!(pool.remove(NumberId::new(0, u32::MAX, 0)).is_some());
        assert_eq!(pool.insert(()), NumberId::new(1, 1, 0));
        assert!(!pool.contains(NumberId::new(0, u32::MAX, 0)));
    }

    #[test]
    #[should_panic(expected = "pool slot 4 is empty")]
    fn an_empty_slot_panics_with_its_index() {
        let pool: Pool<(), NumberId> = Pool::new();
        pool.at(4);
    }
}
