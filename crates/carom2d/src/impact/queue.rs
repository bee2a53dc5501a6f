//! Which blocks may rebound, in how many passes, and which bodies have been hit since a block was last looked at.

use super::landed::{Landing, list_landings};
use crate::math::{max, min};
use crate::solver::{BlockExtras, ContactBlock};
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// Passes over the contacts per sub-step; a row of touching balls needs one for every two.
const MAX_PASSES: u32 = 12;
/// Passes for a light body between heavy ones, which are two hits each. One of `R` times its mass that drives it against
/// a wall needs `pi sqrt(R)` hits to be turned round, so this is for `R` = 16,000.
pub(crate) const MOST_PASSES: u32 = 200;
/// The mass ratio from which [`MAX_PASSES`] are not enough.
const HEAVY: f32 = 58.0;
/// Passes for contacts without restitution: a body that falls onto one that rests on the ground gives up the share
/// `m_b / (m_a + m_b)` of its speed in each.
const DULL_PASSES: u32 = 40;
/// Passes at the lowest restitution: the two points of a contact alone may take three, one after the other.
pub(crate) const LEAST_PASSES: u32 = 3;

/// In how many passes a contact with this restitution may rebound. A row of bodies transmits the share `e` of an impulse
/// from each to the next; passes go on until a hundredth of it is left. A contact without restitution is in the queue
/// because it was found late, which is rare, or because the impact was foreseen.
///
/// A light body may bounce many times between a heavy one and another, or a wall. Only such contacts, by the inverse
/// masses, get more passes: among bodies of equal mass, impacts that follow each other for longer do not change what is
/// seen.
fn rebound_passes(restitution: f32, is_foreseen: bool, inv_masses: [f32; 2]) -> u32 {
    if restitution == 0.0 {
        return if is_foreseen { DULL_PASSES } else { MAX_PASSES };
    }
    let (mut passes, mut share) = (LEAST_PASSES, restitution);
    while share > 0.01 && passes < MAX_PASSES {
        passes += 1;
        share *= restitution;
    }
    let [a, b] = inv_masses;
    if passes == MAX_PASSES && max(a, b) > HEAVY * min(a, b) { MOST_PASSES } else { passes }
}

/// In how many passes a contact may rebound.
pub(crate) fn passes_of(block: &ContactBlock, extras: &BlockExtras, lane: usize) -> u32 {
    let [(a, _), (b, _)] = block.inv_masses(extras, lane);
    rebound_passes(extras.restitution.0[lane], extras.impacts >> lane & 1 != 0, [a.x, b.x])
}

/// The blocks that may rebound, when each was last examined, and when each body was last impacted. A block is examined
/// again only if one of its bodies has been impacted since: in a heap few are after the first pass.
#[derive(Debug, Default)]
pub(crate) struct RestitutionQueue {
    /// The blocks with contacts that may rebound, in the order of solving.
    pub(crate) candidates: Vec<Candidate>,
    /// Where the candidates of each colour begin and end.
    pub(crate) colors: Vec<Range<usize>>,
    /// When each awake body was last impacted; time counts colours, from 1 in each step.
    pub(crate) impacted: Vec<AtomicU32>,
    pub(crate) time: u32,
    /// Contacts that may land without a rebound.
    pub(crate) landings: Vec<Landing>,
}

/// A block, and when it was last examined in this sub-step; 0 if it was not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) block: u32,
    /// How many passes there are for the bounciest contact of the block.
    pub(crate) passes: u32,
    pub(crate) time: u32,
}

impl Clone for RestitutionQueue {
    /// An empty queue: it is made again in each step.
    fn clone(&self) -> RestitutionQueue {
        RestitutionQueue::default()
    }
}

impl RestitutionQueue {
    /// Lists the blocks with contacts that may rebound.
    pub(crate) fn list(&mut self, colors: &[Range<usize>], extras: &[BlockExtras]) {
        self.clear();
        for color in colors {
            let first = self.candidates.len();
            let rebounding = color.clone().filter(|&block| extras[block].rebounding != 0);
            self.candidates.extend(rebounding.map(|block| Candidate {
                block: block as u32,
                passes: extras[block].rebound_passes,
                time: 0,
            }));
            for candidate in &self.candidates[first..] {
                list_landings(&mut self.landings, candidate.block as usize, &extras[candidate.block as usize]);
            }
            if self.candidates.len() > first {
                self.colors.push(first..self.candidates.len());
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.candidates.clear();
        self.colors.clear();
        self.impacted.clear();
        self.landings.clear();
        self.time = 0;
    }

    /// Makes every block a candidate for the next sub-step.
    pub(crate) fn start(&mut self, bodies: usize) {
        self.impacted.resize_with(bodies, AtomicU32::default);
        for candidate in &mut self.candidates {
            candidate.time = 0;
        }
    }
}
