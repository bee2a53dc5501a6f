//! A long run in which things come and go: `cargo run --release -p carom-fuzz --example soak -- [2d|3d|particles] [STEPS]`;
//! a million steps of 2D if nothing is said. Panics if numbers are not finite, an invariant is broken, memory grows or a step
//! takes much longer than the others; prints a hash at the end, which is the same on every machine.

use carom_core::Rng;
use carom_fuzz::oracle::now_s;
use carom_particles::forces::UniformGravity;
use carom_particles::{CollisionHandling, ContinuousCollisions, HalfPlane, ParticleDef, ParticleSystem};
use glam::{DVec2, dvec2};

/// How many bodies there are at most.
const BODIES: usize = 150;
/// A new one comes after so many steps.
const SPAWN_EVERY: u64 = 4;
/// Invariants are checked, and memory is read, after so many.
const CHECK_EVERY: u64 = 1000;
/// The memory of the process after the first tenth may grow by this, in MiB: what is left is fragmentation.
const MOST_GROWTH_MIB: f64 = 24.0;
/// No step may take longer than this, in seconds of processor time. A step of 150 bodies takes 0.2 ms.
const LONGEST_STEP_S: f64 = 0.1;

/// A world in which things come and go.
trait Soaked {
    fn step(&mut self, number: u64, rng: &mut Rng);
    fn check(&mut self);
    fn hash(&self) -> u64;
}

struct Plane {
    world: carom2d::World,
    bodies: std::collections::VecDeque<carom2d::BodyId>,
    snapshot: Vec<u8>,
}

impl Plane {
    fn new() -> Plane {
        use carom2d::prelude::*;
        let mut world = World::new(WorldDef::default());
        let ground = world.add_body(BodyDef::fixed()).expect("a body");
        let basin = [vec2(12.0, 20.0), vec2(10.0, 0.0), vec2(0.0, -2.0), vec2(-10.0, 0.0), vec2(-12.0, 20.0)];
        world.add_shape(ground, ShapeDef::chain(&basin)).expect("a chain");
        Plane { world, bodies: Default::default(), snapshot: Vec::new() }
    }

    fn spawn(&mut self, rng: &mut Rng) {
        use carom2d::prelude::*;
        let def = BodyDef {
            position: vec2(rng.range(-8.0, 8.0), rng.range(8.0, 16.0)),
            angle: rng.range(-3.0, 3.0),
            velocity: vec2(rng.range(-5.0, 5.0), rng.range(-20.0, 0.0)),
            bullet: rng.below(10) == 0,
            ..BodyDef::dynamic()
        };
        let corners: Vec<Vec2> = (0..6).map(|_| vec2(rng.range(-0.7, 0.7), rng.range(-0.7, 0.7))).collect();
        let shape = match rng.below(6) {
            0 => ShapeDef::circle(rng.range(0.1, 0.6)),
            1 => ShapeDef::capsule(vec2(-0.4, 0.0), vec2(0.4, 0.1), rng.range(0.1, 0.3)),
            2 => ShapeDef::ellipse(rng.range(0.2, 0.7), rng.range(0.2, 0.5)),
            3 => ShapeDef::convex(&corners),
            4 => ShapeDef::concave(&[vec2(-0.5, -0.5), vec2(0.6, -0.5), vec2(-0.2, -0.2), vec2(-0.5, 0.6)]),
            _ => ShapeDef::rectangle(rng.range(0.2, 1.2), rng.range(0.2, 1.2)),
        };
        let id = self.world.add_body(def).expect("a body");
        // Corners may lie on a line.
        if self.world.add_shape(id, ShapeDef { restitution: rng.range(0.0, 0.5), ..shape }).is_err() {
            self.world.remove_body(id).expect("a body");
            return;
        }
        if let Some(&other) = self.bodies.back().filter(|_| rng.below(5) == 0) {
            let at = self.world.body(other).position();
            let joint = JointDef::revolute(other, id).at(&self.world, at).expect("a place");
            self.world.add_joint(JointDef { break_force: 200.0, ..joint }).expect("a joint");
        }
        self.bodies.push_back(id);
        if self.bodies.len() > BODIES
            && let Some(oldest) = self.bodies.pop_front()
        {
            self.world.remove_body(oldest).expect("a body");
        }
    }
}

impl Soaked for Plane {
    fn step(&mut self, number: u64, rng: &mut Rng) {
        // Every fourth thousand of steps nothing comes, and what is there falls asleep.
        if number.is_multiple_of(SPAWN_EVERY) && number / 1000 % 4 != 3 {
            self.spawn(rng);
        }
        if number % 5000 == 4999 {
            self.world.save(&mut self.snapshot);
            self.world.restore(&self.snapshot).expect("a snapshot of this world");
        }
        self.world.step(1.0 / 60.0);
    }

    fn check(&mut self) {
        self.world.validate();
        for id in self.world.bodies() {
            let body = self.world.body(id);
            assert!(body.position().is_finite() && body.velocity().is_finite() && body.angular_velocity().is_finite());
            assert!(!body.is_frozen(), "{id:?} is frozen");
        }
    }

    fn hash(&self) -> u64 {
        self.world.state_hash()
    }
}

struct Space {
    world: carom3d::World,
    bodies: std::collections::VecDeque<carom3d::BodyId>,
}

impl Space {
    fn new() -> Space {
        use carom3d::prelude::*;
        let mut world = World::new(WorldDef::default());
        world.add_body(BodyDef::plane(DVec3::Y)).expect("a floor");
        for normal in [DVec3::X, -DVec3::X, DVec3::Z, -DVec3::Z] {
            world.add_body(BodyDef { position: -4.0 * normal, ..BodyDef::plane(normal) }).expect("a wall");
        }
        Space { world, bodies: Default::default() }
    }
}

