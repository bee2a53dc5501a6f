//! A part of the past on its own, for movies and recordings.

use super::history::Inputs;
use carom_scenes::Run;

/// A run that does again what was done, up to some step.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    run: Run,
    inputs: Inputs,
    start: u32,
    end: u32,
}

impl Replay {
    pub(super) fn new(run: Run, inputs: Inputs, end: u32) -> Replay {
        Replay { start: run.step_index(), run, inputs, end }
    }

    /// What came before does not count.
    pub(super) fn begin_here(&mut self) {
        self.start = self.run.step_index();
    }

    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    /// The run, to be recorded.
    pub(super) fn run_mut(&mut self) -> &mut Run {
        &mut self.run
    }

    /// How many steps there are in all.
    pub(crate) fn steps(&self) -> u32 {
        self.end - self.start
    }

    pub(crate) fn is_over(&self) -> bool {
        self.run.step_index() >= self.end
    }

    /// From 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        f64::from(self.run.step_index() - self.start) / f64::from(self.steps().max(1))
    }

    pub(crate) fn step(&mut self) {
        if let Some(pull) = self.inputs.pull_at(self.run.step_index()) {
            pull.apply(&mut self.run);
        }
        super::step_run(&mut self.run);
        self.inputs.replay_changes(&mut self.run);
    }
}
