//! Systems built in code: edge cases of the handlers, large implicit systems, nothing tunnels.

use carom_core::Rng;
use carom_particles::forces::{Penalty, Spring, UniformGravity, Vortex};
use carom_particles::{
    BroadPhase, CollisionHandling, ContactKind, ContinuousCollisions, DefError, Edge, EquationSolver, FixedAtHalfPlane,
    HalfPlane, Integrator, Motion, ParticleDef, ParticleSystem, SimpleCollisions,
};
use glam::{DVec2, dvec2};
use std::time::Instant;

fn particle(position: DVec2, velocity: DVec2, motion: Motion) -> ParticleDef {
    ParticleDef { position, velocity, motion, ..ParticleDef::default() }
}

fn simple(restitution: f64) -> CollisionHandling {
    CollisionHandling::Simple(SimpleCollisions { restitution, ..SimpleCollisions::default() })
}

#[test]
fn inequalities_are_strict() {
    // Exactly representable, so that they touch to the bit after a step of no length.
    for (distance, speed, expected) in [(0.5, 1.0, 0), (0.49, 1.0, 1), (0.49, 0.0, 0), (0.49, -1.0, 0)] {
        let mut system = ParticleSystem::new();
        for (x, v) in [(0.0, speed), (distance, 0.0)] {
            let def = ParticleDef { radius: 0.25, ..particle(dvec2(x, 0.0), dvec2(v, 0.0), Motion::Free) };
            system.add_particle(def).unwrap();
        }
        system.set_collisions(simple(1.0));
        system.step(0.0);
        assert_eq!(system.contacts().len(), expected, "at {distance} with {speed}");
    }
}

#[test]
fn fixed_particles_collide_and_keep_their_velocities() {
    let mut system = ParticleSystem::new();
    system.add_particle(particle(dvec2(0.0, 0.0), dvec2(1.0, 0.0), Motion::Fixed)).unwrap();
    system.add_particle(particle(dvec2(0.15, 0.0), dvec2(-1.0, 0.0), Motion::Fixed)).unwrap();
    system.add_half_plane(HalfPlane { point: dvec2(0.2, 0.0), normal: dvec2(-2.0, 0.0) }).unwrap();
    system.add_particle(particle(dvec2(0.15, 5.0), dvec2(2.0, 0.0), Motion::Fixed)).unwrap();
    system.set_collisions(simple(1.0));
    for _ in 0..2 {
        system.step(1e-6);
        assert_eq!(system.contacts().len(), 2, "{:?}", system.contacts());
        assert_eq!(system.contacts()[1].kind, ContactKind::HalfPlane);
    }
    let expected = [dvec2(1.0, 0.0), dvec2(-1.0, 0.0), dvec2(2.0, 0.0)];
    assert_eq!(system.velocities(), expected);
    let reflect = SimpleCollisions { fixed_at_half_plane: FixedAtHalfPlane::Reflect, ..SimpleCollisions::default() };
    system.set_collisions(CollisionHandling::Simple(reflect));
    system.step(1e-6);
    assert_eq!(system.velocities()[2], dvec2(-2.0, 0.0));
}

#[test]
fn edges_without_length_and_ends_without_share_give_numbers() {
    // An edge of no length counts as its first end. Its ends are points, so that only the edge is met.
    let mut system = ParticleSystem::new();
    system.add_particle(particle(dvec2(0.0, 0.0), dvec2(1.0, 0.0), Motion::Free)).unwrap();
    for _ in 0..2 {
        let end = particle(dvec2(0.125, 0.0), DVec2::ZERO, Motion::Free);
        system.add_particle(ParticleDef { radius: 0.0, ..end }).unwrap();
    }
    system.add_edge(Edge { ends: [1, 2], radius: 0.1 }).unwrap();
    system.set_collisions(simple(1.0));
    system.step(0.0);
    let contacts = system.contacts();
    assert!(contacts.len() == 1 && contacts[0].kind == ContactKind::Edge && contacts[0].n == dvec2(0.125, 0.0));
    assert_eq!(system.velocities(), [DVec2::ZERO, dvec2(1.0, 0.0), DVec2::ZERO]);

    // A fixed particle against the fixed end of an edge whose other end is free.
    let mut system = ParticleSystem::new();
    system.add_particle(particle(dvec2(1.15, 0.0), dvec2(-1.0, 0.0), Motion::Fixed)).unwrap();
    system.add_particle(particle(dvec2(0.0, 0.0), DVec2::ZERO, Motion::Free)).unwrap();
    system.add_particle(particle(dvec2(1.0, 0.0), DVec2::ZERO, Motion::Fixed)).unwrap();
    system.add_edge(Edge { ends: [1, 2], radius: 0.1 }).unwrap();
    system.set_collisions(simple(1.0));
    system.step(0.0);
    assert_eq!(system.contacts().len(), 2);
    assert!(system.is_finite());
}

