//! Impacts rebound.
//!
//! A pair of bouncy surfaces that meets within this sub-step, approaching at `u < 0`, leaves at
//! `-e u`. The impulse `P = -(1 + e) u / K` is applied at once, pair after pair, and then again for
//! pairs that the impulses have thrown together, until nothing approaches: a blow travels through a
//! row of touching balls as it does in a cradle. No such impulse adds energy: the normal one changes
//! it by `P u (1 - e) / 2 <= 0`, friction takes some more. What is left after the last pass is
//! stopped by the solver.
//!
//! Two refinements keep bounces accurate to second order in the sub-step `h`:
//!
//! - Time of impact. The surfaces meet at `t = -s / u`, inside the sub-step, or in the past if the
//!   contact was found late. Positions are integrated with the new velocity over all of `h`, so the
//!   share before `t` is taken back: `x -= t * dv`.
//! - Speed of impact. The velocity in hand is that of the end of the sub-step, forces included; at
//!   `t` it was `u + a (t - h)`.
//!
//! A body at rest meets the floor at the speed that gravity gave it since the last sub-step. That
//! is no impact: approach speeds below `2 |a| h` are left to the solver, and so are those that the
//! load of a resting contact alone would stop twice over, `2 K P_n`.

use super::StepContext;
use crate::body::{BodyState, NONE};
use crate::collide::Reference;
use crate::math::{Vec2, clamp, cross, max, right_perp, vec2};
use crate::solver::{BlockExtras, Constraints, ContactBlock, Movers, Rebound, Solver, at, response};
use crate::world::World;

/// Passes over the contacts per sub-step; a row of touching balls needs one for every two.
const MAX_PASSES: usize = 12;

pub(crate) fn apply_restitution(world: &mut World, context: &StepContext) {
    if matches!(world.def.solver, Solver::Sequential(_)) {
        // It aims at the speed of the rebound itself.
        return;
    }
    let states = &mut world.sets.sets[crate::sets::AWAKE as usize].states;
    let Constraints { blocks, extras, rebounds, blows, .. } = &mut world.constraints;
    if rebounds.is_empty() {
        return;
    }
    blows.start(states.len(), rebounds.len());
    for _ in 0..MAX_PASSES {
        let mut any = false;
        for (place, rebound) in rebounds.iter().enumerate() {
            let (block, extras) = (&mut blocks[rebound.block as usize], &extras[rebound.block as usize]);
            let bodies = block.bodies(rebound.lane as usize);
            if blows.is_settled(place, bodies) {
                continue;
            }
            blows.look(place);
            if rebound_contact(rebound, block, extras, states, context) {
                blows.strike(bodies);
                any = true;
            }
        }
        if !any {
            break;
        }
    }
}

/// When bodies were struck, and when contacts were looked at: a contact whose bodies have not been struck since has
/// nothing new to show. In a heap this leaves few to look at after the first pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blows {
    /// Counts whatever happens.
    now: u32,
    struck: Vec<u32>,
    looked: Vec<u32>,
}

impl Blows {
    fn start(&mut self, bodies: usize, contacts: usize) {
        self.now = 0;
        for (times, count) in [(&mut self.struck, bodies), (&mut self.looked, contacts)] {
            times.clear();
            times.resize(count, 0);
        }
    }

    fn is_settled(&self, contact: usize, bodies: [u32; 2]) -> bool {
        let looked = self.looked[contact];
        // Nobody has looked at time 0.
        looked > 0 && bodies.iter().all(|&body| body == NONE || self.struck[body as usize] <= looked)
    }

    fn look(&mut self, contact: usize) {
        self.now += 1;
        self.looked[contact] = self.now;
    }

    fn strike(&mut self, bodies: [u32; 2]) {
        self.now += 1;
        for body in bodies {
            if body != NONE {
                self.struck[body as usize] = self.now;
            }
        }
    }
}

/// One end of a contact: the body's state and what impulses do to it.
struct End {
    state: BodyState,
    inv_mass: Vec2,
    inv_inertia: f32,
}

impl End {
    fn read(states: &[BodyState], index: u32, (inv_mass, inv_inertia): (Vec2, f32)) -> End {
        let state = if index == NONE { BodyState::REST } else { states[index as usize] };
        End { state, inv_mass, inv_inertia }
    }

