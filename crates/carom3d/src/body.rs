//! Bodies: what the user describes ([`BodyDef`]), and how the engine keeps them.
//!
//! | part | of | read by |
//! |---|---|---|
//! | [`Body`] | every body | adding, removing, contacts with what is fixed |
//! | [`Mover`] | what can move | every stage of the step |

use crate::error::{DefError, finite, non_negative, point, positive, velocity};
use crate::inertia::Inertia;
use crate::material::Material;
use crate::math::{Aabb, DVec3, Quat, max};
use crate::path::Path;
use crate::shape::Shape;

carom_core::define_id! {
    /// A handle to a body.
    pub struct BodyId;
}

carom_core::define_id! {
    /// A handle to the moving part of a body; never leaves the world.
    pub(crate) struct MoverId;
}

/// A body that has so many impacts in a step is in a crowd in the next one.
const IMPACTS_OF_CROWD: f64 = 3.0;

/// Marks an index that points nowhere.
pub(crate) const NONE: u32 = u32::MAX;

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Nothing: walls and floors. Infinite mass, zero velocity. Planes and triangles are always fixed.
    Fixed,
    /// Its velocity alone, which only the user sets. Infinite mass.
    Kinematic,
    /// Forces and collisions.
    #[default]
    Dynamic,
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyState {
    /// Position of the centre in metres.
    pub position: DVec3,
    /// Orientation, of unit length.
    pub orientation: Quat,
    /// Velocity of the centre in m/s.
    pub velocity: DVec3,
    /// Angular velocity in rad/s, about the axes of the world.
    pub angular_velocity: DVec3,
}

impl BodyState {
    /// The velocity of the material point at `arm` from the centre.
    #[inline]
    pub fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }

    /// True when all numbers are finite and the position and velocities are not out of reach.
    pub(crate) fn is_sound(&self) -> bool {
        let reach = crate::error::MAX_COORDINATE;
        // A comparison with NaN is false.
        let within = |v: DVec3| v.x.abs() <= reach && v.y.abs() <= reach && v.z.abs() <= reach;
        within(self.position) && within(self.velocity) && within(self.angular_velocity) && self.orientation.is_finite()
    }
}

/// Describes a body to add to a world.
///
/// ```
/// use carom3d::prelude::*;
/// # let mut world = World::new(WorldDef::default());
/// world.add_body(BodyDef::plane(DVec3::Y))?;
/// world.add_body(BodyDef { position: dvec3(0.0, 4.0, 0.0), mass: 2.0, ..BodyDef::sphere(0.5) })?;
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDef {
    /// What it looks like.
    pub shape: Shape,
    /// What moves it. Default: dynamic; planes and triangles can only be fixed.
    pub kind: BodyKind,
    /// Position in metres: the centre of a sphere, box or capsule, a point of a plane, the origin of a triangle's corners. Default:
    /// the world's origin.
    pub position: DVec3,
    /// Orientation; made to unit length. Default: none. Planes and triangles have none.
    pub orientation: Quat,
    /// Velocity in m/s. Default 0. Ignored for fixed bodies.
    pub velocity: DVec3,
    /// Angular velocity in rad/s, about the axes of the world. Default 0. Ignored for fixed bodies.
    pub angular_velocity: DVec3,
    /// Mass in kg, 1e-12 to 1e12. Default 1. Ignored unless the body is dynamic.
    pub mass: f64,
    /// The surface.
    pub material: Material,
    /// Drag in 1/s: without other forces the velocity decays as `exp(-damping t)`. Default 0.
    pub linear_damping: f64,
    /// The same for the angular velocity. Default 0.
    pub angular_damping: f64,
    /// Factor on the world's gravity; negative makes the body rise. Default 1.
    pub gravity_scale: f64,
    /// May the body fall asleep? Default true.
    pub can_sleep: bool,
    /// Anything the user likes. Default 0.
    pub user_data: u64,
}

impl BodyDef {
    const fn of(shape: Shape, kind: BodyKind) -> BodyDef {
        BodyDef {
            shape,
            kind,
            position: DVec3::ZERO,
            orientation: Quat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            mass: 1.0,
            material: Material::DEFAULT,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            can_sleep: true,
            user_data: 0,
        }
    }

    /// A ball that forces and collisions move.
    pub const fn sphere(radius: f64) -> BodyDef {
        BodyDef::of(Shape::Sphere { radius }, BodyKind::Dynamic)
    }

    /// A box that forces and collisions move, by the distances from its centre to its faces.
    pub const fn cuboid(half_extents: DVec3) -> BodyDef {
        BodyDef::of(Shape::Cuboid { half_extents }, BodyKind::Dynamic)
    }

