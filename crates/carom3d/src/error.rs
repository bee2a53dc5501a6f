//! What can be wrong with a definition, a setter's value or a handle.

use crate::math::DVec3;
use std::fmt;

/// Coordinates beyond this distance from the origin, in metres, are refused, and a body that gets there is frozen.
pub(crate) const MAX_COORDINATE: f64 = 1.0e9;

/// Why a definition or a change was refused. Nothing was changed when one is returned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DefError {
    /// A number or a shape is outside what is allowed.
    Field {
        /// Where: the struct and field, or the setter, such as `BodyDef.mass`.
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
            DefError::Field { field, value, expected } => write!(f, "{field} is {value}; expected {expected}"),
            DefError::Stale { id } => {
                write!(f, "{id} names nothing in this world; it was removed or belongs to another world")
            }
        }
    }
}

impl std::error::Error for DefError {}

/// Checks that a number is finite.
pub(crate) fn finite(field: &'static str, value: f64) -> Result<f64, DefError> {
    if value.is_finite() { Ok(value) } else { Err(DefError::field(field, value, "a finite number")) }
}

/// Checks that a number is finite and at least zero.
pub(crate) fn non_negative(field: &'static str, value: f64) -> Result<f64, DefError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "a finite number of at least 0"))
    }
}

/// Checks that a number lies in [0, 1].
pub(crate) fn fraction(field: &'static str, value: f64) -> Result<f64, DefError> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(DefError::field(field, value, "a number from 0 to 1")) }
}

/// Checks a length or a mass: positive, and neither so small nor so large that its square leaves the range of numbers.
pub(crate) fn positive(field: &'static str, value: f64) -> Result<f64, DefError> {
    if (1.0e-12..=1.0e12).contains(&value) {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "a number between 1e-12 and 1e12"))
    }
}

/// Checks that all parts of a vector are finite.
pub(crate) fn finite3(field: &'static str, value: DVec3) -> Result<DVec3, DefError> {
    if value.is_finite() { Ok(value) } else { Err(DefError::field(field, value, "a vector of finite numbers")) }
}

/// Checks that a point is within reach.
pub(crate) fn point(field: &'static str, value: DVec3) -> Result<DVec3, DefError> {
    if value.is_finite() && value.abs().max_element() <= MAX_COORDINATE {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "coordinates between -1e9 and 1e9 m"))
    }
}

/// Checks a velocity or angular velocity.
pub(crate) fn velocity(field: &'static str, value: DVec3) -> Result<DVec3, DefError> {
    if value.is_finite() && value.abs().max_element() <= MAX_COORDINATE {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "numbers between -1e9 and 1e9 per second"))
    }
}
