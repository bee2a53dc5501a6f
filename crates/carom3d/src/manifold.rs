//! Contacts of bodies that are not both round: up to four points, each with a load of its own.
//!
//! What flies meets at its time of impact, which conservative advancement finds: two bodies cannot touch before they
//! have covered what is between them at the greatest speed that any of their points may have (Mirtich, Impulse-based
//! Dynamic Simulation of Rigid Body Systems, 1996).
//!
//! What touches already, and what was hit too often in one step, is held instead: its points are found at the start of
//! the step, with their gaps, and each is kept from closing faster than its gap allows. What would meet within the step
//! is stopped at the surface, and parts by its restitution when the step is over.

use crate::body::{BodyState, Mover, NONE};
use crate::collide::core::Core;
use crate::collide::meet::{self, Axis, MOST_POINTS, Meeting};
use crate::collide::touch::Touch;
use crate::contact::Contact;
use crate::held_point::HeldPoint;
use crate::integrate::turned_after;
use crate::material::ImpactLaw;
use crate::math::{DVec3, Quat, max, min};
use crate::shape::Shape;
use crate::world::World;

/// Points this near, as a fraction of the radius of the first body, are the same as in the last step.
const SAME_POINT: f64 = 0.1;
/// Rounds over the points of a contact in which its bodies part.
const REBOUND_ROUNDS: u32 = 8;
/// Rounds over the points of an impact.
const IMPACT_ROUNDS: u32 = 64;
/// Bodies nearer than this fraction of the radius have met, and points this much farther apart than the nearest meet with
/// it.
const MET: f64 = 1.0e-6;
const MET_TOO: f64 = 1.0e-4;
/// How far bodies that touch are followed at a time, as a fraction of the radius: twice as far each time, up to a limit.
const SINKING: f64 = 1.0e-4;
const MOST_SINKING: f64 = 1.0e-2;
/// Most advances towards a time of impact.
const MOST_ADVANCES: u32 = 128;

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
    pub(crate) local: DVec3,
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

/// What an impact adds to the velocities of its two bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    velocities: [DVec3; 2],
    spins: [DVec3; 2],
}

/// A point of an impact. Symbols as in `held_point.rs`.
#[derive(Clone, Copy, Debug, Default)]
struct PointImpact {
    /// `n`, `t_1` and `t_2`.
    directions: [DVec3; 3],
    /// `r x d` and `I^-1 (r x d)` for each body and direction.
    crosses: [[DVec3; 3]; 2],
    turns: [[DVec3; 3]; 2],
    /// `k` for each direction.
    k: [f64; 3],
    /// Speeds of approach and slip before the impact.
    before: [f64; 3],
    /// As the second body feels them.
    impulses: [f64; 3],
}

