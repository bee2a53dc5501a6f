//! Polygons against polygons: find the edge, then clip.
//!
//! 1. *Search.* For each edge normal of either polygon, the separation along it is the
//!    distance of the other polygon's lowest vertex. By the separating axis theorem the
//!    largest of these is positive exactly when the polygons are apart, and minus the
//!    shortest way out when they overlap. Its edge is the *reference*.
//! 2. *Corners.* Polygons apart may be nearest at two vertices. The distance along a
//!    direction n, maximised over all n, has its maximum between the two neighbouring
//!    edge normals, so the reference edge ends at one of those vertices and the edge of the
//!    other polygon that faces it ends at the other: looking at these two edges is enough.
//! 3. *Clip.* The facing edge, the *incident* one, is cut off at the ends of the reference;
//!    the two ends of what remains are the contact points.
//!
//! A radius grows a polygon on every side, so it is subtracted at the very end.
//!
//! S. Gottschalk, M. Lin, D. Manocha, "OBBTree" (1996) for the separating axes; I. Sutherland,
//! G. Hodgman, "Reentrant polygon clipping", CACM 17 (1974); C. Ericson, "Real-Time Collision
//! Detection" (2004), chapter 5.

use super::lease::Lease;
use super::{EdgeRule, FAR_END, LINEAR_SLOP, Manifold, ManifoldPoint, Reference};
use crate::math::{Pose, Rot, Vec2, clamp, left_perp, max, min, unit_and_length};
use crate::shape::{Part, Polygon};

/// The edge used before stays as long as its separation is within this (metres) of the best.
pub(super) const HINT_TOLERANCE: f32 = 0.1 * LINEAR_SLOP;
/// Without a hint the longer edge is taken when its separation is within this (metres) of the
/// best. Smaller than above, because here it is all cost: the depth is wrong by that much.
pub(super) const LENGTH_TOLERANCE: f32 = 0.01 * LINEAR_SLOP;
/// Edges face each other when the cosine between one normal and the other reversed is at least
/// one minus this (5.7 degrees) ...
pub(super) const FACING_TOLERANCE: f32 = 0.005;
/// ... and the gap between them comes out the same along either, to within this (metres).
pub(super) const GAP_TOLERANCE: f32 = 0.01 * LINEAR_SLOP;
/// An edge counts as longer than another from this ratio on. Below it, rounding decides.
pub(super) const LONGER: f32 = 1.001;
/// Corners pass each other when they are this far apart along an edge (metres). Boxes that
/// are stacked exactly are at 0, and need their two points.
pub(super) const CORNER_TOLERANCE: f32 = 0.01 * LINEAR_SLOP;

/// A polygon by reference, so that two-vertex polygons need no copy of a [`Polygon`].
pub(super) struct Outline<'a> {
    pub(super) vertices: &'a [Vec2],
    /// `normals[i]` belongs to the edge from vertex `i` to the next.
    pub(super) normals: &'a [Vec2],
    pub(super) radius: f32,
    /// What it is a part of, where it is one.
    pub(super) part: Option<&'a Part>,
}

