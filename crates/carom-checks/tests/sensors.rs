//! Sensors: what is inside when a step ends, and what passes through within one.

use carom_core::Rng;
use carom_core::math::min;
use carom2d::math::{Pose, Rot};
use carom2d::prelude::*;
use carom2d::shape::{geometry_distance, overlap};
use carom2d::{Hooks, Pair, PairView, SensorEvent};

const DT: f32 = 1.0 / 60.0;

fn empty_world() -> World {
    World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() })
}

/// Adds a body with one shape.
fn add(world: &mut World, body: BodyDef, shape: ShapeDef) -> (BodyId, ShapeId) {
    let id = world.add_body(body).unwrap();
    (id, world.add_shape(id, shape).unwrap())
}

fn sensor(shape: ShapeDef) -> ShapeDef {
    ShapeDef { sensor: true, ..shape }
}

/// How often a sensor pair began and ended in the last step.
fn counts(world: &World) -> (usize, usize) {
    (world.events().sensor_begin.len(), world.events().sensor_end.len())
}

/// A ball of 0.2 m at 30 m/s passes a sensor of 0.2 m: it is reported once, whatever the phase of its steps.
#[test]
fn a_fast_ball_is_noticed_in_every_phase() {
    for phase in 0..80 {
        let mut world = empty_world();
        let (_, gate) = add(&mut world, BodyDef::fixed(), sensor(ShapeDef::rectangle(0.2, 0.2)));
        let position = vec2(-3.0 - phase as f32 * 0.5 / 80.0, 0.0);
        let ball = BodyDef { position, velocity: vec2(30.0, 0.0), ..BodyDef::dynamic() };
        let (_, visitor) = add(&mut world, ball, ShapeDef::circle(0.1));
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            world.step(DT);
            world.validate();
            begun.extend(world.events().sensor_begin.clone());
            ended.extend(world.events().sensor_end.clone());
            let inside = world.body(world.shape(visitor).body()).position().x.abs() < 0.2;
            assert_eq!(begun.len() > ended.len(), inside, "phase {phase}");
        }
        let event = SensorEvent { sensor: gate, visitor };
        assert_eq!((begun, ended), (vec![event], vec![event]), "phase {phase}");
    }
}

/// A random outline of about `size`.
fn random_shape(rng: &mut Rng, size: f32) -> ShapeDef {
    match rng.below(8) {
        0 => ShapeDef::circle(0.5 * size),
        1 => ShapeDef::rectangle(size, rng.range(0.05, 1.0) * size),
        2 => ShapeDef::capsule(vec2(-0.4 * size, 0.0), vec2(0.4 * size, 0.0), rng.range(0.05, 0.3) * size),
        3 => ShapeDef::segment(vec2(-0.5 * size, 0.1 * size), vec2(0.5 * size, -0.1 * size)),
        4 => ShapeDef::convex(&[vec2(-0.5, -0.4), vec2(0.6, -0.3), vec2(0.1, 0.5)].map(|p| p * size)),
        5 => ShapeDef::ellipse(0.5 * size, rng.range(0.1, 0.5) * size),
        6 => ShapeDef::chain(&[vec2(-0.6, 0.3), vec2(-0.2, -0.3), vec2(0.2, 0.3), vec2(0.6, -0.3)].map(|p| p * size)),
        _ => {
            let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (0.2, 0.5), (0.2, -0.2), (-0.2, -0.2), (-0.2, 0.5)];
            let corners: Vec<Vec2> = corners.iter().chain(&[(-0.5, 0.5)]).map(|&(x, y)| size * vec2(x, y)).collect();
            ShapeDef::concave(&corners)
        }
    }
}

/// A body's motion through a step: where its origin is and its angle, before and after.
#[derive(Clone, Copy)]
struct Path {
    pose: Pose,
    translation: Vec2,
    turn: f32,
    extent: f32,
}

impl Path {
    /// Bodies turn about their origins here: centres of mass are there, or spins are zero.
    fn at(&self, fraction: f32) -> Pose {
        Pose {
            p: self.pose.p + fraction * self.translation,
            q: Rot::from_angle(self.turn * fraction).compose(self.pose.q),
        }
    }
}

