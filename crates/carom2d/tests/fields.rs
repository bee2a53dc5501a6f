//! Force fields and explosions.

use carom2d::prelude::*;
use carom2d::{ExplosionDef, Field, FieldBody, PointGravity, Push, Radial, Uniform, Vortex, Wind};

const STEP: f32 = 1.0 / 60.0;

fn space() -> World {
    World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() })
}

fn put(world: &mut World, def: BodyDef, shape: ShapeDef) -> BodyId {
    let id = world.add_body(def).unwrap();
    world.add_shape(id, shape).unwrap();
    id
}

fn run(world: &mut World, field: &dyn Field, steps: usize) {
    for _ in 0..steps {
        world.apply_field(field, STEP).unwrap();
        world.step(STEP);
    }
    world.validate();
}

/// From 10 m out at 0.7 of the speed of a circle: an ellipse with the eccentricity 0.51.
#[test]
fn an_orbit_keeps_its_energy_and_closes() {
    let mut world = space();
    let planet = PointGravity { center: vec2(1.0, 2.0), strength: 1000.0, softening: 0.0 };
    let speed = 0.7 * 10.0;
    let start = planet.center + vec2(10.0, 0.0);
    let id = put(
        &mut world,
        BodyDef { position: start, velocity: vec2(0.0, speed), ..BodyDef::dynamic() },
        ShapeDef::circle(0.2),
    );
    let energy = |world: &World| {
        let body = world.body(id);
        0.5 * body.velocity().length_squared() - planet.strength / (body.position() - planet.center).length()
    };
    let before = energy(&world);
    // Kepler: the half axis is 1 / (2 / r - v^2 / strength), the period 2 pi sqrt(a^3 / strength).
    let half_axis = 1.0 / (2.0 / 10.0 - speed * speed / planet.strength);
    let period = std::f32::consts::TAU * (half_axis * half_axis * half_axis / planet.strength).sqrt();
    let steps = (period / STEP).round() as usize;
    for turn in 1..=20 {
        run(&mut world, &planet, steps);
        let drift = (energy(&world) / before - 1.0).abs();
        assert!(drift < 1.0e-3, "turn {turn}: energy off by {drift}");
        if turn == 1 {
            // A step more or less of the period is 7 m/s / 60.
            let miss = (world.body(id).position() - start).length();
            assert!(miss < 0.15, "missed its start by {miss}");
        }
    }
}

#[test]
fn uniform_fields_are_gravity() {
    let mut world = space();
    let mut other = World::new(WorldDef::default());
    let def = BodyDef { position: vec2(0.0, 50.0), velocity: vec2(3.0, 0.0), ..BodyDef::dynamic() };
    let shape = ShapeDef { density: 7.0, ..ShapeDef::rectangle(1.0, 2.0) };
    let (a, b) = (put(&mut world, def, shape.clone()), put(&mut other, def, shape));
    run(&mut world, &Uniform { acceleration: vec2(0.0, -10.0) }, 120);
    run(&mut other, &Uniform { acceleration: Vec2::ZERO }, 120);
    assert!((world.body(a).position() - other.body(b).position()).length() < 1.0e-4);
}

#[test]
fn radial_and_vortex_fields_point_out_and_around_and_end() {
    for (field, direction) in [
        (&Radial { center: Vec2::ZERO, radius: 4.0, acceleration: 8.0 } as &dyn Field, vec2(1.0, 0.0)),
        (&Vortex { center: Vec2::ZERO, radius: 4.0, acceleration: 8.0 }, vec2(0.0, 1.0)),
    ] {
        let mut world = space();
        let at = |x: f32| BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() };
        let inside = put(&mut world, at(2.0), ShapeDef::circle(0.3));
        let outside = put(&mut world, at(5.0), ShapeDef::circle(0.3));
        run(&mut world, field, 1);
        // Half of 8 m/s^2 for one step.
        assert!((world.body(inside).velocity() - direction * (4.0 * STEP)).length() < 1.0e-5);
        assert_eq!(world.body(outside).velocity(), Vec2::ZERO);
    }
}

