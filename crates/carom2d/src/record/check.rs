//! A fingerprint of what is awake, fine enough to say which body differs first.
//!
//! Each awake body has a hash of its pose, its velocities and its slot. Bodies are grouped by their slots, into groups of one
//! up to [`GROUPS`] slots and of a power of two beyond; a group has the sum of its bodies' hashes, which does not depend on
//! their order. Of the sums a recording keeps 16 bits, where they changed since the check before, and a hash of all of them
//! at full length. That bounds what a check takes, in bytes and in time, and costs nothing for what sleeps: what falls asleep
//! or wakes changes the sum of its group.

use super::wire::{Source, Wire};
use crate::body::BodyId;
use crate::world::World;

/// The most groups.
const GROUPS: usize = 1024;

/// The fingerprint of a step, and the memory to take the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingerprint {
    sums: Vec<u64>,
    /// Slots of a group, as a power of two.
    shift: u32,
    total: u64,
    /// The short sums of the check before.
    before: Vec<u16>,
}

/// A fingerprint as recorded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Check {
    total: u64,
    short: Vec<u16>,
}

impl Fingerprint {
    /// Takes that of a world.
    pub(super) fn take(&mut self, world: &World) {
        let slots = world.state.bodies.slot_count();
        self.shift = 0;
        while slots >> self.shift > GROUPS {
            self.shift += 1;
        }
        self.sums.clear();
        self.sums.resize((slots >> self.shift) + 1, 0);
        let awake = world.state.sets.awake();
        for (sim, state) in awake.sims.iter().zip(&awake.states) {
            // Zero has two signs; they mean the same state.
            let bits = |number: f32| u64::from((number + 0.0).to_bits());
            let pair = |a: f32, b: f32| bits(a) << 32 | bits(b);
            let words = [
                pair(sim.center.x, sim.center.y),
                pair(sim.rotation.c, sim.rotation.s),
                pair(state.velocity.x, state.velocity.y),
                bits(state.angular_velocity),
            ];
            let hash = words.into_iter().fold(mix(0, u64::from(sim.body)), mix);
            let sum = &mut self.sums[(sim.body >> self.shift) as usize];
            *sum = sum.wrapping_add(hash ^ hash >> 32);
        }
        self.total = self.sums.iter().fold(0, |total, &sum| mix(total, sum));
        self.total ^= self.total >> 32;
    }

    /// Writes the fingerprint that was taken last.
    pub(super) fn put(&mut self, to: &mut Vec<u8>) {
        self.total.put(to);
        let count = self.sums.len();
        (count as u16).put(to);
        if self.before.len() != count {
            self.before.clear();
            self.before.resize(count, 0);
        }
        let mask = to.len();
        to.resize(mask + count.div_ceil(8), 0);
        for (group, (&sum, before)) in self.sums.iter().zip(&mut self.before).enumerate() {
            let short = shortened(sum);
            if short != *before {
                *before = short;
                to[mask + group / 8] |= 1 << (group % 8);
                short.put(to);
            }
        }
    }

    /// Reads a fingerprint. `before` is the state between checks, of this one alone.
    pub(super) fn get(&mut self, from: &mut Source<'_>) -> Option<Check> {
        let total = u64::get(from)?;
        let count = usize::from(u16::get(from)?);
        if count > GROUPS + 1 {
            return None;
        }
        if self.before.len() != count {
            self.before.clear();
            self.before.resize(count, 0);
        }
        let mask = from.take(count.div_ceil(8))?;
        for (group, short) in self.before.iter_mut().enumerate() {
            if mask[group / 8] >> (group % 8) & 1 != 0 {
                *short = u16::get(from)?;
            }
        }
        Some(Check { total, short: self.before.clone() })
    }

    /// The bodies of the first group that differs, if the fingerprint that was taken last differs from a check. They may be
    /// none, for a body that the world does not have.
    pub(super) fn difference(&self, world: &World, check: &Check) -> Option<Vec<BodyId>> {
        if self.total == check.total {
            return None;
        }
        let found = self.sums.iter().map(|&sum| shortened(sum));
        let first = found.zip(&check.short).position(|(found, recorded)| found != *recorded);
        // Otherwise the 16 bits agree by chance.
        let Some(first) = first else { return Some(Vec::new()) };
        let slots = first << self.shift..(first + 1) << self.shift;
        Some(slots.filter_map(|slot| world.state.bodies.id_at(u32::try_from(slot).ok()?)).collect())
    }
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

fn shortened(sum: u64) -> u16 {
    (sum ^ sum >> 16 ^ sum >> 32 ^ sum >> 48) as u16
}
