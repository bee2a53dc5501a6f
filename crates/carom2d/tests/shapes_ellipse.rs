//! Ellipses against closed forms, sampling and circles.
#![allow(clippy::disallowed_methods)] // References may use the platform's sine.

use carom_core::Rng;
use carom2d::collide::{Manifold, Reference, collide};
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::shape::{Circle, Ellipse, Geometry, Polygon, geometry_cast, geometry_distance, overlap};
use std::f32::consts::TAU;

fn random_ellipse(rng: &mut Rng) -> Ellipse {
    let half_axes = vec2(rng.range(0.1, 2.0), rng.range(0.1, 2.0));
    let half_axes = if rng.below(4) == 0 { half_axes * vec2(1.0, 0.05) } else { half_axes };
    Ellipse::new(vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)), half_axes, rng.range(-3.0, 3.0)).unwrap()
}

fn partner(rng: &mut Rng) -> Geometry {
    let spot = |rng: &mut Rng| vec2(rng.range(-1.5, 1.5), rng.range(-1.5, 1.5));
    loop {
        let made = match rng.below(6) {
            0 => Circle::new(spot(rng), rng.range(0.1, 1.0)).map(Geometry::from),
            1 => Geometry::capsule(spot(rng), spot(rng), rng.range(0.05, 0.5)),
            2 => Geometry::segment(spot(rng), spot(rng)),
            3 => Geometry::convex(&(0..8).map(|_| spot(rng)).collect::<Vec<_>>()),
            4 => Geometry::rounded(&(0..6).map(|_| spot(rng)).collect::<Vec<_>>(), rng.range(0.02, 0.5)),
            _ => Ok(random_ellipse(rng).into()),
        };
        if let Ok(geometry) = made {
            return geometry;
        }
    }
}

/// How far a geometry reaches along a direction.
fn reach(geometry: &Geometry, direction: Vec2) -> f64 {
    let dot = |p: Vec2| f64::from(p.x) * f64::from(direction.x) + f64::from(p.y) * f64::from(direction.y);
    match geometry {
        Geometry::Ellipse(ellipse) => {
            let local = ellipse.rotation.inv_rotate(direction);
            let (x, y) = (f64::from(ellipse.half_axes.x * local.x), f64::from(ellipse.half_axes.y * local.y));
            dot(ellipse.center) + (x * x + y * y).sqrt()
        }
        other => {
            let proxy = other.proxy().unwrap();
            let most = proxy.points[..proxy.count].iter().map(|&p| dot(p)).fold(f64::MIN, f64::max);
            most + f64::from(proxy.radius)
        }
    }
}

/// The largest gap along any of many directions: the distance, or minus the shortest way out.
fn sampled_gap(a: &Geometry, b: &Geometry) -> f64 {
    (0..7200)
        .map(|i| {
            let angle = TAU * i as f32 / 7200.0;
            let d = vec2(angle.cos(), angle.sin());
            -reach(b, -d) - reach(a, d)
        })
        .fold(f64::MIN, f64::max)
}

/// Apart, overlapping, one inside the other: the separation is that of the best direction of all.
#[test]
fn separations_are_the_largest_of_all_directions() {
    let mut rng = Rng::new(3);
    let mut inside = 0;
    for round in 0..3000 {
        let (a, b) = (Geometry::from(random_ellipse(&mut rng)), partner(&mut rng));
        let distance = [0.0, 0.5, 2.0, 4.0][rng.below(4) as usize];
        let pose = Pose::new(vec2(rng.range(-distance, distance), rng.range(-1.0, 1.0)), rng.range(-3.0, 3.0));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let moved = b.transformed(pose);
            let expected = sampled_gap(a, &moved);
            let manifold = collide(a, b, pose, 100.0, Reference::None);
            assert_eq!(manifold.count, 1, "{round}: {a:?} {b:?} {pose:?}");
            let found = f64::from(manifold.points[0].separation);
            // Apart there is one maximum. In deep overlap there are several, and the search may settle
            // for one that is hardly worse. The samples here miss the best by up to 0.025 degrees.
            let slack = if expected > 0.0 { 1.0e-5 } else { 1.0e-5 - 0.02 * expected };
            assert!(
                found > expected - slack && found < expected + 2.0e-3,
                "{round}: {found} instead of {expected} for {a:?} {b:?} {pose:?}"
            );
            // The normal really separates by that much.
            let gap = -reach(&moved, -manifold.normal) - reach(a, manifold.normal);
            assert!((gap - found).abs() < 1.0e-5, "{round}: {gap} along the normal instead of {found}");
            let far = geometry_distance(a, Pose::IDENTITY, b, pose);
            assert!((f64::from(far.distance) - found.max(0.0)).abs() < 1.0e-4, "{round}: {far:?} for {a:?} {b:?}");
            assert_eq!(overlap(a, Pose::IDENTITY, b, pose), far.distance <= 0.0);
            inside += usize::from(found < -0.5);
        }
    }
    assert!(inside > 300, "{inside} deep overlaps");
}

