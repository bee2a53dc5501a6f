//! Snapshots: all that decides a world's future, as bytes.
//!
//! | file | holds |
//! |---|---|
//! | `rows.rs` | how numbers become bytes, and the checksum |
//! | `settings.rs` | definition of the world, clock, counters |
//! | `slots.rs` | which slots of the pools are in use |
//! | `bodies.rs` | solver sets with their bodies, and the lists of what belongs to them |
//! | `shapes.rs`, `outlines.rs` | shapes and their geometries |
//! | `contacts.rs` | contacts, their impulses and colours |
//! | `joints.rs` | joints and their colours |
//! | `rest.rs` | islands, fluids, ramps, what is still to be reported |
//! | `swap.rs` | putting what was read into the world, and making up what follows from it |
//!
//! Each of them writes and reads side by side. A restore reads everything into a state of its own (`Staged`), where it is
//! checked as far as safety and the invariants of [`World::validate`] depend on it. Only then the two are swapped, so a
//! snapshot that is refused changes nothing, and the next restore reuses the memory.
//!
//! What follows from the rest is not kept but recomputed: boxes in the broad phase, the set of pairs, lists of what is
//! awake, forms, leases, masks of colours, links of islands, links of contact lists, blocks of constraints. Neither are the
//! events of the last step, nor what no result depends on: threads, lane width, broad phase, timers.

mod bodies;
mod contacts;
mod joints;
mod outlines;
mod rest;
mod rows;
mod settings;
mod shapes;
mod slots;
mod swap;
#[cfg(test)]
mod tests;

use crate::attach::{Shape, ShapeId};
use crate::body::{Body, BodyId};
use crate::contact::{Contact, ContactId, Edge};
use crate::events::Events;
use crate::fluid::{Fluid, FluidId};
use crate::joint::{Joint, JointId};
use crate::record::Call;
use crate::sets::SolverSets;
use crate::stage::kinematic::Ramp;
use crate::stage::preload::Preloads;
use crate::world::{World, WorldState};
use carom_core::{BitSet, ColorGraph, Islands, PairSet, Pool};
pub(crate) use outlines::{geometry_from_bytes, geometry_to_bytes};
pub(crate) use rows::checksum;
use rows::{Reader, Writer};
use settings::Settings;
use slots::Slots;
use std::fmt;

/// What a snapshot begins with.
const MAGIC: [u8; 8] = *b"carom2d\x1b";
/// The version of the bytes. It grows whenever they change in any way.
const VERSION: u32 = 1;
/// Magic, version, length of what follows the header, and its checksum.
const HEADER: usize = 8 + 4 + 8 + 8;

/// Why a snapshot was refused. The world is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin as those of a snapshot of a 2D world.
    Foreign,
    /// They were written by a version of the engine with another format.
    Version {
        /// Of the bytes.
        found: u32,
        /// Of this engine.
        expected: u32,
    },
    /// There are fewer or more bytes than were written.
    Length {
        /// How many there are.
        found: u64,
        /// How many there should be, as far as that is known.
        expected: u64,
    },
    /// Some bytes are not those that were written.
    Damaged,
    /// The bytes are as they were written, but not by [`World::save`]: what they say of this cannot be.
    Corrupt(&'static str),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::Foreign => f.write_str("these bytes are no snapshot of a 2D world"),
            SnapshotError::Version { found, expected } => {
                write!(f, "the snapshot has format {found}, and this engine reads {expected}; make a new one")
            }
            SnapshotError::Length { found, expected } => {
                write!(f, "the snapshot has {found} bytes instead of {expected}; it was cut off or added to")
            }
            SnapshotError::Damaged => f.write_str("the snapshot is damaged: its checksum is another one"),
            SnapshotError::Corrupt(what) => write!(f, "the snapshot is of no world: {what} cannot be as it says"),
        }
    }
}

impl std::error::Error for SnapshotError {}

/// The state that a restore reads into. Holds garbage between two restores.
#[derive(Debug, Default)]
struct Staged {
    settings: Settings,
    bodies: Pool<Body, BodyId>,
    shapes: Pool<Shape, ShapeId>,
    contacts: Pool<Contact, ContactId>,
    joints: Pool<Joint, JointId>,
    fluids: Pool<Fluid, FluidId>,
    sets: SolverSets,
    pairs: PairSet,
    colors: ColorGraph,
    joint_colors: ColorGraph,
    islands: Islands,
    compounds: crate::compound::Compounds,
    ramps: Vec<Ramp>,
    preloads: Preloads,
    /// Bodies that were moved out of overlaps in the last step: they did not come by their own motion.
    pushed_apart: BitSet,
    log: Events,
    /// What is known of slots before they are filled.
    slots: Slots,
    /// Bodies and neighbours of each contact, from the lists of bodies.
    links: Vec<Link>,
    /// The body of each shape, and of each joint how many lists of bodies name it.
    body_of_shape: Vec<u32>,
    listings: Vec<u8>,
    indices: Vec<u32>,
}

