//! Handles belong to a world and its clones: others refuse them.

use carom2d::SoftBodyDef;
use carom2d::prelude::*;

/// A world with two joined boxes and a fluid, and the handles of all.
fn build() -> (World, [BodyId; 2], ShapeId, JointId, FluidId) {
    let mut world = World::new(WorldDef::default());
    let bodies = [0.0, 2.0].map(|x| world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).unwrap());
    let [shape, _] = bodies.map(|body| world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap());
    let joint = world.add_joint(JointDef::weld(bodies[0], bodies[1])).unwrap();
    let fluid = world.add_fluid(FluidDef::default()).unwrap();
    (world, bodies, shape, joint, fluid)
}

fn is_stale<T: std::fmt::Debug>(result: Result<T, DefError>) -> bool {
    matches!(result, Err(DefError::Stale { .. }))
}

/// Handles of one world name nothing in another that was made by the same calls, and the error says so.
#[test]
fn handles_of_other_worlds_are_refused() {
    let (mut world, bodies, shape, joint, fluid) = build();
    let (mut other, other_bodies, ..) = build();
    let before = other.state_hash();
    assert!(!other.contains_body(bodies[0]) && other.get_body(bodies[0]).is_none());
    assert!(other.get_body_mut(bodies[0]).is_none() && other.get_shape(shape).is_none());
    assert!(other.get_shape_mut(shape).is_none() && other.get_joint(joint).is_none());
    assert!(is_stale(other.remove_body(bodies[0])) && is_stale(other.remove_shape(shape)));
    assert!(is_stale(other.add_shape(bodies[0], ShapeDef::circle(1.0))));
    assert!(is_stale(other.remove_joint(joint)) && is_stale(other.remove_fluid(fluid)));
    assert!(is_stale(other.add_joint(JointDef::weld(bodies[0], other_bodies[1]))));
    let soft = world.add_soft_body(&SoftBodyDef::default()).unwrap();
    assert!(is_stale(soft.area(&other)));
    assert!(is_stale(other.state_hash_of(&bodies)));
    assert_eq!(other.state_hash(), before);
    other.validate();
    let error = other.remove_body(bodies[0]).unwrap_err().to_string();
    assert!(error.contains("belongs to another world"), "{error}");
    // In their own world they are as good as ever.
    assert!(world.remove_joint(joint).is_ok() && world.remove_fluid(fluid).is_ok());
    assert!(world.remove_shape(shape).is_ok() && world.remove_body(bodies[0]).is_ok());
}

/// Equal calls give equal handles, states and events in both; which world it is takes no part in any result.
#[test]
fn worlds_do_not_depend_on_their_number() {
    let run = || {
        let (mut world, bodies, shape, joint, _) = build();
        let ground = world.add_body(BodyDef { position: vec2(0.0, -3.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0)).unwrap();
        let mut events = Vec::new();
        for _ in 0..120 {
            world.step(1.0 / 60.0);
            events.push(world.events().clone());
        }
        (bodies, shape, joint, events, world.state_hash())
    };
    assert!(run() == run());
}

/// A clone is the same world: handles of both name the same, until things are added to one of them.
#[test]
fn clones_share_their_handles() {
    let (mut world, bodies, shape, joint, _) = build();
    let mut clone = world.clone();
    assert_eq!(clone.body(bodies[1]).position(), world.body(bodies[1]).position());
    assert!(clone.get_shape(shape).is_some() && clone.get_joint(joint).is_some());
    clone.remove_body(bodies[0]).unwrap();
    assert!(world.contains_body(bodies[0]) && !clone.contains_body(bodies[0]));
    let added = world.add_body(BodyDef::dynamic()).unwrap();
    assert!(!clone.contains_body(added));
    assert!(world.clone().contains_body(added));
}

/// Bits carry no world: that is how handles travel to a copy of a world elsewhere.
#[test]
fn bits_name_the_same_in_equal_worlds() {
    let (_, bodies, shape, joint, fluid) = build();
    let (mut other, ..) = build();
    assert!(other.contains_body(BodyId::from_bits(bodies[1].to_bits())));
    assert!(other.get_shape(ShapeId::from_bits(shape.to_bits())).is_some());
    assert!(other.get_joint(JointId::from_bits(joint.to_bits())).is_some());
    assert!(other.remove_fluid(FluidId::from_bits(fluid.to_bits())).is_ok());
}
