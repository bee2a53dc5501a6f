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

use super::StepContext;
use super::joints::{GearConstraint, JointConstraint, list_joints, read, unlist_joints};
use crate::body::{BodySim, BodyState, NONE};
use crate::collide::LINEAR_SLOP;
use crate::joint::row::{Group, Row, RowList, Rule, SpringRate};
use crate::math::{Rot, Vec2, vec2};
use crate::sets::{AWAKE, SolverSet};
use crate::solver::{BlockExtras, Constraints, ContactBlock, Factor, at, order};
use crate::world::World;
use carom_core::math::{max64, min64};
use std::ops::Range;

/// Sweeps of the rows one after the other, for a first guess of who is at a bound; and where no round of
/// pivoting finds an answer, instead of it.
const SWEEPS: usize = 8;
const SWEEPS_INSTEAD: usize = 50;
/// Rounds of finding the bounds of friction.
const FRICTION_ROUNDS: usize = 4;
/// Rounds of pivoting before the solver takes what it has.
const PIVOT_ROUNDS: usize = 20;
/// And where nothing should have changed since the last pass.
const QUICK_ROUNDS: usize = 3;
/// Rounds of pivoting without progress before only one row moves at a time.
const PATIENCE: usize = 5;
/// Systems of up to this many rows are worth that patience; larger ones are given up.
const SMALL: usize = 300;
/// Systems of more rows than this, for which no round of pivoting finds an answer, are swept; smaller ones go down to it
/// in at most this many steps, each of which is halved at most so many times.
/// These numbers were chosen by trying, on card houses of four to six floors and a wall of 80 bricks.
const LARGE: usize = 2000;
const DESCENT_ROUNDS: usize = 30;
const HALVINGS: usize = 8;
/// Sweeps before such a step, and at most, after steps that did not get on.
const DESCENT_SWEEPS: usize = 3;
const MOST_SWEEPS: usize = 24;
/// Passes that a system is only swept after it was given up.
const REST: u32 = 60;
/// Most rounds of bringing joints to where the bodies will be, and the error in metres or radians that is
/// as good as none there.
const NEWTON_ROUNDS: usize = 8;
const REACHED: f64 = 2.0e-7;
/// The energy that such a round may give to its mechanism, relative to what it has: no path turns within a sub-step by more
/// than an eighth of a turn, so the velocity that keeps bodies on it is at most half of that times theirs.
const PATH_ENERGY: f64 = 0.16;
/// Errors above this are left, in metres or radians, are removed from the positions.
const LEFT_OVER: f64 = 4.0e-6;
/// Most rounds of that, and their damping relative to the row's own response: the next one after each that did not help.
const PROJECTION_ROUNDS: usize = 8;
const DAMPING: [f64; 4] = [0.0, 1.0e-4, 1.0e-2, 1.0];
/// Most that such a round may turn a body, in radians.
const PROJECTION_TURN: f64 = 0.25;
/// Compliance of what is rigid, relative to the row's own response: keeps systems with more equations than
/// unknowns solvable, and shares the load between them.
const COMPLIANCE: f64 = 1.0e-8;
/// The same for contacts, where a heap has many more points than it needs.
const CONTACT_COMPLIANCE: f64 = 1.0e-4;
/// The same for the contacts of a load path, which are few: bodies of a mass ratio of 1e5 overlap by `M / m` times as much as
/// others, and this keeps it below half of a millimetre at 240 Hz.
const PATH_COMPLIANCE: f64 = 1.0e-6;
/// Speed in m/s that is as good as none: an impulse that does less is as good as none, too.
const TOLERANCE: f64 = 1.0e-6;
/// The angle by which a body may turn within a sub-step before its path is a coarse one, in radians: the energy of such steps
/// is off by about an eighth of its square.
const COARSE_TURN: f64 = 0.1;
/// The square of the angle by which a link may swing on within a sub-step before it is steadied.
const FAST_SWING: f64 = 0.1;
/// A gap in metres as small as rounding may leave it some hundred metres from the origin.
const HAIRLINE: f64 = 1.0e-5;
/// How much of an overlap a sub-step takes away.
const OVERLAP_RATE: f64 = 0.25;

/// Velocity of a body: linear, and angular.
type Motion = [f64; 3];

/// Which value a row's impulse has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Lower,
    Upper,
}

/// Where a row's impulse is kept between passes.
#[derive(Clone, Copy, Debug)]
enum Home {
    Joint {
        constraint: u32,
        slot: u8,
    },
    Gear {
        constraint: u32,
    },
    Normal {
        block: u32,
        lane: u8,
        point: u8,
    },
    Tangent {
        block: u32,
        lane: u8,
        point: u8,
    },
    Rolling {
        block: u32,
        lane: u8,
    },
    /// It starts anew in every pass.
    Nowhere,
}

/// One equation or inequality of the system.
#[derive(Clone, Copy, Debug)]
struct SystemRow {
    /// Places of the bodies, `NONE` where nothing moves; and their parts of `J`.
    bodies: [u32; 4],
    jacobian: [Motion; 4],
    bias: f64,
    compliance: f64,
    /// `K`.
    response: f64,
    /// An impulse as good as none.
    slack: f64,
    lower: f64,
    upper: f64,
    impulse: f64,
    /// The impulse from which on the compliance of a contact gives way.
    anchor: f64,
    state: State,
    /// The normal rows whose impulse, times a coefficient, bounds this one.
    normals: Option<([u32; 2], f64)>,
    /// Held where the bodies will be.
    rigid: bool,
    /// `C` of a rigid row where the bodies are.
    error: f64,
    /// The mechanism that it belongs to.
    mechanism: u32,
    home: Home,
}

/// The system of a pass; kept to reuse its memory.
#[derive(Clone, Debug, Default)]
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

/// Solves all joints and contacts.
pub(crate) fn solve_direct<const BIASED: bool>(world: &mut World, context: &StepContext) {
    let mut system = std::mem::take(&mut world.constraints.system);
    let awake = world.sets.awake().states.len() as u32;
    system.scope = Scope {
        joints: 0..world.constraints.joints.len(),
        contacts: Among::All,
        gears: true,
        rigid_only: false,
        left: LEFT_OVER,
        most_push: f64::INFINITY,
    };
    system.places.clear();
    system.places.extend(0..awake);
    system.local.clear();
    system.local.extend(0..awake);
    system.solve::<BIASED>(world, context);
    world.constraints.system = system;
}

/// Solves the joints in a range, which have no body that they may move in common with other joints.
pub(crate) fn solve_exactly<const BIASED: bool>(world: &mut World, context: &StepContext, joints: Range<usize>) {
    let mut system = std::mem::take(&mut world.constraints.system);
    let Constraints { joints: all, gears, .. } = &world.constraints;
    let geared = gears.iter().filter(|gear| gear.is_exact).flat_map(|gear| gear.bodies);
    system.choose_bodies(world, all[joints.clone()].iter().flat_map(|joint| joint.bodies).chain(geared));
    system.scope = Scope {
        joints,
        contacts: Among::None,
        gears: true,
        rigid_only: false,
        left: LEFT_OVER,
        most_push: f64::INFINITY,
    };
    system.solve::<BIASED>(world, context);
    world.constraints.system = system;
}

