//! The concave polygon, with or without holes, kept as convex pieces.

use super::cast::RayHit;
use super::decompose::{decompose, ring_area};
use super::double::Double2;
use super::mass::Moments;
use super::part::{Corner, Part};
use super::rim::Rim;
use super::{MIN_EXTENT, Polygon, valid_extent, valid_point};
use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, max, max2, min2, right_perp, unit_and_length};
use std::sync::Arc;

/// A simple polygon of any form, with holes if it has some.
///
/// It is cut into convex pieces when it is made. Cuts run between vertices, so every edge of the
/// outline belongs to one piece, and the pieces know which of their edges are cuts: nothing ever
/// collides with those.
#[derive(Clone, Debug, PartialEq)]
pub struct Concave {
    /// The outline, counter-clockwise, then the holes, clockwise; each from its leftmost point.
    rings: Vec<Vec<Vec2>>,
    parts: Vec<Arc<Part>>,
    centroid: Vec2,
    /// The outline of one that is convex and has no holes: some questions are answered by it alone.
    rim: Option<Rim>,
}

impl Concave {
    /// A polygon from its outline and its holes, each clockwise or counter-clockwise, with three
    /// points or more.
    ///
    /// No edges may cross or touch, except neighbours at their common point; holes lie inside and
    /// apart from each other. The error names what is wrong and where.
    pub fn new(outline: &[Vec2], holes: &[Vec<Vec2>]) -> Result<Concave, DefError> {
        let mut rings = vec![checked_ring("Concave.points", outline, Winding::CounterClockwise)?];
        for hole in holes {
            rings.push(checked_ring("Concave.holes", hole, Winding::Clockwise)?);
        }
        // As they were given, so that the message counts as the caller does.
        let given: Vec<&[Vec2]> = std::iter::once(outline).chain(holes.iter().map(Vec::as_slice)).collect();
        check_crossings(&given)?;
        check_holes(&rings)?;
        // The order in which holes are given is nothing that a simulation should depend on.
        rings[1..].sort_by(|a, b| a[0].x.total_cmp(&b[0].x).then(a[0].y.total_cmp(&b[0].y)));
        let kept: Vec<Vec<Vec2>> = rings.iter().map(|ring| without_flat_corners(ring)).collect();
        let points: Vec<Vec2> = kept.iter().flatten().copied().collect();
        let doubles: Vec<Vec<Double2>> = kept.iter().map(|ring| ring.iter().map(|&p| p.into()).collect()).collect();
        let Some(pieces) = decompose(&doubles) else {
            let expected = "a polygon whose edges stay apart by more than the rounding of their coordinates";
            return Err(DefError::field("Concave.points", format_args!("{} points", points.len()), expected));
        };
        let neighbours = neighbours(&kept);
        let parts = pieces.iter().map(|piece| Arc::new(part(piece, &points, &neighbours))).collect();
        let centroid = Moments::of_rings(&rings).centroid();
        let rim = if holes.is_empty() { Rim::new(&rings[0]).ok() } else { None };
        Ok(Concave { rings, parts, centroid, rim })
    }

    /// The outline, counter-clockwise from its leftmost point, in metres.
    pub fn outline(&self) -> &[Vec2] {
        &self.rings[0]
    }

    /// The holes, clockwise, in metres.
    pub fn holes(&self) -> &[Vec<Vec2>] {
        &self.rings[1..]
    }

    /// The convex pieces, which fill the polygon without overlapping.
    pub fn parts(&self) -> &[Arc<Part>] {
        &self.parts
    }

    /// The centre of area.
    pub fn centroid(&self) -> Vec2 {
        self.centroid
    }

