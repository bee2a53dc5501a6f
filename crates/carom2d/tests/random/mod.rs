//! Random worlds with all kinds of things in them, and what callers do to them.

// Not every test uses all of it.
#![allow(dead_code)]

use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::{PointGravity, Width, Wind};
use std::f32::consts::PI;

pub(crate) const DT: f32 = 1.0 / 60.0;

/// A shape of any kind and surface.
pub(crate) fn random_shape(rng: &mut Rng) -> ShapeDef {
    let size = rng.range(0.2, 0.6);
    let star = |count: usize, inner: f32| -> Vec<Vec2> {
        let reach = |i: usize| if i.is_multiple_of(2) { size } else { inner * size };
        let angle = |i: usize| 2.0 * PI * i as f32 / count as f32;
        (0..count).map(|i| reach(i) * Rot::from_angle(angle(i)).x_axis()).collect()
    };
    let shape = match rng.below(8) {
        0 => ShapeDef::circle(size),
        1 => ShapeDef::capsule(vec2(-size, 0.0), vec2(size, 0.1), 0.5 * size),
        2 => ShapeDef::ellipse(size, 0.6 * size),
        3 => ShapeDef { rounding: 0.05, ..ShapeDef::rectangle(size, size) },
        4 => ShapeDef::convex(&star(5, 1.0)),
        5 => ShapeDef::concave(&star(8, 0.5)),
        _ => ShapeDef::rectangle(2.0 * size, size),
    };
    ShapeDef {
        friction: rng.range(0.0, 1.0),
        restitution: if rng.below(3) == 0 { rng.range(0.0, 0.9) } else { 0.0 },
        rolling_resistance: if rng.below(4) == 0 { 0.02 } else { 0.0 },
        surface_speed: if rng.below(12) == 0 { 0.5 } else { 0.0 },
        density: rng.range(0.5, 3.0),
        sensor: rng.below(12) == 0,
        one_way: (rng.below(15) == 0).then_some(vec2(0.0, 1.0)),
        aabb_events: rng.below(6) == 0,
        user_data: rng.next_u64(),
        ..shape
    }
}

pub(crate) fn random_body(rng: &mut Rng) -> BodyDef {
    BodyDef {
        position: vec2(rng.range(-6.0, 6.0), rng.range(1.0, 9.0)),
        angle: rng.range(-3.0, 3.0),
        velocity: vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0)),
        angular_velocity: rng.range(-4.0, 4.0),
        mass: (rng.below(8) == 0).then_some(rng.range(0.1, 60.0)),
        linear_damping: if rng.below(5) == 0 { 0.3 } else { 0.0 },
        locked: LockedAxes { rotation: rng.below(12) == 0, x: rng.below(20) == 0, y: false },
        bullet: rng.below(6) == 0,
        can_sleep: rng.below(9) > 0,
        enabled: rng.below(15) > 0,
        gravity_scale: if rng.below(15) == 0 { 0.2 } else { 1.0 },
        user_data: rng.next_u64(),
        ..BodyDef::dynamic()
    }
}

pub(crate) fn random_joint(world: &World, rng: &mut Rng, a: BodyId, b: BodyId) -> JointDef {
    let coil = Spring::new(rng.range(1.0, 5.0), 0.5);
    let spring = Some(coil);
    let motor = Some(Motor::new(rng.range(-2.0, 2.0), 20.0));
    let limits = Some(Limits::new(-0.5, 0.6));
    let kind = match rng.below(9) {
        0 => JointKind::Distance(Distance { motor, ..Distance::spring(1.0, coil) }),
        1 => JointKind::Revolute(carom2d::Revolute { limits, motor, ..Default::default() }),
        2 => JointKind::Prismatic(Prismatic { limits, spring, ..Prismatic::default() }),
        3 => JointKind::Weld(Weld { angular: spring, ..Weld::default() }),
        4 => JointKind::Wheel(Wheel { limits, motor, ..Wheel::default() }),
        5 => JointKind::Motor(Drive { max_force: 30.0, max_torque: 5.0, ..Drive::default() }),
        6 => {
            JointKind::Pulley(Pulley { pulley_a: vec2(-1.0, 12.0), pulley_b: vec2(1.0, 12.0), length: 9.0, ratio: 1.5 })
        }
        7 => JointKind::Filter,
        _ => JointKind::Revolute(carom2d::Revolute::default()),
    };
    let middle = 0.5 * (world.body(a).position() + world.body(b).position());
    let break_force = if rng.below(3) == 0 { 400.0 } else { f32::INFINITY };
    let (collide_connected, enabled) = (rng.below(2) == 0, rng.below(5) > 0);
    let joint = JointDef { break_force, collide_connected, enabled, ..JointDef::new(a, b, kind) };
    joint.at(world, middle).unwrap()
}

fn random_def(rng: &mut Rng) -> WorldDef {
    let solver = match rng.below(8) {
        0 => Solver::Direct,
        1 => Solver::Sequential(Sequential::default()),
        2 => Solver::Sequential(Sequential { correction: Correction::FirstImpact, ..Sequential::default() }),
        _ => Solver::SoftStep,
    };
    WorldDef { solver, substeps: 2 + rng.below(4), sleep_delay_s: 0.2, ..WorldDef::default() }
}

