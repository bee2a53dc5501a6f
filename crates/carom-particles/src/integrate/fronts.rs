//! A = L D Lᵀ or A = L U without pivoting, by dense pieces of the matrix (the multifrontal method; Duff and Reid 1983,
//! J. Liu, "The multifrontal method for sparse matrix solution", 1992).
//!
//! Particles are eliminated in a given order. Those that are eliminated in a row and have the same neighbours left go
//! together: they and these neighbours make a *front*, a small dense matrix. It is filled with the entries of A in the
//! rows and columns to be eliminated and with what is left of fronts before it; after the elimination, what remains
//! for the neighbours is handed to the front in which the first of them is eliminated. The fronts thus form a tree,
//! and in the order of a walk through it from the leaves, what is handed over can wait on a stack.
//!
//! All that depends on the pattern alone is worked out once. The arithmetic runs down whole columns, which compilers
//! make wide; each number is still computed by the same operations in the same order: the same bits everywhere.
//!
//! There is a place in the order for each particle, a *position*; fronts count in blocks of 2 x 2, the arithmetic in
//! single numbers.

use super::sparse::Place;
use glam::DVec2;
use std::ops::Range;

/// Whether A is equal to its transpose; if so, half of the work is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    Symmetric,
    General,
}

/// A pivot this much smaller than an entry below it is not safe to divide by.
const MIN_PIVOT: f64 = 1e-8;

/// Neighbouring fronts are made one if it has at most so many pivots and so large a share of zeros to compute with:
/// larger fronts are faster per number. After CHOLMOD's relaxed supernodes, with blocks in place of numbers.
const RELAXED: [(usize, f64); 3] = [(2, 1.0), (8, 0.5), (24, 0.15)];
/// The share of zeros that any front may have.
const RELAXED_ANY: f64 = 0.05;

const NONE: u32 = u32::MAX;

/// The fronts of a pattern, with room for the factors.
#[derive(Clone, Debug)]
pub(super) struct Fronts {
    /// The particle at each position.
    order: Vec<usize>,
    fronts: Vec<Front>,
    /// Positions of the rows of all fronts.
    rows: Vec<u32>,
    /// Where the rows that a front hands over lie in the front that takes them.
    targets: Vec<u32>,
    entries: Vec<Entry>,

    symmetry: Symmetry,
    /// By front and pivot, a column of L with the inverse pivot on its diagonal.
    lower: Vec<f64>,
    /// By front and pivot, a row of U; empty if A is symmetric.
    upper: Vec<f64>,
    front: Vec<f64>,
    waiting: Vec<f64>,
}

/// Some particles that are eliminated together, and where their data are.
#[derive(Clone, Debug)]
struct Front {
    /// How many of the rows, from the first, are eliminated.
    pivots: usize,
    rows: Range<usize>,
    /// As many as the rows that are not eliminated.
    targets: Range<usize>,
    entries: Range<usize>,
    /// How many fronts hand over to this one.
    children: usize,
    /// Where its columns of L begin, and its rows of U.
    factor: usize,
}

/// A block of A and where in its front it belongs.
#[derive(Clone, Copy, Debug)]
struct Entry {
    place: Place,
    row: u32,
    column: u32,
}

