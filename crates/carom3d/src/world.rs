//! The world: the public face of the engine.

use crate::advance::Clock;
use crate::balance::Balance;
use crate::body::{Activity, Body, BodyDef, BodyId, BodyKind, BodyState, Mover, MoverId, NONE};
use crate::broad::BOX_MARGIN;
use crate::collide::touch::triangle_normal;
use crate::contact::{Contact, ContactId, Link};
use crate::crowd::Crowd;
use crate::error::{DefError, finite3, non_negative};
use crate::events::{ContactEvent, Events};
use crate::force::ForceField;
use crate::inertia::Inertia;
use crate::integrate::{Integrator, Scratch};
use crate::material::{ImpactLaw, Mix};
use crate::math::{Aabb, DVec3, dvec3, max, min};
use crate::path::Path;
use crate::probe::Probe;
use crate::rest_islands::RestIslands;
use crate::shape::Shape;
use crate::spring::{Cluster, Spring, SpringId};
use crate::stage::impacts::Prediction;
use crate::stage::survey::Near;
use crate::stage::{STAGE_COUNT, Stage};
use carom_core::{Bounds, Bvh, NodeView, PairSet, Pool, StateHash, Timers};
use carom_threads::{MAX_THREADS, Team};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Describes a world. Lengths are in metres, masses in kilograms, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldDef {
    /// Acceleration of gravity in m/s^2. Default (0, -9.8, 0).
    pub gravity: DVec3,
    /// How states follow from forces. Default: Runge-Kutta of order 4.
    pub integrator: Integrator,
    /// What an impact does. Default: restitution and friction of the materials.
    pub impact_law: ImpactLaw,
    /// How friction coefficients combine. Default: geometric mean.
    pub friction_mix: Mix,
    /// How restitution coefficients combine. Default: the smaller. A dead floor stops any ball.
    pub restitution_mix: Mix,
    /// `E / (1 - nu^2)` of the bodies in Pa: how stiff they are where balls touch several others. Default infinity: bodies
    /// are rigid, and impacts follow one after the other, which passes momentum through a row of balls as ideal cradles
    /// do. With a number (6.6e9 for phenolic resin) balls that touch, or almost, share an impact as Hertz's law has it: a
    /// rack of pool balls scatters. Under [`ImpactLaw::Restitution`] only.
    pub contact_modulus: f64,
    /// Approach speed in m/s below which nothing rebounds. Default 0: the engine itself tells resting from bouncing,
    /// by whether the forces on the bodies would end the rebound within a step.
    pub restitution_speed: f64,
    /// Most rounds over the resting contacts in which their forces are balanced, 1 to 1000. Default 12. More make
    /// piles stiffer; a few balls are balanced after a few rounds whatever is allowed.
    pub rest_iterations: u32,
    /// May bodies fall asleep? Default true.
    pub sleeping: bool,
    /// Speed in m/s of a sphere's surface below which it counts as at rest. Default 0.05. Raising it lets bodies sleep
    /// sooner.
    pub sleep_speed: f64,
    /// How long bodies that hang together must be at rest before they fall asleep, in seconds. Default 0.5.
    pub sleep_delay_s: f64,
    /// Threads that share the work of a step, 1 to 64, the one that calls included. Default 1. Results do not depend on
    /// it. Worlds of few bodies use one in any case; so do worlds in a browser.
    pub threads: u32,
    /// The step of [`World::advance`] in seconds, above 0, at most 1. Default 1/60. Smaller ones are more exact where
    /// springs pull and where boxes meet.
    pub fixed_step_s: f64,
    /// Most steps that one call of [`World::advance`] makes, at least 1. Default 8. Time beyond is dropped, so that a
    /// slow frame does not make the next one slower.
    pub max_catch_up: u32,
}

impl Default for WorldDef {
    fn default() -> WorldDef {
        WorldDef {
            gravity: dvec3(0.0, -9.8, 0.0),
            integrator: Integrator::RungeKutta4,
            impact_law: ImpactLaw::Restitution,
            friction_mix: Mix::GeometricMean,
            restitution_mix: Mix::Min,
            contact_modulus: f64::INFINITY,
            restitution_speed: 0.0,
            rest_iterations: 12,
            sleeping: true,
            sleep_speed: 0.05,
            sleep_delay_s: 0.5,
            threads: 1,
            fixed_step_s: 1.0 / 60.0,
            max_catch_up: 8,
        }
    }
}

