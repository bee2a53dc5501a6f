//! Which movers hang together by resting contacts, and which of these islands are crowds.

use crate::disjoint::DisjointSets;

/// Islands with more resting contacts than this are crowds.
pub(crate) const LEAST_CONTACTS: u32 = 256;

/// Islands of movers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestIslands {
    islands: DisjointSets,
    /// Resting contacts of an island, by its root.
    counts: Vec<u32>,
}

impl RestIslands {
    /// Makes every mover an island of its own.
    pub(crate) fn clear(&mut self, movers: usize) {
        self.islands.clear(movers);
        self.counts.clear();
        self.counts.resize(movers, 0);
    }

    /// Makes one island of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        self.islands.join(a, b);
    }

    /// Counts a contact of a mover, after all were joined.
    pub(crate) fn count(&mut self, mover: u32) {
        let root = self.islands.root(mover) as usize;
        self.counts[root] = self.counts[root].saturating_add(1);
    }

    /// Leaves the island of a mover to the balance, after all contacts were counted.
    pub(crate) fn exclude(&mut self, mover: u32) {
        let root = self.islands.root(mover) as usize;
        self.counts[root] = 0;
    }

    /// Whether the island of a mover is a crowd.
    pub(crate) fn is_crowd(&mut self, mover: u32) -> bool {
        let root = self.islands.root(mover) as usize;
        self.counts[root] > LEAST_CONTACTS
    }
}
