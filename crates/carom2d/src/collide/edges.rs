//! Forms with edges, searched side by side.
//!
//! What `polygon.rs` computes for one pair is computed here for as many as there are lanes, by the same operations in the
//! same order, so to the same bits: the edges with the largest separations, the choice between them, what is cut off or
//! which corners are nearest, and for how long the outcome holds. Leases need not have the same bits, as they do not
//! change what is found.

use super::form::{Form, LaneForms};
use super::lease::{ApartFor, ROUNDING, point_ids};
use super::polygon::{EdgePair, FACING_TOLERANCE, GAP_TOLERANCE, HINT_TOLERANCE, LENGTH_TOLERANCE, LONGER};
use super::wide::{LaneContact, LanePairs, LanePoses, at_most, less, select};
use super::{Lease, Reference};
use crate::math::{Pose, vec2};
use carom_wide::{Lanes, Lanes2, Wide, Wide2};

/// What a search found in each lane.
pub(crate) struct SearchSideBySide<L> {
    /// Lanes in which the shapes are out of reach, one bit each, that of the first lane lowest; and for how long.
    pub(crate) apart: u32,
    pub(crate) apart_for: ApartFor<L>,
    /// The contacts of the others, in the frames of a.
    pub(crate) contact: LaneContact<L>,
    /// Lanes in which it is the contact of two corners ...
    at_corners: u32,
    /// ... of the high end of the reference, and of the high end of the incident edge.
    high_corners: [u32; 2],
    /// Lanes in which all this is so. In the others it says nothing.
    pub(crate) known: u32,
    /// Whose edges the references are, and their numbers and those of the edges that face them.
    of_b: u32,
    edge: L,
    incident: L,
    lease: LaneLease<L>,
}

/// Leases on edges: see [`Lease`].
struct LaneLease<L> {
    /// Lanes in which there is one.
    present: u32,
    distance_squared: L,
    turn_squared: L,
    doubt: L,
    pair: LanePairs<L>,
    rival: Lanes2<L>,
}

/// The best edges of one form, with their separations and those of the next best.
struct LaneAxes<L> {
    edge: L,
    separation: L,
    second: L,
    /// The separations of the edges used before.
    hinted: L,
}

impl<L: Lanes> LaneAxes<L> {
    #[inline(always)]
    fn best(one: &LaneForms<L>, two: &LaneForms<L>, two_in_one: &LanePoses<L>, hint: L) -> LaneAxes<L> {
        let lowest = L::splat(f32::MIN);
        let mut best = LaneAxes { edge: L::splat(0.0), separation: lowest, second: lowest, hinted: lowest };
        for edge in 0..4 {
            let normal = one.normals[edge];
            let turned = normal.rotated(two_in_one.c, -two_in_one.s);
            let mut nearest = L::splat(f32::MAX);
            for corner in two.corners {
                nearest = turned.dot(corner).min(nearest);
            }
            let separation = normal.dot(two_in_one.p - one.corners[edge]) + nearest;
            let separation = one.only(edge, separation, lowest);
            let number = L::splat(edge as f32);
            let better = separation.greater(best.separation);
            best.second = L::select(better, best.separation, separation.max(best.second));
            best.separation = L::select(better, separation, best.separation);
            best.edge = L::select(better, number, best.edge);
            best.hinted = L::select(hint.equals(number), separation, best.hinted);
        }
        best
    }

    #[inline(always)]
    fn select(mask: L::Mask, yes: &LaneAxes<L>, no: &LaneAxes<L>) -> LaneAxes<L> {
        LaneAxes {
            edge: L::select(mask, yes.edge, no.edge),
            separation: L::select(mask, yes.separation, no.separation),
            second: L::select(mask, yes.second, no.second),
            hinted: L::select(mask, yes.hinted, no.hinted),
        }
    }
}

/// Whose edge carries the normal, and which.
struct LaneReference<L> {
    of_b: u32,
    edge: L,
}