impl<'a> Outline<'a> {
    #[inline]
    pub(super) fn of_polygon(polygon: &'a Polygon) -> Outline<'a> {
        Outline { vertices: polygon.vertices(), normals: polygon.normals(), radius: polygon.radius(), part: None }
    }

    #[inline]
    pub(super) fn of_part(part: &'a Part) -> Outline<'a> {
        Outline { vertices: part.vertices(), normals: part.normals(), radius: 0.0, part: Some(part) }
    }

    #[inline]
    fn next(&self, index: usize) -> usize {
        if index + 1 < self.vertices.len() { index + 1 } else { 0 }
    }

    fn edge_length(&self, edge: usize) -> f32 {
        (self.vertices[self.next(edge)] - self.vertices[edge]).length()
    }

    /// Is there such an edge, and is it more than a cut through a whole?
    fn has_solid(&self, edge: usize) -> bool {
        edge < self.normals.len() && self.part.is_none_or(|part| part.is_solid(edge))
    }

    /// How far the polygon reaches along the normal of an edge, in metres.
    fn thickness(&self, edge: usize) -> f32 {
        let (normal, start) = (self.normals[edge], self.vertices[edge]);
        self.vertices.iter().fold(0.0, |depth, &vertex| max(depth, normal.dot(start - vertex))) + 2.0 * self.radius
    }

    /// The edge whose normal points most against `direction`.
    #[inline]
    fn facing_edge(&self, direction: Vec2) -> usize {
        let mut facing = 0;
        let mut lowest = f32::MAX;
        for (i, normal) in self.normals.iter().enumerate() {
            let along = normal.dot(direction);
            if along < lowest {
                lowest = along;
                facing = i;
            }
        }
        facing
    }
}

/// An edge and the separation along its normal.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) edge: usize,
    pub(super) separation: f32,
}

/// Two outlines, and where each lies in the frame of the other.
#[derive(Clone, Copy)]
pub(super) struct OutlinePair<'o> {
    pub(super) a: &'o Outline<'o>,
    pub(super) b: &'o Outline<'o>,
    pub(super) b_in_a: Pose,
    pub(super) a_in_b: Pose,
}

/// The contact of `a` and `b`, with b at the pose `b_in_a` in the frame of a, and for how long what the search
/// chose stays the choice.
pub(super) fn outlines(
    a: &Outline,
    b: &Outline,
    b_in_a: Pose,
    margin: f32,
    hint: Reference,
    rule: EdgeRule,
) -> (Manifold, Lease) {
    let reach = margin + a.radius + b.radius;
    let (axis_a, second_a) = best_axes(a, b, b_in_a);
    if axis_a.separation > reach {
        return (Manifold::default(), Lease::apart_by_a(a, b, b_in_a, axis_a.separation - reach));
    }
    let a_in_b = inverse(b_in_a);
    let (axis_b, second_b) = best_axes(b, a, a_in_b);
    if axis_b.separation > reach {
        return (Manifold::default(), Lease::apart_by_b(a, b, b_in_a, axis_b.separation - reach));
    }

    let apart = axis_a.separation > 0.0 || axis_b.separation > 0.0;
    let pair = OutlinePair { a, b, b_in_a, a_in_b };
    let reference = choose_reference(&pair, [axis_a, axis_b], hint, rule);
    let side = if apart { Side::Corners } else { Side::Deepest };
    let manifold = contact_with(&pair, reference, side, margin);
    let lease = match reference {
        _ if manifold.count == 0 || rule != EdgeRule::Steady => Lease::NONE,
        Reference::A(edge) if edge as usize == axis_a.edge => {
            Lease::of_edges((a, axis_a, second_a), (b, axis_b, second_b), b_in_a, a_in_b, reference)
        }
        Reference::B(edge) if edge as usize == axis_b.edge => {
            Lease::of_edges((b, axis_b, second_b), (a, axis_a, second_a), b_in_a, a_in_b, reference)
        }
        _ => Lease::NONE,
    };
    (manifold, lease)
}

/// What becomes of an incident edge that lies beside the reference edge, not over it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// Its deeper end is the contact.
    Deepest,
    /// The corners nearest to each other are, if there are such, as with shapes that are apart.
    Corners,
    /// Nothing: what is beside the edge belongs to a neighbour of it.
    Nothing,
}

/// The contact of two outlines by a given reference edge.
pub(super) fn contact_with(pair: &OutlinePair, reference: Reference, side: Side, margin: f32) -> Manifold {
    let OutlinePair { a, b, b_in_a, a_in_b } = *pair;
    match reference {
        Reference::A(edge) => {
            let pair = EdgePair::new(a, b, b_in_a, edge as usize);
            pair.contact(&pair.measured(b_in_a), b_in_a, reference, side, margin)
        }
        Reference::B(edge) => {
            let pair = EdgePair::new(b, a, a_in_b, edge as usize);
            pair.contact(&pair.measured(a_in_b), b_in_a, reference, side, margin)
        }
        Reference::None => Manifold::default(),
    }
}

