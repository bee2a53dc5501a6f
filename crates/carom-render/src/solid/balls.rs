//! Balls with bands, by which one sees how they turn.

use super::eye::Eye;
use super::light::{base, contrast, gloss, mixed};
use super::{Picture, unit};
use crate::ball::{Ball, Shade};
use crate::list::{DrawList, Stroke};
use crate::poses::Placed;
use carom_core::math::{max, max64, sin_cos64};
use carom2d::math::{Vec2, vec2};
use carom3d::math::DVec3;
use std::f64::consts::TAU;

impl Picture<'_> {
    pub(super) fn ball(&self, list: &mut DrawList, index: usize) {
        let Placed { position, orientation } = self.places[index];
        let radius = self.radius(index);
        let Some(seen) = Seen::of(&self.eye, position, radius) else { return };
        let visible = self.view.visible();
        let reach = Vec2::splat(seen.axes[0].length() + seen.axes[1].length());
        let (low, high) = (seen.center - reach, seen.center + reach);
        if high.x < visible.min.x || high.y < visible.min.y || low.x > visible.max.x || low.y > visible.max.y {
            return;
        }
        let surface = self.scene.spheres[index].surface;
        let look = self.scene.surfaces.get(surface);
        let (towards, light) = self.light.at(position);
        let shade = Shade {
            base: base(look, surface),
            ambient: self.light.ambient,
            towards_light: seen.local(towards),
            light,
            gloss: gloss(look, 0.6),
            sharpness: look.map_or(5, |surface| if surface.shininess > 60.0 { 6 } else { 5 }),
        };
        list.ball(Ball { center: seen.center, axes: seen.axes, shade });
        let pixels = seen.axes[1].length() / self.view.pixel();
        // On a smaller ball nothing could be told.
        if pixels > 3.0 {
            let bands = [orientation.rotate(DVec3::Y), orientation.rotate(DVec3::X)];
            let starts = [orientation.rotate(DVec3::X), orientation.rotate(DVec3::Y)];
            let contrast = contrast(shade.base);
            let colors = [contrast, mixed(shade.base, contrast, 0.5)];
            for i in [1, 0] {
                self.band(list, &seen, &shade, colors[i], [bands[i], starts[i]], pixels);
            }
        }
    }

    /// A band painted around a ball, which turns with it: what of it is on this side.
    fn band(
        &self,
        list: &mut DrawList,
        seen: &Seen,
        shade: &Shade,
        color: [f32; 3],
        [axis, start]: [DVec3; 2],
        pixels: f32,
    ) {
        // Width of a band in radii.
        const WIDTH: f32 = 0.16;
        let pieces = match pixels {
            small if small < 9.0 => 12,
            small if small < 24.0 => 18,
            middling if middling < 60.0 => 30,
            _ => 48,
        };
        let side = axis.cross(start);
        let normal = |k: usize| {
            let (sin, cos) = sin_cos64(TAU * k as f64 / pieces as f64);
            start * cos + side * sin
        };
        let across = seen.local(axis);
        for k in 0..pieces {
            let (a, b) = (normal(k), normal(k + 1));
            if !(seen.shows(a) && seen.shows(b)) {
                continue;
            }
            let middle = unit(a + b);
            let along = seen.local(b - a);
            // Seen from the side, a band is as wide as its axis is long.
            let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
            let lean = if length > 0.0 { (along[0] * across[1] - along[1] * across[0]).abs() / length } else { 1.0 };
            let width = max(WIDTH * pixels * lean, 0.8);
            let stroke = Stroke::solid(shade.of(color, seen.local(middle)), width);
            if let Some([a, b]) = self.eye.line(seen.point(a), seen.point(b)) {
                list.line(a, b, stroke);
            }
        }
    }
}

