//! The order in which boxes are kept: that of a Hilbert curve through their centres.

use super::{Packed, WIDTH};
use crate::math::{Aabb, Vec2};

/// A Hilbert curve through the square where most items are. Those far outside, such as bodies that fell
/// off a floor long ago, count as if they were at its border, or the others would all be in one cell.
pub(super) struct Curve {
    pub(super) corner: Vec2,
    pub(super) cells_per_metre: f32,
}

impl Curve {
    /// The curve passes `2^BITS` by `2^BITS` cells.
    pub(super) const BITS: u32 = 12;

    pub(super) fn around(tree: &Packed) -> Curve {
        let mut region = Aabb::new(Vec2::NEG_INFINITY, Vec2::INFINITY);
        // The second time without those that the first time finds far away.
        for _ in 0..2 {
            let centers = || {
                let boxes = tree.levels.first().into_iter().flatten();
                let centers = boxes.flat_map(|boxes| (0..WIDTH).map(|lane| boxes.get(lane).center()));
                // The centre of no box is not a number, and in no region.
                centers.filter(|&center| region.contains_point(center))
            };
            let count = centers().count() as f32;
            if count == 0.0 {
                break;
            }
            let mean = centers().fold(Vec2::ZERO, |sum, center| sum + center / count);
            let deviation = centers().fold(0.0, |sum, center| {
                let apart = (center - mean).abs();
                sum + (apart.x + apart.y) / count
            });
            // Of items spread evenly over a square, none is farther off than twice the deviation.
            let half = Vec2::splat(3.0 * deviation + 1.0e-3);
            region = Aabb::new(mean - half, mean + half);
        }
        let cells = (1 << Curve::BITS) as f32;
        Curve { corner: region.min, cells_per_metre: cells / (region.max.x - region.min.x) }
    }

    /// The number of the cell with a point on the way along the curve.
    pub(super) fn along(&self, point: Vec2) -> u32 {
        const LAST: u32 = (1 << Curve::BITS) - 1;
        // A cast to an integer ends at its limits.
        let cell = |x: f32| ((x * self.cells_per_metre) as u32).min(LAST);
        let (x, y) = (cell(point.x - self.corner.x), cell(point.y - self.corner.y));
        // From large squares to small ones: the curve passes the four quarters of each in the form of a U,
        // which may lie on its side (`swap`) or on its head (`flip`).
        let (mut along, mut swap, mut flip) = (0, 0, 0);
        for bit in (0..Curve::BITS).rev() {
            let (x, y) = (x >> bit & 1, y >> bit & 1);
            let exchange = (x ^ y) & swap;
            let (x, y) = (x ^ exchange ^ flip, y ^ exchange ^ flip);
            along = along << 2 | ((3 * x) ^ y);
            flip ^= x & (y ^ 1);
            swap ^= y ^ 1;
        }
        along
    }
}
