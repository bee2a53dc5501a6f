//! Pictures on surfaces.

use std::fmt;
use std::io::Cursor;

/// Longer files are refused.
pub(super) const MAX_BYTES: usize = 32 << 20;
/// Pictures that are wider or higher are refused.
const MAX_SIDE: u32 = 4096;
/// Most memory that one may take while it is read.
const MAX_MEMORY: usize = 256 << 20;

/// A picture on a surface, opaque: what can be seen through is mixed with white. Kept in several sizes, each half the one
/// before.
#[derive(Clone, PartialEq)]
pub struct Texture {
    levels: Vec<Level>,
}

#[derive(Clone, PartialEq)]
struct Level {
    width: usize,
    height: usize,
    /// Rows from the top, red, green and blue.
    pixels: Vec<[u8; 3]>,
}

impl fmt::Debug for Texture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.size();
        write!(f, "Texture({width} x {height})")
    }
}

/// How many pixels a picture says it has; as many as one may have if it does not say.
pub(super) fn pixels_of_png(bytes: &[u8]) -> usize {
    let side = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        let side = bytes.iter().fold(0, |side: usize, &byte| side << 8 | usize::from(byte));
        Some(side.min(MAX_SIDE as usize))
    };
    // After the signature comes the header: its length, its name, width and height.
    match (side(16), side(20)) {
        (Some(width), Some(height)) => width * height,
        _ => 0,
    }
}

impl Texture {
    /// Reads a PNG, or says why it cannot be read.
    pub fn from_png(bytes: &[u8]) -> Result<Texture, String> {
        let limits = png::Limits { bytes: MAX_MEMORY };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|error| format!("not a PNG picture: {error}"))?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            return Err(format!("{width} x {height} pixels; expected 1 to {MAX_SIDE} on each side"));
        }
        let size = reader.output_buffer_size().ok_or("it is too large")?;
        let mut buffer = vec![0; size];
        let frame = reader.next_frame(&mut buffer).map_err(|error| format!("broken: {error}"))?;
        let channels = frame.color_type.samples();
        let pixels = buffer[..frame.buffer_size()].chunks_exact(channels).map(opaque).collect();
        Ok(Texture::of(width as usize, height as usize, pixels))
    }

    /// A picture from its pixels, rows from the top. Pixels that are missing are black, those too many are left out.
    pub fn from_pixels(width: usize, height: usize, mut pixels: Vec<[u8; 3]>) -> Texture {
        let (width, height) = (width.clamp(1, MAX_SIDE as usize), height.clamp(1, MAX_SIDE as usize));
        pixels.resize(width * height, [0; 3]);
        Texture::of(width, height, pixels)
    }

    fn of(width: usize, height: usize, pixels: Vec<[u8; 3]>) -> Texture {
        let mut levels = vec![Level { width, height, pixels }];
        while let Some(half) = levels.last().and_then(Level::half) {
            levels.push(half);
        }
        Texture { levels }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        self.levels.first().map_or([1, 1], |level| [level.width, level.height])
    }

    /// The colour at a place, each part from 0 to 1: u to the right, v up, both from 0 to 1 and then again. `span` is how
    /// much of the picture is looked at, 1 for all of it: the mean of about so much.
    pub fn sample(&self, u: f64, v: f64, span: f64) -> [f32; 3] {
        let [width, height] = self.size();
        let mut pixels = span * if width > height { width } else { height } as f64;
        let mut level = 0;
        while pixels > 1.5 && level + 1 < self.levels.len() {
            pixels *= 0.5;
            level += 1;
        }
        self.levels.get(level).map_or([0.0; 3], |level| level.sample(u, v))
    }
}

/// A pixel of one to four channels as red, green and blue, mixed with white where it is not opaque.
fn opaque(pixel: &[u8]) -> [u8; 3] {
    let over_white = |part: u8, alpha: u8| {
        let (part, alpha) = (u32::from(part), u32::from(alpha));
        ((part * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    match *pixel {
        [gray] => [gray; 3],
        [gray, alpha] => [over_white(gray, alpha); 3],
        [r, g, b] => [r, g, b],
        [r, g, b, alpha] => [r, g, b].map(|part| over_white(part, alpha)),
        _ => [0; 3],
    }
}

impl Level {
    /// Half as wide and high, rounded up; none if it is one pixel.
    fn half(&self) -> Option<Level> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let rows = [2 * y, (2 * y + 1).min(self.height - 1)];
                let columns = [2 * x, (2 * x + 1).min(self.width - 1)];
                let mut sum = [0_u32; 3];
                for (row, column) in rows.into_iter().flat_map(|row| columns.map(|column| (row, column))) {
                    let pixel = self.pixels[row * self.width + column];
                    sum = std::array::from_fn(|i| sum[i] + u32::from(pixel[i]));
                }
                pixels.push(sum.map(|sum| ((sum + 2) / 4) as u8));
            }
        }
        Some(Level { width, height, pixels })
    }

    /// The four pixels around a place, by how near they are.
    fn sample(&self, u: f64, v: f64) -> [f32; 3] {
        let (x, from_x) = place(u, self.width);
        let (y, from_y) = place(1.0 - v, self.height);
        let mut sum = [0.0_f32; 3];
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let weight = if dx == 0 { 1.0 - from_x } else { from_x } * if dy == 0 { 1.0 - from_y } else { from_y };
            let pixel = self.pixels[(y + dy) % self.height * self.width + (x + dx) % self.width];
            sum = std::array::from_fn(|i| sum[i] + weight * f32::from(pixel[i]) / 255.0);
        }
        sum
    }
}

/// The pixel before a place of a row that repeats, and how far it is beyond that pixel's middle.
fn place(at: f64, count: usize) -> (usize, f32) {
    let at = if at.is_finite() { at - at.floor() } else { 0.0 };
    let at = at * count as f64 - 0.5 + count as f64;
    let whole = at.floor();
    (whole as usize % count, (at - whole) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_repeat_and_shrink_to_their_mean() {
        let texture = Texture::from_pixels(2, 2, vec![[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]);
        assert_eq!(texture.sample(0.25, 0.75, 0.0), [1.0, 0.0, 0.0], "the top left");
        assert_eq!(texture.sample(0.75, 0.75, 0.0), [0.0, 1.0, 0.0]);
        assert_eq!(texture.sample(-3.75, 7.25, 0.0), [0.0, 0.0, 1.0], "again and again");
        let mean = texture.sample(0.3, 0.3, 1.0);
        assert!(mean.iter().all(|part| (part - 0.5).abs() < 0.01), "{mean:?}");
        assert!(texture.sample(f64::NAN, f64::INFINITY, f64::NAN).iter().all(|part| part.is_finite()));
    }

    #[test]
    fn only_pictures_are_pictures() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_image_data(&[10, 20, 30, 255, 0, 0, 0, 0]).unwrap();
        let texture = Texture::from_png(&bytes).unwrap();
        assert_eq!(texture.size(), [2, 1]);
        assert_eq!(texture.levels[0].pixels, [[10, 20, 30], [255, 255, 255]]);
        for cut in 0..bytes.len() - 12 {
            assert!(Texture::from_png(&bytes[..cut]).is_err(), "{cut}");
        }
        assert!(Texture::from_png(b"GIF89a").unwrap_err().contains("not a PNG"));
    }
}
