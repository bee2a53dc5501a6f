//! The direct solver: all joints and contacts at once, to the last digit, instead of one after the other.
//!
//! For the impulses `x` of all rows (equations of joints, normals and tangents of contacts):
//!
//! ```text
//! w = A x + b,   A = J M^-1 J^T + compliance,   b = J v + bias
//! lower < x < upper   and w = 0,   or   x = lower and w >= 0,   or   x = upper and w <= 0
//! ```
//!
//! Which rows are at a bound is found by block principal pivoting (J. Júdice and F. Pires, 1994): guess, solve
//! the others exactly by a sparse factorisation, move every row that came out wrong, repeat; when that does
//! not get better, move only one at a time. Bounds of friction follow the normal impulses of the round
//! before.
//!
//! In the biased pass the rigid rows of joints must hold where the bodies will be, not only where they are:
//! a few Newton rounds at the end of the sub-step see to that (SHAKE), and the relaxed pass makes the
//! velocities fit (RATTLE; H. Andersen, 1983). Both together keep the energy of a pendulum for good.
//!
//! Near a singular pose (a straight bridge, a four-bar in line) such a round can miss by far, and what it misses by would
//! stay as velocity. So errors never enter as a velocity that is not checked:
//!
//! ```text
//! 1.  J v = 0 where the bodies are, which can only take energy away
//! 2.  rounds towards C = 0 where the bodies will be; one that does not bring its mechanism nearer, or costs more energy
//!     than a path on constraints can ask for, is undone and is the last
//! 3.  what is left of C after the positions have moved is removed by moving bodies, which leaves no velocity, in damped
//!     rounds (K. Levenberg, 1944): those that do not help are undone and repeated with more damping
//! ```

mod bounds;
mod energy;
mod load;
mod positions;
mod row;

use super::{BlockExtras, ContactBlock, Factor};
use crate::body::{Body, BodyId, BodySim, BodyState, NONE};
use crate::collide::LINEAR_SLOP;
use crate::contact::{Contact, ContactId};
use crate::joint::constraint::{GearConstraint, JointConstraint};
use crate::math::vec2;
use crate::stage::StepContext;
use carom_core::Pool;
use load::OVERLAP_RATE;
use row::{Home, SystemRow};
use std::ops::Range;

/// Sweeps of the rows one after the other, for a first guess of which rows are at a bound; and where no round of
/// pivoting finds an answer, instead of it.
const SWEEPS: usize = 8;
const SWEEPS_INSTEAD: usize = 50;
/// Errors above this are left, in metres or radians, are removed from the positions.
const LEFT_OVER: f64 = 4.0e-6;
/// Compliance of what is rigid, relative to the row's own response: keeps systems with more equations than
/// unknowns solvable, and shares the load between them.
const COMPLIANCE: f64 = 1.0e-8;
/// Speed in m/s that is as good as none: an impulse that does less is as good as none, too.
const TOLERANCE: f64 = 1.0e-6;

/// Velocity of a body: linear, and angular.
type Motion = [f64; 3];

/// The system of a pass; kept to reuse its memory.
#[derive(Debug, Default)]
pub(crate) struct System {
    scope: Scope,
    /// The bodies of the system by their places in the awake set, and the reverse of that.
    places: Vec<u32>,
    local: Vec<u32>,
    rows: Vec<SystemRow>,
    /// Rows and masses of the pass before.
    last_rows: Vec<SystemRow>,
    last_masses: Vec<Motion>,
    /// Which bodies link the rows; rows in the order of elimination, kept while the links stay the same.
    links: Vec<[u32; 4]>,
    sequence: Vec<u32>,
    /// The mechanism of each row and body: what rows link. They are numbered from 0; `NONE` for bodies without rows.
    row_mechanisms: Vec<u32>,
    body_mechanisms: Vec<u32>,
    mechanism_count: usize,
    /// Rows by body, with the number of the body in the row.
    by_body: Vec<Vec<(u32, u8)>>,
    masses: Vec<Motion>,
    stiffness: Vec<(f64, f64)>,
    /// Velocities without and with the impulses.
    free: Vec<Motion>,
    now: Vec<Motion>,
    /// What forces gave to the velocities in the sub-step, and where bodies were at its start and how fast.
    kicks: Vec<Motion>,
    started: Vec<(BodyState, Motion)>,
    factor: Factor,
    /// The rows that were factorised, in order; and the place of each row among them, `NONE` for those at a
    /// bound.
    factorised: Vec<u32>,
    place: Vec<u32>,
    /// Is the factor that of the rows as they are?
    is_factorised: bool,
    /// Passes left before an exact answer is looked for again.
    rest: u32,
}

