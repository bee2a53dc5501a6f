//! The examples in `scenes/` do what they are there to show.

use super::file_of_repository;
use carom_scenes::{Run, SceneWorld, open};
use carom2d::prelude::*;

/// A scene in `scenes/`, run to its end.
fn example(name: &str, bodies: usize, mut after_step: impl FnMut(&SceneWorld)) -> SceneWorld {
    let path = file_of_repository("scenes").join(name).with_extension("json");
    let Run::Rigid(mut run) = open(&path).unwrap_or_else(|error| panic!("{error}")) else {
        panic!("{name} has rigid bodies");
    };
    assert_eq!((run.about().name.as_ref(), run.world.body_count()), (name, bodies));
    for _ in 0..run.about().steps {
        run.step();
        after_step(&run);
    }
    run.check().unwrap_or_else(|unmet| panic!("{name}: {unmet}"));
    *run
}

fn dynamic_positions(run: &SceneWorld) -> Vec<Vec2> {
    carom_scenes::measure::dynamic_bodies(&run.world).map(|id| run.world.body(id).position()).collect()
}

#[test]
fn the_balance_holds_until_the_ball_comes_down() {
    let plank = |run: &SceneWorld| run.world.body(run.world.bodies().nth(1).unwrap()).angle();
    let end = example("balance", 7, |run| {
        if run.time() < 2.9 {
            assert!(plank(run).abs() < 0.01, "level at {:.2} s", run.time());
        }
    });
    assert!(plank(&end) > 0.2, "tilted to the left: {}", plank(&end));
}

#[test]
fn the_break_scatters_the_rack() {
    let end = example("billiard", 18, |_| {});
    let balls = dynamic_positions(&end);
    assert!(balls.iter().all(|p| p.x.abs() < 1.27 && p.y.abs() < 0.635), "all are on the table");
    let center = balls.iter().sum::<Vec2>() / balls.len() as f32;
    let spread = balls.iter().map(|&p| (p - center).length()).sum::<f32>() / balls.len() as f32;
    assert!(spread > 0.5, "they are far apart: {spread} m");
}

#[test]
fn the_marbles_end_in_the_bowl() {
    let end = example("marble_run", 17, |_| {});
    let marbles = dynamic_positions(&end);
    assert_eq!(marbles.len(), 12);
    assert!(marbles.iter().all(|p| (-0.6..5.2).contains(&p.x) && (0.3..2.2).contains(&p.y)), "{marbles:?}");
}

#[test]
fn the_playground_swings_and_turns() {
    let joint = |run: &SceneWorld, place: usize| run.world.joints().nth(place).unwrap();
    let mut farthest = 0.0_f32;
    let end = example("playground", 6, |run| {
        for rope in [0, 1] {
            let length = run.world.joint(joint(run, rope)).length();
            assert!(length < 3.02, "the rope is {length} m long at {:.2} s", run.time());
        }
        let seat = run.world.body(run.world.bodies().nth(1).unwrap()).position();
        farthest = carom_core::math::max(seat.x + 3.5, farthest);
    });
    assert!(farthest > 1.0, "the seat swung by {farthest} m");
    assert!(end.world.joint(joint(&end, 2)).angle().abs() < 0.41, "the seesaw is within its limits");
    assert!((end.world.joint(joint(&end, 3)).angle() - 20.0).abs() < 0.2, "two radians a second for ten seconds");
}
