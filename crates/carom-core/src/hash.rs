//! A hash of simulation state, to compare runs.

/// 64-bit FNV-1a over the little-endian bytes of what is written.
///
/// Two runs that agree write the same bits in the same order and get the same hash on every target. Floats go in by
/// their bits, so `0.0` and `-0.0` differ; where they mean the same, add `0.0` before writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash {
    state: u64,
}

const OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01B3;

impl Default for StateHash {
    fn default() -> Self {
        Self::new()
    }
}

impl StateHash {
    /// The hash of nothing.
    pub const fn new() -> Self {
        Self { state: OFFSET_BASIS }
    }

    /// Adds four bytes.
    #[inline]
    pub fn write_u32(&mut self, value: u32) {
        for byte in value.to_le_bytes() {
            self.state = (self.state ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Adds eight bytes, the low word first.
    #[inline]
    pub fn write_u64(&mut self, value: u64) {
        self.write_u32(value as u32);
        self.write_u32((value >> 32) as u32);
    }

    /// Adds the bits of a float.
    #[inline]
    pub fn write_f32(&mut self, value: f32) {
        self.write_u32(value.to_bits());
    }

    /// Adds the bits of a float.
    #[inline]
    pub fn write_f64(&mut self, value: f64) {
        self.write_u64(value.to_bits());
    }

    /// The hash of everything written so far. More can be written after.
    #[inline]
    pub const fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_function() {
        assert_eq!(StateHash::new().finish(), 0xCBF2_9CE4_8422_2325);
        // FNV-1a of the eight bytes "chongo w", worked out byte by byte.
        let mut expected = OFFSET_BASIS;
        for byte in *b"chongo w" {
            expected = (expected ^ u64::from(byte)).wrapping_mul(PRIME);
        }
        let mut hash = StateHash::new();
        hash.write_u64(u64::from_le_bytes(*b"chongo w"));
        assert_eq!(hash.finish(), expected);
    }

    #[test]
    fn sees_order_and_the_sign_of_zero() {
        let hash_of = |words: &[f32]| {
            let mut hash = StateHash::new();
            words.iter().for_each(|&word| hash.write_f32(word));
            hash.finish()
        };
        assert_ne!(hash_of(&[1.0, 2.0]), hash_of(&[2.0, 1.0]));
        assert_ne!(hash_of(&[0.0]), hash_of(&[-0.0]));
        let mut wide = StateHash::new();
        wide.write_f64(0.0);
        assert_ne!(wide.finish(), hash_of(&[0.0]));
    }
}
