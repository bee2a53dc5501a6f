//! Snapshots: all that decides the future of a particle system, or of a fluid, as bytes.
//!
//! What follows from the rest is recomputed: the grid, and the pattern of the equations of implicit integrators. The
//! contacts of the last step are not kept.

use crate::collide::{BroadPhase, CollisionHandling, ContinuousCollisions, FixedAtHalfPlane, SimpleCollisions};
use crate::fluid::{Fluid, FluidDef};
use crate::forces::{ConstantForce, Drag, Forces, Gravitation, Penalty, Spring, UniformGravity, Vortex};
use crate::integrate::{EquationSolver, Integrator};
use crate::model::{Edge, HalfPlane, Model, Motion, State};
use crate::system::{MAX_OBJECTS, ParticleSystem};
use carom_core::{SnapshotError, SnapshotKind, SnapshotReader, SnapshotWriter, ensure, record, record_choice};
use glam::{DVec2, dvec2};

const SYSTEM: SnapshotKind = SnapshotKind { magic: *b"carompa\x1b", version: 1 };
const FLUID: SnapshotKind = SnapshotKind { magic: *b"caromfl\x1b", version: 1 };

carom_core::define_record!();

record_choice!(Motion { Free, Fixed });
record_choice!(BroadPhase { Grid, AllPairs });
record_choice!(EquationSolver { Automatic, Pivoting });
record_choice!(FixedAtHalfPlane { Keep, Reflect });
record_choice!(Integrator {
    ExplicitEuler,
    SymplecticEuler,
    ImplicitEuler,
    LinearizedImplicitEuler,
    VelocityVerlet,
    RungeKutta4,
});
record!(Edge { ends, radius });
record!(HalfPlane { point, normal });
record!(Spring { particles, stiffness, rest_length, damping });
record!(UniformGravity { acceleration });
record!(Gravitation { particles, constant });
record!(ConstantForce { force });
record!(Drag { coefficient });
record!(Vortex { particles, speed, strength });
record!(Forces { springs, uniform_gravities, gravitations, constants, drags, vortices });
record!(Model { masses, radii, motions, edges, half_planes, forces });
record!(State { positions, velocities });
record!(SimpleCollisions { restitution, fixed_at_half_plane });
record!(ContinuousCollisions { restitution });
record!(Penalty { stiffness, thickness });
record!(FluidDef { spacing, density, viscosity, gravity, iterations });

impl Record for DVec2 {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        self.x.write(writer);
        self.y.write(writer);
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<DVec2, SnapshotError> {
        Ok(dvec2(f64::read(reader)?, f64::read(reader)?))
    }
}

impl Record for CollisionHandling {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        match self {
            CollisionHandling::None => writer.word(0),
            CollisionHandling::Simple(simple) => {
                writer.word(1);
                simple.write(writer);
            }
            CollisionHandling::Penalty(penalty) => {
                writer.word(2);
                penalty.write(writer);
            }
            CollisionHandling::Continuous(continuous) => {
                writer.word(3);
                continuous.write(writer);
            }
        }
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<CollisionHandling, SnapshotError> {
        Ok(match reader.word()? {
            0 => CollisionHandling::None,
            1 => CollisionHandling::Simple(Record::read(reader)?),
            2 => CollisionHandling::Penalty(Record::read(reader)?),
            3 => CollisionHandling::Continuous(Record::read(reader)?),
            _ => return Err(SnapshotError::Corrupt("what happens when things meet")),
        })
    }
}

/// All of a particle system but what a step makes up again.
pub(crate) struct Kept {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) integrator: Integrator,
    pub(crate) equation_solver: EquationSolver,
    pub(crate) collisions: CollisionHandling,
    pub(crate) broad_phase: BroadPhase,
    pub(crate) steps: u64,
    pub(crate) has_converged: bool,
    pub(crate) frozen: Vec<usize>,
    pub(crate) lets_go: bool,
}

