//! A deterministic 2D rigid-body physics engine.
//!
//! One [`World`] owns everything; bodies and shapes are named by handles. Units are metres,
//! kilograms, seconds and radians; y points up and angles run counter-clockwise.
//!
//! ```
//! use carom2d::prelude::*;
//!
//! let mut world = World::new(WorldDef::default());
//! let ground = world.add_body(BodyDef::fixed())?;
//! world.add_shape(ground, ShapeDef::rectangle(100.0, 1.0))?;
//! let brick = world.add_body(BodyDef { position: vec2(0.0, 4.0), ..BodyDef::dynamic() })?;
//! world.add_shape(brick, ShapeDef { friction: 0.4, ..ShapeDef::rectangle(1.0, 0.5) })?;
//! for _ in 0..60 {
//!     world.step(1.0 / 60.0);
//! }
//! println!("{:?}", world.body(brick).position());
//! # Ok::<(), DefError>(())
//! ```
//!
//! # What to expect of it
//!
//! - **The same bits everywhere.** A world computes the same numbers on every target, in debug and
//!   release, and whatever broad phase it uses. [`World::state_hash`] makes that checkable.
//! - **No panics.** Definitions and setters check what they are given and return a [`DefError`]
//!   that names the field and the value. [`World::step`] cannot fail.
//! - **Shapes stand alone.** Everything in [`shape`] and [`collide`] works without a world.
//!
//! The step itself is in `step.rs`; it reads like a table of contents.
// Allowed for single functions that hand out work to threads: each says who keeps it apart.
#![deny(unsafe_code)]

mod advance;
mod attach;
mod body;
mod body_ref;
mod broad;
pub mod collide;
mod compound;
mod contact;
mod contact_ref;
mod error;
mod events;
mod explosion;
mod field;
mod filter;
mod fluid;
#[cfg(test)]
mod footprint;
mod hooks;
mod joint;
mod joint_ref;
mod material;
pub mod math;
mod medium;
mod motion;
mod mover;
mod query;
mod sets;
pub mod shape;
mod shape_ref;
mod soft;
mod solver;
mod stage;
mod step;
mod validate;
mod world;

pub use advance::Advanced;
pub use attach::{Outline, ShapeDef, ShapeId};
pub use body::{BodyDef, BodyId, BodyKind, LockedAxes};
pub use body_ref::{BodyMut, BodyRef, Motion};
pub use broad::{BroadBox, BroadPhase, BroadPhaseKind, QuadtreeDef};
pub use contact::ContactId;
pub use contact_ref::{ContactPointView, ContactRef};
pub use error::DefError;
pub use events::{ContactEvent, Events, HitEvent, JointBreak, SensorEvent};
pub use explosion::ExplosionDef;
pub use field::{Field, FieldBody, PointGravity, Push, Radial, Uniform, Vortex, Wind};
pub use filter::Filter;
pub use fluid::{FluidDef, FluidId, FluidRegion};
pub use hooks::{ContactPhase, ContactView, Hooks, Pair, PairView, PointView, Response, ShapeView};
pub use joint::{
    Distance, Drive, Gear, JointDef, JointId, JointKind, Limits, Motor, Mouse, Prismatic, Pulley, Revolute, Spring,
    Weld, Wheel,
};
pub use joint_ref::{JointMut, JointRef};
pub use material::{Material, Mix};
pub use mover::{Character, CharacterDef, CharacterMove, Ground};
pub use query::{CastResult, ClosestPoint, QueryFilter};
pub use shape_ref::{ShapeMut, ShapeRef};
pub use soft::{SoftBody, SoftBodyDef};
pub use solver::{Correction, Sequential, Solver};
pub use stage::Stage;
pub use stage::ablation::Measure;
pub use world::{Continuous, World, WorldDef};

pub use carom_wide::Width;

/// Everything that most programs need.
pub mod prelude {
    pub use crate::math::{Aabb, Mat2, Pose, Rot, Vec2, vec2};
    pub use crate::shape::Geometry;
    pub use crate::{
        BodyDef, BodyId, BodyKind, BroadPhaseKind, Continuous, Correction, DefError, Distance, Drive, Filter, FluidDef,
        FluidId, FluidRegion, Gear, JointDef, JointId, JointKind, Limits, LockedAxes, Material, Mix, Motor, Mouse,
        Prismatic, Pulley, QuadtreeDef, QueryFilter, Revolute, Sequential, ShapeDef, ShapeId, Solver, Spring, Weld,
        Wheel, World, WorldDef,
    };
}
