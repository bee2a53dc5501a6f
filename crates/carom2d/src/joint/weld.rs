//! Glue: two frames stay together, rigidly or on springs.
//!
//! ```text
//! d = p_b - p_a,  u = an axis of the world,  s = where the glue acts between the frames (`frames.rs`)
//! point   C = u . d                J = (-u, -(r_a + s d) x u, u, (r_b - (1 - s) d) x u)      (two rows)
//! angle   C = angle_b - angle_a    J = (0, -1, 0, 1)
//! K       rigid: of all three together, as one system; soft: of the two rows of the point, and of the angle
//!         alone I_a^-1 + I_b^-1
//! ```
//!
//! Solved one after the other, place and angle of a long welded beam work against each other; as one
//! system they do not.

use super::revolute::point;
use super::row::{Row, RowList, Rule};
use super::{Frames, Spring};
use crate::error::DefError;

/// Glue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Weld {
    /// How the place gives way. Default: not at all.
    pub linear: Option<Spring>,
    /// How the angle gives way. Default: not at all.
    pub angular: Option<Spring>,
}

impl Weld {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        self.linear.map_or(Ok(()), |spring| spring.validate())?;
        self.angular.map_or(Ok(()), |spring| spring.validate())
    }

    pub(crate) fn rows(&self, frames: &Frames, rows: &mut RowList<2>) {
        let [x, y] = point(frames);
        let angle = Row { error: frames.angle, jacobian: Frames::TURN, speed: 0.0 };
        if self.linear.is_none() && self.angular.is_none() {
            return rows.push(0, Rule::Rigid, f32::INFINITY, [x, y, angle]);
        }
        rows.push(2, rule(self.angular), f32::INFINITY, [angle]);
        rows.push(0, rule(self.linear), f32::INFINITY, [x, y]);
    }
}

fn rule(spring: Option<Spring>) -> Rule {
    match spring {
        Some(spring) => Rule::Spring { hertz: spring.hertz, damping_ratio: spring.damping_ratio },
        None => Rule::Rigid,
    }
}
