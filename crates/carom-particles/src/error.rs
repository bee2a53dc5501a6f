//! What can be wrong with a definition.

use glam::DVec2;
use std::fmt;

/// Why a definition was refused. Nothing was changed when one is returned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DefError {
    /// A number is outside what is allowed.
    Field {
        /// Where: the struct and field, such as `ParticleDef.mass`.
        field: &'static str,
        /// What was given.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// An index names nothing.
    Index {
        /// Where: the struct and field, such as `EdgeDef.ends`.
        field: &'static str,
        /// What was given.
        index: usize,
        /// How many there are; indices run from 0 to one less.
        count: usize,
    },
    /// There is no room for more.
    Full {
        /// What there is too much of.
        what: &'static str,
        /// The largest number allowed.
        limit: usize,
    },
}

impl fmt::Display for DefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DefError::Field { field, value, expected } => write!(f, "{field} is {value}; expected {expected}"),
            DefError::Index { field, index, count: 0 } => write!(f, "{field} is {index}, but there are none yet"),
            DefError::Index { field, index, count } => {
                write!(f, "{field} is {index}; expected an index from 0 to {}", count - 1)
            }
            DefError::Full { what, limit } => write!(f, "too many {what}: at most {limit} fit"),
        }
    }
}

impl std::error::Error for DefError {}

/// Checks that a number is finite.
pub(crate) fn finite(field: &'static str, value: f64) -> Result<(), DefError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(DefError::Field { field, value: format!("{value:?}"), expected: "a finite number" })
    }
}

/// Checks that both parts of a vector are finite.
pub(crate) fn finite2(field: &'static str, value: DVec2) -> Result<(), DefError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(DefError::Field { field, value: format!("{value:?}"), expected: "a vector of finite numbers" })
    }
}

/// Checks that an index names one of `count` things.
pub(crate) fn index(field: &'static str, index: usize, count: usize) -> Result<(), DefError> {
    if index < count { Ok(()) } else { Err(DefError::Index { field, index, count }) }
}
