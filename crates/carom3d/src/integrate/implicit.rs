//! Backward Euler: `v1 = v0 + h a(x1, v1)` with `x1 = x0 + h v1`, and the same for rotations.
//!
//! The unknowns `u = (v1, w1)` of all members are found by Newton's method on `r(u) = u - u0 - h a(u)`. Each of its
//! linear systems `r'(u) d = -r(u)` is solved by GMRES, which needs `r'` only times vectors: differences of `r`.

use super::{Forces, Scratch, turned};
use crate::body::BodyState;
use crate::math::DVec3;

/// Most rounds of Newton's method; springs take two to four, very stiff ones more.
const MOST_ROUNDS: usize = 40;
/// Most times that a step of Newton's method is halved.
const MOST_HALVINGS: usize = 20;
/// Residuals smaller than this, as a share of the velocities, are rounding errors.
const TOLERANCE: f64 = 1.0e-12;
/// By how much a linear system is solved.
const LINEAR_TOLERANCE: f64 = 1.0e-8;
/// Most directions that GMRES keeps. A system with no more unknowns is solved exactly.
const MOST_DIRECTIONS: usize = 60;
/// The length of a difference, as a share of the velocities: the root of what numbers can tell apart.
const DIFFERENCE: f64 = 1.0e-8;

/// Brings `scratch.start` forward by `h`; the result is in `scratch.stage`.
pub(super) fn backward_euler(forces: &Forces<'_>, time_s: f64, h: f64, scratch: &mut Scratch) {
    let start = std::mem::take(&mut scratch.start);
    let mut system = System { forces, time_s: time_s + h, h, start: &start, scratch };
    let mut unknowns: Vec<DVec3> = start.iter().flat_map(|state| [state.velocity, state.angular_velocity]).collect();
    let mut residual = system.residual(&unknowns);
    for _ in 0..MOST_ROUNDS {
        let size = norm(&residual);
        if size <= TOLERANCE * (1.0e-3 + norm(&unknowns)) || !size.is_finite() {
            break;
        }
        let change = system.solve(&unknowns, &residual);
        let Some(better) = system.shortened(&unknowns, &change, size) else { break };
        (unknowns, residual) = better;
    }
    system.place(&unknowns);
    scratch.start = start;
}

struct System<'a, 'b> {
    forces: &'a Forces<'b>,
    /// The end of the step.
    time_s: f64,
    h: f64,
    start: &'a [BodyState],
    scratch: &'a mut Scratch,
}

impl System<'_, '_> {
    /// Puts the members where these velocities lead.
    fn place(&mut self, unknowns: &[DVec3]) {
        for ((state, stage), pair) in self.start.iter().zip(&mut self.scratch.stage).zip(unknowns.chunks_exact(2)) {
            *stage = BodyState {
                position: state.position + pair[0] * self.h,
                orientation: turned(state.orientation, pair[1] * self.h),
                velocity: pair[0],
                angular_velocity: pair[1],
            };
        }
    }

    fn residual(&mut self, unknowns: &[DVec3]) -> Vec<DVec3> {
        self.place(unknowns);
        let Scratch { stage, inverses, accelerations, .. } = &mut *self.scratch;
        self.forces.accelerations(stage, inverses, self.time_s, 1.0, accelerations);
        let mut out = Vec::with_capacity(unknowns.len());
        for ((state, a), pair) in self.start.iter().zip(&*accelerations).zip(unknowns.chunks_exact(2)) {
            out.push(pair[0] - state.velocity - a.linear * self.h);
            out.push(pair[1] - state.angular_velocity - a.angular * self.h);
        }
        out
    }

    /// The unknowns after a change, halved until the residual is smaller than it was, and that residual. None where it does
    /// not get smaller: there what is left are rounding errors.
    fn shortened(&mut self, unknowns: &[DVec3], change: &[DVec3], size: f64) -> Option<(Vec<DVec3>, Vec<DVec3>)> {
        let mut share = 1.0;
        for _ in 0..MOST_HALVINGS {
            let next: Vec<DVec3> = unknowns.iter().zip(change).map(|(u, d)| *u + *d * share).collect();
            let residual = self.residual(&next);
            if norm(&residual) < size {
                return Some((next, residual));
            }
            share *= 0.5;
        }
        None
    }

    /// `d` with `r'(u) d = -r(u)`, by GMRES: the best `d` among the sums of directions `b_k`, made orthonormal one by one
    /// from `r, r' r, r' r' r, ...`; plane rotations keep the triangle of the least squares.
    fn solve(&mut self, unknowns: &[DVec3], residual: &[DVec3]) -> Vec<DVec3> {
        let size = norm(residual);
        let mut directions = vec![scaled(residual, -1.0 / size)];
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut turns: Vec<[f64; 2]> = Vec::new();
        let mut right = vec![size];
        for k in 0..MOST_DIRECTIONS.min(3 * residual.len()) {
            let mut next = self.times_jacobian(unknowns, residual, &directions[k]);
            let mut column = Vec::with_capacity(k + 2);
            for direction in &directions {
                let share = dot(&next, direction);
                next.iter_mut().zip(direction).for_each(|(n, d)| *n -= *d * share);
                column.push(share);
            }
            let rest = norm(&next);
            for (i, [c, s]) in turns.iter().enumerate() {
                (column[i], column[i + 1]) = turn(*c, *s, column[i], column[i + 1]);
            }
            let length = (column[k] * column[k] + rest * rest).sqrt();
            if length == 0.0 || !length.is_finite() {
                break;
            }
            let [c, s] = [column[k] / length, rest / length];
            column[k] = length;
            columns.push(column);
            turns.push([c, s]);
            right.push(-s * right[k]);
            right[k] *= c;
            if right[k + 1].abs() <= LINEAR_TOLERANCE * size || rest <= 1.0e-14 * length {
                break;
            }
            directions.push(scaled(&next, 1.0 / rest));
        }
        combine(&directions, &columns, &right, residual.len())
    }

    fn times_jacobian(&mut self, unknowns: &[DVec3], residual: &[DVec3], direction: &[DVec3]) -> Vec<DVec3> {
        let length = DIFFERENCE * (1.0 + norm(unknowns));
        let beside: Vec<DVec3> = unknowns.iter().zip(direction).map(|(u, d)| *u + *d * length).collect();
        let mut out = self.residual(&beside);
        out.iter_mut().zip(residual).for_each(|(after, before)| *after = (*after - *before) / length);
        out
    }
}

/// Solves the triangle of the least squares from below, and adds up the directions.
fn combine(directions: &[Vec<DVec3>], columns: &[Vec<f64>], right: &[f64], count: usize) -> Vec<DVec3> {
    let mut shares = vec![0.0; columns.len()];
    for i in (0..columns.len()).rev() {
        let known: f64 = (i + 1..columns.len()).map(|k| columns[k][i] * shares[k]).sum();
        shares[i] = (right[i] - known) / columns[i][i];
    }
    let mut sum = vec![DVec3::ZERO; count];
    for (direction, share) in directions.iter().zip(shares) {
        sum.iter_mut().zip(direction).for_each(|(sum, d)| *sum += *d * share);
    }
    sum
}

fn turn(c: f64, s: f64, x: f64, y: f64) -> (f64, f64) {
    (c * x + s * y, c * y - s * x)
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn norm(vector: &[DVec3]) -> f64 {
    dot(vector, vector).sqrt()
}

fn scaled(vector: &[DVec3], factor: f64) -> Vec<DVec3> {
    vector.iter().map(|part| *part * factor).collect()
}
