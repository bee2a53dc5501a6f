//! `World::advance` at any frame rate: what acts per step leads to the same bits, forces give the same impulse.

use carom_core::Rng;
use carom_core::math::min;
use carom2d::prelude::*;
use carom2d::{FieldBody, Push, SoftBodyDef, Vortex, Wind};

const STEP: f32 = 1.0 / 60.0;
const RATES: [u32; 4] = [10, 60, 144, 1000];

fn def() -> WorldDef {
    WorldDef { fixed_step_s: STEP, max_catch_up: 20, ..WorldDef::default() }
}

/// Lets a world run for so many steps at a frame rate: `frame` is called before each frame, `each` before each step.
fn run(world: &mut World, steps: u64, rate: u32, mut frame: impl FnMut(&mut World), mut each: impl FnMut(&mut World)) {
    let end = world.step_count() + steps;
    while world.step_count() < end {
        frame(world);
        // The last frame must not make more steps than there are to be.
        let left = (end - world.step_count()) as f32 * STEP;
        let time = min(1.0 / rate as f32, left);
        world.advance_each(time, &mut each).unwrap();
    }
}

/// Fields, soft bodies and forces that a callback adds before each step.
#[test]
fn callbacks_act_in_every_step_at_any_frame_rate() {
    let play = |rate: Option<u32>| {
        let mut world = World::new(def());
        let ground = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(ground, ShapeDef::rectangle(60.0, 1.0)).unwrap();
        let mut jelly = world.add_soft_body(&SoftBodyDef::disc(vec2(0.0, 3.0), 1.0, 24)).unwrap();
        let mut rng = Rng::new(1);
        for _ in 0..10 {
            let position = vec2(rng.range(-8.0, 8.0), rng.range(3.0, 9.0));
            let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::rectangle(0.5, 0.4)).unwrap();
        }
        let vortex = Vortex { center: vec2(0.0, 5.0), radius: 10.0, acceleration: 12.0 };
        let wind = Wind { velocity: vec2(6.0, 0.0), density: 0.2, drag: 1.0 };
        let spring = |body: &FieldBody| Push::force(-0.3 * body.center());
        let mut act = |world: &mut World| {
            world.apply_field(&vortex, STEP).unwrap();
            world.apply_field(&spring, STEP).unwrap();
            world.apply_field(&wind, STEP).unwrap();
            jelly.hold(world, STEP).unwrap();
        };
        match rate {
            Some(rate) => run(&mut world, 120, rate, |_| {}, act),
            None => {
                for _ in 0..120 {
                    act(&mut world);
                    world.step(STEP);
                }
            }
        }
        assert!((jelly.area(&world).unwrap() / jelly.rest_area() - 1.0).abs() < 0.1);
        world.state_hash()
    };
    let plain = play(None);
    for rate in RATES {
        assert_eq!(play(Some(rate)), plain, "{rate} frames a second");
    }
}

/// A force that is added in every frame gives a body the same speed at any frame rate: `F t / m`.
#[test]
fn forces_last_for_the_frame() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (force, torque) = (vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0)), rng.range(-2.0, 2.0));
        let damping = if seed % 2 == 0 { 0.0 } else { rng.range(0.0, 2.0) };
        let play = |rate: u32| {
            let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..def() });
            let body = BodyDef { linear_damping: damping, angular_damping: damping, ..BodyDef::dynamic() };
            let body = world.add_body(body).unwrap();
            world.add_shape(body, ShapeDef::rectangle(1.3, 0.7)).unwrap();
            let push = |world: &mut World| {
                world.body_mut(body).apply_force(force).unwrap();
                world.body_mut(body).apply_torque(torque).unwrap();
            };
            run(&mut world, 120, rate, push, |_| {});
            let body = world.body(body);
            (body.velocity(), body.angular_velocity(), body.position(), body.mass(), body.inertia())
        };
        let (velocity, spin, position, mass, inertia) = play(60);
        if damping == 0.0 {
            assert!((velocity - force * (2.0 / mass)).length() < 1.0e-4 * velocity.length());
            assert!((spin - torque * 2.0 / inertia).abs() < 1.0e-4 * spin.abs());
        }
        for rate in RATES {
            let other = play(rate);
            assert!((other.0 - velocity).length() <= 1.0e-3 * velocity.length(), "{rate}: {} {velocity}", other.0);
            assert!((other.1 - spin).abs() <= 1.0e-3 * spin.abs(), "{rate}: {} {spin}", other.1);
            assert!((other.2 - position).length() <= 2.0e-3 * position.length(), "{rate}: {} {position}", other.2);
        }
    }
}

/// A force in a single frame gives `F` times the length of that frame, wherever the frame lies between steps, and nothing
/// afterwards.
#[test]
fn a_force_in_one_frame_acts_once() {
    for rate in [10, 37, 60, 144, 1000] {
        for place in 0..20 {
            let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..def() });
            let body = world.add_body(BodyDef { can_sleep: false, ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
            let time = 1.0 / rate as f32;
            for frame in 0..200 {
                if frame == place {
                    world.body_mut(body).apply_force(vec2(3.0, 0.0)).unwrap();
                }
                world.advance(time).unwrap();
            }
            let speed = world.body(body).velocity().x;
            assert!((speed / (3.0 * time) - 1.0).abs() < 1.0e-3, "{rate} frames a second: {speed}");
        }
    }
}

/// What is owed to a body that is removed, put to sleep or disabled meanwhile is forgotten.
#[test]
fn forces_on_what_is_gone_are_forgotten() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..def() });
    let bodies: Vec<BodyId> = (0..4)
        .map(|i| {
            let body = world.add_body(BodyDef { position: vec2(3.0 * i as f32, 0.0), ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::circle(0.5)).unwrap();
            world.body_mut(body).apply_force(vec2(1.0, 0.0)).unwrap();
            body
        })
        .collect();
    world.advance(0.6 * STEP).unwrap();
    world.remove_body(bodies[0]).unwrap();
    let other = world.add_body(BodyDef { position: vec2(0.0, 9.0), ..BodyDef::dynamic() }).unwrap();
    world.body_mut(bodies[1]).set_enabled(false);
    world.body_mut(bodies[2]).sleep();
    world.advance(STEP).unwrap();
    assert_eq!(world.body(other).velocity(), Vec2::ZERO);
    world.body_mut(bodies[1]).set_enabled(true);
    for body in [bodies[1], bodies[2]] {
        assert_eq!(world.body(body).velocity(), Vec2::ZERO);
    }
    assert!(world.body(bodies[3]).velocity().x > 0.0);
}
