//! The carom command line.
fn main() {}
