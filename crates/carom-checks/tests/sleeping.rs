//! Sleep: what rests costs nothing and changes no bit, and everything that should wake it does.

use carom_checks::validation::{DT, add, add_floor, steps};
use carom_core::Rng;
use carom2d::prelude::*;
use std::collections::BTreeSet;

/// A stack of three on a floor, asleep. Bodies from the bottom up.
fn sleeping_stack() -> (World, BodyId, [BodyId; 3]) {
    let mut world = World::new(WorldDef::default());
    let floor = add_floor(&mut world, 0.6, 0.0);
    let boxes = [0.5, 1.5, 2.5].map(|y| add(&mut world, vec2(0.0, y), ShapeDef::rectangle(1.0, 1.0)));
    steps(&mut world, 180);
    assert_eq!(world.awake_body_count(), 0);
    assert_eq!(world.sleeping_island_count(), 1);
    assert!(boxes.iter().all(|&id| world.body(id).is_sleeping()));
    (world, floor, boxes)
}

/// Asserts that the whole stack is awake, now or after the next step.
fn assert_wakes(world: &mut World, boxes: &[BodyId; 3], why: &str) {
    world.step(DT);
    for &id in boxes.iter().filter(|&&id| world.contains_body(id)) {
        assert!(world.body(id).is_awake(), "{why}: {id:?} sleeps on");
    }
    world.validate();
}

/// A sleeping world is left alone: a hundred steps change no bit and report nothing.
#[test]
fn step_of_a_sleeping_world_changes_no_bit() {
    let (mut world, _, boxes) = sleeping_stack();
    let before = world.state_hash();
    let contacts: Vec<_> = world.contacts().map(|contact| (contact.id(), contact.is_touching())).collect();
    for _ in 0..100 {
        world.step(DT);
        assert_eq!(world.state_hash(), before);
        assert_eq!(world.awake_body_count(), 0);
        let events = world.events();
        assert!(events.body_slept.is_empty() && events.body_woke.is_empty());
        assert!(events.contact_begin.is_empty() && events.contact_end.is_empty() && events.contact_hit.is_empty());
    }
    assert!(world.contacts().map(|contact| (contact.id(), contact.is_touching())).eq(contacts));
    assert!(boxes.iter().all(|&id| world.body(id).velocity() == Vec2::ZERO));
}

/// A body that falls on a sleeping stack wakes all of it; one that passes by does not.
#[test]
fn contact_wakes_the_island() {
    let (mut world, _, boxes) = sleeping_stack();
    add(&mut world, vec2(10.0, 1.0), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 60);
    assert!(boxes.iter().all(|&id| world.body(id).is_sleeping()), "woken from 10 m away");
    add(&mut world, vec2(0.1, 3.6), ShapeDef::rectangle(1.0, 1.0));
    let woke = (0..60).any(|_| {
        world.step(DT);
        boxes.iter().all(|&id| world.body(id).is_awake())
    });
    assert!(woke);
    steps(&mut world, 240);
    assert_eq!((world.awake_body_count(), world.sleeping_island_count()), (0, 2), "and all fall asleep again");
}

