//! dv = h/m f(x + h (v + dv), v + dv), v' = v + dv, x' = x + h v'
//!
//! Newton's method from dv = 0: (M + h Kv + h² Kx) d = h f - M dv, dv += d, with K and f at x + h (v + dv), v + dv
//! (Baraff and Witkin 1998 make one such iteration, linearised at x; here it is at x + h v).
//!
//! Fixed particles have dv = 0.

use super::{ForceField, ImplicitSystem, Workspace, add_scaled};
use crate::model::State;
use glam::DVec2;

/// Newton stops when |d| over all components is less, in m/s.
const TOLERANCE: f64 = 1e-9;
/// The original has no limit and would go on for ever.
const MAX_ITERATIONS: usize = 200;

/// False if Newton's method did not converge.
pub(super) fn step(field: &mut ForceField<'_>, state: &mut State, h: f64, workspace: &mut Workspace) -> bool {
    iterate(field, state, h, workspace, MAX_ITERATIONS)
}

/// Newton's first iteration alone.
pub(super) fn linearized_step(field: &mut ForceField<'_>, state: &mut State, h: f64, workspace: &mut Workspace) {
    iterate(field, state, h, workspace, 1);
}

fn iterate(
    field: &mut ForceField<'_>,
    state: &mut State,
    h: f64,
    workspace: &mut Workspace,
    max_iterations: usize,
) -> bool {
    let Workspace { accelerations: rhs, trial, dv, implicit, equation_solver } = workspace;
    let equations = implicit.get_or_insert_with(|| ImplicitSystem::new(field.model, *equation_solver));
    dv.clear();
    dv.resize(state.positions.len(), DVec2::ZERO);
    let mut has_converged = false;
    for _ in 0..max_iterations {
        trial.clone_from(state);
        add_scaled(&mut trial.velocities, 1.0, dv);
        add_scaled(&mut trial.positions, h, &trial.velocities);

        field.evaluate(trial, rhs);
        for (i, rhs) in rhs.iter_mut().enumerate() {
            if !field.model.is_fixed(i) {
                *rhs = h * *rhs - field.model.masses[i] * dv[i];
            }
        }
        equations.assemble(field.model, trial, h);
        equations.solve(rhs);
        add_scaled(dv, 1.0, rhs);

        let size = rhs.iter().map(|d| d.dot(*d)).sum::<f64>().sqrt();
        has_converged = size < TOLERANCE;
        if has_converged || !size.is_finite() {
            break;
        }
    }
    add_scaled(&mut state.velocities, 1.0, dv);
    add_scaled(&mut state.positions, h, &state.velocities);
    has_converged
}
