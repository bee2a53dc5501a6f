//! Plain pins side by side: what `joints.rs` does for any joint, for sixteen pins at a time.
//!
//! A pin without limits, motor or spring is by far the most common joint, and has the same two rows each time (see
//! `joint/revolute.rs`). Here they are made and solved in lanes, by the same operations in the same order, so that a pin
//! does the same, to the bit, whether it is solved here or as a list of rows: as it is by the other solvers, and when
//! an axis of a body is locked or no colour was left.

use super::StepContext;
use crate::body::{BodySim, BodyState, NONE};
use crate::joint::{Joint, JointKind, Revolute};
use crate::joint_ref::unwound;
use crate::math::{Vec2, clamp, vec2};
use crate::solver::{Mobility, Softness, Velocities, at};
use crate::world::World;
use carom_wide::{LANES, Lanes, Lanes2, Places, Rows, Task, Wide, Wide2, each_part, is_sparse, prefetch};

/// Up to [`LANES`] plain pins of one colour.
#[derive(Clone, Debug)]
pub(crate) struct PinBlock {
    /// Bodies in the awake set; none where nothing moves.
    bodies_a: Places,
    bodies_b: Places,
    /// How many lanes hold a pin: the first ones.
    count: u32,
    /// Indices of the joints; `NONE` in unused lanes.
    joint: [u32; LANES],
    inv_mass_a: Wide,
    inv_inertia_a: Wide,
    inv_mass_b: Wide,
    inv_inertia_b: Wide,
    /// At the start of the step: from the centres of mass to the frames, from the centre of a to that of b, and the
    /// direction of frame a as cosine and sine.
    r_a: Wide2,
    r_b: Wide2,
    centers: Wide2,
    q_a: Wide2,
    bias_rate: Wide,
    mass_scale: Wide,
    impulse_scale: Wide,
    /// Of the sub-step, along the axes of frame a.
    impulses: [Wide; 2],
    /// Sum of the impulse on b over the step.
    total: Wide2,
}

impl PinBlock {
    const EMPTY: PinBlock = PinBlock {
        bodies_a: Places::NOWHERE,
        bodies_b: Places::NOWHERE,
        count: 0,
        joint: [NONE; LANES],
        inv_mass_a: Wide::ZERO,
        inv_inertia_a: Wide::ZERO,
        inv_mass_b: Wide::ZERO,
        inv_inertia_b: Wide::ZERO,
        r_a: Wide2::ZERO,
        r_b: Wide2::ZERO,
        centers: Wide2::ZERO,
        q_a: Wide2::ZERO,
        bias_rate: Wide::ZERO,
        mass_scale: Wide::ZERO,
        impulse_scale: Wide::ZERO,
        impulses: [Wide::ZERO; 2],
        total: Wide2::ZERO,
    };
}

/// True for a joint that can be solved here.
pub(crate) fn is_plain_pin(world: &World, joint: &Joint) -> bool {
    let plain = JointKind::Revolute(Revolute { limits: None, motor: None, spring: None, target_angle: 0.0 });
    let kind = match joint.def.kind {
        JointKind::Revolute(pin) => JointKind::Revolute(Revolute { target_angle: 0.0, ..pin }),
        other => other,
    };
    // Bodies with locked axes are heavier in one direction than in the other.
    let even = |body: u32| match world.constraints.masses.get(world.awake_index(body) as usize) {
        Some(mass) => mass.mobility != Mobility::Some,
        None => true,
    };
    kind == plain && even(joint.def.body_a.index()) && even(joint.def.body_b.index())
}

/// Adds a pin of the colour whose blocks begin at `first`.
pub(crate) fn list_pin(pins: &mut Vec<PinBlock>, first: usize, joint: u32) {
    if pins[first..].last().is_none_or(|block| block.count as usize == LANES) {
        pins.push(PinBlock::EMPTY);
    }
    if let Some(block) = pins.last_mut() {
        block.joint[block.count as usize] = joint;
        block.count += 1;
    }
}

/// Fills a run of blocks with what their pins are now.
pub(crate) fn fill_pins(world: &World, context: &StepContext, warmth: f32, pins: &mut [PinBlock]) {
    let mut soft = (f32::NAN, f32::NAN, Softness::new(1.0, 1.0, context.h));
    for index in 0..pins.len() {
        for &joint in pins.get(index + 1).iter().flat_map(|next| &next.joint) {
            world.joints.slot(joint).inspect(|slot| prefetch(*slot));
        }
        let block = &mut pins[index];
        for lane in 0..block.count as usize {
            let joint = &world.joints[block.joint[lane]];
            // Most have the same softness as the one before.
            if (soft.0, soft.1) != (joint.def.hertz, joint.def.damping_ratio) {
                soft = (joint.def.hertz, joint.def.damping_ratio, super::joints::softness(world, joint, context));
            }
            fill_lane(world, joint, &soft.2, warmth, block, lane);
        }
    }
}

