//! Forces, one kind per file: the force itself, its potential where it has one, and its derivatives.
//!
//! Forces are summed kind by kind in a fixed order (springs, gravity, gravitation, constant, drag, vortices, then
//! penalty contact), which matters only for rounding.

mod constant;
mod drag;
mod gravitation;
mod penalty;
mod spring;
mod uniform_gravity;
mod vortex;

pub use constant::ConstantForce;
pub use drag::Drag;
pub use gravitation::Gravitation;
pub use penalty::Penalty;
pub use spring::Spring;
pub use uniform_gravity::UniformGravity;
pub use vortex::Vortex;

use crate::mat2::Mat2;
use crate::model::State;
use glam::DVec2;

/// A force on the particles.
///
/// The derivatives are those of the *negated* force, as the implicit integrators use them: Kx = -dF/dx (the second
/// derivative of the potential where there is one) and Kv = -dF/dv.
pub trait Force {
    /// Adds the force on each particle to `out`.
    fn add_force(&self, masses: &[f64], state: &State, out: &mut [DVec2]);

    /// The potential energy in J; zero for forces that have none.
    fn potential(&self, masses: &[f64], positions: &[DVec2]) -> f64;

    /// Hands over the blocks of Kx and Kv. Which particles they belong to, and their order, depend on the force
    /// alone and never on the state.
    fn add_derivatives(&self, masses: &[f64], state: &State, add: &mut dyn FnMut(DerivativeBlock));
}

/// How the negated force on one particle changes with another's position and velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DerivativeBlock {
    /// The particle whose force changes.
    pub row: usize,
    /// The particle that is moved.
    pub column: usize,
    /// -dF_row/dx_column in N/m.
    pub kx: Mat2,
    /// -dF_row/dv_column in N s/m.
    pub kv: Mat2,
}

/// All forces of a system, by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Damped springs.
    pub springs: Vec<Spring>,
    /// Accelerations common to all.
    pub uniform_gravities: Vec<UniformGravity>,
    /// Attractions between pairs.
    pub gravitations: Vec<Gravitation>,
    /// Forces common to all.
    pub constants: Vec<ConstantForce>,
    /// Drags on all.
    pub drags: Vec<Drag>,
    /// Vortices between pairs.
    pub vortices: Vec<Vortex>,
}

impl Forces {
    /// Runs through all forces in the order in which they are summed.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a dyn Force)) {
        self.springs.iter().for_each(|force| visit(force));
        self.uniform_gravities.iter().for_each(|force| visit(force));
        self.gravitations.iter().for_each(|force| visit(force));
        self.constants.iter().for_each(|force| visit(force));
        self.drags.iter().for_each(|force| visit(force));
        self.vortices.iter().for_each(|force| visit(force));
    }
}

impl Force for Forces {
    fn add_force(&self, masses: &[f64], state: &State, out: &mut [DVec2]) {
        self.each(&mut |force| force.add_force(masses, state, out));
    }

    fn potential(&self, masses: &[f64], positions: &[DVec2]) -> f64 {
        let mut sum = 0.0;
        self.each(&mut |force| sum += force.potential(masses, positions));
        sum
    }

    fn add_derivatives(&self, masses: &[f64], state: &State, add: &mut dyn FnMut(DerivativeBlock)) {
        self.each(&mut |force| force.add_derivatives(masses, state, add));
    }
}

/// What a force between particles i and j sees: d = x_j - x_i, its length l and direction u, and dv = v_j - v_i.
#[derive(Clone, Copy)]
struct Pair {
    i: usize,
    j: usize,
    l: f64,
    u: DVec2,
    dv: DVec2,
}

impl Pair {
    fn new([i, j]: [usize; 2], state: &State) -> Pair {
        let d = state.positions[j] - state.positions[i];
        let l = d.length();
        Pair { i, j, l, u: d * (1.0 / l), dv: state.velocities[j] - state.velocities[i] }
    }

    /// Adds a force on i and its opposite on j.
    fn add_force(&self, on_i: DVec2, out: &mut [DVec2]) {
        out[self.i] += on_i;
        out[self.j] -= on_i;
    }

    /// Hands over the four blocks of a force g(d, dv) on i and -g on j, with kx = dg/dd and kv = dg/d(dv).
    fn add_derivatives(&self, kx: Mat2, kv: Mat2, add: &mut dyn FnMut(DerivativeBlock)) {
        let (i, j) = (self.i, self.j);
        add(DerivativeBlock { row: i, column: i, kx, kv });
        add(DerivativeBlock { row: j, column: j, kx, kv });
        add(DerivativeBlock { row: i, column: j, kx: -kx, kv: -kv });
        add(DerivativeBlock { row: j, column: i, kx: -kx, kv: -kv });
    }
}

#[cfg(test)]
mod tests;
