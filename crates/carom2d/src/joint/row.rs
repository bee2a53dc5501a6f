//! The equations of joints, one row each.
//!
//! A row says how far the bodies are from where they should be, and how that changes:
//!
//! ```text
//! error       C(positions)                          in metres or radians
//! change      dC/dt = J v = sum over bodies  j.linear . v + j.angular * w
//! response    K = J M^-1 J^T                        what a unit impulse does to J v
//! impulse     P along the row changes body i by  M_i^-1 j_i P
//! ```
//!
//! Rows that must hold together form a group and are solved as one system of up to three equations; what
//! is left between groups, and between joints, the repeated passes settle. A group obeys one [`Rule`].
//!
//! A spring of frequency `f` and damping ratio `z` pulls with `F = -k (C + q h J v') - c J v'`, where `v'`
//! are the velocities after the pull, `k = w^2 / K`, `c = 2 z w / K`, `w = 2 pi f`. With `q = 0` this is the
//! symplectic rule, which loses no energy but is stable only while `h w` is small; with `q = 1` it is
//! the implicit rule, stable always and damped by itself. `q` goes from one to the other as `h w` grows.

use super::{Limits, Motor, Spring};
use crate::body::BodyState;
use crate::math::{Vec2, clamp, cross, max, min};
use crate::solver::Softness;

/// Most rows that a joint has: also the number of impulses it remembers.
pub(crate) const MAX_ROWS: usize = 6;

/// How a body's velocity enters a row: its part of `J`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jacobian {
    pub(crate) linear: Vec2,
    pub(crate) angular: f32,
}

impl Jacobian {
    /// The velocity along `u` of the point at `arm` from the centre of mass.
    #[inline]
    pub(crate) fn point(u: Vec2, arm: Vec2) -> Jacobian {
        Jacobian { linear: u, angular: cross(arm, u) }
    }

    #[inline]
    pub(crate) fn scaled(self, factor: f32) -> Jacobian {
        Jacobian { linear: self.linear * factor, angular: self.angular * factor }
    }
}

/// One equation of a joint between `BODIES` bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<const BODIES: usize> {
    /// `C`.
    pub(crate) error: f32,
    /// `J`, a part for each body.
    pub(crate) jacobian: [Jacobian; BODIES],
    /// The speed that a motor or drive gives to `J v`.
    pub(crate) speed: f32,
}

impl<const BODIES: usize> Row<BODIES> {
    /// The speed of a motor that ends at its limit within the sub-step at the earliest.
    #[inline]
    pub(crate) fn speed_up_to_limit(&self, inv_h: f32) -> f32 {
        let most = self.error * inv_h;
        if self.speed > 0.0 { min(self.speed, most) } else { max(self.speed, most) }
    }
}

/// The condition on a group of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// `C = 0`, as rigid as the joint is.
    Rigid,
    /// The same, but the last row is a stop: `C >= 0`.
    RigidAbove,
    /// The same, but the last row is a stop: `C <= 0`.
    RigidBelow,
    /// `C` is pulled to 0 by a spring, `J v` damped towards the rows' speed.
    Spring { hertz: f32, damping_ratio: f32 },
    /// `J v` is the rows' speed.
    Drive,
    /// The same, but not farther than to a limit, which is away by the error. Motor and limit act along the same row: one that
    /// drives into the other would only load it.
    DriveUpTo,
}

impl Rule {
    /// Which way the last row may move freely: +1, -1, or 0 where it is no stop.
    #[inline]
    pub(crate) fn free_side(self) -> f32 {
        match self {
            Rule::RigidAbove => 1.0,
            Rule::RigidBelow => -1.0,
            _ => 0.0,
        }
    }
}

/// Rows that are solved together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The place of the first row's impulse among those that the joint remembers.
    pub(crate) slot: u8,
    pub(crate) first: u8,
    pub(crate) count: u8,
    pub(crate) rule: Rule,
    /// Largest force or torque; all rows of a group share it.
    pub(crate) max_force: f32,
}

