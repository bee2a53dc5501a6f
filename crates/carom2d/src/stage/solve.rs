//! Solves the contact constraints: non-penetration, then friction, then rolling resistance.
//!
//! Per point, with separation `s`, normal velocity `v_n`, and sub-step `h`:
//!
//! ```text
//! apart (s > 0)         v_n >= -s / h        closes the gap at most, within this sub-step (biased)
//! overlapping, biased   v_n >= -rate * s     pushes apart, as a soft constraint (`Softness`)
//! overlapping, relaxed  v_n >= 0
//! ```
//!
//! The biased pass moves the bodies out of each other; the relaxed pass after it takes away the
//! speed that this needed, so overlap does not turn into energy. (Deep overlaps are left to
//! `recover.rs`.) Impulses are accumulated and the sum
//! is clamped: `P_n >= 0`, `|P_t| <= mu * P_n`. Friction follows the normal impulse, in the
//! relaxed pass only, and sees the velocities it left.

use super::StepContext;
use crate::body::BodyState;
use crate::solver::{BlockPoint, ContactBlock, Solver, gather, mark_loaded, scatter};
use crate::world::World;
use carom_wide::Wide;

pub(crate) fn solve_biased(world: &mut World, context: &StepContext) {
    match world.def.solver {
        Solver::SoftStep => solve::<true>(world, context),
        Solver::Direct => super::direct::solve_direct::<true>(world, context),
        Solver::Sequential(settings) => super::sequential::solve_sequential(world, context, settings),
    }
}

pub(crate) fn solve_relaxed(world: &mut World, context: &StepContext) {
    match world.def.solver {
        Solver::SoftStep => solve::<false>(world, context),
        Solver::Direct => super::direct::solve_direct::<false>(world, context),
        Solver::Sequential(_) => {}
    }
}

fn solve<const BIASED: bool>(world: &mut World, context: &StepContext) {
    super::joints::solve_joints::<BIASED>(world, context);
    let states = &mut world.sets.sets[crate::sets::AWAKE as usize].states;
    let constraints = &mut world.constraints;
    for color in &constraints.colors {
        for index in color.clone() {
            solve_block::<BIASED>(&mut constraints.blocks[index], states, context);
        }
    }
}

/// Below this the two points of a contact are as good as one.
const MIN_DETERMINANT: f32 = 0.05;

