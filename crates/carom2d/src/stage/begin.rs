//! Starts the clock of the stage timers.

use super::StepContext;
use crate::world::World;

pub(crate) fn begin(world: &mut World, _: &StepContext) {
    world.timers.start();
}
