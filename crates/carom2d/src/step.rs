//! One step of the world: the whole engine on one screen.
//!
//! The stages are files in `stage/`, and names in [`Stage`]. Everything that moves or touches goes
//! through them in this order; nothing happens elsewhere.

use crate::fluid::apply_fluids;
use crate::hooks::Hooks;
use crate::stage::ablation::Measure;
use crate::stage::*;
use crate::world::World;
use carom_threads::Crew;

/// Fewer awake bodies than this are stepped by one thread.
const FEW_BODIES: usize = 64;
/// Fewer than this do not fill the widest registers.
const FEW_FOR_LANES: usize = 32;

pub(crate) fn step(world: &mut World, dt: f32, hooks: Option<&dyn Hooks>) {
    // Threads are worth being woken for a world in which enough happens.
    let team = world.team.clone();
    let awake = world.sets.awake().states.len();
    let crew = if awake < FEW_BODIES { Crew::ALONE } else { team.call() };
    let width = if awake < FEW_FOR_LANES && !world.width_is_chosen { world.width.for_few() } else { world.width };
    let mut context = StepContext::new(&world.def, width, dt, world.longest_h, hooks, &crew);
    let left_out = world.left_out;
    context.keeps_frames &= !left_out.contains(Measure::KeptFrames);
    if left_out.contains(Measure::Softness) {
        context.harden();
    }
    world.longest_h = context.longest_h;
    world.timers.start();
    let mut run = |stage: Stage, work: &dyn Fn(&mut World, &StepContext)| {
        work(world, &context);
        world.timers.lap(stage as usize);
    };

    // Collide: who is near whom, who touches whom, and where.
    run(Stage::Pairs, &pairs::find_pairs);
    run(Stage::Contacts, &contacts::update_contacts);
    run(Stage::Contacts, &ablation::thin_out);
    run(Stage::Islands, &islands::link_islands);
    run(Stage::Color, &color::color_constraints);

    // Solve: velocities and positions in small sub-steps. What fluids do is a force, the same in all of them.
    run(Stage::IntegrateVelocity, &apply_fluids);
    run(Stage::IntegrateVelocity, &kinematic::begin_ramps);
    run(Stage::Prepare, &preload::preload);
    run(Stage::Prepare, &burdens::choose_burdens);
    run(Stage::Prepare, &prepare::prepare_constraints);
    for _ in 0..context.substeps {
        run(Stage::IntegrateVelocity, &integrate::integrate_velocities);
        run(Stage::IntegrateVelocity, &kinematic::follow_ramps);
        run(Stage::IntegrateVelocity, &turn::turn_normals);
        run(Stage::Restitution, &restitution::apply_restitution);
        run(Stage::WarmStart, &warm_start::warm_start);
        if left_out.contains(Measure::Relaxing) {
            run(Stage::Relax, &solve::solve_relaxed);
            run(Stage::Solve, &solve::solve_biased);
            run(Stage::IntegratePosition, &integrate::integrate_positions);
            continue;
        }
        run(Stage::Solve, &solve::solve_biased);
        run(Stage::IntegratePosition, &integrate::integrate_positions);
        run(Stage::Relax, &solve::solve_relaxed);
    }
    run(Stage::IntegrateVelocity, &kinematic::end_ramps);
    run(Stage::IntegratePosition, &close::close_joints);
    run(Stage::IntegratePosition, &recover::push_apart);
    // Small islands go through all that at once, as many at a time as the cache holds.
    run(Stage::Groups, &groups::solve_groups);

    // Finish: remember, report, move the boxes, let the tired sleep.
    run(Stage::StoreImpulses, &store_impulses::store_impulses);
    run(Stage::Finalize, &finalize::finalize_bodies);
    run(Stage::Continuous, &continuous::put_back_fast_bodies);
    run(Stage::Sleep, &sleep::put_islands_to_sleep);
    run(Stage::Sensors, &sensors::update_sensors);
}
