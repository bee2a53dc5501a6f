//! Over random configurations: momentum is kept, limits hold, nothing drifts.

use crate::{add_free, kinds, momentum, weightless};
use carom_checks::validation::{DT, plain_world, steps};
use carom_core::Rng;
use carom2d::prelude::*;

fn motion(rng: &mut Rng, speed: f32) -> (Vec2, f32) {
    (vec2(rng.range(-speed, speed), rng.range(-speed, speed)), rng.range(-speed, speed))
}

/// No joint between two bodies changes their momentum.
#[test]
fn momentum_is_kept() {
    let mut rng = Rng::new(11);
    for round in 0..20 {
        for kind in kinds(&mut rng) {
            let mut world = weightless();
            let angle = rng.range(-2.0, 2.0);
            let a = add_free(&mut world, vec2(0.0, 0.0), angle, 1.0);
            let b = add_free(&mut world, vec2(1.2, 0.0), rng.range(-0.2, 0.2), rng.range(0.2, 5.0));
            let def = JointDef::new(a, b, kind).at(&world, vec2(0.6, 0.0)).expect("both bodies exist");
            world.add_joint(def).expect("joint");
            for body in [a, b] {
                let (velocity, angular_velocity) = motion(&mut rng, 2.0);
                world.body_mut(body).set_velocity(velocity).expect("velocity");
                world.body_mut(body).set_angular_velocity(angular_velocity).expect("angular velocity");
            }
            let (linear, angular, scale) = momentum(&world);
            for _ in 0..240 {
                world.step(DT);
            }
            let (linear_after, angular_after, scale_after) = momentum(&world);
            let scale = scale + scale_after;
            for axis in 0..2 {
                let change = (linear_after[axis] - linear[axis]).abs();
                assert!(change < 2.0e-5 * scale, "{} round {round}: momentum changed by {change}", kind.name());
            }
            let change = (angular_after - angular).abs();
            assert!(change < 1.0e-3 * scale, "{} round {round}: angular momentum changed by {change}", kind.name());
        }
    }
}

/// Gives a body a random velocity.
fn throw(world: &mut World, body: BodyId, rng: &mut Rng) {
    let (velocity, spin) = motion(rng, 2.0);
    world.body_mut(body).set_velocity(velocity).expect("velocity");
    world.body_mut(body).set_angular_velocity(spin).expect("spin");
}

/// Momentum of a body, and its angular momentum about a point.
fn momentum_about(world: &World, body: BodyId, pivot: Vec2) -> (Vec2, f32) {
    let body = world.body(body);
    let momentum = body.velocity() * body.mass();
    (momentum, (body.center() - pivot).perp_dot(momentum) + body.inertia() * body.angular_velocity())
}

/// A hand outside the world has no momentum to exchange. But what it gives to a body at every step is the force that
/// the joint reports, at the point that is held, and never more than the hand is strong.
#[test]
fn mouse_joints_give_the_momentum_they_report() {
    let mut rng = Rng::new(17);
    let mut pulled = 0;
    for round in 0..40 {
        let mut world = weightless();
        let ground = world.add_body(BodyDef::fixed()).expect("ground");
        let body = add_free(&mut world, motion(&mut rng, 2.0).0, rng.range(-3.0, 3.0), rng.range(0.2, 5.0));
        throw(&mut world, body, &mut rng);
        let held = vec2(rng.range(-0.5, 0.5), rng.range(-0.3, 0.3));
        let max_force = if round % 2 == 0 { rng.range(1.0, 20.0) } else { f32::INFINITY };
        let spring = Spring::new(rng.range(0.5, 8.0), rng.range(0.0, 1.0));
        let kind = JointKind::Mouse(Mouse { target: motion(&mut rng, 3.0).0, spring, max_force });
        let def = JointDef { frame_b: Pose::at(held), ..JointDef::new(ground, body, kind) };
        let joint = world.add_joint(def).expect("joint");
        for step in 0..240 {
            let (before, end_before) = (momentum_about(&world, body, Vec2::ZERO), world.body(body).world_point(held));
            let speed = world.body(body).velocity_at(end_before).length();
            world.step(DT);
            let (after, end) = (momentum_about(&world, body, Vec2::ZERO), world.body(body).world_point(held));
            let force = world.joint(joint).force();
            let given = force * DT;
            let scale = 1.0 + before.0.length() + given.length();
            let wrong = (after.0 - before.0 - given).length();
            assert!(wrong < 1.0e-5 * scale, "round {round} step {step}: {wrong} N s more than reported");
            // The point moves while it is pulled: the arm of the force is known to as much.
            let turned = (0.5 * (end + end_before)).perp_dot(given);
            let way = end.distance(end_before) + speed * DT;
            let wrong = (after.1 - before.1 - turned).abs();
            assert!(wrong < given.length() * way + 1.0e-4 * scale, "round {round} step {step}: {wrong} N m s more");
            assert!(force.length() <= max_force * 1.0001, "round {round} step {step}: {force} of {max_force}");
            pulled += u32::from(force.length() > 0.1);
        }
    }
    assert!(pulled > 5000, "{pulled} pulls");
}

