//! The convex hull of a set of points.
//!
//! Andrew's monotone chain: sort by x, walk the lower side left to right and the upper side
//! back, and drop every point that does not turn left. The turn is computed in f64, where the
//! differences of f32 coordinates are practically exact.
//!
//! A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions",
//! Information Processing Letters 9 (1979).

use super::double::Double2;
use crate::math::{Vec2, vec2};

/// A vertex is dropped when it sticks out of the line through its neighbours by less than
/// this part of the hull's size. Such an edge has a normal made of rounding errors.
const COLLINEAR_TOLERANCE: f64 = 1.0e-5;

/// The corners of the convex hull of a finite set of points, counter-clockwise from the
/// leftmost. Empty when fewer than three corners remain: too few points, or all on a line.
///
/// Corners that stick out by less than 1e-5 of the hull's size are dropped, the flattest
/// first, so that every remaining corner is a clear left turn. Takes O(n log n + h^2) for n
/// points of which h are on the hull.
pub fn convex_hull(points: &[Vec2]) -> Vec<Vec2> {
    // Adding zero turns -0 into 0: the two compare as equal but sort apart.
    let mut sorted: Vec<Double2> = points.iter().map(|&p| Double2::from(p + vec2(0.0, 0.0))).collect();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    sorted.dedup();

    let mut hull: Vec<Double2> = Vec::with_capacity(32);
    append_chain(&mut hull, sorted.iter().copied());
    append_chain(&mut hull, sorted.iter().rev().copied());

    drop_flat_corners(&mut hull);
    if hull.len() < 3 {
        hull.clear();
    }
    hull.iter().map(|p| p.single()).collect()
}

/// Appends the side of the hull that keeps the points on its left, without its last point,
/// which starts the other side.
fn append_chain(hull: &mut Vec<Double2>, points: impl Iterator<Item = Double2>) {
    let start = hull.len();
    for point in points {
        while hull.len() >= start + 2 && turn(hull[hull.len() - 2], hull[hull.len() - 1], point) <= 0.0 {
            hull.pop();
        }
        hull.push(point);
    }
    hull.pop();
}

fn drop_flat_corners(hull: &mut Vec<Double2>) {
    let Some(&first) = hull.first() else { return };
    let reach = hull.iter().fold(0.0, |reach, &p| larger(reach, (p - first).length()));
    let tolerance = COLLINEAR_TOLERANCE * reach;
    while hull.len() >= 3 {
        let count = hull.len();
        let mut flattest = 0;
        let mut smallest_height = f64::MAX;
        for i in 0..count {
            let (previous, next) = (hull[(i + count - 1) % count], hull[(i + 1) % count]);
            let base = (next - previous).length();
            // Neighbours at the same place cannot happen in a hull of distinct points.
            let height = turn(previous, hull[i], next) / base;
            if height < smallest_height {
                smallest_height = height;
                flattest = i;
            }
        }
        // The height is at most the distance to either neighbour, so this also removes
        // corners that almost coincide.
        if smallest_height > tolerance {
            return;
        }
        hull.remove(flattest);
    }
}

/// Twice the area of the triangle: positive for a left turn.
fn turn(a: Double2, b: Double2, c: Double2) -> f64 {
    (b - a).cross(c - b)
}

fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
