//! Solves the contact constraints: non-penetration, then friction, then rolling resistance.
//!
//! Per point, with separation `s`, normal velocity `v_n`, and sub-step `h`:
//!
//! ```text
//! apart (s > 0)         v_n >= -s / h        closes the gap at most, within this sub-step
//! overlapping, biased   v_n >= -rate * s     pushes apart, as a soft constraint (`Softness`)
//! overlapping, relaxed  v_n >= 0
//! ```
//!
//! The biased pass moves the bodies out of each other; the relaxed pass after it takes away the
//! speed that this needed, so overlap does not turn into energy. Impulses are accumulated and the sum
//! is clamped: `P_n >= 0`, `|P_t| <= mu * P_n`. Friction follows the normal impulse in each pass and
//! sees the velocities it left.

use super::StepContext;
use crate::body::BodyState;
use crate::solver::{ContactBlock, gather, scatter};
use crate::world::World;
use carom_wide::Wide;

pub(crate) fn solve_biased(world: &mut World, context: &StepContext) {
    solve(world, context, true);
}

pub(crate) fn solve_relaxed(world: &mut World, context: &StepContext) {
    solve(world, context, false);
}

fn solve(world: &mut World, context: &StepContext, biased: bool) {
    let states = &mut world.sets.sets[crate::sets::AWAKE as usize].states;
    for color in &world.constraints.colors {
        for block in &mut world.constraints.blocks[color.clone()] {
            solve_block(block, states, context, biased);
        }
    }
}

#[inline]
fn solve_block(block: &mut ContactBlock, states: &mut [BodyState], context: &StepContext, biased: bool) {
    let mut a = gather(states, &block.body_a);
    let mut b = gather(states, &block.body_b);
    let one = Wide::splat(1.0);
    let inv_h = Wide::splat(context.inv_h);
    let push_out = Wide::splat(-context.push_out_speed);
    let normal = block.normal;
    let moved = b.delta_position - a.delta_position;
    let mut load = Wide::ZERO;

    // Non-penetration.
    for point in &mut block.points {
        // Separation now: the anchors turn with their bodies.
        let turned =
            point.anchor_b.rotated(b.delta_c, b.delta_s) - point.anchor_a.rotated(a.delta_c, a.delta_s);
        let separation = (moved + turned).dot(normal) + point.base_separation;
        let apart = separation.greater(Wide::ZERO);
        let (bias, mass_scale, impulse_scale) = if biased {
            (
                apart.select(separation * inv_h, (block.bias_rate * separation).max(push_out)),
                apart.select(one, block.mass_scale),
                apart.select(Wide::ZERO, block.impulse_scale),
            )
        } else {
            (apart.select(separation * inv_h, Wide::ZERO), one, Wide::ZERO)
        };
        let velocity = (b.velocity_at(point.anchor_b) - a.velocity_at(point.anchor_a)).dot(normal);
        let delta = -(point.normal_mass * mass_scale * (velocity + bias)) - impulse_scale * point.normal_impulse;
        let sum = (point.normal_impulse + delta).max(Wide::ZERO);
        let impulse = normal.scale(sum - point.normal_impulse);
        point.normal_impulse = sum;
        load += sum;
        a.pull(block.inv_mass_a, block.inv_inertia_a, point.anchor_a, impulse);
        b.push(block.inv_mass_b, block.inv_inertia_b, point.anchor_b, impulse);
    }

    if !biased {
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
    }

    scatter(states, &block.body_a, &a);
    scatter(states, &block.body_b, &b);
}
