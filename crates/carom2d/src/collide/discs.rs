//! Circles against circles, capsules, segments and polygons of up to four corners, side by side.
//!
//! What `circle.rs` computes for one pair is computed here for as many as there are lanes, by the same operations in the
//! same order, so to the same bits. Circles whose centre is right at a corner or at the centre of another are left to it.

use super::LINEAR_SLOP;
use super::circle::COINCIDENT;
use super::form::{Form, LaneForms, Pairing};
use super::lease::ApartFor;
use super::wide::{LanePoses, at_most, less, select};
use carom_wide::{Lanes, Lanes2, gather_quad};

/// The manifolds of circles, in the frames of a.
pub(crate) struct DiscsSideBySide<L> {
    pub(crate) normal: Lanes2<L>,
    pub(crate) point: Lanes2<L>,
    pub(crate) separation: L,
    /// Lanes in which there is a point, one bit each, that of the first lane lowest.
    pub(crate) present: u32,
    /// Lanes in which all this is so. In the others it says nothing.
    pub(crate) known: u32,
    /// How far lanes without a point may move until they have one.
    pub(crate) apart: ApartFor<L>,
}

impl<L: Lanes> DiscsSideBySide<L> {
    /// Looks at discs and what they meet, all pairs of one kind. In lanes of `disc_first` the disc is a; of two discs it
    /// is b.
    #[inline(always)]
    pub(crate) fn find<'f>(
        pairing: Pairing,
        disc: impl Fn(usize) -> &'f Form + Copy,
        other: impl Fn(usize) -> &'f Form + Copy,
        disc_first: u32,
        b_in_a: &LanePoses<L>,
        margin: f32,
    ) -> Self {
        let disc_first = L::mask(disc_first);
        let [x, y, _, _] = gather_quad::<0, L, Form>(disc);
        let [radius, arm, _, _] = gather_quad::<16, L, Form>(disc);
        let [other_radius, _, _, _] = gather_quad::<16, L, Form>(other);
        let own_center = Lanes2 { x, y };
        let center = select(disc_first, b_in_a.inv_point(own_center), b_in_a.point(own_center));

        let margin = L::splat(margin);
        let mut beyond = 0;
        let Nearest { base, normal, distance, known } = match pairing {
            Pairing::Discs => {
                let [x, y, _, _] = gather_quad::<0, L, Form>(other);
                Nearest::on_disc(center, Lanes2 { x, y })
            }
            Pairing::DiscAndSegment => {
                let [x, y, end_x, end_y] = gather_quad::<0, L, Form>(other);
                Nearest::on_segment(center, Lanes2 { x, y }, Lanes2 { x: end_x, y: end_y })
            }
            _ => {
                let polygon = LaneForms::gather(other);
                let (nearest, out) = Nearest::on_polygon(center, &polygon);
                beyond = less(other_radius + radius + margin, out);
                nearest
            }
        };

        let separation = distance - other_radius - radius;
        let surfaces = (base + normal.scale(other_radius)) + (center - normal.scale(radius));
        let point = surfaces.scale(L::splat(0.5));
        // A turn moves the centre of a disc that is b by its distance from the origin of b; and one that is a, seen from b,
        // as well.
        let away = center.dot(center).sqrt();
        let (arm, other_arm) = (L::select(disc_first, away, arm), L::select(disc_first, arm, away));
        DiscsSideBySide {
            normal: select(disc_first, -b_in_a.rotate(normal), normal),
            point: select(disc_first, b_in_a.point(point), point),
            separation,
            present: at_most(separation, margin) & !beyond,
            known,
            apart: ApartFor::new(separation - margin, b_in_a.p, arm, other_arm),
        }
    }
}

/// Where a core is nearest to a point.
struct Nearest<L> {
    base: Lanes2<L>,
    /// From there to the point.
    normal: Lanes2<L>,
    distance: L,
    /// Lanes in which there is such a direction.
    known: u32,
}

impl<L: Lanes> Nearest<L> {
    #[inline(always)]
    fn on_disc(center: Lanes2<L>, base: Lanes2<L>) -> Nearest<L> {
        let (normal, distance) = unit_and_length(center - base);
        // Nearer to each other, each pair of circles gets a direction of its own.
        Nearest { base, normal, distance, known: less(L::splat(0.2 * LINEAR_SLOP), distance) }
    }

    #[inline(always)]
    fn on_segment(center: Lanes2<L>, start: Lanes2<L>, end: Lanes2<L>) -> Nearest<L> {
        let (along, length) = unit_and_length(end - start);
        let arm = center - start;
        let position = arm.dot(along);
        let side = Lanes2 { x: -along.y, y: along.x };
        let behind_start = position.greater(L::splat(0.0));
        let beside = L::both(behind_start, length.greater(position));

        let out = arm.dot(side);
        let is_right = L::splat(0.0).greater(out);
        let (normal_beside, out) = (select(is_right, -side, side), L::select(is_right, -out, out));

        let corner = select(behind_start, end, start);
        let (direction, distance) = unit_and_length(center - corner);
        Nearest {
            base: select(beside, center - normal_beside.scale(out), corner),
            normal: select(beside, normal_beside, direction),
            distance: L::select(beside, out, distance),
            known: L::bits(beside) | at_most(L::splat(COINCIDENT), distance),
        }
    }

    /// Also tells how far out of the edge nearest to it the point is.
    #[inline(always)]
    fn on_polygon(center: Lanes2<L>, polygon: &LaneForms<L>) -> (Nearest<L>, L) {
        let lowest = L::splat(f32::MIN);
        let (mut out, mut edge) = (lowest, L::splat(0.0));
        for place in 0..4 {
            let distance = polygon.normals[place].dot(center - polygon.corners[place]);
            let distance = polygon.only(place, distance, lowest);
            let farther = distance.greater(out);
            out = L::select(farther, distance, out);
            edge = L::select(farther, L::splat(place as f32), edge);
        }
        let (normal, [start, end]) = (polygon.normal(edge), polygon.ends(edge));

        let span = end - start;
        let zero = L::splat(0.0);
        let before = zero.greater((center - start).dot(span));
        let after = (center - end).dot(span).greater(zero);
        let at_corner = L::mask(L::bits(out.greater(zero)) & (L::bits(before) | L::bits(after)));
        let corner = select(before, start, end);
        let (direction, distance) = unit_and_length(center - corner);
        let nearest = Nearest {
            base: select(at_corner, corner, center - normal.scale(out)),
            normal: select(at_corner, direction, normal),
            distance: L::select(at_corner, distance, out),
            known: !L::bits(at_corner) | at_most(L::splat(COINCIDENT), distance),
        };
        (nearest, out)
    }
}

/// Unit vectors along these and their lengths, for lengths that are not next to zero.
#[inline(always)]
fn unit_and_length<L: Lanes>(v: Lanes2<L>) -> (Lanes2<L>, L) {
    let length = v.dot(v).sqrt();
    (v.scale(length.recip()), length)
}
