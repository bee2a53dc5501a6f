//! Problems 1 and 2: flight without contact.

use super::*;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = vec![free_fall()];
    checks.extend(projectile());
    checks
}

/// Problem 1: A body at rest falls for 1 s: y = -5. Free flight follows the exact parabola, so that is the
/// integrator's own prediction, too.
fn free_fall() -> Check {
    let mut world = plain_world();
    let body = add(&mut world, Vec2::ZERO, ShapeDef::circle(0.5));
    steps(&mut world, 60);
    let y = f64::from(world.body(body).position().y);
    Check::new("1 free fall, |y + 5| (m)", (y + 5.0).abs(), 2.0e-5).answer(-5.0, y)
}

/// Problem 2: Thrown at 20 m/s under 45 degrees: apex 10 m, range 40 m, horizontal speed constant to the bit.
fn projectile() -> Vec<Check> {
    let mut world = plain_world();
    let speed = (200.0_f64).sqrt() as f32;
    let body = add_moving(&mut world, Vec2::ZERO, vec2(speed, speed), ShapeDef::circle(0.5));
    let (mut apex, mut range) = (0.0_f64, 0.0_f64);
    let mut constant = true;
    let mut before = (0.0_f64, 0.0_f64, f64::from(speed));
    for _ in 0..200 {
        world.step(DT);
        let state = world.body(body);
        constant &= state.velocity().x.to_bits() == speed.to_bits();
        let now = (f64::from(state.position().x), f64::from(state.position().y), f64::from(state.velocity().y));
        if before.2 > 0.0 && now.2 <= 0.0 {
            // Between two samples of a parabola: its vertex, from the height and speed before.
            apex = before.1 + before.2 * before.2 / 20.0;
        }
        if before.1 > 0.0 && now.1 <= 0.0 {
            // Time until the parabola from the sample before reaches the ground.
            let t = (before.2 + (before.2 * before.2 + 20.0 * before.1).sqrt()) / 10.0;
            range = before.0 + f64::from(speed) * t;
            break;
        }
        before = now;
    }
    vec![
        Check::with_goal("2 projectile, apex error (relative)", (apex / 10.0 - 1.0).abs(), 5.0e-3, 1.0e-4)
            .answer(10.0, apex),
        Check::with_goal("2 projectile, range error (relative)", (range / 40.0 - 1.0).abs(), 5.0e-3, 1.0e-4)
            .answer(40.0, range),
        Check::holds("2 projectile, vx bit-identical", constant),
    ]
}
