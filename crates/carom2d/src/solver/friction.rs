//! Friction of a block of contacts: given the normal impulses of the biased pass, before non-penetration.

use super::impulse::{LeverArms, apply};
use super::two_points::MIN_DETERMINANT;
use super::{BlockExtras, Common, ContactBlock, DriveBlock, InverseMasses, Velocities, at};
use crate::body::{BodyState, NONE};
use crate::math::{Vec2, vec2};
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Lanes2, Rows};

/// The points that carry a load against a wall while friction is solved. They will be held: what friction turns,
/// non-penetration turns back, and that moves the point sideways again. So friction is asked for what leaves it at rest after
/// both: with `K_n` of the loaded points, `v_n` their velocities and `k` what couples them with a tangent, that has not its
/// own velocity `v` and response `K`, but `v - k K_n^-1 v_n` and the Schur complement `K - k K_n^-1 k`.
///
/// Within a heap the points of one contact hold nothing alone: other contacts have their say, and walls whose friction
/// answers what those have not settled yet spread ten times as far.
#[derive(Clone, Copy)]
struct Held<L> {
    /// Lever arms of the points along the normal, and how fast they leave.
    lever_arms: [LeverArms<L>; 2],
    velocities: [L; 2],
    /// `K_n^-1`: first, both, second.
    masses: [L; 3],
    /// The normal impulses once they are held: what bounds friction.
    loads: [L; 2],
}

/// Contacts one of whose bodies cannot be moved.
#[inline(always)]
pub(crate) fn on_walls<L: Lanes>([a, b]: &[InverseMasses<L>; 2]) -> L::Mask {
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
        Held {
            lever_arms: [LeverArms { a: zero, b: zero }; 2],
            velocities: [zero; 2],
            masses: [zero; 3],
            loads: impulses,
        }
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
            held.lever_arms[i] = LeverArms::of(&block.points[i], normal, first);
            held.velocities[i] = leaving + held.lever_arms[i].angular_velocity(a, b);
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

    /// What an impulse along a tangent with these lever arms does to the points.
    #[inline(always)]
    fn coupled(&self, inverse: &[InverseMasses<L>; 2], along: &LeverArms<L>) -> [L; 2] {
        let (turn_a, turn_b) = (inverse[0].inertia * along.a, inverse[1].inertia * along.b);
        [0, 1].map(|i| turn_a * self.lever_arms[i].a + turn_b * self.lever_arms[i].b)
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

/// Solves friction, given the normal impulses of the biased pass. `WALLS` says whether some of the contacts are on walls.
///
/// Friction first, so that non-penetration has the last word. Two points on one edge slide at the same speed, so no
/// motion says which of them holds what. Friction is one impulse, which they share as they share the load: solved one
/// after the other, the first would take all, and which one is first depends on the order of building.
#[inline(always)]
pub(crate) fn solve_friction<L: Lanes, const POINTS: usize, const WALLS: bool>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    [a, b]: [&mut Velocities<L>; 2],
    inverse: &[InverseMasses<L>; 2],
    common: &Common<L>,
    before: [L; 2],
    first: usize,
) {
    let zero = L::splat(0.0);
    let on_walls = on_walls(inverse);
    let normal = Lanes2::load(&block.normal, first);
    let tangent = normal.right_perp();
    let held = if WALLS { Held::of::<POINTS>(block, [a, b], on_walls, before, first) } else { Held::nothing(before) };
    let shares = shares::<L, POINTS>(held.loads);
    let mut lever_arms = [LeverArms { a: zero, b: zero }; 2];
    let (mut along, mut mass) = (LeverArms { a: zero, b: zero }, zero);
    let (mut known, mut sum) = ([zero; 2], zero);
    for i in 0..POINTS {
        lever_arms[i] = LeverArms::of(&block.points[i], tangent, first);
        along.a += shares[i] * lever_arms[i].a;
        along.b += shares[i] * lever_arms[i].b;
        mass += shares[i] * L::load(&block.points[i].tangent_mass, first);
        known[i] = L::load(&block.points[i].tangent_impulse, first);
        sum += known[i];
    }
    let mut velocity = (b.velocity - a.velocity).dot(tangent) + along.angular_velocity(a, b);
    if block.traits.belt {
        velocity -= L::load(&extras.surface_speed, first);
    }
    if WALLS {
        let coupled = held.coupled(inverse, &along);
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
    if WALLS {
        let slides = L::both(L::both(on_walls, (sum * sum).at_least(bound * bound)), load.greater(zero));
        let slides = L::bits(slides);
        if slides != 0 {
            extras.sliding |= (slides << first) as u16;
            block.traits.sliding = true;
        }
    }
    apply::<L, POINTS>([a, b], inverse, tangent, &lever_arms, impulses);
}

/// Sets bodies back that slide on a wall: their positions went by the velocity at the end of the sub-step, and by the trapezoid
/// rule they have come `h dv / 2` less far, where `dv` is what friction and forces gave along the wall. (What flies has that
/// from `integrate.rs`; what sticks does not move.)
///
/// What is wedged may be at the limit of its friction and hardly move: other contacts hold it. Set back by what it would have
/// gained without them it trembles for ever, so no more counts than what it has gained indeed.
#[cold]
#[allow(unsafe_code)]
pub(crate) fn set_back_sliders(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    drives: &Parts<'_, DriveBlock>,
    states: &mut Rows<'_, BodyState>,
    inv_h: f32,
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
            let (drive, place) = (drives.pointer_mut(body as usize / LANES), body as usize % LANES);
            // SAFETY: contacts of one colour share no body that they may move, so no other thread reads its lane.
            let (kick, free) = unsafe { (at(&(*drive).kick, place), at(&(*drive).free, place)) };
            let expected = kick.dot(tangent) + impulse * (inv_mass * tangent).dot(tangent);
            let mut state = states.get(body);
            let gained = (state.velocity - free + kick).dot(tangent);
            let least = if gained.abs() < expected.abs() { gained } else { expected };
            if expected * gained > 0.0 {
                state.delta_position -= tangent * (0.5 * least / inv_h);
            }
            states.set(body, state);
        }
    }
}
