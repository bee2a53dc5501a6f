//! What happened in the last step, as lists to read after it.
//!
//! Lists are complete: a begin is always followed, sooner or later, by exactly one end, also when a
//! shape or a body is removed, disabled or changes its filter. Each list is in a fixed order that
//! depends on the scene alone. Ends caused between two steps are reported with the next step.

use crate::attach::ShapeId;
use crate::body::BodyId;
use crate::joint::JointId;
use crate::math::Vec2;

/// Two shapes began to touch, or ceased to. `shape_a` has the lower index. After a removal an id may
/// be stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactEvent {
    /// The first shape.
    pub shape_a: ShapeId,
    /// The second shape.
    pub shape_b: ShapeId,
}

/// Two shapes hit each other faster than [`WorldDef::hit_speed`](crate::WorldDef::hit_speed).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HitEvent {
    /// The first shape.
    pub shape_a: ShapeId,
    /// The second shape.
    pub shape_b: ShapeId,
    /// Where, in world coordinates.
    pub point: Vec2,
    /// Unit normal from a to b.
    pub normal: Vec2,
    /// Speed of approach along the normal in m/s, positive.
    pub approach_speed: f32,
    /// Impulse along the normal over the step in N s.
    pub impulse: f32,
}

/// A shape began to overlap a sensor, or ceased to. Two sensors that overlap report each other.
///
/// A shape that is inside when a step ends is reported with that step. A fast body that passes through a sensor within
/// one step begins and ends in that step, and so does a body that a fast sensor passes over: fast are the bodies that
/// [`WorldDef::continuous`](crate::WorldDef::continuous) looks after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SensorEvent {
    /// The sensor.
    pub sensor: ShapeId,
    /// What it senses.
    pub visitor: ShapeId,
}

/// A joint carried more than it could bear, and was removed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointBreak {
    /// The joint that was. The handle is stale.
    pub joint: JointId,
    /// The force in N that it put on its second body.
    pub force: Vec2,
    /// The torque in N m.
    pub torque: f32,
    /// What the user had attached to it.
    pub user_data: u64,
}

/// Everything that happened in the last step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Events {
    /// Shapes that began to touch.
    pub contact_begin: Vec<ContactEvent>,
    /// Shapes that ceased to touch.
    pub contact_end: Vec<ContactEvent>,
    /// Shapes that hit each other hard.
    pub contact_hit: Vec<HitEvent>,
    /// Bounding boxes that began to overlap, of shapes with
    /// [`ShapeDef::aabb_events`](crate::ShapeDef::aabb_events).
    pub aabb_begin: Vec<ContactEvent>,
    /// Bounding boxes that ceased to overlap.
    pub aabb_end: Vec<ContactEvent>,
    /// Sensor overlaps that began.
    pub sensor_begin: Vec<SensorEvent>,
    /// Sensor overlaps that ended.
    pub sensor_end: Vec<SensorEvent>,
    /// Bodies that fell asleep.
    pub body_slept: Vec<BodyId>,
    /// Bodies that woke up, whatever the reason.
    pub body_woke: Vec<BodyId>,
    /// Bodies that became non-finite and were put aside where they last were.
    pub body_frozen: Vec<BodyId>,
    /// Joints that broke.
    pub joint_broke: Vec<JointBreak>,
}

impl Events {
    pub(crate) fn clear(&mut self) {
        self.contact_begin.clear();
        self.contact_end.clear();
        self.contact_hit.clear();
        self.aabb_begin.clear();
        self.aabb_end.clear();
        self.sensor_begin.clear();
        self.sensor_end.clear();
        self.body_slept.clear();
        self.body_woke.clear();
        self.body_frozen.clear();
        self.joint_broke.clear();
    }

    /// Reports that the overlap of two shapes, of which `sensors` says which are sensors, begins or ends.
    pub(crate) fn push_sensor(&mut self, begins: bool, pair: &ContactEvent, sensors: [bool; 2]) {
        let list = if begins { &mut self.sensor_begin } else { &mut self.sensor_end };
        let ContactEvent { shape_a, shape_b } = *pair;
        if sensors[0] {
            list.push(SensorEvent { sensor: shape_a, visitor: shape_b });
        }
        if sensors[1] {
            list.push(SensorEvent { sensor: shape_b, visitor: shape_a });
        }
    }

    /// Moves everything from `other` to the end of these lists.
    pub(crate) fn append(&mut self, other: &mut Events) {
        self.contact_begin.append(&mut other.contact_begin);
        self.contact_end.append(&mut other.contact_end);
        self.contact_hit.append(&mut other.contact_hit);
        self.aabb_begin.append(&mut other.aabb_begin);
        self.aabb_end.append(&mut other.aabb_end);
        self.sensor_begin.append(&mut other.sensor_begin);
        self.sensor_end.append(&mut other.sensor_end);
        self.body_slept.append(&mut other.body_slept);
        self.body_woke.append(&mut other.body_woke);
        self.body_frozen.append(&mut other.body_frozen);
        self.joint_broke.append(&mut other.joint_broke);
    }

    /// True when nothing happened.
    pub fn is_empty(&self) -> bool {
        *self == Events::default()
    }
}
