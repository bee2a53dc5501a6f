//! Which rows are at a bound.

use super::row::{State, SystemRow, weighted};
use super::{Among, Motion, System, TOLERANCE};
use crate::body::NONE;
use carom_core::math::{max64, min64};

/// Rounds of finding the bounds of friction.
const FRICTION_ROUNDS: usize = 4;
/// Rounds of pivoting before the solver takes what it has.
const PIVOT_ROUNDS: usize = 20;
/// And where nothing should have changed since the last pass.
const QUICK_ROUNDS: usize = 3;
/// Rounds of pivoting without progress before only one row moves at a time.
const PATIENCE: usize = 5;
/// Systems of up to this many rows are worth that patience; larger ones are given up.
const SMALL: usize = 300;
/// Systems of more rows than this, for which no round of pivoting finds an answer, are swept; smaller ones go down to it
/// in at most this many steps, each of which is halved at most so many times.
/// These numbers were chosen by trying, on card houses of four to six floors and a wall of 80 bricks.
const LARGE: usize = 2000;
const DESCENT_ROUNDS: usize = 30;
const HALVINGS: usize = 8;
/// Sweeps before such a step, and at most, after steps that did not get on.
const DESCENT_SWEEPS: usize = 3;
const MOST_SWEEPS: usize = 24;
/// Passes that a system is only swept after it was given up.
const REST: u32 = 60;

impl System {
    /// Bounds friction by the normal impulses as they are; true if a bound moved noticeably at which a row is, or beyond
    /// which it is now.
    pub(super) fn set_friction_bounds(&mut self) -> bool {
        let mut moved = false;
        for index in 0..self.rows.len() {
            let before = self.rows[index].upper;
            self.bound_friction(index);
            let row = &self.rows[index];
            let counts = row.state != State::Free || row.impulse.abs() > row.upper + row.slack;
            moved |= row.normals.is_some() && counts && (row.upper - before).abs() > row.slack;
        }
        moved
    }

    /// Bounds a row of friction by the impulses of its normals.
    pub(super) fn bound_friction(&mut self, index: usize) {
        if let Some((normals, coefficient)) = self.rows[index].normals {
            let load: f64 =
                normals.iter().filter(|&&row| row != NONE).map(|&row| self.rows[row as usize].impulse).sum();
            let bound = coefficient * max64(load, 0.0);
            (self.rows[index].lower, self.rows[index].upper) = (-bound, bound);
        }
    }

    /// Solves the rows one after the other: never exact, never worse than before. Bounds of friction stay or follow.
    pub(super) fn sweep<const FOLLOW: bool>(&mut self, count: usize) {
        for _ in 0..count {
            for index in 0..self.rows.len() {
                if FOLLOW {
                    self.bound_friction(index);
                }
                let row = &mut self.rows[index];
                let k = row.response + row.compliance;
                let w = row.speed(&self.now) + row.bias + row.compliance * row.impulse;
                let wanted = if k > 0.0 { row.impulse - w / k } else { 0.0 };
                let impulse = max64(row.lower, min64(row.upper, wanted));
                row.push(impulse - row.impulse, &self.masses, &mut self.now);
                row.impulse = impulse;
                row.state = row.nearest_state();
            }
        }
    }

    /// Do the same contacts push and stick as in the last pass? Then no first guess is needed.
    pub(super) fn is_as_before(&mut self) -> bool {
        if matches!(self.scope.contacts, Among::None) || self.rest > 0 {
            return false;
        }
        self.set_friction_bounds();
        for row in &mut self.rows {
            row.state = row.nearest_state();
        }
        self.pivot(QUICK_ROUNDS) && !self.set_friction_bounds()
    }

