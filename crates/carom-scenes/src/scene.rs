//! What a scene is.

use crate::color::Color;
use crate::companions::Companions;
use crate::playback::Playback;
use crate::script::{Ray, Script, Unmet};
use crate::setup::Setup;
use carom_core::StateHash;
use carom2d::Hooks;
use carom2d::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What a scene is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// First things to look at.
    Basics,
    /// Chains, ellipses, concave polygons.
    Shapes,
    /// Things that stand, or should fall.
    Stacks,
    /// Slopes, belts and sliding.
    Friction,
    /// Bounces and exchanges of momentum.
    Impact,
    /// Hinges, ropes, springs and motors, and what is built of them.
    Joints,
    /// Water, and what floats in it.
    Fluids,
    /// Bodies that give way and find their form again.
    Soft,
    /// Thousands of bodies, defined exactly, for measuring speed against other engines.
    Benchmark,
    /// Scenes of a course in which students write an engine with a quadtree, p2, and by which theirs are judged: a screen of
    /// 12.8 m by 7.2 m, gravity 9.81, steps of 0.02 s.
    Coursework,
    /// Particles, edges and half-planes.
    Particles,
    /// Balls, planes, triangles and springs in space.
    Solid,
}

impl Group {
    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Basics => "basics",
            Group::Shapes => "shapes",
            Group::Stacks => "stacks",
            Group::Friction => "friction",
            Group::Impact => "impact",
            Group::Joints => "joints",
            Group::Fluids => "fluids",
            Group::Soft => "soft",
            Group::Benchmark => "benchmark",
            Group::Coursework => "coursework",
            Group::Particles => "particles",
            Group::Solid => "solid",
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

impl Camera {
    /// A quadtree over twice the view.
    pub fn quadtree(&self) -> QuadtreeDef {
        const LARGEST: f32 = 1.0e7;
        let half_extent = carom2d::math::min(4.0 * self.half_height, LARGEST);
        QuadtreeDef { center: self.center, half_extents: Vec2::splat(half_extent), ..QuadtreeDef::default() }
    }
}

/// What is known of a scene besides what is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Short name.
    pub name: Cow<'static, str>,
    /// One line of what it shows.
    pub summary: Cow<'static, str>,
    /// How many steps it runs unless told otherwise.
    pub steps: u32,
    /// Length of a step in seconds.
    pub dt: f64,
    /// Where to look.
    pub camera: Camera,
}

impl About {
    /// The simulated time after `steps` steps, in seconds: to the last bit for steps of 1/60 s and
    /// the like.
    pub fn seconds(&self, steps: u32) -> f64 {
        let rate = (1.0 / self.dt).round();
        if 1.0 / rate == self.dt { f64::from(steps) / rate } else { f64::from(steps) * self.dt }
    }
}

/// The step in seconds that single precision stands for: 1/60 itself, not what is left of it.
pub(crate) fn exact_step(dt: f32) -> f64 {
    let rate = (1.0 / f64::from(dt)).round();
    if (1.0 / rate) as f32 == dt { 1.0 / rate } else { f64::from(dt) }
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

/// Speed that [an explosion](SceneWorld::explode) gives to a body at the rim of its reach, in m/s.
pub const EXPLOSION_SPEED: f32 = 36.0;

/// Settings to use instead of a scene's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BuildOptions {
    /// Which broad phase finds pairs. Changes no result.
    pub broad_phase: Option<BroadPhaseKind>,
    /// Acceleration of gravity in m/s^2.
    pub gravity: Option<Vec2>,
    /// Solver sub-steps per step.
    pub substeps: Option<u32>,
    /// How constraints are solved.
    pub solver: Option<Solver>,
    /// How many threads share the work. Changes no result.
    pub threads: Option<u32>,
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
            solver: options.solver.unwrap_or(own.solver),
            broad_phase: options.broad_phase.unwrap_or(own.broad_phase),
            threads: options.threads.unwrap_or(own.threads),
            fixed_step_s: self.dt,
            ..own
        })?;
        let (mut colors, mut companions) = (BTreeMap::new(), Companions::default());
        let mut setup = Setup { world: &mut world, colors: &mut colors, companions: &mut companions };
        let script = (self.build)(&mut setup)?;
        Ok(SceneWorld {
            world,
            about: Arc::new(self.about()),
            scene: Some(self),
            script,
            colors,
            companions,
            dt: self.dt,
            step_index: 0,
            playback: None,
        })
    }

    /// What is known of it, as it is for scenes from files.
    pub fn about(&self) -> About {
        About {
            name: Cow::Borrowed(self.name),
            summary: Cow::Borrowed(self.summary),
            steps: self.steps,
            dt: exact_step(self.dt),
            camera: self.camera,
        }
    }

    /// The quadtree for this scene: its own if it has one, else one over twice the view.
    pub fn quadtree(&self) -> QuadtreeDef {
        match (self.world)().broad_phase {
            BroadPhaseKind::Quadtree(def) => def,
            BroadPhaseKind::Tree => self.camera.quadtree(),
        }
    }

    /// The simulated time after `steps` steps, in seconds; see [`About::seconds`].
    pub fn seconds(&self, steps: u32) -> f64 {
        self.about().seconds(steps)
    }
}

