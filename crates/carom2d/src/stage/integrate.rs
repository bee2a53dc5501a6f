//! Forces change velocities; velocities change positions.
//!
//! Symplectic Euler: `v += h a`, then `x += h v`. Where nothing carries a body, the known error of
//! that rule, `h^2 a / 2` per sub-step, is taken back, so free flight follows the exact parabola.
//! A body under load keeps the plain rule: there the velocity is the constraint's answer, and a
//! correction would lift the body off what carries it.
//!
//! Forces are the same in all sub-steps, so what they do is computed once, for sixteen bodies at a time. Sixteen
//! ordinary bodies are integrated side by side; where one of them is kinematic, has locked axes or becomes too fast,
//! they are integrated one by one, by the same rule.

use super::StepContext;
use crate::body::{BodySim, BodyState};
use crate::math::{Vec2, max};
use crate::solver::{Batch, BodyList, BodyMass, DriveBlock, Mobility};
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Lanes2, Task, gather_run, scatter_run};

/// What forces do to a body in a sub-step.
#[derive(Clone, Copy)]
struct Drive {
    /// Changes of velocity.
    kick: Vec2,
    angular_kick: f32,
    /// What damping leaves.
    keep: f32,
    angular_keep: f32,
}

impl Drive {
    fn of(sim: &BodySim, context: &StepContext) -> Drive {
        let h = context.h;
        Drive {
            kick: sim.acceleration(context.gravity) * h,
            angular_kick: h * sim.inv_inertia * sim.torque,
            keep: damped(h * sim.linear_damping),
            angular_keep: damped(h * sim.angular_damping),
        }
    }
}

/// Computes what constraints ask of bodies, and what forces do to them in each sub-step. `is_movable` says of each body
/// whether constraints may move it.
#[allow(unsafe_code)]
pub(crate) fn prepare_bodies(
    bodies: BodyList<'_>,
    is_movable: impl Fn(usize) -> bool + Sync,
    context: &StepContext,
    masses: &mut Vec<BodyMass>,
    drives: &mut Vec<DriveBlock>,
) {
    masses.resize(bodies.len(), BodyMass::NONE);
    drives.resize(bodies.len().div_ceil(LANES), DriveBlock::EMPTY);
    let (count, masses) = (bodies.len(), Parts::of(masses));
    let grain = context.crew.grain(drives.len(), BODIES / LANES);
    context.crew.for_chunks(drives, grain, |first, drives| {
        for (index, block) in (first..).zip(drives) {
            let range = index * LANES..count.min((index + 1) * LANES);
            // SAFETY: those of one block.
            let masses = unsafe { masses.piece(range.clone()) };
            for (lane, (sim, mass)) in bodies.part(range.clone()).iter().zip(&mut *masses).enumerate() {
                *mass = BodyMass::of(sim, is_movable(range.start + lane));
                let drive = Drive::of(sim, context);
                block.kick.x.0[lane] = drive.kick.x;
                block.kick.y.0[lane] = drive.kick.y;
                block.angular_kick.0[lane] = drive.angular_kick;
                block.keep.0[lane] = drive.keep;
                block.angular_keep.0[lane] = drive.angular_keep;
            }
            block.full = masses.iter().all(|mass| mass.mobility == Mobility::Full);
        }
    });
}

/// How many bodies a thread takes at a time: whole blocks of them.
const BODIES: usize = 16 * LANES;

pub(crate) fn integrate_velocities(batch: &mut Batch<'_>, context: &StepContext) {
    let Batch { bodies, states, drives, substep, .. } = batch;
    let carry = *substep > 0;
    for_blocks(context, states, drives, |start, states, drives| {
        let bodies = bodies.part(start..start + states.len());
        context.width.run(IntegrateVelocities { bodies, states, drives, carry, context });
    });
}

