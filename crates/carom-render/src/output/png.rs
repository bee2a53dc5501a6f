//! A picture as PNG.

use super::{Sink, create};
use crate::canvas::Picture;
use crate::error::RenderError;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a picture as PNG: small, which takes some tenths of a second for a large one, or fast.
pub fn encode_png(out: impl Write, picture: Picture<'_>, fast: bool) -> io::Result<()> {
    let size = picture.size;
    let mut encoder = Encoder::new(out, size.width(), size.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(if fast { Compression::Fast } else { Compression::Balanced });
    // Pictures are opaque: the fourth byte of each pixel says nothing.
    let rgb: Vec<u8> = picture.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut writer = encoder.write_header().map_err(to_io)?;
    writer.write_image_data(&rgb).map_err(to_io)?;
    writer.finish().map_err(to_io)
}

fn to_io(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

/// A file with one picture: the last.
#[derive(Debug)]
pub(super) struct PngFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl PngFile {
    pub(super) fn create(path: &Path) -> Result<PngFile, RenderError> {
        Ok(PngFile { path: path.to_owned(), file: create(path)? })
    }
}

impl Sink for PngFile {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError> {
        encode_png(&mut self.file, picture, false)
            .map_err(|error| RenderError::Write { path: self.path.clone(), error })
    }

    fn finish(&mut self) -> Result<(), RenderError> {
        self.file.flush().map_err(|error| RenderError::Write { path: self.path.clone(), error })
    }
}
