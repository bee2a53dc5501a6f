//! Bounces and exchanges of momentum.

pub(crate) mod bouncing_balls;
pub(crate) mod elastic_gas;
