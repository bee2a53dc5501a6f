//! Reading a recording, and doing it again.

use super::check::Fingerprint;
use super::listen::{Answer, Repeating};
use super::wire::{Source, Wire};
use super::{Call, END, FRAME, FRAME_END, FRAME_STEP, MAGIC, START, STEP, VERSION};
use crate::advance::Frame;
use crate::body::BodyId;
use crate::broad::BroadPhaseKind;
use crate::error::DefError;
use crate::hooks::Hooks;
use crate::snapshot::{SnapshotError, checksum};
use crate::world::{World, WorldDef};
use carom_wide::Width;
use std::fmt;
use std::io::{self, Read};

/// The most calls of `World::advance` within each other.
const MOST_FRAMES: usize = 100;

/// Where a replay differs from its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first step after which they differ, counted by [`World::step_count`].
    pub step: u64,
    /// The first body that differs. In worlds of more than 1,024 slots for bodies several of neighbouring slots, one of which
    /// it is. None if the replay has no body there, or if it cannot be told.
    pub bodies: Vec<BodyId>,
}

/// Why a recording cannot be played, or not further. The world is as it was after the last step that was played.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// It cannot be read.
    Read(io::Error),
    /// The bytes do not begin as those of a recording of a 2D world.
    Foreign,
    /// They were written by a version of the engine with another format.
    Version {
        /// Of the bytes.
        found: u32,
        /// Of this engine.
        expected: u32,
    },
    /// The snapshot that it begins with is refused.
    Snapshot(SnapshotError),
    /// The recording has no end: what wrote it crashed or was interrupted, or the file was cut off. All that it has was
    /// played.
    CutOff,
    /// Some bytes are not those that were written.
    Damaged,
    /// The bytes are as they were written, but no world was recorded like that: what they say of this cannot be.
    Corrupt(&'static str),
    /// The replay differs from what was recorded.
    Differs(Difference),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Read(error) => write!(f, "the recording cannot be read: {error}"),
            ReplayError::Foreign => f.write_str("these bytes are no recording of a 2D world"),
            ReplayError::Version { found, expected } => {
                write!(f, "the recording has format {found}, and this engine plays {expected}; record it again")
            }
            ReplayError::Snapshot(error) => write!(f, "the recording begins with a snapshot that is refused: {error}"),
            ReplayError::CutOff => {
                f.write_str("the recording has no end: its writer was interrupted, or it was cut off")
            }
            ReplayError::Damaged => f.write_str("the recording is damaged: a checksum is another one"),
            ReplayError::Corrupt(what) => write!(f, "the recording is of no world: {what} cannot be as it says"),
            ReplayError::Differs(Difference { step, bodies }) => {
                write!(f, "step {step} is the first that differs from the recording")?;
                match bodies.as_slice() {
                    [] => Ok(()),
                    [body] => write!(f, ", and {body:?} the first body"),
                    [first, .., last] => write!(f, ", and one of the bodies {first:?} to {last:?} the first"),
                }
            }
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReplayError::Read(error) => Some(error),
            ReplayError::Snapshot(error) => Some(error),
            _ => None,
        }
    }
}

/// What a recording holds, found out without playing it: see [`Replay::survey`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survey {
    /// How many steps there are.
    pub steps: u64,
    /// Length of the first step in seconds; 0 if there is none.
    pub dt: f32,
    /// Has the recording its end? If not, its writer crashed or was interrupted, or bytes were lost or changed.
    pub is_whole: bool,
}

/// Plays what [`World::record_to`] wrote, step by step.
///
/// The memory that it takes is that of the world and of a block of the recording. A clone of one that reads from memory goes
/// on like the original.
#[derive(Clone, Debug)]
pub struct Replay<R> {
    input: R,
    pub(super) world: World,
    /// The block at hand, and how much of it was played.
    block: Vec<u8>,
    at: usize,
    /// Of the world, and as recorded.
    fingerprints: [Fingerprint; 2],
    checked: bool,
    /// Calls of `World::advance` that have started, one within a step of the other, and whether a step of theirs has.
    frames: Vec<(Frame, bool)>,
    ended: bool,
}

