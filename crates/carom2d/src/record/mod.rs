//! Recordings: what was done to a world, written while it happens, and done again.
//!
//! | file | holds |
//! |---|---|
//! | `wire.rs` | definitions and numbers as bytes |
//! | `call.rs` | the calls that change a world |
//! | `listen.rs` | what hooks answered |
//! | `check.rs` | fingerprints, which say when a replay differs, and where |
//! | `replay.rs` | reading a recording, and doing it again |
//!
//! A recording begins with a snapshot and goes on with a record for each call, in their order: a byte that says which, and
//! what was given. A step is a record, too, with what hooks answered in it and a fingerprint of the world after it. Records
//! are gathered in blocks, each with its length and a checksum, so that what was written before a crash can be trusted. The
//! numbers are little-endian.

mod call;
mod check;
mod listen;
mod replay;
#[cfg(test)]
mod tests;
mod wire;

use crate::hooks::Hooks;
use crate::snapshot::checksum;
use crate::world::{World, WorldState};
use check::Fingerprint;
use listen::{Answers, Listening};
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use wire::Wire;

pub(crate) use call::{BodyLoad, Call, can_be_written, is_whole};
pub use replay::{Difference, Replay, ReplayError, Survey};

/// What a recording begins with.
const MAGIC: [u8; 8] = *b"carom2r\x1b";
/// The version of the bytes. It grows whenever they change in any way; that of the snapshot is its own.
const VERSION: u32 = 1;

// Records of the file itself. Those of calls are in `call.rs`.
/// The world's threads and broad phase, and its snapshot.
const START: u8 = 1;
/// Nothing follows.
const END: u8 = 2;
/// A step: its length, what hooks answered, a fingerprint.
const STEP: u8 = 3;
/// `World::advance` begins: the time of the frame.
const FRAME: u8 = 4;
/// A step of this frame is about to be made.
const FRAME_STEP: u8 = 5;
/// The frame is over.
const FRAME_END: u8 = 6;

/// Records are written once there are as many bytes as this.
const BLOCK: usize = 64 * 1024;

/// How to record a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordDef {
    /// After every how many steps to take a fingerprint of what is awake, which says when and where a replay differs; 0 for
    /// never. Default 1. One takes some nanoseconds for each body that is awake, and up to 2 KiB.
    pub check_every: u32,
}

impl Default for RecordDef {
    fn default() -> RecordDef {
        RecordDef { check_every: 1 }
    }
}

/// The recording under way, if there is one. A clone of a world is not recorded.
#[derive(Default)]
pub(crate) struct Recorder {
    recording: Option<Box<Recording>>,
    /// Calls of [`World::advance`] that have started, one within the other.
    pub(crate) frames: u32,
}

impl Clone for Recorder {
    fn clone(&self) -> Recorder {
        Recorder { recording: None, frames: self.frames }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("is_recording", &self.recording.is_some()).finish_non_exhaustive()
    }
}

/// A step that has started.
#[derive(Clone, Copy)]
struct UnderWay {
    dt: f32,
    hooked: bool,
}

struct Recording {
    out: Box<dyn Write + Send + Sync>,
    /// Records that are still to be written.
    pending: Vec<u8>,
    /// The first error of `out`, after which nothing is written.
    error: Option<io::Error>,
    check_every: u32,
    steps_since_check: u32,
    fingerprint: Fingerprint,
    /// A panic in a step leaves it here, and it is written as the last one.
    under_way: Option<UnderWay>,
    answers: Arc<Answers>,
    /// The end was written, or an error reported.
    ended: bool,
}

impl Recording {
    /// Adds a record, and writes if there are many.
    fn record(&mut self, put: impl FnOnce(&mut Vec<u8>)) {
        if self.error.is_none() {
            put(&mut self.pending);
            if self.pending.len() >= BLOCK {
                self.write_block();
            }
        }
    }

    fn write_block(&mut self) {
        if self.error.is_none() && !self.pending.is_empty() {
            let mut head = [0; 16];
            head[..8].copy_from_slice(&(self.pending.len() as u64).to_le_bytes());
            head[8..].copy_from_slice(&checksum(&self.pending).to_le_bytes());
            self.error = self.out.write_all(&head).and_then(|()| self.out.write_all(&self.pending)).err();
        }
        self.pending.clear();
    }

    /// The record of a step, without a fingerprint.
    fn put_step(&mut self, step: UnderWay) {
        let answers = step.hooked.then(|| self.answers.take());
        self.pending.push(STEP);
        step.dt.put(&mut self.pending);
        answers.put(&mut self.pending);
    }

