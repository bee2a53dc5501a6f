//! Problems 4, 6, 7, 17, 23, 24 and 25: springs, pendulums, chains and the forces in joints.

use super::*;
use std::f64::consts::PI;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    checks_in(plain_world, "")
}

/// The same problems in worlds of another making, with a word after each name.
pub fn checks_in(make: fn() -> World, suffix: &str) -> Vec<Check> {
    let mut checks = damped_spring(make);
    checks.extend(pendulums(make));
    checks.extend(double_pendulum(make));
    checks.extend(cradle(make));
    checks.extend(hanging_chain(make));
    checks.extend(catenary(make));
    checks.extend(reaction_forces(make));
    for check in &mut checks {
        check.id.push_str(suffix);
    }
    checks
}

fn fixed(world: &mut World, position: Vec2) -> BodyId {
    world.add_body(BodyDef { position, ..BodyDef::fixed() }).expect("fixed body")
}

fn join(world: &mut World, def: JointDef) -> JointId {
    world.add_joint(def).expect("joint")
}

/// Times at which a sampled value crosses zero, upwards and downwards, by linear interpolation.
pub(super) fn crossings(samples: &[f64]) -> Vec<f64> {
    let pairs = samples.windows(2).enumerate();
    let crossed = pairs.filter(|(_, pair)| (pair[0] < 0.0) != (pair[1] < 0.0));
    crossed.map(|(i, pair)| f64::from(DT) * (i as f64 + pair[0] / (pair[0] - pair[1]))).collect()
}

/// Problem 4: a spring of 2 Hz with a damping ratio of 0.1.
fn damped_spring(make: fn() -> World) -> Vec<Check> {
    let mut world = make();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    let wall = fixed(&mut world, Vec2::ZERO);
    let body = add(&mut world, vec2(2.5, 0.0), ShapeDef::circle(0.5));
    join(&mut world, JointDef::spring(wall, body, 2.0, Spring::new(2.0, 0.1)));
    let mut samples = vec![0.5];
    for _ in 0..120 {
        world.step(DT);
        samples.push(f64::from(world.body(body).position().x) - 2.0);
    }
    let times = crossings(&samples);
    let period = (times[6] - times[0]) / 3.0;
    // Extremes by the vertex of a parabola through three samples.
    let mut peaks = Vec::new();
    for triple in samples.windows(3) {
        if triple[1] > triple[0] && triple[1] >= triple[2] {
            let (slope, bend) = ((triple[2] - triple[0]) / 2.0, triple[2] - 2.0 * triple[1] + triple[0]);
            peaks.push(triple[1] - slope * slope / (2.0 * bend));
        }
    }
    let decay = (peaks[2] / peaks[0]).sqrt();
    vec![
        Check::new("4 damped spring, period (relative)", (period / 0.50252 - 1.0).abs(), 0.01).answer(0.50252, period),
        Check::with_goal("4 damped spring, decay per cycle", (decay - 0.5318).abs(), 0.05, 0.005).answer(0.5318, decay),
    ]
}

/// A disc of radius 0.05 on an arm of 1 m, let go at an angle from the vertical.
pub(super) fn add_pendulum(world: &mut World, degrees: f64) -> (BodyId, JointId) {
    let (sin, cos) = carom_core::math::sin_cos64(degrees.to_radians());
    let pivot = fixed(world, Vec2::ZERO);
    let angle = degrees.to_radians() as f32;
    let position = vec2(sin as f32, -cos as f32);
    let bob = world.add_body(BodyDef { position, angle, ..BodyDef::dynamic() }).expect("bob");
    world.add_shape(bob, ShapeDef::circle(0.05)).expect("bob");
    let joint = join(world, JointDef { frame_b: Pose::at(vec2(0.0, 1.0)), ..JointDef::revolute(pivot, bob) });
    (bob, joint)
}

/// Kinetic and potential energy of all dynamic bodies, in J.
pub(super) fn energy(world: &World) -> f64 {
    let bodies = world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic);
    let potential: f64 =
        bodies.map(|id| world.body(id)).map(|body| 10.0 * f64::from(body.mass()) * f64::from(body.center().y)).sum();
    kinetic_energy(world) + potential
}

