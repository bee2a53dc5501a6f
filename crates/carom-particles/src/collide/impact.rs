//! When things on straight paths first touch during a step, as a fraction of it.
//!
//! particles   |d(t)|² = R², d = x_j - x_i: degree 2
//! edge        between its ends (w x e)² = R² e.e, w = x - a, e = b - a: degree 4; at its ends as for particles
//! half-plane  (x(t) - p).h / |h| = r: degree 1
//!
//! What overlaps at the start and approaches touches at once, at time 0. Radii with a sum below zero never touch.

use super::proximity::hold_to_unit;
use super::roots::{bisect, roots_in_unit_interval, value};
use glam::DVec2;

/// Two things touch and approach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, as a fraction of the step in [0, 1].
    pub time: f64,
    /// Shortest vector from the particle to the other object at that time, in m.
    pub n: DVec2,
    /// For an edge, where on it: 0 at its first end, 1 at its second. Otherwise 0.
    pub alpha: f64,
}

/// Two particles on their ways from the first to the second of two points, with the sum of their radii.
pub fn particle_impact(path_i: [DVec2; 2], path_j: [DVec2; 2], radii: f64) -> Option<Impact> {
    let start = path_j[0] - path_i[0];
    let motion = path_j[1] - path_j[0] - (path_i[1] - path_i[0]);
    let approach = start.dot(motion);
    if radii < 0.0 || approach >= 0.0 || approach.is_nan() {
        return None;
    }
    let gap = start.dot(start) - radii * radii;
    let time = if gap <= 0.0 {
        0.0
    } else {
        // a t² + 2 b t + gap = 0 with b < 0: this form of the smaller root loses no digits.
        let a = motion.dot(motion);
        let discriminant = approach * approach - a * gap;
        if discriminant < 0.0 {
            return None;
        }
        gap / (-approach + discriminant.sqrt())
    };
    (time <= 1.0).then(|| Impact { time, n: start + time * motion, alpha: 0.0 })
}

/// A particle and an edge with paths `a` and `b` of its ends, with the sum of their radii.
pub fn particle_edge_impact(x: [DVec2; 2], a: [DVec2; 2], b: [DVec2; 2], radii: f64) -> Option<Impact> {
    if radii < 0.0 {
        return None;
    }
    let at_a = particle_impact(x, a, radii);
    let at_b = particle_impact(x, b, radii).map(|impact| Impact { alpha: 1.0, ..impact });
    let mut first = between_ends(x, a, b, radii);
    for impact in [at_a, at_b].into_iter().flatten() {
        // An end counts only where it is the nearest point: further in, the edge itself was touched before.
        let (now, _) = nearest(x, a, b, impact.time);
        let is_nearest = (impact.alpha - now.alpha).abs() <= ALPHA_SLACK;
        if is_nearest && first.is_none_or(|first| impact.time < first.time) {
            first = Some(impact);
        }
    }
    first
}

/// Shortest vector at a time, and how fast the particle approaches the nearest point.
fn nearest(x: [DVec2; 2], a: [DVec2; 2], b: [DVec2; 2], time: f64) -> (Impact, f64) {
    let at = |path: [DVec2; 2]| path[0] + time * (path[1] - path[0]);
    let e = at(b) - at(a);
    let alpha = hold_to_unit((at(x) - at(a)).dot(e) / e.dot(e));
    // Between the ends n is at right angles to the edge. Said so, its direction is right however short it is; taken
    // as a difference of points it would be all rounding errors for things without thickness.
    let n = if alpha > 0.0 && alpha < 1.0 {
        let across = DVec2::new(-e.y, e.x);
        (at(x) - at(a)).perp_dot(e) / e.dot(e) * across
    } else {
        at(a) + alpha * e - at(x)
    };
    let motion = |path: [DVec2; 2]| path[1] - path[0];
    let other = motion(a) + alpha * (motion(b) - motion(a));
    (Impact { time, n, alpha }, (motion(x) - other).dot(n))
}

fn between_ends(x: [DVec2; 2], a: [DVec2; 2], b: [DVec2; 2], radii: f64) -> Option<Impact> {
    let w = [x[0] - a[0], x[1] - x[0] - (a[1] - a[0])];
    let e = [b[0] - a[0], b[1] - b[0] - (a[1] - a[0])];
    let cross = [w[0].perp_dot(e[0]), w[0].perp_dot(e[1]) + w[1].perp_dot(e[0]), w[1].perp_dot(e[1])];
    let squared = [
        cross[0] * cross[0],
        2.0 * cross[0] * cross[1],
        2.0 * cross[0] * cross[2] + cross[1] * cross[1],
        2.0 * cross[1] * cross[2],
        cross[2] * cross[2],
    ];
    let reach = [e[0].dot(e[0]), 2.0 * e[0].dot(e[1]), e[1].dot(e[1])].map(|c| radii * radii * c);
    let quartic = [squared[0] - reach[0], squared[1] - reach[1], squared[2] - reach[2], squared[3], squared[4]];
    let crossings = roots_in_unit_interval(&cross);
    if radii == 0.0 {
        // Without thickness all roots of the quartic would be double: the crossing of the line is asked for.
        let mut touches = crossings.as_slice().iter().map(|&time| nearest(x, a, b, time).0);
        return touches.find(|impact| impact.alpha > 0.0 && impact.alpha < 1.0);
    }
    // The roots of the quartic are good to about the root of the rounding error where two of them are close, as for
    // a small radius and a long way. They show where to look; the distance itself, which has no squares to cancel,
    // says when. A crossing of the line shows where it falls below the limit between two close roots.
    let distance = |t: f64| value(&cross, t).abs() - radii * (e[0] + t * e[1]).length();
    let (now, approach) = nearest(x, a, b, 0.0);
    if distance(0.0) <= 0.0 && now.alpha > 0.0 && now.alpha < 1.0 {
        return (approach > 0.0).then_some(now);
    }
    let mut times = [1.0; 16];
    let mut count = 1;
    times[0] = 0.0;
    for &root in crossings.as_slice() {
        times[count] = root;
        count += 1;
    }
    for &root in roots_in_unit_interval(&quartic).as_slice() {
        for time in [root - LOOK_AROUND, root, root + LOOK_AROUND] {
            if (0.0..=1.0).contains(&time) {
                times[count] = time;
                count += 1;
            }
        }
    }
    let times = &mut times[..count + 1];
    times.sort_unstable_by(f64::total_cmp);
    times.windows(2).find_map(|window| {
        let [lo, hi] = [window[0], window[1]];
        if !(distance(lo) > 0.0 && distance(hi) <= 0.0) {
            return None;
        }
        let (impact, approach) = nearest(x, a, b, bisect(lo, hi, distance));
        (impact.alpha > 0.0 && impact.alpha < 1.0 && approach > 0.0).then_some(impact)
    })
}