    /// Writes what is left and the end.
    fn finish(&mut self) -> io::Result<()> {
        self.record(|to| to.push(END));
        self.write_block();
        self.ended = true;
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

impl Drop for Recording {
    /// A world that is dropped has come to its end, unless a panic drops it: then the recording has no end, and its last
    /// record is the step in which that happened.
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let step = self.under_way.take();
        if step.is_none() && !std::thread::panicking() {
            self.finish().ok();
            return;
        }
        if let Some(step) = step {
            self.put_step(step);
            false.put(&mut self.pending);
        }
        self.write_block();
        self.out.flush().ok();
    }
}

impl World {
    /// Records what is done to the world from now on: a snapshot, all calls that change it with what hooks answer, and
    /// fingerprints. [`Replay`] does the same again, to the last bit, on any machine, and says where it differs if it does.
    ///
    /// The recording ends with [`World::stop_recording`], with another one, or with the world. Give it a file or something
    /// else that is buffered or not: it is written in blocks of 64 KiB, and in larger ones only for a
    /// [`World::restore`] and for the snapshot. A clone of the world is not recorded. Whatever `out` does in an error, the
    /// world goes on.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// use carom2d::{RecordDef, Replay};
    /// # let path = std::env::temp_dir().join(format!("carom2d-record-{}", std::process::id()));
    /// let mut world = World::new(WorldDef::default());
    /// world.record_to(std::fs::File::create(&path)?, RecordDef::default())?;
    /// let ball = world.add_body(BodyDef::dynamic())?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0);
    /// }
    /// world.stop_recording()?;
    ///
    /// let mut replay = Replay::open(std::fs::File::open(&path)?)?;
    /// while replay.step()? {}
    /// let replayed = BodyId::from_bits(ball.to_bits());
    /// assert_eq!(replay.world().body(replayed).position(), world.body(ball).position());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the beginning cannot be written, or the call comes from within [`World::advance_each`].
    ///
    /// Handles that this world gave name the same things in the replay as bits ([`BodyId::from_bits`](crate::BodyId)).
    pub fn record_to(&mut self, out: impl Write + Send + Sync + 'static, def: RecordDef) -> io::Result<()> {
        if self.state.recorder.frames > 0 {
            let message = "a recording cannot begin within World::advance";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.stop_recording()?;
        let mut recording = Recording {
            out: Box::new(out),
            pending: Vec::new(),
            error: None,
            check_every: def.check_every,
            steps_since_check: 0,
            fingerprint: Fingerprint::default(),
            under_way: None,
            answers: Arc::default(),
            ended: false,
        };
        let mut snapshot = Vec::new();
        self.save(&mut snapshot);
        let to = &mut recording.pending;
        to.push(START);
        self.state.def.threads.put(to);
        self.state.def.broad_phase.put(to);
        snapshot.put(to);
        let begin = [MAGIC.as_slice(), &VERSION.to_le_bytes()].concat();
        recording.error = recording.out.write_all(&begin).err();
        recording.write_block();
        if let Some(error) = recording.error.take() {
            recording.ended = true;
            return Err(error);
        }
        self.state.recorder.recording = Some(Box::new(recording));
        Ok(())
    }

    /// Ends the recording that is under way, if there is one.
    ///
    /// # Errors
    /// The first error of writing it, after which nothing more was written.
    pub fn stop_recording(&mut self) -> io::Result<()> {
        match self.state.recorder.recording.take() {
            Some(mut recording) => recording.finish(),
            None => Ok(()),
        }
    }

    /// Is a recording under way?
    pub fn is_recording(&self) -> bool {
        self.state.recorder.recording.is_some()
    }

    /// Records a call, before it is made.
    #[inline]
    pub(crate) fn note(&mut self, call: impl FnOnce() -> Call) {
        self.state.note(call);
    }

    pub(crate) fn note_frame(&mut self, frame_time: f32) {
        if let Some(recording) = &mut self.state.recorder.recording {
            recording.record(|to| {
                to.push(FRAME);
                frame_time.put(to);
            });
        }
    }

    pub(crate) fn note_frame_step(&mut self) {
        if let Some(recording) = &mut self.state.recorder.recording {
            recording.record(|to| to.push(FRAME_STEP));
        }
    }

    pub(crate) fn note_frame_end(&mut self) {
        if let Some(recording) = &mut self.state.recorder.recording {
            recording.record(|to| to.push(FRAME_END));
        }
    }

    /// A step that is recorded.
    pub(crate) fn step_recorded(&mut self, dt: f32, hooks: Option<&dyn Hooks>) {
        let Some(recording) = &mut self.state.recorder.recording else { return };
        recording.under_way = Some(UnderWay { dt, hooked: hooks.is_some() });
        let answers = Arc::clone(&recording.answers);
        let listening = hooks.map(|hooks| Listening { hooks, answers: &answers });
        self.step_unrecorded(dt, listening.as_ref().map(|listening| listening as &dyn Hooks));

        // Out of the world, which the fingerprint reads.
        let Some(mut recording) = self.state.recorder.recording.take() else { return };
        let step = recording.under_way.take().expect("a step that has just been made");
        recording.steps_since_check += 1;
        let is_due = recording.check_every > 0 && recording.steps_since_check >= recording.check_every;
        if recording.error.is_none() {
            recording.put_step(step);
            is_due.put(&mut recording.pending);
            if is_due {
                recording.steps_since_check = 0;
                recording.fingerprint.take(self);
                recording.fingerprint.put(&mut recording.pending);
            }
            recording.record(|_| {});
        }
        self.state.recorder.recording = Some(recording);
    }
}

impl WorldState {
    /// Records a call, before it is made.
    #[inline]
    pub(crate) fn note(&mut self, call: impl FnOnce() -> Call) {
        if let Some(recording) = &mut self.recorder.recording {
            recording.record(|to| call().put(to));
        }
    }
}
