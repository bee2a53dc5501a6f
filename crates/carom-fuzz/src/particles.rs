//! Calls of the particle engine and its fluid, in any order and with any numbers.

use crate::oracle::{finite, in_time};
use crate::source::Source;
use carom_particles::fluid::{Fluid, FluidDef};
use carom_particles::forces::{ConstantForce, Drag, Gravitation, Penalty, Spring, UniformGravity, Vortex};
use carom_particles::{
    BroadPhase, CollisionHandling, ContinuousCollisions, Edge, EquationSolver, FixedAtHalfPlane, HalfPlane, Integrator,
    Motion, ParticleDef, ParticleSystem, SimpleCollisions,
};
use glam::{DVec2, dvec2};

/// No more particles, edges and forces than this are added, so that a step has a bound.
const MOST_PARTICLES: usize = 60;
const MOST_EDGES: usize = 40;
const MOST_FORCES: usize = 80;
/// No more steps than this are made.
const MOST_STEPS: usize = 60;

struct Subject {
    system: ParticleSystem,
    fluid: Fluid,
    walls: Vec<HalfPlane>,
    steps: usize,
}

/// Takes bytes as calls. After each step all numbers are finite, and it took no longer than it may.
pub(crate) fn calls(bytes: &[u8]) -> usize {
    let mut source = Source::new(bytes);
    let mut subject = Subject {
        system: ParticleSystem::new(),
        fluid: Fluid::new(FluidDef::default()).expect("a fluid"),
        walls: vec![HalfPlane { point: dvec2(0.0, -1.0), normal: DVec2::Y }],
        steps: 0,
    };
    while !source.is_empty() && subject.steps < MOST_STEPS {
        subject.call(&mut source);
    }
    subject.step(0.01);
    subject.steps
}

fn vector(source: &mut Source<'_>, reach: f64) -> DVec2 {
    let x = source.number(-reach, reach);
    dvec2(x, source.number(-reach, reach))
}

impl Subject {
    fn call(&mut self, source: &mut Source<'_>) {
        match source.below(20) {
            0..=3 => self.add_particle(source),
            4 => self.add_edge(source),
            5 => {
                let half_plane = HalfPlane { point: vector(source, 5.0), normal: vector(source, 1.0) };
                if self.system.half_planes().len() < 8 {
                    self.system.add_half_plane(half_plane).ok();
                }
            }
            6..=8 => self.add_force(source),
            9 => self.set(source),
            10 => self.pour(source),
            11 => {
                let (h, gravity) = (source.number(0.0, 0.03), vector(source, 15.0));
                self.fluid.set_gravity(gravity).ok();
                in_time("a step of the fluid", || self.fluid.step(h, &mut self.walls.as_slice()));
                self.steps += 1;
                self.check();
            }
            12 => {
                let h = source.number(0.0, 0.1);
                self.step(h);
            }
            13 => {
                let mut copy = self.system.clone();
                copy.step(0.01);
                self.step(0.01);
                assert_eq!(copy.state_hash(), self.system.state_hash(), "a clone goes another way");
            }
            _ => self.step(0.01),
        }
    }

    fn step(&mut self, h: f64) {
        in_time("a step of particles", || self.system.step(h));
        self.steps += 1;
        self.check();
    }

    fn check(&self) {
        finite("a position", self.system.positions().iter().flat_map(|v| v.to_array()));
        finite("a velocity", self.system.velocities().iter().flat_map(|v| v.to_array()));
        finite("a position in the fluid", self.fluid.positions().iter().flat_map(|v| v.to_array()));
        finite("a velocity in the fluid", self.fluid.velocities().iter().flat_map(|v| v.to_array()));
    }

    fn add_particle(&mut self, source: &mut Source<'_>) {
        let def = ParticleDef {
            mass: source.number(0.1, 10.0),
            position: vector(source, 5.0),
            velocity: vector(source, 10.0),
            radius: source.number(0.01, 1.0),
            motion: if source.byte() > 220 { Motion::Fixed } else { Motion::Free },
        };
        if self.system.particle_count() < MOST_PARTICLES {
            self.system.add_particle(def).ok();
        }
    }

    /// Two particles, mostly such as are there.
    fn pair(&self, source: &mut Source<'_>) -> [usize; 2] {
        let count = self.system.particle_count() + usize::from(source.byte() > 250);
        [source.below(count), source.below(count)]
    }

