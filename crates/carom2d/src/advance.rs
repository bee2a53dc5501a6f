//! Fixed steps from variable frame times.

use crate::body::{BodyId, BodySim};
use crate::error::{DefError, non_negative};
use crate::events::Events;
use crate::hooks::Hooks;
use crate::math::{Pose, Vec2};
use crate::world::{World, WorldState};
use carom_core::FixedStep;

/// Of frame times in single precision.
const TOLERANCE: f64 = 1.0e-5;

/// The time that has been asked for and not yet been stepped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// In double precision: thousands of frames must not lose one.
    pub(crate) pending_s: f64,
    /// `pending_s` over the step.
    pub(crate) alpha: f32,
    /// What forces of past frames have still to give to bodies, for the pending time: N s and N m s.
    pub(crate) owed: Vec<Load>,
    /// Forces and torques of the frame at hand; empty between calls.
    pub(crate) frame: Vec<Load>,
}

/// A call of [`World::advance`] that has started.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    time: f32,
    step: FixedStep,
    /// What was pending before.
    earlier_s: f64,
    loads: Vec<Load>,
    advanced: Advanced,
    events: Events,
}

/// A force and a torque on a body, or their impulses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) body: BodyId,
    pub(crate) force: Vec2,
    pub(crate) torque: f32,
}

/// What one call of [`World::advance`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Lets `frame_time` seconds of real time pass, in fixed steps of
    /// [`WorldDef::fixed_step_s`](crate::WorldDef::fixed_step_s). What is left over is kept for the
    /// next call, so the world's course does not depend on the frame rate, to the last bit. Events of
    /// all the steps made are there afterwards.
    ///
    /// Forces and torques that were added since the last call act for the time of this frame: in each of its steps, and
    /// in the next frame's first step for what is left over. So they give the same impulse at any frame rate. What
    /// must be looked at again before each step, like force fields and soft bodies, goes into
    /// [`World::advance_each`].
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let done = world.advance(0.04)?;
    /// assert_eq!(done.steps, 2);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn advance(&mut self, frame_time: f32) -> Result<Advanced, DefError> {
        self.advance_in_steps(frame_time, None, &mut |_| {})
    }

    /// The same as [`World::advance`], with hooks that decide about single pairs and contacts.
    pub fn advance_with(&mut self, frame_time: f32, hooks: &dyn Hooks) -> Result<Advanced, DefError> {
        self.advance_in_steps(frame_time, Some(hooks), &mut |_| {})
    }

    /// The same as [`World::advance`], and calls `before_step` before each of the fixed steps: for force fields, soft
    /// bodies and whatever else acts step by step. Forces that it adds act in that step only. What it does leads to the
    /// same bits at any frame rate.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// use carom2d::{Radial, SoftBodyDef};
    /// let mut world = World::new(WorldDef::default());
    /// let mut jelly = world.add_soft_body(&SoftBodyDef::default())?;
    /// let field = Radial { center: vec2(0.0, -5.0), radius: 20.0, acceleration: 15.0 };
    /// let frame_time = 0.04;
    /// world.advance_each(frame_time, |world| {
    ///     let dt = world.def().fixed_step_s;
    ///     world.apply_field(&field, dt).expect("a length of time");
    ///     jelly.hold(world, dt).expect("all of its parts");
    /// })?;
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn advance_each(
        &mut self,
        frame_time: f32,
        mut before_step: impl FnMut(&mut World),
    ) -> Result<Advanced, DefError> {
        self.advance_in_steps(frame_time, None, &mut before_step)
    }

    /// The same as [`World::advance_each`], with hooks that decide about single pairs and contacts.
    pub fn advance_each_with(
        &mut self,
        frame_time: f32,
        hooks: &dyn Hooks,
        mut before_step: impl FnMut(&mut World),
    ) -> Result<Advanced, DefError> {
        self.advance_in_steps(frame_time, Some(hooks), &mut before_step)
    }

    fn advance_in_steps(
        &mut self,
        frame_time: f32,
        hooks: Option<&dyn Hooks>,
        before_step: &mut dyn FnMut(&mut World),
    ) -> Result<Advanced, DefError> {
        let mut frame = self.begin_frame(frame_time)?;
        self.note_frame(frame_time);
        while self.begin_frame_step(&mut frame) {
            self.note_frame_step();
            before_step(self);
            self.step_with_hooks(self.state.def.fixed_step_s, hooks);
            self.end_frame_step(&mut frame);
        }
        self.note_frame_end();
        Ok(self.end_frame(frame))
    }

    /// Takes the forces of a frame off the bodies, and adds its time to what is pending.
    pub(crate) fn begin_frame(&mut self, frame_time: f32) -> Result<Frame, DefError> {
        non_negative("frame time", frame_time)?;
        let loads = self.state.take_loads();
        let earlier_s = self.state.clock.pending_s;
        self.state.clock.pending_s += f64::from(frame_time);
        self.state.recorder.frames += 1;
        Ok(Frame {
            time: frame_time,
            step: FixedStep { length_s: f64::from(self.state.def.fixed_step_s), tolerance: TOLERANCE },
            earlier_s,
            loads,
            advanced: Advanced { steps: 0, alpha: 0.0, dropped_s: 0.0 },
            events: Events::default(),
        })
    }

    /// Gives bodies the forces of the frame for another step, if one is due.
    pub(crate) fn begin_frame_step(&mut self, frame: &mut Frame) -> bool {
        let step = frame.step;
        if !step.is_due(self.state.clock.pending_s) {
            return false;
        }
        if frame.advanced.steps == self.state.def.max_catch_up {
            frame.advanced.dropped_s = step.drop_due(&mut self.state.clock.pending_s) as f32;
            return false;
        }
        // The first step begins with the time that earlier frames left over.
        let earlier = if frame.advanced.steps == 0 { frame.earlier_s / step.length_s } else { 0.0 };
        self.state.add_loads(&frame.loads, earlier);
        true
    }

    /// After a step of a frame.
    pub(crate) fn end_frame_step(&mut self, frame: &mut Frame) {
        frame.events.append(&mut self.events);
        self.state.clock.pending_s -= frame.step.length_s;
        frame.advanced.steps += 1;
    }

    /// After all steps of a frame.
    pub(crate) fn end_frame(&mut self, mut frame: Frame) -> Advanced {
        let step = frame.step;
        self.events = frame.events;
        let mut advanced = frame.advanced;
        let unspent_s = if advanced.steps > 0 { self.state.clock.pending_s as f32 } else { frame.time };
        self.state.clock.owe(&mut frame.loads, unspent_s);
        self.state.recorder.frames -= 1;
        self.state.clock.alpha = step.alpha(self.state.clock.pending_s) as f32;
        advanced.alpha = self.state.clock.alpha;
        advanced
    }
}

