//! The textbook solver: sequential impulses over the whole step (E. Catto, "Iterative Dynamics with Temporal
//! Coherence", 2005), with the parameters and the two ways of position correction that are taught with it.
//!
//! Per contact point, with normal velocity `u_n` and separation `s`, `n` from a to b:
//!
//! ```text
//! before the passes   target = e * approach speed, where that is more than rest; else 0
//!                     bias   = epsilon / dt * (-s - kappa), where that is positive
//! each pass           P_n += (max(target, bias) - u_n) / K_n,   the sum not below 0
//!                     P_t += -u_t / K_t,                        the sum within mu P_n, after P_n is applied
//! ```
//!
//! A bias adds speed that stays. Split impulses keep it apart: a second set of velocities carries the bias,
//! moves the bodies once, and is forgotten.

use super::StepContext;
use crate::body::{BodyState, NONE};
use crate::math::{Vec2, clamp, cross, max, right_perp};
use crate::sets::AWAKE;
use crate::solver::{Correction, Movers, Sequential, at, response};
use crate::world::World;

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
    friction: f32,
    surface_speed: f32,
    /// Speed that the passes aim at, and that positions ask for.
    target: f32,
    bias: f32,
    /// Sums of impulses: normal, tangent, and of the split ones.
    normal_impulse: f32,
    tangent_impulse: f32,
    push: f32,
}

pub(crate) fn solve_sequential(world: &mut World, context: &StepContext, settings: Sequential) {
    let mut points = std::mem::take(&mut world.constraints.points);
    gather_points(world, context, settings, &mut points);
    let states = &mut world.sets.sets[AWAKE as usize].states;
    for point in &points {
        point.start(states);
    }
    for _ in 0..settings.iterations {
        super::joints::solve_joints::<true>(world, context);
        let states = &mut world.sets.sets[AWAKE as usize].states;
        for point in &mut points {
            let aim = match settings.correction {
                Correction::Bias => max(point.target, point.bias),
                Correction::Split | Correction::FirstImpact => point.target,
            };
            point.solve(states, aim);
        }
    }
    if settings.correction != Correction::Bias {
        split(world, context, settings, &mut points);
    }
    for point in &points {
        let block = &mut world.constraints.blocks[point.block as usize];
        let (lane, to) = (usize::from(point.lane), &mut block.points[usize::from(point.point)]);
        to.normal_impulse.0[lane] = point.normal_impulse;
        to.tangent_impulse.0[lane] = point.tangent_impulse;
        to.total_impulse.0[lane] = point.normal_impulse;
        to.total_tangent.0[lane] = point.tangent_impulse;
    }
    let states = &world.sets.sets[AWAKE as usize].states;
    for joint in &mut world.constraints.joints {
        joint.add_up(states);
    }
    for gear in &mut world.constraints.gears {
        gear.add_up(states);
    }
    world.constraints.points = points;
}

/// One record per point that touches. Points that are apart are none of this solver's business.
fn gather_points(world: &World, context: &StepContext, settings: Sequential, points: &mut Vec<PointConstraint>) {
    points.clear();
    for (index, (block, extras)) in (0u32..).zip(world.constraints.blocks.iter().zip(&world.constraints.extras)) {
        for lane in block.lanes() {
            let contact = &world.contacts[extras.contact[lane]];
            let inv_masses = block.inv_masses(extras, lane);
            let movers = Movers::of(inv_masses[0], inv_masses[1]);
            let normal = at(&block.normal, lane);
            for (slot, from) in (0u8..).zip(&contact.manifold.points[..usize::from(contact.manifold.count)]) {
                if from.separation > 0.0 {
                    continue;
                }
                let arms = [from.anchor_a, from.anchor_b];
                let mass = |u: Vec2| {
                    let k = response(movers, u, (arms[0], arms[1]), (arms[0], arms[1]));
                    if k > 0.0 { 1.0 / k } else { 0.0 }
                };
                let bodies = block.bodies(lane);
                // Below this speed nothing rebounds: gravity gives it to what rests.
                let rest = max(world.def.restitution_speed, 2.0 * context.gravity.length() * context.dt);
                let approach = -from.approach_velocity;
                let target = if approach > rest { contact.material.restitution * approach } else { 0.0 };
                let depth = max(0.0, -from.separation - settings.slop);
                let bias = clamp(settings.push * context.inv_h * depth, 0.0, context.push_out_speed);
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
                    friction: contact.material.friction,
                    surface_speed: contact.material.surface_speed,
                    target,
                    bias,
                    normal_impulse: block_point.normal_impulse.0[lane],
                    tangent_impulse: block_point.tangent_impulse.0[lane],
                    push: 0.0,
                });
            }
        }
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

    fn solve(&mut self, states: &mut [BodyState], aim: f32) {
        let mut motions = self.motions(states);
        let speed = self.velocity(&motions).dot(self.normal);
        let sum = max(0.0, self.normal_impulse + self.normal_mass * (aim - speed));
        self.apply(self.normal * (sum - self.normal_impulse), &mut motions);
        self.normal_impulse = sum;

        // Friction, which sees the velocities that the normal impulse left.
        let tangent = right_perp(self.normal);
        let speed = self.velocity(&motions).dot(tangent) - self.surface_speed;
        let bound = self.friction * sum;
        let sum = clamp(self.tangent_impulse - self.tangent_mass * speed, -bound, bound);
        self.apply(tangent * (sum - self.tangent_impulse), &mut motions);
        self.tangent_impulse = sum;
        self.write(motions, states);
    }
}

/// Pushes overlapping bodies apart with velocities of their own, which move them once.
fn split(world: &mut World, context: &StepContext, settings: Sequential, points: &mut [PointConstraint]) {
    let states = &mut world.sets.sets[AWAKE as usize].states;
    let mut pushes = vec![(Vec2::ZERO, 0.0_f32); states.len()];
    for _ in 0..settings.iterations {
        for point in points.iter_mut() {
            let read = |body: u32| if body == NONE { (Vec2::ZERO, 0.0) } else { pushes[body as usize] };
            let mut motions = point.bodies.map(read);
            let speed = point.velocity(&motions).dot(point.normal);
            let sum = max(0.0, point.push + point.normal_mass * (point.bias - speed));
            point.apply(point.normal * (sum - point.push), &mut motions);
            point.push = sum;
            for (&body, motion) in point.bodies.iter().zip(motions) {
                if body != NONE {
                    pushes[body as usize] = motion;
                }
            }
        }
    }
    for (state, (velocity, angular_velocity)) in states.iter_mut().zip(pushes) {
        state.delta_position += velocity * context.h;
        state.delta_rotation = state.delta_rotation.turned(angular_velocity * context.h);
    }
}