/// How far from an end of an edge, as a fraction of its length, the end still counts as the nearest point.
const ALPHA_SLACK: f64 = 1e-9;
/// How far from a root of the quartic, as a fraction of the step, the true time may be.
const LOOK_AROUND: f64 = 1e-5;

/// A particle of a radius and a half-plane through `point` with outward `normal`.
pub fn half_plane_impact(x: [DVec2; 2], radius: f64, point: DVec2, normal: DVec2) -> Option<Impact> {
    let outward = normal / normal.length();
    let [start, end] = x.map(|x| (x - point).dot(outward));
    if end >= start || end >= radius || (start + end).is_nan() {
        return None;
    }
    let time = if start <= radius { 0.0 } else { (start - radius) / (start - end) };
    let height = start + time * (end - start);
    Some(Impact { time, n: -height * outward, alpha: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec2;

    #[test]
    fn particles_touch_when_their_surfaces_meet() {
        let still = [DVec2::ZERO; 2];
        let impact = particle_impact([dvec2(-10.0, 0.0), dvec2(10.0, 0.0)], still, 1.0).unwrap();
        assert!((impact.time - 0.45).abs() < 1e-15 && (impact.n - dvec2(1.0, 0.0)).length() < 1e-14);
        // Past each other, apart, and touching while moving apart.
        assert_eq!(particle_impact([dvec2(-10.0, 1.1), dvec2(10.0, 1.1)], still, 1.0), None);
        assert_eq!(particle_impact([dvec2(-10.0, 0.0), dvec2(-2.0, 0.0)], still, 1.0), None);
        assert_eq!(particle_impact([dvec2(-0.5, 0.0), dvec2(-2.0, 0.0)], still, 1.0), None);
        // Overlapping and approaching.
        assert_eq!(particle_impact([dvec2(-0.5, 0.0), dvec2(0.0, 0.0)], still, 1.0).unwrap().time, 0.0);
    }

    #[test]
    fn a_fast_particle_cannot_pass_an_edge() {
        let (a, b) = ([dvec2(-1.0, 0.0); 2], [dvec2(1.0, 0.0); 2]);
        for radii in [0.1, 1e-3, 1e-9, 0.0] {
            let impact = particle_edge_impact([dvec2(0.2, 100.0), dvec2(0.2, -300.0)], a, b, radii).unwrap();
            assert!((impact.time - (100.0 - radii) / 400.0).abs() < 1e-12, "{radii}: {impact:?}");
            assert!((impact.alpha - 0.6).abs() < 1e-12);
        }
        // Round the end, and just beside it.
        let impact = particle_edge_impact([dvec2(1.05, 1.0), dvec2(1.05, -1.0)], a, b, 0.1).unwrap();
        assert!(impact.alpha == 1.0 && (impact.n.length() - 0.1).abs() < 1e-14, "{impact:?}");
        assert_eq!(particle_edge_impact([dvec2(1.11, 1.0), dvec2(1.11, -1.0)], a, b, 0.1), None);
        // The edge sweeps over a particle at rest, turning.
        let impact =
            particle_edge_impact([DVec2::ZERO; 2], [dvec2(-1.0, 1.0), dvec2(-2.0, -3.0)], [dvec2(2.0, 1.0); 2], 0.01);
        assert!(impact.is_some_and(|impact| (impact.n.length() - 0.01).abs() < 1e-12), "{impact:?}");
    }

    #[test]
    fn half_planes_stop_what_comes_from_outside() {
        let (point, normal) = (dvec2(5.0, 1.0), dvec2(0.0, 3.0));
        let impact = half_plane_impact([dvec2(0.0, 3.0), dvec2(0.0, -1.0)], 0.5, point, normal).unwrap();
        assert!((impact.time - 1.5 / 4.0).abs() < 1e-15 && (impact.n - dvec2(0.0, -0.5)).length() < 1e-15);
        assert_eq!(half_plane_impact([dvec2(0.0, 1.2), dvec2(0.0, 2.0)], 0.5, point, normal), None);
        assert_eq!(half_plane_impact([dvec2(0.0, 1.2), dvec2(0.0, -2.0)], 0.5, point, DVec2::ZERO), None);
    }
}
