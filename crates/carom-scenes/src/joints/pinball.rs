//! A pinball table that plays itself.

use super::find_joint;
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, at_most, find_body, require, steer};
use crate::setup::{Setup, dynamic_at, fixed_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "pinball",
    summary: "flippers, which are pins with motors and limits, keep a ball among the bumpers",
    group: Group::Joints,
    steps: 1800,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 0.0), half_height: 8.6 },
    known_gap: None,
    // The table leans back: most of gravity is lost.
    world: || WorldDef { gravity: Vec2::new(0.0, -5.0), max_speed: 24.0, sleeping: false, ..WorldDef::default() },
    build,
};

const HALF: Vec2 = Vec2::new(4.5, 8.0);
const BALL: f32 = 0.25;
const START: Vec2 = Vec2::new(0.35, 5.5);
/// Of a flipper: its length, where it rests and where it strikes, as angles below and above the level.
const FLIPPER: f32 = 1.7;
const REST: f32 = -0.5;
const STRIKE: f32 = 0.55;
/// Speed in rad/s and torque in N m of the flippers' motors.
const SPEED: f32 = 25.0;
const TORQUE: f32 = 400.0;
/// Speed in m/s at which bumpers kick the ball away.
const KICK: f32 = 9.0;
const BUMPERS: [(Vec2, f32); 5] = [
    (Vec2::new(-1.7, 3.6), 0.6),
    (Vec2::new(1.7, 3.6), 0.6),
    (Vec2::new(0.0, 1.6), 0.7),
    (Vec2::new(-2.6, 0.4), 0.4),
    (Vec2::new(2.6, 0.4), 0.4),
];

#[derive(Clone, Debug)]
struct Pinball {
    ball: BodyId,
    bumpers: Vec<BodyId>,
    /// The left one and the right one.
    flippers: [JointId; 2],
    /// Is it struck?
    up: [bool; 2],
    /// How often bumpers were hit, flippers struck, and the ball was lost and put back.
    hits: u32,
    strikes: u32,
    lost: u32,
    /// The bumper that the ball hit in the last step.
    struck: Option<BodyId>,
    /// How far a flipper was beyond its limits, at most, in radians.
    overturn: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let smooth = Material { friction: 0.1, restitution: 0.5, ..Material::default() };
    setup.room(Aabb::new(-HALF, HALF), 0.6, smooth)?;
    // Corners above, and funnels below that end where the flippers begin.
    let mut wedge = |corners: [Vec2; 3]| {
        let shape = crate::setup::with_surface(ShapeDef::convex(&corners), smooth);
        setup.add(BodyDef::fixed(), shape)
    };
    for side in [-1.0, 1.0] {
        let at = |x: f32, y: f32| vec2(side * x, y);
        wedge([at(4.5, 8.0), at(2.4, 8.0), at(4.5, 5.6)])?;
        wedge([at(4.5, -2.2), at(4.5, -8.0), at(2.1, -4.2)])?;
        wedge([at(2.1, -4.2), at(4.5, -8.0), at(2.1, -8.0)])?;
    }
    let mut bumpers = Vec::new();
    for (i, (place, radius)) in BUMPERS.into_iter().enumerate() {
        let bumper = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::circle(radius) };
        bumpers.push(setup.add_colored(fixed_at(place), bumper, Color::nth(i))?);
    }

    let frame = setup.frame()?;
    let mut flipper = |side: f32| {
        let pivot = vec2(2.05 * side, -4.45);
        let tip = vec2(-side * FLIPPER, 0.0);
        let shape = ShapeDef { density: 2.0, friction: 0.4, ..ShapeDef::capsule(Vec2::ZERO, tip, 0.16) };
        let body = BodyDef { angle: -side * REST, ..dynamic_at(pivot) };
        let body = setup.add_colored(body, shape, Color::ORANGE)?;
        let limits = if side < 0.0 { Limits::new(REST, STRIKE) } else { Limits::new(-STRIKE, -REST) };
        let pin =
            Revolute { limits: Some(limits), motor: Some(Motor::new(side * SPEED, TORQUE)), ..Revolute::default() };
        let joint = setup
            .world
            .add_joint(JointDef { frame_a: Pose::at(pivot), ..JointDef::new(frame, body, JointKind::Revolute(pin)) })?;
        Ok::<JointId, DefError>(joint)
    };
    let flippers = [flipper(-1.0)?, flipper(1.0)?];
    let ball = ShapeDef { density: 1.5, friction: 0.1, restitution: 0.4, ..ShapeDef::circle(BALL) };
    let ball = setup.add_colored(dynamic_at(START), ball, Color::STONE)?;
    Ok(Box::new(Pinball {
        ball,
        bumpers,
        flippers,
        up: [false; 2],
        hits: 0,
        strikes: 0,
        lost: 0,
        struck: None,
        overturn: 0.0,
    }))
}

