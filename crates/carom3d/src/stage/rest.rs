//! Rest: forces between bodies that stay together.
//!
//! A contact rests if the two surfaces are so near and so slow that the forces on the bodies would end any rebound
//! within the step. It then carries a force, constant through what is left of the step, that is as large as it takes
//! for the bodies not to approach at the end: with `h` the time left, `u` the speed of approach at the end along the
//! normal, and `k = 1/m_a + 1/m_b` the change of that speed by a unit impulse,
//!
//! `lambda += (u - gap/h) / (h k)`, at least 0.
//!
//! Friction is the force along the surface that would end the slip `s` of the points in contact, but at most `mu`
//! times `lambda`: `phi += s / (h k_t)` with `k_t = k + r_a^2/I_a + r_b^2/I_b`. Both are found contact by contact, round
//! after round, from the forces of the last step on.

use crate::body::{Activity, NONE};
use crate::contact::Contact;
use crate::material::ImpactLaw;
use crate::math::{DVec3, max};
use crate::world::World;

/// Changes of speed below this fraction of the rest speed are not followed up.
const TOLERANCE: f64 = 1.0e-5;
/// Distances are not known better than this fraction of the radius.
const ROUNDING: f64 = 1.0e-12;

pub(crate) fn hold_resting(world: &mut World) {
    world.wake_what_is_leant_on();
    let mut resting = Vec::new();
    for contact in 0..world.contacts.slot_count() as u32 {
        if world.is_contact_active(contact) && world.may_rest(contact, 0.0) && world.classify(contact, 0.0) {
            resting.push(contact);
        }
    }
    world.hold(&resting, 0.0);
    for i in 0..world.awake.len() {
        let mover = world.awake[i];
        if world.movers[mover].is_path_stale {
            world.plan(mover);
        }
    }
    for i in 0..world.awake.len() {
        world.update_box(world.awake[i]);
    }
}

impl World {
    /// Wakes sleepers that something awake has come to rest on.
    fn wake_what_is_leant_on(&mut self) {
        for index in 0..self.contacts.slot_count() as u32 {
            if !self.is_contact_active(index) || !self.may_rest(index, 0.0) {
                continue;
            }
            let contact = &self.contacts[index];
            for mover in [contact.mover_a, contact.mover_b] {
                if let Some(Activity::Asleep { group }) = self.movers.get_at(mover).map(|mover| mover.activity) {
                    for member in self.wake_group(group, 0.0) {
                        self.plan(member);
                    }
                }
            }
        }
    }

    /// Whether a contact rests, or is near enough to begin to.
    pub(crate) fn may_rest(&self, index: u32, time_s: f64) -> bool {
        let contact = &self.contacts[index];
        if contact.is_resting {
            return true;
        }
        let reach = self.rest_reach(contact);
        !self.are_surely_apart(contact, reach) && self.touch_at(contact, time_s).gap <= reach
    }

    /// How far apart bodies may be to rest on each other: what they cover in a step at rest speed.
    pub(crate) fn rest_reach(&self, contact: &Contact) -> f64 {
        self.rest_speed(contact) * self.step_length_s + ROUNDING * self.movers[contact.mover_a].radius
    }

    /// Whether there is such a contact and one of its bodies may move.
    pub(crate) fn is_contact_active(&self, contact: u32) -> bool {
        let Some(contact) = self.contacts.get_at(contact) else { return false };
        let is_active = |mover: u32| {
            let mover = &self.movers[mover];
            mover.is_awake() && !(mover.is_kinematic() && mover.state.velocity == DVec3::ZERO)
        };
        is_active(contact.mover_a) || (contact.mover_b != NONE && is_active(contact.mover_b))
    }

    /// Finds out whether a contact rests at a time to which both its bodies were brought, and brings the force it
    /// carries up to date: turned with the normal, or let go.
    pub(crate) fn classify(&mut self, index: u32, time_s: f64) -> bool {
        let contact = &self.contacts[index];
        let old_touch = contact.touch;
        let touch = self.touch_at(contact, time_s);
        self.contacts[index].touch = touch;
        let contact = &self.contacts[index];
        let rests = touch.gap <= self.rest_reach(contact)
            && self.approach_speed(contact).abs() <= self.rest_speed(contact)
            && !self.is_hidden_by_face(contact, &touch, time_s);
        if contact.is_resting {
            let (normal_force, friction) = (contact.normal_force, contact.friction_force);
            self.contacts[index].touch = old_touch;
            self.carry(index, -normal_force, -friction, time_s);
            self.contacts[index].touch = touch;
            if rests {
                let along = friction - touch.normal * friction.dot(touch.normal);
                self.carry(index, normal_force, along, time_s);
            }
        }
        if rests && !self.contacts[index].is_resting {
            self.settle(index);
        }
        self.contacts[index].is_resting = rests;
        rests
    }

