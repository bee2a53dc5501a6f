//! What an engine is doing: noted beside times, so that no engine wins by doing less.

use carom_scenes::measure;
use carom2d::{ContactRef, World};
use serde::Serialize;

/// What an engine has in its world, and what it is doing with it, after the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Work {
    /// Bodies of every kind.
    pub bodies: usize,
    /// Shapes. Engines differ in whether a chain is one or many.
    pub shapes: usize,
    /// Joints.
    pub joints: usize,
    /// Pairs of shapes that are near each other, as the engine counts them.
    pub contacts: usize,
    /// Bodies that neither sleep nor are fixed.
    pub awake: usize,
    /// Pairs of shapes with contact points, those that are about to touch included.
    pub touching: usize,
    /// The deepest overlap of two shapes in metres, by the engine's own contact points.
    pub deepest_m: f32,
    /// The mean overlap in metres of all contact points that do overlap.
    pub mean_overlap_m: f32,
    /// The speed of the fastest dynamic body in m/s.
    pub fastest_m_s: f32,
}

impl Work {
    /// What a world of carom is doing.
    pub fn of(world: &World) -> Work {
        let solid = world.contacts().filter(|contact| !contact.is_sensor());
        let mut overlap = MeanOverlap::default();
        solid.flat_map(|contact| contact.points()).for_each(|point| overlap.add(point.separation));
        let has_points = |contact: &ContactRef| !contact.is_sensor() && contact.points().next().is_some();
        Work {
            bodies: world.body_count(),
            shapes: world.shape_count(),
            joints: world.joint_count(),
            contacts: world.contact_count(),
            awake: world.awake_body_count(),
            touching: world.contacts().filter(has_points).count(),
            deepest_m: measure::deepest_penetration(world),
            mean_overlap_m: overlap.get(),
            fastest_m_s: measure::top_speed(world),
        }
    }
}

/// The mean overlap of points that do overlap.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanOverlap {
    sum: f64,
    count: u32,
}

impl MeanOverlap {
    pub(crate) fn add(&mut self, separation: f32) {
        if separation < 0.0 {
            self.sum -= f64::from(separation);
            self.count += 1;
        }
    }

    /// 0 where nothing overlaps.
    pub(crate) fn get(self) -> f32 {
        (self.sum / f64::from(self.count.max(1))) as f32
    }
}
