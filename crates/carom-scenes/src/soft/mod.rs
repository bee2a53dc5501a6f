//! Bodies that give way and find their form again.

pub(crate) mod jelly_bodies;