/// As `choose_reference` in `polygon.rs`. The hints are numbers of edges, negative where there is none.
#[inline(always)]
fn choose_reference<L: Lanes>(
    [a, b]: [&LaneForms<L>; 2],
    b_in_a: &LanePoses<L>,
    [axis_a, axis_b]: [&LaneAxes<L>; 2],
    [hint_a, hint_b]: [L; 2],
) -> LaneReference<L> {
    let zero = L::splat(0.0);
    let a_is_best = axis_a.separation.at_least(axis_b.separation);
    let best_separation = L::select(a_is_best, axis_a.separation, axis_b.separation);
    let good_enough = best_separation - L::splat(HINT_TOLERANCE);
    let bend = L::splat(1.0) + a.normal(axis_a.edge).dot(b_in_a.rotate(b.normal(axis_b.edge)));
    let facing = less(bend, L::splat(FACING_TOLERANCE)) & less(bend * best_separation, L::splat(GAP_TOLERANCE));
    let a_is_best = L::bits(a_is_best);

    let hints_at = [L::bits(hint_a.equals(axis_a.edge)), L::bits(hint_b.equals(axis_b.edge))];
    let overlap = at_most(axis_a.separation, zero) & at_most(axis_b.separation, zero);
    let hint_of_b = hint_b.at_least(zero);
    let hinted = L::select(hint_of_b, axis_b.hinted, axis_a.hinted);
    let good_a = hints_at[0] & at_most(good_enough, axis_a.separation);
    let good_b = hints_at[1] & at_most(good_enough, axis_b.separation);
    let stays = a_is_best & hints_at[0]
        | !a_is_best & hints_at[1]
        | overlap & at_most(good_enough, hinted)
        | !overlap & facing & (good_a | good_b);

    let lead = axis_a.separation - axis_b.separation;
    let tolerance = L::splat(LENGTH_TOLERANCE);
    let even = facing & at_most(lead, tolerance) & at_most(-lead, tolerance);
    let (length_a, length_b) = (a.edge_length(axis_a.edge), b.edge_length(axis_b.edge));
    let longer = L::splat(LONGER);
    let longer_a = even & less(longer * length_b, length_a);
    let longer_b = even & !longer_a & less(longer * length_a, length_b);

    let of_b = stays & L::bits(hint_of_b) | !stays & (longer_b | !longer_a & !a_is_best);
    let best = L::select(L::mask(of_b), axis_b.edge, axis_a.edge);
    LaneReference { of_b, edge: L::select(L::mask(stays), hint_a.max(hint_b), best) }
}

/// The edges of forms whose normals point most against some directions, and by how much more than the next.
#[inline(always)]
fn facing_edge<L: Lanes>(form: &LaneForms<L>, direction: Lanes2<L>) -> (L, L) {
    let highest = L::splat(f32::MAX);
    let (mut facing, mut lowest, mut second) = (L::splat(0.0), highest, highest);
    for edge in 0..4 {
        let along = form.only(edge, form.normals[edge].dot(direction), highest);
        let lower = lowest.greater(along);
        second = L::select(lower, lowest, along.min(second));
        lowest = L::select(lower, along, lowest);
        facing = L::select(lower, L::splat(edge as f32), facing);
    }
    (facing, second - lowest)
}

/// Lanes whose forms are out of reach of each other, and for how long. `p` is the position of b in the frame of a.
#[inline(always)]
fn find_apart<L: Lanes>(
    [axis_a, axis_b]: [&LaneAxes<L>; 2],
    [arm_a, arm_b]: [L; 2],
    reach: L,
    p: Lanes2<L>,
) -> (u32, ApartFor<L>) {
    let (beyond_a, beyond_b) = (axis_a.separation.greater(reach), axis_b.separation.greater(reach));
    let gap = L::select(beyond_a, axis_a.separation, axis_b.separation) - reach;
    let (arm, other_arm) = (L::select(beyond_a, arm_b, arm_a), L::select(beyond_a, arm_a, arm_b));
    (L::bits(beyond_a) | L::bits(beyond_b), ApartFor::new(gap, p, arm, other_arm))
}

