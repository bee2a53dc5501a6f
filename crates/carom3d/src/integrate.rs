//! How states follow from forces: five integrators over the coupled state of a cluster.
//!
//! A cluster is all the movers that springs join; one without springs is a cluster of its own. Position, velocity and
//! angular velocity are integrated as they are. The orientation is `exp(theta) q0` with `q0` that at the start, and
//! what is integrated is the rotation vector `theta`, whose rate follows from the angular velocity `w` (world axes):
//!
//! `theta' = w - theta x w / 2 + theta x (theta x w) / 12 + O(theta^4 w)`
//!
//! So orientations stay on the unit sphere, a constant `w` is followed exactly, and Runge-Kutta keeps its order.
//!
//! Symbols: `h` length of the step, `k_i` rates at stage i.

mod implicit;

use crate::body::{BodyId, BodyState, Mover, MoverId, NONE};
use crate::compliant::{Part, Press};
use crate::disjoint::DisjointSets;
use crate::force::ForceField;
use crate::inertia::Inertia;
use crate::math::{DVec3, Quat};
use crate::path::Path;
use crate::spring::Cluster;
use crate::stage::impacts::Prediction;
use crate::stage::rest::OldLoad;
use crate::stage::shared::Circle;
use crate::stage::survey::Outcome;
use crate::world::World;
use carom_core::{Id, Pool};
use std::sync::Arc;

/// How the world goes from one moment to the next between impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Classical Runge-Kutta of order 4: forces are computed four times per step. The default; exact for constant
    /// forces, and error of order h^4 for springs.
    #[default]
    RungeKutta4,
    /// Velocity Verlet, order 2: forces are computed twice. Keeps the energy of springs in bounds for ever.
    VelocityVerlet,
    /// Velocities first, then positions with the new velocities; order 1. Keeps the energy of springs in bounds.
    SymplecticEuler,
    /// Positions and velocities with the old rates; order 1. Springs gain energy: for comparison only.
    ExplicitEuler,
    /// Velocities with the forces at the end of the step, backward Euler; order 1. Springs lose energy, and none is too
    /// stiff for the step.
    ImplicitEuler,
}

impl Integrator {
    /// All integrators.
    pub const ALL: [Integrator; 5] = [
        Integrator::RungeKutta4,
        Integrator::VelocityVerlet,
        Integrator::SymplecticEuler,
        Integrator::ExplicitEuler,
        Integrator::ImplicitEuler,
    ];

    /// The integrator of a name, long or short, as in a command line.
    pub fn from_name(name: &str) -> Option<Integrator> {
        Integrator::ALL.into_iter().find(|integrator| name == integrator.name() || name == integrator.short_name())
    }

    /// The short name, as in a command line.
    pub const fn short_name(self) -> &'static str {
        match self {
            Integrator::RungeKutta4 => "rk4",
            Integrator::VelocityVerlet => "verlet",
            Integrator::SymplecticEuler => "symplectic",
            Integrator::ExplicitEuler => "euler",
            Integrator::ImplicitEuler => "implicit",
        }
    }

    /// The name, as in a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Integrator::RungeKutta4 => "runge-kutta-4",
            Integrator::VelocityVerlet => "velocity-verlet",
            Integrator::SymplecticEuler => "symplectic-euler",
            Integrator::ExplicitEuler => "explicit-euler",
            Integrator::ImplicitEuler => "implicit-euler",
        }
    }
}

/// Rates of change of velocity and angular velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Acceleration {
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

/// Rates of change of a state.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    velocity: DVec3,
    /// Of the rotation vector.
    turning: DVec3,
    acceleration: Acceleration,
}

