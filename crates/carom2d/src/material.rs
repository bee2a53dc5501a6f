//! Surface properties and how those of two touching shapes combine.

use crate::math::{max, min};

/// How the coefficients of two touching surfaces become the coefficient of their contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mix {
    /// `sqrt(a b)`: a slippery partner wins gently. The default for friction.
    #[default]
    GeometricMean,
    /// `a b`: both surfaces act as factors.
    Product,
    /// `(a + b) / 2`.
    Mean,
    /// The smaller coefficient.
    Min,
    /// The larger coefficient. The default for restitution: a bouncy ball bounces on anything.
    Max,
}

impl Mix {
    /// The coefficient of the contact.
    #[inline]
    pub fn apply(self, a: f32, b: f32) -> f32 {
        match self {
            Mix::GeometricMean => (a * b).sqrt(),
            Mix::Product => a * b,
            Mix::Mean => 0.5 * (a + b),
            Mix::Min => min(a, b),
            Mix::Max => max(a, b),
        }
    }
}

/// The surface of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Material {
    /// Coulomb friction coefficient, at least 0. Default 0.6. Raising it lets steeper slopes hold.
    pub friction: f32,
    /// Rebound speed over impact speed, 0 to 1. Default 0. At 1 no energy is lost.
    pub restitution: f32,
    /// Resistance to rolling as a fraction of the rounding radius, at least 0. Default 0. A disc on
    /// a slope starts to roll when the slope's tangent exceeds it.
    pub rolling_resistance: f32,
    /// Speed of the surface along itself in m/s, clockwise around the shape, as on a conveyor belt:
    /// positive moves what lies on top of a floor towards +x. Default 0.
    pub surface_speed: f32,
}

impl Default for Material {
    fn default() -> Material {
        Material { friction: 0.6, restitution: 0.0, rolling_resistance: 0.0, surface_speed: 0.0 }
    }
}
