//! The world: the public face of the engine.

mod bodies;
mod def;
mod shapes;

pub use bodies::MovedBody;
pub use def::{Continuous, WorldDef};

use crate::ablation::LeftOut;
use crate::advance::Clock;
use crate::attach::{Shape, ShapeId};
use crate::body::{Body, BodyId, BodySim, BodyState, NONE};
use crate::broad::BroadPhase;
use crate::collide::Form;
use crate::compound::Compounds;
use crate::contact::{Contact, ContactId};
use crate::error::{DefError, finite2};
use crate::events::Events;
use crate::fluid::{Fluid, FluidId};
use crate::hooks::Hooks;
use crate::joint::{Joint, JointId};
use crate::math::{Aabb, Vec2, max};
use crate::record::{Call, Recorder};
use crate::scratch::Scratch;
use crate::sets::{FIRST_SLEEPING, SolverSets};
use crate::stage::burdens::Burdens;
use crate::stage::contacts::ContactCandidate;
use crate::stage::kinematic::Ramp;
use crate::stage::preload::Preloads;
use crate::stage::{STAGE_COUNT, Stage};
use carom_core::{BitSet, ColorGraph, Islands, PairSet, Pool, StateHash, Timers};
use carom_threads::{Team, Tuner};
use carom_wide::Width;
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
    /// What the world is.
    pub(crate) state: WorldState,
    /// What a step uses.
    pub(crate) scratch: Scratch,
    /// What the last step reported.
    pub(crate) events: Events,
    pub(crate) team: Team,
    pub(crate) tuner: Tuner,
    pub(crate) timers: Timers<STAGE_COUNT>,
    /// The instructions that wide stages use. No result depends on them.
    pub(crate) width: Width,
    /// By the caller.
    pub(crate) width_is_chosen: bool,
}

