//! Joints ready to be solved: their anchors and masses as the step begins, and their rows where the bodies are now.

use super::hinges::HingeBlock;
use super::pins::PinBlock;
use super::row::{Group, InverseMass, Jacobian, Row, RowList};
use super::{Coordinate, Frames, Gear, Joint, JointKind, Limits, MAX_ROWS, Revolute, share};
use crate::body::{BodyKind, BodySim, BodyState, NONE};
use crate::math::{Rot, Vec2, clamp, cross, max};
use crate::motion::Motions;
use crate::solver::{BodyMass, Softness};
use crate::stage::{StepContext, close};
use crate::world::WorldState;
use carom_wide::{Rows, angle};
use std::ops::Range;

/// What joints are prepared from.
#[derive(Clone, Copy)]
pub(crate) struct JointInput<'a> {
    pub(crate) world: &'a WorldState,
    /// Of the awake bodies, as prepared for the step.
    pub(crate) masses: &'a [BodyMass],
    /// Of the awake bodies, when the narrow phase began.
    pub(crate) motions: &'a Motions,
    pub(crate) context: &'a StepContext<'a>,
    /// What is left of the impulses of the last step.
    pub(crate) warmth: f32,
}

impl JointInput<'_> {
    /// What a body opposes to joints.
    fn inverse_mass(&self, body: u32) -> InverseMass {
        match self.masses.get(self.world.awake_index(body) as usize) {
            Some(mass) => InverseMass { linear: mass.inv_mass, angular: mass.inv_inertia },
            None => {
                let sim = self.world.sim(body);
                InverseMass { linear: sim.inv_mass, angular: sim.inv_inertia }
            }
        }
    }
}

/// All joints of a step, ready to be solved.
#[derive(Debug, Default)]
pub(crate) struct JointConstraints {
    /// Joints in the order of solving, and gears, which come before them. Pins are apart, side by side.
    pub(crate) joints: Vec<JointConstraint>,
    pub(crate) pins: Vec<PinBlock>,
    pub(crate) hinges: Vec<HingeBlock>,
    pub(crate) gears: Vec<GearConstraint>,
    pub(crate) colors: Vec<JointColor>,
    /// Joints that are solved exactly (`joint/exact.rs`): the last of `joints`.
    pub(crate) exact: Range<usize>,
    /// The indices of those in mechanisms with springs, ascending.
    pub(crate) sprung: Vec<u32>,
    /// What their order follows from, if it may be kept.
    pub(crate) order: Option<JointOrder>,
    /// Joints of mechanisms that were closed after the last sub-step (`stage/close.rs`), with their angles then.
    pub(crate) closed: Vec<(u32, f32)>,
}

impl JointConstraints {
    /// Is there anything to be solved?
    pub(crate) fn are_any(&self) -> bool {
        !(self.colors.is_empty() && self.gears.is_empty())
    }
}

/// The joints of one colour, which share no movable body, or those that found no colour, which do.
#[derive(Clone, Debug)]
pub(crate) struct JointColor {
    pub(crate) pins: Range<usize>,
    pub(crate) hinges: Range<usize>,
    pub(crate) joints: Range<usize>,
    /// Whether they do.
    pub(crate) shared: bool,
}

/// What the order of joints in blocks follows from. As long as all this is the same, and all bodies are moved alike in all
/// directions, so is the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointOrder {
    /// How often the colours and the kinds of joints have changed.
    pub(crate) colors: u64,
    pub(crate) kinds: u64,
    pub(crate) solver_is_soft: bool,
}

/// The frames of a joint at the start of the step.
#[derive(Clone, Debug)]
struct Anchors {
    r_a: Vec2,
    r_b: Vec2,
    /// From the centre of mass of a to that of b.
    centers: Vec2,
    center_b: Vec2,
    /// Where the joint acts between the frames (`joint/frames.rs`).
    share: f32,
    q_a: Rot,
    /// Angle of frame b against frame a, counted on beyond half a turn.
    angle: f32,
    /// How far frame b has turned against frame a since, or nothing if the joint does not ask for it.
    turned: Option<f32>,
}

