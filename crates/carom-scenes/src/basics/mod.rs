//! First things to look at.

pub(crate) mod falling_bricks;
pub(crate) mod one_way_platforms;
pub(crate) mod tile_seams;
