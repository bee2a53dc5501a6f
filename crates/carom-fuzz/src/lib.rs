//! Functions that take any bytes and hold carom to its promises.
//!
//! | file | holds |
//! |---|---|
//! | `formats.rs` | targets: scene files of all three formats, trajectories |
//! | `states.rs` | targets: snapshots and recordings |
//! | `plane.rs` | target: calls of the 2D engine |
//! | `space.rs` | target: calls of the 3D engine |
//! | `particles.rs` | target: calls of the particle engine and its fluid |
//! | `source.rs` | numbers and choices out of bytes |
//! | `oracle.rs` | what is checked: work, memory, finite numbers |
//! | `mutate.rs` | changes of bytes from a seed, for searches without coverage |
//!
//! A [`Target`] panics if a promise is broken. The same functions are called by libFuzzer, which looks for bytes that reach
//! new code (`scripts/fuzz`, in the workspace `fuzz/`), and by `tests/search.rs`, which goes through the corpus and through
//! mutations from fixed seeds, so that it finds the same every time.
#![forbid(unsafe_code)]

mod formats;
pub mod mutate;
pub mod oracle;
mod particles;
mod plane;
mod source;
mod space;
mod states;

pub use states::sealed_recording;

/// Something to hand bytes to.
pub struct Target {
    /// Its name, and that of its folder in the corpus.
    pub name: &'static str,
    /// Panics if the bytes break a promise. Returns how far they came: 0 refused at once, more for more.
    pub run: fn(&[u8]) -> usize,
    /// Bytes to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the format, which mutations put in.
    pub words: &'static [&'static str],
    /// Longer inputs are of no use.
    pub most_bytes: usize,
}

/// All targets.
pub const TARGETS: [Target; 9] = [
    Target {
        name: "scene_json",
        run: formats::scene_json,
        seeds: formats::json_seeds,
        words: formats::JSON_WORDS,
        most_bytes: 8192,
    },
    Target {
        name: "scene_xml",
        run: formats::scene_xml,
        seeds: formats::xml_seeds,
        words: formats::XML_WORDS,
        most_bytes: 8192,
    },
    Target {
        name: "scene_3d",
        run: formats::scene_3d,
        seeds: formats::scene_3d_seeds,
        words: formats::SCENE_3D_WORDS,
        most_bytes: 8192,
    },
    Target {
        name: "trajectory",
        run: formats::trajectory,
        seeds: formats::trajectory_seeds,
        words: &[],
        most_bytes: 8192,
    },
    Target { name: "snapshot", run: states::snapshot, seeds: states::snapshot_seeds, words: &[], most_bytes: 8192 },
    Target { name: "recording", run: states::recording, seeds: states::recording_seeds, words: &[], most_bytes: 16384 },
    Target { name: "calls_2d", run: plane::calls, seeds: source::seeds, words: &[], most_bytes: 4096 },
    Target { name: "calls_3d", run: space::calls, seeds: source::seeds, words: &[], most_bytes: 4096 },
    Target { name: "calls_particles", run: particles::calls, seeds: source::seeds, words: &[], most_bytes: 4096 },
];

/// The target of a name.
pub fn find(name: &str) -> Option<&'static Target> {
    const { &TARGETS }.iter().find(|target| target.name == name)
}

/// Hands bytes to a target, and checks the memory that it takes, too. Panics if a promise is broken.
pub fn check(target: &Target, bytes: &[u8]) -> usize {
    let bytes = &bytes[..bytes.len().min(target.most_bytes)];
    let meter = oracle::Memory::start();
    let reached = (target.run)(bytes);
    meter.check(target.name, bytes.len());
    reached
}
