//! The nearest points of a sphere and another body.

use crate::math::{DVec3, unit_or};

/// Which part of a triangle is nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Face,
    /// Between corner `i` and the next.
    Edge(usize),
    Corner(usize),
}

/// How a sphere and another body face each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Unit normal from the sphere to the other body.
    pub(crate) normal: DVec3,
    /// Distance between the surfaces; negative where they overlap.
    pub(crate) gap: f64,
    /// The point of the other body nearest to the sphere's centre.
    pub(crate) point: DVec3,
    /// A flat part of the other body is nearest, not an edge or a corner.
    pub(crate) is_flat: bool,
}

/// A sphere and another sphere, by centres and radii.
pub(crate) fn sphere(center_a: DVec3, radius_a: f64, center_b: DVec3, radius_b: f64) -> Touch {
    let between = center_b - center_a;
    let normal = unit_or(between, DVec3::Y);
    let gap = between.length() - (radius_a + radius_b);
    Touch { normal, gap, point: center_b - normal * radius_b, is_flat: true }
}

/// A sphere and a plane through `origin`.
pub(crate) fn plane(center: DVec3, radius: f64, origin: DVec3, normal: DVec3) -> Touch {
    let distance = (center - origin).dot(normal);
    let towards = if distance >= 0.0 { -normal } else { normal };
    Touch { normal: towards, gap: distance.abs() - radius, point: center - normal * distance, is_flat: true }
}

/// A sphere and a triangle with its unit normal.
pub(crate) fn triangle(center: DVec3, radius: f64, corners: &[DVec3; 3], face_normal: DVec3) -> Touch {
    let (point, feature) = nearest_of_triangle(center, corners);
    if feature == Feature::Face {
        return Touch { point, ..plane(center, radius, corners[0], face_normal) };
    }
    let between = point - center;
    let normal = unit_or(between, face_normal);
    Touch { normal, gap: between.length() - radius, point, is_flat: false }
}

/// The unit normal from which the corners run counter-clockwise.
pub(crate) fn triangle_normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    unit_or((*b - *a).cross(*c - *a), DVec3::Y)
}

/// The point of a triangle nearest to `p`, and the part it belongs to.
///
/// With `s_i` the projection of `p` on edge i as a fraction of that edge, a corner is nearest where both its edges say
/// so, an edge where `p` lies on its outer side and 0 < s < 1, and the face otherwise.
pub(crate) fn nearest_of_triangle(p: DVec3, corners: &[DVec3; 3]) -> (DVec3, Feature) {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let mut along = [0.0; 3];
    let mut is_outside = [false; 3];
    for i in 0..3 {
        let edge = corners[(i + 1) % 3] - corners[i];
        let from = p - corners[i];
        along[i] = from.dot(edge) / edge.length_squared();
        is_outside[i] = edge.cross(from).dot(normal) < 0.0;
    }
    for i in 0..3 {
        if along[i] <= 0.0 && along[(i + 2) % 3] >= 1.0 {
            return (corners[i], Feature::Corner(i));
        }
    }
    for i in 0..3 {
        if is_outside[i] && along[i] > 0.0 && along[i] < 1.0 {
            return (corners[i] + (corners[(i + 1) % 3] - corners[i]) * along[i], Feature::Edge(i));
        }
    }
    (p - normal * ((p - corners[0]).dot(normal) / normal.length_squared()), Feature::Face)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{dvec3, min};
    use carom_core::Rng;

    #[test]
    fn nearest_point_beats_a_fine_sampling() {
        let mut rng = Rng::new(3);
        for _ in 0..300 {
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 2.0;
            let corners = [random(), random(), random()];
            let p = random() * 2.0;
            let (nearest, feature) = nearest_of_triangle(p, &corners);
            let distance = (nearest - p).length();
            const N: usize = 40;
            let mut best = f64::INFINITY;
            for i in 0..=N {
                for j in 0..=N - i {
                    let (u, v) = (i as f64 / N as f64, j as f64 / N as f64);
                    let q = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
                    best = min(best, (q - p).length());
                }
            }
            assert!(distance <= best + 1.0e-12, "{feature:?} at {distance}, sampled {best}");
            assert!(best <= distance + 0.1, "{feature:?} at {distance} is not on the triangle; sampled {best}");
        }
    }

    #[test]
    fn both_sides_of_a_plane_are_solid() {
        let above = plane(dvec3(0.0, 3.0, 0.0), 1.0, DVec3::ZERO, DVec3::Y);
        assert_eq!((above.normal, above.gap), (-DVec3::Y, 2.0));
        let below = plane(dvec3(0.0, -3.0, 0.0), 1.0, DVec3::ZERO, DVec3::Y);
        assert_eq!((below.normal, below.gap), (DVec3::Y, 2.0));
    }
}