    /// A pair comes to rest. Under the law that damps whole velocities endless little bounces end in no velocity.
    fn settle(&mut self, index: u32) {
        let contact = &self.contacts[index];
        let damps = matches!(self.def.impact_law, ImpactLaw::WholeVelocity { damping } if damping > 0.0);
        if damps && contact.mover_b == NONE {
            let mover = contact.mover_a;
            let velocity = self.movers[mover].state.velocity;
            self.shift_velocity(mover, -velocity);
        }
    }

    /// Changes the force that a contact carries from a time on.
    fn carry(&mut self, index: u32, normal_force: f64, friction: DVec3, time_s: f64) {
        let h = self.step_length_s - time_s;
        let contact = &mut self.contacts[index];
        contact.normal_force += normal_force;
        contact.friction_force += friction;
        let force = contact.touch.normal * normal_force + friction;
        let (a, b, normal) = (contact.mover_a, contact.mover_b, contact.touch.normal);
        // Of the two parts only friction turns a sphere; on both it acts on the side of the other.
        let turning = friction.cross(normal);
        let a = &mut self.movers[a];
        a.push(-force, turning * a.radius, h);
        if let Some(b) = self.movers.get_at_mut(b) {
            b.push(force, turning * b.radius, h);
        }
    }

    fn shift_velocity(&mut self, mover: u32, change: DVec3) {
        let mover = &mut self.movers[mover];
        mover.state.velocity += change;
        mover.end.velocity += change;
        mover.is_path_stale = true;
    }

    /// Balances the forces of resting contacts from a time on.
    pub(crate) fn hold(&mut self, resting: &[u32], time_s: f64) {
        let h = self.step_length_s - time_s;
        if h <= 0.0 || resting.is_empty() {
            return;
        }
        let mut balance = std::mem::take(&mut self.balance);
        balance.clear();
        for &index in resting {
            self.gather(index, h, &mut balance);
        }
        balance.stop_approach(self.def.rest_iterations);
        balance.solve(self.def.rest_iterations, h);
        self.scatter(&balance, time_s);
        self.balance = balance;
    }

    /// Puts a contact and its movers on the lists.
    fn gather(&mut self, index: u32, h: f64, balance: &mut Balance) {
        let contact = &self.contacts[index];
        let (mover_a, mover_b) = (contact.mover_a, contact.mover_b);
        let tolerance = TOLERANCE * self.rest_speed(contact);
        let place_a = self.place_of(mover_a, balance);
        let place_b = if mover_b == NONE { FIXED_PLACE } else { self.place_of(mover_b, balance) };
        let (contact, a, b) = (&self.contacts[index], &balance.bodies[place_a], &balance.bodies[place_b]);
        let k = a.inv_mass + b.inv_mass;
        balance.contacts.push(HeldContact {
            index,
            places: [place_a, place_b],
            normal: contact.touch.normal,
            allowed_speed: max(contact.touch.gap, 0.0) / h,
            k,
            k_t: k + a.radius * a.radius * a.inv_inertia + b.radius * b.radius * b.inv_inertia,
            friction: contact.friction,
            tolerance,
            normal_force: contact.normal_force,
            friction_force: contact.friction_force,
        });
    }

    fn place_of(&mut self, mover: u32, balance: &mut Balance) -> usize {
        let record = &mut self.movers[mover];
        if record.place == NONE {
            record.place = balance.bodies.len() as u32;
            balance.bodies.push(HeldBody {
                mover,
                radius: record.radius,
                inv_mass: record.inv_mass,
                inv_inertia: record.inv_inertia,
                start_velocity: record.state.velocity,
                velocity: record.end.velocity,
                angular_velocity: record.end.angular_velocity,
            });
        }
        record.place as usize
    }

