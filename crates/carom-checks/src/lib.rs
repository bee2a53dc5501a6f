//! Cross-crate checks of carom.
