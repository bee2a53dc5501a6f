//! Rigid rows hold where the bodies will be, and are brought there where they do not.

use super::row::{Home, SystemRow};
use super::{COMPLIANCE, Problem, System};
use crate::body::{BodyState, NONE};
use crate::joint::constraint::read;
use crate::joint::row::RowList;
use crate::math::vec2;
use crate::stage::StepContext;
use carom_core::math::{max64, min64};

/// Most rounds of bringing joints to where the bodies will be, and the error in metres or radians that is
/// as good as none there.
const NEWTON_ROUNDS: usize = 8;
const REACHED: f64 = 2.0e-7;
/// The energy that such a round may give to its mechanism, relative to what it has: no path turns within a sub-step by more
/// than an eighth of a turn, so the velocity that keeps bodies on it is at most half of that times theirs.
const PATH_ENERGY: f64 = 0.16;
/// Most rounds of that, and their damping relative to the row's own response: the next one after each that did not help.
const PROJECTION_ROUNDS: usize = 8;
const DAMPING: [f64; 4] = [0.0, 1.0e-4, 1.0e-2, 1.0];
/// Most that such a round may turn a body, in radians.
const PROJECTION_TURN: f64 = 0.25;

impl System {
    /// Newton rounds: change impulses so that the rigid rows of joints hold where the bodies will be, mechanism by mechanism.
    pub(super) fn reach(&mut self, problem: &mut Problem<'_>, context: &StepContext) {
        let mut errors = self.errors_ahead(problem, context);
        let mut merits = self.merits(|index| errors[index]);
        let mut under_way: Vec<bool> = merits.iter().map(|merit| merit.worst > REACHED).collect();
        let most = self.path_energies();
        for _ in 0..NEWTON_ROUNDS {
            if !under_way.contains(&true) {
                return;
            }
            let before: Vec<f64> = self.rows.iter().map(|row| row.impulse).collect();
            let motions = self.now.clone();
            let wanted = |&index: &u32| match under_way[self.rows[index as usize].mechanism as usize] {
                true => -errors[index as usize] * f64::from(context.inv_h),
                false => 0.0,
            };
            let mut x: Vec<f64> = self.factorised.iter().map(wanted).collect();
            self.factor.solve(&mut x);
            for (&index, change) in self.factorised.iter().zip(x) {
                let row = &mut self.rows[index as usize];
                let kept = max64(row.lower, min64(row.upper, row.impulse + change));
                row.push(kept - row.impulse, &self.masses, &mut self.now);
                row.impulse = kept;
            }
            errors = self.errors_ahead(problem, context);
            let costs = self.energies(|body, axis| self.now[body][axis] - motions[body][axis]);
            let reached = self.merits(|index| errors[index]);
            let helped: Vec<bool> = (0..self.mechanism_count)
                .map(|i| under_way[i] && reached[i].sum < 0.5 * merits[i].sum && costs[i] <= most[i])
                .collect();
            // What did not help is undone.
            for (row, before) in self.rows.iter_mut().zip(before) {
                if !helped[row.mechanism as usize] {
                    row.impulse = before;
                }
            }
            for (body, &mechanism) in self.body_mechanisms.iter().enumerate() {
                if mechanism != NONE && !helped[mechanism as usize] {
                    self.now[body] = motions[body];
                }
            }
            for i in 0..self.mechanism_count {
                under_way[i] = helped[i] && reached[i].worst > REACHED;
            }
            merits = reached;
        }
    }

    /// The errors of the rigid rows where the bodies will be at the end of the sub-step.
    pub(super) fn errors_ahead(&self, problem: &mut Problem<'_>, context: &StepContext) -> Vec<f64> {
        let h = context.h;
        let mut states = self.states(problem);
        for (state, now) in states.iter_mut().zip(&self.now) {
            state.delta_position += vec2((now[0] * f64::from(h)) as f32, (now[1] * f64::from(h)) as f32);
            state.delta_rotation = state.delta_rotation.turned(now[2] as f32 * h);
        }
        self.errors_at(problem, &states, |index| self.place[index] != NONE)
    }

    /// The errors of the rigid rows where the bodies are in these states; 0 for rows that are not asked for.
    pub(super) fn errors_at(
        &self,
        problem: &mut Problem<'_>,
        states: &[BodyState],
        asked: impl Fn(usize) -> bool,
    ) -> Vec<f64> {
        let mut errors = vec![0.0; self.rows.len()];
        let mut rows = RowList::new();
        let mut four = RowList::new();
        let mut loaded = None;
        for (index, row) in self.rows.iter().enumerate() {
            if !row.rigid || !asked(index) {
                continue;
            }
            errors[index] = match row.home {
                Home::Joint { constraint, slot } => {
                    let joint = &mut problem.joints[constraint as usize];
                    if loaded != Some(constraint) {
                        let bodies = read(states, &self.bodies(&joint.bodies));
                        joint.rows(&bodies, &mut rows);
                        loaded = Some(constraint);
                    }
                    error_at(&rows, slot)
                }
                Home::Gear { constraint } => {
                    let gear = &mut problem.gears[constraint as usize];
                    let bodies = read(states, &self.bodies(&gear.bodies));
                    gear.rows(&bodies, &mut four);
                    error_at(&four, 0)
                }
                _ => 0.0,
            };
            // A stop that is left again is no error.
            if row.lower == 0.0 {
                errors[index] = min64(errors[index], 0.0);
            } else if row.upper == 0.0 {
                errors[index] = max64(errors[index], 0.0);
            }
        }
        errors
    }