impl PointImpact {
    fn new(bodies: [Option<&Mover>; 2], directions: [DVec3; 3], arms: [DVec3; 2]) -> PointImpact {
        let mut impact = PointImpact { directions, ..PointImpact::default() };
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(mover) = bodies[side] else { continue };
            for (i, &direction) in directions.iter().enumerate() {
                let cross = arms[side].cross(direction);
                let turn = mover.inertia.respond(mover.state.orientation, cross);
                impact.crosses[side][i] = cross;
                impact.turns[side][i] = turn;
                impact.k[i] += mover.inv_mass + cross.dot(turn);
                impact.before[i] += sign * mover.state.velocity_at(arms[side]).dot(direction);
            }
        }
        impact
    }

    fn speed(&self, i: usize, change: &Change) -> f64 {
        let ([v_a, v_b], [w_a, w_b]) = (change.velocities, change.spins);
        self.before[i] + (v_a - v_b).dot(self.directions[i]) + self.crosses[0][i].dot(w_a) - self.crosses[1][i].dot(w_b)
    }

    /// Brings the speeds to what restitution and friction want of them, as far as the other points left it to do.
    fn correct(&mut self, change: &mut Change, bodies: [Option<&Mover>; 2], restitution: f64, friction: f64) {
        let wanted = -restitution * max(self.before[0], 0.0);
        let normal = max(self.impulses[0] + (self.speed(0, change) - wanted) / self.k[0], 0.0);
        self.give(0, normal - self.impulses[0], change, bodies);
        let along = [1, 2].map(|i| self.impulses[i] + self.speed(i, change) / self.k[i]);
        let (limit, length) = (friction * normal, (along[0] * along[0] + along[1] * along[1]).sqrt());
        let part = if length > limit { limit / length } else { 1.0 };
        for i in [1, 2] {
            self.give(i, along[i - 1] * part - self.impulses[i], change, bodies);
        }
    }

    fn give(&mut self, i: usize, impulse: f64, change: &mut Change, bodies: [Option<&Mover>; 2]) {
        self.impulses[i] += impulse;
        for (side, impulse) in [(0, -impulse), (1, impulse)] {
            let inv_mass = bodies[side].map_or(0.0, |mover| mover.inv_mass);
            change.velocities[side] += self.directions[i] * (impulse * inv_mass);
            change.spins[side] += self.turns[side][i] * impulse;
        }
    }

    /// The part of the impulses, at most all, by which no energy is gained.
    fn share_without_gain(impacts: &[PointImpact], change: &Change) -> f64 {
        // A part `s` of them takes `s J . u_before - s^2/2 J . (u_before - u_after)`.
        let (mut taken, mut given) = (0.0, 0.0);
        for impact in impacts {
            for i in 0..3 {
                taken += impact.impulses[i] * impact.before[i];
                given += 0.5 * impact.impulses[i] * (impact.before[i] - impact.speed(i, change));
            }
        }
        if given > taken && taken > 0.0 { taken / given } else { 1.0 }
    }
}

/// Whether two shapes, the first of which can move, meet in points: unless the first is a ball and the second a ball, a plane
/// or a triangle.
pub(crate) fn meet_in_points(a: &Shape, b: &Shape) -> bool {
    let is_ball = |shape: &Shape| matches!(shape, Shape::Sphere { .. });
    let is_flat = |shape: &Shape| matches!(shape, Shape::Plane { .. } | Shape::Triangle { .. });
    !(is_ball(a) && (is_ball(b) || is_flat(b)))
}