/// The edge of `one` with the largest separation from `two`, and the separation of the next best.
#[inline]
fn best_axes(one: &Outline, two: &Outline, two_in_one: Pose) -> (Axis, f32) {
    let mut best = Axis { edge: 0, separation: f32::MIN };
    let mut second = f32::MIN;
    for edge in 0..one.normals.len() {
        let separation = edge_separation(one, two, two_in_one, edge);
        if separation > best.separation {
            second = best.separation;
            best = Axis { edge, separation };
        } else if separation > second {
            second = separation;
        }
    }
    (best, second)
}

/// How far the nearest vertex of `two` lies out of an edge of `one`. Turning the normal
/// instead of the vertices spares a transformed copy of `two`.
#[inline]
pub(super) fn edge_separation(one: &Outline, two: &Outline, two_in_one: Pose, edge: usize) -> f32 {
    let normal = one.normals[edge];
    let turned = two_in_one.q.inv_rotate(normal);
    let mut lowest = f32::MAX;
    for vertex in two.vertices {
        lowest = min(turned.dot(*vertex), lowest);
    }
    normal.dot(two_in_one.p - one.vertices[edge]) + lowest
}

/// Chooses the reference among edges that do equally well: the one used before, or else the
/// longer of two edges that face each other, or else the better, or else that of a. Of shapes
/// that overlap, another rule may decide.
pub(super) fn choose_reference(pair: &OutlinePair, axes: [Axis; 2], hint: Reference, rule: EdgeRule) -> Reference {
    let (OutlinePair { a, b, b_in_a, a_in_b }, [axis_a, axis_b]) = (*pair, axes);
    if let EdgeRule::Weighed { weight, handicap } = rule
        && axis_a.separation <= 0.0
        && axis_b.separation <= 0.0
    {
        return choose_weighed(pair, axes, hint, weight, handicap);
    }
    let (use_a, use_b) = (Reference::A(axis_a.edge as u8), Reference::B(axis_b.edge as u8));
    let best = if axis_a.separation >= axis_b.separation { use_a } else { use_b };
    if hint == best {
        return best;
    }
    let best_separation = if best == use_a { axis_a.separation } else { axis_b.separation };
    let good_enough = best_separation - HINT_TOLERANCE;
    let bend = 1.0 + a.normals[axis_a.edge].dot(b_in_a.q.rotate(b.normals[axis_b.edge]));
    let facing = bend < FACING_TOLERANCE && bend * best_separation < GAP_TOLERANCE;

    // Between shapes apart only the edges nearest to each other will do: the corners they
    // end at are the nearest ones. Overlapping shapes can leave through either of two sides.
    if axis_a.separation <= 0.0 && axis_b.separation <= 0.0 {
        let hinted_separation = match hint {
            Reference::A(edge) if (edge as usize) < a.normals.len() => edge_separation(a, b, b_in_a, edge as usize),
            Reference::B(edge) if (edge as usize) < b.normals.len() => edge_separation(b, a, a_in_b, edge as usize),
            _ => f32::MIN,
        };
        if hinted_separation >= good_enough {
            return hint;
        }
    } else if facing
        && (hint == use_a && axis_a.separation >= good_enough || hint == use_b && axis_b.separation >= good_enough)
    {
        return hint;
    }

    if facing && (axis_a.separation - axis_b.separation).abs() <= LENGTH_TOLERANCE {
        let (length_a, length_b) = (a.edge_length(axis_a.edge), b.edge_length(axis_b.edge));
        if length_a > LONGER * length_b {
            return use_a;
        }
        if length_b > LONGER * length_a {
            return use_b;
        }
    }
    best
}

