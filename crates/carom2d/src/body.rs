//! Bodies: what the user describes ([`BodyDef`]), and how the engine keeps them.
//!
//! A body is stored in three parts, by how often the step reads them:
//!
//! | part | size | read by |
//! |---|---|---|
//! | [`BodyState`] | 32 bytes, awake bodies only | every constraint, every sub-step |
//! | [`BodySim`] | mass, pose, forces | once or twice per sub-step, in order |
//! | [`Body`] | identity, shapes, links | adding, removing, waking, events |

use crate::error::{DefError, finite, non_negative};
use crate::math::{Pose, Rot, Vec2};
use crate::shape::MAX_COORDINATE;

carom_core::define_id! {
    /// A handle to a body.
    pub struct BodyId;
}

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyKind {
    /// Nothing: walls and floors. Infinite mass, zero velocity.
    Fixed,
    /// Its velocity alone, which only the user sets: lifts and drums. Infinite mass.
    Kinematic,
    /// Forces and collisions.
    #[default]
    Dynamic,
}

/// Motions that a body may not make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct LockedAxes {
    /// No movement along x.
    pub x: bool,
    /// No movement along y.
    pub y: bool,
    /// No turning.
    pub rotation: bool,
}

impl LockedAxes {
    /// Velocities without the locked parts.
    pub(crate) fn apply(self, velocity: Vec2, angular_velocity: f32) -> (Vec2, f32) {
        let free = |locked: bool, value: f32| if locked { 0.0 } else { value };
        (Vec2::new(free(self.x, velocity.x), free(self.y, velocity.y)), free(self.rotation, angular_velocity))
    }
}

/// Describes a body to add to a world.
///
/// ```
/// use carom2d::prelude::*;
/// let ball = BodyDef { position: vec2(0.0, 4.0), velocity: vec2(1.0, 0.0), ..BodyDef::dynamic() };
/// # let mut world = World::new(WorldDef::default());
/// world.add_body(ball)?;
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct BodyDef {
    /// What moves the body. Default: dynamic.
    pub kind: BodyKind,
    /// Position of the body's origin in metres. Default: the world's origin.
    pub position: Vec2,
    /// Angle in radians, counter-clockwise. Default 0.
    pub angle: f32,
    /// Velocity of the body's origin in m/s, up to 1e6 along each axis. Default 0. Ignored for fixed bodies, and for bodies
    /// that start asleep.
    pub velocity: Vec2,
    /// Angular velocity in rad/s, counter-clockwise, up to 1e6. Default 0. Ignored for fixed bodies.
    pub angular_velocity: f32,
    /// Mass in kg, instead of the sum over the shapes. Infinity makes the body fixed. Default: none,
    /// so the shapes' densities decide.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded_option"))]
    pub mass: Option<f32>,
    /// Moment of inertia about the centre of mass in kg m^2, instead of the sum over the shapes.
    /// Infinity keeps the body from turning. Default: none; if only `mass` is set, the shapes'
    /// inertia is scaled to it.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded_option"))]
    pub inertia: Option<f32>,
    /// Linear damping in 1/s, not negative. In a sub-step of `h` seconds the velocity keeps the fraction `1 - h damping` of
    /// itself (`1 / (4 h damping)` from `h damping = 1/2` on), close to `exp(-damping t)`. Default 0.
    pub linear_damping: f32,
    /// Angular damping in 1/s, as [`linear_damping`](Self::linear_damping). Default 0.
    pub angular_damping: f32,
    /// Factor on the world's gravity; negative makes the body rise. Default 1.
    pub gravity_scale: f32,
    /// Motions the body may not make. Default: none.
    pub locked: LockedAxes,
    /// Speed in m/s under which the body counts as at rest. Default 0.05. Raising it lets bodies
    /// sleep sooner.
    pub sleep_speed: f32,
    /// May the body fall asleep? Default true.
    pub can_sleep: bool,
    /// Must the body pass through no other body, however fast it is? Default false: a fast body is then
    /// kept from passing through fixed and kinematic bodies only. Costs time for each fast body that has
    /// it. See [`WorldDef::continuous`](crate::WorldDef::continuous).
    pub bullet: bool,
    /// Is the body awake at the start? Default true. Only dynamic bodies can start asleep.
    pub awake: bool,
    /// Does the body take part at all? Default true.
    pub enabled: bool,
    /// Anything the user likes. Default 0.
    pub user_data: u64,
}

impl Default for BodyDef {
    fn default() -> BodyDef {
        BodyDef::dynamic()
    }
}

