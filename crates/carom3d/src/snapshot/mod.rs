//! Snapshots: all that decides a world's future, as bytes.
//!
//! | file | holds |
//! |---|---|
//! | `records.rs` | what is written of each thing |
//! | `check.rs` | what must hold of things that were read, before they become a world |
//!
//! A restore reads everything beside the world and checks it as far as safety and the invariants of [`World::validate`]
//! depend on it. So a snapshot that is refused changes nothing.
//!
//! Trees are kept with their shape, because contacts are numbered in the order in which trees are visited. What follows
//! from the rest is recomputed. Force fields are code and stay with the world, as do threads.

mod check;
mod records;
#[cfg(test)]
mod tests;

use crate::advance::Clock;
use crate::body::{Body, BodyId, Mover, MoverId};
use crate::contact::{Contact, ContactId, Link};
use crate::events::Events;
use crate::math::{Aabb, DVec3};
use crate::spring::{Spring, SpringId};
use crate::world::{World, WorldDef};
use carom_core::{
    Bvh, PairSet, Pool, SnapshotError, SnapshotKind, SnapshotReader, SnapshotWriter, read_pool, write_pool,
};
use records::Record;

const KIND: SnapshotKind = SnapshotKind { magic: *b"carom3d\x1b", version: 1 };

/// The state that a restore reads.
struct Staged {
    def: WorldDef,
    bodies: Pool<Body, BodyId>,
    movers: Pool<Mover, MoverId>,
    springs: Pool<Spring, SpringId>,
    contacts: Pool<Contact, ContactId>,
    mover_tree: Bvh<Aabb>,
    fixed_tree: Bvh<Aabb>,
    planes: Vec<u32>,
    awake: Vec<u32>,
    sleeping: Vec<Vec<u32>>,
    free_groups: Vec<u32>,
    resting: Vec<u32>,
    new_contacts: usize,
    clusters_are_stale: bool,
    log: Events,
    clock: Clock,
    time_s: f64,
    step_length_s: f64,
    step_count: u64,
    // What follows from these.
    links: Vec<Link>,
    pairs: PairSet,
}

impl World {
    /// Writes all that decides the world's future into a buffer, in place of what is in there.
    ///
    /// What was changed since the last step is included; [`World::events`] of that step and force fields are not.
    ///
    /// ```
    /// use carom3d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let ball = world.add_body(BodyDef { velocity: dvec3(3.0, 0.0, 0.0), ..BodyDef::sphere(0.5) })?;
    /// let mut snapshot = Vec::new();
    /// world.save(&mut snapshot);
    /// world.step(0.02);
    /// let hash = world.state_hash();
    /// world.restore(&snapshot).expect("a snapshot of this version");
    /// assert_eq!(world.body(ball).position(), DVec3::ZERO);
    /// world.step(0.02);
    /// assert_eq!(world.state_hash(), hash);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn save(&self, bytes: &mut Vec<u8>) {
        KIND.begin(bytes);
        let writer = &mut SnapshotWriter::new(bytes);
        WorldDef { threads: 1, ..self.def }.write(writer);
        self.time_s.write(writer);
        self.step_length_s.write(writer);
        self.step_count().write(writer);
        write_pool(&self.bodies, writer, |writer, body| body.write(writer));
        write_pool(&self.movers, writer, |writer, mover| mover.write(writer));
        write_pool(&self.springs, writer, |writer, spring| spring.write(writer));
        write_pool(&self.contacts, writer, |writer, contact| contact.write(writer));
        self.mover_tree.write(writer, |writer, bounds| bounds.write(writer));
        self.fixed_tree.write(writer, |writer, bounds| bounds.write(writer));
        self.planes.write(writer);
        self.awake.write(writer);
        self.sleeping.write(writer);
        self.free_groups.write(writer);
        self.resting.write(writer);
        self.new_contacts.write(writer);
        self.clusters_are_stale.write(writer);
        self.log.write(writer);
        self.clock.write(writer);
        KIND.seal(bytes);
    }

    /// Puts the world into the state that [`World::save`] wrote: this world's own, at any time, or that of another one. It
    /// goes on from there as that one did, to the last bit, on any number of threads and on any machine.
    ///
    /// Handles to what the snapshot has are valid, others are not. [`World::events`] are empty until the next step. Force
    /// fields and threads stay as they are here.
    ///
    /// # Errors
    /// If the bytes were not written by this version of the engine, or are damaged. The world then is as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = SnapshotReader::new(KIND.open(bytes)?, self.bodies.origin());
        let mut staged = Staged::read(&mut reader)?;
        reader.finish()?;
        staged.check()?;
        staged.put_into(self);
        Ok(())
    }
}

