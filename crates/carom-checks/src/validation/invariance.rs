//! Section H: results that may not change, by more than ten times what is tolerated of them, when a whole problem is
//! moved by 100 m, turned by 90 degrees with gravity, scaled by a power of 2 with gravity, or built in reverse order.

use super::*;
use crate::families::{Player, Problem};
use carom2d::shape::Polygon;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let plain: Vec<Vec<Vec2>> = PROBLEMS.iter().map(|problem| problem.result(PLAIN)).collect();
    let settings = [
        ("moved by 100 m", Setting { shift: 100.0, ..PLAIN }),
        ("turned by 90 degrees", Setting { turned: true, ..PLAIN }),
        ("scaled by 2", Setting { scale: 2.0, ..PLAIN }),
        ("scaled by 1/2", Setting { scale: 0.5, ..PLAIN }),
        ("built in reverse order", Setting { reversed: true, ..PLAIN }),
    ];
    let mut checks = Vec::new();
    for (name, setting) in settings {
        for (problem, plain) in PROBLEMS.iter().zip(&plain) {
            let ways = problem.result(setting).into_iter().zip(plain).map(|(a, b)| f64::from(a.distance(*b)));
            let id = format!("H {} {name}, change (of ten tolerances)", problem.name);
            checks.push(Check::new(id, ways.fold(0.0, larger) / (10.0 * problem.tolerance), 1.0));
        }
    }
    checks
}

/// What is done to a problem.
#[derive(Clone, Copy)]
struct Setting {
    shift: f32,
    turned: bool,
    scale: f32,
    reversed: bool,
}

const PLAIN: Setting = Setting { shift: 0.0, turned: false, scale: 1.0, reversed: false };

impl Setting {
    fn direction(&self, v: Vec2) -> Vec2 {
        self.scale * if self.turned { v.perp() } else { v }
    }

    fn place(&self, v: Vec2) -> Vec2 {
        self.direction(v) + vec2(self.shift, 0.0)
    }

    fn back(&self, v: Vec2) -> Vec2 {
        let v = (v - vec2(self.shift, 0.0)) / self.scale;
        if self.turned { -v.perp() } else { v }
    }

    /// The problem in this setting, and the new number of each body.
    fn apply(&self, problem: &Problem) -> (Problem, Vec<usize>) {
        let mut changed = Problem { settings: problem.settings, ..Problem::default() };
        changed.settings.world.gravity = self.direction(problem.settings.world.gravity);
        let mut order: Vec<usize> = (0..problem.bodies.len()).collect();
        if self.reversed {
            order.reverse();
        }
        let mut numbers = vec![0; order.len()];
        for i in order {
            let (body, shapes) = &problem.bodies[i];
            let angle = if self.turned { body.angle + 0.5 * std::f32::consts::PI } else { body.angle };
            let (position, velocity) = (self.place(body.position), self.direction(body.velocity));
            let shapes: Vec<ShapeDef> = shapes.iter().map(|shape| self.scaled(shape)).collect();
            numbers[i] = changed.add(BodyDef { position, velocity, angle, ..*body }, &shapes);
        }
        for (a, b, joint) in &problem.joints {
            let frame = |frame: Pose| Pose { p: self.scale * frame.p, ..frame };
            let joint = JointDef { frame_a: frame(joint.frame_a), frame_b: frame(joint.frame_b), ..*joint };
            changed.joints.push((numbers[*a], numbers[*b], joint));
        }
        (changed, numbers)
    }

    fn scaled(&self, shape: &ShapeDef) -> ShapeDef {
        let geometry = match shape.build().expect("a valid shape") {
            Geometry::Circle(circle) => Geometry::circle(self.scale * circle.radius),
            Geometry::Polygon(polygon) => {
                let corners: Vec<Vec2> = polygon.vertices().iter().map(|&corner| self.scale * corner).collect();
                Polygon::convex(&corners).map(Geometry::Polygon)
            }
            other => Ok(other),
        };
        let outline = ShapeDef::geometry(geometry.expect("a valid shape")).outline;
        ShapeDef { outline, ..shape.clone() }
    }
}

/// A problem of the catalogue.
struct Posed {
    /// Number and name.
    name: &'static str,
    /// What is tolerated of where bodies are at the end, in metres.
    tolerance: f64,
    steps: usize,
    build: fn(&mut Problem),
}

impl Posed {
    /// Where the bodies are at the end, seen as in the plain setting.
    fn result(&self, setting: Setting) -> Vec<Vec2> {
        let mut problem = Problem::default();
        (self.build)(&mut problem);
        let (changed, numbers) = setting.apply(&problem);
        let mut world = changed.start(Player::Carom).expect("carom plays it");
        (0..self.steps).for_each(|_| world.step(DT));
        numbers.into_iter().map(|number| setting.back(world.motion(number).center)).collect()
    }
}

