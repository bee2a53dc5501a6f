//! What carom's engines share.
//!
//! Everything here works on keys, counts and orders: generational pools and the typed handles into them, persistent
//! islands, graph colouring, a bounding-volume tree over any bounds type, a map of pairs, a set of numbers, deterministic
//! trigonometry, a state hash, a random generator and stage timers.
//!
//! Invariant: **nothing in this crate names a coordinate.** There is no vector, no box and no dimension. The tree
//! sees bounds only through the [`Bounds`] trait, and islands and colours see bodies only as `u32` keys. What needs
//! an `x` belongs to the engine that knows how many axes there are.
//!
//! The second rule is that results are the same bits on every target: no platform maths library, no container whose
//! order of iteration varies, no address and no time (but for [`Timers`], which nothing else reads).

#![forbid(unsafe_code)]

mod bit_set;
mod bvh;
mod coloring;
mod hash;
mod id;
mod islands;
pub mod math;
mod pair_set;
mod pool;
mod rng;
mod timers;

pub use bit_set::{BitSet, BitSetIter};
pub use bvh::{Bounds, Bvh, NodeView, Visitor};
pub use coloring::{COLOR_COUNT, ColorGraph, HOLE, OVERFLOW, Slot};
pub use hash::StateHash;
pub use id::{Id, new_origin};
pub use islands::Islands;
pub use pair_set::PairSet;
pub use pool::{Pool, PoolSlot};
pub use rng::Rng;
pub use timers::Timers;
