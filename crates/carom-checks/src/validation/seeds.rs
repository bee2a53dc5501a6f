//! Demands of the seed documents that are measured rather than met to the letter.

use super::*;
use carom_core::Rng;
use carom_scenes::measure;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut spin = 0.0;
    for (e, mu, target) in HITS {
        spin = larger(spin, momenta_changed_by_hit(e, mu, target).1);
    }
    let mut rise = 0.0;
    for friction in [0.0, 0.5] {
        rise = larger(rise, energy_rise_of_many_circles(4, 0.0, friction));
    }
    vec![
        Check::new("ps4 off-centre hits, angular momentum change (of sum m|r||v|)", spin, 1.0e-5),
        Check::new("p2 256 circles with e=0, largest energy rise in a step (of the initial)", rise, 1.0e-6),
    ]
}

fn weightless() -> World {
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    world
}

/// Runs a hit off the centre and returns how much momentum, of its size, and how much angular
/// momentum, of the sum of m |r| |v|, changed. Everything turns afterwards.
pub fn momenta_changed_by_hit(e: f32, mu: f32, target_velocity: Vec2) -> (f64, f64) {
    let mut world = weightless();
    let shape = |w, h| ShapeDef { restitution: e, friction: mu, ..ShapeDef::rectangle(w, h) };
    let a = add_moving(&mut world, vec2(-2.0, 0.35), vec2(5.0, 0.0), shape(1.0, 1.0));
    let b = add_moving(&mut world, vec2(1.0, -0.3), target_velocity, shape(0.6, 1.4));
    let sums = |world: &World| {
        let (mut p, mut l, mut scale) = (glam::DVec2::ZERO, 0.0, 0.0);
        for id in [a, b] {
            let body = world.body(id);
            let (m, r, v) = (f64::from(body.mass()), body.center().as_dvec2(), body.velocity().as_dvec2());
            p += m * v;
            l += m * r.perp_dot(v) + f64::from(body.inertia()) * f64::from(body.angular_velocity());
            scale += m * r.length() * v.length();
        }
        (p, l, scale)
    };
    let (p0, l0, scale) = sums(&world);
    steps(&mut world, 60);
    let (p1, l1, _) = sums(&world);
    assert!(world.body(a).angular_velocity().abs() > 0.1, "the hit did not turn anything");
    ((p1 - p0).length() / p0.length(), (l1 - l0).abs() / scale)
}

/// Restitution and friction of the hits, and how the target moves: straight, then oblique hits.
pub const HITS: [(f32, f32, Vec2); 6] = [
    (1.0, 0.0, Vec2::ZERO),
    (0.5, 0.7, Vec2::ZERO),
    (0.0, 1.0, Vec2::ZERO),
    (1.0, 0.0, Vec2::new(-1.0, 0.2)),
    (0.5, 0.7, Vec2::new(-1.0, 0.2)),
    (0.0, 1.0, Vec2::new(-1.0, 0.2)),
];

/// 256 circles in a box: finite, inside, hardly overlapping, and in no step more energy than before.
/// Returns the largest rise in a step, of the initial energy.
pub fn energy_rise_of_many_circles(seed: u64, restitution: f32, friction: f32) -> f64 {
    let mut world = weightless();
    let wall = |world: &mut World, position: Vec2, w: f32, h: f32| {
        let body = world.add_body(BodyDef { position, ..BodyDef::fixed() }).expect("a valid wall");
        world.add_shape(body, ShapeDef { friction, restitution, ..ShapeDef::rectangle(w, h) }).expect("a valid wall");
    };
    wall(&mut world, vec2(6.4, -0.5), 14.8, 1.0);
    wall(&mut world, vec2(6.4, 7.7), 14.8, 1.0);
    wall(&mut world, vec2(-0.5, 3.6), 1.0, 9.2);
    wall(&mut world, vec2(13.3, 3.6), 1.0, 9.2);
    let mut rng = Rng::new(seed);
    for i in 0..256 {
        let position = vec2(0.4 + 0.8 * (i % 16) as f32, 0.225 + 0.45 * (i / 16) as f32);
        let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        add_moving(&mut world, position, velocity, ShapeDef { friction, restitution, ..ShapeDef::circle(0.1) });
    }
    let first = kinetic_energy(&world);
    let (mut energy, mut rise) = (first, 0.0);
    for _ in 0..600 {
        world.step(0.02);
        let now = kinetic_energy(&world);
        rise = larger(rise, (now - energy) / first);
        energy = now;
    }
    for id in measure::dynamic_bodies(&world) {
        let p = world.body(id).position();
        assert!(p.x > 0.0 && p.x < 12.8 && p.y > 0.0 && p.y < 7.2, "e={restitution}: {p}");
    }
    let overlap = measure::deepest_penetration(&world) / 0.1;
    assert!(overlap < 0.05, "e={restitution}: overlap of {overlap} radii");
    rise
}
