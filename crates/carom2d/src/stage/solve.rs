//! Solves the contact constraints: friction, then non-penetration, then rolling resistance.
//!
//! Per point, with separation `s`, normal velocity `v_n`, and sub-step `h`:
//!
//! ```text
//! apart (s > 0)         v_n >= -s / h        closes the gap at most, within this sub-step (biased)
//! overlapping, biased   v_n >= -rate * s     pushes apart, as a soft constraint (`Softness`)
//! overlapping, relaxed  v_n >= 0
//! ```
//!
//! The biased pass moves the bodies out of each other; the relaxed pass after it takes away the
//! speed that this needed, so overlap does not turn into energy. (Deep overlaps are left to
//! `recover.rs`.) Impulses are accumulated and the sum
//! is clamped: `P_n >= 0`, `|P_t| <= mu * P_n`. Friction is solved in the relaxed pass only, bounded by the normal
//! impulses of the biased pass, and before non-penetration.
//!
//! A contact that is pushed far more than in the last sub-step is struck. Such a blow is over at once, so what the next
//! sub-step starts with is the load from before it.

use super::StepContext;
use crate::body::{BodyState, NONE};
use crate::collide::LINEAR_SLOP;
use crate::math::{Vec2, max, vec2};
use crate::solver::{
    BlockExtras, BlockPoint, Common, Constraints, ContactBlock, DriveBlock, InverseMasses, Solver, Velocities, at,
    separation,
};
use crate::world::World;
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Lanes2, Places, Rows, Task, Wide, Wide2, each_part, is_sparse, part_bits, prefetch_at};

pub(crate) fn solve_biased(world: &mut World, context: &StepContext) {
    match world.def.solver {
        Solver::SoftStep => solve::<true>(world, context),
        Solver::Direct => super::direct::solve_direct::<true>(world, context),
        Solver::Sequential(settings) => super::sequential::solve_sequential(world, context, settings),
    }
}

pub(crate) fn solve_relaxed(world: &mut World, context: &StepContext) {
    match world.def.solver {
        Solver::SoftStep => solve::<false>(world, context),
        Solver::Direct => super::direct::solve_direct::<false>(world, context),
        Solver::Sequential(_) => {}
    }
}

fn solve<const BIASED: bool>(world: &mut World, context: &StepContext) {
    super::joints::solve_joints::<BIASED>(world, context);
    solve_in_passes::<BIASED>(world, context);
    super::burdens::solve_burdens::<BIASED>(world, context);
}

#[allow(unsafe_code)]
fn solve_in_passes<const BIASED: bool>(world: &mut World, context: &StepContext) {
    let states = Rows::of(&mut world.sets.sets[crate::sets::AWAKE as usize].states);
    let passed = world.constraints.passed_blocks();
    let Constraints { blocks, extras, colors, passed: colors_passed, drives, .. } = &mut world.constraints;
    let (drives, pace) = (&Parts::of(drives), Pace::of(context));
    if context.crew.threads() == 1 {
        let (blocks, extras) = (&mut blocks[..passed], &mut extras[..passed]);
        return context.width.run(Solve::<BIASED> { blocks, extras, states, drives, pace });
    }
    for color in &colors[..*colors_passed] {
        let grain = context.crew.grain(color.len(), LEAST_BLOCKS);
        let (blocks, extras) = (&mut blocks[color.clone()], &mut extras[color.clone()]);
        context.crew.for_zipped(blocks, extras, grain, |_, blocks, extras| {
            // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
            let states = unsafe { states.share() };
            context.width.run(Solve::<BIASED> { blocks, extras, states, drives, pace });
        });
    }
}

/// Fewer blocks of a colour than this are not worth another thread in a pass: a few microseconds. Where two threads
/// share a core, what one of them writes stops the other one that has read beside it. Builds with checks share
/// whatever there is.
pub(crate) const LEAST_BLOCKS: usize = if cfg!(debug_assertions) { 2 } else { 64 };
/// The same where blocks are filled or emptied, which takes far longer than a pass.
pub(crate) const LEAST_FILLED: usize = 6;

