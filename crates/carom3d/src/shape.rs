//! What a body looks like to a collision.

use crate::error::{DefError, point, positive};
use crate::math::{Aabb, DVec3};

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball around the body's position.
    Sphere {
        /// In metres.
        radius: f64,
    },
    /// An infinite plane through the body's position, solid from both sides. Cannot move.
    Plane {
        /// Its direction; any length in a definition, unit length in a world.
        normal: DVec3,
    },
    /// A triangle of no thickness with faces, edges and corners, solid from both sides. Cannot move.
    Triangle {
        /// Its corners relative to the body's position, in metres.
        corners: [DVec3; 3],
    },
}

impl Shape {
    /// The shape with its normal at unit length, or what is wrong with it.
    pub(crate) fn checked(self) -> Result<Shape, DefError> {
        match self {
            Shape::Sphere { radius } => {
                positive("Shape::Sphere.radius", radius)?;
                Ok(self)
            }
            Shape::Plane { normal } => {
                let scale = normal.abs().max_element();
                if !(scale > 0.0 && normal.is_finite()) {
                    return Err(DefError::field("Shape::Plane.normal", normal, "a vector that has a direction"));
                }
                // Scaled first: the square of a tiny or huge normal leaves the range of numbers.
                let scaled = normal / scale;
                Ok(Shape::Plane { normal: scaled / scaled.length() })
            }
            Shape::Triangle { corners } => {
                for corner in corners {
                    point("Shape::Triangle.corners", corner)?;
                }
                let [a, b, c] = corners;
                let longest = (b - a).length_squared() + (c - a).length_squared();
                if (b - a).cross(c - a).length() <= 1.0e-12 * longest {
                    return Err(DefError::field("Shape::Triangle.corners", corners, "three corners not in a line"));
                }
                Ok(self)
            }
        }
    }

    /// The box of the shape at a position; none for a plane, which is everywhere.
    pub(crate) fn aabb(&self, position: DVec3) -> Option<Aabb> {
        match *self {
            Shape::Sphere { radius } => Some(Aabb::of_sphere(position, radius)),
            Shape::Plane { .. } => None,
            Shape::Triangle { corners } => Some(Aabb::around(&corners.map(|corner| position + corner))),
        }
    }
}
