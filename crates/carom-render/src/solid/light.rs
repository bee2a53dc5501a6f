//! The light of a scene in space, and the colours of its surfaces.

use super::eye::Eye;
use super::unit;
use crate::color::Rgba;
use carom_core::math::{max, min64};
use carom3d::math::DVec3;
use carom3d::{Color, Scene, Surface};

/// The lights of a scene, as one.
pub(super) struct Lighting<'a> {
    scene: &'a Scene,
    pub(super) ambient: [f32; 3],
    /// Where light comes from if the scene has none: from behind the viewer.
    otherwise: DVec3,
    /// The light of what is flat: walls of two triangles shall look like one.
    pub(super) middle: (DVec3, [f32; 3]),
}

impl<'a> Lighting<'a> {
    pub(super) fn new(scene: &'a Scene, eye: &Eye, target: DVec3) -> Lighting<'a> {
        // Scenes without any light from everywhere would be half black.
        const LEAST: f32 = 0.22;
        let ambient = channels(scene.ambient_light).map(|part| max(part.clamp(0.0, 1.0), LEAST));
        let over_shoulder = unit(eye.axes.back + 0.6 * eye.axes.up - 0.5 * eye.axes.right);
        let mut lighting = Lighting { scene, ambient, otherwise: over_shoulder, middle: (over_shoulder, [0.8; 3]) };
        lighting.middle = lighting.at(target);
        lighting
    }

    /// Direction and colour of the light at a point, all lights together.
    pub(super) fn at(&self, point: DVec3) -> (DVec3, [f32; 3]) {
        let (mut direction, mut sum) = (DVec3::ZERO, [0.0_f32; 3]);
        for light in &self.scene.lights {
            let towards = light.position - point;
            let distance = towards.length();
            let [c, l, q] = light.attenuation;
            let weaker = c + l * distance + q * distance * distance;
            let strength = if weaker > 0.0 { min64(1.0 / weaker, 4.0) } else { 1.0 };
            let color = channels(light.color).map(|part| part.clamp(0.0, 4.0) * strength as f32);
            direction += unit(towards) * f64::from(color[0] + color[1] + color[2]);
            sum = [sum[0] + color[0], sum[1] + color[1], sum[2] + color[2]];
        }
        let direction = unit(direction);
        if direction == DVec3::ZERO || !direction.is_finite() {
            return (self.otherwise, [0.8; 3]);
        }
        (direction, sum.map(|part| part.clamp(0.0, 1.1)))
    }
}

fn channels(color: Color) -> [f32; 3] {
    [color.r as f32, color.g as f32, color.b as f32].map(|part| if part.is_finite() { part } else { 0.0 })
}

pub(super) fn rgba(color: Color) -> Rgba {
    // The cast keeps to 0 and 255 by itself.
    let [r, g, b] = channels(color).map(|part| (255.0 * part).round() as u8);
    Rgba::new(r, g, b)
}

/// The colour of a surface: what it scatters, and half of what it mirrors. A missing picture is a plain colour, other
/// than that of other pictures.
pub(super) fn base(surface: Option<&Surface>, index: usize) -> [f32; 3] {
    let Some(surface) = surface else { return [0.7; 3] };
    let (scattered, mirrored) = (channels(surface.diffuse), channels(surface.specular));
    let most = max(max(scattered[0], scattered[1]), scattered[2]).clamp(0.0, 1.0);
    let tint = match (&surface.texture, &surface.picture) {
        (Some(_), None) => Rgba::categorical(index).mixed(Rgba::WHITE, 0.35),
        _ => Rgba::WHITE,
    };
    let tint = [tint.r, tint.g, tint.b].map(|part| f32::from(part) / 255.0);
    std::array::from_fn(|i| (scattered[i] * tint[i] + 0.55 * (1.0 - most) * mirrored[i]).clamp(0.0, 1.0))
}

/// How much of each colour a surface mirrors, made weaker by a factor.
pub(super) fn gloss(surface: Option<&Surface>, factor: f32) -> [f32; 3] {
    surface.map_or([0.0; 3], |surface| channels(surface.specular).map(|part| factor * part.clamp(0.0, 1.0)))
}

/// A colour that shows on another.
pub(super) fn contrast(base: [f32; 3]) -> [f32; 3] {
    let brightness = 0.2126 * base[0] + 0.7152 * base[1] + 0.0722 * base[2];
    if brightness > 0.5 { mixed(base, [0.1, 0.11, 0.16], 0.72) } else { mixed(base, [1.0, 0.98, 0.94], 0.78) }
}

pub(super) fn mixed(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + share * (b[i] - a[i]))
}