/// A run of blocks, in order: all of them, or some of one colour.
pub(super) struct Solve<'a, const BIASED: bool> {
    pub(super) blocks: &'a mut [ContactBlock],
    pub(super) extras: &'a mut [BlockExtras],
    pub(super) states: Rows<'a, BodyState>,
    pub(super) drives: &'a Parts<'a, DriveBlock>,
    pub(super) pace: Pace,
}

/// What a pass has to know of the sub-step.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    inv_h: f32,
    /// Contacts that are pushed by more than twice as much as in the last sub-step, and by this speed, are struck.
    blow: f32,
}

impl Pace {
    pub(super) fn of(context: &StepContext) -> Pace {
        // Twice what stops a fall from rest within the sub-step.
        Pace { inv_h: context.inv_h, blow: max(2.0 * context.fall, LEAST_BLOW * context.inv_h) }
    }
}

/// Where surfaces overlap by more than this, in metres, something presses them together: a push is no blow that is over at
/// once, and is expected again.
const PRESSED: f32 = 2.0 * LINEAR_SLOP;

/// No blow moves bodies by less than this within a sub-step.
const LEAST_BLOW: f32 = 0.02 * LINEAR_SLOP;

impl<const BIASED: bool> Task for Solve<'_, BIASED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Solve { blocks, extras, mut states, drives, pace } = self;
        for index in 0..blocks.len() {
            // Blocks follow each other in memory and come by themselves; of the extras only a part is read.
            if let (Some(block), Some(extras)) = (blocks.get(index + 1), extras.get(index + 1))
                && block.traits.varied
            {
                prefetch_at(&extras.varied, size_of::<Common<Wide>>());
            }
            let (block, extras) = (&mut blocks[index], &mut extras[index]);
            if is_sparse::<L>(block.count as usize) {
                solve_block::<L::Narrow, BIASED>(block, extras, &mut states, drives, pace);
            } else {
                solve_block::<L, BIASED>(block, extras, &mut states, drives, pace);
            }
            if !BIASED && block.traits.sliding {
                set_back_sliders(block, extras, drives, &mut states, pace);
            }
        }
    }
}

/// Solves the contacts of a block.
#[inline(always)]
fn solve_block<L: Lanes, const BIASED: bool>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    states: &mut Rows<'_, BodyState>,
    drives: &Parts<'_, DriveBlock>,
    pace: Pace,
) {
    for first in each_part::<L>(block.count as usize) {
        if block.traits.two_points {
            solve_part::<L, BIASED, 2>(block, extras, states, pace, first);
        } else {
            solve_part::<L, BIASED, 1>(block, extras, states, pace, first);
        }
    }
    if !BIASED && block.traits.struck {
        forget_blows::<L>(block, extras, drives);
    }
}

/// Below this the two points of a contact are as good as one.
const MIN_DETERMINANT: f32 = 0.05;

/// What a point asks for: a change of its normal velocity, and the mass that has it.
#[derive(Clone, Copy)]
struct Demand<L> {
    velocity: L,
    mass: L,
    /// The mass of the point whatever its velocity, and 1 where it asks for something, 0 where it is left alone.
    firm_mass: L,
    served: L,
}

impl<L: Lanes> Demand<L> {
    /// Of a point that is not there.
    #[inline(always)]
    fn nothing() -> Demand<L> {
        let zero = L::splat(0.0);
        Demand { velocity: zero, mass: zero, firm_mass: zero, served: zero }
    }
}

/// The levers of a direction at a point, about both centres of mass: `r_a x u` and `r_b x u`.
#[derive(Clone, Copy)]
struct Levers<L> {
    a: L,
    b: L,
}

