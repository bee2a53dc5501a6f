//! LU with partial pivoting (Gilbert and Peierls 1988): slow, and safe for any matrix that can be solved at all.
//!
//! Ordering and factorisation are faer's, in its simplicial form: plain scalar arithmetic in a fixed order, and so the
//! same bits on every machine, which its supernodal form does not promise.

use super::sparse::Pattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::mat::MatMut;
use faer::perm::PermRef;
use faer::sparse::linalg::{amd, lu::simplicial};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Par};
use glam::DVec2;

/// Room for the factors, and the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Pivoting {
    /// Elimination order of the columns, and its inverse.
    order: Vec<usize>,
    order_inverse: Vec<usize>,
    row_order: Vec<usize>,
    row_order_inverse: Vec<usize>,
    factors: simplicial::SimplicialLu<usize, f64>,
}

impl Pivoting {
    pub(super) fn new(order: &[usize], order_inverse: &[usize]) -> Pivoting {
        Pivoting {
            order: by_numbers(order),
            order_inverse: by_numbers(order_inverse),
            row_order: vec![0; 2 * order.len()],
            row_order_inverse: vec![0; 2 * order.len()],
            factors: simplicial::SimplicialLu::new(),
        }
    }

    /// Replaces b by the solution x of A x = b; all NaN if there is none.
    pub(super) fn solve(&mut self, pattern: &Pattern, values: &[f64], b: &mut [DVec2]) {
        let size = 2 * b.len();
        if size == 0 {
            return;
        }
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &pattern.columns, None, &pattern.rows);
        let matrix = SparseColMatRef::new(pattern, values);
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

/// An order of the particles that keeps the factors sparse (approximate minimum degree, Amestoy, Davis and Duff 1996),
/// and its inverse.
pub(super) fn elimination_order(columns: &[usize], rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
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