impl Staged {
    fn read(reader: &mut SnapshotReader<'_>) -> Result<Staged, SnapshotError> {
        let origin = reader.origin();
        let def = WorldDef::read(reader)?;
        def.validate().map_err(|_| SnapshotError::Corrupt("the definition of the world"))?;
        let (time_s, step_length_s, step_count) = (f64::read(reader)?, f64::read(reader)?, u64::read(reader)?);
        let bodies: Pool<Body, BodyId> = read_pool(reader, origin, Body::read)?;
        let movers: Pool<Mover, MoverId> = read_pool(reader, 0, Mover::read)?;
        let springs = read_pool(reader, origin, Spring::read)?;
        let contacts = read_pool(reader, 0, Contact::read)?;
        let blank = Aabb { min: DVec3::ZERO, max: DVec3::ZERO };
        let of_mover = |mover: u32| movers.get_at(mover).map(|mover| mover.fat_aabb).filter(check::is_box);
        let mover_tree = Bvh::read(reader, of_mover, Aabb::read, blank)?;
        let of_body = |body: u32| {
            let body = bodies.get_at(body)?;
            body.shape.aabb(body.position, body.orientation).filter(check::is_box)
        };
        let fixed_tree = Bvh::read(reader, of_body, Aabb::read, blank)?;
        Ok(Staged {
            def,
            bodies,
            movers,
            springs,
            contacts,
            mover_tree,
            fixed_tree,
            planes: Record::read(reader)?,
            awake: Record::read(reader)?,
            sleeping: Record::read(reader)?,
            free_groups: Record::read(reader)?,
            resting: Record::read(reader)?,
            new_contacts: Record::read(reader)?,
            clusters_are_stale: Record::read(reader)?,
            log: Record::read(reader)?,
            clock: Record::read(reader)?,
            time_s,
            step_length_s,
            step_count,
            links: Vec::new(),
            pairs: PairSet::new(),
        })
    }

    /// Makes it the state of a world.
    fn put_into(self, world: &mut World) {
        world.def = WorldDef { threads: world.def.threads, ..self.def };
        world.bodies = self.bodies;
        world.movers = self.movers;
        world.springs = self.springs;
        world.contacts = self.contacts;
        world.links = self.links;
        world.pairs = self.pairs;
        world.mover_tree = self.mover_tree;
        world.fixed_tree = self.fixed_tree;
        world.planes = self.planes;
        world.awake = self.awake;
        world.sleeping = self.sleeping;
        world.free_groups = self.free_groups;
        world.resting = self.resting;
        world.new_contacts = self.new_contacts;
        world.clock = self.clock;
        world.log = self.log;
        world.time_s = self.time_s;
        world.step_length_s = self.step_length_s;
        world.set_step_count(self.step_count);
        world.events_mut().clear();
        world.clusters_are_stale = true;
        world.update_clusters();
        world.clusters_are_stale = self.clusters_are_stale;
        let contacts: Vec<u32> = world.contacts.ids().map(|id| id.index()).collect();
        contacts.into_iter().for_each(|contact| world.mix_materials(contact));
    }
}