    /// Applies an impulse that acts at time `t` of the sub-step.
    fn push(&mut self, arm: Vec2, impulse: Vec2, t: f32) {
        let dv = vec2(self.inv_mass.x * impulse.x, self.inv_mass.y * impulse.y);
        let dw = self.inv_inertia * cross(arm, impulse);
        self.state.velocity += dv;
        self.state.angular_velocity += dw;
        self.state.delta_position -= dv * t;
        self.state.delta_rotation = self.state.delta_rotation.turned(-dw * t);
    }

    fn write(&self, states: &mut [BodyState], index: u32) {
        if index != NONE && self.state.flags & BodyState::MOVABLE != 0 {
            states[index as usize] = self.state;
        }
    }
}

/// A point that is about to rebound.
#[derive(Clone, Copy, Default)]
struct Impact {
    /// Time of impact from the start of the sub-step, and the approach velocity then.
    t: f32,
    u: f32,
    /// From the centres of mass to the point, at that time.
    arms: (Vec2, Vec2),
    impulse: f32,
}

fn rebound_contact(
    rebound: &Rebound,
    block: &mut ContactBlock,
    extras: &BlockExtras,
    states: &mut [BodyState],
    context: &StepContext,
) -> bool {
    let lane = rebound.lane as usize;
    let [index_a, index_b] = block.bodies(lane);
    let normal = at(&block.normal, lane);
    let [inverse_a, inverse_b] = block.inv_masses(extras, lane);
    let mut a = End::read(states, index_a, inverse_a);
    let mut b = End::read(states, index_b, inverse_b);

    let movers = Movers::of((a.inv_mass, a.inv_inertia), (b.inv_mass, b.inv_inertia));

    // Which points meet within the sub-step, when, and how fast.
    let slowest = max(context.restitution_speed, -2.0 * rebound.acceleration * context.h);
    let mut impacts = [None::<Impact>; 2];
    for ((impact, point), k) in impacts.iter_mut().zip(&block.points[..rebound.count as usize]).zip(rebound.k) {
        let (r_a, r_b) = (at(&point.anchor_a, lane), at(&point.anchor_b, lane));
        let velocity = (b.state.velocity_at(r_b) - a.state.velocity_at(r_a)).dot(normal);
        let slowest = max(slowest, 2.0 * k * point.normal_impulse.0[lane]);
        if velocity >= -slowest {
            continue;
        }
        let core_a = a.state.delta_rotation.rotate(r_a - normal * extras.rounding_a.0[lane]);
        let core_b = b.state.delta_rotation.rotate(r_b + normal * extras.rounding_b.0[lane]);
        let moved = b.state.delta_position - a.state.delta_position + core_b - core_a;
        let separation = moved.dot(normal) + point.base_separation.0[lane];
        if separation + velocity * context.h > 0.0 {
            continue;
        }
        // A contact is found at most one step late.
        let t = clamp(separation / -velocity, -context.dt, context.h);
        let u = velocity + rebound.acceleration * (t - context.h);
        if u < -0.5 * slowest && u < 0.0 && point.normal_mass.0[lane] > 0.0 {
            // A corner keeps its place on its own body; the place where it hits the other one's edge
            // depends on when. Two round surfaces meet on the line between their centres.
            let slide = (b.state.velocity - a.state.velocity) * t;
            let arms = match rebound.reference {
                Reference::A(_) => (r_a + slide, r_b),
                Reference::B(_) => (r_a, r_b - slide),
                Reference::None => (r_a, r_b),
            };
            *impact = Some(Impact { t, u, arms, impulse: 0.0 });
        }
    }
    let k = |i: usize, j: usize| match (&impacts[i], &impacts[j]) {
        (Some(at), Some(seen)) => response(movers, normal, at.arms, seen.arms),
        _ => 0.0,
    };
    let matrix = [k(0, 0), k(0, 1), k(1, 1)];
    rebound_impulses(&mut impacts, rebound.restitution, matrix);

    let mut any = false;
    let tangent = right_perp(normal);
    let friction = block.common(extras, lane).friction;
    for (impact, point) in impacts.iter().zip(&mut block.points) {
        let Some(impact) = impact else { continue };
        if impact.impulse <= 0.0 {
            continue;
        }
        any = true;
        a.push(impact.arms.0, -normal * impact.impulse, impact.t);
        b.push(impact.arms.1, normal * impact.impulse, impact.t);
        point.total_impulse.0[lane] += impact.impulse;
    }
    for (impact, point) in impacts.iter().zip(&mut block.points) {
        let Some(impact) = impact else { continue };
        // Friction of the impact, bounded by its own normal impulse.
        let bound = friction * max(impact.impulse, 0.0);
        if bound > 0.0 && point.tangent_mass.0[lane] > 0.0 {
            let velocity = b.state.velocity_at(impact.arms.1) - a.state.velocity_at(impact.arms.0);
            let slip = velocity.dot(tangent) - extras.surface_speed.0[lane];
            let impulse = clamp(-slip / response(movers, tangent, impact.arms, impact.arms), -bound, bound);
            a.push(impact.arms.0, -tangent * impulse, impact.t);
            b.push(impact.arms.1, tangent * impulse, impact.t);
            point.total_tangent.0[lane] += impulse;
        }
    }
    if any {
        a.write(states, index_a);
        b.write(states, index_b);
    }
    any
}

