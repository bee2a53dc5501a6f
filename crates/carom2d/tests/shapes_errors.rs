//! Every constructor refuses bad input and says which field, which value and what it wants.

use carom2d::DefError;
use carom2d::math::{Vec2, vec2};
use carom2d::shape::{Capsule, Circle, Geometry, Polygon, Segment};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DefError>, field: &str, value: &str) {
    match result {
        Err(DefError::Field { field: got, value: given, expected }) => {
            assert_eq!(got, field);
            assert!(given.contains(value), "value {given:?} does not show {value:?}");
            assert!(!expected.is_empty());
        }
        other => panic!("expected an error about {field}, got {other:?}"),
    }
}

const O: Vec2 = Vec2::ZERO;
const X: Vec2 = Vec2::X;

#[test]
fn circles() {
    for (radius, shown) in
        [(0.0, "0.0"), (-1.0, "-1.0"), (f32::NAN, "NaN"), (f32::INFINITY, "inf"), (2.0e6, "2000000"), (1.0e-6, "1e-6")]
    {
        refused(Circle::new(O, radius), "Circle.radius", shown);
        refused(Geometry::circle(radius), "Circle.radius", shown);
        refused(Geometry::Circle(Circle { center: O, radius }).validate(), "Circle.radius", shown);
    }
    refused(Circle::new(vec2(f32::NAN, 0.0), 1.0), "Circle.center", "NaN");
    refused(Circle::new(vec2(0.0, 2.0e7), 1.0), "Circle.center", "20000000");
}

#[test]
fn capsules() {
    refused(Capsule::new(O, X, -0.5), "Capsule.radius", "-0.5");
    refused(Capsule::new(vec2(f32::INFINITY, 0.0), X, 0.5), "Capsule.a", "inf");
    refused(Capsule::new(O, vec2(0.0, f32::NAN), 0.5), "Capsule.b", "NaN");
    refused(Capsule::new(X, X, 0.5), "Capsule.b", "1.0, 0.0");
    assert!(Capsule::new(X, X, 0.5).unwrap_err().to_string().contains("circle"));
    refused(Geometry::capsule(O, vec2(5.0e6, 0.0), 0.5), "Capsule.length", "5000000");
}

#[test]
fn segments() {
    refused(Segment::new(vec2(0.0, f32::NAN), X), "Segment.a", "NaN");
    refused(Segment::new(O, vec2(f32::NEG_INFINITY, 0.0)), "Segment.b", "inf");
    refused(Segment::new(O, O), "Segment.b", "0.0, 0.0");
    refused(Geometry::segment(O, vec2(5.0e6, 0.0)), "Segment.length", "5000000");
}

#[test]
fn polygons() {
    refused(Polygon::rectangle(0.0, 1.0), "Polygon.width", "0.0");
    refused(Polygon::rectangle(1.0, f32::NAN), "Polygon.height", "NaN");
    refused(Geometry::rectangle(-2.0, 1.0), "Polygon.width", "-2.0");
    refused(Geometry::rectangle(1.0, 1.0e7), "Polygon.height", "10000000");
    refused(Polygon::rectangle_at(1.0, 1.0, vec2(f32::NAN, 0.0), 0.0), "Polygon.center", "NaN");
    refused(Polygon::rectangle_at(1.0, 1.0, O, f32::INFINITY), "Polygon.angle", "inf");
    // At 5e6 m neighbouring numbers are 0.5 m apart.
    refused(Polygon::rectangle_at(0.01, 0.01, vec2(5.0e6, 0.0), 0.0), "Polygon.points", "5000000");
    refused(Polygon::regular(2, 1.0), "Polygon.sides", "2");
    refused(Polygon::regular(17, 1.0), "Polygon.sides", "17");
    refused(Polygon::regular(5, 0.0), "Polygon.circumradius", "0.0");
    refused(Polygon::convex(&[O, X, vec2(0.0, f32::NAN)]), "Polygon.points", "NaN");
    refused(Polygon::convex(&[O, vec2(4.0e6, 0.0), vec2(0.0, 1.0e6)]), "Polygon.points", "4000000");
    refused(Polygon::convex(&[O, 1.0e-6 * X, vec2(0.0, 1.0e-6)]), "Polygon.points", "1e-6");
    refused(Geometry::convex(&[O, X]), "Polygon.points", "1.0, 0.0");
    refused(Geometry::rounded(&[O, X, Vec2::Y], -1.0), "Polygon.radius", "-1.0");
    refused(Geometry::rounded(&[O, X, Vec2::Y], f32::NAN), "Polygon.radius", "NaN");
}

#[test]
fn the_limits_themselves_are_fine() {
    for geometry in [
        Geometry::circle(1.0e-5),
        Geometry::circle(1.0e6),
        Geometry::rectangle(1.0e-5, 1.0e-5),
        Geometry::rectangle(1.0e6, 1.0e6),
        Geometry::rectangle(1.0e6, 1.0e-5),
        Geometry::segment(O, 1.0e6 * X),
        Geometry::capsule(O, 2.0e-5 * X, 1.0e-5),
        Geometry::rounded(&[O, X, Vec2::Y], 0.0),
        Polygon::rectangle_at(1.0e-5, 1.0e-5, O, 0.3).map(Geometry::from),
        Polygon::regular(16, 1.0e-4).map(Geometry::from),
    ] {
        let geometry = geometry.unwrap();
        geometry.validate().unwrap();
        assert!(geometry.extent(geometry.centroid()).is_finite());
    }
}