/// With equal axes it is a circle, in every answer.
#[test]
fn equal_axes_make_a_circle() {
    let mut rng = Rng::new(4);
    let close = |a: Vec2, b: Vec2| (a - b).length() < 2.0e-6;
    for round in 0..5000 {
        let (center, radius) = (vec2(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5)), rng.range(0.1, 1.0));
        let circle = Geometry::from(Circle::new(center, radius).unwrap());
        let ellipse = Geometry::from(Ellipse::new(center, Vec2::splat(radius), rng.range(-3.0, 3.0)).unwrap());
        let other = partner(&mut rng);
        let pose = Pose::new(vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)), rng.range(-3.0, 3.0));
        let same = |found: Manifold, expected: Manifold| {
            assert_eq!(found.count, expected.count, "{round}");
            // A centre inside of a polygon leaves by an edge, and in the circle's file by no corner.
            for (p, q) in found.points().iter().zip(expected.points()) {
                if q.separation > -radius {
                    assert!((p.separation - q.separation).abs() < 2.0e-6, "{round}: {p:?} {q:?} {other:?}");
                    assert!(close(found.normal, expected.normal) && close(p.point, q.point), "{round}: {p:?} {q:?}");
                }
            }
        };
        same(
            collide(&other, &ellipse, pose, 0.5, Reference::None),
            collide(&other, &circle, pose, 0.5, Reference::None),
        );
        same(
            collide(&ellipse, &other, pose, 0.5, Reference::None),
            collide(&circle, &other, pose, 0.5, Reference::None),
        );
        let (m, n) = (ellipse.mass(1.3), circle.mass(1.3));
        assert!((m.mass - n.mass).abs() <= 1.0e-6 * n.mass && (m.inertia - n.inertia).abs() <= 1.0e-6 * n.inertia);
        let point = vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0));
        assert!(close(ellipse.closest_point(point), circle.closest_point(point)));
        assert!((ellipse.rounding() - radius).abs() < 1.0e-6);
    }
}

#[test]
fn rays_points_and_casts() {
    let mut rng = Rng::new(5);
    for _ in 0..2000 {
        let ellipse = random_ellipse(&mut rng);
        let geometry = Geometry::from(ellipse);
        let on_rim = |p: Vec2| {
            let local = ellipse.rotation.inv_rotate(p - ellipse.center) / ellipse.half_axes;
            (local.length() - 1.0).abs() * ellipse.half_axes.min_element()
        };
        let (origin, way) =
            (vec2(rng.range(-4.0, 4.0), rng.range(-4.0, 4.0)), vec2(rng.range(-8.0, 8.0), rng.range(-8.0, 8.0)));
        if let Some(hit) = geometry.ray(origin, way, 1.0)
            && hit.fraction > 0.0
        {
            assert!(on_rim(hit.point) < 1.0e-4 && (origin + way * hit.fraction - hit.point).length() < 1.0e-3);
            assert!(hit.normal.dot(way) <= 0.0);
        }
        let closest = geometry.closest_point(origin);
        if !geometry.contains(origin) {
            assert!(on_rim(closest) < 1.0e-4);
            let distance = (closest - origin).length();
            for i in 0..64 {
                let angle = TAU * i as f32 / 64.0;
                let p = ellipse.center + ellipse.rotation.rotate(vec2(angle.cos(), angle.sin()) * ellipse.half_axes);
                assert!((p - origin).length() >= distance - 1.0e-5);
            }
        }
        let aabb = geometry.aabb(Pose::IDENTITY);
        assert!((f64::from(aabb.max.x) - reach(&geometry, Vec2::X)).abs() < 1.0e-5);
        assert!((f64::from(aabb.min.y) + reach(&geometry, -Vec2::Y)).abs() < 1.0e-5);
        // A cast stops half a millimetre before the other.
        let other = partner(&mut rng);
        if let Some(hit) = geometry_cast(&geometry, &other, Pose::at(origin), way, 1.0)
            && hit.fraction > 0.0
        {
            let gap = geometry_distance(&geometry, Pose::IDENTITY, &other, Pose::at(origin + way * hit.fraction));
            assert!((gap.distance - 5.0e-4).abs() < 2.0e-4, "{gap:?}");
        }
    }
}

/// Mass and inertia in closed form, and as the limit of polygons.
#[test]
fn mass_is_that_of_a_fine_polygon() {
    let ellipse = Ellipse::new(vec2(0.3, -0.2), vec2(2.0, 0.5), 0.7).unwrap();
    let rim: Vec<Vec2> = (0..720)
        .map(|i| {
            let angle = TAU * i as f32 / 720.0;
            ellipse.center + ellipse.rotation.rotate(vec2(angle.cos(), angle.sin()) * ellipse.half_axes)
        })
        .collect();
    let (exact, polygon) = (Geometry::from(ellipse).mass(2.0), Geometry::concave(&rim).unwrap().mass(2.0));
    assert!((polygon.mass / exact.mass - 1.0).abs() < 2.0e-5 && (polygon.inertia / exact.inertia - 1.0).abs() < 4.0e-5);
    assert!((polygon.center - exact.center).length() < 1.0e-5);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1.0e-7, 1.0e9] {
        assert!(Geometry::ellipse(bad, 1.0).is_err() && Geometry::ellipse(1.0, bad).is_err());
    }
    assert!(Polygon::regular(3, 1.0).is_ok());
}
