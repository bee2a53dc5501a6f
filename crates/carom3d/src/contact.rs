//! Contacts: pairs of bodies that are near each other.
//!
//! A contact exists while the fat boxes of its two bodies overlap. It is *resting* while the two stay together: it
//! then carries a force that is constant through the step. Otherwise the two meet, if they do, in impacts.

use crate::body::{Mover, NONE};
use crate::collide::touch::{self, Touch};
use crate::manifold::Manifold;
use crate::material::ImpactLaw;
use crate::math::{DVec3, max, min};
use crate::path::Path;
use crate::shape::Shape;
use crate::world::World;
use std::ops::{Add, Sub};

carom_core::define_id! {
    /// A handle to a contact; never leaves the world.
    pub(crate) struct ContactId;
}

/// Slowest speed in m/s at which an impact is one, whatever the forces: velocities are not known better.
const MIN_REST_SPEED: f64 = 1.0e-10;
/// Overlap of resting bodies that is left alone, as a fraction of the radius.
const OVERLAP_SLOP: f64 = 1.0e-6;
/// After so many impacts too many in one step, what counts as rest is doubled: in a crowd that collapses impacts would
/// follow each other without end.
const IMPACTS_PER_DOUBLING: f64 = 4.0;
/// Bodies that lose nothing in impacts rebound down to speeds that the forces undo in a quarter of a step.
const LOSSLESS_SHARE: f64 = 1.0 / 8.0;

/// Two bodies near each other. The first is always a mover; of two movers, the one whose body has the lower index.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    pub(crate) mover_a: u32,
    /// `NONE` if the second body is fixed.
    pub(crate) mover_b: u32,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    /// Most torque of rolling resistance per normal force, in m.
    pub(crate) rolling: f64,
    /// Changed by [`World::set_resting`] only.
    pub(crate) is_resting: bool,
    /// On the list of contacts that rest or rested in this step.
    pub(crate) is_listed: bool,
    /// The speed below which the two neither rebound nor part, when the contact was last looked at.
    pub(crate) rest_speed: f64,
    /// Both bodies meet so many others that the pair is held at any speed in this step.
    pub(crate) is_crowded: bool,
    /// The speed of approach of a pair that is held while it meets; it parts when the step is over.
    pub(crate) met_speed: f64,
    /// Rested at the end of the last step; begin and end events tell of changes.
    pub(crate) was_resting: bool,
    /// How the bodies faced each other when the contact was last classified.
    pub(crate) touch: Touch,
    /// What it carries while it rests.
    pub(crate) load: Load,
    /// The points of bodies that are not both round.
    pub(crate) manifold: Option<Box<Manifold>>,
    /// Overlap that is left alone: what bodies had when they were put there.
    pub(crate) allowed_overlap: f64,
}

/// What a pass over all contacts looks at first: most pairs turn out to be too far apart without a look at the rest.
/// One per slot of the contacts, by the same index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// `NONE` if there is no such contact.
    pub(crate) mover_a: u32,
    pub(crate) mover_b: u32,
    /// A copy of [`Contact::is_resting`].
    pub(crate) is_resting: bool,
    /// The two meet in points: not both are round.
    pub(crate) is_solid: bool,
}

impl Contact {
    /// Takes note of how the bodies face each other, of whether they rest, which it returns, and turns the load along with
    /// the normal, or lets it go. `reach` is how far apart they may be to rest on each other.
    pub(crate) fn face(
        &mut self,
        touch: Touch,
        approach: f64,
        reach: f64,
        step_length_s: f64,
        is_hidden: bool,
    ) -> bool {
        let closing = if self.is_crowded { max(approach, 0.0) * step_length_s } else { 0.0 };
        let rests =
            touch.gap <= reach + closing && (self.is_crowded || approach.abs() <= self.rest_speed) && !is_hidden;
        self.touch = touch;
        if self.is_resting {
            self.load = if rests { self.load.along(touch.normal) } else { Load::default() };
        }
        if rests && approach > self.rest_speed {
            self.met_speed = max(self.met_speed, approach);
        }
        rests
    }

    /// All but the points, which have memory of their own.
    pub(crate) fn without_points(&self) -> Contact {
        Contact { manifold: None, ..*self }
    }

