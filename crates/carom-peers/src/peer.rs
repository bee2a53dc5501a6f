//! What an engine must be able to do to run a recorded scene.

use crate::work::Work;
use carom2d::prelude::*;
use carom2d::{Motion, Outline, WorldDef};
use std::fmt;

/// Something in a scene that an engine has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The engine.
    pub engine: &'static str,
    /// What it has not, or not like this.
    pub what: String,
}

impl Unsupported {
    #[cfg_attr(not(feature = "peers"), allow(dead_code))]
    pub(crate) fn new(engine: &'static str, what: impl Into<String>) -> Unsupported {
        Unsupported { engine, what: what.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot run this scene: it has {}", self.engine, self.what)
    }
}

impl std::error::Error for Unsupported {}

/// What an engine is told before the first body is added.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Gravity, sub-steps, sleeping and continuous collision are read by every engine, the rest by carom only.
    pub world: WorldDef,
    /// Length of a step in seconds.
    pub dt: f32,
    /// Threads that share the work of a step.
    pub threads: usize,
    /// Approach speed in m/s below which nothing rebounds; none: each engine's own default.
    pub restitution_speed: Option<f32>,
}

/// An engine with a world in it. Bodies are named by numbers, in the order in which they were added, from 0.
pub trait Peer {
    /// Adds a body and its shapes. Each outline is an [`Outline::Geometry`].
    fn add_body(&mut self, body: &BodyDef, shapes: &[ShapeDef]) -> Result<(), Unsupported>;

    /// Joins two bodies. Those that the definition names are not to be looked at.
    fn add_joint(&mut self, body_a: usize, body_b: usize, joint: &JointDef) -> Result<(), Unsupported>;

    /// Removes a body with its shapes and joints.
    fn remove_body(&mut self, body: usize);

    /// Gives a body another velocity in m/s and angular velocity in rad/s.
    fn set_velocity(&mut self, body: usize, velocity: Vec2, angular_velocity: f32);

    /// Changes gravity, in m/s^2, and wakes every body.
    fn set_gravity(&mut self, gravity: Vec2);

    /// Lets `dt` seconds pass.
    fn step(&mut self, dt: f32);

    /// What the world is doing.
    fn work(&self) -> Work;

    /// Pose of the body's origin.
    fn pose(&self, body: usize) -> Pose;

    /// Where a body's centre of mass is, and how it moves.
    fn motion(&self, body: usize) -> Motion;

    /// Mass in kg, and inertia about the centre of mass in kg m^2, as the engine has them.
    fn mass(&self, body: usize) -> (f32, f32);

    /// Whether a body sleeps.
    fn is_sleeping(&self, body: usize) -> bool;

    /// The deepest overlap of two shapes in metres, by the engine's own contact points; 0 if nothing overlaps.
    fn penetration(&self) -> f32;
}

/// The geometry of a recorded shape.
#[cfg_attr(not(feature = "peers"), allow(dead_code))]
pub(crate) fn geometry(shape: &ShapeDef) -> Option<&Geometry> {
    match &shape.outline {
        Outline::Geometry(geometry) => Some(geometry),
        _ => None,
    }
}

/// Centre and half extents of a rectangle along the axes of its body, which other engines have a shape for.
#[cfg_attr(not(feature = "peers"), allow(dead_code))]
pub(crate) fn rectangle(vertices: &[Vec2]) -> Option<(Vec2, Vec2)> {
    let bounds = vertices.iter().copied().reduce(Vec2::min).zip(vertices.iter().copied().reduce(Vec2::max));
    let (low, high) = bounds.filter(|_| vertices.len() == 4)?;
    let is_corner = |v: &Vec2| (v.x == low.x || v.x == high.x) && (v.y == low.y || v.y == high.y);
    vertices.iter().all(is_corner).then(|| (0.5 * (low + high), 0.5 * (high - low)))
}

/// carom itself as a peer: what is recorded of a scene must be that scene.
#[derive(Debug)]
pub struct CaromPeer {
    /// The world that is played to.
    pub world: World,
    /// The bodies by their numbers.
    pub bodies: Vec<BodyId>,
}

impl CaromPeer {
    /// An empty world.
    pub fn new(def: WorldDef) -> Result<CaromPeer, DefError> {
        Ok(CaromPeer { world: World::try_new(def)?, bodies: Vec::new() })
    }
}

impl From<DefError> for Unsupported {
    fn from(error: DefError) -> Unsupported {
        Unsupported { engine: "carom", what: error.to_string() }
    }
}

impl Peer for CaromPeer {
    fn add_body(&mut self, body: &BodyDef, shapes: &[ShapeDef]) -> Result<(), Unsupported> {
        let id = self.world.add_body(*body)?;
        self.world.add_shapes(id, shapes)?;
        self.bodies.push(id);
        Ok(())
    }

    fn add_joint(&mut self, body_a: usize, body_b: usize, joint: &JointDef) -> Result<(), Unsupported> {
        let (body_a, body_b) = (self.bodies[body_a], self.bodies[body_b]);
        self.world.add_joint(JointDef { body_a, body_b, ..*joint })?;
        Ok(())
    }

    fn remove_body(&mut self, body: usize) {
        self.world.remove_body(self.bodies[body]).ok();
    }

    fn set_velocity(&mut self, body: usize, velocity: Vec2, angular_velocity: f32) {
        if let Some(mut body) = self.world.get_body_mut(self.bodies[body]) {
            body.set_velocity(velocity).ok();
            body.set_angular_velocity(angular_velocity).ok();
        }
    }

    fn set_gravity(&mut self, gravity: Vec2) {
        self.world.set_def(WorldDef { gravity, ..*self.world.def() }).ok();
    }

    fn step(&mut self, dt: f32) {
        self.world.step(dt);
    }

    fn work(&self) -> Work {
        Work::of(&self.world)
    }

    fn pose(&self, body: usize) -> Pose {
        self.world.body(self.bodies[body]).pose()
    }

    fn motion(&self, body: usize) -> Motion {
        self.world.body(self.bodies[body]).motion()
    }

    fn mass(&self, body: usize) -> (f32, f32) {
        let body = self.world.body(self.bodies[body]);
        (body.mass(), body.inertia())
    }

    fn is_sleeping(&self, body: usize) -> bool {
        self.world.body(self.bodies[body]).is_sleeping()
    }

    fn penetration(&self) -> f32 {
        carom_scenes::measure::deepest_penetration(&self.world)
    }
}
