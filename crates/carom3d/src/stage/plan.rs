//! Plan: the motion of every body under its forces, to the end of the step.

use crate::body::Mover;
use crate::integrate::Integrator;
use crate::math::DVec3;
use crate::world::World;
use carom_threads::Crew;

pub(crate) fn plan_paths(world: &mut World, crew: &Crew<'_>) {
    world.update_clusters();
    world.sum_contact_forces(crew);
    world.plan_falling(crew);
    for i in 0..world.awake.len() {
        let mover = world.awake[i];
        // Planning for one member of a cluster plans for all.
        if world.movers[mover].is_path_stale {
            world.update_rest_speeds(mover);
            world.plan(mover);
        }
    }
    world.for_awake(crew, Mover::reset_impacts);
}

impl World {
    /// Adds up what the contacts did to their movers in the last step: where they rest, it is the best guess.
    fn sum_contact_forces(&mut self, crew: &Crew<'_>) {
        self.for_awake(crew, |mover| {
            mover.is_path_stale = true;
            mover.contact_force = DVec3::ZERO;
            mover.contact_torque = DVec3::ZERO;
        });
        for &index in &self.resting {
            let Some(contact) = self.contacts.get_at(index).filter(|contact| contact.is_resting) else { continue };
            if let Some(manifold) = &contact.manifold {
                let (force, torque_a, torque_b) = manifold.wrenches();
                for (mover, force, torque) in [(contact.mover_a, -force, torque_a), (contact.mover_b, force, torque_b)]
                {
                    if let Some(mover) = self.movers.get_at_mut(mover).filter(|mover| mover.is_awake()) {
                        mover.contact_force += force;
                        mover.contact_torque += torque;
                    }
                }
                continue;
            }
            let normal = contact.touch.normal;
            if let Some(a) = self.movers.get_at_mut(contact.mover_a).filter(|a| a.is_awake()) {
                let (force, torque) = contact.load.on_a(normal, a.radius);
                a.contact_force += force;
                a.contact_torque += torque;
            }
            if let Some(b) = self.movers.get_at_mut(contact.mover_b).filter(|b| b.is_awake()) {
                let (force, torque) = contact.load.on_b(normal, b.radius);
                b.contact_force += force;
                b.contact_torque += torque;
            }
        }
    }

    /// Plans again the paths of awake movers whose path is stale and on which only constant forces act.
    pub(crate) fn plan_falling(&mut self, crew: &Crew<'_>) {
        if self.def.integrator == Integrator::RungeKutta4 && self.fields.is_empty() {
            let (gravity, step_length_s) = (self.def.gravity, self.step_length_s);
            self.for_awake(crew, |mover| {
                if mover.is_path_stale && mover.falls_alone() {
                    mover.find_rest_speed(gravity, step_length_s);
                    mover.plan_fall(gravity, step_length_s);
                }
            });
        }
    }

    /// Plans stale paths again.
    pub(crate) fn plan_stale(&mut self, movers: &[u32]) {
        for &mover in movers {
            if self.movers[mover].is_path_stale {
                self.plan(mover);
            }
        }
    }
}
