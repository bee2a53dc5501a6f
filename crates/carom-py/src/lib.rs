//! The Python package `carom`: this library is its module `carom._carom`.
//!
//! A `PyWorld` owns a world; bodies, shapes and joints are objects of a handle and the world it
//! belongs to, and every use looks the handle up. Nothing that Python does can reach memory that is gone: a world that is
//! being stepped refuses to be touched, a stale handle raises `StaleHandle`. Everything long runs without Python's lock.
//!
//! | file | what |
//! |---|---|
//! | `world.rs` | `World`: adding, stepping, queries |
//! | `body.rs`, `shape.rs`, `joint.rs`, `character.rs` | what is in a world |
//! | `events.rs`, `hooks.rs` | what happened; callables that a step asks |
//! | `arrays.rs` | what all bodies have, as NumPy arrays |
//! | `batch.rs` | many copies of a world that step together |
//! | `keywords.rs`, `fields.rs` | keyword arguments as the engine's definitions |
//! | `convert.rs`, `vector.rs`, `error.rs` | numbers, vectors, exceptions |
//! | `run.rs`, `picture.rs` | scenes of any kind; pictures and movies |
//! | `gym/` | environments of Gymnasium, many at a time |
//! | `box2d/` | what the drop-in for pybox2d stands on |
// PyO3's macros make functions whose names and documentation are not ours to choose.
#![allow(clippy::used_underscore_items, unreachable_pub)]
// Allowed for one function that assigns an attribute: it says why.
#![deny(unsafe_code)]

mod arrays;
mod batch;
mod body;
mod box2d;
mod character;
mod convert;
mod error;
mod events;
mod fields;
mod gym;
mod hooks;
mod joint;
mod keywords;
mod picture;
mod run;
mod shape;
mod vector;
mod world;

use fields::ring;
use pyo3::prelude::*;
use run::scenes;
use shape::{capsule, chain, circle, concave, convex, ellipse, rectangle, segment};

/// Worlds of rigid bodies, scenes and pictures.
#[pymodule(gil_used = false)]
fn _carom(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("StaleHandle", module.py().get_type::<error::StaleHandle>())?;
    module.add_class::<world::PyWorld>()?;
    module.add_class::<world::PyHit>()?;
    module.add_class::<body::PyBody>()?;
    module.add_class::<shape::PyShape>()?;
    module.add_class::<shape::PyShapeDef>()?;
    module.add_class::<joint::PyJoint>()?;
    module.add_class::<character::PyCharacter>()?;
    module.add_class::<events::PyEvents>()?;
    module.add_class::<events::PyContact>()?;
    module.add_class::<hooks::PyShapeView>()?;
    module.add_class::<hooks::PyContactView>()?;
    module.add_class::<picture::PyPicture>()?;
    module.add_class::<run::PyRun>()?;
    module.add_class::<batch::PyBatch>()?;
    module.add_class::<gym::PyGames>()?;
    module.add_class::<vector::PyVec2>()?;
    module.add_function(wrap_pyfunction!(rectangle, module)?)?;
    module.add_function(wrap_pyfunction!(circle, module)?)?;
    module.add_function(wrap_pyfunction!(capsule, module)?)?;
    module.add_function(wrap_pyfunction!(segment, module)?)?;
    module.add_function(wrap_pyfunction!(convex, module)?)?;
    module.add_function(wrap_pyfunction!(ellipse, module)?)?;
    module.add_function(wrap_pyfunction!(chain, module)?)?;
    module.add_function(wrap_pyfunction!(concave, module)?)?;
    module.add_function(wrap_pyfunction!(ring, module)?)?;
    module.add_function(wrap_pyfunction!(scenes, module)?)?;
    box2d::add_to(module)
}
