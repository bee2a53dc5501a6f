//! Contacts on lease, side by side.
//!
//! What `lease.rs` and `polygon.rs` compute for one pair is computed here for as many as there are lanes, by the same
//! operations in the same order, so to the same bits. Leases that have run out are left to searches, those of forms to the
//! ones in `edges.rs`.

use super::FAR_END;
use super::circle::COINCIDENT;
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
    pub(super) fn point(&self, local: Lanes2<L>) -> Lanes2<L> {
        self.rotate(local) + self.p
    }

    /// A point of the outer frame in the local one.
    #[inline(always)]
    pub(super) fn inv_point(&self, outer: Lanes2<L>) -> Lanes2<L> {
        (outer - self.p).rotated(self.c, -self.s)
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
    pub(super) fn inverse(&self) -> LanePoses<L> {
        LanePoses { p: -self.p.rotated(self.c, -self.s), c: self.c, s: -self.s }
    }

    #[inline(always)]
    pub(super) fn select(mask: L::Mask, yes: &LanePoses<L>, no: &LanePoses<L>) -> LanePoses<L> {
        LanePoses { p: select(mask, yes.p, no.p), c: L::select(mask, yes.c, no.c), s: L::select(mask, yes.s, no.s) }
    }
}

#[inline(always)]
pub(super) fn select<L: Lanes>(mask: L::Mask, yes: Lanes2<L>, no: Lanes2<L>) -> Lanes2<L> {
    Lanes2 { x: L::select(mask, yes.x, no.x), y: L::select(mask, yes.y, no.y) }
}

// Closures over lanes would be compiled without the instructions that their callers have, so these are functions.

/// One bit per lane where `a < b`.
#[inline(always)]
pub(super) fn less<L: Lanes>(a: L, b: L) -> u32 {
    L::bits(b.greater(a))
}

/// One bit per lane where `a <= b`.
#[inline(always)]
pub(super) fn at_most<L: Lanes>(a: L, b: L) -> u32 {
    L::bits(b.at_least(a))
}

/// Reference edges and the edges that face them: see [`EdgePair`](super::polygon::EdgePair).
pub(crate) struct LanePairs<L> {
    pub(crate) normal: Lanes2<L>,
    pub(crate) start: Lanes2<L>,
    pub(crate) end: Lanes2<L>,
    pub(crate) low: Lanes2<L>,
    pub(crate) high: Lanes2<L>,
    pub(super) radius_one: L,
    pub(super) radius_two: L,
}

/// Incident edges: their ends, the places of these along the references, and their heights over them.
pub(super) struct LaneMeasured<L> {
    pub(super) incident: [Lanes2<L>; 2],
    along: [L; 2],
    pub(super) heights: [L; 2],
    length: L,
}

/// Corners that pass each other.
pub(super) struct LaneCorners<L> {
    /// Lanes in which there are such, one bit each ...
    pub(super) present: u32,
    /// ... at the high end of the reference, and at the high end of the incident edge.
    pub(super) high: [u32; 2],
    /// Where they are, in the frame of the reference.
    ends: [Lanes2<L>; 2],
}

/// Contacts of two edges.
pub(crate) struct LaneContact<L> {
    pub(crate) normal: Lanes2<L>,
    pub(crate) points: [Lanes2<L>; 2],
    pub(crate) separations: [L; 2],
    /// The points that there are: one bit per lane, that of the first lane lowest.
    pub(crate) present: [u32; 2],
}

impl<L: Lanes> LanePairs<L> {
    #[inline(always)]
    pub(super) fn measured(&self, two_in_one: &LanePoses<L>) -> LaneMeasured<L> {
        let tangent = Lanes2 { x: -self.normal.y, y: self.normal.x };
        let incident = [two_in_one.point(self.low), two_in_one.point(self.high)];
        let (from_low, from_high) = (incident[0] - self.start, incident[1] - self.start);
        LaneMeasured {
            incident,
            along: [from_low.dot(tangent), from_high.dot(tangent)],
            heights: [from_low.dot(self.normal), from_high.dot(self.normal)],
            length: (self.end - self.start).dot(tangent),
        }
    }

