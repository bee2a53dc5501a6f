//! Soft bodies keep their area, find their form again, and make no momentum.

use carom2d::math::max;
use carom2d::prelude::*;
use carom2d::{SoftBody, SoftBodyDef};
use std::f32::consts::PI;

const DT: f32 = 1.0 / 60.0;

/// A world with a floor whose upper side is at the height 0.
fn world_with_floor() -> World {
    let mut world = World::new(WorldDef::default());
    let floor = world.add_body(BodyDef { position: vec2(0.0, -0.5), ..BodyDef::fixed() }).unwrap();
    world.add_shape(floor, ShapeDef::rectangle(40.0, 1.0)).unwrap();
    world
}

/// Steps, and returns the largest part of the area that was missing or too much after any step.
fn run(world: &mut World, soft: &mut SoftBody, steps: u32, dt: f32) -> f32 {
    let mut worst = 0.0;
    for _ in 0..steps {
        soft.hold(world, dt).unwrap();
        world.step(dt);
        worst = max((soft.area(world).unwrap() / soft.rest_area() - 1.0).abs(), worst);
    }
    worst
}

fn size(world: &World, soft: &SoftBody) -> Vec2 {
    2.0 * (Aabb::around(&soft.rim(world).unwrap()).half_extents() + Vec2::splat(soft.radius()))
}

/// The largest distance of a disc from where it would be on the undeformed body, turned and moved to fit best.
fn deformation(world: &World, soft: &SoftBody, rest: &[Vec2]) -> f32 {
    let rim = soft.rim(world).unwrap();
    let mean = |points: &[Vec2]| points.iter().copied().sum::<Vec2>() / points.len() as f32;
    let (a, b) = (mean(rest), mean(&rim));
    let (mut along, mut across) = (0.0, 0.0);
    for (p, q) in rest.iter().zip(&rim) {
        along += (*p - a).dot(*q - b);
        across += carom2d::math::cross(*p - a, *q - b);
    }
    let turn = Rot { c: along, s: across }.normalized();
    rest.iter().zip(&rim).map(|(p, q)| (turn.rotate(*p - a) - (*q - b)).length()).fold(0.0, max)
}

#[test]
fn a_round_one_is_as_large_as_it_says() {
    let mut world = World::new(WorldDef::default());
    let soft = world.add_soft_body(&SoftBodyDef::disc(vec2(3.0, 4.0), 2.0, 60)).unwrap();
    let area = soft.area(&world).unwrap();
    assert_eq!(area, soft.rest_area());
    // A polygon of 60 corners lacks 2 parts in 1000 of its circle.
    assert!((area / (4.0 * PI) - 1.0).abs() < 2.0e-3, "{area}");
    let mass: f32 = soft.parts().iter().map(|&id| world.body(id).mass()).sum();
    assert!((mass / area - 1.0).abs() < 1.0e-4, "{mass}");
    let size = size(&world, &soft);
    assert!((size - Vec2::splat(4.0)).length() < 0.01, "{size}");
}

#[test]
fn falls_and_comes_to_rest_with_its_area() {
    // A block that falls on its flat side is stopped there all at once, between two looks at its area: it is looked at
    // four times as often, with a sub-step each, which costs about the same.
    for (def, rate) in [
        (SoftBodyDef::disc(vec2(0.0, 2.8), 1.0, 24), 60),
        (SoftBodyDef::disc(vec2(0.0, 2.8), 1.0, 12), 60),
        (SoftBodyDef { density: 20.0, ..SoftBodyDef::disc(vec2(0.0, 2.8), 1.0, 40) }, 60),
        (SoftBodyDef::block(vec2(0.0, 2.8), 3.0, 1.5, 0.25), 240),
    ] {
        let mut world = world_with_floor();
        world.set_def(WorldDef { substeps: 240 / rate, ..WorldDef::default() }).unwrap();
        let mut soft = world.add_soft_body(&def).unwrap();
        let worst = run(&mut world, &mut soft, 8 * rate, 1.0 / rate as f32);
        println!("{} discs: {worst}, {} awake", soft.parts().len(), world.awake_body_count());
        assert!(worst < 0.05, "{} discs: off by {worst}", soft.parts().len());
        assert_eq!(world.awake_body_count(), 0, "at rest, it sleeps");
        let rest = soft.area(&world).unwrap() / soft.rest_area() - 1.0;
        assert!(rest.abs() < 0.01, "{rest}");
        world.validate();
    }
}

