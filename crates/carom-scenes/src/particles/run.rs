//! A particle scene at some point of its run.

use crate::scene::{About, Camera};
use carom_particles::Scene;
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
    /// Where the particles with a trail have been, oldest first: one for each of the scene's paths.
    trails: Vec<VecDeque<DVec2>>,
    step_index: u32,
}

/// The longest trail, in positions.
const LONGEST_TRAIL: usize = 100_000;

impl ParticleRun {
    /// A run of a scene at its start.
    pub fn new(name: impl Into<Cow<'static, str>>, summary: impl Into<Cow<'static, str>>, scene: Scene) -> ParticleRun {
        let view = scene.camera(16.0 / 9.0);
        let about = About {
            name: name.into(),
            summary: summary.into(),
            steps: u32::try_from(scene.steps()).unwrap_or(u32::MAX),
            dt: scene.dt,
            camera: Camera { center: vec2(view.center.x as f32, view.center.y as f32), half_height: view.size as f32 },
        };
        let trails = scene.paths.iter().map(|_| VecDeque::new()).collect();
        let mut run = ParticleRun { scene, about: Arc::new(about), trails, step_index: 0 };
        run.extend_trails();
        run
    }

    /// What this is a run of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Makes one step.
    pub fn step(&mut self) {
        self.scene.system.step(self.scene.dt);
        self.step_index = self.step_index.saturating_add(1);
        self.extend_trails();
    }

    /// How many steps have been made.
    pub fn step_index(&self) -> u32 {
        self.step_index
    }

    /// Where the particle of each of the scene's paths has been, oldest first, the present place included.
    pub fn trails(&self) -> &[VecDeque<DVec2>] {
        &self.trails
    }

    fn extend_trails(&mut self) {
        for (path, trail) in self.scene.paths.iter().zip(&mut self.trails) {
            trail.push_back(self.scene.system.positions()[path.particle]);
            while trail.len() > path.length(self.scene.dt).clamp(1, LONGEST_TRAIL) {
                trail.pop_front();
            }
        }
    }
}
