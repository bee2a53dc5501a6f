//! Reading contacts: which shapes touch, where, and how hard.

use crate::attach::ShapeId;
use crate::body::{BodySim, NONE};
use crate::contact::{Contact, ContactId, contact_of, side_of};
use crate::material::Material;
use crate::math::Vec2;
use crate::world::{World, WorldState};

impl World {
    /// All contacts: pairs of shapes whose boxes overlap, touching or only near, by index.
    pub fn contacts(&self) -> impl Iterator<Item = ContactRef<'_>> {
        self.state.contacts.iter().map(|(id, record)| ContactRef { world: &self.state, id, record })
    }

    /// How many contacts there are, touching or only near.
    pub fn contact_count(&self) -> usize {
        self.state.contacts.len()
    }

    /// A contact, if the handle is valid.
    pub fn get_contact(&self, id: ContactId) -> Option<ContactRef<'_>> {
        let record = self.state.contacts.get(id)?;
        Some(ContactRef { world: &self.state, id, record })
    }
}

impl WorldState {
    pub(crate) fn contacts_of(&self, body: u32) -> impl Iterator<Item = ContactRef<'_>> {
        let mut key = self.bodies[body].contact_head;
        std::iter::from_fn(move || {
            if key == NONE {
                return None;
            }
            let index = contact_of(key);
            let record = &self.contacts[index];
            key = record.edges[side_of(key)].next;
            let id = self.contacts.id_at(index).expect("a listed contact exists");
            Some(ContactRef { world: self, id, record })
        })
    }
}

/// A pair of shapes whose boxes overlap.
#[derive(Clone, Copy, Debug)]
pub struct ContactRef<'w> {
    world: &'w WorldState,
    id: ContactId,
    record: &'w Contact,
}

/// A point where two shapes touch or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPointView {
    /// Where, in world coordinates, at the start of the last step; of an ellipse that turns, in its middle.
    pub point: Vec2,
    /// Where, in world coordinates, at the end of the last step: halfway between where it came with each
    /// of the two bodies.
    pub point_now: Vec2,
    /// Distance between the surfaces in metres at the start of the last step; negative when they
    /// overlap.
    pub separation: f32,
    /// Impulse along the normal over the last step, in N s. Divided by the step it is the force.
    pub normal_impulse: f32,
    /// Impulse of friction along the tangent `(n.y, -n.x)` on shape b over the last step, in N s.
    pub tangent_impulse: f32,
    /// Normal velocity at the start of the last step in m/s; negative when approaching.
    pub approach_velocity: f32,
    /// Which features of the two shapes make this point; stays the same while they do.
    pub feature: u16,
}

impl<'w> ContactRef<'w> {
    /// The handle.
    pub fn id(&self) -> ContactId {
        self.id
    }

    /// The shape with the lower index, or that of the part with the lower index: chains and concave
    /// polygons have a contact for each of their parts that is near.
    pub fn shape_a(&self) -> ShapeId {
        self.world.owner_id(self.record.shape_a)
    }

    /// The other shape.
    pub fn shape_b(&self) -> ShapeId {
        self.world.owner_id(self.record.shape_b)
    }

    /// Do the surfaces touch: overlap, or push each other?
    pub fn is_touching(&self) -> bool {
        self.record.touching
    }

    /// Is one of the shapes a sensor?
    pub fn is_sensor(&self) -> bool {
        self.record.sensor
    }

    /// Do the bounding boxes overlap? Kept only for shapes with
    /// [`ShapeDef::aabb_events`](crate::ShapeDef::aabb_events).
    pub fn boxes_overlap(&self) -> bool {
        self.record.boxes_touching
    }

    /// Unit normal from a to b; zero when the shapes are not near enough to have one.
    pub fn normal(&self) -> Vec2 {
        self.record.manifold.normal
    }

    /// The surface of the contact, mixed from both shapes; `rolling_resistance` is in metres here.
    pub fn material(&self) -> Material {
        self.record.material
    }

    /// The colour of the constraint, while it is awake and pushes.
    pub fn color(&self) -> Option<u8> {
        self.record.slot.map(|slot| slot.color())
    }

    /// The contact points: none, one or two.
    pub fn points(&self) -> impl Iterator<Item = ContactPointView> + use<'w> {
        let manifold = &self.record.manifold;
        let (a, b) = (self.world.sim(self.record.body_a), self.world.sim(self.record.body_b));
        let carried =
            |sim: &BodySim, anchor: Vec2| sim.center + sim.rotation.rotate(sim.rotation_before.inv_rotate(anchor));
        manifold.points[..manifold.count as usize].iter().zip(manifold.ids).map(move |(point, id)| ContactPointView {
            point: a.center_before + point.anchor_a,
            point_now: 0.5 * (carried(a, point.anchor_a) + carried(b, point.anchor_b)),
            separation: point.separation,
            normal_impulse: point.total_impulse,
            tangent_impulse: point.total_tangent,
            approach_velocity: point.approach_velocity,
            feature: id,
        })
    }
}
