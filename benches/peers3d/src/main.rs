//! Times carom3d beside rapier3d on the same spheres in a box of planes, in one process, on one thread.
//!
//! `cargo run --release --manifest-path benches/peers3d/Cargo.toml [MOST SPHERES]`
//!
//! The two take turns of a few steps each, and of all turns the cheapest counts: other programs slow some of them
//! down. Ratios mean more than milliseconds. rapier computes in 32-bit numbers with a fixed step and lets spheres
//! overlap a little; carom computes in 64-bit numbers and meets every impact at its time. What each did is printed too:
//! the kinetic energy over that at the start, and the deepest overlap of two spheres.

use carom_core::Rng;
use carom3d::prelude::*;
use rapier3d::prelude as rapier;
use std::time::Instant;

const RADIUS: f64 = 0.1;
const DT: f64 = 1.0 / 60.0;
const TURNS: usize = 5;
const STEPS_PER_TURN: usize = 6;

/// What the spheres are doing while time is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// No gravity, no losses: everybody flies.
    Gas,
    /// Falling and colliding.
    Falling,
    /// A second and a half later: a heap that is still awake.
    Heap,
}

/// The same spheres for both engines.
struct Setup {
    half: f64,
    gravity: f64,
    friction: f64,
    restitution: f64,
    /// Positions and velocities.
    balls: Vec<([f64; 3], [f64; 3])>,
}

fn setup(count: usize, state: State) -> Setup {
    let mut rng = Rng::new(count as u64);
    let side = (1..).find(|side: &usize| side * side * side >= count).unwrap_or(1);
    let spacing = 3.5 * RADIUS;
    let half = 0.5 * spacing * side as f64;
    let speed = if state == State::Gas { 3.0 } else { 1.0 };
    let mut random = || rng.f64() * 2.0 - 1.0;
    let balls = (0..count).map(|i| {
        let cell = [i % side, i / (side * side), i / side % side];
        let position = cell.map(|cell| (cell as f64 + 0.5 + 0.15 * random()) * spacing - half);
        (position, [0; 3].map(|_| speed * random()))
    });
    let balls = balls.collect();
    match state {
        State::Gas => Setup { half, gravity: 0.0, friction: 0.0, restitution: 1.0, balls },
        _ => Setup { half, gravity: -9.8, friction: 0.4, restitution: 0.5, balls },
    }
}

/// An engine with a world of spheres in it.
trait Engine {
    fn step(&mut self);
    fn balls(&self) -> Vec<([f64; 3], [f64; 3])>;
}

struct Carom {
    world: World,
    ids: Vec<BodyId>,
}

impl Carom {
    fn new(setup: &Setup) -> Carom {
        let gravity = dvec3(0.0, setup.gravity, 0.0);
        let mut world = World::new(WorldDef { gravity, sleeping: false, ..WorldDef::default() });
        let material =
            Material { friction: setup.friction, restitution: setup.restitution, ..Material::default() };
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for side in [-setup.half, setup.half] {
                let wall = BodyDef { position: axis * side, material, ..BodyDef::plane(axis) };
                world.add_body(wall).expect("a plane");
            }
        }
        let ids = setup.balls.iter().map(|&(position, velocity)| {
            let (position, velocity) = (DVec3::from_array(position), DVec3::from_array(velocity));
            world.add_body(BodyDef { position, velocity, material, ..BodyDef::sphere(RADIUS) }).expect("a sphere")
        });
        let ids = ids.collect();
        Carom { world, ids }
    }
}

impl Engine for Carom {
    fn step(&mut self) {
        self.world.step(DT);
    }

    fn balls(&self) -> Vec<([f64; 3], [f64; 3])> {
        let ball = |id: &BodyId| (self.world.body(*id).position().into(), self.world.body(*id).velocity().into());
        self.ids.iter().map(ball).collect()
    }
}

struct Rapier {
    gravity: rapier::Vector,
    parameters: rapier::IntegrationParameters,
    pipeline: rapier::PhysicsPipeline,
    islands: rapier::IslandManager,
    broad_phase: rapier::DefaultBroadPhase,
    narrow_phase: rapier::NarrowPhase,
    bodies: rapier::RigidBodySet,
    colliders: rapier::ColliderSet,
    impulse_joints: rapier::ImpulseJointSet,
    multibody_joints: rapier::MultibodyJointSet,
    ccd: rapier::CCDSolver,
    handles: Vec<rapier::RigidBodyHandle>,
}

