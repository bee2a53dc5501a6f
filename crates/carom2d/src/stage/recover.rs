//! Bodies that overlap deeply are moved apart, without any speed being left of it.
//!
//! Soft contacts push bodies out of each other by a speed, which the relaxed pass takes away again. That is
//! right where an overlap is small. In a heap of bodies that were put at one place the pushes add up along
//! every row, one pass cannot take them away, and what is left throws the heap apart. So a contact that
//! overlaps deeply from its first step on, deeper than its bodies came in that step, and all others of these, do not push at
//! all while velocities are solved: they only keep the bodies from approaching. (Bodies that were driven into each other, by a press or by a
//! fast impact, are pushed apart as always: little is won by sparing those that are in motion anyway, and they
//! overlap longer.) Here, after the last sub-step, the bodies are moved by a second set of
//! velocities, which starts at rest, moves them once and is forgotten. Per point, with separation `s`:
//!
//! ```text
//! overlapping   u_n >= min(rate * (-s - slop) / dt, push_out_speed)
//! apart         u_n >= -s / dt
//! ```
//!
//! solved by sequential impulses. Nothing is moved faster than `push_out_speed`.

use super::StepContext;
use super::solve::LEAST_BLOCKS;
use crate::body::{BodyKind, BodyState};
use crate::collide::LINEAR_SLOP;
use crate::contact::Contact;
use crate::math::{Vec2, clamp, max, min, vec2};
use crate::solver::{BlockExtras, Constraints, ContactBlock, InverseMasses, Velocities, at};
use crate::world::WorldState;
use carom_wide::{LANES, Lanes, Lanes2, Places, Rows, Task, Wide, Wide2, each_part, is_sparse};
use std::ops::Range;

/// Share of an overlap that a step takes away.
const RATE: f32 = 0.4;
/// Passes over all points: a push travels that far through a heap in a step.
const PASSES: usize = 12;

/// Overlaps of this size in metres are deep for large bodies, and none below the other is deep for small ones.
const DEEPEST: f32 = 0.05;
pub(crate) const SHALLOWEST: f32 = 2.0 * LINEAR_SLOP;

