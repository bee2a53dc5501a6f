//! A pin: two points stay together, the bodies turn freely about them.
//!
//! ```text
//! d = p_b - p_a,  u = an axis of the world,  s = where the pin acts between the frames (`frames.rs`)
//! point   C = u . d                                     (two rows, for the two axes)
//!         J = (-u, -(r_a + s d) x u, u, (r_b - (1 - s) d) x u)
//!         K = of both together, as one system of two equations
//! angle   C = angle_b - angle_a - target, or the distance to a limit
//!         J = (0, -1, 0, 1),  K = I_a^-1 + I_b^-1
//! ```
//!
//! The force acts on both bodies at one point, so a pin that is pulled apart puts no torque on the pair as a whole.
//! `J v` is the derivative of `C` but for what turns `d` with the bodies: a pin that is left as it is goes on open.
//! The angle is counted on beyond half a turn, so limits and springs of several turns are right.

use super::row::{Extras, Row, RowList};
use super::{Frames, Limits, Motor, Spring};
use crate::error::{DefError, finite};
use crate::math::Vec2;

/// A pin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Revolute {
    /// Lowest and highest angle of frame b against frame a, in radians. Default: none.
    pub limits: Option<Limits>,
    /// Turns b against a. Default: none. With a speed of 0, the friction of the pin.
    pub motor: Option<Motor>,
    /// Pulls the angle to a target. Default: none.
    pub spring: Option<Spring>,
    /// The angle that the spring pulls to, in radians. Default 0.
    pub target_angle: f32,
}

impl Revolute {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        self.limits.map_or(Ok(()), |limits| limits.validate())?;
        self.motor.map_or(Ok(()), |motor| motor.validate())?;
        self.spring.map_or(Ok(()), |spring| spring.validate())?;
        finite("Revolute.target_angle", self.target_angle)?;
        Ok(())
    }

    #[inline]
    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let extras = Extras {
            spring: self.spring.map(|spring| (spring, self.target_angle)),
            motor: self.motor,
            limits: self.limits,
        };
        rows.push_coordinate(3, Frames::TURN, frames.angle, extras);
        rows.push_limited::<2, 3>(point(frames), Frames::TURN, frames.angle, self.limits);
    }
}

/// The two rows that keep the frames in one place.
#[inline]
pub(crate) fn point(frames: &Frames) -> [Row<2>; 2] {
    [Vec2::X, Vec2::Y].map(|u| Row { error: frames.d.dot(u), jacobian: frames.along(u), speed: 0.0 })
}
