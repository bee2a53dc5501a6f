use super::{Vec2, max, max2, min, min2, vec2};
use carom_core::Bounds;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// Lower left corner.
    pub min: Vec2,
    /// Upper right corner.
    pub max: Vec2,
}

carom_wide::quads!(Aabb: min.x, min.y, max.x, max.y);

impl Aabb {
    /// A box from its corners.
    #[inline]
    pub const fn new(min: Vec2, max: Vec2) -> Aabb {
        Aabb { min, max }
    }

    /// The smallest box around some points. Zero-sized at the origin when there are none.
    pub fn around(points: &[Vec2]) -> Aabb {
        let Some(&first) = points.first() else {
            return Aabb::new(Vec2::ZERO, Vec2::ZERO);
        };
        let mut aabb = Aabb::new(first, first);
        for &p in &points[1..] {
            aabb.min = min2(aabb.min, p);
            aabb.max = max2(aabb.max, p);
        }
        aabb
    }

    /// The middle of the box.
    #[inline]
    pub fn center(&self) -> Vec2 {
        0.5 * (self.min + self.max)
    }

    /// Half the width and height.
    #[inline]
    pub fn half_extents(&self) -> Vec2 {
        0.5 * (self.max - self.min)
    }

    /// The box grown by `margin` on every side.
    #[inline]
    pub fn grown(&self, margin: f32) -> Aabb {
        let m = vec2(margin, margin);
        Aabb::new(self.min - m, self.max + m)
    }

    /// True when the boxes share a point; touching edges count.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.x <= other.max.x && other.min.x <= self.max.x && self.min.y <= other.max.y && other.min.y <= self.max.y
    }

    /// True when `other` lies within this box; equal boxes do.
    #[inline]
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min.x <= other.min.x && self.min.y <= other.min.y && other.max.x <= self.max.x && other.max.y <= self.max.y
    }

    /// True when the point lies in the box, edges included.
    #[inline]
    pub fn contains_point(&self, p: Vec2) -> bool {
        self.min.x <= p.x && p.x <= self.max.x && self.min.y <= p.y && p.y <= self.max.y
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb::new(min2(self.min, other.min), max2(self.max, other.max))
    }

    /// Half the perimeter: the cost measure of the bounding-volume tree.
    #[inline]
    pub fn half_perimeter(&self) -> f32 {
        (self.max.x - self.min.x) + (self.max.y - self.min.y)
    }

    /// True when the segment from `origin` to `origin + fraction * translation` meets the box.
    pub fn meets_ray(&self, origin: Vec2, translation: Vec2, fraction: f32) -> bool {
        let mut enter = 0.0_f32;
        let mut leave = fraction;
        for axis in 0..2 {
            let (o, d) = (origin[axis], translation[axis]);
            let (low, high) = (self.min[axis], self.max[axis]);
            if d == 0.0 {
                if o < low || o > high {
                    return false;
                }
            } else {
                let t1 = (low - o) / d;
                let t2 = (high - o) / d;
                enter = max(enter, min(t1, t2));
                leave = min(leave, max(t1, t2));
            }
        }
        enter <= leave
    }

    /// True when every number is finite and the corners are in order.
    pub fn is_valid(&self) -> bool {
        self.min.is_finite() && self.max.is_finite() && self.min.x <= self.max.x && self.min.y <= self.max.y
    }
}

impl Bounds for Aabb {
    type Cost = f32;

    #[inline]
    fn union(&self, other: &Aabb) -> Aabb {
        Aabb::union(self, other)
    }

    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        Aabb::overlaps(self, other)
    }

    #[inline]
    fn contains(&self, other: &Aabb) -> bool {
        Aabb::contains(self, other)
    }

    #[inline]
    fn cost(&self) -> f32 {
        self.half_perimeter()
    }
}