/// True for a contact that overlaps by more than a load explains, a quarter of the inner extent of what can
/// move, beyond what an impact does that was found a step late.
pub(crate) fn is_deep(world: &WorldState, contact: &Contact, dt: f32) -> bool {
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

/// True for a contact that did not touch before the last step, if its bodies moved so far against each other in that step
/// that they may have come to overlap as they do. What was put somewhere has not moved; what was moved here has not moved
/// by itself.
pub(crate) fn was_driven(world: &WorldState, contact: &Contact) -> bool {
    let way = |body: u32| {
        if world.pushed_apart.contains(body) {
            return (Vec2::ZERO, 0.0);
        }
        let sim = world.sim(body);
        let turned = vec2(sim.rotation.c - sim.rotation_before.c, sim.rotation.s - sim.rotation_before.s);
        (sim.center - sim.center_before, turned.length() * sim.extent)
    };
    let ((way_a, turn_a), (way_b, turn_b)) = (way(contact.body_a), way(contact.body_b));
    let way = (way_b - way_a).length() + turn_a + turn_b;
    let manifold = &contact.manifold;
    manifold.points[..manifold.count as usize].iter().all(|point| -point.separation < way + SHALLOWEST)
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

/// Up to [`LANES`] contacts of one colour. Velocities and impulses are those of the second set.
#[derive(Clone, Debug)]
struct PushBlock {
    bodies: [Places; 2],
    inv_masses: [Wide2; 2],
    inv_inertias: [Wide; 2],
    count: usize,
    normal: Wide2,
    points: [PushPoint; 2],
}

/// One point of each of them; without mass where there is none.
#[derive(Clone, Copy, Debug, Default)]
struct PushPoint {
    arms: [Wide2; 2],
    mass: Wide,
    /// Speed along the normal that is asked for.
    target: Wide,
    impulse: Wide,
}

impl PushBlock {
    const EMPTY: PushBlock = PushBlock {
        bodies: [Places::NOWHERE; 2],
        inv_masses: [Wide2::ZERO; 2],
        inv_inertias: [Wide::ZERO; 2],
        count: 0,
        normal: Wide2::ZERO,
        points: [PushPoint { arms: [Wide2::ZERO; 2], mass: Wide::ZERO, target: Wide::ZERO, impulse: Wide::ZERO }; 2],
    };
}

impl PushBlock {
    /// Of the bodies at one end.
    #[inline(always)]
    fn inverse_masses<L: Lanes>(&self, end: usize, first: usize) -> InverseMasses<L> {
        let mass = Lanes2::load(&self.inv_masses[end], first);
        InverseMasses { mass, inertia: L::load(&self.inv_inertias[end], first) }
    }
}

/// Memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pushes {
    blocks: Vec<PushBlock>,
    /// Where each colour's blocks begin and end.
    colors: Vec<Range<usize>>,
    /// The second set of velocities, one for each awake body.
    motions: Vec<BodyState>,
}

#[allow(unsafe_code)]
pub(crate) fn push_apart(
    world: &mut WorldState,
    constraints: &Constraints,
    pushes: &mut Pushes,
    context: &StepContext,
) {
    world.pushed_apart.clear();
    if constraints.recoveries.is_empty() {
        return;
    }
    gather_pushes(world, constraints, context, pushes);
    let Pushes { blocks, colors, motions } = pushes;
    motions.clear();
    motions.resize(world.sets.awake().states.len(), BodyState::REST);
    let rows = Rows::of(motions);
    for _ in 0..PASSES {
        for color in colors.iter() {
            let grain = context.crew.grain(color.len(), LEAST_BLOCKS);
            context.crew.for_chunks(&mut blocks[color.clone()], grain, |_, blocks| {
                // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
                let motions = unsafe { rows.share() };
                context.width.run(PushApart { blocks, motions });
            });
        }
    }
    let awake = world.sets.awake_mut();
    for ((state, sim), motion) in awake.states.iter_mut().zip(&awake.sims).zip(motions) {
        let speed = motion.velocity.length() + motion.angular_velocity.abs() * sim.extent;
        if speed > 0.0 {
            world.pushed_apart.insert(sim.body);
            let time = context.dt * min(1.0, context.push_out_speed / speed);
            state.delta_position += motion.velocity * time;
            state.delta_rotation = state.delta_rotation.turned(motion.angular_velocity * time);
        }
    }
}

/// Packs the contacts that are looked after here into blocks of their own, colour by colour.
fn gather_pushes(world: &WorldState, constraints: &Constraints, context: &StepContext, pushes: &mut Pushes) {
    pushes.blocks.clear();
    pushes.colors.clear();
    let mut recoveries = constraints.recoveries.iter().peekable();
    for color in &constraints.colors {
        let first = pushes.blocks.len();
        let mut lane = LANES;
        while let Some(&(block, from)) = recoveries.next_if(|(block, _)| *block < color.end) {
            if lane == LANES {
                pushes.blocks.push(PushBlock::EMPTY);
                lane = 0;
            }
            let last = pushes.blocks.len() - 1;
            fill_lane(world, constraints, context, (block, from), &mut pushes.blocks[last], lane);
            lane += 1;
        }
        if pushes.blocks.len() > first {
            pushes.colors.push(first..pushes.blocks.len());
        }
    }
}

/// Makes one lane out of one lane of the solver's blocks.
fn fill_lane(
    world: &WorldState,
    constraints: &Constraints,
    context: &StepContext,
    (index, from): (usize, usize),
    push: &mut PushBlock,
    lane: usize,
) {
    let states = &world.sets.awake().states;
    let (block, extras) = (&constraints.blocks[index], &constraints.extras[index]);
    let mut ends = [BodyState::REST; 2];
    for (end, (places, from_places)) in push.bodies.iter_mut().zip([&block.bodies_a, &block.bodies_b]).enumerate() {
        if let Some(body) = from_places.get(from) {
            places.set(lane, body, from_places.is_writable(from));
            ends[end] = states[body as usize];
        }
    }
    for (end, (inv_mass, inv_inertia)) in block.inv_masses(extras, from).into_iter().enumerate() {
        set(&mut push.inv_masses[end], lane, inv_mass);
        push.inv_inertias[end].0[lane] = inv_inertia;
    }
    let [a, b] = ends;
    let normal = at(&block.normal, from);
    set(&mut push.normal, lane, normal);
    push.count = lane + 1;
    for (to, point) in push.points.iter_mut().zip(&block.points) {
        let mass = point.normal_mass.0[from];
        if mass <= 0.0 {
            continue;
        }
        let arms = [at(&point.anchor_a, from), at(&point.anchor_b, from)];
        let core_a = a.delta_rotation.rotate(arms[0] - normal * extras.rounding_a.0[from]);
        let core_b = b.delta_rotation.rotate(arms[1] + normal * extras.rounding_b.0[from]);
        let moved = b.delta_position - a.delta_position + core_b - core_a;
        let separation = moved.dot(normal) + point.base_separation.0[from];
        to.target.0[lane] = if separation > 0.0 {
            -separation / context.dt
        } else {
            min(RATE * max(0.0, -separation - LINEAR_SLOP) / context.dt, context.push_out_speed)
        };
        to.mass.0[lane] = mass;
        for (to, arm) in to.arms.iter_mut().zip(arms) {
            set(to, lane, arm);
        }
    }
}

fn set(wide: &mut Wide2, lane: usize, vector: Vec2) {
    (wide.x.0[lane], wide.y.0[lane]) = (vector.x, vector.y);
}

/// One pass over some blocks of a colour.
struct PushApart<'a> {
    blocks: &'a mut [PushBlock],
    motions: Rows<'a, BodyState>,
}

