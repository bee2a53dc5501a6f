//! Factorising a sparse symmetric system, as much as the direct solver needs.
//!
//! The matrix is that of constraints which share bodies: two constraints have an entry in common where
//! they act on the same body. So it is never stored; [`order`] reads from the lists of bodies in which
//! order to eliminate, and [`Factor`] asks for entries as it goes.
//!
//! Computed in `f64` with additions and multiplications in a written order only: the same bits everywhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;
/// Share of a diagonal that elimination in double precision leaves of nothing, over hundreds of rows.
const ROUNDING: f64 = 1.0e-12;

/// An order of elimination that keeps the factor sparse: always the node with the fewest neighbours next
/// (minimum degree; A. George and J. Liu, "The evolution of the minimum degree ordering algorithm", 1989).
///
/// `nodes` are the constraints, each with the bodies it acts on. Nodes on one body are all neighbours; when
/// a node goes, what it touched become neighbours, as if its bodies had been welded into one.
pub(crate) fn order(nodes: &[Vec<u32>], body_count: usize) -> Vec<u32> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); body_count];
    for (node, bodies) in (0u32..).zip(nodes) {
        for &body in bodies {
            members[body as usize].push(node);
        }
    }
    // Which body a body was welded into.
    let mut welded: Vec<u32> = (0..body_count as u32).collect();
    fn root(welded: &mut [u32], mut body: u32) -> u32 {
        while welded[body as usize] != body {
            let above = welded[welded[body as usize] as usize];
            welded[body as usize] = above;
            body = above;
        }
        body
    }
    let degree = |members: &[Vec<u32>], bodies: &[u32]| -> usize {
        bodies.iter().map(|&body| members[body as usize].len()).sum()
    };
    let mut bodies_of: Vec<Vec<u32>> = nodes.to_vec();
    let mut heap: BinaryHeap<Reverse<(usize, u32)>> =
        (0u32..).zip(nodes).map(|(node, bodies)| Reverse((degree(&members, bodies), node))).collect();
    let mut done = vec![false; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse((before, node))) = heap.pop() {
        if done[node as usize] {
            continue;
        }
        let mut bodies = std::mem::take(&mut bodies_of[node as usize]);
        for body in &mut bodies {
            *body = root(&mut welded, *body);
        }
        bodies.sort_unstable();
        bodies.dedup();
        let now = degree(&members, &bodies);
        if now > before {
            // Its neighbourhood has grown since it was queued.
            bodies_of[node as usize] = bodies;
            heap.push(Reverse((now, node)));
            continue;
        }
        done[node as usize] = true;
        order.push(node);
        let Some((&kept, others)) = bodies.split_first() else { continue };
        let mut union = std::mem::take(&mut members[kept as usize]);
        for &other in others {
            welded[other as usize] = kept;
            union.append(&mut members[other as usize]);
        }
        union.retain(|&member| !done[member as usize]);
        union.sort_unstable();
        union.dedup();
        members[kept as usize] = union;
    }
    order
}

/// `A = L D L^T`, with ones on the diagonal of `L`, row by row (T. Davis, "Algorithm 849", 2005).
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Below the diagonal, by column: row and value, rows ascending.
    columns: Vec<Vec<(u32, f64)>>,
    diagonal: Vec<f64>,
    /// The first row below the diagonal of each column: the tree along which entries spread.
    parent: Vec<u32>,
    visited: Vec<u32>,
    row: Vec<f64>,
    pattern: Vec<u32>,
}

impl Factor {
    /// Factorises a matrix of `n` rows. `entries(k, add)` calls `add(i, value)` for the entries of row `k`
    /// with `i < k`, several times for the same `i` if it likes, and returns that on the diagonal.
    pub(crate) fn factorise(&mut self, n: usize, mut entries: impl FnMut(u32, &mut dyn FnMut(u32, f64)) -> f64) {
        for column in &mut self.columns {
            column.clear();
        }
        self.columns.resize(self.columns.len().max(n), Vec::new());
        self.diagonal.clear();
        self.parent.clear();
        self.visited.clear();
        self.row.clear();
        self.row.resize(n, 0.0);
        for k in 0..n as u32 {
            self.parent.push(NONE);
            self.visited.push(k);
            let Factor { parent, visited, row, pattern, .. } = self;
            pattern.clear();
            let full = entries(k, &mut |i, value| {
                row[i as usize] += value;
                // What row k gets in column i, it gets in all columns above i in the tree.
                let mut i = i;
                while visited[i as usize] != k {
                    visited[i as usize] = k;
                    pattern.push(i);
                    if parent[i as usize] == NONE {
                        parent[i as usize] = k;
                    }
                    i = parent[i as usize];
                }
            });
            // A column only changes those after it.
            pattern.sort_unstable();
            let mut pivot = full;
            for place in 0..self.pattern.len() {
                let i = self.pattern[place] as usize;
                let value = std::mem::replace(&mut self.row[i], 0.0);
                for &(r, l) in &self.columns[i] {
                    self.row[r as usize] -= l * value;
                }
                let l = value * self.diagonal[i];
                pivot -= l * value;
                self.columns[i].push((k, l));
            }
            // Rows that say the same twice leave nothing but rounding: the second gets no impulse.
            self.diagonal.push(if pivot > ROUNDING * full { 1.0 / pivot } else { 0.0 });
        }
    }

