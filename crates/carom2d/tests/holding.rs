//! What joints hold together stays together, keeps its energy and its speed limit: families of random mechanisms.

use carom_core::Rng;
use carom_core::math::{cos64, max, min, sin64};
use carom2d::prelude::*;
use carom2d::{BodyRef, JointRef, Motion};

const SOLVERS: [Solver; 2] = [Solver::SoftStep, Solver::Direct];

fn world(substeps: u32, solver: Solver) -> World {
    World::new(WorldDef { substeps, solver, sleeping: false, ..WorldDef::default() })
}

/// A random number between two, the small ones more often.
fn skewed(rng: &mut Rng, low: f32, high: f32) -> f32 {
    let part = rng.f32();
    low + (high - low) * part * part
}

/// A shape that collides with nothing.
fn ghost(shape: ShapeDef) -> ShapeDef {
    ShapeDef { filter: Filter { mask: 0, ..Filter::default() }, ..shape }
}

fn dynamic_bodies(world: &World) -> impl Iterator<Item = BodyRef<'_>> {
    world.bodies().map(|id| world.body(id)).filter(|body| body.kind() == BodyKind::Dynamic)
}

fn energy(world: &World) -> f64 {
    let gravity = world.def().gravity;
    let of = |body: BodyRef<'_>| f64::from(body.kinetic_energy()) - f64::from(body.mass() * gravity.dot(body.center()));
    dynamic_bodies(world).map(of).sum()
}

fn fastest(world: &World) -> f32 {
    dynamic_bodies(world).map(|body| body.velocity().length()).fold(0.0, max)
}

fn widest_pin(world: &World) -> f32 {
    let is_pin = |joint: &JointRef<'_>| matches!(joint.kind(), JointKind::Revolute(_) | JointKind::Weld(_));
    world.joints().map(|id| world.joint(id)).filter(is_pin).map(|joint| joint.length()).fold(0.0, max)
}

/// Discs on arms, each pinned to the centre of the one before.
#[derive(Clone, Copy, Debug)]
struct Chain {
    discs: u8,
    radius: f32,
    arm: f32,
    angle: f32,
    spin: f32,
    substeps: u32,
}

impl Chain {
    fn random(rng: &mut Rng, substeps: u32) -> Chain {
        let discs = 1 + rng.below(12) as u8;
        let (radius, arm) = (skewed(rng, 0.02, 0.5), skewed(rng, 0.1, 2.0));
        let spin = if rng.below(2) == 0 { 0.0 } else { rng.range(-100.0, 100.0) };
        Chain { discs, radius, arm, angle: rng.range(-3.1, 3.1), spin, substeps }
    }

    /// The bodies are a, b or either in their pins, by the bits of `order`.
    fn build(&self, solver: Solver, order: u32) -> (World, Vec<BodyId>) {
        let mut world = world(self.substeps, solver);
        let mut before = world.add_body(BodyDef::fixed()).unwrap();
        let along = Rot::from_angle(self.angle).rotate(vec2(self.arm, 0.0));
        let mut discs = Vec::new();
        for i in 0..self.discs {
            let pin = along * f32::from(i);
            let def = BodyDef { position: pin + along, angular_velocity: self.spin, ..BodyDef::dynamic() };
            let disc = world.add_body(def).unwrap();
            world.add_shape(disc, ghost(ShapeDef::circle(self.radius))).unwrap();
            let (a, b) = if order >> i & 1 == 0 { (before, disc) } else { (disc, before) };
            world.add_joint(JointDef::revolute(a, b).at(&world, pin).unwrap()).unwrap();
            discs.push(disc);
            before = disc;
        }
        (world, discs)
    }
}

