//! How many times faster the grid is than all pairs, on the timing scenes and on 20,000 generated particles.
//!
//! `cargo run --release -p carom-particles --example broad_phase_benchmark [FOLDER of FOSSSim scenes]`

use carom_core::Rng;
use carom_particles::forces::Penalty;
use carom_particles::{BroadPhase, CollisionHandling, HalfPlane, ParticleDef, ParticleSystem, Scene, SimpleCollisions};
use glam::dvec2;
use std::path::PathBuf;
use std::time::Instant;

/// Steps per measurement; the fastest of a few counts, since other programs can only slow us down.
const GRID_STEPS: usize = 10;
const ALL_PAIRS_STEPS: usize = 2;
const REPEATS: usize = 3;

fn main() {
    println!(
        "{:<42} {:>9} {:>7} {:>13} {:>12} {:>7}",
        "scene", "particles", "edges", "all pairs ms", "grid ms", "ratio"
    );
    match scene_folder() {
        Some(folder) => {
            for name in ["T2M3/TimingScenes/test00", "T2M3/TimingScenes/test01"] {
                match Scene::from_file(folder.join(format!("{name}.xml"))) {
                    Ok(scene) => measure(name, &scene.system, scene.dt),
                    Err(error) => println!("skipped {name}: {error}"),
                }
            }
        }
        None => println!("skipped T2M3: no folder of scenes given or found"),
    }
    let simple = CollisionHandling::Simple(SimpleCollisions::default());
    measure("20,000 particles in a box, simple", &generated(20_000, simple), 0.005);
    let penalty = CollisionHandling::Penalty(Penalty { stiffness: 100.0, thickness: 0.01 });
    measure("20,000 particles in a box, penalty", &generated(20_000, penalty), 0.005);
}

/// The folder named on the command line, in `CAROM_SHARED`, or beside the workspace.
fn scene_folder() -> Option<PathBuf> {
    let named = std::env::args_os().nth(1).map(PathBuf::from);
    let shared = std::env::var_os("CAROM_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = shared.into_iter().chain([beside]).map(|folder| folder.join("fosssim/scenes"));
    named.into_iter().chain(shared).find(|folder| folder.is_dir())
}

/// Particles of radius 0.01 to 0.03 scattered over a box of half-planes.
fn generated(count: usize, collisions: CollisionHandling) -> ParticleSystem {
    let mut rng = Rng::new(20_000);
    let mut system = ParticleSystem::new();
    let half = 6.0;
    for _ in 0..count {
        let mut signed = || 2.0 * rng.f64() - 1.0;
        let position = half * dvec2(signed(), signed());
        let velocity = dvec2(signed(), signed());
        let radius = 0.02 + 0.01 * signed();
        let def = ParticleDef { position, velocity, radius, ..ParticleDef::default() };
        system.add_particle(def).expect("finite numbers");
    }
    for normal in [dvec2(1.0, 0.0), dvec2(-1.0, 0.0), dvec2(0.0, 1.0), dvec2(0.0, -1.0)] {
        system.add_half_plane(HalfPlane { point: -half * normal, normal }).expect("finite numbers");
    }
    system.set_collisions(collisions);
    system
}

fn measure(name: &str, system: &ParticleSystem, dt: f64) {
    let run = |broad_phase: BroadPhase, steps: usize| {
        let mut fastest = f64::INFINITY;
        let mut hash = 0;
        for _ in 0..REPEATS {
            let mut system = system.clone();
            system.set_broad_phase(broad_phase);
            let start = Instant::now();
            for _ in 0..steps {
                system.step(dt);
            }
            let seconds = start.elapsed().as_secs_f64() / steps as f64;
            if seconds < fastest {
                fastest = seconds;
            }
            hash = system.state_hash();
        }
        (fastest, hash)
    };
    let (all_pairs, hash_all) = run(BroadPhase::AllPairs, ALL_PAIRS_STEPS);
    let (_, hash_grid) = run(BroadPhase::Grid, ALL_PAIRS_STEPS);
    assert_eq!(hash_all, hash_grid, "{name}: the grid changed the result");
    let (grid, _) = run(BroadPhase::Grid, GRID_STEPS);
    println!(
        "{name:<42} {:>9} {:>7} {:>13.1} {:>12.3} {:>6.0}x",
        system.particle_count(),
        system.edges().len(),
        1e3 * all_pairs,
        1e3 * grid,
        all_pairs / grid
    );
}
