//! How joints come, go, and live with contacts, sleep and wrong definitions.

use crate::{add_free, kinds, weightless};
use carom_checks::validation::{DT, plain_world, steps};
use carom_core::Rng;
use carom2d::Motion;
use carom2d::prelude::*;

/// Joined bodies overlap freely unless the joint says otherwise, and meet again when it is gone.
#[test]
fn joined_bodies_do_not_collide() {
    for collide_connected in [false, true] {
        let mut world = weightless();
        let add = |world: &mut World, x: f32| {
            let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).expect("body");
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
            body
        };
        let (a, b) = (add(&mut world, 0.0), add(&mut world, 0.8));
        world.step(DT);
        assert_eq!(world.contact_count(), 1);
        let def = JointDef::new(a, b, JointKind::Distance(Distance::rope(5.0)));
        let joint = world.add_joint(JointDef { collide_connected, ..def }).expect("joint");
        world.validate();
        steps(&mut world, 60);
        let apart = world.body(b).position().x - world.body(a).position().x;
        assert_eq!(apart > 0.9, collide_connected, "{apart}");
        world.remove_joint(joint).expect("joint");
        steps(&mut world, 60);
        world.validate();
        let apart = world.body(b).position().x - world.body(a).position().x;
        assert!(apart > 0.9, "they meet again: {apart}");
    }
}

/// Whether joined bodies collide can change while they are joined.
#[test]
fn joined_bodies_may_begin_and_cease_to_collide() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let [a, b] = [0.0, 0.8].map(|x| {
        let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).expect("body");
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
        body
    });
    let joint = world.add_joint(JointDef::rope(a, b, 5.0)).expect("joint");
    let apart = |world: &World| world.body(b).position().x - world.body(a).position().x;
    steps(&mut world, 120);
    assert!(world.body(a).is_sleeping() && world.contact_count() == 0 && apart(&world) == 0.8, "{}", apart(&world));
    world.joint_mut(joint).set_collide_connected(true);
    world.validate();
    steps(&mut world, 60);
    assert!(world.joint(joint).def().collide_connected && apart(&world) > 0.9, "{}", apart(&world));
    assert_eq!(world.contact_count(), 1);
    world.joint_mut(joint).set_collide_connected(false);
    world.validate();
    world.body_mut(b).set_velocity(vec2(-1.0, 0.0)).expect("velocity");
    steps(&mut world, 30);
    assert!(world.contact_count() == 0 && apart(&world) < 0.7, "{}", apart(&world));
}

/// What hangs together sleeps together and wakes together; gone bodies take their joints along.
#[test]
fn joined_bodies_sleep_and_wake_together() {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let mut before = wall;
    let mut links = Vec::new();
    for i in 0..5 {
        let link = add_free(&mut world, vec2(0.0, -0.6 * i as f32 - 0.3), 0.0, 1.0);
        let top = vec2(0.0, -0.6 * i as f32);
        let def = JointDef::revolute(before, link).at(&world, top).expect("bodies");
        world.add_joint(def).expect("joint");
        links.push(link);
        before = link;
    }
    steps(&mut world, 600);
    assert!(links.iter().all(|&link| world.body(link).is_sleeping()), "a hanging chain comes to rest");
    world.validate();
    world.body_mut(links[4]).apply_impulse(vec2(0.1, 0.0)).expect("impulse");
    assert!(links.iter().all(|&link| world.body(link).is_awake()), "all wake");
    world.validate();
    world.body_mut(links[2]).set_enabled(false);
    world.validate();
    steps(&mut world, 30);
    assert!(world.body(links[4]).position().y < -3.5, "the lower half fell");
    assert!(world.body(links[1]).position().y > -1.0, "the upper half hangs");
    world.body_mut(links[2]).set_kind(BodyKind::Kinematic);
    world.body_mut(links[2]).set_enabled(true);
    world.validate();
    steps(&mut world, 30);
    world.remove_body(links[2]).expect("body");
    assert_eq!(world.joint_count(), 3);
    world.validate();
    steps(&mut world, 30);
    world.validate();
}