/// What a fine look at a step says of two shapes that overlap neither before nor after it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Apart,
    Crossed,
    /// Too near to tell by samples.
    Unclear,
}

const SAMPLES: usize = 300;

fn look(a: &Geometry, path_a: &Path, b: &Geometry, path_b: &Path) -> Way {
    let moved = (path_a.translation - path_b.translation).length();
    let spacing = (moved + path_a.turn.abs() * path_a.extent + path_b.turn.abs() * path_b.extent) / SAMPLES as f32;
    let (mut inside, mut nearest) = (0, f32::MAX);
    for sample in 0..=SAMPLES {
        let fraction = sample as f32 / SAMPLES as f32;
        let distance = geometry_distance(a, path_a.at(fraction), b, path_b.at(fraction)).distance;
        inside += usize::from(distance <= 0.0);
        nearest = min(nearest, distance);
    }
    if inside >= 3 {
        Way::Crossed
    } else if nearest > spacing + 2.0e-3 {
        Way::Apart
    } else {
        Way::Unclear
    }
}

/// A random body whose centre of mass is its origin if it spins.
fn random_body(rng: &mut Rng, kind: BodyKind, position: Vec2, velocity: Vec2, spins: bool) -> BodyDef {
    let spin = if spins { rng.range(-25.0, 25.0) } else { 0.0 };
    let moves = kind != BodyKind::Fixed;
    BodyDef {
        kind,
        position,
        angle: rng.range(-3.0, 3.0),
        velocity: if moves { velocity } else { Vec2::ZERO },
        angular_velocity: if moves { spin } else { 0.0 },
        ..BodyDef::dynamic()
    }
}

/// Fast bodies through sensors, fast sensors over bodies, and both: each step's events are those that a fine look at the
/// step's motion finds. A pair of compounds is counted once.
#[test]
fn crossings_of_random_bodies_are_reported_once() {
    let (mut crossings, mut arrivals, mut unclear) = (0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let dt = rng.range(1.0 / 120.0, 1.0 / 30.0);
        let mut world = empty_world();
        let speed = rng.range(60.0, 300.0);
        let angle = rng.range(-3.0, 3.0);
        let (along, across) =
            (Rot::from_angle(angle).rotate(vec2(1.0, 0.0)), Rot::from_angle(angle).rotate(vec2(0.0, 1.0)));
        let (sizes, offset) = ([rng.range(0.05, 0.9), rng.range(0.05, 0.9)], rng.range(-0.8, 0.8));
        let far = -rng.range(1.0, 4.0) * along + offset * across;
        let [fixed, kinematic, dynamic] = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];
        // Which of the two is fast, and what the other is.
        let fast_sensor = rng.below(2) == 0;
        let slow_kind = [fixed, kinematic, dynamic, dynamic][rng.below(4) as usize];
        let fast_kind = [kinematic, dynamic, dynamic][rng.below(3) as usize];
        let drift = [Vec2::ZERO, vec2(rng.range(-20.0, 20.0), rng.range(-20.0, 20.0))][rng.below(2) as usize];
        let shapes = [random_shape(&mut rng, sizes[0]), random_shape(&mut rng, sizes[1])];
        let [slow_shape, fast_shape] = shapes;
        let centered = |shape: &ShapeDef| shape.build().unwrap().centroid().length() < 1.0e-6;
        let spins = centered(&slow_shape) && centered(&fast_shape);
        let slow = random_body(&mut rng, slow_kind, Vec2::ZERO, drift, spins);
        let fast = random_body(&mut rng, fast_kind, far, speed * along + drift, spins);
        let (slow_shape, fast_shape) =
            if fast_sensor { (slow_shape, sensor(fast_shape)) } else { (sensor(slow_shape), fast_shape) };
        let slow = BodyDef { awake: slow.velocity != Vec2::ZERO || slow.angular_velocity != 0.0, ..slow };
        let (slow, slow_shape) = add(&mut world, slow, slow_shape);
        let (fast, fast_shape) = add(&mut world, fast, fast_shape);
        let event = if fast_sensor {
            SensorEvent { sensor: fast_shape, visitor: slow_shape }
        } else {
            SensorEvent { sensor: slow_shape, visitor: fast_shape }
        };
        let geometries = [slow_shape, fast_shape].map(|shape| world.shape(shape).geometry().clone());
        let slept = !world.body(slow).is_awake();
        let mut inside = false;
        for step in 0..10 {
            let poses = [slow, fast].map(|body| world.body(body).pose());
            let spins = [slow, fast].map(|body| world.body(body).angular_velocity());
            world.step(dt);
            world.validate();
            let ends = [slow, fast].map(|body| world.body(body).pose());
            let path = |i: usize| Path {
                pose: poses[i],
                translation: ends[i].p - poses[i].p,
                turn: spins[i] * dt,
                extent: sizes[i],
            };
            let now = overlap(&geometries[0], ends[0], &geometries[1], ends[1]);
            let one = |list: &[SensorEvent], reported: bool| {
                assert_eq!(list, &[event][..usize::from(reported)], "seed {seed} step {step}");
            };
            let (begun, ended) = (&world.events().sensor_begin, &world.events().sensor_end);
            if now != inside || now {
                one(begun, now && !inside);
                one(ended, inside && !now);
                arrivals += usize::from(now && !inside);
            } else {
                assert_eq!(begun, ended, "seed {seed} step {step}");
                match look(&geometries[0], &path(0), &geometries[1], &path(1)) {
                    Way::Crossed => one(begun, true),
                    Way::Apart => one(begun, false),
                    Way::Unclear => unclear += 1,
                }
                crossings += begun.len();
            }
            inside = now;
            assert_eq!(world.body(slow).is_awake(), !slept, "a sensor wakes nothing: seed {seed}");
        }
    }
    // So that it cannot pass by finding nothing.
    assert!(crossings > 80 && arrivals > 30 && unclear < 40, "{crossings} crossings, {arrivals} arrivals, {unclear}");
}

