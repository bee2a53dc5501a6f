//! Plan: the motion of every body under its forces, to the end of the step.

use crate::math::DVec3;
use crate::world::World;

pub(crate) fn plan_paths(world: &mut World) {
    world.update_clusters();
    for i in 0..world.awake.len() {
        let mover = world.awake[i];
        world.sum_contact_forces(mover);
        world.movers[mover].is_path_stale = true;
    }
    for i in 0..world.awake.len() {
        let mover = world.awake[i];
        // Planning for one member of a cluster plans for all.
        if world.movers[mover].is_path_stale {
            world.update_rest_speeds(mover);
            world.plan(mover);
        }
    }
    for i in 0..world.awake.len() {
        let mover = world.awake[i];
        world.movers[mover].reset_impacts();
    }
}

impl World {
    /// Adds up what the contacts of a mover did to it in the last step: where they rest, it is the best guess.
    fn sum_contact_forces(&mut self, mover: u32) {
        let record = &self.movers[mover];
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for &index in &record.contacts {
            let contact = &self.contacts[index];
            if contact.is_resting {
                let (normal, radius) = (contact.touch.normal, record.radius);
                let is_a = contact.mover_a == mover;
                let (f, t) = if is_a { contact.load.on_a(normal, radius) } else { contact.load.on_b(normal, radius) };
                force += f;
                torque += t;
            }
        }
        let record = &mut self.movers[mover];
        record.contact_force = force;
        record.contact_torque = torque;
    }

    /// Plans anew for those whose path is stale.
    pub(crate) fn plan_stale(&mut self, movers: &[u32]) {
        for &mover in movers {
            if self.movers[mover].is_path_stale {
                self.plan(mover);
            }
        }
    }
}
