//! Where two bodies meet: a normal and up to four points, for all pairs of which at least one is not a sphere, or which
//! includes a fixed box or capsule.
//!
//! The normal is the direction between the nearest points where one of the two is thin (a sphere's centre, a capsule's
//! axis); otherwise, and where cores overlap, the axis along which the two are farthest apart or overlap least, out of
//! the normals of faces and the products of edges (Gottschalk, Lin and Manocha, OBBTree, 1996). Where that is the normal
//! of a face, the facing side of the other body is cut to fit it, and what is left are the points.

use super::core::{Core, CoreKind, Corners};
use super::nearest;
use crate::math::{DVec3, max, min, unit_or};

/// Most points of a meeting.
pub(crate) const MOST_POINTS: usize = 4;
/// Cosine of the angle between the normal and that of a face up to which the face is met and not its border.
const ON_FACE: f64 = 0.99;
/// An axis of edges must be better than one of faces by this fraction of the size: faces make steadier contacts.
const FACE_BONUS: f64 = 1.0e-3;

/// One point of a meeting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MeetingPoint {
    /// Halfway between the surfaces.
    pub(crate) point: DVec3,
    /// Distance between the surfaces along the normal; negative where they overlap.
    pub(crate) gap: f64,
}

/// How two bodies face each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// Unit normal from the first body to the second.
    pub(crate) normal: DVec3,
    pub(crate) points: [MeetingPoint; MOST_POINTS],
    pub(crate) count: usize,
}

impl Meeting {
    pub(crate) fn points(&self) -> &[MeetingPoint] {
        &self.points[..self.count]
    }

    /// Keeps the points that are near enough, and of too many those that matter: the deepest, then the farthest apart.
    fn new(normal: DVec3, mut candidates: Candidates, reach: f64) -> Meeting {
        let mut meeting = Meeting { normal, points: [MeetingPoint::default(); MOST_POINTS], count: 0 };
        let near = candidates.retain(|candidate| candidate.gap <= reach);
        if near.len() <= MOST_POINTS {
            meeting.points[..near.len()].copy_from_slice(near);
            meeting.count = near.len();
            return meeting;
        }
        let mut deepest = 0;
        for (i, candidate) in near.iter().enumerate() {
            if candidate.gap < near[deepest].gap {
                deepest = i;
            }
        }
        meeting.points[0] = near[deepest];
        meeting.count = 1;
        while meeting.count < MOST_POINTS {
            let mut farthest = (0.0, near[deepest]);
            for candidate in near {
                let to_chosen = |chosen: &MeetingPoint| (chosen.point - candidate.point).length_squared();
                let distance = meeting.points().iter().map(to_chosen).fold(f64::INFINITY, min);
                if distance > farthest.0 {
                    farthest = (distance, *candidate);
                }
            }
            meeting.points[meeting.count] = farthest.1;
            meeting.count += 1;
        }
        meeting
    }
}

/// Points from which those of a meeting are chosen.
struct Candidates {
    points: [MeetingPoint; 16],
    count: usize,
}

impl Candidates {
    fn new() -> Candidates {
        Candidates { points: [MeetingPoint::default(); 16], count: 0 }
    }

    fn one(point: DVec3, gap: f64) -> Candidates {
        let mut candidates = Candidates::new();
        candidates.add(point, gap);
        candidates
    }

    fn add(&mut self, point: DVec3, gap: f64) {
        if self.count < self.points.len() {
            self.points[self.count] = MeetingPoint { point, gap };
            self.count += 1;
        }
    }

    fn retain(&mut self, keep: impl Fn(&MeetingPoint) -> bool) -> &[MeetingPoint] {
        let mut kept = 0;
        for i in 0..self.count {
            if keep(&self.points[i]) {
                self.points[kept] = self.points[i];
                kept += 1;
            }
        }
        self.count = kept;
        &self.points[..kept]
    }
}

