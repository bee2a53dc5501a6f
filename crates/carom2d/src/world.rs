//! The world: the public face of the engine.

use crate::advance::Clock;
use crate::attach::{Shape, ShapeDef, ShapeId, fat_margin};
use crate::body::{Body, BodyDef, BodyId, BodyKind, BodySim, BodyState, NONE};
use crate::broad::{BroadPhase, BroadPhaseKind};
use crate::collide::Form;
use crate::compound::Compounds;
use crate::contact::{Contact, ContactId, contact_of};
use crate::error::{DefError, finite2, non_negative};
use crate::events::Events;
use crate::fluid::{Fluid, FluidId};
use crate::hooks::Hooks;
use crate::joint::{Joint, JointId};
use crate::material::Mix;
use crate::math::{Aabb, Pose, Rot, Vec2, max, vec2};
use crate::motion::Motions;
use crate::sets::{DISABLED, FIRST_SLEEPING, SolverSets};
use crate::shape::Geometry;
use crate::solver::{Constraints, Correction, Sequential, Solver};
use crate::stage::ablation::LeftOut;
use crate::stage::burdens::Burdens;
use crate::stage::contacts::{Notes, Prospect};
use crate::stage::finalize::Finished;
use crate::stage::foresee::{BOUNCY, Impacts};
use crate::stage::kinematic::Ramp;
use crate::stage::preload::Preloads;
use crate::stage::{STAGE_COUNT, Stage};
use carom_core::{BitSet, ColorGraph, Islands, PairSet, Pool, StateHash, Timers};
use carom_threads::{MAX_THREADS, Team};
use carom_wide::Width;

/// Whether bodies that move far in a step are kept from passing through others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Continuous {
    /// Fast bodies may pass through thin ones. Spares a little time where much is fast.
    Off,
    /// A body that moved or turned far against its size is put back to where it met something: a fixed
    /// or a kinematic body, or any body if it is a [bullet](BodyDef::bullet). There the next step finds
    /// it, at the speed it had.
    #[default]
    On,
}

/// Describes a world. All lengths are in metres, masses in kilograms, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldDef {
    /// Acceleration of gravity in m/s^2. Default (0, -10).
    pub gravity: Vec2,
    /// Solver sub-steps per step, 1 to 64. Default 4. More make stacks stiffer and impacts finer, at
    /// proportional cost.
    pub substeps: u32,
    /// How friction coefficients combine. Default: geometric mean.
    pub friction_mix: Mix,
    /// How restitution coefficients combine. Default: maximum.
    pub restitution_mix: Mix,
    /// Approach speed in m/s below which nothing rebounds. Default 0: the engine itself tells
    /// resting from bouncing by the speed that gravity adds within two sub-steps.
    pub restitution_speed: f32,
    /// Approach speed in m/s above which a contact reports a hit. Default 1.
    pub hit_speed: f32,
    /// Stiffness of contacts as a frequency in Hz; limited to 0.175 of the sub-step rate, which is 42 Hz at 60 steps of
    /// 4 sub-steps a second. Default 42. Raising it shrinks the overlap of things under load, down to the limit.
    pub contact_hertz: f32,
    /// Damping ratio of contacts. Default 14: overlaps vanish without a bounce, in a tenth of a second. Raising it damps the
    /// sway of tall stacks in proportion, and lets overlaps last in proportion.
    pub contact_damping: f32,
    /// Fastest that overlapping bodies are pushed apart, in m/s. Default 3.
    pub push_out_speed: f32,
    /// Fastest that any body may move, in m/s. Default 400.
    pub max_speed: f32,
    /// Are fast bodies kept from passing through others? Default: on.
    pub continuous: Continuous,
    /// May bodies fall asleep? Default true.
    pub sleeping: bool,
    /// How long an island must rest before it falls asleep, in seconds. Default 0.5.
    pub sleep_delay_s: f32,
    /// How constraints are solved. Default: in soft sub-steps.
    pub solver: Solver,
    /// Which broad phase finds pairs. Default: the bounding-volume tree. Results do not depend on it.
    pub broad_phase: BroadPhaseKind,
    /// Threads that share the work of a step, 1 to 64, the one that calls included. Default 1. Results do not
    /// depend on it. Worlds of few bodies use one in any case; so do worlds in a browser.
    pub threads: u32,
    /// Length of the steps that [`World::advance`] makes, in seconds. Default 1/60.
    pub fixed_step_s: f32,
    /// Most steps that one call of [`World::advance`] makes. Default 8. Time beyond that is dropped,
    /// so that a slow machine slows down instead of stalling.
    pub max_catch_up: u32,
}