impl Fronts {
    /// Works out the fronts for an elimination order of the particles and the blocks of A as (column, row, place).
    pub(super) fn new(order: &[usize], blocks: Vec<(usize, usize, Place)>) -> Fronts {
        let count = order.len();
        let (order, neighbours, parents) = walk_order(order, &blocks);
        let mut position = vec![0u32; count];
        for (k, &particle) in (0u32..).zip(&order) {
            position[particle] = k;
        }

        let mut fronts: Vec<Front> = Vec::new();
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        let mut front_of = vec![NONE; count];
        for (index, (pivots, front_rows)) in (0u32..).zip(dense_pieces(&neighbours, &parents)) {
            front_of[front_rows[0] as usize..][..pivots].fill(index);
            let start = rows.len();
            rows.extend(front_rows);
            let (none, no_entries) = (targets.len()..targets.len(), 0..0);
            fronts.push(Front {
                pivots,
                rows: start..rows.len(),
                targets: none,
                entries: no_entries,
                children: 0,
                factor: 0,
            });
        }
        let mut factor = 0;
        for index in 0..fronts.len() {
            let (pivots, range) = (fronts[index].pivots, fronts[index].rows.clone());
            fronts[index].factor = factor;
            factor += 2 * pivots * 2 * range.len();
            let start = targets.len();
            let handed_over = &rows[range.start + pivots..range.end];
            if let Some(&first) = handed_over.first() {
                let taker = front_of[first as usize] as usize;
                let its_rows = &rows[fronts[taker].rows.clone()];
                // Both ascend.
                let mut local = 0;
                for &row in handed_over {
                    while its_rows[local] != row {
                        local += 1;
                    }
                    targets.push(local as u32);
                }
                fronts[taker].children += 1;
            }
            fronts[index].targets = start..targets.len();
        }

        let mut entries: Vec<(u32, Entry)> = Vec::with_capacity(blocks.len());
        for (column, row, place) in blocks {
            let (row, column) = (position[row], position[column]);
            let front = front_of[row.min(column) as usize];
            let its_rows = &rows[fronts[front as usize].rows.clone()];
            let local = |position: u32| its_rows.binary_search(&position).map_or(NONE, |local| local as u32);
            entries.push((front, Entry { place, row: local(row), column: local(column) }));
        }
        entries.sort_by_key(|&(front, entry)| (front, entry.column, entry.row));
        for (index, front) in (0u32..).zip(&mut fronts) {
            let start = entries.partition_point(|&(other, _)| other < index);
            front.entries = start..entries.partition_point(|&(other, _)| other <= index);
        }
        Fronts {
            order,
            fronts,
            rows,
            targets,
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            symmetry: Symmetry::General,
            lower: vec![0.0; factor],
            upper: Vec::new(),
            front: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Factorises A. False if a pivot was not safe; then there is nothing to solve with.
    pub(super) fn factorise(&mut self, values: &[f64], symmetry: Symmetry) -> bool {
        let Fronts { fronts, targets, entries, lower, upper, front, waiting, .. } = self;
        self.symmetry = symmetry;
        if symmetry == Symmetry::General {
            upper.resize(lower.len(), 0.0);
        }
        waiting.clear();
        // The fronts whose remains wait, the last on top.
        let mut stack: Vec<usize> = Vec::new();
        for (index, node) in fronts.iter().enumerate() {
            let (size, pivots) = (2 * node.rows.len(), 2 * node.pivots);
            front.clear();
            front.resize(size * size, 0.0);
            for entry in &entries[node.entries.clone()] {
                let Place { start, stride } = entry.place;
                let corner = 2 * entry.column as usize * size + 2 * entry.row as usize;
                front[corner..corner + 2].copy_from_slice(&values[start..start + 2]);
                front[corner + size..corner + size + 2].copy_from_slice(&values[start + stride..start + stride + 2]);
            }
            for _ in 0..node.children {
                let Some(child) = stack.pop() else { break };
                let its_targets = &targets[fronts[child].targets.clone()];
                let start = waiting.len() - 4 * its_targets.len() * its_targets.len();
                take_over(front, size, &waiting[start..], its_targets, symmetry);
                waiting.truncate(start);
            }

            if !eliminate(front, size, pivots, symmetry) {
                return false;
            }
            let factor = node.factor..node.factor + pivots * size;
            lower[factor.clone()].copy_from_slice(&front[..pivots * size]);
            if symmetry == Symmetry::General {
                for (k, row) in upper[factor].chunks_exact_mut(size).enumerate() {
                    for (u, column) in row.iter_mut().zip(front.chunks_exact(size)) {
                        *u = column[k];
                    }
                }
            }
            for column in front.chunks_exact(size).skip(pivots) {
                waiting.extend_from_slice(&column[pivots..]);
            }
            if !node.targets.is_empty() {
                stack.push(index);
            }
        }
        true
    }

    /// Replaces b by the solution of A x = b.
    pub(super) fn solve(&self, b: &mut [DVec2]) {
        let mut x: Vec<DVec2> = self.order.iter().map(|&particle| b[particle]).collect();
        let mut local: Vec<f64> = Vec::new();
        // L y = b, from the leaves to the root.
        for node in &self.fronts {
            let rows = &self.rows[node.rows.clone()];
            gather(&mut local, rows, &x);
            for (k, column) in self.columns(&self.lower, node).enumerate() {
                let (done, below) = local.split_at_mut(k + 1);
                subtract(below, &column[k + 1..], done[k]);
            }
            scatter(&local, rows, &mut x);
        }
        // U x = y or D Lᵀ x = y, back to the leaves.
        for node in self.fronts.iter().rev() {
            let rows = &self.rows[node.rows.clone()];
            gather(&mut local, rows, &x);
            let pivots = self.columns(&self.lower, node).enumerate();
            match self.symmetry {
                Symmetry::Symmetric => {
                    for (k, column) in pivots.rev() {
                        local[k] = local[k] * column[k] - dot(&column[k + 1..], &local[k + 1..]);
                    }
                }
                Symmetry::General => {
                    for ((k, column), row) in pivots.zip(self.columns(&self.upper, node)).rev() {
                        local[k] = (local[k] - dot(&row[k + 1..], &local[k + 1..])) * column[k];
                    }
                }
            }
            scatter(&local[..2 * node.pivots], &rows[..node.pivots], &mut x);
        }
        for (&particle, x) in self.order.iter().zip(x) {
            b[particle] = x;
        }
    }

    /// The columns of L or rows of U that a front has.
    fn columns<'a>(&self, factor: &'a [f64], node: &Front) -> std::slice::ChunksExact<'a, f64> {
        let size = 2 * node.rows.len();
        factor[node.factor..node.factor + 2 * node.pivots * size].chunks_exact(size)
    }
}

