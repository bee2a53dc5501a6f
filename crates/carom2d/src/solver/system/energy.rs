//! What a system must not make of nothing: energy, and angular momentum.

use super::row::Home;
use super::{Motion, Problem, System};
use crate::body::{BodySim, BodyState, NONE};
use crate::math::{Rot, Vec2, vec2};
use crate::stage::StepContext;
use carom_core::math::max64;

/// The angle by which a body may turn within a sub-step before its path is a coarse one, in radians: the energy of such steps
/// is off by about an eighth of its square.
const COARSE_TURN: f64 = 0.1;

impl System {
    /// Remembers where bodies were at the start of the sub-step, and how fast. Where nothing but the system acts on them, that
    /// is what is left without its impulses and what forces did since.
    pub(super) fn note_start(&mut self, states: &[BodyState], substep: u32, context: &StepContext) {
        self.started.clear();
        for ((state, free), kick) in states.iter().zip(&self.free).zip(&self.kicks) {
            let mut state = *state;
            if substep == 0 {
                (state.delta_position, state.delta_rotation) = (Vec2::ZERO, Rot::IDENTITY);
            } else {
                // Taken back by `integrate.rs`.
                state.delta_position += vec2(kick[0] as f32, kick[1] as f32) * (0.5 * context.h);
            }
            self.started.push((state, std::array::from_fn(|axis| free[axis] - kick[axis])));
        }
    }

    /// The kinetic energy that each mechanism has with these velocities of its bodies.
    pub(super) fn energies(&self, velocity: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut energies = vec![0.0; self.mechanism_count];
        for (body, &mechanism) in self.body_mechanisms.iter().enumerate().filter(|(_, number)| **number != NONE) {
            for axis in 0..3 {
                let (v, inverse) = (velocity(body, axis), self.masses[body][axis]);
                if inverse > 0.0 {
                    energies[mechanism as usize] += 0.5 * v * v / inverse;
                }
            }
        }
        energies
    }

