//! A deterministic 3D physics engine for spheres, boxes, capsules, planes, triangles and springs.
//!
//! One [`World`] owns everything; bodies and springs are named by handles. Units are metres, kilograms, seconds and
//! radians; y points up, rotations are right-handed, numbers have 64 bits.
//!
//! ```
//! use carom3d::prelude::*;
//!
//! let mut world = World::new(WorldDef::default());
//! let floor = world.add_body(BodyDef::plane(DVec3::Y))?;
//! let ball = world.add_body(BodyDef { position: dvec3(1.0, 4.0, 0.0), ..BodyDef::sphere(0.5) })?;
//! // A spring from a point 8 m above the floor to the top of the ball.
//! let offsets = [dvec3(0.0, 8.0, 0.0), dvec3(0.0, 0.5, 0.0)];
//! world.add_spring(SpringDef { offsets, rest_length: 3.0, stiffness: 50.0, ..SpringDef::between(floor, ball) })?;
//! for _ in 0..600 {
//!     world.step(1.0 / 600.0);
//! }
//! println!("{:?}", world.body(ball).state());
//! # Ok::<(), DefError>(())
//! ```
//!
//! A [`Scene`] is a world read from a `.scene` file, with camera, lights and surfaces to draw it by; [`write_csv`]
//! runs one and writes where everything was.
//!
//! # How a step goes
//!
//! Between impacts all bodies that springs join are integrated as one system, by Runge-Kutta unless another
//! [`Integrator`] is asked for. Impacts happen at their time within the step, one after the other: fast spheres
//! neither tunnel nor bounce early, and momentum passes through rows of touching balls. What rests on each other is
//! held by forces that are constant through the step; what stays at rest falls asleep. Pairs with a box or a capsule
//! have no time of impact: they meet in up to four points, which are stopped at the surface and part when the step is
//! over.
//!
//! # What to expect of it
//!
//! - **Free flight and elastic impacts are exact** to rounding, whatever the step. Springs are as exact as the
//!   integrator.
//! - **The same bits everywhere,** and on any number of threads ([`WorldDef::threads`]). [`World::state_hash`] makes that
//!   checkable.
//! - **No panics.** Definitions, setters and files are checked and refused with an error that says what was expected.
//!   [`World::step`] cannot fail.
//! - Spheres that are put into each other are not thrown apart: they may only part.
//! - Boxes and capsules turn as Euler's equations say; a rod that spins fast may reach through what is thinner than the
//!   way of its end in a step.
//!
//! # Where to look
//!
//! | file | holds |
//! |---|---|
//! | `world.rs` | [`World`], [`WorldDef`]: add, remove, settings, energy, hash |
//! | `step.rs`, `stage/` | the step on one screen; one file per stage |
//! | `body.rs`, `body_ref.rs`, `shape.rs` | bodies, how they are kept, reading and changing one |
//! | `spring.rs`, `force.rs` | springs and the clusters they make; forces of the user's own |
//! | `integrate.rs`, `integrate/` | the five integrators |
//! | `inertia.rs` | mass properties and free rotation |
//! | `crowd.rs`, `rest_islands.rs` | heaps of many spheres, in sub-steps; which heaps are large |
//! | `balance.rs`, `held_point.rs` | forces between bodies at rest: the equations, for spheres and for any shape |
//! | `broad.rs`, `probe.rs`, `order.rs` | boxes in a tree; what a pass over all contacts reads, and in which order |
//! | `path.rs` | the way of a body through a step, as a Bézier curve |
//! | `collide/` | spheres: `touch.rs` nearest points, `impact.rs` times of impact, `crossing.rs` the polynomials behind them; other shapes: `core.rs`, `nearest.rs`, `meet.rs` |
//! | `compliant.rs` | impacts of balls that touch others: Hertz's law |
//! | `contact.rs`, `manifold.rs`, `events.rs` | pairs of bodies near each other; the points of those that are not both round; what happened |
//! | `advance.rs`, `query.rs` | fixed steps from frame times; rays, points, boxes, overlaps |
//! | `validate.rs` | every internal invariant, for tests |
//! | `material.rs`, `error.rs` | surfaces and impact laws; what was wrong |
//! | `scene/`, `csv.rs` | the `.scene` format; tables |
//! | [`math`] | quaternions and boxes; vectors are glam's |
// Allowed for single functions that hand out work to threads: each says who keeps it apart.
#![deny(unsafe_code)]

mod advance;
mod balance;
mod body;
mod body_ref;
mod broad;
mod collide;
mod compliant;
mod contact;
mod crowd;
mod csv;
mod disjoint;
mod error;
mod events;
mod force;
mod held_point;
mod inertia;
mod integrate;
mod manifold;
mod material;
pub mod math;
mod order;
mod path;
mod probe;
mod query;
mod rest_islands;
mod scene;
mod shape;
mod snapshot;
mod spring;
mod stage;
mod step;
mod validate;
mod world;

pub use advance::Advanced;
pub use body::{BodyDef, BodyId, BodyKind, BodyState};
pub use body_ref::{BodyMut, BodyRef};
pub use carom_core::SnapshotError;
pub use csv::{CSV_HEADER, write_csv, write_csv_header, write_csv_rows};
pub use error::DefError;
pub use events::{ContactEvent, Events, ImpactEvent};
pub use force::{ForceField, Wrench};
pub use integrate::Integrator;
pub use material::{ImpactLaw, Material, Mix};
pub use query::{CastResult, ClosestPoint};
pub use scene::{
    Camera, Color, DampingLaw, MAX_SCENE_BYTES, ModelView, PlaneView, PointLight, Scene, SceneError, SceneNote,
    SceneOptions, SolidView, SphereView, SpinFrame, Surface, Texture, TriangleView, Vertex,
};
pub use shape::Shape;
pub use spring::{SpringDef, SpringId};
pub use stage::Stage;
pub use world::{World, WorldDef};

/// Everything that most programs need.
pub mod prelude {
    pub use crate::math::{DVec3, Quat, dvec3};
    pub use crate::{
        BodyDef, BodyId, BodyKind, BodyState, DefError, ForceField, ImpactLaw, Integrator, Material, Mix, Shape,
        SpringDef, SpringId, World, WorldDef, Wrench,
    };
}
