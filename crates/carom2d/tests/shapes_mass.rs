//! Mass, centre of mass and moment of inertia against closed forms and an f64 reference.
#![allow(clippy::disallowed_methods)] // The reference may use the platform's sine.

use carom_core::Rng;
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::shape::{Capsule, Circle, Geometry, MassData, Polygon, Segment};
use std::f64::consts::PI;

/// Relative difference allowed: a few roundings of f32.
const TOLERANCE: f64 = 1.0e-6;

#[track_caller]
fn assert_close(what: &str, got: f32, expected: f64, scale: f64) {
    let error = (f64::from(got) - expected).abs() / scale;
    assert!(error <= TOLERANCE, "{what}: got {got}, expected {expected}, relative error {error:e}");
}

#[track_caller]
fn assert_mass(got: MassData, mass: f64, center: [f64; 2], inertia: f64, size: f64) {
    assert_close("mass", got.mass, mass, mass);
    assert_close("center.x", got.center.x, center[0], size);
    assert_close("center.y", got.center.y, center[1], size);
    assert_close("inertia", got.inertia, inertia, inertia);
}

/// A, F and S of a polygon about the origin by the shoelace formulas, as mass data.
fn reference(points: &[[f64; 2]], density: f64) -> (f64, [f64; 2], f64) {
    let origin = points[0];
    let (mut area, mut fx, mut fy, mut sx, mut sy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in 0..points.len() {
        let (p, q) = (points[i], points[(i + 1) % points.len()]);
        let (x0, y0, x1, y1) = (p[0] - origin[0], p[1] - origin[1], q[0] - origin[0], q[1] - origin[1]);
        let d = x0 * y1 - x1 * y0;
        area += d / 2.0;
        fx += d * (x0 + x1) / 6.0;
        fy += d * (y0 + y1) / 6.0;
        sx += d * (x0 * x0 + x0 * x1 + x1 * x1) / 12.0;
        sy += d * (y0 * y0 + y0 * y1 + y1 * y1) / 12.0;
    }
    let (cx, cy) = (fx / area, fy / area);
    let inertia = density * (sx + sy - area * (cx * cx + cy * cy));
    (density * area, [cx + origin[0], cy + origin[1]], inertia)
}

#[test]
fn circle() {
    // m = pi r^2, I = m r^2 / 2.
    let got = Geometry::from(Circle::new(vec2(3.0, -2.0), 0.7).unwrap()).mass(2.5);
    let r = f64::from(0.7_f32);
    let mass = 2.5 * PI * r * r;
    assert_mass(got, mass, [3.0, -2.0], 0.5 * mass * r * r, 1.0);
}

#[test]
fn rectangle() {
    // I = m (w^2 + h^2) / 12.
    let got = Geometry::rectangle(3.0, 0.5).unwrap().mass(4.0);
    assert_mass(got, 6.0, [0.0, 0.0], 6.0 * (9.0 + 0.25) / 12.0, 1.0);
    // The inertia about the centre does not depend on where the rectangle is.
    let moved = Geometry::from(Polygon::rectangle_at(3.0, 0.5, vec2(64.0, -32.0), 0.0).unwrap()).mass(4.0);
    assert_mass(moved, 6.0, [64.0, -32.0], 6.0 * (9.0 + 0.25) / 12.0, 64.0);
}

#[test]
fn right_triangle() {
    // I = m (b^2 + h^2) / 18 about the centroid at a third of each leg.
    let got = Geometry::convex(&[vec2(1.0, 1.0), vec2(4.0, 1.0), vec2(1.0, 3.0)]).unwrap().mass(1.0);
    assert_mass(got, 3.0, [2.0, 1.0 + 2.0 / 3.0], 3.0 * (9.0 + 4.0) / 18.0, 1.0);
}

#[test]
fn two_rectangles_make_an_l() {
    // Upright 1 x 3 at x 0..1 and foot 2 x 1 at x 1..3, by the parallel axis theorem.
    let upright = Geometry::from(Polygon::rectangle_at(1.0, 3.0, vec2(0.5, 1.5), 0.0).unwrap()).mass(1.0);
    let foot = Geometry::from(Polygon::rectangle_at(2.0, 1.0, vec2(2.0, 0.5), 0.0).unwrap()).mass(1.0);
    let whole = MassData::default().combine(&upright).combine(&foot);
    let (cx, cy) = ((3.0 * 0.5 + 2.0 * 2.0) / 5.0, (3.0 * 1.5 + 2.0 * 0.5) / 5.0);
    let square = |x: f64| x * x;
    let inertia = 3.0 * 10.0 / 12.0
        + 3.0 * (square(cx - 0.5) + square(cy - 1.5))
        + 2.0 * 5.0 / 12.0
        + 2.0 * (square(cx - 2.0) + square(cy - 0.5));
    assert_mass(whole, 5.0, [cx, cy], inertia, 1.0);
    assert_mass(foot.combine(&upright), 5.0, [cx, cy], inertia, 1.0);

    let l = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let (mass, center, about_center) = reference(&l, 1.0);
    assert_mass(whole, mass, center, about_center, 1.0);
    assert_eq!(MassData::default().combine(&MassData::default()), MassData::default());
}

#[test]
fn capsule() {
    // A rectangle 2r x l, and a disc cut in halves pushed apart:
    // I = m_r (l^2 + 4 r^2) / 12 + m_d (r^2 / 2 + l^2 / 4 + 4 r l / (3 pi)).
    let (r, l, density) = (0.25, 2.0, 3.0);
    let got = Geometry::from(Capsule::new(vec2(-1.0, 5.0), vec2(1.0, 5.0), 0.25).unwrap()).mass(3.0);
    let (rectangle, disc) = (density * 2.0 * r * l, density * PI * r * r);
    let inertia =
        rectangle * (l * l + 4.0 * r * r) / 12.0 + disc * (r * r / 2.0 + l * l / 4.0 + 4.0 * r * l / (3.0 * PI));
    assert_mass(got, rectangle + disc, [0.0, 5.0], inertia, 1.0);
    // In every direction, where the half turns of the two ends fall on either side of pi.
    for i in 0..64 {
        let pose = Pose::new(vec2(0.3, -0.4), i as f32 * 0.1);
        let turned = Geometry::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.0), 0.25).unwrap().transformed(pose).mass(3.0);
        assert_close("mass", turned.mass, rectangle + disc, rectangle + disc);
        assert_close("inertia", turned.inertia, inertia, inertia);
    }
}

