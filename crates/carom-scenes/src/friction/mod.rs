//! Slopes, belts and sliding.

pub(crate) mod conveyor;
pub(crate) mod incline;