/// Which contacts belong to a system.
#[derive(Clone, Debug, Default)]
enum Among {
    #[default]
    None,
    All,
    /// By block and lane.
    Some(Vec<(u32, u8)>),
}

/// What a system is made of.
#[derive(Clone, Debug)]
struct Scope {
    /// Which of the joints.
    joints: Range<usize>,
    /// Which of the contacts; all of them go with all gears.
    contacts: Among,
    /// Otherwise the gears that are solved exactly?
    gears: bool,
    /// Only what must hold where bodies are?
    rigid_only: bool,
    /// Errors above this are removed from the positions, in metres or radians.
    left: f64,
    /// How fast overlaps are removed at most, in m/s.
    most_push: f64,
}

impl Default for Scope {
    /// Of nothing.
    fn default() -> Scope {
        Scope {
            joints: 0..0,
            contacts: Among::None,
            gears: false,
            rigid_only: false,
            left: LEFT_OVER,
            most_push: f64::INFINITY,
        }
    }
}

impl Scope {
    fn has_all(&self) -> bool {
        matches!(self.contacts, Among::All)
    }
}

/// What a system is made of, and where its answer goes: bodies with the constraints between them.
pub(crate) struct Problem<'a> {
    /// All bodies that can move, and everything else about any body.
    pub(crate) sims: &'a [BodySim],
    pub(crate) states: &'a mut [BodyState],
    pub(crate) bodies: &'a Pool<Body, BodyId>,
    pub(crate) joints: &'a mut [JointConstraint],
    pub(crate) gears: &'a mut [GearConstraint],
    pub(crate) blocks: &'a mut [ContactBlock],
    pub(crate) extras: &'a mut [BlockExtras],
    /// The number of the sub-step, from 0.
    pub(crate) substep: u32,
}

/// The entrances.
impl System {
    /// Solves all joints and contacts.
    pub(crate) fn solve_all<const BIASED: bool>(&mut self, problem: &mut Problem<'_>, context: &StepContext) {
        let awake = problem.states.len() as u32;
        self.scope = Scope { joints: 0..problem.joints.len(), contacts: Among::All, gears: true, ..Scope::default() };
        self.places.clear();
        self.places.extend(0..awake);
        self.local.clear();
        self.local.extend(0..awake);
        self.solve::<BIASED>(problem, context);
    }

    /// Solves the joints in a range, which have no body that they may move in common with other joints.
    pub(crate) fn solve_joints<const BIASED: bool>(
        &mut self,
        problem: &mut Problem<'_>,
        context: &StepContext,
        joints: Range<usize>,
    ) {
        let geared = problem.gears.iter().filter(|gear| gear.is_exact).flat_map(|gear| gear.bodies);
        let bodies = problem.joints[joints.clone()].iter().flat_map(|joint| joint.bodies).chain(geared);
        self.choose_bodies(problem.states.len(), bodies);
        self.scope = Scope { joints, gears: true, ..Scope::default() };
        self.solve::<BIASED>(problem, context);
    }

    /// Moves the bodies of the joints in a range to where they hold but for an error in metres or radians, without leaving
    /// velocity.
    pub(crate) fn close(&mut self, problem: &mut Problem<'_>, context: &StepContext, joints: Range<usize>, left: f64) {
        self.choose_bodies(problem.states.len(), problem.joints[joints.clone()].iter().flat_map(|joint| joint.bodies));
        self.scope = Scope { joints, rigid_only: true, left, ..Scope::default() };
        self.load::<false>(problem, context);
        self.remove_errors(problem, context);
        self.store_velocities(problem);
    }

