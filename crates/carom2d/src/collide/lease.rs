//! For how long the outcome of a search holds.
//!
//! Which edges of two polygons are in contact, or that two shapes are out of reach of each other, is found by looking at
//! all their edges, and stays so from step to step. A search therefore also says how far the shapes may move against
//! each other before its outcome is in doubt: the *lease*. Until then the contact is computed from the two edges alone,
//! and comes out to the bit as a new search would have it, because it is the same computation.
//!
//! With `b_in_a` changed from `(p0, R0)` to `(p, R)`, let `d = |p - p0|` and `t = |R - R0|`, the length by which the unit
//! vectors change.
//!
//! ```text
//! a vertex x of b, seen from a, moves by at most       d + t |x|
//! a vertex y of a, seen from b, moves by at most       d + t |y - p0|
//! ```
//!
//! and no separation along an edge normal changes by more than the vertices move that it measures. So
//!
//! - shapes that are apart by `s` more than they can reach stay out of reach while the motion is below `s`;
//! - the reference edge stays the best of its polygon while the motion is below half of its lead over the second best;
//!   and likewise over the edges of the other polygon, but for one: where two edges face each other, both have nearly the
//!   same separation. This *rival* is compared at every use;
//! - an edge stays the one that faces another while `2 t` is below the lead of its normal.

use super::polygon::{EdgePair, FACING_TOLERANCE, GAP_TOLERANCE, HINT_TOLERANCE, Outline, Side, inverse};
use super::{Axis, Manifold, Reference};
use crate::math::{Pose, Rot, Vec2, max, min};
use carom_wide::{Lanes, Lanes2};

/// What a search found, and how far the shapes may move until another is due.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Lease {
    /// Where b was in the frame of a.
    b_in_a: Pose,
    /// The squares of the largest `d` and `t`; negative when there is no lease.
    distance_squared: f32,
    turn_squared: f32,
    /// How much separations may differ by rounding: what is nearer to a decision is left to a search.
    doubt: f32,
    /// [`APART`], or what [`packed`] makes of the reference.
    found: u32,
    /// The edges, where some were found.
    pair: EdgePair,
    /// The normal of the incident edge, in the frame of its polygon, if it is the rival; zero otherwise.
    rival: Vec2,
}

carom_wide::quads!(
    Lease:
    b_in_a.p.x,
    b_in_a.p.y,
    b_in_a.q.c,
    b_in_a.q.s,
    distance_squared,
    turn_squared,
    doubt,
    found,
    pair.normal.x,
    pair.normal.y,
    pair.start.x,
    pair.start.y,
    pair.end.x,
    pair.end.y,
    pair.incident_low.x,
    pair.incident_low.y,
    pair.incident_high.x,
    pair.incident_high.y,
    pair.radius_one,
    pair.radius_two,
    pair.ids,
    pair.may_be_in_line,
    rival.x,
    rival.y,
);

/// The shapes are out of reach of each other.
const APART: u32 = 0;
/// Bits of [`packed`]: whose edge it is. The low byte is its number.
const OF_A: u32 = 0x100;
pub(super) const OF_B: u32 = 0x200;

/// A reference as a number; never [`APART`] for an edge.
#[inline]
fn packed(reference: Reference) -> u32 {
    match reference {
        Reference::None => APART,
        Reference::A(edge) => OF_A | u32::from(edge),
        Reference::B(edge) => OF_B | u32::from(edge),
    }
}

/// Rounding errors of a separation, per metre of the lengths it is computed from: some 16 times the precision of f32.
pub(super) const ROUNDING: f32 = 1.0e-6;

impl Lease {
    pub(crate) const NONE: Lease = Lease {
        b_in_a: Pose::IDENTITY,
        distance_squared: -1.0,
        turn_squared: -1.0,
        doubt: 0.0,
        found: APART,
        pair: EdgePair::NONE,
        rival: Vec2::ZERO,
    };

    /// A lease on two things that are `gap` beyond each other's reach, where no vertex that matters moves by more than
    /// `d + t * arm`. `other_arm` is what else the gap was computed from.
    pub(super) fn apart(b_in_a: Pose, gap: f32, arm: f32, other_arm: f32) -> Lease {
        let gap = gap - ROUNDING * size(b_in_a, arm, other_arm);
        if gap <= 0.0 {
            return Lease::NONE;
        }
        Lease::new(b_in_a, 0.5 * gap, 0.5 * gap / arm)
    }

