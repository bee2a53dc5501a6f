//! The way of a body's centre through a step, as a cubic Bézier curve.
//!
//! A curve lies inside the box of its control points, and the squared distance of two curves is a polynomial: the
//! broad phase needs the first, times of impact the second.

use crate::math::{Aabb, DVec3};

/// Four control points, over the time from a mover's clock to the end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) points: [DVec3; 4],
}

impl Path {
    pub(crate) fn still(point: DVec3) -> Path {
        Path { points: [point; 4] }
    }

    /// The cubic with these positions and velocities at its ends, `h` seconds apart.
    pub(crate) fn between(from: DVec3, velocity_from: DVec3, to: DVec3, velocity_to: DVec3, h: f64) -> Path {
        let third = h / 3.0;
        Path { points: [from, from + velocity_from * third, to - velocity_to * third, to] }
    }

    /// Where it is at `u`, 0 to 1.
    pub(crate) fn at(&self, u: f64) -> DVec3 {
        let [a, b, c, d] = self.points;
        let v = 1.0 - u;
        (a * v + b * (3.0 * u)) * (v * v) + (c * (3.0 * v) + d * u) * (u * u)
    }

    /// The mean of where it is.
    pub(crate) fn mean(&self) -> DVec3 {
        let [a, b, c, d] = self.points;
        (a + b + c + d) * 0.25
    }

    /// What is left of it after `u`, as a path of its own (de Casteljau's construction).
    pub(crate) fn after(&self, u: f64) -> Path {
        let mut points = self.points;
        for round in 1..4 {
            for i in 0..4 - round {
                points[i] += (points[i + 1] - points[i]) * u;
            }
        }
        Path { points }
    }

    /// This path as seen from another over the same time.
    pub(crate) fn minus(&self, other: &Path) -> Path {
        Path { points: std::array::from_fn(|i| self.points[i] - other.points[i]) }
    }

    /// At least as long as the way.
    pub(crate) fn length_bound(&self) -> f64 {
        let [a, b, c, d] = self.points;
        (b - a).length() + (c - b).length() + (d - c).length()
    }

    /// A box around the way of a sphere.
    pub(crate) fn aabb(&self, radius: f64) -> Aabb {
        Aabb::around(&self.points).grown(radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dvec3;

    #[test]
    fn a_parabola_is_exact_and_can_be_cut() {
        let (x, v, a, h) = (dvec3(1.0, 2.0, 3.0), dvec3(4.0, -1.0, 0.5), dvec3(0.0, -9.8, 1.0), 0.7);
        let fall = |t: f64| x + v * t + a * (0.5 * t * t);
        let path = Path::between(x, v, fall(h), v + a * h, h);
        let rest = path.after(0.3);
        for u in [0.0, 0.2, 0.5, 1.0] {
            assert!((path.at(u) - fall(u * h)).length() < 1.0e-14);
            assert!((rest.at(u) - fall((0.3 + 0.7 * u) * h)).length() < 1.0e-14);
        }
        assert!(path.length_bound() >= (fall(h) - x).length());
        let mean = x + v * (h / 2.0) + a * (h * h / 6.0);
        assert!((path.mean() - mean).length() < 1.0e-14);
    }
}
