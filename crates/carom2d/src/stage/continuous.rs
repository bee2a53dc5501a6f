//! Continuous collision: a body that moved so far in this step that it may have passed through something
//! is put back to where it met it.
//!
//! Contacts are looked for where bodies are at the start of a step, so a bullet that is before a wall at
//! one step and behind it at the next would never touch it. Here the way of every fast body is looked at
//! as a whole, turning included ([`crate::shape::time_of_impact`]): against fixed and kinematic bodies
//! first, then, for [bullets](crate::BodyDef::bullet) and what became fast by a bouncy hit in this step, which could not be
//! foreseen, against all others. A body that met something
//! waits there until the next step, whose contact stage finds it, a hair in front of the surface and with
//! the velocity it came with. So what the impact does is decided in one place, by the solver.
//!
//! What moves itself takes along what it meets: a body that a paddle hit stays in front of the paddle.
//!
//! A limb that waits at a stair would be left behind by the rest of the person, and joints that were pulled
//! apart pull back. So what is joined to a body that was put back goes back to the same moment with it.
//!
//! # Energy
//!
//! A body in free flight that is put back by the way `D` has a velocity that belongs to the end of that
//! way. What its acceleration `a` gave it along `D` is taken back with it:
//! `|v|^2 / 2` changes by `-a . D`, so a ball that bounces forever does so with or without this stage.

use super::StepContext;
use super::finalize::FastBody;
use super::foresee::BOUNCY;
use super::integrate::SpeedLimits;
use crate::body::{Body, BodyKind};
use crate::broad::Kinds;
use crate::collide::SPECULATIVE_DISTANCE;
use crate::continuous::hits::{Against, Hit, Search, Surroundings, first_hit, is_near_immovable};
use crate::continuous::joined::{Held, hold_back_what_is_joined, put};
use crate::continuous::paths::{Other, path_box, sweep_of};
use crate::math::{Aabb, Vec2};
use crate::motion::Motions;
use crate::shape::Sweep;
use crate::world::WorldState;
use carom_core::Bvh;
use std::ops::Range;

/// Puts fast bodies back to where they met something. The list of fast bodies stays, for sensors.
pub(crate) fn put_back_fast_bodies(
    world: &mut WorldState,
    fast: &mut Vec<FastBody>,
    sweeps: &mut Sweeps,
    motions: &Motions,
    context: &StepContext,
) {
    if fast.is_empty() {
        return;
    }
    add_bodies_near_fast_kinematics(world, fast);
    // By body, so that it does not matter where the bodies sit in the awake set.
    fast.sort_by_key(|fast| fast.body);
    fast.dedup_by_key(|fast| fast.body);
    for fast in &mut *fast {
        fast.bullet |= is_thrown(world, motions, fast, context.dt);
    }
    add_paths(world, fast, &mut sweeps.paths);
    // Immovable bodies stay where they are, whichever bodies are put back: so all can be swept in parallel.
    let Sweeps { paths, found, held, .. } = &mut *sweeps;
    let grain = context.crew.grain(fast.len(), LEAST_FAST);
    let among = Surroundings { world, context, fast, paths };
    context.crew.for_lists(found, fast.len(), grain, |range, stops| find_stops(&among, range, stops));
    for run in found {
        for stop in run.stops.drain(..) {
            held.extend(put_back(world, context, fast, &stop));
        }
    }
    hold_back_what_is_joined(world, fast, &sweeps.held);
    sweeps.held.clear();
    // Each bullet meets the others where they have got to by now, those before it included.
    for place in 0..fast.len() {
        if fast[place].bullet && fast[place].kind == BodyKind::Dynamic {
            let Sweeps { paths, search, held, .. } = &mut *sweeps;
            search.other = Other::NONE;
            let among = Surroundings { world, context, fast, paths };
            if let Some(stop) = find_stop(&among, place, Against::Dynamic, search) {
                held.extend(put_back(world, context, fast, &stop));
            }
        }
    }
    hold_back_what_is_joined(world, fast, &sweeps.held);
    sweeps.held.clear();
    sweeps.paths.clear();
}

/// True for a body that an impact within the step has sent another way, farther than contacts reach, and that may pass it
/// on. What it meets there is not known to `foresee.rs`, which looks at the velocities of the start of the step.
fn is_thrown(world: &WorldState, motions: &Motions, fast: &FastBody, dt: f32) -> bool {
    let before = motions.get(fast.body).map_or(Vec2::ZERO, |motion| motion.velocity);
    let Some(state) = world.state(fast.body) else { return false };
    fast.kind == BodyKind::Dynamic
        && (state.velocity - before).length_squared() * dt * dt > SPECULATIVE_DISTANCE * SPECULATIVE_DISTANCE
        && world.bodies[fast.body].shapes.iter().any(|&shape| world.shapes[shape].material.restitution >= BOUNCY)
}

/// Memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweeps {
    /// The ways of what is fast itself and may be met: the broad phase knows only where they ended.
    paths: Bvh<Aabb>,
    /// Of each run of bodies.
    found: Vec<FoundStops>,
    search: Search,
    held: Vec<Held>,
}

/// What a run of bodies met.
#[derive(Clone, Debug, Default)]
struct FoundStops {
    search: Search,
    stops: Vec<Stop>,
}

/// Fewer fast bodies than this are not worth another thread.
pub(crate) const LEAST_FAST: usize = 8;

