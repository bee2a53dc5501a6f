//! Effective masses and softness of the points of a block, and what follows from them.
//!
//! For one contact point with anchors `r_a`, `r_b` from the centres of mass and unit vector `u`
//! (normal `n` or tangent `t = (n.y, -n.x)`):
//!
//! ```text
//! velocity        J v = u . (v_b + w_b x r_b - v_a - w_a x r_a)
//! response        K   = u . (M_a^-1 + M_b^-1) u + I_a^-1 (r_a x u)^2 + I_b^-1 (r_b x u)^2
//! impulse P u on b, -P u on a, changes J v by K P
//! ```

use crate::body::{BodyKind, LockedAxes};
use crate::contact::{Contact, ContactPoint};
use crate::math::Vec2;
use crate::solver::{BlockExtras, Common, ContactBlock, InverseMasses};
use crate::stage::restitution::found_late;
use crate::world::WorldState;
use carom_wide::{LANES, Lanes, Lanes2, Task, Wide, each_part, gather_quad, part_bits};

/// The points of the contacts of a block.
pub(crate) struct Points<'a> {
    /// Those that are not there are [`ContactPoint::NONE`].
    pub(crate) points: [[&'a ContactPoint; LANES]; 2],
    /// Those that are there, one bit per lane.
    pub(crate) present: [u16; 2],
    /// Of the [softness](crate::solver::Softness) of each contact.
    pub(crate) softening: Wide,
}

/// What is known of the loads of the last step.
#[derive(Clone, Copy)]
pub(crate) struct Loads {
    /// See `StepContext`. Zero without gravity, where nothing sways.
    pub(crate) slow_squared: f32,
    /// The share of an impulse that goes to each of the last step's sub-steps.
    pub(crate) per_substep: f32,
}

/// Takes the points over into a block and computes masses, and what follows from them. Says which contacts were found so
/// late that they are to be set right like a rebound, one bit per lane.
pub(crate) struct Weigh<'a> {
    pub(crate) block: &'a mut ContactBlock,
    pub(crate) extras: &'a mut BlockExtras,
    pub(crate) points: &'a Points<'a>,
    pub(crate) loads: Loads,
    pub(crate) warmth: f32,
    pub(crate) dt: f32,
}

impl Task for Weigh<'_> {
    type Output = u16;

    #[inline(always)]
    fn run<L: Lanes>(self) -> u16 {
        let Weigh { block, extras, points, loads, warmth, dt } = self;
        let mut late = 0;
        for first in each_part::<L>(block.count as usize) {
            for i in 0..if block.traits.two_points { 2 } else { 1 } {
                late |= (take_points::<L>(block, points, i, first, (warmth, dt)) as u16) << first;
            }
            weigh_part::<L>(block, extras, points, first);
            if block.traits.two_points && loads.slow_squared > 0.0 {
                delay_part::<L>(block, extras, points, loads, first);
            }
        }
        late
    }
}

/// Takes one point of each contact over into a block. One bit per lane for those that were found late.
#[inline(always)]
fn take_points<L: Lanes>(
    block: &mut ContactBlock,
    points: &Points<'_>,
    i: usize,
    first: usize,
    (warmth, dt): (f32, f32),
) -> u32 {
    let point = &mut block.points[i];
    let [anchor_a_x, anchor_a_y, anchor_b_x, anchor_b_y] =
        gather_quad::<0, L, ContactPoint>(|lane| points.points[i][first + lane]);
    let [separation, approach, normal, tangent] =
        gather_quad::<4, L, ContactPoint>(|lane| points.points[i][first + lane]);
    Lanes2 { x: anchor_a_x, y: anchor_a_y }.store(&mut point.anchor_a, first);
    Lanes2 { x: anchor_b_x, y: anchor_b_y }.store(&mut point.anchor_b, first);
    (normal * L::splat(warmth)).store(&mut point.normal_impulse, first);
    (tangent * L::splat(warmth)).store(&mut point.tangent_impulse, first);
    separation.store(&mut point.base_separation, first);
    let zero = L::splat(0.0);
    zero.store(&mut point.total_impulse, first);
    zero.store(&mut point.total_tangent, first);
    L::bits(found_late(separation, approach, dt))
}

/// Share of `K` that is left of nothing in single precision: some sixteen units in the last place.
const ROUNDING: f32 = 1.0e-6;

/// What is left of `K` at a point where nothing can move along the normal or tangent, by rounding.
pub(crate) fn negligible_response(world: &WorldState, contact: &Contact, point: &ContactPoint) -> f32 {
    let a = free_response(world, contact.body_a, point.anchor_a);
    ROUNDING * (a + free_response(world, contact.body_b, point.anchor_b))
}

/// What a body with locked axes would contribute to `K` if it were free. Beside it, a `K` of rounding
/// errors is none: the body cannot move along that direction. Zero for bodies without locks, whose `K`
/// is never in doubt.
fn free_response(world: &WorldState, body: u32, r: Vec2) -> f32 {
    let record = &world.bodies[body];
    if record.kind != BodyKind::Dynamic || record.locked == LockedAxes::default() {
        return 0.0;
    }
    inverse(record.mass) + inverse(record.inertia) * r.length_squared()
}

