//! Attaching shapes to bodies, and removing them.

use super::{World, WorldState};
use crate::attach::{Shape, ShapeDef, ShapeId, fat_margin};
use crate::body::{BodyId, NONE};
use crate::contact::contact_of;
use crate::error::DefError;
use crate::record::{Call, can_be_written};
use crate::shape::Geometry;
use crate::stage::foresee::BOUNCY;

impl World {
    /// Attaches a shape to a body. The body's mass follows unless it was set by hand.
    pub fn add_shape(&mut self, body: BodyId, def: ShapeDef) -> Result<ShapeId, DefError> {
        if can_be_written(&def) {
            self.note(|| Call::AddShape { body, def: def.clone() });
        }
        self.state.check_body(body)?;
        let geometry = def.build()?;
        self.state.wake_to_change(body.index());
        let id = self.state.attach(body.index(), &def, geometry);
        self.state.update_mass(body.index());
        Ok(id)
    }

    /// Attaches several shapes to a body, or none if one of them is refused. Takes less time than one after
    /// the other, which recomputes the body's mass for each.
    pub fn add_shapes(&mut self, body: BodyId, defs: &[ShapeDef]) -> Result<Vec<ShapeId>, DefError> {
        if defs.iter().all(can_be_written) {
            self.note(|| Call::AddShapes { body, defs: defs.to_vec() });
        }
        self.state.check_body(body)?;
        let geometries = defs.iter().map(ShapeDef::build).collect::<Result<Vec<Geometry>, DefError>>()?;
        self.state.wake_to_change(body.index());
        let attach = |(def, geometry)| self.state.attach(body.index(), def, geometry);
        let ids = defs.iter().zip(geometries).map(attach).collect();
        self.state.update_mass(body.index());
        Ok(ids)
    }

    /// Removes a shape from its body. What rested on it wakes.
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<(), DefError> {
        self.note(|| Call::RemoveShape { id });
        self.state.check_shape(id)?;
        let body = self.state.shapes[id.index()].body;
        self.state.wake(body);
        self.state.detach(id.index());
        self.state.update_mass(body);
        Ok(())
    }

    /// True when the handle names a shape of this world.
    pub fn contains_shape(&self, id: ShapeId) -> bool {
        self.state.shapes.contains(id)
    }

    /// Handles of all shapes, in the order of their indices.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeId> + '_ {
        self.state.shapes.iter().filter(|(_, shape)| shape.owner == NONE).map(|(id, _)| id)
    }

    /// How many shapes there are.
    pub fn shape_count(&self) -> usize {
        self.state.shapes.len() - self.state.compounds.part_count()
    }
}

impl WorldState {
    /// Wakes a body that has gone to sleep. One that was made asleep gets its shapes asleep.
    fn wake_to_change(&mut self, body: u32) {
        if self.bodies[body].shapes.iter().any(|&shape| self.shapes[shape].paired) {
            self.wake(body);
        }
    }

    /// Adds a shape to a body, whose mass is to be made up afterwards.
    fn attach(&mut self, body: u32, def: &ShapeDef, geometry: Geometry) -> ShapeId {
        self.bounces |= def.restitution >= BOUNCY;
        let aabb = geometry.aabb(self.sim(body).pose());
        let id = self.shapes.insert(Shape {
            body,
            margin: fat_margin(&geometry),
            geometry,
            material: def.material(),
            density: def.density,
            filter: def.filter,
            sensor: def.sensor,
            one_way: def.one_way,
            contact_events: def.contact_events,
            aabb_events: def.aabb_events,
            fat_aabb: aabb,
            proxy: NONE,
            moved: false,
            paired: false,
            owner: NONE,
            parts: Vec::new(),
            user_data: def.user_data,
        });
        self.bodies[body].shapes.push(id.index());
        self.enter(id.index());
        id
    }

    pub(super) fn detach(&mut self, shape: u32) {
        let body = self.shapes[shape].body;
        self.destroy_contacts_of_shape(shape);
        self.leave(shape);
        self.bodies[body].shapes.retain(|&other| other != shape);
        self.shapes.remove_at(shape);
    }

    pub(crate) fn destroy_contacts_of_shape(&mut self, shape: u32) {
        let body = self.shapes[shape].body;
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let index = contact_of(key);
            let contact = &self.contacts[index];
            key = contact.edges[crate::contact::side_of(key)].next;
            if self.owner_of(contact.shape_a) == shape || self.owner_of(contact.shape_b) == shape {
                self.destroy_contact(index, true);
            }
        }
    }

    /// Makes a shape look for partners again, after its filter or outline changed.
    pub(crate) fn mark_moved(&mut self, shape: u32) {
        let record = &mut self.shapes[shape];
        if record.proxy != NONE {
            self.broad.forget(record.proxy);
            if !record.moved {
                record.moved = true;
                self.moved.push(shape);
            }
        }
    }

    pub(crate) fn check_shape(&self, id: ShapeId) -> Result<(), DefError> {
        if self.shapes.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }
}
