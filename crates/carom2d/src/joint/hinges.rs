//! Pins with limits, a motor or a spring, side by side.
//!
//! To the two rows of a plain pin (`pins.rs`) come three about the angle (`joint/revolute.rs`), all with the same `J`
//! and the same `K`, the sum of the inverse inertias. They are solved as in `joint/row.rs`, and with the same bits: the
//! spring, the motor, then the pin together with the nearer of its two limits.
//!
//! Nothing asks which of the three a hinge has. A spring that is not there pulls with nothing, a motor that is not there
//! has no strength, and limits that are not there are infinitely far away.

use super::constraint::JointInput;
use super::pins::{Filler, Part, PinBlock, store_lanes};
use super::row::{ROUNDING, SpringRate};
use super::{Joint, JointKind, Revolute, Spring};
use crate::body::BodyState;
use crate::solver::at;
use crate::stage::solve::LEAST_FILLED;
use crate::stage::{StepContext, close};
use crate::world::WorldState;
use carom_wide::{Lanes, Lanes2, Rows, Task, Wide, angles, each_part, is_sparse};

/// Up to sixteen hinges of one colour.
#[derive(Clone, Debug)]
pub(crate) struct HingeBlock {
    pub(crate) pin: PinBlock,
    /// How far b has turned against a since the step began: where the sub-step began while it is solved, and where it
    /// ended after that.
    turned: Wide,
    /// The angles of the limits.
    lower: Wide,
    upper: Wide,
    /// The angle that the spring pulls to, and its [`SpringRate`].
    target: Wide,
    pull: Wide,
    drag: Wide,
    keep: Wide,
    /// Speed of the motor, and its most angular impulse in a sub-step.
    motor_speed: Wide,
    motor_most: Wide,
    /// Angular impulses of the sub-step.
    stop_impulse: Wide,
    spring_impulse: Wide,
    motor_impulse: Wide,
    /// Sum of all three over the step.
    total_turn: Wide,
    /// One bit per lane whose pin is open or beyond its limits by more than may be seen.
    open: u32,
}

impl HingeBlock {
    pub(crate) const EMPTY: HingeBlock = HingeBlock {
        pin: PinBlock::EMPTY,
        turned: Wide::ZERO,
        lower: Wide::splat(f32::NEG_INFINITY),
        upper: Wide::splat(f32::INFINITY),
        target: Wide::ZERO,
        pull: Wide::ZERO,
        drag: Wide::ZERO,
        keep: Wide::ZERO,
        motor_speed: Wide::ZERO,
        motor_most: Wide::ZERO,
        stop_impulse: Wide::ZERO,
        spring_impulse: Wide::ZERO,
        motor_impulse: Wide::ZERO,
        total_turn: Wide::ZERO,
        open: 0,
    };

    /// The joints that `close.rs` is to look after.
    pub(crate) fn open_joints(&self) -> impl Iterator<Item = u32> + '_ {
        let lanes = 0..self.pin.count as usize;
        lanes.filter(|lane| self.open & (1 << lane) != 0).map(|lane| self.pin.joint[lane])
    }
}

/// Where a joint remembers these impulses (see `Revolute::rows`).
const STOP: usize = 2;
const SPRING: usize = 3;
const MOTOR: usize = 4;

impl AsMut<PinBlock> for HingeBlock {
    fn as_mut(&mut self) -> &mut PinBlock {
        &mut self.pin
    }
}

/// Fills blocks with what their hinges are now.
pub(crate) fn fill_hinges(input: &JointInput<'_>, hinges: &mut [HingeBlock]) {
    let context = input.context;
    context.crew.for_chunks(hinges, context.crew.grain(hinges.len(), LEAST_FILLED), |_, hinges| {
        fill_run(input, hinges);
    });
}

fn fill_run(input: &JointInput<'_>, hinges: &mut [HingeBlock]) {
    let JointInput { world, context, warmth, .. } = *input;
    let mut filler = Filler::new(input);
    let mut rate = (Spring::default(), SpringRate::of(Spring::default(), context.h));
    for index in 0..hinges.len() {
        if let Some(next) = hinges.get(index + 1) {
            filler.fetch(&next.pin);
        }
        let block = &mut hinges[index];
        *block = HingeBlock { pin: block.pin.listed(), ..HingeBlock::EMPTY };
        filler.fill(&mut block.pin);
        for lane in 0..block.pin.count as usize {
            let joint = &world.joints[block.pin.joint[lane]];
            let JointKind::Revolute(Revolute { limits, motor, spring, target_angle }) = joint.def.kind else {
                continue;
            };
            if let Some(limits) = limits {
                block.lower.0[lane] = limits.lower;
                block.upper.0[lane] = limits.upper;
                block.stop_impulse.0[lane] = joint.impulses[STOP] * warmth;
            }
            if let Some(spring) = spring {
                // Most have the same spring as the one before.
                if rate.0 != spring {
                    rate = (spring, SpringRate::of(spring, context.h));
                }
                block.target.0[lane] = target_angle;
                block.pull.0[lane] = rate.1.pull;
                block.drag.0[lane] = rate.1.drag;
                block.keep.0[lane] = rate.1.keep;
                block.spring_impulse.0[lane] = joint.impulses[SPRING] * warmth;
            }
            if let Some(motor) = motor {
                block.motor_speed.0[lane] = motor.speed;
                block.motor_most.0[lane] = motor.max_force * context.h;
                block.motor_impulse.0[lane] = joint.impulses[MOTOR] * warmth;
            }
        }
    }
}

