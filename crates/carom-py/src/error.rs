//! The engine's errors as Python's: `ValueError` for values, `StaleHandle` (a `KeyError`) for handles of what is gone.

use carom2d::DefError;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    carom,
    StaleHandle,
    PyKeyError,
    "The object names nothing in this world: it was removed, or it belongs to another world."
);

/// The exception for an error of the engine.
pub(crate) fn refused(error: DefError) -> PyErr {
    match &error {
        DefError::Stale { .. } => StaleHandle::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// A `ValueError` with the words of any other error.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The exception for a thing that was removed.
pub(crate) fn stale(id: impl std::fmt::Debug) -> PyErr {
    StaleHandle::new_err(format!("{id:?} names nothing in this world; it was removed or belongs to another world"))
}

/// The exception for a world that is in use already.
pub(crate) fn busy() -> PyErr {
    PyRuntimeError::new_err(
        "the world is being stepped: another thread, or a hook of this step, may not touch it before the step ends",
    )
}
