//! Contacts of bodies that are not both round: up to four points, each with a load of its own.
//!
//! Such a pair has no time of impact. Its points are found at the start of the step, with their gaps, and each is kept
//! from closing faster than its gap allows: what would meet within the step is stopped at the surface, and parts by its
//! restitution when the step is over.

use crate::body::{Mover, NONE};
use crate::collide::core::Core;
use crate::collide::meet::{self, MOST_POINTS, Meeting};
use crate::collide::touch::Touch;
use crate::contact::Contact;
use crate::math::{DVec3, Quat, max, min};
use crate::shape::Shape;
use crate::world::World;

/// Points this near, as a fraction of the radius of the first body, are the same as in the last step.
const SAME_POINT: f64 = 0.1;
/// Rounds over the points of a contact in which its bodies part.
const REBOUND_ROUNDS: u32 = 8;

/// The points of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manifold {
    /// From the first body to the second.
    pub(crate) normal: DVec3,
    pub(crate) points: [ManifoldPoint; MOST_POINTS],
    pub(crate) count: usize,
}

/// One of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ManifoldPoint {
    /// From the centres of the two bodies to the point.
    pub(crate) arms: [DVec3; 2],
    /// The point in coordinates of the first body, by which it is known again.
    local: DVec3,
    pub(crate) gap: f64,
    /// Force along the normal in N, as the second body feels it.
    pub(crate) normal_load: f64,
    /// Force along the surface in N, as the second body feels it.
    pub(crate) friction_load: DVec3,
    /// The speed of approach of a point that is held while it meets.
    pub(crate) met_speed: f64,
}

impl Manifold {
    pub(crate) fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// The force on the second body, and the torques on the first and the second.
    pub(crate) fn wrenches(&self) -> (DVec3, DVec3, DVec3) {
        let mut sums = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for point in self.points() {
            let force = self.normal * point.normal_load + point.friction_load;
            sums.0 += force;
            sums.1 -= point.arms[0].cross(force);
            sums.2 += point.arms[1].cross(force);
        }
        sums
    }

    /// Takes over the loads of points that were there before.
    fn remember(&mut self, old: &Manifold, reach: f64) {
        let mut is_taken = [false; MOST_POINTS];
        for point in &mut self.points[..self.count] {
            let mut nearest = (reach * reach, MOST_POINTS);
            for (i, before) in old.points().iter().enumerate() {
                let distance = (before.local - point.local).length_squared();
                if !is_taken[i] && distance <= nearest.0 {
                    nearest = (distance, i);
                }
            }
            if let Some(before) = old.points().get(nearest.1) {
                is_taken[nearest.1] = true;
                point.normal_load = before.normal_load;
                point.friction_load = before.friction_load - self.normal * before.friction_load.dot(self.normal);
                point.met_speed = before.met_speed;
            }
        }
    }
}

impl World {
    /// Whether two bodies meet in points: all pairs but spheres with spheres, planes and triangles.
    pub(crate) fn needs_manifold(&self, body_a: u32, body_b: u32) -> bool {
        let is_ball = |shape: &Shape| matches!(shape, Shape::Sphere { .. });
        let is_flat = |shape: &Shape| matches!(shape, Shape::Plane { .. } | Shape::Triangle { .. });
        let (a, b) = (&self.bodies[body_a].shape, &self.bodies[body_b].shape);
        !(is_ball(a) && (is_ball(b) || is_flat(b)))
    }

    /// Position and orientation of a body at a time of the step, not before its clock.
    fn pose_at(&self, body: u32, time_s: f64) -> (DVec3, Quat) {
        let record = &self.bodies[body];
        let Some(mover) = self.movers.get_at(record.mover) else { return (record.position, record.orientation) };
        let position = self.position_at(record.mover, time_s);
        let later_s = time_s - mover.clock_s;
        if later_s <= 0.0 || !mover.is_awake() || mover.inertia.is_round() {
            return (position, mover.state.orientation);
        }
        let theta = mover.state.angular_velocity * later_s;
        (position, Quat::from_rotation_vector(theta).compose(mover.state.orientation).normalized())
    }

    /// How the bodies of a contact face each other at a time of the step. Points farther apart than `reach` are left out.
    fn meet_at(&self, contact: &Contact, time_s: f64, reach: f64) -> Meeting {
        let core_of = |body: u32| {
            let (position, orientation) = self.pose_at(body, time_s);
            Core::of(&self.bodies[body].shape, position, orientation)
        };
        let (a, b) = (core_of(contact.body_a), core_of(contact.body_b));
        let plane = &self.bodies[contact.body_b];
        match (a, b) {
            (Some(a), Some(b)) => meet::cores(&a, &b, reach),
            (Some(a), None) => meet::with_plane(&a, plane.position, plane.normal, reach),
            // The first body of a contact can move, so it has a core.
            (None, _) => Meeting { normal: DVec3::Y, points: [Default::default(); MOST_POINTS], count: 0 },
        }
    }