fn fill_lane(world: &World, joint: &Joint, softness: &Softness, warmth: f32, block: &mut PinBlock, lane: usize) {
    let def = &joint.def;
    let (body_a, body_b) = (def.body_a.index(), def.body_b.index());
    for (body, places) in [(body_a, &mut block.bodies_a), (body_b, &mut block.bodies_b)] {
        let place = world.awake_index(body);
        if let Some(mass) = world.constraints.masses.get(place as usize) {
            places.set(lane, place, mass.mobility != Mobility::None);
        }
    }
    let (a, b) = (world.sim(body_a), world.sim(body_b));
    let arm = |sim: &BodySim, point: Vec2| sim.rotation.rotate(point - sim.local_center);
    set(&mut block.r_a, lane, arm(a, def.frame_a.p));
    set(&mut block.r_b, lane, arm(b, def.frame_b.p));
    set(&mut block.centers, lane, b.center - a.center);
    let q_a = a.rotation.compose(def.frame_a.q);
    set(&mut block.q_a, lane, vec2(q_a.c, q_a.s));
    block.inv_mass_a.0[lane] = a.inv_mass.x;
    block.inv_mass_b.0[lane] = b.inv_mass.x;
    block.inv_inertia_a.0[lane] = a.inv_inertia;
    block.inv_inertia_b.0[lane] = b.inv_inertia;
    block.bias_rate.0[lane] = softness.bias_rate;
    block.mass_scale.0[lane] = softness.mass_scale;
    block.impulse_scale.0[lane] = softness.impulse_scale;
    block.impulses[0].0[lane] = joint.impulses[0] * warmth;
    block.impulses[1].0[lane] = joint.impulses[1] * warmth;
}

fn set(wide: &mut Wide2, lane: usize, value: Vec2) {
    wide.x.0[lane] = value.x;
    wide.y.0[lane] = value.y;
}

/// One side of a row: the direction, which is opposite for a, and the arm's turn.
#[derive(Clone, Copy)]
struct Side<L> {
    linear: Lanes2<L>,
    angular: L,
}

/// One of the two rows.
#[derive(Clone, Copy)]
struct PinRow<L> {
    error: L,
    a: Side<L>,
    b: Side<L>,
}

/// What a part of a block is solved with.
struct Part<L> {
    a: Velocities<L>,
    b: Velocities<L>,
    inverse_a: Side<L>,
    inverse_b: Side<L>,
    rows: [PinRow<L>; 2],
}

impl<L: Lanes> Side<L> {
    #[inline(always)]
    fn velocity(&self, body: &Velocities<L>) -> L {
        self.linear.dot(body.velocity) + self.angular * body.angular_velocity
    }

    /// What a unit impulse along this row does to the velocity along another.
    #[inline(always)]
    fn response(&self, inverse: &Side<L>, other: &Side<L>) -> L {
        self.linear.x * inverse.linear.x * other.linear.x
            + self.linear.y * inverse.linear.y * other.linear.y
            + self.angular * inverse.angular * other.angular
    }

    #[inline(always)]
    fn push(&self, impulse: L, inverse: &Side<L>, body: &mut Velocities<L>) {
        body.velocity = body.velocity + inverse.linear.times(self.linear).scale(impulse);
        body.angular_velocity += inverse.angular * self.angular * impulse;
    }
}

impl<L: Lanes> PinRow<L> {
    #[inline(always)]
    fn new(u: Lanes2<L>, d: Lanes2<L>, r_a: Lanes2<L>, r_b: Lanes2<L>) -> PinRow<L> {
        let back = -u;
        PinRow {
            error: d.dot(u),
            a: Side { linear: back, angular: (r_a + d).cross(back) },
            b: Side { linear: u, angular: r_b.cross(u) },
        }
    }
}

impl<L: Lanes> Part<L> {
    #[inline(always)]
    fn read(block: &PinBlock, states: &Rows<'_, BodyState>, first: usize) -> Part<L> {
        let (a, moved_a) = Velocities::<L>::read_all(states, &block.bodies_a, first);
        let (b, moved_b) = Velocities::<L>::read_all(states, &block.bodies_b, first);
        let r_a = Lanes2::load(&block.r_a, first).rotated(moved_a.c, moved_a.s);
        let r_b = Lanes2::load(&block.r_b, first).rotated(moved_b.c, moved_b.s);
        let moved = moved_b.position - moved_a.position;
        let d = Lanes2::load(&block.centers, first) + moved + r_b - r_a;
        let q_a = Lanes2::<L>::load(&block.q_a, first).rotated(moved_a.c, moved_a.s);
        let (mass_a, mass_b) = (L::load(&block.inv_mass_a, first), L::load(&block.inv_mass_b, first));
        Part {
            a,
            b,
            inverse_a: Side { linear: Lanes2 { x: mass_a, y: mass_a }, angular: L::load(&block.inv_inertia_a, first) },
            inverse_b: Side { linear: Lanes2 { x: mass_b, y: mass_b }, angular: L::load(&block.inv_inertia_b, first) },
            rows: [PinRow::new(q_a, d, r_a, r_b), PinRow::new(Lanes2 { x: -q_a.y, y: q_a.x }, d, r_a, r_b)],
        }
    }

