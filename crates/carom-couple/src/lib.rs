//! Particles of `carom-particles` among the rigid bodies of `carom2d`: each pushes the other.
//!
//! The two engines know nothing of each other, and go on as before. This crate makes them meet: before each step of
//! the world the particles make some short steps of their own, and where one overlaps a shape both get the same
//! impulse, in opposite directions, along the same line. So neither linear nor angular momentum is made or lost.
//!
//! ```text
//! d    depth to which a particle overlaps a shape, along the normal n of the shape
//! u    speed at which they part along n, u < 0 when they approach
//! m    1 / (1/m_p + 1/m_b + (r x n)^2 / I_b), the mass that resists along n
//! j = h max(0, k d - min(c, m/h) u)        impulse on the particle along n; -j n acts on the body
//! ```
//!
//! That is the penalty contact that particles have among each other, with damping. It is soft, as particles are: what
//! lies on them sinks in by weight over stiffness.
//!
//! ```
//! use carom_couple::{Coupled, Coupling};
//! use carom_particles::{ParticleDef, ParticleSystem};
//! use carom2d::prelude::*;
//! use glam::dvec2;
//!
//! let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
//! let crate_ = world.add_body(BodyDef::dynamic())?;
//! world.add_shape(crate_, ShapeDef::rectangle(1.0, 1.0))?;
//! let mut system = ParticleSystem::new();
//! system.add_particle(ParticleDef { position: dvec2(-2.0, 0.0), velocity: dvec2(3.0, 0.0), ..ParticleDef::default() })?;
//! let mut coupled = Coupled::new(system, Coupling { stiffness: 1.0e4, ..Coupling::default() })?;
//! for _ in 0..60 {
//!     coupled.step(&mut world, 1.0 / 60.0);
//!     world.step(1.0 / 60.0);
//! }
//! // The particle was stopped, and what it lost the crate has.
//! let momentum = coupled.system.velocities()[0].x + f64::from(world.body(crate_).velocity().x);
//! assert!((momentum - 3.0).abs() < 1.0e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`CoupledFluid`] does the same for a fluid, whose pressure is solved together with the motion of the bodies in it:
//! they float and sink as Archimedes has it.
//!
//! What is left out: edges between particles do not meet bodies, one-way shapes are solid to particles, and a
//! particle that moves further than the thickness of a wall within one of its steps passes through it.
#![forbid(unsafe_code)]

mod fluid;
mod mover;

pub use fluid::CoupledFluid;

use carom_particles::{Motion, ParticleSystem};
use carom2d::collide::{Reference, collide};
use carom2d::math::{Aabb, Pose, Rot, Vec2, vec2};
use carom2d::shape::{Circle, Geometry};
use carom2d::{Filter, World};
use glam::DVec2;
use mover::Mover;
use std::collections::BTreeMap;
use std::fmt;

/// How particles and bodies push each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// Stiffness of a contact in N/m, above 0. Default 1000. Raising it keeps particles further out of shapes, and
    /// asks for more steps.
    pub stiffness: f64,
    /// Damping of a contact in N s/m, at least 0. Default 1. Raising it takes the bounce away. More than stops a
    /// particle within one of its steps acts as just that.
    pub damping: f64,
    /// Steps of the particles per step of the world, 1 to 1000. Default 16. The lightest particle needs about
    /// `2 dt sqrt(stiffness / mass)` of them.
    pub substeps: u32,
    /// Which shapes the particles may meet. Default: all. Sensors never.
    pub filter: Filter,
}

impl Default for Coupling {
    fn default() -> Coupling {
        Coupling { stiffness: 1000.0, damping: 1.0, substeps: 16, filter: Filter::ALL }
    }
}

/// A field of a [`Coupling`] that is out of range.
#[derive(Clone, Debug, PartialEq)]
pub struct CouplingError {
    /// Which field, such as `Coupling.stiffness`.
    pub field: &'static str,
    /// What was given.
    pub value: f64,
    /// What would have been accepted.
    pub expected: &'static str,
}

impl fmt::Display for CouplingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}; expected {}", self.field, self.value, self.expected)
    }
}