    /// Solves `A x = b` in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            let value = x[i];
            for &(r, l) in &self.columns[i] {
                x[r as usize] -= l * value;
            }
        }
        for i in (0..x.len()).rev() {
            let mut value = x[i] * self.diagonal[i];
            for &(r, l) in &self.columns[i] {
                value -= l * x[r as usize];
            }
            x[i] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;

    /// Random constraints on bodies: `A` dense, and its nodes.
    fn random_system(rng: &mut Rng, n: usize, bodies: usize) -> (Vec<Vec<f64>>, Vec<Vec<u32>>) {
        let mut jacobian = vec![vec![0.0; bodies]; n];
        let mut nodes = Vec::new();
        for row in &mut jacobian {
            let (a, b) = (rng.below(bodies as u32), rng.below(bodies as u32));
            row[a as usize] = rng.f64() + 0.5;
            row[b as usize] -= rng.f64() + 0.5;
            nodes.push(if a == b { vec![a] } else { vec![a, b] });
        }
        let mut a = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                a[i][j] = (0..bodies).map(|body| jacobian[i][body] * jacobian[j][body]).sum();
            }
            a[i][i] += 0.01;
        }
        (a, nodes)
    }

    #[test]
    fn solves_what_a_dense_check_confirms() {
        let mut rng = Rng::new(9);
        for round in 0..50 {
            let n = 1 + round;
            let (a, nodes) = random_system(&mut rng, n, 3 + n / 2);
            let order = order(&nodes, 3 + n / 2);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n as u32).collect::<Vec<u32>>(), "every node once");
            let mut factor = Factor::default();
            factor.factorise(n, |k, add| {
                for i in 0..k {
                    let value = a[order[k as usize] as usize][order[i as usize] as usize];
                    if value != 0.0 {
                        add(i, value);
                    }
                }
                a[order[k as usize] as usize][order[k as usize] as usize]
            });
            let b: Vec<f64> = (0..n).map(|_| rng.f64() - 0.5).collect();
            let mut x = b.clone();
            factor.solve(&mut x);
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| a[order[i] as usize][order[j] as usize] * x[j]).sum();
                assert!((sum - b[i]).abs() < 1.0e-9, "round {round}: row {i} gives {sum}, not {}", b[i]);
            }
        }
    }

    #[test]
    fn a_chain_is_eliminated_without_fill() {
        // Constraint i joins body i to body i + 1.
        let nodes: Vec<Vec<u32>> = (0..100).map(|i| vec![i, i + 1]).collect();
        let order = order(&nodes, 101);
        let mut place = vec![0; 100];
        for (k, &node) in (0..).zip(&order) {
            place[node as usize] = k;
        }
        let mut factor = Factor::default();
        factor.factorise(100, |k, add| {
            let node = order[k as usize];
            for other in [node.checked_sub(1), Some(node + 1).filter(|&next| next < 100)].into_iter().flatten() {
                if place[other as usize] < k {
                    add(place[other as usize], -1.0);
                }
            }
            2.0
        });
        let fill: usize = factor.columns.iter().map(Vec::len).sum();
        assert_eq!(fill, 99, "as many as the matrix has");
    }

    #[test]
    fn a_row_that_says_the_same_twice_gets_nothing() {
        let mut factor = Factor::default();
        factor.factorise(2, |k, add| {
            if k == 1 {
                add(0, 2.0);
            }
            2.0
        });
        let mut x = [1.0, 1.0];
        factor.solve(&mut x);
        assert_eq!(x, [0.5, 0.0]);
    }
}
