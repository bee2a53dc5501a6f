//! The distance between two convex shapes.
//!
//! GJK walks the Minkowski difference `B - A` (all `b - a` for points of the shapes), whose
//! point nearest to the origin is the shortest way from A to B. It keeps a simplex of one to
//! three of its vertices and repeats: find the part of the simplex nearest to the origin,
//! drop the rest, and add the vertex that lies farthest in the direction of the origin. When
//! no vertex gets nearer the answer is found; when the origin is inside a triangle the
//! shapes overlap.
//!
//! E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between
//! complex objects in three-dimensional space", IEEE J. Robotics and Automation 4 (1988).
//! C. Ericson, "Real-Time Collision Detection" (2004), chapters 5 and 9.

use super::ellipse::{Figure, Gap};
use super::{Geometry, MAX_POLYGON_VERTICES};
use crate::math::{Pose, Vec2, cross, left_perp, max, right_perp, unit_and_length};

/// A shape as GJK sees it: the corners of a convex core, and a radius around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy {
    /// The corners of the core, in metres; the first `count` count.
    pub points: [Vec2; MAX_POLYGON_VERTICES],
    /// The number of corners, 1 to 16.
    pub count: usize,
    /// The radius around the core, in metres.
    pub radius: f32,
}

impl Proxy {
    /// A proxy of the first 16 of `points`, in any order, grown by `radius` metres. Without
    /// any points it is a point at the origin.
    pub fn new(points: &[Vec2], radius: f32) -> Proxy {
        let mut proxy = Proxy { points: [Vec2::ZERO; MAX_POLYGON_VERTICES], count: 1, radius };
        for (slot, &point) in proxy.points.iter_mut().zip(points) {
            *slot = point;
        }
        proxy.count = points.len().clamp(1, MAX_POLYGON_VERTICES);
        proxy
    }

    /// The corner farthest in a direction; the first of those that tie.
    #[inline]
    fn support(&self, direction: Vec2) -> usize {
        let mut farthest = 0;
        let mut farthest_along = self.points[0].dot(direction);
        for (i, point) in self.points[..self.count].iter().enumerate().skip(1) {
            let along = point.dot(direction);
            if along > farthest_along {
                farthest = i;
                farthest_along = along;
            }
        }
        farthest
    }
}

/// How far two shapes are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// The distance in metres, radii counted; 0 when the shapes touch or overlap.
    pub distance: f32,
    /// The point of a nearest to b. Of shapes whose radii overlap, the point of a's surface
    /// deepest in b; of shapes whose cores overlap, a point in both cores.
    pub point_a: Vec2,
    /// The same of b.
    pub point_b: Vec2,
    /// The unit normal from a to b; zero when the cores overlap.
    pub normal: Vec2,
    /// The number of GJK iterations taken, at most 20.
    pub iterations: u32,
}

/// The distance between `a` and `b` at the pose `b_in_a` in the frame of a, with the points
/// and the normal in that frame.
pub fn distance(a: &Proxy, b: &Proxy, b_in_a: Pose) -> Separation {
    let core = core_distance(a, b, b_in_a);
    Separation {
        distance: max(core.distance - (a.radius + b.radius), 0.0),
        point_a: core.point_a + core.normal * a.radius,
        point_b: core.point_b - core.normal * b.radius,
        ..core
    }
}

