//! The values of properties, and how they are written and read.

use super::token::{Token, flatten, tokens};
use carom_scenes::Color;
use carom2d::math::Vec2;
use std::borrow::Cow;
use std::fmt;

/// The value of a property.
///
/// What [`Display`](fmt::Display) writes, [`Value::parse_like`] reads back as the same value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, such as `2.5`, `1e-12` or `-inf`. Single precision is shown with as few digits as name it.
    Number(f64),
    /// A whole number.
    Whole(i128),
    /// A set of bits, written as `0x1f`.
    Bits(u64),
    /// Two numbers, such as `(1, 2.5)`.
    Vector(f64, f64),
    /// `true` or `false`.
    Flag(bool),
    /// One of a few words.
    Word(Word),
    /// Any text.
    Text(String),
    /// A colour, such as `#d94841`.
    Color(Color),
    /// Several values, such as `(0, 0) (1, 0) (0, 1)`.
    List(Vec<Value>),
}

/// One of a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    name: &'static str,
    choices: &'static [&'static str],
}

impl Word {
    /// Word number `index` of some, or the first of them.
    pub(super) fn nth(choices: &'static [&'static str], index: usize) -> Word {
        Word { name: choices.get(index).or(choices.first()).copied().unwrap_or_default(), choices }
    }

    /// The word itself.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Every word it could be.
    pub fn choices(self) -> &'static [&'static str] {
        self.choices
    }
}

/// What would have been accepted, such as "two numbers such as 1, 2.5".
pub(super) type Expected = Cow<'static, str>;

pub(super) const NUMBER: &str = "a number such as 2.5, -1e-3 or inf";
pub(super) const VECTOR: &str = "two numbers such as 1, 2.5";
pub(super) const TRIPLE: &str = "three numbers such as 1, 2.5, 0";
pub(super) const QUATERNION: &str = "four numbers w, x, y, z such as 1, 0, 0, 0";
pub(super) const POINTS: &str = "points such as (0, 0) (1, 0) (0, 1)";
pub(super) const FLAG: &str = "true or false, yes or no, on or off";
pub(super) const COLOR: &str = "a colour such as #d94841, or red, orange, yellow, green, blue, violet";
pub(super) const BITS: &str = "bits as a whole number from 0 to 2^64 - 1, such as 5, 0x1f or 0b101";
const NO_NAN: &str = "a number; NaN is none";
const SINGLE: &str = "a number from -3.4e38 to 3.4e38, or inf";
const DOUBLE: &str = "a number from -1.8e308 to 1.8e308, or inf";

impl Value {
    /// Reads a text as a value of the same kind as this one. The error says what was expected.
    pub fn parse_like(&self, text: &str) -> Result<Value, String> {
        let value = match self {
            Value::Number(_) => double(text).map(Value::Number),
            Value::Whole(_) => whole(text, i128::MIN, i128::MAX).map(Value::Whole),
            Value::Bits(_) => bits(text).map(Value::Bits),
            Value::Vector(..) => double_vector(text).map(|[x, y]| Value::Vector(x, y)),
            Value::Flag(_) => flag(text).map(Value::Flag),
            Value::Word(like) => word(text, like.choices).map(|index| Value::Word(Word::nth(like.choices, index))),
            Value::Text(_) => Ok(Value::Text(text.to_owned())),
            Value::Color(_) => color(text).map(Value::Color),
            Value::List(_) => list(text).map(Value::List),
        };
        value.map_err(Cow::into_owned)
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Value::Number(number) => Some(number),
            Value::Whole(number) => Some(number as f64),
            _ => None,
        }
    }

    /// Both numbers, if it is a vector.
    pub fn as_vector(&self) -> Option<[f64; 2]> {
        match *self {
            Value::Vector(x, y) => Some([x, y]),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => f.write_str(&written(*number)),
            Value::Whole(number) => write!(f, "{number}"),
            Value::Bits(bits) => write!(f, "{bits:#x}"),
            Value::Vector(x, y) => write!(f, "({}, {})", written(*x), written(*y)),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Word(word) => f.write_str(word.name),
            Value::Text(text) => f.write_str(text),
            Value::Color(color) => write!(f, "#{:02x}{:02x}{:02x}", color.r, color.g, color.b),
            Value::List(values) => {
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if index == 0 { "" } else { " " })?;
                }
                Ok(())
            }
        }
    }
}

