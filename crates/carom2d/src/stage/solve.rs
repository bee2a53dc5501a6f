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
use crate::solver::{
    BlockExtras, BlockPoint, Common, Constraints, ContactBlock, InverseMasses, Moved, Solver, Velocities, separation,
};
use crate::world::World;
use carom_wide::{Lanes, Lanes2, Rows, Task, each_part, is_sparse};

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

#[allow(unsafe_code)]
fn solve<const BIASED: bool>(world: &mut World, context: &StepContext) {
    super::joints::solve_joints::<BIASED>(world, context);
    let states = Rows::of(&mut world.sets.sets[crate::sets::AWAKE as usize].states);
    let Constraints { blocks, extras, colors, .. } = &mut world.constraints;
    let inv_h = context.inv_h;
    if context.crew.threads() == 1 {
        return context.width.run(Solve::<BIASED> { blocks, extras, states, inv_h });
    }
    for color in colors {
        let grain = context.crew.grain(color.len(), LEAST_BLOCKS);
        let (blocks, extras) = (&mut blocks[color.clone()], &mut extras[color.clone()]);
        context.crew.for_zipped(blocks, extras, grain, |_, blocks, extras| {
            // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            context.width.run(Solve::<BIASED> { blocks, extras, states, inv_h });
        });
    }
}

/// Fewer blocks of a colour than this are not worth another thread in a pass: a few microseconds. Where two threads
/// share a core, what one of them writes stops the other one that has read beside it. Builds with checks share
/// whatever there is.
pub(crate) const LEAST_BLOCKS: usize = if cfg!(debug_assertions) { 2 } else { 40 };
/// The same where blocks are filled or emptied, which takes far longer than a pass.
pub(crate) const LEAST_FILLED: usize = 6;

/// A run of blocks, in order: all of them, or some of one colour.
pub(super) struct Solve<'a, const BIASED: bool> {
    pub(super) blocks: &'a mut [ContactBlock],
    pub(super) extras: &'a mut [BlockExtras],
    pub(super) states: Rows<'a, BodyState>,
    pub(super) inv_h: f32,
}

impl<const BIASED: bool> Task for Solve<'_, BIASED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Solve { blocks, extras, mut states, inv_h } = self;
        for (block, extras) in blocks.iter_mut().zip(extras) {
            if is_sparse::<L>(block.count as usize) {
                solve_block::<L::Narrow, BIASED>(block, extras, &mut states, inv_h);
            } else {
                solve_block::<L, BIASED>(block, extras, &mut states, inv_h);
            }
        }
    }
}

/// Solves the contacts of a block.
#[inline(always)]
fn solve_block<L: Lanes, const BIASED: bool>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    states: &mut Rows<'_, BodyState>,
    inv_h: f32,
) {
    for first in each_part::<L>(block.count as usize) {
        if block.traits.two_points {
            solve_part::<L, BIASED, 2>(block, extras, states, inv_h, first);
        } else {
            solve_part::<L, BIASED, 1>(block, extras, states, inv_h, first);
        }
    }
}

/// Below this the two points of a contact are as good as one.
const MIN_DETERMINANT: f32 = 0.05;

/// What a point asks for: a change of its normal velocity, and the mass that has it.
#[derive(Clone, Copy)]
struct Demand<L> {
    velocity: L,
    mass: L,
}

