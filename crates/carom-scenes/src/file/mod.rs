//! Scene files: reading and writing the `.json` format, and opening a file of any kind.
//!
//! `docs/scene-format.md` describes the format, `docs/scene.schema.json` says the same to programs.
//!
//! ```
//! let text = br##"{
//!   "format": "carom-scene",
//!   "version": 1,
//!   "bodies": [
//!     {"kind": "fixed", "shapes": [{"kind": "rectangle", "width": 20, "height": 1}]},
//!     {"kind": "dynamic", "position": [0, 4], "color": "#d94841", "shapes": [{"kind": "circle", "radius": 0.5}]}
//!   ]
//! }"##;
//! let mut run = carom_scenes::file::read("ball.json", text)?;
//! run.step();
//! let saved = carom_scenes::file::write(&run);
//! let again = carom_scenes::file::read("saved.json", saved.as_bytes())?;
//! assert_eq!(again.world.state_hash(), run.world.state_hash());
//! # Ok::<(), carom_scenes::file::SceneError>(())
//! ```

mod error;
mod joints;
mod json;
mod media;
mod object;
mod open;
mod read;
mod sfge;
mod totals;
mod water;
mod write;

pub use carom_core::text::SceneError;
pub use open::{ENDINGS, OpenError, is_scene_file, open, open_bytes};

pub(crate) use read::fitting_camera;

use crate::scene::SceneWorld;

/// What a file says it is.
pub const FORMAT: &str = "carom-scene";
/// The version of the format that is read and written.
pub const VERSION: u32 = 1;
/// Longer files are refused.
pub const MAX_BYTES: usize = 64 << 20;
/// The longest name of a scene, in characters.
const MAX_NAME: usize = 100;
/// The longest summary, in characters.
const MAX_SUMMARY: usize = 500;

/// Reads a scene from the text of a file: in the format of this crate, or in that of SFGE, which has `entities` and
/// no `format`. The name stands in errors, and its stem is the name of a scene that has none of its own.
pub fn read(name: &str, text: &[u8]) -> Result<SceneWorld, SceneError> {
    read::read(name, text)
}

/// The text of a file that holds a run as it is now: every body and shape with its pose, velocities and
/// colour, every joint, fluid, force field and soft body, and the particles of a [fluid](crate::Companions::fluid), to
/// the bit and in the same order but for gears, which come last.
///
/// What is lost: the number of steps made, forces that wait for the next step, what contacts, joints and soft bodies
/// remember from step to step, how long bodies have been at rest, what a scene does by itself
/// ([`SceneWorld::is_scripted`]), and [particles](crate::Companions::particles) among the bodies other than those of a
/// fluid.
pub fn write(run: &SceneWorld) -> String {
    write::write(run)
}

/// Text fit to be a name or a summary: on one line, without what would upset a terminal, not too long.
fn one_line(text: &str, most: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect()
}

#[cfg(test)]
mod tests;
