//! The flat facets of boxes and capsules in space, and the outline of their shadows.

use super::unit;
use carom_core::math::sin_cos64;
use carom3d::Shape;
use carom3d::math::{DVec3, Quat};
use std::f64::consts::TAU;

/// A flat convex part of a surface.
#[derive(Clone, Debug)]
pub(super) struct Facet {
    /// Counter-clockwise seen from outside.
    pub(super) corners: Vec<DVec3>,
    /// Outward, of unit length.
    pub(super) normal: DVec3,
}

/// Facets around a capsule, and from its rim to its pole.
const AROUND: usize = 20;
const UP: usize = 5;

/// The six sides of a box.
pub(super) fn of_box(half: DVec3, position: DVec3, orientation: Quat) -> Vec<Facet> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| orientation.rotate(axis));
    let mut facets = Vec::with_capacity(6);
    for i in 0..3 {
        for sign in [-1.0, 1.0] {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let normal = axes[i] * sign;
            let middle = position + normal * half[i];
            // The other way round on the other side.
            let (u, v) = (axes[j] * half[j], axes[k] * (half[k] * sign));
            facets
                .push(Facet { corners: vec![middle - u - v, middle + u - v, middle + u + v, middle - u + v], normal });
        }
    }
    facets
}

/// A mark in the middle of the side towards the box's own y axis, by which one sees which side is up.
pub(super) fn mark_of_box(half: DVec3, position: DVec3, orientation: Quat) -> Facet {
    const SHARE: f64 = 0.45;
    let [x, normal, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| orientation.rotate(axis));
    let middle = position + normal * half.y;
    // A square where the side is one; on a long side, of the shorter length.
    let size = SHARE * if half.x < half.z { half.x } else { half.z };
    let (u, v) = (z * size, x * size);
    Facet { corners: vec![middle - u - v, middle + u - v, middle + u + v, middle - u + v], normal }
}

/// A capsule in slices along its axis, each about as long as wide, so that what is near one end is not sorted by the
/// middle of the whole. The first and the last have the caps.
pub(super) fn of_capsule(
    half_length: f64,
    radius: f64,
    position: DVec3,
    orientation: Quat,
) -> Vec<(DVec3, Vec<Facet>)> {
    // The cast keeps to whole numbers that there are.
    let count = (half_length / radius).ceil().clamp(1.0, 12.0) as usize;
    let along = orientation.rotate(DVec3::Y);
    let around = |k: usize| {
        let (sin, cos) = sin_cos64(TAU * k as f64 / AROUND as f64);
        orientation.rotate(DVec3::new(cos, 0.0, -sin))
    };
    let mut slices = Vec::with_capacity(count);
    for slice in 0..count {
        let height = |i: usize| half_length * (2.0 * i as f64 / count as f64 - 1.0);
        let (low, high) = (position + along * height(slice), position + along * height(slice + 1));
        let mut facets = Vec::new();
        for k in 0..AROUND {
            let (a, b) = (around(k), around(k + 1));
            let corners = vec![low + a * radius, low + b * radius, high + b * radius, high + a * radius];
            facets.push(Facet { corners, normal: unit(a + b) });
        }
        if slice == 0 {
            cap(low, -along, radius, &|k| around(AROUND - k), &mut facets);
        }
        if slice + 1 == count {
            cap(high, along, radius, &around, &mut facets);
        }
        slices.push((0.5 * (low + high), facets));
    }
    slices
}

/// Half a sphere around an end.
fn cap(end: DVec3, pole: DVec3, radius: f64, around: &dyn Fn(usize) -> DVec3, facets: &mut Vec<Facet>) {
    let direction = |k: usize, up: usize| {
        let (sin, cos) = sin_cos64(0.25 * TAU * up as f64 / UP as f64);
        around(k) * cos + pole * sin
    };
    for k in 0..AROUND {
        for up in 0..UP {
            let mut directions = vec![direction(k, up), direction(k + 1, up), direction(k + 1, up + 1)];
            if up + 1 < UP {
                directions.push(direction(k, up + 1));
            }
            let normal = unit(directions.iter().fold(DVec3::ZERO, |sum, &d| sum + d));
            let corners = directions.iter().map(|&d| end + d * radius).collect();
            facets.push(Facet { corners, normal });
        }
    }
}

/// Points around a body whose hull is the body, as far as a shadow can tell; none for balls, which have their own.
pub(super) fn outline(shape: &Shape, position: DVec3, orientation: Quat) -> Vec<DVec3> {
    match *shape {
        Shape::Cuboid { half_extents } => {
            of_box(half_extents, position, orientation).into_iter().flat_map(|facet| facet.corners).collect()
        }
        Shape::Capsule { half_length, radius } => {
            let slices = of_capsule(half_length, radius, position, orientation);
            slices.into_iter().flat_map(|(_, facets)| facets).flat_map(|facet| facet.corners).collect()
        }
        _ => Vec::new(),
    }
}

/// The hull of points in a plane, counter-clockwise (Andrew's monotone chain, 1979).
pub(super) fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let turns_left =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0;
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while chain.len() > 1 && !turns_left(chain[chain.len() - 2], chain[chain.len() - 1], point) {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut whole = half(&mut points.iter().copied());
    whole.extend(half(&mut points.iter().rev().copied()));
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom3d::math::dvec3;

    #[test]
    fn facets_face_outwards() {
        let orientation = Quat::from_axis_angle(dvec3(1.0, 2.0, 3.0), 1.0);
        let position = dvec3(4.0, 5.0, 6.0);
        let boxed = of_box(dvec3(1.0, 2.0, 3.0), position, orientation);
        let capsule: Vec<Facet> =
            of_capsule(2.0, 0.5, position, orientation).into_iter().flat_map(|(_, facets)| facets).collect();
        assert_eq!(boxed.len(), 6);
        let mark = [mark_of_box(dvec3(1.0, 2.0, 3.0), position, orientation)];
        for facet in boxed.iter().chain(&capsule).chain(&mark) {
            let [a, b, c, ..] = facet.corners[..] else { panic!("{facet:?}") };
            let winding = (b - a).cross(c - a);
            assert!(winding.dot(facet.normal) > 0.99 * winding.length(), "{facet:?}");
            assert!((a - position).dot(facet.normal) > 0.0);
        }
    }

    #[test]
    fn the_hull_of_a_square_is_the_square() {
        let points = vec![[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.5, 0.0]];
        assert_eq!(hull(points), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert!(hull(vec![[1.0, 1.0]]).len() < 3);
    }
}
