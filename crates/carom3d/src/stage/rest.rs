//! Rest: what stays together is held together.
//!
//! A contact rests if the two surfaces are so near and so slow that the forces on the bodies would end any rebound
//! within the step. It then carries a load, constant through what is left of the step; `balance.rs` tells how large.
//! In a crowd, where everybody meets many others in one step, contacts are held at any speed and part when the step is
//! over.

use crate::balance::{Balance, FIXED_PLACE, HeldBody, HeldContact, StartState};
use crate::body::{Activity, Mover, NONE};
use crate::collide::touch::Touch;
use crate::contact::{Contact, Load};
use crate::crowd::{Crowd, CrowdBody, CrowdContact, Flow, LEAST_CONTACTS};
use crate::held_point::HeldPoint;
use crate::material::ImpactLaw;
use crate::math::{DVec3, max};
use crate::world::World;

/// Changes of speed below this fraction of the rest speed are not followed up.
const TOLERANCE: f64 = 1.0e-5;
/// The same for speeds of approach that are stopped before: what is left is slow enough for forces.
const STOP_TOLERANCE: f64 = 1.0e-3;
/// A body that meets so many others in a step is in a crowd.
const CROWD: u32 = 4;
/// Distances are not known better than this fraction of the radius.
const ROUNDING: f64 = 1.0e-12;

pub(crate) fn hold_resting(world: &mut World) {
    let near = world.survey();
    let mut resting = Vec::new();
    for Near { contact, touch } in near {
        world.contacts[contact].is_crowded = touch.is_flat && world.is_in_crowd(contact);
        if world.classify(contact, Some(touch), 0.0) {
            resting.push(contact);
        }
    }
    world.carry_crowds(&mut resting);
    world.hold(&resting, 0.0);
    let mut changed = std::mem::take(&mut world.scratch.changed);
    changed.clear();
    for i in 0..world.awake.len() {
        let mover = world.awake[i];
        if world.movers[mover].is_path_stale {
            world.plan(mover);
            changed.push(mover);
        }
    }
    world.update_boxes(&changed);
    world.scratch.changed = changed;
}

/// A contact that may come to matter in this step.
struct Near {
    contact: u32,
    touch: Touch,
}

impl World {
    /// Looks at all contacts whose bodies may meet in this step. Sleepers that something leans on are woken, and every
    /// mover learns how many it will meet.
    fn survey(&mut self) -> Vec<Near> {
        let mut near = Vec::new();
        self.fill_probes();
        for index in 0..self.links.len() {
            let link = self.links[index];
            if self.is_link_active(&link) && (link.is_resting || !self.is_link_long(&link)) {
                self.survey_contact(index as u32, &mut near);
            }
        }
        near
    }

    fn survey_contact(&mut self, index: u32, near: &mut Vec<Near>) {
        let rest_speed = self.find_rest_speed(&self.contacts[index]);
        self.contacts[index].rest_speed = rest_speed;
        let contact = &self.contacts[index];
        let reach = self.rest_reach(contact);
        if !contact.is_resting && self.are_surely_apart(contact, reach) {
            return;
        }
        let touch = self.touch_at(contact, 0.0);
        let (mover_a, mover_b) = (contact.mover_a, contact.mover_b);
        let approach = self.relative_velocity(contact).dot(touch.normal);
        if touch.gap <= reach {
            self.wake_for_step(mover_a);
            self.wake_for_step(mover_b);
        }
        if touch.is_flat && touch.gap <= reach + max(approach, 0.0) * self.step_length_s {
            for mover in [mover_a, mover_b] {
                if let Some(mover) = self.movers.get_at_mut(mover) {
                    mover.crowd += 1;
                }
            }
        }
        near.push(Near { contact: index, touch });
    }

    /// Wakes a sleeper at the start of the step.
    fn wake_for_step(&mut self, mover: u32) {
        if let Some(Activity::Asleep { group }) = self.movers.get_at(mover).map(|mover| mover.activity) {
            for member in self.wake_group(group, 0.0) {
                self.plan(member);
                self.fill_probe(member);
            }
        }
    }

