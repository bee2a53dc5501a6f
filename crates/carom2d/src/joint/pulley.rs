//! A rope from a over two pulleys in the world to b. It pulls, and goes slack when neither side does.
//!
//! ```text
//! a' and b' are the pulleys,  u_a = (p_a - a') / |p_a - a'|,  u_b likewise
//! C = length - |p_a - a'| - ratio |p_b - b'|  >=  0
//! J = (-u_a, -r_a x u_a, -ratio u_b, -ratio (r_b x u_b))
//! K = m_a^-1 + I_a^-1 (r_a x u_a)^2 + ratio^2 (m_b^-1 + I_b^-1 (r_b x u_b)^2)
//! ```
//!
//! A ratio of 2 is a tackle: b moves half as far, with twice the force.

use super::Frames;
use super::row::{Jacobian, Row, RowList, Rule};
use crate::body::position;
use crate::error::DefError;
use crate::math::{Vec2, unit_and_length};
use crate::shape::MAX_COORDINATE;

/// A rope over two pulleys.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pulley {
    /// The pulley above a, in world coordinates.
    pub pulley_a: Vec2,
    /// The pulley above b, in world coordinates.
    pub pulley_b: Vec2,
    /// Length of the rope in metres: of a's part, and `ratio` times b's part.
    pub length: f32,
    /// How much rope b's side takes for each metre: 1 for a plain rope.
    pub ratio: f32,
}

impl Pulley {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        position("Pulley.pulley_a", self.pulley_a)?;
        position("Pulley.pulley_b", self.pulley_b)?;
        if !(self.length > 0.0 && self.length <= MAX_COORDINATE) {
            return Err(DefError::field("Pulley.length", self.length, "a length above 0, at most 1e7 m"));
        }
        if !(1.0e-3..=1.0e3).contains(&self.ratio) {
            return Err(DefError::field("Pulley.ratio", self.ratio, "a number from 1e-3 to 1e3"));
        }
        Ok(())
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let (u_a, length_a) = unit_and_length(frames.p_b - frames.d - self.pulley_a);
        let (u_b, length_b) = unit_and_length(frames.p_b - self.pulley_b);
        let row = Row {
            error: self.length - length_a - self.ratio * length_b,
            jacobian: [Jacobian::point(-u_a, frames.r_a), Jacobian::point(-u_b * self.ratio, frames.r_b)],
            speed: 0.0,
        };
        rows.push(0, Rule::RigidAbove, f32::INFINITY, [row]);
    }
}
