//! New poses: the changes of the step go into the bodies, boxes follow, forces are cleared.
//!
//! A body whose numbers left the range of `f32` is put aside here, at its last good pose.

use super::StepContext;
use super::arrive::{Arrival, Arrivals, Arrive, rounding};
use super::integrate::SpeedLimits;
use crate::attach::Shape;
use crate::body::{Body, BodyId, BodyKind, BodySim, BodyState};
use crate::collide::SPECULATIVE_DISTANCE;
use crate::math::{Aabb, Rot, Vec2, max, min};
use crate::sets::{AWAKE, Followed};
use crate::world::{Continuous, WorldDef, WorldState};
use carom_core::{Pool, PoolSlot};
use carom_threads::Parts;
use carom_wide::{prefetch, prefetch_at};

/// A body that moved far against its size in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastBody {
    pub(crate) body: u32,
    pub(crate) kind: BodyKind,
    pub(crate) bullet: bool,
    /// By how much it turned in radians, as far as its angular velocity tells.
    pub(crate) spin: f32,
    /// By how much it turned indeed, full turns counted, once that is known.
    pub(crate) turn: Option<f32>,
    /// It flew freely through the whole step.
    pub(crate) flies: bool,
    /// What accelerated it, if it flew freely through the whole step; zero otherwise.
    pub(crate) acceleration: Vec2,
}

/// What is found out about bodies on the way, each list in the order of the bodies. Kept to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finished {
    /// Bodies that may have passed through something.
    pub(crate) fast: Vec<FastBody>,
    /// Kinematic bodies that move.
    pub(crate) movers: Vec<u32>,
    /// Bodies that have rested long enough to sleep.
    pub(crate) sleep_candidates: Vec<u32>,
    /// What was found out about each run of bodies.
    finds: Vec<Finds>,
}

/// What is found out about a run of bodies.
#[derive(Clone, Debug, Default)]
struct Finds {
    /// Shapes that left their fat boxes: with their keys in the broad phase and new boxes; and those of them that
    /// are to be listed as moved.
    left: Vec<(u32, u32, Aabb)>,
    moved: Vec<u32>,
    fast: Vec<FastBody>,
    movers: Vec<u32>,
    sleep_candidates: Vec<u32>,
    /// Bodies that are no longer finite.
    broken: Vec<u32>,
}

/// How many bodies are finished together.
const FEW: usize = 16;
/// Fewer bodies than this are not worth another thread.
const LEAST_BODIES: usize = 64;

pub(crate) fn finalize_bodies(world: &mut WorldState, finished: &mut Finished, context: &StepContext) {
    finish_all(world, context, &mut finished.finds);
    finished.fast.clear();
    finished.movers.clear();
    finished.sleep_candidates.clear();
    let mut broken: Vec<u32> = Vec::new();
    for finds in &mut finished.finds {
        for (shape, proxy, aabb) in finds.left.drain(..) {
            world.broad.store_bounds(proxy, &aabb);
            world.fat_boxes[shape as usize] = aabb;
        }
        take_over(&mut world.moved, &mut finds.moved);
        take_over(&mut finished.fast, &mut finds.fast);
        take_over(&mut finished.movers, &mut finds.movers);
        take_over(&mut finished.sleep_candidates, &mut finds.sleep_candidates);
        broken.append(&mut finds.broken);
    }
    world.broad.refit();
    broken.sort_unstable();
    for body in broken {
        freeze(world, body);
    }
}

/// Moves what one list has to the end of another. The first of them, with one thread the only one, is not copied.
fn take_over<T>(all: &mut Vec<T>, more: &mut Vec<T>) {
    if all.is_empty() {
        std::mem::swap(all, more);
    } else {
        all.append(more);
    }
}

/// Finishes all awake bodies, and what is found out about each run of them is put into a list of its own.
#[allow(unsafe_code)]
fn finish_all(world: &mut WorldState, context: &StepContext, finds: &mut Vec<Finds>) {
    let awake = &mut world.sets.sets[AWAKE as usize];
    let (count, bodies, def) = (awake.sims.len(), &world.bodies, &world.def);
    let sims = Parts::of(&mut awake.sims);
    let states = Parts::of(&mut awake.states);
    let shapes = Parts::of(world.shapes.slots_mut());
    let finalizing = Finalizing {
        bodies,
        shapes: &shapes,
        context,
        continuous: def.continuous == Continuous::On,
        bounces: world.bounces,
        sleep_delay_s: sleep_delay(def, context),
        limits: SpeedLimits::of(context),
    };
    context.crew.for_lists(finds, count, context.crew.grain(count, LEAST_BODIES), |range, finds| {
        // SAFETY: the ranges are disjoint.
        let (sims, states) = unsafe { (sims.piece(range.clone()), states.piece(range)) };
        let few = sims.chunks_mut(FEW).zip(states.chunks_mut(FEW));
        few.for_each(|(sims, states)| {
            // SAFETY: shapes of different bodies are different: `World::validate` holds every shape to be listed by its own
            // body, once.
            unsafe { finalizing.finish(sims, states, finds) }
        });
    });
}