/// The textbook's choice among the edges of shapes that overlap.
///
/// ```text
/// delta_i = f_i - kappa h_i        f_i  separation along the normal of edge i, h_i  half of what its shape measures along it
/// change to i if  delta_i > eta f  f    separation of the edge used before, or else the largest f_j
/// ```
///
/// of the `i` with the largest `delta_i`. As the `f_j` are negative and `eta` is at most 1, no other edge can be above
/// `eta f_j` for all `j` other than itself, which is how the textbook puts it. It leaves open what happens if none is: any
/// edge, it says, but then shapes leave each other through their far sides. So the choice of the last step stays.
fn choose_weighed(pair: &OutlinePair, axes: [Axis; 2], hint: Reference, weight: f32, handicap: f32) -> Reference {
    let OutlinePair { a, b, b_in_a, a_in_b } = *pair;
    let radii = a.radius + b.radius;
    let separation = |reference: Reference| match reference {
        Reference::A(edge) if a.has_solid(edge as usize) => edge_separation(a, b, b_in_a, edge as usize) - radii,
        Reference::B(edge) if b.has_solid(edge as usize) => edge_separation(b, a, a_in_b, edge as usize) - radii,
        _ => f32::MIN,
    };
    let mut chosen = (hint, separation(hint));
    if chosen.1 == f32::MIN {
        let best = choose_reference(pair, axes, Reference::None, EdgeRule::Steady);
        chosen = (best, max(axes[0].separation, axes[1].separation) - radii);
    }
    let mut wanted = (chosen.0, f32::MIN);
    let edges_a = (0..a.normals.len()).map(|edge| (Reference::A(edge as u8), a.thickness(edge)));
    let edges_b = (0..b.normals.len()).map(|edge| (Reference::B(edge as u8), b.thickness(edge)));
    for (edge, thickness) in edges_a.chain(edges_b) {
        let delta = separation(edge) - handicap * (0.5 * thickness);
        if delta > wanted.1 {
            wanted = (edge, delta);
        }
    }
    if wanted.1 > weight * chosen.1 { wanted.0 } else { chosen.0 }
}

/// A reference edge of the polygon `one`, and the edge of `two` that faces it: what a contact is computed from.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct EdgePair {
    /// The outward normal of the reference edge, and its ends, in the frame of one.
    pub(super) normal: Vec2,
    pub(super) start: Vec2,
    pub(super) end: Vec2,
    /// The ends of the incident edge at the low and at the high end of the reference, in the frame of two.
    pub(super) incident_low: Vec2,
    pub(super) incident_high: Vec2,
    pub(super) radius_one: f32,
    pub(super) radius_two: f32,
    /// The features at either end.
    pub(super) ids: [u16; 2],
    /// Two segments in line are apart along none of their normals: 1 for segments. A number, as all of it.
    pub(super) may_be_in_line: u32,
}

/// Where an incident edge is: its ends in the frame of the reference, their places along it from its start, and
/// their heights over it.
pub(super) struct Measured {
    pub(super) incident: [Vec2; 2],
    along: [f32; 2],
    pub(super) heights: [f32; 2],
    length: f32,
}

impl EdgePair {
    /// Stands for edges where there are none.
    pub(super) const NONE: EdgePair = EdgePair {
        normal: Vec2::ZERO,
        start: Vec2::ZERO,
        end: Vec2::ZERO,
        incident_low: Vec2::ZERO,
        incident_high: Vec2::ZERO,
        radius_one: 0.0,
        radius_two: 0.0,
        ids: [0; 2],
        may_be_in_line: 0,
    };

    /// The edge `edge` of `one` and what faces it.
    #[inline]
    pub(super) fn new(one: &Outline, two: &Outline, two_in_one: Pose, edge: usize) -> EdgePair {
        let normal = one.normals[edge];
        // Both edges, so that index 0 is the low and index 1 the high end along the reference.
        // The incident edge runs against it.
        let ends = [edge, one.next(edge)];
        let incident = two.facing_edge(two_in_one.q.inv_rotate(normal));
        let incident_ends = [two.next(incident), incident];
        EdgePair {
            normal,
            start: one.vertices[ends[0]],
            end: one.vertices[ends[1]],
            incident_low: two.vertices[incident_ends[0]],
            incident_high: two.vertices[incident_ends[1]],
            radius_one: one.radius,
            radius_two: two.radius,
            ids: [feature_id(ends[0], incident_ends[0]), feature_id(ends[1], incident_ends[1])],
            may_be_in_line: u32::from(one.vertices.len() + two.vertices.len() == 4),
        }
    }

