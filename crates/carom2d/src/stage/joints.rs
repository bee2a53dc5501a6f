//! Joints in the step: what `prepare`, `warm_start`, `solve` and `store_impulses` do for them.
//!
//! Joints are solved before the contacts of the same pass, so that contacts have the last word. Their
//! order is that of their colours; gears, which have four bodies, come first, in the order of their
//! indices.

use super::StepContext;
use super::close;
use super::direct;
use super::exact::{self, Exact};
use super::hinges::{self, HingeBlock, SolveHinges, WarmStartHinges};
use super::pins::{self, Listing, PinBlock, PinKind, SolvePins, WarmStartPins};
use super::solve::LEAST_BLOCKS;
use crate::body::{BodyKind, BodySim, BodyState, NONE};
use crate::events::JointBreak;
use crate::joint::row::{Group, InverseMass, Jacobian, Pass, Row, RowList, push, solve_group};
use crate::joint::{Coordinate, Frames, Gear, Joint, JointKind, Limits, MAX_ROWS, Revolute, share};
use crate::math::{Rot, Vec2, clamp, cross, max, min};
use crate::solver::{Constraints, Mobility, Softness, Solver};
use crate::world::World;
use carom_core::{HOLE, OVERFLOW};
use carom_wide::{Rows, angle, prefetch};
use std::ops::Range;

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
    fn new(world: &World, joint: &Joint, masses: &[InverseMass], needs_angle: bool) -> Anchors {
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
    /// The angle at the end of the step, before the bodies are moved.
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
    joint: u32,
    kind: JointKind,
    /// Places in the awake set; `NONE` where nothing moves.
    pub(crate) bodies: [u32; 2],
    masses: [InverseMass; 2],
    anchors: Anchors,
    softness: Softness,
    pub(crate) impulses: [f32; MAX_ROWS],
    /// Errors at the start of the sub-step, by impulse.
    pub(crate) start_errors: [f32; MAX_ROWS],
    /// Sums over the step: impulse on b, and angular impulse about its frame.
    impulse: Vec2,
    turn: f32,
}

/// A gear ready to be solved.
#[derive(Clone, Debug)]
pub(crate) struct GearConstraint {
    joint: u32,
    /// It is solved with the joints that are solved exactly.
    pub(crate) is_exact: bool,
    pub(crate) bodies: [u32; 4],
    masses: [InverseMass; 4],
    sides: [Anchors; 2],
    kinds: [JointKind; 2],
    gear: Gear,
    start: f32,
    softness: Softness,
    pub(crate) impulse: f32,
    /// Sum over the step of the angular impulse on the second joint's body b, and of its impulse.
    pushed: Vec2,
    turned: f32,
}

/// The joints of one colour, which share no movable body, or those that found no colour, which do.
#[derive(Clone, Debug)]
pub(crate) struct JointColor {
    pins: Range<usize>,
    hinges: Range<usize>,
    joints: Range<usize>,
    /// Whether they do.
    shared: bool,
}

/// What the order of joints in blocks follows from. As long as all this is the same, and all bodies are moved alike in all
/// directions, so is the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointOrder {
    /// How often the colours and the kinds of joints have changed.
    colors: u64,
    kinds: u64,
    solver_is_soft: bool,
}

/// So many joints before its turn, a joint is fetched from memory.
const FETCH_AHEAD: usize = 8;