/// Room for the stages, kept from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    members: Vec<u32>,
    inverses: Vec<(f64, Inertia)>,
    start: Vec<BodyState>,
    stage: Vec<BodyState>,
    /// Rotation vector of each stage.
    theta: Vec<DVec3>,
    accelerations: Vec<Acceleration>,
    rates: Vec<Rate>,
    sums: Vec<Rate>,
    /// First impacts, found side by side.
    pub(crate) predictions: Vec<Vec<Prediction>>,
    /// Movers, and bodies whose boxes meet theirs.
    pub(crate) partners: Vec<Vec<(u32, u32)>>,
    /// Contacts that parted.
    pub(crate) parted: Vec<u32>,
    /// Movers that left their boxes.
    pub(crate) left: Vec<u32>,
    /// Movers with new paths.
    pub(crate) changed: Vec<u32>,
    /// What came of the contacts that are near, part by part, and all of it together.
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) resting: Vec<u32>,
    pub(crate) turned: Vec<OldLoad>,
    /// Of an impact: movers that feel it, those that it hits, those with new boxes, contacts that rest after it.
    pub(crate) struck: Vec<u32>,
    pub(crate) hit: Vec<u32>,
    pub(crate) affected: Vec<u32>,
    pub(crate) relaxed: Vec<u32>,
    pub(crate) circle: Circle,
    pub(crate) parts: Vec<Part>,
    pub(crate) presses: Vec<Press>,
    /// Movers that fall asleep together, those of them that may not, and who is in which group.
    pub(crate) groups: DisjointSets,
    pub(crate) restless: Vec<bool>,
    pub(crate) sleepers: Vec<(u32, u32)>,
}

/// All that the forces on a cluster depend on besides its states.
struct Forces<'a> {
    gravity: DVec3,
    fields: &'a [Arc<dyn ForceField>],
    movers: &'a Pool<Mover, MoverId>,
    body_ids: &'a dyn Fn(u32) -> BodyId,
    members: &'a [u32],
    cluster: Option<&'a Cluster>,
    /// Whether forces depend on orientations.
    need_orientations: bool,
}

impl Forces<'_> {
    /// The accelerations of all members in these states. `contact_share` is 1, or 0 to leave contact forces out.
    fn accelerations(
        &self,
        states: &[BodyState],
        inverses: &[(f64, Inertia)],
        time_s: f64,
        contact_share: f64,
        out: &mut [Acceleration],
    ) {
        for (place, &index) in self.members.iter().enumerate() {
            let mover = &self.movers[index];
            out[place] = Acceleration::default();
            if mover.is_kinematic() {
                continue;
            }
            let (inv_mass, inertia) = &inverses[place];
            let state = &states[place];
            let mut force = mover.force + mover.contact_force * contact_share;
            let mut torque = mover.torque + mover.contact_torque * contact_share;
            for field in self.fields {
                let wrench = field.wrench((self.body_ids)(mover.body), mover.mass, state, time_s);
                force += wrench.force;
                torque += wrench.torque;
            }
            out[place].linear =
                self.gravity * mover.gravity_scale + force * *inv_mass - state.velocity * mover.linear_damping;
            out[place].angular = inertia.respond(state.orientation, torque)
                + inertia.coast(state.orientation, state.angular_velocity)
                - state.angular_velocity * mover.angular_damping;
        }
        for spring in self.cluster.map_or(&[][..], |cluster| &cluster.springs) {
            spring.pull(states, inverses, out);
        }
    }
}

/// The rate of the rotation vector at `theta` under the angular velocity `w`.
#[inline]
fn turning_rate(theta: DVec3, w: DVec3) -> DVec3 {
    let first = theta.cross(w);
    w - first * 0.5 + theta.cross(first) * (1.0 / 12.0)
}

#[inline]
fn turned(orientation: Quat, theta: DVec3) -> Quat {
    if theta == DVec3::ZERO { orientation } else { Quat::from_rotation_vector(theta).compose(orientation).normalized() }
}

/// Brings `scratch.start` forward by `h`; the result is in `scratch.stage`.
fn advance(integrator: Integrator, forces: &Forces<'_>, time_s: f64, h: f64, scratch: &mut Scratch) {
    match integrator {
        Integrator::RungeKutta4 => runge_kutta(forces, time_s, h, scratch),
        Integrator::VelocityVerlet => velocity_verlet(forces, time_s, h, scratch),
        Integrator::SymplecticEuler | Integrator::ExplicitEuler => euler(integrator, forces, time_s, h, scratch),
        Integrator::ImplicitEuler => implicit::backward_euler(forces, time_s, h, scratch),
    }
}

