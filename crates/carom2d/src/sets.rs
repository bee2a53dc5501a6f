//! Solver sets: where the bodies' simulation data lives.
//!
//! Awake bodies sit side by side in one array that the step runs over from front to back. Fixed and
//! disabled bodies sit in two others, and every sleeping island in one of its own, so that what
//! rests costs nothing. A body moves between sets when it falls asleep, wakes or changes its kind.

use crate::attach::{Shape, fat_margin};
use crate::body::{Body, BodyKind, BodySim, BodyState, NONE};
use crate::collide::SPECULATIVE_DISTANCE;
use crate::contact::{contact_of, side_of};
use crate::math::{Aabb, Pose, Vec2, max, min, vec2};
use crate::shape::MassData;
use crate::stage::color::Coloring;
use crate::world::WorldState;

/// The set of fixed bodies.
pub(crate) const FIXED: u32 = 0;
/// The set of bodies that take no part.
pub(crate) const DISABLED: u32 = 1;
/// The set of awake bodies: the only one with solver states.
pub(crate) const AWAKE: u32 = 2;
/// Sets from here on are sleeping islands.
pub(crate) const FIRST_SLEEPING: u32 = 3;

/// Bodies that are in the same condition.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolverSet {
    pub(crate) sims: Vec<BodySim>,
    /// Parallel to `sims` in the awake set, empty elsewhere.
    pub(crate) states: Vec<BodyState>,
}

/// All solver sets, with the free places among the sleeping ones.
#[derive(Clone, Debug)]
pub(crate) struct SolverSets {
    pub(crate) sets: Vec<SolverSet>,
    /// The place of each body in the awake set, `NONE` for those elsewhere: what the step asks most often of a body,
    /// apart from all else.
    pub(crate) places: Vec<u32>,
    /// How often a body has changed its place.
    pub(crate) changes: u64,
    pub(crate) free: Vec<u32>,
}

impl Default for SolverSets {
    fn default() -> SolverSets {
        SolverSets::new()
    }
}

impl SolverSets {
    pub(crate) fn new() -> SolverSets {
        SolverSets {
            sets: vec![SolverSet::default(); FIRST_SLEEPING as usize],
            places: Vec::new(),
            changes: 0,
            free: Vec::new(),
        }
    }

    pub(crate) fn awake(&self) -> &SolverSet {
        &self.sets[AWAKE as usize]
    }

    pub(crate) fn awake_mut(&mut self) -> &mut SolverSet {
        &mut self.sets[AWAKE as usize]
    }

    /// The solver state of an awake body.
    pub(crate) fn state(&self, body: u32) -> Option<&BodyState> {
        self.awake().states.get(self.places[body as usize] as usize)
    }

    /// The place of each body among those that are awake, and these.
    pub(crate) fn places_and_awake(&mut self) -> (&[u32], &mut SolverSet) {
        (&self.places, &mut self.sets[AWAKE as usize])
    }

    fn set_place(&mut self, body: u32, place: u32) {
        let body = body as usize;
        if body >= self.places.len() {
            self.places.resize(body + 1, NONE);
        }
        self.places[body] = place;
        self.changes += 1;
    }

    fn new_sleeping(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.sets.push(SolverSet::default());
            self.sets.len() as u32 - 1
        })
    }

    pub(crate) fn sleeping_count(&self) -> usize {
        self.sets.len() - FIRST_SLEEPING as usize - self.free.len()
    }

    /// Frees an empty sleeping set.
    fn release(&mut self, set: u32) {
        debug_assert!(self.sets[set as usize].sims.is_empty());
        self.free.push(set);
    }
}

impl WorldState {
    pub(crate) fn sim(&self, body: u32) -> &BodySim {
        // Most bodies that are asked for are awake: then their record need not be read.
        if let Some(sim) = self.sets.awake().sims.get(self.sets.places[body as usize] as usize) {
            return sim;
        }
        let body = &self.bodies[body];
        &self.sets.sets[body.set as usize].sims[body.index as usize]
    }

    pub(crate) fn sim_mut(&mut self, body: u32) -> &mut BodySim {
        let body = &self.bodies[body];
        &mut self.sets.sets[body.set as usize].sims[body.index as usize]
    }

    /// The solver state of an awake body.
    pub(crate) fn state(&self, body: u32) -> Option<&BodyState> {
        self.sets.state(body)
    }

    pub(crate) fn state_mut(&mut self, body: u32) -> Option<&mut BodyState> {
        let body = &self.bodies[body];
        (body.set == AWAKE).then(|| &mut self.sets.awake_mut().states[body.index as usize])
    }