/// Moves the bodies of these joints to where they hold but for an error in metres or radians, without leaving velocity.
pub(crate) fn close_exactly(world: &mut World, context: &StepContext, chosen: &[u32], left: f64) {
    let listed = list_joints(world, context, chosen);
    let mut system = std::mem::take(&mut world.constraints.closing);
    system.choose_bodies(world, listed.clone().flat_map(|index| world.constraints.joints[index].bodies));
    system.scope = Scope {
        joints: listed.clone(),
        contacts: Among::None,
        gears: false,
        rigid_only: true,
        left,
        most_push: f64::INFINITY,
    };
    system.load::<false>(world, context);
    system.remove_errors(world, context);
    system.store_velocities(world);
    world.constraints.closing = system;
    unlist_joints(world, context, listed);
}

/// Finds the impulses of contacts that hold their bodies against the forces of a sub-step; other constraints do not count.
/// None if bodies are not held: if forces still give one of them a speed above `held`. For each contact and point, the
/// impulse along the normal and that along the tangent, one by one.
pub(crate) fn load_exactly(
    world: &mut World,
    context: &StepContext,
    contacts: &[u32],
    held: f32,
) -> Option<Vec<(u32, u8, [f32; 2])>> {
    let mut system = std::mem::take(&mut world.constraints.system);
    let ends = contacts.iter().flat_map(|&index| [world.contacts[index].body_a, world.contacts[index].body_b]);
    system.choose_bodies(world, ends.map(|body| world.awake_index(body)));
    system.load_rest(world, context, contacts);
    system.sweep::<true>(SWEEPS);
    if !system.find_bounds::<false>() {
        system.sweep::<true>(SWEEPS_INSTEAD);
    }
    let awake = world.sets.awake();
    let holds = system.places.iter().zip(&system.now).all(|(&place, now)| {
        let (sim, before) = (&awake.sims[place as usize], motion(&awake.states[place as usize]));
        let gained: Motion = std::array::from_fn(|axis| now[axis] - before[axis]);
        let reach = f64::from(sim.extent);
        let speed = gained[0].abs() + gained[1].abs() + reach * gained[2].abs();
        speed <= f64::from(held)
    });
    let found: Vec<(u32, u8, [f32; 2])> = system
        .rows
        .iter()
        .filter_map(|row| match row.home {
            Home::Normal { block: index, point, .. } => Some((index, point, [row.impulse as f32, 0.0])),
            Home::Tangent { block: index, point, .. } => Some((index, point, [0.0, row.impulse as f32])),
            _ => None,
        })
        .collect();
    world.constraints.system = system;
    holds.then_some(found)
}

/// Solves some contacts, given by block and lane, as if there were no others. What was found before has no part in it, so that
/// the answer follows from these contacts and from nothing else.
///
/// What is wedged leaves at a multiple of the speed at which overlaps are removed, so they are removed slowly; and not at all
/// where a body would be slowed down for it after this (`integrate.rs`), which would turn the difference into velocity.
pub(crate) fn solve_path<const BIASED: bool>(world: &mut World, context: &StepContext, path: &[(u32, u8)]) {
    let mut system = std::mem::take(&mut world.constraints.system);
    let blocks = &world.constraints.blocks;
    let bodies = path.iter().flat_map(|&(block, lane)| blocks[block as usize].bodies(usize::from(lane)));
    system.choose_bodies(world, bodies);
    for most_push in [OVERLAP_RATE * f64::from(LINEAR_SLOP * context.inv_h), 0.0] {
        system.scope = Scope {
            joints: 0..0,
            contacts: Among::Some(path.to_vec()),
            gears: false,
            rigid_only: false,
            left: LEFT_OVER,
            most_push,
        };
        (system.rest, system.is_factorised) = (0, false);
        system.solve::<BIASED>(world, context);
        if !BIASED || system.keeps_to_limits(context) {
            break;
        }
    }
    if !BIASED {
        system.mark_loaded(world);
    }
    world.constraints.system = system;
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
#[derive(Clone, Debug, Default)]
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

impl Scope {
    fn has_all(&self) -> bool {
        matches!(self.contacts, Among::All)
    }
}

impl SystemRow {
    fn new(home: Home) -> SystemRow {
        SystemRow {
            bodies: [NONE; 4],
            jacobian: [[0.0; 3]; 4],
            bias: 0.0,
            compliance: 0.0,
            response: 0.0,
            slack: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            impulse: 0.0,
            anchor: 0.0,
            state: State::Free,
            normals: None,
            rigid: false,
            error: 0.0,
            mechanism: 0,
            home,
        }
    }

    /// Is the impulse bounded?
    fn is_bounded(&self) -> bool {
        self.normals.is_some() || self.lower > f64::NEG_INFINITY || self.upper < f64::INFINITY
    }

    fn is_contact(&self) -> bool {
        !matches!(self.home, Home::Joint { .. } | Home::Gear { .. } | Home::Nowhere)
    }

    /// Has it the same part in the matrix of a system?
    fn responds_like(&self, other: &SystemRow) -> bool {
        self.bodies == other.bodies && self.jacobian == other.jacobian && self.compliance == other.compliance
    }

    /// Does only a change of its load give way? What rests has no speed then, and what sticks does not creep. Normals
    /// are held by how far bodies overlap where that counts.
    fn is_anchored<const BIASED: bool>(&self) -> bool {
        match self.home {
            Home::Joint { .. } | Home::Gear { .. } | Home::Nowhere => false,
            Home::Normal { .. } => !BIASED,
            Home::Tangent { .. } | Home::Rolling { .. } => true,
        }
    }

    /// Lets the compliance give way from the present impulse on.
    fn move_anchor(&mut self) {
        self.bias -= self.compliance * (self.impulse - self.anchor);
        self.anchor = self.impulse;
    }

    /// Where the impulse is: at a bound, or between them.
    fn nearest_state(&self) -> State {
        if self.impulse <= self.lower {
            State::Lower
        } else if self.impulse >= self.upper {
            State::Upper
        } else {
            State::Free
        }
    }

    /// `w`: the speed along the row, with what is asked of it.
    fn residual(&self, motions: &[Motion]) -> f64 {
        self.speed(motions) + self.bias + self.compliance * self.impulse
    }

    fn parts(&self) -> impl Iterator<Item = (usize, &Motion)> {
        self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != NONE).map(|(&body, j)| (body as usize, j))
    }

    /// `J v`.
    fn speed(&self, motions: &[Motion]) -> f64 {
        self.parts().map(|(body, j)| dot(j, &motions[body])).sum()
    }

    /// Adds what an impulse along the row does.
    fn push(&self, impulse: f64, masses: &[Motion], motions: &mut [Motion]) {
        for (body, j) in self.parts() {
            for axis in 0..3 {
                motions[body][axis] += masses[body][axis] * j[axis] * impulse;
            }
        }
    }

    /// `K`: what a unit impulse does to the row's own speed.
    fn own_response(&self, masses: &[Motion]) -> f64 {
        self.parts().map(|(body, j)| weighted(j, &masses[body], j)).sum()
    }

    fn from_joint<const N: usize>(row: &Row<N>, bodies: &[u32; N], home: Home) -> SystemRow {
        let mut out = SystemRow::new(home);
        for (i, (&body, part)) in bodies.iter().zip(&row.jacobian).enumerate() {
            out.bodies[i] = body;
            out.jacobian[i] = [f64::from(part.linear.x), f64::from(part.linear.y), f64::from(part.angular)];
        }
        out
    }

    /// Along a direction from a to b, at these arms.
    fn from_contact(bodies: [u32; 2], along: Vec2, arms: [Vec2; 2], home: Home) -> SystemRow {
        let mut row = SystemRow::new(home);
        (row.bodies[0], row.bodies[1]) = (bodies[0], bodies[1]);
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            let turn = f64::from(arms[i].x) * f64::from(along.y) - f64::from(arms[i].y) * f64::from(along.x);
            row.jacobian[i] = [sign * f64::from(along.x), sign * f64::from(along.y), sign * turn];
        }
        row
    }
}

