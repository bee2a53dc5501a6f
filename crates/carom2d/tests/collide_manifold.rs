//! Contacts whose answer is known, and contacts that must not change their mind.

use carom_core::Rng;
use carom2d::collide::{FAR_END, LINEAR_SLOP, Manifold, Reference, SPECULATIVE_DISTANCE, collide};
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::shape::{Circle, Geometry, Polygon};
use std::f32::consts::{FRAC_1_SQRT_2, TAU};

const NEAR: f32 = SPECULATIVE_DISTANCE;

fn rectangle(width: f32, height: f32) -> Geometry {
    Geometry::rectangle(width, height).unwrap()
}

fn contact(a: &Geometry, b: &Geometry, pose: Pose) -> Manifold {
    collide(a, b, pose, NEAR, Reference::None)
}

#[track_caller]
fn assert_near(got: Vec2, expected: Vec2) {
    assert!((got - expected).length() < 1.0e-5, "got {got}, expected {expected}");
}

#[track_caller]
fn assert_points(manifold: &Manifold, normal: Vec2, expected: &[(Vec2, f32)]) {
    assert_near(manifold.normal, normal);
    assert_eq!(manifold.points().len(), expected.len(), "{manifold:?}");
    for &(point, separation) in expected {
        let found = manifold
            .points()
            .iter()
            .any(|p| (p.point - point).length() < 1.0e-5 && (p.separation - separation).abs() < 1.0e-5);
        assert!(found, "no point {point} at {separation} in {manifold:?}");
    }
}

#[test]
fn circles() {
    let a = Geometry::from(Circle::new(vec2(1.0, 0.0), 0.5).unwrap());
    let b = Geometry::circle(0.25).unwrap();
    // Surfaces at y = 0.5 and at y = 0.49.
    assert_points(&contact(&a, &b, Pose::at(vec2(1.0, 0.74))), Vec2::Y, &[(vec2(1.0, 0.495), -0.01)]);
    assert_eq!(contact(&a, &b, Pose::at(vec2(1.0, 0.78))), Manifold::default());
    // Concentric: up, by the sum of the radii.
    assert_points(&contact(&a, &b, Pose::at(vec2(1.0, 0.0))), Vec2::Y, &[(vec2(1.0, 0.125), -0.75)]);
}

#[test]
fn circle_on_polygon() {
    let square = rectangle(2.0, 2.0);
    let ball = Geometry::circle(0.5).unwrap();
    assert_points(&contact(&square, &ball, Pose::at(vec2(0.3, 1.49))), Vec2::Y, &[(vec2(0.3, 0.995), -0.01)]);
    // The corner, from outside.
    let diagonal = vec2(FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    let corner = contact(&square, &ball, Pose::at(vec2(1.0, 1.0) + diagonal * 0.49));
    assert_points(&corner, diagonal, &[(vec2(1.0, 1.0) - diagonal * 0.005, -0.01)]);
    // The centre inside: out through the nearest side.
    assert_points(&contact(&square, &ball, Pose::at(vec2(0.8, 0.1))), Vec2::X, &[(vec2(0.65, 0.1), -0.7)]);
    // The circle as the first shape: the same, seen from the other side.
    let mirrored = contact(&ball, &square, Pose::at(vec2(-0.3, -1.49)));
    assert_points(&mirrored, Vec2::NEG_Y, &[(vec2(0.0, -0.495), -0.01)]);
}

#[test]
fn circle_on_capsule_and_segment() {
    let capsule = Geometry::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.0), 0.25).unwrap();
    let segment = Geometry::segment(vec2(-1.0, 0.0), vec2(1.0, 0.0)).unwrap();
    let ball = Geometry::circle(0.5).unwrap();
    assert_points(&contact(&capsule, &ball, Pose::at(vec2(0.5, 0.74))), Vec2::Y, &[(vec2(0.5, 0.245), -0.01)]);
    assert_points(&contact(&capsule, &ball, Pose::at(vec2(1.74, 0.0))), Vec2::X, &[(vec2(1.245, 0.0), -0.01)]);
    assert_points(&contact(&segment, &ball, Pose::at(vec2(0.5, -0.49))), Vec2::NEG_Y, &[(vec2(0.5, 0.005), -0.01)]);
    // On the core itself: some side, always the same.
    let on_core = contact(&segment, &ball, Pose::at(vec2(0.5, 0.0)));
    assert_points(&on_core, Vec2::Y, &[(vec2(0.5, -0.25), -0.5)]);
}

