//! Boxes, rays, distances and casts of shapes, against closed forms and brute force.
#![allow(clippy::disallowed_methods)] // References may use the platform's sine.

use carom_core::Rng;
use carom2d::collide::LINEAR_SLOP;
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::shape::{Circle, Geometry, Polygon, Proxy, cast, distance, geometry_distance, overlap};
use std::f32::consts::TAU;

fn random_geometry(rng: &mut Rng) -> Geometry {
    let spot = |rng: &mut Rng| vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
    loop {
        let result = match rng.below(6) {
            0 => Circle::new(spot(rng), rng.range(0.05, 1.0)).map(Geometry::from),
            1 => Geometry::capsule(spot(rng), spot(rng), rng.range(0.05, 0.5)),
            2 => Geometry::segment(spot(rng), spot(rng)),
            3 => Polygon::rectangle_at(rng.range(0.1, 2.0), rng.range(0.1, 2.0), spot(rng), rng.range(-3.0, 3.0))
                .map(Geometry::from),
            4 => Geometry::convex(&(0..3 + rng.below(8)).map(|_| spot(rng)).collect::<Vec<_>>()),
            _ => Geometry::rounded(&(0..3 + rng.below(8)).map(|_| spot(rng)).collect::<Vec<_>>(), rng.range(0.05, 0.5)),
        };
        if let Ok(geometry) = result {
            return geometry;
        }
    }
}

fn random_pose(rng: &mut Rng, reach: f32) -> Pose {
    Pose::new(vec2(rng.range(-reach, reach), rng.range(-reach, reach)), rng.range(-TAU, TAU))
}

/// The point of a shape farthest along a direction, from its core and radius.
fn support(proxy: &Proxy, direction: Vec2) -> Vec2 {
    let core = proxy.points[..proxy.count].iter().copied().max_by(|p, q| p.dot(direction).total_cmp(&q.dot(direction)));
    core.unwrap() + direction * proxy.radius
}

fn unit(angle: f32) -> Vec2 {
    vec2(angle.cos(), angle.sin())
}

#[test]
fn aabb_is_tight_around_the_shape() {
    let mut rng = Rng::new(11);
    for _ in 0..100_000 {
        let geometry = random_geometry(&mut rng);
        let pose = random_pose(&mut rng, 50.0);
        let aabb = geometry.aabb(pose);
        let proxy = geometry.proxy().unwrap();
        for _ in 0..4 {
            let direction = unit(rng.range(0.0, TAU));
            let point = pose.point(support(&proxy, direction));
            assert!(aabb.grown(1.0e-5).contains_point(point), "{point} of {geometry:?} at {pose:?} outside {aabb:?}");
        }
        for axis in [Vec2::X, Vec2::Y] {
            let high = pose.point(support(&proxy, pose.q.inv_rotate(axis))).dot(axis);
            let low = pose.point(support(&proxy, pose.q.inv_rotate(-axis))).dot(axis);
            assert!((high - aabb.max.dot(axis)).abs() < 2.0e-5 && (low - aabb.min.dot(axis)).abs() < 2.0e-5);
        }
    }
}

#[test]
fn transforming_a_shape_is_posing_it() {
    let mut rng = Rng::new(12);
    for _ in 0..2_000 {
        let geometry = random_geometry(&mut rng);
        let (pose, point) = (random_pose(&mut rng, 5.0), vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)));
        let moved = geometry.transformed(pose);
        assert!((moved.area() - geometry.area()).abs() < 1.0e-5 * (1.0 + geometry.area()));
        assert!((moved.centroid() - pose.point(geometry.centroid())).length() < 1.0e-5);
        let nearest = pose.point(geometry.closest_point(point));
        assert!((moved.closest_point(pose.point(point)) - nearest).length() < 1.0e-5);
    }
}

