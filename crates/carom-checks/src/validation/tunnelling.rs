//! Problem 26: fast bodies against thin walls. And beyond the catalogue, seams at high speed.

use super::*;
use std::f32::consts::PI;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = matrix();
    checks.extend(spinning_rod());
    checks.extend(hovering());
    checks.extend(bullets());
    checks.extend(paddle());
    checks.extend(fast_seams());
    checks.extend(fast_bounce());
    checks
}

/// How many places a body starts from, evenly over the way of one step.
const PHASES: usize = 64;

/// Half the height of the walls in metres: far more than a body moves along them in the time it is watched.
const HALF_HEIGHT: f32 = 40.0;

/// What stands in the way, at x = 0.
#[derive(Clone, Copy, PartialEq)]
enum Wall {
    /// Two centimetres thick.
    Fixed,
    Segment,
    /// Two segments that meet at a right angle, its inside towards the body.
    Corner,
    /// Two segments that meet at a right angle, its edge towards the body.
    Edge,
    /// The same as chains, which are solid from the body's side alone.
    ChainCorner,
    ChainEdge,
    /// Comes towards the body at 20 m/s.
    Kinematic,
    /// Can be pushed; the body is a bullet.
    Dynamic,
}

fn add_wall(world: &mut World, wall: Wall) -> BodyId {
    let def = match wall {
        Wall::Kinematic => BodyDef { velocity: vec2(-20.0, 0.0), ..BodyDef::kinematic() },
        Wall::Dynamic => BodyDef::dynamic(),
        _ => BodyDef::fixed(),
    };
    let body = world.add_body(def).expect("wall");
    let far = HALF_HEIGHT;
    let shapes = match wall {
        Wall::Fixed | Wall::Kinematic | Wall::Dynamic => vec![ShapeDef::rectangle(0.02, 2.0 * far)],
        Wall::Segment => vec![ShapeDef::segment(vec2(0.0, -far), vec2(0.0, far))],
        Wall::Corner => vec![
            ShapeDef::segment(vec2(-far, -far), vec2(0.0, 0.0)),
            ShapeDef::segment(vec2(0.0, 0.0), vec2(-far, far)),
        ],
        Wall::Edge => {
            vec![ShapeDef::segment(vec2(far, -far), vec2(0.0, 0.0)), ShapeDef::segment(vec2(0.0, 0.0), vec2(far, far))]
        }
        Wall::ChainCorner => vec![ShapeDef::chain(&[vec2(-far, far), vec2(0.0, 0.0), vec2(-far, -far)])],
        Wall::ChainEdge => vec![ShapeDef::chain(&[vec2(far, far), vec2(0.0, 0.0), vec2(far, -far)])],
    };
    world.add_shapes(body, &shapes).expect("wall");
    body
}

/// How far behind the wall a point is, in metres; negative before it.
fn behind(wall: Wall, point: Vec2) -> f32 {
    match wall {
        Wall::Corner | Wall::ChainCorner => point.x + point.y.abs(),
        Wall::Edge | Wall::ChainEdge => point.x - point.y.abs(),
        _ => point.x,
    }
}

/// Shoots a body at a wall from every phase; returns how often it went through.
fn shoot(wall: Wall, shape: &ShapeDef, spin: f32, speed: f32) -> usize {
    let mut through = 0;
    for phase in 0..PHASES {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let target = add_wall(&mut world, wall);
        let start = -2.0 - speed * DT * (1.0 + phase as f32 / PHASES as f32);
        let body = BodyDef {
            position: vec2(start, 0.003 * (phase as f32 - 31.5)),
            angle: 2.0 * PI * phase as f32 / PHASES as f32,
            velocity: vec2(speed, 0.0),
            angular_velocity: spin,
            bullet: wall == Wall::Dynamic,
            ..BodyDef::dynamic()
        };
        let body = world.add_body(body).expect("body");
        world.add_shape(body, shape.clone()).expect("shape");
        let mut gone = false;
        for _ in 0..30 {
            world.step(DT);
            let local = world.body(target).local_point(world.body(body).position());
            gone |= behind(wall, local) > 0.05 && local.y.abs() < 0.95 * HALF_HEIGHT;
        }
        through += usize::from(gone);
    }
    through
}

