//! What carom's engines share.
//!
//! Everything here works on keys, counts, orders and texts: generational pools and the typed handles into them, persistent
//! islands, graph colouring, a bounding-volume tree over any bounds type, a map of pairs, a set of numbers, deterministic
//! trigonometry, a state hash, the bytes of snapshots, a random generator, a fixed-step clock, stage timers, the errors of definitions and of scene files, and a reader
//! of XML.
//!
//! Invariant: **nothing in this crate names a coordinate.** There is no vector, no box and no dimension. The tree
//! sees bounds only through the [`Bounds`] trait, and islands and colours see bodies only as `u32` keys. What needs
//! an `x` belongs to the engine that knows how many axes there are.
//!
//! The second rule is that results are the same bits on every target: no platform maths library, no container whose
//! order of iteration varies, no address and no time (but for [`Timers`] and [`Stopwatch`], on which no result depends).

#![forbid(unsafe_code)]

mod bit_set;
mod bvh;
mod coloring;
mod error;
mod fixed_step;
mod hash;
mod id;
mod islands;
pub mod math;
mod pair_set;
mod pool;
mod rng;
mod snapshot;
pub mod text;
mod timers;

pub use bit_set::{BitSet, BitSetIter};
pub use bvh::{Bounds, Bvh, NodeView, Visitor};
pub use coloring::{COLOR_COUNT, ColorGraph, HOLE, OVERFLOW, Slot};
pub use error::DefError;
pub use fixed_step::FixedStep;
pub use hash::StateHash;
pub use id::{Id, new_origin};
pub use islands::Islands;
pub use pair_set::PairSet;
pub use pool::{Pool, PoolSlot};
pub use rng::Rng;
pub use snapshot::{
    SnapshotError, SnapshotKind, SnapshotReader, SnapshotWriter, checksum, ensure, read_pool, write_pool,
};
pub use timers::{Stopwatch, Timers};