/// Changes an elimination order, without more fill, such that fronts follow those that hand over to them, the last at
/// once. Also returns, by position, the neighbours in A that come later, ascending, and the first position that the
/// elimination makes a neighbour: the parent in the elimination tree (J. Liu, "The role of elimination trees in sparse
/// factorization", 1990).
fn walk_order(order: &[usize], blocks: &[(usize, usize, Place)]) -> (Vec<usize>, Vec<Vec<u32>>, Vec<u32>) {
    let count = order.len();
    let mut position = vec![0u32; count];
    for (k, &particle) in (0u32..).zip(order) {
        position[particle] = k;
    }
    let mut earlier: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &(column, row, _) in blocks {
        let (row, column) = (position[row], position[column]);
        if row > column {
            earlier[row as usize].push(column);
        }
    }
    let mut parents = vec![NONE; count];
    // A shortcut up the tree, to where it ended when last walked.
    let mut top = vec![NONE; count];
    for k in 0..count as u32 {
        for &i in &earlier[k as usize] {
            let mut i = i;
            while i != NONE && i < k {
                let above = std::mem::replace(&mut top[i as usize], k);
                if above == NONE {
                    parents[i as usize] = k;
                }
                i = above;
            }
        }
    }

    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut stack = Vec::new();
    for k in (0..count as u32).rev() {
        match parents[k as usize] {
            NONE => stack.push(k),
            parent => children[parent as usize].push(k),
        }
    }
    // From the leaves: a node is left when all below it are.
    let mut walked: Vec<u32> = Vec::with_capacity(count);
    while let Some(&k) = stack.last() {
        match children[k as usize].pop() {
            Some(child) => stack.push(child),
            None => {
                walked.push(k);
                stack.pop();
            }
        }
    }

    let mut renamed = vec![0u32; count];
    for (new, &old) in (0u32..).zip(&walked) {
        renamed[old as usize] = new;
    }
    let rename = |old: u32| if old == NONE { NONE } else { renamed[old as usize] };
    let new_order = walked.iter().map(|&old| order[old as usize]).collect();
    let new_parents = walked.iter().map(|&old| rename(parents[old as usize])).collect();
    let mut later: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (k, earlier) in earlier.iter().enumerate() {
        for &i in earlier {
            let (a, b) = (renamed[i as usize], renamed[k]);
            // An ancestor stays behind its descendants.
            later[a as usize].push(b);
        }
    }
    later.iter_mut().for_each(|later| later.sort_unstable());
    (new_order, later, new_parents)
}