/// What is needed to finish bodies.
struct Finalizing<'a> {
    bodies: &'a Pool<Body, BodyId>,
    shapes: &'a Parts<'a, PoolSlot<Shape>>,
    context: &'a StepContext<'a>,
    /// Continuous collision is on.
    continuous: bool,
    /// Some shape is bouncy.
    bounces: bool,
    sleep_delay_s: f32,
    limits: SpeedLimits,
}

impl Finalizing<'_> {
    /// Finishes a few awake bodies, side by side in their set, and their shapes. Bodies and shapes lie elsewhere: all that
    /// are needed are asked for before the first is waited for.
    ///
    /// # Safety
    /// No other thread may hold a reference to a shape of these bodies, and no shape may be listed twice.
    #[allow(unsafe_code)]
    unsafe fn finish(&self, sims: &mut [BodySim], states: &mut [BodyState], finished: &mut Finds) {
        let &Finalizing { bodies, shapes, .. } = self;
        sims.iter().for_each(|sim| prefetch(&bodies[sim.body]));
        let (mut arrivals, limits, dt) = (Arrivals::NONE, self.limits, self.context.dt);
        self.context.width.run(Arrive { sims, states, limits, dt, to: &mut arrivals });
        let (mut without_room, mut count, mut ahead) = ([0; FEW], 0, [Vec2::ZERO; FEW]);
        for (place, (sim, state)) in sims.iter_mut().zip(states).enumerate() {
            let Some(arrival) = arrivals.get(place).or_else(|| self.arrive_alone(sim, state)) else {
                finished.broken.push(sim.body);
                continue;
            };
            debug_assert_eq!(Some(arrival), self.arrive_alone(sim, state), "not what is found alone");
            let Some(path_ahead) = self.finish_body(sim, state, arrival, finished) else { continue };
            ahead[place] = path_ahead;
            if sim.room > max(0.0, ahead[place].length() - SPECULATIVE_DISTANCE) {
                continue;
            }
            prefetch_at(bodies[sim.body].shapes.as_ptr(), size_of::<u32>());
            without_room[count] = place;
            count += 1;
        }
        let without_room = &without_room[..count];
        for &shape in without_room.iter().flat_map(|&place| &bodies[sims[place].body].shapes) {
            prefetch_at(shapes.pointer(shape as usize), size_of::<Shape>());
        }
        for &place in without_room {
            // SAFETY: the caller promises that nothing else refers to these shapes.
            unsafe { self.move_boxes(&mut sims[place], ahead[place], finished) };
        }
    }

    /// Where one body arrives that may have something unusual; nothing if it is broken.
    #[cold]
    fn arrive_alone(&self, sim: &BodySim, state: &mut BodyState) -> Option<Arrival> {
        self.limits.hold(state);
        Arrival::of(sim, state, self.context.dt)
    }

    /// Moves a body to where the sub-steps brought it. Returns how far ahead its boxes have to reach, or nothing if it is
    /// where it was.
    #[inline(always)]
    fn finish_body(
        &self,
        sim: &mut BodySim,
        state: &mut BodyState,
        arrival: Arrival,
        finished: &mut Finds,
    ) -> Option<Vec2> {
        let context = self.context;
        sim.center_before = sim.center;
        sim.rotation_before = sim.rotation;
        sim.center = arrival.center;
        sim.rotation = arrival.rotation;
        self.note_motion(sim, state, &arrival, finished);
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;
        let is_dynamic = state.flags & BodyState::MOVABLE != 0;
        let is_loaded = state.flags & BodyState::LOADED != 0;
        let has_moved = is_dynamic || state.delta_position != Vec2::ZERO || state.delta_rotation != Rot::IDENTITY;
        if !is_dynamic && (state.velocity != Vec2::ZERO || state.angular_velocity != 0.0) {
            finished.movers.push(sim.body);
        }
        state.delta_position = Vec2::ZERO;
        state.delta_rotation = Rot::IDENTITY;
        state.flags &= BodyState::MOVABLE;
        state.flags |= if is_loaded { BodyState::CARRIED } else { 0 };
        if !has_moved {
            return None;
        }
        sim.room = arrival.room;
        // What comes farther in the next step than contacts are looked for must find them along its way. Where nothing
        // rebounds, what is carried moves with what carries it: in a drum, nearly everything.
        let path = state.velocity * context.dt;
        let is_fast = self.continuous && (self.bounces || !is_loaded) && arrival.way > 5.0 * SPECULATIVE_DISTANCE;
        Some(if is_fast { path } else { Vec2::ZERO })
    }

    /// Counts the time that a body has been slow, and lists it if it was fast enough for continuous collision.
    #[inline(always)]
    fn note_motion(&self, sim: &mut BodySim, state: &BodyState, arrival: &Arrival, finished: &mut Finds) {
        let (context, record) = (self.context, &self.bodies[sim.body]);
        if !record.can_sleep || arrival.speed > record.sleep_speed {
            sim.sleep_time_s = 0.0;
        } else {
            sim.sleep_time_s += context.dt;
        }
        if sim.sleep_time_s >= self.sleep_delay_s {
            finished.sleep_candidates.push(sim.body);
        }
        if arrival.motion > max(FAST * sim.thickness, 0.5 * SPECULATIVE_DISTANCE) && self.continuous {
            let flight = free_acceleration(sim, state, context);
            finished.fast.push(FastBody {
                body: sim.body,
                kind: record.kind,
                bullet: record.bullet,
                spin: state.angular_velocity * context.dt,
                turn: None,
                flies: flight.is_some(),
                acceleration: flight.unwrap_or(Vec2::ZERO),
            });
        }
    }

    /// Moves the boxes of a body's shapes, and makes new fat boxes for those that have left theirs.
    ///
    /// # Safety
    /// No other thread may hold a reference to a shape of this body, and no shape may be listed twice.
    #[allow(unsafe_code)]
    unsafe fn move_boxes(&self, sim: &mut BodySim, ahead: Vec2, finished: &mut Finds) {
        let pose = sim.pose();
        let mut nearest = f32::INFINITY;
        for &shape in &self.bodies[sim.body].shapes {
            // SAFETY: the caller promises that nothing else refers to it.
            let record = unsafe { self.shapes.item(shape as usize) }.value_mut();
            match record.follow(pose, ahead) {
                Followed::Inside(distance) => nearest = min(nearest, distance),
                Followed::Left => {
                    finished.left.push((shape, record.proxy, record.fat_aabb));
                    nearest = min(nearest, record.margin);
                    if !std::mem::replace(&mut record.moved, true) {
                        finished.moved.push(shape);
                    }
                }
            }
        }
        // Boxes that reach ahead are looked at again in the next step: they are too large once the body is slow.
        sim.room = if ahead == Vec2::ZERO { nearest - rounding(sim) } else { 0.0 };
    }
}

