//! Rims of many corners: bisection finds what trying all corners finds.
#![allow(clippy::disallowed_methods)]

use carom_core::Rng;
use carom2d::math::{Pose, Vec2, cross, vec2};
use carom2d::shape::{Geometry, Rim};

/// Points on an ellipse, in order, at random angles: as many corners as survive rounding.
fn random_rim(rng: &mut Rng, count: usize) -> Rim {
    loop {
        let (a, b) = (rng.range(0.5, 2.0), rng.range(0.5, 2.0));
        let center = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        let start = rng.range(0.0, std::f32::consts::TAU);
        let corners: Vec<Vec2> = (0..count)
            .map(|i| {
                let turn = (i as f64 + 0.6 * f64::from(rng.range(0.0, 1.0))) / count as f64;
                let (s, c) = carom_core::math::sin_cos64(std::f64::consts::TAU * turn + f64::from(start));
                center + vec2(a * c as f32, b * s as f32)
            })
            .collect();
        if let Ok(rim) = Rim::new(&corners) {
            return rim;
        }
    }
}

fn counts(rng: &mut Rng) -> usize {
    [3, 4, 5, 7, 16, 17, 60, 200, 500][rng.below(9) as usize]
}

#[test]
fn supports_are_those_of_brute_force() {
    let mut rng = Rng::new(1);
    for _ in 0..400 {
        let count = counts(&mut rng);
        let rim = random_rim(&mut rng, count);
        for _ in 0..50 {
            let direction = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let reach = |i: usize| rim.corners()[i].dot(direction);
            let most = (0..count).map(reach).fold(f32::MIN, f32::max);
            assert_eq!(reach(rim.support(direction)), most, "{count} corners, {direction}");
        }
        for (i, &corner) in rim.corners().iter().enumerate() {
            // Along the normals themselves two corners are equally far.
            let normal = rim.corners()[(i + 1) % count] - corner;
            let normal = vec2(normal.y, -normal.x);
            let far = rim.support(normal);
            assert!(far == i || far == (i + 1) % count || rim.corners()[far].dot(normal) >= corner.dot(normal));
        }
    }
}

/// The largest separation over all edges of both, by all corners of the other; and the distance where they are apart.
fn brute_force(a: &Rim, b: &Rim, pose: Pose) -> f32 {
    let placed: Vec<Vec2> = b.corners().iter().map(|&p| pose.point(p)).collect();
    let over_edges = |edges: &[Vec2], corners: &[Vec2]| {
        let count = edges.len();
        let of_edge = |i: usize| {
            let along = edges[(i + 1) % count] - edges[i];
            let normal = vec2(along.y, -along.x) / along.length();
            corners.iter().map(|&p| (p - edges[i]).dot(normal)).fold(f32::MAX, f32::min)
        };
        (0..count).map(of_edge).fold(f32::MIN, f32::max)
    };
    let axis = f32::max(over_edges(a.corners(), &placed), over_edges(&placed, a.corners()));
    if axis <= 0.0 {
        return axis;
    }
    // Apart: the nearest corner and edge.
    let to_edges = |edges: &[Vec2], corners: &[Vec2]| {
        let count = edges.len();
        let mut least = f32::MAX;
        for i in 0..count {
            let (from, along) = (edges[i], edges[(i + 1) % count] - edges[i]);
            for &p in corners {
                let share = ((p - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                least = f32::min(least, (p - from - along * share).length());
            }
        }
        least
    };
    f32::min(to_edges(a.corners(), &placed), to_edges(&placed, a.corners()))
}

#[test]
fn separations_are_those_of_brute_force() {
    let mut rng = Rng::new(2);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..600 {
        let (m, n) = (counts(&mut rng), counts(&mut rng));
        let (a, b) = (random_rim(&mut rng, m), random_rim(&mut rng, n));
        let pose = Pose::new(vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0)), rng.range(-3.0, 3.0));
        let found = a.separation(&b, pose);
        let expected = brute_force(&a, &b, pose);
        assert!((found.distance - expected).abs() < 2.0e-5, "{m} and {n} corners: {} and {expected}", found.distance);
        assert!((found.normal.length() - 1.0).abs() < 1.0e-5);
        // Moved apart along the normal by as much as they overlap, they touch.
        if found.distance < 0.0 {
            overlapping += 1;
            let moved = Pose { p: pose.p - found.normal * found.distance, ..pose };
            let left = brute_force(&a, &b, moved);
            assert!(left.abs() < 5.0e-5, "{left} after {found:?}");
        } else {
            apart += 1;
        }
    }
    assert!(apart > 100 && overlapping > 100, "{apart} {overlapping}");
}

#[test]
fn points_and_boxes_are_those_of_brute_force() {
    let mut rng = Rng::new(3);
    for _ in 0..300 {
        let count = counts(&mut rng);
        let rim = random_rim(&mut rng, count);
        let pose = Pose::new(vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0)), rng.range(-3.0, 3.0));
        let aabb = rim.aabb(pose);
        for &corner in rim.corners() {
            assert!(aabb.grown(1.0e-5).contains_point(pose.point(corner)));
            assert!(rim.contains(corner), "its corners are part of it");
        }
        for _ in 0..40 {
            let point = vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0));
            let beyond = (0..count).map(|i| {
                let along = rim.corners()[(i + 1) % count] - rim.corners()[i];
                cross(along, point - rim.corners()[i]) / along.length()
            });
            let inside = beyond.fold(f32::MAX, f32::min);
            if inside.abs() > 1.0e-5 {
                assert_eq!(rim.contains(point), inside > 0.0, "{count} corners, {point}");
            }
        }
    }
}

#[test]
fn what_is_not_convex_is_refused() {
    let bad: [&[Vec2]; 5] = [
        &[vec2(0.0, 0.0), vec2(1.0, 0.0)],
        &[vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(2.0, 0.0)],
        &[vec2(0.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 0.0)],
        &[vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(1.0, 0.2), vec2(1.0, 2.0)],
        &[vec2(0.0, 0.0), vec2(f32::NAN, 0.0), vec2(1.0, 1.0)],
    ];
    for corners in bad {
        assert!(Rim::new(corners).is_err(), "{corners:?}");
    }
    // A star of five points turns left at each, twice around.
    let star: Vec<Vec2> =
        (0..5).map(|i| carom2d::math::Rot::from_angle(0.8 * std::f32::consts::PI * i as f32).x_axis()).collect();
    assert!(Rim::new(&star).is_err());
}

#[test]
fn polygons_of_many_corners_answer_by_their_rim() {
    let mut rng = Rng::new(4);
    let corners = random_rim(&mut rng, 120).corners().to_vec();
    let many = Geometry::convex(&corners).unwrap();
    let Geometry::Concave(pieces) = &many else { panic!("more than 16 corners") };
    for _ in 0..2000 {
        let point = vec2(rng.range(-3.0, 3.0), rng.range(-3.0, 3.0));
        let in_pieces = pieces.parts().iter().any(|part| Geometry::Part(part.clone()).contains(point));
        assert_eq!(many.contains(point), in_pieces, "{point}");
    }
}
