//! A run under the user's control: time, history, changes. Nothing in here knows of windows.
//!
//! | file         | what                                                      |
//! |--------------|-----------------------------------------------------------|
//! | `command.rs` | what a person may change in a world                       |
//! | `pull/`      | the soft pull of a hand on a body, in the plane and space |
//! | `replay.rs`  | a part of the past on its own, for movies and recordings  |
//! | `recording.rs` | the past as a recording; crash reports                  |
//! | `history.rs` | keyframes and inputs, from which every step can be remade |
//! | `samples.rs` | energy, momentum and times of every step, for plots       |
//!
//! Every change goes through [`Session::command`] or [`Session::grab`], is written down with the step it
//! came before, and so happens again, bit for bit, whenever that part of the past is played.

mod command;
mod history;
mod pull;
mod recording;
mod replay;
mod samples;
#[cfg(test)]
mod tests;

pub(crate) use command::{Command, Created, PoolMove};
pub(crate) use pull::Pull;
pub(crate) use recording::PastRecording;
pub(crate) use replay::Replay;
pub(crate) use samples::{Sample, Samples};

use carom_core::FixedStep;
use carom_render::Places;
use carom_scenes::Run;
use carom2d::math::Vec2;
use carom2d::{BodyId, WorldDef};
use carom3d::math::DVec3;
use history::{History, Tail};
use pull::Hold;
use std::time::Duration;
use web_time::Instant;

/// The slowest and the fastest that time may pass.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.05..=8.0;

/// How long the steps of one frame may take. What does not fit is dropped: time then passes more slowly.
const FRAME_BUDGET: Duration = Duration::from_millis(25);

/// Of frame times as the window measures them: see [`FixedStep`].
const TOLERANCE: f64 = 1.0e-6;

/// How many changes can be undone.
const MOST_UNDO: usize = 64;

/// How much memory the states to which one can go back by undoing may take.
const UNDO_BYTES: usize = 64 << 20;

/// Changes of the same thing that follow each other within so many steps are undone together.
const SAME_CHANGE_STEPS: u32 = 60;

/// Makes a step of a run, whether for the first time or again.
fn step_run(run: &mut Run) {
    #[cfg(test)]
    assert!(run.step_index() < FAULT.get(), "a test asked for a panic");
    run.step();
}

#[cfg(test)]
thread_local! {
    /// After how many steps a test wants a panic.
    static FAULT: std::cell::Cell<u32> = const { std::cell::Cell::new(u32::MAX) };
}

/// A state from before a change, or one that a change was undone from.
#[derive(Debug)]
struct Mark {
    label: String,
    run: Run,
    /// Where the history stood then.
    at: history::Mark,
    /// What came after, for going forward again.
    tail: Option<Tail>,
}

/// A run under the user's control.
#[derive(Debug)]
pub(crate) struct Session {
    run: Run,
    start: Run,
    history: History,
    samples: Samples,
    undo: Vec<Mark>,
    redo: Vec<Mark>,
    pull: Option<Pull>,
    /// Where bodies were before the last step, for frames that fall between two.
    before: Places,
    /// Time that has passed outside and not yet inside, in seconds.
    pending: f64,
    paused: bool,
    speed: f64,
    /// A step that the user wants to see and that is not reached yet.
    seeking: Option<u32>,
    /// How much of the wanted speed was reached lately, 0 to 1.
    pace: f64,
    /// True while the run makes a step, and from a panic in it on.
    is_stepping: bool,
}

impl Session {
    /// A session at the start of a run. `memory` bytes may be used for the past.
    pub(crate) fn new(mut run: Run, memory: usize) -> Session {
        if let Run::Rigid(rigid) = &mut run {
            rigid.world.set_profiling(true);
            // No result depends on it; a world that refuses it goes on as it was.
            let def = WorldDef { threads: WorldDef::AUTO_THREADS, ..*rigid.world.def() };
            rigid.world.set_def(def).ok();
        }
        Session {
            history: History::new(&run, memory),
            samples: Samples::new(&run),
            start: run.clone(),
            run,
            undo: Vec::new(),
            redo: Vec::new(),
            pull: None,
            before: Places::default(),
            pending: 0.0,
            paused: false,
            speed: 1.0,
            seeking: None,
            pace: 1.0,
            is_stepping: false,
        }
    }

    // ---- reading --------------------------------------------------------------------------------

    /// The present state.
    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    /// The number of steps made to get here.
    pub(crate) fn step_index(&self) -> u32 {
        self.run.step_index()
    }

    /// The run at its start.
    pub(crate) fn start(&self) -> &Run {
        &self.start
    }

    /// The first and the last step that can be gone to: the last one known, or the end of a run that has one.
    pub(crate) fn range(&self) -> (u32, u32) {
        (self.history.first(), self.last_step().unwrap_or(self.history.head()))
    }