    /// As `nearest_corners` in `polygon.rs`.
    #[inline(always)]
    pub(super) fn nearest_corners(&self, at: &LaneMeasured<L>) -> LaneCorners<L> {
        let (before, after) = (L::splat(-CORNER_TOLERANCE), at.length + L::splat(CORNER_TOLERANCE));
        let [low, high] = at.along;
        let lower = L::select(at.heights[0].greater(at.heights[1]), high, low);
        let (at_start, at_end) = (less(lower, before), lower.greater(after));
        let corner = select(at_end, self.end, self.start);
        let at_end = L::bits(at_end);

        let span = at.incident[1] - at.incident[0];
        let fraction = (corner - at.incident[0]).dot(span);
        let of_low = at_most(fraction, L::splat(0.0));
        let of_high = !of_low & at_most(span.dot(span), fraction);
        let other = L::select(L::mask(of_high), high, low);
        let beyond = at_start & less(other, before) | at_end & less(after, other);
        LaneCorners {
            present: (of_low | of_high) & beyond,
            high: [at_end, of_high],
            ends: [corner, select(L::mask(of_high), at.incident[1], at.incident[0])],
        }
    }

    /// What is left of the incident edges when they are cut off at the ends of the references, in the frames of these.
    #[inline(always)]
    pub(super) fn clipped(&self, at: &LaneMeasured<L>, margin: f32) -> LaneContact<L> {
        let zero = L::splat(0.0);
        let [low, high] = at.along;
        // Beside the reference, or upright on it: the deeper end is all there is.
        let alone = at_most(high, zero) | at_most(at.length, low) | at_most(high, low);
        let deeper = less(at.heights[1], at.heights[0]);

        let tolerance = L::splat(CORNER_TOLERANCE);
        let cut = [less(low, -tolerance) & !alone, less(at.length + tolerance, high) & !alone];
        let places = [zero, at.length];
        let radii = self.radius_one + self.radius_two;
        let mut points = at.incident;
        let mut separations = at.heights;
        for end in 0..2 {
            let cut = L::mask(cut[end]);
            let (point, height) = at.cut(places[end]);
            let (point, height) = (select(cut, point, points[end]), L::select(cut, height, separations[end]));
            let lift = L::splat(0.5) * (self.radius_one - self.radius_two - height);
            points[end] = point + self.normal.scale(lift);
            separations[end] = height - radii;
        }
        let (margin, reach) = (L::splat(margin), L::splat(FAR_END * margin));
        let near = [at_most(separations[0], margin), at_most(separations[1], margin)];
        let far =
            [at_most(separations[0], reach) & near[1] & !alone, at_most(separations[1], reach) & near[0] & !alone];
        LaneContact {
            normal: self.normal,
            points,
            separations,
            present: [(near[0] | far[0]) & !(alone & deeper), (near[1] | far[1]) & !(alone & !deeper)],
        }
    }
}

impl<L: Lanes> LaneMeasured<L> {
    /// Where the incident edge is cut at a place along the reference, and how high.
    #[inline(always)]
    fn cut(&self, at: L) -> (Lanes2<L>, L) {
        let ([low, high], [first, second]) = (self.along, self.heights);
        let fraction = L::splat(0.0).max((at - low).divided_by(high - low).min(L::splat(1.0)));
        let point = self.incident[0] + (self.incident[1] - self.incident[0]).scale(fraction);
        (point, first + (second - first) * fraction)
    }
}

impl<L: Lanes> LaneContact<L> {
    /// In the lanes of `chosen`, the contact of two corners instead: its point is the first. Returns lanes in which it
    /// is known; in others the corners are at the same place.
    #[inline(always)]
    pub(super) fn take_corners(
        &mut self,
        pair: &LanePairs<L>,
        corners: &LaneCorners<L>,
        chosen: u32,
        margin: f32,
    ) -> u32 {
        let [from, to] = corners.ends;
        let way = to - from;
        let distance = way.dot(way).sqrt();
        let direction = way.scale(distance.recip());
        let separation = distance - (pair.radius_one + pair.radius_two);
        let surfaces = (from + direction.scale(pair.radius_one)) + (to - direction.scale(pair.radius_two));
        let mask = L::mask(chosen);
        self.normal = select(mask, direction, self.normal);
        self.points[0] = select(mask, surfaces.scale(L::splat(0.5)), self.points[0]);
        self.separations[0] = L::select(mask, separation, self.separations[0]);
        let within = at_most(separation, L::splat(margin));
        self.present = [chosen & within | !chosen & self.present[0], !chosen & self.present[1]];
        !chosen | at_most(L::splat(COINCIDENT), distance)
    }

