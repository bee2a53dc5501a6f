//! The character mover: slopes, steps, platforms, walls.

use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::shape::geometry_distance;
use carom2d::{Character, CharacterDef};

const STEP: f32 = 1.0 / 60.0;

/// A world with a floor at the height 0, and a fixed body for more.
fn floor() -> (World, BodyId) {
    let mut world = World::new(WorldDef::default());
    let fixed = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(fixed, ShapeDef { position: vec2(0.0, -0.5), ..ShapeDef::rectangle(200.0, 1.0) }).unwrap();
    (world, fixed)
}

fn hero(position: Vec2) -> Character {
    Character::new(CharacterDef::default(), position).unwrap()
}

/// Walks and falls for a number of steps, as a game would.
fn go(world: &mut World, hero: &mut Character, walk: f32, steps: usize) -> Vec2 {
    let mut velocity = Vec2::ZERO;
    for _ in 0..steps {
        world.step(STEP);
        let fall = if hero.ground().is_some() { 0.0 } else { velocity.y };
        velocity = world.move_character(hero, vec2(walk, fall - 10.0 * STEP), STEP).unwrap().velocity;
    }
    velocity
}

/// A ramp that begins at (2, 0), as a wedge.
fn ramp(world: &mut World, fixed: BodyId, degrees: f32) {
    let end = Rot::from_angle(degrees.to_radians()).rotate(vec2(20.0, 0.0));
    let points = [vec2(2.0, 0.0), vec2(2.0 + end.x, 0.0), vec2(2.0, 0.0) + end];
    world.add_shape(fixed, ShapeDef::convex(&points)).unwrap();
}

fn deepest(world: &World, hero: &Character) -> f32 {
    let mut least = f32::MAX;
    for shape in world.shapes() {
        let shape = world.shape(shape);
        let pose = world.body(shape.body()).pose();
        let gap = geometry_distance(shape.geometry(), pose, hero.geometry(), Pose::at(hero.position())).distance;
        least = if gap < least { gap } else { least };
    }
    least
}

#[test]
fn it_falls_lands_and_stands_still() {
    let (mut world, _) = floor();
    let mut hero = hero(vec2(0.0, 3.0));
    go(&mut world, &mut hero, 0.0, 120);
    assert!(hero.ground().is_some());
    let rest = hero.position();
    assert!((rest - vec2(0.0, 0.9)).length() < 0.002, "{rest}");
    go(&mut world, &mut hero, 0.0, 600);
    assert!((hero.position() - rest).length() < 1.0e-4, "{}", hero.position());
}

#[test]
fn it_walks_up_thirty_degrees_at_full_speed() {
    let (mut world, fixed) = floor();
    ramp(&mut world, fixed, 30.0);
    let mut hero = hero(vec2(0.0, 0.95));
    go(&mut world, &mut hero, 3.0, 120);
    let start = hero.position();
    assert!(start.y > 1.5, "on the ramp by now: {start}");
    go(&mut world, &mut hero, 3.0, 60);
    let way = hero.position() - start;
    assert!((way.length() - 3.0).abs() < 0.02, "{way}");
    assert!((way.y / way.length() - 0.5).abs() < 0.005, "{way}");
    // And down again without leaving the ground.
    for _ in 0..60 {
        go(&mut world, &mut hero, -3.0, 1);
        assert!(hero.ground().is_some());
    }
    assert!((hero.position() - start).length() < 0.05, "{}", hero.position());
}

#[test]
fn it_stands_on_thirty_degrees_without_creeping() {
    let (mut world, fixed) = floor();
    ramp(&mut world, fixed, 30.0);
    let mut hero = hero(vec2(6.0, 4.0));
    go(&mut world, &mut hero, 0.0, 60);
    let start = hero.position();
    assert!(hero.ground().is_some());
    go(&mut world, &mut hero, 0.0, 600);
    assert!((hero.position() - start).length() < 1.0e-3, "{} to {}", start, hero.position());
}

