//! 2 x 2 matrices.
//!
//! Our own rather than glam's, whose matrices may be computed differently per CPU.

use glam::DVec2;
use std::ops::{Add, Mul, Neg, Sub};

/// A 2 x 2 matrix, by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat2 {
    /// The rows, top to bottom.
    pub rows: [[f64; 2]; 2],
}

impl Mat2 {
    /// Nothing but zeros.
    pub const ZERO: Mat2 = Mat2 { rows: [[0.0; 2]; 2] };
    /// What leaves vectors as they are.
    pub const IDENTITY: Mat2 = Mat2 { rows: [[1.0, 0.0], [0.0, 1.0]] };
    /// A quarter turn counter-clockwise: (a, b) becomes (-b, a).
    pub const QUARTER_TURN: Mat2 = Mat2 { rows: [[0.0, -1.0], [1.0, 0.0]] };

    /// The outer product a bᵀ.
    #[inline]
    pub fn outer(a: DVec2, b: DVec2) -> Mat2 {
        Mat2 { rows: [[a.x * b.x, a.x * b.y], [a.y * b.x, a.y * b.y]] }
    }
}

impl Add for Mat2 {
    type Output = Mat2;
    #[inline]
    fn add(self, other: Mat2) -> Mat2 {
        let ([[a, b], [c, d]], [[e, f], [g, h]]) = (self.rows, other.rows);
        Mat2 { rows: [[a + e, b + f], [c + g, d + h]] }
    }
}

impl Sub for Mat2 {
    type Output = Mat2;
    #[inline]
    fn sub(self, other: Mat2) -> Mat2 {
        self + -other
    }
}

impl Neg for Mat2 {
    type Output = Mat2;
    #[inline]
    fn neg(self) -> Mat2 {
        let [[a, b], [c, d]] = self.rows;
        Mat2 { rows: [[-a, -b], [-c, -d]] }
    }
}

impl Mul<f64> for Mat2 {
    type Output = Mat2;
    #[inline]
    fn mul(self, factor: f64) -> Mat2 {
        let [[a, b], [c, d]] = self.rows;
        Mat2 { rows: [[a * factor, b * factor], [c * factor, d * factor]] }
    }
}

impl Mul for Mat2 {
    type Output = Mat2;
    #[inline]
    fn mul(self, other: Mat2) -> Mat2 {
        let ([[a, b], [c, d]], [[e, f], [g, h]]) = (self.rows, other.rows);
        Mat2 { rows: [[a * e + b * g, a * f + b * h], [c * e + d * g, c * f + d * h]] }
    }
}

impl Mul<DVec2> for Mat2 {
    type Output = DVec2;
    #[inline]
    fn mul(self, v: DVec2) -> DVec2 {
        let [[a, b], [c, d]] = self.rows;
        DVec2::new(a * v.x + b * v.y, c * v.x + d * v.y)
    }
}