/// Problem 6: the period of a pendulum by the elliptic integral, its energy over a minute, its joint.
fn pendulums(make: fn() -> World) -> Vec<Check> {
    let mut checks = Vec::new();
    // 2 pi sqrt(I / (g L)), and the factors of the elliptic integral.
    let small = 2.0 * PI * ((1.0 + 0.5 * 0.05 * 0.05) / 10.0_f64).sqrt();
    for (degrees, factor, gate) in [
        (10.0, 1.001907, 1.0e-3),
        (45.0, 1.039973, 1.0e-2),
        (90.0, 1.180341, 1.0e-2),
        (120.0, 1.372881, 1.0e-2),
        (150.0, 1.762204, 1.0e-2),
    ] {
        let exact = small * factor;
        let mut world = make();
        let (bob, _) = add_pendulum(&mut world, degrees);
        let scale = f64::from(world.body(bob).mass()) * 10.0;
        let start = energy(&world);
        let (mut samples, mut highest, mut joint_error) = (Vec::new(), f64::MIN, 0.0);
        for _ in 0..3600 {
            world.step(DT);
            samples.push(f64::from(world.body(bob).position().x));
            highest = larger(highest, energy(&world));
            let end = world.body(bob).world_point(vec2(0.0, 1.0));
            joint_error = larger(joint_error, f64::from(end.length()));
        }
        let times = crossings(&samples);
        // The first ten swings: later ones are smaller where energy was lost.
        let period = (times[20] - times[0]) / 10.0;
        let id = format!("6 pendulum {degrees} deg, period (relative)");
        checks.push(Check::new(id, (period / exact - 1.0).abs(), gate).answer(exact, period));
        if degrees == 90.0 {
            let loss = (start - energy(&world)) / scale;
            checks.push(Check::with_goal("6 pendulum 90 deg, energy lost in 60 s (of mgL)", loss, 0.05, 0.001));
            checks.push(Check::new("6 pendulum 90 deg, energy gained (of mgL)", (highest - start) / scale, 0.006));
            checks.push(Check::new("6 pendulum 90 deg, joint error (m)", joint_error, 1.0e-3));
        }
    }
    checks
}

/// Two discs on arms of 1 m, from horizontal, both arms turned a little.
fn double_pendulum_world(make: fn() -> World, turned: [f32; 2]) -> World {
    let mut world = make();
    let pivot = fixed(&mut world, Vec2::ZERO);
    let first = add(&mut world, vec2(1.0, turned[0]), ShapeDef::circle(0.05));
    let second = add(&mut world, vec2(2.0, turned[0] + turned[1]), ShapeDef::circle(0.05));
    for (disc, angle) in [(first, turned[0]), (second, turned[1])] {
        world.body_mut(disc).set_angle(angle).expect("a small angle");
    }
    join(&mut world, JointDef { frame_b: Pose::at(vec2(-1.0, 0.0)), ..JointDef::revolute(pivot, first) });
    join(&mut world, JointDef { frame_b: Pose::at(vec2(-1.0, 0.0)), ..JointDef::revolute(first, second) });
    world
}

/// Problem 7: the energy of a double pendulum over a minute, and its chaos.
fn double_pendulum(make: fn() -> World) -> Vec<Check> {
    let mut world = double_pendulum_world(make, [0.0; 2]);
    let scale = 30.0 * PI * 0.05 * 0.05;
    let start = energy(&world);
    let (mut highest, mut lowest) = (start, start);
    for _ in 0..3600 {
        world.step(DT);
        let now = energy(&world);
        highest = larger(highest, now);
        lowest = -larger(-lowest, -now);
    }
    // So small a nudge is lost in the rounding of the first steps or not, as it happens. So both arms are nudged both ways.
    let mut again = double_pendulum_world(make, [0.0; 2]);
    let nudges =
        [-1.0e-9, 0.0, 1.0e-9].into_iter().flat_map(|first| [-1.0e-9, 0.0, 1.0e-9].map(|second| [first, second]));
    let mut others: Vec<World> = nudges.map(|turned| double_pendulum_world(make, turned)).collect();
    let mut apart = 0.0;
    for _ in 0..3600 {
        again.step(DT);
        for other in &mut others {
            other.step(DT);
            let ends = again.bodies().zip(other.bodies());
            let ways = ends.map(|(a, b)| f64::from(again.body(a).position().distance(other.body(b).position())));
            apart = ways.fold(apart, larger);
        }
    }
    vec![
        Check::new("7 double pendulum, energy gained (of 3mgL)", (highest - start) / scale, 0.005),
        Check::with_goal("7 double pendulum, energy lost (of 3mgL)", (start - lowest) / scale, 0.15, 0.01),
        Check::holds("7 double pendulum, two runs agree", world.state_hash() == again.state_hash()),
        Check::holds("7 double pendulum, a nudge of 1e-9 m grows to 1 m", apart > 1.0),
    ]
}

