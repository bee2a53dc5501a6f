//! The rim of a convex shape, which can be moved inwards.

use super::circle::Circle;
use carom_core::math::{max, min};
use carom2d::math::{Vec2, cross, left_perp};

/// A corner, and how it moves when the edges beside it move inwards by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    pub(super) at: Vec2,
    pub(super) inwards: Vec2,
}

impl Corner {
    /// Where it is when the edges have moved inwards by `depth`, or outwards if that is negative. A sharp
    /// corner does not run ahead of its edges then.
    pub(super) fn inset(&self, depth: f32) -> Vec2 {
        const FARTHEST: f32 = 3.0;
        let farther = self.inwards.length_squared() / (FARTHEST * FARTHEST);
        if depth < 0.0 && farther > 1.0 {
            return self.at + self.inwards * (depth / farther.sqrt());
        }
        self.at + self.inwards * depth
    }
}

/// The corners of a convex shape, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Rim {
    corners: Vec<Corner>,
}

impl Rim {
    /// All corners.
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners
    }

    /// Takes the rim of a box with its first side along `along`.
    pub(super) fn set_rectangle(&mut self, center: Vec2, along: Vec2, size: Vec2) {
        let (right, up) = (along, left_perp(along));
        self.corners.clear();
        self.corners.extend([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Corner {
            at: center + right * (0.5 * x * size.x) + up * (0.5 * y * size.y),
            inwards: -(right * x + up * y),
        }));
    }

    /// Takes the rim of a circle.
    pub(super) fn set_circle(&mut self, circle: &Circle, center: Vec2, radius: f32) {
        let swell = circle.swell;
        self.corners.clear();
        self.corners.extend(circle.directions.iter().map(|&direction| {
            let outwards = direction * swell;
            Corner { at: center + outwards * radius, inwards: -outwards }
        }));
    }

    /// Takes the rim of what is within `radius` of a segment.
    pub(super) fn set_capsule(&mut self, circle: &Circle, a: Vec2, b: Vec2, radius: f32) {
        let along = (b - a).normalize_or(Vec2::X);
        let side = left_perp(along);
        let count = circle.directions.len();
        let quarter = count / 4;
        self.corners.clear();
        for (center, first) in [(b, count - quarter), (a, quarter)] {
            self.corners.extend((first..=first + 2 * quarter).map(|k| {
                let direction = circle.directions[k % count];
                let outwards = along * direction.x + side * direction.y;
                Corner { at: center + outwards * radius, inwards: -outwards }
            }));
        }
    }

    /// Takes the corners of a convex polygon, and measures it. None if it has no area.
    pub(super) fn set_polygon(&mut self, points: impl Iterator<Item = Vec2>) -> Option<Measure> {
        // Corners closer than this, in pixels, are one.
        const SAME: f32 = 0.02;
        self.corners.clear();
        for at in points {
            let before = self.corners.last();
            if before.is_none_or(|before| (at - before.at).length_squared() > SAME * SAME) {
                self.corners.push(Corner { at, inwards: Vec2::ZERO });
            }
        }
        while let [first, .., last] = self.corners[..]
            && (first.at - last.at).length_squared() <= SAME * SAME
        {
            self.corners.pop();
        }
        let measure = self.measure()?;
        self.find_inwards(measure.turn);
        Some(measure)
    }

    fn measure(&self) -> Option<Measure> {
        let [first, _, _, ..] = self.corners[..] else { return None };
        let (mut twice_area, mut perimeter) = (0.0, 0.0);
        for i in 0..self.corners.len() {
            let (at, next) = (self.corners[i].at, self.next(i).at);
            // Seen from a corner, so that no digits are lost far from the origin.
            twice_area += cross(at - first.at, next - first.at);
            perimeter += (next - at).length();
        }
        let turn = if twice_area < 0.0 { -1.0 } else { 1.0 };
        let area = 0.5 * twice_area.abs();
        (area > 0.0).then_some(Measure { area, perimeter, turn })
    }

    /// Finds how corners move; `turn` is 1 where the inside is to the left of the edges, else -1.
    fn find_inwards(&mut self, turn: f32) {
        let count = self.corners.len();
        let normal = |from: &Corner, to: &Corner| left_perp((to.at - from.at).normalize_or_zero()) * turn;
        let mut before = normal(&self.corners[count - 1], &self.corners[0]);
        for i in 0..count {
            let after = normal(&self.corners[i], self.next(i));
            self.corners[i].inwards = miter(before, after);
            before = after;
        }
    }

    /// Twice how far the edges can move inwards until nothing is left, about, in pixels; if that is more
    /// than `enough`, then some number above it.
    pub(super) fn thickness(&self, measure: Measure, enough: f32) -> f32 {
        // A circle that fits into a convex shape has a radius between area / perimeter and twice that.
        let least = 2.0 * measure.area / measure.perimeter;
        if least > enough {
            return least;
        }
        let mut thinnest = 2.0 * least;
        for i in 0..self.corners.len() {
            let at = self.corners[i].at;
            let normal = left_perp((self.next(i).at - at).normalize_or_zero()) * measure.turn;
            let highest = self.corners.iter().map(|corner| (corner.at - at).dot(normal)).fold(0.0, max);
            thinnest = min(thinnest, highest);
        }
        thinnest
    }

    /// How far a point inside is from the nearest edge, in pixels.
    pub(super) fn nearest_edge(&self, point: Vec2) -> f32 {
        let distance = |i: usize| {
            let at = self.corners[i].at;
            cross((self.next(i).at - at).normalize_or_zero(), point - at).abs()
        };
        (0..self.corners.len()).map(distance).fold(f32::INFINITY, min)
    }

    fn next(&self, i: usize) -> &Corner {
        self.corners.get(i + 1).unwrap_or(&self.corners[0])
    }
}

