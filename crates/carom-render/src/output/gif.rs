//! A movie as GIF.
//!
//! Each frame holds only the pixels that changed, within the box around them, and its own palette of up
//! to 255 colours made from those; the last index means "as before". What stands still is therefore
//! stored once, and colours are exact wherever few change.

use super::{Sink, Store};
use crate::canvas::Picture;
use crate::error::RenderError;
use crate::view::Size;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The index that means "as before".
const CLEAR: u8 = 255;

pub(super) struct GifFile {
    path: PathBuf,
    /// None once the movie is finished.
    encoder: Option<Encoder<Store>>,
    fps: u32,
    count: u32,
    /// The last picture; empty before the first.
    last: Vec<u8>,
}

impl std::fmt::Debug for GifFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GifFile").field("path", &self.path).field("count", &self.count).finish_non_exhaustive()
    }
}

impl GifFile {
    pub(super) fn new(store: Store, size: Size, fps: u32) -> Result<GifFile, RenderError> {
        let path = store.name();
        let at = |error| failure(&path, error);
        // A Size fits into 16 bits.
        let mut encoder = Encoder::new(store, size.width() as u16, size.height() as u16, &[]).map_err(at)?;
        encoder.set_repeat(Repeat::Infinite).map_err(at)?;
        Ok(GifFile { path, encoder: Some(encoder), fps, count: 0, last: Vec::new() })
    }

    /// How long the next frame is shown, in hundredths of a second: over the movie, the frames keep
    /// their rate although each is rounded.
    fn delay(&self) -> u16 {
        let end = |count: u32| (f64::from(count) * 100.0 / f64::from(self.fps)).round();
        (end(self.count + 1) - end(self.count)) as u16
    }
}

fn failure(path: &Path, error: EncodingError) -> RenderError {
    match error {
        EncodingError::Io(error) => RenderError::Write { path: path.to_owned(), error },
        other => RenderError::Encode { path: path.to_owned(), reason: other.to_string() },
    }
}

impl Sink for GifFile {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError> {
        let change = Change::between(&self.last, picture);
        let colors: Vec<u32> = change.pixels.iter().filter_map(|&pixel| pixel).collect();
        let palette = Palette::of(&colors);
        let mut finder = Finder::new(&palette);
        let indices = change.pixels.iter().map(|pixel| pixel.map_or(CLEAR, |color| finder.nearest(color)));
        let frame = Frame {
            delay: self.delay(),
            dispose: DisposalMethod::Keep,
            transparent: Some(CLEAR),
            left: change.left as u16,
            top: change.top as u16,
            width: change.width as u16,
            height: change.height as u16,
            palette: Some(palette.bytes()),
            buffer: Cow::Owned(indices.collect()),
            ..Frame::default()
        };
        if let Some(encoder) = &mut self.encoder {
            encoder.write_frame(&frame).map_err(|error| failure(&self.path, error))?;
        }
        self.last.clear();
        self.last.extend_from_slice(picture.rgba);
        self.count += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<u8>, RenderError> {
        match self.encoder.take() {
            // This writes the trailer.
            Some(encoder) => encoder.into_inner().map_err(|error| failure(&self.path, error))?.finish(),
            None => Ok(Vec::new()),
        }
    }
}

/// What differs between two pictures: a box, and in it the colours that changed.
struct Change {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    pixels: Vec<Option<u32>>,
}

impl Change {
    fn between(last: &[u8], picture: Picture<'_>) -> Change {
        let row_length = picture.size.width() as usize;
        let color = |bytes: &[u8]| u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]);
        let differs = |at: usize| last.is_empty() || last[4 * at..4 * at + 4] != picture.rgba[4 * at..4 * at + 4];
        let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
        for y in 0..picture.size.height() as usize {
            let row = y * row_length;
            let whole = 4 * row..4 * (row + row_length);
            if !last.is_empty() && last[whole.clone()] == picture.rgba[whole] {
                continue;
            }
            let Some(first) = (0..row_length).find(|&x| differs(row + x)) else { continue };
            let end = (first..row_length).rev().find(|&x| differs(row + x)).unwrap_or(first);
            left = left.min(first);
            right = right.max(end);
            top = top.min(y);
            bottom = y;
        }
        if top == usize::MAX {
            // Nothing moved, but the time passed: one pixel that stays as it is.
            return Change { left: 0, top: 0, width: 1, height: 1, pixels: vec![None] };
        }
        let (width, height) = (right - left + 1, bottom - top + 1);
        let mut pixels = Vec::with_capacity(width * height);
        for y in top..=bottom {
            for at in y * row_length + left..=y * row_length + right {
                pixels.push(differs(at).then(|| color(&picture.rgba[4 * at..4 * at + 4])));
            }
        }
        Change { left, top, width, height, pixels }
    }
}

/// Up to 255 colours, as 0xRRGGBB.
struct Palette(Vec<u32>);

impl Palette {
    const MOST: usize = CLEAR as usize;
    /// How many of the most frequent colours are taken over exactly.
    const EXACT: usize = 96;

    /// A palette for these pixels: their colours if there are few, else the most frequent ones and
    /// averages of the rest.
    fn of(pixels: &[u32]) -> Palette {
        let mut counted = count(pixels);
        if counted.len() <= Palette::MOST {
            return Palette(counted.into_iter().map(|(color, _)| color).collect());
        }
        counted.sort_unstable_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        let mut colors: Vec<u32> = counted[..Palette::EXACT].iter().map(|&(color, _)| color).collect();
        cut(&mut counted[Palette::EXACT..], Palette::MOST - Palette::EXACT, &mut colors);
        Palette(colors)
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|color| color.to_be_bytes().into_iter().skip(1)).collect()
    }
}