/// A pit with all kinds of things in it.
pub(crate) fn random_world(rng: &mut Rng) -> World {
    let mut world = World::new(random_def(rng));
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    let points: Vec<Vec2> = (0..15).map(|i| vec2(7.0 - i as f32, 0.3 * rng.f32())).collect();
    world.add_shape(ground, ShapeDef::chain(&points)).unwrap();
    for x in [-7.5, 7.5] {
        world.add_shape(ground, ShapeDef { position: vec2(x, 6.0), ..ShapeDef::rectangle(1.0, 14.0) }).unwrap();
    }
    for i in 0..2 {
        let lift = BodyDef { position: vec2(-3.0 + 6.0 * i as f32, 1.5), ..BodyDef::kinematic() };
        let lift = world.add_body(lift).unwrap();
        world.add_shape(lift, ShapeDef::rectangle(2.0, 0.3)).unwrap();
    }
    for _ in 0..20 + rng.below(50) {
        let body = world.add_body(random_body(rng)).unwrap();
        for _ in 0..1 + rng.below(5) / 4 {
            world.add_shape(body, random_shape(rng)).unwrap();
        }
    }
    let bodies: Vec<BodyId> = world.bodies().collect();
    for _ in 0..rng.below(12) {
        let (a, b) = (rng.below(bodies.len() as u32) as usize, rng.below(bodies.len() as u32) as usize);
        if a != b {
            let joint = random_joint(&world, rng, bodies[a], bodies[b]);
            world.add_joint(joint).unwrap();
        }
    }
    let pins: Vec<JointId> =
        world.joints().filter(|&id| matches!(world.joint(id).kind(), JointKind::Revolute(_))).collect();
    if let [a, b, ..] = pins[..] {
        let ends = [a, b].map(|joint| world.joint(joint).body_b());
        if ends[0] != ends[1] {
            let gear = Gear { joint_a: a, joint_b: b, ratio: -1.5 };
            world.add_joint(JointDef::new(ends[0], ends[1], JointKind::Gear(gear))).unwrap();
        }
    }
    if rng.below(2) == 0 {
        let corners = vec![vec2(-6.0, 0.0), vec2(-1.0, 0.0), vec2(-1.0, 2.0), vec2(-3.0, 1.0), vec2(-6.0, 2.0)];
        let region = if rng.below(2) == 0 { FluidRegion::Polygon(corners) } else { FluidRegion::Below(1.0) };
        world.add_fluid(FluidDef { region, density: 2.0, quadratic_drag: 0.3, ..FluidDef::default() }).unwrap();
    }
    world
}

/// What a caller does before a step: the same for worlds in the same state.
pub(crate) fn act(world: &mut World, seed: u64, step: u32) {
    let mut rng = Rng::new(seed * 1000 + u64::from(step));
    let bodies: Vec<BodyId> = world.bodies().collect();
    let lifts = bodies.iter().filter(|&&id| world.body(id).kind() == BodyKind::Kinematic);
    for (place, &lift) in lifts.collect::<Vec<_>>().into_iter().enumerate() {
        let speed = carom_core::math::sin_cos(0.1 * step as f32 + place as f32).0;
        world.body_mut(lift).set_velocity(vec2(0.0, 0.5 * speed)).unwrap();
    }
    if seed.is_multiple_of(3) {
        world.apply_field(&Wind { velocity: vec2(4.0, 0.0), density: 0.5, drag: 1.0 }, DT).unwrap();
        let gravity = PointGravity { center: vec2(0.0, 8.0), strength: 20.0, softening: 0.5 };
        world.apply_field(&gravity, DT).unwrap();
    }
    let one = bodies[rng.below(bodies.len() as u32) as usize];
    match rng.below(40) {
        0 if bodies.len() > 20 && world.body(one).kind() == BodyKind::Dynamic => world.remove_body(one).unwrap(),
        1 => {
            let body = world.add_body(random_body(&mut rng)).unwrap();
            world.add_shape(body, random_shape(&mut rng)).unwrap();
        }
        2 if world.body(one).kind() == BodyKind::Dynamic => {
            let enabled = world.body(one).is_enabled();
            world.body_mut(one).set_enabled(!enabled);
        }
        3 => world.body_mut(one).apply_impulse(vec2(1.0, 2.0)).unwrap(),
        4 => world.body_mut(one).apply_force(vec2(10.0, 20.0)).unwrap(),
        5 => {
            let joints: Vec<JointId> = world.joints().collect();
            joints.first().into_iter().for_each(|&joint| world.remove_joint(joint).unwrap());
        }
        _ => {}
    }
}

/// The same world by other means: more threads, other instructions, another broad phase, other things in it.
pub(crate) fn other_world(seed: u64) -> World {
    let mut rng = Rng::new(seed ^ 0xabc);
    let mut world = if seed.is_multiple_of(2) { World::new(WorldDef::default()) } else { random_world(&mut rng) };
    let broad_phase =
        if seed.is_multiple_of(5) { BroadPhaseKind::Quadtree(QuadtreeDef::default()) } else { BroadPhaseKind::Tree };
    world.set_def(WorldDef { threads: 1 + (seed % 4) as u32, broad_phase, ..*world.def() }).unwrap();
    let widths: Vec<Width> = Width::all().collect();
    world.set_width(widths[seed as usize % widths.len()]);
    (0..seed % 7).for_each(|_| world.step(DT));
    world
}