impl<L: Lanes> Levers<L> {
    #[inline(always)]
    fn of(point: &BlockPoint, direction: Lanes2<L>, first: usize) -> Levers<L> {
        let (arm_a, arm_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
        Levers { a: arm_a.cross(direction), b: arm_b.cross(direction) }
    }

    /// How fast b leaves a at the point by turning.
    #[inline(always)]
    fn turning(&self, a: &Velocities<L>, b: &Velocities<L>) -> L {
        b.angular_velocity * self.b - a.angular_velocity * self.a
    }
}

/// The points that carry a load against a wall while friction is solved. They will be held: what friction turns,
/// non-penetration turns back, and that moves the point sideways again. So friction is asked for what leaves it at rest after
/// both: with `K_n` of the loaded points, `v_n` their velocities and `k` what couples them with a tangent, that has not its
/// own velocity `v` and response `K`, but `v - k K_n^-1 v_n` and the Schur complement `K - k K_n^-1 k`.
///
/// Within a heap the points of one contact hold nothing alone: other contacts have their say, and walls whose friction
/// answers what those have not settled yet spread ten times as far.
#[derive(Clone, Copy)]
struct Held<L> {
    /// Levers of the points along the normal, and how fast they leave.
    levers: [Levers<L>; 2],
    velocities: [L; 2],
    /// `K_n^-1`: first, both, second.
    masses: [L; 3],
    /// The normal impulses once they are held: what bounds friction.
    loads: [L; 2],
}

/// Contacts one of whose bodies cannot be moved.
#[inline(always)]
fn on_walls<L: Lanes>([a, b]: &[InverseMasses<L>; 2]) -> L::Mask {
    let zero = L::splat(0.0);
    let weight = |body: &InverseMasses<L>| body.mass.x + body.mass.y + body.inertia;
    zero.at_least(weight(a).min(weight(b)))
}

/// The sum of the products.
#[inline(always)]
fn dot<L: Lanes>(p: [L; 2], q: [L; 2]) -> L {
    p[0] * q[0] + p[1] * q[1]
}

impl<L: Lanes> Held<L> {
    /// Within heaps.
    #[inline(always)]
    fn nothing(impulses: [L; 2]) -> Held<L> {
        let zero = L::splat(0.0);
        Held { levers: [Levers { a: zero, b: zero }; 2], velocities: [zero; 2], masses: [zero; 3], loads: impulses }
    }

    #[inline(always)]
    fn of<const POINTS: usize>(
        block: &ContactBlock,
        [a, b]: [&Velocities<L>; 2],
        on_walls: L::Mask,
        impulses: [L; 2],
        first: usize,
    ) -> Held<L> {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let normal = Lanes2::load(&block.normal, first);
        let leaving = (b.velocity - a.velocity).dot(normal);
        let mut held = Held::nothing(impulses);
        let mut masses = [zero; 2];
        for i in 0..POINTS {
            held.levers[i] = Levers::of(&block.points[i], normal, first);
            held.velocities[i] = leaving + held.levers[i].turning(a, b);
            let loaded = L::both(on_walls, impulses[i].greater(zero));
            masses[i] = L::select(loaded, L::load(&block.points[i].normal_mass, first), zero);
        }
        let k12 = if POINTS == 2 { L::load(&block.coupling, first) } else { zero };
        let shared = masses[0] * masses[1] * k12;
        let det = one - shared * k12;
        let two_equations = det.greater(L::splat(MIN_DETERMINANT));
        let inv_det = L::select(two_equations, det, one).recip();
        held.masses = [
            masses[0] * inv_det,
            L::select(two_equations, zero - shared * inv_det, zero),
            L::select(two_equations, masses[1] * inv_det, zero),
        ];
        let stops = held.answer(held.velocities);
        held.loads = [0, 1].map(|i| (impulses[i] - stops[i]).max(zero));
        held
    }

    /// What an impulse along a tangent with these levers does to the points.
    #[inline(always)]
    fn coupled(&self, inverse: &[InverseMasses<L>; 2], along: &Levers<L>) -> [L; 2] {
        let (turn_a, turn_b) = (inverse[0].inertia * along.a, inverse[1].inertia * along.b);
        [0, 1].map(|i| turn_a * self.levers[i].a + turn_b * self.levers[i].b)
    }

    /// The impulses of the points that undo velocities like these.
    #[inline(always)]
    fn answer(&self, coupled: [L; 2]) -> [L; 2] {
        let [first, both, second] = self.masses;
        [dot([first, both], coupled), dot([both, second], coupled)]
    }
}

/// How the points of a contact share its friction: in proportion to their loads. Where one of them has all of the load its
/// share is exactly one, so that a contact of one point does not know whether its block has room for two.
#[inline(always)]
fn shares<L: Lanes, const POINTS: usize>(loads: [L; 2]) -> [L; 2] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    if POINTS == 1 {
        return [one, zero];
    }
    let total = loads[0] + loads[1];
    let loaded = total.greater(zero);
    let total = L::select(loaded, total, one);
    [L::select(loaded, loads[0].divided_by(total), one), loads[1].divided_by(total)]
}

