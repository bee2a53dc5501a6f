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
    /// Makes the folder if it is not there. Frames of an earlier run are removed when the first new one is there to be
    /// written, so that a film that cannot begin leaves them.
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

/// Is this the name of a frame, `frame` with five digits or more and `.png`?
fn is_frame(name: &str) -> bool {
    let number = name.strip_prefix("frame").and_then(|rest| rest.strip_suffix(".png"));
    number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes the frames of an earlier run: those beyond the end of a shorter one would look like part of it.
fn remove_frames(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_frame) && !entry.file_type()?.is_dir() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

impl Sink for Folder {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError> {
        if self.count == 0 {
            remove_frames(&self.path).map_err(|error| RenderError::Write { path: self.path.clone(), error })?;
        }
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
