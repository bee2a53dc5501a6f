//! Islands, fluids, velocity ramps of kinematic bodies, compounds, loads of what was built at rest, and what happened
//! since the last step.

use super::rows::{Reader, Writer};
use super::{SnapshotError, Staged, bit, bits, ensure};
use crate::attach::ShapeId;
use crate::body::{BodyId, BodyKind, NONE};
use crate::compound::{Pair, Tally};
use crate::events::{ContactEvent, Events, HitEvent, JointBreak, SensorEvent};
use crate::fluid::{Fluid, FluidDef, FluidRegion};
use crate::joint::JointId;
use crate::math::{Aabb, Vec2, vec2};
use crate::sets::DISABLED;
use crate::stage::kinematic::{Course, Ramp};
use crate::stage::preload::{Carried, Framed, Preloads};
use crate::world::WorldState;
use carom_core::Id;
use std::sync::atomic::Ordering::Relaxed;

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    write_islands(world, writer);
    for (_, fluid) in world.fluids.iter() {
        write_fluid(&fluid.def, writer);
    }
    writer.count(world.ramps.len());
    for Ramp { body, linear, angular } in &world.ramps {
        writer.double(body.to_bits());
        course_words(linear).into_iter().chain(course_words(angular)).for_each(|word| writer.word(word));
    }
    let tallies = &world.compounds.tallies;
    writer.count(tallies.len());
    for (pair, tally) in tallies {
        write_tally(pair, tally, writer);
    }
    write_preloads(world, writer);
    let moved = &world.pushed_apart;
    writer.count(moved.len());
    let mut next = 0;
    for body in moved.iter() {
        writer.number(body, next);
        next = body + 1;
    }
    write_log(&world.log, writer);
}

fn write_islands(world: &WorldState, writer: &mut Writer<'_>) {
    let (islands, free) = world.islands.layout();
    writer.count(islands.len());
    let mut next = 0;
    for (nodes, removed_count) in islands {
        writer.count(nodes.len());
        for &node in nodes {
            writer.number(node, next);
            next = node.wrapping_add(1);
        }
        writer.word(removed_count);
    }
    writer.indices(free);
}

fn floats(floats: &[f32], writer: &mut Writer<'_>) {
    floats.iter().for_each(|float| writer.word(float.to_bits()));
}

fn float(reader: &mut Reader<'_>) -> f32 {
    f32::from_bits(reader.word())
}

fn vector(reader: &mut Reader<'_>) -> Vec2 {
    let x = float(reader);
    vec2(x, float(reader))
}

fn write_fluid(def: &FluidDef, writer: &mut Writer<'_>) {
    let FluidDef { region, density, linear_drag, quadratic_drag, flow } = def;
    match region {
        FluidRegion::Below(level) => {
            writer.word(0);
            floats(&[*level], writer);
        }
        FluidRegion::Box(Aabb { min, max }) => {
            writer.word(1);
            floats(&[min.x, min.y, max.x, max.y], writer);
        }
        FluidRegion::Polygon(points) => {
            writer.word(2);
            writer.count(points.len());
            points.iter().for_each(|point| floats(&[point.x, point.y], writer));
        }
    }
    floats(&[*density, *linear_drag, *quadratic_drag, flow.x, flow.y], writer);
}

fn read_fluid(reader: &mut Reader<'_>) -> Result<FluidDef, SnapshotError> {
    let region = match reader.word() {
        0 => FluidRegion::Below(float(reader)),
        1 => {
            let min = vector(reader);
            FluidRegion::Box(Aabb { min, max: vector(reader) })
        }
        2 => {
            let count = reader.count(2)?;
            FluidRegion::Polygon((0..count).map(|_| vector(reader)).collect())
        }
        _ => return Err(SnapshotError::Corrupt("the region of a fluid")),
    };
    let [density, linear_drag, quadratic_drag] = std::array::from_fn(|_| float(reader));
    Ok(FluidDef { region, density, linear_drag, quadratic_drag, flow: vector(reader) })
}

