//! What a particle system is made of: particles, edges and half-planes.

use crate::forces::Forces;
use glam::DVec2;

/// A particle to be added: a disc with a mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleDef {
    /// Mass in kg. Default 1. Taken as given: zero or negative masses are not refused, and do what the formulas say.
    pub mass: f64,
    /// Centre in m. Default the origin.
    pub position: DVec2,
    /// Velocity in m/s. Default zero.
    pub velocity: DVec2,
    /// Radius in m, for collisions and pictures. Default 0.1.
    pub radius: f64,
    /// Whether forces and impulses leave it alone. Default: they do not.
    pub motion: Motion,
}

impl Default for ParticleDef {
    fn default() -> Self {
        ParticleDef {
            mass: 1.0,
            position: DVec2::ZERO,
            velocity: DVec2::ZERO,
            radius: DEFAULT_PARTICLE_RADIUS,
            motion: Motion::Free,
        }
    }
}

/// Radius of a particle that says nothing about it, in m.
pub const DEFAULT_PARTICLE_RADIUS: f64 = 0.1;
/// Radius of an edge that says nothing about it, in m.
pub const DEFAULT_EDGE_RADIUS: f64 = 0.015;

/// Whether a particle obeys forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// Forces and impulses move it.
    #[default]
    Free,
    /// Nothing changes its velocity. It is scripted rather than immobile: with a velocity, it moves. In collisions
    /// its mass is infinite.
    Fixed,
}

/// A straight bar between two particles, for collisions, pictures and springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Indices of the particles at its ends.
    pub ends: [usize; 2],
    /// Half its thickness in m. Default in scene files: 0.015.
    pub radius: f64,
}

/// The solid set of points x with (x - point) . normal <= 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfPlane {
    /// A point of the surface.
    pub point: DVec2,
    /// Points out of the solid; any length but zero. With length zero it collides with nothing.
    pub normal: DVec2,
}

/// Where everything is and how it moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Centres of the particles in m.
    pub positions: Vec<DVec2>,
    /// Velocities of the particles in m/s.
    pub velocities: Vec<DVec2>,
}

/// What stays the same during a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) masses: Vec<f64>,
    pub(crate) radii: Vec<f64>,
    pub(crate) motions: Vec<Motion>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) half_planes: Vec<HalfPlane>,
    pub(crate) forces: Forces,
}

impl Model {
    #[inline]
    pub(crate) fn is_fixed(&self, particle: usize) -> bool {
        self.motions[particle] == Motion::Fixed
    }

    /// The mass as collisions see it: infinite when fixed.
    #[inline]
    pub(crate) fn impact_mass(&self, particle: usize) -> f64 {
        if self.is_fixed(particle) { f64::INFINITY } else { self.masses[particle] }
    }
}