/// A fast paddle may pass through a ball that rests: such balls are looked at, too.
fn add_bodies_near_fast_kinematics(world: &WorldState, fast: &mut Vec<FastBody>) {
    for place in 0..fast.len() {
        let FastBody { body: mover, kind, .. } = fast[place];
        if kind != BodyKind::Kinematic {
            continue;
        }
        let sweep = sweep_of(world, mover, fast[place].turn(world));
        for &shape in &world.bodies[mover].shapes {
            let path = path_box(world.tight_aabb(shape), world.sim(mover).extent, &sweep);
            world.broad.query(&path, u64::MAX, Kinds::Dynamic, &mut |other| {
                let body = world.shapes[other].body;
                let Body { kind, bullet, .. } = world.bodies[body];
                if kind == BodyKind::Dynamic {
                    fast.push(FastBody {
                        body,
                        kind,
                        bullet,
                        spin: 0.0,
                        turn: None,
                        flies: false,
                        acceleration: Vec2::ZERO,
                    });
                }
                true
            });
        }
    }
}

/// Adds the ways of what is fast itself and may be met.
fn add_paths(world: &WorldState, fast: &[FastBody], paths: &mut Bvh<Aabb>) {
    let bullets = fast.iter().any(|fast| fast.bullet);
    for fast in fast {
        if fast.kind == BodyKind::Kinematic || bullets {
            let sweep = sweep_of(world, fast.body, fast.turn(world));
            for &shape in &world.bodies[fast.body].shapes {
                let record = &world.shapes[shape];
                let path = path_box(world.tight_aabb(shape), world.sim(fast.body).extent, &sweep);
                paths.insert(path, record.broad_filter().category, shape);
            }
        }
    }
}

/// Where a body is put back to, and why.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// Its place among the fast bodies.
    place: usize,
    /// How it gets there.
    way: Sweep,
    hit: Hit,
}

/// Finds out which bodies of a range met something that cannot be moved.
fn find_stops(among: &Surroundings<'_>, range: Range<usize>, FoundStops { search, stops }: &mut FoundStops) {
    search.other = Other::NONE;
    for place in range {
        let FastBody { body, kind, .. } = among.fast[place];
        if kind == BodyKind::Dynamic && is_near_immovable(among.world, body, among.paths) {
            stops.extend(find_stop(among, place, Against::Immovable, search));
        }
    }
}

/// Finds out where a body met something.
fn find_stop(among: &Surroundings<'_>, place: usize, against: Against, search: &mut Search) -> Option<Stop> {
    let Surroundings { world, fast, .. } = *among;
    let body = fast[place].body;
    let sweep = sweep_of(world, body, fast[place].turn(world));
    let pose = world.sim(body).pose();
    let hit = first_hit(among, body, &sweep, pose, against, search)?;
    let mut way = Sweep { translation: sweep.translation * hit.fraction, turn: sweep.turn * hit.fraction, ..sweep };
    let carries = hit.sweep.translation != Vec2::ZERO || hit.sweep.turn != 0.0;
    if carries {
        // From there on it goes with what it met, but not through a wall.
        let met = sweep.pose_at(hit.fraction);
        let seen = hit.sweep.pose_at(hit.fraction).inv_mul(met);
        let center = met.point(sweep.local_center);
        let carried = Sweep {
            center,
            translation: hit.sweep.pose_at(1.0).compose(seen).point(sweep.local_center) - center,
            rotation: met.q,
            turn: hit.sweep.turn * (1.0 - hit.fraction),
            local_center: sweep.local_center,
        };
        let wall = first_hit(among, body, &carried, carried.pose_at(1.0), Against::Fixed, search);
        let share = wall.map_or(1.0, |wall| wall.fraction);
        way.translation = (center - sweep.center) + carried.translation * share;
        way.turn += carried.turn * share;
    }
    Some(Stop { place, way, hit })
}

/// Puts a body back to where it met something. Returns it if it waits there.
fn put_back(world: &mut WorldState, context: &StepContext, fast: &mut [FastBody], stop: &Stop) -> Option<Held> {
    let Stop { place, way, hit } = stop;
    let FastBody { body, acceleration, .. } = fast[*place];
    fast[*place].turn = Some(way.turn);
    world.wake(body);
    let taken_back = world.sim(body).center - (way.center + way.translation);
    put(world, body, way);
    if world.bodies[hit.body].kind != BodyKind::Kinematic
        && let Some(state) = world.state_mut(body)
    {
        state.velocity = slowed(state.velocity, acceleration, taken_back, (1.0 - hit.fraction) * context.dt);
        // What rises was faster before.
        SpeedLimits::of(context).hold(state);
    }
    let carried = hit.sweep.translation != Vec2::ZERO || hit.sweep.turn != 0.0;
    (!carried).then_some(Held { body, fraction: hit.fraction })
}

/// The velocity of a body in free flight before the last part of its way, which took `time` seconds.
///
/// `v - a t` with the `t` for which `|v|^2 / 2` changes by `-a . way`, the root of
/// `|a|^2 t^2 / 2 - (a . v) t + a . way = 0`. It is the time but for the difference between the curve and its
/// chord.
fn slowed(velocity: Vec2, acceleration: Vec2, way: Vec2, time: f32) -> Vec2 {
    let (along, work) = (acceleration.dot(velocity), acceleration.dot(way));
    let discriminant = along * along - 2.0 * acceleration.length_squared() * work;
    // Of two forms of the same root, the one without a difference of equals.
    let root = 2.0 * work / (along + discriminant.sqrt().copysign(along));
    // Near the top of its flight there may be no such time; NaN fails.
    let known = (root - time).abs() <= 0.5 * time;
    velocity - acceleration * if known { root } else { time }
}