/// Chains of small discs on long arms exploded if they were a in their pins, and at few sub-steps in either order.
#[test]
fn chains_keep_their_energy_in_any_order_of_bodies() {
    let mut rng = Rng::new(1);
    for round in 0..12u32 {
        let chain = Chain::random(&mut rng, [1, 2, 4, 8][round as usize % 4]);
        for solver in SOLVERS {
            let mut worlds = [0, u32::MAX, rng.next_u32()].map(|order| chain.build(solver, order));
            let start = energy(&worlds[0].0);
            let weight: f32 = dynamic_bodies(&worlds[0].0).map(|body| 10.0 * body.mass()).sum();
            let length = chain.arm * f32::from(chain.discs);
            for step in 0..300 {
                for (world, _) in &mut worlds {
                    world.step(1.0 / 60.0);
                    let gained = (energy(world) - start) / f64::from(weight * length);
                    assert!(gained < 0.005, "{chain:?} {solver:?} step {step}: {gained} of m g L gained");
                }
                let [first, others @ ..] = &worlds;
                for (world, discs) in others.iter().filter(|_| step < 60) {
                    for (one, other) in first.1.iter().zip(discs) {
                        let apart = (first.0.body(*one).center() - world.body(*other).center()).length();
                        assert!(apart < 0.01 * length, "{chain:?} {solver:?} step {step}: orders are {apart} m apart");
                    }
                }
            }
        }
    }
}