    /// The nearest of the points of a contact at a time of the step.
    pub(crate) fn deepest_at(&self, contact: &Contact, time_s: f64) -> Touch {
        let meeting = self.meet_at(contact, time_s, f64::INFINITY);
        let mut touch = Touch {
            normal: meeting.normal,
            gap: f64::INFINITY,
            point: self.position_at(contact.mover_a, time_s),
            is_flat: true,
        };
        for point in meeting.points() {
            if point.gap < touch.gap {
                (touch.gap, touch.point) = (point.gap, point.point);
            }
        }
        touch
    }

    /// How far apart points may be that can meet in what is left of the step.
    fn manifold_reach(&self, contact: &Contact) -> f64 {
        let reach_of =
            |mover: &Mover| mover.reach + mover.radius * mover.state.angular_velocity.length() * self.step_length_s;
        let b = self.movers.get_at(contact.mover_b).map_or(0.0, reach_of);
        self.rest_reach(contact) + reach_of(&self.movers[contact.mover_a]) + b
    }

    /// Finds the points of a contact at a time to which its bodies were brought, which of them meet, and whether any
    /// carries a load. Changes in what they carry act from then on.
    pub(crate) fn classify_manifold(&mut self, index: u32, time_s: f64) -> bool {
        let contact = &self.contacts[index];
        let Some(old) = contact.manifold.as_deref().copied() else { return false };
        let meeting = self.meet_at(contact, time_s, self.manifold_reach(contact));
        let (a, radius) = (contact.mover_a, self.movers[contact.mover_a].radius);
        let (center_a, orientation) = self.pose_at(contact.body_a, time_s);
        let center_b = self.pose_at(contact.body_b, time_s).0;
        let mut manifold = Manifold { normal: meeting.normal, count: meeting.count, ..Manifold::default() };
        for (to, from) in manifold.points.iter_mut().zip(meeting.points()) {
            to.arms = [from.point - center_a, from.point - center_b];
            to.local = orientation.inv_rotate(to.arms[0]);
            to.gap = from.gap;
        }
        manifold.remember(&old, SAME_POINT * radius);

        let (reach, rest_speed) = (self.rest_reach(contact), contact.rest_speed);
        let left_s = self.step_length_s - time_s;
        let mut rests = false;
        for i in 0..manifold.count {
            let approach = self.approach_at(contact, &manifold.points[i], manifold.normal);
            let point = &mut manifold.points[i];
            if point.gap <= reach + max(approach, 0.0) * left_s {
                rests = true;
                if approach > rest_speed {
                    point.met_speed = max(point.met_speed, approach);
                }
            }
        }
        if !rests {
            manifold.count = 0;
        }
        let deepest = manifold.points().iter().fold(f64::INFINITY, |deepest, point| min(deepest, point.gap));
        let contact = &mut self.contacts[index];
        let b = contact.mover_b;
        contact.touch = Touch { normal: meeting.normal, gap: deepest, ..contact.touch };
        if let Some(stored) = contact.manifold.as_deref_mut() {
            *stored = manifold;
        }
        self.set_resting(index, rests);
        self.change_wrenches([a, b], &old, &manifold, left_s);
        rests
    }

    /// Replaces what one manifold does to its bodies by what another does, for the rest of the step.
    pub(crate) fn change_wrenches(&mut self, [a, b]: [u32; 2], old: &Manifold, new: &Manifold, left_s: f64) {
        let ((old_force, old_a, old_b), (force, torque_a, torque_b)) = (old.wrenches(), new.wrenches());
        self.movers[a].push(old_force - force, torque_a - old_a, left_s);
        if let Some(b) = self.movers.get_at_mut(b) {
            b.push(force - old_force, torque_b - old_b, left_s);
        }
    }

    /// The speed at which the bodies approach in a point, by their states.
    pub(crate) fn approach_at(&self, contact: &Contact, point: &ManifoldPoint, normal: DVec3) -> f64 {
        let velocity_of = |mover: u32, arm: DVec3| {
            self.movers.get_at(mover).map_or(DVec3::ZERO, |mover| mover.state.velocity_at(arm))
        };
        let [arm_a, arm_b] = point.arms;
        (velocity_of(contact.mover_a, arm_a) - velocity_of(contact.mover_b, arm_b)).dot(normal)
    }

