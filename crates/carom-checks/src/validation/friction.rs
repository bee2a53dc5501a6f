//! Problems 8 to 14: friction and rolling.

use super::*;

const G: f64 = 10.0;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = Vec::new();
    for mu in [0.3, 0.5, 0.7] {
        checks.extend(incline_threshold(mu));
    }
    checks.push(incline_slide());
    checks.extend(rolling());
    checks.extend(rolling_threshold());
    checks.extend(slip_to_roll());
    checks.extend(stopping_distance());
    checks.extend(topple());
    checks.extend(plank_with_rollers());
    checks
}

/// Acceleration along x between two moments, from velocities.
fn acceleration(world: &mut World, body: BodyId, settle: usize, count: usize) -> f64 {
    steps(world, settle);
    let before = f64::from(world.body(body).velocity().x);
    steps(world, count);
    (f64::from(world.body(body).velocity().x) - before) / (count as f64 / 60.0)
}

/// A box of 2 x 1 on a slope; it sticks below the friction angle and slides above.
fn box_on_slope(angle: f64, mu: f64) -> (World, BodyId) {
    let mut world = tilted_world(angle);
    add_floor(&mut world, mu as f32, 0.0);
    let shape = ShapeDef { friction: mu as f32, ..ShapeDef::rectangle(2.0, 1.0) };
    let body = add(&mut world, vec2(0.0, 0.5), shape);
    (world, body)
}

/// Problem 8: The box creeps at most 1e-6 m in 2 s just below the friction angle, and accelerates at
/// g (sin - mu cos) just above.
fn incline_threshold(mu: f64) -> Vec<Check> {
    let (mut world, body) = box_on_slope(carom_core::math::atan2_64(mu, 1.0) * 0.99, mu);
    steps(&mut world, 60);
    let before = world.body(body).position().x;
    steps(&mut world, 120);
    let creep = f64::from((world.body(body).position().x - before).abs());

    let angle = carom_core::math::atan2_64(mu, 1.0) * 1.01;
    let (mut world, body) = box_on_slope(angle, mu);
    let expected = G * (carom_core::math::sin64(angle) - mu * carom_core::math::cos64(angle));
    let a = acceleration(&mut world, body, 60, 120);
    vec![
        Check::new(format!("8 incline mu={mu}, creep below (m)"), creep, 1.0e-6),
        Check::new(format!("8 incline mu={mu}, acceleration above (m/s2)"), (a - expected).abs(), 1.0e-4)
            .answer(expected, a),
    ]
}

/// Problem 9: Sliding down 30 degrees with mu = 0.3: a = 2.401924.
fn incline_slide() -> Check {
    let (mut world, body) = box_on_slope(std::f64::consts::PI / 6.0, 0.3);
    let a = acceleration(&mut world, body, 60, 120);
    Check::new("9 incline slide, acceleration (m/s2)", (a - 2.401924).abs(), 1.0e-4).answer(2.401924, a)
}

/// A disc, or a hoop of the same radius, on a slope.
fn wheel_on_slope(angle: f64, mu: f64, hoop: bool) -> (World, BodyId) {
    let mut world = tilted_world(angle);
    add_floor(&mut world, mu as f32, 0.0);
    let body = add(&mut world, vec2(0.0, 0.5), ShapeDef { friction: mu as f32, ..ShapeDef::circle(0.5) });
    if hoop {
        let mass = world.body(body).mass();
        world.body_mut(body).set_inertia(Some(mass * 0.25)).expect("inertia");
    }
    (world, body)
}

/// Problem 10: Rolling down 30 degrees: 2/3 g sin for a disc, 1/2 g sin for a hoop, without slip.
fn rolling() -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, hoop, expected) in [("disc", false, 10.0 / 3.0), ("hoop", true, 2.5)] {
        let (mut world, body) = wheel_on_slope(std::f64::consts::PI / 6.0, 1.0, hoop);
        let a = acceleration(&mut world, body, 30, 120);
        let state = world.body(body);
        let slip = f64::from(state.velocity().x + 0.5 * state.angular_velocity());
        let id = format!("10 rolling {name}, acceleration error (relative)");
        checks.push(Check::with_goal(id, (a / expected - 1.0).abs(), 2.0e-3, 1.0e-4).answer(expected, a));
        checks.push(Check::new(format!("10 rolling {name}, slip (m/s)"), slip.abs(), 0.03));
    }
    checks
}

/// Problem 10: A disc rolls without slip iff mu >= tan / 3; checked 5 % to both sides.
fn rolling_threshold() -> Vec<Check> {
    let angle = std::f64::consts::PI / 6.0;
    let critical = 0.577350269 / 3.0;
    let slip = |mu: f64| {
        let (mut world, body) = wheel_on_slope(angle, mu, false);
        steps(&mut world, 120);
        let state = world.body(body);
        f64::from(state.velocity().x + 0.5 * state.angular_velocity()).abs()
    };
    vec![
        Check::new("10 rolls at 1.05 of critical mu, slip (m/s)", slip(1.05 * critical), 0.03),
        Check::holds("10 slips at 0.95 of critical mu", slip(0.95 * critical) > 0.1),
    ]
}

