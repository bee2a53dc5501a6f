//! Contacts: pairs of shapes whose fat boxes overlap, with the points where they touch.
//!
//! A contact lives as long as the fat boxes overlap. It sits in three structures at once:
//! the pool; the contact lists of its two bodies (doubly linked through `edges`); and, while one of
//! its bodies is awake, in the set of awake contacts. While it touches and pushes, it is also an
//! edge of the island graph and a constraint in a colour.

use crate::attach::Shape;
use crate::body::{BodyKind, NONE};
use crate::collide::{LINEAR_SLOP, Reference};
use crate::compound::Change;
use crate::events::ContactEvent;
use crate::hooks::ContactPhase;
use crate::material::Material;
use crate::math::{Vec2, max};
use crate::stage::contacts::ContactCandidate;
use crate::stage::recover::SHALLOWEST;
use crate::world::WorldState;
use carom_core::Slot;
use carom_wide::prefetch_at;

carom_core::define_id! {
    /// A handle to a contact: a pair of shapes near each other.
    pub struct ContactId;
}

/// One point of a contact, in world coordinates, with what the solver remembers of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct ContactPoint {
    /// From the centre of mass of body a, and of body b, to the point.
    pub(crate) anchor_a: Vec2,
    pub(crate) anchor_b: Vec2,
    /// Distance between the surfaces at the start of the step; negative when they overlap.
    pub(crate) separation: f32,
    /// Normal velocity at the start of the step in m/s; negative when approaching.
    pub(crate) approach_velocity: f32,
    /// Impulses of the last sub-step, in N s: the warm start of the next.
    pub(crate) normal_impulse: f32,
    pub(crate) tangent_impulse: f32,
    /// Sums of the impulses over the last step.
    pub(crate) total_impulse: f32,
    pub(crate) total_tangent: f32,
}

carom_wide::quads!(
    ContactPoint:
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
);

impl ContactPoint {
    /// Stands for a point that is not there.
    pub(crate) const NONE: ContactPoint = ContactPoint {
        anchor_a: Vec2::ZERO,
        anchor_b: Vec2::ZERO,
        separation: 0.0,
        approach_velocity: 0.0,
        normal_impulse: 0.0,
        tangent_impulse: 0.0,
        total_impulse: 0.0,
        total_tangent: 0.0,
    };
}

/// Where and how two shapes touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct ContactManifold {
    /// Unit vector from a to b.
    pub(crate) normal: Vec2,
    pub(crate) points: [ContactPoint; 2],
    /// The pairs of features that make the points.
    pub(crate) ids: [u16; 2],
    pub(crate) count: u8,
    pub(crate) reference: Reference,
    pub(crate) present: Present,
}

/// One byte with one value. No other field of a contact has as many left over, so it is this one that tells whether there
/// is a contact in a slot of the pool: in a cache line that is read anyway, which is not so of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Present {
    #[default]
    Yes = 1,
}

impl ContactManifold {
    /// May the overlap be deeper than a load explains? `stage/recover.rs` knows for sure.
    #[inline]
    pub(crate) fn may_be_deep(&self) -> bool {
        self.points[..self.count as usize].iter().any(|point| point.separation < -SHALLOWEST)
    }

    /// True when a fast impact was found late in a step of `dt` seconds: what `restitution::found_late` says of blocks.
    #[inline]
    pub(crate) fn is_late(&self, dt: f32) -> bool {
        self.points[..self.count as usize].iter().any(|point| {
            let path = point.approach_velocity * dt;
            point.separation < 0.0 && point.separation >= path && path < -LINEAR_SLOP
        })
    }
}

/// How an overlap came about that may be deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// There is none, or the bodies were driven into each other.
    Driven,
    /// They did not touch before this step.
    New,
    /// They were put into each other, and have not been apart since.
    Put,
}

/// What is known of a contact's course within the step: see `stage/foresee.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impact {
    /// Nothing: points and normal are those of its start.
    None,
    /// No impact. Of round shapes: the normal turns within the step, see `stage/turn.rs`.
    Turning,
    /// The shapes will meet. The points are those of that moment.
    Foreseen,
    /// The shapes will meet, or met a moment ago. The points are those of the start of the step.
    Near,
    /// They met in one of the last steps, at a corner that has turned ever since.
    Landed,
    /// One of the bodies will take an impact from another contact, and passes it on.
    PassedOn,
}

