//! Worlds with some of everything.

use carom_core::Rng;
use carom_scenes::{About, Camera, SceneWorld};
use carom2d::prelude::*;
use carom2d::shape::Polygon;

/// A world with some of everything, most of it at random.
pub(super) fn random_run(seed: u64) -> SceneWorld {
    let mut rng = Rng::new(seed);
    let mixes = [Mix::GeometricMean, Mix::Product, Mix::Mean, Mix::Min, Mix::Max];
    let quadtree =
        QuadtreeDef { center: vec2(rng.f32(), -3.0), half_extents: vec2(20.0, 0.7), capacity: 3, max_depth: 5 };
    let dt = [1.0 / 60.0, 0.02, 0.013, 1.0 / 137.0][rng.below(4) as usize];
    let def = WorldDef {
        gravity: vec2(rng.range(-3.0, 3.0), -9.81),
        substeps: 1 + rng.below(8),
        friction_mix: mixes[rng.below(5) as usize],
        restitution_mix: mixes[rng.below(5) as usize],
        restitution_speed: rng.f32(),
        hit_speed: rng.f32(),
        contact_hertz: rng.range(20.0, 60.0),
        contact_damping: rng.range(1.0, 10.0),
        push_out_speed: rng.range(1.0, 10.0),
        max_speed: rng.range(100.0, 500.0),
        continuous: if rng.below(3) == 0 { Continuous::Off } else { Continuous::On },
        sleeping: rng.below(2) == 0,
        sleep_delay_s: rng.f32(),
        solver: Solver::Sequential(Sequential {
            iterations: 20,
            correction: Correction::Bias,
            edge_weight: rng.f32(),
            edge_handicap: 0.1 * rng.f32(),
            ..Sequential::default()
        }),
        broad_phase: if rng.below(2) == 0 { BroadPhaseKind::Tree } else { BroadPhaseKind::Quadtree(quadtree) },
        // Not in files.
        threads: WorldDef::default().threads,
        fixed_step_s: if rng.below(2) == 0 { dt as f32 } else { 1.0 / 90.0 },
        max_catch_up: 1 + rng.below(9),
    };
    let about = About {
        name: "random \"\\ \u{e9}\u{1f600}".into(),
        summary: "".into(),
        steps: rng.next_u32(),
        dt,
        camera: Camera { center: vec2(rng.f32(), -rng.f32()), half_height: rng.range(0.01, 1000.0) },
    };
    let mut run = SceneWorld::new(about, World::new(def));
    for _ in 0..40 {
        let id = run.world.add_body(random_body(&mut rng)).unwrap();
        for _ in 0..rng.below(4) {
            run.world.add_shape(id, random_shape(&mut rng)).unwrap();
        }
        if rng.below(3) == 0 {
            run.set_color(id, carom_scenes::Color { r: rng.next_u32() as u8, g: 0, b: 255 });
        }
    }
    let bodies: Vec<BodyId> = run.world.bodies().collect();
    for _ in 0..20 {
        add_random_joint(&mut run.world, &bodies, &mut rng);
    }
    // A gear may get the slot of a joint that is no more, and come before the joints that it ties.
    let first = run.world.joints().next().unwrap();
    run.world.remove_joint(first).unwrap();
    for _ in 0..8 {
        add_random_gear(&mut run.world, &mut rng);
    }
    run
}