/// A ball as an eye sees it.
///
/// A ball of radius r at (x, y, z) in axes of the picture, z away from the eye, touches rays that make an ellipse at
/// distance 1: its middle is `(x, y) z / (z^2 - r^2)`, half its width across the direction of (x, y) is
/// `r / sqrt(z^2 - r^2)`, and along it `r sqrt(x^2 + y^2 + z^2 - r^2) / (z^2 - r^2)`.
#[derive(Clone, Copy, Debug)]
struct Seen {
    position: DVec3,
    radius: f64,
    center: Vec2,
    axes: [Vec2; 2],
    /// Axes of the ball in space: along the first axis of the ellipse, along the second, to the eye.
    frame: [DVec3; 3],
    /// What faces the eye less than this is hidden by the ball itself.
    horizon: f64,
}

impl Seen {
    /// Nothing if the ball reaches beside or behind the eye.
    fn of(eye: &Eye, position: DVec3, radius: f64) -> Option<Seen> {
        let local = eye.local(position);
        if !(local.is_finite() && radius.is_finite() && local.z > radius + eye.near) {
            return None;
        }
        let across_squared = local.x * local.x + local.y * local.y;
        let across = across_squared.sqrt();
        let (ux, uy) = if across > 1.0e-9 * local.z { (local.x / across, local.y / across) } else { (1.0, 0.0) };
        let depth = (local.z - radius) * (local.z + radius);
        let long = radius * max64(across_squared + depth, 0.0).sqrt() / depth * eye.scale;
        let short = radius / depth.sqrt() * eye.scale;
        let middle = eye.scale * local.z / depth;
        let center = vec2((local.x * middle) as f32, (local.y * middle) as f32);
        let axes = [vec2((ux * long) as f32, (uy * long) as f32), vec2((-uy * short) as f32, (ux * short) as f32)];
        if !(center.is_finite() && axes[0].is_finite() && axes[1].is_finite() && long < 1.0e3) {
            return None;
        }
        let distance = (eye.at - position).length();
        let to_eye = (eye.at - position) / distance;
        let along = eye.axes.right * ux + eye.axes.up * uy;
        let along = unit(along - to_eye * along.dot(to_eye));
        let frame = [along, to_eye.cross(along), to_eye];
        Some(Seen { position, radius, center, axes, frame, horizon: radius / distance })
    }

    /// A direction in axes of the ball.
    fn local(&self, direction: DVec3) -> [f32; 3] {
        self.frame.map(|axis| direction.dot(axis) as f32)
    }

    /// Is the surface in this direction well on this side?
    fn shows(&self, normal: DVec3) -> bool {
        // Short of the edge, beyond which a wide line would reach.
        normal.dot(self.frame[2]) > self.horizon + 0.12
    }

    /// The point of the surface in a direction.
    fn point(&self, normal: DVec3) -> DVec3 {
        self.position + normal * self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::eye::tests::eye;
    use carom3d::math::dvec3;

    #[test]
    fn the_edge_of_a_ball_is_where_rays_touch_it() {
        let eye = eye();
        for (position, radius) in
            [(dvec3(0.0, 0.0, 0.0), 1.0), (dvec3(5.0, -3.0, 2.0), 1.5), (dvec3(-4.0, 4.0, -30.0), 6.0)]
        {
            let seen = Seen::of(&eye, position, radius).unwrap();
            for k in 0..16 {
                let (sin, cos) = sin_cos64(TAU * f64::from(k) / 16.0);
                let at = seen.center + seen.axes[0] * cos as f32 + seen.axes[1] * sin as f32;
                let ray = unit(
                    eye.axes.right * (f64::from(at.x) / eye.scale) + eye.axes.up * (f64::from(at.y) / eye.scale)
                        - eye.axes.back,
                );
                let offset = position - eye.at;
                let apart = (offset - ray * offset.dot(ray)).length();
                assert!((apart / radius - 1.0).abs() < 1.0e-5, "{position}: {apart} for {radius}");
            }
        }
        assert!(Seen::of(&eye, dvec3(0.0, 0.0, 10.0), 1.0).is_none(), "around the eye");
        assert!(Seen::of(&eye, dvec3(0.0, 0.0, 30.0), 1.0).is_none(), "behind the eye");
        assert!(Seen::of(&eye, DVec3::NAN, 1.0).is_none());
    }
}
