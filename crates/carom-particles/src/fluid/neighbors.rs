//! Neighbours: particles sorted by the cell of a grid they are in.
//!
//! Cells are as wide as the kernel, so that all neighbours are in nine of them, three rows of three. Cells are sorted by
//! row, then column, then particle: three cells of a row lie side by side, wherever the particles are, and the order is
//! the same on every machine.

use glam::DVec2;

/// A particle with its cell: row, column, index.
type Entry = (i64, i64, u32);

/// Lists of neighbours, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbors {
    entries: Vec<Entry>,
    /// Where the list of each particle begins; one more at the end.
    first: Vec<usize>,
    of: Vec<u32>,
}

impl Neighbors {
    /// Finds all pairs nearer than `support`. A particle that is nowhere has no neighbours.
    pub(crate) fn find(&mut self, positions: &[DVec2], support: f64) {
        // A cast of what is too large gives the largest number.
        let cell = |x: f64| (x / support).floor() as i64;
        self.entries.clear();
        let placed = positions.iter().enumerate().filter(|(_, p)| p.is_finite());
        self.entries.extend(placed.map(|(i, p)| (cell(p.y), cell(p.x), i as u32)));
        self.entries.sort_unstable();

        self.first.clear();
        self.of.clear();
        for (i, p) in positions.iter().enumerate() {
            self.first.push(self.of.len());
            if !p.is_finite() {
                continue;
            }
            let (row, column) = (cell(p.y), cell(p.x));
            for row in row.saturating_sub(1)..=row.saturating_add(1) {
                let from = self.entries.partition_point(|&(y, x, _)| (y, x) < (row, column.saturating_sub(1)));
                let until = (row, column.saturating_add(1));
                for &(_, _, j) in self.entries[from..].iter().take_while(|&&(y, x, _)| (y, x) <= until) {
                    if j as usize != i && (*p - positions[j as usize]).length_squared() < support * support {
                        self.of.push(j);
                    }
                }
            }
        }
        self.first.push(self.of.len());
    }

    /// Where the list of a particle lies among all lists.
    pub(crate) fn range(&self, particle: usize) -> std::ops::Range<usize> {
        self.first[particle]..self.first[particle + 1]
    }

    /// All lists, one after the other.
    pub(crate) fn all(&self) -> &[u32] {
        &self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;
    use glam::dvec2;

    #[test]
    fn finds_what_brute_force_finds() {
        let mut rng = Rng::new(5);
        for round in 0..20 {
            let spread = [0.5, 3.0, 40.0][round % 3];
            let mut place = || dvec2(rng.range(-spread, spread).into(), rng.range(-spread, spread).into());
            let mut positions: Vec<DVec2> = (0..150).map(|_| place()).collect();
            positions[7] = DVec2::NAN;
            positions[9] = dvec2(1.0e300, 0.0);
            positions[11] = dvec2(f64::INFINITY, 0.0);
            let mut neighbors = Neighbors::default();
            neighbors.find(&positions, 1.0);
            for i in 0..positions.len() {
                let mut found = neighbors.all()[neighbors.range(i)].to_vec();
                found.sort_unstable();
                let near = |j: &u32| *j as usize != i && (positions[i] - positions[*j as usize]).length_squared() < 1.0;
                let expected: Vec<u32> = (0..positions.len() as u32).filter(near).collect();
                assert_eq!(found, expected);
            }
        }
    }
}
