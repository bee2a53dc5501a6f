//! Why a command ends without success.

use carom_render::RenderError;
use carom_scenes::UnknownScene;
use carom2d::DefError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a command ends without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such scene.
    Scene(UnknownScene),
    /// A setting given on the command line is out of range.
    Setting(DefError),
    /// Options that do not go together.
    Usage(String),
    /// A picture or movie cannot be made as asked, or not be written.
    Render(RenderError),
    /// A file cannot be created.
    Create { path: PathBuf, error: io::Error },
    /// A file whose ending names no format that can be written.
    Ending(PathBuf),
    /// A file was opened, but writing to it failed.
    Write { path: PathBuf, error: io::Error },
    /// Standard output failed.
    Output(io::Error),
    /// Whoever read standard output has gone, as in `carom scenes | head -1`: no reason to complain.
    ReaderGone,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::ReaderGone => 0,
            Failure::Write { .. } | Failure::Output(_) => 1,
            Failure::Render(RenderError::Write { .. } | RenderError::Encode { .. }) => 1,
            Failure::Render(RenderError::Size(_) | RenderError::Rate(_) | RenderError::Create { .. }) => 2,
            Failure::Scene(_)
            | Failure::Setting(_)
            | Failure::Usage(_)
            | Failure::Create { .. }
            | Failure::Ending(_) => 2,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scene(error) => write!(f, "{error}\n`carom scenes` lists all names"),
            Failure::Setting(error) => write!(f, "{error}"),
            Failure::Create { path, error } => {
                write!(f, "cannot create {}: {error}\nchoose a place that exists and may be written to", path.display())
            }
            Failure::Ending(path) => {
                write!(
                    f,
                    "cannot tell what to write to {}\n--out takes a file that ends in .png, .gif, .mp4 or .csv, a folder DIR/, or - for CSV on standard output",
                    path.display()
                )
            }
            Failure::Write { path, error } => {
                write!(f, "writing {} failed: {error}\nthe file is incomplete", path.display())
            }
            Failure::Usage(text) => f.write_str(text),
            Failure::Render(error @ RenderError::Create { .. }) => {
                write!(f, "{error}\nchoose a place that exists and may be written to")
            }
            Failure::Render(error @ (RenderError::Write { .. } | RenderError::Encode { .. })) => {
                write!(f, "{error}\nthe file is incomplete")
            }
            Failure::Render(error) => write!(f, "{error}"),
            Failure::Output(error) => write!(f, "writing to standard output failed: {error}"),
            Failure::ReaderGone => f.write_str("nobody reads standard output any more"),
        }
    }
}

impl From<io::Error> for Failure {
    /// For errors of standard output; those of files carry the file's name.
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe { Failure::ReaderGone } else { Failure::Output(error) }
    }
}

impl From<UnknownScene> for Failure {
    fn from(error: UnknownScene) -> Failure {
        Failure::Scene(error)
    }
}

impl From<DefError> for Failure {
    fn from(error: DefError) -> Failure {
        Failure::Setting(error)
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Failure {
        Failure::Render(error)
    }
}
