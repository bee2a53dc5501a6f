//! What joints promise.

mod acts;
mod holds;
mod lives;

use carom_checks::validation::plain_world;
use carom_core::Rng;
use carom2d::prelude::*;

fn weightless() -> World {
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    world
}

/// A dynamic rectangle that meets nothing.
fn add_free(world: &mut World, position: Vec2, angle: f32, density: f32) -> BodyId {
    let body = world.add_body(BodyDef { position, angle, ..BodyDef::dynamic() }).expect("body");
    let filter = Filter { mask: 0, ..Filter::default() };
    world.add_shape(body, ShapeDef { density, filter, ..ShapeDef::rectangle(1.0, 0.6) }).expect("shape");
    body
}

/// Every kind that acts between two bodies alone, in several dresses.
fn kinds(rng: &mut Rng) -> Vec<JointKind> {
    let spring = Some(Spring::new(rng.range(0.5, 8.0), rng.range(0.0, 1.0)));
    let motor = Some(Motor::new(rng.range(-3.0, 3.0), rng.range(0.1, 20.0)));
    let limits = Some(Limits::new(-rng.range(0.1, 1.0), rng.range(0.1, 1.0)));
    vec![
        JointKind::Distance(Distance::rod(1.2)),
        JointKind::Distance(Distance::rope(1.5)),
        JointKind::Distance(Distance { min: 0.4, max: 2.0, spring: spring.map(|spring| (spring, 1.0)), motor: None }),
        JointKind::Revolute(Revolute::default()),
        JointKind::Revolute(Revolute { limits, motor, spring: None, target_angle: 0.0 }),
        JointKind::Revolute(Revolute { limits, motor: None, spring, target_angle: 0.3 }),
        JointKind::Prismatic(Prismatic::default()),
        JointKind::Prismatic(Prismatic { limits, motor, spring: None, target: 0.0 }),
        JointKind::Weld(Weld::default()),
        JointKind::Weld(Weld { linear: spring, angular: spring }),
        JointKind::Wheel(Wheel { spring, target: 0.0, limits, motor }),
        JointKind::Motor(Drive { max_force: 30.0, max_torque: 5.0, ..Drive::default() }),
    ]
}

/// Linear momentum, angular momentum about the origin, and what it could be at most.
fn momentum(world: &World) -> ([f64; 2], f64, f64) {
    let (mut linear, mut angular, mut scale) = ([0.0; 2], 0.0, 0.0);
    for id in world.bodies() {
        let body = world.body(id);
        let (m, i) = (f64::from(body.mass()), f64::from(body.inertia()));
        let (x, y) = (f64::from(body.center().x), f64::from(body.center().y));
        let (u, v) = (f64::from(body.velocity().x), f64::from(body.velocity().y));
        linear[0] += m * u;
        linear[1] += m * v;
        angular += m * (x * v - y * u) + i * f64::from(body.angular_velocity());
        scale += m * (1.0 + x.abs() + y.abs()) * (1.0 + u.abs() + v.abs());
    }
    (linear, angular, scale)
}