/// A ball at 120 m/s through a thin sensor, with a change to the two shapes and bodies: how many begins and ends there are.
fn shot(def: WorldDef, change: impl Fn(&mut World, [BodyId; 2], [ShapeId; 2])) -> (usize, usize) {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..def });
    let (gate, gate_shape) = add(&mut world, BodyDef::fixed(), sensor(ShapeDef::rectangle(0.05, 4.0)));
    let ball = BodyDef { position: vec2(-3.0, 0.0), velocity: vec2(120.0, 0.0), ..BodyDef::dynamic() };
    let (ball, ball_shape) = add(&mut world, ball, ShapeDef::circle(0.1));
    change(&mut world, [gate, ball], [gate_shape, ball_shape]);
    let mut sum = (0, 0);
    for _ in 0..4 {
        world.step(DT);
        world.validate();
        let (begun, ended) = counts(&world);
        sum = (sum.0 + begun, sum.1 + ended);
    }
    sum
}

/// Filters, disabled bodies, walls before the sensor and the world's settings are respected; two sensors report each other.
#[test]
fn crossings_follow_the_rules_of_overlaps() {
    let plain = WorldDef::default();
    assert_eq!(shot(plain, |_, _, _| {}), (1, 1));
    assert_eq!(
        shot(plain, |world, _, [gate, _]| world.shape_mut(gate).set_filter(Filter { mask: 2, ..Filter::ALL })),
        (0, 0)
    );
    assert_eq!(
        shot(plain, |world, _, shapes| {
            for shape in shapes {
                world.shape_mut(shape).set_filter(Filter { group: -1, ..Filter::ALL });
            }
        }),
        (0, 0)
    );
    assert_eq!(shot(plain, |world, [gate, _], _| world.body_mut(gate).set_enabled(false)), (0, 0));
    assert_eq!(shot(plain, |world, _, [_, ball]| world.shape_mut(ball).set_sensor(true)), (2, 2));
    assert_eq!(shot(plain, |world, _, [gate, _]| world.shape_mut(gate).set_sensor(false)), (0, 0));
    assert_eq!(shot(WorldDef { continuous: Continuous::Off, ..plain }, |_, _, _| {}), (0, 0));
    // Stopped before it.
    let wall = |world: &mut World, at: f32| {
        add(world, BodyDef { position: vec2(at, 0.0), ..BodyDef::fixed() }, ShapeDef::rectangle(0.1, 4.0));
    };
    assert_eq!(shot(plain, |world, _, _| wall(world, -0.5)), (0, 0));
    // Stopped behind it.
    assert_eq!(shot(plain, |world, _, _| wall(world, 0.5)), (1, 1));
    // One body, several shapes: each is a visitor of its own. Shapes of one body do not meet.
    assert_eq!(
        shot(plain, |world, [_, ball], _| {
            world.add_shape(ball, ShapeDef { position: vec2(0.0, 0.5), ..ShapeDef::circle(0.1) }).unwrap();
            world.add_shape(ball, ShapeDef { position: vec2(0.0, 0.5), ..sensor(ShapeDef::circle(0.3)) }).unwrap();
        }),
        (4, 4)
    );
}

