//! Water, and what floats in it.

pub(crate) mod boats;
pub(crate) mod particle_pool;
