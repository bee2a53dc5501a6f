//! The particle system: what is in it, and its step.

use crate::collide::{BroadPhase, CollisionHandling, Contact, Grid, resolve_continuous, resolve_simple};
use crate::error::{DefError, finite, finite2, index};
use crate::forces::{ConstantForce, Drag, Force, Forces, Gravitation, Spring, UniformGravity, Vortex};
use crate::integrate::{EquationSolver, ForceField, Integrator, Workspace, advance};
use crate::model::{Edge, HalfPlane, Model, Motion, ParticleDef, State};
use crate::snapshot::Kept;
use carom_core::StateHash;
use glam::DVec2;

/// Particles, edges, half-planes, the forces between them and how they move.
///
/// Particles, edges and half-planes are named by index, each kind from 0 in the order in which they were added. None
/// is ever removed.
///
/// A step cannot fail. Numbers that leave the finite range go where the formulas take them: springs and gravitation
/// are not softened, and give NaN where two particles coincide. [`is_finite`](Self::is_finite) tells.
#[derive(Clone, Debug, Default)]
pub struct ParticleSystem {
    model: Model,
    state: State,
    integrator: Integrator,
    collisions: CollisionHandling,
    broad_phase: BroadPhase,
    contacts: Vec<Contact>,
    steps: u64,
    has_converged: bool,
    grid: Grid,
    workspace: Workspace,
    /// Positions before the last step.
    start: Vec<DVec2>,
    frozen: Vec<usize>,
    /// Particles whose numbers left the finite range are left alone.
    lets_go: bool,
}

/// More than this do not fit: indices are kept in 32 bits, and doubled in the file format.
pub const MAX_OBJECTS: usize = 1 << 30;

impl ParticleSystem {
    /// A system without anything in it, to be moved by symplectic Euler without collisions.
    pub fn new() -> ParticleSystem {
        ParticleSystem { has_converged: true, ..ParticleSystem::default() }
    }

    /// Adds a particle and returns its index.
    pub fn add_particle(&mut self, def: ParticleDef) -> Result<usize, DefError> {
        finite("ParticleDef.mass", def.mass)?;
        finite2("ParticleDef.position", def.position)?;
        finite2("ParticleDef.velocity", def.velocity)?;
        finite("ParticleDef.radius", def.radius)?;
        let index = room("particles", self.model.masses.len())?;
        self.model.masses.push(def.mass);
        self.model.radii.push(def.radius);
        self.model.motions.push(def.motion);
        self.state.positions.push(def.position);
        self.state.velocities.push(def.velocity);
        self.workspace.implicit = None;
        Ok(index)
    }

    /// Adds an edge between two particles and returns its index.
    pub fn add_edge(&mut self, edge: Edge) -> Result<usize, DefError> {
        self.check_pair("Edge.ends", edge.ends)?;
        finite("Edge.radius", edge.radius)?;
        let index = room("edges", self.model.edges.len())?;
        self.model.edges.push(edge);
        Ok(index)
    }

    /// Adds a half-plane and returns its index.
    pub fn add_half_plane(&mut self, half_plane: HalfPlane) -> Result<usize, DefError> {
        finite2("HalfPlane.point", half_plane.point)?;
        finite2("HalfPlane.normal", half_plane.normal)?;
        let index = room("half-planes", self.model.half_planes.len())?;
        self.model.half_planes.push(half_plane);
        Ok(index)
    }

    /// Adds a spring between two particles.
    pub fn add_spring(&mut self, spring: Spring) -> Result<(), DefError> {
        self.check_pair("Spring.particles", spring.particles)?;
        finite("Spring.stiffness", spring.stiffness)?;
        finite("Spring.rest_length", spring.rest_length)?;
        finite("Spring.damping", spring.damping)?;
        self.workspace.implicit = None;
        self.model.forces.springs.push(spring);
        Ok(())
    }

    /// Adds an acceleration common to all particles.
    pub fn add_uniform_gravity(&mut self, gravity: UniformGravity) -> Result<(), DefError> {
        finite2("UniformGravity.acceleration", gravity.acceleration)?;
        self.model.forces.uniform_gravities.push(gravity);
        Ok(())
    }

    /// Adds an attraction between two particles.
    pub fn add_gravitation(&mut self, gravitation: Gravitation) -> Result<(), DefError> {
        self.check_pair("Gravitation.particles", gravitation.particles)?;
        finite("Gravitation.constant", gravitation.constant)?;
        self.workspace.implicit = None;
        self.model.forces.gravitations.push(gravitation);
        Ok(())
    }

