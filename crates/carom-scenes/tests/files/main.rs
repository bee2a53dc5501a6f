//! Scene files: what is written is read back to the bit, and what is wrong is explained.

mod comes_back;
mod examples;
mod mistakes;
mod mutations;
mod random;
mod reading;
mod schema;
mod sfge;
mod texts;

use carom_scenes::SceneWorld;
use carom_scenes::file::{self, SceneError};
use std::path::PathBuf;

#[track_caller]
fn read(text: &str) -> SceneWorld {
    file::read("test.json", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn refused(text: &[u8]) -> SceneError {
    match file::read("test.json", text) {
        Ok(_) => panic!("this was accepted: {}", String::from_utf8_lossy(text)),
        Err(error) => error,
    }
}

/// A file of the repository.
fn file_of_repository(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}
