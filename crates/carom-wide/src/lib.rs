//! Several lanes of `f32`, computed side by side.
//!
//! The solver is written once, over this small vocabulary. Only operations that IEEE 754 defines to
//! the last bit are in it (add, subtract, multiply, divide, compare, select), so that the result does
//! not depend on how many lanes the machine computes at a time: no fused multiply-add, no reciprocal
//! estimates.
//!
//! Lanes are plain arrays here and the compiler turns the loops into whatever vectors the target
//! has. Files for particular instruction sets belong beside this one.
#![forbid(unsafe_code)]

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// How many lanes a block of constraints has.
pub const LANES: usize = 8;

/// One number per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Wide(pub [f32; LANES]);

/// One truth value per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(pub [bool; LANES]);

impl Wide {
    /// Zero in every lane.
    pub const ZERO: Wide = Wide([0.0; LANES]);

    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(x: f32) -> Wide {
        Wide([x; LANES])
    }

    #[inline(always)]
    fn zip(self, other: Wide, f: impl Fn(f32, f32) -> f32) -> Wide {
        let mut out = [0.0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i], other.0[i]);
        }
        Wide(out)
    }

    /// The larger of two numbers in each lane; the second where they are not ordered.
    #[inline(always)]
    pub fn max(self, other: Wide) -> Wide {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    /// The smaller of two numbers in each lane; the second where they are not ordered.
    #[inline(always)]
    pub fn min(self, other: Wide) -> Wide {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// Limited to `-bound..=bound`, for `bound` of at least zero.
    #[inline(always)]
    pub fn clamp_symmetric(self, bound: Wide) -> Wide {
        (-bound).max(self.min(bound))
    }

    /// One over the number in each lane, correctly rounded.
    #[inline(always)]
    pub fn recip(self) -> Wide {
        self.zip(self, |a, _| 1.0 / a)
    }

    /// Lanes where this number is greater or equal.
    #[inline(always)]
    pub fn at_least(self, other: Wide) -> Mask {
        let mut out = [false; LANES];
        for i in 0..LANES {
            out[i] = self.0[i] >= other.0[i];
        }
        Mask(out)
    }

    /// Lanes where this number is greater.
    #[inline(always)]
    pub fn greater(self, other: Wide) -> Mask {
        let mut out = [false; LANES];
        for i in 0..LANES {
            out[i] = self.0[i] > other.0[i];
        }
        Mask(out)
    }
}

impl Mask {
    /// Is any lane set?
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().any(|&lane| lane)
    }

    /// Lanes where both masks are set.
    #[inline(always)]
    pub fn and(self, other: Mask) -> Mask {
        let mut out = [false; LANES];
        for i in 0..LANES {
            out[i] = self.0[i] & other.0[i];
        }
        Mask(out)
    }

    /// In each lane `yes` where the mask is set, `no` elsewhere.
    #[inline(always)]
    pub fn select(self, yes: Wide, no: Wide) -> Wide {
        let mut out = [0.0; LANES];
        for i in 0..LANES {
            out[i] = if self.0[i] { yes.0[i] } else { no.0[i] };
        }
        Wide(out)
    }
}

impl Default for Wide {
    fn default() -> Wide {
        Wide::ZERO
    }
}

impl Add for Wide {
    type Output = Wide;
    #[inline(always)]
    fn add(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Wide {
    type Output = Wide;
    #[inline(always)]
    fn sub(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Wide {
    type Output = Wide;
    #[inline(always)]
    fn mul(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a * b)
    }
}

impl Neg for Wide {
    type Output = Wide;
    #[inline(always)]
    fn neg(self) -> Wide {
        self.zip(self, |a, _| -a)
    }
}

impl AddAssign for Wide {
    #[inline(always)]
    fn add_assign(&mut self, other: Wide) {
        *self = *self + other;
    }
}

impl SubAssign for Wide {
    #[inline(always)]
    fn sub_assign(&mut self, other: Wide) {
        *self = *self - other;
    }
}

/// One vector of the plane per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wide2 {
    /// First components.
    pub x: Wide,
    /// Second components.
    pub y: Wide,
}

impl Wide2 {
    /// Zero in every lane.
    pub const ZERO: Wide2 = Wide2 { x: Wide::ZERO, y: Wide::ZERO };

    /// The scalar product in each lane.
    #[inline(always)]
    pub fn dot(self, other: Wide2) -> Wide {
        self.x * other.x + self.y * other.y
    }

    /// The cross product `a.x b.y - a.y b.x` in each lane.
    #[inline(always)]
    pub fn cross(self, other: Wide2) -> Wide {
        self.x * other.y - self.y * other.x
    }

    /// Every component multiplied by the lane's number.
    #[inline(always)]
    pub fn scale(self, s: Wide) -> Wide2 {
        Wide2 { x: self.x * s, y: self.y * s }
    }

    /// Component by component product.
    #[inline(always)]
    pub fn times(self, other: Wide2) -> Wide2 {
        Wide2 { x: self.x * other.x, y: self.y * other.y }
    }

    /// Turned by -90 degrees.
    #[inline(always)]
    pub fn right_perp(self) -> Wide2 {
        Wide2 { x: self.y, y: -self.x }
    }

    /// Turned by the rotation with this cosine and sine.
    #[inline(always)]
    pub fn rotated(self, c: Wide, s: Wide) -> Wide2 {
        Wide2 { x: c * self.x - s * self.y, y: s * self.x + c * self.y }
    }
}

impl Add for Wide2 {
    type Output = Wide2;
    #[inline(always)]
    fn add(self, other: Wide2) -> Wide2 {
        Wide2 { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Wide2 {
    type Output = Wide2;
    #[inline(always)]
    fn sub(self, other: Wide2) -> Wide2 {
        Wide2 { x: self.x - other.x, y: self.y - other.y }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation gives in each lane the bits of the scalar operation.
    #[test]
    fn lanes_compute_like_scalars() {
        let numbers = [0.0, -0.0, 1.5, -2.25, 3.0e-39, 1.0e38, f32::INFINITY, 0.1];
        let others = [-0.0, 0.0, 0.3, 7.5, -1.0, 1.0e38, 2.0, f32::NAN];
        let (a, b) = (Wide(numbers), Wide(others));
        for i in 0..LANES {
            let (x, y) = (numbers[i], others[i]);
            let same = |wide: Wide, scalar: f32| {
                assert!(wide.0[i].to_bits() == scalar.to_bits() || (wide.0[i].is_nan() && scalar.is_nan()));
            };
            same(a + b, x + y);
            same(a - b, x - y);
            same(a * b, x * y);
            same(-a, -x);
            same(a.max(b), if x > y { x } else { y });
            same(a.min(b), if x < y { x } else { y });
            same(a.greater(b).select(a, b), if x > y { x } else { y });
        }
        assert_eq!(Wide::splat(3.0).clamp_symmetric(Wide::splat(2.0)), Wide::splat(2.0));
        assert_eq!(Wide::splat(-3.0).clamp_symmetric(Wide::splat(2.0)), Wide::splat(-2.0));
    }

    #[test]
    fn vectors_follow_the_plane() {
        let v = Wide2 { x: Wide::splat(3.0), y: Wide::splat(4.0) };
        assert_eq!(v.dot(v), Wide::splat(25.0));
        assert_eq!(v.dot(v.right_perp()), Wide::ZERO);
        assert_eq!(v.cross(v.right_perp()), Wide::splat(-25.0));
        assert_eq!(v.rotated(Wide::ZERO, Wide::splat(1.0)), Wide2 { x: Wide::splat(-4.0), y: Wide::splat(3.0) });
    }
}