/// Forces, torques, impulses, velocities, teleports and settings of a sleeper wake its island.
#[test]
fn touching_a_sleeper_wakes_it() {
    type Cause = fn(&mut World, BodyId);
    let causes: [(&str, Cause); 14] = [
        ("force", |w, b| w.body_mut(b).apply_force(vec2(1.0, 0.0)).unwrap()),
        ("force at a point", |w, b| w.body_mut(b).apply_force_at(vec2(1.0, 0.0), vec2(0.0, 2.0)).unwrap()),
        ("torque", |w, b| w.body_mut(b).apply_torque(1.0).unwrap()),
        ("impulse", |w, b| w.body_mut(b).apply_impulse(vec2(0.1, 0.0)).unwrap()),
        ("angular impulse", |w, b| w.body_mut(b).apply_angular_impulse(0.1).unwrap()),
        ("velocity", |w, b| w.body_mut(b).set_velocity(vec2(0.0, 1.0)).unwrap()),
        ("position", |w, b| w.body_mut(b).set_position(vec2(0.2, 2.6)).unwrap()),
        ("angle", |w, b| w.body_mut(b).set_angle(0.1).unwrap()),
        ("mass", |w, b| w.body_mut(b).set_mass(Some(3.0)).unwrap()),
        ("gravity scale", |w, b| w.body_mut(b).set_gravity_scale(0.5).unwrap()),
        ("by hand", |w, b| w.body_mut(b).wake()),
        ("no sleep allowed", |w, b| w.body_mut(b).set_can_sleep(false)),
        ("another shape", |w, b| {
            let shape = w.body(b).shapes().next().unwrap();
            w.shape_mut(shape).set_geometry(Geometry::circle(0.4).unwrap()).unwrap();
        }),
        ("another surface", |w, b| {
            let shape = w.body(b).shapes().next().unwrap();
            w.shape_mut(shape).set_material(Material { surface_speed: 1.0, ..Material::default() }).unwrap();
        }),
    ];
    for (why, cause) in causes {
        let (mut world, _, boxes) = sleeping_stack();
        cause(&mut world, boxes[1]);
        assert_wakes(&mut world, &boxes, why);
    }
}

/// Gravity that changes wakes all on which it acts, not those on which it does not.
#[test]
fn change_of_gravity_wakes() {
    let (mut world, _, boxes) = sleeping_stack();
    let floating = BodyDef { position: vec2(20.0, 5.0), gravity_scale: 0.0, ..BodyDef::dynamic() };
    let floating = world.add_body(floating).unwrap();
    world.add_shape(floating, ShapeDef::circle(0.5)).unwrap();
    steps(&mut world, 60);
    assert!(world.body(floating).is_sleeping());
    world.set_gravity(vec2(3.0, -10.0)).unwrap();
    assert_wakes(&mut world, &boxes, "gravity");
    assert!(world.body(floating).is_sleeping(), "gravity does not act on it");
}

/// Gravity that changes by little at a time, but by much in all, wakes too.
#[test]
fn slow_change_of_gravity_wakes() {
    let (mut world, _, boxes) = sleeping_stack();
    for i in 1..=100 {
        world.set_gravity(vec2(0.05 * i as f32, -10.0)).unwrap();
        world.step(DT);
    }
    assert!(boxes.iter().all(|&id| world.body(id).position().x.abs() > 0.01 || world.body(id).is_awake()));
}

/// A support that is removed, disabled, moved away, turned into a sensor or filtered out lets go of
/// what rests on it.
#[test]
fn losing_the_support_wakes() {
    let floor_shape = |w: &World, b: BodyId| w.body(b).shapes().next().unwrap();
    type Cause<'a> = &'a dyn Fn(&mut World, BodyId);
    let causes: [(&str, Cause); 7] = [
        ("removed", &|w, floor| w.remove_body(floor).unwrap()),
        ("shape removed", &|w, floor| w.remove_shape(floor_shape(w, floor)).unwrap()),
        ("disabled", &|w, floor| w.body_mut(floor).set_enabled(false)),
        ("moved", &|w, floor| w.body_mut(floor).set_position(vec2(0.0, -5.0)).unwrap()),
        ("moved up a little", &|w, floor| w.body_mut(floor).set_position(vec2(0.0, -0.99)).unwrap()),
        ("sensor", &|w, floor| w.shape_mut(floor_shape(w, floor)).set_sensor(true)),
        ("filtered", &|w, floor| {
            w.shape_mut(floor_shape(w, floor)).set_filter(Filter { mask: 0, ..Filter::ALL });
        }),
    ];
    for (why, cause) in causes {
        let (mut world, floor, boxes) = sleeping_stack();
        cause(&mut world, floor);
        assert_wakes(&mut world, &boxes, why);
        if why != "moved up a little" {
            steps(&mut world, 30);
            let height = world.body(boxes[0]).position().y;
            assert!(height < 0.0, "{why}: hangs at {height} m");
        }
    }
}

