//! What happened in a step is handed out.

use crate::world::World;

/// Reports on shapes with parts, and exchanges what is being recorded for what the caller reads.
pub(crate) fn hand_out_events(world: &mut World) {
    world.state.report_compounds();
    std::mem::swap(&mut world.events, &mut world.state.log);
    world.state.log.clear();
}