    /// From the frames of b to those of a in some lanes, where the points change places.
    #[inline(always)]
    pub(super) fn show_in_a(&mut self, of_b: u32, b_in_a: &LanePoses<L>) {
        let mask = L::mask(of_b);
        let [first, second] = self.points;
        self.normal = select(mask, -b_in_a.rotate(self.normal), self.normal);
        self.points = [select(mask, b_in_a.point(second), first), select(mask, b_in_a.point(first), second)];
        let [first, second] = self.separations;
        self.separations = [L::select(mask, second, first), L::select(mask, first, second)];
        let [first, second] = self.present;
        self.present = [of_b & second | !of_b & first, of_b & first | !of_b & second];
    }
}

/// What leases say of edges, one pair per lane.
pub(crate) struct EdgesSideBySide<L> {
    /// In the frames of a.
    pub(crate) contact: LaneContact<L>,
    /// Lanes in which it is the contact of two corners, and these: see [`LaneCorners`].
    pub(crate) at_corners: u32,
    pub(crate) high_corners: [u32; 2],
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
        let [distance_squared, turn_squared, doubt, found] = gather_quad::<4, L, Lease>(&lease);
        let moved = b_in_a.p - Lanes2 { x, y };
        let turned = Lanes2 { x: b_in_a.c - c, y: b_in_a.s - s };
        let mut known = at_most(moved.dot(moved), distance_squared) & at_most(turned.dot(turned), turn_squared);

        // Measure: the ends of the incident edge over the reference.
        let of_b = found.has_bits(OF_B);
        let two_in_one = LanePoses::select(of_b, &b_in_a.inverse(), b_in_a);
        let [x, y, start_x, start_y] = gather_quad::<8, L, Lease>(&lease);
        let [end_x, end_y, low_x, low_y] = gather_quad::<12, L, Lease>(&lease);
        let [high_x, high_y, radius_one, radius_two] = gather_quad::<16, L, Lease>(&lease);
        let pair = LanePairs {
            normal: Lanes2 { x, y },
            start: Lanes2 { x: start_x, y: start_y },
            end: Lanes2 { x: end_x, y: end_y },
            low: Lanes2 { x: low_x, y: low_y },
            high: Lanes2 { x: high_x, y: high_y },
            radius_one,
            radius_two,
        };
        let at = pair.measured(&two_in_one);

        // Is it still the best edge?
        let separation = at.heights[0].min(at.heights[1]);
        let [_, may_be_in_line, x, y] = gather_quad::<20, L, Lease>(&lease);
        let rival = Lanes2 { x, y };
        let no_rival = L::bits(L::both(x.equals(zero), y.equals(zero)));
        let rival_normal = two_in_one.rotate(rival);
        let rival_separation =
            rival_normal.dot(pair.start - at.incident[0]).min(rival_normal.dot(pair.end - at.incident[0]));
        let highest = L::select(L::mask(no_rival), separation, separation.max(rival_separation));
        let lead = separation - rival_separation;
        let bend = one + pair.normal.dot(rival_normal);
        let facing = less(bend, L::splat(0.5 * FACING_TOLERANCE)) & less(bend * highest, L::splat(0.5 * GAP_TOLERANCE));
        let close = at_most(doubt - L::splat(HINT_TOLERANCE), lead) & facing;
        known &= no_rival | at_most(doubt, lead) | close;
        let reach = L::splat(margin) + radius_one + radius_two;
        known &= !less(reach - doubt, highest);

        // Corners that pass each other count for shapes that are apart, and for segments in line. Where it is open
        // whether the shapes are apart, only a search can tell.
        let corners = pair.nearest_corners(&at);
        let (apart, overlap) = (less(doubt, highest), less(highest, -doubt));
        known &= !corners.present | apart | overlap;
        let at_corners = corners.present & (apart | L::bits(may_be_in_line.has_bits(1)));
        let mut contact = pair.clipped(&at, margin);
        known &= contact.take_corners(&pair, &corners, at_corners, margin);
        contact.show_in_a(L::bits(of_b), b_in_a);
        known &= contact.present[0] | contact.present[1];
        EdgesSideBySide { contact, at_corners, high_corners: corners.high, known }
    }
}