    /// The other mover, `NONE` if there is none.
    pub(crate) fn other_mover(&self, mover: u32) -> u32 {
        if mover == self.mover_a { self.mover_b } else { self.mover_a }
    }
}

/// What a resting contact carries, as its second body feels it; the first feels the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Load {
    /// Force along the normal in N.
    pub(crate) normal: f64,
    /// Force along the surface in N.
    pub(crate) friction: DVec3,
    /// Torque of rolling resistance in N m.
    pub(crate) rolling: DVec3,
}

impl Load {
    /// Force and torque on the first body. Of the two forces only friction turns a sphere, and on both spheres the
    /// same way, since each feels the opposite force on the opposite side.
    pub(crate) fn on_a(&self, normal: DVec3, radius: f64) -> (DVec3, DVec3) {
        (-(normal * self.normal + self.friction), self.friction.cross(normal) * radius - self.rolling)
    }

    /// Force and torque on the second body.
    pub(crate) fn on_b(&self, normal: DVec3, radius: f64) -> (DVec3, DVec3) {
        (normal * self.normal + self.friction, self.friction.cross(normal) * radius + self.rolling)
    }

    /// The same load on a surface with another normal.
    pub(crate) fn along(&self, normal: DVec3) -> Load {
        Load { friction: self.friction - normal * self.friction.dot(normal), ..*self }
    }
}

impl Add for Load {
    type Output = Load;

    fn add(self, other: Load) -> Load {
        Load {
            normal: self.normal + other.normal,
            friction: self.friction + other.friction,
            rolling: self.rolling + other.rolling,
        }
    }
}

impl Sub for Load {
    type Output = Load;

    fn sub(self, other: Load) -> Load {
        Load {
            normal: self.normal - other.normal,
            friction: self.friction - other.friction,
            rolling: self.rolling - other.rolling,
        }
    }
}

/// What a contact is found by: two movers, or a mover and a fixed body, which has the highest bit set to tell.
pub(crate) fn pair_key(mover_a: u32, mover_b: u32, body_b: u32) -> [u32; 2] {
    [mover_a, if mover_b == NONE { body_b | 1 << 31 } else { mover_b }]
}

impl World {
    /// Whether a mover has a contact with another, or with a fixed body if the other is `NONE`.
    pub(crate) fn has_contact(&self, mover: u32, other_mover: u32, other_body: u32) -> bool {
        let [one, two] = pair_key(mover, other_mover, other_body);
        self.pairs.contains(one, two)
    }

    /// Makes the contact of a mover with another body, unless there is one.
    pub(crate) fn add_contact(&mut self, mover: u32, other_body: u32) {
        let body = self.movers[mover].body;
        let other_mover = self.bodies[other_body].mover;
        if body == other_body || self.has_contact(mover, other_mover, other_body) {
            return;
        }
        let both_kinematic = |other: u32| self.movers[other].is_kinematic() && self.movers[mover].is_kinematic();
        let pointless =
            if other_mover == NONE { self.movers[mover].is_kinematic() } else { both_kinematic(other_mover) };
        if pointless {
            return;
        }
        let swap = other_mover != NONE && other_body < body;
        let (body_a, body_b) = if swap { (other_body, body) } else { (body, other_body) };
        let (mover_a, mover_b) = if swap { (other_mover, mover) } else { (mover, other_mover) };
        let mut contact = Contact {
            body_a,
            body_b,
            mover_a,
            mover_b,
            friction: 0.0,
            restitution: 0.0,
            rolling: 0.0,
            is_resting: false,
            is_listed: false,
            rest_speed: 0.0,
            is_crowded: false,
            met_speed: 0.0,
            was_resting: false,
            touch: Touch { normal: DVec3::Y, gap: 0.0, point: DVec3::ZERO, is_flat: true },
            load: Load::default(),
            manifold: self.needs_manifold(body_a, body_b).then(Box::default),
            allowed_overlap: 0.0,
        };
        let clock = |mover: u32| self.movers.get_at(mover).map_or(0.0, |mover| mover.clock_s);
        contact.touch = self.touch_at(&contact, max(clock(mover_a), clock(mover_b)));
        contact.allowed_overlap = max(-contact.touch.gap, OVERLAP_SLOP * self.movers[mover].radius);
        let is_solid = contact.manifold.is_some();
        let index = self.contacts.insert(contact).index();
        let link = Link { mover_a, mover_b, is_resting: false, is_solid };
        match self.links.get_mut(index as usize) {
            Some(free) => *free = link,
            None => self.links.push(link),
        }
        self.mix_materials(index);
        let [one, two] = pair_key(mover_a, mover_b, body_b);
        // Only whether they are there is looked up, never their order: contacts are renumbered from time to time.
        self.pairs.insert(one, two, 0);
        self.new_contacts += 1;
        self.movers[mover_a].contacts.push(index);
        if mover_b != NONE {
            self.movers[mover_b].contacts.push(index);
        }
    }