#[test]
fn falling_through_air_ends_at_the_terminal_speed() {
    let mut world = World::new(WorldDef::default());
    let air = Wind { velocity: Vec2::ZERO, density: 0.05, drag: 1.1 };
    let id = put(&mut world, BodyDef::dynamic(), ShapeDef::circle(0.5));
    run(&mut world, &air, 1200);
    // m g = rho / 2 c w v^2
    let expected = (std::f32::consts::FRAC_PI_4 * 10.0 / (0.5 * 0.05 * 1.1)).sqrt();
    let speed = -world.body(id).velocity().y;
    assert!((speed / expected - 1.0).abs() < 1.0e-3, "{speed}, expected {expected}");
}

#[test]
fn wind_carries_and_turns_a_weathercock() {
    let mut world = space();
    let wind = Wind { velocity: vec2(12.0, 0.0), density: 1.0, drag: 1.0 };
    let leaf = put(&mut world, BodyDef::dynamic(), ShapeDef { density: 0.1, ..ShapeDef::rectangle(0.5, 0.5) });
    run(&mut world, &wind, 3000);
    assert!((world.body(leaf).velocity() - wind.velocity).length() < 0.1, "{}", world.body(leaf).velocity());

    // On a pivot, with a vane at one end.
    let mut world = space();
    let post = world.add_body(BodyDef::fixed()).unwrap();
    let cock = world.add_body(BodyDef { angle: 2.0, angular_damping: 1.0, ..BodyDef::dynamic() }).unwrap();
    world.add_shape(cock, ShapeDef::circle(0.1)).unwrap();
    world.add_shape(cock, ShapeDef { position: vec2(1.0, 0.0), ..ShapeDef::rectangle(0.6, 0.05) }).unwrap();
    world.add_joint(JointDef::revolute(post, cock)).unwrap();
    run(&mut world, &wind, 1200);
    assert!(world.body(cock).angle().abs() < 0.05, "{}", world.body(cock).angle());
}

#[test]
fn the_strongest_wind_throws_nothing_back() {
    let mut world = space();
    let id = put(&mut world, BodyDef::dynamic(), ShapeDef { density: 1.0e-3, ..ShapeDef::rectangle(1.0, 0.2) });
    let storm = Wind { velocity: vec2(30.0, 10.0), density: 1.0e6, drag: 10.0 };
    for _ in 0..300 {
        run(&mut world, &storm, 1);
        let left = world.body(id).velocity() - storm.velocity;
        assert!(left.length() <= storm.velocity.length() * 1.001, "{left}");
    }
}

#[test]
fn closures_are_fields_and_nonsense_does_nothing() {
    let mut world = space();
    let id = put(&mut world, BodyDef { user_data: 3, ..BodyDef::dynamic() }, ShapeDef::circle(0.5));
    run(&mut world, &|_: &FieldBody| Push { force: vec2(f32::NAN, 0.0), torque: f32::INFINITY }, 3);
    assert_eq!(world.body(id).velocity(), Vec2::ZERO);
    run(&mut world, &|body: &FieldBody| Push::force_at(vec2(0.0, body.user_data() as f32), vec2(0.1, 0.0)), 3);
    assert!(world.body(id).velocity().y > 0.0 && world.body(id).angular_velocity() > 0.0);
    assert!(world.apply_field(&Uniform { acceleration: Vec2::ONE }, 0.0).is_err());
    assert!(world.apply_field(&Uniform { acceleration: Vec2::ONE }, f32::NAN).is_err());
}