    fn add_edge(&mut self, source: &mut Source<'_>) {
        let ends = self.pair(source);
        let radius = source.number(0.01, 0.2);
        if self.system.edges().len() < MOST_EDGES {
            self.system.add_edge(Edge { ends, radius }).ok();
        }
    }

    fn add_force(&mut self, source: &mut Source<'_>) {
        let particles = self.pair(source);
        let forces = self.system.forces();
        if forces.springs.len() + forces.gravitations.len() + forces.vortices.len() + forces.drags.len() > MOST_FORCES {
            return;
        }
        let system = &mut self.system;
        match source.below(7) {
            0 | 1 => {
                let (stiffness, rest_length) = (source.number(0.0, 500.0), source.number(0.0, 3.0));
                system.add_spring(Spring { particles, stiffness, rest_length, damping: source.number(0.0, 5.0) }).ok();
            }
            2 => drop(system.add_uniform_gravity(UniformGravity { acceleration: vector(source, 15.0) })),
            3 => drop(system.add_gravitation(Gravitation { particles, constant: source.number(-1.0, 1.0) })),
            4 => drop(system.add_constant_force(ConstantForce { force: vector(source, 10.0) })),
            5 => drop(system.add_drag(Drag { coefficient: source.number(0.0, 2.0) })),
            _ => {
                let speed = source.number(-5.0, 5.0);
                system.add_vortex(Vortex { particles, speed, strength: source.number(0.0, 5.0) }).ok();
            }
        }
    }

    fn set(&mut self, source: &mut Source<'_>) {
        let system = &mut self.system;
        match source.below(5) {
            0 => system.set_integrator(
                [
                    Integrator::ExplicitEuler,
                    Integrator::SymplecticEuler,
                    Integrator::ImplicitEuler,
                    Integrator::LinearizedImplicitEuler,
                    Integrator::VelocityVerlet,
                    Integrator::RungeKutta4,
                ][source.below(6)],
            ),
            1 => {
                let restitution = source.number(0.0, 1.0);
                let walls = [FixedAtHalfPlane::Keep, FixedAtHalfPlane::Reflect][source.below(2)];
                system.set_collisions(match source.below(4) {
                    0 => CollisionHandling::None,
                    1 => CollisionHandling::Simple(SimpleCollisions { restitution, fixed_at_half_plane: walls }),
                    2 => CollisionHandling::Penalty(Penalty {
                        stiffness: source.number(0.0, 500.0),
                        thickness: source.number(0.0, 0.1),
                    }),
                    _ => CollisionHandling::Continuous(ContinuousCollisions { restitution }),
                });
            }
            2 => system.set_broad_phase([BroadPhase::Grid, BroadPhase::AllPairs][source.below(2)]),
            3 => system.set_equation_solver([EquationSolver::Automatic, EquationSolver::Pivoting][source.below(2)]),
            _ => {
                let particle = source.below(system.particle_count() + 1);
                system.set_motion(particle, if source.flag() { Motion::Fixed } else { Motion::Free }).ok();
            }
        }
    }

    /// Adds to the fluid, or makes another one.
    fn pour(&mut self, source: &mut Source<'_>) {
        match source.below(4) {
            0 => {
                let def = FluidDef {
                    spacing: source.number(0.05, 0.5),
                    density: source.number(0.1, 5.0),
                    viscosity: source.number(0.0, 0.1),
                    gravity: vector(source, 15.0),
                    iterations: u32::from(source.byte() % 20),
                };
                if let Ok(fluid) = Fluid::new(def) {
                    self.fluid = fluid;
                }
            }
            1 if self.fluid.particle_count() < 200 => {
                let low = vector(source, 3.0);
                let side = self.fluid.def().spacing * f64::from(source.byte() % 16);
                self.fluid.fill(low, low + DVec2::splat(side)).ok();
            }
            2 if self.fluid.particle_count() > 0 => {
                let particle = source.below(self.fluid.particle_count());
                self.fluid.set_pressure(particle, source.number(0.0, 100.0)).ok();
            }
            _ if self.fluid.particle_count() < 400 => {
                self.fluid.add_particle(vector(source, 3.0), vector(source, 5.0)).ok();
            }
            _ => {}
        }
        let point = vector(source, 3.0);
        if point.is_finite() {
            finite("a density", [self.fluid.density_at(point)]);
        }
    }
}
