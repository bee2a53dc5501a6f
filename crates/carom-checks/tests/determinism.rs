//! The same bits: again, in threads, from a clone, beside strangers, with either broad phase, at any
//! frame rate, with any vector instructions, and as recorded in `golden.txt`.

use carom_checks::validation::{DT, add, add_floor, add_moving, steps};
use carom_core::Rng;
use carom_scenes::{BuildOptions, Entry, entries, find};
use carom2d::Width;
use carom2d::prelude::*;

#[path = "determinism/every_scene.rs"]
mod every_scene;

/// A pile of boxes, discs and capsules that fall on each other; sleeping is on.
fn pile(world: &mut World, count: usize, density: f32, restitution: f32) -> Vec<BodyId> {
    let mut rng = Rng::new(50);
    add_floor(world, 0.6, 0.0);
    for x in [-5.0, 5.0] {
        let wall = world.add_body(BodyDef { position: vec2(x, 5.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(wall, ShapeDef::rectangle(1.0, 12.0)).unwrap();
    }
    (0..count)
        .map(|i| {
            let position = vec2(-3.5 + (i % 8) as f32 + rng.range(-0.1, 0.1), 1.0 + 1.1 * (i / 8) as f32);
            let shape = match i % 5 {
                0 => ShapeDef::circle(0.45),
                1 => ShapeDef::capsule(vec2(-0.3, 0.0), vec2(0.3, 0.0), 0.2),
                _ => ShapeDef::rectangle(rng.range(0.5, 0.9), rng.range(0.5, 0.9)),
            };
            let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-2.0, 0.0));
            add_moving(world, position, velocity, ShapeDef { density, restitution, ..shape })
        })
        .collect()
}

/// Discs that roll between boxes without loss swing for ever, and the pile does not sleep. These do not.
fn resist_rolling(world: &mut World, bodies: &[BodyId]) {
    for &body in bodies {
        let shapes: Vec<ShapeId> = world.body(body).shapes().collect();
        for shape in shapes {
            let material = Material { rolling_resistance: 0.05, ..world.shape(shape).material() };
            world.shape_mut(shape).set_material(material).unwrap();
        }
    }
}

fn pile_world(broad_phase: BroadPhaseKind) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldDef { broad_phase, ..WorldDef::default() });
    let bodies = pile(&mut world, 100, 1.0, 0.2);
    (world, bodies)
}

/// The hash after every step.
fn course(mut world: World, count: usize) -> Vec<u64> {
    (0..count)
        .map(|_| {
            world.step(DT);
            world.state_hash()
        })
        .collect()
}

/// The same run twice in one process.
#[test]
fn same_run_twice_is_the_same() {
    let run = || course(pile_world(BroadPhaseKind::Tree).0, 300);
    assert_eq!(run(), run());
}

/// Worlds stepped on several threads at once do not disturb each other.
#[test]
fn worlds_on_several_threads_agree() {
    let alone = course(pile_world(BroadPhaseKind::Tree).0, 200);
    let threads: Vec<_> =
        (0..4).map(|_| std::thread::spawn(|| course(pile_world(BroadPhaseKind::Tree).0, 200))).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}

/// A clone taken in the thick of it goes on beside the original, also a clone of the clone, and also
/// when they are stepped by turns.
#[test]
fn clone_goes_on_like_the_original() {
    let (mut world, _) = pile_world(BroadPhaseKind::Tree);
    steps(&mut world, 60);
    let touching = world.contacts().filter(|contact| contact.is_touching()).count();
    assert!(touching > 80, "only {touching} contacts touch");
    let mut copy = world.clone();
    let mut second = copy.clone();
    for step in 0..300 {
        world.step(DT);
        copy.step(DT);
        assert_eq!(world.state_hash(), copy.state_hash(), "step {step}");
        assert_eq!(world.events(), copy.events(), "step {step}");
    }
    steps(&mut second, 300);
    assert_eq!(world.state_hash(), second.state_hash());
    copy.validate();
}

