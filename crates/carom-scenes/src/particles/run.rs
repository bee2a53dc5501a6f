//! A particle scene at some point of its run.

use super::ParticleScene;
use crate::scene::{About, Camera};
use crate::script::{Unmet, require};
use carom_core::math::{max64, min64};
use carom_particles::{Contact, Extent, Frame, Scene, Trajectory, Viewport};
use carom2d::math::vec2;
use glam::DVec2;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

/// A particle scene at some point of its run, with the trails it draws. A clone goes on bit for bit like
/// the original.
#[derive(Clone, Debug)]
pub struct ParticleRun {
    /// The scene. Its system is the present state.
    pub scene: Scene,
    about: Arc<About>,
    built_in: Option<&'static ParticleScene>,
    /// Where the particles were at the start: views do not follow them.
    start: Extent,
    /// Where the particles with a trail have been, oldest first: one for each of the scene's paths.
    trails: Vec<VecDeque<DVec2>>,
    step_index: u32,
    /// Whose frames are taken in place of steps, if steps are not made.
    trajectory: Option<Arc<Trajectory>>,
}

/// The longest trail, in positions.
const LONGEST_TRAIL: usize = 100_000;

/// All trails together have no more positions than this, or one each.
const ALL_TRAILS: usize = 4_000_000;

/// Width over height of a wide screen.
const WIDE: f64 = 16.0 / 9.0;

impl ParticleRun {
    /// A run of a scene at its start.
    pub fn new(name: impl Into<Cow<'static, str>>, summary: impl Into<Cow<'static, str>>, scene: Scene) -> ParticleRun {
        let about = About {
            name: name.into(),
            summary: summary.into(),
            steps: u32::try_from(scene.steps()).unwrap_or(u32::MAX),
            dt: scene.dt,
            camera: to_camera(scene.camera(WIDE)),
        };
        let trails = scene.paths.iter().map(|_| VecDeque::new()).collect();
        let start = scene.extent();
        let mut run = ParticleRun {
            scene,
            about: Arc::new(about),
            built_in: None,
            start,
            trails,
            step_index: 0,
            trajectory: None,
        };
        run.extend_trails();
        run
    }

    pub(super) fn of_built_in(scene: &'static ParticleScene) -> ParticleRun {
        let run = ParticleRun::new(scene.name, scene.summary, (scene.make)());
        ParticleRun { built_in: Some(scene), ..run }
    }

    /// What this is a run of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The built-in scene this is a run of, if it is one.
    pub fn built_in(&self) -> Option<&'static ParticleScene> {
        self.built_in
    }

    /// Where to look in a picture of some width over height: what the scene's file says, or all particles
    /// as they were at the start. A built-in scene that does not fit a narrow picture is seen from further
    /// away.
    pub fn camera(&self, aspect: f64) -> Camera {
        let Some(viewport) = self.scene.viewport else { return to_camera(self.start.viewport(aspect)) };
        if self.built_in.is_none() {
            return to_camera(viewport);
        }
        const MARGIN: f64 = 1.05;
        let reach = (self.start.center.x - viewport.center.x).abs() + self.start.half.x;
        let half_width = min64(MARGIN * reach, WIDE * viewport.size);
        to_camera(Viewport { size: max64(viewport.size, half_width / aspect), ..viewport })
    }

    /// The run along a trajectory, from its first frame: its steps are read and not made, and after the last
    /// frame there are none.
    ///
    /// Panics unless the trajectory was read for this scene.
    #[track_caller]
    pub fn along(mut self, trajectory: Arc<Trajectory>) -> ParticleRun {
        if let Some(first) = trajectory.frame(0) {
            self.start_from(first);
        }
        self.trajectory = Some(trajectory);
        self
    }

    /// The trajectory that the run goes along, if it does.
    pub fn trajectory(&self) -> Option<&Trajectory> {
        self.trajectory.as_deref()
    }

    /// The last step there is, if there is one.
    pub fn last_step(&self) -> Option<u32> {
        self.trajectory().map(|trajectory| u32::try_from(trajectory.steps()).unwrap_or(u32::MAX))
    }

    /// The collisions of the last step, as it was made or as the trajectory has them. Those of a trajectory may
    /// name particles, edges and half-planes that do not exist.
    pub fn contacts(&self) -> &[Contact] {
        match &self.trajectory {
            Some(trajectory) => trajectory.frame(u64::from(self.step_index)).map_or(&[], |frame| &frame.contacts),
            None => self.scene.system.contacts(),
        }
    }

    /// Makes one step, or takes the next frame of the trajectory if there is one.
    pub fn step(&mut self) {
        if let Some(trajectory) = self.trajectory.clone() {
            if let Some(frame) = trajectory.frame(u64::from(self.step_index) + 1) {
                self.follow(frame);
            }
            return;
        }
        self.scene.system.step(self.scene.dt);
        self.step_index = self.step_index.saturating_add(1);
        self.extend_trails();
    }

    /// Takes over a frame of a trajectory as the state after the next step, instead of making that step.
    ///
    /// Panics unless the frame is of this scene: with a position and a velocity for each particle.
    #[track_caller]
    pub fn follow(&mut self, frame: &Frame) {
        self.scene.system.set_state(&frame.positions, &frame.velocities);
        self.step_index = self.step_index.saturating_add(1);
        self.extend_trails();
    }

    /// Starts the run elsewhere: at the first frame of a trajectory.
    ///
    /// Panics as [`follow`](Self::follow) does.
    #[track_caller]
    pub fn start_from(&mut self, frame: &Frame) {
        self.trails.iter_mut().for_each(VecDeque::clear);
        self.follow(frame);
        self.step_index = 0;
    }

    /// How many steps have been made.
    pub fn step_index(&self) -> u32 {
        self.step_index
    }

    /// Where the particle of each of the scene's paths has been, oldest first, the present place included.
    pub fn trails(&self) -> &[VecDeque<DVec2>] {
        &self.trails
    }

    /// Does what the scene promises hold? Meant for the end of a run; scenes from files promise only that
    /// numbers stay finite.
    pub fn check(&self) -> Result<(), Unmet> {
        require(self.scene.system.is_finite() && self.scene.system.frozen().is_empty(), || {
            "a particle lost its numbers".to_owned()
        })?;
        self.built_in.map_or(Ok(()), |built_in| (built_in.check)(&self.scene))
    }

    fn extend_trails(&mut self) {
        let longest = (ALL_TRAILS / self.trails.len().max(1)).clamp(1, LONGEST_TRAIL);
        for (path, trail) in self.scene.paths.iter().zip(&mut self.trails) {
            trail.push_back(self.scene.system.positions()[path.particle]);
            while trail.len() > path.length(self.scene.dt).clamp(1, longest) {
                trail.pop_front();
            }
        }
    }
}

/// A view in single precision, with something to see however odd the numbers are.
fn to_camera(view: Viewport) -> Camera {
    let center = vec2(view.center.x as f32, view.center.y as f32);
    let half_height = view.size as f32;
    let is_valid = half_height.is_finite() && half_height > 0.0;
    Camera {
        center: if center.is_finite() { center } else { vec2(0.0, 0.0) },
        half_height: if is_valid { half_height } else { 1.0 },
    }
}
