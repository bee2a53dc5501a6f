//! What a step uses and could be thrown away after it: lists, blocks and systems, kept from step to step to reuse their memory.

use crate::joint::constraint::JointConstraints;
use crate::snapshot::Staging;
use crate::solver::system::System;
use crate::solver::{Batch, BodyList, Constraints, Coupled};
use crate::stage::color::Coloring;
use crate::stage::contacts::Narrow;
use crate::stage::continuous::Sweeps;
use crate::stage::finalize::Finished;
use crate::stage::groups::Groups;
use crate::stage::pairs::PairSearch;
use crate::stage::recover::Pushes;
use crate::stage::sensors::Sensing;
use crate::stage::store_impulses::Storing;
use crate::teaching::sequential::PointConstraint;
use crate::world::WorldState;

/// What a step uses. Nothing of it decides a result of the next step, so a clone begins without.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) pairs: PairSearch,
    pub(crate) narrow: Narrow,
    pub(crate) coloring: Coloring,
    pub(crate) constraints: Constraints,
    pub(crate) joints: JointConstraints,
    /// What is solved exactly.
    pub(crate) system: System,
    /// Mechanisms that are closed after the last sub-step.
    pub(crate) closing: System,
    /// Islands that are solved apart from all others.
    pub(crate) groups: Groups,
    /// Of the textbook solver.
    pub(crate) points: Vec<PointConstraint>,
    pub(crate) pushes: Pushes,
    pub(crate) storing: Storing,
    pub(crate) finished: Finished,
    pub(crate) sweeps: Sweeps,
    pub(crate) sensing: Sensing,
    pub(crate) staging: Staging,
}

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}

/// All bodies and constraints that are in no group, as they go through the sub-steps.
pub(crate) fn whole_batch<'a>(
    world: &'a mut WorldState,
    constraints: &'a mut Constraints,
    joints: &'a mut JointConstraints,
    system: &'a mut System,
) -> Batch<'a> {
    let WorldState { sets, bodies, contacts, joints: joint_pool, ramps, burdens, .. } = world;
    let (places, awake) = sets.places_and_awake();
    let Constraints { masses, drives, blocks, extras, colors, passed, turning, rebounds, .. } = constraints;
    let paths = burdens.paths();
    Batch {
        bodies: BodyList::all(&awake.sims),
        masses,
        // None at all if all bodies are in groups.
        states: &mut awake.states[..masses.len()],
        drives,
        blocks,
        extras,
        colors,
        passed: *passed,
        turning,
        rebounds,
        coupled: Some(Coupled { joints, system, paths, ramps, places, bodies, contacts, joint_pool }),
        substep: 0,
    }
}