/// Size and direction of a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measure {
    /// In square pixels.
    pub(super) area: f32,
    /// In pixels.
    pub(super) perimeter: f32,
    /// 1 if the inside is to the left of the edges, else -1.
    turn: f32,
}

/// How the corner between two edges moves when both move by their normals. Where those are nearly opposite
/// it would move very far, but does not.
pub(super) fn miter(before: Vec2, after: Vec2) -> Vec2 {
    (before + after) / max(1.0 + before.dot(after), 0.02)
}

#[cfg(test)]
mod tests {
    use super::super::circle::Circles;
    use super::*;
    use carom2d::math::vec2;

    fn rim(points: &[Vec2]) -> (Rim, Option<Measure>) {
        let mut rim = Rim::default();
        let measure = rim.set_polygon(points.iter().copied());
        (rim, measure)
    }

    const BOX: [Vec2; 4] = [Vec2::new(1.0, 1.0), Vec2::new(9.0, 1.0), Vec2::new(9.0, 5.0), Vec2::new(1.0, 5.0)];

    #[test]
    fn moves_inwards_whatever_the_direction() {
        let backwards: Vec<Vec2> = BOX.iter().rev().copied().collect();
        for points in [&BOX[..], &backwards[..]] {
            let (rim, measure) = rim(points);
            let measure = measure.unwrap();
            assert_eq!((measure.area, measure.perimeter), (32.0, 24.0));
            assert_eq!(rim.thickness(measure, 10.0), 4.0);
            let mut moved: Vec<Vec2> = rim.corners().iter().map(|corner| corner.inset(1.0)).collect();
            moved.sort_by(|a, b| (a.x, a.y).partial_cmp(&(b.x, b.y)).unwrap());
            assert_eq!(moved, [vec2(2.0, 2.0), vec2(2.0, 4.0), vec2(8.0, 2.0), vec2(8.0, 4.0)]);
        }
    }

    #[test]
    fn a_box_by_its_sizes_is_the_box_by_its_corners() {
        let (mut by_size, by_corners) = (Rim::default(), rim(&BOX).0);
        by_size.set_rectangle(vec2(5.0, 3.0), Vec2::X, vec2(8.0, 4.0));
        assert_eq!(by_size.corners(), by_corners.corners());
        assert_eq!(by_size.nearest_edge(vec2(5.0, 2.0)), 1.0);
    }

    #[test]
    fn knows_the_thickness_of_triangles() {
        let (rim, measure) = rim(&[vec2(0.0, 0.0), vec2(3.0, 0.0), vec2(0.0, 4.0)]);
        assert!((rim.thickness(measure.unwrap(), 9.0) - 2.0).abs() < 1.0e-5);
    }

    #[test]
    fn corners_in_one_place_are_one() {
        let [a, b, c, d] = BOX;
        let (rim, measure) = rim(&[a, a, b, b + vec2(0.001, 0.0), c, d, a]);
        assert_eq!((rim.corners().len(), measure.unwrap().area), (4, 32.0));
    }

    #[test]
    fn what_has_no_area_has_no_rim() {
        for points in [&[][..], &BOX[..1], &BOX[..2], &[BOX[0], BOX[0], BOX[0]], &[BOX[0], BOX[1], BOX[0]]] {
            assert_eq!(rim(points).1, None);
        }
    }

    #[test]
    fn a_capsule_is_a_circle_pulled_apart() {
        let circles = Circles::new();
        let (a, b) = (vec2(3.0, 4.0), vec2(33.0, 44.0));
        let mut rim = Rim::default();
        rim.set_capsule(circles.of_radius(10.0), a, b, 10.0);
        let points: Vec<Vec2> = rim.corners().iter().map(|corner| corner.at).collect();
        let measure = rim.set_polygon(points.into_iter()).unwrap();
        let area = 50.0 * 20.0 + std::f32::consts::PI * 100.0;
        assert!((measure.area / area - 1.0).abs() < 0.01, "{}", measure.area);
        assert_eq!(measure.turn, 1.0);
    }
}
