//! What must hold of mechanisms with limits and motors, however hard they are hit.

use carom_core::Rng;
use carom_scenes::{BuildOptions, find, measure};
use carom2d::prelude::*;

const DT: f32 = 1.0 / 60.0;

/// People who are thrown down the stairs stay in one piece: no pin is seen open, no limb bent too far.
#[test]
fn people_stay_in_one_piece() {
    const BONES: usize = 11;
    for seed in 1..6 {
        let mut rng = Rng::new(seed);
        let mut run = find("ragdolls").expect("a scene").build(&BuildOptions::default()).expect("a run");
        let bones: Vec<BodyId> = measure::dynamic_bodies(&run.world).collect();
        for person in bones.chunks(BONES) {
            let (push, spin) = (vec2(rng.range(-1.0, 5.0), rng.range(-2.0, 4.0)), rng.range(-5.0, 5.0));
            let middle = run.world.body(person[0]).center();
            for &bone in person {
                let velocity = push + spin * (run.world.body(bone).center() - middle).perp();
                run.world.body_mut(bone).set_velocity(velocity).expect("a velocity");
                run.world.body_mut(bone).set_angular_velocity(spin).expect("a spin");
            }
        }
        for step in 0..400 {
            run.step();
            let gap = measure::widest_gap(&run.world);
            assert!(gap < 0.01, "seed {seed}, step {step}: a pin is open by {gap} m");
            let beyond = measure::worst_overturn(&run.world).to_degrees();
            assert!(beyond < 2.0, "seed {seed}, step {step}: a limb is bent too far by {beyond} degrees");
        }
    }
}

/// A strong motor that drives an arm against a limit does not bend it, whatever the number of sub-steps.
#[test]
fn motors_end_at_their_limits() {
    for (substeps, torque) in [(1, 100.0), (1, 1000.0), (2, 1000.0), (4, 1000.0), (8, 1000.0)] {
        let mut world = World::new(WorldDef { substeps, ..WorldDef::default() });
        let ground = world.add_body(BodyDef::fixed()).expect("ground");
        let arm = world.add_body(BodyDef { position: vec2(0.5, 0.0), ..BodyDef::dynamic() }).expect("arm");
        world.add_shape(arm, ShapeDef::rectangle(1.0, 0.2)).expect("shape");
        let pin = Revolute {
            limits: Some(Limits::new(-0.1, 1.0)),
            motor: Some(Motor::new(1.3, torque)),
            ..Revolute::default()
        };
        let def = JointDef::new(ground, arm, JointKind::Revolute(pin)).at(&world, Vec2::ZERO).expect("frames");
        let joint = world.add_joint(def).expect("pin");
        for _ in 0..300 {
            world.step(DT);
            let beyond = (world.joint(joint).angle() - 1.0).to_degrees();
            assert!(beyond < 0.5, "{substeps} sub-steps, {torque} N m: {beyond} degrees beyond");
        }
        assert!(world.joint(joint).angle() > 0.98, "it got there");
    }
}
