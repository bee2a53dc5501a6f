//! Shapes of at most four corners, as lanes read them.
//!
//! A geometry has room for sixteen corners and lies in a shape of 400 bytes. Nearly all shapes of large worlds are
//! circles, capsules and boxes, for which a cache line and a quarter is enough.

use super::capsule::TwoGon;
use super::polygon::feature_id;
use super::wide::select;
use crate::math::{Vec2, max};
use crate::shape::Geometry;
use carom_wide::{Lanes, Lanes2, gather_quad};

/// A core of at most four corners and the radius around it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Form {
    /// Where it has fewer corners, the first stands for those that it has not.
    corners: Four,
    /// Those of the edges from each corner to the next; zero where there are none.
    normals: Four,
    radius: f32,
    /// How far the farthest corner is from the origin.
    arm: f32,
    /// How many corners there are, or 0 if the shape is no such form; a number, as all of it.
    count: f32,
    spare: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Four {
    first: Vec2,
    second: Vec2,
    third: Vec2,
    fourth: Vec2,
}

const _: () = assert!(size_of::<Form>() == 80);

carom_wide::quads!(
    Form:
    corners.first.x,
    corners.first.y,
    corners.second.x,
    corners.second.y,
    corners.third.x,
    corners.third.y,
    corners.fourth.x,
    corners.fourth.y,
    normals.first.x,
    normals.first.y,
    normals.second.x,
    normals.second.y,
    normals.third.x,
    normals.third.y,
    normals.fourth.x,
    normals.fourth.y,
    radius,
    arm,
    count,
    spare,
);

/// Which forms meet, and with that how they are looked at side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// Two circles.
    Discs,
    /// A circle and a capsule or a segment.
    DiscAndSegment,
    /// A circle and a polygon.
    DiscAndPolygon,
    /// Two forms with edges.
    Edges,
    /// Something else, to be looked at alone.
    Other,
}

impl Form {
    /// Of a shape that is no such form.
    pub(crate) const NONE: Form =
        Form { corners: Four::ZERO, normals: Four::ZERO, radius: 0.0, arm: 0.0, count: 0.0, spare: 0.0 };

    pub(crate) fn new(geometry: &Geometry) -> Form {
        match geometry {
            Geometry::Circle(circle) => Form::of(&[circle.center], &[], circle.radius),
            Geometry::Capsule(_) | Geometry::Segment(_) => {
                let two = TwoGon::new(geometry);
                let outline = two.outline();
                Form::of(outline.vertices, outline.normals, outline.radius)
            }
            Geometry::Polygon(polygon) if polygon.vertices().len() <= 4 => {
                Form::of(polygon.vertices(), polygon.normals(), polygon.radius())
            }
            _ => Form::NONE,
        }
    }

    fn of(corners: &[Vec2], normals: &[Vec2], radius: f32) -> Form {
        let four = |from: &[Vec2], rest: Vec2| {
            let at = |place: usize| from.get(place).copied().unwrap_or(rest);
            Four { first: at(0), second: at(1), third: at(2), fourth: at(3) }
        };
        let arm = corners.iter().fold(0.0, |arm, corner| max(arm, corner.length()));
        let count = corners.len() as f32;
        Form { corners: four(corners, corners[0]), normals: four(normals, Vec2::ZERO), radius, arm, count, spare: 0.0 }
    }

    #[inline]
    pub(crate) fn is_disc(&self) -> bool {
        self.count == 1.0
    }

    #[inline]
    pub(super) fn is_segment(&self) -> bool {
        self.count == 2.0
    }

    #[inline]
    pub(super) fn radius(&self) -> f32 {
        self.radius
    }

    /// The corner after one.
    #[inline]
    fn next(&self, corner: usize) -> usize {
        if ((corner + 1) as f32) < self.count { corner + 1 } else { 0 }
    }

    /// The features at both ends of an edge of one form and the edge of another that faces it: see
    /// [`EdgePair::ids`](super::polygon::EdgePair).
    #[inline]
    pub(super) fn ids(one: &Form, edge: usize, two: &Form, incident: usize) -> [u16; 2] {
        [feature_id(edge, two.next(incident)), feature_id(one.next(edge), incident)]
    }
}

