//! Solvers to compare with and to learn from: the textbook method, and its cutting of steps at first impacts.

pub(crate) mod first_impact;
pub(crate) mod sequential;