/// Discs, boxes, capsules and spinning rods against everything thin.
fn matrix() -> Vec<Check> {
    let mut checks = Vec::new();
    let walls = [
        (Wall::Fixed, "a fixed wall"),
        (Wall::Segment, "a segment"),
        (Wall::Corner, "a corner of segments"),
        (Wall::Edge, "an edge of segments"),
        (Wall::ChainCorner, "a corner of a chain"),
        (Wall::ChainEdge, "an edge of a chain"),
        (Wall::Kinematic, "a kinematic wall"),
        (Wall::Dynamic, "a dynamic wall, bullet"),
    ];
    let shapes = [
        ("disc", ShapeDef::circle(0.1), 0.0),
        ("box", ShapeDef::rectangle(0.2, 0.2), 0.0),
        ("capsule", ShapeDef::capsule(vec2(-0.1, 0.0), vec2(0.1, 0.0), 0.05), 0.0),
        ("rod at 50 rad/s", ShapeDef::rectangle(1.0, 0.02), 50.0),
    ];
    for (wall, wall_name) in walls {
        for (name, shape, spin) in &shapes {
            for speed in [50.0, 100.0, 200.0, 399.0] {
                let through = shoot(wall, shape, *spin, speed);
                checks.push(Check::new(
                    format!("26 {name} at {speed} m/s through {wall_name} (of {PHASES})"),
                    through as f64,
                    0.0,
                ));
            }
        }
    }
    checks
}

/// A thin rod that only spins, beside a thin wall within its reach: the swing must not pass.
fn spinning_rod() -> Vec<Check> {
    let mut passed = 0;
    for phase in 0..PHASES {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let wall = world.add_body(BodyDef { position: vec2(0.4, 0.0), ..BodyDef::fixed() }).expect("wall");
        world.add_shape(wall, ShapeDef::rectangle(0.02, 10.0)).expect("wall");
        // Upright, or turned by as much as leaves its ends before the wall.
        let angle = 0.5 * PI + 0.6 * (phase as f32 / (PHASES - 1) as f32 - 0.5);
        let def = BodyDef { angle, angular_velocity: 100.0, ..BodyDef::dynamic() };
        let rod = world.add_body(def).expect("rod");
        world.add_shape(rod, ShapeDef::rectangle(1.0, 0.02)).expect("rod");
        // Its end reaches 9 cm beyond the wall if nothing stops it; while it spins freely at 100 rad/s it
        // turns by 1.7 rad in a step.
        let mut deepest = 0.0_f32;
        for _ in 0..20 {
            world.step(DT);
            for end in [vec2(-0.5, 0.0), vec2(0.5, 0.0)] {
                let x = world.body(rod).world_point(end).x;
                deepest = if x > deepest { x } else { deepest };
            }
        }
        let spun = world.body(rod).angular_velocity();
        passed += usize::from(deepest > 0.41 || spun > 99.0);
    }
    vec![Check::new(format!("26 rod spinning at 100 rad/s through a wall beside it (of {PHASES})"), passed as f64, 0.0)]
}

/// What hit a smooth wall falls down along it like anything else: 5 m in a second.
fn hovering() -> Vec<Check> {
    let mut worst = 0.0;
    for phase in 0..PHASES {
        for (shape, spin) in [
            (ShapeDef::circle(0.1), 0.0),
            (ShapeDef::rectangle(0.2, 0.2), 10.0),
            (ShapeDef::capsule(vec2(-0.1, 0.0), vec2(0.1, 0.0), 0.05), 20.0),
        ] {
            let mut world = plain_world();
            let wall = world.add_body(BodyDef::fixed()).expect("wall");
            world.add_shape(wall, ShapeDef { friction: 0.0, ..ShapeDef::rectangle(0.02, 80.0) }).expect("wall");
            let def = BodyDef {
                position: vec2(-1.0 - 200.0 * DT * phase as f32 / PHASES as f32, 0.0),
                velocity: vec2(200.0, 0.0),
                angular_velocity: spin,
                ..BodyDef::dynamic()
            };
            let body = world.add_body(def).expect("body");
            world.add_shape(body, ShapeDef { friction: 0.0, ..shape }).expect("shape");
            steps(&mut world, 60);
            worst = larger(worst, 1.0 - f64::from(world.body(body).position().y) / -5.0);
        }
    }
    // Waiting for the contact costs a part of one step of sixty.
    vec![Check::new("26 after hitting a smooth wall, fall held up (relative)", worst, 0.05)]
}

/// Two small bullets that meet in mid-air, head on and crossing.
fn bullets() -> Vec<Check> {
    let shoot = |directions: [Vec2; 2], phase: usize| {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let lead = 5.0 + 200.0 * DT * phase as f32 / PHASES as f32;
        let ids = directions.map(|direction| {
            let (position, velocity) = (direction * -lead, direction * 200.0);
            let body = world.add_body(BodyDef { position, velocity, bullet: true, ..BodyDef::dynamic() });
            let body = body.expect("bullet");
            world.add_shape(body, ShapeDef { restitution: 1.0, ..ShapeDef::circle(0.05) }).expect("bullet");
            body
        });
        steps(&mut world, 12);
        // Equal masses that meet elastically change their direction; those that missed have not.
        ids.iter().zip(directions).all(|(&id, direction)| world.body(id).velocity().dot(direction) < 190.0)
    };
    let missed = |directions: [Vec2; 2]| (0..PHASES).filter(|&phase| !shoot(directions, phase)).count() as f64;
    let (right, left, up) = (vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0));
    vec![
        Check::new(
            format!("26 bullets at 200 m/s through each other, head on (of {PHASES})"),
            missed([right, left]),
            0.0,
        ),
        Check::new(
            format!("26 bullets at 200 m/s through each other, crossing (of {PHASES})"),
            missed([right, up]),
            0.0,
        ),
    ]
}

