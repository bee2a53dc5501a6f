//! Four numbers side by side, as registers hold them: a vector, and a number that goes with it.

use crate::math::DVec3;
use std::ops::{Add, Mul, Sub};

/// A vector and a fourth number `w`. Sums and multiples are of all four; products of vectors leave `w` out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Quad([f64; 4]);

impl Quad {
    #[inline(always)]
    pub(crate) fn new(v: DVec3, w: f64) -> Quad {
        Quad([v.x, v.y, v.z, w])
    }

    /// The vector.
    #[inline(always)]
    pub(crate) fn xyz(self) -> DVec3 {
        let [x, y, z, _] = self.0;
        DVec3::new(x, y, z)
    }

    /// The fourth number.
    #[inline(always)]
    pub(crate) fn w(self) -> f64 {
        self.0[3]
    }

    /// The same vector with another number.
    #[inline(always)]
    pub(crate) fn with_w(self, w: f64) -> Quad {
        let [x, y, z, _] = self.0;
        Quad([x, y, z, w])
    }

    /// The vector alone: `w` is zero.
    #[inline(always)]
    pub(crate) fn flat(self) -> Quad {
        self.with_w(0.0)
    }

    /// The scalar product of the vectors.
    #[inline(always)]
    pub(crate) fn dot(self, other: Quad) -> f64 {
        let ([a, b, c, _], [x, y, z, _]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    /// The vector product; `w` is zero.
    #[inline(always)]
    pub(crate) fn cross(self, other: Quad) -> Quad {
        let ([a, b, c, _], [x, y, z, _]) = (self.0, other.0);
        Quad([b * z - c * y, c * x - a * z, a * y - b * x, 0.0])
    }

    /// A vector of at most a length.
    #[inline(always)]
    pub(crate) fn limited(self, limit: f64) -> Quad {
        let length_squared = self.dot(self);
        if length_squared > limit * limit { self * (limit / length_squared.sqrt()) } else { self }
    }
}

impl Add for Quad {
    type Output = Quad;

    #[inline(always)]
    fn add(self, other: Quad) -> Quad {
        Quad(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for Quad {
    type Output = Quad;

    #[inline(always)]
    fn sub(self, other: Quad) -> Quad {
        Quad(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl Mul<f64> for Quad {
    type Output = Quad;

    #[inline(always)]
    fn mul(self, factor: f64) -> Quad {
        Quad(std::array::from_fn(|i| self.0[i] * factor))
    }
}
