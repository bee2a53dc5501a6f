//! Scenes of a course in which students write an engine with a quadtree, called p2, and by which theirs are judged: the nine
//! of its final version, then those of its drafts and of the game engine that it is part of.
//!
//! They are laid out on a screen of 1280 by 720 pixels with y down, 100 pixels to the metre. Here
//! that is a region of 12.8 m by 7.2 m with y up and its lower left corner in the origin.

pub(crate) mod aabbs;
pub(crate) mod bounces;
pub(crate) mod collisions;
mod crowd;
pub(crate) mod explosion;
pub(crate) mod forces;
mod head_on;
pub(crate) mod many_circles;
pub(crate) mod many_rectangles;
pub(crate) mod pendulum;
pub(crate) mod planets;
pub(crate) mod quadtree;
pub(crate) mod rays;
pub(crate) mod restitution;
pub(crate) mod vectors;

use crate::scene::Camera;
use carom2d::prelude::*;

/// Length of a step in seconds.
pub(crate) const DT: f32 = 0.02;
/// The screen.
const SCREEN: Aabb = Aabb { min: Vec2::ZERO, max: Vec2::new(12.8, 7.2) };
/// Its middle.
pub(crate) const MIDDLE: Vec2 = Vec2::new(6.4, 3.6);
/// Shows the whole screen.
pub(crate) const CAMERA: Camera = Camera { center: MIDDLE, half_height: 3.6 };
pub(crate) const GRAVITY: Vec2 = Vec2::new(0.0, -9.81);

/// The place of a pixel, in metres.
pub(crate) const fn pixel(x: f32, y: f32) -> Vec2 {
    Vec2::new(x / 100.0, 7.2 - y / 100.0)
}

/// A world with the gravity of these scenes.
fn heavy() -> WorldDef {
    WorldDef { gravity: GRAVITY, ..WorldDef::default() }
}
