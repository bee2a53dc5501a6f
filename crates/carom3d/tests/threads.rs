//! Threads share the work of a step without any effect on the results.

use carom_core::Rng;
use carom3d::prelude::*;

const DT: f64 = 1.0 / 60.0;
const HALF: f64 = 2.0;
const RADIUS: f64 = 0.1;

/// Balls that fall into a box of triangles and make a heap that goes through its steps as a crowd, with a few boxes and
/// capsules among them, and some balls on springs.
fn crowded(threads: u32) -> World {
    let mut world = World::new(WorldDef { threads, ..WorldDef::default() });
    let material = Material { friction: 0.4, restitution: 0.5, rolling_resistance: 0.01 };
    let corner = |x: f64, y: f64, z: f64| dvec3(x, y, z) * HALF;
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let along = dvec3(-z, 0.0, x);
        let low = |side: f64| dvec3(x, -1.0, z) * HALF + along * (side * HALF);
        let up = DVec3::Y * 8.0 * HALF;
        for [a, b, c] in [[low(-1.0), low(1.0), low(1.0) + up], [low(-1.0), low(1.0) + up, low(-1.0) + up]] {
            world.add_body(BodyDef { material, ..BodyDef::triangle(a, b, c) }).unwrap();
        }
    }
    let (a, b, c, d) =
        (corner(-1.0, -1.0, -1.0), corner(1.0, -1.0, -1.0), corner(1.0, -1.0, 1.0), corner(-1.0, -1.0, 1.0));
    for [a, b, c] in [[a, b, c], [a, c, d]] {
        world.add_body(BodyDef { material, ..BodyDef::triangle(a, b, c) }).unwrap();
    }
    let mut rng = Rng::new(7);
    let mut last = None;
    for i in 0..1400_u32 {
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let cell = dvec3(f64::from(i % 12), f64::from(i / 144), f64::from(i / 12 % 12)) - dvec3(5.5, 0.0, 5.5);
        let shape = match i {
            0..1380 => BodyDef::sphere(RADIUS),
            1380..1390 => BodyDef::cuboid(DVec3::splat(0.09)),
            _ => BodyDef::capsule(0.05, 0.07),
        };
        let position = cell * 0.3 + random() * 0.04 + DVec3::Y * (0.3 - HALF);
        let ball = world.add_body(BodyDef { position, velocity: random() * 2.0, material, ..shape }).unwrap();
        if let Some(last) = last.filter(|_| i % 200 == 1) {
            let spring = SpringDef { rest_length: 0.3, stiffness: 50.0, ..SpringDef::between(last, ball) };
            world.add_spring(spring).unwrap();
        }
        last = Some(ball);
    }
    world
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut worlds = [1, 2, 3, 8, 16].map(crowded);
    for step in 0..150 {
        // The number may also change while the world runs, and clones share their threads.
        if step == 60 {
            worlds[2].set_def(WorldDef { threads: 1, ..*worlds[2].def() }).unwrap();
        }
        if step == 90 {
            worlds[1] = worlds[1].clone();
        }
        let hashes = worlds.each_mut().map(|world| {
            world.step(DT);
            world.state_hash()
        });
        assert!(hashes.iter().all(|&hash| hash == hashes[0]), "step {step}: {hashes:x?}");
        assert_eq!(worlds[0].events(), worlds[1].events(), "step {step}");
    }
    worlds[1].validate();
}

#[test]
fn nobody_is_pushed_through_a_wall() {
    let mut world = crowded(2);
    for _ in 0..200 {
        world.step(DT);
    }
    for id in world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic) {
        let place = world.body(id).position();
        assert!(place.x.abs() < HALF && place.z.abs() < HALF && place.y > -HALF, "one left: {place}");
    }
}

#[test]
fn numbers_of_threads_are_checked() {
    for threads in [0, 65, u32::MAX] {
        let error = World::try_new(WorldDef { threads, ..WorldDef::default() }).unwrap_err();
        assert!(error.to_string().contains("WorldDef.threads"), "{error}");
    }
}
