//! Why a command ends without success.

use carom_bench::BenchError;
use carom_particles::TrajectoryError;
use carom_render::RenderError;
use carom_scenes::file::SceneError;
use carom_scenes::{OpenError, UnknownScene};
use carom_viewer::ViewError;
use carom2d::{DefError, ReplayError};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Why a command ends without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such scene.
    Scene(UnknownScene),
    /// A scene in a file is not as it should be.
    SceneFile(SceneError),
    /// A trajectory does not fit its scene.
    Trajectory { path: PathBuf, error: TrajectoryError },
    /// A file cannot be opened or read.
    Read { path: PathBuf, error: io::Error },
    /// A comparison failed or a gate was missed, as the report has said.
    NotPassed,
    /// So many particles left the range of numbers.
    Frozen(usize),
    /// A setting given on the command line is out of range.
    Setting(DefError),
    /// Options that do not go together.
    Usage(String),
    /// A port of this machine cannot be listened at.
    Listen { address: SocketAddr, error: io::Error },
    /// A recording that cannot be played, or not to its end.
    Recording { path: PathBuf, error: ReplayError },
    /// A window cannot be shown.
    View(ViewError),
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
    /// The reader of standard output has gone, as in `carom scenes | head -1`: no reason to complain.
    ReaderGone,
}

impl Failure {
    /// Why a trajectory in a file cannot be graded.
    pub(crate) fn of_trajectory(path: &Path, error: TrajectoryError) -> Failure {
        match error {
            TrajectoryError::Io { error, .. } => Failure::Read { path: path.to_owned(), error },
            error => Failure::Trajectory { path: path.to_owned(), error },
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::ReaderGone => 0,
            Failure::NotPassed | Failure::Frozen(_) | Failure::Write { .. } | Failure::Output(_) => 1,
            Failure::Render(RenderError::Write { .. } | RenderError::Encode { .. }) => 1,
            Failure::Render(_) => 2,
            Failure::Scene(_)
            | Failure::SceneFile(_)
            | Failure::Trajectory { .. }
            | Failure::Read { .. }
            | Failure::Recording { .. }
            | Failure::Setting(_)
            | Failure::Usage(_)
            | Failure::View(_)
            | Failure::Listen { .. }
            | Failure::Create { .. }
            | Failure::Ending(_) => 2,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scene(error) => write!(f, "{error}\n`carom scenes` lists all names"),
            Failure::SceneFile(error) => write!(f, "{error}"),
            Failure::Trajectory { path, error: error @ TrajectoryError::TooLarge } => {
                write!(f, "{}: {error}\n`carom compare` grades it without keeping it", shown(path))
            }
            Failure::Trajectory { path, error } => {
                write!(f, "{}: {error}\nis it a trajectory of this scene, and all of it?", shown(path))
            }
            Failure::Read { path, error } => {
                let hint = match error.kind() {
                    io::ErrorKind::NotFound => "check its name and the folder it is in",
                    io::ErrorKind::IsADirectory => "name a file in this folder",
                    io::ErrorKind::PermissionDenied => "choose a file that you may read",
                    _ => "choose a file that can be read",
                };
                write!(f, "cannot read {}: {error}\n{hint}", shown(path))
            }
            Failure::Recording { path, error } => {
                write!(f, "{}: {error}\nis it a recording of this version of carom, and all of it?", shown(path))
            }
            Failure::NotPassed => f.write_str("the comparison failed"),
            Failure::Frozen(count) => {
                write!(
                    f,
                    "{count} of the particles left the range of numbers and were frozen where they last were\ntry a smaller time step, or another integrator; do two particles on a spring start in one place?"
                )
            }
            Failure::Setting(error) => write!(f, "{error}"),
            Failure::Create { path, error } => {
                write!(f, "cannot create {}: {error}\nchoose a place that exists and may be written to", shown(path))
            }
            Failure::Ending(path) => {
                write!(
                    f,
                    "cannot tell what to write to {}\n--out takes a file that ends in .png, .gif, .mp4, .csv or .json, a folder DIR/, or - for CSV on standard output",
                    shown(path)
                )
            }
            Failure::Write { path, error } => {
                write!(f, "writing {} failed: {error}\nan older file of that name is as it was", shown(path))
            }
            Failure::Usage(text) => f.write_str(text),
            Failure::View(error) => write!(f, "{error}"),
            Failure::Listen { address, error } => {
                let port = address.port();
                writeln!(f, "cannot listen at port {port} of {}: {error}", address.ip())?;
                match error.kind() {
                    io::ErrorKind::AddrNotAvailable => {
                        f.write_str("--host takes an address of this machine, or 0.0.0.0 for all of them")
                    }
                    _ => f.write_str("choose another with --port, or let 0 choose"),
                }
            }
            Failure::Render(error @ RenderError::Create { .. }) => {
                write!(f, "{error}\nchoose a place that exists and may be written to")
            }
            Failure::Render(error @ (RenderError::Write { .. } | RenderError::Encode { .. })) => {
                write!(f, "{error}\nan older file of that name is as it was")
            }
            Failure::Render(error) => write!(f, "{error}"),
            Failure::Output(error) => write!(f, "writing to standard output failed: {error}"),
            Failure::ReaderGone => f.write_str("standard output has no reader any more"),
        }
    }
}

/// A path in a message: control characters as escapes, line breaks too.
pub(crate) fn shown(path: impl AsRef<Path>) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    path.as_ref().display().to_string().chars().map(escaped).collect()
}

/// A message with all control characters but its own line breaks as escapes: it may quote a file, or a name, that is made to
/// upset a terminal.
pub(crate) fn printable(message: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' { c.escape_default().to_string() } else { c.into() };
    message.chars().map(shown).collect()
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

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Failure {
        Failure::SceneFile(error)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match error {
            OpenError::Read { path, error } => Failure::Read { path, error },
            OpenError::Scene(error) => Failure::SceneFile(error),
            error => Failure::Usage(error.to_string()),
        }
    }
}

impl From<DefError> for Failure {
    fn from(error: DefError) -> Failure {
        Failure::Setting(error)
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Failure {
        match error {
            BenchError::Scene(error) => Failure::Scene(error),
            BenchError::Build(error) => Failure::Setting(error),
            BenchError::Output(error) => Failure::from(error),
            error => Failure::Usage(error.to_string()),
        }
    }
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Failure {
        Failure::View(error)
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Failure {
        Failure::Render(error)
    }
}
