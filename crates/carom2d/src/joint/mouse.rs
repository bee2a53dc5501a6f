//! Pulls a point of b to a place in the world, softly and with limited strength.
//!
//! ```text
//! u = an axis of the world
//! C = u . (p_b - target)       (two rows, for the two axes)
//! J = (0, 0, u, r_b x u)
//! K = of both together, as one system of two equations; on the diagonal m_b^-1 + I_b^-1 (r_b x u)^2
//! ```

use super::row::{Jacobian, Row, RowList, Rule};
use super::{Frames, Spring, strength};
use crate::body::position;
use crate::error::DefError;
use crate::math::{Vec2, vec2};

/// A soft pull to a place in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Mouse {
    /// Where frame b is pulled to, in world coordinates. Default: the origin.
    pub target: Vec2,
    /// How it is pulled. Default 5 Hz with a damping ratio of 0.7.
    pub spring: Spring,
    /// Most force in N. Default infinity.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub max_force: f32,
}

impl Default for Mouse {
    fn default() -> Mouse {
        Mouse { target: Vec2::ZERO, spring: Spring::new(5.0, 0.7), max_force: f32::INFINITY }
    }
}

impl Mouse {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        position("Mouse.target", self.target)?;
        self.spring.validate()?;
        strength("Mouse.max_force", self.max_force)
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let error = frames.p_b - self.target;
        let rule = Rule::Spring { hertz: self.spring.hertz, damping_ratio: self.spring.damping_ratio };
        let pull = [vec2(1.0, 0.0), vec2(0.0, 1.0)].map(|u| Row {
            error: error.dot(u),
            jacobian: [Jacobian::default(), Jacobian::point(u, frames.r_b)],
            speed: 0.0,
        });
        rows.push(0, rule, self.max_force, pull);
    }
}
