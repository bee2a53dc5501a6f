//! What is drawn: a run of any kind.

use carom_scenes::{About, ParticleRun, Run, SceneWorld, SolidRun};

/// A run of any kind, borrowed to be drawn. Whatever takes one takes a [`Run`], a [`SceneWorld`], a
/// [`ParticleRun`] or a [`SolidRun`] by reference.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'r> {
    /// Rigid bodies in the plane.
    Rigid(&'r SceneWorld),
    /// Particles, edges and half-planes.
    Particles(&'r ParticleRun),
    /// Balls, planes, triangles and springs in space.
    Solid(&'r SolidRun),
}

impl<'r> Subject<'r> {
    /// What this is a run of.
    pub fn about(self) -> &'r About {
        match self {
            Subject::Rigid(run) => run.about(),
            Subject::Particles(run) => run.about(),
            Subject::Solid(run) => run.about(),
        }
    }

    /// How many steps have been made.
    pub fn step_index(self) -> u32 {
        match self {
            Subject::Rigid(run) => run.step_index(),
            Subject::Particles(run) => run.step_index(),
            Subject::Solid(run) => run.step_index(),
        }
    }
}

impl<'r> From<&'r Run> for Subject<'r> {
    fn from(run: &'r Run) -> Subject<'r> {
        match run {
            Run::Rigid(run) => Subject::Rigid(run),
            Run::Particles(run) => Subject::Particles(run),
            Run::Solid(run) => Subject::Solid(run),
        }
    }
}

impl<'r> From<&'r SceneWorld> for Subject<'r> {
    fn from(run: &'r SceneWorld) -> Subject<'r> {
        Subject::Rigid(run)
    }
}

impl<'r> From<&'r ParticleRun> for Subject<'r> {
    fn from(run: &'r ParticleRun) -> Subject<'r> {
        Subject::Particles(run)
    }
}

impl<'r> From<&'r SolidRun> for Subject<'r> {
    fn from(run: &'r SolidRun) -> Subject<'r> {
        Subject::Solid(run)
    }
}