/// A pair of shapes whose fat boxes overlap. `a` is the shape with the lower index.
///
/// Contacts are solved in the order of their colours, which is not that of memory, so the solver waits for each of them
/// to be brought. What it and the narrow phase need comes first: two cache lines of three.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Contact {
    pub(crate) manifold: ContactManifold,
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    /// Mixed from both shapes.
    pub(crate) material: Material,
    /// The surfaces touch: they overlap, or pushed each other in the last step.
    pub(crate) touching: bool,
    /// One of `roundings` is not zero.
    pub(crate) rounded: bool,
    /// The surfaces are near enough for the solver to look after them.
    pub(crate) active: bool,
    /// Events of tight boxes are enabled for one of the shapes.
    pub(crate) aabb_events: bool,
    /// Begin and end events are enabled for one of the shapes, or a compound counts this contact.
    pub(crate) contact_events: bool,
    /// It is `one_way`, `passing` or `modified`: more than the shapes have a say in it.
    pub(crate) asked: bool,
    pub(crate) overlap: Overlap,
    pub(crate) impact: Impact,

    /// Of the last sub-step, in N m s, where there is rolling resistance.
    pub(crate) rolling_impulse: f32,
    /// Rounding radii of both shapes: what of their height over the contact does not turn with them. Of an ellipse it
    /// changes with the contact.
    pub(crate) roundings: [f32; 2],
    /// Of what is foreseen: when that moment is, in seconds from the start of the step.
    pub(crate) lead_s: f32,
    pub(crate) shape_a: u32,
    pub(crate) shape_b: u32,
    pub(crate) edges: [Edge; 2],
    /// Place among the coloured constraints, while it pushes and is awake.
    pub(crate) slot: Option<Slot>,
    /// Edge of the island graph, while it joins two dynamic bodies.
    pub(crate) island_edge: u32,
    pub(crate) sensor: bool,
    /// One of the shapes is one-way.
    pub(crate) one_way: bool,
    /// The shapes passed through each other in the last step, as a one-way shape or a hook wanted.
    pub(crate) passing: bool,
    /// A hook changed `material` for the last step.
    pub(crate) modified: bool,
    /// Events of tight boxes are enabled, and the boxes overlap.
    pub(crate) boxes_touching: bool,
}

/// How many bytes of a contact the solver needs.
pub(crate) const SOLVED_BYTES: usize = 128;

const _: () = assert!(std::mem::offset_of!(Contact, rolling_impulse) == SOLVED_BYTES && size_of::<Contact>() == 192);

/// Links of one body's contact list. Neighbours are named by contact keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) previous: u32,
    pub(crate) next: u32,
}

impl Edge {
    pub(crate) const LONE: Edge = Edge { previous: NONE, next: NONE };
}

/// Names one end of a contact: the contact's index and the side, 0 for a and 1 for b.
#[inline]
pub(crate) fn key(contact: u32, side: u32) -> u32 {
    contact << 1 | side
}

/// Contact index of a key.
#[inline]
pub(crate) fn contact_of(key: u32) -> u32 {
    key >> 1
}

/// Side of a key.
#[inline]
pub(crate) fn side_of(key: u32) -> usize {
    (key & 1) as usize
}

impl Contact {
    /// True when the shapes will meet, or one of the bodies will take an impact, within the step.
    #[inline]
    pub(crate) fn is_impact(&self) -> bool {
        !matches!(self.impact, Impact::None | Impact::Turning)
    }

    /// True when its points are those of a moment within the step.
    #[inline]
    pub(crate) fn is_foreseen(&self) -> bool {
        self.impact == Impact::Foreseen
    }

    /// The order in which contacts are processed: by the shapes they join, which does not depend on
    /// what else is in the world.
    #[inline]
    pub(crate) fn order(&self) -> u64 {
        u64::from(self.shape_a) << 32 | u64::from(self.shape_b)
    }

    /// Notes what one-way shapes and hooks said: whether the surface is another one for a step, and whether the shapes
    /// pass through each other.
    pub(crate) fn set_answer(&mut self, modified: bool, passing: bool) {
        (self.modified, self.passing) = (modified, passing);
        self.asked = self.one_way || modified || passing;
    }

    /// What it did in the last step.
    pub(crate) fn phase(&self) -> ContactPhase {
        if self.passing {
            ContactPhase::Passing
        } else if self.active {
            ContactPhase::Persist
        } else {
            ContactPhase::Begin
        }
    }

    /// The body at the other end.
    #[inline]
    pub(crate) fn other_body(&self, body: u32) -> u32 {
        if self.body_a == body { self.body_b } else { self.body_a }
    }
}