impl Pinball {
    /// Strikes with a flipper, or lets it fall.
    fn flip(&mut self, world: &mut World, flipper: usize, up: bool) {
        if self.up[flipper] == up {
            return;
        }
        self.up[flipper] = up;
        self.strikes += u32::from(up);
        let towards = if flipper == 0 { 1.0 } else { -1.0 };
        if let Some(mut joint) = world.get_joint_mut(self.flippers[flipper]) {
            joint.set_motor_speed(towards * if up { SPEED } else { -SPEED }).ok();
        }
    }
}

impl Script for Pinball {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, _: u32) {
        let Some(ball) = world.get_body(self.ball) else { return };
        let (place, velocity) = (ball.position(), ball.velocity());
        // A player sees the ball come down on a flipper.
        for (flipper, side) in [-1.0, 1.0].into_iter().enumerate() {
            let over = (0.25..1.7).contains(&(side * place.x));
            let near = over && (-5.3..-4.25).contains(&place.y) && velocity.y < 1.0;
            self.flip(world, flipper, near);
        }
        // A bumper that was hit kicks the ball away.
        if let Some(bumper) = self.struck.take().and_then(|id| world.get_body(id)) {
            let away = (place - bumper.position()).normalize_or_zero();
            let kick = away * max(KICK - velocity.dot(away), 0.0);
            steer(world, self.ball, velocity + kick);
        }
        if place.y < -7.0 {
            self.lost += 1;
            let again = Pose::new(START + vec2(0.07 * (self.lost % 5) as f32, 0.0), 0.0);
            if let Some(mut ball) = world.get_body_mut(self.ball) {
                ball.set_pose(again).ok();
                ball.set_velocity(Vec2::ZERO).ok();
                ball.set_angular_velocity(0.0).ok();
            }
        }
    }

    fn after_step(&mut self, world: &World) {
        self.overturn = max(crate::measure::worst_overturn(world), self.overturn);
        let body = |shape: ShapeId| world.get_shape(shape).map(|shape| shape.body());
        for event in &world.events().contact_begin {
            let ends = [body(event.shape_a), body(event.shape_b)];
            if let Some(&bumper) = ends.iter().flatten().find(|id| self.bumpers.contains(id)) {
                self.hits += 1;
                self.struck = Some(bumper);
            }
        }
    }

    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        let Some(ball) = world.get_body(self.ball) else { return Ok(()) };
        let place = ball.position();
        require(place.x.abs() < HALF.x && place.y.abs() < HALF.y, || format!("the ball left the table: {place}"))
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        find_body(world, self.ball)?;
        for flipper in self.flippers {
            find_joint(world, flipper)?;
        }
        require(self.hits >= 10, || format!("bumpers were hit {} times only", self.hits))?;
        require(self.strikes >= 5, || format!("flippers struck {} times only", self.strikes))?;
        require(self.lost <= 8, || format!("the ball was lost {} times", self.lost))?;
        at_most("the farthest that a flipper was beyond its limits in rad", self.overturn, 0.1)
    }
}