/// Problem 11: A disc thrown at 6 m/s without spin, mu = 0.2, rolls at 4 m/s after 1 s.
fn slip_to_roll() -> Vec<Check> {
    let mut world = plain_world();
    add_floor(&mut world, 0.2, 0.0);
    let shape = ShapeDef { friction: 0.2, ..ShapeDef::circle(0.5) };
    let body = add_moving(&mut world, vec2(0.0, 0.5), vec2(6.0, 0.0), shape);
    let mut rolls_at = f64::INFINITY;
    for step in 1..=180 {
        world.step(DT);
        let state = world.body(body);
        let slip = state.velocity().x + 0.5 * state.angular_velocity();
        if slip.abs() < 0.01 && rolls_at.is_infinite() {
            rolls_at = f64::from(step) / 60.0;
        }
    }
    let speed = f64::from(world.body(body).velocity().x);
    vec![
        Check::new("11 slip to roll, final speed error (relative)", (speed / 4.0 - 1.0).abs(), 3.0e-3)
            .answer(4.0, speed),
        Check::new("11 slip to roll, time error (steps)", (rolls_at - 1.0).abs() * 60.0, 2.0)
            .answer(60.0, rolls_at * 60.0),
    ]
}

/// Problem 12: A box at 5 m/s with mu = 0.5 stops after 2.5 m.
fn stopping_distance() -> Vec<Check> {
    let mut world = plain_world();
    add_floor(&mut world, 0.5, 0.0);
    let shape = ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 0.5) };
    let body = add_moving(&mut world, vec2(0.0, 0.25), vec2(5.0, 0.0), shape);
    steps(&mut world, 120);
    let state = world.body(body);
    let distance = f64::from(state.position().x);
    vec![
        Check::new("12 stopping distance error (relative)", (distance / 2.5 - 1.0).abs(), 6.0e-3).answer(2.5, distance),
        Check::new("12 residual speed (m/s)", f64::from(state.velocity().length()), 1.0e-5),
    ]
}

/// Problem 13: A box of 1 x 2 topples iff the slope exceeds atan(1/2); checked 2 % to both sides.
fn topple() -> Vec<Check> {
    let critical = carom_core::math::atan2_64(0.5, 1.0);
    let turned = |angle: f64| {
        let mut world = tilted_world(angle);
        add_floor(&mut world, 2.0, 0.0);
        let body = add(&mut world, vec2(0.0, 1.0), ShapeDef { friction: 2.0, ..ShapeDef::rectangle(1.0, 2.0) });
        steps(&mut world, 240);
        f64::from(world.body(body).angle()).abs()
    };
    vec![
        Check::new("13 topple, angle at -2 % (rad)", turned(0.98 * critical), 1.0e-3),
        Check::holds("13 topples at +2 %", turned(1.02 * critical) > 1.0),
    ]
}

/// Problem 14: A plank of 10 kg on five discs' worth of load: pulled at 75 N over ground with mu = 0.4, with
/// discs of 1 kg rolling on top: a = 9/7 for the plank, a third of that for the discs.
fn plank_with_rollers() -> Vec<Check> {
    let mut world = plain_world();
    add_floor(&mut world, 0.4, 0.0);
    let plank = add(&mut world, vec2(0.0, 0.25), ShapeDef { friction: 0.4, ..ShapeDef::rectangle(20.0, 0.5) });
    world.body_mut(plank).set_mass(Some(10.0)).expect("mass");
    // No slip on top: a second, thin surface would be another shape; give the discs so much friction
    // that the geometric mean with the plank's 0.4 is 2.
    let discs: Vec<BodyId> = (0..5)
        .map(|i| {
            let disc =
                add(&mut world, vec2(-4.0 + 2.0 * i as f32, 1.0), ShapeDef { friction: 10.0, ..ShapeDef::circle(0.5) });
            world.body_mut(disc).set_mass(Some(1.0)).expect("mass");
            disc
        })
        .collect();
    steps(&mut world, 60);
    let velocity = |world: &World, id: BodyId| f64::from(world.body(id).velocity().x);
    let mut before = Vec::new();
    for step in 0..90 {
        world.body_mut(plank).apply_force(vec2(75.0, 0.0)).expect("force");
        world.step(DT);
        if step == 29 {
            before = std::iter::once(plank).chain(discs.iter().copied()).map(|id| velocity(&world, id)).collect();
        }
    }
    // The plank, and the roller that is furthest off.
    let mut worst = [(0.0, 9.0 / 7.0), (0.0, 3.0 / 7.0)];
    for (index, id) in std::iter::once(plank).chain(discs.iter().copied()).enumerate() {
        let a = velocity(&world, id) - before[index];
        let expected = if index == 0 { 9.0 / 7.0 } else { 3.0 / 7.0 };
        let slot = usize::from(index > 0);
        let error = (a / expected - 1.0).abs();
        // Not a number is the worst of all.
        if error.is_nan() || error > worst[slot].0 {
            worst[slot] = (error, a);
        }
    }
    let [(plank_error, plank), (rollers_error, roller)] = worst;
    vec![
        Check::new("14 plank, acceleration error (relative)", plank_error, 1.0e-3).answer(9.0 / 7.0, plank),
        Check::new("14 rollers, acceleration error (relative)", rollers_error, 1.0e-3).answer(3.0 / 7.0, roller),
    ]
}
