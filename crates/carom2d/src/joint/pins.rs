//! Plain pins side by side: what `joints.rs` does for any joint, for sixteen pins at a time.
//!
//! A pin without limits, motor or spring is by far the most common joint, and has the same two rows each time (see
//! `joint/revolute.rs`). Here they are made and solved in lanes, by the same operations in the same order, so that a pin
//! does the same, to the bit, whether it is solved here or as a list of rows: as it is by the other solvers, and when
//! an axis of a body is locked or no colour was left. Pins that have more are solved in `hinges.rs`, with what is here.

use super::constraint::JointInput;
use super::row::ROUNDING;
use super::{Joint, JointId, JointKind, Revolute};
use crate::body::{BodyState, NONE};
use crate::math::{Rot, Vec2, vec2};
use crate::motion::Motion;
use crate::solver::{BodyMass, Mobility, Softness, Velocities, at};
use crate::stage::StepContext;
use crate::stage::solve::LEAST_FILLED;
use crate::world::WorldState;
use carom_core::Pool;
use carom_threads::Parts;
use carom_wide::{
    LANES, Lanes, Lanes2, Places, Rows, Task, Wide, Wide2, angles, each_part, is_sparse, prefetch, prefetch_at,
};
use std::cell::OnceCell;
use std::ops::Range;

/// Up to [`LANES`] plain pins of one colour.
#[derive(Clone, Debug)]
pub(crate) struct PinBlock {
    /// Bodies in the awake set; none where nothing moves.
    bodies_a: Places,
    bodies_b: Places,
    /// How many lanes hold a pin: the first ones.
    pub(crate) count: u32,
    /// Joints that carried too much in the step, one bit per lane.
    overloaded: u16,
    /// Indices of the joints in the lanes that hold one.
    pub(crate) joint: [u32; LANES],
    inv_mass_a: Wide,
    inv_inertia_a: Wide,
    inv_mass_b: Wide,
    inv_inertia_b: Wide,
    /// At the start of the step: from the centres of mass to the frames, and from the centre of a to that of b.
    r_a: Wide2,
    r_b: Wide2,
    centers: Wide2,
    /// Where the pin acts between the frames (`joint/frames.rs`).
    share: Wide,
    /// Angle of frame b against frame a, counted on beyond half a turn; the last to be set right at the end of a step.
    pub(crate) angle: Wide,
    pub(crate) bias_rate: Wide,
    pub(crate) mass_scale: Wide,
    pub(crate) impulse_scale: Wide,
    /// Of the sub-step, along the axes of the world.
    pub(crate) impulses: [Wide; 2],
    /// Sum of the impulse on b over the step.
    pub(crate) total: Wide2,
}

impl PinBlock {
    pub(crate) const EMPTY: PinBlock = PinBlock {
        bodies_a: Places::NOWHERE,
        bodies_b: Places::NOWHERE,
        count: 0,
        overloaded: 0,
        joint: [NONE; LANES],
        inv_mass_a: Wide::ZERO,
        inv_inertia_a: Wide::ZERO,
        inv_mass_b: Wide::ZERO,
        inv_inertia_b: Wide::ZERO,
        r_a: Wide2::ZERO,
        r_b: Wide2::ZERO,
        centers: Wide2::ZERO,
        share: Wide::ZERO,
        angle: Wide::ZERO,
        bias_rate: Wide::ZERO,
        mass_scale: Wide::ZERO,
        impulse_scale: Wide::ZERO,
        impulses: [Wide::ZERO; 2],
        total: Wide2::ZERO,
    };
}

/// How a joint is solved: side by side with others of its kind, or as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PinKind {
    /// It is solved here.
    Plain,
    /// It is solved in `hinges.rs`.
    Hinge,
    /// It is solved as a list of rows.
    Other,
}

impl PinKind {
    pub(crate) fn of(input: &JointInput<'_>, joint: &Joint) -> PinKind {
        let JointInput { world, masses, .. } = *input;
        // Bodies with locked axes are heavier in one direction than in the other.
        let even = |body: u32| match masses.get(world.awake_index(body) as usize) {
            Some(mass) => mass.mobility != Mobility::Some,
            None => true,
        };
        match PinKind::of_kind(&joint.def.kind) {
            PinKind::Other => PinKind::Other,
            kind if even(joint.def.body_a.index()) && even(joint.def.body_b.index()) => kind,
            _ => PinKind::Other,
        }
    }

