//! 2 x 2 matrices, by columns.
//!
//! The engine itself gets by with [`Rot`] and scalars; this is for those who build on it: separating axes between boxes,
//! effective masses, linear maps. Our own rather than glam's, whose bodies differ between CPUs.

use super::{Rot, Vec2, vec2};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A 2 x 2 matrix.
///
/// ```
/// use carom2d::math::{Mat2, vec2};
///
/// let quarter_turn = Mat2::from_angle(0.5 * std::f32::consts::PI);
/// let turned = quarter_turn * vec2(1.0, 0.0);
/// assert!((turned - vec2(0.0, 1.0)).length() < 1.0e-6);
///
/// let shear = Mat2::from_columns(vec2(1.0, 0.0), vec2(2.0, 1.0));
/// assert_eq!(shear.determinant(), 1.0);
/// assert_eq!(shear.inverse().map(|inverse| inverse * shear), Some(Mat2::IDENTITY));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat2 {
    /// The first column: where the matrix takes (1, 0).
    pub x: Vec2,
    /// The second column: where it takes (0, 1).
    pub y: Vec2,
}

impl Mat2 {
    /// All zeros.
    pub const ZERO: Mat2 = Mat2 { x: Vec2::ZERO, y: Vec2::ZERO };
    /// Leaves vectors as they are.
    pub const IDENTITY: Mat2 = Mat2 { x: Vec2::X, y: Vec2::Y };

    /// The matrix with these columns.
    #[inline]
    pub const fn from_columns(x: Vec2, y: Vec2) -> Mat2 {
        Mat2 { x, y }
    }

    /// The matrix with these rows.
    #[inline]
    pub const fn from_rows(first: Vec2, second: Vec2) -> Mat2 {
        Mat2 { x: vec2(first.x, second.x), y: vec2(first.y, second.y) }
    }

    /// Scales by the components of a vector.
    #[inline]
    pub const fn from_diagonal(diagonal: Vec2) -> Mat2 {
        Mat2 { x: vec2(diagonal.x, 0.0), y: vec2(0.0, diagonal.y) }
    }

    /// A rotation by an angle in radians, counter-clockwise.
    #[inline]
    pub fn from_angle(angle: f32) -> Mat2 {
        Rot::from_angle(angle).into()
    }

    /// The outer product a bᵀ.
    #[inline]
    pub fn outer(a: Vec2, b: Vec2) -> Mat2 {
        Mat2 { x: a * b.x, y: a * b.y }
    }

    /// The first and second rows.
    #[inline]
    pub const fn rows(self) -> [Vec2; 2] {
        [vec2(self.x.x, self.y.x), vec2(self.x.y, self.y.y)]
    }

    /// Rows for columns. Of a rotation that is its inverse.
    #[inline]
    pub const fn transpose(self) -> Mat2 {
        Mat2::from_rows(self.x, self.y)
    }

    /// The area of the parallelogram between the columns, negative if they turn clockwise.
    #[inline]
    pub fn determinant(self) -> f32 {
        self.x.x * self.y.y - self.y.x * self.x.y
    }

    /// The matrix that undoes this one; none if its determinant is zero or not finite, or its elements overflow.
    #[inline]
    pub fn inverse(self) -> Option<Mat2> {
        let inverse = Mat2::from_columns(vec2(self.y.y, -self.x.y), vec2(-self.y.x, self.x.x)) / self.determinant();
        inverse.is_finite().then_some(inverse)
    }

    /// The `v` with `self * v == right`; none if the matrix has no inverse.
    #[inline]
    pub fn solve(self, right: Vec2) -> Option<Vec2> {
        let solution =
            vec2(self.y.y * right.x - self.y.x * right.y, self.x.x * right.y - self.x.y * right.x) / self.determinant();
        solution.is_finite().then_some(solution)
    }

    /// Every element without its sign.
    #[inline]
    pub fn abs(self) -> Mat2 {
        Mat2 { x: self.x.abs(), y: self.y.abs() }
    }

    /// The sum of the diagonal.
    #[inline]
    pub fn trace(self) -> f32 {
        self.x.x + self.y.y
    }

    /// True if no element is infinite or NaN.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl From<Rot> for Mat2 {
    #[inline]
    fn from(rotation: Rot) -> Mat2 {
        Mat2 { x: vec2(rotation.c, rotation.s), y: vec2(-rotation.s, rotation.c) }
    }
}

impl Mul<Vec2> for Mat2 {
    type Output = Vec2;
    #[inline]
    fn mul(self, v: Vec2) -> Vec2 {
        vec2(self.x.x * v.x + self.y.x * v.y, self.x.y * v.x + self.y.y * v.y)
    }
}

impl Mul for Mat2 {
    type Output = Mat2;
    #[inline]
    fn mul(self, other: Mat2) -> Mat2 {
        Mat2 { x: self * other.x, y: self * other.y }
    }
}

impl Mul<f32> for Mat2 {
    type Output = Mat2;
    #[inline]
    fn mul(self, factor: f32) -> Mat2 {
        Mat2 { x: self.x * factor, y: self.y * factor }
    }
}

