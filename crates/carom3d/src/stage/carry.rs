//! How large islands of spheres get into a crowd (`crowd.rs`), and out of it when it has gone through the step.

use crate::balance::FIXED_PLACE;
use crate::body::NONE;
use crate::crowd::{Arrival, Crowd, Meeting};
use crate::rest_islands::LEAST_CONTACTS;
use crate::world::World;
use carom_threads::{Crew, Parts};

impl World {
    /// Takes the contacts of large islands of spheres from a list, and lets those go through the step as crowds.
    pub(crate) fn carry_crowds(&mut self, resting: &mut Vec<u32>, crew: &Crew<'_>) {
        for &mover in &self.awake {
            self.movers[mover].flows = false;
        }
        if resting.len() <= LEAST_CONTACTS as usize {
            return;
        }
        let mut islands = std::mem::take(&mut self.rest_islands);
        islands.clear(self.movers.slot_count());
        for &index in &*resting {
            let link = &self.links[index as usize];
            if link.mover_b != NONE {
                islands.join(link.mover_a, link.mover_b);
            }
        }
        for &index in &*resting {
            islands.count(self.links[index as usize].mover_a);
        }
        // Crowds know spheres only.
        for &index in resting.iter().filter(|&&index| self.links[index as usize].is_solid) {
            islands.exclude(self.links[index as usize].mover_a);
        }
        let mut crowd = std::mem::take(&mut self.crowd);
        crowd.clear(self.movers.slot_count());
        resting.retain(|&index| {
            let link = &self.links[index as usize];
            let is_crowd = islands.is_crowd(link.mover_a);
            if is_crowd {
                let mut place_of = |mover: u32| crowd.place_of(mover, self.probes[mover as usize].is_kinematic);
                let place_a = place_of(link.mover_a);
                let place_b = if link.mover_b == NONE { FIXED_PLACE } else { place_of(link.mover_b) };
                crowd.add(index, [place_a, place_b]);
            }
            !is_crowd
        });
        self.rest_islands = islands;
        if !crowd.is_empty() {
            self.gather_crowd(&mut crowd, crew);
            crowd.flow(self.step_length_s, crew);
            self.scatter_crowd(&crowd, crew);
        }
        self.crowd = crowd;
    }

    /// Tells a crowd what it has to know of its movers and contacts.
    fn gather_crowd(&self, crowd: &mut Crowd, crew: &Crew<'_>) {
        let h = self.step_length_s;
        crowd.fill_bodies(crew, |mover| {
            let record = &self.movers[mover];
            let (state, end) = (&record.state, &record.end);
            Arrival {
                position: state.position,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                radius: record.radius,
                inv_mass: record.inv_mass,
                pull: (end.velocity - state.velocity) / h - record.contact_force * record.inv_mass,
                angular_pull: (end.angular_velocity - state.angular_velocity) / h
                    - record.contact_torque * record.inv_inertia,
            }
        });
        crowd.fill_contacts(h, crew, |index| {
            let contact = &self.contacts[index];
            Meeting {
                normal: contact.touch.normal,
                gap: contact.touch.gap,
                load: contact.load,
                friction: contact.friction,
                rolling: contact.rolling,
                allowed_overlap: contact.allowed_overlap,
            }
        });
    }

    /// Takes loads and motion from a crowd.
    #[allow(unsafe_code)]
    fn scatter_crowd(&mut self, crowd: &Crowd, crew: &Crew<'_>) {
        let h = self.step_length_s;
        let contacts = Parts::of(self.contacts.slots_mut());
        crowd.for_contacts(h, crew, |index, load, normal| {
            // SAFETY: every contact is in the crowd once.
            let contact = unsafe { contacts.item(index as usize) }.value_mut();
            contact.load = load;
            contact.touch.normal = normal;
        });
        let movers = Parts::of(self.movers.slots_mut());
        crowd.for_bodies(crew, |mover, body| {
            // SAFETY: every mover is in the crowd once.
            let record = unsafe { movers.item(mover as usize) }.value_mut();
            record.is_path_stale = true;
            record.flows = true;
            if record.is_kinematic() {
                return;
            }
            let velocity = body.way / h;
            record.state.position = body.position - body.way;
            record.state.velocity = velocity;
            record.jump = body.velocity - velocity;
            record.contact_force = body.pull * -record.mass;
            let turning = (body.angular_velocity - record.state.angular_velocity) / h - body.angular_pull;
            record.contact_torque = turning * record.inertia.moments();
        });
    }
}