    #[inline]
    pub(super) fn measured(&self, two_in_one: Pose) -> Measured {
        let tangent = left_perp(self.normal);
        let [low, high] = [two_in_one.point(self.incident_low), two_in_one.point(self.incident_high)];
        let [from_low, from_high] = [low - self.start, high - self.start];
        Measured {
            incident: [low, high],
            along: [from_low.dot(tangent), from_high.dot(tangent)],
            heights: [from_low.dot(self.normal), from_high.dot(self.normal)],
            length: (self.end - self.start).dot(tangent),
        }
    }

    /// The corners nearest to each other, when the incident edge lies beside the reference: an end of either.
    #[inline]
    pub(super) fn nearest_corners(&self, at: &Measured) -> Option<(usize, usize)> {
        nearest_corners([self.start, self.end], at.incident, at.along, at.heights, at.length)
    }

    /// The contact, in the frame of a.
    #[inline(always)]
    pub(super) fn contact(
        &self,
        at: &Measured,
        b_in_a: Pose,
        reference: Reference,
        side: Side,
        margin: f32,
    ) -> Manifold {
        let corners = if side == Side::Corners || side == Side::Deepest && self.may_be_in_line != 0 {
            self.nearest_corners(at)
        } else {
            None
        };
        let manifold = match corners {
            Some((corner, other)) => self.corner_contact(at, corner, other, reference, margin),
            None => self.clipped(at, reference, side, margin),
        };
        if let Reference::B(_) = reference { exchanged(manifold, b_in_a) } else { manifold }
    }

    /// The contact of the two corners, in the frame of one.
    fn corner_contact(
        &self,
        at: &Measured,
        corner: usize,
        other: usize,
        reference: Reference,
        margin: f32,
    ) -> Manifold {
        let (from, to) = ([self.start, self.end][corner], at.incident[other]);
        let (direction, distance) = unit_and_length(to - from);
        let separation = distance - (self.radius_one + self.radius_two);
        if separation > margin {
            return Manifold::default();
        }
        let surfaces = (from + direction * self.radius_one) + (to - direction * self.radius_two);
        let id = self.ids[corner] & 0x00ff | self.ids[other] & 0xff00;
        Manifold::single(direction, 0.5 * surfaces, separation, id, reference)
    }

    /// The contact of what is left of the incident edge when it is cut off at the ends of the reference, in the frame
    /// of one.
    #[inline(always)]
    fn clipped(&self, at: &Measured, reference: Reference, side: Side, margin: f32) -> Manifold {
        let normal = self.normal;
        let radii = self.radius_one + self.radius_two;
        let place = |point: Vec2, height: f32, id: u16| {
            // From the core point of two to the middle of the gap between the surfaces.
            let middle = point + normal * (0.5 * (self.radius_one - self.radius_two - height));
            ManifoldPoint { point: middle, separation: height - radii, id }
        };

        let &Measured { incident, along: [low, high], heights, length } = at;
        let beside = high <= 0.0 || low >= length;
        if beside && side == Side::Nothing {
            return Manifold::default();
        }
        let nothing = ManifoldPoint::default();
        let (points, count) = if beside || high <= low {
            // Beside the reference edge, or upright on it: the deeper end is all there is.
            let deeper = usize::from(heights[1] < heights[0]);
            let point = place(incident[deeper], heights[deeper], self.ids[deeper]);
            ([point, nothing], u8::from(point.separation <= margin))
        } else {
            let cut = |at: f32| {
                let fraction = clamp((at - low) / (high - low), 0.0, 1.0);
                let [p, q] = incident;
                (p + (q - p) * fraction, heights[0] + (heights[1] - heights[0]) * fraction)
            };
            // Within the tolerance no cut: on a steep edge it would lose a corner that counts.
            let (point, height) = if low < -CORNER_TOLERANCE { cut(0.0) } else { (incident[0], heights[0]) };
            let first = place(point, height, self.ids[0]);
            let (point, height) =
                if high > length + CORNER_TOLERANCE { cut(length) } else { (incident[1], heights[1]) };
            let second = place(point, height, self.ids[1]);
            let near = min(first.separation, second.separation) <= margin;
            let reach = if near { FAR_END * margin } else { margin };
            match (first.separation <= reach, second.separation <= reach) {
                (true, true) => ([first, second], 2),
                (true, false) => ([first, nothing], 1),
                (false, true) => ([second, nothing], 1),
                (false, false) => ([nothing, nothing], 0),
            }
        };
        if count == 0 { Manifold::default() } else { Manifold { normal, points, count, reference } }
    }
}

