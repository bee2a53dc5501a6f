//! Tables of circles: no angle is computed while drawing.

use carom_core::math::{sin, sin_cos};
use carom2d::math::{Vec2, vec2};
use std::f32::consts::TAU;

/// How many corners circles may have. Multiples of four, so that half circles end at corners.
const COUNTS: [usize; 13] = [8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 256, 512];

/// A circle as a polygon.
#[derive(Clone, Debug)]
pub(super) struct Circle {
    /// Unit vectors, counter-clockwise from the right.
    pub(super) directions: Vec<Vec2>,
    /// What a radius is multiplied with for the polygon to have the area of the circle.
    pub(super) swell: f32,
}

/// Circles of all sizes.
#[derive(Clone, Debug)]
pub(super) struct Circles {
    circles: Vec<Circle>,
}

impl Circles {
    pub(super) fn new() -> Circles {
        let circle = |count: usize| {
            let step = TAU / count as f32;
            let directions = (0..count).map(|k| {
                let (sin, cos) = sin_cos(step * k as f32);
                vec2(cos, sin)
            });
            Circle { directions: directions.collect(), swell: (step / sin(step)).sqrt() }
        };
        Circles { circles: COUNTS.into_iter().map(circle).collect() }
    }

    /// A circle that looks round at a radius in pixels.
    pub(super) fn of_radius(&self, radius: f32) -> &Circle {
        let least = corners(radius);
        let found = self.circles.iter().find(|circle| circle.directions.len() as f32 >= least);
        found.unwrap_or(&self.circles[self.circles.len() - 1])
    }
}

/// How many corners a circle needs. Half way between two of n corners, the edge is r (1 - cos(pi / n))
/// away from the circle, about r pi^2 / (2 n^2). A seventh of a pixel cannot be seen, least of all with
/// half of it on either side.
pub(super) fn corners(radius: f32) -> f32 {
    const PER_ROOT: f32 = 5.9;
    PER_ROOT * radius.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_enough_and_of_the_right_area() {
        let circles = Circles::new();
        for radius in [0.6_f32, 1.0, 3.5, 10.0, 77.0, 500.0, 7000.0] {
            let Circle { directions, swell } = circles.of_radius(radius);
            let count = directions.len();
            let corner = radius * swell;
            let middle = 0.5 * (directions[0] + directions[1]).length() * corner;
            assert!(corner - radius < 0.1 && radius - middle < 0.1, "{radius}: {corner} {middle}");
            let triangle = 0.5 * carom2d::math::cross(directions[0], directions[1]) * corner * corner;
            let area = 0.5 * TAU * radius * radius;
            assert!((triangle * count as f32 / area - 1.0).abs() < 1.0e-3, "{radius}");
        }
        assert_eq!(circles.of_radius(1.0e9).directions.len(), 512);
        assert_eq!(circles.of_radius(f32::NAN).directions.len(), 512);
    }
}
