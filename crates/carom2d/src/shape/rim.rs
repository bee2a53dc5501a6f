//! A convex rim of many corners: extreme corners and separations in logarithmic time.
//!
//! ```text
//! support(d)        the corner v with the largest v . d: the one between whose edges' normals d lies.
//!                   Normals are ordered by angle, so it is found by bisection, in O(log n)
//! distance(A, B)    of shapes apart: GJK, a handful of supports of A and B each (distance.rs has the method)
//! depth(A, B)       of shapes that overlap: the least -(support_A(n) - support_B(-n)) over the normals n of both. All of
//!                   them must be looked at, since there may be several locally least, but merged by angle the extreme
//!                   corners follow the normals around: O(n + m), after two bisections
//! ```
//!
//! A [`Polygon`](super::Polygon) of up to 16 corners tries them one after the other, which is faster for so few.

use super::double::Double2;
use super::valid_point;
use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, cross, right_perp, unit_and_length, vec2};

/// The outline of a strictly convex polygon of any number of corners, counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Rim {
    corners: Vec<Vec2>,
    /// Outward normals, not of unit length: number `i` belongs to the edge from corner `i` to the next.
    normals: Vec<Vec2>,
    /// The first normal that is turned by half a turn or more against the first.
    half: usize,
}

/// How far apart two rims are, or how deep they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RimSeparation {
    /// In metres; negative where they overlap.
    pub distance: f32,
    /// The unit direction from A to B along which that is so.
    pub normal: Vec2,
}

impl Rim {
    /// A rim from its corners, counter-clockwise. Refused unless every corner turns left, in the numbers as they are.
    pub fn new(corners: &[Vec2]) -> Result<Rim, DefError> {
        let count = corners.len();
        if count < 3 {
            return Err(DefError::field("Rim.corners", format_args!("{count} corners"), "at least three corners"));
        }
        for &corner in corners {
            valid_point("Rim.corners", corner)?;
        }
        let normals: Vec<Vec2> = (0..count).map(|i| right_perp(corners[(i + 1) % count] - corners[i])).collect();
        // Every corner turns left, and once around: normals pass the half turn once.
        let double = |i: usize| Double2::from(corners[i % count]);
        let turns_left = |i: usize| (double(i + 1) - double(i)).cross(double(i + 2) - double(i + 1)) > 0.0;
        let is_after = |normal: &Vec2| is_second_half(normals[0], *normal);
        let changes = (0..count).filter(|&i| is_after(&normals[i]) != is_after(&normals[(i + 1) % count])).count();
        if !(0..count).all(turns_left) || changes != 2 {
            let expected = "a strictly convex outline, counter-clockwise, after rounding to f32";
            return Err(DefError::field("Rim.corners", format_args!("{count} corners"), expected));
        }
        let half = normals.iter().position(is_after).unwrap_or(count);
        Ok(Rim { corners: corners.to_vec(), normals, half })
    }

    /// The corners, counter-clockwise, in metres.
    pub fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// The corner farthest along a direction of any length, in O(log n).
    pub fn support(&self, direction: Vec2) -> usize {
        // Edges whose normal the direction has passed, counted from the first.
        let passed = if is_second_half(self.normals[0], direction) {
            self.half + self.normals[self.half..].partition_point(|&normal| cross(normal, direction) > 0.0)
        } else {
            self.normals[..self.half].partition_point(|&normal| cross(normal, direction) > 0.0)
        };
        let at = passed % self.corners.len();
        self.climb(at, direction)
    }

    /// From a corner to the farthest: none or one step, where rounding of normals has put the search beside it.
    fn climb(&self, mut at: usize, direction: Vec2) -> usize {
        let count = self.corners.len();
        let reach = |i: usize| self.corners[i].dot(direction);
        loop {
            let (next, last) = ((at + 1) % count, (at + count - 1) % count);
            if reach(next) > reach(at) {
                at = next;
            } else if reach(last) > reach(at) {
                at = last;
            } else {
                return at;
            }
        }
    }

    /// The smallest axis-aligned box around it at a pose, in O(log n).
    pub fn aabb(&self, pose: Pose) -> Aabb {
        let farthest = |direction: Vec2| pose.point(self.corners[self.support(pose.q.inv_rotate(direction))]);
        Aabb {
            min: vec2(farthest(Vec2::NEG_X).x, farthest(Vec2::NEG_Y).y),
            max: vec2(farthest(Vec2::X).x, farthest(Vec2::Y).y),
        }
    }

    /// Does a point lie in it, boundary included? In O(log n).
    pub fn contains(&self, point: Vec2) -> bool {
        let (first, count) = (self.corners[0], self.corners.len());
        // Which of the triangles around the first corner the point is in, as seen from there.
        let triangle = self.corners[1..].partition_point(|&corner| cross(corner - first, point - first) >= 0.0);
        if triangle == 0 {
            return false;
        }
        if triangle == count - 1 {
            // On the line through the last edge, or beyond it.
            let last = self.corners[count - 1];
            return cross(last - first, point - first) == 0.0
                && (point - first).dot(last - first) >= 0.0
                && (point - last).dot(first - last) >= 0.0;
        }
        let (a, b) = (self.corners[triangle], self.corners[triangle + 1]);
        cross(b - a, point - a) >= 0.0
    }