    /// Adds a force common to all particles.
    pub fn add_constant_force(&mut self, force: ConstantForce) -> Result<(), DefError> {
        finite2("ConstantForce.force", force.force)?;
        self.model.forces.constants.push(force);
        Ok(())
    }

    /// Adds a drag on all particles.
    pub fn add_drag(&mut self, drag: Drag) -> Result<(), DefError> {
        finite("Drag.coefficient", drag.coefficient)?;
        self.workspace.implicit = None;
        self.model.forces.drags.push(drag);
        Ok(())
    }

    /// Adds a vortex between two particles.
    pub fn add_vortex(&mut self, vortex: Vortex) -> Result<(), DefError> {
        self.check_pair("Vortex.particles", vortex.particles)?;
        finite("Vortex.speed", vortex.speed)?;
        finite("Vortex.strength", vortex.strength)?;
        self.workspace.implicit = None;
        self.model.forces.vortices.push(vortex);
        Ok(())
    }

    fn check_pair(&self, field: &'static str, pair: [usize; 2]) -> Result<(), DefError> {
        pair.into_iter().try_for_each(|particle| index(field, particle, self.particle_count()))
    }

    /// What a snapshot has and cannot be asked for otherwise.
    pub(crate) fn kept(&self) -> (&Model, EquationSolver, &Vec<usize>, bool) {
        (&self.model, self.workspace.equation_solver, &self.frozen, self.lets_go)
    }

    /// Makes it the system that was kept.
    pub(crate) fn put(&mut self, kept: Kept) {
        let Kept { model, state, integrator, equation_solver, collisions, broad_phase, steps, .. } = kept;
        (self.model, self.state, self.integrator, self.collisions) = (model, state, integrator, collisions);
        (self.broad_phase, self.steps, self.has_converged) = (broad_phase, steps, kept.has_converged);
        (self.frozen, self.lets_go) = (kept.frozen, kept.lets_go);
        (self.workspace.implicit, self.workspace.equation_solver) = (None, equation_solver);
        self.contacts.clear();
    }

    /// Makes one step of `h` seconds: the integrator, then the collisions.
    pub fn step(&mut self, h: f64) {
        let penalty = match self.collisions {
            CollisionHandling::Penalty(penalty) => Some(penalty),
            _ => None,
        };
        let (model, broad_phase, grid) = (&self.model, self.broad_phase, &mut self.grid);
        self.start.clone_from(&self.state.positions);
        let mut field = ForceField { model, penalty, broad_phase, grid };
        self.has_converged = advance(self.integrator, &mut field, &mut self.state, h, &mut self.workspace);

        self.contacts.clear();
        let (state, contacts) = (&mut self.state, &mut self.contacts);
        match &self.collisions {
            CollisionHandling::None | CollisionHandling::Penalty(_) => {}
            CollisionHandling::Simple(simple) => {
                resolve_simple(simple, model, state, broad_phase, grid, contacts);
            }
            CollisionHandling::Continuous(continuous) => {
                resolve_continuous(continuous, model, &self.start, state, broad_phase, grid, contacts);
            }
        }
        self.steps += 1;
        if !self.lets_go && !self.is_finite() {
            self.freeze();
        }
    }

    /// Fixes the particles that are nowhere any more where they last were, at rest.
    #[cold]
    fn freeze(&mut self) {
        let State { positions, velocities } = &mut self.state;
        for (index, (position, velocity)) in positions.iter_mut().zip(velocities).enumerate() {
            if !(position.is_finite() && velocity.is_finite()) {
                (*position, *velocity) = (self.start[index], DVec2::ZERO);
                self.model.motions[index] = Motion::Fixed;
                self.frozen.push(index);
            }
        }
        self.workspace.implicit = None;
    }

    /// Particles whose position or velocity left the finite range in a step, in the order in which they did. They were put
    /// back to where they were before it, and are fixed from then on.
    pub fn frozen(&self) -> &[usize] {
        &self.frozen
    }

    /// Whether particles whose numbers leave the finite range are frozen. They are by default; without, they and all that
    /// depends on them go where the formulas take them, as in programs that do not look.
    pub fn set_freezing(&mut self, freezing: bool) {
        self.lets_go = !freezing;
    }

    /// How many particles there are.
    pub fn particle_count(&self) -> usize {
        self.model.masses.len()
    }

    /// Centres of the particles in m.
    pub fn positions(&self) -> &[DVec2] {
        &self.state.positions
    }