pub(super) fn add_random_joint(world: &mut World, bodies: &[BodyId], rng: &mut Rng) {
    let pick = |rng: &mut Rng| bodies[rng.below(bodies.len() as u32) as usize];
    let (body_a, body_b) = (pick(rng), pick(rng));
    let spring = |rng: &mut Rng| (rng.below(2) == 0).then(|| Spring::new(rng.range(0.1, 9.0), rng.f32()));
    let motor = |rng: &mut Rng| (rng.below(2) == 0).then(|| Motor::new(rng.range(-2.0, 2.0), 30.0 * rng.f32()));
    let limits = |rng: &mut Rng| (rng.below(2) == 0).then(|| Limits::new(-rng.f32(), rng.f32()));
    let point = |rng: &mut Rng| vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0));
    let strength = |rng: &mut Rng| if rng.below(2) == 0 { f32::INFINITY } else { 100.0 * rng.f32() };
    let kind = match rng.below(9) {
        0 => JointKind::Distance(Distance {
            min: rng.f32(),
            max: 1.0 + strength(rng),
            spring: spring(rng).map(|spring| (spring, rng.f32())),
            motor: motor(rng),
        }),
        1 => JointKind::Revolute(Revolute {
            limits: limits(rng),
            motor: motor(rng),
            spring: spring(rng),
            target_angle: rng.f32(),
        }),
        2 => JointKind::Prismatic(Prismatic {
            limits: limits(rng),
            motor: motor(rng),
            spring: spring(rng),
            target: rng.f32(),
        }),
        3 => JointKind::Weld(Weld { linear: spring(rng), angular: spring(rng) }),
        4 => JointKind::Wheel(Wheel { spring: spring(rng), target: 0.0, limits: limits(rng), motor: motor(rng) }),
        5 => JointKind::Motor(Drive {
            linear: spring(rng),
            max_force: strength(rng),
            velocity: point(rng),
            angular: spring(rng),
            max_torque: strength(rng),
            angular_velocity: rng.f32(),
        }),
        6 => JointKind::Mouse(Mouse { target: point(rng), max_force: strength(rng), ..Mouse::default() }),
        7 => JointKind::Filter,
        _ => JointKind::Pulley(Pulley {
            pulley_a: point(rng),
            pulley_b: point(rng),
            length: rng.range(1.0, 9.0),
            ratio: rng.range(0.5, 2.0),
        }),
    };
    let frame = |rng: &mut Rng| Pose::new(point(rng), if rng.below(2) == 0 { 0.0 } else { rng.range(-3.0, 3.0) });
    let def = JointDef {
        frame_a: frame(rng),
        frame_b: frame(rng),
        collide_connected: rng.below(2) == 0,
        enabled: rng.below(4) > 0,
        hertz: if rng.below(2) == 0 { 60.0 } else { rng.range(5.0, 100.0) },
        damping_ratio: rng.range(0.5, 4.0),
        break_force: if rng.below(3) == 0 { 1.0e6 } else { f32::INFINITY },
        break_torque: if rng.below(3) == 0 { 1.0e6 } else { f32::INFINITY },
        user_data: rng.next_u64() >> rng.below(64),
        ..JointDef::new(body_a, body_b, kind)
    };
    if body_a != body_b {
        let id = world.add_joint(def).unwrap();
        if rng.below(4) == 0 {
            world.joint_mut(id).set_turns(rng.below(9) as i32 - 4).unwrap();
        }
    }
}

/// Ties two joints that a gear can tie, if there are such.
fn add_random_gear(world: &mut World, rng: &mut Rng) {
    let fit = |id: &JointId| matches!(world.joint(*id).kind(), JointKind::Revolute(_) | JointKind::Prismatic(_));
    let joints: Vec<JointId> = world.joints().filter(fit).collect();
    let pick = |rng: &mut Rng| joints[rng.below(joints.len() as u32) as usize];
    if joints.len() > 1 {
        let gear = Gear { joint_a: pick(rng), joint_b: pick(rng), ratio: rng.range(-2.0, -0.5) };
        let (body_a, body_b) = (world.joint(gear.joint_a).body_b(), world.joint(gear.joint_b).body_b());
        // Two joints may be the same, or move the same body: then there is no gear.
        world.add_joint(JointDef::new(body_a, body_b, JointKind::Gear(gear))).ok();
    }
}

