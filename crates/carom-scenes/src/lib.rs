//! Every built-in carom scene, written once for the viewer, the command line, the tests, the
//! benchmarks and the documentation.
//!
//! A [`Scene`] is a value: a name, one line of what it shows, how long it runs, where to look, how to
//! build it, what happens while it runs, and what must hold when it is over.
//!
//! ```
//! use carom_scenes::{BuildOptions, find};
//!
//! let scene = find("stack")?;
//! let mut run = scene.build(&BuildOptions::default())?;
//! for _ in 0..scene.steps {
//!     run.step();
//! }
//! run.check()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A scene is one file, in the folder of its [`Group`]. To add one, write the file and list it in
//! [`all`]; everything else follows from that list.
//!
//! Invariants: nothing here draws, prints or reads a clock, and the same scene is the same bits
//! everywhere: what is random comes from [`carom_core::Rng`] with a fixed seed.
#![forbid(unsafe_code)]

mod basics;
mod benchmark;
mod closest;
mod color;
mod companions;
mod coursework;
pub mod file;
mod fluids;
mod friction;
mod golden;
mod impact;
mod joints;
mod list;
pub mod measure;
mod particles;
mod playback;
mod ragdoll;
mod run;
mod scene;
mod script;
mod setup;
mod shapes;
mod soft;
mod solid;
mod stacks;

pub use closest::closest;
pub use color::Color;
pub use companions::{Companions, SceneField};
pub use file::{OpenError, is_scene_file, open, open_bytes};
pub use golden::Golden;
pub use list::{UnknownScene, all, find};
pub use particles::{ParticleRun, ParticleScene};
pub use playback::{MAX_RECORDING_BYTES, RECORDING_ENDING};
pub use run::{Entry, Run, entries, find_entry};
pub use scene::{About, BuildOptions, Camera, EXPLOSION_SPEED, Group, Scene, SceneWorld};
pub use script::{Ray, Unmet};
pub use solid::{PoolGame, SolidRun, SolidScene};