impl<L: Lanes> SearchSideBySide<L> {
    /// Searches for the contacts of a and b, with b at these poses in the frames of a. The hints are the numbers of the
    /// edges of a and of b used before, negative where there is none.
    #[inline(always)]
    pub(crate) fn find<'f>(
        form_a: impl Fn(usize) -> &'f Form + Copy,
        form_b: impl Fn(usize) -> &'f Form + Copy,
        hints: [L; 2],
        b_in_a: &LanePoses<L>,
        margin: f32,
    ) -> Self {
        let (a, b) = (LaneForms::<L>::gather(form_a), LaneForms::<L>::gather(form_b));
        let a_in_b = b_in_a.inverse();
        let reach = L::splat(margin) + a.radius + b.radius;
        let (axis_a, axis_b) = (LaneAxes::best(&a, &b, b_in_a, hints[0]), LaneAxes::best(&b, &a, &a_in_b, hints[1]));

        // Out of reach of each other, and for how long.
        let (arm_a, arm_b) = (a.farthest_from(b_in_a.p), b.arm);
        let (apart, apart_for) = find_apart([&axis_a, &axis_b], [arm_a, arm_b], reach, b_in_a.p);

        // The reference edge and the one that faces it.
        let LaneReference { of_b, edge } = choose_reference([&a, &b], b_in_a, [&axis_a, &axis_b], hints);
        let by_b = L::mask(of_b);
        let (one, two) = (LaneForms::select(by_b, &b, &a), LaneForms::select(by_b, &a, &b));
        let two_in_one = LanePoses::select(by_b, &a_in_b, b_in_a);
        let normal = one.normal(edge);
        let (incident, incident_lead) = facing_edge(&two, normal.rotated(two_in_one.c, -two_in_one.s));
        let [start, end] = one.ends(edge);
        let [high, low] = two.ends(incident);
        let pair = LanePairs { normal, start, end, low, high, radius_one: one.radius, radius_two: two.radius };

        // Corners that pass each other, or what is left of the incident edge.
        let at = pair.measured(&two_in_one);
        let zero = L::splat(0.0);
        let overlap = at_most(axis_a.separation, zero) & at_most(axis_b.separation, zero);
        let may_be_in_line = less(a.count + b.count, L::splat(4.5));
        let corners = pair.nearest_corners(&at);
        let at_corners = corners.present & (!overlap | may_be_in_line);
        let mut contact = pair.clipped(&at, margin);
        let known = contact.take_corners(&pair, &corners, at_corners, margin) | apart;
        contact.show_in_a(of_b, b_in_a);
        contact.present = contact.present.map(|present| present & !apart);

        // For how long: as `Lease::of_edges`.
        let (axis_one, axis_two) = (LaneAxes::select(by_b, &axis_b, &axis_a), LaneAxes::select(by_b, &axis_a, &axis_b));
        let (arm_one, arm_two) = (L::select(by_b, arm_b, arm_a), L::select(by_b, arm_a, arm_b));
        let length = b_in_a.p.dot(b_in_a.p).sqrt();
        let doubt = L::splat(ROUNDING) * (arm_a + arm_b + (length + length));
        let rival_normal = two.normal(axis_two.edge);
        let (facing_rival, rival_lead) = facing_edge(&one, two_in_one.rotate(rival_normal));
        let is_rival = L::both(incident.equals(axis_two.edge), facing_rival.equals(axis_one.edge));
        let lead_in_one = axis_one.separation - axis_one.second - (doubt + doubt);
        let next_in_two = L::select(is_rival, axis_two.second, axis_two.separation);
        let lead_over_two = axis_one.separation - next_in_two - (doubt + doubt);
        let quarter = L::splat(0.25);
        let lease_distance = quarter * lead_in_one.min(lead_over_two);
        let lead_facing = L::select(is_rival, incident_lead.min(rival_lead), incident_lead) - L::splat(1.0e-5);
        let turn = (quarter * lead_in_one)
            .divided_by(arm_two)
            .min((L::splat(0.5) * lead_over_two).divided_by(arm_one + arm_two))
            .min(L::splat(0.5) * lead_facing);
        let is_best = L::bits(edge.equals(axis_one.edge));
        let nowhere = Lanes2 { x: zero, y: zero };
        let lease = LaneLease {
            present: is_best & less(zero, lease_distance) & less(zero, lead_facing),
            distance_squared: lease_distance * lease_distance,
            turn_squared: turn * turn,
            doubt,
            pair,
            rival: select(is_rival, rival_normal, nowhere),
        };
        SearchSideBySide {
            apart,
            apart_for,
            contact,
            at_corners,
            high_corners: corners.high,
            known,
            of_b,
            edge,
            incident,
            lease,
        }
    }
}

