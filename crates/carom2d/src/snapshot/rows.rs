//! How numbers become bytes.
//!
//! A snapshot is a sequence of words of 32 bits. Of each it has the difference to a word that both sides know, as a rule the
//! same field of the record before: by exclusive or for floats and flags, by a folded difference for indices. Most of these
//! are 0 or small, so four of them share a byte that says how long they are, and follow it without their upper bytes.

use super::SnapshotError;

/// How many bytes of a word follow, by its two bits in the byte before.
const LENGTHS: [usize; 4] = [0, 1, 2, 4];
const MASKS: [u32; 4] = [0, 0xff, 0xffff, u32::MAX];
/// Words that share a byte, and the most bytes that they take with it.
const GROUP: u32 = 4;
const MOST_BYTES: usize = 17;

/// Folds numbers of both signs into small ones.
#[inline]
fn fold(difference: u32) -> u32 {
    difference << 1 ^ ((difference as i32 >> 31) as u32)
}

#[inline]
fn unfold(word: u32) -> u32 {
    word >> 1 ^ (word & 1).wrapping_neg()
}

/// Writes words into a buffer.
pub(super) struct Writer<'b> {
    bytes: &'b mut Vec<u8>,
    at: usize,
    /// Where the byte of the group at hand is, and how many more words it is for.
    control: usize,
    left: u32,
}