    /// Velocities of the particles in m/s.
    pub fn velocities(&self) -> &[DVec2] {
        &self.state.velocities
    }

    /// Masses of the particles in kg.
    pub fn masses(&self) -> &[f64] {
        &self.model.masses
    }

    /// Radii of the particles in m.
    pub fn radii(&self) -> &[f64] {
        &self.model.radii
    }

    /// Which particles are fixed.
    pub fn motions(&self) -> &[Motion] {
        &self.model.motions
    }

    /// The edges.
    pub fn edges(&self) -> &[Edge] {
        &self.model.edges
    }

    /// The half-planes.
    pub fn half_planes(&self) -> &[HalfPlane] {
        &self.model.half_planes
    }

    /// The forces, by kind, without the penalty force.
    pub fn forces(&self) -> &Forces {
        &self.model.forces
    }

    /// Positions and velocities together.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Puts the particles elsewhere. Any numbers are taken, as a step might produce them.
    ///
    /// Panics unless there is one position and one velocity for each particle.
    #[track_caller]
    pub fn set_state(&mut self, positions: &[DVec2], velocities: &[DVec2]) {
        let count = self.particle_count();
        assert!(
            positions.len() == count && velocities.len() == count,
            "{} positions and {} velocities for {count} particles",
            positions.len(),
            velocities.len()
        );
        self.state.positions.copy_from_slice(positions);
        self.state.velocities.copy_from_slice(velocities);
    }

    /// Frees or fixes a particle.
    pub fn set_motion(&mut self, particle: usize, motion: Motion) -> Result<(), DefError> {
        index("particle", particle, self.particle_count())?;
        self.model.motions[particle] = motion;
        self.workspace.implicit = None;
        Ok(())
    }

    /// How steps are made.
    pub fn integrator(&self) -> Integrator {
        self.integrator
    }

    /// Chooses how steps are made.
    pub fn set_integrator(&mut self, integrator: Integrator) {
        self.integrator = integrator;
    }

    /// How the equations of implicit integrators are solved.
    pub fn equation_solver(&self) -> EquationSolver {
        self.workspace.equation_solver
    }

    /// Chooses how the equations of implicit integrators are solved. Results agree to rounding.
    pub fn set_equation_solver(&mut self, solver: EquationSolver) {
        self.workspace.equation_solver = solver;
        self.workspace.implicit = None;
    }

    /// What happens when things meet.
    pub fn collisions(&self) -> CollisionHandling {
        self.collisions
    }

    /// Chooses what happens when things meet.
    pub fn set_collisions(&mut self, collisions: CollisionHandling) {
        self.collisions = collisions;
    }

    /// How near pairs are found.
    pub fn broad_phase(&self) -> BroadPhase {
        self.broad_phase
    }

    /// Chooses how near pairs are found. The result is the same.
    pub fn set_broad_phase(&mut self, broad_phase: BroadPhase) {
        self.broad_phase = broad_phase;
    }

    /// The collisions of the last step, in the order in which they were found. Empty unless the handler is simple or
    /// continuous.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// How many steps were made.
    pub fn step_count(&self) -> u64 {
        self.steps
    }

    /// Whether Newton's method converged in the last step; always true for methods without it.
    pub fn has_converged(&self) -> bool {
        self.has_converged
    }

    /// Whether all positions and velocities are finite. They are after each step, unless
    /// [freezing](Self::set_freezing) was switched off.
    pub fn is_finite(&self) -> bool {
        self.state.positions.iter().chain(&self.state.velocities).all(|v| v.is_finite())
    }

    /// Kinetic energy in J, fixed particles included.
    pub fn kinetic_energy(&self) -> f64 {
        self.model.masses.iter().zip(&self.state.velocities).map(|(mass, v)| 0.5 * mass * v.dot(*v)).sum()
    }

    /// Potential energy in J of the forces that have one. Drag, vortices and penalty contact count as nothing.
    pub fn potential_energy(&self) -> f64 {
        self.model.forces.potential(&self.model.masses, &self.state.positions)
    }

    /// A hash of all positions and velocities, bit by bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for v in self.state.positions.iter().chain(&self.state.velocities) {
            hash.write_f64(v.x);
            hash.write_f64(v.y);
        }
        hash.finish()
    }
}

/// The index of the next one, if there is room for it.
fn room(what: &'static str, count: usize) -> Result<usize, DefError> {
    if count < MAX_OBJECTS { Ok(count) } else { Err(DefError::Full { what, limit: MAX_OBJECTS }) }
}
