//! What must hold of things that were read before they become a world: every index, list and range.

use super::Staged;
use crate::body::{Activity, NONE, orientation};
use crate::contact::{Contact, Link, pair_key};
use crate::error::{finite, non_negative, point, positive};
use crate::math::{Aabb, Quat};
use crate::shape::Shape;
use carom_core::{SnapshotError, ensure};

/// Whether a box has finite corners in their order.
pub(super) fn is_box(aabb: &Aabb) -> bool {
    let (min, max) = (aabb.min, aabb.max);
    min.is_finite() && max.is_finite() && min.cmple(max).all()
}

fn is_unit(value: Quat) -> bool {
    orientation("", value).is_ok() && (value.length() - 1.0).abs() < 1.0e-12
}

/// Counts how often each index is named, up to once; more is wrong, as is one that is out of range.
fn note_once(is_named: &mut [bool], index: u32, what: &'static str) -> Result<(), SnapshotError> {
    let named = is_named.get_mut(index as usize).filter(|named| !**named);
    *named.ok_or(SnapshotError::Corrupt(what))? = true;
    Ok(())
}

impl Staged {
    /// Fails if the state is none that a world may be in, as far as anything depends on it. Finds what is left out.
    pub(super) fn check(&mut self) -> Result<(), SnapshotError> {
        let is_time = |time: f64| time >= 0.0 && time.is_finite();
        ensure(is_time(self.time_s) && is_time(self.step_length_s) && self.step_length_s <= 1.0, "the time")?;
        // A hair of time may have been lent.
        let is_pending = (-1.0..f64::MAX).contains(&self.clock.pending_s);
        ensure(is_pending && (0.0..=1.0).contains(&self.clock.alpha), "the clock")?;
        // Searched by halving.
        ensure(self.clock.before.is_sorted_by(|(a, ..), (b, ..)| a.index() < b.index()), "the clock")?;
        ensure(self.clock.owed.is_sorted_by(|a, b| a.mover < b.mover) && self.clock.frame.is_empty(), "the clock")?;
        self.check_bodies()?;
        self.check_movers()?;
        self.check_activities()?;
        self.check_springs()?;
        self.check_contacts()
    }

    fn check_bodies(&self) -> Result<(), SnapshotError> {
        let (mut boxes, mut planes) = (0, vec![false; self.bodies.slot_count()]);
        for &plane in &self.planes {
            note_once(&mut planes, plane, "the list of planes")?;
        }
        for (id, body) in self.bodies.iter() {
            ensure(point("", body.position).is_ok() && is_unit(body.orientation), "the pose of a body")?;
            ensure(body.material.validate().is_ok(), "the surface of a body")?;
            let is_plane = matches!(body.shape, Shape::Plane { .. });
            ensure(planes[id.index() as usize] == is_plane, "the list of planes")?;
            if body.mover != NONE {
                let is_own = self.movers.get_at(body.mover).is_some_and(|mover| mover.body == id.index());
                ensure(is_own && body.shape.is_solid() && body.fixed_proxy == NONE, "the moving part of a body")?;
            } else if is_plane {
                ensure(body.fixed_proxy == NONE, "the box of a plane")?;
            } else {
                ensure(self.fixed_tree.leaf(body.fixed_proxy) == Some(id.index()), "the box of a body")?;
                boxes += 1;
            }
        }
        ensure(self.planes.iter().all(|&plane| self.bodies.get_at(plane).is_some()), "the list of planes")?;
        ensure(boxes == self.fixed_tree.len(), "the boxes of bodies")
    }

    fn check_movers(&mut self) -> Result<(), SnapshotError> {
        let Staged { bodies, movers, mover_tree, .. } = self;
        let mut boxes = 0;
        for (id, mover) in movers.iter_mut() {
            let body = bodies.get_at(mover.body).filter(|body| body.mover == id.index());
            let body = body.ok_or(SnapshotError::Corrupt("the body of a moving part"))?;
            ensure(mover.state.is_sound() && is_unit(mover.state.orientation), "the state of a body")?;
            ensure(mover.mass == f64::INFINITY || positive("", mover.mass).is_ok(), "the mass of a body")?;
            let dampings = [mover.linear_damping, mover.angular_damping];
            let is_damped = dampings.iter().all(|&damping| non_negative("", damping).is_ok());
            ensure(is_damped && finite("", mover.gravity_scale).is_ok(), "the damping of a body")?;
            ensure(is_box(&mover.fat_aabb) && mover.sleep_time_s >= 0.0, "the box of a body")?;
            if mover.activity != Activity::Frozen {
                ensure(mover_tree.leaf(mover.proxy) == Some(id.index()), "the box of a body")?;
                boxes += 1;
            }
            mover.complete(&body.shape);
        }
        ensure(boxes == mover_tree.len(), "the boxes of bodies")
    }