    /// Takes energy back that a sub-step made of nothing. Where a path turns so far in a sub-step that its end is a guess,
    /// the impulses that keep bodies on it may give them more than forces do. It is looked for where it can be known:
    /// in mechanisms that hang on something, of rigid joints only, and that touch nothing.
    pub(super) fn take_back_energy(&mut self, problem: &Problem<'_>, context: &StepContext) {
        let mut known = vec![false; self.mechanism_count];
        for (&mechanism, now) in self.body_mechanisms.iter().zip(&self.now).filter(|(number, _)| **number != NONE) {
            known[mechanism as usize] |= now[2].abs() * f64::from(context.h) > COARSE_TURN;
        }
        if !known.contains(&true) || self.started.len() != self.now.len() {
            return;
        }
        let mut hangs = vec![false; self.mechanism_count];
        for row in &self.rows {
            let is_fixed = |body: u32| body == NONE || self.masses[body as usize] == [0.0; 3];
            let moves_by_itself = |body: u32| body != NONE && is_fixed(body) && self.now[body as usize] != [0.0; 3];
            known[row.mechanism as usize] &=
                row.rigid && !row.is_bounded() && !row.bodies.into_iter().any(moves_by_itself);
            hangs[row.mechanism as usize] |= row.bodies[..2].iter().any(|&body| is_fixed(body));
        }

        let mut work = vec![0.0; self.mechanism_count];
        for (body, &mechanism) in self.body_mechanisms.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let place = self.places[body] as usize;
            known[mechanism as usize] &= problem.bodies[problem.sims[place].body].contact_head == NONE;
            let moved = problem.states[place].delta_position - self.started[body].0.delta_position;
            let turned = self.started[body].0.delta_rotation.inv_mul(problem.states[place].delta_rotation).angle();
            for (axis, moved) in [moved.x, moved.y, turned].into_iter().enumerate() {
                if self.masses[body][axis] > 0.0 {
                    let force = self.kicks[body][axis] * f64::from(context.inv_h) / self.masses[body][axis];
                    work[mechanism as usize] += force * f64::from(moved);
                }
            }
        }
        let before = self.energies(|body, axis| self.started[body].1[axis]);
        let after = self.energies(|body, axis| self.now[body][axis]);
        for (body, &mechanism) in self.body_mechanisms.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let i = mechanism as usize;
            let allowed = max64(before[i] + work[i], 0.0);
            if known[i] && hangs[i] && after[i] > allowed {
                let kept = (allowed / after[i]).sqrt();
                self.now[body] = self.now[body].map(|speed| speed * kept);
            }
        }
    }

    /// Mechanisms that hang on nothing have their angular momentum for good, also where their bodies were moved without
    /// their velocities: they turn as a whole by what the way made of it,
    ///
    /// ```text
    /// dL = sum of m (x - x_start) x v,   dw = -dL / I,   v += dw x (x - c),   w += dw
    /// ```
    ///
    /// about the centre of mass `c`, which such moves leave where it is, with the inertia `I` of all about it: what is pulled
    /// in turns faster, and what is pushed out more slowly.
    pub(super) fn keep_angular_momentum(&mut self, problem: &Problem<'_>, start: &[BodyState], mut is_free: Vec<bool>) {
        for row in &self.rows {
            let moves = |body: u32| body != NONE && self.masses[body as usize].iter().all(|&inverse| inverse > 0.0);
            let count = if matches!(row.home, Home::Gear { .. }) { 4 } else { 2 };
            // A rope over pulleys hangs on them, whatever its ends are.
            let pull = [0, 1].map(|axis| row.jacobian.iter().map(|part| part[axis]).sum::<f64>());
            is_free[row.mechanism as usize] &= row.bodies[..count].iter().all(|&body| moves(body)) && pull == [0.0; 2];
        }
        if !is_free.contains(&true) {
            return;
        }
        let mut wholes = vec![Whole::default(); self.mechanism_count];
        let Problem { states, sims, .. } = problem;
        for (body, &mechanism) in self.body_mechanisms.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let place = self.places[body] as usize;
            if is_free[mechanism as usize] {
                let moved = states[place].delta_position - start[body].delta_position;
                let at = place_of(&sims[place], &states[place]);
                wholes[mechanism as usize].add(
                    at,
                    [f64::from(moved.x), f64::from(moved.y)],
                    &self.now[body],
                    &self.masses[body],
                );
            }
        }
        for (body, &mechanism) in self.body_mechanisms.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let place = self.places[body] as usize;
            if is_free[mechanism as usize] {
                let change = wholes[mechanism as usize].turn_back(place_of(&sims[place], &states[place]));
                for (now, change) in self.now[body].iter_mut().zip(change) {
                    *now += change;
                }
                for (free, change) in self.free[body].iter_mut().zip(change) {
                    *free += change;
                }
            }
        }
    }
}

/// A mechanism as one body, and the angular momentum that moving its parts made.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    mass: f64,
    /// Its first part, from which places count; mass times place; mass times the square of that, and inertia.
    origin: [f64; 2],
    first: [f64; 2],
    second: f64,
    made: f64,
}

impl Whole {
    fn add(&mut self, at: [f64; 2], moved: [f64; 2], velocity: &Motion, inverse: &Motion) {
        if self.mass == 0.0 {
            self.origin = at;
        }
        let mass = 1.0 / inverse[0];
        let at = [at[0] - self.origin[0], at[1] - self.origin[1]];
        self.mass += mass;
        self.first = [self.first[0] + mass * at[0], self.first[1] + mass * at[1]];
        self.second += mass * (at[0] * at[0] + at[1] * at[1]) + 1.0 / inverse[2];
        self.made += mass * (moved[0] * velocity[1] - moved[1] * velocity[0]);
    }

    /// The velocity that takes it back, of a part at this place.
    fn turn_back(&self, at: [f64; 2]) -> Motion {
        let center = self.first.map(|first| first / self.mass);
        let inertia = self.second - self.mass * (center[0] * center[0] + center[1] * center[1]);
        let spin = if inertia > 0.0 { -self.made / inertia } else { 0.0 };
        let arm = [at[0] - self.origin[0] - center[0], at[1] - self.origin[1] - center[1]];
        [-spin * arm[1], spin * arm[0], spin]
    }
}

/// Where the centre of mass of a body is.
fn place_of(sim: &BodySim, state: &BodyState) -> [f64; 2] {
    let (start, moved) = (sim.center, state.delta_position);
    [f64::from(start.x) + f64::from(moved.x), f64::from(start.y) + f64::from(moved.y)]
}