/// The effective mass; zero where nothing can move.
pub(crate) fn inverse(k: f32) -> f32 {
    if k > 0.0 { 1.0 / k } else { 0.0 }
}

/// `K` of two points, as `response` in `solver/mod.rs`.
#[inline(always)]
fn wide_response<L: Lanes>(
    (inv_mass, inv_inertia_a, inv_inertia_b): (Lanes2<L>, L, L),
    u: Lanes2<L>,
    at: (Lanes2<L>, Lanes2<L>),
    seen: (Lanes2<L>, Lanes2<L>),
) -> L {
    inv_mass.x * u.x * u.x
        + inv_mass.y * u.y * u.y
        + inv_inertia_a * at.0.cross(u) * seen.0.cross(u)
        + inv_inertia_b * at.1.cross(u) * seen.1.cross(u)
}

/// Separation in metres of points that are not there: whatever the bodies do, they do not count as overlapping.
const NOWHERE_NEAR: f32 = 1.0e9;

/// The effective mass; zero where nothing can move.
#[inline(always)]
fn wide_inverse<L: Lanes>(k: L) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let some = k.greater(zero);
    L::select(some, L::select(some, k, one).recip(), zero)
}

/// From the centres of mass to a point.
#[inline(always)]
fn arms<L: Lanes>(block: &ContactBlock, point: usize, first: usize) -> (Lanes2<L>, Lanes2<L>) {
    let point = &block.points[point];
    (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first))
}

#[inline(always)]
fn weigh_part<L: Lanes>(block: &mut ContactBlock, extras: &BlockExtras, points: &Points<'_>, first: usize) {
    let zero = L::splat(0.0);
    let normal = Lanes2::<L>::load(&block.normal, first);
    let tangent = normal.right_perp();
    let [a, b] = InverseMasses::load(block, extras, &Common::<L>::load(block, extras, first), first);
    let movers = (a.mass + b.mass, a.inertia, b.inertia);
    if block.traits.two_points {
        let second = L::mask(part_bits::<L>(points.present[1], first));
        let k = wide_response(movers, normal, arms(block, 0, first), arms(block, 1, first));
        L::select(second, k, zero).store(&mut block.coupling, first);
    }
    for i in 0..if block.traits.two_points { 2 } else { 1 } {
        let (arm_a, arm_b) = arms::<L>(block, i, first);
        let (mut core_a, mut core_b) = (arm_a, arm_b);
        if block.traits.rounded {
            core_a = core_a - normal.scale(L::load(&extras.rounding_a, first));
            core_b = core_b + normal.scale(L::load(&extras.rounding_b, first));
        }
        let point = &mut block.points[i];
        let present = L::mask(part_bits::<L>(points.present[i], first));
        let separation = L::load(&point.base_separation, first) - (core_b - core_a).dot(normal);
        L::select(present, separation, L::splat(NOWHERE_NEAR)).store(&mut point.base_separation, first);
        let negligible = L::load(&extras.negligible[i], first);
        let k = wide_response(movers, normal, (arm_a, arm_b), (arm_a, arm_b));
        let k = L::select(L::both(present, k.greater(negligible)), k, zero);
        let k_tangent = wide_response(movers, tangent, (arm_a, arm_b), (arm_a, arm_b));
        let k_tangent = L::select(L::both(present, k_tangent.greater(negligible)), k_tangent, zero);
        wide_inverse(k).store(&mut point.normal_mass, first);
        wide_inverse(k_tangent).store(&mut point.tangent_mass, first);
        (L::load(&points.softening, first) * k).store(&mut point.softening, first);
    }
}

/// Damps the rocking of contacts that carry many bodies: see `SWAY_DAMPING`.
#[inline(always)]
fn delay_part<L: Lanes>(
    block: &mut ContactBlock,
    extras: &mut BlockExtras,
    points: &Points<'_>,
    loads: Loads,
    first: usize,
) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let slow_squared = L::splat(loads.slow_squared);
    let common = Common::<L>::load(block, extras, first);
    let light = common.inv_mass_a.min(common.inv_mass_b);
    let second = L::mask(part_bits::<L>(points.present[1], first));
    // The load as a speed: what it would give to the heavier body.
    let last =
        (L::load(&block.points[0].normal_impulse, first) + L::load(&block.points[1].normal_impulse, first)) * light;
    if L::bits(L::both(second, (last * last).greater(slow_squared))) == 0 {
        return;
    }
    let totals = [0, 1].map(|i| gather_quad::<6, L, ContactPoint>(|lane| points.points[i][first + lane])[2]);
    let mean = (totals[0] + totals[1]) * L::splat(loads.per_substep) * light;
    // What is sure of it, as in `grow_steady`: a landing is no column.
    let load = last.min(mean + mean - last).max(zero);
    let squared = load * load;
    let is_column = L::both(second, squared.greater(slow_squared));
    let share = slow_squared * L::select(is_column, squared, one).recip();
    L::select(is_column, L::splat(0.5) * (one - share), zero).store(&mut extras.delay, first);
    let has_column = L::bits(is_column) != 0;
    block.traits.column |= has_column;
    extras.traits.column |= has_column;
}
