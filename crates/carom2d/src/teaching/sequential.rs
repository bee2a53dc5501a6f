//! The textbook solver: sequential impulses over the whole step (E. Catto, "Iterative Dynamics with Temporal
//! Coherence", 2005), with the parameters and the two ways of position correction that are taught with it.
//!
//! Per contact point, with normal velocity `u_n` and separation `s`, `n` from a to b:
//!
//! ```text
//! before the passes   target = speed of the rebound, where the approach is faster than rest
//!                     target = -s / dt, where the point is apart and does not rebound: it may close the gap
//!                     target = 0 otherwise
//!                     bias   = epsilon / dt * (-s - kappa), where that is positive and nothing rebounds
//! each pass           P_n += (max(target, bias) - u_n) / K_n,   the sum not below 0
//!                     P_t += -u_t / K_t,                        the sum within mu P_n, after P_n is applied
//! ```
//!
//! A bias adds speed that stays. Split impulses keep it apart: a second set of velocities carries the bias,
//! moves the bodies once, and is forgotten.
//!
//! # Rebounds
//!
//! The textbook aims at `e v`, with `v` the speed of approach at the start of the step. A ball that bounces for ever then
//! gains 7 % of its height at each bounce from 1 m, because what gravity did in the step is taken away with the
//! approach, and a lossy one comes out wrong by how deep it was when the step began. The law holds at the surface,
//! and at the time at which it is reached. With the relative acceleration `a` along the normal, a point that is at `s` with
//! the speed `v` has passed, or will pass, the surface with
//!
//! ```text
//! v_0^2 = v^2 - 2 a s
//! ```
//!
//! and to leave it with `e v_0`, it has to be at `s` with `w`, where `w^2 = (e v_0)^2 + 2 a s`. So it rebounds where it is
//! when the step begins, with `w`, and flies freely from there: `target = w + a dt` at the end of the step. Of the two
//! steps before and after the surface is reached, the one is taken that begins nearer to that time.
//!
//! Only what flies freely is accelerated by its forces. What carries a load or hangs on a joint is held against them.
//!
//! # Paths
//!
//! The step moves bodies by `dt v`, with `v` of its end. Along the normal that is what the passes aimed at: what lands ends
//! on the surface. Along the tangent, a body that slides under a steady load has slowed down evenly, from `v_0`, and has
//! gone `dt (v_0 + v) / 2`; without the difference, its way until it stops would be too short by `v_0 dt / 2`, 4 % of that
//! of a box at 2 m/s with friction 0.5. So what slides is moved by the difference, `-dt (v - v_0) / 2`, along the
//! tangent. What sticks to something fixed or driven goes where that goes.

use crate::body::{BodyState, NONE};
use crate::contact::ContactPoint;
use crate::math::{Vec2, clamp, cross, max, min, right_perp};
use crate::solver::{Batch, Correction, Coupled, Mobility, Movers, Sequential, at, response};
use crate::stage::StepContext;
use crate::stage::joints::solve_joints;
use carom_wide::LANES;

/// A contact point with what the passes need.
#[derive(Clone, Debug)]
pub(crate) struct PointConstraint {
    block: u32,
    lane: u8,
    point: u8,
    bodies: [u32; 2],
    inv_masses: [(Vec2, f32); 2],
    arms: [Vec2; 2],
    normal: Vec2,
    normal_mass: f32,
    tangent_mass: f32,
    /// What an impulse at one point of the contact does to the other.
    shared: f32,
    friction: f32,
    surface_speed: f32,
    /// Speed that the passes aim at, and that positions ask for.
    target: f32,
    bias: f32,
    /// It takes part in an impact: what it does in this step is not to be expected again.
    is_impact: bool,
    /// It flies freely after that.
    rebounds: bool,
    /// Sums of impulses: normal, tangent, and of the split ones.
    normal_impulse: f32,
    tangent_impulse: f32,
    push: f32,
}

/// Passes go on, up to so many times as many, ...
const MORE: u32 = 10;
/// ... until they change speeds by no more than this fraction of what gravity gives in a step. What rests needs no more
/// than it is given, because it starts from the impulses of the last step. Where a pass leaves nine tenths of the error,
/// as in a stack of eight, ten times as much is still missing. Chosen by trying: at ten times this value stacks of seven
/// and eight sway by 2 mm, at this one by less than 0.2 mm (random stacks of 2 to 8 boxes).
const SETTLED: f32 = 1.0e-4;

