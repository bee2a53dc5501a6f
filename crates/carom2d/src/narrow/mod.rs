//! Contacts of like pairs of shapes, several at a time: what `stage/contacts.rs` does for each of them.

pub(crate) mod batches;
mod side_by_side;
