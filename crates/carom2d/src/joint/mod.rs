//! Joints: what holds two bodies together, or drives one against the other.
//!
//! A joint has a **frame** on each of its bodies: a point and a direction that move with the body. The
//! files beside this one hold a kind of joint each, all with the same functions in the same order:
//! constructors, `validate`, and `rows`. A row is one equation of the joint (see `row.rs`), made from
//! where the two frames are. Everything else is common: one solver, one test of all derivatives, one
//! reading of forces.

pub(crate) mod constraint;
mod distance;
pub(crate) mod exact;
mod frames;
mod gear;
pub(crate) mod hinges;
mod link;
mod motor;
mod mouse;
pub(crate) mod pins;
mod prismatic;
mod pulley;
mod revolute;
pub(crate) mod row;
mod weld;
mod wheel;

use crate::body::BodyId;
use crate::error::{DefError, finite, finite2};
use crate::math::{Pose, Vec2};
use crate::shape::MAX_COORDINATE;
use carom_core::Slot;

pub use distance::Distance;
pub(crate) use gear::Coordinate;
pub use gear::Gear;
pub use motor::Drive;
pub use mouse::Mouse;
pub use prismatic::Prismatic;
pub use pulley::Pulley;
pub use revolute::Revolute;
pub use weld::Weld;
pub use wheel::Wheel;

pub(crate) use frames::{Frames, share};
pub(crate) use row::{MAX_ROWS, RowList};

carom_core::define_id! {
    /// A handle to a joint.
    pub struct JointId;
}

/// A spring, by how it swings instead of by its stiffness: the same numbers feel the same whatever the
/// bodies weigh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Spring {
    /// Swings per second of the two bodies against each other, 0 to 1e4 Hz. Raising it makes the spring
    /// stiffer; beyond a quarter of the sub-step rate it is as stiff as it gets. Default 2.
    pub hertz: f32,
    /// How soon the swinging ends: 0 never, 1 without overshoot. Default 0.7.
    pub damping_ratio: f32,
}

impl Default for Spring {
    fn default() -> Spring {
        Spring { hertz: 2.0, damping_ratio: 0.7 }
    }
}

impl Spring {
    /// A spring of this frequency and damping ratio.
    pub const fn new(hertz: f32, damping_ratio: f32) -> Spring {
        Spring { hertz, damping_ratio }
    }

    /// Fails, naming the number, if a joint would not take it.
    pub fn validate(&self) -> Result<(), DefError> {
        if !(0.0..=1.0e4).contains(&self.hertz) {
            return Err(DefError::field("Spring.hertz", self.hertz, "a number from 0 to 1e4 Hz"));
        }
        if !(0.0..=1.0e3).contains(&self.damping_ratio) {
            return Err(DefError::field("Spring.damping_ratio", self.damping_ratio, "a number from 0 to 1e3"));
        }
        Ok(())
    }
}

/// How far a joint may go.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Lowest value, in metres or radians.
    pub lower: f32,
    /// Highest value; not below `lower`.
    pub upper: f32,
}

impl Limits {
    /// From `lower` to `upper`.
    pub const fn new(lower: f32, upper: f32) -> Limits {
        Limits { lower, upper }
    }

    /// Fails, naming the number, if a joint would not take them.
    pub fn validate(&self) -> Result<(), DefError> {
        finite("Limits.lower", self.lower)?;
        finite("Limits.upper", self.upper)?;
        if self.lower > self.upper {
            return Err(DefError::field("Limits.lower", self.lower, "a number not above Limits.upper"));
        }
        Ok(())
    }
}

/// A motor: holds a speed as long as that takes no more than its strength.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// Speed of b against a, in m/s along an axis or rad/s counter-clockwise.
    pub speed: f32,
    /// Most force in N, or torque in N m. Infinity is allowed. With a speed of 0 this is a brake, or the
    /// dry friction of the joint.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub max_force: f32,
}

impl Motor {
    /// A motor of this speed and strength.
    pub const fn new(speed: f32, max_force: f32) -> Motor {
        Motor { speed, max_force }
    }

