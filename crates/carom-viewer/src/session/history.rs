//! Keyframes and inputs, from which every step of the past can be made again.
//!
//! A keyframe is the whole state after some number of steps. Between keyframes only what the user did is
//! kept: the engine makes the same bits of the same input, so the steps in between need not be stored.

use super::command::Command;
use super::pull::Pull;
use carom_scenes::Run;

/// Steps between keyframes at first.
const FIRST_SPACING: u32 = 20;
/// Steps between keyframes at most; after that the oldest are dropped.
const LAST_SPACING: u32 = 320;

#[derive(Clone, Debug)]
struct Keyframe {
    /// How many steps it is after. Changes made at this step are not in it.
    step: u32,
    run: Run,
    bytes: usize,
}

/// Something that the user did.
#[derive(Clone, Debug)]
struct Change {
    /// At which step.
    step: u32,
    /// Changes are numbered in the order in which they were made.
    number: u64,
    command: Command,
}

/// Everything that the user did.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    /// Changes, in order.
    changes: Vec<Change>,
    /// Pulls of the hand during the step after this many, in order.
    pulls: Vec<(u32, Pull)>,
}

impl Inputs {
    /// Does again what was done at the step at which `run` is.
    pub(super) fn replay_changes(&self, run: &mut Run) {
        let step = run.step_index();
        let first = self.changes.partition_point(|change| change.step < step);
        for change in self.changes[first..].iter().take_while(|change| change.step == step) {
            // It worked before, on the same bits.
            change.command.apply(run).ok();
        }
    }

    pub(super) fn pull_at(&self, step: u32) -> Option<Pull> {
        let place = self.pulls.partition_point(|(at, _)| *at < step);
        self.pulls.get(place).filter(|(at, _)| *at == step).map(|(_, pull)| *pull)
    }
}

/// The past of a run.
#[derive(Debug)]
pub(super) struct History {
    keyframes: Vec<Keyframe>,
    inputs: Inputs,
    /// The number of the next change.
    next_number: u64,
    /// How many steps are known.
    head: u32,
    spacing: u32,
    budget: usize,
}

/// A place in the history.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) step: u32,
    /// The number of the first change after it.
    number: u64,
}

/// What was cut off a history.
#[derive(Debug)]
pub(super) struct Tail {
    keyframes: Vec<Keyframe>,
    changes: Vec<Change>,
    pulls: Vec<(u32, Pull)>,
    head: u32,
}

/// Roughly how much memory a state takes.
pub(super) fn bytes_of(run: &Run) -> usize {
    match run {
        Run::Rigid(run) => {
            let world = &run.world;
            4096 + 640 * world.body_count() + 640 * world.shape_count() + 800 * world.contact_count()
        }
        Run::Particles(run) => {
            let trails: usize = run.trails().iter().map(|trail| trail.len()).sum();
            4096 + 256 * run.scene.system.particle_count() + 128 * run.scene.system.edges().len() + 16 * trails
        }
        Run::Solid(run) => {
            let world = &run.scene.world;
            // Surfaces and what is drawn of walls come along with the world.
            8192 + 1024 * world.body_count() + 256 * world.spring_count() + 512 * world.contact_count()
        }
    }
}

impl History {
    pub(super) fn new(run: &Run, budget: usize) -> History {
        let mut history = History {
            keyframes: Vec::new(),
            inputs: Inputs::default(),
            next_number: 0,
            head: run.step_index(),
            spacing: FIRST_SPACING,
            budget,
        };
        history.keep(run);
        history
    }

    pub(super) fn first(&self) -> u32 {
        self.keyframes.first().map_or(self.head, |key| key.step)
    }

    pub(super) fn head(&self) -> u32 {
        self.head
    }

    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    pub(super) fn kept(&self) -> (usize, usize) {
        (self.keyframes.len(), self.keyframes.iter().map(|key| key.bytes).sum())
    }

    fn keep(&mut self, run: &Run) {
        self.keyframes.push(Keyframe { step: run.step_index(), run: run.clone(), bytes: bytes_of(run) });
        // The first and the last stay whatever they take.
        while self.kept().1 > self.budget && self.keyframes.len() > 2 {
            if self.spacing < LAST_SPACING {
                self.spacing *= 2;
                let (first, spacing) = (self.first(), self.spacing);
                self.keyframes.retain(|key| (key.step - first).is_multiple_of(spacing));
            } else {
                self.keyframes.remove(0);
                let first = self.first();
                self.inputs.changes.retain(|change| change.step >= first);
                self.inputs.pulls.retain(|(step, _)| *step >= first);
            }
        }
    }

