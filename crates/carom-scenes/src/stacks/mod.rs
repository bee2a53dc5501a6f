//! Things that stand, or should fall.

pub(crate) mod arch;
pub(crate) mod card_house;
pub(crate) mod domino_shelves;
pub(crate) mod dominoes;
pub(crate) mod heavy_on_light;
pub(crate) mod pyramid;
pub(crate) mod rubber_stack;
pub(crate) mod stack;
