//! Colours and how they mix.

use carom_scenes::Color;

/// A colour in sRGB with opacity; red, green and blue are not multiplied by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgba {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// 0 is invisible, 255 opaque.
    pub a: u8,
}

impl Rgba {
    /// An opaque colour.
    pub const fn new(r: u8, g: u8, b: u8) -> Rgba {
        Rgba { r, g, b, a: 255 }
    }

    /// White.
    pub const WHITE: Rgba = Rgba::new(255, 255, 255);
    /// Black.
    pub const BLACK: Rgba = Rgba::new(0, 0, 0);

    /// The same colour with an opacity from 0 to 1.
    pub fn with_opacity(self, opacity: f32) -> Rgba {
        Rgba { a: byte(255.0 * opacity), ..self }
    }

    /// This colour with a share, 0 to 1, of another.
    pub fn mixed(self, other: Rgba, share: f32) -> Rgba {
        let mix = |a: u8, b: u8| byte(f32::from(a) + share * (f32::from(b) - f32::from(a)));
        Rgba { r: mix(self.r, other.r), g: mix(self.g, other.g), b: mix(self.b, other.b), a: mix(self.a, other.a) }
    }

    /// How bright it looks, from 0 for black to 1 for white.
    pub fn brightness(self) -> f32 {
        (0.2126 * f32::from(self.r) + 0.7152 * f32::from(self.g) + 0.0722 * f32::from(self.b)) / 255.0
    }

    /// Number `index` of an endless row of colours of which neighbours differ well.
    pub fn categorical(index: usize) -> Rgba {
        // Steps of the golden angle never come near an earlier hue soon.
        let hue = (index as f32 * 0.618_034 + 0.58).fract() * 6.0;
        let wave = |shift: f32| {
            let distance = ((hue + shift).rem_euclid(6.0) - 3.0).abs() - 1.0;
            byte(75.0 + 150.0 * distance.clamp(0.0, 1.0))
        };
        Rgba::new(wave(0.0), wave(4.0), wave(2.0))
    }
}

impl From<Color> for Rgba {
    fn from(color: Color) -> Rgba {
        Rgba::new(color.r, color.g, color.b)
    }
}

fn byte(x: f32) -> u8 {
    // The cast keeps to 0 and 255 by itself.
    x.round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes() {
        assert_eq!(Rgba::BLACK.mixed(Rgba::WHITE, 0.5), Rgba::new(128, 128, 128));
        assert_eq!(Rgba::WHITE.mixed(Rgba::BLACK, 0.0), Rgba::WHITE);
        assert_eq!(Rgba::WHITE.with_opacity(0.5).a, 128);
    }

    #[test]
    fn neighbours_in_the_row_differ() {
        let distance = |a: Rgba, b: Rgba| {
            i32::from(a.r.abs_diff(b.r)) + i32::from(a.g.abs_diff(b.g)) + i32::from(a.b.abs_diff(b.b))
        };
        for i in 0..100 {
            for j in i + 1..i + 4 {
                assert!(distance(Rgba::categorical(i), Rgba::categorical(j)) > 60, "{i} and {j}");
            }
        }
    }
}
