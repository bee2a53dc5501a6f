//! A folder of numbered pictures.

use super::{Sink, Store, encode_png};
use crate::canvas::Picture;
use crate::error::RenderError;
use std::path::{Path, PathBuf};

/// The folder, and how many pictures are in it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    count: u32,
}

impl Folder {
    /// Makes the folder if it is not there. Pictures of an earlier run are replaced one by one; those
    /// beyond the new ones stay.
    pub(super) fn create(path: &Path) -> Result<Folder, RenderError> {
        std::fs::create_dir_all(path).map_err(|error| RenderError::Create { path: path.to_owned(), error })?;
        // Find out now rather than after the run whether files may be written here.
        let first = path.join(name(1));
        Store::create(&first)?;
        Ok(Folder { path: path.to_owned(), count: 0 })
    }
}

fn name(number: u32) -> String {
    format!("frame{number:05}.png")
}

impl Sink for Folder {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError> {
        self.count += 1;
        let path = self.path.join(name(self.count));
        let mut file = Store::create(&path)?;
        encode_png(&mut file, picture, true).map_err(|error| RenderError::Write { path, error })?;
        file.finish().map(|_| ())
    }

    fn finish(&mut self) -> Result<Vec<u8>, RenderError> {
        Ok(Vec::new())
    }
}
