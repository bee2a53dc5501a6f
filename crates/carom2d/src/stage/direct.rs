//! All joints and contacts solved at once, in each sub-step: see [`System`](crate::solver::system::System).

use super::StepContext;
use crate::solver::Batch;
use crate::stage::preload::Preloads;
use crate::world::WorldState;

pub(crate) fn solve_directly<const BIASED: bool>(batch: &mut Batch<'_>, context: &StepContext) {
    batch.solve_exactly(|system, problem| system.solve_all::<BIASED>(problem, context));
}

/// Forgets what only the soft step remembers.
pub(crate) fn forget_loads(world: &mut WorldState) {
    world.preloads = Preloads::default();
    world.burdens.outdate();
    world.pushed_apart.clear();
}