    /// A lease on polygons that an edge of a holds apart.
    pub(super) fn apart_by_a(a: &Outline, b: &Outline, b_in_a: Pose, gap: f32) -> Lease {
        let (arm_a, arm_b) = arms(a, b, b_in_a);
        Lease::apart(b_in_a, gap, arm_b, arm_a)
    }

    /// The same of an edge of b.
    pub(super) fn apart_by_b(a: &Outline, b: &Outline, b_in_a: Pose, gap: f32) -> Lease {
        let (arm_a, arm_b) = arms(a, b, b_in_a);
        Lease::apart(b_in_a, gap, arm_a, arm_b)
    }

    /// A lease on a reference edge: the best of `one`, with its lead over the second best. `two` is the other polygon.
    pub(super) fn of_edges(
        (one, axis_one, second_one): (&Outline, Axis, f32),
        (two, axis_two, second_two): (&Outline, Axis, f32),
        b_in_a: Pose,
        a_in_b: Pose,
        reference: Reference,
    ) -> Lease {
        let (arm_a, arm_b) =
            if let Reference::B(_) = reference { arms(two, one, b_in_a) } else { arms(one, two, b_in_a) };
        let (two_in_one, arm_one, arm_two) =
            if let Reference::B(_) = reference { (a_in_b, arm_b, arm_a) } else { (b_in_a, arm_a, arm_b) };
        let doubt = ROUNDING * size(b_in_a, arm_a, arm_b);

        let normal = one.normals[axis_one.edge];
        let (incident, incident_lead) = facing_edge(two, two_in_one.q.inv_rotate(normal));
        let rival_normal = two.normals[axis_two.edge];
        let (facing_rival, rival_lead) = facing_edge(one, two_in_one.q.rotate(rival_normal));
        let is_rival = incident == axis_two.edge && facing_rival == axis_one.edge;

        let lead_in_one = axis_one.separation - second_one - 2.0 * doubt;
        let next_in_two = if is_rival { second_two } else { axis_two.separation };
        let lead_over_two = axis_one.separation - next_in_two - 2.0 * doubt;
        let distance = 0.25 * min(lead_in_one, lead_over_two);
        let lead_facing = if is_rival { min(incident_lead, rival_lead) } else { incident_lead } - 1.0e-5;
        if !(distance > 0.0 && lead_facing > 0.0) {
            return Lease::NONE;
        }
        // Vertices of two move by d + t arm_two as seen from one, and those of one by d + t arm_one as seen from two.
        let turn = min(0.25 * lead_in_one / arm_two, 0.5 * lead_over_two / (arm_one + arm_two));
        let pair = EdgePair::new(one, two, two_in_one, axis_one.edge);
        let rival = if is_rival { rival_normal } else { Vec2::ZERO };
        let lease = Lease::new(b_in_a, distance, min(turn, 0.5 * lead_facing));
        Lease { doubt, found: packed(reference), pair, rival, ..lease }
    }

    /// A lease on shapes that are apart, as one lane of [`ApartFor`] has it; leaves what is known of edges as it is.
    #[inline]
    pub(crate) fn set_apart(&mut self, b_in_a: Pose, distance_squared: f32, turn_squared: f32) {
        (self.b_in_a, self.distance_squared, self.turn_squared) = (b_in_a, distance_squared, turn_squared);
        self.found = APART;
    }

    /// Ends it.
    #[inline]
    pub(crate) fn end(&mut self) {
        (self.distance_squared, self.turn_squared, self.found) = (-1.0, -1.0, APART);
    }

    fn new(b_in_a: Pose, distance: f32, turn: f32) -> Lease {
        Lease { b_in_a, distance_squared: distance * distance, turn_squared: turn * turn, ..Lease::NONE }
    }

    /// True when all that the search found was that the shapes are out of reach of each other.
    #[inline]
    pub(crate) fn holds_apart(&self) -> bool {
        self.found == APART && self.distance_squared >= 0.0
    }

    /// False when the shapes moved too far to tell; never true of NaN.
    #[inline]
    pub(crate) fn holds(&self, b_in_a: Pose) -> bool {
        let (moved, Rot { c, s }) = (b_in_a.p - self.b_in_a.p, self.b_in_a.q);
        let turned = Vec2::new(b_in_a.q.c - c, b_in_a.q.s - s);
        moved.length_squared() <= self.distance_squared && turned.length_squared() <= self.turn_squared
    }

