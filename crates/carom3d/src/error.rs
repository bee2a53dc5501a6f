//! What definitions and setters accept.

use crate::math::DVec3;
pub use carom_core::DefError;

/// Coordinates beyond this distance from the origin, in metres, are refused, and a body that gets there is frozen.
pub(crate) const MAX_COORDINATE: f64 = 1.0e9;

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