#[test]
fn box_on_box() {
    let (wide, small) = (rectangle(4.0, 1.0), rectangle(1.0, 1.0));
    let manifold = contact(&wide, &small, Pose::at(vec2(0.25, 0.99)));
    assert_points(&manifold, Vec2::Y, &[(vec2(-0.25, 0.495), -0.01), (vec2(0.75, 0.495), -0.01)]);
    // Over the edge: cut off at the corner of the wide one.
    let manifold = contact(&wide, &small, Pose::at(vec2(1.75, 1.01)));
    assert_points(&manifold, Vec2::Y, &[(vec2(1.25, 0.505), 0.01), (vec2(2.0, 0.505), 0.01)]);
    // Upside down, with the wide one as b.
    let manifold = contact(&small, &wide, Pose::new(vec2(0.25, 0.99), TAU / 2.0));
    assert_points(&manifold, Vec2::Y, &[(vec2(-0.5, 0.495), -0.01), (vec2(0.5, 0.495), -0.01)]);
}

#[test]
fn equal_boxes_stacked_exactly_touch_along_the_edge() {
    // The nearest features are two pairs of corners, but it is an edge contact all the same.
    let square = rectangle(1.0, 1.0);
    for gap in [-0.005, 0.0, 0.001, 0.019] {
        let manifold = contact(&square, &square, Pose::at(vec2(0.0, 1.0 + gap)));
        let y = 0.5 + 0.5 * gap;
        assert_points(&manifold, Vec2::Y, &[(vec2(-0.5, y), gap), (vec2(0.5, y), gap)]);
    }
    let round = Geometry::from(Polygon::rectangle(1.0, 1.0).unwrap().with_radius(0.1).unwrap());
    let manifold = contact(&round, &round, Pose::at(vec2(0.0, 1.21)));
    assert_points(&manifold, Vec2::Y, &[(vec2(-0.5, 0.605), 0.01), (vec2(0.5, 0.605), 0.01)]);
}

#[test]
fn corner_to_corner() {
    let square = rectangle(1.0, 1.0);
    let manifold = contact(&square, &square, Pose::at(vec2(1.006, 1.008)));
    assert_points(&manifold, vec2(0.6, 0.8), &[(vec2(0.503, 0.504), 0.01)]);
    assert_eq!(contact(&square, &square, Pose::at(vec2(1.015, 1.015))), Manifold::default());
    // Rounded corners overlap before the cores do.
    let round = Geometry::from(Polygon::rectangle(1.0, 1.0).unwrap().with_radius(0.1).unwrap());
    let manifold = contact(&round, &round, Pose::at(vec2(1.09, 1.12)));
    assert_points(&manifold, vec2(0.6, 0.8), &[(vec2(0.545, 0.56), -0.05)]);
}

#[test]
fn corner_on_edge() {
    // A square on its corner: half a diagonal high.
    let (ground, square) = (rectangle(4.0, 1.0), rectangle(1.0, 1.0));
    let manifold = contact(&ground, &square, Pose::new(vec2(0.3, 0.5 + FRAC_1_SQRT_2 - 0.004), TAU / 8.0));
    assert_points(&manifold, Vec2::Y, &[(vec2(0.3, 0.498), -0.004)]);
}

#[test]
fn rounded_on_sharp() {
    let ground = rectangle(4.0, 1.0);
    let round = Geometry::from(Polygon::rectangle(1.0, 1.0).unwrap().with_radius(0.25).unwrap());
    // Its lower surface is at 1.24 - 0.75 = 0.49.
    let manifold = contact(&ground, &round, Pose::at(vec2(0.0, 1.24)));
    assert_points(&manifold, Vec2::Y, &[(vec2(-0.5, 0.495), -0.01), (vec2(0.5, 0.495), -0.01)]);
}

#[test]
fn small_inside_big_leaves_by_the_shortest_way() {
    let (big, small) = (rectangle(10.0, 6.0), rectangle(1.0, 1.0));
    // Distances of the far sides of the small one to the sides of the big one: 2.5 to the right.
    let manifold = collide(&big, &small, Pose::at(vec2(3.0, 0.0)), NEAR, Reference::None);
    assert_points(&manifold, Vec2::X, &[(vec2(3.75, -0.5), -2.5), (vec2(3.75, 0.5), -2.5)]);
    let manifold = collide(&small, &big, Pose::at(vec2(0.0, 2.0)), NEAR, Reference::None);
    assert_points(&manifold, Vec2::Y, &[(vec2(-0.5, -0.25), -1.5), (vec2(0.5, -0.25), -1.5)]);
    // On the same spot nothing breaks.
    let manifold = contact(&big, &big, Pose::IDENTITY);
    assert!(manifold.count == 2 && manifold.points[0].separation == -6.0);
}