/// `y1 = y0 + h/6 (k1 + 2 k2 + 2 k3 + k4)`, stages at `y0`, `y0 + h/2 k1`, `y0 + h/2 k2`, `y0 + h k3`.
fn runge_kutta(forces: &Forces<'_>, time_s: f64, h: f64, scratch: &mut Scratch) {
    const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];
    let Scratch { inverses, start, stage, theta, accelerations, rates, sums, .. } = scratch;
    let count = start.len();
    rates.clear();
    rates.resize(count, Rate::default());
    sums.clear();
    sums.resize(count, Rate::default());
    for (fraction, weight) in STAGES {
        let step = fraction * h;
        for i in 0..count {
            stage[i] = moved(&start[i], &rates[i], step);
            theta[i] = rates[i].turning * step;
            if forces.need_orientations {
                stage[i].orientation = turned(start[i].orientation, theta[i]);
            }
        }
        forces.accelerations(stage, inverses, time_s + step, 1.0, accelerations);
        for i in 0..count {
            rates[i] = Rate {
                velocity: stage[i].velocity,
                turning: turning_rate(theta[i], stage[i].angular_velocity),
                acceleration: accelerations[i],
            };
            sums[i].velocity += rates[i].velocity * weight;
            sums[i].turning += rates[i].turning * weight;
            sums[i].acceleration.linear += rates[i].acceleration.linear * weight;
            sums[i].acceleration.angular += rates[i].acceleration.angular * weight;
        }
    }
    for i in 0..count {
        stage[i] = moved(&start[i], &sums[i], h);
        stage[i].orientation = turned(start[i].orientation, sums[i].turning * h);
    }
}

/// What Runge-Kutta comes to under a constant force and torque, at a fraction of the cost: `x0 + h v0 + h^2/2 a`, and
/// `theta = h w0 + h^2/2 b + h^3/12 b x w0` with `b` the angular acceleration.
fn fall(mover: &Mover, gravity: DVec3, h: f64) -> BodyState {
    let state = &mover.state;
    if mover.is_kinematic() {
        let theta = state.angular_velocity * h;
        let (position, orientation) = (state.position + state.velocity * h, turned(state.orientation, theta));
        return BodyState { position, orientation, ..*state };
    }
    let a = gravity * mover.gravity_scale + (mover.force + mover.contact_force) * mover.inv_mass;
    let b = (mover.torque + mover.contact_torque) * mover.inv_inertia;
    let w = state.angular_velocity;
    let theta = w * h + b * (0.5 * h * h) + b.cross(w) * (h * h * h * (1.0 / 12.0));
    BodyState {
        position: state.position + state.velocity * h + a * (0.5 * h * h),
        orientation: turned(state.orientation, theta),
        velocity: state.velocity + a * h,
        angular_velocity: w + b * h,
    }
}

/// The orientation that Runge-Kutta comes to for one body under a constant torque, after `h` seconds: where a body that is
/// not round will have turned to, without moving it there.
pub(crate) fn turned_after(mover: &Mover, h: f64) -> Quat {
    let BodyState { orientation, angular_velocity: w, .. } = mover.state;
    let torque = mover.torque + mover.contact_torque;
    let rate_at = |theta: DVec3, w: DVec3| {
        let turned = turned(orientation, theta);
        let angular =
            mover.inertia.respond(turned, torque) + mover.inertia.coast(turned, w) - w * mover.angular_damping;
        (turning_rate(theta, w), angular)
    };
    let k1 = rate_at(DVec3::ZERO, w);
    let k2 = rate_at(k1.0 * (0.5 * h), w + k1.1 * (0.5 * h));
    let k3 = rate_at(k2.0 * (0.5 * h), w + k2.1 * (0.5 * h));
    let k4 = rate_at(k3.0 * h, w + k3.1 * h);
    turned(orientation, (k1.0 + (k2.0 + k3.0) * 2.0 + k4.0) * (h / 6.0))
}

/// Without a torque a body keeps its energy of rotation. The integrators nearly do, and would let a tumbling box gain a
/// little over the years: the last digits are put right by the length of the angular velocity.
fn keep_spin_energy(inertia: &Inertia, start: &BodyState, end: &mut BodyState) {
    let energy =
        |state: &BodyState| inertia.momentum(state.orientation, state.angular_velocity).dot(state.angular_velocity);
    let (before, after) = (energy(start), energy(end));
    // Not finite for what nothing can turn.
    if before > 0.0 && after > 0.0 && before.is_finite() && after.is_finite() {
        end.angular_velocity *= (before / after).sqrt();
    }
}

/// Position and velocities after `h` at a constant rate; the orientation as it was.
#[inline]
fn moved(state: &BodyState, rate: &Rate, h: f64) -> BodyState {
    BodyState {
        position: state.position + rate.velocity * h,
        orientation: state.orientation,
        velocity: state.velocity + rate.acceleration.linear * h,
        angular_velocity: state.angular_velocity + rate.acceleration.angular * h,
    }
}