impl WorldDef {
    /// Checks every field.
    pub fn validate(&self) -> Result<(), DefError> {
        finite3("WorldDef.gravity", self.gravity)?;
        self.impact_law.validate()?;
        if self.contact_modulus.is_nan() || self.contact_modulus < 1.0 {
            return Err(DefError::field(
                "WorldDef.contact_modulus",
                self.contact_modulus,
                "at least 1 Pa, or infinity",
            ));
        }
        non_negative("WorldDef.restitution_speed", self.restitution_speed)?;
        if !(1..=1000).contains(&self.rest_iterations) {
            let expected = "a whole number from 1 to 1000";
            return Err(DefError::field("WorldDef.rest_iterations", self.rest_iterations, expected));
        }
        non_negative("WorldDef.sleep_speed", self.sleep_speed)?;
        non_negative("WorldDef.sleep_delay_s", self.sleep_delay_s)?;
        if !(1..=MAX_THREADS as u32).contains(&self.threads) {
            return Err(DefError::field("WorldDef.threads", self.threads, "a whole number from 1 to 64"));
        }
        if !(self.fixed_step_s > 0.0 && self.fixed_step_s <= 1.0) {
            return Err(DefError::field("WorldDef.fixed_step_s", self.fixed_step_s, "a number above 0, at most 1 s"));
        }
        if self.max_catch_up == 0 {
            return Err(DefError::field("WorldDef.max_catch_up", self.max_catch_up, "a whole number of at least 1"));
        }
        Ok(())
    }
}

/// A world of bodies that steps through time.
///
/// A world owns everything in it; bodies and springs are named by handles that stay valid until the thing is removed,
/// and never come to mean something else. Another world refuses them, even if it was made by the same calls.
///
/// A clone goes on bit for bit like the original, and both share their handles: what is added to one of them after they
/// parted has a handle that may name something else in the other.
///
/// ```
/// use carom3d::prelude::*;
/// let mut world = World::new(WorldDef::default());
/// world.add_body(BodyDef::plane(DVec3::Y))?;
/// let ball = world.add_body(BodyDef { position: dvec3(0.0, 5.0, 0.0), ..BodyDef::sphere(0.1) })?;
/// for _ in 0..600 {
///     world.step(1.0 / 60.0);
/// }
/// // Nothing was lost: it still bounces to where it fell from.
/// assert!((world.kinetic_energy() + world.potential_energy() - 9.8 * 5.0).abs() < 1.0e-9);
/// # let _ = ball;
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) def: WorldDef,
    pub(crate) bodies: Pool<Body, BodyId>,
    pub(crate) movers: Pool<Mover, MoverId>,
    pub(crate) springs: Pool<Spring, SpringId>,
    pub(crate) fields: Vec<Arc<dyn ForceField>>,
    pub(crate) contacts: Pool<Contact, ContactId>,
    /// Beside `contacts`: what a pass over all of them looks at first.
    pub(crate) links: Vec<Link>,
    /// Contacts made since they were last put in order.
    pub(crate) new_contacts: usize,
    /// Indices of the contacts that rest, or rested in this step; some may be gone.
    pub(crate) resting: Vec<u32>,
    /// Movers that got a new box in this step.
    pub(crate) reboxed: Vec<u32>,
    /// Beside `movers`: what a pass over all contacts reads of them. Filled where it is used.
    pub(crate) probes: Vec<Probe>,
    /// Contacts that may come to matter in this step, and how many others each mover may meet: see `stage/survey.rs`.
    pub(crate) near: Vec<Vec<Near>>,
    pub(crate) meets: Vec<u32>,
    /// Pairs that have a contact.
    pub(crate) pairs: PairSet,
    /// Boxes of what moves, by index of mover, and of what does not, by index of body.
    pub(crate) mover_tree: Bvh<Aabb>,
    pub(crate) fixed_tree: Bvh<Aabb>,
    /// Indices of the planes, which have no box.
    pub(crate) planes: Vec<u32>,
    /// Indices of the movers that are awake, in no particular but a reproducible order.
    pub(crate) awake: Vec<u32>,
    /// Groups of movers that fell asleep together, and the numbers of those that are empty.
    pub(crate) sleeping: Vec<Vec<u32>>,
    pub(crate) free_groups: Vec<u32>,
    pub(crate) clusters: Vec<Cluster>,
    pub(crate) clusters_are_stale: bool,
    /// Impacts to come in this step.
    pub(crate) predictions: BinaryHeap<Prediction>,
    pub(crate) scratch: Scratch,
    pub(crate) balance: Balance,
    pub(crate) crowd: Crowd,
    pub(crate) rest_islands: RestIslands,
    /// What the last step reported.
    events: Events,
    /// What has happened since.
    pub(crate) log: Events,
    pub(crate) clock: Clock,
    pub(crate) team: Team,
    pub(crate) timers: Timers<STAGE_COUNT>,
    /// The world's clock at the start of the step.
    pub(crate) time_s: f64,
    /// Length of the step being made; the last one's between steps.
    pub(crate) step_length_s: f64,
    step_count: u64,
}

