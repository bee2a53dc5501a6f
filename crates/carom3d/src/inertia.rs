//! Mass properties: how hard it is to turn a body.
//!
//! With `I` the moments about the body's own axes and `R` its orientation, the tensor in world coordinates is
//! `R I R^T`. Euler's equation `d/dt (R I R^T w) = torque` then reads `w' = R I^-1 R^T (torque - w x (R I R^T w))`: without
//! any torque the angular velocity of a body that is not round still changes.

use crate::math::{DVec3, Quat, dvec3};
use crate::shape::Shape;

/// Resistance of a body to being turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inertia {
    /// The same about every axis.
    Round {
        /// In kg m^2.
        moment: f64,
        /// Zero for what nothing can turn.
        inverse: f64,
    },
    /// About the body's own axes.
    Principal {
        /// In kg m^2.
        moments: DVec3,
        /// Zero for what nothing can turn.
        inverses: DVec3,
    },
}

impl Inertia {
    /// The inertia of a shape of evenly spread mass, in kg.
    pub(crate) fn of(shape: &Shape, mass: f64) -> Inertia {
        let moments = match *shape {
            Shape::Sphere { radius } => {
                let moment = 0.4 * mass * radius * radius;
                return Inertia::Round { moment, inverse: 1.0 / moment };
            }
            Shape::Cuboid { half_extents } => {
                let squares = half_extents * half_extents;
                let sum = |a: f64, b: f64| mass * (a + b) * (1.0 / 3.0);
                dvec3(sum(squares.y, squares.z), sum(squares.z, squares.x), sum(squares.x, squares.y))
            }
            Shape::Capsule { half_length, radius } => capsule(half_length, radius, mass),
            Shape::Plane { .. } | Shape::Triangle { .. } => {
                return Inertia::Round { moment: f64::INFINITY, inverse: 0.0 };
            }
        };
        Inertia::Principal { moments, inverses: dvec3(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z) }
    }

    /// The same body where nothing can turn it.
    pub(crate) fn unturnable(self) -> Inertia {
        match self {
            Inertia::Round { .. } => Inertia::Round { moment: f64::INFINITY, inverse: 0.0 },
            Inertia::Principal { .. } => {
                Inertia::Principal { moments: DVec3::splat(f64::INFINITY), inverses: DVec3::ZERO }
            }
        }
    }

    pub(crate) fn is_round(&self) -> bool {
        matches!(self, Inertia::Round { .. })
    }

    /// The moments about the body's own axes.
    pub(crate) fn moments(&self) -> DVec3 {
        match *self {
            Inertia::Round { moment, .. } => DVec3::splat(moment),
            Inertia::Principal { moments, .. } => moments,
        }
    }

    /// The angular acceleration that a torque causes, or the change of angular velocity by an angular impulse.
    #[inline]
    pub(crate) fn respond(&self, orientation: Quat, torque: DVec3) -> DVec3 {
        match *self {
            Inertia::Round { inverse, .. } => torque * inverse,
            Inertia::Principal { inverses, .. } => orientation.rotate(orientation.inv_rotate(torque) * inverses),
        }
    }

    /// The angular acceleration without any torque.
    #[inline]
    pub(crate) fn coast(&self, orientation: Quat, angular_velocity: DVec3) -> DVec3 {
        match *self {
            Inertia::Round { .. } => DVec3::ZERO,
            Inertia::Principal { moments, inverses } => {
                let w = orientation.inv_rotate(angular_velocity);
                orientation.rotate(-(w.cross(moments * w)) * inverses)
            }
        }
    }

    /// The angular momentum about the centre.
    pub(crate) fn momentum(&self, orientation: Quat, angular_velocity: DVec3) -> DVec3 {
        orientation.rotate(orientation.inv_rotate(angular_velocity) * self.moments())
    }
}

/// A cylinder along y with half a sphere on each end. Half a sphere has its centre of mass 3/8 of the radius from its
/// flat side.
fn capsule(half_length: f64, radius: f64, mass: f64) -> DVec3 {
    let length = 2.0 * half_length;
    let squared = radius * radius;
    // Volumes over pi r^2.
    let (cylinder, ends) = (length, 4.0 / 3.0 * radius);
    let (cylinder, ends) = (mass * cylinder / (cylinder + ends), mass * ends / (cylinder + ends));
    let along = cylinder * 0.5 * squared + ends * 0.4 * squared;
    let across = cylinder * (0.25 * squared + length * length / 12.0)
        + ends * (0.4 * squared + 0.25 * length * length + 0.375 * length * radius);
    dvec3(across, along, across)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;

    /// Moments by adding up random points inside.
    fn sampled(shape: Shape, reach: f64, is_inside: impl Fn(DVec3) -> bool) {
        let mut rng = Rng::new(7);
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for _ in 0..400_000 {
            let p = dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * (2.0 * reach);
            if is_inside(p) {
                sum += DVec3::splat(p.length_squared()) - p * p;
                count += 1.0;
            }
        }
        let (sampled, moments) = (sum / count, Inertia::of(&shape, 1.0).moments());
        for axis in 0..3 {
            assert!((sampled[axis] / moments[axis] - 1.0).abs() < 0.01, "{shape:?}: {moments}, sampled {sampled}");
        }
    }

    #[test]
    fn moments_are_those_of_the_shape() {
        let half = dvec3(0.5, 1.0, 0.2);
        sampled(Shape::Cuboid { half_extents: half }, 1.0, |p| (p.abs() - half).max_element() < 0.0);
        let along = |p: DVec3| if p.y.abs() < 0.6 { p.y } else { 0.6 * p.y.signum() };
        sampled(Shape::Capsule { half_length: 0.6, radius: 0.4 }, 1.0, |p| (p - DVec3::Y * along(p)).length() < 0.4);
        sampled(Shape::Sphere { radius: 0.9 }, 1.0, |p| p.length() < 0.9);
    }

    #[test]
    fn coasting_keeps_angular_momentum() {
        // d/dt (R I R^T w) by finite differences is zero.
        let inertia = Inertia::of(&Shape::Cuboid { half_extents: dvec3(1.0, 2.0, 3.0) }, 5.0);
        let (q, w) = (Quat::from_axis_angle(dvec3(1.0, 2.0, 3.0), 1.0), dvec3(0.3, -2.0, 0.7));
        let h = 1.0e-6;
        let later = Quat::from_rotation_vector(w * h).compose(q);
        let change = inertia.momentum(later, w + inertia.coast(q, w) * h) - inertia.momentum(q, w);
        assert!(change.length() / h < 1.0e-3, "{change}");
    }
}
