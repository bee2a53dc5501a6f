//! A slide: b moves along an axis of a and does not turn against it.
//!
//! ```text
//! d = p_b - p_a,  u = the axis of frame a,  n = u turned by +90 degrees; both turn with a
//! s = where the joint acts between the frames (`frames.rs`): 1 for the equations to be exact derivatives
//! across  C = n . d
//!         J = (-n, -(r_a + d) x n, n, r_b x n)
//! angle   C = angle_b - angle_a
//!         J = (0, -1, 0, 1)
//! along   C = u . d, for spring, motor and limits
//!         J = (-u, -(r_a + s d) x u, u, (r_b - (1 - s) d) x u)
//! K       of the first two together, as one system of two equations
//! ```

use super::row::{Extras, Row, RowList};
use super::{Frames, Limits, Motor, Spring};
use crate::error::{DefError, finite};

/// A slide along the x axis of frame a.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Prismatic {
    /// Lowest and highest place of b along the axis, in metres. Default: none.
    pub limits: Option<Limits>,
    /// Moves b along the axis. Default: none.
    pub motor: Option<Motor>,
    /// Pulls b to a place on the axis. Default: none.
    pub spring: Option<Spring>,
    /// The place that the spring pulls to, in metres. Default 0.
    pub target: f32,
}

impl Prismatic {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        self.limits.map_or(Ok(()), |limits| limits.validate())?;
        self.motor.map_or(Ok(()), |motor| motor.validate())?;
        self.spring.map_or(Ok(()), |spring| spring.validate())?;
        finite("Prismatic.target", self.target)?;
        Ok(())
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let (u, n) = (frames.q_a.x_axis(), frames.q_a.y_axis());
        let extras =
            Extras { spring: self.spring.map(|spring| (spring, self.target)), motor: self.motor, limits: self.limits };
        rows.push_coordinate(3, frames.along(u), frames.d.dot(u), extras);
        let across = Row { error: frames.d.dot(n), jacobian: frames.across(n), speed: 0.0 };
        let angle = Row { error: frames.angle, jacobian: Frames::TURN, speed: 0.0 };
        rows.push_limited::<2, 3>([across, angle], frames.along(u), frames.d.dot(u), self.limits);
    }
}