/// Of a body with these inverse masses.
fn kinetic_energy(motion: &Motion, inverse: &Motion) -> f64 {
    let part = |axis: usize| if inverse[axis] > 0.0 { motion[axis] * motion[axis] / inverse[axis] } else { 0.0 };
    0.5 * (part(0) + part(1) + part(2))
}

/// The bodies that a row links, without the gaps.
fn linked(link: &[u32; 4]) -> impl Iterator<Item = u32> {
    link.iter().copied().filter(|&body| body != NONE)
}

fn dot(a: &Motion, b: &Motion) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn weighted(a: &Motion, mass: &Motion, b: &Motion) -> f64 {
    a[0] * mass[0] * b[0] + a[1] * mass[1] * b[1] + a[2] * mass[2] * b[2]
}

impl System {
    /// Takes these bodies of the awake set, each once.
    fn choose_bodies(&mut self, world: &World, bodies: impl Iterator<Item = u32>) {
        for place in self.places.drain(..) {
            if let Some(local) = self.local.get_mut(place as usize) {
                *local = NONE;
            }
        }
        self.local.resize(world.sets.awake().states.len(), NONE);
        for body in bodies {
            if body != NONE && self.local[body as usize] == NONE {
                self.local[body as usize] = self.places.len() as u32;
                self.places.push(body);
            }
        }
    }

    fn solve<const BIASED: bool>(&mut self, world: &mut World, context: &StepContext) {
        self.load::<BIASED>(world, context);
        if !BIASED {
            self.remove_errors(world, context);
        }
        if self.rows.iter().any(SystemRow::is_bounded) && !self.is_as_before() {
            self.sweep::<true>(SWEEPS);
        }
        if !self.find_bounds::<BIASED>() {
            self.sweep::<true>(SWEEPS_INSTEAD);
        }
        if BIASED {
            self.reach(world, context);
        } else {
            self.take_back_energy(world, context);
        }
        self.store::<BIASED>(world);
    }

    /// The states of the system's bodies.
    fn states(&self, world: &World) -> Vec<BodyState> {
        let states = &world.sets.awake().states;
        self.places.iter().map(|&place| states[place as usize]).collect()
    }

    /// Bodies of the awake set as bodies of the system.
    fn bodies<const N: usize>(&self, bodies: &[u32; N]) -> [u32; N] {
        bodies.map(|body| if body == NONE { NONE } else { self.local[body as usize] })
    }

    /// Reads bodies, joints and contacts.
    fn load<const BIASED: bool>(&mut self, world: &mut World, context: &StepContext) {
        let states = self.states(world);
        let sims = &world.sets.awake().sims;
        std::mem::swap(&mut self.masses, &mut self.last_masses);
        self.masses.clear();
        self.masses.extend(self.places.iter().map(|&place| inverse_mass(&sims[place as usize])));
        self.kicks.clear();
        self.kicks.extend(self.places.iter().map(|&place| kick(&sims[place as usize], context)));
        self.now.clear();
        self.now.extend(states.iter().map(motion));
        std::mem::swap(&mut self.rows, &mut self.last_rows);
        self.rows.clear();
        let Constraints { joints, gears, blocks, extras, .. } = &mut world.constraints;
        let chosen = self.scope.joints.clone();
        if BIASED {
            self.steady_light_links(&mut joints[chosen.clone()], &states, context);
        }
        for index in chosen {
            self.load_joint(index as u32, &mut joints[index], &states, context);
        }
        let (all, geared) = (self.scope.has_all(), self.scope.gears);
        for (index, gear) in (0..).zip(gears.iter_mut()).filter(|(_, gear)| all || geared && gear.is_exact) {
            self.load_gear(index, gear, &states, context);
        }
        match std::mem::take(&mut self.scope.contacts) {
            Among::None => {}
            Among::All => {
                for (index, (block, extras)) in (0..).zip(blocks.iter().zip(extras.iter())) {
                    for lane in block.lanes() {
                        self.load_contact::<BIASED>(index, (block, extras), lane, &states, context);
                    }
                }
                self.scope.contacts = Among::All;
            }
            Among::Some(path) => {
                for &(index, lane) in &path {
                    let (block, extras) = (&blocks[index as usize], &extras[index as usize]);
                    self.load_contact::<BIASED>(index, (block, extras), usize::from(lane), &states, context);
                }
                self.scope.contacts = Among::Some(path);
            }
        }
        self.link_rows::<BIASED>();
        if BIASED {
            self.note_start(&states, world.constraints.begun, context);
        }
    }

    /// Works out which rows act on each other by which bodies, and what bodies do without them.
    fn link_rows<const BIASED: bool>(&mut self) {
        self.by_body.iter_mut().for_each(Vec::clear);
        self.by_body.resize(self.masses.len().max(self.by_body.len()), Vec::new());
        self.free.clone_from(&self.now);
        let contact_compliance = match self.scope.contacts {
            Among::Some(_) => PATH_COMPLIANCE,
            _ => CONTACT_COMPLIANCE,
        };
        for (index, row) in (0u32..).zip(&mut self.rows) {
            for slot in 0..4_u8 {
                let body = row.bodies[usize::from(slot)];
                if body != NONE && self.masses[body as usize] == [0.0; 3] {
                    // Its velocity counts, but it does not link rows: kinematic bodies touch anything.
                    continue;
                }
                if body != NONE {
                    self.by_body[body as usize].push((index, slot));
                }
            }
            let k = row.own_response(&self.masses);
            row.response = k;
            let compliance = k * if row.is_contact() { contact_compliance } else { COMPLIANCE };
            row.compliance += compliance;
            row.slack = if k > 0.0 { TOLERANCE / k } else { 0.0 };
            row.push(-row.impulse, &self.masses, &mut self.free);
        }
        let movable = |body: u32| if body != NONE && self.masses[body as usize] != [0.0; 3] { body } else { NONE };
        let links: Vec<[u32; 4]> = self.rows.iter().map(|row| row.bodies.map(movable)).collect();
        if links != self.links {
            if self.scope.rigid_only {
                // Joints are numbered from the middle of a mechanism on, as a rule: where they change all the time, the
                // last first.
                self.sequence.clear();
                self.sequence.extend((0..links.len() as u32).rev());
            } else {
                let nodes: Vec<Vec<u32>> = links.iter().map(|link| linked(link).collect()).collect();
                self.sequence = order(&nodes, self.masses.len());
            }
            self.find_mechanisms(&links);
            self.links = links;
            self.rest = 0;
        }
        for (row, &mechanism) in self.rows.iter_mut().zip(&self.row_mechanisms) {
            row.mechanism = mechanism;
        }
        self.compare_with_last();
        for row in self.rows.iter_mut().filter(|row| row.is_anchored::<BIASED>()) {
            row.move_anchor();
        }
    }

