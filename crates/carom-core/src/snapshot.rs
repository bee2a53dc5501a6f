//! States as bytes, and back: what the snapshots of all engines have in common.
//!
//! A snapshot is a header, magic, version, length and checksum, and a sequence of words of 64 bits. Of each word the bytes
//! have the exclusive or with the same word of the element before, in lists, and of that only what lies between leading and
//! trailing zeros: small numbers, round numbers and what stays the same from element to element take hardly any room.
//! Two words share a byte that says how long they are.
//!
//! What an engine keeps is described by [`define_record!`](crate::define_record), which gives its crate a trait of its own:
//! vectors and the like belong to other crates, and could not have one of this crate.

use crate::{Id, Pool};
use std::fmt;

/// Why a snapshot was refused. What it was to be restored into is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin as those of a snapshot of this kind.
    Foreign,
    /// They were written by a version of the engine with another format.
    Version {
        /// Of the bytes.
        found: u32,
        /// Of this engine.
        expected: u32,
    },
    /// There are fewer or more bytes than were written.
    Length {
        /// How many there are.
        found: u64,
        /// How many there should be, as far as that is known.
        expected: u64,
    },
    /// Some bytes are not those that were written.
    Damaged,
    /// The bytes are as they were written, but not by the engine: what they say of this cannot be.
    Corrupt(&'static str),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::Foreign => f.write_str("these bytes are no snapshot of this kind"),
            SnapshotError::Version { found, expected } => {
                write!(
                    f,
                    "the snapshot has format {found}, and this engine reads {expected}; save it again with this one"
                )
            }
            SnapshotError::Length { found, expected } => {
                write!(f, "the snapshot has {found} bytes instead of {expected}; it was cut off or added to")
            }
            SnapshotError::Damaged => f.write_str("the snapshot is damaged: its checksum is another one"),
            SnapshotError::Corrupt(what) => write!(f, "no engine wrote the snapshot: {what} cannot be as it says"),
        }
    }
}

impl std::error::Error for SnapshotError {}

/// What a kind of snapshots begins with, and the version of its bytes, which grows whenever they change in any way.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotKind {
    /// The first eight bytes.
    pub magic: [u8; 8],
    /// The version of what follows.
    pub version: u32,
}

impl SnapshotKind {
    /// Bytes of a header: magic, version, length of what follows, and its checksum.
    pub const HEADER: usize = 8 + 4 + 8 + 8;

