//! Pairs: every path that left its box gets a new one, and a contact with everything whose box that one meets.

use crate::world::World;
use carom_threads::Crew;

pub(crate) fn find_pairs(world: &mut World, crew: &Crew<'_>) {
    world.reboxed.clear();
    let awake = std::mem::take(&mut world.awake);
    world.update_boxes(&awake, crew);
    world.awake = awake;
    world.order_contacts();
}