/// The rows of one joint, in the order they are solved.
#[derive(Clone, Debug)]
pub(crate) struct RowList<const BODIES: usize> {
    rows: [Row<BODIES>; MAX_ROWS],
    row_count: u8,
    groups: [Group; MAX_ROWS],
    group_count: u8,
}

impl<const BODIES: usize> RowList<BODIES> {
    pub(crate) const fn new() -> RowList<BODIES> {
        const STILL: Jacobian = Jacobian { linear: Vec2::ZERO, angular: 0.0 };
        RowList {
            rows: [Row { error: 0.0, jacobian: [STILL; BODIES], speed: 0.0 }; MAX_ROWS],
            row_count: 0,
            groups: [Group { slot: 0, first: 0, count: 0, rule: Rule::Rigid, max_force: f32::INFINITY }; MAX_ROWS],
            group_count: 0,
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.row_count = 0;
        self.group_count = 0;
    }

    /// Adds a group whose impulses are remembered from `slot` on.
    #[inline]
    pub(crate) fn push<const N: usize>(&mut self, slot: u8, rule: Rule, max_force: f32, rows: [Row<BODIES>; N]) {
        let first = self.row_count;
        for row in rows {
            self.rows[usize::from(self.row_count)] = row;
            self.row_count += 1;
        }
        self.groups[usize::from(self.group_count)] = Group { slot, first, count: N as u8, rule, max_force };
        self.group_count += 1;
    }

    pub(crate) fn for_each_row(&mut self, change: impl FnMut(&mut Row<BODIES>)) {
        self.rows[..usize::from(self.row_count)].iter_mut().for_each(change);
    }

    #[inline]
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&Group, &[Row<BODIES>])> {
        self.groups[..usize::from(self.group_count)].iter().map(|group| {
            let first = usize::from(group.first);
            (group, &self.rows[first..first + usize::from(group.count)])
        })
    }

    /// Adds spring and motor of one coordinate of a joint: `value` is where it stands.
    #[inline]
    pub(crate) fn push_coordinate(&mut self, slot: u8, jacobian: [Jacobian; BODIES], value: f32, extras: Extras) {
        if let Some((spring, target)) = extras.spring {
            let rule = Rule::Spring { hertz: spring.hertz, damping_ratio: spring.damping_ratio };
            self.push(slot, rule, f32::INFINITY, [Row { error: value - target, jacobian, speed: 0.0 }]);
        }
        if let Some(motor) = extras.motor {
            let (rule, error) = match extras.limits {
                Some(limits) if motor.speed > 0.0 => (Rule::DriveUpTo, max(limits.upper - value, 0.0)),
                Some(limits) => (Rule::DriveUpTo, min(limits.lower - value, 0.0)),
                None => (Rule::Drive, 0.0),
            };
            self.push(slot + 1, rule, motor.max_force, [Row { error, jacobian, speed: motor.speed }]);
        }
    }

    /// Adds rows that must be zero, and the limits of a coordinate with them: only the nearer one can be
    /// reached, and what holds it acts on the others.
    #[inline]
    pub(crate) fn push_limited<const N: usize, const N1: usize>(
        &mut self,
        rigid: [Row<BODIES>; N],
        jacobian: [Jacobian; BODIES],
        value: f32,
        limits: Option<Limits>,
    ) {
        const { assert!(N1 == N + 1) };
        let Some(limits) = limits else {
            return self.push(0, Rule::Rigid, f32::INFINITY, rigid);
        };
        let (above, below) = (value - limits.lower, limits.upper - value);
        let (rule, error) = if limits.lower == limits.upper {
            (Rule::Rigid, above)
        } else if above <= below {
            (Rule::RigidAbove, above)
        } else {
            (Rule::RigidBelow, -below)
        };
        let stop = Row { error, jacobian, speed: 0.0 };
        let rows: [Row<BODIES>; N1] = std::array::from_fn(|i| if i < N { rigid[i] } else { stop });
        self.push(0, rule, f32::INFINITY, rows);
    }
}