pub(crate) fn prepare_joints(world: &mut World, context: &StepContext) {
    if world.joints.is_empty() {
        // What was there may have been removed since the last step.
        world.constraints.joints.clear();
        world.constraints.gears.clear();
        world.constraints.pins.clear();
        world.constraints.hinges.clear();
        world.constraints.joint_colors.clear();
        world.constraints.exact = 0..0;
        world.constraints.joint_order = None;
        return;
    }
    let warmth = world.constraints.warmth;
    let uneven = world.constraints.masses.iter().any(|mass| mass.mobility == Mobility::Some);
    let order = JointOrder {
        colors: world.joint_colors.changes(),
        kinds: world.joint_kind_changes,
        solver_is_soft: world.def.solver == Solver::SoftStep,
    };
    if uneven || world.constraints.joint_order != Some(order) {
        sort_joints(world, context);
        world.constraints.joint_order = (!uneven).then_some(order);
    } else {
        let mut joints = std::mem::take(&mut world.constraints.joints);
        for joint in &mut joints {
            *joint = prepare_joint(world, context, joint.joint, warmth);
        }
        world.constraints.joints = joints;
    }
    let mut gears = std::mem::take(&mut world.constraints.gears);
    let mut pins = std::mem::take(&mut world.constraints.pins);
    let mut hinges = std::mem::take(&mut world.constraints.hinges);
    gears.clear();
    pins::fill_pins(world, context, warmth, &mut pins);
    hinges::fill_hinges(world, context, warmth, &mut hinges);
    for &index in &world.gears {
        gears.extend(prepare_gear(world, context, index, warmth));
    }
    for gear in &gears {
        world.joints[gear.joint].gear_start = Some(gear.start);
    }
    if world.def.solver != Solver::Direct {
        let states = &mut world.sets.awake_mut().states;
        let exact = world.constraints.exact.clone();
        for (index, joint) in world.constraints.joints.iter().enumerate() {
            let flies = exact.contains(&index) && world.constraints.sprung.binary_search(&joint.joint).is_err();
            let flags = if flies { BodyState::JOINTED } else { JOINTED_AND_LOADED };
            mark(states, &joint.bodies, flags);
        }
        for gear in &gears {
            mark(states, &gear.bodies, if gear.is_exact { BodyState::JOINTED } else { JOINTED_AND_LOADED });
        }
        pins.iter().chain(hinges.iter().map(|hinge| &hinge.pin)).for_each(|pin| pin.mark_jointed(states));
    }
    world.constraints.gears = gears;
    world.constraints.pins = pins;
    world.constraints.hinges = hinges;
}

/// Sorts the joints of each colour into blocks, which are only listed, and others.
fn sort_joints(world: &mut World, context: &StepContext) {
    let mut joints = std::mem::take(&mut world.constraints.joints);
    let mut pins = Listing::over(std::mem::take(&mut world.constraints.pins));
    let mut hinges = Listing::over(std::mem::take(&mut world.constraints.hinges));
    let mut colors = std::mem::take(&mut world.constraints.joint_colors);
    joints.clear();
    colors.clear();
    let warmth = world.constraints.warmth;
    let exact = if world.def.solver == Solver::SoftStep { exact::exact_joints(world) } else { Exact::default() };
    let is_exact = |index: u32| exact.joints.binary_search(&index).is_ok();
    for (color, list) in world.joint_colors.colors() {
        let first_joint = joints.len();
        // What found no colour shares bodies and is solved one after the other.
        let side_by_side = world.def.solver == Solver::SoftStep && color != OVERFLOW;
        for (place, &index) in list.iter().enumerate().filter(|(_, index)| **index != HOLE && !is_exact(**index)) {
            if let Some(&soon) = list.get(place + FETCH_AHEAD) {
                world.joints.slot(soon).inspect(|slot| prefetch(*slot));
            }
            let kind = if side_by_side { PinKind::of(world, &world.joints[index]) } else { PinKind::Other };
            match kind {
                PinKind::Plain => pins.push(index, &PinBlock::EMPTY),
                PinKind::Hinge => hinges.push(index, &HingeBlock::EMPTY),
                PinKind::Other => joints.push(prepare_joint(world, context, index, warmth)),
            }
        }
        colors.push(JointColor {
            pins: pins.end_color(),
            hinges: hinges.end_color(),
            joints: first_joint..joints.len(),
            shared: color == OVERFLOW,
        });
    }
    world.constraints.exact = joints.len()..joints.len() + exact.joints.len();
    joints.extend(exact.joints.iter().map(|&index| prepare_joint(world, context, index, warmth)));
    world.constraints.joints = joints;
    world.constraints.pins = pins.finish();
    world.constraints.hinges = hinges.finish();
    world.constraints.joint_colors = colors;
    world.constraints.sprung = exact.sprung;
}

