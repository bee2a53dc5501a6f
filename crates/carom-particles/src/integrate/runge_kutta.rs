//! y' = y + h/6 (k1 + 2 k2 + 2 k3 + k4), y = (x, v), k = (v, f(x, v)/m), k2 and k3 at half the step, k4 at its end
//!
//! The classical method of fourth order (Kutta 1901).

use super::{ForceField, Workspace, add_scaled};
use crate::model::State;

pub(super) fn step(field: &mut ForceField<'_>, state: &mut State, h: f64, workspace: &mut Workspace) {
    let Workspace { accelerations, trial, .. } = workspace;
    let mut sum = state.clone();
    trial.clone_from(state);
    // Each stage: the weight of its slope, and how far along that slope the next stage looks.
    for (weight, next) in [(1.0, Some(0.5)), (2.0, Some(0.5)), (2.0, Some(1.0)), (1.0, None)] {
        field.accelerations(trial, accelerations);
        add_scaled(&mut sum.positions, h / 6.0 * weight, &trial.velocities);
        add_scaled(&mut sum.velocities, h / 6.0 * weight, accelerations);
        if let Some(next) = next {
            let slope = std::mem::replace(&mut trial.velocities, state.velocities.clone());
            add_scaled(&mut trial.velocities, next * h, accelerations);
            trial.positions.clone_from(&state.positions);
            add_scaled(&mut trial.positions, next * h, &slope);
        }
    }
    *state = sum;
}
