//! Shared, coordinate-free parts.
