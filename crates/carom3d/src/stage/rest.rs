//! Rest: what stays together is held together.
//!
//! A contact rests if the two surfaces are so near and so slow that the forces on the bodies would end any rebound
//! within the step. It then carries a load, constant through what is left of the step; `balance.rs` tells how large.
//! In a crowd, where each body meets many others in one step, contacts are held at any speed and part when the step is
//! over.

use crate::balance::{Balance, FIXED_PLACE, HeldBody, HeldContact, StartState};
use crate::body::{Mover, NONE};
use crate::contact::{Contact, Load};
use crate::held_point::HeldPoint;
use crate::material::ImpactLaw;
use crate::math::{DVec3, max};
use crate::world::World;
use carom_threads::Crew;

/// Changes of speed below this fraction of the rest speed are not followed up.
const TOLERANCE: f64 = 1.0e-5;
/// The same for speeds of approach that are stopped before: what is left is slow enough for forces.
const STOP_TOLERANCE: f64 = 1.0e-3;
/// Distances are not known better than this fraction of the radius.
const ROUNDING: f64 = 1.0e-12;

pub(crate) fn hold_resting(world: &mut World, crew: &Crew<'_>) {
    world.survey(crew);
    let (mut resting, turned) = world.classify_near(crew);
    world.carry_crowds(&mut resting, crew);
    for old in &turned {
        world.replace_load(old);
    }
    world.hold(&resting, 0.0);
    (world.scratch.resting, world.scratch.turned) = (resting, turned);
    let mut changed = std::mem::take(&mut world.scratch.changed);
    changed.clear();
    let movers = &world.movers;
    changed.extend(world.awake.iter().filter(|&&mover| movers[mover].is_path_stale));
    world.plan_falling(crew);
    world.plan_stale(&changed);
    world.update_boxes(&changed, crew);
    world.scratch.changed = changed;
}

/// A load that a contact carried when the step began, and its normal then.
#[derive(Clone, Debug)]
pub(crate) struct OldLoad {
    pub(crate) contact: u32,
    pub(crate) load: Load,
    pub(crate) normal: DVec3,
}

impl World {
    /// How far apart bodies may be to rest on each other: what they cover in a step at rest speed.
    pub(crate) fn rest_reach(&self, contact: &Contact) -> f64 {
        self.reach_at(contact, contact.rest_speed)
    }

    /// The same for a rest speed that the contact has not got yet.
    pub(crate) fn reach_at(&self, contact: &Contact, rest_speed: f64) -> f64 {
        rest_speed * self.step_length_s + ROUNDING * self.movers[contact.mover_a].radius
    }

    /// Whether one of the bodies of a contact may move.
    pub(crate) fn is_contact_active(&self, contact: &Contact) -> bool {
        let is_active = |mover: u32| self.movers.get_at(mover).is_some_and(Mover::is_active);
        is_active(contact.mover_a) || is_active(contact.mover_b)
    }

    /// Finds out whether a contact rests at a time to which both its bodies were brought, and brings the force it
    /// carries up to date: turned with the normal, or let go.
    pub(crate) fn classify(&mut self, index: u32, time_s: f64) -> bool {
        if self.contacts[index].manifold.is_some() {
            return self.classify_manifold(index, time_s);
        }
        let contact = &self.contacts[index];
        let touch = self.touch_at(contact, time_s);
        let approach = self.relative_velocity(contact).dot(touch.normal);
        let is_hidden = self.is_hidden_by_face(contact, &touch, time_s);
        let reach = self.rest_reach(contact);
        let contact = &mut self.contacts[index];
        let old = OldLoad { contact: index, load: contact.load, normal: contact.touch.normal };
        let was_resting = contact.is_resting;
        let rests = contact.face(touch, approach, reach, self.step_length_s, is_hidden);
        if was_resting {
            self.turn_load(&old, time_s);
        }
        if rests && !was_resting {
            self.settle(index);
        }
        self.set_resting(index, rests);
        rests
    }

    /// A pair comes to rest. Under the law that damps whole velocities endless little bounces end in no velocity.
    pub(crate) fn settle(&mut self, index: u32) {
        let contact = &self.contacts[index];
        let damps = matches!(self.def.impact_law, ImpactLaw::WholeVelocity { damping } if damping > 0.0);
        if damps && contact.mover_b == NONE {
            let mover = contact.mover_a;
            let velocity = self.movers[mover].state.velocity;
            self.shift_velocity(mover, -velocity, DVec3::ZERO);
        }
    }

    /// Changes the load that a contact carries from a time on.
    fn carry(&mut self, index: u32, change: Load, time_s: f64) {
        let h = self.step_length_s - time_s;
        let contact = &mut self.contacts[index];
        contact.load = contact.load + change;
        let (a, b, normal) = (contact.mover_a, contact.mover_b, contact.touch.normal);
        let a = &mut self.movers[a];
        let (force, torque) = change.on_a(normal, a.radius);
        a.push(force, torque, h);
        if let Some(b) = self.movers.get_at_mut(b) {
            let (force, torque) = change.on_b(normal, b.radius);
            b.push(force, torque, h);
        }
    }

    /// Lets the load that a contact has now take the place of an old one, from a time on.
    fn turn_load(&mut self, old: &OldLoad, time_s: f64) {
        let h = self.step_length_s - time_s;
        let contact = &self.contacts[old.contact];
        let (a, b, load, normal) = (contact.mover_a, contact.mover_b, contact.load, contact.touch.normal);
        let a = &mut self.movers[a];
        let ((old_force, old_torque), (force, torque)) =
            (old.load.on_a(old.normal, a.radius), load.on_a(normal, a.radius));
        a.push(force - old_force, torque - old_torque, h);
        if let Some(b) = self.movers.get_at_mut(b) {
            let ((old_force, old_torque), (force, torque)) =
                (old.load.on_b(old.normal, b.radius), load.on_b(normal, b.radius));
            b.push(force - old_force, torque - old_torque, h);
        }
    }

