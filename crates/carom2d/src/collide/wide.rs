//! Contacts on lease, side by side.
//!
//! Most contacts are on lease, and most of these are two edges that lie over each other. What `lease.rs` and `polygon.rs`
//! compute for one pair is computed here for as many as there are lanes, by the same operations in the same order, so to
//! the same bits. Everything else (corners that pass each other, edges that stand upright or lie beside each other,
//! leases that have run out) is left to them.

use super::lease::{Lease, OF_B};
use super::polygon::{CORNER_TOLERANCE, FACING_TOLERANCE, GAP_TOLERANCE, HINT_TOLERANCE};
use carom_wide::{Lanes, Lanes2, gather_quad};

/// One pose per lane.
#[derive(Clone, Copy)]
pub(crate) struct LanePoses<L> {
    pub(crate) p: Lanes2<L>,
    pub(crate) c: L,
    pub(crate) s: L,
}

impl<L: Lanes> LanePoses<L> {
    /// A vector of the local frame in the outer one.
    #[inline(always)]
    pub(crate) fn rotate(&self, v: Lanes2<L>) -> Lanes2<L> {
        v.rotated(self.c, self.s)
    }

    /// A point of the local frame in the outer one.
    #[inline(always)]
    fn point(&self, local: Lanes2<L>) -> Lanes2<L> {
        self.rotate(local) + self.p
    }

    /// The other poses in the frames of these.
    #[inline(always)]
    pub(crate) fn inv_mul(&self, other: &LanePoses<L>) -> LanePoses<L> {
        LanePoses {
            p: (other.p - self.p).rotated(self.c, -self.s),
            c: self.c * other.c + self.s * other.s,
            s: self.c * other.s - self.s * other.c,
        }
    }

    #[inline(always)]
    fn inverse(&self) -> LanePoses<L> {
        LanePoses { p: -self.p.rotated(self.c, -self.s), c: self.c, s: -self.s }
    }

    #[inline(always)]
    fn select(mask: L::Mask, yes: &LanePoses<L>, no: &LanePoses<L>) -> LanePoses<L> {
        LanePoses { p: select(mask, yes.p, no.p), c: L::select(mask, yes.c, no.c), s: L::select(mask, yes.s, no.s) }
    }
}

#[inline(always)]
fn select<L: Lanes>(mask: L::Mask, yes: Lanes2<L>, no: Lanes2<L>) -> Lanes2<L> {
    Lanes2 { x: L::select(mask, yes.x, no.x), y: L::select(mask, yes.y, no.y) }
}

// Closures over lanes would be compiled without the instructions that their callers have, so these are functions.

/// One bit per lane where `a < b`.
#[inline(always)]
fn less<L: Lanes>(a: L, b: L) -> u32 {
    L::bits(b.greater(a))
}

/// One bit per lane where `a <= b`.
#[inline(always)]
fn at_most<L: Lanes>(a: L, b: L) -> u32 {
    L::bits(b.at_least(a))
}

/// Incident edges: their ends, the places of these along the references, and their heights over them.
struct Incident<L> {
    ends: [Lanes2<L>; 2],
    along: [L; 2],
    heights: [L; 2],
}

impl<L: Lanes> Incident<L> {
    /// Where it is cut at a place along the reference, and how high.
    #[inline(always)]
    fn cut(&self, at: L) -> (Lanes2<L>, L) {
        let ([low, high], [first, second]) = (self.along, self.heights);
        let fraction = L::splat(0.0).max((at - low).divided_by(high - low).min(L::splat(1.0)));
        let point = self.ends[0] + (self.ends[1] - self.ends[0]).scale(fraction);
        (point, first + (second - first) * fraction)
    }
}

/// The manifolds of two edges per lane, in the frames of a.
pub(crate) struct EdgesSideBySide<L> {
    pub(crate) normal: Lanes2<L>,
    pub(crate) points: [Lanes2<L>; 2],
    pub(crate) separations: [L; 2],
    /// The points that there are: one bit per lane, that of the first lane lowest.
    pub(crate) present: [u32; 2],
    /// Lanes in which all this is so. In the others it says nothing.
    pub(crate) known: u32,
}

