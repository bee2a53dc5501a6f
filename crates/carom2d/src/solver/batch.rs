//! Bodies that go through the sub-steps together, with the constraints between them.

use super::system::{Problem, System};
use super::{BlockExtras, BodyList, BodyMass, ContactBlock, DriveBlock};
use crate::body::{Body, BodyId, BodyState};
use crate::contact::{Contact, ContactId};
use crate::impact::queue::RestitutionQueue;
use crate::joint::constraint::JointConstraints;
use crate::joint::{Joint, JointId};
use crate::stage::kinematic::Ramp;
use crate::stage::turn::Turning;
use carom_core::Pool;
use std::ops::Range;

/// All of the world that is in no group, or a group of small islands (`stage/groups.rs`).
pub(crate) struct Batch<'a> {
    pub(crate) bodies: BodyList<'a>,
    /// One for each of them.
    pub(crate) masses: &'a [BodyMass],
    pub(crate) states: &'a mut [BodyState],
    /// One for each sixteen of them, and one for the rest.
    pub(crate) drives: &'a mut [DriveBlock],
    /// Contacts in the order of solving, and what passes seldom read of them.
    pub(crate) blocks: &'a mut [ContactBlock],
    pub(crate) extras: &'a mut [BlockExtras],
    /// Where each colour's blocks begin and end. The first ones are solved by passes, the others exactly.
    pub(crate) colors: &'a [Range<usize>],
    pub(crate) passed: usize,
    /// Contacts whose normals turn within the step.
    pub(crate) turning: &'a [Turning],
    /// Blocks that may rebound.
    pub(crate) rebounds: &'a mut RestitutionQueue,
    /// What groups have none of.
    pub(crate) coupled: Option<Coupled<'a>>,
    /// The number of the sub-step, from 0.
    pub(crate) substep: u32,
}

/// What ties bodies together over more than two, or moves them by itself.
pub(crate) struct Coupled<'a> {
    pub(crate) joints: &'a mut JointConstraints,
    pub(crate) system: &'a mut System,
    /// Load paths that are solved exactly (`stage/burdens.rs`): blocks and lanes.
    pub(crate) paths: &'a [Vec<(u32, u8)>],
    pub(crate) ramps: &'a [Ramp],
    /// The place of each body among those of the batch.
    pub(crate) places: &'a [u32],
    pub(crate) bodies: &'a Pool<Body, BodyId>,
    pub(crate) contacts: &'a Pool<Contact, ContactId>,
    pub(crate) joint_pool: &'a Pool<Joint, JointId>,
}

impl Batch<'_> {
    /// How many of the blocks are solved by passes: the first ones.
    pub(crate) fn passed_blocks(&self) -> usize {
        self.colors[..self.passed].last().map_or(0, |color| color.end)
    }

    /// Solves something exactly, where there are joints or load paths.
    pub(crate) fn solve_exactly(&mut self, work: impl FnOnce(&mut System, &mut Problem<'_>)) {
        let Some(Coupled { joints, system, bodies, .. }) = &mut self.coupled else { return };
        let mut problem = Problem {
            sims: self.bodies.awake,
            states: &mut *self.states,
            bodies,
            joints: &mut joints.joints,
            gears: &mut joints.gears,
            blocks: &mut *self.blocks,
            extras: &mut *self.extras,
            substep: self.substep,
        };
        work(system, &mut problem);
    }
}
