//! Outlines of letters, from a font that comes with the program.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The font of captions and labels: Ubuntu Light, which the viewer's widgets use, too.
const FONT: &[u8] = epaint_default_fonts::UBUNTU_LIGHT;

/// A font, ready to give outlines.
pub(crate) struct Font {
    face: Face<'static>,
}

impl Font {
    pub(crate) fn new() -> Font {
        Font { face: Face::parse(FONT, 0).expect("the font that comes with the program is whole") }
    }

    /// Height of capital letters at a size, in pixels.
    pub(crate) fn capital_height(&self, size: f32) -> f32 {
        f32::from(self.face.capital_height().unwrap_or(700)) * self.scale(size)
    }

    /// Width of a text at a size, in pixels.
    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum::<f32>() * self.scale(size)
    }

    /// Hands out the lines and curves of a text whose baseline starts at `x`, `y`, in pixels with y down.
    pub(crate) fn outline(&self, text: &str, size: f32, x: f32, y: f32, out: &mut impl OutlineBuilder) {
        let scale = self.scale(size);
        let mut placed = Placed { out, x, y, scale };
        for letter in text.chars() {
            let glyph = self.glyph(letter);
            self.face.outline_glyph(glyph, &mut placed);
            placed.x += self.advance(glyph) * scale;
        }
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    /// What the font lacks is shown as its box for that.
    fn glyph(&self, letter: char) -> GlyphId {
        self.face.glyph_index(letter).unwrap_or_default()
    }

    fn advance(&self, glyph: GlyphId) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0))
    }
}

/// Font units with y up to pixels with y down.
struct Placed<'o, B> {
    out: &'o mut B,
    x: f32,
    y: f32,
    scale: f32,
}

impl<B> Placed<'_, B> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, self.y - self.scale * y)
    }
}

impl<B: OutlineBuilder> OutlineBuilder for Placed<'_, B> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.out.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.out.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.out.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.out.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.out.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_text() {
        let font = Font::new();
        assert_eq!(font.width("", 20.0), 0.0);
        let one = font.width("m", 20.0);
        assert!((8.0..22.0).contains(&one), "{one}");
        assert!((font.width("mmm", 20.0) - 3.0 * one).abs() < 1.0e-3);
        assert!((font.width("m", 40.0) - 2.0 * one).abs() < 1.0e-3);
        assert!((10.0..18.0).contains(&font.capital_height(20.0)));
        assert!(font.width("\u{10FFFF}", 20.0) >= 0.0);
    }
}
