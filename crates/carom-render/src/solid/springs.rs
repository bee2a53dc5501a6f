//! Springs in short pieces, so that each can be behind something or before it: a zigzag, or a line if it hardly gives.

use super::{Picture, unit};
use carom_core::math::min64;
use carom3d::SpringId;
use carom3d::math::DVec3;

impl Picture<'_> {
    /// The ends of the pieces of a spring.
    pub(super) fn spring(&self, id: SpringId) -> Vec<[DVec3; 2]> {
        const STIFF: f64 = 2.0e4;
        const TEETH: usize = 12;
        let (Some(def), Some([mut a, mut b])) = (self.scene.world.spring(id), self.scene.world.spring_ends(id)) else {
            return Vec::new();
        };
        let direction = unit(b - a);
        // What is inside a ball is not seen.
        for (end, body, way) in [(&mut a, def.bodies[0], direction), (&mut b, def.bodies[1], -direction)] {
            if let Some(body) = self.scene.world.get_body(body)
                && let Some(radius) = body.radius()
            {
                let out = *end - body.position();
                let (inside, ahead) = (radius * radius - out.length_squared(), out.dot(way));
                if inside > 0.0 {
                    *end += way * ((ahead * ahead + inside).sqrt() - ahead);
                }
            }
        }
        let length = (b - a).dot(direction);
        if !(length > 0.0 && length.is_finite()) {
            return Vec::new();
        }
        if def.stiffness > STIFF {
            // Few pieces: where they meet, thin lines look dotted.
            let point = |k: usize| a + direction * (length * k as f64 / 3.0);
            return (0..3).map(|k| [point(k), point(k + 1)]).collect();
        }
        let side = unit(direction.cross(self.eye.at - 0.5 * (a + b))) * (0.035 * min64(def.rest_length, length));
        // Straight ends, teeth in between.
        let point = |k: usize| {
            let share = k as f64 / (2 * TEETH) as f64;
            let swing = match k {
                _ if !(4..=2 * TEETH - 4).contains(&k) => 0.0,
                _ if k.is_multiple_of(2) => 1.0,
                _ => -1.0,
            };
            a + direction * (length * share) + side * swing
        };
        (0..2 * TEETH).map(|k| [point(k), point(k + 1)]).collect()
    }
}