/// Solves the contacts of a part.
#[inline(always)]
fn solve_part<L: Lanes, const BIASED: bool, const POINTS: usize>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    states: &mut Rows<'_, BodyState>,
    inv_h: f32,
    first: usize,
) {
    let (mut a, moved_a) = Velocities::<L>::read_all(states, &block.bodies_a, first);
    let (mut b, moved_b) = Velocities::<L>::read_all(states, &block.bodies_b, first);
    let common = Common::load(block, extras, first);
    let [inverse_a, inverse_b] = InverseMasses::load(block, extras, &common, first);
    let normal = Lanes2::load(&block.normal, first);
    let zero = L::splat(0.0);

    // Non-penetration: what each point asks for, both from the same velocities.
    let mut demands = [Demand { velocity: zero, mass: zero }; 2];
    let mut before = [zero; 2];
    for i in 0..POINTS {
        let bodies = [(&a, &moved_a), (&b, &moved_b)];
        demands[i] = demand::<L, BIASED>(block, extras, &common, i, bodies, inv_h, first);
        before[i] = L::load(&block.points[i].normal_impulse, first);
    }
    let sums = if POINTS == 2 {
        solve_pair(before, demands, L::load(&block.coupling, first))
    } else {
        [(before[0] + demands[0].mass * demands[0].velocity).max(zero), zero]
    };
    let deltas = [sums[0] - before[0], sums[1] - before[1]];
    let mut turn_a = zero;
    let mut turn_b = zero;
    for i in 0..POINTS {
        let point = &mut block.points[i];
        sums[i].store(&mut point.normal_impulse, first);
        let part_a = Lanes2::load(&point.anchor_a, first).cross(normal) * deltas[i];
        let part_b = Lanes2::load(&point.anchor_b, first).cross(normal) * deltas[i];
        (turn_a, turn_b) = if i == 0 { (part_a, part_b) } else { (turn_a + part_a, turn_b + part_b) };
    }
    let impulse = normal.scale(if POINTS == 2 { deltas[0] + deltas[1] } else { deltas[0] });
    a.velocity = a.velocity - inverse_a.mass.times(impulse);
    b.velocity = b.velocity + inverse_b.mass.times(impulse);
    a.angular_velocity -= inverse_a.inertia * turn_a;
    b.angular_velocity += inverse_b.inertia * turn_b;

    if !BIASED {
        // Friction.
        let tangent = normal.right_perp();
        for i in 0..POINTS {
            let point = &mut block.points[i];
            let (arm_a, arm_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
            let mut velocity = (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(tangent);
            if block.traits.belt {
                velocity -= L::load(&extras.surface_speed, first);
            }
            let before = L::load(&point.tangent_impulse, first);
            let delta = -(L::load(&point.tangent_mass, first) * velocity);
            let sum = (before + delta).clamp_symmetric(common.friction * sums[i]);
            let impulse = tangent.scale(sum - before);
            sum.store(&mut point.tangent_impulse, first);
            (L::load(&point.total_impulse, first) + sums[i]).store(&mut point.total_impulse, first);
            (L::load(&point.total_tangent, first) + sum).store(&mut point.total_tangent, first);
            a.pull(&inverse_a, arm_a, impulse);
            b.push(&inverse_b, arm_b, impulse);
        }

        let load = if POINTS == 2 { sums[0] + sums[1] } else { sums[0] };
        if block.traits.rolling {
            // Rolling resistance: an angular impulse against the relative spin.
            let spin = b.angular_velocity - a.angular_velocity;
            let before = L::load(&extras.rolling_impulse, first);
            let bound = L::load(&extras.rolling_resistance, first) * load;
            let sum = (before - L::load(&extras.rolling_mass, first) * spin).clamp_symmetric(bound);
            let change = sum - before;
            sum.store(&mut extras.rolling_impulse, first);
            a.angular_velocity -= inverse_a.inertia * change;
            b.angular_velocity += inverse_b.inertia * change;
        }
        a.mark_loaded(load);
        b.mark_loaded(load);
    }

    a.write(states, &block.bodies_a, first);
    b.write(states, &block.bodies_b, first);
}

/// What a point asks for.
#[inline(always)]
fn demand<L: Lanes, const BIASED: bool>(
    block: &ContactBlock,
    extras: &BlockExtras,
    common: &Common<L>,
    i: usize,
    [(a, moved_a), (b, moved_b)]: [(&Velocities<L>, &Moved<L>); 2],
    inv_h: f32,
    first: usize,
) -> Demand<L> {
    let point: &BlockPoint = &block.points[i];
    let normal = Lanes2::<L>::load(&block.normal, first);
    let (arm_a, arm_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
    let separation = separation(block, extras, i, [moved_a, moved_b], first);
    let velocity = (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(normal);
    let mass = L::load(&point.normal_mass, first);
    let zero = L::splat(0.0);
    let apart = separation.greater(zero);
    let closing = velocity + separation * L::splat(inv_h);
    if BIASED {
        let bias = (common.bias_rate * separation).max(common.push_out);
        let softened = L::load(&point.softening, first) * L::load(&point.normal_impulse, first);
        Demand {
            velocity: L::select(apart, -closing, -(velocity + bias) - softened),
            mass: mass * L::select(apart, L::splat(1.0), common.mass_scale),
        }
    } else {
        // A gap is the next sub-step's business, where the approach may turn out to be an impact
        // that rebounds: here it is not slowed down, only pushed less where that was too much.
        let left_alone = L::both(apart, zero.greater(closing));
        Demand { velocity: L::select(apart, -closing, -velocity), mass: L::select(left_alone, zero, mass) }
    }
}

/// The impulses of two points from those before and what both ask for.
///
/// Both points at once, so that neither side of a box is served first; one after the other where
/// that would pull, or where the points are so close that the two equations are one.
#[inline(always)]
fn solve_pair<L: Lanes>(before: [L; 2], [p, q]: [Demand<L>; 2], k12: L) -> [L; 2] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let det = one - p.mass * q.mass * k12 * k12;
    let two_equations = det.greater(L::splat(MIN_DETERMINANT));
    let inv_det = L::select(two_equations, det, one).recip();
    let together = [
        before[0] + p.mass * (p.velocity - k12 * (q.mass * q.velocity)) * inv_det,
        before[1] + q.mass * (q.velocity - k12 * (p.mass * p.velocity)) * inv_det,
    ];
    let alone = (before[0] + p.mass * p.velocity).max(zero);
    let after = (before[1] + q.mass * (q.velocity - k12 * (alone - before[0]))).max(zero);
    let push = L::both(together[0].at_least(zero), together[1].at_least(zero));
    let pushes = L::both(two_equations, push);
    [L::select(pushes, together[0], alone), L::select(pushes, together[1], after)]
}
