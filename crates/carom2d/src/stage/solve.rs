//! Solves the contact constraints: friction, then non-penetration, then rolling resistance.
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
//! is clamped: `P_n >= 0`, `|P_t| <= mu * P_n`. Friction is solved in the relaxed pass only, bounded by the normal
//! impulses of the biased pass, and before non-penetration.
//!
//! A contact whose impulse grows far beyond that of the last sub-step has taken an impact. It is over within the sub-step,
//! so the next one starts with the load from before it.

use super::StepContext;
use crate::body::BodyState;
use crate::collide::LINEAR_SLOP;
use crate::math::max;
use crate::solver::friction::{on_walls, set_back_sliders, solve_friction};
use crate::solver::impacts::{forget_impacts, note_impacts};
use crate::solver::impulse::{LeverArms, apply};
use crate::solver::two_points::{VelocityTarget, solve_pair};
use crate::solver::{
    Batch, BlockExtras, BlockPoint, Common, ContactBlock, DriveBlock, InverseMasses, Velocities, separation,
};
use carom_threads::Parts;
use carom_wide::{Lanes, Lanes2, Rows, Task, Wide, each_part, is_sparse, prefetch_at};

pub(crate) fn solve_biased(batch: &mut Batch<'_>, context: &StepContext) {
    solve::<true>(batch, context);
}

pub(crate) fn solve_relaxed(batch: &mut Batch<'_>, context: &StepContext) {
    solve::<false>(batch, context);
}

fn solve<const BIASED: bool>(batch: &mut Batch<'_>, context: &StepContext) {
    super::joints::solve_joints::<BIASED>(batch, context);
    solve_in_passes::<BIASED>(batch, context);
    super::burdens::solve_burdens::<BIASED>(batch, context);
}

#[allow(unsafe_code)]
fn solve_in_passes<const BIASED: bool>(batch: &mut Batch<'_>, context: &StepContext) {
    let passed = batch.passed_blocks();
    let Batch { blocks, extras, colors, passed: colors_passed, drives, states, .. } = batch;
    let states = Rows::of(states);
    let (drives, pace) = (&Parts::of(drives), Pace::of(context));
    if context.crew.threads() == 1 {
        let (blocks, extras) = (&mut blocks[..passed], &mut extras[..passed]);
        return context.width.run(Solve::<BIASED> { blocks, extras, states, drives, pace });
    }
    for color in &colors[..*colors_passed] {
        let grain = context.crew.grain(color.len(), LEAST_BLOCKS);
        let (blocks, extras) = (&mut blocks[color.clone()], &mut extras[color.clone()]);
        context.crew.for_zipped(blocks, extras, grain, |_, blocks, extras| {
            // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            context.width.run(Solve::<BIASED> { blocks, extras, states, drives, pace });
        });
    }
}

/// Fewer blocks of a colour than this are not worth another thread in a pass: a few microseconds. Where two threads
/// share a core, what one of them writes stops the other one that has read beside it. Builds with checks share
/// whatever there is.
pub(crate) const LEAST_BLOCKS: usize = if cfg!(debug_assertions) { 2 } else { 64 };
/// The same where blocks are filled or emptied, which takes far longer than a pass.
pub(crate) const LEAST_FILLED: usize = 6;

/// A run of blocks, in order: all of them, or some of one colour.
struct Solve<'a, const BIASED: bool> {
    blocks: &'a mut [ContactBlock],
    extras: &'a mut [BlockExtras],
    states: Rows<'a, BodyState>,
    drives: &'a Parts<'a, DriveBlock>,
    pace: Pace,
}

/// What a pass has to know of the sub-step.
#[derive(Clone, Copy)]
struct Pace {
    inv_h: f32,
    /// A contact is impacted when its impulse exceeds twice that of the last sub-step by what changes its velocity by this.
    impact_speed: f32,
}

