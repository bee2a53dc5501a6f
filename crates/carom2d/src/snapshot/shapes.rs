//! Shapes, in the order of their slots.

use super::outlines::{Outlines, read_outline, write_outline};
use super::rows::{Reader, Writer};
use super::{SnapshotError, Staged, all_finite, bit, bits, ensure};
use crate::attach::{Shape, density, one_way, validate_material};
use crate::body::NONE;
use crate::filter::Filter;
use crate::material::Material;
use crate::math::{Aabb, vec2};
use crate::shape::Geometry;
use crate::world::WorldState;

/// What hardly ever changes of a shape.
const TRAITS: usize = 16;

fn traits(shape: &Shape) -> [u32; TRAITS] {
    let Shape {
        body: _,
        geometry: _,
        material: Material { friction, restitution, rolling_resistance, surface_speed },
        density,
        filter: Filter { category, mask, group },
        sensor,
        one_way,
        contact_events,
        aabb_events,
        margin,
        fat_aabb: _,
        proxy: _,
        moved,
        paired,
        owner: _,
        parts: _,
        user_data,
    } = shape;
    let flags = bits([*sensor, *contact_events, *aabb_events, *moved, *paired, one_way.is_some()]);
    let direction = one_way.unwrap_or_default();
    let floats =
        [*friction, *restitution, *rolling_resistance, *surface_speed, *density, direction.x, direction.y, *margin];
    let mut words = [0; TRAITS];
    words[..8].copy_from_slice(&floats.map(f32::to_bits));
    words[8] = flags;
    words[9] = *group as u32;
    for (place, double) in [*category, *mask, *user_data].into_iter().enumerate() {
        (words[10 + 2 * place], words[11 + 2 * place]) = (double as u32, (double >> 32) as u32);
    }
    words
}

fn set_traits(words: &[u32; TRAITS], shape: &mut Shape) -> Result<(), SnapshotError> {
    let float = |place: usize| f32::from_bits(words[place]);
    let double = |place: usize| u64::from(words[10 + 2 * place]) | u64::from(words[11 + 2 * place]) << 32;
    let flag = |place: u32| bit(words[8], place);
    shape.material =
        Material { friction: float(0), restitution: float(1), rolling_resistance: float(2), surface_speed: float(3) };
    (shape.density, shape.margin) = (float(4), float(7));
    shape.one_way = flag(5).then(|| vec2(float(5), float(6)));
    (shape.sensor, shape.contact_events, shape.aabb_events) = (flag(0), flag(1), flag(2));
    (shape.moved, shape.paired) = (flag(3), flag(4));
    shape.filter = Filter { category: double(0), mask: double(1), group: words[9] as i32 };
    shape.user_data = double(2);
    let is_valid = validate_material(&shape.material).is_ok() && density("", shape.density).is_ok();
    ensure(is_valid && one_way("", shape.one_way).is_ok(), "the surface of a shape")?;
    ensure(shape.margin >= 0.0 && shape.margin.is_finite(), "the margin of a shape")
}

fn box_words(aabb: &Aabb) -> [u32; 4] {
    [aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y].map(f32::to_bits)
}

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    let (mut expected_traits, mut expected_box) = ([0; TRAITS], [0; 4]);
    let mut last: Option<&Geometry> = None;
    for (id, shape) in world.shapes.iter() {
        writer.rare_row(&traits(shape), &mut expected_traits);
        writer.row(&box_words(&shape.fat_aabb), &mut expected_box);
        // Parts are found in the geometry of their owner.
        writer.word(u32::from(shape.owner != NONE));
        if shape.owner == NONE {
            write_outline(&shape.geometry, last, writer);
            last = Some(&shape.geometry);
            writer.count(shape.parts.len());
            let mut next = id.index().wrapping_add(1);
            for &part in &shape.parts {
                writer.number(part, next);
                next = part.wrapping_add(1);
            }
        }
    }
}

impl Staged {
    pub(super) fn read_shapes(&mut self, world: &WorldState, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let (mut expected_traits, mut expected_box) = ([0; TRAITS], [0; 4]);
        let mut last: Option<u32> = None;
        for index in 0..self.slots.shapes.generations.len() as u32 {
            if !self.slots.shapes.is_used(index) {
                continue;
            }
            let shape = &mut self.shapes[index];
            set_traits(&reader.rare_row(&mut expected_traits), shape)?;
            let words = reader.row(&mut expected_box);
            let [x, y, right, top] = words.map(f32::from_bits);
            shape.fat_aabb = Aabb::new(vec2(x, y), vec2(right, top));
            ensure(all_finite(&words) && x <= right && y <= top, "the box of a shape")?;
            shape.body = self.body_of_shape[index as usize];
            ensure(shape.body != NONE, "the body of a shape")?;
            (shape.proxy, shape.owner) = (NONE, NONE);
            shape.parts.clear();
            if reader.word() != 0 {
                // Until it is claimed.
                shape.owner = index;
                continue;
            }
            let known = Outlines {
                last: last.map(|last| &self.shapes[last].geometry),
                here: [self.shapes.get_at(index), world.shapes.get_at(index)].map(|shape| Some(&shape?.geometry)),
            };
            let geometry = read_outline(known, reader)?;
            let shape = &mut self.shapes[index];
            shape.geometry = geometry;
            last = Some(index);
            let count = reader.count(1)?;
            ensure(count == shape.geometry.parts().len(), "the parts of a shape")?;
            let mut next = index.wrapping_add(1);
            for _ in 0..count {
                let part = reader.number(next);
                shape.parts.push(part);
                next = part.wrapping_add(1);
            }
        }
        self.claim_parts()
    }

    /// Gives parts their geometries and owners. Every one must be a part of one shape, of the same body.
    fn claim_parts(&mut self) -> Result<(), SnapshotError> {
        self.compounds.part_count = 0;
        for index in 0..self.slots.shapes.generations.len() as u32 {
            if self.shapes.get_at(index).is_none_or(|shape| shape.parts.is_empty()) {
                continue;
            }
            let owner = &mut self.shapes[index];
            let (parts, geometry, body) = (std::mem::take(&mut owner.parts), owner.geometry.clone(), owner.body);
            let claimed = parts.iter().zip(geometry.parts()).all(|(&part, geometry)| {
                let record = self.shapes.get_at_mut(part).filter(|record| record.owner == part && record.body == body);
                record.is_some_and(|record| {
                    (record.owner, record.geometry) = (index, Geometry::Part(geometry.clone()));
                    true
                })
            });
            self.compounds.part_count += parts.len();
            self.shapes[index].parts = parts;
            ensure(claimed, "the parts of a shape")?;
        }
        let unclaimed = self.shapes.iter().any(|(id, shape)| shape.owner == id.index());
        ensure(!unclaimed, "the owner of a part")
    }
}
