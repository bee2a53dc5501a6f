//! A texture with small shapes, soft edges included.
//!
//! A soft edge made of triangles takes a belt of them around each shape, and thousands of small shapes
//! then consist of little else. So what is small is stamped: a quad shows a shape drawn beforehand. Shapes
//! in the texture have whole sizes; to be stamped at a size between, the next larger one is made a little
//! smaller, which makes its edge sharper by the same little.
//!
//! The square at the left of the texture is the product of one pattern along x and along y: stripes of all
//! widths with a gap of one texel between them. Where two stripes cross there is a box of any width and
//! height. Between the middles of a black and a white texel, the graphics card makes a ramp of one texel:
//! an edge exactly between both, as soft as it should be. To the right there are discs; where edges run
//! aslant, it takes two texels to a pixel to tell where they are.

use carom2d::math::{Vec2, clamp, vec2};
use eframe::egui::{Color32, ColorImage, Pos2, pos2};

/// Width of the texture in texels.
const WIDTH: usize = 768;
/// Height of the texture, and width of the part with the stripes.
const HEIGHT: usize = 256;

/// Widths of the stripes. They need 239 texels with the gaps.
const STRIPES: [u16; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32];

/// Radii of the discs in texels, of which two make a pixel.
const DISCS: [u16; 24] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 40, 48, 56, 64];

/// The widest stripe, in pixels; also the largest radius of a disc.
pub(super) const LARGEST: f32 = 32.0;

/// How a bar of some width is stamped: what lies from side to side of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stripe {
    /// How far the stamp reaches to either side of the middle, in pixels.
    pub(super) half: f32,
    /// Where its sides are in the texture, in texels.
    pub(super) low: f32,
    pub(super) high: f32,
    /// How much of a pixel it covers at most: a bar may be narrower than one.
    pub(super) share: f32,
}

/// How a disc is stamped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disc {
    /// How far the stamp reaches from the middle, in pixels.
    pub(super) half: f32,
    /// Its middle in the texture, in texels.
    pub(super) middle: Vec2,
    /// How far it reaches in the texture, in texels.
    pub(super) reach: f32,
}

/// Where everything is in the texture.
#[derive(Clone, Debug)]
pub(super) struct Stamps {
    /// The middle of the gap before each stripe, in texels.
    gaps: [f32; STRIPES.len()],
    /// Which stripe is the narrowest of at least so many pixels.
    stripe_of: [usize; 33],
    /// Middles of the discs, in texels.
    middles: [Vec2; DISCS.len()],
    /// Which disc is the smallest of at least so many half pixels.
    disc_of: [usize; 65],
}

impl Stamps {
    pub(super) fn new() -> Stamps {
        let mut gaps = [0.5; STRIPES.len()];
        for i in 1..STRIPES.len() {
            gaps[i] = gaps[i - 1] + f32::from(STRIPES[i - 1]) + 1.0;
        }
        let first_of = |sizes: &[u16], size: usize| sizes.iter().position(|&s| usize::from(s) >= size).unwrap_or(0);
        Stamps {
            gaps,
            stripe_of: std::array::from_fn(|width| first_of(&STRIPES, width)),
            middles: place_discs(),
            disc_of: std::array::from_fn(|twice| first_of(&DISCS, twice)),
        }
    }

    /// How to stamp a bar. One wider than all stripes gets edges that are softer than they should be.
    pub(super) fn stripe(&self, width: f32) -> Stripe {
        let index = self.stripe_of[clamp(width.ceil(), 1.0, LARGEST) as usize];
        let (gap, texels) = (self.gaps[index], f32::from(STRIPES[index]));
        // Narrower than a pixel, a bar looks like one of a pixel, but fainter.
        let pixels = if width > 1.0 { width } else { 1.0 };
        let share = clamp(width, 0.0, 1.0);
        Stripe { half: 0.5 * pixels * (1.0 + 1.0 / texels), low: gap, high: gap + texels + 1.0, share }
    }

    /// How to stamp a disc of at most the largest radius.
    pub(super) fn disc(&self, radius: f32) -> Disc {
        let index = self.disc_of[clamp((2.0 * radius).ceil(), 2.0, 2.0 * LARGEST) as usize];
        let texels = f32::from(DISCS[index]);
        let reach = texels + 1.0;
        Disc { half: reach * radius / texels, middle: self.middles[index], reach }
    }

    /// Where a ramp begins that goes up over one texel to the right, and then stays up for as many texels
    /// as the largest stripe has; in texels.
    pub(super) fn ramp(&self) -> Vec2 {
        vec2(self.gaps[STRIPES.len() - 1], self.white().y)
    }

    /// A place in the texture that is all white, in texels.
    pub(super) fn white(&self) -> Vec2 {
        Vec2::splat(self.gaps[STRIPES.len() - 1] + 0.5 * (LARGEST + 1.0))
    }

