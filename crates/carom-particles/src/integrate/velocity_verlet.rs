//! v½ = v + h/2 f(x, v)/m, x' = x + h v½, v' = v½ + h/2 f(x', v½)/m
//!
//! Second order where forces depend on positions alone (Swope et al. 1982). Forces that depend on velocities are taken
//! at v½ in the second half, which costs an order for them.

use super::{ForceField, Workspace, add_scaled};
use crate::model::State;

pub(super) fn step(field: &mut ForceField<'_>, state: &mut State, h: f64, workspace: &mut Workspace) {
    let accelerations = &mut workspace.accelerations;
    field.accelerations(state, accelerations);
    add_scaled(&mut state.velocities, 0.5 * h, accelerations);
    add_scaled(&mut state.positions, h, &state.velocities);
    field.accelerations(state, accelerations);
    add_scaled(&mut state.velocities, 0.5 * h, accelerations);
}
