//! Fixed steps from variable frame times.

use crate::body::BodySim;
use crate::error::{DefError, non_negative};
use crate::hooks::Hooks;
use crate::math::{Pose, Rot};
use crate::world::World;

/// The time that has been asked for and not yet been stepped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// In double precision: thousands of frames must not lose one.
    pending_s: f64,
    /// `pending_s` over the step.
    alpha: f32,
}

/// What one call of [`World::advance`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advanced {
    /// How many steps were made.
    pub steps: u32,
    /// How far the time is between the last step and the next, 0 to 1.
    pub alpha: f32,
    /// Time that was dropped because more steps were due than
    /// [`WorldDef::max_catch_up`](crate::WorldDef::max_catch_up).
    pub dropped_s: f32,
}

impl World {
    /// Lets `seconds` of real time pass, in fixed steps of
    /// [`WorldDef::fixed_step_s`](crate::WorldDef::fixed_step_s). What is left over is kept for the
    /// next call, so the world's course does not depend on the frame rate, to the last bit. Events of
    /// all the steps made are there afterwards.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let done = world.advance(0.04)?;
    /// assert_eq!(done.steps, 2);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn advance(&mut self, frame_time: f32) -> Result<Advanced, DefError> {
        self.advance_asking(frame_time, None)
    }

    /// The same as [`World::advance`], with hooks that decide about single pairs and contacts.
    pub fn advance_with(&mut self, frame_time: f32, hooks: &dyn Hooks) -> Result<Advanced, DefError> {
        self.advance_asking(frame_time, Some(hooks))
    }

    fn advance_asking(&mut self, frame_time: f32, hooks: Option<&dyn Hooks>) -> Result<Advanced, DefError> {
        non_negative("frame time", frame_time)?;
        let step = f64::from(self.def.fixed_step_s);
        self.clock.pending_s += f64::from(frame_time);
        let mut advanced = Advanced { steps: 0, alpha: 0.0, dropped_s: 0.0 };
        let mut collected = crate::events::Events::default();
        // A hair of tolerance: two frames of half a step make a step.
        while self.clock.pending_s >= step * (1.0 - 1.0e-5) {
            if advanced.steps == self.def.max_catch_up {
                let kept = self.clock.pending_s % step;
                advanced.dropped_s = (self.clock.pending_s - kept) as f32;
                self.clock.pending_s = kept;
                break;
            }
            self.step_asking(self.def.fixed_step_s, hooks);
            collected.append(self.events_mut());
            self.clock.pending_s -= step;
            advanced.steps += 1;
        }
        *self.events_mut() = collected;
        let alpha = self.clock.pending_s / step;
        self.clock.alpha = if alpha > 0.0 { alpha as f32 } else { 0.0 };
        advanced.alpha = self.clock.alpha;
        Ok(advanced)
    }
}

impl Clock {
    /// The pose of a body between the last two steps.
    pub(crate) fn interpolate(&self, sim: &BodySim) -> Pose {
        let (from, to) = (sim.pose_before(), sim.pose());
        let alpha = self.alpha;
        let q = Rot { c: from.q.c + alpha * (to.q.c - from.q.c), s: from.q.s + alpha * (to.q.s - from.q.s) };
        Pose { p: from.p + (to.p - from.p) * alpha, q: q.normalized() }
    }
}
