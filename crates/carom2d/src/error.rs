//! What definitions and setters accept.

pub use carom_core::DefError;

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
