//! Shapes that consist of parts, in a world.
//!
//! To the caller a chain or a concave polygon is one shape with one handle. Inside, each of its
//! parts is a shape of its own, with an entry in the broad phase and contacts, so that no stage
//! of the step knows the difference. The record that the handle names is the *owner*: it has the
//! whole geometry, from which the mass comes, and no entry in the broad phase.
//!
//! What is reported is reported of the owners, once: two shapes touch while any of their parts
//! do. A body that slides from part to part ends one contact and begins another in the same
//! step, so the count is looked at when the step is over.

use crate::attach::{Shape, ShapeId, fat_margin};
use crate::body::NONE;
use crate::collide::Form;
use crate::events::ContactEvent;
use crate::math::{Aabb, Vec2};
use crate::sets::{DISABLED, FIRST_SLEEPING};
use crate::shape::Geometry;
use crate::world::WorldState;
use std::collections::BTreeMap;

/// Two owners, the one with the lower handle first, and what their contact is to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub(crate) a: ShapeId,
    pub(crate) b: ShapeId,
    pub(crate) sensor_a: bool,
    pub(crate) sensor_b: bool,
    /// Contact events are enabled for both.
    pub(crate) contact_events: bool,
}

/// How many parts of a pair touch, and overlap with their boxes, now and when that was last reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) touching: u32,
    pub(crate) boxes: u32,
    /// A part passed through a sensor within the step.
    pub(crate) crossed: bool,
    pub(crate) touch_reported: bool,
    pub(crate) boxes_reported: bool,
}

/// What a world remembers of shapes with parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compounds {
    pub(crate) part_count: usize,
    pub(crate) tallies: BTreeMap<Pair, Tally>,
}

impl Compounds {
    pub(crate) fn part_count(&self) -> usize {
        self.part_count
    }
}

/// What a contact between parts began or ceased to do.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Change {
    Touch(bool),
    Boxes(bool),
    /// They overlapped within the step, but neither at its start nor at its end.
    Cross,
}

/// So many shapes that are gone may be on the list of those that moved, beside as many as there are.
const SOME_GONE: usize = 64;

impl WorldState {
    /// The shape that the caller knows a part by: its owner, or itself.
    #[inline]
    pub(crate) fn owner_of(&self, shape: u32) -> u32 {
        let owner = self.shapes[shape].owner;
        if owner == NONE { shape } else { owner }
    }

    /// The handle that the caller knows a shape or a part by.
    pub(crate) fn owner_id(&self, shape: u32) -> ShapeId {
        self.shapes.id_at(self.owner_of(shape)).expect("the owner of a shape exists")
    }

    /// Puts a shape where the step finds it: into the broad phase, or its parts if it has some.
    pub(crate) fn enter(&mut self, shape: u32) {
        if !self.shapes[shape].geometry.is_compound() {
            self.enter_broad_phase(shape);
            return;
        }
        let owner = self.shapes[shape].clone();
        for part in owner.geometry.parts() {
            let geometry = Geometry::Part(part.clone());
            let margin = fat_margin(&geometry);
            let aabb = geometry.aabb(self.sim(owner.body).pose());
            let record = Shape {
                geometry,
                margin,
                fat_aabb: aabb,
                owner: shape,
                parts: Vec::new(),
                proxy: NONE,
                moved: false,
                paired: false,
                ..owner.clone()
            };
            let part = self.shapes.insert(record).index();
            self.shapes[shape].parts.push(part);
            self.bodies[owner.body].shapes.push(part);
            self.compounds.part_count += 1;
            self.enter_broad_phase(part);
        }
    }

    /// Brings the form of a shape up to date with its geometry, and the list of sensors.
    pub(crate) fn update_form(&mut self, shape: u32) {
        if self.shapes[shape].sensor {
            self.sensors.insert(shape);
        } else {
            self.sensors.remove(shape);
        }
        if self.forms.len() <= shape as usize {
            self.forms.resize(shape as usize + 1, Form::NONE);
        }
        self.forms[shape as usize] = Form::new(&self.shapes[shape].geometry);
    }

    /// Has the fat box of a shape where the narrow phase looks for it.
    pub(crate) fn note_fat_box(&mut self, shape: u32) {
        if self.fat_boxes.len() <= shape as usize {
            self.fat_boxes.resize(shape as usize + 1, Aabb::new(Vec2::ZERO, Vec2::ZERO));
        }
        self.fat_boxes[shape as usize] = self.shapes[shape].fat_aabb;
    }

    fn enter_broad_phase(&mut self, shape: u32) {
        self.update_form(shape);
        let body = self.shapes[shape].body;
        let (kind, set) = (self.bodies[body].kind, self.bodies[body].set);
        if set == DISABLED {
            return;
        }
        let sim = self.sim_mut(body);
        sim.room = 0.0;
        let pose = sim.pose();
        let record = &mut self.shapes[shape];
        record.fat_aabb = record.fattened(pose);
        record.proxy = self.broad.insert(shape, &record.fat_aabb, record.broad_filter(), kind);
        // A body made asleep must not wake its likewise sleeping neighbours: it looks for
        // partners when it wakes.
        if set < FIRST_SLEEPING {
            record.moved = true;
            self.moved.push(shape);
        }
        self.note_fat_box(shape);
    }