/// A scene at some point of its run. A clone goes on bit for bit like the original.
#[derive(Debug)]
pub struct SceneWorld {
    /// The world. It may be changed between steps.
    pub world: World,
    about: Arc<About>,
    scene: Option<&'static Scene>,
    script: Box<dyn Script>,
    colors: BTreeMap<BodyId, Color>,
    /// What acts on the world besides itself. It may be changed between steps.
    pub companions: Companions,
    /// Length of a step in seconds.
    dt: f32,
    step_index: u32,
    /// The recording that makes the steps, if there is one.
    playback: Option<Box<Playback>>,
}

impl Clone for SceneWorld {
    fn clone(&self) -> SceneWorld {
        SceneWorld {
            world: self.world.clone(),
            about: self.about.clone(),
            scene: self.scene,
            script: self.script.clone_script(),
            colors: self.colors.clone(),
            companions: self.companions.clone(),
            dt: self.dt,
            step_index: self.step_index,
            playback: self.playback.clone(),
        }
    }
}

impl SceneWorld {
    /// A run of a world that no built-in scene made. It does nothing but step, and promises only that
    /// nothing is lost.
    pub fn new(about: About, world: World) -> SceneWorld {
        let dt = about.dt as f32;
        SceneWorld {
            world,
            about: Arc::new(about),
            scene: None,
            script: Box::new(Idle),
            colors: BTreeMap::new(),
            companions: Companions::default(),
            dt,
            step_index: 0,
            playback: None,
        }
    }

    /// The same, with steps that a recording makes.
    pub(crate) fn played_by(self, playback: Playback) -> SceneWorld {
        SceneWorld { playback: Some(Box::new(playback)), ..self }
    }

    pub(crate) fn stop_playback(&mut self) {
        self.playback = None;
    }

    pub(crate) fn playback(&self) -> Option<&Playback> {
        self.playback.as_deref()
    }

    /// The last step there is, if the run has an end of its own: one of a recording does.
    pub fn last_step(&self) -> Option<u32> {
        self.playback().map(|playback| playback.steps)
    }

    /// Does what the scene and its companions do before this step, then steps the world by the scene's `dt`.
    pub fn step(&mut self) {
        self.step_by(self.dt, None);
    }

    /// The same with a step of `dt` seconds instead of the scene's own, and with hooks if there are any. What a scene
    /// promises, it promises for its own steps. A recording makes the steps that it has, and none after its last.
    pub fn step_by(&mut self, dt: f32, hooks: Option<&dyn Hooks>) {
        if let Some(playback) = &mut self.playback {
            if self.step_index < playback.steps {
                playback.step(&mut self.world);
                self.step_index += 1;
            }
            return;
        }
        self.script.before_step(&mut self.world, self.step_index);
        self.companions.act(&mut self.world, dt);
        match hooks {
            Some(hooks) => self.world.step_with(dt, hooks),
            None => self.world.step(dt),
        }
        self.script.after_step(&self.world);
        self.step_index = self.step_index.saturating_add(1);
    }