    /// Empties a buffer and leaves room for the header in it.
    pub fn begin(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(&self.magic);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&[0; 16]);
    }

    /// Writes length and checksum of what follows the header into it.
    pub fn seal(&self, bytes: &mut [u8]) {
        let (head, body) = bytes.split_at_mut(SnapshotKind::HEADER);
        head[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
        head[20..28].copy_from_slice(&checksum(body).to_le_bytes());
    }

    /// What follows the header of a snapshot that is whole and of this kind.
    pub fn open<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], SnapshotError> {
        let found = bytes.len() as u64;
        let cut_off = SnapshotError::Length { found, expected: SnapshotKind::HEADER as u64 };
        if !bytes.starts_with(&self.magic) {
            let is_start = self.magic.starts_with(bytes) && !bytes.is_empty();
            return Err(if is_start { cut_off } else { SnapshotError::Foreign });
        }
        let Some((head, body)) = bytes.split_at_checked(SnapshotKind::HEADER) else { return Err(cut_off) };
        let number = |at: usize, length: usize| {
            head[at..at + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let version = number(8, 4) as u32;
        if version != self.version {
            return Err(SnapshotError::Version { found: version, expected: self.version });
        }
        if number(12, 8) != body.len() as u64 {
            let expected = number(12, 8).saturating_add(SnapshotKind::HEADER as u64);
            return Err(SnapshotError::Length { found, expected });
        }
        if number(20, 8) != checksum(body) {
            return Err(SnapshotError::Damaged);
        }
        Ok(body)
    }
}

/// A checksum over bytes: four sums of words of eight bytes, one after the other in turns.
pub fn checksum(bytes: &[u8]) -> u64 {
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

/// The words of the element before and of the one at hand, in one of the lists that are open.
#[derive(Clone, Debug, Default)]
struct Row {
    before: Vec<u64>,
    now: Vec<u64>,
}

/// The lists that are open, the innermost last.
#[derive(Clone, Debug)]
struct Rows {
    rows: Vec<Row>,
    depth: usize,
}

impl Rows {
    fn new() -> Rows {
        Rows { rows: vec![Row::default()], depth: 0 }
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.depth == self.rows.len() {
            self.rows.push(Row::default());
        }
        let row = &mut self.rows[self.depth];
        row.before.clear();
        row.now.clear();
    }

    fn next(&mut self) {
        let row = &mut self.rows[self.depth];
        std::mem::swap(&mut row.before, &mut row.now);
        row.now.clear();
    }

    fn close(&mut self) {
        self.depth -= 1;
    }

    /// What the next word is expected to be.
    #[inline]
    fn expected(&self) -> u64 {
        let row = &self.rows[self.depth];
        row.before.get(row.now.len()).copied().unwrap_or(0)
    }

    #[inline]
    fn note(&mut self, word: u64) {
        self.rows[self.depth].now.push(word);
    }
}

/// How many bytes of a word are written, and whether they are its upper ones, by its four bits in the byte before. Codes 0
/// to 8 keep so many of the lower bytes, 9 to 15 one to seven of the upper ones.
fn span(code: u32) -> (usize, bool) {
    if code <= 8 { (code as usize, false) } else { (code as usize - 8, true) }
}

/// Writes words behind what is in a buffer.
#[derive(Debug)]
pub struct SnapshotWriter<'b> {
    bytes: &'b mut Vec<u8>,
    rows: Rows,
    /// Where the byte of the first word of a pair is, while the second is still to come.
    half: Option<usize>,
}

impl<'b> SnapshotWriter<'b> {
    /// Begins after what is in the buffer.
    pub fn new(bytes: &'b mut Vec<u8>) -> SnapshotWriter<'b> {
        SnapshotWriter { bytes, rows: Rows::new(), half: None }
    }

    /// Writes a word.
    pub fn word(&mut self, word: u64) {
        let difference = word ^ self.rows.expected();
        self.rows.note(word);
        let (lower, upper) = (8 - difference.leading_zeros() / 8, 8 - difference.trailing_zeros() / 8);
        let code = if lower <= upper { lower } else { 8 + upper };
        match self.half.take() {
            Some(place) => self.bytes[place] |= (code as u8) << 4,
            None => {
                self.half = Some(self.bytes.len());
                self.bytes.push(code as u8);
            }
        }
        let (length, is_upper) = span(code);
        let shown =
            if is_upper { &difference.to_le_bytes()[8 - length..] } else { &difference.to_le_bytes()[..length] };
        self.bytes.extend_from_slice(shown);
    }

    /// Writes how long a list is, and each of its elements by `write`.
    pub fn list<T>(&mut self, elements: impl ExactSizeIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.word(elements.len() as u64);
        self.rows.open();
        for element in elements {
            write(self, element);
            self.rows.next();
        }
        self.rows.close();
    }
}

/// Reads what a [`SnapshotWriter`] wrote.
#[derive(Debug)]
pub struct SnapshotReader<'b> {
    bytes: &'b [u8],
    rows: Rows,
    half: Option<u32>,
    origin: u32,
}

impl<'b> SnapshotReader<'b> {
    /// A reader of all of some bytes. Handles that are read belong to the owner of that number.
    pub fn new(bytes: &'b [u8], origin: u32) -> SnapshotReader<'b> {
        SnapshotReader { bytes, rows: Rows::new(), half: None, origin }
    }

    /// Fails unless exactly all bytes were read.
    pub fn finish(self) -> Result<(), SnapshotError> {
        ensure(self.bytes.is_empty() && self.half.unwrap_or(0) == 0, "the length")
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], SnapshotError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(SnapshotError::Corrupt("the length"))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads a word.
    pub fn word(&mut self) -> Result<u64, SnapshotError> {
        let code = match self.half.take() {
            Some(code) => code,
            None => {
                let both = u32::from(self.take(1)?[0]);
                self.half = Some(both >> 4);
                both & 15
            }
        };
        let (length, is_upper) = span(code);
        let shown = self.take(length)?;
        let mut bytes = [0; 8];
        if is_upper {
            bytes[8 - length..].copy_from_slice(shown);
        } else {
            bytes[..length].copy_from_slice(shown);
        }
        let word = u64::from_le_bytes(bytes) ^ self.rows.expected();
        self.rows.note(word);
        Ok(word)
    }

    /// Reads a list. Memory grows with what is read, not with what the bytes say of their number.
    pub fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, SnapshotError>,
    ) -> Result<Vec<T>, SnapshotError> {
        let count = self.word()?;
        // An element has at least one word, and a word takes at least half a byte.
        ensure(count <= 2 * self.bytes.len() as u64 + 1, "the length of a list")?;
        let mut list = Vec::new();
        self.rows.open();
        for _ in 0..count {
            list.push(read(self)?);
            self.rows.next();
        }
        self.rows.close();
        Ok(list)
    }

    /// The owner of the handles that are read.
    pub fn origin(&self) -> u32 {
        self.origin
    }
}

/// Fails unless something is as it must be.
pub fn ensure(holds: bool, what: &'static str) -> Result<(), SnapshotError> {
    if holds { Ok(()) } else { Err(SnapshotError::Corrupt(what)) }
}

/// Writes a pool: generations, free slots in the order in which they will be used again, and what is in the others.
pub fn write_pool<T, I: Id>(
    pool: &Pool<T, I>,
    writer: &mut SnapshotWriter<'_>,
    mut write: impl FnMut(&mut SnapshotWriter<'_>, &T),
) {
    let (generations, free) = pool.layout();
    writer.list(generations.iter(), |writer, &generation| writer.word(generation.into()));
    writer.list(free.iter(), |writer, &slot| writer.word(slot.into()));
    let slots: Vec<u32> = pool.ids().map(I::index).collect();
    writer.list(slots.into_iter(), |writer, slot| {
        writer.word(slot.into());
        write(writer, &pool[slot]);
    });
}

/// Reads a pool, whose handles belong to the owner `origin`.
pub fn read_pool<T, I: Id>(
    reader: &mut SnapshotReader<'_>,
    origin: u32,
    mut read: impl FnMut(&mut SnapshotReader<'_>) -> Result<T, SnapshotError>,
) -> Result<Pool<T, I>, SnapshotError> {
    let small = |word: u64| u32::try_from(word).map_err(|_| SnapshotError::Corrupt("a slot"));
    let generations = reader.list(|reader| small(reader.word()?))?;
    ensure(generations.len() < u32::MAX as usize / 2 && generations.iter().all(|&one| one > 0), "the generations")?;
    let free = reader.list(|reader| small(reader.word()?))?;
    let values = reader.list(|reader| Ok((small(reader.word()?)?, read(reader)?)))?;
    let mut is_taken = vec![false; generations.len()];
    let named = free.iter().copied().chain(values.iter().map(|&(slot, _)| slot));
    for slot in named {
        let taken = is_taken.get_mut(slot as usize).filter(|taken| !**taken);
        *taken.ok_or(SnapshotError::Corrupt("the slots"))? = true;
    }
    ensure(values.is_sorted_by(|(a, _), (b, _)| a < b), "the order of slots")?;
    // A slot that is neither is out of generations.
    let is_retired = |slot: usize| !is_taken[slot] && generations[slot] == u32::MAX;
    ensure((0..generations.len()).all(|slot| is_taken[slot] || is_retired(slot)), "the slots")?;
    let mut values = values.into_iter().peekable();
    let mut pool = Pool::of(origin);
    pool.rebuild(origin, (&generations, &free), |index, slot| {
        *slot = values.next_if(|&(next, _)| next == index).map(|(_, value)| value);
    });
    Ok(pool)
}

/// Gives a crate the trait `Record` of what it can write into a snapshot and read from it, with implementations for numbers,
/// options, lists, arrays and pairs, and the macro `record!` for its structs.
#[macro_export]
macro_rules! define_record {
    () => {
        /// What can be written into a snapshot and read from it, to the bit.
        pub(crate) trait Record: Sized {
            /// Writes all of it.
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>);
            /// Reads what was written.
            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<Self, $crate::SnapshotError>;
        }

        impl Record for u64 {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.word(*self);
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<u64, $crate::SnapshotError> {
                reader.word()
            }
        }

        impl Record for f64 {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.word(self.to_bits());
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<f64, $crate::SnapshotError> {
                reader.word().map(f64::from_bits)
            }
        }

        impl Record for u32 {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.word((*self).into());
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<u32, $crate::SnapshotError> {
                u32::try_from(reader.word()?).map_err(|_| $crate::SnapshotError::Corrupt("a number"))
            }
        }

        impl Record for usize {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.word(*self as u64);
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<usize, $crate::SnapshotError> {
                // The same on machines with 32 bits.
                u32::read(reader).map(|number| number as usize)
            }
        }

        impl Record for bool {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.word((*self).into());
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<bool, $crate::SnapshotError> {
                match reader.word()? {
                    0 => Ok(false),
                    1 => Ok(true),
                    _ => Err($crate::SnapshotError::Corrupt("a flag")),
                }
            }
        }

        impl<T: Record> Record for Option<T> {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                self.is_some().write(writer);
                if let Some(value) = self {
                    value.write(writer);
                }
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<Option<T>, $crate::SnapshotError> {
                bool::read(reader)?.then(|| T::read(reader)).transpose()
            }
        }

        impl<T: Record> Record for Box<T> {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                (**self).write(writer);
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<Box<T>, $crate::SnapshotError> {
                T::read(reader).map(Box::new)
            }
        }

        impl<T: Record> Record for Vec<T> {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.list(self.iter(), |writer, element| element.write(writer));
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<Vec<T>, $crate::SnapshotError> {
                reader.list(T::read)
            }
        }

        impl<T: Record + Copy + Default, const N: usize> Record for [T; N] {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                self.iter().for_each(|element| element.write(writer));
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<[T; N], $crate::SnapshotError> {
                let mut array = [T::default(); N];
                for element in &mut array {
                    *element = T::read(reader)?;
                }
                Ok(array)
            }
        }
    };
}

/// `record!(Type { field, field })`: what [`define_record!`](crate::define_record) does for a struct, field by field. One
/// that has other fields does not compile.
#[macro_export]
macro_rules! record {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Record for $name {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                let $name { $($field),* } = self;
                $(Record::write($field, writer);)*
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<$name, $crate::SnapshotError> {
                Ok($name { $($field: Record::read(reader)?),* })
            }
        }
    };
}

/// `record_choice!(Type { First, Second })`: the same for an enum without fields, by the order of the names here.
#[macro_export]
macro_rules! record_choice {
    ($name:ident { $($choice:ident),* $(,)? }) => {
        impl Record for $name {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                let all = [$($name::$choice),*];
                // One that is not on the list does not compile.
                let place = all.iter().position(|other| match (self, other) {
                    $(($name::$choice, $name::$choice) => true,)*
                    ($($name::$choice)|*, _) => false,
                });
                writer.word(place.unwrap_or(0) as u64);
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<$name, $crate::SnapshotError> {
                let place = usize::try_from(reader.word()?).ok();
                let choice = place.and_then(|place| [$($name::$choice),*].into_iter().nth(place));
                choice.ok_or($crate::SnapshotError::Corrupt(stringify!($name)))
            }
        }
    };
}

/// `record_id!(Id, OtherId)`: the same for handles, which belong to the owner that the reader knows.
#[macro_export]
macro_rules! record_id {
    ($($name:ident),* $(,)?) => {
        $(impl Record for $name {
            fn write(&self, writer: &mut $crate::SnapshotWriter<'_>) {
                writer.word(self.to_bits());
            }

            fn read(reader: &mut $crate::SnapshotReader<'_>) -> Result<$name, $crate::SnapshotError> {
                let bits = reader.word()?;
                Ok($crate::Id::new(bits as u32, (bits >> 32) as u32, reader.origin()))
            }
        })*
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    crate::define_record!();

    crate::define_id!(
        /// A number in the pool.
        pub(crate) struct NumberId;
    );
    crate::record_id!(NumberId);

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) enum Color {
        Red,
        Green,
    }
    crate::record_choice!(Color { Red, Green });

    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Thing {
        number: f64,
        others: Vec<u32>,
        pair: [u64; 2],
        maybe: Option<Box<bool>>,
        color: Color,
    }
    crate::record!(Thing { number, others, pair, maybe, color });

    const KIND: SnapshotKind = SnapshotKind { magic: *b"testing\x1b", version: 3 };

    fn things(rng: &mut Rng) -> Vec<Thing> {
        let mut thing = |_| Thing {
            number: f64::from_bits(u64::from(rng.next_u32()) << rng.below(33)),
            others: (0..rng.below(5)).map(|_| rng.next_u32() >> rng.below(32)).collect(),
            pair: [u64::from(rng.next_u32()) << 40, u64::MAX],
            maybe: [None, Some(Box::new(true))][rng.below(2) as usize].clone(),
            color: [Color::Red, Color::Green][rng.below(2) as usize],
        };
        (0..20).map(&mut thing).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            let (things, mut bytes) = (things(&mut rng), Vec::new());
            KIND.begin(&mut bytes);
            let mut writer = SnapshotWriter::new(&mut bytes);
            things.write(&mut writer);
            NumberId::new(7, 3, 0).write(&mut writer);
            KIND.seal(&mut bytes);
            let mut reader = SnapshotReader::new(KIND.open(&bytes).unwrap(), 9);
            let read = Vec::<Thing>::read(&mut reader).unwrap();
            assert!(read.iter().zip(&things).all(|(a, b)| a.number.to_bits() == b.number.to_bits()));
            let blank = |thing: &Thing| Thing { number: 0.0, ..thing.clone() };
            assert!(read.iter().map(blank).eq(things.iter().map(blank)));
            let id = NumberId::read(&mut reader).unwrap();
            assert_eq!((id, id.origin()), (NumberId::new(7, 3, 0), 9));
            reader.finish().unwrap();
        }
    }

    /// Every damaged bit and every other length is noticed by the header; what has the right checksum and is cut off or wrong
    /// is refused by the reader, without a panic and without more memory than it has bytes for.
    #[test]
    fn damage_is_refused() {
        let mut rng = Rng::new(6);
        let mut bytes = Vec::new();
        KIND.begin(&mut bytes);
        things(&mut rng).write(&mut SnapshotWriter::new(&mut bytes));
        KIND.seal(&mut bytes);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(KIND.open(&bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..bytes.len() {
            assert!(KIND.open(&bytes[..length]).is_err(), "{length} bytes");
            let body = &bytes[SnapshotKind::HEADER.min(length)..length];
            let mut reader = SnapshotReader::new(body, 0);
            assert!(Vec::<Thing>::read(&mut reader).and_then(|_| reader.finish()).is_err(), "{length} bytes");
        }
        assert_eq!(KIND.open(b"something else").unwrap_err(), SnapshotError::Foreign);
        for _ in 0..20_000 {
            let mut wrong = bytes[SnapshotKind::HEADER..].to_vec();
            for _ in 0..1 + rng.below(3) {
                let place = rng.below(wrong.len() as u32) as usize;
                wrong[place] = rng.next_u32() as u8;
            }
            let mut reader = SnapshotReader::new(&wrong, 0);
            Vec::<Thing>::read(&mut reader).and_then(|_| reader.finish()).ok();
        }
        let huge: Vec<u8> = [8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f].to_vec();
        assert!(Vec::<Thing>::read(&mut SnapshotReader::new(&huge, 0)).is_err());
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

    #[test]
    fn pools_come_back_with_their_slots() {
        let mut pool: Pool<u64, NumberId> = Pool::of(4);
        let ids: Vec<NumberId> = (0..8).map(|number| pool.insert(number)).collect();
        for place in [5, 2, 3] {
            pool.remove(ids[place]);
        }
        let mut bytes = Vec::new();
        write_pool(&pool, &mut SnapshotWriter::new(&mut bytes), |writer, &number| writer.word(number));
        let mut reader = SnapshotReader::new(&bytes, 4);
        let mut again: Pool<u64, NumberId> = read_pool(&mut reader, 4, |reader| reader.word()).unwrap();
        reader.finish().unwrap();
        assert!(pool.iter().eq(again.iter()) && !again.contains(ids[2]));
        for number in 10..15 {
            assert_eq!(pool.insert(number), again.insert(number));
        }
        let mut rng = Rng::new(3);
        for _ in 0..20_000 {
            let mut wrong = bytes.clone();
            let place = rng.below(wrong.len() as u32) as usize;
            wrong[place] ^= 1 << rng.below(8);
            let mut reader = SnapshotReader::new(&wrong, 4);
            let read: Result<Pool<u64, NumberId>, _> = read_pool(&mut reader, 4, |reader| reader.word());
            if let Ok(mut pool) = read {
                for number in 0..20 {
                    pool.insert(number);
                }
            }
        }
    }
}
