//! Force fields: forces that depend on where a body is and how it moves.
//!
//! A field is asked about each awake body before a step and answers with a [`Push`]. Bodies are shown halfway
//! through the step, where their velocity carries them: that makes the step a leapfrog, so orbits keep their
//! energy and close.

use crate::body::{BodyId, BodyState};
use crate::error::DefError;
use crate::math::{Pose, Vec2, cross, left_perp, unit_and_length};
use crate::medium::{Drag, Halfway, Medium, Wrench};
use crate::record::{BodyLoad, Call};
use crate::shape::boundary::Boundary;
use crate::shape::double::Double2;
use crate::world::{World, WorldState};

/// A force and a torque on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Force in N through the centre of mass.
    pub force: Vec2,
    /// Torque in N m, counter-clockwise.
    pub torque: f32,
}

impl Push {
    /// A force through the centre of mass.
    pub fn force(force: Vec2) -> Push {
        Push { force, torque: 0.0 }
    }

    /// A force at a point that is `arm` from the centre of mass.
    pub fn force_at(force: Vec2, arm: Vec2) -> Push {
        Push { force, torque: cross(arm, force) }
    }
}

/// A body as a field sees it.
#[derive(Clone, Copy, Debug)]
pub struct FieldBody<'w> {
    world: &'w WorldState,
    body: u32,
    halfway: Halfway,
}

impl FieldBody<'_> {
    /// The handle of the body.
    pub fn id(&self) -> BodyId {
        self.world.bodies.id_at(self.body).expect("a body that is awake exists")
    }

    /// What the user stored with the body.
    pub fn user_data(&self) -> u64 {
        self.world.bodies[self.body].user_data
    }

    /// Mass in kg.
    pub fn mass(&self) -> f32 {
        self.world.bodies[self.body].mass
    }

    /// Moment of inertia about the centre of mass in kg m^2.
    pub fn inertia(&self) -> f32 {
        self.world.bodies[self.body].inertia
    }

    /// Position of the centre of mass in metres, halfway through the step.
    pub fn center(&self) -> Vec2 {
        self.halfway.center
    }

    /// Position and rotation of the body's origin, halfway through the step.
    pub fn pose(&self) -> Pose {
        let Halfway { center, rotation, local_center, .. } = self.halfway;
        Pose { p: center - rotation.rotate(local_center), q: rotation }
    }

    /// Velocity of the centre of mass in m/s as gravity and the forces so far will leave it.
    pub fn velocity(&self) -> Vec2 {
        self.halfway.velocity
    }

    /// Angular velocity in rad/s, likewise.
    pub fn angular_velocity(&self) -> f32 {
        self.halfway.angular_velocity
    }
}

/// A field of force: what it does to a body.
///
/// Closures are fields, too:
///
/// ```
/// use carom2d::prelude::*;
/// use carom2d::{FieldBody, Push};
/// let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
/// let body = world.add_body(BodyDef { position: vec2(3.0, 0.0), ..BodyDef::dynamic() })?;
/// world.add_shape(body, ShapeDef::circle(0.5))?;
/// // A spring to the origin.
/// let spring = |body: &FieldBody| Push::force(-2.0 * body.center());
/// for _ in 0..60 {
///     world.apply_field(&spring, 1.0 / 60.0)?;
///     world.step(1.0 / 60.0);
/// }
/// assert!(world.body(body).position().x < 0.0);
/// # Ok::<(), DefError>(())
/// ```
pub trait Field {
    /// The force and torque on a body. One that is not finite is taken for none.
    fn push(&self, body: &FieldBody) -> Push;
}

impl<F: Fn(&FieldBody) -> Push> Field for F {
    fn push(&self, body: &FieldBody) -> Push {
        self(body)
    }
}

/// The same acceleration everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Uniform {
    /// Acceleration in m/s^2.
    pub acceleration: Vec2,
}

impl Field for Uniform {
    fn push(&self, body: &FieldBody) -> Push {
        Push::force(self.acceleration * body.mass())
    }
}

/// Attraction to a point as that to a planet: with the inverse square of the distance.
///
/// With the vector `r` from the centre the acceleration is `-strength r / (r^2 + softening^2)^(3/2)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointGravity {
    /// The centre, in metres.
    pub center: Vec2,
    /// Acceleration at a distance of 1 m, in m^3/s^2; negative repels.
    pub strength: f32,
    /// Distance in metres below which the attraction levels off. 0 makes it infinite at the centre; raise it
    /// where bodies come so near that they turn by a large angle in one step.
    pub softening: f32,
}

