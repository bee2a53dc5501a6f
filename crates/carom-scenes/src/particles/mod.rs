//! Particle scenes: those built in, and runs of these and of those from files.

mod bead_curtain;
mod builder;
mod cloth;
mod galaxy;
mod jelly;
mod run;
mod vortex;

pub use run::ParticleRun;

use crate::script::Unmet;

/// A built-in particle scene.
#[derive(Debug)]
pub struct ParticleScene {
    /// Short name in lower case, unique.
    pub name: &'static str,
    /// One line of what it shows.
    pub summary: &'static str,
    /// Makes it.
    pub(crate) make: fn() -> carom_particles::Scene,
    /// What must hold at its end, besides that numbers are finite.
    pub(crate) check: fn(&carom_particles::Scene) -> Result<(), Unmet>,
}

impl ParticleScene {
    /// The scene at its start.
    pub fn build(&'static self) -> ParticleRun {
        ParticleRun::of_built_in(self)
    }
}

static ALL: [ParticleScene; 5] = [cloth::SCENE, jelly::SCENE, bead_curtain::SCENE, galaxy::SCENE, vortex::SCENE];

/// Every built-in particle scene.
pub(crate) fn all() -> &'static [ParticleScene] {
    &ALL
}
