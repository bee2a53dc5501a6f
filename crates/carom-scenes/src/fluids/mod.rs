//! Water and air, and what moves in them.

pub(crate) mod boats;
pub(crate) mod dam_break;
pub(crate) mod floating_bodies;
pub(crate) mod particle_pool;
pub(crate) mod terminal_speed;
pub(crate) mod water;