/// Problem 17: five discs in a row, the first raised by 0.5 rad; the last must fly off as fast as the
/// first came.
fn cradle(make: fn() -> World) -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, gap) in [("1 mm gap", 1.0e-3_f32), ("no gap", 0.0)] {
        let mut world = make();
        let ceiling = fixed(&mut world, Vec2::ZERO);
        let mut balls = Vec::new();
        for i in 0..5 {
            let x = i as f32 * (0.5 + gap);
            let angle = if i == 0 { -0.5_f64 } else { 0.0 };
            let (sin, cos) = carom_core::math::sin_cos64(angle);
            let position = vec2(x + 2.0 * sin as f32, -2.0 * cos as f32);
            let ball = world.add_body(BodyDef { position, angle: angle as f32, ..BodyDef::dynamic() }).expect("ball");
            let shape = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::circle(0.25) };
            world.add_shape(ball, shape).expect("ball");
            let (frame_a, frame_b) = (Pose::at(vec2(x, 0.0)), Pose::at(vec2(0.0, 2.0)));
            join(&mut world, JointDef { frame_a, frame_b, ..JointDef::revolute(ceiling, ball) });
            balls.push(ball);
        }
        let mut fastest = 0.0;
        let mut others = 0.0;
        for _ in 0..70 {
            world.step(DT);
            let speed = |ball: BodyId| f64::from(world.body(ball).velocity().length());
            if speed(balls[4]) > fastest {
                fastest = speed(balls[4]);
                others = balls[..4].iter().map(|&ball| speed(ball)).fold(0.0, larger);
            }
        }
        let full = 2.213;
        let (missing, moving) = (1.0 - fastest / full, others / full);
        let check = |what: &str, value: f64| {
            let id = format!("17 cradle, {name}, {what}");
            Check::new(id, value, 0.05)
        };
        checks.push(check("speed missing from the last ball (relative)", missing).answer(full, fastest));
        checks.push(check("speed left in the others (relative)", moving));
    }
    checks
}

/// A chain of links, 0.5 m long each, straight down from the origin; the last point of it.
fn add_chain(world: &mut World, bob: f32) -> BodyId {
    let mut before = fixed(world, Vec2::ZERO);
    let mut end = Pose::IDENTITY;
    for i in 0..20 {
        let link = add(world, vec2(0.0, -0.5 * i as f32 - 0.25), ShapeDef::rectangle(0.1, 0.5));
        let frame_b = Pose::at(vec2(0.0, 0.25));
        join(world, JointDef { frame_a: end, frame_b, ..JointDef::revolute(before, link) });
        (before, end) = (link, Pose::at(vec2(0.0, -0.25)));
    }
    let mass = bob * world.body(before).mass();
    let body = world.add_body(BodyDef { position: vec2(0.0, -10.0), mass: Some(mass), ..BodyDef::dynamic() });
    let body = body.expect("bob");
    world.add_shape(body, ShapeDef::circle(0.25)).expect("bob");
    join(world, JointDef { frame_a: end, ..JointDef::revolute(before, body) });
    body
}

/// Problem 23: how far a chain stretches under a bob of `k` link masses.
fn hanging_chain(make: fn() -> World) -> Vec<Check> {
    let mut checks = Vec::new();
    for (k, gate, goal) in [(1.0, 0.005, None), (10.0, 0.007, None), (100.0, 0.04, None), (1000.0, 1.0, Some(0.001))] {
        let mut world = make();
        let bob = add_chain(&mut world, k);
        steps(&mut world, 600);
        let stretch = (f64::from(world.body(bob).position().length()) / 10.0 - 1.0).abs();
        let check = Check::new(format!("23 chain with a bob of {k} links, stretch (relative)"), stretch, gate);
        checks.push(Check { goal, ..check });
    }
    checks
}