fn course_words(course: &Course) -> [u32; 8] {
    let Course { velocity, acceleration, change, slope } = *course;
    let mut words = [0; 8];
    for (pair, vector) in words.chunks_exact_mut(2).zip([velocity, acceleration, change, slope]) {
        pair.copy_from_slice(&[vector.x.to_bits(), vector.y.to_bits()]);
    }
    words
}

fn read_course(reader: &mut Reader<'_>) -> Course {
    let [velocity, acceleration, change, slope] = std::array::from_fn(|_| vector(reader));
    Course { velocity, acceleration, change, slope }
}

fn write_tally(pair: &Pair, tally: &Tally, writer: &mut Writer<'_>) {
    let Pair { a, b, sensor_a, sensor_b, contact_events } = *pair;
    let Tally { touching, boxes, crossed, touch_reported, boxes_reported } = *tally;
    writer.double(a.to_bits());
    writer.double(b.to_bits());
    writer.word(bits([sensor_a, sensor_b, contact_events, crossed, touch_reported, boxes_reported]));
    writer.word(touching);
    writer.word(boxes);
}

fn write_preloads(world: &WorldState, writer: &mut Writer<'_>) {
    let carried = &world.preloads.carried;
    let listed = carried.iter().enumerate().filter(|(_, carried)| !carried.is_nothing() || carried.is_column);
    writer.count(listed.clone().count());
    let mut next = 0;
    for (index, carried) in listed {
        let Carried { ids, forces, is_new, is_column, is_framed } = carried;
        writer.number(index as u32, next);
        next = index as u32 + 1;
        writer.word(ids.load(Relaxed));
        forces.iter().for_each(|force| writer.word(force.load(Relaxed)));
        writer.word(bits([is_new.load(Relaxed), *is_column, *is_framed]));
    }
    writer.count(world.preloads.framed.len());
    for framed in &world.preloads.framed {
        let Framed { contact, normal, anchors, response, on_wall } = *framed;
        writer.number(contact, 0);
        let [[a, b], [c, d]] = anchors;
        floats(&[normal.x, normal.y, a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y, response], writer);
        writer.word(bits([on_wall]));
    }
}

fn write_log(log: &Events, writer: &mut Writer<'_>) {
    let Events {
        contact_begin,
        contact_end,
        contact_hit,
        aabb_begin,
        aabb_end,
        sensor_begin,
        sensor_end,
        body_slept,
        body_woke,
        body_frozen,
        joint_broke,
    } = log;
    for list in [contact_begin, contact_end, aabb_begin, aabb_end] {
        writer.count(list.len());
        for ContactEvent { shape_a, shape_b } in list {
            writer.double(shape_a.to_bits());
            writer.double(shape_b.to_bits());
        }
    }
    for list in [sensor_begin, sensor_end] {
        writer.count(list.len());
        for SensorEvent { sensor, visitor } in list {
            writer.double(sensor.to_bits());
            writer.double(visitor.to_bits());
        }
    }
    for list in [body_slept, body_woke, body_frozen] {
        writer.count(list.len());
        list.iter().for_each(|body| writer.double(body.to_bits()));
    }
    writer.count(contact_hit.len());
    for HitEvent { shape_a, shape_b, point, normal, approach_speed, impulse } in contact_hit {
        writer.double(shape_a.to_bits());
        writer.double(shape_b.to_bits());
        floats(&[point.x, point.y, normal.x, normal.y, *approach_speed, *impulse], writer);
    }
    writer.count(joint_broke.len());
    for JointBreak { joint, force, torque, user_data } in joint_broke {
        writer.double(joint.to_bits());
        floats(&[force.x, force.y, *torque], writer);
        writer.double(*user_data);
    }
}

/// A handle of the owner that `origin` names.
fn id<I: Id>(reader: &mut Reader<'_>, origin: u32) -> I {
    let bits = reader.double();
    I::new(bits as u32, (bits >> 32) as u32, origin)
}