fn prepare_joint(world: &World, context: &StepContext, index: u32, warmth: f32) -> JointConstraint {
    let joint = &world.joints[index];
    let ends = [joint.def.body_a.index(), joint.def.body_b.index()];
    let masses = ends.map(|body| inverse_mass(world, body));
    JointConstraint {
        joint: index,
        kind: joint.def.kind,
        bodies: ends.map(|body| world.awake_index(body)),
        masses,
        anchors: Anchors::new(world, joint, &masses, joint.def.kind.needs_angle()),
        softness: softness(world, joint, context),
        impulses: joint.impulses.map(|impulse| impulse * warmth),
        start_errors: [0.0; MAX_ROWS],
        impulse: Vec2::ZERO,
        turn: 0.0,
    }
}

fn prepare_gear(world: &World, context: &StepContext, index: u32, warmth: f32) -> Option<GearConstraint> {
    let joint = &world.joints[index];
    let JointKind::Gear(gear) = joint.def.kind else { return None };
    let tied = [gear.joint_a, gear.joint_b].map(|id| &world.joints[id.index()]);
    let ends = [tied[0].def.body_a, tied[0].def.body_b, tied[1].def.body_a, tied[1].def.body_b].map(|id| id.index());
    let movable = |body: u32| world.bodies[body].kind == BodyKind::Dynamic && world.is_awake(body);
    let enabled = |body: u32| world.bodies[body].set != crate::sets::DISABLED;
    if !ends.iter().any(|&body| movable(body)) || !ends.iter().all(|&body| enabled(body)) {
        return None;
    }
    let masses = ends.map(|body| inverse_mass(world, body));
    let mut sides = [0, 1].map(|side| Anchors::new(world, tied[side], &masses[2 * side..2 * side + 2], true));
    let kinds = tied.map(|tied| tied.def.kind);
    let value = |place: usize, sides: &mut [Anchors; 2]| {
        coordinate(&kinds[place], &sides[place].frames(&BodyState::REST, &BodyState::REST)).value
    };
    let start = joint.gear_start.unwrap_or_else(|| value(0, &mut sides) + gear.ratio * value(1, &mut sides));
    let exact = &world.constraints.joints[world.constraints.exact.clone()];
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
        softness: softness(world, joint, context),
        impulse: joint.impulses[0] * warmth,
        pushed: Vec2::ZERO,
        turned: 0.0,
    })
}

fn coordinate(kind: &JointKind, frames: &Frames) -> Coordinate {
    match kind {
        JointKind::Prismatic(_) => Coordinate::place(frames),
        _ => Coordinate::angle(frames),
    }
}

/// What a body opposes to joints: if it is awake, as prepared for the step.
fn inverse_mass(world: &World, body: u32) -> InverseMass {
    match world.constraints.masses.get(world.awake_index(body) as usize) {
        Some(mass) => InverseMass { linear: mass.inv_mass, angular: mass.inv_inertia },
        None => InverseMass { linear: world.sim(body).inv_mass, angular: world.sim(body).inv_inertia },
    }
}

pub(crate) fn softness(world: &World, joint: &Joint, context: &StepContext) -> Softness {
    if let Solver::Sequential(settings) = world.def.solver {
        let bias_rate = settings.push * context.inv_h;
        return Softness { bias_rate, mass_scale: 1.0, impulse_scale: 0.0, softening: 0.0 };
    }
    Softness::new(min(joint.def.hertz, 0.25 * context.inv_h), joint.def.damping_ratio, context.h)
}

