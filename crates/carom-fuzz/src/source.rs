//! Numbers and choices out of bytes. When the bytes are used up, everything is zero.

use carom_core::Rng;

/// Numbers that make trouble: where ranges end, where squares vanish or overflow, and what is no number.
const AWKWARD: [f64; 28] = [
    0.0,
    -0.0,
    1.0e-45,
    1.0e-38,
    1.0e-20,
    1.0e-7,
    1.0e-5,
    0.005,
    -1.0,
    100.0,
    1.0e4,
    1.0e5,
    1.0e6,
    -1.0e6,
    1.0e7,
    1.0e9,
    -1.0e9,
    1.0e12,
    1.0e15,
    1.0e20,
    -1.0e20,
    3.4e38,
    1.0e100,
    1.0e300,
    f64::MAX,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// Bytes that are read from their beginning.
pub(crate) struct Source<'b> {
    bytes: &'b [u8],
    /// Of 256 numbers, how many are awkward.
    awkward: u8,
}

impl<'b> Source<'b> {
    /// The first byte decides how many of the numbers are awkward: in half of the inputs none, or else up to one in four.
    pub(crate) fn new(bytes: &'b [u8]) -> Source<'b> {
        let mut source = Source { bytes, awkward: 0 };
        let first = source.byte();
        source.awkward = if first < 128 { 0 } else { (first - 128) / 2 };
        source
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 != 0
    }

    /// Some of the things, or none where there are none.
    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        let place = self.below(things.len());
        things.get(place).copied()
    }

    /// A number between two, or an awkward one.
    pub(crate) fn number(&mut self, low: f64, high: f64) -> f64 {
        if self.byte() < self.awkward {
            return AWKWARD[self.below(AWKWARD.len())];
        }
        let part = u16::from_le_bytes([self.byte(), self.byte()]);
        low + (high - low) * f64::from(part) / f64::from(u16::MAX)
    }

    /// The same, as 2D has it.
    pub(crate) fn single(&mut self, low: f32, high: f32) -> f32 {
        self.number(f64::from(low), f64::from(high)) as f32
    }
}

/// Calls to begin with: random ones, with and without awkward numbers.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(1);
    (0..16_u8)
        .map(|seed| {
            let mut bytes: Vec<u8> = (0..200 + 100 * rng.below(10)).map(|_| rng.next_u32() as u8).collect();
            bytes[0] = if seed < 8 { 0 } else { 128 + 16 * (seed - 8) };
            bytes
        })
        .collect()
}
