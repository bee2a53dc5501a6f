//! A set of small numbers.

/// A set of `u32`, one bit for every number up to the largest that was ever in it: "which contacts are awake?"
///
/// Iterates in ascending order, so that what is stored by these numbers is visited from front to back, and absent
/// numbers are passed over 64 at a time.
#[derive(Clone, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// An empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new(), len: 0 }
    }

    /// Adds a number; false if it was there already.
    pub fn insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1 << (number % 64);
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// Removes a number; false if it was not there.
    pub fn remove(&mut self, number: u32) -> bool {
        let was_there = self.contains(number);
        if was_there {
            self.words[number as usize / 64] &= !(1 << (number % 64));
            self.len -= 1;
        }
        was_there
    }

    /// Removes every number and keeps the memory.
    pub fn clear(&mut self) {
        if self.len > 0 {
            self.words.fill(0);
            self.len = 0;
        }
    }

    /// Whether a number is there.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// The numbers in ascending order.
    #[inline]
    pub fn iter(&self) -> BitSetIter<'_> {
        BitSetIter { words: &self.words, place: 0, left: self.words.first().copied().unwrap_or(0) }
    }

    /// Those from `64 * first` on and below `64 * end`, likewise.
    #[inline]
    pub fn iter_words(&self, first: usize, end: usize) -> BitSetIter<'_> {
        let words = &self.words[..end.min(self.words.len())];
        BitSetIter { words, place: first, left: words.get(first).copied().unwrap_or(0) }
    }

    /// How many numbers there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The numbers of a [`BitSet`] in ascending order.
#[derive(Clone, Debug)]
pub struct BitSetIter<'a> {
    words: &'a [u64],
    /// The word at hand, and those of its bits that are still to come.
    place: usize,
    left: u64,
}

impl Iterator for BitSetIter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.left == 0 {
            self.place += 1;
            self.left = *self.words.get(self.place)?;
        }
        let bit = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(self.place as u32 * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Rng;

    #[test]
    fn behaves_like_a_sorted_set() {
        let mut rng = Rng::new(5);
        let mut set = BitSet::new();
        let mut model: BTreeSet<u32> = BTreeSet::new();
        for round in 0..20_000 {
            let number = rng.below(300);
            if rng.below(100) < if round % 4000 < 2000 { 60 } else { 40 } {
                assert_eq!(set.insert(number), model.insert(number));
            } else {
                assert_eq!(set.remove(number), model.remove(&number));
            }
            assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
            assert_eq!(set.contains(number), model.contains(&number));
            if round % 100 == 0 {
                assert!(set.iter().eq(model.iter().copied()));
            }
        }
        assert!(!set.contains(u32::MAX) && !set.remove(u32::MAX));
        set.clear();
        assert!(set.is_empty() && set.iter().next().is_none());
    }
}
