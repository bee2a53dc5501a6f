//! The soft shadows of bodies on what is flat below them: layers of a little dark, each smaller than the last.

use super::{Picture, along, facets, middle};
use crate::color::Rgba;
use crate::list::{DrawList, Style};
use crate::poses::Placed;
use carom_core::math::{max64, min64, sin_cos64};
use carom3d::math::DVec3;
use std::f64::consts::TAU;

/// Something flat that shadows fall on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground<'g> {
    /// Some point of it.
    pub(super) point: DVec3,
    /// Of unit length, towards the lit side.
    pub(super) normal: DVec3,
    /// The corners of a convex piece of a plane; none for all of it.
    pub(super) rim: Option<&'g [DVec3]>,
}

impl Ground<'_> {
    fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }

    /// What of a shape in the plane has something to fall on.
    fn part(&self, shape: Vec<DVec3>) -> Option<Vec<DVec3>> {
        match self.rim {
            None => Some(shape),
            Some(rim) => common_part(shape, rim, self.normal),
        }
    }
}

impl Picture<'_> {
    /// The shadow of a ball, box or capsule.
    pub(super) fn shadow(&self, list: &mut DrawList, index: usize, ground: &Ground<'_>) {
        if ground.height(self.eye.at) <= 0.0 {
            return;
        }
        let Placed { position, orientation } = self.places[index];
        let radius = self.radius(index);
        match self.solid_shape(index) {
            None => self.shadow_of_ball(list, position, radius, ground),
            Some(shape) => self.shadow_of_hull(list, &facets::outline(&shape, position, orientation), radius, ground),
        }
    }

    fn shadow_of_ball(&self, list: &mut DrawList, center: DVec3, radius: f64, ground: &Ground<'_>) {
        const CORNERS: usize = 28;
        // What all layers together take of the light.
        const DARKEST: f32 = 0.675;
        let height = ground.height(center);
        let gap = max64(height - radius, 0.0) / radius;
        // Below the surface, or so far above that nothing is left of it.
        if !(height > 0.0 && gap < 4.0) {
            return;
        }
        let foot = center - ground.normal * height;
        let [u, v] = along(ground.normal);
        let fade = (1.0 - gap as f32 / 4.0) * (1.0 - gap as f32 / 4.0);
        // Where a shadow is a few pixels wide, so are its soft edges: few layers do.
        let away = max64(self.eye.local(foot).z, self.eye.near);
        let pixels = radius * self.eye.scale / (away * f64::from(self.view.pixel()));
        // The cast keeps to whole numbers that there are.
        let layers = (pixels / 4.0).clamp(5.0, 9.0) as usize;
        let opacity = fade * DARKEST / layers as f32;
        if opacity < 0.004 {
            return;
        }
        for layer in 0..layers {
            let share = 1.3 - layer as f64 / (layers - 1) as f64;
            let reach = radius * share * (1.0 + 0.25 * gap);
            let corner = |k: usize| {
                let (sin, cos) = sin_cos64(TAU * k as f64 / CORNERS as f64);
                foot + (u * cos + v * sin) * reach
            };
            let Some(part) = ground.part((0..CORNERS).map(corner).collect()) else { return };
            self.darken(list, &part, opacity);
        }
    }

    /// Of a body with these outermost points.
    fn shadow_of_hull(&self, list: &mut DrawList, outline: &[DVec3], radius: f64, ground: &Ground<'_>) {
        const LAYERS: usize = 6;
        const DARKEST: f32 = 0.07;
        let lowest = outline.iter().fold(f64::INFINITY, |low, &corner| min64(low, ground.height(corner)));
        let gap = max64(lowest, 0.0) / radius;
        if !(lowest > -radius && gap < 3.0) {
            return;
        }
        let [u, v] = along(ground.normal);
        let flat = |corner: &DVec3| [(*corner - ground.point).dot(u), (*corner - ground.point).dot(v)];
        let hull = facets::hull(outline.iter().filter(|corner| corner.is_finite()).map(flat).collect());
        if hull.len() < 3 {
            return;
        }
        let center = hull.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]).map(|x| x / hull.len() as f64);
        let fade = (1.0 - gap as f32 / 3.0) * (1.0 - gap as f32 / 3.0);
        for layer in 0..LAYERS {
            // From a little outside to a little inside, by a distance and not by a factor: edges are equally soft.
            let out = radius * (0.05 + 0.12 * gap) * (1.5 - layer as f64);
            let corner = |p: &[f64; 2]| {
                let away = [p[0] - center[0], p[1] - center[1]];
                let length = max64((away[0] * away[0] + away[1] * away[1]).sqrt(), 1.0e-9);
                let factor = max64(1.0 + out / length, 0.05);
                ground.point + u * (center[0] + away[0] * factor) + v * (center[1] + away[1] * factor)
            };
            let Some(part) = ground.part(hull.iter().map(corner).collect()) else { return };
            self.darken(list, &part, DARKEST * fade);
        }
    }

    fn darken(&self, list: &mut DrawList, shape: &[DVec3], opacity: f32) {
        let shape = self.eye.polygon(shape);
        if shape.len() > 2 {
            list.polygon(shape, Style::filled(Rgba::BLACK.with_opacity(opacity)));
        }
    }
}

/// What two convex shapes in a plane have in common.
fn common_part(shape: Vec<DVec3>, window: &[DVec3], normal: DVec3) -> Option<Vec<DVec3>> {
    let count = window.len();
    let middle = middle(window);
    let mut part = shape;
    for i in 0..count {
        let (a, b) = (window[i], window[(i + 1) % count]);
        let mut inwards = normal.cross(b - a);
        if inwards.dot(middle - a) < 0.0 {
            inwards = -inwards;
        }
        let before = std::mem::take(&mut part);
        let depth = |p: DVec3| (p - a).dot(inwards);
        for (k, &p) in before.iter().enumerate() {
            let next = before[(k + 1) % before.len()];
            let (d, e) = (depth(p), depth(next));
            if d >= 0.0 {
                part.push(p);
            }
            if (d > 0.0 && e < 0.0) || (d < 0.0 && e > 0.0) {
                part.push(p + (next - p) * (d / (d - e)));
            }
        }
        if part.len() < 3 {
            return None;
        }
    }
    Some(part)
}