fn read_contact_events(
    list: &mut Vec<ContactEvent>,
    reader: &mut Reader<'_>,
    origin: u32,
) -> Result<(), SnapshotError> {
    for _ in 0..reader.count(4)? {
        let shape_a = id(reader, origin);
        list.push(ContactEvent { shape_a, shape_b: id(reader, origin) });
    }
    Ok(())
}

fn read_log(log: &mut Events, reader: &mut Reader<'_>, origin: u32) -> Result<(), SnapshotError> {
    log.clear();
    for list in [&mut log.contact_begin, &mut log.contact_end, &mut log.aabb_begin, &mut log.aabb_end] {
        read_contact_events(list, reader, origin)?;
    }
    for list in [&mut log.sensor_begin, &mut log.sensor_end] {
        for _ in 0..reader.count(4)? {
            let sensor: ShapeId = id(reader, origin);
            list.push(SensorEvent { sensor, visitor: id(reader, origin) });
        }
    }
    for list in [&mut log.body_slept, &mut log.body_woke, &mut log.body_frozen] {
        for _ in 0..reader.count(2)? {
            list.push(id::<BodyId>(reader, origin));
        }
    }
    for _ in 0..reader.count(10)? {
        let (shape_a, shape_b) = (id(reader, origin), id(reader, origin));
        let (point, normal) = (vector(reader), vector(reader));
        let (approach_speed, impulse) = (float(reader), float(reader));
        log.contact_hit.push(HitEvent { shape_a, shape_b, point, normal, approach_speed, impulse });
    }
    for _ in 0..reader.count(7)? {
        let joint: JointId = id(reader, origin);
        let (force, torque) = (vector(reader), float(reader));
        log.joint_broke.push(JointBreak { joint, force, torque, user_data: reader.double() });
    }
    Ok(())
}

impl Staged {
    pub(super) fn read_rest(&mut self, world: &WorldState, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        self.read_islands(reader)?;
        self.link_islands()?;
        for index in 0..self.slots.fluids.generations.len() as u32 {
            if self.slots.fluids.is_used(index) {
                let def = read_fluid(reader)?;
                let known = [self.fluids.get_at(index), world.fluids.get_at(index)];
                let known = known.into_iter().flatten().find(|fluid| fluid.def == def).cloned();
                let fluid = known.map_or_else(|| def.build(), Ok::<Fluid, _>);
                self.fluids[index] = fluid.map_err(|_| SnapshotError::Corrupt("a fluid"))?;
            }
        }
        let origin = self.bodies.origin();
        self.ramps.clear();
        for _ in 0..reader.count(18)? {
            let body: BodyId = id(reader, origin);
            let (linear, angular) = (read_course(reader), read_course(reader));
            let follows = self.ramps.last().is_none_or(|last| last.body.index() < body.index());
            let in_range = (body.index() as usize) < self.slots.bodies.generations.len();
            ensure(follows && in_range, "the motion of a kinematic body")?;
            self.ramps.push(Ramp { body, linear, angular });
        }
        self.read_tallies(reader)?;
        self.read_preloads(reader)?;
        reader.indices(self.slots.bodies.generations.len(), &mut self.indices)?;
        self.pushed_apart.clear();
        for &body in &self.indices {
            self.pushed_apart.insert(body);
        }
        read_log(&mut self.log, reader, origin)
    }

    fn read_islands(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        self.islands.clear();
        let mut next = 0;
        let mut count = 0;
        for _ in 0..reader.count(2)? {
            self.indices.clear();
            for _ in 0..reader.count(1)? {
                let node = reader.number(next);
                next = node.wrapping_add(1);
                let body = self.bodies.get_at(node);
                ensure(body.is_some_and(|body| body.kind == BodyKind::Dynamic), "the bodies of an island")?;
                self.indices.push(node);
            }
            count += self.indices.len();
            ensure(self.islands.push(&self.indices, reader.word()), "the bodies of an island")?;
        }
        let dynamic = self.bodies.iter().filter(|(_, body)| body.kind == BodyKind::Dynamic).count();
        ensure(count == dynamic, "the bodies of islands")?;
        let keys = self.islands.key_count();
        reader.indices(keys, &mut self.indices)?;
        ensure(self.islands.set_free(&self.indices), "the free islands")
    }