/// Which edges searches found, for all lanes of a block, and leases on them.
#[derive(Default)]
pub(crate) struct FoundEdges {
    of_b: u32,
    at_corners: u32,
    high_corners: [u32; 2],
    edge: Wide,
    incident: Wide,
    leased: u32,
    distance_squared: Wide,
    turn_squared: Wide,
    doubt: Wide,
    normal: Wide2,
    start: Wide2,
    end: Wide2,
    low: Wide2,
    high: Wide2,
    rival: Wide2,
}

impl FoundEdges {
    #[inline(always)]
    pub(crate) fn store<L: Lanes>(&mut self, first: usize, found: &SearchSideBySide<L>) {
        let all = (1 << L::COUNT) - 1;
        self.of_b |= (found.of_b & all) << first;
        self.at_corners |= (found.at_corners & all) << first;
        self.high_corners[0] |= (found.high_corners[0] & all) << first;
        self.high_corners[1] |= (found.high_corners[1] & all) << first;
        found.edge.store(&mut self.edge, first);
        found.incident.store(&mut self.incident, first);
        let LaneLease { present, distance_squared, turn_squared, doubt, pair, rival } = &found.lease;
        self.leased |= (present & all) << first;
        distance_squared.store(&mut self.distance_squared, first);
        turn_squared.store(&mut self.turn_squared, first);
        doubt.store(&mut self.doubt, first);
        pair.normal.store(&mut self.normal, first);
        pair.start.store(&mut self.start, first);
        pair.end.store(&mut self.end, first);
        pair.low.store(&mut self.low, first);
        pair.high.store(&mut self.high, first);
        rival.store(&mut self.rival, first);
    }

    #[inline]
    pub(crate) fn reference(&self, lane: usize) -> Reference {
        let edge = self.edge.0[lane] as u8;
        if self.of_b >> lane & 1 != 0 { Reference::B(edge) } else { Reference::A(edge) }
    }

    /// The features of the points of a contact, as [`Lease::ids`] has them; and its lease.
    #[inline]
    pub(crate) fn write(&self, lane: usize, a: &Form, b: &Form, b_in_a: Pose, lease: &mut Lease) -> [u16; 2] {
        let of_b = self.of_b >> lane & 1 != 0;
        let (one, two) = if of_b { (b, a) } else { (a, b) };
        let ids = Form::ids(one, self.edge.0[lane] as usize, two, self.incident.0[lane] as usize);
        if self.leased >> lane & 1 != 0 {
            let vector = |wide: &Wide2| vec2(wide.x.0[lane], wide.y.0[lane]);
            let pair = EdgePair {
                normal: vector(&self.normal),
                start: vector(&self.start),
                end: vector(&self.end),
                incident_low: vector(&self.low),
                incident_high: vector(&self.high),
                radius_one: one.radius(),
                radius_two: two.radius(),
                ids,
                may_be_in_line: u32::from(a.is_segment() && b.is_segment()),
            };
            let limits = [&self.distance_squared, &self.turn_squared, &self.doubt].map(|wide| wide.0[lane]);
            lease.set_edges(b_in_a, limits, self.reference(lane), pair, vector(&self.rival));
        } else {
            lease.end();
        }
        let corners = self.high_corners.map(|high| (high >> lane & 1) as usize);
        point_ids(ids, of_b, (self.at_corners >> lane & 1 != 0).then_some(corners))
    }
}