impl Kept {
    fn read(reader: &mut SnapshotReader<'_>) -> Result<Kept, SnapshotError> {
        let kept = Kept {
            model: Record::read(reader)?,
            state: Record::read(reader)?,
            integrator: Record::read(reader)?,
            equation_solver: Record::read(reader)?,
            collisions: Record::read(reader)?,
            broad_phase: Record::read(reader)?,
            steps: Record::read(reader)?,
            has_converged: Record::read(reader)?,
            frozen: Record::read(reader)?,
            lets_go: Record::read(reader)?,
        };
        kept.check()?;
        Ok(kept)
    }

    /// The rules of the calls that make a system. Where particles are and how they move may be any numbers.
    fn check(&self) -> Result<(), SnapshotError> {
        let Model { masses, radii, motions, edges, half_planes, forces } = &self.model;
        let count = masses.len();
        let State { positions, velocities } = &self.state;
        let lengths = [radii.len(), motions.len(), positions.len(), velocities.len()];
        ensure(count <= MAX_OBJECTS && lengths.iter().all(|&length| length == count), "the number of particles")?;
        ensure(masses.iter().chain(radii).all(|number| number.is_finite()), "a particle")?;
        let is_pair = |pair: &[usize; 2]| pair.iter().all(|&particle| particle < count);
        ensure(edges.iter().all(|edge| is_pair(&edge.ends) && edge.radius.is_finite()), "an edge")?;
        ensure(half_planes.iter().all(|plane| plane.point.is_finite() && plane.normal.is_finite()), "a half-plane")?;
        let Forces { springs, uniform_gravities, gravitations, constants, drags, vortices } = forces;
        let of_spring = |one: &Spring| [one.stiffness, one.rest_length, one.damping].iter().all(|one| one.is_finite());
        ensure(springs.iter().all(|one| is_pair(&one.particles) && of_spring(one)), "a spring")?;
        let is_gravitation = |one: &Gravitation| is_pair(&one.particles) && one.constant.is_finite();
        let is_vortex = |one: &Vortex| is_pair(&one.particles) && one.speed.is_finite() && one.strength.is_finite();
        let holds = uniform_gravities.iter().all(|one| one.acceleration.is_finite())
            && gravitations.iter().all(is_gravitation)
            && constants.iter().all(|one| one.force.is_finite())
            && drags.iter().all(|one| one.coefficient.is_finite())
            && vortices.iter().all(is_vortex);
        ensure(holds, "a force")?;
        ensure(self.frozen.iter().all(|&particle| particle < count), "a frozen particle")
    }
}

impl ParticleSystem {
    /// Writes all that decides the system's future into a buffer, in place of what is in there: definitions, forces,
    /// positions, velocities, who is frozen. The [contacts](Self::contacts) of the last step are not in it.
    ///
    /// ```
    /// use carom_particles::{ParticleDef, ParticleSystem};
    /// use glam::dvec2;
    /// let mut system = ParticleSystem::new();
    /// system.add_particle(ParticleDef { velocity: dvec2(3.0, 0.0), ..ParticleDef::default() })?;
    /// let mut snapshot = Vec::new();
    /// system.save(&mut snapshot);
    /// system.step(0.01);
    /// let hash = system.state_hash();
    /// system.restore(&snapshot).expect("a snapshot of this version");
    /// assert_eq!(system.positions()[0], dvec2(0.0, 0.0));
    /// system.step(0.01);
    /// assert_eq!(system.state_hash(), hash);
    /// # Ok::<(), carom_particles::DefError>(())
    /// ```
    pub fn save(&self, bytes: &mut Vec<u8>) {
        SYSTEM.begin(bytes);
        let writer = &mut SnapshotWriter::new(bytes);
        let (model, equation_solver, frozen, lets_go) = self.kept();
        model.write(writer);
        self.state().write(writer);
        self.integrator().write(writer);
        equation_solver.write(writer);
        self.collisions().write(writer);
        self.broad_phase().write(writer);
        self.step_count().write(writer);
        self.has_converged().write(writer);
        frozen.write(writer);
        lets_go.write(writer);
        SYSTEM.seal(bytes);
    }

