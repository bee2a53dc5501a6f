//! The convex hull against its definition.

use carom_core::Rng;
use carom2d::math::{Vec2, vec2};
use carom2d::shape::{Geometry, MAX_POLYGON_VERTICES, Polygon, convex_hull};

fn turn(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    let (ux, uy) = (f64::from(b.x) - f64::from(a.x), f64::from(b.y) - f64::from(a.y));
    let (vx, vy) = (f64::from(c.x) - f64::from(a.x), f64::from(c.y) - f64::from(a.y));
    ux * vy - uy * vx
}

/// The definition: made of given points, strictly convex, counter-clockwise, and no point
/// outside by more than the documented tolerance (a few dropped corners add up).
#[track_caller]
fn assert_hull(points: &[Vec2], hull: &[Vec2]) {
    let n = hull.len();
    assert!(n >= 3, "no hull of {points:?}");
    let size = points.iter().fold(0.0_f64, |s, &p| {
        let d = f64::from((p - points[0]).length());
        if d > s { d } else { s }
    });
    for i in 0..n {
        let (p, q) = (hull[i], hull[(i + 1) % n]);
        assert!(points.contains(&p), "{p} is none of the points");
        assert!(turn(p, q, hull[(i + 2) % n]) > 0.0, "no left turn after {p} in {hull:?}");
        let length = f64::from((q - p).length());
        for &point in points {
            assert!(turn(p, q, point) / length >= -3.0e-5 * size, "{point} is outside of {hull:?}");
        }
    }
}

#[test]
fn random_sets() {
    let mut rng = Rng::new(1);
    for round in 0..20_000 {
        let count = 3 + rng.below(40) as usize;
        let offset = vec2(rng.range(-50.0, 50.0), rng.range(-50.0, 50.0));
        // Half of the sets on a coarse grid, full of duplicates and points in line.
        let points: Vec<Vec2> = (0..count)
            .map(|_| {
                if round % 2 == 0 {
                    vec2(rng.below(5) as f32, rng.below(4) as f32) * 0.25
                } else {
                    offset + vec2(rng.range(-1.0, 1.0), rng.range(-3.0, 3.0))
                }
            })
            .collect();
        let hull = convex_hull(&points);
        let flat = points.iter().all(|&p| points.iter().all(|&q| turn(points[0], p, q) == 0.0));
        if flat {
            assert!(hull.is_empty());
        } else {
            assert_hull(&points, &hull);
        }
    }
}

#[test]
fn order_and_winding_do_not_matter() {
    let square = [vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(1.0, 1.0), vec2(0.0, 1.0)];
    let clockwise: Vec<Vec2> = square.iter().rev().copied().collect();
    let crossed = [square[0], square[2], square[1], square[3], square[0], vec2(0.5, 0.0), vec2(0.5, 0.5)];
    assert_eq!(convex_hull(&square), square);
    assert_eq!(convex_hull(&clockwise), square);
    assert_eq!(convex_hull(&crossed), square);
    // The sign of zero neither sorts nor shows.
    assert_eq!(convex_hull(&[vec2(-0.0, 1.0), vec2(0.0, 0.0), vec2(1.0, -0.0)]).len(), 3);
}

#[test]
fn flat_corners_go() {
    let bulge = |height: f32| {
        [vec2(0.0, 0.0), vec2(1.0, -height), vec2(2.0, 0.0), vec2(2.0, 1.0), vec2(2.0, 1.0 + 1.0e-7), vec2(0.0, 1.0)]
    };
    assert_eq!(Polygon::convex(&bulge(1.0e-6)).unwrap().vertices().len(), 4);
    assert_eq!(Polygon::convex(&bulge(1.0e-3)).unwrap().vertices().len(), 5);
}

#[test]
fn sets_without_area() {
    for points in [
        &[][..],
        &[vec2(1.0, 2.0)],
        &[vec2(1.0, 2.0), vec2(3.0, 4.0)],
        &[vec2(1.0, 2.0), vec2(1.0, 2.0), vec2(1.0, 2.0), vec2(1.0, 2.0)],
        &[vec2(0.0, 0.0), vec2(1.0, 1.0), vec2(2.0, 2.0), vec2(0.5, 0.5)],
        &[vec2(0.0, 0.0), vec2(1.0, 0.3), vec2(2.0, 0.6), vec2(3.0, 0.9)],
    ] {
        assert!(convex_hull(points).is_empty(), "{points:?}");
        let message = Geometry::convex(points).unwrap_err().to_string();
        assert!(message.contains("Polygon.points") && message.contains("three distinct"), "{message}");
    }
}

#[test]
fn too_many_corners() {
    let circle = |n: usize| -> Vec<Vec2> {
        let angle = |i: usize| std::f32::consts::TAU * i as f32 / n as f32;
        (0..n).map(|i| vec2(carom2d::math::cos(angle(i)), carom2d::math::sin(angle(i)))).collect()
    };
    let sixteen = Polygon::convex(&circle(MAX_POLYGON_VERTICES)).unwrap();
    assert_eq!(sixteen.vertices().len(), 16);
    let message = Polygon::convex(&circle(17)).unwrap_err().to_string();
    assert!(message.contains("17 hull vertices") && message.contains("at most 16"), "{message}");
    assert!(Polygon::convex(&circle(1000)).is_err());
}
