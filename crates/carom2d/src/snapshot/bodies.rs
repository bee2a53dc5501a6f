//! Bodies, set by set, in their order, with the lists of their shapes, joints and contacts.

use super::rows::{Reader, Writer};
use super::{SnapshotError, Staged, all_finite, bit, bits, ensure};
use crate::body::{Body, BodyKind, BodySim, BodyState, LockedAxes, NONE, mass, position};
use crate::contact::{contact_of, side_of};
use crate::math::{Rot, Vec2, vec2};
use crate::sets::{AWAKE, DISABLED, FIRST_SLEEPING, FIXED, SolverSet};
use crate::world::WorldState;

/// What hardly ever changes of a body.
const TRAITS: usize = 21;
/// What every step changes of one that moves; the velocity only of those that are awake.
const MOTION: usize = 13;
const VELOCITY: usize = 4;

const KINDS: [BodyKind; 3] = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];

fn traits(body: &Body, sim: &BodySim) -> [u32; TRAITS] {
    // What has no name here is in lists, or follows from where the body stands in them.
    let Body {
        kind,
        set: _,
        index: _,
        shapes: _,
        contact_head: _,
        contact_count: _,
        joints: _,
        mass,
        inertia,
        mass_by_hand,
        inertia_by_hand,
        locked: LockedAxes { x, y, rotation },
        sleep_speed,
        can_sleep,
        bullet,
        frozen,
        jointed: _,
        parked_velocity: (parked, parked_spin),
        user_data,
    } = body;
    let BodySim {
        body: _,
        center: _,
        rotation: _,
        center_before: _,
        rotation_before: _,
        local_center,
        inv_mass,
        inv_inertia,
        force: _,
        torque: _,
        linear_damping,
        angular_damping,
        gravity_scale,
        extent,
        thickness,
        sleep_time_s: _,
        room: _,
    } = sim;
    let kind = KINDS.iter().position(|other| other == kind).expect("one of three") as u32;
    let by_hand = [mass_by_hand.is_some(), inertia_by_hand.is_some()];
    let flags = bits([*x, *y, *rotation, *can_sleep, *bullet, *frozen, by_hand[0], by_hand[1]]);
    let floats = [
        *mass,
        *inertia,
        *sleep_speed,
        parked.x,
        parked.y,
        *parked_spin,
        local_center.x,
        local_center.y,
        inv_mass.x,
        inv_mass.y,
        *inv_inertia,
        *linear_damping,
        *angular_damping,
        *gravity_scale,
        *extent,
        // Those after this may be infinite.
        *thickness,
        mass_by_hand.unwrap_or(0.0),
        inertia_by_hand.unwrap_or(0.0),
    ];
    let mut words = [0; TRAITS];
    words[..3].copy_from_slice(&[kind | flags << 2, *user_data as u32, (user_data >> 32) as u32]);
    words[3..].copy_from_slice(&floats.map(f32::to_bits));
    words
}

fn set_traits(words: &[u32; TRAITS], body: &mut Body, sim: &mut BodySim) -> Result<(), SnapshotError> {
    let float = |place: usize| f32::from_bits(words[3 + place]);
    let flag = |place: u32| bit(words[0], 2 + place);
    body.kind = *KINDS.get(words[0] as usize & 3).ok_or(SnapshotError::Corrupt("the kind of a body"))?;
    body.locked = LockedAxes { x: flag(0), y: flag(1), rotation: flag(2) };
    (body.can_sleep, body.bullet, body.frozen) = (flag(3), flag(4), flag(5));
    // Until a joint is read that holds it.
    body.jointed = false;
    body.user_data = u64::from(words[1]) | u64::from(words[2]) << 32;
    (body.mass, body.inertia, body.sleep_speed) = (float(0), float(1), float(2));
    body.parked_velocity = (vec2(float(3), float(4)), float(5));
    sim.local_center = vec2(float(6), float(7));
    sim.inv_mass = vec2(float(8), float(9));
    (sim.inv_inertia, sim.linear_damping, sim.angular_damping) = (float(10), float(11), float(12));
    (sim.gravity_scale, sim.extent, sim.thickness) = (float(13), float(14), float(15));
    body.mass_by_hand = flag(6).then(|| float(16));
    body.inertia_by_hand = flag(7).then(|| float(17));
    let known = [0, 1, 2, 8, 9, 10, 11, 12, 14, 15].iter().all(|&place| float(place) >= 0.0);
    ensure(known && all_finite(&words[3..18]), "a number of a body")?;
    let by_hand = mass("", body.mass_by_hand).and(mass("", body.inertia_by_hand));
    ensure(by_hand.is_ok() && body.mass_by_hand.is_none_or(f32::is_finite), "the mass of a body")
}