/// The middle of a stack removed: what was above falls, also if it had slept.
#[test]
fn removing_the_middle_wakes_the_top() {
    let (mut world, _, boxes) = sleeping_stack();
    world.remove_body(boxes[1]).unwrap();
    assert_wakes(&mut world, &boxes, "middle removed");
    steps(&mut world, 120);
    assert!((world.body(boxes[2]).position().y - 1.5).abs() < 0.01);
    assert_eq!(world.awake_body_count(), 0);
}

/// A kinematic platform under sleepers that starts to move, or to turn, takes them along.
#[test]
fn platform_that_starts_wakes_what_lies_on_it() {
    for (velocity, spin) in [(vec2(0.0, 1.0), 0.0), (vec2(0.5, 0.0), 0.0), (Vec2::ZERO, 0.3)] {
        let mut world = World::new(WorldDef::default());
        let platform = world.add_body(BodyDef { position: vec2(0.0, -0.5), ..BodyDef::kinematic() }).unwrap();
        world.add_shape(platform, ShapeDef::rectangle(10.0, 1.0)).unwrap();
        let boxes = [0.5, 1.5, 2.5].map(|y| add(&mut world, vec2(1.0, y), ShapeDef::rectangle(1.0, 1.0)));
        steps(&mut world, 180);
        assert_eq!(world.awake_body_count(), 0, "also the platform sleeps");
        world.body_mut(platform).set_velocity(velocity).unwrap();
        world.body_mut(platform).set_angular_velocity(spin).unwrap();
        assert_wakes(&mut world, &boxes, "platform");
        steps(&mut world, 60);
        let moved = (world.body(boxes[0]).position() - vec2(1.0, 0.5)).length();
        assert!(moved > 0.2, "{velocity} {spin}: the lowest box moved by {moved} m only");
        // On a slow platform nobody falls asleep.
        world.body_mut(platform).set_angular_velocity(0.0).unwrap();
        world.body_mut(platform).set_velocity(vec2(0.0, 0.01)).unwrap();
        steps(&mut world, 120);
        let asleep = boxes.iter().filter(|&&id| world.body(id).is_sleeping()).count();
        assert!(spin != 0.0 || asleep == 0, "{asleep} of the riders fell asleep");
    }
}