impl Default for WorldDef {
    fn default() -> WorldDef {
        WorldDef {
            gravity: vec2(0.0, -10.0),
            substeps: 4,
            friction_mix: Mix::GeometricMean,
            restitution_mix: Mix::Max,
            restitution_speed: 0.0,
            hit_speed: 1.0,
            contact_hertz: 42.0,
            contact_damping: 14.0,
            push_out_speed: 3.0,
            max_speed: 400.0,
            continuous: Continuous::On,
            sleeping: true,
            sleep_delay_s: 0.5,
            solver: Solver::SoftStep,
            broad_phase: BroadPhaseKind::Tree,
            threads: 1,
            fixed_step_s: 1.0 / 60.0,
            max_catch_up: 8,
        }
    }
}

impl WorldDef {
    /// Checks every field.
    pub fn validate(&self) -> Result<(), DefError> {
        finite2("WorldDef.gravity", self.gravity)?;
        if !(1..=64).contains(&self.substeps) {
            return Err(DefError::field("WorldDef.substeps", self.substeps, "a whole number from 1 to 64"));
        }
        non_negative("WorldDef.restitution_speed", self.restitution_speed)?;
        non_negative("WorldDef.hit_speed", self.hit_speed)?;
        if !(1.0..=1.0e4).contains(&self.contact_hertz) {
            return Err(DefError::field("WorldDef.contact_hertz", self.contact_hertz, "a number from 1 to 1e4 Hz"));
        }
        if !(0.1..=100.0).contains(&self.contact_damping) {
            return Err(DefError::field("WorldDef.contact_damping", self.contact_damping, "a number from 0.1 to 100"));
        }
        non_negative("WorldDef.push_out_speed", self.push_out_speed)?;
        if !(self.max_speed > 0.0 && self.max_speed <= 1.0e6) {
            return Err(DefError::field("WorldDef.max_speed", self.max_speed, "a number above 0, at most 1e6 m/s"));
        }
        non_negative("WorldDef.sleep_delay_s", self.sleep_delay_s)?;
        if !(self.fixed_step_s > 0.0 && self.fixed_step_s <= 1.0) {
            return Err(DefError::field("WorldDef.fixed_step_s", self.fixed_step_s, "a number above 0, at most 1 s"));
        }
        if self.max_catch_up == 0 {
            return Err(DefError::field("WorldDef.max_catch_up", self.max_catch_up, "a whole number of at least 1"));
        }
        if !(1..=MAX_THREADS as u32).contains(&self.threads) {
            return Err(DefError::field("WorldDef.threads", self.threads, "a whole number from 1 to 64"));
        }
        if let Solver::Sequential(settings) = &self.solver {
            settings.validate()?;
        }
        self.broad_phase.validate()
    }
}