    /// Solves exactly, with bounds of friction that fit. False where that fails, which is remembered for a
    /// while: a heap that has no answer now will have none in the next sub-step.
    pub(super) fn find_bounds<const BIASED: bool>(&mut self) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            self.factorised.clear();
            self.is_factorised = false;
            self.place.clear();
            self.place.resize(self.rows.len(), NONE);
            return false;
        }
        for round in 0..FRICTION_ROUNDS {
            let mut moved = self.set_friction_bounds();
            if round > 0 {
                moved |= self.move_anchors::<BIASED>();
            }
            if round > 0 && !moved {
                break;
            }
            if !self.pivot(PIVOT_ROUNDS) {
                if self.rows.len() > LARGE {
                    self.rest = REST;
                    return false;
                }
                self.descend();
            }
        }
        true
    }

    /// Lets compliance give way from the present impulses on where that changes a speed of a mechanism noticeably; true if
    /// it does anywhere. (What others do must not change the last digit of what rests.)
    pub(super) fn move_anchors<const BIASED: bool>(&mut self) -> bool {
        let mut moved = vec![false; self.mechanism_count];
        for row in self.rows.iter().filter(|row| row.is_anchored::<BIASED>()) {
            moved[row.mechanism as usize] |= (row.compliance * (row.impulse - row.anchor)).abs() > TOLERANCE;
        }
        for row in self.rows.iter_mut().filter(|row| row.is_anchored::<BIASED>()) {
            if moved[row.mechanism as usize] {
                row.move_anchor();
            }
        }
        moved.contains(&true)
    }

    /// Goes down to the least of `x A x / 2 + b x` between the bounds, where pivoting went in circles (projected Newton
    /// steps; D. Bertsekas, 1982): whatever it ends with is nearer than where it began.
    pub(super) fn descend(&mut self) {
        let mut sweeps = DESCENT_SWEEPS;
        for _ in 0..DESCENT_ROUNDS {
            // Sweeps find which rows leave their bounds, also where a step of all at once does not get on.
            self.sweep::<false>(sweeps);
            let slopes: Vec<f64> = self.rows.iter().map(|row| row.residual(&self.now)).collect();
            let mut steepest = 0.0;
            for (row, &slope) in self.rows.iter_mut().zip(&slopes) {
                row.state = match row.nearest_state() {
                    State::Lower if slope < 0.0 && row.lower < row.upper => State::Free,
                    State::Upper if slope > 0.0 => State::Free,
                    state => state,
                };
                if row.state == State::Free {
                    steepest = max64(steepest, slope.abs());
                }
            }
            if steepest <= TOLERANCE {
                return;
            }
            self.factorise();
            let mut step: Vec<f64> = self.factorised.iter().map(|&index| -slopes[index as usize]).collect();
            self.factor.solve(&mut step);
            sweeps = if self.go_down(&step, &slopes) { DESCENT_SWEEPS } else { (2 * sweeps).min(MOST_SWEEPS) };
        }
    }

    /// Goes along a step of the free rows as far as it goes down, each within its bounds. False if it does not.
    pub(super) fn go_down(&mut self, step: &[f64], slopes: &[f64]) -> bool {
        let mut part = 1.0;
        let mut changes = vec![0.0; step.len()];
        for _ in 0..HALVINGS {
            let mut moves = vec![[0.0; 3]; self.now.len()];
            // What it gains at first, and what that costs.
            let (mut gain, mut cost) = (0.0, 0.0);
            for ((&index, step), change) in self.factorised.iter().zip(step).zip(&mut changes) {
                let row = &self.rows[index as usize];
                *change = max64(row.lower, min64(row.upper, row.impulse + part * step)) - row.impulse;
                row.push(*change, &self.masses, &mut moves);
                gain -= slopes[index as usize] * *change;
                cost += 0.5 * row.compliance * *change * *change;
            }
            cost += moves.iter().zip(&self.masses).map(|(moved, mass)| kinetic_energy(moved, mass)).sum::<f64>();
            if gain > cost {
                for (&index, change) in self.factorised.iter().zip(&changes) {
                    let row = &mut self.rows[index as usize];
                    row.impulse += change;
                    row.push(*change, &self.masses, &mut self.now);
                }
                return true;
            }
            part *= 0.5;
        }
        false
    }

    /// Finds which rows are at a bound, and the impulses of all. If it does not, all is as before, and the
    /// answer false.
    pub(super) fn pivot(&mut self, rounds: usize) -> bool {
        let before: Vec<f64> = self.rows.iter().map(|row| row.impulse).collect();
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..rounds {
            self.solve_free();
            // Rows that came out wrong change sides.
            let mut wrong = 0;
            let mut last = None;
            for index in 0..self.rows.len() {
                if let Some(state) = self.other_side(index) {
                    wrong += 1;
                    last = Some((index, state));
                }
            }
            let Some((last, last_state)) = last else { return true };
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else if self.rows.len() <= SMALL {
                self.rows[last].state = last_state;
                continue;
            } else {
                break;
            }
            for index in 0..self.rows.len() {
                if let Some(state) = self.other_side(index) {
                    self.rows[index].state = state;
                }
            }
        }
        self.now.clone_from(&self.free);
        for (row, impulse) in self.rows.iter_mut().zip(before) {
            row.impulse = impulse;
            row.push(impulse, &self.masses, &mut self.now);
        }
        false
    }

    /// Where a row belongs, if not where it is.
    pub(super) fn other_side(&self, index: usize) -> Option<State> {
        let row = &self.rows[index];
        if row.lower == row.upper {
            return (row.state != State::Lower).then_some(State::Lower);
        }
        match row.state {
            State::Free if row.impulse < row.lower - row.slack => Some(State::Lower),
            State::Free if row.impulse > row.upper + row.slack => Some(State::Upper),
            State::Free => None,
            State::Lower | State::Upper => {
                let w = row.residual(&self.now);
                let held = if row.state == State::Lower { w >= -TOLERANCE } else { w <= TOLERANCE };
                (!held).then_some(State::Free)
            }
        }
    }

    /// Solves the free rows with the others at their bounds.
    pub(super) fn solve_free(&mut self) {
        self.now.clone_from(&self.free);
        for row in &mut self.rows {
            match row.state {
                State::Free => continue,
                State::Lower => row.impulse = row.lower,
                State::Upper => row.impulse = row.upper,
            }
            row.push(row.impulse, &self.masses, &mut self.now);
        }
        self.factorise();
        let wanted = |&index: &u32| {
            let row = &self.rows[index as usize];
            -(row.speed(&self.now) + row.bias)
        };
        let mut x: Vec<f64> = self.factorised.iter().map(wanted).collect();
        self.factor.solve(&mut x);
        for (&index, impulse) in self.factorised.iter().zip(x) {
            let row = &mut self.rows[index as usize];
            row.impulse = impulse;
            row.push(impulse, &self.masses, &mut self.now);
        }
    }

    /// Factorises `A` for the free rows, in the order of elimination.
    pub(super) fn factorise(&mut self) {
        let is_free = |&&index: &&u32| self.rows[index as usize].state == State::Free;
        if self.is_factorised && self.sequence.iter().filter(is_free).eq(&self.factorised) {
            return;
        }
        self.factorise_those(|row| row.state == State::Free, |row| row.compliance);
        self.is_factorised = true;
    }

    /// Factorises `J M^-1 J^T` and something on the diagonal for some rows, in the order of elimination.
    pub(super) fn factorise_those(
        &mut self,
        chosen: impl Fn(&SystemRow) -> bool,
        on_diagonal: impl Fn(&SystemRow) -> f64,
    ) {
        self.is_factorised = false;
        self.place.clear();
        self.place.resize(self.rows.len(), NONE);
        self.factorised.clear();
        for &index in &self.sequence {
            if chosen(&self.rows[index as usize]) {
                self.place[index as usize] = self.factorised.len() as u32;
                self.factorised.push(index);
            }
        }
        let System { rows, by_body, masses, place, factor, factorised, .. } = self;
        factor.factorise(factorised.len(), |k, add| {
            let row = &rows[factorised[k as usize] as usize];
            for (body, j) in row.parts() {
                for &(other, slot) in &by_body[body] {
                    let i = place[other as usize];
                    if i < k {
                        let part = &rows[other as usize].jacobian[usize::from(slot)];
                        add(i, weighted(j, &masses[body], part));
                    }
                }
            }
            row.response + on_diagonal(row)
        });
    }
}

/// Of a body with these inverse masses.
fn kinetic_energy(motion: &Motion, inverse: &Motion) -> f64 {
    let part = |axis: usize| if inverse[axis] > 0.0 { motion[axis] * motion[axis] / inverse[axis] } else { 0.0 };
    0.5 * (part(0) + part(1) + part(2))
}
