//! Applies the impulses of the last sub-step again: the best guess for this one.

use super::StepContext;
use crate::solver::{Solver, gather, scatter};
use crate::world::World;

pub(crate) fn warm_start(world: &mut World, _: &StepContext) {
    super::joints::warm_start_joints(world);
    if matches!(world.def.solver, Solver::Sequential(_)) {
        // It starts its own points: those that are apart carry nothing.
        return;
    }
    let states = &mut world.sets.sets[crate::sets::AWAKE as usize].states;
    for color in &world.constraints.colors {
        for block in &world.constraints.blocks[color.clone()] {
            let mut a = gather(states, &block.body_a);
            let mut b = gather(states, &block.body_b);
            let (normal, tangent) = (block.normal, block.normal.right_perp());
            for point in &block.points {
                let impulse = normal.scale(point.normal_impulse) + tangent.scale(point.tangent_impulse);
                a.pull(block.inv_mass_a, block.inv_inertia_a, point.anchor_a, impulse);
                b.push(block.inv_mass_b, block.inv_inertia_b, point.anchor_b, impulse);
            }
            a.angular_velocity -= block.inv_inertia_a * block.rolling_impulse;
            b.angular_velocity += block.inv_inertia_b * block.rolling_impulse;
            scatter(states, &block.body_a, &a);
            scatter(states, &block.body_b, &b);
        }
    }
}