pub(crate) fn solve_sequential(
    batch: &mut Batch<'_>,
    settings: Sequential,
    points: &mut Vec<PointConstraint>,
    context: &StepContext,
) {
    gather_points(batch, settings, context, points);
    let free: Vec<Vec2> = batch.states.iter().map(|state| state.velocity).collect();
    for point in &*points {
        point.start(batch.states);
    }
    let settled = SETTLED * context.fall;
    for pass in 0..MORE * settings.iterations {
        solve_joints::<true>(batch, context);
        let states = &mut *batch.states;
        let mut changed = 0.0;
        in_turn(points, pass, |points| changed = max(changed, solve(points, states)));
        if pass + 1 >= settings.iterations && changed <= settled {
            break;
        }
    }
    follow_paths(batch, context, points, &free);
    if settings.correction != Correction::Bias {
        split(batch.states, context, settings, points);
    }
    for point in &*points {
        let block = &mut batch.blocks[point.block as usize];
        let (lane, to) = (usize::from(point.lane), &mut block.points[usize::from(point.point)]);
        let kept = if point.is_impact { 0.0 } else { 1.0 };
        to.normal_impulse.0[lane] = kept * point.normal_impulse;
        to.tangent_impulse.0[lane] = kept * point.tangent_impulse;
        to.total_impulse.0[lane] = point.normal_impulse;
        to.total_tangent.0[lane] = point.tangent_impulse;
    }
    if let Some(Coupled { joints, .. }) = &mut batch.coupled {
        joints.joints.iter_mut().for_each(|joint| joint.add_up(batch.states));
        joints.gears.iter_mut().for_each(|gear| gear.add_up(batch.states));
    }
}

/// Goes through the contacts with their points, in every other pass from the last to the first: what a pass leaves over
/// is on the side that came first.
fn in_turn(points: &mut [PointConstraint], pass: u32, mut work: impl FnMut(&mut [PointConstraint])) {
    let contacts = points.chunk_by_mut(|one, two| (one.block, one.lane) == (two.block, two.lane));
    if pass.is_multiple_of(2) { contacts.for_each(&mut work) } else { contacts.rev().for_each(&mut work) }
}

/// One record per point that is near.
fn gather_points(batch: &Batch<'_>, settings: Sequential, context: &StepContext, points: &mut Vec<PointConstraint>) {
    points.clear();
    let Some(Coupled { contacts, .. }) = &batch.coupled else { return };
    let held = held_bodies(batch);
    for (index, (block, extras)) in (0u32..).zip(batch.blocks.iter().zip(&*batch.extras)) {
        for lane in block.lanes() {
            let contact = &contacts[extras.contact[lane]];
            let inv_masses = block.inv_masses(extras, lane);
            let movers = Movers::of(inv_masses[0], inv_masses[1]);
            let (normal, bodies) = (at(&block.normal, lane), block.bodies(lane));
            let pull = |place: u32| {
                let is_held = held.get(place as usize).copied().unwrap_or(true);
                let sim = batch.bodies.get(place as usize).filter(|_| !is_held);
                sim.map_or(Vec2::ZERO, |sim| sim.acceleration(context.gravity))
            };
            let acceleration = (pull(bodies[1]) - pull(bodies[0])).dot(normal);
            let from = &contact.manifold.points[..usize::from(contact.manifold.count)];
            let arms_of = |point: &ContactPoint| (point.anchor_a, point.anchor_b);
            let shared = from
                .first()
                .zip(from.last())
                .map_or(0.0, |(first, last)| response(movers, normal, arms_of(first), arms_of(last)));
            let hit = Hit::of(context, from, contact.material.restitution, acceleration);
            for (slot, from) in (0u8..).zip(from) {
                let arms = [from.anchor_a, from.anchor_b];
                let mass = |u: Vec2| {
                    let k = response(movers, u, (arms[0], arms[1]), (arms[0], arms[1]));
                    if k > 0.0 { 1.0 / k } else { 0.0 }
                };
                let Some(aim) = hit.aim(from) else { continue };
                let depth = if aim.is_impact { 0.0 } else { max(0.0, -from.separation - settings.slop) };
                let bias = clamp(settings.push * context.inv_h * depth, 0.0, context.push_out_speed);
                // What leaves by itself needs no push.
                let leaving = max(0.0, from.approach_velocity);
                let block_point = &block.points[usize::from(slot)];
                points.push(PointConstraint {
                    block: index,
                    lane: lane as u8,
                    point: slot,
                    bodies,
                    inv_masses,
                    arms,
                    normal,
                    normal_mass: mass(normal),
                    tangent_mass: mass(right_perp(normal)),
                    shared,
                    friction: contact.material.friction,
                    surface_speed: contact.material.surface_speed,
                    target: if settings.correction == Correction::Bias && bias > 0.0 { bias } else { aim.speed },
                    bias: max(0.0, bias - leaving),
                    is_impact: aim.is_impact,
                    rebounds: aim.rebounds,
                    normal_impulse: block_point.normal_impulse.0[lane],
                    tangent_impulse: block_point.tangent_impulse.0[lane],
                    push: 0.0,
                });
            }
        }
    }
}