    /// The end of a recording or a trajectory, if nothing was done in the known past that left it.
    fn last_step(&self) -> Option<u32> {
        self.run.last_step().filter(|_| !self.history.is_changed())
    }

    /// Is this the last step there is?
    pub(crate) fn is_live(&self) -> bool {
        self.step_index() >= self.range().1
    }

    /// Is there no step after this one?
    fn is_over(&self) -> bool {
        self.run.last_step().is_some_and(|last| self.step_index() >= last)
    }

    /// Energy, momentum and times of the steps so far.
    pub(crate) fn samples(&self) -> &Samples {
        &self.samples
    }

    /// How many states of the past are kept, and roughly how much memory they take.
    pub(crate) fn kept(&self) -> (usize, usize) {
        self.history.kept()
    }

    /// Where bodies were before the last step, and how far between then and now the picture is. What is read from
    /// a file is shown as it stands there.
    pub(crate) fn between(&self) -> (&Places, f32) {
        let is_read = self.run.last_step().is_some() && self.run.as_rigid().is_none();
        let is_exact = self.paused || self.seeking.is_some() || is_read;
        let alpha = if is_exact { 1.0 } else { self.pending / self.run.about().dt };
        (&self.before, alpha.clamp(0.0, 1.0) as f32)
    }

    /// Does time stand still?
    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    /// How fast time passes: 1 is real time.
    pub(crate) fn speed(&self) -> f64 {
        self.speed
    }

    /// How much of the wanted speed is reached, 0 to 1.
    pub(crate) fn pace(&self) -> f64 {
        self.pace
    }

    /// Is a step wanted that is not reached yet?
    pub(crate) fn is_seeking(&self) -> bool {
        self.seeking.is_some()
    }

    /// The pull that acts now, if a body is held.
    pub(crate) fn pull(&self) -> Option<&Pull> {
        self.pull.as_ref()
    }

    /// What would be undone and redone.
    pub(crate) fn undo_labels(&self) -> (Option<&str>, Option<&str>) {
        (self.undo.last().map(|mark| mark.label.as_str()), self.redo.last().map(|mark| mark.label.as_str()))
    }

    // ---- time -----------------------------------------------------------------------------------

    /// Stops or lets go time. After the end of a run it begins again.
    pub(crate) fn set_paused(&mut self, paused: bool) {
        if !paused && self.is_over() {
            self.run = self.history.restore(self.history.first());
            self.remember_poses();
        }
        self.paused = paused;
        self.pending = 0.0;
        if !paused {
            self.seeking = None;
        }
    }

    /// How fast time shall pass; what is outside of [`SPEEDS`] is brought inside.
    pub(crate) fn set_speed(&mut self, speed: f64) {
        self.speed = if speed.is_finite() { speed.clamp(*SPEEDS.start(), *SPEEDS.end()) } else { 1.0 };
    }

    /// Lets `seconds` of outside time pass. Makes the steps that are due, or goes on towards a step that
    /// is wanted.
    pub(crate) fn advance(&mut self, seconds: f64) {
        let start = Instant::now();
        if self.seeking.is_some() {
            self.go_on_seeking(start);
            return;
        }
        if self.paused {
            return;
        }
        let dt = self.run.about().dt;
        // Time cannot pass in a scene whose step is not a time.
        if !(dt > 0.0 && dt.is_finite()) {
            return;
        }
        // A frame that took long (the window was hidden) does not make time jump.
        let wanted = seconds.clamp(0.0, 0.1) * self.speed;
        self.pending += wanted;
        let mut made = 0.0;
        let step = FixedStep { length_s: dt, tolerance: TOLERANCE };
        while step.is_due(self.pending) {
            if self.is_over() {
                self.set_paused(true);
                return;
            }
            if start.elapsed() >= FRAME_BUDGET {
                step.drop_due(&mut self.pending);
                break;
            }
            self.make_step();
            self.pending -= dt;
            made += dt;
        }
        // Steps longer than a frame come in bursts: what was made lags behind what was wanted by up to one.
        if wanted > 0.0 {
            let pace = ((made + dt) / wanted).min(1.0);
            self.pace += 0.1 * (pace - self.pace);
        }
    }

    /// Makes one step, paused or not.
    pub(crate) fn single_step(&mut self) {
        self.seeking = None;
        self.paused = true;
        self.make_step();
    }

    /// Makes many steps, as fast as this machine can, over as many frames as it takes.
    pub(crate) fn make_steps(&mut self, count: u32) {
        self.paused = true;
        let last = self.last_step().unwrap_or(u32::MAX);
        self.seeking = Some(self.step_index().saturating_add(count).min(last));
    }

