//! Changes of bytes from a seed.

use carom_core::Rng;

/// Numbers as text, which take the place of others.
const NUMBERS: [&str; 20] = [
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "1e-7",
    "1e-30",
    "1e-320",
    "1e5",
    "1e6",
    "-1e6",
    "1e9",
    "1e12",
    "1e30",
    "3.5e38",
    "1e308",
    "1e400",
    "4294967296",
    "18446744073709551616",
    "NaN",
];

/// Bytes out of others: a few changes, each of one of ten kinds.
pub fn mutate(rng: &mut Rng, seeds: &[Vec<u8>], words: &[&str], most_bytes: usize) -> Vec<u8> {
    let any = |rng: &mut Rng| seeds[rng.below(seeds.len() as u32) as usize].clone();
    let mut bytes = any(rng);
    let changes = if words.is_empty() { 6 } else { 3 };
    for _ in 0..1 + rng.below(changes) {
        if bytes.is_empty() {
            bytes = any(rng);
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
        let place = rng.below(bytes.len() as u32) as usize;
        // Of text, most changes are of numbers and words.
        let kind = if words.is_empty() { rng.below(7) } else { rng.below(20) };
        match kind {
            0 => bytes[place] ^= 1 << rng.below(8),
            1 => bytes[place] = rng.next_u32() as u8,
            2 => bytes[place] = [0, 1, 0x20, 0x7f, 0x80, 0xfe, 0xff][rng.below(7) as usize],
            3 => bytes.insert(place, rng.next_u32() as u8),
            4 => {
                let end = (place + 1 + rng.below(32) as usize).min(bytes.len());
                bytes.drain(place..end);
            }
            5 => {
                let end = (place + 1 + rng.below(200) as usize).min(bytes.len());
                let again = bytes[place..end].to_vec();
                let to = rng.below(bytes.len() as u32) as usize;
                bytes.splice(to..to, again);
            }
            6 => {
                let other = any(rng);
                let from = rng.below(other.len().max(1) as u32) as usize;
                bytes.truncate(place);
                bytes.extend_from_slice(&other[from.min(other.len())..]);
            }
            7..=9 => put_word(rng, &mut bytes, place, words),
            _ => put_number(rng, &mut bytes, place),
        }
    }
    bytes.truncate(most_bytes);
    bytes
}

/// Puts a word of the format in the place of the word at or after `place`.
fn put_word(rng: &mut Rng, bytes: &mut Vec<u8>, place: usize, words: &[&str]) {
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let word = words[rng.below(words.len() as u32) as usize];
    let start = (place..bytes.len()).find(|&at| is_word(bytes[at])).unwrap_or(place);
    let end = (start..bytes.len()).find(|&at| !is_word(bytes[at])).unwrap_or(bytes.len());
    bytes.splice(start..end, word.bytes());
}

/// Puts another number in the place of the one at or after `place`.
fn put_number(rng: &mut Rng, bytes: &mut Vec<u8>, place: usize) {
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
    let Some(start) = (place..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else { return };
    let start = (0..start).rev().find(|&at| !is_number(bytes[at])).map_or(0, |at| at + 1);
    let end = (start..bytes.len()).find(|&at| !is_number(bytes[at])).unwrap_or(bytes.len());
    let number = match rng.below(3) {
        0 => NUMBERS[rng.below(NUMBERS.len() as u32) as usize].to_owned(),
        1 => rng.range(-20.0, 20.0).to_string(),
        _ => rng.below(40).to_string(),
    };
    bytes.splice(start..end, number.bytes());
}