impl std::error::Error for CouplingError {}

impl Coupling {
    fn validate(&self) -> Result<(), CouplingError> {
        let refuse = |field, value, expected| Err(CouplingError { field, value, expected });
        if !(self.stiffness > 0.0 && self.stiffness.is_finite()) {
            return refuse("Coupling.stiffness", self.stiffness, "a finite number above 0");
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return refuse("Coupling.damping", self.damping, "a finite number of at least 0");
        }
        if !(1..=1000).contains(&self.substeps) {
            return refuse("Coupling.substeps", self.substeps.into(), "a whole number from 1 to 1000");
        }
        Ok(())
    }
}

/// A particle system that lives in a world of rigid bodies. A clone goes on bit for bit like the original.
#[derive(Clone, Debug)]
pub struct Coupled {
    /// The particles. They may be changed between steps.
    pub system: ParticleSystem,
    coupling: Coupling,
    scratch: Scratch,
}

/// Lists that are rebuilt in each step, kept for their memory.
#[derive(Clone, Debug, Default)]
struct Scratch {
    movers: Vec<Mover>,
    /// Convex pieces of shapes, each with the place of its body among the movers.
    pieces: Vec<(Geometry, usize)>,
    /// Particles and pieces that may meet in this step, by their places.
    near: Vec<(usize, usize)>,
    /// Particles from left to right.
    by_x: Vec<usize>,
    positions: Vec<DVec2>,
    velocities: Vec<DVec2>,
}

impl Coupled {
    /// Puts particles among rigid bodies.
    pub fn new(system: ParticleSystem, coupling: Coupling) -> Result<Coupled, CouplingError> {
        coupling.validate()?;
        Ok(Coupled { system, coupling, scratch: Scratch::default() })
    }

    /// How particles and bodies push each other.
    pub fn coupling(&self) -> Coupling {
        self.coupling
    }

    /// Changes how particles and bodies push each other.
    pub fn set_coupling(&mut self, coupling: Coupling) -> Result<(), CouplingError> {
        coupling.validate()?;
        self.coupling = coupling;
        Ok(())
    }

    /// Moves the particles by `dt` seconds and pushes bodies by what they did. To be called before each
    /// [`World::step`], with the same `dt`: where bodies will be during that step is where their velocity takes them.
    ///
    /// Cannot fail. Like a step of the world it does nothing for a `dt` below a microsecond, and takes one above a
    /// second for a second. A body that particles touch wakes.
    pub fn step(&mut self, world: &mut World, dt: f32) {
        if dt.is_nan() || dt < 1.0e-6 {
            return;
        }
        let dt = if dt < 1.0 { f64::from(dt) } else { 1.0 };
        let h = dt / f64::from(self.coupling.substeps);
        self.gather(world, dt);
        for _ in 0..self.coupling.substeps {
            self.system.step(h);
            if !self.scratch.near.is_empty() {
                self.meet(h);
            }
            for mover in &mut self.scratch.movers {
                mover.advance(h);
            }
        }
        for mover in &self.scratch.movers {
            mover.hand_over(world);
        }
    }

    /// Finds which particles may meet which shapes before the step is over.
    fn gather(&mut self, world: &World, dt: f64) {
        let Scratch { movers, pieces, near, by_x, .. } = &mut self.scratch;
        movers.clear();
        pieces.clear();
        near.clear();
        let (positions, velocities, radii) = (self.system.positions(), self.system.velocities(), self.system.radii());
        by_x.clear();
        by_x.extend((0..positions.len()).filter(|&i| positions[i].is_finite() && radii[i] > 0.0));
        // The index settles ties.
        by_x.sort_by(|&i, &j| positions[i].x.total_cmp(&positions[j].x).then(i.cmp(&j)));
        let reach_of = |i: usize| radii[i] + velocities[i].length() * dt;
        let farthest = by_x.iter().map(|&i| reach_of(i)).fold(0.0, |a, b| if b > a { b } else { a });

        let mut places = BTreeMap::new();
        for id in world.shapes() {
            let shape = world.shape(id);
            if shape.is_sensor() || !shape.filter().allows(&self.coupling.filter) {
                continue;
            }
            let body = world.body(shape.body());
            if !body.is_enabled() {
                continue;
            }
            for piece in pieces_of(shape.geometry()) {
                let aabb = piece.aabb(body.pose()).grown(Mover::reach(&body, &piece, dt));
                let first_piece = near.len();
                let index = pieces.len();
                for_each_in(by_x, positions, &aabb, farthest, |i| {
                    let margin = reach_of(i);
                    let Aabb { min, max } = aabb;
                    let p = positions[i];
                    let inside = p.x + margin >= f64::from(min.x)
                        && p.x - margin <= f64::from(max.x)
                        && p.y + margin >= f64::from(min.y)
                        && p.y - margin <= f64::from(max.y);
                    if inside {
                        near.push((i, index));
                    }
                });
                if near.len() > first_piece {
                    let place = *places.entry(body.id()).or_insert_with(|| {
                        movers.push(Mover::of(&body));
                        movers.len() - 1
                    });
                    pieces.push((piece, place));
                }
            }
        }
    }