#[test]
fn sixty_degrees_are_a_wall_from_below_and_a_slide_from_above() {
    let (mut world, fixed) = floor();
    ramp(&mut world, fixed, 60.0);
    let mut walker = hero(vec2(0.0, 0.95));
    let velocity = go(&mut world, &mut walker, 3.0, 240);
    assert!(walker.position().x < 2.0 && walker.position().y < 0.95, "{}", walker.position());
    assert!(velocity.length() < 0.01, "{velocity}");

    // Dropped on the slope it slides down, even if it tries to walk up.
    let mut faller = hero(vec2(5.0, 8.0));
    go(&mut world, &mut faller, 3.0, 300);
    assert!(faller.position().x < 2.0 && faller.position().y < 0.95, "{}", faller.position());
}

#[test]
fn it_climbs_low_steps_and_not_high_ones() {
    for (height, radius, climbs) in
        [(0.1, 0.3, true), (0.3, 0.3, true), (0.3, 0.2, true), (0.34, 0.6, true), (0.45, 0.3, false), (0.6, 0.3, false)]
    {
        let (mut world, fixed) = floor();
        let step = ShapeDef { position: vec2(12.0, 0.5 * height), ..ShapeDef::rectangle(20.0, height) };
        world.add_shape(fixed, step).unwrap();
        let mut hero = Character::new(CharacterDef { radius, ..CharacterDef::default() }, vec2(0.0, 0.95)).unwrap();
        go(&mut world, &mut hero, 3.0, 120);
        let (expected, name) = if climbs { (0.9 + height, "climbs") } else { (0.9, "does not climb") };
        let position = hero.position();
        assert!((position.y - expected).abs() < 0.005, "{name} {height} with {radius}: {position}");
        assert_eq!(position.x > 3.0, climbs, "{height} with {radius}: {position}");
    }
}

#[test]
fn it_walks_down_stairs_without_flying_and_falls_from_cliffs() {
    let (mut world, fixed) = floor();
    for i in 0..6 {
        let height = 0.25 * (6 - i) as f32;
        let step = ShapeDef { position: vec2(i as f32, 0.5 * height), ..ShapeDef::rectangle(1.0, height) };
        world.add_shape(fixed, step).unwrap();
    }
    let mut hero = hero(vec2(0.0, 2.5));
    go(&mut world, &mut hero, 0.0, 30);
    for _ in 0..150 {
        go(&mut world, &mut hero, 3.0, 1);
        assert!(hero.ground().is_some(), "at {}", hero.position());
    }
    assert!(hero.position().x > 6.5 && (hero.position().y - 0.9).abs() < 0.005, "{}", hero.position());

    // Up again, then over the edge at the other side.
    for _ in 0..180 {
        if hero.position().x > 0.0 {
            go(&mut world, &mut hero, -3.0, 1);
        }
    }
    assert!((hero.position().y - 2.4).abs() < 0.005, "{}", hero.position());
    go(&mut world, &mut hero, -3.0, 60);
    assert!((hero.position().y - 0.9).abs() < 0.005, "{}", hero.position());
}

#[test]
fn it_rides_platforms_without_sliding() {
    let mut world = World::new(WorldDef::default());
    let platform = world.add_body(BodyDef { velocity: vec2(2.0, 0.5), ..BodyDef::kinematic() }).unwrap();
    world.add_shape(platform, ShapeDef::rectangle(4.0, 0.4)).unwrap();
    let mut hero = hero(vec2(0.5, 1.2));
    go(&mut world, &mut hero, 0.0, 60);
    let place = world.body(platform).local_point(hero.position());
    for step in 0..300 {
        if step == 100 {
            world.body_mut(platform).set_velocity(vec2(-3.0, -1.0)).unwrap();
        }
        go(&mut world, &mut hero, 0.0, 1);
        let now = world.body(platform).local_point(hero.position());
        assert!((now - place).length() < 2.0e-3, "step {step}: {place} to {now}");
    }
    world.step(STEP);
    let moved = world.move_character(&mut hero, vec2(0.0, -0.1), STEP).unwrap();
    assert!((moved.ground_velocity - vec2(-3.0, -1.0)).length() < 1.0e-4);
    // A jump leaves it.
    world.move_character(&mut hero, vec2(0.0, 5.0), STEP).unwrap();
    assert!(hero.ground().is_none());
}