impl Pace {
    fn of(context: &StepContext) -> Pace {
        // Twice what stops a fall from rest within the sub-step.
        Pace { inv_h: context.inv_h, impact_speed: max(2.0 * context.fall, LEAST_IMPACT * context.inv_h) }
    }
}

/// An impact moves bodies by at least this within a sub-step.
const LEAST_IMPACT: f32 = 0.02 * LINEAR_SLOP;

impl<const BIASED: bool> Task for Solve<'_, BIASED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Solve { blocks, extras, mut states, drives, pace } = self;
        for index in 0..blocks.len() {
            // Blocks follow each other in memory and come by themselves; of the extras only a part is read.
            if let (Some(block), Some(extras)) = (blocks.get(index + 1), extras.get(index + 1))
                && block.traits.varied
            {
                prefetch_at(&extras.varied, size_of::<Common<Wide>>());
            }
            let (block, extras) = (&mut blocks[index], &mut extras[index]);
            if is_sparse::<L>(block.count as usize) {
                solve_block::<L::Narrow, BIASED>(block, extras, &mut states, drives, pace);
            } else {
                solve_block::<L, BIASED>(block, extras, &mut states, drives, pace);
            }
            if !BIASED && block.traits.sliding {
                set_back_sliders(block, extras, drives, &mut states, pace.inv_h);
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
    drives: &Parts<'_, DriveBlock>,
    pace: Pace,
) {
    for first in each_part::<L>(block.count as usize) {
        if block.traits.two_points {
            solve_part::<L, BIASED, 2>(block, extras, states, pace, first);
        } else {
            solve_part::<L, BIASED, 1>(block, extras, states, pace, first);
        }
    }
    if !BIASED && block.traits.impacted {
        forget_impacts::<L>(block, extras, drives);
    }
}

/// Solves the contacts of a part.
///
/// Where colours are small a block waits for the one before it, so what counts is the way from the velocities that are
/// read to those that are written. All that depends on the block alone is computed beside it.
#[inline(always)]
fn solve_part<L: Lanes, const BIASED: bool, const POINTS: usize>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    states: &mut Rows<'_, BodyState>,
    pace: Pace,
    first: usize,
) {
    let (mut a, moved_a) = Velocities::<L>::read_all(states, &block.bodies_a, first);
    let (mut b, moved_b) = Velocities::<L>::read_all(states, &block.bodies_b, first);
    let common = Common::load(block, extras, first);
    let inverse = InverseMasses::load(block, extras, &common, first);
    let normal = Lanes2::load(&block.normal, first);
    let zero = L::splat(0.0);

    let mut lever_arms = [LeverArms { a: zero, b: zero }; 2];
    let mut before = [zero; 2];
    for i in 0..POINTS {
        before[i] = L::load(&block.points[i].normal_impulse, first);
    }

    if !BIASED {
        let bodies = [&mut a, &mut b];
        // Two ways through the same code: within heaps there is nothing to be held.
        if L::bits(on_walls(&inverse)) == 0 {
            solve_friction::<L, POINTS, false>(block, extras, bodies, &inverse, &common, before, first);
        } else {
            solve_friction::<L, POINTS, true>(block, extras, bodies, &inverse, &common, before, first);
        }
    }

    // Non-penetration: what each point asks for, both from the same velocities.
    let (mut targets, mut separations, mut velocities) = ([VelocityTarget::nothing(); 2], [zero; 2], [zero; 2]);
    let leaving = (b.velocity - a.velocity).dot(normal);
    for i in 0..POINTS {
        lever_arms[i] = LeverArms::of(&block.points[i], normal, first);
        velocities[i] = leaving + lever_arms[i].angular_velocity(&a, &b);
        separations[i] = separation(block, extras, i, [&moved_a, &moved_b], first);
        targets[i] =
            velocity_target::<L, BIASED>(&block.points[i], &common, velocities[i], separations[i], pace.inv_h, first);
    }
    if BIASED && POINTS == 2 && block.traits.column {
        // The difference of what depth and load ask for is followed slowly: see `SWAY_DAMPING`.
        let touching = zero.at_least(separations[0].max(separations[1]));
        let difference = (targets[1].velocity + velocities[1]) - (targets[0].velocity + velocities[0]);
        let delayed = L::select(touching, L::load(&extras.delay, first) * difference, zero);
        targets[0].velocity += delayed;
        targets[1].velocity -= delayed;
    }
    let sums = if POINTS == 2 {
        solve_pair(before, targets, L::load(&block.coupling, first))
    } else {
        [(before[0] + targets[0].mass * targets[0].velocity).max(zero), zero]
    };
    for i in 0..POINTS {
        sums[i].store(&mut block.points[i].normal_impulse, first);
    }
    if BIASED {
        note_impacts::<L, POINTS>(block, extras, before, sums, separations, pace.impact_speed, first);
    }
    let impulses = [sums[0] - before[0], sums[1] - before[1]];
    apply::<L, POINTS>([&mut a, &mut b], &inverse, normal, &lever_arms, impulses);

    if !BIASED {
        for i in 0..POINTS {
            let point = &mut block.points[i];
            (L::load(&point.total_impulse, first) + sums[i]).store(&mut point.total_impulse, first);
        }
        let load = if POINTS == 2 { sums[0] + sums[1] } else { sums[0] };
        if block.traits.rolling {
            resist_rolling(extras, [&mut a, &mut b], &inverse, load, first);
        }
        a.mark_loaded(load);
        b.mark_loaded(load);
    }

    a.write(states, &block.bodies_a, first);
    b.write(states, &block.bodies_b, first);
}

