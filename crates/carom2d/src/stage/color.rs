//! Colours: active contacts join the constraint graph, others leave it.
//!
//! Within a colour no two constraints share a movable body, so they can be solved side by side, in
//! SIMD lanes and on threads, with the same result as one after the other.

use super::StepContext;
use crate::world::World;

pub(crate) fn color_constraints(world: &mut World, _: &StepContext) {
    for place in 0..world.constraints.changed.len() {
        let (_, index) = world.constraints.changed[place];
        if world.contacts[index].active {
            world.add_to_colors(index);
        } else {
            world.remove_from_colors(index);
        }
    }
}
