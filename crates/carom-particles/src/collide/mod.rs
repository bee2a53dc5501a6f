//! Collisions: which pairs are near (`broad`), how near (`proximity`), and what is done about it: impulses at the end
//! of the step (`simple`), impulses at the time of impact (`continuous`), or a penalty force (`forces::penalty`).

mod broad;
mod continuous;
mod impact;
mod proximity;
mod response;
mod roots;
mod simple;

pub use broad::BroadPhase;
pub(crate) use broad::{Grid, Pairs, sweep};
pub(crate) use continuous::resolve_continuous;
pub use impact::{Impact, half_plane_impact, particle_edge_impact, particle_impact};
pub(crate) use proximity::Proximity;
pub(crate) use simple::resolve_simple;

use crate::forces::Penalty;
use glam::DVec2;

/// What happens when things meet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum CollisionHandling {
    /// They pass through each other.
    #[default]
    None,
    /// One sweep of impulses over the pairs that overlap at the end of the step and approach.
    Simple(SimpleCollisions),
    /// A repulsive force.
    Penalty(Penalty),
    /// Impulses at the times of impact during the step, so that nothing fast passes through.
    Continuous(ContinuousCollisions),
}

impl CollisionHandling {
    /// Its name in a sentence.
    pub const fn title(&self) -> &'static str {
        match self {
            CollisionHandling::None => "none",
            CollisionHandling::Simple(_) => "simple",
            CollisionHandling::Penalty(_) => "penalty forces",
            CollisionHandling::Continuous(_) => "continuous-time",
        }
    }

    /// What the original program calls it. Penalty forces are forces: it names no handler for them.
    pub const fn original_title(&self) -> &'static str {
        match self {
            CollisionHandling::Simple(_) => "Simple Collision Handling",
            CollisionHandling::Continuous(_) => "Continuous-Time Collision Handling",
            CollisionHandling::None | CollisionHandling::Penalty(_) => "Collisions disabled",
        }
    }
}

/// Settings of the simple handler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimpleCollisions {
    /// Coefficient of restitution: 1 (the default) keeps the energy, 0 takes all approach away.
    pub restitution: f64,
    /// What happens to a fixed particle that meets a half-plane.
    pub fixed_at_half_plane: FixedAtHalfPlane,
}

impl Default for SimpleCollisions {
    fn default() -> Self {
        SimpleCollisions { restitution: 1.0, fixed_at_half_plane: FixedAtHalfPlane::default() }
    }
}

/// What happens to a fixed particle that meets a half-plane. The collision is recorded either way.
///
/// The written assignment says that no impulse is ever applied to a fixed particle; the original program reflects it
/// here all the same. No official scene has the case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedAtHalfPlane {
    /// It keeps its velocity, as the assignment says.
    #[default]
    Keep,
    /// Its velocity is reflected, as the original program does.
    Reflect,
}

/// Settings of the continuous handler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContinuousCollisions {
    /// Coefficient of restitution: 1 (the default) keeps the energy, 0 takes all approach away.
    pub restitution: f64,
}

impl Default for ContinuousCollisions {
    fn default() -> Self {
        ContinuousCollisions { restitution: 1.0 }
    }
}

/// What a particle met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKind {
    /// Another particle.
    Particle,
    /// An edge.
    Edge,
    /// A half-plane.
    HalfPlane,
}

/// A collision that was found and answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What the particle met.
    pub kind: ContactKind,
    /// Index of the particle.
    pub particle: usize,
    /// Index of the other object among those of its kind.
    pub other: usize,
    /// Shortest vector from the particle's centre to the other object, in m, not normalised.
    pub n: DVec2,
    /// When in the step it happened: 0 for the simple handler, in [0, 1] for the continuous one.
    pub time: f64,
}