/// What a free coordinate of a joint may have beside its limits. Needs two places for impulses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// A spring and the value it pulls to.
    pub(crate) spring: Option<(Spring, f32)>,
    pub(crate) motor: Option<Motor>,
    /// Where the motor ends.
    pub(crate) limits: Option<Limits>,
}

/// Inverse mass per axis and inverse inertia of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InverseMass {
    pub(crate) linear: Vec2,
    pub(crate) angular: f32,
}

/// What the solver of rows needs to know of the sub-step and the joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    pub(crate) h: f32,
    pub(crate) inv_h: f32,
    /// With feedback from positions, or without.
    pub(crate) biased: bool,
    /// Of what is rigid.
    pub(crate) softness: Softness,
}

/// `J v`.
#[inline]
pub(crate) fn velocity<const BODIES: usize>(row: &Row<BODIES>, bodies: &[BodyState; BODIES]) -> f32 {
    let mut sum = 0.0;
    for (part, body) in row.jacobian.iter().zip(bodies) {
        sum += part.linear.dot(body.velocity) + part.angular * body.angular_velocity;
    }
    sum
}

/// An entry of `K`: what a unit impulse along one row does to the velocity along another.
#[inline]
pub(crate) fn response<const BODIES: usize>(
    row: &Row<BODIES>,
    other: &Row<BODIES>,
    masses: &[InverseMass; BODIES],
) -> f32 {
    let mut sum = 0.0;
    for ((p, q), mass) in row.jacobian.iter().zip(&other.jacobian).zip(masses) {
        sum += p.linear.x * mass.linear.x * q.linear.x
            + p.linear.y * mass.linear.y * q.linear.y
            + p.angular * mass.angular * q.angular;
    }
    sum
}

/// Applies an impulse along a row.
#[inline]
pub(crate) fn push<const BODIES: usize>(
    row: &Row<BODIES>,
    impulse: f32,
    masses: &[InverseMass; BODIES],
    bodies: &mut [BodyState; BODIES],
) {
    for ((part, mass), body) in row.jacobian.iter().zip(masses).zip(bodies) {
        body.velocity += mass.linear * part.linear * impulse;
        body.angular_velocity += mass.angular * part.angular * impulse;
    }
}

