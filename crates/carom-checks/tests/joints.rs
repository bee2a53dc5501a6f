//! What joints promise, over random configurations: momentum is kept, limits hold, nothing drifts.

use carom_checks::validation::{DT, plain_world, steps};
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

fn motion(rng: &mut Rng, speed: f32) -> (Vec2, f32) {
    (vec2(rng.range(-speed, speed), rng.range(-speed, speed)), rng.range(-speed, speed))
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

/// Joined bodies overlap freely unless the joint says otherwise, and meet again when it is gone.
#[test]
fn joined_bodies_do_not_collide() {
    for collide_connected in [false, true] {
        let mut world = weightless();
        let add = |world: &mut World, x: f32| {
            let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).expect("body");
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
            body
        };
        let (a, b) = (add(&mut world, 0.0), add(&mut world, 0.8));
        world.step(DT);
        assert_eq!(world.contact_count(), 1);
        let def = JointDef::new(a, b, JointKind::Distance(Distance::rope(5.0)));
        let joint = world.add_joint(JointDef { collide_connected, ..def }).expect("joint");
        world.validate();
        steps(&mut world, 60);
        let apart = world.body(b).position().x - world.body(a).position().x;
        assert_eq!(apart > 0.9, collide_connected, "{apart}");
        world.remove_joint(joint).expect("joint");
        steps(&mut world, 60);
        world.validate();
        let apart = world.body(b).position().x - world.body(a).position().x;
        assert!(apart > 0.9, "they meet again: {apart}");
    }
}

/// Whether joined bodies collide can change while they are joined.
#[test]
fn joined_bodies_may_begin_and_cease_to_collide() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let [a, b] = [0.0, 0.8].map(|x| {
        let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).expect("body");
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
        body
    });
    let joint = world.add_joint(JointDef::rope(a, b, 5.0)).expect("joint");
    let apart = |world: &World| world.body(b).position().x - world.body(a).position().x;
    steps(&mut world, 120);
    assert!(world.body(a).is_sleeping() && world.contact_count() == 0 && apart(&world) == 0.8, "{}", apart(&world));
    world.joint_mut(joint).set_collide_connected(true);
    world.validate();
    steps(&mut world, 60);
    assert!(world.joint(joint).def().collide_connected && apart(&world) > 0.9, "{}", apart(&world));
    assert_eq!(world.contact_count(), 1);
    world.joint_mut(joint).set_collide_connected(false);
    world.validate();
    world.body_mut(b).set_velocity(vec2(-1.0, 0.0)).expect("velocity");
    steps(&mut world, 30);
    assert!(world.contact_count() == 0 && apart(&world) < 0.7, "{}", apart(&world));
}

/// What hangs together sleeps together and wakes together; gone bodies take their joints along.
#[test]
fn joined_bodies_sleep_and_wake_together() {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let mut before = wall;
    let mut links = Vec::new();
    for i in 0..5 {
        let link = add_free(&mut world, vec2(0.0, -0.6 * i as f32 - 0.3), 0.0, 1.0);
        let top = vec2(0.0, -0.6 * i as f32);
        let def = JointDef::revolute(before, link).at(&world, top).expect("bodies");
        world.add_joint(def).expect("joint");
        links.push(link);
        before = link;
    }
    steps(&mut world, 600);
    assert!(links.iter().all(|&link| world.body(link).is_sleeping()), "a hanging chain comes to rest");
    world.validate();
    world.body_mut(links[4]).apply_impulse(vec2(0.1, 0.0)).expect("impulse");
    assert!(links.iter().all(|&link| world.body(link).is_awake()), "all wake");
    world.validate();
    world.body_mut(links[2]).set_enabled(false);
    world.validate();
    steps(&mut world, 30);
    assert!(world.body(links[4]).position().y < -3.5, "the lower half fell");
    assert!(world.body(links[1]).position().y > -1.0, "the upper half hangs");
    world.body_mut(links[2]).set_kind(BodyKind::Kinematic);
    world.body_mut(links[2]).set_enabled(true);
    world.validate();
    steps(&mut world, 30);
    world.remove_body(links[2]).expect("body");
    assert_eq!(world.joint_count(), 3);
    world.validate();
    steps(&mut world, 30);
    world.validate();
}

/// A body lists its joints, those that gears tie included, and forgets them when they go.
#[test]
fn bodies_know_their_joints() {
    let mut world = plain_world();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let [first, second] = [0.0, 3.0].map(|x| add_free(&mut world, vec2(x, 0.0), 0.0, 1.0));
    let pins = [first, second].map(|body| world.add_joint(JointDef::revolute(wall, body)).expect("pin"));
    let rope = world.add_joint(JointDef::rope(first, second, 4.0)).expect("rope");
    let gear = JointKind::Gear(Gear { joint_a: pins[0], joint_b: pins[1], ratio: 1.0 });
    let gear = world.add_joint(JointDef::new(first, second, gear)).expect("gear");
    let joints = |world: &World, body: BodyId| world.body(body).joints().collect::<Vec<_>>();
    assert_eq!(joints(&world, wall), pins);
    assert_eq!(joints(&world, first), [pins[0], rope, gear]);
    assert_eq!(joints(&world, second), [pins[1], rope, gear]);
    world.remove_joint(pins[0]).expect("pin");
    assert_eq!(joints(&world, wall), [pins[1]]);
    assert_eq!(joints(&world, first), [rope], "the gear goes with its pin");
    world.remove_body(second).expect("body");
    assert!(joints(&world, wall).is_empty() && joints(&world, first).is_empty());
}