impl WorldState {
    /// Makes a contact for two shapes whose fat boxes overlap.
    pub(crate) fn create_contact(&mut self, shape_a: u32, shape_b: u32) {
        let (a, b) = (&self.shapes[shape_a], &self.shapes[shape_b]);
        let (body_a, body_b) = (a.body, b.body);
        let sensor = a.sensor || b.sensor;
        let one_way = a.one_way.is_some() || b.one_way.is_some();
        let aabb_events = a.aabb_events || b.aabb_events;
        let is_part = a.owner != NONE || b.owner != NONE;
        let contact_events = sensor || is_part || a.contact_events && b.contact_events;
        let material = self.mix_materials(a, b);
        let roundings = [a.geometry.rounding(), b.geometry.rounding()];
        let id = self.contacts.insert(Contact {
            shape_a,
            shape_b,
            body_a,
            body_b,
            edges: [Edge::LONE; 2],
            slot: None,
            island_edge: NONE,
            sensor,
            contact_events,
            active: false,
            touching: false,
            aabb_events,
            boxes_touching: false,
            asked: one_way,
            one_way,
            passing: false,
            overlap: Overlap::Driven,
            impact: Impact::None,
            lead_s: 0.0,
            material,
            rounded: roundings != [0.0; 2],
            roundings,
            modified: false,
            rolling_impulse: 0.0,
            manifold: ContactManifold::default(),
        });
        let index = id.index();
        self.pairs.insert(shape_a, shape_b, index);
        self.link_edge(index, 0, body_a);
        self.link_edge(index, 1, body_b);
        // A wall put next to a sleeper may have been put into it: look.
        if !self.is_awake(body_a) && !self.is_awake(body_b) {
            self.wake(body_a);
            self.wake(body_b);
        }
        self.list_awake(index);
    }

    /// The surface of a contact from those of its shapes.
    pub(crate) fn mix_materials(&self, a: &Shape, b: &Shape) -> Material {
        let (ma, mb) = (&a.material, &b.material);
        Material {
            friction: self.def.friction_mix.apply(ma.friction, mb.friction),
            restitution: self.def.restitution_mix.apply(ma.restitution, mb.restitution),
            rolling_resistance: max(
                ma.rolling_resistance * a.geometry.rounding(),
                mb.rolling_resistance * b.geometry.rounding(),
            ),
            // Each surface runs clockwise around its shape. Where two shapes face each other, both
            // motions carry b along the tangent of the contact, so they add.
            surface_speed: ma.surface_speed + mb.surface_speed,
        }
    }

    /// Removes a contact, with end events for what it had reported. Bodies that rested on it wake.
    pub(crate) fn destroy_contact(&mut self, index: u32, wake: bool) {
        self.deactivate(index);
        self.end_boxes(index);
        let contact = &self.contacts[index];
        let (a, b) = (contact.body_a, contact.body_b);
        let (was_active, sensor) = (contact.active, contact.sensor);
        self.unlist_awake(index);
        self.unlink_edge(index, 0, a);
        self.unlink_edge(index, 1, b);
        self.preloads.forget(index);
        let contact = self.contacts.remove_at(index).expect("a contact that is destroyed exists");
        self.pairs.remove(contact.shape_a, contact.shape_b);
        if wake && was_active && !sensor {
            self.wake(a);
            self.wake(b);
        }
    }

    /// Ends the touch of a contact: events, island edge, colour.
    pub(crate) fn deactivate(&mut self, index: u32) {
        self.remove_from_colors(index);
        self.unlink_island(index);
        self.set_touching(index, false);
    }

    /// Records that a contact or a sensor pair began or ceased to touch.
    pub(crate) fn set_touching(&mut self, index: u32, touching: bool) {
        let contact = &mut self.contacts[index];
        if contact.touching == touching {
            return;
        }
        contact.touching = touching;
        let (shape_a, shape_b, sensor) = (contact.shape_a, contact.shape_b, contact.sensor);
        if self.count_change(shape_a, shape_b, Change::Touch(touching)) {
            return;
        }
        let event = self.pair_event(shape_a, shape_b);
        let (a, b) = (&self.shapes[shape_a], &self.shapes[shape_b]);
        if sensor {
            self.log.push_sensor(touching, &event, [a.sensor, b.sensor]);
        } else if a.contact_events && b.contact_events {
            let list = if touching { &mut self.log.contact_begin } else { &mut self.log.contact_end };
            list.push(event);
        }
    }

    /// Records that two shapes, one of them a sensor, overlapped within the step only.
    pub(crate) fn report_crossing(&mut self, shape_a: u32, shape_b: u32) {
        if !self.count_change(shape_a, shape_b, Change::Cross) {
            let event = self.pair_event(shape_a, shape_b);
            let sensors = [self.shapes[shape_a].sensor, self.shapes[shape_b].sensor];
            for begins in [true, false] {
                self.log.push_sensor(begins, &event, sensors);
            }
        }
    }

    /// Compares the tight boxes of a pair whose shapes asked for it.
    pub(crate) fn update_boxes(&mut self, index: u32) {
        let contact = &self.contacts[index];
        if !contact.aabb_events {
            return;
        }
        let now = self.tight_aabb(contact.shape_a).overlaps(&self.tight_aabb(contact.shape_b));
        if now != contact.boxes_touching {
            self.contacts[index].boxes_touching = now;
            self.report_boxes(index, now);
        }
    }