/// Which awake bodies do not fly freely: they carried a load in the last step, or hang on a joint.
fn held_bodies(batch: &Batch<'_>) -> Vec<bool> {
    let mut held: Vec<bool> = batch.states.iter().map(|state| state.flags & BodyState::JOINTED != 0).collect();
    for block in &*batch.blocks {
        for lane in block.lanes() {
            if block.points.iter().any(|point| point.normal_impulse.0[lane] > 0.0) {
                for body in block.bodies(lane).into_iter().filter(|&body| body != NONE) {
                    held[body as usize] = true;
                }
            }
        }
    }
    held
}

/// What a point aims at.
struct Aim {
    /// Its normal speed at the end of the step.
    speed: f32,
    is_impact: bool,
    rebounds: bool,
}

/// How the points of a contact meet.
struct Hit {
    /// Below this speed nothing rebounds: gravity gives it to what rests.
    rest_speed: f32,
    restitution: f32,
    /// Of b against a along the normal, in free flight.
    acceleration: f32,
    dt: f32,
    /// How much of the step points may be away from the surface to rebound in it. Points that meet within the same step
    /// rebound together: a box that falls flat would be turned by a corner that is ahead by a rounding error.
    window: f32,
}

impl Hit {
    fn of(context: &StepContext, points: &[ContactPoint], restitution: f32, acceleration: f32) -> Hit {
        let (fall, dt) = (context.gravity.length() * context.dt, context.dt);
        let rest_speed = max(context.restitution_speed, 2.0 * fall);
        let is_near = |point: &ContactPoint| point.separation <= -0.5 * point.approach_velocity * dt;
        let window = if points.iter().any(is_near) { 1.0 } else { 0.5 };
        Hit { rest_speed, restitution, acceleration, dt, window }
    }

    /// What a point aims at; nothing if it will meet, and rebound, in the next step.
    fn aim(&self, point: &ContactPoint) -> Option<Aim> {
        let (separation, approach) = (point.separation, -point.approach_velocity);
        let is_impact = approach > self.rest_speed;
        let stop = Aim { speed: min(0.0, -separation / self.dt), is_impact, rebounds: false };
        if approach <= self.rest_speed || self.restitution == 0.0 {
            return Some(stop);
        }
        if separation > self.window * approach * self.dt {
            return None;
        }
        let work = 2.0 * self.acceleration * separation;
        let at_surface = max(0.0, approach * approach - work);
        let rebound = max(0.0, self.restitution * self.restitution * at_surface + work).sqrt();
        let speed = rebound + self.acceleration * self.dt;
        Some(if speed > stop.speed { Aim { speed, is_impact: true, rebounds: true } } else { stop })
    }
}

impl PointConstraint {
    /// The velocity of b's point against a's.
    fn velocity(&self, motions: &[(Vec2, f32); 2]) -> Vec2 {
        let at = |i: usize| motions[i].0 + crate::math::cross_sv(motions[i].1, self.arms[i]);
        at(1) - at(0)
    }