#[test]
fn capsules() {
    let capsule = Geometry::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.0), 0.25).unwrap();
    // Parallel: two points over the common part.
    let manifold = contact(&capsule, &capsule, Pose::at(vec2(0.5, 0.49)));
    assert_points(&manifold, Vec2::Y, &[(vec2(-0.5, 0.245), -0.01), (vec2(1.0, 0.245), -0.01)]);
    let manifold = contact(&capsule, &capsule, Pose::new(vec2(0.5, -0.49), TAU / 2.0));
    assert_points(&manifold, Vec2::NEG_Y, &[(vec2(-0.5, -0.245), -0.01), (vec2(1.0, -0.245), -0.01)]);
    // In line: end to end, one point.
    let manifold = contact(&capsule, &capsule, Pose::at(vec2(2.49, 0.0)));
    assert_points(&manifold, Vec2::X, &[(vec2(1.245, 0.0), -0.01)]);
    assert_eq!(contact(&capsule, &capsule, Pose::at(vec2(2.6, 0.0))).count, 0);
    // Upright on the side.
    let manifold = contact(&capsule, &capsule, Pose::new(vec2(0.5, 1.49), TAU / 4.0));
    assert_points(&manifold, Vec2::Y, &[(vec2(0.5, 0.245), -0.01)]);
    // Crossed in the middle: along one of them or the other, by a whole length and two radii.
    let manifold = contact(&capsule, &capsule, Pose::new(Vec2::ZERO, TAU / 4.0));
    assert!(manifold.count >= 1 && (manifold.points[0].separation + 1.5).abs() < 1.0e-5, "{manifold:?}");
    // On a box.
    let manifold = contact(&rectangle(4.0, 1.0), &capsule, Pose::at(vec2(0.0, 0.74)));
    assert_points(&manifold, Vec2::Y, &[(vec2(-1.0, 0.495), -0.01), (vec2(1.0, 0.495), -0.01)]);
}

#[test]
fn box_on_either_side_of_a_segment() {
    let segment = Geometry::segment(vec2(-5.0, 0.0), vec2(5.0, 0.0)).unwrap();
    let square = rectangle(1.0, 1.0);
    let above = contact(&segment, &square, Pose::at(vec2(0.0, 0.495)));
    assert_points(&above, Vec2::Y, &[(vec2(-0.5, -0.0025), -0.005), (vec2(0.5, -0.0025), -0.005)]);
    let below = contact(&segment, &square, Pose::at(vec2(0.0, -0.495)));
    assert_points(&below, Vec2::NEG_Y, &[(vec2(-0.5, 0.0025), -0.005), (vec2(0.5, 0.0025), -0.005)]);
    // Past its end: the corner of the box and the end of the segment.
    let beyond = contact(&segment, &square, Pose::at(vec2(5.506, 0.508)));
    assert_points(&beyond, vec2(0.6, 0.8), &[(vec2(5.003, 0.004), 0.01)]);
}

#[test]
fn the_longer_edge_is_the_reference() {
    // Edge 2 of a rectangle is its top, edge 0 its bottom.
    let (wide, small) = (rectangle(4.0, 1.0), rectangle(1.0, 1.0));
    let below = contact(&wide, &small, Pose::at(vec2(0.3, 0.995)));
    assert_eq!(below.reference, Reference::A(2));
    let above = contact(&small, &wide, Pose::at(vec2(0.3, 0.995)));
    assert_eq!(above.reference, Reference::B(0));
}