    /// Removes a contact and the force it carried.
    pub(crate) fn remove_contact(&mut self, index: u32) {
        let Some(contact) = self.contacts.remove_at(index) else { return };
        self.links[index as usize].mover_a = NONE;
        let [one, two] = pair_key(contact.mover_a, contact.mover_b, contact.body_b);
        self.pairs.remove(one, two);
        for mover in [contact.mover_a, contact.mover_b] {
            if let Some(mover) = self.movers.get_at_mut(mover) {
                mover.contacts.retain(|&other| other != index);
            }
        }
        if contact.was_resting {
            self.log.contact_end.extend(self.contact_event(contact.body_a, contact.body_b));
        }
    }

    /// Notes whether a contact rests, and puts it on the list of those that do or did in this step.
    pub(crate) fn set_resting(&mut self, index: u32, is_resting: bool) {
        let contact = &mut self.contacts[index];
        contact.is_resting = is_resting;
        self.links[index as usize].is_resting = is_resting;
        if is_resting && !contact.is_listed {
            contact.is_listed = true;
            self.resting.push(index);
        }
    }

    /// A cheap way to see that two bodies stay more than `margin` apart on what is left of their paths. False says
    /// nothing.
    pub(crate) fn are_surely_apart(&self, contact: &Contact, margin: f64) -> bool {
        let a = &self.movers[contact.mover_a];
        let near = a.radius + a.reach + margin;
        if let Some(b) = self.movers.get_at(contact.mover_b) {
            let near = near + b.radius + b.reach;
            return (a.state.position - b.state.position).length_squared() > near * near;
        }
        let body = &self.bodies[contact.body_b];
        match body.shape {
            Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Capsule { .. } => false,
            Shape::Plane { .. } | Shape::Triangle { .. } => {
                let origin = if body.fixed_proxy == NONE { body.position } else { body.corners[0] };
                (a.state.position - origin).dot(body.normal).abs() > near
            }
        }
    }

    /// How the two bodies face each other at a time of the step, not before their clocks.
    pub(crate) fn touch_at(&self, contact: &Contact, time_s: f64) -> Touch {
        if contact.manifold.is_some() {
            return self.deepest_at(contact, time_s);
        }
        let a = &self.movers[contact.mover_a];
        let center = self.position_at(contact.mover_a, time_s);
        if contact.mover_b != NONE {
            let radius = self.movers[contact.mover_b].radius;
            return touch::sphere(center, a.radius, self.position_at(contact.mover_b, time_s), radius);
        }
        let body = &self.bodies[contact.body_b];
        match body.shape {
            Shape::Sphere { radius } => touch::sphere(center, a.radius, body.position, radius),
            Shape::Plane { .. } => touch::plane(center, a.radius, body.position, body.normal),
            Shape::Triangle { .. } => touch::triangle(center, a.radius, &body.corners, body.normal),
            // Such a pair has a manifold.
            Shape::Cuboid { .. } | Shape::Capsule { .. } => self.deepest_at(contact, time_s),
        }
    }

    /// Where a mover is at a time of the step, not before its clock.
    pub(crate) fn position_at(&self, mover: u32, time_s: f64) -> DVec3 {
        let record = &self.movers[mover];
        if time_s <= record.clock_s || !record.is_awake() {
            return record.state.position;
        }
        record.path.at((time_s - record.clock_s) / (self.step_length_s - record.clock_s))
    }