/// Applies impulses along one direction, at one point or at two: their sum, and what they do to both spins.
#[inline(always)]
fn apply<L: Lanes, const POINTS: usize>(
    [a, b]: [&mut Velocities<L>; 2],
    [inverse_a, inverse_b]: &[InverseMasses<L>; 2],
    direction: Lanes2<L>,
    levers: &[Levers<L>; 2],
    impulses: [L; 2],
) {
    let [p, q] = levers;
    let (mut sum, mut turn_a, mut turn_b) = (impulses[0], p.a * impulses[0], p.b * impulses[0]);
    if POINTS == 2 {
        sum += impulses[1];
        turn_a += q.a * impulses[1];
        turn_b += q.b * impulses[1];
    }
    let push = direction.scale(sum);
    a.velocity = a.velocity - inverse_a.mass.times(push);
    b.velocity = b.velocity + inverse_b.mass.times(push);
    a.angular_velocity -= inverse_a.inertia * turn_a;
    b.angular_velocity += inverse_b.inertia * turn_b;
}

/// Solves the contacts of a part.
///
/// Where colours are small a block waits for the one before it, so what counts is the way from the velocities that are
/// read to those that are written. All that depends on the block alone is computed beside it.
#[inline(always)]
fn solve_part<L: Lanes, const BIASED: bool, const POINTS: usize>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    states: &mut Rows<'_, BodyState>,
    pace: Pace,
    first: usize,
) {
    let (mut a, moved_a) = Velocities::<L>::read_all(states, &block.bodies_a, first);
    let (mut b, moved_b) = Velocities::<L>::read_all(states, &block.bodies_b, first);
    let common = Common::load(block, extras, first);
    let inverse = InverseMasses::load(block, extras, &common, first);
    let normal = Lanes2::load(&block.normal, first);
    let zero = L::splat(0.0);

    let mut levers = [Levers { a: zero, b: zero }; 2];
    let mut before = [zero; 2];
    for i in 0..POINTS {
        before[i] = L::load(&block.points[i].normal_impulse, first);
    }

    if !BIASED {
        // Friction first, so that non-penetration has the last word. Two points on one edge slide at the same speed, so no
        // motion says which of them holds what. Friction is one impulse, which they share as they share the load: served one
        // after the other, the first would take all, and which one is first depends on the order of building.
        let tangent = normal.right_perp();
        let on_walls = on_walls(&inverse);
        let held = if L::bits(on_walls) == 0 {
            Held::nothing(before)
        } else {
            Held::of::<POINTS>(block, [&a, &b], on_walls, before, first)
        };
        let shares = shares::<L, POINTS>(held.loads);
        let (mut along, mut mass) = (Levers { a: zero, b: zero }, zero);
        let (mut known, mut sum) = ([zero; 2], zero);
        for i in 0..POINTS {
            levers[i] = Levers::of(&block.points[i], tangent, first);
            along.a += shares[i] * levers[i].a;
            along.b += shares[i] * levers[i].b;
            mass += shares[i] * L::load(&block.points[i].tangent_mass, first);
            known[i] = L::load(&block.points[i].tangent_impulse, first);
            sum += known[i];
        }
        let mut velocity = (b.velocity - a.velocity).dot(tangent) + along.turning(&a, &b);
        if block.traits.belt {
            velocity -= L::load(&extras.surface_speed, first);
        }
        if L::bits(on_walls) != 0 {
            let coupled = held.coupled(&inverse, &along);
            let answer = held.answer(coupled);
            velocity -= dot(answer, held.velocities);
            let left = (L::splat(1.0) - mass * dot(coupled, answer)).max(L::splat(MIN_DETERMINANT));
            mass = mass * left.recip();
        }
        let load = if POINTS == 2 { held.loads[0] + held.loads[1] } else { held.loads[0] };
        let bound = common.friction * load;
        let sum = (sum - mass * velocity).clamp_symmetric(bound);
        let mut impulses = [zero; 2];
        for i in 0..POINTS {
            let point = &mut block.points[i];
            let share = shares[i] * sum;
            impulses[i] = share - known[i];
            share.store(&mut point.tangent_impulse, first);
            (L::load(&point.total_tangent, first) + share).store(&mut point.total_tangent, first);
        }
        if L::bits(on_walls) != 0 {
            let slides = L::both(L::both(on_walls, (sum * sum).at_least(bound * bound)), load.greater(zero));
            let slides = L::bits(slides);
            if slides != 0 {
                extras.sliding |= (slides << first) as u16;
                block.traits.sliding = true;
            }
        }
        apply::<L, POINTS>([&mut a, &mut b], &inverse, tangent, &levers, impulses);
    }

    // Non-penetration: what each point asks for, both from the same velocities.
    let (mut demands, mut separations, mut velocities) = ([Demand::nothing(); 2], [zero; 2], [zero; 2]);
    let leaving = (b.velocity - a.velocity).dot(normal);
    for i in 0..POINTS {
        levers[i] = Levers::of(&block.points[i], normal, first);
        velocities[i] = leaving + levers[i].turning(&a, &b);
        separations[i] = separation(block, extras, i, [&moved_a, &moved_b], first);
        demands[i] = demand::<L, BIASED>(&block.points[i], &common, velocities[i], separations[i], pace.inv_h, first);
    }
    if BIASED && POINTS == 2 && block.traits.column {
        // The difference of what depth and load ask for is followed slowly: see `SWAY_DAMPING`.
        let touching = zero.at_least(separations[0].max(separations[1]));
        let difference = (demands[1].velocity + velocities[1]) - (demands[0].velocity + velocities[0]);
        let delayed = L::select(touching, L::load(&extras.delay, first) * difference, zero);
        demands[0].velocity += delayed;
        demands[1].velocity -= delayed;
    }
    let sums = if POINTS == 2 {
        solve_pair(before, demands, L::load(&block.coupling, first))
    } else {
        [(before[0] + demands[0].mass * demands[0].velocity).max(zero), zero]
    };
    for i in 0..POINTS {
        sums[i].store(&mut block.points[i].normal_impulse, first);
    }
    if BIASED {
        note_blows::<L, POINTS>(block, extras, before, sums, separations, pace.blow, first);
    }
    let impulses = [sums[0] - before[0], sums[1] - before[1]];
    apply::<L, POINTS>([&mut a, &mut b], &inverse, normal, &levers, impulses);

    if !BIASED {
        for i in 0..POINTS {
            let point = &mut block.points[i];
            (L::load(&point.total_impulse, first) + sums[i]).store(&mut point.total_impulse, first);
        }
        let load = if POINTS == 2 { sums[0] + sums[1] } else { sums[0] };
        if block.traits.rolling {
            // Rolling resistance: an angular impulse against the relative spin.
            let spin = b.angular_velocity - a.angular_velocity;
            let before = L::load(&extras.rolling_impulse, first);
            let bound = L::load(&extras.rolling_resistance, first) * load;
            let sum = (before - L::load(&extras.rolling_mass, first) * spin).clamp_symmetric(bound);
            let change = sum - before;
            sum.store(&mut extras.rolling_impulse, first);
            a.angular_velocity -= inverse[0].inertia * change;
            b.angular_velocity += inverse[1].inertia * change;
        }
        a.mark_loaded(load);
        b.mark_loaded(load);
    }

    a.write(states, &block.bodies_a, first);
    b.write(states, &block.bodies_b, first);
}