fn random_body(rng: &mut Rng) -> BodyDef {
    let number = |rng: &mut Rng| rng.range(-8.0, 8.0);
    let maybe = |rng: &mut Rng, value: f32| (rng.below(4) == 0).then_some(value);
    let coin = |rng: &mut Rng| rng.below(5) == 0;
    BodyDef {
        kind: [BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Kinematic, BodyKind::Fixed][rng.below(4) as usize],
        position: vec2(number(rng), number(rng)),
        angle: number(rng),
        velocity: vec2(number(rng), number(rng)),
        angular_velocity: if coin(rng) { 0.0 } else { number(rng) },
        mass: maybe(rng, 3.7),
        inertia: if coin(rng) { Some(f32::INFINITY) } else { maybe(rng, 0.3) },
        linear_damping: rng.f32() * 0.1,
        angular_damping: rng.f32(),
        gravity_scale: number(rng) * 0.1,
        locked: LockedAxes { x: coin(rng), y: coin(rng), rotation: coin(rng) },
        sleep_speed: rng.f32(),
        can_sleep: !coin(rng),
        bullet: coin(rng),
        awake: !coin(rng),
        enabled: !coin(rng),
        user_data: if coin(rng) { rng.next_u64() } else { u64::from(rng.below(9)) },
    }
}

fn random_shape(rng: &mut Rng) -> ShapeDef {
    let point = |rng: &mut Rng| vec2(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5));
    let size = |rng: &mut Rng| rng.range(0.05, 0.6);
    let outline = match rng.below(11) {
        0 => ShapeDef::circle(size(rng)),
        1 => ShapeDef::capsule(point(rng), point(rng) + vec2(1.0, 0.0), size(rng)),
        2 => ShapeDef::segment(point(rng), point(rng) + vec2(0.0, 1.0)),
        3 => ShapeDef::geometry(Polygon::regular(3 + rng.below(14) as usize, size(rng)).unwrap().into()),
        5 => ShapeDef::ellipse(size(rng), size(rng)),
        6 => ShapeDef::chain(&[point(rng), point(rng) + vec2(1.0, 0.0), point(rng) + vec2(2.0, 0.0)]),
        7 => ShapeDef::chain_loop(&[point(rng), point(rng) + vec2(1.0, 0.0), point(rng) + vec2(0.0, 1.0)]),
        8 => ShapeDef::with_holes(
            &[vec2(-1.0, -1.0), vec2(1.0, -1.0) + 0.3 * point(rng), 0.1 * point(rng) + vec2(0.0, 0.9), vec2(-1.0, 1.0)],
            &[vec![vec2(-0.8, -0.8), vec2(-0.5, -0.7), vec2(-0.7, -0.3) + 0.2 * point(rng)]],
        ),
        4 => ShapeDef::convex(&[point(rng), point(rng), vec2(1.0, 0.7), vec2(-0.8, 1.1), point(rng)]),
        _ => ShapeDef::rectangle(size(rng), size(rng)),
    };
    ShapeDef {
        rounding: if rng.below(3) == 0 { 0.1 * rng.f32() } else { 0.0 },
        position: if rng.below(3) == 0 { Vec2::ZERO } else { point(rng) },
        angle: if rng.below(3) == 0 { 0.0 } else { rng.range(-4.0, 4.0) },
        density: if rng.below(5) == 0 { 0.0 } else { rng.range(0.1, 5.0) },
        friction: rng.f32(),
        restitution: rng.f32(),
        rolling_resistance: rng.f32(),
        surface_speed: if rng.below(4) == 0 { rng.f32() } else { 0.0 },
        filter: if rng.below(3) == 0 {
            Filter { category: rng.next_u64(), mask: rng.next_u64(), group: rng.next_u32() as i32 }
        } else {
            Filter::ALL
        },
        sensor: rng.below(6) == 0,
        one_way: (rng.below(6) == 0).then(|| vec2(rng.range(-1.0, 1.0), 0.5)),
        contact_events: rng.below(6) != 0,
        aabb_events: rng.below(6) == 0,
        user_data: rng.next_u64() >> rng.below(64),
        ..outline
    }
}