    /// Links the islands by contacts that push and joints that act, which must be within them.
    fn link_islands(&mut self) -> Result<(), SnapshotError> {
        let Staged { islands, bodies, contacts, joints, .. } = self;
        let mut link = |a: u32, b: u32| {
            let [end_a, end_b] = [a, b].map(|body| &bodies[body]);
            let takes_part = |body: &crate::body::Body| body.kind == BodyKind::Dynamic && body.set != DISABLED;
            if !(takes_part(end_a) && takes_part(end_b)) {
                return Ok(NONE);
            }
            ensure(islands.island_of(a) == islands.island_of(b) && end_a.set == end_b.set, "an island")?;
            Ok(islands.link(a, b))
        };
        for (_, contact) in contacts.iter_mut() {
            if contact.active && !contact.sensor {
                contact.island_edge = link(contact.body_a, contact.body_b)?;
            }
        }
        for (_, joint) in joints.iter_mut() {
            if joint.is_on() {
                joint.island_edge = link(joint.def.body_a.index(), joint.def.body_b.index())?;
            }
        }
        Ok(())
    }

    fn read_tallies(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let origin = self.bodies.origin();
        let tallies = &mut self.compounds.tallies;
        tallies.clear();
        for _ in 0..reader.count(7)? {
            let (a, b) = (id(reader, origin), id(reader, origin));
            let flags = reader.word();
            let flag = |place: u32| bit(flags, place);
            let pair = Pair { a, b, sensor_a: flag(0), sensor_b: flag(1), contact_events: flag(2) };
            let (touching, boxes) = (reader.word(), reader.word());
            let most = self.slots.contacts.used_count;
            ensure(touching.max(boxes) as usize <= most, "the contacts of a compound")?;
            let (touch_reported, boxes_reported) = (flag(4), flag(5));
            tallies.insert(pair, Tally { touching, boxes, crossed: flag(3), touch_reported, boxes_reported });
        }
        Ok(())
    }

    fn read_preloads(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let slots = self.slots.contacts.generations.len();
        // What else there is belongs to one step, or is recomputed by the next.
        let Preloads { carried, framed, any, .. } = &mut self.preloads;
        carried.clear();
        carried.resize_with(slots, Carried::default);
        *any = false;
        let mut next = 0;
        for _ in 0..reader.count(5)? {
            let index = reader.number(next);
            next = index.wrapping_add(1);
            let (ids, forces) = (reader.word(), [float(reader), float(reader)]);
            let flags = reader.word();
            ensure(forces.iter().all(|force| force.is_finite()), "the load of a contact")?;
            ensure(self.slots.contacts.is_used(index), "a contact that carries a load")?;
            *any |= forces != [0.0; 2];
            carried[index as usize] = Carried {
                ids: ids.into(),
                forces: forces.map(|force| force.to_bits().into()),
                is_new: bit(flags, 0).into(),
                is_column: bit(flags, 1),
                is_framed: bit(flags, 2),
            };
        }
        framed.clear();
        for _ in 0..reader.count(13)? {
            let contact = reader.number(0);
            ensure(self.slots.contacts.is_used(contact), "a contact that keeps its frame")?;
            let normal = vector(reader);
            let anchors = [[vector(reader), vector(reader)], [vector(reader), vector(reader)]];
            let response = float(reader);
            let is_finite = normal.is_finite() && anchors.iter().flatten().all(|anchor| anchor.is_finite());
            ensure(is_finite && response.is_finite(), "the frame of a contact")?;
            framed.push(Framed { contact, normal, anchors, response, on_wall: bit(reader.word(), 0) });
        }
        Ok(())
    }
}
