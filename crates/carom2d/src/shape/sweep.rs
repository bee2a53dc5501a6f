//! Sweeps: the first time two shapes meet while both move and turn.
//!
//! Conservative advancement: from a moment at which the shapes are apart, go on by a time within which
//! they certainly do not meet, look at the distance again, and repeat. The time comes from the axis
//! `n` along which the shapes are apart now. A corner of b at `r` from the centre about which it turns
//! with `w` has, a time `s` later, come along `n` to at least
//!
//! ```text
//! p + s p' - s^2 w^2 |r| / 2        p' = n . (v + w x r)
//! ```
//!
//! because `w^2 |r|` is the largest acceleration on its circle. Until the first corner could have used
//! up the gap, `n` still separates the shapes. Without turning that is Newton's method from the safe
//! side. The usual bound, `|v . n| + |w| r`, takes turning at its worst all the time; where the end of
//! a spinning rod passes close by a wall it creeps, and this one does not: it knows that the end is
//! already on its way back.
//!
//! B. Mirtich, "Impulse-based dynamic simulation of rigid body systems", thesis, Berkeley (1996).
//! X. Zhang, M. Lee, Y. Kim, "Interactive continuous collision detection for non-convex polyhedra",
//! The Visual Computer 22 (2006).

use super::distance::{Proxy, core_distance};
use super::polygon::MAX_POLYGON_VERTICES;
use crate::math::{Pose, Rot, Vec2, left_perp, max, min, right_perp, unit_and_length};

/// How a body moves in a given time: its centre along a line, turning evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Where the centre starts, in metres.
    pub center: Vec2,
    /// Its way, in metres.
    pub translation: Vec2,
    /// The rotation at the start.
    pub rotation: Rot,
    /// The angle by which the body turns, in radians; may exceed a full turn.
    pub turn: f32,
    /// The centre in the body's own coordinates.
    pub local_center: Vec2,
}

impl Sweep {
    /// From a pose along a line, without turning. To turn about another point than the body's origin, give a
    /// `local_center` and its place as `center`.
    pub fn along(pose: Pose, translation: Vec2) -> Sweep {
        Sweep { center: pose.p, translation, rotation: pose.q, turn: 0.0, local_center: Vec2::ZERO }
    }

    /// The rotation after a fraction of the time.
    pub fn rotation_at(&self, fraction: f32) -> Rot {
        if self.turn == 0.0 { self.rotation } else { Rot::from_angle(self.turn * fraction).compose(self.rotation) }
    }

    /// The part of the motion between two fractions of the time.
    pub fn between(&self, from: f32, to: f32) -> Sweep {
        Sweep {
            center: self.center + self.translation * from,
            translation: self.translation * (to - from),
            rotation: self.rotation_at(from).normalized(),
            turn: self.turn * (to - from),
            local_center: self.local_center,
        }
    }

    /// The pose of the body's origin after a fraction of the time.
    pub fn pose_at(&self, fraction: f32) -> Pose {
        let q = self.rotation_at(fraction).normalized();
        Pose { p: self.center + self.translation * fraction - q.rotate(self.local_center), q }
    }
}

/// When two shapes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// Not within the time asked for.
    Never,
    /// They are as close as that from the start, or overlap.
    FromStart,
    /// After this fraction of the time, above 0.
    At(f32),
}

/// How close to the wanted gap is close enough, as a fraction of it.
const GAP_TOLERANCE: f32 = 0.25;
/// Head on a sweep needs three or four; a close pass of a spinning end takes a dozen.
const MAX_ITERATIONS: usize = 128;