    /// The same if its bodies have no locked axes.
    pub(crate) fn of_kind(kind: &JointKind) -> PinKind {
        match kind {
            JointKind::Revolute(Revolute { limits: None, motor: None, spring: None, .. }) => PinKind::Plain,
            JointKind::Revolute(_) => PinKind::Hinge,
            _ => PinKind::Other,
        }
    }
}

/// Blocks that are being listed, in the order of solving: those of the last step are used again.
pub(crate) struct Listing<B> {
    pub(crate) blocks: Vec<B>,
    pub(crate) used: usize,
    /// The blocks of the colour that is listed begin here.
    first: usize,
}

impl<B: Clone + AsMut<PinBlock>> Listing<B> {
    pub(crate) fn over(blocks: Vec<B>) -> Listing<B> {
        Listing { blocks, used: 0, first: 0 }
    }

    /// Adds a pin of the colour.
    pub(crate) fn push(&mut self, joint: u32, empty: &B) {
        let is_full = self.used == self.first || self.blocks[self.used - 1].as_mut().count as usize == LANES;
        if is_full {
            if self.used == self.blocks.len() {
                self.blocks.push(empty.clone());
            }
            self.blocks[self.used].as_mut().count = 0;
            self.used += 1;
        }
        let block = self.blocks[self.used - 1].as_mut();
        block.joint[block.count as usize] = joint;
        block.count += 1;
    }

    /// Ends a colour; returns its blocks.
    pub(crate) fn end_color(&mut self) -> Range<usize> {
        std::mem::replace(&mut self.first, self.used)..self.used
    }

    /// All blocks that were listed.
    pub(crate) fn finish(mut self) -> Vec<B> {
        self.blocks.truncate(self.used);
        self.blocks
    }
}

impl AsMut<PinBlock> for PinBlock {
    fn as_mut(&mut self) -> &mut PinBlock {
        self
    }
}

/// Fills blocks with what their pins are now.
pub(crate) fn fill_pins(input: &JointInput<'_>, pins: &mut [PinBlock]) {
    let context = input.context;
    context.crew.for_chunks(pins, context.crew.grain(pins.len(), LEAST_FILLED), |_, pins| {
        let mut filler = Filler::new(input);
        for index in 0..pins.len() {
            if let Some(next) = pins.get(index + 1) {
                filler.fetch(next);
            }
            let block = &mut pins[index];
            *block = block.listed();
            filler.fill(block);
        }
    });
}

/// What blocks are filled with.
pub(crate) struct Filler<'a> {
    input: &'a JointInput<'a>,
    /// Stiffness and damping ratio of the joint before, and what they come to: most joints have the same.
    softness: (f32, f32, Softness),
}

impl<'a> Filler<'a> {
    pub(crate) fn new(input: &'a JointInput<'a>) -> Filler<'a> {
        Filler { input, softness: (f32::NAN, f32::NAN, Softness::new(1.0, 1.0, input.context.h)) }
    }

    /// Tells the machine that the joints of a block will be read soon.
    pub(crate) fn fetch(&self, block: &PinBlock) {
        for &joint in &block.joint[..block.count as usize] {
            self.input.world.joints.slot(joint).inspect(|slot| prefetch(*slot));
        }
        // As a rule the bodies are where they were in the last step.
        for places in [&block.bodies_a, &block.bodies_b] {
            places.all()[..block.count as usize].iter().for_each(|&place| self.input.motions.fetch(place));
        }
    }

    /// Fills a block that has nothing but a list of joints.
    pub(crate) fn fill(&mut self, block: &mut PinBlock) {
        let mut rotation = Wide2::ZERO;
        for lane in 0..block.count as usize {
            let joint = &self.input.world.joints[block.joint[lane]];
            let def = &joint.def;
            if (self.softness.0, self.softness.1) != (def.hertz, def.damping_ratio) {
                self.softness =
                    (def.hertz, def.damping_ratio, self.input.context.joint_softness(def.hertz, def.damping_ratio));
            }
            let from_a = fill_lane(self.input, joint, &self.softness.2, block, lane);
            set(&mut rotation, lane, vec2(from_a.c, from_a.s));
        }
        self.input.context.width.run(StartLanes { block, rotation: &rotation });
    }
}

