//! A drive: brings frame b to frame a, or keeps it moving against it, with limited strength.
//!
//! ```text
//! place   C = (u . d, n . d),  u and n the axes of frame a, which turn with it       (two rows)
//!         J = (-u, -(r_a + s d) x u, u, (r_b - (1 - s) d) x u), and the same with n; s as in `frames.rs`
//! angle   C = angle_b - angle_a,  J = (0, -1, 0, 1)
//! K       of the place: of both rows together, as one system of two equations; of the angle I_a^-1 + I_b^-1
//! ```
//!
//! With a spring, `C` is pulled to 0 while `J v` is damped towards the given velocity; without, only the
//! velocity counts, as in the friction of something that slides on a table.

use super::row::{Row, RowList, Rule};
use super::{Frames, Spring, strength};
use crate::error::{DefError, finite, finite2};
use crate::math::Vec2;

/// A drive to a place relative to the first body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Drive {
    /// How frame b is pulled to the place of frame a. Default 2 Hz with a damping ratio of 1. None drives
    /// the velocity alone.
    pub linear: Option<Spring>,
    /// Most force in N. Default infinity; 0 leaves the place free.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub max_force: f32,
    /// Velocity of b against a in m/s, along the axes of frame a. Default 0.
    pub velocity: Vec2,
    /// How frame b is pulled to the angle of frame a. Default as `linear`.
    pub angular: Option<Spring>,
    /// Most torque in N m. Default infinity; 0 leaves the angle free.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::unbounded"))]
    pub max_torque: f32,
    /// Angular velocity of b against a in rad/s. Default 0.
    pub angular_velocity: f32,
}

impl Default for Drive {
    fn default() -> Drive {
        let spring = Some(Spring::new(2.0, 1.0));
        Drive {
            linear: spring,
            max_force: f32::INFINITY,
            velocity: Vec2::ZERO,
            angular: spring,
            max_torque: f32::INFINITY,
            angular_velocity: 0.0,
        }
    }
}

impl Drive {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        self.linear.map_or(Ok(()), |spring| spring.validate())?;
        self.angular.map_or(Ok(()), |spring| spring.validate())?;
        strength("Drive.max_force", self.max_force)?;
        strength("Drive.max_torque", self.max_torque)?;
        finite2("Drive.velocity", self.velocity)?;
        finite("Drive.angular_velocity", self.angular_velocity)?;
        Ok(())
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        if self.max_torque > 0.0 {
            let angle = Row { error: frames.angle, jacobian: Frames::TURN, speed: self.angular_velocity };
            rows.push(2, rule(self.angular), self.max_torque, [angle]);
        }
        if self.max_force > 0.0 {
            let along = |u: Vec2, speed: f32| Row { error: frames.d.dot(u), jacobian: frames.along(u), speed };
            let (x, y) = (frames.q_a.x_axis(), frames.q_a.y_axis());
            rows.push(0, rule(self.linear), self.max_force, [along(x, self.velocity.x), along(y, self.velocity.y)]);
        }
    }
}

fn rule(spring: Option<Spring>) -> Rule {
    match spring {
        Some(spring) => Rule::Spring { hertz: spring.hertz, damping_ratio: spring.damping_ratio },
        None => Rule::Drive,
    }
}