#[test]
fn extents_bound_the_boundary() {
    let mut rng = Rng::new(13);
    for _ in 0..5_000 {
        let geometry = random_geometry(&mut rng);
        let proxy = geometry.proxy().unwrap();
        let center = vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0));
        let (extent, inner) = (geometry.extent(center), geometry.inner_extent());
        let mut farthest = 0.0;
        for i in 0..256 {
            let direction = unit(TAU * i as f32 / 256.0);
            let reach = (support(&proxy, direction) - center).length();
            assert!(reach <= extent + 1.0e-5);
            farthest = if reach > farthest { reach } else { farthest };
            assert!(support(&proxy, direction).dot(direction) - geometry.centroid().dot(direction) >= inner - 1.0e-5);
        }
        assert!(farthest >= extent * 0.99);
    }
    assert_eq!(Geometry::rectangle(4.0, 1.0).unwrap().inner_extent(), 0.5);
}

#[test]
fn closest_point_and_contains_agree_with_gjk() {
    let mut rng = Rng::new(14);
    for _ in 0..50_000 {
        let geometry = random_geometry(&mut rng);
        let point = vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0));
        let nearest = geometry.closest_point(point);
        let gap = (nearest - point).length();
        let found = distance(&geometry.proxy().unwrap(), &Proxy::new(&[point], 0.0), Pose::IDENTITY);
        assert!((gap - found.distance).abs() < 1.0e-5, "{geometry:?} {point} {gap} {found:?}");
        if gap > 1.0e-5 {
            assert!(!geometry.contains(point));
            // Round a corner the distance changes with the square of the way: 1 eps there is
            // sqrt(eps) here.
            assert!((found.point_a - nearest).length() < 1.0e-3, "{geometry:?} {point} {nearest} {found:?}");
        }
        if geometry.contains(point) {
            assert_eq!(nearest, point);
        }
    }
}

#[test]
fn ray_against_circle() {
    let circle = Geometry::from(Circle::new(vec2(5.0, 1.0), 0.5).unwrap());
    let hit = circle.ray(vec2(0.0, 1.0), vec2(10.0, 0.0), 1.0).unwrap();
    assert!((hit.fraction - 0.45).abs() < 1.0e-6 && (hit.normal + Vec2::X).length() < 1.0e-6);
    assert!((hit.point - vec2(4.5, 1.0)).length() < 1.0e-6);
    assert_eq!(circle.ray(vec2(0.0, 1.0), vec2(10.0, 0.0), 0.449), None);
    assert_eq!(circle.ray(vec2(0.0, 1.0), vec2(-10.0, 0.0), 1.0), None);
    assert_eq!(circle.ray(vec2(0.0, 2.0), vec2(10.0, 0.0), 1.0), None);
    // At 30 degrees round the circle: x = 5 - 0.5 cos 30.
    let hit = circle.ray(vec2(0.0, 1.25), vec2(10.0, 0.0), 1.0).unwrap();
    assert!((hit.fraction - (5.0 - 0.5 * 0.75_f32.sqrt()) / 10.0).abs() < 1.0e-6);
    // From far away, where a quadratic formula would have no digits left.
    let hit = circle.ray(vec2(-10_000.0, 1.0), vec2(20_000.0, 0.0), 1.0).unwrap();
    assert!((hit.point - vec2(4.5, 1.0)).length() < 1.0e-3);
}

#[test]
fn ray_against_box() {
    let geometry = Geometry::rectangle(2.0, 1.0).unwrap();
    let hit = geometry.ray(vec2(-3.0, 0.25), vec2(4.0, 0.0), 1.0).unwrap();
    assert_eq!((hit.fraction, hit.normal, hit.point), (0.5, Vec2::NEG_X, vec2(-1.0, 0.25)));
    let hit = geometry.ray(vec2(0.25, 2.5), vec2(0.0, -4.0), 1.0).unwrap();
    assert_eq!((hit.fraction, hit.normal, hit.point), (0.5, Vec2::Y, vec2(0.25, 0.5)));
    // Parallel to an edge: along it, just above it and just below it.
    assert!(geometry.ray(vec2(-3.0, 0.5), vec2(4.0, 0.0), 1.0).is_some());
    assert!(geometry.ray(vec2(-3.0, 0.500_001), vec2(4.0, 0.0), 1.0).is_none());
    assert!(geometry.ray(vec2(-3.0, 0.499_999), vec2(4.0, 0.0), 1.0).is_some());
    // Too short, and the other way.
    assert!(geometry.ray(vec2(-3.0, 0.0), vec2(4.0, 0.0), 0.499).is_none());
    assert!(geometry.ray(vec2(-3.0, 0.0), vec2(-4.0, 0.0), 1.0).is_none());
}