/// Does some work for runs of bodies and of their blocks; it is told where the run begins.
#[allow(unsafe_code)]
pub(super) fn for_blocks(
    context: &StepContext,
    states: &mut [BodyState],
    drives: &mut [DriveBlock],
    work: impl Fn(usize, &mut [BodyState], &mut [DriveBlock]) + Sync,
) {
    let drives = Parts::of(drives);
    context.crew.for_chunks(states, BODIES, |start, states| {
        // SAFETY: runs of bodies are whole blocks, but for the last one; no two have a block in common.
        let drives = unsafe { drives.piece(start / LANES..(start + states.len()).div_ceil(LANES)) };
        work(start, states, drives);
    });
}

/// A run of bodies that begins with the first one of `drives`.
struct IntegrateVelocities<'a> {
    bodies: BodyList<'a>,
    states: &'a mut [BodyState],
    drives: &'a mut [DriveBlock],
    /// What constraints did in the last sub-step is to be kept.
    carry: bool,
    context: &'a StepContext<'a>,
}

impl Task for IntegrateVelocities<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let IntegrateVelocities { bodies, states, drives, carry, context } = self;
        for (index, (drive, states)) in drives.iter_mut().zip(states.chunks_mut(LANES)).enumerate() {
            let bodies = bodies.part(index * LANES..index * LANES + states.len());
            if states.len() == LANES {
                integrate_block::<L>(bodies, states, drive, carry, context);
            } else {
                integrate_block::<L::Narrow>(bodies, states, drive, carry, context);
            }
        }
    }
}

/// Integrates the velocities of up to sixteen bodies, as many as fill parts side by side.
#[inline(always)]
fn integrate_block<L: Lanes>(
    bodies: BodyList<'_>,
    states: &mut [BodyState],
    drive: &mut DriveBlock,
    carry: bool,
    context: &StepContext,
) {
    for first in (0..states.len()).step_by(L::COUNT) {
        let part = first..states.len().min(first + L::COUNT);
        let states = &mut states[part.clone()];
        let side_by_side = drive.full && states.len() == L::COUNT;
        if !side_by_side || !integrate_part::<L>(states, drive, carry, first, context) {
            integrate_one_by_one(bodies.part(part), states, drive, carry, first, context);
        }
    }
}

/// Integrates the velocities of ordinary bodies. Changes nothing and gives `false` if one becomes too fast.
#[inline(always)]
fn integrate_part<L: Lanes>(
    states: &mut [BodyState],
    drive: &mut DriveBlock,
    carry: bool,
    first: usize,
    context: &StepContext,
) -> bool {
    let [x, y, spin, flags, moved_x, moved_y, c, s]: [L; 8] = gather_run(states);
    let kick = Lanes2::load(&drive.kick, first);
    let velocity = Lanes2 { x, y }.scale(L::load(&drive.keep, first)) + kick;
    let angular_velocity = spin * L::load(&drive.angular_keep, first) + L::load(&drive.angular_kick, first);
    let back = kick.scale(L::splat(0.5 * context.h));
    let loaded = flags.has_bits(BodyState::LOADED);
    let moved_x = L::select(loaded, moved_x, moved_x - back.x);
    let moved_y = L::select(loaded, moved_y, moved_y - back.y);

    // What is not finite fails these comparisons, too.
    let fastest = L::splat(context.max_speed);
    let slow = fastest.at_least(velocity.dot(velocity).sqrt());
    let turn = L::splat(context.max_angular_speed);
    let turns_slowly = L::both(turn.at_least(angular_velocity), angular_velocity.at_least(-turn));
    let zero = L::splat(0.0);
    let places = moved_x * zero + moved_y * zero + c * zero + s * zero;
    let fine = L::both(L::both(slow, turns_slowly), places.equals(zero));
    if L::bits(fine) != (1 << L::COUNT) - 1 {
        return false;
    }
    if carry {
        (Lanes2 { x, y } - Lanes2::load(&drive.free, first)).store(&mut drive.carried, first);
        (spin - L::load(&drive.free_spin, first)).store(&mut drive.carried_spin, first);
    }
    let flags = flags.without_bits(BodyState::LOADED);
    scatter_run(states, [velocity.x, velocity.y, angular_velocity, flags, moved_x, moved_y, c, s]);
    true
}