/// What a world is: all that decides its future, which is what a snapshot keeps, and lists that follow from it. What a step
/// uses besides and could be thrown away between steps is [`Scratch`].
#[derive(Clone, Debug)]
pub(crate) struct WorldState {
    pub(crate) def: WorldDef,
    pub(crate) bodies: Pool<Body, BodyId>,
    pub(crate) shapes: Pool<Shape, ShapeId>,
    pub(crate) contacts: Pool<Contact, ContactId>,
    pub(crate) joints: Pool<Joint, JointId>,
    pub(crate) fluids: Pool<Fluid, FluidId>,
    /// Mass, pose and velocity of the bodies, sorted into those that are awake and those that are not.
    pub(crate) sets: SolverSets,
    pub(crate) islands: Islands,
    pub(crate) colors: ColorGraph,
    /// Colours of the joints that act on something awake. Gears have none: their indices are listed.
    pub(crate) joint_colors: ColorGraph,
    pub(crate) gears: Vec<u32>,
    /// How often a joint has become one that is solved elsewhere.
    pub(crate) joint_kind_changes: u64,
    pub(crate) broad: BroadPhase,
    /// Pairs of shapes that have a contact.
    pub(crate) pairs: PairSet,
    /// Shapes whose fat box changed since pairs were last looked for, and perhaps some that are gone.
    pub(crate) moved: Vec<u32>,
    /// Parallel to the slots of `shapes`: those that the broad phase knows, as lanes read them.
    pub(crate) forms: Vec<Form>,
    /// The fat box of each shape in the broad phase again, side by side: the narrow phase asks for little else of most of
    /// them.
    pub(crate) fat_boxes: Vec<Aabb>,
    /// Shapes that are sensors.
    pub(crate) sensors: BitSet,
    /// What there is to know of shapes with parts.
    pub(crate) compounds: Compounds,
    /// Contacts with an awake body, and sensor pairs likewise.
    pub(crate) awake_contacts: BitSet,
    pub(crate) awake_sensors: BitSet,
    /// Parallel to the slots of `contacts`: what the narrow phase reads first. Of awake contacts only.
    pub(crate) candidates: Vec<ContactCandidate>,
    /// Contacts whose shapes may overlap deeply, as the narrow phase found them.
    pub(crate) deep_contacts: Vec<u32>,
    /// Bodies that were moved out of overlaps in the last step: they did not come by their own motion.
    pub(crate) pushed_apart: BitSet,
    /// What contacts carried when they were built.
    pub(crate) preloads: Preloads,
    /// Light bodies that carry heavy ones.
    pub(crate) burdens: Burdens,
    /// Of kinematic bodies whose velocities change, in the order of their indices.
    pub(crate) ramps: Vec<Ramp>,
    pub(crate) clock: Clock,
    pub(crate) step_count: u64,
    /// Gravity when sleepers were last woken by a change of it.
    pub(crate) rest_gravity: Vec2,
    /// Length of the last sub-step in seconds; 0 before the first.
    pub(crate) last_h: f32,
    pub(crate) last_substeps: u32,
    /// The longest sub-step of late: contacts are as soft as it wants them.
    pub(crate) longest_h: f32,
    /// Some shape has, or has had, a restitution that is worth looking ahead for.
    pub(crate) bounces: bool,
    /// Measures against jitter that are left out.
    pub(crate) left_out: LeftOut,
    /// What has happened since the events of the last step were handed out.
    pub(crate) log: Events,
    /// What is done to the world is written by this.
    pub(crate) recorder: Recorder,
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
        Ok(World {
            state: WorldState::new(def),
            scratch: Scratch::default(),
            events: Events::default(),
            team: Team::new(def.most_threads()),
            tuner: def.tuner(),
            timers: Timers::new(),
            width: Width::best(),
            width_is_chosen: false,
        })
    }

    /// Advances the world by `dt` seconds: forces, collisions, motion. Usually 1/60.
    ///
    /// Cannot fail. A `dt` that is not a number of at least a microsecond makes no time pass; a `dt`
    /// above 1 s is cut to 1 s. A body whose state leaves the range of numbers is frozen and reported in
    /// [`Events::body_frozen`], and the others go on.
    pub fn step(&mut self, dt: f32) {
        self.step_with_hooks(dt, None);
    }

    /// The same as [`World::step`], with hooks that decide about single pairs and contacts.
    pub fn step_with(&mut self, dt: f32, hooks: &dyn Hooks) {
        self.step_with_hooks(dt, Some(hooks));
    }

    pub(crate) fn step_with_hooks(&mut self, dt: f32, hooks: Option<&dyn Hooks>) {
        if self.is_recording() { self.step_recorded(dt, hooks) } else { self.step_unrecorded(dt, hooks) }
    }

    pub(crate) fn step_unrecorded(&mut self, dt: f32, hooks: Option<&dyn Hooks>) {
        if dt >= 1.0e-6 {
            crate::step::step(self, if dt < 1.0 { dt } else { 1.0 }, hooks);
        } else {
            crate::stage::events::hand_out_events(self);
        }
    }

    /// What happened in the last step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// How many steps the world has made.
    pub fn step_count(&self) -> u64 {
        self.state.step_count
    }

    /// The settings in force.
    pub fn def(&self) -> &WorldDef {
        &self.state.def
    }

    /// The acceleration of gravity in m/s^2.
    pub fn gravity(&self) -> Vec2 {
        self.state.def.gravity
    }

    /// Changes gravity. Wakes every sleeping body on which gravity acts, unless the change is slight: a
    /// hundredth, all changes since the last waking together.
    pub fn set_gravity(&mut self, gravity: Vec2) -> Result<(), DefError> {
        self.note(|| Call::SetGravity { gravity });
        self.change_gravity(gravity)
    }

    fn change_gravity(&mut self, gravity: Vec2) -> Result<(), DefError> {
        finite2("gravity", gravity)?;
        // A hand-held accelerometer never holds still: what differs by less than a hundredth from
        // the gravity that the sleepers fell asleep under wakes no body.
        let near = |a: f32, b: f32, scale: f32| (a - b).abs() <= 0.007 * scale;
        let before = self.state.rest_gravity;
        let scale = max(max(gravity.x.abs(), gravity.y.abs()), max(before.x.abs(), before.y.abs()));
        self.state.def.gravity = gravity;
        if !(near(gravity.x, before.x, scale) && near(gravity.y, before.y, scale)) {
            self.state.rest_gravity = gravity;
            self.state.wake_all_that(|sim| sim.gravity_scale != 0.0);
        }
        Ok(())
    }

    /// Changes the settings while the world runs. Switching the broad phase rebuilds it; switching
    /// sleep off wakes all bodies; a change of mixing rule applies to all contacts.
    pub fn set_def(&mut self, def: WorldDef) -> Result<(), DefError> {
        self.note(|| Call::SetDef { def });
        def.validate()?;
        let before = self.state.def;
        self.change_gravity(def.gravity)?;
        self.state.def = def;
        if before.threads != def.threads {
            (self.team, self.tuner) = (Team::new(def.most_threads()), def.tuner());
        }
        if before.sleeping && !def.sleeping {
            self.state.wake_all_that(|_| true);
        }
        if before.friction_mix != def.friction_mix || before.restitution_mix != def.restitution_mix {
            let indices: Vec<u32> = self.state.contacts.iter().map(|(id, _)| id.index()).collect();
            for index in indices {
                self.state.remix(index);
            }
        }
        if before.solver.edge_rule() != def.solver.edge_rule() {
            self.state.candidates.iter_mut().for_each(ContactCandidate::forget);
        }
        if before.broad_phase != def.broad_phase {
            self.state.broad = BroadPhase::new(def.broad_phase);
            for (id, shape) in self.state.shapes.iter_mut() {
                if shape.proxy != NONE {
                    let kind = self.state.bodies[shape.body].kind;
                    shape.proxy = self.state.broad.insert(id.index(), &shape.fat_aabb, shape.broad_filter(), kind);
                }
            }
        }
        Ok(())
    }

    /// The broad phase: its boxes and counts, for drawing.
    pub fn broad_phase(&self) -> &BroadPhase {
        &self.state.broad
    }

    /// The box that the broad phase keeps for a shape, or around those that it keeps for its parts;
    /// none while its body is disabled.
    pub fn fat_aabb(&self, id: ShapeId) -> Option<Aabb> {
        self.state.shapes.get(id)?;
        self.state.fat_box(id.index())
    }

    /// How many islands of touching bodies there are, sleeping ones included.
    pub fn island_count(&self) -> usize {
        self.state.islands.len()
    }

    /// The island of a dynamic body: bodies with the same number hang together.
    pub fn island_of(&self, id: BodyId) -> Option<u32> {
        self.state.bodies.get(id)?;
        self.state.islands.island_of(id.index())
    }

    /// How many islands are asleep.
    pub fn sleeping_island_count(&self) -> usize {
        self.state.sets.sleeping_count()
    }

    /// How many colours the constraints of the last step needed.
    pub fn color_count(&self) -> usize {
        self.state.colors.active_color_count()
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
        for id in self.state.bodies.ids() {
            self.state.hash_body(&mut hash, id.index());
        }
        hash.finish()
    }

    /// The same fingerprint over some bodies only.
    pub fn state_hash_of(&self, bodies: &[BodyId]) -> Result<u64, DefError> {
        let mut hash = StateHash::new();
        for &id in bodies {
            self.state.check_body(id)?;
            self.state.hash_body(&mut hash, id.index());
        }
        Ok(hash.finish())
    }

    /// Checks every internal link and invariant; for tests. Slow.
    ///
    /// # Panics
    /// If anything is inconsistent.
    pub fn validate(&self) {
        crate::validate::world(&self.state);
    }
}

