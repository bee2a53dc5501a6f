//! A picture as PNG.

use super::{Sink, Store};
use crate::canvas::Picture;
use crate::error::RenderError;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};
use std::io::{self, Write};

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
    /// None once the picture is finished.
    store: Option<Store>,
}

impl PngFile {
    pub(super) fn new(store: Store) -> PngFile {
        PngFile { store: Some(store) }
    }
}

impl Sink for PngFile {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let written = encode_png(&mut *store, picture, false);
        written.map_err(|error| RenderError::Write { path: store.name(), error })
    }

    fn finish(&mut self) -> Result<Vec<u8>, RenderError> {
        self.store.take().map_or(Ok(Vec::new()), Store::finish)
    }
}