/// Sleep is not allowed, or the delay is long: then nobody sleeps.
#[test]
fn sleep_can_be_forbidden() {
    let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
    add_floor(&mut world, 0.6, 0.0);
    let insomniac = add(&mut world, vec2(0.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 180);
    assert!(world.body(insomniac).is_awake());
    world.set_def(WorldDef { sleeping: true, ..*world.def() }).unwrap();
    world.body_mut(insomniac).set_can_sleep(false);
    let other = add(&mut world, vec2(5.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 180);
    assert!(world.body(insomniac).is_awake() && world.body(other).is_sleeping());
    world.set_def(WorldDef { sleeping: false, ..*world.def() }).unwrap();
    assert!(world.body(other).is_awake());
}

/// Every time a body falls asleep it is reported once, and once when it wakes: by turns, and in step
/// with what the body itself says.
#[test]
fn sleep_events_come_by_turns() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let mut rng = Rng::new(77);
    let mut bodies = Vec::new();
    for i in 0..20 {
        bodies.push(add(
            &mut world,
            vec2(1.5 * (i % 5) as f32, 0.6 + 1.1 * (i / 5) as f32),
            ShapeDef::rectangle(1.0, 1.0),
        ));
    }
    let mut asleep: BTreeSet<BodyId> = BTreeSet::new();
    let (mut slept, mut woke) = (0, 0);
    for step in 0..3000 {
        if step % 150 == 149 {
            let body = bodies[rng.below(20) as usize];
            match rng.below(4) {
                0 => world.body_mut(body).apply_impulse(vec2(rng.range(-3.0, 3.0), 3.0)).unwrap(),
                1 => world.body_mut(body).set_position(vec2(rng.range(-2.0, 8.0), 6.0)).unwrap(),
                2 => world.body_mut(body).sleep(),
                _ => world.body_mut(body).wake(),
            }
        }
        world.step(DT);
        let events = world.events();
        // In one step a body may wake and fall asleep, or the other way round; never twice the same.
        for &id in &bodies {
            let count = |list: &[BodyId]| list.iter().filter(|&&other| other == id).count();
            let (fell, rose) = (count(&events.body_slept), count(&events.body_woke));
            let was = usize::from(asleep.contains(&id));
            assert!(fell <= 1 && rose <= 1 && (was + fell).wrapping_sub(rose) <= 1, "step {step}: {id:?}");
            if was + fell - rose == 1 {
                asleep.insert(id);
            } else {
                asleep.remove(&id);
            }
            slept += fell;
            woke += rose;
            assert_eq!(asleep.contains(&id), world.body(id).is_sleeping(), "step {step}: {id:?}");
        }
    }
    println!("{slept} fell asleep, {woke} woke");
    assert!(slept > 50 && woke > 30, "{slept} fell asleep, {woke} woke");
}

/// A world asleep and one with sleeping off agree: sleep hides no motion.
#[test]
fn sleeping_bodies_are_where_they_came_to_rest() {
    let run = |sleeping: bool| {
        let mut world = World::new(WorldDef { sleeping, ..WorldDef::default() });
        add_floor(&mut world, 0.6, 0.0);
        let ids = [0.5, 1.5, 2.5].map(|y| add(&mut world, vec2(0.0, y), ShapeDef::rectangle(1.0, 1.0)));
        steps(&mut world, 600);
        ids.map(|id| world.body(id).position())
    };
    for (asleep, awake) in run(true).into_iter().zip(run(false)) {
        assert!((asleep - awake).length() < 1.0e-3, "{asleep} asleep, {awake} awake");
    }
}

/// Six bricks in a room whose gravity turns. What was at the limit of its friction was set back in each sub-step as if nothing else
/// held it, so that bricks that were wedged trembled for ever: in these eight rooms of 1200.
#[test]
fn wedged_bricks_stop_trembling() {
    for seed in [293, 306, 353, 464, 569, 633, 1042, 1125] {
        let mut rng = Rng::new(seed);
        let mut world = World::new(WorldDef::default());
        for (x, y, width, height) in
            [(0.0, -5.5, 12.0, 1.0), (0.0, 5.5, 12.0, 1.0), (-5.5, 0.0, 1.0, 12.0), (5.5, 0.0, 1.0, 12.0)]
        {
            let wall = world.add_body(BodyDef { position: vec2(x, y), ..BodyDef::fixed() }).unwrap();
            world.add_shape(wall, ShapeDef { friction: 0.5, ..ShapeDef::rectangle(width, height) }).unwrap();
        }
        let bricks: Vec<BodyId> = (0..6_u8)
            .map(|i| {
                let position = vec2(f32::from(i % 3) * 3.2 - 3.2, f32::from(i / 3) * 3.2 - 0.5);
                let size = vec2(rng.range(0.8, 2.6), rng.range(0.6, 1.6));
                let angle = rng.range(-0.6, 0.6);
                let brick = world.add_body(BodyDef { position, angle, ..BodyDef::dynamic() }).unwrap();
                world.add_shape(brick, ShapeDef { friction: 0.5, ..ShapeDef::rectangle(size.x, size.y) }).unwrap();
                brick
            })
            .collect();
        let mut side = 0;
        for turn in 0..7 {
            if turn > 0 {
                side = (side + 1 + rng.below(3)) % 4;
                let sides = [vec2(0.0, -10.0), vec2(10.0, 0.0), vec2(0.0, 10.0), vec2(-10.0, 0.0)];
                world.set_gravity(sides[side as usize]).unwrap();
            }
            let mut steps = 0;
            while bricks.iter().any(|&brick| !world.body(brick).is_sleeping()) {
                world.step(1.0 / 60.0);
                steps += 1;
                assert!(steps < 1200, "room {seed}, turn {turn}: still awake");
            }
        }
    }
}