    fn check_activities(&self) -> Result<(), SnapshotError> {
        let mut is_listed = vec![false; self.movers.slot_count()];
        let wrong = "who is awake";
        for &mover in &self.awake {
            note_once(&mut is_listed, mover, wrong)?;
            ensure(self.movers.get_at(mover).is_some_and(|mover| mover.is_awake()), wrong)?;
        }
        let mut is_free = vec![false; self.sleeping.len()];
        for &group in &self.free_groups {
            note_once(&mut is_free, group, "the free groups")?;
        }
        for (group, members) in self.sleeping.iter().enumerate() {
            ensure(is_free[group] == members.is_empty(), "the free groups")?;
            let asleep = Activity::Asleep { group: group as u32 };
            for &mover in members {
                note_once(&mut is_listed, mover, wrong)?;
                ensure(self.movers.get_at(mover).is_some_and(|mover| mover.activity == asleep), wrong)?;
            }
        }
        let is_complete = |(id, frozen): (u32, bool)| is_listed[id as usize] != frozen;
        let all = self.movers.iter().map(|(id, mover)| (id.index(), mover.activity == Activity::Frozen));
        ensure(all.into_iter().all(is_complete), wrong)
    }

    fn check_springs(&self) -> Result<(), SnapshotError> {
        for (_, spring) in self.springs.iter() {
            let def = &spring.def;
            ensure(def.validate().is_ok() && def.bodies[0] != def.bodies[1], "a spring")?;
            ensure(def.bodies.iter().all(|&body| self.bodies.contains(body)), "the bodies of a spring")?;
        }
        // Each end is on the list of its body, once.
        let mut is_named = [(); 2].map(|()| vec![false; self.springs.slot_count()]);
        let mut ends = 0;
        for (id, body) in self.bodies.iter() {
            for &spring in &body.springs {
                let bodies = self.springs.get_at(spring).map(|spring| spring.def.bodies);
                let end = bodies.and_then(|bodies| bodies.iter().position(|&other| other == id));
                let end = end.ok_or(SnapshotError::Corrupt("the springs of a body"))?;
                note_once(&mut is_named[end], spring, "the springs of a body")?;
                ends += 1;
            }
        }
        ensure(ends == 2 * self.springs.len(), "the springs of bodies")
    }

    fn check_contacts(&mut self) -> Result<(), SnapshotError> {
        let nothing = Link { mover_a: NONE, mover_b: NONE, is_resting: false, is_solid: false };
        self.links.resize(self.contacts.slot_count(), nothing);
        let mut is_listed = vec![false; self.contacts.slot_count()];
        for &contact in &self.resting {
            note_once(&mut is_listed, contact, "the resting contacts")?;
        }
        let Staged { bodies, movers, contacts, links, pairs, .. } = self;
        let mut ends = 0;
        for (id, contact) in contacts.iter_mut() {
            let both = [contact.body_a, contact.body_b].map(|body| bodies.get_at(body));
            let [Some(a), Some(b)] = both else { return Err(SnapshotError::Corrupt("the bodies of a contact")) };
            let is_ordered = a.mover != NONE
                && contact.body_a != contact.body_b
                && (b.mover == NONE || contact.body_a < contact.body_b);
            ensure(is_ordered, "the bodies of a contact")?;
            (contact.mover_a, contact.mover_b) = (a.mover, b.mover);
            ensure(
                contact.manifold.is_some() == crate::manifold::meet_in_points(&a.shape, &b.shape),
                "the points of a contact",
            )?;
            ensure(contact.is_listed || !contact.is_resting, "a resting contact")?;
            ensure(!contact.is_listed || is_listed[id.index() as usize], "the resting contacts")?;
            let [one, two] = pair_key(contact.mover_a, contact.mover_b, contact.body_b);
            ensure(pairs.insert(one, two, 0), "the pair of a contact")?;
            let Contact { mover_a, mover_b, is_resting, .. } = *contact;
            links[id.index() as usize] = Link { mover_a, mover_b, is_resting, is_solid: contact.manifold.is_some() };
            ends += if mover_b == NONE { 1 } else { 2 };
        }
        // Each end is on the list of its mover, once.
        let mut is_named = [vec![false; links.len()], vec![false; links.len()]];
        for (id, mover) in movers.iter() {
            for &contact in &mover.contacts {
                let link = links.get(contact as usize).ok_or(SnapshotError::Corrupt("the contacts of a body"))?;
                let end = if link.mover_a == id.index() { 0 } else { 1 };
                let is_own = [link.mover_a, link.mover_b][end] == id.index() && link.mover_a != NONE;
                ensure(is_own && mover.activity != Activity::Frozen, "the contacts of a body")?;
                note_once(&mut is_named[end], contact, "the contacts of a body")?;
                ends = usize::checked_sub(ends, 1).ok_or(SnapshotError::Corrupt("the contacts of bodies"))?;
            }
        }
        ensure(ends == 0, "the contacts of bodies")
    }
}