    /// `1/m_a + 1/m_b` and what turning adds to it, for a push along a direction in a point.
    fn yielding_at(&self, contact: &Contact, point: &ManifoldPoint, direction: DVec3) -> f64 {
        let of_mover = |mover: u32, arm: DVec3| {
            self.movers.get_at(mover).map_or(0.0, |mover| {
                let cross = arm.cross(direction);
                mover.inv_mass + cross.dot(mover.inertia.respond(mover.state.orientation, cross))
            })
        };
        of_mover(contact.mover_a, point.arms[0]) + of_mover(contact.mover_b, point.arms[1])
    }

    /// Lets the points of a contact part that were held while they met: each by its restitution, none twice, and in
    /// rounds, since a push in one point moves the others too.
    pub(crate) fn rebound_manifold(&mut self, index: u32) {
        let contact = self.contacts[index].clone();
        let Some(mut manifold) = contact.manifold.as_deref().copied() else { return };
        if let Some(stored) = self.contacts[index].manifold.as_deref_mut() {
            stored.points.iter_mut().for_each(|point| point.met_speed = 0.0);
        }
        let fastest = manifold.points().iter().fold(0.0, |fastest, point| max(fastest, point.met_speed));
        if fastest <= 0.0 || !contact.is_resting {
            return;
        }
        // One point in space for both bodies, where they now are: so the two turn by opposite amounts.
        let from_b_to_a = self.movers[contact.mover_a].state.position - self.pose_at(contact.body_b, 0.0).0;
        for point in &mut manifold.points {
            point.arms[1] = from_b_to_a + point.arms[0];
        }
        let mut impulses = [0.0; MOST_POINTS];
        for _ in 0..REBOUND_ROUNDS {
            for i in 0..manifold.count {
                let point = manifold.points[i];
                if point.met_speed <= 0.0 {
                    continue;
                }
                let wanted = -contact.restitution * point.met_speed;
                let missing = self.approach_at(&contact, &point, manifold.normal) - wanted;
                let k = self.yielding_at(&contact, &point, manifold.normal);
                let total = max(impulses[i] + missing / k, 0.0);
                let impulse = manifold.normal * (total - impulses[i]);
                impulses[i] = total;
                self.strike_pair(&contact, &point, impulse);
            }
        }
        manifold.count = manifold.count.min(MOST_POINTS);
        let (mut total, mut touch) = (0.0, contact.touch);
        for (point, impulse) in manifold.points().iter().zip(impulses) {
            if point.met_speed > 0.0 {
                total += impulse;
                touch.point = self.movers[contact.mover_a].state.position + point.arms[0];
            }
        }
        self.report_impact(index, &touch, self.step_length_s, fastest, total);
    }

    /// Changes the velocities of two bodies by an impulse in a point, as the second feels it.
    fn strike_pair(&mut self, contact: &Contact, point: &ManifoldPoint, impulse: DVec3) {
        for (mover, arm, impulse) in
            [(contact.mover_a, point.arms[0], -impulse), (contact.mover_b, point.arms[1], impulse)]
        {
            if mover != NONE {
                self.movers[mover].strike(impulse, arm.cross(impulse));
            }
        }
    }

    /// Moves and turns resting bodies apart that have sunk into each other, by a part of the overlap, without giving
    /// them speed.
    pub(crate) fn undo_manifold_overlap(&mut self, index: u32, part: f64) {
        let contact = self.contacts[index].clone();
        let meeting = self.meet_at(&contact, 0.0, 0.0);
        let center_of = |world: &World, body: u32| world.pose_at(body, 0.0).0;
        let centers = [center_of(self, contact.body_a), center_of(self, contact.body_b)];
        for found in meeting.points() {
            let excess = -found.gap - contact.allowed_overlap;
            if excess <= 0.0 {
                continue;
            }
            let arms = centers.map(|center| found.point - center);
            let point = ManifoldPoint { arms, ..ManifoldPoint::default() };
            // Corrections of one point help the others: each takes its share.
            let share = part / meeting.count as f64;
            let way = share * excess / self.yielding_at(&contact, &point, meeting.normal);
            for (mover, arm, push) in
                [(contact.mover_a, arms[0], meeting.normal * -way), (contact.mover_b, arms[1], meeting.normal * way)]
            {
                if let Some(mover) = self.movers.get_at_mut(mover).filter(|mover| mover.is_awake()) {
                    mover.state.position += push * mover.inv_mass;
                    let turn = mover.inertia.respond(mover.state.orientation, arm.cross(push));
                    if !mover.inertia.is_round() && turn != DVec3::ZERO {
                        let turned = Quat::from_rotation_vector(turn).compose(mover.state.orientation);
                        mover.state.orientation = turned.normalized();
                    }
                }
            }
        }
    }
}