    /// Takes results from the lists.
    fn scatter(&mut self, balance: &Balance, time_s: f64) {
        for held in &balance.contacts {
            let contact = &self.contacts[held.index];
            let change = held.normal_force - contact.normal_force;
            let friction_change = held.friction_force - contact.friction_force;
            if change != 0.0 || friction_change != DVec3::ZERO {
                self.carry(held.index, change, friction_change, time_s);
            }
        }
        for held in &balance.bodies[FIXED_PLACE + 1..] {
            let record = &mut self.movers[held.mover];
            record.place = NONE;
            let change = held.start_velocity - record.state.velocity;
            if change != DVec3::ZERO {
                self.shift_velocity(held.mover, change);
            }
        }
    }
}

/// Resting contacts and their movers, close together in memory for the many rounds over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    contacts: Vec<HeldContact>,
    /// The first stands for everything fixed.
    bodies: Vec<HeldBody>,
}

const FIXED_PLACE: usize = 0;

#[derive(Clone, Debug)]
struct HeldContact {
    index: u32,
    places: [usize; 2],
    normal: DVec3,
    /// At this speed of approach what gap there is closes by the end of the step.
    allowed_speed: f64,
    k: f64,
    k_t: f64,
    friction: f64,
    tolerance: f64,
    normal_force: f64,
    friction_force: DVec3,
}

#[derive(Clone, Debug, Default)]
struct HeldBody {
    mover: u32,
    radius: f64,
    inv_mass: f64,
    inv_inertia: f64,
    start_velocity: DVec3,
    /// At the end of the step.
    velocity: DVec3,
    angular_velocity: DVec3,
}

impl Balance {
    fn clear(&mut self) {
        self.contacts.clear();
        self.bodies.clear();
        self.bodies.push(HeldBody::default());
    }

    /// Takes from bodies at rest what speed of approach they have left.
    fn stop_approach(&mut self, rounds: u32) {
        for _ in 0..rounds {
            let mut is_done = true;
            for held in &self.contacts {
                let [a, b] = held.places;
                let approach = (self.bodies[a].start_velocity - self.bodies[b].start_velocity).dot(held.normal);
                let excess = approach - held.allowed_speed;
                if excess <= held.tolerance {
                    continue;
                }
                is_done = false;
                let impulse = held.normal * (excess / held.k);
                for (place, impulse) in [(a, -impulse), (b, impulse)] {
                    let body = &mut self.bodies[place];
                    let change = impulse * body.inv_mass;
                    body.start_velocity += change;
                    body.velocity += change;
                }
            }
            if is_done {
                break;
            }
        }
    }

    fn solve(&mut self, rounds: u32, h: f64) {
        for _ in 0..rounds {
            let mut is_balanced = true;
            for held in &mut self.contacts {
                is_balanced &= held.balance(&mut self.bodies, h);
            }
            if is_balanced {
                break;
            }
        }
    }
}

impl HeldContact {
    /// Corrects the force of one contact. True if there was nothing to correct.
    fn balance(&mut self, bodies: &mut [HeldBody], h: f64) -> bool {
        let [a, b] = self.places;
        let (body_a, body_b) = (&bodies[a], &bodies[b]);
        let n = self.normal;
        let excess = (body_a.velocity - body_b.velocity).dot(n) - self.allowed_speed;
        let wanted = max(self.normal_force + excess / (h * self.k), 0.0);
        let change = wanted - self.normal_force;
        let (arm_a, arm_b) = (n * body_a.radius, n * -body_b.radius);
        let mut friction_change = DVec3::ZERO;
        if self.friction > 0.0 {
            let slip = body_a.velocity + body_a.angular_velocity.cross(arm_a)
                - (body_b.velocity + body_b.angular_velocity.cross(arm_b));
            let slip = slip - n * slip.dot(n);
            let friction = self.friction_force + slip / (h * self.k_t);
            let (size, limit) = (friction.length(), self.friction * wanted);
            let friction = if size > limit { friction * (limit / size) } else { friction };
            friction_change = friction - self.friction_force;
        }
        let is_small = |change: f64| change * h <= self.tolerance;
        if is_small(change.abs() * self.k) && is_small(friction_change.length() * self.k_t) {
            return true;
        }
        self.normal_force = wanted;
        self.friction_force += friction_change;
        let impulse = (n * change + friction_change) * h;
        let turning = friction_change.cross(n) * h;
        for (place, impulse) in [(a, -impulse), (b, impulse)] {
            let body = &mut bodies[place];
            body.velocity += impulse * body.inv_mass;
            body.angular_velocity += turning * (body.inv_inertia * body.radius);
        }
        false
    }
}