/// Whatever tells a kinematic body to move wakes what hangs on it, by any kind of joint and from either end.
#[test]
fn kinematic_bodies_that_start_wake_what_hangs_on_them() {
    let starts: [fn(&mut World, BodyId); 5] = [
        |world, id| world.body_mut(id).set_velocity(vec2(0.0, 1.0)).expect("velocity"),
        |world, id| world.body_mut(id).set_angular_velocity(1.0).expect("spin"),
        |world, id| world.body_mut(id).move_to(Pose::at(vec2(0.3, 5.5)), 0.5).expect("target"),
        |world, id| {
            let motion = Motion { velocity: vec2(0.0, 1.0), ..world.body(id).motion() };
            world.body_mut(id).set_motion(motion).expect("motion");
        },
        |world, id| world.body_mut(id).set_position(vec2(0.0, 5.3)).expect("position"),
    ];
    let spring = Spring::new(2.0, 0.7);
    let kinds = [
        JointKind::Distance(Distance::rod(2.0)),
        JointKind::Distance(Distance { min: 0.4, max: 4.0, spring: Some((spring, 2.0)), motor: None }),
        JointKind::Revolute(Revolute::default()),
        JointKind::Prismatic(Prismatic::default()),
        JointKind::Weld(Weld::default()),
        JointKind::Wheel(Wheel { spring: Some(spring), target: 0.0, limits: None, motor: None }),
        JointKind::Motor(Drive { max_force: 300.0, max_torque: 50.0, ..Drive::default() }),
    ];
    for kind in kinds {
        for (start, is_first) in starts.iter().flat_map(|start| [(start, true), (start, false)]) {
            let mut world = World::new(WorldDef::default());
            let crane = world.add_body(BodyDef { position: vec2(0.0, 5.0), ..BodyDef::kinematic() }).expect("crane");
            let load = add_free(&mut world, vec2(0.0, 3.0), 0.0, 1.0);
            world.body_mut(load).set_linear_damping(5.0).expect("damping");
            world.body_mut(load).set_angular_damping(5.0).expect("damping");
            let below = if matches!(kind, JointKind::Distance(_)) { Vec2::ZERO } else { vec2(0.0, -2.0) };
            let (body_a, body_b) = if is_first { (crane, load) } else { (load, crane) };
            let (at_crane, at_load) = (Pose::at(below), Pose::IDENTITY);
            let (frame_a, frame_b) = if is_first { (at_crane, at_load) } else { (at_load, at_crane) };
            // Of what slides, gravity would never come to an end.
            world.body_mut(load).set_gravity_scale(0.0).expect("scale");
            world.add_joint(JointDef { frame_a, frame_b, ..JointDef::new(body_a, body_b, kind) }).expect("joint");
            steps(&mut world, 300);
            assert!(world.body(load).is_sleeping(), "{kind:?} comes to rest");
            start(&mut world, crane);
            assert!(world.body(load).is_awake(), "{kind:?}, first {is_first}");
            world.validate();
        }
    }
}

/// The same for what gears tie to the joint of a kinematic body, one gear after the other: it turns as told.
#[test]
fn kinematic_bodies_that_start_wake_what_gears_tie_to_them() {
    let starts: [fn(&mut World, BodyId); 3] = [
        |world, id| world.body_mut(id).set_angular_velocity(1.0).expect("spin"),
        |world, id| world.body_mut(id).move_to(Pose::new(Vec2::ZERO, 1.0), 1.0).expect("target"),
        |world, id| {
            let motion = Motion { angular_velocity: 1.0, ..world.body(id).motion() };
            world.body_mut(id).set_motion(motion).expect("motion");
        },
    ];
    for start in starts {
        let mut world = World::new(WorldDef::default());
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let wall = world.add_body(BodyDef::fixed()).expect("wall");
        let crank = world.add_body(BodyDef::kinematic()).expect("crank");
        let wheels = [3.0, 6.0].map(|x| add_free(&mut world, vec2(x, 0.0), 0.0, 1.0));
        let [first, second, third] = [crank, wheels[0], wheels[1]].map(|body| {
            let pin = JointDef::revolute(wall, body).at(&world, world.body(body).position()).expect("bodies");
            (body, world.add_joint(pin).expect("pin"))
        });
        for ((body_a, joint_a), (body_b, joint_b)) in [(first, second), (second, third)] {
            let gear = JointKind::Gear(Gear { joint_a, joint_b, ratio: 1.0 });
            world.add_joint(JointDef::new(body_a, body_b, gear)).expect("gear");
        }
        steps(&mut world, 120);
        assert!(wheels.iter().all(|&wheel| world.body(wheel).is_sleeping()));
        start(&mut world, crank);
        assert!(wheels.iter().all(|&wheel| world.body(wheel).is_awake()));
        steps(&mut world, 30);
        let spins = wheels.map(|wheel| world.body(wheel).angular_velocity());
        assert!((spins[0] + 1.0).abs() < 0.01 && (spins[1] - 1.0).abs() < 0.01, "{spins:?}");
    }
}

