//! Builds the constraint blocks: masses, softness and cached impulses of all active contacts (`prepare/`).

use super::StepContext;
use super::contacts::Narrow;
use super::groups::Groups;
use super::integrate::prepare_bodies;
use super::recover::{is_deep, take_over, was_driven};
use super::solve::{LEAST_BLOCKS, LEAST_FILLED};
use super::turn::list_turning;
use crate::body::BodyState;
use crate::contact::Overlap;
use crate::math::max;
use crate::motion::Motions;
use crate::prepare::fill::{Filled, Filling, Unchanging};
use crate::prepare::layout::{CROWD, list_blocks};
use crate::solver::{BodyList, Constraints, ContactBlock, Velocities};
use crate::world::WorldState;
use carom_threads::Parts;
use carom_wide::{Lanes, Rows, Task, each_part, is_sparse};
use std::sync::atomic::{AtomicBool, Ordering};

#[allow(unsafe_code)]
pub(crate) fn prepare_constraints(
    world: &mut WorldState,
    constraints: &mut Constraints,
    groups: &mut Groups,
    narrow: &Narrow,
    context: &StepContext,
) {
    let Narrow { impacts, motions, .. } = narrow;
    constraints.warmth = if world.last_h > context.h { context.h / world.last_h } else { 1.0 };
    constraints.growth = if world.last_h > 0.0 { max(context.h / world.last_h, 1.0) } else { 1.0 };
    let overlaps = count_overlaps(world, context, &mut constraints.crowding);
    groups.form(world, context, &constraints.crowding);
    constraints.recoveries.clear();
    let awake = world.sets.awake();
    let bodies = BodyList::all(if groups.has_all() { &[] } else { &awake.sims });
    let is_movable = |place: usize| awake.states[place].flags & BodyState::MOVABLE != 0;
    prepare_bodies(bodies, is_movable, context, &mut constraints.masses, &mut constraints.drives);
    list_blocks(world, constraints, groups, impacts.expected());
    if !world.burdens.is_empty() {
        let first = constraints.passed_blocks();
        world.burdens.find_blocks(constraints, first);
    }
    let filled = fill_all(world, motions, context, constraints);
    if overlaps || !constraints.crowded.is_empty() {
        share_push_out(context, constraints);
    }
    constraints.rebounds.clear();
    if filled.rebounds {
        constraints.rebounds.list(&constraints.colors, &constraints.extras);
    }
    constraints.turning.clear();
    if filled.turns {
        list_turning(&mut constraints.turning, &constraints.blocks, &constraints.extras);
    }
    if context.method.marks_loaded {
        let states = Rows::of(&mut world.sets.awake_mut().states);
        for color in &constraints.colors {
            let blocks = &constraints.blocks[color.clone()];
            context.crew.for_ranges(blocks.len(), context.crew.grain(blocks.len(), LEAST_BLOCKS), |range| {
                // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
                let states = unsafe { states.share() };
                context.width.run(MarkLoaded { blocks: &blocks[range], states });
            });
        }
    }
    for &index in &constraints.crowded {
        for point in &mut world.contacts[index].manifold.points {
            (point.normal_impulse, point.tangent_impulse) = (0.0, 0.0);
            (point.total_impulse, point.total_tangent) = (0.0, 0.0);
        }
    }
    (world.last_h, world.last_substeps) = (context.h, context.substeps);
}