    /// A capsule along its y axis that forces and collisions move. From end to end it is twice `half_length + radius`
    /// long.
    pub const fn capsule(half_length: f64, radius: f64) -> BodyDef {
        BodyDef::of(Shape::Capsule { half_length, radius }, BodyKind::Dynamic)
    }

    /// A fixed plane, solid from both sides.
    pub const fn plane(normal: DVec3) -> BodyDef {
        BodyDef::of(Shape::Plane { normal }, BodyKind::Fixed)
    }

    /// A fixed triangle, solid from both sides.
    pub const fn triangle(a: DVec3, b: DVec3, c: DVec3) -> BodyDef {
        BodyDef::of(Shape::Triangle { corners: [a, b, c] }, BodyKind::Fixed)
    }

    pub(crate) fn validate(&self) -> Result<(), DefError> {
        let shape = self.shape.checked()?;
        if self.kind != BodyKind::Fixed && !shape.is_solid() {
            return Err(DefError::field("BodyDef.kind", self.kind, "Fixed: planes and triangles cannot move"));
        }
        point("BodyDef.position", self.position)?;
        orientation("BodyDef.orientation", self.orientation)?;
        velocity("BodyDef.velocity", self.velocity)?;
        velocity("BodyDef.angular_velocity", self.angular_velocity)?;
        positive("BodyDef.mass", self.mass)?;
        self.material.validate()?;
        non_negative("BodyDef.linear_damping", self.linear_damping)?;
        non_negative("BodyDef.angular_damping", self.angular_damping)?;
        finite("BodyDef.gravity_scale", self.gravity_scale)?;
        Ok(())
    }
}

/// Checks that a quaternion has a direction, and makes it a unit.
pub(crate) fn orientation(field: &'static str, value: Quat) -> Result<Quat, DefError> {
    let length = value.length();
    if (1.0e-6..=1.0e6).contains(&length) {
        Ok(value.normalized())
    } else {
        Err(DefError::field(field, value, "a quaternion with a length between 1e-6 and 1e6"))
    }
}

/// What every body has.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    pub(crate) material: Material,
    /// Where a body that cannot move is.
    pub(crate) position: DVec3,
    pub(crate) orientation: Quat,
    /// The unit normal of a plane or triangle.
    pub(crate) normal: DVec3,
    /// The corners of a triangle in world coordinates.
    pub(crate) corners: [DVec3; 3],
    /// Index of the moving part, `NONE` if fixed.
    pub(crate) mover: u32,
    /// Key in the tree of fixed bodies; `NONE` for planes and for what moves.
    pub(crate) fixed_proxy: u32,
    /// Springs that end here.
    pub(crate) springs: Vec<u32>,
    pub(crate) user_data: u64,
}

/// Whether a mover takes part in the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    Awake,
    /// With all of a group of `World::sleeping`.
    Asleep {
        group: u32,
    },
    /// Its numbers went out of range; it stays where it last was and takes part in nothing.
    Frozen,
}

/// The part of a body that can move.
///
/// Within a step each mover has its own clock: `state` is how it was at `clock_s`, `end` how it will be at the end of
/// the step if nothing happens to it, and `path` leads from one to the other.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    /// Index of the [`Body`].
    pub(crate) body: u32,
    /// Of a sphere that holds all of the body.
    pub(crate) radius: f64,
    /// Infinity if kinematic.
    pub(crate) mass: f64,
    pub(crate) inv_mass: f64,
    /// Of a sphere, about any axis; zero for other shapes, which have `inertia` alone.
    pub(crate) inv_inertia: f64,
    pub(crate) inertia: Inertia,
    pub(crate) linear_damping: f64,
    pub(crate) angular_damping: f64,
    pub(crate) gravity_scale: f64,
    /// What the user applied for this step.
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
    /// The sum over the resting contacts, constant for the rest of the step.
    pub(crate) contact_force: DVec3,
    pub(crate) contact_torque: DVec3,

    pub(crate) state: BodyState,
    pub(crate) end: BodyState,
    /// Goes through the step with a crowd.
    pub(crate) flows: bool,
    /// Went through the last step with a crowd, or was hit so often that it might as well have.
    pub(crate) is_pressed: bool,
    /// Added to the velocity when the step is over: what a crowd did to it within the step.
    pub(crate) jump: DVec3,
    pub(crate) path: Path,
    /// At least as far as the path leads from its start.
    pub(crate) reach: f64,
    /// Seconds since the step began.
    pub(crate) clock_s: f64,
    /// Counts the paths, so that an impact predicted on an old one can be told.
    pub(crate) serial: u32,
    /// Contact forces changed since the path was made.
    pub(crate) is_path_stale: bool,
    /// Left the range of numbers in this step.
    pub(crate) is_broken: bool,
    /// Half of what the forces on it add to its speed in a step: a rebound slower than this would end in the step.
    pub(crate) rest_speed: f64,
    /// Impacts in this step, and how many may be expected of it.
    pub(crate) impacts: f64,
    pub(crate) allowed_impacts: f64,
    /// Its place in the list of those whose contact forces are being balanced; `NONE` if it is not there.
    pub(crate) place: u32,

    /// Key in the tree of movers.
    pub(crate) proxy: u32,
    /// The box in the tree: somewhat larger than the path needs.
    pub(crate) fat_aabb: Aabb,
    /// Indices of its contacts.
    pub(crate) contacts: Vec<u32>,
    /// The movers that springs join it to; `NONE` without springs.
    pub(crate) cluster: u32,
    pub(crate) activity: Activity,
    pub(crate) can_sleep: bool,
    /// How long it has been slower than the sleep speed.
    pub(crate) sleep_time_s: f64,
}

