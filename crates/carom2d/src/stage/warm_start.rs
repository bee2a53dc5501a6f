//! Applies the impulses of the last sub-step again: the best guess for this one.

use super::StepContext;
use super::solve::LEAST_BLOCKS;
use crate::body::BodyState;
use crate::solver::{BlockExtras, Common, Constraints, ContactBlock, InverseMasses, Solver, Velocities};
use crate::world::World;
use carom_wide::{Lanes, Lanes2, Rows, Task, each_part, is_sparse};

#[allow(unsafe_code)]
pub(crate) fn warm_start(world: &mut World, context: &StepContext) {
    super::joints::warm_start_joints(world, context);
    if matches!(world.def.solver, Solver::Sequential(_)) {
        // It starts its own points: those that are apart carry nothing.
        return;
    }
    let states = Rows::of(&mut world.sets.sets[crate::sets::AWAKE as usize].states);
    let Constraints { blocks, extras, colors, .. } = &world.constraints;
    if context.crew.threads() == 1 {
        return context.width.run(WarmStart { blocks, extras, states });
    }
    for color in colors {
        let (blocks, extras) = (&blocks[color.clone()], &extras[color.clone()]);
        context.crew.for_ranges(color.len(), context.crew.grain(color.len(), LEAST_BLOCKS), |range| {
            // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            let (blocks, extras) = (&blocks[range.clone()], &extras[range]);
            context.width.run(WarmStart { blocks, extras, states });
        });
    }
}

/// A run of blocks, in order.
pub(super) struct WarmStart<'a> {
    pub(super) blocks: &'a [ContactBlock],
    pub(super) extras: &'a [BlockExtras],
    pub(super) states: Rows<'a, BodyState>,
}

impl Task for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for (block, extras) in self.blocks.iter().zip(self.extras) {
            if is_sparse::<L>(block.count as usize) {
                warm_start_block::<L::Narrow>(block, extras, &mut self.states);
            } else {
                warm_start_block::<L>(block, extras, &mut self.states);
            }
        }
    }
}

#[inline(always)]
fn warm_start_block<L: Lanes>(block: &ContactBlock, extras: &BlockExtras, states: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.count as usize) {
        warm_start_part::<L>(block, extras, states, first);
    }
}

#[inline(always)]
fn warm_start_part<L: Lanes>(
    block: &ContactBlock,
    extras: &BlockExtras,
    states: &mut Rows<'_, BodyState>,
    first: usize,
) {
    let mut a = Velocities::<L>::read(states, &block.bodies_a, first);
    let mut b = Velocities::<L>::read(states, &block.bodies_b, first);
    let [inverse_a, inverse_b] = InverseMasses::load(block, extras, &Common::load(block, extras, first), first);
    let normal = Lanes2::<L>::load(&block.normal, first);
    let tangent = normal.right_perp();
    for point in &block.points[..if block.traits.two_points { 2 } else { 1 }] {
        let impulse =
            normal.scale(L::load(&point.normal_impulse, first)) + tangent.scale(L::load(&point.tangent_impulse, first));
        a.pull(&inverse_a, Lanes2::load(&point.anchor_a, first), impulse);
        b.push(&inverse_b, Lanes2::load(&point.anchor_b, first), impulse);
    }
    if block.traits.rolling {
        let impulse = L::load(&extras.rolling_impulse, first);
        a.angular_velocity -= inverse_a.inertia * impulse;
        b.angular_velocity += inverse_b.inertia * impulse;
    }
    a.write(states, &block.bodies_a, first);
    b.write(states, &block.bodies_b, first);
}
