//! What happened in the last step, as lists to read after it.
//!
//! Each list is in a fixed order that depends on the scene alone.

use crate::body::BodyId;
use crate::math::DVec3;

/// Two bodies began to rest on each other, or ceased to. After a removal an id may be stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEvent {
    /// The first body: one that can move.
    pub body_a: BodyId,
    /// The second body.
    pub body_b: BodyId,
}

/// Two bodies hit each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactEvent {
    /// The first body: one that can move.
    pub body_a: BodyId,
    /// The second body.
    pub body_b: BodyId,
    /// When, in seconds of the world's clock.
    pub time_s: f64,
    /// Where, in world coordinates.
    pub point: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Speed of approach along the normal in m/s, positive.
    pub approach_speed: f64,
    /// Impulse along the normal in N s.
    pub impulse: f64,
}

/// Everything that happened in the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Every impact, in the order of time. In a heap, where many touch many, those that lose something are told at the
    /// end of the step.
    pub impacts: Vec<ImpactEvent>,
    /// Bodies that began to rest on each other.
    pub contact_begin: Vec<ContactEvent>,
    /// Bodies that ceased to rest on each other.
    pub contact_end: Vec<ContactEvent>,
    /// Bodies that fell asleep.
    pub body_slept: Vec<BodyId>,
    /// Bodies that woke up, whatever the reason.
    pub body_woke: Vec<BodyId>,
    /// Bodies that went out of the range of numbers, or hit more often than a step allows ([`World::step`](crate::World::step)),
    /// and were put aside where they last were.
    pub body_frozen: Vec<BodyId>,
}

impl Events {
    pub(crate) fn clear(&mut self) {
        self.impacts.clear();
        self.contact_begin.clear();
        self.contact_end.clear();
        self.body_slept.clear();
        self.body_woke.clear();
        self.body_frozen.clear();
    }

    /// Moves everything from another list behind what is here.
    pub(crate) fn append(&mut self, other: &mut Events) {
        self.impacts.append(&mut other.impacts);
        self.contact_begin.append(&mut other.contact_begin);
        self.contact_end.append(&mut other.contact_end);
        self.body_slept.append(&mut other.body_slept);
        self.body_woke.append(&mut other.body_woke);
        self.body_frozen.append(&mut other.body_frozen);
    }

    /// True when nothing happened.
    pub fn is_empty(&self) -> bool {
        *self == Events::default()
    }
}
