//! `World::advance` at any frame rate: what acts per step leads to the same bits, forces give the same impulse.

use carom_core::math::min64;
use carom3d::prelude::*;

const STEP: f64 = 1.0 / 60.0;
const RATES: [u32; 4] = [10, 60, 144, 1000];

/// Two seconds at a frame rate, with a force per frame and one per step: where the ball is, and how fast.
fn run(rate: u32, per_frame: DVec3, per_step: DVec3) -> (DVec3, DVec3) {
    let def = WorldDef { gravity: DVec3::ZERO, fixed_step_s: STEP, max_catch_up: 20, ..WorldDef::default() };
    let mut world = World::new(def);
    let ball = world.add_body(BodyDef::sphere(0.3)).unwrap();
    while world.step_count() < 120 {
        world.body_mut(ball).apply_force(per_frame).unwrap();
        // The last frame must not make more steps than there are to be.
        let left = (120 - world.step_count()) as f64 * STEP;
        world
            .advance_each(min64(1.0 / f64::from(rate), left), |world| {
                world.body_mut(ball).apply_force(per_step).unwrap();
            })
            .unwrap();
    }
    (world.body(ball).position(), world.body(ball).velocity())
}

#[test]
fn callbacks_act_in_every_step_at_any_frame_rate() {
    let plain = run(60, DVec3::ZERO, dvec3(0.3, -0.2, 0.1));
    for rate in RATES {
        assert_eq!(run(rate, DVec3::ZERO, dvec3(0.3, -0.2, 0.1)), plain, "{rate} frames a second");
    }
}

#[test]
fn forces_last_for_the_frame() {
    let force = dvec3(0.3, -0.2, 0.1);
    let (position, velocity) = run(60, force, DVec3::ZERO);
    assert!(velocity.length() > 0.0);
    for rate in RATES {
        let other = run(rate, force, DVec3::ZERO);
        assert!((other.1 - velocity).length() < 1.0e-9 * velocity.length(), "{rate}: {} {velocity}", other.1);
        assert!((other.0 - position).length() < 1.0e-3 * position.length(), "{rate}: {} {position}", other.0);
    }
}

/// A force in a single frame gives `F` times the length of that frame, wherever the frame lies between steps.
#[test]
fn a_force_in_one_frame_acts_once() {
    for rate in [10, 37, 60, 144, 1000] {
        for place in 0..10 {
            let mut world = World::new(WorldDef { gravity: DVec3::ZERO, fixed_step_s: STEP, ..WorldDef::default() });
            let ball = world.add_body(BodyDef { can_sleep: false, ..BodyDef::sphere(0.3) }).unwrap();
            let time = 1.0 / f64::from(rate);
            for frame in 0..100 {
                if frame == place {
                    world.body_mut(ball).apply_force(dvec3(3.0, 0.0, 0.0)).unwrap();
                }
                world.advance(time).unwrap();
            }
            let impulse = world.body(ball).velocity().x * world.body(ball).mass();
            assert!((impulse / (3.0 * time) - 1.0).abs() < 1.0e-6, "{rate} frames a second: {impulse}");
        }
    }
}

/// Handles of another world name nothing, those of a clone the same.
#[test]
fn handles_of_other_worlds_are_refused() {
    let build = || {
        let mut world = World::new(WorldDef::default());
        let ball = world.add_body(BodyDef::sphere(0.3)).unwrap();
        (world, ball)
    };
    let ((world, ball), (mut other, other_ball)) = (build(), build());
    assert_eq!(ball, other_ball);
    assert!(other.get_body(ball).is_none() && other.get_body_mut(ball).is_none());
    let error = other.remove_body(ball).unwrap_err().to_string();
    assert!(error.contains("belongs to another world"), "{error}");
    assert!(other.get_body(other_ball).is_some() && world.clone().get_body(ball).is_some());
}