/// Steps a pair with a jitter of 1e-4 m and rad and feeds the hint back. Nothing may change.
#[track_caller]
fn assert_steady(a: &Geometry, b: &Geometry, rest: Pose, seed: u64) -> Reference {
    let ids = |m: &Manifold| m.points().iter().map(|p| p.id).collect::<Vec<_>>();
    let mut rng = Rng::new(seed);
    let first = contact(a, b, rest);
    assert_eq!(first.count, 2);
    let mut hint = first.reference;
    for step in 0..100 {
        let mut jitter = || rng.range(-1.0e-4, 1.0e-4);
        let pose = Pose { p: rest.p + vec2(jitter(), jitter()), q: rest.q.turned(jitter()) };
        let manifold = collide(a, b, pose, NEAR, hint);
        assert_eq!(manifold.reference, first.reference, "step {step}");
        assert_eq!(ids(&manifold), ids(&first), "step {step}");
        hint = manifold.reference;
    }
    first.reference
}

#[test]
fn stacked_boxes_keep_their_reference_and_ids() {
    let (wide, small, round) = (
        rectangle(4.0, 1.0),
        rectangle(1.0, 1.0),
        Geometry::from(Polygon::rectangle(0.8, 0.8).unwrap().with_radius(0.1).unwrap()),
    );
    for seed in 0..20 {
        for gap in [-LINEAR_SLOP, 0.0, 0.01] {
            let over = Pose::at(vec2(0.3, 1.0 + gap));
            assert_eq!(assert_steady(&wide, &small, over, seed), Reference::A(2));
            assert_eq!(assert_steady(&small, &wide, over, seed), Reference::B(0));
            // Boxes of the same size, exactly aligned and not: either edge, but always the same.
            assert_steady(&small, &small, Pose::at(vec2(0.0, 1.0 + gap)), seed);
            assert_steady(&small, &small, over, seed);
            assert_steady(&round, &round, Pose::at(vec2(0.0, 1.0 + gap)), seed);
            assert_steady(&small, &round, Pose::at(vec2(0.0, 1.0 + gap)), seed);
        }
    }
}

#[test]
fn ids_do_not_depend_on_the_reference() {
    let (a, b) = (rectangle(1.2, 1.0), rectangle(1.0, 1.0));
    for x in [-0.4, 0.0, 0.3] {
        let pose = Pose::new(vec2(x, 0.996), 2.0e-4);
        let by_a = collide(&a, &b, pose, NEAR, Reference::A(2));
        let by_b = collide(&a, &b, pose, NEAR, Reference::B(0));
        assert_eq!((by_a.reference, by_b.reference), (Reference::A(2), Reference::B(0)));
        assert_eq!((by_a.count, by_b.count), (2, 2));
        for (p, q) in by_a.points().iter().zip(by_b.points()) {
            assert_eq!(p.id, q.id);
            assert!((p.point - q.point).length() < 1.0e-3 && (p.separation - q.separation).abs() < 1.0e-4);
        }
    }
}

#[test]
fn extreme_sizes_give_finite_contacts() {
    let geometries = [
        Geometry::circle(1.0e-5).unwrap(),
        Geometry::circle(1.0e6).unwrap(),
        rectangle(1.0e-5, 1.0e-5),
        rectangle(1.0e6, 1.0e-5),
        rectangle(1.0e6, 1.0e6),
        Geometry::segment(vec2(-5.0e5, 0.0), vec2(5.0e5, 0.0)).unwrap(),
        Geometry::segment(Vec2::ZERO, vec2(1.0e-5, 0.0)).unwrap(),
        Geometry::capsule(Vec2::ZERO, vec2(1.0e-5, 0.0), 1.0e6).unwrap(),
        Geometry::from(Polygon::rectangle_at(100.0, 1.0, vec2(9.0e6, -9.0e6), 0.3).unwrap()),
        Geometry::from(Polygon::regular(16, 1.0e-4).unwrap()),
    ];
    let poses = [
        vec2(0.0, 0.0),
        vec2(1.0e-6, 0.0),
        vec2(0.5, 0.5),
        vec2(5.0e5, 0.0),
        vec2(9.0e6, -9.0e6),
        vec2(1.0e-30, 1.0e-30),
    ];
    for a in &geometries {
        for b in &geometries {
            for p in poses {
                for angle in [0.0, 0.3, TAU / 4.0] {
                    for margin in [0.0, NEAR, 1.0e8] {
                        let manifold = collide(a, b, Pose::new(p, angle), margin, Reference::B(3));
                        assert!(manifold.normal.is_finite());
                        assert!(
                            manifold.points().iter().all(|p| p.point.is_finite() && p.separation <= FAR_END * margin)
                        );
                        assert!(manifold.count == 0 || (manifold.normal.length() - 1.0).abs() < 1.0e-5);
                    }
                }
            }
        }
    }
}