/// Marks the bodies of mechanisms with springs that are solved exactly, which do not fly freely either.
fn mark_sprung(world: &mut World) {
    if world.constraints.sprung.is_empty() {
        return;
    }
    let Constraints { joints, exact, sprung, .. } = &world.constraints;
    let states = &mut world.sets.sets[crate::sets::AWAKE as usize].states;
    for joint in joints[exact.clone()].iter().filter(|joint| sprung.binary_search(&joint.joint).is_ok()) {
        mark(states, &joint.bodies, BodyState::LOADED);
    }
}

/// Jointed bodies do not fly freely (`integrate.rs`), and carry no impulses from sub-step to sub-step (`warm_start.rs`).
/// Where joints are solved exactly, the rule of free flight is that of their method as well.
const JOINTED_AND_LOADED: u32 = BodyState::JOINTED | BodyState::LOADED;

fn mark(states: &mut [BodyState], bodies: &[u32], flags: u32) {
    for &body in bodies.iter().filter(|&&body| body != NONE) {
        states[body as usize].flags |= flags;
    }
}

#[allow(unsafe_code)]
pub(crate) fn warm_start_joints(world: &mut World, context: &StepContext) {
    let mut states = Rows::of(&mut world.sets.sets[crate::sets::AWAKE as usize].states);
    let Constraints { gears, joint_colors, pins, hinges, joints, exact, .. } = &mut world.constraints;
    warm_start_joint_list(&mut joints[exact.clone()], &mut states);
    for gear in gears {
        let mut bodies = look_up(&states, &gear.bodies);
        let mut rows = RowList::new();
        gear.rows(&bodies, &mut rows);
        for (_, rows) in rows.groups() {
            push(&rows[0], gear.impulse, &gear.masses, &mut bodies);
        }
        write(&mut states, &gear.bodies, &bodies);
    }
    for color in joint_colors {
        let (pins, hinges) = (&pins[color.pins.clone()], &mut hinges[color.hinges.clone()]);
        let joints = &mut joints[color.joints.clone()];
        context.crew.for_ranges(pins.len(), context.crew.grain(pins.len(), LEAST_BLOCKS), |range| {
            // SAFETY: joints of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            context.width.run(WarmStartPins { pins: &pins[range], states });
        });
        let grain = context.crew.grain(hinges.len(), LEAST_BLOCKS);
        context.crew.for_chunks(hinges, grain, |_, hinges| {
            // SAFETY: likewise.
            let states = unsafe { states.share() };
            context.width.run(WarmStartHinges { hinges, states });
        });
        let grain = if color.shared { joints.len() } else { context.crew.grain(joints.len(), LEAST_JOINTS) };
        context.crew.for_chunks(joints, grain, |_, joints| {
            // SAFETY: likewise; where they do share bodies, one thread has all of them.
            warm_start_joint_list(joints, &mut unsafe { states.share() });
        });
    }
}

/// Fewer joints than this are not worth another thread.
const LEAST_JOINTS: usize = 16;

/// Starts a run of joints, in order.
fn warm_start_joint_list(joints: &mut [JointConstraint], states: &mut Rows<'_, BodyState>) {
    let mut rows = RowList::new();
    for joint in joints {
        let mut bodies = look_up(states, &joint.bodies);
        joint.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            for (slot, row) in (usize::from(group.slot)..).zip(rows) {
                joint.start_errors[slot] = row.error;
                push(row, joint.impulses[slot], &joint.masses, &mut bodies);
            }
        }
        write(states, &joint.bodies, &bodies);
    }
}