/// Problem 24: the sag of a chain of 40 links over a span of 8 m, and the forces at its ends.
fn catenary(make: fn() -> World) -> Vec<Check> {
    let mut world = make();
    // Links start on a V of the right length, which the damping then lets settle.
    let (left, right) = (fixed(&mut world, vec2(-4.0, 0.0)), fixed(&mut world, vec2(4.0, 0.0)));
    let down = -(25.0_f64 - 16.0).sqrt() as f32 / 5.0;
    let (mut before, mut end) = (left, Pose::IDENTITY);
    let mut middle = Vec2::ZERO;
    let mut ends = Vec::new();
    let mut links = Vec::new();
    for i in 0..40 {
        let along = |step: f32| {
            let s = 0.25 * step;
            if s <= 5.0 { vec2(-4.0 + 0.8 * s, down * s) } else { vec2(0.8 * (s - 5.0), down * (10.0 - s)) }
        };
        let (from, to) = (along(i as f32), along(i as f32 + 1.0));
        let angle = carom_core::math::atan2(to.y - from.y, to.x - from.x);
        let def = BodyDef {
            position: (from + to) * 0.5,
            angle,
            linear_damping: 1.0,
            angular_damping: 1.0,
            ..BodyDef::dynamic()
        };
        let link = world.add_body(def).expect("link");
        let shape = ShapeDef { filter: Filter { mask: 0, ..Filter::default() }, ..ShapeDef::rectangle(0.25, 0.05) };
        world.add_shape(link, shape).expect("link");
        let joint = join(
            &mut world,
            JointDef { frame_a: end, frame_b: Pose::at(vec2(-0.125, 0.0)), ..JointDef::revolute(before, link) },
        );
        if i == 0 {
            ends.push(joint);
        }
        (before, end) = (link, Pose::at(vec2(0.125, 0.0)));
        links.push(link);
    }
    ends.push(join(&mut world, JointDef { frame_a: end, ..JointDef::revolute(before, right) }));
    steps(&mut world, 3600);
    for &link in &links {
        let point = world.body(link).world_point(vec2(0.125, 0.0));
        if point.y < middle.y {
            middle = point;
        }
    }
    let weight: f64 = links.iter().map(|&link| 10.0 * f64::from(world.body(link).mass())).sum();
    let horizontal = weight * 3.382019 / 10.0;
    let force = world.joint(ends[0]).force();
    let (v, h) = (f64::from(force.y), f64::from(force.x).abs());
    let (sag, half) = (-f64::from(middle.y), 0.5 * weight);
    let horizontal_id = "24 catenary, horizontal force at the end (relative)";
    vec![
        Check::with_goal("24 catenary, sag (relative)", (sag / 2.65526 - 1.0).abs(), 0.04, 0.005).answer(2.65526, sag),
        Check::new("24 catenary, vertical force at the end (relative)", (v / half - 1.0).abs(), 1.0e-3).answer(half, v),
        Check::with_goal(horizontal_id, (h / horizontal - 1.0).abs(), 0.05, 0.005).answer(horizontal, h),
    ]
}

/// Problem 25: the forces that joints and contacts report.
fn reaction_forces(make: fn() -> World) -> Vec<Check> {
    let mut world = make();
    let (bob, joint) = add_pendulum(&mut world, 0.0);
    steps(&mut world, 120);
    let weight = 10.0 * f64::from(world.body(bob).mass());
    let hanging = f64::from(world.joint(joint).force().y);

    // Through the lowest point: m g (3 - 2 cos 90 deg), for a bob that is almost a point.
    let mut world = make();
    let (_, joint) = add_pendulum(&mut world, 90.0);
    let inertia = 1.0 + 0.5 * 0.05 * 0.05;
    let exact = weight * (1.0 + 2.0 / inertia);
    let mut most = 0.0;
    for _ in 0..60 {
        world.step(DT);
        most = larger(most, f64::from(world.joint(joint).force().length()));
    }
    vec![
        Check::new("25 force of a hanging mass (relative)", (hanging / weight - 1.0).abs(), 1.0e-4)
            .answer(weight, hanging),
        Check::new("25 force of a pendulum at the bottom (relative)", (most / exact - 1.0).abs(), 0.01)
            .answer(exact, most),
    ]
}
