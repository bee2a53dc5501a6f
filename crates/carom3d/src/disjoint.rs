//! Disjoint sets of movers.

/// Which movers belong together. The lowest of a set stands for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Makes every mover a set of its own.
    pub(crate) fn clear(&mut self, movers: usize) {
        self.parents.clear();
        self.parents.extend(0..movers as u32);
    }

    /// The mover that stands for the set of a mover.
    pub(crate) fn root(&mut self, mut mover: u32) -> u32 {
        while self.parents[mover as usize] != mover {
            let above = self.parents[mover as usize];
            self.parents[mover as usize] = self.parents[above as usize];
            mover = above;
        }
        mover
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
