//! Problems with known answers.
//!
//! Conventions unless a problem says otherwise: g = 10 m/s^2, dt = 1/60 s, 4 sub-steps, no sleeping,
//! no damping, density 1, restitution at any speed.

pub mod collision;
pub mod direct;
pub mod friction;
pub mod impact;
pub mod integration;
pub mod invariance;
pub mod joints;
pub mod particles;
pub mod seeds;
pub mod stacks;
pub mod symmetry;
pub mod tunnelling;

use carom2d::prelude::*;

/// Length of a step.
pub const DT: f32 = 1.0 / 60.0;

/// One measured value and its limits. Smaller is better; 0 is exact.
#[derive(Clone, Debug)]
pub struct Check {
    /// Number of the problem and what was varied, such as `15 e=0.9 apex`.
    pub id: String,
    /// The measured error.
    pub value: f64,
    /// The largest error that passes.
    pub gate: f64,
    /// The error that would be better than any engine measured, where it is stricter.
    pub goal: Option<f64>,
    /// The known answer that the error is measured from, where it is a number other than 0.
    pub expected: Option<f64>,
    /// What was measured, in the unit of the known answer, where there is one.
    pub measured: Option<f64>,
}

impl Check {
    /// A check without a goal beyond the gate.
    pub fn new(id: impl Into<String>, value: f64, gate: f64) -> Check {
        Check { id: id.into(), value, gate, goal: None, expected: None, measured: None }
    }

    /// A check with a stricter goal.
    pub fn with_goal(id: impl Into<String>, value: f64, gate: f64, goal: f64) -> Check {
        Check { goal: Some(goal), ..Check::new(id, value, gate) }
    }

    /// A check that either holds or does not.
    pub fn holds(id: impl Into<String>, holds: bool) -> Check {
        Check::new(id, if holds { 0.0 } else { 1.0 }, 0.0)
    }

    /// The same with the known answer and what was measured.
    pub fn answer(self, expected: f64, measured: f64) -> Check {
        Check { expected: Some(expected), measured: Some(measured), ..self }
    }

    /// Does the value pass the gate? NaN does not.
    pub fn passes(&self) -> bool {
        self.value <= self.gate
    }

    /// Does the value reach the goal, or the gate where there is none?
    pub fn reaches_goal(&self) -> bool {
        self.value <= self.goal.unwrap_or(self.gate)
    }
}

/// A group of problems: its name and how to run it.
pub type Group = (&'static str, fn() -> Vec<Check>);

/// Every group, in the order of the problems' numbers.
pub const GROUPS: &[Group] = &[
    ("integration", integration::checks),
    ("particles", particles::checks),
    ("friction", friction::checks),
    ("impact", impact::checks),
    ("stacks", stacks::checks),
    ("joints", joints::checks),
    ("direct", direct::checks),
    ("tunnelling", tunnelling::checks),
    ("collision", collision::checks),
    ("symmetry", symmetry::checks),
    ("invariance", invariance::checks),
    ("seeds", seeds::checks),
];

/// Runs every problem.
pub fn all() -> Vec<Check> {
    GROUPS.iter().flat_map(|(_, run)| run()).collect()
}

/// A world after the conventions.
pub fn plain_world() -> World {
    World::new(WorldDef { gravity: vec2(0.0, -10.0), sleeping: false, ..WorldDef::default() })
}

/// A world after the conventions whose gravity pulls down a slope of `angle` radians towards +x.
pub fn tilted_world(angle: f64) -> World {
    let mut world = plain_world();
    let (sin, cos) = carom_core::math::sin_cos64(angle);
    world.set_gravity(vec2((10.0 * sin) as f32, (-10.0 * cos) as f32)).expect("gravity is finite");
    world
}

/// A wide floor whose top is at y = 0.
pub fn add_floor(world: &mut World, friction: f32, restitution: f32) -> BodyId {
    let floor = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }).expect("floor");
    let shape = ShapeDef { friction, restitution, ..ShapeDef::rectangle(400.0, 2.0) };
    world.add_shape(floor, shape).expect("floor");
    floor
}

/// A dynamic body with one shape.
pub fn add(world: &mut World, position: Vec2, shape: ShapeDef) -> BodyId {
    add_moving(world, position, Vec2::ZERO, shape)
}

/// A dynamic body with one shape and a velocity.
pub fn add_moving(world: &mut World, position: Vec2, velocity: Vec2, shape: ShapeDef) -> BodyId {
    let body = world.add_body(BodyDef { position, velocity, ..BodyDef::dynamic() }).expect("body");
    world.add_shape(body, shape).expect("shape");
    body
}

/// Makes `count` steps of 1/60 s.
pub fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step(DT);
    }
}

/// Total kinetic energy in J, in double precision.
pub fn kinetic_energy(world: &World) -> f64 {
    world.bodies().map(|id| f64::from(world.body(id).kinetic_energy())).sum()
}

/// The deepest overlap among the contacts, in metres, at least 0.
pub fn deepest_overlap(world: &World) -> f64 {
    let points = world.contacts().filter(|contact| !contact.is_sensor()).flat_map(|contact| contact.points());
    points
        .map(|point| -f64::from(point.separation))
        .fold(0.0, |deepest, depth| if depth > deepest { depth } else { deepest })
}

/// The larger of two numbers.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
