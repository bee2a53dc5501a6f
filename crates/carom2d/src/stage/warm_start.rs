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
use super::joints::warm_start_joints;
use super::solve::LEAST_BLOCKS;
use crate::ablation::forget_impulses;
use crate::body::BodyState;
use crate::solver::{Batch, BlockExtras, Common, ContactBlock, DriveBlock, InverseMasses, Velocities};
use carom_wide::{LANES, Lanes, Lanes2, Rows, Task, each_part, gather_run_low, is_sparse, scatter_run_low};

pub(crate) fn warm_start(batch: &mut Batch<'_>, context: &StepContext) {
    warm_start_joints(batch, context);
    if !context.warm_starts {
        forget_impulses(batch.blocks);
    }
    let again = batch.substep > 0 && context.warm_starts;
    for_blocks(context, batch.states, batch.drives, |_, states, drives| {
        context.width.run(Carry { states, drives, again });
    });
    let has_joints = batch.coupled.as_ref().is_some_and(|coupled| coupled.joints.are_any());
    if !again || has_joints {
        apply_impulses(batch, again, context);
    }
}

/// The same where bodies carry nothing from sub-step to sub-step, and every contact is asked in each of them.
pub(crate) fn warm_start_contacts(batch: &mut Batch<'_>, context: &StepContext) {
    warm_start_joints(batch, context);
    apply_impulses(batch, false, context);
}

/// Applies the impulses of contacts: of all, or `again` of those of bodies that joints hold.
#[allow(unsafe_code)]
fn apply_impulses(batch: &mut Batch<'_>, again: bool, context: &StepContext) {
    let Batch { blocks, extras, colors, states, .. } = batch;
    let states = Rows::of(states);
    if context.crew.threads() == 1 {
        return context.width.run(WarmStart { blocks, extras, states, again });
    }
    for color in *colors {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::scratch::{Scratch, whole_batch};
    use crate::stage::*;
    use carom_threads::Crew;

    /// A heap of boxes and of balls that roll with resistance, one box on a belt, at rest but for the balls.
    fn heap() -> World {
        let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
        let floor = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(floor, ShapeDef::segment(vec2(-20.0, 0.0), vec2(20.0, 0.0))).unwrap();
        let belt = ShapeDef { surface_speed: 0.3, ..ShapeDef::segment(vec2(25.0, 0.0), vec2(30.0, 0.0)) };
        world.add_shape(floor, belt).unwrap();
        let brick = ShapeDef::rectangle(1.0, 1.0);
        let ball = ShapeDef { rolling_resistance: 0.05, restitution: 0.4, ..ShapeDef::circle(0.4) };
        for row in 0..5_u8 {
            for place in 0..5 - row {
                let (x, y) = (f32::from(place) + 0.5 * f32::from(row), 0.5 + f32::from(row));
                for (shift, shape) in [(0.0, &brick), (-10.0, &ball)] {
                    let body = BodyDef { position: vec2(x + shift, y), ..BodyDef::dynamic() };
                    let body = world.add_body(body).unwrap();
                    world.add_shape(body, shape.clone()).unwrap();
                }
            }
        }
        let rider = world.add_body(BodyDef { position: vec2(26.0, 0.5), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(rider, brick).unwrap();
        world.scratch.groups.off = true;
        world
    }

    /// What the impulses of a sub-step did to the bodies is what they do when every contact applies them again.
    #[test]
    fn bodies_carry_what_contacts_would_give() {
        let mut world = heap();
        for _ in 0..20 {
            world.step(1.0 / 60.0);
        }
        let World { state, scratch, width, .. } = &mut world;
        let context = StepContext::new(&state.def, *width, 1.0 / 60.0, 0.0, None, &Crew::ALONE);
        let Scratch { pairs, narrow, coloring, constraints, groups, joints, system, .. } = scratch;
        pairs::find_pairs(state, pairs, &context);
        contacts::update_contacts(state, narrow, &context);
        islands::link_islands(state, &narrow.changed);
        color::color_constraints(state, &narrow.changed, coloring);
        prepare::prepare_constraints(state, constraints, groups, narrow, &context);
        joints::prepare_joints(state, joints, constraints, &narrow.motions, &context);
        let batch = &mut whole_batch(state, constraints, joints, system);
        integrate::integrate_velocities(batch, &context);
        restitution::apply_restitution(batch, &context);
        warm_start(batch, &context);
        solve::solve_biased(batch, &context);
        integrate::integrate_positions(batch, &context);
        solve::solve_relaxed(batch, &context);
        batch.substep = 1;
        integrate::integrate_velocities(batch, &context);

        let before = batch.states.to_vec();
        let mut asked = before.clone();
        let (blocks, extras) = (&mut *batch.blocks, &*batch.extras);
        context.width.run(WarmStart { blocks, extras, states: Rows::of(&mut asked), again: false });
        warm_start(batch, &context);
        let mut pushed = 0;
        for ((before, asked), carried) in before.iter().zip(&asked).zip(&*batch.states) {
            assert!((asked.velocity - carried.velocity).length() < 1.0e-5, "{asked:?} {carried:?}");
            assert!((asked.angular_velocity - carried.angular_velocity).abs() < 1.0e-4, "{asked:?} {carried:?}");
            pushed += usize::from((carried.velocity - before.velocity).length() > 0.01);
        }
        assert!(pushed > 15, "{pushed} of {} bodies are pushed", before.len());
    }
}