    /// Puts simulation data into a set and records where.
    pub(crate) fn put_in_set(&mut self, body: u32, set: u32, sim: BodySim, mut state: BodyState) {
        let target = &mut self.sets.sets[set as usize];
        let record = &mut self.bodies[body];
        record.set = set;
        record.index = target.sims.len() as u32;
        target.sims.push(sim);
        if set == AWAKE {
            state.flags = if record.kind == BodyKind::Dynamic { BodyState::MOVABLE } else { 0 };
            target.states.push(state);
        }
        let place = if set == AWAKE { record.index } else { NONE };
        self.sets.set_place(body, place);
    }

    /// Takes simulation data out of its set; the last body of the set fills the gap.
    pub(crate) fn take_from_set(&mut self, body: u32) -> (BodySim, BodyState) {
        let (set, index) = (self.bodies[body].set, self.bodies[body].index);
        let source = &mut self.sets.sets[set as usize];
        let sim = source.sims.swap_remove(index as usize);
        let state = if set == AWAKE { source.states.swap_remove(index as usize) } else { BodyState::REST };
        self.sets.set_place(body, NONE);
        let source = &self.sets.sets[set as usize];
        if let Some(filler) = source.sims.get(index as usize).map(|sim| sim.body) {
            self.bodies[filler].index = index;
            if set == AWAKE {
                self.sets.set_place(filler, index);
            }
        } else if set >= FIRST_SLEEPING && source.sims.is_empty() {
            self.sets.release(set);
        }
        self.bodies[body].set = NONE;
        (sim, state)
    }

    /// The set where an enabled body of this kind belongs when it does not sleep.
    pub(crate) fn home_set(kind: BodyKind) -> u32 {
        if kind == BodyKind::Fixed { FIXED } else { AWAKE }
    }

    /// True when the body's motion may change its contacts: awake, and not fixed.
    pub(crate) fn is_awake(&self, body: u32) -> bool {
        self.bodies[body].set == AWAKE
    }

    /// Wakes a body with all it rests on or against.
    pub(crate) fn wake(&mut self, body: u32) {
        let set = self.bodies[body].set;
        if set >= FIRST_SLEEPING && set != NONE {
            self.wake_set(set);
        }
        if self.is_awake(body) {
            self.sim_mut(body).sleep_time_s = 0.0;
        }
    }

