//! Cross-crate checks of carom: problems with known answers, measured and held against gates.
//!
//! [`validation::all`] runs every problem and returns what it measured. The tests in `tests/` compare
//! that with the gates; a gate that is missed must stand in [`gaps::KNOWN_GAPS`] with the value it
//! may not exceed. [`sheet`] puts both beside the errors of other engines ([`peers`]), for people to read.
//! [`jitter`] measures what each measure against jitter is worth.
//! [`families`] draws problems from a seed, many at a time, and plays them to carom and to other engines.
#![forbid(unsafe_code)]

pub mod families;
pub mod gaps;
pub mod jitter;
pub mod peers;
pub mod sheet;
pub mod solvers;
pub mod validation;