/// Each colour with its number of pixels, by colour.
fn count(pixels: &[u32]) -> Vec<(u32, u32)> {
    // Pictures have long runs of one colour: count those first, sort what is left.
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &color in pixels {
        match runs.last_mut() {
            Some((last, count)) if *last == color => *count += 1,
            _ => runs.push((color, 1)),
        }
    }
    runs.sort_unstable_by_key(|&(color, _)| color);
    runs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    runs
}

fn channel(color: u32, index: usize) -> u32 {
    (color >> (8 * index)) & 255
}

/// Median cut: splits the colours where they spread most until there are `most` groups, and adds the
/// average of each.
fn cut(colors: &mut [(u32, u32)], most: usize, out: &mut Vec<u32>) {
    struct Group {
        start: usize,
        end: usize,
        channel: usize,
        /// Spread of the widest channel times the number of pixels.
        weight: u64,
    }
    let group = |colors: &[(u32, u32)], start: usize, end: usize| {
        let mut best = Group { start, end, channel: 0, weight: 0 };
        let pixels: u64 = colors[start..end].iter().map(|&(_, count)| u64::from(count)).sum();
        for index in 0..3 {
            let values = || colors[start..end].iter().map(|&(color, _)| channel(color, index));
            let spread = values().max().unwrap_or(0) - values().min().unwrap_or(0);
            let weight = u64::from(spread) * u64::from(spread) * pixels;
            if weight > best.weight {
                best = Group { channel: index, weight, ..best };
            }
        }
        best
    };
    let mut groups = vec![group(colors, 0, colors.len())];
    while groups.len() < most {
        let Some(widest) = (0..groups.len()).max_by_key(|&i| groups[i].weight) else { break };
        let Group { start, end, channel: index, weight } = groups[widest];
        if weight == 0 {
            break;
        }
        colors[start..end].sort_unstable_by_key(|&(color, _)| (channel(color, index), color));
        let total: u64 = colors[start..end].iter().map(|&(_, count)| u64::from(count)).sum();
        let mut passed = 0;
        let mut middle = start;
        while middle < end - 1 && (middle == start || 2 * passed < total) {
            passed += u64::from(colors[middle].1);
            middle += 1;
        }
        groups[widest] = group(colors, start, middle);
        groups.push(group(colors, middle, end));
    }
    for Group { start, end, .. } in groups {
        let mut sums = [0_u64; 3];
        let mut total = 0;
        for &(color, count) in &colors[start..end] {
            for (index, sum) in sums.iter_mut().enumerate() {
                *sum += u64::from(channel(color, index)) * u64::from(count);
            }
            total += u64::from(count);
        }
        let total = total.max(1);
        let average = |index: usize| ((sums[index] + total / 2) / total) as u32;
        out.push(average(2) << 16 | average(1) << 8 | average(0));
    }
}

/// Finds the nearest colour of a palette, and remembers what it found.
struct Finder<'p> {
    palette: &'p [u32],
    last: (u32, u8),
    /// What was found for colours with the same slot; a power of two of them.
    found: Vec<(u32, u8)>,
}

impl<'p> Finder<'p> {
    const SLOTS: usize = 1 << 14;
    const NONE: u32 = u32::MAX;

    fn new(palette: &'p Palette) -> Finder<'p> {
        Finder { palette: &palette.0, last: (Finder::NONE, 0), found: vec![(Finder::NONE, 0); Finder::SLOTS] }
    }

    fn nearest(&mut self, color: u32) -> u8 {
        if self.last.0 == color {
            return self.last.1;
        }
        let slot = (color.wrapping_mul(0x9E37_79B1) >> 18) as usize;
        if self.found[slot].0 != color {
            let distance = |&other: &u32| -> u32 {
                (0..3).map(|index| channel(color, index).abs_diff(channel(other, index)).pow(2)).sum()
            };
            let nearest = (0..self.palette.len()).min_by_key(|&i| distance(&self.palette[i])).unwrap_or(0);
            self.found[slot] = (color, nearest as u8);
        }
        self.last = self.found[slot];
        self.last.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_exact() {
        let palette = Palette::of(&[5, 5, 9, 5, 0xFF00FF, 9]);
        assert_eq!(palette.0, [5, 9, 0xFF00FF]);
        let mut finder = Finder::new(&palette);
        assert_eq!([5, 9, 0xFF00FE, 0xFF00FF].map(|color| finder.nearest(color)), [0, 1, 2, 2]);
    }

    #[test]
    fn many_colours_come_near() {
        // Every step of a ramp of greys and one of reds, and a flood of one colour.
        let mut pixels: Vec<u32> = (0..=255).flat_map(|i| [i << 16, i * 0x010101]).collect();
        pixels.extend([0x123456; 10_000]);
        let palette = Palette::of(&pixels);
        assert!(palette.0.len() <= Palette::MOST);
        assert!(palette.0.contains(&0x123456), "the most frequent colour is exact");
        let mut finder = Finder::new(&palette);
        for &color in &pixels {
            let found = palette.0[usize::from(finder.nearest(color))];
            for index in 0..3 {
                assert!(channel(color, index).abs_diff(channel(found, index)) <= 6, "{color:06x} became {found:06x}");
            }
        }
    }
}
