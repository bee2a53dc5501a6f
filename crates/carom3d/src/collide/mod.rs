//! Where a sphere touches another body, and when on its way it will.

pub(crate) mod crossing;
pub(crate) mod impact;
pub(crate) mod touch;