/// The same for bodies of any kind.
fn integrate_one_by_one(
    bodies: BodyList<'_>,
    states: &mut [BodyState],
    drive: &mut DriveBlock,
    carry: bool,
    first: usize,
    context: &StepContext,
) {
    for (lane, (sim, state)) in (first..).zip(bodies.iter().zip(states)) {
        let was_broken = state.flags & BodyState::BROKEN != 0;
        if carry {
            drive.carried.x.0[lane] = state.velocity.x - drive.free.x.0[lane];
            drive.carried.y.0[lane] = state.velocity.y - drive.free.y.0[lane];
            drive.carried_spin.0[lane] = state.angular_velocity - drive.free_spin.0[lane];
        }
        if state.flags & BodyState::MOVABLE != 0 {
            integrate_velocity(sim, state, context);
        }
        if !was_broken && state.flags & BodyState::BROKEN != 0 {
            (drive.carried.x.0[lane], drive.carried.y.0[lane], drive.carried_spin.0[lane]) = (0.0, 0.0, 0.0);
        }
    }
}

fn integrate_velocity(sim: &BodySim, state: &mut BodyState, context: &StepContext) {
    let drive = Drive::of(sim, context);
    let mut velocity = state.velocity * drive.keep + drive.kick;
    let mut angular_velocity = state.angular_velocity * drive.angular_keep + drive.angular_kick;
    if sim.inv_mass.x == 0.0 {
        velocity.x = 0.0;
    }
    if sim.inv_mass.y == 0.0 {
        velocity.y = 0.0;
    }
    if sim.inv_inertia == 0.0 {
        angular_velocity = 0.0;
    }
    if state.flags & BodyState::LOADED == 0 {
        state.delta_position -= drive.kick * (0.5 * context.h);
    }
    state.flags &= !BodyState::LOADED;
    state.velocity = velocity;
    state.angular_velocity = angular_velocity;
    SpeedLimits::of(context).hold(state);
    if !state.is_finite() {
        // Do not let it reach anything else; the end of the step reports it.
        *state = BodyState { flags: state.flags | BodyState::BROKEN, ..BodyState::REST };
    }
}

/// How fast bodies may be. Constraints at odds with each other may ask for any speed, so forces, the solver and the end of
/// the step each look at what came out.
#[derive(Clone, Copy)]
pub(super) struct SpeedLimits {
    linear: f32,
    angular: f32,
}

impl SpeedLimits {
    pub(super) fn of(context: &StepContext) -> SpeedLimits {
        SpeedLimits { linear: context.max_speed, angular: context.max_angular_speed }
    }

    /// The square of the largest speed, and the largest spin.
    #[inline]
    pub(super) fn squared_and_angular(self) -> [f32; 2] {
        [self.linear * self.linear, self.angular]
    }

    /// Slows a body down that is too fast. What moves by itself keeps its speed.
    #[inline]
    pub(super) fn hold(self, state: &mut BodyState) {
        if state.flags & BodyState::MOVABLE == 0 {
            return;
        }
        if state.velocity.length_squared() > self.linear * self.linear {
            // Scaled first: the square of a huge speed is infinite. A little less than the limit, for rounding.
            state.velocity *= 1.0 / max(state.velocity.x.abs(), state.velocity.y.abs());
            state.velocity *= self.linear * (1.0 - 4.0 * f32::EPSILON) / state.velocity.length();
        }
        if state.angular_velocity.abs() > self.angular {
            state.angular_velocity = self.angular.copysign(state.angular_velocity);
        }
    }
}

/// What damping leaves of a velocity over a sub-step, for `x = h * damping`.
///
/// `1 - x` makes both ends exact: what rests keeps its full weight, since only the old velocity is damped,
/// and what falls reaches the speed at which damping and gravity balance. From one half on it goes over into
/// a curve that never reaches zero, so that any coefficient is stable.
#[inline]
fn damped(x: f32) -> f32 {
    if x <= 0.5 { 1.0 - x } else { 0.25 / x }
}

pub(crate) fn integrate_positions(batch: &mut Batch<'_>, context: &StepContext) {
    context.crew.for_chunks(&mut *batch.states, BODIES, |_, states| {
        context.width.run(IntegratePositions { states, h: context.h, limits: SpeedLimits::of(context) });
    });
}