    /// Puts the system into the state that [`save`](Self::save) wrote, this one's own or that of another. It goes on from
    /// there as that one did, to the last bit.
    ///
    /// # Errors
    /// If the bytes were not written by this version of the engine, or are damaged. The system then is as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = SnapshotReader::new(SYSTEM.open(bytes)?, 0);
        let kept = Kept::read(&mut reader)?;
        reader.finish()?;
        self.put(kept);
        Ok(())
    }
}

impl Fluid {
    /// Writes the whole fluid into a buffer, in place of what is in there, with the pressures from which the next step
    /// starts.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        FLUID.begin(bytes);
        let writer = &mut SnapshotWriter::new(bytes);
        self.def().write(writer);
        for list in [self.positions(), self.velocities()] {
            writer.list(list.iter(), |writer, place| place.write(writer));
        }
        writer.list(self.pressures().iter(), |writer, pressure| pressure.write(writer));
        FLUID.seal(bytes);
    }

    /// Makes the fluid what [`save`](Self::save) wrote, this one's own or that of another. It goes on from there as that
    /// one did, to the last bit.
    ///
    /// # Errors
    /// If the bytes were not written by this version of the engine, or are damaged. The fluid then is as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = SnapshotReader::new(FLUID.open(bytes)?, 0);
        let def = FluidDef::read(&mut reader)?;
        let positions = Vec::<DVec2>::read(&mut reader)?;
        let velocities = Vec::<DVec2>::read(&mut reader)?;
        let pressures = Vec::<f64>::read(&mut reader)?;
        reader.finish()?;
        let lengths = [velocities.len(), pressures.len()];
        ensure(lengths.iter().all(|&length| length == positions.len()), "the number of particles")?;
        ensure(
            positions.len() <= MAX_OBJECTS && pressures.iter().all(|pressure| pressure.is_nan() || *pressure >= 0.0),
            "a pressure",
        )?;
        self.put(def, positions, velocities, pressures).map_err(|_| SnapshotError::Corrupt("what the fluid is like"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ParticleDef;
    use carom_core::Rng;

    const H: f64 = 0.01;

    /// Particles, edges and half-planes with every force and some way to meet.
    fn system(seed: u64) -> ParticleSystem {
        let mut rng = Rng::new(seed);
        let mut system = ParticleSystem::new();
        system.set_integrator(Integrator::NAMES[rng.below(7) as usize].1);
        system.set_collisions(
            [
                CollisionHandling::None,
                CollisionHandling::Simple(SimpleCollisions::default()),
                CollisionHandling::Penalty(Penalty::default()),
                CollisionHandling::Continuous(ContinuousCollisions { restitution: 0.8 }),
            ][rng.below(4) as usize],
        );
        // Enough for the other way to solve equations, now and then.
        let count = [12, 90][rng.below(2) as usize];
        for i in 0..count {
            let place = dvec2(0.5 * f64::from(i % 10), 0.5 * f64::from(i / 10)) + dvec2(rng.f64(), rng.f64()) * 0.2;
            let velocity = dvec2(rng.f64() - 0.5, rng.f64() - 0.5);
            system.add_particle(ParticleDef { position: place, velocity, ..ParticleDef::default() }).unwrap();
        }
        for i in 1..system.particle_count() {
            let (particles, rest_length) = ([i - 1, i], 0.5);
            system.add_spring(Spring { particles, stiffness: 20.0, rest_length, damping: 0.1 }).unwrap();
        }
        system.add_edge(Edge { ends: [0, 1], radius: 0.02 }).unwrap();
        system.add_half_plane(HalfPlane { point: dvec2(0.0, -0.5), normal: dvec2(0.1, 1.0) }).unwrap();
        system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) }).unwrap();
        system.add_gravitation(Gravitation { particles: [2, 9], constant: 0.1 }).unwrap();
        system.add_drag(Drag { coefficient: 0.05 }).unwrap();
        if !system.integrator().is_implicit() {
            system.add_vortex(Vortex { particles: [3, 7], speed: 0.5, strength: 0.1 }).unwrap();
        }
        system
    }

    fn course(system: &mut ParticleSystem) -> Vec<(u64, bool)> {
        let mut step = |_| {
            system.step(H);
            (system.state_hash(), system.has_converged())
        };
        (0..40).map(&mut step).collect()
    }

    #[test]
    fn restored_systems_go_on_to_the_last_bit() {
        for seed in 0..40 {
            let mut system = system(seed);
            let mut other = self::system(seed + 100);
            (0..30).for_each(|_| system.step(H));
            (0..3).for_each(|_| other.step(H));
            if seed % 4 == 0 {
                system.set_motion(1, Motion::Fixed).unwrap();
            }
            let (mut bytes, mut again) = (Vec::new(), Vec::new());
            system.save(&mut bytes);
            let expected = course(&mut system);
            for target in [&mut system, &mut other] {
                target.restore(&bytes).unwrap();
                target.save(&mut again);
                assert!(again == bytes, "seed {seed}: other bytes");
                assert!(course(target) == expected, "seed {seed}: another course");
            }
        }
    }

    #[test]
    fn restored_fluids_go_on_to_the_last_bit() {
        let walls = [dvec2(0.0, 1.0), dvec2(1.0, 0.0)].map(|normal| HalfPlane { point: DVec2::ZERO, normal });
        let mut fluid = Fluid::new(FluidDef::default()).unwrap();
        fluid.fill(DVec2::ZERO, dvec2(1.0, 1.0)).unwrap();
        // One that is nowhere stays there.
        fluid.set_particle(3, DVec2::NAN, DVec2::ZERO);
        let course = |fluid: &mut Fluid| {
            (0..30).for_each(|_| fluid.step(0.005, &mut &walls[..]));
            fluid.state_hash()
        };
        course(&mut fluid);
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        fluid.save(&mut bytes);
        let expected = course(&mut fluid);
        let mut other = Fluid::new(FluidDef { spacing: 0.3, ..FluidDef::default() }).unwrap();
        for target in [&mut fluid, &mut other] {
            target.restore(&bytes).unwrap();
            target.save(&mut again);
            assert!(again == bytes);
            assert_eq!(course(target), expected);
        }
        bytes[40] ^= 1;
        assert_eq!(other.restore(&bytes), Err(SnapshotError::Damaged));
        assert_eq!(other.state_hash(), expected);
    }

    /// Whatever the bytes say, nothing panics: neither reading them, nor the system that they describe.
    #[test]
    fn hostile_snapshots_are_refused_or_harmless() {
        let mut rng = Rng::new(9);
        for seed in 0..8 {
            let mut target = system(seed);
            (0..20).for_each(|_| target.step(H));
            let hash = target.state_hash();
            let mut bytes = Vec::new();
            target.save(&mut bytes);
            let (mut accepted, mut refused) = (0, 0);
            for round in 0..3000 {
                let mut hostile = bytes.clone();
                for _ in 0..1 + rng.below(3) {
                    let body = (hostile.len() - SnapshotKind::HEADER) as u32;
                    let place = SnapshotKind::HEADER + rng.below(body) as usize;
                    match rng.below(4) {
                        0 => hostile[place] = rng.next_u32() as u8,
                        1 => drop(hostile.remove(place)),
                        2 => hostile.insert(place, rng.next_u32() as u8),
                        _ => hostile[place] ^= 1 << rng.below(8),
                    }
                }
                assert!(hostile == bytes || target.restore(&hostile).is_err(), "the header notices it");
                SYSTEM.seal(&mut hostile);
                match target.restore(&hostile) {
                    Ok(()) => {
                        accepted += 1;
                        if round % 4 == 0 {
                            (0..2).for_each(|_| target.step(H));
                        }
                        target.restore(&bytes).unwrap();
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(matches!(error, SnapshotError::Corrupt(_)), "{error}");
                    }
                }
                assert_eq!(target.state_hash(), hash);
            }
            assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
        }
    }
}
