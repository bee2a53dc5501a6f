//! How many times faster the implicit integrators are with the automatic equation solver than with pivoting, on cloths
//! and chains, and how far the results are apart.
//!
//! `cargo run --release -p carom-particles --example implicit_benchmark [SIDE of the largest cloth]`

use carom_particles::forces::{Spring, UniformGravity};
use carom_particles::{EquationSolver, Integrator, Motion, ParticleDef, ParticleSystem};
use glam::{DVec2, dvec2};
use std::time::Instant;

const H: f64 = 0.01;
/// Steps after the first, which also works out the pattern; the fastest counts, since other programs can only slow us
/// down.
const STEPS: usize = 6;

fn main() {
    let largest = std::env::args().nth(1).and_then(|side| side.parse().ok()).unwrap_or(100);
    println!(
        "{:<34} {:>9} {:>8} {:>12} {:>12} {:>7} {:>10}",
        "system", "particles", "springs", "pivoting ms", "automatic ms", "ratio", "apart"
    );
    for side in [20, 50, 100, 200].into_iter().filter(|&side| side <= largest) {
        for (name, damping) in [("cloth", 0.0), ("cloth, damped", 2.0)] {
            measure(&format!("{name} {side} x {side}"), &cloth(side, damping));
        }
    }
    measure("chain of 10,000", &chain(10_000, 0.0));
    measure("chain of 10,000, damped", &chain(10_000, 2.0));
}

/// Particles in a square, joined to their eight neighbours, hanging by two corners.
fn cloth(side: usize, damping: f64) -> ParticleSystem {
    let mut system = hanging();
    let spacing = 1.0 / side as f64;
    for i in 0..side * side {
        let (row, column) = (i / side, i % side);
        let is_held = row == 0 && (column == 0 || column == side - 1);
        add(&mut system, spacing * dvec2(column as f64, -(row as f64)), is_held);
    }
    for i in 0..side * side {
        let (row, column) = (i / side, i % side);
        let mut join_to = |other: usize| join(&mut system, [i, other], damping);
        if column + 1 < side {
            join_to(i + 1);
        }
        if row + 1 < side {
            join_to(i + side);
            if column + 1 < side {
                join_to(i + side + 1);
            }
            if column > 0 {
                join_to(i + side - 1);
            }
        }
    }
    system
}

/// Particles in a row, held at one end.
fn chain(count: usize, damping: f64) -> ParticleSystem {
    let mut system = hanging();
    for i in 0..count {
        add(&mut system, dvec2(0.01 * i as f64, 0.0), i == 0);
    }
    for i in 1..count {
        join(&mut system, [i - 1, i], damping);
    }
    system
}

fn hanging() -> ParticleSystem {
    let mut system = ParticleSystem::new();
    system.set_integrator(Integrator::LinearizedImplicitEuler);
    system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) }).expect("finite numbers");
    system
}

fn add(system: &mut ParticleSystem, position: DVec2, is_held: bool) {
    let motion = if is_held { Motion::Fixed } else { Motion::Free };
    let def = ParticleDef { mass: 0.01, position, motion, ..ParticleDef::default() };
    system.add_particle(def).expect("finite numbers");
}

/// A stiff spring that is at rest as it is.
fn join(system: &mut ParticleSystem, particles: [usize; 2], damping: f64) {
    let [a, b] = particles.map(|particle| system.positions()[particle]);
    let spring = Spring { particles, stiffness: 1000.0, rest_length: (b - a).length(), damping };
    system.add_spring(spring).expect("particles that exist");
}

fn measure(name: &str, system: &ParticleSystem) {
    let [mut expected, mut result] = [EquationSolver::Pivoting, EquationSolver::Automatic].map(|solver| {
        let mut system = system.clone();
        system.set_equation_solver(solver);
        system.step(H);
        system
    });
    let fastest = |fastest: &mut f64, system: &mut ParticleSystem| {
        let start = Instant::now();
        system.step(H);
        let seconds = start.elapsed().as_secs_f64();
        if seconds < *fastest {
            *fastest = seconds;
        }
    };
    let (mut pivoting, mut automatic) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..STEPS {
        fastest(&mut pivoting, &mut expected);
        fastest(&mut automatic, &mut result);
    }
    let pairs = result.velocities().iter().zip(expected.velocities());
    let apart = pairs.map(|(a, b)| (*a - *b).length()).fold(0.0, |worst, off| if off > worst { off } else { worst });
    println!(
        "{name:<34} {:>9} {:>8} {:>12.2} {:>12.2} {:>6.1}x {apart:>10.1e}",
        system.particle_count(),
        system.forces().springs.len(),
        1e3 * pivoting,
        1e3 * automatic,
        pivoting / automatic
    );
}