/// Fills all blocks.
#[allow(unsafe_code)]
fn fill_all(world: &mut WorldState, motions: &Motions, context: &StepContext, constraints: &mut Constraints) -> Filled {
    let Constraints { masses, blocks, extras, warmth, growth, .. } = constraints;
    let mut contacts = std::mem::take(&mut world.contacts);
    let (rebounds, turns) = (AtomicBool::new(false), AtomicBool::new(false));
    let parts = Parts::of(contacts.slots_mut());
    // SAFETY: the pool is borrowed here, and filling blocks writes to no contact.
    let unchanging = unsafe { Unchanging::of(&parts) };
    let filling = Filling {
        world,
        motions,
        context,
        contacts: unchanging,
        masses,
        batch_indices: None,
        warmth: *warmth,
        growth: *growth,
    };
    let grain = context.crew.grain(blocks.len(), LEAST_FILLED);
    context.crew.for_zipped(blocks, extras, grain, |_, blocks, extras| {
        let filled = filling.fill(blocks, extras);
        rebounds.fetch_or(filled.rebounds, Ordering::Relaxed);
        turns.fetch_or(filled.turns, Ordering::Relaxed);
    });
    world.contacts = contacts;
    Filled { rebounds: rebounds.into_inner(), turns: turns.into_inner() }
}

/// How many deep overlaps each awake body has that count (`recover.rs` says which). False if there are none at all, and then the
/// counts are not there.
fn count_overlaps(world: &mut WorldState, context: &StepContext, counts: &mut Vec<u16>) -> bool {
    counts.clear();
    let mut any = false;
    let deep = std::mem::take(&mut world.deep_contacts);
    for &index in &deep {
        let contact = &world.contacts[index];
        let driven = match contact.overlap {
            Overlap::Driven => true,
            Overlap::New => was_driven(world, contact),
            Overlap::Put => false,
        };
        if driven && context.method.soft || !is_deep(world, contact, context.dt) {
            continue;
        }
        if !any {
            any = true;
            counts.resize(world.sets.awake().sims.len(), 0);
        }
        for body in [contact.body_a, contact.body_b] {
            if let Some(count) = counts.get_mut(world.awake_index(body) as usize) {
                // More than this are not solved at once: see `is_crowded`.
                *count = (*count + 1).min(CROWD as u16);
            }
        }
        world.contacts[index].overlap = Overlap::Put;
    }
    world.deep_contacts = deep;
    any
}

/// Bodies with more deep overlaps than this, between three and four, share the push between them: up to there the pushes of
/// a body's two sides do not add up.
const SHARED_FROM: f32 = 3.5;

/// Leaves what overlaps deeply to `recover.rs`, and so all contacts of such bodies. The other solvers go on pushing;
/// there, bodies in a heap of overlaps share the push between them, or it would add up.
fn share_push_out(context: &StepContext, constraints: &mut Constraints) {
    let Constraints { blocks, extras, recoveries, crowding, .. } = constraints;
    for (index, (block, extras)) in blocks.iter_mut().zip(extras).enumerate() {
        for lane in block.lanes() {
            let overlaps = block.bodies(lane).map(|body| crowding.get(body as usize).copied().unwrap_or(0));
            let most = overlaps[0].max(overlaps[1]);
            if most > 0 && context.method.soft {
                take_over(block, extras, lane);
                recoveries.push((index, lane));
            } else if most > 3 {
                block.vary(extras);
                extras.varied.push_out.0[lane] = -context.push_out_speed * (SHARED_FROM / f32::from(most));
            }
        }
    }
}

/// Marks the bodies of contacts that carried a load in the last step.
pub(crate) struct MarkLoaded<'a> {
    pub(crate) blocks: &'a [ContactBlock],
    pub(crate) states: Rows<'a, BodyState>,
}

impl Task for MarkLoaded<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in self.blocks {
            if is_sparse::<L>(block.count as usize) {
                mark_block::<L::Narrow>(block, &mut self.states);
            } else {
                mark_block::<L>(block, &mut self.states);
            }
        }
    }
}

#[inline(always)]
fn mark_block<L: Lanes>(block: &ContactBlock, states: &mut Rows<'_, BodyState>) {
    for first in each_part::<L>(block.count as usize) {
        let [p, q] = &block.points;
        let load = L::load(&p.normal_impulse, first) + L::load(&q.normal_impulse, first);
        for places in [&block.bodies_a, &block.bodies_b] {
            let mut body = Velocities::<L>::read(states, places, first);
            body.mark_loaded(load);
            body.write(states, places, first);
        }
    }
}
