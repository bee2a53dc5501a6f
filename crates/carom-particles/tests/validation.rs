//! Problems with known answers: numbers 3, 4 and 5 of the validation catalogue, and the order of each integrator.
#![allow(clippy::disallowed_methods)]

use carom_particles::forces::{Gravitation, Spring};
use carom_particles::{Integrator, Motion, ParticleDef, ParticleSystem};
use glam::dvec2;
use std::f64::consts::TAU;

const FAR: f64 = 1000.0;

/// A mass of 1 kg on a spring of circular frequency 1/s along x, pulled out by 1 m: far from the other end, so that
/// the spring keeps its direction.
fn oscillator(integrator: Integrator, damping: f64) -> ParticleSystem {
    let mut system = ParticleSystem::new();
    system.set_integrator(integrator);
    let fixed = ParticleDef { position: dvec2(-FAR, 0.0), motion: Motion::Fixed, ..ParticleDef::default() };
    let particles = [
        system.add_particle(fixed).unwrap(),
        system.add_particle(ParticleDef { position: dvec2(1.0, 0.0), ..ParticleDef::default() }).unwrap(),
    ];
    system.add_spring(Spring { particles, stiffness: 1.0, rest_length: FAR, damping }).unwrap();
    system
}

/// Slope of the least-squares line through the values.
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