/// A world of bodies that steps through time.
///
/// A world owns everything in it; bodies, shapes and contacts are named by handles that stay valid
/// until the thing is removed, and never come to mean something else. Another world refuses them, even if it was made by
/// the same calls: send them as bits ([`BodyId::from_bits`]) to a copy of the world elsewhere.
///
/// A clone goes on bit for bit like the original, and both share their handles: what is added to one of them after they
/// parted has a handle that may name something else in the other.
///
/// ```
/// use carom2d::prelude::*;
/// let mut world = World::new(WorldDef::default());
/// let ground = world.add_body(BodyDef::fixed())?;
/// world.add_shape(ground, ShapeDef::rectangle(100.0, 1.0))?;
/// let brick = world.add_body(BodyDef { position: vec2(0.0, 4.0), ..BodyDef::dynamic() })?;
/// world.add_shape(brick, ShapeDef { friction: 0.4, ..ShapeDef::rectangle(1.0, 0.5) })?;
/// for _ in 0..120 {
///     world.step(1.0 / 60.0);
/// }
/// assert!((world.body(brick).position().y - 0.75).abs() < 0.01);
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) def: WorldDef,
    pub(crate) bodies: Pool<Body, BodyId>,
    pub(crate) shapes: Pool<Shape, ShapeId>,
    pub(crate) contacts: Pool<Contact, ContactId>,
    pub(crate) sets: SolverSets,
    pub(crate) broad: BroadPhase,
    /// Pairs of shapes that have a contact.
    pub(crate) pairs: PairSet,
    /// Shapes whose fat box changed since pairs were last looked for, and perhaps some that are gone.
    pub(crate) moved: Vec<u32>,
    /// Memory of the last search for pairs, and of the end of the last step.
    pub(crate) new_pairs: Vec<u64>,
    pub(crate) pair_lists: Vec<Vec<u64>>,
    pub(crate) finished: Finished,
    /// Contacts with an awake body, and sensor pairs likewise.
    pub(crate) awake_contacts: BitSet,
    pub(crate) awake_sensors: BitSet,
    /// Shapes that are sensors.
    pub(crate) sensors: BitSet,
    /// Parallel to the slots of `contacts`: what the narrow phase reads first. Of awake contacts only.
    pub(crate) prospects: Vec<Prospect>,
    /// Parallel to the slots of `shapes`: those that the broad phase knows, as lanes read them.
    pub(crate) forms: Vec<Form>,
    /// The fat box of each shape in the broad phase again, side by side: the narrow phase asks for little else of most of
    /// them.
    pub(crate) fat_boxes: Vec<Aabb>,
    /// Contacts whose shapes may overlap deeply, as the narrow phase found them.
    pub(crate) deep_contacts: Vec<u32>,
    pub(crate) notes: Vec<Notes>,
    pub(crate) impacts: Impacts,
    /// Of the awake bodies, when the narrow phase began.
    pub(crate) motions: Motions,
    /// What there is to know of shapes with parts.
    pub(crate) compounds: Compounds,
    pub(crate) islands: Islands,
    pub(crate) colors: ColorGraph,
    pub(crate) joints: Pool<Joint, JointId>,
    /// Colours of the joints that act on something awake. Gears have none: their indices are listed.
    pub(crate) joint_colors: ColorGraph,
    /// How often a joint has become one that is solved elsewhere.
    pub(crate) joint_kind_changes: u64,
    pub(crate) gears: Vec<u32>,
    pub(crate) fluids: Pool<Fluid, FluidId>,
    /// Of kinematic bodies whose velocities change, in the order of their indices.
    pub(crate) ramps: Vec<Ramp>,
    pub(crate) constraints: Constraints,
    /// What the last step reported.
    events: Events,
    /// What has happened since.
    pub(crate) log: Events,
    pub(crate) team: Team,
    pub(crate) clock: Clock,
    pub(crate) timers: Timers<STAGE_COUNT>,
    /// The instructions that wide stages use. No result depends on them.
    pub(crate) width: Width,
    /// By the caller.
    pub(crate) width_is_chosen: bool,
    /// Gravity when sleepers were last woken by a change of it.
    rest_gravity: Vec2,
    /// Length of the last sub-step in seconds; 0 before the first.
    pub(crate) last_h: f32,
    /// What contacts carried when they were built.
    pub(crate) preloads: Preloads,
    /// Light bodies that carry heavy ones.
    pub(crate) burdens: Burdens,
    pub(crate) last_substeps: u32,
    /// The longest sub-step of late: contacts are as soft as it wants them.
    pub(crate) longest_h: f32,
    /// Some shape has, or has had, a restitution that is worth looking ahead for.
    pub(crate) bounces: bool,
    /// Measures against jitter that are left out.
    pub(crate) left_out: LeftOut,
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
            broad: BroadPhase::new(def.broad_phase),
            def,
            bodies: Pool::of(origin),
            shapes: Pool::of(origin),
            contacts: Pool::of(origin),
            sets: SolverSets::new(),
            pairs: PairSet::new(),
            moved: Vec::new(),
            new_pairs: Vec::new(),
            pair_lists: Vec::new(),
            finished: Finished::default(),
            awake_contacts: BitSet::new(),
            awake_sensors: BitSet::new(),
            sensors: BitSet::new(),
            prospects: Vec::new(),
            forms: Vec::new(),
            fat_boxes: Vec::new(),
            deep_contacts: Vec::new(),
            notes: Vec::new(),
            impacts: Impacts::default(),
            motions: Motions::default(),
            compounds: Compounds::default(),
            islands: Islands::new(),
            colors: ColorGraph::new(),
            joints: Pool::of(origin),
            joint_colors: ColorGraph::new(),
            joint_kind_changes: 0,
            gears: Vec::new(),
            fluids: Pool::of(origin),
            ramps: Vec::new(),
            constraints: Constraints::default(),
            events: Events::default(),
            log: Events::default(),
            team: Team::new(def.threads as usize),
            clock: Clock::default(),
            timers: Timers::new(),
            width: Width::best(),
            width_is_chosen: false,
            rest_gravity: def.gravity,
            last_h: 0.0,
            preloads: Preloads::default(),
            burdens: Burdens::default(),
            last_substeps: 0,
            longest_h: 0.0,
            bounces: false,
            left_out: LeftOut::default(),
            step_count: 0,
        })
    }

    /// Advances the world by `dt` seconds: forces, collisions, motion. Usually 1/60.
    ///
    /// Cannot fail. A `dt` that is not a number of at least a microsecond makes no time pass; a `dt`
    /// above 1 s is cut to 1 s. A body whose state leaves the range of numbers is frozen and reported in
    /// [`Events::body_frozen`], and the others go on.
    pub fn step(&mut self, dt: f32) {
        self.step_asking(dt, None);
    }

    /// The same as [`World::step`], with hooks that decide about single pairs and contacts.
    pub fn step_with(&mut self, dt: f32, hooks: &dyn Hooks) {
        self.step_asking(dt, Some(hooks));
    }

    pub(crate) fn step_asking(&mut self, dt: f32, hooks: Option<&dyn Hooks>) {
        if dt >= 1.0e-6 {
            let dt = if dt < 1.0 { dt } else { 1.0 };
            match self.def.solver {
                Solver::Sequential(Sequential { correction: Correction::FirstImpact, .. }) => {
                    crate::stage::first_impact::step_in_parts(self, dt, hooks);
                }
                _ => crate::step::step(self, dt, hooks),
            }
            self.step_count += 1;
        }
        self.report_compounds();
        std::mem::swap(&mut self.events, &mut self.log);
        self.log.clear();
    }

    /// What happened in the last step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    pub(crate) fn events_mut(&mut self) -> &mut Events {
        &mut self.events
    }

    /// How many steps the world has made.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    // ---- settings -------------------------------------------------------------------------------

    /// The settings in force.
    pub fn def(&self) -> &WorldDef {
        &self.def
    }

    /// The acceleration of gravity in m/s^2.
    pub fn gravity(&self) -> Vec2 {
        self.def.gravity
    }

    /// Changes gravity. Wakes every sleeping body on which gravity acts, unless the change is slight: a
    /// hundredth, all changes since the last waking together.
    pub fn set_gravity(&mut self, gravity: Vec2) -> Result<(), DefError> {
        finite2("gravity", gravity)?;
        // A hand-held accelerometer never holds still: what differs by less than a hundredth from
        // the gravity that the sleepers fell asleep under wakes nobody.
        let near = |a: f32, b: f32, scale: f32| (a - b).abs() <= 0.007 * scale;
        let before = self.rest_gravity;
        let scale = max(max(gravity.x.abs(), gravity.y.abs()), max(before.x.abs(), before.y.abs()));
        self.def.gravity = gravity;
        if !(near(gravity.x, before.x, scale) && near(gravity.y, before.y, scale)) {
            self.rest_gravity = gravity;
            self.wake_all_that(|sim| sim.gravity_scale != 0.0);
        }
        Ok(())
    }

    /// Changes the settings while the world runs. Switching the broad phase rebuilds it; switching
    /// sleep off wakes everybody; a change of mixing rule applies to all contacts.
    pub fn set_def(&mut self, def: WorldDef) -> Result<(), DefError> {
        def.validate()?;
        let before = self.def;
        self.set_gravity(def.gravity)?;
        self.def = def;
        if before.threads != def.threads {
            self.team = Team::new(def.threads as usize);
        }
        if before.sleeping && !def.sleeping {
            self.wake_all_that(|_| true);
        }
        if before.friction_mix != def.friction_mix || before.restitution_mix != def.restitution_mix {
            let indices: Vec<u32> = self.contacts.iter().map(|(id, _)| id.index()).collect();
            for index in indices {
                self.remix(index);
            }
        }
        if before.solver.edge_rule() != def.solver.edge_rule() {
            self.prospects.iter_mut().for_each(Prospect::forget);
        }
        if before.broad_phase != def.broad_phase {
            self.broad = BroadPhase::new(def.broad_phase);
            for (id, shape) in self.shapes.iter_mut() {
                if shape.proxy != NONE {
                    let kind = self.bodies[shape.body].kind;
                    shape.proxy = self.broad.insert(id.index(), &shape.fat_aabb, shape.broad_filter(), kind);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn remix(&mut self, contact: u32) {
        let record = &self.contacts[contact];
        let material = self.mix_materials(&self.shapes[record.shape_a], &self.shapes[record.shape_b]);
        self.contacts[contact].material = material;
    }

    fn wake_all_that(&mut self, which: impl Fn(&BodySim) -> bool) {
        for set in FIRST_SLEEPING as usize..self.sets.sets.len() {
            let body = self.sets.sets[set].sims.iter().find(|sim| which(sim)).map(|sim| sim.body);
            if let Some(body) = body {
                self.wake(body);
            }
        }
    }

    // ---- bodies ---------------------------------------------------------------------------------

    /// Adds a body. It has no shape yet; give it some with [`World::add_shape`].
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, DefError> {
        def.validate()?;
        let infinite = def.mass.is_some_and(f32::is_infinite);
        let kind = if def.kind == BodyKind::Dynamic && infinite { BodyKind::Fixed } else { def.kind };
        let id = self.bodies.insert(Body {
            kind,
            set: NONE,
            index: NONE,
            shapes: Vec::new(),
            contact_head: NONE,
            contact_count: 0,
            joints: Vec::new(),
            mass: 0.0,
            inertia: 0.0,
            mass_by_hand: def.mass.filter(|m| m.is_finite()),
            inertia_by_hand: def.inertia,
            locked: def.locked,
            sleep_speed: def.sleep_speed,
            can_sleep: def.can_sleep,
            bullet: def.bullet,
            frozen: false,
            parked_velocity: (Vec2::ZERO, 0.0),
            user_data: def.user_data,
        });
        let body = id.index();
        let rotation = Rot::from_angle(def.angle);
        let sim = BodySim {
            body,
            center: def.position,
            rotation,
            center_before: def.position,
            rotation_before: rotation,
            local_center: Vec2::ZERO,
            inv_mass: Vec2::ZERO,
            inv_inertia: 0.0,
            force: Vec2::ZERO,
            torque: 0.0,
            linear_damping: def.linear_damping,
            angular_damping: def.angular_damping,
            gravity_scale: def.gravity_scale,
            extent: 0.0,
            thickness: f32::INFINITY,
            sleep_time_s: 0.0,
            room: 0.0,
        };
        let mut state = BodyState::REST;
        if kind != BodyKind::Fixed {
            state.velocity = def.velocity;
            state.angular_velocity = def.angular_velocity;
        }
        if kind == BodyKind::Dynamic {
            (state.velocity, state.angular_velocity) = def.locked.apply(state.velocity, state.angular_velocity);
        }
        if kind == BodyKind::Dynamic {
            self.islands.add_node(body);
        }
        if def.enabled {
            self.put_in_set(body, World::home_set(kind), sim, state);
            self.update_mass(body);
            if !def.awake && kind == BodyKind::Dynamic {
                self.put_to_sleep(&[body]);
                self.log.body_slept.pop();
            }
        } else {
            self.bodies[body].parked_velocity = (state.velocity, state.angular_velocity);
            self.put_in_set(body, DISABLED, sim, state);
            self.update_mass(body);
        }
        Ok(id)
    }

    /// Removes a body with its shapes, contacts and joints. What rested on it wakes.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), DefError> {
        self.check_body(id)?;
        let body = id.index();
        for joint in self.bodies[body].joints.clone() {
            self.destroy_joint(joint);
        }
        for shape in self.bodies[body].shapes.clone() {
            // Parts go with their owner.
            if self.shapes.get_at(shape).is_some_and(|record| record.owner == NONE) {
                self.detach(shape);
            }
        }
        self.destroy_contacts(body);
        if self.bodies[body].kind == BodyKind::Dynamic {
            self.islands.remove_node(body);
        }
        self.take_from_set(body);
        self.bodies.remove(id);
        Ok(())
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

    /// How many bodies are awake: dynamic or kinematic, and neither asleep nor disabled.
    pub fn awake_body_count(&self) -> usize {
        self.sets.awake().sims.len()
    }

    pub(crate) fn check_body(&self, id: BodyId) -> Result<(), DefError> {
        if self.bodies.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }

    pub(crate) fn destroy_contacts(&mut self, body: u32) {
        while self.bodies[body].contact_head != NONE {
            self.destroy_contact(contact_of(self.bodies[body].contact_head), true);
        }
    }

    /// Changes what moves a body, between steps.
    pub(crate) fn change_kind(&mut self, body: u32, kind: BodyKind) {
        let before = self.bodies[body].kind;
        if before == kind {
            return;
        }
        self.wake(body);
        self.destroy_contacts(body);
        self.unlink_joints(body);
        if before == BodyKind::Dynamic {
            self.islands.remove_node(body);
        }
        let enabled = self.bodies[body].set != DISABLED;
        self.bodies[body].kind = kind;
        if kind == BodyKind::Dynamic {
            self.islands.add_node(body);
        }
        let (mut sim, mut state) = self.take_from_set(body);
        sim.sleep_time_s = 0.0;
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;
        match kind {
            BodyKind::Fixed => {
                state = BodyState::REST;
                self.bodies[body].parked_velocity = (Vec2::ZERO, 0.0);
            }
            BodyKind::Dynamic => {
                let locked = self.bodies[body].locked;
                (state.velocity, state.angular_velocity) = locked.apply(state.velocity, state.angular_velocity);
            }
            BodyKind::Kinematic => {}
        }
        self.put_in_set(body, if enabled { World::home_set(kind) } else { DISABLED }, sim, state);
        self.update_mass(body);
        self.renew_proxies(body);
        self.relink_joints(body);
    }

    /// Takes a body out of the simulation, or brings it back.
    pub(crate) fn change_enabled(&mut self, body: u32, enabled: bool) {
        let disabled = self.bodies[body].set == DISABLED;
        if enabled != disabled {
            return;
        }
        if enabled {
            let (velocity, angular_velocity) = self.bodies[body].parked_velocity;
            let kind = self.bodies[body].kind;
            self.bodies[body].frozen = false;
            let (sim, mut state) = self.take_from_set(body);
            state.velocity = velocity;
            state.angular_velocity = angular_velocity;
            self.put_in_set(body, World::home_set(kind), sim, state);
        } else {
            self.wake(body);
            self.destroy_contacts(body);
            self.unlink_joints(body);
            let (mut sim, state) = self.take_from_set(body);
            sim.force = Vec2::ZERO;
            sim.torque = 0.0;
            self.bodies[body].parked_velocity = (state.velocity, state.angular_velocity);
            self.put_in_set(body, DISABLED, sim, state);
        }
        self.renew_proxies(body);
        self.relink_joints(body);
    }

    /// Makes the broad phase entries of a body anew, after its kind, place or presence changed.
    fn renew_proxies(&mut self, body: u32) {
        let sim = self.sim_mut(body);
        sim.room = 0.0;
        let pose = sim.pose();
        let record = &self.bodies[body];
        let (kind, present) = (record.kind, record.set != DISABLED);
        for shape in record.shapes.clone() {
            let record = &mut self.shapes[shape];
            if record.proxy != NONE {
                self.broad.remove(record.proxy);
                record.proxy = NONE;
            }
            if present && record.parts.is_empty() {
                record.fat_aabb = record.fattened(pose);
                record.proxy = self.broad.insert(shape, &record.fat_aabb, record.broad_filter(), kind);
                if !record.moved {
                    record.moved = true;
                    self.moved.push(shape);
                }
                self.note_fat_box(shape);
            }
        }
    }

    /// Puts a body at a pose, between steps, and wakes what it touched.
    pub(crate) fn teleport(&mut self, body: u32, pose: Pose) {
        self.wake(body);
        self.wake_touching(body);
        self.wake_joined(body);
        let sim = self.sim_mut(body);
        sim.rotation = pose.q;
        sim.center = pose.point(sim.local_center);
        sim.forget_before();
        for shape in self.bodies[body].shapes.clone() {
            self.refresh_proxy(shape, pose, true);
        }
        if !self.is_awake(body) {
            self.wake_near(body);
        }
    }

    /// Wakes every body that has a contact with this one, touching or not.
    pub(crate) fn wake_near(&mut self, body: u32) {
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let contact = &self.contacts[contact_of(key)];
            key = contact.edges[crate::contact::side_of(key)].next;
            let other = contact.other_body(body);
            self.wake(other);
        }
    }

    // ---- shapes ---------------------------------------------------------------------------------

    /// Attaches a shape to a body. The body's mass follows unless it was set by hand.
    pub fn add_shape(&mut self, body: BodyId, def: ShapeDef) -> Result<ShapeId, DefError> {
        self.check_body(body)?;
        let geometry = def.build()?;
        self.wake_to_change(body.index());
        let id = self.attach(body.index(), &def, geometry);
        self.update_mass(body.index());
        Ok(id)
    }

    /// Attaches several shapes to a body, or none if one of them is refused. Takes less time than one after
    /// the other, which makes up the body's mass anew for each.
    pub fn add_shapes(&mut self, body: BodyId, defs: &[ShapeDef]) -> Result<Vec<ShapeId>, DefError> {
        self.check_body(body)?;
        let geometries = defs.iter().map(ShapeDef::build).collect::<Result<Vec<Geometry>, DefError>>()?;
        self.wake_to_change(body.index());
        let attach = |(def, geometry)| self.attach(body.index(), def, geometry);
        let ids = defs.iter().zip(geometries).map(attach).collect();
        self.update_mass(body.index());
        Ok(ids)
    }

    /// Wakes a body that has gone to sleep. One that was made asleep gets its shapes asleep.
    fn wake_to_change(&mut self, body: u32) {
        if self.bodies[body].shapes.iter().any(|&shape| self.shapes[shape].paired) {
            self.wake(body);
        }
    }

    /// Adds a shape to a body, whose mass is to be made up afterwards.
    fn attach(&mut self, body: u32, def: &ShapeDef, geometry: Geometry) -> ShapeId {
        self.bounces |= def.restitution >= BOUNCY;
        let aabb = geometry.aabb(self.sim(body).pose());
        let id = self.shapes.insert(Shape {
            body,
            margin: fat_margin(&geometry),
            geometry,
            material: def.material(),
            density: def.density,
            filter: def.filter,
            sensor: def.sensor,
            one_way: def.one_way,
            contact_events: def.contact_events,
            aabb_events: def.aabb_events,
            fat_aabb: aabb,
            proxy: NONE,
            moved: false,
            paired: false,
            owner: NONE,
            parts: Vec::new(),
            user_data: def.user_data,
        });
        self.bodies[body].shapes.push(id.index());
        self.enter(id.index());
        id
    }

    /// Removes a shape from its body. What rested on it wakes.
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<(), DefError> {
        self.check_shape(id)?;
        let body = self.shapes[id.index()].body;
        self.wake(body);
        self.detach(id.index());
        self.update_mass(body);
        Ok(())
    }

    fn detach(&mut self, shape: u32) {
        let body = self.shapes[shape].body;
        self.destroy_contacts_of_shape(shape);
        self.leave(shape);
        self.bodies[body].shapes.retain(|&other| other != shape);
        self.shapes.remove_at(shape);
    }

    pub(crate) fn destroy_contacts_of_shape(&mut self, shape: u32) {
        let body = self.shapes[shape].body;
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let index = contact_of(key);
            let contact = &self.contacts[index];
            key = contact.edges[crate::contact::side_of(key)].next;
            if self.owner_of(contact.shape_a) == shape || self.owner_of(contact.shape_b) == shape {
                self.destroy_contact(index, true);
            }
        }
    }

    /// Makes a shape look for partners again, after its filter or outline changed.
    pub(crate) fn mark_moved(&mut self, shape: u32) {
        let record = &mut self.shapes[shape];
        if record.proxy != NONE {
            self.broad.forget(record.proxy);
            if !record.moved {
                record.moved = true;
                self.moved.push(shape);
            }
        }
    }

    /// True when the handle names a shape of this world.
    pub fn contains_shape(&self, id: ShapeId) -> bool {
        self.shapes.contains(id)
    }

    /// Handles of all shapes, in the order of their indices.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeId> + '_ {
        self.shapes.iter().filter(|(_, shape)| shape.owner == NONE).map(|(id, _)| id)
    }

    /// How many shapes there are.
    pub fn shape_count(&self) -> usize {
        self.shapes.len() - self.compounds.part_count()
    }

    pub(crate) fn check_shape(&self, id: ShapeId) -> Result<(), DefError> {
        if self.shapes.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }

    // ---- looking inside -------------------------------------------------------------------------

    /// The broad phase: its boxes and counts, for drawing.
    pub fn broad_phase(&self) -> &BroadPhase {
        &self.broad
    }

    /// The box that the broad phase keeps for a shape, or around those that it keeps for its parts;
    /// none while its body is disabled.
    pub fn fat_aabb(&self, id: ShapeId) -> Option<Aabb> {
        self.shapes.get(id)?;
        self.fat_box(id.index())
    }

    /// How many islands of touching bodies there are, sleeping ones included.
    pub fn island_count(&self) -> usize {
        self.islands.len()
    }

    /// The island of a dynamic body: bodies with the same number hang together.
    pub fn island_of(&self, id: BodyId) -> Option<u32> {
        self.bodies.get(id)?;
        self.islands.island_of(id.index())
    }

    /// How many islands are asleep.
    pub fn sleeping_island_count(&self) -> usize {
        self.sets.sleeping_count()
    }

    /// How many colours the constraints of the last step needed.
    pub fn color_count(&self) -> usize {
        self.colors.active_color_count()
    }

    /// The vector instructions in use: by default the widest that the machine has, or, while few bodies are awake, half as
    /// wide ones where there are such.
    pub fn width(&self) -> Width {
        self.width
    }

    /// Uses other vector instructions, however many bodies are awake, to compare them. No result depends on them.
    pub fn set_width(&mut self, width: Width) {
        (self.width, self.width_is_chosen) = (width, true);
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

    /// A fingerprint of all poses and velocities. Equal states have equal hashes on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for id in self.bodies.ids() {
            self.hash_body(&mut hash, id.index());
        }
        hash.finish()
    }

    /// The same fingerprint over some bodies only.
    pub fn state_hash_of(&self, bodies: &[BodyId]) -> Result<u64, DefError> {
        let mut hash = StateHash::new();
        for &id in bodies {
            self.check_body(id)?;
            self.hash_body(&mut hash, id.index());
        }
        Ok(hash.finish())
    }

    fn hash_body(&self, hash: &mut StateHash, body: u32) {
        let sim = self.sim(body);
        let state = self.state(body).unwrap_or(&BodyState::REST);
        for number in [
            sim.center.x,
            sim.center.y,
            sim.rotation.c,
            sim.rotation.s,
            state.velocity.x,
            state.velocity.y,
            state.angular_velocity,
        ] {
            // Zero has two signs; they mean the same state.
            hash.write_f32(number + 0.0);
        }
    }

    /// Checks every internal link and invariant; for tests. Slow.
    ///
    /// # Panics
    /// If anything is inconsistent.
    pub fn validate(&self) {
        crate::validate::world(self);
    }

    pub(crate) fn awake_index(&self, body: u32) -> u32 {
        self.sets.places[body as usize]
    }
}
