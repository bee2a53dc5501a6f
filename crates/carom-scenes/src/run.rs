//! A run of any kind of scene, built in or from a file.

use crate::list::UnknownScene;
use crate::particles::{ParticleRun, ParticleScene};
use crate::scene::{About, BuildOptions, Group, Scene, SceneWorld};
use crate::solid::{SolidRun, SolidScene};
use carom2d::DefError;

/// A built-in scene of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// Rigid bodies in the plane.
    Rigid(&'static Scene),
    /// Particles, edges and half-planes.
    Particles(&'static ParticleScene),
    /// Balls, planes, triangles and springs in space.
    Solid(&'static SolidScene),
}

impl Entry {
    /// Short name in lower case, unique.
    pub fn name(self) -> &'static str {
        match self {
            Entry::Rigid(scene) => scene.name,
            Entry::Particles(scene) => scene.name,
            Entry::Solid(scene) => scene.name,
        }
    }

    /// One line of what it shows.
    pub fn summary(self) -> &'static str {
        match self {
            Entry::Rigid(scene) => scene.summary,
            Entry::Particles(scene) => scene.summary,
            Entry::Solid(scene) => scene.summary,
        }
    }

    /// What it is about.
    pub fn group(self) -> Group {
        match self {
            Entry::Rigid(scene) => scene.group,
            Entry::Particles(_) => Group::Particles,
            Entry::Solid(_) => Group::Solid,
        }
    }

    /// The scene at its start, with its own settings.
    pub fn build(self) -> Result<Run, DefError> {
        Ok(match self {
            Entry::Rigid(scene) => Run::Rigid(Box::new(scene.build(&BuildOptions::default())?)),
            Entry::Particles(scene) => Run::Particles(Box::new(scene.build())),
            Entry::Solid(scene) => Run::Solid(Box::new(scene.build())),
        })
    }
}

/// Every built-in scene of every kind, by group.
pub fn entries() -> impl Iterator<Item = Entry> {
    let rigid = crate::list::all().iter().map(Entry::Rigid);
    let particles = crate::particles::all().iter().map(Entry::Particles);
    rigid.chain(particles).chain(crate::solid::all().iter().map(Entry::Solid))
}

/// The scene of this name, or of this former name, of whatever kind.
pub fn find_entry(name: &str) -> Result<Entry, UnknownScene> {
    let is_called = |entry: &Entry| match entry {
        Entry::Rigid(scene) => scene.is_called(name),
        Entry::Particles(_) | Entry::Solid(_) => entry.name() == name,
    };
    entries().find(is_called).ok_or_else(|| UnknownScene::new(name))
}

/// A scene of any kind at some point of its run. A clone goes on bit for bit like the original.
#[derive(Clone, Debug)]
pub enum Run {
    /// Rigid bodies in the plane.
    Rigid(Box<SceneWorld>),
    /// Particles, edges and half-planes.
    Particles(Box<ParticleRun>),
    /// Balls, planes, triangles and springs in space.
    Solid(Box<SolidRun>),
}

impl Run {
    /// What this is a run of.
    pub fn about(&self) -> &About {
        match self {
            Run::Rigid(run) => run.about(),
            Run::Particles(run) => run.about(),
            Run::Solid(run) => run.about(),
        }
    }

    /// Makes one step.
    pub fn step(&mut self) {
        match self {
            Run::Rigid(run) => run.step(),
            Run::Particles(run) => run.step(),
            Run::Solid(run) => run.step(),
        }
    }

    /// How many steps have been made.
    pub fn step_index(&self) -> u32 {
        match self {
            Run::Rigid(run) => run.step_index(),
            Run::Particles(run) => run.step_index(),
            Run::Solid(run) => run.step_index(),
        }
    }

    /// The last step there is, if the run has an end of its own: one along a trajectory or of a recording does.
    pub fn last_step(&self) -> Option<u32> {
        match self {
            Run::Rigid(run) => run.last_step(),
            Run::Particles(run) => run.last_step(),
            Run::Solid(_) => None,
        }
    }

    /// The simulated time so far, in seconds.
    pub fn time(&self) -> f64 {
        self.about().seconds(self.step_index())
    }

    /// A hash of the state: the same on every machine.
    pub fn state_hash(&self) -> u64 {
        match self {
            Run::Rigid(run) => run.state_hash(),
            Run::Particles(run) => run.scene.system.state_hash(),
            Run::Solid(run) => run.scene.world.state_hash(),
        }
    }

    /// The run of rigid bodies, if it is one.
    pub fn as_rigid(&self) -> Option<&SceneWorld> {
        match self {
            Run::Rigid(run) => Some(run),
            Run::Particles(_) | Run::Solid(_) => None,
        }
    }

    /// The run of rigid bodies, to change it, if it is one.
    pub fn as_rigid_mut(&mut self) -> Option<&mut SceneWorld> {
        match self {
            Run::Rigid(run) => Some(run),
            Run::Particles(_) | Run::Solid(_) => None,
        }
    }

    /// The run of particles, if it is one.
    pub fn as_particles(&self) -> Option<&ParticleRun> {
        match self {
            Run::Particles(run) => Some(run),
            Run::Rigid(_) | Run::Solid(_) => None,
        }
    }

    /// The run in space, if it is one.
    pub fn as_solid(&self) -> Option<&SolidRun> {
        match self {
            Run::Solid(run) => Some(run),
            Run::Rigid(_) | Run::Particles(_) => None,
        }
    }
}