    /// What a search would find at another pose, or nothing where only a search can tell. `hint` is as for
    /// [`collide`](super::collide()).
    #[inline(always)]
    pub(crate) fn manifold(&self, b_in_a: Pose, margin: f32, hint: Reference) -> Option<Manifold> {
        if !self.holds(b_in_a) {
            return None;
        }
        if self.found == APART {
            return Some(Manifold::default());
        }
        if self.found != packed(hint) {
            return None;
        }
        let pair = &self.pair;
        let two_in_one = if let Reference::B(_) = hint { inverse(b_in_a) } else { b_in_a };
        let at = pair.measured(two_in_one);
        let separation = min(at.heights[0], at.heights[1]);
        let reach = margin + pair.radius_one + pair.radius_two;
        let mut highest = separation;
        if self.rival != Vec2::ZERO {
            let rival_normal = two_in_one.q.rotate(self.rival);
            let rival_separation =
                min(rival_normal.dot(pair.start - at.incident[0]), rival_normal.dot(pair.end - at.incident[0]));
            highest = max(separation, rival_separation);
            // As in `choose_reference`, with room for rounding.
            let lead = separation - rival_separation;
            let bend = 1.0 + pair.normal.dot(rival_normal);
            let facing = bend < 0.5 * FACING_TOLERANCE && bend * highest < 0.5 * GAP_TOLERANCE;
            if !(lead >= self.doubt || lead >= self.doubt - HINT_TOLERANCE && facing) {
                return None;
            }
        }
        // At the end of their reach, or where corners pass each other and it is open whether the shapes are
        // apart, only a search can tell.
        if highest > reach - self.doubt {
            return None;
        }
        let side = if highest > self.doubt {
            Side::Corners
        } else if highest < -self.doubt || pair.nearest_corners(&at).is_none() {
            Side::Deepest
        } else {
            return None;
        };
        Some(pair.contact(&at, b_in_a, hint, side, margin))
    }

    /// True when [`EdgesSideBySide`](super::wide::EdgesSideBySide) may know the manifold.
    #[inline]
    pub(crate) fn is_of_edges(&self, hint: Reference) -> bool {
        self.found != APART && self.found == packed(hint)
    }

    /// The features of the two points of its manifolds, or of the point where corners meet, which has both places.
    #[inline]
    pub(crate) fn ids(&self, corners: Option<[usize; 2]>) -> [u16; 2] {
        point_ids(self.pair.ids, self.found & OF_B != 0, corners)
    }

    /// A lease on edges, as lanes found it.
    #[inline]
    pub(super) fn set_edges(
        &mut self,
        b_in_a: Pose,
        [distance_squared, turn_squared, doubt]: [f32; 3],
        reference: Reference,
        pair: EdgePair,
        rival: Vec2,
    ) {
        *self = Lease { b_in_a, distance_squared, turn_squared, doubt, found: packed(reference), pair, rival };
    }
}

/// The features of two points, given those of either end of a reference edge; or of the point where an end of that edge
/// and an end of the incident one meet, at both places.
#[inline]
pub(super) fn point_ids(ids: [u16; 2], of_b: bool, corners: Option<[usize; 2]>) -> [u16; 2] {
    let [low, high] = match corners {
        Some([corner, other]) => [ids[corner] & 0x00ff | ids[other] & 0xff00; 2],
        None => ids,
    };
    if of_b { [high.swap_bytes(), low.swap_bytes()] } else { [low, high] }
}

/// How far shapes that are apart may move, one pair per lane: see [`Lease::apart`].
pub(crate) struct ApartFor<L> {
    pub(crate) distance_squared: L,
    pub(crate) turn_squared: L,
}

impl<L: Lanes> ApartFor<L> {
    /// As [`Lease::apart`], with `p` the position of b in the frame of a.
    #[inline(always)]
    pub(super) fn new(gap: L, p: Lanes2<L>, arm: L, other_arm: L) -> ApartFor<L> {
        let length = p.dot(p).sqrt();
        let gap = gap - L::splat(ROUNDING) * (arm + other_arm + (length + length));
        let distance = L::splat(0.5) * gap;
        let turn = distance.divided_by(arm);
        let (is_apart, none) = (gap.greater(L::splat(0.0)), L::splat(-1.0));
        ApartFor {
            distance_squared: L::select(is_apart, distance * distance, none),
            turn_squared: L::select(is_apart, turn * turn, none),
        }
    }
}

/// The largest length in a separation.
fn size(b_in_a: Pose, arm_a: f32, arm_b: f32) -> f32 {
    arm_a + arm_b + 2.0 * b_in_a.p.length()
}