/// Solves one group: changes velocities and the group's impulses. `start_errors` are the errors at the
/// start of the sub-step, on which springs go.
pub(crate) fn solve_group<const BODIES: usize>(
    (group, rows): (&Group, &[Row<BODIES>]),
    start_errors: &[f32],
    impulses: &mut [f32],
    masses: &[InverseMass; BODIES],
    bodies: &mut [BodyState; BODIES],
    pass: &Pass,
) {
    let count = rows.len();
    // What the change of impulse must do to J v, as the system K (change) = wanted.
    let mut wanted = [0.0; 3];
    let mut k = [[0.0; 3]; 3];
    for i in 0..count {
        for j in 0..=i {
            k[i][j] = response(&rows[i], &rows[j], masses);
            k[j][i] = k[i][j];
        }
    }
    // The share of the impulse so far that is given back.
    let mut given_back = [0.0; 3];
    let free_side = group.rule.free_side();
    let is_stop = |i: usize| free_side != 0.0 && i + 1 == count;
    for (i, row) in rows.iter().enumerate() {
        let speed = velocity(row, bodies);
        wanted[i] = match group.rule {
            Rule::Spring { hertz, damping_ratio } => {
                let rate = SpringRate::new(hertz, damping_ratio, pass.h);
                given_back[i] = rate.keep;
                -rate.pull * start_errors[i] - rate.drag * (speed - row.speed)
            }
            Rule::Drive => row.speed - speed,
            Rule::DriveUpTo => row.speed_up_to_limit(pass.inv_h) - speed,
            // A stop that is not reached yet may be reached at most.
            _ if is_stop(i) && row.error * free_side > 0.0 => -(speed + row.error * pass.inv_h),
            _ if pass.biased => {
                given_back[i] = pass.softness.impulse_scale;
                -pass.softness.mass_scale * (speed + pass.softness.bias_rate * row.error)
            }
            _ => -speed,
        };
    }
    let mut sums = [0.0; 3];
    let mut change = solve_symmetric(&k, &wanted, count);
    for i in 0..count {
        sums[i] = impulses[i] + change[i] - given_back[i] * impulses[i];
    }
    if count > 0 && sums[count - 1] * free_side < 0.0 {
        // The stop would have to pull: the others are solved without it.
        let last = count - 1;
        sums[last] = 0.0;
        for i in 0..last {
            wanted[i] += k[i][last] * impulses[last];
        }
        change = solve_symmetric(&k, &wanted, last);
        for i in 0..last {
            sums[i] = impulses[i] + change[i] - given_back[i] * impulses[i];
        }
    }
    let most = group.max_force * pass.h;
    if count == 1 {
        sums[0] = clamp(sums[0], -most, most);
    } else if most < f32::INFINITY {
        let length = sums[..count].iter().map(|sum| sum * sum).sum::<f32>().sqrt();
        if length > most {
            let scale = most / length;
            sums[..count].iter_mut().for_each(|sum| *sum *= scale);
        }
    }
    for i in 0..count {
        push(&rows[i], sums[i] - impulses[i], masses, bodies);
        impulses[i] = sums[i];
    }
}

/// A spring over a sub-step: `change = -(pull C + drag J v) / K - keep P`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpringRate {
    pub(crate) pull: f32,
    pub(crate) drag: f32,
    pub(crate) keep: f32,
}

impl SpringRate {
    pub(crate) fn of(spring: Spring, h: f32) -> SpringRate {
        SpringRate::new(spring.hertz, spring.damping_ratio, h)
    }

    pub(crate) fn new(hertz: f32, damping_ratio: f32, h: f32) -> SpringRate {
        let omega = 2.0 * std::f32::consts::PI * hertz;
        let s = (h * omega) * (h * omega);
        // Symplectic up to h w = 1/2; bodies that hang on many springs swing faster than each alone.
        let q = max(0.0, min(1.0, s - 0.25));
        let soft = q * s + 2.0 * damping_ratio * omega * h;
        let keep = 1.0 / (1.0 + soft);
        SpringRate { pull: h * omega * omega * keep, drag: soft * keep, keep }
    }
}

/// Share of a diagonal that elimination in single precision leaves of nothing: some sixteen units in the last place.
pub(crate) const ROUNDING: f32 = 1.0e-6;

/// Solves `k x = b` for the first `n` unknowns by elimination. A direction in which nothing can move
/// gets no impulse.
pub(crate) fn solve_symmetric(k: &[[f32; 3]; 3], b: &[f32; 3], n: usize) -> [f32; 3] {
    let mut k = *k;
    let mut x = *b;
    let diagonal = [k[0][0], k[1][1], k[2][2]];
    for i in 0..n {
        // What is left of the diagonal by rounding alone is nothing.
        if k[i][i] <= ROUNDING * diagonal[i] || k[i][i] <= 0.0 {
            k[i][i] = 0.0;
            continue;
        }
        // What is below the diagonal is what is above it.
        for j in i + 1..n {
            let factor = k[i][j] / k[i][i];
            for c in j..n {
                k[j][c] -= factor * k[i][c];
            }
            x[j] -= factor * x[i];
        }
    }
    for i in (0..n).rev() {
        let mut sum = x[i];
        for j in i + 1..n {
            sum -= k[i][j] * x[j];
        }
        x[i] = if k[i][i] > 0.0 { sum / k[i][i] } else { 0.0 };
    }
    x
}
