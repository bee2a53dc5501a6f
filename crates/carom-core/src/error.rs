//! What can be wrong with a definition, a setter's value or a handle.

use std::fmt;

/// Why a definition or a change was refused. Nothing was changed when one is returned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DefError {
    /// A number or a shape is outside what is allowed.
    Field {
        /// Where: the struct and field, or the setter, such as `ShapeDef.friction`.
        field: &'static str,
        /// What was given.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// The handle names nothing: it was removed, or it belongs to another world.
    Stale {
        /// The handle, such as `BodyId(3 v1)`.
        id: String,
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

impl DefError {
    /// A value that a field does not take.
    pub fn field(field: &'static str, value: impl fmt::Debug, expected: &'static str) -> DefError {
        DefError::Field { field, value: format!("{value:?}"), expected }
    }

    /// A handle that names nothing.
    pub fn stale(id: impl fmt::Debug) -> DefError {
        DefError::Stale { id: format!("{id:?}") }
    }
}

impl fmt::Display for DefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DefError::Field { field, value, expected } => write!(f, "{field} is {value}; expected {expected}"),
            DefError::Stale { id } => {
                write!(f, "{id} names nothing in this world; it was removed or belongs to another world")
            }
            DefError::Index { field, index, count: 0 } => write!(f, "{field} is {index}, but there are none yet"),
            DefError::Index { field, index, count } => {
                write!(f, "{field} is {index}; expected an index from 0 to {}", count - 1)
            }
            DefError::Full { what, limit } => write!(f, "too many {what}: at most {limit} fit"),
        }
    }
}

impl std::error::Error for DefError {}
