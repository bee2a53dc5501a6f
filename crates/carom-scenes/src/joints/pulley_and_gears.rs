//! Two weights on a rope over pulleys, a train of gears, and a rack.

use super::{find_joint, ghost};
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, near, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "pulley_and_gears",
    summary: "weights on pulleys fall as in the textbook; a motor moves a rack to and fro by three gears",
    group: Group::Joints,
    steps: 480,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 3.6), half_height: 5.2 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Of the gears, in metres.
const RADII: [f32; 3] = [0.6, 0.8, 1.2];
/// Of the first gear, in rad/s.
const SPEED: f32 = 1.0;
/// How far the rack goes either way, in metres.
const TRAVEL: f32 = 2.5;
/// Of the weights, in kg.
const WEIGHTS: [f32; 2] = [3.0, 2.0];
/// Height of the weights at the start.
const HEIGHT: f32 = 3.4;

#[derive(Clone, Debug)]
struct PulleyAndGears {
    weights: [BodyId; 2],
    rope: JointId,
    /// The pins of the gears, and the slide of the rack.
    gears: [JointId; 3],
    rack: JointId,
    step: u32,
    /// Largest difference from the textbook while the weights fall, in metres.
    fall_error: f32,
    /// How far the rack went to the left, in metres.
    left: f32,
    /// Most that the rope was too long, in metres.
    stretch: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 40.0, 1.0)?;
    let frame = setup.frame()?;

    let mut weight = |x: f32, mass: f32, color: Color| {
        let body = BodyDef { mass: Some(mass), ..dynamic_at(vec2(x, HEIGHT)) };
        setup.add_colored(body, ShapeDef::rectangle(0.5 * mass.sqrt(), 0.5 * mass.sqrt()), color)
    };
    let weights = [weight(-6.5, WEIGHTS[0], Color::RED)?, weight(-4.5, WEIGHTS[1], Color::GREEN)?];
    let pulley = Pulley { pulley_a: vec2(-6.5, 8.0), pulley_b: vec2(-4.5, 8.0), length: 9.2, ratio: 1.0 };
    let rope = setup.world.add_joint(JointDef::new(weights[0], weights[1], JointKind::Pulley(pulley)))?;

    // Each gear touches the one before.
    let mut gears = Vec::new();
    let mut x = -1.4;
    for (i, radius) in RADII.into_iter().enumerate() {
        x += radius;
        let place = vec2(x, 3.6);
        x += radius;
        let gear = setup.world.add_body(dynamic_at(place))?;
        setup.world.add_shape(gear, ghost(ShapeDef::circle(radius)))?;
        setup.colors.insert(gear, Color::nth(i + 1));
        let motor = (i == 0).then_some(Motor::new(SPEED, 500.0));
        let pin = setup.pin_with(frame, gear, place, Revolute { motor, ..Revolute::default() })?;
        gears.push((gear, pin, radius));
    }
    for pair in gears.windows(2) {
        let [(body_a, joint_a, radius_a), (body_b, joint_b, radius_b)] = [pair[0], pair[1]];
        let gear = Gear { joint_a, joint_b, ratio: radius_b / radius_a };
        setup.world.add_joint(JointDef::new(body_a, body_b, JointKind::Gear(gear)))?;
    }
    // A rack that lies on the last gear. Turning clockwise it moves to the right.
    let (last, pin, radius) = gears[2];
    let center = setup.world.body(last).position();
    let rack = ghost(ShapeDef::rectangle(8.0, 0.3));
    let rack = setup.add_colored(dynamic_at(center + vec2(0.0, radius + 0.15)), rack, Color::STONE)?;
    let at = setup.world.body(rack).position();
    let slide = setup.world.add_joint(JointDef::prismatic(frame, rack).at(setup.world, at)?)?;
    let gear = Gear { joint_a: slide, joint_b: pin, ratio: radius };
    setup.world.add_joint(JointDef::new(rack, last, JointKind::Gear(gear)))?;

    let gears = [gears[0].1, gears[1].1, gears[2].1];
    Ok(Box::new(PulleyAndGears {
        weights,
        rope,
        gears,
        rack: slide,
        step: 0,
        fall_error: 0.0,
        left: 0.0,
        stretch: 0.0,
    }))
}

impl PulleyAndGears {
    /// How far the first weight has come down and the second gone up.
    fn ways(&self, world: &World) -> Option<[f32; 2]> {
        let [a, b] = self.weights.map(|id| world.get_body(id).map(|body| body.position().y));
        Some([HEIGHT - a?, b? - HEIGHT])
    }
}

impl Script for PulleyAndGears {
    fn is_active(&self) -> bool {
        true
    }

    /// The motor turns back when the rack has come to an end.
    fn before_step(&mut self, world: &mut World, _: u32) {
        let Some(place) = world.get_joint(self.rack).map(|rack| rack.offset().x) else { return };
        if let Some(mut motor) = world.get_joint_mut(self.gears[0]).filter(|_| place.abs() > TRAVEL) {
            motor.set_motor_speed(if place < 0.0 { -SPEED } else { SPEED }).ok();
        }
    }

    fn after_step(&mut self, world: &World) {
        self.step += 1;
        self.left = max(world.get_joint(self.rack).map_or(0.0, |rack| -rack.offset().x), self.left);
        let Some([down, up]) = self.ways(world) else { return };
        self.stretch = max(down - up, self.stretch);
        // Until a weight is at the floor or at its pulley.
        let time = self.step as f32 * SCENE.dt;
        let acceleration = 10.0 * (WEIGHTS[0] - WEIGHTS[1]) / (WEIGHTS[0] + WEIGHTS[1]);
        let expected = 0.5 * acceleration * time * time;
        if expected < 2.0 {
            self.fall_error = max((down - expected).abs(), self.fall_error);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        find_joint(world, self.rope)?;
        at_most("the weights' distance from the textbook in m", self.fall_error, 0.02)?;
        at_most("the stretch of the rope in m", self.stretch, 0.01)?;
        let [first, second, third] = self.gears.map(|id| find_joint(world, id).map(|joint| f64::from(joint.angle())));
        let (first, second, third) = (first?, second?, third?);
        near("the farthest that the rack went to the left in m", self.left, f64::from(TRAVEL), 0.05)?;
        require(first < 0.9 * f64::from(TRAVEL / RADII[0]), || {
            format!("the first gear did not turn back: {first} rad")
        })?;
        let ratio = |from: usize, to: usize| f64::from(RADII[from] / RADII[to]);
        near("the angle of the second gear in rad", second, -first * ratio(0, 1), 0.01)?;
        near("the angle of the third gear in rad", third, first * ratio(0, 2), 0.01)?;
        let rack = f64::from(find_joint(world, self.rack)?.offset().x);
        near("the way of the rack in m", rack, -third * f64::from(RADII[2]), 0.01)
    }
}