impl WorldState {
    /// Takes the forces that were added since the last step off the bodies.
    fn take_loads(&mut self) -> Vec<Load> {
        let mut loads = std::mem::take(&mut self.clock.frame);
        for sim in &mut self.sets.awake_mut().sims {
            if sim.force != Vec2::ZERO || sim.torque != 0.0 {
                let body = self.bodies.id_at(sim.body).expect("a body that is awake exists");
                loads.push(Load { body, force: sim.force, torque: sim.torque });
                (sim.force, sim.torque) = (Vec2::ZERO, 0.0);
            }
        }
        loads
    }

    /// Adds forces for the next step, of which the fraction `earlier` belongs to past frames.
    fn add_loads(&mut self, frame: &[Load], earlier: f64) {
        let share = (1.0 - earlier).clamp(0.0, 1.0) as f32;
        frame.iter().for_each(|load| self.add_load(load, share));
        let mut owed = std::mem::take(&mut self.clock.owed);
        let per_step = 1.0 / self.def.fixed_step_s;
        owed.drain(..).for_each(|load| self.add_load(&load, per_step));
        self.clock.owed = owed;
    }

    /// Adds a share of a force to a body, unless the body is gone or sleeps by now.
    fn add_load(&mut self, load: &Load, share: f32) {
        if self.bodies.contains(load.body) && self.is_awake(load.body.index()) {
            let sim = self.sim_mut(load.body.index());
            sim.force += load.force * share;
            sim.torque += load.torque * share;
        }
    }
}

impl Clock {
    /// Keeps what the forces of a frame would have given in the seconds that are not stepped yet, for the next step.
    fn owe(&mut self, frame: &mut Vec<Load>, unspent_s: f32) {
        for Load { body, force, torque } in frame.drain(..) {
            let impulse = Load { body, force: force * unspent_s, torque: torque * unspent_s };
            // Frames shorter than a step come one after the other.
            match self.owed.binary_search_by_key(&body, |load| load.body) {
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

    /// The pose of a body between the last two steps.
    pub(crate) fn interpolate(&self, sim: &BodySim) -> Pose {
        sim.pose_before().interpolated(sim.pose(), self.alpha)
    }
}