impl BodyDef {
    const fn of(kind: BodyKind) -> BodyDef {
        BodyDef {
            kind,
            position: Vec2::ZERO,
            angle: 0.0,
            velocity: Vec2::ZERO,
            angular_velocity: 0.0,
            mass: None,
            inertia: None,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            locked: LockedAxes { x: false, y: false, rotation: false },
            sleep_speed: 0.05,
            can_sleep: true,
            bullet: false,
            awake: true,
            enabled: true,
            user_data: 0,
        }
    }

    /// A body that never moves.
    pub const fn fixed() -> BodyDef {
        BodyDef::of(BodyKind::Fixed)
    }

    /// A body that moves at the velocity it is given.
    pub const fn kinematic() -> BodyDef {
        BodyDef::of(BodyKind::Kinematic)
    }

    /// A body that forces and collisions move.
    pub const fn dynamic() -> BodyDef {
        BodyDef::of(BodyKind::Dynamic)
    }

    pub(crate) fn validate(&self) -> Result<(), DefError> {
        position("BodyDef.position", self.position)?;
        finite("BodyDef.angle", self.angle)?;
        velocity("BodyDef.velocity", self.velocity)?;
        spin("BodyDef.angular_velocity", self.angular_velocity)?;
        mass("BodyDef.mass", self.mass)?;
        mass("BodyDef.inertia", self.inertia)?;
        non_negative("BodyDef.linear_damping", self.linear_damping)?;
        non_negative("BodyDef.angular_damping", self.angular_damping)?;
        finite("BodyDef.gravity_scale", self.gravity_scale)?;
        non_negative("BodyDef.sleep_speed", self.sleep_speed)?;
        Ok(())
    }
}

pub(crate) fn position(field: &'static str, value: Vec2) -> Result<Vec2, DefError> {
    if value.is_finite() && value.x.abs() <= MAX_COORDINATE && value.y.abs() <= MAX_COORDINATE {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "coordinates between -1e7 and 1e7 m"))
    }
}

/// The largest velocity that a caller may set, in m/s and rad/s. What follows, such as the speed of a rim 1e7 m away, its
/// square and an impulse of 1e20 kg, are numbers still. A step keeps dynamic bodies far below.
const MAX_SPEED: f32 = 1.0e6;

/// Checks a velocity.
pub(crate) fn velocity(field: &'static str, value: Vec2) -> Result<(), DefError> {
    let in_range = value.x.abs() <= MAX_SPEED && value.y.abs() <= MAX_SPEED;
    if in_range { Ok(()) } else { Err(DefError::field(field, value, "velocities between -1e6 and 1e6 m/s")) }
}

/// Checks an angular velocity.
pub(crate) fn spin(field: &'static str, value: f32) -> Result<(), DefError> {
    let in_range = value.abs() <= MAX_SPEED;
    if in_range { Ok(()) } else { Err(DefError::field(field, value, "a number between -1e6 and 1e6 rad/s")) }
}

/// Checks a mass or an inertia set by hand: positive, infinity allowed.
pub(crate) fn mass(field: &'static str, value: Option<f32>) -> Result<(), DefError> {
    match value {
        Some(m) if m.is_nan() || m < 1.0e-12 || (m.is_finite() && m > 1.0e20) => {
            Err(DefError::field(field, m, "a number between 1e-12 and 1e20, or infinity"))
        }
        _ => Ok(()),
    }
}

/// Marks an index that points nowhere.
pub(crate) const NONE: u32 = u32::MAX;

/// The part of a body that every reader of its identity and links needs; cold in the step.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) kind: BodyKind,
    /// The solver set and the place in it where this body's [`BodySim`] is.
    pub(crate) set: u32,
    pub(crate) index: u32,
    /// Indices of the attached shapes, in order of attachment.
    pub(crate) shapes: Vec<u32>,
    /// Head of the list of contacts, a contact key (see `contact.rs`).
    pub(crate) contact_head: u32,
    pub(crate) contact_count: u32,
    /// Indices of the joints, in order of their making.
    pub(crate) joints: Vec<u32>,
    pub(crate) mass: f32,
    pub(crate) inertia: f32,
    pub(crate) mass_by_hand: Option<f32>,
    pub(crate) inertia_by_hand: Option<f32>,
    pub(crate) locked: LockedAxes,
    pub(crate) sleep_speed: f32,
    pub(crate) can_sleep: bool,
    pub(crate) bullet: bool,
    /// Put aside because it became non-finite; it takes no part until it is enabled again.
    pub(crate) frozen: bool,
    /// A joint that is switched on holds it.
    pub(crate) jointed: bool,
    /// Velocity kept while disabled.
    pub(crate) parked_velocity: (Vec2, f32),
    pub(crate) user_data: u64,
}