impl Anchors {
    fn new(world: &WorldState, joint: &Joint, masses: &[InverseMass], needs_angle: bool) -> Anchors {
        let def = &joint.def;
        let (a, b) = (world.sim(def.body_a.index()), world.sim(def.body_b.index()));
        let arm = |sim: &BodySim, point: Vec2| sim.rotation.rotate(point - sim.local_center);
        let (q_a, q_b) = (a.rotation.compose(def.frame_a.q), b.rotation.compose(def.frame_b.q));
        let from_a = q_a.inv_mul(q_b);
        let (r_a, r_b) = (arm(a, def.frame_a.p), arm(b, def.frame_b.p));
        Anchors {
            r_a,
            r_b,
            share: share(r_a, r_b, &masses[0], &masses[1]),
            centers: b.center - a.center,
            center_b: b.center,
            q_a,
            angle: angle(from_a.c, from_a.s, joint.angle),
            turned: needs_angle.then_some(0.0),
        }
    }

    /// The frames where the bodies are now.
    #[inline]
    fn frames(&mut self, a: &BodyState, b: &BodyState) -> Frames {
        let r_a = a.delta_rotation.rotate(self.r_a);
        let r_b = b.delta_rotation.rotate(self.r_b);
        let q_a = a.delta_rotation.compose(self.q_a);
        if let Some(turned) = &mut self.turned {
            let from_a = a.delta_rotation.inv_mul(b.delta_rotation);
            // A sub-step turns no body by more than an eighth of a turn.
            *turned = angle(from_a.c, from_a.s, *turned);
        }
        let moved = b.delta_position - a.delta_position;
        Frames {
            r_a,
            r_b,
            d: self.centers + moved + r_b - r_a,
            share: self.share,
            q_a,
            angle: self.angle + self.turned.unwrap_or(0.0),
            p_b: self.center_b + b.delta_position + r_b,
        }
    }
}

impl Anchors {
    fn end_angle(&self, [a, b]: &[BodyState; 2], context: &StepContext) -> f32 {
        let turned = self.turned.unwrap_or_else(|| {
            let from_a = a.delta_rotation.inv_mul(b.delta_rotation);
            let about = (b.angular_velocity - a.angular_velocity) * context.dt;
            angle(from_a.c, from_a.s, clamp(about, -context.most_turned(), context.most_turned()))
        });
        self.angle + turned
    }
}

/// A joint ready to be solved.
#[derive(Clone, Debug)]
pub(crate) struct JointConstraint {
    pub(crate) joint: u32,
    kind: JointKind,
    /// Places in the awake set; `NONE` where nothing moves.
    pub(crate) bodies: [u32; 2],
    pub(crate) masses: [InverseMass; 2],
    anchors: Anchors,
    pub(crate) softness: Softness,
    pub(crate) impulses: [f32; MAX_ROWS],
    /// Errors at the start of the sub-step, by impulse.
    pub(crate) start_errors: [f32; MAX_ROWS],
    /// Sums over the step: impulse on b, and angular impulse about its frame.
    pub(crate) impulse: Vec2,
    pub(crate) turn: f32,
}

impl JointConstraint {
    pub(crate) fn new(input: &JointInput<'_>, index: u32) -> JointConstraint {
        let JointInput { world, context, warmth, .. } = *input;
        let joint = &world.joints[index];
        let ends = [joint.def.body_a.index(), joint.def.body_b.index()];
        let masses = ends.map(|body| input.inverse_mass(body));
        JointConstraint {
            joint: index,
            kind: joint.def.kind,
            bodies: ends.map(|body| world.awake_index(body)),
            masses,
            anchors: Anchors::new(world, joint, &masses, joint.def.kind.needs_angle()),
            softness: context.joint_softness(joint.def.hertz, joint.def.damping_ratio),
            impulses: joint.impulses.map(|impulse| impulse * warmth),
            start_errors: [0.0; MAX_ROWS],
            impulse: Vec2::ZERO,
            turn: 0.0,
        }
    }

