//! Integrators, one per file: how positions and velocities go through a step of h seconds.
//!
//! f is the sum of all forces, with the rows of fixed particles set to zero: such a particle keeps its velocity and
//! moves by h v.

mod explicit_euler;
mod fronts;
mod implicit_euler;
mod pivoting;
mod runge_kutta;
mod sparse;
mod symplectic_euler;
mod velocity_verlet;

pub use sparse::EquationSolver;
pub(crate) use sparse::ImplicitSystem;

use crate::collide::{BroadPhase, Grid};
use crate::forces::{Force, Penalty};
use crate::model::{Model, State};
use glam::DVec2;

/// How a system is carried through a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Integrator {
    /// x += h v, then v += h f/m, both from the old state. First order, gains energy.
    ExplicitEuler,
    /// v += h f/m, then x += h v with the new v. First order, energy stays bounded. `forward-backward-euler` too.
    #[default]
    SymplecticEuler,
    /// v and x such that v += h f(x, v)/m at the end of the step, by Newton's method. First order, stable, loses
    /// energy.
    ImplicitEuler,
    /// One Newton iteration of the above.
    LinearizedImplicitEuler,
    /// Half a kick, a drift, half a kick. Second order, energy stays bounded.
    VelocityVerlet,
    /// The classical Runge-Kutta method. Fourth order.
    RungeKutta4,
}

impl Integrator {
    /// Every integrator with its name; the first name of each is its own.
    pub const NAMES: [(&'static str, Integrator); 7] = [
        ("explicit-euler", Integrator::ExplicitEuler),
        ("symplectic-euler", Integrator::SymplecticEuler),
        ("forward-backward-euler", Integrator::SymplecticEuler),
        ("implicit-euler", Integrator::ImplicitEuler),
        ("linearized-implicit-euler", Integrator::LinearizedImplicitEuler),
        ("velocity-verlet", Integrator::VelocityVerlet),
        ("runge-kutta-4", Integrator::RungeKutta4),
    ];

    /// The integrator of a name.
    pub fn from_name(name: &str) -> Option<Integrator> {
        Self::NAMES.iter().find(|(other, _)| *other == name).map(|&(_, integrator)| integrator)
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, integrator)| *integrator == self).map_or("", |(name, _)| name)
    }

    /// Its name in a sentence, as the original program prints it.
    pub const fn title(self) -> &'static str {
        match self {
            Integrator::ExplicitEuler => "Explicit Euler",
            Integrator::SymplecticEuler => "Symplectic Euler",
            Integrator::ImplicitEuler => "Implicit Euler",
            Integrator::LinearizedImplicitEuler => "Linearized Implicit Euler",
            Integrator::VelocityVerlet => "Velocity Verlet",
            Integrator::RungeKutta4 => "Runge-Kutta 4",
        }
    }

    /// Whether it solves equations that need derivatives of the forces.
    pub const fn is_implicit(self) -> bool {
        matches!(self, Integrator::ImplicitEuler | Integrator::LinearizedImplicitEuler)
    }
}

/// All forces of a system, as integrators ask for them.
pub(crate) struct ForceField<'a> {
    pub(crate) model: &'a Model,
    pub(crate) penalty: Option<Penalty>,
    pub(crate) broad_phase: BroadPhase,
    pub(crate) grid: &'a mut Grid,
}

impl ForceField<'_> {
    /// f at a state; zero for fixed particles.
    pub(crate) fn evaluate(&mut self, state: &State, out: &mut Vec<DVec2>) {
        out.clear();
        out.resize(state.positions.len(), DVec2::ZERO);
        self.model.forces.add_force(&self.model.masses, state, out);
        if let Some(penalty) = self.penalty {
            penalty.add_force(self.model, &state.positions, self.broad_phase, self.grid, out);
        }
        for (i, force) in out.iter_mut().enumerate() {
            if self.model.is_fixed(i) {
                *force = DVec2::ZERO;
            }
        }
    }

    /// f/m at a state; zero for fixed particles, whatever their mass.
    fn accelerations(&mut self, state: &State, out: &mut Vec<DVec2>) {
        self.evaluate(state, out);
        for (i, acceleration) in out.iter_mut().enumerate() {
            if !self.model.is_fixed(i) {
                *acceleration /= self.model.masses[i];
            }
        }
    }
}

/// Memory that integrators keep from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    accelerations: Vec<DVec2>,
    trial: State,
    dv: Vec<DVec2>,
    /// The equations of the implicit methods; `None` until they are needed, and after the model changed.
    pub(crate) implicit: Option<ImplicitSystem>,
    pub(crate) equation_solver: EquationSolver,
}

/// Makes one step of h seconds. False if Newton's method did not converge.
pub(crate) fn advance(
    integrator: Integrator,
    field: &mut ForceField<'_>,
    state: &mut State,
    h: f64,
    workspace: &mut Workspace,
) -> bool {
    match integrator {
        Integrator::ExplicitEuler => explicit_euler::step(field, state, h, workspace),
        Integrator::SymplecticEuler => symplectic_euler::step(field, state, h, workspace),
        Integrator::VelocityVerlet => velocity_verlet::step(field, state, h, workspace),
        Integrator::RungeKutta4 => runge_kutta::step(field, state, h, workspace),
        Integrator::LinearizedImplicitEuler => {
            implicit_euler::linearized_step(field, state, h, workspace);
        }
        Integrator::ImplicitEuler => return implicit_euler::step(field, state, h, workspace),
    }
    true
}

/// y += h x for each.
fn add_scaled(y: &mut [DVec2], h: f64, x: &[DVec2]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += h * *x;
    }
}