#[test]
fn ray_against_segment() {
    let segment = Geometry::segment(vec2(-1.0, 0.0), vec2(1.0, 0.0)).unwrap();
    assert_eq!(segment.ray(vec2(0.5, 1.0), vec2(0.0, -2.0), 1.0).unwrap().normal, Vec2::Y);
    assert_eq!(segment.ray(vec2(0.5, -1.0), vec2(0.0, 2.0), 1.0).unwrap().normal, Vec2::NEG_Y);
    assert_eq!(segment.ray(vec2(0.5, -1.0), vec2(0.0, 2.0), 1.0).unwrap().fraction, 0.5);
    assert_eq!(segment.ray(vec2(1.5, 1.0), vec2(0.0, -2.0), 1.0), None);
    assert_eq!(segment.ray(vec2(-3.0, 0.0), vec2(6.0, 0.0), 1.0), None);
}

#[test]
fn ray_from_inside_and_without_length() {
    let mut rng = Rng::new(15);
    for _ in 0..20_000 {
        let geometry = random_geometry(&mut rng);
        let origin = vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0));
        let standing = geometry.ray(origin, Vec2::ZERO, 1.0);
        let moving = geometry.ray(origin, vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)), 1.0);
        if geometry.contains(origin) {
            for hit in [standing.unwrap(), moving.unwrap()] {
                assert_eq!((hit.fraction, hit.point, hit.normal), (0.0, origin, Vec2::ZERO));
            }
        } else {
            assert_eq!(standing, None);
        }
    }
}

#[test]
fn ray_against_sampling() {
    // Walk along the ray: outside all the way to the hit, and at the surface there.
    let mut rng = Rng::new(16);
    let mut hits = 0;
    for _ in 0..20_000 {
        let geometry = random_geometry(&mut rng);
        let origin = 3.0 * unit(rng.range(0.0, TAU));
        let translation = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)) - origin;
        let hit = geometry.ray(origin, translation, 2.0);
        let end = hit.map_or(2.0, |hit| hit.fraction);
        let gap = |fraction: f32| {
            let point = origin + translation * fraction;
            (geometry.closest_point(point) - point).length()
        };
        for i in 0..40 {
            let fraction = end * i as f32 / 40.0;
            assert!(!geometry.contains(origin + translation * (fraction - 1.0e-4)), "{geometry:?} {hit:?} {fraction}");
        }
        if let Some(hit) = hit {
            hits += 1;
            assert!(gap(hit.fraction) < 1.0e-5, "{geometry:?} {hit:?} {}", gap(hit.fraction));
            assert!((hit.point - (origin + translation * hit.fraction)).length() < 1.0e-5);
            assert!((hit.normal.length() - 1.0).abs() < 1.0e-6 && hit.normal.dot(translation) <= 0.0);
            // The normal supports the shape: nothing of it lies beyond the tangent.
            let beyond = (support(&geometry.proxy().unwrap(), hit.normal) - hit.point).dot(hit.normal);
            assert!(beyond < 1.0e-4, "{geometry:?} {hit:?} {beyond}");
        }
    }
    assert!(hits > 5_000, "only {hits} rays hit");
}

