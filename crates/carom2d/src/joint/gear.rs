//! Ties two other joints together: what one does, the other does in proportion.
//!
//! ```text
//! q1, q2 are the angle of a pin, or the place along a slide
//! C = q1 + ratio q2 - (the same when the gear was made)
//! J = (J1, ratio J2),  over the four bodies of the two joints
//! K = K1 + ratio^2 K2
//! ```
//!
//! Two wheels on one frame that roll on each other turn opposite ways: a ratio of `radius_2 / radius_1`.
//! A rack driven by a pinion is a pin and a slide. Where the joints share a body its two parts add.

use super::row::{Jacobian, Row, RowList, Rule};
use super::{Frames, JointId};
use crate::error::DefError;

/// A gear between two joints, each a pin or a slide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gear {
    /// The first joint, a [`Revolute`](super::Revolute) or [`Prismatic`](super::Prismatic) one.
    pub joint_a: JointId,
    /// The second joint. The gear goes when one of the two does.
    pub joint_b: JointId,
    /// How far the first joint goes back for each unit that the second goes forward; not 0.
    pub ratio: f32,
}

impl Gear {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        if !(1.0e-4..=1.0e4).contains(&self.ratio.abs()) {
            return Err(DefError::field("Gear.ratio", self.ratio, "a number from 1e-4 to 1e4, or its negative"));
        }
        if self.joint_a == self.joint_b {
            return Err(DefError::field("Gear.joint_b", self.joint_b, "another joint than Gear.joint_a"));
        }
        Ok(())
    }

    pub(crate) fn rows(&self, start: f32, sides: [Coordinate; 2], rows: &mut RowList<4>) {
        let [first, second] = sides;
        let row = Row {
            error: first.value + self.ratio * second.value - start,
            jacobian: [
                first.jacobian[0],
                first.jacobian[1],
                second.jacobian[0].scaled(self.ratio),
                second.jacobian[1].scaled(self.ratio),
            ],
            speed: 0.0,
        };
        rows.push(0, Rule::Rigid, f32::INFINITY, [row]);
    }
}

/// Where a joint stands on its free way, and how that changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate {
    pub(crate) value: f32,
    pub(crate) jacobian: [Jacobian; 2],
}

impl Coordinate {
    /// The angle between two frames.
    pub(crate) fn angle(frames: &Frames) -> Coordinate {
        Coordinate { value: frames.angle, jacobian: Frames::TURN }
    }

    /// The place of frame b along the axis of frame a.
    pub(crate) fn place(frames: &Frames) -> Coordinate {
        let u = frames.q_a.x_axis();
        Coordinate { value: frames.d.dot(u), jacobian: frames.along(u) }
    }
}
