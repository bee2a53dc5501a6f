//! What a scene does while it runs, and what it promises.

use carom_particles::fluid::Fluid;
use carom2d::prelude::*;
use carom2d::{BodyRef, Events};
use std::fmt;

/// The running part of a scene: what it remembers, does and promises.
///
/// Others may have changed the world in between (a viewer lets its user remove bodies), so a script
/// goes through [`steer`] and [`find_body`] instead of trusting its handles.
pub(crate) trait Script: fmt::Debug + Send + Sync + CloneScript {
    /// Does it do anything before steps?
    fn is_active(&self) -> bool {
        false
    }

    /// Before step number `step`, counted from 0: spawn, drive, strike.
    fn before_step(&mut self, _world: &mut World, _step: u32) {}

    /// After each step: watch.
    fn after_step(&mut self, _world: &World) {}

    /// Rays that the scene casts through the world as it is now.
    fn rays(&self, _world: &World) -> Vec<Ray> {
        Vec::new()
    }

    /// What must hold after any step.
    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)
    }

    /// What must hold at the end of the scene, besides the invariant, run for its own number of steps with its own settings.
    fn check(&self, world: &World) -> Result<(), Unmet>;

    /// What must hold of the fluid at the end of the scene, where there is one.
    fn check_fluid(&self, _world: &World, _fluid: &Fluid) -> Result<(), Unmet> {
        Ok(())
    }
}

/// A ray that a scene casts, up to where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins, in metres.
    pub from: Vec2,
    /// Where it meets the first shape, or where its length ends.
    pub to: Vec2,
    /// The shape that it meets, if it meets one.
    pub hit: Option<ShapeId>,
}

/// Lets boxed scripts be cloned.
pub(crate) trait CloneScript {
    fn clone_script(&self) -> Box<dyn Script>;
}

impl<S: Script + Clone + 'static> CloneScript for S {
    fn clone_script(&self) -> Box<dyn Script> {
        Box::new(self.clone())
    }
}

/// A promise of a scene that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// What was promised and what was found.
    pub reason: String,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unmet {}

/// Fails with a reason unless `holds`.
pub(crate) fn require(holds: bool, reason: impl FnOnce() -> String) -> Result<(), Unmet> {
    if holds { Ok(()) } else { Err(Unmet { reason: reason() }) }
}

/// Fails unless `value` is at most `limit`. A NaN is not.
pub(crate) fn at_most(what: &str, value: impl Into<f64>, limit: f64) -> Result<(), Unmet> {
    let value = value.into();
    require(value <= limit, || format!("{what} is {value:.6}, expected at most {limit}"))
}

/// Fails unless `value` is within `tolerance` of `expected`. A NaN is not.
pub(crate) fn near(what: &str, value: impl Into<f64>, expected: f64, tolerance: f64) -> Result<(), Unmet> {
    let value = value.into();
    require((value - expected).abs() <= tolerance, || {
        format!("{what} is {value:.6}, expected {expected} within {tolerance}")
    })
}

/// A body of the scene, unless the user removed it.
pub(crate) fn find_body(world: &World, id: BodyId) -> Result<BodyRef<'_>, Unmet> {
    world.get_body(id).ok_or_else(|| Unmet { reason: format!("{id:?} is no longer in the world") })
}

/// Fails unless every body is still part of the simulation, with finite numbers.
pub(crate) fn all_alive(world: &World) -> Result<(), Unmet> {
    for id in world.bodies() {
        let body = world.body(id);
        let finite = body.pose().is_finite() && body.velocity().is_finite() && body.angular_velocity().is_finite();
        require(finite && !body.is_frozen(), || format!("{id:?} lost its numbers"))?;
    }
    Ok(())
}

/// Fails unless the centre of every dynamic body lies in `room`.
pub(crate) fn all_inside(world: &World, room: Aabb) -> Result<(), Unmet> {
    for id in crate::measure::dynamic_bodies(world) {
        let center = world.body(id).center();
        require(room.contains_point(center), || format!("{id:?} left the room: it is at {center}"))?;
    }
    Ok(())
}

/// Sets a velocity; does nothing to a body that the user removed.
pub(crate) fn steer(world: &mut World, id: BodyId, velocity: Vec2) {
    if let Some(mut body) = world.get_body_mut(id) {
        // Fails only for a velocity that is not finite; then the body keeps the one it has.
        body.set_velocity(velocity).ok();
    }
}

/// Gives a kinematic body the velocity that brings it to `target` within one step of `dt` seconds.
pub(crate) fn drive_to(world: &mut World, id: BodyId, target: Vec2, dt: f32) {
    if let Some(body) = world.get_body(id) {
        let velocity = (target - body.position()) / dt;
        steer(world, id, velocity);
    }
}

/// How often sensors and boxes began and ceased to overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventCounts {
    pub(crate) sensor_begin: usize,
    pub(crate) sensor_end: usize,
    pub(crate) aabb_begin: usize,
    pub(crate) aabb_end: usize,
}

impl EventCounts {
    pub(crate) fn add(&mut self, events: &Events) {
        self.sensor_begin += events.sensor_begin.len();
        self.sensor_end += events.sensor_end.len();
        self.aabb_begin += events.aabb_begin.len();
        self.aabb_end += events.aabb_end.len();
    }
}
