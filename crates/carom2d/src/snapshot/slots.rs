//! Which slots of the pools are in use, their generations, and the order in which free ones will be used.

use super::rows::{Reader, Writer};
use super::{Link, SnapshotError, Staged, ensure};
use crate::attach::Shape;
use crate::body::{Body, BodyId, BodyKind, LockedAxes, NONE};
use crate::contact::{Contact, ContactManifold, Edge, Impact, Overlap};
use crate::filter::Filter;
use crate::fluid::FluidDef;
use crate::joint::{Distance, Joint, JointDef, JointKind, MAX_ROWS};
use crate::material::Material;
use crate::math::{Aabb, Vec2};
use crate::shape::{Circle, Geometry};
use crate::world::WorldState;
use carom_core::{Id, Pool};

/// The slots of a pool.
#[derive(Debug, Default)]
pub(super) struct PoolSlots {
    pub(super) generations: Vec<u32>,
    pub(super) free: Vec<u32>,
    /// Slots that have no value and never will have one.
    retired: Vec<u32>,
    /// Of each slot, whether it has a value, and whether that is known.
    used: Vec<bool>,
    pub(super) filled: Vec<bool>,
    pub(super) used_count: usize,
}

#[derive(Debug, Default)]
pub(super) struct Slots {
    pub(super) bodies: PoolSlots,
    pub(super) shapes: PoolSlots,
    pub(super) contacts: PoolSlots,
    pub(super) joints: PoolSlots,
    pub(super) fluids: PoolSlots,
}

fn write_pool<T, I: Id>(pool: &Pool<T, I>, writer: &mut Writer<'_>) {
    let (generations, free) = pool.layout();
    writer.count(generations.len());
    let mut expected = 1;
    for &generation in generations {
        writer.number(generation, expected);
        expected = generation;
    }
    writer.indices(free);
    // Slots are used four thousand million times before they are retired: this list is empty.
    let retired = pool.slot_count() - pool.len() - free.len();
    writer.count(retired);
    if retired > 0 {
        let is_retired = |index: &u32| pool.get_at(*index).is_none() && !free.contains(index);
        (0..pool.slot_count() as u32).filter(is_retired).for_each(|index| writer.word(index));
    }
}

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    write_pool(&world.bodies, writer);
    write_pool(&world.shapes, writer);
    write_pool(&world.contacts, writer);
    write_pool(&world.joints, writer);
    write_pool(&world.fluids, writer);
}

impl PoolSlots {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let PoolSlots { generations, free, retired, used, filled, used_count } = self;
        generations.clear();
        let mut expected = 1;
        for _ in 0..reader.count(1)? {
            expected = reader.number(expected);
            ensure(expected > 0, "a generation")?;
            generations.push(expected);
        }
        let count = generations.len();
        ensure(count < NONE as usize / 2, "the number of slots")?;
        reader.indices(count, free)?;
        retired.clear();
        for _ in 0..reader.count(1)? {
            retired.push(reader.word());
        }
        used.clear();
        used.resize(count, true);
        for &slot in free.iter().chain(&*retired) {
            let used = used.get_mut(slot as usize).filter(|used| **used);
            *used.ok_or(SnapshotError::Corrupt("the free slots"))? = false;
        }
        filled.clear();
        filled.resize(count, false);
        *used_count = count - free.len() - retired.len();
        Ok(())
    }

    /// True the first time that a slot in use is named.
    #[inline]
    pub(super) fn fill(&mut self, slot: u32) -> bool {
        let slot = slot as usize;
        self.used.get(slot) == Some(&true) && !std::mem::replace(&mut self.filled[slot], true)
    }

    /// True for a slot that has a value.
    #[inline]
    pub(super) fn is_used(&self, slot: u32) -> bool {
        self.used.get(slot as usize) == Some(&true)
    }

    /// Gives a pool these slots. Those in use keep what they have, or get something to be overwritten.
    fn lay_out<T, I: Id>(&self, origin: u32, pool: &mut Pool<T, I>, blank: impl Fn() -> T) {
        pool.rebuild(origin, (&self.generations, &self.free), |index, value| match self.is_used(index) {
            true if value.is_none() => *value = Some(blank()),
            true => {}
            false => *value = None,
        });
    }
}

