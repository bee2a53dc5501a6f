//! When on its way a sphere first touches another body.
//!
//! Each part of a body that can be hit (a sphere, a plane, an edge, a corner) gives a polynomial along the path that
//! is positive while they are apart: the squared distance less the squared radius, or for a plane the distance less
//! the radius. An impact is where it first falls below zero. Answers are fractions of the path.

use super::crossing::Bernstein;
use super::touch::{Feature, nearest_of_triangle};
use crate::math::DVec3;
use crate::path::Path;

/// Crossings closer than this on the path are one.
const PAST_A_CROSSING: f64 = 1.0e-9;

/// A path relative to a point that has to be kept at a distance: another sphere's centre.
pub(crate) fn with_point(relative: &Path, distance: f64) -> Option<f64> {
    if relative.points[0].length() - relative.length_bound() > distance {
        return None;
    }
    squared_distance(relative, distance).first_drop()
}

/// A path and a plane, which is kept on the side where the path starts.
pub(crate) fn with_plane(path: &Path, radius: f64, origin: DVec3, normal: DVec3) -> Option<f64> {
    let heights = path.points.map(|point| (point - origin).dot(normal));
    let side = if heights[0] >= 0.0 { 1.0 } else { -1.0 };
    Bernstein::cubic(heights.map(|height| side * height - radius)).first_drop()
}

/// A path and a triangle.
///
/// The triangle grown by the radius is convex, and bounded by what its face, its edges and its corners bound where
/// they are nearest. So the impact is the first crossing at which the part crossed is the nearest part.
pub(crate) fn with_triangle(path: &Path, radius: f64, corners: &[DVec3; 3], normal: DVec3) -> Option<f64> {
    let start = path.points[0];
    let (nearest, start_feature) = nearest_of_triangle(start, corners);
    if (nearest - start).length() - path.length_bound() > radius {
        return None;
    }
    let is_crossed = |u: f64, feature: Feature| {
        let p = path.at(u);
        let (_, nearest) = nearest_of_triangle(p, corners);
        nearest == feature || is_on_border(p, corners, normal, nearest, feature)
    };
    let mut first: Option<f64> = None;
    let mut consider = |polynomial: Bernstein, feature: Feature| {
        // What is nearest at the start may be touching already.
        let is_start = feature == start_feature;
        let mut crossing = if is_start { polynomial.first_drop() } else { polynomial.next_drop(0.0) };
        while let Some(u) = crossing.filter(|&u| first.is_none_or(|first| u < first)) {
            if is_crossed(u, feature) {
                first = Some(u);
                break;
            }
            crossing = polynomial.next_drop(u + PAST_A_CROSSING);
        }
    };
    let from_plane = Path { points: path.points.map(|point| normal * (point - corners[0]).dot(normal)) };
    consider(squared_distance(&from_plane, radius), Feature::Face);
    for i in 0..3 {
        let from_corner = Path { points: path.points.map(|point| point - corners[i]) };
        let from_line = across(&from_corner, corners[(i + 1) % 3] - corners[i]);
        consider(squared_distance(&from_line, radius), Feature::Edge(i));
        consider(squared_distance(&from_corner, radius), Feature::Corner(i));
    }
    first
}

/// A path relative to a point of a line, without what is along that line.
fn across(relative: &Path, direction: DVec3) -> Path {
    let k = 1.0 / direction.length_squared();
    Path { points: relative.points.map(|point| point - direction * (point.dot(direction) * k)) }
}

/// A crossing right where the face ends and an edge begins, or an edge and a corner, may be confirmed by neither for
/// want of digits. It is if the part crossed is as near as the nearest, to rounding.
fn is_on_border(p: DVec3, corners: &[DVec3; 3], normal: DVec3, nearest: Feature, crossed: Feature) -> bool {
    let point_of = |feature: Feature| match feature {
        Feature::Face => p - normal * (p - corners[0]).dot(normal),
        Feature::Edge(i) => {
            let edge = corners[(i + 1) % 3] - corners[i];
            corners[i] + edge * ((p - corners[i]).dot(edge) / edge.length_squared())
        }
        Feature::Corner(i) => corners[i],
    };
    let size = (corners[1] - corners[0]).length_squared() + (corners[2] - corners[0]).length_squared();
    (point_of(nearest) - point_of(crossed)).length_squared() <= 1.0e-24 * size
}

