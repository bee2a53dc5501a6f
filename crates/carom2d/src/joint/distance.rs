//! Keeps two points at a distance: a rod, a rope or a spring.
//!
//! ```text
//! d = p_b - p_a,  u = d / |d|
//! C = |d| - length
//! J = (-u, -r_a x u, u, r_b x u)
//! K = u . (M_a^-1 + M_b^-1) u + I_a^-1 (r_a x u)^2 + I_b^-1 (r_b x u)^2
//! ```

use super::row::{Extras, RowList};
use super::{Frames, Limits, Motor, Spring};
use crate::error::DefError;
use crate::math::unit_and_length;
use crate::shape::MAX_COORDINATE;

/// Keeps two points at a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Distance {
    /// Shortest distance in metres; 0 for a rope. Default 1.
    pub min: f32,
    /// Longest distance in metres; infinity for none. Default 1. Equal to `min` for a rod.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub max: f32,
    /// A spring between the two, and its length at rest in metres. Default: none.
    pub spring: Option<(Spring, f32)>,
    /// A motor that changes the distance; its speed is positive for apart. Default: none.
    pub motor: Option<Motor>,
}

impl Default for Distance {
    fn default() -> Distance {
        Distance::rod(1.0)
    }
}

impl Distance {
    /// Exactly this distance.
    pub const fn rod(length: f32) -> Distance {
        Distance { min: length, max: length, spring: None, motor: None }
    }

    /// At most this distance.
    pub const fn rope(length: f32) -> Distance {
        Distance { min: 0.0, max: length, spring: None, motor: None }
    }

    /// A spring of this length at rest, without limits.
    pub const fn spring(length: f32, spring: Spring) -> Distance {
        Distance { min: 0.0, max: f32::INFINITY, spring: Some((spring, length)), motor: None }
    }

    pub(crate) fn validate(&self) -> Result<(), DefError> {
        let is_length = |value: f32| (0.0..=MAX_COORDINATE).contains(&value);
        if !is_length(self.min) {
            return Err(DefError::field("Distance.min", self.min, "a length from 0 to 1e7 m"));
        }
        if self.max.is_nan() || self.max < self.min {
            return Err(DefError::field("Distance.max", self.max, "a length of at least Distance.min, or infinity"));
        }
        if let Some((spring, length)) = self.spring {
            spring.validate()?;
            if !is_length(length) {
                return Err(DefError::field("Distance.spring length", length, "a length from 0 to 1e7 m"));
            }
        }
        self.motor.map_or(Ok(()), |motor| motor.validate())
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let (mut u, length) = unit_and_length(frames.d);
        if length == 0.0 {
            // Any direction does for two points in one place.
            u = frames.q_a.x_axis();
        }
        // Along d both bodies' arms can end anywhere on the line, so the axis may as well turn with a.
        let jacobian = frames.along(u);
        let limits = Some(Limits::new(self.min, self.max));
        rows.push_coordinate(1, jacobian, length, Extras { spring: self.spring, motor: self.motor, limits });
        if self.min > 0.0 || self.max < f32::INFINITY {
            // No distance is negative: the lower limit of a rope is none.
            let lower = if self.min > 0.0 || self.max == 0.0 { self.min } else { f32::NEG_INFINITY };
            rows.push_limited::<0, 1>([], jacobian, length, Some(Limits::new(lower, self.max)));
        }
    }
}