#[test]
fn an_explosion_is_symmetric() {
    let mut world = space();
    let center = vec2(0.5, -0.25);
    let mut ids = Vec::new();
    for i in 0..4 {
        let angle = std::f32::consts::FRAC_PI_2 * i as f32;
        let out = Rot::from_angle(angle).rotate(vec2(2.0, 0.3));
        let def = BodyDef { position: center + out, angle, ..BodyDef::dynamic() };
        ids.push(put(&mut world, def, ShapeDef::rectangle(1.0, 0.6)));
    }
    let def = ExplosionDef { center, radius: 1.5, falloff: 3.0, impulse_per_length: 4.0, ..ExplosionDef::default() };
    assert_eq!(world.explode(&def).unwrap(), 4);
    let momentum: Vec2 = ids.iter().map(|&id| world.body(id).velocity() * world.body(id).mass()).sum();
    assert!(momentum.length() < 1.0e-5, "{momentum}");
    let (first, spin) = (world.body(ids[0]).velocity().length(), world.body(ids[0]).angular_velocity());
    assert!(first > 1.0 && spin.abs() > 0.01);
    for &id in &ids {
        let body = world.body(id);
        assert!((body.velocity().length() - first).abs() < 1.0e-4);
        assert!((body.angular_velocity() - spin).abs() < 1.0e-4);
        assert!(body.velocity().dot(body.center() - center) > 0.0);
    }
}

/// Far away, a face of length 2 across the blast gets 2 m of it, whatever is behind the face.
#[test]
fn an_explosion_pushes_by_the_width_that_it_sees() {
    for shape in [ShapeDef::rectangle(0.5, 2.0), ShapeDef::rectangle(3.0, 2.0), ShapeDef::circle(1.0)] {
        let mut world = space();
        let id = put(&mut world, BodyDef { position: vec2(5000.0, 0.0), awake: false, ..BodyDef::dynamic() }, shape);
        let def = ExplosionDef { radius: 6000.0, impulse_per_length: 3.0, ..ExplosionDef::default() };
        assert_eq!(world.explode(&def).unwrap(), 1);
        let body = world.body(id);
        assert!(body.is_awake());
        let impulse = body.velocity() * body.mass();
        // The edge of a disc looks away a little from anything nearer than infinity: by 1 in 5000.
        assert!((impulse - vec2(6.0, 0.0)).length() < 2.0e-3, "{impulse}");
    }
}

#[test]
fn explosions_fade_leave_walls_alone_and_refuse_nonsense() {
    let mut world = space();
    let wall = put(&mut world, BodyDef { position: vec2(0.0, 2.0), ..BodyDef::fixed() }, ShapeDef::circle(0.5));
    let far = put(&mut world, BodyDef { position: vec2(9.0, 0.0), ..BodyDef::dynamic() }, ShapeDef::circle(0.5));
    let around = put(&mut world, BodyDef { position: vec2(0.1, 0.0), ..BodyDef::dynamic() }, ShapeDef::circle(1.0));
    let def = ExplosionDef { radius: 2.0, falloff: 3.0, ..ExplosionDef::default() };
    assert_eq!(world.explode(&def).unwrap(), 1);
    assert_eq!(world.body(wall).velocity(), Vec2::ZERO);
    assert_eq!(world.body(far).velocity(), Vec2::ZERO);
    assert!(world.body(around).velocity().x > 0.0);
    for bad in [
        ExplosionDef { center: vec2(f32::NAN, 0.0), ..def },
        ExplosionDef { radius: -1.0, ..def },
        ExplosionDef { radius: f32::INFINITY, ..def },
        ExplosionDef { radius: f32::MAX, falloff: f32::MAX, ..def },
        ExplosionDef { falloff: f32::NAN, ..def },
        ExplosionDef { impulse_per_length: f32::NAN, ..def },
    ] {
        assert!(world.explode(&bad).is_err(), "{bad:?}");
    }
    world.explode(&ExplosionDef { impulse_per_length: f32::MAX, ..def }).unwrap();
    world.step(STEP);
    world.validate();
}
