//! What definitions accept.

pub use carom_core::DefError;
use glam::DVec2;

/// Checks that a number is finite.
pub(crate) fn finite(field: &'static str, value: f64) -> Result<(), DefError> {
    if value.is_finite() { Ok(()) } else { Err(DefError::field(field, value, "a finite number")) }
}

/// Checks that both parts of a vector are finite.
pub(crate) fn finite2(field: &'static str, value: DVec2) -> Result<(), DefError> {
    if value.is_finite() { Ok(()) } else { Err(DefError::field(field, value, "a vector of finite numbers")) }
}

/// Checks that an index names one of `count` things.
pub(crate) fn index(field: &'static str, index: usize, count: usize) -> Result<(), DefError> {
    if index < count { Ok(()) } else { Err(DefError::Index { field, index, count }) }
}
