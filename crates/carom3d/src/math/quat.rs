use super::{DVec3, dvec3, sin_cos};

/// An orientation in space: a unit quaternion `w + xi + yj + zk`.
///
/// Our own and not glam's, whose operations differ in the last bits from one processor to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quat {
    /// The real part: cosine of half the angle.
    pub w: f64,
    /// First imaginary part: axis times sine of half the angle.
    pub x: f64,
    /// Second imaginary part.
    pub y: f64,
    /// Third imaginary part.
    pub z: f64,
}

impl Default for Quat {
    fn default() -> Quat {
        Quat::IDENTITY
    }
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Quat = Quat { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };

    /// The rotation by `angle` radians about `axis`, right-handed. The axis may have any length; with none there is
    /// no rotation.
    pub fn from_axis_angle(axis: DVec3, angle: f64) -> Quat {
        // Divided first: the square of a tiny or huge axis leaves the range of numbers.
        let scale = axis.abs().max_element();
        if !(scale > 0.0 && scale.is_finite()) {
            return Quat::IDENTITY;
        }
        let axis = axis / scale;
        let (s, c) = sin_cos(0.5 * angle);
        Quat::from_parts(c, axis * (s / axis.length())).normalized()
    }

    /// The rotation about the direction of `theta` by its length in radians: the exponential map.
    pub fn from_rotation_vector(theta: DVec3) -> Quat {
        let angle_squared = theta.length_squared();
        if angle_squared < 1.0e-8 {
            // sin(a/2)/a and cos(a/2) as series; the terms left out are below 1e-16.
            let c = 1.0 - angle_squared * (1.0 / 8.0);
            return Quat::from_parts(c, theta * (0.5 - angle_squared * (1.0 / 48.0)));
        }
        let angle = angle_squared.sqrt();
        let (s, c) = sin_cos(0.5 * angle);
        Quat::from_parts(c, theta * (s / angle))
    }

    /// The quaternion of a real and a vector part, as they are.
    #[inline]
    pub const fn from_parts(w: f64, v: DVec3) -> Quat {
        Quat { w, x: v.x, y: v.y, z: v.z }
    }

    /// The imaginary parts.
    #[inline]
    pub const fn vector(self) -> DVec3 {
        dvec3(self.x, self.y, self.z)
    }

    /// `self` after `other`: the product of the two.
    #[inline]
    pub fn compose(self, other: Quat) -> Quat {
        let (a, b) = (self.vector(), other.vector());
        Quat::from_parts(self.w * other.w - a.dot(b), b * self.w + a * other.w + a.cross(b))
    }

    /// The rotation the other way round.
    #[inline]
    pub fn inverse(self) -> Quat {
        Quat::from_parts(self.w, -self.vector())
    }

    /// `v` rotated.
    #[inline]
    pub fn rotate(self, v: DVec3) -> DVec3 {
        let u = self.vector();
        let t = 2.0 * u.cross(v);
        v + t * self.w + u.cross(t)
    }

    /// `v` rotated back.
    #[inline]
    pub fn inv_rotate(self, v: DVec3) -> DVec3 {
        self.inverse().rotate(v)
    }

    /// The square root of the sum of the squares of the parts; 1 for a rotation.
    #[inline]
    pub fn length(self) -> f64 {
        (self.w * self.w + self.vector().length_squared()).sqrt()
    }

    /// The same direction with unit length; the identity where there is no direction.
    #[inline]
    pub fn normalized(self) -> Quat {
        let length = self.length();
        if length > 0.0 && length.is_finite() {
            let k = 1.0 / length;
            Quat { w: self.w * k, x: self.x * k, y: self.y * k, z: self.z * k }
        } else {
            Quat::IDENTITY
        }
    }

    /// The orientation between this one, at 0, and another one, at 1: on the straight line between them, the shorter way
    /// round, which is exact enough for the turn of a step.
    #[inline]
    pub fn interpolated(self, to: Quat, alpha: f64) -> Quat {
        // A quaternion and its opposite are the same orientation.
        let sign = if self.w * to.w + self.vector().dot(to.vector()) < 0.0 { -1.0 } else { 1.0 };
        let mix = |from: f64, to: f64| from + alpha * (sign * to - from);
        let between = Quat { w: mix(self.w, to.w), x: mix(self.x, to.x), y: mix(self.y, to.y), z: mix(self.z, to.z) };
        // Half a turn within a step passes through zero, which has no direction.
        if between.length() > 1.0e-3 { between.normalized() } else { to }
    }

    /// True when all parts are finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.w.is_finite() && self.vector().is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    fn close(a: DVec3, b: DVec3) -> bool {
        (a - b).length() < 1.0e-15
    }

    #[test]
    fn rotates_right_handed_and_composes() {
        let about_z = Quat::from_axis_angle(dvec3(0.0, 0.0, 3.0e200), FRAC_PI_2);
        assert!(close(about_z.rotate(DVec3::X), DVec3::Y), "{:?}", about_z.rotate(DVec3::X));
        assert!(close(about_z.inv_rotate(DVec3::Y), DVec3::X));
        let about_x = Quat::from_axis_angle(DVec3::X, FRAC_PI_2);
        assert!(close(about_x.compose(about_z).rotate(DVec3::X), DVec3::Z));
        assert_eq!(Quat::from_axis_angle(DVec3::ZERO, 1.0), Quat::IDENTITY);
    }

    #[test]
    fn the_exponential_map_meets_its_series() {
        for angle in [1.0e-9, 0.99e-4, 1.01e-4, 0.1, PI, 7.0] {
            let axis = dvec3(2.0, -1.0, 2.0) / 3.0;
            let (q, p) = (Quat::from_rotation_vector(axis * angle), Quat::from_axis_angle(axis, angle));
            let difference = (q.w - p.w).abs() + (q.vector() - p.vector()).length();
            assert!(difference < 5.0e-16, "{angle}: {difference}");
            assert!((q.length() - 1.0).abs() < 1.0e-15);
        }
    }
}
