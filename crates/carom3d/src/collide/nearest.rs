//! The nearest points of cores of which one is a point or a segment.

use super::core::{Core, CoreKind};
use super::touch::nearest_of_triangle;
use crate::math::{DVec3, max, min};

/// The nearest points of two segments.
pub(crate) fn of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> [DVec3; 2] {
    // With `s` and `t` fractions of the two, |a + s u - c - t v|^2 is least where its derivatives vanish, or at an end.
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv, uw, vw) = (u.dot(u), v.dot(v), u.dot(v), u.dot(w), v.dot(w));
    let unit = |x: f64| min(max(x, 0.0), 1.0);
    let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
    let determinant = uu * vv - uv * uv;
    // Parallel segments are nearest along a stretch: any point of it will do.
    let mut s = if determinant > 1.0e-12 * uu * vv { unit((uv * vw - vv * uw) / determinant) } else { 0.0 };
    let t = unit(over(uv * s + vw, vv));
    s = unit(over(uv * t - uw, uu));
    [a + u * s, c + v * t]
}

/// The nearest points of a point or segment and another core, first that of the former. None where they meet.
pub(crate) fn of_thin(ends: [DVec3; 2], other: &Core) -> Option<[DVec3; 2]> {
    let mut best = [ends[0], other.center];
    let mut least = f64::INFINITY;
    let mut consider = |pair: [DVec3; 2]| {
        let distance = (pair[1] - pair[0]).length_squared();
        if distance < least {
            (best, least) = (pair, distance);
        }
    };
    match &other.kind {
        CoreKind::Point => consider(of_segments(ends, [other.center; 2])),
        CoreKind::Segment { ends: others } => consider(of_segments(ends, *others)),
        CoreKind::Triangle { corners, normal } => {
            for end in ends {
                consider([end, nearest_of_triangle(end, corners).0]);
            }
            for i in 0..3 {
                consider(of_segments(ends, [corners[i], corners[(i + 1) % 3]]));
            }
            let [from, to] = ends.map(|end| (end - corners[0]).dot(*normal));
            if from * to < 0.0 {
                let through = ends[0] + (ends[1] - ends[0]) * (from / (from - to));
                consider([through, nearest_of_triangle(through, corners).0]);
            }
        }
        CoreKind::Box { axes, half } => {
            let local = |p: DVec3| DVec3::from_array(axes.map(|axis| axis.dot(p - other.center)));
            let world = |p: DVec3| other.center + axes[0] * p.x + axes[1] * p.y + axes[2] * p.z;
            let thin = ends.map(local);
            if passes_box(thin, *half) {
                return None;
            }
            for end in thin {
                let inside = DVec3::from_array(std::array::from_fn(|i| max(-half[i], min(end[i], half[i]))));
                consider([world(end), world(inside)]);
            }
            if thin[0] != thin[1] {
                for i in 0..12 {
                    let pair = of_segments(thin, box_edge(*half, i));
                    consider(pair.map(world));
                }
            }
        }
    }
    // Where the two meet there is no direction between them.
    let scale = max(best[0].abs().max_element(), best[1].abs().max_element());
    (least.sqrt() > 1.0e-12 * scale).then_some(best)
}

/// Whether a segment goes through a box around the origin.
fn passes_box([from, to]: [DVec3; 2], half: DVec3) -> bool {
    let (mut enter, mut leave) = (0.0, 1.0);
    for i in 0..3 {
        let way = to[i] - from[i];
        if way.abs() < f64::MIN_POSITIVE {
            if from[i].abs() > half[i] {
                return false;
            }
            continue;
        }
        let (one, two) = ((-half[i] - from[i]) / way, (half[i] - from[i]) / way);
        enter = max(enter, min(one, two));
        leave = min(leave, max(one, two));
    }
    enter <= leave
}

/// One of the twelve edges of a box around the origin.
fn box_edge(half: DVec3, number: usize) -> [DVec3; 2] {
    let (axis, signs) = (number / 4, number % 4);
    let sign = |bit: usize| if signs & bit == 0 { -1.0 } else { 1.0 };
    let mut corner = [0.0; 3];
    corner[(axis + 1) % 3] = sign(1) * half[(axis + 1) % 3];
    corner[(axis + 2) % 3] = sign(2) * half[(axis + 2) % 3];
    [-half[axis], half[axis]].map(|end| {
        corner[axis] = end;
        DVec3::from_array(corner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, dvec3};
    use crate::shape::Shape;
    use carom_core::Rng;

    #[test]
    fn nearest_points_beat_a_fine_sampling() {
        let mut rng = Rng::new(17);
        let mut apart = 0;
        for round in 0..300 {
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 4.0;
            let ends = [random(), random()];
            let orientation = Quat::from_rotation_vector(random());
            let half = (random() * 0.2).abs() + DVec3::splat(0.1);
            let shape = match round % 3 {
                0 => Shape::Cuboid { half_extents: half },
                1 => Shape::Capsule { half_length: 0.5, radius: 0.1 },
                _ => Shape::Triangle { corners: [random(), random(), random()] },
            };
            let other = Core::of(&shape, random(), orientation).unwrap();
            let Some([p, q]) = of_thin(ends, &other) else { continue };
            apart += 1;
            let distance = (p - q).length();
            let corners: Vec<DVec3> = other.corners().iter().collect();
            for _ in 0..200 {
                let s = rng.f64();
                let mut weights: Vec<f64> = corners.iter().map(|_| rng.f64() * rng.f64()).collect();
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().for_each(|weight| *weight /= sum);
                let inside =
                    corners.iter().zip(&weights).fold(DVec3::ZERO, |sum, (&corner, &weight)| sum + corner * weight);
                let on_segment = ends[0] + (ends[1] - ends[0]) * s;
                assert!((inside - on_segment).length() >= distance - 1.0e-12, "{shape:?}");
            }
        }
        assert!(apart > 150, "only {apart}");
    }

    #[test]
    fn parallel_and_empty_segments_have_nearest_points() {
        let [p, q] = of_segments([DVec3::ZERO, DVec3::X], [DVec3::Y, DVec3::Y + DVec3::X]);
        assert!(((p - q).length() - 1.0).abs() < 1.0e-15);
        let [p, q] = of_segments([DVec3::ZERO; 2], [DVec3::Y - DVec3::X, DVec3::Y + DVec3::X]);
        assert_eq!((p, q), (DVec3::ZERO, DVec3::Y));
    }
}