/// Behind the surface of a half-plane n points out of it, as in the original: there a particle that comes out
/// collides and one that goes deeper does not, and the penalty force pushes further in.
#[test]
fn behind_a_surface_everything_is_reversed() {
    let at = |height: f64, speed: f64, collisions: CollisionHandling| {
        let mut system = ParticleSystem::new();
        system.add_particle(particle(dvec2(0.0, height), dvec2(0.0, speed), Motion::Free)).unwrap();
        system.add_half_plane(HalfPlane { point: DVec2::ZERO, normal: dvec2(0.0, 3.0) }).unwrap();
        system.set_collisions(collisions);
        system.step(1e-6);
        (system.contacts().len(), system.velocities()[0].y)
    };
    assert_eq!(at(0.05, -1.0, simple(1.0)), (1, 1.0), "before the surface, coming in");
    assert_eq!(at(0.05, 1.0, simple(1.0)), (0, 1.0), "before the surface, leaving");
    assert_eq!(at(-0.05, -1.0, simple(1.0)), (0, -1.0), "behind the surface, going deeper");
    assert_eq!(at(-0.05, 1.0, simple(1.0)), (1, -1.0), "behind the surface, coming out");
    assert_eq!(at(-0.15, 1.0, simple(1.0)), (0, 1.0), "deeper than its radius it feels nothing");
    let penalty = CollisionHandling::Penalty(Penalty::default());
    assert!(at(0.05, 0.0, penalty).1 > 0.0 && at(-0.05, 0.0, penalty).1 < 0.0);
}

/// Particles in one place, on an edge and on a surface have no direction to be pushed in: they stay, as numbers.
#[test]
fn coincident_things_feel_no_penalty() {
    let mut system = ParticleSystem::new();
    for position in [DVec2::ZERO, DVec2::ZERO, dvec2(5.0, 0.0), dvec2(7.0, 0.0), dvec2(6.0, 0.0)] {
        system.add_particle(particle(position, DVec2::ZERO, Motion::Free)).unwrap();
    }
    system.add_edge(Edge { ends: [2, 3], radius: 0.1 }).unwrap();
    system.add_half_plane(HalfPlane { point: DVec2::ZERO, normal: dvec2(0.0, 1.0) }).unwrap();
    system.set_collisions(CollisionHandling::Penalty(Penalty::default()));
    let before = system.positions().to_vec();
    for _ in 0..10 {
        system.step(0.01);
    }
    assert!(system.is_finite());
    assert_eq!(system.positions(), before);
    // Next to each other they part.
    system.add_particle(particle(dvec2(0.05, 0.0), DVec2::ZERO, Motion::Free)).unwrap();
    system.step(0.01);
    assert!(system.velocities()[5].x > 0.0 && system.velocities()[0].x < 0.0, "{:?}", system.velocities());
}

#[test]
fn definitions_are_checked() {
    let mut system = ParticleSystem::new();
    let bad = ParticleDef { mass: f64::NAN, ..ParticleDef::default() };
    assert_eq!(system.add_particle(bad).unwrap_err().to_string(), "ParticleDef.mass is NaN; expected a finite number");
    let edge = Edge { ends: [0, 0], radius: 0.1 };
    assert!(matches!(system.add_edge(edge), Err(DefError::Index { count: 0, .. })));
    let spring = Spring { particles: [0, 3], stiffness: 1.0, rest_length: 1.0, damping: 0.0 };
    system.add_particle(ParticleDef::default()).unwrap();
    assert_eq!(
        system.add_spring(spring).unwrap_err().to_string(),
        "Spring.particles is 3; expected an index from 0 to 0"
    );
}

