//! A map keyed by unordered pairs.

/// The key of an empty cell: the pair (`u32::MAX`, `u32::MAX`), which no caller may use.
const EMPTY: u64 = u64::MAX;
const FIRST_CAPACITY: usize = 16;

/// A map from an unordered pair of `u32` to a `u32`: "which contact do these two shapes have?"
///
/// Open addressing with linear probing, at most half full. Removal shifts the following cells back, so there are no
/// tombstones and a long-lived map stays as fast as a fresh one. It cannot be iterated, so the order of its cells
/// can never leak into a result.
#[derive(Clone, Debug, Default)]
pub struct PairSet {
    /// A power of two long, or empty.
    keys: Vec<u64>,
    values: Vec<u32>,
    len: usize,
}

#[inline]
fn key_of(a: u32, b: u32) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    u64::from(low) << 32 | u64::from(high)
}

/// Spreads every bit of the key over the low bits: two rounds of multiply and fold.
#[inline]
fn mix(key: u64) -> u64 {
    let mut h = key ^ (key >> 32);
    h = h.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h ^= h >> 29;
    h = h.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h ^ (h >> 32)
}

impl PairSet {
    /// An empty map. Allocates at the first insertion.
    pub const fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new(), len: 0 }
    }

    /// Adds the pair unless it is there already; then it returns `false` and keeps the old value.
    ///
    /// The two may be equal, but not both `u32::MAX`.
    pub fn insert(&mut self, a: u32, b: u32, value: u32) -> bool {
        let key = key_of(a, b);
        assert!(key != EMPTY, "the pair of u32::MAX with itself is reserved");
        if (self.len + 1) * 2 > self.keys.len() {
            self.grow();
        }
        let cell = self.cell_of(key);
        if self.keys[cell] == key {
            return false;
        }
        self.keys[cell] = key;
        self.values[cell] = value;
        self.len += 1;
        true
    }

    /// Removes the pair and returns its value.
    pub fn remove(&mut self, a: u32, b: u32) -> Option<u32> {
        let mut hole = self.find(key_of(a, b))?;
        let removed = self.values[hole];
        let wrap = self.keys.len() - 1;
        // Close the gap: walk the run after the hole and move back each cell that may sit in the hole, that is, whose
        // home is not between the hole (exclusive) and the cell itself, going round the end of the table.
        let mut cell = hole;
        loop {
            cell = (cell + 1) & wrap;
            let key = self.keys[cell];
            if key == EMPTY {
                break;
            }
            let home = mix(key) as usize & wrap;
            let from_home = cell.wrapping_sub(home) & wrap;
            let from_hole = cell.wrapping_sub(hole) & wrap;
            if from_home >= from_hole {
                self.keys[hole] = key;
                self.values[hole] = self.values[cell];
                hole = cell;
            }
        }
        self.keys[hole] = EMPTY;
        self.len -= 1;
        Some(removed)
    }

    /// The value of the pair.
    #[inline]
    pub fn get(&self, a: u32, b: u32) -> Option<u32> {
        self.find(key_of(a, b)).map(|cell| self.values[cell])
    }

    /// Whether the pair is there.
    #[inline]
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.find(key_of(a, b)).is_some()
    }

    /// The key in the cell where the search for a pair begins: to be fetched ahead. It may be that of another pair.
    #[inline]
    pub fn home(&self, a: u32, b: u32) -> Option<&u64> {
        self.keys.get(mix(key_of(a, b)) as usize & self.keys.len().wrapping_sub(1))
    }

    /// The number of pairs.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no pair.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes every pair and keeps the memory.
    pub fn clear(&mut self) {
        self.keys.fill(EMPTY);
        self.len = 0;
    }

    #[inline]
    fn find(&self, key: u64) -> Option<usize> {
        if self.len == 0 || key == EMPTY {
            return None;
        }
        let cell = self.cell_of(key);
        (self.keys[cell] == key).then_some(cell)
    }

    /// The cell that holds the key, or the empty one where it would go. The table must not be empty or full.
    #[inline]
    fn cell_of(&self, key: u64) -> usize {
        let wrap = self.keys.len() - 1;
        let mut cell = mix(key) as usize & wrap;
        while self.keys[cell] != key && self.keys[cell] != EMPTY {
            cell = (cell + 1) & wrap;
        }
        cell
    }

    fn grow(&mut self) {
        let capacity = (self.keys.len() * 2).max(FIRST_CAPACITY);
        let old_keys = std::mem::replace(&mut self.keys, vec![EMPTY; capacity]);
        let old_values = std::mem::replace(&mut self.values, vec![0; capacity]);
        for (key, value) in old_keys.into_iter().zip(old_values) {
            if key != EMPTY {
                let cell = self.cell_of(key);
                self.keys[cell] = key;
                self.values[cell] = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Rng;

    #[test]
    fn behaves_like_a_sorted_map() {
        let mut rng = Rng::new(2);
        let mut set = PairSet::new();
        let mut model: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        // Few enough different pairs that all operations hit; growing and shrinking phases.
        for round in 0..60_000 {
            let (a, b) = (rng.below(60), rng.below(60));
            let key = (a.min(b), a.max(b));
            if rng.below(100) < if round % 20_000 < 10_000 { 65 } else { 35 } {
                let value = rng.next_u32();
                let fresh = !model.contains_key(&key);
                assert_eq!(set.insert(a, b, value), fresh);
                model.entry(key).or_insert(value);
            } else {
                assert_eq!(set.remove(a, b), model.remove(&key));
            }
            assert_eq!(set.len(), model.len());
            let (a, b) = (rng.below(60), rng.below(60));
            assert_eq!(set.get(a, b), model.get(&(a.min(b), a.max(b))).copied());
            assert_eq!(set.contains(a, b), set.contains(b, a));
            if round % 5000 == 0 {
                for a in 0..60 {
                    for b in a..60 {
                        assert_eq!(set.get(a, b), model.get(&(a, b)).copied());
                    }
                }
            }
        }
        set.clear();
        assert!(set.is_empty() && !set.contains(1, 2) && set.insert(1, 2, 3));
    }

    #[test]
    fn runs_stay_short_for_neighbouring_keys() {
        // The pairs of a big pyramid: each index with the next few.
        let mut set = PairSet::new();
        for a in 0..20_000 {
            for step in 1..4 {
                set.insert(a, a + step, a);
            }
        }
        let wrap = set.keys.len() - 1;
        let mut total = 0;
        let mut longest = 0;
        for (cell, &key) in set.keys.iter().enumerate() {
            if key != EMPTY {
                let distance = cell.wrapping_sub(mix(key) as usize) & wrap;
                total += distance;
                longest = longest.max(distance);
            }
        }
        assert!(total < set.len(), "mean probe distance {}", total as f64 / set.len() as f64);
        assert!(longest < 64, "longest probe {longest}");
    }

    #[test]
    fn the_reserved_pair_is_never_there() {
        let mut set = PairSet::new();
        set.insert(1, 1, 5);
        assert_eq!(set.get(1, 1), Some(5));
        assert!(!set.contains(u32::MAX, u32::MAX));
        assert!(set.insert(u32::MAX, 0, 6) && set.get(0, u32::MAX) == Some(6));
    }
}
