//! Finish: new states; overlaps are undone; pairs that parted are forgotten.

use crate::body::{Activity, BodyState, Mover, NONE};
use crate::contact::Load;
use crate::crowd::CROWD_SLOP;
use crate::math::{DVec3, max};
use crate::world::World;
use carom_core::Bounds;
use carom_threads::Crew;

/// How much of an overlap is undone in one step.
const UNDONE_PER_STEP: f64 = 0.4;
/// Velocities are not known better than this fraction of what the forces add in half a step.
const ROUNDING: f64 = 1.0e-14;
/// Bodies nearer than this fraction of the radius have met.
const MET: f64 = 1.0e-3;

pub(crate) fn finish_step(world: &mut World, crew: &Crew<'_>) {
    for i in 0..world.resting.len() {
        let index = world.resting[i];
        if world.links[index as usize].is_solid {
            world.follow_forces(index);
        }
    }
    world.for_awake(crew, finish_mover);
    world.finish_resting();
    world.forget_parted();
    world.freeze_broken();
}

fn finish_mover(mover: &mut Mover) {
    mover.state = mover.end;
    mover.state.velocity += std::mem::take(&mut mover.jump);
    // A body that is held is still: what is left are the rounding errors of forces that cancel.
    if mover.state.velocity.abs().max_element() < ROUNDING * mover.rest_speed {
        mover.state.velocity = DVec3::ZERO;
    }
    mover.clock_s = 0.0;
    mover.reach = 0.0;
    mover.force = DVec3::ZERO;
    mover.torque = DVec3::ZERO;
}

impl World {
    /// Brings the contacts that rest or rested in this step to its end, in the order of their indices.
    fn finish_resting(&mut self) {
        let mut resting = std::mem::take(&mut self.resting);
        // A contact that was removed may have left its place to another.
        resting.sort_unstable();
        resting.dedup();
        resting.retain(|&index| self.contacts.get_at(index).is_some_and(|contact| contact.is_listed));
        for &index in &resting {
            self.rebound(index);
        }
        for &index in &resting {
            self.finish_contact(index);
        }
        resting.retain(|&index| match self.contacts.get_at_mut(index) {
            Some(contact) => {
                contact.is_listed = contact.is_resting;
                contact.is_listed
            }
            None => false,
        });
        self.resting = resting;
    }

    /// Removes the contacts whose boxes no longer meet: those of movers with a new box.
    fn forget_parted(&mut self) {
        let mut parted = std::mem::take(&mut self.scratch.parted);
        parted.clear();
        for &mover in &self.reboxed {
            let contacts = self.movers.get_at(mover).map_or(&[][..], |mover| &mover.contacts);
            parted.extend(contacts.iter().filter(|&&index| !self.is_contact_near(index)));
        }
        parted.sort_unstable();
        parted.dedup();
        for &index in &parted {
            if !self.contacts[index].is_resting {
                self.remove_contact(index);
            }
        }
        self.scratch.parted = parted;
    }

    /// Lets a pair of a crowd part that was held while it met.
    fn rebound(&mut self, index: u32) {
        if self.contacts[index].manifold.is_some() {
            self.rebound_manifold(index);
            return;
        }
        let met_speed = std::mem::take(&mut self.contacts[index].met_speed);
        let contact = &self.contacts[index];
        if met_speed <= 0.0 || !contact.is_resting {
            return;
        }
        let (a, b, touch) = (contact.mover_a, contact.mover_b, self.touch_at(contact, 0.0));
        if touch.gap > MET * self.movers[a].radius {
            return;
        }
        let k = self.movers[a].inv_mass + self.movers.get_at(b).map_or(0.0, |b| b.inv_mass);
        let speed = contact.restitution * met_speed;
        let missing = max(self.relative_velocity(contact).dot(touch.normal) + speed, 0.0) / k;
        self.report_impact(index, &touch, self.step_length_s, met_speed, (met_speed + speed) / k);
        self.movers[a].strike(touch.normal * -missing, DVec3::ZERO);
        if let Some(b) = self.movers.get_at_mut(b) {
            b.strike(touch.normal * missing, DVec3::ZERO);
        }
    }

    fn finish_contact(&mut self, index: u32) {
        let contact = &mut self.contacts[index];
        let (is_resting, was_resting) = (contact.is_resting, contact.was_resting);
        contact.was_resting = is_resting;
        if !is_resting {
            contact.load = Load::default();
        }
        if is_resting != was_resting {
            let event = self.contact_event(self.contacts[index].body_a, self.contacts[index].body_b);
            let list = if is_resting { &mut self.log.contact_begin } else { &mut self.log.contact_end };
            list.extend(event);
        }
        if !self.is_contact_active(&self.contacts[index]) {
            return;
        }
        if is_resting {
            self.undo_overlap(index);
        } else if !self.is_contact_near(index) {
            self.remove_contact(index);
        }
    }

    fn is_contact_near(&self, index: u32) -> bool {
        let contact = &self.contacts[index];
        match self.movers.get_at(contact.mover_b) {
            Some(b) => self.movers[contact.mover_a].fat_aabb.overlaps(&b.fat_aabb),
            None => self.is_near(contact.mover_a, contact.body_b),
        }
    }

    /// Moves resting bodies apart that have sunk into each other, without giving them speed.
    fn undo_overlap(&mut self, index: u32) {
        if self.contacts[index].manifold.is_some() {
            self.undo_manifold_overlap(index, UNDONE_PER_STEP);
            return;
        }
        let contact = &self.contacts[index];
        let touch = self.touch_at(contact, 0.0);
        let slop =
            if self.movers[contact.mover_a].flows { CROWD_SLOP * self.movers[contact.mover_a].radius } else { 0.0 };
        let excess = -touch.gap - max(contact.allowed_overlap, slop);
        if excess <= 0.0 {
            return;
        }
        let (a, b) = (contact.mover_a, contact.mover_b);
        let inverse_a = self.movers[a].inv_mass;
        let inverse_b = self.movers.get_at(b).map_or(0.0, |b| b.inv_mass);
        let way = touch.normal * (UNDONE_PER_STEP * excess / (inverse_a + inverse_b));
        self.movers[a].state.position -= way * inverse_a;
        if b != NONE && self.movers[b].is_awake() {
            self.movers[b].state.position += way * inverse_b;
        }
    }

    /// Puts bodies aside whose numbers went out of range.
    fn freeze_broken(&mut self) {
        // Impacts at the end of a step and overlaps that were undone may take a body out of range as well.
        let is_broken = |&mover: &u32| self.movers[mover].is_broken || !self.movers[mover].state.is_sound();
        let broken: Vec<u32> = self.awake.iter().copied().filter(is_broken).collect();
        for mover in broken {
            let body = self.movers[mover].body;
            self.remove_contacts_of(body);
            self.awake.retain(|&other| other != mover);
            let record = &mut self.movers[mover];
            record.activity = Activity::Frozen;
            let at_rest = |state| BodyState { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..state };
            record.state = at_rest(record.state);
            if !record.state.is_sound() {
                // Where its path began.
                let (position, orientation) = (record.path.points[0], record.end.orientation);
                record.state = at_rest(BodyState { position, orientation, ..record.end });
            }
            record.end = record.state;
            record.set_immovable();
            self.mover_tree.remove(record.proxy);
            self.log.body_frozen.extend(self.bodies.id_at(body));
        }
    }
}