    /// Wakes the bodies at the other end of a body's active contacts.
    pub(crate) fn wake_touching(&mut self, body: u32) {
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let contact = &self.contacts[contact_of(key)];
            key = contact.edges[side_of(key)].next;
            if contact.active && !contact.sensor {
                let other = contact.other_body(body);
                self.wake(other);
            }
        }
    }

    fn wake_set(&mut self, set: u32) {
        let sims = std::mem::take(&mut self.sets.sets[set as usize].sims);
        self.sets.release(set);
        let bodies: Vec<u32> = sims.iter().map(|sim| sim.body).collect();
        for mut sim in sims {
            sim.sleep_time_s = 0.0;
            sim.forget_before();
            let body = sim.body;
            self.put_in_set(body, AWAKE, sim, BodyState::REST);
            self.log.body_woke.push(self.bodies.id_at(body).expect("a woken body exists"));
        }
        let mut coloring = Coloring::default();
        for body in bodies {
            self.activate_contacts(body, &mut coloring.joining);
            for slot in 0..self.bodies[body].shapes.len() {
                let shape = self.bodies[body].shapes[slot];
                if !self.shapes[shape].paired {
                    self.mark_moved(shape);
                }
            }
        }
        self.color_scattered(&mut coloring);
    }

    /// Brings back the contacts and joints of a body that has just become awake. Lists the contacts that want a colour,
    /// each once for each of its bodies that wakes.
    pub(crate) fn activate_contacts(&mut self, body: u32, joining: &mut Vec<(u64, u32)>) {
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let index = contact_of(key);
            let contact = &self.contacts[index];
            key = contact.edges[side_of(key)].next;
            if contact.active {
                joining.push((contact.order(), index));
            }
            self.list_awake(index);
        }
        for slot in 0..self.bodies[body].joints.len() {
            self.color_joint(self.bodies[body].joints[slot]);
        }
    }

    /// The bodies that hang together with this one, in the order of their indices. Splits its island
    /// first if contacts were lost.
    pub(crate) fn island_bodies(&mut self, body: u32) -> Vec<u32> {
        self.split_island(body);
        let Some(island) = self.islands.island_of(body) else { return vec![body] };
        let mut bodies = self.islands.nodes(island).to_vec();
        bodies.sort_unstable();
        bodies
    }

    /// Splits the island of a body if contacts were lost in it.
    pub(crate) fn split_island(&mut self, body: u32) {
        if let Some(island) = self.islands.island_of(body)
            && self.islands.may_be_split(island)
        {
            self.islands.split(island);
        }
    }

    /// Moves bodies that rest together into a sleeping set.
    pub(crate) fn put_to_sleep(&mut self, bodies: &[u32]) {
        let set = self.sets.new_sleeping();
        for &body in bodies {
            let (mut sim, _) = self.take_from_set(body);
            sim.force = Vec2::ZERO;
            sim.torque = 0.0;
            sim.forget_before();
            self.put_in_set(body, set, sim, BodyState::REST);
            self.log.body_slept.push(self.bodies.id_at(body).expect("a sleeping body exists"));
        }
        for &body in bodies {
            self.retire_contacts(body);
        }
    }

    /// Takes the contacts and joints of a body that is no longer awake off the hot lists, unless the other body
    /// keeps them there.
    pub(crate) fn retire_contacts(&mut self, body: u32) {
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let index = contact_of(key);
            let contact = &self.contacts[index];
            key = contact.edges[side_of(key)].next;
            if !self.is_awake(contact.other_body(body)) {
                self.remove_from_colors(index);
                self.unlist_awake(index);
            }
        }
        for slot in 0..self.bodies[body].joints.len() {
            let joint = self.bodies[body].joints[slot];
            // What hangs together sleeps together; a kinematic body at the other end keeps nothing going.
            if !self.joint_moves(joint) {
                self.uncolor_joint(joint);
            }
        }
    }

    /// Recomputes mass, inertia and centre of mass from the shapes and what was set by hand. The
    /// body's origin stays where it is.
    pub(crate) fn update_mass(&mut self, body: u32) {
        // How joints are solved depends on the proportions of their bodies.
        self.joint_kind_changes += u64::from(!self.bodies[body].joints.is_empty());
        // So are contacts.
        if self.bodies[body].contact_head != NONE {
            self.burdens.forget();
        }
        let pose = self.sim(body).pose();
        let record = &self.bodies[body];
        let dynamic = record.kind == BodyKind::Dynamic;
        // Weightless shapes still say how a mass is spread.
        let weightless = dynamic && record.shapes.iter().all(|&shape| self.shapes[shape].density == 0.0);
        let mut total = MassData::default();
        if dynamic {
            // A part has its owner's mass already.
            let whole = record.shapes.iter().map(|&shape| &self.shapes[shape]).filter(|shape| shape.owner == NONE);
            for shape in whole {
                let density = if weightless { 1.0 } else { shape.density };
                if density > 0.0 {
                    total = total.combine(&shape.geometry.mass(density));
                }
            }
        }
        let (mut extent, mut thickness) = (0.0, f32::INFINITY);
        if record.kind != BodyKind::Fixed {
            for &shape in &record.shapes {
                let geometry = &self.shapes[shape].geometry;
                extent = max(extent, geometry.extent(total.center));
                thickness = min(thickness, geometry.inner_extent());
            }
        }
        let (mass, inertia) = mass_and_inertia(record, &total, weightless);
        let inverse = |x: f32| if dynamic { finite_inverse(x) } else { 0.0 };
        let locked = record.locked;
        let inv_mass = vec2(if locked.x { 0.0 } else { inverse(mass) }, if locked.y { 0.0 } else { inverse(mass) });
        let inv_inertia = if locked.rotation { 0.0 } else { inverse(inertia) };

        let record = &mut self.bodies[body];
        record.mass = mass;
        record.inertia = inertia;
        let sim = self.sim_mut(body);
        // The velocity of the centre of mass follows the centre to its new place.
        let shift = sim.rotation.rotate(total.center - sim.local_center);
        sim.local_center = total.center;
        sim.center = pose.point(total.center);
        sim.forget_before();
        sim.inv_mass = inv_mass;
        sim.inv_inertia = inv_inertia;
        sim.extent = extent;
        sim.thickness = thickness;
        if let Some(state) = self.state_mut(body) {
            let velocity = state.velocity + crate::math::cross_sv(state.angular_velocity, shift);
            // A locked axis stays at rest, wherever the centre is.
            state.velocity = if dynamic { locked.apply(velocity, 0.0).0 } else { velocity };
        }
    }

    /// Puts the boxes of a shape where its body's pose wants them, without having it look for partners.
    pub(crate) fn place_proxy(&mut self, shape: u32, pose: Pose) {
        let record = &mut self.shapes[shape];
        if !record.parts.is_empty() {
            return;
        }
        record.fat_aabb = record.fattened(pose);
        let body = record.body;
        self.note_fat_box(shape);
        self.sim_mut(body).room = 0.0;
        let record = &self.shapes[shape];
        if record.proxy != NONE {
            self.broad.set_bounds(record.proxy, &record.fat_aabb);
            self.broad.forget(record.proxy);
        }
    }

    /// Recomputes a shape's boxes from its body's pose and tells the broad phase if it left its fat
    /// box, or if `force` says that its outline changed.
    pub(crate) fn refresh_proxy(&mut self, shape: u32, pose: Pose, force: bool) {
        let record = &mut self.shapes[shape];
        let body = record.body;
        let left = record.follow(pose, Vec2::ZERO) == Followed::Left;
        if force && record.parts.is_empty() {
            record.margin = fat_margin(&record.geometry);
        }
        self.sim_mut(body).room = 0.0;
        let record = &mut self.shapes[shape];
        if record.proxy == NONE || !(left || force) {
            return;
        }
        if force {
            record.fat_aabb = record.fattened(pose);
            self.broad.forget(record.proxy);
        }
        self.broad.set_bounds(record.proxy, &record.fat_aabb);
        if !record.moved {
            record.moved = true;
            self.moved.push(shape);
        }
        self.note_fat_box(shape);
    }

    /// The box around a shape, without any margin.
    pub(crate) fn tight_aabb(&self, shape: u32) -> Aabb {
        let shape = &self.shapes[shape];
        shape.geometry.aabb(self.sim(shape.body).pose())
    }
}

