//! A recording as a run: what was done to a world is done again, step by step.

use crate::file::fitting_camera;
use crate::scene::{About, SceneWorld};
use carom2d::{Replay, ReplayError, World};
use std::borrow::Cow;
use std::io::Cursor;
use std::sync::Arc;

/// The ending of recordings, without the dot.
pub const RECORDING_ENDING: &str = "rec";
/// Longer recordings are not opened as scenes. `carom replay` plays those of any length.
pub const MAX_RECORDING_BYTES: usize = 256 << 20;

/// The bytes of a recording, and how far they were played.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    replay: Replay<Cursor<Arc<[u8]>>>,
    /// How many steps the recording has.
    pub(crate) steps: u32,
    /// Why it was not played to its end.
    stopped: Option<Arc<ReplayError>>,
}

impl Playback {
    /// Makes the next step in a world that is at the one before.
    pub(crate) fn step(&mut self, world: &mut World) {
        if self.stopped.is_none()
            && let Err(error) = self.replay.step_into(world)
        {
            self.stopped = Some(Arc::new(error));
        }
    }
}

impl SceneWorld {
    /// A run of a recording, which `name` is the name of. It ends with its last step; each is as it was recorded, with the
    /// length that it had. Colours, particles among the bodies and the camera are no part of a recording.
    ///
    /// # Errors
    /// If the bytes are no recording of this version. One that was cut off is played as far as it goes.
    pub fn of_recording(name: &str, bytes: Vec<u8>) -> Result<SceneWorld, ReplayError> {
        let bytes: Arc<[u8]> = bytes.into();
        let mut replay = Replay::open(Cursor::new(bytes))?;
        let survey = replay.clone().survey()?;
        // Whether it differs is for `carom replay --verify` to say.
        replay.set_checked(false);
        let steps = u32::try_from(survey.steps).unwrap_or(u32::MAX);
        let is_time = survey.dt > 0.0 && survey.dt.is_finite();
        let dt = if is_time { crate::scene::exact_step(survey.dt) } else { 1.0 / 60.0 };
        let end = if survey.is_whole { "" } else { ", and has no end" };
        let about = About {
            name: Cow::Owned(name.to_owned()),
            summary: Cow::Owned(format!("a recording of {steps} steps{end}")),
            steps,
            dt,
            camera: fitting_camera(replay.world()),
        };
        let world = replay.world().clone();
        Ok(SceneWorld::new(about, world).played_by(Playback { replay, steps, stopped: None }))
    }

    /// Goes on by itself from here, if this is a run of a recording.
    pub fn leave_recording(&mut self) {
        self.stop_playback();
    }

    /// Why the recording that this is a run of cannot be played further, if it cannot.
    pub fn playback_error(&self) -> Option<&ReplayError> {
        self.playback()?.stopped.as_deref()
    }
}
