//! Contacts, in the order of their slots, and the lists of their colours.

use super::rows::{Reader, Writer};
use super::{SnapshotError, Staged, all_finite, bit, bits, ensure};
use crate::attach::validate_material;
use crate::body::{Body, BodyKind, NONE};
use crate::collide::Reference;
use crate::contact::{Contact, ContactManifold, ContactPoint, Impact, Overlap, Present};
use crate::material::Material;
use crate::math::vec2;
use crate::sets::AWAKE;
use crate::world::WorldState;
use carom_core::{COLOR_COUNT, ColorGraph, HOLE};

/// What hardly ever changes of a contact, what it is at the time, and each of its points.
const TRAITS: usize = 6;
const STATE: usize = 6;
const POINT: usize = 10;

const OVERLAPS: [Overlap; 3] = [Overlap::Driven, Overlap::New, Overlap::Put];
const IMPACTS: [Impact; 6] =
    [Impact::None, Impact::Turning, Impact::Foreseen, Impact::Near, Impact::Landed, Impact::PassedOn];

fn traits(contact: &Contact) -> [u32; TRAITS] {
    let Material { friction, restitution, rolling_resistance, surface_speed } = contact.material;
    let [a, b] = contact.roundings;
    [friction, restitution, rolling_resistance, surface_speed, a, b].map(f32::to_bits)
}

fn state(contact: &Contact) -> [u32; STATE] {
    let Contact {
        manifold: ContactManifold { normal, points: _, ids, count, reference, present: Present::Yes },
        body_a: _,
        body_b: _,
        material: _,
        touching,
        rounded,
        active,
        aabb_events,
        contact_events,
        asked,
        overlap,
        impact,
        rolling_impulse,
        roundings: _,
        lead_s,
        shape_a: _,
        shape_b: _,
        edges: _,
        slot: _,
        island_edge: _,
        sensor,
        one_way,
        passing,
        modified,
        boxes_touching,
    } = contact;
    let flags = bits([
        *touching,
        *rounded,
        *active,
        *aabb_events,
        *contact_events,
        *asked,
        *sensor,
        *one_way,
        *passing,
        *modified,
        *boxes_touching,
    ]);
    let overlap = OVERLAPS.iter().position(|other| other == overlap).expect("one of three") as u32;
    let impact = IMPACTS.iter().position(|other| other == impact).expect("one of six") as u32;
    let reference = match *reference {
        Reference::None => 0,
        Reference::A(edge) => 1 | u32::from(edge) << 2,
        Reference::B(edge) => 2 | u32::from(edge) << 2,
    };
    [
        // What changes least has the highest bits.
        u32::from(*count) | reference << 2 | flags << 12 | overlap << 23 | impact << 25,
        u32::from(ids[0]) | u32::from(ids[1]) << 16,
        rolling_impulse.to_bits(),
        lead_s.to_bits(),
        normal.x.to_bits(),
        normal.y.to_bits(),
    ]
}

fn set_state(words: &[u32; STATE], contact: &mut Contact) -> Result<(), SnapshotError> {
    let flag = |place: u32| bit(words[0], 12 + place);
    (contact.touching, contact.rounded, contact.active) = (flag(0), flag(1), flag(2));
    (contact.aabb_events, contact.contact_events, contact.asked) = (flag(3), flag(4), flag(5));
    (contact.sensor, contact.one_way, contact.passing) = (flag(6), flag(7), flag(8));
    (contact.modified, contact.boxes_touching) = (flag(9), flag(10));
    let wrong = SnapshotError::Corrupt("the state of a contact");
    contact.overlap = *OVERLAPS.get((words[0] >> 23 & 3) as usize).ok_or(wrong.clone())?;
    contact.impact = *IMPACTS.get((words[0] >> 25) as usize).ok_or(wrong.clone())?;
    let manifold = &mut contact.manifold;
    manifold.count = (words[0] & 3) as u8;
    let edge = (words[0] >> 4) as u8;
    manifold.reference = match words[0] >> 2 & 3 {
        0 => Reference::None,
        1 => Reference::A(edge),
        2 => Reference::B(edge),
        _ => return Err(wrong),
    };
    manifold.ids = [words[1] as u16, (words[1] >> 16) as u16];
    contact.rolling_impulse = f32::from_bits(words[2]);
    contact.lead_s = f32::from_bits(words[3]);
    manifold.normal = vec2(f32::from_bits(words[4]), f32::from_bits(words[5]));
    ensure(manifold.count <= 2 && !any_nan(&words[2..]), "the state of a contact")
}