/// A body lists its joints, those that gears tie included, and forgets them when they go.
#[test]
fn bodies_know_their_joints() {
    let mut world = plain_world();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let [first, second] = [0.0, 3.0].map(|x| add_free(&mut world, vec2(x, 0.0), 0.0, 1.0));
    let pins = [first, second].map(|body| world.add_joint(JointDef::revolute(wall, body)).expect("pin"));
    let rope = world.add_joint(JointDef::rope(first, second, 4.0)).expect("rope");
    let gear = JointKind::Gear(Gear { joint_a: pins[0], joint_b: pins[1], ratio: 1.0 });
    let gear = world.add_joint(JointDef::new(first, second, gear)).expect("gear");
    let joints = |world: &World, body: BodyId| world.body(body).joints().collect::<Vec<_>>();
    assert_eq!(joints(&world, wall), pins);
    assert_eq!(joints(&world, first), [pins[0], rope, gear]);
    assert_eq!(joints(&world, second), [pins[1], rope, gear]);
    world.remove_joint(pins[0]).expect("pin");
    assert_eq!(joints(&world, wall), [pins[1]]);
    assert_eq!(joints(&world, first), [rope], "the gear goes with its pin");
    world.remove_body(second).expect("body");
    assert!(joints(&world, wall).is_empty() && joints(&world, first).is_empty());
}

/// What a joint that is switched off could do, it does not: a world with one goes on like a world without it, to the bit, and
/// one in which it was switched off like one from which it was removed.
#[test]
fn joints_that_are_switched_off_are_not_there() {
    let mut rng = Rng::new(4021);
    for instance in 0..40 {
        let mut plain = World::new(WorldDef::default());
        let wall = plain.add_body(BodyDef::fixed()).expect("wall");
        plain.add_shape(wall, ShapeDef::rectangle(40.0, 1.0)).expect("shape");
        let mut bodies = vec![wall];
        for _ in 0..8 {
            let position = vec2(rng.range(-3.0, 3.0), rng.range(1.0, 6.0));
            let body = plain.add_body(BodyDef { position, ..BodyDef::dynamic() }).expect("body");
            plain.add_shape(body, ShapeDef::rectangle(rng.range(0.3, 1.0), 0.4)).expect("shape");
            bodies.push(body);
        }
        let pick = |rng: &mut Rng| bodies[rng.below(bodies.len() as u32) as usize];
        for _ in 0..3 {
            let (a, b) = (pick(&mut rng), pick(&mut rng));
            if a != b {
                let at = plain.body(b).position();
                plain.add_joint(JointDef::revolute(a, b).at(&plain, at).expect("bodies")).expect("pin");
            }
        }
        let (mut off, mut switched, mut removed) = (plain.clone(), plain.clone(), plain.clone());
        let (a, b) = (bodies[1], bodies[2]);
        for kind in kinds(&mut rng) {
            let def = JointDef::new(a, b, kind);
            off.add_joint(JointDef { enabled: false, ..def }).expect("joint");
            let joint = switched.add_joint(def).expect("joint");
            switched.joint_mut(joint).set_enabled(false);
            let joint = removed.add_joint(def).expect("joint");
            removed.remove_joint(joint).expect("joint");
        }
        for step in 0..90 {
            for world in [&mut plain, &mut off, &mut switched, &mut removed] {
                world.step(DT);
            }
            assert_eq!(plain.state_hash(), off.state_hash(), "instance {instance}, step {step}");
            assert_eq!(removed.state_hash(), switched.state_hash(), "instance {instance}, step {step}, switched");
        }
        off.validate();
        switched.validate();
    }
}

/// A joint that is switched on holds again, and one that is switched off lets bodies meet.
#[test]
fn joints_can_be_switched_while_they_hold() {
    let mut world = plain_world();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let bob = add_free(&mut world, vec2(1.0, 0.0), 0.0, 1.0);
    let pin = world.add_joint(JointDef::revolute(wall, bob).at(&world, Vec2::ZERO).expect("bodies")).expect("pin");
    steps(&mut world, 10);
    assert!(world.joint(pin).force().length() > 0.0 && world.joint(pin).is_enabled());
    world.joint_mut(pin).set_enabled(false);
    world.validate();
    let before = world.body(bob).velocity();
    steps(&mut world, 30);
    let fell = world.body(bob).velocity() - before;
    assert!((fell - world.gravity() * 0.5).length() < 1.0e-4, "it falls freely: {fell}");
    assert_eq!(world.joint(pin).force(), Vec2::ZERO);
    world.joint_mut(pin).set_enabled(true);
    world.validate();
    steps(&mut world, 300);
    let open = world.joint(pin).offset().length();
    assert!(open < 1.0e-3, "the pin closes: {open}");

    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let [a, b] = [0.0, 0.8].map(|x| {
        let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).expect("body");
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
        body
    });
    let rope = world.add_joint(JointDef::rope(a, b, 5.0)).expect("rope");
    steps(&mut world, 120);
    assert!(world.body(a).is_sleeping() && world.contact_count() == 0);
    world.joint_mut(rope).set_enabled(false);
    steps(&mut world, 60);
    assert!(world.body(b).position().x - world.body(a).position().x > 0.9, "they meet");
    world.validate();
    world.joint_mut(rope).set_enabled(true);
    assert_eq!(world.contact_count(), 0);
    world.validate();
}