/// The part of a body that the step reads once or twice per sub-step, stored by solver set.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BodySim {
    /// Index of the [`Body`].
    pub(crate) body: u32,
    /// World position of the centre of mass.
    pub(crate) center: Vec2,
    pub(crate) rotation: Rot,
    /// Centre and rotation before the last step, for interpolation and continuous collision.
    pub(crate) center_before: Vec2,
    pub(crate) rotation_before: Rot,
    /// Centre of mass in body coordinates.
    pub(crate) local_center: Vec2,
    /// Inverse mass per axis: a locked axis has none.
    pub(crate) inv_mass: Vec2,
    pub(crate) inv_inertia: f32,
    pub(crate) force: Vec2,
    pub(crate) torque: f32,
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    pub(crate) gravity_scale: f32,
    /// Largest distance from the centre of mass to the boundary of a shape.
    pub(crate) extent: f32,
    /// Smallest inner extent of a shape: a body that moves less in a step cannot pass through a wall
    /// unseen. Infinite without shapes.
    pub(crate) thickness: f32,
    /// How long the body has been slower than its sleep speed.
    pub(crate) sleep_time_s: f32,
    /// How far its points can still move before a shape may have left its fat box; zero where that is not known.
    pub(crate) room: f32,
}

carom_wide::quads!(
    BodySim:
    body,
    center.x,
    center.y,
    rotation.c,
    rotation.s,
    center_before.x,
    center_before.y,
    rotation_before.c,
    rotation_before.s,
    local_center.x,
    local_center.y,
    inv_mass.x,
    inv_mass.y,
    inv_inertia,
    force.x,
    force.y,
    torque,
    linear_damping,
    angular_damping,
    gravity_scale,
    extent,
    thickness,
    sleep_time_s,
    room,
);

impl BodySim {
    /// The pose of the body's origin.
    #[inline]
    pub(crate) fn pose(&self) -> Pose {
        Pose { p: self.center - self.rotation.rotate(self.local_center), q: self.rotation }
    }

    /// The pose of the body's origin before the last step.
    #[inline]
    pub(crate) fn pose_before(&self) -> Pose {
        Pose { p: self.center_before - self.rotation_before.rotate(self.local_center), q: self.rotation_before }
    }

    /// What gravity and forces do to the body: only what is free to follow them is accelerated by them.
    #[inline]
    pub(crate) fn acceleration(&self, gravity: Vec2) -> Vec2 {
        let along = |inv_mass: f32, gravity: f32, force: f32| {
            if inv_mass > 0.0 { gravity * self.gravity_scale + force * inv_mass } else { 0.0 }
        };
        Vec2::new(along(self.inv_mass.x, gravity.x, self.force.x), along(self.inv_mass.y, gravity.y, self.force.y))
    }

    #[inline]
    pub(crate) fn forget_before(&mut self) {
        self.center_before = self.center;
        self.rotation_before = self.rotation;
    }
}

/// What the constraints of an awake body read and write: exactly 32 bytes, so that a cache line
/// holds two and eight of them transpose into SIMD registers.
///
/// Poses are kept as the change since the start of the step. That keeps precision far from the
/// origin, and lets fixed bodies share one zero state without their poses being looked at.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct BodyState {
    pub(crate) velocity: Vec2,
    pub(crate) angular_velocity: f32,
    pub(crate) flags: u32,
    pub(crate) delta_position: Vec2,
    pub(crate) delta_rotation: Rot,
}

const _: () = assert!(size_of::<BodyState>() == 32);

impl BodyState {
    pub(crate) const REST: BodyState = BodyState {
        velocity: Vec2::ZERO,
        angular_velocity: 0.0,
        flags: 0,
        delta_position: Vec2::ZERO,
        delta_rotation: Rot::IDENTITY,
    };
    /// The constraints may change this body; kinematic bodies lack it.
    pub(crate) const MOVABLE: u32 = 1;
    /// A contact carried a load in the last sub-step, so the body does not fly freely.
    pub(crate) const LOADED: u32 = 2;
    /// The state became non-finite in this step.
    pub(crate) const BROKEN: u32 = 4;
    /// A joint holds it in this step.
    pub(crate) const JOINTED: u32 = 8;
    /// In [`flags`](Self::flags): something carried it at the end of the last step.
    pub(crate) const CARRIED: u32 = 16;

    /// The velocity of the material point at `arm` from the centre of mass.
    #[inline]
    pub(crate) fn velocity_at(&self, arm: Vec2) -> Vec2 {
        self.velocity + crate::math::cross_sv(self.angular_velocity, arm)
    }

    #[inline]
    pub(crate) fn is_finite(&self) -> bool {
        // One test for seven numbers: x * 0 is 0 for every finite x and NaN for the others.
        let sum = self.velocity.x * 0.0
            + self.velocity.y * 0.0
            + self.angular_velocity * 0.0
            + self.delta_position.x * 0.0
            + self.delta_position.y * 0.0
            + self.delta_rotation.c * 0.0
            + self.delta_rotation.s * 0.0;
        sum == 0.0
    }
}