/// A contact of (b, a) in the frame of b as one of (a, b) in the frame of a. The points change places, because the
/// reference edge of b runs the other way.
#[inline]
fn exchanged(mut manifold: Manifold, b_in_a: Pose) -> Manifold {
    manifold.normal = -b_in_a.q.rotate(manifold.normal);
    let seen = |from: ManifoldPoint| ManifoldPoint {
        point: b_in_a.point(from.point),
        separation: from.separation,
        id: from.id.swap_bytes(),
    };
    let [first, second] = manifold.points;
    match manifold.count {
        0 => {}
        1 => manifold.points[0] = seen(first),
        _ => manifold.points = [seen(second), seen(first)],
    }
    manifold
}

/// The ends of the reference and of the incident edge that are nearest to each other, when
/// both are corners that look past the other edge. None when a corner is over an edge.
#[inline]
fn nearest_corners(
    reference: [Vec2; 2],
    incident: [Vec2; 2],
    along: [f32; 2],
    heights: [f32; 2],
    length: f32,
) -> Option<(usize, usize)> {
    let lower = usize::from(heights[1] < heights[0]);
    let corner = if along[lower] < -CORNER_TOLERANCE {
        0
    } else if along[lower] > length + CORNER_TOLERANCE {
        1
    } else {
        return None;
    };
    let span = incident[1] - incident[0];
    let fraction = (reference[corner] - incident[0]).dot(span);
    let other = if fraction <= 0.0 {
        0
    } else if fraction >= span.length_squared() {
        1
    } else {
        return None;
    };
    // When the edges are parallel the lower end may have been the far one.
    let beyond = if corner == 0 { along[other] < -CORNER_TOLERANCE } else { along[other] > length + CORNER_TOLERANCE };
    beyond.then_some((corner, other))
}

/// The vertices at the common end of two edges in contact. Which of the edges is cut there
/// may change with the least motion, and so is no part of the number.
#[inline]
pub(super) fn feature_id(vertex_one: usize, vertex_two: usize) -> u16 {
    vertex_one as u16 | (vertex_two as u16) << 8
}

#[inline]
pub(super) fn inverse(pose: Pose) -> Pose {
    let q: Rot = pose.q.inverse();
    Pose { p: -q.rotate(pose.p), q }
}

#[cfg(test)]
mod tests {
    use super::super::{SPECULATIVE_DISTANCE, search};
    use super::*;
    use crate::math::vec2;
    use crate::shape::Geometry;
    use carom_core::Rng;

    /// Two rectangles by their half extents, and the four separations as the textbook has them: along the axes of a and
    /// of b, `f_a = |d_a| - h_a - |C| h_b` and likewise.
    fn separations(h_a: Vec2, h_b: Vec2, b_in_a: Pose) -> [f32; 4] {
        let (d, d_b) = (b_in_a.p.abs(), b_in_a.q.inv_rotate(b_in_a.p).abs());
        let (c, s) = (b_in_a.q.c.abs(), b_in_a.q.s.abs());
        let (seen_b, seen_a) =
            (vec2(c * h_b.x + s * h_b.y, s * h_b.x + c * h_b.y), vec2(c * h_a.x + s * h_a.y, s * h_a.x + c * h_a.y));
        let (f_a, f_b) = (d - h_a - seen_b, d_b - h_b - seen_a);
        [f_a.x, f_a.y, f_b.x, f_b.y]
    }