/// Pulleys take momentum up, since the world holds them; but a rope has one tension. What it takes from a at every step
/// is, but for the ratio, what it takes from b, each along its part of the rope; b's is what the joint reports. A
/// rope turns nothing around its pulley, and never pushes.
#[test]
fn pulleys_pull_both_bodies_alike() {
    let mut rng = Rng::new(18);
    let mut pulled = 0;
    for round in 0..40 {
        let mut world = weightless();
        let ratio = if round % 2 == 0 { 1.0 } else { rng.range(0.5, 2.0) };
        let bodies = [-2.0, 2.0].map(|x| {
            let place = vec2(x + rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let body = add_free(&mut world, place, rng.range(-3.0, 3.0), rng.range(0.5, 2.0));
            throw(&mut world, body, &mut rng);
            body
        });
        let pulleys = [vec2(-2.0, rng.range(5.0, 8.0)), vec2(2.0, rng.range(5.0, 8.0))];
        // Tied at the centre, or beside it.
        let frames = [0, 1].map(|_| if round % 4 < 2 { Vec2::ZERO } else { vec2(rng.range(-0.5, 0.5), 0.2) });
        let part = |world: &World, i: usize| world.body(bodies[i]).world_point(frames[i]) - pulleys[i];
        let length = part(&world, 0).length() + ratio * part(&world, 1).length();
        let kind = JointKind::Pulley(Pulley { pulley_a: pulleys[0], pulley_b: pulleys[1], length, ratio });
        let [frame_a, frame_b] = frames.map(Pose::at);
        let def = JointDef { frame_a, frame_b, ..JointDef::new(bodies[0], bodies[1], kind) };
        let joint = world.add_joint(def).expect("joint");
        for step in 0..240 {
            let before = [0, 1].map(|i| momentum_about(&world, bodies[i], pulleys[i]));
            let parts_before = [0, 1].map(|i| part(&world, i));
            world.step(DT);
            let after = [0, 1].map(|i| momentum_about(&world, bodies[i], pulleys[i]));
            let parts = [0, 1].map(|i| part(&world, i));
            let given = [0, 1].map(|i| after[i].0 - before[i].0);
            let scale = 1.0 + before[0].0.length() + before[1].0.length();
            let at = format!("round {round} step {step}");
            let (pull_a, pull_b) = (given[0].length(), given[1].length());
            // The rope turns a little within a step.
            let turned = |i: usize| parts[i].normalize().distance(parts_before[i].normalize());
            let wrong = (given[1] - world.joint(joint).force() * DT).length();
            assert!(wrong < turned(1) * pull_b + 1.0e-5 * scale, "{at}: {wrong} N s more than reported");
            let wrong = (ratio * pull_a - pull_b).abs();
            assert!(wrong < (turned(0) + turned(1)) * (pull_a + pull_b) + 1.0e-4 * scale, "{at}: {given:?}");
            for i in 0..2 {
                let along = -parts_before[i].normalize();
                let beside = along.perp_dot(given[i]).abs();
                assert!(beside < turned(i) * given[i].length() + 1.0e-4 * scale, "{at}: {beside} N s beside the rope");
                assert!(along.dot(given[i]) > -1.0e-4 * scale, "{at}: the rope pushes by {}", along.dot(given[i]));
                let wrong = (after[i].1 - before[i].1).abs();
                let arm = parts[i].length();
                assert!(
                    wrong < turned(i) * given[i].length() * arm + 1.0e-4 * scale * arm,
                    "{at}: {wrong} N m s about the pulley"
                );
            }
            pulled += u32::from(pull_b > 1.0e-3);
        }
    }
    assert!(pulled > 500, "{pulled} pulls");
}

/// Gears between wheels and racks on a frame that flies freely: whatever the ratio, they exchange momentum with what
/// they are mounted on and keep the sum.
#[test]
fn gears_keep_momentum() {
    let mut rng = Rng::new(19);
    for round in 0..20 {
        let mut world = weightless();
        let chassis = add_free(&mut world, Vec2::ZERO, rng.range(-3.0, 3.0), rng.range(0.5, 5.0));
        let driven = [-1.0, 1.0].map(|x| {
            let body = add_free(&mut world, vec2(x, rng.range(-1.0, 1.0)), rng.range(-3.0, 3.0), rng.range(0.5, 2.0));
            let at = world.body(body).position();
            let is_rack = rng.below(3) == 0;
            let def = if is_rack { JointDef::prismatic(chassis, body) } else { JointDef::revolute(chassis, body) };
            (body, world.add_joint(def.at(&world, at).expect("bodies")).expect("joint"))
        });
        let ratio = rng.range(0.5, 2.0) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let kind = JointKind::Gear(Gear { joint_a: driven[0].1, joint_b: driven[1].1, ratio });
        world.add_joint(JointDef::new(driven[0].0, driven[1].0, kind)).expect("gear");
        for body in [chassis, driven[0].0, driven[1].0] {
            throw(&mut world, body, &mut rng);
        }
        let (linear, angular, scale) = momentum(&world);
        steps(&mut world, 240);
        let (linear_after, angular_after, scale_after) = momentum(&world);
        let scale = scale + scale_after;
        for axis in 0..2 {
            let change = (linear_after[axis] - linear[axis]).abs();
            assert!(change < 2.0e-5 * scale, "round {round}: momentum changed by {change}");
        }
        let change = (angular_after - angular).abs();
        assert!(change < 1.0e-3 * scale, "round {round}: angular momentum changed by {change}");
    }
}

/// A pin's angle stays within its limits to half a degree, whatever pushes against them, also where the
/// limits are several turns away.
#[test]
fn limits_hold() {
    let mut rng = Rng::new(12);
    let half_degree = 0.5_f32.to_radians();
    for round in 0..40 {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let arm = add_free(&mut world, vec2(0.0, 0.0), 0.0, 1.0);
        let far = if round % 4 == 0 { 10.0 } else { 0.0 };
        let limits = Limits::new(rng.range(-1.5, 0.0) - far, rng.range(0.0, 1.5) + far);
        let torque = 8.0 * if round % 2 == 0 { 1.0 } else { -1.0 };
        let kind = JointKind::Revolute(Revolute {
            limits: Some(limits),
            motor: Some(Motor::new(2.0 * torque, torque.abs())),
            ..Revolute::default()
        });
        let def = JointDef { frame_b: Pose::at(vec2(-0.5, 0.0)), ..JointDef::new(wall, arm, kind) };
        let joint = world.add_joint(def).expect("joint");
        let mut reached = 0.0_f32;
        for _ in 0..600 {
            world.step(DT);
            let angle = world.joint(joint).angle();
            assert!(
                angle > limits.lower - half_degree && angle < limits.upper + half_degree,
                "round {round}: {angle} is outside {limits:?}"
            );
            reached = if angle.abs() > reached { angle.abs() } else { reached };
        }
        if far > 0.0 {
            assert!(reached > 6.0, "round {round}: the pin turned to {reached} only");
        }
    }
}

/// The same between two bodies that fly freely and spin against each other at up to 20 rad/s, whatever they weigh.
#[test]
fn limits_hold_between_bodies_that_spin() {
    let mut rng = Rng::new(22);
    let half_degree = 0.5_f32.to_radians();
    let mut worst = 0.0_f32;
    for round in 0..100 {
        let mut world = weightless();
        let a = add_free(&mut world, Vec2::ZERO, rng.range(-3.0, 3.0), 1.0);
        let b = add_free(&mut world, vec2(1.0, 0.0), rng.range(-3.0, 3.0), rng.range(0.2, 5.0));
        let limits = Limits::new(rng.range(-1.5, 0.0), rng.range(0.0, 1.5));
        let spring = (round % 3 == 0).then(|| Spring::new(2.0, 0.1));
        let kind = JointKind::Revolute(Revolute { limits: Some(limits), spring, ..Revolute::default() });
        let def = JointDef::new(a, b, kind).at(&world, vec2(0.5, 0.0)).expect("bodies");
        let joint = world.add_joint(def).expect("joint");
        world.body_mut(a).set_angular_velocity(rng.range(-10.0, 10.0)).expect("spin");
        world.body_mut(b).set_angular_velocity(rng.range(-10.0, 10.0)).expect("spin");
        for step in 0..300 {
            world.step(DT);
            let angle = world.joint(joint).angle();
            let beyond = carom_core::math::max(limits.lower - angle, angle - limits.upper);
            worst = carom_core::math::max(worst, beyond);
            assert!(beyond < half_degree, "round {round} step {step}: {angle} is outside {limits:?}");
        }
    }
    println!("at most {} degrees beyond a limit", worst.to_degrees());
}

/// Slides stop at their ends.
#[test]
fn slides_stop_at_their_ends() {
    let mut rng = Rng::new(13);
    for round in 0..20 {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let angle = rng.range(-3.0, 3.0);
        let block = add_free(&mut world, Vec2::ZERO, angle, 1.0);
        let kind = JointKind::Prismatic(Prismatic { limits: Some(Limits::new(-1.0, 2.0)), ..Prismatic::default() });
        let def = JointDef::new(wall, block, kind).at_pose(&world, Pose::new(Vec2::ZERO, angle)).expect("bodies");
        let joint = world.add_joint(def).expect("joint");
        for _ in 0..600 {
            world.step(DT);
            let offset = world.joint(joint).offset();
            assert!(offset.x > -1.005 && offset.x < 2.005, "round {round}: the block is at {offset}");
            assert!(offset.y.abs() < 1.0e-3, "round {round}: the block left its axis by {}", offset.y);
            assert!(world.joint(joint).angle().abs() < 2.0e-3, "round {round}: the block turned");
        }
    }
}

/// What should stay together does: at equal masses the frames of pins, welds and slides drift by less
/// than a tenth of a millimetre over a minute, once at rest.
#[test]
fn nothing_drifts() {
    for kind in [
        JointKind::Revolute(Revolute::default()),
        JointKind::Weld(Weld::default()),
        JointKind::Prismatic(Prismatic { limits: Some(Limits::new(0.0, 0.0)), ..Prismatic::default() }),
        JointKind::Distance(Distance::rod(0.0)),
    ] {
        let mut world = plain_world();
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let a = add_free(&mut world, vec2(0.0, -0.5), 0.0, 1.0);
        let b = add_free(&mut world, vec2(0.0, -1.5), 0.0, 1.0);
        let def = JointDef::new(wall, a, kind).at(&world, Vec2::ZERO).expect("bodies");
        world.add_joint(def).expect("joint");
        let def = JointDef::new(a, b, kind).at(&world, vec2(0.0, -1.0)).expect("bodies");
        let joint = world.add_joint(def).expect("joint");
        steps(&mut world, 600);
        let settled = world.joint(joint).offset();
        steps(&mut world, 3600);
        let drift = world.joint(joint).offset().distance(settled);
        assert!(drift < 1.0e-4, "{} drifted by {drift}", kind.name());
    }
}

/// How far what a joint holds is from where it should be, in metres; of angles, at an arm of one metre.
fn misfit(world: &World, id: JointId) -> Vec2 {
    let joint = world.joint(id);
    let offset = joint.offset();
    match *joint.kind() {
        JointKind::Distance(rod) => vec2(offset.length() - rod.max, 0.0),
        JointKind::Revolute(_) | JointKind::Mouse(_) => offset,
        // Along its axis a slide is held by its limits, a wheel by its spring.
        JointKind::Prismatic(_) | JointKind::Weld(_) | JointKind::Motor(_) => offset + vec2(0.0, joint.angle()),
        JointKind::Wheel(_) => offset,
        JointKind::Gear(gear) => {
            vec2(world.joint(gear.joint_a).angle() + gear.ratio * world.joint(gear.joint_b).angle(), 0.0)
        }
        JointKind::Pulley(pulley) => {
            let rope = |pose: Pose, over: Vec2| pose.p.distance(over);
            let length = rope(joint.frame_a(), pulley.pulley_a) + pulley.ratio * rope(joint.frame_b(), pulley.pulley_b);
            vec2(length - pulley.length, 0.0)
        }
        JointKind::Filter => Vec2::ZERO,
    }
}

/// The same over random configurations, for all kinds: two bodies of equal mass hang from a joint each, turned
/// at random and let go at random speeds, with some friction of the air so that they come to rest.
#[test]
fn nothing_drifts_in_random_configurations() {
    let mut rng = Rng::new(14);
    let still = Some(Limits::new(0.0, 0.0));
    for round in 0..4 {
        let length = rng.range(0.3, 2.0);
        let kinds = [
            JointKind::Distance(Distance::rod(length)),
            JointKind::Revolute(Revolute::default()),
            JointKind::Prismatic(Prismatic { limits: still, ..Prismatic::default() }),
            JointKind::Weld(Weld::default()),
            JointKind::Wheel(Wheel { limits: still, ..Wheel::default() }),
            JointKind::Motor(Drive { max_force: f32::INFINITY, max_torque: f32::INFINITY, ..Drive::default() }),
            JointKind::Mouse(Mouse { max_force: f32::INFINITY, ..Mouse::default() }),
            JointKind::Pulley(Pulley {
                pulley_a: vec2(rng.range(-3.0, -1.0), 5.0),
                pulley_b: vec2(rng.range(1.0, 3.0), 5.0),
                length: 10.0,
                ratio: 1.0,
            }),
        ];
        for kind in kinds {
            let mut world = plain_world();
            let wall = world.add_body(BodyDef::fixed()).expect("wall");
            let turn = rng.range(-3.0, 3.0);
            let bodies = [vec2(-0.3, -0.2), vec2(0.4, -0.9)].map(|position| {
                let body = add_free(&mut world, position, rng.range(-3.0, 3.0), 1.0);
                let (velocity, spin) = motion(&mut rng, 1.0);
                let mut body_mut = world.body_mut(body);
                body_mut.set_velocity(velocity).expect("velocity");
                body_mut.set_angular_velocity(spin).expect("spin");
                body_mut.set_linear_damping(1.0).expect("damping");
                body_mut.set_angular_damping(1.0).expect("damping");
                body
            });
            let mut joints = Vec::new();
            let mut add = |world: &mut World, a: BodyId, b: BodyId, kind: JointKind, at: Vec2| {
                let mut def = JointDef::new(a, b, kind).at_pose(world, Pose::new(at, turn)).expect("bodies");
                if let JointKind::Distance(rod) = kind {
                    // The other end of the rod.
                    let start = def.frame_b.p;
                    def.frame_b.p = start + vec2(0.0, -carom_core::math::min(rod.max, 0.25));
                }
                joints.push(world.add_joint(def).expect("joint"));
            };
            match kind {
                JointKind::Pulley(_) => add(&mut world, bodies[0], bodies[1], kind, Vec2::ZERO),
                JointKind::Mouse(mouse) => {
                    for (i, &body) in bodies.iter().enumerate() {
                        let target = vec2(2.0 * i as f32, 1.0);
                        add(&mut world, wall, body, JointKind::Mouse(Mouse { target, ..mouse }), target);
                    }
                }
                _ => {
                    add(&mut world, wall, bodies[0], kind, Vec2::ZERO);
                    add(&mut world, bodies[0], bodies[1], kind, vec2(0.1, -0.6));
                }
            }
            steps(&mut world, 1200);
            let settled: Vec<Vec2> = joints.iter().map(|&id| misfit(&world, id)).collect();
            for second in 0..60 {
                steps(&mut world, 60);
                for (&id, &settled) in joints.iter().zip(&settled) {
                    let drift = misfit(&world, id).distance(settled);
                    assert!(drift < 1.0e-4, "{} round {round} drifted by {drift} in {second} s", kind.name());
                }
            }
        }
    }
}

/// Two wheels tied by a gear stay in step for a minute while a motor drives them, whatever the ratio.
#[test]
fn gears_do_not_drift() {
    let mut rng = Rng::new(15);
    for round in 0..6 {
        let mut world = weightless();
        let frame = world.add_body(BodyDef::fixed()).expect("frame");
        let wheels = [-2.0, 2.0].map(|x| add_free(&mut world, vec2(x, 0.0), rng.range(-3.0, 3.0), 1.0));
        let motors = [Some(Motor::new(rng.range(-2.0, 2.0), 50.0)), None];
        let mut pins = Vec::new();
        for (&wheel, motor) in wheels.iter().zip(motors) {
            let at = world.body(wheel).position();
            let def = JointDef::new(frame, wheel, JointKind::Revolute(Revolute { motor, ..Revolute::default() }));
            pins.push(world.add_joint(def.at(&world, at).expect("bodies")).expect("pin"));
        }
        let ratio = rng.range(0.5, 2.0) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let kind = JointKind::Gear(Gear { joint_a: pins[0], joint_b: pins[1], ratio });
        let gear = world.add_joint(JointDef::new(wheels[0], wheels[1], kind)).expect("gear");
        steps(&mut world, 60);
        let settled = misfit(&world, gear);
        for _ in 0..60 {
            steps(&mut world, 60);
            // Angles of a hundred radians have a last digit of 8e-6.
            let drift = misfit(&world, gear).distance(settled);
            assert!(drift < 1.0e-4, "round {round}, ratio {ratio}: {drift}");
        }
    }
}

/// Ropes, telescopes and suspensions stop at their ends like pins and slides, to half a centimetre, which is
/// what half a degree is at an arm of half a metre.
#[test]
fn lengths_stop_at_their_ends() {
    let mut rng = Rng::new(16);
    for round in 0..20 {
        let limits = Limits::new(-rng.range(0.1, 0.5), rng.range(0.1, 0.5));
        let (low, high) = (rng.range(0.2, 0.6), rng.range(0.8, 1.5));
        for kind in [
            JointKind::Distance(Distance { min: low, max: high, spring: None, motor: None }),
            JointKind::Distance(Distance::rope(high)),
            JointKind::Wheel(Wheel { limits: Some(limits), spring: None, ..Wheel::default() }),
            JointKind::Wheel(Wheel { limits: Some(limits), ..Wheel::default() }),
            JointKind::Wheel(Wheel { limits: Some(limits), motor: Some(Motor::new(9.0, 5.0)), ..Wheel::default() }),
        ] {
            let mut world = plain_world();
            let wall = world.add_body(BodyDef::fixed()).expect("wall");
            let turn = rng.range(-3.0, 3.0);
            let start = Rot::from_angle(turn).rotate(vec2(0.7, 0.0));
            let is_rope = matches!(kind, JointKind::Distance(_));
            let body = add_free(&mut world, if is_rope { start } else { Vec2::ZERO }, turn, 1.0);
            let (velocity, spin) = motion(&mut rng, 2.0);
            world.body_mut(body).set_velocity(velocity).expect("velocity");
            world.body_mut(body).set_angular_velocity(spin).expect("spin");
            let def = JointDef { frame_a: Pose::new(Vec2::ZERO, turn), ..JointDef::new(wall, body, kind) };
            let joint = world.add_joint(def).expect("joint");
            for step in 0..600 {
                world.step(DT);
                let offset = world.joint(joint).offset();
                let (value, least, most) = match kind {
                    JointKind::Distance(rope) => (offset.length(), rope.min, rope.max),
                    _ => (offset.x, limits.lower, limits.upper),
                };
                assert!(
                    value > least - 0.005 && value < most + 0.005,
                    "{} round {round} step {step}: {value} is outside {least} to {most}",
                    kind.name()
                );
            }
        }
    }
}
