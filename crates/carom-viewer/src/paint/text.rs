//! Lines of text, with egui's fonts.

use super::ink::Ink;
use super::screen::Screen;
use carom_render::Rgba;
use carom2d::math::{Vec2, vec2};
use eframe::egui::{Color32, FontId, Painter, pos2};

/// A line of text; see [`carom_render::Item::Text`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<'t> {
    pub(super) at: Vec2,
    pub(super) anchor: Vec2,
    pub(super) text: &'t str,
    pub(super) size: f32,
    pub(super) color: Rgba,
    pub(super) halo: Rgba,
}

/// Height of capital letters of egui's proportional font, in sizes of the font.
const CAPITAL: f32 = 0.693;

impl Label<'_> {
    /// Draws it.
    pub(super) fn paint(&self, screen: &Screen, painter: &Painter) {
        // Letters of more pixels than this would crowd the others out of egui's texture.
        const LARGEST: f32 = 256.0;
        let at = screen.point(self.at);
        let size = self.size * screen.unit;
        if !(at.is_finite() && self.anchor.is_finite() && size >= 1.0) || self.text.is_empty() {
            return;
        }
        let size = carom_core::math::min(size, LARGEST);
        let reach = Vec2::splat(size * (self.text.len() as f32 + 1.0) * (1.0 + self.anchor.abs().max_element()));
        if !screen.sees(at - reach, at + reach) {
            return;
        }
        let points = 1.0 / screen.pixels_per_point;
        let font = FontId::proportional(size * points);
        let galley = painter.layout_no_wrap(self.text.to_owned(), font, Color32::PLACEHOLDER);
        let Some((row, glyph)) = galley.rows.first().and_then(|row| Some((row, row.glyphs.first()?))) else { return };
        let left = at.x - self.anchor.x * galley.size().x / points;
        let baseline = at.y + self.anchor.y * CAPITAL * size;
        let top = baseline - (row.pos.y + glyph.pos.y) / points;
        // Whole pixels, or the letters of all copies are blurred.
        let corner = vec2(left.round(), top.round());
        let copy = |offset: Vec2, color: Color32| {
            let at = (corner + offset) * points;
            painter.galley(pos2(at.x, at.y), galley.clone(), color);
        };
        let halo = halo_ink(self.halo).color();
        if halo != Color32::TRANSPARENT {
            for offset in halo_offsets(size) {
                copy(offset, halo);
            }
        }
        copy(Vec2::ZERO, Ink::of(self.color).color());
    }
}

/// Where copies of the letters lie that make the rim around them: on a circle of whole pixels.
fn halo_offsets(size: f32) -> [Vec2; 8] {
    let side = (0.14 * size).round().clamp(1.0, 12.0);
    let corner = (0.71 * side).round();
    let (x, y) = (vec2(side, 0.0), vec2(0.0, side));
    let (up, down) = (vec2(corner, corner), vec2(corner, -corner));
    [x, -x, y, -y, up, -up, down, -down]
}

/// What each copy is drawn with. Near a letter, two or three of them lie over each other: what two let
/// through together is the square of what one does.
fn halo_ink(halo: Rgba) -> Ink {
    let through = (1.0 - f32::from(halo.a) / 255.0).sqrt();
    Ink::of(halo.with_opacity(1.0 - through))
}
