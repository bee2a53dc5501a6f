//! What can be wrong with a path or a value.

use super::value::Expected;
use std::fmt;

/// Why a property cannot be read or changed. Nothing was changed when one is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyError {
    /// There is no property of this name.
    Unknown {
        /// Where it was looked for, such as `body.3`; empty for the run itself.
        parent: String,
        /// The name.
        name: String,
        /// The name that was probably meant.
        suggestion: Option<String>,
        /// Every name there is.
        names: Vec<String>,
    },
    /// There is no thing of this number.
    Missing {
        /// What was counted, such as `body` or `body.3.shape`.
        list: String,
        /// The number.
        index: String,
        /// The numbers there are, such as `0 to 7, 9`; empty if there are none.
        present: String,
    },
    /// It has properties, but no value of its own.
    Group {
        /// Its path; empty for the run itself.
        path: String,
        /// The names in it.
        names: Vec<String>,
    },
    /// Things of this kind have no such property.
    Absent {
        /// The property.
        path: String,
        /// What has it.
        only: &'static str,
    },
    /// It can be read, but not set.
    ReadOnly {
        /// The property.
        path: String,
    },
    /// The text does not say a value of the right kind.
    Value {
        /// The property.
        path: String,
        /// The text.
        text: String,
        /// What would have been accepted.
        expected: String,
    },
    /// The engine refused the value.
    Refused {
        /// The property.
        path: String,
        /// What the engine says.
        reason: String,
    },
    /// Only bodies, shapes and joints can be removed.
    Permanent {
        /// What was to be removed.
        path: String,
    },
    /// The run has no rigid bodies.
    NoBodies,
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PropertyError::Unknown { parent, name, suggestion, names } => {
                if parent.is_empty() {
                    write!(f, "there is no {:?}", shown(name))?;
                } else {
                    write!(f, "{parent} has no {:?}", shown(name))?;
                }
                match suggestion {
                    Some(suggestion) => write!(f, "; did you mean {suggestion:?}?"),
                    None => write!(f, "; there is {}", all_of(names)),
                }
            }
            PropertyError::Missing { list, index, present } if present.is_empty() => {
                write!(f, "there is no {list}.{}; there is no {list} at all", shown(index))
            }
            PropertyError::Missing { list, index, present } => {
                write!(f, "there is no {list}.{}; there is {list} {present}", shown(index))
            }
            PropertyError::Group { path, names } if path.is_empty() => {
                write!(f, "expected a property; there is {}", all_of(names))
            }
            PropertyError::Group { path, names } => {
                write!(f, "{path} has no value of its own, but {}", all_of(names))
            }
            PropertyError::Absent { path, only } => write!(f, "there is no {path} here; only {only}"),
            PropertyError::ReadOnly { path } => write!(f, "{path} can be read, but not set"),
            PropertyError::Value { path, text, expected } => {
                write!(f, "{path} cannot be {:?}; expected {expected}", shown(text))
            }
            PropertyError::Refused { path, reason } => write!(f, "{path}: {reason}"),
            PropertyError::Permanent { path } => {
                let path = shown(path);
                write!(
                    f,
                    "{path:?} cannot be removed; expected a body such as body.3 or a shape such as body.3.shape.0"
                )
            }
            PropertyError::NoBodies => f.write_str("this scene has no rigid bodies"),
        }
    }
}

impl std::error::Error for PropertyError {}

/// Names in a row, as many as a message can bear.
fn all_of(names: &[String]) -> String {
    const MOST: usize = 60;
    let more = if names.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(MOST)].join(", "))
}

/// As much of a text as fits into a message.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Why a setter did nothing, before it is known which path led to it.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The text is of the wrong kind.
    Expected(Expected),
    /// The engine says no.
    Engine(String),
    /// Things of this kind do not have the property.
    Absent,
}

impl Refusal {
    pub(super) fn at(self, path: &str, text: &str, only: &'static str) -> PropertyError {
        let path = path.to_owned();
        match self {
            Refusal::Expected(expected) => {
                PropertyError::Value { path, text: text.to_owned(), expected: expected.into_owned() }
            }
            Refusal::Engine(reason) => PropertyError::Refused { path, reason },
            Refusal::Absent => PropertyError::Absent { path, only },
        }
    }
}

impl From<Expected> for Refusal {
    fn from(expected: Expected) -> Refusal {
        Refusal::Expected(expected)
    }
}

impl From<carom2d::DefError> for Refusal {
    fn from(error: carom2d::DefError) -> Refusal {
        Refusal::Engine(error.to_string())
    }
}