/// Problems with their tolerances: those of the catalogue, as distances at the end.
const PROBLEMS: &[Posed] = &[
    Posed { name: "1 free fall", tolerance: 2.0e-5, steps: 60, build: free_fall },
    Posed { name: "6 pendulum", tolerance: 0.1, steps: 120, build: pendulum },
    Posed { name: "9 incline slide", tolerance: 2.0e-4, steps: 120, build: incline },
    Posed { name: "10 rolling", tolerance: 0.013, steps: 120, build: rolling },
    Posed { name: "12 stopping", tolerance: 0.015, steps: 120, build: stopping },
    Posed { name: "15 bounce", tolerance: 0.05, steps: 100, build: bounce },
    Posed { name: "16 head-on", tolerance: 5.0e-5, steps: 60, build: head_on },
    Posed { name: "20 stack", tolerance: 0.02, steps: 600, build: stack },
    Posed { name: "21 pyramid", tolerance: 0.035, steps: 600, build: pyramid },
    Posed { name: "22 heavy on light", tolerance: 0.04, steps: 600, build: heavy_on_light },
    Posed { name: "23 chain", tolerance: 0.07, steps: 600, build: chain },
];

fn free_fall(problem: &mut Problem) {
    problem.add_at(Vec2::ZERO, ShapeDef::circle(0.5));
}

/// From 90 degrees for most of a period. Tolerated is 1 % of the period's 2.35 s, at 4.5 m/s at most.
fn pendulum(problem: &mut Problem) {
    let pivot = problem.add(BodyDef::fixed(), &[]);
    let bob = problem.add_at(vec2(1.0, 0.0), ShapeDef::circle(0.05));
    problem.pin_local(pivot, bob, Vec2::ZERO, vec2(-1.0, 0.0));
}

fn slope(problem: &mut Problem, friction: f32, shape: ShapeDef, height: f32) {
    let (sin, cos) = carom_core::math::sin_cos64(30.0_f64.to_radians());
    problem.settings.world.gravity = vec2((10.0 * sin) as f32, (-10.0 * cos) as f32);
    problem.add_floor(100.0, friction);
    problem.add_at(vec2(0.0, height), ShapeDef { friction, ..shape });
}

fn incline(problem: &mut Problem) {
    slope(problem, 0.3, ShapeDef::rectangle(2.0, 1.0), 0.5);
}

fn rolling(problem: &mut Problem) {
    slope(problem, 1.0, ShapeDef::circle(0.5), 0.5);
}

fn stopping(problem: &mut Problem) {
    problem.add_floor(100.0, 0.5);
    let start = BodyDef { position: vec2(0.0, 0.25), velocity: vec2(5.0, 0.0), ..BodyDef::dynamic() };
    problem.add(start, &[ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 0.5) }]);
}

fn bounce(problem: &mut Problem) {
    problem.add_floor(100.0, 0.6);
    problem.add_at(vec2(0.0, 5.5), ShapeDef { restitution: 0.5, ..ShapeDef::circle(0.5) });
}

fn head_on(problem: &mut Problem) {
    problem.settings.world.gravity = Vec2::ZERO;
    let disc = |density: f32| ShapeDef { density, friction: 0.0, restitution: 1.0, ..ShapeDef::circle(0.5) };
    let start = BodyDef { position: vec2(-2.0, 0.0), velocity: vec2(4.0, 0.0), ..BodyDef::dynamic() };
    problem.add(start, &[disc(2.0)]);
    problem.add_at(Vec2::ZERO, disc(1.0));
}

fn stack(problem: &mut Problem) {
    problem.add_floor(100.0, 0.6);
    for i in 0..10 {
        problem.add_at(vec2(0.0, 0.5 + i as f32), ShapeDef::rectangle(1.0, 1.0));
    }
}

fn pyramid(problem: &mut Problem) {
    problem.add_floor(100.0, 0.6);
    for row in 0..10 {
        for column in 0..10 - row {
            let x = 0.5 * row as f32 + column as f32 - 4.5;
            problem.add_at(vec2(x, row as f32 + 0.5), ShapeDef::rectangle(1.0, 1.0));
        }
    }
}

fn heavy_on_light(problem: &mut Problem) {
    problem.add_floor(100.0, 0.6);
    problem.add_at(vec2(0.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    problem.add_at(vec2(0.0, 1.5), ShapeDef { density: 100.0, ..ShapeDef::rectangle(1.0, 1.0) });
}

fn chain(problem: &mut Problem) {
    let mut before = problem.add(BodyDef::fixed(), &[]);
    let mut end = Vec2::ZERO;
    for i in 0..20 {
        let link = problem.add_at(vec2(0.0, -0.5 * i as f32 - 0.25), ShapeDef::rectangle(0.1, 0.5));
        problem.pin_local(before, link, end, vec2(0.0, 0.25));
        (before, end) = (link, vec2(0.0, -0.25));
    }
    // Ten times the mass of a link.
    let density = 10.0 * 0.05 / (std::f32::consts::PI * 0.25 * 0.25);
    let bob = problem.add_at(vec2(0.0, -10.0), ShapeDef { density, ..ShapeDef::circle(0.25) });
    problem.pin_local(before, bob, end, Vec2::ZERO);
}