/// Planks along an arc between two walls, as much shorter than their length as `slack` says.
fn bridge(world: &mut World, planks: u16, slack: f64, rng: &mut Rng) -> Vec<BodyId> {
    let wall = world.add_body(BodyDef::fixed()).unwrap();
    let count = f64::from(planks);
    // Chords of a circle: the turn from one to the next by bisection.
    let (mut low, mut high) = (0.0, std::f64::consts::TAU / count);
    for _ in 0..60 {
        let turn = 0.5 * (low + high);
        let span = sin64(0.5 * count * turn) / (count * sin64(0.5 * turn));
        *(if span > slack { &mut low } else { &mut high }) = turn;
    }
    let turn = if slack < 1.0 { low } else { 0.0 };
    let (mut x, mut y) = (-0.5 * slack * count, 0.0);
    let (mut before, mut bodies) = (wall, Vec::new());
    for i in 0..planks {
        let angle = (f64::from(i) - 0.5 * (count - 1.0)) * turn;
        let (sin, cos) = (sin64(angle), cos64(angle));
        let pin = vec2(x as f32, y as f32);
        let position = vec2((x + 0.5 * cos) as f32, (y + 0.5 * sin) as f32);
        let plank = world.add_body(BodyDef { position, angle: angle as f32, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(plank, ShapeDef::rectangle(1.0, 0.1)).unwrap();
        let (a, b) = if rng.below(2) == 0 { (before, plank) } else { (plank, before) };
        world.add_joint(JointDef::revolute(a, b).at(world, pin).unwrap()).unwrap();
        (x, y, before) = (x + cos, y + sin, plank);
        bodies.push(plank);
    }
    let end = vec2(x as f32, y as f32);
    world.add_joint(JointDef::revolute(before, wall).at(world, end).unwrap()).unwrap();
    bodies
}

/// The direct solver threw nearly straight bridges about at 1e9 m/s; the default one let their pins open by centimetres.
#[test]
fn bridges_hold_together() {
    let mut rng = Rng::new(2);
    for round in 0..10u32 {
        let planks = [3, 5, 9, 20, 40][round as usize % 5];
        let slack = [0.9, 0.98, 0.995, 1.0][round as usize % 4];
        for solver in SOLVERS {
            let substeps = [1, 2, 4, 8][rng.below(4) as usize];
            let mut world = world(substeps, solver);
            bridge(&mut world, planks, slack, &mut rng);
            for step in 0..240 {
                world.step(1.0 / 60.0);
                let (open, speed) = (widest_pin(&world), fastest(&world));
                let what = format!("{planks} planks, slack {slack}, {solver:?}, {substeps} sub-steps, step {step}");
                assert!(open < 1.0e-3, "{what}: pins open by {open} m");
                assert!(speed < 3.0 * (2.0 * 10.0 * f32::from(planks)).sqrt(), "{what}: {speed} m/s");
            }
        }
    }
}

/// A box of a hundred planks' mass opened the pins of a bridge by 86 mm.
#[test]
fn bridges_bear_heavy_loads() {
    for solver in SOLVERS {
        for (slack, ratio) in [(0.9, 10.0), (0.95, 100.0), (0.98, 1000.0)] {
            let mut world = world(4, solver);
            let planks = bridge(&mut world, 20, slack, &mut Rng::new(3));
            let (under, mass) = (world.body(planks[10]).center(), world.body(planks[10]).mass());
            let load = world.add_body(BodyDef { position: vec2(0.0, under.y + 0.6), ..BodyDef::dynamic() }).unwrap();
            world.add_shape(load, ShapeDef { density: ratio * mass, ..ShapeDef::rectangle(1.0, 1.0) }).unwrap();
            for step in 0..300 {
                world.step(1.0 / 60.0);
                let open = widest_pin(&world);
                assert!(open < 1.0e-3, "{solver:?}, x{ratio}, step {step}: pins open by {open} m");
            }
            let height = world.body(load).center().y - under.y;
            assert!(height.abs() < 2.0, "{solver:?}, x{ratio}: the load is {height} m from where it was put");
        }
    }
}

fn random_kind(rng: &mut Rng, length: f32) -> JointKind {
    let span = Some(Limits::new(-rng.f32(), rng.f32()));
    let limits = if rng.below(2) == 0 { span } else { None };
    let spring = (rng.below(3) == 0).then(|| Spring::new(rng.range(0.5, 20.0), rng.f32()));
    match rng.below(8) {
        0..3 => JointKind::Revolute(Revolute { limits, spring, ..Revolute::default() }),
        3 => JointKind::Prismatic(Prismatic { limits: span, spring, ..Prismatic::default() }),
        4 => JointKind::Weld(Weld::default()),
        5 => JointKind::Wheel(Wheel { limits: span, ..Wheel::default() }),
        6 => JointKind::Distance(Distance::rod(length)),
        _ => JointKind::Distance(Distance::rope(length)),
    }
}

/// A tree of bodies on random joints, and some more joints that close loops.
fn random_mechanism(rng: &mut Rng, solver: Solver) -> World {
    let mut world = world([1, 2, 4, 8][rng.below(4) as usize], solver);
    let mut bodies = vec![world.add_body(BodyDef::fixed()).unwrap()];
    let spread = skewed(rng, 1.0, 1000.0);
    let count = 3 + rng.below(12) as usize;
    for i in 0..count + rng.below(3) as usize {
        let parent = bodies[rng.below(bodies.len() as u32) as usize];
        let from = world.body(parent).center();
        let is_loop = i >= count;
        let body = if is_loop {
            bodies[rng.below(bodies.len() as u32) as usize]
        } else {
            let position = from + vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let body = world.add_body(BodyDef { position, angle: rng.range(-3.0, 3.0), ..BodyDef::dynamic() }).unwrap();
            let (width, height) = (0.05 + 0.5 * rng.f32(), 0.05 + 0.5 * rng.f32());
            let shape = ShapeDef {
                density: if rng.below(2) == 0 { rng.range(1.0, spread) } else { 1.0 / rng.range(1.0, spread) },
                ..ShapeDef::rectangle(width, height)
            };
            world.add_shape(body, ghost(shape)).unwrap();
            bodies.push(body);
            body
        };
        if body == parent {
            continue;
        }
        let to = world.body(body).center();
        let kind =
            if is_loop { JointKind::Revolute(Revolute::default()) } else { random_kind(rng, (to - from).length()) };
        let (a, b) = if rng.below(2) == 0 { (parent, body) } else { (body, parent) };
        let pose = Pose { p: from + (to - from) * rng.f32(), q: Rot::from_angle(rng.range(-3.0, 3.0)) };
        let def = JointDef::new(a, b, kind);
        let is_distance = matches!(kind, JointKind::Distance(_));
        world.add_joint(if is_distance { def } else { def.at_pose(&world, pose).unwrap() }).unwrap();
    }
    world
}

/// Of random mechanisms a third exploded, in either solver.
#[test]
fn mechanisms_of_all_joints_make_no_energy() {
    for seed in 0..60 {
        for solver in SOLVERS {
            let mut world = random_mechanism(&mut Rng::new(seed), solver);
            let start = energy(&world);
            let weight: f32 = dynamic_bodies(&world).map(|body| 10.0 * body.mass()).sum();
            for step in 0..180 {
                world.step(1.0 / 60.0);
                let gained = (energy(&world) - start) / f64::from(weight);
                assert!(gained < 0.2, "seed {seed}, {solver:?}, step {step}: gained its weight times {gained} m");
            }
        }
    }
}

/// Joints that work against each other left bodies as fast as 1e8 m/s, past the limit.
#[test]
fn no_joint_makes_bodies_faster_than_the_limit() {
    for solver in [Solver::SoftStep, Solver::Direct, Solver::Sequential(Sequential::default())] {
        let mut world = World::new(WorldDef { max_speed: 20.0, solver, substeps: 2, ..WorldDef::default() });
        let motor = BodyDef { angular_velocity: 80.0, ..BodyDef::kinematic() };
        let mut before = world.add_body(motor).unwrap();
        for i in 0..30u8 {
            let position = vec2(0.5 + f32::from(i), 0.0);
            let link = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            let density = if i % 2 == 0 { 1.0 } else { 100.0 };
            world.add_shape(link, ghost(ShapeDef { density, ..ShapeDef::rectangle(0.1, 0.1) })).unwrap();
            let kind = match i % 3 {
                0 => JointKind::Weld(Weld::default()),
                1 => JointKind::Revolute(Revolute { limits: Some(Limits::new(-0.1, 0.1)), ..Revolute::default() }),
                _ => JointKind::Revolute(Revolute::default()),
            };
            let def = JointDef::new(before, link, kind).at(&world, vec2(f32::from(i), 0.0)).unwrap();
            world.add_joint(JointDef { hertz: 30.0, ..def }).unwrap();
            before = link;
        }
        let mut most: f32 = 0.0;
        for step in 0..120 {
            world.step(1.0 / 60.0);
            most = max(most, fastest(&world));
            for body in dynamic_bodies(&world) {
                assert!(body.velocity().length() <= 20.0, "{solver:?}, step {step}: {} m/s", body.velocity().length());
                assert!(
                    body.angular_velocity().abs() <= 0.25 * std::f32::consts::PI * 120.0,
                    "{solver:?}, step {step}"
                );
            }
        }
        assert!(most > 19.0, "{solver:?}: nothing was fast, but {most} m/s at most");
    }
}

/// Bodies that hang on a kinematic body slept on when it was set in motion: their pins opened to 10 m.
#[test]
fn a_kinematic_body_wakes_what_is_joined_to_it() {
    let kinds = [
        JointKind::Revolute(Revolute::default()),
        JointKind::Prismatic(Prismatic::default()),
        JointKind::Weld(Weld::default()),
        JointKind::Wheel(Wheel::default()),
        JointKind::Distance(Distance::rope(1.0)),
        JointKind::Motor(Drive::default()),
    ];
    type Setter = fn(&mut World, BodyId);
    let setters: [Setter; 4] = [
        |world, body| world.body_mut(body).set_velocity(vec2(0.5, 0.0)).unwrap(),
        |world, body| world.body_mut(body).set_angular_velocity(1.0).unwrap(),
        |world, body| world.body_mut(body).move_to(Pose::at(vec2(1.0, 0.0)), 1.0).unwrap(),
        |world, body| {
            let motion = world.body(body).motion();
            world.body_mut(body).set_motion(Motion { velocity: vec2(1.0, 0.0), ..motion }).unwrap();
        },
    ];
    for kind in kinds {
        for (number, setter) in setters.iter().enumerate() {
            for first in [true, false] {
                let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
                let crane = world.add_body(BodyDef::kinematic()).unwrap();
                let load = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::dynamic() }).unwrap();
                world.add_shape(load, ShapeDef::circle(0.2)).unwrap();
                let (a, b) = if first { (crane, load) } else { (load, crane) };
                world.add_joint(JointDef::new(a, b, kind).at(&world, vec2(0.0, -1.0)).unwrap()).unwrap();
                (0..120).for_each(|_| world.step(1.0 / 60.0));
                assert!(world.body(load).is_sleeping(), "{kind:?}");
                setter(&mut world, crane);
                assert!(world.body(load).is_awake(), "{kind:?}, setter {number}, crane first: {first}");
            }
        }
    }
}

