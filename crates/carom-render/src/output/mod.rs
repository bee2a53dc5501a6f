//! The formats that pictures and movies are written in.

mod frames;
mod gif;
#[cfg(not(target_arch = "wasm32"))]
mod mp4;
mod png;
mod store;
#[cfg(not(target_arch = "wasm32"))]
mod whole;

pub use png::encode_png;
pub(crate) use store::Store;
#[cfg(not(target_arch = "wasm32"))]
pub use whole::{WholeFile, remove_unfinished, write_whole};

use crate::canvas::Picture;
use crate::error::RenderError;
use crate::view::Size;
use std::fmt;
use std::path::Path;

/// A format of pictures or movies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One picture, `.png`.
    Png,
    /// A movie that repeats, `.gif`: up to 50 frames per second, 256 colours per frame.
    Gif,
    /// A movie, `.mp4` with H.264: even sides up to 3840 by 2160.
    Mp4,
    /// A folder of pictures `frame00001.png`, `frame00002.png`, ...
    Frames,
}

impl Format {
    /// The format that a path asks for: by its ending, or a folder.
    pub fn of(path: &Path) -> Option<Format> {
        let folder = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator) || path.is_dir();
        if folder {
            return Some(Format::Frames);
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "png" => Some(Format::Png),
            "gif" => Some(Format::Gif),
            "mp4" => Some(Format::Mp4),
            _ => None,
        }
    }

    /// Frames per second unless told otherwise: 30 for GIF, which cannot hold 60, else 60.
    pub fn default_fps(self) -> u32 {
        match self {
            Format::Gif => 30,
            Format::Png | Format::Mp4 | Format::Frames => 60,
        }
    }

    /// Can the format hold movies of this size and rate?
    pub fn check(self, size: Size, fps: u32) -> Result<(), RenderError> {
        let (width, height) = (size.width(), size.height());
        let most = match self {
            Format::Gif => 50,
            Format::Png | Format::Mp4 | Format::Frames => 240,
        };
        if !(1..=most).contains(&fps) {
            return Err(RenderError::Rate(format!("{self} holds 1 to {most} frames per second, not {fps}")));
        }
        if self == Format::Mp4 {
            if width % 2 != 0 || height % 2 != 0 {
                let even = |x: u32| x + x % 2;
                return Err(RenderError::Size(format!(
                    "H.264 needs even sides, and {size} is not; take {}x{}",
                    even(width),
                    even(height)
                )));
            }
            if width.max(height) > 3840 || width.min(height) > 2160 {
                return Err(RenderError::Size(format!("{size} is too large for H.264; at most 3840x2160 fits")));
            }
        }
        Ok(())
    }

    /// Creates the file or folder.
    pub(crate) fn create(self, path: &Path, size: Size, fps: u32) -> Result<Box<dyn Sink>, RenderError> {
        match self {
            Format::Frames => Ok(Box::new(frames::Folder::create(path)?)),
            #[cfg(target_arch = "wasm32")]
            Format::Mp4 => Err(no_mp4()),
            _ => self.open(Store::create(path)?, size, fps),
        }
    }

    /// Makes room in memory.
    pub(crate) fn in_memory(self, size: Size, fps: u32) -> Result<Box<dyn Sink>, RenderError> {
        self.open(Store::memory(), size, fps)
    }

    fn open(self, store: Store, size: Size, fps: u32) -> Result<Box<dyn Sink>, RenderError> {
        Ok(match self {
            Format::Png => Box::new(png::PngFile::new(store)),
            Format::Gif => Box::new(gif::GifFile::new(store, size, fps)?),
            #[cfg(not(target_arch = "wasm32"))]
            Format::Mp4 => Box::new(mp4::Mp4File::new(store, size, fps)?),
            #[cfg(target_arch = "wasm32")]
            Format::Mp4 => return Err(no_mp4()),
            Format::Frames => {
                return Err(RenderError::Format("a folder of frames is no single file; take GIF or PNG".to_owned()));
            }
        })
    }
}

#[cfg(target_arch = "wasm32")]
fn no_mp4() -> RenderError {
    RenderError::Format("there are no MP4 movies in the browser; take GIF".to_owned())
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Png => "PNG",
            Format::Gif => "GIF",
            Format::Mp4 => "MP4",
            Format::Frames => "a folder of frames",
        })
    }
}

/// Where frames go, one after the other.
pub(crate) trait Sink: fmt::Debug {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError>;

    /// Writes what is still to be written, and hands out what was written into memory.
    fn finish(&mut self) -> Result<Vec<u8>, RenderError>;
}