impl<L: Lanes> Part<L> {
    /// How fast b turns against a.
    #[inline(always)]
    fn turning(&self) -> L {
        self.b.angular_velocity - self.a.angular_velocity
    }

    /// Turns b against a.
    #[inline(always)]
    fn turn(&mut self, impulse: L) {
        self.a.angular_velocity -= self.inverse_a.inertia * impulse;
        self.b.angular_velocity += self.inverse_b.inertia * impulse;
    }
}

/// Applies the impulses of the last sub-step again, for a run of blocks.
pub(crate) struct WarmStartHinges<'a> {
    pub(crate) hinges: &'a mut [HingeBlock],
    pub(crate) states: Rows<'a, BodyState>,
}

impl Task for WarmStartHinges<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.hinges {
            if is_sparse::<L>(block.pin.count as usize) {
                warm_start_block::<L::Narrow>(block, &mut self.states);
            } else {
                warm_start_block::<L>(block, &mut self.states);
            }
        }
    }
}

#[inline(always)]
fn warm_start_block<L: Lanes>(block: &mut HingeBlock, states: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.pin.count as usize) {
        let mut part = Part::<L>::read(&block.pin, states, first);
        // Impacts may have turned the bodies since the sub-step before.
        let turned = angles(part.turned.x, part.turned.y, L::load(&block.turned, first));
        turned.store(&mut block.turned, first);
        part.turn(L::load(&block.spring_impulse, first));
        part.turn(L::load(&block.motor_impulse, first));
        part.push(Lanes2 { x: L::load(&block.pin.impulses[0], first), y: L::load(&block.pin.impulses[1], first) });
        part.turn(L::load(&block.stop_impulse, first));
        part.write(&block.pin, states, first);
    }
}

/// Solves a run of blocks.
pub(crate) struct SolveHinges<'a, const BIASED: bool> {
    pub(crate) hinges: &'a mut [HingeBlock],
    pub(crate) states: Rows<'a, BodyState>,
    pub(crate) inv_h: f32,
}

impl<const BIASED: bool> Task for SolveHinges<'_, BIASED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.hinges {
            if is_sparse::<L>(block.pin.count as usize) {
                solve_block::<L::Narrow, BIASED>(block, &mut self.states, self.inv_h);
            } else {
                solve_block::<L, BIASED>(block, &mut self.states, self.inv_h);
            }
        }
    }
}

#[inline(always)]
fn solve_block<L: Lanes, const BIASED: bool>(block: &mut HingeBlock, states: &mut Rows<'_, BodyState>, inv_h: f32) {
    for first in each_part::<L>(block.pin.count as usize) {
        solve_part::<L, BIASED>(block, states, inv_h, first);
    }
}