/// Validation 3: period ratio (wh/2)/asin(wh/2), energy bounded and without drift over 1e6 steps.
#[test]
fn undamped_spring_keeps_period_and_energy() {
    let h: f64 = 0.1;
    let expected = (h / 2.0) / (h / 2.0).asin();
    for (integrator, bound) in [(Integrator::SymplecticEuler, 0.06), (Integrator::VelocityVerlet, 3e-3)] {
        let mut system = oscillator(integrator, 0.0);
        let energy = |system: &ParticleSystem| system.kinetic_energy() + system.potential_energy();
        let start = energy(&system);
        let steps = 1_000_000;
        let (mut worst, mut energies, mut crossings, mut last) = (0.0f64, Vec::with_capacity(steps), Vec::new(), 1.0);
        for step in 0..steps {
            system.step(h);
            let x = system.positions()[1].x;
            if last < 0.0 && x >= 0.0 {
                crossings.push((step as f64 + last / (last - x)) * h);
            }
            last = x;
            let ratio = energy(&system) / start - 1.0;
            worst = worst.max(ratio.abs());
            energies.push(ratio);
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        let (ratio, drift) = (period / TAU, slope(&energies));
        println!("{integrator:?}: period ratio {ratio:.7} (exact {expected:.7}), energy {worst:.5}, drift {drift:e}");
        assert!((ratio - expected).abs() <= 1e-5, "{integrator:?}: period ratio {ratio}, expected {expected}");
        assert!(worst <= bound, "{integrator:?}: energy off by {worst}");
        assert!(drift.abs() < 1e-9, "{integrator:?}: energy drifts by {drift:e} per step");
    }
}

/// Validation 4, on a particle: f = 2 Hz, damping ratio 0.1.
#[test]
fn damped_spring_has_the_right_period_and_decay() {
    let (f, zeta) = (2.0, 0.1);
    let w = TAU * f;
    let root: f64 = (1.0f64 - zeta * zeta).sqrt();
    let (period, decay) = (TAU / (w * root), (-TAU * zeta / root).exp());
    for (integrator, h) in [(Integrator::RungeKutta4, 1.0 / 240.0), (Integrator::VelocityVerlet, 1.0 / 240.0)] {
        let mut system = ParticleSystem::new();
        system.set_integrator(integrator);
        let fixed = ParticleDef { position: dvec2(-FAR, 0.0), motion: Motion::Fixed, ..ParticleDef::default() };
        system.add_particle(fixed).unwrap();
        system.add_particle(ParticleDef { position: dvec2(1.0, 0.0), ..ParticleDef::default() }).unwrap();
        let (stiffness, damping) = (w * w, 2.0 * zeta * w);
        system.add_spring(Spring { particles: [0, 1], stiffness, rest_length: FAR, damping }).unwrap();
        // Peaks lie where the velocity turns from up to down; the parabola through three points gives their height.
        let (mut peaks, mut before) = (vec![(0.0, 1.0)], [1.0; 2]);
        for step in 1..=1000 {
            system.step(h);
            let x = system.positions()[1].x;
            let [a, b] = before;
            if b > a && b >= x {
                let bend = a - 2.0 * b + x;
                let offset = 0.5 * (a - x) / bend;
                peaks.push(((step as f64 - 1.0 + offset) * h, b - 0.25 * (a - x) * offset));
            }
            before = [b, x];
        }
        for pair in peaks.windows(2).take(4) {
            let (found_period, found_decay) = (pair[1].0 - pair[0].0, pair[1].1 / pair[0].1);
            assert!(
                (found_period / period - 1.0).abs() < 0.01,
                "{integrator:?}: period {found_period}, exact {period}"
            );
            assert!((found_decay - decay).abs() < 0.005, "{integrator:?}: decay {found_decay}, exact {decay}");
        }
    }
    // The other gate: implicit Euler follows its own recurrence.
    let mut system = oscillator(Integrator::ImplicitEuler, 0.3);
    let (mut x, mut v, h) = (1.0, 0.0, 1.0 / 60.0);
    for _ in 0..120 {
        system.step(h);
        v = (v - h * x) / (1.0 + h * 0.3 + h * h);
        x += h * v;
        assert!((system.positions()[1].x - x).abs() < 5e-6);
    }
}

fn kepler(integrator: Integrator) -> ParticleSystem {
    let e: f64 = 0.5;
    let mut system = ParticleSystem::new();
    system.set_integrator(integrator);
    system.add_particle(ParticleDef { motion: Motion::Fixed, ..ParticleDef::default() }).unwrap();
    let velocity = dvec2(0.0, ((1.0 + e) / (1.0 - e)).sqrt());
    system.add_particle(ParticleDef { position: dvec2(1.0 - e, 0.0), velocity, ..ParticleDef::default() }).unwrap();
    system.add_gravitation(Gravitation { particles: [0, 1], constant: 1.0 }).unwrap();
    system
}

/// Validation 5: 100 orbits of eccentricity 0.5 with 1000 steps each.
#[test]
fn kepler_orbits_stay_closed() {
    let mut system = kepler(Integrator::VelocityVerlet);
    let h = TAU / 1000.0;
    let quantities = |system: &ParticleSystem| {
        let (x, v) = (system.positions()[1], system.velocities()[1]);
        (0.5 * v.dot(v) - 1.0 / x.length(), x.perp_dot(v))
    };
    let (energy, momentum) = quantities(&system);
    let (mut worst_energy, mut worst_momentum, mut energies) = (0.0f64, 0.0f64, Vec::new());
    let (mut passages, mut before): (Vec<f64>, f64) = (Vec::new(), 0.0);
    for step in 0..100_000 {
        system.step(h);
        let (e, l) = quantities(&system);
        worst_energy = worst_energy.max((e / energy - 1.0).abs());
        worst_momentum = worst_momentum.max((l / momentum - 1.0).abs());
        energies.push(e / energy - 1.0);
        // The period is that of the distance: from one time it stops shrinking to the next. The orbit itself turns.
        let (x, v) = (system.positions()[1], system.velocities()[1]);
        let after = x.dot(v);
        if before < 0.0 && after >= 0.0 {
            passages.push((step as f64 + before / (before - after)) * h);
        }
        before = after;
    }
    let period = (passages[passages.len() - 1] - passages[0]) / (passages.len() - 1) as f64;
    let drift = slope(&energies) * energies.len() as f64;
    println!(
        "Kepler: energy {worst_energy:e}, drift {drift:e}, momentum {worst_momentum:e}, period / 2 pi {:.7}",
        period / TAU
    );
    assert!(worst_energy <= 1e-3, "energy off by {worst_energy:e}");
    assert!(drift.abs() <= 1e-6, "energy drifts by {drift:e}");
    assert!(worst_momentum <= 1e-11, "angular momentum off by {worst_momentum:e}");
    assert!((period / TAU - 1.0).abs() <= 1e-3, "period {period}");
}

/// Halving the step divides the error by 2 to the order.
#[test]
fn integrators_have_their_orders() {
    let error = |integrator: Integrator, steps: usize| {
        let mut system = oscillator(integrator, 0.0);
        let h = 1.0 / steps as f64;
        (0..steps).for_each(|_| system.step(h));
        (system.positions()[1] - dvec2(1.0f64.cos(), 0.0)).length()
            + (system.velocities()[1] - dvec2(-(1.0f64.sin()), 0.0)).length()
    };
    for (integrator, expected) in [
        (Integrator::ExplicitEuler, 1.0),
        (Integrator::SymplecticEuler, 1.0),
        (Integrator::ImplicitEuler, 1.0),
        (Integrator::LinearizedImplicitEuler, 1.0),
        (Integrator::VelocityVerlet, 2.0),
        (Integrator::RungeKutta4, 4.0),
    ] {
        let order = (error(integrator, 20) / error(integrator, 40)).log2();
        println!("{integrator:?}: order {order:.3}");
        assert!((order - expected).abs() < 0.1, "{integrator:?}: order {order}");
    }
}