/// A body and a plane, which is solid from the side where the body's centre is.
pub(crate) fn with_plane(core: &Core, origin: DVec3, normal: DVec3, reach: f64) -> Meeting {
    let outward = if (core.center - origin).dot(normal) >= 0.0 { normal } else { -normal };
    let mut candidates = Candidates::new();
    for corner in core.corners().iter() {
        let height = (corner - origin).dot(outward);
        // Halfway between the lowest point and the plane.
        candidates.add(corner - outward * (0.5 * (height + core.radius)), height - core.radius);
    }
    Meeting::new(-outward, candidates, reach)
}

/// Two bodies. Points farther apart than `reach` are left out.
pub(crate) fn cores(a: &Core, b: &Core, reach: f64) -> Meeting {
    let apart = match (thin_ends(a), thin_ends(b)) {
        (Some(ends), _) => nearest::of_thin(ends, b),
        (None, Some(ends)) => nearest::of_thin(ends, a).map(|[p, q]| [q, p]),
        (None, None) => None,
    };
    let Some([p, q]) = apart else { return overlapping(a, b, reach) };
    let normal = unit_or(q - p, DVec3::Y);
    if let Some(candidates) = face_points(a, b, normal).or_else(|| parallel_points(a, b, normal)) {
        return Meeting::new(normal, candidates, reach);
    }
    let gap = (q - p).length() - a.radius - b.radius;
    let middle = p + normal * (a.radius + 0.5 * gap);
    Meeting::new(normal, Candidates::one(middle, gap), reach)
}

/// The ends of a core that is a point or a segment.
fn thin_ends(core: &Core) -> Option<[DVec3; 2]> {
    match core.kind {
        CoreKind::Point => Some([core.center; 2]),
        CoreKind::Segment { ends } => Some(ends),
        _ => None,
    }
}

/// How two cores lie to each other along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// From the first to the second.
    pub(crate) normal: DVec3,
    /// How far apart the two are along it; negative where they overlap.
    pub(crate) separation: f64,
}

/// An axis along which two bodies are apart. They are no farther apart along any other if one of them is thin, and not
/// much farther otherwise; where they overlap, the separation is not above zero.
pub(crate) fn separation(a: &Core, b: &Core) -> Axis {
    let apart = match (thin_ends(a), thin_ends(b)) {
        (Some(ends), _) => nearest::of_thin(ends, b),
        (None, Some(ends)) => nearest::of_thin(ends, a).map(|[p, q]| [q, p]),
        (None, None) => None,
    };
    let rounding = a.radius + b.radius;
    if let Some([p, q]) = apart {
        return Axis { normal: unit_or(q - p, DVec3::Y), separation: (q - p).length() - rounding };
    }
    let (best, _) = best_axis(a, b, 0.0);
    let axis = best.unwrap_or(Axis { normal: DVec3::Y, separation: 0.0 });
    Axis { separation: axis.separation - rounding, ..axis }
}

/// The same for a body and a plane.
pub(crate) fn separation_from_plane(core: &Core, origin: DVec3, normal: DVec3) -> Axis {
    let outward = if (core.center - origin).dot(normal) >= 0.0 { normal } else { -normal };
    let lowest =
        core.corners().iter().fold(f64::INFINITY, |lowest, corner| min(lowest, (corner - origin).dot(outward)));
    Axis { normal: -outward, separation: lowest - core.radius }
}

/// Along one axis, in the direction in which the two are farther apart.
fn along(direction: DVec3, a: &Corners, b: &Corners) -> Axis {
    let range = |corners: &Corners| {
        corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), corner| {
            let reach = corner.dot(direction);
            (min(low, reach), max(high, reach))
        })
    };
    let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
    if b_low - a_high >= a_low - b_high {
        Axis { normal: direction, separation: b_low - a_high }
    } else {
        Axis { normal: -direction, separation: a_low - b_high }
    }
}