    /// The rows where the bodies are now; returns the arm of b about which its torque is reported.
    #[inline]
    pub(crate) fn rows(&mut self, bodies: &[BodyState; 2], rows: &mut RowList<2>) -> Vec2 {
        let frames = self.anchors.frames(&bodies[0], &bodies[1]);
        rows.clear();
        self.kind.rows(&frames, rows);
        match self.kind {
            JointKind::Prismatic(_) | JointKind::Wheel(_) => frames.r_b,
            _ => frames.arm_b(),
        }
    }
}

impl JointConstraint {
    /// Its index, if it is a hinge that is to be closed (`close.rs`), as `hinges.rs` tells it.
    pub(crate) fn is_open(&mut self, states: &[BodyState]) -> Option<u32> {
        let JointKind::Revolute(Revolute { limits, motor, spring, .. }) = self.kind else { return None };
        if limits.is_none() && motor.is_none() && spring.is_none() {
            return None;
        }
        let limits = limits.unwrap_or(Limits::new(f32::NEG_INFINITY, f32::INFINITY));
        let bodies = read(states, &self.bodies);
        let frames = self.anchors.frames(&bodies[0], &bodies[1]);
        let beyond = max(limits.lower - frames.angle, frames.angle - limits.upper);
        (frames.d.length_squared() > close::OPEN * close::OPEN || beyond > close::BEYOND).then_some(self.joint)
    }

    /// The angle at the end of the step, before the bodies are moved.
    pub(crate) fn end_angle(&self, bodies: &[BodyState; 2], context: &StepContext) -> f32 {
        self.anchors.end_angle(bodies, context)
    }

    /// How far a frame is from the centre of mass of its body.
    pub(crate) fn arm(&self, side: usize) -> f64 {
        f64::from(if side == 0 { self.anchors.r_a } else { self.anchors.r_b }.length())
    }

    /// Adds the impulses of a group to the sums over the step.
    #[inline]
    pub(crate) fn add(&mut self, group: &Group, rows: &[Row<2>], r_b: Vec2) {
        for (row, impulse) in rows.iter().zip(&self.impulses[usize::from(group.slot)..]) {
            let part = row.jacobian[1];
            self.impulse += part.linear * *impulse;
            self.turn += (part.angular - cross(r_b, part.linear)) * *impulse;
        }
    }

    /// The same for all of them.
    pub(crate) fn add_up(&mut self, states: &[BodyState]) {
        let mut rows = RowList::new();
        let r_b = self.rows(&read(states, &self.bodies), &mut rows);
        for (group, rows) in rows.groups() {
            self.add(group, rows, r_b);
        }
    }
}

/// A gear ready to be solved.
#[derive(Clone, Debug)]
pub(crate) struct GearConstraint {
    pub(crate) joint: u32,
    /// It is solved with the joints that are solved exactly.
    pub(crate) is_exact: bool,
    pub(crate) bodies: [u32; 4],
    pub(crate) masses: [InverseMass; 4],
    sides: [Anchors; 2],
    kinds: [JointKind; 2],
    gear: Gear,
    pub(crate) start: f32,
    pub(crate) softness: Softness,
    pub(crate) impulse: f32,
    /// Sum over the step of the angular impulse on the second joint's body b, and of its impulse.
    pub(crate) pushed: Vec2,
    pub(crate) turned: f32,
}

