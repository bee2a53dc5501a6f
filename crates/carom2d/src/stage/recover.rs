//! Bodies that overlap deeply are moved apart, without any speed being left of it.
//!
//! Soft contacts push bodies out of each other by a speed, which the relaxed pass takes away again. That is
//! right where an overlap is small. In a heap of bodies that were put at one place the pushes add up along
//! every row, one pass cannot take them away, and what is left throws the heap apart. So a contact that
//! overlaps deeply, and all others of its bodies, do not push at all while velocities are solved: they only
//! keep the bodies from approaching. Here, after the last sub-step, the bodies are moved by a second set of
//! velocities, which starts at rest, moves them once and is forgotten. Per point, with separation `s`:
//!
//! ```text
//! overlapping   u_n >= min(rate * (-s - slop) / dt, push_out_speed)
//! apart         u_n >= -s / dt
//! ```
//!
//! solved by sequential impulses. Nothing is moved faster than `push_out_speed`.

use super::StepContext;
use crate::body::{BodyKind, BodyState, NONE};
use crate::collide::LINEAR_SLOP;
use crate::contact::Contact;
use crate::math::{Vec2, clamp, cross, cross_sv, max, min, vec2};
use crate::sets::AWAKE;
use crate::solver::{BlockExtras, ContactBlock};
use crate::world::World;
use carom_wide::Wide2;

/// Share of an overlap that a step takes away.
const RATE: f32 = 0.4;
/// Passes over all points: a push travels that far through a heap in a step.
const PASSES: usize = 12;

/// Overlaps of this size in metres are deep for large bodies, and none below the other is deep for small ones.
const DEEPEST: f32 = 0.05;
pub(crate) const SHALLOWEST: f32 = 2.0 * LINEAR_SLOP;

/// True for a contact that overlaps by more than a load explains, a quarter of the inner extent of what can
/// move, beyond what an impact does that was found a step late.
pub(crate) fn is_deep(world: &World, contact: &Contact, dt: f32) -> bool {
    let manifold = &contact.manifold;
    let below = |depth: f32| {
        let points = &manifold.points[..manifold.count as usize];
        points.iter().any(|point| point.separation < min(0.0, point.approach_velocity * dt) - depth)
    };
    // Hardly any contact gets beyond this line.
    if !below(SHALLOWEST) {
        return false;
    }
    let inner = |body: u32, shape: u32| match world.bodies[body].kind {
        BodyKind::Dynamic => world.shapes[shape].geometry.inner_extent(),
        _ => f32::INFINITY,
    };
    let inner = min(inner(contact.body_a, contact.shape_a), inner(contact.body_b, contact.shape_b));
    below(clamp(0.25 * inner, SHALLOWEST, DEEPEST))
}

/// A contact that is looked after here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovery {
    pub(crate) block: u32,
    pub(crate) lane: u32,
}

/// Leaves the pushing of a contact to this stage.
pub(crate) fn take_over(block: &mut ContactBlock, extras: &mut BlockExtras, lane: usize) {
    block.vary(extras);
    extras.varied.push_out.0[lane] = 0.0;
    extras.varied.mass_scale.0[lane] = 1.0;
    for point in &mut block.points {
        point.softening.0[lane] = 0.0;
    }
}

/// One point of such a contact. Velocities and impulses are those of the second set.
#[derive(Clone, Debug)]
struct Push {
    bodies: [u32; 2],
    inv_masses: [(Vec2, f32); 2],
    arms: [Vec2; 2],
    normal: Vec2,
    mass: f32,
    /// Speed along the normal that is asked for.
    target: f32,
    impulse: f32,
}

pub(crate) fn push_apart(world: &mut World, context: &StepContext) {
    if world.constraints.recoveries.is_empty() {
        return;
    }
    let Pushes { mut pushes, mut motions } = std::mem::take(&mut world.constraints.pushes);
    gather_pushes(world, context, &mut pushes);
    let states = &mut world.sets.sets[AWAKE as usize].states;
    motions.clear();
    motions.resize(states.len(), (Vec2::ZERO, 0.0));
    for _ in 0..PASSES {
        for push in &mut pushes {
            push.solve(&mut motions, states);
        }
    }
    let awake = world.sets.awake_mut();
    for ((state, sim), (velocity, spin)) in awake.states.iter_mut().zip(&awake.sims).zip(&motions) {
        let speed = velocity.length() + spin.abs() * sim.extent;
        if speed > 0.0 {
            let time = context.dt * min(1.0, context.push_out_speed / speed);
            state.delta_position += velocity * time;
            state.delta_rotation = state.delta_rotation.turned(spin * time);
        }
    }
    world.constraints.pushes = Pushes { pushes, motions };
}

/// Memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pushes {
    pushes: Vec<Push>,
    /// The second set of velocities, one for each awake body.
    motions: Vec<(Vec2, f32)>,
}

fn gather_pushes(world: &World, context: &StepContext, pushes: &mut Vec<Push>) {
    let states = &world.sets.sets[AWAKE as usize].states;
    pushes.clear();
    for recovery in &world.constraints.recoveries {
        let (index, lane) = (recovery.block as usize, recovery.lane as usize);
        let (block, extras) = (&world.constraints.blocks[index], &world.constraints.extras[index]);
        let pick = |w: &Wide2| vec2(w.x.0[lane], w.y.0[lane]);
        let bodies = block.bodies(lane);
        let [a, b] = bodies.map(|body| if body == NONE { BodyState::REST } else { states[body as usize] });
        let inv_masses = block.inv_masses(extras, lane);
        let normal = pick(&block.normal);
        for point in block.points.iter().filter(|point| point.normal_mass.0[lane] > 0.0) {
            let arms = [pick(&point.anchor_a), pick(&point.anchor_b)];
            let core_a = a.delta_rotation.rotate(arms[0] - normal * extras.rounding_a.0[lane]);
            let core_b = b.delta_rotation.rotate(arms[1] + normal * extras.rounding_b.0[lane]);
            let moved = b.delta_position - a.delta_position + core_b - core_a;
            let separation = moved.dot(normal) + point.base_separation.0[lane];
            let target = if separation > 0.0 {
                -separation / context.dt
            } else {
                min(RATE * max(0.0, -separation - LINEAR_SLOP) / context.dt, context.push_out_speed)
            };
            let mass = point.normal_mass.0[lane];
            pushes.push(Push { bodies, inv_masses, arms, normal, mass, target, impulse: 0.0 });
        }
    }
}

impl Push {
    fn solve(&mut self, motions: &mut [(Vec2, f32)], states: &[BodyState]) {
        let read = |body: u32| if body == NONE { (Vec2::ZERO, 0.0) } else { motions[body as usize] };
        let ends = self.bodies.map(read);
        let at = |i: usize| ends[i].0 + cross_sv(ends[i].1, self.arms[i]);
        let speed = (at(1) - at(0)).dot(self.normal);
        let sum = max(0.0, self.impulse + self.mass * (self.target - speed));
        let impulse = self.normal * (sum - self.impulse);
        self.impulse = sum;
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            let body = self.bodies[i];
            if body != NONE && states[body as usize].flags & BodyState::MOVABLE != 0 {
                let (inv_mass, inv_inertia) = self.inv_masses[i];
                let motion = &mut motions[body as usize];
                motion.0 += inv_mass * impulse * sign;
                motion.1 += inv_inertia * cross(self.arms[i], impulse) * sign;
            }
        }
    }
}
