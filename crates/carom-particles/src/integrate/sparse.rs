//! The linear equations of the implicit integrators: A = M + h Kv + h² Kx, sparse.
//!
//! Which blocks of A can be non-zero depends on the forces alone, so the pattern, an elimination order with little
//! fill (approximate minimum degree, Amestoy, Davis and Duff 1996) and the place of every derivative block are worked
//! out once. Damped springs make A unsymmetric and compressed ones indefinite, hence LU with partial pivoting
//! (Gilbert and Peierls 1988). Ordering and factorisation are faer's, in its simplicial form: plain scalar arithmetic
//! in a fixed order, and so the same bits on every machine, which its supernodal form does not promise.
//!
//! Rows and columns of fixed particles are those of the identity.

use crate::forces::{DerivativeBlock, Force};
use crate::mat2::Mat2;
use crate::model::{Model, State};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::mat::MatMut;
use faer::perm::PermRef;
use faer::sparse::linalg::{amd, lu::simplicial};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Par};
use glam::DVec2;

/// A in compressed columns, with room for its factors.
#[derive(Clone, Debug)]
pub(crate) struct ImplicitSystem {
    /// Column starts and row indices of A in numbers rather than blocks.
    columns: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// For each particle its block on the diagonal, then for each block the forces hand over where it goes.
    diagonal: Vec<Place>,
    places: Vec<Option<Place>>,
    /// Elimination order of the columns, and its inverse.
    order: Vec<usize>,
    order_inverse: Vec<usize>,
    row_order: Vec<usize>,
    row_order_inverse: Vec<usize>,
    factors: simplicial::SimplicialLu<usize, f64>,
}

/// Where a 2 x 2 block lies among the values: its first column at `start`, its second `stride` later.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    stride: usize,
}

impl ImplicitSystem {
    /// Works out the pattern. Where particles are does not matter.
    pub(crate) fn new(model: &Model) -> ImplicitSystem {
        let count = model.masses.len();
        let state = State { positions: vec![DVec2::ZERO; count], velocities: vec![DVec2::ZERO; count] };
        let mut wanted = Vec::new();
        model.forces.add_derivatives(&model.masses, &state, &mut |block: DerivativeBlock| {
            wanted.push((block.column, block.row));
        });
        let is_kept = |&(column, row): &(usize, usize)| !model.is_fixed(column) && !model.is_fixed(row);
        let mut blocks: Vec<(usize, usize)> = wanted.iter().copied().filter(is_kept).collect();
        blocks.extend((0..count).map(|i| (i, i)));
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
        ImplicitSystem {
            columns,
            values: vec![0.0; rows.len()],
            rows,
            diagonal,
            places,
            order: by_numbers(&order),
            order_inverse: by_numbers(&order_inverse),
            row_order: vec![0; 2 * count],
            row_order_inverse: vec![0; 2 * count],
            factors: simplicial::SimplicialLu::new(),
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
        let size = 2 * b.len();
        if size == 0 {
            return;
        }
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &self.columns, None, &self.rows);
        let matrix = SparseColMatRef::new(pattern, &self.values[..]);
        let order = PermRef::new_checked(&self.order, &self.order_inverse, size);
        let for_factors = simplicial::factorize_simplicial_numeric_lu_scratch::<usize, f64>(size, size);
        let for_solution = simplicial::solve_in_place_scratch::<usize, f64>(size, 1, Par::Seq);
        let mut memory = MemBuffer::new(for_factors.or(for_solution));
        let factorized = simplicial::factorize_simplicial_numeric_lu(
            &mut self.row_order,
            &mut self.row_order_inverse,
            &mut self.factors,
            matrix,
            order,
            MemStack::new(&mut memory),
        );
        if factorized.is_err() {
            b.fill(DVec2::NAN);
            return;
        }
        let mut x: Vec<f64> = b.iter().flat_map(|b| [b.x, b.y]).collect();
        self.factors.solve_in_place_with_conj(
            PermRef::new_checked(&self.row_order, &self.row_order_inverse, size),
            order,
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut x, size, 1),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        for (b, x) in b.iter_mut().zip(x.chunks_exact(2)) {
            *b = DVec2::new(x[0], x[1]);
        }
    }
}

fn add(values: &mut [f64], place: Place, block: Mat2) {
    let [[a, b], [c, d]] = block.rows;
    values[place.start] += a;
    values[place.start + 1] += c;
    values[place.start + place.stride] += b;
    values[place.start + place.stride + 1] += d;
}

/// An order of the particles that keeps the factors sparse, and its inverse.
fn elimination_order(columns: &[usize], rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let count = columns.len() - 1;
    let mut order: Vec<usize> = (0..count).collect();
    let mut inverse = order.clone();
    let pattern = SymbolicSparseColMatRef::new_checked(count, count, columns, None, rows);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(count, rows.len()));
    let ordered = amd::order(&mut order, &mut inverse, pattern, amd::Control::default(), MemStack::new(&mut memory));
    if ordered.is_err() {
        // Too large to be counted: any order is right.
        order = (0..count).collect();
        inverse.clone_from(&order);
    }
    (order, inverse)
}

/// The order of the numbers, two for each particle.
fn by_numbers(order: &[usize]) -> Vec<usize> {
    order.iter().flat_map(|particle| [2 * particle, 2 * particle + 1]).collect()
}
