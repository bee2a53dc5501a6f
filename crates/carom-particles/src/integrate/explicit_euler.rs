//! x' = x + h v, v' = v + h f(x, v)/m

use super::{ForceField, Workspace, add_scaled};
use crate::model::State;

pub(super) fn step(field: &mut ForceField<'_>, state: &mut State, h: f64, workspace: &mut Workspace) {
    field.accelerations(state, &mut workspace.accelerations);
    add_scaled(&mut state.positions, h, &state.velocities);
    add_scaled(&mut state.velocities, h, &workspace.accelerations);
}