    /// Particles and bodies that overlap push each other for `h` seconds, one pair after the other.
    fn meet(&mut self, h: f64) {
        let Scratch { movers, pieces, near, positions, velocities, .. } = &mut self.scratch;
        positions.clear();
        positions.extend_from_slice(self.system.positions());
        velocities.clear();
        velocities.extend_from_slice(self.system.velocities());
        let (masses, radii, motions) = (self.system.masses(), self.system.radii(), self.system.motions());
        let Coupling { stiffness, damping, .. } = self.coupling;
        for &(i, piece) in near.iter() {
            let (geometry, place) = &pieces[piece];
            let mover = &mut movers[*place];
            let Some((normal, depth)) = mover.overlap(geometry, positions[i], radii[i]) else { continue };
            // On the line through the particle's centre: then no turning moment is left over.
            let arm = positions[i] - mover.center;
            let inv_mass = if motions[i] == Motion::Free && masses[i] > 0.0 { 1.0 / masses[i] } else { 0.0 };
            let give = inv_mass + mover.give(arm, normal);
            if give == 0.0 {
                continue;
            }
            let parting = (velocities[i] - mover.velocity_at(arm)).dot(normal);
            let most = 1.0 / (give * h);
            let resistance = if damping < most { damping } else { most };
            let force = stiffness * depth - resistance * parting;
            if force > 0.0 {
                let impulse = h * force * normal;
                velocities[i] += inv_mass * impulse;
                mover.push(-impulse, arm);
            }
        }
        self.system.set_state(positions, velocities);
    }
}

/// The convex pieces of a shape: itself, or those it was cut into.
fn pieces_of(geometry: &Geometry) -> Vec<Geometry> {
    if geometry.is_compound() {
        geometry.parts().iter().map(|part| Geometry::Part(part.clone())).collect()
    } else {
        vec![geometry.clone()]
    }
}

/// Visits the particles that are not more than `margin` to the left or right of a box.
fn for_each_in(by_x: &[usize], positions: &[DVec2], aabb: &Aabb, margin: f64, mut visit: impl FnMut(usize)) {
    let (low, high) = (f64::from(aabb.min.x) - margin, f64::from(aabb.max.x) + margin);
    let first = by_x.partition_point(|&i| positions[i].x < low);
    for &i in by_x[first..].iter().take_while(|&&i| positions[i].x <= high) {
        visit(i);
    }
}

/// The contact of a shape at the origin with a disc: the normal out of the shape, and how deep they overlap.
fn contact(geometry: &Geometry, at: Vec2, radius: f32) -> Option<(Vec2, f32)> {
    let disc = Geometry::Circle(Circle { center: Vec2::ZERO, radius });
    let manifold = collide(geometry, &disc, Pose { p: at, q: Rot::from_angle(0.0) }, 0.0, Reference::None);
    let deepest = manifold.points().first()?;
    (deepest.separation < 0.0).then_some((manifold.normal, -deepest.separation))
}

/// A vector in single precision.
fn single(v: DVec2) -> Vec2 {
    vec2(v.x as f32, v.y as f32)
}
