//! One step of the world: the whole engine on one screen.
//!
//! The stages are files in `stage/`, and names in [`Stage`]. Everything that moves or touches goes through them, in the order
//! that its solver has here; nothing happens elsewhere. Each is handed what it reads and what it writes: of the world
//! ([`WorldState`]), which lasts, and of what a step uses ([`Scratch`]), which does not.

use crate::ablation::thin_out;
use crate::context::StepContext;
use crate::fluid::apply_fluids;
use crate::hooks::Hooks;
use crate::scratch::{Scratch, whole_batch};
use crate::solver::{Batch, Correction, Sequential, Solver};
use crate::stage::Stage;
use crate::stage::burdens::choose_burdens;
use crate::stage::close::close_joints;
use crate::stage::color::color_constraints;
use crate::stage::contacts::update_contacts;
use crate::stage::continuous::put_back_fast_bodies;
use crate::stage::direct::{forget_loads, solve_directly};
use crate::stage::events::hand_out_events;
use crate::stage::finalize::finalize_bodies;
use crate::stage::groups::solve_groups;
use crate::stage::integrate::{integrate_positions, integrate_velocities};
use crate::stage::islands::link_islands;
use crate::stage::joints::{prepare_joints, store_joint_impulses, warm_start_joints};
use crate::stage::kinematic::{begin_ramps, end_ramps, follow_ramps};
use crate::stage::pairs::find_pairs;
use crate::stage::preload::preload;
use crate::stage::prepare::prepare_constraints;
use crate::stage::recover::push_apart;
use crate::stage::restitution::{apply_restitution, follow_landings};
use crate::stage::sensors::update_sensors;
use crate::stage::sleep::put_islands_to_sleep;
use crate::stage::solve::{solve_biased, solve_relaxed};
use crate::stage::store_impulses::store_impulses;
use crate::stage::turn::turn_normals;
use crate::stage::warm_start::{warm_start, warm_start_contacts};
use crate::teaching::first_impact::step_in_parts;
use crate::teaching::sequential::solve_sequential;
use crate::world::{World, WorldState};
use carom_core::Stopwatch;
use carom_threads::Crew;

/// Fewer awake bodies than this are stepped by one thread.
const FEW_BODIES: usize = 64;
/// Fewer than this do not fill the widest registers.
const FEW_FOR_LANES: usize = 32;

/// Notes the time of a stage.
type Lap<'a> = &'a mut dyn FnMut(Stage);

pub(crate) fn step(world: &mut World, dt: f32, hooks: Option<&dyn Hooks>) {
    match world.state.def.solver {
        Solver::Sequential(Sequential { correction: Correction::FirstImpact, .. }) => step_in_parts(world, dt, hooks),
        _ => step_once(world, dt, hooks),
    }
    world.state.step_count += 1;
    hand_out_events(world);
}

/// A step, or a part of one that ends at an impact.
pub(crate) fn step_once(world: &mut World, dt: f32, hooks: Option<&dyn Hooks>) {
    // Threads are worth being woken for a world in which enough happens.
    let team = world.team.clone();
    let awake = world.state.sets.awake().states.len();
    let crew = if awake < FEW_BODIES { Crew::ALONE } else { team.call_as(world.tuner.sharing()) };
    let watch = (awake >= FEW_BODIES && world.tuner.has_choice()).then(Stopwatch::start);
    let width = if awake < FEW_FOR_LANES && !world.width_is_chosen { world.width.for_few() } else { world.width };
    let World { state, scratch, timers, .. } = world;
    let mut context = StepContext::new(&state.def, width, dt, state.longest_h, hooks, &crew);
    context.leave_out(state.left_out);
    state.longest_h = context.longest_h;
    timers.start();
    let lap: Lap = &mut |stage| timers.lap(stage as usize);
    match state.def.solver {
        Solver::SoftStep => soft_step(state, scratch, &context, lap),
        Solver::Direct => direct_step(state, scratch, &context, lap),
        Solver::Sequential(settings) => textbook_step(state, scratch, settings, &context, lap),
    }
    if let Some(watch) = watch {
        world.tuner.note(watch.seconds());
    }
}

/// Sub-steps with soft constraints: the default.
fn soft_step(world: &mut WorldState, scratch: &mut Scratch, context: &StepContext, lap: Lap) {
    collide(world, scratch, context, lap);
    begin_motion(world, context, lap);
    preload(world, &scratch.coloring.joiners, &mut scratch.system, context);
    choose_burdens(world, context);
    prepare(world, scratch, context, lap);
    let Scratch { constraints, joints, system, .. } = scratch;
    soft_substeps(&mut whole_batch(world, constraints, joints, system), context, lap);
    end_motion(world, scratch, context, lap);
    push_apart(world, &scratch.constraints, &mut scratch.pushes, context);
    lap(Stage::IntegratePosition);
    // Small islands go through all sub-steps at once, as many at a time as the cache holds.
    solve_groups(world, &mut scratch.groups, &scratch.constraints, &scratch.narrow, context);
    lap(Stage::Groups);
    finish(world, scratch, context, lap);
}