    /// Goes to a step of the past, or as near as the past goes. Takes effect in [`Session::advance`].
    pub(crate) fn seek(&mut self, step: u32) {
        self.release();
        let (first, last) = self.range();
        self.paused = true;
        self.seeking = Some(step.clamp(first, last));
        self.go_on_seeking(Instant::now());
    }

    /// Goes to a step of the past at once, however long it takes.
    #[cfg(test)]
    pub(crate) fn jump(&mut self, step: u32) {
        self.seek(step);
        while self.seeking.is_some() {
            self.go_on_seeking(Instant::now());
        }
    }

    fn go_on_seeking(&mut self, start: Instant) {
        let Some(target) = self.seeking else { return };
        let here = self.step_index();
        // What lies ahead of all that is known is made by stepping on.
        let known = target <= self.history.head();
        if here > target || (known && here < self.history.before(target).0) {
            self.run = self.history.restore(target);
        }
        while self.step_index() < target && start.elapsed() < FRAME_BUDGET {
            self.make_step();
        }
        if self.step_index() == target {
            self.seeking = None;
            self.remember_poses();
        }
    }

    /// The last steps up to the present, on their own.
    pub(crate) fn replay_of_last(&self, steps: u32) -> Replay {
        let end = self.step_index();
        let start = end.saturating_sub(steps).max(self.history.first());
        let mut replay = Replay::new(self.history.restore(start), self.history.inputs(end), end);
        while replay.run().step_index() < start {
            replay.step();
        }
        replay.begin_here();
        replay
    }

    /// Back to the start, without the changes since.
    pub(crate) fn restart(&mut self) {
        let (paused, speed, memory) = (self.paused, self.speed, self.history.budget());
        *self = Session::new(self.start.clone(), memory);
        self.paused = paused;
        self.speed = speed;
    }

    fn make_step(&mut self) {
        if self.is_over() {
            return;
        }
        let index = self.step_index();
        self.remember_poses();
        let pull = if self.is_live() { self.pull } else { self.pull.or_else(|| self.history.pull_at(index)) };
        if let Some(pull) = pull {
            pull.apply(&mut self.run);
            self.history.record_pull(index, pull);
        }
        let start = Instant::now();
        self.is_stepping = true;
        step_run(&mut self.run);
        self.is_stepping = false;
        let spent = start.elapsed();
        if self.history.head() <= index {
            self.history.extend(&self.run);
        } else {
            self.history.replay_changes(&mut self.run);
        }
        self.samples.record(&self.run, spent.as_secs_f64());
    }

    fn remember_poses(&mut self) {
        self.before.record(&self.run);
    }

    // ---- changes --------------------------------------------------------------------------------

    /// Carries out a change, so that it can be undone. What came after the present step is forgotten.
    /// Returns what was made, if anything, or why it cannot be done.
    pub(crate) fn command(&mut self, command: Command) -> Result<Created, String> {
        let mark = self.mark(&command.label());
        let created = self.carry_out(command)?;
        self.remember_mark(mark);
        Ok(created)
    }

    /// Carries out a change that comes from a device, many times a second: it cannot be undone.
    pub(crate) fn command_silently(&mut self, command: Command) -> Result<Created, String> {
        self.carry_out(command)
    }

    fn carry_out(&mut self, command: Command) -> Result<Created, String> {
        if self.run.last_step().is_some() && self.run.as_rigid().is_none() {
            return Err("a trajectory is as its file has it: close the comparison to change the scene".to_owned());
        }
        // A command that fails may have changed nothing, or half: try it on the side.
        let mut trial = if command.may_fail_halfway() { Some(self.run.clone()) } else { None };
        let created = match &mut trial {
            Some(trial) => command.apply(trial)?,
            None => command.apply(&mut self.run)?,
        };
        if let Some(trial) = trial {
            self.run = trial;
        }
        self.history.forget_after(self.run.step_index());
        self.history.record_change(self.run.step_index(), command);
        self.samples.forget_after(self.run.step_index());
        Ok(created)
    }

    /// Takes hold of a body at a point of it. It is pulled softly towards wherever [`Session::drag`] says.
    pub(crate) fn grab(&mut self, body: BodyId, at: Vec2) {
        let Run::Rigid(run) = &self.run else { return };
        let Some(held) = run.world.get_body(body) else { return };
        self.hold(Pull::Plane(Hold { body, local: held.local_point(at), target: at }));
    }

    /// Takes hold of a body in space at a point of it. It is pulled softly towards wherever
    /// [`Session::drag_in_space`] says.
    pub(crate) fn grab_in_space(&mut self, body: carom3d::BodyId, at: DVec3) {
        let Run::Solid(run) = &self.run else { return };
        let Some(held) = run.scene.world.get_body(body) else { return };
        self.hold(Pull::Space(Hold { body, local: held.local_point(at), target: at }));
    }

