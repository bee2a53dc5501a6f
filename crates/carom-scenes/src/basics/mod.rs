//! First things to look at.

pub(crate) mod falling_bricks;
pub(crate) mod tile_seams;