impl<R: Read> Replay<R> {
    /// Reads the beginning: the world is as it was then.
    ///
    /// Reads in small pieces where the recording has such; give it something that is buffered.
    ///
    /// # Errors
    /// If the bytes are not those of a recording.
    pub fn open(mut input: R) -> Result<Replay<R>, ReplayError> {
        let mut begin = Vec::new();
        input.by_ref().take(12).read_to_end(&mut begin).map_err(ReplayError::Read)?;
        let is_ours = begin.len() >= 8 && begin[..8] == MAGIC;
        if !(is_ours || MAGIC.starts_with(&begin) && !begin.is_empty()) {
            return Err(ReplayError::Foreign);
        }
        let Some(version) = begin.get(8..12) else { return Err(ReplayError::CutOff) };
        let found = u32::from_le_bytes(version.try_into().expect("four bytes"));
        if found != VERSION {
            return Err(ReplayError::Version { found, expected: VERSION });
        }
        let mut replay = Replay {
            input,
            world: World::new(WorldDef::default()),
            block: Vec::new(),
            at: 0,
            fingerprints: [Fingerprint::default(), Fingerprint::default()],
            checked: true,
            frames: Vec::new(),
            ended: false,
        };
        replay.read_start()?;
        Ok(replay)
    }

    fn read_start(&mut self) -> Result<(), ReplayError> {
        self.next_block()?;
        let mut source = Source::new(&self.block);
        let start = (|| {
            let code = u8::get(&mut source)?;
            let threads = u32::get(&mut source)?;
            let broad_phase = BroadPhaseKind::get(&mut source)?;
            let length = usize::try_from(u64::get(&mut source)?).ok()?;
            Some((code, threads, broad_phase, source.take(length)?))
        })();
        let Some((START, threads, broad_phase, snapshot)) = start else {
            return Err(ReplayError::Corrupt("the beginning"));
        };
        let def = WorldDef { threads, broad_phase, ..WorldDef::default() };
        self.world.set_def(def).map_err(|_| ReplayError::Corrupt("the beginning"))?;
        self.world.restore(snapshot).map_err(ReplayError::Snapshot)?;
        self.at = self.block.len() - source.left();
        Ok(())
    }

    /// The world, as it is after what was played.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, which goes on by itself.
    pub fn into_world(self) -> World {
        self.world
    }

    /// Shares the work of a step among threads, 1 to 64, as [`WorldDef::threads`]. No result depends on it; a replay begins
    /// with as many as were used in recording.
    pub fn set_threads(&mut self, threads: u32) -> Result<(), DefError> {
        self.world.set_def(WorldDef { threads, ..*self.world.def() })
    }

    /// Uses other vector instructions, to compare them. No result depends on them.
    pub fn set_width(&mut self, width: Width) {
        self.world.set_width(width);
    }

    /// Whether the replay is compared with the fingerprints in the recording; it is, unless this says otherwise.
    pub fn set_checked(&mut self, checked: bool) {
        self.checked = checked;
    }

    /// Has all been played?
    pub fn is_over(&self) -> bool {
        self.ended
    }

