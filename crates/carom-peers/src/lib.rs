//! carom, Box2D and Rapier behind one trait ([`Peer`]), so that the same bodies and joints can be given to each of
//! them in one process: benchmarks and problem families are played through it.
//!
//! Everything is described by carom's own definitions; Box2D and Rapier, which the feature `peers` compiles, refuse
//! what they have not ([`Unsupported`]).
#![deny(unsafe_code)]

#[cfg(feature = "peers")]
mod box2d;
mod peer;
#[cfg(feature = "peers")]
mod rapier;
mod work;

#[cfg(feature = "peers")]
pub use box2d::Box2d;
pub use peer::{CaromPeer, Peer, Settings, Unsupported};
#[cfg(feature = "peers")]
pub use rapier::Rapier;
pub use work::Work;
