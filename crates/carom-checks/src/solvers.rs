//! The three solvers on six problems: what is left over, what energy does, how deep things overlap, how long
//! it takes. `docs/solvers.md` is made of this.

use crate::validation::{DT, add_floor, deepest_overlap, kinetic_energy, larger};
use carom_core::Rng;
use carom_core::math::sin_cos64;
use carom2d::prelude::*;
use std::fmt::Write;
use std::time::Instant;

/// A solver and what the table calls it.
pub const SOLVERS: [(&str, Solver); 5] = [
    ("soft step", Solver::SoftStep),
    ("direct", Solver::Direct),
    ("sequential, bias", textbook(Correction::Bias)),
    ("sequential, split", textbook(Correction::Split)),
    ("sequential, first impact", textbook(Correction::FirstImpact)),
];

const fn textbook(correction: Correction) -> Solver {
    let (edge_weight, edge_handicap) = (0.95, 0.01);
    Solver::Sequential(Sequential { iterations: 10, slop: 1.0e-4, push: 0.2, correction, edge_weight, edge_handicap })
}

/// A problem: its name, what it is, how to build it, and for how many steps it runs.
pub struct Problem {
    /// One word.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Fills an empty world.
    pub build: fn(&mut World),
    /// How many steps it runs.
    pub steps: usize,
}

/// All problems.
pub const PROBLEMS: [Problem; 6] = [
    Problem { name: "stack", summary: "ten boxes, 10 s", build: stack, steps: 600 },
    Problem { name: "cradle", summary: "five discs on rods, the first raised, 5 s", build: cradle, steps: 300 },
    Problem { name: "wall", summary: "eight courses of bricks, 5 s", build: wall, steps: 300 },
    Problem { name: "arch", summary: "eleven stones that hold each other, 5 s", build: arch, steps: 300 },
    Problem {
        name: "chain",
        summary: "twenty links with a bob of a hundred, swinging, 10 s",
        build: chain,
        steps: 600,
    },
    Problem { name: "gas", summary: "sixty elastic discs in a box, 10 s", build: gas, steps: 600 },
];

/// What one solver does with one problem.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Largest speed in m/s that a touching contact or a joint still has where it should have none.
    pub residual: f64,
    /// Kinetic and potential energy at the end, minus that at the start, over the largest kinetic energy met
    /// or one joule.
    pub energy: f64,
    /// Deepest overlap, or largest joint error, in metres, at the end.
    pub error: f64,
    /// Milliseconds per step.
    pub ms: f64,
}

/// Runs a problem.
pub fn run(problem: &Problem, solver: Solver) -> Outcome {
    let mut world = World::new(WorldDef { solver, sleeping: false, ..WorldDef::default() });
    (problem.build)(&mut world);
    let start = energy(&world);
    let mut liveliest = 1.0;
    let clock = Instant::now();
    for _ in 0..problem.steps {
        world.step(DT);
        liveliest = larger(liveliest, kinetic_energy(&world));
    }
    let ms = clock.elapsed().as_secs_f64() * 1000.0 / problem.steps as f64;
    let joints = || world.joints().map(|id| world.joint(id));
    let joint_error = joints().map(|joint| f64::from(joint.length())).fold(0.0, larger);
    Outcome {
        residual: larger(
            contact_residual(&world),
            joints().map(|joint| f64::from(joint.velocity().length())).fold(0.0, larger),
        ),
        energy: (energy(&world) - start) / liveliest,
        error: larger(deepest_overlap(&world), joint_error),
        ms,
    }
}

fn energy(world: &World) -> f64 {
    let gravity = f64::from(world.gravity().length());
    let dynamic = world.bodies().map(|id| world.body(id)).filter(|body| body.kind() == BodyKind::Dynamic);
    kinetic_energy(world)
        + dynamic.map(|body| gravity * f64::from(body.mass()) * f64::from(body.center().y)).sum::<f64>()
}

