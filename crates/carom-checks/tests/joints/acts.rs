//! What joints do and report: angles, motors, gears, pulleys, forces, breaking.

use crate::{add_free, momentum, weightless};
use carom_checks::validation::{DT, plain_world, steps};
use carom_core::Rng;
use carom2d::prelude::*;

/// A pin turns on beyond half a turn, and says so.
#[test]
fn angles_count_on_beyond_half_a_turn() {
    for limits in [None, Some(Limits::new(-1000.0, 1000.0))] {
        let mut world = weightless();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let wheel = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
        let kind = JointKind::Revolute(Revolute {
            limits,
            motor: Some(Motor::new(20.0, f32::INFINITY)),
            ..Revolute::default()
        });
        let joint = world.add_joint(JointDef::new(wall, wheel, kind)).expect("joint");
        steps(&mut world, 600);
        let angle = world.joint(joint).angle();
        assert!((angle - 200.0).abs() < 0.5, "200 radians should have passed: {angle}");
        assert!((world.joint(joint).angular_speed() - 20.0).abs() < 1.0e-3);
    }
}

/// A spring of several turns unwinds all of them.
#[test]
fn springs_unwind_whole_turns() {
    let mut world = weightless();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let wheel = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
    let spring = Some(Spring::new(0.5, 1.0));
    let kind = JointKind::Revolute(Revolute { spring, target_angle: 15.0, ..Revolute::default() });
    let joint = world.add_joint(JointDef::new(wall, wheel, kind)).expect("joint");
    steps(&mut world, 600);
    assert!((world.joint(joint).angle() - 15.0).abs() < 0.01, "{}", world.joint(joint).angle());
}