/// A gear rests while one of its joints does, and then meshes where they are.
#[test]
fn gears_rest_while_their_joints_do() {
    let mut world = weightless();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let [first, second] = [0.0, 3.0].map(|x| add_free(&mut world, vec2(x, 0.0), 0.0, 1.0));
    let pins = [first, second].map(|body| {
        let at = world.body(body).position();
        world.add_joint(JointDef::revolute(wall, body).at(&world, at).expect("bodies")).expect("pin")
    });
    let gear = JointKind::Gear(Gear { joint_a: pins[0], joint_b: pins[1], ratio: 1.0 });
    world.add_joint(JointDef::new(first, second, gear)).expect("gear");
    let spins = |world: &World| [first, second].map(|body| world.body(body).angular_velocity());
    world.body_mut(first).set_angular_velocity(2.0).expect("spin");
    steps(&mut world, 30);
    let [a, b] = spins(&world);
    assert!((a + b).abs() < 1.0e-3 && a > 0.9, "it turns both: {a} {b}");
    world.joint_mut(pins[1]).set_enabled(false);
    world.validate();
    world.body_mut(first).set_angular_velocity(5.0).expect("spin");
    steps(&mut world, 30);
    let [a, c] = spins(&world);
    assert!((a - 5.0).abs() < 1.0e-3 && (c - b).abs() < 1.0e-3, "each turns as it did: {a} {c}");
    world.joint_mut(pins[1]).set_enabled(true);
    steps(&mut world, 60);
    world.validate();
    let [a, b] = spins(&world);
    assert!((a + b).abs() < 1.0e-3, "it turns both again: {a} {b}");
}

/// Bodies with a filter between them pass through each other and sleep each for itself; without it they meet.
#[test]
fn filters_keep_bodies_apart_and_nothing_else() {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).expect("ground");
    world.add_shape(ground, ShapeDef::rectangle(40.0, 1.0)).expect("shape");
    let [a, b] = [0.0, 0.3].map(|x| {
        let body = world.add_body(BodyDef { position: vec2(x, 1.0), ..BodyDef::dynamic() }).expect("body");
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
        body
    });
    let filter = world.add_joint(JointDef::filter(a, b)).expect("filter");
    steps(&mut world, 120);
    world.validate();
    let apart = |world: &World| world.body(b).position().x - world.body(a).position().x;
    assert!((apart(&world) - 0.3).abs() < 1.0e-3 && world.body(a).is_sleeping(), "{}", apart(&world));
    assert_ne!(world.island_of(a), world.island_of(b));
    world.body_mut(a).wake();
    world.step(DT);
    assert!(world.body(a).is_awake() && world.body(b).is_sleeping(), "one wakes without the other");
    // A filter may become another joint, and another joint a filter.
    world.joint_mut(filter).set_kind(JointKind::Weld(Weld::default())).expect("weld");
    world.validate();
    assert_eq!(world.island_of(a), world.island_of(b));
    world.joint_mut(filter).set_kind(JointKind::Filter).expect("filter");
    world.validate();
    world.remove_joint(filter).expect("filter");
    steps(&mut world, 120);
    world.validate();
    assert!(apart(&world) > 0.9, "they meet: {}", apart(&world));
}