#[test]
fn squeezed_by_a_press_it_keeps_its_area_and_finds_its_form_again() {
    for def in [SoftBodyDef::disc(vec2(0.0, 1.0), 1.0, 28), SoftBodyDef::block(vec2(0.0, 1.0), 2.0, 2.0, 0.25)] {
        let mut world = world_with_floor();
        let mut soft = world.add_soft_body(&def).unwrap();
        let rest = soft.rim(&world).unwrap();
        let plate = world.add_body(BodyDef { position: vec2(0.0, 3.0), ..BodyDef::kinematic() }).unwrap();
        world.add_shape(plate, ShapeDef::rectangle(8.0, 0.5)).unwrap();
        let mut worst = run(&mut world, &mut soft, 120, DT);
        let before = deformation(&world, &soft, &rest);
        // Down to 1.1 m, wait, and up again.
        for (target, steps) in [(1.35, 180), (1.35, 120), (3.0, 180)] {
            let from = world.body(plate).position().y;
            world.body_mut(plate).set_velocity(vec2(0.0, (target - from) / (steps as f32 * DT))).unwrap();
            worst = max(run(&mut world, &mut soft, steps, DT), worst);
            world.body_mut(plate).set_velocity(Vec2::ZERO).unwrap();
            if target < 2.0 {
                let size = size(&world, &soft);
                assert!(size.y < 1.15 && size.x > 2.2, "flat and wide: {size}");
            }
        }
        worst = max(run(&mut world, &mut soft, 300, DT), worst);
        let after = deformation(&world, &soft, &rest);
        println!("area off by {worst}; form off by {before} before and {after} after");
        assert!(worst < 0.05, "off by {worst}");
        assert!(after < before + 0.03, "it was {before} m off its form under its own weight, and is {after} m now");
    }
}

#[test]
fn carries_what_is_heavier() {
    let mut world = world_with_floor();
    let mut soft = world.add_soft_body(&SoftBodyDef::block(vec2(0.0, 0.8), 3.0, 1.5, 0.25)).unwrap();
    let stone = world.add_body(BodyDef { position: vec2(0.0, 2.2), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(stone, ShapeDef { density: 10.0, ..ShapeDef::rectangle(1.5, 1.0) }).unwrap();
    assert!(world.body(stone).mass() > 3.0 * soft.rest_area());
    let worst = run(&mut world, &mut soft, 900, DT);
    println!("off by {worst}; stone at {}", world.body(stone).position());
    assert!(worst < 0.05, "off by {worst}");
    assert!(world.body(stone).position().y > 0.8, "{}", world.body(stone).position());
    assert!(soft.pressure() > 0.0);
}

#[test]
fn pressure_makes_no_momentum() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() });
    let def = SoftBodyDef { velocity: vec2(1.0, -2.0), ..SoftBodyDef::disc(vec2(5.0, 5.0), 1.0, 24) };
    let mut soft = world.add_soft_body(&def).unwrap();
    // It swells by a third.
    soft.set_rest_area(4.0 * soft.rest_area() / 3.0).unwrap();
    for _ in 0..120 {
        soft.hold(&mut world, DT).unwrap();
        world.step(DT);
    }
    assert!((soft.area(&world).unwrap() / soft.rest_area() - 1.0).abs() < 0.02);
    let (mut momentum, mut angular, mut mass) = (Vec2::ZERO, 0.0, 0.0);
    for &id in soft.parts() {
        let body = world.body(id);
        mass += body.mass();
        momentum += body.mass() * body.velocity();
        let arm = body.center() - vec2(5.0 + 2.0, 5.0 - 4.0);
        angular += body.mass() * carom2d::math::cross(arm, body.velocity() - vec2(1.0, -2.0));
    }
    assert!((momentum / mass - vec2(1.0, -2.0)).length() < 1.0e-4, "{momentum}");
    assert!(angular.abs() < 1.0e-3, "{angular}");
}

/// How long a swing of the width takes, from one time that it is as at rest to the next but one.
fn wobble_period(rate: u32) -> f32 {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() });
    let spring = |hertz| carom2d::Spring::new(hertz, 0.02);
    let def = SoftBodyDef { skin: spring(6.0), form: spring(3.0), ..SoftBodyDef::disc(Vec2::ZERO, 1.0, 24) };
    let mut soft = world.add_soft_body(&def).unwrap();
    // Pull it wide and let go: a velocity field without divergence.
    for &id in soft.parts() {
        let at = world.body(id).center();
        world.body_mut(id).set_velocity(vec2(at.x, -at.y)).unwrap();
    }
    let dt = 1.0 / rate as f32;
    let mut crossings = Vec::new();
    let mut before = 0.0;
    for step in 0..4 * rate {
        soft.hold(&mut world, dt).unwrap();
        world.step(dt);
        let size = size(&world, &soft);
        let stretch = size.x - size.y;
        if before < 0.0 && stretch >= 0.0 {
            crossings.push((step as f32 + before / (before - stretch)) * dt);
        }
        before = stretch;
    }
    (crossings[2] - crossings[0]) / 2.0
}

