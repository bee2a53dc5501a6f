//! The carom viewer: one interactive app, in a window and in the browser.
//!
//! | file           | what                                                                |
//! |----------------|---------------------------------------------------------------------|
//! | `app.rs`       | the app: what is open, and one frame of it from top to bottom       |
//! | `session/`     | a run under control: time, history, undo; knows nothing of windows  |
//! | `property/`    | every number of a world by its path, to read and to set             |
//! | `comparison.rs`| what is wrong with a trajectory, step by step                      |
//! | `console.rs`   | what can be typed, and what it means                                |
//! | `stage.rs`     | the picture in the middle: drawing, dragging, creating              |
//! | `eye.rs`       | the camera: pan, zoom, fit, follow                                  |
//! | `tool.rs`      | what the pointer does, and bodies in the making                     |
//! | `panels/`      | what stands around the picture, one file each                       |
//! | `icon.rs`      | signs on buttons                                                    |
//! | `dial.rs`      | the arrow that shows gravity and turns it                           |
//! | `play.rs`      | Falling Bricks as a game of its own                                 |
//! | `paint/`       | a draw list as triangles                                            |
//! | `files.rs`     | loading, saving, pictures and movies                                |
//! | `settings.rs`  | what is remembered                                                  |
//! | `native.rs`    | the window                                                          |
//! | `web.rs`       | the page                                                            |
//!
//! Invariants: a world changes only through its `session`; drawing changes nothing; no input and no
//! file can make the app panic.
#![forbid(unsafe_code)]
// A picture may differ in its last bit between machines. What moves worlds is in `session`, which may not.
#![allow(clippy::disallowed_methods)]

mod app;
mod comparison;
pub mod console;
mod dial;
mod eye;
mod files;
mod fosssim_keys;
mod hands;
mod icon;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod paint;
mod panels;
mod play;
pub mod property;
mod session;
mod settings;
mod stage;
mod tool;
#[cfg(test)]
mod ui_tests;
#[cfg(target_arch = "wasm32")]
mod web;

pub use app::{App, Start};
#[cfg(not(target_arch = "wasm32"))]
pub use native::{Screenshot, ViewError, has_display, open_window};
