//! Problems 27 and 28: seams between tiles, and getting out of overlaps.

use super::*;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = seams();
    checks.extend(overlap_recovery());
    checks
}

/// How the tiles of a floor are put together.
#[derive(Clone, Copy, PartialEq)]
enum Tiles {
    Separate,
    Compound,
    Chain,
}

/// Slides a shape at 10 m/s without friction over 200 flush tiles on a slope; returns how far it
/// left the surface and how much its speed changed (relative).
fn slide(tiles: Tiles, slope: f32, shape: ShapeDef, height: f32) -> (f64, f64) {
    // The slope is in the gravity; the tiles lie flat, so the surface is the line y = 0. Gravity
    // along the slope would change the speed: only its part across is kept.
    let mut world = plain_world();
    world.set_gravity(vec2(0.0, -10.0 * carom_core::math::cos(slope))).expect("gravity");
    let ground = world.add_body(BodyDef { angle: slope, ..BodyDef::fixed() }).expect("ground");
    let along = |x: f32, y: f32| Rot::from_angle(slope).rotate(vec2(x, y));
    let gravity = world.gravity().y;
    world.set_gravity(along(0.0, gravity)).expect("gravity");
    if tiles == Tiles::Chain {
        let points: Vec<Vec2> = (0..=200).rev().map(|i| vec2(0.5 * i as f32 - 0.25, 0.0)).collect();
        world.add_shape(ground, ShapeDef { friction: 0.0, ..ShapeDef::chain(&points) }).expect("chain");
    }
    for i in 0..200 {
        let tile = ShapeDef { friction: 0.0, ..ShapeDef::rectangle(0.5, 0.5) };
        let x = 0.5 * i as f32;
        match tiles {
            Tiles::Chain => {}
            Tiles::Compound => {
                world.add_shape(ground, ShapeDef { position: vec2(x, -0.25), ..tile }).expect("tile");
            }
            Tiles::Separate => {
                let body = BodyDef { position: along(x, -0.25), angle: slope, ..BodyDef::fixed() };
                let body = world.add_body(body).expect("tile");
                world.add_shape(body, tile).expect("tile");
            }
        }
    }
    let body = BodyDef { position: along(2.0, height), angle: slope, velocity: along(10.0, 0.0), ..BodyDef::dynamic() };
    let body = world.add_body(body).expect("body");
    world.add_shape(body, ShapeDef { friction: 0.0, ..shape }).expect("shape");
    let mut hop = 0.0;
    while Rot::from_angle(slope).inv_rotate(world.body(body).position()).x < 95.0 && world.step_count() < 1200 {
        world.step(DT);
        let local = Rot::from_angle(slope).inv_rotate(world.body(body).position());
        hop = larger(hop, f64::from(local.y - height));
    }
    let speed = f64::from(Rot::from_angle(slope).inv_rotate(world.body(body).velocity()).x);
    (hop, (speed / 10.0 - 1.0).abs())
}

/// Problem 27: Box, capsule and disc slide over flush tiles without hopping or slowing down.
fn seams() -> Vec<Check> {
    let mut checks = Vec::new();
    let capsule = ShapeDef::capsule(vec2(-0.25, 0.0), vec2(0.25, 0.0), 0.25);
    for (tiles, tiles_name) in [(Tiles::Separate, "separate"), (Tiles::Compound, "compound"), (Tiles::Chain, "chained")]
    {
        for degrees in [0, 10, 20, 30] {
            let slope = degrees as f32 * std::f32::consts::PI / 180.0;
            for (name, shape, height) in [
                ("disc", ShapeDef::circle(0.25), 0.25),
                ("capsule", capsule.clone(), 0.25),
                ("box", ShapeDef::rectangle(0.5, 0.5), 0.25),
            ] {
                let (hop, slowed) = slide(tiles, slope, shape, height);
                checks.push(Check::new(
                    format!("27 {name} on {tiles_name} tiles at {degrees} deg, hop (m)"),
                    hop,
                    1.0e-3,
                ));
                checks.push(Check::new(
                    format!("27 {name} on {tiles_name} tiles at {degrees} deg, speed change (relative)"),
                    slowed,
                    1.0e-3,
                ));
            }
        }
    }
    checks
}

/// Problem 28: Overlapping bodies come apart gently.
fn overlap_recovery() -> Vec<Check> {
    // Two unit boxes almost in the same place.
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    let a = add(&mut world, vec2(0.0, 0.0), ShapeDef::rectangle(1.0, 1.0));
    let b = add(&mut world, vec2(0.1, 0.0), ShapeDef::rectangle(1.0, 1.0));
    let mut speed = 0.0;
    let mut apart = f64::INFINITY;
    for step in 1..=240 {
        world.step(DT);
        speed = larger(speed, f64::from((world.body(a).velocity() - world.body(b).velocity()).length()));
        if apart.is_infinite() && deepest_overlap(&world) < 0.006 {
            apart = f64::from(step) / 60.0;
        }
    }
    let mut checks = vec![
        Check::new("28 two boxes, separation speed (m/s)", speed, 4.0),
        Check::new("28 two boxes, apart after (s)", apart, 2.0),
    ];

    // A thousand discs at one point.
    let mut world = plain_world();
    world.set_gravity(Vec2::ZERO).expect("gravity");
    for _ in 0..1000 {
        add(&mut world, Vec2::ZERO, ShapeDef::circle(0.1));
    }
    let mut speed = 0.0;
    for _ in 0..120 {
        world.step(DT);
        for id in world.bodies() {
            speed = larger(speed, f64::from(world.body(id).velocity().length()));
        }
    }
    let finite = world.bodies().all(|id| world.body(id).position().is_finite());
    checks.push(Check::new("28 thousand discs at a point, speed (m/s)", speed, 4.0));
    checks.push(Check::new("28 thousand discs at a point, overlap after 2 s (m)", deepest_overlap(&world), 0.02));
    checks.push(Check::holds("28 thousand discs at a point, finite", finite && world.events().body_frozen.is_empty()));

    // A pyramid whose rows overlap by half.
    let mut world = plain_world();
    add_floor(&mut world, 0.6, 0.0);
    let mut boxes = Vec::new();
    for row in 0..10 {
        for column in row..10 {
            let x = 0.5 * (row as f32 + 1.0) + (column - row) as f32 - 5.0;
            boxes.push(add(&mut world, vec2(0.5 * x, 0.5 * (row as f32) + 0.5), ShapeDef::rectangle(1.0, 1.0)));
        }
    }
    let mut speed = 0.0;
    for _ in 0..30 {
        world.step(DT);
        for &id in &boxes {
            speed = larger(speed, f64::from(world.body(id).velocity().length()));
        }
    }
    checks.push(Check::new("28 pyramid at half overlap, speed in the first half second (m/s)", speed, 4.0));
    steps(&mut world, 90);
    checks.push(Check::new("28 pyramid at half overlap, overlap after 2 s (m)", deepest_overlap(&world), 0.02));
    checks
}