    fn apply(&self, impulse: Vec2, motions: &mut [(Vec2, f32); 2]) {
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            let (inv_mass, inv_inertia) = self.inv_masses[i];
            motions[i].0 += inv_mass * impulse * sign;
            motions[i].1 += inv_inertia * cross(self.arms[i], impulse) * sign;
        }
    }

    fn motions(&self, states: &[BodyState]) -> [(Vec2, f32); 2] {
        self.bodies.map(|body| {
            let state = if body == NONE { &BodyState::REST } else { &states[body as usize] };
            (state.velocity, state.angular_velocity)
        })
    }

    fn write(&self, motions: [(Vec2, f32); 2], states: &mut [BodyState]) {
        for (&body, motion) in self.bodies.iter().zip(motions) {
            if body != NONE && states[body as usize].flags & BodyState::MOVABLE != 0 {
                (states[body as usize].velocity, states[body as usize].angular_velocity) = motion;
            }
        }
    }

    /// Applies the impulses of the last step again.
    fn start(&self, states: &mut [BodyState]) {
        let mut motions = self.motions(states);
        let impulse = self.normal * self.normal_impulse + right_perp(self.normal) * self.tangent_impulse;
        self.apply(impulse, &mut motions);
        self.write(motions, states);
    }

    fn slides(&self) -> bool {
        self.tangent_impulse.abs() >= AT_BOUND * self.friction * self.normal_impulse
    }

    /// Friction, which sees the velocities that the normal impulse left.
    fn rub(&mut self, motions: &mut [(Vec2, f32); 2]) {
        let tangent = right_perp(self.normal);
        let speed = self.velocity(motions).dot(tangent) - self.surface_speed;
        let bound = self.friction * self.normal_impulse;
        let sum = clamp(self.tangent_impulse - self.tangent_mass * speed, -bound, bound);
        self.apply(tangent * (sum - self.tangent_impulse), motions);
        self.tangent_impulse = sum;
    }
}

/// Solves the points of a contact. Returns by how much that changed their normal speed.
fn solve(points: &mut [PointConstraint], states: &mut [BodyState]) -> f32 {
    let mut motions = points[0].motions(states);
    let before = motions;
    push(points, &mut motions, |point| (&mut point.normal_impulse, point.target));
    let speeds =
        points.iter().map(|point| (point.velocity(&motions) - point.velocity(&before)).dot(point.normal).abs());
    let changed = speeds.fold(0.0, max);
    points.iter_mut().for_each(|point| point.rub(&mut motions));
    points[0].write(motions, states);
    changed
}

/// Changes the normal impulses of a contact so that its points are at least as fast as they aim at. `what` says which
/// impulse that is about, and the aim.
///
/// Two points are solved together: one after the other, what the first is given would turn the bodies, always the
/// same way, and a stack would lean.
fn push(
    points: &mut [PointConstraint],
    motions: &mut [(Vec2, f32); 2],
    what: impl Fn(&mut PointConstraint) -> (&mut f32, f32),
) {
    let missing = |point: &mut PointConstraint, motions: &[(Vec2, f32); 2]| {
        let speed = point.velocity(motions).dot(point.normal);
        let (sum, aim) = what(point);
        (*sum, aim - speed)
    };
    if let [one, two] = points {
        let ((sum_1, missing_1), (sum_2, missing_2)) = (missing(one, motions), missing(two, motions));
        let sums = solve_two(
            [1.0 / one.normal_mass, 1.0 / two.normal_mass],
            one.shared,
            [sum_1, sum_2],
            [missing_1, missing_2],
        );
        if let Some([new_1, new_2]) = sums {
            one.apply(one.normal * (new_1 - sum_1), motions);
            two.apply(two.normal * (new_2 - sum_2), motions);
            (*what(one).0, *what(two).0) = (new_1, new_2);
            return;
        }
    }
    for point in points {
        let (sum, missing) = missing(point, motions);
        let new = max(0.0, sum + point.normal_mass * missing);
        point.apply(point.normal * (new - sum), motions);
        *what(point).0 = new;
    }
}

/// Below this fraction of what it could be the determinant of two points says that they are as good as one.
const MIN_DETERMINANT: f32 = 0.01;

/// The impulses `x >= 0` of two points with `K x >= b`, each either zero or as large as `b` asks for, where `b` is what
/// the present impulses leave missing, and what they do themselves. None where the points are as good as one.
fn solve_two(k: [f32; 2], shared: f32, sums: [f32; 2], missing: [f32; 2]) -> Option<[f32; 2]> {
    let determinant = k[0] * k[1] - shared * shared;
    // Points of what cannot move are NaN here.
    if !(determinant > MIN_DETERMINANT * k[0] * k[1] && determinant.is_finite()) {
        return None;
    }
    let b = [missing[0] + k[0] * sums[0] + shared * sums[1], missing[1] + shared * sums[0] + k[1] * sums[1]];
    let both = [(k[1] * b[0] - shared * b[1]) / determinant, (k[0] * b[1] - shared * b[0]) / determinant];
    if both[0] >= 0.0 && both[1] >= 0.0 {
        return Some(both);
    }
    let first = [max(0.0, b[0] / k[0]), 0.0];
    let second = [0.0, max(0.0, b[1] / k[1])];
    if shared * first[0] >= b[1] { Some(first) } else { Some(second) }
}

