//! Kinematic bodies that accelerate do so within the step, too.
//!
//! The caller gives a kinematic body one velocity `v` for each step: the mean over the step of what is meant. If the body
//! had this velocity throughout, a smooth motion with the acceleration `a` would become a polygon whose velocity jumps by
//! `a dt` between steps. What rests on a platform that accelerates downwards has the velocity of the last chord then, by
//! `a dt / 2` too fast, and gravity closes the gap with no more than `g - a`: it flies up to `(a dt)^2 / 8 (g - a)` high
//! where it should not leave at all.
//!
//! So velocities change linearly within a step, by `s dt` about the mean, in sub-steps of `h = dt / n`:
//!
//! ```text
//! v_j = v + s ((j + 1/2) h - dt / 2)        j = 0 .. n - 1
//! ```
//!
//! Their mean is `v`, so the body arrives where the caller sends it. With `a_k` the acceleration from the last step to this
//! one, and `a_(k-1)` that before, the slope in the middle of this step is
//!
//! ```text
//! s = a_k + c_k / 2 + (c_k - c_(k-1)) / 3        c_k = a_k - a_(k-1)
//! ```
//!
//! to third order. Where accelerations do not go on as they did (the changes `c_k` and `c_(k-1)` differ by more than a factor
//! of two), the motion may have a kink. There the slope goes without the last term, and is limited as finite-volume methods
//! limit slopes within cells that they have from means over cells (B. van Leer, 1977): to twice the smaller of the two
//! accelerations, and to nothing where these are opposed. So a body that starts, stops or turns back from one step to the
//! next does just that.

use super::StepContext;
use crate::body::{BodyId, BodyKind, BodyState};
use crate::math::{Vec2, min, vec2};
use crate::sets::SolverSets;
use crate::solver::{Batch, Coupled};
use crate::world::WorldState;

/// How a kinematic body was told to move of late.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ramp {
    pub(crate) body: BodyId,
    pub(crate) linear: Course,
    /// Of the angle; along x.
    pub(crate) angular: Course,
}

/// Velocities that were given step by step, until the last step, or until this one after its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    pub(crate) velocity: Vec2,
    /// From the step before.
    pub(crate) acceleration: Vec2,
    /// By how much that is more than the acceleration before it.
    pub(crate) change: Vec2,
    /// How fast the velocity changes within this step.
    pub(crate) slope: Vec2,
}

impl Course {
    /// At the same velocity for some time.
    fn steady(velocity: Vec2) -> Course {
        Course { velocity, acceleration: Vec2::ZERO, change: Vec2::ZERO, slope: Vec2::ZERO }
    }

    fn is_steady(&self) -> bool {
        self.acceleration == Vec2::ZERO && self.change == Vec2::ZERO
    }

    /// Takes up the velocity of a step. `time` is how long ago that of the last one was meant, in seconds.
    fn go_on(&mut self, velocity: Vec2, time: f32) {
        let acceleration = (velocity - self.velocity) / time;
        let change = acceleration - self.acceleration;
        let is_smooth = 9.0 * (change - self.change).length_squared() <= (change + self.change).length_squared();
        let slope = acceleration + 0.5 * change;
        let slope = if is_smooth {
            slope + (change - self.change) / 3.0
        } else {
            limited(slope, acceleration, self.acceleration)
        };
        // What is too large to be squared is no motion to be continued.
        let slope = if slope.length_squared().is_finite() { slope } else { Vec2::ZERO };
        *self = Course { velocity, acceleration, change, slope };
    }

    /// The velocity some seconds after the middle of the step.
    fn at(&self, time: f32) -> Vec2 {
        self.velocity + self.slope * time
    }
}

/// The slope as far as both accelerations have it.
fn limited(slope: Vec2, now: Vec2, before: Vec2) -> Vec2 {
    let (square, most) = (slope.length_squared(), 4.0 * min(now.length_squared(), before.length_squared()));
    if now.dot(before) <= 0.0 || now.dot(slope) <= 0.0 {
        Vec2::ZERO
    } else if square > most {
        slope * (most / square).sqrt()
    } else {
        slope
    }
}

impl WorldState {
    /// Remembers the velocities that a kinematic body has had, before it is given others.
    pub(crate) fn note_velocity(&mut self, body: u32) {
        let Some((id, state)) = self.bodies.id_at(body).zip(self.state(body)) else { return };
        let angular = Course::steady(vec2(state.angular_velocity, 0.0));
        let ramp = Ramp { body: id, linear: Course::steady(state.velocity), angular };
        match self.ramps.binary_search_by_key(&body, |ramp| ramp.body.index()) {
            // Another body with this index is gone.
            Ok(place) if self.ramps[place].body != id => self.ramps[place] = ramp,
            Ok(_) => {}
            Err(place) => self.ramps.insert(place, ramp),
        }
    }
}

/// Finds out how the velocities of kinematic bodies change within the step. Forgets those that do not.
pub(crate) fn begin_ramps(world: &mut WorldState, context: &StepContext) {
    if world.ramps.is_empty() {
        return;
    }
    let last_dt = if world.last_h > 0.0 { world.last_h * world.last_substeps as f32 } else { context.dt };
    let time = 0.5 * (last_dt + context.dt);
    let WorldState { ramps, bodies, sets, .. } = world;
    ramps.retain_mut(|ramp| {
        let is_kinematic = bodies.get(ramp.body).is_some_and(|body| body.kind == BodyKind::Kinematic);
        let Some(state) = sets.state(ramp.body.index()).filter(|_| is_kinematic) else { return false };
        ramp.linear.go_on(state.velocity, time);
        ramp.angular.go_on(vec2(state.angular_velocity, 0.0), time);
        !(ramp.linear.is_steady() && ramp.angular.is_steady())
    });
}

/// Gives kinematic bodies their velocities in the sub-step that starts.
pub(crate) fn follow_ramps(batch: &mut Batch<'_>, context: &StepContext) {
    let Some(Coupled { ramps, places, .. }) = &batch.coupled else { return };
    let substep = (batch.substep + 1) as f32 - 0.5;
    let time = context.h * substep - 0.5 * context.dt;
    set_velocities(ramps, places, batch.states, time);
}

/// Gives kinematic bodies back what they were given.
pub(crate) fn end_ramps(ramps: &[Ramp], sets: &mut SolverSets) {
    let (places, awake) = sets.places_and_awake();
    set_velocities(ramps, places, &mut awake.states, 0.0);
}

/// Gives kinematic bodies the velocities that they have some seconds after the middle of the step.
fn set_velocities(ramps: &[Ramp], places: &[u32], states: &mut [BodyState], time: f32) {
    for ramp in ramps {
        let place = places[ramp.body.index() as usize] as usize;
        if let Some(state) = states.get_mut(place) {
            state.velocity = ramp.linear.at(time);
            state.angular_velocity = ramp.angular.at(time).x;
        }
    }
}