/// A run of bodies.
struct IntegratePositions<'a> {
    states: &'a mut [BodyState],
    h: f32,
    limits: SpeedLimits,
}

impl Task for IntegratePositions<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut runs = self.states.chunks_exact_mut(L::COUNT);
        for states in &mut runs {
            move_part::<L>(states, L::splat(self.h), self.limits);
        }
        let mut runs = runs.into_remainder().chunks_exact_mut(L::Narrow::COUNT);
        for states in &mut runs {
            move_part::<L::Narrow>(states, L::Narrow::splat(self.h), self.limits);
        }
        for state in runs.into_remainder() {
            self.limits.hold(state);
            state.delta_position += state.velocity * self.h;
            state.delta_rotation = state.delta_rotation.turned(state.angular_velocity * self.h);
        }
    }
}

/// The same in lanes.
#[inline(always)]
fn move_part<L: Lanes>(states: &mut [BodyState], h: L, limits: SpeedLimits) {
    let [mut x, mut y, mut angular_velocity, flags, moved_x, moved_y, c, s]: [L; 8] = gather_run(states);
    let turn = L::splat(limits.angular);
    let slow = L::splat(limits.linear * limits.linear).at_least(x * x + y * y);
    let turns_slowly = L::both(turn.at_least(angular_velocity), angular_velocity.at_least(-turn));
    if L::bits(L::both(slow, turns_slowly)) != (1 << L::COUNT) - 1 {
        states.iter_mut().for_each(|state| limits.hold(state));
        [x, y, angular_velocity, ..] = gather_run::<L, BodyState>(states);
    }
    let [turned_c, turned_s] = turned(c, s, angular_velocity * h);
    scatter_run(states, [x, y, angular_velocity, flags, moved_x + x * h, moved_y + y * h, turned_c, turned_s]);
}

/// [`Rot::turned`](crate::math::Rot::turned) in lanes.
#[inline(always)]
fn turned<L: Lanes>(c: L, s: L, angle: L) -> [L; 2] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let half = L::splat(0.5) * angle;
    let t = half + half * half * half * L::splat(1.0 / 3.0);
    let inv = (one + t * t).recip();
    let turn_c = (one - t * t) * inv;
    let turn_s = L::splat(2.0) * t * inv;
    let (c, s) = (turn_c * c - turn_s * s, turn_s * c + turn_c * s);
    let length = (c * c + s * s).sqrt();
    let some = length.greater(zero);
    let inv = L::select(some, length, one).recip();
    [L::select(some, c * inv, one), L::select(some, s * inv, zero)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Rot, vec2};
    use carom_wide::Width;

    const NO_LIMITS: SpeedLimits = SpeedLimits { linear: f32::INFINITY, angular: f32::INFINITY };

    /// In lanes bodies turn as they do alone, to the bit, also where there is no direction.
    #[test]
    fn lanes_move_like_single_bodies() {
        let state = |i: u8| BodyState {
            velocity: vec2(f32::from(i), -0.3 * f32::from(i)),
            angular_velocity: 7.0 * f32::from(i) - 100.0,
            delta_position: vec2(0.1, 0.01 * f32::from(i)),
            delta_rotation: if i == 5 { Rot { c: 0.0, s: 0.0 } } else { Rot::from_angle(0.2 * f32::from(i)) },
            ..BodyState::REST
        };
        for width in Width::all() {
            let mut states: Vec<BodyState> = (0..37).map(state).collect();
            width.run(IntegratePositions { states: &mut states, h: 1.0 / 240.0, limits: NO_LIMITS });
            for (i, moved) in (0..).zip(states) {
                let before = state(i);
                let rotation = before.delta_rotation.turned(before.angular_velocity * (1.0 / 240.0));
                assert_eq!(moved.delta_rotation.c.to_bits(), rotation.c.to_bits(), "{width}, body {i}");
                assert_eq!(moved.delta_rotation.s.to_bits(), rotation.s.to_bits(), "{width}, body {i}");
                assert_eq!(moved.delta_position, before.delta_position + before.velocity * (1.0 / 240.0));
            }
        }
    }
}
