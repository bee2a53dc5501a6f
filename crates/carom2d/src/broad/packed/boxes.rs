//! Eight boxes side by side.

use super::WIDTH;
use crate::math::{Aabb, Vec2, vec2};
use carom_wide::overlapping;
use glam::Vec4;

/// Eight boxes side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Boxes {
    pub(in crate::broad) min_x: [f32; WIDTH],
    pub(in crate::broad) min_y: [f32; WIDTH],
    pub(in crate::broad) max_x: [f32; WIDTH],
    pub(in crate::broad) max_y: [f32; WIDTH],
}

/// The lower or the upper four of eight numbers.
#[inline]
fn four(numbers: &[f32; WIDTH], half: usize) -> Vec4 {
    Vec4::new(numbers[4 * half], numbers[4 * half + 1], numbers[4 * half + 2], numbers[4 * half + 3])
}

impl Boxes {
    /// Overlaps nothing, and changes no union.
    pub(super) const NOWHERE: Boxes = Boxes {
        min_x: [f32::INFINITY; WIDTH],
        min_y: [f32::INFINITY; WIDTH],
        max_x: [f32::NEG_INFINITY; WIDTH],
        max_y: [f32::NEG_INFINITY; WIDTH],
    };

    #[inline]
    pub(super) fn get(&self, lane: usize) -> Aabb {
        Aabb::new(vec2(self.min_x[lane], self.min_y[lane]), vec2(self.max_x[lane], self.max_y[lane]))
    }

    #[inline]
    pub(super) fn set(&mut self, lane: usize, aabb: &Aabb) {
        self.min_x[lane] = aabb.min.x;
        self.min_y[lane] = aabb.min.y;
        self.max_x[lane] = aabb.max.x;
        self.max_y[lane] = aabb.max.y;
    }

    /// A bit for each box that shares a point with another; touching edges count.
    #[inline]
    pub(super) fn overlapping(&self, aabb: &Aabb) -> u32 {
        let boxes = [&self.min_x, &self.min_y, &self.max_x, &self.max_y];
        overlapping(boxes, [aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y])
    }

    /// The smallest box around all of them: [`NOWHERE`] if there is none.
    #[inline]
    pub(super) fn bounds(&self) -> Aabb {
        let min = |numbers: &[f32; WIDTH]| four(numbers, 0).min(four(numbers, 1)).min_element();
        let max = |numbers: &[f32; WIDTH]| four(numbers, 0).max(four(numbers, 1)).max_element();
        Aabb::new(vec2(min(&self.min_x), min(&self.min_y)), vec2(max(&self.max_x), max(&self.max_y)))
    }
}

/// A box that overlaps nothing, and changes no union.
pub(super) const NOWHERE: Aabb = Aabb::new(Vec2::INFINITY, Vec2::NEG_INFINITY);