/// When a and b, which move as the sweeps say, first come within `gap` metres of each other, looking
/// at the time up to `limit`, a fraction of the sweeps. The gap must be above 0.
///
/// At the answer the shapes do not overlap. Where the search takes too long it answers with the last
/// moment known to be free.
pub fn time_of_impact(a: &Proxy, sweep_a: &Sweep, b: &Proxy, sweep_b: &Sweep, gap: f32, limit: f32) -> Meeting {
    let radii = a.radius + b.radius;
    // Relative to the centre of a, because f32 is finest near the origin.
    let start = sweep_b.center - sweep_a.center;
    let velocity = sweep_b.translation - sweep_a.translation;
    let mut fraction = 0.0_f32;
    for _ in 0..MAX_ITERATIONS {
        let (q_a, q_b) = (sweep_a.rotation_at(fraction), sweep_b.rotation_at(fraction));
        let between = start + velocity * fraction;
        let origin = between - q_b.rotate(sweep_b.local_center) + q_a.rotate(sweep_a.local_center);
        let b_in_a = Pose { p: q_a.inv_rotate(origin), q: q_a.inv_mul(q_b) };
        let core = core_distance(a, b, b_in_a);
        let room = core.distance - radii - gap;
        if room <= GAP_TOLERANCE * gap {
            return if fraction > 0.0 { Meeting::At(fraction) } else { Meeting::FromStart };
        }

        // How long this axis is sure to keep them apart.
        let normal = q_a.rotate(core.normal);
        let (rate_a, bend_a) = fastest_corner(a, sweep_a, q_a, normal);
        let closing = normal.dot(velocity) - rate_a;
        let mut nearest = f32::MAX;
        for &point in &b.points[..b.count] {
            nearest = min(nearest, normal.dot(q_b.rotate(point - sweep_b.local_center)));
        }
        let mut safe = f32::MAX;
        for &point in &b.points[..b.count] {
            let arm = q_b.rotate(point - sweep_b.local_center);
            let left = room + (normal.dot(arm) - nearest);
            let rate = closing + sweep_b.turn * normal.dot(left_perp(arm));
            let bend = bend_a + sweep_b.turn * sweep_b.turn * arm.length();
            safe = min(safe, time_until_used_up(left, rate, bend));
        }
        // Far out the step can drop below the resolution of the fraction.
        if fraction + safe <= fraction {
            return if fraction > 0.0 { Meeting::At(fraction) } else { Meeting::FromStart };
        }
        fraction += safe;
        if fraction > limit {
            return Meeting::Never;
        }
    }
    if fraction > 0.0 { Meeting::At(fraction) } else { Meeting::FromStart }
}

/// The fastest that a corner moves along `normal` now, and the most that its turning can add to that.
fn fastest_corner(proxy: &Proxy, sweep: &Sweep, rotation: Rot, normal: Vec2) -> (f32, f32) {
    if sweep.turn == 0.0 {
        return (0.0, 0.0);
    }
    let (mut rate, mut farthest) = (f32::MIN, 0.0);
    for &point in &proxy.points[..proxy.count] {
        let arm = rotation.rotate(point - sweep.local_center);
        rate = max(rate, sweep.turn * normal.dot(left_perp(arm)));
        farthest = max(farthest, arm.length());
    }
    (rate, sweep.turn * sweep.turn * farthest)
}

/// The time at which `left + rate s - bend s^2 / 2` is used up; `left` is above 0.
fn time_until_used_up(left: f32, rate: f32, bend: f32) -> f32 {
    if bend > 0.0 {
        let root = (rate * rate + 2.0 * bend * left).sqrt();
        // Of two forms of the same root, the one without a difference of equals.
        if rate > 0.0 { (rate + root) / bend } else { 2.0 * left / (root - rate) }
    } else if rate < 0.0 {
        -left / rate
    } else {
        f32::MAX
    }
}

/// Corners of a polygon that is being cut: no cut of a convex one leaves more than one corner more. Not a list that
/// grows: every fast body has its shapes eroded in every step.
#[derive(Default)]
struct Corners {
    points: [Vec2; 2 * MAX_POLYGON_VERTICES],
    count: usize,
}

impl Corners {
    /// Adds a corner. Those that rounding would make too many are dropped: as many are no polygon anyway.
    fn push(&mut self, point: Vec2) {
        if let Some(place) = self.points.get_mut(self.count) {
            *place = point;
            self.count += 1;
        }
    }