#[inline(always)]
fn solve_part<L: Lanes, const BIASED: bool>(
    block: &mut HingeBlock,
    states: &mut Rows<'_, BodyState>,
    inv_h: f32,
    first: usize,
) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mut part = Part::<L>::read(&block.pin, states, first);
    let mut turned = L::load(&block.turned, first);
    let mut angle = L::load(&block.pin.angle, first) + turned;

    // What spring and motor meet: without inertia they do nothing.
    let k = part.inverse_a.inertia + part.inverse_b.inertia;
    let turns = k.greater(zero);
    let divisor = L::select(turns, k, one);

    // The spring goes on the angle at the start of the sub-step, in both passes.
    let error = angle - L::load(&block.target, first);
    let (pull, drag, keep) = (L::load(&block.pull, first), L::load(&block.drag, first), L::load(&block.keep, first));
    let wanted = -pull * error - drag * part.turning();
    let before = L::load(&block.spring_impulse, first);
    let spring = before + L::select(turns, wanted.divided_by(divisor), zero) - keep * before;
    part.turn(spring - before);
    spring.store(&mut block.spring_impulse, first);

    if !BIASED {
        turned = angles(part.turned.x, part.turned.y, turned);
        turned.store(&mut block.turned, first);
        angle = L::load(&block.pin.angle, first) + turned;
    }
    let (lower, upper) = (L::load(&block.lower, first), L::load(&block.upper, first));

    // The motor, which ends at the limits.
    let (down, up) = ((lower - angle).min(zero) * L::splat(inv_h), (upper - angle).max(zero) * L::splat(inv_h));
    let wanted = L::load(&block.motor_speed, first).min(up).max(down) - part.turning();
    let before = L::load(&block.motor_impulse, first);
    let motor = before + L::select(turns, wanted.divided_by(divisor), zero);
    let motor = motor.clamp_symmetric(L::load(&block.motor_most, first));
    part.turn(motor - before);
    motor.store(&mut block.motor_impulse, first);

    // The pin, and the nearer limit with it.
    let stop = Stop::nearer(angle, lower, upper);
    let before = [
        L::load(&block.pin.impulses[0], first),
        L::load(&block.pin.impulses[1], first),
        L::load(&block.stop_impulse, first),
    ];
    let speed = part.velocity();
    let speeds = [speed.x, speed.y, part.turning()];
    // A stop that is not reached yet may be reached at most.
    let reach = -(speeds[2] + stop.error * L::splat(inv_h));
    let (wanted, given_back);
    if BIASED {
        let (bias_rate, mass_scale) = (L::load(&block.pin.bias_rate, first), L::load(&block.pin.mass_scale, first));
        let impulse_scale = L::load(&block.pin.impulse_scale, first);
        let rigid = -mass_scale * (speeds[2] + bias_rate * stop.error);
        wanted = [
            -mass_scale * (speeds[0] + bias_rate * part.error.x),
            -mass_scale * (speeds[1] + bias_rate * part.error.y),
            L::select(stop.ahead, reach, rigid),
        ];
        given_back = [impulse_scale, impulse_scale, L::select(stop.ahead, zero, impulse_scale)];
    } else {
        wanted = [-speeds[0], -speeds[1], L::select(stop.ahead, reach, -speeds[2])];
        given_back = [zero; 3];
    }
    let sums = solve_with_stop(&Response::of(&part), wanted, before, given_back, stop.free_side);
    part.push(Lanes2 { x: sums[0] - before[0], y: sums[1] - before[1] });
    part.turn(sums[2] - before[2]);
    keep_impulses(block, sums, first);
    if !BIASED {
        add_totals(block, Lanes2 { x: sums[0], y: sums[1] }, [spring, motor, sums[2]], first);
        note_open(block, &part, &stop, first);
        // Jointed bodies do not fly freely: see `integrate.rs`.
        part.a.mark_loaded(one);
        part.b.mark_loaded(one);
    }
    part.write(&block.pin, states, first);
}

/// Keeps the impulses of the pin and of the stop for the next pass.
#[inline(always)]
fn keep_impulses<L: Lanes>(block: &mut HingeBlock, sums: [L; 3], first: usize) {
    sums[0].store(&mut block.pin.impulses[0], first);
    sums[1].store(&mut block.pin.impulses[1], first);
    sums[2].store(&mut block.stop_impulse, first);
}

/// Adds the impulses of a sub-step to those of the step: of the pin, and of all that turns.
#[inline(always)]
fn add_totals<L: Lanes>(block: &mut HingeBlock, push: Lanes2<L>, turns: [L; 3], first: usize) {
    let total = Lanes2::load(&block.pin.total, first);
    (total + push).store(&mut block.pin.total, first);
    let total = L::load(&block.total_turn, first);
    (total + turns[0] + turns[1] + turns[2]).store(&mut block.total_turn, first);
}

/// Notes hinges whose anchors have come apart, or that are beyond a limit: `stage/close.rs` closes them.
#[inline(always)]
fn note_open<L: Lanes>(block: &mut HingeBlock, part: &Part<L>, stop: &Stop<L>, first: usize) {
    let is_open = part.error.dot(part.error).greater(L::splat(close::OPEN * close::OPEN));
    let is_beyond = (-stop.error * stop.free_side).greater(L::splat(close::BEYOND));
    let lanes = ((1 << L::COUNT) - 1) << first;
    block.open = block.open & !lanes | (L::bits(is_open) | L::bits(is_beyond)) << first;
}

/// The nearer of two limits.
struct Stop<L: Lanes> {
    error: L,
    /// Which way the angle may move freely: +1, -1, or 0 where both limits are one.
    free_side: L,
    /// Lanes whose stop is not reached yet.
    ahead: L::Mask,
}

impl<L: Lanes> Stop<L> {
    #[inline(always)]
    fn nearer(angle: L, lower: L, upper: L) -> Stop<L> {
        let (above, below) = (angle - lower, upper - angle);
        let one = L::splat(1.0);
        let (is_lower, is_both) = (below.at_least(above), lower.equals(upper));
        let error = L::select(is_both, above, L::select(is_lower, above, -below));
        let free_side = L::select(is_both, L::splat(0.0), L::select(is_lower, one, -one));
        Stop { error, free_side, ahead: (error * free_side).greater(L::splat(0.0)) }
    }
}