#[test]
fn distance_of_known_pairs() {
    let square = Geometry::rectangle(1.0, 1.0).unwrap();
    let at = |x: f32, y: f32, angle: f32| Pose::new(vec2(x, y), angle);
    // Edge to edge, corner to corner, edge to corner.
    let found = geometry_distance(&square, at(10.0, 0.0, 0.0), &square, at(13.0, 0.0, 0.0));
    assert!((found.distance - 2.0).abs() < 1.0e-6 && (found.normal - Vec2::X).length() < 1.0e-6);
    let found = geometry_distance(&square, at(0.0, 0.0, 0.0), &square, at(2.0, 2.0, 0.0));
    assert!((found.distance - 2.0_f32.sqrt()).abs() < 1.0e-6 && (found.point_a - vec2(0.5, 0.5)).length() < 1.0e-6);
    let found = geometry_distance(&square, at(0.0, 0.0, 0.0), &square, at(0.0, 2.0, TAU / 8.0));
    assert!((found.distance - (1.5 - 0.5_f32.sqrt())).abs() < 1.0e-6 && (found.normal - Vec2::Y).length() < 1.0e-6);
    // Touching, coincident, contained, points at one place.
    assert!(overlap(&square, at(0.0, 0.0, 0.0), &square, at(1.0, 0.0, 0.0)));
    assert!(!overlap(&square, at(0.0, 0.0, 0.0), &square, at(1.000_01, 0.0, 0.0)));
    for b in [square.clone(), Geometry::rectangle(0.1, 0.1).unwrap(), Geometry::rectangle(10.0, 10.0).unwrap()] {
        let found = geometry_distance(&square, Pose::IDENTITY, &b, Pose::IDENTITY);
        assert!(found.distance == 0.0 && found.normal == Vec2::ZERO && found.point_a.is_finite());
        assert_eq!(found.point_a, found.point_b);
    }
    let point = Proxy::new(&[vec2(1.0, 1.0)], 0.5);
    let found = distance(&point, &point, Pose::IDENTITY);
    assert!(found.distance == 0.0 && found.normal == Vec2::ZERO);
    // Radii that overlap while the cores do not keep their normal and the deepest points.
    let found = distance(&point, &point, Pose::at(vec2(0.6, 0.0)));
    assert!(found.distance == 0.0 && found.normal == Vec2::X && (found.point_a - vec2(1.5, 1.0)).length() < 1.0e-6);
}

#[test]
fn distance_stays_sane_at_every_scale() {
    let mut rng = Rng::new(17);
    let mut most = 0;
    for _ in 0..200_000 {
        let scale = [1.0e-4, 1.0e-2, 1.0, 1.0e3, 1.0e5][rng.below(5) as usize];
        let grow = |geometry: Geometry, scale: f32| {
            let mut proxy = geometry.proxy().unwrap();
            proxy.points.iter_mut().for_each(|p| *p *= scale);
            proxy.radius *= scale;
            proxy
        };
        let a = grow(random_geometry(&mut rng), scale);
        let b = grow(random_geometry(&mut rng), scale * [1.0, 1.0e-3][rng.below(2) as usize]);
        let mut pose = random_pose(&mut rng, 2.0);
        pose.p *= scale;
        // Some exactly axis-aligned, where many features tie.
        if rng.below(4) == 0 {
            pose = Pose::at(vec2(rng.below(3) as f32, rng.below(3) as f32) * scale);
        }
        let found = distance(&a, &b, pose);
        most = if found.iterations > most { found.iterations } else { most };
        assert!(found.distance >= 0.0 && found.distance.is_finite() && found.iterations <= 20);
        assert!(found.point_a.is_finite() && found.point_b.is_finite() && found.normal.is_finite());
        if found.distance > 0.0 {
            let gap = found.point_b - found.point_a;
            assert!((gap.length() - found.distance).abs() <= 2.0e-6 * scale, "{gap} {found:?} {scale}");
            // The plane through the nearest points separates the shapes, which proves the
            // distance from below; the points prove it from above.
            let top = support(&a, found.normal).dot(found.normal);
            let bottom = -pose.point(support(&b, pose.q.inv_rotate(-found.normal))).dot(-found.normal);
            assert!((bottom - top - found.distance).abs() <= 1.0e-5 * scale, "{} {found:?}", bottom - top);
        }
    }
    println!("GJK took at most {most} iterations");
}

