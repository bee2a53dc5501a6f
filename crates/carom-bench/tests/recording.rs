//! What is recorded of a scene is that scene.

use carom_bench::recording::{Operation, Recording};
use carom_bench::{CaromPeer, Peer};
use carom_scenes::{BuildOptions, find};

/// The world that the recording of a scene makes in carom, after some steps.
fn played(name: &str, steps: u32) -> CaromPeer {
    let recording = Recording::of(find(name).unwrap(), steps).unwrap();
    let mut peer = CaromPeer::new(recording.world).unwrap();
    recording.build(&mut peer).unwrap();
    for step in 0..steps as usize {
        recording.step(&mut peer, step).unwrap();
    }
    peer
}

#[test]
fn scenes_played_from_a_recording_give_the_same_bits() {
    for (name, steps) in [("pyramid", 30), ("tumbler", 20), ("spinner", 5), ("smash", 5), ("rain", 20)] {
        let mut run = find(name).unwrap().build(&BuildOptions::default()).unwrap();
        (0..steps).for_each(|_| run.step());
        let peer = played(name, steps);
        assert_eq!(peer.world.state_hash(), run.world.state_hash(), "{name}");
        let work = peer.work();
        assert_eq!(
            (work.bodies, work.shapes, work.joints, work.contacts),
            (run.world.body_count(), run.world.shape_count(), run.world.joint_count(), run.world.contact_count()),
            "{name}"
        );
    }
}

#[test]
fn what_a_scene_drives_goes_the_same_way() {
    let steps = 40;
    let mut run = find("junkyard").unwrap().build(&BuildOptions::default()).unwrap();
    (0..steps).for_each(|_| run.step());
    let peer = played("junkyard", steps);
    let blade = |world: &carom2d::World| {
        let id = world.bodies().find(|&id| world.body(id).kind() == carom2d::BodyKind::Kinematic).unwrap();
        world.body(id).position()
    };
    let (driven, played) = (blade(&run.world), blade(&peer.world));
    assert!(driven.x > 5.0 && driven.distance(played) < 1.0e-3, "{driven} {played}");
}

#[test]
fn bodies_that_come_and_go_are_recorded() {
    let scene = find("rain").unwrap();
    let recording = Recording::of(scene, 329).unwrap();
    let count = |step: usize, is: fn(&Operation) -> bool| recording.acts[step].iter().filter(|op| is(op)).count();
    let added = |op: &Operation| matches!(op, Operation::AddBody(..));
    let joined = |op: &Operation| matches!(op, Operation::AddJoint(..));
    let removed = |op: &Operation| matches!(op, Operation::RemoveBody(_));
    // A column of 25 people every eighth step; from the 40th on, one goes for each that comes.
    assert_eq!((count(0, added), count(0, joined), count(0, removed)), (275, 250, 0));
    assert_eq!((count(1, added), count(7, added), count(8, added)), (0, 0, 275));
    assert_eq!((count(320, added), count(320, joined), count(320, removed)), (275, 250, 275));
    assert_eq!((count(328, added), count(328, removed)), (275, 275));
}
