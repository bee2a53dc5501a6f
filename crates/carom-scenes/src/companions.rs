//! What acts on a world from outside, step by step: force fields, the pressure in soft bodies, particles, a fluid.

use carom_couple::{Coupled, CoupledFluid};
use carom2d::prelude::*;
use carom2d::{Field, PointGravity, Radial, SoftBody, Uniform, Vortex, Wind};

/// A force field of one of the kinds that can be written down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SceneField {
    /// The same acceleration everywhere.
    Uniform(Uniform),
    /// Attraction to a point.
    PointGravity(PointGravity),
    /// A push away from a point.
    Radial(Radial),
    /// A push around a point.
    Vortex(Vortex),
    /// Moving air.
    Wind(Wind),
}

impl SceneField {
    fn as_field(&self) -> &dyn Field {
        match self {
            SceneField::Uniform(field) => field,
            SceneField::PointGravity(field) => field,
            SceneField::Radial(field) => field,
            SceneField::Vortex(field) => field,
            SceneField::Wind(field) => field,
        }
    }
}

/// What acts on a world besides itself. Each acts before every step, in the order of the fields here.
#[derive(Clone, Debug, Default)]
pub struct Companions {
    /// Force fields, one after the other.
    pub fields: Vec<SceneField>,
    /// What keeps the area of soft bodies.
    pub soft_bodies: Vec<SoftBody>,
    /// Particles among the bodies.
    pub particles: Option<Box<Coupled>>,
    /// A fluid of particles in which bodies float and sink.
    pub fluid: Option<Box<CoupledFluid>>,
}

impl Companions {
    /// Is there nothing but the world?
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.soft_bodies.is_empty() && self.particles.is_none() && self.fluid.is_none()
    }

    /// Acts on the world for the next step, which will be `dt` seconds long.
    pub(crate) fn act(&mut self, world: &mut World, dt: f32) {
        // A step that is no length of time moves nothing.
        for field in &self.fields {
            world.apply_field(field.as_field(), dt).ok();
        }
        // One of which a part was removed has burst, and its inside with it.
        for soft in &mut self.soft_bodies {
            soft.hold(world, dt).ok();
        }
        if let Some(particles) = &mut self.particles {
            particles.step(world, dt);
        }
        if let Some(fluid) = &mut self.fluid {
            fluid.step(world, dt);
        }
    }
}