/// A fat box that exceeds what it must hold by more than so many margins is too large.
const MOST_MARGINS: f32 = 4.0;

/// What became of the fat box of a shape that moved.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Followed {
    /// The shape is still inside, and so far from the nearest side.
    Inside(f32),
    /// The shape left it and got a new one.
    Left,
}

impl Shape {
    /// The fat box of a shape that is put somewhere.
    pub(crate) fn fattened(&self, pose: Pose) -> Aabb {
        self.geometry.aabb(pose).grown(SPECULATIVE_DISTANCE).grown(self.margin)
    }

    /// Looks whether the shape is still in its fat box, with what it passes over when it moves by `ahead`. A box that is far
    /// too large because the shape moved fast before counts as left.
    #[inline]
    pub(crate) fn follow(&mut self, pose: Pose, ahead: Vec2) -> Followed {
        // Its parts have boxes, and are on the body's list as well.
        if !self.parts.is_empty() || self.proxy == NONE {
            return Followed::Inside(f32::INFINITY);
        }
        let tight = self.geometry.aabb(pose);
        let mut reach = tight.grown(SPECULATIVE_DISTANCE);
        if ahead != Vec2::ZERO {
            reach = reach.union(&Aabb::new(tight.min + ahead, tight.max + ahead));
        }
        let (low, high) = (reach.min - self.fat_aabb.min, self.fat_aabb.max - reach.max);
        let most = max(max(low.x, low.y), max(high.x, high.y));
        if self.fat_aabb.contains(&reach) && most <= MOST_MARGINS * self.margin + SPECULATIVE_DISTANCE {
            Followed::Inside(min(min(low.x, low.y), min(high.x, high.y)))
        } else {
            // What reaches ahead is looked at again in the next step, and needs no margin there.
            self.fat_aabb = tight.grown(SPECULATIVE_DISTANCE).grown(self.margin).union(&reach);
            Followed::Left
        }
    }
}

/// Zero where the inverse is not in the range of numbers: of zero, and of numbers below 3e-39.
fn finite_inverse(x: f32) -> f32 {
    let inverse = 1.0 / x;
    if x > 0.0 && inverse.is_finite() { inverse } else { 0.0 }
}

/// Mass and inertia about the centre of mass, by hand or from the shapes.
fn mass_and_inertia(record: &Body, shapes: &MassData, weightless: bool) -> (f32, f32) {
    let mass = match record.mass_by_hand {
        Some(mass) => mass,
        // A dynamic body must have some mass: without shapes, or with weightless ones, it gets 1 kg.
        None if weightless || finite_inverse(shapes.mass) == 0.0 => 1.0,
        None => shapes.mass,
    };
    let inertia = match record.inertia_by_hand {
        Some(inertia) if inertia.is_infinite() => 0.0,
        Some(inertia) => inertia,
        None if shapes.mass > 0.0 => {
            let inertia = shapes.inertia * (mass / shapes.mass);
            // Shapes that weigh next to nothing beside the body leave the range of numbers, and it does not turn.
            if inertia.is_finite() { inertia } else { 0.0 }
        }
        None => 0.0,
    };
    (mass, inertia)
}