/// The sub-steps of the soft step: of all that is in no group, and of each group.
pub(crate) fn soft_substeps(batch: &mut Batch<'_>, context: &StepContext, lap: Lap) {
    for substep in 0..context.substeps {
        batch.substep = substep;
        begin_substep(batch, context, lap);
        apply_restitution(batch, context);
        lap(Stage::Restitution);
        warm_start(batch, context);
        lap(Stage::WarmStart);
        if !context.relaxes {
            solve_relaxed(batch, context);
            lap(Stage::Relax);
        }
        solve_biased(batch, context);
        lap(Stage::Solve);
        integrate_positions(batch, context);
        follow_landings(batch);
        lap(Stage::IntegratePosition);
        if context.relaxes {
            solve_relaxed(batch, context);
            lap(Stage::Relax);
        }
    }
}

/// Sub-steps in which all constraints are solved at once.
fn direct_step(world: &mut WorldState, scratch: &mut Scratch, context: &StepContext, lap: Lap) {
    collide(world, scratch, context, lap);
    begin_motion(world, context, lap);
    forget_loads(world);
    prepare(world, scratch, context, lap);
    let Scratch { constraints, joints, system, .. } = scratch;
    let batch = &mut whole_batch(world, constraints, joints, system);
    for substep in 0..context.substeps {
        batch.substep = substep;
        begin_substep(batch, context, lap);
        apply_restitution(batch, context);
        lap(Stage::Restitution);
        warm_start_contacts(batch, context);
        lap(Stage::WarmStart);
        solve_directly::<true>(batch, context);
        lap(Stage::Solve);
        integrate_positions(batch, context);
        follow_landings(batch);
        lap(Stage::IntegratePosition);
        solve_directly::<false>(batch, context);
        lap(Stage::Relax);
    }
    end_motion(world, scratch, context, lap);
    finish(world, scratch, context, lap);
}

/// One step of sequential impulses, as the textbook has it.
fn textbook_step(world: &mut WorldState, scratch: &mut Scratch, settings: Sequential, context: &StepContext, lap: Lap) {
    collide(world, scratch, context, lap);
    begin_motion(world, context, lap);
    forget_loads(world);
    prepare(world, scratch, context, lap);
    let Scratch { constraints, joints, system, points, .. } = scratch;
    let batch = &mut whole_batch(world, constraints, joints, system);
    begin_substep(batch, context, lap);
    warm_start_joints(batch, context);
    lap(Stage::WarmStart);
    solve_sequential(batch, settings, points, context);
    lap(Stage::Solve);
    integrate_positions(batch, context);
    lap(Stage::IntegratePosition);
    end_motion(world, scratch, context, lap);
    finish(world, scratch, context, lap);
}

/// Which shapes are near each other, which touch, and where.
fn collide(world: &mut WorldState, scratch: &mut Scratch, context: &StepContext, lap: Lap) {
    let Scratch { pairs, narrow, coloring, .. } = scratch;
    find_pairs(world, pairs, context);
    lap(Stage::Pairs);
    update_contacts(world, narrow, context);
    thin_out(world);
    lap(Stage::Contacts);
    link_islands(world, &narrow.changed);
    lap(Stage::Islands);
    color_constraints(world, &narrow.changed, coloring);
    lap(Stage::Color);
}

/// What moves bodies beside constraints: fluids, whose forces are the same in all sub-steps, and kinematic bodies that
/// accelerate.
fn begin_motion(world: &mut WorldState, context: &StepContext, lap: Lap) {
    apply_fluids(world, context);
    begin_ramps(world, context);
    lap(Stage::IntegrateVelocity);
}

/// Contacts and joints become constraints.
fn prepare(world: &mut WorldState, scratch: &mut Scratch, context: &StepContext, lap: Lap) {
    let Scratch { constraints, groups, narrow, joints, .. } = scratch;
    prepare_constraints(world, constraints, groups, narrow, context);
    prepare_joints(world, joints, constraints, &narrow.motions, context);
    lap(Stage::Prepare);
}

/// Velocities of free flight.
fn begin_substep(batch: &mut Batch, context: &StepContext, lap: Lap) {
    integrate_velocities(batch, context);
    follow_ramps(batch, context);
    turn_normals(batch, context);
    lap(Stage::IntegrateVelocity);
}

/// After the last sub-step.
fn end_motion(world: &mut WorldState, scratch: &mut Scratch, context: &StepContext, lap: Lap) {
    let Scratch { constraints, joints, closing, narrow, .. } = scratch;
    end_ramps(&world.ramps, &mut world.sets);
    lap(Stage::IntegrateVelocity);
    close_joints(world, joints, closing, (&constraints.masses, &narrow.motions), context);
    lap(Stage::IntegratePosition);
}

/// Remembers, reports, moves the boxes, puts what rests to sleep.
fn finish(world: &mut WorldState, scratch: &mut Scratch, context: &StepContext, lap: Lap) {
    let Scratch { constraints, joints, groups, narrow, storing, finished, sweeps, sensing, .. } = scratch;
    store_joint_impulses(world, joints, context);
    store_impulses(world, constraints, groups, storing, context);
    lap(Stage::StoreImpulses);
    finalize_bodies(world, finished, context);
    lap(Stage::Finalize);
    put_back_fast_bodies(world, &mut finished.fast, sweeps, &narrow.motions, context);
    lap(Stage::Continuous);
    put_islands_to_sleep(world, finished, context);
    lap(Stage::Sleep);
    update_sensors(world, &finished.fast, sensing, context);
    lap(Stage::Sensors);
}