/// The axis along which two cores are farthest apart or overlap least, and the edges it comes from, if any. An axis of
/// edges must be better than one of faces by a fraction of the size.
fn best_axis(a: &Core, b: &Core, face_bonus: f64) -> (Option<Axis>, Option<(DVec3, DVec3)>) {
    let (corners_a, corners_b) = (a.corners(), b.corners());
    let mut best: Option<Axis> = None;
    for direction in a.face_axes().iter().chain(b.face_axes().iter()) {
        let axis = along(direction, &corners_a, &corners_b);
        if best.is_none_or(|best| axis.separation > best.separation) {
            best = Some(axis);
        }
    }
    let mut edges = None;
    for edge_a in a.edge_axes().iter() {
        for edge_b in b.edge_axes().iter() {
            let cross = edge_a.cross(edge_b);
            let length = cross.length();
            if length <= 1.0e-6 * edge_a.length() * edge_b.length() {
                continue;
            }
            let axis = along(cross / length, &corners_a, &corners_b);
            let bonus = if edges.is_none() { face_bonus * (edge_a.length() + edge_b.length()) } else { 0.0 };
            if best.is_none_or(|best| axis.separation > best.separation + bonus) {
                best = Some(axis);
                edges = Some((edge_a, edge_b));
            }
        }
    }
    (best, edges)
}

/// Cores without nearest points to speak of: the best axis tells.
fn overlapping(a: &Core, b: &Core, reach: f64) -> Meeting {
    let (best, edges) = best_axis(a, b, FACE_BONUS);
    // Two points in one place have no axis at all.
    let Some(Axis { normal, separation }) = best else {
        let gap = -(a.radius + b.radius);
        return Meeting::new(DVec3::Y, Candidates::one(a.center, gap), reach);
    };
    let gap = separation - a.radius - b.radius;
    match edges {
        Some((edge_a, edge_b)) => {
            let [p, q] = nearest::of_segments(a.edge(normal, edge_a), b.edge(-normal, edge_b));
            Meeting::new(normal, Candidates::one(0.5 * (p + q), gap), reach)
        }
        None => match face_points(a, b, normal) {
            Some(candidates) => Meeting::new(normal, candidates, reach),
            None => Meeting::new(normal, Candidates::one(0.5 * (a.center + b.center), gap), reach),
        },
    }
}

/// The points where the facing side of one body lies on a face of the other. None if no face is along the normal.
fn face_points(a: &Core, b: &Core, normal: DVec3) -> Option<Candidates> {
    let ((side_a, face_a), (side_b, face_b)) = (a.side(normal), b.side(-normal));
    let fit_a = face_a.map_or(0.0, |face| face.dot(normal));
    let fit_b = face_b.map_or(0.0, |face| -face.dot(normal));
    if max(fit_a, fit_b) < ON_FACE {
        return None;
    }
    // At equal fit the first: which one it is must not change from step to step.
    let is_a = fit_a >= fit_b - 1.0e-9;
    let (reference, incident) = if is_a { (side_a, side_b) } else { (side_b, side_a) };
    let outward = if is_a { normal } else { -normal };
    let mut polygon = Polygon::new(&incident);
    for i in 0..reference.count {
        let (from, to) = (reference.points[i], reference.points[(i + 1) % reference.count]);
        let mut inward = outward.cross(to - from);
        // A triangle may run either way around.
        let middle = reference.iter().fold(DVec3::ZERO, |sum, corner| sum + corner) / reference.count as f64;
        if inward.dot(middle - from) < 0.0 {
            inward = -inward;
        }
        polygon.cut(from, inward);
    }
    let mut candidates = Candidates::new();
    let (own, other) = if is_a { (a.radius, b.radius) } else { (b.radius, a.radius) };
    for &point in &polygon.points[..polygon.count] {
        let height = (point - reference.points[0]).dot(outward);
        let gap = height - own - other;
        // From the surface of the reference, halfway to the other's.
        candidates.add(point - outward * (height - own - 0.5 * gap), gap);
    }
    // Nothing lies above the face: corners meet, and the nearest points tell where.
    (candidates.count > 0).then_some(candidates)
}