/// The impulses that send the impacting points away at `-e u`.
///
/// Two points of one contact are solved together, or a box that lands flat would start to spin:
/// `K P = -(1 + e) u` with the 2x2 matrix `K`. Where that would need a pull, the faster point
/// rebounds alone and the next pass looks at the other.
fn rebound_impulses(impacts: &mut [Option<Impact>; 2], restitution: f32, [k11, k12, k22]: [f32; 3]) {
    let gain = 1.0 + restitution;
    match impacts {
        [Some(first), Some(second)] => {
            let (d1, d2) = (-gain * first.u, -gain * second.u);
            let det = k11 * k22 - k12 * k12;
            if det > 1.0e-4 * k11 * k22 {
                let inv_det = 1.0 / det;
                first.impulse = (k22 * d1 - k12 * d2) * inv_det;
                second.impulse = (k11 * d2 - k12 * d1) * inv_det;
            }
            if !(first.impulse > 0.0 && second.impulse > 0.0) {
                let first_faster = first.u <= second.u;
                first.impulse = if first_faster { d1 / k11 } else { 0.0 };
                second.impulse = if first_faster { 0.0 } else { d2 / k22 };
            }
        }
        [Some(only), None] => only.impulse = -gain * only.u / k11,
        [None, Some(only)] => only.impulse = -gain * only.u / k22,
        [None, None] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(u: f32) -> Option<Impact> {
        Some(Impact { u, ..Impact::default() })
    }

    /// Both points of a unit box landing flat get the same impulse, and together they stop or turn
    /// its fall: 2 P = (1 + e) m u.
    #[test]
    fn flat_landing_shares_the_impulse() {
        // Unit box, mass 1, inertia 1/6, points at x = -0.5 and 0.5: K = 1 + 6/4, K12 = 1 - 6/4.
        let mut impacts = [hit(-3.0), hit(-3.0)];
        rebound_impulses(&mut impacts, 0.5, [2.5, -0.5, 2.5]);
        let [first, second] = impacts.map(|impact| impact.unwrap().impulse);
        assert_eq!(first, second);
        assert!((first + second - 1.5 * 3.0).abs() < 1.0e-5);
    }

    /// No impulse ever pulls.
    #[test]
    fn impulses_push() {
        for (u1, u2, k12) in [(-5.0, -0.1, 0.9), (-0.1, -5.0, 0.9), (-1.0, -1.0, 1.0), (-2.0, -1.0, -0.9)] {
            let mut impacts = [hit(u1), hit(u2)];
            rebound_impulses(&mut impacts, 1.0, [1.0, k12, 1.0]);
            let impulses = impacts.map(|impact| impact.unwrap().impulse);
            assert!(impulses.iter().all(|&impulse| impulse >= 0.0) && impulses.iter().any(|&impulse| impulse > 0.0));
        }
    }
}
