//! Paths of fast bodies, and what they met on them: what `stage/continuous.rs`, `stage/sensors.rs` and `stage/foresee.rs` share.

pub(crate) mod hits;
pub(crate) mod joined;
pub(crate) mod mover;
pub(crate) mod paths;
