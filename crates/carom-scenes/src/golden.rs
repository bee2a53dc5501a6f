//! The state hash of every built-in scene after a number of steps: what must be the same on every machine.

use crate::run::{Entry, Run};
use carom2d::DefError;

/// A scene's hash after some steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    /// Name of the scene.
    pub name: &'static str,
    /// The engine that moves it.
    pub engine: &'static str,
    /// After how many steps.
    pub steps: u32,
    /// Of all positions and velocities.
    pub hash: u64,
}

/// How many things there are to move at the start.
fn size(run: &Run) -> usize {
    match run {
        Run::Rigid(run) => {
            let companions = &run.companions;
            let drops = companions.fluid.as_ref().map_or(0, |water| water.fluid.particle_count());
            let particles = companions.particles.as_ref().map_or(0, |particles| particles.system.particle_count());
            run.world.body_count() + drops + particles
        }
        Run::Particles(run) => run.scene.system.particle_count(),
        Run::Solid(run) => run.scene.world.body_count(),
    }
}

/// After how many steps a hash is taken: 300, or fewer where much moves or the scene is over sooner, but 20 of any scene. So
/// every scene takes less than some seconds.
fn golden_steps(run: &Run) -> u32 {
    let affordable = 200_000 / u32::try_from(size(run).max(1)).unwrap_or(u32::MAX);
    let end = run.last_step().unwrap_or(u32::MAX).min(run.about().steps);
    affordable.clamp(20, 300).min(end)
}

impl Entry {
    /// The scene's hash after its number of steps.
    ///
    /// ```
    /// let entry = carom_scenes::find_entry("stack")?;
    /// let (first, second) = (entry.golden()?, entry.golden()?);
    /// assert_eq!(first, second);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn golden(self) -> Result<Golden, DefError> {
        self.golden_on(1)
    }

    /// The same on some threads, 1 to 64, which must not matter. Particles have one.
    pub fn golden_on(self, threads: u32) -> Result<Golden, DefError> {
        let mut run = self.build()?;
        match &mut run {
            Run::Rigid(run) => run.world.set_def(carom2d::WorldDef { threads, ..*run.world.def() })?,
            Run::Particles(_) => {}
            Run::Solid(run) => {
                let def = carom3d::WorldDef { threads, ..*run.scene.world.def() };
                run.scene.world.set_def(def)?;
            }
        }
        let steps = golden_steps(&run);
        (0..steps).for_each(|_| run.step());
        let engine = match run {
            Run::Rigid(_) => "carom2d",
            Run::Particles(_) => "carom-particles",
            Run::Solid(_) => "carom3d",
        };
        Ok(Golden { name: self.name(), engine, steps, hash: run.state_hash() })
    }
}