/// Where a contact is in the lists of its bodies.
#[derive(Clone, Copy, Debug)]
struct Link {
    bodies: [u32; 2],
    edges: [Edge; 2],
}

/// Memory of the last restore.
#[derive(Debug, Default)]
pub(crate) struct Staging(Option<Box<Staged>>);

impl World {
    /// Writes all that decides the world's future into a buffer, in place of what is in there. A buffer that is used again
    /// costs no allocation once it is large enough.
    ///
    /// What was changed since the last step is included, and [`World::events`] of that step are not.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let ball = world.add_body(BodyDef { velocity: vec2(3.0, 0.0), ..BodyDef::dynamic() })?;
    /// let mut snapshot = Vec::new();
    /// world.save(&mut snapshot);
    /// world.step(0.02);
    /// let hash = world.state_hash();
    /// world.restore(&snapshot).expect("a snapshot of this version");
    /// assert_eq!(world.body(ball).position(), vec2(0.0, 0.0));
    /// world.step(0.02);
    /// assert_eq!(world.state_hash(), hash);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn save(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 16]);
        let mut writer = Writer::new(bytes);
        settings::write(&self.state, &mut writer);
        slots::write(&self.state, &mut writer);
        bodies::write(&self.state, &mut writer);
        shapes::write(&self.state, &mut writer);
        contacts::write(&self.state, &mut writer);
        joints::write(&self.state, &mut writer);
        rest::write(&self.state, &mut writer);
        writer.finish();
        let (head, body) = bytes.split_at_mut(HEADER);
        head[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
        head[20..28].copy_from_slice(&checksum(body).to_le_bytes());
    }

    /// Puts the world into the state that [`World::save`] wrote: this world's own, at any time, or that of another one with
    /// the same or other things in it. It goes on from there as that one did, to the last bit, on any number of threads, at
    /// any lane width and on any machine.
    ///
    /// Handles to what the snapshot has are valid, others are not. Handles of another world have to be sent as bits, as
    /// to any copy ([`BodyId::from_bits`]). [`World::events`] are empty until the next step. Threads, broad phase and lane
    /// width stay as they are here, since nothing depends on them.
    ///
    /// # Errors
    /// If the bytes were not written by this version of the engine, or are damaged. The world then is as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let body = body_of(bytes)?;
        let mut staged = self.scratch.staging.0.take().unwrap_or_default();
        let result = staged.read(&self.state, body);
        if result.is_ok() {
            self.note(|| Call::Restore { snapshot: bytes.to_vec() });
            staged.swap(&mut self.state);
            self.events.clear();
        }
        self.scratch.staging.0 = Some(staged);
        result
    }
}

/// What follows the header of a snapshot that is whole.
fn body_of(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    let found = bytes.len() as u64;
    if bytes.len() < MAGIC.len() || bytes[..8] != MAGIC {
        return Err(if MAGIC.starts_with(bytes) && !bytes.is_empty() {
            SnapshotError::Length { found, expected: HEADER as u64 }
        } else {
            SnapshotError::Foreign
        });
    }
    let Some((head, body)) = bytes.split_at_checked(HEADER) else {
        return Err(SnapshotError::Length { found, expected: HEADER as u64 });
    };
    let version = u32::from_le_bytes(head[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(SnapshotError::Version { found: version, expected: VERSION });
    }
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
    if number(12) != body.len() as u64 {
        return Err(SnapshotError::Length { found, expected: number(12).saturating_add(HEADER as u64) });
    }
    if number(20) != checksum(body) {
        return Err(SnapshotError::Damaged);
    }
    Ok(body)
}

impl Staged {
    /// Reads a whole state. Of the world it needs what may be shared or must stay the same.
    fn read(&mut self, world: &WorldState, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = Reader::new(bytes);
        self.read_settings(world, &mut reader)?;
        self.read_slots(world, &mut reader)?;
        self.read_bodies(&mut reader)?;
        self.read_shapes(world, &mut reader)?;
        self.read_contacts(&mut reader)?;
        self.read_joints(&mut reader)?;
        self.read_rest(world, &mut reader)?;
        reader.finish()
    }
}

/// Fails unless something is as it must be.
fn ensure(holds: bool, what: &'static str) -> Result<(), SnapshotError> {
    if holds { Ok(()) } else { Err(SnapshotError::Corrupt(what)) }
}

/// Bits from the lowest on.
fn bits<const N: usize>(flags: [bool; N]) -> u32 {
    flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u32::from(flag))
}

/// Whether a bit is set.
fn bit(bits: u32, place: u32) -> bool {
    bits >> place & 1 != 0
}

/// Are all of these bit patterns of finite numbers?
fn all_finite(words: &[u32]) -> bool {
    words.iter().all(|&word| f32::from_bits(word).is_finite())
}
