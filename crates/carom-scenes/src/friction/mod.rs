//! Slopes, belts and sliding.

pub(crate) mod belts;
pub(crate) mod conveyor;
pub(crate) mod incline;