/// `|path|^2 - distance^2` in Bernstein form: `c_k = sum over i + j = k of C(3,i) C(3,j) / C(6,k) p_i . p_j`.
fn squared_distance(relative: &Path, distance: f64) -> Bernstein {
    let [a, b, c, d] = relative.points;
    let level = distance * distance;
    Bernstein::sextic([
        a.dot(a) - level,
        a.dot(b) - level,
        (2.0 * a.dot(c) + 3.0 * b.dot(b)) * (1.0 / 5.0) - level,
        (a.dot(d) + 9.0 * b.dot(c)) * (1.0 / 10.0) - level,
        (2.0 * b.dot(d) + 3.0 * c.dot(c)) * (1.0 / 5.0) - level,
        c.dot(d) - level,
        d.dot(d) - level,
    ])
}

#[cfg(test)]
mod tests {
    use super::super::touch;
    use super::*;
    use crate::math::dvec3;
    use carom_core::Rng;

    fn line(from: DVec3, to: DVec3) -> Path {
        Path::between(from, to - from, to, to - from, 1.0)
    }

    #[test]
    fn spheres_meet_when_the_quadratic_says() {
        // Aimed half a diameter off the centre: contact at sqrt(3) before the closest approach.
        let u = with_point(&line(dvec3(-10.0, 1.0, 0.0), dvec3(10.0, 1.0, 0.0)), 2.0).unwrap();
        assert!((u - (10.0 - 3.0_f64.sqrt()) / 20.0).abs() < 1.0e-15, "{u}");
        assert_eq!(with_point(&line(dvec3(-10.0, 2.001, 0.0), dvec3(10.0, 2.001, 0.0)), 2.0), None);
        // A thousand radii in one step.
        assert!(with_point(&line(dvec3(-1000.0, 0.0, 0.0), dvec3(1000.0, 0.0, 0.0)), 1.0).is_some());
    }

    #[test]
    fn parts_of_a_triangle_are_hit_where_they_are() {
        let corners = [dvec3(0.0, 0.0, 0.0), dvec3(4.0, 0.0, 0.0), dvec3(0.0, 0.0, -4.0)];
        let drop_at =
            |x: f64, z: f64| with_triangle(&line(dvec3(x, 5.0, z), dvec3(x, -5.0, z)), 1.0, &corners, DVec3::Y);
        assert!((drop_at(1.0, -1.0).unwrap() - 0.4).abs() < 1.0e-15, "face");
        let deep = 1.0 - 0.75_f64.sqrt();
        assert!((drop_at(2.0, 0.5).unwrap() - (0.4 + 0.1 * deep)).abs() < 1.0e-14, "edge");
        assert!((drop_at(-0.3, 0.4).unwrap() - (0.4 + 0.1 * deep)).abs() < 1.0e-14, "corner");
        assert_eq!(drop_at(-0.8, 0.8), None, "past the corner");
        assert!((drop_at(2.0, 0.0).unwrap() - 0.4).abs() < 1.0e-14, "on the border");
        assert!((drop_at(0.0, 0.0).unwrap() - 0.4).abs() < 1.0e-14, "on the corner");
    }

    #[test]
    fn agrees_with_marching_along_curved_paths() {
        let mut rng = Rng::new(11);
        let mut hits = 0;
        for _ in 0..400 {
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let corners = [random() * 4.0, random() * 4.0, random() * 4.0];
            let path = Path { points: [random() * 8.0, random() * 8.0, random() * 8.0, random() * 8.0] };
            let normal = touch::triangle_normal(&corners);
            let gap = |u: f64| touch::triangle(path.at(u), 0.3, &corners, normal).gap;
            if gap(0.0) <= 0.0 {
                continue;
            }
            let marched = (1..=4000).map(|i| f64::from(i) / 4000.0).find(|&u| gap(u) < 0.0);
            match (with_triangle(&path, 0.3, &corners, normal), marched) {
                (Some(u), Some(after)) => {
                    hits += 1;
                    assert!(gap(u).abs() < 1.0e-12 && u <= after && after - u < 3.0e-3, "{u}, marched {after}");
                }
                (None, None) => {}
                // Marching steps over short dips.
                (Some(u), None) => assert!(gap(u).abs() < 1.0e-12 && gap(u + 1.0e-4) > -1.0e-3),
                (None, Some(after)) => panic!("missed the hit before {after}"),
            }
        }
        assert!(hits > 30, "only {hits} paths hit");
    }
}
