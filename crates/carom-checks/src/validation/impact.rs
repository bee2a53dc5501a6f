//! Problems 15, 16, 18 and 19: impacts and conservation.

use super::*;
use carom_core::Rng;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = bounce_heights();
    checks.extend(head_on());
    checks.extend(elastic_gas());
    checks.extend(isolated_cluster());
    checks
}

/// Heights of the first `count` rebounds of a disc dropped from `height` metres above the floor.
pub fn rebounds(restitution: f32, height: f32, count: usize) -> Vec<f64> {
    rebounds_at(1, restitution, height, count)
}

/// The same with `rate` times as many steps.
pub(super) fn rebounds_at(rate: u32, restitution: f32, height: f32, count: usize) -> Vec<f64> {
    let mut world = plain_world();
    add_floor(&mut world, 0.6, restitution);
    let body = add(&mut world, vec2(0.0, 0.5 + height), ShapeDef { restitution, ..ShapeDef::circle(0.5) });
    let mut apexes = Vec::new();
    let mut before = (f64::from(height), 0.0_f64);
    for _ in 0..3000 * rate {
        world.step(DT / rate as f32);
        let state = world.body(body);
        let now = (f64::from(state.position().y) - 0.5, f64::from(state.velocity().y));
        if before.1 > 0.0 && now.1 <= 0.0 {
            // The vertex of the parabola through the sample before.
            apexes.push(before.0 + before.1 * before.1 / 20.0);
            if apexes.len() == count {
                break;
            }
        }
        before = now;
    }
    apexes.resize(count, 0.0);
    apexes
}

/// Problem 15: A disc dropped 5 m returns to e^2n of the height after n bounces, and never higher.
fn bounce_heights() -> Vec<Check> {
    let mut checks = Vec::new();
    for e in [0.0_f32, 0.25, 0.5, 0.75, 0.9, 1.0] {
        let apexes = rebounds(e, 5.0, 5);
        let e2 = f64::from(e) * f64::from(e);
        let (mut worst, mut expected, mut rises) = (0.0, 1.0, false);
        let mut previous = 5.0;
        for apex in &apexes {
            expected *= e2;
            worst = larger(worst, (apex / 5.0 - expected).abs());
            // A ten-thousandth for rounding.
            rises |= *apex > previous * 1.0001 + 1.0e-4;
            previous = *apex;
        }
        let first = (apexes[0] / 5.0 - e2).abs();
        let id = format!("15 e={e}, first apex error (of height)");
        checks.push(Check::with_goal(id, first, 0.01, 1.0e-3).answer(e2, apexes[0] / 5.0));
        checks.push(Check::with_goal(format!("15 e={e}, worst of 5 apexes (of height)"), worst, 0.01, 1.0e-3));
        checks.push(Check::holds(format!("15 e={e}, never higher than before"), !rises));
    }
    for e in [0.25, 0.5, 0.75] {
        checks.push(bouncing_time(e));
    }
    checks
}

/// Problem 15, the total time: A disc dropped 5 m comes to rest after sqrt(2 h / g) (1 + e) / (1 - e). It rests from
/// when on it is slower than 1 cm/s and within 1 mm of the floor. The gate leaves room for the rebounds that an engine
/// may leave out, below the speed v that gravity adds in two sub-steps: they take 2 v / (g (1 - e)), 1.3 % at most
/// here.
fn bouncing_time(e: f32) -> Check {
    let mut world = plain_world();
    add_floor(&mut world, 0.6, e);
    let body = add(&mut world, vec2(0.0, 5.5), ShapeDef { restitution: e, ..ShapeDef::circle(0.5) });
    let mut rested = 0.0;
    for step in 1..=900 {
        world.step(DT);
        let state = world.body(body);
        if state.velocity().y.abs() > 0.01 || state.position().y > 0.501 {
            rested = f64::from(step) * f64::from(DT);
        }
    }
    let expected = (1.0 + f64::from(e)) / (1.0 - f64::from(e));
    let id = format!("15 e={e}, total time (relative)");
    Check::with_goal(id, (rested / expected - 1.0).abs(), 0.02, 0.01).answer(expected, rested)
}

/// Problem 16: Two discs head on, and oblique: velocities after the impact.
fn head_on() -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, ratio, e) in
        [("2:1 elastic", 2.0_f32, 1.0_f32), ("2:1 inelastic", 2.0, 0.0), ("1000:1 elastic", 1000.0, 1.0)]
    {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let disc = ShapeDef { friction: 0.0, restitution: e, ..ShapeDef::circle(0.5) };
        let a = add_moving(&mut world, vec2(-2.0, 0.0), vec2(4.0, 0.0), disc.clone());
        let b = add(&mut world, vec2(0.0, 0.0), disc);
        world.body_mut(a).set_mass(Some(ratio)).expect("mass");
        world.body_mut(b).set_mass(Some(1.0)).expect("mass");
        steps(&mut world, 60);
        let (m1, m2, e) = (f64::from(ratio), 1.0, f64::from(e));
        let v1 = 4.0 * (m1 - e * m2) / (m1 + m2);
        let v2 = 4.0 * (1.0 + e) * m1 / (m1 + m2);
        let error = |id: BodyId, expected: f64| (f64::from(world.body(id).velocity().x) / expected - 1.0).abs();
        checks.push(Check::new(format!("16 head-on {name} (relative)"), larger(error(a, v1), error(b, v2)), 1.0e-5));
    }

    // Oblique: equal discs, elastic. The velocity along the line of centres is handed over, the one
    // across stays; whatever the line of centres is, the two leave at a right angle, and energy and
    // momentum are kept.
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    let disc = ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::circle(0.5) };
    let a = add_moving(&mut world, vec2(-2.0, 0.5), vec2(4.0, 0.0), disc.clone());
    let b = add(&mut world, vec2(0.0, 0.0), disc);
    steps(&mut world, 60);
    let (va, vb) = (world.body(a).velocity().as_dvec2(), world.body(b).velocity().as_dvec2());
    let energy = ((va.length_squared() + vb.length_squared()) / 16.0 - 1.0).abs();
    let momentum = (va + vb - glam::DVec2::new(4.0, 0.0)).length() / 4.0;
    let right_angle = (va.dot(vb) / (va.length() * vb.length())).abs();
    checks.push(Check::new("16 oblique, energy error (relative)", energy, 1.0e-5));
    checks.push(Check::new("16 oblique, momentum error (relative)", momentum, 1.0e-5));
    checks.push(Check::new("16 oblique, cosine of the angle between", right_angle, 1.0e-5));
    checks
}