#[inline]
fn solve_block<const BIASED: bool>(block: &mut ContactBlock, states: &mut [BodyState], context: &StepContext) {
    let mut a = gather(states, &block.body_a);
    let mut b = gather(states, &block.body_b);
    let one = Wide::splat(1.0);
    let inv_h = Wide::splat(context.inv_h);
    let normal = block.normal;
    let moved = b.delta_position - a.delta_position;

    // Non-penetration: what each point asks for, both from the same velocities.
    let [first, second] = &mut block.points;
    let mut wanted = [Wide::ZERO; 2];
    let mut mass = [Wide::ZERO; 2];
    for (i, point) in [&*first, &*second].into_iter().enumerate() {
        // Separation now. The cores turn with their bodies; the rounding around them does not, or a
        // wheel would lift its contact point as it rolls.
        let core_a = (point.anchor_a - normal.scale(block.rounding_a)).rotated(a.delta_c, a.delta_s);
        let core_b = (point.anchor_b + normal.scale(block.rounding_b)).rotated(b.delta_c, b.delta_s);
        let separation = (moved + core_b - core_a).dot(normal) + point.base_separation;
        let velocity = (b.velocity_at(point.anchor_b) - a.velocity_at(point.anchor_a)).dot(normal);
        let apart = separation.greater(Wide::ZERO);
        let closing = velocity + separation * inv_h;
        if BIASED {
            let bias = (block.bias_rate * separation).max(block.push_out);
            let softened = block.softening * point.normal_mass_inverse * point.normal_impulse;
            wanted[i] = apart.select(-closing, -(velocity + bias) - softened);
            mass[i] = point.normal_mass * apart.select(one, block.mass_scale);
        } else {
            // A gap is the next sub-step's business, where the approach may turn out to be an impact
            // that rebounds: here it is not slowed down, only pushed less where that was too much.
            let left_alone = apart.and(Wide::ZERO.greater(closing));
            wanted[i] = apart.select(-closing, -velocity);
            mass[i] = left_alone.select(Wide::ZERO, point.normal_mass);
        }
    }

    // Both points at once, so that neither side of a box is served first; one after the other where
    // that would pull, or where the points are so close that the two equations are one.
    let k12 = block.coupling;
    let sum = |point: &BlockPoint, delta: Wide| (point.normal_impulse + delta).max(Wide::ZERO);
    let det = one - mass[0] * mass[1] * k12 * k12;
    let two_equations = det.greater(Wide::splat(MIN_DETERMINANT));
    let inv_det = two_equations.select(det, one).recip();
    let together = [
        first.normal_impulse + mass[0] * (wanted[0] - k12 * (mass[1] * wanted[1])) * inv_det,
        second.normal_impulse + mass[1] * (wanted[1] - k12 * (mass[0] * wanted[0])) * inv_det,
    ];
    let alone = sum(first, mass[0] * wanted[0]);
    let after = sum(second, mass[1] * (wanted[1] - k12 * (alone - first.normal_impulse)));
    let pushes = two_equations.and(together[0].at_least(Wide::ZERO)).and(together[1].at_least(Wide::ZERO));
    let sums = [pushes.select(together[0], alone), pushes.select(together[1], after)];
    let deltas = [sums[0] - first.normal_impulse, sums[1] - second.normal_impulse];
    first.normal_impulse = sums[0];
    second.normal_impulse = sums[1];
    let load = sums[0] + sums[1];
    let impulse = normal.scale(deltas[0] + deltas[1]);
    let turn_a = first.anchor_a.cross(normal) * deltas[0] + second.anchor_a.cross(normal) * deltas[1];
    let turn_b = first.anchor_b.cross(normal) * deltas[0] + second.anchor_b.cross(normal) * deltas[1];
    a.velocity = a.velocity - block.inv_mass_a.times(impulse);
    b.velocity = b.velocity + block.inv_mass_b.times(impulse);
    a.angular_velocity -= block.inv_inertia_a * turn_a;
    b.angular_velocity += block.inv_inertia_b * turn_b;

    if !BIASED {
        // Friction.
        let tangent = normal.right_perp();
        for point in &mut block.points {
            let velocity = (b.velocity_at(point.anchor_b) - a.velocity_at(point.anchor_a)).dot(tangent);
            let delta = -(point.tangent_mass * (velocity - block.surface_speed));
            let bound = block.friction * point.normal_impulse;
            let sum = (point.tangent_impulse + delta).clamp_symmetric(bound);
            let impulse = tangent.scale(sum - point.tangent_impulse);
            point.tangent_impulse = sum;
            point.total_impulse += point.normal_impulse;
            point.total_tangent += sum;
            a.pull(block.inv_mass_a, block.inv_inertia_a, point.anchor_a, impulse);
            b.push(block.inv_mass_b, block.inv_inertia_b, point.anchor_b, impulse);
        }

        // Rolling resistance: an angular impulse against the relative spin.
        let spin = b.angular_velocity - a.angular_velocity;
        let bound = block.rolling_resistance * load;
        let sum = (block.rolling_impulse - block.rolling_mass * spin).clamp_symmetric(bound);
        let change = sum - block.rolling_impulse;
        block.rolling_impulse = sum;
        a.angular_velocity -= block.inv_inertia_a * change;
        b.angular_velocity += block.inv_inertia_b * change;
        mark_loaded(block, states, load);
    }

    scatter(states, &block.body_a, &a);
    scatter(states, &block.body_b, &b);
}