/// The same through a gear: a kinematic wheel turns another one.
#[test]
fn a_kinematic_wheel_wakes_what_is_geared_to_it() {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef::fixed()).unwrap();
    let driver = world.add_body(BodyDef::kinematic()).unwrap();
    let wheel = world.add_body(BodyDef { position: vec2(2.0, 0.0), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(wheel, ShapeDef::circle(0.5)).unwrap();
    let joint_a = world.add_joint(JointDef::revolute(wall, driver)).unwrap();
    let joint_b = world.add_joint(JointDef::revolute(wall, wheel).at(&world, vec2(2.0, 0.0)).unwrap()).unwrap();
    let gear = JointKind::Gear(Gear { joint_a, joint_b, ratio: 1.0 });
    world.add_joint(JointDef::new(driver, wheel, gear)).unwrap();
    (0..120).for_each(|_| world.step(1.0 / 60.0));
    assert!(world.body(wheel).is_sleeping());
    world.body_mut(driver).set_angular_velocity(2.0).unwrap();
    (0..60).for_each(|_| world.step(1.0 / 60.0));
    let turned = world.body(wheel).angular_velocity();
    assert!((turned + 2.0).abs() < 0.05, "the wheel turns at {turned} rad/s");
}

/// A gear that is driven at once lagged behind by up to half a radian.
#[test]
fn gears_keep_their_ratio() {
    for ratio in [0.1, -0.7, 3.0, 10.0] {
        for substeps in [1, 4] {
            let mut world = world(substeps, Solver::SoftStep);
            let wall = world.add_body(BodyDef::fixed()).unwrap();
            let speed = 10.0 * min(1.0, f32::abs(ratio));
            let drives = [Some(Motor::new(speed, 1.0e4)), Some(Motor::new(0.0, 1.0))];
            let [joint_a, joint_b] = [(0.0, drives[0]), (2.0, drives[1])].map(|(x, motor)| {
                let wheel = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).unwrap();
                world.add_shape(wheel, ghost(ShapeDef::circle(0.5))).unwrap();
                let kind = JointKind::Revolute(Revolute { motor, ..Revolute::default() });
                world.add_joint(JointDef::new(wall, wheel, kind).at(&world, vec2(x, 0.0)).unwrap()).unwrap()
            });
            let wheels = [joint_a, joint_b].map(|joint| world.joint(joint).body_b());
            let gear = JointKind::Gear(Gear { joint_a, joint_b, ratio });
            world.add_joint(JointDef::new(wheels[0], wheels[1], gear)).unwrap();
            for step in 0..2000 {
                world.step(1.0 / 60.0);
                let [a, b] = [joint_a, joint_b].map(|joint| world.joint(joint).angle());
                let off = a + ratio * b;
                assert!(off.abs() < 0.01, "ratio {ratio}, {substeps} sub-steps, step {step}: {off} rad off");
            }
        }
    }
}
