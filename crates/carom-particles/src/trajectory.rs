//! The binary trajectory format: one frame after another, without a header; the reader needs the scene.
//!
//! Little endian. Frame 0 is the start. A frame is 2 N floats of positions x0 y0 x1 y1 ..., 2 N floats of velocities,
//! and where collisions are recorded (handlers simple and continuous) a 32-bit count and for each collision 36 bytes:
//! kind (0 particle, 1 edge, 2 half-plane), index of the particle, index of the other, then n and time as floats.

use crate::collide::{CollisionHandling, Contact, ContactKind};
use crate::compare::{Grader, StepReport};
use crate::scene::Scene;
use crate::system::ParticleSystem;
use glam::DVec2;
use std::fmt;
use std::io::{self, Read, Write};

/// The state after a step, and the collisions of that step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Centres of the particles in m.
    pub positions: Vec<DVec2>,
    /// Velocities of the particles in m/s.
    pub velocities: Vec<DVec2>,
    /// Collisions in the order of the file; empty where the handler records none. Their indices are those of the file,
    /// and may name nothing.
    pub contacts: Vec<Contact>,
}

/// Why a trajectory could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// The file ends inside or before a frame.
    Truncated {
        /// The frame that could not be read, from 0.
        frame: u64,
        /// How many frames the scene has.
        frames: u64,
    },
    /// A number makes no sense.
    Invalid {
        /// The frame it is in, from 0.
        frame: u64,
        /// What was found and expected.
        message: String,
    },
    /// Its frames would take more memory than a trajectory may; see [`MAX_TRAJECTORY_BYTES`].
    TooLarge,
    /// It starts elsewhere than the scene does and has another length: it belongs to another scene.
    OtherScene,
    /// The system could not read on.
    Io {
        /// The frame that was being read, from 0.
        frame: u64,
        /// What the system said.
        error: io::Error,
    },
}

impl fmt::Display for TrajectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrajectoryError::Truncated { frame, frames } => {
                write!(f, "the trajectory ends at frame {frame}; the scene has frames 0 to {}", frames - 1)
            }
            TrajectoryError::Invalid { frame, message } => write!(f, "frame {frame}: {message}"),
            TrajectoryError::TooLarge => {
                write!(f, "the trajectory is too large to be kept; at most {MAX_TRAJECTORY_BYTES} bytes are")
            }
            TrajectoryError::OtherScene => {
                write!(f, "the trajectory starts elsewhere than the scene and is longer: it belongs to another scene")
            }
            TrajectoryError::Io { frame, error } => write!(f, "frame {frame} cannot be read: {error}"),
        }
    }
}

impl std::error::Error for TrajectoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TrajectoryError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Whether frames of a system have a list of collisions.
fn records_contacts(collisions: CollisionHandling) -> bool {
    matches!(collisions, CollisionHandling::Simple(_) | CollisionHandling::Continuous(_))
}