impl Task for PushApart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.blocks {
            if is_sparse::<L>(block.count) {
                push_block::<L::Narrow>(block, &mut self.motions);
            } else {
                push_block::<L>(block, &mut self.motions);
            }
        }
    }
}

#[inline(always)]
fn push_block<L: Lanes>(block: &mut PushBlock, motions: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.count) {
        let mut a = Velocities::<L>::read(motions, &block.bodies[0], first);
        let mut b = Velocities::<L>::read(motions, &block.bodies[1], first);
        let (inverse_a, inverse_b) = (block.inverse_masses(0, first), block.inverse_masses(1, first));
        let normal = Lanes2::load(&block.normal, first);
        for point in &mut block.points {
            let (arm_a, arm_b) = (Lanes2::load(&point.arms[0], first), Lanes2::load(&point.arms[1], first));
            let speed = (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(normal);
            let before = L::load(&point.impulse, first);
            let asked = L::load(&point.mass, first) * (L::load(&point.target, first) - speed);
            let sum = (before + asked).max(L::splat(0.0));
            sum.store(&mut point.impulse, first);
            let impulse = normal.scale(sum - before);
            a.pull(&inverse_a, arm_a, impulse);
            b.push(&inverse_b, arm_b, impulse);
        }
        a.write(motions, &block.bodies[0], first);
        b.write(motions, &block.bodies[1], first);
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    /// How many contacts are looked after here, at most, in the first half second.
    fn looked_after(world: &mut World) -> usize {
        (0..30).fold(0, |most, _| {
            world.step(1.0 / 60.0);
            most.max(world.scratch.constraints.recoveries.len())
        })
    }

    fn add_box(world: &mut World, x: f32, velocity: f32, kind: BodyKind) {
        let def = BodyDef { kind, position: vec2(x, 0.0), velocity: vec2(velocity, 0.0), ..BodyDef::default() };
        let body = world.add_body(def).unwrap();
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    }

    /// Boxes that were put into each other are moved apart; those that a press drives into each other are pushed,
    /// however deep they get.
    #[test]
    fn what_was_put_is_moved_and_what_was_driven_is_pushed() {
        let empty = WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() };
        let mut put = World::new(empty);
        add_box(&mut put, 0.0, 0.0, BodyKind::Dynamic);
        add_box(&mut put, 0.7, 0.0, BodyKind::Dynamic);
        assert!(looked_after(&mut put) > 0, "boxes that overlap by 0.3 m are not moved apart");

        let mut pressed = World::new(empty);
        for (x, velocity) in [(-2.01, 3.0), (2.01, -3.0)] {
            add_box(&mut pressed, x, velocity, BodyKind::Kinematic);
        }
        for x in [-1.0, 0.0, 1.0] {
            add_box(&mut pressed, x, 0.0, BodyKind::Dynamic);
        }
        let deepest = |world: &World| {
            let points = world.contacts().flat_map(|contact| contact.points());
            points.fold(0.0, |deepest, point| if -point.separation > deepest { -point.separation } else { deepest })
        };
        for _ in 0..6 {
            assert_eq!(
                {
                    pressed.step(1.0 / 60.0);
                    pressed.scratch.constraints.recoveries.len()
                },
                0
            );
        }
        assert!(deepest(&pressed) > 0.05, "the press leaves overlaps of {} m only", deepest(&pressed));
    }
}