/// A thin kinematic paddle at 60 m/s against a disc that rests.
fn paddle() -> Vec<Check> {
    let mut missed = 0;
    for phase in 0..PHASES {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let start = -2.0 - phase as f32 / PHASES as f32;
        let def = BodyDef { position: vec2(start, 0.0), velocity: vec2(60.0, 0.0), ..BodyDef::kinematic() };
        let paddle = world.add_body(def).expect("paddle");
        world.add_shape(paddle, ShapeDef::rectangle(0.02, 2.0)).expect("paddle");
        let disc = add(&mut world, Vec2::ZERO, ShapeDef::circle(0.1));
        steps(&mut world, 10);
        let ahead = world.body(disc).position().x - world.body(paddle).position().x;
        let speed = world.body(disc).velocity().x;
        missed += usize::from(!(ahead > 0.1 && (speed - 60.0).abs() < 0.1));
    }
    vec![Check::new(format!("26 resting disc missed by a paddle at 60 m/s (of {PHASES})"), missed as f64, 0.0)]
}

/// Bodies that slide over flush tiles at high speed are neither stopped nor thrown up by seams: five and twenty times
/// the speed that problem 27 asks for.
fn fast_seams() -> Vec<Check> {
    let mut checks = Vec::new();
    let capsule = ShapeDef::capsule(vec2(-0.25, 0.0), vec2(0.25, 0.0), 0.25);
    for (name, shape, height) in [
        ("disc", ShapeDef::circle(0.25), 0.25),
        ("capsule", capsule, 0.25),
        ("box", ShapeDef::rectangle(0.5, 0.5), 0.25),
        ("thin rod", ShapeDef::rectangle(1.0, 0.04), 0.02),
    ] {
        for speed in [50.0_f32, 200.0] {
            for segments in [false, true] {
                let mut world = plain_world();
                let floor = world.add_body(BodyDef::fixed()).expect("floor");
                let length = 2.0 * speed + 20.0;
                let tiles: Vec<ShapeDef> = (0..(length / 0.5) as usize)
                    .map(|i| {
                        let x = 0.5 * i as f32 - 10.0;
                        let tile = if segments {
                            ShapeDef::segment(vec2(x - 0.25, 0.0), vec2(x + 0.25, 0.0))
                        } else {
                            ShapeDef { position: vec2(x, -0.25), ..ShapeDef::rectangle(0.5, 0.5) }
                        };
                        ShapeDef { friction: 0.0, ..tile }
                    })
                    .collect();
                world.add_shapes(floor, &tiles).expect("tiles");
                let shape = ShapeDef { friction: 0.0, ..shape.clone() };
                let body = add_moving(&mut world, vec2(0.0, height), vec2(speed, 0.0), shape);
                let (mut hop, mut late) = (0.0, 0.0);
                for step in 1..=120 {
                    world.step(DT);
                    let position = world.body(body).position();
                    hop = larger(hop, f64::from((position.y - height).abs()));
                    late = larger(late, f64::from(1.0 - position.x / (speed * DT * step as f32)));
                }
                let tiles = if segments { "segments" } else { "tiles" };
                let id = format!("fast seams, {name} over {tiles} at {speed} m/s");
                checks.push(Check::new(format!("{id}, hop (m)"), hop, 5.0e-3));
                checks.push(Check::new(format!("{id}, lag (relative)"), late, 1.0e-3));
            }
        }
    }
    checks
}

/// A small disc that bounces elastically between a thin floor and a thin ceiling keeps its energy.
fn fast_bounce() -> Vec<Check> {
    let mut world = plain_world();
    let room = world.add_body(BodyDef::fixed()).expect("room");
    for y in [-0.01, 3.01] {
        let plate = ShapeDef { position: vec2(0.0, y), friction: 0.0, ..ShapeDef::rectangle(20.0, 0.02) };
        world.add_shape(room, plate).expect("plate");
    }
    let shape = ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::circle(0.05) };
    let disc = add_moving(&mut world, vec2(0.0, 1.0), vec2(0.0, 30.0), shape);
    let energy = |world: &World| {
        let (position, velocity) = (world.body(disc).position(), world.body(disc).velocity());
        0.5 * f64::from(velocity.length_squared()) + 10.0 * f64::from(position.y)
    };
    let start = energy(&world);
    let mut worst = 0.0;
    for _ in 0..1200 {
        world.step(DT);
        worst = larger(worst, (energy(&world) / start - 1.0).abs());
    }
    vec![Check::with_goal("26 disc bouncing at 30 m/s for 20 s, energy change (relative)", worst, 1.0e-2, 1.0e-3)]
}
