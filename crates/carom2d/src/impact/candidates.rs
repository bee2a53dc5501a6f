//! Which contacts of a block may rebound now, sixteen at a time.

use crate::body::BodyState;
use crate::solver::{BlockExtras, ContactBlock, Moved, Velocities, separation};
use crate::stage::StepContext;
use carom_wide::{Lanes, Lanes2, Rows, each_part, part_bits};

/// The lanes of a block that may rebound now, one bit each: none is missing, some may turn out not to.
#[inline(always)]
pub(crate) fn find_impacts<L: Lanes>(
    block: &ContactBlock,
    extras: &BlockExtras,
    states: &Rows<'_, BodyState>,
    context: &StepContext,
) -> u32 {
    let mut impacts = 0;
    for first in each_part::<L>(block.count as usize) {
        let a = Velocities::<L>::read(states, &block.bodies_a, first);
        let b = Velocities::<L>::read(states, &block.bodies_b, first);
        let normal = Lanes2::load(&block.normal, first);
        let count = if block.traits.two_points { 2 } else { 1 };
        let bent = part_bits::<L>(extras.bent, first);
        let rebounding = part_bits::<L>(extras.rebounding, first);
        let read_moved = || [&block.bodies_a, &block.bodies_b].map(|places| Moved::<L>::read(states, places, first));
        let moved = (bent != 0).then(read_moved);
        // Of straight paths, and of those that bend.
        let (mut velocities, mut fast) = ([[L::splat(0.0); 2]; 2], [[0; 2]; 2]);
        for (i, point) in block.points[..count].iter().enumerate() {
            let (arm_a, arm_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
            let straight = (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(normal);
            velocities[i] = [straight; 2];
            if let Some([moved_a, moved_b]) = &moved {
                // Turning bends the path of a core by `w^2 r h^2 / 2` at most, and changes its velocity by `w^2 r h`. Cores
                // have turned since the moment that their anchors belong to.
                let (mut core_a, mut core_b) = (arm_a, arm_b);
                if block.traits.rounded {
                    core_a = core_a - normal.scale(L::load(&extras.rounding_a, first));
                    core_b = core_b + normal.scale(L::load(&extras.rounding_b, first));
                }
                let bent = wide_bend(&a, core_a, context.h) + wide_bend(&b, core_b, context.h);
                let turned = b.velocity_at(core_b.rotated(moved_b.c, moved_b.s))
                    - a.velocity_at(core_a.rotated(moved_a.c, moved_a.s));
                velocities[i][1] = straight.min(turned.dot(normal)) - bent * L::splat(context.inv_h);
            }
            let slowest = -L::load(&extras.slowest_rebound, first);
            fast[i][0] = L::bits(slowest.greater(straight)) & rebounding & !bent;
            if bent != 0 {
                fast[i][1] = L::bits(slowest.greater(velocities[i][1])) & bent;
            }
            if fast[i] == [0; 2] {
                continue;
            }
            let mut there = L::load(&point.normal_impulse, first);
            if block.traits.impacted {
                there = there.max(L::load(&extras.impact_impulses[i], first));
            }
            let restitution = L::load(&extras.restitution, first);
            let is_impact = L::mask(part_bits::<L>(extras.impacts, first));
            let lost = L::select(restitution.greater(L::splat(0.0)), L::splat(1.0) - restitution, L::splat(0.0));
            let stopped = L::select(is_impact, L::splat(0.0), lost) * L::load(&point.total_impulse, first);
            // What it takes to stop the point, less a little for rounding, against what the load would.
            let there = (there + there).max(stopped) * L::splat(-1.0 + 0.5e-4);
            let mass = L::load(&point.normal_mass, first);
            for (fast, velocity) in fast[i].iter_mut().zip(velocities[i]) {
                *fast &= L::bits(there.greater(velocity * mass));
            }
        }
        if fast == [[0; 2]; 2] {
            continue;
        }
        let [moved_a, moved_b] = &moved.unwrap_or_else(read_moved);
        for i in 0..count {
            let separation = separation(block, extras, i, [moved_a, moved_b], first);
            for path in 0..if bent != 0 { 2 } else { 1 } {
                let meets = L::splat(0.0).at_least(separation + velocities[i][path] * L::splat(context.h));
                impacts |= (fast[i][path] & L::bits(meets)) << first;
            }
        }
    }
    impacts
}

/// By how much turning bends the paths of cores within a sub-step, at most.
#[inline(always)]
fn wide_bend<L: Lanes>(body: &Velocities<L>, core: Lanes2<L>, h: f32) -> L {
    let turn = body.angular_velocity * L::splat(h);
    turn * turn * core.dot(core).sqrt()
}
