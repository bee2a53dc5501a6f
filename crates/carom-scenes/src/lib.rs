//! Every built-in carom scene.