    /// Plays until a step has been made, and returns true; or to the end of the recording, and returns false.
    ///
    /// # Errors
    /// If the recording cannot be played further, or the world differs from what was recorded. In the latter case the next
    /// call goes on.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        loop {
            if self.ended {
                return Ok(false);
            }
            if self.at == self.block.len() {
                self.next_block()?;
            }
            let mut source = Source::new(&self.block[self.at..]);
            let read = Record::read(&mut source, &mut self.fingerprints[1]);
            let record = read.ok_or(ReplayError::Corrupt("a record"))?;
            self.at = self.block.len() - source.left();
            if self.play(record)? {
                return Ok(true);
            }
        }
    }

    /// Plays a record. Was it a step?
    fn play(&mut self, record: Record) -> Result<bool, ReplayError> {
        match record {
            Record::End => {
                let mut rest = [0];
                let rest = self.input.read(&mut rest).map_err(ReplayError::Read)?;
                if rest > 0 || self.at < self.block.len() || !self.frames.is_empty() {
                    return Err(ReplayError::Corrupt("the end"));
                }
                self.ended = true;
            }
            Record::Step { dt, answers, check } => {
                if !self.is_in_step() {
                    return Err(ReplayError::Corrupt("a step"));
                }
                let hooks = answers.map(Repeating::new);
                self.world.step_with_hooks(dt, hooks.as_ref().map(|hooks| hooks as &dyn Hooks));
                if let Some((frame, in_step)) = self.frames.last_mut() {
                    self.world.end_frame_step(frame);
                    *in_step = false;
                }
                if let Some(check) = check.filter(|_| self.checked) {
                    self.fingerprints[0].take(&self.world);
                    if let Some(bodies) = self.fingerprints[0].difference(&self.world, &check) {
                        return Err(ReplayError::Differs(Difference { step: self.world.step_count(), bodies }));
                    }
                }
                return Ok(true);
            }
            Record::Frame(time) => {
                if !self.is_in_step() || self.frames.len() >= MOST_FRAMES {
                    return Err(ReplayError::Corrupt("a frame"));
                }
                let frame = self.world.begin_frame(time).map_err(|_| ReplayError::Corrupt("the time of a frame"))?;
                self.frames.push((frame, false));
            }
            Record::FrameStep => {
                let wrong = ReplayError::Corrupt("a step of a frame");
                let Some((frame, in_step)) = self.frames.last_mut().filter(|(_, in_step)| !in_step) else {
                    return Err(wrong);
                };
                if !self.world.begin_frame_step(frame) {
                    return Err(wrong);
                }
                *in_step = true;
            }
            Record::FrameEnd => {
                let wrong = ReplayError::Corrupt("the end of a frame");
                let Some((mut frame, false)) = self.frames.pop() else { return Err(wrong) };
                if self.world.begin_frame_step(&mut frame) {
                    return Err(wrong);
                }
                self.world.end_frame(frame);
            }
            Record::Call(call) => call.again(&mut self.world).map_err(ReplayError::Corrupt)?,
        }
        Ok(false)
    }

    /// As [`Replay::step`], but plays into a world that the caller keeps: a clone of [`Replay::world`] that was not changed
    /// but by this.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn step_into(&mut self, world: &mut World) -> Result<bool, ReplayError> {
        std::mem::swap(&mut self.world, world);
        let result = self.step();
        std::mem::swap(&mut self.world, world);
        result
    }

    /// Reads to the end without playing, and says what there is. What cannot be read ends it.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn survey(mut self) -> Result<Survey, ReplayError> {
        let mut survey = Survey { steps: 0, dt: 0.0, is_whole: false };
        loop {
            if self.at == self.block.len() {
                match self.next_block() {
                    Ok(()) => {}
                    Err(ReplayError::Read(error)) => return Err(ReplayError::Read(error)),
                    Err(_) => return Ok(survey),
                }
            }
            let mut source = Source::new(&self.block[self.at..]);
            match Record::read(&mut source, &mut self.fingerprints[1]) {
                None => return Ok(survey),
                Some(Record::End) => return Ok(Survey { is_whole: true, ..survey }),
                Some(Record::Step { dt, .. }) => {
                    survey.dt = if survey.steps == 0 { dt } else { survey.dt };
                    survey.steps += 1;
                }
                Some(_) => {}
            }
            self.at = self.block.len() - source.left();
        }
    }

    /// Outside of frames, or in a step of the innermost.
    fn is_in_step(&self) -> bool {
        self.frames.last().is_none_or(|(_, in_step)| *in_step)
    }

    /// Reads the next block.
    fn next_block(&mut self) -> Result<(), ReplayError> {
        self.block.clear();
        self.at = 0;
        let mut head = Vec::with_capacity(16);
        self.input.by_ref().take(16).read_to_end(&mut head).map_err(ReplayError::Read)?;
        let (Some(length), Some(sum)) = (head.first_chunk::<8>(), head.last_chunk::<8>().filter(|_| head.len() == 16))
        else {
            return Err(ReplayError::CutOff);
        };
        let length = u64::from_le_bytes(*length);
        // As much memory as there are bytes, whatever the length says.
        self.input.by_ref().take(length).read_to_end(&mut self.block).map_err(ReplayError::Read)?;
        let is_whole = self.block.len() as u64 == length;
        let is_right = checksum(&self.block) == u64::from_le_bytes(*sum);
        let result = match (is_whole, is_right) {
            (false, _) => Err(ReplayError::CutOff),
            (true, false) => Err(ReplayError::Damaged),
            (true, true) if length == 0 => Err(ReplayError::Corrupt("a block")),
            (true, true) => Ok(()),
        };
        if result.is_err() {
            self.block.clear();
        }
        result
    }
}

/// What a recording consists of.
enum Record {
    End,
    Step { dt: f32, answers: Option<Vec<Answer>>, check: Option<super::check::Check> },
    Frame(f32),
    FrameStep,
    FrameEnd,
    Call(Box<Call>),
}

impl Record {
    /// Reads a record; none if the bytes are not of one.
    fn read(from: &mut Source<'_>, recorded: &mut Fingerprint) -> Option<Record> {
        Some(match u8::get(from)? {
            END => Record::End,
            STEP => {
                let (dt, answers) = (f32::get(from)?, Wire::get(from)?);
                let check = if bool::get(from)? { Some(recorded.get(from)?) } else { None };
                Record::Step { dt, answers, check }
            }
            FRAME => Record::Frame(f32::get(from)?),
            FRAME_STEP => Record::FrameStep,
            FRAME_END => Record::FrameEnd,
            code => Record::Call(Box::new(Call::get(code, from)?)),
        })
    }
}