impl<'b> Writer<'b> {
    /// Begins after what is in the buffer.
    pub(super) fn new(bytes: &'b mut Vec<u8>) -> Writer<'b> {
        let at = bytes.len();
        // Whatever memory it has is used, without asking for room again and again.
        bytes.resize(bytes.capacity(), 0);
        Writer { bytes, at, control: 0, left: 0 }
    }

    /// Leaves in the buffer what was written.
    pub(super) fn finish(self) {
        self.bytes.truncate(self.at);
    }

    #[inline]
    pub(super) fn word(&mut self, word: u32) {
        if self.left == 0 {
            if self.at + MOST_BYTES > self.bytes.len() {
                let room = (2 * self.bytes.len()).max(4096);
                self.bytes.resize(room, 0);
            }
            (self.control, self.left) = (self.at, GROUP);
            self.bytes[self.at] = 0;
            self.at += 1;
        }
        self.left -= 1;
        let code = usize::from(word > 0) + usize::from(word > MASKS[1]) + usize::from(word > MASKS[2]);
        self.bytes[self.control] |= (code as u8) << (2 * self.left);
        self.bytes[self.at..self.at + 4].copy_from_slice(&word.to_le_bytes());
        self.at += LENGTHS[code];
    }

    /// An index or a count, near another one.
    #[inline]
    pub(super) fn number(&mut self, number: u32, expected: u32) {
        self.word(fold(number.wrapping_sub(expected)));
    }

    /// How long a list is.
    pub(super) fn count(&mut self, count: usize) {
        self.word(u32::try_from(count).expect("a world holds less than 2^32 of anything"));
    }

    pub(super) fn double(&mut self, double: u64) {
        self.word(double as u32);
        self.word((double >> 32) as u32);
    }

    /// Indices in any order, the nearer to each other the shorter.
    pub(super) fn indices(&mut self, indices: &[u32]) {
        self.count(indices.len());
        let mut next = 0;
        for &index in indices {
            self.number(index, next);
            next = index.wrapping_add(1);
        }
    }

    /// A record, which is the one expected next time.
    #[inline]
    pub(super) fn row<const N: usize>(&mut self, words: &[u32; N], expected: &mut [u32; N]) {
        for (word, expected) in words.iter().zip(&*expected) {
            self.word(word ^ expected);
        }
        *expected = *words;
    }

    /// The same, of a record that is seldom another one than the last.
    #[inline]
    pub(super) fn rare_row<const N: usize>(&mut self, words: &[u32; N], expected: &mut [u32; N]) {
        let differs = words != expected;
        self.word(u32::from(differs));
        if differs {
            self.row(words, expected);
        }
    }
}

/// Reads what a [`Writer`] wrote. Beyond the end there are only zeros.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    control: u8,
    left: u32,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0, control: 0, left: 0 }
    }

    /// Fails unless exactly all bytes were read.
    pub(super) fn finish(self) -> Result<(), SnapshotError> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(SnapshotError::Corrupt("the length")) }
    }

    #[inline]
    pub(super) fn word(&mut self) -> u32 {
        if self.left == 0 {
            (self.control, self.left) = (self.bytes.get(self.at).copied().unwrap_or(0), GROUP);
            self.at += 1;
        }
        self.left -= 1;
        let code = usize::from(self.control >> (2 * self.left) & 3);
        let word = match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<4>()) {
            Some(word) => u32::from_le_bytes(*word) & MASKS[code],
            None => self.last_word(LENGTHS[code]),
        };
        self.at += LENGTHS[code];
        word
    }

    /// A word within four bytes of the end.
    #[cold]
    fn last_word(&self, length: usize) -> u32 {
        let byte = |place: usize| u32::from(self.bytes.get(self.at + place).copied().unwrap_or(0));
        (0..length).fold(0, |word, place| word | byte(place) << (8 * place))
    }

    #[inline]
    pub(super) fn number(&mut self, expected: u32) -> u32 {
        unfold(self.word()).wrapping_add(expected)
    }

    /// How long a list is of which each item takes so many words. No more than what is left can hold, so that memory for all
    /// of them may be asked for.
    pub(super) fn count(&mut self, words: usize) -> Result<usize, SnapshotError> {
        let count = self.word() as usize;
        let most = (self.bytes.len() + 1).saturating_sub(self.at) * GROUP as usize + GROUP as usize;
        if count.saturating_mul(words) <= most {
            Ok(count)
        } else {
            Err(SnapshotError::Corrupt("the length of a list"))
        }
    }

    pub(super) fn double(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    /// Indices, each below a bound. Replaces what is in the list.
    pub(super) fn indices(&mut self, below: usize, indices: &mut Vec<u32>) -> Result<(), SnapshotError> {
        let count = self.count(1)?;
        indices.clear();
        let mut next = 0;
        for _ in 0..count {
            let index = self.number(next);
            if index as usize >= below {
                return Err(SnapshotError::Corrupt("an index"));
            }
            indices.push(index);
            next = index.wrapping_add(1);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn row<const N: usize>(&mut self, expected: &mut [u32; N]) -> [u32; N] {
        for word in expected.iter_mut() {
            *word ^= self.word();
        }
        *expected
    }

    #[inline]
    pub(super) fn rare_row<const N: usize>(&mut self, expected: &mut [u32; N]) -> [u32; N] {
        match self.word() {
            0 => *expected,
            _ => self.row(expected),
        }
    }
}

/// A checksum over bytes: four sums of words of eight bytes, one after the other in turns.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut sums = [1, 2, 3, 4];
    let blocks = bytes.chunks_exact(32);
    let rest = blocks.remainder();
    for block in blocks {
        for (sum, bytes) in sums.iter_mut().zip(block.chunks_exact(8)) {
            *sum = mix(*sum, word(bytes));
        }
    }
    let sum = sums.into_iter().chain(rest.chunks(8).map(word)).fold(bytes.len() as u64, mix);
    let sum = (sum ^ sum >> 32).wrapping_mul(FACTOR);
    sum ^ sum >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;

    #[test]
    fn what_is_written_is_read() {
        let mut rng = Rng::new(3);
        for length in 0..200 {
            let numbers: Vec<u32> = (0..length).map(|_| rng.next_u32() >> rng.below(33).min(31)).collect();
            let mut bytes = vec![7; 3];
            let mut writer = Writer::new(&mut bytes);
            let mut expected = [0; 3];
            writer.indices(&numbers);
            for row in numbers.chunks_exact(3) {
                let row: [u32; 3] = row.try_into().unwrap();
                writer.row(&row, &mut expected);
                writer.rare_row(&row, &mut expected);
                writer.double(u64::from(row[0]) << 32 | u64::from(row[1]));
            }
            writer.finish();
            assert_eq!(bytes[..3], [7; 3]);
            let mut reader = Reader::new(&bytes[3..]);
            let (mut list, mut expected) = (Vec::new(), [0; 3]);
            reader.indices(usize::MAX, &mut list).unwrap();
            assert_eq!(list, numbers);
            for row in numbers.chunks_exact(3) {
                assert_eq!(reader.row(&mut expected), row);
                assert_eq!(reader.rare_row(&mut expected), row);
                assert_eq!(reader.double(), u64::from(row[0]) << 32 | u64::from(row[1]));
            }
            reader.finish().unwrap();
            // What is cut off is noticed at the latest when the end is looked for.
            let mut reader = Reader::new(&bytes[3..bytes.len() - 1]);
            let mut read = reader.indices(usize::MAX, &mut list);
            for _ in numbers.chunks_exact(3) {
                reader.row(&mut expected);
                reader.rare_row(&mut expected);
                reader.double();
            }
            read = read.and(reader.finish());
            assert!(read.is_err());
        }
    }

    #[test]
    fn every_flipped_bit_changes_the_sum() {
        for length in [1, 8, 31, 32, 33, 100] {
            let mut bytes: Vec<u8> = (0..length).map(|i| (i * 37) as u8).collect();
            let sum = checksum(&bytes);
            for bit in 0..8 * length {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(checksum(&bytes), sum, "bit {bit} of {length} bytes");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            assert_ne!(checksum(&bytes[..length - 1]), sum);
        }
    }
}
