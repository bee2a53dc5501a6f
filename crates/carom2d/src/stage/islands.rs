//! Islands: contacts that became active wake and join bodies; contacts that ceased cut them apart.

use crate::body::BodyKind;
use crate::world::WorldState;

/// For contacts that became active or inactive.
pub(crate) fn link_islands(world: &mut WorldState, changed: &[(u64, u32)]) {
    for &(_, index) in changed {
        let contact = &mut world.contacts[index];
        contact.active = !contact.active;
        let (active, a, b) = (contact.active, contact.body_a, contact.body_b);
        if !active {
            world.unlink_island(index);
            world.set_touching(index, false);
            continue;
        }
        // A kinematic body that rests is as good as a wall: only dynamic bodies are woken.
        for body in [a, b] {
            if world.bodies[body].kind == BodyKind::Dynamic && !world.is_awake(body) {
                world.wake(body);
            }
        }
        world.link_island(index);
    }
}
