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
//! # Features
//!
//! - `serde`: definitions, handles, events, what queries answer, and whole worlds can be serialized. Off by default; no result
//!   depends on it.
//!
//! The step itself is in `step.rs`; it reads like a table of contents.
// Allowed for single functions that hand out work to threads: each says who keeps it apart.
#![deny(unsafe_code)]

// Where to look, by what one looks for (paths from this folder):
//
// the order of a step                       step.rs, once per solver; settings common to its stages context.rs
// what a world is, what a step uses         world.rs (WorldState), scratch.rs
// friction                                  solver/friction.rs; of an impact stage/restitution.rs; mixing material.rs
// non-penetration                           stage/solve.rs, solver/two_points.rs; stiffness context.rs, solver/mod.rs
// restitution                               stage/restitution.rs; times of impact impact/flight.rs, order impact/queue.rs,
//                                           landed corners impact/landed.rs, neighbours impact/passing.rs
// contacts made within the step             stage/foresee.rs
// deep overlaps                             stage/recover.rs, overcrowded.rs
// loads of what was built at rest           stage/preload.rs; of upright stacks stage/statics.rs
// heavy bodies on light ones                stage/burdens.rs
// rolling along curves                      stage/turn.rs; ellipses stage/contacts.rs (rock)
// kinematic bodies within a step            stage/kinematic.rs
// mechanisms                                joint/exact.rs, stage/close.rs
// fast bodies, thin walls                   stage/continuous.rs, continuous/hits.rs, shape/sweep.rs
// gravity, forces, damping                  stage/integrate.rs
// new poses and boxes                       stage/finalize.rs; many bodies at once stage/arrive.rs
// small islands, many at a time             stage/groups.rs
// a contact as rows of the solver           prepare/fill.rs, prepare/masses.rs; the data solver/block.rs
// all constraints at once                   stage/direct.rs, solver/system/mod.rs
// the teaching solvers                      teaching/sequential.rs, teaching/first_impact.rs
// measures against jitter, left out         ablation.rs
// contact points and normals                collide/mod.rs, collide/polygon.rs; several pairs at once collide/wide.rs, collide/discs.rs
// how long a search holds                   collide/lease.rs; batches by it narrow/batches.rs, narrow/side_by_side.rs
// chains, concave polygons                  compound.rs, shape/part.rs, shape/decompose.rs, collide/smooth.rs
// what a contact remembers                  contact.rs
// one-way platforms, what hooks may do      hooks.rs
// a joint's equation and derivative         joint/*.rs; springs, motors, limits joint/row.rs
// how joints are solved                     stage/joints.rs, joint/pins.rs, joint/hinges.rs; islands and colours joint/link.rs
// sensors                                   stage/sensors.rs
// what falls asleep, what wakes a body     stage/sleep.rs; the sets they move between sets.rs
// what a snapshot holds                     snapshot/mod.rs
// mass and inertia                          shape/mass.rs per shape, sets.rs (update_mass) per body
// broad phases                              broad/tree.rs, broad/packed.rs, broad/quadtree.rs
// fixed steps from frame times              advance.rs
// soft bodies; buoyancy; fields, drag       soft.rs; fluid.rs; field.rs, medium.rs
// explosions; characters                    explosion.rs; mover.rs
// rays, casts, points, boxes                query.rs, shape/cast.rs, shape/distance.rs
// recordings, replays                       record/mod.rs
// serialization                             serial.rs
// lines that show what a world holds      debug_draw.rs
// error messages                            error.rs; checks beside the definitions
// every invariant, for tests                validate.rs

mod ablation;
mod advance;
mod attach;
mod body;
mod body_ref;
mod broad;
pub mod collide;
mod compound;
mod contact;
mod contact_ref;
mod context;
mod continuous;
mod debug_draw;
mod error;
mod events;
mod explosion;
mod field;
mod filter;
mod fluid;
#[cfg(test)]
mod footprint;
mod hooks;
mod impact;
mod joint;
mod joint_ref;
mod material;
pub mod math;
mod medium;
mod motion;
mod mover;
mod narrow;
mod overcrowded;
mod prepare;
mod query;
mod record;
mod scratch;
#[cfg(feature = "serde")]
mod serial;
mod sets;
pub mod shape;
mod shape_ref;
mod snapshot;
mod soft;
mod solver;
mod stage;
mod step;
mod teaching;
mod validate;
mod world;

pub use ablation::Measure;
pub use advance::Advanced;
pub use attach::{Outline, ShapeDef, ShapeId};
pub use body::{BodyDef, BodyId, BodyKind, LockedAxes};
pub use body_ref::{BodyMut, BodyRef, Motion};
pub use broad::{BroadBox, BroadPhase, BroadPhaseKind, QuadtreeDef};
pub use contact::ContactId;
pub use contact_ref::{ContactPointView, ContactRef};
pub use debug_draw::{DebugDraw, DebugDrawDef, DebugItem, DebugState};
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
pub use query::{CastResult, ClosestPoint, QueryFilter, ShapePredicate, Visit};
pub use record::{Difference, RecordDef, Replay, ReplayError, Survey};
pub use shape_ref::{ShapeMut, ShapeRef};
pub use snapshot::SnapshotError;
pub use soft::{SoftBody, SoftBodyDef};
pub use solver::{Correction, Sequential, Solver};
pub use stage::Stage;
pub use world::{Continuous, MovedBody, World, WorldDef};

pub use carom_wide::Width;

/// Everything that most programs need.
pub mod prelude {
    pub use crate::math::{Aabb, Mat2, Pose, Rot, Vec2, vec2};
    pub use crate::shape::Geometry;
    pub use crate::{
        BodyDef, BodyId, BodyKind, BodyRef, BroadPhaseKind, CastResult, ClosestPoint, ContactRef, Continuous,
        Correction, DefError, Distance, Drive, Filter, FluidDef, FluidId, FluidRegion, Gear, JointDef, JointId,
        JointKind, Limits, LockedAxes, Material, Mix, Motor, Mouse, Prismatic, Pulley, QuadtreeDef, QueryFilter,
        Revolute, Sequential, ShapeDef, ShapeId, ShapeRef, Solver, Spring, Visit, Weld, Wheel, World, WorldDef,
    };
}