/// Refuses all pairs with a sensor.
struct NoSensors;

impl Hooks for NoSensors {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        if pair.sensor { Pair::Ignore } else { Pair::Meet }
    }
}

/// Hooks are asked about crossings and late arrivals as about all pairs.
#[test]
fn hooks_may_refuse_crossings() {
    for phase in 0..10 {
        let mut world = empty_world();
        add(&mut world, BodyDef::fixed(), sensor(ShapeDef::rectangle(0.3, 0.3)));
        let position = vec2(-3.0 - 0.1 * phase as f32, 0.0);
        let ball = BodyDef { position, velocity: vec2(60.0, 0.0), ..BodyDef::dynamic() };
        add(&mut world, ball, ShapeDef::circle(0.1));
        for _ in 0..6 {
            world.step_with(DT, &NoSensors);
            assert_eq!(counts(&world), (0, 0));
        }
    }
}

/// Hundreds of fast bodies through dozens of sensors: the same events in the same order for any number of threads, either
/// broad phase, and a world that was cloned halfway.
#[test]
fn crossings_are_reported_in_a_fixed_order() {
    let run = |def: WorldDef, clones: bool| {
        let mut rng = Rng::new(5);
        let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..def });
        for i in 0..40 {
            let kind = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic][i % 3];
            let position = vec2(rng.range(-20.0, 20.0), rng.range(-20.0, 20.0));
            let velocity = if i % 2 == 0 { vec2(rng.range(-90.0, 90.0), 0.0) } else { Vec2::ZERO };
            let body = BodyDef { kind, position, velocity, angle: rng.range(0.0, 3.0), ..BodyDef::dynamic() };
            let shape = random_shape(&mut rng, 2.0);
            add(&mut world, body, sensor(shape));
        }
        for i in 0..300 {
            let position = vec2(rng.range(-30.0, 30.0), rng.range(-30.0, 30.0));
            let velocity = vec2(rng.range(-150.0, 150.0), rng.range(-150.0, 150.0));
            let body = BodyDef { position, velocity, bullet: i % 7 == 0, ..BodyDef::dynamic() };
            add(&mut world, body, random_shape(&mut rng, 0.3));
        }
        let mut events = Vec::new();
        for step in 0..30 {
            if clones && step == 15 {
                world = world.clone();
            }
            world.step(DT);
            events.push((world.events().sensor_begin.clone(), world.events().sensor_end.clone()));
        }
        world.validate();
        (events, world.state_hash())
    };
    let plain = WorldDef::default();
    let expected = run(plain, false);
    let crossed =
        expected.0.iter().flat_map(|(begun, ended)| begun.iter().filter(|event| ended.contains(event))).count();
    assert!(crossed > 50, "{crossed} crossings");
    for threads in [2, 4] {
        assert!(run(WorldDef { threads, ..plain }, false) == expected, "{threads} threads");
    }
    let quadtree = BroadPhaseKind::Quadtree(QuadtreeDef::default());
    assert!(run(WorldDef { broad_phase: quadtree, ..plain }, true) == expected, "quadtree");
}