/// Every wrong definition is refused, and says why.
#[test]
fn wrong_joints_are_refused() {
    let mut world = plain_world();
    let (a, b) = (add_free(&mut world, Vec2::ZERO, 0.0, 1.0), add_free(&mut world, vec2(2.0, 0.0), 0.0, 1.0));
    let gone = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
    world.remove_body(gone).expect("body");
    let kind = |kind: JointKind| JointDef::new(a, b, kind);
    let nan = f32::NAN;
    let cases = [
        (JointDef::revolute(a, a), "JointDef.body_b"),
        (JointDef::revolute(a, gone), "names nothing"),
        (JointDef { hertz: 0.0, ..JointDef::weld(a, b) }, "JointDef.hertz"),
        (JointDef { damping_ratio: nan, ..JointDef::weld(a, b) }, "JointDef.damping_ratio"),
        (JointDef { break_force: -1.0, ..JointDef::weld(a, b) }, "JointDef.break_force"),
        (JointDef { frame_a: Pose::at(vec2(nan, 0.0)), ..JointDef::weld(a, b) }, "JointDef.frame_a"),
        (
            JointDef { frame_b: Pose { p: Vec2::ZERO, q: Rot { c: 0.0, s: 0.0 } }, ..JointDef::weld(a, b) },
            "JointDef.frame_b",
        ),
        (JointDef::rod(a, b, -1.0), "Distance.min"),
        (JointDef::rod(a, b, nan), "Distance.min"),
        (kind(JointKind::Distance(Distance { min: 2.0, max: 1.0, spring: None, motor: None })), "Distance.max"),
        (JointDef::spring(a, b, 1.0, Spring::new(nan, 0.1)), "Spring.hertz"),
        (JointDef::spring(a, b, 1.0, Spring::new(1.0, -0.1)), "Spring.damping_ratio"),
        (
            kind(JointKind::Revolute(Revolute { limits: Some(Limits::new(1.0, 0.0)), ..Revolute::default() })),
            "Limits.lower",
        ),
        (
            kind(JointKind::Revolute(Revolute { motor: Some(Motor::new(nan, 1.0)), ..Revolute::default() })),
            "Motor.speed",
        ),
        (kind(JointKind::Wheel(Wheel { motor: Some(Motor::new(1.0, nan)), ..Wheel::default() })), "Motor.max_force"),
        (kind(JointKind::Motor(Drive { max_torque: -1.0, ..Drive::default() })), "Drive.max_torque"),
        (JointDef::mouse(a, b, vec2(1.0e9, 0.0)), "Mouse.target"),
        (
            kind(JointKind::Pulley(Pulley { pulley_a: Vec2::ZERO, pulley_b: Vec2::ZERO, length: 0.0, ratio: 1.0 })),
            "Pulley.length",
        ),
        (
            kind(JointKind::Pulley(Pulley { pulley_a: Vec2::ZERO, pulley_b: Vec2::ZERO, length: 1.0, ratio: 0.0 })),
            "Pulley.ratio",
        ),
    ];
    for (def, expected) in cases {
        let error = world.add_joint(def).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error:?} should name {expected}");
    }
    assert_eq!(world.joint_count(), 0);
    let weld = world.add_joint(JointDef::weld(a, b)).expect("weld");
    let rod = world.add_joint(JointDef::rod(a, b, 1.0)).expect("rod");
    let gear = JointKind::Gear(Gear { joint_a: weld, joint_b: rod, ratio: 1.0 });
    assert!(world.add_joint(kind(gear)).expect_err("no coordinate").to_string().contains("revolute or prismatic"));
    assert!(world.joint_mut(weld).set_motor_speed(1.0).expect_err("no motor").to_string().contains("motor"));
    world.remove_joint(weld).expect("weld");
    assert!(world.remove_joint(weld).is_err(), "only once");
    world.validate();
}

/// A heavy gate on two hinges, driven into a wall with all the force there is: nothing explodes.
#[test]
fn contradictions_stay_finite() {
    let mut world = plain_world();
    let wall = world.add_body(BodyDef::fixed()).expect("wall");
    let block = add_free(&mut world, Vec2::ZERO, 0.0, 1.0);
    // Two pins that cannot both hold, two welds at different places, a motor of infinite strength.
    for x in [-3.0, 3.0] {
        world.add_joint(JointDef { frame_a: Pose::at(vec2(x, 0.0)), ..JointDef::revolute(wall, block) }).expect("pin");
        world.add_joint(JointDef { frame_a: Pose::at(vec2(0.0, x)), ..JointDef::weld(wall, block) }).expect("weld");
    }
    let motor = Some(Motor::new(1.0e6, f32::INFINITY));
    let kind = JointKind::Revolute(Revolute { motor, ..Revolute::default() });
    world.add_joint(JointDef::new(wall, block, kind)).expect("motor");
    for _ in 0..600 {
        world.step(DT);
        let body = world.body(block);
        assert!(body.position().is_finite() && body.position().length() < 10.0, "{}", body.position());
    }
}