    /// Which of the four an edge belongs to. Rectangles have their edges in the order bottom, right, top, left.
    fn axis_of(reference: Reference) -> usize {
        match reference {
            Reference::A(edge) => (1 - usize::from(edge) % 2) % 2,
            Reference::B(edge) => 2 + (1 - usize::from(edge) % 2) % 2,
            Reference::None => panic!("no reference"),
        }
    }

    /// Where one axis is above `eta f_j` for all others it is chosen, whatever was before. Where none is, the one used
    /// before stays if none beats it, and without one the largest separation decides.
    #[test]
    fn weighed_references_are_those_of_the_textbook() {
        let mut rng = Rng::new(79);
        let (mut clear, mut kept, mut best) = (0, 0, 0);
        for _ in 0..20_000 {
            let mut extents = || vec2(rng.range(0.1, 2.0), rng.range(0.1, 2.0));
            let (h_a, h_b) = (extents(), extents());
            let turn = if rng.below(2) == 0 { rng.range(-0.05, 0.05) } else { rng.range(-3.0, 3.0) };
            let mut pose = Pose::new(Vec2::ZERO, turn);
            // Out of the middle until the overlap is shallow.
            let away = Rot::from_angle(rng.range(-3.0, 3.0)).x_axis() * 0.01;
            while separations(h_a, h_b, pose).iter().all(|&f| f < -0.03) {
                pose.p += away;
            }
            let f = separations(h_a, h_b, pose);
            if f.iter().any(|&f| f > -1.0e-4) {
                continue;
            }
            let (weight, handicap) = (rng.range(0.3, 1.0), rng.range(0.0, 0.03));
            let h = [h_a.x, h_a.y, h_b.x, h_b.y];
            let delta: [f32; 4] = std::array::from_fn(|i| f[i] - handicap * h[i]);
            let lead_over = |i: usize, j: usize| delta[i] - weight * f[j];
            // What is this near to a tie is left to rounding.
            const NEAR: f32 = 1.0e-5;
            let a = Geometry::rectangle(2.0 * h_a.x, 2.0 * h_a.y).unwrap();
            let b = Geometry::rectangle(2.0 * h_b.x, 2.0 * h_b.y).unwrap();
            let found = |hint: Reference| {
                let rule = EdgeRule::Weighed { weight, handicap };
                search(&a, &b, pose, SPECULATIVE_DISTANCE, hint, rule).0.reference
            };
            let free = axis_of(found(Reference::None));
            // Of two edges that face each other the longer may be chosen.
            assert!(f.iter().all(|&other| other <= f[free] + LENGTH_TOLERANCE + NEAR), "{free} of {f:?}");
            best += 1;

            let winner = (0..4).find(|&i| (0..4).all(|j| j == i || lead_over(i, j) > NEAR));
            for edge in 0..4u8 {
                for hint in [Reference::A(edge), Reference::B(edge)] {
                    let (chosen, used) = (found(hint), axis_of(hint));
                    if let Some(winner) = winner {
                        // The far side of the right axis is clearly worse, and not in the four.
                        assert_eq!(axis_of(chosen), winner, "{hint:?} of {f:?}, {delta:?}, {weight}");
                        clear += 1;
                    } else if chosen == hint {
                        let beaten = (0..4).any(|i| i != used && lead_over(i, used) > NEAR);
                        assert!(!beaten, "{hint:?} stays at {f:?}, {delta:?}, {weight}");
                        kept += 1;
                    } else {
                        let now = axis_of(chosen);
                        let wanted = (0..4).all(|i| delta[i] <= delta[now] + NEAR);
                        assert!(wanted, "{hint:?} becomes {chosen:?} at {f:?}, {delta:?}, {weight}");
                    }
                }
            }
        }
        assert!(clear > 1000 && kept > 1000 && best > 1000, "{clear} {kept} {best}");
    }
}