#[allow(unsafe_code)]
pub(crate) fn solve_joints<const BIASED: bool>(world: &mut World, context: &StepContext) {
    let exact = world.constraints.exact.clone();
    if !exact.is_empty() {
        direct::solve_exactly::<BIASED>(world, context, exact);
        if !BIASED {
            mark_sprung(world);
        }
    }
    let mut states = Rows::of(&mut world.sets.sets[crate::sets::AWAKE as usize].states);
    let Constraints { gears, joint_colors, pins, hinges, joints, .. } = &mut world.constraints;
    for gear in gears.iter_mut().filter(|gear| !gear.is_exact) {
        let pass = Pass { h: context.h, inv_h: context.inv_h, biased: BIASED, softness: gear.softness };
        let mut bodies = look_up(&states, &gear.bodies);
        let mut rows = RowList::new();
        gear.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            let mut impulses = [gear.impulse];
            solve_group((group, rows), &[0.0], &mut impulses, &gear.masses, &mut bodies, &pass);
            gear.impulse = impulses[0];
            if !BIASED {
                gear.add(&rows[0]);
            }
        }
        write(&mut states, &gear.bodies, &bodies);
    }
    for color in joint_colors {
        let (pins, hinges) = (&mut pins[color.pins.clone()], &mut hinges[color.hinges.clone()]);
        let joints = &mut joints[color.joints.clone()];
        let grain = context.crew.grain(pins.len(), LEAST_BLOCKS);
        context.crew.for_chunks(pins, grain, |_, pins| {
            // SAFETY: joints of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            context.width.run(SolvePins::<BIASED> { pins, states });
        });
        let grain = context.crew.grain(hinges.len(), LEAST_BLOCKS);
        context.crew.for_chunks(hinges, grain, |_, hinges| {
            // SAFETY: likewise.
            let states = unsafe { states.share() };
            context.width.run(SolveHinges::<BIASED> { hinges, states, inv_h: context.inv_h });
        });
        let grain = if color.shared { joints.len() } else { context.crew.grain(joints.len(), LEAST_JOINTS) };
        context.crew.for_chunks(joints, grain, |_, joints| {
            // SAFETY: likewise; where they do share bodies, one thread has all of them.
            solve_joint_list::<BIASED>(joints, &mut unsafe { states.share() }, context);
        });
    }
}

/// Solves a run of joints, in order.
fn solve_joint_list<const BIASED: bool>(
    joints: &mut [JointConstraint],
    states: &mut Rows<'_, BodyState>,
    context: &StepContext,
) {
    let mut rows = RowList::new();
    for joint in joints {
        let pass = Pass { h: context.h, inv_h: context.inv_h, biased: BIASED, softness: joint.softness };
        let mut bodies = look_up(states, &joint.bodies);
        let r_b = joint.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            let slots = usize::from(group.slot)..usize::from(group.slot) + rows.len();
            let errors = &joint.start_errors[slots.clone()];
            let impulses = &mut joint.impulses[slots];
            solve_group((group, rows), errors, impulses, &joint.masses, &mut bodies, &pass);
            if !BIASED {
                joint.add(group, rows, r_b);
            }
        }
        if !BIASED {
            // Jointed bodies do not fly freely.
            bodies.iter_mut().for_each(|body| body.flags |= BodyState::LOADED);
        }
        write(states, &joint.bodies, &bodies);
    }
}

/// Prepares joints of bodies that have moved in the step, and lists them after all others.
pub(crate) fn list_joints(world: &mut World, context: &StepContext, chosen: &[u32]) -> Range<usize> {
    let mut joints = std::mem::take(&mut world.constraints.joints);
    let first = joints.len();
    joints.extend(chosen.iter().map(|&index| prepare_joint(world, context, index, 0.0)));
    world.constraints.joints = joints;
    first..first + chosen.len()
}

/// Removes them again, and notes their angles: they know them from when they were last asked for their rows, where the
/// bodies are now.
pub(crate) fn unlist_joints(world: &mut World, context: &StepContext, listed: Range<usize>) {
    let states = &world.sets.sets[crate::sets::AWAKE as usize].states;
    let Constraints { joints, closed, .. } = &mut world.constraints;
    for joint in joints.drain(listed) {
        let bodies = read(states, &joint.bodies);
        closed.push((joint.joint, joint.anchors.end_angle(&bodies, context)));
    }
}

