//! Planes: a hint of a floor, with lines that fade away and shadows.

use super::shadow::Ground;
use super::{Picture, along};
use crate::color::Rgba;
use crate::list::{DrawList, Stroke, Style};
use crate::orbit::Orbit;
use crate::scene::round_step;
use carom_core::math::max;
use carom3d::Shape;
use carom3d::math::DVec3;

impl Picture<'_> {
    /// Planes seen from their front: a hint of a floor, with lines that fade away.
    pub(super) fn planes(&self, list: &mut DrawList, orbit: &Orbit, has_grid: bool) {
        let ink = if self.background.brightness() > 0.5 { Rgba::BLACK } else { Rgba::WHITE };
        for plane in &self.scene.planes {
            let Some(body) = self.scene.world.get_body(plane.body) else { continue };
            let (Shape::Plane { normal }, point) = (body.shape(), body.position()) else { continue };
            if (self.eye.at - point).dot(normal) <= 0.0 {
                continue;
            }
            let fill = self.background.mixed(ink, 0.055);
            let middle = orbit.target - normal * (orbit.target - point).dot(normal);
            let [u, v] = along(normal);
            let far = 300.0 * orbit.distance;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let floor = self.eye.polygon(&corners.map(|(x, y)| middle + (u * x + v * y) * far));
            if floor.len() > 2 {
                list.polygon(floor, Style::filled(fill));
            }
            if has_grid {
                self.grid(list, orbit, middle, [u, v], fill, fill.mixed(ink, 0.15));
            }
            for index in 0..self.places.len() {
                self.shadow(list, index, &Ground { point, normal, rim: None });
            }
        }
    }

    fn grid(&self, list: &mut DrawList, orbit: &Orbit, middle: DVec3, axes: [DVec3; 2], fill: Rgba, line: Rgba) {
        const LINES: i32 = 12;
        const PIECES: i32 = 8;
        let step = f64::from(round_step(0.12 * orbit.distance as f32));
        let reach = step * f64::from(LINES);
        // Lines stay where they are when the eye moves on.
        let place = |axis: DVec3| (middle.dot(axis) / step).round() * step;
        let [u, v] = axes;
        let corner = middle + u * (place(u) - middle.dot(u)) + v * (place(v) - middle.dot(v));
        let stroke = max(self.view.line_scale, 0.6);
        for (across, along) in [(u, v), (v, u)] {
            for i in -LINES..=LINES {
                let start = corner + across * (step * f64::from(i));
                for k in -PIECES..PIECES {
                    let at = |k: i32| start + along * (reach * f64::from(k) / f64::from(PIECES));
                    let (a, b) = (at(k), at(k + 1));
                    let away = (0.5 * (a + b) - middle).length() / reach;
                    let strength = (1.0 - away * away) as f32;
                    if strength > 0.03
                        && let Some([a, b]) = self.eye.line(a, b)
                    {
                        list.line(a, b, Stroke::solid(fill.mixed(line, strength), stroke));
                    }
                }
            }
        }
    }
}