    /// A step was made that is not part of the past yet.
    pub(super) fn extend(&mut self, run: &Run) {
        self.head = run.step_index();
        let last = self.keyframes.last().map_or(0, |key| key.step);
        if self.head >= last + self.spacing {
            self.keep(run);
        }
    }

    // ---- going back -----------------------------------------------------------------------------

    /// The step of the last keyframe at or before a step, and its place.
    pub(super) fn before(&self, step: u32) -> (u32, usize) {
        let place = self.keyframes.partition_point(|key| key.step <= step).saturating_sub(1);
        (self.keyframes[place].step, place)
    }

    /// The last keyframe at or before a step, with the changes made at it.
    pub(super) fn restore(&self, step: u32) -> Run {
        let mut run = self.keyframes[self.before(step).1].run.clone();
        self.replay_changes(&mut run);
        run
    }

    /// Does again what was done at the step at which `run` is.
    pub(super) fn replay_changes(&self, run: &mut Run) {
        self.inputs.replay_changes(run);
    }

    /// Was anything done to the scene, as far as is known?
    pub(super) fn is_changed(&self) -> bool {
        !(self.inputs.changes.is_empty() && self.inputs.pulls.is_empty())
    }

    pub(super) fn pull_at(&self, step: u32) -> Option<Pull> {
        self.inputs.pull_at(step)
    }

    /// Everything that was done before a step.
    pub(super) fn inputs(&self, before: u32) -> Inputs {
        let changes = self.inputs.changes.partition_point(|change| change.step < before);
        let pulls = self.inputs.pulls.partition_point(|(at, _)| *at < before);
        Inputs { changes: self.inputs.changes[..changes].to_vec(), pulls: self.inputs.pulls[..pulls].to_vec() }
    }

    // ---- writing --------------------------------------------------------------------------------

    pub(super) fn record_change(&mut self, step: u32, command: Command) {
        self.inputs.changes.push(Change { step, number: self.next_number, command });
        self.next_number += 1;
    }

    pub(super) fn record_pull(&mut self, step: u32, pull: Pull) {
        if self.inputs.pulls.last().is_none_or(|(last, _)| *last < step) {
            self.inputs.pulls.push((step, pull));
        }
    }

    /// Nothing is known of what comes after this step.
    pub(super) fn forget_after(&mut self, step: u32) {
        self.keyframes.retain(|key| key.step <= step);
        self.inputs.changes.retain(|change| change.step <= step);
        self.inputs.pulls.retain(|(at, _)| *at < step);
        self.head = self.head.min(step);
    }

    pub(super) fn mark(&self, step: u32) -> Mark {
        let next = self.inputs.changes.partition_point(|change| change.step <= step);
        Mark { step, number: self.inputs.changes.get(next).map_or(self.next_number, |change| change.number) }
    }

    /// Takes away everything after a mark. `run` is the state there.
    pub(super) fn cut(&mut self, mark: &Mark, run: &Run) -> Tail {
        let keyframes = self.keyframes.partition_point(|key| key.step <= mark.step);
        let changes = self.inputs.changes.partition_point(|change| change.number < mark.number);
        let pulls = self.inputs.pulls.partition_point(|(at, _)| *at < mark.step);
        let tail = Tail {
            keyframes: self.keyframes.split_off(keyframes),
            changes: self.inputs.changes.split_off(changes),
            pulls: self.inputs.pulls.split_off(pulls),
            head: self.head,
        };
        self.head = mark.step;
        if self.keyframes.is_empty() {
            // So long ago that the past does not reach there any more: it begins again.
            self.keep(run);
        }
        tail
    }

    /// Puts back what was cut off.
    pub(super) fn append(&mut self, tail: Tail) {
        self.keyframes.extend(tail.keyframes);
        self.inputs.changes.extend(tail.changes);
        self.inputs.pulls.extend(tail.pulls);
        self.head = tail.head;
    }
}