/// A square cloth hung by its upper corners.
fn cloth(side: usize, damping: f64) -> ParticleSystem {
    let mut system = ParticleSystem::new();
    for row in 0..side {
        for column in 0..side {
            let is_corner = row == 0 && (column == 0 || column == side - 1);
            let motion = if is_corner { Motion::Fixed } else { Motion::Free };
            let position = 0.1 * dvec2(column as f64, -(row as f64));
            system.add_particle(ParticleDef { mass: 0.1, ..particle(position, DVec2::ZERO, motion) }).unwrap();
        }
    }
    let mut join = |a: usize, b: usize, rest_length: f64| {
        system.add_spring(Spring { particles: [a, b], stiffness: 1e4, rest_length, damping }).unwrap();
    };
    for row in 0..side {
        for column in 0..side {
            let here = row * side + column;
            if column + 1 < side {
                join(here, here + 1, 0.1);
            }
            if row + 1 < side {
                join(here, here + side, 0.1);
            }
            if column + 1 < side && row + 1 < side {
                join(here, here + side + 1, 0.1 * 2.0f64.sqrt());
                join(here + 1, here + side, 0.1 * 2.0f64.sqrt());
            }
        }
    }
    system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) }).unwrap();
    system
}

#[test]
fn ten_thousand_particles_step_implicitly() {
    for damping in [0.0, 1.0] {
        let mut system = cloth(100, damping);
        system.set_integrator(Integrator::LinearizedImplicitEuler);
        let start = Instant::now();
        for _ in 0..3 {
            system.step(0.01);
        }
        println!(
            "cloth of 10,000 particles, damping {damping}: {:.2} s per linearised step",
            start.elapsed().as_secs_f64() / 3.0
        );
        assert!(system.is_finite());
        system.set_integrator(Integrator::ImplicitEuler);
        let start = Instant::now();
        system.step(0.01);
        println!("  {:.2} s for an implicit step", start.elapsed().as_secs_f64());
        assert!(system.has_converged() && system.is_finite());
    }
    let mut chain = ParticleSystem::new();
    for i in 0..10_000 {
        let motion = if i == 0 { Motion::Fixed } else { Motion::Free };
        chain.add_particle(particle(dvec2(0.1 * f64::from(i), 0.0), DVec2::ZERO, motion)).unwrap();
        if let Some(before) = (i as usize).checked_sub(1) {
            let spring = Spring { particles: [before, i as usize], stiffness: 1e4, rest_length: 0.1, damping: 1.0 };
            chain.add_spring(spring).unwrap();
        }
    }
    chain.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) }).unwrap();
    chain.set_integrator(Integrator::ImplicitEuler);
    let start = Instant::now();
    (0..5).for_each(|_| chain.step(0.01));
    println!("chain of 10,000 particles: {:.3} s per implicit step", start.elapsed().as_secs_f64() / 5.0);
    assert!(chain.has_converged() && chain.is_finite());
}

/// Cloths that hang or are crumpled so far that the equations are indefinite, damped or not. Out of a crumpled
/// state Newton's method wanders and magnifies rounding, so there only its first iteration is compared.
#[test]
fn equation_solvers_agree() {
    let (hanging, crumpled) = (1.0, 0.2);
    for (size, integrator) in [
        (hanging, Integrator::LinearizedImplicitEuler),
        (hanging, Integrator::ImplicitEuler),
        (crumpled, Integrator::LinearizedImplicitEuler),
    ] {
        for damping in [0.0, 1.0] {
            let mut fast = cloth(16, damping);
            fast.set_integrator(integrator);
            let positions: Vec<DVec2> = fast.positions().iter().map(|&x| size * x).collect();
            fast.set_state(&positions, &vec![DVec2::ZERO; positions.len()]);
            let mut safe = fast.clone();
            safe.set_equation_solver(EquationSolver::Pivoting);
            // From the same state each time: what is unstable would grow by itself.
            for step in 0..10 {
                fast.set_state(safe.positions(), safe.velocities());
                fast.step(0.001);
                safe.step(0.001);
                for (a, b) in fast.velocities().iter().zip(safe.velocities()) {
                    let apart = (*a - *b).length();
                    assert!(apart <= 1e-11 * (1.0 + b.length()), "{integrator:?}, step {step}: {apart:e} apart");
                }
            }
        }
    }
}

