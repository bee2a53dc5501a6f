//! A windmill that drives a small wheel by gears.

use super::{find_joint, ghost};
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, near};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "windmill",
    summary: "wind turns four sails against the friction of their axle, and gears turn a fan thrice as fast",
    group: Group::Joints,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.6, 4.6), half_height: 6.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Speed in rad/s that the sails would have without friction, and how hard the wind pulls them towards it,
/// in N m s.
const WIND: f32 = 2.5;
const PULL: f32 = 40.0;
/// Friction of the axle in N m.
const FRICTION: f32 = 30.0;
/// Turns of the fan for each turn of the sails, the other way.
const RATIO: f32 = 3.0;
const HUB: Vec2 = Vec2::new(0.0, 6.2);
const FAN: Vec2 = Vec2::new(5.2, 1.9);

#[derive(Clone, Debug)]
struct Windmill {
    sails: BodyId,
    axle: JointId,
    fan_axle: JointId,
}

/// `count` blades of a length and a width about the origin.
fn blades(world: &mut World, body: BodyId, count: u8, length: f32, width: f32) -> Result<(), DefError> {
    for i in 0..count {
        let turn = Rot::from_angle(2.0 * std::f32::consts::PI * f32::from(i) / f32::from(count));
        let blade = ghost(ShapeDef {
            position: turn.rotate(vec2(0.56 * length, 0.5 * width)),
            angle: turn.angle(),
            density: 0.5,
            ..ShapeDef::rectangle(0.88 * length, width)
        });
        world.add_shape(body, blade)?;
        let spar = ShapeDef::capsule(Vec2::ZERO, turn.rotate(vec2(length, 0.0)), 0.05);
        world.add_shape(body, ghost(spar))?;
    }
    Ok(())
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 40.0, 1.0)?;
    let tower = setup.world.add_body(BodyDef::fixed())?;
    let corners = [vec2(-1.3, 0.0), vec2(1.3, 0.0), vec2(0.75, 5.8), vec2(-0.75, 5.8)];
    setup.world.add_shape(tower, ghost(ShapeDef::convex(&corners)))?;
    let roof = [vec2(-1.0, 5.8), vec2(1.0, 5.8), vec2(0.0, 7.1)];
    setup.world.add_shape(tower, ghost(ShapeDef::convex(&roof)))?;
    let stand = ShapeDef { position: vec2(FAN.x, 0.5 * FAN.y), ..ShapeDef::rectangle(0.3, FAN.y) };
    setup.world.add_shape(tower, ghost(stand))?;

    let sails = setup.world.add_body(dynamic_at(HUB))?;
    blades(setup.world, sails, 4, 3.6, 0.8)?;
    setup.colors.insert(sails, Color::YELLOW);
    let fan = setup.world.add_body(dynamic_at(FAN))?;
    blades(setup.world, fan, 6, 1.2, 0.35)?;
    setup.colors.insert(fan, Color::BLUE);

    let friction = Some(Motor::new(0.0, FRICTION));
    let axle = setup.pin_with(tower, sails, HUB, Revolute { motor: friction, ..Revolute::default() })?;
    let fan_axle = setup.pin(tower, fan, FAN)?;
    let gear = Gear { joint_a: fan_axle, joint_b: axle, ratio: RATIO };
    setup.world.add_joint(JointDef::new(fan, sails, JointKind::Gear(gear)))?;
    Ok(Box::new(Windmill { sails, axle, fan_axle }))
}

impl Script for Windmill {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, _: u32) {
        if let Some(mut sails) = world.get_body_mut(self.sails) {
            let torque = PULL * (WIND - sails.get().angular_velocity());
            sails.apply_torque(torque).ok();
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let (axle, fan) = (find_joint(world, self.axle)?, find_joint(world, self.fan_axle)?);
        // Where the pull of the wind and the friction are equal.
        let speed = f64::from(WIND - FRICTION / PULL);
        near("the speed of the sails in rad/s", axle.angular_speed(), speed, 0.02 * speed)?;
        let turned = f64::from(axle.angle());
        near("the angle of the fan in rad", fan.angle(), -f64::from(RATIO) * turned, 0.02)
    }
}
