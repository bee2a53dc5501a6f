//! What is wrong with a scene file, and where.

use std::fmt;

/// Why a scene file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file, as it was named to the loader.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// The element it happened in, if any.
    pub element: Option<String>,
    /// The attribute it happened in, if any.
    pub attribute: Option<String>,
    /// What was found, and what was expected instead.
    pub message: String,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        match (&self.element, &self.attribute) {
            (Some(element), Some(attribute)) => write!(f, "<{element}> attribute \"{attribute}\": ")?,
            (Some(element), None) => write!(f, "<{element}>: ")?,
            (None, _) => {}
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SceneError {}

/// A problem at a byte of the text, before line and column are known.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    offset: usize,
    element: Option<String>,
    attribute: Option<String>,
    message: String,
    /// In another file, where it has been located already.
    elsewhere: Option<Box<SceneError>>,
}

impl Problem {
    pub(super) fn at(offset: usize, message: impl Into<String>) -> Problem {
        Problem { offset, element: None, attribute: None, message: message.into(), elsewhere: None }
    }

    /// A problem of a file that the scene names.
    pub(super) fn elsewhere(error: SceneError) -> Problem {
        Problem { elsewhere: Some(Box::new(error)), ..Problem::at(0, "") }
    }

    pub(super) fn in_element(mut self, element: &str) -> Problem {
        // The innermost element says most.
        self.element.get_or_insert_with(|| element.to_owned());
        self
    }

    pub(super) fn in_attribute(self, attribute: &str) -> Problem {
        Problem { attribute: Some(attribute.to_owned()), ..self }
    }

    pub(super) fn locate(self, file: &str, text: &[u8]) -> SceneError {
        if let Some(error) = self.elsewhere {
            return *error;
        }
        let (line, column) = line_and_column(text, self.offset);
        let Problem { element, attribute, message, .. } = self;
        SceneError { file: file.to_owned(), line, column, element, attribute, message }
    }
}

/// Line and column of a byte, both from 1.
pub(super) fn line_and_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    (before.iter().filter(|&&byte| byte == b'\n').count() + 1, before.len() - line_start + 1)
}

/// Text from a file, fit to be shown in a message: quoted, on one line and not too long.
pub(super) fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 40;
    let short: String = text.chars().take(MAX_SHOWN).map(|c| if c.is_control() { '?' } else { c }).collect();
    let dots = if text.chars().nth(MAX_SHOWN).is_some() { "..." } else { "" };
    format!("\"{short}{dots}\"")
}