/// The distance between two geometries at their poses, with the points and the normal in
/// world coordinates. Of chains and concave polygons the nearest parts count; of two that
/// overlap, the first that do.
pub fn geometry_distance(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> Separation {
    // In the frame of a, because f32 is finest near the origin.
    let local = local_distance(a, b, pose_a.inv_mul(pose_b));
    Separation {
        point_a: pose_a.point(local.point_a),
        point_b: pose_a.point(local.point_b),
        normal: pose_a.q.rotate(local.normal),
        ..local
    }
}

/// True when two geometries at their poses share a point; touching counts.
pub fn overlap(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> bool {
    local_distance(a, b, pose_a.inv_mul(pose_b)).distance <= 0.0
}

/// The distance between two geometries in the frame of the first.
pub(super) fn local_distance(a: &Geometry, b: &Geometry, b_in_a: Pose) -> Separation {
    match (a.proxy(), b.proxy()) {
        (Some(a), Some(b)) => distance(&a, &b, b_in_a),
        _ if a.is_compound() || b.is_compound() => {
            let mut nearest: Option<Separation> = None;
            a.each_part(&mut |a| {
                b.each_part(&mut |b| {
                    if nearest.is_none_or(|nearest| nearest.distance > 0.0) {
                        let found = local_distance(a, b, b_in_a);
                        if nearest.is_none_or(|nearest| found.distance < nearest.distance) {
                            nearest = Some(found);
                        }
                    }
                });
            });
            nearest.unwrap_or_else(|| overlapping(Vec2::ZERO, 0))
        }
        (proxy_a, proxy_b) => {
            let gap = ellipse_gap(a, proxy_a, b, proxy_b, b_in_a);
            if gap.separation <= 0.0 {
                return overlapping(gap.point + gap.normal * (0.5 * gap.separation), 0);
            }
            let (distance, normal) = (gap.separation, gap.normal);
            Separation { distance, point_a: gap.point, point_b: gap.point + normal * distance, normal, iterations: 0 }
        }
    }
}

/// The gap between two geometries of which at least one is an ellipse and none has parts, in
/// the frame of the first.
pub(super) fn ellipse_gap(
    a: &Geometry,
    proxy_a: Option<Proxy>,
    b: &Geometry,
    proxy_b: Option<Proxy>,
    b_in_a: Pose,
) -> Gap {
    match (a, b) {
        (Geometry::Ellipse(a), Geometry::Ellipse(b)) => Figure::of_ellipse(a).gap(&Figure::of_ellipse(b).at(b_in_a)),
        (_, Geometry::Ellipse(b)) => {
            core_gap(&proxy_a.unwrap_or(Proxy::new(&[], 0.0)), &Figure::of_ellipse(b).at(b_in_a))
        }
        _ => {
            let a_in_b = b_in_a.inv_mul(Pose::IDENTITY);
            let ellipse = match a {
                Geometry::Ellipse(a) => Figure::of_ellipse(a).at(a_in_b),
                _ => Figure::of_disc(a_in_b.p, 0.0),
            };
            let gap = core_gap(&proxy_b.unwrap_or(Proxy::new(&[], 0.0)), &ellipse);
            // From the frame and the order of (b, a) to those of (a, b).
            Gap {
                normal: -b_in_a.q.rotate(gap.normal),
                separation: gap.separation,
                point: b_in_a.point(gap.point + gap.normal * gap.separation),
            }
        }
    }
}

/// The gap between a core, its corners in order, and an ellipse in its frame.
fn core_gap(core: &Proxy, ellipse: &Figure) -> Gap {
    let points = &core.points[..core.count];
    let mut best: Option<Gap> = None;
    let mut better = |gap: Gap| {
        if best.is_none_or(|best| gap.separation > best.separation) {
            best = Some(gap);
        }
    };
    let normal = |i: usize| right_perp(unit_and_length(points[(i + 1) % points.len()] - points[i]).0);
    for (i, &corner) in points.iter().enumerate().filter(|_| points.len() > 1) {
        let (before, after) = (normal((i + points.len() - 1) % points.len()), normal(i));
        let (separation, nearest) = ellipse.gap_to_line(corner, after);
        better(Gap { normal: after, separation, point: nearest - after * separation });
        if let Some(gap) = Figure::of_disc(corner, 0.0).gap_between(ellipse, before, after) {
            better(gap);
        }
    }
    let gap = best.unwrap_or_else(|| Figure::of_disc(points[0], 0.0).gap(ellipse));
    Gap { separation: gap.separation - core.radius, point: gap.point + gap.normal * core.radius, ..gap }
}

const MAX_ITERATIONS: u32 = 20;

/// A vertex of the Minkowski difference and the corners it came from.
#[derive(Clone, Copy)]
struct Vertex {
    /// `b - a`.
    w: Vec2,
    a: Vec2,
    b: Vec2,
    index_a: usize,
    index_b: usize,
}

impl Vertex {
    fn new(a: &Proxy, b: &Proxy, b_in_a: Pose, index_a: usize, index_b: usize) -> Vertex {
        let point_a = a.points[index_a];
        let point_b = b_in_a.point(b.points[index_b]);
        Vertex { w: point_b - point_a, a: point_a, b: point_b, index_a, index_b }
    }

    fn same_corners(&self, other: &Vertex) -> bool {
        self.index_a == other.index_a && self.index_b == other.index_b
    }
}

/// The part of the difference nearest to the origin found so far.
#[derive(Clone, Copy)]
struct Nearest {
    /// One or two vertices; a single one is there twice.
    ends: [Vertex; 2],
    /// The nearest point is `(1 - fraction) ends[0] + fraction ends[1]`.
    fraction: f32,
    /// From the origin to that point, so from a to b. Not of unit length.
    direction: Vec2,
    /// The distance of that point from the origin.
    distance: f32,
}

impl Nearest {
    fn point(vertex: Vertex) -> Nearest {
        Nearest { ends: [vertex, vertex], fraction: 0.0, direction: vertex.w, distance: vertex.w.length() }
    }

    fn edge(p: Vertex, q: Vertex) -> Nearest {
        let edge = q.w - p.w;
        let length_squared = edge.length_squared();
        let along = -p.w.dot(edge);
        if along <= 0.0 || length_squared <= 0.0 {
            return Nearest::point(p);
        }
        if along >= length_squared {
            return Nearest::point(q);
        }
        let fraction = along / length_squared;
        let nearest = p.w + edge * fraction;
        let nearest_squared = nearest.length_squared();
        if length_squared < nearest_squared {
            return Nearest { ends: [p, q], fraction, direction: nearest, distance: nearest_squared.sqrt() };
        }
        // Close by, the nearest point is a difference of almost equal numbers and its
        // direction mostly rounding. The edge is longer, so its normal is the better one.
        let area = cross(p.w, edge);
        let normal = left_perp(edge);
        let direction = if area < 0.0 { normal } else { -normal };
        Nearest { ends: [p, q], fraction, direction, distance: area.abs() / length_squared.sqrt() }
    }

    fn separation(&self, iterations: u32) -> Separation {
        let [p, q] = &self.ends;
        let (normal, _) = unit_and_length(self.direction);
        Separation {
            distance: self.distance,
            point_a: p.a + (q.a - p.a) * self.fraction,
            point_b: p.b + (q.b - p.b) * self.fraction,
            normal,
            iterations,
        }
    }
}

/// The distance between the cores: 0 with a zero normal when they overlap.
pub(super) fn core_distance(a: &Proxy, b: &Proxy, b_in_a: Pose) -> Separation {
    let mut nearest = Nearest::point(Vertex::new(a, b, b_in_a, 0, 0));
    let mut iterations = 0;
    while iterations < MAX_ITERATIONS && nearest.distance > 0.0 {
        iterations += 1;
        let towards_origin = -nearest.direction;
        let index_a = a.support(nearest.direction);
        let index_b = b.support(b_in_a.q.inv_rotate(towards_origin));
        let vertex = Vertex::new(a, b, b_in_a, index_a, index_b);
        let [p, q] = nearest.ends;
        if vertex.same_corners(&p) || vertex.same_corners(&q) {
            break;
        }
        // No nearer to the origin than what is known: rounding chose between equals.
        if (vertex.w - p.w).dot(towards_origin) <= 0.0 {
            break;
        }

        // The origin is in the triangle when it is on the same side of all three edges.
        // Crossing with the edge rather than its other end spares digits when it is short.
        let twice_area = |from: &Vertex, to: &Vertex| cross(from.w, to.w - from.w);
        let (area_pq, area_qv, area_vp) = (twice_area(&p, &q), twice_area(&q, &vertex), twice_area(&vertex, &p));
        let inside = area_pq > 0.0 && area_qv > 0.0 && area_vp > 0.0 || area_pq < 0.0 && area_qv < 0.0 && area_vp < 0.0;
        if inside {
            let share = 1.0 / (area_pq + area_qv + area_vp);
            let point = (p.a * area_qv + q.a * area_vp + vertex.a * area_pq) * share;
            return overlapping(point, iterations);
        }

        // The new vertex is part of the answer: it lies beyond the old edge.
        let candidate_p = Nearest::edge(p, vertex);
        let candidate_q = Nearest::edge(q, vertex);
        let candidate = if candidate_q.distance < candidate_p.distance { candidate_q } else { candidate_p };
        // Farther only by a mistake. The last steps turn the direction where the distance no
        // longer shows it, so equal is good; the cap on iterations ends what goes in circles.
        if candidate.distance > nearest.distance * (1.0 + 1.0e-6) {
            break;
        }
        nearest = candidate;
    }
    if nearest.distance > 0.0 {
        nearest.separation(iterations)
    } else {
        let [p, q] = nearest.ends;
        overlapping(p.a + (q.a - p.a) * nearest.fraction, iterations)
    }
}

fn overlapping(point: Vec2, iterations: u32) -> Separation {
    Separation { distance: 0.0, point_a: point, point_b: point, normal: Vec2::ZERO, iterations }
}
