//! Joints in the step: what `prepare`, `warm_start`, `solve` and `store_impulses` do for them.
//!
//! Joints are solved before the contacts of the same pass, so that contacts have the last word. Their
//! order is that of their colours; gears, which have four bodies, come first, in the order of their
//! indices.

use super::StepContext;
use super::solve::LEAST_BLOCKS;
use crate::body::{BodyState, NONE};
use crate::events::JointBreak;
use crate::joint::constraint::{
    GearConstraint, JointColor, JointConstraint, JointConstraints, JointInput, JointOrder, look_up, read, write,
};
use crate::joint::exact::{Exact, exact_joints};
use crate::joint::hinges::{self, HingeBlock, SolveHinges, WarmStartHinges};
use crate::joint::pins::{self, Listing, PinBlock, PinKind, SolvePins, WarmStartPins};
use crate::joint::row::{Pass, RowList, push, solve_group};
use crate::motion::Motions;
use crate::solver::{Batch, Constraints, Coupled, Mobility};
use crate::world::WorldState;
use carom_core::{HOLE, OVERFLOW};
use carom_wide::{Rows, prefetch};
use std::ops::Range;

/// So many joints before its turn, a joint is fetched from memory.
const FETCH_AHEAD: usize = 8;

pub(crate) fn prepare_joints(
    world: &mut WorldState,
    prepared: &mut JointConstraints,
    constraints: &Constraints,
    motions: &Motions,
    context: &StepContext,
) {
    let Constraints { masses, warmth, .. } = constraints;
    prepared.gears.clear();
    if world.joints.is_empty() {
        // What was there may have been removed since the last step.
        prepared.joints.clear();
        prepared.pins.clear();
        prepared.hinges.clear();
        prepared.colors.clear();
        (prepared.exact, prepared.order) = (0..0, None);
        return;
    }
    let input = JointInput { world, masses, motions, context, warmth: *warmth };
    let uneven = masses.iter().any(|mass| mass.mobility == Mobility::Some);
    let order = JointOrder {
        colors: world.joint_colors.changes(),
        kinds: world.joint_kind_changes,
        solver_is_soft: context.method.soft,
    };
    if uneven || prepared.order != Some(order) {
        sort_joints(&input, prepared);
        prepared.order = (!uneven).then_some(order);
    } else {
        for joint in &mut prepared.joints {
            *joint = JointConstraint::new(&input, joint.joint);
        }
    }
    pins::fill_pins(&input, &mut prepared.pins);
    hinges::fill_hinges(&input, &mut prepared.hinges);
    let exact = &prepared.joints[prepared.exact.clone()];
    prepared.gears.extend(world.gears.iter().filter_map(|&index| GearConstraint::new(&input, index, exact)));
    for gear in &prepared.gears {
        world.joints[gear.joint].gear_start = Some(gear.start);
    }
    if context.method.marks_loaded {
        mark_jointed(&mut world.sets.awake_mut().states, prepared);
    }
}

/// Sorts the joints of each colour into blocks, which are only listed, and others.
fn sort_joints(input: &JointInput<'_>, prepared: &mut JointConstraints) {
    let JointInput { world, context, .. } = *input;
    let JointConstraints { joints, colors, .. } = prepared;
    let mut pins = Listing::over(std::mem::take(&mut prepared.pins));
    let mut hinges = Listing::over(std::mem::take(&mut prepared.hinges));
    joints.clear();
    colors.clear();
    let exact = if context.method.soft { exact_joints(world) } else { Exact::default() };
    let is_exact = |index: u32| exact.joints.binary_search(&index).is_ok();
    for (color, list) in world.joint_colors.colors() {
        let first_joint = joints.len();
        // What found no colour shares bodies and is solved one after the other.
        let side_by_side = context.method.soft && color != OVERFLOW;
        for (place, &index) in list.iter().enumerate().filter(|(_, index)| **index != HOLE && !is_exact(**index)) {
            if let Some(&soon) = list.get(place + FETCH_AHEAD) {
                world.joints.slot(soon).inspect(|slot| prefetch(*slot));
            }
            let kind = if side_by_side { PinKind::of(input, &world.joints[index]) } else { PinKind::Other };
            match kind {
                PinKind::Plain => pins.push(index, &PinBlock::EMPTY),
                PinKind::Hinge => hinges.push(index, &HingeBlock::EMPTY),
                PinKind::Other => joints.push(JointConstraint::new(input, index)),
            }
        }
        colors.push(JointColor {
            pins: pins.end_color(),
            hinges: hinges.end_color(),
            joints: first_joint..joints.len(),
            shared: color == OVERFLOW,
        });
    }
    prepared.exact = joints.len()..joints.len() + exact.joints.len();
    joints.extend(exact.joints.iter().map(|&index| JointConstraint::new(input, index)));
    prepared.pins = pins.finish();
    prepared.hinges = hinges.finish();
    prepared.sprung = exact.sprung;
}

