//! The past as a recording: it is made after the fact, by doing again what was done, so that nothing is slower for it.

use super::Session;
use super::replay::Replay;
use carom_scenes::Run;
use carom2d::RecordDef;
use std::io::{self, Write};
#[cfg(not(target_arch = "wasm32"))]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// How many steps before a crash its report holds.
#[cfg(not(target_arch = "wasm32"))]
const CRASH_STEPS: u32 = 600;

/// Bytes that a world writes and another owner takes.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A recording of the past in the making.
#[derive(Debug)]
pub(crate) struct PastRecording {
    replay: Replay,
    out: Shared,
}

impl PastRecording {
    fn new(mut replay: Replay) -> Result<PastRecording, String> {
        let out = Shared::default();
        let Run::Rigid(run) = replay.run_mut() else {
            return Err("only scenes of rigid bodies in the plane can be recorded".to_owned());
        };
        run.world.record_to(out.clone(), RecordDef::default()).map_err(|error| error.to_string())?;
        Ok(PastRecording { replay, out })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.replay.is_over()
    }

    /// From 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        self.replay.progress()
    }

    pub(crate) fn step(&mut self) {
        self.replay.step();
    }

    /// The bytes of the recording, which ends here.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        if let Run::Rigid(run) = self.replay.run_mut() {
            run.world.stop_recording().map_err(|error| error.to_string())?;
        }
        Ok(self.out.take())
    }
}

impl Session {
    /// All of the past that is known, up to the present, to be recorded. Only scenes of rigid bodies in the plane can be.
    pub(crate) fn record_past(&self) -> Result<PastRecording, String> {
        PastRecording::new(self.past_since(self.history.first()))
    }

    /// What led to a panic, as a recording: the last steps, and the one in which it happened, in which it happens again. None
    /// if there is nothing that can be recorded. A page that panics is gone.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn crash_report(&self) -> Option<Vec<u8>> {
        // The run itself may be half way through a step. The history is not.
        let known = self.history.head();
        let mut recording = PastRecording::new(self.past_since(known.saturating_sub(CRASH_STEPS))).ok()?;
        let out = recording.out.clone();
        let result = catch_unwind(AssertUnwindSafe(move || {
            while !recording.is_over() {
                recording.step();
            }
            if self.is_stepping {
                recording.step();
            }
            recording.finish().ok()
        }));
        // A recording that a panic ended has written what it had, and has no end.
        Some(result.ok().flatten().unwrap_or_else(|| out.take()))
    }

    /// What was done since a step, or a little before it, to be done again up to the last step that is known.
    fn past_since(&self, step: u32) -> Replay {
        let end = if self.is_stepping { self.history.head() } else { self.step_index() };
        Replay::new(
            self.history.restore(step.max(self.history.first())),
            self.history.inputs(end.saturating_add(1)),
            end,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{brick, rigid, session, steps};
    use super::super::{Command, FAULT, Session};
    use carom_scenes::open_bytes;
    use carom2d::math::vec2;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn opened(bytes: &[u8]) -> Session {
        Session::new(open_bytes("past.rec", bytes).unwrap(), 32 << 20)
    }

    fn recorded(session: &Session) -> Vec<u8> {
        let mut recording = session.record_past().unwrap();
        while !recording.is_over() {
            recording.step();
        }
        recording.finish().unwrap()
    }

    /// What a person did is in the recording, and the recording ends where the session is. It is opened as a scene that ends.
    #[test]
    fn the_past_is_recorded_and_opened_again() {
        let mut session = session("falling_bricks");
        steps(&mut session, 40);
        let body = brick(&session);
        session.grab(body, rigid(&session).world.body(body).center());
        session.drag(vec2(1.0, 3.0));
        steps(&mut session, 20);
        session.release();
        session.command(Command::Gravity(vec2(5.0, 1.0))).unwrap();
        steps(&mut session, 30);
        session.command(Command::Delete(body)).unwrap();
        let mut again = opened(&recorded(&session));
        assert_eq!(again.range(), (0, 90));
        steps(&mut again, 100);
        assert_eq!(again.step_index(), 90, "a recording ends");
        // The last change came after the last step.
        session.jump(89);
        again.jump(89);
        assert_eq!(again.run().state_hash(), session.run().state_hash());
    }

    /// A recording can be changed where it is: what follows is no longer what was recorded, and going back finds it again.
    #[test]
    fn a_recording_can_be_left() {
        let mut session = session("falling_bricks");
        steps(&mut session, 90);
        let mut again = opened(&recorded(&session));
        steps(&mut again, 30);
        let before = again.run().state_hash();
        again.command(Command::Gravity(vec2(5.0, 1.0))).unwrap();
        steps(&mut again, 100);
        assert_eq!(again.step_index(), 130, "no longer the recording");
        let end = again.run().state_hash();
        again.jump(10);
        again.jump(130);
        assert_eq!(again.run().state_hash(), end);
        again.undo();
        assert_eq!((again.run().state_hash(), again.range().1), (before, 90));

        // So is a body that is pulled.
        let body = brick(&again);
        again.grab(body, rigid(&again).world.body(body).center());
        again.drag(vec2(1.0, 3.0));
        steps(&mut again, 80);
        assert_eq!(again.step_index(), 110);
        let end = again.run().state_hash();
        again.release();
        again.jump(5);
        again.jump(110);
        assert_eq!(again.run().state_hash(), end);
    }

    /// After a panic in a step there is a recording of what led to it.
    #[test]
    fn a_crash_is_reported() {
        let mut session = session("falling_bricks");
        steps(&mut session, 20);
        session.command(Command::Gravity(vec2(5.0, 1.0))).unwrap();
        FAULT.set(700);
        let crash = catch_unwind(AssertUnwindSafe(|| steps(&mut session, 1000)));
        assert!(crash.is_err());
        assert_eq!(session.history.head(), 700);
        let report = session.crash_report().unwrap();
        FAULT.set(u32::MAX);
        let mut again = opened(&report);
        assert!(again.run().about().summary.contains("no end"), "{}", again.run().about().summary);
        // The last steps, from a state that was kept.
        let length = again.range().1;
        assert!((600..700).contains(&length), "{length} steps");
        steps(&mut again, length);
        session.is_stepping = false;
        session.jump(700);
        assert_eq!(again.run().state_hash(), session.run().state_hash());
    }
}
