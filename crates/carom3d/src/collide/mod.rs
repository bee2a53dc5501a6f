//! Where bodies touch, and when on its way a sphere will.

pub(crate) mod core;
mod crossing;
pub(crate) mod impact;
pub(crate) mod meet;
pub(crate) mod nearest;
pub(crate) mod touch;