/// Notes contacts that are pushed far more than in the last sub-step, with what is to be expected of them in the next one.
#[inline(always)]
fn note_blows<L: Lanes, const POINTS: usize>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    before: [L; 2],
    sums: [L; 2],
    separations: [L; 2],
    blow: f32,
    first: usize,
) {
    let mut expected = [L::splat(0.0); 2];
    let mut struck = 0;
    for i in 0..POINTS {
        expected[i] = before[i] + before[i] + L::splat(blow) * L::load(&block.points[i].normal_mass, first);
        struck |= L::bits(L::both(sums[i].greater(expected[i]), separations[i].greater(L::splat(-PRESSED))));
    }
    if struck != 0 {
        block.traits.struck = true;
        extras.struck |= (struck << first) as u16;
        for i in 0..POINTS {
            expected[i].store(&mut extras.expected[i], first);
        }
    }
}

/// A blow is over within its sub-step: lets the next one expect what contacts carried before, and not the blow again. How
/// strong it was is remembered for as long, so that what is left of it is not taken for another one.
#[inline(always)]
fn forget_blows<L: Lanes>(block: &mut ContactBlock, extras: &mut BlockExtras, drives: &Parts<'_, DriveBlock>) {
    let struck = std::mem::take(&mut extras.struck);
    block.traits.struck = struck != 0;
    if struck == 0 {
        return;
    }
    for first in each_part::<L>(block.count as usize) {
        let lanes = part_bits::<L>(struck, first);
        let gone = if block.traits.two_points {
            forget_part::<L, 2>(block, extras, lanes, first)
        } else {
            forget_part::<L, 1>(block, extras, lanes, first)
        };
        for (gone, places) in gone.iter().zip([&block.bodies_a, &block.bodies_b]) {
            gone.add_to_free(lanes << first & u32::from(places.writable()), places, drives, first);
        }
    }
}