/// How long a body must have rested to fall asleep, in seconds: half a step more than the world says, as it is
/// counted in steps. Never, where nothing may sleep.
pub(crate) fn sleep_delay(def: &WorldDef, context: &StepContext) -> f32 {
    if def.sleeping { def.sleep_delay_s + 0.5 * context.dt } else { f32::INFINITY }
}

/// A body is fast when it moves by more than this fraction of its thickness in a step. What moves less
/// ends up so that the shortest way out of a wall is the way it came.
pub(crate) const FAST: f32 = 0.5;

/// The acceleration of a body that flew freely through the whole step, known by where it came to.
fn free_acceleration(sim: &BodySim, state: &BodyState, context: &StepContext) -> Option<Vec2> {
    let acceleration = sim.acceleration(context.gravity);
    let flown = state.velocity * context.dt - acceleration * (0.5 * context.dt * context.dt);
    let moved = state.delta_position;
    ((moved - flown).length() <= 1.0e-3 * moved.length()).then_some(acceleration)
}

/// Puts a body aside at its last good pose: it takes no part until it is enabled again.
fn freeze(world: &mut WorldState, body: u32) {
    if let Some(state) = world.state_mut(body) {
        *state = BodyState { flags: state.flags, ..BodyState::REST };
    }
    let sim = world.sim_mut(body);
    sim.force = Vec2::ZERO;
    sim.torque = 0.0;
    world.change_enabled(body, false);
    world.bodies[body].frozen = true;
    world.log.body_frozen.push(world.bodies.id_at(body).expect("a frozen body exists"));
}
