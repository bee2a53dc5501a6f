//! What can go wrong between a picture and its file.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no picture.
#[derive(Debug)]
pub enum RenderError {
    /// The size cannot be drawn, or not in this format. Says what can.
    Size(String),
    /// The frame rate is out of the range of the format. Says what is in it.
    Rate(String),
    /// The movie would have too many frames. Says how many fit.
    Length(String),
    /// The format cannot be written here. Says which can.
    Format(String),
    /// The file or folder cannot be created.
    Create {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Writing failed half-way.
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// An encoder refused.
    Encode {
        /// Which file.
        path: PathBuf,
        /// What the encoder said.
        reason: String,
    },
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenderError::Size(text)
            | RenderError::Rate(text)
            | RenderError::Length(text)
            | RenderError::Format(text) => f.write_str(text),
            RenderError::Create { path, error } => write!(f, "cannot create {}: {error}", path.display()),
            RenderError::Write { path, error } => write!(f, "writing {} failed: {error}", path.display()),
            RenderError::Encode { path, reason } => write!(f, "encoding {} failed: {reason}", path.display()),
        }
    }
}

impl std::error::Error for RenderError {}