impl World {
    /// An empty world.
    ///
    /// # Panics
    /// If a field of the definition is out of range. [`World::try_new`] returns the error instead.
    #[track_caller]
    pub fn new(def: WorldDef) -> World {
        match World::try_new(def) {
            Ok(world) => world,
            Err(error) => panic!("{error}"),
        }
    }

    /// An empty world, or what is wrong with the definition.
    pub fn try_new(def: WorldDef) -> Result<World, DefError> {
        def.validate()?;
        let origin = carom_core::new_origin();
        Ok(World {
            def,
            bodies: Pool::of(origin),
            movers: Pool::new(),
            springs: Pool::of(origin),
            fields: Vec::new(),
            contacts: Pool::new(),
            links: Vec::new(),
            new_contacts: 0,
            resting: Vec::new(),
            reboxed: Vec::new(),
            probes: Vec::new(),
            near: Vec::new(),
            meets: Vec::new(),
            pairs: PairSet::new(),
            mover_tree: Bvh::new(),
            fixed_tree: Bvh::new(),
            planes: Vec::new(),
            awake: Vec::new(),
            sleeping: Vec::new(),
            free_groups: Vec::new(),
            clusters: Vec::new(),
            clusters_are_stale: false,
            predictions: BinaryHeap::new(),
            scratch: Scratch::default(),
            balance: Balance::default(),
            crowd: Crowd::default(),
            rest_islands: RestIslands::default(),
            events: Events::default(),
            log: Events::default(),
            clock: Clock::default(),
            team: Team::new(def.threads as usize),
            timers: Timers::new(),
            time_s: 0.0,
            step_length_s: 0.0,
            step_count: 0,
        })
    }

    /// Advances the world by `dt` seconds: forces, motion, impacts in the order of time.
    ///
    /// Cannot fail. A `dt` that is not a number of at least a nanosecond makes no time pass; a `dt` above 1 s is cut to
    /// 1 s. A body whose state leaves the range of numbers is frozen and reported in [`Events::body_frozen`], and the
    /// others go on. So is a body that hits more than 10,000 times in a step, and, once a step has had 100,000 impacts and
    /// 100 more for every body that is awake, each body that is hit: a step ends, whatever bodies do.
    pub fn step(&mut self, dt: f64) {
        if dt >= 1.0e-9 {
            self.step_length_s = if dt < 1.0 { dt } else { 1.0 };
            crate::step::step(self);
            self.time_s += self.step_length_s;
            self.step_count += 1;
        }
        std::mem::swap(&mut self.events, &mut self.log);
        self.log.clear();
    }

    /// What happened in the last step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Says how many steps were made: for a state that comes from elsewhere.
    pub(crate) fn set_step_count(&mut self, step_count: u64) {
        self.step_count = step_count;
    }

    pub(crate) fn events_mut(&mut self) -> &mut Events {
        &mut self.events
    }

    /// How many steps the world has made.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    /// The time that has passed in the world, in seconds.
    pub fn time_s(&self) -> f64 {
        self.time_s
    }

    // ---- settings -------------------------------------------------------------------------------

    /// The settings in force.
    pub fn def(&self) -> &WorldDef {
        &self.def
    }