#[test]
fn circle_cast_on_box_is_analytic() {
    let a = Geometry::rectangle(2.0, 1.0).unwrap().proxy().unwrap();
    let b = Geometry::circle(0.25).unwrap().proxy().unwrap();
    // Onto the top: stops when the centre is at 0.5 + 0.25.
    let hit = cast(&a, &b, Pose::at(vec2(0.3, 3.0)), vec2(0.0, -4.0), 1.0).unwrap();
    let gap = 3.0 - 4.0 * hit.fraction - 0.75;
    assert!(gap > 0.0 && gap < 0.25 * LINEAR_SLOP, "{gap}");
    assert!((hit.normal - Vec2::Y).length() < 1.0e-5 && (hit.point - vec2(0.3, 0.5)).length() < 1.0e-5);
    // Onto the corner at (1, 0.5) along y = 0.6: stops at x = 1 + sqrt(0.25^2 - 0.1^2).
    let hit = cast(&a, &b, Pose::at(vec2(3.0, 0.6)), vec2(-4.0, 0.0), 1.0).unwrap();
    let gap = 3.0 - 4.0 * hit.fraction - (1.0 + (0.0625_f32 - 0.01).sqrt());
    assert!(gap > 0.0 && gap < 0.25 * LINEAR_SLOP, "{gap}");
    // Past it, short of it, away from it.
    assert_eq!(cast(&a, &b, Pose::at(vec2(3.0, 0.76)), vec2(-4.0, 0.0), 1.0), None);
    assert_eq!(cast(&a, &b, Pose::at(vec2(0.0, 3.0)), vec2(0.0, -4.0), 0.5), None);
    assert_eq!(cast(&a, &b, Pose::at(vec2(0.0, 3.0)), vec2(0.0, 4.0), 1.0), None);
    // In it, and touching it on the way out.
    assert_eq!(cast(&a, &b, Pose::at(vec2(0.1, 0.1)), vec2(0.0, 4.0), 1.0).unwrap().fraction, 0.0);
    assert_eq!(cast(&a, &b, Pose::at(vec2(0.0, 0.7501)), vec2(0.0, 4.0), 1.0), None);
    assert_eq!(cast(&a, &b, Pose::at(vec2(0.0, 3.0)), Vec2::ZERO, 1.0), None);
}

#[test]
fn casts_end_at_the_surface() {
    let mut rng = Rng::new(18);
    let (mut hits, mut worst) = (0, 0.0_f32);
    for _ in 0..100_000 {
        let (a, b) = (random_geometry(&mut rng).proxy().unwrap(), random_geometry(&mut rng).proxy().unwrap());
        let mut pose = random_pose(&mut rng, 1.0);
        pose.p = 5.0 * unit(rng.range(0.0, TAU));
        let translation = vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)) - pose.p;
        let at = |fraction: f32| distance(&a, &b, Pose { p: pose.p + translation * fraction, q: pose.q }).distance;
        match cast(&a, &b, pose, translation, 2.0) {
            Some(hit) => {
                hits += 1;
                let gap = at(hit.fraction);
                // Never past the surface, and no earlier than the gap asked for.
                assert!(gap > 0.0 && gap < 0.2 * LINEAR_SLOP, "{gap} {hit:?}");
                worst = if gap > worst { gap } else { worst };
                assert!((hit.normal.length() - 1.0).abs() < 1.0e-5 && hit.normal.dot(translation) < 0.0);
                for i in 0..10 {
                    assert!(at(hit.fraction * i as f32 / 10.0) > 0.0);
                }
            }
            None => {
                for i in 0..=50 {
                    assert!(at(2.0 * i as f32 / 50.0) > 0.0);
                }
            }
        }
    }
    assert!(hits > 30_000, "only {hits} casts hit");
    println!("{hits} hits, largest gap {worst} m");
}
