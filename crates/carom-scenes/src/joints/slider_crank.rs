//! A crank, a rod and a piston.

use super::{find_joint, ghost};
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, near};
use crate::setup::{Setup, dynamic_at};
use carom_core::math::sin_cos;
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "slider_crank",
    summary: "a motor turns a crank whose rod drives a piston that throws a block up and down",
    group: Group::Joints,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 2.6), half_height: 4.8 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Of the crank and the rod, in metres.
const CRANK: f32 = 1.0;
const ROD: f32 = 2.6;
/// Of the crank, in rad/s.
const SPEED: f32 = 4.0;

#[derive(Clone, Debug)]
struct SliderCrank {
    axle: JointId,
    slide: JointId,
    /// Largest difference of the piston from where the crank should have it, in metres.
    error: f32,
}

/// How high the piston's pin is above the axle when the crank has turned by `angle` from straight up.
fn height(angle: f32) -> f32 {
    let (sine, cosine) = sin_cos(angle);
    CRANK * cosine + (ROD * ROD - CRANK * CRANK * sine * sine).sqrt()
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let frame = setup.frame()?;
    // Straight up at first.
    let crank = setup.world.add_body(dynamic_at(Vec2::ZERO))?;
    setup.world.add_shape(crank, ghost(ShapeDef { density: 2.0, ..ShapeDef::circle(0.45) }))?;
    setup.world.add_shape(crank, ghost(ShapeDef::capsule(Vec2::ZERO, vec2(0.0, CRANK), 0.2)))?;
    setup.colors.insert(crank, Color::BRASS);
    let rod = ghost(ShapeDef::capsule(vec2(0.0, -0.5 * ROD), vec2(0.0, 0.5 * ROD), 0.12));
    let rod = setup.add_colored(dynamic_at(vec2(0.0, CRANK + 0.5 * ROD)), rod, Color::BLUE)?;
    let top = CRANK + ROD;
    let piston = setup.add_colored(dynamic_at(vec2(0.0, top)), ShapeDef::rectangle(1.9, 0.9), Color::RED)?;

    let motor = Some(Motor::new(SPEED, 2.0e3));
    let axle = setup.pin_with(frame, crank, Vec2::ZERO, Revolute { motor, ..Revolute::default() })?;
    setup.pin(crank, rod, vec2(0.0, CRANK))?;
    setup.pin(rod, piston, vec2(0.0, top))?;
    let upright = Pose::new(Vec2::ZERO, 0.5 * std::f32::consts::PI);
    let mut def = JointDef::prismatic(frame, piston).at_pose(setup.world, upright)?;
    // The slide is measured from the axle to the piston's pin.
    def.frame_b.p = Vec2::ZERO;
    let slide = setup.world.add_joint(def)?;

    // The cylinder, and what lies on the piston.
    for side in [-1.0, 1.0] {
        setup.block(vec2(1.25 * side, 4.2), 0.5, 5.0)?;
    }
    setup.add_colored(dynamic_at(vec2(0.0, top + 1.0)), ShapeDef::rectangle(1.0, 0.6), Color::GREEN)?;
    Ok(Box::new(SliderCrank { axle, slide, error: 0.0 }))
}

impl Script for SliderCrank {
    fn after_step(&mut self, world: &World) {
        if let (Some(axle), Some(slide)) = (world.get_joint(self.axle), world.get_joint(self.slide)) {
            self.error = max((slide.offset().x - height(axle.angle())).abs(), self.error);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        find_joint(world, self.slide)?;
        let turned = find_joint(world, self.axle)?.angle();
        near("the angle of the crank in rad", turned, f64::from(SPEED) * 10.0, 0.2)?;
        // Two millimetres while the piston runs free; more in the moment the block comes down on it.
        at_most("the piston's distance from where the crank has it in m", self.error, 0.03)
    }
}