/// Brings the angles of a block, which are those of the last step, to where frames b have these rotations against frames
/// a; and finds where the pins act.
struct StartLanes<'a> {
    block: &'a mut PinBlock,
    rotation: &'a Wide2,
}

impl Task for StartLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for first in each_part::<L>(self.block.count as usize) {
            let rotation = Lanes2::<L>::load(self.rotation, first);
            let angle = angles(rotation.x, rotation.y, L::load(&self.block.angle, first));
            angle.store(&mut self.block.angle, first);
            shares::<L>(self.block, first).store(&mut self.block.share, first);
        }
    }
}

/// `share` in `joint/frames.rs`.
#[inline(always)]
fn shares<L: Lanes>(block: &PinBlock, first: usize) -> L {
    let (r_a, r_b) = (Lanes2::<L>::load(&block.r_a, first), Lanes2::<L>::load(&block.r_b, first));
    let (a, b) = (L::load(&block.inv_inertia_a, first), L::load(&block.inv_inertia_b, first));
    let m = L::load(&block.inv_mass_a, first) + L::load(&block.inv_mass_b, first);
    let (k_a, k_b) = (a * r_a.dot(r_a), b * r_b.dot(r_b));
    let (g_a, g_b) = (a * (m + k_b), b * (m + k_a));
    let some = (g_a + g_b).greater(L::splat(0.0));
    L::select(some, g_b.divided_by(L::select(some, g_a + g_b, L::splat(1.0))), L::splat(0.5))
}

/// Fills a lane; returns the rotation of frame b against frame a.
fn fill_lane(input: &JointInput<'_>, joint: &Joint, softness: &Softness, block: &mut PinBlock, lane: usize) -> Rot {
    let (def, warmth) = (&joint.def, input.warmth);
    let (body_a, body_b) = (def.body_a.index(), def.body_b.index());
    let rests = [OnceCell::new(), OnceCell::new()];
    let (a, mass_a) = end(input, body_a, &mut block.bodies_a, lane, &rests[0]);
    let (b, mass_b) = end(input, body_b, &mut block.bodies_b, lane, &rests[1]);
    let arm = |motion: &Motion, point: Vec2| motion.pose.q.rotate(point - motion.local_center);
    set(&mut block.r_a, lane, arm(a, def.frame_a.p));
    set(&mut block.r_b, lane, arm(b, def.frame_b.p));
    set(&mut block.centers, lane, b.center - a.center);
    block.inv_mass_a.0[lane] = mass_a.inv_mass.x;
    block.inv_mass_b.0[lane] = mass_b.inv_mass.x;
    block.inv_inertia_a.0[lane] = mass_a.inv_inertia;
    block.inv_inertia_b.0[lane] = mass_b.inv_inertia;
    block.bias_rate.0[lane] = softness.bias_rate;
    block.mass_scale.0[lane] = softness.mass_scale;
    block.impulse_scale.0[lane] = softness.impulse_scale;
    block.impulses[0].0[lane] = joint.impulses[0] * warmth;
    block.impulses[1].0[lane] = joint.impulses[1] * warmth;
    block.angle.0[lane] = joint.angle;
    a.pose.q.compose(def.frame_a.q).inv_mul(b.pose.q.compose(def.frame_b.q))
}

/// Lists one body of a joint. Returns where it is and what it opposes to impulses; `rest` is room for a body that is not
/// awake. Those that are, are read where they take little memory.
#[inline(always)]
fn end<'m>(
    input: &JointInput<'m>,
    body: u32,
    places: &mut Places,
    lane: usize,
    rest: &'m OnceCell<Motion>,
) -> (&'m Motion, BodyMass) {
    let JointInput { world, masses, motions, .. } = *input;
    let place = world.awake_index(body);
    let mass = match masses.get(place as usize) {
        Some(mass) => {
            places.set(lane, place, mass.mobility != Mobility::None);
            *mass
        }
        None => BodyMass::of(world.sim(body), false),
    };
    let at_rest = || rest.get_or_init(|| Motion::new(world.sim(body), &BodyState::REST));
    (motions.at(place, body).unwrap_or_else(at_rest), mass)
}

fn set(wide: &mut Wide2, lane: usize, value: Vec2) {
    wide.x.0[lane] = value.x;
    wide.y.0[lane] = value.y;
}

/// What a body opposes to impulses.
#[derive(Clone, Copy)]
pub(crate) struct Inverse<L> {
    pub(crate) mass: L,
    pub(crate) inertia: L,
}

