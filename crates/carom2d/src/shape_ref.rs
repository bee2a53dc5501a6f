//! Reading and changing one attached shape: `world.shape(id)` and `world.shape_mut(id)`.

use crate::attach::{Shape, ShapeDef, ShapeId, density, fat_margin, one_way, validate_material};
use crate::body::{BodyId, NONE};
use crate::contact::{contact_of, side_of};
use crate::error::DefError;
use crate::filter::Filter;
use crate::material::Material;
use crate::math::{Aabb, Vec2};
use crate::query::CastResult;
use crate::record::{Call, can_be_written, is_whole};
use crate::shape::{Capsule, Circle, Geometry, Polygon};
use crate::stage::foresee::BOUNCY;
use crate::world::{World, WorldState};

impl World {
    /// A shape to read.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_shape`] returns an `Option` instead.
    #[track_caller]
    pub fn shape(&self, id: ShapeId) -> ShapeRef<'_> {
        match self.get_shape(id) {
            Some(shape) => shape,
            None => panic!("{}", DefError::stale(id)),
        }
    }

    /// A shape to read, if the handle is valid.
    pub fn get_shape(&self, id: ShapeId) -> Option<ShapeRef<'_>> {
        self.state.get_shape(id)
    }

    /// A shape to change.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_shape_mut`] returns an `Option` instead.
    #[track_caller]
    pub fn shape_mut(&mut self, id: ShapeId) -> ShapeMut<'_> {
        if !self.state.shapes.contains(id) {
            panic!("{}", DefError::stale(id));
        }
        ShapeMut { world: &mut self.state, id }
    }

    /// A shape to change, if the handle is valid.
    pub fn get_shape_mut(&mut self, id: ShapeId) -> Option<ShapeMut<'_>> {
        if self.state.shapes.contains(id) { Some(ShapeMut { world: &mut self.state, id }) } else { None }
    }
}

impl WorldState {
    pub(crate) fn get_shape(&self, id: ShapeId) -> Option<ShapeRef<'_>> {
        let record = self.shapes.get(id)?;
        Some(ShapeRef { world: self, id, record })
    }
}

/// A shape to read.
#[derive(Clone, Copy, Debug)]
pub struct ShapeRef<'w> {
    world: &'w WorldState,
    id: ShapeId,
    record: &'w Shape,
}

impl<'w> ShapeRef<'w> {
    /// The handle.
    pub fn id(&self) -> ShapeId {
        self.id
    }

    /// The body it is attached to.
    pub fn body(&self) -> BodyId {
        self.world.bodies.id_at(self.record.body).expect("a shape's body exists")
    }