    pub(super) fn transformed(&self, pose: Pose) -> Concave {
        let rings: Vec<Vec<Vec2>> =
            self.rings.iter().map(|ring| ring.iter().map(|&point| pose.point(point)).collect()).collect();
        // As if it had been made there, so that it is the same when it is written down and read.
        // Far from the origin rounding can make edges touch; `validate` refuses such a polygon.
        Concave::new(&rings[0], &rings[1..]).unwrap_or_else(|_| Concave {
            parts: self.parts.iter().map(|part| Arc::new(part.transformed(pose))).collect(),
            centroid: pose.point(self.centroid),
            rings,
            rim: None,
        })
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        for (ring, field) in self.rings.iter().zip(fields()) {
            for &point in ring {
                valid_point(field, point)?;
            }
            neighbours_apart(field, ring)?;
        }
        let rings: Vec<&[Vec2]> = self.rings.iter().map(Vec::as_slice).collect();
        check_crossings(&rings)
    }

    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        if let Some(rim) = &self.rim {
            return rim.aabb(pose);
        }
        let outline = self.outline();
        let first = pose.point(outline[0]);
        outline[1..].iter().fold(Aabb::new(first, first), |aabb, &point| {
            let point = pose.point(point);
            Aabb::new(min2(aabb.min, point), max2(aabb.max, point))
        })
    }

    pub(super) fn contains(&self, point: Vec2) -> bool {
        match &self.rim {
            Some(rim) => rim.contains(point),
            None => self.parts.iter().any(|part| part.contains(point)),
        }
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        if self.contains(origin) {
            return Some(RayHit::inside(origin));
        }
        RayHit::first(self.parts.iter().map(|part| part.ray(origin, translation, max_fraction)))
    }

    /// The distance from the centroid to the nearest edge: zero when it lies outside.
    pub(super) fn inner_extent(&self) -> f32 {
        if !self.contains(self.centroid) {
            return 0.0;
        }
        let edges =
            self.rings.iter().flat_map(|ring| (0..ring.len()).map(move |i| (ring[i], ring[(i + 1) % ring.len()])));
        edges.fold(f32::MAX, |least, (a, b)| {
            let distance = (super::closest_on_segment(a, b, self.centroid) - self.centroid).length();
            if distance < least { distance } else { least }
        })
    }

    pub(super) fn moments(&self) -> Moments {
        Moments::of_rings(&self.rings)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Winding {
    CounterClockwise,
    Clockwise,
}

/// The names of the rings in messages.
fn fields() -> impl Iterator<Item = &'static str> {
    std::iter::once("Concave.points").chain(std::iter::repeat("Concave.holes"))
}

/// A ring that has an area, wound as asked, from its leftmost point.
fn checked_ring(field: &'static str, points: &[Vec2], winding: Winding) -> Result<Vec<Vec2>, DefError> {
    if points.len() < 3 {
        return Err(DefError::field(field, format_args!("{} points", points.len()), "at least three points"));
    }
    for &point in points {
        valid_point(field, point)?;
    }
    neighbours_apart(field, points)?;
    let aabb = Aabb::around(points);
    let size = max(aabb.max.x - aabb.min.x, aabb.max.y - aabb.min.y);
    valid_extent(field, size)?;
    let doubles: Vec<Double2> = points.iter().map(|&p| p.into()).collect();
    let area = ring_area(&doubles);
    if area.abs() <= f64::from(MIN_EXTENT) * f64::from(size) * 0.5 {
        return Err(DefError::field(field, format_args!("a ring of area {area} m^2"), "a ring with an area"));
    }
    let mut ring = points.to_vec();
    if (area > 0.0) != (winding == Winding::CounterClockwise) {
        ring.reverse();
    }
    let leftmost = (0..ring.len()).min_by(|&i, &j| {
        let (p, q) = (ring[i], ring[j]);
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y))
    });
    ring.rotate_left(leftmost.unwrap_or(0));
    Ok(ring)
}

fn neighbours_apart(field: &'static str, points: &[Vec2]) -> Result<(), DefError> {
    for (i, &point) in points.iter().enumerate() {
        let next = (i + 1) % points.len();
        if (points[next] - point).length() < MIN_EXTENT {
            let value = format_args!("{point:?} for both points {i} and {next}");
            return Err(DefError::field(field, value, "neighbouring points at least 1e-5 m apart"));
        }
    }
    Ok(())
}