    fn hold(&mut self, pull: Pull) {
        let mark = self.mark("throw");
        self.remember_mark(mark);
        self.history.forget_after(self.run.step_index());
        self.samples.forget_after(self.run.step_index());
        self.pull = Some(pull);
    }

    /// Moves the hand. While time stands still the body follows at once.
    pub(crate) fn drag(&mut self, to: Vec2) {
        let Some(Pull::Plane(hold)) = &mut self.pull else { return };
        if !to.is_finite() {
            return;
        }
        hold.target = to;
        let hold = *hold;
        if !self.paused {
            return;
        }
        if let Run::Rigid(run) = &self.run
            && let Some(body) = run.world.get_body(hold.body)
        {
            let position = body.position() + (to - body.world_point(hold.local));
            self.command_silently(Command::Place { body: hold.body, position }).ok();
            self.remember_poses();
        }
    }

    /// Moves the hand in space. While time stands still the body follows at once.
    pub(crate) fn drag_in_space(&mut self, to: DVec3) {
        let Some(Pull::Space(hold)) = &mut self.pull else { return };
        if !to.is_finite() {
            return;
        }
        hold.target = to;
        let hold = *hold;
        if !self.paused {
            return;
        }
        let Run::Solid(run) = &self.run else { return };
        let index = run.scene.bodies().position(|id| id == hold.body);
        let (Some(index), Some(body)) = (index, run.scene.world.get_body(hold.body)) else { return };
        let DVec3 { x, y, z } = body.position() + (to - body.world_point(hold.local));
        self.put(format!("body.{index}.position"), format!("{x}, {y}, {z}"));
    }

    /// Takes hold of a particle. It is pulled softly towards wherever [`Session::drag_particle`] says.
    pub(crate) fn grab_particle(&mut self, particle: usize, at: Vec2) {
        let Run::Particles(run) = &self.run else { return };
        if self.run.last_step().is_none() && particle < run.scene.system.particle_count() {
            self.hold(Pull::Particle(Hold { body: particle, local: Vec2::ZERO, target: at }));
        }
    }

    /// Moves the hand that holds a particle. While time stands still the particle follows at once.
    pub(crate) fn drag_particle(&mut self, to: Vec2) {
        let Some(Pull::Particle(hold)) = &mut self.pull else { return };
        if !to.is_finite() {
            return;
        }
        hold.target = to;
        let particle = hold.body;
        if self.paused {
            self.put(format!("particle.{particle}.position"), format!("{}, {}", to.x, to.y));
        }
    }

    /// Sets a place by hand, many times a second.
    fn put(&mut self, path: String, value: String) {
        self.command_silently(Command::Edit(crate::console::Edit::Set { path, value })).ok();
        self.remember_poses();
    }

    /// Lets go of the body.
    pub(crate) fn release(&mut self) {
        self.pull = None;
    }

    /// Undoes the last change: everything is as it was just before, time included.
    pub(crate) fn undo(&mut self) -> Option<String> {
        let mark = self.undo.pop()?;
        Some(self.swap(mark, true))
    }

    /// Does again what was undone last.
    pub(crate) fn redo(&mut self) -> Option<String> {
        let mark = self.redo.pop()?;
        Some(self.swap(mark, false))
    }

    /// Goes to a mark, and makes one of the present for the way back.
    fn swap(&mut self, mark: Mark, back: bool) -> String {
        self.release();
        self.seeking = None;
        let Mark { label, run, at, tail } = mark;
        let here = self.history.mark(self.step_index());
        let run_here = std::mem::replace(&mut self.run, run);
        let tail_here = if back { Some(self.history.cut(&at, &self.run)) } else { None };
        if let Some(tail) = tail {
            self.history.append(tail);
        }
        let other = Mark { label: label.clone(), run: run_here, at: here, tail: tail_here };
        if back {
            self.redo.push(other);
        } else {
            self.undo.push(other);
        }
        self.samples.forget_after(self.step_index());
        self.remember_poses();
        label
    }

    fn mark(&mut self, label: &str) -> Mark {
        Mark { label: label.to_owned(), run: self.run.clone(), at: self.history.mark(self.step_index()), tail: None }
    }

    fn remember_mark(&mut self, mark: Mark) {
        self.redo.clear();
        let same = self.undo.last().is_some_and(|last| {
            last.label == mark.label
                && mark.at.step >= last.at.step
                && mark.at.step - last.at.step < SAME_CHANGE_STEPS
                && Command::is_continuous(&mark.label)
        });
        if !same {
            self.undo.push(mark);
        }
        let size = history::bytes_of(&self.run).max(1);
        let most = (UNDO_BYTES / size).clamp(1, MOST_UNDO);
        if self.undo.len() > most {
            self.undo.drain(..self.undo.len() - most);
        }
    }
}