/// `x1 = x0 + h v0 + h^2/2 a0`, then `v1 = v0 + h/2 (a0 + a1)`, with `a1` at `x1` and `v0 + h a0`.
fn velocity_verlet(forces: &Forces<'_>, time_s: f64, h: f64, scratch: &mut Scratch) {
    let Scratch { inverses, start, stage, accelerations, rates, .. } = scratch;
    forces.accelerations(start, inverses, time_s, 1.0, accelerations);
    rates.clear();
    for (i, state) in start.iter().enumerate() {
        let a0 = accelerations[i];
        rates.push(Rate { acceleration: a0, ..Rate::default() });
        let theta = state.angular_velocity * h + a0.angular * (0.5 * h * h);
        stage[i] = BodyState {
            position: state.position + state.velocity * h + a0.linear * (0.5 * h * h),
            orientation: turned(state.orientation, theta),
            velocity: state.velocity + a0.linear * h,
            angular_velocity: state.angular_velocity + a0.angular * h,
        };
    }
    forces.accelerations(stage, inverses, time_s + h, 1.0, accelerations);
    for (i, state) in start.iter().enumerate() {
        let (a0, a1) = (rates[i].acceleration, accelerations[i]);
        stage[i].velocity = state.velocity + (a0.linear + a1.linear) * (0.5 * h);
        stage[i].angular_velocity = state.angular_velocity + (a0.angular + a1.angular) * (0.5 * h);
    }
}

/// `v1 = v0 + h a0` and `x1 = x0 + h v`, with the new velocity if symplectic and the old if explicit.
fn euler(integrator: Integrator, forces: &Forces<'_>, time_s: f64, h: f64, scratch: &mut Scratch) {
    let Scratch { inverses, start, stage, accelerations, .. } = scratch;
    forces.accelerations(start, inverses, time_s, 1.0, accelerations);
    for (i, state) in start.iter().enumerate() {
        let velocity = state.velocity + accelerations[i].linear * h;
        let angular_velocity = state.angular_velocity + accelerations[i].angular * h;
        let symplectic = integrator == Integrator::SymplecticEuler;
        let (v, w) = if symplectic { (velocity, angular_velocity) } else { (state.velocity, state.angular_velocity) };
        stage[i] = BodyState {
            position: state.position + v * h,
            orientation: turned(state.orientation, w * h),
            velocity,
            angular_velocity,
        };
    }
}

impl Mover {
    /// Whether nothing but constant forces act on it, fields left out.
    pub(crate) fn falls_alone(&self) -> bool {
        self.cluster == NONE && self.inertia.is_round() && self.linear_damping == 0.0 && self.angular_damping == 0.0
    }

    /// Half of what constant forces on it, contacts left out, add to its speed in a step.
    pub(crate) fn find_rest_speed(&mut self, gravity: DVec3, step_length_s: f64) {
        let acceleration = gravity * self.gravity_scale + self.force * self.inv_mass;
        self.rest_speed = if self.is_kinematic() { 0.0 } else { acceleration.length() * (0.5 * step_length_s) };
    }

    /// Finds where it will be at the end of the step, under constant forces, and the path there.
    pub(crate) fn plan_fall(&mut self, gravity: DVec3, step_length_s: f64) {
        let h = step_length_s - self.clock_s;
        let end = fall(self, gravity, h);
        self.take_path(end, h, true);
    }

    /// Takes the path that leads to a state in `h` seconds, or none if that is out of the range of numbers.
    fn take_path(&mut self, end: BodyState, h: f64, is_cubic: bool) {
        self.serial = self.serial.wrapping_add(1);
        self.is_path_stale = false;
        if !end.is_sound() || self.is_broken {
            self.is_broken = true;
            self.end = BodyState { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..self.state };
            self.path = Path::still(self.state.position);
            self.reach = 0.0;
            return;
        }
        self.end = end;
        let (x0, v0) = (self.state.position, self.state.velocity);
        // The integrators of lower order move along parabolas that need not end with the final velocity.
        let v1 = if is_cubic || h == 0.0 { end.velocity } else { (end.position - x0) * (2.0 / h) - v0 };
        self.path = Path::between(x0, v0, end.position, v1, h);
        self.reach = self.path.length_bound();
    }
}