/// A motor holds its speed up to its strength, and no further.
#[test]
fn motors_are_as_strong_as_they_say() {
    for (max_force, lifts) in [(40.0, true), (20.0, false)] {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let block = world.add_body(BodyDef { mass: Some(3.0), ..BodyDef::dynamic() }).expect("block");
        world.add_shape(block, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
        let kind = JointKind::Prismatic(Prismatic { motor: Some(Motor::new(1.0, max_force)), ..Prismatic::default() });
        let up = Pose::new(Vec2::ZERO, std::f32::consts::FRAC_PI_2);
        let def = JointDef { frame_a: up, frame_b: up, ..JointDef::new(wall, block, kind) };
        let joint = world.add_joint(def).expect("joint");
        steps(&mut world, 120);
        let speed = world.body(block).velocity().y;
        if lifts {
            assert!((speed - 1.0).abs() < 1.0e-3, "{speed}");
            assert!((world.joint(joint).force().y - 30.0).abs() < 0.01, "{}", world.joint(joint).force());
        } else {
            // It falls at (30 - 20) / 3 m/s^2.
            assert!((speed + 2.0 * 10.0 / 3.0).abs() < 0.05, "{speed}");
        }
    }
}

/// Two wheels with a gear between them turn in proportion; a rack follows its pinion.
#[test]
fn gears_keep_their_ratio() {
    let mut world = weightless();
    let frame = world.add_body(BodyDef::fixed()).expect("frame");
    let wheel = add_free(&mut world, vec2(0.0, 0.0), 0.0, 1.0);
    let other = add_free(&mut world, vec2(3.0, 0.0), 0.5, 2.0);
    let rack = add_free(&mut world, vec2(0.0, 2.0), 0.0, 1.0);
    let pin = |world: &mut World, body: BodyId, motor: Option<Motor>| {
        let at = world.body(body).position();
        let def = JointDef::new(frame, body, JointKind::Revolute(Revolute { motor, ..Revolute::default() }));
        world.add_joint(def.at(world, at).expect("bodies")).expect("pin")
    };
    let first = pin(&mut world, wheel, Some(Motor::new(2.0, 1.0e4)));
    let second = pin(&mut world, other, None);
    let def = JointDef::prismatic(frame, rack).at(&world, vec2(0.0, 2.0)).expect("bodies");
    let slide = world.add_joint(def).expect("slide");
    let gear = |a: BodyId, b: BodyId, joint_a: JointId, joint_b: JointId, ratio: f32| {
        JointDef::new(a, b, JointKind::Gear(Gear { joint_a, joint_b, ratio }))
    };
    let wheels = world.add_joint(gear(wheel, other, first, second, 2.0)).expect("gear");
    world.add_joint(gear(wheel, rack, first, slide, 4.0)).expect("gear");
    let start = world.joint(second).angle();
    steps(&mut world, 300);
    let turned = world.joint(first).angle();
    assert!((turned - 10.0).abs() < 0.05, "{turned}");
    let followed = world.joint(second).angle() - start;
    assert!((turned + 2.0 * followed).abs() < 0.01, "{turned} and {followed}");
    let pushed = world.joint(slide).offset().x;
    assert!((turned + 4.0 * pushed).abs() < 0.01, "{turned} and {pushed}");
    // The gear goes with a joint that it depends on; the other stays.
    world.remove_joint(second).expect("joint");
    assert!(!world.contains_joint(wheels));
    assert_eq!(world.joint_count(), 3);
    world.validate();
    steps(&mut world, 10);
}

/// A gear on a chassis that moves freely: four ends, three bodies, no momentum from nowhere.
#[test]
fn gears_share_a_moving_frame() {
    let mut world = weightless();
    let chassis = add_free(&mut world, vec2(0.0, 0.0), 0.0, 1.0);
    let (left, right) =
        (add_free(&mut world, vec2(-1.0, 0.0), 0.0, 1.0), add_free(&mut world, vec2(1.0, 0.0), 0.0, 1.0));
    let pin = |world: &mut World, body: BodyId| {
        let at = world.body(body).position();
        let def = JointDef::revolute(chassis, body).at(world, at).expect("bodies");
        world.add_joint(def).expect("pin")
    };
    let (first, second) = (pin(&mut world, left), pin(&mut world, right));
    let kind = JointKind::Gear(Gear { joint_a: first, joint_b: second, ratio: 1.0 });
    world.add_joint(JointDef::new(left, right, kind)).expect("gear");
    world.body_mut(left).set_angular_velocity(6.0).expect("spin");
    let before = momentum(&world);
    steps(&mut world, 300);
    let after = momentum(&world);
    assert!((after.1 - before.1).abs() < 1.0e-3 * before.2, "{before:?} {after:?}");
    let (p, q) = (world.joint(first).angle(), world.joint(second).angle());
    assert!((p + q).abs() < 0.01 && p.abs() > 1.0, "{p} {q}");
}

/// A pulley with a ratio of 2 balances one weight against two, and the rope may go slack.
#[test]
fn pulleys_balance_and_go_slack() {
    for (ratio, mass_b) in [(2.0, 2.0), (1.0, 2.0), (1.0, 0.5)] {
        let mut world = plain_world();
        let body = |world: &mut World, x: f32, mass: f32| {
            let def = BodyDef { position: vec2(x, 0.0), mass: Some(mass), ..BodyDef::dynamic() };
            let body = world.add_body(def).expect("body");
            world.add_shape(body, ShapeDef::circle(0.2)).expect("shape");
            body
        };
        let (a, b) = (body(&mut world, -1.0, 1.0), body(&mut world, 1.0, mass_b));
        let pulley = Pulley { pulley_a: vec2(-1.0, 9.0), pulley_b: vec2(1.0, 9.0), length: 9.0 * (1.0 + ratio), ratio };
        world.add_joint(JointDef::new(a, b, JointKind::Pulley(pulley))).expect("joint");
        steps(&mut world, 60);
        let (up, down) = (f64::from(world.body(a).position().y), f64::from(world.body(b).position().y));
        // Atwood: a = g (ratio m_b - ratio^2 m_a) / (m_b + ratio^2 m_a), for b.
        let (ratio, m) = (f64::from(ratio), f64::from(mass_b));
        let exact = -5.0 * (m - ratio) / (m + ratio * ratio);
        assert!((down - exact).abs() < 0.06, "ratio {ratio}, {mass_b} kg: b fell to {down}, {exact} expected");
        assert!((up + ratio * down).abs() < 0.02, "the rope has its length: {up} {down}");
    }
    // Both lifted by hand: the rope goes slack, and they fall freely.
    let mut world = plain_world();
    let a = add_free(&mut world, vec2(-1.0, 5.0), 0.0, 1.0);
    let b = add_free(&mut world, vec2(1.0, 5.0), 0.0, 1.0);
    let pulley = Pulley { pulley_a: vec2(-1.0, 10.0), pulley_b: vec2(1.0, 10.0), length: 20.0, ratio: 1.0 };
    world.add_joint(JointDef::new(a, b, JointKind::Pulley(pulley))).expect("joint");
    steps(&mut world, 30);
    assert!((world.body(a).position().y - (5.0 - 1.25)).abs() < 0.05);
    steps(&mut world, 200);
    assert!(world.body(a).position().y > -0.2 && world.body(b).position().y > -0.2, "then the rope holds");
}

/// A rope is slack inside its length and holds at it.
#[test]
fn ropes_hold_at_their_length_only() {
    let mut world = plain_world();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let ball = add_free(&mut world, vec2(0.0, -0.5), 0.0, 1.0);
    let joint = world.add_joint(JointDef::rope(wall, ball, 2.0)).expect("rope");
    steps(&mut world, 12);
    assert_eq!(world.joint(joint).force(), Vec2::ZERO, "slack");
    for _ in 0..600 {
        world.step(DT);
        assert!(world.joint(joint).length() < 2.01, "{}", world.joint(joint).length());
    }
    assert!((world.joint(joint).length() - 2.0).abs() < 5.0e-3);
}

/// A joint breaks at the force it was given, with an event that tells how hard it was pulled.
#[test]
fn joints_break() {
    for (strength, holds) in [(31.0, true), (29.0, false)] {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let def = BodyDef { position: vec2(0.0, -1.0), mass: Some(3.0), ..BodyDef::dynamic() };
        let bob = world.add_body(def).expect("bob");
        world.add_shape(bob, ShapeDef::circle(0.2)).expect("shape");
        let def = JointDef { break_force: strength, user_data: 7, ..JointDef::rod(wall, bob, 1.0) };
        let joint = world.add_joint(def).expect("rod");
        let mut broke = Vec::new();
        for _ in 0..60 {
            world.step(DT);
            broke.extend(world.events().joint_broke.iter().copied());
        }
        assert_eq!(world.contains_joint(joint), holds);
        assert_eq!(broke.len(), usize::from(!holds));
        if let [event] = &broke[..] {
            assert_eq!((event.joint, event.user_data), (joint, 7));
            assert!((event.force.y - 30.0).abs() < 0.1, "{}", event.force);
            assert!(world.body(bob).position().y < -2.0, "it fell");
        }
        world.validate();
    }
}

/// A beam that sticks out of a wall breaks off at the torque that its weld was given, though the force is nothing to it.
#[test]
fn joints_break_by_torque() {
    for (strength, holds) in [(5.1, true), (4.9, false)] {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let def = BodyDef { position: vec2(0.5, 0.0), mass: Some(1.0), ..BodyDef::dynamic() };
        let beam = world.add_body(def).expect("beam");
        world.add_shape(beam, ShapeDef::rectangle(1.0, 0.1)).expect("shape");
        let def = JointDef { break_torque: strength, frame_b: Pose::at(vec2(-0.5, 0.0)), ..JointDef::weld(wall, beam) };
        let joint = world.add_joint(def).expect("weld");
        let mut broke = Vec::new();
        for _ in 0..60 {
            world.step(DT);
            broke.extend(world.events().joint_broke.iter().copied());
        }
        assert_eq!((world.contains_joint(joint), broke.len()), (holds, usize::from(!holds)), "{strength} N m");
        if let [event] = &broke[..] {
            assert!((event.torque - 5.0).abs() < 0.1, "{}", event.torque);
        }
        world.validate();
    }
}

/// What hangs still from a joint of any kind: the joint reports the weight, and the torque of a weight beside it, to a
/// tenth of a percent.
#[test]
fn forces_are_those_of_what_hangs() {
    let mut rng = Rng::new(20);
    let spring = Some(Spring::new(3.0, 1.0));
    let still = Some(Limits::new(0.0, 0.0));
    let up = Pose::new(Vec2::ZERO, std::f32::consts::FRAC_PI_2);
    for round in 0..10 {
        let (mass, beside) = (rng.range(0.5, 5.0), rng.range(-0.4, 0.4));
        let below = Pose::at(vec2(0.0, 0.7));
        let aside = Pose::at(vec2(-beside, 0.0));
        let kinds = [
            (JointKind::Distance(Distance::rod(0.5)), Pose::IDENTITY, Pose::IDENTITY),
            (JointKind::Distance(Distance::rope(0.5)), Pose::IDENTITY, Pose::IDENTITY),
            (JointKind::Distance(Distance::spring(0.5, Spring::new(3.0, 1.0))), Pose::IDENTITY, Pose::IDENTITY),
            (JointKind::Revolute(Revolute::default()), Pose::IDENTITY, below),
            (JointKind::Revolute(Revolute { limits: still, ..Revolute::default() }), Pose::IDENTITY, aside),
            (JointKind::Prismatic(Prismatic { limits: still, ..Prismatic::default() }), Pose::IDENTITY, aside),
            (JointKind::Prismatic(Prismatic { limits: still, ..Prismatic::default() }), up, up),
            (JointKind::Prismatic(Prismatic { spring, ..Prismatic::default() }), up, up),
            (
                JointKind::Prismatic(Prismatic { motor: Some(Motor::new(0.0, f32::INFINITY)), ..Prismatic::default() }),
                up,
                up,
            ),
            (JointKind::Weld(Weld::default()), Pose::IDENTITY, aside),
            (JointKind::Weld(Weld { linear: spring, angular: spring }), Pose::IDENTITY, Pose::IDENTITY),
            (JointKind::Wheel(Wheel::default()), up, up),
            (JointKind::Wheel(Wheel { limits: still, spring: None, ..Wheel::default() }), up, up),
            (
                JointKind::Motor(Drive { angular: Some(Spring::new(20.0, 1.0)), ..Drive::default() }),
                Pose::IDENTITY,
                aside,
            ),
            (JointKind::Mouse(Mouse::default()), Pose::IDENTITY, Pose::IDENTITY),
        ];
        for (kind, frame_a, frame_b) in kinds {
            let mut world = plain_world();
            let wall = world.add_body(BodyDef::fixed()).expect("wall");
            // Where it hangs, so that it need not swing; springs give way first.
            let hangs = match kind {
                JointKind::Distance(_) => vec2(0.0, -0.5),
                _ => frame_a.compose(frame_b.inv_mul(Pose::IDENTITY)).p,
            };
            let def = BodyDef {
                position: hangs,
                mass: Some(mass),
                linear_damping: 1.0,
                angular_damping: 1.0,
                ..BodyDef::dynamic()
            };
            let body = world.add_body(def).expect("body");
            let filter = Filter { mask: 0, ..Filter::default() };
            world.add_shape(body, ShapeDef { filter, ..ShapeDef::rectangle(0.5, 0.3) }).expect("shape");
            let joint = world.add_joint(JointDef { frame_a, frame_b, ..JointDef::new(wall, body, kind) });
            let joint = joint.expect("joint");
            steps(&mut world, 1200);
            let (weight, what) = (10.0 * mass, format!("round {round}: {kind:?}"));
            let (force, torque) = (world.joint(joint).force(), world.joint(joint).torque());
            assert!(force.distance(vec2(0.0, weight)) < 1.0e-3 * weight, "{what}: {force} for {weight} N");
            let arm = world.body(body).center().x - world.joint(joint).frame_b().p.x;
            let expected = weight * arm;
            assert!((torque - expected).abs() < 1.0e-3 * weight, "{what}: {torque} for {expected} N m");
        }
    }
}

/// The same for what is held from afar: by a rope over pulleys, and by a gear from a wheel that cannot turn.
#[test]
fn forces_of_pulleys_and_gears_are_those_of_what_hangs() {
    let mut rng = Rng::new(21);
    for round in 0..10 {
        let (mass, ratio) = (rng.range(0.5, 5.0), rng.range(0.5, 2.0));
        let hang = |world: &mut World, position: Vec2, mass: f32| {
            let def = BodyDef { position, mass: Some(mass), ..BodyDef::dynamic() };
            let body = world.add_body(def).expect("body");
            world.add_shape(body, ShapeDef::circle(0.2)).expect("shape");
            body
        };
        let mut world = plain_world();
        let (a, b) = (hang(&mut world, vec2(-1.0, 0.0), mass), hang(&mut world, vec2(1.0, 0.0), ratio * mass));
        let pulleys = [vec2(-1.0, 3.0), vec2(1.0, 3.0)];
        let rope = Pulley { pulley_a: pulleys[0], pulley_b: pulleys[1], length: 3.0 * (1.0 + ratio), ratio };
        let rope = world.add_joint(JointDef::new(a, b, JointKind::Pulley(rope))).expect("rope");
        steps(&mut world, 300);
        let (force, weight) = (world.joint(rope).force(), 10.0 * ratio * mass);
        assert!(force.distance(vec2(0.0, weight)) < 1.0e-3 * weight, "round {round}: {force} for {weight} N");

        // A rack on a slide, and a wheel with which it meshes. The wheel is held by a limit of its pin.
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let (wheel, rack) = (hang(&mut world, Vec2::ZERO, 1.0), hang(&mut world, vec2(1.0, 0.0), mass));
        let limits = Some(Limits::new(0.0, 0.0));
        let pin = JointDef::new(wall, wheel, JointKind::Revolute(Revolute { limits, ..Revolute::default() }));
        let joint_a = world.add_joint(pin).expect("pin");
        let up = Pose::new(vec2(1.0, 0.0), std::f32::consts::FRAC_PI_2);
        let slide = JointDef::prismatic(wall, rack).at_pose(&world, up).expect("bodies");
        let joint_b = world.add_joint(slide).expect("slide");
        let gear = JointKind::Gear(Gear { joint_a, joint_b, ratio });
        let gear = world.add_joint(JointDef::new(wheel, rack, gear)).expect("gear");
        steps(&mut world, 300);
        let (force, weight) = (world.joint(gear).force(), 10.0 * mass);
        assert!(force.distance(vec2(0.0, weight)) < 1.0e-3 * weight, "round {round}: {force} for {weight} N");
        // Of the gear's impulse the wheel gets one part, the rack as many as the ratio says. What the passes leave over
        // between the gear and the pin is less than half a percent.
        let (torque, expected) = (world.joint(joint_a).torque(), -weight / ratio);
        assert!((torque - expected).abs() < 5.0e-3 * weight, "round {round}: {torque} for {expected} N m");
    }
}

/// A drive reaches its place against gravity if it is strong enough, and gives way if not.
#[test]
fn drives_reach_their_place() {
    for (max_force, arrives) in [(1000.0, true), (3.0, false)] {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let block = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
        let kind = JointKind::Motor(Drive { linear: Some(Spring::new(4.0, 1.0)), max_force, ..Drive::default() });
        let target = Pose::new(vec2(2.0, 1.0), 0.5);
        world.add_joint(JointDef { frame_a: target, ..JointDef::new(wall, block, kind) }).expect("joint");
        steps(&mut world, 300);
        let off = world.body(block).position().distance(target.p);
        assert_eq!(off < 0.05, arrives, "{off}");
        if arrives {
            assert!((world.body(block).angle() - 0.5).abs() < 0.01);
        }
    }
}

/// A mouse joint brings the grabbed point to its target, and follows it.
#[test]
fn mouse_joints_follow_their_target() {
    let mut world = plain_world();
    let ground = world.add_body(BodyDef::fixed()).expect("ground");
    let block = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
    let corner = Pose::at(vec2(0.5, 0.3));
    let def = JointDef { frame_b: corner, ..JointDef::mouse(ground, block, vec2(3.0, 2.0)) };
    let joint = world.add_joint(def).expect("joint");
    steps(&mut world, 600);
    let omega = 2.0 * std::f32::consts::PI * 5.0;
    let sag = 10.0 / (omega * omega);
    let end = world.body(block).world_point(corner.p);
    assert!(end.distance(vec2(3.0, 2.0)) < 2.0 * sag, "{end}");
    world.joint_mut(joint).set_target(vec2(-1.0, 4.0)).expect("target");
    steps(&mut world, 600);
    assert!(world.body(block).world_point(corner.p).distance(vec2(-1.0, 4.0)) < 2.0 * sag);
    let wrong = world.joint_mut(joint).set_target(vec2(f32::NAN, 0.0)).expect_err("not a place");
    assert!(wrong.to_string().contains("Mouse.target"), "{wrong}");
}
