//! What stands goes on standing, and what lands comes to lie in the same way wherever it is.

use carom_core::Rng;
use carom2d::prelude::*;

fn floor_at(world: &mut World, x: f32) {
    let floor = world.add_body(BodyDef { position: vec2(x, -1.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(floor, ShapeDef { friction: 0.6, ..ShapeDef::rectangle(100.0, 2.0) }).unwrap();
}

fn add_box(world: &mut World, place: Vec2, size: Vec2) -> BodyId {
    let body = world.add_body(BodyDef { position: place, ..BodyDef::dynamic() }).unwrap();
    world.add_shape(body, ShapeDef { friction: 0.6, ..ShapeDef::rectangle(size.x, size.y) }).unwrap();
    body
}

/// Steps of changing lengths made contacts stiff and soft by turns, and shook a tower of ten boxes down in 25 s.
#[test]
fn a_tower_stands_while_steps_alternate() {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    floor_at(&mut world, 0.0);
    let boxes: Vec<BodyId> =
        (0..10_u8).map(|i| add_box(&mut world, vec2(0.0, 0.5 + f32::from(i)), vec2(1.0, 1.0))).collect();
    let mut time = 0.0;
    while time < 60.0 {
        for dt in [1.0 / 60.0, 1.0 / 25.0] {
            world.step(dt);
            time += f64::from(dt);
        }
    }
    for (i, &id) in (0..).zip(&boxes) {
        let place = world.body(id).position();
        assert!(place.x.abs() < 0.05 && (place.y - 0.5 - i as f32).abs() < 0.2, "box {i} is at {place}");
    }
}

/// Loads that still varied were not carried over into longer steps, so that a tower fell a little in each of them: it went on
/// bouncing at 0.3 m/s.
#[test]
fn a_tower_comes_to_rest_while_steps_alternate() {
    for (count, rates) in [(10, [60.0, 25.0]), (10, [30.0, 144.0]), (10, [60.0, 240.0]), (20, [60.0, 240.0])] {
        let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
        floor_at(&mut world, 0.0);
        let boxes: Vec<BodyId> =
            (0..count).map(|i| add_box(&mut world, vec2(0.0, 0.5 + i as f32), vec2(1.0, 1.0))).collect();
        for step in 0..3000 {
            world.step(1.0 / rates[step % 2]);
            let fastest = boxes.iter().map(|&id| world.body(id).velocity().length()).fold(0.0, carom_core::math::max);
            assert!(
                step < 2600 || fastest < 1.0e-3,
                "{count} boxes, steps of 1/{} and 1/{} s: {fastest} m/s",
                rates[0],
                rates[1]
            );
        }
    }
}

/// Springs carry once they have given way, by as much for small boxes as for large ones: while it sank by a tenth of its height a
/// tower of boxes of 5 cm leant so far that it fell after 7 s.
#[test]
fn towers_of_small_boxes_stand_where_they_were_built() {
    let mut rng = Rng::new(11);
    for _ in 0..6 {
        let (count, side) = (24 + rng.below(17) as u8, rng.range(0.05, 0.08));
        let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
        floor_at(&mut world, 0.0);
        let mut place = |i: u8| vec2(rng.range(-0.02, 0.02) * side, side * (f32::from(i) + 0.5));
        let places: Vec<Vec2> = (0..count).map(&mut place).collect();
        let boxes: Vec<BodyId> = places.iter().map(|&place| add_box(&mut world, place, vec2(side, side))).collect();
        for step in 0..1200 {
            world.step(1.0 / 60.0);
            for (&id, &place) in boxes.iter().zip(&places) {
                let moved = world.body(id).position().distance(place);
                assert!(moved < 1.0e-3, "{count} boxes of {side} m: one has moved by {moved} m after {step} steps");
            }
        }
    }
}

/// What carried ten boxes is pressed as ten boxes press it. Once nine are taken away it may not push up the last one; and it holds
/// the others again where they were after all have slept.
#[test]
fn a_load_that_is_gone_lifts_nothing() {
    for sleeps in [false, true] {
        let mut world = World::new(WorldDef::default());
        floor_at(&mut world, 0.0);
        let boxes: Vec<BodyId> =
            (0..10_u8).map(|i| add_box(&mut world, vec2(0.0, 0.5 + f32::from(i)), vec2(1.0, 1.0))).collect();
        (0..if sleeps { 120 } else { 20 }).for_each(|_| world.step(1.0 / 60.0));
        assert_eq!(world.body(boxes[0]).is_sleeping(), sleeps);
        world.body_mut(boxes[9]).wake();
        (0..20).for_each(|_| world.step(1.0 / 60.0));
        let top = world.body(boxes[9]).position();
        assert!(top.distance(vec2(0.0, 9.5)) < 1.0e-3, "the top is at {top}");
        for &id in &boxes[1..] {
            world.remove_body(id).unwrap();
        }
        for _ in 0..60 {
            world.step(1.0 / 60.0);
            let height = world.body(boxes[0]).position().y;
            assert!((height - 0.5).abs() < 1.0e-3, "the lowest box is at {height} m");
        }
    }
}

/// Contacts damp a motion by a share of its period that falls with the period, and a tower of 35 boxes sways with one of half
/// a minute: it still moved at 5 mm/s after a minute.
#[test]
fn tall_towers_stop_swaying() {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    floor_at(&mut world, 0.0);
    let mut rng = Rng::new(7);
    let side = 0.3;
    let place = |i: u8, rng: &mut Rng| vec2(rng.range(-6.0e-3, 6.0e-3), side * (f32::from(i) + 0.5));
    let boxes: Vec<BodyId> = (0..35)
        .map(|i| {
            let place = place(i, &mut rng);
            add_box(&mut world, place, vec2(side, side))
        })
        .collect();
    let mut squares = 0.0;
    for step in 0..3600 {
        world.step(1.0 / 60.0);
        if step >= 3300 {
            squares += boxes.iter().map(|&id| world.body(id).velocity().length_squared()).sum::<f32>();
        }
    }
    let rms = (squares / (300.0 * boxes.len() as f32)).sqrt();
    assert!(rms < 1.0e-3, "{rms} m/s");
}

/// How a column is built: moved, mirrored, or from its last box on.
#[derive(Clone, Copy)]
struct Setting {
    shift: f32,
    mirrored: bool,
    reversed: bool,
}

const PLAIN: Setting = Setting { shift: 0.0, mirrored: false, reversed: false };

/// Four boxes that fall upon each other, none square above another. In units of 2^-10 m, so that a shift of 2^10 m rounds
/// no place.
fn column(seed: u64) -> Vec<(Vec2, Vec2)> {
    let mut rng = Rng::new(seed);
    let mut grid = |low: u32, high: u32| (low + rng.below(high - low)) as f32 / 1024.0;
    let mut next = |i: u8| {
        let place = vec2(grid(0, 100), 0.5 + 1.0625 * f32::from(i));
        (place, vec2(grid(800, 900), grid(900, 1000)))
    };
    (0..4).map(&mut next).collect()
}

/// Where the boxes of a column lie after two seconds, seen as in the plain setting.
fn fallen(boxes: &[(Vec2, Vec2)], setting: Setting) -> Vec<Vec2> {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    floor_at(&mut world, setting.shift);
    let side = if setting.mirrored { -1.0 } else { 1.0 };
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    if setting.reversed {
        order.reverse();
    }
    let mut ids: Vec<(usize, BodyId)> = order
        .into_iter()
        .map(|i| {
            let (place, size) = boxes[i];
            (i, add_box(&mut world, vec2(side * place.x + setting.shift, place.y), size))
        })
        .collect();
    ids.sort_unstable_by_key(|&(i, _)| i);
    (0..120).for_each(|_| world.step(1.0 / 60.0));
    let seen = |place: Vec2| vec2(side * (place.x - setting.shift), place.y);
    ids.into_iter().map(|(_, id)| seen(world.body(id).position())).collect()
}

/// How far a hundred columns come to lie from where they do in the plain setting, ascending.
fn ways(setting: Setting) -> Vec<f32> {
    let way = |seed: u64| {
        let boxes = column(seed);
        let (here, there) = (fallen(&boxes, PLAIN), fallen(&boxes, setting));
        here.iter().zip(&there).map(|(a, b)| (*a - *b).length()).fold(0.0, carom_core::math::max)
    };
    let mut ways: Vec<f32> = (0..100).map(way).collect();
    ways.sort_by(f32::total_cmp);
    ways
}

/// A box that lands flat was stopped on one side and not on the other, as rounding had it, and turned: one column in ten
/// came to lie more than 2 mm, and up to 12 mm, from where it does a kilometre away.
#[test]
fn columns_come_to_lie_alike_everywhere() {
    let ways = ways(Setting { shift: 1024.0, ..PLAIN });
    assert!(ways[50] < 1.0e-3, "half of them lie more than {} m apart", ways[50]);
    assert!(ways[94] < 2.0e-3, "one in twenty lies {} m apart", ways[94]);
}

/// Friction was solved at one point of a contact after the other, so that the first took all of it. Which one is first
/// depends on the order of building and on the side from which one looks: one column in twenty came to lie 0.75 mm off, and
/// of fifty boxes side by side one pile in three by more than 5 mm.
#[test]
fn columns_come_to_lie_alike_in_a_mirror_and_in_any_order() {
    for (name, setting) in
        [("mirrored", Setting { mirrored: true, ..PLAIN }), ("reversed", Setting { reversed: true, ..PLAIN })]
    {
        let ways = ways(setting);
        println!("{name}: median {:e}, 95 % {:e}, worst {:e}", ways[50], ways[94], ways[99]);
        assert!(ways[94] < 2.0e-4, "{name}: one in twenty lies {} m apart", ways[94]);
    }
}

/// A box comes down at 3 m/s, tilted so little that its corners land within a sub-step of each other. Where the last step
/// before that found one corner within reach of the floor and the other one not, it was stopped at that corner alone and
/// turned at 2.7 rad/s.
///
/// All of it should stop. What is left, 0.56 rad/s, is from two heights of 200, which are those where the impact falls on the
/// boundary of two sub-steps.
#[test]
fn a_box_that_comes_down_nearly_flat_lands_on_both_corners() {
    let mut fastest = 0.0;
    for i in 0..200_u8 {
        let mut world = World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() });
        floor_at(&mut world, 0.0);
        let place = vec2(0.0, 0.6 + 2.5e-4 * f32::from(i));
        let body = add_box(&mut world, place, vec2(1.0, 1.0));
        let mut fallen = world.body_mut(body);
        fallen.set_velocity(vec2(0.0, -3.0)).unwrap();
        fallen.set_pose(Pose::new(place, 3.0e-4)).unwrap();
        for _ in 0..6 {
            world.step(1.0 / 60.0);
            fastest = carom_core::math::max(fastest, world.body(body).angular_velocity().abs());
        }
    }
    println!("turns at up to {fastest} rad/s");
    assert!(fastest < 0.6, "a box turns at {fastest} rad/s");
}

/// Stones of a semicircular arch of a mean radius of 5 m, on a floor, from the right springing to the left.
fn add_arch(world: &mut World, count: usize, thickness: f64) -> Vec<BodyId> {
    let joint = |k: usize| {
        let (sin, cos) = carom_core::math::sin_cos64(std::f64::consts::PI * k as f64 / count as f64);
        [-0.5, 0.5].map(|side| {
            let reach = 5.0 * (1.0 + side * thickness);
            vec2((reach * cos) as f32, (reach * sin) as f32)
        })
    };
    let stone = |k: usize| {
        let (right, left) = (joint(k), joint(k + 1));
        let corners = [right[0], right[1], left[1], left[0]];
        let middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
        let body = world.add_body(BodyDef { position: middle, ..BodyDef::dynamic() }).unwrap();
        let shape = ShapeDef::convex(&corners.map(|corner| corner - middle));
        world.add_shape(body, ShapeDef { friction: 5.0, ..shape }).unwrap();
        body
    };
    (0..count).map(stone).collect()
}

/// Contacts had no loads to begin with and gave way until they had: arches needed up to 0.134 of their radius, and that of 35
/// stones sank by 0.3 m and fell. By statics they stand from 0.1075 on.
#[test]
fn arches_stand_as_they_were_built() {
    for count in [9, 21, 29, 35] {
        let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
        let floor = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }).unwrap();
        world.add_shape(floor, ShapeDef { friction: 5.0, ..ShapeDef::rectangle(40.0, 2.0) }).unwrap();
        let stones = add_arch(&mut world, count, 0.118);
        let start: Vec<Vec2> = stones.iter().map(|&id| world.body(id).position()).collect();
        for _ in 0..1200 {
            world.step(1.0 / 60.0);
        }
        for (&id, &start) in stones.iter().zip(&start) {
            let moved = world.body(id).position().distance(start);
            assert!(moved < 5.0e-3, "{count} stones: one moved by {moved} m");
        }
    }
}

/// What carried a load when it was built is not lifted when the load is gone.
#[test]
fn what_is_relieved_stays_where_it_was() {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    let floor = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(floor, ShapeDef { friction: 5.0, ..ShapeDef::rectangle(40.0, 2.0) }).unwrap();
    let stones = add_arch(&mut world, 9, 0.3);
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    let lowest = [stones[0], stones[8]];
    let before = lowest.map(|id| world.body(id).position());
    for &id in &stones[1..8] {
        world.remove_body(id).unwrap();
    }
    let mut highest = 0.0_f32;
    for _ in 0..30 {
        world.step(1.0 / 60.0);
        for (id, before) in lowest.into_iter().zip(before) {
            highest = carom_core::math::max(highest, world.body(id).position().y - before.y);
        }
    }
    assert!(highest < 1.0e-3, "lifted by {highest} m");
}
