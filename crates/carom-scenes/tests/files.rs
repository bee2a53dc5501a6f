//! Scene files: what is written is read back to the bit, and what is wrong is explained.

use carom_core::Rng;
use carom_scenes::file::{self, FileError, MAX_BYTES};
use carom_scenes::{About, BuildOptions, Camera, OpenError, Run, SceneWorld, all, open, open_bytes};
use carom2d::SoftBody;
use carom2d::prelude::*;
use carom2d::shape::Polygon;
use std::path::PathBuf;

#[track_caller]
fn read(text: &str) -> SceneWorld {
    file::read("test.json", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn refused(text: &[u8]) -> FileError {
    match file::read("test.json", text) {
        Ok(_) => panic!("this was accepted: {}", String::from_utf8_lossy(text)),
        Err(error) => error,
    }
}

/// A file of the repository.
fn file_of_repository(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Fails unless everything is the same that a file keeps, to the bit.
fn assert_same(a: &SceneWorld, b: &SceneWorld) {
    let name = &a.about().name;
    assert_eq!(a.about(), b.about(), "{name}");
    assert_eq!(a.dt().to_bits(), b.dt().to_bits(), "{name}");
    assert_eq!(a.world.def(), b.world.def(), "{name}");
    assert_eq!(a.world.body_count(), b.world.body_count(), "{name}");
    assert_eq!(a.world.shape_count(), b.world.shape_count(), "{name}");
    for (id_a, id_b) in a.world.bodies().zip(b.world.bodies()) {
        let (body_a, body_b) = (a.world.body(id_a), b.world.body(id_b));
        let numbers = |body: carom2d::BodyRef<'_>| {
            let (motion, pose) = (body.motion(), body.pose());
            let mut numbers =
                vec![motion.center, motion.rotation.x_axis(), motion.velocity, pose.p, body.local_center()];
            numbers.push(vec2(motion.angular_velocity, body.mass()));
            numbers.push(vec2(body.inertia(), 0.0));
            bits(&numbers.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>())
        };
        assert_eq!(numbers(body_a), numbers(body_b), "{name}, {id_a:?}: {:?}, {:?}", body_a.motion(), body_b.motion());
        assert_eq!(body_a.def(), body_b.def(), "{name}, {id_a:?}");
        assert_eq!(body_a.is_sleeping(), body_b.is_sleeping(), "{name}, {id_a:?}");
        assert_eq!(a.color(id_a), b.color(id_b), "{name}, {id_a:?}");
        assert!(body_a.shapes().count() == body_b.shapes().count(), "{name}, {id_a:?}");
        for (shape_a, shape_b) in body_a.shapes().zip(body_b.shapes()) {
            assert_eq!(a.world.shape(shape_a).def(), b.world.shape(shape_b).def(), "{name}, {shape_a:?}");
        }
    }
    assert_eq!(a.world.joint_count(), b.world.joint_count(), "{name}");
    for (joint_a, joint_b) in joints(&a.world).iter().zip(joints(&b.world)) {
        assert_eq!(*joint_a, joint_b, "{name}");
    }
    let fluids = |run: &SceneWorld| -> Vec<FluidDef> {
        run.world.fluids().filter_map(|id| run.world.fluid(id).cloned()).collect()
    };
    assert_eq!(fluids(a), fluids(b), "{name}");
    assert_eq!(a.companions.fields, b.companions.fields, "{name}");
    let insides = |run: &SceneWorld| -> Vec<(Vec<usize>, usize, f32, f32)> {
        let place = |id: &BodyId| run.world.bodies().position(|other| other == *id).unwrap();
        let inside = |soft: &SoftBody| {
            (soft.parts().iter().map(place).collect(), soft.joints().len(), soft.radius(), soft.rest_area())
        };
        run.companions.soft_bodies.iter().map(inside).collect()
    };
    assert_eq!(insides(a), insides(b), "{name}");
    assert_eq!(a.world.state_hash(), b.world.state_hash(), "{name}");
}

/// Everything about the joints that a file keeps, in its order: gears last, everybody by place.
fn joints(world: &World) -> Vec<String> {
    let is_gear = |id: &JointId| matches!(world.joint(*id).kind(), JointKind::Gear(_));
    let (gears, others): (Vec<JointId>, Vec<JointId>) = world.joints().partition(is_gear);
    let order: Vec<JointId> = others.into_iter().chain(gears).collect();
    let body = |id: BodyId| world.bodies().position(|other| other == id);
    let joint = |id: JointId| order.iter().position(|&other| other == id);
    let text = |&id: &JointId| {
        let (def, turns) = (world.joint(id).def(), world.joint(id).turns());
        let kind = match &def.kind {
            JointKind::Gear(gear) => format!("{:?} {:?} {}", joint(gear.joint_a), joint(gear.joint_b), gear.ratio),
            kind => format!("{kind:?}"),
        };
        let (bodies, frames) = ((body(def.body_a), body(def.body_b)), (def.frame_a, def.frame_b));
        let stiffness = (def.hertz, def.damping_ratio, def.break_force, def.break_torque);
        format!("{bodies:?} {kind} {frames:?} {turns} {stiffness:?} {} {}", def.collide_connected, def.user_data)
    };
    order.iter().map(text).collect()
}

/// Writes and reads it; returns what was read, and the text.
fn round_trip(run: &SceneWorld) -> (SceneWorld, String) {
    let text = file::write(run);
    let again = file::read("again.json", text.as_bytes());
    let again = again.unwrap_or_else(|error| panic!("{}: {error}", run.about().name));
    again.world.validate();
    assert_same(run, &again);
    assert_eq!(file::write(&again), text, "{}: the text is the same again", run.about().name);
    (again, text)
}

#[test]
fn every_scene_comes_back_as_it_was() {
    for scene in all() {
        let mut run = scene.build(&BuildOptions::default()).unwrap();
        if run.world.body_count() < 1000 {
            round_trip(&run);
        }
        for _ in 0..30 {
            run.step();
        }
        let mut again = round_trip(&run).0;
        // What was read is alive.
        for _ in 0..3 {
            again.step();
        }
        again.check_invariant().unwrap_or_else(|unmet| panic!("{}: {unmet}", scene.name));
    }
}

/// A world with some of everything, most of it at random.
fn random_run(seed: u64) -> SceneWorld {
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

fn add_random_joint(world: &mut World, bodies: &[BodyId], rng: &mut Rng) {
    let pick = |rng: &mut Rng| bodies[rng.below(bodies.len() as u32) as usize];
    let (body_a, body_b) = (pick(rng), pick(rng));
    let spring = |rng: &mut Rng| (rng.below(2) == 0).then(|| Spring::new(rng.range(0.1, 9.0), rng.f32()));
    let motor = |rng: &mut Rng| (rng.below(2) == 0).then(|| Motor::new(rng.range(-2.0, 2.0), 30.0 * rng.f32()));
    let limits = |rng: &mut Rng| (rng.below(2) == 0).then(|| Limits::new(-rng.f32(), rng.f32()));
    let point = |rng: &mut Rng| vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0));
    let strength = |rng: &mut Rng| if rng.below(2) == 0 { f32::INFINITY } else { 100.0 * rng.f32() };
    let kind = match rng.below(8) {
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

#[test]
fn whatever_can_be_made_comes_back_as_it_was() {
    let (mut normals, mut centers, mut asleep, mut gears) = (0, 0, 0, 0);
    for seed in 0..60 {
        let mut run = random_run(seed);
        round_trip(&run);
        for _ in 0..20 {
            run.step();
        }
        let (again, text) = round_trip(&run);
        normals += text.matches("\"normals\"").count();
        centers += text.matches("\"center_velocity\"").count();
        gears += text.matches("\"gear\"").count();
        asleep += again.world.bodies().filter(|&id| again.world.body(id).is_sleeping()).count();
    }
    assert!(normals > 0 && centers > 0 && asleep > 0, "the exact forms were needed: {normals} {centers} {asleep}");
    assert!(gears > 30, "there were gears: {gears}");
}

#[test]
fn what_acts_from_outside_comes_back() {
    use carom_scenes::SceneField;
    use carom2d::{PointGravity, Radial, Uniform, Vortex, Wind};
    let mut run = random_run(11);
    let l = [vec2(0.0, 0.0), vec2(3.0, 0.0), vec2(3.0, 1.0), vec2(1.0, 1.0), vec2(1.0, 4.0), vec2(0.0, 4.0)];
    for region in [
        FluidRegion::Below(-1.25),
        FluidRegion::Box(Aabb::new(vec2(-7.0, 0.1), vec2(2.0, 3.3))),
        FluidRegion::Polygon(l.to_vec()),
    ] {
        run.world.add_fluid(FluidDef { region: region.clone(), ..FluidDef::default() }).unwrap();
        let flow = vec2(0.3, -0.1);
        let def = FluidDef { region, density: 0.7, linear_drag: 0.0, quadratic_drag: 0.4, flow };
        run.world.add_fluid(def).unwrap();
    }
    let center = vec2(1.5, -2.0);
    run.companions.fields = vec![
        SceneField::Uniform(Uniform { acceleration: vec2(0.1, 0.2) }),
        SceneField::PointGravity(PointGravity { center, strength: -7.0, softening: 0.3 }),
        SceneField::Radial(Radial { center, radius: 4.0, acceleration: 2.0 }),
        SceneField::Vortex(Vortex { center: Vec2::ZERO, radius: 3.0, acceleration: -1.0 }),
        SceneField::Wind(Wind { velocity: vec2(5.0, 0.0), density: 0.2, drag: 1.1 }),
        SceneField::Wind(Wind { velocity: Vec2::ZERO, density: 1.0, drag: 1.0 }),
    ];
    let def = carom2d::SoftBodyDef::disc(vec2(30.0, 5.0), 1.0, 12);
    run.companions.soft_bodies.push(run.world.add_soft_body(&def).unwrap());
    let (mut again, text) = round_trip(&run);
    assert_eq!(text.matches("\"kind\": \"wind\"").count(), 2);
    // They act alike, too: neither has stepped, so contacts remember nothing.
    let mut run = file::read("first.json", text.as_bytes()).unwrap();
    for _ in 0..5 {
        run.step();
        again.step();
    }
    assert_eq!(run.world.state_hash(), again.world.state_hash());
}

#[test]
fn far_and_frozen_bodies_come_back() {
    let mut run = read(&scene("", r#"{"kind": "dynamic", "position": [9.9e6, 0], "velocity": [4e5, 0]}"#));
    let def = WorldDef { gravity: Vec2::ZERO, max_speed: 1.0e6, ..*run.world.def() };
    run.world.set_def(def).unwrap();
    for _ in 0..60 {
        run.step();
    }
    let body = |run: &SceneWorld| run.world.bodies().next().unwrap();
    assert!(run.world.body(body(&run)).position().x > 1.0e7, "beyond where a body may be put");
    round_trip(&run);
    for _ in 0..6000 {
        run.step();
    }
    assert!(run.world.body(body(&run)).is_frozen());
    assert!(!round_trip(&run).0.world.body(body(&run)).is_enabled());
}

#[test]
fn what_is_unfit_for_a_file_is_made_fit() {
    let about = About {
        name: "two\nlines\u{1b}[31m".into(),
        summary: "x".repeat(10_000).into(),
        steps: 1,
        dt: f64::NAN,
        camera: Camera { center: vec2(f32::NAN, 0.0), half_height: -1.0 },
    };
    let text = file::write(&SceneWorld::new(about, World::new(WorldDef::default())));
    let run = read(&text);
    assert_eq!(run.about().name, "two lines [31m");
    assert_eq!(run.about().summary.len(), 500);
    assert!(run.about().camera.half_height > 0.0);
}

#[test]
fn numbers_are_read_to_the_nearest() {
    let positions = |text: &str| {
        let run = read(&scene("", &format!(r#"{{"kind": "fixed", "position": [{text}, 0]}}"#)));
        run.world.body(run.world.bodies().next().unwrap()).position().x
    };
    // Halfway between two neighbours in f32, and a little above: rounding by way of f64 would lose the latter.
    assert_eq!(positions("1.000000059604644775390625").to_bits(), 1.0f32.to_bits());
    assert_eq!(positions("1.00000005960464477539062500000000000001").to_bits(), 1.0f32.to_bits() + 1);
    assert_eq!(positions("-0").to_bits(), (-0.0f32).to_bits());
    assert_eq!(positions("1E+2"), 100.0);
    assert_eq!(positions("1e-400"), 0.0);
}

#[test]
fn steps_of_a_sixtieth_are_exact() {
    let dt = |text: &str| read(&scene(&format!("\"dt\": {text},"), "")).about().dt;
    assert_eq!(dt("\"1/60\"").to_bits(), (1.0f64 / 60.0).to_bits());
    assert_eq!(dt("0.016666666666666666").to_bits(), (1.0f64 / 60.0).to_bits());
    assert_eq!(dt("0.02").to_bits(), 0.02f64.to_bits());
    let run = read(&scene("\"dt\": \"1/240\",", ""));
    assert_eq!((run.dt(), run.world.def().fixed_step_s), (1.0 / 240.0, 1.0 / 240.0));
    assert!(file::write(&run).contains("\"dt\": \"1/240\""));
}

#[test]
fn what_is_left_out_has_its_default() {
    let run = file::read("some/folder/little.json", scene("", r#"{"kind": "dynamic"}"#).as_bytes()).unwrap();
    assert_eq!((run.about().name.as_ref(), run.about().summary.as_ref(), run.about().steps), ("little", "", 600));
    assert_eq!(*run.world.def(), WorldDef::default());
    assert_eq!(run.world.body(run.world.bodies().next().unwrap()).def(), BodyDef::default());
    let run = read(&scene("", r#"{"kind": "fixed", "shapes": [{"kind": "circle", "radius": 2, "center": [3, 0]}]}"#));
    let camera = run.about().camera;
    assert!(camera.center == vec2(3.0, 0.0) && camera.half_height > 2.0, "all is in view: {camera:?}");
    let shape = run.world.shape(run.world.shapes().next().unwrap()).def();
    assert_eq!(ShapeDef { outline: shape.outline.clone(), ..ShapeDef::circle(1.0) }, shape);
}

#[test]
fn a_mark_at_the_start_is_ignored() {
    let text = format!("\u{FEFF}{}", scene("", ""));
    read(&text);
    let error = refused("\u{FEFF}\n {".as_bytes());
    assert_eq!((error.line, error.column), (2, 3));
}

/// A scene with these fields, which end in a comma, and these bodies.
fn scene(fields: &str, bodies: &str) -> String {
    format!("{{\"format\": \"carom-scene\", \"version\": 1,{fields} \"bodies\": [{bodies}]}}")
}

/// A scene with one body of one shape, with these fields after its kind, on line 3.
fn shape(fields: &str) -> String {
    scene("", &format!("\n{{\"kind\": \"dynamic\", \"shapes\": [\n{{\"kind\": {fields}}}]}}"))
}

/// A scene with one body, with these fields after its kind, on line 2.
fn body(fields: &str) -> String {
    scene("", &format!("\n{{\"kind\": \"dynamic\", {fields}}}"))
}

/// A scene with two bodies and this joint, on line 3.
fn joint(text: &str) -> String {
    let bodies = "{\"kind\": \"fixed\"}, {\"kind\": \"dynamic\"}";
    format!("{{\"format\": \"carom-scene\", \"version\": 1, \"bodies\": [{bodies}],\n\"joints\": [\n{text}]}}")
}

/// A scene with a pin on the first body that has these fields, on line 3.
fn pin(fields: &str) -> String {
    joint(&format!("{{\"kind\": \"revolute\", \"body_a\": 0, {fields}}}"))
}

/// A scene with two bodies and one thing in this list, on line 3.
fn medium(list: &str, text: &str) -> String {
    let bodies = "{\"kind\": \"fixed\"}, {\"kind\": \"dynamic\"}";
    format!("{{\"format\": \"carom-scene\", \"version\": 1, \"bodies\": [{bodies}],\n\"{list}\": [\n{text}]}}")
}

/// What is wrong, and where: the text, line, column, path, and a part of the message.
fn mistakes() -> Vec<(String, usize, usize, &'static str, &'static str)> {
    vec![
        (String::new(), 1, 1, "", "the file is empty"),
        (" \n\t\n".into(), 1, 1, "", "the smallest scene is {\"format\""),
        ("[1, 2]".into(), 1, 1, "", "expected a scene, which is an object in braces, found [1, 2]"),
        ("{}".into(), 1, 1, "format", "missing; a scene starts with \"format\": \"carom-scene\""),
        ("{\"format\": \"tiled\"}".into(), 1, 12, "format", "expected \"carom-scene\", found \"tiled\""),
        ("{\"format\": \"carom-scene\"}".into(), 1, 1, "version", "missing"),
        (
            "{\"version\": 2,\n \"format\": \"carom-scene\", \"joints\": []}".into(),
            1,
            13,
            "version",
            "expected version 1, found 2; another carom wrote it",
        ),
        ("{\"format\": \"carom-scene\", \"version\": 1}".into(), 1, 1, "bodies", "missing; a scene needs an array"),
        (scene("\"boddies\": 1,", ""), 1, 40, "boddies", "a scene has no such field; did you mean \"bodies\"?"),
        (scene("\"wheels\": 4,", ""), 1, 40, "wheels", "a scene may have $schema, format, version, name"),
        (scene("\"steps\": 1, \"steps\": 2,", ""), 1, 52, "steps", "twice in one object"),
        (scene("\"steps\": -1,", ""), 1, 49, "steps", "a whole number from 0 to 4294967295, found -1"),
        (scene("\"steps\": 1.5,", ""), 1, 49, "steps", "a whole number"),
        (scene("\"name\": \"a\\nb\",", ""), 1, 48, "name", "a text of at most 100 characters on one line"),
        (scene("\"dt\": \"60\",", ""), 1, 46, "dt", "seconds from 1e-6 to 1, or a text such as \"1/60\""),
        (scene("\"dt\": 0,", ""), 1, 46, "dt", "seconds from 1e-6 to 1"),
        (scene("\"camera\": {},", ""), 1, 50, "camera.half_height", "missing; a camera needs half the height"),
        (scene("\"camera\": {\"half_height\": 0},", ""), 1, 66, "camera.half_height", "from 1e-6 to 1e8, found 0"),
        (
            scene("\"world\": {\n \"gravity\": [0]},", ""),
            2,
            13,
            "world.gravity",
            "two numbers such as [1, 2.5], found [0]",
        ),
        (scene("\"world\": {\"gravity\": [0, null]},", ""), 1, 65, "world.gravity[1]", "expected a number, found null"),
        (scene("\"world\": {\"substeps\": 65},", ""), 1, 62, "world.substeps", "a whole number from 1 to 64, found 65"),
        (
            scene("\"world\": {\"friction_mix\": \"avg\"},", ""),
            1,
            66,
            "world.friction_mix",
            "geometric_mean, product, mean, min or max",
        ),
        (scene("\"world\": {\"sleeping\": 1},", ""), 1, 62, "world.sleeping", "true or false, found 1"),
        (
            scene("\"world\": {\"broad_phase\": {\"kind\": \"quadtree\", \"max_depth\": 25}},", ""),
            1,
            99,
            "world.broad_phase.max_depth",
            "a whole number of at most 24, found 25",
        ),
        (scene("", "7"), 1, 52, "bodies[0]", "expected a body, which is an object in braces, found 7"),
        (scene("", "{}"), 1, 52, "bodies[0].kind", "missing; a body needs \"fixed\", \"kinematic\" or \"dynamic\""),
        (
            scene("", "{\"kind\": \"fixed\"},\n{\"kind\": \"dinamic\"}"),
            2,
            10,
            "bodies[1].kind",
            "expected fixed, kinematic or dynamic, found \"dinamic\"; did you mean \"dynamic\"?",
        ),
        (
            body("\"postion\": [0, 0]"),
            2,
            21,
            "bodies[0].postion",
            "a body has no such field; did you mean \"position\"?",
        ),
        (
            body("\"position\": [1e8, 0]"),
            2,
            33,
            "bodies[0].position",
            "coordinates between -1e7 and 1e7 m, found [1e8, 0]",
        ),
        (body("\"position\": [1e39, 0]"), 2, 34, "bodies[0].position[0]", "between -3.4e38 and 3.4e38, found 1e39"),
        (body("\"position\": [0, 0], \"center\": [0, 0]"), 2, 51, "bodies[0].center", "\"position\" says the same"),
        (body("\"rotation\": [1, 1]"), 2, 33, "bodies[0].rotation", "cosine and sine of an angle"),
        (body("\"angle\": \"inf\""), 2, 30, "bodies[0].angle", "expected a number, found \"inf\""),
        (body("\"mass\": -1"), 2, 29, "bodies[0].mass", "between 1e-12 and 1e20, or infinity, found -1"),
        (body("\"mass\": \"infinite\""), 2, 29, "bodies[0].mass", "a number or \"inf\", found \"infinite\""),
        (body("\"locked\": [\"z\"]"), 2, 32, "bodies[0].locked[0]", "expected x, y or rotation, found \"z\""),
        (body("\"color\": \"red\""), 2, 30, "bodies[0].color", "a colour such as \"#d94841\""),
        (body("\"user_data\": \"0x1ffffffffffffffff\""), 2, 34, "bodies[0].user_data", "up to 16 hexadecimal digits"),
        (body("\"sleep_speed\": -1"), 2, 36, "bodies[0].sleep_speed", "a finite number of at least 0, found -1"),
        (
            shape("\"blob\""),
            3,
            10,
            "bodies[0].shapes[0].kind",
            "circle, rectangle, capsule, segment, polygon, ellipse, chain or concave, found \"blob\"",
        ),
        (
            scene("", "{\"kind\": \"fixed\", \"shapes\": [{}]}"),
            1,
            81,
            "bodies[0].shapes[0].kind",
            "missing; a shape needs",
        ),
        (shape("\"circle\""), 3, 1, "bodies[0].shapes[0].radius", "missing; a circle needs a radius in metres"),
        (
            shape("\"circle\", \"radius\": -1"),
            3,
            30,
            "bodies[0].shapes[0].radius",
            "a size between 1e-5 and 1e6 m, found -1",
        ),
        (shape("\"circle\", \"radius\": \"1\""), 3, 30, "bodies[0].shapes[0].radius", "expected a number, found \"1\""),
        (
            shape("\"circle\", \"radius\": 1, \"width\": 1"),
            3,
            33,
            "bodies[0].shapes[0].width",
            "a circle may have kind, center, radius",
        ),
        (
            shape("\"circle\", \"radius\": 1, \"friction\": -0.1"),
            3,
            45,
            "bodies[0].shapes[0].friction",
            "a number from 0 to 1e6, found -0.1",
        ),
        (
            shape("\"circle\", \"radius\": 1, \"restitution\": 1.5"),
            3,
            48,
            "bodies[0].shapes[0].restitution",
            "a number from 0 to 1, found 1.5",
        ),
        (
            shape("\"circle\", \"radius\": 1, \"density\": 1e10"),
            3,
            44,
            "bodies[0].shapes[0].density",
            "use a body of the kind \"fixed\"",
        ),
        (shape("\"rectangle\", \"width\": 0, \"height\": 1"), 3, 32, "bodies[0].shapes[0].width", "a size between"),
        (
            shape("\"rectangle\", \"width\": 1, \"height\": 1, \"rounding\": -1"),
            3,
            60,
            "bodies[0].shapes[0].rounding",
            "at least 0, found -1",
        ),
        (
            shape("\"capsule\", \"a\": [0, 0], \"b\": [0, 0], \"radius\": 1"),
            3,
            39,
            "bodies[0].shapes[0].b",
            "away from a; a capsule without length is a circle",
        ),
        (shape("\"segment\", \"a\": [0, 0], \"b\": [5e6, 0]"), 3, 39, "bodies[0].shapes[0].b", "a size between"),
        (
            shape("\"polygon\", \"vertices\": [[0, 0], [1, 1], [2, 2]]"),
            3,
            33,
            "bodies[0].shapes[0].vertices",
            "not all on a line",
        ),
        (shape("\"polygon\", \"vertices\": [[0, 0], [1]]"), 3, 42, "bodies[0].shapes[0].vertices[1]", "two numbers"),
        (
            shape(
                "\"polygon\", \"vertices\": [[0, 0], [1, 0], [0, 1]], \"normals\": [[0, 1], [1, 0], [0, 1]], \"centroid\": [0.3, 0.3]",
            ),
            3,
            70,
            "bodies[0].shapes[0].normals",
            "for each corner the unit normal of the edge to the next",
        ),
        (
            shape("\"polygon\", \"vertices\": [[0, 0], [1, 0], [0, 1]], \"centroid\": [0, 0]"),
            3,
            71,
            "bodies[0].shapes[0].centroid",
            "only together with normals",
        ),
        (
            shape("\"circle\", \"radius\": 1, \"filter\": {\"group\": 3e9}"),
            3,
            53,
            "bodies[0].shapes[0].filter.group",
            "from -2147483648 to 2147483647",
        ),
        // Joints.
        (scene("\"joints\": {},", ""), 1, 50, "joints", "expected an array of joints, in brackets, found {}"),
        (joint("7"), 3, 1, "joints[0]", "expected a joint, which is an object in braces, found 7"),
        (joint("{}"), 3, 1, "joints[0].kind", "missing; a joint needs one of \"distance\", \"revolute\""),
        (
            joint("{\"kind\": \"hinge\"}"),
            3,
            10,
            "joints[0].kind",
            "distance, revolute, prismatic, weld, wheel, motor, mouse, gear or pulley, found \"hinge\"",
        ),
        (
            joint("{\"kind\": \"weld\", \"body_b\": 1}"),
            3,
            1,
            "joints[0].body_a",
            "missing; a weld joint needs two bodies",
        ),
        (pin("\"body_b\": 2"), 3, 45, "joints[0].body_b", "one of the bodies, counted from 0 to 1, found 2"),
        (pin("\"body_b\": 0"), 3, 45, "joints[0].body_b", "another body than body_a, found 0"),
        (
            pin("\"body_b\": 1, \"limit\": 3"),
            3,
            48,
            "joints[0].limit",
            "a revolute joint has no such field; did you mean \"limits\"?",
        ),
        (pin("\"body_b\": 1, \"limits\": [1, -1]"), 3, 58, "joints[0].limits", "the lower limit, then the upper one"),
        (
            pin("\"body_b\": 1, \"spring\": {\"hertz\": -1}"),
            3,
            68,
            "joints[0].spring.hertz",
            "a number from 0 to 1e4 Hz, found -1",
        ),
        (pin("\"body_b\": 1, \"spring\": 3"), 3, 58, "joints[0].spring", "or \"none\", found 3"),
        (
            pin("\"body_b\": 1, \"motor\": {}"),
            3,
            57,
            "joints[0].motor.max_force",
            "missing; a motor needs a most force",
        ),
        (pin("\"body_b\": 1, \"hertz\": 0"), 3, 57, "joints[0].hertz", "a number from 1 to 1e4 Hz, found 0"),
        (pin("\"body_b\": 1, \"turns\": 1e7"), 3, 57, "joints[0].turns", "from -1000000 to 1000000, found 1e7"),
        (pin("\"body_b\": 1, \"angle\": 1"), 3, 57, "joints[0].angle", "only together with at"),
        (
            pin("\"body_b\": 1, \"at\": [0, 0], \"angle_b\": 1"),
            3,
            73,
            "joints[0].angle_b",
            "\"at\" says the same in another way",
        ),
        (pin("\"body_b\": 1, \"at\": [1e9, 0]"), 3, 54, "joints[0].at", "a place within 1e7 m"),
        (
            pin("\"body_b\": 1, \"rotation_a\": [2, 0]"),
            3,
            62,
            "joints[0].rotation_a",
            "a rotation of unit length, found [2, 0]",
        ),
        (
            joint("{\"kind\": \"distance\", \"body_a\": 0, \"body_b\": 1, \"min\": 2, \"max\": 1}"),
            3,
            65,
            "joints[0].max",
            "a length of at least min, or infinity, found 1",
        ),
        (
            joint("{\"kind\": \"gear\", \"joint_a\": 0, \"joint_b\": 1, \"ratio\": 1}"),
            3,
            29,
            "joints[0].joint_a",
            "a revolute or prismatic joint, which this gear is not",
        ),
        (
            joint("{\"kind\": \"mouse\", \"body_a\": 0, \"body_b\": 1}"),
            3,
            1,
            "joints[0].target",
            "missing; a mouse joint needs a target in the world",
        ),
        // What acts from outside.
        (
            medium("fluids", "{\"level\": 1}"),
            3,
            1,
            "fluids[0].kind",
            "missing; a fluid needs one of \"below\", \"box\"",
        ),
        (
            medium("fluids", "{\"kind\": \"sea\"}"),
            3,
            10,
            "fluids[0].kind",
            "expected below, box or region, found \"sea\"",
        ),
        (
            medium("fluids", "{\"kind\": \"box\", \"min\": [0, 0]}"),
            3,
            1,
            "fluids[0].max",
            "missing; a fluid in a box needs",
        ),
        (
            medium("fluids", "{\"kind\": \"box\", \"min\": [0, 0], \"max\": [0, 1]}"),
            3,
            39,
            "fluids[0].max",
            "expected finite corners, min below max in x and y, found [0, 1]",
        ),
        (
            medium("fluids", "{\"kind\": \"below\", \"density\": -1}"),
            3,
            30,
            "fluids[0].density",
            "from 0 to 1e9 kg/m^2, found -1",
        ),
        (
            medium("fluids", "{\"kind\": \"below\", \"points\": []}"),
            3,
            19,
            "fluids[0].points",
            "a fluid below a height has no such field",
        ),
        (
            medium("fluids", "{\"kind\": \"region\", \"points\": [[0, 0], [1, 0]]}"),
            3,
            30,
            "fluids[0].points",
            "expected",
        ),
        (medium("fluids", "7"), 3, 1, "fluids[0]", "expected a fluid, which is an object in braces, found 7"),
        (
            medium("fields", "{\"kind\": \"wind\", \"drag\": -2}"),
            3,
            26,
            "fields[0].drag",
            "a number of at least 0, found -2",
        ),
        (
            medium("fields", "{\"kind\": \"vortex\", \"radius\": 0, \"acceleration\": 1}"),
            3,
            30,
            "fields[0].radius",
            "a length above 0 m, found 0",
        ),
        (
            medium("fields", "{\"kind\": \"radial\", \"radius\": 1}"),
            3,
            1,
            "fields[0].acceleration",
            "missing; a radial field needs",
        ),
        (
            medium("fields", "{\"kind\": \"uniform\", \"acceleration\": 3}"),
            3,
            37,
            "fields[0].acceleration",
            "two numbers",
        ),
        (
            medium("soft_bodies", "{\"radius\": 1, \"area\": 1}"),
            3,
            1,
            "soft_bodies[0].parts",
            "missing; a soft body needs its discs",
        ),
        (
            medium("soft_bodies", "{\"parts\": [0, 1, 9], \"radius\": 1, \"area\": 1}"),
            3,
            18,
            "soft_bodies[0].parts[2]",
            "a whole number from 0 to 1, found 9",
        ),
        (
            medium("soft_bodies", "{\"parts\": [0, 1], \"radius\": 1, \"area\": 1}"),
            3,
            11,
            "soft_bodies[0].parts",
            "expected 6 to 1000 discs",
        ),
        // Not JSON.
        ("{\"format\": \"carom-scene\",}".into(), 1, 26, "", "remove the comma"),
        (scene("\"steps\": 1 \"dt\": 1,", ""), 1, 51, "steps", "expected a comma or }, found \""),
        (scene("// a comment\n", ""), 1, 40, "", "JSON has no comments"),
        (scene("", "{'kind': 'fixed'}"), 1, 53, "bodies[0]", "double quotes"),
        (body("\"angle\": NaN"), 2, 30, "bodies[0].angle", "expected a value, found NaN; numbers are written as"),
        (body("\"angle\": 01"), 2, 30, "bodies[0].angle", "starts with a zero too many"),
        (body("\"angle\": .5"), 2, 30, "bodies[0].angle", "expected a value, found ."),
        (scene("", "1,"), 1, 54, "bodies[1]", "remove the comma"),
        ("{\"format\":\n\"carom".into(), 2, 1, "format", "a text starts here and is never closed"),
        ("{\"format\": \"carom-scene\",\n\"bodies\": [\n".into(), 3, 1, "bodies[0]", "the [ of line 2 is still open"),
        ("{\"summary\": \"\u{e9}\u{1f600}\", \"x\" 1}".into(), 1, 23, "", "a colon after the name of a field, found 1"),
        ("[".repeat(100_000), 1, 65, DEEP.as_str(), "nested more than 64 deep"),
        (scene("", "") + "x", 1, 54, "", "expected the end of the file, found x"),
    ]
}

/// The path of the innermost of 64 arrays, as far as it is shown.
static DEEP: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "[0]".repeat(34) + "...");

#[test]
fn mistakes_are_explained() {
    for (text, line, column, path, part) in mistakes() {
        let error = refused(text.as_bytes());
        let place = (error.line, error.column, error.path.as_str());
        assert_eq!(place, (line, column, path), "{error}\n{}", &text[..text.len().min(300)]);
        assert!(error.message.contains(part), "{part:?} should be in: {error}");
        assert!(error.to_string().starts_with(&format!("test.json:{line}:{column}: ")), "{error}");
        assert!(error.to_string().len() < 600 && !error.message.contains('\n'), "{error}");
    }
}

#[test]
fn rubbish_is_explained() {
    let error = refused(b"\x89PNG\r\n\x1a\n\x00\x00");
    assert_eq!((error.line, error.column), (1, 1));
    assert!(error.message.contains("expected text in UTF-8, found the byte 0x89"), "{error}");
    let error = refused(b"{\n \"name\": \"\xff\"}");
    assert_eq!((error.line, error.column, error.path.as_str()), (2, 11, "name"));
    assert!(refused(b"\xff\xfe{\x00}\x00").message.contains("UTF-16"));
    assert!(refused(b"\x00\x01\x02").message.contains("the character 0x00"));
    let mut long = scene("", "").into_bytes();
    long.resize(MAX_BYTES + 1, b' ');
    assert!(refused(&long).message.contains("up to 67108864 bytes"));
    long.truncate(MAX_BYTES);
    assert!(file::read("x.json", &long).is_ok(), "as long as allowed");
}

/// Files with some of everything.
fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> = ["falling_bricks", "p2_collisions", "conveyor", "boats"]
        .iter()
        .map(|name| file::write(&carom_scenes::find(name).unwrap().build(&BuildOptions::default()).unwrap()))
        .collect();
    let mut run = random_run(3);
    let many: Vec<BodyId> = run.world.bodies().skip(8).collect();
    for id in many {
        run.world.remove_body(id).unwrap();
    }
    run.step();
    seeds.push(file::write(&run));
    // Two bodies and every kind of joint between them.
    let mut run = random_run(4);
    let two: Vec<BodyId> = run.world.bodies().collect();
    for &id in &two[2..] {
        run.world.remove_body(id).unwrap();
    }
    let mut rng = Rng::new(5);
    for _ in 0..40 {
        add_random_joint(&mut run.world, &two[..2], &mut rng);
    }
    seeds.push(file::write(&run));
    seeds
}

/// Changes a text in a few places: bytes, words, numbers and parts of it.
fn mutated(text: &str, rng: &mut Rng) -> Vec<u8> {
    const WORDS: [&str; 24] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\u12",
        "null",
        "true",
        "-1",
        "1e39",
        "1e-30",
        "99999999999999999999",
        "0",
        "\"inf\"",
        "[0, 0]",
        "{}",
        "[]",
        "\"kind\"",
        "\"circle\"",
        "\"polygon\"",
        "[[0, 0], [1, 0], [0, 1]]",
        "\u{e9}",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len() as u32 + 1) as usize;
        let end = (at + rng.below(12) as usize).min(bytes.len());
        match rng.below(9) {
            0 => bytes.insert(at, rng.next_u32() as u8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let word = WORDS[rng.below(24) as usize];
                drop(bytes.splice(at..at, word.bytes()));
            }
            3 => {
                // A whole number or word gives way to another.
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
                let start = (at..bytes.len()).find(|&i| is_part(&bytes[i])).unwrap_or(at);
                let end = (start..bytes.len()).find(|&i| !is_part(&bytes[i])).unwrap_or(bytes.len());
                let word = WORDS[rng.below(24) as usize];
                drop(bytes.splice(start..end, word.bytes()));
            }
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() as u32 + 1) as usize;
                drop(bytes.splice(to..to, piece));
            }
            5 => bytes.truncate(at.max(1)),
            _ => {
                // Another digit, which leaves most files valid.
                if let Some(i) = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) {
                    bytes[i] = b'0' + rng.below(10) as u8;
                }
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn no_file_makes_it_panic() {
    let seeds = seeds();
    let mut rng = Rng::new(20);
    let (mut good, mut bad) = (0, 0);
    for round in 0..6000 {
        let text = mutated(&seeds[round % seeds.len()], &mut rng);
        match file::read("x.json", &text) {
            Ok(mut run) => {
                good += 1;
                round_trip(&run);
                run.step();
                run.step();
                round_trip(&run);
            }
            Err(error) => {
                bad += 1;
                assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
                assert!(error.to_string().len() < 1000, "{error}");
            }
        }
    }
    assert!(good > 300 && bad > 3000, "both happen: {good} {bad}");
}

/// A scene in `scenes/`, run to its end.
fn example(name: &str, bodies: usize, mut after_step: impl FnMut(&SceneWorld)) -> SceneWorld {
    let path = file_of_repository("scenes").join(name).with_extension("json");
    let Run::Rigid(mut run) = open(&path).unwrap_or_else(|error| panic!("{error}")) else {
        panic!("{name} has rigid bodies");
    };
    assert_eq!((run.about().name.as_ref(), run.world.body_count()), (name, bodies));
    for _ in 0..run.about().steps {
        run.step();
        after_step(&run);
    }
    run.check().unwrap_or_else(|unmet| panic!("{name}: {unmet}"));
    *run
}

fn dynamic_positions(run: &SceneWorld) -> Vec<Vec2> {
    carom_scenes::measure::dynamic_bodies(&run.world).map(|id| run.world.body(id).position()).collect()
}

#[test]
fn the_balance_holds_until_the_ball_comes_down() {
    let plank = |run: &SceneWorld| run.world.body(run.world.bodies().nth(1).unwrap()).angle();
    let end = example("balance", 7, |run| {
        if run.time() < 2.9 {
            assert!(plank(run).abs() < 0.01, "level at {:.2} s", run.time());
        }
    });
    assert!(plank(&end) > 0.2, "tilted to the left: {}", plank(&end));
}

#[test]
fn the_break_scatters_the_rack() {
    let end = example("billiard", 18, |_| {});
    let balls = dynamic_positions(&end);
    assert!(balls.iter().all(|p| p.x.abs() < 1.27 && p.y.abs() < 0.635), "all are on the table");
    let center = balls.iter().sum::<Vec2>() / balls.len() as f32;
    let spread = balls.iter().map(|&p| (p - center).length()).sum::<f32>() / balls.len() as f32;
    assert!(spread > 0.5, "they are far apart: {spread} m");
}

#[test]
fn the_marbles_end_in_the_bowl() {
    let end = example("marble_run", 17, |_| {});
    let marbles = dynamic_positions(&end);
    assert_eq!(marbles.len(), 12);
    assert!(marbles.iter().all(|p| (-0.6..5.2).contains(&p.x) && (0.3..2.2).contains(&p.y)), "{marbles:?}");
}

#[test]
fn the_playground_swings_and_turns() {
    let joint = |run: &SceneWorld, place: usize| run.world.joints().nth(place).unwrap();
    let mut farthest = 0.0_f32;
    let end = example("playground", 6, |run| {
        for rope in [0, 1] {
            let length = run.world.joint(joint(run, rope)).length();
            assert!(length < 3.02, "the rope is {length} m long at {:.2} s", run.time());
        }
        let seat = run.world.body(run.world.bodies().nth(1).unwrap()).position();
        farthest = carom_core::math::max(seat.x + 3.5, farthest);
    });
    assert!(farthest > 1.0, "the seat swung by {farthest} m");
    assert!(end.world.joint(joint(&end, 2)).angle().abs() < 0.41, "the seesaw is within its limits");
    assert!((end.world.joint(joint(&end, 3)).angle() - 20.0).abs() < 0.2, "two radians a second for ten seconds");
}

#[test]
fn opens_files_by_their_ending() {
    const XML: &[u8] = br#"<scene><description text="one&#10;ball"/><duration time="0.1"/>
        <integrator type="explicit-euler" dt="0.01"/>
        <particle m="1" px="0" py="0" vx="0" vy="0" fixed="0" radius="0.1"/></scene>"#;
    let run = open_bytes("a/ball.XML", XML).unwrap();
    assert!(matches!(&run, Run::Particles(run) if run.scene.system.particle_count() == 1));
    assert_eq!((run.about().name.as_ref(), run.about().summary.as_ref()), ("ball", "one ball"));
    let run = open_bytes("some.Json", scene("", "").as_bytes()).unwrap();
    assert!(run.as_rigid().is_some() && run.about().name == "some");
    assert!(matches!(open_bytes("x.json", XML), Err(OpenError::Json(_))));
    assert!(matches!(open_bytes("x.xml", b"{}"), Err(OpenError::Xml(_))));
    for name in ["stack", "x.txt", "json", ".json", "", "x.json.gz"] {
        assert!(!carom_scenes::is_scene_file(name), "{name}");
        assert!(matches!(open_bytes(name, b""), Err(OpenError::Ending(_))), "{name}");
    }
    assert!(carom_scenes::is_scene_file("a/b.json") && carom_scenes::is_scene_file("B.XML"));

    let missing = file_of_repository("scenes/no_such_scene.json");
    let Err(error @ OpenError::Read { .. }) = open(&missing) else { panic!("there is no such file") };
    assert!(error.to_string().contains("no_such_scene.json"), "{error}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("folder.json");
    std::fs::create_dir_all(&folder).unwrap();
    assert!(matches!(open(&folder), Err(OpenError::Read { .. })));
}

/// The schema, ready to be applied.
fn validator() -> jsonschema::Validator {
    let text = std::fs::read_to_string(file_of_repository("docs/scene.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("the schema is no schema: {error}"));
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn what_is_written_obeys_the_schema() {
    let validator = validator();
    let check = |name: &str, text: &str| {
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        // The others are of the same kinds.
        value["bodies"].as_array_mut().unwrap().truncate(200);
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {}", errors.join("\n"));
    };
    for scene in all() {
        let mut run = scene.build(&BuildOptions::default()).unwrap();
        for _ in 0..if run.world.body_count() < 1000 { 30 } else { 2 } {
            run.step();
        }
        check(scene.name, &file::write(&run));
    }
    for seed in 0..20 {
        let mut run = random_run(seed);
        run.step();
        check("random", &file::write(&run));
    }
    for entry in std::fs::read_dir(file_of_repository("scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            check(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// What only the reader can know: about the whole text, about two fields together, or about geometry.
const NOT_FOR_A_SCHEMA: [&str; 14] = [
    "min below max in x and y",
    "a whole number from 0 to 1, found 9",
    "twice in one object",
    "away from a",
    "a size between 1e-5 and 1e6 m, found [5e6",
    "not all on a line",
    "unit normal",
    "cosine and sine",
    "counted from 0",
    "another body than",
    "the lower limit, then",
    "a rotation of unit length, found [2",
    "a length of at least min",
    "which this gear is not",
];

#[test]
fn schema_and_reader_refuse_the_same() {
    let validator = validator();
    let mut compared = 0;
    for (text, ..) in mistakes() {
        let message = refused(text.as_bytes()).message;
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        if NOT_FOR_A_SCHEMA.iter().any(|part| message.contains(part)) {
            continue;
        }
        assert!(!validator.is_valid(&value), "the schema takes what the reader refuses: {message}\n{text}");
        compared += 1;
    }
    assert!(compared > 35, "{compared}");
    // And the other way round: what the schema refuses of mutated files, the reader refuses.
    let seeds = seeds();
    let mut rng = Rng::new(7);
    for round in 0..1500 {
        let text = mutated(&seeds[round % seeds.len()], &mut rng);
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&text) else { continue };
        if !validator.is_valid(&value) {
            assert!(file::read("x.json", &text).is_err(), "{}", String::from_utf8_lossy(&text));
        }
    }
}
