//! Problems 3 and 5: a spring and an orbit, as particles in double precision.

use super::{Check, larger};
use carom_particles::forces::{Gravitation, Spring};
use carom_particles::{Integrator, Motion, ParticleDef, ParticleSystem};
use glam::dvec2;
use std::f64::consts::TAU;

/// Runs the group.
pub fn checks() -> Vec<Check> {
    let mut checks = undamped_spring("symplectic Euler", Integrator::SymplecticEuler, 0.06);
    checks.extend(undamped_spring("Verlet", Integrator::VelocityVerlet, 3.0e-3));
    checks.extend(kepler());
    checks
}

/// Slope of the least-squares line through values, per value.
fn slope(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (mean_t, mean) = ((n - 1.0) / 2.0, values.iter().sum::<f64>() / n);
    let (mut above, mut below) = (0.0, 0.0);
    for (t, value) in values.iter().enumerate() {
        above += (t as f64 - mean_t) * (value - mean);
        below += (t as f64 - mean_t) * (t as f64 - mean_t);
    }
    above / below
}

/// Mean time between the upward crossings of zero among samples that are `h` seconds apart.
#[derive(Default)]
struct Crossings {
    first: Option<f64>,
    last: f64,
    count: u32,
    before: f64,
}

impl Crossings {
    fn sample(&mut self, step: usize, value: f64) {
        if self.before < 0.0 && value >= 0.0 {
            self.last = step as f64 + self.before / (self.before - value);
            self.first.get_or_insert(self.last);
            self.count += 1;
        }
        self.before = value;
    }

    fn period(&self, h: f64) -> f64 {
        h * (self.last - self.first.unwrap_or(f64::NAN)) / f64::from(self.count - 1)
    }
}

/// Problem 3: a mass on a spring with w h = 0.1 for 1e6 steps: period, energy, drift of the energy.
fn undamped_spring(name: &str, integrator: Integrator, bound: f64) -> Vec<Check> {
    // The other end is so far away that the spring keeps its direction.
    let (far, h, steps) = (1000.0, 0.1, 1_000_000);
    let mut system = ParticleSystem::new();
    system.set_integrator(integrator);
    let fixed = ParticleDef { position: dvec2(-far, 0.0), motion: Motion::Fixed, ..ParticleDef::default() };
    system.add_particle(fixed).expect("particle");
    system.add_particle(ParticleDef { position: dvec2(1.0, 0.0), ..ParticleDef::default() }).expect("particle");
    system.add_spring(Spring { particles: [0, 1], stiffness: 1.0, rest_length: far, damping: 0.0 }).expect("spring");
    let energy = |system: &ParticleSystem| system.kinetic_energy() + system.potential_energy();
    let start = energy(&system);
    let (mut worst, mut energies, mut crossings) = (0.0, Vec::with_capacity(steps), Crossings::default());
    for step in 0..steps {
        system.step(h);
        crossings.sample(step, system.positions()[1].x);
        let off = energy(&system) / start - 1.0;
        worst = larger(worst, off.abs());
        energies.push(off);
    }
    // (w h / 2) / asin(w h / 2) with w h = 0.1.
    let (ratio, expected) = (crossings.period(h) / TAU, 0.999_583_037_814_586);
    vec![
        Check::new(format!("3 spring, {name}, period ratio"), (ratio - expected).abs(), 1.0e-5).answer(expected, ratio),
        Check::new(format!("3 spring, {name}, energy error (relative)"), worst, bound),
        Check::new(format!("3 spring, {name}, energy drift (per step)"), slope(&energies).abs(), 1.0e-9),
    ]
}

/// Problem 5: 100 orbits of eccentricity 0.5 with 1000 steps each, by Verlet's method.
fn kepler() -> Vec<Check> {
    let (h, steps) = (TAU / 1000.0, 100_000);
    let mut system = ParticleSystem::new();
    system.set_integrator(Integrator::VelocityVerlet);
    system.add_particle(ParticleDef { motion: Motion::Fixed, ..ParticleDef::default() }).expect("particle");
    // Speed at the nearest point: sqrt((1 + e) / (1 - e)).
    let nearest = ParticleDef { position: dvec2(0.5, 0.0), velocity: dvec2(0.0, 3.0_f64.sqrt()), ..Default::default() };
    system.add_particle(nearest).expect("particle");
    system.add_gravitation(Gravitation { particles: [0, 1], constant: 1.0 }).expect("gravitation");
    let quantities = |system: &ParticleSystem| {
        let (x, v) = (system.positions()[1], system.velocities()[1]);
        (0.5 * v.dot(v) - 1.0 / x.length(), x.perp_dot(v))
    };
    let (energy, momentum) = quantities(&system);
    let (mut worst_energy, mut worst_momentum) = (0.0, 0.0);
    let (mut energies, mut passages) = (Vec::with_capacity(steps), Crossings::default());
    for step in 0..steps {
        system.step(h);
        let (e, l) = quantities(&system);
        worst_energy = larger(worst_energy, (e / energy - 1.0).abs());
        worst_momentum = larger(worst_momentum, (l / momentum - 1.0).abs());
        energies.push(e / energy - 1.0);
        // The period is that of the distance: the orbit itself turns.
        passages.sample(step, system.positions()[1].dot(system.velocities()[1]));
    }
    let period = passages.period(h);
    vec![
        Check::new("5 Kepler, energy error (relative)", worst_energy, 1.0e-3),
        Check::new(
            "5 Kepler, energy drift over all orbits (relative)",
            (slope(&energies) * steps as f64).abs(),
            1.0e-6,
        ),
        Check::new("5 Kepler, angular momentum error (relative)", worst_momentum, 1.0e-11),
        Check::new("5 Kepler, period (relative)", (period / TAU - 1.0).abs(), 1.0e-3).answer(TAU, period),
    ]
}