    /// How far this rim and another one, placed in its frame, are apart, or how deep they overlap. In O(log n + log m)
    /// if they are apart, else in O(n + m).
    pub fn separation(&self, other: &Rim, other_in_self: Pose) -> RimSeparation {
        self.gap(other, other_in_self).unwrap_or_else(|| self.depth(other, other_in_self))
    }

    /// A corner of the difference `A - B`, farthest along a direction.
    fn difference(&self, other: &Rim, pose: Pose, direction: Double2) -> Double2 {
        let direction = vec2(direction.x as f32, direction.y as f32);
        let a = self.corners[self.support(direction)];
        let b = other.corners[other.support(pose.q.inv_rotate(-direction))];
        Double2::from(a) - Double2::from(pose.point(b))
    }

    /// The distance of rims that are apart, by GJK: of the difference `A - B` the point nearest to the origin.
    fn gap(&self, other: &Rim, pose: Pose) -> Option<RimSeparation> {
        /// More rounds than shapes of f32 ever need: each brings the bound closer by a corner.
        const ROUNDS: usize = 64;
        let start = Double2::from(self.corners[0]) - Double2::from(pose.point(other.corners[0]));
        let mut simplex = vec![start];
        let mut nearest = start;
        for _ in 0..ROUNDS {
            let squared = nearest.dot(nearest);
            if squared == 0.0 {
                return None;
            }
            let next = self.difference(other, pose, Double2 { x: -nearest.x, y: -nearest.y });
            // Nothing lies nearer than this bound: done when it meets what was found.
            if squared - nearest.dot(next) <= 1.0e-7 * squared || simplex.contains(&next) {
                let distance = squared.sqrt();
                let normal = vec2((-nearest.x / distance) as f32, (-nearest.y / distance) as f32);
                return Some(RimSeparation { distance: distance as f32, normal });
            }
            simplex.push(next);
            nearest = nearest_of(&mut simplex)?;
        }
        None
    }

    /// The depth of rims that overlap: the least way out over the edges of both.
    fn depth(&self, other: &Rim, pose: Pose) -> RimSeparation {
        let back = Pose { p: pose.inv_point(Vec2::ZERO), q: pose.q.inverse() };
        let (own, others) = (self.least_way_out(other, pose), other.least_way_out(self, back));
        if own.distance >= others.distance {
            own
        } else {
            RimSeparation { normal: -pose.q.rotate(others.normal), ..others }
        }
    }

    /// The least way out of this rim for another one over the edges of this one, which are followed around in order of
    /// angle.
    fn least_way_out(&self, other: &Rim, pose: Pose) -> RimSeparation {
        let mut best = RimSeparation { distance: f32::MIN, normal: Vec2::X };
        let mut at = other.support(pose.q.inv_rotate(-self.normals[0]));
        for (&corner, &normal) in self.corners.iter().zip(&self.normals) {
            at = other.climb(at, pose.q.inv_rotate(-normal));
            let (normal, _) = unit_and_length(normal);
            let distance = (pose.point(other.corners[at]) - corner).dot(normal);
            if distance > best.distance {
                best = RimSeparation { distance, normal };
            }
        }
        best
    }
}

/// Is a direction turned by half a turn or more against a first one, counter-clockwise?
fn is_second_half(first: Vec2, direction: Vec2) -> bool {
    let turn = cross(first, direction);
    turn < 0.0 || turn == 0.0 && first.dot(direction) < 0.0
}

/// The point of a simplex of two or three points that is nearest to the origin; keeps the points it lies between. None
/// if the origin is inside.
fn nearest_of(simplex: &mut Vec<Double2>) -> Option<Double2> {
    let on_segment = |a: Double2, b: Double2| {
        let along = b - a;
        let length = along.dot(along);
        let share = if length > 0.0 { (-a.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        Double2 { x: a.x + share * along.x, y: a.y + share * along.y }
    };
    if let &[a, b] = &simplex[..] {
        return Some(on_segment(a, b));
    }
    let &[a, b, c] = &simplex[..] else { return None };
    // Towards the newest point there are two edges; inside of both, and of the third, is the origin.
    let turn = (b - a).cross(c - a);
    let outside = |p: Double2, q: Double2| (q - p).cross(Double2 { x: -p.x, y: -p.y }) * turn < 0.0;
    if turn != 0.0 && !outside(a, b) && !outside(b, c) && !outside(c, a) {
        return None;
    }
    let [p, q] = [on_segment(a, c), on_segment(b, c)];
    let (kept, nearest) = if p.dot(p) <= q.dot(q) { ([a, c], p) } else { ([b, c], q) };
    *simplex = kept.to_vec();
    Some(nearest)
}
