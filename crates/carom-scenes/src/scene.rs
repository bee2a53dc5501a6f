//! What a scene is.

use crate::color::Color;
use crate::script::{Script, Unmet};
use crate::setup::Setup;
use carom2d::prelude::*;
use std::collections::BTreeMap;
use std::fmt;

/// What a scene is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// First things to look at.
    Basics,
    /// Things that stand, or should fall.
    Stacks,
    /// Slopes, belts and sliding.
    Friction,
    /// Bounces and exchanges of momentum.
    Impact,
    /// Thousands of bodies, defined exactly, for measuring speed against other engines.
    Benchmark,
    /// The nine scenes by which the p2 engine and its quadtree are judged: a screen of 12.8 m by
    /// 7.2 m, gravity 9.81, steps of 0.02 s.
    Quadtree,
}

impl Group {
    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Basics => "basics",
            Group::Stacks => "stacks",
            Group::Friction => "friction",
            Group::Impact => "impact",
            Group::Benchmark => "benchmark",
            Group::Quadtree => "quadtree",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where to look at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Middle of the view, in metres.
    pub center: Vec2,
    /// Half the height of the view, in metres. The width follows from the window.
    pub half_height: f32,
}

/// A built-in scene.
#[derive(Debug)]
pub struct Scene {
    /// Short name in lower case, unique.
    pub name: &'static str,
    /// One line of what it shows.
    pub summary: &'static str,
    /// What it is about.
    pub group: Group,
    /// How many steps it runs unless told otherwise.
    pub steps: u32,
    /// Length of a step in seconds.
    pub dt: f32,
    /// Where to look.
    pub camera: Camera,
    /// A promise of the scene that the engine does not keep yet, and why. [`SceneWorld::check`] still
    /// states the promise in full.
    pub known_gap: Option<&'static str>,
    /// The settings of the world.
    pub(crate) world: fn() -> WorldDef,
    /// Fills the world.
    pub(crate) build: fn(&mut Setup) -> Result<Box<dyn Script>, DefError>,
}

/// Settings to use instead of a scene's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BuildOptions {
    /// Which broad phase finds pairs. Changes no result.
    pub broad_phase: Option<BroadPhaseKind>,
    /// Acceleration of gravity in m/s^2.
    pub gravity: Option<Vec2>,
    /// Solver sub-steps per step.
    pub substeps: Option<u32>,
}

impl Scene {
    /// Length of a step at 60 steps per second.
    pub(crate) const SIXTIETH: f32 = 1.0 / 60.0;

    /// A fresh world of this scene, ready for its first step. Fails only if an option is out of range.
    pub fn build(&'static self, options: &BuildOptions) -> Result<SceneWorld, DefError> {
        let own = (self.world)();
        let mut world = World::try_new(WorldDef {
            gravity: options.gravity.unwrap_or(own.gravity),
            substeps: options.substeps.unwrap_or(own.substeps),
            broad_phase: options.broad_phase.unwrap_or(own.broad_phase),
            fixed_step_s: self.dt,
            ..own
        })?;
        let mut colors = BTreeMap::new();
        let script = (self.build)(&mut Setup { world: &mut world, colors: &mut colors })?;
        Ok(SceneWorld { world, scene: self, script, colors, step_index: 0 })
    }

    /// The quadtree for this scene: its own if it has one, else one over twice the view.
    pub fn quadtree(&self) -> QuadtreeDef {
        match (self.world)().broad_phase {
            BroadPhaseKind::Quadtree(def) => def,
            BroadPhaseKind::Tree => QuadtreeDef {
                center: self.camera.center,
                half_extents: Vec2::splat(4.0 * self.camera.half_height),
                ..QuadtreeDef::default()
            },
        }
    }

    /// The simulated time after `steps` steps, in seconds: to the last bit for steps of 1/60 s and
    /// the like, which `dt` alone is too coarse for.
    pub fn seconds(&self, steps: u32) -> f64 {
        let dt = f64::from(self.dt);
        let rate = (1.0 / dt).round();
        if (1.0 / rate) as f32 == self.dt { f64::from(steps) / rate } else { f64::from(steps) * dt }
    }
}

/// A scene at some point of its run. A clone goes on bit for bit like the original.
#[derive(Debug)]
pub struct SceneWorld {
    /// The world. It may be changed between steps.
    pub world: World,
    scene: &'static Scene,
    script: Box<dyn Script>,
    colors: BTreeMap<BodyId, Color>,
    step_index: u32,
}

impl Clone for SceneWorld {
    fn clone(&self) -> SceneWorld {
        SceneWorld {
            world: self.world.clone(),
            scene: self.scene,
            script: self.script.clone_script(),
            colors: self.colors.clone(),
            step_index: self.step_index,
        }
    }
}

impl SceneWorld {
    /// Does what the scene does before this step, then steps the world by the scene's `dt`.
    pub fn step(&mut self) {
        self.script.before_step(&mut self.world, self.step_index);
        self.world.step(self.scene.dt);
        self.script.after_step(&self.world);
        self.step_index = self.step_index.saturating_add(1);
    }

    /// The scene this is a run of.
    pub fn scene(&self) -> &'static Scene {
        self.scene
    }

    /// How many steps have been made.
    pub fn step_index(&self) -> u32 {
        self.step_index
    }

    /// The colour of a body: the scene's choice, or that of its kind.
    pub fn color(&self, id: BodyId) -> Color {
        let kind = || self.world.get_body(id).map_or(BodyKind::Dynamic, |body| body.kind());
        self.colors.get(&id).copied().unwrap_or_else(|| Color::of_kind(kind()))
    }

    /// Does what the scene promises hold? Meant for the end of a run of [`Scene::steps`] steps with
    /// the scene's own settings.
    pub fn check(&self) -> Result<(), Unmet> {
        self.check_invariant()?;
        self.script.check(&self.world)
    }

    /// Does hold what must hold after any step: that every body is there, with finite numbers, and
    /// where the scene says so inside its walls?
    pub fn check_invariant(&self) -> Result<(), Unmet> {
        self.script.invariant(&self.world)
    }
}