    /// Changes the settings while the world runs, and wakes all bodies if that makes a difference to them.
    pub fn set_def(&mut self, def: WorldDef) -> Result<(), DefError> {
        def.validate()?;
        if def.threads != self.def.threads {
            self.def.threads = def.threads;
            self.team = Team::new(def.threads as usize);
        }
        if def != self.def {
            self.def = def;
            self.wake_all();
            let indices: Vec<u32> = self.contacts.ids().map(|id| id.index()).collect();
            for contact in indices {
                self.mix_materials(contact);
            }
        }
        Ok(())
    }

    /// Changes gravity and wakes all bodies.
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), DefError> {
        self.set_def(WorldDef { gravity, ..self.def })
    }

    /// Adds a force that acts on every dynamic body, and wakes all bodies.
    pub fn add_force_field(&mut self, field: Arc<dyn ForceField>) {
        self.fields.push(field);
        self.wake_all();
    }

    /// Removes all force fields, and wakes all bodies.
    pub fn clear_force_fields(&mut self) {
        self.fields.clear();
        self.wake_all();
    }

    /// Finds the coefficients of a contact from the materials of its bodies.
    pub(crate) fn mix_materials(&mut self, contact: u32) {
        let record = &self.contacts[contact];
        let (a, b) = (self.bodies[record.body_a].material, self.bodies[record.body_b].material);
        let radius_a = self.movers[record.mover_a].radius;
        let radius = self.movers.get_at(record.mover_b).map_or(radius_a, |b| min(radius_a, b.radius));
        let record = &mut self.contacts[contact];
        record.friction = self.def.friction_mix.apply(a.friction, b.friction);
        record.restitution = self.def.restitution_mix.apply(a.restitution, b.restitution);
        record.rolling = max(a.rolling_resistance, b.rolling_resistance) * radius;
    }

    // ---- bodies ---------------------------------------------------------------------------------

    /// Adds a body.
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, DefError> {
        def.validate()?;
        let shape = def.shape.checked()?;
        let id = self.bodies.insert(Body {
            shape,
            material: def.material,
            position: def.position,
            orientation: if shape.is_solid() { def.orientation.normalized() } else { Default::default() },
            normal: DVec3::ZERO,
            corners: [DVec3::ZERO; 3],
            mover: NONE,
            fixed_proxy: NONE,
            springs: Vec::new(),
            user_data: def.user_data,
        });
        match def.kind {
            BodyKind::Fixed => self.place_fixed(id.index()),
            BodyKind::Kinematic | BodyKind::Dynamic => self.add_mover(id.index(), &def, shape.reach()),
        }
        Ok(id)
    }

    fn add_mover(&mut self, body: u32, def: &BodyDef, radius: f64) {
        let is_dynamic = def.kind == BodyKind::Dynamic;
        let state = BodyState {
            position: def.position,
            orientation: def.orientation.normalized(),
            velocity: def.velocity,
            angular_velocity: def.angular_velocity,
        };
        let fat_aabb = Aabb::of_sphere(def.position, radius * (1.0 + BOX_MARGIN));
        let mover = self.movers.insert(Mover {
            body,
            radius,
            mass: if is_dynamic { def.mass } else { f64::INFINITY },
            inv_mass: 0.0,
            inv_inertia: 0.0,
            inertia: Inertia::of(&def.shape, def.mass).unturnable(),
            linear_damping: def.linear_damping,
            angular_damping: def.angular_damping,
            gravity_scale: def.gravity_scale,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            contact_force: DVec3::ZERO,
            contact_torque: DVec3::ZERO,
            state,
            end: state,
            flows: false,
            is_pressed: false,
            jump: DVec3::ZERO,
            path: Path::still(def.position),
            reach: 0.0,
            clock_s: 0.0,
            serial: 0,
            is_path_stale: false,
            is_broken: false,
            rest_speed: 0.0,
            impacts: 0.0,
            allowed_impacts: 0.0,
            place: NONE,
            proxy: NONE,
            fat_aabb,
            contacts: Vec::new(),
            cluster: NONE,
            activity: Activity::Awake,
            can_sleep: def.can_sleep,
            sleep_time_s: 0.0,
        });
        let index = mover.index();
        if is_dynamic {
            self.movers[index].set_mass(&def.shape, def.mass);
        }
        self.movers[index].proxy = self.mover_tree.insert(fat_aabb, 1, index);
        self.bodies[body].mover = index;
        self.awake.push(index);
        self.find_partners(index);
    }

    /// Enters a fixed body into the tree or the list of planes, and wakes what it was put next to.
    fn place_fixed(&mut self, body: u32) {
        let record = &mut self.bodies[body];
        match record.shape {
            Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Capsule { .. } => {}
            Shape::Plane { normal } => record.normal = normal,
            Shape::Triangle { corners } => {
                record.corners = corners.map(|corner| record.position + corner);
                record.normal = triangle_normal(&corners);
            }
        }
        match record.shape.aabb(record.position, record.orientation) {
            Some(aabb) => {
                self.bodies[body].fixed_proxy = self.fixed_tree.insert(aabb, 1, body);
                let mut near = Vec::new();
                self.mover_tree.query(&aabb, 1, &mut |mover| {
                    near.push(mover);
                    true
                });
                self.meet(&near, body);
            }
            None => {
                self.planes.push(body);
                let near: Vec<u32> = self.movers.ids().map(|id| id.index()).collect();
                self.meet(&near, body);
            }
        }
    }

    fn meet(&mut self, movers: &[u32], body: u32) {
        for &mover in movers {
            if self.movers[mover].activity != Activity::Frozen && self.is_near(mover, body) {
                self.add_contact(mover, body);
                self.wake(mover);
            }
        }
    }

    /// Whether the box of a mover meets that of a fixed body.
    pub(crate) fn is_near(&self, mover: u32, body: u32) -> bool {
        let (fat_aabb, body) = (&self.movers[mover].fat_aabb, &self.bodies[body]);
        match body.shape.aabb(body.position, body.orientation) {
            Some(aabb) => fat_aabb.overlaps(&aabb),
            None => fat_aabb.meets_plane(body.position, body.normal),
        }
    }

    /// Removes a body with its springs. What rested on it wakes.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), DefError> {
        self.check_body(id)?;
        let body = id.index();
        self.remove_springs_of(body);
        self.remove_contacts_of(body);
        let mover = self.bodies[body].mover;
        if mover != NONE {
            self.wake(mover);
            self.awake.retain(|&other| other != mover);
            if self.movers[mover].activity != Activity::Frozen {
                self.mover_tree.remove(self.movers[mover].proxy);
            }
            self.movers.remove_at(mover);
            self.clusters_are_stale = true;
        }
        if self.bodies[body].fixed_proxy != NONE {
            self.fixed_tree.remove(self.bodies[body].fixed_proxy);
        }
        self.planes.retain(|&other| other != body);
        self.bodies.remove(id);
        Ok(())
    }

    /// Removes all contacts of a body and wakes its partners.
    pub(crate) fn remove_contacts_of(&mut self, body: u32) {
        let of_body = |contact: &Contact| contact.body_a == body || contact.body_b == body;
        let contacts: Vec<u32> = match self.bodies[body].mover {
            NONE => self.contacts.iter().filter(|(_, c)| of_body(c)).map(|(id, _)| id.index()).collect(),
            mover => self.movers[mover].contacts.clone(),
        };
        for contact in contacts {
            let (a, b) = (self.contacts[contact].mover_a, self.contacts[contact].mover_b);
            self.wake(a);
            if b != NONE {
                self.wake(b);
            }
            self.remove_contact(contact);
        }
    }

    /// Puts a body at another place, between steps, and wakes what it touched and what it comes to.
    pub(crate) fn teleport(&mut self, body: u32, position: DVec3) {
        self.remove_contacts_of(body);
        self.bodies[body].position = position;
        match self.bodies[body].mover {
            NONE => {
                if self.bodies[body].fixed_proxy != NONE {
                    self.fixed_tree.remove(self.bodies[body].fixed_proxy);
                }
                self.planes.retain(|&other| other != body);
                self.place_fixed(body);
                self.clusters_are_stale = true;
            }
            mover => {
                self.wake(mover);
                self.thaw(mover);
                let record = &mut self.movers[mover];
                record.state.position = position;
                record.path = Path::still(position);
                // Its contacts are gone, and what they did to it.
                record.contact_force = DVec3::ZERO;
                record.contact_torque = DVec3::ZERO;
                record.fat_aabb = Aabb::of_sphere(position, record.radius * (1.0 + BOX_MARGIN));
                self.mover_tree.set_bounds(record.proxy, record.fat_aabb);
                self.forget_pose(mover);
                self.find_partners(mover);
                let partners: Vec<u32> = self.movers[mover].contacts.clone();
                for contact in partners {
                    let other = self.contacts[contact].other_mover(mover);
                    if other != NONE {
                        self.wake(other);
                    }
                }
            }
        }
        for spring in self.bodies[body].springs.clone() {
            for end in self.springs[spring].def.bodies {
                self.wake_body(end.index());
            }
        }
    }

    /// Lets a frozen mover take part again.
    fn thaw(&mut self, mover: u32) {
        let record = &mut self.movers[mover];
        if record.activity == Activity::Frozen {
            record.activity = Activity::Awake;
            record.is_broken = false;
            let mass = record.mass;
            if mass.is_finite() {
                record.set_mass(&self.bodies[record.body].shape, mass);
            }
            record.proxy = self.mover_tree.insert(record.fat_aabb, 1, mover);
            self.awake.push(mover);
        }
    }

    /// True when the handle names a body of this world.
    pub fn contains_body(&self, id: BodyId) -> bool {
        self.bodies.contains(id)
    }

    /// Handles of all bodies, in the order of their indices.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.bodies.ids()
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// How many bodies are awake.
    pub fn awake_count(&self) -> usize {
        self.awake.len()
    }

    /// How many pairs of bodies are near each other.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    pub(crate) fn check_body(&self, id: BodyId) -> Result<(), DefError> {
        if self.bodies.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }

    pub(crate) fn contact_event(&self, body_a: u32, body_b: u32) -> Option<ContactEvent> {
        Some(ContactEvent { body_a: self.bodies.id_at(body_a)?, body_b: self.bodies.id_at(body_b)? })
    }

    // ---- looking inside -------------------------------------------------------------------------

    /// Kinetic energy of all dynamic bodies, in J.
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies.ids().map(|id| self.body(id).kinetic_energy()).sum()
    }

    /// Energy of all dynamic bodies in the world's gravity, zero at the origin, and of all springs, in J.
    pub fn potential_energy(&self) -> f64 {
        let of_mover = |mover: &Mover| match mover.is_kinematic() {
            true => 0.0,
            false => -mover.mass * mover.gravity_scale * self.def.gravity.dot(mover.state.position),
        };
        self.movers.iter().map(|(_, mover)| of_mover(mover)).sum::<f64>() + self.spring_energy()
    }

    /// Momentum of all dynamic bodies, in kg m/s.
    pub fn momentum(&self) -> DVec3 {
        let of_mover = |mover: &Mover| match mover.is_kinematic() {
            true => DVec3::ZERO,
            false => mover.state.velocity * mover.mass,
        };
        self.movers.iter().fold(DVec3::ZERO, |sum, (_, mover)| sum + of_mover(mover))
    }

    /// The nodes of the tree over what moves, parents before their children, for drawing.
    pub fn tree_nodes(&self) -> impl Iterator<Item = NodeView<Aabb>> + '_ {
        self.mover_tree.nodes()
    }

    /// Checks every internal invariant. For tests; slow.
    ///
    /// # Panics
    /// If anything is inconsistent, with what.
    pub fn validate(&self) {
        crate::validate::world(self);
    }

    /// Switches the timing of the stages on or off.
    pub fn set_profiling(&mut self, on: bool) {
        self.timers.enabled = on;
        self.timers.reset();
    }

    /// Seconds spent in each stage since profiling was switched on.
    pub fn stage_times(&self) -> impl Iterator<Item = (Stage, f64)> {
        Stage::ALL.into_iter().zip(self.timers.seconds())
    }

    /// A fingerprint of all states of bodies that can move. Equal states have equal hashes on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for (_, body) in self.bodies.iter().filter(|(_, body)| body.mover != NONE) {
            let BodyState { position, orientation, velocity, angular_velocity } = self.movers[body.mover].state;
            hash.write_f64(orientation.w + 0.0);
            for part in [position, orientation.vector(), velocity, angular_velocity] {
                // Zero has two signs; they mean the same state.
                part.to_array().into_iter().for_each(|number| hash.write_f64(number + 0.0));
            }
        }
        hash.finish()
    }
}
