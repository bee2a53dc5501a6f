//! A wheel on a suspension: b moves along an axis of a on a spring, and turns freely.
//!
//! ```text
//! d = p_b - p_a,  u = the axis of frame a,  n = u turned by +90 degrees; both turn with a
//! s = where the joint acts between the frames (`frames.rs`): 1 for the equations to be exact derivatives
//! across  C = n . d,  J = (-n, -(r_a + d) x n, n, r_b x n)
//! along   C = u . d,  J = (-u, -(r_a + s d) x u, u, (r_b - (1 - s) d) x u), for spring and limits
//! turning J = (0, -1, 0, 1), for the motor
//! K       along a limit and across together, as one system of two equations; of the spring alone
//!         m_a^-1 + m_b^-1 + I_a^-1 ((r_a + s d) x u)^2 + I_b^-1 ((r_b - (1 - s) d) x u)^2, of the motor I_a^-1 + I_b^-1
//! ```

use super::row::{Extras, Row, RowList, Rule};
use super::{Frames, Limits, Motor, Spring};
use crate::error::{DefError, finite};

/// A wheel on a suspension along the x axis of frame a.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Wheel {
    /// The suspension. Default 2 Hz with a damping ratio of 0.7; none lets the wheel slide freely.
    pub spring: Option<Spring>,
    /// The place along the axis that the suspension pulls to, in metres. Default 0.
    pub target: f32,
    /// Lowest and highest place along the axis, in metres. Default: none.
    pub limits: Option<Limits>,
    /// Turns the wheel; its strength is a torque. Default: none.
    pub motor: Option<Motor>,
}

impl Default for Wheel {
    fn default() -> Wheel {
        Wheel { spring: Some(Spring::default()), target: 0.0, limits: None, motor: None }
    }
}

impl Wheel {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        self.spring.map_or(Ok(()), |spring| spring.validate())?;
        finite("Wheel.target", self.target)?;
        self.limits.map_or(Ok(()), |limits| limits.validate())?;
        self.motor.map_or(Ok(()), |motor| motor.validate())
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let (u, n) = (frames.q_a.x_axis(), frames.q_a.y_axis());
        if let Some(motor) = self.motor {
            let turn = Row { error: 0.0, jacobian: Frames::TURN, speed: motor.speed };
            rows.push(4, Rule::Drive, motor.max_force, [turn]);
        }
        let spring = self.spring.map(|spring| (spring, self.target));
        rows.push_coordinate(2, frames.along(u), frames.d.dot(u), Extras { spring, motor: None, limits: None });
        let across = Row { error: frames.d.dot(n), jacobian: frames.across(n), speed: 0.0 };
        rows.push_limited::<1, 2>([across], frames.along(u), frames.d.dot(u), self.limits);
    }
}