    fn end_boxes(&mut self, index: u32) {
        if std::mem::replace(&mut self.contacts[index].boxes_touching, false) {
            self.report_boxes(index, false);
        }
    }

    fn report_boxes(&mut self, index: u32, touching: bool) {
        let (shape_a, shape_b) = (self.contacts[index].shape_a, self.contacts[index].shape_b);
        if !self.count_change(shape_a, shape_b, Change::Boxes(touching)) {
            let event = self.pair_event(shape_a, shape_b);
            if touching { &mut self.log.aabb_begin } else { &mut self.log.aabb_end }.push(event);
        }
    }

    /// The event that names two shapes.
    fn pair_event(&self, shape_a: u32, shape_b: u32) -> ContactEvent {
        let id = |shape: u32| self.shapes.id_at(shape).expect("shapes outlive their contacts");
        ContactEvent { shape_a: id(shape_a), shape_b: id(shape_b) }
    }

    /// Joins the islands of two dynamic bodies that a contact holds together.
    pub(crate) fn link_island(&mut self, index: u32) {
        let contact = &self.contacts[index];
        let dynamic = |body: u32| self.bodies[body].kind == BodyKind::Dynamic;
        if contact.island_edge == NONE && dynamic(contact.body_a) && dynamic(contact.body_b) {
            let edge = self.islands.link(contact.body_a, contact.body_b);
            self.contacts[index].island_edge = edge;
        }
    }

    pub(crate) fn unlink_island(&mut self, index: u32) {
        let edge = std::mem::replace(&mut self.contacts[index].island_edge, NONE);
        if edge != NONE {
            self.islands.unlink(edge);
        }
    }

    pub(crate) fn remove_from_colors(&mut self, index: u32) {
        let Some(slot) = self.contacts[index].slot.take() else { return };
        let contacts = &mut self.contacts;
        self.colors.remove(slot, &mut |moved, slot| contacts[moved].slot = Some(slot));
    }

    /// The dynamic bodies of a contact: those that a constraint may change.
    pub(crate) fn movable_ends(&self, contact: &Contact) -> (Option<u32>, Option<u32>) {
        let end = |body: u32| (self.bodies[body].kind == BodyKind::Dynamic).then_some(body);
        (end(contact.body_a), end(contact.body_b))
    }

    /// Puts a contact among those that the step looks at.
    pub(crate) fn list_awake(&mut self, index: u32) {
        let contact = &self.contacts[index];
        if contact.sensor {
            self.awake_sensors.insert(index);
        } else if self.awake_contacts.insert(index) {
            if self.candidates.len() <= index as usize {
                self.candidates.resize(index as usize + 1, ContactCandidate::VACANT);
            }
            self.candidates[index as usize] = ContactCandidate::new(contact, &self.forms);
            // Woken after the narrow phase: it acts as it did when it fell asleep.
            if contact.manifold.may_be_deep() {
                self.deep_contacts.push(index);
            }
        }
    }

    pub(crate) fn unlist_awake(&mut self, index: u32) {
        self.awake_sensors.remove(index);
        self.awake_contacts.remove(index);
    }

    /// Tells the machine that the links of a contact in the list of a body will be changed soon; nothing for no key.
    #[inline]
    pub(crate) fn fetch_edges(&self, key: u32) {
        if key != NONE
            && let Some(slot) = self.contacts.slot(contact_of(key))
        {
            let edges = std::ptr::from_ref(slot).cast::<u8>().wrapping_add(std::mem::offset_of!(Contact, edges));
            prefetch_at(edges, size_of::<[Edge; 2]>());
        }
    }

    fn link_edge(&mut self, index: u32, side: u32, body: u32) {
        let record = &mut self.bodies[body];
        let head = std::mem::replace(&mut record.contact_head, key(index, side));
        record.contact_count += 1;
        self.contacts[index].edges[side as usize] = Edge { previous: NONE, next: head };
        if head != NONE {
            self.contacts[contact_of(head)].edges[side_of(head)].previous = key(index, side);
        }
    }

    fn unlink_edge(&mut self, index: u32, side: usize, body: u32) {
        let Edge { previous, next } = self.contacts[index].edges[side];
        if previous == NONE {
            self.bodies[body].contact_head = next;
        } else {
            self.contacts[contact_of(previous)].edges[side_of(previous)].next = next;
        }
        if next != NONE {
            self.contacts[contact_of(next)].edges[side_of(next)].previous = previous;
        }
        self.bodies[body].contact_count -= 1;
    }
}
