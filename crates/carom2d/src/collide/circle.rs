//! A circle against anything: one point, at the feature nearest to the circle's centre.

use super::{Manifold, Reference};
use crate::math::{Vec2, left_perp, unit_and_length};
use crate::shape::{Geometry, Part, Polygon};

/// Centres nearer to each other than this (metres) have no direction worth using.
pub(super) const COINCIDENT: f32 = 1.0e-6;

/// The contact of `a` with the circle about `center`, in the frame of a.
pub(super) fn against(a: &Geometry, center: Vec2, radius: f32, margin: f32) -> Manifold {
    match a {
        Geometry::Circle(circle) => {
            let (direction, distance) = unit_and_length(center - circle.center);
            // Concentric circles have no way out that is shorter than another: up, always.
            let normal = if distance < COINCIDENT { Vec2::Y } else { direction };
            disc_contact(circle.center, circle.radius, center, radius, normal, distance, margin)
        }
        Geometry::Capsule(capsule) => against_segment(capsule.a, capsule.b, capsule.radius, center, radius, margin),
        Geometry::Segment(segment) => against_segment(segment.a, segment.b, 0.0, center, radius, margin),
        Geometry::Polygon(polygon) => against_polygon(polygon, center, radius, margin),
        Geometry::Part(part) => against_part(part, center, radius, margin),
        Geometry::Ellipse(_) | Geometry::Chain(_) | Geometry::Concave(_) => {
            unreachable!("ellipses have a file of their own, and what has parts is taken apart before")
        }
    }
}

/// How far a circle about `center` is from `a`, beyond `reach`; negative when it is within.
pub(super) fn gap(a: &Geometry, center: Vec2, reach: f32) -> f32 {
    (a.closest_point(center) - center).length() - reach
}

fn against_segment(p: Vec2, q: Vec2, radius_a: f32, center: Vec2, radius: f32, margin: f32) -> Manifold {
    let (along, length) = unit_and_length(q - p);
    let position = (center - p).dot(along);
    let side = left_perp(along);
    if position > 0.0 && position < length {
        // Beside the core: exact however near the centre is to it. A centre right on the core
        // leaves on the left, always.
        let out = (center - p).dot(side);
        let (normal, distance) = if out < 0.0 { (-side, -out) } else { (side, out) };
        return disc_contact(center - normal * distance, radius_a, center, radius, normal, distance, margin);
    }
    let end = if position > 0.0 { q } else { p };
    let (direction, distance) = unit_and_length(center - end);
    let normal = if distance < COINCIDENT { side } else { direction };
    disc_contact(end, radius_a, center, radius, normal, distance, margin)
}

fn against_polygon(polygon: &Polygon, center: Vec2, radius: f32, margin: f32) -> Manifold {
    let (vertices, normals) = (polygon.vertices(), polygon.normals());
    let reach = polygon.radius() + radius + margin;

    // The edge the centre is farthest out of, or least deep in. The feature nearest to the
    // centre is this edge or one of its ends.
    let mut edge = 0;
    let mut out = f32::MIN;
    for (i, (&vertex, &normal)) in vertices.iter().zip(normals).enumerate() {
        let distance = normal.dot(center - vertex);
        if distance > out {
            if distance > reach {
                return Manifold::default();
            }
            out = distance;
            edge = i;
        }
    }

    let normal = normals[edge];
    let start = vertices[edge];
    let end = vertices[if edge + 1 < vertices.len() { edge + 1 } else { 0 }];
    if out > 0.0 {
        let span = end - start;
        let corner = if (center - start).dot(span) < 0.0 {
            Some(start)
        } else if (center - end).dot(span) > 0.0 {
            Some(end)
        } else {
            None
        };
        if let Some(corner) = corner {
            let (direction, distance) = unit_and_length(center - corner);
            let normal = if distance < COINCIDENT { normal } else { direction };
            return disc_contact(corner, polygon.radius(), center, radius, normal, distance, margin);
        }
    }
    disc_contact(center - normal * out, polygon.radius(), center, radius, normal, out, margin)
}

/// A part leaves to its neighbours what is nearest to its cuts, or to a corner from where the
/// whole cannot be touched there.
fn against_part(part: &Part, center: Vec2, radius: f32, margin: f32) -> Manifold {
    let (vertices, normals) = (part.vertices(), part.normals());
    let mut nearest: Option<usize> = None;
    let mut out = f32::MIN;
    for (i, (&vertex, &normal)) in vertices.iter().zip(normals).enumerate() {
        let distance = normal.dot(center - vertex);
        if distance > radius + margin {
            return Manifold::default();
        }
        // A way out through a cut is none; but a cut can be what is nearest to a centre outside.
        if (part.is_solid(i) || distance > 0.0) && distance > out {
            (nearest, out) = (Some(i), distance);
        }
    }
    let Some(edge) = nearest else { return Manifold::default() };
    let next = if edge + 1 < vertices.len() { edge + 1 } else { 0 };
    let span = vertices[next] - vertices[edge];
    let corner = if (center - vertices[edge]).dot(span) < 0.0 {
        Some(edge)
    } else if (center - vertices[next]).dot(span) > 0.0 {
        Some(next)
    } else {
        None
    };
    if let Some(corner) = corner
        && out > 0.0
    {
        let (direction, distance) = unit_and_length(center - vertices[corner]);
        let normal = if distance < COINCIDENT { normals[edge] } else { direction };
        if !part.corner_admits(corner, normal) {
            return Manifold::default();
        }
        return disc_contact(vertices[corner], 0.0, center, radius, normal, distance, margin);
    }
    if !part.is_solid(edge) {
        return Manifold::default();
    }
    disc_contact(center - normals[edge] * out, 0.0, center, radius, normals[edge], out, margin)
}

/// The contact of two discs, b at `distance` from a along `normal`.
#[inline]
fn disc_contact(
    center_a: Vec2,
    radius_a: f32,
    center_b: Vec2,
    radius_b: f32,
    normal: Vec2,
    distance: f32,
    margin: f32,
) -> Manifold {
    let separation = distance - radius_a - radius_b;
    if separation > margin {
        return Manifold::default();
    }
    let surface_a = center_a + normal * radius_a;
    let surface_b = center_b - normal * radius_b;
    Manifold::single(normal, 0.5 * (surface_a + surface_b), separation, 0, Reference::None)
}
