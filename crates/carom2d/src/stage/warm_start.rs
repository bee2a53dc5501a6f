//! Applies the impulses of the last sub-step again: the best guess for this one.
//!
//! The first sub-step of a step has them from the contacts. After that, the contacts need not be asked: all impulses of a
//! sub-step together are what they did to each body, and that is the difference between its velocity at the end of the
//! sub-step and its velocity before the first impulse. Nothing about a contact changes between the sub-steps of a step but
//! its impulses, so the difference is what applying them again would give, and one look at each body is enough.
//!
//! Joints turn with their bodies, so their impulses would act otherwise. What joints hold is pushed by its joints and contacts
//! again, one by one; the other bodies of these contacts are not.

use super::StepContext;
use super::integrate::for_blocks;
use super::solve::LEAST_BLOCKS;
use crate::body::BodyState;
use crate::solver::{BlockExtras, Common, Constraints, ContactBlock, DriveBlock, InverseMasses, Solver, Velocities};
use crate::world::World;
use carom_wide::{LANES, Lanes, Lanes2, Rows, Task, each_part, gather_run_low, is_sparse, scatter_run_low};

#[allow(unsafe_code)]
pub(crate) fn warm_start(world: &mut World, context: &StepContext) {
    super::joints::warm_start_joints(world, context);
    if matches!(world.def.solver, Solver::Sequential(_)) {
        // It starts its own points: those that are apart carry nothing.
        return;
    }
    let states = &mut world.sets.sets[crate::sets::AWAKE as usize].states;
    let Constraints { blocks, extras, colors, masses, drives, begun, joint_colors, gears, .. } = &mut world.constraints;
    let carries = world.def.solver == Solver::SoftStep;
    let again = carries && *begun > 1;
    if carries {
        for_blocks(context, &mut states[..masses.len()], drives, |_, states, drives| {
            context.width.run(Carry { states, drives, again });
        });
    }
    if again && joint_colors.is_empty() && gears.is_empty() {
        return;
    }
    let states = Rows::of(states);
    if context.crew.threads() == 1 {
        return context.width.run(WarmStart { blocks, extras, states, again });
    }
    for color in colors {
        let grain = context.crew.grain(color.len(), LEAST_BLOCKS);
        context.crew.for_zipped(&mut blocks[color.clone()], &mut extras[color.clone()], grain, |_, blocks, extras| {
            // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            context.width.run(WarmStart { blocks, extras, states, again });
        });
    }
}

/// Keeps the velocities of a run of bodies before any impulse. If this is not the first sub-step, gives those that no joint
/// holds the impulses of the last one again.
pub(super) struct Carry<'a> {
    pub(super) states: &'a mut [BodyState],
    pub(super) drives: &'a mut [DriveBlock],
    pub(super) again: bool,
}

impl Task for Carry<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (states, drive) in self.states.chunks_mut(LANES).zip(self.drives) {
            if states.len() == LANES {
                carry_block::<L>(states, drive, self.again);
            } else {
                carry_block::<L::Narrow>(states, drive, self.again);
            }
        }
    }
}

#[inline(always)]
fn carry_block<L: Lanes>(states: &mut [BodyState], drive: &mut DriveBlock, again: bool) {
    let mut parts = states.chunks_exact_mut(L::COUNT);
    let mut first = 0;
    for states in &mut parts {
        let [x, y, spin, flags]: [L; 4] = gather_run_low(states);
        Lanes2 { x, y }.store(&mut drive.free, first);
        spin.store(&mut drive.free_spin, first);
        if again {
            let jointed = flags.has_bits(BodyState::JOINTED);
            let velocity = Lanes2 { x, y } + Lanes2::load(&drive.carried, first);
            let pushed = [velocity.x, velocity.y, spin + L::load(&drive.carried_spin, first)];
            let [x, y, spin] = [
                L::select(jointed, x, pushed[0]),
                L::select(jointed, y, pushed[1]),
                L::select(jointed, spin, pushed[2]),
            ];
            scatter_run_low(states, [x, y, spin, flags]);
        }
        first += L::COUNT;
    }
    for (lane, state) in (first..).zip(parts.into_remainder()) {
        (drive.free.x.0[lane], drive.free.y.0[lane]) = (state.velocity.x, state.velocity.y);
        drive.free_spin.0[lane] = state.angular_velocity;
        if again && state.flags & BodyState::JOINTED == 0 {
            state.velocity.x += drive.carried.x.0[lane];
            state.velocity.y += drive.carried.y.0[lane];
            state.angular_velocity += drive.carried_spin.0[lane];
        }
    }
}

/// A run of blocks, in order: all of their bodies, or again those that joints hold.
pub(super) struct WarmStart<'a> {
    pub(super) blocks: &'a mut [ContactBlock],
    pub(super) extras: &'a [BlockExtras],
    pub(super) states: Rows<'a, BodyState>,
    pub(super) again: bool,
}

impl Task for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for (block, extras) in self.blocks.iter_mut().zip(self.extras) {
            if self.again && !block.traits.jointed {
                continue;
            }
            if is_sparse::<L>(block.count as usize) {
                warm_start_block::<L::Narrow>(block, extras, &mut self.states, self.again);
            } else {
                warm_start_block::<L>(block, extras, &mut self.states, self.again);
            }
        }
    }
}

#[inline(always)]
fn warm_start_block<L: Lanes>(
    block: &mut ContactBlock,
    extras: &BlockExtras,
    states: &mut Rows<'_, BodyState>,
    again: bool,
) {
    for first in each_part::<L>(block.count as usize) {
        warm_start_part::<L>(block, extras, states, first, again);
    }
}

#[inline(always)]
fn warm_start_part<L: Lanes>(
    block: &mut ContactBlock,
    extras: &BlockExtras,
    states: &mut Rows<'_, BodyState>,
    first: usize,
    again: bool,
) {
    let a = Velocities::<L>::read(states, &block.bodies_a, first);
    let b = Velocities::<L>::read(states, &block.bodies_b, first);
    let [inverse_a, inverse_b] = InverseMasses::load(block, extras, &Common::load(block, extras, first), first);
    let normal = Lanes2::<L>::load(&block.normal, first);
    let tangent = normal.right_perp();
    let (mut pulled, mut pushed) = (a, b);
    for point in &block.points[..if block.traits.two_points { 2 } else { 1 }] {
        let impulse =
            normal.scale(L::load(&point.normal_impulse, first)) + tangent.scale(L::load(&point.tangent_impulse, first));
        pulled.pull(&inverse_a, Lanes2::load(&point.anchor_a, first), impulse);
        pushed.push(&inverse_b, Lanes2::load(&point.anchor_b, first), impulse);
    }
    if block.traits.rolling {
        let impulse = L::load(&extras.rolling_impulse, first);
        pulled.angular_velocity -= inverse_a.inertia * impulse;
        pushed.angular_velocity += inverse_b.inertia * impulse;
    }
    let (jointed_a, jointed_b) = (a.flags.has_bits(BodyState::JOINTED), b.flags.has_bits(BodyState::JOINTED));
    if again {
        pulled = Velocities::select(jointed_a, pulled, a);
        pushed = Velocities::select(jointed_b, pushed, b);
    } else {
        block.traits.jointed |= (L::bits(jointed_a) | L::bits(jointed_b)) != 0;
    }
    pulled.write(states, &block.bodies_a, first);
    pushed.write(states, &block.bodies_b, first);
}