impl Mul<Mat2> for f32 {
    type Output = Mat2;
    #[inline]
    fn mul(self, matrix: Mat2) -> Mat2 {
        matrix * self
    }
}

impl Div<f32> for Mat2 {
    type Output = Mat2;
    #[inline]
    fn div(self, divisor: f32) -> Mat2 {
        Mat2 { x: self.x / divisor, y: self.y / divisor }
    }
}

impl Add for Mat2 {
    type Output = Mat2;
    #[inline]
    fn add(self, other: Mat2) -> Mat2 {
        Mat2 { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Mat2 {
    type Output = Mat2;
    #[inline]
    fn sub(self, other: Mat2) -> Mat2 {
        Mat2 { x: self.x - other.x, y: self.y - other.y }
    }
}

impl AddAssign for Mat2 {
    #[inline]
    fn add_assign(&mut self, other: Mat2) {
        *self = *self + other;
    }
}

impl SubAssign for Mat2 {
    #[inline]
    fn sub_assign(&mut self, other: Mat2) {
        *self = *self - other;
    }
}

impl Neg for Mat2 {
    type Output = Mat2;
    #[inline]
    fn neg(self) -> Mat2 {
        Mat2 { x: -self.x, y: -self.y }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;

    fn random(rng: &mut Rng) -> Mat2 {
        let mut element = || rng.range(-2.0, 2.0);
        Mat2::from_columns(vec2(element(), element()), vec2(element(), element()))
    }

    fn near(a: Mat2, b: Mat2, tolerance: f32) -> bool {
        let off = (a - b).abs();
        off.x.max_element() < tolerance && off.y.max_element() < tolerance
    }

    #[test]
    fn products_follow_the_rules_of_algebra() {
        let mut rng = Rng::new(1);
        for _ in 0..1000 {
            let (a, b, v) = (random(&mut rng), random(&mut rng), vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)));
            assert!(((a * b) * v - a * (b * v)).length() < 1.0e-4);
            assert!(near((a * b).transpose(), b.transpose() * a.transpose(), 1.0e-6));
            assert!(((a * b).determinant() - a.determinant() * b.determinant()).abs() < 1.0e-4);
            assert!(near(a * (b + Mat2::IDENTITY) - a, a * b, 1.0e-5));
            assert_eq!(a.transpose().transpose(), a);
            assert_eq!(a * Mat2::IDENTITY, a);
            assert_eq!(-a + a, Mat2::ZERO);
            assert_eq!(2.0 * a, a + a);
            assert_eq!(Mat2::from_rows(a.rows()[0], a.rows()[1]), a);
        }
    }

    #[test]
    fn an_inverse_undoes_a_matrix_or_does_not_exist() {
        let mut rng = Rng::new(2);
        for _ in 0..1000 {
            let (a, v) = (random(&mut rng), vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)));
            if a.determinant().abs() > 0.1 {
                let inverse = a.inverse().unwrap();
                assert!(near(a * inverse, Mat2::IDENTITY, 1.0e-4) && near(inverse * a, Mat2::IDENTITY, 1.0e-4));
                assert!((a * a.solve(v).unwrap() - v).length() < 1.0e-3);
            }
        }
        let flat = Mat2::from_columns(vec2(1.0, 2.0), vec2(2.0, 4.0));
        assert_eq!((flat.inverse(), flat.solve(vec2(1.0, 0.0))), (None, None));
        assert_eq!(Mat2::from_diagonal(vec2(f32::NAN, 1.0)).inverse(), None);
        assert_eq!(Mat2::from_diagonal(Vec2::splat(1.0e-30)).inverse(), None, "the determinant underflows");
    }

    #[test]
    fn rotations_are_the_same_as_rot() {
        let mut rng = Rng::new(3);
        for _ in 0..1000 {
            let (angle, v) = (rng.range(-7.0, 7.0), vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)));
            let (matrix, rotation) = (Mat2::from_angle(angle), Rot::from_angle(angle));
            assert_eq!(matrix * v, rotation.rotate(v));
            assert_eq!(matrix.transpose() * v, rotation.inv_rotate(v));
            assert!((matrix.determinant() - 1.0).abs() < 1.0e-6);
            assert!((matrix.trace() - 2.0 * rotation.c).abs() < 1.0e-6);
        }
    }

    #[test]
    fn absolute_values_bound_a_turned_box() {
        // The half extents of the box around a turned box: |R| h.
        let mut rng = Rng::new(4);
        for _ in 0..100 {
            let (turn, half) = (Mat2::from_angle(rng.range(-7.0, 7.0)), vec2(rng.range(0.1, 2.0), rng.range(0.1, 2.0)));
            let bound = turn.abs() * half;
            let corners = [half, vec2(-half.x, half.y)].map(|corner| (turn * corner).abs());
            let reach = corners[0].max(corners[1]);
            assert!((reach - bound).length() < 1.0e-5);
        }
        assert_eq!(Mat2::outer(vec2(1.0, 2.0), vec2(3.0, 4.0)).rows(), [vec2(3.0, 4.0), vec2(6.0, 8.0)]);
    }
}