impl Staged {
    pub(super) fn read_slots(&mut self, world: &WorldState, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let origin = world.bodies.origin();
        let Staged { bodies, shapes, contacts, joints, fluids, slots, links, body_of_shape, listings, .. } = self;
        for pool in [&mut slots.bodies, &mut slots.shapes, &mut slots.contacts, &mut slots.joints, &mut slots.fluids] {
            pool.read(reader)?;
        }
        slots.bodies.lay_out(origin, bodies, blank_body);
        slots.shapes.lay_out(origin, shapes, blank_shape);
        slots.contacts.lay_out(origin, contacts, blank_contact);
        slots.joints.lay_out(origin, joints, blank_joint);
        slots.fluids.lay_out(origin, fluids, || FluidDef::default().build().expect("the default is valid"));
        links.clear();
        links.resize(slots.contacts.generations.len(), Link { bodies: [NONE; 2], edges: [Edge::LONE; 2] });
        body_of_shape.clear();
        body_of_shape.resize(slots.shapes.generations.len(), NONE);
        listings.clear();
        listings.resize(slots.joints.generations.len(), 0);
        Ok(())
    }
}

fn blank_body() -> Body {
    Body {
        kind: BodyKind::Fixed,
        set: NONE,
        index: NONE,
        shapes: Vec::new(),
        contact_head: NONE,
        contact_count: 0,
        joints: Vec::new(),
        mass: 0.0,
        inertia: 0.0,
        mass_by_hand: None,
        inertia_by_hand: None,
        locked: LockedAxes::default(),
        sleep_speed: 0.0,
        can_sleep: false,
        bullet: false,
        frozen: false,
        jointed: false,
        parked_velocity: (Vec2::ZERO, 0.0),
        user_data: 0,
    }
}

fn blank_shape() -> Shape {
    Shape {
        body: NONE,
        geometry: Geometry::Circle(Circle { center: Vec2::ZERO, radius: 1.0 }),
        material: Material::default(),
        density: 0.0,
        filter: Filter::ALL,
        sensor: false,
        one_way: None,
        contact_events: false,
        aabb_events: false,
        margin: 0.0,
        fat_aabb: Aabb::new(Vec2::ZERO, Vec2::ZERO),
        proxy: NONE,
        moved: false,
        paired: false,
        owner: NONE,
        parts: Vec::new(),
        user_data: 0,
    }
}

fn blank_contact() -> Contact {
    Contact {
        manifold: ContactManifold::default(),
        body_a: NONE,
        body_b: NONE,
        material: Material::default(),
        touching: false,
        rounded: false,
        active: false,
        aabb_events: false,
        contact_events: false,
        asked: false,
        overlap: Overlap::Driven,
        impact: Impact::None,
        rolling_impulse: 0.0,
        roundings: [0.0; 2],
        lead_s: 0.0,
        shape_a: NONE,
        shape_b: NONE,
        edges: [Edge::LONE; 2],
        slot: None,
        island_edge: NONE,
        sensor: false,
        one_way: false,
        passing: false,
        modified: false,
        boxes_touching: false,
    }
}

fn blank_joint() -> Joint {
    let no_body = BodyId::from_bits(0);
    Joint {
        def: JointDef::new(no_body, no_body, JointKind::Distance(Distance::rod(1.0))),
        impulses: [0.0; MAX_ROWS],
        force: Vec2::ZERO,
        torque: 0.0,
        angle: 0.0,
        gear_start: None,
        slot: None,
        island_edge: NONE,
    }
}
