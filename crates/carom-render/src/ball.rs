//! A lit ball, and how bright it is where.

use crate::color::Rgba;
use carom_core::math::max;
use carom2d::math::Vec2;

/// A ball as it is seen: an ellipse, since off the middle of a picture that is what perspective makes of a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// The middle of the ellipse.
    pub center: Vec2,
    /// From there to its edge, in two directions that are at a right angle.
    pub axes: [Vec2; 2],
    /// Its colours.
    pub shade: Shade,
}

/// What light makes of a surface. Directions are in axes of the ball: the first two are those of its ellipse, the
/// third points to the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shade {
    /// The colour of the surface, red, green and blue from 0 to 1.
    pub base: [f32; 3],
    /// Light from everywhere.
    pub ambient: [f32; 3],
    /// The direction of the light from somewhere, of unit length.
    pub towards_light: [f32; 3],
    /// Its colour.
    pub light: [f32; 3],
    /// The colour of the highlight; black for dull surfaces.
    pub gloss: [f32; 3],
    /// The sharper the higher: the highlight falls off with the power 2 to the number of this.
    pub sharpness: u8,
}

impl Shade {
    /// The colour at a point of the ball, given in axes of its ellipse: from -1 to 1 in each.
    pub fn at(&self, point: Vec2) -> Rgba {
        let normal = [point.x, point.y, max(1.0 - point.length_squared(), 0.0).sqrt()];
        self.of(self.base, normal)
    }

    /// The colour of something painted on the ball, where its surface has this direction.
    pub fn of(&self, base: [f32; 3], normal: [f32; 3]) -> Rgba {
        let [x, y, z] = self.towards_light;
        let facing = dot(normal, self.towards_light);
        let lit = max(facing, 0.0);
        // The highlight is where the surface faces half way between light and eye.
        let half = [x, y, z + 1.0];
        let length = dot(half, half).sqrt();
        let mut shine = if length > 1.0e-6 { max(dot(normal, half) / length, 0.0) } else { 0.0 };
        for _ in 0..self.sharpness.min(10) {
            shine *= shine;
        }
        // What turns away from the eye is a little darker: edges of balls show in front of balls of their colour.
        let edge = 0.72 + 0.28 * normal[2].clamp(0.0, 1.0).sqrt();
        // The cast keeps to 0 and 255 by itself.
        let part = |i: usize| {
            let dull = base[i] * (self.ambient[i] + self.light[i] * lit) * edge;
            (255.0 * (dull + self.gloss[i] * self.light[i] * shine) + 0.5) as u8
        };
        Rgba::new(part(0), part(1), part(2))
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom2d::math::vec2;

    #[test]
    fn is_brightest_towards_the_light() {
        let shade = Shade {
            base: [0.8, 0.4, 0.2],
            ambient: [0.2; 3],
            towards_light: [-0.6, 0.0, 0.8],
            light: [0.8; 3],
            gloss: [0.5; 3],
            sharpness: 5,
        };
        let bright = |x: f32| shade.at(vec2(x, 0.0)).brightness();
        assert!(bright(-0.4) > bright(0.0) && bright(0.0) > bright(0.5) && bright(0.5) > bright(0.95));
        assert!(bright(1.0) > 0.0, "light from everywhere reaches the far side");
        // No steps: neighbours differ by little.
        for i in -99..99 {
            let x = 0.01 * i as f32;
            assert!((bright(x) - bright(x + 0.01)).abs() < 0.08, "{x}");
        }
    }
}