impl WorldState {
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

    pub(crate) fn awake_index(&self, body: u32) -> u32 {
        self.sets.places[body as usize]
    }
}

impl WorldState {
    fn new(def: WorldDef) -> WorldState {
        let origin = carom_core::new_origin();
        WorldState {
            def,
            bodies: Pool::of(origin),
            shapes: Pool::of(origin),
            contacts: Pool::of(origin),
            joints: Pool::of(origin),
            fluids: Pool::of(origin),
            sets: SolverSets::new(),
            islands: Islands::new(),
            colors: ColorGraph::new(),
            joint_colors: ColorGraph::new(),
            gears: Vec::new(),
            joint_kind_changes: 0,
            broad: BroadPhase::new(def.broad_phase),
            pairs: PairSet::new(),
            moved: Vec::new(),
            forms: Vec::new(),
            fat_boxes: Vec::new(),
            sensors: BitSet::new(),
            compounds: Compounds::default(),
            awake_contacts: BitSet::new(),
            awake_sensors: BitSet::new(),
            candidates: Vec::new(),
            deep_contacts: Vec::new(),
            pushed_apart: BitSet::new(),
            preloads: Preloads::default(),
            burdens: Burdens::default(),
            ramps: Vec::new(),
            clock: Clock::default(),
            step_count: 0,
            rest_gravity: def.gravity,
            last_h: 0.0,
            last_substeps: 0,
            longest_h: 0.0,
            bounces: false,
            left_out: LeftOut::default(),
            log: Events::default(),
            recorder: Recorder::default(),
        }
    }
}
