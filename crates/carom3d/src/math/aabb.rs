use super::{DVec3, max3, min3};
use carom_core::Bounds;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box of a sphere.
    #[inline]
    pub fn of_sphere(center: DVec3, radius: f64) -> Aabb {
        Aabb { min: center, max: center }.grown(radius)
    }

    /// The smallest box around some points.
    #[inline]
    pub(crate) fn around<const N: usize>(points: &[DVec3; N]) -> Aabb {
        let mut aabb = Aabb { min: points[0], max: points[0] };
        for &point in &points[1..] {
            aabb.min = min3(aabb.min, point);
            aabb.max = max3(aabb.max, point);
        }
        aabb
    }

    /// The box grown by `margin` on every side.
    #[inline]
    pub fn grown(&self, margin: f64) -> Aabb {
        Aabb { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// Its middle.
    #[inline]
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half its edges.
    #[inline]
    pub fn half_extents(&self) -> DVec3 {
        0.5 * (self.max - self.min)
    }

    /// True when a plane through `point` with unit `normal` cuts or touches the box.
    #[inline]
    pub(crate) fn meets_plane(&self, point: DVec3, normal: DVec3) -> bool {
        let reach = self.half_extents().dot(normal.abs());
        (self.center() - point).dot(normal).abs() <= reach
    }
}

impl Bounds for Aabb {
    type Cost = f64;

    #[inline]
    fn union(&self, other: &Aabb) -> Aabb {
        Aabb { min: min3(self.min, other.min), max: max3(self.max, other.max) }
    }

    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    #[inline]
    fn contains(&self, other: &Aabb) -> bool {
        self.min.x <= other.min.x
            && other.max.x <= self.max.x
            && self.min.y <= other.min.y
            && other.max.y <= self.max.y
            && self.min.z <= other.min.z
            && other.max.z <= self.max.z
    }

    /// Half the surface.
    #[inline]
    fn cost(&self) -> f64 {
        let d = self.max - self.min;
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}