    /// Whether both bodies of a contact meet many others in this step, and lose something in impacts. Impacts in a
    /// crowd follow each other without end: they are left to the balance of forces. Edges and corners do not count: on a
    /// floor of many triangles a ball is near many without ever meeting them.
    fn is_in_crowd(&self, index: u32) -> bool {
        let contact = &self.contacts[index];
        let is_crowded =
            |mover: u32| self.movers.get_at(mover).is_none_or(|mover| mover.crowd >= CROWD || mover.is_pressed);
        self.def.impact_law == ImpactLaw::Restitution
            && contact.restitution < 1.0
            && is_crowded(contact.mover_a)
            && is_crowded(contact.mover_b)
    }

    /// How far apart bodies may be to rest on each other: what they cover in a step at rest speed.
    pub(crate) fn rest_reach(&self, contact: &Contact) -> f64 {
        contact.rest_speed * self.step_length_s + ROUNDING * self.movers[contact.mover_a].radius
    }

    /// Whether one of the bodies of a contact may move.
    pub(crate) fn is_contact_active(&self, contact: &Contact) -> bool {
        let is_active = |mover: u32| self.movers.get_at(mover).is_some_and(Mover::is_active);
        is_active(contact.mover_a) || is_active(contact.mover_b)
    }

    /// Finds out whether a contact rests at a time to which both its bodies were brought, and brings the force it
    /// carries up to date: turned with the normal, or let go.
    ///
    /// `touch` is how they then face each other, if that is known.
    pub(crate) fn classify(&mut self, index: u32, touch: Option<Touch>, time_s: f64) -> bool {
        if self.contacts[index].manifold.is_some() {
            return self.classify_manifold(index, time_s);
        }
        let touch = touch.unwrap_or_else(|| self.touch_at(&self.contacts[index], time_s));
        let old_touch = std::mem::replace(&mut self.contacts[index].touch, touch);
        let contact = &self.contacts[index];
        let (approach, rest_speed) = (self.approach_speed(contact), contact.rest_speed);
        let closing = if contact.is_crowded { max(approach, 0.0) * self.step_length_s } else { 0.0 };
        let rests = touch.gap <= self.rest_reach(contact) + closing
            && (contact.is_crowded || approach.abs() <= rest_speed)
            && !self.is_hidden_by_face(contact, &touch, time_s);
        let met_speed = if rests && approach > rest_speed { approach } else { 0.0 };
        if contact.is_resting {
            self.turn_load(index, old_touch.normal, rests, time_s);
        }
        if rests && !self.contacts[index].is_resting {
            self.settle(index);
        }
        self.set_resting(index, rests);
        let contact = &mut self.contacts[index];
        contact.met_speed = max(contact.met_speed, met_speed);
        rests
    }