/// Cuts the elimination order into fronts: how many pivots each has, and its rows, ascending.
fn dense_pieces(neighbours: &[Vec<u32>], parents: &[u32]) -> Vec<(usize, Vec<u32>)> {
    struct Piece {
        pivots: usize,
        rows: Vec<u32>,
        /// How many blocks of its columns of L are not zero.
        filled: usize,
    }
    impl Piece {
        /// How many blocks its columns have room for.
        fn room(pivots: usize, rows: usize) -> usize {
            pivots * rows - pivots * (pivots - 1) / 2
        }
    }

    let count = parents.len();
    let mut pieces: Vec<Piece> = Vec::new();
    // Rows below each position's pivot, until its parent has seen them.
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (k, &parent) in (0u32..).zip(parents) {
        if parent != NONE {
            children[parent as usize].push(k);
        }
    }
    let mut seen = vec![NONE; count];
    for k in 0..count as u32 {
        let mut rows: Vec<u32> = neighbours[k as usize].clone();
        seen[k as usize] = k;
        rows.iter().for_each(|&row| seen[row as usize] = k);
        for &child in &children[k as usize] {
            for row in std::mem::take(&mut below[child as usize]) {
                if seen[row as usize] != k {
                    seen[row as usize] = k;
                    rows.push(row);
                }
            }
        }
        rows.sort_unstable();
        let filled = rows.len() + 1;
        let mut piece = Piece { pivots: 1, rows: [k].into_iter().chain(rows.iter().copied()).collect(), filled };
        below[k as usize] = rows;

        // Together with the piece before, if it hands over to this one and both have almost the same rows.
        while let Some(before) = pieces.last() {
            let last = before.rows[before.pivots - 1];
            if parents[last as usize] != piece.rows[0] {
                break;
            }
            let pivots = before.pivots + piece.pivots;
            let filled = before.filled + piece.filled;
            let zeros = 1.0 - filled as f64 / Piece::room(pivots, before.pivots + piece.rows.len()) as f64;
            let is_worth_it = zeros <= RELAXED_ANY
                || RELAXED.iter().any(|&(max_pivots, max_zeros)| pivots <= max_pivots && zeros <= max_zeros);
            if !is_worth_it {
                break;
            }
            let mut rows = before.rows[..before.pivots].to_vec();
            rows.append(&mut piece.rows);
            piece = Piece { pivots, rows, filled };
            pieces.pop();
        }
        pieces.push(piece);
    }
    pieces.into_iter().map(|piece| (piece.pivots, piece.rows)).collect()
}

/// Adds what another front handed over.
fn take_over(front: &mut [f64], size: usize, remains: &[f64], targets: &[u32], symmetry: Symmetry) {
    let height = 2 * targets.len();
    for (j, column) in remains.chunks_exact(height).enumerate() {
        let into = 2 * targets[j / 2] as usize + j % 2;
        let into = &mut front[into * size..(into + 1) * size];
        // Above the diagonal there is nothing if all is symmetric.
        let first = if symmetry == Symmetry::Symmetric { j / 2 } else { 0 };
        for (&target, pair) in targets.iter().zip(column.chunks_exact(2)).skip(first) {
            let target = 2 * target as usize;
            into[target] += pair[0];
            into[target + 1] += pair[1];
        }
    }
}

/// Eliminates the first `pivots` rows and columns of a front, by columns. They become those of L and, above the
/// diagonal, U; on the diagonal is the inverse of the pivot. If A is symmetric, only what is on and below the diagonal
/// counts. False if a pivot is not safe.
fn eliminate(front: &mut [f64], size: usize, pivots: usize, symmetry: Symmetry) -> bool {
    // The pivots themselves: on the diagonal of the front are their inverses.
    let mut diagonal: Vec<f64> = Vec::with_capacity(pivots);
    // Two columns at a time, those of a particle.
    for j in (0..size).step_by(2) {
        let (left, right) = front.split_at_mut(j * size);
        let (first, rest) = right.split_at_mut(size);
        let second = &mut rest[..size];
        let column = |k: usize| &left[k * size..(k + 1) * size];
        let done = j.min(pivots);
        let mut k = 0;
        match symmetry {
            Symmetry::Symmetric => {
                let factors = |k: usize, row: usize| diagonal[k] * column(k)[row];
                while k < done {
                    let (targets, below) = ([&mut first[j..], &mut second[j..]], |k: usize| &column(k)[j..]);
                    if k + 4 <= done {
                        let of_row = |row: usize| [0, 1, 2, 3].map(|offset| factors(k + offset, row));
                        subtract_4(targets, [0, 1, 2, 3].map(|offset| below(k + offset)), [of_row(j), of_row(j + 1)]);
                        k += 4;
                    } else {
                        let of_row = |row: usize| [0, 1].map(|offset| factors(k + offset, row));
                        subtract_2(targets, [0, 1].map(|offset| below(k + offset)), [of_row(j), of_row(j + 1)]);
                        k += 2;
                    }
                }
            }
            Symmetry::General => {
                while k < done {
                    let width = if k + 4 <= done { 4 } else { 2 };
                    // These rows of U first, each with those before it.
                    for i in k..k + width {
                        let u = [first[i], second[i]];
                        for row in i + 1..k + width {
                            first[row] -= column(i)[row] * u[0];
                            second[row] -= column(i)[row] * u[1];
                        }
                    }
                    let ((first_u, first), (second_u, second)) =
                        (first[k..].split_at_mut(width), second[k..].split_at_mut(width));
                    let below = |i: usize| &column(i)[k + width..];
                    if let ([a, b, c, d], [e, f, g, h]) = (&*first_u, &*second_u) {
                        let columns = [0, 1, 2, 3].map(|offset| below(k + offset));
                        subtract_4([first, second], columns, [[*a, *b, *c, *d], [*e, *f, *g, *h]]);
                    } else {
                        let factors = [[first_u[0], first_u[1]], [second_u[0], second_u[1]]];
                        subtract_2([first, second], [0, 1].map(|offset| below(k + offset)), factors);
                    }
                    k += width;
                }
            }
        }
        if j < pivots {
            let Some(pivot) = divide(&mut first[j..]) else { return false };
            diagonal.push(pivot);
            let u = if symmetry == Symmetry::Symmetric { pivot * first[j + 1] } else { second[j] };
            subtract(&mut second[j + 1..], &first[j + 1..], u);
            let Some(pivot) = divide(&mut second[j + 1..]) else { return false };
            diagonal.push(pivot);
        }
    }
    true
}

