//! Water and air, and what moves in them.

pub(crate) mod boats;
pub(crate) mod particle_pool;
pub(crate) mod terminal_speed;