/// What blows that are gone have done to the bodies of one side of a part.
struct Gone<L> {
    velocity: Lanes2<L>,
    angular_velocity: L,
}

/// Lets the points of these lanes expect no blow. Returns what is gone.
#[inline(always)]
fn forget_part<L: Lanes, const POINTS: usize>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    lanes: u32,
    first: usize,
) -> [Gone<L>; 2] {
    let common = Common::load(block, extras, first);
    let [inverse_a, inverse_b] = InverseMasses::load(block, extras, &common, first);
    let normal = Lanes2::load(&block.normal, first);
    let (zero, struck) = (L::splat(0.0), L::mask(lanes));
    let (mut gone, mut turn_a, mut turn_b) = (Lanes2 { x: zero, y: zero }, zero, zero);
    for i in 0..POINTS {
        let point = &mut block.points[i];
        let (push, slide) = (L::load(&point.normal_impulse, first), L::load(&point.tangent_impulse, first));
        L::select(struck, push, zero).store(&mut extras.blows[i], first);
        let kept = L::select(struck, push.min(L::load(&extras.expected[i], first)), push);
        let held = L::select(struck, slide.clamp_symmetric(common.friction * kept), slide);
        kept.store(&mut point.normal_impulse, first);
        held.store(&mut point.tangent_impulse, first);
        let impulse = normal.scale(push - kept) + normal.right_perp().scale(slide - held);
        gone = gone + impulse;
        turn_a -= Lanes2::load(&point.anchor_a, first).cross(impulse);
        turn_b += Lanes2::load(&point.anchor_b, first).cross(impulse);
    }
    [
        Gone { velocity: inverse_a.mass.times(-gone), angular_velocity: inverse_a.inertia * turn_a },
        Gone { velocity: inverse_b.mass.times(gone), angular_velocity: inverse_b.inertia * turn_b },
    ]
}

impl<L: Lanes> Gone<L> {
    /// Counts it as velocity that bodies have without impulses, in these lanes of a block.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn add_to_free(&self, mut lanes: u32, places: &Places, drives: &Parts<'_, DriveBlock>, first: usize) {
        let (mut velocity, mut spin) = (Wide2::ZERO, Wide::ZERO);
        self.velocity.store(&mut velocity, first);
        self.angular_velocity.store(&mut spin, first);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let body = places.all()[lane] as usize;
            let (drive, at) = (drives.pointer_mut(body / LANES), body % LANES);
            // SAFETY: contacts of one colour share no body that they may move, so nobody else looks at its lane.
            unsafe {
                (*drive).free.x.0[at] += velocity.x.0[lane];
                (*drive).free.y.0[at] += velocity.y.0[lane];
                (*drive).free_spin.0[at] += spin.0[lane];
            }
        }
    }
}

