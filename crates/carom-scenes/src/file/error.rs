//! What is wrong with a scene file, and where.

use super::json;
use std::fmt;

/// Why a scene file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file, as it was named to the reader.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Which value it is, such as `bodies[3].shapes[0].radius`; empty for the whole file.
    pub path: String,
    /// What was expected, and what was found instead.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}

/// A problem at a byte of the text, before its line, column and path are known.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) at: usize,
    /// The field that it is about, where that is not the value that starts at `at`: one that is missing
    /// from an object, or should not be there.
    pub(super) field: Option<String>,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn at(at: usize, message: impl Into<String>) -> Problem {
        Problem { at, field: None, message: message.into() }
    }

    pub(super) fn in_field(self, field: &str) -> Problem {
        Problem { field: Some(shown(field)), ..self }
    }

    /// Finds out where it is. Takes another look at the text, so that reading need not keep track.
    pub(super) fn locate(self, file: &str, text: &str) -> FileError {
        // Messages are about the start of something, so this is the start of a character.
        let before = text.get(..self.at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let mut path = json::path_at(text, self.at);
        if let Some(field) = &self.field {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(field);
        }
        FileError {
            file: file.to_owned(),
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            path,
            message: self.message,
        }
    }
}

/// Text from a file, fit to be shown in a message: on one line and not too long.
pub(super) fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 40;
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let start: String = chars.by_ref().take(MAX_SHOWN).collect();
    if chars.next().is_some() { start + "..." } else { start }
}

/// Words with commas between them and "or" before the last.
pub(super) fn any_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}