/// The shortest text that reads as this number, without a long row of zeros.
fn written(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || !size.is_finite() || (1.0e-5..1.0e16).contains(&size) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// The shortest text that reads as this number in single precision.
pub(super) fn written_single(number: f32) -> String {
    written(shortest(number))
}

/// The double whose shortest text is that of a single: 0.1 for the single nearest to 0.1.
fn shortest(number: f32) -> f64 {
    if number.is_finite() { format!("{number:e}").parse().unwrap_or(f64::from(number)) } else { f64::from(number) }
}

impl From<f32> for Value {
    fn from(number: f32) -> Value {
        Value::Number(shortest(number))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl From<Vec2> for Value {
    fn from(vector: Vec2) -> Value {
        Value::Vector(shortest(vector.x), shortest(vector.y))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Flag(flag)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Whole(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Whole(number.into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value::Whole(number as i128)
    }
}

impl From<Color> for Value {
    fn from(color: Color) -> Value {
        Value::Color(color)
    }
}

/// Reads a number in double precision.
pub(super) fn double(text: &str) -> Result<f64, Expected> {
    let text = text.trim();
    let number: f64 = text.parse().map_err(|_| NUMBER)?;
    checked(number.is_nan(), number.is_infinite(), text, DOUBLE)?;
    Ok(number)
}

/// Reads a number in single precision: rounded once, from the text.
pub(super) fn single(text: &str) -> Result<f32, Expected> {
    let text = text.trim();
    let number: f32 = text.parse().map_err(|_| NUMBER)?;
    checked(number.is_nan(), number.is_infinite(), text, SINGLE)?;
    Ok(number)
}

/// NaN is no number, and digits do not mean infinity.
fn checked(is_nan: bool, is_infinite: bool, text: &str, range: &'static str) -> Result<(), Expected> {
    if is_nan {
        return Err(NO_NAN.into());
    }
    if is_infinite && text.contains(|c: char| c.is_ascii_digit()) {
        return Err(range.into());
    }
    Ok(())
}

/// Reads two numbers in double precision.
pub(super) fn double_vector(text: &str) -> Result<[f64; 2], Expected> {
    let [x, y] = two_items(text)?;
    Ok([double(x)?, double(y)?])
}

/// Reads two numbers in single precision.
pub(super) fn single_vector(text: &str) -> Result<Vec2, Expected> {
    let [x, y] = two_items(text)?;
    Ok(Vec2::new(single(x)?, single(y)?))
}

fn two_items(text: &str) -> Result<[&str; 2], Expected> {
    let tokens = tokens(text).unwrap_or_default();
    match flatten(&tokens)[..] {
        [x, y] if tokens.iter().all(|token| token.is_numeric()) => Ok([x, y]),
        _ => Err(VECTOR.into()),
    }
}

/// Reads so many numbers in double precision.
pub(super) fn doubles<const N: usize>(text: &str, expected: &'static str) -> Result<[f64; N], Expected> {
    let tokens = tokens(text).unwrap_or_default();
    let items = flatten(&tokens);
    if items.len() != N || !tokens.iter().all(|token| token.is_numeric()) {
        return Err(expected.into());
    }
    let mut out = [0.0; N];
    for (out, item) in out.iter_mut().zip(items) {
        *out = double(item)?;
    }
    Ok(out)
}

/// Reads points in single precision.
pub(super) fn points(text: &str) -> Result<Vec<Vec2>, Expected> {
    let tokens = tokens(text).unwrap_or_default();
    points_of(&flatten(&tokens))
}

/// Makes points of numbers, two by two.
pub(super) fn points_of(items: &[&str]) -> Result<Vec<Vec2>, Expected> {
    if items.is_empty() || !items.len().is_multiple_of(2) {
        return Err(POINTS.into());
    }
    items.chunks_exact(2).map(|pair| Ok(Vec2::new(single(pair[0])?, single(pair[1])?))).collect()
}

/// Reads a whole number between two limits; also in base 16 or 2.
pub(super) fn whole(text: &str, min: i128, max: i128) -> Result<i128, Expected> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (base, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, digits),
    };
    // A second sign would be read, too.
    let unsigned = if digits.starts_with(['+', '-']) { None } else { i128::from_str_radix(digits, base).ok() };
    let number = unsigned.map(|number| if negative { -number } else { number });
    match number {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        _ if (min, max) == (i128::MIN, i128::MAX) => Err("a whole number".into()),
        _ => Err(format!("a whole number from {min} to {max}").into()),
    }
}

/// Reads bits.
pub(super) fn bits(text: &str) -> Result<u64, Expected> {
    let number = whole(text, 0, u64::MAX.into()).map_err(|_| BITS)?;
    u64::try_from(number).map_err(|_| BITS.into())
}

/// Reads a yes or a no.
pub(super) fn flag(text: &str) -> Result<bool, Expected> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err(FLAG.into()),
    }
}

/// Which of some words a text is. Capitals do not matter, nor does `-` or a space instead of `_`.
pub(super) fn word(text: &str, choices: &[&str]) -> Result<usize, Expected> {
    let plain = |text: &str| text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let wanted = plain(text);
    let place = choices.iter().position(|choice| plain(choice) == wanted);
    place.ok_or_else(|| format!("one of {}", choices.join(", ")).into())
}

/// Reads a colour: `#rrggbb`, `#rgb`, or one of a few names.
pub(super) fn color(text: &str) -> Result<Color, Expected> {
    const NAMES: [(&str, Color); 9] = [
        ("red", Color::RED),
        ("orange", Color::ORANGE),
        ("yellow", Color::YELLOW),
        ("green", Color::GREEN),
        ("blue", Color::BLUE),
        ("violet", Color::VIOLET),
        ("stone", Color::STONE),
        ("brass", Color::BRASS),
        ("sand", Color::SAND),
    ];
    let text = text.trim().to_ascii_lowercase();
    if let Some(&(_, color)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(color);
    }
    let digits = text.strip_prefix('#').unwrap_or(&text);
    let digits: Option<Vec<u8>> = digits.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    match digits.as_deref() {
        Some(&[r, g, b]) => Ok(Color { r: 17 * r, g: 17 * g, b: 17 * b }),
        Some(&[r1, r0, g1, g0, b1, b0]) => Ok(Color { r: 16 * r1 + r0, g: 16 * g1 + g0, b: 16 * b1 + b0 }),
        _ => Err(COLOR.into()),
    }
}

fn list(text: &str) -> Result<Vec<Value>, Expected> {
    let tokens = tokens(text).ok_or(POINTS)?;
    tokens
        .into_iter()
        .map(|token| match token {
            Token::Pair(x, y) => Ok(Value::Vector(double(x)?, double(y)?)),
            Token::Item(item) if token.is_numeric() => double(item).map(Value::Number),
            Token::Item(item) => Ok(Value::Text(item.to_owned())),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;

    fn round_trip(value: Value) {
        let text = value.to_string();
        assert_eq!(value.parse_like(&text), Ok(value), "{text}");
    }

    #[test]
    fn every_kind_reads_back_what_it_writes() {
        for number in [0.0, -0.0, 1.0, -2.5, 0.1, 1e-5, 9.9e-6, 1e15, 1e16, 1e300, -5e-324, f64::MAX] {
            round_trip(Value::Number(number));
            round_trip(Value::Vector(number, -number));
        }
        round_trip(Value::Number(f64::INFINITY));
        round_trip(Value::Number(f64::NEG_INFINITY));
        round_trip(Value::Vector(f64::NEG_INFINITY, f64::INFINITY));
        for number in [0, -1, i128::MAX, i128::MIN + 1, u64::MAX.into()] {
            round_trip(Value::Whole(number));
        }
        round_trip(Value::Bits(0));
        round_trip(Value::Bits(u64::MAX));
        round_trip(Value::Flag(true));
        round_trip(Value::Flag(false));
        round_trip(Value::Word(Word::nth(&["one", "two-three"], 1)));
        round_trip(Value::Text("any text, (really)".to_owned()));
        round_trip(Value::Color(Color { r: 1, g: 0xab, b: 0 }));
        round_trip(Value::List(vec![Value::Vector(0.0, 1.0), Value::Vector(-1e-9, 2.0), Value::Number(3.0)]));
        round_trip(Value::List(Vec::new()));
    }

    #[test]
    fn singles_are_short_and_exact() {
        assert_eq!(Value::from(0.1_f32).to_string(), "0.1");
        assert_eq!(Value::from(1.0_f32 / 3.0).to_string(), "0.33333334");
        assert_eq!(Value::from(f32::INFINITY).to_string(), "inf");
        assert_eq!(Value::from(1.0e20_f32).to_string(), "1e20");
        assert_eq!(Value::from(Vec2::new(-0.2, 16_777_216.0)).to_string(), "(-0.2, 16777216)");
        let mut rng = Rng::new(11);
        for _ in 0..100_000 {
            let number = f32::from_bits(rng.next_u32());
            if !number.is_nan() {
                let text = Value::from(number).to_string();
                assert_eq!(single(&text).map(f32::to_bits), Ok(number.to_bits()), "{text}");
                assert_eq!(text, written_single(number));
            }
        }
    }

    #[test]
    fn numbers_in_many_spellings() {
        for text in ["inf", "Inf", "infinity", "+inf", " INFINITY "] {
            assert_eq!(single(text), Ok(f32::INFINITY), "{text}");
            assert_eq!(double(text), Ok(f64::INFINITY), "{text}");
        }
        assert_eq!(single("-infinity"), Ok(f32::NEG_INFINITY));
        assert_eq!(double("-.5e-3"), Ok(-0.5e-3));
        for text in ["nan", "NaN", "-nan", "", "x", "1.2.3", "1,2", "0x10", "--1", "1 2"] {
            assert!(single(text).is_err() && double(text).is_err(), "{text}");
        }
        assert_eq!(single("nan"), Err(NO_NAN.into()));
        // Too large is not infinite.
        assert_eq!(single("1e39"), Err(SINGLE.into()));
        assert_eq!(double("-1e309"), Err(DOUBLE.into()));
        assert_eq!(double("1e39"), Ok(1e39));
    }

    #[test]
    fn vectors_in_many_spellings() {
        for text in ["(1, -2.5)", "1,-2.5", "1 -2.5", " ( 1 -2.5 ) ", "1 , -2.5", "(1,-2.5)"] {
            assert_eq!(single_vector(text), Ok(Vec2::new(1.0, -2.5)), "{text}");
        }
        assert_eq!(single_vector("inf -inf"), Ok(Vec2::new(f32::INFINITY, f32::NEG_INFINITY)));
        for text in ["", "1", "1 2 3", "(1, 2", "1;2", "a b", "1,,2", "(1,2) 3"] {
            assert_eq!(single_vector(text), Err(VECTOR.into()), "{text}");
        }
        assert_eq!(single_vector("1 nan"), Err(NO_NAN.into()));
    }

    #[test]
    fn flags_words_wholes_and_colours() {
        for (text, expected) in [("true", true), ("Yes", true), ("ON", true), ("false", false), ("no", false)] {
            assert_eq!(flag(text), Ok(expected));
        }
        assert!(flag("maybe").is_err() && flag("").is_err());
        assert_eq!(word(" Geometric-Mean", &["min", "geometric_mean"]), Ok(1));
        assert_eq!(word("mx", &["min", "max"]), Err("one of min, max".into()));
        assert_eq!(whole("-3", -5, 5), Ok(-3));
        assert_eq!(whole("0x1F", 0, 100), Ok(31));
        assert_eq!(whole("6", -5, 5), Err("a whole number from -5 to 5".into()));
        for text in ["", "-", "--1", "0x", "0x-1", "1.5", "1e3", "99999999999999999999999999999999999999999", "é"] {
            assert!(whole(text, i128::MIN, i128::MAX).is_err(), "{text}");
        }
        assert_eq!(bits("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(bits("0b101"), Ok(5));
        assert_eq!(bits("-1"), Err(BITS.into()));
        assert_eq!(color("#0f8"), Ok(Color { r: 0, g: 255, b: 136 }));
        assert_eq!(color("D94841"), Ok(Color::RED));
        assert_eq!(color("Violet"), Ok(Color::VIOLET));
        for text in ["#12345", "#1234567", "redd", "", "#", "#ggg", "#€€"] {
            assert!(color(text).is_err(), "{text}");
        }
    }
}