/// Writes the present state as one frame.
pub fn write_frame(system: &ParticleSystem, out: &mut impl Write) -> io::Result<()> {
    for v in system.positions().iter().chain(system.velocities()) {
        out.write_all(&v.x.to_le_bytes())?;
        out.write_all(&v.y.to_le_bytes())?;
    }
    if records_contacts(system.collisions()) {
        // Indices fit: see MAX_OBJECTS. A count that does not fit would need 70 GB of collisions in one step.
        let count = i32::try_from(system.contacts().len()).map_err(io::Error::other)?;
        out.write_all(&count.to_le_bytes())?;
        for contact in system.contacts() {
            for number in [contact.kind as usize, contact.particle, contact.other] {
                out.write_all(&(number as i32).to_le_bytes())?;
            }
            for number in [contact.n.x, contact.n.y, contact.time] {
                out.write_all(&number.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

/// Runs a scene and writes its trajectory: its start and every one of `steps` steps.
pub fn write_trajectory(scene: &Scene, steps: u64, out: &mut impl Write) -> io::Result<()> {
    let mut system = scene.system.clone();
    write_frame(&system, out)?;
    for _ in 0..steps {
        system.step(scene.dt);
        write_frame(&system, out)?;
    }
    Ok(())
}

/// Reads the frames of a trajectory one after the other.
#[derive(Debug)]
pub struct FrameReader<R> {
    input: R,
    particles: usize,
    has_contacts: bool,
    next: u64,
    frames: u64,
}

impl<R: Read> FrameReader<R> {
    /// Reads a trajectory of a scene. Input is read in small pieces: files want a buffer.
    pub fn new(scene: &Scene, input: R) -> Self {
        let system = &scene.system;
        FrameReader {
            input,
            particles: system.particle_count(),
            has_contacts: records_contacts(system.collisions()),
            next: 0,
            frames: scene.steps().saturating_add(1),
        }
    }

    /// Reads the next frame into `frame`.
    pub fn read(&mut self, frame: &mut Frame) -> Result<(), TrajectoryError> {
        self.vectors(&mut frame.positions)?;
        self.vectors(&mut frame.velocities)?;
        frame.contacts.clear();
        if self.has_contacts {
            let count = self.integer()?;
            if count < 0 {
                return Err(self.invalid(format!("{count} collisions; expected at least 0")));
            }
            // No room is made for a count that the file may not live up to.
            for _ in 0..count {
                let contact = self.contact()?;
                frame.contacts.push(contact);
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Whether anything follows what was read. Costs a byte: read no frames after it.
    pub fn has_more(mut self) -> bool {
        self.input.read_exact(&mut [0]).is_ok()
    }

    fn contact(&mut self) -> Result<Contact, TrajectoryError> {
        let [kind, particle, other] = [self.integer()?, self.integer()?, self.integer()?];
        let [x, y, time] = [self.float()?, self.float()?, self.float()?];
        let kinds = [ContactKind::Particle, ContactKind::Edge, ContactKind::HalfPlane];
        let Some(&kind) = usize::try_from(kind).ok().and_then(|kind| kinds.get(kind)) else {
            return Err(self.invalid(format!("a collision of kind {kind}; expected 0, 1 or 2")));
        };
        // Whether the indices name anything is for the comparison to say. Negative ones become huge, and name nothing.
        let [particle, other] = [particle, other].map(|index| index as u32 as usize);
        Ok(Contact { kind, particle, other, n: DVec2::new(x, y), time })
    }

    fn vectors(&mut self, out: &mut Vec<DVec2>) -> Result<(), TrajectoryError> {
        out.clear();
        for _ in 0..self.particles {
            let v = DVec2::new(self.float()?, self.float()?);
            out.push(v);
        }
        Ok(())
    }

    fn float(&mut self) -> Result<f64, TrajectoryError> {
        Ok(f64::from_le_bytes(self.bytes()?))
    }

    fn integer(&mut self) -> Result<i32, TrajectoryError> {
        Ok(i32::from_le_bytes(self.bytes()?))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], TrajectoryError> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(TrajectoryError::Truncated { frame: self.next, frames: self.frames })
            }
            Err(error) => Err(TrajectoryError::Io { frame: self.next, error }),
        }
    }

    fn invalid(&self, message: String) -> TrajectoryError {
        TrajectoryError::Invalid { frame: self.next, message }
    }
}

/// All frames of a trajectory, for going back and forth in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// At least one.
    frames: Vec<Frame>,
    has_trailing_bytes: bool,
}

/// The most memory, in bytes, that the frames of a [`Trajectory`] may take.
pub const MAX_TRAJECTORY_BYTES: u64 = 1 << 30;

impl Trajectory {
    /// Reads a whole trajectory of a scene. Input is read in small pieces: files want a buffer.
    ///
    /// What goes on after the last frame is left alone, unless the first frame is not the scene's start either: then
    /// the numbers were not meant for this scene.
    pub fn read(scene: &Scene, input: impl Read) -> Result<Trajectory, TrajectoryError> {
        let system = &scene.system;
        let mut reader = FrameReader::new(scene, input);
        // Frames without particles need no input, but memory all the same.
        let least = size_of::<Frame>() + 2 * size_of_val(system.positions());
        let mut bytes = reader.frames.saturating_mul(least as u64);
        let mut frames = Vec::new();
        while bytes <= MAX_TRAJECTORY_BYTES && (frames.len() as u64) < reader.frames {
            let mut frame = Frame::default();
            reader.read(&mut frame)?;
            bytes += size_of_val(&frame.contacts[..]) as u64;
            frames.push(frame);
        }
        if bytes > MAX_TRAJECTORY_BYTES {
            return Err(TrajectoryError::TooLarge);
        }
        let has_trailing_bytes = reader.has_more();
        let starts_alike = frames[0].positions == system.positions() && frames[0].velocities == system.velocities();
        if has_trailing_bytes && !starts_alike {
            return Err(TrajectoryError::OtherScene);
        }
        Ok(Trajectory { frames, has_trailing_bytes })
    }

    /// How many steps it has: one less than frames.
    pub fn steps(&self) -> u64 {
        self.frames.len() as u64 - 1
    }

    /// The frame after this many steps, if it has that many.
    pub fn frame(&self, step: u64) -> Option<&Frame> {
        self.frames.get(usize::try_from(step).ok()?)
    }

    /// Grades a step, from 1, if there is such a step. The grader must be for the scene of the trajectory.
    pub fn grade(&self, grader: &mut Grader, step: u64) -> Option<StepReport> {
        let before = self.frame(step.checked_sub(1)?)?;
        Some(grader.grade(step, before, self.frame(step)?))
    }

    /// Whether the file goes on after the last frame. Of no consequence.
    pub fn has_trailing_bytes(&self) -> bool {
        self.has_trailing_bytes
    }
}