/// The largest approach speed at a point that carries a load.
fn contact_residual(world: &World) -> f64 {
    let mut largest = 0.0;
    for contact in world.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor()) {
        let body = |shape: ShapeId| world.body(world.shape(shape).body());
        let (a, b) = (body(contact.shape_a()), body(contact.shape_b()));
        for point in contact.points().filter(|point| point.normal_impulse > 0.0) {
            let relative = b.velocity_at(point.point_now) - a.velocity_at(point.point_now);
            largest = larger(largest, -f64::from(relative.dot(contact.normal())));
        }
    }
    largest
}

/// The page tells the shortest time of so many runs.
const TIMED_RUNS: usize = 5;

/// `docs/solvers.md`.
pub fn page() -> String {
    let mut page = String::from(PREFACE);
    for problem in &PROBLEMS {
        let _ = writeln!(page, "\n**{}**: {}\n", problem.name, problem.summary);
        page.push_str("| solver | speed left over (m/s) | energy gained (relative) | overlap or joint error (mm) | ms per step |\n");
        page.push_str("|---|---|---|---|---|\n");
        for (name, solver) in SOLVERS {
            let mut outcome = run(problem, solver);
            for _ in 1..TIMED_RUNS {
                outcome.ms = -larger(-outcome.ms, -run(problem, solver).ms);
            }
            let _ = writeln!(
                page,
                "| {name} | {:.1e} | {:+.1e} | {:.3} | {:.3} |",
                outcome.residual,
                outcome.energy,
                1000.0 * outcome.error,
                outcome.ms
            );
        }
    }
    page
}

const PREFACE: &str = "# Solvers

`WorldDef::solver` chooses how constraints are solved; `carom run SCENE --solver soft-step|direct|sequential` tries it on a scene.

- **Soft step** (the default): four sub-steps; in each, every constraint is solved once as a stiff spring with position feedback, and once without. Constraints are solved by colour, sixteen side by side. Cost grows with the number of contacts and joints. Long chains under heavy loads stretch, since a pass carries a force only a few links far. What presses a body that is at least 30 times lighter by more than 5 mm is solved as `Direct` does it, with all that carries it, up to 64 contacts of an island.
- **Direct**: the same sub-steps, but all joints and contacts at once, by a sparse factorisation in `f64`. Joints hold to the last digit of `f32` at any mass ratio, and a pendulum keeps its energy. Cost grows with the number of constraints times what the factorisation fills in: little for chains and trees, much for heaps. Which contacts push and which slide is found by pivoting; where that fails (heaps of hundreds of bodies), sixty sweeps of plain impulses take its place, and the result is about as good as theirs.
- **Sequential**: the textbook. No sub-steps: ten passes over all contacts per step, accumulated impulses, friction after the normal impulse. Positions are corrected by a bias, by split impulses, or by cutting the step at first impacts; the edge of a contact stays until another is better by a margin that can be set. To learn from and to compare with: ten passes do not carry the load of the chain below, whose bob weighs as much as a hundred links, and it is torn apart.

This page is made by `cargo run --release -p carom-checks --example solvers > docs/solvers.md`. Times are the shortest of five runs on one machine, and vary; the other numbers are the same everywhere.

Energy is what the system has more at the end than at the start, relative to the largest kinetic energy met on the way (at least one joule): a chain that loses energy shows a negative number.
";

fn add_box(world: &mut World, position: Vec2, size: Vec2) {
    let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).expect("body");
    world.add_shape(body, ShapeDef::rectangle(size.x, size.y)).expect("shape");
}

fn stack(world: &mut World) {
    add_floor(world, 0.6, 0.0);
    for i in 0..10 {
        add_box(world, vec2(0.0, i as f32 + 0.5), vec2(1.0, 1.0));
    }
}

fn wall(world: &mut World) {
    add_floor(world, 0.6, 0.0);
    for course in 0..8 {
        for brick in 0..8 {
            let x = brick as f32 + if course % 2 == 0 { 0.0 } else { 0.5 };
            add_box(world, vec2(x, 0.5 * course as f32 + 0.25), vec2(1.0, 0.5));
        }
    }
}