    /// Finds the impulses of contacts that hold their bodies against the forces of a sub-step; other constraints do not count.
    /// None if bodies are not held: if forces still give one of them a speed above `held`. For each contact and point, the
    /// impulse along the normal and that along the tangent, one by one.
    pub(crate) fn find_loads(
        &mut self,
        resting: &Resting<'_>,
        context: &StepContext,
        contacts: &[u32],
        held: f32,
    ) -> Option<Vec<(u32, u8, [f32; 2])>> {
        let ends = contacts.iter().flat_map(|&index| {
            let contact = &resting.contacts[index];
            [contact.body_a, contact.body_b]
        });
        self.choose_bodies(resting.states.len(), ends.map(|body| resting.places[body as usize]));
        self.load_rest(resting, context, contacts);
        self.sweep::<true>(SWEEPS);
        if !self.find_bounds::<false>() {
            self.sweep::<true>(SWEEPS_INSTEAD);
        }
        let holds = self.places.iter().zip(&self.now).all(|(&place, now)| {
            let (sim, before) = (&resting.sims[place as usize], motion(&resting.states[place as usize]));
            let gained: Motion = std::array::from_fn(|axis| now[axis] - before[axis]);
            let reach = f64::from(sim.extent);
            let speed = gained[0].abs() + gained[1].abs() + reach * gained[2].abs();
            speed <= f64::from(held)
        });
        let found = self.rows.iter().filter_map(|row| match row.home {
            Home::Normal { block: index, point, .. } => Some((index, point, [row.impulse as f32, 0.0])),
            Home::Tangent { block: index, point, .. } => Some((index, point, [0.0, row.impulse as f32])),
            _ => None,
        });
        holds.then(|| found.collect())
    }

    /// Solves some contacts, given by block and lane, as if there were no others. What was found before has no part in it, so
    /// that the answer follows from these contacts and from nothing else.
    ///
    /// What is wedged leaves at a multiple of the speed at which overlaps are removed, so they are removed slowly; and not at
    /// all where a body would be slowed down for it after this (`integrate.rs`), which would turn the difference into velocity.
    pub(crate) fn solve_path<const BIASED: bool>(
        &mut self,
        problem: &mut Problem<'_>,
        context: &StepContext,
        path: &[(u32, u8)],
    ) {
        let bodies = path.iter().flat_map(|&(block, lane)| problem.blocks[block as usize].bodies(usize::from(lane)));
        self.choose_bodies(problem.states.len(), bodies);
        for most_push in [OVERLAP_RATE * f64::from(LINEAR_SLOP * context.inv_h), 0.0] {
            self.scope = Scope { contacts: Among::Some(path.to_vec()), most_push, ..Scope::default() };
            (self.rest, self.is_factorised) = (0, false);
            self.solve::<BIASED>(problem, context);
            if !BIASED || self.keeps_to_limits(context) {
                break;
            }
        }
        if !BIASED {
            self.mark_loaded(problem);
        }
    }
}

/// Contacts that have no blocks yet, and the bodies that are awake.
pub(crate) struct Resting<'a> {
    pub(crate) contacts: &'a Pool<Contact, ContactId>,
    pub(crate) sims: &'a [BodySim],
    pub(crate) states: &'a [BodyState],
    /// The place of each body among these.
    pub(crate) places: &'a [u32],
}

impl System {
    /// Takes these bodies of the awake set, each once.
    fn choose_bodies(&mut self, awake: usize, bodies: impl Iterator<Item = u32>) {
        for place in self.places.drain(..) {
            if let Some(local) = self.local.get_mut(place as usize) {
                *local = NONE;
            }
        }
        self.local.resize(awake, NONE);
        for body in bodies {
            if body != NONE && self.local[body as usize] == NONE {
                self.local[body as usize] = self.places.len() as u32;
                self.places.push(body);
            }
        }
    }

    fn solve<const BIASED: bool>(&mut self, problem: &mut Problem<'_>, context: &StepContext) {
        self.load::<BIASED>(problem, context);
        if !BIASED {
            self.remove_errors(problem, context);
        }
        if self.rows.iter().any(SystemRow::is_bounded) && !self.is_as_before() {
            self.sweep::<true>(SWEEPS);
        }
        if !self.find_bounds::<BIASED>() {
            self.sweep::<true>(SWEEPS_INSTEAD);
        }
        if BIASED {
            self.reach(problem, context);
        } else {
            self.take_back_energy(problem, context);
        }
        self.store::<BIASED>(problem);
    }