impl Mover {
    pub(crate) fn is_awake(&self) -> bool {
        self.activity == Activity::Awake
    }

    /// Awake, and not a kinematic body that stands still.
    pub(crate) fn is_active(&self) -> bool {
        self.is_awake() && !(self.is_kinematic() && self.state.velocity == DVec3::ZERO)
    }

    /// The velocity at a time of the step, not before the clock: exact under constant forces.
    pub(crate) fn velocity_at_time(&self, time_s: f64, step_length_s: f64) -> DVec3 {
        if !self.is_awake() || time_s <= self.clock_s {
            return self.state.velocity;
        }
        let u = (time_s - self.clock_s) / (step_length_s - self.clock_s);
        self.state.velocity + (self.end.velocity - self.state.velocity) * u
    }

    pub(crate) fn is_kinematic(&self) -> bool {
        self.inv_mass == 0.0
    }

    /// The mean acceleration on the way to the end of the step.
    pub(crate) fn acceleration(&self, step_length_s: f64) -> DVec3 {
        let left_s = step_length_s - self.clock_s;
        if self.is_awake() && left_s > 0.0 { (self.end.velocity - self.state.velocity) / left_s } else { DVec3::ZERO }
    }

    /// Impacts in this step that are more than a body in a gas would have.
    pub(crate) fn impacts_beyond_allowed(&self) -> f64 {
        max(self.impacts - self.allowed_impacts, 0.0)
    }

    /// Forgets the impacts of the last step. One that flies many times its radius may hit often.
    pub(crate) fn reset_impacts(&mut self) {
        self.is_pressed = self.flows || self.impacts >= IMPACTS_OF_CROWD;
        self.impacts = 0.0;
        // One with corners lands on several of them.
        let least = if self.inertia.is_round() { 2.0 } else { 8.0 };
        self.allowed_impacts = least + 2.0 * self.reach / self.radius;
    }

    /// Changes velocities by an impulse and an angular impulse.
    #[inline]
    pub(crate) fn strike(&mut self, impulse: DVec3, angular: DVec3) {
        self.state.velocity += impulse * self.inv_mass;
        self.state.angular_velocity += self.inertia.respond(self.state.orientation, angular);
    }

    /// Sets mass and inertia of a dynamic body of some shape.
    pub(crate) fn set_mass(&mut self, shape: &Shape, mass: f64) {
        self.mass = mass;
        self.inv_mass = 1.0 / mass;
        self.inertia = Inertia::of(shape, mass);
        self.inv_inertia = match self.inertia {
            Inertia::Round { inverse, .. } => inverse,
            Inertia::Principal { .. } => 0.0,
        };
    }

    /// Lets nothing move it but its own velocity.
    pub(crate) fn set_immovable(&mut self) {
        self.inv_mass = 0.0;
        self.inv_inertia = 0.0;
        self.inertia = self.inertia.unturnable();
    }

    /// Changes the contact force from now to the end of the step, `h` seconds, and what that does to velocities at
    /// the end. Where exactly the body ends is computed when its path is planned again.
    #[inline]
    pub(crate) fn push(&mut self, force: DVec3, torque: DVec3, h: f64) {
        self.contact_force += force;
        self.contact_torque += torque;
        self.end.velocity += force * (self.inv_mass * h);
        self.end.angular_velocity += self.inertia.respond(self.state.orientation, torque * h);
        self.is_path_stale = true;
    }
}