fn point_words(point: &ContactPoint) -> [u32; POINT] {
    let ContactPoint {
        anchor_a,
        anchor_b,
        separation,
        approach_velocity,
        normal_impulse,
        tangent_impulse,
        total_impulse,
        total_tangent,
    } = *point;
    [
        anchor_a.x,
        anchor_a.y,
        anchor_b.x,
        anchor_b.y,
        separation,
        approach_velocity,
        normal_impulse,
        tangent_impulse,
        total_impulse,
        total_tangent,
    ]
    .map(f32::to_bits)
}

fn point(words: [u32; POINT]) -> ContactPoint {
    let [ax, ay, bx, by, separation, approach_velocity, normal_impulse, tangent_impulse, total_impulse, total_tangent] =
        words.map(f32::from_bits);
    ContactPoint {
        anchor_a: vec2(ax, ay),
        anchor_b: vec2(bx, by),
        separation,
        approach_velocity,
        normal_impulse,
        tangent_impulse,
        total_impulse,
        total_tangent,
    }
}

/// What the next contact is expected to be.
struct Expected {
    traits: [u32; TRAITS],
    state: [u32; STATE],
    point: [u32; POINT],
}

impl Expected {
    const FIRST: Expected = Expected { traits: [0; TRAITS], state: [0; STATE], point: [0; POINT] };
}

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    let mut expected = Expected::FIRST;
    for (_, contact) in world.contacts.iter() {
        // A body has few shapes, as a rule one.
        for (body, shape) in [(contact.body_a, contact.shape_a), (contact.body_b, contact.shape_b)] {
            writer.number(shape, world.bodies[body].shapes[0]);
        }
        writer.rare_row(&traits(contact), &mut expected.traits);
        writer.row(&state(contact), &mut expected.state);
        for point in &contact.manifold.points[..usize::from(contact.manifold.count)] {
            writer.row(&point_words(point), &mut expected.point);
        }
    }
    write_colors(&world.colors, writer);
}

/// The colours and what is in them, in order.
pub(super) fn write_colors(colors: &ColorGraph, writer: &mut Writer<'_>) {
    writer.count(colors.active_color_count());
    for (color, constraints) in colors.colors() {
        writer.word(u32::from(color));
        let present = || constraints.iter().copied().filter(|&constraint| constraint != HOLE);
        writer.count(present().count());
        let mut next = 0;
        for constraint in present() {
            writer.number(constraint, next);
            next = constraint.wrapping_add(1);
        }
    }
}

/// Calls `place` with each colour and constraint, in order.
pub(super) fn read_colors(
    reader: &mut Reader<'_>,
    mut place: impl FnMut(u8, u32) -> Result<(), SnapshotError>,
) -> Result<(), SnapshotError> {
    let count = reader.count(1)?;
    ensure(count <= COLOR_COUNT + 1, "the number of colours")?;
    for _ in 0..count {
        let color = u8::try_from(reader.word()).map_err(|_| SnapshotError::Corrupt("a colour"))?;
        let mut next = 0;
        for _ in 0..reader.count(1)? {
            let constraint = reader.number(next);
            next = constraint.wrapping_add(1);
            place(color, constraint)?;
        }
    }
    Ok(())
}

