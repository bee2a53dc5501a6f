//! How fast carom is, by itself and beside other engines: what `carom bench` measures.
//!
//! The scenes are those of [`carom_scenes`]; each is timed by one protocol (`measure.rs`): a fresh world for
//! every repeat, one step that is not timed, then all others, and of the repeats the fastest counts. Beside
//! the time stands the work that was done ([`Work`]), so that no engine wins by doing less.
//!
//! With the feature `peers` the same scenes run in Box2D and Rapier, in the same process and by turns. There
//! is one description of each scene: what carom builds is read back and recorded ([`recording`]), and the
//! record is played to the other engines ([`Peer`]).
//!
//! | file | holds |
//! |---|---|
//! | `cli.rs` | the arguments of `carom bench`, and which measurement they ask for |
//! | `measure.rs` | clocks and the protocol |
//! | `alone.rs` | carom's scenes |
//! | `growth.rs` | cost per body from a hundred to a hundred thousand |
//! | `corners.rs` | polygons of 4 to 1000 corners |
//! | `snapshots.rs` | bytes and time of saving and restoring a world |
//! | `recording.rs` | a scene as a list of operations, for any engine |
//! | `peers/` | the comparison with Box2D and Rapier, which `carom-peers` has |
#![forbid(unsafe_code)]

mod alone;
mod cli;
mod corners;
mod growth;
mod measure;
#[cfg(feature = "peers")]
mod peers;
pub mod recording;
mod snapshots;

pub use carom_peers::{CaromPeer, Peer, Unsupported, Work};
pub use cli::{Args, BenchError, execute};
pub use measure::Clock;