/// Problem 18: 200 elastic discs in a box for 20 s keep their energy.
fn elastic_gas() -> Vec<Check> {
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    let walls = world.add_body(BodyDef::fixed()).expect("walls");
    for (x, y, w, h) in
        [(0.0, -10.5, 22.0, 1.0), (0.0, 10.5, 22.0, 1.0), (-10.5, 0.0, 1.0, 22.0), (10.5, 0.0, 1.0, 22.0)]
    {
        let wall = ShapeDef { position: vec2(x, y), friction: 0.0, restitution: 1.0, ..ShapeDef::rectangle(w, h) };
        world.add_shape(walls, wall).expect("wall");
    }
    let mut rng = Rng::new(18);
    for i in 0..200 {
        // On a grid, so that none overlap at the start.
        let position = vec2(-9.1 + 1.3 * (i % 15) as f32, -9.1 + 1.35 * (i / 15) as f32);
        let velocity = loop {
            let v = vec2(rng.range(-7.0, 7.0), rng.range(-7.0, 7.0));
            if v.length() <= 7.0 {
                break v;
            }
        };
        let disc = ShapeDef { friction: 0.0, restitution: 1.0, ..ShapeDef::circle(0.3) };
        add_moving(&mut world, position, velocity, disc);
    }
    let before = kinetic_energy(&world);
    let mut highest = before;
    let mut escaped = false;
    for _ in 0..1200 {
        world.step(DT);
        highest = larger(highest, kinetic_energy(&world));
    }
    for id in world.bodies() {
        let p = world.body(id).position();
        escaped |= p.x.abs() > 10.0 || p.y.abs() > 10.0;
    }
    let ratio = kinetic_energy(&world) / before;
    vec![
        Check::with_goal("18 gas, energy lost (of 1)", larger(1.0 - ratio, 0.0), 0.05, 1.0e-3).answer(1.0, ratio),
        Check::with_goal("18 gas, energy gained at any time (of 1)", highest / before - 1.0, 5.0e-3, 1.0e-3)
            .answer(1.0, highest / before),
        Check::holds("18 gas, none escaped", !escaped),
    ]
}

/// Problem 19: 100 boxes that implode: momentum, angular momentum, energy.
fn isolated_cluster() -> Vec<Check> {
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    let mut rng = Rng::new(19);
    for i in 0..10 {
        for j in 0..10 {
            let position = vec2(2.0 * i as f32 - 9.0, 2.0 * j as f32 - 9.0);
            let velocity = -0.5 * position + vec2(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5));
            let size = rng.range(0.6, 1.2);
            let shape = ShapeDef { restitution: 0.2, ..ShapeDef::rectangle(size, 1.0) };
            let body = add_moving(&mut world, position, velocity, shape);
            world.body_mut(body).set_angular_velocity(rng.range(-1.0, 1.0)).expect("spin");
        }
    }
    let moments = |world: &World| {
        let (mut p, mut l, mut sum_p, mut sum_l) = (glam::DVec2::ZERO, 0.0, 0.0, 0.0);
        for id in world.bodies() {
            let body = world.body(id);
            let (m, r, v) = (f64::from(body.mass()), body.center().as_dvec2(), body.velocity().as_dvec2());
            p += m * v;
            l += m * (r.x * v.y - r.y * v.x) + f64::from(body.inertia()) * f64::from(body.angular_velocity());
            sum_p += m * v.length();
            sum_l += m * r.length() * v.length();
        }
        (p, l, sum_p, sum_l)
    };
    let (p0, l0, sum_p, sum_l) = moments(&world);
    let mut energy = kinetic_energy(&world);
    let e0 = energy;
    let mut gain = 0.0;
    for _ in 0..600 {
        world.step(DT);
        let now = kinetic_energy(&world);
        gain = larger(gain, (now - energy) / e0);
        energy = now;
    }
    let (p1, l1, _, _) = moments(&world);
    vec![
        Check::new("19 cluster, momentum change (of sum |p|)", (p1 - p0).length() / sum_p, 1.0e-6),
        Check::new("19 cluster, angular momentum change (of sum m|r||v|)", (l1 - l0).abs() / sum_l, 1.0e-3),
        Check::new("19 cluster, largest energy rise in a step (of the initial)", gain, 1.0e-6),
    ]
}
