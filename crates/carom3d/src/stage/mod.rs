//! The stages of a step, one file each, in the order of [`Stage`].

mod carry;
pub(crate) mod finish;
pub(crate) mod impacts;
pub(crate) mod pairs;
pub(crate) mod plan;
pub(crate) mod rest;
pub(crate) mod shared;
pub(crate) mod sleep;
pub(crate) mod survey;

use crate::body::Mover;
use crate::world::World;
use carom_threads::{Crew, Parts};
use std::fmt;

/// The stages of a step, in order. Timers and profiles go by these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The motion of every body under its forces, to the end of the step.
    Plan,
    /// Broad phase: boxes around the paths give new pairs.
    Pairs,
    /// Forces between bodies that rest on each other.
    Rest,
    /// Impacts in the order of time.
    Impacts,
    /// New states; overlaps are undone; pairs that parted are forgotten.
    Finish,
    /// What is at rest falls asleep.
    Sleep,
}

/// How many stages there are.
pub(crate) const STAGE_COUNT: usize = 6;

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; STAGE_COUNT] =
        [Stage::Plan, Stage::Pairs, Stage::Rest, Stage::Impacts, Stage::Finish, Stage::Sleep];

    /// The stage's name, as in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Plan => "plan",
            Stage::Pairs => "pairs",
            Stage::Rest => "rest",
            Stage::Impacts => "impacts",
            Stage::Finish => "finish",
            Stage::Sleep => "sleep",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Fewer movers than this are not worth another thread.
const LEAST_SHARED: usize = 256;

impl World {
    /// Does something with every mover that is awake.
    pub(crate) fn for_awake(&mut self, crew: &Crew<'_>, work: impl Fn(&mut Mover) + Sync) {
        let movers = Parts::of(self.movers.slots_mut());
        let awake = &self.awake;
        crew.for_ranges(awake.len(), crew.grain(awake.len(), LEAST_SHARED), |range| {
            for &mover in &awake[range] {
                // SAFETY: no body is on the list twice (`World::validate` checks it).
                #[allow(unsafe_code)]
                let slot = unsafe { movers.item(mover as usize) };
                work(slot.value_mut());
            }
        });
    }
}