/// Sets bodies back that slide on a wall: their positions went by the velocity at the end of the sub-step, and by the trapezoid
/// rule they have come `h dv / 2` less far, where `dv` is what friction and forces gave along the wall. (What flies has that
/// from `integrate.rs`; what sticks does not move.)
#[cold]
#[allow(unsafe_code)]
fn set_back_sliders(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    drives: &Parts<'_, DriveBlock>,
    states: &mut Rows<'_, BodyState>,
    pace: Pace,
) {
    let sliding = std::mem::take(&mut extras.sliding);
    block.traits.sliding = false;
    for lane in block.lanes().filter(|lane| sliding >> lane & 1 != 0) {
        let normal = at(&block.normal, lane);
        let tangent = vec2(normal.y, -normal.x);
        let impulse = block.points[0].tangent_impulse.0[lane]
            + if block.traits.two_points { block.points[1].tangent_impulse.0[lane] } else { 0.0 };
        let ends = block.bodies(lane).into_iter().zip(block.inv_masses(extras, lane)).zip([-impulse, impulse]);
        for ((body, (inv_mass, _)), impulse) in ends {
            if body == NONE || inv_mass == Vec2::ZERO {
                continue;
            }
            let drive = drives.pointer_mut(body as usize / LANES);
            // SAFETY: nobody changes what forces do while constraints are solved.
            let kick =
                unsafe { vec2((*drive).kick.x.0[body as usize % LANES], (*drive).kick.y.0[body as usize % LANES]) };
            let gained = kick.dot(tangent) + impulse * (inv_mass * tangent).dot(tangent);
            let mut state = states.get(body);
            state.delta_position -= tangent * (0.5 * gained / pace.inv_h);
            states.set(body, state);
        }
    }
}

/// What a point asks for.
#[inline(always)]
fn demand<L: Lanes, const BIASED: bool>(
    point: &BlockPoint,
    common: &Common<L>,
    velocity: L,
    separation: L,
    inv_h: f32,
    first: usize,
) -> Demand<L> {
    let mass = L::load(&point.normal_mass, first);
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let apart = separation.greater(if BIASED { zero } else { common.touch });
    let gap = separation * L::splat(inv_h);
    if BIASED {
        let bias = (common.bias_rate * separation).max(common.push_out);
        let softened = L::load(&point.softening, first) * L::load(&point.normal_impulse, first);
        let mass = mass * L::select(apart, one, common.mass_scale);
        Demand { velocity: -(velocity + L::select(apart, gap, bias + softened)), mass, firm_mass: mass, served: one }
    } else {
        // A gap is the next sub-step's business, where the approach may turn out to be an impact
        // that rebounds: here it is not slowed down, only pushed less where that was too much.
        let closing = velocity + L::select(apart, gap, zero);
        let left_alone = L::both(apart, zero.greater(closing));
        Demand {
            velocity: -closing,
            mass: L::select(left_alone, zero, mass),
            firm_mass: mass,
            served: L::select(left_alone, zero, one),
        }
    }
}

