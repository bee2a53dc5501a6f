//! The way from space to the picture plane.

use crate::orbit::{Axes, Orbit};
use carom2d::math::{Vec2, cross, vec2};
use carom3d::math::DVec3;

/// Who looks, and how what is seen becomes flat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eye {
    pub(super) at: DVec3,
    pub(super) axes: Axes,
    /// Heights in the picture per tangent of an angle.
    pub(super) scale: f64,
    /// What is nearer is cut off.
    pub(super) near: f64,
}

impl Eye {
    pub(super) fn new(orbit: &Orbit) -> Eye {
        Eye { at: orbit.eye(), axes: orbit.axes(), scale: 1.0 / orbit.half_height(), near: 1.0e-3 * orbit.distance }
    }

    /// A point in axes of the picture: to the right, up, and away from the eye.
    pub(super) fn local(&self, point: DVec3) -> DVec3 {
        let offset = point - self.at;
        DVec3::new(offset.dot(self.axes.right), offset.dot(self.axes.up), -offset.dot(self.axes.back))
    }

    /// A local point before the eye in the picture.
    fn flat(&self, local: DVec3) -> Vec2 {
        let scale = self.scale / local.z;
        vec2((local.x * scale) as f32, (local.y * scale) as f32)
    }

    /// A flat convex shape in the picture, counter-clockwise; nothing if none of it is before the eye.
    pub(super) fn polygon(&self, corners: &[DVec3]) -> Vec<Vec2> {
        let corners: Vec<DVec3> = corners.iter().map(|&corner| self.local(corner)).collect();
        let mut seen = Vec::with_capacity(corners.len() + 1);
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            let (da, db) = (a.z - self.near, b.z - self.near);
            if da >= 0.0 {
                seen.push(self.flat(a));
            }
            if (da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0) {
                seen.push(self.flat(a + (b - a) * (da / (da - db))));
            }
        }
        let count = seen.len();
        if count < 3 || !seen.iter().all(|corner| corner.is_finite()) {
            return Vec::new();
        }
        let twice_area: f32 = (0..count).map(|i| cross(seen[i], seen[(i + 1) % count])).sum();
        if twice_area < 0.0 {
            seen.reverse();
        }
        seen
    }

    /// The part of a line that is before the eye, in the picture.
    pub(super) fn line(&self, a: DVec3, b: DVec3) -> Option<[Vec2; 2]> {
        let (mut a, mut b) = (self.local(a), self.local(b));
        let (da, db) = (a.z - self.near, b.z - self.near);
        if !(da > 0.0 || db > 0.0) {
            return None;
        }
        if da < 0.0 {
            a += (b - a) * (da / (da - db));
        } else if db < 0.0 {
            b += (a - b) * (db / (db - da));
        }
        let ends = [self.flat(a), self.flat(b)];
        ends.iter().all(|end| end.is_finite()).then_some(ends)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use carom3d::math::dvec3;

    /// Ten metres from the origin, along z.
    pub(in crate::solid) fn eye() -> Eye {
        let orbit = Orbit { target: DVec3::ZERO, distance: 10.0, yaw: 0.0, pitch: 0.0, roll: 0.0, field_of_view: 0.8 };
        Eye::new(&orbit)
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let eye = eye();
        let [a, b] = eye.line(dvec3(0.0, -1.0, 0.0), dvec3(0.0, -1.0, 100.0)).unwrap();
        assert!(a.y < 0.0 && b.y < a.y && b.is_finite());
        assert!(eye.line(dvec3(0.0, 0.0, 11.0), dvec3(0.0, 0.0, 12.0)).is_none());
        let floor = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| dvec3(50.0 * x, -1.0, 50.0 * z));
        let shape = eye.polygon(&floor);
        assert!(shape.len() == 4 && shape.iter().all(|corner| corner.y < 0.0), "below the horizon: {shape:?}");
    }
}
