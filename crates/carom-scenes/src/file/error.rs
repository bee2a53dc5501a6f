//! What is wrong with a scene file, and where.

use super::json;
use carom_core::text::{SceneError, line_and_column};

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
    pub(super) fn locate(self, file: &str, text: &str) -> SceneError {
        let (line, column) = line_and_column(text.as_bytes(), self.at);
        let mut place = json::path_at(text, self.at);
        if let Some(field) = &self.field {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(field);
        }
        SceneError { file: file.to_owned(), line, column, place, message: self.message }
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
