//! What keeps a fluid in its place: walls and bodies, as a fluid sees them.

use crate::model::HalfPlane;
use glam::DVec2;

/// An obstacle near a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearby {
    /// Which one.
    pub obstacle: usize,
    /// Points out of the obstacle, of length 1.
    pub normal: DVec2,
    /// From the surface of the obstacle to the particle's centre along the normal, in m; negative inside.
    pub distance: f64,
}

/// Walls and bodies among which a fluid flows. What the fluid does to one is told by [`push`](Obstacles::push), and it
/// must answer with the new [`velocity_at`](Obstacles::velocity_at) at once: that is how both are solved together.
pub trait Obstacles {
    /// Adds the obstacles whose surface is nearer to a particle than `reach`, in an order that is always the same.
    fn find(&self, particle: usize, position: DVec2, reach: f64, found: &mut Vec<Nearby>);

    /// Velocity of an obstacle at a point, in m/s.
    fn velocity_at(&self, obstacle: usize, point: DVec2) -> DVec2;

    /// By how much an impulse of 1 N s along `normal` at a point changes the velocity there along it, in 1/kg.
    fn give(&self, obstacle: usize, point: DVec2, normal: DVec2) -> f64;

    /// The fluid pushes an obstacle at a point, in N s.
    fn push(&mut self, obstacle: usize, point: DVec2, impulse: DVec2);
}

/// Walls that never move.
impl Obstacles for &[HalfPlane] {
    fn find(&self, _particle: usize, position: DVec2, reach: f64, found: &mut Vec<Nearby>) {
        for (obstacle, wall) in self.iter().enumerate() {
            let normal = wall.normal.normalize_or_zero();
            let distance = (position - wall.point).dot(normal);
            if normal != DVec2::ZERO && distance < reach {
                found.push(Nearby { obstacle, normal, distance });
            }
        }
    }

    fn velocity_at(&self, _obstacle: usize, _point: DVec2) -> DVec2 {
        DVec2::ZERO
    }

    fn give(&self, _obstacle: usize, _point: DVec2, _normal: DVec2) -> f64 {
        0.0
    }

    fn push(&mut self, _obstacle: usize, _point: DVec2, _impulse: DVec2) {}
}