impl Staged {
    pub(super) fn read_contacts(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let mut expected = Expected::FIRST;
        self.pairs.clear();
        let mut coloured = 0;
        for index in 0..self.slots.contacts.generations.len() as u32 {
            if self.slots.contacts.is_used(index) {
                coloured += usize::from(self.read_contact(index, &mut expected, reader)?);
            }
        }
        let Staged { contacts, bodies, colors, .. } = self;
        colors.clear();
        read_colors(reader, |color, index| {
            let contact = contacts.get_at_mut(index).filter(|contact| is_coloured(contact, ends(bodies, contact)));
            let contact = contact.ok_or(SnapshotError::Corrupt("a coloured contact"))?;
            ensure(contact.slot.is_none(), "a coloured contact")?;
            let [a, b] =
                [contact.body_a, contact.body_b].map(|body| (bodies[body].kind == BodyKind::Dynamic).then_some(body));
            contact.slot = colors.place(index, color, a, b);
            ensure(contact.slot.is_some(), "the colour of a contact")
        })?;
        ensure(colors.constraint_count() == coloured, "the number of coloured contacts")
    }

    /// Reads a contact, and says whether it has a colour.
    fn read_contact(
        &mut self,
        index: u32,
        expected: &mut Expected,
        reader: &mut Reader<'_>,
    ) -> Result<bool, SnapshotError> {
        let link = self.links[index as usize];
        ensure(link.bodies[0] != link.bodies[1] && !link.bodies.contains(&NONE), "the bodies of a contact")?;
        let contact = &mut self.contacts[index];
        let mut shapes = [NONE; 2];
        for (shape, body) in shapes.iter_mut().zip(link.bodies) {
            let first = self.bodies[body].shapes.first().ok_or(SnapshotError::Corrupt("the shapes of a contact"))?;
            *shape = reader.number(*first);
            let is_whole = self.shapes.get_at(*shape).is_some_and(|shape| shape.body == body && shape.parts.is_empty());
            ensure(is_whole, "the shapes of a contact")?;
        }
        let [a, b] = shapes;
        ensure(a < b && self.pairs.insert(a, b, index), "the pair of a contact")?;
        (contact.shape_a, contact.shape_b) = (a, b);
        [contact.body_a, contact.body_b] = link.bodies;
        (contact.edges, contact.slot, contact.island_edge) = (link.edges, None, NONE);

        let words = reader.rare_row(&mut expected.traits);
        let [friction, restitution, rolling_resistance, surface_speed, x, y] = words.map(f32::from_bits);
        contact.material = Material { friction, restitution, rolling_resistance, surface_speed };
        contact.roundings = [x, y];
        ensure(all_finite(&words) && is_surface(&contact.material), "the surface of a contact")?;
        set_state(&reader.row(&mut expected.state), contact)?;
        let count = usize::from(contact.manifold.count);
        contact.manifold.points = [ContactPoint::NONE; 2];
        for place in 0..count {
            // Impulses may be infinite where a body was frozen.
            let words = reader.row(&mut expected.point);
            ensure(!any_nan(&words), "the point of a contact")?;
            contact.manifold.points[place] = point(words);
        }
        let ends = ends(&self.bodies, contact);
        // What pushes does so against something that can be moved, and no joint of the snapshot is asked about it.
        let is_idle = !contact.active || contact.sensor;
        ensure(is_idle || ends.iter().any(|body| body.kind == BodyKind::Dynamic), "a contact that pushes")?;
        Ok(is_coloured(contact, ends))
    }
}

/// Is one of these the bit pattern of no number?
fn any_nan(words: &[u32]) -> bool {
    words.iter().any(|&word| f32::from_bits(word).is_nan())
}

/// Rolling resistance is a length here, and belts add up.
fn is_surface(material: &Material) -> bool {
    let Material { friction, restitution, rolling_resistance, surface_speed } = *material;
    let tamed = Material { rolling_resistance: 0.0, surface_speed: 0.5 * surface_speed, friction, restitution };
    let by_hook = friction >= 0.0 && (0.0..=1.0).contains(&restitution);
    (validate_material(&tamed).is_ok() || by_hook) && rolling_resistance >= 0.0
}

fn ends<'b>(bodies: &'b carom_core::Pool<Body, crate::BodyId>, contact: &Contact) -> [&'b Body; 2] {
    [&bodies[contact.body_a], &bodies[contact.body_b]]
}

/// A contact has a colour if it pushes and one of its bodies is awake.
fn is_coloured(contact: &Contact, ends: [&Body; 2]) -> bool {
    contact.active && !contact.sensor && ends.iter().any(|body| body.set == AWAKE)
}