/// Impulses go back to the joints; joints that carried too much break.
pub(crate) fn store_joint_impulses(world: &mut World, context: &StepContext) {
    let per_second = 1.0 / context.dt;
    let mut broken = Vec::new();
    pins::store_pins(world, context, &mut broken);
    hinges::store_hinges(world, context, &mut broken);
    for &(joint, angle) in &world.constraints.closed {
        world.joints[joint].angle = angle;
    }
    let awake = &world.sets.sets[crate::sets::AWAKE as usize].states;
    for from in &world.constraints.joints {
        let joint = &mut world.joints[from.joint];
        joint.impulses = from.impulses;
        let angle = from.anchors.end_angle(&read(awake, &from.bodies), context);
        joint.keep(from.impulse * per_second, from.turn * per_second, angle);
        if joint.is_overloaded() {
            broken.push(from.joint);
        }
    }
    for from in &world.constraints.gears {
        let joint = &mut world.joints[from.joint];
        joint.impulses[0] = from.impulse;
        joint.keep(from.pushed * per_second, from.turned * per_second, joint.angle);
        if joint.is_overloaded() {
            broken.push(from.joint);
        }
    }
    broken.sort_unstable();
    for index in broken {
        // A gear may have gone with a joint that it depended on.
        let Some(id) = world.joints.id_at(index) else { continue };
        let joint = &world.joints[index];
        let (force, torque, user_data) = (joint.force, joint.torque, joint.def.user_data);
        world.log.joint_broke.push(JointBreak { joint: id, force, torque, user_data });
        world.destroy_joint(index);
    }
}

impl JointConstraint {
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

    /// How far a frame is from the centre of mass of its body.
    pub(crate) fn arm(&self, side: usize) -> f64 {
        f64::from(if side == 0 { self.anchors.r_a } else { self.anchors.r_b }.length())
    }