/// Friction does for bodies what the mover does for characters.
#[test]
fn a_platform_carries_bodies_too() {
    let mut world = World::new(WorldDef::default());
    let platform = world.add_body(BodyDef { velocity: vec2(2.0, 0.5), ..BodyDef::kinematic() }).unwrap();
    world.add_shape(platform, ShapeDef::rectangle(6.0, 0.4)).unwrap();
    let position = vec2(1.0, 0.7);
    let load = world.add_body(BodyDef { position, velocity: vec2(2.0, 0.5), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(load, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    for _ in 0..300 {
        world.step(STEP);
    }
    let place = world.body(platform).local_point(world.body(load).position());
    assert!((place - position).length() < 0.01, "{place}");
    assert!((world.body(load).velocity() - vec2(2.0, 0.5)).length() < 1.0e-3);
}

#[test]
fn belts_carry_it_and_lifts_raise_it() {
    let (mut world, fixed) = floor();
    let belt = ShapeDef { position: vec2(0.0, 0.1), surface_speed: 1.5, ..ShapeDef::rectangle(20.0, 0.2) };
    world.add_shape(fixed, belt).unwrap();
    let mut rider = hero(vec2(-5.0, 1.15));
    go(&mut world, &mut rider, 0.0, 5);
    let start = rider.position();
    go(&mut world, &mut rider, 0.0, 120);
    assert!((rider.position().x - start.x - 3.0).abs() < 0.05, "{}", rider.position());

    // Against a ceiling a lift cannot push it through.
    let lift = world.add_body(BodyDef { position: vec2(30.0, 0.1), velocity: vec2(0.0, 1.0), ..BodyDef::kinematic() });
    world.add_shape(lift.unwrap(), ShapeDef::rectangle(3.0, 0.2)).unwrap();
    let mut passenger = hero(vec2(30.0, 1.15));
    go(&mut world, &mut passenger, 0.0, 120);
    assert!((passenger.position().y - 3.1).abs() < 0.05, "{}", passenger.position());
}

#[test]
fn one_way_platforms_let_it_up_and_hold_it() {
    let (mut world, fixed) = floor();
    let shelf = ShapeDef { position: vec2(0.0, 2.2), one_way: Some(Vec2::Y), ..ShapeDef::rectangle(6.0, 0.2) };
    world.add_shape(fixed, shelf).unwrap();
    let mut hero = hero(vec2(0.0, 0.91));
    go(&mut world, &mut hero, 0.0, 5);
    let mut velocity = vec2(0.0, 9.0);
    for _ in 0..120 {
        world.step(STEP);
        velocity = world.move_character(&mut hero, velocity - vec2(0.0, 10.0 * STEP), STEP).unwrap().velocity;
    }
    assert!((hero.position().y - 3.2).abs() < 0.005, "{}", hero.position());
}

#[test]
fn it_pushes_crates_but_not_blocks() {
    let mut positions = Vec::new();
    for density in [1.0, 400.0] {
        let (mut world, _) = floor();
        let block = world.add_body(BodyDef { position: vec2(2.0, 0.5), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(block, ShapeDef { density, friction: 0.3, ..ShapeDef::rectangle(1.0, 1.0) }).unwrap();
        let mut hero = hero(vec2(0.0, 0.95));
        go(&mut world, &mut hero, 2.0, 240);
        assert!(deepest(&world, &hero) >= 0.0);
        positions.push(world.body(block).position().x);
        // Never faster than the one who pushes.
        assert!(world.body(block).velocity().x < 2.5, "{}", world.body(block).velocity());
    }
    assert!(positions[0] > 4.0, "the crate went to {}", positions[0]);
    assert!((positions[1] - 2.0).abs() < 0.01, "the block went to {}", positions[1]);
}

#[test]
fn it_is_never_inside_walls() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (mut world, fixed) = floor();
        for x in [-8.0, 8.0] {
            world.add_shape(fixed, ShapeDef { position: vec2(x, 5.0), ..ShapeDef::rectangle(1.0, 12.0) }).unwrap();
        }
        for _ in 0..25 {
            let position = vec2(rng.range(-7.0, 7.0), rng.range(0.0, 6.0));
            let angle = rng.range(-3.0, 3.0);
            let shape = match rng.below(4) {
                0 => ShapeDef::circle(rng.range(0.1, 0.8)),
                1 => ShapeDef::capsule(vec2(-0.5, 0.0), vec2(0.5, 0.2), rng.range(0.1, 0.3)),
                2 => ShapeDef::ellipse(rng.range(0.2, 1.0), rng.range(0.1, 0.5)),
                _ => ShapeDef::rectangle(rng.range(0.1, 2.0), rng.range(0.1, 1.0)),
            };
            world.add_shape(fixed, ShapeDef { position, angle, ..shape }).unwrap();
        }
        let def = CharacterDef { radius: rng.range(0.1, 0.4), height: rng.range(0.8, 1.8), ..CharacterDef::default() };
        let mut hero = Character::new(def, vec2(rng.range(-6.0, 6.0), 8.5)).unwrap();
        let (mut walk, mut velocity) = (0.0, Vec2::ZERO);
        for step in 0..600 {
            if step % 40 == 0 {
                walk = rng.range(-8.0, 8.0);
            }
            let jump = hero.ground().is_some() && rng.below(30) == 0;
            let fall = if jump { 6.0 } else { velocity.y - 10.0 * STEP };
            let wanted = vec2(walk, fall);
            velocity = world.move_character(&mut hero, wanted, STEP).unwrap().velocity;
            let inside = world.shapes_overlapping(hero.geometry(), Pose::at(hero.position()), QueryFilter::default());
            assert!(inside.unwrap().is_empty(), "seed {seed}, step {step}: in a wall at {}", hero.position());
            assert!(hero.position().x.abs() < 7.5 && hero.position().y > 0.0, "seed {seed}: at {}", hero.position());
        }
    }
}

/// Hills as a chain, and the same as a concave polygon: it stays on them, and nothing trips it.
#[test]
fn it_walks_over_hills_of_any_kind() {
    let hill = |x: f32| 0.8 * (1.0 - (carom2d::math::cos(0.8 * x)));
    let line: Vec<Vec2> = (0..=80).rev().map(|i| vec2(0.25 * i as f32, hill(0.25 * i as f32))).collect();
    let mut block = line.clone();
    block.extend([vec2(0.0, -2.0), vec2(20.0, -2.0)]);
    for shape in [ShapeDef::chain(&line), ShapeDef::concave(&block)] {
        let mut world = World::new(WorldDef::default());
        let fixed = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(fixed, shape).unwrap();
        let mut hero = hero(vec2(1.0, hill(1.0) + 1.2));
        go(&mut world, &mut hero, 0.0, 30);
        let mut way = 0.0;
        for _ in 0..240 {
            let before = hero.position();
            go(&mut world, &mut hero, 4.0, 1);
            way += (hero.position() - before).length();
            assert!(hero.ground().is_some(), "at {}", hero.position());
            let height = hero.position().y - 0.9 - hill(hero.position().x);
            assert!((-0.01..0.12).contains(&height), "{height} above the hill at {}", hero.position());
        }
        // Full speed but for the ridges, where it turns.
        assert!((way - 16.0).abs() < 0.8, "went {way}");
    }
}

/// A kinematic body follows it, so that others see it.
#[test]
fn it_takes_no_notice_of_its_own_body() {
    let (mut world, fixed) = floor();
    world.add_shape(fixed, ShapeDef { position: vec2(12.0, 0.15), ..ShapeDef::rectangle(20.0, 0.3) }).unwrap();
    let own = world.add_body(BodyDef { position: vec2(0.0, 0.91), ..BodyDef::kinematic() }).unwrap();
    let def = CharacterDef { ignore: Some(own), ..CharacterDef::default() };
    let mut hero = Character::new(def, vec2(0.0, 0.91)).unwrap();
    world.add_shape(own, ShapeDef::geometry(hero.geometry().clone())).unwrap();
    for _ in 0..120 {
        go(&mut world, &mut hero, 3.0, 1);
        world.body_mut(own).move_to(Pose::at(hero.position()), STEP).unwrap();
    }
    assert!((hero.position().y - 1.2).abs() < 0.005 && hero.position().x > 4.0, "{}", hero.position());
}

/// In a heap that falls and turns it may be squeezed, but it stays in the world and the world whole, and a second
/// run is the same to the bit.
#[test]
fn it_survives_a_heap() {
    let wade = |seed: u64| {
        let mut rng = Rng::new(seed);
        let (mut world, fixed) = floor();
        for x in [-6.0, 6.0] {
            world.add_shape(fixed, ShapeDef { position: vec2(x, 5.0), ..ShapeDef::rectangle(1.0, 14.0) }).unwrap();
        }
        let paddle = BodyDef { position: vec2(0.0, 1.0), angular_velocity: 1.0, ..BodyDef::kinematic() };
        let paddle = world.add_body(paddle).unwrap();
        world.add_shape(paddle, ShapeDef::rectangle(4.0, 0.2)).unwrap();
        for i in 0..40 {
            let position = vec2(rng.range(-5.0, 5.0), 2.0 + 0.2 * i as f32);
            let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            let density = rng.range(0.1, 30.0);
            let shape = if i % 2 == 0 { ShapeDef::circle(0.3) } else { ShapeDef::rectangle(0.7, 0.4) };
            world.add_shape(body, ShapeDef { density, ..shape }).unwrap();
        }
        let mut hero = hero(vec2(-3.0, 1.0));
        for step in 0..600 {
            let walk = if step / 120 % 2 == 0 { 5.0 } else { -5.0 };
            go(&mut world, &mut hero, walk, 1);
            assert!(hero.position().x.abs() < 6.0 && hero.position().y > -0.5, "step {step}: {}", hero.position());
        }
        world.validate();
        (world.state_hash(), hero.position().x.to_bits(), hero.position().y.to_bits())
    };
    for seed in 0..5 {
        assert_eq!(wade(seed), wade(seed));
    }
}

#[test]
fn it_gets_out_of_what_it_was_put_into() {
    let (mut world, fixed) = floor();
    world.add_shape(fixed, ShapeDef { position: vec2(3.0, 1.0), ..ShapeDef::rectangle(1.0, 2.0) }).unwrap();
    for position in [vec2(0.0, 0.5), vec2(3.3, 1.0), vec2(2.4, 0.8)] {
        let mut hero = hero(position);
        go(&mut world, &mut hero, 0.0, 5);
        assert!(deepest(&world, &hero) > 0.0, "{position} to {}", hero.position());
    }
}

#[test]
fn nonsense_is_refused() {
    let good = CharacterDef::default();
    for bad in [
        CharacterDef { radius: 0.0, ..good },
        CharacterDef { radius: f32::NAN, ..good },
        CharacterDef { height: 0.5, ..good },
        CharacterDef { up: Vec2::ZERO, ..good },
        CharacterDef { up: vec2(f32::NAN, 1.0), ..good },
        CharacterDef { max_slope: 2.0, ..good },
        CharacterDef { max_step: -0.1, ..good },
        CharacterDef { max_step: 2.0, ..good },
        CharacterDef { push_force: f32::INFINITY, ..good },
    ] {
        assert!(Character::new(bad, Vec2::ZERO).is_err(), "{bad:?}");
    }
    assert!(Character::new(good, vec2(f32::INFINITY, 0.0)).is_err());
    let mut world = World::new(WorldDef::default());
    let mut hero = Character::new(CharacterDef { height: 0.6, ..good }, vec2(1.0e7, 0.0)).unwrap();
    for (velocity, dt) in [(vec2(f32::NAN, 0.0), STEP), (vec2(1.0e30, 0.0), STEP), (Vec2::X, 0.0), (Vec2::X, f32::NAN)]
    {
        assert!(world.move_character(&mut hero, velocity, dt).is_err());
    }
    // At the end of the world it stops, and what it stood on may vanish.
    for _ in 0..100 {
        world.move_character(&mut hero, vec2(300.0, -100.0), 1.0).unwrap();
    }
    assert!(hero.position().x <= 1.0e7);
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(4.0, 1.0)).unwrap();
    hero.set_position(vec2(0.0, 0.82)).unwrap();
    go(&mut world, &mut hero, 0.0, 10);
    assert!(hero.ground().is_some());
    world.remove_body(ground).unwrap();
    go(&mut world, &mut hero, 0.0, 10);
    assert!(hero.ground().is_none() && hero.position().y < 0.8);
}
