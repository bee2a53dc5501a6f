//! Contacts that have taken an impact in a sub-step: the next one expects the load from before it.

use super::{BlockExtras, Common, ContactBlock, DriveBlock, InverseMasses};
use crate::collide::LINEAR_SLOP;
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Lanes2, Places, Wide, Wide2, each_part, part_bits};

/// Where surfaces overlap by more than this, in metres, a load presses them together: its impulse is no impact, and is
/// expected again in the next sub-step.
const PRESSED: f32 = 2.0 * LINEAR_SLOP;

/// Marks impacted contacts, with the impulses that the next sub-step may expect of them.
#[inline(always)]
pub(crate) fn note_impacts<L: Lanes, const POINTS: usize>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    before: [L; 2],
    sums: [L; 2],
    separations: [L; 2],
    impact_speed: f32,
    first: usize,
) {
    let mut expected = [L::splat(0.0); 2];
    let mut impacted = 0;
    for i in 0..POINTS {
        expected[i] = before[i] + before[i] + L::splat(impact_speed) * L::load(&block.points[i].normal_mass, first);
        impacted |= L::bits(L::both(sums[i].greater(expected[i]), separations[i].greater(L::splat(-PRESSED))));
    }
    if impacted != 0 {
        block.traits.impacted = true;
        extras.impacted |= (impacted << first) as u16;
        for i in 0..POINTS {
            expected[i].store(&mut extras.expected[i], first);
        }
    }
}

/// An impact is over within its sub-step: the next one expects the impulses from before it. Those of the impact are kept
/// for one sub-step, so that what is left of it is not taken for another one.
#[inline(always)]
pub(crate) fn forget_impacts<L: Lanes>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    drives: &Parts<'_, DriveBlock>,
) {
    let impacted = std::mem::take(&mut extras.impacted);
    block.traits.impacted = impacted != 0;
    if impacted == 0 {
        return;
    }
    for first in each_part::<L>(block.count as usize) {
        let lanes = part_bits::<L>(impacted, first);
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

/// Changes of velocity of the bodies on one side of a part, by impacts that are over.
struct Gone<L> {
    velocity: Lanes2<L>,
    angular_velocity: L,
}

/// Lets the points of these lanes expect no impact. Returns what is gone.
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
    let (zero, impacted) = (L::splat(0.0), L::mask(lanes));
    let (mut gone, mut turn_a, mut turn_b) = (Lanes2 { x: zero, y: zero }, zero, zero);
    for i in 0..POINTS {
        let point = &mut block.points[i];
        let (push, slide) = (L::load(&point.normal_impulse, first), L::load(&point.tangent_impulse, first));
        L::select(impacted, push, zero).store(&mut extras.impact_impulses[i], first);
        let kept = L::select(impacted, push.min(L::load(&extras.expected[i], first)), push);
        let held = L::select(impacted, slide.clamp_symmetric(common.friction * kept), slide);
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
            // SAFETY: contacts of one colour share no body that they may move, so no other thread reads its lane.
            unsafe {
                (*drive).free.x.0[at] += velocity.x.0[lane];
                (*drive).free.y.0[at] += velocity.y.0[lane];
                (*drive).free_spin.0[at] += spin.0[lane];
            }
        }
    }
}
