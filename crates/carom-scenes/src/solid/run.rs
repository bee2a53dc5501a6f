//! A scene in space at some point of its run.

use super::SolidScene;
use crate::scene::{About, Camera};
use crate::script::{Unmet, require};
use carom2d::math::vec2;
use carom3d::{Scene, SpinFrame};
use std::borrow::Cow;
use std::sync::Arc;

/// How many seconds a scene from a file runs: the format does not say. As long as the references of its scenes.
const FILE_SECONDS: f64 = 20.0;

/// A scene in space at some point of its run. A clone goes on bit for bit like the original.
#[derive(Clone, Debug)]
pub struct SolidRun {
    /// The scene. Its world is the present state; its step stays what it was at the start.
    pub scene: Scene,
    about: Arc<About>,
    built_in: Option<&'static SolidScene>,
    step_index: u32,
    /// About which axes the angular velocities of the start are meant.
    spin_frame: SpinFrame,
}

impl SolidRun {
    /// A run of a scene at its start, some seconds long.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
        scene: Scene,
        seconds: f64,
    ) -> SolidRun {
        let about = About {
            name: name.into(),
            summary: summary.into(),
            // The cast keeps to whole numbers that there are.
            steps: (seconds / scene.dt).round() as u32,
            dt: scene.dt,
            // Pictures of space lie in a plane of their own, two units high.
            camera: Camera { center: vec2(0.0, 0.0), half_height: 1.0 },
        };
        SolidRun { scene, about: Arc::new(about), built_in: None, step_index: 0, spin_frame: SpinFrame::World }
    }

    /// A run of a scene from a file.
    pub(crate) fn of_file(name: String, scene: Scene) -> SolidRun {
        let summary = summary(&scene);
        SolidRun::new(name, summary, scene, FILE_SECONDS)
    }

    pub(super) fn of_built_in(scene: &'static SolidScene) -> SolidRun {
        let run = SolidRun::new(scene.name, scene.summary, (scene.make)(), scene.seconds);
        SolidRun { built_in: Some(scene), ..run }
    }

    /// The same run at its start with another step, as long in seconds as before.
    #[must_use]
    pub fn with_dt(self, dt: f64) -> SolidRun {
        let seconds = self.about.seconds(self.about.steps);
        let scene = Scene { dt, ..self.scene };
        let run = SolidRun::new(self.about.name.clone(), self.about.summary.clone(), scene, seconds);
        SolidRun { built_in: self.built_in, step_index: self.step_index, spin_frame: self.spin_frame, ..run }
    }

    /// The same run at its start with its angular velocities `w` meant about other axes: those of each body, where they
    /// are `R(q) w` about the axes of the world, with `q` its orientation.
    #[must_use]
    pub fn with_spin_frame(mut self, frame: SpinFrame) -> SolidRun {
        if frame == self.spin_frame {
            return self;
        }
        self.spin_frame = frame;
        let bodies: Vec<_> = self.scene.bodies().collect();
        for id in bodies {
            let Some(mut body) = self.scene.world.get_body_mut(id) else { continue };
            let (spin, orientation) = (body.get().angular_velocity(), body.get().orientation());
            let turned = match frame {
                SpinFrame::Body => orientation.rotate(spin),
                SpinFrame::World => orientation.inv_rotate(spin),
            };
            // As long as it was, and so as valid; a body that does not move has none.
            body.set_angular_velocity(turned).ok();
        }
        self
    }

    /// About which axes the angular velocities of the start are meant.
    pub fn spin_frame(&self) -> SpinFrame {
        self.spin_frame
    }

    /// What this is a run of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The built-in scene this is a run of, if it is one.
    pub fn built_in(&self) -> Option<&'static SolidScene> {
        self.built_in
    }

    /// Makes one step.
    pub fn step(&mut self) {
        self.scene.world.step(self.about.dt);
        self.step_index = self.step_index.saturating_add(1);
    }

    /// How many steps have been made.
    pub fn step_index(&self) -> u32 {
        self.step_index
    }

    /// Does what the scene promises hold? Meant for the end of a run; scenes from files promise only that no body
    /// leaves the range of numbers.
    pub fn check(&self) -> Result<(), Unmet> {
        let world = &self.scene.world;
        let frozen = world.bodies().filter(|id| world.body(*id).is_frozen()).count();
        require(frozen == 0, || format!("{frozen} bodies left the range of numbers"))?;
        self.built_in.map_or(Ok(()), |built_in| (built_in.check)(&self.scene))
    }
}

/// What a file holds, in a few words.
fn summary(scene: &Scene) -> String {
    let counted = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let parts = [
        (scene.spheres.len(), "sphere"),
        (scene.solids.len(), "solid"),
        (scene.triangles.len(), "triangle"),
        (scene.planes.len(), "plane"),
        (scene.springs.len(), "spring"),
    ];
    let words: Vec<String> = parts.iter().filter(|(count, _)| *count > 0).map(|&(n, one)| counted(n, one)).collect();
    words.join(", ")
}
