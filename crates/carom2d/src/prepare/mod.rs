//! What `stage/prepare.rs` works with: contacts become lanes of the solver's blocks.

pub(crate) mod fill;
pub(crate) mod layout;
pub(crate) mod masses;
