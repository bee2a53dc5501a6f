//! Surface properties and how those of two touching bodies combine.
//!
//! The rules stand in `carom2d` as well, in single precision: definitions, with their documentation and their form in files,
//! belong to each engine.

use crate::error::{DefError, fraction, non_negative};
use crate::math::{max, min};

/// How the coefficients of two touching surfaces become the coefficient of their contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Mix::GeometricMean => (a * b).sqrt(),
            Mix::Product => a * b,
            Mix::Mean => 0.5 * (a + b),
            Mix::Min => min(a, b),
            Mix::Max => max(a, b),
        }
    }
}

/// The surface of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb friction coefficient, at least 0. Default 0: impacts cause no spin. Raising it lets balls roll on
    /// steeper slopes.
    pub friction: f64,
    /// Rebound speed over impact speed, 0 to 1. Default 1: no energy is lost.
    pub restitution: f64,
    /// Resistance to rolling, and to spinning on the spot, as a fraction of the radius, at least 0. Default 0. A ball on
    /// a slope starts to roll when the slope's tangent exceeds it; on the level it comes to rest. Of two surfaces the
    /// larger counts.
    pub rolling_resistance: f64,
}

impl Default for Material {
    fn default() -> Material {
        Material::DEFAULT
    }
}

impl Material {
    /// Neither friction nor loss.
    pub(crate) const DEFAULT: Material = Material { friction: 0.0, restitution: 1.0, rolling_resistance: 0.0 };

    pub(crate) fn validate(&self) -> Result<(), DefError> {
        non_negative("Material.friction", self.friction)?;
        fraction("Material.restitution", self.restitution)?;
        non_negative("Material.rolling_resistance", self.rolling_resistance)?;
        Ok(())
    }
}

/// What an impact does to velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ImpactLaw {
    /// The speed of approach is returned times the restitution of the materials; what is along the surface changes
    /// by friction alone. Keeps momentum.
    #[default]
    Restitution,
    /// An impact without loss, after which the whole velocity of each moving body, also what is along the surface,
    /// is multiplied by `1 - damping`. The materials' restitution is not looked at. Does not keep momentum, and
    /// depends on which body is said to be at rest; for scenes that were made for it.
    WholeVelocity {
        /// What is lost, 0 to 1.
        damping: f64,
    },
}

impl ImpactLaw {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        match *self {
            ImpactLaw::Restitution => Ok(()),
            ImpactLaw::WholeVelocity { damping } => fraction("ImpactLaw.damping", damping).map(|_| ()),
        }
    }
}