/// Rolling resistance: an angular impulse against the relative spin, bounded by a share of the load.
#[inline(always)]
fn resist_rolling<L: Lanes>(
    extras: &mut BlockExtras,
    [a, b]: [&mut Velocities<L>; 2],
    inverse: &[InverseMasses<L>; 2],
    load: L,
    first: usize,
) {
    let spin = b.angular_velocity - a.angular_velocity;
    let before = L::load(&extras.rolling_impulse, first);
    let bound = L::load(&extras.rolling_resistance, first) * load;
    let sum = (before - L::load(&extras.rolling_mass, first) * spin).clamp_symmetric(bound);
    let change = sum - before;
    sum.store(&mut extras.rolling_impulse, first);
    a.angular_velocity -= inverse[0].inertia * change;
    b.angular_velocity += inverse[1].inertia * change;
}

/// The velocity target of a point.
#[inline(always)]
fn velocity_target<L: Lanes, const BIASED: bool>(
    point: &BlockPoint,
    common: &Common<L>,
    velocity: L,
    separation: L,
    inv_h: f32,
    first: usize,
) -> VelocityTarget<L> {
    let mass = L::load(&point.normal_mass, first);
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let apart = separation.greater(if BIASED { zero } else { common.touch });
    let gap = separation * L::splat(inv_h);
    if BIASED {
        let bias = (common.bias_rate * separation).max(common.push_out);
        let softened = L::load(&point.softening, first) * L::load(&point.normal_impulse, first);
        let mass = mass * L::select(apart, one, common.mass_scale);
        VelocityTarget {
            velocity: -(velocity + L::select(apart, gap, bias + softened)),
            mass,
            hard_mass: mass,
            active: one,
        }
    } else {
        // A gap is the next sub-step's business, where the approach may turn out to be an impact
        // that rebounds: here it is not slowed down, only pushed less where that was too much.
        let closing = velocity + L::select(apart, gap, zero);
        let left_alone = L::both(apart, zero.greater(closing));
        VelocityTarget {
            velocity: -closing,
            mass: L::select(left_alone, zero, mass),
            hard_mass: mass,
            active: L::select(left_alone, zero, one),
        }
    }
}
