//! Every scene, built, run and held to what it promises.

use carom_scenes::{BuildOptions, Group, Scene, SceneWorld, all, find, measure};
use carom2d::prelude::*;
use std::time::Instant;

fn built(scene: &'static Scene) -> SceneWorld {
    scene.build(&BuildOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", scene.name))
}

/// Runs scenes and checks them. The table it prints is for comparison with other engines.
fn keep_their_promises(scenes: impl Iterator<Item = &'static Scene>) {
    let mut failures = Vec::new();
    for scene in scenes {
        let mut run = built(scene);
        let start = Instant::now();
        for _ in 0..scene.steps {
            run.step();
        }
        let per_step_ms = 1e3 * start.elapsed().as_secs_f64() / f64::from(scene.steps);
        let world = &run.world;
        println!(
            "{:16} {:5} bodies {:5} awake {:6} contacts {:6} touching {:.4} m deep {:8.3} ms/step",
            scene.name,
            world.body_count(),
            world.awake_body_count(),
            world.contact_count(),
            measure::touching_contacts(world),
            measure::deepest_penetration(world),
            per_step_ms,
        );
        match (run.check(), scene.known_gap) {
            (Err(unmet), None) => failures.push(format!("{}: {unmet}", scene.name)),
            (Err(unmet), Some(gap)) => println!("{:16} known gap ({gap}): {unmet}", scene.name),
            (Ok(()), Some(gap)) => {
                failures.push(format!("{}: closed its known gap ({gap}); strike it off", scene.name))
            }
            (Ok(()), None) => {}
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn is_large(scene: &Scene) -> bool {
    scene.group == Group::Benchmark
}

#[test]
fn scenes_keep_their_promises() {
    keep_their_promises(all().iter().filter(|scene| !is_large(scene)));
}

#[test]
fn large_scenes_hold_together_for_a_while() {
    for scene in all().iter().filter(|scene| is_large(scene)) {
        let mut run = built(scene);
        for _ in 0..90 {
            run.step();
        }
        run.check_invariant().unwrap_or_else(|unmet| panic!("{}: {unmet}", scene.name));
        run.world.validate();
    }
}

#[test]
#[ignore = "takes minutes; run with: cargo test --release -p carom-scenes -- --ignored --nocapture"]
fn large_scenes_keep_their_promises_to_the_end() {
    keep_their_promises(all().iter().filter(|scene| is_large(scene)));
}

#[test]
fn benchmark_scenes_have_the_right_size() {
    // Name, bodies, dynamic bodies, shapes, joints, steps.
    let table = [
        ("compounds", 3001, 3000, 6282, 0, 500),
        ("joint_grid", 10000, 9993, 10000, 19800, 500),
        ("junkyard", 8002, 8000, 8262, 0, 800),
        ("large_pyramid", 5051, 5050, 5051, 0, 500),
        ("many_pyramids", 22001, 22000, 22020, 0, 200),
        ("smash", 9601, 9601, 9601, 0, 300),
        // Its basin is one shape to the user and 360 to the engine.
        ("spinner", 6078, 6077, 6078, 1, 500),
        ("tumbler", 2027, 2026, 2029, 1, 750),
        ("washer", 8102, 8100, 8140, 0, 500),
    ];
    let sizes = |world: &World| {
        (world.body_count(), measure::dynamic_bodies(world).count(), world.shape_count(), world.joint_count())
    };
    for (name, bodies, dynamic, shapes, joints, steps) in table {
        let scene = find(name).unwrap();
        assert_eq!(sizes(&built(scene).world), (bodies, dynamic, shapes, joints), "{name}");
        assert_eq!(scene.steps, steps, "{name}");
    }
    // In the rain a column of 25 people is added every eight steps, up to forty.
    let mut rain = built(find("rain").unwrap());
    for step in 0..17 {
        rain.step();
        let people = 25 * (1 + step / 8);
        assert_eq!(sizes(&rain.world), (1 + 11 * people, 11 * people, 2505 + 13 * people, 10 * people));
    }
    assert_eq!(built(find("smash").unwrap()).world.awake_body_count(), 1, "all but the projectile start asleep");
    let gas = built(find("elastic_gas").unwrap()).world;
    assert_eq!((gas.body_count(), measure::dynamic_bodies(&gas).count()), (204, 200));
}

/// Steps for tests that run a scene several times.
fn few_steps(scene: &Scene) -> u32 {
    scene.steps.min(if is_large(scene) { 20 } else { 200 })
}

fn hash_after(scene: &'static Scene, options: &BuildOptions, steps: u32) -> u64 {
    let mut run = scene.build(options).unwrap();
    for _ in 0..steps {
        run.step();
    }
    run.world.state_hash()
}

#[test]
fn building_twice_gives_the_same_world() {
    for scene in all() {
        let (first, second) = (built(scene), built(scene));
        assert_eq!(first.world.state_hash(), second.world.state_hash(), "{}", scene.name);
        assert!(first.world.bodies().eq(second.world.bodies()), "{}", scene.name);
        let colors = |built: &SceneWorld| built.world.bodies().map(|id| built.color(id)).collect::<Vec<_>>();
        assert_eq!(colors(&first), colors(&second), "{}", scene.name);
    }
}

#[test]
fn the_broad_phase_changes_no_result() {
    for scene in all() {
        let with = |kind| BuildOptions { broad_phase: Some(kind), ..BuildOptions::default() };
        let steps = few_steps(scene);
        let tree = hash_after(scene, &with(BroadPhaseKind::Tree), steps);
        let quadtree = hash_after(scene, &with(BroadPhaseKind::Quadtree(scene.quadtree())), steps);
        assert_eq!(tree, quadtree, "{}", scene.name);
    }
}

#[test]
fn a_clone_goes_on_like_the_original() {
    for scene in all() {
        let mut run = built(scene);
        let steps = few_steps(scene) / 2;
        for _ in 0..steps {
            run.step();
        }
        let mut copy = run.clone();
        for _ in 0..steps {
            run.step();
            copy.step();
        }
        assert_eq!(run.world.state_hash(), copy.world.state_hash(), "{}", scene.name);
        assert_eq!((run.step_index(), copy.step_index()), (2 * steps, 2 * steps));
    }
}

#[test]
fn bricks_settle_again_wherever_gravity_points() {
    let mut run = built(find("falling_bricks").unwrap());
    let down = vec2(0.0, -10.0);
    // Each side in turn, then upside down twice, then a strong and slanted pull as of a shaken phone.
    let pulls = [down, vec2(10.0, 0.0), -down, vec2(-10.0, 0.0), vec2(10.0, 0.0), down, vec2(9.0, -12.0), down];
    for (turn, gravity) in pulls.into_iter().enumerate() {
        run.world.set_gravity(gravity).unwrap();
        // A brick may teeter on its edge for a while before it topples.
        for _ in 0..600 {
            run.step();
        }
        run.check().unwrap_or_else(|unmet| panic!("turn {turn}, gravity {gravity}: {unmet}"));
    }
}

#[test]
fn scenes_survive_the_removal_of_their_bodies() {
    for scene in all() {
        let mut run = built(scene);
        run.step();
        let ids: Vec<BodyId> = run.world.bodies().collect();
        // One in seven of the many, each of the few.
        let stride = if ids.len() > 1000 { 7 } else { 1 };
        for id in ids.into_iter().step_by(stride) {
            run.world.remove_body(id).unwrap();
        }
        for _ in 0..60.min(scene.steps) {
            run.step();
        }
        // Whether the promise still holds is another matter: it must only not panic.
        let _ = run.check();
    }
}

#[test]
fn options_are_checked() {
    let scene = find("stack").unwrap();
    let bad = BuildOptions { gravity: Some(vec2(f32::NAN, 0.0)), ..BuildOptions::default() };
    assert!(scene.build(&bad).unwrap_err().to_string().contains("gravity"));
    let bad = BuildOptions { substeps: Some(0), ..BuildOptions::default() };
    assert!(scene.build(&bad).is_err());
    let moon = BuildOptions { gravity: Some(vec2(0.0, -1.6)), ..BuildOptions::default() };
    assert_eq!(scene.build(&moon).unwrap().world.gravity(), vec2(0.0, -1.6));
}

#[test]
fn time_is_exact() {
    assert_eq!(find("stack").unwrap().seconds(60), 1.0);
    assert_eq!(find("forces").unwrap().seconds(3), 0.06);
}
