//! Definitions, events and worlds as text and back.
#![cfg(feature = "serde")]

mod random;

use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::shape::{ChainEnds, Polygon};
use carom2d::{Events, Motion, Sequential};
use random::{act, random_body, random_joint, random_shape, random_world};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

#[track_caller]
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    assert_eq!(&back(value), value);
}

#[test]
fn definitions_come_back_to_the_bit() {
    let mut rng = Rng::new(31);
    for _ in 0..20 {
        let mut world = random_world(&mut rng);
        for _ in 0..30 {
            world.step(1.0 / 60.0);
            comes_back::<Events>(world.events());
        }
        comes_back::<WorldDef>(world.def());
        for id in world.bodies() {
            comes_back::<BodyDef>(&world.body(id).def());
            comes_back::<Motion>(&world.body(id).motion());
            comes_back(&id);
        }
        for id in world.shapes() {
            comes_back::<ShapeDef>(&world.shape(id).def());
        }
        for id in world.joints() {
            comes_back::<JointDef>(world.joint(id).def());
        }
        comes_back(&random_body(&mut rng));
        comes_back(&random_shape(&mut rng));
        let bodies: Vec<BodyId> = world.bodies().take(2).collect();
        comes_back(&random_joint(&world, &mut rng, bodies[0], bodies[1]));
    }
    comes_back(&WorldDef { solver: Solver::Sequential(Sequential::default()), ..WorldDef::default() });
    comes_back(&BodyDef { mass: Some(f32::INFINITY), ..BodyDef::dynamic() });
    comes_back(&Geometry::chain(&[Vec2::ZERO, Vec2::X, Vec2::ONE], ChainEnds::Ghosts(-Vec2::X, Vec2::Y)).unwrap());
    comes_back(&Geometry::Polygon(Polygon::rectangle_at(0.3, 0.7, vec2(1.0, 2.0), 0.6).unwrap()));
}

/// A world that was read goes on like the one that was written, under the same handles.
#[test]
fn worlds_go_on_bit_for_bit() {
    let mut rng = Rng::new(32);
    for instance in 0..8 {
        let mut world = random_world(&mut rng);
        for _ in 0..40 {
            world.step(1.0 / 60.0);
        }
        let mut twin: World = back(&world);
        twin.validate();
        let handles: Vec<BodyId> = world.bodies().map(|id| back(&id)).collect();
        assert!(handles.iter().all(|&id| twin.contains_body(id)), "handles without an origin belong to any world");
        for step in 0..60 {
            act(&mut world, instance, step);
            act(&mut twin, instance, step);
            world.step(1.0 / 60.0);
            twin.step(1.0 / 60.0);
            assert_eq!(world.state_hash(), twin.state_hash(), "instance {instance}, step {step}");
        }
    }
}

#[test]
fn what_is_wrong_is_refused_with_a_reason() {
    let refused = |error: serde_json::Error, words: &str| {
        assert!(error.to_string().contains(words), "{error} does not say {words:?}");
    };
    refused(serde_json::from_str::<Geometry>(r#"{"Circle": {"center": [0, 0], "radius": -1}}"#).unwrap_err(), "radius");
    let bent = r#"{"Polygon": {"vertices": [[0,0],[1,0],[0,1]], "normals": [[0,-1],[1,0],[-1,0]],
        "centroid": [0.3,0.3], "radius": 0}}"#;
    refused(serde_json::from_str::<Geometry>(bent).unwrap_err(), "normal");
    refused(serde_json::from_str::<World>("[1, 2, 3]").unwrap_err(), "snapshot of a 2D world");
    refused(serde_json::from_str::<Motor>(r#"{"speed": 1, "max_force": "much"}"#).unwrap_err(), "inf");
    // What is left out has its default.
    let def: BodyDef = serde_json::from_str(r#"{"position": [1, 2]}"#).unwrap();
    assert_eq!(def, BodyDef { position: vec2(1.0, 2.0), ..BodyDef::dynamic() });
}
