//! Shapes beyond circles and convex polygons.

pub(crate) mod chain_hills;
pub(crate) mod concave_letters;
pub(crate) mod ellipses;
pub(crate) mod teapot;