/// An edge of one of the rings.
struct Edge {
    from: Double2,
    to: Double2,
    ring: usize,
    index: usize,
}

impl Edge {
    fn low_x(&self) -> f64 {
        if self.from.x < self.to.x { self.from.x } else { self.to.x }
    }

    fn high_x(&self) -> f64 {
        if self.from.x < self.to.x { self.to.x } else { self.from.x }
    }
}

/// Finds edges that cross or touch: a sweep along x over the edges whose spans overlap.
fn check_crossings(rings: &[&[Vec2]]) -> Result<(), DefError> {
    let mut edges: Vec<Edge> = Vec::new();
    for (ring, points) in rings.iter().enumerate() {
        for (index, &point) in points.iter().enumerate() {
            let (from, to) = (Double2::from(point), Double2::from(points[(index + 1) % points.len()]));
            edges.push(Edge { from, to, ring, index });
        }
    }
    edges.sort_by(|a, b| a.low_x().total_cmp(&b.low_x()).then((a.ring, a.index).cmp(&(b.ring, b.index))));
    let mut open: Vec<usize> = Vec::new();
    for (number, edge) in edges.iter().enumerate() {
        open.retain(|&other| edges[other].high_x() >= edge.low_x());
        if let Some(&other) = open.iter().find(|&&other| collide_edges(edge, &edges[other], rings)) {
            let name = |edge: &Edge| match edge.ring {
                0 => format!("edge {} of the outline", edge.index),
                ring => format!("edge {} of hole {}", edge.index, ring - 1),
            };
            let at = |edge: &Edge| format!("({}, {}) to ({}, {})", edge.from.x, edge.from.y, edge.to.x, edge.to.y);
            let other = &edges[other];
            let value = format!("{}, {}, meets {}, {}", name(other), at(other), name(edge), at(edge));
            let field = if edge.ring == 0 && other.ring == 0 { "Concave.points" } else { "Concave.holes" };
            let expected = "edges that neither cross nor touch (counted from 0 by the point they start at)";
            return Err(DefError::Field { field, value, expected });
        }
        open.push(number);
    }
    Ok(())
}

/// True when two edges share a point that neighbours do not share anyway.
fn collide_edges(a: &Edge, b: &Edge, rings: &[&[Vec2]]) -> bool {
    let turn = |p: Double2, q: Double2, r: Double2| (q - p).cross(r - p);
    let count = rings[a.ring].len();
    let follows = |first: &Edge, second: &Edge| first.ring == second.ring && (first.index + 1) % count == second.index;
    for (first, second) in [(a, b), (b, a)] {
        if follows(first, second) {
            // Neighbours may not run back over each other.
            return turn(first.from, first.to, second.to) == 0.0
                && (first.to - first.from).dot(second.to - second.from) < 0.0;
        }
    }
    let low = |p: f64, q: f64| if p < q { p } else { q };
    let high = |p: f64, q: f64| if p < q { q } else { p };
    if low(a.from.y, a.to.y) > high(b.from.y, b.to.y) || low(b.from.y, b.to.y) > high(a.from.y, a.to.y) {
        return false;
    }
    let (b_from, b_to) = (turn(a.from, a.to, b.from), turn(a.from, a.to, b.to));
    let (a_from, a_to) = (turn(b.from, b.to, a.from), turn(b.from, b.to, a.to));
    if b_from == 0.0 && b_to == 0.0 {
        // On one line; their boxes overlap in y, and in x by the sweep.
        return low(a.from.x, a.to.x) <= high(b.from.x, b.to.x) && low(b.from.x, b.to.x) <= high(a.from.x, a.to.x);
    }
    let same_side = |x: f64, y: f64| x > 0.0 && y > 0.0 || x < 0.0 && y < 0.0;
    !same_side(b_from, b_to) && !same_side(a_from, a_to)
}