    /// Fails, naming the number, if a joint would not take it.
    pub fn validate(&self) -> Result<(), DefError> {
        finite("Motor.speed", self.speed)?;
        strength("Motor.max_force", self.max_force)
    }
}

/// Checks the most that something may do: not negative, infinity allowed.
pub(crate) fn strength(field: &'static str, value: f32) -> Result<(), DefError> {
    if value >= 0.0 { Ok(()) } else { Err(DefError::field(field, value, "a number of at least 0, or infinity")) }
}

/// What a joint does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointKind {
    /// Keeps two points at a distance: rod, rope or spring.
    Distance(Distance),
    /// A pin: two points stay together, the bodies turn freely about them.
    Revolute(Revolute),
    /// A slide: b moves along an axis of a and does not turn against it.
    Prismatic(Prismatic),
    /// Glue, rigid or soft.
    Weld(Weld),
    /// A wheel on a suspension: moves along an axis of a on a spring, and turns.
    Wheel(Wheel),
    /// Drives b to a place relative to a, with limited strength.
    Motor(Drive),
    /// Pulls a point of b to a place in the world, softly.
    Mouse(Mouse),
    /// Ties the motion of two other joints together.
    Gear(Gear),
    /// A rope over two pulleys.
    Pulley(Pulley),
    /// Keeps the two bodies from colliding, and does nothing else. They sleep and wake without each other.
    Filter,
}

impl JointKind {
    /// The kind's name.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Distance(_) => "distance",
            JointKind::Revolute(_) => "revolute",
            JointKind::Prismatic(_) => "prismatic",
            JointKind::Weld(_) => "weld",
            JointKind::Wheel(_) => "wheel",
            JointKind::Motor(_) => "motor",
            JointKind::Mouse(_) => "mouse",
            JointKind::Gear(_) => "gear",
            JointKind::Pulley(_) => "pulley",
            JointKind::Filter => "filter",
        }
    }

    fn validate(&self) -> Result<(), DefError> {
        match self {
            JointKind::Distance(joint) => joint.validate(),
            JointKind::Revolute(joint) => joint.validate(),
            JointKind::Prismatic(joint) => joint.validate(),
            JointKind::Weld(joint) => joint.validate(),
            JointKind::Wheel(joint) => joint.validate(),
            JointKind::Motor(joint) => joint.validate(),
            JointKind::Mouse(joint) => joint.validate(),
            JointKind::Gear(joint) => joint.validate(),
            JointKind::Pulley(joint) => joint.validate(),
            JointKind::Filter => Ok(()),
        }
    }

    /// The joint's equations, where its frames are now. A gear has four bodies and its own way: see
    /// `gear.rs`.
    #[inline]
    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        match self {
            JointKind::Distance(joint) => joint.rows(frames, rows),
            JointKind::Revolute(joint) => joint.rows(frames, rows),
            JointKind::Prismatic(joint) => joint.rows(frames, rows),
            JointKind::Weld(joint) => joint.rows(frames, rows),
            JointKind::Wheel(joint) => joint.rows(frames, rows),
            JointKind::Motor(joint) => joint.rows(frames, rows),
            JointKind::Mouse(joint) => joint.rows(frames, rows),
            JointKind::Pulley(joint) => joint.rows(frames, rows),
            JointKind::Gear(_) | JointKind::Filter => {}
        }
    }

    /// Whether the joint's equations ask for the angle between the frames.
    pub(crate) fn needs_angle(&self) -> bool {
        match self {
            JointKind::Revolute(joint) => joint.limits.is_some() || joint.spring.is_some(),
            JointKind::Distance(_)
            | JointKind::Wheel(_)
            | JointKind::Mouse(_)
            | JointKind::Pulley(_)
            | JointKind::Filter => false,
            JointKind::Prismatic(_) | JointKind::Weld(_) | JointKind::Motor(_) | JointKind::Gear(_) => true,
        }
    }
}

