//! Vectors are glam's; what has to give the same bits on every machine is here.

mod aabb;
mod quad;
mod quat;

pub use aabb::Aabb;
pub use glam::{DVec3, dvec3};
pub(crate) use quad::Quad;
pub use quat::Quat;

pub(crate) use carom_core::math::{max64 as max, min64 as min, sin_cos64 as sin_cos};

/// The larger of each part.
#[inline]
pub(crate) fn max3(a: DVec3, b: DVec3) -> DVec3 {
    dvec3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z))
}

/// The smaller of each part.
#[inline]
pub(crate) fn min3(a: DVec3, b: DVec3) -> DVec3 {
    dvec3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z))
}

/// A vector of length 1 in the same direction; `fallback` where there is none.
#[inline]
pub(crate) fn unit_or(v: DVec3, fallback: DVec3) -> DVec3 {
    let length = v.length();
    if length > 0.0 { v / length } else { fallback }
}
