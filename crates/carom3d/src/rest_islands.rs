//! Which movers hang together by resting contacts, and which of these islands are crowds.

/// Islands with more resting contacts than this are crowds.
pub(crate) const LEAST_CONTACTS: u32 = 256;

/// Disjoint sets of movers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestIslands {
    parents: Vec<u32>,
    /// Resting contacts of an island, by its root.
    counts: Vec<u32>,
}

impl RestIslands {
    /// Makes every mover an island of its own.
    pub(crate) fn clear(&mut self, movers: usize) {
        self.parents.clear();
        self.parents.extend(0..movers as u32);
        self.counts.clear();
        self.counts.resize(movers, 0);
    }

    fn root(&mut self, mut mover: u32) -> u32 {
        while self.parents[mover as usize] != mover {
            let above = self.parents[mover as usize];
            self.parents[mover as usize] = self.parents[above as usize];
            mover = above;
        }
        mover
    }

    /// Makes one island of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Counts a contact of a mover, after all were joined.
    pub(crate) fn count(&mut self, mover: u32) {
        let root = self.root(mover) as usize;
        self.counts[root] = self.counts[root].saturating_add(1);
    }

    /// Leaves the island of a mover to the balance, after all contacts were counted.
    pub(crate) fn exclude(&mut self, mover: u32) {
        let root = self.root(mover) as usize;
        self.counts[root] = 0;
    }

    /// Whether the island of a mover is a crowd.
    pub(crate) fn is_crowd(&mut self, mover: u32) -> bool {
        let root = self.root(mover) as usize;
        self.counts[root] > LEAST_CONTACTS
    }
}