    /// A pair comes to rest. Under the law that damps whole velocities endless little bounces end in no velocity.
    fn settle(&mut self, index: u32) {
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

    /// Turns the load of a contact along with its normal, or takes it away.
    fn turn_load(&mut self, index: u32, old_normal: DVec3, stays: bool, time_s: f64) {
        let h = self.step_length_s - time_s;
        let contact = &mut self.contacts[index];
        let (old_load, normal) = (contact.load, contact.touch.normal);
        contact.load = if stays { old_load.along(normal) } else { Load::default() };
        let (a, b, load) = (contact.mover_a, contact.mover_b, contact.load);
        let a = &mut self.movers[a];
        let ((old_force, old_torque), (force, torque)) =
            (old_load.on_a(old_normal, a.radius), load.on_a(normal, a.radius));
        a.push(force - old_force, torque - old_torque, h);
        if let Some(b) = self.movers.get_at_mut(b) {
            let ((old_force, old_torque), (force, torque)) =
                (old_load.on_b(old_normal, b.radius), load.on_b(normal, b.radius));
            b.push(force - old_force, torque - old_torque, h);
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

    /// Takes the contacts of large islands of spheres from a list, and lets those go through the step as crowds.
    fn carry_crowds(&mut self, resting: &mut Vec<u32>) {
        for &mover in &self.awake {
            self.movers[mover].flows = false;
        }
        if resting.len() <= LEAST_CONTACTS as usize {
            return;
        }
        let mut islands = std::mem::take(&mut self.rest_islands);
        islands.clear(self.movers.slot_count());
        for &index in &*resting {
            let contact = &self.contacts[index];
            if contact.mover_b != NONE {
                islands.join(contact.mover_a, contact.mover_b);
            }
        }
        for &index in &*resting {
            islands.count(self.contacts[index].mover_a);
        }
        // Crowds know spheres only.
        for &index in &*resting {
            if self.contacts[index].manifold.is_some() {
                islands.exclude(self.contacts[index].mover_a);
            }
        }
        let mut crowd = std::mem::take(&mut self.crowd);
        crowd.clear();
        resting.retain(|&index| {
            let is_crowd = islands.is_crowd(self.contacts[index].mover_a);
            if is_crowd {
                self.gather_crowd(index, &mut crowd);
            }
            !is_crowd
        });
        crowd.flow(self.step_length_s);
        self.scatter_crowd(&crowd);
        self.crowd = crowd;
        self.rest_islands = islands;
    }

    /// Puts a contact and its movers on the lists of crowds.
    fn gather_crowd(&mut self, index: u32, crowd: &mut Crowd) {
        let contact = &self.contacts[index];
        let (mover_a, mover_b) = (contact.mover_a, contact.mover_b);
        let place_a = self.place_in_crowd(mover_a, crowd);
        let place_b = if mover_b == NONE { FIXED_PLACE } else { self.place_in_crowd(mover_b, crowd) };
        let contact = &self.contacts[index];
        crowd.add(CrowdContact {
            places: [place_a, place_b],
            normal: contact.touch.normal,
            gap: contact.touch.gap,
            allowed_speed: 0.0,
            load: contact.load,
            friction: contact.friction,
            rolling: contact.rolling,
            allowed_overlap: contact.allowed_overlap,
            index,
        });
    }

    fn place_in_crowd(&mut self, mover: u32, crowd: &mut Crowd) -> u32 {
        let h = self.step_length_s;
        let record = &mut self.movers[mover];
        if record.place == NONE {
            let (state, end) = (&record.state, &record.end);
            let body = CrowdBody {
                position: state.position,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                radius: record.radius,
                inv_mass: record.inv_mass,
                inv_inertia: record.inv_inertia,
            };
            let flow = Flow {
                mover,
                pull: (end.velocity - state.velocity) / h - record.contact_force * record.inv_mass,
                angular_pull: (end.angular_velocity - state.angular_velocity) / h
                    - record.contact_torque * record.inv_inertia,
                angular_start: state.angular_velocity,
                way: DVec3::ZERO,
            };
            record.place = crowd.add_body(body, flow);
        }
        record.place
    }

    /// Takes loads and motion from the lists of crowds.
    fn scatter_crowd(&mut self, crowd: &Crowd) {
        for held in &crowd.contacts {
            let contact = &mut self.contacts[held.index];
            contact.load = held.load;
            contact.touch.normal = held.normal;
        }
        let h = self.step_length_s;
        for (body, flow) in crowd.bodies.iter().zip(&crowd.flows).skip(1) {
            let record = &mut self.movers[flow.mover];
            record.place = NONE;
            record.is_path_stale = true;
            record.flows = true;
            if record.is_kinematic() {
                continue;
            }
            let velocity = flow.way / h;
            record.state.position = body.position - flow.way;
            record.state.velocity = velocity;
            record.jump = body.velocity - velocity;
            record.contact_force = flow.pull * -record.mass;
            let turning = (body.angular_velocity - flow.angular_start) / h - flow.angular_pull;
            record.contact_torque = turning * record.inertia.moments();
        }
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
                // Nobody has looked at it yet.
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