fn motion(sim: &BodySim) -> [u32; MOTION] {
    let BodySim { center, rotation, center_before, rotation_before, force, torque, sleep_time_s, room, .. } = sim;
    // The pose before is next to the present one.
    let beside = |now: f32, before: f32| now.to_bits() ^ before.to_bits();
    [
        center.x.to_bits(),
        center.y.to_bits(),
        rotation.c.to_bits(),
        rotation.s.to_bits(),
        beside(center.x, center_before.x),
        beside(center.y, center_before.y),
        beside(rotation.c, rotation_before.c),
        beside(rotation.s, rotation_before.s),
        force.x.to_bits(),
        force.y.to_bits(),
        torque.to_bits(),
        sleep_time_s.to_bits(),
        room.to_bits(),
    ]
}

fn set_motion(words: &[u32; MOTION], sim: &mut BodySim) -> Result<(), SnapshotError> {
    let float = |place: usize| f32::from_bits(words[place]);
    let before = |place: usize| f32::from_bits(words[place] ^ words[place + 4]);
    let rotation = |c: f32, s: f32| Rot { c, s };
    sim.center = vec2(float(0), float(1));
    sim.rotation = rotation(float(2), float(3));
    sim.center_before = vec2(before(0), before(1));
    sim.rotation_before = rotation(before(2), before(3));
    sim.force = vec2(float(8), float(9));
    (sim.torque, sim.sleep_time_s, sim.room) = (float(10), float(11), float(12));
    let is_turn = |rotation: Rot| (rotation.c * rotation.c + rotation.s * rotation.s - 1.0).abs() < 1.0e-3;
    ensure(is_turn(sim.rotation) && is_turn(sim.rotation_before), "a rotation")?;
    // Bodies that move may be a little farther away than others are put.
    let in_range = |point: Vec2| position("", 0.25 * point).is_ok();
    ensure(in_range(sim.center) && in_range(sim.center_before), "a position")?;
    // Forces and velocities may be no numbers between two steps: the next one freezes the body.
    ensure(sim.sleep_time_s >= 0.0 && !sim.room.is_nan(), "a number of a body")
}

fn velocity(state: &BodyState) -> [u32; VELOCITY] {
    // Of a step, and nothing between two.
    let BodyState { velocity, angular_velocity, flags, delta_position: _, delta_rotation: _ } = state;
    [velocity.x.to_bits(), velocity.y.to_bits(), angular_velocity.to_bits(), *flags]
}

fn state(words: &[u32; VELOCITY], kind: BodyKind) -> BodyState {
    let [x, y, spin] = std::array::from_fn(|place| f32::from_bits(words[place]));
    let movable = if kind == BodyKind::Dynamic { BodyState::MOVABLE } else { 0 };
    let flags = words[3] & BodyState::CARRIED | movable;
    BodyState { velocity: vec2(x, y), angular_velocity: spin, flags, ..BodyState::REST }
}

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    let (mut expected_traits, mut expected_motion, mut expected_velocity) = ([0; TRAITS], [0; MOTION], [0; VELOCITY]);
    let (mut next, mut last_key) = (0, 0);
    writer.count(world.sets.sets.len());
    for SolverSet { sims, states } in &world.sets.sets {
        writer.count(sims.len());
        for (place, sim) in sims.iter().enumerate() {
            let body = &world.bodies[sim.body];
            writer.number(sim.body, next);
            next = sim.body.wrapping_add(1);
            writer.rare_row(&traits(body, sim), &mut expected_traits);
            writer.row(&motion(sim), &mut expected_motion);
            if let Some(state) = states.get(place) {
                writer.row(&velocity(state), &mut expected_velocity);
            }
            write_list(&body.shapes, sim.body, writer);
            write_list(&body.joints, 0, writer);
            writer.word(body.contact_count);
            let mut key = body.contact_head;
            while key != NONE {
                writer.number(key, last_key);
                last_key = key;
                key = world.contacts[contact_of(key)].edges[side_of(key)].next;
            }
        }
    }
    writer.indices(&world.sets.free);
}

/// A short list, of indices near one.
fn write_list(list: &[u32], near: u32, writer: &mut Writer<'_>) {
    writer.count(list.len());
    let mut next = near;
    for &index in list {
        writer.number(index, next);
        next = index.wrapping_add(1);
    }
}

fn read_list(near: u32, reader: &mut Reader<'_>, list: &mut Vec<u32>) -> Result<(), SnapshotError> {
    list.clear();
    let mut next = near;
    for _ in 0..reader.count(1)? {
        let index = reader.number(next);
        list.push(index);
        next = index.wrapping_add(1);
    }
    Ok(())
}

/// What the next body is expected to be.
struct Expected {
    traits: [u32; TRAITS],
    motion: [u32; MOTION],
    velocity: [u32; VELOCITY],
    body: u32,
    key: u32,
}