#[test]
fn implicit_methods_take_vortices_too() {
    let mut system = ParticleSystem::new();
    system.set_integrator(Integrator::ImplicitEuler);
    system.add_particle(particle(DVec2::ZERO, DVec2::ZERO, Motion::Fixed)).unwrap();
    system.add_particle(particle(dvec2(1.0, 0.0), DVec2::ZERO, Motion::Free)).unwrap();
    system.add_vortex(Vortex { particles: [0, 1], speed: 1.0, strength: 10.0 }).unwrap();
    (0..100).for_each(|_| system.step(0.01));
    assert!(system.has_converged() && (system.velocities()[1].length() - 1.0).abs() < 0.1, "{:?}", system.velocities());
}

/// Particles in one place on a spring have no direction to push in, and their numbers are none after a step. They are
/// frozen where they were; those beside them go on, and what hangs on them stays finite.
#[test]
fn particles_that_leave_the_finite_range_are_frozen() {
    for integrator in [
        Integrator::ExplicitEuler,
        Integrator::SymplecticEuler,
        Integrator::ImplicitEuler,
        Integrator::LinearizedImplicitEuler,
        Integrator::VelocityVerlet,
        Integrator::RungeKutta4,
    ] {
        let mut system = ParticleSystem::new();
        system.set_integrator(integrator);
        for x in [0.0, 0.0, 1.0, 5.0, 6.0] {
            system.add_particle(particle(dvec2(x, 0.0), dvec2(0.0, 0.1), Motion::Free)).unwrap();
        }
        for particles in [[0, 1], [1, 2], [3, 4]] {
            system.add_spring(Spring { particles, stiffness: 10.0, rest_length: 0.5, damping: 0.1 }).unwrap();
        }
        for step in 0..200 {
            system.step(0.01);
            assert!(system.is_finite(), "{integrator:?}, step {step}");
        }
        let frozen = system.frozen();
        assert!(frozen.contains(&0) && frozen.contains(&1), "{integrator:?}: {frozen:?}");
        assert_eq!(system.positions()[0], DVec2::ZERO, "{integrator:?}");
        // Implicit methods solve for all at once.
        let is_implicit = matches!(integrator, Integrator::ImplicitEuler | Integrator::LinearizedImplicitEuler);
        assert!(
            is_implicit || !frozen.contains(&3) && system.velocities()[3] != DVec2::ZERO,
            "{integrator:?}: {frozen:?}"
        );
    }
}

#[test]
fn singular_equations_end() {
    let mut system = ParticleSystem::new();
    system.set_integrator(Integrator::ImplicitEuler);
    for _ in 0..2 {
        system.add_particle(ParticleDef { mass: 0.0, ..ParticleDef::default() }).unwrap();
    }
    system.add_spring(Spring { particles: [0, 1], stiffness: 1.0, rest_length: 1.0, damping: 0.0 }).unwrap();
    let mut untamed = system.clone();
    untamed.set_freezing(false);
    for system in [&mut system, &mut untamed] {
        system.step(0.01);
        assert!(!system.has_converged());
    }
    assert!(!untamed.is_finite() && untamed.frozen().is_empty());
    assert!(system.is_finite() && system.frozen() == [0, 1]);
    let mut nothing = ParticleSystem::new();
    nothing.set_integrator(Integrator::ImplicitEuler);
    nothing.step(0.01);
    assert!(nothing.has_converged());
}