    /// Takes a shape and its parts out of the step's sight. Its contacts are gone already.
    pub(crate) fn leave(&mut self, shape: u32) {
        let parts = std::mem::take(&mut self.shapes[shape].parts);
        let body = self.shapes[shape].body;
        let mut any_moved = false;
        for &index in parts.iter().chain(std::iter::once(&shape)) {
            self.sensors.remove(index);
            let record = &mut self.shapes[index];
            any_moved |= std::mem::replace(&mut record.moved, false);
            let proxy = std::mem::replace(&mut record.proxy, NONE);
            if proxy != NONE {
                self.broad.remove(proxy);
            }
        }
        // Those that are gone stay on the list of those that moved until they are too many: a thousand shapes that are
        // removed between two steps would each go through it.
        if any_moved && self.moved.len() > 2 * self.shapes.len() + SOME_GONE {
            self.moved.sort_unstable();
            self.moved.dedup();
            let shapes = &self.shapes;
            self.moved.retain(|&other| shapes.get_at(other).is_some_and(|record| record.moved));
        }
        if !parts.is_empty() {
            let shapes = &self.shapes;
            self.bodies[body].shapes.retain(|&other| shapes[other].owner != shape);
            self.compounds.part_count -= parts.len();
        }
        for part in parts {
            self.shapes.remove_at(part);
        }
    }

    /// The box that the broad phase keeps for a shape, or the box around those of its parts.
    pub(crate) fn fat_box(&self, shape: u32) -> Option<Aabb> {
        let boxed = |shape: &u32| (self.shapes[*shape].proxy != NONE).then_some(self.shapes[*shape].fat_aabb);
        let parts = &self.shapes[shape].parts;
        if parts.is_empty() { boxed(&shape) } else { parts.iter().filter_map(boxed).reduce(|a, b| a.union(&b)) }
    }

    /// Counts a change between two shapes if one is a part, for the report after the step. False when neither
    /// is: then the change is to be reported at once.
    pub(crate) fn count_change(&mut self, shape_a: u32, shape_b: u32, change: Change) -> bool {
        let (a, b) = (&self.shapes[shape_a], &self.shapes[shape_b]);
        if a.owner == NONE && b.owner == NONE {
            return false;
        }
        let ends = [(self.owner_id(shape_a), a.sensor), (self.owner_id(shape_b), b.sensor)];
        let [(id_a, sensor_a), (id_b, sensor_b)] = if ends[0].0 <= ends[1].0 { ends } else { [ends[1], ends[0]] };
        let pair = Pair { a: id_a, b: id_b, sensor_a, sensor_b, contact_events: a.contact_events && b.contact_events };
        let tally = self.compounds.tallies.entry(pair).or_default();
        let (count, more) = match change {
            Change::Touch(more) => (&mut tally.touching, more),
            Change::Boxes(more) => (&mut tally.boxes, more),
            Change::Cross => {
                tally.crossed = true;
                return true;
            }
        };
        // Every contact that ends was counted, except in snapshots that no world wrote.
        *count = if more { *count + 1 } else { count.saturating_sub(1) };
        true
    }

    /// Reports which shapes with parts began and ceased to touch, now that the step is over.
    pub(crate) fn report_compounds(&mut self) {
        let log = &mut self.log;
        self.compounds.tallies.retain(|pair, tally| {
            let event = ContactEvent { shape_a: pair.a, shape_b: pair.b };
            let touching = tally.touching > 0;
            let crossed = std::mem::replace(&mut tally.crossed, false);
            if touching != tally.touch_reported {
                tally.touch_reported = touching;
                if pair.sensor_a || pair.sensor_b {
                    log.push_sensor(touching, &event, [pair.sensor_a, pair.sensor_b]);
                } else if pair.contact_events {
                    if touching { &mut log.contact_begin } else { &mut log.contact_end }.push(event);
                }
            } else if crossed && !touching {
                for begins in [true, false] {
                    log.push_sensor(begins, &event, [pair.sensor_a, pair.sensor_b]);
                }
            }
            let boxes = tally.boxes > 0;
            if boxes != tally.boxes_reported {
                tally.boxes_reported = boxes;
                if boxes { &mut log.aabb_begin } else { &mut log.aabb_end }.push(event);
            }
            touching || boxes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    /// Shapes that come and go between two steps leave no trace, and do not pile up.
    #[test]
    fn removed_shapes_are_forgotten() {
        let mut world = World::new(WorldDef::default());
        let body = world.add_body(BodyDef::dynamic()).unwrap();
        let kept = world.add_shape(body, ShapeDef::circle(0.5)).unwrap();
        for _ in 0..1000 {
            let shape = world.add_shape(body, ShapeDef::circle(1.0)).unwrap();
            world.remove_shape(shape).unwrap();
            let most = 2 * (world.state.shapes.len() + 1) + SOME_GONE;
            assert!(world.state.moved.len() <= most, "{} on the list", world.state.moved.len());
        }
        assert!(world.state.shapes[kept.index()].moved);
        world.validate();
        // The place of one that is gone is taken by one that must not look for partners.
        let asleep = world.add_body(BodyDef { position: vec2(9.0, 0.0), awake: false, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(asleep, ShapeDef::circle(0.5)).unwrap();
        world.validate();
        world.step(1.0 / 60.0);
        world.validate();
        assert!(!world.body(asleep).is_awake());
    }
}