/// Marks the bodies of joints.
fn mark_jointed(states: &mut [BodyState], prepared: &JointConstraints) {
    let JointConstraints { joints, pins, hinges, gears, exact, sprung, .. } = prepared;
    for (index, joint) in joints.iter().enumerate() {
        let flies = exact.contains(&index) && sprung.binary_search(&joint.joint).is_err();
        mark(states, &joint.bodies, if flies { BodyState::JOINTED } else { JOINTED_AND_LOADED });
    }
    for gear in gears {
        mark(states, &gear.bodies, if gear.is_exact { BodyState::JOINTED } else { JOINTED_AND_LOADED });
    }
    pins.iter().chain(hinges.iter().map(|hinge| &hinge.pin)).for_each(|pin| pin.mark_jointed(states));
}

/// Marks the bodies of mechanisms with springs that are solved exactly, which do not fly freely either.
fn mark_sprung(states: &mut [BodyState], prepared: &JointConstraints) {
    let JointConstraints { joints, exact, sprung, .. } = prepared;
    if sprung.is_empty() {
        return;
    }
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
pub(crate) fn warm_start_joints(batch: &mut Batch<'_>, context: &StepContext) {
    let Some(Coupled { joints, .. }) = &mut batch.coupled else { return };
    let mut states = Rows::of(&mut *batch.states);
    let JointConstraints { gears, colors, pins, hinges, joints, exact, .. } = &mut **joints;
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
    for color in colors {
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

pub(crate) fn solve_joints<const BIASED: bool>(batch: &mut Batch<'_>, context: &StepContext) {
    let exact = batch.coupled.as_ref().map_or(0..0, |coupled| coupled.joints.exact.clone());
    if !exact.is_empty() {
        batch.solve_exactly(|system, problem| system.solve_joints::<BIASED>(problem, context, exact));
    }
    let Some(Coupled { joints, .. }) = &mut batch.coupled else { return };
    if !BIASED {
        mark_sprung(batch.states, joints);
    }
    solve_others::<BIASED>(joints, Rows::of(&mut *batch.states), context);
}

/// Solves the joints that are not solved exactly.
#[allow(unsafe_code)]
fn solve_others<const BIASED: bool>(
    prepared: &mut JointConstraints,
    mut states: Rows<'_, BodyState>,
    context: &StepContext,
) {
    let JointConstraints { gears, colors, pins, hinges, joints, .. } = prepared;
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
    for color in colors {
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
pub(crate) fn list_joints(input: &JointInput<'_>, prepared: &mut JointConstraints, chosen: &[u32]) -> Range<usize> {
    let first = prepared.joints.len();
    prepared.joints.extend(chosen.iter().map(|&index| JointConstraint::new(input, index)));
    first..first + chosen.len()
}

/// Removes them again, and notes their angles: they know them from when they were last asked for their rows, where the
/// bodies are now.
pub(crate) fn unlist_joints(
    prepared: &mut JointConstraints,
    states: &[BodyState],
    context: &StepContext,
    listed: Range<usize>,
) {
    let JointConstraints { joints, closed, .. } = prepared;
    for joint in joints.drain(listed) {
        let bodies = read(states, &joint.bodies);
        closed.push((joint.joint, joint.end_angle(&bodies, context)));
    }
}

/// Impulses go back to the joints; joints that carried too much break.
pub(crate) fn store_joint_impulses(world: &mut WorldState, solved: &mut JointConstraints, context: &StepContext) {
    let per_second = 1.0 / context.dt;
    let mut broken = Vec::new();
    pins::store_pins(world, &mut solved.pins, context, &mut broken);
    hinges::store_hinges(world, &mut solved.hinges, context, &mut broken);
    for &(joint, angle) in &solved.closed {
        world.joints[joint].angle = angle;
    }
    let awake = &world.sets.sets[crate::sets::AWAKE as usize].states;
    for from in &solved.joints {
        let joint = &mut world.joints[from.joint];
        joint.impulses = from.impulses;
        let angle = from.end_angle(&read(awake, &from.bodies), context);
        joint.keep(from.impulse * per_second, from.turn * per_second, angle);
        if joint.is_overloaded() {
            broken.push(from.joint);
        }
    }
    for from in &solved.gears {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointRef;
    use crate::prelude::*;
    use crate::scratch::{Scratch, whole_batch};
    use crate::stage::*;
    use carom_core::Rng;
    use carom_threads::Crew;

    /// One step without anything to collide with, in which joints are solved side by side where they can be, or all of
    /// them as rows.
    fn step(world: &mut World, as_rows: bool) {
        let World { state, scratch, width, .. } = world;
        let context = StepContext::new(&state.def, *width, 1.0 / 60.0, 0.0, None, &Crew::ALONE);
        let Scratch { constraints, groups, narrow, joints, system, finished, .. } = scratch;
        narrow.motions.update(state.sets.awake(), state.bodies.slot_count(), &Crew::ALONE);
        prepare::prepare_constraints(state, constraints, groups, narrow, &context);
        prepare_joints(state, joints, constraints, &narrow.motions, &context);
        if as_rows {
            let (masses, motions) = (&constraints.masses, &narrow.motions);
            list_as_rows(&JointInput { world: state, masses, motions, context: &context, warmth: 1.0 }, joints);
        }
        let batch = &mut whole_batch(state, constraints, joints, system);
        for substep in 0..context.substeps {
            batch.substep = substep;
            integrate::integrate_velocities(batch, &context);
            warm_start_joints(batch, &context);
            solve_joints::<true>(batch, &context);
            integrate::integrate_positions(batch, &context);
            solve_joints::<false>(batch, &context);
        }
        store_joint_impulses(state, joints, &context);
        finalize::finalize_bodies(state, finished, &context);
    }

    fn list_as_rows(input: &JointInput<'_>, prepared: &mut JointConstraints) {
        let JointConstraints { joints, pins, hinges, colors, order, .. } = prepared;
        *order = None;
        assert!(joints.is_empty());
        for color in colors {
            let first = joints.len();
            let blocks = pins[color.pins.clone()].iter().chain(hinges[color.hinges.clone()].iter().map(|h| &h.pin));
            for index in blocks.flat_map(|block| &block.joint[..block.count as usize]) {
                joints.push(JointConstraint::new(input, *index));
            }
            *color = JointColor { pins: 0..0, hinges: 0..0, joints: first..joints.len(), shared: false };
        }
        pins.clear();
        hinges.clear();
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
                assert!(!lanes.scratch.joints.pins.is_empty() && !lanes.scratch.joints.hinges.is_empty());
                assert!(rows.scratch.joints.pins.is_empty() && rows.scratch.joints.hinges.is_empty());
                for id in lanes.joints() {
                    let [one, other] = [&lanes, &rows].map(|world| world.joint(id));
                    let told = |joint: &JointRef| [joint.force().x, joint.force().y, joint.torque(), joint.angle()];
                    assert_eq!(told(&one).map(f32::to_bits), told(&other).map(f32::to_bits), "{width} {number} {id:?}");
                    stopped += u32::from(lanes.state.joints[id.index()].impulses[2] != 0.0);
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
        let hinges = &worlds[0].scratch.joints.colors[0].hinges;
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
            let order = kept.scratch.joints.order;
            sorted.scratch.joints.order = None;
            kept.step(1.0 / 60.0);
            sorted.step(1.0 / 60.0);
            steps_kept += u32::from(order.is_some() && order == kept.scratch.joints.order);
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