/// Describes a joint to add to a world.
///
/// ```
/// use carom2d::prelude::*;
/// let mut world = World::new(WorldDef::default());
/// let wall = world.add_body(BodyDef::fixed())?;
/// let bob = world.add_body(BodyDef { position: vec2(1.0, 0.0), ..BodyDef::dynamic() })?;
/// world.add_shape(bob, ShapeDef::circle(0.1))?;
/// // A pendulum: a pin at the wall's origin, one metre to the left of the bob.
/// world.add_joint(JointDef { frame_b: Pose::at(vec2(-1.0, 0.0)), ..JointDef::revolute(wall, bob) })?;
/// // The same, with the pin given in world coordinates.
/// let def = JointDef::revolute(wall, bob).at(&world, vec2(0.0, 0.0))?;
/// # let _ = def;
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointDef {
    /// The first body: the one that things are measured against.
    pub body_a: BodyId,
    /// The second body.
    pub body_b: BodyId,
    /// What the joint does.
    pub kind: JointKind,
    /// The joint's place on the first body, in its coordinates. The x axis is the axis of slides and
    /// wheels. Default: the body's origin.
    pub frame_a: Pose,
    /// The joint's place on the second body.
    pub frame_b: Pose,
    /// May the two bodies collide? Default false.
    pub collide_connected: bool,
    /// Does the joint act? One that is switched off holds nothing and lets its bodies collide, as if it were not there.
    /// Default true.
    pub enabled: bool,
    /// Stiffness of what is rigid, as a frequency in Hz, 1 to 1e4; limited to a quarter of the sub-step
    /// rate. Default 60. Lowering it lets the joint give way under load.
    pub hertz: f32,
    /// Damping ratio of what is rigid, 0 to 100. Default 2.
    pub damping_ratio: f32,
    /// The joint breaks when its force, in N over a step, exceeds this. Default: infinity.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub break_force: f32,
    /// The joint breaks when its torque, in N m over a step, exceeds this. Default: infinity.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub break_torque: f32,
    /// Anything the user likes. Default 0.
    pub user_data: u64,
}

impl JointDef {
    /// A joint of any kind between two bodies, at their origins.
    pub const fn new(body_a: BodyId, body_b: BodyId, kind: JointKind) -> JointDef {
        JointDef {
            body_a,
            body_b,
            kind,
            frame_a: Pose::IDENTITY,
            frame_b: Pose::IDENTITY,
            collide_connected: false,
            enabled: true,
            hertz: 60.0,
            damping_ratio: 2.0,
            break_force: f32::INFINITY,
            break_torque: f32::INFINITY,
            user_data: 0,
        }
    }