impl Rapier {
    fn new(setup: &Setup) -> Rapier {
        let mut bodies = rapier::RigidBodySet::new();
        let mut colliders = rapier::ColliderSet::new();
        let vector = |v: [f64; 3]| rapier::Vector::new(v[0] as f32, v[1] as f32, v[2] as f32);
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let (mut normal, mut place) = ([0.0; 3], [0.0; 3]);
                normal[axis] = -side;
                place[axis] = side * setup.half;
                let wall = rapier::ColliderBuilder::new(rapier::SharedShape::halfspace(vector(normal).normalize()))
                    .translation(vector(place))
                    .friction(setup.friction as f32)
                    .restitution(setup.restitution as f32);
                colliders.insert(wall);
            }
        }
        let handles = setup.balls.iter().map(|&(position, velocity)| {
            let body = rapier::RigidBodyBuilder::dynamic()
                .translation(vector(position))
                .linvel(vector(velocity))
                .can_sleep(false);
            let handle = bodies.insert(body);
            let ball = rapier::ColliderBuilder::ball(RADIUS as f32)
                .mass(1.0)
                .friction(setup.friction as f32)
                .restitution(setup.restitution as f32);
            colliders.insert_with_parent(ball, handle, &mut bodies);
            handle
        });
        let handles = handles.collect();
        Rapier {
            gravity: vector([0.0, setup.gravity, 0.0]),
            parameters: rapier::IntegrationParameters { dt: DT as f32, ..Default::default() },
            pipeline: rapier::PhysicsPipeline::new(),
            islands: rapier::IslandManager::new(),
            broad_phase: rapier::DefaultBroadPhase::new(),
            narrow_phase: rapier::NarrowPhase::new(),
            bodies,
            colliders,
            impulse_joints: rapier::ImpulseJointSet::new(),
            multibody_joints: rapier::MultibodyJointSet::new(),
            ccd: rapier::CCDSolver::new(),
            handles,
        }
    }
}

impl Engine for Rapier {
    fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut rapier::SoftBodySet::new(),
            &mut self.ccd,
            &(),
            &(),
        );
    }

    fn balls(&self) -> Vec<([f64; 3], [f64; 3])> {
        let wide = |v: rapier::Vector| [f64::from(v.x), f64::from(v.y), f64::from(v.z)];
        let ball = |handle: &rapier::RigidBodyHandle| {
            let body = &self.bodies[*handle];
            (wide(body.translation()), wide(body.linvel()))
        };
        self.handles.iter().map(ball).collect()
    }
}

fn kinetic_energy(balls: &[([f64; 3], [f64; 3])]) -> f64 {
    balls.iter().flat_map(|(_, velocity)| velocity).map(|speed| 0.5 * speed * speed).sum()
}

/// The deepest overlap of two spheres, as a fraction of the radius.
fn deepest(balls: &[([f64; 3], [f64; 3])]) -> f64 {
    let mut places: Vec<[f64; 3]> = balls.iter().map(|ball| ball.0).collect();
    places.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut deepest = 0.0_f64;
    for (i, a) in places.iter().enumerate() {
        for b in places[i + 1..].iter().take_while(|b| b[0] - a[0] < 2.0 * RADIUS) {
            let distance = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
            deepest = deepest.max(2.0 * RADIUS - distance);
        }
    }
    deepest / RADIUS
}

fn main() {
    let most: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(10_000);
    println!(
        "{:>8} {:<8} {:>10} {:>10} {:>7}   energy kept, deepest overlap in radii",
        "spheres", "state", "carom ms", "rapier ms", "ratio"
    );
    let mut count = 100;
    while count <= most {
        for state in [State::Gas, State::Falling, State::Heap] {
            compare(count, state);
        }
        count *= 10;
    }
}

fn compare(count: usize, state: State) {
    let setup = setup(count, state);
    let mut engines: [Box<dyn Engine>; 2] = [Box::new(Carom::new(&setup)), Box::new(Rapier::new(&setup))];
    let start_energy = kinetic_energy(&setup.balls);
    let warm_up = match state {
        State::Gas => 10,
        State::Falling => 20,
        State::Heap => 90,
    };
    for engine in &mut engines {
        (0..warm_up).for_each(|_| engine.step());
    }
    let mut best_ms = [f64::INFINITY; 2];
    for _ in 0..TURNS {
        for (engine, best_ms) in engines.iter_mut().zip(&mut best_ms) {
            let start = Instant::now();
            (0..STEPS_PER_TURN).for_each(|_| engine.step());
            *best_ms = best_ms.min(start.elapsed().as_secs_f64() * 1.0e3 / STEPS_PER_TURN as f64);
        }
    }
    let what = engines.each_ref().map(|engine| {
        let balls = engine.balls();
        format!("{:.3}, {:.3}", kinetic_energy(&balls) / start_energy, deepest(&balls))
    });
    println!(
        "{count:>8} {:<8} {:>10.3} {:>10.3} {:>7.2}   carom {}; rapier {}",
        format!("{state:?}").to_lowercase(),
        best_ms[0],
        best_ms[1],
        best_ms[0] / best_ms[1],
        what[0],
        what[1],
    );
}