impl Soaked for Space {
    fn step(&mut self, number: u64, rng: &mut Rng) {
        use carom3d::prelude::*;
        if number.is_multiple_of(4 * SPAWN_EVERY) && number / 1000 % 4 != 3 {
            let mut part = |low: f32, high: f32| f64::from(rng.range(low, high));
            let position = dvec3(part(-3.0, 3.0), part(5.0, 9.0), part(-3.0, 3.0));
            let velocity = dvec3(part(-3.0, 3.0), part(-9.0, 0.0), part(-3.0, 3.0));
            let size = part(0.2, 0.5);
            let shape = match number / 16 % 4 {
                0 => BodyDef::cuboid(dvec3(size, 0.8 * size, 1.2 * size)),
                1 => BodyDef::capsule(size, 0.5 * size),
                _ => BodyDef::sphere(size),
            };
            let material = Material { friction: 0.4, restitution: part(0.0, 0.8), rolling_resistance: 0.02 };
            let id = self.world.add_body(BodyDef { position, velocity, material, ..shape }).expect("a body");
            self.bodies.push_back(id);
            if self.bodies.len() > BODIES / 2
                && let Some(oldest) = self.bodies.pop_front()
            {
                self.world.remove_body(oldest).expect("a body");
            }
        }
        self.world.step(1.0 / 60.0);
    }

    fn check(&mut self) {
        self.world.validate();
        for id in self.world.bodies() {
            let body = self.world.body(id);
            assert!(body.position().is_finite() && body.velocity().is_finite() && body.angular_velocity().is_finite());
            assert!(!body.is_frozen(), "{id:?} is frozen");
        }
    }

    fn hash(&self) -> u64 {
        self.world.state_hash()
    }
}

/// Particles cannot be taken away, so they are thrown again, and now and then the system is made afresh.
struct Particles(ParticleSystem);

impl Particles {
    fn new() -> Particles {
        let mut system = ParticleSystem::new();
        for (point, normal) in [(DVec2::ZERO, DVec2::Y), (dvec2(-5.0, 0.0), DVec2::X), (dvec2(5.0, 0.0), -DVec2::X)] {
            system.add_half_plane(HalfPlane { point, normal }).expect("a half-plane");
        }
        system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) }).expect("gravity");
        system.set_collisions(CollisionHandling::Continuous(ContinuousCollisions { restitution: 0.6 }));
        Particles(system)
    }
}

impl Soaked for Particles {
    fn step(&mut self, number: u64, rng: &mut Rng) {
        if number.is_multiple_of(20_000) {
            *self = Particles::new();
        }
        let mut part = |low: f32, high: f32| f64::from(rng.range(low, high));
        if number.is_multiple_of(SPAWN_EVERY) {
            let position = dvec2(part(-4.5, 4.5), part(3.0, 9.0));
            let velocity = dvec2(part(-5.0, 5.0), part(-5.0, 0.0));
            let count = self.0.particle_count();
            if count < BODIES {
                let def = ParticleDef { position, velocity, radius: part(0.05, 0.2), ..ParticleDef::default() };
                self.0.add_particle(def).expect("a particle");
            } else {
                let thrown = (number / SPAWN_EVERY) as usize % count;
                let (mut positions, mut velocities) = (self.0.positions().to_vec(), self.0.velocities().to_vec());
                (positions[thrown], velocities[thrown]) = (position, velocity);
                self.0.set_state(&positions, &velocities);
            }
        }
        self.0.step(0.01);
    }

    fn check(&mut self) {
        assert!(self.0.is_finite() && self.0.frozen().is_empty(), "{:?}", self.0.frozen());
    }

    fn hash(&self) -> u64 {
        self.0.state_hash()
    }
}

/// The memory of this process in MiB; 0 where the system does not tell.
fn memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).map_or(0.0, |kib| kib / 1024.0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let engine = arguments.first().map_or("2d", String::as_str);
    let steps: u64 = arguments.get(1).map_or(1_000_000, |steps| steps.parse().expect("a number of steps"));
    let mut soaked: Box<dyn Soaked> = match engine {
        "2d" => Box::new(Plane::new()),
        "3d" => Box::new(Space::new()),
        "particles" => Box::new(Particles::new()),
        _ => panic!("usage: soak [2d|3d|particles] [STEPS]"),
    };
    let mut rng = Rng::new(1);
    let (mut settled, mut longest, begin) = (0.0, 0.0, now_s());
    for number in 0..steps {
        let start = now_s();
        soaked.step(number, &mut rng);
        let spent = now_s() - start;
        longest = if spent > longest { spent } else { longest };
        assert!(spent < LONGEST_STEP_S, "step {number} took {spent:.3} s");
        if number % CHECK_EVERY == CHECK_EVERY - 1 {
            soaked.check();
            let memory = memory_mib();
            if number < steps / 10 {
                settled = memory;
            }
            assert!(memory <= settled + MOST_GROWTH_MIB || number < steps / 10, "{settled:.1} MiB became {memory:.1}");
            if number % (steps / 20).max(1) < CHECK_EVERY {
                println!("{engine}: {} steps, {memory:.1} MiB, longest step {:.2} ms", number + 1, 1.0e3 * longest);
            }
        }
    }
    println!(
        "{engine}: {steps} steps in {:.0} s of processor time, longest {:.2} ms, {settled:.1} MiB became {:.1}, hash {:#018x}",
        now_s() - begin,
        1.0e3 * longest,
        memory_mib(),
        soaked.hash()
    );
}