/// How a body got through the step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    /// Nothing carried it, or it rebounded: the parabola of free flight.
    Free,
    /// What carried it has this normal: it slid across it.
    Slides(Vec2),
    /// Carried from different sides, or by something that it sticks to: straight.
    Held,
}

/// Sines of angles between normals up to this belong to one plane.
const ONE_PLANE: f32 = 0.01;
/// Friction that reaches this share of its bound slides: the bound changes with the normal impulse until the last pass.
const AT_BOUND: f32 = 0.999;

impl Path {
    fn carried(self, normal: Vec2) -> Path {
        match self {
            Path::Free => Path::Slides(normal),
            Path::Slides(other) if cross(normal, other).abs() <= ONE_PLANE => self,
            Path::Slides(_) | Path::Held => Path::Held,
        }
    }
}

/// Moves bodies that were carried from where the rule of free flight has put them to where they slid. `free` has the
/// velocities before the first impulse.
fn follow_paths(batch: &mut Batch<'_>, context: &StepContext, points: &[PointConstraint], free: &[Vec2]) {
    let Batch { states, masses, drives, .. } = batch;
    let paths = find_paths(points, states);
    for (i, (state, path)) in states.iter_mut().zip(paths).enumerate() {
        let full = masses.get(i).is_some_and(|mass| mass.mobility == Mobility::Full);
        if !full || state.flags & BodyState::JOINTED != 0 {
            continue;
        }
        match path {
            Path::Free => {}
            Path::Held => state.delta_position = Vec2::ZERO,
            Path::Slides(normal) => {
                let before = free[i] - at(&drives[i / LANES].kick, i % LANES);
                let tangent = right_perp(normal);
                state.delta_position = tangent * (-0.5 * context.h * (state.velocity - before).dot(tangent));
            }
        }
    }
}

/// The path of each body.
fn find_paths(points: &[PointConstraint], states: &[BodyState]) -> Vec<Path> {
    let mut paths = vec![Path::Free; states.len()];
    let carrying = || points.iter().filter(|point| point.normal_impulse > 0.0);
    for point in carrying() {
        for body in point.bodies.into_iter().filter(|&body| body != NONE) {
            paths[body as usize] = paths[body as usize].carried(point.normal);
        }
    }
    // What sticks to what is held is held. The end of a stack learns of it last.
    let leads = |path: &[Path], body: u32| {
        body == NONE || states[body as usize].flags & BodyState::MOVABLE == 0 || path[body as usize] == Path::Held
    };
    let mut any = true;
    while any {
        any = false;
        for point in carrying().filter(|point| !point.slides()) {
            for [body, other] in [point.bodies, [point.bodies[1], point.bodies[0]]] {
                if !leads(&paths, body) && leads(&paths, other) {
                    paths[body as usize] = Path::Held;
                    any = true;
                }
            }
        }
    }
    for point in carrying().filter(|point| point.rebounds) {
        for body in point.bodies.into_iter().filter(|&body| body != NONE) {
            paths[body as usize] = Path::Free;
        }
    }
    paths
}

/// Pushes overlapping bodies apart with velocities of their own, which move them once.
fn split(states: &mut [BodyState], context: &StepContext, settings: Sequential, points: &mut [PointConstraint]) {
    let mut pushes = vec![(Vec2::ZERO, 0.0_f32); states.len()];
    for pass in 0..settings.iterations {
        in_turn(points, pass, |points| {
            let read = |body: u32| if body == NONE { (Vec2::ZERO, 0.0) } else { pushes[body as usize] };
            let mut motions = points[0].bodies.map(read);
            push(points, &mut motions, |point| (&mut point.push, point.bias));
            for (&body, motion) in points[0].bodies.iter().zip(motions) {
                if body != NONE {
                    pushes[body as usize] = motion;
                }
            }
        });
    }
    for (state, (velocity, angular_velocity)) in states.iter_mut().zip(pushes) {
        state.delta_position += velocity * context.h;
        state.delta_rotation = state.delta_rotation.turned(angular_velocity * context.h);
    }
}