    /// The rest of a mover's path from a time of the step, not before its clock.
    pub(crate) fn path_from(&self, mover: u32, time_s: f64) -> Path {
        let record = &self.movers[mover];
        if !record.is_awake() {
            Path::still(record.state.position)
        } else if time_s <= record.clock_s {
            record.path
        } else {
            record.path.after((time_s - record.clock_s) / (self.step_length_s - record.clock_s))
        }
    }

    /// The speed at which the bodies approach along the normal, by their states.
    pub(crate) fn approach_speed(&self, contact: &Contact) -> f64 {
        self.relative_velocity(contact).dot(contact.touch.normal)
    }

    /// The velocity of the first body less that of the second, by their states.
    pub(crate) fn relative_velocity(&self, contact: &Contact) -> DVec3 {
        let b = self.movers.get_at(contact.mover_b).map_or(DVec3::ZERO, |b| b.state.velocity);
        self.movers[contact.mover_a].state.velocity - b
    }

    /// Finds the speed below which the two neither rebound nor part.
    ///
    /// With loss, rebounds get shorter without end, and those that the forces on the two could end within a step are
    /// left out. Without loss there is no such series: only what is pressed together can be at rest.
    pub(crate) fn find_rest_speed(&self, contact: &Contact) -> f64 {
        let (a, b) = (&self.movers[contact.mover_a], self.movers.get_at(contact.mover_b));
        let own = if self.is_lossless(contact) {
            let falling_together = |mover: &Mover| mover.acceleration(self.step_length_s).dot(contact.touch.normal);
            let k = a.inv_mass + b.map_or(0.0, |b| b.inv_mass);
            let pressing = falling_together(a) - b.map_or(0.0, falling_together) + contact.load.normal * k;
            LOSSLESS_SHARE * pressing * self.step_length_s
        } else {
            max(a.rest_speed, b.map_or(0.0, |b| b.rest_speed))
        };
        let speed = max(own, max(self.def.restitution_speed, MIN_REST_SPEED));
        let many = a.impacts_beyond_allowed() + b.map_or(0.0, Mover::impacts_beyond_allowed);
        let doublings = min(many / IMPACTS_PER_DOUBLING, 60.0);
        speed * (1u64 << doublings as u32) as f64
    }

    fn is_lossless(&self, contact: &Contact) -> bool {
        match self.def.impact_law {
            ImpactLaw::Restitution => contact.restitution == 1.0,
            ImpactLaw::WholeVelocity { damping } => damping == 0.0,
        }
    }

    /// An edge or a corner that is nearest to a sphere may belong to a second triangle on whose face the sphere rests:
    /// the seam of a floor. The face then says all there is to say, and the seam must not be felt.
    pub(crate) fn is_hidden_by_face(&self, contact: &Contact, touch: &Touch, time_s: f64) -> bool {
        if touch.is_flat {
            return false;
        }
        let center = self.position_at(contact.mover_a, time_s);
        let radius = self.movers[contact.mover_a].radius;
        let distance_squared = (touch.point - center).length_squared();
        self.movers[contact.mover_a].contacts.iter().any(|&other| {
            let other = &self.contacts[other];
            if other.mover_b != NONE || other.body_b == contact.body_b {
                return false;
            }
            let (face, reach) = match self.bodies[other.body_b].shape {
                Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Capsule { .. } => return false,
                Shape::Plane { .. } | Shape::Triangle { .. } => (self.touch_at(other, time_s), 1.0e-6 * radius),
            };
            face.is_flat
                && (face.point - center).length_squared() < distance_squared
                && self.is_on_body(touch.point, other.body_b, reach)
        })
    }

    fn is_on_body(&self, point: DVec3, body: u32, reach: f64) -> bool {
        let body = &self.bodies[body];
        match body.shape {
            Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Capsule { .. } => false,
            Shape::Plane { .. } => (point - body.position).dot(body.normal).abs() <= reach,
            Shape::Triangle { .. } => {
                (touch::nearest_of_triangle(point, &body.corners).0 - point).length_squared() <= reach * reach
            }
        }
    }
}
