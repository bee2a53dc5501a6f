//! What a body looks like to a collision.

use crate::error::{DefError, point, positive};
use crate::math::{Aabb, DVec3, Quat};

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball around the body's position.
    Sphere {
        /// In metres.
        radius: f64,
    },
    /// A box around the body's position, along the body's axes.
    Cuboid {
        /// From the centre to the faces, in metres.
        half_extents: DVec3,
    },
    /// All points nearer than a radius to a segment through the body's position, along the body's y axis.
    Capsule {
        /// From the centre to either end of the segment, in metres.
        half_length: f64,
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
            Shape::Cuboid { half_extents } => {
                for half in half_extents.to_array() {
                    positive("Shape::Cuboid.half_extents", half)?;
                }
                Ok(self)
            }
            Shape::Capsule { half_length, radius } => {
                positive("Shape::Capsule.half_length", half_length)?;
                positive("Shape::Capsule.radius", radius)?;
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

    /// Whether a body of this shape can move.
    pub(crate) fn is_solid(&self) -> bool {
        matches!(self, Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Capsule { .. })
    }

    /// The radius of a sphere around the body's position that holds all of it; infinity for planes and triangles, which
    /// cannot move.
    pub(crate) fn reach(&self) -> f64 {
        match *self {
            Shape::Sphere { radius } => radius,
            Shape::Cuboid { half_extents } => half_extents.length(),
            Shape::Capsule { half_length, radius } => half_length + radius,
            Shape::Plane { .. } | Shape::Triangle { .. } => f64::INFINITY,
        }
    }

    /// The box of the shape at a pose; none for a plane, which is everywhere.
    pub(crate) fn aabb(&self, position: DVec3, orientation: Quat) -> Option<Aabb> {
        match *self {
            Shape::Cuboid { half_extents } => {
                let axis = |axis: DVec3, half: f64| (orientation.rotate(axis) * half).abs();
                let half =
                    axis(DVec3::X, half_extents.x) + axis(DVec3::Y, half_extents.y) + axis(DVec3::Z, half_extents.z);
                Some(Aabb { min: position - half, max: position + half })
            }
            Shape::Capsule { half_length, radius } => {
                let half = (orientation.rotate(DVec3::Y) * half_length).abs() + DVec3::splat(radius);
                Some(Aabb { min: position - half, max: position + half })
            }
            Shape::Sphere { radius } => Some(Aabb::of_sphere(position, radius)),
            Shape::Plane { .. } => None,
            Shape::Triangle { corners } => Some(Aabb::around(&corners.map(|corner| position + corner))),
        }
    }
}
