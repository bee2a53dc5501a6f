//! A car with a suspension on rough ground.

use super::find_joint;
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom_core::math::sin;
use carom2d::math::max;
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "car",
    summary: "a car drives over hills, a gap of loose planks and a heap of boxes, and stops",
    group: Group::Joints,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(13.0, 3.0), half_height: 10.9 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Where the ground begins and ends, and the gap in it.
const START: f32 = -6.0;
const END: f32 = 32.0;
const GAP: [f32; 2] = [15.0, 19.0];
/// Where the car stops: before the wall there is room for all boxes in a row.
const GOAL: f32 = 26.0;
const RADIUS: f32 = 0.6;
/// Speed of the wheels in rad/s, and their strength in N m.
const SPEED: f32 = -9.0;
const TORQUE: f32 = 13.0;
/// How far the wheels may move, in metres.
const TRAVEL: f32 = 0.3;

#[derive(Clone, Debug)]
struct Car {
    body: BodyId,
    axles: [JointId; 2],
    /// How far a wheel was beyond its travel, at most, in metres.
    beyond: f32,
    /// Largest angle of the car, either way.
    tilt: f32,
}

/// Height of the ground.
fn ground(x: f32) -> f32 {
    let slope = |from: f32, to: f32| ((x - from) / (to - from)).clamp(0.0, 1.0);
    // Hills that grow, flat at the gap and from there on.
    let hills = 1.1 * sin(0.75 * x) * slope(0.0, 6.0) * (1.0 - slope(9.0, 14.0));
    hills + 0.07 * sin(4.3 * x) * slope(1.0, 3.0) * (1.0 - slope(11.0, 14.0))
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let floor = setup.world.add_body(BodyDef::fixed())?;
    let mut x = START;
    while x < END - 0.01 {
        let next = x + 0.5;
        if next <= GAP[0] + 0.01 || x >= GAP[1] - 0.01 {
            let piece = ShapeDef::segment(vec2(x, ground(x)), vec2(next, ground(next)));
            setup.world.add_shape(floor, ShapeDef { friction: 0.9, ..piece })?;
        }
        x = next;
    }
    // The banks of the gap, and walls at both ends.
    for (x, y) in [(GAP[0], -2.0), (GAP[1], -2.0), (START, 2.0), (END, 2.0)] {
        setup.world.add_shape(floor, ShapeDef::segment(vec2(x, 0.0), vec2(x, y)))?;
    }

    let mut before = floor;
    let planks = 10u8;
    let length = (GAP[1] - GAP[0]) / f32::from(planks);
    for i in 0..planks {
        let x = GAP[0] + length * (f32::from(i) + 0.5);
        let plank = ShapeDef { density: 4.0, friction: 0.9, ..ShapeDef::rectangle(length, 0.2) };
        let plank = setup.add_colored(dynamic_at(vec2(x, -0.1)), plank, Color::ORANGE)?;
        setup.pin(before, plank, vec2(x - 0.5 * length, -0.1))?;
        before = plank;
    }
    setup.pin(before, floor, vec2(GAP[1], -0.1))?;
    for row in 0..2u8 {
        for column in 0..3u8 {
            let place = vec2(22.0 + 0.65 * f32::from(column), 0.3 + 0.6 * f32::from(row));
            let crate_box = ShapeDef { density: 0.1, friction: 0.3, ..ShapeDef::rectangle(0.6, 0.6) };
            setup.add_colored(dynamic_at(place), crate_box, Color::nth(usize::from(row)))?;
        }
    }

    let body = setup.world.add_body(dynamic_at(vec2(-4.0, 1.15)))?;
    let hull = [vec2(-1.6, -0.3), vec2(1.9, -0.3), vec2(1.9, 0.05), vec2(1.0, 0.25), vec2(-1.5, 0.35)];
    let cabin = [vec2(-1.1, 0.3), vec2(0.8, 0.25), vec2(0.2, 0.85), vec2(-0.7, 0.85)];
    setup.world.add_shape(body, ShapeDef { density: 3.0, ..ShapeDef::convex(&hull) })?;
    setup.world.add_shape(body, ShapeDef { density: 0.3, ..ShapeDef::convex(&cabin) })?;
    setup.colors.insert(body, Color::RED);
    let mut axle = |x: f32| {
        let place = vec2(-4.0 + x, 0.65);
        let wheel = ShapeDef { density: 1.2, friction: 1.5, ..ShapeDef::circle(RADIUS) };
        let wheel = setup.add_colored(dynamic_at(place), wheel, Color::STONE)?;
        let kind = JointKind::Wheel(Wheel {
            spring: Some(Spring::new(4.0, 0.7)),
            target: 0.0,
            limits: Some(Limits::new(-TRAVEL, TRAVEL)),
            motor: Some(Motor::new(SPEED, TORQUE)),
        });
        let def = JointDef::new(body, wheel, kind).at_pose(setup.world, Pose::new(place, 0.5 * PI))?;
        setup.world.add_joint(def)
    };
    let axles = [axle(-1.1)?, axle(1.2)?];
    Ok(Box::new(Car { body, axles, beyond: 0.0, tilt: 0.0 }))
}

impl Script for Car {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, _: u32) {
        if world.get_body(self.body).is_some_and(|body| body.position().x > GOAL) {
            for axle in self.axles {
                if let Some(mut joint) = world.get_joint_mut(axle)
                    && matches!(joint.get().kind(), JointKind::Wheel(wheel) if wheel.motor != Some(Motor::new(0.0, TORQUE)))
                {
                    joint.set_motor_speed(0.0).ok();
                }
            }
        }
    }

    fn after_step(&mut self, world: &World) {
        for joint in self.axles.iter().filter_map(|&axle| world.get_joint(axle)) {
            self.beyond = max(joint.offset().x.abs() - TRAVEL, self.beyond);
        }
        if let Some(body) = world.get_body(self.body) {
            self.tilt = max(body.angle().abs(), self.tilt);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let car = find_body(world, self.body)?;
        for axle in self.axles {
            find_joint(world, axle)?;
        }
        let x = car.position().x;
        require(x > GOAL, || format!("the car got to {x} m only, expected {GOAL}"))?;
        require(car.velocity().length() < 0.05, || format!("the car does not stand: {}", car.velocity()))?;
        at_most("the largest tilt of the car in rad", self.tilt, 1.0)?;
        at_most("the way of a wheel beyond its travel in m", self.beyond, 0.02)
    }
}