    /// Contacts are the same in all passes of a step, and what rests does not move: then the factor stays what it was.
    fn compare_with_last(&mut self) {
        self.is_factorised = self.is_factorised
            && self.masses == self.last_masses
            && self.rows.len() == self.last_rows.len()
            && self.rows.iter().zip(&self.last_rows).all(|(row, last)| row.responds_like(last));
    }

    /// Remembers where bodies were at the start of the sub-step, and how fast. Where nothing but the system acts on them, that
    /// is what is left without its impulses and what forces did since.
    fn note_start(&mut self, states: &[BodyState], begun: u32, context: &StepContext) {
        self.started.clear();
        for ((state, free), kick) in states.iter().zip(&self.free).zip(&self.kicks) {
            let mut state = *state;
            if begun <= 1 {
                (state.delta_position, state.delta_rotation) = (Vec2::ZERO, Rot::IDENTITY);
            } else {
                // Taken back by `integrate.rs`.
                state.delta_position += vec2(kick[0] as f32, kick[1] as f32) * (0.5 * context.h);
            }
            self.started.push((state, std::array::from_fn(|axis| free[axis] - kick[axis])));
        }
    }

    /// Takes energy back that a sub-step made of nothing. Where a path turns so far in a sub-step that its end is a guess,
    /// the impulses that keep bodies on it may give them more than forces do. It is looked for where it can be known:
    /// in mechanisms that hang on something, of rigid joints only, and that touch nothing.
    fn take_back_energy(&mut self, world: &World, context: &StepContext) {
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
        let awake = world.sets.awake();
        let mut work = vec![0.0; self.mechanism_count];
        for (body, &mechanism) in self.body_mechanisms.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let place = self.places[body] as usize;
            known[mechanism as usize] &= world.bodies[awake.sims[place].body].contact_head == NONE;
            let moved = awake.states[place].delta_position - self.started[body].0.delta_position;
            let turned = self.started[body].0.delta_rotation.inv_mul(awake.states[place].delta_rotation).angle();
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

    /// Finds which rows and bodies hang together.
    fn find_mechanisms(&mut self, links: &[[u32; 4]]) {
        let mut above: Vec<u32> = (0..self.masses.len() as u32).collect();
        fn root(above: &mut [u32], mut body: u32) -> u32 {
            while above[body as usize] != body {
                above[body as usize] = above[above[body as usize] as usize];
                body = above[body as usize];
            }
            body
        }
        for link in links {
            for (a, b) in linked(link).zip(linked(link).skip(1)) {
                let (a, b) = (root(&mut above, a), root(&mut above, b));
                above[b.max(a) as usize] = b.min(a);
            }
        }
        self.body_mechanisms.clear();
        self.body_mechanisms.resize(self.masses.len(), NONE);
        self.mechanism_count = 0;
        let mut number_of = vec![NONE; self.masses.len()];
        self.row_mechanisms.clear();
        for link in links {
            let mut mechanism = 0;
            for body in linked(link) {
                let number = &mut number_of[root(&mut above, body) as usize];
                if *number == NONE {
                    *number = self.mechanism_count as u32;
                    self.mechanism_count += 1;
                }
                mechanism = *number;
                self.body_mechanisms[body as usize] = mechanism;
            }
            self.row_mechanisms.push(mechanism);
        }
        // Rows that can move nothing belong to the first, whatever it is.
        self.mechanism_count = self.mechanism_count.max(1);
    }

    /// Adds friction to the joints of light bodies under great tension.
    ///
    /// A link that is pulled from both ends by a force `f` at arms `r` swings back with a stiffness of about
    /// `f r`. If it does so faster than sub-steps can follow, the links of a chain with a heavy bob start to
    /// rattle, and the chain explodes. That stiffness depends on the forces and is in no equation (it is the
    /// geometric stiffness of S. Andrews and others, 2017); here it sets a friction of the joints that takes
    /// the rattling away. Links that swing slowly enough get none.
    fn steady_light_links(&mut self, joints: &mut [JointConstraint], states: &[BodyState], context: &StepContext) {
        // Stiffness from all joints of a body, and from the strongest: one alone swings nothing.
        self.stiffness.clear();
        self.stiffness.resize(self.masses.len(), (0.0, 0.0));
        let mut rows = RowList::new();
        for joint in joints.iter_mut() {
            let bodies = read(states, &self.bodies(&joint.bodies));
            joint.rows(&bodies, &mut rows);
            for (side, &body) in self.bodies(&joint.bodies).iter().enumerate().filter(|(_, body)| **body != NONE) {
                let mut impulse = Vec2::ZERO;
                for (group, rows) in rows.groups() {
                    for (slot, row) in (usize::from(group.slot)..).zip(rows) {
                        impulse += row.jacobian[side].linear * joint.impulses[slot];
                    }
                }
                let force = f64::from(impulse.length()) * f64::from(context.inv_h);
                let stiffness = force * joint.arm(side);
                let (sum, most) = &mut self.stiffness[body as usize];
                *sum += stiffness;
                *most = max64(*most, stiffness);
            }
        }
        let h = f64::from(context.h);
        for joint in joints {
            let mut needed = 0.0;
            let bodies = self.bodies(&joint.bodies);
            for &body in bodies.iter().filter(|&&body| body != NONE) {
                let (sum, most) = self.stiffness[body as usize];
                let stiffness = h * h * (sum - most);
                if stiffness * self.masses[body as usize][2] > FAST_SWING {
                    needed = max64(needed, stiffness);
                }
            }
            if needed > 0.0 {
                let mut row = SystemRow::new(Home::Nowhere);
                (row.bodies[0], row.bodies[1]) = (bodies[0], bodies[1]);
                (row.jacobian[0], row.jacobian[1]) = ([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
                row.compliance = 1.0 / needed;
                self.rows.push(row);
            }
        }
    }

    fn load_joint(&mut self, index: u32, joint: &mut JointConstraint, states: &[BodyState], context: &StepContext) {
        let mut rows = RowList::new();
        let bodies = read(states, &self.bodies(&joint.bodies));
        joint.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            for (i, row) in rows.iter().enumerate() {
                let slot = group.slot + i as u8;
                let impulse = joint.impulses[usize::from(slot)];
                let start = joint.start_errors[usize::from(slot)];
                let home = Home::Joint { constraint: index, slot };
                let last = i + 1 == rows.len();
                let made = SystemRow::from_joint(row, &self.bodies(&joint.bodies), home);
                self.push_joint_row::<2>(made, group, row, (impulse, start), last, context);
            }
        }
    }

    fn load_gear(&mut self, index: u32, gear: &mut GearConstraint, states: &[BodyState], context: &StepContext) {
        let mut rows = RowList::new();
        let bodies = read(states, &self.bodies(&gear.bodies));
        gear.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            let made = SystemRow::from_joint(&rows[0], &self.bodies(&gear.bodies), Home::Gear { constraint: index });
            self.push_joint_row::<4>(made, group, &rows[0], (gear.impulse, 0.0), true, context);
        }
    }

    /// Adds a row of a joint by the rule of its group.
    fn push_joint_row<const N: usize>(
        &mut self,
        mut made: SystemRow,
        group: &Group,
        row: &Row<N>,
        (impulse, start_error): (f32, f32),
        last: bool,
        context: &StepContext,
    ) {
        made.impulse = f64::from(impulse);
        let inv_h = f64::from(context.inv_h);
        let most = f64::from(group.max_force) * f64::from(context.h);
        match group.rule {
            Rule::Rigid | Rule::RigidAbove | Rule::RigidBelow => {
                made.rigid = true;
                let error = f64::from(row.error);
                made.error = error;
                let side = if last { f64::from(group.rule.free_side()) } else { 0.0 };
                if side != 0.0 {
                    made.rigid = error * side <= 0.0;
                    if !made.rigid {
                        made.bias = error * inv_h;
                    }
                    if side > 0.0 {
                        made.lower = 0.0
                    } else {
                        made.upper = 0.0
                    }
                    made.state = match made.impulse * side > 0.0 {
                        true => State::Free,
                        false if side > 0.0 => State::Lower,
                        false => State::Upper,
                    };
                }
            }
            Rule::Drive | Rule::DriveUpTo => {
                let up_to = group.rule == Rule::DriveUpTo;
                made.bias = -f64::from(if up_to { row.speed_up_to_limit(context.inv_h) } else { row.speed });
                (made.lower, made.upper) = (-most, most);
            }
            Rule::Spring { hertz, damping_ratio } => {
                // The spring's law as compliance: J v + x / g = bias, with x = -(pull C + drag J v) / K / keep.
                let rate = SpringRate::new(hertz, damping_ratio, context.h);
                let k = made.own_response(&self.masses);
                let (pull, drag) = (f64::from(rate.pull / rate.keep), f64::from(rate.drag / rate.keep));
                if k <= 0.0 {
                    return;
                }
                if drag < 1.0e-6 {
                    // Nothing of it depends on the velocity: an impulse like any force.
                    let impulse = max64(-most, min64(most, -pull * f64::from(start_error) / k));
                    (made.lower, made.upper, made.impulse) = (impulse, impulse, f64::from(made.impulse as f32));
                    made.state = State::Lower;
                } else {
                    made.compliance = k / drag;
                    made.bias = pull * f64::from(start_error) / drag - f64::from(row.speed);
                    (made.lower, made.upper) = (-most, most);
                }
            }
        }
        if made.rigid || !self.scope.rigid_only {
            self.rows.push(made);
        }
    }

    fn load_contact<const BIASED: bool>(
        &mut self,
        index: u32,
        (block, extras): (&ContactBlock, &BlockExtras),
        lane: usize,
        states: &[BodyState],
        context: &StepContext,
    ) {
        let bodies = self.bodies(&block.bodies(lane));
        let [a, b] = bodies.map(|body| if body == NONE { BodyState::REST } else { states[body as usize] });
        let normal = at(&block.normal, lane);
        let tangent = crate::math::right_perp(normal);
        let inv_h = f64::from(context.inv_h);
        let lane8 = lane as u8;
        let mut normals = [NONE; 2];
        let mut points = 0;
        for (point8, point) in (0u8..).zip(&block.points) {
            if point.normal_mass.0[lane] == 0.0 {
                continue;
            }
            let arms = [at(&point.anchor_a, lane), at(&point.anchor_b, lane)];
            let core_a = a.delta_rotation.rotate(arms[0] - normal * extras.rounding_a.0[lane]);
            let core_b = b.delta_rotation.rotate(arms[1] + normal * extras.rounding_b.0[lane]);
            let moved = b.delta_position - a.delta_position;
            let separation = f64::from((moved + core_b - core_a).dot(normal) + point.base_separation.0[lane]);
            let mut row = SystemRow::from_contact(
                bodies,
                normal,
                arms,
                Home::Normal { block: index, lane: lane8, point: point8 },
            );
            row.impulse = f64::from(point.normal_impulse.0[lane]);
            row.lower = 0.0;
            row.state = if row.impulse > 0.0 { State::Free } else { State::Lower };
            if !BIASED && separation > 0.0 && separation < HAIRLINE && row.impulse > 0.0 {
                // It carries, and hovers by rounding alone.
            } else if separation > 0.0 {
                row.bias = separation * inv_h;
                if !BIASED {
                    // A gap is the next sub-step's business, where the approach may turn out to be an impact
                    // that rebounds: here it is not slowed down, only pushed less.
                    row.upper = row.impulse;
                }
            } else if BIASED {
                let push_out = max64(f64::from(block.common(extras, lane).push_out), -self.scope.most_push);
                row.bias = max64(OVERLAP_RATE * separation * inv_h, push_out);
            }
            normals[points] = self.rows.len() as u32;
            points += 1;
            self.rows.push(row);

            let mut row = SystemRow::from_contact(
                bodies,
                tangent,
                arms,
                Home::Tangent { block: index, lane: lane8, point: point8 },
            );
            row.impulse = f64::from(point.tangent_impulse.0[lane]);
            row.bias = -f64::from(extras.surface_speed.0[lane]);
            row.normals = Some(([self.rows.len() as u32 - 1, NONE], f64::from(block.common(extras, lane).friction)));
            self.rows.push(row);
        }
        if extras.rolling_resistance.0[lane] > 0.0 {
            let mut row = SystemRow::new(Home::Rolling { block: index, lane: lane8 });
            (row.bodies[0], row.bodies[1]) = (bodies[0], bodies[1]);
            (row.jacobian[0], row.jacobian[1]) = ([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
            row.impulse = f64::from(extras.rolling_impulse.0[lane]);
            row.normals = Some((normals, f64::from(extras.rolling_resistance.0[lane])));
            self.rows.push(row);
        }
    }

    /// Reads contacts that have no blocks yet, and their bodies after a sub-step without them.
    fn load_rest(&mut self, world: &World, context: &StepContext, contacts: &[u32]) {
        let awake = world.sets.awake();
        self.scope = Scope {
            joints: 0..0,
            contacts: Among::All,
            gears: false,
            rigid_only: false,
            left: LEFT_OVER,
            most_push: f64::INFINITY,
        };
        (self.rest, self.is_factorised) = (0, false);
        self.masses.clear();
        self.now.clear();
        for &place in &self.places {
            let (sim, state) = (&awake.sims[place as usize], &awake.states[place as usize]);
            self.masses.push(inverse_mass(sim));
            let (now, kick) = (motion(state), kick(sim, context));
            self.now.push(std::array::from_fn(|axis| now[axis] + kick[axis]));
        }
        self.rows.clear();
        for &index in contacts {
            let contact = &world.contacts[index];
            let bodies = self.bodies(&[contact.body_a, contact.body_b].map(|body| world.awake_index(body)));
            let (normal, material) = (contact.manifold.normal, &contact.material);
            let points = &contact.manifold.points[..contact.manifold.count as usize];
            for (number, point) in (0..).zip(points) {
                let arms = [point.anchor_a, point.anchor_b];
                let home = Home::Normal { block: index, lane: 0, point: number };
                let mut row = SystemRow::from_contact(bodies, normal, arms, home);
                (row.lower, row.state) = (0.0, State::Lower);
                row.bias = max64(f64::from(point.separation), 0.0) * f64::from(context.inv_h);
                self.rows.push(row);
                let home = Home::Tangent { block: index, lane: 0, point: number };
                let mut row = SystemRow::from_contact(bodies, crate::math::right_perp(normal), arms, home);
                row.bias = -f64::from(material.surface_speed);
                row.normals = Some(([self.rows.len() as u32 - 1, NONE], f64::from(material.friction)));
                self.rows.push(row);
            }
        }
        self.link_rows::<false>();
    }

    /// Bounds friction by the normal impulses as they are; true if a bound moved noticeably at which a row is, or beyond
    /// which it is now.
    fn set_friction_bounds(&mut self) -> bool {
        let mut moved = false;
        for index in 0..self.rows.len() {
            let before = self.rows[index].upper;
            self.bound_friction(index);
            let row = &self.rows[index];
            let counts = row.state != State::Free || row.impulse.abs() > row.upper + row.slack;
            moved |= row.normals.is_some() && counts && (row.upper - before).abs() > row.slack;
        }
        moved
    }

    /// Bounds a row of friction by the impulses of its normals.
    fn bound_friction(&mut self, index: usize) {
        if let Some((normals, coefficient)) = self.rows[index].normals {
            let load: f64 =
                normals.iter().filter(|&&row| row != NONE).map(|&row| self.rows[row as usize].impulse).sum();
            let bound = coefficient * max64(load, 0.0);
            (self.rows[index].lower, self.rows[index].upper) = (-bound, bound);
        }
    }

    /// Solves the rows one after the other: never exact, never worse than before. Bounds of friction stay or follow.
    fn sweep<const FOLLOW: bool>(&mut self, count: usize) {
        for _ in 0..count {
            for index in 0..self.rows.len() {
                if FOLLOW {
                    self.bound_friction(index);
                }
                let row = &mut self.rows[index];
                let k = row.response + row.compliance;
                let w = row.speed(&self.now) + row.bias + row.compliance * row.impulse;
                let wanted = if k > 0.0 { row.impulse - w / k } else { 0.0 };
                let impulse = max64(row.lower, min64(row.upper, wanted));
                row.push(impulse - row.impulse, &self.masses, &mut self.now);
                row.impulse = impulse;
                row.state = row.nearest_state();
            }
        }
    }

    /// Do the same contacts push and stick as in the last pass? Then no first guess is needed.
    fn is_as_before(&mut self) -> bool {
        if matches!(self.scope.contacts, Among::None) || self.rest > 0 {
            return false;
        }
        self.set_friction_bounds();
        for row in &mut self.rows {
            row.state = row.nearest_state();
        }
        self.pivot(QUICK_ROUNDS) && !self.set_friction_bounds()
    }

    /// Solves exactly, with bounds of friction that fit. False where that fails, which is remembered for a
    /// while: a heap that has no answer now will have none in the next sub-step.
    fn find_bounds<const BIASED: bool>(&mut self) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            self.factorised.clear();
            self.is_factorised = false;
            self.place.clear();
            self.place.resize(self.rows.len(), NONE);
            return false;
        }
        for round in 0..FRICTION_ROUNDS {
            let mut moved = self.set_friction_bounds();
            if round > 0 {
                moved |= self.move_anchors::<BIASED>();
            }
            if round > 0 && !moved {
                break;
            }
            if !self.pivot(PIVOT_ROUNDS) {
                if self.rows.len() > LARGE {
                    self.rest = REST;
                    return false;
                }
                self.descend();
            }
        }
        true
    }

    /// Lets compliance give way from the present impulses on where that changes a speed of a mechanism noticeably; true if
    /// it does anywhere. (What others do must not change the last digit of what rests.)
    fn move_anchors<const BIASED: bool>(&mut self) -> bool {
        let mut moved = vec![false; self.mechanism_count];
        for row in self.rows.iter().filter(|row| row.is_anchored::<BIASED>()) {
            moved[row.mechanism as usize] |= (row.compliance * (row.impulse - row.anchor)).abs() > TOLERANCE;
        }
        for row in self.rows.iter_mut().filter(|row| row.is_anchored::<BIASED>()) {
            if moved[row.mechanism as usize] {
                row.move_anchor();
            }
        }
        moved.contains(&true)
    }

    /// Goes down to the least of `x A x / 2 + b x` between the bounds, where pivoting went in circles (projected Newton
    /// steps; D. Bertsekas, 1982): whatever it ends with is nearer than where it began.
    fn descend(&mut self) {
        let mut sweeps = DESCENT_SWEEPS;
        for _ in 0..DESCENT_ROUNDS {
            // Sweeps find which rows leave their bounds, also where a step of all at once does not get on.
            self.sweep::<false>(sweeps);
            let slopes: Vec<f64> = self.rows.iter().map(|row| row.residual(&self.now)).collect();
            let mut steepest = 0.0;
            for (row, &slope) in self.rows.iter_mut().zip(&slopes) {
                row.state = match row.nearest_state() {
                    State::Lower if slope < 0.0 && row.lower < row.upper => State::Free,
                    State::Upper if slope > 0.0 => State::Free,
                    state => state,
                };
                if row.state == State::Free {
                    steepest = max64(steepest, slope.abs());
                }
            }
            if steepest <= TOLERANCE {
                return;
            }
            self.factorise();
            let mut step: Vec<f64> = self.factorised.iter().map(|&index| -slopes[index as usize]).collect();
            self.factor.solve(&mut step);
            sweeps = if self.go_down(&step, &slopes) { DESCENT_SWEEPS } else { (2 * sweeps).min(MOST_SWEEPS) };
        }
    }

    /// Goes along a step of the free rows as far as it goes down, each within its bounds. False if it does not.
    fn go_down(&mut self, step: &[f64], slopes: &[f64]) -> bool {
        let mut part = 1.0;
        let mut changes = vec![0.0; step.len()];
        for _ in 0..HALVINGS {
            let mut moves = vec![[0.0; 3]; self.now.len()];
            // What it gains at first, and what that costs.
            let (mut gain, mut cost) = (0.0, 0.0);
            for ((&index, step), change) in self.factorised.iter().zip(step).zip(&mut changes) {
                let row = &self.rows[index as usize];
                *change = max64(row.lower, min64(row.upper, row.impulse + part * step)) - row.impulse;
                row.push(*change, &self.masses, &mut moves);
                gain -= slopes[index as usize] * *change;
                cost += 0.5 * row.compliance * *change * *change;
            }
            cost += moves.iter().zip(&self.masses).map(|(moved, mass)| kinetic_energy(moved, mass)).sum::<f64>();
            if gain > cost {
                for (&index, change) in self.factorised.iter().zip(&changes) {
                    let row = &mut self.rows[index as usize];
                    row.impulse += change;
                    row.push(*change, &self.masses, &mut self.now);
                }
                return true;
            }
            part *= 0.5;
        }
        false
    }

    /// Finds which rows are at a bound, and the impulses of all. If it does not, all is as before, and the
    /// answer false.
    fn pivot(&mut self, rounds: usize) -> bool {
        let before: Vec<f64> = self.rows.iter().map(|row| row.impulse).collect();
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..rounds {
            self.solve_free();
            // Rows that came out wrong change sides.
            let mut wrong = 0;
            let mut last = None;
            for index in 0..self.rows.len() {
                if let Some(state) = self.other_side(index) {
                    wrong += 1;
                    last = Some((index, state));
                }
            }
            let Some((last, last_state)) = last else { return true };
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else if self.rows.len() <= SMALL {
                self.rows[last].state = last_state;
                continue;
            } else {
                break;
            }
            for index in 0..self.rows.len() {
                if let Some(state) = self.other_side(index) {
                    self.rows[index].state = state;
                }
            }
        }
        self.now.clone_from(&self.free);
        for (row, impulse) in self.rows.iter_mut().zip(before) {
            row.impulse = impulse;
            row.push(impulse, &self.masses, &mut self.now);
        }
        false
    }

    /// Where a row belongs, if not where it is.
    fn other_side(&self, index: usize) -> Option<State> {
        let row = &self.rows[index];
        if row.lower == row.upper {
            return (row.state != State::Lower).then_some(State::Lower);
        }
        match row.state {
            State::Free if row.impulse < row.lower - row.slack => Some(State::Lower),
            State::Free if row.impulse > row.upper + row.slack => Some(State::Upper),
            State::Free => None,
            State::Lower | State::Upper => {
                let w = row.residual(&self.now);
                let held = if row.state == State::Lower { w >= -TOLERANCE } else { w <= TOLERANCE };
                (!held).then_some(State::Free)
            }
        }
    }

    /// Solves the free rows with the others at their bounds.
    fn solve_free(&mut self) {
        self.now.clone_from(&self.free);
        for row in &mut self.rows {
            match row.state {
                State::Free => continue,
                State::Lower => row.impulse = row.lower,
                State::Upper => row.impulse = row.upper,
            }
            row.push(row.impulse, &self.masses, &mut self.now);
        }
        self.factorise();
        let wanted = |&index: &u32| {
            let row = &self.rows[index as usize];
            -(row.speed(&self.now) + row.bias)
        };
        let mut x: Vec<f64> = self.factorised.iter().map(wanted).collect();
        self.factor.solve(&mut x);
        for (&index, impulse) in self.factorised.iter().zip(x) {
            let row = &mut self.rows[index as usize];
            row.impulse = impulse;
            row.push(impulse, &self.masses, &mut self.now);
        }
    }

    /// Factorises `A` for the free rows, in the order of elimination.
    fn factorise(&mut self) {
        let is_free = |&&index: &&u32| self.rows[index as usize].state == State::Free;
        if self.is_factorised && self.sequence.iter().filter(is_free).eq(&self.factorised) {
            return;
        }
        self.factorise_those(|row| row.state == State::Free, |row| row.compliance);
        self.is_factorised = true;
    }

    /// Factorises `J M^-1 J^T` and something on the diagonal for some rows, in the order of elimination.
    fn factorise_those(&mut self, chosen: impl Fn(&SystemRow) -> bool, on_diagonal: impl Fn(&SystemRow) -> f64) {
        self.is_factorised = false;
        self.place.clear();
        self.place.resize(self.rows.len(), NONE);
        self.factorised.clear();
        for &index in &self.sequence {
            if chosen(&self.rows[index as usize]) {
                self.place[index as usize] = self.factorised.len() as u32;
                self.factorised.push(index);
            }
        }
        let System { rows, by_body, masses, place, factor, factorised, .. } = self;
        factor.factorise(factorised.len(), |k, add| {
            let row = &rows[factorised[k as usize] as usize];
            for (body, j) in row.parts() {
                for &(other, slot) in &by_body[body] {
                    let i = place[other as usize];
                    if i < k {
                        let part = &rows[other as usize].jacobian[usize::from(slot)];
                        add(i, weighted(j, &masses[body], part));
                    }
                }
            }
            row.response + on_diagonal(row)
        });
    }

    /// Newton rounds: change impulses so that the rigid rows of joints hold where the bodies will be, mechanism by mechanism.
    fn reach(&mut self, world: &mut World, context: &StepContext) {
        let mut errors = self.errors_ahead(world, context);
        let mut merits = self.merits(|index| errors[index]);
        let mut under_way: Vec<bool> = merits.iter().map(|merit| merit.worst > REACHED).collect();
        let most = self.path_energies();
        for _ in 0..NEWTON_ROUNDS {
            if !under_way.contains(&true) {
                return;
            }
            let before: Vec<f64> = self.rows.iter().map(|row| row.impulse).collect();
            let motions = self.now.clone();
            let wanted = |&index: &u32| match under_way[self.rows[index as usize].mechanism as usize] {
                true => -errors[index as usize] * f64::from(context.inv_h),
                false => 0.0,
            };
            let mut x: Vec<f64> = self.factorised.iter().map(wanted).collect();
            self.factor.solve(&mut x);
            for (&index, change) in self.factorised.iter().zip(x) {
                let row = &mut self.rows[index as usize];
                let kept = max64(row.lower, min64(row.upper, row.impulse + change));
                row.push(kept - row.impulse, &self.masses, &mut self.now);
                row.impulse = kept;
            }
            errors = self.errors_ahead(world, context);
            let costs = self.energies(|body, axis| self.now[body][axis] - motions[body][axis]);
            let reached = self.merits(|index| errors[index]);
            let helped: Vec<bool> = (0..self.mechanism_count)
                .map(|i| under_way[i] && reached[i].sum < 0.5 * merits[i].sum && costs[i] <= most[i])
                .collect();
            // What did not help is undone.
            for (row, before) in self.rows.iter_mut().zip(before) {
                if !helped[row.mechanism as usize] {
                    row.impulse = before;
                }
            }
            for (body, &mechanism) in self.body_mechanisms.iter().enumerate() {
                if mechanism != NONE && !helped[mechanism as usize] {
                    self.now[body] = motions[body];
                }
            }
            for i in 0..self.mechanism_count {
                under_way[i] = helped[i] && reached[i].worst > REACHED;
            }
            merits = reached;
        }
    }

    /// The errors of the rigid rows where the bodies will be at the end of the sub-step.
    fn errors_ahead(&self, world: &mut World, context: &StepContext) -> Vec<f64> {
        let h = context.h;
        let mut states = self.states(world);
        for (state, now) in states.iter_mut().zip(&self.now) {
            state.delta_position += vec2((now[0] * f64::from(h)) as f32, (now[1] * f64::from(h)) as f32);
            state.delta_rotation = state.delta_rotation.turned(now[2] as f32 * h);
        }
        self.errors_at(world, &states, |index| self.place[index] != NONE)
    }

    /// The errors of the rigid rows where the bodies are in these states; 0 for rows that are not asked for.
    fn errors_at(&self, world: &mut World, states: &[BodyState], asked: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut errors = vec![0.0; self.rows.len()];
        let mut rows = RowList::new();
        let mut four = RowList::new();
        let mut loaded = None;
        for (index, row) in self.rows.iter().enumerate() {
            if !row.rigid || !asked(index) {
                continue;
            }
            errors[index] = match row.home {
                Home::Joint { constraint, slot } => {
                    let joint = &mut world.constraints.joints[constraint as usize];
                    if loaded != Some(constraint) {
                        let bodies = read(states, &self.bodies(&joint.bodies));
                        joint.rows(&bodies, &mut rows);
                        loaded = Some(constraint);
                    }
                    error_at(&rows, slot)
                }
                Home::Gear { constraint } => {
                    let gear = &mut world.constraints.gears[constraint as usize];
                    let bodies = read(states, &self.bodies(&gear.bodies));
                    gear.rows(&bodies, &mut four);
                    error_at(&four, 0)
                }
                _ => 0.0,
            };
            // A stop that is left again is no error.
            if row.lower == 0.0 {
                errors[index] = min64(errors[index], 0.0);
            } else if row.upper == 0.0 {
                errors[index] = max64(errors[index], 0.0);
            }
        }
        errors
    }

    /// How far each mechanism is from where it should be.
    fn merits(&self, error: impl Fn(usize) -> f64) -> Vec<Merit> {
        let mut merits = vec![Merit::default(); self.mechanism_count];
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.rigid) {
            let merit = &mut merits[row.mechanism as usize];
            let error = error(index);
            merit.sum += error * error;
            merit.worst = max64(merit.worst, error.abs());
        }
        merits
    }

