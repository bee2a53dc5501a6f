//! Errors of scene files, whatever their format, and the reader of those in XML.

pub mod xml;

use std::fmt;

/// Why a scene file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file, as it was named to the reader.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What it is about: an element and its attribute, such as `<radius> attribute "v"`, or the path of a value, such as
    /// `bodies[3].shapes[0].radius`; empty for the whole file.
    pub place: String,
    /// What was expected, and what was found instead.
    pub message: String,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of files, elements and attributes may be made to upset a terminal.
        let mut plain = |text: &str| {
            text.chars()
                .try_for_each(|c| if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") })
        };
        plain(&self.file)?;
        plain(&format!(":{}:{}: ", self.line, self.column))?;
        if !self.place.is_empty() {
            plain(&self.place)?;
            plain(": ")?;
        }
        plain(&self.message)
    }
}

impl std::error::Error for SceneError {}

/// A problem at a byte of a text, before line and column are known.
#[derive(Clone, Debug)]
pub struct Problem {
    offset: usize,
    element: Option<String>,
    attribute: Option<String>,
    message: String,
    /// In another file, where it has been located already.
    elsewhere: Option<Box<SceneError>>,
}

impl Problem {
    /// A problem at this byte.
    pub fn at(offset: usize, message: impl Into<String>) -> Problem {
        Problem { offset, element: None, attribute: None, message: plain(&message.into()), elsewhere: None }
    }

    /// A problem of a file that the scene names.
    pub fn elsewhere(error: SceneError) -> Problem {
        Problem { elsewhere: Some(Box::new(error)), ..Problem::at(0, "") }
    }

    /// Says which element it is in. The innermost one says most, so the first call counts.
    #[must_use]
    pub fn in_element(mut self, element: &str) -> Problem {
        self.element.get_or_insert_with(|| plain(element));
        self
    }

    /// Says which attribute it is about.
    #[must_use]
    pub fn in_attribute(self, attribute: &str) -> Problem {
        Problem { attribute: Some(plain(attribute)), ..self }
    }

    /// Counts lines up to the problem.
    pub fn locate(self, file: &str, text: &[u8]) -> SceneError {
        if let Some(error) = self.elsewhere {
            return *error;
        }
        let (line, column) = line_and_column(text, self.offset);
        let place = match (self.element, self.attribute) {
            (Some(element), Some(attribute)) => format!("<{element}> attribute \"{attribute}\""),
            (Some(element), None) => format!("<{element}>"),
            (None, _) => String::new(),
        };
        SceneError { file: file.to_owned(), line, column, place, message: self.message }
    }
}

/// Line and column, in characters of UTF-8, of a byte: both from 1.
pub fn line_and_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let starts_character = |byte: &&u8| **byte & 0xC0 != 0x80;
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    (line, before[line_start..].iter().filter(starts_character).count() + 1)
}

/// Text from a file, fit to be shown in a message: quoted, on one line and not too long.
pub fn shown(text: impl AsRef<[u8]>) -> String {
    /// Characters.
    const MOST_SHOWN: usize = 40;
    /// Of a character in UTF-8.
    const MOST_BYTES: usize = 4;
    let bytes = text.as_ref();
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES * (MOST_SHOWN + 1))]);
    let short = plain(&start.chars().take(MOST_SHOWN).collect::<String>());
    let dots = if start.chars().nth(MOST_SHOWN).is_some() { "..." } else { "" };
    format!("\"{short}{dots}\"")
}

/// Text without control characters, which a terminal would obey.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "ab\n\u{e4}\u{6f22}c".as_bytes();
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, 3), (2, 1));
        assert_eq!(line_and_column(text, text.len() - 1), (2, 3));
        assert_eq!(line_and_column(text, 1_000), (2, 4));
    }

    #[test]
    fn what_is_shown_is_short_and_on_one_line() {
        assert_eq!(shown("a\nb"), "\"a?b\"");
        assert_eq!(shown(b"\xff"), "\"\u{fffd}\"");
        assert_eq!(shown("\u{6f22}".repeat(40)), format!("\"{}\"", "\u{6f22}".repeat(40)));
        assert_eq!(shown("\u{6f22}".repeat(41)), format!("\"{}...\"", "\u{6f22}".repeat(40)));
    }

    #[test]
    fn errors_name_file_place_and_cure() {
        let problem = Problem::at(5, "expected a number").in_attribute("v").in_element("radius").in_element("scene");
        let error = problem.locate("a\u{1b}.scene", b"<x>\n <radius v='one'/>");
        assert_eq!(error.to_string(), "a\\u{1b}.scene:2:2: <radius> attribute \"v\": expected a number");
        assert_eq!(Problem::elsewhere(error.clone()).locate("b", b""), error);
    }
}
