//! One step of the world: the whole engine on one screen.
//!
//! The stages are files in `stage/`, and names in [`Stage`].

use crate::stage::*;
use crate::world::World;
use carom_threads::Crew;

/// Fewer awake bodies than this are stepped by one thread.
const FEW_BODIES: usize = 512;

pub(crate) fn step(world: &mut World) {
    // Threads are worth being woken for a world in which enough happens.
    let team = world.team.clone();
    let crew = if world.awake.len() < FEW_BODIES { Crew::ALONE } else { team.call() };
    world.timers.start();
    let mut run = |stage: Stage, work: &dyn Fn(&mut World, &Crew<'_>)| {
        work(world, &crew);
        world.timers.lap(stage as usize);
    };

    // Paths of free flight, and which bodies come near each other on them.
    run(Stage::Plan, &plan::plan_paths);
    run(Stage::Pairs, &pairs::find_pairs);

    // What rests on each other gets the forces that keep it from falling; what meets, meets at its time.
    run(Stage::Rest, &rest::hold_resting);
    run(Stage::Impacts, &impacts::resolve_impacts);

    // The step is over: states, overlaps, contacts no longer near, sleep.
    run(Stage::Finish, &finish::finish_step);
    run(Stage::Sleep, &sleep::let_sleep);
}