/// Holes lie in the outline and in no other hole. Edges do not cross, so one point tells.
fn check_holes(rings: &[Vec<Vec2>]) -> Result<(), DefError> {
    for (number, hole) in rings.iter().enumerate().skip(1) {
        let name = format!("the hole from {:?}", hole[0]);
        if !inside(&rings[0], hole[0]) {
            return Err(DefError::Field {
                field: "Concave.holes",
                value: name,
                expected: "holes inside of the outline",
            });
        }
        for (other, ring) in rings.iter().enumerate().skip(1) {
            if other != number && inside(ring, hole[0]) {
                let expected = "holes that do not lie in each other";
                return Err(DefError::Field { field: "Concave.holes", value: name, expected });
            }
        }
    }
    Ok(())
}

/// True when a ray to the right of the point crosses the ring an odd number of times.
fn inside(ring: &[Vec2], point: Vec2) -> bool {
    let p = Double2::from(point);
    let mut odd = false;
    for (i, &a) in ring.iter().enumerate() {
        let (a, b) = (Double2::from(a), Double2::from(ring[(i + 1) % ring.len()]));
        if (a.y > p.y) != (b.y > p.y) {
            let (low, high) = if a.y < b.y { (a, b) } else { (b, a) };
            if (high - low).cross(p - low) > 0.0 {
                odd = !odd;
            }
        }
    }
    odd
}

/// A corner is flat when it sticks out of the line between its neighbours by less than this
/// part of the ring's farthest coordinate: the last digits of f32.
const FLAT: f64 = 1.0e-7;

/// The ring without corners that are none but for rounding. A triangle between three points on
/// a line has no area and no normals.
fn without_flat_corners(ring: &[Vec2]) -> Vec<Vec2> {
    let farthest = ring.iter().fold(0.0, |far, p| max(far, max(p.x.abs(), p.y.abs())));
    let tolerance = FLAT * f64::from(farthest);
    let mut kept: Vec<Vec2> = Vec::with_capacity(ring.len());
    // The leftmost point comes first and is a corner, unless the left side is upright.
    for (i, &point) in ring.iter().enumerate() {
        let before = *kept.last().unwrap_or(&ring[ring.len() - 1]);
        let after = ring[(i + 1) % ring.len()];
        let (p, q, r) = (Double2::from(before), Double2::from(point), Double2::from(after));
        let height = (q - p).cross(r - p) / (r - p).length();
        let between = (q - p).dot(r - q) > 0.0;
        if !(height.abs() <= tolerance && between) {
            kept.push(point);
        }
    }
    if kept.len() < 3 { ring.to_vec() } else { kept }
}

/// For each vertex of all rings, the vertices before and after it.
fn neighbours(rings: &[Vec<Vec2>]) -> Vec<[usize; 2]> {
    let mut all = Vec::new();
    let mut start = 0;
    for ring in rings {
        let count = ring.len();
        all.extend((0..count).map(|i| [start + (i + count - 1) % count, start + (i + 1) % count]));
        start += count;
    }
    all
}

/// The part with these vertices.
fn part(piece: &[usize], points: &[Vec2], neighbours: &[[usize; 2]]) -> Part {
    let vertices: Vec<Vec2> = piece.iter().map(|&vertex| points[vertex]).collect();
    let mut solid = 0;
    let mut corners = Vec::with_capacity(piece.len());
    for (i, &vertex) in piece.iter().enumerate() {
        let [before, after] = neighbours[vertex];
        if piece[(i + 1) % piece.len()] == after {
            solid |= 1 << i;
        }
        let normal = |from: usize, to: usize| right_perp(unit_and_length(points[to] - points[from]).0);
        corners.push(Corner { before: normal(before, vertex), after: normal(vertex, after) });
    }
    let centroid = Moments::of_polygon(&vertices, 0.0).centroid();
    Part::piece(Polygon::from_vertices(&vertices, centroid), solid, corners)
}