    #[inline(always)]
    fn write(&self, block: &PinBlock, states: &mut Rows<'_, BodyState>, first: usize) {
        self.a.write(states, &block.bodies_a, first);
        self.b.write(states, &block.bodies_b, first);
    }

    #[inline(always)]
    fn push(&mut self, row: usize, impulse: L) {
        let row = self.rows[row];
        row.a.push(impulse, &self.inverse_a, &mut self.a);
        row.b.push(impulse, &self.inverse_b, &mut self.b);
    }

    #[inline(always)]
    fn velocity(&self, row: usize) -> L {
        self.rows[row].a.velocity(&self.a) + self.rows[row].b.velocity(&self.b)
    }

    #[inline(always)]
    fn response(&self, row: usize, other: usize) -> L {
        let (row, other) = (&self.rows[row], &self.rows[other]);
        row.a.response(&self.inverse_a, &other.a) + row.b.response(&self.inverse_b, &other.b)
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
        part.push(0, L::load(&block.impulses[0], first));
        part.push(1, L::load(&block.impulses[1], first));
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
    let speeds = [part.velocity(0), part.velocity(1)];
    let k = [part.response(0, 0), part.response(1, 0), part.response(1, 1)];
    let mut sums;
    if BIASED {
        let (bias_rate, mass_scale) = (L::load(&block.bias_rate, first), L::load(&block.mass_scale, first));
        let given_back = L::load(&block.impulse_scale, first);
        let change = solve_symmetric(
            k,
            [
                -mass_scale * (speeds[0] + bias_rate * part.rows[0].error),
                -mass_scale * (speeds[1] + bias_rate * part.rows[1].error),
            ],
        );
        sums = [before[0] + change[0], before[1] + change[1]];
        sums[0] -= given_back * before[0];
        sums[1] -= given_back * before[1];
    } else {
        let change = solve_symmetric(k, [-speeds[0], -speeds[1]]);
        sums = [before[0] + change[0], before[1] + change[1]];
    }
    part.push(0, sums[0] - before[0]);
    part.push(1, sums[1] - before[1]);
    sums[0].store(&mut block.impulses[0], first);
    sums[1].store(&mut block.impulses[1], first);
    if !BIASED {
        let total = Lanes2::load(&block.total, first);
        let total = total + part.rows[0].b.linear.scale(sums[0]);
        (total + part.rows[1].b.linear.scale(sums[1])).store(&mut block.total, first);
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
    let (zero, one, tiny) = (L::splat(0.0), L::splat(1.0), L::splat(1.0e-6));
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

/// Marks the bodies of a run of blocks as jointed.
pub(crate) fn mark_pins_loaded(pins: &[PinBlock], states: &mut [BodyState]) {
    for block in pins {
        for lane in 0..block.count as usize {
            for body in [block.bodies_a.get(lane), block.bodies_b.get(lane)].into_iter().flatten() {
                states[body as usize].flags |= BodyState::LOADED;
            }
        }
    }
}

/// Gives impulses, forces and angles back to the joints, and lists those that carried too much.
pub(crate) fn store_pins(world: &mut World, context: &StepContext, broken: &mut Vec<u32>) {
    let per_second = 1.0 / context.dt;
    let pins = std::mem::take(&mut world.constraints.pins);
    for (index, block) in pins.iter().enumerate() {
        for &joint in pins.get(index + 1).iter().flat_map(|next| &next.joint) {
            world.joints.slot(joint).inspect(|slot| prefetch(*slot));
        }
        for lane in 0..block.count as usize {
            let index = block.joint[lane];
            let joint = &world.joints[index];
            let angle = angle_now(world, context, joint);
            let joint = &mut world.joints[index];
            joint.impulses[0] = block.impulses[0].0[lane];
            joint.impulses[1] = block.impulses[1].0[lane];
            joint.force = at(&block.total, lane) * per_second;
            joint.torque = 0.0;
            joint.angle = angle;
            if joint.force.length() > joint.def.break_force || joint.torque.abs() > joint.def.break_torque {
                broken.push(index);
            }
        }
    }
    world.constraints.pins = pins;
}

/// The angle of a joint at the end of a step, before its bodies are moved.
pub(crate) fn angle_now(world: &World, context: &StepContext, joint: &Joint) -> f32 {
    let def = &joint.def;
    let [a, b] = [def.body_a.index(), def.body_b.index()];
    let state = |body: u32| world.state(body).unwrap_or(&BodyState::REST);
    let (state_a, state_b) = (state(a), state(b));
    let q_a = state_a.delta_rotation.compose(world.sim(a).rotation.compose(def.frame_a.q));
    let q_b = state_b.delta_rotation.compose(world.sim(b).rotation.compose(def.frame_b.q));
    // Constraints at odds may leave any speed; no step turns a body by more than this.
    let most = 2.0 * context.max_angular_speed * context.dt;
    let turned = clamp((state_b.angular_velocity - state_a.angular_velocity) * context.dt, -most, most);
    unwound(q_a.inv_mul(q_b).angle(), joint.angle + turned)
}
