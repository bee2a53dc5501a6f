//! Fixed steps from variable frame times.

use crate::body::MoverId;
use crate::error::{DefError, non_negative};
use crate::events::Events;
use crate::math::{DVec3, Quat};
use crate::world::World;
use carom_core::FixedStep;

/// Of frame times in double precision.
const TOLERANCE: f64 = 1.0e-9;

/// The time that has been asked for and not yet been stepped, and where bodies were before the last step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    pub(crate) pending_s: f64,
    /// `pending_s` over the step.
    pub(crate) alpha: f64,
    /// Of those that were awake, lowest index first.
    pub(crate) before: Vec<(MoverId, DVec3, Quat)>,
    /// What forces of past frames have still to give to bodies, for the pending time: N s and N m s.
    pub(crate) owed: Vec<Load>,
    /// Forces and torques of the frame at hand; empty between calls.
    pub(crate) frame: Vec<Load>,
}

/// A force and a torque on a mover, or their impulses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) mover: MoverId,
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
}

/// What one call of [`World::advance`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advanced {
    /// How many steps were made.
    pub steps: u32,
    /// How far the time is between the last step and the next, 0 to 1.
    pub alpha: f64,
    /// Time that was dropped because more steps were due than
    /// [`WorldDef::max_catch_up`](crate::WorldDef::max_catch_up).
    pub dropped_s: f64,
}

impl World {
    /// Lets `frame_time` seconds of real time pass, in fixed steps of
    /// [`WorldDef::fixed_step_s`](crate::WorldDef::fixed_step_s). What is left over is kept for the next call, so the
    /// world's course does not depend on the frame rate, to the last bit. Events of all the steps made are there
    /// afterwards.
    ///
    /// Forces and torques that were added since the last call act for the time of this frame: in each of its steps, and
    /// in the next frame's first step for what is left over. So they give the same impulse at any frame rate. What
    /// must be looked at again before each step goes into [`World::advance_each`].
    ///
    /// ```
    /// use carom3d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let done = world.advance(0.04)?;
    /// assert_eq!(done.steps, 2);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn advance(&mut self, frame_time: f64) -> Result<Advanced, DefError> {
        self.advance_each(frame_time, |_| {})
    }

    /// The same as [`World::advance`], and calls `before_step` before each of the fixed steps. Forces that it adds act
    /// in that step only. What it does leads to the same bits at any frame rate.
    pub fn advance_each(
        &mut self,
        frame_time: f64,
        mut before_step: impl FnMut(&mut World),
    ) -> Result<Advanced, DefError> {
        non_negative("frame time", frame_time)?;
        let step = FixedStep { length_s: self.def.fixed_step_s, tolerance: TOLERANCE };
        let mut frame = self.take_loads();
        let earlier_s = self.clock.pending_s;
        self.clock.pending_s += frame_time;
        let mut advanced = Advanced { steps: 0, alpha: 0.0, dropped_s: 0.0 };
        let mut collected = Events::default();
        while step.is_due(self.clock.pending_s) {
            if advanced.steps == self.def.max_catch_up {
                advanced.dropped_s = step.drop_due(&mut self.clock.pending_s);
                break;
            }
            // The first step begins with the time that earlier frames left over.
            let earlier = if advanced.steps == 0 { earlier_s / step.length_s } else { 0.0 };
            self.add_loads(&frame, earlier);
            before_step(self);
            self.note_poses();
            self.step(step.length_s);
            collected.append(self.events_mut());
            self.clock.pending_s -= step.length_s;
            advanced.steps += 1;
        }
        *self.events_mut() = collected;
        let unspent_s = if advanced.steps > 0 { self.clock.pending_s } else { frame_time };
        self.clock.owe(&mut frame, unspent_s);
        self.clock.alpha = step.alpha(self.clock.pending_s);
        advanced.alpha = self.clock.alpha;
        Ok(advanced)
    }

    /// Takes the forces that were added since the last step off the bodies.
    fn take_loads(&mut self) -> Vec<Load> {
        let mut loads = std::mem::take(&mut self.clock.frame);
        for &index in &self.awake {
            let Some(id) = self.movers.id_at(index) else { continue };
            let mover = &mut self.movers[index];
            if mover.force != DVec3::ZERO || mover.torque != DVec3::ZERO {
                loads.push(Load { mover: id, force: mover.force, torque: mover.torque });
                (mover.force, mover.torque) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
        loads
    }

    /// Adds forces for the next step, of which the fraction `earlier` belongs to past frames.
    fn add_loads(&mut self, frame: &[Load], earlier: f64) {
        let share = (1.0 - earlier).clamp(0.0, 1.0);
        frame.iter().for_each(|load| self.add_load(load, share));
        let mut owed = std::mem::take(&mut self.clock.owed);
        let per_step = 1.0 / self.def.fixed_step_s;
        owed.drain(..).for_each(|load| self.add_load(&load, per_step));
        self.clock.owed = owed;
    }

    /// Adds a share of a force to a mover, unless it is gone or sleeps by now.
    fn add_load(&mut self, load: &Load, share: f64) {
        if let Some(mover) = self.movers.get_mut(load.mover)
            && mover.is_awake()
        {
            mover.force += load.force * share;
            mover.torque += load.torque * share;
        }
    }

    /// Notes where those are that the next step may move.
    fn note_poses(&mut self) {
        let movers = &self.movers;
        let pose_of = |&mover: &u32| {
            let state = &movers[mover].state;
            movers.id_at(mover).map(|id| (id, state.position, state.orientation))
        };
        self.clock.before.clear();
        self.clock.before.extend(self.awake.iter().filter_map(pose_of));
        self.clock.before.sort_unstable_by_key(|(id, ..)| id.index());
    }

    /// The pose of a mover between the last two steps.
    pub(crate) fn interpolated(&self, mover: u32) -> (DVec3, Quat) {
        let state = &self.movers[mover].state;
        let found = self.clock.before.binary_search_by_key(&mover, |(id, ..)| id.index());
        match found.map(|place| self.clock.before[place]) {
            Ok((id, position, orientation)) if self.movers.contains(id) => {
                let alpha = self.clock.alpha;
                let between = orientation.interpolated(state.orientation, alpha);
                (position + (state.position - position) * alpha, between)
            }
            _ => (state.position, state.orientation),
        }
    }

    /// Forgets where a mover was: it has been put elsewhere.
    pub(crate) fn forget_pose(&mut self, mover: u32) {
        if let Ok(place) = self.clock.before.binary_search_by_key(&mover, |(id, ..)| id.index()) {
            self.clock.before.remove(place);
        }
    }
}

impl Clock {
    /// Keeps what the forces of a frame would have given in the seconds that are not stepped yet, for the next step.
    fn owe(&mut self, frame: &mut Vec<Load>, unspent_s: f64) {
        for Load { mover, force, torque } in frame.drain(..) {
            let impulse = Load { mover, force: force * unspent_s, torque: torque * unspent_s };
            // Frames shorter than a step come one after the other.
            match self.owed.binary_search_by_key(&mover, |load| load.mover) {
                Ok(place) => {
                    self.owed[place].force += impulse.force;
                    self.owed[place].torque += impulse.torque;
                }
                Err(place) if unspent_s > 0.0 => self.owed.insert(place, impulse),
                Err(_) => {}
            }
        }
        std::mem::swap(&mut self.frame, frame);
    }
}
