//! Particle scenes: those built in, and runs of these and of those from files.

mod run;

pub use run::ParticleRun;

/// A built-in particle scene.
#[derive(Debug)]
pub struct ParticleScene {
    /// Short name in lower case, unique.
    pub name: &'static str,
    /// One line of what it shows.
    pub summary: &'static str,
    pub(crate) make: fn() -> carom_particles::Scene,
}

impl ParticleScene {
    /// The scene at its start.
    pub fn build(&'static self) -> ParticleRun {
        ParticleRun::new(self.name, self.summary, (self.make)())
    }
}

static ALL: [ParticleScene; 0] = [];

/// Every built-in particle scene.
pub(crate) fn all() -> &'static [ParticleScene] {
    &ALL
}