#[test]
fn the_wobble_converges() {
    let periods = [60, 120, 240, 480].map(wobble_period);
    println!("{periods:?}");
    let steps: Vec<f32> = periods.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    assert!(steps[2] < steps[0] && steps[2] < 0.01 * periods[3], "{periods:?}");
}

#[test]
fn bad_numbers_are_refused_and_change_nothing() {
    let good = SoftBodyDef::default();
    let bent = [vec2(0.0, 0.0), vec2(1.0, 1.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(-1.0, 3.0), vec2(-2.0, 0.0)];
    let bad_spring = carom2d::Spring::new(f32::NAN, 0.0);
    for (def, name) in [
        (SoftBodyDef { rim: vec![Vec2::ZERO; 5], ..good.clone() }, "rim"),
        (SoftBodyDef { rim: bent.to_vec(), ..good.clone() }, ""),
        (SoftBodyDef { rim: vec![Vec2::NAN; 8], ..good.clone() }, ""),
        (SoftBodyDef::disc(Vec2::ZERO, 1.0, usize::MAX), "rim"),
        (SoftBodyDef::disc(Vec2::ZERO, f32::NAN, 20), ""),
        (SoftBodyDef::disc(Vec2::ZERO, 1.0, 0), "rim"),
        (SoftBodyDef::block(Vec2::ZERO, 1.0, 1.0, f32::NAN), ""),
        (SoftBodyDef::block(Vec2::ZERO, 1.0, 1.0, 1.0e-9), "rim"),
        (SoftBodyDef::block(vec2(1.0e9, 0.0), 1.0, 1.0, 0.1), ""),
        (SoftBodyDef { radius: 0.0, ..good.clone() }, "radius"),
        (SoftBodyDef { density: 0.0, ..good.clone() }, "density"),
        (SoftBodyDef { density: f32::INFINITY, ..good.clone() }, "density"),
        (SoftBodyDef { skin: bad_spring, ..good.clone() }, "hertz"),
        (SoftBodyDef { form: bad_spring, ..good.clone() }, "hertz"),
        (SoftBodyDef { friction: -1.0, ..good.clone() }, "friction"),
        (SoftBodyDef { restitution: 2.0, ..good.clone() }, "restitution"),
        (SoftBodyDef { velocity: Vec2::NAN, ..good.clone() }, "velocity"),
    ] {
        let mut world = World::new(WorldDef::default());
        let error = world.add_soft_body(&def).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
        assert_eq!((world.body_count(), world.joint_count()), (0, 0), "{error}");
    }
    let mut world = World::new(WorldDef::default());
    let mut soft = world.add_soft_body(&good).unwrap();
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(soft.set_rest_area(bad).is_err());
        assert!(soft.hold(&mut world, bad).is_err());
    }
    // Clockwise is as good.
    let mut turned = good.clone();
    turned.rim.reverse();
    assert!(world.add_soft_body(&turned).unwrap().rest_area() > 0.0);
    // One that has lost a part says so; one that is gone leaves nothing behind.
    let part = soft.parts()[3];
    world.remove_body(part).unwrap();
    let state = world.state_hash();
    assert!(soft.hold(&mut world, DT).is_err() && soft.area(&world).is_err());
    assert_eq!(world.state_hash(), state);
    let count = world.body_count();
    soft.remove(&mut world);
    assert_eq!(world.body_count(), count - 23);
    world.validate();
}

#[test]
fn survives_what_it_is_not_made_for() {
    // Without springs, with huge impulses, pinned, and at the edge of the world.
    let mut world = world_with_floor();
    let none = carom2d::Spring::new(0.0, 0.0);
    let mut limp = world.add_soft_body(&SoftBodyDef { skin: none, form: none, ..SoftBodyDef::default() }).unwrap();
    let mut struck = world.add_soft_body(&SoftBodyDef::disc(vec2(6.0, 2.0), 1.0, 24)).unwrap();
    let mut far = world.add_soft_body(&SoftBodyDef::disc(vec2(-9.0e6, 2.0), 1.0e3, 24)).unwrap();
    for step in 0..240 {
        if step % 40 == 0 {
            for &id in &struck.parts()[..6] {
                world.body_mut(id).apply_impulse(vec2(-80.0, 30.0)).unwrap();
            }
        }
        if step == 100 {
            world.body_mut(struck.parts()[0]).set_kind(BodyKind::Fixed);
        }
        for soft in [&mut limp, &mut struck, &mut far] {
            soft.hold(&mut world, DT).unwrap();
        }
        world.step(DT);
    }
    world.validate();
    for soft in [&limp, &struck, &far] {
        assert!(soft.rim(&world).unwrap().iter().all(|p| p.is_finite()));
    }
}