fn arch(world: &mut World) {
    add_floor(world, 0.8, 0.0);
    // Eleven wedges around a half circle, the first and the last standing on the floor.
    for i in 0..11 {
        let corner = |k: usize, radius: f64| {
            let (sin, cos) = sin_cos64(std::f64::consts::PI * k as f64 / 11.0);
            vec2((radius * cos) as f32, (radius * sin) as f32)
        };
        let corners = [corner(i, 3.0), corner(i, 4.0), corner(i + 1, 4.0), corner(i + 1, 3.0)];
        let body = world.add_body(BodyDef::dynamic()).expect("stone");
        let shape = ShapeDef { friction: 0.8, ..ShapeDef::convex(&corners) };
        world.add_shape(body, shape).expect("stone");
    }
}

fn cradle(world: &mut World) {
    let ceiling = world.add_body(BodyDef::fixed()).expect("ceiling");
    for i in 0..5 {
        let x = 0.501 * i as f32;
        let angle = if i == 0 { -0.5_f64 } else { 0.0 };
        let (sin, cos) = sin_cos64(angle);
        let position = vec2(x + 2.0 * sin as f32, -2.0 * cos as f32);
        let ball = world.add_body(BodyDef { position, angle: angle as f32, ..BodyDef::dynamic() }).expect("ball");
        let shape = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::circle(0.25) };
        world.add_shape(ball, shape).expect("ball");
        let (frame_a, frame_b) = (Pose::at(vec2(x, 0.0)), Pose::at(vec2(0.0, 2.0)));
        world.add_joint(JointDef { frame_a, frame_b, ..JointDef::revolute(ceiling, ball) }).expect("joint");
    }
}

fn chain(world: &mut World) {
    let mut before = world.add_body(BodyDef::fixed()).expect("anchor");
    let mut end = Pose::IDENTITY;
    for i in 0..20 {
        let link = world.add_body(BodyDef { position: vec2(0.5 * i as f32 + 0.25, 0.0), ..BodyDef::dynamic() });
        let link = link.expect("link");
        let filter = Filter { mask: 0, ..Filter::default() };
        world.add_shape(link, ShapeDef { filter, ..ShapeDef::rectangle(0.5, 0.1) }).expect("link");
        let frame_b = Pose::at(vec2(-0.25, 0.0));
        world.add_joint(JointDef { frame_a: end, frame_b, ..JointDef::revolute(before, link) }).expect("joint");
        (before, end) = (link, Pose::at(vec2(0.25, 0.0)));
    }
    let mass = Some(100.0 * world.body(before).mass());
    let bob = world.add_body(BodyDef { position: vec2(10.0, 0.0), mass, ..BodyDef::dynamic() }).expect("bob");
    let filter = Filter { mask: 0, ..Filter::default() };
    world.add_shape(bob, ShapeDef { filter, ..ShapeDef::circle(0.25) }).expect("bob");
    world.add_joint(JointDef { frame_a: end, ..JointDef::revolute(before, bob) }).expect("joint");
}

fn gas(world: &mut World) {
    world.set_gravity(Vec2::ZERO).expect("gravity");
    for (position, width, height) in [
        (vec2(0.0, -6.0), 14.0, 1.0),
        (vec2(0.0, 6.0), 14.0, 1.0),
        (vec2(-6.0, 0.0), 1.0, 14.0),
        (vec2(6.0, 0.0), 1.0, 14.0),
    ] {
        let wall = world.add_body(BodyDef { position, ..BodyDef::fixed() }).expect("wall");
        let shape = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::rectangle(width, height) };
        world.add_shape(wall, shape).expect("wall");
    }
    let mut rng = Rng::new(5);
    for i in 0..60 {
        let position = vec2((i % 8) as f32 * 1.3 - 4.55, (i / 8) as f32 * 1.3 - 4.55);
        let velocity = vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0));
        let body = world.add_body(BodyDef { position, velocity, ..BodyDef::dynamic() }).expect("disc");
        let shape = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::circle(0.3) };
        world.add_shape(body, shape).expect("disc");
    }
}