/// How far the vertices are from the origin of b: those of a, and those of b.
fn arms(a: &Outline, b: &Outline, b_in_a: Pose) -> (f32, f32) {
    let farthest = |vertices: &[Vec2], from: Vec2| {
        vertices.iter().fold(0.0, |farthest, &vertex| max(farthest, (vertex - from).length_squared())).sqrt()
    };
    (farthest(a.vertices, b_in_a.p), farthest(b.vertices, Vec2::ZERO))
}

/// The edge whose normal points most against `direction`, and by how much more than the next.
fn facing_edge(outline: &Outline, direction: Vec2) -> (usize, f32) {
    let (mut facing, mut lowest, mut second) = (0, f32::MAX, f32::MAX);
    for (i, normal) in outline.normals.iter().enumerate() {
        let along = normal.dot(direction);
        if along < lowest {
            (facing, lowest, second) = (i, along, lowest);
        } else if along < second {
            second = along;
        }
    }
    (facing, second - lowest)
}

#[cfg(test)]
mod tests {
    use super::super::{EdgeRule, SPECULATIVE_DISTANCE};
    use super::*;
    use crate::math::vec2;
    use crate::shape::{Geometry, Polygon};
    use carom_core::Rng;

    fn search(a: &Geometry, b: &Geometry, b_in_a: Pose, margin: f32, hint: Reference) -> (Manifold, Lease) {
        super::super::search(a, b, b_in_a, margin, hint, EdgeRule::Steady)
    }

    fn random_shape(rng: &mut Rng) -> Geometry {
        let offset = if rng.below(3) == 0 { vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0)) } else { Vec2::ZERO };
        let shape = match rng.below(6) {
            0 | 1 => Geometry::rectangle(rng.range(0.2, 1.5), rng.range(0.2, 1.5)),
            2 => Geometry::capsule(vec2(-0.4, 0.0), vec2(rng.range(-0.2, 1.0), 0.1), rng.range(0.05, 0.3)),
            3 => Geometry::segment(vec2(-0.7, 0.0), vec2(0.7, 0.2)),
            4 => Ok(Polygon::regular(3 + rng.below(6) as usize, 0.6).unwrap().with_radius(0.1).unwrap().into()),
            _ => Geometry::circle(rng.range(0.1, 0.8)),
        };
        shape.unwrap().transformed(Pose::new(offset, rng.range(-0.1, 0.1)))
    }

    /// Shapes that wander against each other, with steps from a nanometre to a decimetre: what a lease says is to the
    /// bit what a search says.
    #[test]
    fn a_lease_says_what_a_search_would() {
        let mut rng = Rng::new(11);
        let (mut kept, mut touching, mut asked) = (0, 0, 0);
        for _ in 0..600 {
            let (a, b) = (random_shape(&mut rng), random_shape(&mut rng));
            let mut pose = Pose::new(a.centroid() - b.centroid(), rng.range(-0.05, 0.05));
            // From the middle outwards until they hardly touch.
            let away = Rot::from_angle(rng.range(-3.0, 3.0)).x_axis();
            while search(&a, &b, pose, 0.0, Reference::None).0.count > 0 {
                pose.p += away * 0.01;
            }
            let (mut lease, mut hint) = (Lease::NONE, Reference::None);
            for step in 0..200 {
                let size = 0.1 / (1u64 << rng.below(26)) as f32;
                pose.p += vec2(rng.range(-size, size), rng.range(-size, size)) - away * (0.1 * size);
                pose.q = pose.q.turned(rng.range(-size, size));
                let (fresh, new_lease) = search(&a, &b, pose, SPECULATIVE_DISTANCE, hint);
                asked += 1;
                match lease.manifold(pose, SPECULATIVE_DISTANCE, hint) {
                    Some(found) => {
                        assert_eq!(found, fresh, "step {step} of {a:?} and {b:?} at {pose:?} by {lease:?}");
                        kept += 1;
                        touching += u32::from(found.count > 0);
                    }
                    None => lease = new_lease,
                }
                hint = fresh.reference;
            }
        }
        // Otherwise there would be little to compare.
        assert!(
            kept > asked / 2 && touching > asked / 10,
            "{kept} leases of {asked} held, {touching} of them touching"
        );
    }

    #[test]
    fn no_lease_holds_at_poses_that_are_no_numbers() {
        let a = Geometry::rectangle(1.0, 1.0).unwrap();
        let (_, lease) = search(&a, &a, Pose::at(vec2(3.0, 0.0)), SPECULATIVE_DISTANCE, Reference::None);
        assert!(lease.holds(Pose::at(vec2(3.0, 0.0))) && !lease.holds(Pose::at(vec2(f32::NAN, 0.0))));
        assert!(!Lease::NONE.holds(Pose::IDENTITY));
    }
}
