//! New poses: the changes of the step go into the bodies, boxes follow, forces are cleared.
//!
//! A body whose numbers left the range of `f32` is put aside here, at its last good pose.

use super::StepContext;
use super::continuous::Sweeps;
use super::integrate::SpeedLimits;
use super::sensors::Sensing;
use crate::attach::Shape;
use crate::body::{Body, BodyId, BodyKind, BodySim, BodyState};
use crate::collide::SPECULATIVE_DISTANCE;
use crate::math::{Aabb, Rot, Vec2, max, min};
use crate::sets::{AWAKE, Followed};
use crate::shape::MAX_COORDINATE;
use crate::world::{Continuous, World, WorldDef};
use carom_core::Pool;
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
    /// Bodies that may have passed through something, and memory for finding out.
    pub(crate) fast: Vec<FastBody>,
    pub(crate) sweeps: Sweeps,
    pub(crate) sensing: Sensing,
    /// Kinematic bodies that move.
    pub(crate) movers: Vec<u32>,
    /// Bodies that have rested long enough to sleep.
    pub(crate) tired: Vec<u32>,
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
    tired: Vec<u32>,
    /// Bodies that are no longer finite.
    broken: Vec<u32>,
}

/// How many bodies are finished together.
const FEW: usize = 16;
/// Fewer bodies than this are not worth another thread.
const LEAST_BODIES: usize = 64;

pub(crate) fn finalize_bodies(world: &mut World, context: &StepContext) {
    let mut finished = std::mem::take(&mut world.finished);
    finish_all(world, context, &mut finished.finds);
    finished.fast.clear();
    finished.movers.clear();
    finished.tired.clear();
    let mut broken: Vec<u32> = Vec::new();
    for finds in &mut finished.finds {
        for (shape, proxy, aabb) in finds.left.drain(..) {
            world.broad.store_bounds(proxy, &aabb);
            world.fat_boxes[shape as usize] = aabb;
        }
        world.moved.append(&mut finds.moved);
        finished.fast.append(&mut finds.fast);
        finished.movers.append(&mut finds.movers);
        finished.tired.append(&mut finds.tired);
        broken.append(&mut finds.broken);
    }
    world.broad.refit();
    broken.sort_unstable();
    for body in broken {
        freeze(world, body);
    }
    world.finished = finished;
}

/// Finishes all awake bodies, and what is found out about each run of them is put into a list of its own.
#[allow(unsafe_code)]
fn finish_all(world: &mut World, context: &StepContext, finds: &mut Vec<Finds>) {
    let awake = &mut world.sets.sets[AWAKE as usize];
    let (count, bodies, def) = (awake.sims.len(), &world.bodies, &world.def);
    let looks_ahead = def.continuous == Continuous::On;
    let bounces = world.bounces;
    let sims = Parts::of(&mut awake.sims);
    let states = Parts::of(&mut awake.states);
    let shapes = Parts::of(world.shapes.slots_mut());
    context.crew.for_lists(finds, count, context.crew.grain(count, LEAST_BODIES), |range, finds| {
        // SAFETY: the ranges are disjoint, and so are the shapes of different bodies: `World::validate` holds every
        // shape to be listed by its own body, once.
        let (sims, states) = unsafe { (sims.piece(range.clone()), states.piece(range)) };
        let shape_at = |index: u32| unsafe { shapes.item(index as usize) }.value_mut();
        let soon = |index: u32| prefetch_at(shapes.pointer(index as usize), size_of::<Shape>());
        let few = sims.chunks_mut(FEW).zip(states.chunks_mut(FEW));
        few.for_each(|(sims, states)| {
            finish(sims, states, bodies, shape_at, soon, def, (looks_ahead, bounces), context, finds)
        });
    });
}