    /// How far each mechanism is from where it should be.
    pub(super) fn merits(&self, error: impl Fn(usize) -> f64) -> Vec<Merit> {
        let mut merits = vec![Merit::default(); self.mechanism_count];
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.rigid) {
            let merit = &mut merits[row.mechanism as usize];
            let error = error(index);
            merit.sum += error * error;
            merit.worst = max64(merit.worst, error.abs());
        }
        merits
    }

    /// The most energy that keeping each mechanism on its path can cost: a part of what it has, and what forces give in the
    /// sub-step, which constraints may have to take back.
    pub(super) fn path_energies(&self) -> Vec<f64> {
        let mut most = self.energies(|body, axis| self.now[body][axis]);
        let kicks = self.energies(|body, axis| self.kicks[body][axis]);
        for (most, kick) in most.iter_mut().zip(kicks) {
            *most = PATH_ENERGY * *most + kick;
        }
        most
    }

    /// Moves bodies to where the rigid rows of joints hold, if they are not there. Leaves their velocities as they are, and
    /// the system loaded again.
    pub(super) fn remove_errors(&mut self, problem: &mut Problem<'_>, context: &StepContext) {
        let left = self.scope.left;
        let mut merits = self.merits(|index| self.rows[index].error);
        let mut damping: Vec<usize> =
            merits.iter().map(|merit| if merit.worst > left { 0 } else { DAMPING.len() }).collect();
        let moved: Vec<bool> = damping.iter().map(|&level| level < DAMPING.len()).collect();
        if !moved.contains(&true) {
            return;
        }
        let start = self.states(problem);
        for _ in 0..PROJECTION_ROUNDS {
            if damping.iter().all(|&level| level == DAMPING.len()) {
                break;
            }
            let before = self.states(problem);
            let after = self.projected(&before, &damping);
            let errors = self.errors_at(problem, &after, |_| true);
            let reached = self.merits(|index| errors[index]);
            let helped: Vec<bool> = (0..self.mechanism_count).map(|i| reached[i].sum < merits[i].sum).collect();
            let states = &mut *problem.states;
            for (body, &mechanism) in self.body_mechanisms.iter().enumerate() {
                if mechanism != NONE && damping[mechanism as usize] < DAMPING.len() && helped[mechanism as usize] {
                    let state = &mut states[self.places[body] as usize];
                    state.delta_position = after[body].delta_position;
                    state.delta_rotation = after[body].delta_rotation;
                }
            }
            for (i, level) in damping.iter_mut().enumerate().filter(|(_, level)| **level < DAMPING.len()) {
                *level = if helped[i] { level.saturating_sub(1) } else { *level + 1 };
            }
            self.load::<false>(problem, context);
            // A round may take other joints beyond their stops, which is a matter for the next.
            merits = self.merits(|index| self.rows[index].error);
            for (level, _) in damping.iter_mut().zip(&merits).filter(|(_, merit)| merit.worst <= left) {
                *level = DAMPING.len();
            }
        }
        self.keep_angular_momentum(problem, &start, moved);
    }

    /// The bodies after one round of that, with the level of damping of each mechanism.
    pub(super) fn projected(&mut self, states: &[BodyState], damping: &[usize]) -> Vec<BodyState> {
        let level = |row: &SystemRow| damping[row.mechanism as usize];
        self.factorise_those(
            |row| row.rigid && level(row) < DAMPING.len(),
            |row| row.response * (COMPLIANCE + DAMPING[level(row)]),
        );
        let mut x: Vec<f64> = self.factorised.iter().map(|&index| -self.rows[index as usize].error).collect();
        self.factor.solve(&mut x);
        let mut moves = vec![[0.0; 3]; self.masses.len()];
        for (&index, x) in self.factorised.iter().zip(x) {
            self.rows[index as usize].push(x, &self.masses, &mut moves);
        }
        let mut turns = vec![0.0; self.mechanism_count];
        for (moved, &mechanism) in moves.iter().zip(&self.body_mechanisms).filter(|(_, number)| **number != NONE) {
            turns[mechanism as usize] = max64(turns[mechanism as usize], moved[2].abs());
        }
        let mut after = states.to_vec();
        for ((state, moved), &mechanism) in after.iter_mut().zip(&moves).zip(&self.body_mechanisms) {
            if mechanism != NONE && state.flags & BodyState::MOVABLE != 0 {
                let part = min64(1.0, PROJECTION_TURN / max64(turns[mechanism as usize], 1.0e-9));
                let [x, y, turn] = moved.map(|moved| (moved * part) as f32);
                state.delta_position += vec2(x, y);
                state.delta_rotation = state.delta_rotation.turned(turn);
            }
        }
        after
    }
}

/// How far a mechanism is from where it should be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Merit {
    /// Sum of the squares of the errors, and the largest.
    sum: f64,
    worst: f64,
}

fn error_at<const N: usize>(rows: &RowList<N>, slot: u8) -> f64 {
    for (group, rows) in rows.groups() {
        if (group.slot..group.slot + group.count).contains(&slot) {
            return f64::from(rows[usize::from(slot - group.slot)].error);
        }
    }
    0.0
}
