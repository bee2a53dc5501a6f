//! The linear equations of the implicit integrators: A = M + h Kv + h² Kx, sparse.
//!
//! Which blocks of A can be non-zero depends on the forces alone, so the pattern, an elimination order with little
//! fill and the place of every derivative block are worked out once.
//!
//! A tends to be close to positive definite: masses on the diagonal, and springs that pull. Then it can be solved
//! without pivoting, in an order and in dense pieces that are also known beforehand (`fronts.rs`), which is many times
//! faster for large systems. Springs that are compressed far enough make A indefinite; vortices and damping make it
//! unsymmetric. So every such solution is put to the test in A x = b, and computed again with pivoting (`pivoting.rs`)
//! where it fails. Small systems are always solved with pivoting: they are fast enough.
//!
//! Rows and columns of fixed particles are those of the identity.

use super::fronts::{Fronts, Symmetry};
use super::pivoting::{Pivoting, elimination_order};
use crate::forces::{DerivativeBlock, Force};
use crate::mat2::Mat2;
use crate::model::{Model, State};
use glam::DVec2;

/// How the linear equations of the implicit integrators are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EquationSolver {
    /// Fast where that is safe, with pivoting elsewhere and in systems of fewer than 64 particles. Solutions agree
    /// with the other's to rounding.
    #[default]
    Automatic,
    /// Always with pivoting.
    Pivoting,
}

/// Fewer particles than this are solved with pivoting whatever the choice.
const MIN_PARTICLES_FOR_FRONTS: usize = 64;
/// How far A x may be from b at a particle, of the sum of its terms' sizes. Pivoting reaches 1e-15 or so.
const MAX_RESIDUAL: f64 = 1e-13;
/// How often a solution may be improved by solving for its residual.
const MAX_REFINEMENTS: usize = 2;

/// A in compressed columns, with room for its factors.
#[derive(Clone, Debug)]
pub(crate) struct ImplicitSystem {
    pattern: Pattern,
    values: Vec<f64>,
    /// For each particle its block on the diagonal, then for each block the forces hand over where it goes.
    diagonal: Vec<Place>,
    places: Vec<Option<Place>>,
    /// Blocks beside the diagonal and their mirror images.
    mirrored: Vec<[Place; 2]>,
    fronts: Option<Fronts>,
    pivoting: Pivoting,
    /// The solution that is put to the test, and what it misses.
    x: Vec<DVec2>,
    residual: Vec<DVec2>,
    sizes: Vec<f64>,
}

/// Column starts and row indices of A, in numbers rather than blocks.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) columns: Vec<usize>,
    pub(super) rows: Vec<usize>,
}

/// Where a 2 x 2 block lies among the values: its first column at `start`, its second `stride` later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) stride: usize,
}

impl ImplicitSystem {
    /// Works out the pattern. Where particles are does not matter.
    pub(crate) fn new(model: &Model, solver: EquationSolver) -> ImplicitSystem {
        let count = model.masses.len();
        let state = State { positions: vec![DVec2::ZERO; count], velocities: vec![DVec2::ZERO; count] };
        let mut wanted = Vec::new();
        model.forces.add_derivatives(&model.masses, &state, &mut |block: DerivativeBlock| {
            wanted.push((block.column, block.row));
        });
        let is_kept = |&(column, row): &(usize, usize)| !model.is_fixed(column) && !model.is_fixed(row);
        let mut blocks: Vec<(usize, usize)> = wanted.iter().copied().filter(is_kept).collect();
        blocks.extend((0..count).map(|i| (i, i)));
        ImplicitSystem::of_blocks(count, blocks, &wanted, solver)
    }