    /// The same at the start of the step. What goes through it with a crowd has its forces from there.
    fn replace_load(&mut self, old: &OldLoad) {
        let contact = &self.contacts[old.contact];
        let flows = |mover: u32| self.movers.get_at(mover).is_none_or(|mover| mover.flows);
        if !flows(contact.mover_a) || !flows(contact.mover_b) {
            self.turn_load(old, 0.0);
        }
    }

    fn shift_velocity(&mut self, mover: u32, change: DVec3, spin: DVec3) {
        let mover = &mut self.movers[mover];
        mover.state.velocity += change;
        mover.end.velocity += change;
        mover.state.angular_velocity += spin;
        mover.end.angular_velocity += spin;
        mover.is_path_stale = true;
    }

    /// Balances the forces of resting contacts from a time on.
    pub(crate) fn hold(&mut self, resting: &[u32], time_s: f64) {
        let h = self.step_length_s - time_s;
        if h <= 0.0 || resting.is_empty() {
            return;
        }
        let mut balance = std::mem::take(&mut self.balance);
        balance.clear(h);
        for &index in resting {
            self.gather(index, h, &mut balance);
        }
        balance.stop_approach(self.def.rest_iterations);
        balance.solve(self.def.rest_iterations);
        self.scatter(&balance, time_s);
        self.balance = balance;
    }

    /// Puts a contact and its movers on the lists.
    fn gather(&mut self, index: u32, h: f64, balance: &mut Balance) {
        let contact = &self.contacts[index];
        let (mover_a, mover_b) = (contact.mover_a, contact.mover_b);
        let rest_speed = contact.rest_speed;
        let place_a = self.place_of(mover_a, balance);
        let place_b = if mover_b == NONE { FIXED_PLACE } else { self.place_of(mover_b, balance) };
        let contact = &self.contacts[index];
        if let Some(manifold) = &contact.manifold {
            let bodies = [self.movers.get_at(mover_a), self.movers.get_at(mover_b)];
            let directions = HeldPoint::directions(manifold.normal);
            for (number, point) in manifold.points().iter().enumerate() {
                let mut held = HeldPoint {
                    contact: index,
                    number,
                    places: [place_a, place_b],
                    directions,
                    crosses: Default::default(),
                    turns: Default::default(),
                    k: [0.0; 3],
                    allowed_speed: max(point.gap, 0.0) / h,
                    friction: contact.friction,
                    tolerance: TOLERANCE * rest_speed,
                    loads: directions.map(|direction| point.friction_load.dot(direction)),
                    impulses: [0.0; 3],
                };
                held.loads[0] = point.normal_load;
                held.fill(bodies, point.arms);
                balance.points.push(held);
            }
            return;
        }
        balance.add(HeldContact {
            index,
            places: [place_a, place_b],
            normal: contact.touch.normal,
            allowed_speed: max(contact.touch.gap, 0.0) / h,
            friction: contact.friction,
            rolling: contact.rolling,
            tolerance: TOLERANCE * rest_speed,
            stop_tolerance: STOP_TOLERANCE * rest_speed,
            load: contact.load,
            speeds_per_load: [0.0; 3],
            settled_at: 0,
        });
    }

    fn place_of(&mut self, mover: u32, balance: &mut Balance) -> u32 {
        let record = &mut self.movers[mover];
        if record.place == NONE {
            let held = HeldBody {
                mover,
                radius: record.radius,
                inv_mass: record.inv_mass,
                inv_inertia: record.inv_inertia,
                velocity: record.end.velocity,
                angular_velocity: record.end.angular_velocity,
                // It has not been visited yet.
                changed_at: 1,
            };
            let start = StartState { velocity: record.state.velocity, angular_velocity: record.state.angular_velocity };
            record.place = balance.add_body(held, start);
        }
        record.place
    }

    /// Takes results from the lists.
    fn scatter(&mut self, balance: &Balance, time_s: f64) {
        for held in &balance.contacts {
            let change = held.load - self.contacts[held.index].load;
            if change != Load::default() {
                self.carry(held.index, change, time_s);
            }
        }
        for points in balance.points.chunk_by(|one, two| one.contact == two.contact) {
            self.scatter_points(points, time_s);
        }
        for (held, start) in balance.bodies.iter().zip(&balance.starts).skip(1) {
            let record = &mut self.movers[held.mover];
            record.place = NONE;
            let change = start.velocity - record.state.velocity;
            let spin = start.angular_velocity - record.state.angular_velocity;
            if change != DVec3::ZERO || spin != DVec3::ZERO {
                self.shift_velocity(held.mover, change, spin);
            }
        }
    }

    /// Takes the loads of the points of one contact from the list.
    fn scatter_points(&mut self, points: &[HeldPoint], time_s: f64) {
        let contact = &mut self.contacts[points[0].contact];
        let movers = [contact.mover_a, contact.mover_b];
        let Some(manifold) = contact.manifold.as_deref_mut() else { return };
        let old = *manifold;
        for held in points {
            let point = &mut manifold.points[held.number];
            let [_, t_1, t_2] = held.directions;
            point.normal_load = held.loads[0];
            point.friction_load = t_1 * held.loads[1] + t_2 * held.loads[2];
        }
        let new = *manifold;
        self.change_wrenches(movers, &old, &new, self.step_length_s - time_s);
    }
}