/// Two points where capsules lie side by side.
fn parallel_points(a: &Core, b: &Core, normal: DVec3) -> Option<Candidates> {
    let (CoreKind::Segment { ends: [a0, a1] }, CoreKind::Segment { ends: [b0, b1] }) = (a.kind, b.kind) else {
        return None;
    };
    let (u, v) = (a1 - a0, b1 - b0);
    if u.cross(v).length_squared() > (1.0 - ON_FACE) * (1.0 - ON_FACE) * u.length_squared() * v.length_squared() {
        return None;
    }
    let fraction = |point: DVec3| (point - a0).dot(u) / u.length_squared();
    let (s, t) = (fraction(b0), fraction(b1));
    let (low, high) = (max(min(s, t), 0.0), min(max(s, t), 1.0));
    if low >= high {
        return None;
    }
    let mut candidates = Candidates::new();
    for s in [low, high] {
        let p = a0 + u * s;
        let [_, q] = nearest::of_segments([p, p], [b0, b1]);
        let gap = (q - p).dot(normal) - a.radius - b.radius;
        candidates.add(p + normal * (a.radius + 0.5 * gap), gap);
    }
    Some(candidates)
}

/// A convex polygon, or a segment or a point, that is being cut.
struct Polygon {
    points: [DVec3; 16],
    count: usize,
}

impl Polygon {
    fn new(corners: &Corners) -> Polygon {
        let mut polygon = Polygon { points: [DVec3::ZERO; 16], count: corners.count };
        polygon.points[..corners.count].copy_from_slice(&corners.points[..corners.count]);
        polygon
    }

    /// Keeps what is on the inner side of a plane (Sutherland and Hodgman, 1974).
    fn cut(&mut self, origin: DVec3, inward: DVec3) {
        let old = self.points;
        let old_count = self.count;
        let height = |point: DVec3| (point - origin).dot(inward);
        // To rounding: a face that fits exactly must not lose its corners.
        let slop = -1.0e-9 * inward.length();
        self.count = 0;
        for i in 0..old_count {
            let (from, to) = (old[i], old[(i + 1) % old_count]);
            let (h0, h1) = (height(from), height(to));
            if h0 >= slop {
                self.push(from);
            }
            // A segment has one side only.
            let is_last_of_segment = old_count == 2 && i == 1;
            if ((h0 < slop && h1 > 0.0) || (h0 > 0.0 && h1 < slop)) && !is_last_of_segment {
                self.push(from + (to - from) * (h0 / (h0 - h1)));
            }
        }
    }