/// Finishes a few awake bodies, side by side in their set, and their shapes. Bodies and shapes lie elsewhere: all that
/// are needed are asked for before the first is waited for.
fn finish<'s>(
    sims: &mut [BodySim],
    states: &mut [BodyState],
    bodies: &Pool<Body, BodyId>,
    shape_at: impl Fn(u32) -> &'s mut Shape,
    soon: impl Fn(u32),
    def: &WorldDef,
    (looks_ahead, bounces): (bool, bool),
    context: &StepContext,
    finished: &mut Finds,
) {
    let sleep_delay_s = sleep_delay(def, context);
    let limits = SpeedLimits::of(context);
    sims.iter().for_each(|sim| prefetch(&bodies[sim.body]));
    let (mut without_room, mut count, mut ahead) = ([0; FEW], 0, [Vec2::ZERO; FEW]);
    for (place, (sim, state)) in sims.iter_mut().zip(states).enumerate() {
        let body = sim.body;
        limits.hold(state);
        let center = sim.center + state.delta_position;
        let room = sim.room - farthest_move(sim, state);
        let in_range = center.x.abs() <= 2.0 * MAX_COORDINATE && center.y.abs() <= 2.0 * MAX_COORDINATE;
        if state.flags & BodyState::BROKEN != 0 || !state.is_finite() || !in_range {
            finished.broken.push(body);
            continue;
        }
        sim.center_before = sim.center;
        sim.rotation_before = sim.rotation;
        sim.center = center;
        sim.rotation = state.delta_rotation.compose(sim.rotation).normalized();

        let record = &bodies[body];
        // At rest means slow, and also that the step did not move it: a body that is pushed out of
        // something has no speed but is not at rest.
        let reach = (1.0 - state.delta_rotation.c.abs()).abs() + state.delta_rotation.s.abs();
        let shift = state.delta_position.length() + reach * sim.extent;
        let speed = max(state.velocity.length() + state.angular_velocity.abs() * sim.extent, 0.5 * shift / context.dt);
        if !record.can_sleep || speed > record.sleep_speed {
            sim.sleep_time_s = 0.0;
        } else {
            sim.sleep_time_s += context.dt;
        }
        if sim.sleep_time_s >= sleep_delay_s {
            finished.tired.push(body);
        }
        let motion = max(speed * context.dt, shift);
        if motion > max(FAST * sim.thickness, 0.5 * SPECULATIVE_DISTANCE) && def.continuous == Continuous::On {
            let flight = free_acceleration(sim, state, context);
            finished.fast.push(FastBody {
                body,
                kind: record.kind,
                bullet: record.bullet,
                spin: state.angular_velocity * context.dt,
                turn: None,
                flies: flight.is_some(),
                acceleration: flight.unwrap_or(Vec2::ZERO),
            });
        }
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;
        let is_dynamic = state.flags & BodyState::MOVABLE != 0;
        let is_loaded = state.flags & BodyState::LOADED != 0;
        let has_moved = is_dynamic || state.delta_position != Vec2::ZERO || state.delta_rotation != Rot::IDENTITY;
        if !is_dynamic && (state.velocity != Vec2::ZERO || state.angular_velocity != 0.0) {
            finished.movers.push(body);
        }
        state.delta_position = Vec2::ZERO;
        state.delta_rotation = Rot::IDENTITY;
        state.flags &= BodyState::MOVABLE;
        state.flags |= if is_loaded { BodyState::CARRIED } else { 0 };
        if !has_moved {
            continue;
        }
        sim.room = room;
        // What comes farther in the next step than contacts are looked for must find them along its way. Where nothing
        // rebounds, what is carried moves with what carries it: in a drum, nearly everything.
        let is_fast =
            looks_ahead && (bounces || !is_loaded) && state.velocity.length() * context.dt > 5.0 * SPECULATIVE_DISTANCE;
        ahead[place] = if is_fast { state.velocity * context.dt } else { Vec2::ZERO };
        if room > max(0.0, ahead[place].length() - SPECULATIVE_DISTANCE) {
            continue;
        }
        prefetch_at(record.shapes.as_ptr(), size_of::<u32>());
        without_room[count] = place;
        count += 1;
    }
    let without_room = &without_room[..count];
    without_room.iter().for_each(|&place| bodies[sims[place].body].shapes.iter().for_each(|&shape| soon(shape)));
    for &place in without_room {
        let sim = &mut sims[place];
        let pose = sim.pose();
        let mut nearest = f32::INFINITY;
        for &shape in &bodies[sim.body].shapes {
            let record = shape_at(shape);
            match record.follow(pose, ahead[place]) {
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
        sim.room = if ahead[place] == Vec2::ZERO { nearest - rounding(sim) } else { 0.0 };
    }
}

/// How far the step moves the points of a body at most.
fn farthest_move(sim: &BodySim, state: &BodyState) -> f32 {
    let Rot { c, s } = state.delta_rotation;
    // How far the turn moves the end of a unit vector, and a little more.
    let turn = (1.0 - c).abs() + s.abs();
    state.delta_position.length() + turn * sim.extent + rounding(sim)
}

/// More than a box is off because positions and boxes are rounded.
fn rounding(sim: &BodySim) -> f32 {
    1.0e-6 * (sim.center.x.abs() + sim.center.y.abs() + sim.extent)
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
fn freeze(world: &mut World, body: u32) {
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