    /// The states of the system's bodies.
    fn states(&self, problem: &Problem<'_>) -> Vec<BodyState> {
        let states = &problem.states;
        self.places.iter().map(|&place| states[place as usize]).collect()
    }

    /// Bodies of the awake set as bodies of the system.
    fn bodies<const N: usize>(&self, bodies: &[u32; N]) -> [u32; N] {
        bodies.map(|body| if body == NONE { NONE } else { self.local[body as usize] })
    }

    /// Is no body faster than it may be?
    fn keeps_to_limits(&self, context: &StepContext) -> bool {
        let (linear, angular) = (f64::from(context.max_speed), f64::from(context.max_angular_speed));
        self.now.iter().all(|now| now[0] * now[0] + now[1] * now[1] <= linear * linear && now[2].abs() <= angular)
    }

    /// Marks the bodies that contacts push.
    fn mark_loaded(&self, problem: &mut Problem<'_>) {
        let states = &mut *problem.states;
        for row in self.rows.iter().filter(|row| matches!(row.home, Home::Normal { .. }) && row.impulse > 0.0) {
            for (body, _) in row.parts() {
                let state = &mut states[self.places[body] as usize];
                if state.flags & BodyState::MOVABLE != 0 {
                    state.flags |= BodyState::LOADED;
                }
            }
        }
    }

    /// Gives velocities to the bodies.
    fn store_velocities(&self, problem: &mut Problem<'_>) {
        let states = &mut *problem.states;
        for (&place, now) in self.places.iter().zip(&self.now) {
            let state = &mut states[place as usize];
            if state.flags & BodyState::MOVABLE != 0 {
                state.velocity = vec2(now[0] as f32, now[1] as f32);
                state.angular_velocity = now[2] as f32;
            }
        }
    }

    /// Gives velocities to the bodies and impulses to joints and contacts.
    fn store<const BIASED: bool>(&self, problem: &mut Problem<'_>) {
        self.store_velocities(problem);
        let Problem { joints, gears, blocks, extras, states, .. } = problem;
        for row in &self.rows {
            let impulse = row.impulse as f32;
            match row.home {
                Home::Joint { constraint, slot } => {
                    joints[constraint as usize].impulses[usize::from(slot)] = impulse;
                }
                Home::Gear { constraint } => gears[constraint as usize].impulse = impulse,
                Home::Nowhere => {}
                Home::Normal { block, lane, point } => {
                    let point = &mut blocks[block as usize].points[usize::from(point)];
                    point.normal_impulse.0[usize::from(lane)] = impulse;
                    if !BIASED {
                        point.total_impulse.0[usize::from(lane)] += impulse;
                    }
                }
                Home::Tangent { block, lane, point } => {
                    let point = &mut blocks[block as usize].points[usize::from(point)];
                    point.tangent_impulse.0[usize::from(lane)] = impulse;
                    if !BIASED {
                        point.total_tangent.0[usize::from(lane)] += impulse;
                    }
                }
                Home::Rolling { block, lane } => {
                    extras[block as usize].rolling_impulse.0[usize::from(lane)] = impulse;
                }
            }
        }
        if !BIASED {
            for joint in &mut joints[self.scope.joints.clone()] {
                joint.add_up(states);
            }
            let all = self.scope.has_all();
            gears.iter_mut().filter(|gear| all || gear.is_exact).for_each(|gear| gear.add_up(states));
        }
    }
}

fn inverse_mass(sim: &BodySim) -> Motion {
    [f64::from(sim.inv_mass.x), f64::from(sim.inv_mass.y), f64::from(sim.inv_inertia)]
}

/// What forces give to a body's velocities in a sub-step.
fn kick(sim: &BodySim, context: &StepContext) -> Motion {
    let kick = sim.acceleration(context.gravity) * context.h;
    [f64::from(kick.x), f64::from(kick.y), f64::from(context.h * sim.inv_inertia * sim.torque)]
}

fn motion(state: &BodyState) -> Motion {
    [f64::from(state.velocity.x), f64::from(state.velocity.y), f64::from(state.angular_velocity)]
}