impl<L: Lanes> EdgesSideBySide<L> {
    /// What the leases say with b at these poses in the frames of a. For leases [of edges](Lease::is_of_edges).
    #[inline(always)]
    pub(crate) fn find<'l>(lease: impl Fn(usize) -> &'l Lease, b_in_a: &LanePoses<L>, margin: f32) -> Self {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));

        // Does the lease hold?
        let [x, y, c, s] = gather_quad::<0, L, Lease>(&lease);
        let [distance_squared, turn_squared, doubt, found] = gather_quad::<1, L, Lease>(&lease);
        let moved = b_in_a.p - Lanes2 { x, y };
        let turned = Lanes2 { x: b_in_a.c - c, y: b_in_a.s - s };
        let mut known = at_most(moved.dot(moved), distance_squared) & at_most(turned.dot(turned), turn_squared);

        // Measure: the ends of the incident edge over the reference.
        let of_b = found.has_bits(OF_B);
        let two_in_one = LanePoses::select(of_b, &b_in_a.inverse(), b_in_a);
        let [x, y, start_x, start_y] = gather_quad::<2, L, Lease>(&lease);
        let [end_x, end_y, low_x, low_y] = gather_quad::<3, L, Lease>(&lease);
        let [high_x, high_y, radius_one, radius_two] = gather_quad::<4, L, Lease>(&lease);
        let normal = Lanes2 { x, y };
        let tangent = Lanes2 { x: -y, y: x };
        let (start, end) = (Lanes2 { x: start_x, y: start_y }, Lanes2 { x: end_x, y: end_y });
        let incident =
            [two_in_one.point(Lanes2 { x: low_x, y: low_y }), two_in_one.point(Lanes2 { x: high_x, y: high_y })];
        let (from_low, from_high) = (incident[0] - start, incident[1] - start);
        let (low, high) = (from_low.dot(tangent), from_high.dot(tangent));
        let heights = [from_low.dot(normal), from_high.dot(normal)];
        let length = (end - start).dot(tangent);

        // Is it still the best edge?
        let separation = heights[0].min(heights[1]);
        let [_, _, x, y] = gather_quad::<5, L, Lease>(&lease);
        let rival = Lanes2 { x, y };
        let no_rival = L::bits(L::both(x.equals(zero), y.equals(zero)));
        let rival_normal = two_in_one.rotate(rival);
        let rival_separation = rival_normal.dot(start - incident[0]).min(rival_normal.dot(end - incident[0]));
        let highest = L::select(L::mask(no_rival), separation, separation.max(rival_separation));
        let lead = separation - rival_separation;
        let bend = one + normal.dot(rival_normal);
        let facing = less(bend, L::splat(0.5 * FACING_TOLERANCE)) & less(bend * highest, L::splat(0.5 * GAP_TOLERANCE));
        let close = at_most(doubt - L::splat(HINT_TOLERANCE), lead) & facing;
        known &= no_rival | at_most(doubt, lead) | close;
        let reach = L::splat(margin) + radius_one + radius_two;
        known &= !less(reach - doubt, highest);

        // Corners that pass each other, and what is not over the edge, is not known here.
        let tolerance = L::splat(CORNER_TOLERANCE);
        let lower = L::select(heights[0].greater(heights[1]), high, low);
        let past_a_corner = less(lower, -tolerance) | less(length + tolerance, lower);
        known &= less(highest, -doubt) | !past_a_corner;
        known &= !(at_most(high, zero) | at_most(length, low) | at_most(high, low));

        // Cut the incident edge off at the ends of the reference.
        let edge = Incident { ends: incident, along: [low, high], heights };
        let (first, first_height) = edge.cut(zero);
        let (second, second_height) = edge.cut(length);
        let (over_start, over_end) = ((-tolerance).greater(low), high.greater(length + tolerance));
        let ends = [
            (select(over_start, first, incident[0]), L::select(over_start, first_height, heights[0])),
            (select(over_end, second, incident[1]), L::select(over_end, second_height, heights[1])),
        ];
        let radii = radius_one + radius_two;
        let lift = [radius_one - radius_two - ends[0].1, radius_one - radius_two - ends[1].1];
        let first = ends[0].0 + normal.scale(L::splat(0.5) * lift[0]);
        let second = ends[1].0 + normal.scale(L::splat(0.5) * lift[1]);
        let (first_separation, second_separation) = (ends[0].1 - radii, ends[1].1 - radii);

        // From the frame of b to that of a, where the points change places.
        let points = [select(of_b, b_in_a.point(second), first), select(of_b, b_in_a.point(first), second)];
        let separations = [
            L::select(of_b, second_separation, first_separation),
            L::select(of_b, first_separation, second_separation),
        ];
        let margin = L::splat(margin);
        let present = [at_most(separations[0], margin), at_most(separations[1], margin)];
        EdgesSideBySide {
            normal: select(of_b, -b_in_a.rotate(normal), normal),
            points,
            separations,
            present,
            known: known & (present[0] | present[1]),
        }
    }
}
