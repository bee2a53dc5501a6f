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
}

impl DefError {
    pub(crate) fn field(field: &'static str, value: impl fmt::Debug, expected: &'static str) -> DefError {
        DefError::Field { field, value: format!("{value:?}"), expected }
    }

    pub(crate) fn stale(id: impl fmt::Debug) -> DefError {
        DefError::Stale { id: format!("{id:?}") }
    }
}

impl fmt::Display for DefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DefError::Field { field, value, expected } => {
                write!(f, "{field} is {value}; expected {expected}")
            }
            DefError::Stale { id } => {
                write!(f, "{id} names nothing in this world; it was removed or belongs to another world")
            }
        }
    }
}

impl std::error::Error for DefError {}

/// Checks that a number is finite.
pub(crate) fn finite(field: &'static str, value: f32) -> Result<f32, DefError> {
    if value.is_finite() { Ok(value) } else { Err(DefError::field(field, value, "a finite number")) }
}

/// Checks that a number is finite and at least zero.
pub(crate) fn non_negative(field: &'static str, value: f32) -> Result<f32, DefError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "a finite number of at least 0"))
    }
}

/// Checks that both parts of a vector are finite.
pub(crate) fn finite2(field: &'static str, value: glam::Vec2) -> Result<glam::Vec2, DefError> {
    if value.is_finite() { Ok(value) } else { Err(DefError::field(field, value, "a vector of finite numbers")) }
}