    /// Adds the impulses of a group to the sums over the step.
    #[inline]
    fn add(&mut self, group: &Group, rows: &[Row<2>], r_b: Vec2) {
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

impl GearConstraint {
    fn add(&mut self, row: &Row<4>) {
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
fn look_up<const BODIES: usize>(states: &Rows<'_, BodyState>, bodies: &[u32; BODIES]) -> [BodyState; BODIES] {
    bodies.map(|body| if body == NONE { BodyState::REST } else { states.get(body) })
}

/// Writes bodies back, movable ones only. The first of two places with the same body counts.
#[inline]
fn write<const BODIES: usize>(states: &mut Rows<'_, BodyState>, bodies: &[u32; BODIES], from: &[BodyState; BODIES]) {
    for (&body, from) in bodies.iter().zip(from).rev() {
        if body != NONE && from.flags & BodyState::MOVABLE != 0 {
            states.set(body, *from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointRef;
    use crate::prelude::*;
    use crate::stage::*;
    use carom_core::Rng;
    use carom_threads::Crew;

    /// One step without anything to collide with, in which joints are solved side by side where they can be, or all of
    /// them as rows.
    fn step(world: &mut World, as_rows: bool) {
        let context = StepContext::new(&world.def, world.width, 1.0 / 60.0, 0.0, None, &Crew::ALONE);
        world.motions.update(world.sets.awake(), world.bodies.slot_count(), &Crew::ALONE);
        prepare::prepare_constraints(world, &context);
        if as_rows {
            list_as_rows(world, &context);
        }
        for _ in 0..context.substeps {
            integrate::integrate_velocities(world, &context);
            warm_start_joints(world, &context);
            solve_joints::<true>(world, &context);
            integrate::integrate_positions(world, &context);
            solve_joints::<false>(world, &context);
        }
        store_joint_impulses(world, &context);
        finalize::finalize_bodies(world, &context);
    }

    fn list_as_rows(world: &mut World, context: &StepContext) {
        let Constraints { pins, hinges, mut joint_colors, .. } = world.constraints.clone();
        world.constraints.joint_order = None;
        assert!(world.constraints.joints.is_empty());
        for color in &mut joint_colors {
            let first = world.constraints.joints.len();
            let blocks = pins[color.pins.clone()].iter().chain(hinges[color.hinges.clone()].iter().map(|h| &h.pin));
            for index in blocks.flat_map(|block| &block.joint[..block.count as usize]) {
                world.constraints.joints.push(prepare_joint(world, context, *index, 1.0));
            }
            let joints = first..world.constraints.joints.len();
            *color = JointColor { pins: 0..0, hinges: 0..0, joints, shared: false };
        }
        world.constraints.pins.clear();
        world.constraints.hinges.clear();
        world.constraints.joint_colors = joint_colors;
    }

    /// Chains of boxes on pins with every mixture of limits, springs and motors.
    fn chains(threads: u32) -> World {
        let mut rng = Rng::new(11);
        let mut world = World::new(WorldDef { threads, ..WorldDef::default() });
        let wall = world.add_body(BodyDef::fixed()).unwrap();
        let mut number = |low: f32, high: f32| low + (high - low) * rng.f64() as f32;
        for chain in 0..200u8 {
            let mut before = wall;
            for link in 0..4u8 {
                let (x, y) = (3.0 * f32::from(chain), 0.5 * f32::from(link));
                let position = vec2(x, y);
                let spin = number(-40.0, 40.0);
                let body = world.add_body(BodyDef { position, angular_velocity: spin, ..BodyDef::dynamic() }).unwrap();
                world.add_shape(body, ShapeDef::rectangle(number(0.05, 0.3), 0.2)).unwrap();
                let lower = number(-1.0, 0.2);
                // Some limits are one.
                let upper = lower + if chain % 5 == 4 { 0.0 } else { number(0.01, 1.5) };
                let strength = if chain % 7 == 3 { f32::INFINITY } else { number(0.0, 3.0) };
                let pin = Revolute {
                    limits: (chain & 1 != 0).then_some(Limits::new(lower, upper)),
                    motor: (chain & 2 != 0).then_some(Motor::new(number(-9.0, 9.0), strength)),
                    spring: (chain & 4 != 0).then_some(Spring::new(number(0.0, 30.0), number(0.0, 1.0))),
                    target_angle: number(-1.0, 1.0),
                };
                let place = vec2(x + number(-0.2, 0.2), y - 0.25);
                let def = JointDef::new(before, body, JointKind::Revolute(pin)).at(&world, place).unwrap();
                // Softer than rigid: such joints are solved in passes (`exact.rs`).
                world.add_joint(JointDef { hertz: 59.0, ..def }).unwrap();
                before = body;
            }
        }
        world
    }

    /// Whether pins are solved side by side or as rows is not to be seen in any bit.
    #[test]
    fn pins_side_by_side_do_what_their_rows_do() {
        for width in carom_wide::Width::all() {
            let mut lanes = chains(1);
            lanes.set_width(width);
            let mut rows = lanes.clone();
            let mut stopped = 0;
            for number in 0..240 {
                step(&mut lanes, false);
                step(&mut rows, true);
                assert!(!lanes.constraints.pins.is_empty() && !lanes.constraints.hinges.is_empty());
                assert!(rows.constraints.pins.is_empty() && rows.constraints.hinges.is_empty());
                for id in lanes.joints() {
                    let [one, other] = [&lanes, &rows].map(|world| world.joint(id));
                    let told = |joint: &JointRef| [joint.force().x, joint.force().y, joint.torque(), joint.angle()];
                    assert_eq!(told(&one).map(f32::to_bits), told(&other).map(f32::to_bits), "{width} {number} {id:?}");
                    stopped += u32::from(lanes.joints[id.index()].impulses[2] != 0.0);
                }
                assert_eq!(lanes.state_hash(), rows.state_hash(), "{width}, step {number}");
            }
            assert!(stopped > 1000, "limits were reached {stopped} times only");
        }
    }

    /// Nor is how many threads share the blocks.
    #[test]
    fn threads_share_pins_without_a_trace() {
        let mut worlds = [1, 2, 5].map(chains);
        for number in 0..100 {
            let hashes = worlds.each_mut().map(|world| {
                world.step(1.0 / 60.0);
                world.state_hash()
            });
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "step {number}: {hashes:x?}");
        }
        let hinges = &worlds[0].constraints.joint_colors[0].hinges;
        assert!(hinges.len() > 2 * LEAST_BLOCKS, "{hinges:?} is too little to be shared");
    }

    /// Nor is whether joints are sorted in every step or when something has changed.
    #[test]
    fn joints_in_an_order_that_is_kept_do_what_they_do_in_a_new_one() {
        let mut kept = chains(1);
        let mut sorted = kept.clone();
        let joints: Vec<JointId> = kept.joints().collect();
        let bodies: Vec<BodyId> = kept.bodies().collect();
        let (plain, driven) =
            (Revolute::default(), Revolute { motor: Some(Motor::new(2.0, 5.0)), ..Revolute::default() });
        let mut steps_kept = 0;
        for number in 0..140 {
            for world in [&mut kept, &mut sorted] {
                match number {
                    20 => world.joint_mut(joints[0]).set_kind(JointKind::Revolute(driven)).unwrap(),
                    40 => world.remove_joint(joints[32]).unwrap(),
                    50 => world.body_mut(bodies[9]).set_locked(LockedAxes { x: true, ..LockedAxes::default() }),
                    60 => world.body_mut(bodies[9]).set_locked(LockedAxes::default()),
                    70 => world.body_mut(bodies[17]).set_kind(BodyKind::Kinematic),
                    80 => world.body_mut(bodies[17]).set_kind(BodyKind::Dynamic),
                    90 => {
                        world.add_joint(JointDef::new(bodies[33], bodies[37], JointKind::Revolute(plain))).unwrap();
                    }
                    100 => world.joint_mut(joints[0]).set_kind(JointKind::Revolute(plain)).unwrap(),
                    110 => world.remove_body(bodies[21]).unwrap(),
                    _ => {}
                }
            }
            let order = kept.constraints.joint_order;
            sorted.constraints.joint_order = None;
            kept.step(1.0 / 60.0);
            sorted.step(1.0 / 60.0);
            steps_kept += u32::from(order.is_some() && order == kept.constraints.joint_order);
            assert_eq!(kept.state_hash(), sorted.state_hash(), "step {number}");
        }
        assert!((80..135).contains(&steps_kept), "the order was kept in {steps_kept} steps");
    }

    /// A pin that cannot bear its load breaks, whichever lane it is in.
    #[test]
    fn overloaded_pins_break() {
        let mut world = World::new(WorldDef::default());
        let wall = world.add_body(BodyDef::fixed()).unwrap();
        let pins: Vec<JointId> = (0..40u8)
            .map(|i| {
                let position = vec2(2.0 * f32::from(i), 0.0);
                let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
                world.add_shape(body, ShapeDef::circle(0.5)).unwrap();
                let motor = (i % 2 == 0).then_some(Motor::new(0.0, 1.0));
                let kind = JointKind::Revolute(Revolute { motor, ..Revolute::default() });
                let break_force = if i % 3 == 0 { 1.0 } else { 1.0e6 };
                let def = JointDef { break_force, ..JointDef::new(wall, body, kind) };
                world.add_joint(def.at(&world, position).unwrap()).unwrap()
            })
            .collect();
        world.step(1.0 / 60.0);
        let broken: Vec<JointId> = world.events().joint_broke.iter().map(|event| event.joint).collect();
        assert_eq!(broken, pins.iter().copied().step_by(3).collect::<Vec<JointId>>());
    }
}
