//! Colours of vertices.

use carom_render::Rgba;
use eframe::egui::Color32;

/// A colour that covers all of a place, or a share of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ink {
    color: Rgba,
    share: f32,
}

impl Ink {
    /// The ink of a colour.
    pub(super) fn of(color: Rgba) -> Ink {
        Ink { color, share: 1.0 }
    }

    /// Covering a share, 0 to 1, of what it covered.
    pub(super) fn covering(self, share: f32) -> Ink {
        Ink { share: self.share * share, ..self }
    }

    /// The colour of a vertex, multiplied by its opacity as egui has it.
    pub(super) fn color(self) -> Color32 {
        let Rgba { r, g, b, a } = self.color;
        if self.share >= 1.0 && a == 255 {
            return Color32::from_rgb(r, g, b);
        }
        let opacity = self.share * f32::from(a) / 255.0;
        // The cast keeps to 0 and 255 by itself.
        let part = |part: u8| (f32::from(part) * opacity + 0.5) as u8;
        Color32::from_rgba_premultiplied(part(r), part(g), part(b), part(255))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_multiplied_by_opacity_and_share() {
        let red = Rgba::new(200, 0, 10);
        assert_eq!(Ink::of(red).color(), Color32::from_rgb(200, 0, 10));
        assert_eq!(Ink::of(red.with_opacity(0.5)).color(), Color32::from_rgba_premultiplied(100, 0, 5, 128));
        assert_eq!(Ink::of(red).covering(0.5).covering(0.5).color(), Color32::from_rgba_premultiplied(50, 0, 3, 64));
        assert_eq!(Ink::of(red).covering(f32::NAN).color(), Color32::TRANSPARENT);
    }
}