/// The impulses of two points from those before and what both ask for.
///
/// Both points at once, so that neither side of a box is served first. Where that would have one of them pull, it has no
/// impulse, and the other one what it needs alone; where both would pull, at most one of them needs anything alone. One after
/// the other where the points are so close that the two equations are one, or where a point asks for nothing.
#[inline(always)]
fn solve_pair<L: Lanes>(before: [L; 2], [p, q]: [Demand<L>; 2], k12: L) -> [L; 2] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let shared = p.firm_mass * q.firm_mass * k12;
    let det = one - shared * k12;
    let inv_det = L::select(det.greater(L::splat(MIN_DETERMINANT)), det, one).recip();
    let cross = shared * inv_det;
    let together = [
        before[0] + (p.firm_mass * inv_det * p.velocity - cross * q.velocity),
        before[1] + (q.firm_mass * inv_det * q.velocity - cross * p.velocity),
    ];
    let two_equations = (det * p.served * q.served).greater(L::splat(MIN_DETERMINANT));
    let push = [together[0].at_least(zero), together[1].at_least(zero)];
    let pushes = L::both(two_equations, L::both(push[0], push[1]));
    if L::COUNT == L::Narrow::COUNT && L::bits(pushes) == (1 << L::COUNT) - 1 {
        // A few contacts at rest: not to wait for what will not be chosen.
        return together;
    }
    // Without the other one.
    let only = [
        (before[0] + p.mass * (p.velocity + k12 * before[1])).max(zero),
        (before[1] + q.mass * (q.velocity + k12 * before[0])).max(zero),
    ];
    let bounded = [
        L::select(push[0], L::select(push[1], together[0], only[0]), L::select(push[1], zero, only[0])),
        L::select(push[1], L::select(push[0], together[1], only[1]), L::select(push[0], zero, only[1])),
    ];
    // One after the other.
    let first = (before[0] + p.mass * p.velocity).max(zero);
    let second = (before[1] + q.mass * q.velocity - q.mass * k12 * (first - before[0])).max(zero);
    [L::select(two_equations, bounded[0], first), L::select(two_equations, bounded[1], second)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves pairs in lanes and holds each against what must be so of it.
    struct Pairs {
        before: [Wide; 2],
        velocity: [Wide; 2],
        k: [Wide; 3],
    }

    impl Task for Pairs {
        type Output = [Wide; 2];

        #[inline(always)]
        fn run<L: Lanes>(self) -> [Wide; 2] {
            let mut sums = [Wide::ZERO; 2];
            for first in each_part::<L>(carom_wide::LANES) {
                let mut demands = [Demand::nothing(); 2];
                for i in 0..2 {
                    let mass = L::load(&self.k[2 * i], first).recip();
                    demands[i] = Demand {
                        velocity: L::load(&self.velocity[i], first),
                        mass,
                        firm_mass: mass,
                        served: L::splat(1.0),
                    };
                }
                let before = [L::load(&self.before[0], first), L::load(&self.before[1], first)];
                let found = solve_pair(before, demands, L::load(&self.k[1], first));
                found[0].store(&mut sums[0], first);
                found[1].store(&mut sums[1], first);
            }
            sums
        }
    }

    /// The impulses of two points push, no point approaches faster than it asks for, and none that leaves is pushed: of all
    /// cases of two points, at every width.
    #[test]
    fn pairs_complement_each_other() {
        let mut cases = [[0; 2]; 2];
        for width in carom_wide::Width::all() {
            for turn in 0..200_u16 {
                let number = |lane: usize, salt: u16| {
                    let case = u32::from(turn) * 16 + lane as u32;
                    let mixed = case.wrapping_mul(0x9e37_79b1) ^ u32::from(salt).wrapping_mul(0x85eb_ca6b);
                    (mixed.wrapping_mul(0xc2b2_ae35) >> 8) as f32 / (1 << 24) as f32
                };
                let mut task = Pairs { before: [Wide::ZERO; 2], velocity: [Wide::ZERO; 2], k: [Wide::ZERO; 3] };
                for lane in 0..carom_wide::LANES {
                    task.before[0].0[lane] = 2.0 * number(lane, 1);
                    task.before[1].0[lane] = 2.0 * number(lane, 2);
                    task.velocity[0].0[lane] = 10.0 * number(lane, 3) - 6.0;
                    task.velocity[1].0[lane] = 10.0 * number(lane, 4) - 6.0;
                    task.k[0].0[lane] = 1.0 + 4.0 * number(lane, 5);
                    task.k[2].0[lane] = 1.0 + 4.0 * number(lane, 6);
                    let most = (0.9 * task.k[0].0[lane] * task.k[2].0[lane]).sqrt();
                    task.k[1].0[lane] = most * (2.0 * number(lane, 7) - 1.0);
                }
                let Pairs { before, velocity, k } = &task;
                let given = Pairs { before: *before, velocity: *velocity, k: *k };
                let sums = width.run(given);
                for lane in 0..carom_wide::LANES {
                    let [x, y] = [0, 1].map(|i| sums[i].0[lane]);
                    let [dx, dy] = [x - before[0].0[lane], y - before[1].0[lane]];
                    let short = [
                        k[0].0[lane] * dx + k[1].0[lane] * dy - velocity[0].0[lane],
                        k[1].0[lane] * dx + k[2].0[lane] * dy - velocity[1].0[lane],
                    ];
                    for (sum, short) in [(x, short[0]), (y, short[1])] {
                        assert!(
                            sum >= 0.0 && short > -1.0e-4 && (sum == 0.0 || short < 1.0e-4),
                            "{width}: {sum}, {short}"
                        );
                    }
                    cases[usize::from(x > 0.0)][usize::from(y > 0.0)] += 1;
                }
            }
        }
        assert!(cases.as_flattened().iter().all(|&count| count > 100), "{cases:?}");
    }
}