/// Divides a column by its first number, the pivot, of which it keeps the inverse. Returns it, if it is safe.
fn divide(column: &mut [f64]) -> Option<f64> {
    let (pivot, below) = column.split_first_mut()?;
    let largest = below.iter().fold(0.0, |max, l| if l.abs() > max { l.abs() } else { max });
    let (value, inverse) = (*pivot, 1.0 / *pivot);
    // Not so if the pivot is not a number, either.
    let is_safe = value.abs() > MIN_PIVOT * largest && inverse.is_finite();
    below.iter_mut().for_each(|l| *l *= inverse);
    *pivot = inverse;
    is_safe.then_some(value)
}

/// Subtracts a multiple of a column from another.
#[inline]
fn subtract(target: &mut [f64], column: &[f64], factor: f64) {
    for (target, l) in target.iter_mut().zip(column) {
        *target -= l * factor;
    }
}

/// Subtracts multiples of two columns from each of two others.
fn subtract_2([first, second]: [&mut [f64]; 2], [a, b]: [&[f64]; 2], [factors, others]: [[f64; 2]; 2]) {
    for (column, (&factor, &other)) in [a, b].into_iter().zip(factors.iter().zip(&others)) {
        subtract(first, column, factor);
        subtract(second, column, other);
    }
}

/// The same with four: where nearly all the time goes. Each number is read once for eight operations.
fn subtract_4(targets: [&mut [f64]; 2], [a, b, c, d]: [&[f64]; 4], factors: [[f64; 4]; 2]) {
    let [first, second] = targets;
    run(first, second, a, b, c, d, factors);

    // As arguments of their own, the compiler knows that what is written is not what is read.
    #[inline(never)]
    fn run(first: &mut [f64], second: &mut [f64], a: &[f64], b: &[f64], c: &[f64], d: &[f64], factors: [[f64; 4]; 2]) {
        let height = first.len();
        let (second, a, b, c, d) = (&mut second[..height], &a[..height], &b[..height], &c[..height], &d[..height]);
        let [[p, q, r, s], [t, u, v, w]] = factors;
        for i in 0..height {
            let (a, b, c, d) = (a[i], b[i], c[i], d[i]);
            first[i] = first[i] - a * p - b * q - c * r - d * s;
            second[i] = second[i] - a * t - b * u - c * v - d * w;
        }
    }
}

/// The scalar product of two columns, in four sums that do not wait for each other.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_fours, b_fours) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_fours.remainder().iter().zip(b_fours.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a_fours.zip(b_fours) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn gather(local: &mut Vec<f64>, rows: &[u32], x: &[DVec2]) {
    local.clear();
    for &row in rows {
        let x = x[row as usize];
        local.extend([x.x, x.y]);
    }
}

fn scatter(local: &[f64], rows: &[u32], x: &mut [DVec2]) {
    for (pair, &row) in local.chunks_exact(2).zip(rows) {
        x[row as usize] = DVec2::new(pair[0], pair[1]);
    }
}
