//! A vector of f64, for sums over a shape's corners that must not lose digits.

use crate::math::{Vec2, vec2};
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A vector in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Double2 {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Double2 {
    pub(crate) const ZERO: Double2 = Double2::new(0.0, 0.0);

    pub(crate) const fn new(x: f64, y: f64) -> Double2 {
        Double2 { x, y }
    }

    pub(crate) fn dot(self, other: Double2) -> f64 {
        self.x * other.x + self.y * other.y
    }

    pub(crate) fn cross(self, other: Double2) -> f64 {
        self.x * other.y - self.y * other.x
    }

    pub(crate) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Rounded to f32.
    pub(crate) fn single(self) -> Vec2 {
        vec2(self.x as f32, self.y as f32)
    }
}

impl From<Vec2> for Double2 {
    fn from(v: Vec2) -> Double2 {
        Double2::new(f64::from(v.x), f64::from(v.y))
    }
}

impl Add for Double2 {
    type Output = Double2;
    fn add(self, other: Double2) -> Double2 {
        Double2::new(self.x + other.x, self.y + other.y)
    }
}

impl AddAssign for Double2 {
    fn add_assign(&mut self, other: Double2) {
        *self = *self + other;
    }
}

impl Sub for Double2 {
    type Output = Double2;
    fn sub(self, other: Double2) -> Double2 {
        Double2::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Double2 {
    type Output = Double2;
    fn mul(self, factor: f64) -> Double2 {
        Double2::new(self.x * factor, self.y * factor)
    }
}

impl Div<f64> for Double2 {
    type Output = Double2;
    fn div(self, divisor: f64) -> Double2 {
        Double2::new(self.x / divisor, self.y / divisor)
    }
}