/// Fast particles in a closed box of thin edges, at many phases and speeds.
#[test]
fn nothing_tunnels_with_continuous_detection() {
    let mut rng = Rng::new(3);
    for restitution in [1.0, 0.5, 0.0] {
        for speed in [10.0, 100.0, 1000.0] {
            let mut system = ParticleSystem::new();
            let corners = [dvec2(-1.0, -1.0), dvec2(1.0, -1.0), dvec2(1.0, 1.0), dvec2(-1.0, 1.0)];
            for corner in corners {
                let def = ParticleDef { radius: 0.01, ..particle(corner, DVec2::ZERO, Motion::Fixed) };
                system.add_particle(def).unwrap();
            }
            for i in 0..4 {
                let radius = if speed == 100.0 { 0.0 } else { 0.01 };
                system.add_edge(Edge { ends: [i, (i + 1) % 4], radius }).unwrap();
            }
            for row in 0..6 {
                for column in 0..6 {
                    let position = 0.3 * dvec2(f64::from(row) - 2.5, f64::from(column) - 2.5);
                    let mut signed = || 2.0 * rng.f64() - 1.0;
                    let velocity = speed * dvec2(signed(), signed());
                    let def = ParticleDef { radius: 0.02, ..particle(position, velocity, Motion::Free) };
                    system.add_particle(def).unwrap();
                }
            }
            // A few points among them, which have no thickness.
            for i in 0..4 {
                let position = dvec2(0.9, 0.2 * f64::from(i) - 0.3);
                let def = particle(position, speed * dvec2(0.3, 0.1 * f64::from(i)), Motion::Free);
                system.add_particle(ParticleDef { radius: 0.0, ..def }).unwrap();
            }
            system.set_collisions(CollisionHandling::Continuous(ContinuousCollisions { restitution }));
            let energy = system.kinetic_energy();
            let mut contacts = 0;
            for step in 0..200 {
                system.step(0.01);
                contacts += system.contacts().len();
                for x in &system.positions()[4..] {
                    assert!(x.abs().max_element() < 1.0, "speed {speed}, step {step}: {x} is outside");
                }
            }
            assert!(contacts > 10, "{contacts}");
            let ratio = system.kinetic_energy() / energy;
            let is_kept = if restitution == 1.0 { (ratio - 1.0).abs() < 1e-9 } else { ratio < 1.0 };
            assert!(is_kept, "energy times {ratio}");
        }
    }
}

#[test]
fn continuous_detection_stops_fast_particles_at_half_planes() {
    let mut system = ParticleSystem::new();
    system.add_particle(particle(dvec2(0.0, 3.0), dvec2(0.0, -500.0), Motion::Free)).unwrap();
    system.add_half_plane(HalfPlane { point: DVec2::ZERO, normal: dvec2(0.0, 2.0) }).unwrap();
    system.set_collisions(CollisionHandling::Continuous(ContinuousCollisions { restitution: 1.0 }));
    system.step(0.1);
    assert!((system.velocities()[0].y - 500.0).abs() < 1e-9 && (system.positions()[0].y - 47.2).abs() < 1e-9);
    assert_eq!(system.contacts().len(), 1);
    let mut point = ParticleSystem::new();
    let def = particle(dvec2(7.0, 3.0), dvec2(0.0, -500.0), Motion::Free);
    point.add_particle(ParticleDef { radius: 0.0, ..def }).unwrap();
    point.add_half_plane(HalfPlane { point: DVec2::ZERO, normal: dvec2(0.0, 2.0) }).unwrap();
    point.set_collisions(system.collisions());
    point.step(0.1);
    assert!(point.velocities()[0].y == 500.0 && point.positions()[0].y > 0.0);
    assert!((system.contacts()[0].time - 2.9 / 50.0).abs() < 1e-12);
}

#[test]
fn a_run_repeats_itself() {
    let run = || {
        let mut system = cloth(12, 0.5);
        system.set_integrator(Integrator::ImplicitEuler);
        system.set_broad_phase(BroadPhase::Grid);
        (0..50).for_each(|_| system.step(0.01));
        system.state_hash()
    };
    assert_eq!(run(), run());
}
