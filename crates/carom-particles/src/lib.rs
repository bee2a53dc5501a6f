//! Particle systems in the plane: forces, integrators, collisions, and the scenes of the FOSSSim course framework.
//!
//! A [`ParticleSystem`] holds particles, edges between them, half-planes and forces, and makes steps. SI units, y up,
//! 64-bit floats.
//!
//! ```
//! use carom_particles::{CollisionHandling, HalfPlane, ParticleDef, ParticleSystem, SimpleCollisions};
//! use carom_particles::forces::UniformGravity;
//! use glam::dvec2;
//!
//! let mut system = ParticleSystem::new();
//! let ball = system.add_particle(ParticleDef { position: dvec2(0.0, 2.0), ..ParticleDef::default() })?;
//! system.add_half_plane(HalfPlane { point: dvec2(0.0, 0.0), normal: dvec2(0.0, 1.0) })?;
//! system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) })?;
//! system.set_collisions(CollisionHandling::Simple(SimpleCollisions { restitution: 0.5, ..Default::default() }));
//! for _ in 0..100 {
//!     system.step(0.01);
//! }
//! println!("{}", system.positions()[ball]);
//! # Ok::<(), carom_particles::DefError>(())
//! ```
//!
//! A [`Scene`] adds how long to run and how it looks, and is read from XML with [`Scene::from_xml`].
//! [`write_trajectory`] and [`write_csv`] run one and write what happened; [`compare`] grades a trajectory.
//!
//! # What to expect of it
//!
//! - **The original's numbers.** Formulas, and where it shows even the order of operations, are those of the program
//!   the scenes were made for. With explicit and symplectic Euler every step has the same bits; with the implicit
//!   methods, whose linear equations are solved differently, steps agree to 1e-15.
//! - **The same bits everywhere**, whatever the [`BroadPhase`].
//! - **No panics.** Definitions and files are checked and refused with an error that says what was expected. A step
//!   cannot fail, but it does not hide singular forces either: see [`ParticleSystem`].
//!
//! # Where to look
//!
//! `system.rs` has the step; [`forces`], `integrate/` and `collide/` hold one noun per file; `scene/` reads XML.
#![forbid(unsafe_code)]

mod collide;
mod compare;
mod csv;
mod error;
pub mod fluid;
pub mod forces;
mod integrate;
mod mat2;
mod model;
mod scene;
mod snapshot;
mod system;
mod text;
mod trajectory;

pub use carom_core::SnapshotError;
pub use collide::{
    BroadPhase, CollisionHandling, Contact, ContactKind, ContinuousCollisions, FixedAtHalfPlane, Impact,
    SimpleCollisions, half_plane_impact, particle_edge_impact, particle_impact,
};
pub use compare::{
    CollisionError, Grader, MARK_RESIDUAL, MAX_ACCUMULATED, MAX_NORMAL_ERROR, MAX_SINGLE, Report, Residuals,
    StepReport, compare, compare_contacts, compare_with,
};
pub use csv::{CSV_HEADER, write_csv, write_csv_header, write_csv_rows};
pub use error::DefError;
pub use integrate::{EquationSolver, Integrator};
pub use mat2::Mat2;
pub use model::{DEFAULT_EDGE_RADIUS, DEFAULT_PARTICLE_RADIUS, Edge, HalfPlane, Motion, ParticleDef, State};
pub use scene::{Color, Extent, MAX_SCENE_BYTES, ParticlePath, Scene, SceneError, Viewport, WriteError};
pub use system::{MAX_OBJECTS, ParticleSystem};
pub use text::short_number;
pub use trajectory::{
    Frame, FrameReader, MAX_TRAJECTORY_BYTES, Trajectory, TrajectoryError, write_frame, write_trajectory,
};