/// What a part of a block is solved with.
///
/// The two rows are along the axes of the world, so that of the four numbers of a body's part of `J` two are 0 and 1: the
/// first row is `(1, 0, -arm.y)` for b, the second `(0, 1, arm.x)`.
pub(crate) struct Part<L> {
    pub(crate) a: Velocities<L>,
    pub(crate) b: Velocities<L>,
    pub(crate) inverse_a: Inverse<L>,
    pub(crate) inverse_b: Inverse<L>,
    /// From frame a to frame b.
    pub(crate) error: Lanes2<L>,
    /// From the centres of mass to the point where the pin acts.
    pub(crate) arm_a: Lanes2<L>,
    pub(crate) arm_b: Lanes2<L>,
    /// The rotation of b against a since the step began, as cosine and sine.
    pub(crate) turned: Lanes2<L>,
}

impl<L: Lanes> Part<L> {
    #[inline(always)]
    pub(crate) fn read(block: &PinBlock, states: &Rows<'_, BodyState>, first: usize) -> Part<L> {
        let (a, moved_a) = Velocities::<L>::read_all(states, &block.bodies_a, first);
        let (b, moved_b) = Velocities::<L>::read_all(states, &block.bodies_b, first);
        let r_a = Lanes2::load(&block.r_a, first).rotated(moved_a.c, moved_a.s);
        let r_b = Lanes2::load(&block.r_b, first).rotated(moved_b.c, moved_b.s);
        let moved = moved_b.position - moved_a.position;
        let d = Lanes2::load(&block.centers, first) + moved + r_b - r_a;
        let from_a = d.scale(L::load(&block.share, first));
        Part {
            a,
            b,
            inverse_a: Inverse {
                mass: L::load(&block.inv_mass_a, first),
                inertia: L::load(&block.inv_inertia_a, first),
            },
            inverse_b: Inverse {
                mass: L::load(&block.inv_mass_b, first),
                inertia: L::load(&block.inv_inertia_b, first),
            },
            error: d,
            arm_a: r_a + from_a,
            arm_b: r_b - (d - from_a),
            turned: Lanes2 {
                x: moved_a.c * moved_b.c + moved_a.s * moved_b.s,
                y: moved_a.c * moved_b.s - moved_a.s * moved_b.c,
            },
        }
    }

    #[inline(always)]
    pub(crate) fn write(&self, block: &PinBlock, states: &mut Rows<'_, BodyState>, first: usize) {
        self.a.write(states, &block.bodies_a, first);
        self.b.write(states, &block.bodies_b, first);
    }

    /// Applies an impulse, first what it does along x, then along y.
    #[inline(always)]
    pub(crate) fn push(&mut self, impulse: Lanes2<L>) {
        let (a, b) = (self.inverse_a, self.inverse_b);
        self.a.velocity = self.a.velocity - impulse.scale(a.mass);
        self.b.velocity = self.b.velocity + impulse.scale(b.mass);
        self.a.angular_velocity += a.inertia * self.arm_a.y * impulse.x;
        self.a.angular_velocity -= a.inertia * self.arm_a.x * impulse.y;
        self.b.angular_velocity -= b.inertia * self.arm_b.y * impulse.x;
        self.b.angular_velocity += b.inertia * self.arm_b.x * impulse.y;
    }

    /// `J v`.
    #[inline(always)]
    pub(crate) fn velocity(&self) -> Lanes2<L> {
        let (a, b) = (self.a.angular_velocity, self.b.angular_velocity);
        let of_a = Lanes2 { x: self.arm_a.y * a - self.a.velocity.x, y: -self.a.velocity.y - self.arm_a.x * a };
        let of_b = Lanes2 { x: self.b.velocity.x - self.arm_b.y * b, y: self.b.velocity.y + self.arm_b.x * b };
        of_a + of_b
    }

    /// `K`: along x, mixed, along y.
    #[inline(always)]
    pub(crate) fn response(&self) -> [L; 3] {
        let (a, b) = (self.inverse_a, self.inverse_b);
        let (turn_a, turn_b) = (self.arm_a.scale(a.inertia), self.arm_b.scale(b.inertia));
        [
            (a.mass + turn_a.y * self.arm_a.y) + (b.mass + turn_b.y * self.arm_b.y),
            -(turn_a.x * self.arm_a.y) - turn_b.x * self.arm_b.y,
            (a.mass + turn_a.x * self.arm_a.x) + (b.mass + turn_b.x * self.arm_b.x),
        ]
    }
}