    /// The same for given blocks, as (column, row), and the order in which blocks will be handed over.
    fn of_blocks(
        count: usize,
        mut blocks: Vec<(usize, usize)>,
        wanted: &[(usize, usize)],
        solver: EquationSolver,
    ) -> ImplicitSystem {
        blocks.sort_unstable();
        blocks.dedup();
        let mut block_columns = vec![0; count + 1];
        for &(column, _) in &blocks {
            block_columns[column + 1] += 1;
        }
        for column in 0..count {
            block_columns[column + 1] += block_columns[column];
        }
        let block_rows: Vec<usize> = blocks.iter().map(|&(_, row)| row).collect();

        let place = |key: &(usize, usize)| {
            let index = blocks.binary_search(key).ok()?;
            let first = block_columns[key.0];
            let stride = 2 * (block_columns[key.0 + 1] - first);
            Some(Place { start: 4 * first + 2 * (index - first), stride })
        };
        let places = wanted.iter().map(place).collect();
        let diagonal = (0..count).filter_map(|i| place(&(i, i))).collect();

        let (order, order_inverse) = elimination_order(&block_columns, &block_rows);
        let mut columns = vec![0];
        let mut rows = Vec::with_capacity(4 * blocks.len());
        for column in 0..count {
            for _ in 0..2 {
                let block_rows = &block_rows[block_columns[column]..block_columns[column + 1]];
                rows.extend(block_rows.iter().flat_map(|row| [2 * row, 2 * row + 1]));
                columns.push(rows.len());
            }
        }
        // A block without a mirror image, which no force has, would make fronts as wrong as a zero beside it.
        let mirrored: Option<Vec<[Place; 2]>> = blocks
            .iter()
            .filter(|(column, row)| column != row)
            .map(|&(column, row)| Some([place(&(column, row))?, place(&(row, column))?]))
            .collect();
        let is_large = count >= MIN_PARTICLES_FOR_FRONTS && solver == EquationSolver::Automatic;
        let fronts = match &mirrored {
            Some(_) if is_large => {
                let placed = blocks.iter().filter_map(|key| Some((key.0, key.1, place(key)?)));
                Some(Fronts::new(&order, placed.collect()))
            }
            _ => None,
        };
        ImplicitSystem {
            values: vec![0.0; rows.len()],
            pattern: Pattern { columns, rows },
            diagonal,
            places,
            mirrored: mirrored.unwrap_or_default(),
            fronts,
            pivoting: Pivoting::new(&order, &order_inverse),
            x: Vec::new(),
            residual: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Sets A for a state and a step of h seconds.
    pub(crate) fn assemble(&mut self, model: &Model, state: &State, h: f64) {
        let ImplicitSystem { values, diagonal, places, .. } = self;
        values.fill(0.0);
        for (i, &place) in diagonal.iter().enumerate() {
            let mass = if model.is_fixed(i) { 1.0 } else { model.masses[i] };
            add(values, place, Mat2::IDENTITY * mass);
        }
        let mut places = places.iter();
        model.forces.add_derivatives(&model.masses, state, &mut |block: DerivativeBlock| {
            if let Some(&Some(place)) = places.next() {
                add(values, place, block.kv * h + block.kx * (h * h));
            }
        });
    }

    /// Replaces b by the solution x of A x = b; all NaN if there is none.
    pub(crate) fn solve(&mut self, b: &mut [DVec2]) {
        if !self.solve_by_fronts(b) {
            self.pivoting.solve(&self.pattern, &self.values, b);
        }
    }

    /// Replaces b by the solution if that can be had without pivoting.
    fn solve_by_fronts(&mut self, b: &mut [DVec2]) -> bool {
        let symmetry = self.symmetry();
        let Some(fronts) = &mut self.fronts else { return false };
        if !fronts.factorise(&self.values, symmetry) {
            return false;
        }
        self.x.clear();
        self.x.extend_from_slice(b);
        fronts.solve(&mut self.x);
        for refinement in 0..=MAX_REFINEMENTS {
            if self.has_small_residual(b) {
                b.copy_from_slice(&self.x);
                return true;
            }
            if let Some(fronts) = &self.fronts
                && refinement < MAX_REFINEMENTS
            {
                fronts.solve(&mut self.residual);
                super::add_scaled(&mut self.x, 1.0, &self.residual);
            }
        }
        false
    }

    /// Is A equal to its transpose, to the bit?
    fn symmetry(&self) -> Symmetry {
        let block = |place: Place| {
            let (first, second) = (place.start, place.start + place.stride);
            [self.values[first], self.values[first + 1], self.values[second], self.values[second + 1]]
        };
        let on_diagonal = self.diagonal.iter().all(|&place| block(place)[1] == block(place)[2]);
        let is_symmetric = on_diagonal
            && self.mirrored.iter().all(|&[place, mirror]| {
                let ([a, b, c, d], [e, f, g, h]) = (block(place), block(mirror));
                a == e && b == g && c == f && d == h
            });
        if is_symmetric { Symmetry::Symmetric } else { Symmetry::General }
    }

    /// Sets the residual b - A x of the present solution. Is it small, particle by particle?
    ///
    /// By particle rather than by number, since what rounding leaves across the direction of all forces is small beside
    /// the motion along it and nothing else.
    fn has_small_residual(&mut self, b: &[DVec2]) -> bool {
        let ImplicitSystem { pattern, values, x, residual, sizes, .. } = self;
        let size_of = |v: DVec2| v.x.abs() + v.y.abs();
        residual.clear();
        residual.extend_from_slice(b);
        sizes.clear();
        sizes.extend(b.iter().map(|&b| size_of(b)));
        for (column, &x) in x.iter().enumerate() {
            // The two columns of a particle have the same rows, and these come in pairs, too.
            let [first, second, end] = [0, 1, 2].map(|offset| pattern.columns[2 * column + offset]);
            for (left, right) in (first..second).step_by(2).zip((second..end).step_by(2)) {
                let row = pattern.rows[left] / 2;
                let left = DVec2::new(values[left], values[left + 1]);
                let right = DVec2::new(values[right], values[right + 1]);
                residual[row] -= left * x.x + right * x.y;
                sizes[row] += (size_of(left) + size_of(right)) * size_of(x);
            }
        }
        // Also false if there are numbers that are none.
        residual.iter().zip(sizes).all(|(&residual, &mut size)| size_of(residual) <= MAX_RESIDUAL * size)
    }
}

fn add(values: &mut [f64], place: Place, block: Mat2) {
    let [[a, b], [c, d]] = block.rows;
    values[place.start] += a;
    values[place.start + 1] += c;
    values[place.start + place.stride] += b;
    values[place.start + place.stride + 1] += d;
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;

    /// Equations with random blocks, mirrored or not, on a random pattern.
    fn random_system(rng: &mut Rng, count: usize, symmetry: Symmetry, diagonal: f64) -> ImplicitSystem {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for i in 0..count {
            // Mostly near in number, some far; some particles are joined to nothing.
            for _ in 0..rng.below(4) {
                let reach = if rng.below(8) == 0 { count } else { 12 };
                let j = (i + 1 + rng.below(reach as u32) as usize) % count;
                pairs.push((i, j));
            }
        }
        let mut blocks: Vec<(usize, usize)> = (0..count).map(|i| (i, i)).collect();
        blocks.extend(pairs.iter().flat_map(|&(i, j)| [(i, j), (j, i)]));
        let mut system = ImplicitSystem::of_blocks(count, blocks, &[], EquationSolver::Automatic);
        let mut signed = || 2.0 * rng.f64() - 1.0;
        let mut random = || Mat2 { rows: [[signed(), signed()], [signed(), signed()]] };
        let transposed = |Mat2 { rows: [[a, b], [c, d]] }: Mat2| Mat2 { rows: [[a, c], [b, d]] };
        for &[place, mirror] in &system.mirrored {
            if place.start < mirror.start {
                let block = random();
                add(&mut system.values, place, block);
                let opposite = if symmetry == Symmetry::Symmetric { transposed(block) } else { random() };
                add(&mut system.values, mirror, opposite);
            }
        }
        for &place in &system.diagonal {
            let block = random();
            let block = if symmetry == Symmetry::Symmetric { block + transposed(block) } else { block };
            add(&mut system.values, place, block + Mat2::IDENTITY * diagonal);
        }
        system
    }

    fn random_vector(rng: &mut Rng, count: usize) -> Vec<DVec2> {
        (0..count).map(|_| DVec2::new(2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0)).collect()
    }

    /// The largest difference of two solutions, of the largest number in the second.
    fn apart(a: &[DVec2], b: &[DVec2]) -> f64 {
        let largest = |numbers: &mut dyn Iterator<Item = DVec2>| {
            numbers.map(|v| v.abs().max_element()).fold(0.0, |max, v| if v <= max { max } else { v })
        };
        largest(&mut a.iter().zip(b).map(|(a, b)| *a - *b)) / largest(&mut b.iter().copied())
    }

    #[test]
    fn fronts_give_what_pivoting_gives() {
        let mut rng = Rng::new(1);
        for round in 0..60 {
            let count = MIN_PARTICLES_FOR_FRONTS + 7 * round;
            let symmetry = if round % 2 == 0 { Symmetry::Symmetric } else { Symmetry::General };
            let mut system = random_system(&mut rng, count, symmetry, 20.0);
            assert_eq!(system.symmetry(), symmetry);
            let b = random_vector(&mut rng, count);
            let (mut fast, mut safe) = (b.clone(), b.clone());
            assert!(system.solve_by_fronts(&mut fast), "round {round}: a dominant diagonal needs no pivoting");
            system.pivoting.solve(&system.pattern, &system.values, &mut safe);
            let apart = apart(&fast, &safe);
            assert!(apart < 1e-12, "round {round}: {apart:e} apart");
        }
    }

    #[test]
    fn factors_are_made_anew_for_each_matrix() {
        let mut rng = Rng::new(2);
        let mut system = random_system(&mut rng, 200, Symmetry::General, 20.0);
        let mut other = system.clone();
        let b = random_vector(&mut rng, 200);
        let (mut first, mut again) = (b.clone(), b.clone());
        system.solve(&mut first);
        // Another matrix, symmetric, in between.
        let values = std::mem::take(&mut system.values);
        system.values = values.iter().map(|_| 0.0).collect();
        for place in system.diagonal.clone() {
            add(&mut system.values, place, Mat2::IDENTITY * 2.0);
        }
        let mut half = b.clone();
        system.solve(&mut half);
        assert!(half.iter().zip(&b).all(|(half, b)| *half == 0.5 * *b));
        system.values = values;
        system.solve(&mut again);
        assert_eq!(first, again);
        let mut fresh = b;
        other.solve(&mut fresh);
        assert_eq!(first, fresh);
    }

    #[test]
    fn what_needs_pivoting_gets_it() {
        let mut rng = Rng::new(3);
        for round in 0..40 {
            let symmetry = if round % 2 == 0 { Symmetry::Symmetric } else { Symmetry::General };
            // No more weight on the diagonal than anywhere else: indefinite, with small pivots.
            let mut system = random_system(&mut rng, 150, symmetry, 0.0);
            if round % 4 < 2 {
                // Zeros on the diagonal cannot be divided by at all.
                for place in system.diagonal.clone() {
                    system.values[place.start] = 0.0;
                    system.values[place.start + place.stride + 1] = 0.0;
                    system.values[place.start + 1] += 1.0;
                    system.values[place.start + place.stride] += 1.0;
                }
            }
            let b = random_vector(&mut rng, 150);
            let mut x = b.clone();
            system.solve(&mut x);
            system.x = x;
            assert!(system.has_small_residual(&b), "round {round}");
        }
    }

    #[test]
    fn numbers_that_are_none_come_out_as_such() {
        let mut rng = Rng::new(4);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut system = random_system(&mut rng, 100, Symmetry::Symmetric, 20.0);
            system.values[0] = bad;
            let mut x = random_vector(&mut rng, 100);
            assert!(!system.solve_by_fronts(&mut x.clone()), "{bad}");
            system.solve(&mut x);
        }
        let mut singular = random_system(&mut rng, 100, Symmetry::Symmetric, 20.0);
        singular.values.fill(0.0);
        let mut x = random_vector(&mut rng, 100);
        singular.solve(&mut x);
        assert!(x.iter().all(|x| !x.is_finite()));
    }

    #[test]
    fn small_systems_are_solved_with_pivoting() {
        let mut rng = Rng::new(5);
        let mut system = random_system(&mut rng, MIN_PARTICLES_FOR_FRONTS - 1, Symmetry::General, 20.0);
        assert!(!system.solve_by_fronts(&mut random_vector(&mut rng, MIN_PARTICLES_FOR_FRONTS - 1)));
    }
}