    /// A pin without limits, motor or spring.
    pub fn revolute(body_a: BodyId, body_b: BodyId) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Revolute(Revolute::default()))
    }

    /// A rod of this length.
    pub fn rod(body_a: BodyId, body_b: BodyId, length: f32) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Distance(Distance::rod(length)))
    }

    /// A rope of this length.
    pub fn rope(body_a: BodyId, body_b: BodyId, length: f32) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Distance(Distance::rope(length)))
    }

    /// A spring of this length at rest.
    pub fn spring(body_a: BodyId, body_b: BodyId, length: f32, spring: Spring) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Distance(Distance::spring(length, spring)))
    }

    /// A slide along the x axis of the first frame.
    pub fn prismatic(body_a: BodyId, body_b: BodyId) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Prismatic(Prismatic::default()))
    }

    /// Rigid glue.
    pub fn weld(body_a: BodyId, body_b: BodyId) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Weld(Weld::default()))
    }

    /// A wheel on a suspension along the x axis of the first frame.
    pub fn wheel(body_a: BodyId, body_b: BodyId) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Wheel(Wheel::default()))
    }

    /// A drive to a place relative to the first body.
    pub fn motor(body_a: BodyId, body_b: BodyId) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Motor(Drive::default()))
    }

    /// A soft pull of a point of the second body to a place in the world. The first body only lends its
    /// name; any other body will do.
    pub fn mouse(body_a: BodyId, body_b: BodyId, target: Vec2) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Mouse(Mouse { target, ..Mouse::default() }))
    }

    /// Keeps two bodies from colliding, and does nothing else.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    /// let mut disc = |x: f32, vx: f32| -> Result<BodyId, DefError> {
    ///     let def = BodyDef { position: vec2(x, 0.0), velocity: vec2(vx, 0.0), ..BodyDef::dynamic() };
    ///     let body = world.add_body(def)?;
    ///     world.add_shape(body, ShapeDef::circle(0.5))?;
    ///     Ok(body)
    /// };
    /// let (rider, horse) = (disc(-2.0, 2.0)?, disc(2.0, -2.0)?);
    /// world.add_joint(JointDef::filter(rider, horse))?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0);
    /// }
    /// assert!(world.body(rider).position().x > 1.9); // they passed through each other
    /// # Ok::<(), DefError>(())
    /// ```
    pub const fn filter(body_a: BodyId, body_b: BodyId) -> JointDef {
        JointDef::new(body_a, body_b, JointKind::Filter)
    }

    /// Both frames at a point of the world, with the axes of the world.
    pub fn at(self, world: &crate::World, point: Vec2) -> Result<JointDef, DefError> {
        self.at_pose(world, Pose::at(point))
    }

    /// Both frames at a pose of the world, whose x axis is the axis of slides and wheels.
    pub fn at_pose(self, world: &crate::World, pose: Pose) -> Result<JointDef, DefError> {
        world.state.check_body(self.body_a)?;
        world.state.check_body(self.body_b)?;
        let frame = |body: BodyId| world.state.sim(body.index()).pose().inv_mul(pose);
        Ok(JointDef { frame_a: frame(self.body_a), frame_b: frame(self.body_b), ..self })
    }

    pub(crate) fn validate(&self) -> Result<(), DefError> {
        frame("JointDef.frame_a", self.frame_a)?;
        frame("JointDef.frame_b", self.frame_b)?;
        if !(1.0..=1.0e4).contains(&self.hertz) {
            return Err(DefError::field("JointDef.hertz", self.hertz, "a number from 1 to 1e4 Hz"));
        }
        if !(0.0..=100.0).contains(&self.damping_ratio) {
            return Err(DefError::field("JointDef.damping_ratio", self.damping_ratio, "a number from 0 to 100"));
        }
        strength("JointDef.break_force", self.break_force)?;
        strength("JointDef.break_torque", self.break_torque)?;
        self.kind.validate()
    }
}

fn frame(field: &'static str, value: Pose) -> Result<(), DefError> {
    finite2(field, value.p)?;
    let length = value.q.c * value.q.c + value.q.s * value.q.s;
    if !(value.p.x.abs() <= MAX_COORDINATE && value.p.y.abs() <= MAX_COORDINATE && (length - 1.0).abs() < 1.0e-3) {
        return Err(DefError::field(field, value, "a place within 1e7 m, and a rotation of unit length"));
    }
    Ok(())
}

/// A joint in a world.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) def: JointDef,
    /// Impulses of the last sub-step by row, in N s or N m s: the warm start of the next.
    pub(crate) impulses: [f32; MAX_ROWS],
    /// Force in N and torque in N m on body b about its frame, over the last step.
    pub(crate) force: Vec2,
    pub(crate) torque: f32,
    /// Angle of frame b against frame a at the end of the last step, about, counted on beyond half a turn.
    pub(crate) angle: f32,
    /// For a gear, the value that its equation keeps; not yet known before the first step.
    pub(crate) gear_start: Option<f32>,
    /// Place among the coloured joints, while the joint acts.
    pub(crate) slot: Option<Slot>,
    /// Edge of the island graph, while the joint connects two dynamic bodies.
    pub(crate) island_edge: u32,
}

impl Joint {
    /// Remembers the force, torque and angle of a step.
    #[inline]
    pub(crate) fn keep(&mut self, force: Vec2, torque: f32, angle: f32) {
        self.force = force;
        self.torque = torque;
        // A body that is no longer anywhere is frozen where it was.
        if angle.is_finite() {
            self.angle = angle;
        }
    }

    /// True when the joint holds its bodies, if they take part.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.def.enabled && !matches!(self.def.kind, JointKind::Filter)
    }

    /// True when the joint carried more than it can bear.
    #[inline]
    pub(crate) fn is_overloaded(&self) -> bool {
        self.force.length() > self.def.break_force || self.torque.abs() > self.def.break_torque
    }
}

#[cfg(test)]
mod tests;