/// Applies the impulses of the last sub-step again, for a run of blocks.
pub(crate) struct WarmStartPins<'a> {
    pub(crate) pins: &'a [PinBlock],
    pub(crate) states: Rows<'a, BodyState>,
}

impl Task for WarmStartPins<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.pins {
            if is_sparse::<L>(block.count as usize) {
                warm_start_block::<L::Narrow>(block, &mut self.states);
            } else {
                warm_start_block::<L>(block, &mut self.states);
            }
        }
    }
}

#[inline(always)]
fn warm_start_block<L: Lanes>(block: &PinBlock, states: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.count as usize) {
        let mut part = Part::<L>::read(block, states, first);
        part.push(Lanes2 { x: L::load(&block.impulses[0], first), y: L::load(&block.impulses[1], first) });
        part.write(block, states, first);
    }
}

/// Solves a run of blocks.
pub(crate) struct SolvePins<'a, const BIASED: bool> {
    pub(crate) pins: &'a mut [PinBlock],
    pub(crate) states: Rows<'a, BodyState>,
}

impl<const BIASED: bool> Task for SolvePins<'_, BIASED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.pins {
            if is_sparse::<L>(block.count as usize) {
                solve_block::<L::Narrow, BIASED>(block, &mut self.states);
            } else {
                solve_block::<L, BIASED>(block, &mut self.states);
            }
        }
    }
}

#[inline(always)]
fn solve_block<L: Lanes, const BIASED: bool>(block: &mut PinBlock, states: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.count as usize) {
        solve_part::<L, BIASED>(block, states, first);
    }
}

#[inline(always)]
fn solve_part<L: Lanes, const BIASED: bool>(block: &mut PinBlock, states: &mut Rows<'_, BodyState>, first: usize) {
    let mut part = Part::<L>::read(block, states, first);
    let before = [L::load(&block.impulses[0], first), L::load(&block.impulses[1], first)];
    let speed = part.velocity();
    let k = part.response();
    let mut sums;
    if BIASED {
        let (bias_rate, mass_scale) = (L::load(&block.bias_rate, first), L::load(&block.mass_scale, first));
        let given_back = L::load(&block.impulse_scale, first);
        let change = solve_symmetric(
            k,
            [-mass_scale * (speed.x + bias_rate * part.error.x), -mass_scale * (speed.y + bias_rate * part.error.y)],
        );
        sums = [before[0] + change[0], before[1] + change[1]];
        sums[0] -= given_back * before[0];
        sums[1] -= given_back * before[1];
    } else {
        let change = solve_symmetric(k, [-speed.x, -speed.y]);
        sums = [before[0] + change[0], before[1] + change[1]];
    }
    part.push(Lanes2 { x: sums[0] - before[0], y: sums[1] - before[1] });
    sums[0].store(&mut block.impulses[0], first);
    sums[1].store(&mut block.impulses[1], first);
    if !BIASED {
        let total = Lanes2::load(&block.total, first);
        (total + Lanes2 { x: sums[0], y: sums[1] }).store(&mut block.total, first);
        // Jointed bodies do not fly freely: see `integrate.rs`.
        part.a.mark_loaded(L::splat(1.0));
        part.b.mark_loaded(L::splat(1.0));
    }
    part.write(block, states, first);
}

/// Solves `[k0 k1; k1 k2] x = b` as `solve_symmetric` in `joint/row.rs`: a direction in which nothing can move gets no
/// impulse.
#[inline(always)]
fn solve_symmetric<L: Lanes>([k0, k1, k2]: [L; 3], [x, y]: [L; 2]) -> [L; 2] {
    let (zero, one, tiny) = (L::splat(0.0), L::splat(1.0), L::splat(ROUNDING));
    let first = L::both(k0.greater(tiny * k0), k0.greater(zero));
    let divisor = L::select(first, k0, one);
    let factor = k1.divided_by(divisor);
    let left = L::select(first, k2 - factor * k1, k2);
    let y = L::select(first, y - factor * x, y);
    let second = L::both(left.greater(tiny * k2), left.greater(zero));
    let y = L::select(second, y.divided_by(L::select(second, left, one)), zero);
    let x = L::select(first, (x - k1 * y).divided_by(divisor), zero);
    [x, y]
}

