//! Problems 4, 6, 7, 17 and 22 to 25 again, with the solver that takes all constraints at once. What is a goal for
//! the default solver is a gate for this one.

use super::*;

/// Stands after the name of each problem.
pub const SUFFIX: &str = ", direct";

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = joints::checks_in(direct_world, "");
    for (ratio, gate, goal) in [(10.0, 5.0e-3, None), (100.0, 40.0e-3, None), (1000.0, 0.25, Some(0.02))] {
        checks.push(stacks::heavy_on_light(direct_world, ratio, gate, goal));
    }
    checks.extend(stacks::reaction_forces(direct_world));
    for check in &mut checks {
        check.id.push_str(SUFFIX);
        check.gate = check.goal.take().unwrap_or(check.gate);
    }
    checks
}

/// A world after the conventions, with the direct solver.
fn direct_world() -> World {
    World::new(WorldDef { gravity: vec2(0.0, -10.0), sleeping: false, solver: Solver::Direct, ..WorldDef::default() })
}