impl GearConstraint {
    /// None if the gear can move nothing. `exact` has the joints that are solved exactly.
    pub(crate) fn new(input: &JointInput<'_>, index: u32, exact: &[JointConstraint]) -> Option<GearConstraint> {
        let JointInput { world, context, warmth, .. } = *input;
        let joint = &world.joints[index];
        let JointKind::Gear(gear) = joint.def.kind else { return None };
        let tied = [gear.joint_a, gear.joint_b].map(|id| &world.joints[id.index()]);
        if !joint.is_on() || !tied.iter().all(|tied| tied.is_on()) {
            return None;
        }
        let ends =
            [tied[0].def.body_a, tied[0].def.body_b, tied[1].def.body_a, tied[1].def.body_b].map(|id| id.index());
        let movable = |body: u32| world.bodies[body].kind == BodyKind::Dynamic && world.is_awake(body);
        let enabled = |body: u32| world.bodies[body].set != crate::sets::DISABLED;
        if !ends.iter().any(|&body| movable(body)) || !ends.iter().all(|&body| enabled(body)) {
            return None;
        }
        let masses = ends.map(|body| input.inverse_mass(body));
        let mut sides = [0, 1].map(|side| Anchors::new(world, tied[side], &masses[2 * side..2 * side + 2], true));
        let kinds = tied.map(|tied| tied.def.kind);
        let value = |place: usize, sides: &mut [Anchors; 2]| {
            coordinate(&kinds[place], &sides[place].frames(&BodyState::REST, &BodyState::REST)).value
        };
        let start = joint.gear_start.unwrap_or_else(|| value(0, &mut sides) + gear.ratio * value(1, &mut sides));
        let is_exact = [gear.joint_a, gear.joint_b]
            .iter()
            .any(|id| exact.binary_search_by_key(&id.index(), |joint| joint.joint).is_ok());
        Some(GearConstraint {
            joint: index,
            is_exact,
            bodies: ends.map(|body| world.awake_index(body)),
            masses,
            sides,
            kinds,
            gear,
            start,
            softness: context.joint_softness(joint.def.hertz, joint.def.damping_ratio),
            impulse: joint.impulses[0] * warmth,
            pushed: Vec2::ZERO,
            turned: 0.0,
        })
    }

    pub(crate) fn add(&mut self, row: &Row<4>) {
        self.pushed += row.jacobian[3].linear * self.impulse;
        self.turned += row.jacobian[3].angular * self.impulse;
    }

    pub(crate) fn add_up(&mut self, states: &[BodyState]) {
        let mut rows = RowList::new();
        self.rows(&read(states, &self.bodies), &mut rows);
        for (_, rows) in rows.groups() {
            self.add(&rows[0]);
        }
    }

    pub(crate) fn rows(&mut self, bodies: &[BodyState; 4], rows: &mut RowList<4>) {
        let [a, b, c, d] = bodies;
        let first = coordinate(&self.kinds[0], &self.sides[0].frames(a, b));
        let second = coordinate(&self.kinds[1], &self.sides[1].frames(c, d));
        rows.clear();
        self.gear.rows(self.start, [first, second], rows);
        rows.merge_bodies(&self.bodies);
    }
}

fn coordinate(kind: &JointKind, frames: &Frames) -> Coordinate {
    match kind {
        JointKind::Prismatic(_) => Coordinate::place(frames),
        _ => Coordinate::angle(frames),
    }
}

impl RowList<4> {
    /// Where two places hold the same body, the first gets both parts.
    fn merge_bodies(&mut self, bodies: &[u32; 4]) {
        for later in 1..4 {
            if let Some(first) = (0..later).find(|&first| bodies[first] == bodies[later]) {
                self.for_each_row(|row: &mut Row<4>| {
                    let part = std::mem::take(&mut row.jacobian[later]);
                    let sum = &mut row.jacobian[first];
                    *sum = Jacobian { linear: sum.linear + part.linear, angular: sum.angular + part.angular };
                });
            }
        }
    }
}

#[inline]
pub(crate) fn read<const BODIES: usize>(states: &[BodyState], bodies: &[u32; BODIES]) -> [BodyState; BODIES] {
    bodies.map(|body| if body == NONE { BodyState::REST } else { states[body as usize] })
}

/// The same where rows may be shared.
#[inline]
pub(crate) fn look_up<const BODIES: usize>(
    states: &Rows<'_, BodyState>,
    bodies: &[u32; BODIES],
) -> [BodyState; BODIES] {
    bodies.map(|body| if body == NONE { BodyState::REST } else { states.get(body) })
}

/// Writes bodies back, movable ones only. The first of two places with the same body counts.
#[inline]
pub(crate) fn write<const BODIES: usize>(
    states: &mut Rows<'_, BodyState>,
    bodies: &[u32; BODIES],
    from: &[BodyState; BODIES],
) {
    for (&body, from) in bodies.iter().zip(from).rev() {
        if body != NONE && from.flags & BodyState::MOVABLE != 0 {
            states.set(body, *from);
        }
    }
}