/// Every wrong definition is refused, and says why.
#[test]
fn wrong_joints_are_refused() {
    let mut world = plain_world();
    let (a, b) = (add_free(&mut world, Vec2::ZERO, 0.0, 1.0), add_free(&mut world, vec2(2.0, 0.0), 0.0, 1.0));
    let gone = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
    world.remove_body(gone).expect("body");
    let kind = |kind: JointKind| JointDef::new(a, b, kind);
    let nan = f32::NAN;
    let cases = [
        (JointDef::revolute(a, a), "JointDef.body_b"),
        (JointDef::revolute(a, gone), "names nothing"),
        (JointDef { hertz: 0.0, ..JointDef::weld(a, b) }, "JointDef.hertz"),
        (JointDef { damping_ratio: nan, ..JointDef::weld(a, b) }, "JointDef.damping_ratio"),
        (JointDef { break_force: -1.0, ..JointDef::weld(a, b) }, "JointDef.break_force"),
        (JointDef { frame_a: Pose::at(vec2(nan, 0.0)), ..JointDef::weld(a, b) }, "JointDef.frame_a"),
        (
            JointDef { frame_b: Pose { p: Vec2::ZERO, q: Rot { c: 0.0, s: 0.0 } }, ..JointDef::weld(a, b) },
            "JointDef.frame_b",
        ),
        (JointDef::rod(a, b, -1.0), "Distance.min"),
        (JointDef::rod(a, b, nan), "Distance.min"),
        (kind(JointKind::Distance(Distance { min: 2.0, max: 1.0, spring: None, motor: None })), "Distance.max"),
        (JointDef::spring(a, b, 1.0, Spring::new(nan, 0.1)), "Spring.hertz"),
        (JointDef::spring(a, b, 1.0, Spring::new(1.0, -0.1)), "Spring.damping_ratio"),
        (
            kind(JointKind::Revolute(Revolute { limits: Some(Limits::new(1.0, 0.0)), ..Revolute::default() })),
            "Limits.lower",
        ),
        (
            kind(JointKind::Revolute(Revolute { motor: Some(Motor::new(nan, 1.0)), ..Revolute::default() })),
            "Motor.speed",
        ),
        (kind(JointKind::Wheel(Wheel { motor: Some(Motor::new(1.0, nan)), ..Wheel::default() })), "Motor.max_force"),
        (kind(JointKind::Motor(Drive { max_torque: -1.0, ..Drive::default() })), "Drive.max_torque"),
        (JointDef::mouse(a, b, vec2(1.0e9, 0.0)), "Mouse.target"),
        (
            kind(JointKind::Pulley(Pulley { pulley_a: Vec2::ZERO, pulley_b: Vec2::ZERO, length: 0.0, ratio: 1.0 })),
            "Pulley.length",
        ),
        (
            kind(JointKind::Pulley(Pulley { pulley_a: Vec2::ZERO, pulley_b: Vec2::ZERO, length: 1.0, ratio: 0.0 })),
            "Pulley.ratio",
        ),
    ];
    for (def, expected) in cases {
        let error = world.add_joint(def).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error:?} should name {expected}");
    }
    assert_eq!(world.joint_count(), 0);
    let weld = world.add_joint(JointDef::weld(a, b)).expect("weld");
    let rod = world.add_joint(JointDef::rod(a, b, 1.0)).expect("rod");
    let gear = JointKind::Gear(Gear { joint_a: weld, joint_b: rod, ratio: 1.0 });
    assert!(world.add_joint(kind(gear)).expect_err("no coordinate").to_string().contains("revolute or prismatic"));
    assert!(world.joint_mut(weld).set_motor_speed(1.0).expect_err("no motor").to_string().contains("motor"));
    world.remove_joint(weld).expect("weld");
    assert!(world.remove_joint(weld).is_err(), "only once");
    world.validate();
}

/// A heavy gate on two hinges, driven into a wall with all the force there is: nothing explodes.
#[test]
fn contradictions_stay_finite() {
    let mut world = plain_world();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let block = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
    // Two pins that cannot both hold, two welds at different places, a motor of infinite strength.
    for x in [-3.0, 3.0] {
        world.add_joint(JointDef { frame_a: Pose::at(vec2(x, 0.0)), ..JointDef::revolute(wall, block) }).expect("pin");
        world.add_joint(JointDef { frame_a: Pose::at(vec2(0.0, x)), ..JointDef::weld(wall, block) }).expect("weld");
    }
    let motor = Some(Motor::new(1.0e6, f32::INFINITY));
    let kind = JointKind::Revolute(Revolute { motor, ..Revolute::default() });
    world.add_joint(JointDef::new(wall, block, kind)).expect("motor");
    for _ in 0..600 {
        world.step(DT);
        let body = world.body(block);
        assert!(body.position().is_finite() && body.position().length() < 10.0, "{}", body.position());
    }
}