impl Field for PointGravity {
    fn push(&self, body: &FieldBody) -> Push {
        let arm = body.center() - self.center;
        let squared = arm.length_squared() + self.softening * self.softening;
        if squared == 0.0 {
            return Push::default();
        }
        Push::force(arm * (-self.strength * body.mass() / (squared * squared.sqrt())))
    }
}

/// A push away from a point that ends at a radius: full in the centre, and less in proportion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Radial {
    /// The centre, in metres.
    pub center: Vec2,
    /// Where the field ends, in metres.
    pub radius: f32,
    /// Acceleration near the centre in m/s^2; negative pulls.
    pub acceleration: f32,
}

impl Field for Radial {
    fn push(&self, body: &FieldBody) -> Push {
        let (outward, strength) = faded(self.center, self.radius, self.acceleration, body);
        Push::force(outward * strength)
    }
}

/// A push around a point, counter-clockwise, that ends at a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vortex {
    /// The centre, in metres.
    pub center: Vec2,
    /// Where the field ends, in metres.
    pub radius: f32,
    /// Acceleration near the centre in m/s^2; negative turns clockwise.
    pub acceleration: f32,
}

impl Field for Vortex {
    fn push(&self, body: &FieldBody) -> Push {
        let (outward, strength) = faded(self.center, self.radius, self.acceleration, body);
        Push::force(left_perp(outward) * strength)
    }
}

/// The direction from a centre to a body, and a force that fades to nothing at a radius.
fn faded(center: Vec2, radius: f32, acceleration: f32, body: &FieldBody) -> (Vec2, f32) {
    let (outward, distance) = unit_and_length(body.center() - center);
    let share = if distance < radius { 1.0 - distance / radius } else { 0.0 };
    (outward, acceleration * share * body.mass())
}

/// Moving air. It presses on the faces of shapes on its windward side, by their width across it:
/// `density / 2 * drag * width * speed^2`, with the speed of the air as the face sees it. Sails are pushed,
/// weathercocks turn, and what falls has a terminal speed.
///
/// Apply it after other fields: it resists what they have done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wind {
    /// Velocity of the air in m/s; zero for air at rest.
    pub velocity: Vec2,
    /// Density of the air in kg/m^2, at least 0. Shapes have 1 by default.
    pub density: f32,
    /// Coefficient of drag, at least 0; about 1 for most things.
    pub drag: f32,
}

impl Field for Wind {
    fn push(&self, body: &FieldBody) -> Push {
        let (world, halfway) = (body.world, &body.halfway);
        let medium =
            Medium { velocity: self.velocity, linear: 0.0, quadratic: 0.5 * f64::from(self.density * self.drag) };
        let mut drag = Drag::NONE;
        for &shape in &world.bodies[body.body].shapes {
            let shape = &world.shapes[shape];
            // What has parts is seen by its parts.
            if !shape.sensor && shape.parts.is_empty() {
                let boundary = Boundary::of(&shape.geometry, halfway.rotation, halfway.local_center);
                medium.add_face_drag(halfway, &boundary, &mut drag);
            }
        }
        let Wrench { force, torque } = medium.settle(halfway, &drag);
        Push { force: force.single(), torque: torque as f32 }
    }
}

impl World {
    /// Adds the forces of a field for the next step, which should be `dt` seconds long. With [`World::advance`] that is
    /// to be done before each of its steps: see [`World::advance_each`].
    ///
    /// The field acts on awake dynamic bodies. What sleeps goes on sleeping, as it does under gravity: wake it
    /// with [`BodyMut::wake`](crate::BodyMut::wake) when a field begins, ends or changes.
    pub fn apply_field(&mut self, field: &dyn Field, dt: f32) -> Result<(), DefError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(DefError::field("dt", dt, "a number above 0"));
        }
        let (is_recording, mut loads) = (self.is_recording(), Vec::new());
        for index in 0..self.state.sets.awake().sims.len() {
            let awake = self.state.sets.awake();
            let (sim, state) = (&awake.sims[index], &awake.states[index]);
            if state.flags & BodyState::MOVABLE == 0 {
                continue;
            }
            let halfway = Halfway::of(sim, state, self.state.def.gravity, dt);
            let Push { force, torque } = field.push(&FieldBody { world: &self.state, body: sim.body, halfway });
            let wrench = Wrench { force: Double2::from(force), torque: f64::from(torque) };
            let sim = &mut self.state.sets.awake_mut().sims[index];
            sim.push(&wrench);
            if is_recording {
                loads.push(BodyLoad { body: sim.body, force: sim.force, torque: sim.torque });
            }
        }
        self.note(|| Call::Loads { loads });
        Ok(())
    }
}
