//! Thousands of small bodies in a round basin, stirred by a long bar.

use super::quiet;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, near, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;
use carom2d::shape::Geometry;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "spinner",
    summary: "a bar stirs 6076 capsules, discs and boxes in a basin made of one chain",
    group: Group::Benchmark,
    steps: 500,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 32.0), half_height: 42.0 },
    known_gap: Some("the ends of the bar reach beyond the basin and press a few bodies through it"),
    world: WorldDef::default,
    build,
};

/// Of the bar, in rad/s.
const SPEED: f32 = 5.0;
/// Of the basin.
const RADIUS: f32 = 40.0;
const CENTER: Vec2 = Vec2::new(0.0, 32.0);

#[derive(Clone, Debug)]
struct Spinner {
    axle: JointId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let ground = setup.world.add_body(BodyDef::fixed())?;
    // Clockwise, so that the inside is solid.
    let turn = Rot::from_angle(-2.0 * PI / 360.0);
    let mut arm = vec2(RADIUS, 0.0);
    let mut points = Vec::new();
    for _ in 0..360 {
        points.push(arm + CENTER);
        arm = turn.rotate(arm);
    }
    setup.world.add_shape(ground, ShapeDef { friction: 0.1, ..quiet(ShapeDef::chain_loop(&points)) })?;

    let bar = setup.world.add_body(BodyDef { can_sleep: false, ..dynamic_at(vec2(0.0, 12.0)) })?;
    let half = vec2(0.4, 20.0);
    let corners = [vec2(-half.x, -half.y), vec2(half.x, -half.y), half, vec2(-half.x, half.y)];
    let rounded = ShapeDef::geometry(Geometry::rounded(&corners, 0.2)?);
    setup.world.add_shape(bar, ShapeDef { friction: 0.0, ..quiet(rounded) })?;
    let motor = Some(Motor::new(SPEED, f32::MAX));
    let axle = setup.pin_with(ground, bar, vec2(0.0, 12.0), Revolute { motor, ..Revolute::default() })?;

    let (mut x, mut y) = (-23.0_f32, 2.0_f32);
    for i in 0..6076 {
        let body = setup.world.add_body(dynamic_at(vec2(x, y)))?;
        let shape = match i % 3 {
            0 => ShapeDef::capsule(vec2(-0.25, 0.0), vec2(0.25, 0.0), 0.25),
            1 => ShapeDef::circle(0.35),
            _ => ShapeDef::rectangle(0.7, 0.7),
        };
        setup.world.add_shape(body, ShapeDef { density: 0.25, friction: 0.1, restitution: 0.1, ..quiet(shape) })?;
        x += 0.5;
        if x >= 23.0 {
            (x, y) = (-23.0, y + 0.5);
        }
    }
    Ok(Box::new(Spinner { axle }))
}

impl Script for Spinner {
    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let axle = world.get_joint(self.axle).ok_or_else(|| Unmet { reason: "the bar is no longer held".into() })?;
        near("the speed of the bar in rad/s", axle.angular_speed(), SPEED.into(), 0.1)?;
        let gone = |id: &BodyId| world.body(*id).center().distance(CENTER) > RADIUS;
        let gone = measure::dynamic_bodies(world).filter(gone).count();
        require(gone == 0, || format!("{gone} bodies left the basin"))
    }
}