    /// The texture.
    pub(super) fn image(&self) -> ColorImage {
        let pattern: [u8; HEIGHT] = std::array::from_fn(|texel| {
            let is_gap = self.gaps.iter().any(|gap| *gap as usize == texel);
            u8::from(!is_gap && texel < (self.gaps[STRIPES.len() - 1] + LARGEST + 1.0) as usize)
        });
        let mut image = ColorImage::filled([WIDTH, HEIGHT], Color32::TRANSPARENT);
        for y in 0..HEIGHT {
            for x in 0..HEIGHT {
                image[(x, y)] = white(f32::from(pattern[x] * pattern[y]));
            }
        }
        for (middle, radius) in self.middles.iter().zip(DISCS) {
            let (low, high) = (*middle - f32::from(radius + 2), *middle + f32::from(radius + 2));
            // A ramp around a circle has more area outside it than inside.
            let radius = f32::from(radius * radius) - 1.0 / 3.0;
            let radius = radius.sqrt();
            for y in low.y as usize..high.y as usize {
                for x in low.x as usize..high.x as usize {
                    let depth = radius - (vec2(x as f32 + 0.5, y as f32 + 0.5) - *middle).length();
                    image[(x, y)] = white(clamp(0.5 + 0.5 * depth, 0.0, 1.0));
                }
            }
        }
        image
    }
}

/// A place in the texture as vertices have it.
pub(super) fn uv(texel: Vec2) -> Pos2 {
    pos2(texel.x * (1.0 / WIDTH as f32), texel.y * (1.0 / HEIGHT as f32))
}

fn white(share: f32) -> Color32 {
    let byte = (255.0 * share).round() as u8;
    Color32::from_rgba_premultiplied(byte, byte, byte, byte)
}

/// Finds a place for each disc: in rows, the large ones first.
fn place_discs() -> [Vec2; DISCS.len()] {
    let mut middles = [Vec2::ZERO; DISCS.len()];
    let mut corner = vec2(HEIGHT as f32, 0.0);
    let mut row_height = 0.0;
    for i in (0..DISCS.len()).rev() {
        let size = 2.0 * f32::from(DISCS[i] + 2);
        if corner.x + size > WIDTH as f32 {
            corner = vec2(HEIGHT as f32, corner.y + row_height);
            row_height = 0.0;
        }
        middles[i] = corner + Vec2::splat(0.5 * size);
        corner.x += size;
        row_height = carom2d::math::max(row_height, size);
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_place() {
        let stamps = Stamps::new();
        assert!(stamps.gaps[STRIPES.len() - 1] + LARGEST + 2.0 < HEIGHT as f32);
        for (i, a) in stamps.middles.iter().enumerate() {
            let reach = |i: usize| f32::from(DISCS[i]) + 2.0;
            assert!(a.x - reach(i) >= HEIGHT as f32 && a.x + reach(i) <= WIDTH as f32, "disc {i}");
            assert!(a.y - reach(i) >= 0.0 && a.y + reach(i) <= HEIGHT as f32, "disc {i}");
            for (j, b) in stamps.middles.iter().enumerate().take(i) {
                assert!((*a - *b).abs().max_element() >= reach(i) + reach(j), "discs {i} and {j}");
            }
        }
    }

    #[test]
    fn stripes_have_sharp_sides_and_the_right_width() {
        let stamps = Stamps::new();
        let image = stamps.image();
        let row = stamps.white().y as usize;
        for width in [0.3_f32, 1.0, 1.5, 2.0, 5.3, 11.0, 32.0] {
            let stripe = stamps.stripe(width);
            let lit = |texel: usize| f32::from(image[(texel, row)].a()) / 255.0;
            let (low, high) = (stripe.low as usize, stripe.high as usize);
            assert_eq!((lit(low), lit(high)), (0.0, 0.0), "{width}");
            let texels: f32 = (low..high).map(lit).sum();
            let pixels = texels * 2.0 * stripe.half / (stripe.high - stripe.low) * stripe.share;
            assert!((pixels - width).abs() < 1.0e-5, "{width}: {pixels}");
        }
        assert_eq!(image[(stamps.white().x as usize, row)], Color32::WHITE);
        assert!(stamps.stripe(f32::NAN).half.is_finite() && stamps.stripe(1.0e9).half.is_finite());
    }

    #[test]
    fn discs_have_the_right_area() {
        let stamps = Stamps::new();
        let image = stamps.image();
        for radius in [1.0_f32, 1.7, 4.4, 10.0, 31.9] {
            let disc = stamps.disc(radius);
            let pixel = disc.half / disc.reach;
            let reach = Vec2::splat(disc.reach + 1.0);
            let (low, high) = (disc.middle - reach, disc.middle + reach);
            let mut area = 0.0;
            for y in low.y as usize..high.y as usize {
                for x in low.x as usize..high.x as usize {
                    area += f32::from(image[(x, y)].a()) / 255.0 * pixel * pixel;
                }
            }
            let expected = std::f32::consts::PI * radius * radius;
            assert!((area / expected - 1.0).abs() < 0.05, "{radius}: {area} {expected}");
            assert!(pixel <= 0.5 && pixel > 0.3, "{radius}: {pixel}");
        }
    }
}