#[test]
fn segment_has_none() {
    let got = Geometry::from(Segment::new(vec2(1.0, 0.0), vec2(3.0, 4.0)).unwrap()).mass(7.0);
    assert_eq!(got, MassData { mass: 0.0, center: vec2(2.0, 2.0), inertia: 0.0 });
}

#[test]
fn rounded_box() {
    let (w, h, r) = (2.0, 1.0, 0.25);
    let polygon = Polygon::rectangle(2.0, 1.0).unwrap().with_radius(0.25).unwrap();
    let got = Geometry::from(polygon).mass(1.0);
    let area = w * h + 2.0 * r * (w + h) + PI * r * r;
    let strip = |l: f64, out: f64| l * r * ((l * l + r * r) / 12.0 + out * out);
    let inertia = w * h * (w * w + h * h) / 12.0
        + 2.0 * strip(w, (h + r) / 2.0)
        + 2.0 * strip(h, (w + r) / 2.0)
        + PI * r * r * (w * w + h * h) / 4.0
        + 4.0 * (w + h) * r * r * r / 3.0
        + PI * r * r * r * r / 2.0;
    assert_mass(got, area, [0.0, 0.0], inertia, 1.0);
    assert_close("area", Geometry::from(polygon).area(), area, area);
}

#[test]
fn regular_polygons() {
    // A = n R^2 sin(2 pi / n) / 2, I = m R^2 (1 - 2/3 sin^2(pi / n)) / 2.
    for sides in 3..=16 {
        let got = Geometry::from(Polygon::regular(sides, 1.5).unwrap()).mass(2.0);
        let n = sides as f64;
        let mass = 2.0 * n / 2.0 * 2.25 * (2.0 * PI / n).sin();
        let inertia = 0.5 * mass * 2.25 * (1.0 - 2.0 / 3.0 * (PI / n).sin() * (PI / n).sin());
        assert_mass(got, mass, [0.0, 0.0], inertia, 1.0);
    }
}

#[test]
fn random_polygons_agree_with_f64() {
    let mut rng = Rng::new(7);
    for _ in 0..20_000 {
        let offset = vec2(rng.range(-100.0, 100.0), rng.range(-100.0, 100.0));
        let count = 3 + rng.below(12) as usize;
        let points: Vec<Vec2> = (0..count).map(|_| offset + vec2(rng.range(-2.0, 2.0), rng.range(-1.0, 1.0))).collect();
        let Ok(polygon) = Polygon::convex(&points) else { continue };
        let exact: Vec<[f64; 2]> = polygon.vertices().iter().map(|v| [f64::from(v.x), f64::from(v.y)]).collect();
        let (mass, center, inertia) = reference(&exact, 1.5);
        assert_mass(Geometry::from(polygon).mass(1.5), mass, center, inertia, 100.0);
        assert_eq!(Geometry::from(polygon).mass(1.5).center, polygon.centroid());
    }
}

#[test]
fn random_rounded_polygons_agree_with_fine_arcs() {
    let mut rng = Rng::new(8);
    for _ in 0..200 {
        let points: Vec<Vec2> = (0..6).map(|_| vec2(rng.range(-2.0, 2.0), rng.range(-1.0, 1.0))).collect();
        let radius = rng.range(0.01, 1.0);
        let Ok(Geometry::Polygon(polygon)) = Geometry::rounded(&points, radius) else { continue };
        // Each arc as 4000 chords: the sagitta is 1e-7 of the radius.
        let v: Vec<[f64; 2]> = polygon.vertices().iter().map(|v| [f64::from(v.x), f64::from(v.y)]).collect();
        let n = v.len();
        let angle = |i: usize| {
            let (p, q) = (v[i % n], v[(i + 1) % n]);
            (p[0] - q[0]).atan2(q[1] - p[1]) // Of the right-hand normal (dy, -dx).
        };
        let mut outline = Vec::new();
        for i in 0..n {
            let from = angle(i + n - 1);
            let mut to = angle(i);
            if to < from {
                to += 2.0 * PI;
            }
            for k in 0..=4000 {
                let a = from + (to - from) * f64::from(k) / 4000.0;
                outline.push([v[i][0] + f64::from(radius) * a.cos(), v[i][1] + f64::from(radius) * a.sin()]);
            }
        }
        let (mass, center, inertia) = reference(&outline, 1.0);
        assert_mass(Geometry::from(polygon).mass(1.0), mass, center, inertia, 1.0);
    }
}