impl World {
    /// Calls `work` with the forces on a mover's cluster and scratch room that holds the members and their states.
    fn with_forces(&mut self, mover: u32, work: impl FnOnce(&Forces<'_>, &mut Scratch)) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let lone = [mover];
        let cluster = self.clusters.get(self.movers[mover].cluster as usize);
        let members = cluster.map_or(&lone[..], |cluster| &cluster.members[..]);
        let body_ids = |body: u32| self.bodies.id_at(body).unwrap_or_else(|| Id::new(body, 0, 0));
        let forces = Forces {
            gravity: self.def.gravity,
            fields: &self.fields,
            movers: &self.movers,
            body_ids: &body_ids,
            members,
            cluster,
            need_orientations: cluster.is_some() || !self.fields.is_empty() || !self.movers[mover].inertia.is_round(),
        };
        scratch.members.clear();
        scratch.members.extend_from_slice(members);
        scratch.start.clear();
        scratch.inverses.clear();
        for &member in members {
            let member = &self.movers[member];
            scratch.start.push(member.state);
            scratch.inverses.push((member.inv_mass, member.inertia));
        }
        scratch.stage.clone_from(&scratch.start);
        scratch.theta.resize(members.len(), DVec3::ZERO);
        scratch.accelerations.resize(members.len(), Acceleration::default());
        work(&forces, &mut scratch);
        self.scratch = scratch;
    }

    /// Half of what the forces on each member of a cluster, contacts left out, add to its speed in a step.
    pub(crate) fn update_rest_speeds(&mut self, mover: u32) {
        let (time_s, half_step) = (self.time_s + self.movers[mover].clock_s, 0.5 * self.step_length_s);
        if self.feels_constant_forces(mover) {
            self.movers[mover].find_rest_speed(self.def.gravity, self.step_length_s);
            return;
        }
        self.with_forces(mover, |forces, scratch| {
            let Scratch { start, inverses, accelerations, .. } = scratch;
            forces.accelerations(start, inverses, time_s, 0.0, accelerations);
        });
        for place in 0..self.scratch.members.len() {
            let speed = self.scratch.accelerations[place].linear.length() * half_step;
            self.movers[self.scratch.members[place]].rest_speed = speed;
        }
    }

    /// Brings a mover, and with it its cluster, to a time of the step.
    pub(crate) fn bring_to(&mut self, mover: u32, time_s: f64) {
        let h = time_s - self.movers[mover].clock_s;
        if h <= 0.0 || !self.movers[mover].is_awake() {
            return;
        }
        self.integrate(mover, h);
        for place in 0..self.scratch.members.len() {
            let state = self.scratch.stage[place];
            let member = &mut self.movers[self.scratch.members[place]];
            member.clock_s = time_s;
            if state.is_sound() {
                member.state = state;
            } else {
                member.is_broken = true;
            }
        }
    }

    /// Finds where a mover's cluster will be at the end of the step, and the paths there.
    pub(crate) fn plan(&mut self, mover: u32) {
        let h = self.step_length_s - self.movers[mover].clock_s;
        let is_cubic = self.def.integrator == Integrator::RungeKutta4;
        self.integrate(mover, h);
        for place in 0..self.scratch.members.len() {
            let end = self.scratch.stage[place];
            self.movers[self.scratch.members[place]].take_path(end, h, is_cubic);
        }
    }

    fn feels_constant_forces(&self, mover: u32) -> bool {
        self.fields.is_empty() && self.movers[mover].falls_alone()
    }

    /// The members and their states after `h` seconds are then in the scratch room.
    fn integrate(&mut self, mover: u32, h: f64) {
        let integrator = self.def.integrator;
        if integrator == Integrator::RungeKutta4 && self.feels_constant_forces(mover) {
            let end = fall(&self.movers[mover], self.def.gravity, h);
            self.scratch.members.clear();
            self.scratch.members.push(mover);
            self.scratch.stage.clear();
            self.scratch.stage.push(end);
            return;
        }
        let time_s = self.time_s + self.movers[mover].clock_s;
        self.with_forces(mover, |forces, scratch| advance(integrator, forces, time_s, h, scratch));
        if self.feels_no_torque(mover) {
            let (moved, inertia) = (&mut self.scratch.stage[0], self.movers[mover].inertia);
            keep_spin_energy(&inertia, &self.movers[mover].state, moved);
        }
    }

    fn feels_no_torque(&self, mover: u32) -> bool {
        let mover = &self.movers[mover];
        mover.cluster == NONE
            && self.fields.is_empty()
            && mover.angular_damping == 0.0
            && mover.torque + mover.contact_torque == DVec3::ZERO
    }
}