    fn push(&mut self, point: DVec3) {
        if self.count < self.points.len() {
            self.points[self.count] = point;
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, dvec3};
    use crate::shape::Shape;

    fn cuboid(half: DVec3, position: DVec3, orientation: Quat) -> Core {
        Core::of(&Shape::Cuboid { half_extents: half }, position, orientation).unwrap()
    }

    #[test]
    fn a_box_stands_on_four_corners() {
        let core = cuboid(DVec3::ONE, dvec3(0.0, 1.001, 0.0), Quat::IDENTITY);
        let on_plane = with_plane(&core, DVec3::ZERO, DVec3::Y, 0.01);
        assert_eq!((on_plane.count, on_plane.normal), (4, -DVec3::Y));
        let below = cuboid(dvec3(3.0, 1.0, 3.0), dvec3(0.5, -1.0, 0.0), Quat::IDENTITY);
        let on_box = cores(&core, &below, 0.01);
        assert_eq!((on_box.count, on_box.normal), (4, -DVec3::Y));
        let turned = Quat::from_axis_angle(DVec3::Y, 0.3);
        let over_the_edge = cores(&cuboid(DVec3::ONE, dvec3(3.0, 1.001, 0.0), turned), &below, 0.01);
        assert_eq!(over_the_edge.count, 4);
        for meeting in [on_plane, on_box, over_the_edge] {
            for point in meeting.points() {
                assert!((point.gap - 0.001).abs() < 1.0e-12 && (point.point.y - 0.0005).abs() < 1.0e-12, "{point:?}");
            }
        }
        assert!(over_the_edge.points().iter().all(|point| point.point.x <= 3.5 + 1.0e-9));
    }

    #[test]
    fn edges_meet_in_one_point() {
        // Two boxes standing on an edge, crosswise.
        let diagonal = 2.0_f64.sqrt();
        let tilt = |axis: DVec3| Quat::from_axis_angle(axis, std::f64::consts::FRAC_PI_4);
        let upper = cuboid(DVec3::ONE, dvec3(0.1, 2.0 * diagonal + 0.01, 0.2), tilt(DVec3::X));
        let lower = cuboid(DVec3::ONE, DVec3::ZERO, tilt(DVec3::Z));
        let meeting = cores(&upper, &lower, 0.1);
        assert_eq!(meeting.count, 1);
        assert!((meeting.normal + DVec3::Y).length() < 1.0e-12, "{}", meeting.normal);
        assert!((meeting.points[0].gap - 0.01).abs() < 1.0e-12);
        assert!((meeting.points[0].point - dvec3(0.0, diagonal + 0.005, 0.2)).length() < 1.0e-9, "{meeting:?}");
    }

    #[test]
    fn round_bodies_meet_where_they_are_nearest() {
        let boxed = cuboid(DVec3::ONE, DVec3::ZERO, Quat::IDENTITY);
        let ball = Core::of(&Shape::Sphere { radius: 0.5 }, dvec3(2.0, 2.0, 2.0), Quat::IDENTITY).unwrap();
        let corner = cores(&ball, &boxed, 9.0);
        assert!((corner.points[0].gap - (3.0_f64.sqrt() - 0.5)).abs() < 1.0e-12, "{corner:?}");
        let inside = Core { center: dvec3(0.0, 0.8, 0.0), ..ball };
        let inside = cores(&inside, &boxed, 9.0);
        assert!((inside.normal + DVec3::Y).length() < 1.0e-12 && (inside.points[0].gap + 0.7).abs() < 1.0e-12);

        let lying = Quat::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2);
        let capsule = |position: DVec3, q: Quat| {
            Core::of(&Shape::Capsule { half_length: 0.7, radius: 0.2 }, position, q).unwrap()
        };
        let flat = cores(&capsule(dvec3(0.0, 1.2, 0.0), lying), &boxed, 0.1);
        assert_eq!(flat.count, 2, "{flat:?}");
        let crossed = cores(&capsule(DVec3::ZERO, lying), &capsule(dvec3(0.2, 0.0, 0.5), Quat::IDENTITY), 1.0);
        assert!(crossed.count == 1 && (crossed.points[0].gap - 0.1).abs() < 1.0e-12, "{crossed:?}");
        let side_by_side = cores(&capsule(DVec3::ZERO, lying), &capsule(dvec3(0.2, 0.5, 0.0), lying), 1.0);
        assert!(side_by_side.count == 2 && (side_by_side.normal - DVec3::Y).length() < 1.0e-12, "{side_by_side:?}");
    }

    #[test]
    fn a_box_lies_on_a_triangle_from_either_side() {
        let corners = [dvec3(-9.0, 0.0, -9.0), dvec3(9.0, 0.0, -9.0), dvec3(0.0, 0.0, 9.0)];
        let triangle = Core::of(&Shape::Triangle { corners }, DVec3::ZERO, Quat::IDENTITY).unwrap();
        for side in [-1.0, 1.0] {
            let core = cuboid(DVec3::ONE, dvec3(0.0, 0.99 * side, 0.0), Quat::IDENTITY);
            let meeting = cores(&core, &triangle, 0.1);
            assert_eq!(meeting.count, 4);
            assert!((meeting.normal + DVec3::Y * side).length() < 1.0e-12);
            assert!(meeting.points().iter().all(|point| (point.gap + 0.01).abs() < 1.0e-12), "{meeting:?}");
        }
    }
}
