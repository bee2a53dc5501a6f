//! Pairs: every path that left its box gets a new one, and a contact with everything whose box that one meets.

use crate::world::World;

pub(crate) fn find_pairs(world: &mut World) {
    for i in 0..world.awake.len() {
        world.update_box(world.awake[i]);
    }
}