/// `K` of the three rows, on and above the diagonal.
struct Response<L> {
    k00: L,
    k01: L,
    k02: L,
    k11: L,
    k12: L,
    k22: L,
}

impl<L: Lanes> Response<L> {
    #[inline(always)]
    fn of(part: &Part<L>) -> Response<L> {
        let (a, b) = (part.inverse_a.inertia, part.inverse_b.inertia);
        let [k00, k01, k11] = part.response();
        Response {
            k00,
            k01,
            k02: -(a * part.arm_a.y) - b * part.arm_b.y,
            k11,
            k12: a * part.arm_a.x + b * part.arm_b.x,
            k22: a + b,
        }
    }
}

/// The sums of the impulses of a pin and its stop, as `solve_group` in `joint/row.rs` finds them: by elimination, and
/// where the stop would have to pull, without it.
#[inline(always)]
fn solve_with_stop<L: Lanes>(
    k: &Response<L>,
    wanted: [L; 3],
    before: [L; 3],
    given_back: [L; 3],
    free_side: L,
) -> [L; 3] {
    let zero = L::splat(0.0);
    let [w0, w1, w2] = wanted;
    // What is left of the diagonal by rounding alone is nothing: there a pivot of one does no harm.
    let first = Pivot::new(k.k00, k.k00);
    let (f1, f2) = (first.divide(k.k01), first.divide(k.k02));
    let (k11, k12, k22) = (k.k11 - f1 * k.k01, k.k12 - f1 * k.k02, k.k22 - f2 * k.k02);
    let second = Pivot::new(k11, k.k11);
    let f3 = second.divide(k12);
    let third = Pivot::new(k22 - f3 * k12, k.k22);
    let y1 = w1 - f1 * w0;
    let x2 = third.divide(w2 - f2 * w0 - f3 * y1);
    let stop = before[2] + x2 - given_back[2] * before[2];
    let pulls = zero.greater(stop * free_side);

    // Without the stop, what it gave before is missing.
    let (alone0, alone1) = (w0 + k.k02 * before[2], w1 + k.k12 * before[2]);
    let x1 = second.divide(L::select(pulls, alone1 - f1 * alone0, y1 - k12 * x2));
    let rest = L::select(pulls, alone0, w0) - k.k01 * x1;
    let x0 = first.divide(L::select(pulls, rest, rest - k.k02 * x2));
    [
        before[0] + x0 - given_back[0] * before[0],
        before[1] + x1 - given_back[1] * before[1],
        L::select(pulls, zero, stop),
    ]
}

/// What is left of a number on the diagonal, as something to divide by.
#[derive(Clone, Copy)]
struct Pivot<L: Lanes> {
    divisor: L,
    is_some: L::Mask,
}

impl<L: Lanes> Pivot<L> {
    #[inline(always)]
    fn new(left: L, diagonal: L) -> Pivot<L> {
        let (zero, one, tiny) = (L::splat(0.0), L::splat(1.0), L::splat(ROUNDING));
        let is_some = L::both(left.greater(tiny * diagonal), left.greater(zero));
        Pivot { divisor: L::select(is_some, left, one), is_some }
    }

    /// Zero where there is nothing to divide by.
    #[inline(always)]
    fn divide(&self, x: L) -> L {
        L::select(self.is_some, x.divided_by(self.divisor), L::splat(0.0))
    }
}

/// Gives impulses, forces and angles back to the joints, and lists those that carried too much.
#[allow(unsafe_code)]
pub(crate) fn store_hinges(
    world: &mut WorldState,
    hinges: &mut [HingeBlock],
    context: &StepContext,
    broken: &mut Vec<u32>,
) {
    let per_second = 1.0 / context.dt;
    let store = |block: &HingeBlock, lane: usize, joint: &mut Joint| {
        let pin = &block.pin;
        joint.impulses[0] = pin.impulses[0].0[lane];
        joint.impulses[1] = pin.impulses[1].0[lane];
        joint.impulses[STOP] = block.stop_impulse.0[lane];
        joint.impulses[SPRING] = block.spring_impulse.0[lane];
        joint.impulses[MOTOR] = block.motor_impulse.0[lane];
        let angle = pin.angle.0[lane] + block.turned.0[lane];
        joint.keep(at(&pin.total, lane) * per_second, block.total_turn.0[lane] * per_second, angle);
    };
    // SAFETY: `prepare_joints` gives every joint one lane.
    unsafe { store_lanes(&mut world.joints, context, hinges, broken, store) };
}