/// Strangers far away, added before, after or during the run, change no bit of a pile that falls
/// asleep meanwhile.
#[test]
fn far_island_changes_nothing() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Strangers {
        None,
        Before,
        After,
        During,
    }
    let strangers = |world: &mut World| {
        let floor = world.add_body(BodyDef { position: vec2(1000.0, -1.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(floor, ShapeDef::rectangle(50.0, 2.0)).unwrap();
        for i in 0..40 {
            let shape = ShapeDef { restitution: 0.4, ..ShapeDef::rectangle(0.7, 0.6) };
            add(world, vec2(1000.0 + 0.4 * (i % 6) as f32, 1.0 + i as f32), shape);
        }
    };
    let run = |when: Strangers| {
        let mut world = World::new(WorldDef::default());
        if when == Strangers::Before {
            strangers(&mut world);
        }
        let bodies = pile(&mut world, 50, 1.0, 0.0);
        resist_rolling(&mut world, &bodies);
        if when == Strangers::After {
            strangers(&mut world);
        }
        let mut hashes = Vec::new();
        for step in 0..600 {
            if when == Strangers::During && step == 77 {
                strangers(&mut world);
            }
            world.step(DT);
            hashes.push(world.state_hash_of(&bodies).unwrap());
        }
        let asleep = bodies.iter().filter(|&&id| world.body(id).is_sleeping()).count();
        assert!(asleep > 25, "{when:?}: only {asleep} of 50 fell asleep");
        hashes
    };
    let alone = run(Strangers::None);
    for when in [Strangers::Before, Strangers::After, Strangers::During] {
        let found = run(when);
        let first = alone.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(first, None, "{when:?}: differs from this step on");
    }
}

/// Tree and quadtree give the same course and the same events.
#[test]
fn broad_phases_agree_to_the_bit() {
    let small = QuadtreeDef { half_extents: vec2(4.0, 4.0), capacity: 1, max_depth: 6, ..QuadtreeDef::default() };
    let (mut tree, _) = pile_world(BroadPhaseKind::Tree);
    let mut others = [QuadtreeDef::default(), small].map(|def| pile_world(BroadPhaseKind::Quadtree(def)).0);
    for step in 0..300 {
        tree.step(DT);
        for other in &mut others {
            other.step(DT);
            assert_eq!(tree.state_hash(), other.state_hash(), "step {step}");
            assert_eq!(tree.events(), other.events(), "step {step}");
        }
        if step == 150 {
            // Changing horses in midstream changes nothing either.
            let def = *tree.def();
            tree.set_def(WorldDef { broad_phase: BroadPhaseKind::Quadtree(small), ..def }).unwrap();
        }
    }
}

/// All masses times 1024, a power of two: every position and velocity keeps its bits.
#[test]
fn masses_times_1024_change_no_bit() {
    let run = |density: f32| {
        let mut world = World::new(WorldDef::default());
        pile(&mut world, 50, density, 0.2);
        course(world, 300)
    };
    assert_eq!(run(1.0), run(1024.0));
}

// ---- frames -------------------------------------------------------------------------------------

/// Whatever the frames, the world after so many fixed steps is the same to the bit.
#[test]
fn frame_rate_does_not_change_the_course() {
    let expected = course(pile_world(BroadPhaseKind::Tree).0, 240);
    type Frame = fn(&mut Rng) -> f32;
    let frames: [(&str, Frame); 5] = [
        ("30 Hz", |_| 1.0 / 30.0),
        ("60 Hz", |_| 1.0 / 60.0),
        ("144 Hz", |_| 1.0 / 144.0),
        ("irregular", |rng| rng.range(0.001, 0.05)),
        ("with pauses", |rng| if rng.below(4) == 0 { 0.0 } else { 0.02 }),
    ];
    for (name, frame) in frames {
        let (mut world, _) = pile_world(BroadPhaseKind::Tree);
        let mut rng = Rng::new(60);
        let mut asked = 0.0;
        while world.step_count() < 200 {
            let time = frame(&mut rng);
            asked += f64::from(time);
            let before = world.step_count();
            let done = world.advance(time).unwrap();
            assert_eq!(world.step_count() - before, u64::from(done.steps), "{name}");
            assert_eq!(done.dropped_s, 0.0, "{name}");
            assert!((0.0..1.0).contains(&done.alpha), "{name}: alpha {}", done.alpha);
            let made = (world.step_count() as f64 + f64::from(done.alpha)) / 60.0;
            assert!((made - asked).abs() < 1.0e-3, "{name}: {asked} s asked, {made} s made");
            if let Some(last) = (world.step_count() as usize).checked_sub(1) {
                assert_eq!(world.state_hash(), expected[last], "{name}, after {} steps", last + 1);
            }
        }
    }
}

/// After a long pause the world makes the steps it may and reports the time it drops.
#[test]
fn catching_up_is_capped_and_reported() {
    let (mut world, _) = pile_world(BroadPhaseKind::Tree);
    let done = world.advance(1.0).unwrap();
    assert_eq!((done.steps, world.step_count()), (8, 8));
    assert!((done.dropped_s - (1.0 - 8.0 / 60.0)).abs() < 1.0 / 60.0, "{done:?}");
    assert!((0.0..1.0).contains(&done.alpha), "{done:?}");
    // What was dropped does not come back.
    assert!(world.advance(1.0 / 60.0).unwrap().steps <= 2);
    let def = WorldDef { max_catch_up: 3, ..*world.def() };
    world.set_def(def).unwrap();
    assert_eq!(world.advance(0.5).unwrap().steps, 3);
    assert!(world.advance(-1.0).is_err() && world.advance(f32::NAN).is_err());
}

/// Between two steps bodies are drawn on the line between the two poses, in proportion.
#[test]
fn interpolated_poses_lie_between_the_steps() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let body = BodyDef { velocity: vec2(6.0, -3.0), angular_velocity: 2.0, ..BodyDef::dynamic() };
    let body = world.add_body(body).unwrap();
    world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    let mut previous = world.body(body).pose();
    assert_eq!(world.advance(1.0 / 60.0).unwrap().steps, 1);
    let mut seen = 0;
    for _ in 0..100 {
        let before = world.body(body).pose();
        let done = world.advance(0.007).unwrap();
        if done.steps > 0 {
            previous = before;
        }
        let (current, drawn) = (world.body(body).pose(), world.body(body).interpolated_pose());
        let expected = previous.p + (current.p - previous.p) * done.alpha;
        assert!((drawn.p - expected).length() < 1.0e-5, "{drawn:?}, expected {expected}");
        let turn = |from: Pose, to: Pose| from.q.inv_mul(to.q).angle();
        let part = done.alpha * turn(previous, current);
        assert!((turn(previous, drawn) - part).abs() < 1.0e-5, "{drawn:?}");
        seen += u32::from(done.alpha > 0.1 && done.alpha < 0.9);
    }
    assert!(seen > 50);
}

// ---- golden hashes ------------------------------------------------------------------------------

/// Scenes and after how many steps their hash is recorded.
const GOLDEN: [(&str, u32); 13] = [
    ("falling_bricks", 300),
    ("pyramid", 300),
    ("junkyard", 100),
    ("compounds", 100),
    ("elastic_gas", 200),
    ("washer", 60),
    ("explosion", 300),
    ("bouncing_balls", 300),
    ("rubber_stack", 300),
    ("ragdolls", 300),
    ("car", 300),
    ("pulley_and_gears", 200),
    ("pinball", 300),
];

/// Four columns of twenty boxes, each pinned to the next beside it by a spring with limits, that fall and
/// fold: joints, contacts, impacts and sleep together.
fn falling_hinges() -> World {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let pin = JointKind::Revolute(Revolute {
        limits: Some(Limits::new(-0.1 * std::f32::consts::PI, 0.2 * std::f32::consts::PI)),
        spring: Some(Spring::new(0.5, 0.5)),
        ..Revolute::default()
    });
    for column in 0..4u8 {
        let mut before: Option<BodyId> = None;
        for row in 0..20u8 {
            // Every other row leans the other way, so that columns fall apart.
            let lean = if row % 2 == 0 { 0.1 } else { -0.1 };
            let position = vec2(4.0 * f32::from(column) - 6.0 + lean, 1.0 + 0.7 * f32::from(row));
            let body = BodyDef { position, angle: 0.1 * f32::from(row), ..BodyDef::dynamic() };
            let body = world.add_body(body).unwrap();
            world.add_shape(body, ShapeDef { rounding: 0.05, ..ShapeDef::rectangle(0.5, 0.5) }).unwrap();
            if let Some(other) = before {
                let at = 0.5 * (world.body(other).position() + position);
                let def = JointDef::new(other, body, pin).at(&world, at).unwrap();
                world.add_joint(def).unwrap();
            }
            // In chains of four.
            before = (row % 4 != 3).then_some(body);
        }
    }
    world
}

/// A little of everything that a contact can have: locked axes, belts, rolling resistance, kinematic bodies, roundings,
/// rebounds, masses of all sizes, and discs that begin in each other.
fn motley() -> World {
    let mut world = World::new(WorldDef::default());
    let mut rng = Rng::new(7);
    add_floor(&mut world, 0.6, 0.0);
    let turning = BodyDef { position: vec2(0.0, 1.5), angular_velocity: 1.5, ..BodyDef::kinematic() };
    let paddle = world.add_body(turning).unwrap();
    world.add_shape(paddle, ShapeDef { surface_speed: 2.0, ..ShapeDef::rectangle(6.0, 0.5) }).unwrap();
    for i in 0..150u8 {
        let position = if i % 10 == 9 { vec2(3.0, 8.0) } else { vec2(rng.range(-6.0, 6.0), 1.0 + 0.12 * f32::from(i)) };
        let locked = LockedAxes { x: i % 17 == 3, y: i % 19 == 4, rotation: i % 7 == 2 };
        let body = BodyDef { position, angle: rng.range(-3.0, 3.0), locked, ..BodyDef::dynamic() };
        let body = world.add_body(body).unwrap();
        let shape = match i % 4 {
            0 | 1 => ShapeDef::rectangle(rng.range(0.2, 0.8), rng.range(0.2, 0.8)),
            2 => ShapeDef { rolling_resistance: 0.05, ..ShapeDef::circle(0.3) },
            _ => ShapeDef { rounding: 0.1, ..ShapeDef::rectangle(0.4, 0.3) },
        };
        let shape = ShapeDef {
            density: if i % 5 == 0 { 20.0 } else { 1.0 },
            restitution: if i % 6 == 0 { 0.8 } else { 0.0 },
            surface_speed: if i % 13 == 0 { 1.0 } else { 0.0 },
            ..shape
        };
        world.add_shape(body, shape).unwrap();
    }
    world
}

/// Hashes of the course of many scenes, after their worlds have been set up by `configure`.
fn courses(configure: impl Fn(&mut World)) -> Vec<(&'static str, u32, u64)> {
    let mut hashes = Vec::new();
    for (name, steps) in GOLDEN {
        let mut run = find(name).unwrap().build(&BuildOptions::default()).unwrap();
        configure(&mut run.world);
        for step in 0..steps.min(120) {
            run.step();
            if step % 20 == 19 {
                hashes.push((name, step, run.world.state_hash()));
            }
        }
    }
    for (name, mut world) in [("falling_hinges", falling_hinges()), ("motley", motley())] {
        configure(&mut world);
        for step in 0..200 {
            world.step(DT);
            hashes.push((name, step, world.state_hash()));
        }
        world.validate();
    }
    hashes
}

/// Whatever vector instructions the machine has, with all of them worlds go the same way.
#[test]
fn every_width_gives_the_same_bits() {
    let widths: Vec<Width> = Width::all().collect();
    let first = courses(|world| world.set_width(widths[0]));
    for &width in &widths[1..] {
        for (found, expected) in courses(|world| world.set_width(width)).into_iter().zip(&first) {
            assert_eq!(found, *expected, "{width} beside {}", widths[0]);
        }
    }
}

/// However many threads share the work, worlds go the same way.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let with = |threads: u32| courses(|world| world.set_def(WorldDef { threads, ..*world.def() }).unwrap());
    let alone = with(1);
    for threads in [2, 3, 8, 16] {
        for (found, expected) in with(threads).into_iter().zip(&alone) {
            assert_eq!(found, *expected, "{threads} threads");
        }
    }
}

