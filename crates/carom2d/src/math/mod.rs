//! Vectors, rotations, poses and boxes of the plane.
//!
//! Vectors are `glam`'s. Rotations and poses are our own, because their bodies decide the
//! bits: glam's differ between CPU features and call the platform's `sin`.
//!
//! Conventions: y up, counter-clockwise positive, `a x b = a.x b.y - a.y b.x`,
//! `w x r = w (-r.y, r.x)` for a scalar angular velocity `w`.

mod aabb;
mod mat2;
mod pose;
mod rot;

pub use aabb::Aabb;
pub use carom_core::math::{atan2, cos, max, min, sin, sin_cos};
pub use glam::{Vec2, vec2};
pub use mat2::Mat2;
pub use pose::Pose;
pub use rot::Rot;

/// The z component of the 3D cross product of two vectors in the plane.
#[inline]
pub fn cross(a: Vec2, b: Vec2) -> f32 {
    a.x * b.y - a.y * b.x
}

/// The cross product of an angular velocity (out of the plane) and an arm: `w x r`.
#[inline]
pub fn cross_sv(w: f32, r: Vec2) -> Vec2 {
    vec2(-w * r.y, w * r.x)
}

/// `v` turned by -90 degrees: `v x z`. The right-hand normal of a direction, and the tangent
/// of a contact normal.
#[inline]
pub fn right_perp(v: Vec2) -> Vec2 {
    vec2(v.y, -v.x)
}

/// `v` turned by +90 degrees: `z x v`.
#[inline]
pub fn left_perp(v: Vec2) -> Vec2 {
    vec2(-v.y, v.x)
}

/// `x` limited to `low..=high`.
#[inline]
pub fn clamp(x: f32, low: f32, high: f32) -> f32 {
    max(low, min(x, high))
}

/// Component-wise minimum.
#[inline]
pub fn min2(a: Vec2, b: Vec2) -> Vec2 {
    vec2(min(a.x, b.x), min(a.y, b.y))
}

/// Component-wise maximum.
#[inline]
pub fn max2(a: Vec2, b: Vec2) -> Vec2 {
    vec2(max(a.x, b.x), max(a.y, b.y))
}

/// The unit vector along `v` and its length, or `(zero, 0)` where `v` is too short to have a
/// direction.
#[inline]
pub fn unit_and_length(v: Vec2) -> (Vec2, f32) {
    let length = v.length();
    if length < f32::MIN_POSITIVE * 1.0e4 {
        (Vec2::ZERO, 0.0)
    } else {
        let inv = 1.0 / length;
        (vec2(v.x * inv, v.y * inv), length)
    }
}