    /// Does what the scene does before this step and counts the step, but lets no time pass: for those who
    /// want to know what the scene does, to do the same in another engine.
    pub fn act(&mut self) {
        self.script.before_step(&mut self.world, self.step_index);
        self.step_index = self.step_index.saturating_add(1);
    }

    /// What this is a run of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The built-in scene this is a run of, if it is one.
    pub fn built_in(&self) -> Option<&'static Scene> {
        self.scene
    }

    /// A hash of the state of the world and of the particles and the fluid in it: the same on every machine.
    pub fn state_hash(&self) -> u64 {
        let world = self.world.state_hash();
        let Companions { particles, fluid, .. } = &self.companions;
        if particles.is_none() && fluid.is_none() {
            return world;
        }
        let mut hash = StateHash::new();
        hash.write_u64(world);
        if let Some(particles) = particles {
            hash.write_u64(particles.system.state_hash());
        }
        if let Some(fluid) = fluid {
            hash.write_u64(fluid.fluid.state_hash());
        }
        hash.finish()
    }

    /// The rays that the scene casts through the world as it is now.
    pub fn rays(&self) -> Vec<Ray> {
        self.script.rays(&self.world)
    }

    /// Lets something explode: dv = s (x - c) / R for each dynamic body whose centre x is within R of the point c.
    ///
    /// R is half the height of the scene's view and s is [`EXPLOSION_SPEED`]. On the bodies of 1 kg of the p2 engine, whose
    /// view is 7.2 m high, that is an impulse of 10 N s for each metre of distance.
    pub fn explode(&mut self, center: Vec2) -> Result<(), DefError> {
        if !center.is_finite() {
            return Err(DefError::Field { field: "center", value: center.to_string(), expected: "a finite point" });
        }
        let reach = self.about.camera.half_height;
        let moved: Vec<BodyId> = crate::measure::dynamic_bodies(&self.world).collect();
        for id in moved {
            let mut body = self.world.body_mut(id);
            let away = body.get().center() - center;
            if away.length() <= reach {
                let impulse = (EXPLOSION_SPEED / reach) * body.get().mass() * away;
                body.apply_impulse(impulse)?;
            }
        }
        Ok(())
    }

    /// Does more happen than bodies moving: is something spawned, driven or struck?
    pub fn is_scripted(&self) -> bool {
        self.script.is_active()
    }

    /// Length of a step in seconds.
    pub fn dt(&self) -> f32 {
        self.dt
    }

    /// The simulated time so far, in seconds.
    pub fn time(&self) -> f64 {
        self.about.seconds(self.step_index)
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

    /// The colours that were chosen, by body. Those of removed bodies may be among them.
    pub fn colors(&self) -> impl Iterator<Item = (BodyId, Color)> + '_ {
        self.colors.iter().map(|(&id, &color)| (id, color))
    }

    /// Gives a body a colour of its own.
    pub fn set_color(&mut self, id: BodyId, color: Color) {
        self.colors.insert(id, color);
    }

    /// Does what the scene promises hold? Meant for the end of a run of [`Scene::steps`] steps with
    /// the scene's own settings.
    pub fn check(&self) -> Result<(), Unmet> {
        self.check_invariant()?;
        if let Some(fluid) = &self.companions.fluid {
            self.script.check_fluid(&self.world, &fluid.fluid)?;
        }
        self.script.check(&self.world)
    }

    /// Does hold what must hold after any step: that every body is there, with finite numbers, and
    /// where the scene says so inside its walls?
    pub fn check_invariant(&self) -> Result<(), Unmet> {
        self.script.invariant(&self.world)
    }
}

/// The script of a scene in which nothing happens but physics.
#[derive(Clone, Debug)]
struct Idle;

impl Script for Idle {
    fn check(&self, _world: &World) -> Result<(), Unmet> {
        Ok(())
    }
}