    /// The outline in body coordinates.
    pub fn geometry(&self) -> &'w Geometry {
        &self.record.geometry
    }

    /// The surface.
    pub fn material(&self) -> Material {
        self.record.material
    }

    /// Mass per area in kg/m^2.
    pub fn density(&self) -> f32 {
        self.record.density
    }

    /// Which shapes it may meet.
    pub fn filter(&self) -> Filter {
        self.record.filter
    }

    /// Is it a sensor?
    pub fn is_sensor(&self) -> bool {
        self.record.sensor
    }

    /// The direction of a one-way platform, if it is one. See [`ShapeDef::one_way`].
    pub fn one_way(&self) -> Option<Vec2> {
        self.record.one_way
    }

    /// What the user stored.
    pub fn user_data(&self) -> u64 {
        self.record.user_data
    }

    /// A definition of the shape as it is now: its outline is the geometry in body coordinates.
    pub fn def(&self) -> ShapeDef {
        let Material { friction, restitution, rolling_resistance, surface_speed } = self.record.material;
        ShapeDef {
            density: self.record.density,
            friction,
            restitution,
            rolling_resistance,
            surface_speed,
            filter: self.record.filter,
            sensor: self.record.sensor,
            one_way: self.record.one_way,
            contact_events: self.record.contact_events,
            aabb_events: self.record.aabb_events,
            user_data: self.record.user_data,
            ..ShapeDef::geometry(self.record.geometry.clone())
        }
    }

    /// The box around the shape, without any margin.
    pub fn aabb(&self) -> Aabb {
        self.record.geometry.aabb(self.world.sim(self.record.body).pose())
    }

    /// Where a ray from `origin` along `translation`, in world coordinates, first meets this shape, if it does. A ray
    /// that starts inside meets it at fraction 0.
    pub fn ray(&self, origin: Vec2, translation: Vec2) -> Result<Option<CastResult>, DefError> {
        self.world.ray_one(self.id.index(), origin, translation)
    }

    /// Does a world point lie in the shape?
    pub fn contains(&self, point: Vec2) -> bool {
        let pose = self.world.sim(self.record.body).pose();
        self.record.geometry.contains(pose.inv_point(point))
    }

    /// The shapes that this sensor overlaps now, in the order of their indices; empty for others.
    pub fn overlaps(&self) -> Vec<ShapeId> {
        let mut found = Vec::new();
        if self.record.sensor {
            for contact in self.world.contacts_of(self.record.body) {
                if contact.is_touching() && contact.shape_a() == self.id {
                    found.push(contact.shape_b());
                } else if contact.is_touching() && contact.shape_b() == self.id {
                    found.push(contact.shape_a());
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A shape to change. Every setter checks its value first and changes nothing on an error.
#[derive(Debug)]
pub struct ShapeMut<'w> {
    world: &'w mut WorldState,
    id: ShapeId,
}

impl ShapeMut<'_> {
    fn index(&self) -> u32 {
        self.id.index()
    }

    /// The same shape to read.
    pub fn get(&self) -> ShapeRef<'_> {
        ShapeRef { world: self.world, id: self.id, record: &self.world.shapes[self.index()] }
    }

    /// Replaces outline and surface by those of a definition, keeping the handle. Contacts begin
    /// again, and the body's mass follows.
    pub fn replace(&mut self, def: ShapeDef) -> Result<(), DefError> {
        if can_be_written(&def) {
            self.world.note(|| Call::Replace { id: self.id, def: def.clone() });
        }
        let geometry = def.build()?;
        self.restart(|shape| {
            shape.geometry = geometry;
            shape.material = def.material();
            shape.density = def.density;
            shape.filter = def.filter;
            shape.sensor = def.sensor;
            shape.one_way = def.one_way;
            shape.contact_events = def.contact_events;
            shape.aabb_events = def.aabb_events;
            shape.user_data = def.user_data;
        });
        Ok(())
    }

    /// Replaces the outline, in body coordinates. Contacts start again, and the body's mass follows.
    pub fn set_geometry(&mut self, geometry: Geometry) -> Result<(), DefError> {
        if is_whole(&geometry) {
            self.world.note(|| Call::SetGeometry { id: self.id, geometry: geometry.clone() });
        }
        geometry.validate()?;
        if let Geometry::Part(_) = geometry {
            return Err(DefError::field("geometry", "a part", "a whole chain or concave polygon"));
        }
        self.restart(|shape| shape.geometry = geometry);
        Ok(())
    }

    /// Adds a corner to a polygon, in body coordinates: it becomes the convex hull of its corners and
    /// the new one. The other corners stay where they are in the world, as long as the hull has them.
    /// Refused for other shapes.
    pub fn add_vertex(&mut self, vertex: Vec2) -> Result<(), DefError> {
        let Geometry::Polygon(polygon) = &self.world.shapes[self.index()].geometry else {
            return Err(DefError::field("vertex", vertex, "a convex polygon to add it to"));
        };
        let points: Vec<Vec2> = polygon.vertices().iter().copied().chain([vertex]).collect();
        let hull = Polygon::convex(&points)?;
        let hull = if polygon.radius() > 0.0 { hull.with_radius(polygon.radius())? } else { hull };
        self.set_geometry(Geometry::Polygon(hull))
    }

    /// Changes the radius of a circle, a capsule or the corners of a polygon, in metres. Refused for
    /// other shapes.
    pub fn set_radius(&mut self, radius: f32) -> Result<(), DefError> {
        let geometry = match self.world.shapes[self.index()].geometry.clone() {
            Geometry::Circle(circle) => Circle { radius, ..circle }.into(),
            Geometry::Capsule(capsule) => Capsule { radius, ..capsule }.into(),
            Geometry::Polygon(polygon) => polygon.with_radius(radius)?.into(),
            _ => return Err(DefError::field("radius", radius, "a shape that has one")),
        };
        self.set_geometry(geometry)
    }

    /// Changes which shapes it may meet. Contacts start again.
    pub fn set_filter(&mut self, filter: Filter) {
        self.world.note(|| Call::SetFilter { id: self.id, filter });
        self.restart(|shape| shape.filter = filter);
    }

    /// Makes it a sensor, or solid.
    pub fn set_sensor(&mut self, sensor: bool) {
        self.world.note(|| Call::SetSensor { id: self.id, sensor });
        self.restart(|shape| shape.sensor = sensor);
    }

    /// Makes it a one-way platform, or solid all around. See [`ShapeDef::one_way`].
    pub fn set_one_way(&mut self, direction: Option<Vec2>) -> Result<(), DefError> {
        self.world.note(|| Call::SetOneWay { id: self.id, direction });
        one_way("one_way", direction)?;
        self.restart(|shape| shape.one_way = direction);
        Ok(())
    }

    /// Ends all contacts, makes the change, and lets the shape look for partners again.
    fn restart(&mut self, change: impl FnOnce(&mut Shape)) {
        let shape = self.index();
        let body = self.world.shapes[shape].body;
        self.world.wake(body);
        self.world.destroy_contacts_of_shape(shape);
        let had_parts = !self.world.shapes[shape].parts.is_empty();
        change(&mut self.world.shapes[shape]);
        if had_parts || self.world.shapes[shape].geometry.is_compound() {
            self.world.leave(shape);
            let record = &mut self.world.shapes[shape];
            record.margin = fat_margin(&record.geometry);
            self.world.update_mass(body);
            self.world.enter(shape);
            return;
        }
        self.world.update_form(shape);
        let record = &self.world.shapes[shape];
        if record.proxy != NONE {
            self.world.broad.set_filter(record.proxy, record.broad_filter());
        }
        let pose = self.world.sim(body).pose();
        self.world.update_mass(body);
        self.world.refresh_proxy(shape, pose, true);
    }

    /// Changes the surface, at once also for present contacts.
    pub fn set_material(&mut self, material: Material) -> Result<(), DefError> {
        self.world.note(|| Call::SetMaterial { id: self.id, material });
        validate_material(&material)?;
        self.world.bounces |= material.restitution >= BOUNCY;
        let shape = self.index();
        for part in self.world.shapes[shape].parts.clone() {
            self.world.shapes[part].material = material;
        }
        self.world.shapes[shape].material = material;
        let body = self.world.shapes[shape].body;
        self.world.wake(body);
        let mut key = self.world.bodies[body].contact_head;
        while key != NONE {
            let index = contact_of(key);
            let contact = &self.world.contacts[index];
            key = contact.edges[side_of(key)].next;
            if self.world.owner_of(contact.shape_a) == shape || self.world.owner_of(contact.shape_b) == shape {
                let other = contact.other_body(body);
                self.world.remix(index);
                self.world.wake(other);
            }
        }
        Ok(())
    }

    /// Changes the density in kg/m^2; the body's mass follows.
    pub fn set_density(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetDensity { id: self.id, value });
        let value = density("density", value)?;
        let shape = self.index();
        for part in self.world.shapes[shape].parts.clone() {
            self.world.shapes[part].density = value;
        }
        self.world.shapes[shape].density = value;
        let body = self.world.shapes[shape].body;
        self.world.wake(body);
        self.world.update_mass(body);
        Ok(())
    }

    /// Stores anything the user likes.
    pub fn set_user_data(&mut self, value: u64) {
        self.world.note(|| Call::SetShapeData { id: self.id, value });
        let shape = self.index();
        self.world.shapes[shape].user_data = value;
    }
}