impl Four {
    const ZERO: Four = Four { first: Vec2::ZERO, second: Vec2::ZERO, third: Vec2::ZERO, fourth: Vec2::ZERO };
}

impl Pairing {
    pub(crate) fn of(a: &Form, b: &Form) -> Pairing {
        let (fewer, more) = if a.count < b.count { (a.count, b.count) } else { (b.count, a.count) };
        match (fewer as u32, more as u32) {
            (0, _) => Pairing::Other,
            (1, 1) => Pairing::Discs,
            (1, 2) => Pairing::DiscAndSegment,
            (1, _) => Pairing::DiscAndPolygon,
            _ => Pairing::Edges,
        }
    }
}

/// One form per lane.
pub(super) struct LaneForms<L> {
    pub(super) corners: [Lanes2<L>; 4],
    pub(super) normals: [Lanes2<L>; 4],
    pub(super) radius: L,
    pub(super) arm: L,
    pub(super) count: L,
}

impl<L: Lanes> LaneForms<L> {
    #[inline(always)]
    pub(super) fn gather<'f>(form: impl Fn(usize) -> &'f Form + Copy) -> LaneForms<L> {
        let [radius, arm, count, _] = gather_quad::<16, L, Form>(form);
        let (first, second) = (gather_quad::<0, L, Form>(form), gather_quad::<4, L, Form>(form));
        let corners = vectors(first, second);
        let (first, second) = (gather_quad::<8, L, Form>(form), gather_quad::<12, L, Form>(form));
        LaneForms { corners, normals: vectors(first, second), radius, arm, count }
    }

    #[inline(always)]
    pub(super) fn select(mask: L::Mask, yes: &LaneForms<L>, no: &LaneForms<L>) -> LaneForms<L> {
        let mut chosen = LaneForms {
            corners: no.corners,
            normals: no.normals,
            radius: L::select(mask, yes.radius, no.radius),
            arm: L::select(mask, yes.arm, no.arm),
            count: L::select(mask, yes.count, no.count),
        };
        for place in 0..4 {
            chosen.corners[place] = select(mask, yes.corners[place], no.corners[place]);
            chosen.normals[place] = select(mask, yes.normals[place], no.normals[place]);
        }
        chosen
    }

    /// `value` where there is such an edge, `rest` elsewhere. There are always two.
    #[inline(always)]
    pub(super) fn only(&self, edge: usize, value: L, rest: L) -> L {
        if edge < 2 { value } else { L::select(self.count.greater(L::splat(edge as f32)), value, rest) }
    }

    /// The normals of some edges, given by numbers.
    #[inline(always)]
    pub(super) fn normal(&self, edge: L) -> Lanes2<L> {
        let mut normal = self.normals[0];
        for place in 1..4 {
            normal = select(edge.equals(L::splat(place as f32)), self.normals[place], normal);
        }
        normal
    }

    /// Where they begin and end. What comes after the last corner is the first, or stands for it.
    #[inline(always)]
    pub(super) fn ends(&self, edge: L) -> [Lanes2<L>; 2] {
        let mut ends = [self.corners[0], self.corners[1]];
        for place in 1..4 {
            let here = edge.equals(L::splat(place as f32));
            ends[0] = select(here, self.corners[place], ends[0]);
            ends[1] = select(here, self.corners[(place + 1) % 4], ends[1]);
        }
        ends
    }

    #[inline(always)]
    pub(super) fn edge_length(&self, edge: L) -> L {
        let [start, end] = self.ends(edge);
        (end - start).dot(end - start).sqrt()
    }

    /// How far the farthest corner is from a point.
    #[inline(always)]
    pub(super) fn farthest_from(&self, point: Lanes2<L>) -> L {
        let mut farthest = L::splat(0.0);
        for corner in self.corners {
            farthest = (corner - point).dot(corner - point).max(farthest);
        }
        farthest.sqrt()
    }
}

#[inline(always)]
fn vectors<L: Lanes>([a, b, c, d]: [L; 4], [e, f, g, h]: [L; 4]) -> [Lanes2<L>; 4] {
    [Lanes2 { x: a, y: b }, Lanes2 { x: c, y: d }, Lanes2 { x: e, y: f }, Lanes2 { x: g, y: h }]
}
