//! A deterministic 2D rigid-body engine.
#![forbid(unsafe_code)]

mod error;
pub mod math;