    /// The kinetic energy that each mechanism has with these velocities of its bodies.
    fn energies(&self, velocity: impl Fn(usize, usize) -> f64) -> Vec<f64> {
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

    /// The most energy that keeping each mechanism on its path can cost: a part of what it has, and what forces give in the
    /// sub-step, which constraints may have to take back.
    fn path_energies(&self) -> Vec<f64> {
        let mut most = self.energies(|body, axis| self.now[body][axis]);
        let kicks = self.energies(|body, axis| self.kicks[body][axis]);
        for (most, kick) in most.iter_mut().zip(kicks) {
            *most = PATH_ENERGY * *most + kick;
        }
        most
    }

    /// Moves bodies to where the rigid rows of joints hold, if they are not there. Leaves their velocities as they are, and
    /// the system loaded anew.
    fn remove_errors(&mut self, world: &mut World, context: &StepContext) {
        let left = self.scope.left;
        let mut merits = self.merits(|index| self.rows[index].error);
        let mut damping: Vec<usize> =
            merits.iter().map(|merit| if merit.worst > left { 0 } else { DAMPING.len() }).collect();
        let moved: Vec<bool> = damping.iter().map(|&level| level < DAMPING.len()).collect();
        if !moved.contains(&true) {
            return;
        }
        let start = self.states(world);
        for _ in 0..PROJECTION_ROUNDS {
            if damping.iter().all(|&level| level == DAMPING.len()) {
                break;
            }
            let before = self.states(world);
            let after = self.projected(&before, &damping);
            let errors = self.errors_at(world, &after, |_| true);
            let reached = self.merits(|index| errors[index]);
            let helped: Vec<bool> = (0..self.mechanism_count).map(|i| reached[i].sum < merits[i].sum).collect();
            let states = &mut world.sets.sets[AWAKE as usize].states;
            for (body, &mechanism) in self.body_mechanisms.iter().enumerate() {
                if mechanism != NONE && damping[mechanism as usize] < DAMPING.len() && helped[mechanism as usize] {
                    let state = &mut states[self.places[body] as usize];
                    state.delta_position = after[body].delta_position;
                    state.delta_rotation = after[body].delta_rotation;
                }
            }
            for (i, level) in damping.iter_mut().enumerate().filter(|(_, level)| **level < DAMPING.len()) {
                *level = if helped[i] { level.saturating_sub(1) } else { *level + 1 };
            }
            self.load::<false>(world, context);
            // A round may take other joints beyond their stops, which is a matter for the next.
            merits = self.merits(|index| self.rows[index].error);
            for (level, _) in damping.iter_mut().zip(&merits).filter(|(_, merit)| merit.worst <= left) {
                *level = DAMPING.len();
            }
        }
        self.keep_angular_momentum(world, &start, moved);
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
    fn keep_angular_momentum(&mut self, world: &World, start: &[BodyState], mut is_free: Vec<bool>) {
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
        let SolverSet { states, sims, .. } = world.sets.awake();
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

    /// The bodies after one round of that, with the level of damping of each mechanism.
    fn projected(&mut self, states: &[BodyState], damping: &[usize]) -> Vec<BodyState> {
        let level = |row: &SystemRow| damping[row.mechanism as usize];
        self.factorise_those(
            |row| row.rigid && level(row) < DAMPING.len(),
            |row| row.response * (COMPLIANCE + DAMPING[level(row)]),
        );
        let mut x: Vec<f64> = self.factorised.iter().map(|&index| -self.rows[index as usize].error).collect();
        self.factor.solve(&mut x);
        let mut moves = vec![[0.0; 3]; self.masses.len()];
        for (&index, x) in self.factorised.iter().zip(x) {
            self.rows[index as usize].push(x, &self.masses, &mut moves);
        }
        let mut turns = vec![0.0; self.mechanism_count];
        for (moved, &mechanism) in moves.iter().zip(&self.body_mechanisms).filter(|(_, number)| **number != NONE) {
            turns[mechanism as usize] = max64(turns[mechanism as usize], moved[2].abs());
        }
        let mut after = states.to_vec();
        for ((state, moved), &mechanism) in after.iter_mut().zip(&moves).zip(&self.body_mechanisms) {
            if mechanism != NONE && state.flags & BodyState::MOVABLE != 0 {
                let part = min64(1.0, PROJECTION_TURN / max64(turns[mechanism as usize], 1.0e-9));
                let [x, y, turn] = moved.map(|moved| (moved * part) as f32);
                state.delta_position += vec2(x, y);
                state.delta_rotation = state.delta_rotation.turned(turn);
            }
        }
        after
    }

    /// Is no body faster than it may be?
    fn keeps_to_limits(&self, context: &StepContext) -> bool {
        let (linear, angular) = (f64::from(context.max_speed), f64::from(context.max_angular_speed));
        self.now.iter().all(|now| now[0] * now[0] + now[1] * now[1] <= linear * linear && now[2].abs() <= angular)
    }

    /// Marks the bodies that contacts push.
    fn mark_loaded(&self, world: &mut World) {
        let states = &mut world.sets.sets[AWAKE as usize].states;
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
    fn store_velocities(&self, world: &mut World) {
        let states = &mut world.sets.sets[AWAKE as usize].states;
        for (&place, now) in self.places.iter().zip(&self.now) {
            let state = &mut states[place as usize];
            if state.flags & BodyState::MOVABLE != 0 {
                state.velocity = vec2(now[0] as f32, now[1] as f32);
                state.angular_velocity = now[2] as f32;
            }
        }
    }

    /// Gives velocities to the bodies and impulses to joints and contacts.
    fn store<const BIASED: bool>(&self, world: &mut World) {
        self.store_velocities(world);
        let states = &mut world.sets.sets[AWAKE as usize].states;
        let Constraints { joints, gears, blocks, extras, .. } = &mut world.constraints;
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

/// How far a mechanism is from where it should be.
#[derive(Clone, Copy, Debug, Default)]
struct Merit {
    /// Sum of the squares of the errors, and the largest.
    sum: f64,
    worst: f64,
}

fn error_at<const N: usize>(rows: &RowList<N>, slot: u8) -> f64 {
    for (group, rows) in rows.groups() {
        if (group.slot..group.slot + group.count).contains(&slot) {
            return f64::from(rows[usize::from(slot - group.slot)].error);
        }
    }
    0.0
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