impl PinBlock {
    /// The list of joints, and nothing else.
    pub(crate) fn listed(&self) -> PinBlock {
        PinBlock { joint: self.joint, count: self.count, ..PinBlock::EMPTY }
    }

    /// Marks the bodies as jointed.
    pub(crate) fn mark_jointed(&self, states: &mut [BodyState]) {
        for lane in 0..self.count as usize {
            for body in [self.bodies_a.get(lane), self.bodies_b.get(lane)].into_iter().flatten() {
                states[body as usize].flags |= BodyState::JOINTED | BodyState::LOADED;
            }
        }
    }
}

/// Gives impulses, forces and angles back to the joints, and lists those that carried too much.
#[allow(unsafe_code)]
pub(crate) fn store_pins(world: &mut WorldState, pins: &mut [PinBlock], context: &StepContext, broken: &mut Vec<u32>) {
    let states = Rows::of(&mut world.sets.sets[crate::sets::AWAKE as usize].states);
    let grain = context.crew.grain(pins.len(), LEAST_FILLED);
    context.crew.for_chunks(pins, grain, |_, pins| {
        // SAFETY: nothing is written to the bodies.
        let states = unsafe { states.share() };
        context.width.run(EndAngles { pins, states, context });
    });
    let per_second = 1.0 / context.dt;
    let store = |block: &PinBlock, lane: usize, joint: &mut Joint| {
        joint.impulses[0] = block.impulses[0].0[lane];
        joint.impulses[1] = block.impulses[1].0[lane];
        joint.keep(at(&block.total, lane) * per_second, 0.0, block.angle.0[lane]);
    };
    // SAFETY: `prepare_joints` gives every joint one lane.
    unsafe { store_lanes(&mut world.joints, context, pins, broken, store) };
}

/// Lets every lane of some blocks write to its joint, and lists joints that carried too much.
///
/// # Safety
/// Every joint must be in one lane of one block.
#[allow(unsafe_code)]
pub(crate) unsafe fn store_lanes<B: AsMut<PinBlock> + Send>(
    joints: &mut Pool<Joint, JointId>,
    context: &StepContext,
    blocks: &mut [B],
    broken: &mut Vec<u32>,
    store: impl Fn(&B, usize, &mut Joint) + Sync,
) {
    let slots = Parts::of(joints.slots_mut());
    context.crew.for_chunks(blocks, context.crew.grain(blocks.len(), LEAST_FILLED), |_, blocks| {
        for index in 0..blocks.len() {
            if let Some(next) = blocks.get_mut(index + 1) {
                let next = next.as_mut();
                for &joint in &next.joint[..next.count as usize] {
                    prefetch_at(slots.pointer(joint as usize), size_of::<Joint>());
                }
            }
            let pin = blocks[index].as_mut();
            let (listed, count) = (pin.joint, pin.count as usize);
            let mut overloaded = 0;
            for (lane, &joint) in listed[..count].iter().enumerate() {
                // SAFETY: the caller promises that no other lane has this joint.
                let joint = unsafe { slots.item(joint as usize) }.value_mut();
                store(&blocks[index], lane, joint);
                overloaded |= u16::from(joint.is_overloaded()) << lane;
            }
            blocks[index].as_mut().overloaded = overloaded;
        }
    });
    for pin in blocks.iter_mut().map(AsMut::as_mut).filter(|pin| pin.overloaded != 0) {
        broken.extend((0..LANES).filter(|lane| pin.overloaded >> lane & 1 != 0).map(|lane| pin.joint[lane]));
    }
}

/// Brings the angles of a run of blocks to the end of the step, before the bodies are moved.
struct EndAngles<'a> {
    pins: &'a mut [PinBlock],
    states: Rows<'a, BodyState>,
    context: &'a StepContext<'a>,
}

impl Task for EndAngles<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let dt = L::splat(self.context.dt);
        let most = L::splat(self.context.most_turned());
        for block in self.pins {
            for first in each_part::<L>(block.count as usize) {
                let part = Part::<L>::read(block, &self.states, first);
                let about = (part.b.angular_velocity - part.a.angular_velocity) * dt;
                let turned = angles(part.turned.x, part.turned.y, about.clamp_symmetric(most));
                (L::load(&block.angle, first) + turned).store(&mut block.angle, first);
            }
        }
    }
}