impl World {
    /// Whether two bodies meet in points: all pairs but spheres with spheres, planes and triangles.
    pub(crate) fn needs_manifold(&self, body_a: u32, body_b: u32) -> bool {
        meet_in_points(&self.bodies[body_a].shape, &self.bodies[body_b].shape)
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
        (position, turned_after(mover, later_s))
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
        let flies = !contact.is_resting && self.may_fly(contact);
        let mut rests = false;
        for i in 0..manifold.count {
            let approach = self.approach_at(contact, &manifold.points[i], manifold.normal);
            let point = &mut manifold.points[i];
            let is_slow = approach <= rest_speed && (!flies || approach >= -rest_speed);
            if point.gap <= reach && is_slow {
                rests = true;
            } else if point.gap <= reach + max(approach, 0.0) * left_s && !flies {
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

    /// Whether a pair meets at its time of impact. Not if one of the two was hit so often in this step that impacts might
    /// follow each other without end.
    fn may_fly(&self, contact: &Contact) -> bool {
        let is_free = |mover: &Mover| mover.impacts_beyond_allowed() <= 0.0;
        is_free(&self.movers[contact.mover_a]) && self.movers.get_at(contact.mover_b).is_none_or(is_free)
    }

    /// When two bodies meet that fly, as a fraction of the time from `from_s` to the end of the step.
    pub(crate) fn manifold_impact(&self, contact: &Contact, from_s: f64) -> Option<f64> {
        if !self.may_fly(contact) {
            return None;
        }
        let left_s = self.step_length_s - from_s;
        let path = self.path_from(contact.mover_a, from_s);
        let relative = match contact.mover_b {
            NONE => path,
            b => path.minus(&self.path_from(b, from_s)),
        };
        let turning = self.turning_bound(contact.mover_a) + self.turning_bound(contact.mover_b);
        let radius = self.movers[contact.mover_a].radius;
        let (near, mut sinking) = (MET * radius, SINKING * radius);
        let mut u = 0.0;
        for _ in 0..MOST_ADVANCES {
            let time_s = from_s + u * left_s;
            let axis = self.separation_at(contact, time_s);
            if axis.separation <= near && self.is_approaching(contact, time_s) {
                return Some(u);
            }
            // A curve is nowhere faster along the axis than the fastest leg of its control points.
            let rest = relative.after(u);
            let leg = |i: usize| (rest.points[i + 1] - rest.points[i]).dot(axis.normal);
            let closing = 3.0 * max(leg(0), max(leg(1), leg(2))) / (1.0 - u) + turning * left_s;
            // Two that touch and part, or slide, may meet again elsewhere: so they are followed in small steps.
            let (way, closing) = if axis.separation > near {
                (axis.separation, closing)
            } else {
                sinking = min(2.0 * sinking, MOST_SINKING * radius);
                (sinking, relative.length_bound() + turning * left_s)
            };
            if closing <= 0.0 {
                return None;
            }
            u += way / closing;
            if u >= 1.0 || u.is_nan() {
                return None;
            }
        }
        Some(u)
    }

    /// No point of a body gets faster than this by turning, in m/s. A body that tumbles keeps its energy `E` and not its
    /// angular velocity: about an axis with the moment `I` it is at most `sqrt(2 E / I)`.
    fn turning_bound(&self, mover: u32) -> f64 {
        let Some(mover) = self.movers.get_at(mover).filter(|mover| mover.is_awake()) else { return 0.0 };
        let state = &mover.state;
        let steady = mover.radius * state.angular_velocity.length();
        if mover.inertia.is_round() || mover.is_kinematic() {
            return steady;
        }
        let extent = match self.bodies[mover.body].shape {
            Shape::Cuboid { half_extents } => half_extents,
            Shape::Capsule { half_length, radius } => DVec3::new(radius, half_length + radius, radius),
            _ => DVec3::splat(mover.radius),
        };
        let squares = extent * extent;
        let from_axis = DVec3::splat(squares.x + squares.y + squares.z) - squares;
        let moments = mover.inertia.moments();
        let energy = mover.inertia.momentum(state.orientation, state.angular_velocity).dot(state.angular_velocity);
        (0..3).map(|axis| (energy / moments[axis] * from_axis[axis]).sqrt()).sum()
    }

    /// The points of a contact that meet with the nearest, at a time of the step.
    fn meet_nearest(&self, contact: &Contact, time_s: f64) -> Meeting {
        let slop = MET_TOO * self.movers[contact.mover_a].radius;
        let apart = max(self.separation_at(contact, time_s).separation, 0.0);
        let meeting = self.meet_at(contact, time_s, apart + slop);
        if meeting.count > 0 {
            return meeting;
        }
        // Points are cut to the face they lie on, and may all be farther away than the bodies are.
        let nearest = self.deepest_at(contact, time_s).gap;
        self.meet_at(contact, time_s, nearest + slop)
    }

    /// Whether the bodies of a contact approach each other in one of the points where they are nearest, at a time of the
    /// step.
    fn is_approaching(&self, contact: &Contact, time_s: f64) -> bool {
        let meeting = self.meet_nearest(contact, time_s);
        let velocity_of = |mover: u32, point: DVec3| {
            self.movers.get_at(mover).map_or(DVec3::ZERO, |record| {
                let arm = point - self.position_at(mover, time_s);
                record.velocity_at_time(time_s, self.step_length_s) + record.state.angular_velocity.cross(arm)
            })
        };
        meeting.points().iter().any(|point| {
            let relative = velocity_of(contact.mover_a, point.point) - velocity_of(contact.mover_b, point.point);
            relative.dot(meeting.normal) > contact.rest_speed
        })
    }

    /// How the bodies of a contact are apart at a time of the step.
    fn separation_at(&self, contact: &Contact, time_s: f64) -> Axis {
        let core_of = |body: u32| {
            let (position, orientation) = self.pose_at(body, time_s);
            Core::of(&self.bodies[body].shape, position, orientation)
        };
        let plane = &self.bodies[contact.body_b];
        match (core_of(contact.body_a), core_of(contact.body_b)) {
            (Some(a), Some(b)) => meet::separation(&a, &b),
            (Some(a), None) => meet::separation_from_plane(&a, plane.position, plane.normal),
            // The first body of a contact can move, so it has a core.
            (None, _) => Axis { normal: DVec3::Y, separation: f64::INFINITY },
        }
    }

    /// Changes velocities at an impact of two bodies that were brought to its time: in every point that meets, along the
    /// normal by restitution and along the surface by friction.
    ///
    /// With `J` all impulses and `u` the speeds of approach and slip, the energy changes by `-J . (u_before + u_after) / 2`.
    /// Restitution together with friction can come to a gain, by the letter (Kane, 1984): all impulses are then made
    /// smaller until there is none.
    pub(crate) fn collide_manifold(&mut self, index: u32, time_s: f64) {
        let contact = self.contacts[index].without_points();
        let meeting = self.meet_nearest(&contact, time_s);
        let centers = [contact.body_a, contact.body_b].map(|body| self.pose_at(body, time_s).0);
        let (restitution, keep) = match self.def.impact_law {
            ImpactLaw::Restitution => (contact.restitution, 1.0),
            ImpactLaw::WholeVelocity { damping } => (1.0, 1.0 - damping),
        };
        let bodies = [self.movers.get_at(contact.mover_a), self.movers.get_at(contact.mover_b)];
        let directions = HeldPoint::directions(meeting.normal);
        let mut impacts = [PointImpact::default(); MOST_POINTS];
        let mut count = 0;
        let mut touch = Touch { normal: meeting.normal, ..contact.touch };
        for point in meeting.points() {
            let arms = centers.map(|center| point.point - center);
            impacts[count] = PointImpact::new(bodies, directions, arms);
            if count == 0 || impacts[count].before[0] > impacts[0].before[0] {
                touch.point = point.point;
            }
            count += 1;
        }
        let fastest = impacts[..count].iter().fold(0.0, |fastest, impact| max(fastest, impact.before[0]));
        if fastest <= contact.rest_speed {
            return;
        }
        let mut change = Change::default();
        for _ in 0..IMPACT_ROUNDS {
            for impact in &mut impacts[..count] {
                impact.correct(&mut change, bodies, restitution, contact.friction);
            }
        }
        let share = PointImpact::share_without_gain(&impacts[..count], &change);
        for (mover, side) in [(contact.mover_a, 0), (contact.mover_b, 1)] {
            if let Some(mover) = self.movers.get_at_mut(mover) {
                mover.state.velocity += change.velocities[side] * share;
                mover.state.angular_velocity += change.spins[side] * share;
                if !mover.is_kinematic() {
                    mover.state.velocity *= keep;
                }
            }
        }
        let total = impacts[..count].iter().map(|impact| impact.impulses[0]).sum::<f64>() * share;
        self.report_impact(index, &touch, time_s, fastest, total);
    }

    /// Replaces what one manifold does to its bodies by what another does, for the rest of the step.
    pub(crate) fn change_wrenches(&mut self, [a, b]: [u32; 2], old: &Manifold, new: &Manifold, left_s: f64) {
        let ((old_force, old_a, old_b), (force, torque_a, torque_b)) = (old.wrenches(), new.wrenches());
        self.movers[a].push(old_force - force, torque_a - old_a, left_s);
        if let Some(b) = self.movers.get_at_mut(b) {
            b.push(force - old_force, torque_b - old_b, left_s);
        }
    }

    /// Lets the forces between two bodies that rest on each other follow them through the step.
    ///
    /// A force `F` and its torques are constant while the centres, on which they act, move on: as if the points of contact
    /// had stayed behind. With `d` the ways of the centres this changes the angular momentum of the two together by
    /// `integral (d_b - d_a) x F dt`, which is taken back.
    pub(crate) fn follow_forces(&mut self, index: u32) {
        // It may be gone.
        let Some(contact) = self.contacts.get_at(index).filter(|contact| contact.is_resting) else { return };
        let (Some(manifold), true) = (contact.manifold.as_deref(), self.are_by_themselves(contact)) else { return };
        let ((force, _, _), [a, b]) = (manifold.wrenches(), [contact.mover_a, contact.mover_b]);
        let way_over_time = |mover: u32| {
            let mover = &self.movers[mover];
            (mover.path.mean() - mover.path.points[0]) * (self.step_length_s - mover.clock_s)
        };
        let turning = (way_over_time(a) - way_over_time(b)).cross(force);
        let calmed = self.calmed_by(turning, [a, b]);
        let mover = &mut self.movers[calmed];
        mover.end.angular_velocity += mover.inertia.respond(mover.end.orientation, turning);
    }

    /// Whether both bodies of a contact can move and nothing but each other, and other bodies like them, acts on them: then
    /// they have an angular momentum to keep. In a stack, which the floor holds up, there is none to keep, and doing so
    /// would only rock it.
    fn are_by_themselves(&self, contact: &Contact) -> bool {
        let is_free = |mover: &Mover| mover.is_awake() && !mover.is_kinematic() && mover.rest_speed == 0.0;
        is_free(&self.movers[contact.mover_a]) && self.movers.get_at(contact.mover_b).is_some_and(is_free)
    }

    /// That of two movers to which an angular impulse gives less energy, or from which it takes more.
    fn calmed_by(&self, turning: DVec3, [a, b]: [u32; 2]) -> u32 {
        let given = |mover: u32| self.movers[mover].state.angular_velocity.dot(turning);
        if given(a) <= given(b) { a } else { b }
    }

    /// The speed at which the bodies approach in a point, by their states.
    pub(crate) fn approach_at(&self, contact: &Contact, point: &ManifoldPoint, normal: DVec3) -> f64 {
        let velocity_of = |mover: u32, arm: DVec3| {
            self.movers.get_at(mover).map_or(DVec3::ZERO, |mover| mover.state.velocity_at(arm))
        };
        let [arm_a, arm_b] = point.arms;
        (velocity_of(contact.mover_a, arm_a) - velocity_of(contact.mover_b, arm_b)).dot(normal)
    }

    /// Whether bodies that rest on each other in points, by their states, now run into each other.
    pub(crate) fn is_run_into(&self, index: u32) -> bool {
        let contact = &self.contacts[index];
        let Some(manifold) = contact.manifold.as_deref().filter(|_| contact.is_resting) else { return false };
        let reach = self.rest_reach(contact);
        let is_run_into = |point: &ManifoldPoint| {
            point.gap <= reach && self.approach_at(contact, point, manifold.normal) > contact.rest_speed
        };
        manifold.points().iter().any(is_run_into)
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
        let contact = self.contacts[index].without_points();
        let Some(mut manifold) = self.contacts[index].manifold.as_deref().copied() else { return };
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
    /// them speed. What that changes of their angular momentum, if they have one to keep, is taken back.
    pub(crate) fn undo_manifold_overlap(&mut self, index: u32, part: f64) {
        let contact = self.contacts[index].without_points();
        let meeting = self.meet_at(&contact, 0.0, 0.0);
        let center_of = |world: &World, body: u32| world.pose_at(body, 0.0).0;
        let centers = [center_of(self, contact.body_a), center_of(self, contact.body_b)];
        let before = self.angular_momentum_of_pair(&contact, centers[0]);
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
        if self.are_by_themselves(&contact) {
            let turning = before - self.angular_momentum_of_pair(&contact, centers[0]);
            let calmed = self.calmed_by(turning, [contact.mover_a, contact.mover_b]);
            self.movers[calmed].strike(DVec3::ZERO, turning);
        }
    }

    /// Of what can move of two bodies, about a point.
    fn angular_momentum_of_pair(&self, contact: &Contact, about: DVec3) -> DVec3 {
        let of_mover = |mover: u32| {
            let Some(mover) = self.movers.get_at(mover) else { return DVec3::ZERO };
            let BodyState { position, orientation, velocity, angular_velocity } = mover.state;
            let spin = mover.inertia.momentum(orientation, angular_velocity);
            (position - about).cross(velocity) * mover.mass + spin
        };
        of_mover(contact.mover_a) + of_mover(contact.mover_b)
    }
}