impl Staged {
    pub(super) fn read_bodies(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let mut expected =
            Expected { traits: [0; TRAITS], motion: [0; MOTION], velocity: [0; VELOCITY], body: 0, key: 0 };
        let set_count = reader.count(1)?;
        ensure(set_count >= FIRST_SLEEPING as usize, "the number of sets")?;
        self.sets.sets.resize_with(set_count, SolverSet::default);
        self.sets.places.clear();
        self.sets.places.resize(self.slots.bodies.generations.len(), NONE);
        for set in 0..set_count as u32 {
            let mut target = std::mem::take(&mut self.sets.sets[set as usize]);
            let result = self.read_set(set, &mut target, &mut expected, reader);
            self.sets.sets[set as usize] = target;
            result?;
        }
        reader.indices(set_count, &mut self.sets.free)?;
        let sets = &mut self.sets;
        let all_placed =
            self.slots.bodies.filled.iter().filter(|filled| **filled).count() == self.slots.bodies.used_count;
        ensure(all_placed, "the bodies of the sets")?;
        // Sleeping sets are free if and only if they are empty, each once.
        let empty = sets.sets[FIRST_SLEEPING as usize..].iter().filter(|set| set.sims.is_empty()).count();
        self.indices.clear();
        self.indices.extend_from_slice(&sets.free);
        self.indices.sort_unstable();
        self.indices.dedup();
        let is_free = |&set: &u32| set >= FIRST_SLEEPING && sets.sets[set as usize].sims.is_empty();
        let agrees = self.indices.len() == sets.free.len() && empty == sets.free.len() && sets.free.iter().all(is_free);
        ensure(agrees, "the free sets")
    }

    fn read_set(
        &mut self,
        set: u32,
        target: &mut SolverSet,
        expected: &mut Expected,
        reader: &mut Reader<'_>,
    ) -> Result<(), SnapshotError> {
        let count = reader.count(MOTION)?;
        target.sims.clear();
        target.states.clear();
        for index in 0..count as u32 {
            let number = reader.number(expected.body);
            expected.body = number.wrapping_add(1);
            ensure(self.slots.bodies.fill(number), "the body of a set")?;
            let body = &mut self.bodies[number];
            let mut sim = blank_sim(number);
            set_traits(&reader.rare_row(&mut expected.traits), body, &mut sim)?;
            set_motion(&reader.row(&mut expected.motion), &mut sim)?;
            let fits = match set {
                FIXED => body.kind == BodyKind::Fixed,
                DISABLED => true,
                _ => body.kind != BodyKind::Fixed,
            };
            ensure(fits, "the set of a body")?;
            if set == AWAKE {
                target.states.push(state(&reader.row(&mut expected.velocity), body.kind));
                self.sets.places[number as usize] = index;
            }
            target.sims.push(sim);
            (body.set, body.index) = (set, index);
            self.read_lists(number, &mut expected.key, reader)?;
        }
        Ok(())
    }

    /// The lists of a body: every shape is on one, every joint on two, every contact on one for each side.
    fn read_lists(&mut self, number: u32, last_key: &mut u32, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let body = &mut self.bodies[number];
        read_list(number, reader, &mut body.shapes)?;
        for &shape in &body.shapes {
            ensure(self.slots.shapes.fill(shape), "the shapes of a body")?;
            self.body_of_shape[shape as usize] = number;
        }
        read_list(0, reader, &mut body.joints)?;
        for &joint in &body.joints {
            ensure(self.slots.joints.is_used(joint) && self.listings[joint as usize] < 2, "the joints of a body")?;
            self.listings[joint as usize] += 1;
        }
        body.contact_count = reader.count(1)? as u32;
        body.contact_head = NONE;
        let mut previous = NONE;
        for _ in 0..body.contact_count {
            let key = reader.number(*last_key);
            *last_key = key;
            ensure(self.slots.contacts.is_used(contact_of(key)), "the contacts of a body")?;
            let link = &mut self.links[contact_of(key) as usize];
            ensure(link.bodies[side_of(key)] == NONE, "the contacts of a body")?;
            link.bodies[side_of(key)] = number;
            link.edges[side_of(key)].previous = previous;
            match previous {
                NONE => body.contact_head = key,
                _ => self.links[contact_of(previous) as usize].edges[side_of(previous)].next = key,
            }
            previous = key;
        }
        Ok(())
    }
}

fn blank_sim(body: u32) -> BodySim {
    BodySim {
        body,
        center: Vec2::ZERO,
        rotation: Rot::IDENTITY,
        center_before: Vec2::ZERO,
        rotation_before: Rot::IDENTITY,
        local_center: Vec2::ZERO,
        inv_mass: Vec2::ZERO,
        inv_inertia: 0.0,
        force: Vec2::ZERO,
        torque: 0.0,
        linear_damping: 0.0,
        angular_damping: 0.0,
        gravity_scale: 0.0,
        extent: 0.0,
        thickness: 0.0,
        sleep_time_s: 0.0,
        room: 0.0,
    }
}
