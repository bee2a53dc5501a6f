//! The grid finds what all pairs find: same positions, velocities and collisions, to the last bit.

mod shared;

use carom_core::Rng;
use carom_particles::forces::{Penalty, UniformGravity};
use carom_particles::{
    BroadPhase, CollisionHandling, ContinuousCollisions, Edge, HalfPlane, Motion, ParticleDef, ParticleSystem, Scene,
    SimpleCollisions,
};
use glam::{DVec2, dvec2};
use shared::{files_below, shared_folder};

fn same_bits(name: &str, system: &ParticleSystem, dt: f64, steps: u64) -> usize {
    let (mut grid, mut all) = (system.clone(), system.clone());
    grid.set_broad_phase(BroadPhase::Grid);
    all.set_broad_phase(BroadPhase::AllPairs);
    let mut contacts = 0;
    for step in 1..=steps {
        grid.step(dt);
        all.step(dt);
        assert_eq!(grid.state_hash(), all.state_hash(), "{name}: step {step}");
        assert_eq!(format!("{:?}", grid.contacts()), format!("{:?}", all.contacts()), "{name}: step {step}");
        contacts += grid.contacts().len();
    }
    contacts
}

#[test]
fn official_scenes_keep_every_bit() {
    let Some(shared) = shared_folder("broad phase on official scenes") else { return };
    for milestone in ["T2M1", "T2M3"] {
        for path in files_below(&shared.join("fosssim/scenes").join(milestone), "xml") {
            let scene = Scene::from_file(&path).unwrap();
            let is_large = scene.system.particle_count() > 1000;
            let steps = if is_large { 2 } else { scene.steps().min(500) };
            same_bits(&path.display().to_string(), &scene.system, scene.dt, steps);
        }
    }
}

/// Particles and edges of very different sizes, some without size, some far away, some on one spot.
fn crowd(rng: &mut Rng, count: usize) -> ParticleSystem {
    let mut system = ParticleSystem::new();
    for i in 0..count {
        let spread = match rng.below(10) {
            0 => 1e6,
            1 => 0.0,
            _ => 3.0,
        };
        let radius = [0.02, 0.05, 0.1, 0.0, -0.01, 2.0][rng.below(6) as usize] * if i % 7 == 0 { 1.0 } else { 0.5 };
        let mut signed = || 2.0 * rng.f64() - 1.0;
        let def = ParticleDef {
            mass: 1.5 + signed(),
            position: spread * dvec2(signed(), signed()),
            velocity: dvec2(signed(), signed()),
            radius,
            motion: if i % 11 == 0 { Motion::Fixed } else { Motion::Free },
        };
        system.add_particle(def).unwrap();
    }
    for _ in 0..count / 3 {
        let mut end = || rng.below(count as u32) as usize;
        let ends = [end(), end()];
        system.add_edge(Edge { ends, radius: 0.03 * rng.f64() }).unwrap();
    }
    system.add_half_plane(HalfPlane { point: dvec2(0.0, -2.0), normal: dvec2(0.3, 2.0) }).unwrap();
    system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -1.0) }).unwrap();
    system
}

#[test]
fn random_crowds_keep_every_bit() {
    let mut rng = Rng::new(11);
    let mut contacts = 0;
    for round in 0..60 {
        let mut system = crowd(&mut rng, 20 + round);
        let restitution = rng.f64();
        system.set_collisions(match round % 3 {
            0 => CollisionHandling::Simple(SimpleCollisions { restitution, ..SimpleCollisions::default() }),
            1 => CollisionHandling::Penalty(Penalty { stiffness: 50.0, thickness: rng.f64() - 0.3 }),
            _ => CollisionHandling::Continuous(ContinuousCollisions { restitution }),
        });
        if round % 5 == 4 {
            // As after an accident: numbers that are none.
            let mut positions = system.positions().to_vec();
            positions[3] = dvec2(f64::NAN, 1.0);
            positions[4] = dvec2(f64::INFINITY, -1e308);
            positions[5] = DVec2::splat(1e300);
            let velocities = system.velocities().to_vec();
            system.set_state(&positions, &velocities);
        }
        contacts += same_bits(&format!("crowd {round}"), &system, 0.01, 20);
    }
    assert!(contacts > 1000, "{contacts}");
}
