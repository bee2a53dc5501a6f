//! Opening a scene file or a recording of whatever kind, by its ending.

use super::read::stem;
use super::{MAX_BYTES, MAX_SUMMARY, one_line};
use crate::particles::ParticleRun;
use crate::playback::{MAX_RECORDING_BYTES, RECORDING_ENDING};
use crate::run::Run;
use crate::scene::SceneWorld;
use crate::solid::SolidRun;
use carom_core::text::SceneError;
use carom_particles::MAX_SCENE_BYTES;
use carom2d::ReplayError;
use carom3d::SceneOptions;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The endings of scene files, without the dot.
pub const ENDINGS: [&str; 3] = ["json", "xml", "scene"];

/// Why a scene file could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// It is not there, or cannot be read.
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Its name does not tell what it holds.
    Ending(String),
    /// What it holds is not a scene as it should be.
    Scene(SceneError),
    /// A `.rec` recording is not as it should be.
    Recording {
        /// Its name.
        name: String,
        /// Why.
        error: ReplayError,
    },
    /// A `.rec` recording has more bytes than are played as a scene.
    LongRecording(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Read { path, error } => write!(f, "cannot read {}: {error}", path.display()),
            OpenError::Ending(name) => {
                write!(f, "cannot tell what {name} holds; scene files end in .json, .xml or .scene, recordings in .rec")
            }
            OpenError::Scene(error) => write!(f, "{error}"),
            OpenError::Recording { name, error } => write!(f, "{name}: {error}"),
            OpenError::LongRecording(name) => write!(
                f,
                "{name} has more than {MAX_RECORDING_BYTES} bytes, too many for a scene; carom replay plays it"
            ),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Read { error, .. } => Some(error),
            OpenError::Ending(_) | OpenError::LongRecording(_) => None,
            OpenError::Recording { error, .. } => Some(error),
            OpenError::Scene(error) => Some(error),
        }
    }
}

/// What a scene file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Rigid bodies in the plane, in the format of this crate.
    Json,
    /// Particles, edges and half-planes, in FOSSSim's.
    Xml,
    /// Balls, planes, triangles and springs in space.
    Scene,
    /// What was done to a world of rigid bodies in the plane.
    Recording,
}

impl Format {
    /// By the ending of its name, in either case.
    fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?;
        if ending.eq_ignore_ascii_case(RECORDING_ENDING) {
            return Some(Format::Recording);
        }
        match *ENDINGS.iter().find(|known| ending.eq_ignore_ascii_case(known))? {
            "json" => Some(Format::Json),
            "xml" => Some(Format::Xml),
            _ => Some(Format::Scene),
        }
    }

    fn max_bytes(self) -> usize {
        match self {
            Format::Json => MAX_BYTES,
            Format::Xml => MAX_SCENE_BYTES,
            Format::Scene => carom3d::MAX_SCENE_BYTES,
            Format::Recording => MAX_RECORDING_BYTES,
        }
    }

    fn read(self, name: &str, bytes: &[u8]) -> Result<Run, OpenError> {
        match self {
            Format::Json => {
                let run = super::read(name, bytes).map_err(OpenError::Scene)?;
                Ok(Run::Rigid(Box::new(run)))
            }
            Format::Xml => {
                let scene = carom_particles::Scene::from_xml(name, bytes).map_err(OpenError::Scene)?;
                let summary = one_line(&scene.description, MAX_SUMMARY);
                Ok(Run::Particles(Box::new(ParticleRun::new(stem(name), summary, scene))))
            }
            Format::Scene => {
                let scene = carom3d::Scene::from_xml(name, bytes, SceneOptions::default()).map_err(OpenError::Scene)?;
                Ok(Run::Solid(Box::new(SolidRun::of_file(stem(name), scene))))
            }
            Format::Recording => {
                if bytes.len() > MAX_RECORDING_BYTES {
                    return Err(OpenError::LongRecording(name.to_owned()));
                }
                let refused = |error| OpenError::Recording { name: name.to_owned(), error };
                let run = SceneWorld::of_recording(&stem(name), bytes.to_vec()).map_err(refused)?;
                Ok(Run::Rigid(Box::new(run)))
            }
        }
    }
}

/// Does the name end like that of a scene file or a recording?
pub fn is_scene_file(path: impl AsRef<Path>) -> bool {
    Format::of(path.as_ref()).is_some()
}

/// Opens a scene file: `.json` (see [`read`](super::read)), `.xml` (particles) or `.scene` (space); or a recording, `.rec`. Never reads
/// more of a file than a scene may have. Textures and meshes of a `.scene` are looked for, and those that are
/// not there stand in its notes.
pub fn open(path: impl AsRef<Path>) -> Result<Run, OpenError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let format = Format::of(path).ok_or_else(|| OpenError::Ending(name.clone()))?;
    let unreadable = |error| OpenError::Read { path: path.to_owned(), error };
    if format == Format::Scene {
        File::open(path).map_err(unreadable)?;
        let scene = carom3d::Scene::from_file(path, SceneOptions::default()).map_err(OpenError::Scene)?;
        return Ok(Run::Solid(Box::new(SolidRun::of_file(stem(&name), scene))));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more.
    File::open(path)
        .and_then(|file| file.take(format.max_bytes() as u64 + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    format.read(&name, &bytes)
}

/// Opens what a scene file holds, where there are no files: in a browser. The name tells what it is.
pub fn open_bytes(name: &str, bytes: &[u8]) -> Result<Run, OpenError> {
    let format = Format::of(Path::new(name)).ok_or_else(|| OpenError::Ending(name.to_owned()))?;
    format.read(name, bytes)
}