/// The recorded hashes: on every machine, in debug and release, the scenes come out the same.
#[test]
fn golden_hashes_are_unchanged() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
    let mut found = String::from("# State hashes of scenes: name, steps, hash. Checked by tests/determinism.rs.\n");
    for (name, steps) in GOLDEN {
        let mut run = find(name).unwrap().build(&BuildOptions::default()).unwrap();
        for step in 0..steps {
            // Nothing happens there until somebody sets it off.
            if (name, step) == ("explosion", 25) {
                run.explode(run.about().camera.center).unwrap();
            }
            run.step();
        }
        found += &format!("{name} {steps} {:016x}\n", run.world.state_hash());
    }
    let mut hinges = falling_hinges();
    steps(&mut hinges, 500);
    assert_eq!((hinges.body_count(), hinges.joint_count()), (81, 60));
    found += &format!("falling_hinges 500 {:016x}\n", hinges.state_hash());
    for entry in entries().filter(|entry| !matches!(entry, Entry::Rigid(_))) {
        let golden = entry.golden().unwrap();
        found += &format!("{} {} {:016x}\n", golden.name, golden.steps, golden.hash);
    }
    if std::env::var_os("CAROM_BLESS").is_some() {
        std::fs::write(path, &found).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    let changed: Vec<&str> = found.lines().filter(|line| !recorded.lines().any(|known| known == *line)).collect();
    assert!(
        changed.is_empty() && recorded.lines().count() == found.lines().count(),
        "these results are new:\n{}\nif the change of results is intended, bless it with \
         `CAROM_BLESS=1 cargo test -p carom-checks --test determinism golden` and commit tests/golden.txt",
        changed.join("\n")
    );
}