    fn all(&self) -> &[Vec2] {
        &self.points[..self.count]
    }
}

impl Proxy {
    /// The part of a geometry that is at least `depth` metres below its surface, with `depth` less than its
    /// inner extent. A core without an inside, a point or a segment, stays. The corners of a polygon must
    /// run counter-clockwise, as those of all geometries do.
    pub(crate) fn eroded(&self, depth: f32) -> Proxy {
        if depth <= self.radius {
            return Proxy { radius: self.radius - depth, ..*self };
        }
        let mut eroded = Proxy { radius: 0.0, ..*self };
        if self.count < 3 {
            return eroded;
        }
        // Each edge moves inwards and cuts off what is outside it.
        let inset = depth - self.radius;
        let mut rest = Corners::default();
        self.points[..self.count].iter().for_each(|&point| rest.push(point));
        let mut cut = Corners::default();
        for i in 0..self.count {
            let (from, to) = (self.points[i], self.points[(i + 1) % self.count]);
            let (outwards, _) = unit_and_length(right_perp(to - from));
            let outside = |point: Vec2| (point - from).dot(outwards) + inset;
            cut.count = 0;
            for (k, &p) in rest.all().iter().enumerate() {
                let q = rest.points[(k + 1) % rest.count];
                let (out_p, out_q) = (outside(p), outside(q));
                if out_p <= 0.0 {
                    cut.push(p);
                }
                if (out_p < 0.0 && out_q > 0.0) || (out_p > 0.0 && out_q < 0.0) {
                    cut.push(p + (q - p) * (out_p / (out_p - out_q)));
                }
            }
            std::mem::swap(&mut rest, &mut cut);
        }
        if rest.count == 0 || rest.count > MAX_POLYGON_VERTICES {
            // Rounding left nothing: the middle of the corners is as far inside as anything.
            let sum = self.points[..self.count].iter().fold(Vec2::ZERO, |sum, &point| sum + point);
            rest.count = 0;
            rest.push(sum / self.count as f32);
        }
        eroded.count = rest.count;
        eroded.points[..rest.count].copy_from_slice(rest.all());
        eroded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;
    use crate::shape::{Geometry, Polygon};

    /// Every corner of the eroded core is as far below the surface as was asked for, but for rounding.
    #[test]
    fn eroded_cores_lie_deep() {
        let corners = [vec2(0.0, 0.0), vec2(4.0, 0.1), vec2(0.3, 0.5), vec2(0.05, 0.3)];
        for geometry in [
            Geometry::rectangle(1.0, 0.02).unwrap(),
            Polygon::regular(16, 0.3).unwrap().into(),
            Geometry::convex(&corners).unwrap(),
            Geometry::rounded(&corners, 0.02).unwrap(),
        ] {
            let whole = geometry.proxy().unwrap();
            for share in [0.1, 0.5, 0.9] {
                let depth = share * geometry.inner_extent();
                let core = whole.eroded(depth);
                for &point in &core.points[..core.count] {
                    for i in 0..whole.count {
                        let (from, to) = (whole.points[i], whole.points[(i + 1) % whole.count]);
                        let (outwards, _) = unit_and_length(right_perp(to - from));
                        let below = (from - point).dot(outwards) + whole.radius - core.radius;
                        assert!(below > depth - 1.0e-5, "{geometry:?} at {depth}: {point} is {below} deep");
                    }
                }
            }
        }
    }

    /// What has no inside stays as it is; what is round gets a smaller radius.
    #[test]
    fn eroded_circles_and_segments() {
        let circle = Geometry::circle(0.5).unwrap().proxy().unwrap();
        assert_eq!(circle.eroded(0.2).radius, 0.3);
        let segment = Geometry::segment(vec2(0.0, 0.0), vec2(1.0, 0.0)).unwrap().proxy().unwrap();
        assert_eq!(segment.eroded(0.1).points, segment.points);
    }
}
